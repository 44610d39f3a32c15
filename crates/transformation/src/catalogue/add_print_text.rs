//! Adds a statement that prints a word. This changes the output.
//!
//! class: observable
//! from: guided mutation (adding prints)
//!
//! Nothing changes but the output, which gains lines. The class is `observable`, which is off by default. The sites
//! are those of add-print, and those in Python 2 programs.
//!
//! ```java
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```java
//! int twice(int n) { System.out.println("debug"); return n + n; }
//! ```
//!
//! ```c
//! int twice(int n) { printf("%d", n); return n + n; }
//! ```
//! ->
//! ```c
//! int twice(int n) { printf("debug\n"); printf("%d", n); return n + n; }
//! ```
//!
//! ```cpp
//! #include <iostream>
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```cpp
//! #include <iostream>
//! int twice(int n) { std::cout << "debug\n"; return n + n; }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! print("debug")
//! def twice(n):
//!     return n + n
//! ```
//!
//! ```javascript
//! console.log(1);
//! ```
//! ->
//! ```javascript
//! console.log("debug");
//! console.log(1);
//! ```
//!
//! A name that the program declares is not mistaken for the library's:
//!
//! ```python
//! def print(text):
//!     return text
//! ```

use syntax::Program;

use crate::Sites;
use crate::parts::printing::{Printer, printer};
use crate::parts::statements::positions;

/// What is printed.
const WORDS: [&str; 6] = ["debug", "here", "ok", "done", "start", "test"];

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let Some(printer) = printer(program) else { return };
    for position in positions(program) {
        sites.add(position.range(), move |choice| {
            let word = choice.pick(&WORDS);
            let statement = match printer {
                Printer::SystemOut => format!("System.out.println(\"{word}\");"),
                Printer::Printf => format!("printf(\"{word}\\n\");"),
                Printer::Cout => format!("std::cout << \"{word}\\n\";"),
                Printer::Print => format!("print(\"{word}\")"),
                Printer::Console => format!("console.log(\"{word}\");"),
                Printer::Process => format!("process.stdout.write(\"{word}\\n\");"),
            };
            Some(vec![position.insert(&statement)])
        });
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Java, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn a_word_in_brackets_is_printed_by_both_versions_of_python() {
        check("add-print-text", Python, "print 1\n", "print(\"debug\")\nprint 1\n");
    }

    #[test]
    fn a_class_of_the_program_is_not_the_library() {
        check_refused("add-print-text", Java, "class A { int System; void f() { g(); } }");
    }
}
