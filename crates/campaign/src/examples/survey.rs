//! What a list of examples is like: lengths, duplicates, programs that do not parse.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;
use syntax::Program;
use syntax::token::TokenKind;

use super::{Examples, Question, Truth};

/// What a list of examples is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Characters of the programs.
    pub characters: Lengths,
    /// Lines of the programs.
    pub lines: Lengths,
    /// Tokens of the programs without comments.
    pub tokens: Lengths,
    /// Words of the true texts, or of the questions of code search.
    pub words: Option<Lengths>,
    /// The programs that do not parse.
    pub broken: usize,
    /// The places of the first of them in [`Examples::programs`].
    pub first_broken: Vec<usize>,
    /// Programs that are the same to the byte.
    pub exact: Duplicates,
    /// Programs that are the same but for white space and comments; exact ones among them.
    pub alike: Duplicates,
    /// Examples that ask the same but for white space and comments.
    pub questions: Duplicates,
    /// Groups of such examples in which the truths differ, and how many examples they hold.
    pub contradicting: Duplicates,
    /// Pairs whose two programs are the same but for white space and comments.
    pub same_twice: usize,
    /// Programs that are in more than one pair, and the most pairs that one is in.
    pub shared: Option<Shared>,
    /// Programs that hold their own true text, so that a model could copy it.
    pub leaked: Option<usize>,
    /// Programs with names to choose from.
    pub with_substitutes: usize,
}

/// How long things are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// The shortest.
    pub least: usize,
    /// Half of them are at most this long.
    pub median: usize,
    /// The mean.
    pub mean: f64,
    /// Of twenty, nineteen are at most this long.
    pub high: usize,
    /// The longest.
    pub most: usize,
}

/// Things that are there more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// How many groups of equals there are.
    pub groups: usize,
    /// How many things are in them.
    pub members: usize,
    /// The size of the largest group.
    pub largest: usize,
}

/// How pairs share programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Programs that are in more than one pair.
    pub programs: usize,
    /// The most pairs that one program is in.
    pub most: usize,
}

/// How many places are kept of what is counted.
const SHOWN: usize = 5;

/// What is known of one program.
struct Measured {
    characters: usize,
    lines: usize,
    tokens: usize,
    is_broken: bool,
    exact: u64,
    form: u64,
}

/// Looks at every program, on all cores. `step` is called after each.
pub fn survey(examples: &Examples, step: &(dyn Fn() + Sync)) -> Survey {
    let measured: Vec<Measured> = examples
        .programs
        .par_iter()
        .map(|source| {
            let measured = measure(&Program::parse(source.code.language, source.code.text.clone()));
            step();
            measured
        })
        .collect();
    let of = |length: fn(&Measured) -> usize| Lengths::of(measured.iter().map(length).collect());
    let broken: Vec<usize> = (0..measured.len()).filter(|program| measured[*program].is_broken).collect();
    let asked = questions(examples, &measured);
    let is_pair = examples.items.iter().any(|item| matches!(item.question, Question::Pair(..)));
    let same_twice = |question: &Question| match question {
        Question::Pair(first, second) => measured[*first].form == measured[*second].form,
        Question::Code(_) | Question::CodeAndText(..) => false,
    };
    let texts: Vec<usize> =
        examples.items.iter().filter_map(|item| Some(text_of(item)?.split_whitespace().count())).collect();
    Survey {
        characters: of(|one| one.characters),
        lines: of(|one| one.lines),
        tokens: of(|one| one.tokens),
        words: (!texts.is_empty()).then(|| Lengths::of(texts)),
        broken: broken.len(),
        first_broken: broken.into_iter().take(SHOWN).collect(),
        exact: Duplicates::among(measured.iter().map(|one| one.exact)),
        alike: Duplicates::among(measured.iter().map(|one| one.form)),
        questions: Duplicates::among(asked.iter().copied()),
        contradicting: contradicting(examples, &asked),
        same_twice: examples.items.iter().filter(|item| same_twice(&item.question)).count(),
        shared: is_pair.then(|| shared(examples)),
        leaked: leaked(examples),
        with_substitutes: examples.programs.iter().filter(|program| program.substitutes.is_some()).count(),
    }
}

fn measure(program: &Program) -> Measured {
    let text = program.text();
    let mut exact = DefaultHasher::new();
    text.hash(&mut exact);
    program.language().hash(&mut exact);
    let tokens = program.tokens();
    Measured {
        characters: text.chars().count(),
        lines: text.lines().count(),
        tokens: tokens.iter().filter(|token| token.kind != TokenKind::Comment).count(),
        is_broken: program.is_broken(),
        exact: exact.finish(),
        form: form(program),
    }
}

/// A number that programs share which are the same but for white space and comments: their tokens are the same, and so is the
/// shape of their trees, since the tokens alone do not tell how lines of Python belong together. The text of a program that does
/// not parse is compared without its white space.
fn form(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    program.language().hash(&mut hasher);
    if program.is_broken() {
        program.text().split_whitespace().for_each(|word| word.hash(&mut hasher));
        return hasher.finish();
    }
    for token in program.tokens().iter().filter(|token| token.kind != TokenKind::Comment) {
        token.text.trim_end().hash(&mut hasher);
    }
    let mut ends: Vec<usize> = Vec::new();
    for node in program.nodes().filter(|node| node.is_named() && !node.kind().is_comment()) {
        while ends.pop_if(|end| *end <= node.start()).is_some() {}
        (node.kind(), ends.len()).hash(&mut hasher);
        ends.push(node.end());
    }
    hasher.finish()
}

