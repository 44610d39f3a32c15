//! Calls a function through a local alias that is declared just before the statement.
//!
//! class: naming
//! groups: guided-mutation
//! from: guided mutation (API renaming)
//!
//! Guided mutation renames functions that are declared elsewhere, which breaks programs. An alias keeps them working:
//! the function is looked up at the same moment as before, because it is the first thing that the statement evaluates
//! (Python, JavaScript), because it is a constant (C, C++: a function of the input, through a pointer), or because it
//! is a static method of Java's library whose functional interface is known. In JavaScript only bare names and
//! functions that do not use `this` qualify. `super`, `eval` and other functions that depend on where they are called
//! are left alone.
//!
//! ```java
//! int f(int a, int b) {
//!     return Math.max(a, b);
//! }
//! ```
//! ->
//! ```java
//! int f(int a, int b) {
//!     java.util.function.IntBinaryOperator function1 = Math::max;
//!     return function1.applyAsInt(a, b);
//! }
//! ```
//!
//! ```c
//! static char *find(const char *text, int letter) { return 0; }
//! int f(char *text) { return find(text, 'a') != 0; }
//! ```
//! ->
//! ```c
//! static char *find(const char *text, int letter) { return 0; }
//! int f(char *text) { char *(*function_1)(const char *text, int letter) = find; return function_1(text, 'a') != 0; }
//! ```
//!
//! ```cpp
//! int twice(int n) { return 2 * n; }
//! int f(int n) { return twice(n); }
//! ```
//! ->
//! ```cpp
//! int twice(int n) { return 2 * n; }
//! int f(int n) { auto function_1 = twice; return function_1(n); }
//! ```
//!
//! ```python
//! import math
//!
//! def f(x):
//!     y = math.sqrt(x)
//!     return y
//! ```
//! ->
//! ```python
//! import math
//!
//! def f(x):
//!     function_1 = math.sqrt
//!     y = function_1(x)
//!     return y
//! ```
//!
//! ```javascript
//! function f(x) { return Math.floor(x); }
//! ```
//! ->
//! ```javascript
//! function f(x) { const function1 = Math.floor; return function1(x); }
//! ```
//!
//! A JavaScript method would lose its object:
//!
//! ```javascript
//! function f(list) { return list.pop(); }
//! ```

use std::collections::HashMap;

use syntax::types::Number;
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, NodeId, Program, SymbolId, SymbolKind, Target, Type, names};

use crate::Sites;
use crate::choice::{Choice, Wish};
use crate::parts::branches::has_entries;
use crate::parts::macros::is_macro_argument;
use crate::parts::statements::{Position, positions_of_names, statement_around};
use crate::parts::visibility::{declaration_of, mentions_outside};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let may_keep_objects = match program.language() {
        // An alias for a method keeps its object alive.
        Language::Python => {
            program.reaches_names_by_text()
                || program.text().contains("__del__")
                || program.nodes_of_kind(Kind::DeleteStatement).next().is_some()
                || mentions_outside(program, &["weakref", "gc", "getrefcount"])
        }
        Language::JavaScript => program.reaches_names_by_text(),
        Language::Java => program.scopes().symbols().any(|(symbol, _)| program.name_of(symbol) == "java"),
        Language::C | Language::Cpp => false,
    };
    if may_keep_objects {
        return;
    }
    let places: HashMap<NodeId, Position<'p>> =
        positions_of_names(program).into_iter().filter_map(|place| Some((place.before?.id(), place))).collect();
    for call in program.nodes() {
        let is_call = matches!(call.kind(), Kind::MethodInvocation | Kind::CallExpression | Kind::Call);
        let Some(alias) = is_call.then(|| alias(program, call)).flatten() else { continue };
        let Some(&place) = statement_around(call).and_then(|statement| places.get(&statement.id())) else { continue };
        if is_macro_argument(call) || is_in_inner_type(call, place) {
            continue;
        }
        // Who jumps to a label in the statement passes the alias before it.
        if place.allows_declaration()
            && !place.before.is_some_and(|statement| contains_directive(statement) || has_entries(statement))
        {
            sites.add(alias.callee.range(), move |choice| alias.edits(place, choice));
        }
    }
}

