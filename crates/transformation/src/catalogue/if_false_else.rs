//! Moves a statement, or a whole body, into the `else` of an `if` whose condition is always false.
//!
//! class: structure
//! groups: lampion
//! from: Lampion (IfFalseElse)
//! rules: statement, body
//!
//! The condition is a constant expression, so the statement runs exactly as before, and Java's compiler knows that
//! variables assigned inside are assigned afterwards. Where the statement never completes, the branch that is never
//! taken returns a neutral value of the declared type.
//!
//! ```java
//! int f(int n) {
//!     return n + 1;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     if (false) {
//!         return 0;
//!     } else {
//!         return n + 1;
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
//!     if (0) {
//!     } else {
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
//! void f(std::vector<int>& v) { if (false) { } else { v.push_back(1); } }
//! ```
//!
//! ```python
//! def f(n):
//!     return n * 2
//! ```
//! ->
//! ```python
//! def f(n):
//!     if False:
//!         pass
//!     else:
//!         return n * 2
//! ```
//!
//! ```javascript
//! function f(n) { return n * 2; }
//! ```
//! ->
//! ```javascript
//! function f(n) { if (false) { } else { return n * 2; } }
//! ```
//!
//! A declaration would be visible in the block only:
//!
//! ```javascript
//! const total = 0;
//! ```
//!
//! The return type of a lambda is not written down:
//!
//! ```cpp
//! auto twice = [](int n) { return n * 2; };
//! ```

use syntax::{Edit, Language, Program};

use crate::parts::wrapping::{Wrappable, always_false, bodies, single_statements};
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for run in single_statements(program) {
        sites.add_rule("statement", run.range.clone(), move |choice| Some(wrapped(&run, choice)));
    }
    for run in bodies(program) {
        sites.add_rule("body", run.range.clone(), move |choice| Some(wrapped(&run, choice)));
    }
}

fn wrapped(run: &Wrappable<'_>, choice: &mut Choice<'_>) -> Vec<Edit> {
    let language = choice.program().language();
    let condition = choice.pick(always_false(language));
    match language {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let mut before = vec![format!("if ({condition}) {{")];
            before.extend(run.way_out.map(|way_out| format!("\t{way_out}")));
            before.push("} else {".to_owned());
            run.between(&before, &["}".to_owned()])
        }
        Language::Python => run.between(&[format!("if {condition}:"), "\tpass".to_owned(), "else:".to_owned()], &[]),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn assigned_variables_stay_assigned_for_the_compiler() {
        let results = all_results("if-false-else", Java, "int f() { int n; n = 1; return n; }");
        assert_eq!(results[0], "int f() { int n; if (false) { } else { n = 1; } return n; }");
    }

    #[test]
    fn jumps_need_no_value() {
        check(
            "if-false-else",
            C,
            "value_t f(void) { for (;;) break; for (;;) { break; } }",
            "value_t f(void) { if (0) { } else { for (;;) break; } for (;;) { break; } }",
        );
    }

    #[test]
    fn docstrings_stay_first() {
        check_refused("if-false-else", Python, "'text'\n");
    }
}
