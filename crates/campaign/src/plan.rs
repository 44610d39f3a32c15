//! What a campaign of attacks is to do. The same plan, model and data give the same records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use equivalence::Wanted;
use manual::closest;
use search::attacks::{Attack, check_parameters};
use search::{AttackSettings, Parts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use transformation::Names;
use transformation::names::NamesMaterial;
use transformation::recipe::select;

use crate::examples::{Columns, Request};
use crate::mutants::MutantsPlan;

/// A campaign of attacks. In a file it is written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The attacks, by name.
    pub attacks: Vec<String>,
    /// What every draw comes from.
    #[serde(default)]
    pub seed: u64,
    /// How many questions may be asked about a target.
    #[serde(default = "default_budget")]
    pub budget: usize,
    /// How many seconds may be spent on a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The transformations that may be used.
    #[serde(default = "default_transform")]
    pub transform: String,
    /// Where new names come from, for rewrites that bring something new.
    #[serde(default = "default_names")]
    pub names: String,
    /// Which programs of a pair may be changed: first, second or both.
    #[serde(default = "default_parts")]
    pub parts: String,
    /// How many names may be changed at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_names: Option<usize>,
    /// How many tokens may be changed at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_tokens: Option<usize>,
    /// Is the whole budget spent, even behind the first success?
    #[serde(default)]
    pub go_on: bool,
    /// Are successes made as small as possible?
    #[serde(default)]
    pub shrink: bool,
    /// What a flip has to pass before it is a success: scope, compile or run.
    #[serde(default = "default_validity")]
    pub validity: String,
    /// A masked language model that proposes names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<String>,
    /// A model whose embeddings say which programs are alike, or `builtin`; that of the model itself when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// About how many inputs of the training set, of each class, the model is asked.
    #[serde(default = "default_references")]
    pub references: usize,
    /// The mutants of the model, which some attacks are guided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<MutantsPlan>,
    /// The targets.
    pub data: DataPlan,
    /// The training set, which some attacks learn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<DataPlan>,
    /// For an attack its parameters that differ from those of its manual page.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, BTreeMap<String, Value>>,
}

fn default_budget() -> usize {
    500
}

fn default_transform() -> String {
    "all".to_owned()
}

fn default_names() -> String {
    "pseudo".to_owned()
}

fn default_parts() -> String {
    "both".to_owned()
}

fn default_validity() -> String {
    "scope".to_owned()
}

fn default_references() -> usize {
    500
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
    pub task: Option<String>,
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
    /// Only the first so many examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// So many examples, drawn with the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// The so many longest examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<usize>,
    /// The seed of the sample.
    pub seed: u64,
}

/// What is wrong with a plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file cannot be read.
    #[error("failed to read the plan {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no plan.
    #[error("{} is no plan: {problem}", path.display())]
    NoPlan {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A value cannot be what it is.
    #[error("{0}")]
    Unfit(String),
}