/// Does a type that is declared in the statement lie between? Its members do not see all variables around them.
fn is_in_inner_type(call: Node<'_>, place: Position<'_>) -> bool {
    call.ancestors().take_while(|around| Some(*around) != place.before.and_then(Node::parent)).any(|around| {
        matches!(
            around.kind(),
            Kind::ClassBody
                | Kind::InterfaceBody
                | Kind::EnumBody
                | Kind::FieldDeclarationList
                | Kind::AnnotationTypeBody
        )
    })
}

/// A call that can go through an alias.
struct Alias<'p> {
    /// What is replaced: the function, with its receiver.
    callee: Node<'p>,
    /// Where the replaced text ends.
    end: usize,
    /// What the function is called.
    name: Node<'p>,
    form: Form<'p>,
}

#[derive(Clone, Copy)]
enum Form<'p> {
    /// `alias = f`
    Python,
    /// `const alias = f;`
    JavaScript,
    /// `auto alias = f;`
    Cpp,
    /// A pointer of the type of this function.
    C(Signature<'p>),
    /// A functional interface and its method.
    Java(&'static str, &'static str, &'static str),
}

impl Alias<'_> {
    fn edits(&self, place: Position<'_>, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let wish =
            Wish { hint: self.name.text(), is_rename: true, kind: SymbolKind::Function, value_type: Type::Unknown };
        let alias = choice.name(&wish)?;
        let callee = self.callee.text();
        let (declaration, call) = match self.form {
            Form::Python => (format!("{alias} = {callee}"), alias),
            Form::JavaScript => (format!("const {alias} = {callee};"), alias),
            Form::Cpp => (format!("auto {alias} = {callee};"), alias),
            Form::C(signature) => (format!("{} = {callee};", signature.pointer(&alias)), alias),
            Form::Java(interface, method, reference) => {
                (format!("java.util.function.{interface} {alias} = {reference};"), format!("{alias}.{method}"))
            }
        };
        let call = Edit { range: self.callee.start()..self.end, text: call };
        Some(vec![place.insert(&declaration), call])
    }
}

fn alias<'p>(program: &'p Program, call: Node<'p>) -> Option<Alias<'p>> {
    let callee = call.child(Field::Function);
    match program.language() {
        Language::Java => java(program, call),
        Language::C | Language::Cpp => {
            let callee = callee.filter(|callee| callee.kind() == Kind::Identifier)?;
            let form = own_function(program, callee)?;
            Some(Alias { callee, end: callee.end(), name: callee, form })
        }
        Language::Python => {
            let callee = callee.filter(|_| comes_first(call) && !is_evident(program, call))?;
            let name = python_name(callee)?;
            let is_in_function = |statement: Node<'_>| {
                let around = statement.ancestors().find(|around| {
                    matches!(around.kind(), Kind::FunctionDefinition | Kind::ClassDefinition | Kind::Module)
                });
                around.is_some_and(|around| around.kind() != Kind::ClassDefinition)
            };
            is_in_function(call).then_some(Alias { callee, end: callee.end(), name, form: Form::Python })
        }
        Language::JavaScript => {
            let callee = callee.filter(|_| comes_first(call))?;
            let is_plain = call.child(Field::Arguments).is_some_and(|arguments| arguments.kind() == Kind::Arguments)
                && call.named_children().all(|child| child.kind() != Kind::OptionalChain);
            let name = javascript_name(program, callee).filter(|_| is_plain)?;
            Some(Alias { callee, end: callee.end(), name, form: Form::JavaScript })
        }
    }
}

