//! Several transformations in sequence: which ones, how many, and where.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use manual::closest;
use random::{Random, seed_of};
use syntax::{Edit, Kind, Program, SymbolId};

use crate::apply::{Applied, Refusal, Step, apply, step};
use crate::catalogue::{self, Class, GROUPS, Transformation};
use crate::choice::Choice;
use crate::names::Names;
use crate::parts::statements::is_function;
use crate::parts::visibility::can_meet_others;

use crate::site::{Site, Sites};

/// A transformation that may be drawn.
#[derive(Clone)]
pub struct Selection {
    pub transformation: &'static Transformation,
    /// Only these rules; all if the list is empty.
    pub rules: Vec<&'static str>,
    /// The source of new names.
    pub names: Names,
}

impl Selection {
    /// The sites of the selected rules, within a range if one is given.
    pub fn sites<'p>(&self, program: &'p Program, within: Option<&Range<usize>>) -> Vec<Site<'p>> {
        let mut sites = Sites::of(self.transformation, program);
        sites.retain(|site| {
            (self.rules.is_empty() || self.rules.contains(&site.rule))
                && within.is_none_or(|within| within.start <= site.range.start && site.range.end <= within.end)
        });
        sites
    }
}

/// An unknown transformation, rule, group or class, or an empty selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    #[error("unknown transformation, group or class `{name}`{}; `allotrope list transformations` lists all", did_you_mean(.nearest))]
    Unknown {
        name: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    #[error("`{transformation}` has no rule `{rule}`; its rules are: {}", if .rules.is_empty() { "none".to_owned() } else { .rules.join(", ") })]
    UnknownRule {
        transformation: String,
        rule: String,
        /// The rules that the transformation has.
        rules: Vec<String>,
    },
    /// Everything that was selected was excluded again.
    #[error("`{0}` selects no transformation: name at least one")]
    Nothing(String),
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => {
            format!(", did you mean {}?", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "))
        }
    }
}

/// Parses a list such as `lampion,expand-compound:add,-rename-type`: transformations, rules, groups and classes,
/// separated by commas; a dash before one excludes it. `all` selects everything except the class `observable`.
///
/// The result is in the order of the catalogue, whatever the order of the list.
pub fn select(list: &str, names: &Names) -> Result<Vec<Selection>, SelectionError> {
    let mut chosen: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (is_taken_away, item) = match item.strip_prefix('-') {
            Some(item) => (true, item),
            None => (false, item),
        };
        for (index, rule) in matching(item)? {
            match (is_taken_away, rule) {
                (true, None) => {
                    chosen.remove(&index);
                }
                (true, Some(rule)) => {
                    if let Some(rules) = chosen.get_mut(&index) {
                        if rules.is_empty() {
                            rules.clone_from(&catalogue::all()[index].rules);
                        }
                        rules.retain(|other| *other != rule);
                        if rules.is_empty() {
                            chosen.remove(&index);
                        }
                    }
                }
                (false, None) => {
                    chosen.insert(index, Vec::new());
                }
                (false, Some(rule)) => {
                    let is_new = !chosen.contains_key(&index);
                    let rules = chosen.entry(index).or_default();
                    // An empty list stands for all rules, which are there already.
                    if (is_new || !rules.is_empty()) && !rules.contains(&rule) {
                        rules.push(rule);
                    }
                }
            }
        }
    }
    if chosen.is_empty() {
        return Err(SelectionError::Nothing(list.to_owned()));
    }
    let selection = |(index, rules): (usize, Vec<&'static str>)| Selection {
        transformation: &catalogue::all()[index],
        rules,
        names: names.clone(),
    };
    Ok(chosen.into_iter().map(selection).collect())
}

