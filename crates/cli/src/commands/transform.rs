//! `allotrope transform`: rewrites files, folders and data sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::transform::names::{read_substitutes, reference_names};
use campaign::transform::{Job, Summary, replay, run as run_job};
use campaign::vary::{Order, Scope};
use serde_json::json;
use syntax::Language;
use transformation::names::{Names, NamesMaterial};
use transformation::recipe::select;
use transformation::{Recipe, Selection};

use super::{OUTPUT, RUN, Threads};
use crate::failure::Failure;
use crate::lampion::{self, Lampion};
use crate::say::{note, say, say_json};
use crate::screen::Screen;
use crate::table::table;

const REWRITES: &str = "Rewrites";
const DATA: &str = "Data";

/// The options of `allotrope transform`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, folders (their tree is mirrored, and their files are one project) or data sets (jsonl, jsonl.gz, csv, tsv, parquet).
    inputs: Vec<PathBuf>,
    /// Read each file of a folder on its own, as a whole program; names that other files use may change.
    #[arg(long, help_heading = DATA)]
    alone: bool,
    /// Transformations, rules (`expand-compound:add`), groups and classes, separated by commas; a dash excludes one.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, help_heading = REWRITES)]
    transform: Option<String>,
    /// Number of rewrites, one after the other.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = REWRITES)]
    order: Option<u32>,
    /// Where they go: each-file (or each), each-function, per-file, per-function, global.
    #[arg(long, value_parser = scope, help_heading = REWRITES)]
    scope: Option<Scope>,
    /// Source of new names; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", help_heading = REWRITES)]
    names: Option<String>,
    /// Programs or word lists that the source `reference` takes names from.
    #[arg(long, value_name = "FILE", help_heading = REWRITES)]
    reference: Vec<PathBuf>,
    /// Substitutes for each name, for the source `substitutes`: JSON lines such as {"idx": 3, "substitutes": {"n": ["count"]}}.
    #[arg(long, value_name = "FILE", help_heading = REWRITES)]
    substitutes: Option<PathBuf>,
    /// Seed of all randomness: the same seed gives the same bytes.
    #[arg(long, value_name = "N", help_heading = REWRITES)]
    seed: Option<u64>,
    /// Number of variants of each input.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000),
        help_heading = REWRITES)]
    variants: u32,
    /// Configuration file of Lampion; options on the command line take precedence.
    #[arg(long, value_name = "FILE", help_heading = REWRITES)]
    lampion: Option<PathBuf>,
    /// Rewrite only the files of a folder that match, such as `src/**/*.c`, and copy the others; repeatable.
    #[arg(long, value_name = "GLOB", help_heading = DATA)]
    include: Vec<String>,
    /// Copy the files of a folder that match, such as `tests` or `*.min.js`; repeatable.
    #[arg(long, value_name = "GLOB", help_heading = DATA)]
    exclude: Vec<String>,
    /// Language of inputs that do not say: java, c, cpp, python, javascript; with cpp, headers `.h` are C++.
    #[arg(long, value_parser = super::language, help_heading = DATA)]
    language: Option<Language>,
    /// Fields of a data set that hold programs; by default func, code, code1 and code2, original_string or prompt.
    #[arg(long, value_name = "FIELD", value_delimiter = ',', help_heading = DATA)]
    column: Vec<String>,
    #[command(flatten)]
    threads: Threads,
    /// Repeat the steps of a manifest and write the same bytes.
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["inputs", "transform", "order", "scope", "lampion"],
        help_heading = RUN)]
    replay: Option<PathBuf>,
    /// File or folder to write.
    #[arg(short, long, help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// Write into a folder that is not empty.
    #[arg(long, help_heading = OUTPUT)]
    force: bool,
    /// Manifest to write; by default beside the output.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    manifest: Option<PathBuf>,
    /// Leave out inputs that do not change.
    #[arg(long, help_heading = OUTPUT)]
    only_changed: bool,
    /// Print the summary as one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Print neither progress nor the summary.
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

