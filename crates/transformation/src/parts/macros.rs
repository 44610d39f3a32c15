//! What macros of C and C++ may do to the code that is handed to them, and to the code around them.

use std::ops::Range;

use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Target};

/// A stretch of a statement in which a macro of the input may fall apart: its text has operators outside brackets, so that
/// the code around it reaches into it, and what the tree says there is not what the compiler sees.
pub(crate) struct Torn {
    /// The statement.
    statement: Range<usize>,
    /// Its part with the macro: all of it, or what stands before its body.
    part: Range<usize>,
}

impl Torn {
    /// Does a rewrite of the range concern the part? One of a larger construct leaves the statement as it is.
    pub(crate) fn concerns(&self, range: &Range<usize>) -> bool {
        let overlaps = range.start < self.part.end && range.end > self.part.start;
        let is_around = range.start < self.statement.start && range.end >= self.statement.end;
        overlaps && !is_around
    }
}

/// All such stretches. `#define MIN(a, b) a < b ? a : b` is the usual cause. Statements with a cast that may be an operation
/// fall apart as well, and one with a compound literal, whose object lives as long as its block, must stay in that block.
pub(crate) fn torn(program: &Program) -> Vec<Torn> {
    if !program.language().has_preprocessor() {
        return Vec::new();
    }
    let mut torn: Vec<Torn> = program.undecided_casts().filter_map(torn_at).collect();
    if program.language() == Language::C {
        torn.extend(program.nodes_of_kind(Kind::CompoundLiteralExpression).filter_map(torn_at));
    }
    torn.extend(torn_by_macros(program));
    torn
}

fn torn_by_macros(program: &Program) -> Vec<Torn> {
    let scopes = program.scopes();
    let is_open = |reference: &&syntax::Reference| match reference.target {
        Target::Symbol(symbol) => scopes.symbol(symbol).kind == SymbolKind::Macro && has_open_text(program, symbol),
        Target::Outside | Target::Unknown => is_open_elsewhere(program.node(reference.node)),
        Target::Member => false,
    };
    let uses = scopes.references().iter().filter(|reference| !reference.declares).filter(is_open);
    uses.filter_map(|reference| torn_at(program.node(reference.node))).collect()
}

fn torn_at(name: Node<'_>) -> Option<Torn> {
    let statement = name.ancestors().find(|around| {
        matches!(
            around.kind(),
            Kind::ExpressionStatement
                | Kind::Declaration
                | Kind::FieldDeclaration
                | Kind::ReturnStatement
                | Kind::ThrowStatement
                | Kind::IfStatement
                | Kind::ForStatement
                | Kind::ForRangeLoop
                | Kind::MacroLoop
                | Kind::WhileStatement
                | Kind::DoStatement
                | Kind::SwitchStatement
                | Kind::CaseStatement
                | Kind::CompoundStatement
                | Kind::FunctionDefinition
        )
    })?;
    let body = match statement.kind() {
        Kind::IfStatement => statement.child(Field::Consequence),
        // The condition comes after the body.
        Kind::DoStatement => None,
        Kind::CaseStatement => statement.child(Field::Value).and_then(Node::next_sibling),
        _ => statement.child(Field::Body),
    };
    let part = match body {
        Some(body) if body.start() >= name.end() => statement.start()..body.start(),
        _ if matches!(statement.kind(), Kind::CompoundStatement | Kind::FunctionDefinition) => name.range(),
        _ => statement.range(),
    };
    Some(Torn { statement: statement.range(), part })
}

/// Has any definition of the macro an operator that stands outside brackets?
fn has_open_text(program: &Program, symbol: syntax::SymbolId) -> bool {
    let values = program.scopes().declarations_of(symbol).filter_map(|declaration| {
        program.node(declaration).parent().and_then(|definition| definition.child(Field::Value))
    });
    values.into_iter().any(|value| is_open(value.text()))
}