type Match = (usize, Option<&'static str>);

/// The indices in the catalogue that an item of the list selects.
fn matching(item: &str) -> Result<Vec<Match>, SelectionError> {
    let all = catalogue::all();
    if let Some(index) = all.iter().position(|transformation| transformation.name == item) {
        return Ok(vec![(index, None)]);
    }
    if let Some((name, rule)) = item.split_once(':')
        && let Some(index) = all.iter().position(|transformation| transformation.name == name)
    {
        return match all[index].rules.iter().find(|known| **known == rule) {
            Some(rule) => Ok(vec![(index, Some(*rule))]),
            None => Err(SelectionError::UnknownRule {
                transformation: name.to_owned(),
                rule: rule.to_owned(),
                rules: all[index].rules.iter().map(|rule| (*rule).to_owned()).collect(),
            }),
        };
    }
    let class: Option<Class> = item.parse().ok();
    if class.is_none() && !GROUPS.contains(&item) {
        return Err(SelectionError::Unknown { name: item.to_owned(), nearest: nearest(item) });
    }
    let belongs = |transformation: &Transformation| match item {
        "all" => transformation.class != Class::Observable,
        _ => Some(transformation.class) == class || transformation.groups.contains(&item),
    };
    Ok((0..all.len()).filter(|index| belongs(&all[*index])).map(|index| (index, None)).collect())
}

/// Names similar to `name`, nearest first.
fn nearest(name: &str) -> Vec<String> {
    let names = catalogue::all().iter().map(|transformation| transformation.name.as_str());
    let classes = Class::ALL.iter().map(|class| class.name());
    closest(name, names.chain(GROUPS).chain(classes))
}

/// The transformations that may be drawn.
#[derive(Clone)]
pub struct Recipe {
    /// All are equally likely.
    pub selections: Vec<Selection>,
}

/// A program on its way through several rewrites.
pub struct Variation {
    /// The program after the rewrites so far.
    pub program: Program,
    /// The rewrites so far, in order.
    pub steps: Vec<Step>,
    /// Counts for each transformation that was drawn, by name.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// The outermost functions of the program, if requested; they move with the edits.
    pub functions: Vec<Range<usize>>,
}

/// Counts for one transformation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The sites that were found, over all draws.
    pub sites: usize,
    /// The rewrites that were applied.
    pub applied: usize,
    /// The sites without edits, for example because no fresh name was found.
    pub refused: usize,
    /// The draws that found no site.
    pub inapplicable: usize,
}

impl Tally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: Tally) {
        self.sites += other.sites;
        self.applied += other.applied;
        self.refused += other.refused;
        self.inapplicable += other.inapplicable;
    }
}

impl Variation {
    /// A program before its first rewrite.
    pub fn of(program: Program) -> Variation {
        Variation { program, steps: Vec::new(), tallies: BTreeMap::new(), functions: Vec::new() }
    }

    fn accept(&mut self, applied: Applied) {
        for function in &mut self.functions {
            *function = moved(function, &applied.edits);
        }
        self.program = applied.program;
        self.steps.push(applied.step);
    }

    fn accept_together(&mut self, program: Program, together: Together) {
        let mut edits = together.edits;
        edits.sort_by_key(|edit| edit.range.start);
        let mut grown = 0;
        let mut next = 0;
        // The functions and the edits come in the order of the text, and every edit is inside a function or between two.
        let mut moved = |position: usize| {
            while let Some(edit) =
                edits.get(next).filter(|edit| edit.range.end <= position && edit.range.start < position)
            {
                grown += edit.text.len() as isize - edit.range.len() as isize;
                next += 1;
            }
            (position as isize + grown) as usize
        };
        for function in &mut self.functions {
            *function = moved(function.start)..moved(function.end);
        }
        for (name, tally) in together.tallies {
            self.tallies.entry(name).or_default().add(tally);
        }
        self.program = program;
        self.steps.extend(together.steps);
    }

    /// The new names that other files of the project may meet: those that were given, and that are not confined to a
    /// function or to the file.
    pub fn names_for_others(&self) -> BTreeSet<String> {
        self.given_names(can_meet_others)
    }

    /// The new names that only the file sees, and that meet those of the files of C and C++ that it includes.
    pub fn names_for_itself(&self) -> BTreeSet<String> {
        self.given_names(|program, symbol| {
            let is_local = program.scopes().is_local(symbol);
            program.language().has_preprocessor() && !is_local && !can_meet_others(program, symbol)
        })
    }

    fn given_names(&self, is_wanted: impl Fn(&Program, SymbolId) -> bool) -> BTreeSet<String> {
        if self.program.is_broken() {
            return BTreeSet::new();
        }
        let given: BTreeSet<&String> = self.steps.iter().flat_map(|step| &step.arguments.names).collect();
        let program = &self.program;
        let wanted = program.scopes().symbols().filter(|(symbol, _)| is_wanted(program, *symbol));
        wanted.map(|(symbol, _)| program.name_of(symbol).to_owned()).filter(|name| given.contains(name)).collect()
    }

    /// The same, with its functions.
    pub fn with_functions(program: Program) -> Variation {
        let functions = functions(&program);
        Variation { functions, ..Variation::of(program) }
    }
}

