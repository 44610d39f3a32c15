//! `allotrope attack` and `allotrope run`: campaigns of attacks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::attack::{self, Attacked, BATCH, Estimate, Progress};
use campaign::compare::{Column, columns, table};
use campaign::plan::{DataPlan, Plan, Planned, Validity, read};
use campaign::repeats;
use campaign::work::Pace;
use measure::{Bootstrap, Table};
use search::{Measure, Outcome};
use serde_json::{Value, json};

use super::mutants::MutantOptions;
use super::{
    ATTACK, ExperimentOptions, MODEL_AND_DATA, OUTPUT, RUN, Threads, dataset, evolve, fidelity, grid, retrain,
};
use crate::failure::Failure;
use crate::say::{note, say, say_json};
use crate::screen::Screen;

/// The options of `allotrope attack`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Model to attack, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    model: String,
    /// Targets: a file or a folder.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    /// Attacks, separated by commas; see `allotrope list attacks`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true, help_heading = ATTACK)]
    attack: Vec<String>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    pace: PaceOptions,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
}

/// What attacks may do and what they know.
#[derive(clap::Args)]
#[command(next_help_heading = ATTACK)]
pub struct Rules {
    /// Training set, which some attacks learn from and names are taken from.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    train: Option<PathBuf>,
    /// File or folder within the training set's folder, such as train.
    #[arg(long, value_name = "NAME", requires = "train", help_heading = MODEL_AND_DATA)]
    train_split: Option<String>,
    /// Maximum number of queries per target.
    #[arg(long, value_name = "N", default_value_t = Plan::default().budget)]
    budget: usize,
    /// Maximum number of seconds per target; results then depend on the machine.
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Transformations that attacks may use, as for `allotrope transform`.
    #[arg(long, value_name = "LIST", default_value_t = Plan::default().transform)]
    transform: String,
    /// Source of new names; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value_t = Plan::default().names)]
    names: String,
    /// Programs of a pair that may be changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value_t = Plan::default().parts)]
    parts: String,
    /// Maximum number of names that are changed.
    #[arg(long, value_name = "N")]
    max_names: Option<usize>,
    /// Maximum number of tokens that are changed.
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Maximum share of the names that are changed, such as 0.2.
    #[arg(long, value_name = "SHARE")]
    most_names: Option<f64>,
    /// Maximum share of the tokens that are changed, such as 0.05.
    #[arg(long, value_name = "SHARE")]
    most_tokens: Option<f64>,
    /// Measure whose fall is a success: f1, mrr, edit-distance (names), bleu, rouge-l, edit-distance (texts) or cosine (vectors); by
    /// default a wrong class or first name is one.
    #[arg(long, value_name = "NAME")]
    measure: Option<Measure>,
    /// A success has a score below X.
    #[arg(long, value_name = "X", requires = "measure", allow_negative_numbers = true)]
    below: Option<f64>,
    /// A success has a score that is lower than the original's by at least X.
    #[arg(long, value_name = "X", requires = "measure")]
    fall: Option<f64>,
    /// Attack inputs as well that are wrong or score too low, so that every program is rewritten; see `allotrope compare --scores`.
    #[arg(long)]
    rewrite_all: bool,
    /// Spend the whole budget, even after the first success.
    #[arg(long)]
    exhaust_budget: bool,
    /// Make adversarial examples minimal: undoing any single rewrite undoes the flip.
    #[arg(long)]
    shrink: bool,
    /// What a flip has to pass to be a success: scope, compile or run. It always has to parse.
    #[arg(long, value_name = "CHECK", default_value_t = Plan::default().validity)]
    validity: Validity,
    /// Masked language model that proposes names, as KIND:WHERE.
    #[arg(long, value_name = "MODEL")]
    masked: Option<String>,
    /// Model whose embeddings say which programs are similar, or `builtin`; by default the model itself.
    #[arg(long, value_name = "MODEL")]
    embedder: Option<String>,
    /// Approximate number of training inputs per class that the model is queried on.
    #[arg(long, value_name = "N", default_value_t = Plan::default().references)]
    references: usize,
    /// Parameter of an attack, such as beam.width=4; see `allotrope explain ATTACK`. Repeatable.
    #[arg(long, value_name = "ATTACK.NAME=VALUE", value_parser = parameter)]
    set: Vec<(String, String, String)>,
    /// Try several values of a parameter, such as coda.references=64,256, and print a row for each. Repeatable; parameters are varied
    /// one at a time.
    #[arg(long, value_name = "ATTACK.NAME=VALUES", value_parser = parameter)]
    sweep: Vec<(String, String, String)>,
    /// Attack N times, with seeds that count up, and print means and standard deviations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeat: usize,
    #[command(flatten)]
    mutants: MutantOptions,
}

