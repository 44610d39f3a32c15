//! Extracts a subexpression into a new variable just before the statement.
//!
//! class: structure
//! from: common practice
//!
//! The subexpression is a calculation or a comparison that the statement always evaluates. Either it can neither fail
//! nor have an effect and nothing in the statement changes what it reads, or it is the very first thing that the
//! statement evaluates (Java, Python, JavaScript). Its type can be written in one certain way. C and C++ may keep a
//! floating-point number at a higher precision within an expression than in a variable, so such subexpressions are
//! left alone there, and so are arguments of macros and of overloaded C++ operators and functions. The top level of a
//! Python module that is not a script, or that lists its names, gets no new ones.
//!
//! ```java
//! int f(int a, int b) { return (a + b) * 2; }
//! ```
//! ->
//! ```java
//! int f(int a, int b) { int localInt1 = a + b; return localInt1 * 2; }
//! ```
//!
//! ```c
//! int f(int a, int b) { int c = a - b * 2; return c; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { int local_int_1 = b * 2; int c = a - local_int_1; return c; }
//! ```
//!
//! ```cpp
//! int f(int a, int b) {
//!     if (a < b) return 1;
//!     return 2;
//! }
//! ```
//! ->
//! ```cpp
//! int f(int a, int b) {
//!     bool local_boolean_1 = a < b;
//!     if (local_boolean_1) return 1;
//!     return 2;
//! }
//! ```
//!
//! ```python
//! def f(a, b):
//!     return a * b + g()
//! ```
//! ->
//! ```python
//! def f(a, b):
//!     local_1 = a * b
//!     return local_1 + g()
//! ```
//!
//! ```javascript
//! function f(a, b) {
//!     return a * b - g();
//! }
//! ```
//! ->
//! ```javascript
//! function f(a, b) {
//!     let local1 = a * b;
//!     return local1 - g();
//! }
//! ```
//!
//! The second comparison is not always evaluated:
//!
//! ```python
//! def f(a, b):
//!     return a and (b + 1)
//! ```

use syntax::flow::{accesses, is_constant_expression, is_reachable, may_have_effect, may_raise};
use syntax::types::Number;
use syntax::views::{Conditional, contains_directive};
use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::parts::declarations::{declaration, type_text};
use crate::parts::layout::replace;
use crate::parts::python::{scope_around, shows_locals, shows_new_names};
use crate::parts::statements::{Position, is_in_lone_return, is_statement_list};

/// Longer statements are tables, and every part would be compared with the whole.
const LONGEST_STATEMENT: usize = 2000;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let language = program.language();
    let is_refused = match language {
        Language::Python => shows_locals(program),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => false,
    };
    if is_refused {
        return;
    }
    let is_shown = shows_new_names(program);
    // A bit-field is narrower than its declared type, and so is the type of what is calculated with it.
    let has_bit_fields = program.nodes_of_kind(Kind::BitfieldClause).next().is_some();
    for part in program.nodes().filter(|node| is_calculation(*node)) {
        if has_bit_fields && part.descendants().any(|node| node.kind() == Kind::FieldExpression) {
            continue;
        }
        let Some(place) = place_of(part) else { continue };
        let is_fixed = is_constant_expression(part) || is_in_lone_return(place.statement);
        if is_shown(place.statement) || is_fixed || !can_move(part, &place) {
            continue;
        }
        let value_type = program.type_of(part);
        if !is_spelled(language, &value_type) {
            continue;
        }
        sites.add(part.range(), move |choice| {
            let name = choice.local("part", value_type.clone())?;
            let statement = declaration(language, &name, &value_type, part.text())?;
            let position = Position { list: place.list, before: Some(place.statement), after: None };
            Some(vec![position.insert(&statement), replace(outermost_brackets(part), &name)])
        });
    }
}

/// Has the type one certain spelling, and does a variable of it hold exactly the value?
fn is_spelled(language: Language, value_type: &Type) -> bool {
    match language {
        Language::Python | Language::JavaScript => true,
        Language::Java => type_text(language, value_type).is_some(),
        Language::C | Language::Cpp => {
            let is_floating = matches!(value_type, Type::Number(Number::Float | Number::Double | Number::LongDouble));
            !is_floating && type_text(language, value_type).is_some()
        }
    }
}

