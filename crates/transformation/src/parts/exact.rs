//! Types of C and C++ that are the same on every platform: what a function must be declared with to take a value and to
//! give it back unchanged.
//!
//! `Number::PlatformInteger` stands for every integer whose type cannot be spelled for certain.

use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Type};

use super::declarations::type_text;

/// A variable of numbers or truth values, or a pointer or an array of some.
pub(crate) struct Variable {
    /// Its type; an array is a pointer here.
    pub(crate) value_type: Type,
    /// How a parameter that takes its value is declared, up to the name.
    pub(crate) declaration: String,
    /// Has it a value from its declaration on, unless a jump passes that?
    pub(crate) is_initialised: bool,
    /// Is it a number that is declared to be constant?
    pub(crate) is_constant: bool,
}

/// Reads the one declaration of a variable; `None` when it may be volatile, or when its type is not evident.
pub(crate) fn variable(program: &Program, symbol: SymbolId) -> Option<Variable> {
    let scopes = program.scopes();
    let name = program.node(scopes.symbol(symbol).declaration);
    if scopes.declarations_of(symbol).count() != 1 || name.kind() != Kind::Identifier {
        return None;
    }
    let (mut declarator, mut is_pointer, mut is_array, mut has_value) = (name, false, false, false);
    let declaration = loop {
        let parent = declarator.parent()?;
        match parent.kind() {
            Kind::InitDeclarator if declarator.role() == Field::Declarator => has_value = true,
            Kind::ReferenceDeclarator if !is_pointer => has_value = true,
            Kind::PointerDeclarator | Kind::ArrayDeclarator
                if !is_pointer && parent.child_of_kind(Kind::TypeQualifier).is_none() =>
            {
                is_pointer = true;
                is_array = parent.kind() == Kind::ArrayDeclarator;
            }
            Kind::Declaration | Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration => break parent,
            _ => return None,
        }
        declarator = parent;
    };
    let is_plain = declaration.children().all(|part| match part.kind() {
        Kind::TypeQualifier => part.text() == "const",
        Kind::StorageClassSpecifier => matches!(part.text(), "static" | "extern"),
        kind => {
            !part.is_named()
                || kind.is_comment()
                || matches!(part.role(), Field::Type | Field::Declarator | Field::DefaultValue)
        }
    });
    let (element, text) = named_type(declaration.child(Field::Type).filter(|_| is_plain)?)?;
    let is_initialised = has_value
        || is_array
        || declaration.kind() != Kind::Declaration
        || declaration.child_of_kind(Kind::StorageClassSpecifier).is_some();
    let is_constant = !is_pointer && declaration.child_of_kind(Kind::TypeQualifier).is_some();
    let (value_type, declaration) = match is_pointer {
        true => (Type::Pointer(Box::new(element)), format!("const {text} *")),
        false => (element, format!("{text} ")),
    };
    Some(Variable { value_type, declaration, is_initialised, is_constant })
}

/// The type that a node names, and how it is spelled outside of all functions.
fn named_type(named: Node<'_>) -> Option<(Type, String)> {
    let program = named.program();
    let language = program.language();
    let known = program.type_of(named);
    match named.kind() {
        Kind::PrimitiveType => {
            // Which type these are depends on the platform. Overloads of C++ tell them apart.
            let is_vague = language == Language::Cpp && matches!(named.text(), "int32_t" | "uint32_t");
            let known = if is_vague { Type::Number(Number::PlatformInteger) } else { known };
            matches!(known, Type::Number(_) | Type::Boolean).then(|| (known, named.text().to_owned()))
        }
        Kind::SizedTypeSpecifier if !named.text().contains("volatile") => {
            let text = type_text(language, &known)?;
            Some((known, text.to_owned()))
        }
        Kind::TypeIdentifier => {
            let scopes = program.scopes();
            let symbol = scopes.symbol_at(named)?;
            let name = program.node(scopes.symbol(symbol).declaration);
            let definition = name.parent()?;
            let mut words =
                definition.children().chain(definition.child(Field::Type).into_iter().flat_map(Node::children));
            let is_plain = scopes.declarations_of(symbol).count() == 1
                && matches!(definition.kind(), Kind::TypeDefinition | Kind::AliasDeclaration)
                // An attribute may make a vector of the type.
                && words.all(|word| !matches!(word.kind(), Kind::TypeQualifier | Kind::AttributeSpecifier));
            let mut meant = definition.child(Field::Type).filter(|_| is_plain)?;
            if meant.kind() == Kind::TypeDescriptor {
                meant = meant.child(Field::Type).filter(|_| meant.child(Field::Declarator).is_none())?;
            }
            let is_simple = matches!(meant.kind(), Kind::PrimitiveType | Kind::SizedTypeSpecifier);
            let (known, _) = named_type(meant).filter(|_| is_simple)?;
            let is_spelled = matches!(known, Type::Number(_)) || language == Language::Cpp;
            let text = type_text(language, &known).filter(|_| is_spelled)?;
            Some((known, text.to_owned()))
        }
        _ => None,
    }
}