/// A number for what each example asks, the same for examples that ask the same.
fn questions(examples: &Examples, measured: &[Measured]) -> Vec<u64> {
    let asked = |question: &Question| {
        let mut hasher = DefaultHasher::new();
        for program in question.programs() {
            measured[program].form.hash(&mut hasher);
        }
        if let Question::CodeAndText(_, text) = question {
            text.hash(&mut hasher);
        }
        hasher.finish()
    };
    examples.items.iter().map(|item| asked(&item.question)).collect()
}

/// The groups of examples that ask the same and are told different truths.
fn contradicting(examples: &Examples, asked: &[u64]) -> Duplicates {
    let mut groups: HashMap<u64, (usize, &Truth, bool)> = HashMap::new();
    for (item, question) in examples.items.iter().zip(asked) {
        let (members, truth, differs) = groups.entry(*question).or_insert((0, &item.truth, false));
        *members += 1;
        *differs |= **truth != item.truth;
    }
    let sizes = groups.into_values().filter(|(_, _, differs)| *differs).map(|(members, _, _)| members);
    Duplicates::of(sizes)
}

fn shared(examples: &Examples) -> Shared {
    let mut pairs = vec![0; examples.programs.len()];
    for item in &examples.items {
        let mut programs = item.question.programs();
        programs.dedup();
        programs.into_iter().for_each(|program| pairs[program] += 1);
    }
    let programs = pairs.iter().filter(|count| **count > 1).count();
    Shared { programs, most: pairs.into_iter().max().unwrap_or(0) }
}

fn text_of(item: &super::Example) -> Option<&str> {
    match (&item.truth, &item.question) {
        (Truth::Text(text), _) | (_, Question::CodeAndText(_, text)) => Some(text),
        _ => None,
    }
}

/// How many programs hold their true text; `None` when the truths are not texts. White space does not count, and texts so short
/// that they may be there by chance are not looked for.
fn leaked(examples: &Examples) -> Option<usize> {
    const SHORTEST: usize = 12;
    let bare = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
    let texts: Vec<(usize, String)> = examples
        .items
        .iter()
        .filter_map(|item| match &item.truth {
            Truth::Text(text) => Some((item.question.programs()[0], bare(text))),
            Truth::Class(_) | Truth::Name(_) | Truth::Unknown => None,
        })
        .collect();
    let is_leaked = |(program, text): &&(usize, String)| {
        text.len() >= SHORTEST && bare(&examples.programs[*program].code.text).contains(text.as_str())
    };
    (!texts.is_empty()).then(|| texts.par_iter().filter(is_leaked).count())
}

impl Lengths {
    fn of(mut lengths: Vec<usize>) -> Lengths {
        lengths.sort_unstable();
        let (Some(least), Some(most)) = (lengths.first(), lengths.last()) else { return Lengths::default() };
        // The smallest length that so much of all are at most as long as.
        let quantile = |hundredths: usize| lengths[(lengths.len() * hundredths).div_ceil(100).max(1) - 1];
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        Lengths { least: *least, median: quantile(50), mean, high: quantile(95), most: *most }
    }
}

impl Duplicates {
    fn among(things: impl Iterator<Item = u64>) -> Duplicates {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        things.for_each(|thing| *counts.entry(thing).or_default() += 1);
        Duplicates::of(counts.into_values().filter(|count| *count > 1))
    }

    fn of(sizes: impl Iterator<Item = usize>) -> Duplicates {
        sizes.fold(Duplicates::default(), |all, size| Duplicates {
            groups: all.groups + 1,
            members: all.members + size,
            largest: all.largest.max(size),
        })
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    fn forms(language: Language, first: &str, second: &str) -> (u64, u64) {
        (form(&Program::parse(language, first)), form(&Program::parse(language, second)))
    }

    #[track_caller]
    fn check_alike(language: Language, first: &str, second: &str) {
        let (one, two) = forms(language, first, second);
        assert_eq!(one, two, "{first:?} {second:?}");
    }

    #[track_caller]
    fn check_different(language: Language, first: &str, second: &str) {
        let (one, two) = forms(language, first, second);
        assert_ne!(one, two, "{first:?} {second:?}");
    }

    #[test]
    fn white_space_and_comments_do_not_count() {
        check_alike(Language::C, "int f(void) { return 1; } // one", "int f(void)\n{\n\treturn 1; /* two */\n}\n");
        check_alike(Language::Java, "int f() { return 1; }", "\n// f\nint f() {\n\n return 1; }\n");
        check_alike(Language::Python, "def f(n):\n  # n\n  return n\n", "def f(n):\n\n        return n");
        check_alike(Language::C, "int f( {", "int  f(\n{ ");
    }

    #[test]
    fn everything_else_counts() {
        check_different(Language::C, "int f(void) { return 1; }", "int f(void) { return 2; }");
        check_different(Language::Python, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n");
        check_different(Language::Python, "print('a\\nb')", "print('c\\nd')");
        check_different(Language::JavaScript, "function f() { return\n1 }", "function f() { return 1 }");
        check_different(Language::C, "int f( {", "int g( {");
    }

    #[test]
    fn lengths_are_those_of_the_sorted_list() {
        let lengths = Lengths::of((1..=100).rev().collect());
        assert_eq!((lengths.least, lengths.median, lengths.high, lengths.most), (1, 50, 95, 100));
        assert_eq!(lengths.mean, 50.5);
        assert_eq!(Lengths::of(vec![7]), Lengths { least: 7, median: 7, mean: 7.0, high: 7, most: 7 });
        assert_eq!(Lengths::of(Vec::new()), Lengths::default());
    }

    #[test]
    fn duplicates_are_counted_by_group() {
        let found = Duplicates::among([1, 2, 1, 3, 2, 1].into_iter());
        assert_eq!(found, Duplicates { groups: 2, members: 5, largest: 3 });
    }
}
