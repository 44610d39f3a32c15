//! Adds an unused parameter to a function, and an argument to every call.
//!
//! class: dead-code
//! groups: lampion, guided-mutation
//! from: Lampion (AddUnusedParameter), guided mutation (argument adding)
//!
//! Every caller is known: the method is private in a class without a superclass, the function is `static` or part of
//! a single-file program with a `main`, and every use is a call. In Python and JavaScript the parameter has a default
//! value and the calls stay as they are. Variadic functions are left alone, and so are functions whose name is
//! overloaded, decorated or mentioned in a macro.
//!
//! ```java
//! class Numbers {
//!     private int twice(int n) { return n + n; }
//!     int four() { return twice(twice(1)); }
//! }
//! ```
//! ->
//! ```java
//! class Numbers {
//!     private int twice(int n, int parameterInt1) { return n + n; }
//!     int four() { return twice(twice(1, 0), 0); }
//! }
//! ```
//!
//! ```c
//! static int one(void) { return 1; }
//! int two(void) { return one() + one(); }
//! ```
//! ->
//! ```c
//! static int one(int parameter_int_1) { return 1; }
//! int two(void) { return one(0) + one(0); }
//! ```
//!
//! ```cpp
//! int twice(int n) { return n + n; }
//! int main() { return twice(0); }
//! ```
//! ->
//! ```cpp
//! int twice(int n, int parameter_int_1) { return n + n; }
//! int main() { return twice(0, 0); }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! twice(1)
//! ```
//! ->
//! ```python
//! def twice(n, parameter_int_1=0):
//!     return n + n
//! twice(1)
//! ```
//!
//! ```javascript
//! function twice(n) { return n + n; }
//! ```
//! ->
//! ```javascript
//! function twice(n, parameterNumber1 = 0) { return n + n; }
//! ```
//!
//! Its address is taken, so its callers are unknown:
//!
//! ```c
//! static int one(void) { return 1; }
//! int (*get(void))(void) { return one; }
//! ```

use std::collections::HashSet;

use syntax::views::Call;
use syntax::{Edit, Field, Kind, Language, Node, Program, Reference, SymbolId, SymbolKind, Target};

use crate::Sites;
use crate::choice::{Choice, Wish};
use crate::parts::dead::literal_number;
use crate::parts::function_names::is_special;
use crate::parts::visibility::{is_confined, words_of_strings};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    let is_unclear = |reference: &&Reference| matches!(reference.target, Target::Unknown | Target::Member);
    let unclear: HashSet<&str> = program
        .scopes()
        .references()
        .iter()
        .filter(is_unclear)
        .map(|reference| program.node(reference.node).text())
        .collect();
    // A method of Java may be found by its name, as in `@MethodSource("cases")`; in C the linker does not see what is changed, and
    // the other languages have values by default.
    let found = match program.language() {
        Language::Java => words_of_strings(program),
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => HashSet::new(),
    };
    for (symbol, entry) in program.scopes().symbols() {
        let name = program.name_of(symbol);
        if entry.kind != SymbolKind::Function || unclear.contains(name) || found.contains(name) {
            continue;
        }
        if let Some(places) = places(program, symbol) {
            sites.add(program.node(entry.declaration).range(), move |choice| edits(program, &places, choice));
        }
    }
}

/// The lists that get longer.
struct Places<'p> {
    /// The parameters of the definition and of its prototypes.
    parameters: Vec<Node<'p>>,
    /// The arguments of the calls.
    arguments: Vec<Node<'p>>,
}

fn places(program: &Program, symbol: SymbolId) -> Option<Places<'_>> {
    let scopes = program.scopes();
    let name = program.name_of(symbol);
    if program.is_named_in_directive(name) {
        return None;
    }
    let language = program.language();
    let mut places = Places { parameters: Vec::new(), arguments: Vec::new() };
    let mut definitions = 0;
    for reference in scopes.references_of(symbol) {
        let node = program.node(reference.node);
        let around = node.parent()?;
        if reference.declares {
            let parameters = around.child(Field::Parameters)?;
            let declared = if around.kind() == Kind::FunctionDeclarator { around.parent()? } else { around };
            definitions += usize::from(declared.child(Field::Body).is_some());
            if !is_extensible(declared, parameters, name) {
                return None;
            }
            places.parameters.push(parameters);
        } else if let Some(arguments) = arguments_of(node, around) {
            places.arguments.push(arguments);
        } else if language != Language::JavaScript {
            // JavaScript's functions can be handed on: whoever calls them may pass fewer or more arguments.
            return None;
        }
    }
    let is_item = |node: &Node<'_>| node.kind() != Kind::Comment && node.text() != "void";
    let count = |list: &Node<'_>| list.named_children().filter(is_item).count();
    let room = places.parameters.iter().map(count).max().unwrap_or(0);
    let is_whole = match language {
        Language::Java | Language::JavaScript => places.parameters.len() == 1,
        // A call of Python that passes too much fails, and must go on failing.
        Language::Python => places.parameters.len() == 1 && places.arguments.iter().all(|list| count(list) <= room),
        // `int f();` says nothing about the parameters, and `f` may be called with any arguments.
        Language::C | Language::Cpp => {
            places.parameters.iter().chain(&places.arguments).all(|list| count(list) == room)
        }
    };
    (is_whole && definitions == 1).then_some(places)
}

