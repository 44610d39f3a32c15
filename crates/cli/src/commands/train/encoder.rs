//! `allotrope train --kind encoder`, `--kind masked`, `--kind search` and `--kind captions`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use campaign::shapes::Given;
use campaign::train::encoder::{EncoderKind, EncoderPlan, duration, estimate_encoder, run_encoder};
use campaign::train::variants::VariantsPlan;
use measure::printed::thousands;
use model::huggingface::roberta::PositionKind;
use serde_json::json;
use training::train::{Base, DECODER_LAYERS, Device, Estimate, Length, NewEncoder, TrainingSettings};

use super::trained::say_folder;
use super::{Arguments, Kind, TRAINING};
use crate::commands::{OUTPUT, RUN, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

const ENCODER: &str = "Encoders";

const VARIANTS: &str = "Variants";

/// The most tokens of a caption by default.
const CAPTION_TOKENS: usize = 64;

/// The options of encoders. None has a default of its own, so that those of other kinds can be told from them.
#[derive(clap::Args)]
#[command(next_help_heading = ENCODER)]
pub struct EncoderOptions {
    /// Checkpoint to begin with, as hf:DIR: its weights, its vocabulary and its size. A T5 learns classes and captions. By default all of it is new.
    #[arg(long, value_name = "MODEL")]
    from: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200),
        conflicts_with = "from", help = format!("Number of layers [default: {}]", new().layers))]
    layers: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536),
        conflicts_with = "from", help = format!("Width of a state [default: {}]", new().hidden))]
    hidden: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024),
        conflicts_with = "from", help = format!("Number of attention heads [default: {}]", new().heads))]
    heads: Option<u64>,
    /// Width between the two layers after the attention; by default four times that of a state.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=262_144), conflicts_with = "from")]
    inner: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        conflicts_with = "from", help = format!("Maximum number of tokens in the vocabulary [default: {}]", new().vocabulary))]
    vocabulary: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536), help = format!(
        "Maximum number of tokens of a program, the special ones included [default: {}; --from: its own]", new().limit))]
    max_tokens: Option<u64>,
    /// How the encoder knows the order of tokens [default: absolute].
    #[arg(long, value_enum, conflicts_with = "from")]
    positions: Option<Positions>,
    /// Let the model see every run of blanks and line ends as one blank.
    #[arg(long, conflicts_with = "from")]
    collapse_whitespace: bool,
    /// Let the model see programs in lower case.
    #[arg(long, conflicts_with = "from")]
    lower_case: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200), help = format!(
        "Number of layers of the decoder, of models that write captions [default: {DECODER_LAYERS}; of a T5: its own]"))]
    decoder_layers: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..=65_536), help = format!(
        "Maximum number of tokens of a caption, the special ones included; longer ones are cut [default: {CAPTION_TOKENS}]"))]
    max_target_tokens: Option<u64>,
    /// Train for N steps, instead of epochs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["epochs", "minutes"],
        help_heading = TRAINING)]
    steps: Option<u64>,
    /// Train for so many minutes of work, counted over all pieces, instead of epochs.
    #[arg(long, value_name = "MINUTES", value_parser = positive, conflicts_with = "epochs", help_heading = TRAINING)]
    minutes: Option<f64>,
    #[arg(long, value_name = "RATE", value_parser = positive, help_heading = TRAINING, help = format!(
        "Highest learning rate [default: {}; masked: {}]", settings().learning_rate, MASKED_RATE))]
    learning_rate: Option<f64>,
    #[arg(long, value_name = "STEPS", help_heading = TRAINING, help = format!(
        "Number of steps over which the learning rate grows [default: {}]", settings().warm_up))]
    warm_up: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000), help_heading = TRAINING,
        help = format!("Maximum number of tokens per batch, padding included [default: {}]", settings().batch_tokens))]
    batch_tokens: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = TRAINING,
        help = format!("Number of batches per step [default: {}]", settings().accumulate))]
    accumulate: Option<u64>,
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = TRAINING,
        help = format!("Dropout rate [default: {}]", settings().dropout))]
    dropout: Option<f64>,
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = TRAINING,
        help = format!("Weight decay [default: {}]", settings().weight_decay))]
    weight_decay: Option<f64>,
    /// Learn from a variant of every program beside it, drawn anew in each epoch: the transformations, as in `allotrope transform`, such as all or
    /// rename-local,if-true. Each epoch takes twice as long.
    #[arg(long, value_name = "LIST", help_heading = VARIANTS)]
    variants: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000), requires = "variants", help_heading = VARIANTS,
        help = format!("Number of rewrites of a program [default: {}]", VariantsPlan::default().rewrites))]
    rewrites: Option<u64>,
    #[arg(long, value_name = "SOURCE", requires = "variants", help_heading = VARIANTS, help = format!(
        "Source of new names, such as reference for those of the data set [default: {}]", VariantsPlan::default().names))]
    names: Option<String>,
    /// Pull the answers to a program and to its variant together, with this weight beside the loss of the classes.
    #[arg(long, value_name = "WEIGHT", value_parser = positive, requires = "variants", help_heading = VARIANTS)]
    consistency: Option<f64>,
    /// Data set to evaluate the model on while it learns; by default a part of the data is held out.
    #[arg(long, value_name = "DATA", conflicts_with = "held_out", help_heading = TRAINING)]
    pub validation: Option<PathBuf>,
    /// Evaluate every N steps; by default after every epoch. The best weights are kept.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = TRAINING)]
    evaluate_every: Option<u64>,
    /// Stop after N evaluations in a row that are not better than the best.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = TRAINING)]
    patience: Option<u64>,
    /// Where to train.
    #[arg(long, value_enum, help_heading = RUN)]
    device: Option<Place>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = RUN,
        help = format!("Write a checkpoint every N steps [default: {}]", settings().checkpoint_every))]
    checkpoint_every: Option<u64>,
    /// Stop after so many minutes with a checkpoint; the same command resumes.
    #[arg(long, value_name = "MINUTES", value_parser = positive, help_heading = RUN)]
    pub stop_after: Option<f64>,
    /// Print parameters, memory and estimated time, and train nothing.
    #[arg(long, help_heading = RUN)]
    pub dry_run: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = OUTPUT,
        help = format!("Write a line of metrics.jsonl every N steps [default: {}]", settings().log_every))]
    log_every: Option<u64>,
    /// Write the weights with 16 bits.
    #[arg(long, help_heading = OUTPUT)]
    half: bool,
}

