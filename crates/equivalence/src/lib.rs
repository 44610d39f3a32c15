//! Is a variant equivalent to its original? Four verdicts, each of which is optional.
//!
//! - *parse*: the variant parses without an error that the original does not have;
//! - *scope*: every name stands for the same declaration as before;
//! - *compile*: the compiler or interpreter accepts the variant;
//! - *run*: the variant does the same with every case: output, exit status, type of an uncaught exception.
//!
//! The compiler's verdict and that on behaviour need an original that passes: a verdict that is not available says
//! why. The original runs twice, to detect one that behaves differently from run to run; so does a variant that seems
//! to differ. Fragments are compiled in a scaffold that declares what they lack, see [`scaffold`]; what is compiled
//! with made-up declarations is never run.
//!
//! ```no_run
//! use syntax::Language;
//! use equivalence::sandbox::Sandbox;
//! use equivalence::{Case, Judge, Options, Comparison, Verdict, Wanted};
//!
//! let judge = Judge::new(Sandbox::new()?, Options::default());
//! let case = Case { input: "20 22".to_owned(), ..Case::default() };
//! let comparison = Comparison {
//!     language: Language::Python,
//!     original: b"a, b = map(int, input().split())\nprint(a + b)\n",
//!     variant: b"c, b = map(int, input().split())\nprint(b + c)\n",
//!     steps: &[],
//!     cases: &[case],
//! };
//! assert_eq!(judge.judge(&comparison, Wanted::all()).run, Verdict::Holds);
//! # Ok::<(), equivalence::sandbox::SandboxError>(())
//! ```

mod folder;
pub mod sandbox;
pub mod scaffold;
mod scope;
mod toolchain;
mod worker;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::prelude::*;
use syntax::{Language, Program};
use transformation::Step;

pub use folder::{Folder, remove_folders};
use sandbox::{Ending, Outcome, Sandbox};
use scaffold::Scaffold;
pub use toolchain::Answer;
use toolchain::Toolchain;

/// The input of one run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Case {
    /// The command-line arguments.
    pub arguments: Vec<String>,
    /// The standard input.
    pub input: String,
}

/// A variant, its original, and the cases to run both on.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'q> {
    pub language: Language,
    pub original: &'q [u8],
    pub variant: &'q [u8],
    /// How the variant was made, if known: then the verdict on names is exact.
    pub steps: &'q [Step],
    /// The cases that both are run with; without any, nothing is run.
    pub cases: &'q [Case],
}

/// The answer to one question about a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    /// It does not hold, for this reason.
    Fails(String),
    /// It could not be judged, for this reason.
    NotJudged(String),
    /// It could not be judged, because a compiler, a runtime or the sandbox does not work on this machine.
    Unavailable(String),
}

impl Verdict {
    /// Was a fault found?
    pub fn is_fault(&self) -> bool {
        matches!(self, Verdict::Fails(_))
    }

    /// The name in manifests.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails(_) => "fails",
            Verdict::NotJudged(_) | Verdict::Unavailable(_) => "not judged",
        }
    }

    /// Why it fails, or why it could not be judged.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Holds => None,
            Verdict::Fails(reason) | Verdict::NotJudged(reason) | Verdict::Unavailable(reason) => Some(reason),
        }
    }
}

/// All verdicts on one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// Does it parse?
    pub parse: Verdict,
    /// Do all names refer to the same declarations as before?
    pub scope: Verdict,
    /// Is it accepted by the compiler?
    pub compile: Verdict,
    /// Does it behave the same?
    pub run: Verdict,
}

impl Verdicts {
    /// The verdicts with their names, in order.
    pub fn all(&self) -> [(&'static str, &Verdict); 4] {
        [("parse", &self.parse), ("scope", &self.scope), ("compile", &self.compile), ("run", &self.run)]
    }

    /// What this machine lacks to judge all of it.
    pub fn lacks(&self) -> Option<&str> {
        self.all().into_iter().find_map(|(_, verdict)| match verdict {
            Verdict::Unavailable(reason) => Some(reason.as_str()),
            Verdict::Holds | Verdict::Fails(_) | Verdict::NotJudged(_) => None,
        })
    }

    /// Was any fault found?
    pub fn has_fault(&self) -> bool {
        self.all().iter().any(|(_, verdict)| verdict.is_fault())
    }
}

/// The verdicts that are requested, besides parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub scope: bool,
    pub compile: bool,
    pub run: bool,
}

