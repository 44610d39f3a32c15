//! Splits a declaration: `int a = 1, b = 2;` becomes two, and `int a = 1;` a declaration and an assignment.
//!
//! class: structure
//! from: common practice
//! rules: list, value
//! inverse: merge-declaration
//!
//! Variables are declared and initialised in the same order as before. A value is split off only where assigning is
//! equivalent to initialising: constants, arrays, references and C++ objects are left alone, and so is a JavaScript
//! variable that may be read while its value is computed.
//!
//! ```java
//! void f() { int a = 1, b = 2; }
//! ```
//! ->
//! ```java
//! void f() { int a = 1; int b = 2; }
//! ```
//!
//! ```c
//! void f(void) {
//!     int *a, b;
//! }
//! ```
//! ->
//! ```c
//! void f(void) {
//!     int *a;
//!     int b;
//! }
//! ```
//!
//! ```cpp
//! void f(int n) { double half = n / 2.0; }
//! ```
//! ->
//! ```cpp
//! void f(int n) { double half; half = n / 2.0; }
//! ```
//!
//! ```javascript
//! let count = 1;
//! f(count);
//! ```
//! ->
//! ```javascript
//! let count;
//! count = 1;
//! f(count);
//! ```
//!
//! ```java
//! void f() { final int n = 1; var m = 2; int[] a = {1}; for (int i = 0, j = 1; ; ) { } }
//! ```
//!
//! ```cpp
//! void f(int n) { const int a = 1; std::string s = "x"; int& r = n; auto b = 2; }
//! ```

use syntax::{Edit, Kind, Program};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, starts_line};
use crate::parts::statements::is_evaluated_by_compiler;
use crate::parts::variables::{declared, is_independent, name_and_value};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for statement in program.nodes() {
        let Some(found) = declared(statement) else { continue };
        let separator = move || match starts_line(statement) {
            true => format!("{}{}", line_break(program), indentation(program, statement.start())),
            false => " ".to_owned(),
        };
        for comma in statement.children().filter(|child| child.is_token(",")) {
            let next = found.declarators.iter().copied().find(|declarator| declarator.start() > comma.start());
            let Some(next) = next else { continue };
            let prefix = found.prefix;
            sites.add_rule("list", comma.range(), move |_| {
                let gap = &program.text()[comma.end()..next.start()];
                if gap.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
                    let range = comma.start()..next.start();
                    return Some(vec![Edit { range, text: format!(";{}{prefix} ", separator()) }]);
                }
                // Comments and line breaks stay where they are.
                Some(vec![Edit::replace(comma, ";"), Edit::insert(next.start(), format!("{prefix} "))])
            });
        }
        // A function that the compiler runs has no variable without a value before C++20.
        let Some((name, Some(value))) = name_and_value(&found).filter(|_| !is_evaluated_by_compiler(statement)) else {
            continue;
        };
        let head = found.declarators[0].children().take_while(|part| !part.is_token("=")).last();
        let Some(head) = head else { continue };
        let gap = head.end()..value.start();
        if program.text()[gap.clone()].trim() == "=" && is_independent(name, value) && value.kind() != Kind::Error {
            sites.add_rule("value", statement.range(), move |_| {
                Some(vec![Edit { range: gap.clone(), text: format!(";{}{} = ", separator(), name.text()) }])
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "split-declaration";

    #[test]
    fn every_comma_is_a_place() {
        assert_eq!(
            all_results(NAME, JavaScript, "var a = f(1, 2), b, c = 3;"),
            ["var a = f(1, 2);\nvar b, c = 3;", "var a = f(1, 2), b;\nvar c = 3;"]
        );
    }

    #[test]
    fn comments_stay() {
        check(
            NAME,
            C,
            "void f(void) {\n  int a, // first\n      b;\n}\n",
            "void f(void) {\n  int a; // first\n      int b;\n}\n",
        );
    }

    #[test]
    fn what_cannot_be_assigned_later() {
        check_refused(
            NAME,
            C,
            "void f(void) { static int a = 1; int b[] = {1}; const int c = 2; volatile int d = 3; }",
        );
        check_refused(NAME, C, "void f(void) { struct s { int n; } a, b; }");
        check_refused(NAME, C, "void f(void) { char *const p = 0; mytype t = g(); }");
        check_refused(NAME, JavaScript, "const a = 1;");
        check_refused(NAME, JavaScript, "let a = g(() => a);");
        check_refused(NAME, JavaScript, "let a = g(); function g() { return a; }");
        check_refused(NAME, JavaScript, "let {a} = g();");
        check_refused(NAME, JavaScript, "for (let i = 0, j = 1; i < j; i++) { }");
        check_refused(NAME, Cpp, "void f() { if (int n = g()) { } }");
        check_refused(NAME, Cpp, "constexpr int f(int n) { int m = n; return m; }");
        check_refused(NAME, Cpp, "auto f = [](int n) { int m = n; return m; }; static_assert(f(2) == 2);");
        check_refused(NAME, Cpp, "constexpr auto f = [k = 1](int n) { int m = n; return m + k; };");
        check(
            NAME,
            Cpp,
            "void f() { g([](int n) { int m = n; return m; }); }",
            "void f() { g([](int n) { int m; m = n; return m; }); }",
        );
        check_refused(NAME, Cpp, "void f() { enum { off, on } state = off; }");
        check_refused(NAME, Java, "class A { int a = 1, b = 2; }");
    }

    #[test]
    fn brackets_belong_to_the_name() {
        check(NAME, Java, "void f() { int a[] = g(); }", "void f() { int a[]; a = g(); }");
        check(NAME, C, "void f(void) { char *p = g(); }", "void f(void) { char *p; p = g(); }");
    }
}
