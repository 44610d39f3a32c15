//! Rewrites and renames towards programs of the class that the model considers second most likely.
//!
//! sees: probabilities
//! paper: CODA
//! parameters: references=256, similar=64, variants=64, structure-choice=similarity|probability
//! parameters: reference-choice=similar|random, structure=guided|unguided|none, renaming=yes|no, rounds=0
//! needs: training set
//!
//! The rewrites and names are taken from references: inputs of the training set that the model classifies correctly. The
//! attack sees the probabilities of all classes for the original, and the answers to its queries.
//!
//! 1. References. The class is the one with the second largest probability. `references` of its inputs are drawn, and the
//!    `similar` of them whose vectors have the largest cosine with that of the target are kept. Vectors are computed from
//!    programs in which every name is `<unk>`, by the encoder that gathered the references: the model's own, another, or the
//!    built-in one.
//! 2. Structure. Each of CODA's rules turns one shape into another; both are counted in the references. Every occurrence of the
//!    first shape in the target is rewritten with the relative frequency of the second in the references: never, if they contain
//!    neither. This makes `variants` variants, and the one whose vector has the largest mean cosine with the references is kept
//!    and queried. With `structure-choice=probability` all of them are queried, and the one with the lowest confidence in the
//!    truth is kept.
//! 3. Names. All pairs of a name of that variant and a name of the references are sorted by the cosine of their vectors, largest
//!    first, and applied one after the other. A pair is skipped if its new name is already in the program or was given before, or
//!    if its old name was already changed. The model is queried after every pair. When every name is changed, the next round
//!    starts from the result of the second step with the pairs that are left, until all pairs are used or the budget is.
//!    `rounds` is the maximum number of rounds, and 0 sets no maximum. `rounds=1` is the weaker reading of the paper, in which
//!    the attack ends when every name was changed once: it costs a query per name, and finds far fewer examples.
//!
//! Random choices: which references are compared, which places each variant rewrites (inner ones first, equal ones in any
//! order), and the names of new variables. All are drawn from the seed of the run and the name of the target. The ablations
//! of the paper are `reference-choice=random` (`similar` of all references, whatever their class: w/o RIS), `structure=none`
//! (w/o EST), `structure=unguided` (every place with probability one half, and one variant without a comparison: w/o CDG),
//! and `renaming=no` (w/o IRT).
//!
//! Paper: Tian, Chen, Jin, "Code Difference Guided Adversarial Example Generation for Deep Code Models" (ASE 2023). Where
//! its released code differs, the paper is followed: shapes are syntactic constructs instead of substrings, all four groups
//! of rules work, a rule whose shapes do not occur is not applied instead of applied half of the time, references come from
//! the training set only and need not have as many names as the target, pairs of names are sorted together instead of name
//! by name, and the prefixes of sixty-four such lists are not all queried. It differs from the paper as follows:
//!
//! - References are drawn from those that were gathered, which may be a sample of each class. If a class has fewer than
//!   `similar` of them, the next class is used as well, as the paper proposes.
//! - The vector is that of the chosen encoder for a whole input, not CodeBERT's unless that is the encoder. Vectors cost no
//!   queries, even when the attacked model computes them. The vector of a pair is that of both programs, whose names and shapes
//!   all count.
//! - The model is queried for the result of the second step before any name is changed, which the paper does only without
//!   renaming.
//! - Rewrites that an earlier one made impossible are skipped. Rules and names that the settings do not allow are never used. New
//!   variables are named by the chosen source of names.
//! - The names of references are the variables, parameters, fields and functions that they declare. They are compared by
//!   FastText-style vectors that are trained on the names of the training set.
//! - A name is given once in a round, even to the two programs of a pair. The paper says that the search ends when all pairs are
//!   used, and not what happens to those that were skipped because their name was already changed: here they wait for the next
//!   round.
//! - With limits on changes, variants of the second step that change too much are not chosen, and a pair that would change too
//!   much waits for another round.
//! - Where a measure decides, there is no second class: the references are those with another truth, and all where nothing is
//!   true. They are inputs whose score is high enough to be attacked.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int buffered) { return buffered; }
//! ```
//!
//! Two names have to change before the model is wrong:
//!
//! ```c
//! int f(int buffer, int total, int size) { return buffer + total * size; }
//! ```
//! ->
//! ```c
//! int f(int buffered, int totals, int size) { return buffered + totals * size; }
//! ```
//!
//! Nothing of this can be rewritten:
//!
//! ```c
//! int f(void);
//! ```

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use model::Prediction;
use random::Random;
use syntax::Edit;
use transformation::Selection;
use transformation::apply::apply;
use transformation::shapes::{Shape, shapes_of};

