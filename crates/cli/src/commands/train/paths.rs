//! `allotrope train --kind code2vec` and `--kind code2seq`.

use std::process::ExitCode;
use std::time::Duration;

use campaign::train::paths::{NamesModel, NamesPlan, estimate_paths, run_paths};
use training::train::Length;
use training::train::paths::NewPathModel;
use training::train::sequences::NewSequenceModel;

use super::encoder::{device, say_estimate, set};
use super::trained::say_folder;
use super::{Arguments, Kind};
use crate::failure::Failure;
use crate::screen::Screen;

const PATHS: &str = "Models of names";

/// The options of path models. None has a default of its own, so that those of other kinds can be told from them.
#[derive(clap::Args)]
#[command(next_help_heading = PATHS)]
pub struct PathOptions {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536),
        help = format!("Width of the embedding of a word, a path or a node, and of the state of a path [default: {}]", new().width))]
    width: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536),
        help = format!("Width of the vector of a method, or of code2seq's contexts and decoder [default: {}; code2seq: {}]",
            new().vector, sequence().vector))]
    vector: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of words of leaves; the most frequent are kept [default: {}]", new().words))]
    max_words: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of paths of code2vec; the most frequent are kept [default: {}]", new().paths))]
    max_paths: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of kinds of nodes of code2seq; the most frequent are kept [default: {}]", sequence().nodes))]
    max_nodes: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of names, or of code2seq's words of names; the most frequent are kept [default: {}; code2seq: {}]",
            new().names, sequence().targets))]
    max_names: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000),
        help = format!("Maximum number of contexts per method; if there are more, a sample is drawn [default: {}]", new().contexts))]
    max_contexts: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000),
        help = format!("Maximum number of contexts per method that code2seq learns from in an epoch; a new sample is drawn for each [default: {}]",
            sequence().sampled))]
    sampled_contexts: Option<u64>,
}

fn new() -> NewPathModel {
    NewPathModel::default()
}

fn sequence() -> NewSequenceModel {
    NewSequenceModel::default()
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let plan = plan(arguments)?;
    let screen = Screen::patient();
    if arguments.encoder.as_ref().is_some_and(|own| own.dry_run) {
        let estimate = estimate_paths(&plan, &screen)?;
        drop(screen);
        say_estimate(&estimate, "contexts", arguments.json);
        return Ok(ExitCode::SUCCESS);
    }
    let trained = run_paths(&plan, &arguments.output, &screen)?;
    drop(screen);
    Ok(say_folder(&trained, arguments.json))
}

fn plan(arguments: &Arguments) -> Result<NamesPlan, Failure> {
    let [data] = &arguments.data[..] else {
        return Err(Failure::usage("a model of names learns from one data set: name --data once"));
    };
    let mut plan = NamesPlan::new(arguments.options.plan(data.clone()), model(arguments)?);
    plan.settings.seed = arguments.options.seed();
    set(&mut plan.held_out, arguments.held_out);
    set(&mut plan.settings.length, arguments.epochs.map(Length::Epochs));
    if let Some(own) = &arguments.encoder {
        if own.is_about_encoders() {
            let problem = "layers, heads, positions and vocabularies are options of encoders: use --kind encoder";
            return Err(Failure::usage(problem));
        }
        plan.validation = own.validation.as_ref().map(|path| arguments.options.plan(path.clone()));
        plan.stop_after = own.stop_after.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        plan.device = device(own);
        own.change(&mut plan.settings);
    }
    Ok(plan)
}

/// The model that the options describe.
fn model(arguments: &Arguments) -> Result<NamesModel, Failure> {
    let own = arguments.paths.as_ref();
    let number = |option: fn(&PathOptions) -> Option<u64>| own.and_then(option).map(|number| number as usize);
    if arguments.kind == Kind::Code2seq {
        if number(|own| own.max_paths).is_some() {
            return Err(Failure::usage("code2seq knows nodes and no paths: use --max-nodes"));
        }
        let mut model = sequence();
        set(&mut model.width, number(|own| own.width));
        set(&mut model.vector, number(|own| own.vector));
        set(&mut model.words, number(|own| own.max_words));
        set(&mut model.nodes, number(|own| own.max_nodes));
        set(&mut model.targets, number(|own| own.max_names));
        set(&mut model.contexts, number(|own| own.max_contexts));
        set(&mut model.sampled, number(|own| own.sampled_contexts));
        return Ok(NamesModel::Code2Seq(model));
    }
    if number(|own| own.max_nodes.or(own.sampled_contexts)).is_some() {
        return Err(Failure::usage("--max-nodes and --sampled-contexts are options of --kind code2seq"));
    }
    let mut model = new();
    set(&mut model.width, number(|own| own.width));
    set(&mut model.vector, number(|own| own.vector));
    set(&mut model.words, number(|own| own.max_words));
    set(&mut model.paths, number(|own| own.max_paths));
    set(&mut model.names, number(|own| own.max_names));
    set(&mut model.contexts, number(|own| own.max_contexts));
    Ok(NamesModel::Code2Vec(model))
}
