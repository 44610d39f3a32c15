//! The adversarial examples, to be searched and filtered.

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::{count, escape};
use crate::parts::Part;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Attack), id: "examples", title: "Examples", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    if material.runs.is_empty() { Vec::new() } else { vec![Part::Markup(body(material))] }
}

fn body(material: &Material<'_>) -> String {
    let (numbers, examples) = (material.numbers, material.examples);
    let options = |choices: &mut dyn Iterator<Item = (String, String)>| -> String {
        choices
            .map(|(value, text)| format!(r#"<option value="{}">{}</option>"#, escape(&value), escape(&text)))
            .collect()
    };
    let left_out: Vec<String> = numbers
        .attacks
        .iter()
        .zip(&examples.of_attacks)
        .filter(|(_, (all, shown))| all > shown)
        .map(|(attack, (all, shown))| format!("{} has {} more", escape(&attack.name), count(all - shown)))
        .collect();
    let note = match left_out.is_empty() {
        true => String::new(),
        false => format!(
            "<p>Of each attack those are here that change the fewest tokens. {}; <code>--examples all</code> shows every one.</p>",
            left_out.join(", ")
        ),
    };
    if examples.shown == 0 {
        return format!("<p>There are none on this page.</p>{note}");
    }
    let attacks = numbers.attacks.iter().zip(&examples.of_attacks).enumerate();
    let mut attacks = attacks
        .filter(|(_, (_, (_, shown)))| *shown > 0)
        .map(|(place, (attack, (_, shown)))| (place.to_string(), format!("{} ({})", attack.name, count(*shown))));
    let mut truths = examples.truths.iter().map(|truth| (truth.clone(), truth.clone()));
    let mut used = examples.transformations.iter().map(|name| (name.clone(), name.clone()));
    let outcomes = match examples.has_others {
        false => String::new(),
        true => r#"<label>Validity<select id="by-outcome"><option value="">all flips</option><option value="success">valid</option><option value="not-judged">not judged</option><option value="invalid">not valid</option></select></label>"#.to_owned(),
    };
    format!(
        r#"{note}
<noscript><p>Filters and differences need scripts, which are switched off here.</p></noscript>
<form id="filter" hidden>
<label class="search">Search<input id="search" type="search" placeholder="code, target or rewrite" autocomplete="off" spellcheck="false"></label>
<label>Attack<select id="by-attack"><option value="">all attacks</option>{attacks}</select></label>
<label>Truth<select id="by-truth"><option value="">all</option>{truths}</select></label>
<label>Rewrite<select id="by-transformation"><option value="">all rewrites</option>{used}</select></label>
{outcomes}
<label>Order<select id="order"><option value="changed">fewest changes</option><option value="drop">largest confidence drop</option><option value="queries">fewest queries</option></select></label>
</form>
<p id="count" role="status"></p>
<div id="list">
{list}</div>
<button type="button" id="further" hidden>Show more</button>"#,
        attacks = options(&mut attacks),
        truths = options(&mut truths),
        used = options(&mut used),
        list = examples.html,
    )
}
