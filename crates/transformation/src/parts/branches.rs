//! The parts of an `if`, and how its lines move when a level of nesting comes or goes.

use std::ops::Range;

use syntax::views::is_block;
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Type};

use super::layout::{indentation, is_inside_string, line_break, one_level};
use super::statements::{is_statement_list, statements};

/// The only statement of a block that has no comments of its own.
pub(crate) fn only_statement(block: Node<'_>) -> Option<Node<'_>> {
    if !is_block(block) || block.children().any(|child| child.kind().is_comment()) {
        return None;
    }
    // The empty statement of Java is a token.
    if block.program().language() != Language::Python && block.has_token(";") {
        return None;
    }
    let statements = statements(block);
    match statements[..] {
        [statement] => Some(statement),
        _ => None,
    }
}

/// Could an `else` that follows the statement be taken for one of the statement's own?
pub(crate) fn takes_else(statement: Node<'_>) -> bool {
    statement.program().language().has_braces()
        && !is_block(statement)
        && statement.descendants().any(|inner| inner.kind() == Kind::IfStatement)
}

/// Is the statement certainly not followed by an `else` of an `if` around it?
pub(crate) fn is_apart_from_else(statement: Node<'_>) -> bool {
    let mut child = statement;
    for parent in statement.ancestors() {
        if is_statement_list(parent) || is_block(parent) {
            return true;
        }
        if parent.kind() == Kind::IfStatement
            && child.role() == Field::Consequence
            && parent.child(Field::Alternative).is_some()
        {
            return false;
        }
        child = parent;
    }
    true
}

/// Does the statement end without the help of what follows? One of JavaScript may lack its semicolon, and relies on a
/// brace or a line break after it.
pub(crate) fn ends_itself(statement: Node<'_>) -> bool {
    match statement.program().language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => true,
        Language::JavaScript => match statement.kind() {
            Kind::IfStatement
            | Kind::ElseClause
            | Kind::WhileStatement
            | Kind::ForStatement
            | Kind::ForInStatement
            | Kind::LabeledStatement
            | Kind::WithStatement => statement.named_children().last().is_some_and(ends_itself),
            Kind::StatementBlock
            | Kind::TryStatement
            | Kind::SwitchStatement
            | Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::ClassDeclaration => true,
            _ => statement.text().ends_with(';'),
        },
    }
}

/// Can control come into the statement by another way than its start? Only C and C++ have such labels.
pub(crate) fn has_entries(statement: Node<'_>) -> bool {
    match statement.program().language() {
        Language::Java | Language::Python | Language::JavaScript => false,
        Language::C | Language::Cpp => statement.descendants().any(|node| match node.kind() {
            Kind::LabeledStatement => true,
            Kind::CaseStatement => node
                .ancestors()
                .find(|around| around.kind() == Kind::SwitchStatement)
                .is_none_or(|switch| !statement.contains(switch)),
            _ => false,
        }),
    }
}

/// Does the node contain a comment?
pub(crate) fn contains_comment(node: Node<'_>) -> bool {
    node.descendants().any(|inner| inner.kind().is_comment())
}

/// Is there nothing but blanks and line breaks in the range?
pub(crate) fn is_blank(program: &Program, range: Range<usize>) -> bool {
    program.text()[range].trim().is_empty()
}

/// A line break and the indentation of the line of `position`, `levels` levels deeper.
pub(crate) fn new_line(program: &Program, position: usize, levels: usize) -> String {
    format!("{}{}{}", line_break(program), indentation(program, position), one_level(program).repeat(levels))
}

/// Can the lines of the range be moved by one level? In Python they must not mix tabs and blanks, because nobody knows
/// how wide a tab is meant to be.
pub(crate) fn can_be_indented(program: &Program, range: Range<usize>) -> bool {
    if program.language().has_braces() {
        return true;
    }
    let first = one_level(program).chars().next();
    let lines = lines_within(program, range.clone()).map(|start| indentation(program, start));
    lines.chain([indentation(program, range.start)]).all(|blanks| blanks.chars().all(|blank| Some(blank) == first))
}

/// Takes a level away from every line that starts within `range`: the blanks by which the line of `inner` is deeper
/// than that of `outer`. Lines of other depth stay in languages where depth means nothing. In Python nothing is done
/// then.
pub(crate) fn dedented(program: &Program, range: Range<usize>, outer: usize, inner: usize) -> Option<Vec<Edit>> {
    let (outer, inner) = (indentation(program, outer), indentation(program, inner));
    let mut edits = Vec::new();
    if inner.len() <= outer.len() || !inner.starts_with(outer) {
        return (program.language() != Language::Python).then_some(edits);
    }
    for start in lines_within(program, range) {
        let line = &program.text()[start..];
        if line.starts_with(inner) {
            edits.push(Edit::delete(start + outer.len()..start + inner.len()));
        } else if program.language() == Language::Python && !line.trim_start_matches([' ', '\t']).starts_with('#') {
            return None;
        }
    }
    Some(edits)
}

/// The lines that start within the range, are not empty and do not start inside a string.
fn lines_within(program: &Program, range: Range<usize>) -> impl Iterator<Item = usize> {
    let text = program.text();
    let starts = text[range.clone()].match_indices('\n').map(move |(at, _)| range.start + at + 1);
    let end = range.end;
    starts.filter(move |start| {
        let line = text[*start..].lines().next().unwrap_or("");
        *start < end && !line.trim().is_empty() && !is_inside_string(program, *start)
    })
}

/// Is the value of the expression certainly of a type that the language itself defines, so that no operator on it can
/// be one of the program?
pub(crate) fn is_built_in(expression: Node<'_>) -> bool {
    match expression.program().type_of(expression) {
        Type::Boolean | Type::Number(_) | Type::Pointer(_) | Type::Null => true,
        Type::Unknown
        | Type::Void
        | Type::Text
        | Type::Declared(_)
        | Type::Outside(_)
        | Type::Array(_)
        | Type::Function(_)
        | Type::Module => false,
    }
}

/// Is the operand nothing but the name or the call of a macro of this program, with whatever operators in it?
pub(crate) fn is_macro(operand: Node<'_>) -> bool {
    let program = operand.program();
    let name = operand.child(Field::Function).unwrap_or(operand);
    program.scopes().symbol_at(name).is_some_and(|symbol| program.scopes().symbol(symbol).kind == SymbolKind::Macro)
}