/// The arguments of the call of which `name` is the function.
fn arguments_of<'p>(name: Node<'p>, around: Node<'p>) -> Option<Node<'p>> {
    let arguments = Call::of(around).filter(|call| call.callee == name)?.arguments;
    let is_spread =
        |node: Node<'_>| matches!(node.kind(), Kind::ListSplat | Kind::DictionarySplat | Kind::ParameterPackExpansion);
    (!arguments.children().any(is_spread)).then_some(arguments)
}

/// Can the function have one more parameter at the end?
fn is_extensible(declared: Node<'_>, parameters: Node<'_>, name: &str) -> bool {
    let program = declared.program();
    let all = |kinds: &[Kind]| parameters.named_children().all(|parameter| kinds.contains(&parameter.kind()));
    match program.language() {
        Language::Java => {
            let class = declared.parent().filter(|body| body.kind() == Kind::ClassBody).and_then(Node::parent);
            let is_alone = class.is_some_and(|class| {
                class.kind() == Kind::ClassDeclaration
                    && class.child(Field::Superclass).is_none()
                    && class.child(Field::Interfaces).is_none()
            });
            // Serialisation finds these by their names and parameters, and every class has more methods of the last.
            let is_special =
                ["readObject", "writeObject", "readResolve", "writeReplace", "readObjectNoData", "main", "wait"];
            let modifiers = declared.child_of_kind(Kind::Modifiers);
            declared.kind() == Kind::MethodDeclaration
                && is_alone
                && !is_special.contains(&name)
                && all(&[Kind::FormalParameter])
                && modifiers.is_some_and(|modifiers| {
                    modifiers.has_token("private") && modifiers.named_children().next().is_none()
                })
        }
        Language::C | Language::Cpp => {
            let is_static =
                declared.children().any(|part| part.kind() == Kind::StorageClassSpecifier && part.text() == "static");
            // `f(a, b)` lists names without types, in the manner of old C, where a parameter with a type cannot stand.
            let is_nameless = |parameter: Node<'_>| {
                parameter.child(Field::Declarator).is_none()
                    && parameter.text() != "void"
                    && declared.child(Field::Body).is_some()
            };
            let is_at_top = declared.parent().is_some_and(|parent| parent.kind() == Kind::TranslationUnit);
            // A range-based `for` calls `begin` and `end`, and GCC checks the arguments of built-ins such as `signbit`.
            !is_special(program.language(), name, false)
                && is_at_top
                && matches!(declared.kind(), Kind::FunctionDefinition | Kind::Declaration)
                && (is_static && is_confined(program, name) || is_program_of_one_file(program))
                && all(&[Kind::ParameterDeclaration])
                && !parameters.named_children().any(is_nameless)
                && !parameters.has_token("...")
        }
        Language::Python => {
            let is_decorated = declared.parent().is_some_and(|parent| parent.kind() == Kind::DecoratedDefinition);
            let is_method = declared.ancestors().nth(1).is_some_and(|owner| owner.kind() == Kind::ClassDefinition);
            let kinds = [Kind::Identifier, Kind::DefaultParameter, Kind::TypedParameter, Kind::TypedDefaultParameter];
            let is_starred =
                |node: Node<'_>| matches!(node.kind(), Kind::ListSplatPattern | Kind::DictionarySplatPattern);
            declared.kind() == Kind::FunctionDefinition
                && !is_decorated
                && !is_method
                && all(&kinds)
                && !parameters.descendants().any(is_starred)
        }
        Language::JavaScript => {
            let is_function = declared.kind() == Kind::FunctionDeclaration;
            // A default value makes `arguments` a copy, and forbids `"use strict"` in the body and two parameters of
            // one name.
            let says = |word: &str| declared.text().contains(word);
            let mut names: Vec<&str> = parameters.named_children().map(Node::text).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            is_function
                && names.len() == count
                && all(&[Kind::Identifier, Kind::AssignmentPattern])
                && !says("arguments")
                && !says("use strict")
                && !says(".length")
        }
    }
}

/// A program with a `main` and no headers of its own, which is not in a project, has no other files that could call its
/// functions.
fn is_program_of_one_file(program: &Program) -> bool {
    let root = program.root();
    let is_own = |include: Node<'_>| include.kind() == Kind::PreprocInclude && include.text().contains('"');
    let has_main = |child: Node<'_>| {
        let declarator = child.child(Field::Declarator);
        child.kind() == Kind::FunctionDefinition
            && declarator
                .and_then(|declarator| declarator.child(Field::Declarator))
                .is_some_and(|name| name.text() == "main")
    };
    program.surroundings().is_none() && root.children().any(has_main) && !root.descendants().any(is_own)
}

