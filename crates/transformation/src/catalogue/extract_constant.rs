//! Extracts a literal into a fresh local variable just before its statement.
//!
//! class: structure
//! groups: coda
//! from: CODA (R4), DIP
//! rules: number, string, character, boolean
//! inverse: inline-constant
//!
//! Evaluating a literal has no effect, so it does not matter when it happens. What matters is where a literal means
//! more than its value: case labels, annotation values, array bounds, `final` and `static` initialisers, Java
//! constants that fit a smaller type, conditions that a compiler must see through, `0` as a null pointer, strings
//! that are arrays, docstrings, formats, keys. All these are left alone.
//!
//! ```java
//! int f(int n) { return n + 7; }
//! ```
//! ->
//! ```java
//! int f(int n) { int localInt1 = 7; return n + localInt1; }
//! ```
//!
//! ```c
//! int f(int n) { printf("%d", n); return n; }
//! ```
//! ->
//! ```c
//! int f(int n) { char *local_pointer_1 = "%d"; printf(local_pointer_1, n); return n; }
//! ```
//!
//! ```cpp
//! int f(double d) { d = d * 0.5; return 1; }
//! ```
//! ->
//! ```cpp
//! int f(double d) { double local_double_1 = 0.5; d = d * local_double_1; return 1; }
//! ```
//!
//! ```python
//! def f(n):
//!     """Text."""
//!     return n + 'x'
//! ```
//! ->
//! ```python
//! def f(n):
//!     """Text."""
//!     local_string_1 = 'x'
//!     return n + local_string_1
//! ```
//!
//! ```javascript
//! function f(n) { for (let i = 0; i < n; i++) { g({1: i}); } }
//! ```
//! ->
//! ```javascript
//! function f(n) { let localNumber1 = 0; for (let i = localNumber1; i < n; i++) { g({1: i}); } }
//! ```
//!
//! ```java
//! void f(int n) { byte b = 5; switch (n) { case 1: break; } final int k = 3; while (true) { } }
//! ```
//!
//! ```c
//! void f(void) { char text[] = "x"; static int n = 3; char *p = 0; int a[4]; g(0); }
//! ```

use std::collections::HashMap;

use syntax::flow::is_constant_expression;
use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, NodeId, Program, Type};

use crate::Sites;
use crate::parts::assignments::is_in_macro_call;
use crate::parts::branches::has_entries;
use crate::parts::constants::{condition_around, is_handed_over_by_value, returned_type, rule_of_literal};
use crate::parts::declarations::declaration;
use crate::parts::layout::replace;
use crate::parts::macros::is_macro_argument;
use crate::parts::statements::{
    Position, is_evaluated_by_compiler, is_function, is_statement_list, positions_of_names,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    let places: HashMap<NodeId, Position<'p>> = positions_of_names(program)
        .into_iter()
        .filter_map(|position| position.before.map(|statement| (statement.id(), position)))
        .collect();
    let mut takes_declarations: HashMap<NodeId, bool> = HashMap::new();
    for literal in program.nodes() {
        let Some(rule) = rule_of_literal(literal) else { continue };
        let Some(position) = place_of(literal, &places) else { continue };
        let is_allowed = *takes_declarations.entry(position.list.id()).or_insert_with(|| position.allows_declaration());
        // Who jumps to a label in the statement passes the constant before it.
        if is_allowed && is_only_a_value(literal) && !position.before.is_some_and(has_entries) {
            sites.add_rule(rule, literal.range(), move |choice| {
                let value_type = program.type_of(literal);
                let name = choice.local("constant", value_type.clone())?;
                let text = declared(program.language(), &name, &value_type, literal)?;
                Some(vec![position.insert(&text), replace(literal, &name)])
            });
        }
    }
}

fn declared(language: Language, name: &str, value_type: &Type, literal: Node<'_>) -> Option<String> {
    match (language, value_type) {
        (Language::C, Type::Pointer(_)) => Some(format!("char *{name} = {};", literal.text())),
        (Language::Cpp, Type::Pointer(_)) => Some(format!("const char *{name} = {};", literal.text())),
        _ => declaration(language, name, value_type, literal.text()),
    }
}

