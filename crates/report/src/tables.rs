//! The tables of a report.

use std::collections::BTreeMap;

use measure::summary::Line;
use measure::{Cell, Table};
use search::Outcome;
use transformation::catalogue;

use crate::markup::{count, escape, percent, short};
use crate::numbers::{AttackNumbers, Numbers, VALID_RATE};

/// A measure in a table: what its column is called, its name, what it means, and whether it is a share.
type Measure = (&'static str, &'static str, &'static str, bool);

const FOUND: [Measure; 7] = [
    ("ASR, valid", VALID_RATE, "The share of attacked targets for which a valid form gets a wrong answer.", true),
    ("ASR, raw", "attack success rate", "The same with flips that are not valid.", true),
    ("Robust accuracy", "robust accuracy", "The share of all answered targets that stay right under attack.", true),
    ("PCD", "confidence decrement", "By how much the probability of the truth fell, at the most.", false),
    ("Queries", "queries", "The mean number of different inputs that the model was asked about.", false),
    ("Median", "median queries", "The median of these numbers.", false),
    ("Seconds", "seconds", "The mean time of a target, with its share of the model's time.", false),
];

const QUALITY: [Measure; 4] = [
    ("Names changed (ICR)", "identifier change rate", "The share of names that were changed.", true),
    ("Tokens changed (TCR)", "token change rate", "The share of tokens that were changed.", true),
    ("Edit distance of a name (AED)", "edit distance of a name", "How many letters of a changed name differ.", false),
    ("Cosine of embeddings (ACS)", "cosine similarity", "How alike the model's own embeddings are.", false),
];

/// What every attack did, a row for each.
pub fn attacks(attacks: &[AttackNumbers]) -> String {
    let counts = [
        ("Attacked", "Answered right before, with something to change."),
        ("Flips", "Forms that get a wrong answer, valid or not."),
        ("Broken", "Forms that get a wrong answer and passed every check."),
    ];
    measured(attacks, &counts, &FOUND, |attack| {
        let broken = attack.count(Outcome::Success);
        vec![attack.attacked(), broken + attack.count(Outcome::Invalid), broken]
    })
}

/// How far the successes of every attack are from their originals.
pub fn quality(attacks: &[AttackNumbers]) -> String {
    let counts = [("Broken", "Forms that get a wrong answer and passed every check.")];
    measured(attacks, &counts, &QUALITY, |attack| vec![attack.count(Outcome::Success)])
}

/// A row for each attack: counts, and measures with their intervals.
fn measured(
    attacks: &[AttackNumbers],
    counts: &[(&str, &str)],
    measures: &[Measure],
    counted: impl Fn(&AttackNumbers) -> Vec<usize>,
) -> String {
    let mut html = String::from(r#"<thead><tr><th scope="col">Attack</th>"#);
    let titles = counts.iter().copied().chain(measures.iter().map(|(name, _, title, _)| (*name, *title)));
    for (name, title) in titles {
        html.push_str(&format!(r#"<th scope="col" title="{}">{name}</th>"#, escape(title)));
    }
    html.push_str("</tr></thead><tbody>");
    for attack in attacks {
        html.push_str(&format!(r#"<tr><th scope="row">{}{}</th>"#, escape(&attack.name), unfinished(attack)));
        for number in counted(attack) {
            html.push_str(&format!("<td>{}</td>", count(number)));
        }
        for (_, measure, _, is_share) in measures {
            html.push_str(&format!("<td>{}</td>", with_interval(attack.line(measure), *is_share)));
        }
        html.push_str("</tr>");
    }
    boxed(&(html + "</tbody>"), "numbers")
}

fn unfinished(attack: &AttackNumbers) -> String {
    if attack.is_complete() {
        return String::new();
    }
    format!(r#" <small class="warn">{} of {} targets done</small>"#, count(attack.done), count(attack.targets))
}

/// A value above its interval.
pub fn with_interval(line: Option<&Line>, is_share: bool) -> String {
    let Some((value, line)) = line.and_then(|line| Some((line.value?, line))) else { return "–".to_owned() };
    let shown = if is_share { percent(value) } else { short(value) };
    let interval = line.interval.map(|interval| match is_share {
        true => format!("{:.1} – {:.1}", interval.low * 100.0, interval.high * 100.0),
        false => format!("{} – {}", short(interval.low), short(interval.high)),
    });
    format!("{shown}{}", interval.map(|interval| format!("<small>{interval}</small>")).unwrap_or_default())
}

/// What was not attacked and why, a row for each attack.
pub fn skipped(attacks: &[AttackNumbers]) -> String {
    let mut html = String::from(
        r#"<thead><tr><th scope="col">Attack</th><th scope="col">Targets</th><th scope="col">Attacked</th>
<th scope="col">Wrong before</th><th scope="col">Nothing to change</th><th scope="col">No answer</th><th scope="col">Not done yet</th>
<th scope="col" class="words">Reasons</th></tr></thead><tbody>"#,
    );
    for attack in attacks {
        let numbers = [
            attack.targets,
            attack.attacked(),
            attack.count(Outcome::Misclassified),
            attack.count(Outcome::NoSite),
            attack.count(Outcome::Fault),
            attack.targets.saturating_sub(attack.done),
        ];
        html.push_str(&format!(r#"<tr><th scope="row">{}</th>"#, escape(&attack.name)));
        for (place, number) in numbers.into_iter().enumerate() {
            let class = if place > 1 && number == 0 { r#" class="none""# } else { "" };
            html.push_str(&format!("<td{class}>{}</td>", count(number)));
        }
        html.push_str(&format!(r#"<td class="words">{}</td></tr>"#, reasons(attack)));
    }
    boxed(&(html + "</tbody>"), "numbers")
}

/// The most frequent reasons of an attack.
fn reasons(attack: &AttackNumbers) -> String {
    const MOST: usize = 4;
    let word = |outcome: Outcome| match outcome {
        Outcome::Success => "broken",
        Outcome::Invalid => "not valid",
        Outcome::Failed => "not broken",
        Outcome::NoSite => "nothing to change",
        Outcome::Misclassified => "wrong before",
        Outcome::Fault => "no answer",
    };
    let mut told: Vec<String> = Vec::new();
    for (outcome, reason, number) in attack.reasons.iter().take(MOST) {
        told.push(format!("{} {}: {}", count(*number), word(*outcome), escape(reason)));
    }
    for (reason, number) in attack.refused.iter().take(MOST) {
        told.push(format!("flips refused, {}: {}", count(*number), escape(reason)));
    }
    let left_out = attack.reasons.len().saturating_sub(MOST) + attack.refused.len().saturating_sub(MOST);
    if left_out > 0 {
        told.push(format!("{} rarer reasons", count(left_out)));
    }
    told.join("<br>")
}

/// How often each transformation is in the recipes of successes, a row for each, a column for each attack.
pub fn transformations(attacks: &[AttackNumbers]) -> String {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, used) in attacks.iter().flat_map(|attack| &attack.transformations) {
        *totals.entry(name).or_default() += used.examples;
    }
    let mut order: Vec<(&str, usize)> = totals.into_iter().collect();
    order.sort_by_key(|(_, examples)| std::cmp::Reverse(*examples));
    let mut html =
        String::from(r#"<thead><tr><th scope="col">Transformation</th><th scope="col" class="words">Class</th>"#);
    for attack in attacks {
        let broken = attack.count(Outcome::Success);
        html.push_str(&format!(r#"<th scope="col">{}<small>of {}</small></th>"#, escape(&attack.name), count(broken)));
    }
    html.push_str("</tr></thead><tbody>");
    for (name, _) in order {
        let class = catalogue::find(name).map(|unit| unit.class.name()).unwrap_or_default();
        let shown = escape(name);
        html.push_str(&format!(
            r##"<tr><th scope="row"><a href="#examples" data-transformation="{shown}">{shown}</a></th><td class="words">{class}</td>"##
        ));
        for attack in attacks {
            let Some(used) = attack.transformations.get(name) else {
                html.push_str(r#"<td class="none">0</td>"#);
                continue;
            };
            let share = used.examples as f64 / attack.count(Outcome::Success).max(1) as f64;
            let heat = (share * 9.0).ceil();
            html.push_str(&format!(
                r#"<td class="heat{heat}" title="{} rewrites in {} recipes">{}<small>{:.0} %</small></td>"#,
                used.moves,
                used.examples,
                count(used.examples),
                share * 100.0
            ));
        }
        html.push_str("</tr>");
    }
    boxed(&(html + "</tbody>"), "numbers heats")
}

/// Each attack against each other.
pub fn duels(numbers: &Numbers) -> Option<String> {
    let table: &Table = numbers.duels.as_ref()?;
    let columns = [
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
    let mut html = String::from("<thead><tr>");
    for column in columns {
        html.push_str(&format!(r#"<th scope="col">{column}</th>"#));
    }
    html.push_str("</tr></thead><tbody>");
    for row in table.rows() {
        html.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            let text = match cell {
                Cell::Text(text) => escape(text),
                Cell::Count(number) => number.to_string(),
                Cell::Number(None) | Cell::Interval(None) => "–".to_owned(),
                Cell::Number(Some(value)) if value.abs() < 0.001 && *value != 0.0 => format!("{value:.1e}"),
                Cell::Number(Some(value)) => format!("{value:.3}"),
                Cell::Interval(Some(interval)) => format!("{} – {}", short(interval.low), short(interval.high)),
            };
            match place {
                0 | 1 => html.push_str(&format!(r#"<th scope="row">{text}</th>"#)),
                _ => html.push_str(&format!("<td>{text}</td>")),
            }
        }
        html.push_str("</tr>");
    }
    Some(boxed(&(html + "</tbody>"), "numbers"))
}

/// A table that scrolls in a box of its own where the window is narrow.
fn boxed(rows: &str, class: &str) -> String {
    format!(r#"<div class="scroll" tabindex="0"><table class="{class}">{rows}</table></div>"#)
}
