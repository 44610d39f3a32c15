//! What a campaign costs beside the model: its time over that of the same questions asked of the model alone, in full batches.
//! Gradients and embeddings that an attack asks for are asked for again as well.
//!
//! `cargo run --release -p allotrope-campaign --example overhead -- MODEL DATA SPLIT TARGETS ATTACK,… [BATCH]`
//!
//! Times are by the clock, and, where the system tells it, of the processor: only the second means something on a machine that has other
//! work to do. What attacks know beside their target comes from the targets, and is gathered before the clock starts.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use campaign::attack::{Campaign, targets};
use campaign::examples::{Example, Examples, Request, Truth};
use campaign::plan::{DataPlan, Plan};
use campaign::work::{Pace, open_model};
use equivalence::sandbox::Sandbox;
use equivalence::{Judge, Options};
use model::{Answer, Fault, Gradients, Identity, Input, Model};
use rayon::prelude::*;
use search::{Encoder, Gathering, Material};

/// A model that remembers what it was asked.
struct Listening {
    inner: Box<dyn Model>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    questions: Vec<Input>,
    embeddings: Vec<Vec<Input>>,
    gradients: Vec<(Input, usize)>,
}

impl Listening {
    fn remember(&self, note: impl FnOnce(&mut Heard)) {
        note(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Model for Listening {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        self.remember(|heard| heard.questions.extend_from_slice(inputs));
        self.inner.predict(inputs)
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        self.remember(|heard| heard.embeddings.push(inputs.to_vec()));
        self.inner.embed(inputs)
    }

    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        self.remember(|heard| heard.gradients.push((input.clone(), class)));
        self.inner.gradients(input, class)
    }

    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        self.inner.word_embedding(word)
    }
}

/// Seconds by the clock and of the processor, since some moment.
#[derive(Clone, Copy)]
struct Times {
    clock: Instant,
    processor: Option<f64>,
}

impl Times {
    fn now() -> Times {
        // The 14th and 15th field count hundredths of seconds; the second is a name in brackets that may hold anything.
        let processor = std::fs::read_to_string("/proc/self/stat").ok().and_then(|line| {
            let fields: Vec<&str> = line[line.rfind(')')?..].split(' ').collect();
            Some((fields.get(12)?.parse::<f64>().ok()? + fields.get(13)?.parse::<f64>().ok()?) / 100.0)
        });
        Times { clock: Instant::now(), processor }
    }

    /// What has passed since then: by the clock, and of the processor.
    fn passed(self) -> (f64, f64) {
        let processor = self.processor.zip(Times::now().processor).map_or(f64::NAN, |(then, now)| now - then);
        (self.clock.elapsed().as_secs_f64(), processor)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name_of_model, data, split, count, attacks, rest @ ..] = arguments.as_slice() else {
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
    let class = |example: &Example| match example.truth {
        Truth::Class(class) => Some((examples.input(example), class)),
        Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
    };
    let training: Vec<(Input, usize)> = examples.items.iter().filter_map(class).collect();
    let how = Gathering { encoder: Encoder::Victim, most: 500, seed: 1, batch, cache: None, goal: None };
    // Models may remember what they were asked, so everything that is timed has one of its own.
    let (material, _) = Material::gather(&*open_model(name_of_model)?, &training, &how);
    let judge = Judge::new(Sandbox::none(), Options::default());
    println!("| attack | targets | questions | campaign, s | model alone, s | ratio | ratio, processor |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for name in attacks.split(',') {
        // Every attack may learn from what was gathered above.
        let plan = Plan { attacks: vec![name.to_owned()], train: Some(DataPlan::default()), ..Plan::default() };
        let model = Listening { inner: open_model(name_of_model)?, heard: Mutex::default() };
        let campaign = Campaign {
            model: &model,
            attacks: plan.resolve()?.attacks,
            material: &material,
            judge: &judge,
            targets: targets(&examples),
        };
        let pace = Pace { batch: Some(batch), ..Pace::default() };
        let left = campaign.left(&[]);
        let start = Times::now();
        let Ok(_) = campaign.run_into(&mut |_| Ok::<(), Infallible>(()), &left, &pace, None, &());
        let whole = start.passed();
        let heard = model.heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let alone = open_model(name_of_model)?;
        let start = Times::now();
        for inputs in heard.questions.chunks(batch) {
            alone.predict(inputs);
        }
        heard.gradients.par_iter().for_each(|(input, class)| drop(alone.gradients(input, *class)));
        for inputs in &heard.embeddings {
            alone.embed(inputs);
        }
        let alone = start.passed();
        println!(
            "| {name} | {} | {} | {:.1} | {:.1} | {:.2} | {:.2} |",
            left.len(),
            heard.questions.len(),
            whole.0,
            alone.0,
            whole.0 / alone.0,
            whole.1 / alone.1,
        );
    }
    Ok(())
}
