//! `allotrope data`: what a data set contains, before a model is queried on it.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::examples::language::Recognition;
use campaign::examples::survey::{Duplicates, Lengths, Survey, survey};
use campaign::examples::{LanguageSource, Question};
use campaign::work::{Event, Watcher};
use campaign::{Example, Examples, Truth};
use measure::printed::{thousands, visible_in_line};
use random::{Random, seed_of};
use serde_json::{Value, json};
use syntax::Language;

use super::{OUTPUT, Threads, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;
use crate::table::table;

/// The options of `allotrope data`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A file (jsonl, json, csv, tsv, parquet, txt; gz) or a folder.
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    threads: Threads,
    /// Print a random sample of N examples.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = OUTPUT)]
    show: usize,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let examples = arguments.options.read(arguments.data.clone())?;
    let screen = Screen::new();
    screen.tell(Event::Stage("reading programs", Some(examples.programs.len())));
    let survey = survey(&examples, &|| screen.tell(Event::Steps(1)));
    drop(screen);
    let shown = shown(&examples, arguments.show, arguments.options.seed());
    if arguments.json {
        say_json(&as_json(&examples, &survey, &shown));
    } else {
        say(&as_text(&examples, &survey));
        shown.iter().for_each(|example| say(&readable(&examples, example)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Some examples, in their order.
fn shown(examples: &Examples, count: usize, seed: u64) -> Vec<&Example> {
    let mut places: Vec<usize> = (0..examples.items.len()).collect();
    Random::new(seed_of(&[b"show", &seed.to_le_bytes()])).shuffle(&mut places);
    places.truncate(count);
    places.sort_unstable();
    places.into_iter().map(|place| &examples.items[place]).collect()
}

fn as_text(examples: &Examples, survey: &Survey) -> String {
    let mut text = format!("{}\n\n", examples.path.display());
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("layout", format!("{}: {}", examples.layout.name, examples.layout.about));
    line("task", format!("{}: {}", examples.task, examples.task.question()));
    if !examples.task.measures().is_empty() {
        line("measured by", examples.task.measures().join(", "));
    }
    line("language", language(examples));
    line("rows", rows(examples));
    line("examples", examples_and_programs(examples));
    for note in &examples.notes {
        line("note", note.clone());
    }
    for warning in &examples.warnings {
        line("warning", warning.clone());
    }
    if !examples.broken.first.is_empty() {
        text.push('\n');
        let reasons = examples.broken.reasons.iter().map(|(reason, count)| vec![thousands(*count), reason.clone()]);
        text.push_str(&table(&["broken rows", "why"], &reasons.collect::<Vec<_>>(), &[0]));
        examples.broken.first.iter().for_each(|first| text.push_str(&format!("  {}\n", shortened(first, 110))));
    }
    if !examples.labels.is_empty() {
        text.push('\n');
        text.push_str(&labels(examples));
    }
    text.push('\n');
    text.push_str(&lengths(survey));
    text.push('\n');
    text.push_str(&findings(examples, survey));
    text
}

fn language(examples: &Examples) -> String {
    let languages = examples.languages();
    let names = match languages.len() {
        1 => languages.keys().map(|language| language.name().to_owned()).collect::<Vec<_>>().join(""),
        _ => {
            let counted = languages.iter().map(|(language, count)| format!("{language} {}", thousands(*count)));
            counted.collect::<Vec<_>>().join(", ")
        }
    };
    match &examples.language {
        LanguageSource::Given => format!("{names} (given)"),
        LanguageSource::Told => format!("{names} (from the data set)"),
        LanguageSource::FileName => format!("{names} (from the file name)"),
        LanguageSource::Recognised(recognition) => format!("{names} ({})", recognised(recognition)),
    }
}

fn recognised(recognition: &Recognition) -> String {
    let sampled = recognition.sampled;
    let counted: Vec<String> =
        recognition.clean.iter().take(2).map(|(language, clean)| format!("{clean} as {language}")).collect();
    let is_family = recognition.clean.iter().take(2).all(|(one, _)| matches!(one, Language::C | Language::Cpp));
    let sure = match (recognition.is_sure(), is_family) {
        (true, _) => "",
        (false, true) => "; hard to tell apart: set --language",
        (false, false) => "; not sure: set --language",
    };
    format!("detected: of {sampled} sampled programs parse {}{sure}", counted.join(", "))
}

fn rows(examples: &Examples) -> String {
    let rows = thousands(examples.rows);
    match examples.broken.rows {
        0 => format!("{rows}, none broken"),
        broken => format!("{rows}, {} broken", thousands(broken)),
    }
}

fn examples_and_programs(examples: &Examples) -> String {
    let (items, programs) = (examples.items.len(), examples.programs.len());
    let items = thousands(items);
    match examples.items.iter().any(|item| matches!(item.question, Question::Pair(..))) {
        true => format!("{items} pairs of {} programs", thousands(programs)),
        false => items,
    }
}

/// The classes with their sizes; of many, the first and the sizes of all.
fn labels(examples: &Examples) -> String {
    const ALL: usize = 12;
    const FIRST: usize = 8;
    let counts = examples.label_counts();
    let all = counts.iter().sum::<usize>().max(1);
    let shown = if counts.len() <= ALL { counts.len() } else { FIRST };
    let row = |class: usize| {
        let share = format!("{:.1} %", 100.0 * counts[class] as f64 / all as f64);
        vec![class.to_string(), examples.labels[class].clone(), thousands(counts[class]), share]
    };
    let rows: Vec<Vec<String>> = (0..shown).map(row).collect();
    let mut text = table(&["class", "label", "examples", "share"], &rows, &[0, 2, 3]);
    if shown < counts.len() {
        let mut sizes = counts.clone();
        sizes.sort_unstable();
        let [least, median, most] = [0, sizes.len() / 2, sizes.len() - 1].map(|place| thousands(sizes[place]));
        let more = thousands(counts.len() - shown);
        text.push_str(&format!(
            "… {more} more; the smallest class has {least}, the median {median}, the largest {most}\n"
        ));
    }
    text
}

fn lengths(survey: &Survey) -> String {
    let row = |name: &str, lengths: &Lengths| {
        let Lengths { least, median, mean, high, most } = *lengths;
        let mean = format!("{}.{:.0}", thousands((mean * 10.0).round() as usize / 10), (mean * 10.0).round() % 10.0);
        vec![name.to_owned(), thousands(least), thousands(median), mean, thousands(high), thousands(most)]
    };
    let mut rows =
        vec![row("characters", &survey.characters), row("lines", &survey.lines), row("tokens", &survey.tokens)];
    rows.extend(survey.words.as_ref().map(|words| row("words of text", words)));
    table(&["length", "min", "median", "mean", "95 %", "max"], &rows, &[1, 2, 3, 4, 5])
}

fn findings(examples: &Examples, survey: &Survey) -> String {
    let programs = examples.programs.len();
    let grouped = |found: &Duplicates, things: &str| match found.groups {
        0 => "none".to_owned(),
        1 => format!("{} {things} in 1 group", thousands(found.members)),
        groups => {
            let (members, groups, largest) = (thousands(found.members), thousands(groups), thousands(found.largest));
            format!("{members} {things} in {groups} groups, the largest of {largest}")
        }
    };
    let share = |count: usize, all: usize| match count {
        0 => "none".to_owned(),
        _ => format!("{} ({:.1} %)", thousands(count), 100.0 * count as f64 / all.max(1) as f64),
    };
    let mut lines = vec![("programs that do not parse", share(survey.broken, programs))];
    if !survey.first_broken.is_empty() {
        let keys = survey.first_broken.iter().map(|program| examples.programs[*program].key.as_str());
        let last = lines.len() - 1;
        let more = if survey.broken > survey.first_broken.len() { ", …" } else { "" };
        lines[last].1.push_str(&format!(": {}{more}", keys.collect::<Vec<_>>().join(", ")));
    }
    lines.push(("identical programs", grouped(&survey.exact, "programs")));
    lines.push(("same but for layout and comments", grouped(&survey.alike, "programs")));
    if survey.questions.groups > 0 && (survey.shared.is_some() || survey.words.is_some()) {
        lines.push(("examples with the same input", grouped(&survey.questions, "examples")));
    }
    if !matches!(examples.items[0].truth, Truth::Unknown) {
        lines.push(("… with contradicting labels", grouped(&survey.contradicting, "examples")));
    }
    if let Some(shared) = &survey.shared {
        lines.push(("programs in more than one pair", share(shared.programs, programs)));
        lines.push(("maximum pairs with one program", thousands(shared.most)));
        lines.push(("pairs of a program with itself", share(survey.same_twice, examples.items.len())));
    }
    if let Some(leaked) = survey.leaked {
        lines.push(("programs that contain their text", share(leaked, examples.items.len())));
    }
    if survey.with_substitutes > 0 {
        lines.push(("programs with substitutes", share(survey.with_substitutes, programs)));
    }
    lines.into_iter().map(|(name, value)| format!("{name:<33}  {value}\n")).collect()
}

/// An example for people: its truth, then its programs.
pub fn readable(examples: &Examples, example: &Example) -> String {
    const WIDTH: usize = 100;
    let rule = |title: &str| {
        let dashes = WIDTH.saturating_sub(title.chars().count() + 4);
        format!("── {title} {}\n", "─".repeat(dashes))
    };
    let mut text = format!("\n{}", rule(&format!("example {}", example.id)));
    let truth = match &example.truth {
        Truth::Class(class) => examples.labels[*class].clone(),
        Truth::Name(name) => name.clone(),
        Truth::Text(truth) => truth.clone(),
        Truth::Unknown => "unknown".to_owned(),
    };
    text.push_str(&format!("truth     {}\n", visible_in_line(&truth.replace('\n', " "))));
    let question = match &example.question {
        Question::CodeAndText(_, question) => Some(question),
        Question::Code(_) | Question::Pair(..) => None,
    };
    for (name, value) in
        [("group", example.group.as_ref().filter(|group| Some(*group) != question)), ("question", question)]
    {
        if let Some(value) = value {
            text.push_str(&format!("{name:<9} {}\n", visible_in_line(&value.replace('\n', " "))));
        }
    }
    if let Some(substitutes) = examples.substitutes(example) {
        let names: Vec<&str> = substitutes.keys().map(String::as_str).collect();
        text.push_str(&shortened(&format!("names     {}", names.join(", ")), WIDTH));
        text.push('\n');
    }
    for program in example.question.programs() {
        let source = &examples.programs[program];
        text.push_str(&rule(&format!("{} {}", source.code.language, source.key)));
        text.push_str(&excerpt(&source.code.text));
    }
    text
}

/// The first lines of a program with their numbers. Lines that hold nothing are left out, as data sets double them.
fn excerpt(code: &str) -> String {
    const LINES: usize = 30;
    const COLUMNS: usize = 92;
    let lines: Vec<(usize, &str)> = code.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().take(LINES) {
        let line = visible_in_line(&line.trim_end().replace('\t', "    "));
        text.push_str(&format!("{:>5}  {}\n", number + 1, shortened(&line, COLUMNS)));
    }
    if lines.len() > LINES {
        text.push_str(&format!("       … {} more lines\n", lines.len() - LINES));
    }
    text
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

fn as_json(examples: &Examples, survey: &Survey, shown: &[&Example]) -> Value {
    let lengths = |lengths: &Lengths| {
        json!({
            "min": lengths.least, "median": lengths.median, "mean": lengths.mean, "p95": lengths.high, "max": lengths.most,
        })
    };
    let duplicates =
        |found: &Duplicates| json!({ "groups": found.groups, "members": found.members, "largest": found.largest });
    let counts = examples.label_counts();
    let labels: Vec<Value> = examples
        .labels
        .iter()
        .zip(&counts)
        .enumerate()
        .map(|(class, (label, count))| json!({ "class": class, "label": label, "examples": count }))
        .collect();
    let source = match &examples.language {
        LanguageSource::Given => json!({ "by": "option" }),
        LanguageSource::Told => json!({ "by": "data" }),
        LanguageSource::FileName => json!({ "by": "file-name" }),
        LanguageSource::Recognised(recognition) => json!({
            "by": "recognition", "sampled": recognition.sampled, "sure": recognition.is_sure(),
            "clean": recognition.clean.iter().map(|(language, clean)| (language.name().to_owned(), json!(clean)))
                .collect::<serde_json::Map<_, _>>(),
        }),
    };
    let languages: serde_json::Map<String, Value> =
        examples.languages().iter().map(|(language, count)| (language.name().to_owned(), json!(count))).collect();
    json!({
        "path": examples.path,
        "layout": examples.layout.name,
        "task": examples.task.name(),
        "measures": examples.task.measures(),
        "languages": languages,
        "language_known": source,
        "rows": examples.rows,
        "broken_rows": {
            "count": examples.broken.rows, "reasons": examples.broken.reasons, "first": examples.broken.first,
        },
        "examples": examples.items.len(),
        "programs": examples.programs.len(),
        "labels": labels,
        "notes": examples.notes,
        "warnings": examples.warnings,
        "characters": lengths(&survey.characters),
        "lines": lengths(&survey.lines),
        "tokens": lengths(&survey.tokens),
        "words": survey.words.as_ref().map(lengths),
        "unparsed_programs": survey.broken,
        "exact_duplicates": duplicates(&survey.exact),
        "alike_but_for_layout_and_comments": duplicates(&survey.alike),
        "examples_that_ask_the_same": duplicates(&survey.questions),
        "contradicting": duplicates(&survey.contradicting),
        "pairs": survey.shared.map(|shared| json!({
            "programs_in_several": shared.programs, "most_with_one_program": shared.most, "of_a_program_with_itself": survey.same_twice,
        })),
        "programs_that_hold_their_text": survey.leaked,
        "programs_with_substitutes": survey.with_substitutes,
        "shown": shown.iter().map(|example| example_as_json(examples, example)).collect::<Vec<_>>(),
    })
}

fn example_as_json(examples: &Examples, example: &Example) -> Value {
    let programs: Vec<Value> = example
        .question
        .programs()
        .into_iter()
        .map(|program| {
            let source = &examples.programs[program];
            json!({ "key": source.key, "language": source.code.language.name(), "text": source.code.text })
        })
        .collect();
    let truth = match &example.truth {
        Truth::Class(class) => json!({ "class": class, "label": examples.labels[*class] }),
        Truth::Name(name) => json!({ "name": name }),
        Truth::Text(text) => json!({ "text": text }),
        Truth::Unknown => Value::Null,
    };
    let question = match &example.question {
        Question::CodeAndText(_, text) => Some(text),
        Question::Code(_) | Question::Pair(..) => None,
    };
    json!({ "id": example.id, "group": example.group, "truth": truth, "question": question, "programs": programs })
}

#[cfg(test)]
mod tests {
    use super::{excerpt, shortened};

    #[test]
    fn numbers_and_lines_are_readable() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äö…");
        assert_eq!(excerpt("a\n\n\u{1b}[2J\tb\n"), "    1  a\n    3  \\x1b[2J    b\n");
    }
}
