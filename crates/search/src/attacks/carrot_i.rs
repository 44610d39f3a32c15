//! Renames guided by the gradient of the loss.
//!
//! sees: gradients
//! paper: CARROT (I-CARROT; I-RW without gradients)
//! parameters: candidates=40, renames=50, words=5000, steps=100, form=auto|gradient|walk
//!
//! The names of the program take turns. For a name with the embedding e, the gradient g of the loss with respect to the
//! embeddings is averaged over the tokens of all its occurrences; the first `words` of the vocabulary are ranked by <g, v -
//! e> / (|v - e| + 0.00001), where v is a word's embedding, and the best `candidates` that the name can be changed to are
//! queried. The one with the lowest confidence is kept, if it is lower than before. The search ends at the first flip, after
//! `renames` that were kept, or when every name had its turn without success. Nothing is random.
//!
//! For models without gradients there is the random walk of the paper: the names take turns, and each turn queries one
//! random word (the first of ten draws that the name can be changed to), kept by the same rule, for `steps` turns. `form`
//! selects `gradient`, `walk`, or `auto`, which uses the gradient if there is one. Only classes have gradients: where a measure
//! of names, texts or vectors decides, `auto` walks, and `gradient` cannot attack.
//!
//! It differs from the paper as follows. A rename follows the scopes of the program, not the spelling of tokens, and a word
//! that already occurs in the program is not a candidate, so two names never become one. A word of several tokens has the
//! mean of their embeddings, whereas the paper's models have one token per name. A gradient costs one query, and is reused
//! until the program changes. The paper's scripts for CodeBERT query 5 candidates in 40 renames, those for its other models
//! 40 in 50, which is the default here.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int result) { return result; }
//! ```
//!
//! There is no name to change here:
//!
//! ```c
//! int f(void) { while (1) { } }
//! ```

use model::{Gradients, Input};

use crate::candidate::Candidate;
use crate::identifiers::{Identifier, identifiers_and_aliases, is_possible};
use crate::material::Embedded;
use crate::victim::{Stop, Victim};

/// How often the random walk draws a word for a turn.
const DRAWS: usize = 10;

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let form = victim.word("form").to_owned();
    if !["auto", "gradient", "walk"].contains(&form.as_str()) {
        return Err(Stop::Missing(format!("form: `{form}` is not one of auto, gradient, walk")));
    }
    if victim.identifiers().is_empty() {
        return Ok(());
    }
    if form == "walk" {
        return walk(victim);
    }
    let words = victim.embedded_vocabulary(victim.number("words"));
    let original = victim.original().clone();
    let gradients = if words.is_empty() { None } else { victim.gradients(&original)? };
    match gradients {
        Some(gradients) => climb(victim, &words, gradients),
        None if form == "auto" => walk(victim),
        None if victim.goal().is_some() => Err(Stop::Missing(
            "carrot-i has gradients of classes only, and here a measure decides: use form=walk".to_owned(),
        )),
        None => Err(Stop::Missing(
            "carrot-i needs gradients and a vocabulary with embeddings: use form=walk without them".to_owned(),
        )),
    }
}

/// The form with gradients.
fn climb(victim: &mut Victim<'_>, words: &Embedded, gradients: Gradients) -> Result<(), Stop> {
    let (most, most_renames) = (victim.number("candidates"), victim.number("renames"));
    let (mut current, mut belief) = (victim.original().clone(), victim.belief());
    let mut gradients = Some(gradients);
    let (mut turn, mut in_vain, mut renames) = (0, 0, 0);
    loop {
        // Renames move the places of names, but keep their number and order.
        let names = identifiers_and_aliases(&current, victim.selections(), victim.parts());
        if in_vain >= names.len() || renames >= most_renames {
            return Ok(());
        }
        let name = &names[turn % names.len()];
        turn += 1;
        in_vain += 1;
        if gradients.is_none() {
            gradients = victim.gradients(&current)?;
        }
        let Some(known) = &gradients else { continue };
        let Some(embedding) = victim.word_embedding(&name.name) else { continue };
        let Some(gradient) = mean_gradient(known, &current, name) else { continue };
        let candidates: Vec<Candidate> = ordered(words, &embedding, &gradient)
            .filter(|word| is_possible(&current, name, word))
            .filter_map(|word| current.renamed([(name, word)]))
            .take(most)
            .collect();
        let beliefs = victim.judge(&candidates)?;
        let judged = candidates.into_iter().zip(beliefs).filter_map(|(candidate, belief)| Some((candidate, belief?)));
        if let Some((best, lowest)) = judged.min_by(|(_, one), (_, other)| one.total_cmp(other))
            && lowest < belief
        {
            (current, belief, gradients) = (best, lowest, None);
            renames += 1;
            in_vain = 0;
        }
    }
}

