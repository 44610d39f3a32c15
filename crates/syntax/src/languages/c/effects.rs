//! C and C++.

use crate::flow::constant::{Constant, constant_value};
use crate::flow::effects::{Hazards, is_floating, is_nonzero, together};
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::Type;

pub(crate) fn hazards(node: Node<'_>) -> Hazards {
    let is_cpp = node.program().language() == Language::Cpp;
    let overloads = |operand: Node<'_>| Hazards::of(Hazards::ALL, is_cpp && !has_built_in_operators(operand));
    let parts = |node: Node<'_>| together(node.named_children(), hazards);
    match node.kind() {
        Kind::NumberLiteral
        | Kind::CharLiteral
        | Kind::StringLiteral
        | Kind::RawStringLiteral
        | Kind::True
        | Kind::False
        | Kind::Null
        | Kind::This
        | Kind::AlignofExpression
        | Kind::OffsetofExpression => Hazards::NONE,
        Kind::ConcatenatedString => parts(node),
        Kind::SizeofExpression => {
            let is_plain = match (node.child(Field::Type), node.child(Field::Value)) {
                (Some(named), _) => named.descendants().all(|part| part.kind() != Kind::AbstractArrayDeclarator),
                (_, Some(operand)) => has_built_in_operators(operand),
                (None, None) => false,
            };
            Hazards::of(Hazards::ALL, !is_plain)
        }
        // A block in parentheses is an expression, too.
        Kind::ParenthesizedExpression => parts(node),
        Kind::Identifier => of_name(node),
        Kind::QualifiedIdentifier => of_qualified_name(node),
        Kind::UnaryExpression => together(node.children_at(Field::Argument), |part| hazards(part) | overloads(part)),
        Kind::BinaryExpression => of_binary(node),
        Kind::CommaExpression => together(node.named_children(), |part| hazards(part) | overloads(part)),
        Kind::ConditionalExpression => together(node.named_children(), |part| hazards(part) | overloads(part)),
        Kind::CastExpression => match (node.child(Field::Type), node.child(Field::Value)) {
            (Some(target), Some(value)) => of_cast(target, value),
            _ => Hazards::ALL,
        },
        Kind::CallExpression => of_named_cast(node),
        Kind::PointerExpression => of_pointer(node),
        Kind::SubscriptExpression => of_element(node),
        Kind::FieldExpression => of_field(node),
        Kind::LambdaExpression => {
            let captures = node.child(Field::Captures);
            let copies = captures.is_none_or(|captures| {
                captures.named_children().any(|capture| {
                    let is_reference = capture.kind() == Kind::LambdaDefaultCapture && capture.text() == "&";
                    !is_reference
                })
            });
            Hazards::of(Hazards::ALL, copies)
        }
        Kind::InitializerList | Kind::CompoundLiteralExpression if !is_cpp => {
            let values = node.named_children().filter(|part| part.kind() != Kind::TypeDescriptor);
            together(values, |value| match value.kind() {
                Kind::InitializerPair => value.child(Field::Value).map_or(Hazards::ALL, hazards),
                _ => hazards(value),
            })
        }
        _ => Hazards::ALL,
    }
}

fn type_of(node: Node<'_>) -> Type {
    node.program().type_of(node)
}

/// Is the type known to be one whose operators, conversions and copies nobody can define?
pub(crate) fn has_built_in_operators(operand: Node<'_>) -> bool {
    matches!(type_of(operand), Type::Number(_) | Type::Boolean | Type::Pointer(_) | Type::Array(_) | Type::Null)
}

/// Does a declaration of the symbol mention `volatile` or `_Atomic`?
fn is_declared_volatile(node: Node<'_>, symbol: SymbolId) -> bool {
    let program = node.program();
    let declared = program.node(program.scopes().symbol(symbol).declaration);
    let declaration = declared.ancestors().find(|around| {
        matches!(
            around.kind(),
            Kind::Declaration
                | Kind::ParameterDeclaration
                | Kind::FieldDeclaration
                | Kind::OptionalParameterDeclaration
        )
    });
    // A typedef of this input may hide the word.
    let words_of_type = declaration
        .and_then(|declaration| declaration.child(Field::Type))
        .and_then(|named| program.scopes().symbol_at(named))
        .map(|named| program.node(program.scopes().symbol(named).declaration))
        .and_then(|name| name.ancestors().find(|around| around.kind() == Kind::TypeDefinition));
    let says_so = |node: Node<'_>| {
        node.descendants()
            .any(|word| word.kind() == Kind::TypeQualifier && matches!(word.text(), "volatile" | "_Atomic"))
    };
    declaration.is_none_or(says_so) || words_of_type.is_some_and(says_so)
}

