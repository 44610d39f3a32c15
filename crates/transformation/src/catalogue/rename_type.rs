//! Renames a class, struct, union, enum, interface, typedef or type parameter of the input, constructors included.
//!
//! class: naming
//! groups: lampion
//! from: Lampion
//!
//! Every use must be in the input, by the same rules as for functions; the types of a C or C++ file that defines
//! functions are assumed to be used in that file only. Left alone are types whose name is known elsewhere: a public
//! top-level type of a Java file (the file is named after it) and one with a `main`; types with an ancestor that is
//! not in the input (exceptions are printed with their names), with annotations or decorators; Java's records; types
//! that are only declared here and defined elsewhere; Java types in the signature of a member that other files may
//! use; and all types of a program that prints the names of types (`getClass()`, `typeid`, `type(x)`, an object
//! passed to `console.log`).
//!
//! ```java
//! class Box { int side; Box(int side) { this.side = side; } Box twice() { return new Box(2 * side); } }
//! ```
//! ->
//! ```java
//! class Type1 { int side; Type1(int side) { this.side = side; } Type1 twice() { return new Type1(2 * side); } }
//! ```
//!
//! Tags and ordinary identifiers are separate name spaces:
//!
//! ```c
//! struct node { struct node *next; };
//! int length(struct node *node) { int n = 0; while (node) { n++; node = node->next; } return n; }
//! ```
//! ->
//! ```c
//! struct Type1 { struct Type1 *next; };
//! int length(struct Type1 *node) { int n = 0; while (node) { n++; node = node->next; } return n; }
//! ```
//!
//! ```cpp
//! class Box { public: Box(int n); ~Box(); };
//! Box::Box(int n) {}
//! Box::~Box() {}
//! ```
//! ->
//! ```cpp
//! class Type1 { public: Type1(int n); ~Type1(); };
//! Type1::Type1(int n) {}
//! Type1::~Type1() {}
//! ```
//!
//! ```python
//! class Box:
//!     side = 2
//!
//! print(Box().side * Box.side)
//! ```
//! ->
//! ```python
//! class Type1:
//!     side = 2
//!
//! print(Type1().side * Type1.side)
//! ```
//!
//! ```javascript
//! class Box { area() { return 4; } }
//! console.log(new Box().area() + 1);
//! ```
//! ->
//! ```javascript
//! class Type1 { area() { return 4; } }
//! console.log(new Type1().area() + 1);
//! ```
//!
//! A Java file is named after its public class:
//!
//! ```java
//! public class Box { int side; }
//! ```

use std::collections::HashSet;

use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, names};

use crate::Sites;
use crate::parts::renaming;
use crate::parts::shown_names::shows_classes;
use crate::parts::visibility::{
    Heritage, declaration_of, has_annotation, has_modifier, includes_own_header, is_seen_whole, is_whole,
    mentions_anywhere, words_of_strings,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if prints_names_of_types(program) {
        return;
    }
    let is_whole = match program.language() {
        // A header is made to be used elsewhere, and may declare what is defined here.
        Language::C | Language::Cpp => {
            program.surroundings().is_none()
                && program.nodes_of_kind(Kind::FunctionDefinition).next().is_some()
                && !includes_own_header(program)
        }
        Language::Java | Language::Python | Language::JavaScript => is_whole(program),
    };
    let facts = Facts { is_whole, heritage: Heritage::of(program), strings: words_of_strings(program) };
    renaming::add_sites(program, sites, |program, symbol| {
        program.scopes().symbol(symbol).kind == SymbolKind::Type && facts.allow(program, symbol)
    });
}

fn prints_names_of_types(program: &Program) -> bool {
    match program.language() {
        Language::C => false,
        Language::Cpp => program.text().contains("typeid") || mentions_anywhere(program, &["type_index", "type_info"]),
        Language::Java => mentions_anywhere(program, &["getClass"]),
        Language::Python => {
            mentions_anywhere(program, &["type", "__class__", "__mro__", "__subclasses__", "pickle", "repr", "inspect"])
                // A class that its own methods hand on may be one of any subclass.
                || program.nodes_of_kind(Kind::Identifier).any(|name| name.text() == "cls" && !is_plain_use_of_python(name))
        }
        Language::JavaScript => mentions_anywhere(program, &["constructor"]) || shows_classes(program),
    }
}

