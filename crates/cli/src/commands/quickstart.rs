//! `allotrope quickstart`: the whole story in a minute, on what ships in the binary.

mod files;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use campaign::attack::{self, Attacked};
use campaign::data::write_file;
use campaign::evaluate::{evaluate, quality};
use campaign::plan::{DataPlan, Plan, Validity};
use campaign::run::{InputRow, Judgement, Record};
use campaign::train::{self, TrainPlan};
use campaign::work::{Pace, read_examples};
use equivalence::sandbox::Sandbox;
use equivalence::{Answer, Case, Judge, Options};
use measure::Bootstrap;
use model::builtin::problems::{Solution, labels, solutions};
use model::{Input, Prediction};
use search::Outcome;
use serde_json::{Value, json};
use syntax::Language;

use crate::diff::diff;
use crate::failure::Failure;
use crate::say::{note, say, say_coloured};
use crate::screen::{Screen, is_stopped};
use crate::table::table;

/// The options of `allotrope quickstart`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Folder to write everything to.
    #[arg(short, long, value_name = "FOLDER", default_value = "quickstart")]
    output: PathBuf,
    /// Write only the files that the commands of the README and the guide start from: src, test.jsonl, mine.csv, my_model.py, my-checkpoint.
    #[arg(long, conflicts_with_all = ["targets", "color"])]
    files: bool,
    /// Number of programs to attack; fifteen take less than a minute on two cores.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    targets: u64,
    /// Colour the example.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
}

/// When there are colours.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

/// One that draws at random, one that samples names, and one that searches.
const ATTACKS: [&str; 3] = ["random-k", "mhm", "beam"];

/// The maximum number of queries per program.
const BUDGET: usize = 150;