/// The options of `allotrope run`.
#[derive(clap::Args)]
pub struct PlanArguments {
    /// Plan, a TOML file; every run has one in its folder.
    plan: PathBuf,
    #[command(flatten)]
    pace: PaceOptions,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
}

/// How the work is done; none of this changes what is found.
#[derive(clap::Args)]
#[command(next_help_heading = RUN)]
pub struct PaceOptions {
    /// Number of targets that are attacked concurrently; by default eight per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    jobs: Option<u64>,
    #[command(flatten)]
    pub threads: Threads,
    /// Maximum number of inputs per batch.
    #[arg(long, value_name = "N", default_value_t = BATCH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// Keep the model's answers in this file, for this run and others.
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Attack only part I of N of the targets; `allotrope merge` joins the parts.
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    pub shard: (usize, usize),
    /// Estimate the work and its cost, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Price of a million input tokens, for the dry run.
    #[arg(long, value_name = "PRICE")]
    price: Option<f64>,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

impl PaceOptions {
    pub fn pace(&self) -> Pace {
        let jobs = self.jobs.map(|jobs| jobs as usize);
        Pace { jobs, batch: Some(self.batch as usize), cache: self.cache.clone() }
    }
}

fn parameter(text: &str) -> Result<(String, String, String), String> {
    let parts = text.split_once('=').and_then(|(name, value)| {
        let (attack, name) = name.split_once('.')?;
        Some((attack.to_owned(), name.to_owned(), value.to_owned()))
    });
    parts.ok_or_else(|| "write ATTACK.NAME=VALUE, such as random-k.rewrites=10".to_owned())
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    parts
        .filter(|(part, parts)| (1..=*parts).contains(part))
        .ok_or_else(|| "write I/N, such as 2/8 for the second of eight parts".to_owned())
}

impl Rules {
    /// The plan of attacks on a model.
    pub fn plan(&self, model: &str, attacks: &[String], data: DataPlan) -> Plan {
        let train = self.train.clone().map(|path| DataPlan {
            path,
            split: self.train_split.clone(),
            sample: None,
            longest: None,
            limit: None,
            substitutes: None,
            ..data.clone()
        });
        let mut parameters: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for (attack, name, value) in &self.set {
            parameters.entry(attack.clone()).or_default().insert(name.clone(), json!(value));
        }
        let mut sweep: BTreeMap<String, BTreeMap<String, Vec<Value>>> = BTreeMap::new();
        for (attack, name, values) in &self.sweep {
            let swept = sweep.entry(attack.clone()).or_default().entry(name.clone()).or_default();
            swept.extend(values.split(',').map(|value| json!(value.trim())));
        }
        let is_guided = |name: &String| search::attacks::find(name).is_some_and(|attack| attack.needs_mutants);
        Plan {
            model: model.to_owned(),
            attacks: attacks.to_vec(),
            seed: data.seed,
            budget: self.budget,
            seconds: self.seconds,
            transform: self.transform.clone(),
            names: self.names.clone(),
            parts: self.parts.clone(),
            max_names: self.max_names,
            max_tokens: self.max_tokens,
            most_names: self.most_names,
            most_tokens: self.most_tokens,
            measure: self.measure,
            below: self.below,
            fall: self.fall,
            rewrite_all: self.rewrite_all,
            exhaust_budget: self.exhaust_budget,
            shrink: self.shrink,
            validity: self.validity,
            masked: self.masked.clone(),
            embedder: self.embedder.clone(),
            references: self.references,
            mutants: attacks.iter().any(is_guided).then(|| self.mutants.plan()),
            data,
            train,
            parameters,
            sweep,
            repeat: self.repeat,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.options.plan(arguments.data.clone());
    let plan = arguments.rules.plan(&arguments.model, &arguments.attack, data);
    follow(&plan, &arguments.output, &arguments.pace)
}

pub fn run_plan(arguments: &PlanArguments) -> Result<ExitCode, Failure> {
    let (path, pace) = (&arguments.plan, &arguments.pace);
    let planned = Planned::of(path)?;
    if planned != Planned::Attack && (pace.shard != (1, 1) || pace.jobs.is_some() || pace.price.is_some()) {
        return Err(Failure::usage(
            "--shard, --jobs and --price are for attacks, and this plan is for another command",
        ));
    }
    let options = ExperimentOptions {
        threads: Threads { threads: pace.threads.threads },
        batch: pace.batch,
        cache: pace.cache.clone(),
        dry_run: pace.dry_run,
        json: pace.json,
        markdown: false,
    };
    match planned {
        Planned::Attack => follow(&read(path)?, &arguments.output, pace),
        Planned::Evolve => evolve::follow(&read(path)?, &arguments.output, &options),
        Planned::Grid => grid::follow(read(path)?, false, &arguments.output, &options),
        Planned::Retrain => retrain::follow(&read(path)?, None, &arguments.output, &options),
        Planned::Fidelity => fidelity::follow(&read(path)?, &arguments.output, pace, fidelity::WORST, false),
    }
}

/// Does what a plan says, or what is left of it.
fn follow(plan: &Plan, output: &Path, options: &PaceOptions) -> Result<ExitCode, Failure> {
    options.threads.set()?;
    if options.dry_run {
        say_estimate(
            &attack::estimate(plan, options.shard, options.price, &options.pace(), &Screen::new())?,
            plan,
            options,
        );
        return Ok(ExitCode::SUCCESS);
    }
    let attacked = attack::run(plan, options.shard, output, &options.pace(), &Screen::new())?;
    say_attacked(&attacked, plan, output, options);
    match attacked.is_interrupted {
        true => {
            let left = attacked.left - attacked.progress.done;
            note(&format!("stopped: {left} of {} attacks are left; the same command resumes the run", attacked.left));
            Ok(ExitCode::from(130))
        }
        false => Ok(ExitCode::SUCCESS),
    }
}

fn say_attacked(attacked: &Attacked, plan: &Plan, output: &Path, options: &PaceOptions) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for record in attacked.records.iter().filter(|record| record.outcome == Outcome::Fault) {
        *reasons.entry(record.reason.as_deref().unwrap_or("no answer")).or_default() += 1;
    }
    let warnings: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} targets: {reason}")).collect();
    let columns = columns(None, attacked.goal, attacked.noise, &attacked.targets, attacked.records.clone());
    let rows = if repeats::is_repeated(plan) { repeats::rows(&attacked.records) } else { Vec::new() };
    let bootstrap = Bootstrap::default();
    let Progress { done, traffic, .. } = attacked.progress;
    if options.json {
        let attack = |column: &Column| json!({"attack": column.name, "measures": column.summary(&bootstrap), "outcomes": column.outcomes()});
        let attacks: Vec<Value> = columns.iter().map(attack).collect();
        let mut object = json!({"run": output, "extent": attacked.extent, "noise": attacked.noise, "records": attacked.records.len(), "done now": done, "asked": traffic.asked,
                "remembered": traffic.remembered, "model seconds": traffic.seconds, "attacks": attacks,
                "no answer": warnings});
        if !rows.is_empty() {
            object["repeats"] = json!(rows);
        }
        if let Some(goal) = attacked.goal {
            object["success"] = json!(goal.to_string());
        }
        say_json(&object);
        return;
    }
    if !rows.is_empty() {
        say(&repeats::table(&rows).to_text());
    } else if !columns.is_empty() {
        say(&table(&columns, &bootstrap).to_text());
    }
    say(&format!(
        "\nexamples: {}\n{}{done} of {} attacks were run now, with {} queries in {} batches, {} answered from the cache; the run is in {}\n",
        attacked.extent,
        attacked.noise.map_or_else(String::new, |noise| format!("noise: {noise}\n")),
        attacked.left,
        traffic.asked,
        traffic.batches,
        traffic.remembered,
        output.display()
    ));
    for warning in warnings {
        note(&format!("no answer about {warning}; the same command queries the model again"));
    }
}

fn say_estimate(estimate: &Estimate, plan: &Plan, options: &PaceOptions) {
    if options.json {
        let object = json!({"model": estimate.model, "data": plan.data, "attacks": estimate.attacks});
        say_json(&object);
        return;
    }
    let mut table = Table::new([
        "attack",
        "targets",
        "queries at most",
        "queries expected",
        "seconds expected",
        "cost at most",
        "cost expected",
    ]);
    for line in &estimate.attacks {
        table.push([
            line.attack.as_str().into(),
            line.targets.into(),
            line.max_queries.into(),
            line.queries.into(),
            line.seconds.into(),
            line.max_cost.into(),
            line.cost.into(),
        ]);
    }
    say(&table.to_text());
    match estimate.tried {
        0 => say("\nthe model does not run in this process, so it was not queried: only the maximum is known\n"),
        tried => say(&format!("\nwhat is expected comes from a trial on {tried} targets, of which nothing was kept\n")),
    }
    if options.price.is_some() {
        say(&format!("a query is taken to have {:.0} tokens, a quarter of its characters\n", estimate.tokens));
    }
}
