//! What a campaign of attacks is to do. The same plan, model and data give the same records.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use equivalence::Wanted;
use manual::closest;
use model::mutation::Mutation;
use search::attacks::{Attack, check_parameters};
use search::{AttackSettings, Goal, Measure, Parts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Names, Selection};

use crate::examples::{Columns, Request, Task};
use crate::mutants::MutantsPlan;

/// A campaign of attacks. In a file it is written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Plan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The attacks, by name.
    pub attacks: Vec<String>,
    /// The seed of all randomness.
    pub seed: u64,
    /// How many times everything is attacked, with seeds that count up from that of the plan.
    #[serde(skip_serializing_if = "is_once")]
    pub repeat: usize,
    /// The maximum number of queries per target.
    pub budget: usize,
    /// The maximum number of seconds per target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The transformations that attacks may use.
    pub transform: String,
    /// Where new names come from, for rewrites that introduce some.
    pub names: String,
    /// Which programs of a pair may be changed: first, second or both.
    pub parts: String,
    /// The maximum number of names that are changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_names: Option<usize>,
    /// The maximum number of tokens that are changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The maximum share of the names that may be changed that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_names: Option<f64>,
    /// The maximum share of the tokens that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_tokens: Option<f64>,
    /// The measure whose fall is a success. Without one a wrong answer is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// A success has a score below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// A success has a score that is lower than that of the original by at least this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fall: Option<f64>,
    /// Are originals attacked as well that are wrong or whose score is too low, so that every program is rewritten?
    #[serde(skip_serializing_if = "is_off")]
    pub rewrite_all: bool,
    /// Is the whole budget spent, even after the first success?
    pub exhaust_budget: bool,
    /// Are successes made as small as possible?
    pub shrink: bool,
    /// What a flip has to pass before it is a success.
    pub validity: Validity,
    /// A masked language model that proposes names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masked: Option<String>,
    /// A model whose embeddings say which programs are similar, or `builtin`; by default the model itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// About how many inputs of each class of the training set the model is queried on.
    pub references: usize,
    /// The mutants of the model, which guide some attacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutants: Option<MutantsPlan>,
    /// The targets.
    pub data: DataPlan,
    /// The training set, which some attacks learn from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train: Option<DataPlan>,
    /// For each attack the parameters that differ from the defaults of its manual page.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, BTreeMap<String, Value>>,
    /// For each attack the parameters of which several values are tried, one at a time.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sweep: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
}

/// Plans without repetition are as they were before there was any.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_once(repeat: &usize) -> bool {
    *repeat == 1
}

/// Plans without a switch are as they were before there was one.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_off(switch: &bool) -> bool {
    !*switch
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            model: String::new(),
            attacks: Vec::new(),
            seed: 0,
            budget: 500,
            seconds: None,
            transform: "all".to_owned(),
            names: "pseudo".to_owned(),
            parts: "both".to_owned(),
            max_names: None,
            max_tokens: None,
            most_names: None,
            most_tokens: None,
            measure: None,
            below: None,
            fall: None,
            rewrite_all: false,
            exhaust_budget: false,
            shrink: false,
            validity: Validity::Scope,
            masked: None,
            embedder: None,
            references: 500,
            mutants: None,
            data: DataPlan::default(),
            train: None,
            parameters: BTreeMap::new(),
            sweep: BTreeMap::new(),
            repeat: 1,
        }
    }
}

/// What a flip has to pass before it is a success. It always has to parse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Every name refers to what it referred to before.
    #[default]
    Scope,
    /// It compiles as well, wherever its original does.
    Compile,
    /// It also behaves like its original on the cases that the data set has.
    Run,
}

impl Validity {
    const ALL: [(&'static str, Validity); 3] =
        [("scope", Validity::Scope), ("compile", Validity::Compile), ("run", Validity::Run)];

    /// The checks that are made.
    pub(crate) fn wanted(self) -> Wanted {
        match self {
            Validity::Scope => Wanted { scope: true, compile: false, run: false },
            Validity::Compile => Wanted { scope: true, compile: true, run: false },
            Validity::Run => Wanted::all(),
        }
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = Validity::ALL[*self as usize];
        out.pad(name)
    }
}

impl FromStr for Validity {
    type Err = String;

    fn from_str(text: &str) -> Result<Validity, String> {
        let found = Validity::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, validity)| validity).ok_or_else(|| format!("`{text}` is not a check: use scope, compile or run"))
    }
}