fn of_name(name: Node<'_>) -> Hazards {
    let scopes = name.program().scopes();
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => match scopes.symbol(symbol).kind {
            SymbolKind::Function => Hazards::NONE,
            SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Global | SymbolKind::Field => {
                let declared = name.program().node(scopes.symbol(symbol).declaration);
                let is_enumerator = declared.parent().is_some_and(|parent| parent.kind() == Kind::Enumerator);
                let is_old_parameter = declared.parent().is_some_and(|parent| parent.kind() == Kind::ParameterList);
                let is_plain = is_enumerator || is_old_parameter || !is_declared_volatile(name, symbol);
                Hazards::of(Hazards::EFFECT, !is_plain)
            }
            _ => Hazards::ALL,
        },
        // A name from elsewhere may be a macro.
        _ => Hazards::ALL,
    }
}

/// A name after `::` is not a macro.
fn of_qualified_name(node: Node<'_>) -> Hazards {
    let mut last = node;
    while last.kind() == Kind::QualifiedIdentifier {
        match last.child(Field::Name) {
            Some(name) => last = name,
            None => return Hazards::ALL,
        }
    }
    match node.program().scopes().target(last) {
        Some(Target::Symbol(_)) if last.kind() == Kind::Identifier => of_name(last),
        Some(Target::Outside) if last.kind() == Kind::Identifier => Hazards::NONE,
        _ => Hazards::ALL,
    }
}

fn of_binary(node: Node<'_>) -> Hazards {
    let (Some(left), Some(right), Some(operator)) =
        (node.child(Field::Left), node.child(Field::Right), node.child(Field::Operator))
    else {
        return Hazards::ALL;
    };
    let is_cpp = node.program().language() == Language::Cpp;
    let is_overloaded = is_cpp && !(has_built_in_operators(left) && has_built_in_operators(right));
    let divides = matches!(operator.text(), "/" | "%");
    let cannot_fail = !divides || is_safe_divisor(right) || is_floating(&type_of(left)) || is_floating(&type_of(right));
    hazards(left)
        | hazards(right)
        | Hazards::of(Hazards::ALL, is_overloaded)
        | Hazards::of(Hazards::RAISES, !cannot_fail)
}

/// Not only zero fails: the smallest integer divided by minus one overflows, which stops the program.
fn is_safe_divisor(divisor: Node<'_>) -> bool {
    is_nonzero(divisor) && constant_value(divisor) != Some(Constant::Integer(-1))
}

/// A cast to a class runs a constructor, one from a class a conversion.
fn of_cast(target: Node<'_>, value: Node<'_>) -> Hazards {
    let is_built_in = match target.program().language() == Language::Cpp {
        true => {
            let named = target.descendants().all(|part| {
                !matches!(part.kind(), Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType)
            });
            let is_pointer = target.descendants().any(|part| part.kind() == Kind::AbstractPointerDeclarator);
            (named || is_pointer) && has_built_in_operators(value)
        }
        false => true,
    };
    hazards(value) | Hazards::of(Hazards::ALL, !is_built_in)
}

/// `int(x)` and `static_cast<int>(x)` look like calls.
fn of_named_cast(call: Node<'_>) -> Hazards {
    let (Some(function), Some(arguments)) = (call.child(Field::Function), call.child(Field::Arguments)) else {
        return Hazards::ALL;
    };
    let mut values = arguments.named_children();
    let (Some(value), None) = (values.next(), values.next()) else { return Hazards::ALL };
    match function.kind() {
        Kind::PrimitiveType => of_cast(function, value),
        Kind::TemplateFunction => {
            let name = function.child(Field::Name).map_or("", Node::text);
            let target = function.child(Field::Arguments).and_then(|list| list.named_children().next());
            match (name, target) {
                ("static_cast" | "reinterpret_cast" | "const_cast", Some(target)) => of_cast(target, value),
                _ => Hazards::ALL,
            }
        }
        _ => Hazards::ALL,
    }
}

fn of_pointer(node: Node<'_>) -> Hazards {
    let (Some(operator), Some(operand)) = (node.child(Field::Operator), node.child(Field::Argument)) else {
        return Hazards::ALL;
    };
    let is_cpp = node.program().language() == Language::Cpp;
    let is_overloaded = is_cpp && !has_built_in_operators(operand);
    let fails = operator.text() == "*";
    hazards(operand) | Hazards::of(Hazards::ALL, is_overloaded) | Hazards::of(Hazards::RAISES, fails)
}

fn of_element(node: Node<'_>) -> Hazards {
    let Some(base) = node.child(Field::Argument) else { return Hazards::ALL };
    let indices = node.child(Field::Index).or_else(|| node.child(Field::Indices));
    let Some(indices) = indices else { return Hazards::ALL };
    let is_cpp = node.program().language() == Language::Cpp;
    let is_overloaded = is_cpp && !has_built_in_operators(base);
    let index =
        if indices.kind() == Kind::SubscriptArgumentList { indices.named_children().next() } else { Some(indices) };
    let Some(index) = index else { return Hazards::ALL };
    hazards(base)
        | hazards(index)
        | Hazards::of(Hazards::ALL, is_overloaded)
        | Hazards::of(Hazards::RAISES, !is_within_array(base, index))
}

