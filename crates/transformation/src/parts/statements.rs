//! Where statements stand, and where a new one can be put.

use std::ops::Range;

use syntax::flow::{self, can_complete_normally, is_reachable};
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use super::layout::{indentation, line_break, line_start, starts_line};
use super::python::shows_new_names;

/// Is this a node whose children are statements that run one after the other?
pub(crate) fn is_statement_list(node: Node<'_>) -> bool {
    match node.program().language() {
        Language::Java => {
            matches!(node.kind(), Kind::Block | Kind::ConstructorBody | Kind::SwitchBlockStatementGroup)
        }
        Language::C | Language::Cpp => match node.kind() {
            // The body of a `switch` holds cases; what stands before the first never runs. The value of GNU's
            // `({ … })` is that of its last statement.
            Kind::CompoundStatement => node
                .parent()
                .is_none_or(|parent| !matches!(parent.kind(), Kind::SwitchStatement | Kind::ParenthesizedExpression)),
            Kind::CaseStatement => true,
            _ => false,
        },
        Language::Python => match node.kind() {
            Kind::Module => true,
            Kind::Block => node
                .parent()
                .is_none_or(|parent| !matches!(parent.kind(), Kind::ClassDefinition | Kind::MatchStatement)),
            _ => false,
        },
        Language::JavaScript => {
            matches!(node.kind(), Kind::Program | Kind::StatementBlock | Kind::SwitchCase | Kind::SwitchDefault)
        }
    }
}

/// The statements of a list in order. Comments, labels and the values of cases are none.
pub(crate) fn statements(list: Node<'_>) -> Vec<Node<'_>> {
    list.named_children()
        .filter(|node| !matches!(node.kind(), Kind::SwitchLabel | Kind::HashBangLine))
        .filter(|node| node.role() != Field::Value)
        .collect()
}

/// Every list of statements that runs inside a function, and those of a program that runs from its top (Python,
/// JavaScript, fragments). Lists with preprocessor directives are left out.
pub(crate) fn statement_lists(program: &Program) -> impl Iterator<Item = Node<'_>> {
    program.nodes().filter(|node| is_statement_list(*node) && !contains_directive(*node))
}

/// Is the node a function, method, constructor or lambda of the input, rather than something within one?
pub(crate) fn is_function(node: Node<'_>) -> bool {
    // A static block of JavaScript runs like a function, but nobody calls it.
    flow::is_function(node.kind()) && node.kind() != Kind::ClassStaticBlock && node.child(Field::Body).is_some()
}

/// The innermost function whose body the node lies in.
pub(crate) fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    let has_it = |body: Node<'_>| body.contains(node);
    node.ancestors().find(|around| is_function(*around) && around.child(Field::Body).is_some_and(has_it))
}

/// The statement that the node is in or is itself: the innermost one that stands in a list.
pub(crate) fn statement_around(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::once(node)
        .chain(node.ancestors())
        .find(|node| node.parent().is_some_and(|parent| is_statement_list(parent)) && node.is_named())
}

/// A place between statements.
#[derive(Clone, Copy)]
pub(crate) struct Position<'p> {
    /// The list that the place is in.
    pub(crate) list: Node<'p>,
    /// The statement after the place; `None` at the end of the list.
    pub(crate) before: Option<Node<'p>>,
    /// The statement before the place; `None` at the start of the list.
    pub(crate) after: Option<Node<'p>>,
}

impl<'p> Position<'p> {
    /// The byte where the new statement goes.
    pub(crate) fn offset(self) -> usize {
        match (self.before, self.after) {
            (Some(before), _) => before.start(),
            (None, Some(after)) => after.end(),
            (None, None) => self.list.start() + 1,
        }
    }

    /// The bytes that stand for the place: no two places have the same. In Python a block and the one within it end at
    /// the same byte, so the statement before the place stands for it.
    pub(crate) fn range(self) -> Range<usize> {
        match (self.before, self.after, self.list.program().language()) {
            (None, Some(after), Language::Python) => after.range(),
            _ => self.offset()..self.offset(),
        }
    }