/// Is the call the first thing that its statement evaluates, after which nothing but its value is used?
fn comes_first(call: Node<'_>) -> bool {
    let Some(parent) = call.parent() else { return false };
    match parent.kind() {
        Kind::ExpressionStatement => parent.named_children().count() == 1,
        Kind::ReturnStatement => parent.named_children().count() == 1,
        // Python's `x = f()`: the right side comes first.
        Kind::Assignment => {
            call.role() == Field::Right
                && parent.child(Field::Type).is_none()
                && parent.parent().is_some_and(|statement| statement.kind() == Kind::ExpressionStatement)
        }
        Kind::VariableDeclarator => {
            let declaration = parent.parent();
            parent.child(Field::Name).is_some_and(|name| name.kind() == Kind::Identifier)
                && declaration.is_some_and(|declaration| {
                    matches!(declaration.kind(), Kind::LexicalDeclaration | Kind::VariableDeclaration)
                        && declaration.named_children().filter(|child| child.kind() != Kind::Comment).count() == 1
                        && !declaration.parent().is_some_and(|around| around.kind() == Kind::ForStatement)
                })
        }
        _ => false,
    }
}

/// Does what is known about the rest of the program hang on this call? The class of an object, and the parameter that a
/// keyword names, would not be evident behind an alias.
fn is_evident(program: &Program, call: Node<'_>) -> bool {
    let scopes = program.scopes();
    let names_parameter = |argument: Node<'_>| {
        argument.kind() == Kind::KeywordArgument
            && argument.child(Field::Name).is_some_and(|name| scopes.symbol_at(name).is_some())
    };
    let callee = call.child(Field::Function).and_then(|callee| callee.child(Field::Attribute).or(Some(callee)));
    let makes_object = callee
        .and_then(|name| scopes.symbol_at(name))
        .is_some_and(|symbol| scopes.symbol(symbol).kind == SymbolKind::Type);
    makes_object
        || call.child(Field::Arguments).is_some_and(|arguments| arguments.named_children().any(names_parameter))
}

fn python_name(callee: Node<'_>) -> Option<Node<'_>> {
    match callee.kind() {
        Kind::Identifier => {
            let is_special = matches!(
                callee.text(),
                "print" | "exec" | "super" | "locals" | "globals" | "vars" | "dir" | "eval" | "__import__"
            );
            (!is_special).then_some(callee)
        }
        Kind::Attribute => {
            callee.child(Field::Object).filter(|object| object.kind() == Kind::Identifier)?;
            callee.child(Field::Attribute)
        }
        _ => None,
    }
}

fn javascript_name<'p>(program: &Program, callee: Node<'p>) -> Option<Node<'p>> {
    match callee.kind() {
        Kind::Identifier => (!matches!(callee.text(), "eval" | "require" | "super" | "import")).then_some(callee),
        Kind::MemberExpression => {
            let object = callee.child(Field::Object).filter(|object| object.kind() == Kind::Identifier)?;
            let member = callee.child(Field::Property).filter(|member| member.kind() == Kind::PropertyIdentifier)?;
            let ignores_this = match object.text() {
                "Math" | "JSON" | "Object" | "Number" => true,
                "console" => matches!(member.text(), "log" | "error" | "warn" | "info"),
                "Date" => member.text() == "now",
                "Array" => member.text() == "isArray",
                "String" => member.text() == "fromCharCode",
                _ => false,
            };
            let is_standard = program.scopes().target(object) == Some(Target::Outside);
            (ignores_this && is_standard && !callee.has_token("?.")).then_some(member)
        }
        _ => None,
    }
}

/// The form for a function of C or C++ that the input declares before the call.
fn own_function<'p>(program: &'p Program, callee: Node<'p>) -> Option<Form<'p>> {
    let scopes = program.scopes();
    let symbol = scopes.symbol_at(callee)?;
    let entry = scopes.symbol(symbol);
    let is_seen = scopes.declarations_of(symbol).any(|name| program.node(name).end() < callee.start());
    if entry.kind != SymbolKind::Function
        || scopes.scope(entry.scope).parent.is_some()
        || !is_seen
        || names::is_reserved(program.language(), callee.text())
        || program.is_named_in_directive(callee.text())
    {
        return None;
    }
    let signature = signature(program, symbol)?;
    match program.language() {
        Language::C => Some(Form::C(signature)),
        // Several declarations may be overloads.
        Language::Cpp => (scopes.declarations_of(symbol).count() == 1).then_some(Form::Cpp),
        Language::Java | Language::Python | Language::JavaScript => None,
    }
}

