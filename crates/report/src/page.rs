//! The page: one file with everything in it.

use std::path::Path;

use campaign::complete_file;
use campaign::plan::{Plan, Validity};
use measure::metrics::VALID_RATE;
use search::Outcome;
use sha2::{Digest, Sha256};

use crate::examples::examples;
use crate::markup::{count, escape, percent, short};
use crate::numbers::{AttackNumbers, Numbers, RunNumbers};
use crate::pictures;
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
}

impl Page {
    /// Writes the file, which is complete or absent.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        complete_file::write(path, self.html.as_bytes())
            .map_err(|source| ReportError::Unwritable { path: path.to_owned(), source })
    }
}

/// Makes the page about some runs, with at most so many examples of each attack.
pub fn page(runs: &[Run], numbers: &Numbers, most_examples: Option<usize>) -> Page {
    let examples = examples(runs, numbers, most_examples);
    let left_out = examples.of_attacks.iter().map(|(all, shown)| all - shown).sum();
    let names: Vec<&str> = numbers.runs.iter().map(|run| run.model.as_str()).collect();
    let title = escape(&names.join(", "));
    // Only the script and the style of this program run, and nothing is fetched.
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(SCRIPT),
        digest(STYLE)
    );
    let heads: String = runs.iter().zip(&numbers.runs).map(|(run, of_run)| head(run, of_run, numbers)).collect();
    let material = Material { runs, numbers, examples: &examples };
    let (mut links, mut sections) = (String::new(), String::new());
    for Section { id, title, body } in SECTIONS {
        links.push_str(&format!(r##"<a href="#{id}">{title}</a>"##));
        let body = body(&material);
        sections.push_str(&format!("<section id=\"{id}\"><h2>{title}</h2>\n{body}</section>\n"));
    }
    let html = format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="allotrope {version}">
<title>{title}: attack report</title>
<style>{STYLE}</style>
</head>
<body>
<nav><b>allotrope</b>{links}<button type="button" id="theme" hidden>Dark</button></nav>
<main>
<div class="heads">{heads}</div>
{pictures}
{sections}</main>
<script>{SCRIPT}</script>
</body>
</html>
"##,
        version = env!("CARGO_PKG_VERSION"),
        pictures = pictures_section(runs, numbers),
    );
    Page { html, examples: examples.shown, left_out }
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
    html.push_str(&tile("Attack success rate", value(VALID_RATE, true), interval(VALID_RATE, true)));
    html.push_str(&tile(
        if falling.is_some() { "Targets that stay good enough" } else { "Accuracy under attack" },
        format!(r#"<span class="from">{} →</span> {}"#, value("accuracy", true), value("robust accuracy", true)),
        interval("robust accuracy", true),
    ));
    html.push_str(&tile(
        &drop_title(falling),
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
    falling.map_or_else(|| "Confidence drop".to_owned(), |falling| format!("Drop of {}", escape(falling)))
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

fn pictures_section(runs: &[Run], numbers: &Numbers) -> String {
    let figure = |title: &str, picture: String, caption: &str| {
        format!("<figure><h2>{title}</h2>{picture}<figcaption>{caption}</figcaption></figure>")
    };
    let goes_on = match runs.iter().any(|run| run.about.plan.exhaust_budget) {
        true => " Attacks used up their budget, and all their queries are counted.",
        false => "",
    };
    let refused = match numbers
        .attacks
        .iter()
        .any(|attack| attack.count(Outcome::Invalid) + attack.count(Outcome::NotJudged) > 0)
    {
        true => " The grey end of a bar has flips that are not valid or not judged.",
        false => "",
    };
    let daggers = match numbers.attacks.iter().all(AttackNumbers::is_complete) {
        true => "",
        false => " † Not finished: what is done first is not chosen at random.",
    };
    let rates = figure(
        "Attack success rate",
        pictures::rates(&numbers.attacks),
        &format!("Attacked targets with a valid adversarial example, with the interval.{refused}{daggers}"),
    );
    let queries = figure(
        "Queries to success",
        pictures::queries(&numbers.attacks),
        &format!("Attacked targets that were broken within a number of queries.{goes_on}"),
    );
    let falling = numbers.falling.as_deref();
    let largest = match falling {
        None => "The largest drop of the true label's probability.".to_owned(),
        Some(falling) => format!("The largest drop of {}.", escape(falling)),
    };
    let drops = figure(
        &drop_title(falling),
        pictures::drops(&numbers.attacks, &drop_title(falling)),
        &format!(
            "{largest} Box: the middle half of targets, with the median; line: four fifths; dot: the mean with its interval."
        ),
    );
    let mut html = format!(r#"<div class="pictures">{rates}{queries}{drops}"#);
    for run in &numbers.runs {
        let Some(strongest) = &run.strongest else { continue };
        let attack = &numbers.attacks[strongest.attack];
        if !attack.transformations.is_empty() {
            let title = format!("Rewrites of {}", escape(&attack.name));
            let caption = "Share of successes whose recipes have the rewrite, most frequent first.";
            html.push_str(&figure(&title, pictures::rewrites(attack), caption));
        }
    }
    html + "</div>"
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
