//! Turns a counting `for` loop into a `while` loop.
//!
//! class: structure
//! groups: coda, guided-mutation, carrot
//! from: CODA (R1), guided mutation, CARROT
//! inverse: while-to-for
//!
//! The update runs at the end of the body and before every `continue` of this loop, and a block ends the scope of the
//! variables that the loop declares. In Python a separate counter runs ahead of the loop variable, so that an empty
//! range never binds the variable and the body may change it; the top level of a module that is not a script, or
//! that lists its names, gets no such counter.
//!
//! ```java
//! int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) continue; s += i; } return s; }
//! ```
//! ->
//! ```java
//! int f(int n) { int s = 0; { int i = 0; while (i < n) { if (i == 3) { i++; continue; } s += i; i++; } } return s; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     int i, s = 0;
//!     for (i = 0; i < n; i++)
//!         s += i;
//!     return s;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     int i, s = 0;
//!     i = 0;
//!     while (i < n) {
//!         s += i;
//!         i++;
//!     }
//!     return s;
//! }
//! ```
//!
//! ```cpp
//! int f(int n) {
//!     int s = 0;
//!     for (int i = 0, j = n; i < j; ++i, --j) {
//!         s += j;
//!     }
//!     return s;
//! }
//! ```
//! ->
//! ```cpp
//! int f(int n) {
//!     int s = 0;
//!     {
//!         int i = 0, j = n;
//!         while (i < j) {
//!             s += j;
//!             ++i, --j;
//!         }
//!     }
//!     return s;
//! }
//! ```
//!
//! ```python
//! def f(items):
//!     for i in range(len(items)):
//!         print(i, items[i])
//! ```
//! ->
//! ```python
//! def f(items):
//!     local_int_1 = 0
//!     local_int_2 = len(items)
//!     while local_int_1 < local_int_2:
//!         i = local_int_1
//!         local_int_1 += 1
//!         print(i, items[i])
//! ```
//!
//! ```javascript
//! for (;;) { if (done()) break; }
//! ```
//! ->
//! ```javascript
//! while (true) { if (done()) break; }
//! ```
//!
//! Every iteration of a JavaScript loop has its own `i`, which closures capture:
//!
//! ```javascript
//! function f(n, later) { for (let i = 0; i < n; i++) { later.push(() => i); } }
//! ```
//!
//! A `finally` runs before the update, and the update cannot be placed after it:
//!
//! ```java
//! void f(int n) { for (int i = 0; i < n; i++) { try { if (g(i)) continue; h(); } finally { k(); } } }
//! ```

use syntax::flow::{accesses, can_complete_normally};
use syntax::types::Number;
use syntax::views::{For, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program, Type};

use crate::parts::layout::{indentation, line_break, one_level, starts_line};
use crate::parts::loops::{
    Setting, continues_of, declares_name_of, declares_something, end_of_code, ends_in_comment, has_comment,
    is_free_standing, missing_semicolon, must_stay_one,
};
use crate::parts::python::{is_built_in, is_in_class_body, shows_new_names};
use crate::parts::statements::{function_around, is_statement_list, statements};
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_shown = shows_new_names(program);
    for node in program.nodes_of_kind(Kind::ForStatement) {
        match program.language() {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                if let Some(found) = counted(node) {
                    sites.add(node.range(), move |_| Some(found.edits()));
                }
            }
            Language::Python => {
                if let Some(found) = ranged(node).filter(|_| !is_shown(node)) {
                    sites.add(node.range(), move |choice| found.edits(choice));
                }
            }
        }
    }
}

/// `for (start; condition; updates) body`, and the jumps that start it again.
struct Counted<'p> {
    parts: For<'p>,
    continues: Vec<Node<'p>>,
}