use crate::candidate::Candidate;
use crate::identifiers::{identifiers, is_possible};
use crate::references::{Reference, anonymous};
use crate::shrink::{after, sorted};
use crate::victim::{Stop, Truth, Victim};

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let references = references(victim)?;
    let candidate = restructured(victim, &references)?;
    if !candidate.moves().is_empty() {
        victim.judge_one(&candidate)?;
    }
    if victim.is_on("renaming") {
        rename(victim, &candidate, &references)?;
    }
    Ok(())
}

/// The first step: what the target is to become like.
fn references<'s>(victim: &mut Victim<'s>) -> Result<Vec<&'s Reference>, Stop> {
    let groups = groups(victim)?;
    let all: Vec<&'s Reference> = victim.material().references.iter().collect();
    let (most, similar) = (victim.number("references"), victim.number("similar"));
    let mut chosen: Vec<&'s Reference> = Vec::new();
    if victim.word("reference-choice") == "random" {
        chosen = all;
        victim.random().shuffle(&mut chosen);
        chosen.truncate(similar);
    } else {
        for group in groups {
            if chosen.len() >= similar {
                break;
            }
            let mut of_group: Vec<&Reference> =
                all.iter().copied().filter(|reference| group.contains(&reference.class)).collect();
            victim.random().shuffle(&mut of_group);
            of_group.truncate(most.saturating_sub(chosen.len()));
            chosen.extend(of_group);
        }
    }
    if chosen.is_empty() {
        let problem = match victim.goal() {
            None => "coda has no references: the model classifies no training input of another class correctly",
            Some(_) => "coda has no references: no training input with another truth has a score that can fall so far",
        };
        return Err(Stop::Missing(format!("{problem}; use a larger training set")));
    }
    if chosen.len() <= similar {
        return Ok(chosen);
    }
    let input = anonymous(victim.original());
    let Some(vector) = victim.embed(&[input])?.remove(0) else {
        return Err(Stop::Missing("the encoder has no vector for the original".to_owned()));
    };
    let mut by_similarity: Vec<(f32, &Reference)> =
        chosen.into_iter().map(|reference| (cosine(&vector, &reference.vector), reference)).collect();
    by_similarity.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    by_similarity.truncate(similar);
    Ok(by_similarity.into_iter().map(|(_, reference)| reference).collect())
}

/// The classes of references, the best first. Where a measure decides, all other truths are as good.
fn groups(victim: &Victim<'_>) -> Result<Vec<HashSet<usize>>, Stop> {
    if victim.goal().is_some() {
        let truths = victim.material().truths.iter().enumerate();
        let is_other = |truth: &Truth| *truth == Truth::Unknown || truth != victim.truth();
        return Ok(vec![truths.filter(|(_, truth)| is_other(truth)).map(|(number, _)| number).collect()]);
    }
    let (Some(Prediction::Classes(probabilities)), Truth::Class(truth)) = (victim.before(), victim.truth()) else {
        return Err(Stop::Missing("coda needs a model with class probabilities".to_owned()));
    };
    let mut classes: Vec<usize> = (0..probabilities.len()).filter(|class| class != truth).collect();
    classes.sort_by(|one, other| probabilities[*other].total_cmp(&probabilities[*one]));
    Ok(classes.into_iter().map(|class| HashSet::from([class])).collect())
}

