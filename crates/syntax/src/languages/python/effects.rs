//! Python.

use crate::flow::constant::{Constant, constant_value};
use crate::flow::effects::{Hazards, is_defined_by_language, is_floating, is_nonzero, together};
use crate::kind::{Field, Kind};
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type};
use crate::words;

pub(crate) fn hazards(node: Node<'_>) -> Hazards {
    let parts = |node: Node<'_>| together(node.named_children(), hazards);
    let tested = |node: Node<'_>| hazards(node) | Hazards::of(Hazards::ALL, !has_plain_truth(node));
    match node.kind() {
        Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None | Kind::Ellipsis => Hazards::NONE,
        Kind::String => of_string(node),
        Kind::ConcatenatedString | Kind::ParenthesizedExpression | Kind::Tuple | Kind::List => parts(node),
        Kind::Identifier => of_name(node),
        Kind::UnaryOperator => match node.child(Field::Argument) {
            Some(operand) => {
                let is_bitwise = node.child(Field::Operator).is_some_and(|operator| operator.is_token("~"));
                let operand_type = type_of(operand);
                let is_plain = match operand_type {
                    Type::Number(_) => !(is_bitwise && is_floating(&operand_type)),
                    Type::Boolean => !is_bitwise,
                    _ => false,
                };
                hazards(operand) | Hazards::of(Hazards::ALL, !is_plain)
            }
            None => Hazards::ALL,
        },
        Kind::BinaryOperator => of_binary(node),
        Kind::NotOperator => node.child(Field::Argument).map_or(Hazards::ALL, tested),
        Kind::BooleanOperator => match (node.child(Field::Left), node.child(Field::Right)) {
            (Some(left), Some(right)) => tested(left) | hazards(right),
            _ => Hazards::ALL,
        },
        Kind::ConditionalExpression => {
            let conditions = node.named_children().skip(1).take(1);
            parts(node) | together(conditions, tested)
        }
        Kind::ComparisonOperator => of_comparison(node),
        Kind::Subscript => of_element(node),
        Kind::Lambda => {
            let defaults = node.child(Field::Parameters).into_iter().flat_map(Node::named_children);
            together(defaults, |parameter| parameter.child(Field::Value).map_or(Hazards::NONE, hazards))
        }
        Kind::Dictionary => {
            together(node.named_children(), |pair| match (pair.child(Field::Key), pair.child(Field::Value)) {
                (Some(key), Some(value)) => {
                    hazards(key) | hazards(value) | Hazards::of(Hazards::ALL, !is_built_in(&type_of(key)))
                }
                _ => Hazards::ALL,
            })
        }
        Kind::Set => together(node.named_children(), |element| {
            hazards(element) | Hazards::of(Hazards::ALL, !is_built_in(&type_of(element)))
        }),
        _ => Hazards::ALL,
    }
}

fn type_of(node: Node<'_>) -> Type {
    node.program().type_of(node)
}

/// Types whose operators nobody can define, and whose values can be hashed and shown without running
/// code of the program.
fn is_built_in(evident: &Type) -> bool {
    matches!(evident, Type::Number(_) | Type::Boolean | Type::Text | Type::Null)
}

fn has_plain_truth(node: Node<'_>) -> bool {
    let evident = type_of(node);
    is_built_in(&evident) || matches!(evident, Type::Array(_) | Type::Function(_))
}

fn of_string(node: Node<'_>) -> Hazards {
    let interpolations = node.named_children().filter(|part| part.kind() == Kind::Interpolation);
    together(interpolations, |interpolation| {
        let Some(value) = interpolation.child(Field::Expression) else { return Hazards::ALL };
        // A format may not suit the value.
        let has_format = interpolation.child(Field::FormatSpecifier).is_some();
        hazards(value) | Hazards::of(Hazards::ALL, has_format || !is_built_in(&type_of(value)))
    })
}