/// The lines of a program that are shown around what differs.
const AROUND: usize = 2;

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let folder = &arguments.output;
    if arguments.files {
        files::write(folder, &Screen::without_notes())?;
        say(&format!("src, test.jsonl, mine.csv, my_model.py and my-checkpoint are in {}\n", folder.display()));
        return Ok(match is_stopped() {
            true => stopped(),
            false => ExitCode::SUCCESS,
        });
    }
    let solutions = solutions();
    let programs = Programs::write(folder, &solutions)?;
    say(&format!(
        "1. The data set: which of {} problems does a program solve? {} programs in {} languages, {} of them held out.\n   \
         It is in {}; the held-out programs come with cases to run them on.\n",
        count_of(solutions.iter().map(|solution| solution.problem)),
        solutions.len(),
        count_of(solutions.iter().map(|solution| solution.language)),
        solutions.iter().filter(|solution| solution.is_held_out).count(),
        folder.join("programs").display(),
    ));

    let Some(model) = train(folder, &programs)? else { return Ok(stopped()) };
    if is_stopped() {
        return Ok(stopped());
    }

    let judged = Judged::find(&solutions);
    let targets = judged.targets(&solutions, arguments.targets as usize);
    programs.write_targets(&targets)?;
    say(&judged.in_words(targets.len()));
    if is_stopped() {
        return Ok(stopped());
    }

    let run = folder.join("run");
    let plan = plan(model, &programs, judged.validity());
    let Attacked { targets, records, is_interrupted, .. } =
        attack::run(&plan, (1, 1), &run, &Pace::default(), &Screen::without_notes())?;
    if is_interrupted {
        return Ok(stopped());
    }
    say(&rates(&records));
    say(&checks(&records));
    let colours = match arguments.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    let labels = labels();
    if let Some(shown) = smallest(&records) {
        say_coloured(&example(shown, &targets, &labels, colours));
    }
    let page = folder.join("report.html");
    super::report::write_all_of(&run, &page)?;
    end(folder, &run, &page, start.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// The last step: where everything is, and what to try next.
fn end(folder: &Path, run: &Path, page: &Path, seconds: f64) {
    let (folder, run, page) = (folder.display(), run.display(), page.display());
    say(&format!(
        "\nDone in {seconds:.0} s. Open {page} in a browser: it has every example beside its original. The run is in {run}.\n\nTry next:\n  \
         allotrope compare {run}\n  \
         allotrope attack --model builtin:{folder}/model.safetensors --data {folder}/programs --split test --train {folder}/programs \
         --train-split train --attack coda,alert,wir-random --validity run --shrink -o {folder}/more\n  \
         allotrope train --kind linear --data YOUR_DATA -o mine.safetensors\n  \
         allotrope attack --model YOUR_MODEL --data YOUR_DATA --attack beam -o mine\n  \
         allotrope list models; allotrope list attacks; allotrope explain beam\n"
    ));
}

fn stopped() -> ExitCode {
    note("stopped; what is there is complete, and the same command resumes");
    ExitCode::from(130)
}

fn count_of<Item: Ord>(items: impl Iterator<Item = Item>) -> usize {
    items.collect::<std::collections::BTreeSet<Item>>().len()
}

/// The data set on disk, where every other command can use it as well.
struct Programs {
    folder: PathBuf,
}

impl Programs {
    fn write(folder: &Path, solutions: &[Solution]) -> Result<Programs, Failure> {
        let programs = Programs { folder: folder.join("programs") };
        for (split, is_held_out) in [("train", false), ("test", true)] {
            let some: Vec<&Solution> =
                solutions.iter().filter(|solution| solution.is_held_out == is_held_out).collect();
            programs.write_split(split, &some)?;
        }
        Ok(programs)
    }

    /// Those that can be attacked here.
    fn write_targets(&self, targets: &[&Solution]) -> Result<(), Failure> {
        self.write_split("targets", targets)
    }

    fn write_split(&self, split: &str, solutions: &[&Solution]) -> Result<(), Failure> {
        let mut rows = String::new();
        for solution in solutions {
            let mut row = json!({
                "id": solution.id(),
                "label": solution.problem,
                "language": solution.language.name(),
                "code": solution.text,
            });
            // What is only learned from is never run.
            if solution.is_held_out {
                row["cases"] = cases(solution);
            }
            rows.push_str(&format!("{row}\n"));
        }
        write_file(&self.split(split), rows.as_bytes()).map_err(Failure::missing)
    }

    fn split(&self, split: &str) -> PathBuf {
        self.folder.join(format!("{split}.jsonl"))
    }

    fn plan(&self, split: &str) -> DataPlan {
        // A few targets do not cover every problem, and the classes must have the same numbers in every split.
        DataPlan { path: self.split(split), labels: labels(), ..DataPlan::default() }
    }
}

fn cases(solution: &Solution) -> Value {
    let file: Value = serde_json::from_str(solution.cases).unwrap_or_default();
    file["cases"].clone()
}

/// Trains the model and says what it knows; `None` when the user stopped it.
fn train(folder: &Path, programs: &Programs) -> Result<Option<String>, Failure> {
    let file = folder.join("model.safetensors");
    let plan = TrainPlan { data: programs.plan("train"), held_out: 0.0, ..TrainPlan::default() };
    let trained = train::run(&plan, &file, &Screen::without_notes())?;
    let test = read_examples(&programs.plan("test"), &Screen::without_notes())?;
    let evaluation = evaluate(trained.model.as_ref(), &test, &Screen::without_notes());
    if is_stopped() {
        return Ok(None);
    }
    let quality = quality(&test, &evaluation, &Bootstrap::default())?;
    let accuracy = quality.summary.lines.iter().find(|line| line.measure == "accuracy");
    let accuracy = accuracy.and_then(|line| {
        let interval =
            line.interval.map(|interval| format!(", 95 % interval {:.2} to {:.2}", interval.low, interval.high));
        Some(format!("{:.2} (n = {}{})", line.value?, quality.measured, interval.unwrap_or_default()))
    });
    say(&format!(
        "2. The model: logistic regression over {} features (token n-grams, words of names, path contexts), trained in {:.1} s.\n   \
         Accuracy on the held-out programs: {}. It is in {}.\n",
        trained.trained.classifier.features(),
        trained.seconds,
        accuracy.unwrap_or_else(|| "unknown".to_owned()),
        file.display(),
    ));
    Ok(Some(trained.name))
}

/// Which languages can be run on this machine, and why not the others.
struct Judged {
    languages: Vec<Language>,
    problems: Vec<(Language, String)>,
}

impl Judged {
    /// Runs one program of every language once.
    fn find(solutions: &[Solution]) -> Judged {
        let mut judged = Judged { languages: Vec::new(), problems: Vec::new() };
        let sandbox = match Sandbox::new() {
            Ok(sandbox) => sandbox,
            Err(error) => {
                judged.problems = Language::ALL.iter().map(|language| (*language, error.to_string())).collect();
                return judged;
            }
        };
        let judge = Judge::new(sandbox, Options::default());
        for language in Language::ALL {
            let Some(solution) = solutions.iter().find(|solution| solution.language == language) else { continue };
            let case = cases(solution)[0]["input"].as_str().unwrap_or_default().to_owned();
            let case = Case { arguments: Vec::new(), input: case };
            match judge.observe(language, solution.text.as_bytes(), &[case]) {
                Answer::Accepted(_) => judged.languages.push(language),
                Answer::Rejected(problem) => {
                    let first = problem.lines().next().unwrap_or_default();
                    judged.problems.push((language, format!("its compiler here refuses it: {first}")));
                }
                Answer::Unavailable(problem) => judged.problems.push((language, problem)),
            }
        }
        judged
    }

    /// What is attacked: held-out programs that can be run here, of all problems and languages alike. Where none can be run, any.
    fn targets<'s>(&self, solutions: &'s [Solution], most: usize) -> Vec<&'s Solution> {
        let languages = if self.languages.is_empty() { Language::ALL.as_slice() } else { &self.languages };
        let problems = labels();
        let place = |solution: &Solution| {
            let problem = problems.iter().position(|problem| problem == solution.problem).unwrap_or_default();
            let language = languages.iter().position(|language| *language == solution.language).unwrap_or_default();
            // Every problem has another language first.
            ((problem + language) % languages.len(), problem)
        };
        let is_fit = |solution: &&Solution| solution.is_held_out && languages.contains(&solution.language);
        let mut targets: Vec<&Solution> = solutions.iter().filter(is_fit).collect();
        targets.sort_by_key(|solution| place(solution));
        targets.truncate(most);
        targets
    }

    fn validity(&self) -> Validity {
        if self.languages.is_empty() { Validity::Scope } else { Validity::Run }
    }

    fn in_words(&self, targets: usize) -> String {
        let names: Vec<&str> = self.languages.iter().map(|language| language.name()).collect();
        let mut text = match self.languages.is_empty() {
            false => format!(
                "3. The judge: programs in {} can be run here, so every flip is compiled and run on its cases beside its original.\n",
                names.join(", ")
            ),
            true => "3. The judge: no program can be run here, so flips are only parsed and their names resolved. NOTHING BELOW WAS VERIFIED \
                     BY RUNNING IT.\n"
                .to_owned(),
        };
        // The same reason may hold for all of them.
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (language, problem) in &self.problems {
            reasons.entry(problem).or_default().push(language.name());
        }
        for (problem, languages) in reasons {
            let fate = if self.languages.is_empty() { "not judged by running" } else { "not judged, so not attacked" };
            text.push_str(&format!("   {}: {fate}: {problem}\n", languages.join(", ")));
        }
        text.push_str(&format!(
            "4. The attacks: {} on {targets} programs, with at most {BUDGET} queries each.\n",
            ATTACKS.join(", ")
        ));
        text
    }
}

