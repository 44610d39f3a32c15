//! The rules of the house that no compiler checks, over every file of the workspace.
//!
//! Each rule is a function from files to complaints, so that the tests at the end can show it a file that
//! breaks it: a rule that finds nothing in a tidy workspace might as well be asleep.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates from left to right. A crate may use only crates to its left.
const CRATES: [&str; 15] = [
    "testbed",
    "manual",
    "random",
    "syntax",
    "transformation",
    "equivalence",
    "kernels",
    "model",
    "training",
    "measure",
    "search",
    "campaign",
    "report",
    "cli",
    "python",
];

/// Longer files are split.
const MOST_LINES: usize = 1200;

/// Larger files are data or build outputs, which do not belong in the project.
const MOST_BYTES: u64 = 1_000_000;

/// So many bytes may all models have together.
const MOST_BYTES_OF_MODELS: u64 = 12_000_000;

/// A file of the workspace: its path from the root, with `/` between the parts, and its text.
struct File {
    path: String,
    text: String,
}

impl File {
    fn ends_in(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }
}

#[test]
fn crates_use_only_crates_to_their_left() {
    complain(
        crates_out_of_order(&workspace()),
        "move the code to the crate that may have it, or hand in what is missing; the order is in ARCHITECTURE.md",
    );
}

#[test]
fn crates_use_the_lints_of_the_workspace() {
    complain(crates_without_lints(&workspace()), "write `[lints]` and `workspace = true` into the Cargo.toml");
}

#[test]
fn public_items_are_documented() {
    complain(
        undocumented(&workspace()),
        "say in a doc comment what the name does not; fields and variants may do without",
    );
}

#[test]
fn unsafe_code_stays_in_its_place() {
    complain(unsafe_allowed(&workspace()), "find a way within the language, or a crate that has one");
}

