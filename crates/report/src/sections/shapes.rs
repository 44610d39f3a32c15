//! The fronts that searches for the shape of a student found: accuracy against size, work and time.

use super::distillation::size;
use super::evaluation::time;
use super::{Material, Section, heading_of, named};
use crate::contents::{Kind, Shape, ShapesRun};
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::front::{Dot, InWords, fronts};

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Shapes), id: "shapes", title: "Fronts of shapes", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.shapes;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        let axes: [(&str, &str, Cost, InWords); 3] = [
            ("size", "size of the weights", |shape| shape.bytes, size),
            ("latency", "time of an answer", |shape| shape.seconds, time),
            ("work", "operations of an answer", |shape| shape.operations, |number| format!("{number:.0e}")),
        ];
        let mut pictures = Vec::new();
        for (file, cost, of, in_words) in axes {
            let sets: Vec<(String, Vec<Dot>)> = run
                .styles
                .iter()
                .map(|(style, _, front)| (style.clone(), front.iter().filter_map(|shape| dot(shape, of)).collect()))
                .filter(|(_, dots): &(String, Vec<Dot>)| !dots.is_empty())
                .collect();
            if sets.is_empty() {
                continue;
            }
            let title = format!("Accuracy against {cost}");
            pictures.push(Picture {
                name: name(&format!("shapes {file}")),
                drawing: fronts(&title, cost, in_words, &sets),
                title,
                caption: "Large dots were trained and measured, small ones are guesses of the search. A line joins the shapes of a style that no other of it beats.".to_owned(),
            });
        }
        if !pictures.is_empty() {
            parts.push(Part::Pictures(pictures));
        }
        let mut sheet = table(run);
        sheet.name = name(&sheet.name);
        parts.push(Part::Table(sheet));
    }
    parts
}

type Cost = fn(&Shape) -> Option<f64>;

fn dot(shape: &Shape, cost: Cost) -> Option<Dot> {
    let (cost, score) = (cost(shape)?, shape.accuracy?);
    Some(Dot { name: shape.name.clone(), cost, score, interval: None, is_guess: !shape.is_measured })
}

fn table(run: &ShapesRun) -> Sheet {
    let heads =
        ["Style", "Shape", "Chosen", "Size", "Operations", "Time of an answer", "Accuracy", "Flips", "Measured"];
    let columns = heads.map(|head| if head == "Shape" { Column::new(head).words() } else { Column::new(head) });
    let mut sheet = Sheet::new("shapes", "The fronts of the searches", columns.into());
    for (style, chosen, front) in &run.styles {
        for shape in front {
            let yes_or_no = |is: bool| Entry::text(if is { "yes" } else { "no" });
            let shown = |value: Option<f64>, in_words: InWords| {
                Entry::number(value, None).shown(value.map_or("–".to_owned(), in_words))
            };
            sheet.rows.push(vec![
                Entry::text(style),
                Entry::text(&shape.name),
                yes_or_no(shape.name == *chosen),
                shown(shape.bytes, size),
                shown(shape.operations, |number| format!("{number:.2e}")),
                shown(shape.seconds, time),
                Entry::share(shape.accuracy, None),
                Entry::share(shape.flips, None),
                yes_or_no(shape.is_measured),
            ]);
        }
    }
    sheet
}
