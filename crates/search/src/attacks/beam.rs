//! Beam search over several rewrites at a time, chosen by how earlier ones changed the confidence.
//!
//! sees: probabilities
//! paper: none
//! parameters: width=4, group=4, stride=12, pool=24, words=400, curiosity=0.1, attempt=500
//! parameters: names=any|training|masked, grain=0.0
//!
//! The beam holds the `width` candidates with the lowest confidence in the truth. Every round makes `group` children,
//! queries them together, and keeps the best of parents and children as the next beam, so it never gets worse. A child has
//! up to `stride` rewrites more than its parent: long steps find the easy flips at once, and what a long step spoils is
//! dropped with it.
//!
//! The value of a rewrite is learned during the search, from this target alone. The change of the log-odds of the truth from
//! parent to child is divided among the child's rewrites, and recorded for each word that a name was changed to, for each
//! transformation, and for renames and other rewrites as a whole. The better of these two kinds is chosen three times out of
//! four. A rename is the best of `pool` random pairs of a name and a word: its estimate is the mean of what the word has
//! gained, times the square root of the number of the name's occurrences. A rewrite is the one of `pool` random
//! transformations with the best estimate, at a random site; where it needs new names, it uses words that did well.
//! `curiosity` is the estimate for a word or transformation that was never tried.
//!
//! After `attempt` queries the search restarts from the original program and forgets what it has learned: a beam that went
//! wrong early seldom recovers, while a restart often finds a flip soon. The best candidate of all attempts is the result.
//!
//! The words are those that the data set lists for any name of the target, and the first `words` of the vocabulary. With
//! `names=training` they are those of the vocabulary alone. With `names=masked` a name becomes what the masked language model
//! predicts in its place in the original, as for alert, and new names are from the same lists. `grain` makes the search prefer
//! small changes: the log-odds are compared in steps of this size, and of equal candidates the one with fewer changed tokens
//! is better.
//!
//! Limits on the changed names and tokens change how a child is made. First none, one or two rewrites of its parent, drawn at
//! random, are undone, with those that build on them. Then rewrites are added as long as the limits allow. Only names with
//! few enough occurrences are drawn, and the estimate of a rename is that of the word plus that of the name, since which
//! names to spend the changes on has to be learned as well.
//!
//! All draws come from the generator of the target. The search ends at the first flip, or when there is nothing new to query; a
//! name is changed at most once on the way to a child, and can be changed again by a child of that.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int data) { return data; }
//! ```
//!
//! Nothing of this can be rewritten:
//!
//! ```c
//! int f(void);
//! ```

use std::cmp::Ordering;
use std::collections::HashMap;

use transformation::names::NamesMaterial;
use transformation::{Class, Names, Selection};

use crate::candidate::Candidate;
use crate::identifiers::{Identifier, identifiers_and_aliases};
use crate::masked_names::masked_names;
use crate::shrink::without;
use crate::victim::{Stop, Victim};

/// After so many rounds without a new query there is nothing left to ask.
const MOST_BARREN: usize = 20;

/// How many words are drawn for the new names of a rewrite, and how many of them it is offered.
const DRAWN_WORDS: usize = 16;
const OFFERED_WORDS: usize = 3;

/// So many rewrites that the limits do not allow are drawn before a child is left as it is.
const MOST_REFUSED: usize = 3;

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let words = Words::of(victim)?;
    while !attempt(victim, &words)? {}
    Ok(())
}

/// The words that names may become.
struct Words {
    all: Vec<String>,
    /// For names of the original, by program, the words that only they may become.
    of_names: Option<HashMap<(usize, String), Vec<String>>>,
}