/// A data set in a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DataPlan {
    /// The file or folder.
    pub path: PathBuf,
    /// Which file or folder of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// The layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The language of programs that do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The field with the programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The field with the second programs of pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code2: Option<String>,
    /// The field with the labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The field with the texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The labels in the order of the model's classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// A file with names for the names in programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substitutes: Option<PathBuf>,
    /// Use only the first N examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Use a random sample of N examples, drawn with the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// Use only the N longest examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<usize>,
    /// The seed of the sample.
    pub seed: u64,
}

/// What is wrong with a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The file cannot be read.
    #[error("failed to read the plan {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The file is not a plan.
    #[error("{} is not a valid plan: {problem}", path.display())]
    NoPlan { path: PathBuf, problem: String },
    /// A value is invalid.
    #[error("{0}")]
    Unfit(String),
}

/// An attack as a run has it: with one of the values of what is swept, and with one of the seeds.
#[derive(Clone)]
pub struct Arm {
    /// The name in records: `coda`, `coda references=64`, or `coda references=64 #2` with the second of several seeds.
    pub name: String,
    pub attack: &'static Attack,
    pub settings: AttackSettings,
}

/// The name of an attack in records with one of several seeds, the first of which is 1.
fn with_seed(title: &str, number: usize) -> String {
    if number == 1 { title.to_owned() } else { format!("{title} #{number}") }
}

/// The attack and the swept value of a name in records, and the number of its seed.
pub fn without_seed(name: &str) -> (&str, usize) {
    let parts = name.rsplit_once(" #").and_then(|(title, number)| Some((title, number.parse().ok()?)));
    parts.unwrap_or((name, 1))
}

