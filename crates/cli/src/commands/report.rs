//! `allotrope report`: what runs say, as one page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::Bootstrap;
use report::{Contents, Numbers, ReportError, Run, page_of};

use crate::failure::Failure;
use crate::say::{say, say_json};

/// The options of `allotrope report`.
#[derive(clap::Args)]
#[command(after_help = "\
A run is a folder that attack, grid, evolve, fidelity, mutants -o, train, distil or retrain has written, a file that evaluate --json printed,
or a folder of such files; what it is, is found by what is in it, and runs of several kinds may stand on one page.

The page is one file without anything outside of it: it opens from disk, asks the network for nothing, and shows code from data
sets as text only. It has the headline of each run, its pictures and tables with intervals, how to cite and repeat it, and for attacks
the adversarial examples beside their originals, to be filtered and searched. Every table can be saved as CSV, LaTeX and Markdown, and
every picture as SVG; --export writes all of them into a folder.

The same runs give the same bytes. A run that is still going on may be reported as well; the page says what is not done yet.

Examples:
  allotrope report devign-full -o report.html
  allotrope report before after --attack beam,mhm --examples all -o both.html
  allotrope report grid fidelity -o paper.html --export figures
  allotrope report teacher.json student.json -o sizes.html
  allotrope report devign-full --json | jq '.attacks[].measures'")]
pub struct Arguments {
    /// The folders of the runs, and files of evaluations.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file to write; its folder must be there.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["json", "export"])]
    output: Option<PathBuf>,
    /// Write every table as CSV, LaTeX and Markdown, and every picture as SVG, into this folder.
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    /// Only these attacks, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attack: Vec<String>,
    /// How many examples of each attack, those with the fewest changed tokens first; or `all`.
    #[arg(long, value_name = "N", default_value = "200", value_parser = examples)]
    examples: Examples,
    /// The seed of the intervals.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the numbers of attacks as one JSON object; without -o there is no page then.
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
    let bootstrap = Bootstrap { seed: arguments.seed, ..Bootstrap::default() };
    let Contents { mut runs, others } = Contents::read(&arguments.runs, &bootstrap).map_err(failure)?;
    if arguments.json && runs.is_empty() {
        return Err(Failure::usage(
            "--json prints the numbers of attacks, and there are none: each of the other commands prints its own with --json",
        ));
    }
    Run::keep_attacks(&mut runs, &arguments.attack).map_err(failure)?;
    let numbers = Numbers::of(&runs, bootstrap);
    let mut said = String::new();
    if arguments.output.is_some() || arguments.export.is_some() {
        let page = page_of(&runs, &others, &numbers, arguments.examples.0);
        if let Some(output) = &arguments.output {
            page.write(output).map_err(failure)?;
            let left_out = match page.left_out {
                0 => String::new(),
                number => format!(", {number} more with --examples all"),
            };
            let megabytes = page.html.len() as f64 / 1e6;
            let shown = match (runs.is_empty(), page.examples) {
                (true, _) => String::new(),
                (false, 1) => "1 example".to_owned(),
                (false, shown) => format!("{shown} examples"),
            };
            let comma = if runs.is_empty() { "" } else { ", " };
            said.push_str(&format!("{}: {shown}{left_out}{comma}{megabytes:.1} MB\n", output.display()));
        }
        if let Some(folder) = &arguments.export {
            let files = page.export(folder).map_err(failure)?;
            said.push_str(&format!("{}: {files} files\n", folder.display()));
        }
    }
    match arguments.json {
        true => say_json(&numbers.to_json()),
        false => say(&said),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes all that a run of any kind says, with every example.
pub fn write_all_of(run: &Path, output: &Path) -> Result<(), Failure> {
    let bootstrap = Bootstrap::default();
    let Contents { runs, others } = Contents::read(&[run.to_owned()], &bootstrap).map_err(failure)?;
    let numbers = Numbers::of(&runs, bootstrap);
    page_of(&runs, &others, &numbers, None).write(output).map_err(failure)
}

fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::NoRecords | ReportError::NoAttack { .. } => Failure::usage(error),
        _ => Failure::missing(error),
    }
}
