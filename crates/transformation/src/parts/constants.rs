//! Literals, and what may hold them.

use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, SymbolId, SymbolKind, Type};

use super::assignments::has_line_for_itself;
use super::layout::line_start;

/// The rule that is about literals like this one; `None` for what is not a literal, and for literals that are more than
/// a value: strings with something in them that is computed, wide strings, texts of several lines.
pub(crate) fn rule_of_literal(node: Node<'_>) -> Option<&'static str> {
    let text = node.text();
    match node.kind() {
        Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::OctalIntegerLiteral
        | Kind::BinaryIntegerLiteral
        | Kind::DecimalFloatingPointLiteral
        | Kind::HexFloatingPointLiteral
        | Kind::NumberLiteral
        | Kind::Number
        | Kind::Integer
        | Kind::Float => Some("number"),
        Kind::CharacterLiteral => Some("character"),
        Kind::CharLiteral => text.starts_with('\'').then_some("character"),
        Kind::True | Kind::False => matches!(text, "true" | "false" | "True" | "False").then_some("boolean"),
        Kind::StringLiteral => {
            (text.starts_with('"') && !text.contains('\n') && !is_computed(node)).then_some("string")
        }
        Kind::String => (!text.contains('\n') && !is_computed(node)).then_some("string"),
        _ => None,
    }
}

fn is_computed(string: Node<'_>) -> bool {
    string.descendants().any(|part| matches!(part.kind(), Kind::Interpolation | Kind::StringInterpolation))
        || string.text().starts_with(['f', 'F', 't', 'T'])
        || string.text().get(1..2).is_some_and(|second| matches!(second, "f" | "F" | "t" | "T"))
            && string.text().starts_with(['r', 'R'])
}

/// Functions of C's library that take numbers, characters and strings by value, and that nobody defines as macros that
/// look at the text of their arguments.
const LIBRARY: [&str; 42] = [
    "abs", "atof", "atoi", "atol", "exit", "fgets", "fopen", "fprintf", "fputc", "fputs", "fread", "free", "fscanf",
    "fwrite", "isalpha", "isdigit", "isspace", "malloc", "memcmp", "memcpy", "memset", "perror", "pow", "printf",
    "putchar", "puts", "realloc", "scanf", "sleep", "snprintf", "sprintf", "sqrt", "sscanf", "strcat", "strchr",
    "strcmp", "strcpy", "strlen", "strncmp", "strncpy", "strrchr", "strstr",
];

/// Is this argument of a call of C or C++ handed over by value, to a function that cannot tell a literal from a
/// variable?
pub(crate) fn is_handed_over_by_value(argument: Node<'_>) -> bool {
    let program = argument.program();
    let scopes = program.scopes();
    let call = argument.parent().filter(|list| list.kind() == Kind::ArgumentList).and_then(Node::parent);
    let function = call.filter(|call| call.kind() == Kind::CallExpression).and_then(|call| call.child(Field::Function));
    let Some(function) = function.filter(|function| function.kind() == Kind::Identifier) else { return false };
    match scopes.symbol_at(function) {
        Some(symbol) => {
            // A reference in a parameter, or a template, could tell the two apart.
            let is_plain = |declaration: Node<'_>| {
                let around = declaration.ancestors().take(6);
                let declarator = declaration.ancestors().find(|around| around.kind() == Kind::FunctionDeclarator);
                declarator.is_some_and(|declarator| !declarator.text().contains('&'))
                    && around.into_iter().all(|around| around.kind() != Kind::TemplateDeclaration)
            };
            scopes.symbol(symbol).kind == SymbolKind::Function
                && scopes.declarations_of(symbol).all(|declaration| is_plain(program.node(declaration)))
        }
        None => LIBRARY.binary_search(&function.text()).is_ok(),
    }
}

/// The type that the function around the node returns, when it says so.
pub(crate) fn returned_type(node: Node<'_>) -> Type {
    let program = node.program();
    let Some(function) = super::statements::function_around(node) else { return Type::Unknown };
    let is_plain = match function.kind() {
        Kind::MethodDeclaration => true,
        Kind::FunctionDefinition => {
            function.child(Field::Declarator).is_some_and(|declarator| declarator.kind() == Kind::FunctionDeclarator)
        }
        _ => false,
    };
    let named = function.child(Field::Type).filter(|_| is_plain);
    named.map_or(Type::Unknown, |named| program.type_of(named))
}

/// Does the expression depend on a variable other than `symbol`, or on a call, so that it is not a constant?
pub(crate) fn depends_on_others(expression: Node<'_>, symbol: Option<SymbolId>) -> bool {
    let scopes = expression.program().scopes();
    expression.descendants().any(|part| match part.kind() {
        Kind::MethodInvocation | Kind::CallExpression | Kind::AssignmentExpression | Kind::UpdateExpression => true,
        Kind::Identifier => scopes.symbol_at(part) != symbol && !syntax::flow::is_constant_expression(part),
        _ => false,
    })
}

/// The expression that a loop, an `if` or a conditional expression tests, when the node is a part of it.
pub(crate) fn condition_around(node: Node<'_>) -> Option<Node<'_>> {
    let mut part = node;
    while let Some(parent) = part.parent() {
        if part.role() == Field::Condition && !matches!(parent.kind(), Kind::SwitchExpression | Kind::SwitchStatement) {
            return Some(part);
        }
        if parent.is_named() && parent.kind().name().ends_with("_statement") || parent.kind() == Kind::ArgumentList {
            return None;
        }
        part = parent;
    }
    None
}

/// A local variable that gets a literal where it is declared, and no other value ever.
#[derive(Clone, Copy)]
pub(crate) struct ConstantVariable<'p> {
    pub(crate) symbol: SymbolId,
    /// The statement that declares it and nothing else.
    pub(crate) statement: Node<'p>,
    pub(crate) name: Node<'p>,
    pub(crate) literal: Node<'p>,
}

