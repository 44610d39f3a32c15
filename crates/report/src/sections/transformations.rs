//! How often each transformation is in the recipes of successes.

use std::collections::BTreeMap;

use search::Outcome;
use transformation::catalogue;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::{count, escape};
use crate::numbers::AttackNumbers;
use crate::parts::{Column, Entry, Part, Sheet};

pub(super) const SECTION: Section =
    Section { kind: Some(Kind::Attack), id: "transformations", title: "Transformations", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let attacks = &material.numbers.attacks;
    if material.runs.is_empty() {
        return Vec::new();
    }
    let rows = match attacks.iter().all(|attack| attack.transformations.is_empty()) {
        true => Part::paragraph("Nothing was broken."),
        false => Part::Table(transformations(attacks)),
    };
    let intro = Part::paragraph(
        "How many recipes of broken targets have each rewrite, and their share. A rewrite in a recipe need not be what broke the model, unless the recipe was made as small as possible.",
    );
    vec![intro, rows]
}

/// How often each transformation is in the recipes of successes, a row for each, a column for each attack.
fn transformations(attacks: &[AttackNumbers]) -> Sheet {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, used) in attacks.iter().flat_map(|attack| &attack.transformations) {
        *totals.entry(name).or_default() += used.examples;
    }
    let mut order: Vec<(&str, usize)> = totals.into_iter().collect();
    order.sort_by_key(|(_, examples)| std::cmp::Reverse(*examples));
    let mut columns = vec![Column::new("Transformation"), Column::new("Class").words()];
    columns.extend(attacks.iter().map(|attack| {
        Column::new(attack.name.as_str()).small(format!("of {}", count(attack.count(Outcome::Success))))
    }));
    let title = "How many recipes of broken targets have each rewrite";
    let mut sheet = Sheet::new("transformations", title, columns);
    sheet.class = "heats";
    for (name, _) in order {
        let shown = escape(name);
        let link = format!(r##"<a href="#examples" data-transformation="{shown}">{shown}</a>"##);
        let class = catalogue::find(name).map(|unit| unit.class.name()).unwrap_or_default();
        let mut row = vec![Entry::text(name).shown(link), Entry::text(class)];
        for attack in attacks {
            let Some(used) = attack.transformations.get(name) else {
                row.push(Entry::count(0).class("none"));
                continue;
            };
            let share = used.examples as f64 / attack.count(Outcome::Success).max(1) as f64;
            row.push(
                Entry::count(used.examples)
                    .class(format!("heat{}", (share * 9.0).ceil()))
                    .title(format!("{} rewrites in {} recipes", used.moves, used.examples))
                    .below(format!("<small>{:.0} %</small>", share * 100.0)),
            );
        }
        sheet.rows.push(row);
    }
    sheet
}
