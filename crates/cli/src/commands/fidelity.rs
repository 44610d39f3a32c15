//! `allotrope fidelity`: does a student still behave like its teacher?

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use campaign::Examples;
use campaign::compare::{Column, columns};
use campaign::fidelity::{
    Comparison, FidelityPlan, Gap, accuracy_table, ask, calibration_table, comparison, divergence_table, gap,
    gap_table, quality_table, relation_table,
};
use campaign::plan::Plan;
use campaign::run::{About, RunPlan, Store, inputs};
use indicatif::{ProgressBar, ProgressStyle};
use measure::{Bootstrap, Table};
use model::Model;
use serde_json::{Value, json};

use super::attack::{PaceOptions, Rules, check, work};
use super::dataset;
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope fidelity`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The teacher, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL")]
    teacher: String,
    /// A student; may be given several times.
    #[arg(long, value_name = "MODEL", required = true)]
    student: Vec<String>,
    /// The inputs: a file or a folder.
    #[arg(long, value_name = "DATA")]
    data: PathBuf,
    /// Attacks on teacher and students, separated by commas, to compare their robustness.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attack: Vec<String>,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    rules: Rules,
    /// Show the N inputs on which each student is farthest from its teacher.
    #[arg(long, value_name = "N", default_value_t = 5)]
    worst: usize,
    /// The folder of the run. The same command takes a run up again that was stopped.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    pace: PaceOptions,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    super::use_threads(arguments.pace.threads)?;
    let data = arguments.options.plan(arguments.data.clone());
    let is_attacked = !arguments.attack.is_empty();
    let plan = FidelityPlan {
        teacher: arguments.teacher.clone(),
        students: arguments.student.clone(),
        attack: is_attacked.then(|| arguments.rules.plan(&arguments.teacher, &arguments.attack, data.clone())),
        data,
    };
    plan.check().map_err(Failure::usage)?;
    let attack_on = |model: &str| plan.attack.as_ref().map(|attack| Plan { model: model.to_owned(), ..attack.clone() });
    // What cannot be done to the last of the students is said before the first is asked.
    for attack in plan.models().into_iter().filter_map(attack_on) {
        check(&attack)?;
    }
    if arguments.pace.dry_run || arguments.pace.shard != (1, 1) {
        return Err(Failure::usage("fidelity knows no --dry-run and no --shard: try `allotrope attack` with them"));
    }
    let examples = dataset::read(&plan.data)?;
    let models: Vec<Box<dyn Model>> =
        plan.models().into_iter().map(super::open_model).collect::<Result<_, Failure>>()?;
    let opened: Vec<&dyn Model> = models.iter().map(Box::as_ref).collect();
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let output = &arguments.output;
    let about = About::new(plan.clone(), &opened, digest);
    let mut store = Store::begin(output, &about, &rows).map_err(Failure::missing)?;
    let stop = super::stop_flag();
    let bar = bar(examples.items.len() * models.len());
    for (place, model) in models.iter().enumerate() {
        ask(&mut store, place, model.as_ref(), &examples, &|count| bar.inc(count as u64), &stop)
            .map_err(Failure::missing)?;
    }
    bar.finish_and_clear();
    let stopped = || {
        eprintln!("stopped; the same command goes on");
        Ok(ExitCode::from(130))
    };
    if stop.load(Ordering::Relaxed) {
        return stopped();
    }
    let bootstrap = Bootstrap { seed: plan.data.seed, ..Bootstrap::default() };
    let mut comparisons = Vec::new();
    for student in 1..models.len() {
        let found = comparison(&store, &plan, student, &examples, &bootstrap).map_err(Failure::missing)?;
        let found = found.map_err(|problem| without_answers(&store, student, &problem.to_string()))?;
        store.keep_divergences(student, &found.inputs).map_err(Failure::missing)?;
        comparisons.push(found);
    }
    let mut gaps = Vec::new();
    if plan.attack.is_some() {
        let mut all: Vec<Vec<Column>> = Vec::new();
        for (place, model) in models.iter().enumerate() {
            let Some(of_model) = attack_on(plan.models()[place]) else { continue };
            let folder = plan.attack_folder(output, place);
            if std::io::stderr().is_terminal() {
                eprintln!("attacks on the {}", plan.titles()[place]);
            }
            let worked = work(&of_model, &folder, &arguments.pace, model.as_ref(), &examples, &stop)?;
            if stop.load(Ordering::Relaxed) || worked.is_none() {
                return stopped();
            }
            drop(worked);
            all.push(columns_of(&folder)?);
        }
        for (own, title) in all.into_iter().zip(plan.titles()).skip(1) {
            let of_teacher = columns_of(&plan.attack_folder(output, 0))?;
            gaps.push(gap(&title, of_teacher, own, &bootstrap));
        }
    }
    match arguments.pace.json {
        true => say(&format!("{}\n", to_json(&plan, &examples, &comparisons, &gaps, arguments.worst))),
        false => say_tables(&plan, &examples, &comparisons, &gaps, arguments, &store),
    }
    Ok(ExitCode::SUCCESS)
}

/// Where models do not answer at all, that is what is wrong.
fn without_answers(store: &Store<FidelityPlan>, student: usize, problem: &str) -> Failure {
    for place in [0, student] {
        let rows = store.answers(place).unwrap_or_default();
        if let Some(fault) = rows.first().and_then(|row| row.fault.clone())
            && rows.iter().all(|row| row.fault.is_some())
        {
            return Failure::model(format!("a model answered none of {} inputs: {fault}", rows.len()));
        }
    }
    Failure::usage(problem)
}

fn columns_of(folder: &std::path::Path) -> Result<Vec<Column>, Failure> {
    let store = Store::open(folder).map_err(Failure::missing)?;
    let inputs = store.inputs().map_err(Failure::missing)?;
    Ok(columns(None, &inputs, store.records().map_err(Failure::missing)?))
}

fn say_tables(
    plan: &FidelityPlan,
    examples: &Examples,
    comparisons: &[Comparison],
    gaps: &[Gap],
    arguments: &Arguments,
    store: &Store<FidelityPlan>,
) {
    let shown = |table: &Table| if arguments.markdown { table.to_markdown() } else { table.to_text() };
    for (title, name) in plan.titles().iter().zip(plan.models()) {
        say(&format!("{title:<10} {name}\n"));
    }
    say(&format!("data       {}, {}, {} inputs\n", examples.path.display(), examples.task, examples.items.len()));
    say("\naccuracy\n\n");
    say(&shown(&accuracy_table(comparisons)));
    say("\nviolations of MR1 (other label), MR2 (KL(teacher || student) above 0.5) and MR3 (confidence not kept)\n\n");
    say(&shown(&relation_table(comparisons)));
    say("\nMR4: mean distance of accuracies over B bins of the teacher's confidence\n\n");
    say(&shown(&calibration_table(comparisons)));
    say("\ndivergence of an input, in nats\n\n");
    say(&shown(&divergence_table(comparisons)));
    if !gaps.is_empty() {
        say("\nrobustness gap: rate of valid successes (ASR)\n\n");
        say(&shown(&gap_table(gaps)));
        say(
            "\nquality of the examples: identifier change rate, token change rate, edit distance of a name, cosine of embeddings\n\n",
        );
        say(&shown(&quality_table(gaps)));
        for gap in gaps {
            let p = |value: Option<f64>| value.map_or("undefined".to_owned(), |p| format!("{p:.3}"));
            say(&format!(
                "\n{}: Friedman's p of quality over attacks is {} for the teacher and {} for the student; Wilcoxon's p of quality, \
                 teacher against student, is {}\n",
                gap.student,
                p(gap.quality_of_attacks[0]),
                p(gap.quality_of_attacks[1]),
                p(gap.gap.as_ref().and_then(|gap| gap.quality_of_models)),
            ));
        }
    }
    for one in comparisons.iter().filter(|_| arguments.worst > 0) {
        say(&format!("\nwhere {} is farthest from its teacher\n\n", one.student));
        let header = ["input", "truth", "teacher", "student", "KL(teacher || student)", "KL(student || teacher)"];
        let mut table = Table::new(header);
        for input in one.worst(arguments.worst) {
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
    say(&format!("\nevery input is in {}, tables answers and divergences\n", store.file().display()));
}

fn label_of(examples: &Examples, label: usize) -> String {
    examples.labels.get(label).cloned().unwrap_or_else(|| label.to_string())
}

fn truth_of(examples: &Examples, number: usize) -> String {
    campaign::fidelity::truths(examples)[number].map_or("–".to_owned(), |class| label_of(examples, class))
}

fn to_json(plan: &FidelityPlan, examples: &Examples, comparisons: &[Comparison], gaps: &[Gap], worst: usize) -> Value {
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
    let gap = |gap: &Gap| {
        let attack = |attack: &campaign::fidelity::GapOfAttack| {
            json!({"attack": attack.attack, "success rates": attack.rates, "attacked": attack.attacked,
                "quality": attack.quality, "both attacked": attack.duel.as_ref().map(|duel| duel.n),
                "p": attack.duel.as_ref().and_then(|duel| duel.p)})
        };
        json!({"student": gap.student, "attacks": gap.attacks.iter().map(attack).collect::<Vec<_>>(),
            "gap": gap.gap, "quality of attacks": gap.quality_of_attacks})
    };
    json!({
        "teacher": plan.teacher, "students": plan.students, "data": examples.path, "inputs": examples.items.len(),
        "comparisons": comparisons.iter().map(one).collect::<Vec<_>>(),
        "robustness": gaps.iter().map(gap).collect::<Vec<_>>(),
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn bar(questions: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("asking teacher and students {bar:30} {pos}/{len}, {eta} left");
    ProgressBar::new(questions as u64).with_style(style.expect("the template is written here"))
}
