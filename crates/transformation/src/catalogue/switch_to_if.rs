//! Turns a `switch` into a chain of `if` and `else if`.
//!
//! class: structure
//! from: common practice
//! inverse: if-to-switch
//!
//! Every group of cases ends in a `break` or never completes, so exactly one group runs, and the default comes last.
//! The selector is evaluated once: it is a local variable, or its value is stored in a new one. In Java, C and C++ it
//! must be known to be an integer: Java's strings, boxed values and enums throw when they are null. A `switch` with
//! comments outside its statements is left alone, because they would be lost.
//!
//! ```java
//! int f(int n) {
//!     switch (n) {
//!         case 1:
//!         case 2:
//!             g();
//!             break;
//!         default:
//!             return 3;
//!     }
//!     return 4;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     if (n == 1 || n == 2) {
//!         g();
//!     } else {
//!         return 3;
//!     }
//!     return 4;
//! }
//! ```
//!
//! ```c
//! void f(int n) { switch (n) { case 1: g(); break; case N: { h(); break; } } }
//! ```
//! ->
//! ```c
//! void f(int n) { if (n == 1) { g(); } else if (n == (N)) { h(); } }
//! ```
//!
//! ```cpp
//! int f(int n) { switch (n + 1) { case 1: return 2; default: return 3; } }
//! ```
//! ->
//! ```cpp
//! int f(int n) { int local_int_1 = n + 1; if (local_int_1 == 1) { return 2; } else { return 3; } }
//! ```
//!
//! ```javascript
//! switch (f()) {
//! case 'a':
//!   g()
//!   break
//! default:
//! }
//! ```
//! ->
//! ```javascript
//! let local1 = f();
//! if (local1 === 'a') {
//!   g()
//! }
//! ```
//!
//! A case that falls through, a `break` in the middle, and a string that may be null:
//!
//! ```c
//! void f(int n) { switch (n) { case 1: g(); case 2: h(); } }
//! ```
//!
//! ```c
//! void f(int n) { switch (n) { case 1: if (n) break; g(); break; case 2: h(); } }
//! ```
//!
//! ```java
//! void f(String s) { switch (s) { case "a": g(); } }
//! ```

use std::ops::Range;

use syntax::flow::{Leave, can_complete_normally, leaving_jumps};
use syntax::scopes::ScopeKind;
use syntax::types::Number;
use syntax::views::{condition_of, contains_directive, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Target, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::branches::{dedented, new_line};
use crate::parts::conditions::equality;
use crate::parts::declarations::declaration;
use crate::parts::layout::{indentation, starts_line};
use crate::parts::statements::{Position, is_statement_list};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        if matches!(node.kind(), Kind::SwitchExpression | Kind::SwitchStatement)
            && let Some(switch) = Switch::of(node)
        {
            sites.add(node.range(), move |choice| switch.edits(choice));
        }
    }
}

struct Switch<'p> {
    node: Node<'p>,
    position: Position<'p>,
    selector: Node<'p>,
    is_name: bool,
    groups: Vec<Group<'p>>,
}

/// Cases that share their statements.
#[derive(Default)]
struct Group<'p> {
    labels: Vec<Node<'p>>,
    is_default: bool,
    /// The nodes of the cases.
    cases: Vec<Node<'p>>,
    /// The bytes of the statements without the last `break`, when there are any.
    body: Option<Range<usize>>,
}

