//! Removes the `else` of an `if` whose branch always jumps, and moves its statements after the `if`.
//!
//! class: structure
//! from: common practice
//! inverse: else-after-return
//!
//! The branch ends in `return`, `throw`, `break` or `continue`, so the code after the `if` runs only when the
//! condition fails. If the `else` declares something, the `if` must be the last statement of its block, and no other
//! name around it may be the same.
//!
//! ```java
//! int f(int n) { if (n > 0) { return 1; } else { int m = -n; return m; } }
//! ```
//! ->
//! ```java
//! int f(int n) { if (n > 0) { return 1; } int m = -n; return m; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     if (n > 0) {
//!         return 1;
//!     } else {
//!         g(n); // call
//!     }
//!     return 2;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     if (n > 0) {
//!         return 1;
//!     }
//!     g(n); // call
//!     return 2;
//! }
//! ```
//!
//! ```cpp
//! int f(int n) {
//!     if (n > 0) return 1;
//!     else if (n < 0) return 2;
//!     return 3;
//! }
//! ```
//! ->
//! ```cpp
//! int f(int n) {
//!     if (n > 0) return 1;
//!     if (n < 0) return 2;
//!     return 3;
//! }
//! ```
//!
//! ```python
//! def f(n):
//!     if n > 0:
//!         return 1
//!     else:
//!         g(n)
//!         return 2
//! ```
//! ->
//! ```python
//! def f(n):
//!     if n > 0:
//!         return 1
//!     g(n)
//!     return 2
//! ```
//!
//! ```javascript
//! function f(n) { if (n > 0) { return 1 } else { return 2 } }
//! ```
//! ->
//! ```javascript
//! function f(n) { if (n > 0) { return 1 } return 2; }
//! ```
//!
//! The two variables would clash:
//!
//! ```c
//! int f(int n) { int m = 1; if (n > 0) { return m; } else { int m = 2; return m; } }
//! ```
//!
//! A branch that continues would run the `else` as well:
//!
//! ```python
//! if a:
//!     f()
//! else:
//!     g()
//! ```

use syntax::flow::can_complete_normally;
use syntax::views::{condition_of, contains_directive, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::layout::{indentation, is_inside_string, line_break, line_start, starts_line};
use crate::parts::loops::{declares_something, end_of_code, ends_in_comment, missing_semicolon};
use crate::parts::python::has_mixed_indentation;
use crate::parts::statements::{function_around, is_statement_list, statements};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        let Some(list) = node.parent().filter(|parent| is_statement_list(*parent)) else { continue };
        let Some(found) = ending(node) else { continue };
        match program.language() {
            Language::Python => {
                if let Some(edits) = without_else_in_python(&found) {
                    sites.add(node.range(), move |_| Some(edits.clone()));
                }
            }
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                if can_leave(list, &found) {
                    sites.add(node.range(), move |_| Some(without_else(&found)));
                }
            }
        }
    }
}

struct Ending<'p> {
    whole: Node<'p>,
    branch: Node<'p>,
    /// The `else` or `elif` clause, or in Java the statement after `else`.
    alternative: Node<'p>,
    /// The statement or block after `else`.
    otherwise: Node<'p>,
}

