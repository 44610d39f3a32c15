//! `allotrope verify`: judges variants, or makes them and judges them in one go.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::verify::{self, Cases, Findings, HuntPlan, JudgePlan, ManifestVerdicts, Row};
use equivalence::{Verdict, Verdicts, Wanted};
use serde_json::{Value, json};
use syntax::Language;

use super::{OUTPUT, Threads};
use crate::failure::Failure;
use crate::say::{note, say, say_json};
use crate::screen::Screen;
use crate::table::table;

const HUNT: &str = "Hunt, with --data";
const CASES: &str = "Cases";
const CHECKS: &str = "Checks";

/// The options of `allotrope verify`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Original and variant.
    #[arg(num_args = 0..=2, value_names = ["ORIGINAL", "VARIANT"])]
    pair: Vec<PathBuf>,
    /// Judge every output of a manifest, and write the verdicts into it.
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["pair", "data"])]
    manifest: Option<PathBuf>,
    /// Make variants of these programs and judge them: a folder of programs, or a data set of JSON lines.
    #[arg(long, value_name = "DATA", conflicts_with = "pair")]
    data: Vec<PathBuf>,
    /// Language of inputs that do not say: java, c, cpp, python, javascript.
    #[arg(long, value_parser = super::language)]
    language: Option<Language>,
    #[command(flatten)]
    hunt: HuntOptions,
    #[command(flatten)]
    cases: CaseOptions,
    #[command(flatten)]
    checks: CheckOptions,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// Which variants are made.
#[derive(clap::Args)]
#[command(next_help_heading = HUNT)]
struct HuntOptions {
    /// Transformations, rules, groups and classes, separated by commas.
    #[arg(long, value_name = "LIST", default_value_t = HuntPlan::default().transform, allow_hyphen_values = true)]
    transform: String,
    /// Number of programs of each data set, evenly spread; by default all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Number of sites of a program at which each transformation is tried alone.
    #[arg(long, value_name = "N", default_value_t = HuntPlan::default().sites)]
    sites: usize,
    /// Number of these sites that are rewritten in one variant. More take less time; a variant that differs is then examined
    /// step by step.
    #[arg(long, value_name = "N", default_value_t = HuntPlan::default().together as u64,
        value_parser = clap::value_parser!(u64).range(1..))]
    sites_per_variant: u64,
    /// Number of chains of rewrites that each program gets.
    #[arg(long, value_name = "N", default_value_t = HuntPlan::default().chains)]
    chains: usize,
    /// Number of rewrites in a chain.
    #[arg(long, value_name = "K", default_value_t = HuntPlan::default().order as u64,
        value_parser = clap::value_parser!(u64).range(1..))]
    order: u64,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = HuntPlan::default().seed)]
    seed: u64,
    /// Folder in which pairs that differ are kept.
    #[arg(long, value_name = "FOLDER")]
    failures: Option<PathBuf>,
    /// File that keeps what is done; the same command resumes a hunt that was stopped.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

/// What programs are run on.
#[derive(clap::Args)]
#[command(next_help_heading = CASES)]
struct CaseOptions {
    /// File with cases: [{"arguments": ["3"], "input": "…"}].
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// File that the program reads from standard input; each makes one case.
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// Argument that the program is called with, in one case.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    argument: Vec<String>,
    /// Expression, such as `f(3)`, whose value both programs must give: for functions without a program around them.
    #[arg(long, value_name = "EXPRESSION")]
    call: Vec<String>,
}

/// How variants are judged.
#[derive(clap::Args)]
#[command(next_help_heading = CHECKS)]
struct CheckOptions {
    /// Verdicts that are wanted besides parse: scope, compile, run.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scope,compile,run")]
    verdicts: Vec<String>,
    /// Time limit of one run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = JudgePlan::default().seconds)]
    timeout: f64,
    /// Memory limit of one run, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = JudgePlan::default().memory, value_parser = clap::value_parser!(u64).range(16..))]
    memory: u64,
    /// Compare what is written to standard error as well.
    #[arg(long)]
    compare_stderr: bool,
    /// Folder with headers and other files that programs may read. Repeatable.
    #[arg(long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// C compiler: gcc, tcc, or another that takes the options of one of them.
    #[arg(long, value_name = "PROGRAM", default_value_t = JudgePlan::default().c_compiler)]
    c_compiler: String,
    /// Run programs outside the sandbox: only for programs that you trust.
    #[arg(long)]
    no_sandbox: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { hunt, cases, checks, .. } = arguments;
    let checks = JudgePlan {
        wanted: wanted(&checks.verdicts)?,
        seconds: checks.timeout,
        memory: checks.memory,
        with_errors: checks.compare_stderr,
        include: checks.include.clone(),
        c_compiler: checks.c_compiler.clone(),
        is_confined: !checks.no_sandbox,
    };
    let cases = Cases {
        file: cases.cases.clone(),
        inputs: cases.input.clone(),
        arguments: cases.argument.clone(),
        calls: cases.call.clone(),
    };
    arguments.threads.set()?;
    if hunt.journal.is_some() && arguments.data.is_empty() {
        return Err(Failure::usage("--journal keeps what --data does: give --data, too"));
    }
    let screen = if arguments.json { Screen::plain() } else { Screen::new() };
    match (&arguments.pair[..], &arguments.manifest, &arguments.data[..]) {
        ([original, variant], None, []) => {
            let verdicts = verify::pair(original, variant, arguments.language, &cases, &checks, &screen)?;
            say_pair(&verdicts, arguments.json);
            Ok(status(verdicts.has_fault(), verdicts.lacks()))
        }
        ([], Some(manifest), []) => {
            let found = verify::manifest(manifest, &cases, &checks, &screen)?;
            drop(screen);
            say_manifest(&found, arguments.json);
            Ok(status(!found.faults.is_empty(), found.lacks.as_deref()))
        }
        ([], None, [_, ..]) => {
            let findings = verify::run(&plan(arguments), &checks, &screen)?;
            drop(screen);
            match arguments.json {
                true => say_json(&findings_as_json(&findings)),
                false => say(&findings_as_text(&findings)),
            }
            Ok(match findings.is_interrupted {
                true => ExitCode::from(130),
                false => status(!findings.faults.is_empty(), findings.lacks.as_deref()),
            })
        }
        _ => Err(Failure::usage("name an original and a variant, or give --manifest or --data")),
    }
}

