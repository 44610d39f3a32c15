//! Do names stand for what they stood for before known edits? Every identifier that no edit touches must refer to the same
//! declaration.

use std::ops::Range;

use syntax::{Edit, Language, Node, Program, Target};

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
            return Err(format!("`{}` at byte {} is no longer an identifier", node.text(), moved.start));
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
