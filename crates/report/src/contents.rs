//! What is in the folders of runs, whatever kind they are.

use std::path::{Path, PathBuf};

use campaign::evolve::{self, EvolvePlan, EvolveSummary};
use campaign::fidelity::{self, FidelityPlan, FidelitySummary};
use campaign::grid::{self, GridPlan, GridSummary};
use campaign::mutants;
use campaign::plan::Plan;
use campaign::retrain::{ORIGINAL, RetrainPlan, Scores};
use campaign::run::{About, Record, RunPlan, Store, StoreError, Truths, command};
use measure::{Bootstrap, Interval, Line, Table};
use model::{Identity, Noise};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::run::{ReportError, Run};

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Attack,
    Grid,
    Evolve,
    Fidelity,
    Mutants,
    Training,
    Distillation,
    Shapes,
    Retraining,
    Evaluation,
}

impl Kind {
    /// Every kind, in the order of a page.
    pub const ALL: [Kind; 10] = [
        Kind::Attack,
        Kind::Grid,
        Kind::Evolve,
        Kind::Fidelity,
        Kind::Mutants,
        Kind::Training,
        Kind::Distillation,
        Kind::Shapes,
        Kind::Retraining,
        Kind::Evaluation,
    ];

    /// What a heading calls it.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Attack => "Attacks",
            Kind::Grid => "Grids",
            Kind::Evolve => "Guided searches",
            Kind::Fidelity => "Fidelity",
            Kind::Mutants => "Mutants",
            Kind::Training => "Trainings",
            Kind::Distillation => "Distillations",
            Kind::Shapes => "Shapes of students",
            Kind::Retraining => "Retrainings",
            Kind::Evaluation => "Evaluations",
        }
    }

    /// What a sentence calls a run of it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Attack => "run of attacks",
            Kind::Grid => "grid",
            Kind::Evolve => "guided search",
            Kind::Fidelity => "comparison of students",
            Kind::Mutants => "scoring of mutants",
            Kind::Training => "training",
            Kind::Distillation => "distillation",
            Kind::Shapes => "search of shapes",
            Kind::Retraining => "retraining",
            Kind::Evaluation => "evaluation",
        }
    }

    /// The kind of run that a folder holds, by what is in it.
    pub(crate) fn of(folder: &Path) -> Result<Kind, ReportError> {
        if folder.is_file() {
            return Ok(Kind::Evaluation);
        }
        let has = |name: &str| folder.join(name).exists();
        if has("run.sqlite") {
            let command = command(folder)?;
            let known = [
                (Plan::COMMAND, Kind::Attack),
                (GridPlan::COMMAND, Kind::Grid),
                (EvolvePlan::COMMAND, Kind::Evolve),
                (FidelityPlan::COMMAND, Kind::Fidelity),
            ];
            let kind = known.into_iter().find(|(name, _)| *name == command);
            return kind.map(|(_, kind)| kind).ok_or_else(|| ReportError::NoRun { path: folder.to_owned() });
        }
        match () {
            () if has(mutants::FILE) => Ok(Kind::Mutants),
            () if shapes_in(folder).is_some() => Ok(Kind::Shapes),
            () if has("plan.json") && (has("attacks") || has("scores")) => Ok(Kind::Retraining),
            () if has("metrics.jsonl") => Ok(match teaching(folder) {
                Some(_) => Kind::Distillation,
                None => Kind::Training,
            }),
            () if !evaluations_in(folder).is_empty() => Ok(Kind::Evaluation),
            () => Err(ReportError::NoRun { path: folder.to_owned() }),
        }
    }
}

/// Where a run comes from: enough to make it again.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What tables call the run, where there are several.
    pub name: String,
    /// Its models, each with what it is called.
    pub models: Vec<(String, Identity)>,
    /// The digest of the inputs.
    pub data: Option<String>,
    /// How many inputs there are.
    pub inputs: Option<usize>,
    /// How often answers changed when the models were queried again.
    pub noise: Vec<Noise>,
    /// The version of the program that began the run, where that is known.
    pub program: Option<String>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The command that makes it again, where the run keeps what it was told.
    pub command: String,
    /// What the command is told, and the file that it is in.
    pub plan: Option<(&'static str, String)>,
}

