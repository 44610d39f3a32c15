//! Moves the statements after an `if` that always jumps into its `else`.
//!
//! class: structure
//! from: common practice
//! inverse: early-return
//!
//! The branch ends in `return`, `throw`, `break` or `continue`, so the rest of the block runs only when the condition
//! fails. The rest extends to the end of its block, so nothing outside loses sight of what it declares.
//!
//! ```java
//! int f(int n) { if (n > 0) { return 1; } int m = -n; return m; }
//! ```
//! ->
//! ```java
//! int f(int n) { if (n > 0) { return 1; } else { int m = -n; return m; } }
//! ```
//!
//! ```c
//! int f(int n) {
//!     if (n > 0)
//!         return 1; // positive
//!     g(n);
//!     return 2;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     if (n > 0)
//!         return 1; else { // positive
//!         g(n);
//!         return 2;
//!     }
//! }
//! ```
//!
//! ```cpp
//! void f(int n) { while (n > 0) { if (n-- == 3) { continue; } g(n); } }
//! ```
//! ->
//! ```cpp
//! void f(int n) { while (n > 0) { if (n-- == 3) { continue; } else { g(n); } } }
//! ```
//!
//! ```python
//! def f(n):
//!     if n > 0:
//!         return 1
//!     g(n)
//!     return 2
//! ```
//! ->
//! ```python
//! def f(n):
//!     if n > 0:
//!         return 1
//!     else:
//!         g(n)
//!         return 2
//! ```
//!
//! ```javascript
//! function f(n) { if (n > 0) return 1
//! return 2 }
//! ```
//! ->
//! ```javascript
//! function f(n) { if (n > 0) return 1; else {
//! return 2 } }
//! ```
//!
//! A function declared in the rest can be called before it:
//!
//! ```javascript
//! function f(n) { if (n > 0) { return g(); } function g() { return 1; } return 2; }
//! ```
//!
//! A label may be the target of a jump from elsewhere:
//!
//! ```c
//! int f(int n) { if (n > 0) { return 1; } again: return n; }
//! ```

use syntax::flow::can_complete_normally;
use syntax::views::condition_of;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::branches::{has_entries, takes_else};
use crate::parts::layout::{indentation, indented, line_break, one_level, starts_line};
use crate::parts::loops::{declares_something, end_of_code, missing_semicolon};
use crate::parts::python::has_mixed_indentation;
use crate::parts::statements::{statement_lists, statements};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_unclear = match program.language() {
        Language::Python => has_mixed_indentation(program),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => false,
    };
    if is_unclear {
        return;
    }
    for list in statement_lists(program) {
        let statements = statements(list);
        for (index, statement) in statements.iter().copied().enumerate() {
            let rest = &statements[index + 1..];
            let (Some(first), Some(last)) = (rest.first().copied(), rest.last().copied()) else { continue };
            let Some(branch) = ending_branch(statement) else { continue };
            if is_block(list) && can_move(rest) && (program.language() != Language::Python || starts_line(first)) {
                sites.add(statement.range(), move |_| Some(edits(statement, branch, first, last)));
            }
        }
    }
}

/// Does the list end where its names end? The groups of a `switch` share theirs, and the whole program is not a block.
fn is_block(list: Node<'_>) -> bool {
    matches!(list.kind(), Kind::Block | Kind::ConstructorBody | Kind::CompoundStatement | Kind::StatementBlock)
}

