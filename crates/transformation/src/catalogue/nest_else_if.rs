//! Moves the `if` of an `else if` into its own block.
//!
//! class: structure
//! from: common practice
//! inverse: flatten-else-if
//!
//! The block contains the rest of the chain and nothing else, so the same tests run in the same order.
//!
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
//! ->
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
//!
//! ```c
//! int f(int n) { if (n > 0) return 1; else if (n < 0) return 2; else return 3; }
//! ```
//! ->
//! ```c
//! int f(int n) { if (n > 0) return 1; else { if (n < 0) return 2; else return 3; } }
//! ```
//!
//! ```cpp
//! int f(int n) { if (n > 0) return 1; else if (n < 0) return 2; return 3; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { if (n > 0) return 1; else { if (n < 0) return 2; } return 3; }
//! ```
//!
//! ```python
//! if a:
//!     f()
//! elif b:
//!     g()
//! else:
//!     h()
//! ```
//! ->
//! ```python
//! if a:
//!     f()
//! else:
//!     if b:
//!         g()
//!     else:
//!         h()
//! ```
//!
//! ```javascript
//! if (a) { f() } else if (b) { g() }
//! ```
//! ->
//! ```javascript
//! if (a) { f() } else { if (b) { g() } }
//! ```
//!
//! An `else` without an `if` is left alone:
//!
//! ```python
//! if a:
//!     f()
//! else:
//!     g()
//! ```

use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::branches::{can_be_indented, has_entries, new_line};
use crate::parts::layout::{indented, one_level, replace, replace_range, starts_line};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        match program.language() {
            Language::Python => {
                for clause in node.children_at(Field::Alternative).filter(|clause| clause.kind() == Kind::ElifClause) {
                    let rest = clause.start()..node.end();
                    if starts_line(clause) && can_be_indented(program, rest.clone()) {
                        sites.add(rest, move |_| nested_suite(clause, node));
                    }
                }
            }
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                let is_in_else = node.role() == Field::Alternative
                    || node.parent().is_some_and(|parent| parent.kind() == Kind::ElseClause);
                if is_in_else && !contains_directive(node) && !has_entries(node) {
                    sites.add(node.range(), move |_| Some(nested_block(node)));
                }
            }
        }
    }
}

fn nested_block(node: Node<'_>) -> Vec<Edit> {
    let program = node.program();
    if !node.text().contains('\n') {
        return vec![replace(node, &format!("{{ {} }}", node.text()))];
    }
    let mut edits = indented(program, node.range(), one_level(program));
    edits.push(replace_range(
        program,
        node.start()..node.start(),
        &format!("{{{}", new_line(program, node.start(), 1)),
    ));
    edits.push(Edit::insert(node.end(), format!("{}}}", new_line(program, node.start(), 0))));
    edits
}

fn nested_suite(clause: Node<'_>, node: Node<'_>) -> Option<Vec<Edit>> {
    let program = node.program();
    let keyword = clause.children().find(|child| child.is_token("elif"))?;
    let mut edits = indented(program, keyword.end()..node.end(), one_level(program));
    edits.push(replace(keyword, &format!("else:{}if", new_line(program, clause.start(), 1))));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn every_link_of_a_chain_is_a_site() {
        let results = all_results("nest-else-if", Python, "if a: f()\nelif b: g()\n# c\nelif c: h()\nelse: k()\n");
        assert_eq!(
            results,
            [
                "if a: f()\nelse:\n    if b: g()\n    # c\n    elif c: h()\n    else: k()\n",
                "if a: f()\nelif b: g()\n# c\nelse:\n    if c: h()\n    else: k()\n",
            ]
        );
    }

    #[test]
    fn strings_keep_their_lines() {
        check(
            "nest-else-if",
            Python,
            "if a:\n\tf()\nelif b:\n\tg('''x\ny''')\n",
            "if a:\n\tf()\nelse:\n\tif b:\n\t\tg('''x\ny''')\n",
        );
        check(
            "nest-else-if",
            JavaScript,
            "if (a) f()\nelse if (b) {\n  g(`x\ny`)\n}\n",
            "if (a) f()\nelse {\n  if (b) {\n    g(`x\ny`)\n  }\n}\n",
        );
    }

    #[test]
    fn tabs_and_blanks_do_not_mix() {
        check_refused("nest-else-if", Python, "def k():\n    if a:\n        f()\n    elif b:\n\tg()\n");
    }

    #[test]
    fn directives_and_line_ends() {
        check_refused(
            "nest-else-if",
            C,
            "void f(int a) { if (a) { g(); } else if (a > 2) {\n#if B\n g();\n#endif\n } }",
        );
        check(
            "nest-else-if",
            Java,
            "void f() {\r\n  if (a) g();\r\n  else if (b)\r\n    h(); // end\r\n}",
            "void f() {\r\n  if (a) g();\r\n  else {\r\n    if (b)\r\n      h();\r\n  } // end\r\n}",
        );
    }
}
