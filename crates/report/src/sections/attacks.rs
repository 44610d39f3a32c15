//! What every attack did, with intervals, and each attack against each other.

use campaign::compare::{Duel, goal_in_words, noise_line};
use measure::Line;
use measure::summary::{AttackMeasure, Place, attack_measures};
use search::Outcome;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::{count, escape, percent};
use crate::numbers::{AttackNumbers, Numbers};
use crate::page::drop_title;
use crate::parts::{Column, Entry, Part, Sheet};
use crate::run::Run;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Attack), id: "attacks", title: "Attacks", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let numbers = material.numbers;
    if material.runs.is_empty() {
        return Vec::new();
    }
    let intro = format!(
        "<p>Small numbers are the ends of {:.0} % intervals; point at a heading to see what it means.</p>\n{}",
        numbers.bootstrap.level * 100.0,
        goals(material)
    );
    let mut parts = vec![Part::Markup(intro), Part::Table(results(numbers)), Part::Markup(noise(material))];
    parts.extend([Part::heading("How far examples are from their originals"), Part::Table(quality(numbers))]);
    parts.extend(duels(numbers));
    parts
}

/// What a success is in each run, where a measure decides in any.
fn goals(material: &Material<'_>) -> String {
    if material.numbers.falling.is_none() {
        return String::new();
    }
    let goal = |run: &Run| format!("<p>A success in {}: {}.</p>\n", escape(&run.name), goal_in_words(run.goal()));
    material.runs.iter().map(goal).collect()
}

/// The noise of the models, which puts success rates into perspective.
fn noise(material: &Material<'_>) -> String {
    let noise = |run: &Run| {
        let noise = run.noise?;
        let Line { value, interval, .. } = noise_line(&noise);
        let (value, interval) = (value?, interval?);
        let ends = [interval.low, interval.high].map(percent).join(" to ");
        Some(format!("<p>Noise of {}: {noise}: {}, {ends}.</p>\n", escape(&run.name), percent(value)))
    };
    material.runs.iter().filter_map(noise).collect()
}

const BROKEN: (&str, &str) = ("Broken", "Targets with a valid adversarial example.");

const JUDGED: (&str, &str) = (
    "Judged by",
    "Of the examples that changed an answer, the share that was judged by names, by a compiler and by execution.",
);

/// What every attack did, a row for each.
fn results(numbers: &Numbers) -> Sheet {
    let counts = [
        ("Attacked", "Targets that were answered right before, with something to change."),
        ("Flips", "Targets whose answer was changed, whether the example is valid, not valid or not judged."),
        BROKEN,
    ];
    let mut sheet = measured(numbers, "attacks", "What every attack did", &counts, Place::Results, |attack| {
        let flips = Outcome::ALL.into_iter().filter(|outcome| outcome.is_flip()).map(|outcome| attack.count(outcome));
        vec![attack.attacked(), flips.sum(), attack.count(Outcome::Success)]
    });
    // It stands beside the success rate, which it says how far to trust.
    let place = 5.min(sheet.columns.len());
    sheet.columns.insert(place, Column::new(JUDGED.0).meaning(JUDGED.1));
    for (row, attack) in sheet.rows.iter_mut().zip(&numbers.attacks) {
        let words = attack.judged.to_string();
        let lines = words.split(", ").map(escape).collect::<Vec<_>>().join("<br>");
        row.insert(place, Entry::text(&words).shown(lines).class("lines"));
    }
    sheet
}

/// How far the examples of every attack are from their originals.
fn quality(numbers: &Numbers) -> Sheet {
    let title = "How far adversarial examples are from their originals";
    measured(numbers, "quality", title, &[BROKEN], Place::Quality, |attack| vec![attack.count(Outcome::Success)])
}

/// A row for each attack: counts, and the measures of one place with their intervals.
fn measured(
    numbers: &Numbers,
    name: &str,
    title: &str,
    counts: &[(&str, &str)],
    place: Place,
    counted: impl Fn(&AttackNumbers) -> Vec<usize>,
) -> Sheet {
    let measures: Vec<&AttackMeasure> = attack_measures().filter(|measure| measure.place == place).collect();
    let titled = |measure: &&AttackMeasure| match (&numbers.falling, measure.name) {
        (Some(falling), "confidence decrement") => {
            Column::new(drop_title(Some(falling))).meaning(format!("The largest drop of {falling}."))
        }
        (Some(_), "robust accuracy") => {
            Column::new("Stay good enough").meaning("Targets good enough to attack that no attack has broken.")
        }
        _ => Column::new(measure.head).meaning(measure.meaning),
    };
    let mut columns = vec![Column::new("Attack")];
    columns.extend(counts.iter().map(|(head, meaning)| Column::new(*head).meaning(*meaning)));
    columns.extend(measures.iter().map(titled));
    let mut sheet = Sheet::new(name, title, columns);
    for attack in &numbers.attacks {
        let mut row = vec![Entry::text(&attack.name).below(unfinished(attack))];
        row.extend(counted(attack).into_iter().map(Entry::count));
        row.extend(measures.iter().map(|measure| Entry::line(attack.summary.line(measure.name), measure.is_share)));
        sheet.rows.push(row);
    }
    sheet
}

fn unfinished(attack: &AttackNumbers) -> String {
    if attack.is_complete() {
        return String::new();
    }
    format!(r#" <small class="warn">{} of {} targets done</small>"#, count(attack.done), count(attack.targets))
}

/// Each attack against each other, where there are several.
fn duels(numbers: &Numbers) -> Option<Part> {
    if numbers.duels.is_empty() {
        return None;
    }
    let heads = [
        "First",
        "Second",
        "Both attacked",
        "Difference of ASR",
        "p (McNemar)",
        "Only first",
        "Only second",
        "Both break",
        "p of queries (Wilcoxon)",
        "Cliff's delta",
    ];
    let mut sheet = Sheet::new("duels", "Each attack against each", heads.map(Column::new).into());
    sheet.heads = 2;
    let row = |duel: &Duel| {
        let name = |place: usize| Entry::text(&numbers.attacks[place].name);
        vec![
            name(duel.columns.0),
            name(duel.columns.1),
            Entry::count(duel.n),
            Entry::line(Some(&duel.difference), false),
            Entry::small_number(duel.p),
            Entry::count(duel.overlap.0),
            Entry::count(duel.overlap.1),
            Entry::count(duel.overlap.2),
            Entry::small_number(duel.queries.map(|(p, _)| p)),
            Entry::small_number(duel.queries.map(|(_, delta)| delta)),
        ]
    };
    sheet.rows = numbers.duels.iter().map(row).collect();
    let note = "p-values are corrected by Holm's method. A negative delta: the first needs fewer queries.";
    let summary = "Each against each, on the targets that both attacked".to_owned();
    Some(Part::Folded(summary, vec![Part::paragraph(note), Part::Table(sheet)]))
}