/// The stretch of a declaration that says what type its function has.
#[derive(Clone, Copy)]
struct Signature<'p> {
    first: Node<'p>,
    declarator: Node<'p>,
    name: Node<'p>,
}

impl Signature<'_> {
    fn pointer(self, alias: &str) -> String {
        let text = self.name.program().text();
        let before = &text[self.first.start()..self.name.start()];
        let behind = &text[self.name.end()..self.declarator.end()];
        format!("{before}(*{alias}){behind}")
    }
}

fn signature<'p>(program: &'p Program, symbol: SymbolId) -> Option<Signature<'p>> {
    let scopes = program.scopes();
    let name = program.node(scopes.symbol(symbol).declaration);
    let declaration = declaration_of(name)?;
    if !matches!(declaration.kind(), Kind::FunctionDefinition | Kind::Declaration) {
        return None;
    }
    // Nothing but `static int *name(…)`: no attributes, no template, no further names.
    let is_storage = |child: &Node<'p>| child.kind() == Kind::StorageClassSpecifier;
    let first = declaration.children().find(|child| !is_storage(child))?;
    let mut declarators = declaration.children_at(Field::Declarator);
    let (declarator, None) = (declarators.next()?, declarators.next()) else { return None };
    let is_plain = declaration.children().all(|child| {
        matches!(child.kind(), Kind::StorageClassSpecifier | Kind::TypeQualifier)
            || matches!(child.role(), Field::Type | Field::Declarator | Field::Body)
            || child.is_token(";")
    });
    // `Range (*alias)(int) = f;` with a type of the input reads as a call: the grammars know no names of types.
    let type_text = declaration.child(Field::Type).filter(|_| program.language() == Language::C);
    if type_text.is_some_and(|text| text.kind() == Kind::TypeIdentifier && text.start() == first.start()) {
        return None;
    }
    let is_storage_first = declaration.children().filter(is_storage).all(|storage| storage.start() < first.start());
    let has_type = declaration.child(Field::Type).is_some();
    let is_free = declaration.parent().is_some_and(|parent| parent.kind() == Kind::TranslationUnit);
    let is_constant = declaration.text().starts_with("constexpr")
        || declaration.children().any(|child| matches!(child.text(), "constexpr" | "consteval"));
    let mut function = declarator;
    while function.kind() == Kind::PointerDeclarator {
        function = function.child(Field::Declarator)?;
    }
    let parameters = function.child(Field::Parameters).filter(|list| list.kind() == Kind::ParameterList)?;
    let is_function = function.kind() == Kind::FunctionDeclarator
        && function.child(Field::Declarator) == Some(name)
        && function.children().all(|child| child == name || child == parameters);
    // A function with an `auto` parameter is a template, and a template has no address.
    let are_plain = parameters.named_children().all(|parameter| {
        parameter.kind() == Kind::ParameterDeclaration && parameter.descendants().all(|part| part.kind() != Kind::Auto)
    });
    let nodes = || {
        let end = declarator.end();
        declaration.descendants().take_while(move |node| node.start() < end).filter(|node| node.kind() != Kind::Comment)
    };
    let has_body = nodes().any(|node| node.role() == Field::Body && node.start() < declarator.end());
    let has_comment = program.text()[first.start()..declarator.end()].contains("//");
    // `EXPORTED(int)` may say more than a type, such as who sees the function, which a variable must not have.
    let has_macro = nodes().any(|node| node.kind() == Kind::MacroTypeSpecifier);
    // So does a word that is read as a blank: an attribute, as in `char *NOINLINE f(int);`.
    let has_blank = program.unread().iter().any(|word| word.start >= first.start() && word.end <= declarator.end());
    // The names of the types must mean the same in the function that calls.
    let is_hidden = nodes().filter(|node| node.kind() == Kind::TypeIdentifier).any(|node| {
        scopes.symbols().any(|(id, entry)| {
            matches!(entry.kind, SymbolKind::Local | SymbolKind::Parameter) && program.name_of(id) == node.text()
        })
    });
    let is_good = is_plain
        && is_storage_first
        && has_type
        && is_free
        && !is_constant
        && is_function
        && are_plain
        && !has_body
        && !has_comment
        && !has_macro
        && !has_blank
        && !is_hidden
        && !contains_directive(declarator);
    is_good.then_some(Signature { first, declarator, name })
}

