//! Wraps a statement, or a whole body, in an `if` whose condition is always true.
//!
//! class: structure
//! groups: lampion
//! from: Lampion (IfTrue)
//! rules: statement, body
//!
//! The condition is a constant expression, so the statement runs exactly as before, and Java's compiler knows that
//! variables assigned inside are assigned afterwards. Where the statement never completes, compilers no longer see
//! that: an `else` returns a neutral value of the declared type.
//!
//! ```java
//! boolean f(int n) {
//!     return n > 0;
//! }
//! ```
//! ->
//! ```java
//! boolean f(int n) {
//!     if (true) {
//!         return n > 0;
//!     } else {
//!         return false;
//!     }
//! }
//! ```
//!
//! ```c
//! void f(int *p) {
//!     *p = 1;
//! }
//! ```
//! ->
//! ```c
//! void f(int *p) {
//!     if (1) {
//!         *p = 1;
//!     }
//! }
//! ```
//!
//! ```cpp
//! void f(std::vector<int>& v) { v.push_back(1); }
//! ```
//! ->
//! ```cpp
//! void f(std::vector<int>& v) { if (true) { v.push_back(1); } }
//! ```
//!
//! ```python
//! def f(n):
//!     '''Doubles.'''
//!     return n * 2
//! ```
//! ->
//! ```python
//! def f(n):
//!     '''Doubles.'''
//!     if True:
//!         return n * 2
//! ```
//!
//! ```javascript
//! function f(n) { return n * 2; }
//! ```
//! ->
//! ```javascript
//! function f(n) { if (true) { return n * 2; } }
//! ```
//!
//! A declaration would be visible in the block only:
//!
//! ```javascript
//! let total = 0;
//! ```
//!
//! The return type is a name, so its neutral value is unknown:
//!
//! ```c
//! value_t f(value_t v) { return v; }
//! ```

use syntax::{Language, Program};

use crate::parts::wrapping::{Wrappable, always_true, bodies, single_statements};
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for run in single_statements(program) {
        sites.add_rule("statement", run.range.clone(), move |choice| Some(wrapped(&run, choice)));
    }
    for run in bodies(program) {
        sites.add_rule("body", run.range.clone(), move |choice| Some(wrapped(&run, choice)));
    }
}

