//! `allotrope verify`: judges variants, or makes them and judges them in one go.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use campaign::data::write_file;
use campaign::manifest::{self, Status};
use campaign::tasks::{self, Task};
use campaign::transform::{Pair, outputs_of};
use campaign::verify::{Findings, Hunt, Journal, Row, hunt};
use equivalence::sandbox::Sandbox;
use equivalence::{Case, Comparison, Judge, Options, Verdict, Verdicts, Wanted};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use syntax::Language;
use transformation::Recipe;
use transformation::names::Names;
use transformation::recipe::select;

use crate::failure::Failure;
use crate::say::say;
use crate::table::table;

/// The options of `allotrope verify`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The original and the variant.
    #[arg(num_args = 0..=2, value_names = ["ORIGINAL", "VARIANT"])]
    pair: Vec<PathBuf>,
    /// Judges every output of a manifest, and writes the verdicts into it.
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["pair", "data"])]
    manifest: Option<PathBuf>,
    /// Makes variants of these programs and judges them: a folder of programs, or a data set of JSON lines.
    #[arg(long, value_name = "DATA", conflicts_with = "pair")]
    data: Vec<PathBuf>,
    /// With --data: transformations, rules, groups and classes, separated by commas.
    #[arg(long, value_name = "LIST", default_value = "all", allow_hyphen_values = true)]
    transform: String,
    /// With --data: how many programs of each data set, evenly spread; all by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// With --data: at how many sites of a program each transformation is tried alone.
    #[arg(long, value_name = "N", default_value_t = 2)]
    sites: u32,
    /// With --data: how many of these sites are rewritten in one variant. Many together take less time; what differs is then
    /// looked into step by step.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    together: u32,
    /// With --data: how many chains of rewrites each program gets.
    #[arg(long, value_name = "N", default_value_t = 2)]
    chains: u32,
    /// With --data: how many rewrites make a chain.
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    order: u32,
    /// With --data: the seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// With --data: the folder in which pairs are kept that are not the same.
    #[arg(long, value_name = "FOLDER")]
    failures: Option<PathBuf>,
    /// With --data: a file that keeps what is done; the same command goes on where it was stopped.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// The verdicts that are asked for, besides parse: scope, compile, run.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scope,compile,run")]
    verdicts: Vec<String>,
    /// A file with cases: [{"arguments": ["3"], "input": "…"}].
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// A file that the program reads from its standard input; each makes one case.
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// An argument that the program is called with, in one case.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    argument: Vec<String>,
    /// An expression, such as `f(3)`, whose value both programs must give: for functions without a program around them.
    #[arg(long, value_name = "EXPRESSION")]
    call: Vec<String>,
    /// The language of inputs that do not tell: java, c, cpp, python, javascript.
    #[arg(long, value_parser = super::language)]
    language: Option<Language>,
    /// The time of one run in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    time: f64,
    /// The memory of one run in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..))]
    memory: u32,
    /// What is written as errors must be the same, too.
    #[arg(long)]
    errors: bool,
    /// A folder with headers and other files that programs may read.
    #[arg(long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// The compiler of C: gcc, tcc, or another that understands the options of one of them.
    #[arg(long, value_name = "PROGRAM", default_value = "gcc")]
    c_compiler: String,
    /// Runs programs that are trusted without the sandbox.
    #[arg(long)]
    no_sandbox: bool,
    /// How many threads; by default one a core.
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let wanted = wanted(&arguments.verdicts)?;
    super::use_threads(arguments.jobs)?;
    if arguments.journal.is_some() && arguments.data.is_empty() {
        return Err(Failure::usage("--journal keeps what --data does: give --data, too"));
    }
    match (&arguments.pair[..], &arguments.manifest, &arguments.data[..]) {
        ([original, variant], None, []) => judge_pair(arguments, wanted, original, variant),
        ([], Some(manifest), []) => judge_manifest(arguments, wanted, manifest),
        ([], None, [_, ..]) => judge_data(arguments, wanted),
        _ => Err(Failure::usage("name an original and a variant, or give --manifest or --data")),
    }
}

fn wanted(names: &[String]) -> Result<Wanted, Failure> {
    let mut wanted = Wanted { scope: false, compile: false, run: false };
    for name in names {
        match name.as_str() {
            "parse" => (),
            "scope" => wanted.scope = true,
            "compile" => wanted.compile = true,
            "run" => wanted.run = true,
            _ => return Err(Failure::usage(format!("there is no verdict `{name}`: use parse, scope, compile, run"))),
        }
    }
    Ok(wanted)
}