fn java<'p>(program: &'p Program, call: Node<'p>) -> Option<Alias<'p>> {
    let object = call.child(Field::Object)?;
    let name = call.child(Field::Name)?;
    let arguments: Vec<Node<'p>> = call
        .child(Field::Arguments)?
        .named_children()
        .filter(|argument| !matches!(argument.kind(), Kind::LineComment | Kind::BlockComment))
        .collect();
    let is_outside = |name: Node<'p>| program.scopes().target(name) == Some(Target::Outside);
    let types: Vec<Type> = arguments.iter().map(|argument| program.type_of(*argument)).collect();
    let is_all = |number: Number| types.iter().all(|found| *found == Type::Number(number));
    let form = match (object.text(), name.text(), arguments.len()) {
        // Only one method has the name.
        ("Math", "sqrt", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::sqrt"),
        ("Math", "sin", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::sin"),
        ("Math", "cos", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::cos"),
        ("Math", "log", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::log"),
        ("Math", "log10", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::log10"),
        ("Math", "exp", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::exp"),
        ("Math", "floor", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::floor"),
        ("Math", "ceil", 1) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::ceil"),
        ("Math", "pow", 2) => Form::Java("DoubleBinaryOperator", "applyAsDouble", "Math::pow"),
        ("Math", "atan2", 2) => Form::Java("DoubleBinaryOperator", "applyAsDouble", "Math::atan2"),
        ("Math", "random", 0) => Form::Java("DoubleSupplier", "getAsDouble", "Math::random"),
        ("Integer", "parseInt", 1) => Form::Java("ToIntFunction<String>", "applyAsInt", "Integer::parseInt"),
        ("Long", "parseLong", 1) => Form::Java("ToLongFunction<String>", "applyAsLong", "Long::parseLong"),
        ("Double", "parseDouble", 1) => Form::Java("ToDoubleFunction<String>", "applyAsDouble", "Double::parseDouble"),
        // The types of the arguments choose the method.
        ("Math", "max", 2) if is_all(Number::Int) => Form::Java("IntBinaryOperator", "applyAsInt", "Math::max"),
        ("Math", "min", 2) if is_all(Number::Int) => Form::Java("IntBinaryOperator", "applyAsInt", "Math::min"),
        ("Math", "max", 2) if is_all(Number::Long) => Form::Java("LongBinaryOperator", "applyAsLong", "Math::max"),
        ("Math", "min", 2) if is_all(Number::Long) => Form::Java("LongBinaryOperator", "applyAsLong", "Math::min"),
        ("Math", "max", 2) if is_all(Number::Double) => {
            Form::Java("DoubleBinaryOperator", "applyAsDouble", "Math::max")
        }
        ("Math", "min", 2) if is_all(Number::Double) => {
            Form::Java("DoubleBinaryOperator", "applyAsDouble", "Math::min")
        }
        ("Math", "abs", 1) if is_all(Number::Int) => Form::Java("IntUnaryOperator", "applyAsInt", "Math::abs"),
        ("Math", "abs", 1) if is_all(Number::Long) => Form::Java("LongUnaryOperator", "applyAsLong", "Math::abs"),
        ("Math", "abs", 1) if is_all(Number::Double) => Form::Java("DoubleUnaryOperator", "applyAsDouble", "Math::abs"),
        _ => return None,
    };
    let is_library = object.kind() == Kind::Identifier && is_outside(object);
    is_library.then_some(Alias { callee: object, end: name.end(), name, form })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn a_class_body_gets_no_new_attribute() {
        check_refused("rename-api-alias", Python, "class A:\n    x = f(1)\n");
        check(
            "rename-api-alias",
            Python,
            "def f(a):\n    if a: a.go(1)\n",
            "def f(a):\n    if a: function_1 = a.go; function_1(1)\n",
        );
    }

    #[test]
    fn functions_that_see_their_caller_are_left_alone() {
        check_refused("rename-api-alias", Python, "class A(B):\n    def f(self):\n        super().f()\n");
        check_refused("rename-api-alias", JavaScript, "function f(x) { eval(x); }");
        check_refused("rename-api-alias", Python, "def f(a):\n    x = 1 + g(a)\n    x += g(a)\n");
    }

    #[test]
    fn a_function_with_an_auto_parameter_is_a_template() {
        for parameter in ["auto n", "const auto &n", "Small auto n"] {
            check_refused(
                "rename-api-alias",
                Cpp,
                &format!("int f({parameter}) {{ return 1; }}\nint g() {{ return f(2); }}"),
            );
        }
    }

    #[test]
    fn the_alias_is_evaluated_when_the_name_was() {
        check_refused("rename-api-alias", JavaScript, "function f(x) { return x + g(x); }");
        check_refused("rename-api-alias", JavaScript, "for (let i = g(1); i < 2; i++) {}");
        check_refused("rename-api-alias", JavaScript, "function f(x) { return g?.(x); }");
        check_refused("rename-api-alias", JavaScript, "function f(x) { return g`x`; }");
    }

    /// fixtures, corners/c/goto-cleanup.c: a jump to the label passed the alias, which then had no value.
    #[test]
    fn no_jump_passes_an_alias() {
        let with = |body: &str| format!("int g(int a) {{ return a; }}\nint f(int n) {{ {body} }}");
        check_refused("rename-api-alias", C, &with("if (n) goto out; n++; out: g(n); return n;"));
        check_refused("rename-api-alias", C, &with("if (n) goto in; while (g(n)) { in: n--; } return n;"));
    }

    #[test]
    fn only_functions_of_the_input_have_a_known_type() {
        check_refused("rename-api-alias", C, "int f(int n) { return g(n); }");
        check_refused("rename-api-alias", C, "int f(int n) { return g(n); }\nint g(int n) { return n; }");
        check_refused("rename-api-alias", C, "int g(a) int a; { return a; }\nint f(int n) { return g(n); }");
        check_refused("rename-api-alias", C, "PUBLIC(int) g(int a) { return a; }\nint f(int n) { return g(n); }");
        let attribute =
            "#define COLD __attribute__((cold))\nchar *COLD g(int a) { return 0; }\nchar *f(int n) { return g(n); }";
        check_refused("rename-api-alias", C, attribute);
        check_refused("rename-api-alias", Cpp, attribute);
        check_refused(
            "rename-api-alias",
            Cpp,
            "int g(int a, int b = 1) { return a + b; }\nint f(int n) { return g(n); }",
        );
        check_refused(
            "rename-api-alias",
            Cpp,
            "template <class T> T g(T a) { return a; }\nint f(int n) { return g(n); }",
        );
        check_refused(
            "rename-api-alias",
            Cpp,
            "constexpr int g(int a) { return a; }\nint f() { int x[g(2)]; return 1; }",
        );
        check_refused(
            "rename-api-alias",
            Cpp,
            "int g(int a) { return a; }\nint g(long a) { return 1; }\nint f() { return g(1); }",
        );
    }

    #[test]
    fn the_types_of_java_choose_the_method() {
        check_refused("rename-api-alias", Java, "double f(int a, double b) { return Math.max(a, b); }");
        check_refused(
            "rename-api-alias",
            Java,
            "class Math { static int max(int a, int b) { return a; } int f(int a) { return Math.max(a, 1); } }",
        );
        check(
            "rename-api-alias",
            Java,
            "double f(int a) { return Math.sqrt(a) + 1; }",
            "double f(int a) { java.util.function.DoubleUnaryOperator function1 = Math::sqrt; return function1.applyAsDouble(a) + 1; }",
        );
        check_refused("rename-api-alias", Java, "class A { int x = Math.abs(1); }");
        check_refused("rename-api-alias", Java, "void f() { record R() { static int x = Math.abs(1); } }");
    }
}
