//! Loops and the statements that jump in them.

use std::ops::Range;

use syntax::flow::{Leave, leaving_jumps};
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program, Target};

use super::branches::has_entries;
use super::layout::{indentation, indented, line_break, one_level, starts_line};
use super::statements::is_statement_list;

/// Can the loop be rewritten as a whole, by what stands around it and inside it?
///
/// A label names the statement after it, so a labelled loop stays as it is. Labels and cases inside a loop of C or C++
/// let control enter in the middle. A pragma is about the statement that follows it.
pub(crate) fn is_free_standing(statement: Node<'_>) -> bool {
    let has_good_parent = statement.parent().is_some_and(|parent| {
        is_statement_list(parent)
            || matches!(
                parent.kind(),
                Kind::IfStatement
                    | Kind::ElseClause
                    | Kind::ForStatement
                    | Kind::WhileStatement
                    | Kind::DoStatement
                    | Kind::EnhancedForStatement
                    | Kind::ForInStatement
                    | Kind::ForRangeLoop
            )
            || parent.kind() == Kind::Program && statement.program().language() == Language::Java
    });
    let can_be_entered =
        has_entries(statement) || statement.descendants().any(|inner| inner.kind() == Kind::GnuAsmGotoList);
    let follows_directive = statement.previous_sibling().is_some_and(|before| before.kind().is_directive());
    has_good_parent && !can_be_entered && !follows_directive && !contains_directive(statement)
}

/// Is the statement the branch or body of another without braces of its own, so that it must stay one statement?
pub(crate) fn must_stay_one(statement: Node<'_>) -> bool {
    statement.parent().is_none_or(|parent| !is_statement_list(parent))
}

/// The `continue` statements that start this loop again; `None` when there may be others that nobody sees: a macro may
/// hide one, and one with a label may mean this loop.
pub(crate) fn continues_of<'p>(whole: Node<'p>, body: Node<'p>) -> Option<Vec<Node<'p>>> {
    if may_hide_jumps(body) || whole.parent().is_some_and(|parent| parent.kind() == Kind::LabeledStatement) {
        return None;
    }
    let jumps = leaving_jumps(body).into_iter().filter(|jump| jump.how == Leave::Continue);
    // The loop has no label, so a `continue` with one means another loop.
    Some(jumps.map(|jump| jump.node).filter(|node| !has_label(*node)).collect())
}

/// Does the body leave the loop by `break`, or may it?
pub(crate) fn may_break(body: Node<'_>) -> bool {
    may_hide_jumps(body) || leaving_jumps(body).iter().any(|jump| jump.how == Leave::Break && !has_label(jump.node))
}

fn has_label(jump: Node<'_>) -> bool {
    jump.named_children().next().is_some()
}

/// Could a macro of C or C++ hide a `break` or `continue` in there? Names without small letters that nobody declares are
/// taken for macros where they stand as a statement; a macro of the input is looked at.
fn may_hide_jumps(body: Node<'_>) -> bool {
    let program = body.program();
    let is_unknown_macro = |statement: Node<'_>| {
        let Some(expression) = statement.named_children().next() else { return false };
        let name = match expression.kind() {
            Kind::CallExpression => expression.child(Field::Function),
            Kind::Identifier => Some(expression),
            _ => None,
        };
        name.is_some_and(|name| {
            name.kind() == Kind::Identifier
                && !matches!(program.scopes().target(name), Some(Target::Symbol(_)))
                && !name.text().contains(|letter: char| letter.is_lowercase())
        })
    };
    program.language().has_preprocessor()
        && (program.is_named_in_directive("continue")
            || program.is_named_in_directive("break")
            || body.descendants().filter(|node| node.kind() == Kind::ExpressionStatement).any(is_unknown_macro))
}

/// Does the node declare anything that code around it could see or miss?
pub(crate) fn declares_something(node: Node<'_>) -> bool {
    let program = node.program();
    node.descendants().any(|inner| program.scopes().reference_at(inner).is_some_and(|reference| reference.declares))
}

