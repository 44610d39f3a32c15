//! Renames a function or method of the input, with every call that resolves to it.
//!
//! class: naming
//! groups: lampion, coda, guided-mutation
//! from: Lampion, guided mutation, CODA
//!
//! All overloads, and all methods that override each other in the input, are renamed together. Every use must be in
//! the input: the function is local or private to a type of the input, or the input is a whole program. A whole
//! program defines `main` (C, C++), has no package (Java), or is a script that runs and exports nothing (Python,
//! JavaScript); a `static` function of C or C++ that the input calls qualifies, too. Left alone are entry
//! points, elements of Java's annotation types, methods that may override an external one (some ancestor of the
//! class, or of a class that inherits the method, is not in the input), methods of a class of C++ that is an argument of a template
//! from elsewhere, which may call them by name, names with a meaning to the language or its
//! library, functions with decorators or annotations, programs that print the names of functions, and arguments of
//! macros of C and C++ that the input does not define, which may print them. JavaScript prints a function and an
//! object with the name
//! of the function or the constructor: a function is only called there, or given to methods such as `map`, and
//! constructors are renamed only where no object is printed. In a file of a project, every name that another file of
//! the project has is left alone, and so is what is made for users of the project. A function that files share is renamed
//! in all of them together where every file that has the word is understood; the guide says when.
//!
//! ```java
//! class A { private int twice(int n) { return n + n; } int f() { return twice(1) + this.twice(2); } }
//! ```
//! ->
//! ```java
//! class A { private int function1(int n) { return n + n; } int f() { return function1(1) + this.function1(2); } }
//! ```
//!
//! ```c
//! static int twice(int n) { return n + n; }
//! int f(void) { int (*g)(int) = twice; return g(1) + twice(2); }
//! ```
//! ->
//! ```c
//! static int function_1(int n) { return n + n; }
//! int f(void) { int (*g)(int) = function_1; return g(1) + function_1(2); }
//! ```
//!
//! ```cpp
//! struct Box { int area(); int side = 2; };
//! int Box::area() { return side * side; }
//! int main() { Box box; return box.area(); }
//! ```
//! ->
//! ```cpp
//! struct Box { int function_1(); int side = 2; };
//! int Box::function_1() { return side * side; }
//! int main() { Box box; return box.function_1(); }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//!
//! print(twice(2))
//! ```
//! ->
//! ```python
//! def function_1(n):
//!     return n + n
//!
//! print(function_1(2))
//! ```
//!
//! ```javascript
//! function twice(n) { return n + n; }
//! console.log(twice(2));
//! ```
//! ->
//! ```javascript
//! function function1(n) { return n + n; }
//! console.log(function1(2));
//! ```
//!
//! A method that may override one of an external class is left alone:
//!
//! ```java
//! class Task extends Job { void start() { start(); } }
//! ```
//!
//! This prints `{ task: [Function: start] }`:
//!
//! ```javascript
//! function start() { return 1; }
//! console.log({ task: start });
//! ```

use std::collections::HashSet;

use syntax::scopes::ScopeKind;
use syntax::{Kind, Language, Node, Program, SymbolId, SymbolKind};

use crate::Sites;
use crate::parts::function_names::{
    has_attribute, is_annotated, is_asked_elsewhere, is_decorated, is_defined, is_special, prints_names_of_functions,
};
use crate::parts::macros::is_given_to_unknown_macro;
use crate::parts::renaming;
use crate::parts::visibility::{
    Heritage, declaration_of, is_confined, is_handed_on, is_private, is_seen_whole, is_static, is_whole,
    reaches_members, words_of_strings,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if prints_names_of_functions(program) {
        return;
    }
    let facts = Facts {
        is_whole: is_whole(program),
        heritage: Heritage::of(program),
        strings: words_of_strings(program),
        reaches_members: reaches_members(program),
        is_asked_elsewhere: is_asked_elsewhere(program),
    };
    renaming::add_sites(program, sites, |program, symbol| {
        program.scopes().symbol(symbol).kind == SymbolKind::Function && facts.allow(program, symbol)
    });
}

