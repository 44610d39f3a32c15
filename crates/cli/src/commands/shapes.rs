//! `allotrope shapes`: which shape should a student have?

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::shapes::{
    Given, ShapesPlan, Style, Summary, TrialPlan, chosen_table, evaluation_table, front_table, latencies, run as search,
};
use campaign::train::encoder::EncoderKind;
use measure::Table;
use serde_json::json;
use training::train::Length;

use super::train::encoder::{EncoderOptions, plan, positive};
use super::train::{TRAINING, part};
use super::{MODEL_AND_DATA, OUTPUT, SEARCH, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// How many steps a shape is trained by default.
const STEPS: u64 = 300;

/// How many shapes are trained by default, as AVATAR trains.
const SHAPES: u64 = 20;

/// How many choices of a style are trained by default.
const FINALISTS: u64 = 4;

/// On how many examples they are judged by default.
const JUDGED: u64 = 500;

/// The options of `allotrope shapes`.
#[derive(clap::Args)]
#[command(
    mut_arg("from", |option| option.hide(true)),
    mut_arg("half", |option| option.hide(true)),
    mut_arg("dry_run", |option| option.hide(true)),
    mut_arg("decoder_layers", |option| option.hide(true)),
    mut_arg("max_target_tokens", |option| option.hide(true)),
    mut_arg("consistency", |option| option.long("metamorphic")),
    mut_arg("variants", |option| option.help(
        "Learn from a variant of every program beside it, and count flips on such variants [default for flips: rename-function,rename-parameter]"
    )),
)]
pub struct Arguments {
    /// How shapes are searched; repeatable, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Named::ALL, value_name = "STYLE", help_heading = SEARCH)]
    style: Vec<Named>,
    /// Maximum size of the weights, in MB.
    #[arg(long, value_name = "MB", value_parser = positive, default_value_t = 3.0, help_heading = SEARCH)]
    size: f64,
    /// Bits of a weight: 32, 16 as with --half, or 8.
    #[arg(long, value_name = "BITS", value_parser = bits, default_value_t = 32, help_heading = SEARCH)]
    bits: usize,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000), default_value_t = SHAPES, help_heading = SEARCH,
        help = "Number of shapes that are trained, which avatar and morph learn from")]
    shapes: u64,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1000), default_value_t = FINALISTS, help_heading = SEARCH,
        help = "Maximum number of choices of a style that are trained as well; 0 keeps to its first guess")]
    finalists: u64,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = JUDGED, help_heading = SEARCH,
        help = "Number of examples of the validation that a shape is judged on")]
    judged: u64,
    /// Teacher of the shapes that are trained, as KIND:WHERE; by default they learn from the labels.
    #[arg(long, value_name = "MODEL", requires = "data", help_heading = MODEL_AND_DATA)]
    teacher: Option<String>,
    /// Data set that shapes are trained on; --style compressor needs none.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: dataset::Options,
    /// Train each shape for N epochs, instead of steps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = TRAINING)]
    epochs: Option<u64>,
    /// Shapes are judged on a validation set, and nothing is held out.
    #[arg(long, hide = true, value_parser = part)]
    held_out: Option<f64>,
    #[command(flatten)]
    student: Option<EncoderOptions>,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json", help_heading = OUTPUT)]
    markdown: bool,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Named {
    /// Many operations in few bytes, by a genetic algorithm. Nothing is trained.
    Compressor,
    /// Size, operations, energy and accuracy, which a linear surrogate guesses.
    Avatar,
    /// Size, operations, accuracy and prediction flips, which boosted stumps guess.
    Morph,
}

impl Named {
    const ALL: [Named; 3] = [Named::Compressor, Named::Avatar, Named::Morph];

    fn style(self) -> Style {
        match self {
            Named::Compressor => Style::Compressor,
            Named::Avatar => Style::Avatar,
            Named::Morph => Style::Morph,
        }
    }
}

fn bits(text: &str) -> Result<usize, String> {
    let bits = text.parse().ok().filter(|bits| [8, 16, 32].contains(bits));
    bits.ok_or_else(|| "write 8, 16 or 32".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { data, options, student, output, .. } = arguments;
    if student.as_ref().is_some_and(|own| own.is_about_decoders() || own.dry_run) || arguments.held_out.is_some() {
        return Err(Failure::usage(
            "shapes of encoders are searched: decoders, --held-out and --dry-run are not for them",
        ));
    }
    let given = student.as_ref().map_or(Given::default(), EncoderOptions::given);
    let trial = data.as_ref().map(|data| {
        let mut own =
            plan(EncoderKind::Classes, std::slice::from_ref(data), options, (None, arguments.epochs), student.as_ref());
        if let (Length::Epochs(_), None) = (own.settings.length, arguments.epochs) {
            own.settings.length = Length::Steps(STEPS);
        }
        TrialPlan {
            teacher: arguments.teacher.clone(),
            student: own,
            shapes: arguments.shapes as usize,
            finalists: arguments.finalists as usize,
            judged: arguments.judged as usize,
        }
    });
    let mut styles: Vec<Style> = arguments.style.iter().map(|style| style.style()).collect();
    styles.sort_by_key(|style| Style::ALL.iter().position(|own| own == style));
    styles.dedup();
    let plan = ShapesPlan {
        styles,
        bytes: (1e6 * arguments.size) as u64,
        bits: arguments.bits,
        given,
        seed: options.seed(),
        trial,
    };
    let screen = Screen::patient();
    let summary = search(&plan, output, &screen)?;
    drop(screen);
    if arguments.json {
        say_json(&json!(summary));
        return Ok(ExitCode::SUCCESS);
    }
    let latencies = latencies(output)?;
    let shown = |table: &Table| if arguments.markdown { table.to_markdown() } else { table.to_text() };
    say_tables(&summary, &shown, &evaluation_table(&summary, &latencies));
    for found in &summary.styles {
        let file = output.join(format!("{}.options", found.style.name()));
        say(&format!("\n{}: {}\nin {}\n", found.style.name(), found.chosen.options(), file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn say_tables(summary: &Summary, shown: &dyn Fn(&Table) -> String, evaluations: &Table) {
    if !summary.evaluations.is_empty() {
        say("shapes that were trained\n\n");
        say(&shown(evaluations));
        if let Some([linear, boosted, flips]) = summary.errors {
            say(&format!(
                "\nmean error on a shape left out: {linear:.4} of the accuracy (avatar), {boosted:.4} of it (morph), {flips:.4} of the flips (morph)\n\n"
            ));
        }
    }
    for found in &summary.styles {
        let what = if found.style == Style::Compressor { "fittest shapes" } else { "front" };
        say(&format!("{}: {what}\n\n", found.style.name()));
        say(&shown(&front_table(found)));
        say("\n");
    }
    say("chosen\n\n");
    say(&shown(&chosen_table(summary)));
}