impl Words {
    fn of(victim: &Victim<'_>) -> Result<Words, Stop> {
        let vocabulary = || victim.material().vocabulary.iter().take(victim.number("words")).cloned();
        let (mut all, of_names): (Vec<String>, _) = match victim.word("names") {
            "training" => (vocabulary().collect(), None),
            "masked" => {
                let missing =
                    || Stop::Missing("no masked language model was given, which beam.names=masked needs".to_owned());
                let model = victim.material().masked.as_deref().ok_or_else(missing)?;
                let names = identifiers_and_aliases(victim.original(), victim.selections(), victim.parts());
                let lists = masked_names(model, victim.original(), &names).map_err(Stop::Missing)?;
                let all = lists.iter().flatten().cloned().collect();
                let keys = names.into_iter().map(|name| (name.part, name.name));
                (all, Some(keys.zip(lists).collect()))
            }
            _ => {
                let listed = victim.identifiers();
                let listed = listed.iter().flat_map(|name| victim.substitutes(name));
                (listed.chain(vocabulary()).collect(), None)
            }
        };
        all.sort();
        all.dedup();
        Ok(Words { all, of_names })
    }

    /// The words for a name of a candidate.
    fn of_name(&self, candidate: &Candidate, identifier: &Identifier) -> &[String] {
        let Some(of_names) = &self.of_names else { return &self.all };
        of_names.get(&(identifier.part, original_name(candidate, identifier))).map_or(&[], Vec::as_slice)
    }
}

/// What a name of a candidate was called in the original.
fn original_name(candidate: &Candidate, identifier: &Identifier) -> String {
    let mut name = identifier.name.as_str();
    for made in candidate.moves().iter().rev().filter(|made| made.part == identifier.part) {
        if let (Some(old), Some(new)) = (&made.old_name, made.step.arguments.names.first())
            && new == name
        {
            name = old;
        }
    }
    name.to_owned()
}

/// Searches from the program itself. Is everything asked that there is to ask?
fn attempt(victim: &mut Victim<'_>, words: &Words) -> Result<bool, Stop> {
    let (width, group, stride) = (victim.number("width"), victim.number("group"), victim.number("stride").max(1));
    let (begin, most) = (victim.left(), victim.number("attempt").max(1));
    let mut lessons = Lessons { curiosity: victim.fraction("curiosity") as f32, seen: HashMap::new() };
    let names = identifiers_and_aliases(victim.original(), victim.selections(), victim.parts());
    let grain = victim.fraction("grain") as f32;
    let original =
        Form { candidate: victim.original().clone(), names, log_odds: log_odds(victim.belief()), changed: 0 };
    let mut beam = vec![original];
    let mut barren = 0;
    while barren < MOST_BARREN {
        let left = victim.left();
        if begin - left >= most {
            return Ok(false);
        }
        let mut children = Vec::new();
        // More children than queries would only take time and memory.
        for place in 0..group.clamp(1, victim.left().max(1)) {
            let parent = &beam[place % beam.len()];
            let count = 1 + victim.random().below(stride);
            let (child, made) = child(victim, parent, count, words, &lessons);
            if !made.is_empty() {
                children.push((child, made, parent.log_odds));
            }
        }
        let candidates: Vec<Candidate> = children.iter().map(|(child, ..)| child.clone()).collect();
        let beliefs = victim.judge(&candidates)?;
        for ((candidate, made, before), belief) in children.into_iter().zip(beliefs) {
            let Some(now) = belief.map(log_odds) else { continue };
            lessons.learn(&made, before - now);
            // Without a preference for small changes nobody needs to know.
            let changed = if grain > 0.0 { victim.tokens_changed(&candidate) } else { 0 };
            let is_better = |form: &Form| compare((now, changed), (form.log_odds, form.changed), grain).is_lt();
            let is_kept = beam.len() < width || beam.iter().any(is_better);
            if is_kept && !beam.iter().any(|form| form.candidate == candidate) {
                let names = identifiers_and_aliases(&candidate, victim.selections(), victim.parts());
                beam.push(Form { candidate, names, log_odds: now, changed });
            }
        }
        beam.sort_by(|one, other| compare((one.log_odds, one.changed), (other.log_odds, other.changed), grain));
        beam.truncate(width.max(1));
        barren = if victim.left() < left { 0 } else { barren + 1 };
    }
    Ok(true)
}