/// The attack of a name in records.
pub fn attack_of(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// A plan whose names are looked up and whose values are checked.
pub struct Resolved {
    /// The attacks in the order of the plan, each with what it may do.
    pub attacks: Vec<Arm>,
    /// The mutants that guide some of them.
    pub mutations: Vec<Mutation>,
}

impl Plan {
    /// Reads a plan from a file.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        read(path)
    }

    /// Looks up and checks everything that the plan names, before anything else is read.
    pub fn resolve(&self) -> Result<Resolved, PlanError> {
        let unfit = |message: String| Err(PlanError::Unfit(message));
        let attacks = self.attacks()?;
        let selections = self.selections(&[])?;
        let time = match self.seconds {
            None => None,
            Some(seconds) if seconds > 0.0 && seconds < 1e9 => Some(Duration::from_secs_f64(seconds)),
            Some(seconds) => return unfit(format!("seconds is {seconds}, but must be above 0")),
        };
        if self.budget < 2 {
            return unfit("the budget must be at least two queries: the first is about the original".to_owned());
        }
        for (name, share, what) in
            [("most-names", self.most_names, "names"), ("most-tokens", self.most_tokens, "tokens")]
        {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return unfit(format!(
                    "{name} is {share}, but must be a share from 0 to 1, such as 0.2 for a fifth of the {what}; the maximum \
                     number of {what} is max-{what}"
                ));
            }
        }
        let settings = AttackSettings {
            seed: self.seed,
            budget: self.budget,
            time,
            selections,
            parts: self.parts.parse::<Parts>().map_err(PlanError::Unfit)?,
            max_names: self.max_names,
            max_tokens: self.max_tokens,
            most_names: self.most_names,
            most_tokens: self.most_tokens,
            goal: self.goal()?,
            rewrites_all: self.rewrite_all,
            exhausts_budget: self.exhaust_budget,
            shrinks: self.shrink,
            wanted: self.validity.wanted(),
            confirmations: 0,
            parameters: BTreeMap::new(),
        };
        let mut resolved = Resolved { attacks: Vec::new(), mutations: Vec::new() };
        if let Some(attack) = attacks.iter().find(|attack| attack.needs_mutants) {
            let Some(mutants) = &self.mutants else {
                return unfit(format!("{} is guided by mutants: the plan needs a section [mutants]", attack.name));
            };
            resolved.mutations = mutants.mutations(&self.model)?;
        }
        if !(1..=MOST_SEEDS).contains(&self.repeat) {
            return unfit(format!("repeat is {}, but must be from 1 to {MOST_SEEDS}", self.repeat));
        }
        for number in 1..=self.repeat {
            // Other seeds come after everything of the first, so that a run that is stopped has one whole repetition.
            let seed = self.seed.wrapping_add(number as u64 - 1);
            for attack in attacks.iter().copied() {
                for (title, parameters) in self.values_of(attack)? {
                    check_parameters(attack, &parameters).map_err(|error| PlanError::Unfit(error.to_string()))?;
                    let settings = AttackSettings { parameters, seed, ..settings.clone() };
                    resolved.attacks.push(Arm { name: with_seed(&title, number), attack, settings });
                }
            }
        }
        Ok(resolved)
    }

    /// The names that records of a whole run have for the attacks with the first seed.
    pub fn titles_of_attacks(&self) -> Vec<String> {
        let titles = |name: &String| match search::attacks::find(name).and_then(|attack| self.values_of(attack).ok()) {
            Some(values) => values.into_iter().map(|(title, _)| title).collect(),
            None => vec![name.clone()],
        };
        self.attacks.iter().flat_map(titles).collect()
    }

    /// The parameters of an attack with each of the values that are swept, or as they are; each with a title.
    #[allow(clippy::type_complexity, reason = "a title and parameters")]
    fn values_of(&self, attack: &Attack) -> Result<Vec<(String, BTreeMap<String, String>)>, PlanError> {
        let own = self.parameters_of(attack);
        let mut found: Vec<(String, BTreeMap<String, String>)> = Vec::new();
        for (parameter, values) in self.sweep.get(&attack.name).into_iter().flatten() {
            if values.is_empty() {
                return Err(PlanError::Unfit(format!("the sweep of {}.{parameter} has no value", attack.name)));
            }
            for value in values {
                let value = word_of(value);
                let title = format!("{} {parameter}={value}", attack.name);
                if found.iter().all(|(known, _)| *known != title) {
                    let mut parameters = own.clone();
                    parameters.insert(parameter.clone(), value);
                    found.push((title, parameters));
                }
            }
        }
        if found.is_empty() {
            found.push((attack.name.clone(), own));
        }
        Ok(found)
    }

    /// What a success is, where a measure decides.
    pub fn goal(&self) -> Result<Option<Goal>, PlanError> {
        let unfit = |message: String| Err(PlanError::Unfit(message));
        let (below, fall) = (self.below, self.fall);
        let Some(measure) = self.measure else {
            return match below.or(fall) {
                None => Ok(None),
                Some(_) => unfit("--below and --fall are about a measure: name it with --measure".to_owned()),
            };
        };
        if below.is_none() && fall.is_none() {
            return unfit(format!(
                "how far must {measure} fall for a success? Give --below X for a score below X, --fall X for one that is lower \
                 than the original's by at least X, or both"
            ));
        }
        let lowest = measure.lowest();
        if let Some(below) = below.filter(|below| !(*below > lowest && *below <= 1.0)) {
            return unfit(format!("--below is {below}, but must be above {lowest} and at most 1, as {measure} is"));
        }
        if let Some(fall) = fall.filter(|fall| !(*fall > 0.0 && *fall <= 1.0 - lowest)) {
            return unfit(format!("--fall is {fall}, but must be above 0 and at most {}", 1.0 - lowest));
        }
        Ok(Some(Goal { measure, below, fall }))
    }

    fn attacks(&self) -> Result<Vec<&'static Attack>, PlanError> {
        let unfit = |message: String| Err(PlanError::Unfit(message));
        let mut attacks: Vec<&'static Attack> = Vec::new();
        for name in &self.attacks {
            let Some(attack) = search::attacks::find(name) else {
                let near = closest(name, search::attacks::all().iter().map(|attack| attack.name.as_str()));
                let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
                return unfit(format!("there is no attack `{name}`{hint}; `allotrope list attacks` shows all"));
            };
            if !attacks.iter().any(|other| other.name == attack.name) {
                attacks.push(attack);
            }
        }
        if attacks.is_empty() {
            return unfit("the plan names no attack".to_owned());
        }
        if let Some(name) = self
            .parameters
            .keys()
            .chain(self.sweep.keys())
            .find(|name| !attacks.iter().any(|attack| attack.name == **name))
        {
            return unfit(format!("there are parameters for `{name}`, which is not among the attacks"));
        }
        match attacks.iter().find(|attack| attack.needs_training_set && self.train.is_none()) {
            Some(attack) => unfit(format!("{} learns from a training set: name one with --train", attack.name)),
            None => Ok(attacks),
        }
    }

    fn parameters_of(&self, attack: &Attack) -> BTreeMap<String, String> {
        let own = self.parameters.get(&attack.name).into_iter().flatten();
        own.map(|(name, value)| (name.clone(), word_of(value))).collect()
    }

    /// The transformations with their source of names, which may take names from a vocabulary.
    pub(crate) fn selections(&self, vocabulary: &[String]) -> Result<Vec<Selection>, PlanError> {
        let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
        if self.names == "substitutes" {
            return Err(unfit(
                &"attacks use the substitutes of the data set by themselves: choose another source of names",
            ));
        }
        let material = NamesMaterial { reference: vocabulary.to_vec(), ..NamesMaterial::default() };
        let names = Names::new(&self.names, material).map_err(|error| unfit(&error))?;
        select(&self.transform, &names).map_err(|error| unfit(&error))
    }
}

