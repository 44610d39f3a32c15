//! How models learned: loss, accuracy and learning rate against steps.

use measure::Table;

use super::{Material, Section, heading_of, named};
use crate::contents::{Kind, TrainingRun};
use crate::parts::{Part, Picture, Sheet};
use crate::pictures::{Drawing, Plot, Scale, colour, short_names, tick_text, ticks};

/// A curve has at most about so many points: the mean of its neighbours stands for them.
const MOST: usize = 400;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Training), id: "training", title: "Learning", parts };

/// A curve with its name.
type Curve = (String, Vec<(f64, f64)>);

fn parts(material: &Material<'_>) -> Vec<Part> {
    curves(&material.others.trainings, "training")
}

/// The curves and the evaluations of runs, in files that are called after what they are about.
pub fn curves(runs: &[TrainingRun], what: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let name = |name: &str| named(&format!("{what} {name}"), &run.origin.name, runs.len());
        let of = |value: fn(&crate::contents::Evaluation) -> Option<f64>| -> Vec<(f64, f64)> {
            run.evaluations.iter().filter_map(|one| Some((one.step, value(one)?))).collect()
        };
        let (losses, accuracies) = (of(|one| one.loss), of(|one| one.accuracy));
        let mut pictures = Vec::new();
        let mut add = |file: &str, title: &str, curves: Vec<Curve>, is_share: bool, caption: String| {
            let curves: Vec<Curve> = curves.into_iter().filter(|(_, points)| points.len() > 1).collect();
            if !curves.is_empty() {
                let drawing = curves_over_steps(title, &curves, best(run), is_share);
                pictures.push(Picture { name: name(file), title: title.to_owned(), drawing, caption });
            }
        };
        let kept = best(run)
            .map_or(String::new(), |(step, _)| format!(" The dots are at step {step:.0}, whose weights are kept."));
        let all = vec![("training".to_owned(), thinned(&run.losses)), ("validation".to_owned(), losses)];
        add("loss", "Loss", all, false, format!("Mean loss of a batch.{kept}"));
        add(
            "accuracy",
            "Accuracy",
            vec![("validation".to_owned(), accuracies)],
            true,
            format!("Share of the validation that is answered correctly.{kept}"),
        );
        let rates = vec![("rate".to_owned(), thinned(&run.rates))];
        add("rate", "Learning rate", rates, false, "What weights are changed by, against steps.".to_owned());
        parts.push(match pictures.is_empty() {
            true => Part::paragraph("There are too few lines of metrics for a curve."),
            false => Part::Pictures(pictures),
        });
        if !run.evaluations.is_empty() {
            let mut table = Table::new(["step", "loss", "accuracy", "best so far"]);
            for one in &run.evaluations {
                let best = if one.is_best { "yes" } else { "no" };
                table.push([(one.step as usize).into(), one.loss.into(), one.accuracy.into(), best.into()]);
            }
            let sheet = Sheet::of(&name("evaluations"), "Evaluations", &table);
            parts.push(Part::Folded("Every evaluation".to_owned(), vec![Part::Table(sheet)]));
        }
    }
    parts
}

/// The step of the best evaluation, and its accuracy.
pub fn best(run: &TrainingRun) -> Option<(f64, Option<f64>)> {
    run.evaluations.iter().rev().find(|one| one.is_best).map(|one| (one.step, one.accuracy))
}

/// Means of neighbours, where there are more points than can be seen.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let together = points.len().div_ceil(MOST).max(1);
    let mean = |some: &[(f64, f64)]| {
        let count = some.len() as f64;
        (some.iter().map(|(x, _)| x).sum::<f64>() / count, some.iter().map(|(_, y)| y).sum::<f64>() / count)
    };
    points.chunks(together).map(mean).collect()
}

fn curves_over_steps(title: &str, curves: &[Curve], best: Option<(f64, Option<f64>)>, is_share: bool) -> Drawing {
    let last = curves.iter().filter_map(|(_, points)| points.last()).map(|(step, _)| *step).fold(1.0, f64::max);
    let values = curves.iter().flat_map(|(_, points)| points.iter().map(|(_, value)| *value));
    let y = if is_share { Scale::new(0.0, 1.0) } else { Scale::new(0.0, values.fold(0.0, f64::max) * 1.05) };
    Drawing::new(&format!("{title} against steps"), |width| {
        let names = short_names(curves.iter().map(|(name, _)| name.as_str()), width);
        let mut plot = Plot::new(&names, width, Scale::new(0.0, last), y);
        let found = ticks(y.low, y.high, 5);
        let text = |tick: f64| match (is_share, y.high < 0.01) {
            (true, _) => format!("{:.0} %", tick * 100.0),
            (false, true) if tick > 0.0 => format!("{tick:.0e}"),
            _ => tick_text(&found, tick),
        };
        let y: Vec<(f64, String)> = found.iter().map(|tick| (*tick, text(*tick))).collect();
        // There is nothing between two steps.
        let found: Vec<f64> = ticks(0.0, last, 5).into_iter().filter(|tick| tick.fract() == 0.0).collect();
        let x: Vec<(f64, String)> = found.iter().map(|tick| (*tick, format!("{tick:.0}"))).collect();
        plot.axes(&x, &y, "steps");
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for (place, (name, points)) in curves.iter().enumerate() {
            let class = colour(place);
            plot.line(points, &class);
            let kept = best.and_then(|(step, _)| points.iter().find(|(own, _)| *own == step));
            if let Some((step, value)) = kept.filter(|_| name == "validation") {
                plot.dot((*step, *value), 4.5, &class, &format!("step {step:.0}: {value:.4}"));
            }
            heights.push(points.last().map_or(0.0, |(_, value)| *value));
            classes.push(class);
        }
        plot.names(&names, &heights, &classes);
        plot.finish()
    })
}
