//! How students learned from their teachers, and what their size costs in accuracy.

use serde_json::Value;

use super::training::{best, curves};
use super::{Material, Section};
use crate::contents::{Kind, TrainingRun};
use crate::markup::escape;
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::front::{Dot, front};

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Distillation), id: "distillation", title: "Distilled students", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.distillations;
    if runs.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let dots: Vec<Dot> = runs.iter().filter_map(dot).collect();
    if dots.len() > 1 {
        parts.push(Part::Pictures(vec![Picture {
            name: "distillation size".to_owned(),
            title: "Accuracy against size".to_owned(),
            drawing: front("Accuracy of students against the size of their weights", "size of the weights", size, &dots),
            caption: "The best accuracy on what each student was evaluated on while it learned. The line joins the students that no other beats in both.".to_owned(),
        }]));
    }
    parts.push(Part::Table(table(runs)));
    parts.push(Part::paragraph(
        "Accuracy is measured on what was held out of the training, or on its validation. How closely a student follows its teacher is what <code>allotrope fidelity</code> measures.",
    ));
    parts.extend(curves(runs, "distillation"));
    parts
}

fn dot(run: &TrainingRun) -> Option<Dot> {
    let (_, accuracy) = best(run)?;
    Some(Dot {
        name: run.origin.name.clone(),
        cost: run.bytes? as f64,
        score: accuracy?,
        interval: None,
        is_guess: false,
    })
}

/// A number of bytes in words.
pub fn size(bytes: f64) -> String {
    let (number, unit) = match bytes {
        bytes if bytes >= 999_500.0 => (bytes / 1e6, "MB"),
        bytes if bytes >= 1000.0 => (bytes / 1e3, "kB"),
        bytes => (bytes, "bytes"),
    };
    // Three digits are enough to tell models apart.
    let digits = if number >= 100.0 || number.fract() == 0.0 { 0 } else { 1 + usize::from(number < 10.0) };
    format!("{number:.digits$} {unit}")
}

/// What a student learns from, in markup, without its digest.
pub fn teacher(run: &TrainingRun) -> String {
    let teaching = run.teaching.as_ref();
    let teacher = teaching.and_then(|teaching| teaching["teacher"].as_str()).unwrap_or("a teacher");
    escape(teacher.split(' ').next().unwrap_or(teacher))
}

/// A row for each student, with what it was told.
fn table(runs: &[TrainingRun]) -> Sheet {
    let mut settings: Vec<&String> = Vec::new();
    for key in runs.iter().filter_map(|run| run.teaching.as_ref()?.as_object()).flat_map(serde_json::Map::keys) {
        if !settings.contains(&key) {
            settings.push(key);
        }
    }
    let mut columns =
        vec![Column::new("Student"), Column::new("Size"), Column::new("Accuracy"), Column::new("At step")];
    columns.extend(settings.iter().map(|key| Column::new(key.replace('-', " ")).words()));
    let mut sheet = Sheet::new("distillation students", "Students and what they learned from", columns);
    for run in runs {
        let found = best(run);
        let bytes = run.bytes.map(|bytes| bytes as f64);
        let mut row = vec![
            Entry::text(&run.origin.name),
            Entry::number(bytes, None).shown(bytes.map_or("–".to_owned(), size)),
            Entry::share(found.and_then(|(_, accuracy)| accuracy), None),
            found.map_or_else(|| Entry::text("–"), |(step, _)| Entry::count(step as usize)),
        ];
        let said = |key: &&String| match run.teaching.as_ref().map(|teaching| &teaching[key.as_str()]) {
            None | Some(Value::Null) => "–".to_owned(),
            Some(Value::String(text)) => text.split(' ').next().unwrap_or(text).to_owned(),
            Some(other) => other.to_string(),
        };
        row.extend(settings.iter().map(|key| Entry::text(&said(key))));
        sheet.rows.push(row);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_readers() {
        let shown = [12.0, 57_000.0, 999_499.0, 999_600.0, 1_750_000.0, 498e6].map(size);
        assert_eq!(shown, ["12 bytes", "57 kB", "999 kB", "1.00 MB", "1.75 MB", "498 MB"]);
    }
}