fn counted(whole: Node<'_>) -> Option<Counted<'_>> {
    let parts = For::of(whole)?;
    let mut head = whole.children().filter(|child| child.id() != parts.body.id());
    if !is_free_standing(whole) || ends_in_comment(parts.body) || head.any(has_comment) {
        return None;
    }
    let continues = continues_of(whole, parts.body)?;
    let found = Counted { parts, continues };
    found.is_safe().then_some(found)
}

impl<'p> Counted<'p> {
    fn is_safe(&self) -> bool {
        let For { node: whole, body, .. } = self.parts;
        // What the condition declares would be seen by the update and, in Java, after the loop.
        if self.parts.condition.is_some_and(declares_something) {
            return false;
        }
        // The update moves into the body, where names may mean something else.
        if self.parts.updates.iter().any(|update| declares_name_of(body, *update)) {
            return false;
        }
        if self.continues.iter().any(|jump| ends_in_comment(*jump)) {
            return false;
        }
        let leaves_try = |jump: &Node<'p>| {
            jump.ancestors().take_while(|around| around.id() != whole.id()).any(|around| {
                matches!(
                    around.kind(),
                    Kind::TryStatement
                        | Kind::TryWithResourcesStatement
                        | Kind::SynchronizedStatement
                        | Kind::SehTryStatement
                )
            })
        };
        if !self.parts.updates.is_empty() && self.continues.iter().any(leaves_try) {
            return false;
        }
        match whole.program().language() {
            Language::Java | Language::C => true,
            Language::Cpp => {
                self.parts.starts.iter().all(|start| start.kind() != Kind::AliasDeclaration)
                    && (!has_objects(body) || self.parts.updates.iter().all(|update| is_about_plain_locals(*update)))
            }
            Language::JavaScript => {
                self.parts.starts.iter().all(|start| is_declaration(*start) || can_start_statement(*start))
                    && self.parts.updates.iter().all(|update| can_start_statement(*update))
                    && !is_captured(whole, &self.parts.starts)
            }
            Language::Python => false,
        }
    }

    fn edits(&self) -> Vec<Edit> {
        let For { node: whole, body, .. } = self.parts;
        let program = whole.program();
        let setting = Setting::of(whole);
        let has_declaration = self.parts.starts.iter().any(|start| is_declaration(*start));
        // JavaScript could take an expression at the start of a line for the rest of the line before.
        let needs_block = !self.parts.starts.is_empty()
            && (has_declaration || must_stay_one(whole) || program.language() == Language::JavaScript);
        let starts: Vec<String> = self
            .parts
            .starts
            .iter()
            .map(
                |start| {
                    if start.text().ends_with(';') { start.text().to_owned() } else { format!("{};", start.text()) }
                },
            )
            .collect();
        let update =
            self.parts.updates.iter().map(|update| format!("{};", update.text())).collect::<Vec<_>>().join(" ");
        let runs_update_at_end = !update.is_empty() && can_complete_normally(body);
        let needs_braces = runs_update_at_end && !is_block(body) && body.text() != ";";

        let depth = usize::from(needs_block);
        let mut head = String::new();
        if needs_block {
            head.push_str(&format!("{{{}", setting.gap(1)));
        }
        for start in starts {
            head.push_str(&start);
            head.push_str(&setting.gap(depth));
        }
        let always = if program.language() == Language::C { "1" } else { "true" };
        head.push_str(&format!("while ({})", self.parts.condition.map_or(always, |condition| condition.text())));
        if needs_braces {
            head.push_str(" {");
        }
        let mut edits = vec![Edit { range: whole.start()..self.parts.bracket.end(), text: head }];
        if needs_block {
            edits.extend(setting.deeper(self.parts.bracket.end()..whole.end()));
        }
        if !update.is_empty() {
            edits.extend(self.continues.iter().map(|jump| match jump.parent().is_some_and(is_statement_list) {
                true => Edit::insert(jump.start(), format!("{update} ")),
                false => Edit::replace(*jump, format!("{{ {update} {} }}", jump.text())),
            }));
        }
        let mut tail = String::new();
        let more = if needs_block && setting.has_lines { one_level(program) } else { "" };
        if runs_update_at_end && body.text() == ";" {
            edits.push(Edit::replace(body, format!(" {{ {update} }}")));
        } else if needs_braces {
            tail.push_str(missing_semicolon(body));
            match setting.has_lines && starts_line(body) {
                true => tail.push_str(&format!(
                    "{}{more}{}{update}{}}}",
                    line_break(program),
                    indentation(program, body.start()),
                    setting.gap(depth)
                )),
                false => tail.push_str(&format!(" {update} }}")),
            }
        } else if runs_update_at_end {
            edits.extend(at_end_of_block(body, &update, more));
        }
        if needs_block {
            tail.push_str(&format!("{}}}", setting.gap(0)));
        }
        if !tail.is_empty() {
            edits.push(Edit::insert(whole.end(), tail));
        }
        edits
    }
}

