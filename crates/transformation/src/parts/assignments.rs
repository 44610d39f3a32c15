//! Assignments that read what they write: `x += e`, `x = x + e`, `x++`.

use syntax::flow::{accesses, may_have_effect};
use syntax::types::Number;
use syntax::views::{Assignment, Operation, contains_directive};
use syntax::{Field, Kind, Language, Node, SymbolKind, Target, Type};

use super::conditions::binds_tightly;
use super::layout::starts_line;

/// The ten operators that a compound assignment is written with, and the names of their rules.
pub(crate) const OPERATORS: [(&str, &str); 10] = [
    ("+", "add"),
    ("-", "subtract"),
    ("*", "multiply"),
    ("/", "divide"),
    ("%", "remainder"),
    ("<<", "shift-left"),
    (">>", "shift-right"),
    ("&", "and"),
    ("|", "or"),
    ("^", "xor"),
];

/// The rule of an operator, when it is one of the ten.
pub(crate) fn rule_of(operator: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(known, _)| *known == operator).map(|(_, rule)| *rule)
}

/// Reads an operation that a compound assignment could do.
pub(crate) fn binary_operation(node: Node<'_>) -> Option<Operation<'_>> {
    Operation::of(node).filter(|operation| operation.is_binary())
}

/// How the value of `left op right` gets back into `left`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// It is assigned as it is.
    Plain,
    /// Java wants a cast to this type.
    Cast(&'static str),
}

/// Can `left op= right` be written `left = left op (right)`, and the other way round?
///
/// The left side is then evaluated once more, so that must not be noticed; and the two must mean the same operation,
/// which classes of C++ and mutable objects of Python decide for themselves.
pub(crate) fn store(node: Node<'_>, left: Node<'_>, operator: &str, right: Option<Node<'_>>) -> Option<Store> {
    let program = node.program();
    if left.text().contains('\n') || contains_directive(node) || is_in_macro_call(node) {
        return None;
    }
    match program.language() {
        Language::Java => {
            let is_plain = !may_have_effect(left);
            let right = right.map_or(Type::Number(Number::Int), |right| program.type_of(right));
            is_plain.then(|| java_store(&program.type_of(left), operator, &right)).flatten()
        }
        Language::C => (!may_have_effect(left) && keeps_order(left, right)).then_some(Store::Plain),
        Language::Cpp => {
            let is_built_in =
                |node: Node<'_>| matches!(program.type_of(node), Type::Number(_) | Type::Boolean | Type::Pointer(_));
            let is_plain = is_built_in(left) && right.is_none_or(is_built_in) && !may_have_effect(left);
            (is_plain && keeps_order(left, right)).then_some(Store::Plain)
        }
        Language::Python => {
            let is_immutable = matches!(program.type_of(left), Type::Number(_) | Type::Boolean | Type::Text);
            (left.kind() == Kind::Identifier && is_immutable).then_some(Store::Plain)
        }
        Language::JavaScript => is_repeatable_target(left).then_some(Store::Plain),
    }
}

/// C does not say whether the left side is read before the right side runs, and C++ says it for one form only. So what
/// the right side runs must not change the left side.
fn keeps_order(left: Node<'_>, right: Option<Node<'_>>) -> bool {
    let Some(right) = right.filter(|right| may_have_effect(*right)) else { return true };
    let (target, value) = (accesses(left), accesses(right));
    !target.touches_memory
        && !target.has_unresolved
        && target.reads.iter().all(|symbol| value.writes.binary_search(symbol).is_err())
}

/// `E1 op= E2` is `E1 = (T) ((E1) op (E2))` where T is the type of E1 (JLS 15.26.2).
fn java_store(left: &Type, operator: &str, right: &Type) -> Option<Store> {
    let number = match left {
        Type::Text if operator == "+" => return Some(Store::Plain),
        Type::Boolean => return Some(Store::Plain),
        // The cast to a boxed type is legal only for a value of exactly its plain type, so none is needed.
        Type::Outside(name) if matches!(name.as_str(), "Integer" | "Long" | "Float" | "Double") => {
            return Some(Store::Plain);
        }
        Type::Number(number) => *number,
        _ => return None,
    };
    let rank = |number: Number| match number {
        Number::Long => 1,
        Number::Float => 2,
        Number::Double => 3,
        _ => 0,
    };
    let is_shift = matches!(operator, "<<" | ">>");
    let stays = match (number, right) {
        (Number::Double, _) => true,
        (Number::Int | Number::Long, _) if is_shift => true,
        (Number::Int | Number::Long | Number::Float, Type::Number(right)) => rank(*right) <= rank(number),
        _ => false,
    };
    if stays {
        return Some(Store::Plain);
    }
    Some(Store::Cast(match number {
        Number::Byte => "byte",
        Number::Short => "short",
        Number::Char => "char",
        Number::Int => "int",
        Number::Long => "long",
        Number::Float => "float",
        _ => return None,
    }))
}

/// A name, or a property of a name, of JavaScript: reading and writing it happens once in either form. What stands for
/// the object and the key must be the same when it is evaluated twice.
fn is_repeatable_target(left: Node<'_>) -> bool {
    let program = left.program();
    let is_name = |node: Node<'_>| match node.kind() {
        Kind::This => true,
        Kind::Identifier => {
            matches!(program.scopes().target(node), Some(Target::Symbol(_) | Target::Outside))
        }
        _ => false,
    };
    match left.kind() {
        Kind::Identifier => is_name(left),
        Kind::MemberExpression => left.child(Field::Object).is_some_and(is_name),
        Kind::SubscriptExpression => {
            let is_plain_key = |key: Node<'_>| match key.kind() {
                Kind::Number | Kind::String => true,
                Kind::Identifier => {
                    is_name(key) && matches!(program.type_of(key), Type::Number(Number::JavaScriptNumber) | Type::Text)
                }
                _ => false,
            };
            left.child(Field::Object).is_some_and(is_name) && left.child(Field::Index).is_some_and(is_plain_key)
        }
        _ => false,
    }
}