fn edits(program: &Program, places: &Places<'_>, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
    let value_type = literal_number(program.language());
    let wish = Wish { hint: "unused", is_rename: false, kind: SymbolKind::Parameter, value_type };
    let name = choice.name(&wish)?;
    let (parameter, argument) = match program.language() {
        Language::Java | Language::C | Language::Cpp => (format!("int {name}"), Some("0")),
        Language::Python => (format!("{name}=0"), None),
        Language::JavaScript => (format!("{name} = 0"), None),
    };
    let mut edits = Vec::new();
    for list in &places.parameters {
        edits.push(longer(*list, &parameter)?);
    }
    for list in places.arguments.iter().filter(|_| argument.is_some()) {
        edits.push(longer(*list, argument?)?);
    }
    Some(edits)
}

/// Puts one more item at the end of a list in brackets.
fn longer(list: Node<'_>, item: &str) -> Option<Edit> {
    let Some(last) = list.named_children().last() else { return Some(Edit::insert(list.start() + 1, item)) };
    if matches!(list.program().language(), Language::C | Language::Cpp) && last.text() == "void" {
        return Some(Edit::replace(last, item));
    }
    // After a comma that is already there the next item needs none.
    let comma = list.children().filter(|child| child.is_token(",") && child.start() >= last.end()).last();
    match comma {
        Some(comma) => Some(Edit::insert(comma.end(), format!(" {item}"))),
        None => Some(Edit::insert(last.end(), format!(", {item}"))),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn names_without_types_are_left_alone() {
        check_refused(
            "add-unused-parameter",
            C,
            "static int f(u, z) { return u - z; }\nint main(void) { return f(1, 2); }",
        );
        check_refused(
            "add-unused-parameter",
            C,
            "static int f(u, z) int u, z; { return u - z; }\nint main(void) { return f(1, 2); }",
        );
    }

    /// A range-based `for` calls `begin` and `end`, and GCC checks the arguments of the built-in `signbit`.
    #[test]
    fn what_the_language_calls_or_knows_is_left_alone() {
        let range = "struct A { int n[2]; };\nint *begin(A &a) { return a.n; }\nint *end(A &a) { return a.n + 2; }\n\
                     int main() { A a = {{1, 2}}; for (int n : a) return n; return 0; }";
        check_refused("add-unused-parameter", Cpp, range);
        let known = "int signbit(double x) { return x < 0; }\nint main(void) { return signbit(1); }";
        check_refused("add-unused-parameter", C, known);
    }

    #[test]
    fn a_declaration_without_parameters_says_nothing_about_them() {
        for text in [
            "int f() { return 1; }\nint main(void) { return f(2); }",
            "int f();\nint f(int a) { return a; }\nint main(void) { return f(2); }",
            "int f();\nint main(void) { return f(2); }\nint f(int a) { return a; }",
        ] {
            check_refused("add-unused-parameter", C, text);
        }
        check(
            "add-unused-parameter",
            C,
            "int f();\nint f() { return 1; }\nint main(void) { return f(/* none */); }",
            "int f(int parameter_int_1);\nint f(int parameter_int_1) { return 1; }\nint main(void) { return f(0/* none */); }",
        );
    }

    #[test]
    fn callers_that_nobody_sees() {
        check_refused("add-unused-parameter", Java, "class A { int f(int n) { return n; } }");
        check_refused("add-unused-parameter", Java, "private int f(int n) { return n; }");
        check_refused(
            "add-unused-parameter",
            Java,
            "class A { @MethodSource(\"cases\") void f(int n) { } private static int cases() { return 1; } }",
        );
        check_refused("add-unused-parameter", Java, "class A extends B { private int f() { return 1; } }");
        check_refused("add-unused-parameter", C, "int f(int n) { return n; }");
        check_refused("add-unused-parameter", Python, "def f(n):\n    return n\ng(f)\n");
        check_refused("add-unused-parameter", Python, "def f(n):\n    return n\nf(1, 2)\n");
    }

    #[test]
    fn any_number_of_arguments_is_refused() {
        check_refused("add-unused-parameter", Java, "class A { private void f(int... a) { } }");
        check_refused("add-unused-parameter", C, "static int f(int n, ...) { return n; }");
        check_refused("add-unused-parameter", Python, "def f(*a):\n    return a\n");
        check_refused("add-unused-parameter", JavaScript, "function f(...a) { return a; }");
        check_refused("add-unused-parameter", JavaScript, "function f(a) { return arguments; }");
    }

    #[test]
    fn a_prototype_gets_the_parameter_too() {
        check(
            "add-unused-parameter",
            C,
            "static int f(int);\nint g(void) { return f(1); }\nstatic int f(int n) { return n; }\n",
            "static int f(int, int parameter_int_1);\nint g(void) { return f(1, 0); }\n\
             static int f(int n, int parameter_int_1) { return n; }\n",
        );
    }

    #[test]
    fn a_method_reference_is_no_call() {
        check_refused(
            "add-unused-parameter",
            Java,
            "class A { private int f(int n) { return n; } void g() { h(this::f); } }",
        );
    }
}