/// Puts statements before the closing brace; `more` is the indentation that its line gets besides.
fn at_end_of_block(block: Node<'_>, text: &str, more: &str) -> Vec<Edit> {
    let program = block.program();
    let mut edits = Vec::new();
    if let Some(last) = statements(block).last() {
        let semicolon = missing_semicolon(*last);
        if !semicolon.is_empty() {
            edits.push(Edit::insert(end_of_code(*last), semicolon));
        }
    }
    let Some(brace) = block.children().filter(|child| child.is_token("}")).last() else { return edits };
    let margin = indentation(program, brace.start());
    let text = match starts_line(brace) {
        true => format!("{}{text}{}{more}{margin}", one_level(program), line_break(program)),
        false if program.text()[..brace.start()].ends_with([' ', '\t']) => format!("{text} "),
        false => format!(" {text} "),
    };
    edits.push(Edit::insert(brace.start(), text));
    edits
}

fn is_declaration(start: Node<'_>) -> bool {
    matches!(
        start.kind(),
        Kind::LocalVariableDeclaration | Kind::Declaration | Kind::LexicalDeclaration | Kind::VariableDeclaration
    )
}

/// Would JavaScript read the expression as an expression at the start of a statement?
fn can_start_statement(expression: Node<'_>) -> bool {
    let text = expression.text();
    !["{", "function", "class", "let", "async"].iter().any(|start| text.starts_with(start))
}

/// Does a function inside the loop use a variable that the loop declares anew for every round?
fn is_captured(whole: Node<'_>, starts: &[Node<'_>]) -> bool {
    let program = whole.program();
    let scopes = program.scopes();
    let home = function_around(whole).map(Node::id);
    let declared = starts
        .iter()
        .filter(|start| start.kind() == Kind::LexicalDeclaration)
        .flat_map(|start| start.descendants())
        .filter(|node| scopes.reference_at(*node).is_some_and(|reference| reference.declares))
        .filter_map(|node| scopes.symbol_at(node));
    let mut captured = declared.flat_map(|symbol| scopes.references_of(symbol)).filter(|reference| {
        let node = program.node(reference.node);
        // Default values and the fields of a class run elsewhere, too.
        function_around(node).map(Node::id) != home
            || node
                .ancestors()
                .take_while(|around| around.id() != whole.id())
                .any(|around| matches!(around.kind(), Kind::ClassBody | Kind::FormalParameters | Kind::ArrowFunction))
    });
    captured.next().is_some() || program.reaches_names_by_text()
}

/// Could something in there have a destructor, which runs before the update?
fn has_objects(body: Node<'_>) -> bool {
    let program = body.program();
    body.descendants().filter(|node| node.kind() == Kind::Declaration).any(|declaration| {
        declaration
            .descendants()
            .filter(|node| program.scopes().reference_at(*node).is_some_and(|reference| reference.declares))
            .any(|name| !matches!(program.type_of(name), Type::Number(_) | Type::Boolean | Type::Pointer(_)))
    })
}

/// Does the update only change variables that nobody else can reach, so that destructors cannot tell when it runs?
fn is_about_plain_locals(update: Node<'_>) -> bool {
    let found = accesses(update);
    !found.touches_memory && !found.has_unresolved
}

/// `for target in range(start, stop, step): body` with whole numbers for all three.
struct Ranged<'p> {
    whole: Node<'p>,
    target: Node<'p>,
    arguments: Vec<Node<'p>>,
    is_rising: bool,
    colon: Node<'p>,
    body: Node<'p>,
}

