//! Adds a loop that does nothing.
//!
//! class: dead-code
//! groups: carrot
//! from: CARROT
//! rules: while, for, do-while
//!
//! The condition is false and has no effect, so the body of `while` and `for` never runs; the body of `do` runs once
//! and declares a fresh variable. Java rejects a body that is unreachable by its rules for constants, so the
//! condition calls a method of a string literal there. Python has no `do`, and its `for` iterates over nothing.
//!
//! ```java
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```java
//! int twice(int n) { while ("".length() > 0) { int localInt1 = n; } return n + n; }
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
//!     while (0 != 0) {
//!         int local_int_1 = n;
//!     }
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! int twice(int n) {
//!   return n + n;
//! }
//! ```
//! ->
//! ```cpp
//! int twice(int n) {
//!   while (0 != 0) {
//!     int local_int_1 = n;
//!   }
//!   return n + n;
//! }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! def twice(n):
//!     while 0 != 0:
//!         local_1 = n
//!     return n + n
//! ```
//!
//! ```javascript
//! const twice = n => n + n;
//! ```
//! ->
//! ```javascript
//! while (0 != 0) {
//!     let localNumber1 = 78;
//! }
//! const twice = n => n + n;
//! ```
//!
//! Functions that the compiler may evaluate are left alone, because older versions of C++ allow no loops in them:
//!
//! ```cpp
//! constexpr int twice(int n) { return n + n; }
//! ```

use syntax::{Language, Program};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::conditions::head;
use crate::parts::dead::{block, false_condition, false_condition_of_loop, literal_number, plausible_statement};
use crate::parts::declarations::declaration;
use crate::parts::statements::{Position, positions_of_names};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    for position in positions_of_names(program).into_iter().filter(|position| position.allows_lines()) {
        let mut add = |rule, build: fn(Position<'_>, &mut Choice<'_>) -> Option<String>| {
            sites
                .add_rule(rule, position.range(), move |choice| Some(vec![position.insert(&build(position, choice)?)]));
        };
        add("while", while_loop);
        add("for", for_loop);
        match program.language() {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => add("do-while", do_loop),
            Language::Python => {}
        }
    }
}

fn while_loop(position: Position<'_>, choice: &mut Choice<'_>) -> Option<String> {
    let program = position.list.program();
    let condition = false_condition_of_loop(program.language(), choice);
    let head = head(program.language(), "while", condition);
    Some(block(position, &head, &plausible_statement(position, choice)?))
}

fn for_loop(position: Position<'_>, choice: &mut Choice<'_>) -> Option<String> {
    let program = position.list.program();
    let language = program.language();
    let number = literal_number(language);
    let index = choice.local("index", number.clone())?;
    let head = match language {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let condition = false_condition_of_loop(language, choice);
            format!("for ({} {condition}; {index}++)", declaration(language, &index, &number, "0")?)
        }
        Language::Python => format!("for {index} in ()"),
    };
    Some(block(position, &head, &plausible_statement(position, choice)?))
}

fn do_loop(position: Position<'_>, choice: &mut Choice<'_>) -> Option<String> {
    let program = position.list.program();
    let language = program.language();
    let number = literal_number(language);
    let name = choice.local("unused", number.clone())?;
    let statement = declaration(language, &name, &number, "0")?;
    let condition = false_condition(language, choice);
    Some(format!("{} while ({condition});", block(position, "do", &statement)))
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, Python};

    use crate::testing::{all_results, check_refused};

    #[test]
    fn the_condition_of_a_loop_in_java_is_no_constant() {
        for result in all_results("add-dead-loop", Java, "void f() { g(); }") {
            assert!(result.contains("\"") || result.contains("do {"), "{result}");
        }
    }

    #[test]
    fn every_rule_has_its_sites() {
        assert_eq!(all_results("add-dead-loop", C, "void f(void) { g(); }").len(), 6);
        assert_eq!(all_results("add-dead-loop", Python, "f()\n").len(), 4);
        check_refused("add-dead-loop", Python, "exec(code)\n");
    }
}