/// Is this a calculation or a comparison on one line?
fn is_calculation(node: Node<'_>) -> bool {
    let is_one = match node.kind() {
        Kind::BinaryExpression => node.child(Field::Operator).is_some_and(|operator| {
            matches!(
                operator.text(),
                "+" | "-"
                    | "*"
                    | "/"
                    | "%"
                    | "<<"
                    | ">>"
                    | "&"
                    | "|"
                    | "^"
                    | "<"
                    | ">"
                    | "<="
                    | ">="
                    | "=="
                    | "!="
                    | "==="
                    | "!=="
            )
        }),
        Kind::BinaryOperator | Kind::ComparisonOperator => true,
        _ => false,
    };
    is_one && !node.text().contains('\n')
}

/// Where a part is evaluated.
struct Place<'p> {
    statement: Node<'p>,
    list: Node<'p>,
    /// What the statement evaluates, beyond writing a plain variable at its end.
    evaluated: Vec<Node<'p>>,
    /// Is the part the first thing that is evaluated?
    is_first: bool,
}

/// Follows the part up to its statement; `None` when it may not be evaluated, or not as it is written.
fn place_of(part: Node<'_>) -> Option<Place<'_>> {
    let language = part.program().language();
    let mut is_first = true;
    let mut child = part;
    let mut evaluated = Vec::new();
    let statement = loop {
        let parent = child.parent()?;
        let is_whole = child.id() == part.id();
        match parent.kind() {
            Kind::ParenthesizedExpression => {}
            Kind::ConditionClause if parent.named_children().count() == 1 => {}
            Kind::BinaryExpression | Kind::BinaryOperator | Kind::BooleanOperator => {
                let operator = parent.child(Field::Operator)?.text();
                let is_left = child.role() == Field::Left;
                if !is_left && matches!(operator, "&&" | "||" | "??" | "and" | "or") {
                    return None;
                }
                is_first &= is_left;
            }
            Kind::ComparisonOperator => {
                let mut operands = parent.named_children().filter(|node| node.role() != Field::Operators);
                let place = operands.position(|operand| operand.id() == child.id())?;
                if place > 1 {
                    return None;
                }
                is_first &= place == 0;
            }
            Kind::UnaryExpression | Kind::UnaryOperator | Kind::NotOperator => {}
            Kind::CastExpression if language != Language::Cpp => {}
            Kind::TernaryExpression | Kind::ConditionalExpression => {
                if Conditional::of(parent).is_none_or(|choice| choice.condition != child) {
                    return None;
                }
            }
            Kind::ArrayAccess | Kind::Subscript => is_first = false,
            Kind::SubscriptExpression if language != Language::Cpp => is_first = false,
            Kind::ExpressionList | Kind::Tuple | Kind::List => {
                is_first &= parent.named_children().next().is_some_and(|first| first.id() == child.id());
            }
            Kind::ArgumentList | Kind::Arguments => {
                let call = parent.parent()?;
                is_first &= parent.named_children().next().is_some_and(|first| first.id() == child.id());
                is_first &= takes_values(call, part)?;
                child = call;
                continue;
            }
            Kind::Assignment | Kind::AssignmentExpression => {
                let left = parent.child(Field::Left)?;
                if child.role() != Field::Right
                    || is_whole
                    || parent.child(Field::Type).is_some()
                    || parent.parent()?.kind() != Kind::ExpressionStatement
                    || parent.child(Field::Operator).is_some_and(|operator| operator.text() != "=")
                {
                    return None;
                }
                // The parts of the target are evaluated before the value, but after it in Python.
                if left.kind() != Kind::Identifier && language != Language::Python {
                    is_first = false;
                    evaluated.extend(left.named_children());
                }
                evaluated.push(child);
                break parent.parent()?;
            }
            Kind::VariableDeclarator | Kind::InitDeclarator => {
                let declaration = parent.parent()?;
                let is_plain = match declaration.kind() {
                    Kind::LocalVariableDeclaration | Kind::LexicalDeclaration | Kind::VariableDeclaration => true,
                    Kind::Declaration => {
                        declaration.child_of_kind(Kind::StorageClassSpecifier).is_none()
                            && declaration
                                .children()
                                .all(|word| word.kind() != Kind::TypeQualifier || word.text() == "const")
                    }
                    _ => false,
                };
                let declarators = declaration
                    .named_children()
                    .filter(|node| matches!(node.kind(), Kind::VariableDeclarator) || node.role() == Field::Declarator);
                if child.role() != Field::Value || is_whole || !is_plain || declarators.count() != 1 {
                    return None;
                }
                evaluated.push(child);
                break declaration;
            }
            Kind::ReturnStatement | Kind::ExpressionStatement if !is_whole => {
                evaluated.push(child);
                break parent;
            }
            Kind::IfStatement if child.role() == Field::Condition => {
                evaluated.push(child);
                break parent;
            }
            _ => return None,
        }
        child = parent;
    };
    let list = statement.parent().filter(|parent| is_statement_list(*parent))?;
    let is_in_class = language == Language::Python
        && scope_around(statement).is_some_and(|around| around.kind() == Kind::ClassDefinition);
    let position = Position { list, before: Some(statement), after: None };
    let is_good = statement.range().len().min(evaluated.iter().map(|node| node.range().len()).sum())
        <= LONGEST_STATEMENT
        && !is_in_class
        && is_reachable(statement)
        && position.allows_declaration()
        && evaluated.iter().all(|node| !contains_directive(*node));
    is_good.then_some(Place { statement, list, evaluated, is_first })
}

/// Does the call evaluate its arguments once, as they are written? `Some(true)`: and what it evaluates before them
/// does nothing and cannot be changed by the part.
fn takes_values(call: Node<'_>, part: Node<'_>) -> Option<bool> {
    let program = call.program();
    let scopes = program.scopes();
    let kind_of = |name: Node<'_>| scopes.symbol_at(name).map(|symbol| scopes.symbol(symbol).kind);
    let is_function = |name: Node<'_>| name.kind() == Kind::Identifier && kind_of(name) == Some(SymbolKind::Function);
    // A function of the program may give the name another value.
    let calls_nothing = || {
        !part.descendants().any(|node| {
            matches!(
                node.kind(),
                Kind::Call | Kind::CallExpression | Kind::NewExpression | Kind::Attribute | Kind::MemberExpression
            )
        })
    };
    match call.kind() {
        Kind::MethodInvocation => Some(call.child(Field::Object).is_none_or(|object| match object.kind() {
            Kind::This => true,
            _ => matches!(kind_of(object), Some(SymbolKind::Local | SymbolKind::Parameter)),
        })),
        Kind::Call => Some(is_function(call.child(Field::Function)?) && calls_nothing()),
        Kind::CallExpression => {
            let function = call.child(Field::Function)?;
            match program.language() {
                Language::JavaScript => Some(is_function(function) && calls_nothing()),
                // What looks like a call of an unknown name may be a macro; C++ may choose another overload.
                Language::C => is_function(function).then_some(false),
                Language::Java | Language::Cpp | Language::Python => None,
            }
        }
        _ => None,
    }
}

fn can_move(part: Node<'_>, place: &Place<'_>) -> bool {
    let language = part.program().language();
    let order_is_defined = match language {
        Language::Java | Language::Python | Language::JavaScript => true,
        Language::C | Language::Cpp => false,
    };
    let waits_or_binds = || {
        part.descendants().any(|node| {
            matches!(
                node.kind(),
                Kind::Yield
                    | Kind::YieldExpression
                    | Kind::Await
                    | Kind::AwaitExpression
                    | Kind::NamedExpression
                    | Kind::Lambda
                    | Kind::AssignmentExpression
                    | Kind::UpdateExpression
            )
        })
    };
    if language == Language::Cpp && !has_built_in_operators(part, place) {
        return false;
    }
    if place.is_first && order_is_defined {
        return !waits_or_binds();
    }
    if may_have_effect(part) || may_raise(part) {
        return false;
    }
    let own = accesses(part);
    if own.has_unresolved || !own.writes.is_empty() {
        return false;
    }
    place.evaluated.iter().all(|other| {
        let others = accesses(*other);
        others.writes.iter().all(|written| !own.reads.contains(written))
            && !(own.touches_memory && may_have_effect(*other))
    })
}

/// Are all operators between the part and its statement those of numbers and truth values?
fn has_built_in_operators(part: Node<'_>, place: &Place<'_>) -> bool {
    let is_number = |node: Node<'_>| matches!(part.program().type_of(node), Type::Number(_) | Type::Boolean);
    part.ancestors()
        .take_while(|around| around.id() != place.statement.id())
        .filter(|around| {
            matches!(around.kind(), Kind::BinaryExpression | Kind::UnaryExpression | Kind::ConditionalExpression)
        })
        .all(is_number)
}

/// The brackets around the part that are not those of a statement or a call.
fn outermost_brackets(part: Node<'_>) -> Node<'_> {
    let mut node = part;
    while let Some(parent) = node.parent().filter(|parent| parent.kind() == Kind::ParenthesizedExpression) {
        let is_of_statement = parent.role() == Field::Condition
            && parent.parent().is_some_and(|around| around.kind() == Kind::IfStatement);
        let has_comment = parent.children().any(|child| child.kind().is_comment());
        if is_of_statement || has_comment {
            break;
        }
        node = parent;
    }
    node
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "extract-variable";

    #[test]
    fn a_function_for_the_compiler_may_have_nothing_but_its_return() {
        check_refused(NAME, Cpp, "constexpr int f(int n) { return n + 1 > 3 ? n : 2; }");
    }

    #[test]
    fn what_the_statement_changes_is_refused() {
        check_refused(NAME, Java, "int f(int i) { return g(i++, i * 2); }");
        check_refused(NAME, C, "int g(int a, int b); int f(int i) { return g(i++, i * 2) - 1; }");
        check_refused(NAME, Java, "class A { int x; int f() { return g() - x * 2; } }");
        check_refused(NAME, JavaScript, "let x = 1; function f() { return g() - x * 2; }");
        check_refused(NAME, Python, "def f(a, b):\n    return g() - a * b\n");
    }

    #[test]
    fn what_may_not_be_evaluated_is_refused() {
        check_refused(NAME, Java, "boolean f(int a, int b) { return g() && a < b; }");
        check_refused(NAME, Java, "int f(boolean c, int a, int b) { return c ? a + b : 2; }");
        check_refused(NAME, C, "void f(int a, int b) { while (a < b) a++; }");
        check_refused(NAME, C, "void f(int a, int b) { for (int i = 0; i < a + b; i++) g(); }");
        check_refused(NAME, Java, "void f(int a, int b) { Runnable r = () -> g(a + b, 1); }");
        check_refused(NAME, Python, "def f(a, b):\n    return [a * b + i for i in g()]\n");
        check_refused(NAME, Python, "def f(a, b):\n    if g(): pass\n    elif a < b: pass\n");
        check_refused(NAME, Java, "void f(int a, int b) { if (g()) h(); else if (a < b) k(); }");
    }

    #[test]
    fn what_may_fail_moves_only_when_it_comes_first() {
        check_refused(NAME, Java, "int f(int a, int b) { return g() + a / b; }");
        check(
            NAME,
            Java,
            "int f(int a, int b) { return a / b + g(); }",
            "int f(int a, int b) { int localInt1 = a / b; return localInt1 + g(); }",
        );
    }

    #[test]
    fn bit_fields_are_refused() {
        check_refused(
            NAME,
            C,
            "struct s { unsigned n : 3; }; int f(struct s *p) { struct s q = *p; return q.n - 4 < 0; }",
        );
    }

    #[test]
    fn constants_stay() {
        check_refused(NAME, Java, "byte f(boolean c) { byte b = (byte) (1 + 2); return b; }");
        check_refused(NAME, C, "int f(void) { return (1 + 2) * 3; }");
    }

    #[test]
    fn macros_and_overloads_are_refused() {
        check_refused(NAME, C, "void f(int a, int b) { ASSERT(a < b); }");
        check_refused(NAME, Cpp, "void f(int a, int b) { std::cout << a * b; }");
        check_refused(NAME, Cpp, "void f(int a, int b) { g(a + b); }");
        check_refused(NAME, C, "double f(double a, double b) { return a * b + 1; }");
        check_refused(NAME, C, "int f(int a, int b) { goto out; out: return (a + b) * 2; }");
    }

    #[test]
    fn lines_and_brackets() {
        check(
            NAME,
            Python,
            "def f(a, b):\n    if a: return(a+b)*2\n",
            "def f(a, b):\n    if a: local_1 = a+b; return local_1*2\n",
        );
        assert_eq!(
            all_results(NAME, JavaScript, "function f(a, b, c) {\n  g()\n  if (a < b && c) h()\n}\n"),
            ["function f(a, b, c) {\n  g()\n  let localBoolean1 = a < b;\n  if (localBoolean1 && c) h()\n}\n"]
        );
        check_refused(NAME, Python, "class A:\n    if b:\n        x = b * 2 + 1\n");
        check_refused(NAME, Python, "def f(a, b):\n    return (a +\n        b) * 2\n");
    }

    #[test]
    fn a_module_that_lists_its_names_gets_no_new_ones() {
        let text = "import sys\nif sys.maxsize == 2**63-1:\n    MAX_PREC = (sys.maxsize - 9) // 2\n";
        check_refused(NAME, Python, text);
        assert_eq!(all_results(NAME, Python, &format!("{text}print(MAX_PREC)\n")).len(), 2);
        check_refused(NAME, Python, &format!("__all__ = ['MAX_PREC']\n{text}"));
        check(
            NAME,
            Python,
            "__all__ = ['f']\ndef f(a, b):\n    return a * b + g()\n",
            "__all__ = ['f']\ndef f(a, b):\n    local_1 = a * b\n    return local_1 + g()\n",
        );
    }
}
