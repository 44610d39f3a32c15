//! Turns a chain of tests of one variable against constants into a `switch`.
//!
//! class: structure
//! from: common practice
//! inverse: switch-to-if
//!
//! All tests compare the same local variable with distinct constants, and in Java, C and C++ it is an integer. A
//! branch that can complete gets a `break`. A branch with a `break` for a loop around the chain is left alone: it
//! would end the `switch` instead.
//!
//! ```java
//! int f(int n) {
//!     if (n == 1 || n == 2) {
//!         g();
//!     } else if (n == 3) {
//!         return 3;
//!     } else {
//!         h();
//!     }
//!     return 4;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     switch (n) {
//!     case 1: case 2: {
//!         g();
//!         break;
//!     }
//!     case 3: {
//!         return 3;
//!     }
//!     default: {
//!         h();
//!         break;
//!     }
//!     }
//!     return 4;
//! }
//! ```
//!
//! ```c
//! void f(char c) { if (c == 'a') g(); else if (c == 'b') h(); }
//! ```
//! ->
//! ```c
//! void f(char c) { switch (c) { case 'a': g(); break; case 'b': h(); break; } }
//! ```
//!
//! ```cpp
//! int f(int n) { if (n == 1) { return 2; } else if (n == -1) { return 3; } return 0; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { switch (n) { case 1: { return 2; } case -1: { return 3; } } return 0; }
//! ```
//!
//! ```javascript
//! function f(s) { if (s === 'a') { g() } else if (s === 'b') { h() } else k() }
//! ```
//! ->
//! ```javascript
//! function f(s) { switch (s) { case 'a': { g(); break; } case 'b': { h(); break; } default: k(); break; } }
//! ```
//!
//! The `break` ends the loop, and JavaScript's `==` converts its operands:
//!
//! ```c
//! void f(int n) { while (1) { if (n == 1) break; else if (n == 2) g(); } }
//! ```
//!
//! ```javascript
//! function f(s) { if (s == 1) { g() } else if (s == 2) { h() } }
//! ```

use syntax::flow::{Constant, Leave, can_complete_normally, constant_value, leaving_jumps, may_have_effect};
use syntax::types::Number;
use syntax::views::{If, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Type};

use crate::Sites;
use crate::parts::branches::{ends_itself, has_entries, new_line};
use crate::parts::layout::starts_line;
use crate::parts::statements::is_statement_list;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.language() == Language::Python {
        return;
    }
    for node in program.nodes_of_kind(Kind::IfStatement) {
        if node.parent().is_some_and(is_statement_list)
            && let Some(chain) = Chain::of(node)
        {
            sites.add(node.range(), move |_| Some(chain.edits()));
        }
    }
}

struct Chain<'p> {
    node: Node<'p>,
    variable: &'p str,
    /// The constants of each branch; none for the last `else`.
    branches: Vec<(Vec<Node<'p>>, Node<'p>)>,
}

