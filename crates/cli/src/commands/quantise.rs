//! `allotrope quantise`: a copy of a checkpoint with fewer bits.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::work::WorkError;
use measure::printed::thousands;
use model::weights::quantised::Bits;
use serde_json::json;
use training::quantise::{KINDS, quantise};

use super::{MODEL_AND_DATA, OUTPUT};
use crate::failure::Failure;
use crate::say::{say, say_json};

/// The options of `allotrope quantise`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Checkpoint, as hf:DIR, code2vec:DIR or code2seq:DIR.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    model: String,
    /// Bits of a number of a matrix. Each row has a scale of its own; biases and norms have 16 bits.
    #[arg(long, value_enum, help_heading = MODEL_AND_DATA)]
    bits: Width,
    /// Folder to write, opened as the same kind of model.
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Width {
    #[value(name = "8")]
    Eight,
    #[value(name = "4")]
    Four,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let kind = arguments.model.split_once(':').map(|(kind, _)| kind).filter(|kind| KINDS.contains(kind));
    let Some(kind) = kind else {
        let problem =
            "only the weights of a checkpoint can be quantised: name it as hf:DIR, code2vec:DIR or code2seq:DIR";
        return Err(Failure::usage(problem));
    };
    let model = format!("{kind}:{}", arguments.output.display());
    let bits = match arguments.bits {
        Width::Eight => Bits::Eight,
        Width::Four => Bits::Four,
    };
    let made = quantise(&arguments.model, bits, &arguments.output).map_err(WorkError::from)?;
    if arguments.json {
        say_json(&json!({"model": model, "numbers": made.numbers, "quantised": made.quantised,
            "bytes": {"before": made.before, "now": made.now, "loaded": made.loaded}}));
        return Ok(ExitCode::SUCCESS);
    }
    let size = |bytes: u64| format!("{} kB", thousands(bytes.div_ceil(1000) as usize));
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("model", model);
    line("numbers", format!("{}, of which {} are quantised", thousands(made.numbers), thousands(made.quantised)));
    line("weights", format!("{}, before {}; in memory {}", size(made.now), size(made.before), size(made.loaded)));
    say(&text);
    Ok(ExitCode::SUCCESS)
}