fn ending(whole: Node<'_>) -> Option<Ending<'_>> {
    let branch = whole.child(Field::Consequence)?;
    let alternative = whole.child(Field::Alternative)?;
    let otherwise = match whole.program().language() {
        Language::Java => alternative,
        Language::C | Language::Cpp | Language::JavaScript => alternative.named_children().next()?,
        Language::Python => alternative.child(Field::Body).or_else(|| alternative.child(Field::Consequence))?,
    };
    let is_swallowed = whole.program().language() == Language::JavaScript && ends_in_comment(branch);
    let is_refused = is_swallowed
        || whole.has_token("constexpr")
        || can_complete_normally(branch)
        || declares_something(condition_of(whole)?)
        || contains_directive(whole);
    (!is_refused).then_some(Ending { whole, branch, alternative, otherwise })
}

/// Can the statements of the `else` stand in the list around the `if`?
fn can_leave(list: Node<'_>, found: &Ending<'_>) -> bool {
    let Ending { whole, branch, otherwise, .. } = *found;
    let program = whole.program();
    // Only the word `else` and blanks may stand between the two.
    if program.text()[branch.end()..otherwise.start()].trim() != "else" {
        return false;
    }
    let is_function = |statement: &Node<'_>| {
        matches!(statement.kind(), Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration)
    };
    if !is_block(otherwise) {
        return !is_function(&otherwise);
    }
    let inner = statements(otherwise);
    if inner.iter().any(is_function) {
        return false;
    }
    let scopes = program.scopes();
    let own = scopes.scopes().find(|(_, scope)| scope.node == otherwise.id()).map(|(id, _)| id);
    let names: Vec<&str> = scopes
        .symbols()
        .filter(|(_, symbol)| Some(symbol.scope) == own)
        .map(|(symbol, _)| program.name_of(symbol))
        .collect();
    let declares = inner.iter().any(|statement| is_declaration(*statement));
    if names.is_empty() && !declares {
        return true;
    }
    // What is declared without a name that is known cannot be compared with others.
    if names.is_empty() {
        return false;
    }
    let is_last = statements(list).last().is_some_and(|last| last.id() == whole.id());
    let around = function_around(whole).unwrap_or(program.root());
    let meets = |node: &Node<'_>| !otherwise.contains(*node) && names.contains(&node.text()) && node.is_named();
    let has_jumps = match program.language() {
        Language::C | Language::Cpp => {
            around.descendants().any(|node| matches!(node.kind(), Kind::LabeledStatement | Kind::GotoStatement))
        }
        Language::Java | Language::JavaScript | Language::Python => false,
    };
    is_last && is_block(list) && !has_jumps && !around.descendants().any(|node| meets(&node))
}

fn is_declaration(statement: Node<'_>) -> bool {
    matches!(
        statement.kind(),
        Kind::LocalVariableDeclaration
            | Kind::Declaration
            | Kind::LexicalDeclaration
            | Kind::ClassDeclaration
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration
            | Kind::InterfaceDeclaration
            | Kind::TypeDefinition
            | Kind::AliasDeclaration
            | Kind::UsingDeclaration
    )
}

fn without_else(found: &Ending<'_>) -> Vec<Edit> {
    let Ending { whole, branch, otherwise, .. } = *found;
    let program = whole.program();
    let text = program.text();
    let semicolon = missing_semicolon(branch);
    if !is_block(otherwise) {
        let gap = match starts_line(whole) {
            true => format!("{semicolon}{}{}", line_break(program), indentation(program, whole.start())),
            false => format!("{semicolon} "),
        };
        return vec![Edit { range: branch.end()..otherwise.start(), text: gap }];
    }
    let inner = otherwise.start() + 1..otherwise.end() - 1;
    let gap = if text[inner.clone()].starts_with(char::is_whitespace) { "" } else { " " };
    let mut edits = vec![Edit { range: branch.end()..inner.start, text: format!("{semicolon}{gap}") }];
    let statements = statements(otherwise);
    if let Some(first) = statements.first().copied().filter(|first| starts_line(*first)) {
        edits.extend(moved_left(program, inner.clone(), first, indentation(program, whole.start())));
    }
    if let Some(last) = statements.last() {
        let semicolon = missing_semicolon(*last);
        if !semicolon.is_empty() {
            edits.push(Edit::insert(end_of_code(*last), semicolon));
        }
    }
    // The line of the closing brace goes with it, when there is nothing else on it.
    let is_alone = line_start(program, inner.end) > inner.start
        && text[line_start(program, inner.end)..inner.end].trim().is_empty()
        && text[otherwise.end()..].trim_start_matches([' ', '\t', '\r']).chars().next().is_none_or(|next| next == '\n');
    let blanks = text[inner.clone()].len() - text[inner.clone()].trim_end_matches([' ', '\t']).len();
    let start = match is_alone {
        true => inner.start + text[inner.start..line_start(program, inner.end)].trim_end_matches(['\r', '\n']).len(),
        false if text[otherwise.end()..].starts_with(char::is_whitespace) => inner.end - blanks,
        false => inner.end,
    };
    let start = start.max(inner.start);
    // The brace may be indented as far as the statements, and its line goes anyway.
    edits.retain(|edit| edit.range.end <= start);
    edits.push(Edit::delete(start..otherwise.end()));
    edits
}