/// The place before the statement that the literal belongs to. The body of a function, a class or an unbraced branch
/// in between is another place.
fn place_of<'p>(literal: Node<'p>, places: &HashMap<NodeId, Position<'p>>) -> Option<Position<'p>> {
    for around in std::iter::once(literal).chain(literal.ancestors()) {
        let is_class = matches!(
            around.kind(),
            Kind::ClassBody
                | Kind::ClassDefinition
                | Kind::ClassDeclaration
                | Kind::Class
                | Kind::FieldDeclarationList
                | Kind::EnumeratorList
                | Kind::EnumBody
                | Kind::DecoratedDefinition
        );
        if is_function(around) || is_class {
            return None;
        }
        if around.parent().is_some_and(is_statement_list) {
            return places.get(&around.id()).copied();
        }
        if around.kind().name().ends_with("_statement") {
            return None;
        }
    }
    None
}

/// Would a variable do as well as the literal?
fn is_only_a_value(literal: Node<'_>) -> bool {
    match literal.program().language() {
        Language::Java => is_value_in_java(literal),
        Language::C | Language::Cpp => {
            let is_constant = is_evaluated_by_compiler(literal) || is_needed_by_compiler(literal);
            is_value_in_c(literal) && !is_in_macro_call(literal) && !is_constant
        }
        Language::Python => is_value_in_python(literal),
        Language::JavaScript => is_value_in_javascript(literal),
    }
}

fn is_value_in_python(literal: Node<'_>) -> bool {
    let means_more = |around: Node<'_>| match around.kind() {
        Kind::Interpolation
        | Kind::FormatExpression
        | Kind::FormatSpecifier
        | Kind::ConcatenatedString
        | Kind::Type
        | Kind::CasePattern
        | Kind::CaseClause
        | Kind::ExecStatement
        | Kind::DeleteStatement
        | Kind::GlobalStatement => true,
        Kind::ComparisonOperator => {
            around.children_at(Field::Operators).any(|operator| operator.text().starts_with("is"))
        }
        _ => false,
    };
    literal.parent().is_some_and(|parent| parent.kind() != Kind::ExpressionStatement)
        && !literal.ancestors().take_while(|around| !is_statement_list(*around)).any(means_more)
}

fn is_value_in_javascript(literal: Node<'_>) -> bool {
    let Some(parent) = literal.parent() else { return false };
    let means_more = |around: Node<'_>| {
        around.kind().name().starts_with("jsx")
            || around.kind().name().starts_with("import")
            || around.kind() == Kind::ExportStatement
    };
    !matches!(parent.kind(), Kind::ExpressionStatement | Kind::FieldDefinition | Kind::MethodDefinition)
        && !matches!(literal.role(), Field::Key | Field::Source | Field::Name | Field::Property)
        && !literal.ancestors().take_while(|around| !is_statement_list(*around)).any(means_more)
}

/// What becomes of the value that a literal is a part of.
enum Use {
    /// It is taken as it is.
    Value,
    /// It is stored as a value of this type; the second says whether the literal is all of it.
    Stored(Type, bool),
}

fn is_value_in_java(literal: Node<'_>) -> bool {
    let digits = literal.text().replace('_', "");
    if matches!(digits.as_str(), "2147483648" | "9223372036854775808L" | "9223372036854775808l") {
        return false;
    }
    if condition_around(literal).is_some_and(|condition| is_constant_expression(inner(condition))) {
        return false;
    }
    let is_narrow = matches!(literal.program().type_of(literal), Type::Number(Number::Int | Number::Char));
    match use_of(literal) {
        None => false,
        Some(Use::Value) => true,
        Some(Use::Stored(_, _)) if !is_narrow => true,
        // A constant that fits is stored in a smaller type without a cast; a variable is not.
        Some(Use::Stored(target, is_whole)) => match target {
            Type::Number(Number::Int | Number::Long | Number::Float | Number::Double) => true,
            Type::Number(Number::Char) => is_whole && literal.kind() == Kind::CharacterLiteral,
            Type::Text | Type::Boolean => true,
            Type::Outside(name) => matches!(name.as_str(), "Integer" | "Object" | "Number") && is_whole,
            _ => false,
        },
    }
}