impl Plan {
    /// Reads a plan from a file.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        read(path)
    }

    /// The attacks that the plan names, in its order.
    pub fn attacks(&self) -> Result<Vec<&'static Attack>, PlanError> {
        let mut attacks = Vec::new();
        for name in &self.attacks {
            let attack = search::attacks::find(name).ok_or_else(|| {
                let near = closest(name, search::attacks::all().iter().map(|attack| attack.name.as_str()));
                let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
                PlanError::Unfit(format!("there is no attack `{name}`{hint}; `allotrope list attacks` shows all"))
            })?;
            if !attacks.iter().any(|other: &&Attack| other.name == attack.name) {
                attacks.push(attack);
            }
        }
        if attacks.is_empty() {
            return Err(PlanError::Unfit("no attack is named".to_owned()));
        }
        if let Some(name) = self.parameters.keys().find(|name| !attacks.iter().any(|attack| attack.name == **name)) {
            return Err(PlanError::Unfit(format!("there are parameters for `{name}`, which is not among the attacks")));
        }
        if self.train.is_none()
            && let Some(attack) = attacks.iter().find(|attack| attack.needs_training_set)
        {
            return Err(PlanError::Unfit(format!("{} learns from a training set: name one with --train", attack.name)));
        }
        if let Some(attack) = attacks.iter().find(|attack| attack.needs_mutants) {
            match &self.mutants {
                Some(mutants) => mutants.mutations(&self.model).map(|_| ())?,
                None => {
                    let message = format!("{} is guided by mutants: the plan needs a section [mutants]", attack.name);
                    return Err(PlanError::Unfit(message));
                }
            }
        }
        Ok(attacks)
    }

    /// What an attack may do. `vocabulary` has the names of the training set.
    pub fn settings(&self, attack: &Attack, vocabulary: &[String]) -> Result<AttackSettings, PlanError> {
        let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
        if self.names == "substitutes" {
            let message = "the attacks use the lists of the data set by themselves: choose another source of names";
            return Err(PlanError::Unfit(message.to_owned()));
        }
        let material = NamesMaterial { reference: vocabulary.to_vec(), ..NamesMaterial::default() };
        let names = Names::new(&self.names, material).map_err(|error| unfit(&error))?;
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            other => other.to_string(),
        };
        let parameters: BTreeMap<String, String> = self
            .parameters
            .get(&attack.name)
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect();
        check_parameters(attack, &parameters).map_err(|error| unfit(&error))?;
        let wanted = match self.validity.as_str() {
            "scope" => Wanted { scope: true, compile: false, run: false },
            "compile" => Wanted { scope: true, compile: true, run: false },
            "run" => Wanted::all(),
            other => {
                return Err(PlanError::Unfit(format!("`{other}` is no check: use scope, compile or run")));
            }
        };
        let time = match self.seconds {
            None => None,
            Some(seconds) if seconds > 0.0 && seconds < 1e9 => Some(Duration::from_secs_f64(seconds)),
            Some(seconds) => return Err(PlanError::Unfit(format!("{seconds} seconds are no time"))),
        };
        if self.budget < 2 {
            return Err(PlanError::Unfit("a budget has two questions at least: one is about the original".to_owned()));
        }
        Ok(AttackSettings {
            seed: self.seed,
            budget: self.budget,
            time,
            selections: select(&self.transform, &names).map_err(|error| unfit(&error))?,
            parts: self.parts.parse::<Parts>().map_err(PlanError::Unfit)?,
            max_names: self.most_names,
            max_tokens: self.most_tokens,
            exhausts_budget: self.go_on,
            shrinks: self.shrink,
            wanted,
            parameters,
        })
    }
}

/// The commands that have plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// Attacks, see [`Plan`].
    Attack,
    /// Guided searches, see [`crate::evolve::EvolvePlan`].
    Evolve,
    /// Grids, see [`crate::grid::GridPlan`].
    Grid,
}

impl Planned {
    /// Whose plan a file is, by what only such plans have.
    pub fn of(path: &Path) -> Result<Planned, PlanError> {
        let values: toml::Table = read(path)?;
        let has = |key: &str| values.contains_key(key);
        Ok(match () {
            () if has("minimise") || has("maximise") => Planned::Evolve,
            () if has("treatments") => Planned::Grid,
            () => Planned::Attack,
        })
    }
}

/// Reads a plan of any kind from a file.
pub fn read<Described: serde::de::DeserializeOwned>(path: &Path) -> Result<Described, PlanError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| PlanError::Unreadable { path: path.to_owned(), source })?;
    toml::from_str(&text).map_err(|error| PlanError::NoPlan { path: path.to_owned(), problem: error.to_string() })
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
            task: self
                .task
                .as_deref()
                .map(str::parse)
                .transpose()
                .map_err(|error: crate::examples::task::UnknownTask| unfit(&error))?,
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
        assert_eq!((good.budget, good.validity.as_str()), (500, "scope"));
        let attack = good.attacks().unwrap()[0];
        assert_eq!(good.settings(attack, &[]).unwrap().parameters["rewrites"], "3");
        assert!(plan("budgets = 3").unwrap_err().to_string().contains("budgets"));
        let problem = |more: &str| {
            let plan = plan(more).unwrap();
            match plan.attacks() {
                Ok(attacks) => plan.settings(attacks[0], &[]).err().map(|error| error.to_string()),
                Err(error) => Some(error.to_string()),
            }
        };
        assert_eq!(problem(""), None);
        assert!(problem("parameters.random-k.rewrite = 3").unwrap().contains("did you mean `rewrites`"));
        assert!(problem("parameters.random-k.rewrites = 'many'").unwrap().contains("a whole number"));
        assert!(problem("parameters.beam.width = 3").unwrap().contains("not among the attacks"));
        assert!(problem("budget = 1").unwrap().contains("two questions"));
        assert!(problem("seconds = -1.0").unwrap().contains("no time"));
        assert!(problem("validity = 'none'").unwrap().contains("scope, compile or run"));
        assert!(problem("parts = 'third'").unwrap().contains("first, second, both"));
        assert!(problem("transform = 'renam-local'").unwrap().contains("rename-local"));
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