fn wrapped(run: &Wrappable<'_>, choice: &mut Choice<'_>) -> Vec<syntax::Edit> {
    let language = choice.program().language();
    let condition = choice.pick(always_true(language));
    match language {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let after: Vec<String> = match run.way_out {
                Some(way_out) => vec!["} else {".to_owned(), format!("\t{way_out}"), "}".to_owned()],
                None => vec!["}".to_owned()],
            };
            run.between(&[format!("if ({condition}) {{")], &after)
        }
        Language::Python => run.between(&[format!("if {condition}:")], &[]),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    /// C++11 allows only a `return` statement there.
    #[test]
    fn a_function_for_the_compiler_may_have_nothing_but_its_return() {
        check_refused("if-true", Cpp, "struct A { int x; constexpr int get() const { return x; } };");
        let longer = all_results("if-true", Cpp, "constexpr int f(int n) { n++; return n; }");
        assert!(longer.contains(&"constexpr int f(int n) { if (true) { n++; } return n; }".to_owned()), "{longer:?}");
    }

    #[test]
    fn a_jump_that_makes_a_pattern_known_behind_it_is_not_wrapped() {
        // jdk17-methods/train, the program 11839: the field `s` would be returned instead of the pattern's variable.
        let text = "class A { String s; String f(Object[] all) { for (Object o : all) { if (!(o instanceof String s)) { \
                    continue; } return s; } return null; } }";
        let is_wrapped = |result: &String| result.contains("if (true) { continue; }");
        assert!(!all_results("if-true", Java, text).iter().any(is_wrapped));
        let without_pattern = text.replace("!(o instanceof String s)", "o == null");
        assert!(all_results("if-true", Java, &without_pattern).iter().any(is_wrapped));
    }

    #[test]
    fn a_comment_behind_a_statement_without_semicolon_stays_behind_it() {
        let results =
            all_results("if-true", JavaScript, "function f(a, b) {\n  ;[a, b] = [b, a] // swap\n\n  return a\n}\n");
        assert_eq!(results[0], "function f(a, b) {\n  ;if (true) { [a, b] = [b, a] } // swap\n\n  return a\n}\n");
    }

    #[test]
    fn the_neutral_value_has_the_declared_type() {
        for (declared, neutral) in [("boolean", "false"), ("char", "0"), ("List<T>", "null"), ("int[]", "null")] {
            check(
                "if-true",
                Java,
                &format!("{declared} f() {{ return g(); }}"),
                &format!("{declared} f() {{ if (true) {{ return g(); }} else {{ return {neutral}; }} }}"),
            );
        }
        check("if-true", Java, "void f() { return; }", "void f() { if (true) { return; } }");
        check(
            "if-true",
            Cpp,
            "bool f() { return g(); }",
            "bool f() { if (true) { return g(); } else { return false; } }",
        );
        check(
            "if-true",
            C,
            "char *f(void) { return g(); }",
            "char *f(void) { if (1) { return g(); } else { return 0; } }",
        );
        check_refused("if-true", Cpp, "std::string f() { return g(); }");
        check_refused("if-true", Cpp, "int& f() { return x; }");
        check_refused("if-true", Cpp, "auto f = [](int n) { return n; };");
        check_refused("if-true", C, "struct point f(struct point p) { return p; }");
    }

    #[test]
    fn lambdas_and_arms_that_give_values_are_left_alone() {
        assert_eq!(all_results("if-true", Java, "void f() { g(x -> { return 1; }); }").len(), 2);
        let text = "int f(int n) { int m = switch (n) { default -> { throw g(); } }; return m; }";
        assert_eq!(all_results("if-true", Java, text).len(), 2);
    }

    #[test]
    fn what_must_come_first_stays_first() {
        check(
            "if-true",
            Java,
            "class A { A() { super(); } A(int n) { this(); g(); } }",
            "class A { A() { super(); } A(int n) { this(); if (true) { g(); } } }",
        );
        check(
            "if-true",
            Python,
            "'text'\nfrom __future__ import division\nf()\n",
            "'text'\nfrom __future__ import division\nif True:\n    f()\n",
        );
        check("if-true", JavaScript, "'use strict';\nf();\n", "'use strict';\nif (true) {\n    f();\n}\n");
    }

    #[test]
    fn variables_of_patterns_are_seen_behind() {
        let text = "int f(Object o) { if (!(o instanceof String s)) { return 0; } int n = s.length(); return n; }";
        let results = all_results("if-true", Java, text);
        assert!(
            !results
                .iter()
                .any(|result| result.contains("{ if (true) { if (!(o instanceof String s)) { return 0; } }"))
        );
    }

    #[test]
    fn whole_bodies_hold_their_declarations() {
        let results = all_results("if-true", Java, "int f() { int n = 1; return n; }");
        assert_eq!(results[1], "int f() { if (true) { int n = 1; return n; } else { return 0; } }");
    }

    #[test]
    fn labels_and_macros_are_left_alone() {
        check_refused("if-true", C, "void f(void) { DECLARE(x); }");
        let text = "int f() { char a[9][4]; char (*p)[4] = a; return **p; }";
        assert!(!all_results("if-true", Cpp, text).iter().any(|result| result.contains("if (true) { char (")));
        assert_eq!(all_results("if-true", C, "void f(int n) { again: n++; goto again; }").len(), 2);
        check_refused("if-true", C, "void f(int n) {\n#if A\n g();\n#endif\n }");
    }

    #[test]
    fn lines_of_python_are_indented_and_strings_are_not() {
        check(
            "if-true",
            Python,
            "x = f('''1\n  2''',\n    b)  # why\n",
            "if True:\n  x = f('''1\n  2''',\n      b)  # why\n",
        );
        check_refused("if-true", Python, "x = 1; y = 2\n");
        check_refused("if-true", Python, "if a:\n\tf()\nelse:\n        g()\n");
    }

    #[test]
    fn functions_of_javascript_are_hoisted() {
        let results = all_results("if-true", JavaScript, "function f() { g(); function g() { h(); } }");
        assert_eq!(results.len(), 3);
    }

    #[test]
    fn a_semicolon_that_is_not_written_stays_unwritten() {
        check("if-true", JavaScript, "f()\ng()\n", "if (true) {\n    f()\n}\ng()\n");
    }

    /// The object of a compound literal lives as long as the block that it is in.
    #[test]
    fn compound_literals_stay_in_their_block() {
        let results = all_results("if-true", C, "int f(int n) { int *p; p = (int[]) { n }; return *p; }");
        assert!(!results.iter().any(|result| result.contains("{ p = (int[])")), "{results:?}");
    }
}
