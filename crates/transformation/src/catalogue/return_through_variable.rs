//! Stores the value of a `return` in a new variable and returns that.
//!
//! class: structure
//! groups: guided-mutation
//! from: guided mutation (return optimal, without its null check, which changes what is returned)
//!
//! The variable has the declared return type, so the value is converted at the same place and in the same way. Java's
//! lambdas declare no type. C++ would copy or move objects once more, so only numbers, booleans and pointers qualify
//! there, and never in `constexpr` functions. JavaScript names a function after the variable that it is assigned to,
//! so functions and classes without a name are left alone.
//!
//! ```java
//! int f(int n) { return n + 1; }
//! ```
//! ->
//! ```java
//! int f(int n) { int localInt1 = n + 1; return localInt1; }
//! ```
//!
//! ```c
//! const char *f(int n)
//! {
//!     if (n) return "a";
//!     return "b";
//! }
//! ```
//! ->
//! ```c
//! const char *f(int n)
//! {
//!     if (n) { const char *local_pointer_1 = "a"; return local_pointer_1; }
//!     return "b";
//! }
//! ```
//!
//! ```cpp
//! long f(int n) { return n; }
//! ```
//! ->
//! ```cpp
//! long f(int n) { long local_int_1 = n; return local_int_1; }
//! ```
//!
//! ```python
//! def f(a, b):
//!     return a, b
//! ```
//! ->
//! ```python
//! def f(a, b):
//!     local_object_1 = a, b
//!     return local_object_1
//! ```
//!
//! ```javascript
//! async function f(a) {
//!     return await a
//! }
//! ```
//! ->
//! ```javascript
//! async function f(a) {
//!     const local1 = await a;
//!     return local1;
//! }
//! ```
//!
//! An object would be moved once more:
//!
//! ```cpp
//! std::string f() { return g(); }
//! ```

use std::collections::HashSet;

use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, starts_line};
use crate::parts::python::{function_of_statement, shows_locals};
use crate::parts::statements::{end_of_code, function_around};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let language = program.language();
    let is_refused = match language {
        Language::Python => shows_locals(program),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => false,
    };
    if is_refused {
        return;
    }
    let variables: HashSet<&str> = match language {
        // A variable may hide a type of the same name.
        Language::C | Language::Cpp => program
            .scopes()
            .symbols()
            .filter(|(_, entry)| matches!(entry.kind, SymbolKind::Local | SymbolKind::Parameter))
            .map(|(symbol, _)| program.name_of(symbol))
            .collect(),
        Language::Java | Language::Python | Language::JavaScript => HashSet::new(),
    };
    for statement in program.nodes_of_kind(Kind::ReturnStatement) {
        let mut values = statement.named_children();
        let (Some(value), None) = (values.next(), values.next()) else { continue };
        if contains_directive(statement) {
            continue;
        }
        let kind_of_variable = match language {
            Language::Java => java_type(statement),
            Language::C | Language::Cpp => c_type(statement, value, &variables),
            Language::Python => is_python_value(statement, value).then(String::new),
            Language::JavaScript => (!gets_name(value)).then(|| "const ".to_owned()),
        };
        let Some(declared) = kind_of_variable else { continue };
        sites.add(statement.range(), move |choice| {
            let name = choice.local("result", program.type_of(value))?;
            Some(edits(statement, value, &declared, &name))
        });
    }
}

fn edits(statement: Node<'_>, value: Node<'_>, declared: &str, name: &str) -> Vec<Edit> {
    let program = statement.program();
    let keyword = statement.start()..statement.start() + "return".len();
    let mut opening = format!("{declared}{name} =");
    if !program.text()[keyword.end..].starts_with([' ', '\t', '\n', '\r', '\\']) {
        opening.push(' ');
    }
    let new_line = format!("{}{}", line_break(program), indentation(program, statement.start()));
    let has_lines = starts_line(statement);
    if program.language() == Language::Python {
        let separator = if has_lines { &new_line } else { "; " };
        return vec![
            Edit { range: keyword, text: opening },
            Edit::insert(end_of_code(statement), format!("{separator}return {name}")),
        ];
    }
    let needs_block = needs_block(statement);
    let separator = if has_lines && !needs_block { &new_line } else { " " };
    let mark = if program.text()[..end_of_code(statement)].ends_with(';') { "" } else { ";" };
    let (start, end) = if needs_block { ("{ ", " }") } else { ("", "") };
    let mut edits = vec![Edit { range: keyword, text: format!("{start}{opening}") }];
    // The comma would separate two variables.
    if matches!(value.kind(), Kind::CommaExpression | Kind::SequenceExpression) {
        edits.push(Edit::insert(value.start(), "("));
        edits.push(Edit::insert(value.end(), ")"));
    }
    edits.push(Edit::insert(end_of_code(statement), format!("{mark}{separator}return {name};{end}")));
    edits
}

