//! Where an expression stands for its value alone, so that another expression with that value can take its place.

use syntax::{Field, Kind, Language, Node, SymbolKind, Target};

/// Does the node stand where only its value matters, and where brackets may be put around it?
///
/// These are operands, arguments, indices, initial values, what is assigned and what is returned. Left out are
/// targets of assignments, names of functions that are called, what stands alone as a statement, default values,
/// decorators, annotations, interpolations of strings, arguments of what may be a macro, operands that are not
/// evaluated (`sizeof`, `typeof`, `decltype`) and, in JavaScript, what a statement starts with: a bracket there
/// could continue the line before.
pub(crate) fn is_value(node: Node<'_>) -> bool {
    node.is_named() && is_expression(node) && has_value_role(node) && !is_in_special_place(node) && !may_be_braces(node)
}

/// `type name = NULL_NAME;`: a macro from elsewhere may stand for braces with initial values, which no expression can.
/// In C++ braces can also be assigned, returned and passed as an argument.
fn may_be_braces(node: Node<'_>) -> bool {
    let takes_braces = node.parent().is_some_and(|parent| match parent.kind() {
        Kind::InitDeclarator => true,
        Kind::AssignmentExpression | Kind::ReturnStatement | Kind::ArgumentList => {
            node.program().language() == Language::Cpp && node.text().contains("INIT")
        }
        _ => false,
    });
    node.program().language().has_preprocessor()
        && takes_braces
        && node.kind() == Kind::Identifier
        && node.program().scopes().symbol_at(node).is_none()
        && !node.text().contains(char::is_lowercase)
}

fn is_expression(node: Node<'_>) -> bool {
    !matches!(
        node.kind(),
        Kind::ArrayInitializer
            // `T x(a, b);` has a list of arguments where `T x = a;` has a value.
            | Kind::ArgumentList
            | Kind::InitializerList
            | Kind::ElementValueArrayInitializer
            | Kind::ExpressionList
            | Kind::PatternList
            | Kind::ListSplat
            | Kind::DictionarySplat
            | Kind::ParenthesizedListSplat
            | Kind::KeywordArgument
            | Kind::SpreadElement
            | Kind::GeneratorExpression
            | Kind::Yield
            | Kind::YieldExpression
            | Kind::Slice
            | Kind::Pair
            | Kind::PairPattern
            | Kind::ObjectPattern
            | Kind::ArrayPattern
            | Kind::ParameterPackExpansion
            | Kind::FoldExpression
            | Kind::InitializerPair
            | Kind::Comment
            | Kind::LineComment
            | Kind::BlockComment
            | Kind::LineContinuation
            | Kind::TypeDescriptor
            | Kind::PrivatePropertyIdentifier
            | Kind::ShorthandPropertyIdentifier
            | Kind::MethodDefinition
            | Kind::Ellipsis
            | Kind::Declaration
            | Kind::Token
    )
}

