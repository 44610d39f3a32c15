//! Omits the `None` that a function returns: the value of a `return`, or the whole last statement.
//!
//! class: structure
//! from: Python idiom
//! rules: bare, end
//! inverse: explicit-return-none
//!
//! A `return` without a value returns `None`, and so does the end of a function.
//!
//! ```python
//! def f(n):
//!     if n:
//!         return None
//!     raise E
//! ```
//! ->
//! ```python
//! def f(n):
//!     if n:
//!         return
//!     raise E
//! ```
//!
//! ```python
//! def f(n):
//!     return n
//! ```

use syntax::{Edit, Field, Kind, Node, Program};

use crate::Sites;
use crate::parts::layout::{line_start, starts_line};
use crate::parts::python::function_of_statement;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::ReturnStatement) {
        let mut values = node.children().filter(|child| child.is_named());
        let (Some(value), None) = (values.next(), values.next()) else { continue };
        if value.kind() != Kind::None || function_of_statement(node).is_none() {
            continue;
        }
        let keyword_end = node.start() + "return".len();
        let gap = &program.text()[keyword_end..value.start()];
        if gap.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            sites.add_rule("bare", node.range(), move |_| Some(vec![Edit::delete(keyword_end..node.end())]));
        }
        if let Some(lines) = lines_of_last_statement(program, node) {
            sites.add_rule("end", node.range(), move |_| Some(vec![Edit::delete(lines.clone())]));
        }
    }
}

/// The bytes to take away so that the last statement of a function goes with its line.
fn lines_of_last_statement(program: &Program, node: Node<'_>) -> Option<std::ops::Range<usize>> {
    let body = node.parent().filter(|body| body.kind() == Kind::Block && body.role() == Field::Body)?;
    body.parent().filter(|function| function.kind() == Kind::FunctionDefinition)?;
    let is_last = body.named_children().last()?.id() == node.id();
    let text = program.text();
    let rest = &text[node.end()..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let start = line_start(program, node.start());
    // The body keeps another statement, and nothing else shares the line.
    (is_last && body.named_children().count() > 1 && starts_line(node) && line.trim().is_empty() && start > 0).then(
        || {
            let from = start - 1 - usize::from(text[..start - 1].ends_with('\r'));
            from..node.end() + line.strip_suffix('\r').unwrap_or(line).len()
        },
    )
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{all_results, check_refused};

    #[test]
    fn both_rules() {
        assert_eq!(
            all_results("implicit-return-none", Python, "def f():\n    g()\n    return None\n\nf()\n"),
            ["def f():\n    g()\n    return\n\nf()\n", "def f():\n    g()\n\nf()\n"]
        );
        assert_eq!(
            all_results("implicit-return-none", Python, "def f():\r\n    g()\r\n    return None"),
            ["def f():\r\n    g()\r\n    return", "def f():\r\n    g()"]
        );
    }

    #[test]
    fn a_lone_statement_stays() {
        assert_eq!(all_results("implicit-return-none", Python, "def f(): return None\n"), ["def f(): return\n"]);
        assert_eq!(
            all_results("implicit-return-none", Python, "def f():\n    # why\n    return None  # so\n"),
            ["def f():\n    # why\n    return  # so\n"]
        );
        check_refused("implicit-return-none", Python, "def f(): return (None)\n");
    }
}