fn judge(arguments: &Arguments, wanted: Wanted, readable: &[PathBuf]) -> Result<Judge, Failure> {
    let is_anything_run = wanted.compile || wanted.run;
    let sandbox = match arguments.no_sandbox || !is_anything_run {
        true => Sandbox::none(),
        false => Sandbox::new().map_err(Failure::missing)?,
    };
    for gap in if arguments.no_sandbox || !is_anything_run { Vec::new() } else { sandbox.gaps() } {
        eprintln!("warning: the sandbox does not hinder programs from {gap}");
    }
    if !(arguments.time.is_finite() && arguments.time > 0.0) {
        return Err(Failure::usage("--time must be a number of seconds above 0"));
    }
    let mut folders = Vec::new();
    for folder in arguments.include.iter().chain(readable) {
        let path = folder.canonicalize();
        folders.push(path.map_err(|error| Failure::missing(format!("failed to read {}: {error}", folder.display())))?);
    }
    let options = Options {
        time: Duration::from_secs_f64(arguments.time),
        memory: u64::from(arguments.memory) << 20,
        with_errors: arguments.errors,
        readable: folders,
        c: arguments.c_compiler.clone(),
        ..Options::default()
    };
    Ok(Judge::new(sandbox, options))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::missing(format!("failed to read {}: {error}", path.display())))
}

/// The cases that the options give, for a program at this place.
fn cases(arguments: &Arguments, program: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = match &arguments.cases {
        Some(path) => tasks::cases_of(path).map_err(Failure::missing)?,
        None => Vec::new(),
    };
    for path in &arguments.input {
        let input = String::from_utf8_lossy(&read(path)?).into_owned();
        cases.push(Case { arguments: arguments.argument.clone(), input });
    }
    if arguments.input.is_empty() && (!arguments.argument.is_empty() || !arguments.call.is_empty()) {
        cases.push(Case { arguments: arguments.argument.clone(), input: String::new() });
    }
    match cases.is_empty() {
        true => tasks::cases_beside(program).map_err(Failure::missing),
        false => Ok(cases),
    }
}

fn judge_pair(arguments: &Arguments, wanted: Wanted, original: &Path, variant: &Path) -> Result<ExitCode, Failure> {
    let language = arguments.language.or_else(|| Language::from_path(original)).ok_or_else(|| {
        Failure::usage(format!("the language of {} is not known: say --language", original.display()))
    })?;
    let (before, after) = (read(original)?, read(variant)?);
    let [before, after] = [before, after].map(|text| super::calls::with_calls(language, text, &arguments.call));
    let cases = cases(arguments, original)?;
    let judge = judge(arguments, wanted, &[])?;
    let comparison = Comparison { language, original: &before, variant: &after, steps: &[], cases: &cases };
    let verdicts = judge.judge(&comparison, wanted);
    if arguments.json {
        say(&format!("{}\n", as_json(&verdicts)));
    } else {
        let rows = verdicts.all().map(|(name, verdict)| {
            vec![name.to_owned(), verdict.name().to_owned(), verdict.reason().unwrap_or("").replace('\n', "; ")]
        });
        say(&table(&["verdict", "answer", "why"], &rows, &[]));
    }
    Ok(ExitCode::from(u8::from(verdicts.has_fault())))
}

fn as_json(verdicts: &Verdicts) -> serde_json::Value {
    let told = |verdict: &Verdict| json!({ "answer": verdict.name(), "why": verdict.reason() });
    verdicts.all().into_iter().map(|(name, verdict)| (name.to_owned(), told(verdict))).collect()
}