impl Wanted {
    /// All verdicts.
    pub fn all() -> Wanted {
        Wanted { scope: true, compile: true, run: true }
    }
}

/// How programs are compiled, run and compared.
#[derive(Clone, Debug)]
pub struct Options {
    /// The time limit of one run.
    pub time: Duration,
    /// The memory limit of one run in bytes.
    pub memory: u64,
    /// Must the standard error be the same, too? By default only the type of an uncaught exception must.
    pub with_errors: bool,
    /// Folders that programs may read, with headers for C and C++.
    pub readable: Vec<PathBuf>,
    /// The C compiler: `gcc`, `tcc`, or another with the options of one of them.
    pub c: String,
    pub cpp: String,
    pub python: String,
    pub node: String,
    pub java: String,
    pub javac: String,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            time: Duration::from_secs(10),
            memory: 1 << 30,
            with_errors: false,
            readable: Vec::new(),
            c: "gcc".to_owned(),
            cpp: "g++".to_owned(),
            python: "python3".to_owned(),
            node: "node".to_owned(),
            java: "java".to_owned(),
            javac: "javac".to_owned(),
        }
    }
}

/// Judges variants. It keeps compilers warm, and remembers its verdicts by content.
pub struct Judge {
    toolchain: Toolchain,
    with_errors: bool,
    originals: Mutex<HashMap<Key, Arc<Original>>>,
    variants: Mutex<HashMap<Key, Verdicts>>,
}

/// What is known about an original.
enum Original {
    /// It is accepted within this scaffold, and behaves like this.
    Passes(Scaffold, Vec<Outcome>),
    /// A variant of it cannot be judged: by its compiler, or only by its behaviour.
    Fails { compile: Verdict, run: Verdict, scaffold: Option<Scaffold> },
}

/// The contents that a verdict is about.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    language: Language,
    is_run: bool,
    is_compiled: bool,
    is_resolved: bool,
    steps: Vec<Step>,
    cases: Vec<Case>,
    original: Vec<u8>,
    variant: Vec<u8>,
}

/// The beginning of the reason why a C or C++ program that differs from its variant is not held against the variant.
pub const NO_FIXED_MEANING: &str = "the original has no fixed meaning";

/// How many times longer than its original a variant may run: a rewrite may make a program slower, and the speed of a
/// machine varies.
const LEISURE: u32 = 5;

/// The maximum number of verdicts in memory: a long search looks at new candidates, not at old ones.
const MOST_KEPT: usize = 50_000;

impl Judge {
    /// A judge that runs programs in this sandbox.
    pub fn new(sandbox: Sandbox, options: Options) -> Judge {
        Judge {
            with_errors: options.with_errors,
            toolchain: Toolchain::new(sandbox, options),
            originals: Mutex::default(),
            variants: Mutex::default(),
        }
    }

    /// Runs a program on all cases, or only compiles it if there are none.
    pub fn observe(&self, language: Language, text: &[u8], cases: &[Case]) -> Answer {
        match cases {
            [] => self.toolchain.check(language, text, &[]),
            _ => self.toolchain.run(language, text, cases, 1),
        }
    }