impl Origin {
    fn of<P: RunPlan>(name: &str, store: &Store<P>, about: &About<P>, seed: u64) -> Result<Origin, ReportError> {
        let titles = about.plan.titles();
        Ok(Origin {
            name: name.to_owned(),
            models: titles.into_iter().zip(about.models.iter().cloned()).collect(),
            data: Some(about.data.clone()),
            inputs: Some(store.inputs()?.len()),
            noise: store.noise()?.unwrap_or_default(),
            program: Some(store.program()?),
            seeds: vec![seed],
            command: format!("allotrope run plan.toml -o {}", quoted(name)),
            plan: Some(("plan.toml", toml::to_string(&about.plan).unwrap_or_default())),
        })
    }

    /// The name of the first model, for a heading.
    pub fn model(&self) -> &str {
        self.models.first().map_or("", |(_, model)| model.label())
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:@%+=,".contains(character);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A grid.
pub struct GridRun {
    pub origin: Origin,
    pub plan: GridPlan,
    pub summary: GridSummary,
}

/// A guided search.
pub struct EvolveRun {
    pub origin: Origin,
    pub plan: EvolvePlan,
    pub summary: EvolveSummary,
}

/// A comparison of students with their teacher.
pub struct FidelityRun {
    pub origin: Origin,
    pub summary: FidelitySummary,
    /// The labels of the classes.
    pub labels: Vec<String>,
}

/// The mutants of a model, with what was found about them.
pub struct MutantsRun {
    pub origin: Origin,
    /// The accuracy of the model.
    pub accuracy: Option<f64>,
    pub mutants: Vec<MutantRow>,
    /// The label change rate of every input that was scored.
    pub rates: Vec<(String, f64)>,
    /// The share of classes that are killed.
    pub score: Option<f64>,
    pub is_complete: bool,
}

/// A mutant that was scored.
pub struct MutantRow {
    pub operator: String,
    pub accuracy: Option<f64>,
    pub changed: Option<f64>,
    pub is_kept: bool,
}

/// A training, or a distillation, which is the training of a student.
pub struct TrainingRun {
    pub origin: Origin,
    /// What a student learns from, as the training keeps it.
    pub teaching: Option<Value>,
    /// The size of the weights, once there are any.
    pub bytes: Option<u64>,
    /// The loss of the training set, by steps.
    pub losses: Vec<(f64, f64)>,
    pub rates: Vec<(f64, f64)>,
    pub evaluations: Vec<Evaluation>,
    /// How long it took so far.
    pub seconds: f64,
}

/// An evaluation of a training.
pub struct Evaluation {
    pub step: f64,
    pub loss: Option<f64>,
    pub accuracy: Option<f64>,
    /// Is it the best so far?
    pub is_best: bool,
}

/// What `evaluate --json` printed about a model.
pub struct EvaluationRun {
    pub origin: Origin,
    pub task: String,
    pub measures: Vec<Line>,
    /// The number of inputs that the model was queried on.
    pub asked: usize,
    /// How long it took to answer all of them.
    pub seconds: f64,
    /// The size of the weights, where they are in a file.
    pub bytes: Option<u64>,
}

/// A search for the shape of a student.
pub struct ShapesRun {
    pub origin: Origin,
    /// What each style of searching found: its name, the shape that it chose, and its front.
    pub styles: Vec<(String, String, Vec<Shape>)>,
}

/// A shape of a front.
pub struct Shape {
    pub name: String,
    pub bytes: Option<f64>,
    pub operations: Option<f64>,
    pub seconds: Option<f64>,
    pub accuracy: Option<f64>,
    /// The share of answers that a metamorphic change flips.
    pub flips: Option<f64>,
    /// Were accuracy and flips measured, and not guessed?
    pub is_measured: bool,
}

/// A retraining.
pub struct RetrainingRun {
    pub origin: Origin,
    pub plan: RetrainPlan,
    /// The original model and the retrained ones, as far as there is anything about them.
    pub models: Vec<Retrained>,
    /// The tables, when everything is done.
    pub tables: Vec<(String, Table)>,
}

/// What is known about a model of a retraining.
pub struct Retrained {
    pub name: String,
    pub scores: Option<Scores>,
    /// What the attacks on it found, by their names.
    pub attacks: Vec<(String, Vec<Record>)>,
}

/// Everything that a report is about.
#[derive(Default)]
pub struct Contents {
    /// Attacks.
    pub runs: Vec<Run>,
    /// The rest.
    pub others: Others,
}

/// The runs that are no attacks.
#[derive(Default)]
pub struct Others {
    pub grids: Vec<GridRun>,
    pub evolutions: Vec<EvolveRun>,
    pub fidelities: Vec<FidelityRun>,
    pub mutants: Vec<MutantsRun>,
    pub trainings: Vec<TrainingRun>,
    pub distillations: Vec<TrainingRun>,
    pub shapes: Vec<ShapesRun>,
    pub retrainings: Vec<RetrainingRun>,
    pub evaluations: Vec<EvaluationRun>,
}

impl Contents {
    /// Reads the runs in some folders, of any kinds.
    pub fn read(folders: &[PathBuf], bootstrap: &Bootstrap) -> Result<Contents, ReportError> {
        let mut contents = Contents::default();
        let mut attacks: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let (name, others) = (Run::name_of(folder, folders), &mut contents.others);
            match Kind::of(folder)? {
                Kind::Attack => attacks.push(folder.clone()),
                Kind::Grid => others.grids.push(read_grid(folder, &name, bootstrap)?),
                Kind::Evolve => others.evolutions.push(read_evolution(folder, &name)?),
                Kind::Fidelity => others.fidelities.push(read_fidelity(folder, &name, bootstrap)?),
                Kind::Mutants => others.mutants.push(read_mutants(folder, &name)?),
                Kind::Training => others.trainings.push(read_training(folder, &name)?),
                Kind::Distillation => others.distillations.push(read_training(folder, &name)?),
                Kind::Shapes => others.shapes.extend(read_shapes(folder, &name)),
                Kind::Retraining => others.retrainings.push(read_retraining(folder, &name)?),
                Kind::Evaluation => others.evaluations.extend(read_evaluations(folder, &name)?),
            }
        }
        if !attacks.is_empty() {
            contents.runs = attacks
                .iter()
                .map(|folder| Run::read(folder, Run::name_of(folder, folders)))
                .collect::<Result<_, ReportError>>()?;
            if contents.kinds().len() == 1 && contents.runs.iter().all(|run| run.records.is_empty()) {
                return Err(ReportError::NoRecords);
            }
        }
        Ok(contents)
    }

    /// The kinds of runs that there are, in the order of a page.
    pub fn kinds(&self) -> Vec<Kind> {
        Kind::ALL
            .into_iter()
            .filter(|kind| self.others.count(*kind) + self.runs.len() * usize::from(*kind == Kind::Attack) > 0)
            .collect()
    }
}

impl Others {
    fn count(&self, kind: Kind) -> usize {
        self.origins_of(kind).len()
    }

