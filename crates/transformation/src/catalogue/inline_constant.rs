//! Inlines a local variable that holds a literal and never changes.
//!
//! class: structure
//! groups: coda
//! from: CODA (R4)
//! rules: number, string, character, boolean
//! inverse: extract-constant
//!
//! Every use comes after the declaration and only reads. The literal keeps the type of the variable: `long` gets its
//! suffix, smaller types a cast. Left alone are conditions that a compiler would then see through, addresses,
//! references, captures that may happen too early, identity comparisons and formats that print names.
//!
//! ```java
//! long f(int n) { long step = 3; return n * step; }
//! ```
//! ->
//! ```java
//! long f(int n) { return n * 3L; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     const int limit = 9;
//!     return n < limit;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     return n < 9;
//! }
//! ```
//!
//! ```cpp
//! double f(double d) { double half = 0.5; return d * half; }
//! ```
//! ->
//! ```cpp
//! double f(double d) { return d * 0.5; }
//! ```
//!
//! ```python
//! def f(n):
//!     suffix = 'x'
//!     return n + suffix
//! ```
//! ->
//! ```python
//! def f(n):
//!     return n + 'x'
//! ```
//!
//! ```javascript
//! function f(n) { const step = 2; return {step, n: n + step}; }
//! ```
//! ->
//! ```javascript
//! function f(n) { return {step: 2, n: n + 2}; }
//! ```
//!
//! ```java
//! int f() { boolean go = true; while (go) { g(); } return 1; }
//! ```
//!
//! ```c
//! void f(void) { int n = 3; g(&n); }
//! ```

use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Target, Type};

use crate::Sites;
use crate::parts::assignments::is_in_macro_call;
use crate::parts::constants::{
    ConstantVariable, condition_around, depends_on_others, extent, is_handed_over_by_value, literal_declaration,
    returned_type, rule_of_literal, typed_literal,
};
use crate::parts::layout::replace;
use crate::parts::statements::{is_function, is_lone_string, is_statement_list};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    for (symbol, entry) in program.scopes().symbols() {
        if entry.kind != SymbolKind::Local {
            continue;
        }
        let name = program.node(entry.declaration);
        let Some((statement, literal)) = literal_declaration(name) else { continue };
        let Some(rule) = rule_of_literal(literal) else { continue };
        let variable = ConstantVariable { symbol, statement, name, literal };
        if is_removable(variable) && typed_literal(variable).is_some() && is_only_read(variable) {
            sites.add_rule(rule, statement.range(), move |_| edits(variable));
        }
    }
}

fn edits(variable: ConstantVariable<'_>) -> Option<Vec<Edit>> {
    let text = typed_literal(variable)?;
    let mut edits = vec![Edit::delete(extent(variable.statement)?)];
    for node in uses(variable) {
        edits.push(match node.kind() {
            Kind::ShorthandPropertyIdentifier => Edit::replace(node, format!("{}: {text}", node.text())),
            _ => replace(node, &text),
        });
    }
    Some(edits)
}

