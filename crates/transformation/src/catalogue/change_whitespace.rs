//! Changes spaces, line breaks or indentation between tokens.
//!
//! class: layout
//! groups: lampion
//! from: Lampion (AddWhitespace)
//! rules: blank-line-add, blank-line-remove, operator-spaces-add, operator-spaces-remove, brace-next-line, brace-same-line, indentation
//!
//! Tokens that would merge stay apart (`a - -b`, `0xe + 1`), and nothing changes inside strings, comments, directives
//! and continued lines. `indentation` changes the indentation width of the whole program, in Python only when every
//! block is indented by the same width. Braces move only after the heads of functions, classes and control
//! statements, where a line break never ends a JavaScript statement. In C and C++ the arguments of a possible macro
//! keep their whitespace, because a macro can turn them into a string.
//!
//! ```java
//! int f(int n) {
//!     return n+1;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     return n + 1;
//! }
//! ```
//!
//! ```c
//! int f(int n) { return n<<1; }
//! ```
//! ->
//! ```c
//! int f(int n) { return n << 1; }
//! ```
//!
//! ```cpp
//! int f(int n)
//! {
//!     return n;
//! }
//! ```
//! ->
//! ```cpp
//! int f(int n) {
//!     return n;
//! }
//! ```
//!
//! ```python
//! def f(n):
//!     return n
//! ```
//! ->
//! ```python
//! def f(n):
//!
//!     return n
//! ```
//!
//! ```javascript
//! function f(n) { return n + 1; }
//! ```
//! ->
//! ```javascript
//! function f(n) { return n+1; }
//! ```
//!
//! Macro definitions are left alone, and so are operators that would merge into one token:
//!
//! ```c
//! #define VALUE (1 + 2)
//! ```
//!
//! ```java
//! int f(int n) { return n - -n; }
//! ```

use std::ops::Range;

use syntax::{Edit, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, line_start, starts_line};
use crate::parts::trivia::{
    Solid, follows_continuation, is_blank, is_in_text, is_on_directive, line_end, listed, may_be_stringified,
    may_shift_lines, next_line, sees_its_lines,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let solid = Solid::of(program);
    change_operators(program, sites);
    if !sees_its_lines(program) {
        move_braces(program, &solid, sites);
        add_blank_lines(program, sites);
        remove_blank_lines(program, &solid, sites);
    }
    change_indentation(program, &solid, sites);
}

/// A blank line before a statement that starts its line, but for the first line.
fn add_blank_lines<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in listed(program).into_iter().filter(|node| starts_line(*node)) {
        let line = line_start(program, node.start());
        if line > 0
            && !follows_continuation(program, line)
            && may_shift_lines(program, line)
            && !is_on_directive(program, line..line)
            && !may_be_stringified(node)
        {
            sites.add_rule("blank-line-add", line..line, move |_| Some(vec![Edit::insert(line, line_break(program))]));
        }
    }
}

/// A line with nothing in it goes.
fn remove_blank_lines<'p>(program: &'p Program, solid: &Solid, sites: &mut Sites<'p>) {
    let mut line = 0;
    while line < program.text().len() {
        let next = next_line(program, line);
        let is_empty = program.text()[line..next].ends_with('\n') && is_blank(program, line..line_end(program, line));
        if is_empty
            && !solid.covers(line)
            && !solid.covers(next)
            && !follows_continuation(program, line)
            && may_shift_lines(program, line)
        {
            sites.add_rule("blank-line-remove", line..next, move |_| Some(vec![Edit::delete(line..next)]));
        }
        line = next;
    }
}

/// Blanks around the operators of two operands, and around `=`.
fn change_operators<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let text = program.text();
    for node in program.nodes().filter(|node| has_operator(node.kind())) {
        for operator in node.children().filter(|child| child.kind() == Kind::Token && is_operator(child.text())) {
            let (start, end) = (operator.start(), operator.end());
            let before = start - text[..start].trim_end_matches([' ', '\t']).len();
            let behind = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
            let left = text[..start - before].chars().next_back().filter(|left| !is_break(*left));
            let right = text[end + behind..].chars().next().filter(|right| !is_break(*right));
            let (Some(left), Some(right)) = (left, right) else { continue };
            let is_fixed = || {
                is_in_text(node) || is_on_directive(program, operator.range()) || may_be_stringified(node)
                    // A comment stands beside the operator.
                    || text[end..].trim_start().starts_with(['/', '#']) || text[..start].trim_end().ends_with('/')
            };
            if before == 0 || behind == 0 {
                if is_fixed() {
                    continue;
                }
                sites.add_rule("operator-spaces-add", operator.range(), move |_| {
                    let places = [(before, start), (behind, end)].into_iter().filter(|(blanks, _)| *blanks == 0);
                    Some(places.map(|(_, place)| Edit::insert(place, " ")).collect())
                });
            } else if !is_sign(left) && !is_sign(right) && !ends_open_number(&text[..start - before]) && !is_fixed() {
                sites.add_rule("operator-spaces-remove", operator.range(), move |_| {
                    Some(vec![Edit::delete(start - before..start), Edit::delete(end..end + behind)])
                });
            }
        }
    }
}

