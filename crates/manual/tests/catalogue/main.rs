//! A small catalogue made by the macro, as another crate would make it.

mod testing;
mod units;

use units::CATALOGUE;

#[test]
fn every_unit_is_listed_in_the_order_of_the_file() {
    let names: Vec<String> = CATALOGUE.iter().map(|unit| unit.name()).collect();
    assert_eq!(names, ["double-it", "shout"]);
}

#[test]
fn a_unit_runs_and_explains_itself() {
    let double = &CATALOGUE[0];
    assert_eq!((double.run)("4"), Some("8".to_owned()));
    assert_eq!(double.title(), "Doubles a number.");
    assert!(double.page().contains("```text\n21\n```\n->\n```text\n42\n```"), "{}", double.page());
    assert!(!double.page().contains("pub"), "{}", double.page());
    assert_eq!(double.examples().len(), 2);
}
