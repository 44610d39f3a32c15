//! The preprocessor's directives of C and C++: raw text, in which names have no nodes.
//!
//! The body of a macro may mean any variable that is called so where the macro is used, and `#if` and
//! `#undef` name macros. A name that occurs there cannot be renamed by editing identifiers alone.

use std::collections::HashSet;

use crate::kind::{Field, Kind};
use crate::names::is_word_letter;
use crate::program::Program;
use crate::tree::Node;

impl Program {
    /// Does a macro's body, an `#if`, an `#undef`, another directive or a part that was not read contain `name` as a word?
    /// Can a macro that pastes tokens make it?
    ///
    /// The names that `#define` itself introduces do not count.
    pub fn is_named_in_directive(&self, name: &str) -> bool {
        // Every name of a program is asked for, so the words are collected once.
        self.language().has_preprocessor()
            && (self.directives.get_or_init(|| words(self)).contains(name) || self.can_be_pasted(name))
    }

    /// Names in parentheses that could be types or values: `(name) - 1` is a cast or a subtraction.
    pub fn undecided_casts(&self) -> impl Iterator<Item = Node<'_>> {
        self.tree().undecided.iter().map(|range| self.node_at(range.clone()))
    }

    /// Does the program paste tokens, and could the name be pasted from its words?
    fn can_be_pasted(&self, name: &str) -> bool {
        let pastes = |node: Node<'_>| node.kind() == Kind::PreprocArg && node.text().contains("##");
        if !self.nodes().any(pastes) {
            return false;
        }
        let words = || self.text().split(|letter: char| !is_part(letter)).filter(|word| !word.is_empty());
        let is_part_of_name = |word: &&str| word.len() < name.len();
        words().filter(is_part_of_name).any(|word| name.starts_with(word))
            && words().filter(is_part_of_name).any(|word| name.ends_with(word))
    }
}

fn is_part(character: char) -> bool {
    is_word_letter(character) || character == '$'
}

fn words(program: &Program) -> HashSet<String> {
    let unread = program.unread().iter().map(|range| &program.text()[range.clone()]);
    let texts = unread.chain(program.nodes().filter_map(raw_text).map(Node::text));
    texts.flat_map(|text| text.split(|letter: char| !is_part(letter))).map(str::to_owned).collect()
}

/// The part of a directive in which names are only words.
fn raw_text(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        Kind::PreprocArg => Some(node),
        Kind::PreprocIf | Kind::PreprocElif => node.child(Field::Condition),
        Kind::PreprocIfdef | Kind::PreprocElifdef => node.child(Field::Name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, Program};

    const TEXT: &str = "#define AREA(w) ((w) * height)\n#if LEVEL > 2\n#undef AREA\n#endif\n#pragma omp shared(total)\n\
                        #ifdef DEBUG\nint height, weight, shared2;\n#endif\n";

    #[track_caller]
    fn check(language: Language, name: &str, expected: bool) {
        assert_eq!(Program::parse(language, TEXT).is_named_in_directive(name), expected, "{name}");
    }

    #[test]
    fn words_of_directives_are_found() {
        for name in ["height", "w", "LEVEL", "AREA", "shared", "total", "DEBUG"] {
            check(Language::C, name, true);
            check(Language::Cpp, name, true);
        }
    }

    #[test]
    fn parts_of_words_and_plain_code_are_not() {
        for name in ["weight", "eight", "heigh", "shared2", "int", "define"] {
            check(Language::C, name, false);
        }
    }

    #[test]
    fn other_languages_have_no_directives() {
        assert!(!Program::parse(Language::Python, "# define height").is_named_in_directive("height"));
    }
}
