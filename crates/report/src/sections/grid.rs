//! What treatments do at every order: pictures as in Lampion, and the tables with their tests.

use measure::{Cell, Interval, Table};

use super::{Material, Section, heading_of, named};
use crate::contents::{GridRun, Kind};
use crate::markup::p_value;
use crate::parts::{Part, Picture, Sheet};
use crate::pictures::{Drawing, Plot, Rows, Scale, colour, critical_difference, short_names, tick_text, ticks};

/// How many treatments the curves show: those with the largest effects.
const MOST: usize = 9;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Grid), id: "grid", title: "Treatments", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.grids;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let missing = run.plan.treatments.len() - treatments(run).len();
        if missing > 0 {
            parts.push(Part::paragraph(format!(
                "Not finished: {missing} of {} treatments are to come.",
                run.plan.treatments.len()
            )));
        }
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        let pictures = pictures(run, &name);
        if !pictures.is_empty() {
            parts.push(Part::Pictures(pictures));
        }
        parts.push(Part::paragraph(
            "The score is the probability of the truth, F1 of the words of a name, or BLEU of a text. Distances are between answers, from 0 to 1. A treatment is compared with the originals over the inputs that it changed.",
        ));
        for (title, table) in &run.summary.tables {
            let words = match *title {
                "effects" => "What every treatment does",
                "tests" => "Is an effect more than chance?",
                "trend" => "Do more rewrites change scores more?",
                "friedman" => "Do the treatments of an order differ?",
                _ => "Mean ranks; treatments that share a letter do not differ",
            };
            let mut sheet = Sheet::of(&name(&format!("grid {title}")), words, table);
            // The order stands before the treatment.
            sheet.heads = if matches!(*title, "effects" | "tests") { 2 } else { 1 };
            match *title {
                "effects" => parts.extend([Part::heading(words), Part::Table(sheet)]),
                _ => parts.push(Part::Folded(words.to_owned(), vec![Part::Table(sheet)])),
            }
        }
        let pairs = Sheet::of(&name("grid pairs"), "Every pair of treatments (Nemenyi)", &run.summary.pairs);
        parts.push(Part::Folded("Every pair of treatments".to_owned(), vec![Part::Table(pairs)]));
    }
    parts
}

/// What a treatment did at an order.
struct Effect {
    treatment: String,
    order: f64,
    others: Option<f64>,
    others_interval: Option<Interval>,
    before: Option<f64>,
    after: Option<f64>,
    delta: Option<f64>,
    delta_interval: Option<Interval>,
}

fn effects(run: &GridRun) -> Vec<Effect> {
    let Some((_, table)) = run.summary.tables.iter().find(|(title, _)| *title == "effects") else { return Vec::new() };
    let row = |row: &Vec<Cell>| Effect {
        treatment: text(at(table, row, "treatment")),
        order: number(at(table, row, "order")).unwrap_or(0.0),
        others: number(at(table, row, "of changed, %")).map(|share| share / 100.0),
        others_interval: interval(at(table, row, "interval"))
            .map(|it| Interval { low: it.low / 100.0, high: it.high / 100.0 }),
        before: number(at(table, row, "score before")),
        after: number(at(table, row, "score after")),
        delta: number(at(table, row, "delta")),
        delta_interval: interval(at(table, row, "interval of delta")),
    };
    table.rows().iter().map(row).collect()
}

/// A cell of a row by the name of its column.
fn at<'c>(table: &Table, row: &'c [Cell], column: &str) -> Option<&'c Cell> {
    row.get(table.columns().iter().position(|name| name == column)?)
}

fn text(cell: Option<&Cell>) -> String {
    cell.map(Cell::for_people).unwrap_or_default()
}

fn number(cell: Option<&Cell>) -> Option<f64> {
    match cell? {
        Cell::Count(count) => Some(*count as f64),
        Cell::Number(number) => *number,
        Cell::Text(_) | Cell::Interval(_) => None,
    }
}

fn interval(cell: Option<&Cell>) -> Option<Interval> {
    match cell? {
        Cell::Interval(interval) => *interval,
        Cell::Text(_) | Cell::Count(_) | Cell::Number(_) => None,
    }
}