    /// Does the new statement get a line of its own?
    pub(crate) fn has_line(self) -> bool {
        self.before.or(self.after).is_some_and(starts_line)
    }

    /// Can the new statement have several lines? Not in Python, when it shares its line with others.
    pub(crate) fn allows_lines(self) -> bool {
        self.list.program().language().has_braces() || self.has_line() && !self.shares_line_with_next()
    }

    /// Is the place at the end of a list and before a `;` of Python?
    fn shares_line_with_next(self) -> bool {
        self.before.is_none()
            && self.after.is_some_and(|after| after.next_sibling().is_some_and(|next| next.is_token(";")))
    }

    /// Can the new statement start with another mark than a word? In JavaScript not after a statement without its
    /// semicolon: `;` would become its end.
    pub(crate) fn allows_mark(self) -> bool {
        self.after.is_none_or(|after| !has_hidden_extent(after))
    }

    /// Can a variable be declared here?
    ///
    /// C wants a statement after a label. C++ lets no jump pass an initialisation, so functions with labels, the
    /// groups of a `switch` and blocks that a `case` jumps into are refused.
    pub(crate) fn allows_declaration(self) -> bool {
        match self.list.program().language() {
            Language::Java | Language::Python | Language::JavaScript => true,
            Language::C => self.list.kind() != Kind::CaseStatement || self.after.is_some(),
            Language::Cpp => {
                let around = function_around(self.list).unwrap_or(self.list);
                self.list.kind() != Kind::CaseStatement
                    && !around.descendants().any(|node| {
                        matches!(node.kind(), Kind::LabeledStatement | Kind::GotoStatement)
                            || node.kind() == Kind::CaseStatement && is_entered_by_case(self.list, node)
                    })
            }
        }
    }

    /// Puts statements here. Their lines are separated by `\n` and indented as if they stood at the left margin; in
    /// Python a place that shares its line with other statements takes one simple statement.
    pub(crate) fn insert(self, text: &str) -> Edit {
        let program = self.list.program();
        let neighbour = self.before.or(self.after);
        let margin = neighbour.map_or("", |neighbour| indentation(program, neighbour.start()));
        let separator = format!("{}{margin}", line_break(program));
        let lines = text.replace('\n', &separator);
        let is_python = program.language() == Language::Python;
        match (self.before, self.after) {
            (Some(before), _) if starts_line(before) => Edit::insert(before.start(), format!("{lines}{separator}")),
            (Some(before), _) => Edit::insert(before.start(), format!("{lines}{}", if is_python { "; " } else { " " })),
            (None, Some(after)) if starts_line(after) => {
                Edit::insert(end_with_comment(after), format!("{separator}{lines}"))
            }
            (None, Some(after)) => Edit::insert(after.end(), format!("{}{lines}", if is_python { "; " } else { " " })),
            (None, None) => Edit::insert(self.list.start() + 1, format!(" {lines} ")),
        }
    }
}

/// The end of the statement, or of the comment that stands after it on its last line and ends that line.
fn end_with_comment(statement: Node<'_>) -> usize {
    let text = statement.program().text();
    let Some(comment) = statement.next_sibling().filter(|next| next.kind().is_comment()) else {
        return statement.end();
    };
    // The node of a line comment reaches up to the line feed.
    let end = comment.start() + comment.text().trim_end_matches('\r').len();
    let is_on_line = !text[statement.end()..end].contains('\n');
    let ends_line = text[end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
    if is_on_line && ends_line { end } else { statement.end() }
}

/// Does a `switch` around the list jump to this `case` within it?
fn is_entered_by_case(list: Node<'_>, case: Node<'_>) -> bool {
    let switch = case.ancestors().find(|around| around.kind() == Kind::SwitchStatement);
    list.contains(case) && switch.is_none_or(|switch| !list.contains(switch))
}

/// Every place where a statement that does nothing can be put: it is reached, the program stays legal, and what must
/// come first (docstrings, `from __future__`, `this(…)`, `"use strict"`) does.
pub(crate) fn positions(program: &Program) -> Vec<Position<'_>> {
    let mut positions = Vec::new();
    for list in statement_lists(program) {
        if is_evaluated_by_compiler(list) {
            continue;
        }
        let statements = statements(list);
        if statements.is_empty() {
            if list.text().starts_with('{') && is_reachable(list) {
                positions.push(Position { list, before: None, after: None });
            }
            continue;
        }
        // Whether a statement is reached follows from those before it. To ask anew for each of them would take time
        // that grows with the square of their number.
        let mut is_reached = is_reachable(statements[0]);
        let mut previous = None;
        for statement in statements.iter().copied() {
            is_reached = is_reached || is_reachable(statement);
            if is_reached && can_stand_before(previous, statement) {
                positions.push(Position { list, before: Some(statement), after: previous });
            }
            is_reached = is_reached && can_complete_normally(statement);
            previous = Some(statement);
        }
        if let Some(last) = previous.filter(|last| is_reached && can_stand_behind(*last)) {
            positions.push(Position { list, before: None, after: Some(last) });
        }
    }
    positions
}