/// A declaration needs a list of statements, and no label after it may be jumped to past its value.
fn needs_block(statement: Node<'_>) -> bool {
    let Some(parent) = statement.parent() else { return true };
    let is_last = parent.named_children().last().is_some_and(|last| last.id() == statement.id());
    match parent.kind() {
        Kind::Block | Kind::ConstructorBody | Kind::CompoundStatement | Kind::StatementBlock | Kind::Program => {
            !is_last || parent.parent().is_some_and(|around| around.kind() == Kind::SwitchStatement)
        }
        _ => true,
    }
}

/// The type that a method of Java declares, with a blank after it.
fn java_type(statement: Node<'_>) -> Option<String> {
    let method = function_around(statement).filter(|around| around.kind() == Kind::MethodDeclaration)?;
    let declared = method.child(Field::Type)?;
    // `int f()[]` is an array, and a type of the method's own may hide the one that is returned.
    let is_plain = method.child(Field::Dimensions).is_none()
        && declared.kind() != Kind::VoidType
        && !declared.text().contains(['\n', '/', '@']);
    let hides_type = || {
        statement.ancestors().take_while(|around| around.id() != method.id()).any(|around| {
            around.named_children().any(|child| {
                matches!(
                    child.kind(),
                    Kind::ClassDeclaration
                        | Kind::InterfaceDeclaration
                        | Kind::EnumDeclaration
                        | Kind::RecordDeclaration
                )
            })
        })
    };
    (is_plain && !hides_type()).then(|| format!("{} ", declared.text()))
}

/// The type that a function of C or C++ declares, up to the name of the variable.
fn c_type(statement: Node<'_>, value: Node<'_>, variables: &HashSet<&str>) -> Option<String> {
    let program = statement.program();
    let is_cpp = program.language() == Language::Cpp;
    let function = function_around(statement).filter(|around| around.kind() == Kind::FunctionDefinition)?;
    let mut declarator = function.child(Field::Declarator)?;
    let mut stars = String::new();
    while declarator.kind() == Kind::PointerDeclarator {
        let inner = declarator.child(Field::Declarator)?;
        if declarator.named_children().count() != 1 {
            return None;
        }
        stars.push('*');
        declarator = inner;
    }
    let name = declarator.child(Field::Declarator).filter(|_| declarator.kind() == Kind::FunctionDeclarator)?;
    let is_named = matches!(name.kind(), Kind::Identifier | Kind::FieldIdentifier | Kind::QualifiedIdentifier);
    let has_own_type = declarator.children().any(|child| child.kind() == Kind::TrailingReturnType);
    if !is_named || has_own_type || matches!(value.kind(), Kind::InitializerList) {
        return None;
    }
    let mut words = Vec::new();
    let declared = function.child(Field::Type)?;
    for part in
        function.children().take_while(|part| part.id() < function.child(Field::Declarator).map_or(part.id(), Node::id))
    {
        match part.kind() {
            Kind::StorageClassSpecifier if matches!(part.text(), "static" | "inline" | "extern") => {}
            Kind::TypeQualifier if part.text() == "const" => words.push("const"),
            Kind::Token if matches!(part.text(), "virtual" | "inline") => {}
            _ if part.id() == declared.id() => words.push(part.text()),
            _ => return None,
        }
    }
    let is_known = match declared.kind() {
        Kind::PrimitiveType => !stars.is_empty() || declared.text() != "void",
        Kind::SizedTypeSpecifier => true,
        Kind::TypeIdentifier => (!is_cpp || !stars.is_empty()) && !may_be_macro(declared),
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
            declared.child(Field::Body).is_none() && (!is_cpp || !stars.is_empty())
        }
        _ => false,
    };
    // Within a template the type may be a parameter's; a variable may hide the type.
    let is_certain =
        declared.descendants().all(|node| node.kind() != Kind::TypeIdentifier || !variables.contains(node.text()))
            && !declared.text().contains(['\n', '/']);
    // A nested function (GNU C) may return a structure of variable size, and such a variable takes no initial value.
    let is_certain = is_certain && (is_cpp || function_around(function).is_none());
    (is_known && is_certain).then(|| format!("{} {stars}", words.join(" ")))
}

/// A name that nobody declares here and that looks like a macro may stand for `static int`.
fn may_be_macro(name: Node<'_>) -> bool {
    let program = name.program();
    let is_capital = !name.text().contains(|letter: char| letter.is_lowercase());
    program.is_named_in_directive(name.text()) || is_capital && program.scopes().symbol_at(name).is_none()
}

fn is_python_value(statement: Node<'_>, value: Node<'_>) -> bool {
    function_of_statement(statement).is_some() && !value.descendants().any(|node| node.kind() == Kind::Yield)
}

