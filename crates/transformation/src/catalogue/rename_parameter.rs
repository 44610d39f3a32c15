//! Renames a parameter of a function, a method, a lambda or a catch clause.
//!
//! class: naming
//! groups: lampion, guided-mutation
//! from: Lampion (RandomParameterName), guided mutation
//!
//! Callers pass arguments by position, so only the function itself sees the name, and the new one is fresh. In Python
//! a call may pass an argument by keyword: a parameter that a keyword can reach is renamed only when all calls are in
//! the input (the function is local, or the input is a script that runs) and each is resolved; then the keywords are
//! renamed as well. The receiver of a method is always passed by position. Also left alone are JavaScript parameters
//! that a framework reads by spelling (AngularJS and its `$scope`), and Java parameters with annotations.
//!
//! ```java
//! class Main { public static void main(String[] args) { System.out.println(args.length); } }
//! ```
//! ->
//! ```java
//! class Main { public static void main(String[] parameterArray1) { System.out.println(parameterArray1.length); } }
//! ```
//!
//! ```c
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```c
//! int twice(int parameter_int_1) { return parameter_int_1 + parameter_int_1; }
//! ```
//!
//! ```cpp
//! struct Box { int width; void widen(int width) { this->width += width; } };
//! ```
//! ->
//! ```cpp
//! struct Box { int width; void widen(int parameter_int_1) { this->width += parameter_int_1; } };
//! ```
//!
//! ```python
//! def power(base, exponent):
//!     return base ** exponent
//!
//! print(power(2, exponent=3) + power(base=1, exponent=2))
//! ```
//! ->
//! ```python
//! def power(parameter_1, exponent):
//!     return parameter_1 ** exponent
//!
//! print(power(2, exponent=3) + power(parameter_1=1, exponent=2))
//! ```
//!
//! ```javascript
//! function area({width, height = 1}) { return width * height; }
//! ```
//! ->
//! ```javascript
//! function area({width: parameter1, height = 1}) { return parameter1 * height; }
//! ```
//!
//! A function that others may call by keyword is left alone:
//!
//! ```python
//! def power(base, exponent):
//!     return base ** exponent
//! ```

use std::cell::OnceCell;

use syntax::scopes::ScopeKind;
use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Target};

use crate::Sites;
use crate::parts::renaming;
use crate::parts::visibility::{Heritage, has_annotation, is_seen_whole, is_whole, words_of_strings};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let keywords = OnceCell::new();
    let is_angular = match program.language() {
        Language::JavaScript => program.text().contains("angular"),
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
    };
    renaming::add_sites(program, sites, |program, symbol| {
        let entry = program.scopes().symbol(symbol);
        let name = program.node(entry.declaration);
        entry.kind == SymbolKind::Parameter
            && match program.language() {
                Language::Java => {
                    !name.ancestors().take(3).any(|around| is_parameter(around) && has_annotation(around))
                }
                Language::C | Language::Cpp => true,
                Language::Python => keywords.get_or_init(|| Keywords::of(program)).cannot_reach(program, symbol),
                Language::JavaScript => !is_angular && !is_injected(program, symbol),
            }
    });
}

fn is_parameter(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::FormalParameter | Kind::SpreadParameter | Kind::CatchFormalParameter)
}

/// Does the function have a parameter with a `$`? Then a framework may read the names of all of them.
fn is_injected(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let function = program.node(scopes.scope(scopes.symbol(symbol).scope).node);
    let parameters = function.child(Field::Parameters).or_else(|| function.child(Field::Parameter));
    parameters.is_some_and(|parameters| parameters.text().contains('$'))
}

/// What is known about the keyword arguments of a Python program.
struct Keywords<'p> {
    is_whole: bool,
    heritage: Heritage,
    strings: std::collections::HashSet<&'p str>,
    /// Is there a call with `**`?
    has_splat: bool,
    /// The keywords whose function is not known.
    unresolved: std::collections::HashSet<&'p str>,
}

impl<'p> Keywords<'p> {
    fn of(program: &'p Program) -> Keywords<'p> {
        let is_keyword = |node: Node<'p>| {
            node.role() == Field::Name
                && node.parent().is_some_and(|parent| parent.kind() == Kind::KeywordArgument)
                && !matches!(program.scopes().target(node), Some(Target::Symbol(_)))
        };
        Keywords {
            is_whole: is_whole(program),
            heritage: Heritage::of(program),
            strings: words_of_strings(program),
            has_splat: program
                .nodes_of_kind(Kind::DictionarySplat)
                .any(|splat| splat.parent().is_some_and(|parent| parent.kind() == Kind::ArgumentList)),
            unresolved: program
                .nodes_of_kind(Kind::Identifier)
                .filter(|node| is_keyword(*node))
                .map(Node::text)
                .collect(),
        }
    }

