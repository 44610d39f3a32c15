//! Adds a statement that prints nothing.
//!
//! class: dead-code
//! groups: guided-mutation
//! from: guided mutation (which prints text; see add-print-text)
//!
//! The empty string is printed, so the output stays identical. There is a site only where the printing function is
//! certain to be declared and to be the standard library's: in C and C++ the program includes the header or already
//! prints, in JavaScript it uses `console` or evidently runs on Node, and `print` must be a function, so Python 2
//! programs are left alone. So are Python programs that mention `stdout`: they may close it, and then even printing
//! nothing fails. `std::cout.write` is used instead of `<<`, which would consume a width that was set before.
//!
//! ```java
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```java
//! int twice(int n) { System.out.print(""); return n + n; }
//! ```
//!
//! ```c
//! #include <stdio.h>
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```c
//! #include <stdio.h>
//! int twice(int n) { printf(""); return n + n; }
//! ```
//!
//! ```cpp
//! #include <iostream>
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```cpp
//! #include <iostream>
//! int twice(int n) { std::cout.write("", 0); return n + n; }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! print("", end="")
//! def twice(n):
//!     return n + n
//! ```
//!
//! ```javascript
//! const fs = require('fs');
//! ```
//! ->
//! ```javascript
//! process.stdout.write("");
//! const fs = require('fs');
//! ```
//!
//! Where `print` is a statement, there is no function to call:
//!
//! ```python
//! def twice(n):
//!     print n + n
//! ```
//!
//! It is not certain that `printf` is declared here:
//!
//! ```c
//! int twice(int n) { return n + n; }
//! ```

use syntax::{Kind, Language, Program};

use crate::Sites;
use crate::parts::printing::{Printer, printer};
use crate::parts::python::is_python_two;
use crate::parts::statements::positions;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let Some(printer) = printer(program) else { return };
    match program.language() {
        // Who names the standard output may close it, by a `with` for example, and then even printing nothing fails.
        Language::Python if is_python_two(program) || names_standard_output(program) => return,
        Language::Java | Language::C | Language::Cpp | Language::Python | Language::JavaScript => {}
    }
    let statement = match printer {
        Printer::SystemOut => "System.out.print(\"\");",
        Printer::Printf => "printf(\"\");",
        Printer::Cout => "std::cout.write(\"\", 0);",
        Printer::Print => "print(\"\", end=\"\")",
        // An assertion that holds prints nothing; `console.log` would end a line.
        Printer::Console => "console.assert(true, \"\");",
        Printer::Process => "process.stdout.write(\"\");",
    };
    for position in positions(program) {
        sites.add(position.range(), move |_| Some(vec![position.insert(statement)]));
    }
}

/// Does the program name the standard output, as a member of `sys` or as an import?
fn names_standard_output(program: &Program) -> bool {
    program.nodes_of_kind(Kind::Identifier).any(|name| name.text() == "stdout")
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn what_the_compiler_may_run_prints_nothing() {
        check_refused("add-print", Cpp, "#include <cstdio>\nauto f = [](int n) { return n; };\n");
        check_refused("add-print", Cpp, "#include <cstdio>\nconstexpr auto f = [k = 1](int n) { return n + k; };\n");
    }

    #[test]
    fn names_of_the_program_are_not_taken_for_others() {
        check_refused("add-print", Java, "class System { void f() { g(); } }");
        check_refused("add-print", Python, "def print(a):\n    return a\n");
        check_refused("add-print", C, "int printf(const char *a); int f(void) { printf(\"a\"); return 0; }");
    }

    #[test]
    fn wide_streams_stay_wide() {
        check_refused("add-print", C, "#include <stdio.h>\n#include <wchar.h>\nint main() { wprintf(L\"a\"); }");
    }

    #[test]
    fn the_browser_has_no_process() {
        check_refused("add-print", JavaScript, "document.write(1);");
        check("add-print", JavaScript, "console.log(1);", "console.assert(true, \"\");\nconsole.log(1);");
    }

    #[test]
    fn python_2_is_refused() {
        check_refused("add-print", Python, "for a in xrange(3):\n    b(a)\n");
        check_refused("add-print", Python, "try:\n    a()\nexcept A, b:\n    c()\n");
    }

    #[test]
    fn a_standard_output_that_may_be_closed_is_left_alone() {
        let text = "import sys\ndef main():\n    with sys.stdout as out:\n        out.write('a')\n    done()\n";
        check_refused("add-print", Python, text);
        check_refused("add-print", Python, "from sys import stdout\nstdout.close()\ndone()\n");
    }

    #[test]
    fn cpp_prints_with_what_it_has() {
        let text = "#include <cstdio>\nint f() { return 0; }";
        check("add-print", Cpp, text, "#include <cstdio>\nint f() { printf(\"\"); return 0; }");
    }
}