/// The places where a new name does not show, see [`shows_new_names`].
pub(crate) fn positions_of_names(program: &Program) -> Vec<Position<'_>> {
    let is_shown = shows_new_names(program);
    let mut positions = positions(program);
    positions.retain(|position| !is_shown(position.list));
    positions
}

/// The places where a variable can be declared, see [`Position::allows_declaration`].
pub(crate) fn positions_of_declarations(program: &Program) -> Vec<Position<'_>> {
    let mut positions = positions_of_names(program);
    match program.language() {
        Language::Java | Language::Python | Language::JavaScript => {}
        Language::C => positions.retain(|position| position.allows_declaration()),
        // The answer is the same for all places of a list, and finding it means to look at a whole function.
        Language::Cpp => {
            let mut known = None;
            positions.retain(|position| {
                let list = position.list.id();
                let answer = known
                    .filter(|(id, _)| *id == list)
                    .map_or_else(|| position.allows_declaration(), |(_, answer)| answer);
                known = Some((list, answer));
                answer
            });
        }
    }
    positions
}

/// Is the node part of a function that the compiler may run? What such a function may contain depends on the version
/// of C++, and C++11 allows a single `return`.
pub(crate) fn is_evaluated_by_compiler(node: Node<'_>) -> bool {
    let is_word = |part: Node<'_>| part.text().contains("constexpr") || part.text().contains("consteval");
    let is_constant = |around: Node<'_>| match around.kind() {
        Kind::StaticAssertDeclaration => true,
        Kind::Declaration | Kind::FieldDeclaration => {
            around.children().any(|part| part.kind() == Kind::TypeQualifier && is_word(part))
        }
        // It is one by itself where its body allows it, and needs nothing but its name or its place to be called.
        Kind::LambdaExpression if is_without_captures(around) && !is_argument(around) => true,
        _ => is_function(around) && around.children().take_while(|child| child.role() != Field::Body).any(is_word),
    };
    match node.program().language() {
        Language::Java | Language::C | Language::Python | Language::JavaScript => false,
        Language::Cpp => node.ancestors().any(is_constant),
    }
}

/// Is the node in a `constexpr` function whose body is a single `return`? C++11 allows no other statement there.
pub(crate) fn is_in_lone_return(node: Node<'_>) -> bool {
    let is_lone = |body: Node<'_>| {
        let mut inside = statements(body).into_iter().filter(|statement| {
            let kinds =
                [Kind::StaticAssertDeclaration, Kind::AliasDeclaration, Kind::TypeDefinition, Kind::UsingDeclaration];
            !kinds.contains(&statement.kind())
        });
        inside.next().is_some_and(|first| first.kind() == Kind::ReturnStatement) && inside.next().is_none()
    };
    is_evaluated_by_compiler(node)
        && function_around(node).and_then(|function| function.child(Field::Body)).is_some_and(is_lone)
}

fn is_without_captures(lambda: Node<'_>) -> bool {
    lambda.children().next().is_some_and(|captures| captures.text().split_whitespace().eq(["[]"]))
}

/// What is handed to a function is called by it, and that function is asked about by itself.
fn is_argument(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == Kind::ArgumentList)
}