/// The second step: the form whose structure is most like that of the references.
fn restructured(victim: &mut Victim<'_>, references: &[&Reference]) -> Result<Candidate, Stop> {
    let original = victim.original().clone();
    let is_guided = match victim.word("structure") {
        "none" => return Ok(original),
        structure => structure == "guided",
    };
    let selections = victim.selections();
    let occurrences = occurrences(&original, selections, victim.parts(), |shapes| match is_guided {
        true => probability(references, shapes),
        false => 0.5,
    });
    let asks = victim.word("structure-choice") == "probability";
    let count = if is_guided || asks { victim.number("variants") } else { 1 };
    let mut drawn: HashSet<Vec<usize>> = HashSet::new();
    let mut variants: Vec<Candidate> = Vec::new();
    for _ in 0..count {
        let random = victim.random();
        let is_drawn = |place: &usize| share(random) < occurrences[*place].probability;
        let places: Vec<usize> = (0..occurrences.len()).filter(is_drawn).collect();
        if !drawn.insert(places.clone()) {
            continue;
        }
        let places = places.into_iter().map(|place| &occurrences[place]).collect();
        variants.push(rewritten(&original, places, selections, victim.random()));
        victim.check_time()?;
    }
    if asks {
        variants.retain(|variant| !variant.moves().is_empty());
        let beliefs = victim.judge(&variants)?;
        let lowest = beliefs.iter().enumerate().filter_map(|(place, belief)| Some((place, (*belief)?)));
        let lowest = lowest.min_by(|(_, one), (_, other)| one.total_cmp(other));
        return Ok(lowest.map_or(original, |(place, _)| variants.swap_remove(place)));
    }
    variants.retain(|variant| victim.allows(variant));
    if variants.len() <= 1 {
        return Ok(variants.pop().unwrap_or(original));
    }
    let vectors = victim.embed(&variants.iter().map(anonymous).collect::<Vec<_>>())?;
    let mut best: Option<(f32, Candidate)> = None;
    for (variant, vector) in variants.into_iter().zip(vectors) {
        let Some(vector) = vector else { continue };
        let similarity = references.iter().map(|reference| cosine(&vector, &reference.vector)).sum::<f32>();
        if best.as_ref().is_none_or(|(highest, _)| similarity > *highest) {
            best = Some((similarity, variant));
        }
    }
    Ok(best.map_or(original, |(_, variant)| variant))
}

/// The third step: names of the references, the most natural changes first.
fn rename(victim: &mut Victim<'_>, start: &Candidate, references: &[&Reference]) -> Result<(), Stop> {
    let own = identifiers(start, victim.selections(), victim.parts());
    let theirs: BTreeSet<&str> = references.iter().flat_map(|reference| &reference.names).map(String::as_str).collect();
    let vectors = victim.material().names.get();
    let theirs: Vec<(&str, _)> = theirs.into_iter().map(|name| (name, vectors.vector(name))).collect();
    let mut pairs: Vec<(f32, usize, &str)> = Vec::with_capacity(own.len() * theirs.len());
    for (place, identifier) in own.iter().enumerate() {
        let vector = vectors.vector(&identifier.name);
        pairs.extend(theirs.iter().map(|(name, other)| (cosine(&vector, other), place, *name)));
    }
    pairs.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let most = match victim.number("rounds") {
        0 => usize::MAX,
        rounds => rounds,
    };
    for _ in 0..most {
        let mut candidate = start.clone();
        // Names that are renamed, or that would change more than is allowed by whatever name.
        let mut is_closed = vec![false; own.len()];
        let mut given: HashSet<&str> = HashSet::new();
        let mut left = Vec::with_capacity(pairs.len());
        for pair in std::mem::take(&mut pairs) {
            let (_, place, name) = pair;
            if is_closed[place] || given.contains(name) || !is_possible(&candidate, &own[place], name) {
                left.push(pair);
                continue;
            }
            // A rename that would change the meaning is not tried again.
            let Some(next) = candidate.renamed([(&own[place], name)]) else { continue };
            is_closed[place] = true;
            if !victim.allows(&next) {
                left.push(pair);
                continue;
            }
            candidate = next;
            given.insert(name);
            victim.judge_one(&candidate)?;
        }
        // A round that changed nothing would only be repeated.
        if given.is_empty() {
            break;
        }
        pairs = left;
    }
    Ok(())
}

/// A place of the original where a rule applies.
struct Occurrence {
    part: usize,
    /// Which of the selections has the rule.
    selection: usize,
    rule: &'static str,
    range: Range<usize>,
    /// How probably it is rewritten.
    probability: f64,
}

