//! Lists the programs of `problems`, so that the binary carries them. The folder is a link to `fixtures/programs/problems`, whose files
//! a published crate has in its place.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = manifest.join("problems");
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut table = String::from("&[\n");
    for problem in entries(&root) {
        let cases = problem.join("problem.json");
        for folder in entries(&problem).into_iter().filter(|path| path.is_dir()) {
            for program in entries(&folder) {
                let [problem, language, file] = [&problem, &folder, &program].map(|path| name(path));
                let [text, cases] =
                    [&program, &cases].map(|path| format!("include_str!({:?})", path.display().to_string()));
                writeln!(table, "    ({problem:?}, {language:?}, {file:?}, {text}, {cases}),")
                    .expect("memory is enough");
            }
        }
    }
    table.push_str("]\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("problems.rs");
    std::fs::write(&out, table).unwrap_or_else(|error| panic!("failed to write {}: {error}", out.display()));
}

/// What lies in a folder, in the same order on every machine.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("failed to read {}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.expect("a folder can be read to its end").path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("the names are ours").to_owned()
}