fn scope(name: &str) -> Result<Scope, String> {
    let name = if name == "each" { "each-file" } else { name };
    let known: Vec<&str> = Scope::NAMES.iter().map(|(name, _)| *name).collect();
    let found = Scope::NAMES.iter().find(|(known, _)| *known == name);
    found.map(|(_, scope)| *scope).ok_or_else(|| format!("use one of {}, each", known.join(", ")))
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(manifest) = &arguments.replay {
        let done = replay(manifest, arguments.output.as_deref())?;
        match (arguments.quiet, arguments.json) {
            (true, _) => (),
            (false, true) => say_json(&json!({ "replayed": done })),
            (false, false) => say(&format!("{done} outputs replayed\n")),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let job = job(arguments)?;
    arguments.threads.set()?;
    let summary = run_job(&job, &if arguments.quiet { Screen::plain() } else { Screen::new() })?;
    if arguments.json {
        say_json(&as_json(&summary, &job));
    } else if !arguments.quiet {
        say(&as_text(&summary, &job));
    }
    Ok(if summary.is_interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

/// Puts the job together from the command line and Lampion's configuration.
fn job(arguments: &Arguments) -> Result<Job, Failure> {
    let lampion = match &arguments.lampion {
        None => Lampion::default(),
        Some(path) => {
            let text = syntax::file::read_text(path)
                .map_err(|error| Failure::missing(format!("failed to read {}: {error}", path.display())))?;
            lampion::read(&text)
        }
    };
    for warning in &lampion.warnings {
        note(&format!("warning: {warning}"));
    }
    let inputs = match (&arguments.inputs[..], &lampion.input) {
        ([], None) => return Err(Failure::usage("there is no input: name files, folders or data sets")),
        ([], Some(input)) => vec![PathBuf::from(input)],
        (inputs, _) => inputs.to_vec(),
    };
    let output = match (&arguments.output, &lampion.output) {
        (Some(output), _) => output.clone(),
        (None, Some(output)) => PathBuf::from(output),
        (None, None) => return Err(Failure::usage("there is no output: name a file or a folder with -o")),
    };
    let manifest = arguments.manifest.clone().unwrap_or_else(|| beside(&output));
    let names = names(arguments)?;
    let selections = selections(arguments, &lampion, &names)?;
    let finish = match lampion.removes_comments {
        true => Some(Recipe { selections: select("remove-comment", &names).map_err(Failure::usage)? }),
        false => None,
    };
    let order = Order {
        recipe: Recipe { selections },
        finish,
        count: arguments.order.map(|order| order as usize).or(lampion.order).unwrap_or(1),
        scope: arguments.scope.or(lampion.scope).unwrap_or(Scope::EachFile),
        variants: arguments.variants as usize,
        seed: arguments.seed.or(lampion.seed).unwrap_or(0),
    };
    Ok(Job {
        is_alone: arguments.alone,
        include: arguments.include.clone(),
        exclude: arguments.exclude.clone(),
        is_forced: arguments.force,
        language: arguments.language,
        columns: arguments.column.clone(),
        only_changed: arguments.only_changed,
        substitutes: arguments.substitutes.as_deref().map(read_substitutes).transpose()?.unwrap_or_default(),
        manifest: Some(manifest),
        ..Job::new(inputs, output, order)
    })
}

/// The manifest's place beside the output: `out/` has `out.manifest.jsonl`.
fn beside(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".manifest.jsonl");
    output.with_file_name(name)
}

fn selections(arguments: &Arguments, lampion: &Lampion, names: &Names) -> Result<Vec<Selection>, Failure> {
    if let Some(list) = &arguments.transform {
        return select(list, names).map_err(Failure::usage);
    }
    if arguments.lampion.is_none() {
        return select("all", names).map_err(Failure::usage);
    }
    let mut selections = Vec::new();
    for (transformation, source) in &lampion.transformations {
        let source = match &arguments.names {
            Some(_) => names.clone(),
            None => Names::new(source, NamesMaterial::default()).map_err(Failure::usage)?,
        };
        selections.extend(select(transformation, &source).map_err(Failure::usage)?);
    }
    if selections.is_empty() && !lampion.removes_comments {
        return Err(Failure::usage("the configuration enables no transformer, and there is no --transform"));
    }
    Ok(selections)
}

fn names(arguments: &Arguments) -> Result<Names, Failure> {
    let by_default = match (arguments.reference.is_empty(), &arguments.substitutes) {
        (_, Some(_)) => "substitutes",
        (false, None) => "reference",
        (true, None) => "pseudo",
    };
    let source = arguments.names.as_deref().unwrap_or(by_default);
    if source == "reference" && arguments.reference.is_empty() {
        return Err(Failure::usage("the source `reference` needs programs or word lists: name them with --reference"));
    }
    if source == "substitutes" && arguments.substitutes.is_none() {
        return Err(Failure::usage("the source `substitutes` needs a file: name it with --substitutes"));
    }
    let reference = reference_names(&arguments.reference)?;
    Names::new(source, NamesMaterial { reference, ..NamesMaterial::default() }).map_err(Failure::usage)
}

fn as_json(summary: &Summary, job: &Job) -> serde_json::Value {
    let tallies: BTreeMap<&str, serde_json::Value> = summary
        .tallies
        .iter()
        .map(|(name, tally)| {
            let tally = json!({
                "sites": tally.sites, "applied": tally.applied, "refused": tally.refused, "without_site": tally.inapplicable,
            });
            (*name, tally)
        })
        .collect();
    json!({
        "inputs": summary.inputs,
        "changed": summary.changed,
        "unchanged": summary.unchanged,
        "passed_through": summary.passed_through,
        "warnings": summary.warnings,
        "copied": summary.copied,
        "rewrites": summary.steps,
        "shared_names": summary.shared,
        "unreached": summary.unreached,
        "variants_short_of_the_order": summary.short,
        "transformations": tallies,
        "interrupted": summary.is_interrupted,
        "output": job.output,
        "manifest": job.manifest,
    })
}

fn as_text(summary: &Summary, job: &Job) -> String {
    let mut text = String::new();
    const SHOWN: usize = 10;
    for warning in summary.warnings.iter().take(SHOWN) {
        text.push_str(&format!("passed on: {warning}\n"));
    }
    if summary.warnings.len() > SHOWN {
        text.push_str(&format!("passed on: {} more, see the manifest\n", summary.warnings.len() - SHOWN));
    }
    let rows: Vec<Vec<String>> = summary
        .tallies
        .iter()
        .filter(|(_, tally)| tally.sites > 0)
        .map(|(name, tally)| {
            let numbers = [tally.sites, tally.applied, tally.refused, tally.inapplicable];
            std::iter::once((*name).to_owned()).chain(numbers.map(|number| number.to_string())).collect()
        })
        .collect();
    if !rows.is_empty() {
        text.push_str(&table(&["transformation", "sites", "applied", "refused", "no site"], &rows, &[1, 2, 3, 4]));
        text.push('\n');
    }
    let idle = summary.tallies.len() - rows.len();
    if idle > 0 {
        text.push_str(&format!("{idle} more transformations were drawn and had no site\n\n"));
    }
    text.push_str(&format!("inputs       {}\n", summary.inputs));
    text.push_str(&format!("changed      {}\n", summary.changed));
    for (reason, count) in &summary.unchanged {
        text.push_str(&format!("unchanged    {count} ({reason})\n"));
    }
    for (reason, count) in &summary.passed_through {
        text.push_str(&format!("passed on    {count} ({reason})\n"));
    }
    if summary.copied > 0 {
        text.push_str(&format!("copied       {} (no programs)\n", summary.copied));
    }
    text.push_str(&format!("rewrites     {}\n", summary.steps));
    if summary.shared > 0 {
        text.push_str(&format!(
            "shared       {} of them renamed a function in all files that have it\n",
            summary.shared
        ));
    }
    if summary.unreached > 0 {
        let (unreached, short) = (summary.unreached, summary.short);
        text.push_str(&format!("not reached  {unreached} rewrites in {short} variants: no site was left\n"));
    }
    text.push_str(&format!("output       {}\n", job.output.display()));
    if let Some(manifest) = &job.manifest {
        text.push_str(&format!("manifest     {}\n", manifest.display()));
    }
    if summary.is_interrupted {
        text.push_str("stopped early: what is there is complete, and the manifest lists it\n");
    }
    text
}
