//! What a generation of a guided search costs beside the model: its time over that of its changed inputs asked of the model alone,
//! in full batches. Rewriting, keeping, comparing and writing to the disk are in it.
//!
//! `cargo run --release -p allotrope-campaign --example generation -- MODEL DATA SPLIT INPUTS GENERATIONS [TRANSFORM]`

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use campaign::evolve::{Evolution, EvolvePlan};
use campaign::examples::{Examples, Request};
use campaign::experiment::Pace;
use campaign::run::{About, Store, inputs};
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const BATCH: usize = 256;
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
    let model = Listening { inner: training::open(name_of_model)?, heard: Mutex::default() };
    let transform = rest.first().map_or("all", String::as_str);
    let plan: EvolvePlan = toml::from_str(&format!(
        "model = ''\nminimise = ['percentage-mrr']\nseed = 1\ntransform = '{transform}'\nsteady = 1000\n\
         generations = {generations}\nbaseline = false\n[data]\npath = ''\n"
    ))?;
    let objectives = plan.objectives()?;
    let selections = plan.selections(&examples)?;
    let folder = std::env::temp_dir().join(format!("allotrope-generation-{}", std::process::id()));
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let mut store = Store::begin(&folder, &About::new(plan.clone(), &[&model], digest), &rows)?;
    let stop = AtomicBool::new(false);
    let pace = Pace { batch: BATCH, cache: None, stop: &stop };
    let evolution =
        Evolution { plan: &plan, model: &model, examples: &examples, selections: &selections, objectives: &objectives };
    println!("| generation | changed inputs | generation, s | model alone, s | ratio |");
    println!("|---:|---:|---:|---:|---:|");
    // Another model of the same name, since models may remember what they were asked.
    let other = training::open(name_of_model)?;
    let mut start = Instant::now();
    let (mut all, mut all_alone) = (0.0, 0.0);
    evolution.run(&mut store, &pace, &mut |progress| {
        let whole = start.elapsed().as_secs_f64();
        let heard = model.heard.lock().map(|mut heard| std::mem::take(&mut *heard)).unwrap_or_default();
        let again = Instant::now();
        for inputs in heard.chunks(BATCH) {
            other.predict(inputs);
        }
        let alone = again.elapsed().as_secs_f64();
        // The first generation comes with the answers to the originals and the first reading of all programs.
        if progress.generation > 1 && !heard.is_empty() {
            (all, all_alone) = (all + whole, all_alone + alone);
            let ratio = whole / alone;
            println!("| {} | {} | {whole:.2} | {alone:.2} | {ratio:.2} |", progress.generation, heard.len());
        }
        start = Instant::now();
    })?;
    println!("| all | | {all:.2} | {all_alone:.2} | {:.2} |", all / all_alone);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
