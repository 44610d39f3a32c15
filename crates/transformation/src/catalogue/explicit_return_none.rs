//! Writes out the `None` that a function returns implicitly: at a bare `return`, and at its end.
//!
//! class: structure
//! from: Python idiom
//! rules: bare, end
//! inverse: implicit-return-none
//!
//! A function whose `return` has no value, or whose end is reached, returns `None`. The same holds for generators in
//! Python 3; in Python 2, generators may not return a value, and neither may asynchronous ones, so both are left
//! alone.
//!
//! ```python
//! def f(n):
//!     if n:
//!         return
//!     raise E
//! ```
//! ->
//! ```python
//! def f(n):
//!     if n:
//!         return None
//!     raise E
//! ```
//!
//! ```python
//! def f(n):
//!     print(n)
//! ```
//! ->
//! ```python
//! def f(n):
//!     print(n)
//!     return None
//! ```
//!
//! ```python
//! async def f(n):
//!     yield n
//!     return
//! ```

use syntax::flow::can_complete_normally;
use syntax::{Edit, Field, Kind, Node, Program};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, starts_line};
use crate::parts::python::{function_of_statement, is_async, is_generator, is_python_two};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_two = is_python_two(program);
    for function in program.nodes_of_kind(Kind::FunctionDefinition) {
        let Some(body) = function.child(Field::Body) else { continue };
        if is_generator(function) && (is_two || is_async(function)) {
            continue;
        }
        let own = |node: &Node<'p>| function_of_statement(*node).is_some_and(|around| around.id() == function.id());
        for node in body.descendants().filter(|node| node.kind() == Kind::ReturnStatement).filter(own) {
            if node.named_children().next().is_none() {
                sites.add_rule("bare", node.range(), move |_| Some(vec![Edit::insert(node.end(), " None")]));
            }
        }
        let Some(last) = body.named_children().last() else { continue };
        let end = end_of_line(program, last.end());
        if can_complete_normally(body) && starts_line(last) && is_blank_or_comment(&program.text()[last.end()..end]) {
            sites.add_rule("end", end..end, move |_| {
                let margin = indentation(program, last.start());
                Some(vec![Edit::insert(end, format!("{}{margin}return None", line_break(program)))])
            });
        }
    }
}

/// The place of the line break that ends the line of `position`, or the end of the text.
fn end_of_line(program: &Program, position: usize) -> usize {
    let rest = &program.text()[position..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    position + line.strip_suffix('\r').unwrap_or(line).len()
}

fn is_blank_or_comment(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with('#')
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn comments_stay_on_their_line() {
        check(
            "explicit-return-none",
            Python,
            "def f(n):\r\n\tg()  # why\r\n\r\nf(1)\r\n",
            "def f(n):\r\n\tg()  # why\r\n\treturn None\r\n\r\nf(1)\r\n",
        );
        check("explicit-return-none", Python, "def f():\n    'doc'", "def f():\n    'doc'\n    return None");
    }

    #[test]
    fn both_rules() {
        assert_eq!(
            all_results("explicit-return-none", Python, "def f(a):\n  for b in a:\n    if b: return\n    g()\n"),
            [
                "def f(a):\n  for b in a:\n    if b: return None\n    g()\n",
                "def f(a):\n  for b in a:\n    if b: return\n    g()\n  return None\n"
            ]
        );
    }

    #[test]
    fn ends_that_are_not_reached() {
        check_refused("explicit-return-none", Python, "def f():\n    while True:\n        g()\n");
        check_refused("explicit-return-none", Python, "def f():\n    return 1\n");
        check_refused("explicit-return-none", Python, "def f(): g()\n");
        check_refused("explicit-return-none", Python, "def f():\n    print 1; yield 2\n    return\n");
        check_refused("explicit-return-none", Python, "def f():\n    g();\n");
    }
}
