//! Random words for the most important names.
//!
//! sees: probabilities
//! paper: Zeng et al., An Extensive Study on Pre-trained Models for Program Understanding and Generation, ISSTA 2022
//! parameters: words=50, names=5
//! needs: training set
//!
//! The importance of a name is the drop of the model's confidence in the truth when all its occurrences are replaced with
//! `<unk>`. Names are tried in the order of importance: each is given `words` words in turn, and keeps the one that lowers
//! the confidence most. A name that no word improves stays as it is. The attack ends at the first flip, or when `names`
//! names have changed. It sees the probabilities, and draws the words from the names of the training set, never one twice
//! for the same name.
//!
//! It differs from the released code, the recipe `grandom` of CodeAttack. There the words are from an English vocabulary, in
//! the case of the name; here they are names that programs use, as they are spelt there. There a word may already occur in
//! the program; here it is legal, fresh, and given to one name only. There the literals `true` and `false` and snippets that
//! do nothing are changed as well; here only names are. There two variables of the same spelling are one; here they are two.
//! If there is only one name, its importance is not queried. The paper's limit of 2,000 queries is the budget, which the
//! user sets for all attacks alike.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int node) { return node; }
//! ```
//!
//! One name is not enough here. `buffer` matters most, so it goes first:
//!
//! ```c
//! int f(int size, int total, int index, int buffer) { return size + total + index + buffer; }
//! ```
//! ->
//! ```c
//! int f(int size, int node, int index, int cursor) { return size + node + index + cursor; }
//! ```
//!
//! Nothing of this can be renamed:
//!
//! ```c
//! int f(void);
//! ```

use super::lowest;
use crate::importance::{Masking, by_importance};
use crate::victim::{Stop, Victim};
use crate::vocabulary::{draw_words, vocabulary};

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    // Without words no query is worth asking.
    vocabulary(victim)?;
    let identifiers = victim.identifiers();
    let mut current = victim.original().clone();
    let mut belief = victim.belief();
    let mut left = victim.number("names");
    for place in by_importance(victim, &identifiers, Masking::Names)? {
        if left == 0 {
            break;
        }
        let identifier = &identifiers[place];
        let words = draw_words(victim, &current, identifier, victim.number("words"))?;
        let candidates: Vec<_> = words.iter().filter_map(|word| current.renamed([(identifier, *word)])).collect();
        let beliefs = victim.judge(&candidates)?;
        if let Some((best, lowered)) = lowest(&beliefs)
            && lowered < belief
        {
            current = candidates[best].clone();
            belief = lowered;
            left -= 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use crate::finding::{Finding, Outcome};
    use crate::material::Material;
    use crate::settings::AttackSettings;
    use crate::testing::{attack_toy, material, settings};

    const FOUR_NAMES: &str =
        "int f(int size, int total, int index, int buffer) { return size + total + index + buffer; }";

    fn attack(settings: &AttackSettings) -> Finding {
        attack_toy("wir-random", Language::C, FOUR_NAMES, settings, &material())
    }

    #[test]
    fn no_more_names_change_than_allowed() {
        let mut settings = settings();
        settings.parameters.insert("names".to_owned(), "1".to_owned());
        let finding = attack(&settings);
        // The original, four masks, and the four words that are not in the program for the name that matters most.
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 9));
        let (before, lowest) = finding.belief.unwrap();
        assert!(lowest < before);
        settings.parameters.insert("names".to_owned(), "0".to_owned());
        assert_eq!(attack(&settings).outcome, Outcome::NoSite);
    }

    #[test]
    fn no_more_words_are_drawn_than_asked_for() {
        let mut settings = settings();
        settings.parameters.insert("words".to_owned(), "1".to_owned());
        let finding = attack(&settings);
        assert!(finding.queries <= 9, "{}", finding.queries);
    }

    #[test]
    fn the_budget_and_the_seed_hold() {
        let mut settings = settings();
        let (once, again) = (attack(&settings), attack(&settings));
        assert_eq!(once.outcome, Outcome::Success);
        assert_eq!(once.example.unwrap().moves(), again.example.unwrap().moves());
        assert_eq!(once.queries, again.queries);
        for budget in [3, 7] {
            settings.budget = budget;
            let finding = attack(&settings);
            // Three queries do not even rank the names, which is not a reason to say that there are none.
            assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, budget));
            assert_eq!(finding.reason.as_deref(), Some("out of queries"));
        }
    }

    #[test]
    fn without_words_nothing_is_asked() {
        let finding = attack_toy("wir-random", Language::C, FOUR_NAMES, &settings(), &Material::default());
        assert_eq!((finding.outcome, finding.queries), (Outcome::Fault, 1));
        assert!(finding.reason.unwrap().contains("training set"));
    }
}