fn has_operator(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::BinaryExpression
            | Kind::BinaryOperator
            | Kind::ComparisonOperator
            | Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::Assignment
            | Kind::AugmentedAssignment
            | Kind::VariableDeclarator
            | Kind::InitDeclarator
    )
}

fn is_operator(token: &str) -> bool {
    token.bytes().all(|byte| b"+-*/%&|^<>=!@".contains(&byte))
}

fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\\')
}

/// Could the character and an operator beside it become one token?
fn is_sign(character: char) -> bool {
    "+-*/%&|^<>=!~?:@#.".contains(character)
}

/// Does the text end in a number that a sign would continue? To C `0xe+1` is one number, and a badly formed one.
fn ends_open_number(text: &str) -> bool {
    let number = text.len() - text.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_').len();
    let number = &text[text.len() - number..];
    number.starts_with(|letter: char| letter.is_ascii_digit()) && number.ends_with(['e', 'E', 'p', 'P'])
}

/// The opening brace of a body goes to the next line or comes back.
fn move_braces<'p>(program: &'p Program, solid: &Solid, sites: &mut Sites<'p>) {
    let text = program.text();
    for body in program.nodes().filter(|node| is_body(*node)) {
        let start = body.start();
        let head = text[..start].trim_end().len();
        let between = &text[head..start];
        let is_fixed = || {
            head == 0
                || solid.holds(head - 1)
                || is_in_text(body)
                || is_on_directive(program, head..start)
                || may_be_stringified(body)
        };
        // Only a brace that ends its line is moved: what follows it would look odd on the next.
        if !text[start..].starts_with('{') || !is_blank(program, start + 1..line_end(program, start + 1)) || is_fixed()
        {
            continue;
        }
        if !between.contains('\n') {
            sites.add_rule("brace-next-line", head..start, move |_| {
                let margin = indentation(program, start);
                Some(vec![Edit { range: head..start, text: format!("{}{margin}", line_break(program)) }])
            });
        } else if between.matches('\n').count() == 1 {
            sites.add_rule("brace-same-line", head..start, move |_| {
                Some(vec![Edit { range: head..start, text: " ".to_owned() }])
            });
        }
    }
}

/// Is the node a block that belongs to a head: a function's, a class's or a control statement's?
fn is_body(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match node.kind() {
        Kind::ClassBody => matches!(parent.kind(), Kind::ClassDeclaration),
        Kind::Block | Kind::CompoundStatement | Kind::StatementBlock | Kind::ConstructorBody => matches!(
            parent.kind(),
            Kind::MethodDeclaration
                | Kind::ConstructorDeclaration
                | Kind::FunctionDefinition
                | Kind::FunctionDeclaration
                | Kind::IfStatement
                | Kind::ElseClause
                | Kind::ForStatement
                | Kind::EnhancedForStatement
                | Kind::ForRangeLoop
                | Kind::ForInStatement
                | Kind::WhileStatement
                | Kind::DoStatement
                | Kind::TryStatement
                | Kind::CatchClause
                | Kind::FinallyClause
        ),
        _ => false,
    }
}

/// The whole program gets another width of indentation.
fn change_indentation<'p>(program: &'p Program, solid: &Solid, sites: &mut Sites<'p>) {
    let Some((lines, width)) = indented_lines(program, solid) else { return };
    sites.add_rule("indentation", 0..program.text().len(), move |choice| {
        let units: Vec<&str> = ["  ", "   ", "    ", "\t"]
            .into_iter()
            .filter(|unit| *unit != lines_unit(program, &lines, width))
            .collect();
        let unit = *choice.pick(&units);
        let indent = |line: &Range<usize>| {
            let blanks = line.len();
            let text = unit.repeat(blanks / width) + &" ".repeat(blanks % width);
            Edit { range: line.clone(), text }
        };
        Some(lines.iter().map(indent).collect())
    });
}

/// The unit in which the lines are indented now.
fn lines_unit<'p>(program: &'p Program, lines: &[Range<usize>], width: usize) -> &'p str {
    lines.iter().find(|line| line.len() >= width).map_or("", |line| &program.text()[line.start..line.start + width])
}

