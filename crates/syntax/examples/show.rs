//! Shows how a file is read: its tree, and what each identifier stands for.
//!
//! `cargo run -p allotrope-syntax --example show -- FILE [LANGUAGE]`

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use syntax::{Field, Node, Program, Target};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let program = match &arguments[..] {
        [path] => Program::from_file(Path::new(path), None).map_err(|error| (3, error.to_string())),
        [path, language] => match language.parse() {
            Ok(language) => Program::from_file(Path::new(path), Some(language)).map_err(|error| (3, error.to_string())),
            Err(error) => Err((2, error.to_string())),
        },
        _ => Err((2, "usage: show FILE [LANGUAGE]".to_owned())),
    };
    match program {
        Ok(program) => {
            // Whoever reads the output may close it early, as `head` does.
            let _ = print(&program, &mut io::stdout().lock());
            ExitCode::SUCCESS
        }
        Err((status, message)) => {
            eprintln!("{message}");
            ExitCode::from(status)
        }
    }
}

fn print(program: &Program, output: &mut impl Write) -> io::Result<()> {
    write!(output, "{} read as {:?}, ", program.language(), program.context())?;
    match program.first_error() {
        None => writeln!(output, "clean")?,
        Some(error) => {
            let (line, column) = program.line_and_column(error.start);
            writeln!(output, "broken at line {line}, column {column}")?;
        }
    }
    for node in program.nodes() {
        let indent = 2 * node.ancestors().count();
        let role = if node.role() == Field::None { String::new() } else { format!("{}: ", node.role().name()) };
        let kind = if node.is_named() { node.kind().name() } else { "token" };
        let is_leaf = node.children().next().is_none();
        let text = if is_leaf { format!(" {:?}", node.text()) } else { String::new() };
        writeln!(output, "{:indent$}{role}{kind}{text}{}", "", meaning(program, node))?;
    }
    Ok(())
}

fn meaning(program: &Program, node: Node<'_>) -> String {
    let Some(reference) = program.scopes().reference_at(node) else { return String::new() };
    match reference.target {
        Target::Symbol(symbol) => {
            let symbol = program.scopes().symbol(symbol);
            let (line, column) = program.line_and_column(program.node(symbol.declaration).start());
            let verb = if reference.declares { "declares" } else { "means" };
            format!("  {verb} the {} of {line}:{column}", symbol.kind.name())
        }
        Target::Outside => "  is declared outside".to_owned(),
        Target::Member => "  is a member of something whose type is not evident".to_owned(),
        Target::Unknown => "  may be anything".to_owned(),
    }
}
