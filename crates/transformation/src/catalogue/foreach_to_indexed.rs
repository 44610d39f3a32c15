//! Iterates over an array or a list by index instead of by element.
//!
//! class: structure
//! groups: guided-mutation
//! from: guided mutation
//! inverse: indexed-to-foreach
//!
//! Only local variables qualify that are known to hold an array or a list, and that the body neither replaces nor
//! resizes. Every iteration reads its element at the start, before and after. A Java `List` is left alone: its
//! iterator detects changes to the list, an index does not.
//!
//! ```java
//! int f(int[] a) { int s = 0; for (final int x : a) { s += x; } return s; }
//! ```
//! ->
//! ```java
//! int f(int[] a) { int s = 0; for (int localInt1 = 0; localInt1 < a.length; localInt1++) { final int x = a[localInt1]; s += x; } return s; }
//! ```
//!
//! ```cpp
//! int f(const std::vector<int>& a) {
//!     int s = 0;
//!     for (auto& x : a)
//!         s += x;
//!     return s;
//! }
//! ```
//! ->
//! ```cpp
//! int f(const std::vector<int>& a) {
//!     int s = 0;
//!     for (std::size_t local_1 = 0; local_1 < a.size(); local_1++) {
//!         auto& x = a[local_1];
//!         s += x;
//!     }
//!     return s;
//! }
//! ```
//!
//! ```python
//! def f():
//!     pairs = [(1, 2), (3, 4)]
//!     for a, b in pairs:
//!         print(a * b)
//! ```
//! ->
//! ```python
//! def f():
//!     pairs = [(1, 2), (3, 4)]
//!     for local_int_1 in range(len(pairs)):
//!         a, b = pairs[local_int_1]
//!         print(a * b)
//! ```
//!
//! ```javascript
//! function f() { const a = [1, 2]; for (const x of a) g(x); }
//! ```
//! ->
//! ```javascript
//! function f() { const a = [1, 2]; for (let local1 = 0; local1 < a.length; local1++) { const x = a[local1]; g(x); } }
//! ```
//!
//! Not every iterable can be indexed:
//!
//! ```java
//! void f(Set<String> names) { for (String name : names) { g(name); } }
//! ```
//!
//! The list grows inside the loop:
//!
//! ```python
//! def f():
//!     items = [1]
//!     for item in items:
//!         items.append(item + 1)
//!         if item > 9: break
//! ```

use syntax::types::Number;
use syntax::views::{ForEach, is_block};
use syntax::{Edit, Language, Node, Program, Type};

use crate::parts::layout::{indentation, line_break, starts_line};
use crate::parts::loops::{
    Setting, declares_one_of, ends_in_comment, has_comment, is_free_standing, missing_semicolon,
};
use crate::parts::python::{is_built_in_name, is_in_class_body};
use crate::parts::sequences::{Sequence, sequence_of};
use crate::parts::statements::statements;
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for found in program.nodes().filter_map(ForEach::of).filter_map(walk) {
        sites.add(found.parts.node.range(), move |choice| found.edits(choice));
    }
}

struct Walk<'p> {
    parts: ForEach<'p>,
    /// The variable that gets the elements, with its type, as it is written.
    target: &'p str,
    sequence: Sequence,
}

