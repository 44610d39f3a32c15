//! `allotrope mutants`: the mutants of a model, and how they score.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::complete_file;
use campaign::control::steered;
use campaign::mutants::{self, Mutant, MutantsPlan, Score, ScoredMutants};
use campaign::plan::DataPlan;
use campaign::work::Watcher;
use measure::{Cell, Spread, Table, spread};
use serde_json::{Value, json};

use super::{MODEL_AND_DATA, MUTANTS, OUTPUT, Threads, dataset};
use crate::failure::Failure;
use crate::say::{note, say, say_json};
use crate::screen::Screen;

/// The options of `allotrope mutants`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Model, as KIND:WHERE, whose weights this program reads: hf, code2vec, code2seq.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    model: String,
    /// Inputs that mutants are scored on; without them they are only listed.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    mutants: MutantOptions,
    #[command(flatten)]
    threads: Threads,
    /// Print the N inputs with the highest label change rates.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = OUTPUT)]
    show: usize,
    /// Write the label change rate of every input to this file, one JSON object per line.
    #[arg(long, value_name = "FILE", requires = "data", help_heading = OUTPUT)]
    scores: Option<PathBuf>,
    /// Write everything, with the rates of all inputs that were scored, to mutants.json in this folder, for `report`.
    #[arg(short, long, value_name = "RUN", requires = "data", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json", help_heading = OUTPUT)]
    markdown: bool,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// Which mutants are made.
#[derive(clap::Args)]
#[command(next_help_heading = MUTANTS)]
pub struct MutantOptions {
    /// Number of mutants per operator.
    #[arg(long, value_name = "N", default_value_t = MutantsPlan::default().each)]
    mutants: usize,
    /// Mutation operators, separated by commas; by default all that apply to the model. See `allotrope list operators`.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    operators: Vec<String>,
    /// Share of weights, neurons or components that a mutation changes.
    #[arg(long, value_name = "SHARE", default_value_t = MutantsPlan::default().ratio)]
    ratio: f64,
    /// Standard deviation of the noise of gaussian-fuzz operators, relative to the weight.
    #[arg(long, value_name = "S", default_value_t = MutantsPlan::default().sigma)]
    sigma: f64,
    /// Number of decimal digits that precision-reduction operators keep.
    #[arg(long, value_name = "N", default_value_t = MutantsPlan::default().digits)]
    digits: u32,
    /// Seed of the first mutant of each operator.
    #[arg(long, value_name = "N", default_value_t = MutantsPlan::default().seed)]
    mutant_seed: u64,
    /// Leave out mutants whose accuracy is below this share of the model's; 0 keeps all.
    #[arg(long, value_name = "SHARE", default_value_t = MutantsPlan::default().min_accuracy)]
    min_accuracy: f64,
    /// Maximum number of examples that the accuracy of mutants is measured on, spread over the data set.
    #[arg(long, value_name = "N", default_value_t = MutantsPlan::default().examples)]
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
            min_accuracy: self.min_accuracy,
            examples: self.mutant_examples,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let plan = arguments.mutants.plan();
    let Some(data) = &arguments.data else {
        let mutants = mutants::list(&plan, &arguments.model)?;
        match arguments.json {
            true => say_json(&json!({"model": arguments.model, "mutants": as_json(&mutants)})),
            false => mutants.iter().for_each(|mutant| say(&format!("{}\n", mutant.name))),
        }
        return Ok(ExitCode::SUCCESS);
    };
    // The file is made before the models work, so that a wrong path costs nothing.
    let unwritable = |path: &Path, error| Failure::missing(format!("failed to write {}: {error}", path.display()));
    let made = arguments.output.as_ref().filter(|output| !output.exists());
    if let Some(output) = &arguments.output {
        std::fs::create_dir_all(output).map_err(|error| unwritable(output, error))?;
    }
    let file = match &arguments.scores {
        None => None,
        Some(path) => Some((path, File::create(path).map_err(|error| unwritable(path, error))?)),
    };
    let data = arguments.options.plan(data.clone());
    let screen = Screen::new();
    let score = |watcher: &dyn Watcher| mutants::run(&plan, &arguments.model, &data, file.is_some(), watcher);
    let scored = match &arguments.output {
        Some(output) => steered(output, "mutants", &screen, score),
        None => score(&screen),
    };
    drop(screen);
    let scored = scored.inspect_err(|_| {
        // A new folder with nothing in it says nothing.
        made.map(std::fs::remove_dir);
    })?;
    if let Some((path, file)) = file {
        write_rates(file, &scored).map_err(|error| unwritable(path, error))?;
    }
    if let Some(output) = &arguments.output {
        let path = output.join(mutants::FILE);
        let text = format!("{:#}\n", run_as_json(&scored, &plan, &data));
        std::fs::create_dir_all(output)
            .and_then(|()| complete_file::write(&path, text.as_bytes()))
            .map_err(|error| unwritable(&path, error))?;
    }
    match arguments.json {
        true => say_as_json(&scored, arguments),
        false => say_text(&scored, arguments),
    }
    match scored.is_interrupted {
        true => {
            let done = scored.mutants.iter().filter(|mutant| mutant.score.is_some()).count();
            note(&format!("stopped after {done} of {} mutants", scored.mutants.len()));
            Ok(ExitCode::from(130))
        }
        false => Ok(ExitCode::SUCCESS),
    }
}