impl<'p> Switch<'p> {
    fn of(node: Node<'p>) -> Option<Switch<'p>> {
        let program = node.program();
        let list = node.parent().filter(|parent| is_statement_list(*parent))?;
        let position = Position { list, before: Some(node), after: None };
        let selector = condition_of(node)?;
        let scopes = program.scopes();
        let is_name = selector.kind() == Kind::Identifier
            && scopes
                .symbol_at(selector)
                .is_some_and(|symbol| matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter));
        if contains_directive(node) || !has_fitting_type(selector, is_name) {
            return None;
        }
        if !is_name && !position.allows_declaration() || selector.kind() == Kind::SequenceExpression {
            return None;
        }
        let groups = groups_of(node)?;
        let keeps = |comment: Node<'_>| {
            let bodies = groups.iter().filter_map(|group| group.body.as_ref());
            bodies.into_iter().any(|body| body.start <= comment.start() && comment.end() <= body.end)
        };
        let is_safe = groups.iter().any(|group| !group.is_default)
            && node.descendants().filter(|inner| inner.kind().is_comment()).all(keeps)
            && groups.iter().all(|group| is_closed(group, node));
        is_safe.then_some(Switch { node, position, selector, is_name, groups })
    }

    fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let program = self.node.program();
        let mut edits = Vec::new();
        let mut text = String::new();
        let name = if self.is_name {
            self.selector.text().to_owned()
        } else {
            let selector_type = program.type_of(self.selector);
            let name = choice.local("selector", selector_type.clone())?;
            let value = declaration(program.language(), &name, &selector_type, self.selector.text())?;
            edits.push(self.position.insert(&value));
            name
        };
        let start = self.node.start();
        let (line, inner) = if starts_line(self.node) {
            (new_line(program, start, 0), new_line(program, start, 1))
        } else {
            (" ".to_owned(), " ".to_owned())
        };
        let mut cursor = start;
        for (index, group) in self.groups.iter().enumerate() {
            if group.is_default && group.body.is_none() {
                continue;
            }
            if index > 0 {
                text.push_str(" else ");
            }
            if !group.is_default {
                let tests: Vec<String> = group.labels.iter().map(|label| test(&name, *label)).collect();
                text.push_str(&format!("if ({}) ", tests.join(" || ")));
            }
            text.push('{');
            if let Some(body) = &group.body {
                text.push_str(&inner);
                edits.push(Edit { range: cursor..body.start, text: std::mem::take(&mut text) });
                let label = group.cases[0].start();
                if indentation(program, label) != indentation(program, start) {
                    edits.extend(dedented(program, body.clone(), label, body.start)?);
                }
                cursor = body.end;
            }
            text.push_str(&format!("{line}}}"));
        }
        edits.push(Edit { range: cursor..self.node.end(), text });
        Some(edits)
    }
}

/// Can the value be compared with `==`, and does nothing happen when it is null?
fn has_fitting_type(selector: Node<'_>, is_name: bool) -> bool {
    let selector_type = selector.program().type_of(selector);
    match selector.program().language() {
        Language::Java => {
            matches!(selector_type, Type::Number(Number::Int | Number::Char | Number::Short | Number::Byte))
        }
        // The language allows nothing but integers.
        Language::C if is_name => true,
        Language::C | Language::Cpp => matches!(
            selector_type,
            Type::Number(
                Number::Int
                    | Number::Char
                    | Number::SignedChar
                    | Number::UnsignedChar
                    | Number::Short
                    | Number::UnsignedShort
                    | Number::UnsignedInt
                    | Number::Long
                    | Number::UnsignedLong
                    | Number::LongLong
                    | Number::UnsignedLongLong
            )
        ),
        Language::JavaScript => true,
        Language::Python => false,
    }
}

