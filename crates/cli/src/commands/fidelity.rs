//! `allotrope fidelity`: does a student still behave like its teacher?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::Examples;
use campaign::fidelity::{
    self, Comparison, Fidelity, FidelityPlan, Gap, accuracy_table, calibration_table, divergence_table, gap_table,
    groups, quality_table, relation_table,
};
use campaign::run::RunPlan;
use campaign::work::WorkError;
use measure::Table;
use serde_json::{Value, json};

use super::attack::{PaceOptions, Rules};
use super::{ATTACK, MODEL_AND_DATA, OUTPUT, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// How many inputs are shown on which a student is farthest from its teacher.
pub const WORST: usize = 5;

/// The options of `allotrope fidelity`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Teacher, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", required_unless_present = "groups", help_heading = MODEL_AND_DATA)]
    teacher: Option<String>,
    /// Student, as KIND:WHERE. Repeatable.
    #[arg(long, value_name = "MODEL", required_unless_present = "groups", help_heading = MODEL_AND_DATA)]
    student: Vec<String>,
    /// Inputs: a file or a folder.
    #[arg(long, value_name = "DATA", required_unless_present = "groups", help_heading = MODEL_AND_DATA)]
    data: Option<PathBuf>,
    /// Several teachers, each with its students and its inputs: a TOML file, see the guide. Prints the tables of MetaCompress.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["teacher", "student", "data", "attack"], help_heading = MODEL_AND_DATA)]
    groups: Option<PathBuf>,
    #[command(flatten)]
    options: dataset::Options,
    /// Attacks on teacher and students, separated by commas, to compare their robustness.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = ATTACK)]
    attack: Vec<String>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    pace: PaceOptions,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
    /// Show the N inputs on which each student is farthest from its teacher.
    #[arg(long, value_name = "N", default_value_t = WORST, help_heading = OUTPUT)]
    worst: usize,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json", help_heading = OUTPUT)]
    markdown: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.groups {
        return follow_groups(path, arguments);
    }
    let (Some(teacher), Some(data)) = (&arguments.teacher, &arguments.data) else {
        return Err(Failure::usage("name a teacher with --teacher and inputs with --data, or a file with --groups"));
    };
    let data = arguments.options.plan(data.clone());
    let is_attacked = !arguments.attack.is_empty();
    let plan = FidelityPlan {
        teacher: teacher.clone(),
        students: arguments.student.clone(),
        attack: is_attacked.then(|| arguments.rules.plan(teacher, &arguments.attack, data.clone())),
        data,
    };
    follow(&plan, &arguments.output, &arguments.pace, arguments.worst, arguments.markdown)
}

/// Several teachers with their students.
fn follow_groups(path: &Path, arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { pace, output, markdown, .. } = arguments;
    pace.threads.set()?;
    if pace.dry_run || pace.shard != (1, 1) {
        return Err(Failure::usage("fidelity has no --dry-run and no --shard: use `allotrope attack` for them"));
    }
    let plan = groups::read_plan(path).map_err(WorkError::from)?;
    let found = groups::run(&plan, output, &pace.pace(), &Screen::new())?;
    if pace.json {
        let tables: Value =
            found.tables().iter().map(|(name, _, table)| ((*name).to_owned(), table.to_json())).collect();
        let figures: Value =
            found.figures().iter().map(|(name, table)| ((*name).to_owned(), table.to_json())).collect();
        say_json(&json!({"tables": tables, "figures": figures}));
        return Ok(ExitCode::SUCCESS);
    }
    for (_, title, table) in found.tables() {
        let text = if *markdown { table.to_markdown() } else { table.to_text() };
        say(&format!("{title}\n\n{text}\n"));
    }
    let place = output.display();
    say(&format!("the tables are in {place}/tables, and what figures 1, 2, 5, 6 and 7 show is in {place}/figures\n"));
    Ok(ExitCode::SUCCESS)
}

/// Does what a plan says.
pub fn follow(
    plan: &FidelityPlan,
    output: &Path,
    options: &PaceOptions,
    worst: usize,
    is_markdown: bool,
) -> Result<ExitCode, Failure> {
    options.threads.set()?;
    if options.dry_run || options.shard != (1, 1) {
        return Err(Failure::usage("fidelity has no --dry-run and no --shard: use `allotrope attack` for them"));
    }
    let found = fidelity::run(plan, output, &options.pace(), &Screen::new())?;
    match options.json {
        true => say_json(&to_json(plan, &found, worst)),
        false => say_tables(plan, &found, worst, is_markdown),
    }
    Ok(ExitCode::SUCCESS)
}