/// Does anything inside `place` declare one of the names that occur in `user`?
pub(crate) fn declares_name_of(place: Node<'_>, user: Node<'_>) -> bool {
    let program = place.program();
    let names: Vec<&str> = user
        .descendants()
        .filter(|inner| program.scopes().reference_at(*inner).is_some())
        .map(|inner| inner.text())
        .collect();
    declares_one_of(place, &names)
}

/// Does anything inside `place` declare one of the names?
pub(crate) fn declares_one_of(place: Node<'_>, names: &[&str]) -> bool {
    let program = place.program();
    place.descendants().any(|inner| {
        program.scopes().reference_at(inner).is_some_and(|reference| reference.declares)
            && names.contains(&inner.text())
    })
}

/// Is there a comment inside the range? Text with comments is not copied: a line comment would swallow what follows.
pub(crate) fn has_comment(node: Node<'_>) -> bool {
    node.descendants().any(|inner| inner.kind().is_comment())
}

/// Does a comment belong to the statement and end it? A JavaScript statement without a semicolon takes the comment
/// after it along, and whatever is put at its end would be part of that comment.
pub(crate) fn ends_in_comment(statement: Node<'_>) -> bool {
    statement.descendants().last().is_some_and(|last| last.kind().is_comment())
}

/// The end of the statement without the comments that end it.
pub(crate) fn end_of_code(statement: Node<'_>) -> usize {
    let is_leaf = |node: &Node<'_>| node.children().next().is_none();
    let in_comment = |node: &Node<'_>| {
        node.kind().is_comment()
            || node
                .ancestors()
                .take_while(|around| around.id() != statement.id())
                .any(|around| around.kind().is_comment())
    };
    let leaves = statement.descendants().filter(|node| is_leaf(node) && !in_comment(node));
    leaves.map(Node::end).max().unwrap_or(statement.end())
}

/// A semicolon for a JavaScript statement that is written without one and gets a neighbour on its line; nothing for all
/// others.
pub(crate) fn missing_semicolon(statement: Node<'_>) -> &'static str {
    match statement.program().language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => "",
        Language::JavaScript => {
            if statement.program().text()[..end_of_code(statement)].ends_with(';') {
                return "";
            }
            // A statement ends where its last part does: in `if (a) x = {}` that is an assignment.
            let is_open = statement.descendants().filter(|inner| inner.end() == statement.end()).any(|inner| {
                matches!(
                    inner.kind(),
                    Kind::ExpressionStatement
                        | Kind::LexicalDeclaration
                        | Kind::VariableDeclaration
                        | Kind::ReturnStatement
                        | Kind::ThrowStatement
                        | Kind::BreakStatement
                        | Kind::ContinueStatement
                        | Kind::DoStatement
                        | Kind::DebuggerStatement
                )
            });
            if is_open { ";" } else { "" }
        }
    }
}

/// How the lines of a rewritten loop are set: the margin of its first line, and one more level.
pub(crate) struct Setting<'p> {
    program: &'p Program,
    margin: &'p str,
    /// Has the statement lines of its own, so that what is new gets lines, too?
    pub(crate) has_lines: bool,
}

impl<'p> Setting<'p> {
    pub(crate) fn of(statement: Node<'p>) -> Setting<'p> {
        let program = statement.program();
        Setting {
            program,
            margin: indentation(program, statement.start()),
            has_lines: starts_line(statement) && statement.text().contains('\n'),
        }
    }

    /// What separates two statements: a line break and `depth` levels of indentation, or a blank.
    pub(crate) fn gap(&self, depth: usize) -> String {
        match self.has_lines {
            true => format!("{}{}{}", line_break(self.program), self.margin, one_level(self.program).repeat(depth)),
            false => " ".to_owned(),
        }
    }

    /// Moves the lines that start within the range one level to the right.
    pub(crate) fn deeper(&self, range: Range<usize>) -> Vec<Edit> {
        match self.has_lines {
            true => indented(self.program, range, one_level(self.program)),
            false => Vec::new(),
        }
    }
}