/// The maximum number of seeds of a run.
const MOST_SEEDS: usize = 1000;

/// A value of a parameter as attacks read it.
fn word_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

/// Keys of plans, and options, that have a new name: the old one, and the new one.
pub const RENAMED: [(&str, &str); 4] = [
    ("go-on", "exhaust-budget"),
    ("least-accuracy", "min-accuracy"),
    ("most-genes", "max-genes"),
    ("steady", "patience"),
];

/// The commands that have plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// Attacks, see [`Plan`].
    Attack,
    /// Guided searches, see [`crate::evolve::EvolvePlan`].
    Evolve,
    /// Grids, see [`crate::grid::GridPlan`].
    Grid,
    /// Retrainings, see [`crate::retrain::RetrainPlan`].
    Retrain,
    /// Students beside their teacher, see [`crate::fidelity::FidelityPlan`].
    Fidelity,
}

impl Planned {
    /// Whose plan a file is, by what only such plans have.
    pub fn of(path: &Path) -> Result<Planned, PlanError> {
        let values: toml::Table = read(path)?;
        let has = |key: &str| values.contains_key(key);
        Ok(match () {
            () if has("minimise") || has("maximise") => Planned::Evolve,
            () if has("treatments") => Planned::Grid,
            () if has("arm") => Planned::Retrain,
            () if has("teacher") => Planned::Fidelity,
            () => Planned::Attack,
        })
    }
}

/// Reads a plan of any kind from a file.
pub fn read<Described: serde::de::DeserializeOwned>(path: &Path) -> Result<Described, PlanError> {
    let text =
        syntax::file::read_text(path).map_err(|source| PlanError::Unreadable { path: path.to_owned(), source })?;
    parse(&text).map_err(|problem| PlanError::NoPlan { path: path.to_owned(), problem })
}

fn parse<Described: serde::de::DeserializeOwned>(text: &str) -> Result<Described, String> {
    let values: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mutants = values.get("mutants").and_then(toml::Value::as_table);
    for (old, new) in RENAMED {
        if values.contains_key(old) || mutants.is_some_and(|mutants| mutants.contains_key(old)) {
            return Err(format!("`{old}` is now called `{new}`"));
        }
    }
    // Only the text, not the table, tells in which line something is wrong.
    toml::from_str(text).map_err(|error| error.to_string())
}