fn write_rates(file: File, scored: &ScoredMutants) -> std::io::Result<()> {
    let (mut file, kept) = (BufWriter::new(file), scored.kept().count());
    for (id, rate) in &scored.rates {
        writeln!(file, "{}", json!({"id": id, "label change rate": rate, "mutants": kept}))?;
    }
    file.flush()
}

/// The inputs with the highest label change rates.
fn highest(scored: &ScoredMutants, most: usize) -> Vec<(f64, &str)> {
    let mut highest: Vec<(f64, &str)> =
        scored.rates.iter().filter_map(|(id, rate)| Some(((*rate)?, id.as_str()))).collect();
    highest.sort_by(|one, other| other.0.total_cmp(&one.0));
    highest.truncate(most);
    highest
}

fn spread_of_rates(scored: &ScoredMutants) -> Option<Spread> {
    spread(&scored.rates.iter().filter_map(|(_, rate)| *rate).collect::<Vec<f64>>())
}

/// All that a report needs.
fn run_as_json(scored: &ScoredMutants, plan: &MutantsPlan, data: &DataPlan) -> Value {
    let rates: Vec<Value> = scored.rates.iter().map(|(id, rate)| json!({"id": id, "rate": rate})).collect();
    json!({"model": scored.model, "plan": plan, "data": data, "accuracy": scored.accuracy, "mutants": as_json(&scored.mutants),
        "rates": rates, "mutation score": scored.score, "is complete": !scored.is_interrupted})
}

fn say_as_json(scored: &ScoredMutants, arguments: &Arguments) {
    let input = |(rate, id): &(f64, &str)| json!({"id": id, "label change rate": rate});
    let inputs: Vec<Value> = highest(scored, arguments.show).iter().map(input).collect();
    let done = scored.mutants.iter().filter(|mutant| mutant.score.is_some()).count();
    say_json(&json!({"model": scored.model, "data": arguments.data, "inputs": scored.rates.len(),
            "accuracy": scored.accuracy, "mutants": as_json(&scored.mutants), "kept": scored.kept().count(), "scored": done,
            "label change rates": spread_of_rates(scored), "mutation score": scored.score, "highest": inputs}));
}

fn say_text(scored: &ScoredMutants, arguments: &Arguments) {
    let table = operator_table(&scored.mutants);
    say(&if arguments.markdown { table.to_markdown() } else { table.to_text() });
    let accuracy = scored.accuracy.map_or("unknown".to_owned(), |accuracy| format!("{accuracy:.4}"));
    say(&format!(
        "\nthe model's accuracy is {accuracy} on {} inputs; {} of {} mutants are kept\n",
        scored.rates.len(),
        scored.kept().count(),
        scored.mutants.iter().filter(|mutant| mutant.score.is_some()).count()
    ));
    if let Some(Spread { mean, median, most, .. }) = spread_of_rates(scored) {
        say(&format!("label change rate per input: mean {mean:.4}, median {median:.4}, maximum {most:.4}\n"));
    }
    if let Some(score) = &scored.score {
        say(&format!("mutation score of all inputs together: {:.4} of classes are killed\n", score.score));
    }
    for (rate, id) in highest(scored, arguments.show) {
        say(&format!("  {rate:.3}  {id}\n"));
    }
}

fn as_json(mutants: &[Mutant]) -> Vec<Value> {
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
    let header = ["operator", "mutants", "kept", "accuracy, min", "mean", "max", "labels changed, min", "mean", "max"];
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
            let number = |of: fn(&Spread) -> f64| Cell::Number(spread.as_ref().map(of));
            [number(|spread| spread.least), number(|spread| spread.mean), number(|spread| spread.most)]
        };
        let start = [operator.into(), own().count().into(), own().filter(|mutant| mutant.is_kept).count().into()];
        table.push(start.into_iter().chain(numbers(Score::accuracy)).chain(numbers(Score::changed)));
    }
    table
}