struct Facts<'p> {
    is_whole: bool,
    heritage: Heritage,
    strings: HashSet<&'p str>,
    reaches_members: bool,
    is_asked_elsewhere: bool,
}

impl Facts<'_> {
    fn allow(&self, program: &Program, symbol: SymbolId) -> bool {
        let scopes = program.scopes();
        let name = program.name_of(symbol);
        let is_private = is_private(program, symbol);
        let declarations = || scopes.declarations_of(symbol).map(|declaration| program.node(declaration));
        let is_in_open_type = || {
            scopes.references_of(symbol).filter(|reference| reference.declares).any(|reference| {
                let home = scopes
                    .enclosing(reference.scope)
                    .find(|&scope| matches!(scopes.scope(scope).kind, ScopeKind::Type | ScopeKind::Function));
                home.is_some_and(|home| self.heritage.is_open(home))
            })
        };
        let is_method = scopes.scope(scopes.symbol(symbol).scope).kind == ScopeKind::Type;
        let is_visible = is_seen_whole(program, symbol, self.is_whole);
        let is_free = || is_private || !(is_in_open_type() || self.heritage.is_open(scopes.symbol(symbol).scope));
        if self.strings.contains(name) || is_special(program.language(), name, is_method) {
            return false;
        }
        if self.is_asked_elsewhere && scopes.references_of(symbol).any(|reference| is_handed_on(program, reference)) {
            return false;
        }
        match program.language() {
            Language::Java => {
                is_visible && is_free() && !declarations().any(|name| is_annotated(name) || is_element(name))
            }
            Language::C | Language::Cpp => {
                let is_static_and_used = is_static(program, symbol)
                    && !is_method
                    && is_confined(program, name)
                    && scopes.references_of(symbol).any(|reference| !reference.declares);
                let is_shown =
                    || scopes.references_of(symbol).any(|found| is_given_to_unknown_macro(program.node(found.node)));
                (is_visible || is_static_and_used)
                    && !is_shown()
                    && declarations().any(is_defined)
                    && is_free()
                    && !declarations().any(has_attribute)
            }
            Language::Python => is_visible && is_free() && !declarations().any(is_decorated),
            Language::JavaScript => {
                is_visible
                    && is_free()
                    && !declarations().any(is_exported)
                    && !(is_method && !is_private && self.reaches_members)
            }
        }
    }
}

/// Is it an element of an annotation type? `@A(1)` sets `value` without naming it, and `toString` prints the names of all elements.
fn is_element(name: Node<'_>) -> bool {
    declaration_of(name).is_some_and(|declaration| declaration.kind() == Kind::AnnotationTypeElementDeclaration)
}