fn ranged(whole: Node<'_>) -> Option<Ranged<'_>> {
    let program = whole.program();
    let (target, values, body) = (whole.child(Field::Left)?, whole.child(Field::Right)?, whole.child(Field::Body)?);
    let colon = whole.children().find(|child| child.is_token(":"))?;
    let head = whole.children().take_while(|child| child.id() != body.id());
    let has_comment_in_head = head.filter(|child| child.end() <= colon.start()).any(has_comment);
    if target.kind() != Kind::Identifier
        || values.kind() != Kind::Call
        || whole.has_token("async")
        || has_comment_in_head
        || !starts_line(whole)
        || !starts_line(body)
        || is_in_class_body(whole)
    {
        return None;
    }
    let function = values.child(Field::Function)?;
    if !is_built_in(function, "range") && !is_built_in(function, "xrange") {
        return None;
    }
    // Where nothing else tells, this call is what makes the program one of Python 2, in which comprehensions have no scope.
    let marks = |word: &str| program.text().matches(word).count();
    if function.text() == "xrange" && marks("xrange") + marks("raw_input") == 1 {
        return None;
    }
    let list = values.child(Field::Arguments).filter(|list| list.kind() == Kind::ArgumentList)?;
    let arguments: Vec<Node<'_>> = list.named_children().collect();
    if !(1..=3).contains(&arguments.len()) || !arguments.iter().all(|argument| is_integer(program, *argument)) {
        return None;
    }
    let is_rising = match arguments.get(2) {
        None => true,
        Some(step) => match syntax::flow::constant_value(*step)? {
            syntax::flow::Constant::Integer(step) if step != 0 => step > 0,
            _ => return None,
        },
    };
    Some(Ranged { whole, target, arguments, is_rising, colon, body })
}

fn is_integer(program: &Program, argument: Node<'_>) -> bool {
    // An argument on several lines needs the brackets around it.
    program.type_of(argument) == Type::Number(Number::BigInteger) && !argument.text().contains('\n')
}

impl Ranged<'_> {
    fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let Ranged { whole, target, body, .. } = *self;
        let program = whole.program();
        let integer = || Type::Number(Number::BigInteger);
        let counter = choice.local("counter", integer())?;
        let (start, stop) = match self.arguments[..] {
            [stop] => ("0", stop),
            [start, stop, ..] => (start.text(), stop),
            [] => return None,
        };
        let step = self.arguments.get(2).map_or("1", |step| step.text());
        let separator = format!("{}{}", line_break(program), indentation(program, whole.start()));
        let mut before = format!("{counter} = {start}{separator}");
        let limit = match stop.kind() {
            Kind::Integer => stop.text().to_owned(),
            _ => {
                let limit = choice.local("limit", integer())?;
                before.push_str(&format!("{limit} = {}{separator}", stop.text()));
                limit
            }
        };
        let comparison = if self.is_rising { "<" } else { ">" };
        before.push_str(&format!("while {counter} {comparison} {limit}:"));
        let inner = format!("{}{}", line_break(program), indentation(program, body.start()));
        let first = format!("{} = {counter}{inner}{counter} += {step}{inner}", target.text());
        Some(vec![Edit { range: whole.start()..self.colon.end(), text: before }, Edit::insert(body.start(), first)])
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "for-to-while";

    #[test]
    fn an_update_that_is_never_reached_is_left_out() {
        check(
            NAME,
            Java,
            "int f(int n) { for (int i = 0; i < n; i++) { return i; } return 0; }",
            "int f(int n) { { int i = 0; while (i < n) { return i; } } return 0; }",
        );
        check(
            NAME,
            Java,
            "int f(int n) { for (int i = 0; ; i++) { if (i > n) return i; continue; } }",
            "int f(int n) { { int i = 0; while (true) { if (i > n) return i; i++; continue; } } }",
        );
    }

    #[test]
    fn continue_of_inner_and_outer_loops_is_not_ours() {
        check(
            NAME,
            Java,
            "void f(int n) { a: while (g()) { for (int i = 0; i < n; i++) { while (h()) continue; continue a; } } }",
            "void f(int n) { a: while (g()) { { int i = 0; while (i < n) { while (h()) continue; continue a; } } } }",
        );
        check(
            NAME,
            C,
            "void f(int n) { int i; for (i = 0; i < n; i++) { switch (i) { case 1: continue; default: g(); } } }",
            "void f(int n) { int i; i = 0; while (i < n) { switch (i) { case 1: i++; continue; default: g(); } i++; } }",
        );
    }

    #[test]
    fn a_labelled_loop_is_refused() {
        check_refused(NAME, Java, "void f(int n) { a: for (int i = 0; i < n; i++) { if (g()) continue a; } }");
    }

    #[test]
    fn a_loop_that_can_be_entered_in_the_middle_is_refused() {
        check_refused(NAME, C, "void f(int n) { for (; n; n--) { again: g(); } }");
        check_refused(NAME, C, "void f(int n) { switch (n) { case 0: for (; n; n--) { case 1: g(); } } }");
    }

    #[test]
    fn names_of_the_body_do_not_capture_the_update() {
        check_refused(NAME, C, "void f(int n) { for (int i = 0; i < n; i++) { int i = 3; g(i); } }");
        check_refused(NAME, JavaScript, "function f(n) { for (let i = 0; i < n; i++) { let i = 3; g(i); } }");
    }

    #[test]
    fn macros_may_hide_a_continue() {
        check_refused(NAME, C, "void f(int n) { int i; for (i = 0; i < n; i++) { SKIP_IF(i); g(i); } }");
        check_refused(NAME, C, "#define skip(i) if (i) continue\nvoid f(int n) { for (; n; n--) { skip(n); g(n); } }");
        check_refused(NAME, C, "void f(int n) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) { g(i); } }");
    }

    #[test]
    fn destructors_run_before_the_update() {
        check_refused(NAME, Cpp, "void f(int n) { for (; n > 0; k = n--) { Guard guard(n); g(); } }");
    }

    #[test]
    fn the_branch_of_an_if_stays_one_statement() {
        check(
            NAME,
            C,
            "void f(int n) { int i; if (n) for (i = 0; i < n; i++) if (i) g(); else h(); }",
            "void f(int n) { int i; if (n) { i = 0; while (i < n) { if (i) g(); else h(); i++; } } }",
        );
    }

    #[test]
    fn empty_bodies_and_several_updates() {
        check(
            NAME,
            Java,
            "void f(int n) { int i, j; for (i = 0, j = n; i < j; i++, j--); g(); }",
            "void f(int n) { int i, j; i = 0; j = n; while (i < j) { i++; j--; } g(); }",
        );
    }

    #[test]
    fn semicolons_that_are_not_written() {
        check(
            NAME,
            JavaScript,
            "function f(a) {\n  for (let i = 0; i < 3; i++)\n    g(a[i])\n}\n",
            "function f(a) {\n  {\n    let i = 0;\n    while (i < 3) {\n      g(a[i]);\n      i++;\n    }\n  }\n}\n",
        );
        check(NAME, JavaScript, "for (i = 0; i < 3; i++) { x = {} }", "{ i = 0; while (i < 3) { x = {}; i++; } }");
    }

    #[test]
    fn comments_stay_at_their_lines() {
        check(
            NAME,
            C,
            "void f(int n) {\r\n\tfor (; n; n--) { // down\r\n\t\tg(n); // call\r\n\t} // end\r\n}\r\n",
            "void f(int n) {\r\n\twhile (n) { // down\r\n\t\tg(n); // call\r\n\t\tn--;\r\n\t} // end\r\n}\r\n",
        );
        check_refused(NAME, C, "void f(int n) { for (; n; n-- /* down */) { g(n); } }");
    }

    #[test]
    fn ranges_with_steps_and_else() {
        check(
            NAME,
            Python,
            "for i in range(9, 0, -2):  # down\n    if i == 3:\n        continue\n    print(i)\nelse:\n    print('end')\n",
            "local_int_1 = 9\nwhile local_int_1 > 0:  # down\n    i = local_int_1\n    local_int_1 += -2\n    if i == 3:\n        continue\n    print(i)\nelse:\n    print('end')\n",
        );
        check_refused(NAME, Python, "def f(n):\n    for i in range(n):\n        print(i)\n");
        check_refused(NAME, Python, "for i in range(3): print(i)\n");
        // gcj-python-authorship/valid, the second program: without xrange it would be read as Python 3.
        check_refused(NAME, Python, "a = [i for i in b]\nfor t in xrange(3):\n    print(t)\n");
        check_refused(NAME, Python, "class A:\n    for i in range(3):\n        print(i)\n");
        check_refused(NAME, Python, "def range(n):\n    return []\nfor i in range(3):\n    print(i)\n");
    }

    #[test]
    fn a_module_that_lists_its_names_gets_no_counter() {
        check_refused(NAME, Python, "__all__ = ['f']\nfor i in range(3):\n    f(i)\n");
        check(
            NAME,
            Python,
            "__all__ = ['g']\ndef g():\n    for i in range(3):\n        f(i)\n",
            "__all__ = ['g']\ndef g():\n    local_int_1 = 0\n    while local_int_1 < 3:\n        i = local_int_1\n        \
             local_int_1 += 1\n        f(i)\n",
        );
    }
}