fn of_binary(node: Node<'_>) -> Hazards {
    let (Some(left), Some(right), Some(operator)) =
        (node.child(Field::Left), node.child(Field::Right), node.child(Field::Operator))
    else {
        return Hazards::ALL;
    };
    let (left_type, right_type) = (type_of(left), type_of(right));
    let is_number = |operand: &Type| matches!(operand, Type::Number(_) | Type::Boolean);
    let is_whole = |operand: &Type| matches!(operand, Type::Number(Number::BigInteger) | Type::Boolean);
    let both_numbers = is_number(&left_type) && is_number(&right_type);
    let both_whole = is_whole(&left_type) && is_whole(&right_type);
    // An integer may be too large to meet a floating-point number.
    let both_alike = both_whole || is_floating(&left_type) && is_floating(&right_type);
    let both_text = left_type == Type::Text && right_type == Type::Text;
    let operation = match operator.text() {
        "+" if both_text => Hazards::NONE,
        "*" if left_type == Type::Text && is_whole(&right_type) => Hazards::NONE,
        "+" | "-" | "*" if both_numbers => Hazards::of(Hazards::RAISES, !both_alike),
        // A quotient of integers may be too large as well.
        "/" if both_numbers => {
            Hazards::of(Hazards::RAISES, !(is_floating(&left_type) && both_alike && is_nonzero(right)))
        }
        "//" | "%" if both_numbers => Hazards::of(Hazards::RAISES, !(both_alike && is_nonzero(right))),
        "&" | "|" | "^" if both_whole => Hazards::NONE,
        "<<" | ">>" if both_whole => {
            let is_distance = matches!(constant_value(right), Some(Constant::Integer(number)) if number >= 0);
            Hazards::of(Hazards::RAISES, !is_distance)
        }
        "**" | "<<" | ">>" if both_numbers => Hazards::RAISES,
        _ => Hazards::ALL,
    };
    hazards(left) | hazards(right) | operation
}

fn of_comparison(node: Node<'_>) -> Hazards {
    let operands: Vec<Node<'_>> = node
        .children()
        .filter(|child| child.role() != Field::Operators && child.is_named() && !child.kind().is_comment())
        .collect();
    let values = together(operands.iter().copied(), hazards);
    let operators = node.children_at(Field::Operators);
    operators.zip(operands.windows(2)).fold(values, |before, (operator, pair)| {
        let (left, right) = (type_of(pair[0]), type_of(pair[1]));
        let is_number = |operand: &Type| matches!(operand, Type::Number(_) | Type::Boolean);
        let is_plain = match operator.text().split_whitespace().next() {
            Some("is") => true,
            Some("==" | "!=") => is_built_in(&left) && is_built_in(&right),
            Some("<" | "<=" | ">" | ">=") => {
                is_number(&left) && is_number(&right) || left == Type::Text && right == Type::Text
            }
            Some("in" | "not") => left == Type::Text && right == Type::Text,
            _ => false,
        };
        before | Hazards::of(Hazards::ALL, !is_plain)
    })
}

fn of_element(node: Node<'_>) -> Hazards {
    let (Some(value), Some(index)) = (node.child(Field::Value), node.child(Field::Subscript)) else {
        return Hazards::ALL;
    };
    let has_elements = matches!(type_of(value), Type::Array(_) | Type::Text);
    let is_index =
        matches!(type_of(index), Type::Number(Number::BigInteger)) && node.children_at(Field::Subscript).count() == 1;
    let element = if has_elements && is_index { Hazards::RAISES } else { Hazards::ALL };
    hazards(value) | hazards(index) | element
}

fn of_name(name: Node<'_>) -> Hazards {
    Hazards::of(Hazards::RAISES, !is_certainly_bound(name))
}

/// Does the name certainly have a value when control comes here?
fn is_certainly_bound(name: Node<'_>) -> bool {
    let scopes = name.program().scopes();
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => {
            let program = name.program();
            let loses_value =
                |symbol| scopes.references_of(symbol).any(|reference| is_deleted(program.node(reference.node)));
            let deleted =
                scopes.deleted.get_or_init(|| scopes.symbols().map(|(symbol, _)| loses_value(symbol)).collect());
            let is_deleted = deleted[symbol.0 as usize];
            let is_parameter = scopes.symbol(symbol).kind == SymbolKind::Parameter;
            !is_deleted && (is_parameter || is_bound_around(name, symbol))
        }
        Some(Target::Outside) => is_defined_by_language(name),
        _ => false,
    }
}

