//! Every command that the README and the guide show is run, block after block, in a folder that is empty at first.
//!
//! A block after a comment `<!-- not run: WHY -->` is left out and named: it needs what a test has not, such as a GPU.

use std::fs;
use std::path::Path;
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
        let folder = Folder::new(&file.replace(['/', '.'], "-"));
        folder.run_well("quickstart --files -o .");
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

/// Runs the blocks of a document, in order and in one folder, which is empty at first, because later ones use what earlier ones made.
fn run_all(document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let text = fs::read_to_string(root.join(document)).unwrap();
    // It is empty: the first command of a document makes the files that the others speak about.
    let folder = Folder::new(&document.replace(['/', '.'], "-"));
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
