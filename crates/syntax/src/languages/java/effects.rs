//! Java.

use crate::flow::constant::{Constant, constant_value, is_constant_expression};
use crate::flow::effects::{Hazards, is_floating, is_nonzero, together};
use crate::kind::{Field, Kind};
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::Type;

pub(crate) fn hazards(node: Node<'_>) -> Hazards {
    match node.kind() {
        Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::OctalIntegerLiteral
        | Kind::BinaryIntegerLiteral
        | Kind::DecimalFloatingPointLiteral
        | Kind::HexFloatingPointLiteral
        | Kind::CharacterLiteral
        | Kind::True
        | Kind::False
        | Kind::NullLiteral
        | Kind::ClassLiteral
        | Kind::This
        | Kind::LambdaExpression => Hazards::NONE,
        Kind::StringLiteral => {
            let is_plain = node.named_children().all(|part| part.kind() != Kind::StringInterpolation);
            Hazards::of(Hazards::ALL, !is_plain)
        }
        Kind::ParenthesizedExpression => together(node.named_children(), hazards),
        Kind::Identifier => of_name(node),
        Kind::FieldAccess => of_field(node),
        Kind::ArrayAccess => together(node.named_children(), hazards) | Hazards::RAISES,
        Kind::UnaryExpression => {
            together(node.children_at(Field::Operand), |operand| hazards(operand) | unboxing(operand))
        }
        Kind::BinaryExpression => of_binary(node),
        Kind::TernaryExpression => of_conditional(node),
        // One with a pattern assigns to a variable.
        Kind::InstanceofExpression if node.child(Field::Name).is_none() && node.child(Field::Pattern).is_none() => {
            node.child(Field::Left).map_or(Hazards::ALL, hazards)
        }
        Kind::CastExpression => of_cast(node),
        Kind::ArrayCreationExpression => of_array(node),
        Kind::ArrayInitializer => together(node.named_children(), |element| hazards(element) | conversion(element)),
        Kind::MethodReference => {
            let is_plain = node.named_children().next().is_some_and(|receiver| match receiver.kind() {
                Kind::This | Kind::Super => true,
                _ => names_type(receiver),
            });
            Hazards::of(Hazards::ALL, !is_plain)
        }
        _ => Hazards::ALL,
    }
}

fn type_of(node: Node<'_>) -> Type {
    node.program().type_of(node)
}

fn is_primitive(evident: &Type) -> bool {
    matches!(evident, Type::Number(_) | Type::Boolean)
}

/// An operator on a number or a truth value fails when it meets null instead.
fn unboxing(operand: Node<'_>) -> Hazards {
    Hazards::of(Hazards::RAISES, !is_primitive(&type_of(operand)))
}

/// What is stored or chosen may have to become a primitive value.
fn conversion(value: Node<'_>) -> Hazards {
    let is_certain = matches!(type_of(value), Type::Number(_) | Type::Boolean | Type::Text | Type::Null)
        || value.kind() == Kind::ArrayInitializer;
    Hazards::of(Hazards::RAISES, !is_certain)
}

fn of_name(name: Node<'_>) -> Hazards {
    let scopes = name.program().scopes();
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => match scopes.symbol(symbol).kind {
            SymbolKind::Local | SymbolKind::Parameter => Hazards::NONE,
            SymbolKind::Field => of_class_variable(name, symbol),
            _ => Hazards::ALL,
        },
        // It may belong to a class that is used here for the first time.
        _ => Hazards::ALL,
    }
}

/// A static field of another class may be what makes that class start its initialisers.
fn of_class_variable(name: Node<'_>, symbol: SymbolId) -> Hazards {
    let program = name.program();
    let declared = program.node(program.scopes().symbol(symbol).declaration);
    let body_around = |node: Node<'_>| {
        node.ancestors()
            .find(|around| {
                matches!(
                    around.kind(),
                    Kind::ClassBody | Kind::EnumBody | Kind::InterfaceBody | Kind::AnnotationTypeBody | Kind::Program
                )
            })
            .map(Node::id)
    };
    let is_instance_variable = is_instance_variable(declared);
    let is_harmless =
        is_instance_variable || body_around(declared) == body_around(name) || is_constant_expression(name);
    Hazards::of(Hazards::ALL, !is_harmless)
}

