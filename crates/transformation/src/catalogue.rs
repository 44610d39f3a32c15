//! The catalogue of transformations: one file each, one line each, in alphabetical order.

use std::str::FromStr;
use std::sync::LazyLock;

use manual::Unit;
use syntax::Language;

use crate::site::Find;

/// A transformation, as its header describes it.
pub struct Transformation {
    /// The name in commands and manifests.
    pub name: String,
    pub find: Find,
    pub class: Class,
    /// The groups that it belongs to, including that of its class; `all` is left out.
    pub groups: Vec<&'static str>,
    /// The languages for which its header has an example.
    pub languages: Vec<Language>,
    /// The names of its rules; empty if it has only one.
    pub rules: Vec<&'static str>,
    /// The transformation that undoes it, if there is one.
    pub inverse: Option<&'static str>,
    /// The manual page and its examples.
    pub unit: &'static Unit<Find>,
}

/// What a transformation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Names only.
    Naming,
    /// Statements and expressions.
    Structure,
    /// Adds code that does nothing.
    DeadCode,
    /// Whitespace and redundant parentheses.
    Layout,
    Comments,
    /// Behaviour, in a way that a person would notice. Off by default.
    Observable,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 6] =
        [Class::Naming, Class::Structure, Class::DeadCode, Class::Layout, Class::Comments, Class::Observable];

    /// The name in commands and headers.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Naming => "naming",
            Class::Structure => "structure",
            Class::DeadCode => "dead-code",
            Class::Layout => "layout",
            Class::Comments => "comments",
            Class::Observable => "observable",
        }
    }

    /// The group of all transformations of the class.
    const fn group(self) -> Option<&'static str> {
        match self {
            Class::Naming => Some("names"),
            Class::Structure => Some("structure"),
            Class::DeadCode => Some("dead-code"),
            Class::Layout | Class::Comments => Some("layout"),
            Class::Observable => None,
        }
    }
}

impl FromStr for Class {
    type Err = ();

    fn from_str(name: &str) -> Result<Class, ()> {
        Class::ALL.into_iter().find(|class| class.name() == name).ok_or(())
    }
}

/// The groups of published systems, which headers name, and those of the classes.
pub const GROUPS: [&str; 9] =
    ["lampion", "coda", "guided-mutation", "carrot", "names", "dead-code", "structure", "layout", "all"];

/// Every transformation, in the order of the catalogue.
pub fn all() -> &'static [Transformation] {
    static ALL: LazyLock<Vec<Transformation>> = LazyLock::new(|| CATALOGUE.iter().map(read).collect());
    &ALL
}

/// The transformation with this name.
pub fn find(name: &str) -> Option<&'static Transformation> {
    all().iter().find(|transformation| transformation.name == name)
}

/// Reads the header. Its tests ensure that it is complete, so nothing can be missing here.
fn read(unit: &'static Unit<Find>) -> Transformation {
    let list = |key: &str| -> Vec<&'static str> {
        unit.fact(key).map(|value| value.split(',').map(str::trim).collect()).unwrap_or_default()
    };
    let class: Class = unit.fact("class").and_then(|class| class.parse().ok()).unwrap_or(Class::Observable);
    let examples = unit.examples();
    let shows = |language: &Language| {
        examples.iter().any(|example| example.after.is_some() && example.tag.parse() == Ok(*language))
    };
    Transformation {
        name: unit.name(),
        find: unit.run,
        class,
        groups: list("groups").into_iter().chain(class.group()).collect(),
        languages: Language::ALL.into_iter().filter(shows).collect(),
        rules: list("rules"),
        inverse: unit.fact("inverse"),
        unit,
    }
}