fn groups_of(node: Node<'_>) -> Option<Vec<Group<'_>>> {
    let body = node.child(Field::Body)?;
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut group = Group::default();
    let cases: Vec<Node<'_>> = body.named_children().collect();
    for (index, case) in cases.iter().copied().enumerate() {
        group.cases.push(case);
        let mut statements = Vec::new();
        match (node.program().language(), case.kind()) {
            (Language::Java, Kind::SwitchBlockStatementGroup) => {
                for child in case.children() {
                    match child.kind() {
                        Kind::SwitchLabel => {
                            group.is_default |= child.has_token("default");
                            group.labels.extend(child.named_children());
                        }
                        // An empty statement.
                        Kind::Token if child.text() == ";" => return None,
                        kind if child.is_named() && !kind.is_comment() => statements.push(child),
                        _ => (),
                    }
                }
            }
            (Language::C | Language::Cpp, Kind::CaseStatement)
            | (Language::JavaScript, Kind::SwitchCase | Kind::SwitchDefault) => {
                let value = case.child(Field::Value);
                if value.is_none() && !case.has_token("default") {
                    return None;
                }
                group.is_default |= value.is_none();
                group.labels.extend(value);
                statements.extend(case.named_children().filter(|child| Some(*child) != value));
            }
            _ => return None,
        }
        let is_last = index + 1 == cases.len();
        if statements.is_empty() && !is_last {
            continue;
        }
        if group.is_default && !is_last || !group.labels.iter().all(|label| is_constant(*label)) {
            return None;
        }
        group.body = body_of(case, &statements, is_last)?;
        groups.push(std::mem::take(&mut group));
    }
    Some(groups)
}

/// The bytes of the statements without the `break` at their end, and without the braces around all of them. The outer
/// `None` means that control would run into the next case.
fn body_of(case: Node<'_>, statements: &[Node<'_>], is_last: bool) -> Option<Option<Range<usize>>> {
    let is_break = |node: Node<'_>| node.kind() == Kind::BreakStatement && node.named_children().next().is_none();
    let mut around = case;
    let mut kept = statements.to_vec();
    let mut has_break = false;
    loop {
        if kept.last().copied().is_some_and(is_break) {
            kept.pop();
            has_break = true;
        }
        match kept[..] {
            [block] if is_block(block) => {
                around = block;
                kept = block.named_children().collect();
                if block.has_token(";") {
                    return None;
                }
            }
            _ => break,
        }
    }
    let ends = has_break || is_last || kept.last().is_some_and(|last| !can_complete_normally(*last));
    if !ends || kept.iter().copied().any(is_break) {
        return None;
    }
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Some(None) };
    // Comments before the first statement belong to it.
    let opening = if around == case { ":" } else { "{" };
    let comment = around
        .children()
        .skip_while(|child| !child.is_token(opening))
        .find(|child| child.kind().is_comment() && child.start() < first.start());
    Some(Some(comment.map_or(first.start(), |comment| comment.start())..last.end()))
}

/// Is the label something that has one value and can be compared again?
fn is_constant(label: Node<'_>) -> bool {
    match label.program().language() {
        Language::Java => !matches!(label.kind(), Kind::Pattern | Kind::TypePattern | Kind::RecordPattern),
        Language::C | Language::Cpp => true,
        Language::JavaScript => matches!(
            label.kind(),
            Kind::Number | Kind::String | Kind::True | Kind::False | Kind::Null | Kind::Identifier | Kind::Undefined
        ),
        Language::Python => false,
    }
}

/// No jump out of the group means the `switch`, no label leads into it, and what it declares is its own.
fn is_closed(group: &Group<'_>, switch: Node<'_>) -> bool {
    let program = switch.program();
    let scopes = program.scopes();
    let Some(body) = group.body.clone() else { return true };
    let lies_within = |node: Node<'_>| body.start <= node.start() && node.end() <= body.end;
    group.cases.iter().flat_map(|case| case.children()).filter(|child| child.end() > body.start).all(|part| {
        let jumps = leaving_jumps(part);
        let has_break = jumps.iter().any(|jump| {
            jump.how == Leave::Break && lies_within(jump.node) && jump.node.named_children().next().is_none()
        });
        let has_entry = match program.language() {
            Language::C | Language::Cpp => part.descendants().any(|node| match node.kind() {
                Kind::LabeledStatement => true,
                Kind::CaseStatement => {
                    node.ancestors().find(|around| around.kind() == Kind::SwitchStatement) == Some(switch)
                }
                _ => false,
            }),
            Language::Java | Language::JavaScript | Language::Python => false,
        };
        let is_own = part.descendants().all(|node| {
            let Some(reference) = scopes.reference_at(node).filter(|reference| reference.declares) else { return true };
            let Target::Symbol(symbol) = reference.target else { return true };
            let is_wide = matches!(
                scopes.scope(scopes.symbol(symbol).scope).kind,
                ScopeKind::Function | ScopeKind::File | ScopeKind::Type | ScopeKind::Namespace
            );
            is_wide || scopes.references_of(symbol).all(|reference| lies_within(program.node(reference.node)))
        });
        !has_break && !has_entry && is_own
    })
}

