//! Qualifies a name: a Java field with `this.`, a JavaScript global with `globalThis.`.
//!
//! class: structure
//! from: common practice
//!
//! The field must be an instance field of the innermost class around the use: there `this` is the object that the
//! bare name refers to. Final fields with an initialiser are left alone, since `this.x` is not a constant expression.
//! JavaScript has no bare fields; a bare name that is not a variable is a property of the global object, so standard
//! objects and functions are qualified, none of which depends on `this`.
//!
//! ```java
//! class Box { int side; int area(int times) { return side * times; } }
//! ```
//! ->
//! ```java
//! class Box { int side; int area(int times) { return this.side * times; } }
//! ```
//!
//! ```javascript
//! function f(x) { return Math.max(x, 1); }
//! ```
//! ->
//! ```javascript
//! function f(x) { return globalThis.Math.max(x, 1); }
//! ```
//!
//! In an inner class `this` is a different object:
//!
//! ```java
//! class Box { int side; Runnable f() { return new Runnable() { public void run() { g(side); } }; } }
//! ```

use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Target};

use crate::Sites;
use crate::parts::visibility::{declaration_of, has_modifier};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let (is_meant, qualifier): (fn(&Program, Node<'_>) -> bool, &'static str) = match program.language() {
        Language::Java => (is_own_field, "this."),
        Language::JavaScript if program.text().contains("globalThis") => return,
        Language::JavaScript => (is_standard, "globalThis."),
        Language::C | Language::Cpp | Language::Python => return,
    };
    for name in program.nodes_of_kind(Kind::Identifier).filter(|name| is_meant(program, *name)) {
        // What follows the dot is a part of what is qualified: `Math.max` is replaced as a whole.
        let member = name.parent().filter(|parent| parent.kind() == Kind::MemberExpression);
        let qualified = member.unwrap_or(name);
        sites.add(name.range(), move |_| {
            Some(vec![Edit::replace(qualified, format!("{qualifier}{}", qualified.text()))])
        });
    }
}

/// Is this a bare name of a field of the object that `this` is here?
fn is_own_field(program: &Program, name: Node<'_>) -> bool {
    let scopes = program.scopes();
    let Some(reference) = scopes.reference_at(name).filter(|reference| !reference.declares) else { return false };
    let Target::Symbol(symbol) = reference.target else { return false };
    let entry = scopes.symbol(symbol);
    if entry.kind != SymbolKind::Field || !is_expression(name) {
        return false;
    }
    let declared = program.node(entry.declaration);
    let Some(field) = declaration_of(declared).filter(|field| field.kind() == Kind::FieldDeclaration) else {
        return false;
    };
    let is_constant = has_modifier(field, "final")
        && declared.parent().is_some_and(|declarator| declarator.child(Field::Value).is_some());
    let class = |node: Node<'_>| {
        node.ancestors()
            .find(|around| {
                matches!(
                    around.kind(),
                    Kind::ClassBody
                        | Kind::InterfaceBody
                        | Kind::EnumBody
                        | Kind::EnumBodyDeclarations
                        | Kind::AnnotationTypeBody
                )
            })
            .map(Node::id)
    };
    let is_in_head = || {
        name.ancestors().any(|around| {
            matches!(around.kind(), Kind::ExplicitConstructorInvocation | Kind::Annotation | Kind::SwitchLabel)
        })
    };
    let is_interface = || field.parent().is_some_and(|body| body.kind() == Kind::InterfaceBody);
    !is_constant
        && !has_modifier(field, "static")
        && !is_interface()
        && class(name).is_some()
        && class(name) == class(field)
        && !is_in_head()
}

/// Does the name stand where an expression stands?
fn is_expression(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::FieldAccess => name.role() == Field::Object,
        Kind::MethodInvocation => name.role() == Field::Object,
        Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier | Kind::ElementValuePair | Kind::MethodReference => false,
        Kind::VariableDeclarator => name.role() == Field::Value,
        Kind::EnhancedForStatement => name.role() == Field::Value,
        Kind::Resource | Kind::LabeledStatement | Kind::BreakStatement | Kind::ContinueStatement => false,
        _ => true,
    }
}

