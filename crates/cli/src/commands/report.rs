//! `allotrope report`: what runs say, as one page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::Bootstrap;
use report::{Numbers, ReportError, Run, page};

use crate::failure::Failure;
use crate::say::{say, say_json};

/// The options of `allotrope report`.
#[derive(clap::Args)]
#[command(after_help = "\
The page is one file without anything outside of it: it opens from disk, asks the network for nothing, and shows code from data
sets as text only. It has the headline of each run, pictures (attack success rate, queries to success, confidence drop), a row
for each attack with intervals, what was skipped and why, how often each transformation is in the recipes of successes, each
attack against each other, and the adversarial examples beside their originals, to be filtered and searched.

The same runs give the same bytes. A run that is still going on may be reported as well; the page says what is not done yet.

Examples:
  allotrope report devign-full -o report.html
  allotrope report before after --attack beam,mhm --examples all -o both.html
  allotrope report devign-full --json | jq '.attacks[].measures'")]
pub struct Arguments {
    /// The folders of the runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file to write; its folder must be there.
    #[arg(short, long, value_name = "FILE", required_unless_present = "json")]
    output: Option<PathBuf>,
    /// Only these attacks, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attack: Vec<String>,
    /// How many examples of each attack, those with the fewest changed tokens first; or `all`.
    #[arg(long, value_name = "N", default_value = "200", value_parser = examples)]
    examples: Examples,
    /// The seed of the intervals.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the numbers as one JSON object; without -o there is no page then.
    #[arg(long)]
    json: bool,
}

/// How many examples of an attack are shown.
#[derive(Clone, Copy)]
struct Examples(Option<usize>);

fn examples(text: &str) -> Result<Examples, String> {
    match text {
        "all" => Ok(Examples(None)),
        number => number.parse().map(|number| Examples(Some(number))).map_err(|_| "use a number, or all".to_owned()),
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut runs = Run::read_all(&arguments.runs).map_err(failure)?;
    Run::keep_attacks(&mut runs, &arguments.attack).map_err(failure)?;
    let numbers = Numbers::of(&runs, Bootstrap { seed: arguments.seed, ..Bootstrap::default() });
    let mut said = None;
    if let Some(output) = &arguments.output {
        let page = page(&runs, &numbers, arguments.examples.0);
        page.write(output).map_err(failure)?;
        let left_out = match page.left_out {
            0 => String::new(),
            number => format!(", {number} more with --examples all"),
        };
        let megabytes = page.html.len() as f64 / 1e6;
        let examples = if page.examples == 1 { "example" } else { "examples" };
        let (place, shown) = (output.display(), page.examples);
        said = Some(format!("{place}: {shown} {examples}{left_out}, {megabytes:.1} MB\n"));
    }
    match arguments.json {
        true => say_json(&numbers.to_json()),
        false => say(&said.unwrap_or_default()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes all that a run says, with every example.
pub fn write_all_of(run: &Path, output: &Path) -> Result<(), Failure> {
    let runs = Run::read_all(&[run.to_owned()]).map_err(failure)?;
    let numbers = Numbers::of(&runs, Bootstrap::default());
    page(&runs, &numbers, None).write(output).map_err(failure)
}

fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::NoRecords | ReportError::NoAttack { .. } => Failure::usage(error),
        _ => Failure::missing(error),
    }
}