/// The treatment that changes the score most, with its order and the change.
pub fn strongest(run: &GridRun) -> Option<(String, f64, f64)> {
    let all = effects(run).into_iter().filter_map(|effect| Some((effect.treatment, effect.order, effect.delta?)));
    all.max_by(|one, other| one.2.abs().total_cmp(&other.2.abs()))
}

/// The treatments, in the order of the plan.
fn treatments(run: &GridRun) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for effect in effects(run) {
        if !names.contains(&effect.treatment) {
            names.push(effect.treatment);
        }
    }
    names
}

fn pictures(run: &GridRun, name: &dyn Fn(&str) -> String) -> Vec<Picture> {
    let (effects, mut names) = (effects(run), treatments(run));
    let highest = effects.iter().map(|effect| effect.order).fold(0.0, f64::max);
    let at_highest: Vec<&Effect> = effects.iter().filter(|effect| effect.order == highest).collect();
    let has_scores = effects.iter().any(|effect| effect.after.is_some());
    let mut pictures = Vec::new();
    if has_scores {
        let change = |treatment: &String| {
            let found = at_highest.iter().find(|effect| effect.treatment == *treatment);
            found.and_then(|effect| effect.delta).map_or(0.0, f64::abs)
        };
        names.sort_by(|one, other| change(other).total_cmp(&change(one)).then(one.cmp(other)));
        let left_out = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        let rest = match left_out {
            0 => String::new(),
            number => format!(" The {MOST} treatments with the largest effects; {number} more are in the table."),
        };
        pictures.push(Picture {
            name: name("grid score by order"),
            title: "Score against order".to_owned(),
            drawing: by_order(&effects, &names, highest),
            caption: format!("Mean score of all inputs, from the originals on, with the interval of its change.{rest}"),
        });
        let deltas: Vec<&Effect> = at_highest.iter().copied().filter(|effect| effect.delta.is_some()).collect();
        pictures.push(Picture {
            name: name("grid score by treatment"),
            title: format!("Change of score at order {highest:.0}"),
            drawing: by_treatment(&deltas),
            caption: "Mean change of the score over all inputs, with the interval.".to_owned(),
        });
    }
    pictures.push(Picture {
        name: name("grid other answers"),
        title: format!("Other answers at order {highest:.0}"),
        drawing: other_answers(&at_highest),
        caption: "Share of the changed inputs that get another answer, with the interval.".to_owned(),
    });
    pictures.extend(rank_picture(run, highest, name));
    pictures
}

fn by_order(effects: &[Effect], names: &[String], highest: f64) -> Drawing {
    let spans = effects.iter().filter(|effect| names.contains(&effect.treatment)).flat_map(|effect| {
        let ends = effect.before.zip(effect.delta_interval);
        let ends = ends.map(|(before, it)| [before + it.low, before + it.high]).into_iter().flatten();
        effect.before.into_iter().chain(effect.after).chain(ends)
    });
    let y = Scale::around(spans);
    Drawing::new("Score against the number of rewrites", |width| {
        let shown = short_names(names.iter().map(String::as_str), width);
        let mut plot = Plot::new(&shown, width, Scale::new(0.0, highest), y);
        let y_ticks = ticks(y.low, y.high, 5);
        let y: Vec<(f64, String)> = y_ticks.iter().map(|tick| (*tick, tick_text(&y_ticks, *tick))).collect();
        let mut orders: Vec<f64> = effects.iter().map(|effect| effect.order).chain([0.0]).collect();
        orders.sort_by(f64::total_cmp);
        orders.dedup();
        let x: Vec<(f64, String)> = orders.iter().map(|order| (*order, format!("{order:.0}"))).collect();
        plot.axes(&x, &y, "rewrites");
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for (place, treatment) in names.iter().enumerate() {
            let class = colour(place);
            let own: Vec<&Effect> = effects.iter().filter(|effect| effect.treatment == *treatment).collect();
            let start = own.iter().find_map(|effect| effect.before).map(|before| (0.0, before));
            let rest = own.iter().filter_map(|effect| Some((effect.order, effect.after?)));
            let points: Vec<(f64, f64)> = start.into_iter().chain(rest).collect();
            // The intervals stand beside each other, so that each can be seen.
            let aside = (place as f64 - (names.len() - 1) as f64 / 2.0) * highest * 0.006;
            for effect in own {
                if let (Some(before), Some(it)) = (effect.before, effect.delta_interval) {
                    let around = Interval { low: before + it.low, high: before + it.high };
                    plot.whisker(effect.order + aside, &around, &class);
                }
            }
            heights.push(points.last().map_or(0.0, |(_, score)| *score));
            plot.line(&points, &class);
            classes.push(class);
        }
        plot.names(&shown, &heights, &classes);
        plot.finish()
    })
}