/// Moves the lines that start within the range and are indented as `first` is, or more, to the margin.
fn moved_left(program: &Program, range: std::ops::Range<usize>, first: Node<'_>, margin: &str) -> Vec<Edit> {
    let text = program.text();
    let inner = indentation(program, first.start());
    if !inner.starts_with(margin) || inner == margin {
        return Vec::new();
    }
    let starts = text[range.clone()].match_indices('\n').map(|(at, _)| range.start + at + 1);
    starts
        .filter(|start| *start < range.end && text[*start..].starts_with(inner))
        .filter(|start| !is_inside_string(program, *start))
        .map(|start| Edit::delete(start + margin.len()..start + inner.len()))
        .collect()
}

fn without_else_in_python(found: &Ending<'_>) -> Option<Vec<Edit>> {
    let Ending { whole, alternative, otherwise, .. } = *found;
    let program = whole.program();
    let word = alternative.children().next()?;
    if alternative.kind() == Kind::ElifClause {
        return Some(vec![Edit::replace(word, "if")]);
    }
    let colon = alternative.children().find(|child| child.is_token(":"))?;
    if has_mixed_indentation(program) || !starts_line(word) || word.end() != colon.start() {
        return None;
    }
    if !starts_line(otherwise) {
        return Some(vec![Edit::delete(word.start()..otherwise.start())]);
    }
    let margin = indentation(program, whole.start());
    let inner = indentation(program, otherwise.start());
    if indentation(program, word.start()) != margin || !inner.starts_with(margin) || inner == margin {
        return None;
    }
    // A comment after `else:` stays where it is.
    let behind = &program.text()[colon.end()..];
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t', '\r']).len();
    let range = match behind[blanks..].starts_with('\n') {
        true => line_start(program, word.start())..colon.end() + blanks + 1,
        false => word.start()..colon.end() + blanks,
    };
    let is_line = range.start < word.start() || behind[blanks..].starts_with('\n');
    let from = if is_line { range.end } else { colon.end() };
    let mut edits = vec![Edit::delete(range)];
    // The first line of the block starts right after the line that goes.
    edits.extend(moved_left(program, from.saturating_sub(1)..otherwise.end(), otherwise, margin));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "early-return";

    #[test]
    fn an_elif_becomes_an_if() {
        check(
            NAME,
            Python,
            "def f(n):\n    if n > 0:\n        return 1\n    elif n:\n        g()\n    else:\n        h()\n",
            "def f(n):\n    if n > 0:\n        return 1\n    if n:\n        g()\n    else:\n        h()\n",
        );
    }

    #[test]
    fn comments_and_strings_of_python_stay() {
        check(
            NAME,
            Python,
            "def f(n):\n  if n:\n    return 1\n  else:  # why\n    # here\n    x = '''a\n    b'''\n    return x\n",
            "def f(n):\n  if n:\n    return 1\n  # why\n  # here\n  x = '''a\n    b'''\n  return x\n",
        );
        check(
            NAME,
            Python,
            "def f(n):\n    if n: return 1\n    else: g()\n",
            "def f(n):\n    if n: return 1\n    g()\n",
        );
    }

    #[test]
    fn text_behind_the_brace_is_not_commented_out() {
        check(
            NAME,
            Java,
            "void f() {\n  if (a) {\n    return;\n  } else {\n    g(); // c\n  } h();\n}\n",
            "void f() {\n  if (a) {\n    return;\n  }\n  g(); // c\n h();\n}\n",
        );
    }

    #[test]
    fn a_brace_that_is_indented_like_its_statements() {
        check(
            NAME,
            C,
            "int f(int n) {\n  if (n)\n    return 1;\n  else {\n    g();\n    }\n  return 2;\n}\n",
            "int f(int n) {\n  if (n)\n    return 1;\n  g();\n  return 2;\n}\n",
        );
    }

    #[test]
    fn names_that_would_meet_are_refused() {
        check_refused(NAME, C, "void f(int n) { if (n) { return; } else { int k = 1; g(k); } k(); }");
        check_refused(NAME, JavaScript, "function f(k) { if (k) { return; } else { let k = 1; g(k); } }");
        check_refused(NAME, JavaScript, "function f(c) { if (c) { return; } else { function k() {} k(); } }");
        check_refused(NAME, Java, "void f() { if (a) { return; } /* no */ else { g(); } }");
    }

    #[test]
    fn semicolons_that_are_not_written() {
        check(
            NAME,
            JavaScript,
            "function f(c) { if (c) return 1\nelse { g() } h() }",
            "function f(c) { if (c) return 1; g(); h() }",
        );
    }
}