fn judge_manifest(arguments: &Arguments, wanted: Wanted, path: &Path) -> Result<ExitCode, Failure> {
    let mut entries = manifest::read(path).map_err(Failure::missing)?;
    let judge = judge(arguments, wanted, &[])?;
    let outputs = outputs_of(&entries).map_err(Failure::missing)?;
    let mut counts: BTreeMap<(&'static str, &'static str), usize> = BTreeMap::new();
    let mut faults = Vec::new();
    let bar = bar(entries.len(), arguments.json);
    for (entry, pair) in entries.iter_mut().zip(outputs) {
        bar.inc(1);
        let (Some(Pair { original, variant }), Some(language)) = (pair, &entry.language) else { continue };
        let language: Language = language.parse().map_err(Failure::missing)?;
        let cases = cases(arguments, Path::new(&entry.input))?;
        let steps = &entry.steps;
        let comparison = Comparison { language, original: &original, variant: &variant, steps, cases: &cases };
        let verdicts = judge.judge(&comparison, wanted);
        for (name, verdict) in verdicts.all() {
            *counts.entry((name, verdict.name())).or_default() += 1;
        }
        if verdicts.has_fault() {
            faults.push(format!("{}: {}", entry.input, first_fault(&verdicts)));
        }
        if entry.status == Status::Changed {
            entry.verdicts.set(&verdicts);
        }
    }
    bar.finish_and_clear();
    let mut text = Vec::new();
    for entry in &entries {
        entry.write(&mut text).map_err(Failure::missing)?;
    }
    write_file(path, &text).map_err(Failure::missing)?;
    let count = |name, answer| counts.get(&(name, answer)).copied().unwrap_or(0);
    if arguments.json {
        let counted = |name: &'static str| {
            let answers = ["holds", "fails", "not judged"];
            (name.to_owned(), answers.iter().map(|answer| ((*answer).to_owned(), json!(count(name, answer)))).collect())
        };
        let all: serde_json::Map<String, serde_json::Value> =
            ["parse", "scope", "compile", "run"].into_iter().map(counted).collect();
        say(&format!("{}\n", json!({ "verdicts": all, "faults": faults })));
    } else {
        let rows = ["parse", "scope", "compile", "run"].map(|name| {
            let counts = ["holds", "fails", "not judged"].map(|answer| count(name, answer).to_string());
            [vec![name.to_owned()], counts.to_vec()].concat()
        });
        say(&table(&["verdict", "holds", "fails", "not judged"], &rows, &[1, 2, 3]));
        faults.iter().for_each(|fault| say(&format!("{fault}\n")));
    }
    Ok(ExitCode::from(u8::from(!faults.is_empty())))
}

fn first_fault(verdicts: &Verdicts) -> String {
    let fault = verdicts.all().into_iter().find(|(_, verdict)| verdict.is_fault());
    fault.map_or(String::new(), |(name, verdict)| format!("{name}: {}", verdict.reason().unwrap_or_default()))
}

fn judge_data(arguments: &Arguments, wanted: Wanted) -> Result<ExitCode, Failure> {
    let selections = select(&arguments.transform, &Names::typed()).map_err(Failure::usage)?;
    let mut chosen: Vec<Task> = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let support = std::env::temp_dir().join(format!("allotrope-verify-{}", std::process::id()));
    for path in &arguments.data {
        if !path.exists() {
            return Err(Failure::missing(format!("there is no file or folder {}", path.display())));
        }
        let read = tasks::read(path, arguments.language).map_err(Failure::missing)?;
        for (name, text) in &read.beside {
            // The names come from a data set: only what is a plain name is written.
            let name = Path::new(name).file_name().unwrap_or_default();
            write_file(&support.join(name), text.as_bytes()).map_err(Failure::missing)?;
        }
        let wanted = |task: &&Task| arguments.language.is_none_or(|language| language == task.language);
        let tasks: Vec<&Task> = read.tasks.iter().filter(wanted).collect();
        let count = arguments.samples.map_or(tasks.len(), |samples| tasks.len().min(samples as usize));
        chosen.extend((0..count).map(|index| tasks[index * tasks.len() / count].clone()));
        for (reason, count) in read.left_out {
            *left_out.entry(reason).or_default() += count;
        }
    }
    if chosen.is_empty() {
        return Err(Failure::usage("there is no program to verify in what --data names"));
    }
    let order = Hunt {
        recipe: Recipe { selections },
        sites: arguments.sites as usize,
        together: arguments.together as usize,
        chains: arguments.chains as usize,
        order: arguments.order as usize,
        seed: arguments.seed,
        wanted,
        failures: arguments.failures.clone(),
    };
    let readable: Vec<PathBuf> = support.is_dir().then(|| support.clone()).into_iter().collect();
    let judge = judge(arguments, wanted, &readable)?;
    let journal = match &arguments.journal {
        Some(path) => Some(Journal::open(path, &decisive(arguments), &chosen).map_err(Failure::missing)?),
        None => None,
    };
    if let Some(journal) = journal.as_ref().filter(|journal| !journal.is_empty()) {
        eprintln!("{} of {} programs were done before", journal.len(), chosen.len());
    }
    let stop = super::stop_flag();
    let bar = bar(chosen.len(), arguments.json);
    let findings = hunt(&chosen, &order, &judge, journal.as_ref(), &stop, &|| bar.inc(1));
    bar.finish_and_clear();
    let _ = std::fs::remove_dir_all(&support);
    let findings = findings.map_err(Failure::missing)?;
    if arguments.json {
        say(&format!("{}\n", findings_as_json(&findings, &left_out)));
    } else {
        say(&findings_as_text(&findings, &left_out));
    }
    Ok(match (findings.is_interrupted, findings.faults.is_empty()) {
        (true, _) => ExitCode::from(130),
        (false, is_clean) => ExitCode::from(u8::from(!is_clean)),
    })
}