#[test]
fn files_are_formatted() {
    let root = root();
    let files: Vec<PathBuf> =
        workspace().iter().filter(|file| file.ends_in(&[".rs"])).map(|file| root.join(&file.path)).collect();
    // A toolchain without the component has a `rustfmt` that only says so.
    let is_installed = Command::new("rustfmt").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_installed {
        testbed::skip(&format!("rustfmt is not installed, so the format of {} files is not checked", files.len()));
        return;
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--check", "--edition", "2024", "--config-path"]).arg(root.join("rustfmt.toml")).args(&files);
    let output = rustfmt.output().expect("rustfmt has just answered");
    let remedy = "run `rustfmt --edition 2024 $(git ls-files '*.rs')`: cargo fmt does not see all modules";
    let shown: String =
        String::from_utf8_lossy(&output.stdout).lines().take(60).flat_map(|line| [line, "\n"]).collect();
    assert!(output.status.success(), "{shown}{}\n{remedy}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn modules_are_declared_beside_their_folder() {
    complain(orphans(&workspace()), "declare the file in the .rs file beside its folder, or delete it");
}

#[test]
fn nothing_is_left_unfinished() {
    complain(unfinished(&workspace()), "finish it, or leave it out; a test that cannot pass asserts today's behaviour");
}

#[test]
fn files_are_short_enough_to_read() {
    complain(too_long(&workspace()), "split the file along its ideas");
}

#[test]
fn no_file_is_large() {
    let root = root();
    let size = |path: &String| std::fs::metadata(root.join(path)).map_or(0, |data| data.len());
    let (models, others): (Vec<String>, Vec<String>) =
        paths().into_iter().partition(|path| path.starts_with("models/") && path.ends_with(".safetensors"));
    let large: Vec<String> = others.into_iter().filter(|path| size(path) > MOST_BYTES).collect();
    complain(large, "a repository carries every large file for ever: leave it out, and let a script fetch it");
    // Small models are the exception, since a script would need a GPU to make them again.
    let bytes: u64 = models.iter().map(size).sum();
    assert!(bytes <= MOST_BYTES_OF_MODELS, "the models have {bytes} bytes, more than {MOST_BYTES_OF_MODELS}");
}

#[test]
fn lines_have_no_tabs_and_no_trailing_blanks() {
    complain(untidy_blanks(&workspace()), "use spaces, and end the line with its last character");
}

#[test]
fn no_file_names_a_place_on_one_machine() {
    complain(machine_paths(&workspace()), "name the place by an option, a variable or a relative path");
}

#[test]
fn dependencies_have_permitted_licences() {
    let Some(metadata) = cargo_metadata() else {
        testbed::skip("cargo cannot list the dependencies offline, so their licences are not checked");
        return;
    };
    let packages = packages(&metadata);
    assert!(packages.len() > CRATES.len(), "cargo's answer has changed its form: mend `packages`");
    complain(
        refused_licences(&packages),
        "use another crate, or add the licence to PERMITTED_LICENCES with the reason",
    );
}

fn crates_out_of_order(files: &[File]) -> Vec<String> {
    let place = |name: &str| CRATES.iter().position(|other| *other == name);
    let mut complaints = Vec::new();
    for (name, manifest) in manifests(files) {
        let Some(own) = place(name) else {
            complaints.push(format!("{}: the crate `{name}` has no place in the order {CRATES:?}", manifest.path));
            continue;
        };
        let package = if name == "cli" { "allotrope".to_owned() } else { format!("allotrope-{name}") };
        if !manifest.text.lines().any(|line| line == format!("name = \"{package}\"")) {
            complaints.push(format!("{}: the package is not called `{package}`", manifest.path));
        }
        for used in dependencies(&manifest.text) {
            if place(&used).is_some_and(|other| other >= own) {
                complaints.push(format!("{}: `{name}` uses `{used}`, which is not to its left", manifest.path));
            }
        }
    }
    complaints
}

/// The manifests of the crates with the names of their folders.
fn manifests(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    files.iter().filter_map(|file| {
        let folder = file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((folder, file))
    })
}

/// The names of everything that a manifest depends on, for whatever purpose and platform.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_list = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            is_list = section.ends_with("dependencies");
            // One dependency can also be a section of its own.
            names.extend(section.split_once("dependencies.").map(|(_, name)| name.to_owned()));
        } else if is_list && !line.starts_with('#') {
            names.extend(line.split(['=', '.']).next().map(|name| name.trim().trim_matches('"').to_owned()));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn crates_without_lints(files: &[File]) -> Vec<String> {
    let is_strict = |manifest: &File| {
        let mut lines = manifest.text.lines().map(str::trim);
        lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
    };
    let lax = manifests(files).filter(|(_, manifest)| !is_strict(manifest));
    let mut complaints: Vec<String> =
        lax.map(|(_, manifest)| format!("{}: the lints of the workspace are not in force", manifest.path)).collect();
    for file in files.iter().filter(|file| file.path == "Cargo.toml") {
        let lint = "unsafe_code = \"deny\"";
        if !file.text.lines().any(|line| line == lint) {
            complaints.push(format!("{}: the workspace no longer says `{lint}`", file.path));
        }
    }
    complaints
}

/// The public items of libraries without a doc comment. The compiler's own lint also demands one for every field and variant,
/// which leads to comments that repeat a name. Test code, which comes last in a file, is left out, and so is the binary.
fn undocumented(files: &[File]) -> Vec<String> {
    let is_source = |file: &&File| file.ends_in(&[".rs"]) && file.path.contains("/src/");
    let sources = files.iter().filter(|file| file.path.starts_with("crates/") && !file.path.starts_with("crates/cli/"));
    let mut complaints = Vec::new();
    for file in sources.filter(is_source) {
        if !file.text.starts_with("//!") {
            complaints.push(format!("{}: the file does not begin with `//!`", file.path));
        }
        let mut is_documented = false;
        let lines = file.text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
        for (index, line) in lines {
            let item = line.trim_start();
            if item.starts_with("#[") || item.ends_with(")]") {
                continue;
            }
            if !is_documented && is_public_item(item) {
                complaints.push(format!("{}:{}: `{item}`", file.path, index + 1));
            }
            is_documented = item.starts_with("///");
        }
    }
    complaints
}

/// Does the line begin a public item that is neither a field, nor a re-export, nor a module in a file of its own? A constructor
/// is described by its type, and what a macro declares by the macro's caller.
fn is_public_item(line: &str) -> bool {
    if line.starts_with("pub fn new(") || line.contains('$') {
        return false;
    }
    let word = line.strip_prefix("pub ").and_then(|rest| rest.split([' ', '<', '(']).next());
    match word {
        Some("mod") => !line.ends_with(';'),
        Some(word) => ["async", "const", "enum", "fn", "static", "struct", "trait", "type", "union"].contains(&word),
        None => false,
    }
}

/// The files that may allow unsafe code, for themselves and their submodules: confining a process takes system calls that
/// the standard library does not have, vector instructions may only run where the processor has them, nobody checks the
/// arguments of a kernel for a GPU, the parser takes allocation functions with the C
/// calling convention, and Python finds a module by the name of a C function. The compiler denies it everywhere else, but only as long as nobody allows it.
const UNSAFE: [&str; 5] = [
    "crates/equivalence/src/sandbox.rs",
    "crates/kernels/src/lib.rs",
    "crates/python/src/lib.rs",
    "crates/syntax/src/reading/work.rs",
    "crates/training/src/cuda.rs",
];

fn unsafe_allowed(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| file.ends_in(&[".rs", ".toml"]) && !UNSAFE.contains(&file.path.as_str()));
    find_words(sources, &[concat!("(unsafe", "_code"), concat!("unsafe", "_code = \"allow")])
}

fn orphans(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("crates/")) {
        let Some(name) = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")) else { continue };
        let folder = &file.path[..file.path.rfind('/').unwrap_or(0)];
        let find = |path: String| files.iter().find(|file| file.path == path);
        let parent = if folder.ends_with("/src") {
            if matches!(name, "lib" | "main") {
                continue;
            }
            find(format!("{folder}/lib.rs")).or_else(|| find(format!("{folder}/main.rs")))
        } else {
            find(format!("{folder}.rs"))
        };
        match parent {
            Some(parent) if declares(&parent.text, name) => (),
            Some(parent) => complaints.push(format!("{}: {} does not declare it", file.path, parent.path)),
            // Beside the sources, a folder may hold a program of its own (tests, examples, benchmarks).
            None if file.path.contains("/src/") => complaints.push(format!("{}: {folder}.rs is missing", file.path)),
            None => (),
        }
    }
    complaints
}