fn say_tables(plan: &FidelityPlan, found: &Fidelity, worst: usize, is_markdown: bool) {
    let Fidelity { examples, noise, comparisons, gaps, answers } = found;
    let shown = |table: &Table| if is_markdown { table.to_markdown() } else { table.to_text() };
    for (title, name) in plan.titles().iter().zip(plan.models()) {
        say(&format!("{title:<10} {name}\n"));
    }
    say(&format!("data       {}, {}, {} inputs\n", examples.path.display(), examples.task, examples.items.len()));
    for (title, noise) in plan.titles().iter().zip(noise) {
        say(&format!("noise      {title}: {noise}\n"));
    }
    say("\naccuracy\n\n");
    say(&shown(&accuracy_table(comparisons)));
    say("\nviolations of MR1 (same label), MR2 (KL(teacher || student) at most 0.5) and MR3 (confidence kept)\n\n");
    say(&shown(&relation_table(comparisons)));
    say("\nMR4: mean difference of accuracies over B bins of the teacher's confidence\n\n");
    say(&shown(&calibration_table(comparisons)));
    say("\ndivergence per input, in nats\n\n");
    say(&shown(&divergence_table(comparisons)));
    if !gaps.is_empty() {
        say("\nrobustness gap: success rate of valid adversarial examples (ASR)\n\n");
        say(&shown(&gap_table(gaps)));
        say(
            "\nquality of the adversarial examples: identifier change rate, token change rate, edit distance per name, cosine of embeddings\n\n",
        );
        say(&shown(&quality_table(gaps)));
        for gap in gaps {
            let p = |value: Option<f64>| value.map_or("undefined".to_owned(), |p| format!("{p:.3}"));
            say(&format!(
                "\n{}: p of the quality over attacks (Friedman) is {} for the teacher and {} for the student; p of the quality, \
                 teacher against student (Wilcoxon), is {}\n",
                gap.student,
                p(gap.quality_of_attacks[0]),
                p(gap.quality_of_attacks[1]),
                p(gap.gap.as_ref().and_then(|gap| gap.quality_of_models)),
            ));
        }
    }
    for one in comparisons.iter().filter(|_| worst > 0) {
        say(&format!("\nwhere {} is farthest from its teacher\n\n", one.student));
        let header = ["input", "truth", "teacher", "student", "KL(teacher || student)", "KL(student || teacher)"];
        let mut table = Table::new(header);
        for input in one.worst(worst) {
            let (teacher, student) = input.labels();
            let said = |label: usize, shares: &[f64]| format!("{} ({:.3})", label_of(examples, label), shares[label]);
            table.push([
                examples.items[input.number].id.as_str().into(),
                truth_of(examples, input.number).into(),
                said(teacher, &input.teacher).into(),
                said(student, &input.student).into(),
                input.from_teacher.into(),
                input.from_student.into(),
            ]);
        }
        say(&shown(&table));
    }
    say(&format!("\nevery input is in {}, tables answers and divergences\n", answers.display()));
}

fn label_of(examples: &Examples, label: usize) -> String {
    examples.labels.get(label).cloned().unwrap_or_else(|| label.to_string())
}

fn truth_of(examples: &Examples, number: usize) -> String {
    campaign::fidelity::truths(examples)[number].map_or("–".to_owned(), |class| label_of(examples, class))
}

fn to_json(plan: &FidelityPlan, found: &Fidelity, worst: usize) -> Value {
    let Fidelity { examples, noise, comparisons, gaps, .. } = found;
    let one = |comparison: &Comparison| {
        let mut object = comparison.to_json();
        let input = |input: &&campaign::fidelity::Compared| {
            json!({"id": examples.items[input.number].id, "truth": truth_of(examples, input.number),
                "teacher": input.teacher, "student": input.student,
                "KL(teacher || student)": finite(input.from_teacher), "KL(student || teacher)": finite(input.from_student)})
        };
        object["worst"] = comparison.worst(worst).iter().map(input).collect();
        object
    };
    json!({
        "teacher": plan.teacher, "students": plan.students, "data": examples.path, "inputs": examples.items.len(), "noise": noise,
        "comparisons": comparisons.iter().map(one).collect::<Vec<_>>(),
        "robustness": gaps.iter().map(Gap::to_json).collect::<Vec<_>>(),
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
