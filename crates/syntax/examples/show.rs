//! Shows how a file is read: its tree, and what each identifier stands for.
//!
//! `cargo run -p syntax --example show -- FILE [LANGUAGE]`

use std::path::Path;

use syntax::{Program, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else { return Err("usage: show FILE [LANGUAGE]".into()) };
    let language = arguments.get(1).map(|name| name.parse()).transpose()?;
    let program = Program::from_file(Path::new(path), language)?;
    println!(
        "{} read as {:?}, {}",
        program.language(),
        program.context(),
        match program.first_error() {
            None => "clean".to_owned(),
            Some(error) => {
                let (line, column) = program.line_and_column(error.start);
                format!("broken at line {line}, column {column}")
            }
        }
    );
    for node in program.nodes() {
        let depth = node.ancestors().count();
        let role = if node.role() == syntax::Field::None { String::new() } else { format!("{}: ", node.role().name()) };
        let kind = if node.is_named() { node.kind().name() } else { "token" };
        let is_leaf = node.children().next().is_none();
        let text = if is_leaf { format!(" {:?}", node.text()) } else { String::new() };
        let target = program.scopes().reference_at(node).map_or(String::new(), |reference| match reference.target {
            Target::Symbol(symbol) => {
                let declaration = program.scopes().symbol(symbol);
                let (line, column) = program.line_and_column(program.node(declaration.declaration).start());
                let verb = if reference.declares { "declares" } else { "means" };
                format!("  {verb} the {} of {line}:{column}", declaration.kind.name())
            }
            other => format!("  {other:?}"),
        });
        println!("{:indent$}{role}{kind}{text}{target}", "", indent = depth * 2);
    }
    Ok(())
}
