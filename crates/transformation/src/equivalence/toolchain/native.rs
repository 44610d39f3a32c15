//! C and C++: gcc and g++ check and compile, or tcc for C; C++ has its library's headers read in advance.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use syntax::Language;

use super::{Answer, Failure, Folder, Memory, Run, Toolchain};
use crate::equivalence::sandbox::{Ending, Limits, Order, Outcome};

/// The headers that were read in advance, if that could be done.
#[derive(Default)]
pub(super) struct Native {
    headers: OnceLock<Option<Folder>>,
}

/// A compiler may take far longer than a program.
const TIME: Duration = Duration::from_secs(120);

impl Native {
    pub(super) fn check(&self, toolchain: &Toolchain, language: Language, text: &[u8]) -> Result<Answer, Failure> {
        let folder = Folder::new()?;
        Ok(match self.compile(toolchain, language, text, &folder, &["-fsyntax-only"])? {
            None => Answer::Accepted(Vec::new()),
            Some(problem) => Answer::Rejected(problem),
        })
    }

    pub(super) fn run(
        &self,
        toolchain: &Toolchain,
        language: Language,
        text: &[u8],
        run: Run<'_>,
    ) -> Result<Answer, Failure> {
        self.run_with(toolchain, language, text, run, &[], toolchain.options.memory)
    }

    /// Says why a program may have no fixed meaning: a sanitiser complains, or what it does depends on what happens to be in
    /// memory that it never wrote.
    pub(super) fn doubts(
        &self,
        toolchain: &Toolchain,
        language: Language,
        text: &[u8],
        run: Run<'_>,
    ) -> Result<Option<String>, Failure> {
        // A sanitiser takes a large part of all addresses for itself.
        let with = |flags: &[&str]| self.run_with(toolchain, language, text, run, flags, 1 << 60);
        let sanitised = with(&["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"])?;
        if let Answer::Accepted(behaviours) = &sanitised {
            for behaviour in behaviours {
                let errors = String::from_utf8_lossy(&behaviour.errors);
                let complaint =
                    |line: &&str| line.contains("runtime error:") || line.contains("ERROR: AddressSanitizer");
                if let Some(line) = errors.lines().find(complaint) {
                    let told = line.split_once("error: ").map_or(line, |(_, told)| told);
                    return Ok(Some(told.to_owned()));
                }
            }
        }
        let filled = [with(&["-ftrivial-auto-var-init=zero"])?, with(&["-ftrivial-auto-var-init=pattern"])?];
        let depends = filled[0] != filled[1] && filled.iter().all(|answer| matches!(answer, Answer::Accepted(_)));
        Ok(depends.then(|| "it depends on memory that it never wrote".to_owned()))
    }

    fn run_with(
        &self,
        toolchain: &Toolchain,
        language: Language,
        text: &[u8],
        run: Run<'_>,
        flags: &[&str],
        memory: u64,
    ) -> Result<Answer, Failure> {
        let folder = Folder::new()?;
        let flags: Vec<&str> = flags.iter().copied().chain(["-o", "main", "-lm"]).collect();
        if let Some(problem) = self.compile(toolchain, language, text, &folder, &flags)? {
            return Ok(Answer::Rejected(problem));
        }
        let program = folder.path().join("main");
        super::run_each(&toolchain.sandbox, run, |case| Order {
            program: &program,
            arguments: case.arguments.iter().map(Into::into).collect(),
            environment: vec![("ASAN_OPTIONS".into(), "detect_leaks=0".into())],
            folder: folder.path(),
            readable: toolchain.options.readable.clone(),
            input: case.input.as_bytes(),
            limits: Limits { memory, ..toolchain.limits(Memory::AddressSpace, run.time) },
        })
    }