impl<'p> Chain<'p> {
    fn of(node: Node<'p>) -> Option<Chain<'p>> {
        let mut branches = Vec::new();
        let mut symbol = None;
        let mut link = node;
        loop {
            let parts = If::of(link)?;
            let mut labels = Vec::new();
            collect(parts.condition, &mut symbol, &mut labels)?;
            // Every read of a volatile variable counts, and a `switch` reads it once.
            if may_have_effect(parts.condition) {
                return None;
            }
            branches.push((labels, parts.then));
            match parts.otherwise {
                None => break,
                Some(otherwise) if otherwise.body.kind() == Kind::IfStatement => link = otherwise.body,
                Some(otherwise) => {
                    branches.push((Vec::new(), otherwise.body));
                    break;
                }
            }
        }
        let program = node.program();
        let symbol = symbol?;
        let declared = program.node(program.scopes().symbol(symbol).declaration);
        let labels: Vec<Node<'_>> = branches.iter().flat_map(|(labels, _)| labels.iter().copied()).collect();
        let mut values: Vec<Constant> = Vec::new();
        for label in &labels {
            let value = constant_value(*label)?;
            if values.contains(&value) || !is_label(&program.type_of(declared), *label, &value) {
                return None;
            }
            values.push(value);
        }
        let is_kept = |comment: Node<'_>| branches.iter().any(|(_, body)| body.contains(comment));
        let is_safe = branches.iter().filter(|(labels, _)| !labels.is_empty()).count() > 1
            && !has_entries(node)
            && node.descendants().filter(|inner| inner.kind().is_comment()).all(is_kept)
            && branches.iter().all(|(_, body)| is_movable(*body));
        is_safe.then_some(Chain { node, variable: program.name_of(symbol), branches })
    }

    fn edits(&self) -> Vec<Edit> {
        let program = self.node.program();
        let line = if starts_line(self.node) { new_line(program, self.node.start(), 0) } else { " ".to_owned() };
        let mut text = format!("switch ({}) {{", self.variable);
        let mut cursor = self.node.start();
        let mut edits = Vec::new();
        for (labels, body) in &self.branches {
            text.push_str(&line);
            match labels[..] {
                [] => text.push_str("default: "),
                _ => labels.iter().for_each(|label| text.push_str(&format!("case {}: ", label.text()))),
            }
            edits.push(Edit { range: cursor..body.start(), text: std::mem::take(&mut text) });
            cursor = body.end();
            if !can_complete_normally(*body) {
                continue;
            }
            if !is_block(*body) {
                text.push_str(&format!("{} break;", mark_of(*body)));
                continue;
            }
            edits.push(match body.named_children().last() {
                Some(last) if starts_line(last) => {
                    Edit::insert(last.end(), format!("{}break;", new_line(program, last.start(), 0)))
                }
                Some(last) => Edit::insert(last.end(), format!("{} break;", mark_of(last))),
                None => Edit::insert(body.start() + 1, " break; "),
            });
        }
        text.push_str(&format!("{line}}}"));
        edits.push(Edit { range: cursor..self.node.end(), text });
        edits
    }
}

/// The semicolon that a statement of JavaScript may lack.
fn mark_of(statement: Node<'_>) -> &'static str {
    if ends_itself(statement) { "" } else { ";" }
}

/// Adds the constants of `x == 1` and `x == 1 || x == 2`, where all tests are of one local variable.
fn collect<'p>(condition: Node<'p>, symbol: &mut Option<SymbolId>, labels: &mut Vec<Node<'p>>) -> Option<()> {
    let program = condition.program();
    if condition.kind() == Kind::ParenthesizedExpression {
        return collect(condition.named_children().next()?, symbol, labels);
    }
    if condition.kind() != Kind::BinaryExpression || condition.children().any(|child| child.kind().is_comment()) {
        return None;
    }
    let (left, right) = (condition.child(Field::Left)?, condition.child(Field::Right)?);
    match (condition.child(Field::Operator)?.text(), program.language()) {
        ("||", _) => {
            collect(left, symbol, labels)?;
            collect(right, symbol, labels)
        }
        ("==", Language::Java | Language::C | Language::Cpp) | ("===", Language::JavaScript) => {
            let found = program.scopes().symbol_at(left).filter(|_| left.kind() == Kind::Identifier)?;
            let kind = program.scopes().symbol(found).kind;
            if !matches!(kind, SymbolKind::Local | SymbolKind::Parameter) || symbol.is_some_and(|known| known != found)
            {
                return None;
            }
            *symbol = Some(found);
            labels.push(right);
            Some(())
        }
        _ => None,
    }
}

/// Can the constant be the label of a case for a variable of this type?
fn is_label(variable: &Type, label: Node<'_>, value: &Constant) -> bool {
    let program = label.program();
    let Constant::Integer(number) = value else {
        return program.language() == Language::JavaScript && matches!(label.kind(), Kind::String | Kind::Number);
    };
    let label_type = program.type_of(label);
    match program.language() {
        Language::Java => {
            let is_small =
                matches!(label_type, Type::Number(Number::Int | Number::Char | Number::Short | Number::Byte));
            is_small
                && match variable {
                    Type::Number(Number::Int) => true,
                    Type::Number(Number::Char) => (0..=0xffff).contains(number),
                    Type::Number(Number::Short) => (-0x8000..=0x7fff).contains(number),
                    Type::Number(Number::Byte) => (-0x80..=0x7f).contains(number),
                    _ => false,
                }
        }
        Language::C | Language::Cpp => {
            let fits = (-0x7fff_ffff..=0x7fff_ffff).contains(number);
            fits && match variable {
                Type::Number(Number::Int | Number::Short | Number::SignedChar | Number::Char) => true,
                Type::Number(Number::UnsignedInt | Number::UnsignedShort | Number::UnsignedChar) => *number >= 0,
                Type::Number(Number::Long | Number::LongLong) => true,
                Type::Number(Number::UnsignedLong | Number::UnsignedLongLong) => *number >= 0,
                _ => false,
            }
        }
        Language::JavaScript => true,
        Language::Python => false,
    }
}

/// Does no `break` in the branch mean a loop or a `switch` around it?
fn is_movable(body: Node<'_>) -> bool {
    let is_free =
        !leaving_jumps(body).iter().any(|jump| jump.how == Leave::Break && jump.node.named_children().next().is_none());
    // The empty statements of Java are tokens.
    is_free && body.is_named() && (!is_block(body) || !body.has_token(";"))
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{check, check_refused};

    #[test]
    fn a_volatile_variable_is_read_as_often_as_before() {
        check_refused(
            "if-to-switch",
            C,
            "void f(void) { volatile int n = g(); if (n == 1) { h(); } else if (n == 2) { i(); } }",
        );
    }

    #[test]
    fn other_variables_and_constants_are_refused() {
        check_refused("if-to-switch", Java, "void f(long n) { if (n == 1) g(); else if (n == 2) h(); }");
        check_refused("if-to-switch", Java, "void f(Integer n) { if (n == 1) g(); else if (n == 2) h(); }");
        check_refused("if-to-switch", Java, "void f(int n) { if (n == 1L) g(); else if (n == 2) h(); }");
        check_refused("if-to-switch", Java, "void f(char n) { if (n == -1) g(); else if (n == 2) h(); }");
        check_refused("if-to-switch", C, "void f(int n) { if (n == 1) g(); else if (n == 1) h(); }");
        check_refused("if-to-switch", C, "void f(int n, int m) { if (n == 1) g(); else if (m == 2) h(); }");
        check_refused("if-to-switch", C, "void f(int n, int m) { if (n == 1) g(); else if (n == m) h(); }");
        check_refused("if-to-switch", C, "void f(double n) { if (n == 1) g(); else if (n == 2) h(); }");
        check_refused("if-to-switch", C, "void f(int n) { if (n == 1) g(); else h(); }");
        check_refused("if-to-switch", Cpp, "void f(Number n) { if (n == 1) g(); else if (n == 2) h(); }");
    }

    #[test]
    fn jumps_of_loops() {
        check_refused(
            "if-to-switch",
            Java,
            "void f(int n) { for (;;) { if (n == 1) { if (a) break; } else if (n == 2) h(); } }",
        );
        check(
            "if-to-switch",
            Java,
            "void f(int n) { for (;;) { if (n == 1) { continue; } else if (n == 2) while (true) { break; } } }",
            "void f(int n) { for (;;) { switch (n) { case 1: { continue; } case 2: while (true) { break; } break; } } }",
        );
    }

    #[test]
    fn comments_and_empty_branches() {
        check_refused("if-to-switch", C, "void f(int n) { if (n == 1) g(); /* b */ else if (n == 2) h(); }");
        check(
            "if-to-switch",
            JavaScript,
            "function f(n) {\r\n  if (n === 1) { // one\r\n    g()\r\n  } else if (n === 2) {}\r\n}",
            "function f(n) {\r\n  switch (n) {\r\n  case 1: { // one\r\n    g()\r\n    break;\r\n  }\r\n  case 2: { break; }\r\n  }\r\n}",
        );
    }
}