fn can_stand_before(previous: Option<Node<'_>>, statement: Node<'_>) -> bool {
    match statement.program().language() {
        Language::Java => statement.kind() != Kind::ExplicitConstructorInvocation,
        Language::C | Language::Cpp => {
            statement.kind() != Kind::CaseStatement
                && !is_head_of_macro(statement)
                && previous.is_none_or(|previous| previous.text().ends_with([';', '}']) && !is_head_of_macro(previous))
                && stands_alone(statement)
        }
        Language::Python => {
            // A docstring, which only counts as one when it comes first, and the imports that must come first.
            statement.kind() != Kind::FutureImportStatement
                && !(previous.is_none() && is_lone_string(statement))
                && !continues_line(statement)
        }
        Language::JavaScript => {
            !is_directive_prologue(statement)
                && statement.kind() != Kind::ImportStatement
                // After a statement without its semicolon a line must begin.
                && previous.is_none_or(|previous| !has_hidden_extent(previous) || starts_line(statement))
        }
    }
}

fn can_stand_behind(last: Node<'_>) -> bool {
    match last.program().language() {
        Language::Java => true,
        Language::C | Language::Cpp => last.text().ends_with([';', '}']) && !is_head_of_macro(last),
        // What follows a compound statement on its last line would belong to that statement.
        Language::Python => {
            starts_line(last)
                && !continues_line(last)
                && last.next_sibling().is_none_or(|next| !next.is_token(";"))
                && !last.text().trim_end().ends_with([';', '\\'])
        }
        // A last statement without its semicolon would run into a new one on the same line.
        Language::JavaScript => !is_directive_prologue(last) && (!has_hidden_extent(last) || starts_line(last)),
    }
}

/// Does the statement stand on a line that continues the one before, by a backslash of Python? Such a line has no
/// indentation of its own.
fn continues_line(statement: Node<'_>) -> bool {
    let program = statement.program();
    let before = &program.text()[..line_start(program, statement.start())];
    before.trim_end_matches(['\r', '\n']).ends_with('\\') && starts_line(statement)
}

/// `TRY(x) { … }` in a function: a macro that may want its neighbours, read as a function without a type.
fn is_head_of_macro(statement: Node<'_>) -> bool {
    statement.kind() == Kind::FunctionDefinition
}

/// Are there only blanks between the statement and what the tree has before it? Words that the grammar does not know
/// have no nodes; they may be macros that belong to the statement.
pub(crate) fn stands_alone(statement: Node<'_>) -> bool {
    let before = match statement.previous_sibling() {
        Some(sibling) => sibling.end(),
        None => statement.parent().map_or(0, Node::start),
    };
    statement.program().text().get(before..statement.start()).is_none_or(|gap| gap.trim().is_empty())
}

/// Does the statement end elsewhere than its node says? A JavaScript statement that relies on automatic semicolons
/// ends where the next line begins, so nothing may be put between the two that could continue it.
fn has_hidden_extent(statement: Node<'_>) -> bool {
    match statement.program().language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
        Language::JavaScript => match statement.kind() {
            Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::ClassDeclaration
            | Kind::TryStatement
            | Kind::SwitchStatement
            | Kind::StatementBlock
            | Kind::EmptyStatement => false,
            // These end as the statement in them does.
            Kind::IfStatement
            | Kind::ElseClause
            | Kind::ForStatement
            | Kind::ForInStatement
            | Kind::WhileStatement
            | Kind::LabeledStatement
            | Kind::WithStatement
            | Kind::ExportStatement => {
                !has_mark(statement) && statement.named_children().last().is_none_or(has_hidden_extent)
            }
            _ => !has_mark(statement),
        },
    }
}

/// Does the statement end with its semicolon? A statement without one may reach over the comment after it.
fn has_mark(statement: Node<'_>) -> bool {
    statement.children().last().is_some_and(|last| last.is_token(";"))
}

