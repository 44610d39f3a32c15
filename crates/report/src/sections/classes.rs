//! What every attack did to each class, and how well calibrated the model is that was attacked.

use std::collections::{BTreeMap, BTreeSet};

use campaign::run::Record;
use measure::Summary;
use measure::metrics::{BINS, calibration_error};
use measure::summary::input_numbers;
use model::Prediction;
use search::Outcome;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::escape;
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::colour;
use crate::pictures::reliability::{bins, reliability};

/// More classes than this are no breakdown that anybody reads.
const MOST: usize = 24;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Attack), id: "classes", title: "Classes", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let is_classifier = material
        .runs
        .iter()
        .flat_map(|run| &run.records)
        .any(|record| matches!(record.before, Some(Prediction::Classes(_))));
    let truths: BTreeSet<&str> =
        material.runs.iter().flat_map(|run| &run.targets).filter_map(|target| target.truth.as_deref()).collect();
    let calibration = calibration(material);
    if !is_classifier || !(2..=MOST).contains(&truths.len()) {
        return calibration;
    }
    let columns = vec![
        Column::new("Attack"),
        Column::new("Class"),
        Column::new("Targets"),
        Column::new("Answered right").meaning("Share of the answered targets of the class that the model was right about before."),
        Column::new("Attacked"),
        Column::new("Broken"),
        Column::new("Success rate").meaning("Attacked targets of the class with a valid adversarial example."),
        Column::new("Judged by").meaning("Of the examples that changed an answer, the share that was judged by names, by a compiler and by execution."),
    ];
    let mut sheet = Sheet::new("classes", "Attacks on each class", columns);
    sheet.heads = 2;
    for attack in &material.numbers.attacks {
        let run = &material.runs[attack.run];
        let records: &BTreeMap<usize, &Record> = &run
            .records
            .iter()
            .filter(|record| record.attack == attack.attack)
            .map(|record| (record.number, record))
            .collect();
        for truth in &truths {
            let own = || {
                let of_class = run.targets.iter().filter(move |target| target.truth.as_deref() == Some(*truth));
                of_class.filter_map(move |target| Some((target, *records.get(&target.number)?)))
            };
            if own().next().is_none() {
                continue;
            }
            let clusters = input_numbers(own().map(|(target, _)| target.cluster.as_str()));
            let one_if = |is: bool| Some(f64::from(u8::from(is)));
            let right: Vec<Option<f64>> = own()
                .map(|(_, record)| match record.outcome {
                    Outcome::Fault => None,
                    outcome => one_if(outcome.is_attacked() || outcome == Outcome::NoSite),
                })
                .collect();
            let broken: Vec<Option<f64>> = own()
                .map(|(_, record)| {
                    record.outcome.is_attacked().then_some(f64::from(u8::from(record.outcome == Outcome::Success)))
                })
                .collect();
            let mut summary = Summary::default();
            summary.push_share("right", &right, Some(&clusters), &material.numbers.bootstrap);
            summary.push_share("broken", &broken, Some(&clusters), &material.numbers.bootstrap);
            let judged = campaign::compare::Judged::of(own().map(|(_, record)| record));
            sheet.rows.push(vec![
                Entry::text(&attack.name),
                Entry::text(truth),
                Entry::count(own().count()),
                Entry::line(summary.line("right"), true),
                Entry::count(broken.iter().flatten().count()),
                Entry::count(broken.iter().flatten().filter(|is| **is == 1.0).count()),
                Entry::line(summary.line("broken"), true),
                Entry::text(&judged.to_string()),
            ]);
        }
    }
    calibration.into_iter().chain([Part::Table(sheet)]).collect()
}

/// How often the models of the runs are right with some confidence, about the targets as they were before any attack.
fn calibration(material: &Material<'_>) -> Vec<Part> {
    let mut models = Vec::new();
    let mut errors = Vec::new();
    for (place, run) in material.runs.iter().enumerate() {
        // Where a measure decides, no answer is right or wrong. Attacks on one target had the same answer before.
        let mut answers: BTreeMap<usize, (f64, bool)> = BTreeMap::new();
        for record in run.records.iter().filter(|_| run.goal().is_none()) {
            if let Some(Prediction::Classes(shares)) = &record.before {
                let confidence = shares.iter().copied().fold(0.0, f32::max);
                answers
                    .entry(record.number)
                    .or_insert((f64::from(confidence), record.outcome != Outcome::Misclassified));
            }
        }
        if answers.is_empty() {
            continue;
        }
        let (confidence, right): (Vec<f64>, Vec<bool>) = answers.values().copied().unzip();
        let name = if material.runs.len() > 1 { run.name.clone() } else { "model".to_owned() };
        if let Some(error) = calibration_error(&confidence, &right, BINS) {
            errors.push(format!("{} {error:.3}", escape(&name)));
        }
        models.push((name, colour(place), bins(answers.into_values())));
    }
    if models.is_empty() {
        return Vec::new();
    }
    vec![Part::Pictures(vec![Picture {
        name: "calibration".to_owned(),
        title: "Reliability before the attacks".to_owned(),
        drawing: reliability(&models),
        caption: format!(
            "Accuracy of the answers about the targets within each tenth of confidence; the larger a dot, the more answers. On the diagonal, confidence is as high as it should be. Expected calibration error over {BINS} bins: {}.",
            errors.join(", ")
        ),
    }])]
}
