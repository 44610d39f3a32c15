//! Every command that the README and the guide show is run, block after block, in a folder with what they speak about.
//!
//! A block after a comment `<!-- not run: WHY -->` is left out and named: it needs what a test has not, such as a GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;

#[test]
fn the_commands_of_the_readme_work() {
    run_all("README.md");
}

#[test]
fn the_commands_of_the_guide_work() {
    run_all("docs/guide.md");
}

/// The lines of the ready files for continuous integration, but for those that install the program: in the order of the jobs, and with a
/// baseline in the second round.
#[test]
fn the_commands_of_the_files_for_continuous_integration_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    for file in ["docs/ci/github-actions.yml", "docs/ci/gitlab-ci.yml"] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let folder = world(&root, &file.replace(['/', '.'], "-"));
        let commands = scripts(&text);
        assert!(commands.contains("allotrope attack ") && commands.contains("allotrope gate "), "{file}: {commands}");
        let block =
            Block { line: 1, commands: format!("export GITHUB_STEP_SUMMARY=summary.md\n{commands}"), left_out: None };
        run(&folder, file, &block);
        fs::rename(folder.path("robustness"), folder.path("baseline")).unwrap();
        run(&folder, file, &block);
        assert!(folder.read("gate.md").contains("no worse than baseline"), "{file}");
        for name in ["gate.xml", "robustness.html"] {
            assert!(folder.path(name).is_file(), "{file}: {name}");
        }
    }
}

/// The shell commands of a file for continuous integration: what stands after `run:`, or as a list below `script:`.
fn scripts(text: &str) -> String {
    let mut commands: Vec<&str> = Vec::new();
    // How far the lines of a block are indented at least.
    let (mut block, mut is_script) = (None, false);
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if block.is_some_and(|least| depth < least) {
            block = None;
        }
        is_script = line.trim() == "script:" || is_script && line.trim_start().starts_with("- ");
        if block.is_some() {
            commands.push(line.trim());
        } else if line.trim() == "run: |" {
            block = Some(depth + 1);
        } else if let Some(command) = line.trim().strip_prefix("run: ") {
            commands.push(command);
        } else if is_script && let Some(command) = line.trim().strip_prefix("- ") {
            commands.push(command);
        }
    }
    commands.retain(|command| !command.starts_with("cargo install"));
    commands.join("\n")
}

/// Runs the blocks of a document, in order and in one folder, because later ones use what earlier ones made.
fn run_all(document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let text = fs::read_to_string(root.join(document)).unwrap();
    let folder = world(&root, &document.replace(['/', '.'], "-"));
    let blocks = blocks(&text);
    assert!(blocks.iter().any(|block| block.left_out.is_none()), "{document} shows no command");
    for block in blocks {
        match block.left_out {
            Some(reason) => eprintln!("{document}:{} is not run: {reason}", block.line),
            None => run(&folder, document, &block),
        }
    }
}

/// Commands that stand together.
struct Block<'d> {
    line: usize,
    commands: String,
    left_out: Option<&'d str>,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut reason = None;
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(comment) = line.strip_prefix("<!-- not run: ") {
            reason = Some(comment.trim_end_matches("-->").trim());
        } else if line == "```sh" {
            let commands: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            blocks.push(Block { line: number + 2, commands: commands.join("\n"), left_out: reason.take() });
        }
    }
    blocks
}

#[track_caller]
fn run(folder: &Folder, document: &str, block: &Block<'_>) {
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &block.commands])
        .current_dir(&folder.0)
        .env("PATH", path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{document}:{}\n{}\n\n{said}", block.line, block.commands);
}

/// The folder of the program that is tested goes first.
fn path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_allotrope")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others))).unwrap()
}

/// A folder with the files that the documents speak about.
fn world(root: &Path, name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("my_model.py", fs::read(root.join("docs/my_model.py")).unwrap());
    copy(&root.join("fixtures/checkpoints/parity/roberta-two"), &folder.path("my-checkpoint"));
    let programs = root.join("fixtures/programs/problems");
    let mut rows = Vec::new();
    for (number, path) in programs_below(&programs).into_iter().enumerate() {
        let text = fs::read_to_string(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "c") && rows.len() < 12 {
            // As good as drawn: what is learned from them does not matter here.
            rows.push((text.clone(), rows.len() % 2));
        }
        if number < 5 {
            let name = path.strip_prefix(&programs).unwrap().to_string_lossy().replace('/', "-");
            folder.write(&format!("src/{name}"), text);
        }
    }
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let jsonl = rows.iter().map(|(text, label)| format!("{{\"func\": {}, \"target\": {label}}}\n", json(text)));
    folder.write("test.jsonl", jsonl.collect::<String>());
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let csv = rows.iter().map(|(text, label)| format!("{},{}\n", quoted(text), ["safe", "vulnerable"][*label]));
    folder.write("mine.csv", format!("source,answer\n{}", csv.collect::<String>()));
    folder
}

fn programs_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(programs_below(&path));
        } else if path
            .extension()
            .is_some_and(|ending| ["c", "py", "java", "js", "cpp"].iter().any(|known| *known == ending))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}
