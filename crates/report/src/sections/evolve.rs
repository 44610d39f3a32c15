//! What guided searches found: scores against generations, the Pareto front, and the tables of Marang's thesis.

use std::collections::BTreeMap;

use campaign::evolve::Progress;

use super::{Material, Section, heading_of, named};
use crate::contents::{EvolveRun, Kind};
use crate::markup::escape;
use crate::parts::{Part, Picture, Sheet};
use crate::pictures::{Drawing, Plot, Scale, colour, short_names};

pub(super) const SECTION: Section = Section { kind: Some(Kind::Evolve), id: "evolve", title: "Searches", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.evolutions;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        if run.summary.repeats == 0 {
            parts.push(Part::paragraph("No search is complete yet."));
            continue;
        }
        let mut pictures = Vec::new();
        let mut by_measure: BTreeMap<&str, Vec<&Progress>> = BTreeMap::new();
        // A single list has no generations.
        for progress in run.summary.progress.iter().filter(|progress| progress.best.len() > 1) {
            by_measure.entry(&progress.measure).or_default().push(progress);
        }
        for (measure, all) in by_measure {
            pictures.push(Picture {
                name: name(&format!("evolve {measure} by generation")),
                title: format!("Best {measure} by generation"),
                drawing: by_generation(measure, &all),
                caption: "Best value so far, a line for each repetition.".to_owned(),
            });
        }
        pictures.extend(front(run).map(|(drawing, axes)| Picture {
            name: name("evolve front"),
            title: "Pareto front".to_owned(),
            drawing,
            caption: format!(
                "Every list of the guided searches: {} (upright) against {}. The line joins the lists that no other dominates.",
                escape(&axes[0]),
                escape(&axes[1])
            ),
        }));
        parts.push(Part::Pictures(pictures));
        for (title, table) in &run.summary.tables {
            let words = match *title {
                "scores" => "Initial, random and best",
                "searches" => "How the searches ended",
                "score by number of transformations" => "Score by the number of transformations",
                "transformations in the best lists" => "Transformations in the best lists",
                _ => "Lists on the Pareto front",
            };
            let sheet = Sheet::of(&name(&format!("evolve {title}")), words, table);
            match *title {
                "scores" => parts.extend([Part::heading(words), Part::Table(sheet)]),
                _ => parts.push(Part::Folded(words.to_owned(), vec![Part::Table(sheet)])),
            }
        }
    }
    parts
}

fn by_generation(measure: &str, all: &[&Progress]) -> Drawing {
    let mut searches: Vec<&str> = all.iter().map(|progress| progress.search.as_str()).collect();
    // The guided search comes first.
    searches.sort_by_key(|search| (search.starts_with("random"), *search));
    searches.dedup();
    let y = Scale::around(all.iter().flat_map(|progress| progress.best.iter().copied()));
    let last = all.iter().map(|progress| progress.best.len()).max().unwrap_or(1).saturating_sub(1) as f64;
    Drawing::new(&format!("Best {measure} against generations"), |width| {
        let names = short_names(searches.iter().copied(), width);
        let mut plot = Plot::new(&names, width, Scale::new(0.0, last.max(1.0)), y);
        plot.counting_axes("generation");
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for (place, search) in searches.iter().enumerate() {
            let class = colour(place);
            let mut ends = Vec::new();
            for progress in all.iter().filter(|progress| progress.search == *search) {
                let points: Vec<(f64, f64)> =
                    progress.best.iter().enumerate().map(|(generation, best)| (generation as f64, *best)).collect();
                ends.extend(points.last().map(|(_, best)| *best));
                plot.line(&points, &class);
            }
            heights.push(ends.iter().sum::<f64>() / ends.len().max(1) as f64);
            classes.push(class);
        }
        plot.names(&names, &heights, &classes);
        plot.finish()
    })
}

/// The lists between two measures, and what the axes are.
fn front(run: &EvolveRun) -> Option<(Drawing, [String; 2])> {
    let [first, second, ..] = &run.summary.axes[..] else { return None };
    let candidates = &run.summary.candidates;
    if candidates.is_empty() {
        return None;
    }
    let (x, y) = (
        Scale::around(candidates.iter().map(|one| one.values[1])),
        Scale::around(candidates.iter().map(|one| one.values[0])),
    );
    // Lists with the same values are one dot.
    let mut dots: Vec<([f64; 2], bool)> = candidates.iter().map(|one| (one.values, one.is_on_front)).collect();
    dots.sort_by(|(one, _), (other, _)| one[1].total_cmp(&other[1]).then(one[0].total_cmp(&other[0])));
    dots.dedup_by(|(one, is_on), (other, other_is_on)| {
        let is_same = one == other;
        *other_is_on |= is_same && *is_on;
        is_same
    });
    let drawing = Drawing::new("Lists of rewrites between two measures, with their Pareto front", |width| {
        let mut plot = Plot::new(&[], width, x, y);
        match candidates.iter().all(|one| one.values[1].fract() == 0.0) {
            true => plot.counting_axes(second),
            false => plot.plain_axes(second),
        }
        for (values, _) in dots.iter().filter(|(_, is_on_front)| !is_on_front) {
            plot.dot((values[1], values[0]), 2.5, "c8", "");
        }
        let line: Vec<(f64, f64)> = dots.iter().filter(|(_, is_on)| *is_on).map(|(it, _)| (it[1], it[0])).collect();
        plot.line(&line, "c3");
        for (x, y) in line {
            plot.dot((x, y), 4.5, "c3", &format!("{first} {y:.4}, {second} {x:.4}"));
        }
        plot.finish()
    });
    Some((drawing, [first.clone(), second.clone()]))
}
