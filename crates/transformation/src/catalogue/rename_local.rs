//! Renames a local variable: its declaration and every use that resolves to it, nothing else.
//!
//! class: naming
//! groups: lampion, coda, guided-mutation, carrot
//! from: Lampion (RenameVariable), CODA, ALERT, MHM, CARROT, guided mutation
//!
//! Uses are resolved by scope, not by spelling: a field, a label or another variable of the same name keeps it. The
//! new name is fresh in the whole input, so it can neither capture nor be captured. A function without a name of its own
//! has that of its variable; in JavaScript such a variable is renamed only where nothing can print the function.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return this.total + total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int localInt1 = 2 * width; return this.total + localInt1; }
//! ```
//!
//! ```c
//! int length(struct list *list) { int n = 0; n += list->n; return n; }
//! ```
//! ->
//! ```c
//! int length(struct list *list) { int local_int_1 = 0; local_int_1 += list->n; return local_int_1; }
//! ```
//!
//! ```cpp
//! int sum(const std::vector<int>& values) { int sum = 0; for (int v : values) sum += v; return sum; }
//! ```
//! ->
//! ```cpp
//! int sum(const std::vector<int>& values) { int local_int_1 = 0; for (int v : values) local_int_1 += v; return local_int_1; }
//! ```
//!
//! ```python
//! def first(items):
//!     key = items[0]
//!     return find(items, key=key)
//! ```
//! ->
//! ```python
//! def first(items):
//!     local_1 = items[0]
//!     return find(items, key=local_1)
//! ```
//!
//! A shorthand property keeps its key:
//!
//! ```javascript
//! function point(n) { const x = n + 1; return {x}; }
//! ```
//! ->
//! ```javascript
//! function point(n) { const local1 = n + 1; return {x: local1}; }
//! ```
//!
//! A program that accesses names as strings is left alone:
//!
//! ```python
//! def greet(name):
//!     text = 'hello ' + name
//!     return '%(text)s' % locals()
//! ```

use syntax::{Program, SymbolKind};