    /// Compiles, and gives the problem if there is one.
    fn compile(
        &self,
        toolchain: &Toolchain,
        language: Language,
        text: &[u8],
        folder: &Folder,
        how: &[&str],
    ) -> Result<Option<String>, Failure> {
        let name = if language == Language::C { "main.c" } else { "main.cpp" };
        folder.write(name, text)?;
        // Headers that were read in advance serve only the options that they were read with.
        let headers = if language == Language::Cpp && !is_special(how) { self.headers(toolchain) } else { None };
        let outcome = call(toolchain, language, folder, name, headers, how)?;
        // A program that brings its own names for what the headers declare is compiled without them.
        let outcome = match headers {
            Some(_) if outcome.ending != Ending::Exit(0) => call(toolchain, language, folder, name, None, how)?,
            _ => outcome,
        };
        Ok(match outcome.ending {
            Ending::Exit(0) => None,
            Ending::TimeOut => Some("the compiler took too long".to_owned()),
            _ => Some(errors_of(&outcome)),
        })
    }

    /// The standard headers of C++, read once.
    fn headers(&self, toolchain: &Toolchain) -> Option<&Path> {
        let headers = self.headers.get_or_init(|| {
            let folder = Folder::new().ok()?;
            folder.write("all.hpp", b"#include <bits/stdc++.h>\n").ok()?;
            let program = &toolchain.options.cpp;
            let mut arguments = flags(Language::Cpp, program);
            arguments.extend(["-x", "c++-header", "all.hpp", "-o", "all.hpp.gch"].map(Into::into));
            let outcome = compiler(toolchain, program, &folder, arguments, Vec::new()).ok()?;
            (outcome.ending == Ending::Exit(0)).then_some(folder)
        });
        headers.as_ref().map(Folder::path)
    }
}

fn flags(language: Language, program: &str) -> Vec<OsString> {
    match language {
        Language::C if is_tcc(program) => vec!["-w".into()],
        Language::C => ["-std=gnu11", "-O0", "-w"].map(Into::into).to_vec(),
        _ => ["-std=gnu++17", "-O0", "-w"].map(Into::into).to_vec(),
    }
}

/// Are these options that look for a program without a fixed meaning?
fn is_special(how: &[&str]) -> bool {
    how.iter().any(|flag| flag.starts_with("-fsanitize") || flag.starts_with("-ftrivial"))
}

fn is_tcc(program: &str) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "tcc")
}

fn call(
    toolchain: &Toolchain,
    language: Language,
    folder: &Folder,
    name: &str,
    headers: Option<&Path>,
    how: &[&str],
) -> Result<Outcome, Failure> {
    let program = match language {
        // Only the larger compilers have sanitisers.
        Language::C if is_tcc(&toolchain.options.c) && is_special(how) => "gcc",
        Language::C => &toolchain.options.c,
        _ => &toolchain.options.cpp,
    };
    let mut arguments = flags(language, program);
    if let Some(headers) = headers {
        arguments.extend(["-include".into(), headers.join("all.hpp").into()]);
    }
    for place in &toolchain.options.readable {
        arguments.extend(["-I".into(), place.into()]);
    }
    arguments.push(name.into());
    // tcc has no mode that only checks, and removes what it is told to write before it does: it gets a name of its own.
    match how {
        ["-fsyntax-only"] if language == Language::C && is_tcc(program) => {
            arguments.extend(["-c", "-o", "main.o"].map(Into::into));
        }
        _ => arguments.extend(how.iter().map(Into::into)),
    }
    compiler(toolchain, program, folder, arguments, headers.map(Path::to_owned).into_iter().collect())
}

fn compiler(
    toolchain: &Toolchain,
    program: &str,
    folder: &Folder,
    arguments: Vec<OsString>,
    mut readable: Vec<PathBuf>,
) -> Result<Outcome, Failure> {
    readable.extend(toolchain.options.readable.iter().cloned());
    let mut limits = toolchain.limits(Memory::AddressSpace, TIME);
    limits.memory = limits.memory.max(4 << 30);
    limits.file_size = 512 << 20;
    Ok(toolchain.sandbox.run(&Order {
        program: Path::new(program),
        arguments,
        environment: Vec::new(),
        folder: folder.path(),
        readable,
        input: &[],
        limits,
    })?)
}

/// The lines that tell what is wrong.
fn errors_of(outcome: &Outcome) -> String {
    let text = String::from_utf8_lossy(&outcome.errors);
    let told: Vec<&str> = text.lines().filter(|line| line.contains("error")).take(20).collect();
    match told.is_empty() {
        true => text.lines().take(20).collect::<Vec<_>>().join("\n"),
        false => told.join("\n"),
    }
}