/// A form of the target in the beam.
struct Form {
    candidate: Candidate,
    names: Vec<Identifier>,
    log_odds: f32,
    /// How many tokens are changed, where small changes are preferred.
    changed: usize,
}

/// Compares log-odds in steps of `grain`, and forms within a step by their changed tokens.
fn compare(one: (f32, usize), other: (f32, usize), grain: f32) -> Ordering {
    let step = |log_odds: f32| if grain > 0.0 { (log_odds / grain).floor() } else { log_odds };
    step(one.0).total_cmp(&step(other.0)).then(one.1.cmp(&other.1)).then(one.0.total_cmp(&other.0))
}

/// What a lesson is about.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Subject {
    Renames,
    Rewrites,
    /// A name of the original, where changes are limited.
    Name(String),
    Word(String),
    Transformation(String),
}

/// What the rewrites so far have brought, and how often they were tried.
struct Lessons {
    curiosity: f32,
    seen: HashMap<Subject, (f32, f32)>,
}

impl Lessons {
    /// The mean of what it has brought; curiosity counts like one try.
    fn estimate(&self, subject: &Subject) -> f32 {
        let (sum, count) = self.seen.get(subject).copied().unwrap_or_default();
        (sum + self.curiosity) / (count + 1.0)
    }

    fn word(&self, word: &str) -> f32 {
        self.estimate(&Subject::Word(word.to_owned()))
    }

    /// Shares a drop of the log-odds among the rewrites that led to it.
    fn learn(&mut self, made: &[Vec<Subject>], drop: f32) {
        for subject in made.iter().flatten() {
            let (sum, count) = self.seen.entry(subject.clone()).or_default();
            *sum += drop / made.len() as f32;
            *count += 1.0;
        }
    }
}

/// A form with up to `count` rewrites more, and what each of them is.
fn child(
    victim: &mut Victim<'_>,
    parent: &Form,
    count: usize,
    words: &Words,
    lessons: &Lessons,
) -> (Candidate, Vec<Vec<Subject>>) {
    if victim.limits().are_set() {
        return child_within_limits(victim, parent, count, words, lessons);
    }
    let (mut child, mut made) = (parent.candidate.clone(), Vec::new());
    let better = lessons.estimate(&Subject::Renames) >= lessons.estimate(&Subject::Rewrites);
    let has_others = victim.selections().iter().any(|selection| selection.transformation.class != Class::Naming);
    let renames = (0..count).filter(|_| !has_others || (victim.random().below(4) > 0) == better).count();
    // Renames leave the places of the other names as they are, rewrites do not: so they come first.
    let mut names: Vec<&Identifier> = parent.names.iter().collect();
    for _ in 0..renames {
        let Some((next, subjects)) = renamed(victim, &child, &mut names, words, lessons) else { break };
        child = next;
        made.push(subjects);
    }
    for _ in renames..count {
        let Some((next, subjects)) = rewritten(victim, &child, &words.all, lessons) else { break };
        child = next;
        made.push(subjects);
    }
    (child, made)
}