fn is_value_in_c(literal: Node<'_>) -> bool {
    let program = literal.program();
    let is_cpp = program.language() == Language::Cpp;
    let own = program.type_of(literal);
    if !matches!(own, Type::Number(_) | Type::Boolean | Type::Pointer(_)) {
        return false;
    }
    if condition_around(literal).is_some_and(|condition| is_constant_expression(inner(condition))) {
        return false;
    }
    let is_string = matches!(own, Type::Pointer(_));
    // A zero may be a null pointer, but a variable that is zero is not one.
    let is_zero = literal.text().chars().all(|digit| digit == '0');
    let Some(parent) = literal.parent() else { return false };
    if parent.kind() == Kind::ArgumentList {
        let is_known = is_handed_over_by_value(literal);
        let function = parent.parent().and_then(|call| call.child(Field::Function));
        let is_spoken = function.is_some_and(|function| {
            let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            function.kind() == Kind::Identifier
                && function.text().chars().all(is_plain)
                && !function.text().starts_with("__")
        });
        return !is_zero && (is_known || !is_cpp && !is_string && is_spoken);
    }
    match use_of(literal) {
        None => false,
        Some(Use::Value) => !is_string || is_streamed(literal),
        Some(Use::Stored(target, is_whole)) => match target {
            Type::Number(_) | Type::Boolean => !is_string,
            Type::Pointer(pointed) => is_string && is_whole && *pointed == Type::Number(Number::Char),
            Type::Text => is_string && is_whole && is_cpp,
            _ => false,
        },
    }
}

/// Is the literal part of a constant expression: the length of an array, a template argument, an attribute?
fn is_needed_by_compiler(literal: Node<'_>) -> bool {
    let is_known = |around: Node<'_>| match around.kind() {
        Kind::ArrayDeclarator
        | Kind::AbstractArrayDeclarator
        | Kind::TemplateArgumentList
        | Kind::Decltype
        | Kind::Noexcept
        | Kind::AlignasQualifier
        | Kind::AttributeSpecifier
        | Kind::AttributeDeclaration
        | Kind::MsDeclspecModifier
        | Kind::GnuAsmExpression => true,
        Kind::IfStatement => around.has_token("constexpr"),
        _ => false,
    };
    literal.ancestors().take_while(|around| !is_statement_list(*around)).any(is_known)
}

/// Is the string written to one of the streams of the standard library?
fn is_streamed(literal: Node<'_>) -> bool {
    let Some(parent) = literal.parent().filter(|_| literal.role() == Field::Right) else { return false };
    let mut stream = parent;
    while stream.kind() == Kind::BinaryExpression && stream.has_token("<<") {
        match stream.child(Field::Left) {
            Some(left) => stream = left,
            None => return false,
        }
    }
    stream != parent && matches!(stream.text(), "cout" | "std::cout" | "cerr" | "std::cerr")
}