/// Does a file declare the module, by itself or as a line of a catalogue?
fn declares(text: &str, module: &str) -> bool {
    let mut is_catalogue = false;
    text.lines().map(str::trim).any(|line| {
        is_catalogue = (is_catalogue && line != "}") || line.contains("catalogue! {");
        let declared = line.strip_suffix(';').and_then(|line| line.rsplit_once("mod ")).map(|(_, name)| name);
        declared == Some(module) || (is_catalogue && line.strip_suffix(',') == Some(module))
    })
}

fn unfinished(files: &[File]) -> Vec<String> {
    // The words are put together here, so that this file does not hold them.
    let words = [
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        concat!("d", "bg!"),
        concat!("#[ig", "nore"),
        concat!("assert!(t", "rue)"),
        concat!("TO", "DO"),
    ];
    find_words(files.iter().filter(|file| file.ends_in(&[".rs"])), &words)
}

fn machine_paths(files: &[File]) -> Vec<String> {
    let words = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
        concat!("C:\\Us", "ers"),
    ];
    find_words(files.iter(), &words)
}

fn find_words<'f>(files: impl Iterator<Item = &'f File>, words: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            let found = words.iter().filter(|word| line.contains(**word));
            complaints.extend(found.map(|word| format!("{}:{}: `{word}`", file.path, index + 1)));
        }
    }
    complaints
}

fn too_long(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| file.ends_in(&[".rs"]));
    let lengths = sources.map(|file| (file, file.text.lines().count()));
    lengths
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(file, lines)| format!("{}: {lines} lines, {MOST_LINES} are allowed", file.path))
        .collect()
}

