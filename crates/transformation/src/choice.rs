//! What a rewrite may choose: random draws and new names.

use std::collections::{HashSet, VecDeque};

use syntax::names::Convention;
use syntax::{Language, Program, SymbolKind, Type, names};

use crate::names::Names;
use random::Random;

/// The random choices of one rewrite. The names that it gives are recorded, so that the rewrite can be repeated without
/// the source of names.
pub struct Choice<'a> {
    program: &'a Program,
    names: &'a Names,
    random: Random,
    given: Vec<String>,
    prescribed: Option<VecDeque<String>>,
    taken: Option<&'a HashSet<String>>,
}

/// What a new name is for.
#[derive(Clone, Debug)]
pub struct Wish<'w> {
    /// The old name, or a word for something new: `condition`, `result`.
    pub hint: &'w str,
    /// Is `hint` an old name of the program?
    pub is_rename: bool,
    /// The kind of symbol that gets the name.
    pub kind: SymbolKind,
    /// The type of the symbol, as far as it is known.
    pub value_type: Type,
}

/// How often a source is queried before a rewrite is abandoned.
const ATTEMPTS: usize = 16;

impl<'a> Choice<'a> {
    /// Random choices.
    pub fn new(program: &'a Program, names: &'a Names, seed: u64) -> Choice<'a> {
        Choice { program, names, random: Random::new(seed), given: Vec::new(), prescribed: None, taken: None }
    }

    /// Repeats choices: the draws of the same seed, and these names.
    pub fn again(program: &'a Program, names: &'a Names, seed: u64, given: Vec<String>) -> Choice<'a> {
        Choice { prescribed: Some(given.into()), ..Choice::new(program, names, seed) }
    }

    /// The same choices, without names that rewrites beside this one have been given.
    pub fn without(self, taken: &'a HashSet<String>) -> Choice<'a> {
        Choice { taken: Some(taken), ..self }
    }

    /// The program that is rewritten.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The names given so far.
    pub fn given(self) -> Vec<String> {
        self.given
    }

    /// A number below `limit`, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// One of the items, which must not be empty.
    pub fn pick<'i, Item>(&mut self, items: &'i [Item]) -> &'i Item {
        self.random.pick(items)
    }

    /// A name for a new local variable; `hint` is a lower-case word for what it holds.
    pub fn local(&mut self, hint: &str, value_type: Type) -> Option<String> {
        self.name(&Wish { hint, is_rename: false, kind: SymbolKind::Local, value_type })
    }

    /// A name for a new function; `hint` is a lower-case word for what it does.
    pub fn function(&mut self, hint: &str) -> Option<String> {
        self.name(&Wish { hint, is_rename: false, kind: SymbolKind::Function, value_type: Type::Unknown })
    }

    /// A new name: legal, fresh in the whole program, and not given before.
    pub fn name(&mut self, wish: &Wish<'_>) -> Option<String> {
        // The draws for names have a generator of their own. A rewrite that is done again with names that
        // are prescribed would otherwise draw other numbers after them.
        let mut random = Random::new(self.random.below(1 << 53) as u64);
        if let Some(prescribed) = &mut self.prescribed {
            let name = prescribed.pop_front()?;
            return self.accept(name, wish.kind);
        }
        let convention = convention_of(self.program.language(), wish);
        for attempt in 0..ATTEMPTS {
            let candidates = self.names.propose(wish, convention, attempt, &mut random);
            if candidates.is_empty() {
                break;
            }
            for candidate in candidates {
                if let Some(name) = self.accept(candidate, wish.kind) {
                    return Some(name);
                }
            }
        }
        None
    }

    /// May a name of another file of the project meet the new one? A name within a function is met by nothing but a macro.
    fn is_known_elsewhere(&self, name: &str, kind: SymbolKind) -> bool {
        let Some(surroundings) = self.program.surroundings() else { return false };
        let is_local = matches!(kind, SymbolKind::Local | SymbolKind::Parameter);
        match surroundings.reserved() {
            Some(reserved) => reserved.contains(name) || surroundings.has_word(name),
            None if is_local => self.program.language().has_preprocessor() && surroundings.is_expanded(name),
            None => surroundings.has_word(name),
        }
    }

    fn accept(&mut self, name: String, kind: SymbolKind) -> Option<String> {
        let is_good = names::is_legal(self.program.language(), &name)
            && self.program.is_fresh(&name)
            && !self.is_known_elsewhere(&name, kind)
            && !self.given.contains(&name)
            && !self.taken.is_some_and(|taken| taken.contains(&name));
        is_good.then(|| {
            self.given.push(name.clone());
            name
        })
    }
}

/// The convention that a new name follows: that of the old name, or the language's.
fn convention_of(language: Language, wish: &Wish<'_>) -> Convention {
    if let Some(convention) = Convention::of(wish.hint).filter(|_| wish.is_rename) {
        return convention;
    }
    match (wish.kind, language) {
        (SymbolKind::Type, _) => Convention::Pascal,
        (_, Language::Java | Language::JavaScript) => Convention::Camel,
        (_, Language::C | Language::Cpp | Language::Python) => Convention::Snake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fresh_and_given_once() {
        let program = Program::parse(Language::Java, "int f() { int localInt1 = 0; return localInt1; }");
        let names = Names::typed();
        let mut choice = Choice::new(&program, &names, 3);
        let number = Type::Number(syntax::types::Number::Int);
        assert_eq!(choice.local("sum", number.clone()).as_deref(), Some("localInt2"));
        assert_eq!(choice.local("sum", number).as_deref(), Some("localInt3"));
        assert_eq!(choice.given(), ["localInt2", "localInt3"]);
    }

    #[test]
    fn prescribed_names_do_not_change_the_draws() {
        let program = Program::parse(Language::C, "int f(void) { return 0; }");
        let names = Names::typed();
        let mut choice = Choice::new(&program, &names, 3);
        choice.function("help").unwrap();
        let draw = choice.below(1000);
        let mut again = Choice::again(&program, &names, 3, vec!["other".to_owned()]);
        assert_eq!(again.function("help").as_deref(), Some("other"));
        assert_eq!(again.below(1000), draw);
        assert_eq!(again.function("help"), None);
        assert_eq!(Choice::again(&program, &names, 3, vec!["f".to_owned()]).function("help"), None);
    }
}