fn inner(condition: Node<'_>) -> Node<'_> {
    match condition.kind() {
        Kind::ParenthesizedExpression | Kind::ConditionClause => condition.named_children().next().unwrap_or(condition),
        _ => condition,
    }
}

/// Follows the literal through the operators around it to where the value is used. `None` when that is a place where
/// a literal may mean more than its value.
fn use_of(literal: Node<'_>) -> Option<Use> {
    let program = literal.program();
    let is_java = program.language() == Language::Java;
    let is_number = |node: Node<'_>| matches!(program.type_of(node), Type::Number(_) | Type::Boolean);
    let mut node = literal;
    // After a comparison or a shift the type of the literal does not matter any more, but the place of the whole does.
    let mut is_compared = false;
    let stored = |target: Type, is_whole: bool, is_compared: bool| match is_compared {
        true => Some(Use::Value),
        false => Some(Use::Stored(target, is_whole)),
    };
    loop {
        let parent = node.parent()?;
        match parent.kind() {
            Kind::ParenthesizedExpression => {
                let is_tested = parent.role() == Field::Condition;
                if is_tested {
                    return Some(Use::Value);
                }
            }
            Kind::ConditionClause => return Some(Use::Value),
            Kind::UnaryExpression => {}
            Kind::BinaryExpression => {
                // Java puts constant strings together once and for all.
                if is_java && program.type_of(parent) == Type::Text && is_constant_expression(parent) {
                    return None;
                }
                let operator = parent.child(Field::Operator)?.text();
                let other = if node.role() == Field::Left { Field::Right } else { Field::Left };
                let is_plain = is_java || is_compared || operator == "<<" || parent.child(other).is_some_and(is_number);
                if !is_plain {
                    return None;
                }
                if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||")
                    || operator == "<<" && !is_java && node.role() == Field::Right
                {
                    is_compared = true;
                }
            }
            Kind::TernaryExpression | Kind::ConditionalExpression => {
                if node.role() == Field::Condition {
                    return Some(Use::Value);
                }
                let arm = |field: Field| parent.child(field).map(|arm| program.type_of(arm));
                let (first, second) = (arm(Field::Consequence)?, arm(Field::Alternative)?);
                if !is_compared && (first != second || first == Type::Unknown) {
                    return None;
                }
            }
            Kind::CastExpression | Kind::CommaExpression if is_compared => {}
            Kind::ExpressionStatement if is_compared => return Some(Use::Value),
            Kind::ArgumentList if is_compared => return (!is_macro_argument(literal)).then_some(Use::Value),
            Kind::ArgumentList => return is_java.then_some(Use::Value),
            Kind::MethodInvocation if node.role() == Field::Object => return Some(Use::Value),
            Kind::VariableDeclarator if node.role() == Field::Value => {
                let statement = parent.parent()?;
                let is_plain = statement.kind() == Kind::LocalVariableDeclaration
                    && statement.child_of_kind(Kind::Modifiers).is_none();
                let name = parent.child(Field::Name).filter(|_| is_plain)?;
                return stored(program.type_of(name), node == literal, is_compared);
            }
            Kind::InitDeclarator if node.role() == Field::Value && parent.has_token("=") => {
                let statement = parent.parent()?;
                let is_plain = statement.kind() == Kind::Declaration
                    && statement.child_of_kind(Kind::StorageClassSpecifier).is_none()
                    && (statement.child_of_kind(Kind::TypeQualifier).is_none() || node.kind() == Kind::StringLiteral);
                let declarator = parent.child(Field::Declarator).filter(|_| is_plain)?;
                let name = match declarator.kind() {
                    Kind::Identifier => declarator,
                    Kind::PointerDeclarator => declarator.child(Field::Declarator)?,
                    _ => return None,
                };
                return stored(program.type_of(name), node == literal, is_compared);
            }
            Kind::AssignmentExpression if node.role() == Field::Right => {
                let (left, operator) = (parent.child(Field::Left)?, parent.child(Field::Operator)?);
                let target = program.type_of(left);
                if !operator.is_token("=") && (is_java || matches!(target, Type::Number(_) | Type::Pointer(_))) {
                    return Some(Use::Value);
                }
                return stored(target, node == literal, is_compared);
            }
            Kind::ReturnStatement => return stored(returned_type(parent), node == literal, is_compared),
            Kind::ArrayAccess | Kind::SubscriptExpression if node.role() == Field::Index => return Some(Use::Value),
            Kind::SubscriptArgumentList => {
                let is_array = parent
                    .parent()
                    .and_then(|element| element.child(Field::Argument))
                    .is_some_and(|base| matches!(program.type_of(base), Type::Array(_) | Type::Pointer(_)));
                return is_array.then_some(Use::Value);
            }
            Kind::DimensionsExpr => return Some(Use::Value),
            Kind::ArrayInitializer => {
                let mut list = parent;
                while let Some(outer) = list.parent().filter(|outer| outer.kind() == Kind::ArrayInitializer) {
                    list = outer;
                }
                let holder = list.parent()?;
                let named = holder.child(Field::Name).or_else(|| holder.child(Field::Type))?;
                let is_final = holder.parent().is_some_and(|parent| parent.kind() == Kind::FieldDeclaration);
                let mut element = program.type_of(named);
                while let Type::Array(inner) = element {
                    element = *inner;
                }
                return if is_final { None } else { stored(element, node == literal, is_compared) };
            }
            Kind::ForStatement if node.role() == Field::Condition => return Some(Use::Value),
            _ => return None,
        }
        node = parent;
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "extract-constant";

    #[test]
    fn what_the_compiler_evaluates_stays() {
        for statement in [
            "constexpr int k = fact(4);",
            "static_assert(fact(4) == 4, \"no\");",
            "int a[fact(4)];",
            "if constexpr (fact(2) > 1) { }",
            "const std::array<int, fact(3)> a;",
        ] {
            check_refused(NAME, Cpp, &format!("constexpr int fact(int n) {{ return n; }}\nvoid g() {{ {statement} }}"));
        }
    }

    #[test]
    fn what_an_attribute_takes_stays() {
        check_refused(NAME, C, "int f(int a) { g(); __attribute__((aligned(32))) int c = a; return c; }");
        check_refused(NAME, Cpp, "int f(int a) { g(); [[gnu::aligned(32)]] int c = a; return c; }");
    }

    #[test]
    fn constants_of_java_that_must_stay() {
        for body in [
            "char c = 65;",
            "short s = 1 + 2;",
            "byte[] a = {1, 2};",
            "Byte b = 5;",
            "char c = b ? 1 : 'a';",
            "String s = \"a\" + \"b\";",
            "do { } while (1 < 2);",
            "if (b) g(1);",
            "Runnable r = () -> g(1);",
            "int n = -2147483648;",
        ] {
            check_refused(NAME, Java, &format!("void f(boolean b) {{ {body} }}"));
        }
        check_refused(NAME, Java, "byte f() { return 5; }");
        check_refused(NAME, Java, "void f() { @A(5) int n; }");
        check_refused(NAME, Java, "class A { A() { this(5); } A(int n) { } }");
    }

    #[test]
    fn each_rule_has_its_type() {
        assert_eq!(
            all_results(NAME, Java, "void f() { g('a', true, \"s\", 1L, 2f); }"),
            [
                "void f() { char localChar1 = 'a'; g(localChar1, true, \"s\", 1L, 2f); }",
                "void f() { boolean localBoolean1 = true; g('a', localBoolean1, \"s\", 1L, 2f); }",
                "void f() { String localString1 = \"s\"; g('a', true, localString1, 1L, 2f); }",
                "void f() { long localLong1 = 1L; g('a', true, \"s\", localLong1, 2f); }",
                "void f() { float localFloat1 = 2f; g('a', true, \"s\", 1L, localFloat1); }",
            ]
        );
    }

    /// pugixml: the shift was taken out of a constant that a macro checks when the program is compiled.
    #[test]
    fn shifts_and_comparisons_may_have_to_be_constant() {
        for body in [
            "static const int n = (1 << 16) * 2;",
            "static int m = 2 == 3;",
            "int a[1 << 3];",
            "switch (n) { case 1 << 2: return; }",
            "enum { A = 1 << 4 };",
        ] {
            check_refused(NAME, C, &format!("void f(char *p, int n) {{ {body} }}"));
            check_refused(NAME, Cpp, &format!("void f(char *p, int n) {{ {body} }}"));
        }
        check(NAME, C, "void f(int n) { n = n << 3; }", "void f(int n) { int local_int_1 = 3; n = n << local_int_1; }");
        check(
            NAME,
            C,
            "void f(int n) { g((n == 3) + 1); }",
            "void f(int n) { int local_int_1 = 3; g((n == local_int_1) + 1); }",
        );
    }

    #[test]
    fn c_and_its_constants() {
        for body in [
            "int a[3];",
            "const int n = 4;",
            "char *p = 0;",
            "if (p == 0) return;",
            "n = sizeof(\"abc\");",
            "int a[] = {1};",
            "switch (n) { case 1: return; }",
            "printk(\"x\");",
            "FLAG(3);",
            "while (1) { n = n; }",
            "printf(\"a\" \"b\");",
            "retry: n = 5; goto retry;",
            "goto in; while (n < 5) { in: n++; }",
        ] {
            check_refused(NAME, C, &format!("void f(char *p, int n) {{ {body} }}"));
        }
        check(
            NAME,
            C,
            "int f(int n) { return n == 0; }",
            "int f(int n) { int local_int_1 = 0; return n == local_int_1; }",
        );
    }

    #[test]
    fn cpp_and_its_references() {
        for body in
            ["v.push_back(5);", "std::get<0>(t);", "auto p = std::make_pair(1, 2);", "Money m = 5;", "int n{5};"]
        {
            check_refused(NAME, Cpp, &format!("void f(std::vector<int> v, T t) {{ {body} }}"));
        }
        check_refused(NAME, Cpp, "void g(int&& n); void f() { g(5); }");
        check(
            NAME,
            Cpp,
            "void f(int n) { std::cout << \"x\" << n; }",
            "void f(int n) { const char *local_pointer_1 = \"x\"; std::cout << local_pointer_1 << n; }",
        );
    }

    #[test]
    fn python_and_its_texts() {
        for text in [
            "def f():\n    'text'\n    return f'{1}'\n",
            "def f(a=1, *, b: 'T' = 2):\n    return a is 1\n",
            "class A:\n    n = 1\n",
            "def f(x):\n    return 'a' 'b'\n",
            "def f(x):\n    match x:\n        case 1: return x\n",
            "def f():\n    n = 1\n    return locals()\n",
            "f = lambda: 1\n",
        ] {
            check_refused(NAME, Python, text);
        }
        check(NAME, Python, "if x:print('a')\n", "if x:local_string_1 = 'a'; print(local_string_1)\n");
    }

    #[test]
    fn javascript_and_its_keys() {
        for text in [
            "'use strict'; f({'a': b, 1: c});",
            "import a from 'b';",
            "function f(a = 1) { }",
            "f(() => 1);",
            "switch (a) { case 1: f(); }",
            "if (a) f(1);",
        ] {
            check_refused(NAME, JavaScript, text);
        }
    }
}
