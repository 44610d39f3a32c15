//! `allotrope gate`: are runs as robust as they have to be?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::baseline::{Aspect, BaselineError};
use campaign::complete_file;
use measure::{Bootstrap, Cell, Table};
use report::gate::{GateError, GatePlan, Reading};
use serde_json::json;

use super::OUTPUT;
use crate::failure::Failure;
use crate::say::{note, say, say_json};

const BASELINE: &str = "Baseline";

/// The options of `allotrope gate`.
#[derive(clap::Args)]
#[command(after_help = "\
A threshold is MEASURE OPERATOR NUMBER; the gate fails where it is true. Measures are written as tables have them, with - for blanks
and punctuation, and success-rate for the rate of valid successes. An attack, treatment, student or run before it chooses:
beam/success-rate. After it .low and .high mean the ends of its interval, and .n the number of inputs.

Exit status: 0 all checks hold, 1 one is broken, 2 the command line is wrong, 3 a run is missing or not finished.

Examples:
  allotrope gate run --fail-if 'success-rate > 20 %'
  allotrope gate run --fail-if 'beam/success-rate.low > 0.2' --fail-if 'robust-accuracy.high < 0.6'
  allotrope gate run --baseline last-release --junit gate.xml --sarif gate.sarif
  allotrope gate run --plan gate.toml --markdown gate.md
  allotrope gate run --list")]
pub struct Arguments {
    /// Runs: folders of attack, grid, evolve, fidelity or retrain, JSON that a command printed with --json, or predictions of evaluate.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Fail where this is true, such as 'success-rate > 0.2'. Repeatable.
    #[arg(long, value_name = "THRESHOLD")]
    fail_if: Vec<String>,
    /// Thresholds and the other options as a TOML file; options of the command line come on top.
    #[arg(long, value_name = "GATE.toml")]
    plan: Option<PathBuf>,
    /// Fail where a run is worse than this one on the same inputs, beyond noise.
    #[arg(long, value_name = "RUN", help_heading = BASELINE)]
    baseline: Option<PathBuf>,
    /// What of attacks is compared: robust-accuracy, over all targets, or success-rate, over those that both attacked.
    #[arg(long, value_name = "MEASURE", help_heading = BASELINE)]
    by: Option<Aspect>,
    /// How likely a run that is no worse may fail by chance; by default 0.05.
    #[arg(long, value_name = "P", help_heading = BASELINE)]
    alpha: Option<f64>,
    /// Compare runs about different inputs, as wholes; this notices less.
    #[arg(long, help_heading = BASELINE)]
    unpaired: bool,
    /// Only these attacks, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attack: Vec<String>,
    /// Do not fail because of a measure that is undefined everywhere, such as the queries of successes where there are none.
    #[arg(long)]
    allow_undefined: bool,
    /// Judge runs that are not finished.
    #[arg(long)]
    allow_unfinished: bool,
    /// List all measures of the runs, and check nothing.
    #[arg(long)]
    list: bool,
    /// The seed of the intervals.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the checks to this file as JUnit XML.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    junit: Option<PathBuf>,
    /// Write what is broken and every adversarial example to this file as SARIF 2.1.0.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    sarif: Option<PathBuf>,
    /// Write a summary to this file in Markdown.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    markdown: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

impl Arguments {
    fn gate(&self) -> Result<GatePlan, Failure> {
        let mut plan = self.plan.as_deref().map(GatePlan::read).transpose().map_err(failure)?.unwrap_or_default();
        plan.fail_if.extend(self.fail_if.iter().cloned());
        plan.baseline = self.baseline.clone().or(plan.baseline);
        plan.by = self.by.unwrap_or(plan.by);
        plan.alpha = self.alpha.or(plan.alpha);
        plan.unpaired |= self.unpaired;
        plan.attacks.extend(self.attack.iter().cloned());
        plan.allow_undefined |= self.allow_undefined;
        plan.allow_unfinished |= self.allow_unfinished;
        Ok(plan)
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let plan = arguments.gate()?;
    let bootstrap = Bootstrap { seed: arguments.seed, ..Bootstrap::default() };
    if arguments.list {
        let (readings, notes) = plan.readings(&arguments.runs, &bootstrap).map_err(failure)?;
        list(&readings, arguments.json);
        notes.iter().for_each(|said| note(said));
        return Ok(ExitCode::SUCCESS);
    }
    let mut gate = plan.judge(&arguments.runs, &bootstrap).map_err(failure)?;
    if let Some(path) = &arguments.sarif {
        let (text, mut notes) = gate.to_sarif(&plan).map_err(failure)?;
        write(path, &text)?;
        gate.notes.append(&mut notes);
    }
    if let Some(path) = &arguments.junit {
        write(path, &gate.to_junit())?;
    }
    if let Some(path) = &arguments.markdown {
        write(path, &gate.to_markdown())?;
    }
    match arguments.json {
        true => say_json(&json!({"broken": gate.is_broken(), "checks": gate.checks, "notes": gate.notes})),
        false => {
            say(&gate.to_table().to_text());
            for check in &gate.checks {
                if check.compared.is_some() || check.state != report::gate::State::Holds {
                    say(&format!("\n{}\n", check.says));
                }
            }
            gate.notes.iter().for_each(|said| note(said));
            let (broken, all) = (gate.broken().count(), gate.checks.len());
            say(&match broken {
                0 => format!("\nthe gate is open: {all} of {all} checks hold\n"),
                _ => format!("\nthe gate is closed: {broken} of {all} checks are broken\n"),
            });
        }
    }
    Ok(ExitCode::from(u8::from(gate.is_broken())))
}

fn list(readings: &[Reading], is_json: bool) {
    if is_json {
        return say_json(&json!(readings));
    }
    let mut table = Table::new(["of", "measure", "value", "interval", "n"]);
    for reading in readings {
        let n = reading.n.map_or(Cell::Number(None), Cell::from);
        table.push([
            reading.place.join("/").into(),
            reading.measure.as_str().into(),
            reading.value.into(),
            reading.interval.into(),
            n,
        ]);
    }
    say(&table.to_text());
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    complete_file::write(path, text.as_bytes())
        .map_err(|error| Failure::missing(format!("failed to write {}: {error}", path.display())))
}

fn failure(error: GateError) -> Failure {
    match error {
        GateError::Threshold { .. } | GateError::Nothing | GateError::Usage(_) => Failure::usage(error),
        GateError::Baseline(BaselineError::Store(_) | BaselineError::Data(_)) => Failure::missing(error),
        GateError::Baseline(_) => Failure::usage(error),
        _ => Failure::missing(error),
    }
}
