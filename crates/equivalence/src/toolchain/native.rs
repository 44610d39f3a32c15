//! C and C++: gcc and g++ check and compile, or tcc for C; C++ has its library's headers read in advance.
//!
//! The whole library of C++ takes longer to load than a small program to compile, so the headers that several programs begin with
//! are read in advance by themselves.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use syntax::Language;

use super::{Answer, Failure, Folder, Memory, Toolchain, Workload};
use crate::sandbox::{Ending, Limits, Order, Outcome};

/// What serves many programs.
#[derive(Default)]
pub(super) struct Native {
    /// The headers that programs begin with, the last used last.
    headers: Mutex<Vec<Headers>>,
    /// The option for a linker that is quicker than the usual one, of C and of C++.
    linkers: [OnceLock<Option<&'static str>>; 2],
}

/// Some headers, as the lines that include them.
struct Headers {
    lines: String,
    programs: usize,
    /// What the compiler has made of them, if it could.
    folder: Compiled,
}

/// It stays while somebody compiles with it.
type Compiled = Arc<OnceLock<Option<Folder>>>;

/// All headers of the library, for programs that include none.
const ALL_HEADERS: &str = "#include <bits/stdc++.h>\n";

/// To read headers in advance takes as long as a few programs.
const WORTH_IT: usize = 3;

/// More headers than this are not kept, because they take up to a hundred megabytes of the disk.
const MOST_HEADERS: usize = 16;

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
        run: Workload<'_>,
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
        run: Workload<'_>,
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
        run: Workload<'_>,
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
        let own = leading_headers(text);
        let mut attempts = match language == Language::C || is_special(how) {
            // Headers that were read in advance serve only the options that they were read with.
            true => vec![None],
            // Many a program lacks a header that its author's compiler did not ask for. It sees the whole library only then: a
            // variant must not see more than its original because a comment stands between its headers.
            false if includes_something(text) => {
                vec![(!own.is_empty()).then_some((own.as_str(), WORTH_IT)), Some((ALL_HEADERS, 0))]
            }
            // A program that brings its own names for what the headers declare is compiled without them.
            false => vec![Some((ALL_HEADERS, 0)), None],
        }
        .into_iter();
        let outcome = loop {
            let headers = attempts.next().flatten().and_then(|(lines, worth)| self.headers(toolchain, lines, worth));
            let place = headers.as_ref().and_then(|headers| headers.get()?.as_ref()).map(Folder::path);
            let outcome = self.call(toolchain, language, folder, name, place, how)?;
            if outcome.ending == Ending::Exit(0) || attempts.len() == 0 {
                break outcome;
            }
        };
        Ok(match outcome.ending {
            Ending::Exit(0) => None,
            Ending::TimeOut => Some("the compiler took too long".to_owned()),
            _ => Some(errors_of(&outcome)),
        })
    }

    /// Headers, read in advance if so many programs have asked for them.
    fn headers(&self, toolchain: &Toolchain, lines: &str, worth_it: usize) -> Option<Compiled> {
        let folder = {
            let mut known = self.headers.lock().unwrap_or_else(PoisonError::into_inner);
            let mut headers = match known.iter().position(|headers| headers.lines == lines) {
                Some(place) => known.remove(place),
                None => Headers { lines: lines.to_owned(), programs: 0, folder: Arc::default() },
            };
            headers.programs += 1;
            let folder = (headers.programs >= worth_it).then(|| Arc::clone(&headers.folder));
            if known.len() >= MOST_HEADERS {
                known.remove(0);
            }
            known.push(headers);
            folder?
        };
        folder.get_or_init(|| {
            let folder = Folder::new().ok()?;
            folder.write("all.hpp", lines.as_bytes()).ok()?;
            let program = &toolchain.options.cpp;
            let mut arguments = flags(Language::Cpp, program);
            arguments.extend(["-x", "c++-header", "all.hpp", "-o", "all.hpp.gch"].map(Into::into));
            let outcome = compiler(toolchain, program, &folder, arguments, Vec::new()).ok()?;
            (outcome.ending == Ending::Exit(0)).then_some(folder)
        });
        Some(folder)
    }

    fn call(
        &self,
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
        if how.contains(&"main") && !is_special(how) {
            arguments.extend(self.linker(toolchain, language).map(Into::into));
        }
        compiler(toolchain, program, folder, arguments, headers.map(Path::to_owned).into_iter().collect())
    }

    /// The option for the first linker that this compiler can use and that is quicker than the usual one.
    fn linker(&self, toolchain: &Toolchain, language: Language) -> Option<&'static str> {
        let (number, program) = match language {
            Language::C => (0, &toolchain.options.c),
            _ => (1, &toolchain.options.cpp),
        };
        *self.linkers[number].get_or_init(|| {
            let folder = Folder::new().ok()?;
            let name = if language == Language::C { "main.c" } else { "main.cpp" };
            folder.write(name, b"int main(void) { return 0; }\n").ok()?;
            let works = |option: &&str| {
                let arguments = [name, "-o", "main", *option].map(Into::into).to_vec();
                let outcome = compiler(toolchain, program, &folder, arguments, Vec::new());
                outcome.is_ok_and(|outcome| outcome.ending == Ending::Exit(0))
            };
            // tcc is its own linker.
            if is_tcc(program) { None } else { ["-fuse-ld=lld", "-fuse-ld=gold"].into_iter().find(works) }
        })
    }
}

