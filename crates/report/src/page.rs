//! The page: one file with everything in it.

use std::path::Path;

use campaign::complete_file;
use campaign::plan::{Plan, Validity};
use measure::metrics::VALID_RATE;
use search::Outcome;
use sha2::{Digest, Sha256};

use crate::contents::{Kind, Others};
use crate::examples::examples;
use crate::exports::{self, Export};
use crate::heads;
use crate::markup::{count, escape, json_in_script, percent, short};
use crate::numbers::{AttackNumbers, Numbers, RunNumbers};
use crate::parts::{Part, Picture};
use crate::run::{ReportError, Run};
use crate::sections::{Material, SECTIONS, Section};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A report that is ready to be written.
pub struct Page {
    /// The file.
    pub html: String,
    /// How many examples are in it.
    pub examples: usize,
    /// How many were left out.
    pub left_out: usize,
    exports: Vec<Export>,
}

impl Page {
    /// Writes the file, which is complete or absent.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        complete_file::write(path, self.html.as_bytes())
            .map_err(|source| ReportError::Unwritable { path: path.to_owned(), source })
    }

    /// Writes every table and picture into a folder. Gives the number of files.
    pub fn export(&self, folder: &Path) -> Result<usize, ReportError> {
        exports::write(&self.exports, folder)
    }
}

/// Makes the page about some runs of attacks, with at most so many examples of each attack.
pub fn page(runs: &[Run], numbers: &Numbers, most_examples: Option<usize>) -> Page {
    page_of(runs, &Others::default(), numbers, most_examples)
}

/// Makes the page about runs of any kinds. The numbers are those of the attacks among them.
pub fn page_of(runs: &[Run], others: &Others, numbers: &Numbers, most_examples: Option<usize>) -> Page {
    let examples = examples(runs, numbers, most_examples);
    let left_out = examples.of_attacks.iter().map(|(all, shown)| all - shown).sum();
    let material = Material { runs, numbers, examples: &examples, others };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| has(&material, *kind)).collect();
    // Only the script and the style of this program run, and nothing is fetched.
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(SCRIPT),
        digest(STYLE)
    );
    let (mut links, mut body, mut all) = (String::new(), String::new(), Vec::new());
    for kind in kinds.iter().copied().map(Some).chain([None]) {
        if let Some(kind) = kind {
            if kinds.len() > 1 {
                body.push_str(&format!("<h1 class=\"chapter\">{}</h1>\n", kind.title()));
            }
            body.push_str(&format!("<div class=\"heads\">{}</div>\n", heads(&material, kind)));
        }
        for section in SECTIONS.iter().filter(|section| section.kind == kind) {
            let mut parts = (section.parts)(&material);
            exports::exports(&mut parts, &mut all);
            if parts.is_empty() {
                continue;
            }
            let Section { id, title, .. } = section;
            let markup: String = parts.iter().map(markup).collect();
            if title.is_empty() {
                body.push_str(&format!("<div id=\"{id}\">{markup}</div>\n"));
                continue;
            }
            links.push_str(&format!(r##"<a href="#{id}">{title}</a>"##));
            body.push_str(&format!("<section id=\"{id}\"><h2>{title}</h2>\n{markup}</section>\n"));
        }
    }
    let mut names: Vec<&str> = numbers.runs.iter().map(|run| run.model.as_str()).collect();
    names.extend(Kind::ALL.into_iter().flat_map(|kind| others.origins_of(kind)).map(|origin| match origin.model() {
        "" => origin.name.as_str(),
        model => model,
    }));
    names.dedup();
    let what = if kinds == [Kind::Attack] { "attack report" } else { "report" };
    let html = format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="allotrope {version}">
<title>{title}: {what}</title>
<style>{STYLE}</style>
</head>
<body>
<nav aria-label="Sections"><b>allotrope</b>{links}<button type="button" id="theme" hidden>Dark</button></nav>
<main>
{body}</main>
<script type="application/json" id="exports">{exports}</script>
<script>{SCRIPT}</script>
</body>
</html>
"##,
        title = escape(&names.join(", ")),
        version = env!("CARGO_PKG_VERSION"),
        // Who looks for addresses in the page finds none, not even the name of a vocabulary of XML.
        exports = json_in_script(&exports::to_json(&all)).replace("http://", "http:\\/\\/"),
    );
    Page { html, examples: examples.shown, left_out, exports: all }
}