/// What differs between two plans of a kind, a line for each value.
pub(crate) fn differences<Described: Serialize>(one: &Described, other: &Described) -> Vec<String> {
    let flat = |plan: &Described| {
        let mut values = BTreeMap::new();
        flatten("", &serde_json::to_value(plan).unwrap_or_default(), &mut values);
        values
    };
    let (mine, others) = (flat(one), flat(other));
    let keys: std::collections::BTreeSet<&String> = mine.keys().chain(others.keys()).collect();
    let shown = |value: Option<&String>| value.cloned().unwrap_or_else(|| "nothing".to_owned());
    keys.into_iter()
        .filter(|key| mine.get(*key) != others.get(*key))
        .map(|key| format!("{key}: {}, now {}", shown(mine.get(key)), shown(others.get(key))))
        .collect()
}

fn flatten(name: &str, value: &Value, values: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, value, values);
            }
        }
        other => {
            values.insert(name.to_owned(), other.to_string());
        }
    }
}

/// What stands in a plan for the folder with the data sets, so that the plan is the same on every machine.
const DATA_FOLDER: &str = "$ALLOTROPE_DATA";

/// A path or the name of a model, with the folder that the variable names in the place of the variable.
pub fn with_data_folder(text: &str) -> Result<String, PlanError> {
    if !text.contains(DATA_FOLDER) {
        return Ok(text.to_owned());
    }
    match std::env::var("ALLOTROPE_DATA") {
        Ok(folder) if !folder.is_empty() => Ok(text.replace(DATA_FOLDER, folder.trim_end_matches('/'))),
        _ => Err(PlanError::Unfit(format!(
            "`{text}` is in the folder with the data sets, and ALLOTROPE_DATA does not say which that is: set it to that folder"
        ))),
    }
}