/// The lines at the very beginning of a program that include headers of the system: only they can be read in advance without a
/// change of what they mean.
fn leading_headers(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.trim_start();
    let mut lines = String::new();
    loop {
        let comment_end = match rest.get(..2) {
            Some("//") => rest.find('\n'),
            Some("/*") => rest.find("*/").map(|at| at + 2),
            _ => None,
        };
        if let Some(end) = comment_end {
            rest = rest[end..].trim_start();
            continue;
        }
        let line = rest.lines().next().unwrap_or_default();
        let name = line.strip_prefix('#').map(str::trim_start).and_then(|line| line.strip_prefix("include"));
        let name = name.and_then(|name| name.trim().strip_prefix('<')?.strip_suffix('>'));
        match name {
            Some(name) if !name.contains(['<', '>', '/', '*', '\\']) || name == "bits/stdc++.h" => {
                lines.push_str(&format!("#include <{name}>\n"));
                rest = rest[line.len()..].trim_start();
            }
            _ => return lines,
        }
    }
}

/// Comments may stand before an `#include`; what is called one without need only takes a compilation more.
fn includes_something(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.split('#').skip(1).any(|rest| rest.trim_start().starts_with("include"))
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
    limits.memory_of_all = limits.memory_of_all.max(limits.memory);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_at_the_very_beginning_are_read_in_advance() {
        for (text, expected) in [
            ("", ""),
            ("int main() {}", ""),
            ("#include <map>\n#include <vector>\n\nint main() {}", "<map> <vector>"),
            ("// Said.\n/* More\n#include <set>\n*/\n# include <map>\r\nusing namespace std;\n#include <set>", "<map>"),
            ("#include <bits/stdc++.h>\nusing namespace std;\n#include <map>\n", "<bits/stdc++.h>"),
            ("#define NDEBUG\n#include <cassert>\n", ""),
            ("#include <map>\n#if 1\n#include <set>\n#endif\n", "<map>"),
            ("#include \"own.hpp\"\n#include <map>\n", ""),
            ("#include <map> // for the words\n", ""),
            ("#include <map>", "<map>"),
            ("/* without an end", ""),
            ("#include <../own.hpp>", ""),
        ] {
            let lines: Vec<String> = expected.split_whitespace().map(|name| format!("#include {name}\n")).collect();
            assert_eq!(leading_headers(text.as_bytes()), lines.concat(), "{text}");
        }
    }
}