fn walk(parts: ForEach<'_>) -> Option<Walk<'_>> {
    let ForEach { node: whole, collection, end_of_head, body, .. } = parts;
    let program = whole.program();
    let head = || whole.children().take_while(|child| child.id() != body.id());
    let is_good = match program.language() {
        Language::Java | Language::JavaScript => true,
        Language::Cpp => is_free_standing(whole),
        Language::Python => {
            starts_line(body)
                && !is_in_class_body(whole)
                && is_built_in_name(program, "range")
                && is_built_in_name(program, "len")
        }
        Language::C => false,
    };
    let target = program.text()[parts.variable.clone()].trim();
    let is_clear = !target.starts_with('{')
        && !target.contains('\n')
        && !head().any(|child| child.end() <= end_of_head && has_comment(child));
    let names: Vec<&str> = head()
        .filter(|child| child.end() <= parts.variable.end)
        .flat_map(|child| child.descendants())
        .filter(|node| program.scopes().reference_at(*node).is_some())
        .map(|node| node.text())
        .chain([collection.text()])
        .collect();
    let is_own = names.iter().filter(|name| **name == collection.text()).count() == 1;
    // In Python all names of a function live together, so nothing can be hidden.
    let hides = program.language() != Language::Python && declares_one_of(body, &names);
    let is_swallowed = program.language() == Language::JavaScript && ends_in_comment(body);
    if !is_good || !is_clear || !is_own || hides || is_swallowed {
        return None;
    }
    let sequence = sequence_of(collection, whole, body)?;
    Some(Walk { parts, target, sequence })
}

impl Walk<'_> {
    fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let ForEach { node: whole, body, .. } = self.parts;
        let program = whole.program();
        let (target, collection, length) = (self.target, self.parts.collection.text(), &self.sequence.length);
        let index_type = match program.language() {
            Language::Java => Type::Number(Number::Int),
            Language::Python => Type::Number(Number::BigInteger),
            Language::Cpp | Language::JavaScript | Language::C => Type::Unknown,
        };
        let index = choice.local("index", index_type)?;
        let loop_over = |kind: &str| format!("for ({kind} {index} = 0; {index} < {length}; {index}++)");
        let head = match program.language() {
            Language::Java => loop_over("int"),
            Language::Cpp => loop_over("std::size_t"),
            Language::JavaScript => loop_over("let"),
            Language::Python => format!("for {index} in range({length})"),
            Language::C => return None,
        };
        let element = match program.language() {
            Language::Python => format!("{target} = {collection}[{index}]"),
            Language::Java | Language::Cpp | Language::JavaScript | Language::C => {
                format!("{target} = {collection}[{index}];")
            }
        };
        let mut edits = vec![Edit { range: whole.start()..self.parts.end_of_head, text: head }];
        let below = |node: Node<'_>| format!("{}{}", line_break(program), indentation(program, node.start()));
        if program.language() == Language::Python {
            edits.push(Edit::insert(body.start(), format!("{element}{}", below(body))));
        } else if body.text() == ";" {
            edits.push(Edit::replace(body, format!(" {{ {element} }}")));
        } else if is_block(body) {
            edits.push(match statements(body).first() {
                Some(first) if starts_line(*first) => {
                    Edit::insert(first.start(), format!("{element}{}", below(*first)))
                }
                _ => Edit::insert(body.start() + 1, format!(" {element}")),
            });
        } else {
            let setting = Setting::of(whole);
            let has_lines = setting.has_lines && starts_line(body);
            let gap = if has_lines { below(body) } else { " ".to_owned() };
            edits[0].text.push_str(" {");
            if has_lines {
                edits.push(Edit::insert(body.start(), format!("{element}{gap}")));
            } else {
                edits[0].text.push_str(&format!(" {element}"));
            }
            let end = if has_lines { setting.gap(0) } else { " ".to_owned() };
            edits.push(Edit::insert(body.end(), format!("{}{end}}}", missing_semicolon(body))));
        }
        Some(edits)
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "foreach-to-indexed";

    #[test]
    fn a_collection_that_is_replaced_is_refused() {
        check_refused(NAME, Java, "void f(int[] a) { for (int x : a) { a = g(x); } }");
        check_refused(NAME, Java, "class A { int[] a; void f() { for (int x : a) { g(x); } } }");
        check_refused(NAME, Cpp, "void f(std::vector<int> a) { for (int x : a) { g(a); } }");
        check_refused(NAME, JavaScript, "function f(a) { for (const x of a) { g(x); } }");
        check_refused(NAME, JavaScript, "function f() { let a = [1]; for (const x of a) { a = [x]; } }");
    }

    #[test]
    fn names_of_the_body_do_not_meet_those_of_the_head() {
        check_refused(NAME, JavaScript, "function f() { const a = [1]; for (const x of a) { let x = 2; g(x); } }");
        check_refused(NAME, JavaScript, "function f() { const a = [1]; for (const x of a) { let a = 2; g(x, a); } }");
    }

    #[test]
    fn labels_stay_with_the_loop() {
        check(
            NAME,
            Java,
            "void f(int[] a) { x: for (int v : a) { while (g()) continue x; } }",
            "void f(int[] a) { x: for (int localInt1 = 0; localInt1 < a.length; localInt1++) { int v = a[localInt1]; while (g()) continue x; } }",
        );
    }

    #[test]
    fn what_is_no_list_or_is_seen_by_others_is_refused() {
        check_refused(NAME, Python, "def f(xs):\n    for x in xs:\n        print(x)\n");
        check_refused(NAME, Python, "def f():\n    xs = {1: 2}\n    for x in xs:\n        print(x)\n");
        check_refused(NAME, Python, "def f():\n    xs = [1]\n    keep(xs)\n    for x in xs:\n        grow(x)\n");
        check_refused(NAME, Python, "def f():\n    xs = [1]\n    for x in xs:\n        xs = []\n");
        check_refused(NAME, Python, "async def f():\n    xs = [1]\n    async for x in xs:\n        print(x)\n");
    }

    #[test]
    fn an_else_and_comments_stay() {
        check(
            NAME,
            Python,
            "def f():\n\ttext = 'ab'\n\tfor c in text:  # letters\n\t\tprint(c)\n\telse:\n\t\tprint('-')\n",
            "def f():\n\ttext = 'ab'\n\tfor local_int_1 in range(len(text)):  # letters\n\t\tc = text[local_int_1]\n\t\tprint(c)\n\telse:\n\t\tprint('-')\n",
        );
    }
}
