//! Declares an unused local variable.
//!
//! class: dead-code
//! groups: lampion, guided-mutation
//! from: Lampion (AddUnusedVariable), guided mutation
//!
//! The value is a literal, and the name is fresh in the whole input, so nothing else can refer to the new variable. A
//! declaration is never added where it is unreachable, nor in C++ where a jump might cross it. A program that lists
//! its own names (`locals()`) is left alone, and so is the top level of a Python module, whose names others import.
//!
//! ```java
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```java
//! int twice(int n) { float localFloat1 = 1.5f; return n + n; }
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
//!     float local_float_1 = 1.5f;
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! int twice(int n) { return n + n; }
//! ```
//! ->
//! ```cpp
//! int twice(int n) { float local_float_1 = 1.5f; return n + n; }
//! ```
//!
//! ```python
//! def twice(n):
//!     return n + n
//! ```
//! ->
//! ```python
//! def twice(n):
//!     local_double_1 = 0.5
//!     return n + n
//! ```
//!
//! ```javascript
//! function twice(n) { return n + n; }
//! ```
//! ->
//! ```javascript
//! let localNumber1 = 0.5;
//! function twice(n) { return n + n; }
//! ```
//!
//! In C++ a jump must not cross a declaration:
//!
//! ```cpp
//! int sign(int n) { if (n < 0) goto negative; return 1; negative: return -1; }
//! ```

use syntax::types::Number;
use syntax::{Language, Program, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::dead::{declares_type, literal_number};
use crate::parts::declarations::declaration;
use crate::parts::statements::{Position, positions_of_declarations};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() {
        return;
    }
    for position in positions_of_declarations(program) {
        sites.add(position.range(), move |choice| Some(vec![position.insert(&variable(position, choice)?)]));
    }
}

fn variable(position: Position<'_>, choice: &mut Choice<'_>) -> Option<String> {
    let program = position.list.program();
    let language = program.language();
    let number = literal_number(language);
    let double = match language {
        Language::Java | Language::C | Language::Cpp | Language::Python => Type::Number(Number::Double),
        Language::JavaScript => number.clone(),
    };
    let mut values = vec![
        (number.clone(), "0"),
        (number, "42"),
        (double, "0.5"),
        (Type::Boolean, truth(language)),
        (Type::Text, "\"text\""),
    ];
    match language {
        Language::Java | Language::C | Language::Cpp => {
            values.push((Type::Number(Number::Long), "100L"));
            values.push((Type::Number(Number::Float), "1.5f"));
        }
        Language::Python | Language::JavaScript => {}
    }
    if language == Language::Java && declares_type(program, "String") {
        values.retain(|(value_type, _)| *value_type != Type::Text);
    }
    let (value_type, value) = choice.pick(&values).clone();
    let name = choice.local("unused", value_type.clone())?;
    match (language, &value_type) {
        (Language::C | Language::Cpp, Type::Text) => Some(format!("const char *{name} = {value};")),
        _ => declaration(language, &name, &value_type, value),
    }
}

fn truth(language: Language) -> &'static str {
    match language {
        Language::Java | Language::Cpp | Language::JavaScript => "true",
        // C has `true` only after an include.
        Language::C => "1",
        Language::Python => "True",
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check_refused};

    #[test]
    fn every_place_that_is_reached_is_taken() {
        assert_eq!(all_results("add-unused-variable", Java, "void f() { g(); return; }").len(), 2);
        assert_eq!(all_results("add-unused-variable", Java, "void f() { while (true) { } }").len(), 2);
    }

    #[test]
    fn a_program_that_lists_its_names_is_refused() {
        check_refused("add-unused-variable", Python, "def f(a):\n    b = 1\n    return '%(b)s' % locals()\n");
    }

    #[test]
    fn a_block_and_the_one_within_it_end_at_the_same_byte() {
        assert_eq!(all_results("add-unused-variable", Python, "for a in b:\n    if a:\n        c()\n").len(), 6);
    }

    #[test]
    fn semicolons_that_are_not_written_stay_unwritten() {
        assert_eq!(all_results("add-unused-variable", JavaScript, "a()\nb()\n").len(), 3);
    }

    #[test]
    fn a_function_that_the_compiler_runs_is_refused() {
        check_refused("add-unused-variable", Cpp, "constexpr int f(int n) { return n; }");
    }
}