/// How an encoder knows the order of tokens.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Positions {
    /// Every position has an embedding.
    Absolute,
    /// Every distance has one, which queries are multiplied with.
    RelativeKey,
    /// Every distance has one, which queries and keys are multiplied with.
    RelativeKeyQuery,
}

impl Positions {
    fn kind(self) -> PositionKind {
        match self {
            Positions::Absolute => PositionKind::Absolute,
            Positions::RelativeKey => PositionKind::RelativeKey,
            Positions::RelativeKeyQuery => PositionKind::RelativeKeyQuery,
        }
    }
}

/// Where to train.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Place {
    /// The processor; it is the default.
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

/// The highest learning rate of pre-training.
const MASKED_RATE: f32 = 1e-3;

/// The share of the programs that is held out in pre-training.
pub fn masked_held_out() -> f64 {
    EncoderKind::Masked.held_out()
}

/// How many epochs there are by default.
pub fn epochs() -> u64 {
    match settings().length {
        Length::Epochs(epochs) => epochs,
        Length::Steps(_) | Length::Minutes(_) => 0,
    }
}

fn new() -> NewEncoder {
    NewEncoder::default()
}

fn settings() -> TrainingSettings {
    TrainingSettings::default()
}

/// Reads a number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "write a number above 0".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "write a number from 0 to below 1, such as 0.1".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let is_about_decoders = arguments.encoder.as_ref().is_some_and(EncoderOptions::is_about_decoders);
    if is_about_decoders && arguments.kind != Kind::Captions {
        return Err(Failure::usage("decoders are parts of models that write captions: use --kind captions"));
    }
    let kind = match arguments.kind {
        Kind::Masked => EncoderKind::Masked,
        Kind::Search => EncoderKind::Search,
        Kind::Captions => captions(arguments.encoder.as_ref()),
        Kind::Encoder | Kind::Linear | Kind::Code2vec | Kind::Code2seq => EncoderKind::Classes,
    };
    let Arguments { data, options, held_out, epochs, encoder, .. } = arguments;
    let plan = plan(kind, data, options, (*held_out, *epochs), encoder.as_ref());
    let screen = Screen::patient();
    if arguments.encoder.as_ref().is_some_and(|own| own.dry_run) {
        let estimate = estimate_encoder(&plan, &screen)?;
        drop(screen);
        say_estimate(&estimate, "tokens", arguments.json);
        return Ok(ExitCode::SUCCESS);
    }
    let trained = run_encoder(&plan, &arguments.output, &screen)?;
    drop(screen);
    Ok(say_folder(&trained, arguments.json))
}

