//! A campaign of attacks: every attack of a plan on every target, into a store.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use equivalence::Judge;
use measure::metrics::cosine_similarity;
use model::{Input, Model};
use search::{Attack, AttackSettings, Cache, Candidate, Desk, Material, Outcome, Surroundings, Target, Traffic};

use crate::examples::{Example, Examples, Question, Truth};
use crate::plan::Plan;
use crate::run::{Record, Store, StoreError};

/// A campaign that is ready to begin.
pub struct Campaign<'c> {
    /// The model.
    pub model: &'c dyn Model,
    /// The attacks with what each may do.
    pub attacks: Vec<(&'static Attack, AttackSettings)>,
    /// What the attacks know beside the target.
    pub material: &'c Material,
    /// What checks flips.
    pub judge: &'c Judge,
    /// The targets, each with its place in the data set.
    pub targets: Vec<(usize, Target)>,
}

/// How the work is done. Nothing of this changes what is found.
pub struct Pace<'p> {
    /// How many targets are attacked at the same time.
    pub jobs: usize,
    /// How many questions the model is asked at once, at the most.
    pub batch: usize,
    /// Where answers are kept for other runs.
    pub cache: Option<&'p Cache>,
    /// Set when everything has to end.
    pub stop: &'p AtomicBool,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The targets that are done now, over all attacks.
    pub done: usize,
    /// The successes among them.
    pub successes: usize,
    /// What went to the model.
    pub traffic: Traffic,
}

impl Campaign<'_> {
    /// What is left to do: the attack and the target, by their places in the lists of the campaign.
    pub fn left(&self, done: &[(String, usize)]) -> Vec<(usize, usize)> {
        let done: HashSet<(&str, usize)> = done.iter().map(|(attack, number)| (attack.as_str(), *number)).collect();
        let mut left = Vec::new();
        for (place, (attack, _)) in self.attacks.iter().enumerate() {
            let is_left = |target: &usize| !done.contains(&(attack.name.as_str(), self.targets[*target].0));
            left.extend((0..self.targets.len()).filter(is_left).map(|target| (place, target)));
        }
        left
    }

    /// Does what is left, and puts every record into the store before it counts as done. `progress` is called after each.
    pub fn run(
        &self,
        store: &mut Store<Plan>,
        left: &[(usize, usize)],
        pace: &Pace<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Progress, StoreError> {
        self.run_into(&mut |records| store.add(records), left, pace, progress)
    }

    /// The same, but the records are only handed on, as soon as each is there.
    pub fn run_into<Error>(
        &self,
        keep: &mut dyn FnMut(&[Record]) -> Result<(), Error>,
        left: &[(usize, usize)],
        pace: &Pace<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Progress, Error> {
        let desk = Desk::new(self.model, pace.batch, pace.cache);
        let next = AtomicUsize::new(0);
        // Set when records cannot be kept: what would be found then would be lost.
        let is_over = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel::<(Record, Option<Input>)>();
        let mut state = Progress::default();
        std::thread::scope(|scope| {
            scope.spawn(|| desk.serve());
            for _ in 0..pace.jobs.clamp(1, left.len().max(1)) {
                let (sender, desk, next, is_over) = (sender.clone(), &desk, &next, &is_over);
                scope.spawn(move || {
                    while !pace.stop.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed) {
                        let Some((attack, target)) = left.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let Some(record) = self.attack(*attack, *target, desk, pace.stop) else { break };
                        if sender.send(record).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            while let Ok(first) = receiver.recv() {
                let found: Vec<(Record, Option<Input>)> = std::iter::once(first).chain(receiver.try_iter()).collect();
                let records = self.with_cosines(found);
                if result.is_ok() {
                    result = keep(&records);
                    is_over.store(result.is_err(), Ordering::Relaxed);
                }
                state.done += records.len();
                state.successes += records.iter().filter(|record| record.outcome == Outcome::Success).count();
                state.traffic = desk.traffic();
                progress(&state);
            }
            desk.close();
            result.map(|()| state)
        })
    }

    /// A record, and the example that was found.
    fn attack(
        &self,
        attack: usize,
        target: usize,
        desk: &Desk<'_>,
        stop: &AtomicBool,
    ) -> Option<(Record, Option<Input>)> {
        let (attack, settings) = &self.attacks[attack];
        let (number, target) = &self.targets[target];
        let surroundings = Surroundings { settings, material: self.material, judge: self.judge, stop };
        let finding = search::attack(attack, target, desk, surroundings)?;
        let example = finding.example.as_ref().map(Candidate::input);
        Some((Record::of(&attack.name, *number, finding), example))
    }

    /// Adds how alike the model's own embeddings of originals and examples are, where it has any. They are asked for together,
    /// because a model on a GPU takes as long for two as for many.
    fn with_cosines(&self, found: Vec<(Record, Option<Input>)>) -> Vec<Record> {
        let mut inputs = Vec::new();
        for (record, example) in &found {
            let original = self.targets.iter().find(|(number, _)| *number == record.number);
            if let (Some(example), Some((_, original))) = (example, original) {
                inputs.extend([original.input.clone(), example.clone()]);
            }
        }
        let vectors = if inputs.is_empty() { None } else { self.model.embed(&inputs) };
        let mut vectors = vectors.unwrap_or_default().into_iter();
        let with_cosine = |(mut record, example): (Record, Option<Input>)| {
            if example.is_some()
                && let (Some(Ok(original)), Some(Ok(example))) = (vectors.next(), vectors.next())
            {
                record.cosine = cosine_similarity(&original, &example);
            }
            record
        };
        found.into_iter().map(with_cosine).collect()
    }
}

/// The targets of a data set: the examples whose truth can be attacked.
pub fn targets(examples: &Examples) -> Vec<(usize, Target)> {
    let lists = |example: &Example| {
        let of = |program: usize| examples.programs[program].substitutes.clone().unwrap_or_default();
        example.question.programs().into_iter().map(of).collect()
    };
    let items = examples.items.iter().enumerate();
    items
        .filter_map(|(number, example)| {
            let truth = truth_of(&example.truth)?;
            let input = examples.input(example);
            // The two programs of a pair would need cases of their own.
            let cases = match example.question {
                Question::Code(program) | Question::CodeAndText(program, _) => examples.programs[program].cases.clone(),
                Question::Pair(..) => Vec::new(),
            };
            Some((number, Target { id: example.id.clone(), input, truth, substitutes: lists(example), cases }))
        })
        .collect()
}

/// What is true about an example, where it can be attacked.
pub(crate) fn truth_of(truth: &Truth) -> Option<search::Truth> {
    match truth {
        Truth::Class(class) => Some(search::Truth::Class(*class)),
        Truth::Name(name) => Some(search::Truth::Name(name.clone())),
        Truth::Text(_) | Truth::Unknown => None,
    }
}