fn plan(model: String, programs: &Programs, validity: Validity) -> Plan {
    Plan {
        model,
        attacks: ATTACKS.map(str::to_owned).to_vec(),
        budget: BUDGET,
        shrink: true,
        validity,
        embedder: Some("builtin".to_owned()),
        data: programs.plan("targets"),
        train: Some(programs.plan("train")),
        // Short steps cost queries and leave less to be made small.
        parameters: BTreeMap::from([("beam".to_owned(), BTreeMap::from([("stride".to_owned(), json!(4))]))]),
        ..Plan::default()
    }
}

/// What each attack did.
fn rates(records: &[Record]) -> String {
    let mut rows = Vec::new();
    for attack in ATTACKS {
        let of = |is: &dyn Fn(Outcome) -> bool| -> Vec<&Record> {
            records.iter().filter(|record| record.attack == attack && is(record.outcome)).collect()
        };
        let (attacked, broken) = (of(&Outcome::is_attacked), of(&|outcome| outcome == Outcome::Success));
        let mean = |numbers: &[f64]| match numbers.is_empty() {
            true => "–".to_owned(),
            false => format!("{:.1}", numbers.iter().sum::<f64>() / numbers.len() as f64),
        };
        rows.push(vec![
            attack.to_owned(),
            attacked.len().to_string(),
            broken.len().to_string(),
            of(&|outcome| outcome == Outcome::Invalid).len().to_string(),
            mean(&attacked.iter().map(|record| record.queries as f64).collect::<Vec<f64>>()),
            mean(&broken.iter().map(|record| record.moves_before_shrinking as f64).collect::<Vec<f64>>()),
            mean(&broken.iter().map(|record| record.moves.len() as f64).collect::<Vec<f64>>()),
        ]);
    }
    let header = ["attack", "targets", "successes", "invalid only", "queries", "rewrites", "after shrinking"];
    let table = table(&header, &rows, &[1, 2, 3, 4, 5, 6]);
    table.lines().map(|line| format!("   {line}\n")).collect()
}