/// The blanks at the start of every indented line, and the width of one level. `None` when blanks and tabs are mixed,
/// or when the blocks of Python are not indented by the same width.
fn indented_lines(program: &Program, solid: &Solid) -> Option<(Vec<Range<usize>>, usize)> {
    let text = program.text();
    let mut lines = Vec::new();
    let mut line = 0;
    while line < text.len() {
        let blanks = indentation(program, line).len();
        let is_fixed = solid.covers(line)
            || follows_continuation(program, line)
            || line_end(program, line) == line + blanks
            || is_on_directive(program, line..line);
        if blanks > 0 && !is_fixed {
            lines.push(line..line + blanks);
        }
        line = next_line(program, line);
    }
    let first = text.as_bytes()[lines.first()?.start];
    if lines.iter().any(|line| text[line.clone()].bytes().any(|byte| byte != first)) {
        return None;
    }
    let statements = listed(program);
    let is_statement = |line: &&Range<usize>| statements.binary_search_by_key(&line.end, |node| node.start()).is_ok();
    let width = lines.iter().filter(is_statement).map(Range::len).min()?;
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => (),
        Language::Python => {
            // Every line that can begin a block counts, also `else:` and its like: all but those inside brackets,
            // which may be indented in any way but are too few to be told apart.
            if lines.iter().any(|line| line.len() % width != 0 && !is_inside_brackets(program, line.end)) {
                return None;
            }
            // The backslash joins a line to the one before, so that its blanks mean nothing; blocks that hang on such
            // lines are rare and refused.
            if text.contains("\\\n") || text.contains("\\\r\n") || text.contains('\u{c}') {
                return None;
            }
        }
    }
    Some((lines, width))
}

/// Is the line that starts at `position` within brackets, where Python does not look at indentation?
fn is_inside_brackets(program: &Program, position: usize) -> bool {
    let node = program.node_at(position - 1..position + 1);
    let closes = |node: Node<'_>| node.text().ends_with([')', ']', '}']) && node.start() < position;
    std::iter::once(node).chain(node.ancestors()).any(|node| {
        matches!(
            node.kind(),
            Kind::ArgumentList
                | Kind::Parameters
                | Kind::List
                | Kind::Tuple
                | Kind::Dictionary
                | Kind::Set
                | Kind::ParenthesizedExpression
                | Kind::ListComprehension
                | Kind::DictionaryComprehension
                | Kind::SetComprehension
                | Kind::GeneratorExpression
        ) && closes(node)
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::all_results;

    #[track_caller]
    fn check_all(language: syntax::Language, before: &str, results: &[&str]) {
        assert_eq!(all_results("change-whitespace", language, before), results);
    }

    #[test]
    fn tokens_do_not_grow_together() {
        check_all(C, "int a = 0xe + 1;", &["int a=0xe + 1;"]);
        check_all(C, "int f(int *p) { return 4 / *p; }", &[]);
        check_all(Java, "int f(int a) { return a - -a; }", &[]);
        check_all(JavaScript, "f(a < !--b);", &[]);
        check_all(Python, "x if a is b else c\n", &[]);
    }

    #[test]
    fn text_keeps_its_blanks() {
        check_all(JavaScript, "f(`a\n\n  ${b + c}`);", &[]);
        check_all(Python, "f(f'{a + b=}')\n", &[]);
        check_all(C, "#define A \\\n\n/* a\n\n b */\n", &[]);
    }

    #[test]
    fn what_a_macro_may_show_is_left_alone() {
        for result in all_results("change-whitespace", C, "void f(int a) { SHOW(a + 1); puts(a + 1); }") {
            assert!(result.contains("SHOW(a + 1)"), "{result}");
        }
        assert!(all_results("change-whitespace", C, "#if A + 1 > 2\n#endif\n").is_empty());
    }

    #[test]
    fn braces_move_behind_their_heads() {
        check_all(
            JavaScript,
            "if (a) {\n}\nreturn_({\n});\n",
            &["if (a)\n{\n}\nreturn_({\n});\n", "if (a) {\n}\n\nreturn_({\n});\n"],
        );
        check_all(Cpp, "int f() // a\n{\n}\n", &[]);
        check_all(Cpp, "int f()\r\n{\r\n}\r\n", &["int f() {\r\n}\r\n"]);
    }

    #[test]
    fn uneven_indentation_of_python_is_kept() {
        let is_indented = |text: &str| {
            let before: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            all_results("change-whitespace", Python, text)
                .iter()
                .any(|result| result.lines().filter(|line| !line.is_empty()).ne(before.iter().copied()))
        };
        assert!(is_indented("if a:\n  if b:\n    c()\n"));
        assert!(is_indented("if a:\n  f(b,\n   c)\n"));
        assert!(is_indented("if a:\n\tb()\n"));
        assert!(!is_indented("if a:\n  if b:\n     c()\n"));
        assert!(!is_indented("if a:\n  if b:\n\tc()\n"));
    }

    #[test]
    fn the_encoding_stays_where_it_is_looked_for() {
        check_all(Python, "\n\n# coding: latin-1\n", &[]);
    }
}