/// A field that is certainly not static: enumeration constants and the fields of interfaces are.
fn is_instance_variable(declared: Node<'_>) -> bool {
    let declaration = declared.ancestors().nth(1);
    declaration.is_some_and(|field| {
        let modifiers = field.child_of_kind(Kind::Modifiers);
        field.kind() == Kind::FieldDeclaration && !modifiers.is_some_and(|modifiers| modifiers.has_token("static"))
    })
}

fn names_type(node: Node<'_>) -> bool {
    let scopes = node.program().scopes();
    let is_type = |symbol: SymbolId| scopes.symbol(symbol).kind == SymbolKind::Type;
    scopes.symbol_at(node).is_some_and(is_type)
}

fn of_field(node: Node<'_>) -> Hazards {
    let (Some(object), Some(field)) = (node.child(Field::Object), node.child(Field::Field)) else {
        return Hazards::ALL;
    };
    if field.kind() == Kind::This {
        return Hazards::NONE;
    }
    let scopes = node.program().scopes();
    let symbol = scopes.symbol_at(field).filter(|symbol| scopes.symbol(*symbol).kind == SymbolKind::Field);
    if names_type(object) {
        return symbol.map_or(Hazards::ALL, |symbol| of_class_variable(field, symbol));
    }
    if matches!(object.kind(), Kind::This | Kind::Super) {
        return symbol.map_or(Hazards::EFFECT, |_| Hazards::NONE);
    }
    let is_length = field.text() == "length" && matches!(type_of(object), Type::Array(_));
    let is_plain = is_length
        || symbol.is_some_and(|symbol| is_instance_variable(node.program().node(scopes.symbol(symbol).declaration)));
    hazards(object) | Hazards::RAISES | Hazards::of(Hazards::EFFECT, !is_plain)
}

fn of_binary(node: Node<'_>) -> Hazards {
    let (Some(left), Some(right), Some(operator)) =
        (node.child(Field::Left), node.child(Field::Right), node.child(Field::Operator))
    else {
        return Hazards::ALL;
    };
    let operands = hazards(left) | hazards(right);
    let (left_type, right_type) = (type_of(left), type_of(right));
    let both_primitive = is_primitive(&left_type) && is_primitive(&right_type);
    operands
        | match operator.text() {
            "+" if left_type == Type::Text || right_type == Type::Text => {
                let has_plain_text =
                    |operand: &Type| is_primitive(operand) || matches!(operand, Type::Text | Type::Null);
                Hazards::of(Hazards::ALL, !has_plain_text(&left_type) || !has_plain_text(&right_type))
            }
            // It may put strings together, and ask objects for theirs.
            "+" => Hazards::of(Hazards::ALL, !both_primitive),
            "/" | "%" => {
                let cannot_fail =
                    both_primitive && (is_floating(&left_type) || is_floating(&right_type) || is_nonzero(right));
                Hazards::of(Hazards::RAISES, !cannot_fail)
            }
            "==" | "!=" => {
                // Two objects are compared as they are; a boxed number and a plain one are not.
                let is_reference =
                    |operand: &Type| matches!(operand, Type::Text | Type::Null | Type::Declared(_) | Type::Array(_));
                let compares_with_null = left_type == Type::Null || right_type == Type::Null;
                let both_references = is_reference(&left_type) && is_reference(&right_type);
                Hazards::of(Hazards::RAISES, !(both_primitive || both_references || compares_with_null))
            }
            _ => Hazards::of(Hazards::RAISES, !both_primitive),
        }
}

