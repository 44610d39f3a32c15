//! Several models under the same attacks: success rates as a heat map, ranks over the models, means over seeds, and what attacks leave of scores.

use campaign::ranking::{Blocks, LEVEL};
use campaign::repeats::{self, is_repeated};
use campaign::run::Record;
use campaign::scores::{self, Scores, rewritten};
use measure::metrics::VALID_RATE;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::p_value;
use crate::numbers::{AttackNumbers, Numbers};
use crate::parts::{Part, Picture, Sheet};
use crate::pictures::{critical_difference, heat_map};

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Attack), id: "compared", title: "Models and seeds", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let (runs, numbers) = (material.runs, material.numbers);
    let mut parts = Vec::new();
    let pictures: Vec<Picture> = rates(numbers).into_iter().chain(ranks(numbers)).collect();
    if !pictures.is_empty() {
        parts.push(Part::Pictures(pictures));
    }
    for run in runs.iter().filter(|run| is_repeated(&run.about.plan)) {
        let title = format!("{}: means and standard deviations over the seeds", run.name);
        let sheet = Sheet::of(&format!("{} seeds", run.name), &title, &repeats::table(&repeats::rows(&run.records)));
        parts.extend([Part::heading(&title), Part::Table(sheet)]);
    }
    let mut add = |name: &str, title: &str, all: Vec<Scores>| {
        if !all.is_empty() {
            let mut sheet = Sheet::of(name, title, &scores::table(&all));
            sheet.heads = 2;
            parts.push(Part::Folded(title.to_owned(), vec![Part::Table(sheet)]));
        }
    };
    // Where a measure decides, no answer is right or wrong.
    let with_classes = runs.iter().filter(|run| run.goal().is_none() && run.records.iter().any(is_of_classes));
    let successes = with_classes.map(|run| scores::scores(&run.name, &run.targets, &run.records)).collect();
    add("scores", "Scores in percent, with successes in the place of originals", successes);
    let whole = runs.iter().filter_map(|run| rewritten(&run.name, run.goal(), &run.targets, &run.records));
    add("scores rewritten", "Scores of the rewritten test set", whole.collect());
    parts
}

fn is_of_classes(record: &Record) -> bool {
    record.before.as_ref().is_some_and(|before| before.class().is_some())
}

/// Every attack on every model, where there are several models.
fn rates(numbers: &Numbers) -> Option<Picture> {
    if numbers.runs.len() < 2 {
        return None;
    }
    let mut attacks: Vec<&str> = Vec::new();
    for attack in &numbers.attacks {
        if !attacks.contains(&attack.attack.as_str()) {
            attacks.push(&attack.attack);
        }
    }
    let rate = |run: usize, name: &str| {
        let is_it = |attack: &&AttackNumbers| attack.run == run && attack.attack == name;
        numbers.attacks.iter().find(is_it)?.summary.value(VALID_RATE)
    };
    let rows: Vec<String> = numbers.runs.iter().map(|run| run.name.clone()).collect();
    let columns: Vec<String> = attacks.iter().map(|name| (*name).to_owned()).collect();
    let cells: Vec<Vec<Option<f64>>> =
        (0..rows.len()).map(|run| attacks.iter().map(|name| rate(run, name)).collect()).collect();
    Some(Picture {
        name: "models and attacks".to_owned(),
        title: "Success rate of every attack on every model".to_owned(),
        drawing: heat_map("Attack success rate of every attack in every run, in percent", &rows, &columns, &cells),
        caption: "In percent of attacked targets, valid examples only: runs in rows, attacks in columns.".to_owned(),
    })
}

/// The attacks ranked over the models, where there are enough of both.
fn ranks(numbers: &Numbers) -> Option<Picture> {
    let ranking = numbers.rankings.iter().find(|ranking| ranking.blocks == Blocks::Victims)?;
    let named: Vec<(String, f64)> = ranking.attacks.iter().cloned().zip(ranking.mean_ranks.iter().copied()).collect();
    Some(Picture {
        name: "ranks over models".to_owned(),
        title: "Ranks of attacks over the models".to_owned(),
        drawing: critical_difference(
            "Critical-difference diagram of the attacks over the models",
            &named,
            ranking.critical_difference,
        ),
        caption: format!(
            "Mean ranks by success rate, a block for each of {} models; the strongest attack ranks first. A bar joins attacks that do not differ (Nemenyi, {LEVEL}). Friedman: p = {}.",
            ranking.n,
            p_value(ranking.p)
        ),
    })
}