struct Facts<'p> {
    is_whole: bool,
    heritage: Heritage,
    strings: HashSet<&'p str>,
}

impl Facts<'_> {
    fn allow(&self, program: &Program, symbol: SymbolId) -> bool {
        let scopes = program.scopes();
        let entry = scopes.symbol(symbol);
        let name = program.node(entry.declaration);
        let Some(declaration) = declaration_of(name) else { return false };
        let is_closed = || entry.members.is_none_or(|members| !self.heritage.is_open(members));
        let is_parameter = matches!(declaration.kind(), Kind::TypeParameter | Kind::TypeParameterDeclaration);
        if self.strings.contains(name.text()) || !(is_seen_whole(program, symbol, self.is_whole) || is_parameter) {
            return false;
        }
        let references = || scopes.references_of(symbol).map(|reference| program.node(reference.node));
        match program.language() {
            Language::Java => {
                is_parameter
                    || matches!(
                        declaration.kind(),
                        Kind::ClassDeclaration | Kind::InterfaceDeclaration | Kind::EnumDeclaration
                    ) && !has_annotation(declaration)
                        && !(has_modifier(declaration, "public") && is_at_top(declaration))
                        && is_closed()
                        && !is_started(program, symbol)
                        && !shows_default_text(program, symbol)
                        // `Box.class` is handed to what may ask for its name.
                        && !references().any(|node| node.parent().is_some_and(|parent| parent.kind() == Kind::ClassLiteral))
                        && (self.is_whole || !references().any(is_in_open_signature))
            }
            Language::C | Language::Cpp => {
                scopes.declarations_of(symbol).any(|declaration| is_definition(program.node(declaration)))
                    && !names::is_reserved(program.language(), name.text())
                    && !name.text().starts_with('_')
                    && !(program.language() == Language::Cpp && is_looked_for(name.text()))
            }
            Language::Python => {
                declaration.kind() == Kind::ClassDefinition
                    && !declaration.parent().is_some_and(|parent| parent.kind() == Kind::DecoratedDefinition)
                    && is_closed()
                    && !name.text().starts_with("__")
                    && scopes.declarations_of(symbol).count() == 1
                    && references().all(|node| node == name || is_plain_use_of_python(node))
            }
            Language::JavaScript => {
                declaration.kind() == Kind::ClassDeclaration
                    && !declaration.parent().is_some_and(|parent| parent.kind() == Kind::ExportStatement)
                    && is_closed()
                    && references().all(|node| node == name || is_plain_use(node))
            }
        }
    }
}

fn is_at_top(declaration: Node<'_>) -> bool {
    declaration.parent().is_none_or(|parent| parent.kind() == Kind::Program)
}

/// Does a use of a type of Java stand in the signature of a field, a method or a constructor that other files may use? Their
/// compiled code has the name of the type in it, even of a private one that they could not write down.
fn is_in_open_signature(name: Node<'_>) -> bool {
    let mut is_in_signature = false;
    let mut child = name;
    while let Some(parent) = child.parent() {
        let is_closed = match parent.kind() {
            Kind::MethodDeclaration | Kind::ConstructorDeclaration => {
                is_in_signature |= child.role() != Field::Body;
                child.role() == Field::Body || has_modifier(parent, "private")
            }
            Kind::FieldDeclaration => {
                is_in_signature |= child.role() == Field::Type;
                child.role() != Field::Type || has_modifier(parent, "private")
            }
            Kind::ClassDeclaration | Kind::InterfaceDeclaration | Kind::EnumDeclaration | Kind::RecordDeclaration => {
                is_in_signature && has_modifier(parent, "private")
            }
            _ => false,
        };
        if is_closed {
            return false;
        }
        child = parent;
    }
    is_in_signature
}

/// Does the class, or one inside it, have a `main`? Then it is started by its name.
fn is_started(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let Some(members) = scopes.symbol(symbol).members else { return false };
    scopes.symbols().any(|(id, entry)| {
        entry.kind == SymbolKind::Function
            && program.name_of(id) == "main"
            && scopes.enclosing(entry.scope).any(|scope| scope == members)
    })
}

