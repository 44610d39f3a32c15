//! What `allotrope train` prints at the end.

use std::process::ExitCode;

use campaign::train::encoder::duration;
use campaign::train::folder::{Learned, TrainedFolder};
use measure::printed::thousands;
use serde_json::{Value, json};

use crate::commands::evaluate::measures;
use crate::say::{note, say, say_json};

/// Says what the training of a folder came to.
pub fn say_folder(folder: &TrainedFolder, is_json: bool) -> ExitCode {
    match is_json {
        true => say_as_json(folder),
        false => say_text(folder),
    }
    ended(folder.is_interrupted)
}

/// The exit status of a training whose model is complete.
pub fn ended(is_interrupted: bool) -> ExitCode {
    if is_interrupted {
        note("stopped: the model is complete, but not all of what was held out was evaluated");
        return ExitCode::from(130);
    }
    ExitCode::SUCCESS
}

fn say_text(folder: &TrainedFolder) {
    let (identity, trained) = (folder.model.identity(), &folder.trained);
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("model", folder.name.clone());
    line("identity", identity.digest.chars().take(16).collect());
    line("parameters", thousands(trained.parameters));
    let paths: Vec<String> = folder.paths.iter().map(|path| path.display().to_string()).collect();
    line("data", paths.join(", "));
    line("learned", format!("from {}", in_words(&folder.learned)));
    let steps = thousands(trained.steps as usize);
    let (read, took) = (thousands(trained.tokens as usize), duration(trained.seconds));
    let (unit, share) = match folder.learned {
        // It writes names word by word.
        Learned::Methods { .. } if identity.kind == "code2seq" => ("contexts", "words right"),
        Learned::Methods { .. } => ("contexts", "names right"),
        _ => ("tokens", "accuracy"),
    };
    line("training", format!("{steps} steps, {} epochs, {read} {unit}, {took}", trained.epochs));
    if let Some(best) = &trained.best {
        let (accuracy, loss) = (100.0 * best.score.accuracy, best.score.loss);
        line("best", format!("at step {}: {share} {accuracy:.2} %, loss {loss:.4}", best.step));
    }
    if let Some(quality) = &folder.quality {
        line(
            "held out",
            format!("{} examples, which chose the weights, and on which the model has:", quality.measured),
        );
        text.push('\n');
        text.push_str(&quality.summary.to_table().to_text());
    }
    say(&text);
}

fn in_words(learned: &Learned) -> String {
    match learned {
        Learned::Classes { examples, labels } => {
            format!("{} examples of {} classes", thousands(*examples), labels.len())
        }
        Learned::Programs(programs) => format!("{} programs", thousands(*programs)),
        Learned::Pairs(pairs) => format!("{} pairs of a text and a program", thousands(*pairs)),
        Learned::Methods { methods, contexts } => {
            format!("{} methods, {} contexts", thousands(*methods), thousands(*contexts))
        }
    }
}

fn say_as_json(folder: &TrainedFolder) {
    let quality = folder.quality.as_ref();
    say_json(&json!({
        "model": folder.model.identity(),
        "data": folder.paths,
        "learned": as_json(&folder.learned),
        "training": folder.trained,
        "held out": quality.map(|own| json!({"examples": own.measured, "measures": measures(&own.summary)})),
    }));
}

fn as_json(learned: &Learned) -> Value {
    match learned {
        Learned::Classes { examples, labels } => json!({"examples": examples, "labels": labels}),
        Learned::Programs(programs) => json!({"programs": programs}),
        Learned::Pairs(pairs) => json!({"pairs": pairs}),
        Learned::Methods { methods, contexts } => json!({"methods": methods, "contexts": contexts}),
    }
}