fn of_conditional(node: Node<'_>) -> Hazards {
    let (Some(condition), Some(first), Some(second)) =
        (node.child(Field::Condition), node.child(Field::Consequence), node.child(Field::Alternative))
    else {
        return Hazards::ALL;
    };
    let (first_type, second_type) = (type_of(first), type_of(second));
    // When one arm is a plain number and the other one is an object, the object is unboxed.
    let keeps_values = is_primitive(&first_type) && is_primitive(&second_type)
        || [&first_type, &second_type]
            .iter()
            .all(|arm| matches!(arm, Type::Text | Type::Null | Type::Declared(_) | Type::Array(_)));
    let parts = hazards(condition) | unboxing(condition) | hazards(first) | hazards(second);
    parts | Hazards::of(Hazards::RAISES, !keeps_values)
}

fn of_cast(node: Node<'_>) -> Hazards {
    let (Some(target), Some(value)) = (node.child(Field::Type), node.child(Field::Value)) else { return Hazards::ALL };
    let becomes_primitive = matches!(target.kind(), Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType);
    hazards(value) | Hazards::of(Hazards::RAISES, !(becomes_primitive && is_primitive(&type_of(value))))
}

fn of_array(node: Node<'_>) -> Hazards {
    let lengths = node.children().filter(|child| child.kind() == Kind::DimensionsExpr);
    let of_length = |dimension: Node<'_>| match dimension.named_children().last() {
        Some(length) => {
            let is_length = matches!(constant_value(length), Some(Constant::Integer(number)) if number >= 0);
            hazards(length) | Hazards::of(Hazards::RAISES, !is_length)
        }
        None => Hazards::ALL,
    };
    together(lengths, of_length) | node.child(Field::Value).map_or(Hazards::NONE, hazards)
}

#[cfg(test)]
mod tests {
    use crate::flow::testing::with_marked;
    use crate::flow::{may_have_effect, may_raise};
    use crate::language::Language;

    fn check(expression: &str, effect: bool, raises: bool) {
        let source = format!(
            "class A {{ int n; static int s; static final int C = 3; Integer boxed; String t; A next; int[] k; \
             static class B {{ static int q; }} \
             void f(int i, int j, boolean b, double d, Object o, long l) {{ Object x = «{expression}»; }} }}"
        );
        with_marked(Language::Java, &source, |node| {
            assert_eq!(may_have_effect(node), effect, "effect of {expression}");
            assert_eq!(may_raise(node), raises, "failure of {expression}");
        });
    }

    #[test]
    fn harmless() {
        let expressions = [
            "1",
            "\"a\"",
            "null",
            "i",
            "n",
            "this.n",
            "s",
            "A.s",
            "C",
            "i + j",
            "i * j - 2",
            "-i",
            "!b",
            "b && i < j",
            "i / 2",
            "i % C",
            "d / i",
            "i == j",
            "o == null",
            "t == \"a\"",
            "b ? i : j",
            "(long) i",
            "(int) d",
            "\"a\" + i + t",
            "new int[3]",
            "new int[] { 1, i }",
            "() -> f()",
            "o instanceof A",
            "A.class",
            "this",
            "i << 2",
        ];
        for expression in expressions {
            check(expression, false, false);
        }
    }

    #[test]
    fn may_fail() {
        let expressions = [
            "i / j",
            "i % 0",
            "l / i",
            "k[0]",
            "next.n",
            "boxed * 2",
            "(A) o",
            "new int[i]",
            "k.length",
            "-boxed",
            "boxed == i",
            "b ? i : boxed",
            "(int) boxed",
        ];
        for expression in expressions {
            check(expression, false, true);
        }
    }

    #[test]
    fn may_do_anything() {
        let expressions = [
            "f()",
            "i = 1",
            "i++",
            "new A()",
            "\"a\" + o",
            "o + t",
            "B.q",
            "Foo.x",
            "unknown",
            "o instanceof A a",
            "switch (i) { default -> 1; }",
            "boxed + 1",
            "next.f()",
            "Foo::bar",
        ];
        for expression in expressions {
            check(expression, true, true);
        }
    }
}
