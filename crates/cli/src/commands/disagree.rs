//! `allotrope disagree`: on which inputs do a student and its teacher differ most?

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::data::write_file;
use campaign::disagree::{self, DisagreePlan, Disagreements, Kind};
use campaign::plan::Validity;
use campaign::train::variants::VariantsPlan;
use campaign::work::WorkError;
use serde_json::json;

use super::{MODEL_AND_DATA, OUTPUT, SEARCH, Threads, dataset};
use crate::diff::diff;
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// The options of `allotrope disagree`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Teacher, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    teacher: String,
    /// Student, as KIND:WHERE.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    student: String,
    /// Inputs: a file or a folder.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    /// Transformations that variants are made with, as for `allotrope transform`.
    #[arg(long, value_name = "LIST", default_value_t = VariantsPlan::default().transform, help_heading = SEARCH)]
    transform: String,
    /// Source of new names; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value_t = VariantsPlan::default().names, help_heading = SEARCH)]
    names: String,
    /// Number of rewrites of a program.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000), default_value_t = 5, help_heading = SEARCH)]
    rewrites: u64,
    /// Number of variants of each input; 0 compares the inputs as they are, which `recorded:` models can answer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000), default_value_t = 10, help_heading = SEARCH)]
    forms: u64,
    /// What a variant has to pass: scope, compile or run. It always has to parse.
    #[arg(long, value_name = "CHECK", default_value_t = Validity::default(), help_heading = SEARCH)]
    validity: Validity,
    #[command(flatten)]
    threads: Threads,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
    /// Show the N inputs on which they are farthest apart.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = OUTPUT)]
    worst: usize,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json", help_heading = OUTPUT)]
    markdown: bool,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// How many lines stand around what differs.
const AROUND: usize = 2;

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let Arguments { options, output, worst, .. } = arguments;
    let plan = DisagreePlan {
        teacher: arguments.teacher.clone(),
        student: arguments.student.clone(),
        data: options.plan(arguments.data.clone()),
        variants: VariantsPlan {
            transform: arguments.transform.clone(),
            names: arguments.names.clone(),
            rewrites: arguments.rewrites as usize,
            ..VariantsPlan::default()
        },
        forms: arguments.forms as usize,
        validity: arguments.validity,
        seed: options.seed(),
    };
    let found = disagree::run(&plan, output, &Screen::new())?;
    let page = output.join("disagreements.md");
    write_file(&page, readable(&plan, &found).as_bytes()).map_err(WorkError::from)?;
    if arguments.json {
        let ranked: Vec<_> = found.ranked().into_iter().take(*worst).collect();
        say_json(&json!({"inputs": found.findings.len(), "counts": found.counts().to_json(), "worst": ranked}));
        return Ok(ExitCode::SUCCESS);
    }
    let (counts, table) = (found.counts(), found.table(*worst));
    let shown = |table: &measure::Table| if arguments.markdown { table.to_markdown() } else { table.to_text() };
    say(&format!("{}\n{}\n", shown(&counts), shown(&table)));
    if let Some(text) = first_diff(&found) {
        say(&format!("{text}\n"));
    }
    say(&format!(
        "all of them, with what differs, are in {}, and as JSON lines in disagreements.jsonl beside it\n",
        page.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// What differs in the first input of the list that a rewrite separates.
fn first_diff(found: &Disagreements) -> Option<String> {
    let ranked = found.ranked();
    let (place, first) = ranked.iter().enumerate().find(|(_, finding)| finding.kind == Kind::Variant)?;
    Some(format!("number {}, {}\n\n{}", place + 1, first.id, diffs(first)))
}

/// What differs in the programs of an input.
fn diffs(finding: &disagree::Finding) -> String {
    let pairs = finding.programs.iter().zip(&finding.rewritten).filter(|(before, after)| before != after);
    pairs.map(|(before, after)| diff(before, after, AROUND, false)).collect::<Vec<_>>().join("\n")
}

/// Everything, for people.
fn readable(plan: &DisagreePlan, found: &Disagreements) -> String {
    let ranked = found.ranked();
    let mut text = format!("# Where {} differs from {}\n\n", plan.student, plan.teacher);
    text.push_str(&format!("{}\n{}", found.counts().to_markdown(), found.table(ranked.len()).to_markdown()));
    for (place, finding) in ranked.iter().enumerate() {
        text.push_str(&format!("\n## {}. {}\n\n", place + 1, finding.id));
        // Longer than any fence in a program.
        match finding.kind {
            Kind::Variant => text.push_str(&format!("``````diff\n{}``````\n", diffs(finding))),
            Kind::Original | Kind::None | Kind::Unanswered => {
                for program in &finding.programs {
                    text.push_str(&format!("``````\n{program}\n``````\n"));
                }
            }
        }
    }
    text
}
