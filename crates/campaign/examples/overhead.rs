//! What a campaign costs beside the model: its time over that of the same questions asked of the model alone, in full batches.
//!
//! `cargo run --release -p campaign --example overhead -- MODEL DATA SPLIT TARGETS ATTACK,… [BATCH]`

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use campaign::attack::{Campaign, Pace, targets};
use campaign::examples::{Examples, Request};
use campaign::plan::Plan;
use model::{Answer, Fault, Gradients, Identity, Input, Model};
use search::Material;
use transformation::equivalence::sandbox::Sandbox;
use transformation::equivalence::{Judge, Options};

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

    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        self.inner.gradients(input, class)
    }

    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        self.inner.word_embedding(word)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, data, split, count, attacks, rest @ ..] = arguments.as_slice() else {
        return Err("say MODEL DATA SPLIT TARGETS ATTACK,… [BATCH]".into());
    };
    let batch: usize = rest.first().map_or(Ok(64), |batch| batch.parse())?;
    let request = Request {
        path: PathBuf::from(data),
        split: Some(split.clone()),
        sample: Some(count.parse()?),
        seed: 1,
        ..Request::default()
    };
    let examples = Examples::read(&request)?;
    let model = Listening { inner: model::open(model)?, heard: Mutex::default() };
    let vocabulary = Material::vocabulary_of(examples.programs.iter().map(|program| &program.code));
    let material = Material { vocabulary, ..Material::default() };
    let judge = Judge::new(Sandbox::none(), Options::default());
    let stop = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("| attack | targets | questions | campaign, s | model alone, s | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    for name in attacks.split(',') {
        let plan: Plan = toml::from_str("model = ''\nattacks = []\n[data]\npath = ''\n")?;
        let attack = search::attacks::find(name).ok_or_else(|| format!("there is no attack {name}"))?;
        let settings = plan.settings(attack, &material.vocabulary)?;
        let campaign = Campaign {
            model: &model,
            attacks: vec![(attack, settings)],
            material: &material,
            judge: &judge,
            targets: targets(&examples),
        };
        let pace = Pace { jobs: 8 * cores, batch, cache: None, stop: &stop };
        let left = campaign.left(&[]);
        let start = Instant::now();
        let Ok(_) = campaign.run_into(&mut |_| Ok::<(), Infallible>(()), &left, &pace, &mut |_| ());
        let whole = start.elapsed().as_secs_f64();
        let heard = std::mem::take(&mut *model.heard.lock().map_err(|_| "a thread panicked")?);
        let start = Instant::now();
        for inputs in heard.chunks(batch) {
            model.inner.predict(inputs);
        }
        let alone = start.elapsed().as_secs_f64();
        println!("| {name} | {} | {} | {whole:.1} | {alone:.1} | {:.2} |", left.len(), heard.len(), whole / alone);
    }
    Ok(())
}