/// The options that decide what is found in a program.
fn decisive(arguments: &Arguments) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("transform", arguments.transform.clone()),
        ("sites", arguments.sites.to_string()),
        ("together", arguments.together.to_string()),
        ("chains", arguments.chains.to_string()),
        ("order", arguments.order.to_string()),
        ("seed", arguments.seed.to_string()),
        ("verdicts", arguments.verdicts.join(",")),
        ("time", arguments.time.to_string()),
        ("memory", arguments.memory.to_string()),
        ("errors", arguments.errors.to_string()),
        ("include", arguments.include.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(",")),
        ("c-compiler", arguments.c_compiler.clone()),
        ("no-sandbox", arguments.no_sandbox.to_string()),
    ])
}

fn bar(length: usize, is_json: bool) -> ProgressBar {
    if is_json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {elapsed}, {eta} left");
    bar.set_style(style.expect("the template is fixed"));
    bar
}

fn sum(findings: &Findings) -> Row {
    findings.rows.values().fold(Row::default(), |sum, row| Row {
        rewrites: sum.rewrites + row.rewrites,
        variants: sum.variants + row.variants,
        judged: sum.judged + row.judged,
        same: sum.same + row.same,
        different: sum.different + row.different,
    })
}

fn findings_as_text(findings: &Findings, left_out: &BTreeMap<String, usize>) -> String {
    let cells = |row: &Row| {
        [row.rewrites, row.variants, row.judged, row.same, row.different].map(|count| count.to_string()).to_vec()
    };
    let mut rows: Vec<Vec<String>> = findings
        .rows
        .iter()
        .map(|((name, language), row)| [vec![name.clone(), (*language).to_owned()], cells(row)].concat())
        .collect();
    rows.push([vec!["all".to_owned(), String::new()], cells(&sum(findings))].concat());
    let header = ["transformation", "language", "rewrites", "variants", "judged", "same", "different"];
    let mut text = table(&header, &rows, &[2, 3, 4, 5, 6]);
    text.push_str(&format!("\n{} programs", findings.programs));
    if findings.broken > 0 {
        text.push_str(&format!(", {} of them do not parse and got no variants", findings.broken));
    }
    text.push('\n');
    for (reason, count) in left_out {
        text.push_str(&format!("{count} rows left out: {reason}\n"));
    }
    for (reason, count) in &findings.not_judged {
        text.push_str(&format!("{count} variants not judged: {reason}\n"));
    }
    for doubt in &findings.doubts {
        text.push_str(&format!("doubtful: {doubt}\n"));
    }
    for fault in &findings.faults {
        text.push_str(&format!("different: {fault}\n"));
    }
    if findings.is_interrupted {
        text.push_str("stopped before the end: the table counts what was done\n");
    }
    text
}

fn findings_as_json(findings: &Findings, left_out: &BTreeMap<String, usize>) -> serde_json::Value {
    let told = |row: &Row| json!({ "rewrites": row.rewrites, "variants": row.variants, "judged": row.judged, "same": row.same, "different": row.different });
    let rows: Vec<serde_json::Value> = findings
        .rows
        .iter()
        .map(|((name, language), row)| {
            let mut object = told(row);
            object["transformation"] = json!(name);
            object["language"] = json!(language);
            object
        })
        .collect();
    json!({
        "programs": findings.programs,
        "broken": findings.broken,
        "all": told(&sum(findings)),
        "rows": rows,
        "left-out": left_out,
        "not-judged": findings.not_judged,
        "faults": findings.faults,
        "doubts": findings.doubts,
        "interrupted": findings.is_interrupted,
    })
}