fn untidy_blanks(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.ends_in(&[".rs", ".md", ".toml"])) {
        for (index, line) in file.text.split('\n').enumerate() {
            if line.contains('\t') {
                complaints.push(format!("{}:{}: a tab", file.path, index + 1));
            }
            if line.ends_with([' ', '\r']) {
                complaints.push(format!("{}:{}: a blank at the end of the line", file.path, index + 1));
            }
        }
        if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
            complaints.push(format!("{}: does not end in exactly one line break", file.path));
        }
    }
    complaints
}

/// Licences that ask for nothing that a program under MIT or Apache 2.0 cannot give.
const PERMITTED_LICENCES: [&str; 16] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

struct Package {
    name: String,
    licence: String,
}

fn refused_licences(packages: &[Package]) -> Vec<String> {
    let refused = packages.iter().filter(|package| !is_permitted(&package.licence));
    refused.map(|package| format!("{}: licence `{}`", package.name, package.licence)).collect()
}

/// Can the expression be satisfied with permitted licences alone?
fn is_permitted(expression: &str) -> bool {
    // The old form of OR is a slash. Parentheses only ever group alternatives, so that asking for one
    // permitted alternative in each part of an AND is right with and without them.
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    let is_one = |part: &str| part.split(" OR ").any(|name| PERMITTED_LICENCES.contains(&name.trim()));
    !plain.trim().is_empty() && plain.split(" AND ").all(is_one)
}

/// What cargo knows about the dependencies that this platform needs; `None` when it cannot tell offline.
fn cargo_metadata() -> Option<String> {
    let version = Command::new("rustc").arg("-vV").output().ok()?;
    let version = String::from_utf8(version.stdout).ok()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host]);
    let output = cargo.current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads names and licences out of cargo's JSON, in which only a package's name is followed by a version
/// and an id.
fn packages(metadata: &str) -> Vec<Package> {
    let mut packages = Vec::new();
    for part in metadata.split("{\"name\":\"").skip(1) {
        let Some((name, rest)) = part.split_once("\",\"version\":\"") else { continue };
        let Some((_, rest)) = rest.split_once("\",\"id\":\"").filter(|(version, _)| !version.contains('"')) else {
            continue;
        };
        let licence = rest.split_once("\"license\":\"").and_then(|(_, rest)| rest.split('"').next());
        let belongs_here = rest.split("\"dependencies\":").next().is_some_and(|head| head.contains("\"license\":\""));
        let licence = licence.filter(|_| belongs_here).unwrap_or("none");
        packages.push(Package { name: name.to_owned(), licence: licence.to_owned() });
    }
    packages
}

#[track_caller]
fn complain(complaints: Vec<String>, remedy: &str) {
    assert!(complaints.is_empty(), "\n{}\n{remedy}\n", complaints.join("\n"));
}

fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in crates/");
    crates.parent().expect("crates/ lies in the workspace").to_owned()
}

/// Every text file of the workspace, in the order of the paths. What is not text has no lines to check.
fn workspace() -> Vec<File> {
    let root = root();
    let texts = paths().into_iter().filter(|path| !path.ends_with("Cargo.lock"));
    let read = |path: String| std::fs::read_to_string(root.join(&path)).ok().map(|text| File { path, text });
    let files: Vec<File> = texts.filter_map(read).collect();
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "the workspace is not at {root:?}");
    files
}

/// The path of every file from the root, in order. Data and what git is told to ignore by name are left out.
fn paths() -> Vec<String> {
    let root = root();
    let ignored = std::fs::read_to_string(root.join(".gitignore")).expect("failed to read .gitignore");
    let is_ignored = |relative: &str, name: &str| {
        ignored.lines().map(|line| line.trim_end_matches('/')).any(|line| match line.strip_prefix('/') {
            Some(path) => path == relative,
            None => line == relative || line == name,
        })
    };
    let mut paths = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("failed to list {folder:?}: {error}"));
        for entry in entries {
            let path = entry.unwrap_or_else(|error| panic!("failed to list {folder:?}: {error}")).path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            let relative = path.strip_prefix(&root).expect("the walk starts at the root");
            let relative = relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            let is_other = matches!(name, ".git" | "corpus" | "artifacts" | "shared" | "node_modules");
            if is_other || is_ignored(&relative, name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(relative);
            }
        }
    }
    paths.sort();
    paths
}