fn by_treatment(effects: &[&Effect]) -> Drawing {
    let ends = effects.iter().flat_map(|effect| {
        effect.delta.into_iter().chain(effect.delta_interval.into_iter().flat_map(|it| [it.low, it.high]))
    });
    let scale = Scale::around(ends.chain([0.0]));
    Drawing::new("Change of the score by each treatment", |width| {
        let names = short_names(effects.iter().map(|effect| effect.treatment.as_str()), width);
        let mut rows = Rows::new(&names, width, 62.0, scale);
        let found = ticks(scale.low, scale.high, 5);
        rows.axis(&found, |tick| tick_text(&found, tick));
        for (place, effect) in effects.iter().enumerate() {
            let middle = rows.middle(place);
            rows.bar(middle, 14.0, effect.delta.unwrap_or(0.0), "bar c0");
            if let Some(interval) = effect.delta_interval {
                rows.whisker(middle, &interval, 4.0);
            }
            rows.note(place, &format!("{:+.3}", effect.delta.unwrap_or(0.0)));
        }
        rows.finish()
    })
}

fn other_answers(effects: &[&Effect]) -> Drawing {
    Drawing::new("Other answers by each treatment", |width| {
        let names = short_names(effects.iter().map(|effect| effect.treatment.as_str()), width);
        let mut rows = Rows::of_shares(&names, width);
        for (place, effect) in effects.iter().enumerate() {
            let middle = rows.middle(place);
            let Some(share) = effect.others else {
                rows.note(place, "–");
                continue;
            };
            rows.bar(middle, 14.0, share, "bar c1");
            if let Some(interval) = effect.others_interval {
                rows.whisker(middle, &interval, 4.0);
            }
            rows.note(place, &crate::markup::percent(share));
        }
        rows.finish()
    })
}

/// The critical-difference diagram of the highest order.
fn rank_picture(run: &GridRun, order: f64, name: &dyn Fn(&str) -> String) -> Option<Picture> {
    let table = |wanted: &str| run.summary.tables.iter().find(|(title, _)| *title == wanted).map(|(_, table)| table);
    let (ranks, global) = (table("ranks")?, table("friedman")?);
    let of_order = |table: &Table, row: &&Vec<Cell>| number(at(table, row, "order")) == Some(order);
    let own: Vec<(String, f64)> = ranks
        .rows()
        .iter()
        .filter(|row| of_order(ranks, row))
        .filter_map(|row| Some((text(at(ranks, row, "treatment")), number(at(ranks, row, "mean rank"))?)))
        .collect();
    let test = global.rows().iter().find(|row| of_order(global, row))?;
    let difference = number(at(global, test, "critical difference"))?;
    if own.len() < 2 {
        return None;
    }
    let p = number(at(global, test, "p")).map_or(String::new(), |p| format!(" Friedman: p = {}.", p_value(p)));
    Some(Picture {
        name: name("grid ranks"),
        title: format!("Ranks at order {order:.0}"),
        drawing: critical_difference("Critical-difference diagram of the treatments", &own, difference),
        caption: format!(
            "Mean ranks over the inputs; the treatment that lowers scores most ranks first. A bar joins treatments that do not differ (Nemenyi, 0.05).{p}"
        ),
    })
}