/// Is the node an argument of something that may be a macro which makes a text of its arguments?
pub(crate) fn is_in_macro_call(node: Node<'_>) -> bool {
    let may_be_macro = |list: Node<'_>| {
        let Some(function) = list.parent().and_then(|call| call.child(Field::Function)) else { return false };
        let name = function.text();
        let shouts = !name.chars().any(char::is_lowercase);
        let is_macro = node
            .program()
            .scopes()
            .symbol_at(function)
            .is_some_and(|symbol| node.program().scopes().symbol(symbol).kind == SymbolKind::Macro);
        function.kind() == Kind::Identifier && (shouts || is_macro || name.to_ascii_lowercase().contains("assert"))
    };
    node.program().language().has_preprocessor()
        && node.ancestors().any(|around| around.kind() == Kind::ArgumentList && may_be_macro(around))
}

/// Is the value of the expression thrown away: is it a statement, or the update of a `for`, or one of several there?
pub(crate) fn is_value_unused(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        Kind::ExpressionStatement => true,
        Kind::ForStatement => matches!(node.role(), Field::Update | Field::Increment),
        Kind::CommaExpression | Kind::SequenceExpression => is_value_unused(parent),
        _ => false,
    }
}

/// Does adding one to the variable mean the same as its next value?
pub(crate) fn counts(target: Node<'_>) -> bool {
    let evident = target.program().type_of(target);
    match target.program().language() {
        Language::Java => matches!(evident, Type::Number(_) | Type::Outside(_)),
        Language::C => true,
        Language::Cpp => matches!(evident, Type::Number(_) | Type::Pointer(_)),
        Language::JavaScript => evident == JAVASCRIPT_NUMBER || always_holds_number(target),
        Language::Python => false,
    }
}

const JAVASCRIPT_NUMBER: Type = Type::Number(Number::JavaScriptNumber);

/// A variable that occurs more often is not looked at.
const MOST_OCCURRENCES: usize = 200;

/// Is every value that the variable of JavaScript gets a number? Before it gets one it is undefined, of which `++` and
/// `+ 1` make the same.
fn always_holds_number(name: Node<'_>) -> bool {
    let program = name.program();
    let scopes = program.scopes();
    let Some(symbol) = scopes.symbol_at(name).filter(|_| name.kind() == Kind::Identifier) else { return false };
    let is_variable = matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Global);
    // `i + 1` is a number when `i` is, which is what is being found out.
    let is_number = |value: Option<Node<'_>>| {
        value.is_some_and(|value| {
            program.type_of(value) == JAVASCRIPT_NUMBER
                || binary_operation(value).is_some_and(|operation| {
                    operation.left.text() == name.text() && program.type_of(operation.right) == JAVASCRIPT_NUMBER
                })
        })
    };
    is_variable
        && scopes.references_of(symbol).nth(MOST_OCCURRENCES).is_none()
        && scopes.references_of(symbol).all(|reference| {
            let node = program.node(reference.node);
            let Some(parent) = node.parent() else { return false };
            match parent.kind() {
                Kind::VariableDeclarator if node.role() == Field::Name => {
                    parent.child(Field::Value).is_none_or(|value| is_number(Some(value)))
                }
                Kind::AssignmentExpression if node.role() == Field::Left => is_number(parent.child(Field::Right)),
                Kind::AugmentedAssignmentExpression if node.role() == Field::Left => {
                    let is_arithmetic = parent.child(Field::Operator).is_some_and(|operator| {
                        matches!(operator.text(), "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=")
                    });
                    is_arithmetic && is_number(parent.child(Field::Right))
                }
                Kind::ForInStatement => node.role() != Field::Left,
                Kind::ParenthesizedExpression => parent.role() != Field::Left,
                Kind::ArrayPattern
                | Kind::ObjectPattern
                | Kind::PairPattern
                | Kind::RestPattern
                | Kind::AssignmentPattern
                | Kind::ObjectAssignmentPattern => false,
                _ => !reference.declares,
            }
        })
}