fn has(material: &Material<'_>, kind: Kind) -> bool {
    match kind {
        Kind::Attack => !material.runs.is_empty(),
        kind => !material.others.origins_of(kind).is_empty(),
    }
}

/// The markup of a part. Its buttons are made by the script, which alone can save a file.
fn markup(part: &Part) -> String {
    let take = |name: &str| format!("<p class=\"take\" data-take=\"{name}\"></p>");
    match part {
        Part::Markup(markup) => markup.clone(),
        Part::Table(sheet) => format!("<div class=\"sheet\">{}{}</div>\n", sheet.markup(), take(&sheet.name)),
        Part::Pictures(pictures) => {
            let figure = |picture: &Picture| {
                format!(
                    "<figure><h3>{}</h3>{}<figcaption>{}</figcaption>{}</figure>\n",
                    escape(&picture.title),
                    picture.drawing.markup(),
                    picture.caption,
                    take(&picture.name)
                )
            };
            format!("<div class=\"pictures\">{}</div>\n", pictures.iter().map(figure).collect::<String>())
        }
        Part::Folded(summary, parts) => format!(
            "<details class=\"more\"><summary>{}</summary>{}</details>\n",
            escape(summary),
            parts.iter().map(markup).collect::<String>()
        ),
    }
}

/// The heads of the runs of a kind.
fn heads(material: &Material<'_>, kind: Kind) -> String {
    let numbers = material.numbers;
    let others = material.others;
    match kind {
        Kind::Attack => {
            material.runs.iter().zip(&numbers.runs).map(|(run, of_run)| head(run, of_run, numbers)).collect()
        }
        Kind::Grid => others.grids.iter().map(heads::grid).collect(),
        Kind::Evolve => others.evolutions.iter().map(heads::evolution).collect(),
        Kind::Fidelity => others.fidelities.iter().map(heads::fidelity).collect(),
        Kind::Mutants => others.mutants.iter().map(heads::mutants).collect(),
        Kind::Training => others.trainings.iter().map(heads::training).collect(),
        Kind::Distillation => others.distillations.iter().map(heads::distillation).collect(),
        Kind::Shapes => others.shapes.iter().map(heads::shapes).collect(),
        Kind::Retraining => others.retrainings.iter().map(heads::retraining).collect(),
        Kind::Evaluation => heads::evaluations(&others.evaluations),
    }
}

