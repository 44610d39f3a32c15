//! `allotrope train --kind code2vec`.

use std::process::ExitCode;
use std::time::Duration;

use campaign::train::paths::{NamesPlan, run_paths};
use training::train::Length;
use training::train::paths::NewPathModel;

use super::Arguments;
use super::encoder::{device, set};
use super::trained::say_folder;
use crate::failure::Failure;
use crate::screen::Screen;

const PATHS: &str = "Models of names";

/// The options of path models. None has a default of its own, so that those of other kinds can be told from them.
#[derive(clap::Args)]
#[command(next_help_heading = PATHS)]
pub struct PathOptions {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536),
        help = format!("Width of the embedding of a word or a path [default: {}]", new().width))]
    width: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536),
        help = format!("Width of the vector of a method [default: {}]", new().vector))]
    vector: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of words of leaves; the most frequent are kept [default: {}]", new().words))]
    max_words: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of paths; the most frequent are kept [default: {}]", new().paths))]
    max_paths: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000),
        help = format!("Maximum number of names; the most frequent are kept [default: {}]", new().names))]
    max_names: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000),
        help = format!("Maximum number of contexts per method; if there are more, a sample is drawn [default: {}]", new().contexts))]
    max_contexts: Option<u64>,
}

fn new() -> NewPathModel {
    NewPathModel::default()
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let plan = plan(arguments)?;
    let screen = Screen::patient();
    let trained = run_paths(&plan, &arguments.output, &screen)?;
    drop(screen);
    Ok(say_folder(&trained, arguments.json))
}

fn plan(arguments: &Arguments) -> Result<NamesPlan, Failure> {
    let [data] = &arguments.data[..] else {
        return Err(Failure::usage("a model of names learns from one data set: name --data once"));
    };
    let mut plan = NamesPlan::new(arguments.options.plan(data.clone()));
    plan.settings.seed = arguments.options.seed();
    set(&mut plan.held_out, arguments.held_out);
    set(&mut plan.settings.length, arguments.epochs.map(Length::Epochs));
    if let Some(own) = &arguments.paths {
        let number = |number: Option<u64>| number.map(|number| number as usize);
        set(&mut plan.model.width, number(own.width));
        set(&mut plan.model.vector, number(own.vector));
        set(&mut plan.model.words, number(own.max_words));
        set(&mut plan.model.paths, number(own.max_paths));
        set(&mut plan.model.names, number(own.max_names));
        set(&mut plan.model.contexts, number(own.max_contexts));
    }
    if let Some(own) = &arguments.encoder {
        if own.is_about_encoders() {
            let problem = "layers, heads, positions and vocabularies are options of encoders: use --kind encoder";
            return Err(Failure::usage(problem));
        }
        if own.dry_run {
            return Err(Failure::usage("--dry-run is there for encoders only, so far"));
        }
        plan.validation = own.validation.as_ref().map(|path| arguments.options.plan(path.clone()));
        plan.stop_after = own.stop_after.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        plan.device = device(own);
        own.change(&mut plan.settings);
    }
    Ok(plan)
}