    /// Where the runs of a kind come from.
    pub fn origins_of(&self, kind: Kind) -> Vec<&Origin> {
        match kind {
            Kind::Attack => Vec::new(),
            Kind::Grid => self.grids.iter().map(|run| &run.origin).collect(),
            Kind::Evolve => self.evolutions.iter().map(|run| &run.origin).collect(),
            Kind::Fidelity => self.fidelities.iter().map(|run| &run.origin).collect(),
            Kind::Mutants => self.mutants.iter().map(|run| &run.origin).collect(),
            Kind::Training => self.trainings.iter().map(|run| &run.origin).collect(),
            Kind::Distillation => self.distillations.iter().map(|run| &run.origin).collect(),
            Kind::Shapes => self.shapes.iter().map(|run| &run.origin).collect(),
            Kind::Retraining => self.retrainings.iter().map(|run| &run.origin).collect(),
            Kind::Evaluation => self.evaluations.iter().map(|run| &run.origin).collect(),
        }
    }
}

fn read_grid(folder: &Path, name: &str, bootstrap: &Bootstrap) -> Result<GridRun, ReportError> {
    let store: Store<GridPlan> = Store::open(folder)?;
    let about = store.about()?;
    let origin = Origin::of(name, &store, &about, about.plan.seed)?;
    Ok(GridRun { origin, summary: grid::summary(&store, bootstrap)?, plan: about.plan })
}

fn read_evolution(folder: &Path, name: &str) -> Result<EvolveRun, ReportError> {
    let store: Store<EvolvePlan> = Store::open(folder)?;
    let about = store.about()?;
    let origin = Origin::of(name, &store, &about, about.plan.seed)?;
    let objectives = about.plan.objectives().map_err(|error| damaged(folder, error))?;
    Ok(EvolveRun { origin, summary: evolve::summary(&store, &objectives)?, plan: about.plan })
}

fn read_fidelity(folder: &Path, name: &str, bootstrap: &Bootstrap) -> Result<FidelityRun, ReportError> {
    let store: Store<FidelityPlan> = Store::open(folder)?;
    let about = store.about()?;
    let seed = about.plan.attack.as_ref().map_or(0, |attack| attack.seed);
    let origin = Origin::of(name, &store, &about, seed)?;
    let summary = fidelity::summary(&store, bootstrap).map_err(|error| damaged(folder, error))?;
    let labels = match store.truths()? {
        Truths::Classes(labels) => labels,
        Truths::Names | Truths::Texts | Truths::Unknown => Vec::new(),
    };
    Ok(FidelityRun { origin, summary, labels })
}

fn read_mutants(folder: &Path, name: &str) -> Result<MutantsRun, ReportError> {
    let all: Value = read_json(&folder.join(mutants::FILE))?;
    let list = |key: &str| all[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let model: Option<Identity> = serde_json::from_value(all["model"].clone()).ok();
    let mutant = |row: &Value| MutantRow {
        operator: row["operator"].as_str().unwrap_or_default().to_owned(),
        accuracy: row["accuracy"].as_f64(),
        changed: row["labels changed"].as_f64(),
        is_kept: row["kept"].as_bool().unwrap_or(false),
    };
    let rate = |row: &Value| Some((row["id"].as_str()?.to_owned(), row["rate"].as_f64()?));
    let place = model.as_ref().map(|model| format!("{}:{}", model.kind, model.place)).unwrap_or_default();
    let mut words = format!(
        "allotrope mutants --model {} --data {}",
        quoted(&place),
        quoted(all["data"]["path"].as_str().unwrap_or_default())
    );
    for (option, key) in
        [("mutants", "each"), ("ratio", "ratio"), ("sigma", "sigma"), ("digits", "digits"), ("mutant-seed", "seed")]
    {
        words.push_str(&format!(" --{option} {}", all["plan"][key]));
    }
    let is_scored = |row: &&Value| row.get("kept").is_some();
    Ok(MutantsRun {
        origin: Origin {
            name: name.to_owned(),
            models: model.map(|model| ("model".to_owned(), model)).into_iter().collect(),
            inputs: Some(list("rates").len()),
            seeds: all["plan"]["seed"].as_u64().into_iter().collect(),
            command: format!("{words} -o {}", quoted(name)),
            plan: Some(("settings", format!("{:#}", serde_json::json!({"plan": all["plan"], "data": all["data"]})))),
            ..Origin::default()
        },
        accuracy: all["accuracy"].as_f64(),
        mutants: list("mutants").iter().filter(is_scored).map(mutant).collect(),
        rates: list("rates").iter().filter_map(rate).collect(),
        score: all["mutation score"]["score"].as_f64(),
        is_complete: all["is complete"].as_bool().unwrap_or(true),
    })
}

fn read_training(folder: &Path, name: &str) -> Result<TrainingRun, ReportError> {
    let path = folder.join("metrics.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|error| damaged(&path, error))?;
    let (mut losses, mut rates, mut evaluations, mut seconds) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
    // The last line of a training that is going on may not be complete.
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let number = |key: &str| line[key].as_f64();
        let Some(step) = number("step") else { continue };
        seconds = number("seconds").unwrap_or(seconds);
        match line["kind"].as_str() {
            Some("evaluation") => evaluations.push(Evaluation {
                step,
                loss: number("loss"),
                accuracy: number("accuracy"),
                is_best: line["is-best"].as_bool().unwrap_or(false),
            }),
            _ => {
                losses.extend(number("loss").map(|loss| (step, loss)));
                rates.extend(number("learning-rate").map(|rate| (step, rate)));
            }
        }
    }
    let settings: Option<Value> = read_json(&folder.join("training").join("run.json")).ok();
    let seed = settings.as_ref().and_then(|settings| settings["plan"]["settings"]["seed"].as_u64());
    let data = settings.as_ref().and_then(|settings| settings["data"]["examples"]["digest"].as_str());
    let origin = Origin {
        name: name.to_owned(),
        models: Vec::new(),
        data: data.map(str::to_owned),
        seeds: seed.into_iter().collect(),
        plan: settings.map(|settings| ("training/run.json", format!("{settings:#}"))),
        ..Origin::default()
    };
    let bytes = folder.join("model.safetensors").metadata().ok().map(|weights| weights.len());
    Ok(TrainingRun { origin, teaching: teaching(folder), bytes, losses, rates, evaluations, seconds })
}

/// What the student in a folder learns from. A training without a teacher has none.
fn teaching(folder: &Path) -> Option<Value> {
    let settings: Value = read_json(&folder.join("training").join("run.json")).ok()?;
    settings["plan"].get("teaching").filter(|teaching| teaching.is_object()).cloned()
}

/// What a search of shapes in a folder found.
fn shapes_in(folder: &Path) -> Option<Value> {
    let found: Value = read_json(&folder.join("summary.json")).ok()?;
    found["styles"].is_array().then_some(found)
}

fn read_shapes(folder: &Path, name: &str) -> Option<ShapesRun> {
    let found = shapes_in(folder)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let member = |member: &Value| Shape {
        name: shape_in_words(&member["shape"]),
        bytes: member["cost"]["bytes"].as_f64(),
        operations: member["cost"]["flops"].as_f64(),
        seconds: member["milliseconds"].as_f64().map(|milliseconds| milliseconds / 1000.0),
        accuracy: member["accuracy"].as_f64(),
        flips: member["flips"].as_f64(),
        is_measured: member["is-measured"].as_bool().unwrap_or(false),
    };
    let style = |style: &Value| {
        let name = style["style"].as_str().unwrap_or_default().to_owned();
        (name, shape_in_words(&style["chosen"]), list(&style["front"]).iter().map(member).collect())
    };
    let plan: Option<Value> = read_json(&folder.join("plan.json")).ok();
    let origin = Origin {
        name: name.to_owned(),
        seeds: plan.as_ref().and_then(|plan| plan["seed"].as_u64()).into_iter().collect(),
        plan: plan.map(|plan| ("plan.json", format!("{plan:#}"))),
        ..Origin::default()
    };
    Some(ShapesRun { origin, styles: list(&found["styles"]).iter().map(style).collect() })
}

/// The numbers of a shape, each after its name.
fn shape_in_words(shape: &Value) -> String {
    let number = |(name, value): (&String, &Value)| format!("{name} {}", value.to_string().trim_matches('"'));
    let all: Vec<String> =
        shape.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()).map(number).collect();
    all.join(", ")
}

/// The files in a folder that `evaluate --json` printed, by their names.
fn evaluations_in(folder: &Path) -> Vec<(PathBuf, Value)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let read = |path: PathBuf| Some((path.clone(), read_json::<Value>(&path).ok().filter(is_evaluation)?));
    files.into_iter().filter_map(read).collect()
}

