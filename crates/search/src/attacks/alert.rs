//! Renames identifiers to names that fit their context: a greedy search by importance, then a genetic one.
//!
//! sees: probabilities
//! paper: Yang et al., Natural Attack for Pre-trained Models of Code, ICSE 2022
//! parameters: candidates=auto|lists|masked|synonyms, importance=name|occurrence, crossover=0.7, children=64
//!
//! First the names are ranked by how far the model's confidence in the truth drops when each is replaced with `<unk>`. Then
//! a greedy search goes through them in that order: it tries every substitute for a name and keeps the one that lowers the
//! confidence most. If this finds no flip, a genetic search starts. An individual assigns a substitute to every name. The
//! first population is the original and, for every name, the individual in which only this name is changed, to what the
//! greedy search gave it, or else to the substitute that alone lowers the confidence most. Each of max(5 n, 10) generations,
//! where n is the number of individuals, makes `children` children: with the probability `crossover` from two individuals by
//! one-point crossover, otherwise from one by mutation, which gives one name another substitute. A child with a lower
//! confidence than the worst individual replaces it. The attack ends at the first flip. It sees the probabilities; parents,
//! cuts and mutations are drawn from the seed.
//!
//! The substitutes are those that the data set lists (`candidates=lists`), as ALERT publishes them; or the names that a
//! masked language model predicts (`masked`); or synonyms from a thesaurus, at most 30 per name, drawn from the seed
//! (`synonyms`). By default the first of these that is available is used. A target with lists keeps to them: a name without
//! a list stays as it is.
//!
//! It differs from the paper as follows. The importance of a name takes one query, in which all its occurrences are masked;
//! `importance=occurrence` masks one occurrence at a time and adds up, as the paper does, at one query each. If there is
//! only one name, its importance is not queried. Masked names come from a model that is shown masks, while the paper shows
//! it the original name and keeps names whose vectors are similar; each word of a long name is replaced alone, while the
//! paper combines tokens. With synonyms there is no language model at all.
//!
//! It also differs from the released code. A substitute is legal, fresh in the whole program and given to one name only, and
//! what is renamed is a variable, a parameter or a function with all its uses, not every equal token; two variables of the
//! same spelling are two names. The rest of the program is not touched. Every individual is kept with its own confidence,
//! whereas there the list of confidences is shifted by one. A child is a new individual, and its parents stay as they are.
//! Individuals that were queried before, or that give one word to two names, are not queried. Names that nothing improves
//! add no copies of the original to the population. A mutation always changes something. All queries of both searches count.
//!
//! `buffer` matters most, and no single name is enough:
//!
//! ```c
//! int f(int size, int total, int index, int buffer) { return size + total + index + buffer; }
//! ```
//! ->
//! ```c
//! int f(int size, int sum, int index, int cursor) { return size + sum + index + cursor; }
//! ```
//!
//! The first substitute that flips the answer is kept:
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int data) { return data; }
//! ```
//!
//! The data set lists nothing for these:
//!
//! ```c
//! int f(int size, int index) { return size + index; }
//! ```

use std::collections::HashSet;

use syntax::{SymbolKind, Type};
use transformation::names::NamesMaterial;
use transformation::{Choice, Names, Wish};

use super::lowest;
use crate::candidate::Candidate;
use crate::identifiers::{Identifier, is_possible};
use crate::importance::{Masking, by_importance};
use crate::masked_names::masked_names;
use crate::victim::{Stop, Victim};

/// So many synonyms are taken for a name.
const SYNONYMS: usize = 30;

/// A name with the names that may replace it.
struct Gene {
    identifier: Identifier,
    substitutes: Vec<String>,
}

/// For every gene the place of its substitute; `None` where the name stays as it was.
type Individual = Vec<Option<usize>>;

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let masking = match victim.word("importance") {
        "name" => Masking::Names,
        "occurrence" => Masking::Occurrences,
        other => return Err(Stop::Missing(format!("importance: `{other}` is not one of name, occurrence"))),
    };
    let genes = genes(victim)?;
    let identifiers: Vec<Identifier> = genes.iter().map(|gene| gene.identifier.clone()).collect();
    let order = by_importance(victim, &identifiers, masking)?;
    let chosen = greedy(victim, &genes, &order)?;
    genetic(victim, &genes, &chosen)
}

