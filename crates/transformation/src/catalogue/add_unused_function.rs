//! Adds a function that does nothing.
//!
//! class: dead-code
//! groups: lampion
//! from: Lampion (AddEmptyMethod)
//! rules: uncalled, called
//!
//! The function is empty, private to its class, file or block, and has a fresh name. The rule `called` also adds a
//! call to it, which does nothing. Interfaces are left alone, and so are programs that list their own names with
//! `dir()` or `__all__`, and the top level of a Python module that is not a script: `import *` would import one more
//! name. A function that is reached only through eight others gets no call.
//!
//! ```java
//! class Numbers { static int twice(int n) { return n + n; } }
//! ```
//! ->
//! ```java
//! class Numbers { private static void function1() { } static int twice(int n) { return n + n; } }
//! ```
//!
//! ```c
//! int twice(int n)
//! {
//!     return n + n;
//! }
//! ```
//! ->
//! ```c
//! static void function_1(void) { }
//! int twice(int n)
//! {
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```cpp
//! static void function_1() { } int twice(int n) { return n + n; }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! def twice(n):
//!     def function_1():
//!         pass
//!     return n + n
//! ```
//!
//! ```javascript
//! function twice(n) {
//!   return n + n;
//! }
//! ```
//! ->
//! ```javascript
//! function function1() { }
//! function twice(n) {
//!   return n + n;
//! }
//! ```
//!
//! The methods of an interface are public:
//!
//! ```java
//! interface Numbers { default int twice(int n) { return n + n; } }
//! ```

use std::collections::HashMap;

use syntax::{Edit, Field, Kind, Language, Node, NodeId, Program};

use crate::Sites;
use crate::parts::calls::is_called_deeply;
use crate::parts::layout::{indentation, line_break, one_level, starts_line};
use crate::parts::statements::{Position, positions_of_names, stands_alone};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    match program.language() {
        Language::Java => add_beside(program, sites, Kind::MethodDeclaration, is_method_of_class),
        Language::C | Language::Cpp => add_beside(program, sites, Kind::FunctionDefinition, is_function_of_file),
        Language::Python | Language::JavaScript => add_local(program, sites),
    }
}

/// A method of a class, or one whose class is not there. Constructors and fields stay where they are.
fn is_method_of_class(method: Node<'_>) -> bool {
    let parent = method.parent();
    let is_in_class = parent.is_some_and(|parent| match parent.kind() {
        Kind::Program => !program_has_types(parent),
        Kind::ClassBody => parent.parent().is_some_and(|owner| owner.kind() == Kind::ClassDeclaration),
        _ => false,
    });
    // The method of a fragment without a body may be an interface's.
    is_in_class && method.child(Field::Body).is_some() && !has_modifier(method, "default")
}

fn program_has_types(root: Node<'_>) -> bool {
    root.children()
        .any(|child| !matches!(child.kind(), Kind::MethodDeclaration) && child.is_named() && !child.kind().is_comment())
}

/// A function of the file that follows something that has ended.
fn is_function_of_file(function: Node<'_>) -> bool {
    let has_ended = |sibling: Node<'_>| {
        sibling.text().trim_end().ends_with([';', '}']) || sibling.kind().is_comment() || sibling.kind().is_directive()
    };
    function.parent().is_some_and(|parent| parent.kind() == Kind::TranslationUnit)
        && function.child(Field::Type).is_some()
        && function.previous_sibling().is_none_or(has_ended)
        && stands_alone(function)
}

fn has_modifier(declaration: Node<'_>, word: &str) -> bool {
    declaration.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token(word))
}