/// An object without a `toString` is shown by the name of its class and its hash code, which is arbitrary unless the
/// class computes it.
fn shows_default_text(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let Some(members) = scopes.symbol(symbol).members else { return false };
    let has = |name: &str| scopes.symbols().any(|(id, entry)| entry.scope == members && program.name_of(id) == name);
    has("hashCode") && !has("toString")
}

/// Is this where the type is defined, rather than announced?
fn is_definition(name: Node<'_>) -> bool {
    declaration_of(name).is_some_and(|declaration| match declaration.kind() {
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::ClassSpecifier | Kind::EnumSpecifier => {
            declaration.child(Field::Body).is_some()
        }
        Kind::TypeDefinition | Kind::AliasDeclaration => true,
        Kind::TypeParameterDeclaration | Kind::VariadicTypeParameterDeclaration => true,
        _ => false,
    })
}

/// Names of members that templates of C++'s library look for.
fn is_looked_for(name: &str) -> bool {
    name.ends_with("_type")
        || name.ends_with("iterator")
        || matches!(name, "type" | "pointer" | "const_pointer" | "reference" | "const_reference" | "rebind" | "other")
        || name == "iterator_category"
}

/// Is the class of JavaScript made an object of, extended, or asked for a member, and not handed on?
fn is_plain_use(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::NewExpression => name.role() == Field::Constructor,
        Kind::MemberExpression => name.role() == Field::Object,
        Kind::ClassHeritage => true,
        Kind::BinaryExpression => parent.child(Field::Operator).is_some_and(|operator| operator.is_token("instanceof")),
        _ => false,
    }
}

