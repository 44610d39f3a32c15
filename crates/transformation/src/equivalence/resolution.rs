//! Do names stand for what they stood for before?
//!
//! After known edits the answer is exact: every identifier that no edit touches must refer to the same declaration. Of two
//! texts without their history it can be told where they differ in nothing but names: then what was one declaration must
//! be one declaration, two never become one, and what comes from outside keeps its spelling.

use std::collections::HashMap;
use std::ops::Range;

use syntax::{Edit, Language, Node, Program, Reference, SymbolId, Target, TokenKind};

use super::Verdict;
use crate::apply::{Step, again};

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

/// Does the transformation put a name, a call or a longer expression in the place of a value, or part a variable from its value?
/// Then the type of a variable that has it may no longer be evident, and with it whose a member is.
pub fn loses_evidence(transformation: &str) -> bool {
    const REWRITE_VALUES: [&str; 8] = [
        "add-neutral-element",
        "delegate-expression",
        "explicit-this",
        "extract-constant",
        "lambda-identity",
        "rename-api-alias",
        "replace-literal",
        "split-declaration",
    ];
    REWRITE_VALUES.contains(&transformation)
}

/// Says which identifier that no edit touches stands for something else than before.
pub fn names_hold(program: &Program, rewritten: &Program, edits: &[Edit], loses_evidence: bool) -> Result<(), String> {
    let shifts = Shifts::of(edits);
    // Both tables are in text order, and edits keep the order of what they do not touch.
    let mut others = rewritten.scopes().references().iter().peekable();
    for reference in program.scopes().references() {
        let node = program.node(reference.node);
        let Some(moved) = shifts.moved(&node.range()) else { continue };
        while others.next_if(|other| rewritten.node(other.node).start() < moved.start).is_some() {}
        let Some(target) =
            others.peek().filter(|other| rewritten.node(other.node).range() == moved).map(|other| other.target)
        else {
            return Err(format!("`{}` at byte {} is no identifier any more", node.text(), moved.start));
        };
        let is_same = match (reference.target, target) {
            (Target::Symbol(before), Target::Symbol(after)) => {
                let declaration = |id, program: &Program| program.node(program.scopes().symbol(id).declaration).range();
                // A declaration that an edit touches has gone who knows where.
                let declared = shifts.moved(&declaration(before, program));
                let is_kept = |program: &Program, after| {
                    program.scopes().declarations_of(after).any(|node| Some(program.node(node).range()) == declared)
                };
                declared.is_none() || is_kept(rewritten, after)
            }
            // What was known to be a member may be no longer evident, where the type of a variable comes from its value.
            (_, Target::Member) if loses_evidence && program.language() != Language::C => {
                may_be_member(program, reference.target)
            }
            // And what was some member may be known to be one from outside, where two values have become alike.
            (Target::Member, Target::Outside) if loses_evidence && program.language() != Language::C => true,
            (Target::Symbol(before), _) => {
                shifts.moved(&program.node(program.scopes().symbol(before).declaration).range()).is_none()
            }
            (before, after) => before == after,
        };
        // A receiver or an argument that was rewritten may tell less, or more, about the member or the overload that is called.
        let is_about_evidence = matches!(target, Target::Member | Target::Unknown)
            || (reference.target, target) == (Target::Member, Target::Outside);
        if !is_same && !(is_about_evidence && is_edited_around(node, &shifts)) {
            return Err(format!(
                "`{}` at byte {} resolves differently: {:?}, then {target:?}",
                node.text(),
                moved.start,
                reference.target
            ));
        }
    }
    Ok(())
}

/// Can the target be a member of an object?
fn may_be_member(program: &Program, target: Target) -> bool {
    match target {
        Target::Symbol(symbol) => {
            program.scopes().scope(program.scopes().symbol(symbol).scope).kind == syntax::scopes::ScopeKind::Type
        }
        Target::Outside | Target::Member => true,
        Target::Unknown => false,
    }
}

/// Does an edit lie within the call or the access that the name is the head of?
fn is_edited_around(name: Node<'_>, shifts: &Shifts) -> bool {
    name.ancestors().take(2).any(|around| shifts.moved(&around.range()).is_none())
}

/// Where the bytes outside the edits go.
pub struct Shifts {
    /// The ranges that are replaced, in order, and how long what replaces them is.
    edits: Vec<(Range<usize>, usize)>,
}

impl Shifts {
    /// Those of a list of edits.
    pub fn of(edits: &[Edit]) -> Shifts {
        let mut edits: Vec<(Range<usize>, usize)> =
            edits.iter().map(|edit| (edit.range.clone(), edit.text.len())).collect();
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        Shifts { edits }
    }

    /// Where a range that no edit touches has gone.
    pub fn moved(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let mut grown: isize = 0;
        for (edit, length) in &self.edits {
            if edit.end <= range.start {
                grown += *length as isize - edit.len() as isize;
            } else if edit.start < range.end {
                return None;
            }
        }
        let shift = |position: usize| (position as isize + grown) as usize;
        Some(shift(range.start)..shift(range.end))
    }

    /// The stretches that no edit touches, before and after.
    pub fn kept(&self, length: usize) -> Vec<Range<usize>> {
        let mut kept = Vec::new();
        let mut done = 0;
        for (edit, _) in &self.edits {
            kept.push(done..edit.start.max(done));
            done = done.max(edit.end);
        }
        kept.push(done..length);
        kept.retain(|range| !range.is_empty());
        kept
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
    use syntax::{Language, Program};

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
    fn two_lists_that_become_alike_tell_whose_a_member_is() {
        let read = |text: &str| Program::parse(Language::JavaScript, text);
        let before = read("const out = n ? [] : ['a'];\nout.push(1);\n");
        let after = read("let text = 'a';\nconst out = n ? [] : [text];\nout.push(1);\n");
        let edits = [Edit::insert(0, "let text = 'a';\n"), Edit { range: 22..25, text: "text".to_owned() }];
        assert_eq!(names_hold(&before, &after, &edits, true), Ok(()));
        assert!(names_hold(&before, &after, &edits, false).is_err());
    }

    #[test]
    fn a_variable_apart_from_its_value_may_tell_less_about_a_member() {
        let read = |text: &str| Program::parse(Language::JavaScript, text);
        let class = "class C { get p() { return 1; } }\n";
        let before = read(&format!("{class}var c = new C();\nc.p;\n"));
        let after = read(&format!("{class}var c;\nc = new C();\nc.p;\n"));
        let edits = [Edit { range: class.len() + 5..class.len() + 8, text: ";\nc = ".to_owned() }];
        assert!(names_hold(&before, &after, &edits, false).is_err());
        assert_eq!(names_hold(&before, &after, &edits, loses_evidence("split-declaration")), Ok(()));
    }

    #[test]
    fn other_differences_are_not_judged() {
        assert!(matches!(judged("print(1)\n", "print(2)\n"), Verdict::NotJudged(_)));
        assert!(matches!(judged("print(1)\n", "print(1 + 1)\n"), Verdict::NotJudged(_)));
    }
}
