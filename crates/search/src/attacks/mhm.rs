//! A random walk over names that prefers those with the lowest confidence in the truth.
//!
//! sees: probabilities
//! paper: Zhang et al., Generating Adversarial Examples for Holding Robustness of Source Code Processing Models, AAAI 2020
//! parameters: candidates=30, iterations=100, threshold=0.95
//! needs: training set
//!
//! This is Metropolis-Hastings sampling. Each iteration draws one of the names, and `candidates` words for it. The attack
//! ends when one of them flips the answer. Otherwise the word with the lowest confidence `b` in the truth is proposed: with
//! the confidence `c` of the current variant, it is accepted with the probability min(1, (1 - b) / (1 - c)), but never when
//! this ratio is below `threshold`. With `threshold=1` only words that are at least as good are accepted, which is hill
//! climbing. The attack sees the probabilities; names, words and acceptance are drawn from the seed.
//!
//! It differs from the released code. There the last candidate is accepted instead of the best one, which is a bug; here it
//! is the best. There words come from the 5,000 most frequent tokens of the training set, and those of the 30 that are not
//! identifiers are lost; here they are names of the training set, all of them, and words are drawn until 30 can be used.
//! There a word may already occur in the program; here it is legal, fresh, and given to one name only. There the current
//! variant is queried again in every iteration; here its answer is known. There all tokens that look like the name are
//! renamed; here the uses of one variable, parameter or function are, and two variables of the same spelling are two names.
//! A name that was changed may change again, but never back to the original. The scripts beside the paper's code run 400
//! iterations with a threshold of 1.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int item) { return item; }
//! ```
//!
//! Nothing of this can be renamed:
//!
//! ```c
//! int f(void);
//! ```

use super::lowest;
use crate::candidate::Candidate;
use crate::victim::{Stop, Victim};
use crate::vocabulary::{draw_words, vocabulary};

/// Keeps ratios defined where the model is certain.
const LITTLE: f64 = 1e-10;

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    // Without words the walk goes nowhere.
    vocabulary(victim)?;
    let (count, threshold) = (victim.number("candidates"), victim.fraction("threshold"));
    let original = victim.original().clone();
    let identifiers = victim.identifiers();
    if identifiers.is_empty() {
        return Ok(());
    }
    // What every name is called in the current form; `None` where it is as it was.
    let mut names: Vec<Option<&str>> = vec![None; identifiers.len()];
    let mut belief = f64::from(victim.belief());
    for _ in 0..victim.number("iterations") {
        let drawn = victim.random().below(identifiers.len());
        let identifier = &identifiers[drawn];
        // The current form, but for this name, which is as it was: every candidate is one rename away from it.
        let others = (0..identifiers.len()).filter(|other| *other != drawn);
        let changes = others.filter_map(|other| Some((&identifiers[other], names[other]?)));
        let Some(base) = original.renamed(changes) else { continue };
        let (words, candidates): (Vec<&str>, Vec<Candidate>) = draw_words(victim, &base, identifier, count)?
            .into_iter()
            .filter(|word| names[drawn] != Some(*word))
            .filter_map(|word| Some((word, base.renamed([(identifier, word)])?)))
            .unzip();
        let beliefs = victim.judge(&candidates)?;
        let chance = victim.random().below(1 << 53) as f64 / (1u64 << 53) as f64;
        let Some((best, lowered)) = lowest(&beliefs) else { continue };
        let ratio = (1.0 - f64::from(lowered) + LITTLE) / (1.0 - belief + LITTLE);
        if chance <= ratio && ratio >= threshold {
            names[drawn] = Some(words[best]);
            belief = f64::from(lowered);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{Code, Input};
    use syntax::Language;

    use crate::finding::Outcome;
    use crate::material::Material;
    use crate::settings::AttackSettings;
    use crate::testing::{Rule, Toy, attack_toy, attack_with, material, settings, target, words};
    use crate::victim::{Target, Truth};

    /// Six names, each with one word that lowers the belief. All six have to be found, and none is given up again.
    #[test]
    fn the_best_candidate_is_accepted() {
        fn belief(text: &str) -> f32 {
            let parameters = text[text.find('(').unwrap()..text.find(')').unwrap()].split(',').enumerate();
            0.95 - 0.08 * parameters.filter(|(place, name)| name.ends_with(&format!("best{place}"))).count() as f32
        }
        let text = "int f(int a, int b, int c, int d, int e, int g) { return 0; }";
        // Among so many words the best is hardly ever the last.
        let vocabulary =
            (0..6).map(|place| format!("best{place}")).chain((0..30).map(|number| format!("word{number}")));
        let vocabulary = vocabulary.collect();
        let material = Material { vocabulary, ..Material::default() };
        for seed in 0..5 {
            let mut settings = settings();
            settings.seed = seed;
            settings.budget = 2000;
            for (name, value) in [("threshold", "1"), ("candidates", "36"), ("iterations", "50")] {
                settings.parameters.insert(name.to_owned(), value.to_owned());
            }
            let finding = attack_with(&Rule::of(belief), "mhm", &target(text, &[]), &settings, &material);
            assert_eq!(finding.outcome, Outcome::Success, "{seed}");
            assert_eq!(
                finding.example.unwrap().program(0).text(),
                "int f(int best0, int best1, int best2, int best3, int best4, int best5) { return 0; }"
            );
        }
    }

    /// One name of each program has to change, and the first change alone brings nothing.
    #[test]
    fn the_walk_goes_through_both_programs_of_a_pair() {
        let code = |text: &str| Code { language: Language::C, text: text.to_owned() };
        let input =
            Input::Pair(code("int f(int buffer) { return buffer; }"), code("int g(int buffer) { return buffer; }"));
        let target =
            Target { id: "pair".to_owned(), input, truth: Truth::Class(1), substitutes: Vec::new(), cases: Vec::new() };
        let material = Material { vocabulary: words(&["item", "node"]), ..Material::default() };
        let mut settings = settings();
        let walk = |settings: &AttackSettings| attack_with(&Toy::new(), "mhm", &target, settings, &material);
        let example = walk(&settings).example.unwrap();
        assert!((0..2).all(|part| !example.program(part).text().contains("buffer")));
        // A ratio of one is not enough here, so nothing is accepted: there are the original and each name with each word.
        settings.parameters.insert("threshold".to_owned(), "1.01".to_owned());
        let finding = walk(&settings);
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 5));
    }

    #[test]
    fn the_budget_and_the_seed_hold() {
        let text = "int f(int buffer, int total, int index, int size) { return buffer + total + index + size; }";
        let mut settings = settings();
        let attack = |settings: &AttackSettings| attack_toy("mhm", Language::C, text, settings, &material());
        let (once, again) = (attack(&settings), attack(&settings));
        assert_eq!(once.outcome, Outcome::Success);
        assert_eq!(once.example.unwrap().moves(), again.example.unwrap().moves());
        assert_eq!(once.queries, again.queries);
        settings.budget = 2;
        let finding = attack(&settings);
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 2));
        assert_eq!(finding.reason.as_deref(), Some("out of queries"));
    }

    #[test]
    fn without_words_there_is_no_walk() {
        let text = "int f(int buffer) { return buffer; }";
        let finding = attack_toy("mhm", Language::C, text, &settings(), &Material::default());
        assert_eq!((finding.outcome, finding.queries), (Outcome::Fault, 1));
        assert!(finding.reason.unwrap().contains("training set"));
        let finding = attack_toy("mhm", Language::C, "int f(void);", &settings(), &material());
        assert_eq!((finding.outcome, finding.queries), (Outcome::NoSite, 1));
    }
}