/// Would JavaScript name the value after the variable?
fn gets_name(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::ParenthesizedExpression => value.named_children().any(gets_name),
        Kind::ArrowFunction => true,
        Kind::FunctionExpression | Kind::GeneratorFunction | Kind::Class => value.child(Field::Name).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "return-through-variable";

    #[test]
    fn java_types() {
        check(
            NAME,
            Java,
            "class A { <T> List<? extends T>[] f(int n) { switch (n) { case 1: return g(); } throw e; } }",
            "class A { <T> List<? extends T>[] f(int n) { switch (n) { case 1: { List<? extends T\
             >[] local1 = g(); return local1; } } throw e; } }",
        );
        check_refused(NAME, Java, "class A { Runnable r = () -> { return 1; }; }");
        check_refused(NAME, Java, "class A { int f()[] { return null; } }");
        check_refused(NAME, Java, "class A { B f() { class B {} return g(); } }");
        check_refused(NAME, Java, "class A { void f() { return; } }");
    }

    #[test]
    fn c_types() {
        check(
            NAME,
            C,
            "static struct s f(int n) { do return(g(), n); while (1); }",
            "static struct s f(int n) { do { struct s local_int_1 = (g(), n); return local_int_1; } while (1); }",
        );
        check(
            NAME,
            C,
            "foo_t *f(int n)\n{\n\treturn n, h; // why\n}\n",
            "foo_t *f(int n)\n{\n\tfoo_t *local_1 = (n, h);\n\treturn local_1; // why\n}\n",
        );
        check_refused(NAME, C, "f(n) { return n; }");
        check_refused(NAME, C, "PRIVATE f(int n) { return n; }");
        check_refused(NAME, C, "void f(int n) { return g(n); }");
        check_refused(NAME, C, "foo f(foo foo) { return foo; }");
        check_refused(NAME, C, "int (*f(void))(int) { return g; }");
        check_refused(NAME, C, "__attribute__((noinline)) int f(void) { return 1; }");
        let nested = "struct S { int a[n]; }; struct S g(void) { struct S s; return s; } g();";
        check_refused(NAME, C, &format!("void f(int n) {{ {nested} }}"));
    }

    #[test]
    fn cpp_types() {
        check_refused(NAME, Cpp, "int &f() { return g; }");
        check_refused(NAME, Cpp, "auto f() { return 1; }");
        check_refused(NAME, Cpp, "auto f() -> int { return 1; }");
        check_refused(NAME, Cpp, "template <class T> T f(T t) { return t; }");
        check_refused(NAME, Cpp, "constexpr int f() { return 1; }");
        check_refused(NAME, Cpp, "auto g = [] { return 1; };");
        check_refused(NAME, Cpp, "int f() { return {}; }");
        check(
            NAME,
            Cpp,
            "int f(int n) { if (n) goto out; return 1; out: g(); throw n; }",
            "int f(int n) { if (n) goto out; { int local_int_1 = 1; return local_int_1; } out: g(); throw n; }",
        );
    }

    #[test]
    fn a_comment_behind_a_statement_without_semicolon_stays_behind_it() {
        check(
            NAME,
            JavaScript,
            "const f = (a) => {\n  if (a) return a // why\n  g()\n}\n",
            "const f = (a) => {\n  if (a) { const local1 = a; return local1; } // why\n  g()\n}\n",
        );
    }

    #[test]
    fn python_lines() {
        check(
            NAME,
            Python,
            "def f(a):\n    if a: return(a)  # so\n    g()\n",
            "def f(a):\n    if a: local_1 = (a); return local_1  # so\n    g()\n",
        );
        check(
            NAME,
            Python,
            "def f(a):\r\n\treturn {\r\n\t\t1: a,\r\n\t}\r\n",
            "def f(a):\r\n\tlocal_object_1 = {\r\n\t\t1: a,\r\n\t}\r\n\treturn local_object_1\r\n",
        );
        check_refused(NAME, Python, "def f(a):\n    return (yield a)\n");
        check_refused(NAME, Python, "def f(a):\n    return locals()\n");
        check_refused(NAME, Python, "def f(a):\n    return\n");
    }

    #[test]
    fn javascript_names_and_marks() {
        check_refused(NAME, JavaScript, "function f() { return function () {}; }");
        check_refused(NAME, JavaScript, "function f() { return (() => 1); }");
        check_refused(NAME, JavaScript, "function f() { return class {}; }");
        check_refused(NAME, JavaScript, "function f() { return\n1; }");
        check(
            NAME,
            JavaScript,
            "function f(a) { if (a) return a, 1\nelse return 2 }",
            "function f(a) { if (a) { const localNumber1 = (a, 1); return localNumber1; }\nelse return 2 }",
        );
    }
}