/// The type of an expression that is built from variables, literals, elements and operators alone; `None` for all
/// others. A result of type `char` or `bool` does not exist in C, where operators promote their operands.
pub(crate) fn value_type(node: Node<'_>) -> Option<Type> {
    let program = node.program();
    let is_cpp = match program.language() {
        Language::Cpp => true,
        Language::C => false,
        Language::Java | Language::Python | Language::JavaScript => return None,
    };
    let truth = || if is_cpp { Type::Boolean } else { Type::Number(Number::Int) };
    match node.kind() {
        Kind::Identifier => {
            let symbol = program.scopes().symbol_at(node)?;
            let entry = program.scopes().symbol(symbol);
            let is_constant = || {
                let parent = program.node(entry.declaration).parent();
                !is_cpp && parent.is_some_and(|parent| parent.kind() == Kind::Enumerator)
            };
            match entry.kind {
                SymbolKind::Global if is_constant() => Some(Type::Number(Number::Int)),
                SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Global => {
                    Some(variable(program, symbol)?.value_type)
                }
                _ => None,
            }
        }
        Kind::NumberLiteral | Kind::CharLiteral => {
            Some(program.type_of(node)).filter(|known| matches!(known, Type::Number(_)))
        }
        Kind::True | Kind::False if is_cpp && matches!(node.text(), "true" | "false") => Some(Type::Boolean),
        Kind::ParenthesizedExpression => value_type(only_child(node)?),
        Kind::UnaryExpression => {
            let operand = number(value_type(node.child(Field::Argument)?)?)?;
            match node.child(Field::Operator)?.text() {
                "!" => Some(truth()),
                "-" | "+" | "~" => Some(Type::Number(promoted(operand))),
                _ => None,
            }
        }
        Kind::BinaryExpression => {
            let left = number(value_type(node.child(Field::Left)?)?)?;
            let right = number(value_type(node.child(Field::Right)?)?)?;
            match node.child(Field::Operator)?.text() {
                "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" => Some(truth()),
                "<<" | ">>" => Some(Type::Number(promoted(left))),
                "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => Some(Type::Number(common(left, right))),
                _ => None,
            }
        }
        Kind::ConditionalExpression => {
            number(value_type(node.child(Field::Condition)?)?)?;
            let one = value_type(node.child(Field::Consequence)?)?;
            let other = value_type(node.child(Field::Alternative)?)?;
            match is_cpp && one == other {
                true => number(one.clone()).map(|_| one),
                false => Some(Type::Number(common(number(one)?, number(other)?))),
            }
        }
        Kind::CastExpression => {
            number(value_type(node.child(Field::Value)?)?)?;
            let descriptor = node.child(Field::Type)?;
            let named = only_child(descriptor)?;
            let is_simple = matches!(named.kind(), Kind::PrimitiveType | Kind::SizedTypeSpecifier);
            named_type(named).filter(|_| is_simple).map(|(known, _)| known)
        }
        Kind::SubscriptExpression => {
            let mut index = node.named_children().nth(1)?;
            if index.kind() == Kind::SubscriptArgumentList {
                index = only_child(index)?;
            }
            number(value_type(index)?)?;
            element(value_type(node.child(Field::Argument)?)?)
        }
        Kind::PointerExpression if node.child(Field::Operator)?.is_token("*") => {
            element(value_type(node.child(Field::Argument)?)?)
        }
        _ => None,
    }
}

fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut children = node.named_children();
    let (child, None) = (children.next()?, children.next()) else { return None };
    Some(child)
}

fn element(pointer: Type) -> Option<Type> {
    match pointer {
        Type::Pointer(element) => Some(*element),
        _ => None,
    }
}

/// The number that an operand is.
fn number(operand: Type) -> Option<Number> {
    match operand {
        Type::Number(number) => Some(number),
        Type::Boolean => Some(Number::Int),
        _ => None,
    }
}