/// May this be a macro of another file that does not stand for an expression? The project's headers say so, and without them
/// the macro that begins `LOG(INFO) << text;` is usually one: `if (quiet) {} else stream()`.
fn is_open_elsewhere(name: Node<'_>) -> bool {
    let program = name.program();
    let around = program.surroundings();
    let mut texts = around.into_iter().flat_map(|around| around.texts_of_macro(name.text())).peekable();
    if texts.peek().is_some() {
        return texts.any(is_open);
    }
    let call = name.parent().filter(|call| call.kind() == Kind::CallExpression).unwrap_or(name);
    let is_streamed = |call: Node<'_>| {
        call.parent().is_some_and(|around| {
            around.kind() == Kind::BinaryExpression && around.has_token("<<") && call.role() == Field::Left
        })
    };
    program.language() == Language::Cpp && is_in_capitals(name.text()) && is_streamed(call) && begins_statement(call)
}

fn begins_statement(node: Node<'_>) -> bool {
    let statement = node.ancestors().find(|around| around.kind() == Kind::ExpressionStatement);
    statement.is_some_and(|statement| statement.start() == node.start())
}

/// Names of macros usually are.
fn is_in_capitals(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

fn is_open(text: &str) -> bool {
    // A number with its sign cannot be taken apart.
    let unsigned = text.trim().trim_start_matches(['-', '+']);
    if unsigned.chars().all(|character| character.is_alphanumeric() || "._".contains(character)) {
        return false;
    }
    // What stands for a statement is not to be taken for an expression.
    let first = text.trim_start().split(|letter: char| !letter.is_alphanumeric()).next();
    if matches!(first, Some("if" | "else" | "for" | "while" | "switch" | "return" | "goto" | "throw")) {
        return true;
    }
    let is_number = text.trim().starts_with(|first: char| first.is_ascii_digit());
    let is_exponent = |previous: char| is_number && matches!(previous, 'e' | 'E');
    let (mut depth, mut quote, mut previous) = (0_i32, None, ' ');
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => _ = characters.next(),
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => (),
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            // Access to a member binds more tightly than any operator.
            (None, '-') if characters.peek() == Some(&'>') => _ = characters.next(),
            (None, ':') if characters.peek() == Some(&':') => _ = characters.next(),
            // The sign of an exponent.
            (None, '-' | '+') if is_exponent(previous) => {}
            (None, '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '^' | '~' | '?' | ':' | ',')
                if depth == 0 =>
            {
                return true;
            }
            (None, _) => (),
        }
        previous = character;
    }
    false
}

/// May the node be handed to a macro, which may take its text apart or show it? A macro of the input is one for
/// certain; a name from elsewhere in capital letters probably is, and names a member or a type in other cases.
pub(crate) fn is_macro_argument(node: Node<'_>) -> bool {
    node.program().language().has_preprocessor()
        && node.ancestors().any(|around| match around.kind() {
            Kind::OffsetofExpression => true,
            Kind::CallExpression => around.child(Field::Function).is_some_and(|callee| may_be_macro(callee, node)),
            _ => false,
        })
}

/// Is the node an argument of a macro that nothing here defines? `RUN_TEST(adds)` of a testing framework prints the name.
pub(crate) fn is_given_to_unknown_macro(node: Node<'_>) -> bool {
    let is_unknown = |callee: Node<'_>| {
        let is_outside =
            matches!(node.program().scopes().target(callee), Some(Target::Outside | Target::Unknown) | None);
        let around = node.program().surroundings();
        is_outside && may_be_macro(callee, node) && !around.is_some_and(|around| around.is_expanded(callee.text()))
    };
    node.program().language().has_preprocessor()
        && node.ancestors().any(|around| {
            around.kind() == Kind::CallExpression && around.child(Field::Function).is_some_and(is_unknown)
        })
}

fn may_be_macro(callee: Node<'_>, node: Node<'_>) -> bool {
    let scopes = node.program().scopes();
    if callee.kind() != Kind::Identifier || callee == node {
        return false;
    }
    match scopes.target(callee) {
        Some(Target::Symbol(symbol)) => scopes.symbol(symbol).kind == SymbolKind::Macro,
        Some(Target::Outside | Target::Unknown | Target::Member) | None => {
            is_in_capitals(callee.text()) || callee.text() == "offsetof"
        }
    }
}