/// The same where changes are limited: some rewrites of the parent are undone, and others added as far as the limits allow.
fn child_within_limits(
    victim: &mut Victim<'_>,
    parent: &Form,
    count: usize,
    words: &Words,
    lessons: &Lessons,
) -> (Candidate, Vec<Vec<Subject>>) {
    let (mut child, mut made) = (parent.candidate.clone(), Vec::new());
    let undone = victim.random().below(3).min(child.moves().len());
    for _ in 0..undone {
        let place = victim.random().below(child.moves().len().max(1));
        let Some(smaller) = without(victim.original(), child.moves(), place..place + 1) else { continue };
        child = smaller;
    }
    let limits = victim.limits();
    let found;
    let mut names: Vec<&Identifier> = if undone == 0 {
        parent.names.iter().collect()
    } else {
        found = identifiers_and_aliases(&child, victim.selections(), victim.parts());
        found.iter().collect()
    };
    let better = lessons.estimate(&Subject::Renames) >= lessons.estimate(&Subject::Rewrites);
    let has_others = victim.selections().iter().any(|selection| selection.transformation.class != Class::Naming);
    let renames = (0..count).filter(|_| !has_others || (victim.random().below(4) > 0) == better).count();
    let mut refused = 0;
    for number in 0..count {
        let is_rename = number < renames;
        let next = if is_rename {
            let room = limits.tokens.map_or(usize::MAX, |most| most.saturating_sub(victim.tokens_changed(&child)));
            names.retain(|name| name.occurrences.len() <= room);
            renamed(victim, &child, &mut names, words, lessons)
        } else {
            rewritten(victim, &child, &words.all, lessons)
        };
        match next {
            Some((next, subjects)) if victim.allows(&next) => {
                child = next;
                made.push(subjects);
            }
            Some(_) if refused < MOST_REFUSED => refused += 1,
            // What is left of the renames finds no room; a rewrite may need less.
            Some(_) | None if is_rename => refused += 1,
            Some(_) | None => break,
        }
    }
    (child, made)
}

/// The best of some random renames, and what it teaches about. The name is taken from the list.
fn renamed(
    victim: &mut Victim<'_>,
    candidate: &Candidate,
    names: &mut Vec<&Identifier>,
    words: &Words,
    lessons: &Lessons,
) -> Option<(Candidate, Vec<Subject>)> {
    if names.is_empty() || words.all.is_empty() {
        return None;
    }
    let is_limited = victim.limits().are_set();
    let of_name = |name: &Identifier| Subject::Name(format!("{} {}", name.part, original_name(candidate, name)));
    let mut pairs: Vec<(f32, usize, &String)> = Vec::new();
    for _ in 0..victim.number("pool") {
        let at = victim.random().below(names.len());
        let own = words.of_name(candidate, names[at]);
        if own.is_empty() {
            continue;
        }
        let word = victim.random().pick(own);
        let name = if is_limited { lessons.estimate(&of_name(names[at])) } else { 0.0 };
        pairs.push(((names[at].occurrences.len() as f32).sqrt() * (lessons.word(word) + name), at, word));
    }
    pairs.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let found = pairs.into_iter().find_map(|(_, at, word)| {
        let next = candidate.renamed([(names[at], word.as_str())])?;
        Some((at, next, word.clone()))
    });
    let (at, next, word) = found?;
    let mut subjects = vec![Subject::Renames, Subject::Word(word)];
    if is_limited {
        subjects.push(of_name(names[at]));
    }
    names.remove(at);
    Some((next, subjects))
}

/// The best of some random rewrites that are not renames, and what it teaches about.
fn rewritten(
    victim: &mut Victim<'_>,
    candidate: &Candidate,
    words: &[String],
    lessons: &Lessons,
) -> Option<(Candidate, Vec<Subject>)> {
    let others = victim.selections().iter().filter(|selection| selection.transformation.class != Class::Naming);
    let others: Vec<&Selection> = others.collect();
    let parts = victim.parts().to_vec();
    let mut drawn: Vec<(f32, usize, &Selection)> = Vec::new();
    for _ in 0..victim.number("pool") {
        let (part, selection) = (*victim.random().pick(&parts), *victim.random().pick(&others));
        let estimate = lessons.estimate(&Subject::Transformation(selection.transformation.name.clone()));
        drawn.push((estimate, part, selection));
    }
    drawn.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let names = good_names(victim, words, lessons);
    let next = drawn.into_iter().find_map(|(_, part, selection)| {
        let mut sites = selection.sites(candidate.program(part), None);
        if sites.is_empty() {
            return None;
        }
        let site = sites.swap_remove(victim.random().below(sites.len()));
        let seed = victim.random().below(1 << 53) as u64;
        candidate.applied(part, selection.transformation, &site, seed, &names).ok()
    })?;
    let step = &next.moves()[next.moves().len() - 1].step;
    let given = step.arguments.names.iter().cloned().map(Subject::Word);
    let subjects = [Subject::Rewrites, Subject::Transformation(step.transformation.clone())];
    let subjects = subjects.into_iter().chain(given).collect();
    Some((next, subjects))
}

