//! The verdict *scope*: do names stand for what they stood for before?
//!
//! After known steps the answer is exact, see [`transformation::resolution`]. Of two
//! texts without their history it can be told where they differ in nothing but names: then what was one declaration must
//! be one declaration, two never become one, and what comes from outside keeps its spelling.

use std::collections::HashMap;

use syntax::{Program, Reference, SymbolId, Target, TokenKind};
use transformation::Step;
use transformation::apply::again;
use transformation::resolution::{loses_evidence, names_hold};

use crate::Verdict;

/// Compares two texts, with the steps that lead from one to the other where they are known.
pub(super) fn compare(original: &Program, variant: &Program, steps: &[Step]) -> Verdict {
    if steps.is_empty() {
        return compare_spellings(original, variant);
    }
    let mut done: Option<Program> = None;
    for step in steps {
        let before = done.as_ref().unwrap_or(original);
        let applied = match again(before, step) {
            Ok(applied) => applied,
            Err(refusal) => return Verdict::NotJudged(format!("the steps cannot be done again: {refusal}")),
        };
        let loses_evidence = loses_evidence(&step.transformation);
        if let Err(problem) = names_hold(before, &applied.program, &applied.edits, loses_evidence) {
            return Verdict::Fails(format!("after {}: {problem}", step.transformation));
        }
        done = Some(applied.program);
    }
    match done.is_some_and(|done| done.bytes() == variant.bytes()) {
        true => Verdict::Holds,
        false => Verdict::NotJudged("the steps do not lead to the variant".to_owned()),
    }
}

/// Compares two texts that differ in names alone.
fn compare_spellings(original: &Program, variant: &Program) -> Verdict {
    let (before, after) = (words(original), words(variant));
    let is_alike = |(old, new): (&Word<'_>, &Word<'_>)| {
        old.kind == new.kind && (old.text == new.text || old.kind == TokenKind::Identifier)
    };
    if before.len() != after.len() || !before.iter().zip(&after).all(is_alike) {
        let reason = "they differ in more than names, and how one became the other is not known: a manifest tells";
        return Verdict::NotJudged(reason.to_owned());
    }
    let mut pairs = Pairs::default();
    for (old, new) in before.iter().zip(&after) {
        if let Err(problem) = pairs.add(old, new) {
            let (line, column) = variant.line_and_column(new.start);
            return Verdict::Fails(format!("`{}` at line {line}, column {column} {problem}", new.text));
        }
    }
    Verdict::Holds
}

/// A token, and what it stands for where it is an identifier.
struct Word<'p> {
    kind: TokenKind,
    text: &'p str,
    start: usize,
    target: Option<Target>,
}

fn words(program: &Program) -> Vec<Word<'_>> {
    let target_of = |reference: &Reference| (program.node(reference.node).start(), reference.target);
    let targets: HashMap<usize, Target> = program.scopes().references().iter().map(target_of).collect();
    let tokens = program.tokens().into_iter().filter(|token| token.kind != TokenKind::Comment);
    tokens
        .map(|token| {
            let start = token.range.start;
            Word { kind: token.kind, text: token.text, start, target: targets.get(&start).copied() }
        })
        .collect()
}

#[derive(Default)]
struct Pairs {
    there: HashMap<SymbolId, SymbolId>,
    back: HashMap<SymbolId, SymbolId>,
}

impl Pairs {
    fn add(&mut self, old: &Word<'_>, new: &Word<'_>) -> Result<(), &'static str> {
        match (old.target, new.target) {
            (Some(Target::Symbol(old)), Some(Target::Symbol(new))) => {
                if *self.there.entry(old).or_insert(new) != new {
                    return Err("refers to another declaration than before");
                }
                if *self.back.entry(new).or_insert(old) != old {
                    return Err("refers to what were two declarations before");
                }
                Ok(())
            }
            (Some(Target::Symbol(_)), Some(Target::Outside)) => Err("refers to nothing in the program any more"),
            (Some(Target::Outside), Some(Target::Symbol(_))) => Err("refers to a declaration, and did not before"),
            // A field, a member or a word that we do not resolve is not ours to rename.
            _ if old.text != new.text => Err("has another spelling, and is not declared in the program"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    fn judged(before: &str, after: &str) -> Verdict {
        let read = |text: &str| Program::parse(Language::Python, text);
        compare(&read(before), &read(after), &[])
    }

    #[test]
    fn a_rename_holds_where_every_use_goes_along() {
        let before = "def f(a, b):\n    return a - b\n";
        assert_eq!(judged(before, "def f(x, y):\n    return x - y\n"), Verdict::Holds);
        assert_eq!(judged(before, "def f(b, a):\n    return b - a\n"), Verdict::Holds);
        assert!(judged(before, "def f(b, a):\n    return a - b\n").is_fault());
        assert!(judged(before, "def f(x, b):\n    return a - b\n").is_fault());
        assert!(judged("def f(a):\n    c = 1\n    return a\n", "def f(a):\n    a = 1\n    return a\n").is_fault());
        assert!(judged("print(len(x))\n", "print(max(x))\n").is_fault());
    }

    #[test]
    fn other_differences_are_not_judged() {
        assert!(matches!(judged("print(1)\n", "print(2)\n"), Verdict::NotJudged(_)));
        assert!(matches!(judged("print(1)\n", "print(1 + 1)\n"), Verdict::NotJudged(_)));
    }
}