/// `del name`, or the end of `except … as name`, takes the value away.
fn is_deleted(name: Node<'_>) -> bool {
    let mut around = name
        .ancestors()
        .skip_while(|node| matches!(node.kind(), Kind::ExpressionList | Kind::Tuple | Kind::ParenthesizedExpression));
    match around.next().map(Node::kind) {
        Some(Kind::DeleteStatement) => true,
        Some(Kind::AsPatternTarget) => around.nth(1).is_some_and(|clause| clause.kind() == Kind::ExceptClause),
        _ => false,
    }
}

/// Is there a statement that binds the name and comes before every way to this place?
fn is_bound_around(name: Node<'_>, symbol: SymbolId) -> bool {
    let mut child = name;
    for parent in name.ancestors() {
        let is_bound = match parent.kind() {
            Kind::Block | Kind::Module => parent
                .named_children()
                .take_while(|earlier| earlier.id() < child.id())
                .any(|earlier| binds(earlier, symbol)),
            Kind::ForStatement if child.role() == Field::Body => {
                parent.child(Field::Left).is_some_and(|target| is_target(target, symbol))
            }
            Kind::WithStatement if child.role() == Field::Body => {
                parent.descendants().take_while(|node| node.id() < child.id()).any(|node| {
                    node.kind() == Kind::AsPatternTarget
                        && node.named_children().any(|target| is_target(target, symbol))
                })
            }
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::GeneratorExpression
                if child.role() == Field::Body =>
            {
                let clauses = parent.named_children().filter(|clause| clause.kind() == Kind::ForInClause);
                let mut targets = clauses.filter_map(|clause| clause.child(Field::Left));
                targets.any(|target| is_target(target, symbol))
            }
            _ => false,
        };
        if is_bound {
            return true;
        }
        child = parent;
    }
    false
}

/// Does the statement, when it completes, leave the name bound?
fn binds(statement: Node<'_>, symbol: SymbolId) -> bool {
    let scopes = statement.program().scopes();
    let is_name = |name: Node<'_>| scopes.symbol_at(name) == Some(symbol);
    match statement.kind() {
        Kind::ExpressionStatement => {
            let mut value = statement.named_children().next();
            while let Some(assignment) = value.filter(|node| node.kind() == Kind::Assignment) {
                let has_value = assignment.child(Field::Right).is_some();
                if has_value && assignment.child(Field::Left).is_some_and(|target| is_target(target, symbol)) {
                    return true;
                }
                value = assignment.child(Field::Right);
            }
            false
        }
        Kind::FunctionDefinition | Kind::ClassDefinition => statement.child(Field::Name).is_some_and(is_name),
        Kind::DecoratedDefinition => {
            statement.child(Field::Definition).is_some_and(|definition| binds(definition, symbol))
        }
        Kind::ImportStatement | Kind::ImportFromStatement => {
            statement.children_at(Field::Name).any(|imported| match imported.child(Field::Alias) {
                Some(alias) => is_name(alias),
                None => imported.named_children().next().is_some_and(is_name),
            })
        }
        _ => false,
    }
}

/// Is the name one of the targets of an assignment, without looking into elements and attributes?
fn is_target(target: Node<'_>, symbol: SymbolId) -> bool {
    match target.kind() {
        Kind::Identifier => target.program().scopes().symbol_at(target) == Some(symbol),
        Kind::PatternList
        | Kind::TuplePattern
        | Kind::ListPattern
        | Kind::ListSplatPattern
        | Kind::ParenthesizedExpression
        | Kind::Tuple
        | Kind::List => target.named_children().any(|part| is_target(part, symbol)),
        _ => false,
    }
}

