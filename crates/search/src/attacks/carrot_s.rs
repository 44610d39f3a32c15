//! Hill climbing over insertions and removals of dead code.
//!
//! sees: probabilities
//! paper: CARROT (S-CARROT)
//! parameters: candidates=40, iterations=20
//!
//! The candidates of an iteration are all variants with one of the previous insertions removed, and random insertions up to
//! a total of `candidates`: an allowed transformation of the class dead-code is drawn, then one of its sites, then what it
//! inserts there. The candidate with the lowest confidence is the next variant, if it is lower than before. The search ends
//! at the first flip, after `iterations`, or when an iteration has no candidate. Everything is drawn from the generator of
//! the target.
//!
//! It differs from the paper as follows. The insertions compile and are not tokens from a list of thirteen: `;`, `{ }`,
//! branches and loops that never run are those of `add-empty-statement`, `add-dead-branch` and `add-dead-loop`, and all
//! other allowed transformations of the class are used, too, so there are more shapes, and C has no `false`. An insertion
//! within another one is removed with it. An iteration without improvement does not end the search: the next one draws other
//! insertions. The model sees the whole text, which is not truncated to 300 tokens.
//!
//! A variable of a loop that never runs is called `cursor`, which the model of this page finds reassuring:
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int buffer) { for (int item = 0; 7 == 8; item++) { int cursor = buffer; } return buffer; }
//! ```
//!
//! There is no place between statements here:
//!
//! ```c
//! int buffer;
//! ```

use transformation::{Class, Selection};

use super::random_once::drawn;
use crate::candidate::Candidate;
use crate::shrink::without;
use crate::victim::{Stop, Victim};

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let original = victim.original().clone();
    let (mut current, mut belief) = (original.clone(), victim.belief());
    for _ in 0..victim.number("iterations") {
        let moves = current.moves();
        let mut candidates: Vec<Candidate> =
            (0..moves.len()).filter_map(|place| without(&original, moves, place..place + 1)).collect();
        // The original was asked about, and is not a candidate.
        candidates.retain(|candidate| !candidate.moves().is_empty());
        while candidates.len() < victim.number("candidates")
            && let Some(next) = inserted(victim, &current)
        {
            candidates.push(next);
        }
        if candidates.is_empty() {
            return Ok(());
        }
        let beliefs = victim.judge(&candidates)?;
        let judged = candidates.into_iter().zip(beliefs).filter_map(|(candidate, belief)| Some((candidate, belief?)));
        if let Some((best, lowest)) = judged.min_by(|(_, one), (_, other)| one.total_cmp(other))
            && lowest < belief
        {
            (current, belief) = (best, lowest);
        }
    }
    Ok(())
}

/// A candidate with one random insertion more; `None` when there is no place for any.
fn inserted(victim: &mut Victim<'_>, candidate: &Candidate) -> Option<Candidate> {
    let is_insertion = |selection: &&Selection| selection.transformation.class == Class::DeadCode;
    let insertions = victim.selections().iter().filter(is_insertion);
    let all = insertions.flat_map(|selection| victim.parts().iter().map(move |part| (*part, selection))).collect();
    drawn(victim, candidate, all)
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use crate::finding::Outcome;
    use crate::settings::AttackSettings;
    use crate::testing::{attack_toy, material, settings};
    use transformation::catalogue;

    use super::*;

    /// One word is not enough: the model believes in it until there are `cursor` and `result`.
    const STUBBORN: &str = "int f(int buffer, int size) { return buffer + size; }";

    fn check(text: &str, settings: &AttackSettings) -> (Outcome, Option<String>, usize, Option<Candidate>) {
        let finding = attack_toy("carrot-s", Language::C, text, settings, &material());
        (finding.outcome, finding.reason, finding.queries, finding.example)
    }

    #[test]
    fn insertions_add_up() {
        let (outcome, _, _, example) = check(STUBBORN, &settings());
        assert_eq!(outcome, Outcome::Success);
        let example = example.unwrap();
        assert!(example.moves().len() > 1);
        for made in example.moves() {
            assert_eq!(catalogue::find(&made.step.transformation).unwrap().class, Class::DeadCode);
        }
        let text = example.program(0).text();
        assert!(text.contains("cursor") && text.contains("result"), "{text}");
    }

    #[test]
    fn one_iteration_makes_one_insertion() {
        let mut settings = settings();
        settings.parameters = [("iterations".to_owned(), "1".to_owned())].into();
        let (outcome, reason, queries, _) = check(STUBBORN, &settings);
        assert_eq!((outcome, reason), (Outcome::Failed, None));
        assert!(queries <= 41, "{queries}");
    }

    #[test]
    fn it_ends_with_the_budget() {
        let mut settings = settings();
        settings.budget = 5;
        let (outcome, reason, queries, _) = check(STUBBORN, &settings);
        assert_eq!((outcome, reason.as_deref(), queries), (Outcome::Failed, Some("out of queries"), 5));
    }

    #[test]
    fn the_seed_decides() {
        let text = |settings: &AttackSettings| check(STUBBORN, settings).3.unwrap().program(0).text().to_owned();
        assert_eq!(text(&settings()), text(&settings()));
        let different = (0..5).map(|seed| text(&AttackSettings { seed, ..settings() }));
        assert!(different.collect::<std::collections::BTreeSet<_>>().len() > 1);
    }

    #[test]
    fn without_insertions_there_is_nothing_to_do() {
        let mut settings = settings();
        settings.selections.retain(|selection| selection.transformation.class != Class::DeadCode);
        assert_eq!(check(STUBBORN, &settings).0, Outcome::NoSite);
    }
}