/// The branch of an `if` without `else` that never goes on after it.
fn ending_branch(statement: Node<'_>) -> Option<Node<'_>> {
    if statement.kind() != Kind::IfStatement
        || statement.child(Field::Alternative).is_some()
        || statement.has_token("constexpr")
    {
        return None;
    }
    let branch = statement.child(Field::Consequence)?;
    // The new `else` would belong to an `if` inside the branch.
    let is_open = takes_else(branch);
    let is_good = !is_open && !can_complete_normally(branch) && !declares_something(condition_of(statement)?);
    is_good.then_some(branch)
}

fn can_move(rest: &[Node<'_>]) -> bool {
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return false };
    let program = first.program();
    match program.language() {
        Language::Java | Language::Python => true,
        Language::C | Language::Cpp => !rest.iter().copied().any(has_entries),
        Language::JavaScript => rest.iter().all(|statement| match statement.kind() {
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::LabeledStatement => false,
            // A function before the `if` may use what is declared after it.
            Kind::LexicalDeclaration | Kind::ClassDeclaration => {
                let scopes = program.scopes();
                let declared = statement
                    .descendants()
                    .filter(|node| scopes.reference_at(*node).is_some_and(|reference| reference.declares))
                    .filter_map(|node| scopes.symbol_at(node));
                declared.flat_map(|symbol| scopes.references_of(symbol)).all(|reference| {
                    let node = program.node(reference.node);
                    first.start() <= node.start() && node.end() <= last.end()
                })
            }
            _ => true,
        }),
    }
}

fn edits(statement: Node<'_>, branch: Node<'_>, first: Node<'_>, last: Node<'_>) -> Vec<Edit> {
    let program = statement.program();
    let margin = indentation(program, statement.start());
    let more = match margin.starts_with('\t') {
        true => "\t",
        false if one_level(program).starts_with('\t') && !margin.is_empty() => "    ",
        false => one_level(program),
    };
    let line_break = line_break(program);
    match program.language() {
        Language::Python => {
            let mut edits = vec![Edit::insert(first.start(), format!("else:{line_break}{margin}{more}"))];
            edits.extend(indented(program, first.start()..last.end(), more));
            edits
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let (branch_end, rest_end) = (end_of_code(branch), end_of_code(last));
            let mut edits = vec![Edit::insert(branch_end, format!("{} else {{", missing_semicolon(branch)))];
            if starts_line(statement) && starts_line(first) {
                edits.extend(indented(program, branch_end..rest_end, more));
                edits.push(Edit::insert(rest_end, format!("{line_break}{margin}}}")));
            } else {
                edits.push(Edit::insert(rest_end, " }"));
            }
            edits
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "else-after-return";

    #[test]
    fn strings_keep_their_lines() {
        check(
            NAME,
            Python,
            "def f(n):\n\tif n: return 1  # one\n\t# two\n\ttext = '''a\n\tb'''\n\n\treturn text\n",
            "def f(n):\n\tif n: return 1  # one\n\t# two\n\telse:\n\t\ttext = '''a\n\tb'''\n\n\t\treturn text\n",
        );
    }

    #[test]
    fn an_else_would_belong_to_the_inner_if() {
        check_refused(NAME, Java, "int f() { if (a) while (true) if (b) return 1; return 2; }");
    }

    #[test]
    fn groups_of_a_switch_are_refused() {
        check_refused(
            NAME,
            Java,
            "void f(int n) { switch (n) { case 1: if (a) break; int k = 1; case 2: k = 2; g(k); } }",
        );
        check_refused(NAME, C, "void f(int n) { switch (n) { case 1: if (n) break; g(); } }");
        check(
            NAME,
            C,
            "void f(int n) { if (n) return; switch (n) { case 1: g(); } }",
            "void f(int n) { if (n) return; else { switch (n) { case 1: g(); } } }",
        );
    }

    #[test]
    fn a_name_that_is_used_before_is_refused() {
        check_refused(
            NAME,
            JavaScript,
            "function f(c) { function g() { return k; } if (c) { return g; } const k = 1; return g; }",
        );
        check_refused(NAME, Java, "void f() { if (a) { g(); } h(); }");
        check_refused(NAME, Python, "if a:\n    raise E\ng()\n");
    }

    #[test]
    fn comments_behind_statements_without_semicolons() {
        check(
            NAME,
            JavaScript,
            "function f(c) {\n  if (c) return 1 // one\n  return 2 // two\n}\n",
            "function f(c) {\n  if (c) return 1; else { // one\n    return 2\n  } // two\n}\n",
        );
    }

    #[test]
    fn every_ending_branch_is_a_site() {
        let before = "int f(int n) { if (n > 1) return 1; if (n > 0) { throw e; } return 2; }";
        assert_eq!(
            all_results(NAME, Java, before),
            [
                "int f(int n) { if (n > 1) return 1; else { if (n > 0) { throw e; } return 2; } }",
                "int f(int n) { if (n > 1) return 1; if (n > 0) { throw e; } else { return 2; } }"
            ]
        );
    }
}
