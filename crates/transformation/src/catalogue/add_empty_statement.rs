//! Adds an empty statement: `;`, `{ }` or `pass`.
//!
//! class: dead-code
//! groups: carrot
//! from: CARROT
//! rules: semicolon, block, pass
//!
//! An empty statement does nothing. It is added between statements only, never where it would become the body of a
//! loop or terminate a JavaScript statement that has no semicolon of its own.
//!
//! ```java
//! void run() { start(); }
//! ```
//! ->
//! ```java
//! void run() { ; start(); }
//! ```
//!
//! ```c
//! void run(void) { start(); }
//! ```
//! ->
//! ```c
//! void run(void) { ; start(); }
//! ```
//!
//! ```cpp
//! void run() {
//!   start();
//! }
//! ```
//! ->
//! ```cpp
//! void run() {
//!   ;
//!   start();
//! }
//! ```
//!
//! ```python
//! if ready: go()
//! ```
//! ->
//! ```python
//! pass
//! if ready: go()
//! ```
//!
//! ```javascript
//! start();
//! ```
//! ->
//! ```javascript
//! ;
//! start();
//! ```
//!
//! What must come first stays first:
//!
//! ```java
//! class Point { Point() { this(0); throw new Error(); } }
//! ```
//! ->
//! ```java
//! class Point { Point() { this(0); ; throw new Error(); } }
//! ```
//!
//! ```javascript
//! 'use strict'
//! ```

use syntax::{Language, Program};

use crate::Sites;
use crate::parts::statements::positions;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for position in positions(program) {
        match program.language() {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                if position.allows_mark() {
                    sites.add_rule("semicolon", position.range(), move |_| Some(vec![position.insert(";")]));
                    // The grammar of C++ takes the body `{ { } }` for the initial value of a variable.
                    let is_lonely = position.before.is_none() && position.after.is_none();
                    if !(is_lonely && program.language() == Language::Cpp) {
                        sites.add_rule("block", position.range(), move |_| Some(vec![position.insert("{ }")]));
                    }
                }
            }
            Language::Python => {
                sites.add_rule("pass", position.range(), move |_| Some(vec![position.insert("pass")]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, JavaScript, Python};

    use crate::testing::all_results;

    #[test]
    fn lines_of_several_statements() {
        assert_eq!(
            all_results("add-empty-statement", Python, "if a: b; c\n"),
            ["pass\nif a: b; c\n", "if a: b; c\npass\n", "if a: pass; b; c\n", "if a: b; pass; c\n"]
        );
    }

    #[test]
    fn tabs_and_missing_ends() {
        assert_eq!(
            all_results("add-empty-statement", Python, "if a:\n\tb")[1..],
            ["if a:\n\tb\npass", "if a:\n\tpass\n\tb", "if a:\n\tb\n\tpass"]
        );
    }

    #[test]
    fn a_semicolon_does_not_end_another_statement() {
        assert_eq!(all_results("add-empty-statement", JavaScript, "a()\nb()\n").len(), 2);
    }

    /// gcj2017-cpp, the program 423, and poj104, the program 43875.
    #[test]
    fn a_body_of_one_empty_block_is_not_made_in_cpp() {
        assert_eq!(all_results("add-empty-statement", Cpp, "void f() { }"), ["void f() { ;  }"]);
        assert_eq!(all_results("add-empty-statement", C, "void f(void) { }").len(), 2);
        assert!(
            all_results("add-empty-statement", Cpp, "void f() { g(); }").contains(&"void f() { { } g(); }".to_owned())
        );
    }

    #[test]
    fn a_macro_keeps_its_statement() {
        let results = all_results("add-empty-statement", C, "void f(void) { QLIST_FOREACH(a, b, c) { g(); } }");
        assert!(results.iter().all(|result| result.contains("QLIST_FOREACH(a, b, c) {")));
    }
}