/// Shows each rule a workspace that keeps it and one that breaks it.
mod rules {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Vec<File> {
        texts.iter().map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() }).collect()
    }

    #[track_caller]
    fn check(rule: fn(&[File]) -> Vec<String>, texts: &[(&str, &str)]) {
        assert_eq!(rule(&files(texts)), Vec::<String>::new());
    }

    #[track_caller]
    fn check_refused(rule: fn(&[File]) -> Vec<String>, texts: &[(&str, &str)], words: &str) {
        let complaints = rule(&files(texts));
        assert!(matches!(&complaints[..], [one] if one.contains(words)), "{words:?} is not in {complaints:?}");
    }

    #[test]
    fn of_the_order_of_crates() {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"allotrope-{name}\"\n{rest}");
        let path = "crates/syntax/Cargo.toml";
        for list in ["[dependencies]\n", "[dev-dependencies]\n# A reason.\n", "[target.'cfg(unix)'.dependencies]\n"] {
            let good = manifest("syntax", &format!("{list}manual.workspace = true\nthiserror = \"2\"\n"));
            check(crates_out_of_order, &[(path, &good)]);
            let bad = manifest("syntax", &format!("{list}model = {{ path = \"../model\" }}\n"));
            check_refused(crates_out_of_order, &[(path, &bad)], "`syntax` uses `model`");
        }
        let section = manifest("syntax", "[dependencies.cli]\nworkspace = true\n");
        check_refused(crates_out_of_order, &[(path, &section)], "`syntax` uses `cli`");
        check(crates_out_of_order, &[(path, &manifest("syntax", "[features]\nmodel = []\n"))]);
        check_refused(crates_out_of_order, &[(path, &manifest("tree", ""))], "not called `allotrope-syntax`");
        check_refused(crates_out_of_order, &[("crates/tree/Cargo.toml", &manifest("tree", ""))], "no place");
    }

    #[test]
    fn of_lints() {
        check(crates_without_lints, &[("crates/syntax/Cargo.toml", "[lints]\nworkspace = true\n")]);
        check_refused(crates_without_lints, &[("crates/syntax/Cargo.toml", "[package]\n")], "not in force");
        check_refused(crates_without_lints, &[("Cargo.toml", "missing_docs = \"deny\"\n")], "unsafe_code");
    }

    #[test]
    fn of_documentation() {
        let path = "crates/a/src/lib.rs";
        let check = |items: &str| check(undocumented, &[(path, &format!("//! A.\n\n{items}"))]);
        let check_refused =
            |items: &str, words| check_refused(undocumented, &[(path, &format!("//! A.\n\n{items}"))], words);
        check(
            "/// One.\n#[derive(Clone)]\npub struct One {\n    pub two: u8,\n}\n\npub mod three;\npub use three::Four;\n",
        );
        check("fn one() {}\n\npub(crate) fn two() {}\n\n#[cfg(test)]\nmod tests {\n    pub fn three() {}\n}\n");
        check_refused("#[derive(Clone)]\npub struct One(u8);\n", "lib.rs:4: `pub struct One(u8);`");
        check_refused("/// One.\nimpl One {\n    pub const fn two(&self) {}\n}\n", "lib.rs:5: `pub const fn two");
        check_refused("/// One.\n\npub enum Two {}\n", "lib.rs:5");
        super::rules::check_refused(undocumented, &[(path, "fn one() {}\n")], "does not begin");
        super::rules::check(
            undocumented,
            &[("crates/cli/src/main.rs", "pub fn one() {}\n"), ("crates/a/tests/one.rs", "")],
        );
    }

    #[test]
    fn of_unsafe_code() {
        let allowed = concat!("#![allow(unsafe", "_code)]\n");
        check(unsafe_allowed, &UNSAFE.map(|path| (path, allowed)));
        check(unsafe_allowed, &[("crates/a/src/lib.rs", "fn safe() {}\n")]);
        check_refused(unsafe_allowed, &[("crates/a/src/lib.rs", allowed)], "lib.rs:1");
    }

    #[test]
    fn of_modules() {
        let (file, parent) = ("crates/a/src/units/one.rs", "crates/a/src/units.rs");
        let root = ("crates/a/src/lib.rs", "pub(crate) mod units;\n");
        check(orphans, &[root, (parent, "mod one;\n"), (file, "")]);
        check(orphans, &[root, (parent, "manual::catalogue! {\n    \"units\", fn a: b,\n    one,\n}\n"), (file, "")]);
        check_refused(orphans, &[root, (parent, "mod another;\n"), (file, "")], "does not declare it");
        check_refused(orphans, &[root, (parent, "let list = [\none,\n];\n"), (file, "")], "does not declare it");
        check_refused(orphans, &[(file, "")], "units.rs is missing");
        check_refused(orphans, &[("crates/a/src/lib.rs", "pub mod unit;\n"), (parent, "")], "does not declare it");
        check(orphans, &[("crates/a/tests/whole.rs", ""), ("crates/a/tests/catalogue/main.rs", "")]);
        check_refused(
            orphans,
            &[("crates/a/tests/units.rs", ""), ("crates/a/tests/units/one.rs", "")],
            "does not declare it",
        );
    }

    #[test]
    fn of_unfinished_work() {
        check(unfinished, &[("a.rs", "fn done() {}\n"), ("a.md", concat!("TO", "DO\n"))]);
        check_refused(unfinished, &[("a.rs", concat!("fn f() {\n    to", "do!()\n}\n"))], "a.rs:2");
        check_refused(unfinished, &[("a.rs", concat!("#[ig", "nore = \"slow\"]\n"))], "a.rs:1");
    }

    #[test]
    fn of_lengths() {
        check(too_long, &[("a.rs", &"\n".repeat(MOST_LINES)), ("a.md", &"\n".repeat(MOST_LINES + 1))]);
        check_refused(too_long, &[("a.rs", &"\n".repeat(MOST_LINES + 1))], "1201 lines");
    }

    #[test]
    fn of_blanks() {
        check(untidy_blanks, &[("a.md", "a\n\nb\n"), ("empty.rs", ""), ("a.py", "\ta \n")]);
        check_refused(untidy_blanks, &[("a.md", "a\tb\n")], "a.md:1: a tab");
        check_refused(untidy_blanks, &[("a.toml", "a\nb \n")], "a.toml:2: a blank");
        check_refused(untidy_blanks, &[("a.rs", "a\r\n")], "a.rs:1: a blank");
        check_refused(untidy_blanks, &[("a.rs", "a")], "exactly one line break");
        check_refused(untidy_blanks, &[("a.rs", "a\n\n")], "exactly one line break");
    }

    #[test]
    fn of_places() {
        check(machine_paths, &[("a.py", "open('../data')\n")]);
        check_refused(machine_paths, &[("a.py", concat!("open('/ho", "me/me/data')\n"))], "a.py:1");
    }

    #[test]
    fn of_licences() {
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-3.0 OR MIT",
        ] {
            assert!(is_permitted(good), "{good}");
        }
        for bad in ["", "none", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND LGPL-2.1", "MITX"] {
            assert!(!is_permitted(bad), "{bad}");
        }
        let metadata = r#"{"packages":[{"name":"a","version":"1.0.0","id":"a#1","license":"MIT","license_file":null,
            "dependencies":[{"name":"b","source":"c"}]},{"name":"b","version":"2.0.0","id":"b#2","license":null,
            "dependencies":[]},{"name":"c","version":"2.0.0","id":"c#2","license":"GPL-3.0","dependencies":[]}]}"#;
        let packages = packages(metadata);
        let read: Vec<(&str, &str)> = packages.iter().map(|it| (it.name.as_str(), it.licence.as_str())).collect();
        assert_eq!(read, [("a", "MIT"), ("b", "none"), ("c", "GPL-3.0")]);
        assert_eq!(refused_licences(&packages), ["b: licence `none`", "c: licence `GPL-3.0`"]);
    }
}