/// The exit status. A requested check that cannot be made on this machine is an error.
fn status(has_fault: bool, lacks: Option<&str>) -> ExitCode {
    if let Some(reason) = lacks {
        note(&format!(
            "not everything was judged: {reason}; install it, or name the checks that you want with --verdicts"
        ));
    }
    match (has_fault, lacks) {
        (true, _) => ExitCode::from(1),
        (false, Some(_)) => ExitCode::from(3),
        (false, None) => ExitCode::SUCCESS,
    }
}

fn plan(arguments: &Arguments) -> HuntPlan {
    let hunt = &arguments.hunt;
    HuntPlan {
        data: arguments.data.clone(),
        language: arguments.language,
        sample: hunt.sample.map(|sample| sample as usize),
        transform: hunt.transform.clone(),
        sites: hunt.sites,
        together: hunt.sites_per_variant as usize,
        chains: hunt.chains,
        order: hunt.order as usize,
        seed: hunt.seed,
        failures: hunt.failures.clone(),
        journal: hunt.journal.clone(),
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

fn say_pair(verdicts: &Verdicts, is_json: bool) {
    if is_json {
        say_json(&as_json(verdicts));
        return;
    }
    let rows = verdicts.all().map(|(name, verdict)| {
        vec![name.to_owned(), verdict.name().to_owned(), verdict.reason().unwrap_or("").replace('\n', "; ")]
    });
    say(&table(&["verdict", "answer", "why"], &rows, &[]));
}

fn as_json(verdicts: &Verdicts) -> Value {
    let told = |verdict: &Verdict| json!({ "answer": verdict.name(), "why": verdict.reason() });
    verdicts.all().into_iter().map(|(name, verdict)| (name.to_owned(), told(verdict))).collect()
}

fn say_manifest(found: &ManifestVerdicts, is_json: bool) {
    const CHECKS: [&str; 4] = ["parse", "scope", "compile", "run"];
    const ANSWERS: [&str; 3] = ["holds", "fails", "not judged"];
    let count = |check, answer| found.counts.get(&(check, answer)).copied().unwrap_or(0);
    if is_json {
        let counted =
            |check| ANSWERS.map(|answer| (answer.to_owned(), json!(count(check, answer)))).into_iter().collect();
        let all: serde_json::Map<String, Value> =
            CHECKS.map(|check| (check.to_owned(), counted(check))).into_iter().collect();
        say_json(&json!({ "verdicts": all, "faults": found.faults }));
        return;
    }
    let rows = CHECKS.map(|check| {
        let counts = ANSWERS.map(|answer| count(check, answer).to_string());
        [vec![check.to_owned()], counts.to_vec()].concat()
    });
    say(&table(&["verdict", ANSWERS[0], ANSWERS[1], ANSWERS[2]], &rows, &[1, 2, 3]));
    found.faults.iter().for_each(|fault| say(&format!("{fault}\n")));
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

fn findings_as_text(findings: &Findings) -> String {
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
    for (reason, count) in &findings.left_out {
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
        text.push_str("stopped early: the table counts what was done\n");
    }
    text
}

fn findings_as_json(findings: &Findings) -> Value {
    let told = |row: &Row| json!({ "rewrites": row.rewrites, "variants": row.variants, "judged": row.judged, "same": row.same, "different": row.different });
    let rows: Vec<Value> = findings
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
        "left-out": findings.left_out,
        "not-judged": findings.not_judged,
        "faults": findings.faults,
        "doubts": findings.doubts,
        "interrupted": findings.is_interrupted,
    })
}
