//! How much of the C and C++ sources of projects is read: a row for each folder.
//!
//! ```text
//! cargo run --release -p allotrope-syntax --example share -- [--files] FOLDER…
//! ```
//!
//! A file counts as read when it has a tree; the share of bytes leaves out the parts of it that have no nodes. Headers belong to C++ when
//! the project has sources of C++. `--files` names what is not read, with the place of the first error.

use std::path::{Path, PathBuf};

use syntax::{Language, Program};

fn main() {
    let (options, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    println!("| project | language | files | read | of the files | of the bytes |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let mut whole = Share::default();
    for folder in folders.iter().map(Path::new) {
        let mut paths = Vec::new();
        walk(folder, &mut paths);
        paths.sort();
        let is_cpp = paths.iter().any(|path| Language::from_path(path) == Some(Language::Cpp));
        let language = if is_cpp { Language::Cpp } else { Language::C };
        let mut share = Share::default();
        for path in &paths {
            let is_header = path.extension().is_some_and(|ending| ending == "h");
            let own = if is_header { Some(language) } else { Language::from_path(path) };
            let Some(own) = own.filter(|own| matches!(own, Language::C | Language::Cpp)) else { continue };
            let Ok(bytes) = std::fs::read(path) else { continue };
            let program = Program::from_bytes(own, bytes);
            share.add(&program);
            if options.iter().any(|option| option == "--files") {
                name_unread(path, &program);
            }
        }
        let project = folder.file_name().unwrap_or_default().to_string_lossy();
        println!("| {project} | {language} {}", share.row());
        whole.files += share.files;
        whole.read += share.read;
        whole.bytes += share.bytes;
        whole.bytes_read += share.bytes_read;
    }
    println!("| all | {}", whole.row());
}

#[derive(Default)]
struct Share {
    files: usize,
    read: usize,
    bytes: usize,
    bytes_read: usize,
}

impl Share {
    fn add(&mut self, program: &Program) {
        self.files += 1;
        self.bytes += program.text().len();
        if !program.is_broken() {
            self.read += 1;
            self.bytes_read += program.text().len() - program.unread().iter().map(|part| part.len()).sum::<usize>();
        }
    }

    fn row(&self) -> String {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let (files, bytes) = (percent(self.read, self.files), percent(self.bytes_read, self.bytes));
        format!("| {} | {} | {files:.1} % | {bytes:.1} % |", self.files, self.read)
    }
}

fn name_unread(path: &Path, program: &Program) {
    if let Some(error) = program.first_error() {
        let (line, _) = program.line_and_column(error.start);
        eprintln!("{}:{line}: not read", path.display());
    }
    for part in program.unread().iter().filter(|part| part.len() > 40) {
        let (line, _) = program.line_and_column(part.start);
        let text: String = program.text()[part.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        eprintln!("{}:{line}: {} bytes: {}", path.display(), part.len(), text.chars().take(90).collect::<String>());
    }
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match path.is_dir() && !path.is_symlink() {
            true => walk(&path, paths),
            false => paths.push(path),
        }
    }
}