/// The places where rules with shapes apply that are rewritten now and then.
fn occurrences(
    original: &Candidate,
    selections: &[Selection],
    parts: &[usize],
    probability: impl Fn((Shape, Shape)) -> f64,
) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for part in parts.iter().copied() {
        for (number, selection) in selections.iter().enumerate() {
            for site in selection.sites(original.program(part), None) {
                let Some(shapes) = shapes_of(&selection.transformation.name, site.rule) else { continue };
                let probability = probability(shapes);
                if probability > 0.0 {
                    let (rule, range) = (site.rule, site.range.clone());
                    found.push(Occurrence { part, selection: number, rule, range, probability });
                }
            }
        }
    }
    found
}

/// How probable the second shape is among the references that have one of the two.
fn probability(references: &[&Reference], (before, after): (Shape, Shape)) -> f64 {
    let count = |shape: Shape| -> usize {
        references.iter().flat_map(|reference| &reference.counts).map(|counts| counts.of(shape)).sum()
    };
    let (before, after) = (count(before), count(after));
    if after == 0 { 0.0 } else { after as f64 / (before + after) as f64 }
}

/// Rewrites some places of the original, one after the other. What an earlier rewrite has taken with it is left out.
fn rewritten(
    original: &Candidate,
    mut places: Vec<&Occurrence>,
    selections: &[Selection],
    random: &mut Random,
) -> Candidate {
    // Inner places go first, since a loop that is rewritten moves the parts of its head. Those that are as long, such as the two
    // that `x = x + 1` is for two rules, go in any order.
    random.shuffle(&mut places);
    places.sort_by_key(|place| place.range.len());
    let mut candidate = original.clone();
    let mut made: Vec<(usize, Vec<Edit>)> = Vec::new();
    for place in places {
        let selection = &selections[place.selection];
        let edits: Vec<&Vec<Edit>> =
            made.iter().filter(|(part, _)| *part == place.part).map(|(_, edits)| edits).collect();
        let moved = |position: usize, is_behind: bool| {
            edits.iter().fold(position, |position, edits| after(position, edits, is_behind))
        };
        let program = candidate.program(place.part);
        let sites = selection.sites(program, None);
        // What is inserted at a border of the place may have become a part of it or not.
        let site = [(true, false), (false, false), (true, true), (false, true)].iter().find_map(|(start, end)| {
            let range = moved(place.range.start, *start)..moved(place.range.end, *end);
            sites.iter().find(|site| site.rule == place.rule && site.range == range)
        });
        let seed = random.below(1 << 53) as u64;
        let Some(site) = site else { continue };
        let Ok(applied) = apply(program, selection.transformation, site, seed, &selection.names) else { continue };
        made.push((place.part, sorted(applied.edits.clone())));
        drop(sites);
        candidate = candidate.with(place.part, applied);
    }
    candidate
}