/// The first thing that is read about a run.
fn head(run: &Run, of_run: &RunNumbers, numbers: &Numbers) -> String {
    let kind = run.about.models.first().map(|model| escape(&model.kind)).unwrap_or_default();
    let name = if numbers.runs.len() > 1 { format!(" · {}", escape(&run.name)) } else { String::new() };
    let mut html = format!(
        r#"<header><p class="kind">{kind} model{name}</p><h1>{}</h1><p class="asked">{}</p>"#,
        escape(&of_run.model),
        escape(&of_run.asked)
    );
    let Some(strongest) = &of_run.strongest else {
        return html + r#"<p class="headline">No target was attacked.</p></header>"#;
    };
    let attack = &numbers.attacks[strongest.attack];
    html.push_str(&format!(
        r#"<p class="headline">{} broke <strong>{} of {}</strong></p>"#,
        escape(&attack.attack),
        count(attack.count(Outcome::Success)),
        count(attack.attacked())
    ));
    html.push_str(&format!(r#"<p class="which">{}</p>"#, which(of_run, strongest.of, attack, run.goal().is_some())));
    let goal = run.goal();
    html.push_str(&tiles(attack, goal.map(|goal| goal.measure.name())));
    let noise = run.noise.map_or_else(String::new, |noise| format!(" {noise}."));
    let success = goal.map_or_else(String::new, |goal| format!("A success: {goal}. "));
    html.push_str(&format!(r#"<p class="valid">{success}{}{noise}</p></header>"#, validity(&run.about.plan)));
    html
}

fn which(run: &RunNumbers, complete: usize, attack: &AttackNumbers, is_scored: bool) -> String {
    let mut told = String::new();
    match (attack.is_complete(), complete) {
        (false, _) => told.push_str(&format!(
            "The run is not finished: {} of {} targets are done. What is done first is not chosen at random. ",
            count(attack.done),
            count(attack.targets)
        )),
        (true, 1) => (),
        (true, attacks) => told.push_str(&format!("The strongest of {attacks} finished attacks. ")),
    }
    if run.broken > attack.count(Outcome::Success) {
        let (broken, attacked) = (count(run.broken), count(run.attacked));
        told.push_str(&format!("All attacks together broke {broken} of {attacked}. "));
    }
    let wrong = attack.count(Outcome::Misclassified);
    let bare = attack.count(Outcome::NoSite);
    let faults = attack.count(Outcome::Fault);
    let mut skipped = Vec::new();
    let before = if is_scored { "scored too low before" } else { "answered wrong before" };
    for (number, what) in [(wrong, before), (bare, "had nothing to change"), (faults, "got no answer")] {
        if number > 0 {
            skipped.push(format!("{} {what}", count(number)));
        }
    }
    if !skipped.is_empty() {
        told.push_str(&format!("Not attacked: {}.", skipped.join(", ")));
    }
    told
}

/// The numbers of the headline, each with its interval.
fn tiles(attack: &AttackNumbers, falling: Option<&str>) -> String {
    let tile = |name: &str, value: String, note: String| {
        format!(r#"<div><dt>{name}</dt><dd>{value}</dd><dd class="note">{note}</dd></div>"#)
    };
    let value = |measure: &str, is_share: bool| match attack.summary.value(measure) {
        None => "–".to_owned(),
        Some(value) if is_share => percent(value),
        Some(value) => short(value),
    };
    let interval = |measure: &str, is_share: bool| match attack.summary.line(measure).and_then(|line| line.interval) {
        None => "no interval".to_owned(),
        Some(interval) if is_share => format!("{:.1} – {:.1} %", interval.low * 100.0, interval.high * 100.0),
        Some(interval) => format!("{} – {}", short(interval.low), short(interval.high)),
    };
    let mut html = String::from(r#"<dl class="tiles">"#);
    let judged = format!("{}<br>judged: {}", interval(VALID_RATE, true), attack.judged);
    html.push_str(&tile("Attack success rate", value(VALID_RATE, true), judged));
    html.push_str(&tile(
        if falling.is_some() { "Targets that stay good enough" } else { "Accuracy under attack" },
        format!(r#"<span class="from">{} →</span> {}"#, value("accuracy", true), value("robust accuracy", true)),
        interval("robust accuracy", true),
    ));
    html.push_str(&tile(
        &escape(&drop_title(falling)),
        value("confidence decrement", false),
        interval("confidence decrement", false),
    ));
    html.push_str(&tile(
        "Median queries of a success",
        value("median queries of successes", false),
        interval("median queries of successes", false),
    ));
    html + "</dl>"
}

/// What the drop of the confidence is called, or that of the score where a measure decides.
pub(crate) fn drop_title(falling: Option<&str>) -> String {
    falling.map_or_else(|| "Confidence drop".to_owned(), |falling| format!("Drop of {falling}"))
}

/// What had to hold for a flip to count.
fn validity(plan: &Plan) -> &'static str {
    match plan.validity {
        Validity::Compile => {
            "A flip counts when it parses, every name resolves as before, and it compiles. Where its original does not compile here, it is not judged and does not count."
        }
        Validity::Run => {
            "A flip counts when it parses, every name resolves as before, it compiles, and it behaves the same on every case. Where its original cannot be compiled or run, it is not judged and does not count."
        }
        Validity::Scope => "A flip counts when it parses and every name resolves as before. Compilers were not asked.",
    }
}

/// The digest by which a policy knows a script or a style, in base 64.
fn digest(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(text.as_bytes());
    let mut encoded = String::new();
    for bytes in digest.chunks(3) {
        let bits = bytes.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - bytes.len()));
        for place in 0..4 {
            match place <= bytes.len() {
                true => encoded.push(char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize])),
                false => encoded.push('='),
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_other_programs() {
        // From `printf abc | openssl dgst -sha256 -binary | base64`.
        assert_eq!(digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn nothing_ends_the_script_or_the_style_early() {
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</"));
        // What a browser would change while it reads the file would break the digests.
        assert!(!SCRIPT.contains('\r') && !STYLE.contains('\r'));
    }
}