/// Does the part that the node plays in its parent take any expression?
fn has_value_role(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let role = node.role();
    // Brackets mean what they stand for: `(x) = 1` assigns, `if (x)` tests.
    if parent.kind() == Kind::ParenthesizedExpression {
        return has_value_role(parent) || is_tested(parent);
    }
    match parent.program().language() {
        Language::Java => match parent.kind() {
            Kind::BinaryExpression => matches!(role, Field::Left | Field::Right),
            Kind::UnaryExpression => role == Field::Operand,
            Kind::TernaryExpression => true,
            Kind::AssignmentExpression => role == Field::Right,
            Kind::VariableDeclarator | Kind::CastExpression => role == Field::Value,
            Kind::ArrayAccess => role == Field::Index,
            Kind::ArgumentList | Kind::ReturnStatement => true,
            Kind::ForStatement => role == Field::Condition,
            _ => false,
        },
        Language::C | Language::Cpp => match parent.kind() {
            Kind::BinaryExpression => matches!(role, Field::Left | Field::Right),
            Kind::UnaryExpression => role == Field::Argument,
            Kind::ConditionalExpression => true,
            Kind::AssignmentExpression => role == Field::Right,
            Kind::InitDeclarator | Kind::CastExpression => role == Field::Value,
            Kind::SubscriptExpression => role == Field::Index,
            Kind::SubscriptArgumentList | Kind::ReturnStatement => true,
            Kind::ArgumentList => parent.parent().is_some_and(calls_a_function),
            Kind::ForStatement => role == Field::Condition,
            Kind::ConditionClause => role == Field::Value && parent.named_children().count() == 1 && is_tested(parent),
            _ => false,
        },
        Language::Python => match parent.kind() {
            Kind::BinaryOperator | Kind::BooleanOperator => matches!(role, Field::Left | Field::Right),
            Kind::NotOperator => role == Field::Argument,
            Kind::ComparisonOperator | Kind::ConditionalExpression => true,
            Kind::Assignment | Kind::AugmentedAssignment => role == Field::Right && !is_assignment(node),
            Kind::ArgumentList => parent.parent().is_some_and(|call| call.kind() == Kind::Call),
            Kind::KeywordArgument => role == Field::Value,
            Kind::ReturnStatement | Kind::List => true,
            Kind::Pair => parent.parent().is_some_and(|around| around.kind() == Kind::Dictionary),
            Kind::Subscript => role == Field::Subscript,
            Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement => role == Field::Condition,
            _ => false,
        },
        Language::JavaScript => match parent.kind() {
            Kind::BinaryExpression => matches!(role, Field::Left | Field::Right),
            Kind::UnaryExpression => {
                role == Field::Argument
                    && parent.child(Field::Operator).is_some_and(|operator| matches!(operator.text(), "!" | "-" | "~"))
            }
            Kind::TernaryExpression => true,
            Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression => role == Field::Right,
            Kind::VariableDeclarator => role == Field::Value,
            Kind::Pair => role == Field::Value,
            Kind::SubscriptExpression => role == Field::Index,
            Kind::Arguments | Kind::ReturnStatement | Kind::Array => true,
            Kind::ForStatement => role == Field::Condition,
            _ => false,
        },
    }
}

/// Python chains assignments: the right side of `a = b = 1` is one.
fn is_assignment(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Assignment | Kind::AugmentedAssignment)
}

/// Are these the brackets of an `if`, a `while` or a `do`?
fn is_tested(brackets: Node<'_>) -> bool {
    brackets.role() == Field::Condition
        && brackets.parent().is_some_and(|statement| {
            matches!(statement.kind(), Kind::IfStatement | Kind::WhileStatement | Kind::DoStatement)
        })
}

/// Is a function called for certain, not a macro, which may do anything with the text of its arguments?
pub(crate) fn calls_a_function(call: Node<'_>) -> bool {
    let Some(callee) = call.child(Field::Function).filter(|_| call.kind() == Kind::CallExpression) else {
        return false;
    };
    let program = call.program();
    match callee.kind() {
        Kind::FieldExpression | Kind::QualifiedIdentifier => true,
        Kind::Identifier => match program.scopes().target(callee) {
            Some(Target::Symbol(symbol)) => program.scopes().symbol(symbol).kind == SymbolKind::Function,
            _ => C_FUNCTIONS.binary_search(&callee.text()).is_ok(),
        },
        _ => false,
    }
}

/// Functions of the standard library that are called often. Some may be macros as well, but they must evaluate each
/// argument once and as an expression.
const C_FUNCTIONS: [&str; 44] = [
    "abs", "atoi", "atol", "calloc", "exit", "fclose", "fgets", "floor", "fopen", "fprintf", "fputs", "fread", "free",
    "fwrite", "isalpha", "isdigit", "malloc", "memcmp", "memcpy", "memmove", "memset", "pow", "printf", "puts", "rand",
    "read", "realloc", "scanf", "snprintf", "sprintf", "sqrt", "srand", "sscanf", "strcat", "strchr", "strcmp",
    "strcpy", "strdup", "strlen", "strncmp", "strncpy", "strstr", "strtol", "write",
];