fn is_evaluation(all: &Value) -> bool {
    all["measures"].is_array() && all["model"].is_object() && all["seconds"].is_number()
}

fn read_evaluations(place: &Path, name: &str) -> Result<Vec<EvaluationRun>, ReportError> {
    if !place.is_file() {
        let stem = |path: &Path| path.file_stem().map_or_else(String::new, |stem| stem.display().to_string());
        let named = |(path, all): &(PathBuf, Value)| evaluation(&format!("{name}/{}", stem(path)), all);
        return Ok(evaluations_in(place).iter().map(named).collect());
    }
    let all: Value = read_json(place)?;
    match is_evaluation(&all) {
        true => Ok(vec![evaluation(name.strip_suffix(".json").unwrap_or(name), &all)]),
        false => Err(damaged(place, "a file is what `allotrope evaluate --json` prints; every other run is a folder")),
    }
}

fn evaluation(name: &str, all: &Value) -> EvaluationRun {
    let model: Option<Identity> = serde_json::from_value(all["model"].clone()).ok();
    let line = |row: &Value| {
        let end = |place: usize| row["interval"].get(place).and_then(Value::as_f64);
        let interval = end(0).zip(end(1)).map(|(low, high)| Interval { low, high });
        let n = row["n"].as_u64().unwrap_or_default() as usize;
        Line {
            measure: row["measure"].as_str().unwrap_or_default().to_owned(),
            value: row["value"].as_f64(),
            interval,
            n,
        }
    };
    let asked = all["asked"].as_u64().unwrap_or_default() as usize;
    let place = model.as_ref().map(|model| format!("{}:{}", model.kind, model.place)).unwrap_or_default();
    let data = all["data"].as_str().unwrap_or_default();
    let origin = Origin {
        name: name.to_owned(),
        models: model.map(|model| ("model".to_owned(), model)).into_iter().collect(),
        inputs: Some(asked),
        noise: serde_json::from_value(all["noise"].clone()).ok().into_iter().collect(),
        seeds: all["extent"]["seed"].as_u64().into_iter().collect(),
        command: format!("allotrope evaluate --model {} --data {} --json", quoted(&place), quoted(data)),
        ..Origin::default()
    };
    EvaluationRun {
        origin,
        task: all["task"].as_str().unwrap_or_default().to_owned(),
        measures: all["measures"].as_array().map(Vec::as_slice).unwrap_or_default().iter().map(line).collect(),
        asked,
        seconds: all["seconds"].as_f64().unwrap_or_default(),
        bytes: all["bytes"].as_u64(),
    }
}

