//! `allotrope mutants`: the mutants of a model, and how they score.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use campaign::mutants::{MutantsPlan, Score, answers, score};
use indicatif::{ProgressBar, ProgressStyle};
use measure::metrics::{label_change_rate, mutation_score};
use measure::{Cell, Table, spread};
use model::{Answer, Fault};
use serde_json::{Value, json};

use super::dataset;
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope mutants`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model, as KIND:WHERE; its weights must be this program's to read: hf, code2vec, code2seq.
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// The inputs that mutants are scored on; without them they are only listed.
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    mutants: MutantOptions,
    /// Print the N inputs with the highest label change rates.
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,
    /// Write the label change rate of every input to a file, one JSON object a line.
    #[arg(long, value_name = "FILE", requires = "data")]
    scores: Option<PathBuf>,
    /// How many threads; by default one a core.
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Which mutants are made.
#[derive(clap::Args)]
pub struct MutantOptions {
    /// How many mutants each operator makes.
    #[arg(long, value_name = "N", default_value_t = 10)]
    mutants: usize,
    /// The mutation operators, separated by commas; all that apply to the model by default. See `allotrope list operators`.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    operators: Vec<String>,
    /// The share of weights, neurons or components that a mutation changes.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    ratio: f64,
    /// The standard deviation of the noise of gaussian-fuzz operators, in parts of the number.
    #[arg(long, value_name = "S", default_value_t = 0.5)]
    sigma: f64,
    /// How many decimal digits precision-reduction operators keep.
    #[arg(long, value_name = "N", default_value_t = 1)]
    digits: u32,
    /// The seed of the first mutant of each operator.
    #[arg(long, value_name = "N", default_value_t = 0)]
    mutant_seed: u64,
    /// Leave mutants out whose accuracy is below this part of the model's; 0 keeps all.
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    least_accuracy: f64,
    /// Find the accuracy of mutants on so many examples at the most, spread over the data set.
    #[arg(long, value_name = "N", default_value_t = 200)]
    mutant_examples: usize,
}

impl MutantOptions {
    /// The options as a plan has them.
    pub fn plan(&self) -> MutantsPlan {
        MutantsPlan {
            operators: self.operators.clone(),
            each: self.mutants,
            ratio: self.ratio,
            sigma: self.sigma,
            digits: self.digits,
            seed: self.mutant_seed,
            least_accuracy: self.least_accuracy,
            examples: self.mutant_examples,
        }
    }
}

/// A mutant with its score, where it was scored.
struct Mutant {
    name: String,
    operator: &'static str,
    seed: u64,
    score: Option<Score>,
    labels: Vec<Option<usize>>,
    is_kept: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    super::use_threads(arguments.jobs)?;
    let plan = arguments.mutants.plan();
    let mutations = plan.mutations(&arguments.model).map_err(Failure::usage)?;
    let mut mutants: Vec<Mutant> = mutations
        .iter()
        .map(|mutation| Mutant {
            name: mutation.name_of(&arguments.model),
            operator: &mutation.operator.name,
            seed: mutation.seed,
            score: None,
            labels: Vec::new(),
            is_kept: true,
        })
        .collect();
    let Some(data) = &arguments.data else {
        match arguments.json {
            true => say(&format!("{}\n", json!({"model": arguments.model, "mutants": list(&mutants)}))),
            false => mutants.iter().for_each(|mutant| say(&format!("{}\n", mutant.name))),
        }
        return Ok(ExitCode::SUCCESS);
    };
    let examples = arguments.options.read(data.clone())?;
    let chosen: Vec<usize> = match arguments.scores.is_some() {
        // Every input has a rate of its own there.
        true => (0..examples.items.len()).collect(),
        false => plan.chosen(&examples),
    };
    let file = match &arguments.scores {
        None => None,
        Some(path) => Some(
            File::create(path)
                .map_err(|error| Failure::missing(format!("failed to write {}: {error}", path.display())))?,
        ),
    };
    let model = super::open_model(&arguments.model)?;
    let stop = super::stop_flag();
    let bar = bar(chosen.len() * (mutants.len() + 1));
    let of_model = answers(model.as_ref(), &examples, &chosen, &|count| bar.inc(count as u64), &stop);
    if !of_model.is_empty() && of_model.iter().all(Result::is_err) {
        let fault = of_model.iter().find_map(|answer| answer.as_ref().err()).map(Fault::to_string).unwrap_or_default();
        return Err(Failure::model(format!("the model answered none of {} inputs: {fault}", of_model.len())));
    }
    let own = score(&examples, &chosen, &of_model, &of_model);
    for mutant in &mut mutants {
        // One mutant is in memory at a time.
        let opened = super::open_model(&mutant.name)?;
        let of_mutant = answers(opened.as_ref(), &examples, &chosen, &|count| bar.inc(count as u64), &stop);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let found = score(&examples, &chosen, &of_model, &of_mutant);
        mutant.is_kept = plan.is_kept(&found, own.accuracy());
        mutant.labels = of_mutant.iter().map(label).collect();
        mutant.score = Some(found);
    }
    bar.finish_and_clear();
    let is_stopped = stop.load(Ordering::Relaxed);
    let scored = mutants.iter().filter(|mutant| mutant.score.is_some()).count();
    let kept: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.score.is_some() && mutant.is_kept).collect();
    let rates: Vec<Option<f64>> = (0..of_model.len())
        .map(|row| {
            let differs = kept.iter().filter_map(|mutant| mutant.score.as_ref()?.differs[row]);
            label_change_rate(&false, &differs.collect::<Vec<bool>>())
        })
        .collect();
    let truths = campaign::fidelity::truths(&examples);
    let test_score = || {
        let original: Option<Vec<usize>> = of_model.iter().map(label).collect();
        let truth: Option<Vec<usize>> = chosen.iter().map(|place| truths[*place]).collect();
        let mutants: Option<Vec<Vec<usize>>> =
            kept.iter().map(|mutant| mutant.labels.iter().copied().collect::<Option<Vec<usize>>>()).collect();
        mutation_score(&original?, &truth?, &mutants?, examples.labels.len())
    };
    let test_score = if is_stopped { None } else { test_score() };
    if let (Some(file), Some(path)) = (file, &arguments.scores) {
        let mut file = BufWriter::new(file);
        let write = |file: &mut BufWriter<File>| -> std::io::Result<()> {
            for (place, rate) in chosen.iter().zip(&rates) {
                writeln!(
                    file,
                    "{}",
                    json!({"id": examples.items[*place].id, "label change rate": rate, "mutants": kept.len()})
                )?;
            }
            file.flush()
        };
        write(&mut file).map_err(|error| Failure::missing(format!("failed to write {}: {error}", path.display())))?;
    }
    let mut highest: Vec<(f64, &str)> = chosen
        .iter()
        .zip(&rates)
        .filter_map(|(place, rate)| Some(((*rate)?, examples.items[*place].id.as_str())))
        .collect();
    highest.sort_by(|one, other| other.0.total_cmp(&one.0));
    highest.truncate(arguments.show);
    let known: Vec<f64> = rates.iter().flatten().copied().collect();
    if arguments.json {
        let inputs: Vec<Value> =
            highest.iter().map(|(rate, id)| json!({"id": id, "label change rate": rate})).collect();
        say(&format!(
            "{}\n",
            json!({"model": model.identity(), "data": examples.path, "inputs": of_model.len(),
                "accuracy": own.accuracy(), "mutants": list(&mutants), "kept": kept.len(), "scored": scored,
                "label change rates": spread(&known), "mutation score": test_score, "highest": inputs})
        ));
    } else {
        let shown = |table: &Table| if arguments.markdown { table.to_markdown() } else { table.to_text() };
        say(&shown(&operator_table(&mutants)));
        let accuracy = own.accuracy().map_or("unknown".to_owned(), |accuracy| format!("{accuracy:.4}"));
        say(&format!(
            "\nthe model's accuracy is {accuracy} on {} inputs; {} of {scored} mutants are kept\n",
            of_model.len(),
            kept.len()
        ));
        if let Some(spread) = spread(&known) {
            say(&format!(
                "label change rate of an input: mean {:.4}, median {:.4}, most {:.4}\n",
                spread.mean, spread.median, spread.most
            ));
        }
        if let Some(score) = test_score {
            say(&format!("mutation score of the inputs together: {:.4} of classes are killed\n", score.score));
        }
        for (rate, id) in highest {
            say(&format!("  {rate:.3}  {id}\n"));
        }
    }
    match is_stopped {
        true => {
            eprintln!("stopped after {scored} of {} mutants", mutants.len());
            Ok(ExitCode::from(130))
        }
        false => Ok(ExitCode::SUCCESS),
    }
}

fn label(answer: &Result<Answer, Fault>) -> Option<usize> {
    answer.as_ref().ok()?.prediction.class()
}

fn list(mutants: &[Mutant]) -> Vec<Value> {
    let one = |mutant: &Mutant| {
        let mut object = json!({"name": mutant.name, "operator": mutant.operator, "seed": mutant.seed});
        if let Some(score) = &mutant.score {
            object["accuracy"] = json!(score.accuracy());
            object["labels changed"] = json!(score.changed());
            object["kept"] = json!(mutant.is_kept);
        }
        object
    };
    mutants.iter().map(one).collect()
}

/// A row for each operator, over its mutants.
fn operator_table(mutants: &[Mutant]) -> Table {
    let header =
        ["operator", "mutants", "kept", "accuracy, least", "mean", "most", "labels changed, least", "mean", "most"];
    let mut table = Table::new(header);
    let mut operators: Vec<&str> = Vec::new();
    for mutant in mutants {
        if !operators.contains(&mutant.operator) {
            operators.push(mutant.operator);
        }
    }
    for operator in operators {
        let own = || mutants.iter().filter(move |mutant| mutant.operator == operator && mutant.score.is_some());
        let numbers = |of: fn(&Score) -> Option<f64>| -> [Cell; 3] {
            let values: Vec<f64> = own().filter_map(|mutant| of(mutant.score.as_ref()?)).collect();
            let spread = spread(&values);
            let number = |of: fn(&measure::Spread) -> f64| Cell::Number(spread.as_ref().map(of));
            [number(|spread| spread.least), number(|spread| spread.mean), number(|spread| spread.most)]
        };
        let start = [operator.into(), own().count().into(), own().filter(|mutant| mutant.is_kept).count().into()];
        table.push(start.into_iter().chain(numbers(Score::accuracy)).chain(numbers(Score::changed)));
    }
    table
}

fn bar(questions: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("asking the model and its mutants {bar:30} {pos}/{len}, {eta} left");
    ProgressBar::new(questions as u64).with_style(style.expect("the template is written here"))
}
