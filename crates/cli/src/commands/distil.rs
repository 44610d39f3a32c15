//! `allotrope distil`: an encoder learns from the answers of a teacher.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::distil::{self, DistilPlan, FORMS};
use campaign::train::encoder::EncoderKind;
use measure::printed::thousands;
use training::train::SoftLoss;

use super::train::encoder::{EncoderOptions, plan, positive, say_estimate};
use super::train::trained::say_folder;
use super::train::{TRAINING, part};
use super::{MODEL_AND_DATA, OUTPUT, dataset};
use crate::failure::Failure;
use crate::say::note;
use crate::screen::Screen;

const TEACHER: &str = "Teacher";

/// The options of `allotrope distil`.
#[derive(clap::Args)]
#[command(
    mut_arg("from", |from| from.long("student").help(
        "Checkpoint that the student begins with, as hf:DIR: its weights, its vocabulary and its size. By default all of it is new, of the size below"
    )),
    mut_arg("consistency", |consistency| consistency.long("metamorphic").help(
        "Pull the student's answers to a program and to its variant together, with this weight, as MORPH wants them"
    )),
    mut_arg("variants", |variants| variants.help(
        "Learn from a variant of every program beside it: the transformations, as in `allotrope transform`, such as all or rename-local,if-true"
    )),
    mut_arg("decoder_layers", |option| option.hide(true)),
    mut_arg("max_target_tokens", |option| option.hide(true)),
)]
pub struct Arguments {
    /// Teacher, as KIND:WHERE: any model that answers with the probabilities of classes, also recorded:FILE.
    #[arg(long, value_name = "MODEL", help_heading = TEACHER)]
    teacher: String,
    /// Temperature that the answers of teacher and student are softened at.
    #[arg(long, value_name = "T", value_parser = positive, default_value_t = 2.0, help_heading = TEACHER)]
    temperature: f64,
    /// How far the student is from its teacher.
    #[arg(long, value_enum, default_value_t = Loss::Kl, help_heading = TEACHER)]
    loss: Loss,
    /// How much the labels count beside the teacher, from 0 to 1. An example without a label has that of the teacher.
    #[arg(long, value_name = "WEIGHT", value_parser = weight, default_value_t = 0.0, help_heading = TEACHER)]
    label_weight: f64,
    /// Pull the student to what the teacher says about variants, with this weight; by default a variant has the answer to its original. The teacher is
    /// queried on them as well.
    #[arg(long, value_name = "WEIGHT", value_parser = positive, requires = "variants", help_heading = TEACHER)]
    faithful: Option<f64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000), requires = "faithful", help_heading = TEACHER,
        help = format!("Number of variants of every example that the teacher is queried on; each epoch draws one [default: {FORMS}]"))]
    forms: Option<u64>,
    /// Pull the student's states at the first token to the teacher's, with this weight, through a learned projection where they have another width. The
    /// teacher has to be an hf: encoder.
    #[arg(long, value_name = "WEIGHT", value_parser = positive, help_heading = TEACHER)]
    hidden_states: Option<f64>,
    /// Data set: a file or a folder. Its examples need no labels.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    #[arg(long, value_name = "SHARE", value_parser = part, help_heading = TRAINING, help = format!(
        "Share of the examples that is held out to evaluate the student; 0 trains on all of them [default: {}]", EncoderKind::Classes.held_out()))]
    held_out: Option<f64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = TRAINING,
        help = format!("Number of epochs [default: {}]", super::train::encoder::epochs()))]
    epochs: Option<u64>,
    #[command(flatten)]
    student: Option<EncoderOptions>,
    /// Folder to write the student to, opened as hf:FOLDER. The same command resumes what was stopped.
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// How far a student is from its teacher.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Loss {
    /// The divergence of Kullback and Leibler times the square of the temperature, as Compressor and AVATAR have it.
    Kl,
    /// The cross entropy, as MORPH has it.
    CrossEntropy,
}

fn weight(text: &str) -> Result<f64, String> {
    let weight = text.parse().ok().filter(|weight| (0.0..=1.0).contains(weight));
    weight.ok_or_else(|| "write a number from 0 to 1, such as 0.5".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.student.as_ref().is_some_and(EncoderOptions::is_about_decoders) {
        return Err(Failure::usage(
            "students answer with classes, and decoders are parts of models that write captions",
        ));
    }
    let Arguments { data, options, held_out, epochs, student, .. } = arguments;
    let student =
        plan(EncoderKind::Classes, std::slice::from_ref(data), options, (*held_out, *epochs), student.as_ref());
    let plan = DistilPlan {
        temperature: arguments.temperature,
        loss: match arguments.loss {
            Loss::Kl => SoftLoss::Divergence,
            Loss::CrossEntropy => SoftLoss::CrossEntropy,
        },
        label_weight: arguments.label_weight,
        faithful: arguments.faithful,
        forms: arguments.forms.map_or(FORMS, |forms| forms as usize),
        hidden_states: arguments.hidden_states,
        ..DistilPlan::new(arguments.teacher.clone(), student)
    };
    let screen = Screen::patient();
    if arguments.student.as_ref().is_some_and(|own| own.dry_run) {
        let estimate = distil::estimate(&plan, &screen)?;
        drop(screen);
        say_estimate(&estimate, "tokens", arguments.json);
        return Ok(ExitCode::SUCCESS);
    }
    let distilled = distil::run(&plan, &arguments.output, &screen)?;
    drop(screen);
    let (queried, left_out) = (thousands(distilled.queried), thousands(distilled.left_out));
    note(&format!("the teacher was queried on {queried} inputs now; {left_out} examples are left out"));
    Ok(say_folder(&distilled.student, arguments.json))
}
