//! Substitutes for names, predicted by a masked language model.

use std::collections::BTreeMap;
use std::ops::Range;

use model::Model;
use syntax::names::subtokens;

use crate::candidate::Candidate;
use crate::identifiers::{Identifier, is_possible};

/// The number of tokens per mask that are considered.
const TOKENS: usize = 60;

/// The maximum number of substitutes per name.
const KEPT: usize = 30;

/// A text begins at most this many bytes before the first mask, so that masks are within what a model sees.
const CONTEXT: usize = 800;

/// The mask in texts for models.
const MASK: &str = "<mask>";

/// For every name of a candidate, the names that a masked language model predicts in its place, the most probable
/// first.
///
/// The name is masked at all its occurrences, and the probabilities of a token are added up over them. A name of
/// several words is masked as a whole, which a single token has to replace, and then word by word, which keeps the
/// others. Names that are not legal or not fresh are left out.
pub fn masked_names(
    model: &dyn Model,
    candidate: &Candidate,
    identifiers: &[Identifier],
) -> Result<Vec<Vec<String>>, String> {
    let mut inputs: Vec<MaskedText<'_>> = Vec::new();
    for (owner, identifier) in identifiers.iter().enumerate() {
        let text = candidate.program(identifier.part).text();
        for masked in masked_ranges(&identifier.name) {
            let (before, after) = (&identifier.name[..masked.start], &identifier.name[masked.end..]);
            inputs.push(MaskedText { owner, before, after, text: masked_text(text, identifier, before, after) });
        }
    }
    let texts: Vec<&str> = inputs.iter().map(|input| input.text.as_str()).collect();
    let identity = model.identity();
    let answers = model
        .fill_masks(&texts, TOKENS)
        .ok_or_else(|| format!("{}:{} is not a masked language model", identity.kind, identity.place))?;
    // A text without an answer only costs its names. If no text has an answer, something is wrong.
    if let Some(Err(fault)) = answers.first()
        && answers.iter().all(Result::is_err)
    {
        return Err(format!("the masked language model has no answer: {fault}"));
    }
    let mut weights: Vec<BTreeMap<String, f32>> = vec![BTreeMap::new(); identifiers.len()];
    for (input, filled) in inputs.iter().zip(answers) {
        for (token, probability) in filled.into_iter().flatten().flatten() {
            let name = format!("{}{}{}", input.before, token.trim(), input.after);
            *weights[input.owner].entry(name).or_default() += probability;
        }
    }
    let ranked = |(identifier, weights): (&Identifier, BTreeMap<String, f32>)| {
        let mut names: Vec<(String, f32)> = weights.into_iter().collect();
        // Names of equal weight stay in the order of the alphabet, so that the list depends on nothing else.
        names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let possible = names.into_iter().map(|(name, _)| name).filter(|name| is_possible(candidate, identifier, name));
        possible.take(KEPT).collect()
    };
    Ok(identifiers.iter().zip(weights).map(ranked).collect())
}

/// A text with masks, and what stands before and after each of them in the name that is predicted.
struct MaskedText<'n> {
    owner: usize,
    before: &'n str,
    after: &'n str,
    text: String,
}

/// The parts of a name that are masked: all of it, then each word if there are several.
fn masked_ranges(name: &str) -> Vec<Range<usize>> {
    let words = subtokens(name);
    let mut ranges = Vec::new();
    ranges.push(0..name.len());
    if words.len() > 1 {
        let mut done = 0;
        for word in words {
            let start = done + name[done..].find(word).unwrap_or(0);
            done = start + word.len();
            ranges.push(start..done);
        }
    }
    ranges
}

