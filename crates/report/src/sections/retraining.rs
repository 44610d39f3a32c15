//! What retraining cost and brought: every model under every attack as a heat map, and the tables.

use std::collections::BTreeSet;

use campaign::compare::Judged;
use campaign::retrain::{Answers, Scores};
use campaign::run::Record;
use search::Outcome;

use super::{Material, Section, heading_of, named};
use crate::contents::{Kind, Retrained, RetrainingRun};
use crate::markup::escape;
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::heat_map;

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Retraining), id: "retraining", title: "Retrained models", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.retrainings;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        if run.tables.is_empty() {
            parts.push(Part::paragraph(
                "The retraining is not finished: this is what is done, and the same command resumes it.",
            ));
        }
        let pictures = pictures(run, &name);
        if !pictures.is_empty() {
            parts.push(Part::Pictures(pictures));
        }
        for (title, table) in &run.tables {
            let mut sheet = Sheet::of(&name(&format!("retraining {}", title.to_lowercase())), title, table);
            if title == "Fresh attacks" {
                add_judged(&mut sheet, run);
            }
            parts.extend([Part::heading(title), Part::Table(sheet)]);
        }
    }
    parts
}

/// By what the examples of every attack were judged, beside their rates.
fn add_judged(sheet: &mut Sheet, run: &RetrainingRun) {
    let place = 3.min(sheet.columns.len());
    sheet.heads = 2;
    sheet.columns.insert(place, Column::new("judged by"));
    let attacks = run.models.iter().flat_map(|model| {
        let mut attacks: Vec<&(String, Vec<Record>)> = model.attacks.iter().collect();
        // The table has them in the order of their names.
        attacks.sort_by(|one, other| one.0.cmp(&other.0));
        attacks
    });
    for (row, (_, records)) in sheet.rows.iter_mut().zip(attacks) {
        let words = Judged::of(records).to_string();
        let lines: Vec<String> = words.split(", ").map(escape).collect();
        row.insert(place, Entry::text(&words).shown(lines.join("<br>")).class("lines"));
    }
}

fn pictures(run: &RetrainingRun, name: &dyn Fn(&str) -> String) -> Vec<Picture> {
    let rows: Vec<String> = run.models.iter().map(|model| model.name.clone()).collect();
    let mut pictures = Vec::new();
    let attacks: BTreeSet<&String> =
        run.models.iter().flat_map(|model| model.attacks.iter().map(|(attack, _)| attack)).collect();
    if !attacks.is_empty() {
        let rate = |model: &Retrained, attack: &String| -> Option<f64> {
            let (_, records) = model.attacks.iter().find(|(name, _)| name == attack)?;
            let attacked = records.iter().filter(|record| record.outcome.is_attacked()).count();
            let broken = records.iter().filter(|record| record.outcome == Outcome::Success).count();
            (attacked > 0).then(|| broken as f64 / attacked as f64)
        };
        let cells: Vec<Vec<Option<f64>>> =
            run.models.iter().map(|model| attacks.iter().map(|attack| rate(model, attack)).collect()).collect();
        let columns: Vec<String> = attacks.iter().map(|attack| (*attack).clone()).collect();
        pictures.push(Picture {
            name: name("retraining attacks"),
            title: "Success rate of fresh attacks".to_owned(),
            drawing: heat_map("Success rate of every attack on every model, in percent", &rows, &columns, &cells),
            caption: "In percent of attacked targets: models in rows, attacks in columns. Less is better.".to_owned(),
        });
    }
    let sets = |of: fn(&Scores) -> Vec<&String>| -> BTreeSet<String> {
        run.models.iter().filter_map(|model| model.scores.as_ref()).flat_map(of).cloned().collect()
    };
    let (rewritten, adversarial) =
        (sets(|scores| scores.rewritten.keys().collect()), sets(|scores| scores.adversarial.keys().collect()));
    if let Some(measure) = run.models.iter().find_map(|model| Some(model.scores.as_ref()?.clean.measure())) {
        let measure = if measure == "accuracy" { "Accuracy" } else { measure };
        let row = |model: &Retrained| -> Vec<Option<f64>> {
            let Some(scores) = &model.scores else { return vec![None; 1 + rewritten.len() + adversarial.len()] };
            let mut row = vec![scores.clean.value()];
            row.extend(rewritten.iter().map(|set| scores.rewritten.get(set).and_then(Answers::value)));
            row.extend(adversarial.iter().map(|attack| scores.adversarial.get(attack).and_then(Answers::value)));
            row
        };
        let mut columns = vec!["clean".to_owned()];
        columns.extend(rewritten.iter().cloned());
        columns.extend(adversarial.iter().map(|attack| format!("by {attack}")));
        let cells: Vec<Vec<Option<f64>>> = run.models.iter().map(row).collect();
        pictures.push(Picture {
            name: name("retraining accuracy"),
            title: measure.to_owned(),
            drawing: heat_map(&format!("{measure} of every model on every test set, in percent"), &rows, &columns, &cells),
            caption: "In percent: on clean programs, on rewritten ones, and on the adversarial examples that each attack found against the original model. More is better.".to_owned(),
        });
    }
    pictures
}
