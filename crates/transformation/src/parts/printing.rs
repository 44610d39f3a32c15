//! Statements that print: what the language has for it, and whether the program can use it.

use syntax::{Kind, Language, Program, Target};

/// What a program prints with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printer {
    /// Java's `System.out`.
    SystemOut,
    /// C's `printf`.
    Printf,
    /// C++'s `std::cout`.
    Cout,
    /// Python's function `print`.
    Print,
    /// JavaScript's `console`.
    Console,
    /// Node's `process.stdout`.
    Process,
}

/// What the program can certainly print with; `None` when nothing is certain. The names must be the standard
/// library's, and in C and C++ it must be plain that they are declared.
pub(crate) fn printer(program: &Program) -> Option<Printer> {
    let is_ours = |name: &str| !program.is_named_in_directive(name) && !is_declared(program, name);
    match program.language() {
        Language::Java => is_ours("System").then_some(Printer::SystemOut),
        Language::C => (has_stdio(program) && is_ours("printf")).then_some(Printer::Printf),
        Language::Cpp if has_iostream(program) && is_ours("std") && is_ours("cout") => Some(Printer::Cout),
        Language::Cpp => (has_stdio(program) && is_ours("printf")).then_some(Printer::Printf),
        Language::Python => is_ours("print").then_some(Printer::Print),
        Language::JavaScript if is_ours("process") && is_ours("require") && uses(program, &["process", "require"]) => {
            Some(Printer::Process)
        }
        Language::JavaScript => (is_ours("console") && uses(program, &["console"])).then_some(Printer::Console),
    }
}

fn is_declared(program: &Program, name: &str) -> bool {
    let references = program.scopes().references().iter();
    references
        .filter(|reference| program.node(reference.node).text() == name)
        .any(|reference| reference.declares || matches!(reference.target, Target::Symbol(_)))
}

/// Does the program use one of these names, and mean something from outside?
fn uses(program: &Program, names: &[&str]) -> bool {
    let references = program.scopes().references().iter();
    references
        .filter(|reference| reference.target == Target::Outside)
        .any(|reference| names.contains(&program.node(reference.node).text()))
}

/// A stream that is used for wide characters cannot be used for others.
fn has_stdio(program: &Program) -> bool {
    let is_wide =
        ["wprintf", "wchar.h", "wcout", "fwide", "putwchar", "fputws"].iter().any(|word| program.text().contains(word));
    // Kernels have `sprintf` without the rest.
    let family = ["printf", "fprintf", "puts", "putchar", "scanf"];
    !is_wide && (includes(program, &["stdio.h", "cstdio", "bits/stdc++.h"]) || calls(program, &family))
}

fn has_iostream(program: &Program) -> bool {
    includes(program, &["iostream", "bits/stdc++.h"]) && !program.text().contains("wcout")
}

fn includes(program: &Program, headers: &[&str]) -> bool {
    let root = program.root();
    root.children()
        .filter(|child| child.kind() == Kind::PreprocInclude)
        .any(|include| headers.iter().any(|header| include.text().contains(&format!("<{header}>"))))
}

fn calls(program: &Program, names: &[&str]) -> bool {
    program.nodes_of_kind(Kind::CallExpression).any(|call| {
        let function = call.child(syntax::Field::Function);
        function.is_some_and(|function| function.kind() == Kind::Identifier && names.contains(&function.text()))
    })
}