/// Is the class of Python called, extended, asked for a member or for its objects, and not handed on? As a value, it is shown
/// with its name. The parameter of a class method counts as plain, too.
fn is_plain_use_of_python(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::Call => name.role() == Field::Function,
        Kind::Attribute => name.role() == Field::Object,
        Kind::Type | Kind::ExceptClause | Kind::Parameters | Kind::LambdaParameters => true,
        Kind::ArgumentList => parent.parent().is_some_and(|around| match around.kind() {
            Kind::ClassDefinition => true,
            Kind::Call => {
                let callee = around.child(Field::Function).map_or("", Node::text);
                let is_first = parent.named_children().next() == Some(name);
                matches!(callee, "isinstance" | "issubclass") || callee == "super" && is_first
            }
            _ => false,
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn what_a_part_that_is_not_read_spells_is_left_alone() {
        // Neither has a preprocessor directive. The grammar parses no attribute after `*` and no imaginary number.
        for unread in
            ["struct s *__attribute__((noinline)) next(struct s *s) { return s->next; }", "struct s one = { 1 + 2i };"]
        {
            let text = format!(
                "struct s {{ struct s *next; }};\n{unread}\nint main(void) {{ struct s a = {{ 0 }}; return a.next != 0; }}\n"
            );
            check_refused("rename-type", C, &text);
            if unread.contains("next") {
                check_refused("rename-field", C, &text);
            }
        }
    }

    #[test]
    fn name_spaces_of_c_are_told_apart() {
        let text = "typedef struct item { int item; } item; int f(item *item) { return item->item; }";
        assert_eq!(
            all_results("rename-type", C, text),
            [
                "typedef struct Type1 { int item; } item; int f(item *item) { return item->item; }",
                "typedef struct item { int item; } Type1; int f(Type1 *item) { return item->item; }"
            ]
        );
        check_refused("rename-type", C, "struct stat; int f(struct stat *s) { return g(s); }");
        check_refused(
            "rename-type",
            C,
            "#define NEW(t) malloc(sizeof(t))\n#define N NEW(struct a)\nstruct a { int b; };\nint f(void) { return 1; }\n",
        );
    }

    /// The header may declare the type, as the pointer to an implementation that its users cannot see.
    #[test]
    fn types_that_a_header_may_declare_stay() {
        let text = "struct Impl { int a; };\nint main() { Impl i; return i.a; }\n";
        check_refused("rename-type", Cpp, &format!("#include \"own.h\"\n{text}"));
        for include in ["", "#include <vector>\n", "#include \"stdio.h\"\n", "#include \"vector\"\n"] {
            let renamed = text.replace("Impl", "Type1");
            check("rename-type", Cpp, &format!("{include}{text}"), &format!("{include}{renamed}"));
        }
    }

    /// jsoncons and others: what `impl` means is not known in a function of a class that is not here.
    #[test]
    fn types_of_a_namespace_are_reached_from_classes_elsewhere() {
        check_refused(
            "rename-type",
            Cpp,
            "namespace impl { struct sentry { int a; }; }\nint Stream::get() { impl::sentry guard; return guard.a; }\n\
             int main() { return 0; }\n",
        );
    }

    #[test]
    fn type_parameters_are_types() {
        check(
            "rename-type",
            Java,
            "class Outer { public static void main(String[] a) {} static <T> T same(T t) { return t; } }",
            "class Outer { public static void main(String[] a) {} static <Type1> Type1 same(Type1 t) { return t; } }",
        );
        check(
            "rename-type",
            Cpp,
            "template <typename T> T same(T t) { return t; }",
            "template <typename Type1> Type1 same(Type1 t) { return t; }",
        );
    }

    #[test]
    fn types_that_are_known_by_name_stay() {
        check_refused("rename-type", Java, "class Main { public static void main(String[] a) {} }");
        check_refused("rename-type", Java, "class Bad extends RuntimeException {}");
        check_refused("rename-type", Java, "record Point(int x) {}");
        check_refused("rename-type", Java, "class A { void f() { log(A.class); } }");
        check_refused("rename-type", Java, "class A { void f(Object o) { System.out.println(o.getClass()); } }");
        check_refused("rename-type", Java, "class A { public int hashCode() { return 1; } }");
        check_refused("rename-type", Python, "class Bad(Exception):\n    pass\n\nraise Bad()\n");
        check_refused("rename-type", Python, "@dataclass\nclass A:\n    x: int\n\nprint(A(1))\n");
        check_refused("rename-type", Python, "class A:\n    pass\n\nprint(type(A()))\n");
        check_refused("rename-type", Python, "class A:\n    pass\n\nprint(A)\n");
        check_refused("rename-type", Python, "class A:\n    pass\n\nprint([A])\n");
        check_refused("rename-type", Python, "class A:\n    def __init_subclass__(cls):\n        print(cls)\n\nA()\n");
        check_refused(
            "rename-type",
            Python,
            "class A:\n    @classmethod\n    def make(cls):\n        return [cls]\n\nprint(A.make())\n",
        );
        check(
            "rename-type",
            Python,
            "class A:\n    @classmethod\n    def make(cls):\n        return cls()\n\nprint(isinstance(A.make(), A))\n",
            "class Type1:\n    @classmethod\n    def make(cls):\n        return cls()\n\nprint(isinstance(Type1.make(), Type1))\n",
        );
        check_refused("rename-type", JavaScript, "class A {}\nconsole.log(new A());");
        check_refused("rename-type", JavaScript, "export class A {}\nf(1);");
        check_refused("rename-type", JavaScript, "class A {}\nregister(A);");
        check_refused("rename-type", JavaScript, "const A = class B {};\nconst name = A.name;\nuse(name);");
        check_refused("rename-type", JavaScript, "class A { static f() { return this.name; } }\nuse(A.f());");
        check_refused("rename-type", JavaScript, "class A { constructor() { use(new.target.name); } }\nnew A();");
        check_refused("rename-type", JavaScript, "class A {}\nconst log = console.log;\nlog(new A());");
        check_refused("rename-type", JavaScript, "class A {}\nconsole.log(null ?? new A());");
        check_refused("rename-type", Cpp, "struct A {}; int f() { puts(typeid(A).name()); return 0; }");
    }

    /// `T` in the initial value is the parameter of the second template, not that of the class template.
    #[test]
    fn each_template_has_parameters_of_its_own() {
        let class = |name: &str| format!("template <class {name}> struct Box {{ static const {name} value; }};\n");
        let value = |name: &str| format!("template <class {name}> const {name} Box<{name}>::value = {name}();\n");
        for name in ["T", "U"] {
            let text = format!("{}{}int main() {{ return Box<int>::value; }}", class("T"), value(name));
            let results = all_results("rename-type", Cpp, &text);
            for lines in [format!("{}{}", class("Type1"), value(name)), format!("{}{}", class("T"), value("Type1"))] {
                assert!(results.iter().any(|result| result.starts_with(&lines)), "{results:?}");
            }
        }
    }

    #[test]
    fn the_path_of_a_value_in_brackets_is_renamed() {
        let text = "struct A { static int n; int f() { n = 1; return n; } };\nint A::n = 2;\n\
                    int main() { A a; return (A::n) + a.f(); }";
        check("rename-type", Cpp, text, &text.replace('A', "Type1"));
    }

    /// The grammar reads a function declaration with a parameter `Facet` of the type `new`.
    #[test]
    fn a_new_expression_is_not_a_parameter() {
        let text = "struct Facet : Other {};\nint main() { locale l(locale::classic(), new Facet); return use(l); }";
        check("rename-type", Cpp, text, &text.replace("Facet", "Type1"));
        check_refused("rename-parameter", Cpp, text);
    }

    /// An `if` statement is a block in C: the scope of a type declared in its condition ends with it.
    #[test]
    fn a_type_of_a_condition_ends_with_its_statement() {
        let text =
            "struct s { char a; };\nint f(void) { if (sizeof(struct s { int b; })) g(); return sizeof(struct s); }";
        let renamed = text
            .replacen("struct s", "struct Type1", 1)
            .replace("return sizeof(struct s)", "return sizeof(struct Type1)");
        assert!(all_results("rename-type", C, text).contains(&renamed));
    }

    #[test]
    fn keywords_of_an_attribute_are_not_types() {
        let text = "typedef int word __attribute__((mode(word)));\nint main(void) { word n = 1; return n; }";
        let results = all_results("rename-type", C, text);
        assert!(!results.is_empty() && results.iter().all(|result| result.contains("mode(word)")), "{results:?}");
    }

    /// `X.Inner` is `Outer.Inner`, since `Outer` is the bound of `X`.
    #[test]
    fn a_member_type_of_a_type_parameter_stays() {
        let text = |used: &str| {
            format!(
                "class A {{ static class Outer {{ class Inner {{ }} }} static class Test<X extends Outer> {{ {used} }}\n\
                 public static void main(String[] a) {{ new Test<Outer>(); }} }}"
            )
        };
        for used in ["class B extends X.Inner { B(Outer o) { o.super(); } }", "X.Inner inner;"] {
            let results = all_results("rename-type", Java, &text(used));
            assert!(!results.is_empty() && results.iter().all(|result| result.contains("class Inner")), "{results:?}");
        }
        let plain = all_results("rename-type", Java, &text("Outer.Inner inner;"));
        assert!(plain.iter().any(|result| result.contains("Outer.Type1 inner")), "{plain:?}");
    }

    #[test]
    fn types_in_signatures_that_other_files_use_stay() {
        let hidden = "private static final class Hidden { Hidden next; private Hidden() {} }";
        // Reduced from ThreadUtils of Commons Lang: other classes are compiled to a use of the field with this type.
        let field = "public static final Hidden ALL = new Hidden();";
        check_refused("rename-type", Java, &format!("package p; public class A {{ {hidden} {field} }}"));
        check_refused(
            "rename-type",
            Java,
            &format!("package p; public class A {{ {hidden} Hidden f() {{ return null; }} }}"),
        );
        check_refused(
            "rename-type",
            Java,
            &format!("package p; public class A {{ {hidden} protected void f(Hidden h) {{}} }}"),
        );
        check(
            "rename-type",
            Java,
            &format!(
                "package p; public class A {{ {hidden} private Hidden a; public Object f() {{ Hidden h = a; return h; }} }}"
            ),
            "package p; public class A { private static final class Type1 { Type1 next; private Type1() {} } private Type1 a; \
             public Object f() { Type1 h = a; return h; } }",
        );
    }

    #[test]
    fn constructors_and_qualified_names_follow() {
        check(
            "rename-type",
            Java,
            "class A { static class B { B() {} } A.B f() { return new A.B(); } A g() { return A.this; } }",
            "class Type1 { static class B { B() {} } Type1.B f() { return new Type1.B(); } Type1 g() { return Type1.this; } }",
        );
    }
}