/// The names that can be replaced. Whatever the source, no name is kept that could not be given.
fn genes(victim: &mut Victim<'_>) -> Result<Vec<Gene>, Stop> {
    let original = victim.original().clone();
    let identifiers = victim.identifiers();
    let masked = victim.material().masked.as_deref();
    let source = match victim.word("candidates") {
        "auto" if victim.has_substitutes() => "lists",
        "auto" if masked.is_some() => "masked",
        "auto" => "synonyms",
        given => given,
    }
    .to_owned();
    let lists: Vec<Vec<String>> = match (source.as_str(), masked) {
        ("lists", _) if victim.has_substitutes() => {
            identifiers.iter().map(|identifier| victim.substitutes(identifier)).collect()
        }
        ("lists", _) => return Err(Stop::Missing("the data set lists no substitutes for this target".to_owned())),
        ("masked", Some(model)) => masked_names(model, &original, &identifiers).map_err(Stop::Missing)?,
        ("masked", None) => return Err(Stop::Missing("no masked language model was given".to_owned())),
        ("synonyms", _) => identifiers.iter().map(|identifier| synonyms(victim, &original, identifier)).collect(),
        (other, _) => {
            let problem = format!("candidates: `{other}` is not one of lists, masked, synonyms, auto");
            return Err(Stop::Missing(problem));
        }
    };
    let mut genes = Vec::new();
    for (identifier, list) in identifiers.into_iter().zip(lists) {
        let mut seen = HashSet::new();
        let is_good = |name: &String| seen.insert(name.clone()) && is_possible(&original, &identifier, name);
        let substitutes: Vec<String> = list.into_iter().filter(is_good).collect();
        if !substitutes.is_empty() {
            genes.push(Gene { identifier, substitutes });
        }
    }
    Ok(genes)
}

fn synonyms(victim: &mut Victim<'_>, original: &Candidate, identifier: &Identifier) -> Vec<String> {
    let names = Names::new("synonyms", NamesMaterial::default()).expect("the source is in the catalogue");
    let seed = victim.random().below(1 << 53) as u64;
    let mut choice = Choice::new(original.program(identifier.part), &names, seed);
    let hint = identifier.name.as_str();
    let wish = Wish { hint, is_rename: true, kind: SymbolKind::Local, value_type: Type::Unknown };
    // The choice never gives a name twice.
    (0..SYNONYMS).map_while(|_| choice.name(&wish)).collect()
}

/// Gives name after name the substitute that lowers the belief most.
fn greedy(victim: &mut Victim<'_>, genes: &[Gene], order: &[usize]) -> Result<Individual, Stop> {
    let mut chosen: Individual = vec![None; genes.len()];
    let mut current = victim.original().clone();
    let mut belief = victim.belief();
    for place in order.iter().copied() {
        let Gene { identifier, substitutes } = &genes[place];
        // A substitute that another name has taken is not fresh any more.
        let (numbers, candidates): (Vec<usize>, Vec<Candidate>) = substitutes
            .iter()
            .enumerate()
            .filter(|(_, name)| is_possible(&current, identifier, name))
            .filter_map(|(number, name)| Some((number, current.renamed([(identifier, name.as_str())])?)))
            .unzip();
        let beliefs = victim.judge(&candidates)?;
        if let Some((best, lowered)) = lowest(&beliefs)
            && lowered < belief
        {
            chosen[place] = Some(numbers[best]);
            current = candidates[best].clone();
            belief = lowered;
        }
    }
    Ok(chosen)
}

/// Combines substitutes. It begins with what the greedy search has chosen.
fn genetic(victim: &mut Victim<'_>, genes: &[Gene], chosen: &Individual) -> Result<(), Stop> {
    if genes.is_empty() {
        return Ok(());
    }
    let original = victim.original().clone();
    let mut population = first_population(victim, &original, genes, chosen)?;
    let mut seen: HashSet<Individual> = population.iter().map(|(individual, _)| individual.clone()).collect();
    let crossover = victim.fraction("crossover");
    for _ in 0..(5 * population.len()).max(10) {
        let (mut children, mut candidates) = (Vec::new(), Vec::new());
        for _ in 0..victim.number("children") {
            let child = child(victim, genes, &population, crossover);
            if !seen.insert(child.clone()) {
                continue;
            }
            if let Some(candidate) = form(&original, genes, &child) {
                children.push(child);
                candidates.push(candidate);
            }
        }
        let beliefs = victim.judge(&candidates)?;
        for (child, belief) in children.into_iter().zip(beliefs) {
            let Some(belief) = belief else { continue };
            let worst = population.iter_mut().max_by(|(_, one), (_, other)| one.total_cmp(other));
            if let Some(worst) = worst.filter(|(_, worst)| belief < *worst) {
                *worst = (child, belief);
            }
        }
    }
    Ok(())
}