fn uses(variable: ConstantVariable<'_>) -> impl Iterator<Item = Node<'_>> {
    let program = variable.name.program();
    let references = program.scopes().references_of(variable.symbol);
    references.map(|reference| program.node(reference.node)).filter(move |node| *node != variable.name)
}

/// Can the statement go without changing what its neighbours mean?
fn is_removable(variable: ConstantVariable<'_>) -> bool {
    let statement = variable.statement;
    let program = statement.program();
    let Some(list) = statement.parent().filter(|list| is_statement_list(*list)) else { return false };
    // An argument that a macro turns into a text stands for nothing, and needs the variable none the less.
    let is_unclear = program.scopes().references().iter().any(|reference| {
        reference.target == Target::Unknown && program.node(reference.node).text() == variable.name.text()
    });
    let mut next = list.named_children().skip_while(|node| *node != statement).skip(1);
    // A string that comes first is a docstring or a directive.
    let has_neighbour = next.next().is_some_and(|next| !is_lone_string(next));
    let is_free = match program.language() {
        Language::C | Language::Cpp => {
            !contains_directive(list) && !program.is_named_in_directive(variable.name.text())
        }
        // The line before may go on where the declaration was.
        Language::JavaScript => statement.text().ends_with(';') && statement.previous_sibling().is_none_or(is_ended),
        Language::Java | Language::Python => true,
    };
    has_neighbour && is_free && !is_unclear && extent(statement).is_some()
}

fn is_ended(before: Node<'_>) -> bool {
    before.text().ends_with([';', '}', '{', ':'])
}

/// Is every occurrence a use after the declaration that a literal can take the place of?
fn is_only_read(variable: ConstantVariable<'_>) -> bool {
    let program = variable.name.program();
    let Some(list) = variable.statement.parent() else { return false };
    let is_string = matches!(program.type_of(variable.literal), Type::Pointer(_));
    // Each string of C has its own address.
    let count = uses(variable).take(2).count();
    count > 0
        && !(is_string && count > 1)
        && uses(variable).all(|node| {
            list.contains(node)
                && node.start() >= variable.statement.end()
                && !program.scopes().reference_at(node).is_none_or(|reference| reference.declares)
                && runs_later(node, list)
                && !is_in_macro_call(node)
                && takes_literal(node, variable)
                && keeps_conditions(node, variable.symbol)
        })
}

/// Is the place reached only after the declaration? A function that is declared may be called before.
fn runs_later(node: Node<'_>, list: Node<'_>) -> bool {
    let mut between = node.ancestors().take_while(|around| *around != list);
    between.all(|around| match node.program().language() {
        Language::Java | Language::Python => true,
        Language::C | Language::Cpp => !is_function(around),
        Language::JavaScript => !matches!(
            around.kind(),
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::ClassDeclaration
        ),
    })
}

/// Conditions that become constant change what Java accepts and what C may assume; texts of Java that become constant
/// become one object.
fn keeps_conditions(node: Node<'_>, symbol: SymbolId) -> bool {
    let program = node.program();
    match program.language() {
        Language::Python | Language::JavaScript => true,
        Language::Java | Language::C | Language::Cpp => {
            let mut text = None;
            let operations = node
                .ancestors()
                .take_while(|around| matches!(around.kind(), Kind::BinaryExpression | Kind::ParenthesizedExpression));
            for around in operations {
                if around.kind() == Kind::BinaryExpression && program.type_of(around) == Type::Text {
                    text = Some(around);
                }
            }
            condition_around(node).is_none_or(|condition| depends_on_others(condition, Some(symbol)))
                && text.is_none_or(|text| depends_on_others(text, Some(symbol)))
        }
    }
}

/// Can a literal stand where the name stands?
fn takes_literal(node: Node<'_>, variable: ConstantVariable<'_>) -> bool {
    let program = node.program();
    let Some(parent) = node.parent() else { return false };
    let is_string = rule_of_literal(variable.literal) == Some("string");
    let language = program.language();
    let is_built_in = |node: Node<'_>| matches!(program.type_of(node), Type::Number(_) | Type::Boolean);
    if is_string && matches!(language, Language::C | Language::Cpp) {
        return parent.kind() == Kind::ArgumentList && is_handed_over_by_value(node);
    }
    match parent.kind() {
        Kind::ParenthesizedExpression => match parent.role() {
            Field::Condition => true,
            _ => parent.parent().is_some_and(|outer| {
                matches!(outer.kind(), Kind::BinaryExpression | Kind::BinaryOperator) && language != Language::Cpp
            }),
        },
        Kind::BinaryExpression => match language {
            Language::Java | Language::C | Language::JavaScript => true,
            Language::Cpp => {
                let other = if node.role() == Field::Left { Field::Right } else { Field::Left };
                parent.child(other).is_some_and(is_built_in)
            }
            Language::Python => false,
        },
        Kind::BinaryOperator | Kind::BooleanOperator | Kind::NotOperator => true,
        Kind::ComparisonOperator => {
            parent.children_at(Field::Operators).all(|operator| !operator.text().starts_with("is"))
        }
        Kind::UnaryExpression | Kind::UnaryOperator => {
            parent.child(Field::Operator).is_some_and(|operator| matches!(operator.text(), "-" | "+" | "!" | "~"))
        }
        Kind::ArgumentList => match language {
            Language::Java | Language::Python => true,
            Language::JavaScript => true,
            Language::C => {
                let function = parent.parent().and_then(|call| call.child(Field::Function));
                let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
                is_handed_over_by_value(node)
                    || function.is_some_and(|function| {
                        function.kind() == Kind::Identifier && function.text().chars().all(is_plain)
                    })
            }
            Language::Cpp => is_handed_over_by_value(node),
        },
        Kind::Arguments => true,
        Kind::AssignmentExpression
        | Kind::AugmentedAssignmentExpression
        | Kind::Assignment
        | Kind::AugmentedAssignment => {
            let is_value = node.role() == Field::Right;
            match language {
                Language::Cpp => is_value && parent.child(Field::Left).is_some_and(is_built_in),
                Language::Java | Language::C | Language::Python | Language::JavaScript => is_value,
            }
        }
        Kind::VariableDeclarator => node.role() == Field::Value,
        Kind::InitDeclarator => {
            let declarator = parent.child(Field::Declarator).filter(|name| name.kind() == Kind::Identifier);
            node.role() == Field::Value && parent.has_token("=") && declarator.is_some_and(is_built_in)
        }
        Kind::ReturnStatement => match language {
            Language::Java | Language::Python | Language::JavaScript => true,
            Language::C | Language::Cpp => matches!(returned_type(parent), Type::Number(_) | Type::Boolean),
        },
        Kind::ArrayAccess | Kind::SubscriptExpression => node.role() == Field::Index,
        Kind::Subscript => node.role() == Field::Subscript,
        Kind::DimensionsExpr | Kind::Slice | Kind::Pair | Kind::TemplateSubstitution | Kind::PrintStatement => true,
        Kind::KeywordArgument => node.role() == Field::Value,
        Kind::List | Kind::Tuple => !is_target(parent),
        Kind::Array => true,
        Kind::MethodInvocation | Kind::MemberExpression | Kind::Attribute => is_string && node.role() == Field::Object,
        Kind::Object => node.kind() == Kind::ShorthandPropertyIdentifier,
        Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement => node.role() == Field::Condition,
        _ => false,
    }
}

/// Is the list or the tuple something that is assigned to or deleted?
fn is_target(list: Node<'_>) -> bool {
    list.ancestors()
        .take(3)
        .any(|around| matches!(around.kind(), Kind::DeleteStatement | Kind::ForStatement | Kind::ForInClause))
        || list.role() == Field::Left
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "inline-constant";

    #[test]
    fn types_are_kept() {
        check(NAME, Java, "double f(int n) { double d = 2; return n / d; }", "double f(int n) { return n / 2.0; }");
        check(NAME, Java, "void f() { byte b = 1; g(b); }", "void f() { g(((byte) 1)); }");
        check_refused(NAME, Java, "void f() { char c = 65; g(c); }");
        check_refused(NAME, Java, "void f() { Integer n = 1; g(n); }");
        check(NAME, C, "int f(int n) { unsigned k = 3; return n < k; }", "int f(int n) { return n < ((unsigned) 3); }");
        check(NAME, C, "int f(int n) { char k = 'a'; return n < k; }", "int f(int n) { return n < ((char) 'a'); }");
    }

    #[test]
    fn variables_that_change_are_refused() {
        check_refused(NAME, Java, "int f() { int n = 1; n++; return n; }");
        check_refused(NAME, C, "int f(void) { int n = 1; n = 2; return n; }");
        check_refused(NAME, Python, "def f():\n    n = 1\n    for n in g(): pass\n    return n\n");
        check_refused(
            NAME,
            Python,
            "def f():\n    n = 1\n    def g():\n        nonlocal n\n        n = 2\n    return n\n",
        );
        check_refused(NAME, Python, "def f():\n    n = 1\n    del n\n    return n\n");
        check_refused(NAME, JavaScript, "function f() { let n = 1; [n] = g(); return n; }");
        check_refused(NAME, Cpp, "int f() { int n = 1; std::cin >> n; return n; }");
        check_refused(NAME, Cpp, "int f() { int n = 1; change(n); return n; }");
        check_refused(NAME, Cpp, "int f() { int n = 1; int& r = n; return r; }");
    }

    #[test]
    fn uses_that_come_too_early_are_refused() {
        check_refused(NAME, JavaScript, "function f() { g(n); var n = 1; return n; }");
        check_refused(NAME, JavaScript, "function f() { h(); const n = 1; function h() { return n + 1; } f(); }");
        check_refused(NAME, Python, "def f(a):\n    if a:\n        n = 1\n        g()\n    return n\n");
    }

    #[test]
    fn conditions_of_java_stay_open() {
        check_refused(NAME, Java, "int f() { int n = 1; while (n > 0) { g(); } return n; }");
        check_refused(NAME, Java, "void f() { String s = \"a\"; String t = s + \"b\"; g(t == \"ab\"); }");
        check(
            NAME,
            Java,
            "int f(int k) { int n = 1; while (n > k) { g(); } return k; }",
            "int f(int k) { while (1 > k) { g(); } return k; }",
        );
        check_refused(NAME, Java, "int f(boolean b) { int n = 97; g(b ? n : 'a'); return n; }");
    }

    #[test]
    fn python_formats_and_identity() {
        check_refused(NAME, Python, "def f():\n    n = 1\n    return f'{n=}'\n");
        check_refused(NAME, Python, "def f(a):\n    n = 1\n    return a is n\n");
        check_refused(NAME, Python, "def f(a):\n    n = 1\n    return n.real\n");
        check_refused(NAME, Python, "def f(a):\n    n = 1\n    'text'\n    return a + n\n");
        check(NAME, Python, "def f(a):\n    n = 1; return a+n\n", "def f(a):\n    return a+1\n");
    }

    #[test]
    fn strings_of_c_have_addresses() {
        check_refused(NAME, C, "void f(void) { char *s = \"a\"; puts(s); puts(s); }");
        check_refused(NAME, C, "void f(void) { char s[] = \"a\"; puts(s); }");
        check(NAME, C, "void f(void) { char *s = \"a\"; puts(s); }", "void f(void) { puts(\"a\"); }");
    }

    #[test]
    fn variables_that_a_macro_shows_stay() {
        check_refused(
            NAME,
            C,
            "#define SHOW(x) printf(\"%s %d\", #x, (x))\nint f(void) { int n = 4; SHOW(n); return n; }\n",
        );
    }

    #[test]
    fn line_ends_are_kept() {
        check(
            NAME,
            Java,
            "int f(int k) {\r\n  int n = 1; // one\r\n  return n + k;\r\n}",
            "int f(int k) {\r\n  // one\r\n  return 1 + k;\r\n}",
        );
    }
}