fn promoted(number: Number) -> Number {
    match number {
        Number::Char | Number::SignedChar | Number::UnsignedChar | Number::Short | Number::UnsignedShort => Number::Int,
        other => other,
    }
}

/// The usual arithmetic conversions, where their result is the same on every platform.
fn common(one: Number, other: Number) -> Number {
    let (one, other) = (promoted(one), promoted(other));
    for floating in [Number::LongDouble, Number::Double, Number::Float] {
        if [one, other].contains(&floating) {
            return floating;
        }
    }
    let rank = |number: Number| match number {
        Number::Int => Some((0, true)),
        Number::UnsignedInt => Some((0, false)),
        Number::Long => Some((1, true)),
        Number::UnsignedLong => Some((1, false)),
        Number::LongLong => Some((2, true)),
        Number::UnsignedLongLong => Some((2, false)),
        _ => None,
    };
    let (Some(first), Some(second)) = (rank(one), rank(other)) else { return Number::PlatformInteger };
    let (low, high, higher) = if first.0 <= second.0 { (first, second, other) } else { (second, first, one) };
    match (low, high) {
        (low, high) if low.1 == high.1 => higher,
        // Of two types of one rank the unsigned one is taken.
        (low, high) if low.0 == high.0 => {
            if first.1 {
                other
            } else {
                one
            }
        }
        (_, (_, false)) => higher,
        // An unsigned type of 32 bits fits into one of 64 bits; the others may be as wide as each other.
        ((0, _), (2, _)) => higher,
        _ => Number::PlatformInteger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, expression: &str, expected: &str) {
        let text = format!(
            "typedef unsigned short half; typedef volatile int port; enum e {{ RED }}; int shared;\n\
             long f(char c, short s, int i, unsigned u, long l, unsigned long ul, long long ll, size_t z, uint32_t w,\n\
             float x, double d, bool b, const char *p, int a[], half h, port v, volatile int o) {{ return {expression}; }}"
        );
        let program = Program::parse(language, text.as_str());
        assert!(!program.is_broken(), "{text}");
        let returned = program.nodes_of_kind(Kind::ReturnStatement).last().unwrap().named_children().next().unwrap();
        let shown = match value_type(returned) {
            None => "None".to_owned(),
            Some(Type::Number(number)) => format!("{number:?}"),
            Some(other) => format!("{other:?}"),
        };
        assert_eq!(shown, expected, "{expression}");
    }

    #[test]
    fn numbers_of_c() {
        for (expression, expected) in [
            ("c + s", "Int"),
            ("-c", "Int"),
            ("i + u", "UnsignedInt"),
            ("l + u", "PlatformInteger"),
            ("ul + u", "UnsignedLong"),
            ("ll + u", "LongLong"),
            ("u + ll", "LongLong"),
            ("ll + ul", "PlatformInteger"),
            ("z + 1", "PlatformInteger"),
            ("z + 1LL", "PlatformInteger"),
            ("z < i", "Int"),
            ("z * d", "Double"),
            ("x * i", "Float"),
            ("w + 1", "UnsignedInt"),
            ("c << l", "Int"),
            ("b + b", "Int"),
            ("b ? c : c", "Int"),
            ("p[i] - '0'", "Int"),
            ("*p == c", "Int"),
            ("a[i]", "Int"),
            ("h + h", "Int"),
            ("(double) i / a[0]", "Double"),
            ("i == RED", "Int"),
            ("shared + i", "Int"),
            ("!d", "Int"),
        ] {
            check(Language::C, expression, expected);
        }
    }

    #[test]
    fn numbers_of_cpp() {
        for (expression, expected) in [
            ("i < l", "Boolean"),
            ("b ? c : c", "Number(Char)"),
            ("w + 1", "PlatformInteger"),
            ("w < 1", "Boolean"),
            ("a[i] * 'a'", "Int"),
            ("!b", "Boolean"),
            ("i == RED", "None"),
        ] {
            let expected = expected.trim_start_matches("Number(").trim_end_matches(')');
            check(Language::Cpp, expression, expected);
        }
    }

    #[test]
    fn what_is_not_certain() {
        for expression in [
            "v + 1",
            "o + 1",
            "p + 1",
            "p == 0",
            "g(i)",
            "i++",
            "&i",
            "unknown + 1",
            "i = 1",
            "(half) i",
            "true",
            "p[p]",
        ] {
            check(Language::C, expression, "None");
        }
    }
}