/// The mean of the gradients of a name's tokens; `None` when the model does not see it.
fn mean_gradient(gradients: &Gradients, candidate: &Candidate, name: &Identifier) -> Option<Vec<f32>> {
    // The model reads the text beside a program first.
    let text = if let Input::CodeAndText(..) = candidate.input() { 1 } else { name.part };
    let is_of_name = |token: &&model::TokenGradient| {
        token.text == text
            && name.occurrences.iter().any(|place| token.range.start < place.end && place.start < token.range.end)
    };
    let tokens: Vec<&model::TokenGradient> = gradients.tokens.iter().filter(is_of_name).collect();
    let mut mean = vec![0.0; tokens.first()?.gradient.len()];
    for token in &tokens {
        mean.iter_mut().zip(&token.gradient).for_each(|(mean, number)| *mean += number / tokens.len() as f32);
    }
    Some(mean)
}

/// The words, those first that raise the loss most for a step of the same length.
fn ordered<'w>(words: &'w Embedded, from: &[f32], gradient: &[f32]) -> impl Iterator<Item = &'w str> {
    let score = |to: &[f32]| {
        let (mut along, mut length) = (0.0, 0.0);
        for ((to, from), slope) in to.iter().zip(from).zip(gradient) {
            along += slope * (to - from);
            length += (to - from) * (to - from);
        }
        along / (length.sqrt() + 1e-5)
    };
    let mut scored: Vec<(f32, &str)> = words.iter().map(|(word, to)| (score(to), word.as_str())).collect();
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    scored.into_iter().map(|(_, word)| word)
}