manual::catalogue! {
    "catalogue", fn find: crate::site::Find,
    add_comment,
    add_dead_branch,
    add_dead_loop,
    add_empty_statement,
    add_neutral_element,
    add_print,
    add_print_text,
    add_try_catch,
    add_unused_function,
    add_unused_parameter,
    add_unused_variable,
    change_whitespace,
    comprehension_to_loop,
    contract_compound,
    contract_increment,
    delegate_expression,
    double_negate,
    early_return,
    else_after_return,
    equality_form,
    expand_compound,
    expand_increment,
    explicit_return_none,
    explicit_this,
    extract_constant,
    extract_variable,
    f_string_to_format,
    flatten_else_if,
    for_to_while,
    foreach_to_indexed,
    format_to_f_string,
    if_false_else,
    if_to_switch,
    if_to_ternary,
    if_true,
    implicit_return_none,
    indexed_to_foreach,
    inline_constant,
    invert_if,
    lambda_identity,
    loop_to_comprehension,
    merge_declaration,
    merge_if_if,
    merge_nested_if,
    move_comment,
    negated_membership,
    nest_else_if,
    parenthesise,
    pointer_index,
    remove_comment,
    rename_api_alias,
    rename_field,
    rename_function,
    rename_local,
    rename_parameter,
    rename_type,
    reorder_members,
    reorder_statements,
    replace_literal,
    return_through_variable,
    split_chained_comparison,
    split_condition,
    split_declaration,
    split_if_else,
    split_tuple_assignment,
    swap_commutative,
    swap_comparison,
    switch_to_if,
    ternary_to_if,
    unroll_first_iteration,
    while_to_do_while,
    while_to_for,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use syntax::Language::Python;
    use syntax::Program;

    use super::*;
    use crate::testing::all_results;

    #[test]
    fn the_catalogue_is_in_alphabetical_order() {
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn a_module_whose_names_others_know_gets_no_new_ones() {
        let text = "import math\nWIDTH = 3\nHEIGHT = WIDTH * 2 - (WIDTH - 1)\nSIZES = [n * 2 for n in range(4)]\n\
                    numbers = [1, 2, 3]\nfor number in numbers:\n    last = math.floor(number)\n\
                    for index in range(len(numbers)):\n    last = math.floor(numbers[index])\n\
                    for index in range(3):\n    last = index\ncount = 0\nwhile count < 3:\n    count += 1\n\
                    if WIDTH > 2:\n    kind = 'wide'\nelse:\n    kind = 'narrow'\nlow, high = 1, 2\n\
                    evens = []\nfor n in numbers:\n    if n % 2 == 0:\n        evens += [n]\n\
                    match kind:\n    case 'wide':\n        low = 2\n    case _:\n        low = 3\n\
                    def area(a, b):\n    return a * b\nstart = area(WIDTH, HEIGHT)\n";
        let names = |program: &Program| -> BTreeSet<String> {
            let scopes = program.scopes();
            let at_top = scopes.symbols().filter(|(_, symbol)| scopes.scope(symbol.scope).parent.is_none());
            at_top.map(|(id, _)| program.name_of(id).to_owned()).collect()
        };
        let added = |text: &str| -> BTreeSet<&str> {
            let before = names(&Program::parse(Python, text));
            let adds = |result: &String| !names(&Program::parse(Python, result.as_str())).is_subset(&before);
            let units = all().iter().map(|unit| unit.name.as_str());
            units.filter(|name| all_results(name, Python, text).iter().any(adds)).collect()
        };
        // Others may import all names of a module.
        assert_eq!(added(text), BTreeSet::new());
        assert_eq!(added(&format!("__all__ = ['area', 'SIZES']\n{text}")), BTreeSet::new());
        let facade =
            format!("try:\n    from _decimal import *\nexcept ImportError:\n    from _pydecimal import *\n{text}");
        assert_eq!(added(&facade), BTreeSet::new());
        let script = format!("{text}print(start)\n");
        assert!(added(&script).contains("extract-variable"));
        assert!(added(&format!("{facade}print(start)\n")).contains("add-unused-function"));
        for listing in [
            "print([name for name in dir() if name[0] != '_'])",
            "print(len(vars()), sorted(globals()))",
            "import __main__\nprint(len(dir(__main__)))",
            "import sys\nprint(len(vars(sys.modules['__main__'])))",
            "import sys\nprint(len(sys.modules['__main__'].__dict__))",
            "import inspect, sys\nprint(len(inspect.getmembers(sys.modules['__main__'])))",
            "from inspect import getmembers\nimport sys\nprint(len(getmembers(sys.modules['__main__'])))",
        ] {
            assert_eq!(added(&format!("{script}{listing}\n")), BTreeSet::new(), "{listing}");
        }
    }

    #[test]
    fn inverses_exist_and_have_the_same_rules() {
        for transformation in all() {
            let Some(inverse) = transformation.inverse else { continue };
            let inverse = super::find(inverse).unwrap_or_else(|| panic!("{}: no {inverse}", transformation.name));
            assert_eq!(inverse.rules, transformation.rules, "{} and {}", transformation.name, inverse.name);
        }
    }
}
