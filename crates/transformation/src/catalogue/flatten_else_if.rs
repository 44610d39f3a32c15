//! Removes the block around an `if` that is the only statement of an `else`.
//!
//! class: structure
//! from: common practice
//! inverse: nest-else-if
//!
//! The block contains one `if` and nothing else, so the same tests run in the same order. It is kept where the `if`
//! would capture another statement's `else`, and where it contains comments.
//!
//! ```java
//! int f(int n) {
//!     if (n > 0) {
//!         return 1;
//!     } else {
//!         if (n < 0) {
//!             return 2;
//!         }
//!     }
//!     return 3;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     if (n > 0) {
//!         return 1;
//!     } else if (n < 0) {
//!         return 2;
//!     }
//!     return 3;
//! }
//! ```
//!
//! ```c
//! int f(int n) { if (n > 0) return 1; else { if (n < 0) return 2; else return 3; } }
//! ```
//! ->
//! ```c
//! int f(int n) { if (n > 0) return 1; else if (n < 0) return 2; else return 3; }
//! ```
//!
//! ```cpp
//! int f(int n) { if (n > 0) return 1; else { if (n < 0) return 2; } return 3; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { if (n > 0) return 1; else if (n < 0) return 2; return 3; }
//! ```
//!
//! ```python
//! if a:
//!     f()
//! else:
//!     if b:
//!         g()
//!     else:
//!         h()
//! ```
//! ->
//! ```python
//! if a:
//!     f()
//! elif b:
//!     g()
//! else:
//!     h()
//! ```
//!
//! ```javascript
//! if (a) { f() } else { if (b) { g() } }
//! ```
//! ->
//! ```javascript
//! if (a) { f() } else if (b) { g() }
//! ```
//!
//! The last `else` would belong to a different `if`:
//!
//! ```c
//! void f(int a, int b, int c) { if (a) if (b) g(); else { if (c) h(); } else k(); }
//! ```

use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::branches::{dedented, ends_itself, has_entries, is_apart_from_else, is_blank, only_statement};
use crate::parts::layout::{replace_range, starts_line};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for inner in program.nodes_of_kind(Kind::IfStatement) {
        let Some(block) = inner.parent().filter(|block| only_statement(*block) == Some(inner)) else { continue };
        let Some(outer) = outer_if(block) else { continue };
        if contains_directive(block) || has_entries(block) {
            continue;
        }
        match program.language() {
            Language::Python => {
                let Some(clause) = block.parent() else { continue };
                let has_comment = clause.children().any(|child| child.kind().is_comment());
                if !has_comment && starts_line(inner) && lines_of_suite(clause, inner).is_some() {
                    sites.add(clause.start()..inner.end(), move |_| elif(clause, inner));
                }
            }
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                if is_apart_from_else(outer) {
                    sites.add(block.range(), move |_| without_braces(block, inner));
                }
            }
        }
    }
}

/// The `if` whose `else` the block is.
fn outer_if(block: Node<'_>) -> Option<Node<'_>> {
    let around = block.parent()?;
    // Java has no clause for an `else`.
    let outer = match around.kind() {
        Kind::ElseClause => around.parent()?,
        _ => around,
    };
    (outer.kind() == Kind::IfStatement && (outer != around || block.role() == Field::Alternative)).then_some(outer)
}

fn without_braces(block: Node<'_>, inner: Node<'_>) -> Option<Vec<Edit>> {
    let program = block.program();
    let mut edits = dedented(program, inner.start()..inner.end(), block.start(), inner.start())?;
    // Only blanks stand between the braces and the `if`, because the block has no comments.
    let is_close = program.text()[..block.start()].ends_with("else");
    edits.push(Edit { range: block.start()..inner.start(), text: if is_close { " " } else { "" }.to_owned() });
    let mark = if ends_itself(inner) { "" } else { ";" };
    edits.push(Edit { range: inner.end()..block.end(), text: mark.to_owned() });
    Some(edits)
}

fn lines_of_suite(clause: Node<'_>, inner: Node<'_>) -> Option<Vec<Edit>> {
    dedented(clause.program(), inner.start()..inner.end(), clause.start(), inner.start())
}

fn elif(clause: Node<'_>, inner: Node<'_>) -> Option<Vec<Edit>> {
    let program = clause.program();
    let (first, last) = (clause.children().find(|child| child.is_token("else"))?, inner.children().next()?);
    let colon = clause.children().find(|child| child.is_token(":"))?;
    if !is_blank(program, colon.end()..inner.start()) {
        return None;
    }
    let mut edits = lines_of_suite(clause, inner)?;
    edits.push(replace_range(program, first.start()..last.end(), "elif"));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn other_statements_and_comments_are_refused() {
        check_refused("flatten-else-if", C, "void f(int a) { if (a) g(); else { if (a > 1) h(); k(); } }");
        check_refused("flatten-else-if", Java, "void f() { if (a) g(); else { if (b) h(); ; } }");
        check_refused("flatten-else-if", JavaScript, "if (a) f(); else { /* b */ if (b) g(); }");
        check_refused("flatten-else-if", Python, "if a:\n    f()\nelse:\n    # b\n    if b:\n        g()\n");
        check_refused("flatten-else-if", Python, "for a in b:\n    f()\nelse:\n    if b:\n        g()\n");
    }

    #[test]
    fn words_do_not_grow_together() {
        check("flatten-else-if", JavaScript, "if(a){f()}else{if(b){g()}}", "if(a){f()}else if(b){g()}");
        check("flatten-else-if", JavaScript, "if (a) f(); else { if (b) g() } h()", "if (a) f(); else if (b) g(); h()");
        check("flatten-else-if", Python, "if a: f()\nelse:\n  if(b): g()\n", "if a: f()\nelif(b): g()\n");
    }

    #[test]
    fn a_block_on_a_line_of_its_own() {
        check(
            "flatten-else-if",
            C,
            "void f(int a)\n{\n  if (a)\n    g();\n  else\n  {\n    if (a > 1)\n      h();\n  }\n}\n",
            "void f(int a)\n{\n  if (a)\n    g();\n  else\n  if (a > 1)\n    h();\n}\n",
        );
    }
}