use crate::Sites;
use crate::parts::renaming;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    renaming::add_sites(program, sites, |program, symbol| program.scopes().symbol(symbol).kind == SymbolKind::Local);
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn shadowed_names_are_told_apart() {
        check(
            "rename-local",
            C,
            "int f(void) { int x = 1; { int x = 2; x++; } return x; }",
            "int f(void) { int local_int_1 = 1; { int x = 2; x++; } return local_int_1; }",
        );
        assert_eq!(all_results("rename-local", C, "int f(void) { int x = 1; { int x = 2; x++; } return x; }").len(), 2);
    }

    #[test]
    fn names_in_macros_are_left_alone() {
        check_refused("rename-local", C, "#define TWICE (n + n)\nint f(void) { int n = 1; return TWICE; }\n");
    }

    #[test]
    fn labels_and_fields_keep_their_names() {
        check(
            "rename-local",
            Java,
            "void f() { int a = 0; a: for (;;) { break a; } g.a = a; }",
            "void f() { int localInt1 = 0; a: for (;;) { break a; } g.a = localInt1; }",
        );
    }

    #[test]
    fn global_and_nonlocal_names_of_python() {
        // `a` is the module's; `b` is a local of `f` that `g` writes.
        let text = "def f():\n    global a\n    a = 1\n    b = 2\n    def g():\n        nonlocal b\n        b = 3\n    g()\n    return b\n";
        assert_eq!(
            all_results("rename-local", Python, text),
            [text
                .replace("b = ", "local_int_1 = ")
                .replace("nonlocal b", "nonlocal local_int_1")
                .replace("return b", "return local_int_1")]
        );
    }

    #[test]
    fn class_bodies_and_comprehensions_of_python() {
        check(
            "rename-local",
            Python,
            "def f(items):\n    x = 1\n    class A:\n        x = 2\n        y = x\n        def m(self):\n            return x\n    return [x for x in items], A\n",
            "def f(items):\n    local_int_1 = 1\n    class A:\n        x = 2\n        y = x\n        def m(self):\n            return local_int_1\n    return [x for x in items], A\n",
        );
    }

    #[test]
    fn names_that_python_shows_stay() {
        check_refused("rename-local", Python, "def f():\n    n = 1\n    return f'{n=}'\n");
        check(
            "rename-local",
            Python,
            "def f():\n    n = 1\n    return f'{n}'\n",
            "def f():\n    local_int_1 = 1\n    return f'{local_int_1}'\n",
        );
        check_refused("rename-local", Python, "def f(o):\n    n = 1\n    return '{n}'.format(**locals())\n");
    }

    #[test]
    fn hoisted_variables_and_keys_of_javascript() {
        check(
            "rename-local",
            JavaScript,
            "function f() { x = 1; if (x) { var x = 2; } return {x: x, y: o.x}; }",
            "function f() { localNumber1 = 1; if (localNumber1) { var localNumber1 = 2; } return {x: localNumber1, y: o.x}; }",
        );
        check(
            "rename-local",
            JavaScript,
            "function f(o) { const {a, b: [c]} = o; return a + c; }",
            "function f(o) { const {a: local1, b: [c]} = o; return local1 + c; }",
        );
        check_refused("rename-local", JavaScript, "function f() { var arguments = 1; return arguments; }");
        check_refused("rename-local", JavaScript, "function f() { const g = () => 1; return g.name; }");
        check_refused("rename-local", JavaScript, "function f() { const g = () => 1; console.log(g); }");
        check_refused("rename-local", JavaScript, "function f() { const A = class {}; console.log(new A()); }");
        check_refused("rename-local", JavaScript, "function f() { const g = () => 1; console.log({ h: g }); }");
        check_refused("rename-local", JavaScript, "function f() { let g; g = function () { }; return g; }");
        check_refused("rename-local", JavaScript, "function f() { let g; g ||= (() => 1); use([g]); }");
        check_refused("rename-local", JavaScript, "function f(o) { const { g = () => 1 } = o; use(g); }");
        check_refused("rename-local", JavaScript, "function f() { const A = class { static n = 1; }; return A; }");
        check(
            "rename-local",
            JavaScript,
            "function f(a) { const g = n => n + 1; return a.map(g).concat(g(2)); }",
            "function f(a) { const localObject1 = n => n + 1; return a.map(localObject1).concat(localObject1(2)); }",
        );
        check_refused("rename-local", JavaScript, "function f() { let n = 1; return eval('n'); }");
    }

    #[test]
    fn structured_bindings_and_captures_of_cpp() {
        check(
            "rename-local",
            Cpp,
            "int f(P p) { auto [a, b] = p; auto g = [a, c = b] { return a + c; }; return g(); }",
            "int f(P p) { auto [local_1, b] = p; auto g = [local_1, c = b] { return local_1 + c; }; return g(); }",
        );
    }

    #[test]
    fn inner_classes_and_lambdas_of_java_see_the_variable() {
        check(
            "rename-local",
            Java,
            "void f() { int n = 1; Runnable r = () -> g(n); class A { int n() { return n; } int m(int n) { return n; } } }",
            "void f() { int localInt1 = 1; Runnable r = () -> g(localInt1); class A { int n() { return localInt1; } int m(int n) { return n; } } }",
        );
    }

    #[test]
    fn macros_that_see_the_spelling_refuse() {
        check_refused(
            "rename-local",
            C,
            "#define SHOW(x) printf(#x \"=%d\", x)\nvoid f(void) { int n = 1; SHOW(n); }\n",
        );
        check_refused("rename-local", C, "#define JOIN(x) x##_t\nvoid f(void) { int n = 1; g(JOIN(n)); }\n");
    }

    #[test]
    fn bytes_are_not_columns() {
        check(
            "rename-local",
            Python,
            "def f():\r\n    größe = 'ä\\n'; return größe",
            "def f():\r\n    local_string_1 = 'ä\\n'; return local_string_1",
        );
    }

    /// Qt's signal was taken for a variable that is made of its argument.
    #[test]
    fn a_call_behind_a_macro_is_not_a_declaration() {
        let text = "void M::set(int v) { int next = v; emit changed(next); }";
        let results = all_results("rename-local", Cpp, text);
        assert_eq!(results, [text.replace("next", "local_int_1")]);
    }
}