fn read_retraining(folder: &Path, name: &str) -> Result<RetrainingRun, ReportError> {
    let plan: RetrainPlan = read_json(&folder.join("plan.json"))?;
    let tables = folder.join("tables.json");
    let tables = if tables.is_file() { read_json(&tables)? } else { Vec::new() };
    let names = std::iter::once(ORIGINAL.to_owned()).chain(plan.arms.iter().map(|arm| arm.name.clone()));
    let (mut models, mut first) = (Vec::new(), None);
    for model in names {
        let scores = folder.join("scores").join(format!("{model}.json"));
        let scores: Option<Scores> = scores.is_file().then(|| read_json(&scores)).transpose()?;
        let mut attacks = Vec::new();
        for attack in &plan.attack.attacks {
            let place = folder.join("attacks").join(&model).join(attack);
            if place.join("run.sqlite").is_file() {
                let store: Store<Plan> = Store::open(&place)?;
                if first.is_none() {
                    first = Some((store.about()?, store.program()?, store.inputs()?.len()));
                }
                attacks.push((attack.clone(), store.records()?));
            }
        }
        models.push(Retrained { name: model, scores, attacks });
    }
    let mut origin = Origin {
        name: name.to_owned(),
        seeds: vec![plan.attack.seed, plan.training.seed],
        command: format!("allotrope run plan.toml -o {}", quoted(name)),
        plan: Some(("plan.toml", toml::to_string(&plan).unwrap_or_default())),
        ..Origin::default()
    };
    if let Some((about, program, inputs)) = first {
        origin.models = about.models.into_iter().map(|model| ("model".to_owned(), model)).collect();
        (origin.data, origin.program, origin.inputs) = (Some(about.data), Some(program), Some(inputs));
    }
    Ok(RetrainingRun { origin, plan, models, tables })
}