fn is_exported(name: Node<'_>) -> bool {
    declaration_of(name).and_then(Node::parent).is_some_and(|around| around.kind() == Kind::ExportStatement)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn a_call_that_may_find_another_function_through_its_arguments_is_not_renamed() {
        // `name(tools::Tag{})` calls the function of the namespace, `name(1)` the other.
        check_refused(
            "rename-function",
            Cpp,
            "namespace tools { struct Tag {}; int name(Tag) { return 1; } }\nint name(...) { return 2; }\n\
             int main() { return name(tools::Tag{}) + name(1); }",
        );
    }

    #[test]
    fn a_member_of_a_dependent_base_class_is_left_alone() {
        let text = |used: &str, base: &str| {
            format!(
                "struct Base {{ int tally() {{ return 2; }} }};\ntemplate <class T> struct Box : {base} {{ {used} }};\n\
                 int main() {{ Box<Base> box; return box.all(); }}"
            )
        };
        let uses = ["int all() { return this->tally(); }", "int all() { return n; } int n = this->tally();"];
        let plain = text(uses[0], "Base").replace("template <class T> ", "").replace("Box<Base>", "Box");
        assert!(all_results("rename-function", Cpp, &plain).iter().any(|result| !result.contains("tally()")));
        for base in ["T", "T::Base"] {
            for used in uses {
                for result in all_results("rename-function", Cpp, &text(used, base)) {
                    assert!(result.contains("int tally()"), "{result}");
                }
            }
        }
    }

    /// A template of an extension of the library calls `Traits::max_variadic()`.
    #[test]
    fn a_member_of_an_argument_of_an_unknown_template_is_left_alone() {
        let text = |used: &str| {
            format!(
                "struct Traits {{ static int rank() {{ return 4; }} }};\ntypedef Traits Other;\n{used}\n\
                 int main() {{ return Traits::rank() + Other::rank(); }}"
            )
        };
        for used in
            ["std::vector<Traits> all;", "template <class T> struct Own { };\nOwn<Traits> own;", "vector<Other> all;"]
        {
            check("rename-function", Cpp, &text(used), &text(used).replace("rank", "function_1"));
        }
        for used in [
            "lib::trie<int, Traits> all;",
            "typedef lib::trie<int, std::vector<Traits>> tries;",
            "lib::trie<int, Other> all;",
            "struct More : Traits { };\nint n = lib::call<More>(3);",
        ] {
            for result in all_results("rename-function", Cpp, &text(used)) {
                assert!(result.contains("int rank()"), "{result}");
            }
        }
    }

    /// `geo::scale(2)` calls the function of the inline namespace.
    #[test]
    fn overloads_of_an_inline_namespace_go_together() {
        let text = "namespace geo { inline namespace v1 { int scale(int) { return 2; } } int scale(double) { return 3; } }\n\
                    int main() { return geo::scale(2) + geo::v1::scale(1); }";
        check("rename-function", Cpp, text, &text.replace("scale", "function_1"));
    }

    /// A declaration of `x` after the head shows that this is a K&R definition, not a macro call.
    #[test]
    fn a_k_and_r_definition_need_not_use_its_parameters() {
        let text = "g(x) int x; { h(); }\nint main(void) { g(1); return 0; }";
        check("rename-function", C, text, &text.replace("g(", "function_1("));
    }

    /// An enum constant with a body is a subclass of its enum, and so implements the interface.
    #[test]
    fn a_method_of_an_enum_constant_may_implement_one_from_outside() {
        let with = |heading: &str, rest: &str| {
            format!(
                "public class A {{ enum Op {heading} {{ ADD {{ public int applyAsInt(int a, int b) {{ return a + b; }} }}; {rest} }}\n\
                 public static void main(String[] a) {{ System.out.println(Op.ADD.applyAsInt(1, 2)); }} }}"
            )
        };
        let outside = "implements java.util.function.IntBinaryOperator";
        for text in [
            with(outside, ""),
            with("implements Other", ""),
            with(outside, "public int applyAsInt(int a, int b) { return 0; }"),
        ] {
            check_refused("rename-function", Java, &text);
        }
        let own = with("", "abstract int applyAsInt(int a, int b);");
        check("rename-function", Java, &own, &own.replace("applyAsInt", "function1"));
    }

    /// `@Tags({@Tag})` means `@Tags(value = {@Tag})`, and `toString` of an annotation prints `@Tag(depth=2)`.
    #[test]
    fn elements_of_annotation_types_are_left_alone() {
        for element in ["Tag[] value();", "int depth() default 2;"] {
            let annotation = format!("@interface Tags {{ {element} }}");
            check_refused(
                "rename-function",
                Java,
                &format!("class A {{ public static void main(String[] a) {{ }} }} {annotation}"),
            );
        }
    }

    #[test]
    fn a_function_that_an_unknown_macro_may_print_is_left_alone() {
        let test = "#include \"unity.h\"\nstatic int one(void) { return 1; }\nint main(void) { RUN_TEST(one); return one(); }\n";
        check_refused("rename-function", C, test);
        check_refused("rename-function", Cpp, test);
        let known =
            "#define CALL(f) ((f)())\nstatic int one(void) { return 1; }\nint main(void) { return CALL(one); }\n";
        check("rename-function", C, known, &known.replace("one", "function_1"));
    }

    #[test]
    fn overloads_and_overriding_methods_go_together() {
        check(
            "rename-function",
            Java,
            "class A { int f(int n) { return 1; } int f() { return f(2); } } class B extends A { int f() { return super.f(1); } }",
            "class A { int function1(int n) { return 1; } int function1() { return function1(2); } } \
             class B extends A { int function1() { return super.function1(1); } }",
        );
        check_refused(
            "rename-function",
            Java,
            "class A { void f() {} } class B extends A implements Job { void g() { f(); } }",
        );
    }

    #[test]
    fn statements_that_do_nothing_make_no_script_of_a_module() {
        let module = "def twice(n):\n    return n + n\n";
        for statement in [
            "print(\"\", end=\"\")\n",
            "text = ''\nprint((text), end='' + '')\n",
            "for index in ():\n    unused = 1\n",
            "while 1 > 2:\n    unused = 1\n",
            "four = twice(2)\n",
            "if 2 > 1:\n    four = twice(2)\n",
        ] {
            check_refused("rename-function", Python, &format!("{module}{statement}"));
        }
        for called in [
            "def empty():\n    pass\nif 2 > 1:\n    empty()\n",
            "def empty():\n    unused = 3\n    for index in range(2):\n        copy = unused\nempty()\n",
            "def empty():\n    print('', end=('' + \"\"))\nempty()\n",
        ] {
            check_refused("rename-function", Python, &format!("{module}{called}"));
        }
        check_refused(
            "rename-function",
            JavaScript,
            "function twice(n) { return n + n; } function empty() { } empty(); console.assert(true, \"\");",
        );
        let stored = "function twice(n) { return n + n; } const later = () => { start(); };";
        check_refused("rename-function", JavaScript, stored);
    }

    #[test]
    fn a_method_may_implement_an_interface_from_elsewhere_in_a_subclass() {
        check_refused(
            "rename-function",
            Java,
            "class A { public void run() {} } class B extends A implements Runnable {}",
        );
        check_refused("rename-function", Java, "class A { Runnable f = new Runnable() { public void run() {} }; }");
    }

    #[test]
    fn a_type_that_others_see_keeps_what_an_anonymous_class_implements() {
        let anonymous =
            "static Greeter make() { return new Greeter() { public String greet(String who) { return who; } }; }";
        let interface = "public interface Greeter { String greet(String who); }";
        let class = "public static abstract class Greeter { public abstract String greet(String who); }";
        let hidden = "static abstract class Greeter { abstract String greet(String who); }";
        for declared in [interface, class, hidden] {
            check_refused("rename-function", Java, &format!("package p; public class A {{ {anonymous} {declared} }}"));
            check_refused("rename-function", Java, &format!("package p; public class A {{ {declared} {anonymous} }}"));
            check_refused("rename-function", Java, &format!("package p; class A {{ {anonymous} {declared} }}"));
        }
        let lambda = "static Greeter same() { return who -> who; } String f() { return same().greet(\"a\"); }";
        check_refused("rename-function", Java, &format!("package p; class A {{ {lambda} {interface} }}"));
        let local =
            "class Local extends Greeter { public String greet(String who) { return who; } } return new Local();";
        check_refused("rename-function", Java, &format!("package p; class A {{ Greeter f() {{ {local} }} {class} }}"));
        check(
            "rename-function",
            Java,
            "package p; public class A { int f() { class Local { int size() { return 2; } } return new Local().size(); } }",
            "package p; public class A { int f() { class Local { int function1() { return 2; } } return new Local().function1(); } }",
        );
    }

    #[test]
    fn a_file_with_a_main_may_have_neighbours_in_its_package() {
        // Reduced from JUnitCore of JUnit 4, whose `runClasses` is called by many others.
        let text = "public class Core { public static void main(String... a) { run(a); } public static void run(String... a) { } }";
        check_refused("rename-function", Java, &format!("package p; {text}"));
        assert_eq!(all_results("rename-function", Java, text).len(), 1);
    }

    #[test]
    fn the_methods_of_a_class_in_a_function_go_where_its_objects_go() {
        check_refused(
            "rename-function",
            Python,
            "def make():\n    class Box:\n        def size(self):\n            return 2\n    return Box()\n",
        );
        check_refused(
            "rename-function",
            JavaScript,
            "export function make() { class Box { size() { return 2; } } return new Box(); }",
        );
        check_refused(
            "rename-function",
            Cpp,
            "inline auto make() { struct Box { int size() { return 2; } }; return Box(); }",
        );
    }

    #[test]
    fn entry_points_and_names_of_the_language_stay() {
        check_refused(
            "rename-function",
            Java,
            "class A { public static void main(String[] a) {} public int hashCode() { return 1; } }",
        );
        check_refused("rename-function", C, "int main(void) { return 0; }");
        check_refused(
            "rename-function",
            Python,
            "class A:\n    def __len__(self):\n        return 0\n\nprint(len(A()))\n",
        );
        check_refused(
            "rename-function",
            Cpp,
            "struct R { int* begin(); int* end() { return 0; } }; int* R::begin() { return 0; } int main() {}",
        );
    }

    #[test]
    fn a_piece_of_a_program_may_have_callers_elsewhere() {
        check_refused("rename-function", Java, "private int f(int n) { return f(n - 1); }");
        check_refused("rename-function", Java, "package p; public class A { public int f(int n) { return n; } }");
        check_refused("rename-function", C, "int f(int n) { return n; }");
        check_refused("rename-function", C, "static int f(int n) { return n; }");
        check_refused("rename-function", C, "int f(int n); int main(void) { return f(1); }");
        check_refused("rename-function", Python, "def f(n):\n    return n\n");
        check_refused("rename-function", JavaScript, "export function f(n) { return n; }\nf(1);");
        check_refused("rename-function", JavaScript, "function f(n) { return n; }\nmodule.exports = { f };\nf(1);");
    }

    #[test]
    fn what_a_function_declares_is_seen_by_nobody_else() {
        check(
            "rename-function",
            Python,
            "def f(n):\n    def g(k):\n        return k\n    return g(n)\n",
            "def f(n):\n    def function_1(k):\n        return k\n    return function_1(n)\n",
        );
        check(
            "rename-function",
            JavaScript,
            "export function f(n) { return g(n); function g(k) { return k; } }",
            "export function f(n) { return function1(n); function function1(k) { return k; } }",
        );
    }

    #[test]
    fn names_that_are_shown_or_reached_by_text_stay() {
        check_refused(
            "rename-function",
            C,
            "static void f(void) { puts(__func__); } int main(void) { f(); return 0; }",
        );
        check_refused(
            "rename-function",
            C,
            "#define CALL(x) x()\n#define G CALL(f)\nstatic void f(void) {} int main(void) { G; f(); return 0; }",
        );
        check_refused("rename-function", Python, "def f(n):\n    return n\n\nprint(f(1), f.__name__)\n");
        check_refused(
            "rename-function",
            Python,
            "def f(n):\n    '''\n    >>> f(1)\n    1\n    '''\n    return n\n\nprint(f(1))\n",
        );
        check_refused(
            "rename-function",
            Python,
            "import inspect\ndef f():\n    return 1\nprint(inspect.getdoc(f), f())\n",
        );
        check_refused("rename-function", Python, "@app.route('/')\ndef f():\n    return 1\n\napp.run()\n");
        check_refused("rename-function", JavaScript, "function f(n) { return n; }\nconsole.log(f);");
        check_refused("rename-function", JavaScript, "function f(n) { return n; }\nconsole.log(f.name, f(1));");
        check_refused("rename-function", JavaScript, "class A { f() { return 1; } }\nlet o = new A();\ng(o['f']());");
        check_refused("rename-function", JavaScript, "class A { f() { return 1; } }\ng({f: 1});");
        check_refused(
            "rename-function",
            Python,
            "class Tee:\n    def write(self, text):\n        pass\n\nrun(Tee())\n",
        );
        check_refused("rename-function", JavaScript, "function Panel() { return null; }\nrender(<Panel/>);");
    }

    /// Node prints the name of the function in each of these.
    #[test]
    fn functions_that_may_be_printed_stay() {
        for text in [
            "function Box(n) { this.n = n; } console.log(new Box(2));",
            "function Box(n) { this.n = n; } const box = new Box(2); use(box.constructor.name);",
            "function Box() { use(new.target.name); } new Box();",
            "function Box() { } Box.make = function () { return this.name; }; use(Box.make());",
            "function Box() { } const log = console.log; log(new Box());",
            "function Box() { } const { log } = console; log(new Box());",
            "function Box() { } [new Box()].forEach(console.log);",
            "function Box() { } const show = require('util').inspect; use(show(new Box()));",
            "function Box() { } console.log(null || new Box());",
            "function f() { return 1; } console.log({ h: f });",
            "function f() { return 1; } console.log({ f });",
            "function f() { return 1; } console.log([f]);",
            "function f() { return 1; } const o = {}; o.h = f; use(o);",
            "function f() { return 1; } const g = f; console.log(g);",
            "function f() { return 1; } const show = g => console.log(g.name); show(f);",
            "function f() { return 1; } const g = f.bind(null); console.log(g);",
            "function f() { return 1; } console.log(new Map([[f, 1]]));",
            "function f() { return 1; } console.log(setTimeout(f, 0));",
            "function make() { function inner() { } return inner; } console.log(make());"
                .replace("make", "main")
                .as_str(),
            "const o = { h: function inner() { return 1; } }; console.log(o);",
            "class A { go() { return 1; } } console.log(new A().go);",
            "const list = { map(g) { return g.name; } }; function f() { } use(list.map(f));",
        ] {
            check_refused("rename-function", JavaScript, text);
        }
        for text in [
            "function f(n) { return n; } console.log([1].map(f) + '');",
            "function f(n) { return n; } setTimeout(f, 0); use(f.call(null, 1), typeof f, f.length);",
            "function Box(n) { this.n = n; } Box.prototype.get = 1; console.log(new Box(2).n + 1);",
            "(function f(n) { return n ? f(n - 1) : 0; })(2);",
        ] {
            assert_eq!(all_results("rename-function", JavaScript, text).len(), 1, "{text}");
        }
    }

    #[test]
    fn unresolved_members_of_the_same_name_refuse() {
        check_refused(
            "rename-function",
            Python,
            "class A:\n    def go(self):\n        return 1\n\ndef f(x):\n    return x.go()\n\nprint(f(A()))\n"
                .replace("def f", "def main")
                .as_str(),
        );
        assert_eq!(
            all_results(
                "rename-function",
                Python,
                "class A:\n    def go(self):\n        return 1\n\nprint(A().go())\n"
            )
            .len(),
            1
        );
    }

    #[test]
    fn names_that_can_be_pasted_stay() {
        let text = "#define CAT(x, y) x ## y\nstatic int foobar(void) { return 1; }\nint main(void) { return CAT(foo, bar)(); }\n";
        let results = all_results("rename-function", C, text);
        assert!(results.is_empty(), "{results:?}");
    }
}
