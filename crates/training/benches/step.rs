//! The time of a training step, beside PyTorch's in the same run.
//!
//! `cargo bench -p allotrope-training --bench step -- [cpu] [cuda]`: RoBERTa base with a head for two classes, the encoder with 14 million
//! parameters of the guide, and a student with 0.8 million. PyTorch is measured by `step.py` where `PYTHON` (by default python3) has torch and transformers.

use std::process::Command;
use std::time::Instant;

use kernels::Activation;
use model::huggingface::roberta::{Dimensions, PositionKind, Sequence};
use training::compute::{Compute, State, Step};
use training::cuda::{Cuda, Precision};
use training::network::{Batch, DropoutRates, Network, Question};
use training::processor::Processor;
use training::shape::{HeadKind, Shape};
use training::train::Learner;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_wanted = |device: &str| {
        !arguments.iter().any(|own| ["cpu", "cuda"].contains(&own.as_str()))
            || arguments.iter().any(|own| own == device)
    };
    let base = shape(768, 12, 12, 50_265, 514);
    let small = shape(384, 6, 6, 8_192, 322);
    let student = shape(96, 4, 3, 4_096, 402);
    if is_wanted("cpu") {
        compare("cpu", "base", 4, 256, on_processor(base, 4, 256, 3));
        compare("cpu", "student", 16, 256, on_processor(student, 16, 256, 10));
    }
    if is_wanted("cuda") {
        for (name, shape, size, length) in
            [("base", base, 4, 256), ("base", base, 32, 400), ("base", base, 128, 400), ("small", small, 128, 256)]
        {
            match on_gpu(shape, size, length, 10) {
                Ok(seconds) => compare("cuda", name, size, length, seconds),
                Err(reason) => println!("cuda: {reason}"),
            }
        }
    }
}

fn shape(hidden: usize, heads: usize, layers: usize, vocabulary: usize, positions: usize) -> Shape {
    let activation = Activation::Gelu;
    let dimensions = Dimensions {
        hidden,
        heads,
        inner: 4 * hidden,
        layers,
        vocabulary,
        positions,
        position_kind: PositionKind::Absolute,
        types: 1,
        epsilon: 1e-5,
        activation,
    };
    Shape { dimensions, head: HeadKind::Classes { vectors: 1, classes: 2 }, taught: None }
}

/// The seconds of a step on the processor.
fn on_processor(shape: Shape, size: usize, length: usize, steps: u64) -> f64 {
    time(&mut Network::new(shape, Processor::new(state(&shape))), size, length, steps, |_| ())
}

/// The seconds of a step on a GPU, or why there is none.
fn on_gpu(shape: Shape, size: usize, length: usize, steps: u64) -> Result<f64, String> {
    let cuda = Cuda::open(0, Precision::Half, &state(&shape)).map_err(|error| error.to_string())?;
    let wait = |network: &Network<Cuda>| network.compute.wait().expect("the GPU works");
    Ok(time(&mut Network::new(shape, cuda), size, length, steps, wait))
}

fn state(shape: &Shape) -> State {
    let count = shape.layout().count;
    let weights = (0..count).map(|at| ((at as f32 + 1.0) * 12.9898).sin() * 0.02).collect();
    State { weights, first_moments: vec![0.0; count], second_moments: vec![0.0; count] }
}

fn time<C: Compute>(
    network: &mut Network<C>,
    size: usize,
    length: usize,
    steps: u64,
    wait: impl Fn(&Network<C>),
) -> f64 {
    let words = network.shape.dimensions.vocabulary as u32 - 5;
    let sequence = |number: usize| {
        let ids = (0..length).map(|place| 5 + (number * length + place) as u32 * 7919 % words).collect();
        Sequence { ids, positions: (2..length as u32 + 2).collect(), graph: None }
    };
    let question = Question::Classes {
        sequences: (0..size).collect(),
        classes: (0..size as u32).map(|class| class % 2).collect(),
    };
    let batch = Batch::new((0..size).map(sequence).collect(), question);
    let rates = DropoutRates { hidden: 0.1, attention: 0.1, head: 0.1 };
    let run = |network: &mut Network<C>, numbers: std::ops::RangeInclusive<u64>| {
        for number in numbers {
            network.learn(&batch, 1.0 / size as f32, rates, number).expect("the network learns");
            let decaying = network.layout.decaying;
            let step = Step {
                number,
                learning_rate: 1e-5,
                first_decay: 0.9,
                second_decay: 0.98,
                epsilon: 1e-8,
                weight_decay: 0.01,
                decaying,
                longest_gradient: 1.0,
            };
            network.compute.update(&step).expect("the network learns");
        }
        wait(network);
    };
    run(network, 1..=2);
    let start = Instant::now();
    run(network, 3..=2 + steps);
    start.elapsed().as_secs_f64() / steps as f64
}

/// Prints a step's time beside PyTorch's.
fn compare(device: &str, model: &str, size: usize, length: usize, seconds: f64) {
    let tokens = (size * length) as f64 / seconds;
    print!("{device} {model} {size} x {length}: {:.1} ms ({tokens:.0} tokens a second)", 1e3 * seconds);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/step.py");
    let script = if script.exists() { script } else { "step.py".into() };
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let arguments = [device.to_owned(), model.to_owned(), size.to_string(), length.to_string()];
    let output = Command::new(python).arg(script).args(arguments).output();
    let theirs = output.ok().and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse::<f64>().ok());
    match theirs {
        Some(theirs) => println!("; PyTorch {:.1} ms, ratio {:.2}", 1e3 * theirs, seconds / theirs),
        None => println!("; PyTorch was not measured: it is not installed here"),
    }
}