/// The original, and for every name the individual in which it alone is changed for the better.
fn first_population(
    victim: &mut Victim<'_>,
    original: &Candidate,
    genes: &[Gene],
    chosen: &Individual,
) -> Result<Vec<(Individual, f32)>, Stop> {
    let nobody: Individual = vec![None; genes.len()];
    let mut places = Vec::new();
    let (mut individuals, mut candidates) = (Vec::new(), Vec::new());
    for (place, gene) in genes.iter().enumerate() {
        let numbers = match chosen[place] {
            Some(number) => number..number + 1,
            None => 0..gene.substitutes.len(),
        };
        for number in numbers {
            let mut individual = nobody.clone();
            individual[place] = Some(number);
            if let Some(candidate) = form(original, genes, &individual) {
                places.push(place);
                individuals.push(individual);
                candidates.push(candidate);
            }
        }
    }
    // All are asked about at once, since a model is fastest with many.
    let beliefs = victim.judge(&candidates)?;
    let mut population = vec![(nobody, victim.belief())];
    for (place, choice) in chosen.iter().enumerate() {
        let of_place = beliefs.iter().zip(&places).map(|(belief, of)| belief.filter(|_| *of == place));
        if let Some((best, belief)) = lowest(&of_place.collect::<Vec<_>>())
            && (choice.is_some() || belief < victim.belief())
        {
            population.push((individuals[best].clone(), belief));
        }
    }
    Ok(population)
}

fn child(victim: &mut Victim<'_>, genes: &[Gene], population: &[(Individual, f32)], crossover: f64) -> Individual {
    let chance = victim.random().below(1 << 53) as f64 / (1u64 << 53) as f64;
    let (one, _) = victim.random().pick(population);
    if chance >= crossover {
        return mutated(victim, genes, one);
    }
    let (other, _) = victim.random().pick(population);
    let cut = victim.random().below(genes.len());
    let child = [&one[..=cut], &other[cut + 1..]].concat();
    if child == *one || child == *other { mutated(victim, genes, &child) } else { child }
}

/// A copy in which one name has another substitute. A name whose only substitute it has already gets its own back.
fn mutated(victim: &mut Victim<'_>, genes: &[Gene], individual: &Individual) -> Individual {
    let place = victim.random().below(genes.len());
    let numbers = 0..genes[place].substitutes.len();
    let others: Vec<usize> = numbers.filter(|number| individual[place] != Some(*number)).collect();
    let mut mutated = individual.clone();
    mutated[place] = (!others.is_empty()).then(|| *victim.random().pick(&others));
    mutated
}