/// The declaration of one variable with a literal as its value: the shape, whatever happens to the variable later.
pub(crate) fn literal_declaration(name: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let parent = name.parent()?;
    let (statement, literal) = match name.program().language() {
        Language::Java => {
            let declarator = (parent.kind() == Kind::VariableDeclarator).then_some(parent)?;
            let statement = declarator.parent().filter(|node| node.kind() == Kind::LocalVariableDeclaration)?;
            let is_plain = declarator.child(Field::Dimensions).is_none()
                && statement.child_of_kind(Kind::Modifiers).is_none_or(|modifiers| modifiers.text() == "final");
            (is_plain.then_some(statement)?, declarator.child(Field::Value)?)
        }
        Language::C | Language::Cpp => {
            let declarator = if parent.kind() == Kind::PointerDeclarator { parent.parent()? } else { parent };
            let statement = declarator.parent().filter(|node| node.kind() == Kind::Declaration)?;
            let is_constant =
                |word: Node<'_>| word.kind() != Kind::TypeQualifier || matches!(word.text(), "const" | "constexpr");
            let is_plain = declarator.kind() == Kind::InitDeclarator
                && declarator.has_token("=")
                && statement.child_of_kind(Kind::StorageClassSpecifier).is_none()
                && statement.descendants().all(is_constant);
            (is_plain.then_some(statement)?, declarator.child(Field::Value)?)
        }
        Language::Python => {
            let assignment =
                (parent.kind() == Kind::Assignment && parent.child(Field::Type).is_none()).then_some(parent)?;
            let statement = assignment.parent().filter(|node| node.kind() == Kind::ExpressionStatement)?;
            (statement, assignment.child(Field::Right).filter(|_| name.role() == Field::Left)?)
        }
        Language::JavaScript => {
            let declarator = (parent.kind() == Kind::VariableDeclarator).then_some(parent)?;
            let statement = declarator
                .parent()
                .filter(|node| matches!(node.kind(), Kind::LexicalDeclaration | Kind::VariableDeclaration))?;
            (statement, declarator.child(Field::Value).filter(|_| name.role() == Field::Name)?)
        }
    };
    let is_only = match name.program().language() {
        Language::Python => true,
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => !statement.has_token(","),
    };
    (is_only && rule_of_literal(literal).is_some()).then_some((statement, literal))
}

/// The literal as a value of the type that the variable has.
pub(crate) fn typed_literal(variable: ConstantVariable<'_>) -> Option<String> {
    let program = variable.name.program();
    let text = variable.literal.text();
    let (declared, own) = (program.type_of(variable.name), program.type_of(variable.literal));
    match program.language() {
        Language::Python | Language::JavaScript => Some(text.to_owned()),
        _ if declared == own && own != Type::Unknown => Some(text.to_owned()),
        Language::Java => {
            let is_decimal = variable.literal.kind() == Kind::DecimalIntegerLiteral && own == Type::Number(Number::Int);
            match declared {
                Type::Number(Number::Long) if is_decimal => Some(format!("{text}L")),
                Type::Number(Number::Double) if is_decimal => Some(format!("{text}.0")),
                Type::Number(Number::Float) if is_decimal => Some(format!("{text}f")),
                Type::Number(Number::Byte) if is_decimal => Some(format!("((byte) {text})")),
                Type::Number(Number::Short) if is_decimal => Some(format!("((short) {text})")),
                _ => None,
            }
        }
        Language::C | Language::Cpp => {
            let is_truth = matches!(text, "true" | "false" | "0" | "1");
            if declared == Type::Boolean && program.language() == Language::C {
                return is_truth.then(|| text.to_owned());
            }
            let is_number = matches!((&declared, &own), (Type::Number(_), Type::Number(_) | Type::Boolean));
            let named = variable.statement.child(Field::Type).filter(|_| is_number)?;
            let is_plain = matches!(named.kind(), Kind::PrimitiveType | Kind::SizedTypeSpecifier)
                && named.descendants().all(|part| part.kind() != Kind::TypeQualifier);
            is_plain.then(|| format!("(({}) {text})", named.text()))
        }
    }
}

/// The bytes that go with a statement: its line, when it has one for itself. `None` where Python would be left with a
/// line that means something else.
pub(crate) fn extent(statement: Node<'_>) -> Option<std::ops::Range<usize>> {
    let program = statement.program();
    let text = program.text();
    let after = &text[statement.end()..];
    match program.language() {
        Language::Python if statement.next_sibling().is_some_and(|next| next.is_token(";")) => {
            let next = statement.next_sibling()?.next_sibling().filter(|next| next.is_named())?;
            (!text[statement.end()..next.start()].contains('\n')).then_some(statement.start()..next.start())
        }
        Language::Python if !has_line_for_itself(statement) => None,
        Language::Java | Language::C | Language::Cpp | Language::JavaScript if !has_line_for_itself(statement) => {
            let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
            Some(statement.start()..statement.end() + blanks)
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript | Language::Python => {
            let end = after.find('\n').map_or(text.len(), |at| statement.end() + at + 1);
            Some(line_start(program, statement.start())..end)
        }
    }
}