/// Was an example run, and did it do what its original does?
fn was_run(record: &Record) -> bool {
    !record.verdicts.is_empty() && record.verdicts.iter().all(|part| part.run == Judgement::Holds)
}

/// How the examples were checked.
fn checks(records: &[Record]) -> String {
    let examples: Vec<&Record> = records.iter().filter(|record| record.outcome == Outcome::Success).collect();
    let run = examples.iter().filter(|record| was_run(record)).count();
    let rejected: usize = records.iter().map(|record| record.rejected.len()).sum();
    let all = examples.len();
    let told = match run == all {
        true if all > 0 => "every one was compiled and run, and does what its original does".to_owned(),
        _ => format!("{run} of them were compiled and run; the others were only parsed and their names resolved"),
    };
    let rejected = match rejected {
        0 => "No flip was discarded.".to_owned(),
        _ => format!("{rejected} flips that do not behave the same were discarded."),
    };
    format!("5. The examples: {all}, made as small as possible; {told}. {rejected}\n")
}

/// The example with the fewest tokens changed.
fn smallest(records: &[Record]) -> Option<&Record> {
    let examples = records.iter().filter(|record| record.outcome == Outcome::Success);
    examples.min_by_key(|record| {
        let tokens = record.quality.as_ref().map_or(usize::MAX, |quality| quality.changed_tokens);
        (tokens, record.number, record.attack.clone())
    })
}

fn example(record: &Record, targets: &[InputRow], labels: &[String], colours: bool) -> String {
    let target = targets.iter().find(|target| target.number == record.number);
    let text = |input: Option<&Input>| input.map(|input| input.programs()[0].text.clone()).unwrap_or_default();
    let (before, after) = (text(target.map(|target| &target.input)), text(record.example.as_ref()));
    let rewrites: Vec<&str> = record.moves.iter().map(|made| made.step.transformation.as_str()).collect();
    format!(
        "\n{}, found by {} with {}:\n\n{}\nBefore: {}. After: {}.{}\n",
        target.map(|target| target.id.as_str()).unwrap_or_default(),
        record.attack,
        rewrites.join(", "),
        diff(&before, &after, AROUND, colours),
        answer(record.before.as_ref(), labels),
        answer(record.after.as_ref(), labels),
        if was_run(record) { " Run on its cases, the program does the same." } else { "" },
    )
}

/// The most probable class, in words.
fn answer(prediction: Option<&Prediction>, labels: &[String]) -> String {
    match prediction {
        Some(Prediction::Classes(classes)) if !classes.is_empty() => {
            let best = prediction.and_then(Prediction::class).unwrap_or(0);
            let label = labels.get(best).cloned().unwrap_or_else(|| best.to_string());
            format!("{label} ({:.0} %)", 100.0 * classes[best])
        }
        _ => "no answer".to_owned(),
    }
}
