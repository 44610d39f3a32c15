//! Properties of every program: of its edits, its positions and its names.
//!
//! The cases are the same in every run, so that a failure can be repeated; `PROPTEST_RNG_SEED` and
//! `PROPTEST_CASES` ask for others and for more.

use std::ops::Range;

use crate::check::check;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use syntax::{Edit, EditError, Language, Program};

fn cases(number: u32) -> ProptestConfig {
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let is_set = |name: &str| std::env::var_os(name).is_some();
    ProptestConfig {
        cases: if is_set("PROPTEST_CASES") { usual.cases } else { number },
        rng_seed: if is_set("PROPTEST_RNG_SEED") { usual.rng_seed } else { RngSeed::Fixed(1) },
        ..usual
    }
}

fn language() -> impl Strategy<Value = Language> {
    select(Language::ALL.to_vec())
}

/// A program of the annotated sources.
fn source() -> impl Strategy<Value = (Language, String)> {
    let all =
        Language::ALL.map(|language| crate::programs::sources(language).into_iter().map(move |text| (language, text)));
    select(all.into_iter().flatten().collect::<Vec<_>>())
}

/// Bytes that are mostly text, in which a character may be wide and a byte invalid.
fn mostly_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => "[a-z .]{1,6}".prop_map(String::into_bytes),
        2 => select(vec!["é", "中", "\u{1F600}", "\r", "\t"]).prop_map(|text| text.as_bytes().to_vec()),
        1 => select(vec![vec![0xff], vec![0xc3], vec![0xe4, 0xb8]]),
    ];
    vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Edits of a text that do not overlap, in any order.
fn edits(text: &str, places: &[(Index, Index)], texts: &[String]) -> Vec<Edit> {
    let boundaries: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (one, other) in places {
        let (one, other) = (*one.get(&boundaries), *other.get(&boundaries));
        let range = one.min(other)..one.max(other).min(one.min(other) + 40);
        let range = range.start..text.floor_char_boundary(range.end);
        let is_apart = |taken: &Range<usize>| taken.end < range.start || range.end < taken.start;
        if ranges.iter().all(is_apart) {
            ranges.push(range);
        }
    }
    ranges.into_iter().zip(texts).map(|(range, text)| Edit { range, text: text.clone() }).collect()
}

/// What edits do, in the plainest words: from right to left, one after the other.
fn applied(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut order: Vec<&Edit> = edits.iter().collect();
    order.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    let mut bytes = bytes.to_vec();
    for edit in order {
        bytes.splice(edit.range.clone(), edit.text.bytes());
    }
    bytes
}

/// The edits of the edited text that take the edits back.
fn inverse(bytes: &[u8], edits: &[Edit]) -> Vec<Edit> {
    let mut order: Vec<&Edit> = edits.iter().collect();
    order.sort_by_key(|edit| edit.range.start);
    let mut moved = 0isize;
    let mut inverse = Vec::new();
    for edit in order {
        let start = edit.range.start.checked_add_signed(moved).expect("edits to the left cannot move it out");
        let text = std::str::from_utf8(&bytes[edit.range.clone()]).expect("only text is taken away").to_owned();
        inverse.push(Edit { range: start..start + edit.text.len(), text });
        moved += edit.text.len() as isize - edit.range.len() as isize;
    }
    inverse
}

