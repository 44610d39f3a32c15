//! The page: one file with everything in it.

use campaign::plan::Plan;
use search::Outcome;
use sha2::{Digest, Sha256};

use crate::examples::{Examples, examples};
use crate::markup::{count, escape, percent, short};
use crate::numbers::{AttackNumbers, Numbers, RunNumbers, VALID_RATE};
use crate::run::Run;
use crate::{pictures, tables};

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
<nav><b>allotrope</b><a href="#attacks">Attacks</a><a href="#skipped">Skipped</a><a href="#transformations">Transformations</a><a href="#examples">Examples</a><a href="#about">About</a><button type="button" id="theme" hidden>Dark</button></nav>
<main>
<div class="heads">{heads}</div>
{pictures}
<section id="attacks"><h2>Attacks</h2>
<p>Small numbers are the ends of {level} intervals; point at a heading to see what it means.</p>
{attacks}
<h3>How far broken targets are from their originals</h3>
{quality}{duels}</section>
<section id="skipped"><h2>What was skipped, and why</h2>
<p>Rates are over attacked targets only: those that the model answered right before and in which something can be changed.</p>
{skipped}{not_begun}</section>
<section id="transformations"><h2>Transformations</h2>
<p>How many recipes of broken targets have each rewrite, and their share. A rewrite in a recipe need not be what broke the model, unless the recipe was made as small as possible.</p>
{transformations}</section>
{examples}
<section id="about"><h2>About this report</h2>{about}</section>
</main>
<script>{SCRIPT}</script>
</body>
</html>
"##,
        version = env!("CARGO_PKG_VERSION"),
        level = format_args!("{:.0} %", numbers.bootstrap.level * 100.0),
        pictures = pictures_section(runs, numbers),
        attacks = tables::attacks(&numbers.attacks),
        quality = tables::quality(&numbers.attacks),
        duels = duels(numbers),
        skipped = tables::skipped(&numbers.attacks),
        not_begun = not_begun(&numbers.runs),
        transformations = transformations(&numbers.attacks),
        examples = examples_section(numbers, &examples),
        about = about(runs, numbers),
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
    html.push_str(&format!(r#"<p class="which">{}</p>"#, which(of_run, strongest.of, attack)));
    html.push_str(&tiles(attack));
    html.push_str(&format!(r#"<p class="valid">{}</p></header>"#, validity(&run.about.plan)));
    html
}

fn which(run: &RunNumbers, complete: usize, attack: &AttackNumbers) -> String {
    let mut told = String::new();
    match (attack.is_complete(), complete) {
        (false, _) => told.push_str(&format!(
            "The run is not at its end: {} of {} targets are done. What is done first is not chosen at random. ",
            count(attack.done),
            count(attack.targets)
        )),
        (true, 1) => (),
        (true, attacks) => told.push_str(&format!("The strongest of {attacks} attacks that came to their end. ")),
    }
    if run.broken > attack.count(Outcome::Success) {
        let (broken, attacked) = (count(run.broken), count(run.attacked));
        told.push_str(&format!("All attacks together broke {broken} of {attacked}. "));
    }
    let wrong = attack.count(Outcome::Misclassified);
    let bare = attack.count(Outcome::NoSite);
    let faults = attack.count(Outcome::Fault);
    let mut skipped = Vec::new();
    for (number, what) in [(wrong, "answered wrong before"), (bare, "had nothing to change"), (faults, "got no answer")]
    {
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
fn tiles(attack: &AttackNumbers) -> String {
    let tile = |name: &str, value: String, note: String| {
        format!(r#"<div><dt>{name}</dt><dd>{value}</dd><dd class="note">{note}</dd></div>"#)
    };
    let value = |measure: &str, is_share: bool| match attack.summary.value(measure) {
        None => "–".to_owned(),
        Some(value) if is_share => percent(value),
        Some(value) => short(value),
    };
    let interval = |measure: &str, is_share: bool| match attack.line(measure).and_then(|line| line.interval) {
        None => "no interval".to_owned(),
        Some(interval) if is_share => format!("{:.1} – {:.1} %", interval.low * 100.0, interval.high * 100.0),
        Some(interval) => format!("{} – {}", short(interval.low), short(interval.high)),
    };
    let mut html = String::from(r#"<dl class="tiles">"#);
    html.push_str(&tile("Attack success rate", value(VALID_RATE, true), interval(VALID_RATE, true)));
    html.push_str(&tile(
        "Accuracy under attack",
        format!(r#"<span class="from">{} →</span> {}"#, value("accuracy", true), value("robust accuracy", true)),
        interval("robust accuracy", true),
    ));
    html.push_str(&tile(
        "Fall of confidence",
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

/// What had to hold for a flip to count.
fn validity(plan: &Plan) -> &'static str {
    match plan.validity.as_str() {
        "compile" => {
            "A flip counts when it parses, every name resolves as before, and it compiles wherever its original does."
        }
        "run" => {
            "A flip counts when it parses, every name resolves as before, and wherever its original does, it compiles and behaves the same."
        }
        _ => "A flip counts when it parses and every name resolves as before. Compilers were not asked.",
    }
}

fn pictures_section(runs: &[Run], numbers: &Numbers) -> String {
    let figure = |title: &str, picture: String, caption: &str| {
        format!("<figure><h2>{title}</h2>{picture}<figcaption>{caption}</figcaption></figure>")
    };
    let goes_on = match runs.iter().any(|run| run.about.plan.go_on) {
        true => " Attacks went on behind their first success, and all their queries are counted.",
        false => "",
    };
    let refused = match numbers.attacks.iter().any(|attack| attack.count(Outcome::Invalid) > 0) {
        true => " The grey end of a bar has flips that are not valid.",
        false => "",
    };
    let daggers = match numbers.attacks.iter().all(AttackNumbers::is_complete) {
        true => "",
        false => " † Not at its end: what is done first is not chosen at random.",
    };
    let rates = figure(
        "Attack success rate",
        pictures::rates(&numbers.attacks),
        &format!(
            "The share of attacked targets that were broken by a valid form, with its interval.{refused}{daggers}"
        ),
    );
    let queries = figure(
        "Queries to success",
        pictures::queries(&numbers.attacks),
        &format!("The share of attacked targets that were broken within so many queries.{goes_on}"),
    );
    let drops = figure(
        "Fall of confidence",
        pictures::drops(&numbers.attacks),
        "By how much the probability of the truth fell at the most. Box: the middle half of targets, with the median; line: four fifths; dot: the mean with its interval.",
    );
    let mut html = format!(r#"<div class="pictures">{rates}{queries}{drops}"#);
    for run in &numbers.runs {
        let Some(strongest) = &run.strongest else { continue };
        let attack = &numbers.attacks[strongest.attack];
        if !attack.transformations.is_empty() {
            let title = format!("Rewrites of {}", escape(&attack.name));
            let caption = "The share of its successes whose recipes have the rewrite: the most frequent ones.";
            html.push_str(&figure(&title, pictures::rewrites(attack), caption));
        }
    }
    html + "</div>"
}

fn duels(numbers: &Numbers) -> String {
    match tables::duels(numbers) {
        None => String::new(),
        Some(table) => format!(
            "<details class=\"more\"><summary>Each against each, on the targets that both attacked</summary><p>p values are corrected by Holm's method. A negative delta: the first asks less.</p>{table}</details>"
        ),
    }
}

fn not_begun(runs: &[RunNumbers]) -> String {
    let mut html = String::new();
    for run in runs.iter().filter(|run| !run.not_begun.is_empty()) {
        let names = escape(&run.not_begun.join(", "));
        html.push_str(&format!("<p>Planned, and without any record in {}: {names}.</p>", escape(&run.name)));
    }
    html
}

fn transformations(attacks: &[AttackNumbers]) -> String {
    match attacks.iter().all(|attack| attack.transformations.is_empty()) {
        true => "<p>Nothing was broken.</p>".to_owned(),
        false => tables::transformations(attacks),
    }
}

fn examples_section(numbers: &Numbers, examples: &Examples) -> String {
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
        return format!(
            r#"<section id="examples"><h2>Examples</h2><p>There are none on this page.</p>{note}</section>"#
        );
    }
    let attacks = numbers.attacks.iter().zip(&examples.of_attacks).enumerate();
    let mut attacks = attacks
        .filter(|(_, (_, (_, shown)))| *shown > 0)
        .map(|(place, (attack, (_, shown)))| (place.to_string(), format!("{} ({})", attack.name, count(*shown))));
    let mut truths = examples.truths.iter().map(|truth| (truth.clone(), truth.clone()));
    let mut used = examples.transformations.iter().map(|name| (name.clone(), name.clone()));
    let outcomes = match examples.has_invalid {
        false => String::new(),
        true => r#"<label>Validity<select id="by-outcome"><option value="">all flips</option><option value="success">valid</option><option value="invalid">not valid</option></select></label>"#.to_owned(),
    };
    format!(
        r#"<section id="examples"><h2>Examples</h2>{note}
<noscript><p>Filters and differences need scripts, which are switched off here.</p></noscript>
<form id="filter" hidden>
<label class="search">Search<input id="search" type="search" placeholder="code, target or rewrite" autocomplete="off" spellcheck="false"></label>
<label>Attack<select id="by-attack"><option value="">all attacks</option>{attacks}</select></label>
<label>Truth<select id="by-truth"><option value="">all</option>{truths}</select></label>
<label>Rewrite<select id="by-transformation"><option value="">all rewrites</option>{used}</select></label>
{outcomes}
<label>Order<select id="order"><option value="changed">fewest changes</option><option value="drop">largest fall of confidence</option><option value="queries">fewest queries</option></select></label>
</form>
<p id="count" role="status"></p>
<div id="list">
{list}</div>
<button type="button" id="further" hidden>Show more</button></section>"#,
        attacks = options(&mut attacks),
        truths = options(&mut truths),
        used = options(&mut used),
        list = examples.html,
    )
}

/// How it was made: enough to do it again.
fn about(runs: &[Run], numbers: &Numbers) -> String {
    let mut html = format!(
        "<p>Made by allotrope {} from the records of {}. Intervals: {:.0} %, whole source inputs drawn again {} times, seed {}.</p>",
        env!("CARGO_PKG_VERSION"),
        if runs.len() == 1 { "one run".to_owned() } else { format!("{} runs", runs.len()) },
        numbers.bootstrap.level * 100.0,
        count(numbers.bootstrap.resamples),
        numbers.bootstrap.seed
    );
    for run in runs {
        let Some(model) = run.about.models.first() else { continue };
        let varies = match model.varies {
            true => "<dt>Answers</dt><dd>may differ when the same is asked again</dd>",
            false => "",
        };
        let shard = match run.about.shard {
            (_, 1) => String::new(),
            (part, parts) => format!("<dt>Shard</dt><dd>{part} of {parts}</dd>"),
        };
        html.push_str(&format!(
            r#"<details class="more"><summary>{}: model, data and plan</summary><dl class="identity"><dt>Model</dt><dd>{}:{}</dd><dt>Digest of the model</dt><dd>{}</dd><dt>Digest of the data</dt><dd>{}</dd>{varies}{shard}</dl><pre>{}</pre></details>"#,
            escape(&run.name),
            escape(&model.kind),
            escape(&model.place),
            escape(&model.digest),
            escape(&run.about.data),
            escape(&toml::to_string(&run.about.plan).unwrap_or_default()),
        ));
    }
    html
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
