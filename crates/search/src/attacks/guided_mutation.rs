//! Genetic search guided by how many mutants of the model disagree with it.
//!
//! sees: label
//! needs: mutants
//! paper: guided mutation (GM), ICST 2021
//! parameters: population=10, elites=2, mutation-rate=0.05, generations=50
//! parameters: parents=own|elites, guided=yes
//!
//! The fitness of a variant is its mutation score: the fraction of mutant models that give it a different label from the
//! model itself. In every generation the `elites` with the highest scores stay as they are, and each of the others is
//! rewritten once, as in `random-once`, with the probability `mutation-rate`. There is no crossover. The model is queried
//! for every new variant, which its mutation score needs, and the attack ends at the first flip. The first population
//! consists of copies of the original.
//!
//! Queries to the mutants are not queries to the model: they are counted separately, as mutant queries, and no budget limits
//! them. The mutants are those that the plan names; see `allotrope mutants`.
//!
//! It differs from the paper as follows. There the population is the whole test set, and a program is either rewritten or
//! kept; here every target has its own population, so that results are independent of other targets. `parents=elites` is
//! new: a variant that is to be rewritten is replaced with a rewrite of one of the elites. With `guided=no` no mutant is
//! queried and all scores are equal: the same search without guidance, to measure what the guidance is worth.
//!
//! In the released code, the score of a program is the mean F1 of the mutants on it, which does not say whether they agree
//! with the model; a variant is stored beside its original, so that both are in the next generation.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int result) { return result; }
//! ```
//!
//! Nothing of this can be rewritten:
//!
//! ```c
//! int f(void);
//! ```

use super::random_once::rewritten;
use crate::candidate::Candidate;
use crate::victim::{Stop, Victim};

/// A form with its mutation score.
#[derive(Clone)]
struct Individual {
    candidate: Candidate,
    score: f64,
}

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let original = victim.original().clone();
    let elites = victim.number("elites");
    let size = victim.number("population").max(elites + 1);
    let score = scores(victim, std::slice::from_ref(&original))?[0].unwrap_or(0.0);
    let mut population = vec![Individual { candidate: original, score }; size];
    let mut has_tried = false;
    let generations = victim.number("generations").max(1);
    for generation in 1..=generations {
        // The sort keeps the order of equal ones, so that the elites depend on nothing but scores and draws.
        population.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut places: Vec<usize> = (elites..size).filter(|_| is_drawn(victim)).collect();
        if places.is_empty() && generation == generations && !has_tried {
            places.push(elites);
        }
        let mut changed = Vec::new();
        for place in places {
            let parent = match victim.word("parents") {
                "elites" if elites > 0 => victim.random().below(elites),
                _ => place,
            };
            let parent = population[parent].candidate.clone();
            if let Some(form) = rewritten(victim, &parent) {
                changed.push((place, form));
            } else if parent.moves().is_empty() {
                // Nothing of the original can be rewritten.
                return Ok(());
            }
        }
        if changed.is_empty() {
            continue;
        }
        has_tried = true;
        let forms: Vec<Candidate> = changed.iter().map(|(_, form)| form.clone()).collect();
        let answered = victim.judge(&forms)?;
        let scores = scores(victim, &forms)?;
        for (((place, candidate), answer), score) in changed.into_iter().zip(answered).zip(scores) {
            // A form that may not be, or that nothing is known about, does not take the place of another.
            if let (Some(_), Some(score)) = (answer, score) {
                population[place] = Individual { candidate, score };
            }
        }
    }
    Ok(())
}

/// Is this individual rewritten in this generation?
fn is_drawn(victim: &mut Victim<'_>) -> bool {
    const PARTS: usize = 1 << 30;
    let share = victim.random().below(PARTS) as f64 / PARTS as f64;
    share < victim.fraction("mutation-rate")
}

/// The scores by which elites are chosen.
fn scores(victim: &mut Victim<'_>, forms: &[Candidate]) -> Result<Vec<Option<f64>>, Stop> {
    match victim.is_on("guided") {
        true => victim.mutation_scores(forms),
        false => Ok(vec![Some(0.0); forms.len()]),
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::Outcome;
    use crate::material::Material;
    use crate::testing::{Toy, attack_with, material, settings, target};

    const TEXT: &str = "int f(int buffer, int total, int n) { int size = n; return buffer + total + size; }";

    #[test]
    fn mutants_are_asked_apart_and_every_form_costs_one_query() {
        let mut settings = settings();
        settings.exhausts_budget = true;
        settings.parameters = [("generations".to_owned(), "40".to_owned())].into();
        let finding = attack_with(&Toy::new(), "guided-mutation", &target(TEXT, &[]), &settings, &material());
        // The original, and every form that was new.
        assert!(finding.queries > 5, "{}", finding.queries);
        assert_eq!(finding.mutant_queries % 5, 0);
        assert!(finding.mutant_queries >= 5 * finding.queries, "{} {}", finding.mutant_queries, finding.queries);
        let again = attack_with(&Toy::new(), "guided-mutation", &target(TEXT, &[]), &settings, &material());
        assert_eq!((again.queries, again.mutant_queries), (finding.queries, finding.mutant_queries));
        assert!(again.example == finding.example);
    }

    #[test]
    fn without_mutants_it_says_so_and_without_a_guide_it_needs_none() {
        let mut settings = settings();
        let none = attack_with(&Toy::new(), "guided-mutation", &target(TEXT, &[]), &settings, &Material::default());
        assert_eq!(none.outcome, Outcome::Fault);
        assert!(none.reason.unwrap().contains("no mutants"));
        settings.parameters = [("guided".to_owned(), "no".to_owned())].into();
        let found = attack_with(&Toy::new(), "guided-mutation", &target(TEXT, &[]), &settings, &Material::default());
        assert!(found.outcome != Outcome::Fault && found.mutant_queries == 0);
    }

    #[test]
    fn a_low_rate_and_one_generation_still_try_something() {
        let mut settings = settings();
        let parameters = [("generations", "1"), ("mutation-rate", "0.0"), ("parents", "elites")];
        settings.parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let finding = attack_with(&Toy::new(), "guided-mutation", &target(TEXT, &[]), &settings, &material());
        assert_eq!(finding.queries, 2);
        assert!(finding.outcome.is_attacked());
    }
}