    /// Is the parameter out of reach of keywords, or are all keywords that reach it resolved?
    fn cannot_reach(&self, program: &Program, symbol: SymbolId) -> bool {
        let scopes = program.scopes();
        let entry = scopes.symbol(symbol);
        let name = program.node(entry.declaration);
        let Some(parameter) = name
            .ancestors()
            .find(|around| {
                around.parent().is_some_and(|list| matches!(list.kind(), Kind::Parameters | Kind::LambdaParameters))
            })
            .or(Some(name))
        else {
            return false;
        };
        let Some(list) =
            parameter.parent().filter(|list| matches!(list.kind(), Kind::Parameters | Kind::LambdaParameters))
        else {
            return false;
        };
        // `*args` and `**options`, with or without a type.
        let is_rest = std::iter::once(parameter)
            .chain(parameter.named_children())
            .any(|node| matches!(node.kind(), Kind::ListSplatPattern | Kind::DictionarySplatPattern));
        let mut behind = std::iter::successors(parameter.next_sibling(), |node| node.next_sibling());
        if is_rest || behind.any(|node| node.kind() == Kind::PositionalSeparator) {
            return true;
        }
        let is_first = list.named_children().next().is_some_and(|first| first == parameter);
        if is_first && parameter.kind() == Kind::Identifier && matches!(name.text(), "self" | "cls") {
            return !self.unresolved.contains(name.text()) && !has_keyword(program, symbol);
        }
        if self.has_splat || self.unresolved.contains(name.text()) || self.strings.contains(name.text()) {
            return false;
        }
        if list.kind() == Kind::LambdaParameters {
            return list.parent().is_some_and(|lambda| is_called_by_position(program, lambda));
        }
        let Some(function) = scopes.scope(entry.scope).owner else { return false };
        let home = scopes.symbol(function).scope;
        let is_method = scopes.scope(home).kind == ScopeKind::Type;
        let is_visible = is_seen_whole(program, function, self.is_whole);
        let is_decorated = scopes.declarations_of(function).any(|declaration| {
            let definition = program.node(declaration).parent();
            definition.and_then(Node::parent).is_some_and(|around| around.kind() == Kind::DecoratedDefinition)
        });
        is_visible
            && !is_decorated
            && !(is_method && (self.heritage.is_open(home) || has_keyword(program, symbol)))
            && scopes.declarations_of(function).count() == 1
            && scopes
                .references_of(function)
                .all(|reference| reference.declares || is_called(program.node(reference.node)))
    }
}

/// Is the parameter named by a keyword somewhere?
fn has_keyword(program: &Program, symbol: SymbolId) -> bool {
    program.scopes().references_of(symbol).any(|reference| {
        let node = program.node(reference.node);
        node.role() == Field::Name && node.parent().is_some_and(|parent| parent.kind() == Kind::KeywordArgument)
    })
}

/// Is the name of a function used to call it? Whoever gets it as a value may call it as they like.
fn is_called(name: Node<'_>) -> bool {
    let callee = match name.parent() {
        Some(attribute) if attribute.kind() == Kind::Attribute && name.role() == Field::Attribute => attribute,
        _ => name,
    };
    callee.role() == Field::Function && callee.parent().is_some_and(|call| call.kind() == Kind::Call)
}