impl DataPlan {
    /// What is asked of the reader of data sets.
    pub fn request(&self) -> Result<Request, PlanError> {
        let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
        let placed = |path: &Path| match path.to_str() {
            Some(text) => with_data_folder(text).map(PathBuf::from),
            None => Ok(path.to_owned()),
        };
        Ok(Request {
            path: placed(&self.path)?,
            layout: self.layout.clone(),
            task: self.task,
            language: self
                .language
                .as_deref()
                .map(str::parse)
                .transpose()
                .map_err(|error: syntax::language::UnknownLanguage| unfit(&error))?,
            split: self.split.clone(),
            columns: Columns {
                code: self.code.clone(),
                code2: self.code2.clone(),
                label: self.label.clone(),
                text: self.text.clone(),
            },
            labels: self.labels.clone(),
            substitutes: self.substitutes.as_deref().map(placed).transpose()?,
            limit: self.limit,
            sample: self.sample,
            longest: self.longest,
            seed: self.seed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str) -> Result<Plan, toml::de::Error> {
        toml::from_str(&format!("model = 'hf:x'\nattacks = ['random-k']\n{more}\n[data]\npath = 'test.jsonl'\n"))
    }

    #[test]
    fn a_plan_says_what_it_means_or_is_refused() {
        let good = plan("parameters.random-k.rewrites = 3").unwrap();
        assert_eq!((good.budget, good.validity), (500, Validity::Scope));
        assert_eq!(good.resolve().unwrap().attacks[0].settings.parameters["rewrites"], "3");
        assert!(plan("budgets = 3").unwrap_err().to_string().contains("budgets"));
        let problem = |more: &str| plan(more).unwrap().resolve().err().map(|error| error.to_string());
        assert_eq!(problem(""), None);
        assert!(problem("parameters.random-k.rewrite = 3").unwrap().contains("did you mean `rewrites`"));
        assert!(problem("parameters.random-k.rewrites = 'many'").unwrap().contains("a whole number"));
        assert!(problem("parameters.beam.width = 3").unwrap().contains("not among the attacks"));
        assert!(problem("budget = 1").unwrap().contains("two queries"));
        assert_eq!(problem("most-names = 0.25\nmost-tokens = 1"), None);
        // Plans of early versions had a number under this name.
        assert!(problem("most-names = 5").unwrap().contains("max-names"));
        assert!(problem("most-tokens = nan").unwrap().contains("from 0 to 1"));
        assert!(problem("repeat = 0").unwrap().contains("from 1 to 1000"));
        assert!(problem("sweep.random-k.rewrites = [1, 'many']").unwrap().contains("a whole number"));
        assert!(problem("sweep.random-k.rewrites = []").unwrap().contains("has no value"));
        assert!(problem("sweep.beam.width = [1]").unwrap().contains("not among the attacks"));
        assert!(problem("seconds = -1.0").unwrap().contains("above 0"));
        assert!(plan("validity = 'none'").unwrap_err().to_string().contains("`scope`, `compile`, `run`"));
        assert_eq!(problem("measure = 'bleu'\nbelow = 0.2"), None);
        assert!(problem("measure = 'bleu'").unwrap().contains("--below X"));
        assert!(problem("fall = 0.2").unwrap().contains("--measure"));
        assert!(problem("measure = 'bleu'\nbelow = 0.0").unwrap().contains("above 0 and at most 1"));
        assert!(problem("measure = 'f1'\nfall = 1.5").unwrap().contains("at most 1"));
        assert_eq!(problem("measure = 'cosine'\nfall = 1.5\nbelow = -0.5"), None);
        assert!(plan("measure = 'blue'").unwrap_err().to_string().contains("`bleu`"));
        assert!(problem("parts = 'third'").unwrap().contains("first, second, both"));
        assert!(problem("transform = 'renam-local'").unwrap().contains("rename-local"));
    }

    #[test]
    fn values_and_seeds_have_arms_of_their_own() {
        let plan =
            plan("seed = 5\nrepeat = 2\nparameters.random-k.rewrites = 3\nsweep.random-k.rewrites = [1, '9', 1]")
                .unwrap();
        let arms = plan.resolve().unwrap().attacks;
        let found: Vec<(&str, u64, &str)> = arms
            .iter()
            .map(|arm| (arm.name.as_str(), arm.settings.seed, arm.settings.parameters["rewrites"].as_str()))
            .collect();
        let expected = [
            ("random-k rewrites=1", 5, "1"),
            ("random-k rewrites=9", 5, "9"),
            ("random-k rewrites=1 #2", 6, "1"),
            ("random-k rewrites=9 #2", 6, "9"),
        ];
        assert_eq!(found, expected);
        assert_eq!(plan.titles_of_attacks(), ["random-k rewrites=1", "random-k rewrites=9"]);
        assert_eq!(without_seed("random-k rewrites=9 #2"), ("random-k rewrites=9", 2));
        assert_eq!((without_seed("mhm"), attack_of("random-k rewrites=9 #2")), (("mhm", 1), "random-k"));
    }

    #[test]
    fn checks_have_the_same_names_everywhere() {
        for (name, validity) in Validity::ALL {
            assert_eq!((validity.to_string().as_str(), name.parse()), (name, Ok(validity)));
            assert_eq!(serde_json::to_value(validity).unwrap(), name);
        }
        assert!("none".parse::<Validity>().unwrap_err().contains("scope, compile or run"));
    }

    #[test]
    fn the_folder_with_the_data_sets_has_a_name() {
        assert_eq!(with_data_folder("hf:student?device=cuda").unwrap(), "hf:student?device=cuda");
        let named = with_data_folder("$ALLOTROPE_DATA/devign");
        match std::env::var("ALLOTROPE_DATA") {
            Ok(folder) if !folder.is_empty() => assert!(named.unwrap().ends_with("/devign")),
            _ => assert!(named.unwrap_err().to_string().contains("set it to that folder")),
        }
    }

    #[test]
    fn differences_are_shown() {
        let one = plan("").unwrap();
        let mut other = one.clone();
        assert!(differences(&one, &other).is_empty());
        other.budget = 20;
        other.data.sample = Some(5);
        assert_eq!(differences(&one, &other), ["budget: 500, now 20", "data.sample: nothing, now 5"]);
    }
}