/// The cosine of two vectors of length one.
fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// A number from 0 up to 1.
fn share(random: &mut Random) -> f64 {
    random.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use model::{Answer, Code, Fault, Identity, Input, Model};
    use syntax::Language;
    use transformation::shapes::Counts;
    use transformation::{Class, Names, catalogue, recipe};

    use super::*;
    use crate::finding::{Finding, Outcome};
    use crate::material::Material;
    use crate::references::{Encoder, Gathering};
    use crate::settings::AttackSettings;
    use crate::testing::{Toy, attack_toy, attack_with, material, settings};
    use crate::victim::Target;

    fn code(text: &str) -> Code {
        Code { language: Language::C, text: text.to_owned() }
    }

    fn gathered(model: &dyn Model, training: &[(&str, usize)]) -> Material {
        let training: Vec<(Input, usize)> =
            training.iter().map(|(text, class)| (Input::Code(code(text)), *class)).collect();
        let how = Gathering { encoder: Encoder::Victim, most: 100, seed: 1, batch: 64, cache: None, goal: None };
        Material::gather(model, &training, &how).0
    }

    fn with(parameters: &[(&str, &str)]) -> AttackSettings {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        AttackSettings { parameters, ..settings() }
    }

    /// The classes of the transformations that a finding has used.
    fn is_renamed_and_restructured(finding: &Finding) -> (bool, bool) {
        let example = finding.example.as_ref().unwrap();
        let class = |made: &crate::Move| catalogue::find(&made.step.transformation).unwrap().class;
        let is_naming = |made: &crate::Move| class(made) == Class::Naming;
        (example.moves().iter().any(is_naming), !example.moves().iter().all(is_naming))
    }

    /// Three classes, each with words of its own; a program has the class of most of its words.
    struct Families {
        identity: Identity,
    }

    const FAMILIES: [[&str; 3]; 3] = [["apple", "pear", "plum"], ["oak", "elm", "birch"], ["wolf", "bear", "lynx"]];

    impl Families {
        fn new() -> Families {
            let identity = Identity { kind: "toy".into(), place: String::new(), digest: "f".into(), varies: false };
            Families { identity }
        }
    }

    impl Model for Families {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            let answer = |input: &Input| {
                let text: String = input.programs().iter().map(|code| format!("{} ", code.text)).collect();
                let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
                let count = |family: &[&str; 3]| words.iter().filter(|word| family.contains(word)).count() as f32 + 0.1;
                let counts = FAMILIES.map(|family| count(&family));
                let sum: f32 = counts.iter().sum();
                let probabilities = counts.iter().map(|count| count / sum).collect();
                Ok(Answer { prediction: Prediction::Classes(probabilities), tokens: None })
            };
            inputs.iter().map(answer).collect()
        }
    }

    /// Class 0 before class 2 before class 1.
    const FRUIT: &str = "int f(int apple, int pear, int wolf) { return apple + pear + apple + pear + wolf; }";

    fn attack_fruit(training: &[(&str, usize)], settings: &AttackSettings) -> Finding {
        let model = Families::new();
        let target = Target {
            id: "fruit".to_owned(),
            input: Input::Code(code(FRUIT)),
            truth: Truth::Class(0),
            substitutes: Vec::new(),
            cases: Vec::new(),
        };
        attack_with(&model, "coda", &target, settings, &gathered(&model, training))
    }

    #[test]
    fn names_come_from_the_class_with_the_second_largest_probability() {
        let training = [
            ("int a(int plum) { return plum; }", 0),
            ("int b(int oak, int elm) { return oak + elm; }", 1),
            ("int c(int bear, int lynx) { return bear + lynx; }", 2),
        ];
        let finding = attack_fruit(&training, &with(&[("similar", "1")]));
        assert_eq!(finding.outcome, Outcome::Success);
        let text = finding.example.unwrap().program(0).text().to_owned();
        assert!(text.contains("bear") || text.contains("lynx"), "{text}");
        assert!(!text.contains("oak") && !text.contains("elm"), "{text}");
    }

    #[test]
    fn the_next_class_helps_out() {
        let training = [("int b(int oak, int elm, int birch) { return oak + elm + birch; }", 1)];
        let finding = attack_fruit(&training, &settings());
        assert_eq!(finding.outcome, Outcome::Success, "{:?}", finding.reason);
        assert_eq!(finding.after.and_then(|prediction| prediction.class()), Some(1));
    }

    #[test]
    fn without_references_it_says_so() {
        for training in [&[][..], &[("int a(int plum) { return plum; }", 0)]] {
            let finding = attack_fruit(training, &settings());
            assert_eq!(finding.outcome, Outcome::Fault);
            assert!(finding.reason.as_ref().unwrap().starts_with("coda has no references"), "{:?}", finding.reason);
            assert_eq!(finding.queries, 1);
        }
    }

    #[test]
    fn a_rewrite_is_as_probable_as_its_result() {
        let references: Vec<Reference> =
            ["void f(int n) { for (;;) { n++; } }", "void f(int n) { while (n) { n--; } for (;;) { } }"]
                .iter()
                .map(|text| {
                    let counts = transformation::shapes::count(&syntax::Program::parse(Language::C, *text));
                    Reference {
                        place: 0,
                        class: 0,
                        vector: Vec::new(),
                        names: Vec::new(),
                        counts: vec![counts, Counts::default()],
                    }
                })
                .collect();
        let references: Vec<&Reference> = references.iter().collect();
        let of = |name: &str, rule: &str| probability(&references, shapes_of(name, rule).unwrap());
        assert_eq!(of("for-to-while", ""), 1.0 / 3.0);
        assert_eq!(of("while-to-for", ""), 2.0 / 3.0);
        assert_eq!(of("expand-increment", "increment"), 0.0);
        assert_eq!(of("contract-increment", "increment"), 1.0);
        assert_eq!(of("split-if-else", ""), 0.0, "neither shape is there");
    }

    /// The toy takes loops with `while` for suspicious, and a `for` leads it to the other class.
    const LOOP: &str = "int f(int n) { int i = 0; while (i < n) { i = i + 1; } return i; }";
    const LOOPS: [(&str, usize); 2] = [
        ("int g(int k) { int sum = 0; for (int j = 0; j < k; j++) { sum += j; } return sum; }", 0),
        ("int h(int k) { int sum = 1; for (int j = 1; j < k; j++) { sum += j; } return sum; }", 0),
    ];

    #[test]
    fn structure_alone_can_do() {
        let material = gathered(&Toy::new(), &LOOPS);
        let mut settings = with(&[("renaming", "no")]);
        settings.selections.retain(|selection| selection.transformation.name != "extract-constant");
        let finding = attack_toy("coda", Language::C, LOOP, &settings, &material);
        assert_eq!(finding.outcome, Outcome::Success, "{:?}", finding.reason);
        assert_eq!(finding.queries, 2, "the original, and one form");
        assert_eq!(is_renamed_and_restructured(&finding), (false, true));
        let text = finding.example.unwrap().program(0).text().to_owned();
        assert!(text.contains("for (") && (text.contains("i++") || text.contains("i += 1")), "{text}");
    }

    #[test]
    fn the_model_may_choose_the_structure() {
        let material = gathered(&Toy::new(), &LOOPS);
        let asks = [("renaming", "no"), ("structure-choice", "probability"), ("structure", "unguided")];
        let finding = attack_toy("coda", Language::C, LOOP, &with(&asks), &material);
        assert_eq!(finding.outcome, Outcome::Success);
        let alone = attack_toy("coda", Language::C, LOOP, &with(&asks[..1]), &material);
        assert_eq!(alone.outcome, Outcome::Success);
    }

    #[test]
    fn every_step_can_be_left_out() {
        let material = gathered(&Toy::new(), &LOOPS);
        let attack = |parameters: &[(&str, &str)]| attack_toy("coda", Language::C, LOOP, &with(parameters), &material);
        // The toy does not mind what `i` and `n` are called.
        let no_structure = attack(&[("structure", "none"), ("rounds", "1")]);
        assert_eq!((no_structure.outcome, no_structure.queries), (Outcome::Failed, 3));
        let nothing = attack(&[("structure", "none"), ("renaming", "no")]);
        assert_eq!((nothing.outcome, nothing.queries), (Outcome::NoSite, 1));
        assert_eq!(attack(&[("structure", "unguided"), ("renaming", "no")]).queries, 2);
        // References of all classes lead nowhere when most of them have loops with `while`.
        let whiles = (0..40).map(|_| ("int g(int k) { while (k) { k = k - 1; } return k; }", 1));
        let material = gathered(&Toy::new(), &LOOPS.into_iter().chain(whiles).collect::<Vec<_>>());
        let random = with(&[("reference-choice", "random"), ("similar", "20"), ("variants", "1"), ("renaming", "no")]);
        assert_ne!(attack_toy("coda", Language::C, LOOP, &random, &material).outcome, Outcome::Success);
    }

    #[test]
    fn a_round_goes_on_with_the_next_best_names() {
        let training = [("int g(int k, int m, int node) { return k + m + node; }", 0)];
        let material = gathered(&Toy::new(), &training);
        let text = "int f(int n) { int total = n; int size = n; while (n) { n = n - total; } return n * size; }";
        let queries = |rounds| {
            let settings = with(&[("structure", "none"), ("rounds", rounds)]);
            attack_toy("coda", Language::C, text, &settings, &material).queries
        };
        let (one, two, many) = (queries("1"), queries("2"), queries("1000"));
        assert!(one < two && two < many, "{one} {two} {many}");
        // Three names of four each, one query a rename: rounds end when no pair is left.
        assert!(many <= 1 + 12, "{many}");
        // That is what the paper says, and the default.
        assert_eq!(queries("0"), many);
        let default = attack_toy("coda", Language::C, text, &with(&[("structure", "none")]), &material).queries;
        assert_eq!(default, many);
    }

    #[test]
    fn limits_leave_the_other_names_for_other_rounds() {
        let training = [("int g(int k, int m, int node) { return k + m + node; }", 0)];
        let material = gathered(&Toy::new(), &training);
        let text = "int f(int n) { int total = n; int size = n; while (n) { n = n - total; } return n * size; }";
        let attack = |settings: AttackSettings| {
            let settings = AttackSettings { exhausts_budget: true, ..settings };
            attack_toy("coda", Language::C, text, &settings, &material)
        };
        // A third of the three names is one.
        let one = attack(AttackSettings { most_names: Some(0.34), ..with(&[("structure", "none")]) });
        assert!(one.queries > 3 && one.refused > 0, "{} {}", one.queries, one.refused);
        // Six uses of `n` are more than a tenth of the tokens, two of `size` are not.
        let small = attack(AttackSettings { most_tokens: Some(0.06), ..with(&[("structure", "none")]) });
        assert!(small.queries > 1 && small.refused > 0, "{} {}", small.queries, small.refused);
        let none = attack(AttackSettings { most_names: Some(0.0), ..with(&[]) });
        assert_eq!((none.outcome, none.queries), (Outcome::Failed, 1));
        assert!(none.reason.unwrap().contains("changed more than is allowed"));
    }

    #[test]
    fn both_programs_of_a_pair_change() {
        let pair = |first: &str, second: &str| Input::Pair(code(first), code(second));
        let training = [
            (pair("int a(int cursor) { return cursor; }", "int b(int result) { return result; }"), 0),
            (pair("int a(int cursors) { return cursors; }", "int b(int results) { return results; }"), 0),
        ];
        let how = Gathering { encoder: Encoder::Victim, most: 100, seed: 1, batch: 64, cache: None, goal: None };
        let (material, _) = Material::gather(&Toy::new(), &training, &how);
        let target = Target {
            id: "pair".to_owned(),
            input: pair(
                "int f(int buffer) { return buffer; }",
                "int g(int total, int index) { return total + index; }",
            ),
            truth: Truth::Class(1),
            substitutes: Vec::new(),
            cases: Vec::new(),
        };
        let finding = attack_with(&Toy::new(), "coda", &target, &settings(), &material);
        assert_eq!(finding.outcome, Outcome::Success, "{:?}", finding.reason);
        let names: Vec<String> =
            finding.example.unwrap().moves().iter().flat_map(|made| made.step.arguments.names.clone()).collect();
        let different: HashSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "a name is given once: {names:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_finding() {
        let material = material();
        let text = "int f(int *buffer, int size) { int total = 0; for (int i = 0; i < size; i++) { total += buffer[i]; } while (total > 3) { total = total - 1; } return total; }";
        let attack = |seed| {
            let finding = attack_toy("coda", Language::C, text, &AttackSettings { seed, ..settings() }, &material);
            (finding.example.map(|example| example.program(0).text().to_owned()), finding.queries, finding.belief)
        };
        assert_eq!(attack(1), attack(1));
    }

    #[test]
    fn every_place_is_found_again_after_other_rewrites() {
        let text = "int f(int n, int *values) {\n    int sum = 0;\n    for (int i = 0; i < n; i++) {\n        if (values[i] > 3) {\n            sum += values[i];\n        } else {\n            sum -= 1;\n        }\n    }\n    while (sum > 100) { sum = sum - 7; }\n    return sum;\n}\n";
        let original = Candidate::of(&Input::Code(code(text)));
        let list = "for-to-while,while-to-for,expand-compound,contract-compound,expand-increment,extract-constant";
        let selections = recipe::select(list, &Names::typed()).unwrap();
        let all = occurrences(&original, &selections, &[0], |_| 1.0);
        assert!(all.len() >= 9, "{}", all.len());
        let mut random = Random::new(5);
        for _ in 0..50 {
            let places: Vec<&Occurrence> = all.iter().filter(|_| random.below(3) > 0).collect();
            let variant = rewritten(&original, places.clone(), &selections, &mut random);
            assert_eq!(variant.moves().len(), places.len());
            let mut again = original.clone();
            for made in variant.moves() {
                again = again.again(0, &made.step).unwrap();
            }
            assert!(again == variant && !again.program(0).is_broken());
        }
    }
}