fn test(name: &str, label: Node<'_>) -> String {
    let program = label.program();
    let text = label.text();
    let operator = equality(program.language());
    let is_plain = match label.kind() {
        Kind::Identifier => match program.language() {
            // A macro may hold an operator that binds less than `==`.
            Language::C | Language::Cpp => program
                .scopes()
                .symbol_at(label)
                .is_some_and(|symbol| program.scopes().symbol(symbol).kind != SymbolKind::Macro),
            Language::Java | Language::JavaScript | Language::Python => true,
        },
        Kind::NumberLiteral
        | Kind::CharLiteral
        | Kind::CharacterLiteral
        | Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::FieldAccess
        | Kind::QualifiedIdentifier
        | Kind::UnaryExpression
        | Kind::ParenthesizedExpression
        | Kind::Number
        | Kind::String
        | Kind::True
        | Kind::False
        | Kind::Null
        | Kind::Undefined => true,
        _ => false,
    };
    if is_plain { format!("{name} {operator} {text}") } else { format!("{name} {operator} ({text})") }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{check, check_refused};

    #[test]
    fn other_forms_are_refused() {
        check_refused("switch-to-if", Java, "void f(int n) { switch (n) { case 1 -> g(); default -> h(); } }");
        check_refused(
            "switch-to-if",
            Java,
            "int f(int n) { return switch (n) { case 1: yield 2; default: yield 3; }; }",
        );
        check_refused("switch-to-if", Java, "void f(Integer n) { switch (n) { case 1: g(); } }");
        check_refused("switch-to-if", C, "void f(int n) { switch (n) { default: g(); break; case 2: h(); } }");
        check_refused("switch-to-if", C, "void f(int n) { switch (n) { case 1: while (n) { case 2: h(); } } }");
        check_refused("switch-to-if", C, "void f(int n) { switch (n) { default: g(); } }");
        check_refused("switch-to-if", Cpp, "void f(Color n) { switch (n) { case RED: g(); } }");
        check_refused("switch-to-if", JavaScript, "switch (n) { case 1: f(); break; /* two */ case 2: g(); }");
    }

    #[test]
    fn what_one_case_declares_for_another_is_refused() {
        check_refused(
            "switch-to-if",
            Java,
            "void f(int n) { switch (n) { case 1: int x = 1; g(x); break; case 2: x = 2; } }",
        );
        check_refused(
            "switch-to-if",
            JavaScript,
            "function f(n) { switch (n) { case 1: let x = 1; break; case 2: x = 2; } }",
        );
    }

    #[test]
    fn jumps_of_loops_inside_and_outside() {
        check(
            "switch-to-if",
            C,
            "void f(int n) { while (n) { switch (n) { case 1: while (1) { break; } continue; case 'a': break; } } }",
            "void f(int n) { while (n) { if (n == 1) { while (1) { break; } continue; } else if (n == 'a') { } } }",
        );
    }

    #[test]
    fn comments_in_statements_stay() {
        check(
            "switch-to-if",
            Java,
            "void f(char c) {\n\tswitch (c) {\n\tcase 'a': // one\n\t\tg();\n\t\tbreak;\n\t}\n}",
            "void f(char c) {\n\tif (c == 'a') {\n\t\t// one\n\t\tg();\n\t}\n}",
        );
    }
}