    /// Judges many variants, on all cores. The verdicts are in the order of the comparisons.
    pub fn judge_all(&self, comparisons: &[Comparison<'_>], wanted: Wanted) -> Vec<Verdicts> {
        comparisons.par_iter().map(|comparison| self.judge(comparison, wanted)).collect()
    }

    /// Judges one variant.
    pub fn judge(&self, comparison: &Comparison<'_>, wanted: Wanted) -> Verdicts {
        let key = key(comparison, wanted, comparison.variant);
        if let Some(verdicts) = lock(&self.variants).get(&key) {
            return verdicts.clone();
        }
        let verdicts = self.judge_anew(comparison, wanted);
        keep(&mut lock(&self.variants), key, verdicts.clone());
        verdicts
    }

    fn judge_anew(&self, comparison: &Comparison<'_>, wanted: Wanted) -> Verdicts {
        let original = Program::from_bytes(comparison.language, comparison.original.to_vec());
        let variant = Program::from_bytes(comparison.language, comparison.variant.to_vec());
        let not_asked = || Verdict::NotJudged("nobody asked".to_owned());
        let mut verdicts =
            Verdicts { parse: parse(&original, &variant), scope: not_asked(), compile: not_asked(), run: not_asked() };
        if wanted.scope {
            verdicts.scope = match verdicts.parse {
                Verdict::Holds => scope::compare(&original, &variant, comparison.steps),
                _ => Verdict::NotJudged("one of both does not parse".to_owned()),
            };
        }
        if wanted.compile || wanted.run {
            let (compile, run) = self.compile_and_run(comparison, wanted);
            if wanted.compile {
                verdicts.compile = compile;
            }
            if wanted.run {
                verdicts.run = run;
            }
        }
        verdicts
    }

    fn compile_and_run(&self, comparison: &Comparison<'_>, wanted: Wanted) -> (Verdict, Verdict) {
        let is_run = wanted.run && !comparison.cases.is_empty();
        let no_cases = || Verdict::NotJudged("there are no cases to run it with".to_owned());
        let original = self.original(comparison, is_run);
        match &*original {
            Original::Passes(scaffold, behaviours) if is_run => {
                let text = scaffold.around(comparison.variant);
                let seen = self.toolchain.run(comparison.language, &text, comparison.cases, LEISURE);
                let (compile, run) = self.compare(comparison, &text, behaviours, seen);
                let doubt = || {
                    let text = scaffold.around(comparison.original);
                    self.toolchain.doubts(comparison.language, &text, comparison.cases)
                };
                match run.is_fault().then(doubt).flatten() {
                    Some(doubt) => (compile, Verdict::NotJudged(format!("{NO_FIXED_MEANING}: {doubt}"))),
                    None => (compile, run),
                }
            }
            Original::Passes(scaffold, _) => (self.compile(comparison, scaffold), no_cases()),
            Original::Fails { scaffold: Some(scaffold), run, .. } => {
                (self.compile(comparison, scaffold), if is_run { run.clone() } else { no_cases() })
            }
            Original::Fails { compile, run, .. } => (compile.clone(), if is_run { run.clone() } else { no_cases() }),
        }
    }

    /// Compiles a variant, within the scaffold of its original.
    fn compile(&self, comparison: &Comparison<'_>, scaffold: &Scaffold) -> Verdict {
        let text = scaffold.around(comparison.variant);
        accepted(self.toolchain.check(comparison.language, &text, &scaffold.declarations))
    }

    /// Compares the behaviour of a variant with that of its original.
    fn compare(
        &self,
        comparison: &Comparison<'_>,
        text: &[u8],
        original: &[Outcome],
        seen: Answer,
    ) -> (Verdict, Verdict) {
        let behaviours = match seen {
            Answer::Accepted(behaviours) => behaviours,
            other => {
                let compile = accepted(other);
                let run = match &compile {
                    Verdict::Unavailable(_) => compile.clone(),
                    _ => Verdict::NotJudged("it does not compile".to_owned()),
                };
                return (compile, run);
            }
        };
        let Some(difference) = self.difference(comparison, original, &behaviours) else {
            return (Verdict::Holds, Verdict::Holds);
        };
        // What is different only once has another cause than the rewrite.
        let run = match self.toolchain.run(comparison.language, text, comparison.cases, LEISURE) {
            Answer::Accepted(again) => match self.difference(comparison, original, &again) {
                Some(_) => Verdict::Fails(difference),
                None => Verdict::NotJudged("the variant behaves differently from run to run".to_owned()),
            },
            _ => Verdict::Fails(difference),
        };
        (Verdict::Holds, run)
    }

    fn difference(&self, comparison: &Comparison<'_>, before: &[Outcome], after: &[Outcome]) -> Option<String> {
        let number_of = |index: usize| match comparison.cases.len() {
            1 => String::new(),
            _ => format!("case {}: ", index + 1),
        };
        let pairs = before.iter().zip(after).enumerate();
        for (index, (before, after)) in pairs {
            if let Some(difference) = difference(comparison.language, before, after, self.with_errors) {
                return Some(format!("{}{difference}", number_of(index)));
            }
        }
        (before.len() != after.len()).then(|| format!("{} cases were run, then {}", before.len(), after.len()))
    }

    /// Observes the original, once.
    fn original(&self, comparison: &Comparison<'_>, is_run: bool) -> Arc<Original> {
        let wanted = Wanted { scope: false, compile: true, run: is_run };
        let key = key(comparison, wanted, b"");
        if let Some(original) = lock(&self.originals).get(&key) {
            return Arc::clone(original);
        }
        let original = Arc::new(self.look_at(comparison, is_run));
        keep(&mut lock(&self.originals), key, Arc::clone(&original));
        original
    }

    fn look_at(&self, comparison: &Comparison<'_>, is_run: bool) -> Original {
        let mut first_problem = None;
        let scaffolds = scaffold::all(comparison.language, comparison.original);
        for scaffold in scaffolds.clone() {
            let text = scaffold.around(comparison.original);
            let answer = match is_run {
                true => self.toolchain.run(comparison.language, &text, comparison.cases, 1),
                false => self.toolchain.check(comparison.language, &text, &[]),
            };
            match answer {
                Answer::Accepted(behaviours) if is_run => return self.look_again(comparison, scaffold, behaviours),
                Answer::Accepted(_) => return Original::Passes(scaffold, Vec::new()),
                Answer::Rejected(problem) => drop(first_problem.get_or_insert(problem)),
                Answer::Unavailable(problem) => {
                    let verdict = Verdict::Unavailable(problem);
                    return Original::Fails { compile: verdict.clone(), run: verdict, scaffold: None };
                }
            }
        }
        let problem = match self.toolchain.repair(comparison.language, comparison.original, &scaffolds) {
            Some(Ok(scaffold)) => {
                let run = Verdict::NotJudged("the original lacks declarations, and is only compiled".to_owned());
                return Original::Fails { compile: Verdict::Holds, run, scaffold: Some(scaffold) };
            }
            Some(Err(problem)) => problem,
            None => first_problem.unwrap_or_default(),
        };
        let first_line = problem.lines().next().unwrap_or_default();
        let verdict = Verdict::NotJudged(format!("the original does not compile: {first_line}"));
        Original::Fails { compile: verdict.clone(), run: verdict, scaffold: None }
    }

    /// Runs the original once more, to see whether its behaviour is stable.
    fn look_again(&self, comparison: &Comparison<'_>, scaffold: Scaffold, behaviours: Vec<Outcome>) -> Original {
        let only_compiled = |run, scaffold| Original::Fails { compile: Verdict::Holds, run, scaffold: Some(scaffold) };
        let not_judged = |reason: &str, scaffold| only_compiled(Verdict::NotJudged(reason.to_owned()), scaffold);
        if behaviours.iter().any(|behaviour| behaviour.ending == Ending::TimeOut) {
            return not_judged("the original does not end in time", scaffold);
        }
        if behaviours.iter().any(|behaviour| behaviour.ending == Ending::TooMuchOutput) {
            return not_judged("the original writes too much", scaffold);
        }
        if behaviours.iter().any(|behaviour| behaviour.ending == Ending::TooLarge) {
            return not_judged("the original exceeds its memory or disk limit", scaffold);
        }
        match self.toolchain.run(comparison.language, &scaffold.around(comparison.original), comparison.cases, 1) {
            Answer::Accepted(again) if self.difference(comparison, &behaviours, &again).is_none() => {
                Original::Passes(scaffold, behaviours)
            }
            Answer::Unavailable(problem) => only_compiled(Verdict::Unavailable(problem), scaffold),
            _ => not_judged("the original behaves differently from run to run", scaffold),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding a table")
}

fn keep<V>(table: &mut HashMap<Key, V>, key: Key, value: V) {
    if table.len() >= MOST_KEPT {
        table.clear();
    }
    table.insert(key, value);
}

fn key(comparison: &Comparison<'_>, wanted: Wanted, variant: &[u8]) -> Key {
    Key {
        language: comparison.language,
        is_run: wanted.run,
        is_compiled: wanted.compile,
        is_resolved: wanted.scope,
        steps: if variant.is_empty() { Vec::new() } else { comparison.steps.to_vec() },
        cases: comparison.cases.to_vec(),
        original: comparison.original.to_vec(),
        variant: variant.to_vec(),
    }
}

fn parse(original: &Program, variant: &Program) -> Verdict {
    match (original.first_error(), variant.first_error()) {
        (Some(_), _) => Verdict::NotJudged("the original does not parse".to_owned()),
        (None, Some(error)) => {
            let (line, column) = variant.line_and_column(error.start);
            Verdict::Fails(format!("line {line}, column {column} does not parse"))
        }
        (None, None) => Verdict::Holds,
    }
}

fn accepted(answer: Answer) -> Verdict {
    match answer {
        Answer::Accepted(_) => Verdict::Holds,
        Answer::Rejected(problem) => Verdict::Fails(problem),
        Answer::Unavailable(problem) => Verdict::Unavailable(problem),
    }
}

/// The difference between two runs, if there is one.
fn difference(language: Language, before: &Outcome, after: &Outcome, with_errors: bool) -> Option<String> {
    let said = |behaviour: &Outcome| {
        exception_of(language, &behaviour.errors).map_or_else(String::new, |name| format!(" with {name}"))
    };
    if before.ending != after.ending || said(before) != said(after) {
        let told = |behaviour: &Outcome| format!("{}{}", told(behaviour.ending), said(behaviour));
        return Some(format!("it {}, then it {}", told(before), told(after)));
    }
    if before.output != after.output {
        return Some(format!("the output differs {}", first_difference(&before.output, &after.output)));
    }
    if with_errors && before.errors != after.errors {
        return Some(format!("the errors differ {}", first_difference(&before.errors, &after.errors)));
    }
    None
}

fn told(ending: Ending) -> String {
    match ending {
        Ending::Exit(status) => format!("ended with status {status}"),
        Ending::Signal(signal) => format!("was ended by signal {signal}"),
        Ending::TimeOut => "did not end in time".to_owned(),
        Ending::TooMuchOutput => "wrote too much".to_owned(),
        Ending::TooLarge => "exceeded its memory or disk limit".to_owned(),
    }
}

/// The first line in which two outputs differ.
fn first_difference(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let (mut old, mut new) = (before.lines(), after.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return "in how lines end".to_owned(),
            (one, other) if one == other => (),
            (one, other) => {
                let shown =
                    |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("{:.80?}", shortened(line)));
                return format!("in line {number}: {}, then {}", shown(one), shown(other));
            }
        }
    }
}

fn shortened(line: &str) -> &str {
    &line[..line.floor_char_boundary(120)]
}

/// The type of the exception that ended a program, from its standard error.
fn exception_of(language: Language, errors: &[u8]) -> Option<String> {
    let errors = String::from_utf8_lossy(errors);
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || "._$".contains(character))
    };
    let name = match language {
        Language::Java => errors.lines().find_map(|line| {
            let rest = line.strip_prefix("Exception in thread \"")?;
            rest.split_once("\" ")?.1.split([':', ' ']).next()
        }),
        Language::Python => {
            let mut lines = errors.lines().rev().filter(|line| !line.starts_with([' ', '\t']) && !line.is_empty());
            errors.contains("Traceback (most recent call last)").then(|| lines.next()).flatten()?.split(':').next()
        }
        Language::JavaScript => errors.lines().find_map(|line| {
            let name = line.strip_prefix("Uncaught ").unwrap_or(line).split([':', ' ']).next()?;
            (name.ends_with("Error") || name.ends_with("Exception")).then_some(name)
        }),
        Language::C | Language::Cpp => errors
            .lines()
            .find_map(|line| line.strip_prefix("terminate called after throwing an instance of '")?.split('\'').next()),
    };
    name.filter(|name| is_name(&name.replace("::", "."))).map(str::to_owned)
}
