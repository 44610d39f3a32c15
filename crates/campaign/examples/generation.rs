//! What a generation of a guided search costs beside the model: its time over that of its changed inputs asked of the model alone,
//! in full batches. Rewriting, keeping, comparing and writing to the disk are in it.
//!
//! `cargo run --release -p allotrope-campaign --example generation -- MODEL DATA SPLIT INPUTS GENERATIONS [TRANSFORM]`

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use campaign::evolve::{Evolution, EvolvePlan, selections};
use campaign::examples::{Examples, Request};
use campaign::experiment::BATCH;
use campaign::run::{About, Store, inputs};
use campaign::work::{Event, Pace, Watcher, open_model};
use model::{Answer, Fault, Identity, Input, Model};

/// A model that remembers what it was asked.
struct Listening {
    inner: Box<dyn Model>,
    heard: Mutex<Vec<Input>>,
}

impl Model for Listening {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        if let Ok(mut heard) = self.heard.lock() {
            heard.extend_from_slice(inputs);
        }
        self.inner.predict(inputs)
    }
}

/// Hears of every generation, and lets the model alone answer what was asked in it.
struct Times<'t> {
    heard: &'t Mutex<Vec<Input>>,
    other: &'t dyn Model,
    generation: AtomicUsize,
    start: Mutex<Instant>,
    /// The seconds of all generations, and of the model alone.
    sums: Mutex<(f64, f64)>,
}

impl Watcher for Times<'_> {
    fn tell(&self, event: Event<'_>) {
        let Event::Status(_) = event else { return };
        let (Ok(mut start), Ok(mut heard), Ok(mut sums)) = (self.start.lock(), self.heard.lock(), self.sums.lock())
        else {
            return;
        };
        let whole = start.elapsed().as_secs_f64();
        let heard = std::mem::take(&mut *heard);
        let again = Instant::now();
        for inputs in heard.chunks(BATCH) {
            self.other.predict(inputs);
        }
        let alone = again.elapsed().as_secs_f64();
        // The first generation comes with the answers to the originals and the first reading of all programs.
        let generation = 1 + self.generation.fetch_add(1, Ordering::Relaxed);
        if generation > 1 && !heard.is_empty() {
            *sums = (sums.0 + whole, sums.1 + alone);
            println!("| {generation} | {} | {whole:.2} | {alone:.2} | {:.2} |", heard.len(), whole / alone);
        }
        *start = Instant::now();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name_of_model, data, split, count, generations, rest @ ..] = arguments.as_slice() else {
        return Err("say MODEL DATA SPLIT INPUTS GENERATIONS [TRANSFORM]".into());
    };
    let request = Request {
        path: PathBuf::from(data),
        split: Some(split.clone()),
        sample: Some(count.parse()?),
        seed: 1,
        ..Request::default()
    };
    let examples = Examples::read(&request)?;
    let model = Listening { inner: open_model(name_of_model)?, heard: Mutex::default() };
    let transform = rest.first().map_or("all", String::as_str);
    let plan: EvolvePlan = toml::from_str(&format!(
        "model = ''\nminimise = ['percentage-mrr']\nseed = 1\ntransform = '{transform}'\npatience = 1000\n\
         generations = {generations}\nbaseline = false\n[data]\npath = ''\n"
    ))?;
    let objectives = plan.objectives()?;
    let selections = selections(&plan.transform, &plan.names, &examples)?;
    let folder = std::env::temp_dir().join(format!("allotrope-generation-{}", std::process::id()));
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let mut store = Store::begin(&folder, &About::new(plan.clone(), &[&model], digest), &rows)?;
    let evolution =
        Evolution { plan: &plan, model: &model, examples: &examples, selections: &selections, objectives: &objectives };
    println!("| generation | changed inputs | generation, s | model alone, s | ratio |");
    println!("|---:|---:|---:|---:|---:|");
    // Another model of the same name, since models may remember what they were asked.
    let other = open_model(name_of_model)?;
    let times = Times {
        heard: &model.heard,
        other: other.as_ref(),
        generation: AtomicUsize::new(0),
        start: Mutex::new(Instant::now()),
        sums: Mutex::default(),
    };
    evolution.run(&mut store, &Pace::default(), None, &times)?;
    let (all, all_alone) = times.sums.into_inner().unwrap_or_default();
    println!("| all | | {all:.2} | {all_alone:.2} | {:.2} |", all / all_alone);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
