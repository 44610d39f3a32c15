//! Adds an `if` whose condition is always false.
//!
//! class: dead-code
//! groups: carrot
//! from: CARROT, WIR-Random
//!
//! The condition compares literals and has no effect, so the branch never runs. Its body compiles: it reads variables
//! that have a value there, or increments a number that is not constant and changes elsewhere. In Python the body
//! binds no name that the function does not already bind, other than a fresh one.
//!
//! ```java
//! int first(int[] values) { return values[0]; }
//! ```
//! ->
//! ```java
//! int first(int[] values) { if (0 != 0) { int localInt1 = 78; } return values[0]; }
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
//! int twice(int n)
//! {
//!     if (0 != 0) {
//!         int local_int_1 = n;
//!     }
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! bool both(bool a, bool b) { return a && b; }
//! ```
//! ->
//! ```cpp
//! bool both(bool a, bool b) { if (0 != 0) { bool local_boolean_1 = b; } return a && b; }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! def twice(n):
//!     if 0 != 0:
//!         local_1 = n
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
//! if (0 != 0) {
//!   let localNumber1 = 78;
//! }
//! function twice(n) {
//!   return n + n;
//! }
//! ```
//!
//! A statement list that the preprocessor changes is left alone:
//!
//! ```c
//! int twice(int n) {
//! #if FAST
//!     return n << 1;
//! #endif
//!     return n + n;
//! }
//! ```

use syntax::Program;

use crate::Sites;
use crate::parts::conditions::head;
use crate::parts::dead::{block, false_condition, plausible_statement};
use crate::parts::statements::positions_of_names;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    for position in positions_of_names(program).into_iter().filter(|position| position.allows_lines()) {
        sites.add(position.range(), move |choice| {
            let condition = false_condition(program.language(), choice);
            let head = head(program.language(), "if", condition);
            let statement = plausible_statement(position, choice)?;
            Some(vec![position.insert(&block(position, &head, &statement))])
        });
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, Python};

    use crate::testing::{all_results, check_refused};

    #[test]
    fn variables_of_other_places_are_not_touched() {
        let text = "void f(int n) { switch (n) { case 1: int a = 0; a++; break; case 2: g(); } }";
        let results = all_results("add-dead-branch", Java, text);
        assert!(results.iter().all(|result| !result.contains("= a;") || result.find("= a;") < result.find("case 2")));
    }

    #[test]
    fn a_variable_has_no_value_before_its_declaration_ends() {
        let text = "int f(int n) { int a = switch (n) { case 1 -> { g(); yield 2; } default -> 3; }; return a; }";
        let results = all_results("add-dead-branch", Java, text);
        assert!(results.iter().all(|result| !result.contains("= a; } g()")), "{results:?}");
    }

    #[test]
    fn what_a_lambda_captures_is_not_written() {
        let text = "void f() { int a = 0; run(() -> g(a)); int b; h(); }";
        for result in all_results("add-dead-branch", Java, text) {
            assert!(!result.contains("a++") && !result.contains("= b;") && !result.contains("b++"), "{result}");
        }
    }

    /// muParser: a counter that is declared for a build with OpenMP alone.
    #[test]
    fn a_variable_of_another_branch_of_the_preprocessor_is_not_seen() {
        let text = "int f(void) {\n#ifdef FAST\n    int spare = 0;\n    while (g(1)) { g(spare); }\n#else\n    \
                    while (g(2)) { g(3); }\n#endif\n    while (g(4)) { g(5); }\n}\n";
        for language in [C, Cpp] {
            for unit in ["add-dead-branch", "add-dead-loop"] {
                let results = all_results(unit, language, text);
                let seen = |result: &&String| result.contains("= spare;") || result.contains("spare++");
                for result in results.iter().filter(seen) {
                    assert!(result.find("#else") > result.find("= spare;").max(result.find("spare++")), "{result}");
                }
                assert!(results.iter().any(|result| seen(&result)), "{results:?}");
            }
        }
    }

    /// fixtures, corners/c/shadowing.c: `int local_int_1 = n;` where `n` is the structure.
    #[test]
    fn a_name_that_is_declared_anew_is_not_the_outer_variable() {
        let text = "int f(int n) { { struct s { int k; } n = { 1 }; g(); h(n.k); } return n; }";
        for unit in ["add-dead-branch", "add-dead-loop"] {
            for result in all_results(unit, C, text) {
                let inner =
                    &result[result.find("n = { 1 }").expect("it is there")..result.find("h(n.k)").expect("too")];
                assert!(!inner.contains("= n;") && !inner.contains("n++"), "{result}");
            }
        }
    }

    /// fixtures, corners/cpp/jumps-and-labels.cpp: C++ has no `state++` for it.
    #[test]
    fn an_enumeration_of_cpp_is_no_number() {
        let text = "void f() { enum { off, on } state = off; g(); g(); g(); g(); g(); h(state); }";
        for unit in ["add-dead-branch", "add-dead-loop"] {
            let results = all_results(unit, Cpp, text);
            assert!(results.len() > 5 && !results.iter().any(|result| result.contains("state++")), "{results:?}");
        }
    }

    /// devign/test: the macro was taken for a type, the function for a variable, and the name of a test for a parameter.
    #[test]
    fn a_function_that_a_macro_hides_is_not_a_variable() {
        let body = "{ int n = start(); g(n); h(n); }\n";
        for head in ["int attribute_align_arg avcodec_decode_video2(int got)\n", "START_TEST(avcodec_decode_video2)\n"]
        {
            for unit in ["add-dead-branch", "add-dead-loop", "add-unused-variable"] {
                let results = all_results(unit, C, &format!("{head}{body}"));
                assert!(results.len() > 3, "{unit} {head}");
                assert!(results.iter().all(|result| result.matches("avcodec").count() == 1), "{results:?}");
            }
        }
    }

    #[test]
    fn one_line_has_no_room() {
        assert_eq!(all_results("add-dead-branch", Python, "if a: b()\n").len(), 2);
        check_refused("add-dead-branch", Python, "def f(): return vars()\n");
    }
}
