//! Targets that were not attacked, and why.

use search::Outcome;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::{count, escape};
use crate::numbers::{AttackNumbers, Reason, RunNumbers};
use crate::parts::{Column, Entry, Part, Sheet};

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Attack), id: "skipped", title: "Skipped targets", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let numbers = material.numbers;
    if material.runs.is_empty() {
        return Vec::new();
    }
    vec![
        Part::paragraph(
            "Rates are over attacked targets only: those that the model answered right before and in which something can be changed.",
        ),
        Part::Table(skipped(&numbers.attacks)),
        Part::Markup(not_begun(&numbers.runs)),
    ]
}

/// What was not attacked and why, a row for each attack.
fn skipped(attacks: &[AttackNumbers]) -> Sheet {
    let heads = ["Attack", "Targets", "Attacked", "Wrong before", "Nothing to change", "No answer", "Not done yet"];
    let columns = heads.map(Column::new).into_iter().chain([Column::new("Reasons").words()]).collect();
    let mut sheet = Sheet::new("skipped", "Targets that were not attacked", columns);
    for attack in attacks {
        let numbers = [
            attack.targets,
            attack.attacked(),
            attack.count(Outcome::Misclassified),
            attack.count(Outcome::NoSite),
            attack.count(Outcome::Fault),
            attack.targets.saturating_sub(attack.done),
        ];
        let mut row = vec![Entry::text(&attack.name)];
        row.extend(
            numbers
                .into_iter()
                .enumerate()
                .map(|(place, number)| Entry::count(number).class(if place > 1 && number == 0 { "none" } else { "" })),
        );
        let told = reasons(attack);
        let lines: Vec<String> = told.iter().map(|reason| escape(reason)).collect();
        row.push(Entry::text(&told.join("; ")).shown(lines.join("<br>")));
        sheet.rows.push(row);
    }
    sheet
}

/// The most frequent reasons of an attack.
fn reasons(attack: &AttackNumbers) -> Vec<String> {
    const MOST: usize = 4;
    let word = |outcome: Outcome| match outcome {
        Outcome::Success => "broken",
        Outcome::NotJudged => "not judged",
        Outcome::Invalid => "not valid",
        Outcome::Failed => "not broken",
        Outcome::NoSite => "nothing to change",
        Outcome::Misclassified => "wrong before",
        Outcome::Fault => "no answer",
    };
    let mut told: Vec<String> = Vec::new();
    for Reason { outcome, reason, n } in attack.reasons.iter().take(MOST) {
        told.push(format!("{} {}: {}", count(*n), outcome.map(word).unwrap_or_default(), reason));
    }
    for Reason { reason, n, .. } in attack.refused.iter().take(MOST) {
        told.push(format!("flips refused, {}: {}", count(*n), reason));
    }
    let left_out = attack.reasons.len().saturating_sub(MOST) + attack.refused.len().saturating_sub(MOST);
    if left_out > 0 {
        told.push(format!("{} rarer reasons", count(left_out)));
    }
    told
}

fn not_begun(runs: &[RunNumbers]) -> String {
    let mut html = String::new();
    for run in runs.iter().filter(|run| !run.not_begun.is_empty()) {
        let names = escape(&run.not_begun.join(", "));
        html.push_str(&format!("<p>Planned, and without any record in {}: {names}.</p>", escape(&run.name)));
    }
    html
}
