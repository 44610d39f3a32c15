//! How often each transformation is in the recipes of successes.

use std::collections::BTreeMap;

use search::Outcome;
use transformation::catalogue;

use super::{Material, Section};
use crate::markup::{count, escape, table};
use crate::numbers::AttackNumbers;

pub(super) const SECTION: Section = Section { id: "transformations", title: "Transformations", body };

fn body(material: &Material<'_>) -> String {
    let attacks = &material.numbers.attacks;
    let rows = match attacks.iter().all(|attack| attack.transformations.is_empty()) {
        true => "<p>Nothing was broken.</p>".to_owned(),
        false => transformations(attacks),
    };
    format!(
        "<p>How many recipes of broken targets have each rewrite, and their share. A rewrite in a recipe need not be what broke the model, unless the recipe was made as small as possible.</p>
{rows}"
    )
}

/// How often each transformation is in the recipes of successes, a row for each, a column for each attack.
fn transformations(attacks: &[AttackNumbers]) -> String {
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
    table(&(html + "</tbody>"), "numbers heats")
}