impl Recipe {
    /// Applies up to `count` rewrites in sequence, and returns how many were impossible because no selected transformation has
    /// a site left.
    ///
    /// A transformation without a site is drawn again and does not count. With `within`, only sites inside this one of the
    /// variation's functions are used.
    pub fn advance(&self, variation: &mut Variation, count: usize, within: Option<usize>, seed: u64) -> usize {
        for done in 0..count {
            let step_seed = seed_of(&[&seed.to_le_bytes(), &(done as u64).to_le_bytes()]);
            let function = within.map(|within| variation.functions[within].clone());
            let Some(applied) = self.draw(variation, function.as_ref(), step_seed) else { return count - done };
            variation.accept(applied);
        }
        0
    }

    /// Applies up to `count` rewrites in sequence in every function of the variation, and returns how many were impossible.
    ///
    /// A large file may have thousands of functions, and reading it again after each rewrite would take minutes. What changes
    /// no other function does not concern them: such rewrites of different functions are found in one program and applied
    /// together, and the others follow one by one.
    pub fn advance_each(&self, variation: &mut Variation, count: usize, seed: u64) -> usize {
        let mut unreached = 0;
        let mut open: Vec<usize> = (0..variation.functions.len()).collect();
        for done in 0..count {
            let seed_of_step = |function: usize| {
                let seed = seed_of(&[&seed.to_le_bytes(), &(function as u64).to_le_bytes()]);
                seed_of(&[&seed.to_le_bytes(), &(done as u64).to_le_bytes()])
            };
            let mut full = Vec::new();
            for function in self.advance_together(variation, &open, seed_of_step) {
                let range = variation.functions[function].clone();
                match self.draw(variation, Some(&range), seed_of_step(function)) {
                    Some(applied) => variation.accept(applied),
                    None => full.push(function),
                }
            }
            unreached += full.len() * (count - done);
            open.retain(|function| !full.contains(function));
        }
        unreached
    }

    /// Rewrites each of the functions in which the drawn rewrite changes no other function, and returns the remaining ones.
    fn advance_together(
        &self,
        variation: &mut Variation,
        functions: &[usize],
        seed_of_step: impl Fn(usize) -> u64,
    ) -> Vec<usize> {
        let mut others = Vec::new();
        let mut together = Together::default();
        let program = &variation.program;
        let found: Vec<OnceCell<Vec<Site<'_>>>> = self.selections.iter().map(|_| OnceCell::new()).collect();
        for &function in functions {
            let range = &variation.functions[function];
            let mut tallies = BTreeMap::new();
            match self.draw_among(program, &found, range, &together, seed_of_step(function), &mut tallies) {
                Some((edits, step)) if together.allows(&edits, &variation.functions, function) => {
                    together.add(edits, step, tallies);
                }
                _ => others.push(function),
            }
        }
        drop(found);
        if together.steps.is_empty() {
            return others;
        }
        match program.edited(&together.edits) {
            Ok(rewritten) if !rewritten.is_broken() => variation.accept_together(rewritten, together),
            // One of them has a bug, which is found out one by one.
            _ => return functions.to_vec(),
        }
        others
    }

    /// What [`Recipe::draw`] would do within a function, without reading the result.
    fn draw_among<'p>(
        &self,
        program: &'p Program,
        found: &[OnceCell<Vec<Site<'p>>>],
        within: &Range<usize>,
        together: &Together,
        seed: u64,
        tallies: &mut BTreeMap<&'static str, Tally>,
    ) -> Option<(Vec<Edit>, Step)> {
        let mut random = Random::new(seed);
        let mut left: Vec<usize> = (0..self.selections.len()).collect();
        while !left.is_empty() {
            let index = left.swap_remove(random.below(left.len()));
            let selection = &self.selections[index];
            let all = found[index].get_or_init(|| selection.sites(program, None));
            let is_within = |site: &&Site<'p>| within.start <= site.range.start && site.range.end <= within.end;
            let mut sites: Vec<&Site<'p>> = all.iter().filter(is_within).collect();
            let tally = tallies.entry(&selection.transformation.name).or_default();
            tally.sites += sites.len();
            tally.inapplicable += usize::from(sites.is_empty());
            while !sites.is_empty() {
                let site = sites.swap_remove(random.below(sites.len()));
                let seed = random.below(1 << 53) as u64;
                let mut choice = Choice::new(program, &selection.names, seed).without(&together.names);
                match site.edits(&mut choice) {
                    Some(edits) => {
                        tally.applied += 1;
                        return Some((edits, step(selection.transformation, site, seed, choice.given())));
                    }
                    None => tally.refused += 1,
                }
            }
        }
        None
    }

