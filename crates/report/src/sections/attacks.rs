//! What every attack did, with intervals, and each attack against each other.

use campaign::compare::{Duel, goal_in_words, noise_line};
use measure::Line;
use measure::summary::{AttackMeasure, Place, attack_measures};
use search::Outcome;

use super::{Material, Section};
use crate::markup::{count, escape, percent, short, table};
use crate::numbers::{AttackNumbers, Numbers};
use crate::page::drop_title;
use crate::run::Run;

pub(super) const SECTION: Section = Section { id: "attacks", title: "Attacks", body };

fn body(material: &Material<'_>) -> String {
    let numbers = material.numbers;
    format!(
        "<p>Small numbers are the ends of {:.0} % intervals; point at a heading to see what it means.</p>
{}{}{}
<h3>How far examples are from their originals</h3>
{}{}",
        numbers.bootstrap.level * 100.0,
        goals(material),
        results(numbers),
        noise(material),
        quality(numbers),
        duels(numbers),
    )
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

/// What every attack did, a row for each.
fn results(numbers: &Numbers) -> String {
    let counts = [
        ("Attacked", "Targets that were answered right before, with something to change."),
        ("Flips", "Targets whose answer was changed, whether the example is valid, not valid or not judged."),
        BROKEN,
    ];
    measured(numbers, &counts, Place::Results, |attack| {
        let flips = Outcome::ALL.into_iter().filter(|outcome| outcome.is_flip()).map(|outcome| attack.count(outcome));
        vec![attack.attacked(), flips.sum(), attack.count(Outcome::Success)]
    })
}

/// How far the examples of every attack are from their originals.
fn quality(numbers: &Numbers) -> String {
    measured(numbers, &[BROKEN], Place::Quality, |attack| vec![attack.count(Outcome::Success)])
}

/// A row for each attack: counts, and the measures of one place with their intervals.
fn measured(
    numbers: &Numbers,
    counts: &[(&str, &str)],
    place: Place,
    counted: impl Fn(&AttackNumbers) -> Vec<usize>,
) -> String {
    let measures: Vec<&AttackMeasure> = attack_measures().filter(|measure| measure.place == place).collect();
    let mut html = String::from(r#"<thead><tr><th scope="col">Attack</th>"#);
    let titled = |measure: &&AttackMeasure| match (&numbers.falling, measure.name) {
        (Some(falling), "confidence decrement") => {
            (drop_title(Some(falling)), format!("The largest drop of {falling}."))
        }
        (Some(_), "robust accuracy") => {
            ("Stay good enough".to_owned(), "Targets good enough to attack that no attack has broken.".to_owned())
        }
        _ => (measure.head.to_owned(), measure.meaning.to_owned()),
    };
    let counts = counts.iter().map(|(head, meaning)| ((*head).to_owned(), (*meaning).to_owned()));
    for (head, meaning) in counts.chain(measures.iter().map(titled)) {
        html.push_str(&format!(r#"<th scope="col" title="{}">{head}</th>"#, escape(&meaning)));
    }
    html.push_str("</tr></thead><tbody>");
    for attack in &numbers.attacks {
        html.push_str(&format!(r#"<tr><th scope="row">{}{}</th>"#, escape(&attack.name), unfinished(attack)));
        for number in counted(attack) {
            html.push_str(&format!("<td>{}</td>", count(number)));
        }
        for measure in &measures {
            let line = attack.summary.line(measure.name);
            html.push_str(&format!("<td>{}</td>", with_interval(line, measure.is_share)));
        }
        html.push_str("</tr>");
    }
    table(&(html + "</tbody>"), "numbers")
}

fn unfinished(attack: &AttackNumbers) -> String {
    if attack.is_complete() {
        return String::new();
    }
    format!(r#" <small class="warn">{} of {} targets done</small>"#, count(attack.done), count(attack.targets))
}

/// A value above its interval.
fn with_interval(line: Option<&Line>, is_share: bool) -> String {
    let Some((value, line)) = line.and_then(|line| Some((line.value?, line))) else { return "–".to_owned() };
    let shown = if is_share { percent(value) } else { short(value) };
    let interval = line.interval.map(|interval| match is_share {
        true => format!("{:.1} – {:.1}", interval.low * 100.0, interval.high * 100.0),
        false => format!("{} – {}", short(interval.low), short(interval.high)),
    });
    format!("{shown}{}", interval.map(|interval| format!("<small>{interval}</small>")).unwrap_or_default())
}

/// Each attack against each other, where there are several.
fn duels(numbers: &Numbers) -> String {
    if numbers.duels.is_empty() {
        return String::new();
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
    let heads = heads.map(|head| format!(r#"<th scope="col">{head}</th>"#)).concat();
    let number = |value: Option<f64>| match value {
        None => "–".to_owned(),
        Some(value) if value.abs() < 0.001 && value != 0.0 => format!("{value:.1e}"),
        Some(value) => format!("{value:.3}"),
    };
    let row = |duel: &Duel| {
        let name = |place: usize| format!(r#"<th scope="row">{}</th>"#, escape(&numbers.attacks[place].name));
        let cells = [
            count(duel.n),
            with_interval(Some(&duel.difference), false),
            number(duel.p),
            count(duel.overlap.0),
            count(duel.overlap.1),
            count(duel.overlap.2),
            number(duel.queries.map(|(p, _)| p)),
            number(duel.queries.map(|(_, delta)| delta)),
        ];
        let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        format!("<tr>{}{}{cells}</tr>", name(duel.columns.0), name(duel.columns.1))
    };
    let rows: String = numbers.duels.iter().map(row).collect();
    let table = table(&format!("<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"), "numbers");
    format!(
        "<details class=\"more\"><summary>Each against each, on the targets that both attacked</summary><p>p-values are corrected by Holm's method. A negative delta: the first needs fewer queries.</p>{table}</details>"
    )
}