/// Is the node inside something whose text means more than its value?
fn is_in_special_place(node: Node<'_>) -> bool {
    let mut child = node;
    for around in node.ancestors() {
        let is_special = match around.kind() {
            Kind::Annotation
            | Kind::MarkerAnnotation
            | Kind::AnnotationTypeElementDeclaration
            | Kind::SwitchLabel
            | Kind::Interpolation
            | Kind::Type
            | Kind::Decorator
            | Kind::CaseClause
            | Kind::SizeofExpression
            | Kind::AlignofExpression
            | Kind::Decltype
            | Kind::Noexcept
            | Kind::RequiresClause
            | Kind::RequiresExpression
            | Kind::TemplateArgumentList
            | Kind::TemplateParameterList
            | Kind::StaticAssertDeclaration
            | Kind::AttributeSpecifier
            | Kind::AttributeDeclaration
            | Kind::MsDeclspecModifier
            | Kind::GnuAsmExpression
            | Kind::Enumerator
            | Kind::BitfieldClause
            | Kind::ArrayDeclarator
            | Kind::AbstractArrayDeclarator
            | Kind::NewDeclarator
            | Kind::GenericExpression
            | Kind::DefaultParameter
            | Kind::TypedDefaultParameter
            | Kind::OptionalParameterDeclaration
            | Kind::AssignmentPattern
            | Kind::OffsetofExpression => true,
            // `print (a) % b` of Python 2 would read as a call.
            Kind::PrintStatement => child.start() == node.start(),
            Kind::CaseStatement => child.role() == Field::Value,
            Kind::SwitchCase => child.role() == Field::Value,
            Kind::CallExpression => {
                child.role() == Field::Arguments
                    && matches!(node.program().language(), Language::C | Language::Cpp)
                    && !calls_a_function(around)
            }
            // What starts a statement or the body of an arrow function.
            Kind::ExpressionStatement | Kind::ArrowFunction => {
                node.program().language() == Language::JavaScript
                    && child.start() == node.start()
                    && child.role() != Field::Parameters
            }
            Kind::PreprocIf | Kind::PreprocIfdef | Kind::PreprocElif | Kind::PreprocElifdef => {
                matches!(child.role(), Field::Condition | Field::Name)
            }
            Kind::PreprocElse => false,
            kind => kind.is_directive(),
        };
        if is_special {
            return true;
        }
        child = around;
    }
    false
}

/// Is the expression an operand of Python's `is` or `is not`, which compare objects and not values?
pub(crate) fn is_compared_by_identity(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == Kind::ComparisonOperator
            && parent.children_at(Field::Operators).any(|operator| operator.text().starts_with("is"))
            || matches!(parent.kind(), Kind::ParenthesizedExpression | Kind::ConditionalExpression)
                && is_compared_by_identity(parent)
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, JavaScript, Python};
    use syntax::Program;

    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expected: &[&str]) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        let found: Vec<&str> = program.nodes().filter(|node| is_value(*node)).map(|node| node.text()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_functions_are_sorted() {
        assert!(C_FUNCTIONS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn targets_and_callees_are_no_values() {
        check(Java, "void f() { a = b; c(d); e++; }", &["b", "d"]);
        check(Language::C, "void f(int b) { (b) = 1; &b; sizeof(b); f(b); FOO(b); int q[3 + 1]; }", &["1", "b"]);
        check(Cpp, "void f(int b) { switch (b) { case 1 + 2: b = 3; } g<1 + 2>(); }", &["3"]);
        check(Python, "@d(1)\ndef f(x=1 + 2):\n    x = y = f'{z + 1}'\n    return 4\n", &["f'{z + 1}'", "4"]);
        check(Python, "x = a < \\\n  (b)\n", &["a < \\\n  (b)", "a", "(b)", "b"]);
        check(JavaScript, "a + b; c = d; typeof e; x => f + g;", &["b", "d", "g"]);
    }

    #[test]
    fn a_macro_that_may_expand_to_braces_is_not_a_value() {
        check(Language::C, "void f(void) { lock_t a = LOCK_INITIALIZER; int b = c; }", &["c"]);
        check(Cpp, "void f(lock_t a, int b) { a = LOCK_INITIALIZER; b = LIMIT; }", &["LIMIT"]);
    }

    #[test]
    fn annotations_and_labels_are_no_values() {
        check(Java, "@A(1 + 2) void f() { switch (x) { case 1 + 2: } }", &[]);
        check(Language::C, "#if A + 1\nint f(void) { return 2; }\n#endif\n", &["2"]);
    }
}