fn masked_text(text: &str, identifier: &Identifier, before: &str, after: &str) -> String {
    let first = identifier.occurrences[0].start;
    let mut done = first.saturating_sub(CONTEXT);
    if done > 0 {
        // A text begins with a line where it can.
        done = text.floor_char_boundary(done);
        done = text[done..first].find('\n').map_or(done, |end| done + end + 1);
    }
    let mut masked = String::new();
    for range in &identifier.occurrences {
        masked.push_str(&text[done..range.start]);
        masked.push_str(before);
        masked.push_str(MASK);
        masked.push_str(after);
        done = range.end;
    }
    masked.push_str(&text[done..]);
    masked
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Mutex;

    use model::{Answer, Code, Fault, Filled, Identity, Input};
    use syntax::Language;
    use transformation::Names;
    use transformation::recipe::select;

    use super::*;
    use crate::identifiers::identifiers;

    /// Fills every mask with the same tokens, and remembers the texts.
    pub struct Filler {
        pub identity: Identity,
        pub tokens: Option<Vec<(&'static str, f32)>>,
        pub texts: Mutex<Vec<String>>,
    }

    impl Filler {
        pub fn of(tokens: Option<Vec<(&'static str, f32)>>) -> Filler {
            let identity =
                Identity { kind: "fake".into(), place: "model".into(), digest: String::new(), varies: false };
            Filler { identity, tokens, texts: Mutex::default() }
        }
    }

    impl Model for Filler {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            inputs.iter().map(|_| Err(Fault::Failed("it fills masks only".to_owned()))).collect()
        }

        fn fill_masks(&self, texts: &[&str], most: usize) -> Option<Vec<Result<Filled, Fault>>> {
            let tokens = self.tokens.as_ref()?;
            self.texts.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
            let filled: Vec<(String, f32)> =
                tokens.iter().take(most).map(|(token, probability)| ((*token).to_owned(), *probability)).collect();
            let fill = |text: &&str| {
                if text.contains("broken") {
                    return Err(Fault::Failed("broken".to_owned()));
                }
                Ok(vec![filled.clone(); text.matches(MASK).count()])
            };
            Some(texts.iter().map(fill).collect())
        }
    }

    fn names_of(model: &Filler, text: &str) -> Result<Vec<Vec<String>>, String> {
        let candidate = Candidate::of(&Input::Code(Code { language: Language::C, text: text.to_owned() }));
        let identifiers = identifiers(&candidate, &select("names", &Names::typed()).unwrap(), &[0]);
        masked_names(model, &candidate, &identifiers)
    }

    #[test]
    fn words_of_a_name_are_masked_one_by_one() {
        let model = Filler::of(Some(vec![(" max", 0.25), ("_", 0.2), ("while", 0.5), (" n", 0.1), ("1", 0.1)]));
        let names = names_of(&model, "int f(int n, int buf_size) { return n + buf_size; }").unwrap();
        // `_` is a legal name, but digits, keywords and names that are there already are none.
        assert_eq!(names[0], ["max", "_"]);
        // Both places count. A name that begins with two underscores is reserved.
        assert_eq!(names[1][..5], ["buf_while", "while_size", "buf_max", "max", "max_size"]);
        assert_eq!(names[1][5..], ["_", "buf__", "buf_1", "buf_n", "n_size"]);
        assert_eq!(
            *model.texts.lock().unwrap(),
            [
                "int f(int <mask>, int buf_size) { return <mask> + buf_size; }",
                "int f(int n, int <mask>) { return n + <mask>; }",
                "int f(int n, int <mask>_size) { return n + <mask>_size; }",
                "int f(int n, int buf_<mask>) { return n + buf_<mask>; }",
            ]
        );
    }

    #[test]
    fn what_is_far_before_the_name_is_left_out() {
        let model = Filler::of(Some(vec![("x", 1.0)]));
        let lines = "    g();\n".repeat(200);
        assert_eq!(
            names_of(&model, &format!("int f(void) {{\n{lines}    int n = 1;\n    return n; }}")).unwrap(),
            [["x"]]
        );
        let text = model.texts.lock().unwrap().concat();
        assert!(text.starts_with("    g();\n") && text.len() < 900 && text.contains("int <mask> = 1"), "{text}");
    }

    #[test]
    fn models_without_an_answer_are_reported() {
        let text = "int f(int n, int broken) { return n; }";
        let none = names_of(&Filler::of(None), text);
        assert_eq!(none, Err("fake:model is not a masked language model".to_owned()));
        let model = Filler::of(Some(vec![("x", 1.0)]));
        // The text in which `broken` is masked has an answer, the other has none.
        assert_eq!(names_of(&model, text).unwrap(), [vec![], vec!["x".to_owned()]]);
        let all = names_of(&model, "int broken; int f(int n) { return n; }");
        assert!(all.unwrap_err().contains("no answer"));
    }
}