/// Adds a function before those of one kind, and a call at the start of their bodies.
fn add_beside<'p>(program: &'p Program, sites: &mut Sites<'p>, kind: Kind, is_wanted: fn(Node<'p>) -> bool) {
    let mut first_places: HashMap<NodeId, Position<'p>> = HashMap::new();
    for position in positions_of_names(program) {
        first_places.entry(position.list.id()).or_insert(position);
    }
    for function in program.nodes_of_kind(kind).filter(|node| is_wanted(*node)) {
        let start = function.start();
        sites.add_rule("uncalled", start..start, move |choice| Some(vec![beside(function, &choice.function("help")?)]));
        let place = function.child(Field::Body).and_then(|body| first_places.get(&body.id()).copied());
        if let Some(place) = place.filter(|place| !is_called_deeply(place.list)) {
            sites.add_rule("called", start..start, move |choice| {
                let name = choice.function("help")?;
                Some(vec![beside(function, &name), place.insert(&format!("{name}();"))])
            });
        }
    }
}

fn beside(function: Node<'_>, name: &str) -> Edit {
    let program = function.program();
    let text = match program.language() {
        // A method that is not static can be called from those that are not, and every class may have one.
        Language::Java if has_modifier(function, "static") => format!("private static void {name}() {{ }}"),
        Language::Java => format!("private void {name}() {{ }}"),
        Language::C => format!("static void {name}(void) {{ }}"),
        Language::Cpp => format!("static void {name}() {{ }}"),
        Language::Python | Language::JavaScript => unreachable!("their functions are statements"),
    };
    let separator = match starts_line(function) && function.text().contains('\n') {
        true => format!("{}{}", line_break(program), indentation(program, function.start())),
        false => " ".to_owned(),
    };
    Edit::insert(function.start(), format!("{text}{separator}"))
}

/// Adds a function as a statement.
fn add_local<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for position in
        positions_of_names(program).into_iter().filter(|position| position.allows_lines() && is_body(position.list))
    {
        sites.add_rule("uncalled", position.range(), move |choice| {
            Some(vec![position.insert(&definition(program, &choice.function("help")?))])
        });
        if is_called_deeply(position.list) {
            continue;
        }
        sites.add_rule("called", position.range(), move |choice| {
            let name = choice.function("help")?;
            let call = match program.language() {
                Language::Python => format!("{name}()"),
                Language::Java | Language::C | Language::Cpp | Language::JavaScript => format!("{name}();"),
            };
            Some(vec![position.insert(&format!("{}\n{call}", definition(program, &name)))])
        });
    }
}

/// In a block of its own a function of JavaScript means different things in different modes.
fn is_body(list: Node<'_>) -> bool {
    list.parent().is_none_or(|parent| match list.program().language() {
        Language::Python => true,
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            list.kind() == Kind::StatementBlock && crate::parts::statements::is_function(parent)
        }
    })
}

fn definition(program: &Program, name: &str) -> String {
    match program.language() {
        Language::Python => format!("def {name}():\n{}pass", one_level(program)),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => format!("function {name}() {{ }}"),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{all_results, check_refused};

    #[test]
    fn the_call_comes_first_in_the_body() {
        assert_eq!(
            all_results("add-unused-function", Java, "class A { int f() { return 1; } }")[1],
            "class A { private void function1() { } int f() { function1(); return 1; } }"
        );
        assert_eq!(
            all_results("add-unused-function", C, "int f(void) { return 1; }")[1],
            "static void function_1(void) { } int f(void) { function_1(); return 1; }"
        );
        assert_eq!(
            all_results("add-unused-function", Python, "if a:\n    b()\n")[3],
            "if a:\n    b()\ndef function_1():\n    pass\nfunction_1()\n"
        );
    }

    #[test]
    fn blocks_and_reflection_are_left_alone() {
        check_refused("add-unused-function", Python, "print(dir())\n");
        assert_eq!(all_results("add-unused-function", JavaScript, "if (a) { b(); }").len(), 4);
    }

    #[test]
    fn a_module_that_passes_on_the_names_of_another_is_left_alone() {
        let text = "try:\n    from _decimal import *\nexcept ImportError:\n    from _pydecimal import *\n";
        check_refused("add-unused-function", Python, text);
        assert_eq!(all_results("add-unused-function", Python, &format!("{text}def f():\n    return 1\n")).len(), 2);
        assert!(all_results("add-unused-function", Python, "from math import *\nprint(sqrt(2))\n").len() > 2);
    }
}