/// The form of the input that an individual stands for. `None` when two names of a program would become one.
fn form(original: &Candidate, genes: &[Gene], individual: &Individual) -> Option<Candidate> {
    let mut changes = Vec::new();
    let mut given = HashSet::new();
    for (gene, number) in genes.iter().zip(individual) {
        let Some(number) = number else { continue };
        let name = gene.substitutes[*number].as_str();
        if !given.insert((gene.identifier.part, name)) {
            return None;
        }
        changes.push((&gene.identifier, name));
    }
    original.renamed(changes)
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use crate::finding::{Finding, Outcome};
    use crate::masked_names::tests::Filler;
    use crate::material::Material;
    use crate::settings::AttackSettings;
    use crate::testing::{Rule, Toy, attack_toy, attack_with, material, settings, target};

    fn with(parameters: &[(&str, &str)]) -> AttackSettings {
        let mut settings = settings();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        settings.parameters = parameters.iter().map(owned).collect();
        settings
    }

    fn found(finding: &Finding) -> Option<&str> {
        finding.example.as_ref().map(|example| example.program(0).text())
    }

    /// The greedy search takes `a1`, with which `b` is no use. Only `a2` and `b` together flip the answer.
    #[test]
    fn the_genetic_search_finds_what_the_greedy_one_has_passed() {
        fn belief(text: &str) -> f32 {
            match (text.contains("a1"), text.contains("a2"), text.contains("b1")) {
                (true, _, false) => 0.6,
                (true, _, true) => 0.7,
                (_, true, false) => 0.8,
                (_, true, true) => 0.1,
                (false, false, true) => 0.85,
                (false, false, false) => 0.9,
            }
        }
        let target = target("int f(int x, int y) { return x + y; }", &[("x", &["a1", "a2"]), ("y", &["b1"])]);
        let attack =
            |settings: &AttackSettings| attack_with(&Rule::of(belief), "alert", &target, settings, &material());
        for crossover in ["0", "0.7", "1"] {
            let finding = attack(&with(&[("crossover", crossover)]));
            assert_eq!(found(&finding), Some("int f(int a2, int b1) { return a2 + b1; }"), "{crossover}");
        }
        let greedy = attack(&with(&[("children", "0")]));
        assert_eq!(greedy.outcome, Outcome::Failed);
        // The original, two masks, two words for x, one for y beside it, and y alone: x alone is known by then.
        assert_eq!((greedy.queries, greedy.cached), (7, 1));
    }

    #[test]
    fn names_that_cannot_be_given_cost_nothing() {
        let list: &[&str] = &["index", "while", "", "2nd", "a b", " sum ", "sum"];
        let target = target("int f(int total, int index) { return total * index * index; }", &[("total", list)]);
        let finding = attack_with(&Rule::of(|_| 0.9), "alert", &target, &with(&[]), &material());
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 2));
    }

    /// Both names want the same word. An individual that gives it to both is never asked about.
    #[test]
    fn two_names_never_become_one() {
        fn belief(text: &str) -> f32 {
            assert!(!text.contains("same + same"), "{text}");
            0.9
        }
        let target = target("int f(int x, int y) { return x + y; }", &[("x", &["same"]), ("y", &["same", "other"])]);
        let finding = attack_with(&Rule::of(belief), "alert", &target, &with(&[]), &material());
        assert_eq!(finding.outcome, Outcome::Failed);
        // The original, two masks, three single names, and x with y as `other`.
        assert!(finding.queries <= 7, "{}", finding.queries);
    }

    #[test]
    fn occurrences_can_be_masked_alone() {
        let text =
            "int f(int size, int total, int index, int buffer) { return size + total + index + buffer + buffer; }";
        let attack = |settings: &AttackSettings| attack_toy("alert", Language::C, text, settings, &material());
        let (names, occurrences) = (attack(&with(&[])), attack(&with(&[("importance", "occurrence")])));
        // Two names have lists: they are written two and three times.
        assert_eq!(occurrences.queries - names.queries, 3);
        assert_eq!(attack(&with(&[("importance", "chance")])).outcome, Outcome::Fault);
    }

    #[test]
    fn substitutes_come_from_where_there_are_some() {
        let target = target("int f(int buffer) { return buffer; }", &[]);
        let attack = |settings: &AttackSettings, material: &Material| {
            attack_with(&Toy::new(), "alert", &target, settings, material)
        };
        let synonym = attack(&with(&[]), &material());
        assert_eq!(synonym.outcome, Outcome::Success);
        let model = Filler::of(Some(vec![(" chunk", 0.9), ("page", 0.1)]));
        let masked = Material { masked: Some(Box::new(model)), ..Material::default() };
        let chunk = "int f(int chunk) { return chunk; }";
        assert_eq!(found(&attack(&with(&[]), &masked)), Some(chunk));
        assert_ne!(found(&attack(&with(&[("candidates", "synonyms")]), &masked)), Some(chunk));
        for missing in ["lists", "masked", "oracle"] {
            let finding = attack(&with(&[("candidates", missing)]), &material());
            assert_eq!((finding.outcome, finding.queries), (Outcome::Fault, 1), "{missing}");
            assert!(finding.reason.is_some());
        }
    }

    #[test]
    fn the_budget_and_the_seed_hold() {
        // The toy takes this for suspicious whatever `buffer` and `total` become, so that everything is tried.
        let text = "int f(int buffer, int total, int size) { int index = total; while (index) index--; return buffer + size; }";
        let attack = |settings: &AttackSettings| attack_toy("alert", Language::C, text, settings, &material());
        let (once, again) = (attack(&with(&[])), attack(&with(&[])));
        assert_eq!(once.outcome, Outcome::Failed);
        assert_eq!((once.queries, once.cached, once.belief), (again.queries, again.cached, again.belief));
        let mut settings = with(&[]);
        for budget in 2..once.queries {
            settings.budget = budget;
            let finding = attack(&settings);
            assert_eq!((finding.queries, finding.reason.as_deref()), (budget, Some("out of queries")));
        }
        let nothing = attack_toy("alert", Language::C, "int f(void);", &with(&[]), &material());
        assert_eq!((nothing.outcome, nothing.queries), (Outcome::NoSite, 1));
    }
}