    /// Rewrites at the first site of each selected transformation until none is left, or `most` rewrites are done.
    pub fn exhaust(&self, variation: &mut Variation, most: usize, seed: u64) {
        for selection in &self.selections {
            for done in 0..most {
                let sites = selection.sites(&variation.program, None);
                let tally = variation.tallies.entry(&selection.transformation.name).or_default();
                let Some(site) = sites.first() else { break };
                tally.sites += 1;
                let seed = seed_of(&[&seed.to_le_bytes(), &(done as u64).to_le_bytes()]);
                match apply(&variation.program, selection.transformation, site, seed, &selection.names) {
                    Ok(applied) => {
                        tally.applied += 1;
                        drop(sites);
                        variation.accept(applied);
                    }
                    Err(_) => {
                        tally.refused += 1;
                        break;
                    }
                }
            }
        }
    }

    fn draw(&self, variation: &mut Variation, within: Option<&Range<usize>>, seed: u64) -> Option<Applied> {
        let mut random = Random::new(seed);
        let mut left: Vec<&Selection> = self.selections.iter().collect();
        while !left.is_empty() {
            let selection = left.swap_remove(random.below(left.len()));
            let tally = variation.tallies.entry(&selection.transformation.name).or_default();
            let mut sites = selection.sites(&variation.program, within);
            tally.sites += sites.len();
            tally.inapplicable += usize::from(sites.is_empty());
            while !sites.is_empty() {
                let site = sites.swap_remove(random.below(sites.len()));
                let site_seed = random.below(1 << 53) as u64;
                match apply(&variation.program, selection.transformation, &site, site_seed, &selection.names) {
                    Ok(applied) => {
                        tally.applied += 1;
                        return Some(applied);
                    }
                    Err(Refusal::NoEdits | Refusal::WouldBreak(_)) => tally.refused += 1,
                    Err(refusal) => unreachable!("a site of this program was asked for: {refusal}"),
                }
            }
        }
        None
    }
}

/// Rewrites of different functions of one program.
#[derive(Default)]
struct Together {
    edits: Vec<Edit>,
    steps: Vec<Step>,
    /// The names that they were given.
    names: HashSet<String>,
    tallies: BTreeMap<&'static str, Tally>,
    /// Where they insert something between the functions.
    insertions: HashSet<usize>,
}

impl Together {
    /// Are the edits of this function apart from all other functions, and from what is inserted between them already?
    fn allows(&self, edits: &[Edit], functions: &[Range<usize>], function: usize) -> bool {
        let own = &functions[function];
        edits.iter().map(|edit| &edit.range).all(|edit| {
            let next = functions.partition_point(|other| other.end < edit.start);
            let is_between = functions.get(next).is_none_or(|other| edit.end < other.start);
            own.start < edit.end && edit.start < own.end && own.start <= edit.start && edit.end <= own.end
                || is_between && edit.is_empty() && !self.insertions.contains(&edit.start)
        })
    }

    fn add(&mut self, edits: Vec<Edit>, step: Step, tallies: BTreeMap<&'static str, Tally>) {
        for (name, tally) in tallies {
            self.tallies.entry(name).or_default().add(tally);
        }
        self.insertions.extend(edits.iter().filter(|edit| edit.range.is_empty()).map(|edit| edit.range.start));
        self.edits.extend(edits);
        self.names.extend(step.arguments.names.iter().cloned());
        self.steps.push(Step { is_beside: !self.steps.is_empty(), ..step });
    }
}

/// The functions and methods that are not inside another function. Lambdas do not count.
pub(crate) fn functions(program: &Program) -> Vec<Range<usize>> {
    let mut functions: Vec<Range<usize>> = Vec::new();
    for node in program.nodes() {
        let is_lambda = matches!(node.kind(), Kind::LambdaExpression | Kind::Lambda);
        let is_outermost = functions.last().is_none_or(|last| last.end <= node.start());
        if is_outermost && !is_lambda && is_function(node) {
            functions.push(node.range());
        }
    }
    functions
}