/// Is the lambda handed to a function that is known to call it by position?
fn is_called_by_position(program: &Program, lambda: Node<'_>) -> bool {
    let argument = match lambda.parent() {
        Some(keyword) if keyword.kind() == Kind::KeywordArgument => {
            if keyword.child(Field::Name).is_none_or(|name| name.text() != "key") {
                return false;
            }
            keyword
        }
        _ => lambda,
    };
    let call = argument.parent().filter(|list| list.kind() == Kind::ArgumentList).and_then(Node::parent);
    let Some(callee) = call.and_then(|call| call.child(Field::Function)) else { return false };
    match callee.kind() {
        Kind::Identifier => {
            matches!(callee.text(), "map" | "filter" | "sorted" | "min" | "max" | "reduce")
                && program.scopes().symbol_at(callee).is_none()
        }
        Kind::Attribute => callee.child(Field::Attribute).is_some_and(|name| name.text() == "sort"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn keywords_that_may_reach_a_parameter_refuse() {
        check_refused("rename-parameter", Python, "def f(a):\n    return a\n\nprint(f(**{'a': 1}))\n");
        check_refused("rename-parameter", Python, "def f(a):\n    return a\n\nprint(g(f))\n");
        check_refused("rename-parameter", Python, "def f(a):\n    return a\n\nprint(f(1), o.m(a=2))\n");
        check_refused("rename-parameter", Python, "@memo\ndef f(a):\n    return a\n\nprint(f(1))\n");
        check_refused("rename-parameter", Python, "class A(B):\n    def m(x):\n        return x\n\nprint(A().m())\n");
    }

    #[test]
    fn a_method_that_is_overridden_keeps_what_keywords_name() {
        let text = "class A:\n    def m(self, x):\n        return x\n\nclass B(A):\n    def m(self, x):\n        return 2\n\n\
                    def g(a):\n    return a.m(x=1)\n\nprint(g(B()))\n";
        // `self` twice and `a`.
        assert_eq!(all_results("rename-parameter", Python, text).len(), 3);
    }

    #[test]
    fn what_is_passed_by_position_can_be_renamed() {
        check(
            "rename-parameter",
            Python,
            "class A(B):\n    def m(self, x):\n        return self.y\n",
            "class A(B):\n    def m(parameter_object_1, x):\n        return parameter_object_1.y\n",
        );
        check(
            "rename-parameter",
            Python,
            "def f(a, /, b):\n    return a + b\n",
            "def f(parameter_1, /, b):\n    return parameter_1 + b\n",
        );
        check(
            "rename-parameter",
            Python,
            "def f(a, *rest):\n    return sorted(rest, key=lambda p: p[1])\n",
            "def f(a, *parameter_1):\n    return sorted(parameter_1, key=lambda p: p[1])\n",
        );
        assert_eq!(all_results("rename-parameter", Python, "x = sorted(y, key=lambda p: p[1])\n").len(), 1);
        check_refused("rename-parameter", Python, "x = call(lambda p: p[1])\n");
    }

    #[test]
    fn old_definitions_and_prototypes_of_c() {
        check(
            "rename-parameter",
            C,
            "int f(a, b) int a; char *b; { return a + b[0]; }",
            "int f(parameter_int_1, b) int parameter_int_1; char *b; { return parameter_int_1 + b[0]; }",
        );
        assert_eq!(all_results("rename-parameter", C, "int f(int n); int f(int n) { return n; }").len(), 2);
        check_refused("rename-parameter", C, "#define SHOW(x) puts(#x)\nvoid f(int n) { SHOW(n); }\n");
    }

    #[test]
    fn members_of_the_same_name_are_told_apart() {
        check(
            "rename-parameter",
            Cpp,
            "struct A { int x; A(int x) : x(x) {} };",
            "struct A { int x; A(int parameter_int_1) : x(parameter_int_1) {} };",
        );
        check(
            "rename-parameter",
            Java,
            "class A { int x; A(int x) { this.x = x; } }",
            "class A { int x; A(int parameterInt1) { this.x = parameterInt1; } }",
        );
    }

    #[test]
    fn names_that_frameworks_read_are_left_alone() {
        check_refused(
            "rename-parameter",
            JavaScript,
            "app.controller('A', function ($scope, http) { $scope.x = http; });",
        );
        check_refused("rename-parameter", Java, "class A { Object get(@PathVariable String id) { return id; } }");
    }

    #[test]
    fn a_function_that_is_given_by_default_has_the_name_of_its_parameter() {
        check_refused("rename-parameter", JavaScript, "function f(g = () => 1) { console.log(g); }");
        check_refused("rename-parameter", JavaScript, "function f({ g = () => 1 }) { console.log(g); }");
        check(
            "rename-parameter",
            JavaScript,
            "function f(g = () => 1) { return g(); }",
            "function f(parameter1 = () => 1) { return parameter1(); }",
        );
    }

    #[test]
    fn others_may_call_the_methods_of_a_class_in_a_function() {
        check_refused(
            "rename-parameter",
            Python,
            "def make():\n    class Box:\n        def size(box, n):\n            return n\n    return Box()\n",
        );
    }

    #[test]
    fn arguments_of_javascript_go_by_number() {
        check(
            "rename-parameter",
            JavaScript,
            "function f(a) { arguments[0] = 2; return a; }",
            "function f(parameter1) { arguments[0] = 2; return parameter1; }",
        );
    }

    /// devign/test, the program 3290: the name of a test, which a macro makes a function of, was taken for a parameter.
    #[test]
    fn macros_in_the_place_of_functions_have_no_parameters() {
        check_refused(
            "rename-parameter",
            C,
            "START_TEST(qint_get_int_test)\n{ int value = 123; fail_unless(value == 1); }\n",
        );
        check_refused("rename-parameter", C, "static test_case(adds) { return 1; }\n");
        let results = all_results("rename-parameter", C, "add(a) { return a + 1; }");
        assert_eq!(results, ["add(parameter_int_1) { return parameter_int_1 + 1; }"]);
    }
}
