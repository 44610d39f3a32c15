//! How well models do, and what they cost: their measures, and scores against the size of the weights and the time of an answer.

use super::distillation::size;
use super::{Material, Section};
use crate::contents::{EvaluationRun, Kind};
use crate::markup::{escape, short};
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::front::{Dot, InWords, front};
use crate::pictures::{Drawing, Rows, colour, short_names};

/// What a score may be, the one that is drawn first.
const SCORES: [&str; 6] = ["accuracy", "f1", "mean reciprocal rank", "mrr", "bleu", "macro f1"];

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Evaluation), id: "evaluation", title: "Evaluated models", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.evaluations;
    if runs.is_empty() {
        return Vec::new();
    }
    let mut pictures = Vec::new();
    // Models are compared by a score that all of them have.
    let is_common = |score: &&&str| runs.iter().all(|run| value(run, score).is_some());
    if let Some(score) = SCORES.iter().find(is_common) {
        pictures.push(Picture {
            name: "evaluation scores".to_owned(),
            title: format!("{score} of the models"),
            drawing: scores(runs, score),
            caption: "With intervals.".to_owned(),
        });
        let seconds =
            |run: &EvaluationRun| (run.asked > 0 && run.seconds > 0.0).then(|| run.seconds / run.asked as f64);
        let bytes = |run: &EvaluationRun| run.bytes.map(|bytes| bytes as f64);
        let fronts: [(&str, &str, Dots, InWords); 2] = [
            ("size", "size of the weights", dots(runs, score, bytes), size),
            ("latency", "time of an answer", dots(runs, score, seconds), time),
        ];
        for (name, cost, dots, in_words) in fronts {
            if dots.len() > 1 {
                let title = format!("{score} against {cost}");
                pictures.push(Picture {
                    name: format!("evaluation {name}"),
                    drawing: front(&title, cost, in_words, &dots),
                    title,
                    caption: "With intervals. The line joins the models that no other beats in both.".to_owned(),
                });
            }
        }
    }
    let mut parts = Vec::new();
    if !pictures.is_empty() {
        parts.push(Part::Pictures(pictures));
    }
    parts.push(Part::Table(table(runs)));
    parts.push(Part::paragraph("The time of an answer is that of the whole evaluation divided by its inputs, in batches and on the machine that evaluated the model."));
    parts
}

type Dots = Vec<Dot>;

fn value(run: &EvaluationRun, score: &str) -> Option<f64> {
    run.measures.iter().find(|line| line.measure == score)?.value
}

fn dots(runs: &[EvaluationRun], score: &str, cost: impl Fn(&EvaluationRun) -> Option<f64>) -> Dots {
    let dot = |run: &EvaluationRun| {
        let line = run.measures.iter().find(|line| line.measure == score)?;
        Some(Dot {
            name: run.origin.name.clone(),
            cost: cost(run)?,
            score: line.value?,
            interval: line.interval,
            is_guess: false,
        })
    };
    runs.iter().filter_map(dot).collect()
}

/// A time in words.
pub fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 0.001 => format!("{} µs", short(seconds * 1e6)),
        seconds if seconds < 1.0 => format!("{} ms", short(seconds * 1e3)),
        seconds => format!("{} s", short(seconds)),
    }
}

fn scores(runs: &[EvaluationRun], score: &str) -> Drawing {
    Drawing::new(&format!("{score} of the models with intervals"), |width| {
        let names = short_names(runs.iter().map(|run| run.origin.name.as_str()), width);
        let mut rows = Rows::of_shares(&names, width);
        for (place, run) in runs.iter().enumerate() {
            let Some(line) = run.measures.iter().find(|line| line.measure == score) else { continue };
            let middle = rows.middle(place);
            rows.bar(middle, 14.0, line.value.unwrap_or(0.0), &format!("bar {}", colour(place)));
            if let Some(interval) = &line.interval {
                rows.whisker(middle, interval, 4.0);
            }
            rows.note(place, &line.value.map_or("–".to_owned(), short));
        }
        rows.finish()
    })
}

/// A row for each model, with all that any of them was measured by.
fn table(runs: &[EvaluationRun]) -> Sheet {
    let mut measures: Vec<&str> = Vec::new();
    for line in runs.iter().flat_map(|run| &run.measures) {
        if !measures.contains(&line.measure.as_str()) {
            measures.push(&line.measure);
        }
    }
    let heads = ["Evaluation", "Model", "Task", "Inputs", "Size", "Time of an answer"];
    let mut columns: Vec<Column> = heads.map(Column::new).into();
    columns.extend(measures.iter().map(|measure| Column::new(*measure)));
    let mut sheet = Sheet::new("evaluation models", "Evaluated models", columns);
    sheet.heads = 3;
    for run in runs {
        let bytes = run.bytes.map(|bytes| bytes as f64);
        let seconds = (run.asked > 0).then(|| run.seconds / run.asked as f64);
        let place = run.origin.models.first().map(|(_, model)| format!("{}:{}", model.kind, model.place));
        let mut row = vec![
            Entry::text(&run.origin.name),
            Entry::text(&place.unwrap_or_default()),
            Entry::text(&run.task),
            Entry::count(run.asked),
            Entry::number(bytes, None).shown(bytes.map_or("–".to_owned(), size)),
            Entry::number(seconds, None).shown(seconds.map_or("–".to_owned(), |seconds| escape(&time(seconds)))),
        ];
        let line = |measure: &&str| run.measures.iter().find(|line| line.measure == *measure);
        row.extend(measures.iter().map(|measure| Entry::line(line(measure), false)));
        sheet.rows.push(row);
    }
    sheet
}