fn read_json<Found: DeserializeOwned>(path: &Path) -> Result<Found, ReportError> {
    let text = std::fs::read_to_string(path).map_err(|error| damaged(path, error))?;
    serde_json::from_str(&text).map_err(|error| damaged(path, error))
}

fn damaged(path: &Path, error: impl std::fmt::Display) -> ReportError {
    ReportError::Damaged { path: path.to_owned(), problem: error.to_string() }
}

impl From<&Run> for Origin {
    fn from(run: &Run) -> Origin {
        let About { plan, models, data, shard } = &run.about;
        let part = match shard {
            (_, 1) => String::new(),
            (part, parts) => format!(" --shard {part}/{parts}"),
        };
        Origin {
            name: run.name.clone(),
            models: models.iter().map(|model| ("model".to_owned(), model.clone())).collect(),
            data: Some(data.clone()),
            inputs: Some(run.targets.len()),
            noise: run.noise.into_iter().collect(),
            program: run.program.clone(),
            seeds: vec![plan.seed],
            command: format!("allotrope run plan.toml{part} -o {}", quoted(&run.name)),
            plan: Some(("plan.toml", toml::to_string(plan).unwrap_or_default())),
        }
    }
}

impl From<StoreError> for ReportError {
    fn from(error: StoreError) -> ReportError {
        match error {
            StoreError::NoRun { path } => ReportError::NoRun { path },
            other => ReportError::Run(other),
        }
    }
}