/// The form without gradients.
fn walk(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let vocabulary = &victim.material().vocabulary;
    let words = &vocabulary[..vocabulary.len().min(victim.number("words"))];
    if words.is_empty() {
        return Err(Stop::Missing("carrot-i needs a vocabulary to draw names from".to_owned()));
    }
    let (mut current, mut belief) = (victim.original().clone(), victim.belief());
    for turn in 0..victim.number("steps") {
        let names = identifiers_and_aliases(&current, victim.selections(), victim.parts());
        let name = &names[turn % names.len()];
        let drawn = (0..DRAWS).find_map(|_| {
            let word = victim.random().pick(words);
            current.renamed([(name, word.as_str())]).filter(|_| is_possible(&current, name, word))
        });
        let Some(candidate) = drawn else { continue };
        if let Some(now) = victim.judge_one(&candidate)?.filter(|now| *now < belief) {
            (current, belief) = (candidate, now);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{Answer, Code, Fault, Identity, Model, TokenGradient};
    use syntax::Language;

    use crate::finding::{Finding, Outcome};
    use crate::material::Material;
    use crate::settings::AttackSettings;
    use crate::testing::{Toy, WEIGHTS, attack_toy, attack_with, material, settings, words};
    use crate::victim::{Target, Truth};

    use super::*;

    /// The toy with embeddings: the first number of a word is its weight, the second leads nowhere.
    struct Slopes(Toy);

    fn embedding(word: &str) -> Vec<f32> {
        let weight = WEIGHTS.iter().find(|(known, _)| *known == word).map_or(0.0, |(_, weight)| *weight);
        vec![weight, word.len() as f32]
    }

    impl Model for Slopes {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            self.0.predict(inputs)
        }

        /// The loss for class 1 falls with the weights.
        fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
            let slope = if class == 1 { -0.3 } else { 0.3 };
            let text = &input.programs()[0].text;
            let mut tokens = Vec::new();
            for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                let range = start..start + word.len();
                tokens.push(TokenGradient { token: 0, text: 0, range, gradient: vec![slope, 0.0] });
            }
            Some(Ok(Gradients { loss: 1.0, tokens }))
        }

        fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
            Some(embedding(word))
        }
    }

    /// Two names have to go, and of many words only two help.
    const STUBBORN: &str = "int f(int buffer) { int index = buffer; while (index) index--; return index; }";

    fn vocabulary() -> Material {
        let mut vocabulary: Vec<String> = (0..300).map(|number| format!("word{number}")).collect();
        vocabulary.extend(words(&["cursor", "result", "while", "size"]));
        Material { vocabulary, ..Material::default() }
    }

    fn with_slopes(settings: &AttackSettings) -> Finding {
        let input = Input::Code(Code { language: Language::C, text: STUBBORN.to_owned() });
        let truth = Truth::Class(1);
        let target = Target { id: "toy".to_owned(), input, truth, substitutes: Vec::new(), cases: Vec::new() };
        attack_with(&Slopes(Toy::new()), "carrot-i", &target, settings, &vocabulary())
    }

    fn given(name: &str, value: &str) -> AttackSettings {
        AttackSettings { parameters: [(name.to_owned(), value.to_owned())].into(), ..settings() }
    }

    #[test]
    fn gradients_lead_to_the_words_that_help() {
        // One word at each name is enough for them: with one candidate, any other order would need luck.
        let finding = with_slopes(&given("candidates", "1"));
        assert_eq!(finding.outcome, Outcome::Success);
        let text = finding.example.unwrap().program(0).text().to_owned();
        assert!(text.starts_with("int f(int cursor) {"), "{text}");
        // The original, a gradient, a rename, a gradient, a rename.
        assert_eq!(finding.queries, 5);
    }

    #[test]
    fn the_walk_goes_without_gradients() {
        let finding = attack_toy("carrot-i", Language::C, STUBBORN, &settings(), &material());
        assert_eq!(finding.outcome, Outcome::Success);
        // A turn of the walk is one query, and none is spent on a gradient.
        let mut forced = given("form", "walk");
        forced.parameters.insert("steps".to_owned(), "3".to_owned());
        let finding = with_slopes(&forced);
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 4));
    }

    #[test]
    fn what_is_missing_is_named() {
        let finding = attack_toy("carrot-i", Language::C, STUBBORN, &given("form", "gradient"), &material());
        assert_eq!(finding.outcome, Outcome::Fault);
        assert!(finding.reason.unwrap().contains("form=walk"));
        let finding = attack_toy("carrot-i", Language::C, STUBBORN, &given("form", "slope"), &material());
        assert!(finding.reason.unwrap().contains("`slope`"));
        let finding = attack_toy("carrot-i", Language::C, STUBBORN, &settings(), &Material::default());
        assert!(finding.reason.unwrap().contains("vocabulary"));
    }

    #[test]
    fn it_ends_with_the_budget_or_when_nothing_helps() {
        let finding = with_slopes(&AttackSettings { budget: 3, ..given("candidates", "1") });
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 3));
        assert_eq!(finding.reason.as_deref(), Some("out of queries"));
        let finding = with_slopes(&given("renames", "1"));
        assert_eq!((finding.outcome, finding.reason), (Outcome::Failed, None));
        let finding = attack_toy("carrot-i", Language::C, STUBBORN, &given("steps", "1"), &material());
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 2));
    }

    #[test]
    fn the_same_seed_finds_the_same() {
        let found = || attack_toy("carrot-i", Language::C, STUBBORN, &settings(), &material());
        let (one, other) = (found(), found());
        assert_eq!(one.example.unwrap().program(0).text(), other.example.unwrap().program(0).text());
        assert_eq!(one.queries, other.queries);
    }
}
