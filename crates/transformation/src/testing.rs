//! The one place where the tests of units touch the interface.

use manual::Unit;
use syntax::{Language, Program};

use crate::apply::{Applied, again, apply};
use crate::catalogue::{self, Class, GROUPS, Transformation};
use crate::names::{Names, NamesMaterial, Propose};
use crate::site::{Find, Sites};

/// Keeps the promises of a header: a transformation's, or a source's of names.
pub(crate) trait CheckHeader {
    fn check(unit: &Unit<Self>)
    where
        Self: Sized;
}

#[track_caller]
pub(crate) fn check_header<F: CheckHeader>(unit: &Unit<F>) {
    F::check(unit);
}

impl CheckHeader for Find {
    fn check(unit: &Unit<Find>) {
        let name = unit.name();
        let transformation = catalogue::find(&name).expect("the unit is in the catalogue");
        let class = unit.fact("class").unwrap_or_else(|| panic!("{name}: write `class: …` into the header"));
        assert!(class.parse::<Class>().is_ok(), "{name}: there is no class {class}");
        for (key, _) in unit.facts() {
            assert!(["class", "groups", "from", "rules", "inverse"].contains(&key), "{name}: unknown fact {key}");
        }
        assert!(transformation.groups.iter().all(|group| GROUPS.contains(group)), "{name}: unknown group");
        let examples = unit.examples();
        assert!(examples.iter().any(|example| example.after.is_some()), "{name} shows no before and after");
        assert!(examples.iter().any(|example| example.after.is_none()), "{name} never says what it leaves alone");
        for example in examples {
            let language = example.tag.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            check_one(transformation, language, &example.before, example.after.as_deref());
        }
    }
}

impl CheckHeader for Propose {
    fn check(unit: &Unit<Propose>) {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let material = NamesMaterial {
            reference: words(&["cursor", "byte_count", "isOpen"]),
            substitutes: [("total".to_owned(), words(&["width", "sum"]))].into(),
        };
        let names = Names::new(&unit.name(), material).expect("the source is in the catalogue");
        let rename = catalogue::find("rename-local").expect("locals can be renamed");
        for example in unit.examples() {
            let language: Language = example.tag.parse().unwrap_or_else(|error| panic!("{error}"));
            let program = Program::parse(language, example.before.clone());
            let sites = Sites::of(rename, &program);
            let found = sites.first().and_then(|site| apply(&program, rename, site, 0, &names).ok());
            let found = found.map(|applied| applied.program.text().to_owned());
            assert_eq!(found.as_deref(), example.after.as_deref(), "{}", unit.name());
        }
    }
}

/// The transformation `name` turns `before` into `after` at its first site.
#[track_caller]
pub(crate) fn check(name: &str, language: Language, before: &str, after: &str) {
    check_one(named(name), language, before, Some(after));
}

/// The transformation `name` has no site in `before`.
#[track_caller]
pub(crate) fn check_refused(name: &str, language: Language, before: &str) {
    check_one(named(name), language, before, None);
}

/// What the transformation `name` makes of each of its sites in `before`, one after the other.
#[track_caller]
pub(crate) fn all_results(name: &str, language: Language, before: &str) -> Vec<String> {
    let program = parsed(language, before);
    let transformation = named(name);
    let sites = Sites::of(transformation, &program);
    (0..sites.len()).map(|index| result_at(transformation, &program, index).program.text().to_owned()).collect()
}

#[track_caller]
fn check_one(transformation: &Transformation, language: Language, before: &str, after: Option<&str>) {
    let program = parsed(language, before);
    let found = Sites::of(transformation, &program).len();
    match after {
        None => {
            let shown = (found > 0).then(|| result_at(transformation, &program, 0).program.text().to_owned());
            assert_eq!(shown, None, "{} should refuse\n{before}", transformation.name);
        }
        Some(after) => {
            assert!(found > 0, "{} has no site in\n{before}", transformation.name);
            let applied = result_at(transformation, &program, 0);
            assert_eq!(
                applied.program.text(),
                after,
                "{}\n--- found\n{}\n--- expected\n{after}",
                transformation.name,
                applied.program.text()
            );
        }
    }
}

#[track_caller]
fn parsed(language: Language, text: &str) -> Program {
    let program = Program::parse(language, text);
    assert!(!program.is_broken(), "the example is broken at {:?}\n{text}", program.first_error());
    program
}

#[track_caller]
fn named(name: &str) -> &'static Transformation {
    catalogue::find(name).unwrap_or_else(|| panic!("there is no {name}"))
}

/// Rewrites at one site, and checks what holds for every rewrite.
#[track_caller]
fn result_at(transformation: &Transformation, program: &Program, index: usize) -> Applied {
    let sites = Sites::of(transformation, program);
    let site = &sites[index];
    let at = |range: &std::ops::Range<usize>| program.line_and_column(range.start);
    let twins = sites.iter().filter(|other| other.range == site.range && other.rule == site.rule).count();
    assert_eq!(twins, 1, "{} has two sites at {:?}", transformation.name, at(&site.range));
    assert!(
        if transformation.rules.is_empty() { site.rule.is_empty() } else { transformation.rules.contains(&site.rule) },
        "{}: the header does not list the rule `{}`",
        transformation.name,
        site.rule
    );
    let names = Names::typed();
    let applied = match apply(program, transformation, site, 0, &names) {
        Ok(applied) => applied,
        Err(refusal) => {
            let edits = site.edits(&mut crate::Choice::new(program, &names, 0)).unwrap_or_default();
            panic!("{refusal} at {:?}\n{edits:#?}\n{}", at(&site.range), program.text());
        }
    };
    assert_ne!(applied.program.text(), program.text(), "{} changes nothing", transformation.name);
    let twice = again(program, &applied.step).expect("what was done can be done again");
    assert_eq!(twice.program.text(), applied.program.text());
    applied
}