proptest! {
    #![proptest_config(cases(200))]

    /// Whatever is edited inside a comment, taking it back gives the same bytes.
    #[test]
    fn edits_can_be_taken_back(
        language in language(),
        body in mostly_text(),
        places in vec(any::<(Index, Index)>(), 0..6),
        texts in vec("[a-zé中 ]{0,8}", 6),
    ) {
        let (open, close) = if language == Language::Python { ("#", "\n") } else { ("/*", "*/\n") };
        let body: Vec<u8> = body.into_iter().filter(|byte| *byte != b'\r').collect();
        let bytes = [open.as_bytes(), &body, close.as_bytes()].concat();
        let program = check(language, &bytes);
        prop_assert!(!program.is_broken());
        let inside = open.len()..bytes.len() - close.len();
        let mut edits = edits(&program.text()[inside.clone()], &places, &texts);
        for edit in &mut edits {
            edit.range = edit.range.start + inside.start..edit.range.end + inside.start;
        }
        // An invalid byte cannot be put back, because an edit brings text.
        edits.retain(|edit| std::str::from_utf8(&bytes[edit.range.clone()]).is_ok());
        let edited = program.edited(&edits).unwrap();
        prop_assert_eq!(edited.bytes(), applied(&bytes, &edits));
        let back = edited.edited(&inverse(&bytes, &edits)).unwrap();
        prop_assert_eq!(back.bytes(), bytes);
    }

    /// Edits of real programs change the bytes in their ranges and no others.
    #[test]
    fn edits_change_nothing_else(
        (language, text) in source(),
        places in vec(any::<(Index, Index)>(), 0..6),
        texts in vec("[a-z(){}é\n]{0,8}", 6),
    ) {
        let program = Program::parse(language, text.as_str());
        let edits = edits(&text, &places, &texts);
        let edited = program.edited(&edits).unwrap();
        prop_assert_eq!(edited.bytes(), applied(text.as_bytes(), &edits));
        prop_assert_eq!(program.text(), text, "a program never changes");
    }

    #[test]
    fn overlapping_edits_are_refused(
        (language, text) in source(),
        (first, second) in any::<(Index, Index)>(),
        (length, overlap) in (1usize..20, 1usize..20),
    ) {
        prop_assume!(text.is_ascii());
        let program = Program::parse(language, text.as_str());
        let start = first.index(text.len() - 40);
        let other = start + length - overlap.min(length);
        let edits = [
            Edit { range: start..start + length, text: "a".to_owned() },
            Edit { range: other..other + 1 + second.index(20), text: "b".to_owned() },
        ];
        let backwards = [edits[1].clone(), edits[0].clone()];
        for edits in [edits, backwards] {
            let error = program.edited(&edits).err();
            prop_assert!(matches!(error, Some(EditError::Overlap(..))), "{:?} gave {:?}", edits, error);
        }
    }

    /// What is inserted at one place stays in the order of the list, before what replaces the bytes there.
    #[test]
    fn insertions_keep_their_order((language, text) in source(), place in any::<Index>(), number in 1usize..6) {
        prop_assume!(text.is_ascii());
        let program = Program::parse(language, text.as_str());
        let at = place.index(text.len());
        let mut edits: Vec<Edit> = (0..number).map(|number| Edit::insert(at, number.to_string())).collect();
        edits.insert(number / 2, Edit { range: at..at + 1, text: "end".to_owned() });
        let edited = program.edited(&edits).unwrap();
        let digits: String = (0..number).map(|number| number.to_string()).collect();
        prop_assert_eq!(edited.text(), format!("{}{digits}end{}", &text[..at], &text[at + 1..]));
    }

    #[test]
    fn ranges_that_cut_a_character_or_leave_the_text_are_refused(language in language(), beyond in 1usize..9) {
        let comment = if language == Language::Python { "#" } else { "//" };
        let text = format!("{comment} 中\n");
        let program = Program::parse(language, text.as_str());
        let wide = comment.len() + 1;
        for range in [wide..wide + 1, wide + 1..wide + 3, 0..text.len() + beyond, text.len() + beyond..text.len() + beyond] {
            let refused = program.edited(&[Edit { range: range.clone(), text: String::new() }]).err();
            prop_assert_eq!(refused, Some(EditError::NotARange(range)));
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn any_bytes_can_be_read(language in language(), bytes in vec(any::<u8>(), 0..200)) {
        check(language, &bytes);
    }

    #[test]
    fn any_text_can_be_read(language in language(), text in "\\PC{0,100}") {
        check(language, text.as_bytes());
    }

    /// Words of the language in any order.
    #[test]
    fn any_words_can_be_read(language in language(), words in vec((any::<Index>(), any::<bool>()), 0..60)) {
        let marks = [
            "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", ".", ":", "::", "->", "=>", "=", "==", "+", "-", "*", "&",
            "&&", "!", "?", "...", "@", "#", "\\", "\n", "\n    ", "\n        ", "\"", "'", "`", "${", "/*", "*/", "//",
            "a", "b", "c", "A", "B", "x", "1", "2.5", "\"t\"", "'c'", "#include <a.h>", "#define", "#if", "#endif", "f(",
        ];
        let keywords = language.facts().keywords;
        let mut text = String::new();
        for (word, is_keyword) in words {
            text += if is_keyword { word.get::<&str>(keywords) } else { word.get::<&str>(&marks) };
            text.push(' ');
        }
        check(language, text.as_bytes());
    }

    /// Real programs in which tokens are missing, doubled or swapped, or which end too early.
    #[test]
    fn damaged_programs_can_be_read(
        (language, text) in source(),
        damages in vec((0..4usize, any::<Index>(), any::<Index>()), 1..4),
    ) {
        let mut text = text;
        for (damage, one, other) in damages {
            let program = Program::parse(language, text.as_str());
            let tokens = program.tokens();
            if tokens.is_empty() {
                break;
            }
            let (one, other) = (one.index(tokens.len()), other.index(tokens.len()));
            let (first, second) = (tokens[one.min(other)].range.clone(), tokens[one.max(other)].range.clone());
            text = match damage {
                0 => text[..second.start].to_owned(),
                1 => format!("{}{}", &text[..first.start], &text[first.end..]),
                2 => format!("{} {}", &text[..first.end], &text[first.start..]),
                _ if first == second => text.clone(),
                _ => {
                    let (before, between, after) = (&text[..first.start], &text[first.end..second.start], &text[second.end..]);
                    format!("{before}{}{between}{}{after}", &text[second.clone()], &text[first.clone()])
                }
            };
        }
        check(language, text.as_bytes());
    }

    /// Comments and blank lines change no answer about names.
    #[test]
    fn names_do_not_depend_on_the_layout((language, text) in source(), picks in vec(any::<(Index, Index)>(), 1..12)) {
        crate::layout::check_stable(language, &text, &picks);
    }

    /// A generated program means what its generator meant, in whatever layout.
    #[test]
    fn generated_names_are_found(
        language in language(),
        program in crate::generated::program(),
        picks in vec(any::<(Index, Index)>(), 0..6),
    ) {
        let text = crate::generated::check_names(language, &program);
        crate::layout::check_stable(language, &text, &picks);
    }
}
