//! When a choice between two values can be a choice between two statements, and back.

use syntax::flow::may_have_effect;
use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, Type};

use super::statements::function_around;

/// What the value is stored in or returned as, as far as it is known.
pub(crate) fn type_of_target(target: Option<Node<'_>>, statement: Node<'_>) -> Type {
    if let Some(target) = target {
        return statement.program().type_of(target);
    }
    let Some(function) = function_around(statement) else { return Type::Unknown };
    let Some(declared) = function.child(Field::Type) else { return Type::Unknown };
    match statement.program().language() {
        Language::Java => java_type(declared.text()),
        Language::C | Language::Cpp => match function.child(Field::Declarator).map(|declarator| declarator.kind()) {
            Some(Kind::PointerDeclarator) => Type::Pointer(Box::new(Type::Unknown)),
            _ => Type::Unknown,
        },
        Language::Python | Language::JavaScript => Type::Unknown,
    }
}

fn java_type(text: &str) -> Type {
    match text {
        "boolean" => Type::Boolean,
        "byte" => Type::Number(Number::Byte),
        "short" => Type::Number(Number::Short),
        "char" => Type::Number(Number::Char),
        "int" => Type::Number(Number::Int),
        "long" => Type::Number(Number::Long),
        "float" => Type::Number(Number::Float),
        "double" => Type::Number(Number::Double),
        "String" => Type::Text,
        _ if text.ends_with(']') => Type::Array(Box::new(Type::Unknown)),
        _ => Type::Outside(text.split('<').next().unwrap_or(text).to_owned()),
    }
}

/// Can something of this type of Java never be a number or a truth value in a box?
fn is_plain_reference(value_type: &Type) -> bool {
    match value_type {
        Type::Text | Type::Array(_) | Type::Declared(_) => true,
        Type::Outside(name) => !matches!(
            name.rsplit('.').next().unwrap_or(name),
            "Integer"
                | "Long"
                | "Short"
                | "Byte"
                | "Character"
                | "Float"
                | "Double"
                | "Boolean"
                | "Number"
                | "Object"
                | "Comparable"
                | "Serializable"
                | "Constable"
                | "ConstantDesc"
        ),
        Type::Unknown
        | Type::Void
        | Type::Null
        | Type::Boolean
        | Type::Number(_)
        | Type::Pointer(_)
        | Type::Function(_)
        | Type::Module => false,
    }
}

/// Is `c ? a : b` of a type into which neither value is converted on the way, so that storing it and storing `a` or `b`
/// are the same?
pub(crate) fn values_agree(target: &Type, first: Node<'_>, second: Node<'_>) -> bool {
    let program = first.program();
    let types = (program.type_of(first), program.type_of(second));
    match program.language() {
        Language::Python | Language::JavaScript => true,
        Language::Java => match types {
            (Type::Null, other) | (other, Type::Null) => is_plain_reference(&other) && is_object(target),
            (Type::Number(first), Type::Number(second)) => first == second && is_wide_enough(target, first),
            (Type::Unknown | Type::Void, _) | (_, Type::Unknown | Type::Void) => false,
            (first, second) => first == second || is_plain_reference(&first) && is_plain_reference(&second),
        },
        Language::C => match types {
            (Type::Unknown | Type::Void | Type::Null, _) | (_, Type::Unknown | Type::Void) => false,
            (Type::Pointer(_), Type::Null) => matches!(target, Type::Pointer(_)),
            (first, second) => first == second,
        },
        Language::Cpp => match types {
            (Type::Pointer(_), Type::Null) | (Type::Null, Type::Pointer(_)) => matches!(target, Type::Pointer(_)),
            (Type::Boolean | Type::Number(_) | Type::Pointer(_), _) => {
                types.0 == types.1 && matches!(target, Type::Boolean | Type::Number(_) | Type::Pointer(_))
            }
            _ => false,
        },
    }
}

fn is_object(target: &Type) -> bool {
    !matches!(target, Type::Boolean | Type::Number(_))
}

/// Java lets a constant `int` be stored in something smaller, but not a choice of two.
fn is_wide_enough(target: &Type, value: Number) -> bool {
    match target {
        Type::Number(target) => *target == value || !matches!(target, Number::Byte | Number::Short | Number::Char),
        Type::Outside(name) => !matches!(name.as_str(), "Byte" | "Short" | "Character") || value != Number::Int,
        _ => true,
    }
}

/// Can the values of Java take the type of what they are stored in one by one? That is so in more cases than
/// [`values_agree`] knows: where the target is a whole number or certainly no box, the choice converts nothing.
pub(crate) fn values_can_part(target: &Type, first: Node<'_>, second: Node<'_>) -> bool {
    let program = first.program();
    let is_null = |value: Node<'_>| program.type_of(value) == Type::Null;
    match program.language() {
        Language::Java => match target {
            Type::Boolean | Type::Number(Number::Int | Number::Short | Number::Byte | Number::Char | Number::Long) => {
                !is_null(first) && !is_null(second)
            }
            target if is_plain_reference(target) => true,
            _ => values_agree(target, first, second),
        },
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => values_agree(target, first, second),
    }
}

/// Does it not matter whether the target is looked at before or after the condition?
pub(crate) fn is_target_independent(target: Node<'_>, others: &[Node<'_>]) -> bool {
    let is_own_field = |object: Option<Node<'_>>| object.is_some_and(|object| object.kind() == Kind::This);
    let is_free = || !may_have_effect(target) && others.iter().all(|other| !may_have_effect(*other));
    match target.program().language() {
        // The target comes last in any case.
        Language::Python => true,
        Language::JavaScript => {
            target.kind() == Kind::Identifier
                || target.kind() == Kind::MemberExpression && is_own_field(target.child(Field::Object))
        }
        Language::Java => match target.kind() {
            Kind::Identifier => true,
            Kind::FieldAccess if is_own_field(target.child(Field::Object)) => true,
            Kind::ArrayAccess => target.named_children().all(|part| part.kind() == Kind::Identifier) && is_free(),
            _ => false,
        },
        Language::C | Language::Cpp => target.kind() == Kind::Identifier || is_free(),
    }
}

/// Does JavaScript give the value the name of the variable that it is stored in?
pub(crate) fn takes_name(value: Node<'_>) -> bool {
    matches!(value.kind(), Kind::FunctionExpression | Kind::ArrowFunction | Kind::GeneratorFunction | Kind::Class)
}