/// Is this a standard object or function of JavaScript, used in a way that cannot fail?
fn is_standard(program: &Program, name: Node<'_>) -> bool {
    if program.scopes().target(name) != Some(Target::Outside) {
        return false;
    }
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::CallExpression => {
            name.role() == Field::Function
                && matches!(
                    name.text(),
                    "parseInt"
                        | "parseFloat"
                        | "isNaN"
                        | "isFinite"
                        | "String"
                        | "Number"
                        | "Boolean"
                        | "encodeURIComponent"
                        | "decodeURIComponent"
                        | "encodeURI"
                        | "decodeURI"
                )
        }
        Kind::MemberExpression => {
            let member = parent.child(Field::Property).map_or("", Node::text);
            name.role() == Field::Object
                && match name.text() {
                    "Math" => matches!(
                        member,
                        "abs"
                            | "max"
                            | "min"
                            | "floor"
                            | "ceil"
                            | "round"
                            | "sqrt"
                            | "pow"
                            | "random"
                            | "sin"
                            | "cos"
                            | "tan"
                            | "log"
                            | "exp"
                            | "PI"
                            | "E"
                            | "trunc"
                            | "sign"
                            | "log2"
                            | "log10"
                            | "hypot"
                            | "cbrt"
                            | "atan2"
                    ),
                    "JSON" => matches!(member, "parse" | "stringify"),
                    "Object" => matches!(member, "keys" | "values" | "entries" | "assign" | "freeze" | "create"),
                    "Number" => matches!(
                        member,
                        "MAX_SAFE_INTEGER"
                            | "MIN_SAFE_INTEGER"
                            | "MAX_VALUE"
                            | "MIN_VALUE"
                            | "isInteger"
                            | "isNaN"
                            | "EPSILON"
                            | "POSITIVE_INFINITY"
                            | "NEGATIVE_INFINITY"
                            | "isFinite"
                            | "parseInt"
                            | "parseFloat"
                    ),
                    "Array" => matches!(member, "isArray" | "from"),
                    "String" => member == "fromCharCode",
                    "Date" => member == "now",
                    _ => false,
                }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Java, JavaScript};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn writes_and_receivers_count() {
        check(
            "explicit-this",
            Java,
            "class A { int x; A(int y) { x = y; } }",
            "class A { int x; A(int y) { this.x = y; } }",
        );
        check(
            "explicit-this",
            Java,
            "class A { List<String> x; void f() { x.add(\"\"); } }",
            "class A { List<String> x; void f() { this.x.add(\"\"); } }",
        );
        check(
            "explicit-this",
            Java,
            "class A { int[] x; int f() { Supplier<Integer> s = () -> x[0]; return s.get(); } }",
            "class A { int[] x; int f() { Supplier<Integer> s = () -> this.x[0]; return s.get(); } }",
        );
    }

    #[test]
    fn what_is_not_a_field_of_this_object_is_left_alone() {
        check_refused("explicit-this", Java, "class A { static int x; int f() { return x; } }");
        check_refused("explicit-this", Java, "class A { int x; int f(int x) { return x; } }");
        check_refused(
            "explicit-this",
            Java,
            "class A { final int x = 1; int f(int y) { switch (y) { case x: return 2; } return 3; } }",
        );
        check_refused("explicit-this", Java, "interface A { int X = f(); default int g() { return X; } }");
        check_refused(
            "explicit-this",
            Java,
            "class A { int x; int f() { return this.x; } int g(A a) { return a.x; } }",
        );
        check_refused("explicit-this", Java, "class A extends B { int f() { return x; } }");
        check_refused("explicit-this", Java, "enum E { P, Q; E f() { return P; } }");
    }

    #[test]
    fn an_inner_class_has_fields_of_its_own() {
        assert_eq!(
            all_results("explicit-this", Java, "class A { int x; class B { int y; int f() { return x + y; } } }"),
            ["class A { int x; class B { int y; int f() { return x + this.y; } } }"]
        );
    }

    #[test]
    fn names_of_the_program_are_not_the_standard_ones() {
        check_refused("explicit-this", JavaScript, "function f(Math) { return Math.max(1, 2); }");
        check_refused("explicit-this", JavaScript, "var parseInt = g; parseInt(1);");
        check_refused("explicit-this", JavaScript, "let x = Math.mistake(1); typeof Map; f({Math: 1}.Math);");
    }
}