/// The plan of a training, from the options that every kind of it has, and those of encoders.
pub fn plan(
    kind: EncoderKind,
    data: &[PathBuf],
    options: &dataset::Options,
    (held_out, epochs): (Option<f64>, Option<u64>),
    own: Option<&EncoderOptions>,
) -> EncoderPlan {
    let data = data.iter().map(|path| options.plan(path.clone())).collect();
    let mut plan = EncoderPlan::new(kind, data, Base::New(new()));
    plan.settings.seed = options.seed();
    if kind == EncoderKind::Masked {
        plan.settings.learning_rate = MASKED_RATE;
    }
    set(&mut plan.held_out, held_out);
    set(&mut plan.settings.length, epochs.map(Length::Epochs));
    let Some(own) = own else { return plan };
    plan.base = base(own);
    plan.validation = own.validation.as_ref().map(|path| options.plan(path.clone()));
    plan.stop_after = own.stop_after.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    plan.device = device(own);
    plan.variants = own.variants();
    own.change(&mut plan.settings);
    plan
}

/// Where to train.
pub fn device(own: &EncoderOptions) -> Device {
    match own.device {
        None | Some(Place::Cpu) => Device::Cpu,
        Some(Place::Cuda) => Device::Cuda,
    }
}

/// The decoder that writes captions.
fn captions(own: Option<&EncoderOptions>) -> EncoderKind {
    let layers = own.and_then(|own| own.decoder_layers).map(|layers| layers as usize);
    let mut tokens = CAPTION_TOKENS;
    set(&mut tokens, own.and_then(|own| own.max_target_tokens).map(|tokens| tokens as usize));
    EncoderKind::Captions { layers, tokens }
}

impl EncoderOptions {
    /// Is any of them about a decoder?
    pub fn is_about_decoders(&self) -> bool {
        self.decoder_layers.is_some() || self.max_target_tokens.is_some()
    }

    /// The numbers of a shape that the user gave.
    pub fn given(&self) -> Given {
        let number = |number: Option<u64>| number.map(|number| number as usize);
        Given {
            layers: number(self.layers),
            hidden: number(self.hidden),
            heads: number(self.heads),
            inner: number(self.inner),
            vocabulary: number(self.vocabulary),
            limit: number(self.max_tokens),
            positions: self.positions.map(Positions::kind),
        }
    }

    /// The variants to learn from.
    fn variants(&self) -> Option<VariantsPlan> {
        let mut plan = VariantsPlan { transform: self.variants.clone()?, ..VariantsPlan::default() };
        set(&mut plan.rewrites, self.rewrites.map(|count| count as usize));
        set(&mut plan.names, self.names.clone());
        set(&mut plan.consistency, self.consistency);
        Some(plan)
    }

