//! The preprocessor's directives of C and C++: raw text, in which names have no nodes.
//!
//! The body of a macro may mean any variable that is called so where the macro is used, and `#if` and
//! `#undef` name macros. A name that occurs there cannot be renamed by editing identifiers alone.

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::program::Program;
use crate::tree::Node;

impl Program {
    /// Does a macro's body, an `#if`, an `#undef` or another directive contain `name` as a word?
    ///
    /// The names that `#define` itself introduces do not count.
    pub fn is_named_in_directive(&self, name: &str) -> bool {
        match self.language() {
            Language::C | Language::Cpp => self.nodes().filter_map(raw_text).any(|text| has_word(text.text(), name)),
            Language::Java | Language::Python | Language::JavaScript => false,
        }
    }
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

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    text.match_indices(word)
        .any(|(start, _)| !text[..start].ends_with(is_part) && !text[start + word.len()..].starts_with(is_part))
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
