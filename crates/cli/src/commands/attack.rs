//! `allotrope attack` and `allotrope run`: campaigns of attacks.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use campaign::attack::{Campaign, Pace, Progress, targets};
use campaign::compare::{columns, table};
use campaign::mutants;
use campaign::plan::{DataPlan, Plan, PlanError, Planned, read};
use campaign::run::{About, Record, Store, inputs};
use campaign::{Example, Examples, Truth};
use equivalence::sandbox::Sandbox;
use equivalence::{Judge, Options};
use indicatif::{ProgressBar, ProgressStyle};
use measure::Bootstrap;
use model::{Input, Model};
use search::{Cache, Encoder, Gathering, Material, Outcome};
use serde_json::{Value, json};

use super::mutants::MutantOptions;
use super::{ExperimentOptions, dataset, evolve, grid};
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope attack`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// The targets: a file or a folder.
    #[arg(long, value_name = "DATA")]
    data: PathBuf,
    /// The attacks, separated by commas; see `allotrope list attacks`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true)]
    attack: Vec<String>,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    rules: Rules,
    /// The folder of the run. The same command takes a run up again that was stopped.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
    #[command(flatten)]
    pace: PaceOptions,
}

/// What attacks may do and what they know.
#[derive(clap::Args)]
pub struct Rules {
    /// The training set: some attacks learn from it, and names come from it.
    #[arg(long, value_name = "DATA")]
    train: Option<PathBuf>,
    /// Which file or folder of the training set's folder, such as train.
    #[arg(long, value_name = "NAME", requires = "train")]
    train_split: Option<String>,
    /// How many questions may be asked about a target.
    #[arg(long, value_name = "Q", default_value_t = 500)]
    budget: usize,
    /// How many seconds may be spent on a target; results then depend on the machine.
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// The transformations that may be used, as for `allotrope transform`.
    #[arg(long, value_name = "LIST", default_value = "all")]
    transform: String,
    /// Where the names of new things come from; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value = "pseudo")]
    names: String,
    /// Which programs of a pair may be changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value = "both")]
    parts: String,
    /// Change so many names at the most.
    #[arg(long, value_name = "N")]
    most_names: Option<usize>,
    /// Change so many tokens at the most.
    #[arg(long, value_name = "N")]
    most_tokens: Option<usize>,
    /// Spend the whole budget, even behind the first success.
    #[arg(long)]
    go_on: bool,
    /// Make successes as small as possible: undoing any single rewrite undoes the flip.
    #[arg(long)]
    shrink: bool,
    /// What a flip has to pass before it is a success: scope, compile or run. It always has to parse.
    #[arg(long, value_name = "CHECK", default_value = "scope")]
    validity: String,
    /// A masked language model that proposes names, as KIND:WHERE.
    #[arg(long, value_name = "MODEL")]
    masked: Option<String>,
    /// A model whose embeddings say which programs are alike, or `builtin`; that of the model itself by default.
    #[arg(long, value_name = "MODEL")]
    embedder: Option<String>,
    /// About how many inputs of the training set, of each class, the model is asked.
    #[arg(long, value_name = "N", default_value_t = 500)]
    references: usize,
    /// A parameter of an attack, such as beam.width=4; see `allotrope explain ATTACK`. May be given several times.
    #[arg(long, value_name = "ATTACK.NAME=VALUE", value_parser = parameter)]
    set: Vec<(String, String, String)>,
    #[command(flatten)]
    mutants: MutantOptions,
}

/// The options of `allotrope run`.
#[derive(clap::Args)]
pub struct PlanArguments {
    /// The plan, a TOML file; every run has one in its folder.
    plan: PathBuf,
    /// The folder of the run. The same command takes a run up again that was stopped.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
    #[command(flatten)]
    pace: PaceOptions,
}

/// How the work is done; nothing of this changes what is found.
#[derive(clap::Args)]
pub struct PaceOptions {
    /// How many targets are attacked at the same time; by default eight for each core.
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// How many threads compute; by default one a core.
    #[arg(long, value_name = "T")]
    pub threads: Option<usize>,
    /// How many questions the model is asked at once, at the most.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// Keep the model's answers in this file, for this run and others.
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Only part I of N of the targets, to be put together with `allotrope merge`.
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    pub shard: (usize, usize),
    /// Say what would be done and what it would cost, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// What a million tokens given to the model cost, for the dry run.
    #[arg(long, value_name = "PRICE")]
    price: Option<f64>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Say nothing about what is found: whoever asked for the run tells it.
    #[arg(skip)]
    is_quiet: bool,
}

impl PaceOptions {
    /// For a run that another command is about.
    pub fn quiet() -> PaceOptions {
        PaceOptions {
            jobs: None,
            threads: None,
            batch: 64,
            cache: None,
            shard: (1, 1),
            dry_run: false,
            price: None,
            json: false,
            is_quiet: true,
        }
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
            most_names: self.most_names,
            most_tokens: self.most_tokens,
            go_on: self.go_on,
            shrink: self.shrink,
            validity: self.validity.clone(),
            masked: self.masked.clone(),
            embedder: self.embedder.clone(),
            references: self.references,
            mutants: attacks.iter().any(is_guided).then(|| self.mutants.plan()),
            data,
            train,
            parameters,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.options.plan(arguments.data.clone());
    let plan = arguments.rules.plan(&arguments.model, &arguments.attack, data);
    follow(plan, &arguments.output, &arguments.pace)
}

pub fn run_plan(arguments: &PlanArguments) -> Result<ExitCode, Failure> {
    let (path, pace) = (&arguments.plan, &arguments.pace);
    let wrong = |error: PlanError| match error {
        PlanError::Unreadable { .. } => Failure::missing(error),
        PlanError::NoPlan { .. } | PlanError::Unfit(_) => Failure::usage(error),
    };
    let planned = Planned::of(path).map_err(wrong)?;
    if planned != Planned::Attack && (pace.shard != (1, 1) || pace.jobs.is_some() || pace.price.is_some()) {
        return Err(Failure::usage("--shard, --jobs and --price are for attacks: this plan is for another command"));
    }
    let options = ExperimentOptions {
        threads: pace.threads,
        batch: pace.batch,
        cache: pace.cache.clone(),
        dry_run: pace.dry_run,
        json: pace.json,
        markdown: false,
    };
    match planned {
        Planned::Attack => follow(Plan::read(path).map_err(wrong)?, &arguments.output, pace),
        Planned::Evolve => evolve::follow(&read(path).map_err(wrong)?, &arguments.output, &options),
        Planned::Grid => grid::follow(read(path).map_err(wrong)?, false, &arguments.output, &options),
    }
}

/// Does what a plan says, or what is left of it.
pub fn follow(plan: Plan, output: &Path, options: &PaceOptions) -> Result<ExitCode, Failure> {
    super::use_threads(options.threads)?;
    check(&plan)?;
    let examples = dataset::read(&plan.data)?;
    if let Some(first) = examples.broken.first.first() {
        eprintln!("{} of {} rows cannot be used; the first: {first}", examples.broken.rows, examples.rows);
    }
    let model = super::open_model(&plan.model)?;
    let stop = super::stop_flag();
    let Some(worked) = work(&plan, output, options, model.as_ref(), &examples, &stop)? else {
        return Ok(if stop.load(Ordering::Relaxed) { ExitCode::from(130) } else { ExitCode::SUCCESS });
    };
    let Worked { store, progress, left } = worked;
    report(&plan, &store, output, options, &progress, left)?;
    match stop.load(Ordering::Relaxed) {
        true => {
            eprintln!("stopped: {} of {left} are left; the same command goes on", left - progress.done);
            Ok(ExitCode::from(130))
        }
        false => Ok(ExitCode::SUCCESS),
    }
}

/// Refuses a plan that cannot be followed, before anything is read.
pub fn check(plan: &Plan) -> Result<(), Failure> {
    for attack in plan.attacks().map_err(Failure::usage)? {
        plan.settings(attack, &[]).map_err(Failure::usage)?;
    }
    Ok(())
}

/// A campaign that is done, as far as it was not stopped.
pub struct Worked {
    /// The records.
    pub store: Store<Plan>,
    /// What was done now.
    pub progress: Progress,
    /// How much was left to do before.
    pub left: usize,
}

/// Does what is left of a campaign. `None` when it was only estimated, or stopped before it began.
pub fn work(
    plan: &Plan,
    output: &Path,
    options: &PaceOptions,
    model: &dyn Model,
    examples: &Examples,
    stop: &AtomicBool,
) -> Result<Option<Worked>, Failure> {
    let attacks = plan.attacks().map_err(Failure::usage)?;
    let training = plan.train.as_ref().map(dataset::read).transpose()?;
    let all = targets(examples);
    if all.is_empty() {
        let task = examples.task.name();
        return Err(Failure::usage(format!("there is nothing to attack: the task {task} has no classes or names")));
    }
    let (rows, digest) = inputs(examples, all.iter().map(|(number, _)| *number));
    let about = About { shard: options.shard, ..About::new(plan.clone(), &[model], digest) };
    // The store comes before the long work, so that a wrong plan or folder costs nothing.
    let store = match options.dry_run {
        true => None,
        false => Some(Store::begin(output, &about, &rows).map_err(Failure::missing)?),
    };
    let cache = options.cache.as_deref().map(Cache::open).transpose().map_err(Failure::missing)?;
    let (part, parts) = options.shard;
    let mut settings = Vec::new();
    for attack in attacks {
        settings.push((attack, plan.settings(attack, &[]).map_err(Failure::usage)?));
    }
    let sandbox = match plan.validity.as_str() {
        "scope" => Sandbox::none(),
        _ => Sandbox::new().map_err(Failure::missing)?,
    };
    let judge = Judge::new(sandbox, Options::default());
    let nothing = Material::default();
    let mut campaign = Campaign {
        model,
        attacks: settings,
        material: &nothing,
        judge: &judge,
        targets: all.into_iter().filter(|(number, _)| number % parts == part - 1).collect(),
    };
    let left = match &store {
        Some(store) => campaign.left(&store.done().map_err(Failure::missing)?),
        None => Vec::new(),
    };
    // What is done needs no material, which may take long to gather.
    let gathered = match left.is_empty() && store.is_some() {
        true => Some(Material::default()),
        false => gather(plan, examples, training.as_ref(), model, options, cache.as_ref(), stop)?,
    };
    let Some(material) = gathered else { return Ok(None) };
    for (attack, settings) in &mut campaign.attacks {
        *settings = plan.settings(attack, &material.vocabulary).map_err(Failure::usage)?;
    }
    campaign.material = &material;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pace = Pace {
        jobs: options.jobs.map_or(8 * cores, |jobs| jobs as usize),
        batch: options.batch as usize,
        cache: cache.as_ref(),
        stop,
    };
    let Some(mut store) = store else {
        estimate(plan, &campaign, &pace, options)?;
        return Ok(None);
    };
    let bar = bar(left.len());
    let start = Instant::now();
    let mut show = |progress: &Progress| {
        bar.set_position(progress.done as u64);
        let traffic = progress.traffic;
        let speed = traffic.asked as f64 / start.elapsed().as_secs_f64().max(1e-9);
        let all = (traffic.asked + traffic.remembered).max(1) as f64;
        let remembered = 100.0 * traffic.remembered as f64 / all;
        bar.set_message(format!("{} successes, {speed:.0} queries/s, {remembered:.0} % cached", progress.successes));
    };
    let progress = campaign.run(&mut store, &left, &pace, &mut show).map_err(Failure::missing)?;
    bar.finish_and_clear();
    Ok(Some(Worked { store, progress, left: left.len() }))
}

/// What the attacks know beside the target: from the training set, or the names of the targets where there is none. `None` when
/// it was stopped.
fn gather(
    plan: &Plan,
    examples: &Examples,
    training: Option<&Examples>,
    model: &dyn Model,
    options: &PaceOptions,
    cache: Option<&Cache>,
    stop: &AtomicBool,
) -> Result<Option<Material>, Failure> {
    let mut material = match training {
        None => {
            let codes = examples.programs.iter().map(|program| &program.code);
            Material { vocabulary: Material::vocabulary_of(codes), ..Material::default() }
        }
        Some(train) => {
            let class = |example: &Example| match example.truth {
                Truth::Class(class) => Some((train.input(example), class)),
                Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
            };
            let training: Vec<(Input, usize)> = train.items.iter().filter_map(class).collect();
            let encoder = match &plan.embedder {
                Some(name) if name == "builtin" => Encoder::BuiltIn,
                Some(name) => Encoder::Another(Arc::from(super::open_model(name)?)),
                None => Encoder::Victim,
            };
            let batch = options.batch as usize;
            // Only attacks that cannot do without a training set look at the references.
            let attacks = plan.attacks().map_err(Failure::usage)?;
            let wants_references = attacks.iter().any(|attack| attack.needs_training_set);
            let most = if wants_references { plan.references } else { 0 };
            let how = Gathering { encoder, most, seed: plan.seed, batch, cache };
            let (material, gathered) = Material::gather(model, &training, &how);
            if wants_references && !options.is_quiet {
                eprintln!(
                    "{} of {} questions about the training set were answered rightly, {} without an answer{}",
                    material.references.len(),
                    material.references.len() + gathered.wrong + gathered.faults,
                    gathered.faults,
                    if gathered.fell_back {
                        "; the model has no encoder, so programs are compared by their tokens"
                    } else {
                        ""
                    },
                );
            }
            material
        }
    };
    material.masked = plan.masked.as_deref().map(super::open_model).transpose()?;
    if let Some(mutants) = &plan.mutants {
        let mutations = mutants.mutations(&plan.model).map_err(Failure::usage)?;
        let bar = mutant_bar(mutations.len());
        // Accuracies are those on the training set, where there is one: the test set is not to choose mutants.
        let scored = training.unwrap_or(examples);
        let inc = |count: usize| bar.inc(count as u64);
        let opened = mutants::open(mutants, &mutations, &plan.model, model, scored, &inc, stop);
        bar.finish_and_clear();
        let Some(opened) = opened.map_err(Failure::missing)? else { return Ok(None) };
        eprintln!("{} of {} mutants are near enough to the model", opened.kept.len(), mutations.len());
        if opened.kept.is_empty() {
            let message = "no mutant is near enough to the model: lower --ratio, --sigma or --least-accuracy";
            return Err(Failure::usage(message));
        }
        material.mutants = opened.kept;
    }
    Ok(Some(material))
}

fn mutant_bar(mutants: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("making mutants {bar:20} {pos}/{len}, {eta} left");
    ProgressBar::new(mutants as u64).with_style(style.expect("the template is written here"))
}

fn report(
    plan: &Plan,
    store: &Store<Plan>,
    output: &Path,
    options: &PaceOptions,
    progress: &Progress,
    left: usize,
) -> Result<(), Failure> {
    let records = store.records().map_err(Failure::missing)?;
    let faults: Vec<&Record> = records.iter().filter(|record| record.outcome == Outcome::Fault).collect();
    if !records.is_empty() && faults.len() == records.len() {
        let reason = faults[0].reason.clone().unwrap_or_default();
        return Err(Failure::model(format!("the model answered about none of {} targets: {reason}", records.len())));
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for record in &faults {
        *reasons.entry(record.reason.as_deref().unwrap_or("no answer")).or_default() += 1;
    }
    if options.is_quiet {
        return Ok(());
    }
    let warnings: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} targets: {reason}")).collect();
    let columns = columns(None, &store.inputs().map_err(Failure::missing)?, records.clone());
    let bootstrap = Bootstrap { seed: plan.seed, ..Bootstrap::default() };
    let traffic = progress.traffic;
    if options.json {
        let attacks: Vec<Value> = columns
            .iter()
            .map(|column| {
                json!({"attack": column.name, "measures": column.summary(&bootstrap), "outcomes": column.outcomes()})
            })
            .collect();
        say(&format!(
            "{}\n",
            json!({"run": output, "records": records.len(), "done now": progress.done, "asked": traffic.asked,
                "remembered": traffic.remembered, "model seconds": traffic.seconds, "attacks": attacks,
                "no answer": warnings})
        ));
        return Ok(());
    }
    if !columns.is_empty() {
        say(&table(&columns, &bootstrap).to_text());
    }
    say(&format!(
        "\n{} of {left} attacks were done now, with {} questions in {} batches, {} answered from the cache; the run is in {}\n",
        progress.done,
        traffic.asked,
        traffic.batches,
        traffic.remembered,
        output.display()
    ));
    for warning in warnings {
        eprintln!("no answer about {warning}; the same command asks again");
    }
    Ok(())
}

/// Says what a campaign would cost. Models that this program runs itself are tried on a few targets; others are not asked.
fn estimate(plan: &Plan, campaign: &Campaign<'_>, pace: &Pace<'_>, options: &PaceOptions) -> Result<(), Failure> {
    const PILOT: usize = 4;
    let count = campaign.targets.len();
    let identity = campaign.model.identity();
    let is_free = !identity.is_outside();
    let characters: usize = campaign
        .targets
        .iter()
        .map(|(_, target)| target.input.programs().iter().map(|code| code.text.len()).sum::<usize>())
        .sum();
    let tokens_each = characters as f64 / count.max(1) as f64 / 4.0;
    let mut lines = Vec::new();
    for (place, (attack, settings)) in campaign.attacks.iter().enumerate() {
        let most = count * settings.budget;
        let step = (count / PILOT).max(1);
        let some: Vec<(usize, usize)> = (0..count).step_by(step).take(PILOT).map(|target| (place, target)).collect();
        let mut queries = 0;
        let mut seconds = None;
        if is_free {
            let start = Instant::now();
            let mut keep = |records: &[Record]| -> Result<(), std::convert::Infallible> {
                queries += records.iter().map(|record| record.queries).sum::<usize>();
                Ok(())
            };
            let Ok(_) = campaign.run_into(&mut keep, &some, pace, &mut |_| ());
            seconds = Some(start.elapsed().as_secs_f64() * count as f64 / some.len().max(1) as f64);
        }
        let expected = is_free.then(|| queries as f64 * count as f64 / some.len().max(1) as f64);
        let cost = options.price.map(|price| expected.unwrap_or(most as f64) * tokens_each * price / 1e6);
        lines.push(json!({"attack": attack.name, "targets": count, "queries at most": most,
            "queries expected": expected.map(f64::round), "seconds expected": seconds.map(f64::round),
            "cost at most": options.price.map(|price| most as f64 * tokens_each * price / 1e6), "cost expected": cost}));
    }
    if options.json {
        say(&format!("{}\n", json!({"model": identity, "data": plan.data, "attacks": lines})));
        return Ok(());
    }
    let mut table = measure::Table::new([
        "attack",
        "targets",
        "queries at most",
        "queries expected",
        "seconds expected",
        "cost at most",
        "cost expected",
    ]);
    for line in &lines {
        let number = |key: &str| measure::Cell::Number(line[key].as_f64());
        table.push([
            line["attack"].as_str().unwrap_or_default().into(),
            count.into(),
            number("queries at most"),
            number("queries expected"),
            number("seconds expected"),
            number("cost at most"),
            number("cost expected"),
        ]);
    }
    say(&table.to_text());
    match is_free {
        true => say(&format!("\nwhat is expected comes from {PILOT} targets that were tried, and nothing was kept\n")),
        false => say("\nthe model is not this program's own, so it was not asked: nothing is known but the most\n"),
    }
    if options.price.is_some() {
        say(&format!("a question is taken to have {tokens_each:.0} tokens, a quarter of its letters\n"));
    }
    Ok(())
}

fn bar(targets: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("attacking {bar:20} {pos}/{len}, {eta} left, {msg}");
    ProgressBar::new(targets as u64).with_style(style.expect("the template is written here"))
}