/// Does what follows the node stay what it is, when the node ends in another token than before?
///
/// JavaScript ends a statement at the end of its line only when the next line could not continue it: `i++` cannot be
/// called, but `i = i + 1` can.
pub(crate) fn is_followed_safely(node: Node<'_>) -> bool {
    match node.program().language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => true,
        Language::JavaScript => {
            let rest = &node.program().text()[node.end()..];
            let next = rest.trim_start();
            let is_word = next.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'));
            let continues = next.starts_with("in ") || next.starts_with("instanceof ");
            next.is_empty() || next.starts_with([';', '}', ')', ',', ']']) || is_word && !continues
        }
    }
}

/// Does the expression need no brackets as the right operand of an operator?
pub(crate) fn is_primary(node: Node<'_>) -> bool {
    let is_literal = matches!(
        node.kind(),
        Kind::DecimalIntegerLiteral
            | Kind::HexIntegerLiteral
            | Kind::OctalIntegerLiteral
            | Kind::BinaryIntegerLiteral
            | Kind::DecimalFloatingPointLiteral
            | Kind::HexFloatingPointLiteral
            | Kind::CharacterLiteral
            | Kind::CharLiteral
            | Kind::StringLiteral
            | Kind::NumberLiteral
            | Kind::Number
            | Kind::String
            | Kind::Integer
            | Kind::Float
            | Kind::Tuple
            | Kind::List
            | Kind::TemplateString
    );
    (is_literal || binds_tightly(node)) && !node.text().starts_with(['-', '+'])
}

/// `left op right` as it stands on the right side of `left = …`, in the form that [`store`] wants.
pub(crate) struct Expanded<'p> {
    /// The operation.
    pub(crate) operation: Operation<'p>,
    /// Everything after the `=` and before the right operand.
    pub(crate) head: std::ops::Range<usize>,
    /// What closes the brackets of the cast.
    pub(crate) tail: std::ops::Range<usize>,
}

/// Reads `left = left op right`, with the cast that Java needs.
pub(crate) fn expanded(assignment: Assignment<'_>) -> Option<Expanded<'_>> {
    if !assignment.operator.is_token("=") {
        return None;
    }
    let mut value = assignment.right;
    let program = value.program();
    match program.language() {
        Language::Java => {
            if value.kind() == Kind::CastExpression {
                let of_left = program.type_of(assignment.left);
                let is_same = value.child(Field::Type).is_some_and(|cast| program.type_of(cast) == of_left);
                let brackets = value.child(Field::Value).filter(|brackets| {
                    is_same && matches!(of_left, Type::Number(_)) && brackets.kind() == Kind::ParenthesizedExpression
                })?;
                value = brackets.named_children().next()?;
            }
        }
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => {}
    }
    let operation = binary_operation(value)?;
    if operation.left.text() != assignment.left.text() {
        return None;
    }
    let head = assignment.operator.end()..operation.right.start();
    let tail = operation.right.end()..assignment.right.end();
    // What is taken away must not hold a comment or a line of a directive.
    let is_clean = |text: &str| !text.contains("//") && !text.contains("/*") && !text.contains(['#', '\\']);
    let text = program.text();
    (is_clean(&text[head.clone()]) && is_clean(&text[tail.clone()])).then_some(Expanded { operation, head, tail })
}

/// Does a statement that is deleted leave its line empty?
pub(crate) fn has_line_for_itself(statement: Node<'_>) -> bool {
    let rest = &statement.program().text()[statement.end()..];
    let line = rest.split('\n').next().unwrap_or("");
    starts_line(statement) && line.trim().is_empty()
}