/// Is this a constant index into an array whose constant length is declared in the input?
fn is_within_array(base: Node<'_>, index: Node<'_>) -> bool {
    let program = base.program();
    let Some(symbol) = program.scopes().symbol_at(base) else { return false };
    let declarator = program.node(program.scopes().symbol(symbol).declaration).parent();
    let Some(declarator) = declarator.filter(|node| node.kind() == Kind::ArrayDeclarator) else { return false };
    // A parameter that looks like an array is a pointer.
    let is_parameter = declarator.ancestors().any(|around| around.kind() == Kind::ParameterDeclaration);
    let Some(length) = declarator.child(Field::Size).filter(|_| !is_parameter) else { return false };
    match (constant_value(index), constant_value(length)) {
        (Some(Constant::Integer(index)), Some(Constant::Integer(length))) => (0..length).contains(&index),
        _ => false,
    }
}

fn of_field(node: Node<'_>) -> Hazards {
    let (Some(object), Some(field), Some(operator)) =
        (node.child(Field::Argument), node.child(Field::Field), node.child(Field::Operator))
    else {
        return Hazards::ALL;
    };
    let symbol = node.program().scopes().symbol_at(field);
    // A field of a type that is declared elsewhere may be anything.
    let is_plain = symbol.is_some_and(|symbol| !is_declared_volatile(field, symbol));
    let reads = hazards(object) | Hazards::of(Hazards::EFFECT, !is_plain);
    match operator.text() {
        "." => reads,
        "->" => {
            let is_cpp = node.program().language() == Language::Cpp;
            let is_overloaded = is_cpp && object.kind() != Kind::This && !has_built_in_operators(object);
            let fails = object.kind() != Kind::This;
            reads | Hazards::of(Hazards::ALL, is_overloaded) | Hazards::of(Hazards::RAISES, fails)
        }
        _ => Hazards::ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::testing::with_marked;
    use crate::flow::{may_have_effect, may_raise};

    fn check(language: Language, expression: &str, effect: bool, raises: bool) {
        let source = format!(
            "#define M 3\nstruct S {{ int a; volatile int r; }};\nenum E {{ X }};\nvoid g(void);\n\
             void f(int i, int j, double d, int *p, struct S *s, volatile int v) {{\n\
             int k[4]; struct S t; int y = «{expression}»; }}"
        );
        with_marked(language, &source, |node| {
            assert_eq!(may_have_effect(node), effect, "{language}: effect of {expression}");
            assert_eq!(may_raise(node), raises, "{language}: failure of {expression}");
        });
    }

    #[test]
    fn harmless_in_c() {
        let expressions = [
            "1",
            "i",
            "X",
            "i + j",
            "-i",
            "!i",
            "i && j",
            "i / 2",
            "d / i",
            "i ? i : j",
            "(int) d",
            "(i, j)",
            "&i",
            "p + 1",
            "k[3]",
            "t.a",
            "sizeof(int)",
            "sizeof i",
            "g",
            "~i << 2",
        ];
        for expression in expressions {
            check(Language::C, expression, false, false);
        }
    }

    #[test]
    fn may_fail_in_c() {
        for expression in ["i / j", "i % (2 - 2)", "i / -1", "*p", "p[0]", "k[i]", "k[4]", "s->a", "(*s).a"] {
            check(Language::C, expression, false, true);
        }
    }

    #[test]
    fn may_do_anything_in_c() {
        for expression in ["g()", "i = 1", "i++", "M", "EOF", "({ i; })"] {
            check(Language::C, expression, true, true);
        }
        check(Language::C, "v", true, false);
        check(Language::C, "t.r", true, false);
        check(Language::C, "s->r", true, true);
        check(Language::C, "k[v]", true, true);
    }

    #[test]
    fn cpp_may_overload() {
        let check = |expression: &str, effect: bool, raises: bool| {
            let source = format!(
                "struct C {{ int m; }}; void f(int i, double d, C c, C *p, std::string t, Outside o) {{ \
                 auto y = «{expression}»; }}"
            );
            with_marked(Language::Cpp, &source, |node| {
                assert_eq!(may_have_effect(node), effect, "effect of {expression}");
                assert_eq!(may_raise(node), raises, "failure of {expression}");
            });
        };
        let harmless = [
            "i",
            "i + 1",
            "c.m",
            "&i",
            "(int) d",
            "static_cast<int>(d)",
            "int(d)",
            "[&] { f(); }",
            "nullptr",
            "-i",
            "c",
        ];
        for expression in harmless {
            check(expression, false, false);
        }
        for expression in ["p->m", "i / i", "*p"] {
            check(expression, false, true);
        }
        let anything = [
            "c + 1",
            "t + t",
            "o[0]",
            "*o",
            "o->m",
            "!o",
            "(C) i",
            "static_cast<C>(i)",
            "new C",
            "c == c",
            "o && i",
            "g(i)",
            "[=] { f(); }",
            "i++",
        ];
        for expression in anything {
            check(expression, true, true);
        }
    }
}