/// The names that both Python 2 and Python 3 define, in the order of their bytes.
pub(crate) const BUILT_INS: &[&str] = words!(
    "ArithmeticError AssertionError AttributeError BaseException DeprecationWarning EOFError Ellipsis
     EnvironmentError Exception FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
     IndentationError IndexError KeyError KeyboardInterrupt LookupError MemoryError NameError NotImplemented
     NotImplementedError OSError OverflowError PendingDeprecationWarning ReferenceError RuntimeError RuntimeWarning
     StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TypeError UnboundLocalError
     UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError
     Warning ZeroDivisionError __debug__ __doc__ __import__ __name__ abs all any bin bool bytearray bytes chr
     classmethod compile complex delattr dict dir divmod enumerate eval filter float format frozenset getattr globals
     hasattr hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct
     open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple
     type vars zip"
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::testing::with_marked;
    use crate::flow::{may_have_effect, may_raise};
    use crate::language::Language;

    fn check(source: &str, effect: bool, raises: bool) {
        with_marked(Language::Python, source, |node| {
            assert_eq!(may_have_effect(node), effect, "effect in {source}");
            assert_eq!(may_raise(node), raises, "failure in {source}");
        });
    }

    #[test]
    fn the_built_in_names_are_in_order() {
        assert!(BUILT_INS.is_sorted());
    }

    #[test]
    fn names_that_are_bound() {
        let bound = [
            "def f(a):\n    x = «a»\n",
            "def f():\n    a = 1\n    x = «a»\n",
            "def f():\n    a, (b, *c) = g()\n    if c: x = «b»\n",
            "def f():\n    for a in b:\n        x = «a»\n",
            "def f():\n    with g() as a:\n        x = «a»\n",
            "def f():\n    import a.b\n    x = «a»\n",
            "def f():\n    def a(): pass\n    x = «a»\n",
            "def f():\n    a = b = 1\n    x = lambda: «b»\n",
            "x = [«a» for a in g()]\n",
            "x = «len»\n",
            "class E(Exception): pass\ntry: pass\nexcept (E, F): x = «E»\n",
        ];
        for source in bound {
            check(source, false, false);
        }
    }

    #[test]
    fn names_that_may_not_be_bound() {
        let unbound = [
            "x = «a»\n",
            "def f():\n    if g(): a = 1\n    x = «a»\n",
            "def f():\n    x = «a»\n    a = 1\n",
            "def f(a):\n    del a\n    x = «a»\n",
            "def f():\n    a: int\n    x = «a»\n",
            "def f():\n    for a in b: pass\n    x = «a»\n",
            "def f():\n    x = [1 for b in «a»]\n    a = 1\n",
            "x = «xrange»\n",
            "def f():\n    a = 1\n    try: pass\n    except E as a: pass\n    x = «a»\n",
            "def f():\n    a = 1\n    del (a, b)\n    x = «a»\n",
        ];
        for source in unbound {
            check(source, false, true);
        }
    }

    #[test]
    fn literals_and_what_is_made_of_them() {
        for value in ["1", "'a'", "[1, 2]", "(1, 'a')", "None", "lambda: f()", "'a' 'b'", "1 + 2"] {
            check(&format!("x = «{value}»\n"), false, false);
        }
    }

    #[test]
    fn what_may_run_code() {
        let anything = [
            "f()",
            "a.b",
            "a[0]",
            "a + b",
            "a < b",
            "not a",
            "a and b",
            "f'{a}'",
            "(a := 1)",
            "[b for b in a]",
            "-a",
            "{a: 1}",
            "{a}",
            "[*a]",
            "await_(1)",
            "'%d' % a",
        ];
        for value in anything {
            check(&format!("def g(a, b):\n    x = «{value}»\n"), true, true);
        }
        check("def g(a, b):\n    x = «a is b»\n", false, false);
        check("def g(a, b):\n    x = «lambda c=a.b: c»\n", true, true);
        check("def g():\n    x = «(yield 1)»\n", true, true);
    }
}
