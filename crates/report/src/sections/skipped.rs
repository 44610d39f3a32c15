//! Targets that were not attacked, and why.

use search::Outcome;

use super::{Material, Section};
use crate::markup::{count, escape, table};
use crate::numbers::{AttackNumbers, Reason, RunNumbers};

pub(super) const SECTION: Section = Section { id: "skipped", title: "Skipped targets", body };

fn body(material: &Material<'_>) -> String {
    let numbers = material.numbers;
    format!(
        "<p>Rates are over attacked targets only: those that the model answered right before and in which something can be changed.</p>
{}{}",
        skipped(&numbers.attacks),
        not_begun(&numbers.runs)
    )
}

/// What was not attacked and why, a row for each attack.
fn skipped(attacks: &[AttackNumbers]) -> String {
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
    table(&(html + "</tbody>"), "numbers")
}

/// The most frequent reasons of an attack.
fn reasons(attack: &AttackNumbers) -> String {
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
        told.push(format!("{} {}: {}", count(*n), outcome.map(word).unwrap_or_default(), escape(reason)));
    }
    for Reason { reason, n, .. } in attack.refused.iter().take(MOST) {
        told.push(format!("flips refused, {}: {}", count(*n), escape(reason)));
    }
    let left_out = attack.reasons.len().saturating_sub(MOST) + attack.refused.len().saturating_sub(MOST);
    if left_out > 0 {
        told.push(format!("{} rarer reasons", count(left_out)));
    }
    told.join("<br>")
}

fn not_begun(runs: &[RunNumbers]) -> String {
    let mut html = String::new();
    for run in runs.iter().filter(|run| !run.not_begun.is_empty()) {
        let names = escape(&run.not_begun.join(", "));
        html.push_str(&format!("<p>Planned, and without any record in {}: {names}.</p>", escape(&run.name)));
    }
    html
}