/// A range of the program after the edits. Insertions at its borders belong to it.
fn moved(range: &Range<usize>, edits: &[Edit]) -> Range<usize> {
    let (mut start, mut end) = (range.start as isize, range.end as isize);
    for edit in edits {
        let grown = edit.text.len() as isize - edit.range.len() as isize;
        if edit.range.end <= range.start && edit.range.start < range.start {
            start += grown;
            end += grown;
        } else if edit.range.start <= range.end {
            end += grown;
        }
    }
    start as usize..end as usize
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;
    use crate::apply::again_all;

    fn chosen(list: &str) -> Vec<String> {
        let names = Names::typed();
        select(list, &names).unwrap().into_iter().map(|selection| selection.transformation.name.clone()).collect()
    }

    #[test]
    fn lists_name_transformations_groups_and_classes() {
        assert_eq!(chosen("rename-local, invert-if"), ["invert-if", "rename-local"]);
        assert!(chosen("naming").contains(&"rename-local".to_owned()));
        assert_eq!(chosen("names"), chosen("naming"));
        assert!(!chosen("all,-rename-local").contains(&"rename-local".to_owned()));
        assert!(chosen("all").len() > chosen("names").len());
    }

    #[test]
    fn unknown_names_get_the_nearest_ones() {
        let names = Names::typed();
        let message = select("renam-local", &names).err().unwrap().to_string();
        assert!(message.contains("did you mean `rename-local`"), "{message}");
        let message = select("invert-if:else", &names).err().unwrap().to_string();
        assert!(message.contains("no rule `else`"), "{message}");
        assert!(select("invert-if,-invert-if", &names).is_err());
        assert!(select("", &names).is_err());
    }

    #[test]
    fn the_order_is_reached_or_the_rest_is_told() {
        let names = Names::typed();
        let recipe = Recipe { selections: select("invert-if,rename-local", &names).unwrap() };
        let text = "int f(int n) { int a = n; if (a > 0) { return a; } else { return 1; } }";
        let mut variation = Variation::of(Program::parse(Language::C, text));
        assert_eq!(recipe.advance(&mut variation, 5, None, 1), 0);
        assert_eq!(variation.steps.len(), 5);
        assert!(!variation.program.is_broken());
        let mut variation = Variation::of(Program::parse(Language::C, "int f(int n) { return n; }"));
        assert_eq!(recipe.advance(&mut variation, 5, None, 1), 5);
        assert_eq!(variation.tallies["invert-if"], Tally { inapplicable: 1, ..Tally::default() });
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let names = Names::typed();
        let recipe = Recipe { selections: select("all", &names).unwrap() };
        let text = "int f(int n) { int a = n; if (a > 0) { int b = 2; return a + b; } else { return 1; } }";
        let run = |seed| {
            let mut variation = Variation::of(Program::parse(Language::C, text));
            recipe.advance(&mut variation, 4, None, seed);
            variation.program.text().to_owned()
        };
        assert_eq!(run(7), run(7));
        assert!((0..20).any(|seed| run(seed) != run(7)));
    }

    #[test]
    fn every_function_gets_its_rewrites() {
        let names = Names::typed();
        let function = |name: &str| {
            format!(
                "static int {name}(int n) {{ int a = n; if (a > 0) {{ a += 2; return a; }} else {{ return 1; }} }}\n"
            )
        };
        let text: String =
            ["f", "g", "h", "k"].map(function).concat() + "int main(void) { return f(1) + g(2) + h(3); }\n";
        for list in ["all", "rename-local", "rename-function,invert-if,delegate-expression", "naming"] {
            let recipe = Recipe { selections: select(list, &names).unwrap() };
            for seed in 0..20 {
                let mut variation = Variation::with_functions(Program::parse(Language::C, text.clone()));
                recipe.advance_each(&mut variation, 3, seed);
                let program = &variation.program;
                assert!(!program.is_broken(), "{}", program.text());
                for range in &variation.functions {
                    let text = &program.text()[range.clone()];
                    assert!(text.contains('{') && text.matches('{').count() == text.matches('}').count(), "{text}");
                }
                let again = again_all(Program::parse(Language::C, text.clone()), &variation.steps).unwrap();
                assert_eq!(again.text(), program.text());
            }
        }
        let recipe = Recipe { selections: select("rename-local", &names).unwrap() };
        let mut variation = Variation::with_functions(Program::parse(Language::C, text.clone()));
        assert_eq!(recipe.advance_each(&mut variation, 2, 1), 2, "`main` has no variable");
        assert_eq!(variation.steps.iter().filter(|step| step.is_beside).count(), 6);
        for number in 1..=8 {
            let is_there = variation.program.text().contains(&format!("local_int_{number}"));
            assert_eq!(is_there, number > 4, "{}", variation.program.text());
        }
    }

    #[test]
    fn rewrites_stay_within_the_function() {
        let names = Names::typed();
        let recipe = Recipe { selections: select("rename-local", &names).unwrap() };
        let text = "int f(void) { int a = 1; return a; }\nint g(void) { int b = 1; return b; }\n";
        let mut variation = Variation::with_functions(Program::parse(Language::C, text));
        assert_eq!(variation.functions, [0..36, 37..text.len() - 1]);
        assert_eq!(recipe.advance(&mut variation, 3, Some(1), 1), 0);
        assert!(variation.program.text().starts_with("int f(void) { int a = 1; return a; }\nint g(void) { int local"));
        assert_eq!(variation.functions, [0..36, 37..variation.program.text().len() - 1]);
    }
}