    /// Is any of them about the shape of an encoder?
    pub fn is_about_encoders(&self) -> bool {
        let numbers = [self.layers, self.hidden, self.heads, self.inner, self.vocabulary, self.max_tokens];
        let is_text = self.collapse_whitespace || self.lower_case;
        self.is_about_decoders()
            || self.from.is_some()
            || numbers.iter().any(Option::is_some)
            || self.positions.is_some()
            || self.variants.is_some()
            || is_text
    }

    /// Takes what the user gave about the training.
    pub fn change(&self, settings: &mut TrainingSettings) {
        set(&mut settings.length, self.steps.map(Length::Steps).or(self.minutes.map(Length::Minutes)));
        set(&mut settings.learning_rate, self.learning_rate.map(|rate| rate as f32));
        set(&mut settings.warm_up, self.warm_up);
        set(&mut settings.batch_tokens, self.batch_tokens.map(|tokens| tokens as usize));
        set(&mut settings.accumulate, self.accumulate.map(|count| count as usize));
        for rate in [&mut settings.dropout, &mut settings.attention_dropout, &mut settings.head_dropout] {
            set(rate, self.dropout.map(|own| own as f32));
        }
        set(&mut settings.weight_decay, self.weight_decay.map(|decay| decay as f32));
        set(&mut settings.checkpoint_every, self.checkpoint_every);
        set(&mut settings.log_every, self.log_every);
        settings.evaluate_every = self.evaluate_every;
        settings.patience = self.patience;
        settings.half = self.half;
    }
}

fn base(own: &EncoderOptions) -> Base {
    let number = |number: Option<u64>| number.map(|number| number as usize);
    if let Some(place) = &own.from {
        return Base::From { place: place.clone(), limit: number(own.max_tokens) };
    }
    let mut encoder = new();
    set(&mut encoder.layers, number(own.layers));
    set(&mut encoder.hidden, number(own.hidden));
    set(&mut encoder.heads, number(own.heads));
    encoder.inner = number(own.inner).unwrap_or(4 * encoder.hidden);
    set(&mut encoder.vocabulary, number(own.vocabulary));
    set(&mut encoder.limit, number(own.max_tokens));
    set(&mut encoder.positions, own.positions.map(Positions::kind));
    encoder.collapse_whitespace = own.collapse_whitespace;
    encoder.lower_case = own.lower_case;
    Base::New(encoder)
}

/// Takes what the user gave.
pub fn set<Value>(place: &mut Value, given: Option<Value>) {
    if let Some(given) = given {
        *place = given;
    }
}

/// Prints what a training will take, which reads this unit.
pub fn say_estimate(estimate: &Estimate, unit: &str, is_json: bool) {
    let Estimate { parameters, examples, tokens, steps, weights, activations, seconds } = *estimate;
    // Gradients take as much as the weights, and the two moments of the optimiser twice as much.
    let memory = 4 * weights + activations;
    if is_json {
        return say_json(&json!({
            "parameters": parameters,
            "examples": examples,
            (format!("{unit} per epoch")): tokens,
            "steps per epoch": steps,
            "bytes": {"weights": weights, "gradients": weights, "moments": 2 * weights, "activations": activations, "all": memory},
            "seconds": seconds,
        }));
    }
    let megabytes = |bytes: usize| format!("{} MB", thousands(bytes.div_ceil(1_000_000)));
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("parameters", thousands(parameters));
    line(
        "epoch",
        format!("{} examples, {} {unit}, {} steps", thousands(examples), thousands(tokens), thousands(steps)),
    );
    line(
        "memory",
        format!(
            "about {}: weights {}, gradients {}, moments {}, activations of the largest batch {}",
            megabytes(memory),
            megabytes(weights),
            megabytes(weights),
            megabytes(2 * weights),
            megabytes(activations)
        ),
    );
    line("time", format!("about {} without evaluations", duration(seconds)));
    say(&text);
}