/// The end of the statement without the comments that a JavaScript statement without its semicolon reaches over.
pub(crate) fn end_of_code(statement: Node<'_>) -> usize {
    let mut node = statement;
    while let Some(last) = node.children().filter(|child| !child.kind().is_comment()).last() {
        node = last;
    }
    node.end()
}

/// Is this a statement that is nothing but a string?
pub(crate) fn is_lone_string(statement: Node<'_>) -> bool {
    statement.kind() == Kind::ExpressionStatement
        && statement
            .named_children()
            .next()
            .is_some_and(|node| matches!(node.kind(), Kind::String | Kind::ConcatenatedString))
}

fn is_directive_prologue(statement: Node<'_>) -> bool {
    is_lone_string(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks every place with `@`.
    fn marked(language: Language, text: &str) -> String {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        let mut marked = text.to_owned();
        let mut offsets: Vec<usize> = positions(&program).into_iter().map(Position::offset).collect();
        offsets.sort_unstable();
        for offset in offsets.into_iter().rev() {
            marked.insert(offset, '@');
        }
        marked
    }

    #[track_caller]
    fn check(language: Language, expected: &str) {
        assert_eq!(marked(language, &expected.replace('@', "")), expected);
    }

    #[test]
    fn java_has_no_places_that_are_not_reached() {
        check(Language::Java, "void f() { @g(); @return; }");
        check(Language::Java, "void f() { @while (true) { @g();@ } }");
        check(Language::Java, "class A { A() { this(1);@ } A(int n) {@ } }");
        check(Language::Java, "void f(int n) { @switch (n) { case 1: @g(); @break; default: @h();@ }@ }");
    }

    #[test]
    fn c_has_no_places_before_cases_and_in_values() {
        check(Language::C, "void f(int n) { @switch (n) { case 1: @g(); @break; default: @h();@ }@ }");
        check(Language::C, "int f(void) { @int n = ({ 1; 2; }); @return n; }");
        check(Language::Cpp, "constexpr int f(int n) { return n; }");
    }

    #[test]
    fn declarations_stand_where_no_jump_passes_them() {
        let places = |language, text: &str| {
            let program = Program::parse(language, text);
            positions(&program).into_iter().filter(|place| place.allows_declaration()).count()
        };
        let text = "int f(int n) { if (n) goto out; n++; out: return n; }";
        assert_eq!(places(Language::C, text), 3);
        assert_eq!(places(Language::Cpp, text), 0);
        assert_eq!(places(Language::C, "void f(int n) { switch (n) { case 1: g(); h(); } }"), 4);
        assert_eq!(places(Language::Cpp, "void f(int n) { switch (n) { case 1: g(); h(); } }"), 2);
        assert_eq!(
            places(Language::Cpp, "void f(int n) { switch (n) { case 0: do { g(); case 1: h(); } while (--n); } }"),
            2
        );
    }

    #[test]
    fn what_comes_first_in_python_stays_first() {
        check(Language::Python, "'doc'\nfrom __future__ import division\n@import a\n@a.b()@\n");
        check(Language::Python, "@def f():\n    'doc'\n    @return 1\n@a()@\n");
        check(Language::Python, "@if a: @b; @c\n@d()@\n");
        check(Language::Python, "@class A:\n    x = 1\n@a()@\n");
        check(Language::Python, "@if a: \\\n  b()\n@c()@\n");
    }

    #[test]
    fn javascript_without_semicolons() {
        check(Language::JavaScript, "@a()\n@b()@\n");
        check(Language::JavaScript, "'use strict'\n@b()@\n");
        check(Language::JavaScript, "@function f() { @a() }@\n");
        check(Language::JavaScript, "@if (a) { @if (b) c = {} }@\n");
        check(Language::JavaScript, "@if (a) { @b() // c;\n }@\n");
    }

    #[test]
    fn new_lines_end_as_the_others_do() {
        let program = Program::parse(Language::C, "void f(void) {\r\n  g(); // why\r\n}\r\n");
        let last = positions(&program).pop().unwrap();
        let edited = program.edited(&[last.insert("h();")]).unwrap();
        assert_eq!(edited.text(), "void f(void) {\r\n  g(); // why\r\n  h();\r\n}\r\n");
    }
}