/// The best of some random words, for what is new.
fn good_names(victim: &mut Victim<'_>, words: &[String], lessons: &Lessons) -> Names {
    let draws = if words.is_empty() { 0 } else { DRAWN_WORDS };
    let mut drawn: Vec<&String> = (0..draws).map(|_| victim.random().pick(words)).collect();
    drawn.sort_by(|one, other| lessons.word(other).total_cmp(&lessons.word(one)));
    let reference = drawn.into_iter().take(OFFERED_WORDS).cloned().collect();
    let material = NamesMaterial { reference, ..NamesMaterial::default() };
    Names::new("reference", material).expect("the source is in the catalogue")
}

/// Beliefs near 0 and 1 say more about the words in this form than as probabilities.
fn log_odds(belief: f32) -> f32 {
    let belief = belief.clamp(1e-6, 1.0 - 1e-6);
    (belief / (1.0 - belief)).ln()
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use crate::finding::{Finding, Outcome};
    use crate::material::Material;
    use crate::settings::AttackSettings;
    use crate::testing::{attack_toy, material, settings, words};

    use super::*;

    /// Two names and a loop: no single rewrite flips the answer.
    const STUBBORN: &str =
        "int f(int buffer, int size) { int total = size; while (total < buffer) { total++; } return total; }";

    fn check(settings: &AttackSettings) -> Finding {
        attack_toy("beam", Language::C, STUBBORN, settings, &material())
    }

    fn renames_only() -> AttackSettings {
        let mut settings = settings();
        settings.selections.retain(|selection| selection.transformation.class == Class::Naming);
        settings
    }

    #[test]
    fn rewrites_add_up() {
        let finding = check(&settings());
        assert_eq!(finding.outcome, Outcome::Success);
        assert!(finding.example.unwrap().moves().len() > 1);
        assert_eq!(check(&renames_only()).outcome, Outcome::Success);
    }

    #[test]
    fn single_steps_get_there_as_well() {
        let mut settings = renames_only();
        settings.parameters =
            [("stride", "1"), ("width", "1"), ("group", "1")].map(|(a, b)| (a.into(), b.into())).into();
        assert_eq!(check(&settings).outcome, Outcome::Success);
    }

    #[test]
    fn a_long_attempt_starts_again_from_the_program() {
        // A child has one rename more than its parent, and one is not enough.
        let text = "int f(int buffer, int index, int total, int size) { return buffer + index + total + size; }";
        let vocabulary = (0..60).map(|number| format!("word{number}")).collect();
        let harmless = Material { vocabulary, ..Material::default() };
        let outcome = |attempt: &str| {
            let mut settings = AttackSettings { budget: 60, ..renames_only() };
            settings.parameters = [("stride", "1"), ("attempt", attempt)].map(|(a, b)| (a.into(), b.into())).into();
            attack_toy("beam", Language::C, text, &settings, &harmless).outcome
        };
        assert_eq!(outcome("1"), Outcome::Failed);
        assert_eq!(outcome("500"), Outcome::Success);
    }

    #[test]
    fn it_ends_with_the_budget() {
        let mut settings = renames_only();
        settings.budget = 7;
        let harmless = Material { vocabulary: words(&["item", "node", "entry"]), ..Material::default() };
        let text = "int f(int index, int total) { while (index) { } return total; }";
        let finding = attack_toy("beam", Language::C, text, &settings, &harmless);
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 7));
        assert_eq!(finding.reason.as_deref(), Some("out of queries"));
    }

    #[test]
    fn it_ends_when_nothing_new_is_left() {
        let harmless = Material { vocabulary: words(&["buffer"]), ..Material::default() };
        let text = "int f(int index) { while (index) { } return index; }";
        let finding = attack_toy("beam", Language::C, text, &renames_only(), &harmless);
        assert_eq!((finding.outcome, finding.reason), (Outcome::Failed, None));
        assert!(finding.queries < 20, "{}", finding.queries);
    }

    #[test]
    fn limits_are_kept_without_going_on_for_ever() {
        let finding = check(&AttackSettings { max_names: Some(0), ..renames_only() });
        assert_eq!((finding.outcome, finding.queries), (Outcome::Failed, 1));
        assert!(finding.refused > 0);
    }

    #[test]
    fn what_was_changed_makes_room_for_something_better() {
        // `buffer` alone has to change, and a first guess is another name.
        let text = "int f(int size, int k, int m, int buffer) { int n = k; int o = m; return size + buffer + n + o; }";
        for limits in [(Some(0.2), None), (None, Some(0.06))] {
            let (most_names, most_tokens) = limits;
            let settings = AttackSettings { most_names, most_tokens, ..renames_only() };
            let finding = attack_toy("beam", Language::C, text, &settings, &material());
            assert_eq!(finding.outcome, Outcome::Success, "{limits:?} {:?}", finding.reason);
            let quality = finding.quality.unwrap();
            assert_eq!((quality.renamed, quality.changed_tokens), (1, 2), "{limits:?}");
        }
    }

    #[test]
    fn small_changes_are_preferred_within_a_grain() {
        let order = |one, other, grain| compare(one, other, grain);
        assert!(order((0.1, 9), (0.2, 1), 0.0).is_lt());
        assert!(order((0.1, 9), (0.2, 1), 0.5).is_gt());
        assert!(order((0.1, 1), (0.2, 1), 0.5).is_lt());
        assert!(order((0.1, 9), (0.6, 1), 0.5).is_lt());
    }

    #[test]
    fn names_may_be_those_of_the_training_set_alone() {
        let mut settings = renames_only();
        settings.parameters = [("names".to_owned(), "training".to_owned())].into();
        let vocabulary = words(&["cursor"]);
        let material = Material { vocabulary, ..Material::default() };
        let text = "int f(int buffer) { return buffer; }";
        let finding = attack_toy("beam", Language::C, text, &settings, &material);
        assert_eq!(finding.example.unwrap().program(0).text(), "int f(int cursor) { return cursor; }");
        settings.parameters = [("names".to_owned(), "masked".to_owned())].into();
        let finding = attack_toy("beam", Language::C, text, &settings, &material);
        assert!(finding.reason.unwrap().contains("no masked language model"));
    }

    #[test]
    fn the_same_seed_finds_the_same() {
        let (one, other) = (check(&settings()), check(&settings()));
        assert_eq!(one.example.unwrap().program(0).text(), other.example.unwrap().program(0).text());
        assert_eq!(one.queries, other.queries);
    }

    #[test]
    fn words_that_helped_are_preferred() {
        let mut lessons = Lessons { curiosity: 0.1, seen: HashMap::new() };
        let word = |word: &str| vec![Subject::Renames, Subject::Word(word.to_owned())];
        lessons.learn(&[word("good"), word("fine")], 2.0);
        lessons.learn(&[word("bad")], -1.0);
        assert!(lessons.word("good") > lessons.word("new") && lessons.word("new") > lessons.word("bad"));
        assert_eq!(lessons.estimate(&Subject::Renames), (2.0 - 1.0 + 0.1) / 4.0);
    }
}
