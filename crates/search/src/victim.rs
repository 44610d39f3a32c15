//! The only access of an attack to the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use equivalence::{Case, Comparison, Judge, Verdict, Verdicts, Wanted};
use model::{Answer, Fault, Gradients, Input, Prediction};
use random::{Random, seed_of};
use transformation::Selection;

use crate::attacks::Attack;
use crate::candidate::Candidate;
use crate::desk::{Desk, Seat};
use crate::finding::{Finding, Outcome, Rejected, Scored};
use crate::goal::{Goal, Measure};
use crate::identifiers::{self, Identifier};
use crate::material::{Embedded, Material};
use crate::quality::{Limits, quality, tokens_changed};
use crate::settings::{AttackSettings, first_word};
use crate::shrink::shrink;

/// The attack on a target is abandoned after this many queries without an answer.
const MOST_FAULTS: usize = 3;

/// This many invalid flips are kept with their rewrites; the others are only counted.
const MOST_REJECTED: usize = 20;

/// An input to attack, with the true answer.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name in records.
    pub id: String,
    pub input: Input,
    pub truth: Truth,
    /// For every program of the input, the substitutes that the data set lists for its names.
    pub substitutes: Vec<BTreeMap<String, Vec<String>>>,
    /// The inputs on which behaviour is compared.
    pub cases: Vec<Case>,
}

/// The true answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    Class(usize),
    Name(String),
    Text(String),
    /// Nothing is known; only the model's own answers can be compared.
    Unknown,
}

/// Everything that an attack needs besides its target.
#[derive(Clone, Copy)]
pub struct Surroundings<'s> {
    pub settings: &'s AttackSettings,
    pub material: &'s Material,
    /// Decides whether a flip is valid.
    pub judge: &'s Judge,
    /// Set when the user interrupts the run.
    pub stop: &'s AtomicBool,
}

/// Why an attack ends early. An attack propagates it with `?`.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An adversarial example was found.
    Found,
    /// The query budget is exhausted.
    Queries,
    /// The time limit is reached.
    Time,
    /// The model fails.
    Fault(Fault),
    /// The attack needs something that is not available, such as gradients.
    Missing(String),
    /// The user interrupted the run.
    Interrupted,
}

/// Attacks a target. `None` if the user interrupted it, so that it can be repeated from the start.
pub fn attack(
    attack: &'static Attack,
    target: &Target,
    desk: &Desk<'_>,
    surroundings: Surroundings<'_>,
) -> Option<Finding> {
    let start = Instant::now();
    let mut victim = Victim::new(attack, target, desk.sit(), surroundings, start);
    let end = victim.begin().and_then(|is_attacked| if is_attacked { (attack.run)(&mut victim) } else { Ok(()) });
    victim.finish(end)
}

/// The model, as seen by the attack on one target.
pub struct Victim<'s> {
    attack: &'static Attack,
    target: &'s Target,
    seat: Seat<'s, 's>,
    surroundings: Surroundings<'s>,
    random: Random,
    original: Candidate,
    parts: Vec<usize>,
    identifiers: Vec<Identifier>,
    limits: Limits,
    before: Option<Prediction>,
    /// Is the original as it must be to be attacked?
    is_right: bool,
    belief: Option<(f32, f32)>,
    /// The score of the original and the lowest one, where a measure decides.
    score: Option<(f64, f64)>,
    success: Option<Success>,
    /// The first flip that was not judged, and why.
    not_judged: Option<(Success, String)>,
    rejected: Vec<Rejected>,
    /// The forms that were lower than all before them, where the lowest is wanted.
    lows: Vec<(f64, Candidate, Prediction)>,
    asked: HashMap<Input, Answer>,
    /// Was anything but the original queried?
    has_tried: bool,
    is_shrinking: bool,
    /// Are flips only parsed and resolved for now?
    checks_lightly: bool,
    refused: usize,
    queries: usize,
    cached: usize,
    mutant_queries: usize,
    shrink_queries: usize,
    moves_before_shrinking: usize,
    confirm_queries: usize,
    unconfirmed: usize,
    faults: usize,
    start: Instant,
    waited: f64,
    model_seconds: f64,
}

#[derive(Clone)]
struct Success {
    candidate: Candidate,
    prediction: Prediction,
    worth: Worth,
    verdicts: Vec<Verdicts>,
}

/// What an answer is worth to the attack.
#[derive(Clone, Copy)]
struct Worth {
    /// What guides the search: the confidence in the truth, or that of the measure.
    belief: f32,
    score: Option<f64>,
    /// Is it what the attack looks for?
    is_flip: bool,
}

impl Worth {
    /// The lower, the better for the attack.
    fn value(&self) -> f64 {
        self.score.unwrap_or_else(|| self.belief.into())
    }
}

/// What the checks say about a flip.
enum Check {
    Valid(Vec<Verdicts>),
    /// A verdict that was requested is missing.
    NotJudged {
        verdicts: Vec<Verdicts>,
        reason: String,
        /// Is it for a reason that no other candidate changes, such as a target without cases?
        is_of_target: bool,
    },
    Invalid,
}

impl<'s> Victim<'s> {
    fn new(
        attack: &'static Attack,
        target: &'s Target,
        seat: Seat<'s, 's>,
        surroundings: Surroundings<'s>,
        start: Instant,
    ) -> Victim<'s> {
        let settings = surroundings.settings;
        let original = Candidate::of(&target.input);
        let parts = settings.parts.of(original.parts());
        let identifiers = identifiers::identifiers(&original, &settings.selections, &parts);
        let limits = Limits::of(settings, &original, identifiers.len(), &parts);
        let seed = seed_of(&[&settings.seed.to_le_bytes(), attack.name.as_bytes(), target.id.as_bytes()]);
        Victim {
            attack,
            target,
            seat,
            surroundings,
            random: Random::new(seed),
            original,
            parts,
            identifiers,
            limits,
            before: None,
            is_right: false,
            belief: None,
            score: None,
            success: None,
            not_judged: None,
            rejected: Vec::new(),
            lows: Vec::new(),
            asked: HashMap::new(),
            has_tried: false,
            is_shrinking: false,
            checks_lightly: false,
            refused: 0,
            queries: 0,
            cached: 0,
            mutant_queries: 0,
            shrink_queries: 0,
            moves_before_shrinking: 0,
            confirm_queries: 0,
            unconfirmed: 0,
            faults: 0,
            start,
            waited: 0.0,
            model_seconds: 0.0,
        }
    }

    /// The original input.
    pub fn original(&self) -> &Candidate {
        &self.original
    }

    /// The programs of the input that may be changed.
    pub fn parts(&self) -> &[usize] {
        &self.parts
    }

    /// The names of the original that may be changed.
    pub fn identifiers(&self) -> Vec<Identifier> {
        self.identifiers.clone()
    }

    /// The substitutes that the data set lists for a name of the original, best first.
    pub fn substitutes(&self, identifier: &Identifier) -> Vec<String> {
        let of_part = self.target.substitutes.get(identifier.part);
        let listed = of_part.and_then(|lists| lists.get(&identifier.name)).cloned().unwrap_or_default();
        listed.iter().map(|name| name.trim().to_owned()).collect()
    }

    /// Does the data set list substitutes for this target?
    pub fn has_substitutes(&self) -> bool {
        self.target.substitutes.iter().any(|lists| !lists.is_empty())
    }

    /// The transformations that may be used.
    pub fn selections(&self) -> &'s [Selection] {
        &self.surroundings.settings.selections
    }

    /// What the attack knows besides the target.
    pub fn material(&self) -> &'s Material {
        self.surroundings.material
    }

    /// The model's prediction for the original.
    pub fn before(&self) -> Option<&Prediction> {
        self.before.as_ref()
    }

    /// The model's confidence in the truth for the original, or what guides the search in its place where a measure decides.
    pub fn belief(&self) -> f32 {
        self.belief.map_or(1.0, |(before, _)| before)
    }

    /// What a success is, where a measure decides.
    pub fn goal(&self) -> Option<Goal> {
        self.surroundings.settings.goal
    }

    /// The true answer.
    pub fn truth(&self) -> &'s Truth {
        &self.target.truth
    }

    /// The generator for all random choices of the attack.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// How many queries are left in the budget.
    pub fn left(&self) -> usize {
        self.surroundings.settings.budget.saturating_sub(self.queries)
    }

    /// An integer parameter of the attack.
    pub fn number(&self, name: &str) -> usize {
        self.word(name).parse().unwrap_or_else(|_| panic!("{name} of {} is checked before", self.attack.name))
    }

    /// A floating-point parameter of the attack.
    pub fn fraction(&self, name: &str) -> f64 {
        self.word(name).parse().unwrap_or_else(|_| panic!("{name} of {} is checked before", self.attack.name))
    }

    /// A parameter of the attack that is yes or no.
    pub fn is_on(&self, name: &str) -> bool {
        self.word(name) == "yes"
    }

    /// A parameter of the attack, as written.
    pub fn word(&self, name: &str) -> &str {
        let default = self.attack.parameters.iter().find(|(known, _)| *known == name);
        let default = || default.map(|(_, default)| first_word(default));
        let given = self.surroundings.settings.parameters.get(name).map(String::as_str);
        given.or_else(default).unwrap_or_else(|| panic!("the header of {} has no {name}", self.attack.name))
    }

    /// Does a candidate keep to the limits on changes? One that does not is counted as refused. The victim queries and accepts
    /// no other candidates; an attack that asks first can change something else instead.
    pub fn allows(&mut self, candidate: &Candidate) -> bool {
        let is_allowed = self.limits.allow(&self.original, candidate, &self.parts);
        self.refused += usize::from(!is_allowed && !self.is_shrinking);
        is_allowed
    }

    /// The limits on changes of this target.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// How many tokens of a candidate differ from the original.
    pub fn tokens_changed(&self, candidate: &Candidate) -> usize {
        tokens_changed(&self.original, candidate, &self.parts)
    }

    /// The model's confidence in the truth for every candidate, or what guides the search in its place. `None` where it has no answer, or where the candidate
    /// exceeds the limits on changes.
    ///
    /// The first candidate with a wrong answer, or with a score that has fallen far enough, that passes the checks is the success, which ends the attack.
    pub fn judge(&mut self, candidates: &[Candidate]) -> Result<Vec<Option<f32>>, Stop> {
        let places: Vec<usize> = (0..candidates.len()).filter(|place| self.allows(&candidates[*place])).collect();
        let inputs = places.iter().map(|place| candidates[*place].input()).collect();
        self.has_tried |= !places.is_empty();
        let (answers, end) = self.ask(inputs)?;
        let mut beliefs = vec![None; candidates.len()];
        for (place, answer) in places.into_iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let worth = self.worth(&answer.prediction);
            beliefs[place] = Some(worth.belief);
            if let Some((_, lowest)) = &mut self.belief {
                *lowest = lowest.min(worth.belief);
            }
            if let (Some((_, lowest)), Some(score)) = (&mut self.score, worth.score) {
                *lowest = lowest.min(score);
            }
            if self.is_lowest_wanted() && self.lows.last().is_none_or(|(lowest, ..)| worth.value() < *lowest) {
                self.lows.push((worth.value(), candidates[place].clone(), answer.prediction.clone()));
            }
            if !worth.is_flip || !self.is_right {
                continue;
            }
            let is_better = self.success.as_ref().is_none_or(|success| worth.value() < success.worth.value());
            if !is_better {
                continue;
            }
            let candidate = candidates[place].clone();
            let is_over = match self.validate(&candidate) {
                Check::Valid(_) if !self.is_confirmed(&candidate)? => false,
                Check::Valid(verdicts) => {
                    self.success = Some(Success { candidate, prediction: answer.prediction, worth, verdicts });
                    true
                }
                Check::NotJudged { .. } if self.not_judged.is_none() && !self.is_confirmed(&candidate)? => false,
                Check::NotJudged { verdicts, reason, is_of_target } => {
                    let found = Success { candidate, prediction: answer.prediction, worth, verdicts };
                    self.not_judged.get_or_insert((found, reason));
                    is_of_target
                }
                Check::Invalid => false,
            };
            if is_over && !self.surroundings.settings.exhausts_budget {
                return Err(Stop::Found);
            }
        }
        match end {
            Some(stop) => Err(stop),
            None => Ok(beliefs),
        }
    }

    /// The model's confidence in the truth for one candidate, see [`Victim::judge`].
    pub fn judge_one(&mut self, candidate: &Candidate) -> Result<Option<f32>, Stop> {
        Ok(self.judge(std::slice::from_ref(candidate))?[0])
    }

    /// The model's confidence in the truth for inputs that are not candidates, such as programs with a masked name:
    /// they cost queries, and are never successes.
    pub fn probe(&mut self, inputs: Vec<Input>) -> Result<Vec<Option<f32>>, Stop> {
        let (answers, end) = self.ask(inputs)?;
        match end {
            Some(stop) => Err(stop),
            None => {
                let belief = |answer: Option<Answer>| Some(self.worth(&answer?.prediction).belief);
                Ok(answers.into_iter().map(belief).collect())
            }
        }
    }

    /// The gradient of the loss for the truth with respect to the tokens of a candidate; it costs one query. `None` if
    /// the model has no gradients. Only classes have a loss; measures of names, texts and vectors have none.
    pub fn gradients(&mut self, candidate: &Candidate) -> Result<Option<Gradients>, Stop> {
        let (Truth::Class(class), None) = (&self.target.truth, self.goal()) else { return Ok(None) };
        self.check_time()?;
        if self.left() == 0 {
            return Err(Stop::Queries);
        }
        let start = Instant::now();
        let gradients = self.seat.model().gradients(&candidate.input(), *class);
        let seconds = start.elapsed().as_secs_f64();
        self.waited += seconds;
        self.model_seconds += seconds;
        self.queries += usize::from(gradients.is_some());
        match gradients.transpose() {
            Ok(gradients) => Ok(gradients),
            Err(fault) => {
                self.count_fault(fault)?;
                Ok(None)
            }
        }
    }

    /// Unit vectors of some inputs from the encoder of the material; `None` where it has none. They cost time but no
    /// queries: a vector says nothing about the truth.
    pub fn embed(&mut self, inputs: &[Input]) -> Result<Vec<Option<Vec<f32>>>, Stop> {
        self.check_time()?;
        let start = Instant::now();
        let vectors = self.surroundings.material.encoder.vectors(self.seat.model(), inputs);
        let seconds = start.elapsed().as_secs_f64();
        self.waited += seconds;
        self.model_seconds += seconds;
        let Some(vectors) = vectors else {
            return Err(Stop::Missing(
                "the model has no encoder: gather the references with another encoder".to_owned(),
            ));
        };
        let mut found = Vec::with_capacity(vectors.len());
        for vector in vectors {
            match vector {
                Ok(vector) => found.push(Some(vector)),
                Err(fault) => {
                    self.count_fault(fault)?;
                    found.push(None);
                }
            }
        }
        Ok(found)
    }

    /// The mutation scores of candidates that were judged: the fraction of mutants that give a different label from the
    /// model itself. `None` where the model or all mutants have no answer. Queries to mutants are counted separately
    /// from those to the model, and no budget limits them.
    pub fn mutation_scores(&mut self, candidates: &[Candidate]) -> Result<Vec<Option<f64>>, Stop> {
        let mutants = &self.surroundings.material.mutants;
        if mutants.is_empty() {
            return Err(Stop::Missing("no mutants of the model were given".to_owned()));
        }
        let inputs: Vec<Input> = candidates.iter().map(Candidate::input).collect();
        let own: Vec<Option<Prediction>> =
            inputs.iter().map(|input| self.asked.get(input).map(|answer| answer.prediction.clone())).collect();
        let mut counts = vec![(0usize, 0usize); inputs.len()];
        for mutant in mutants {
            self.check_time()?;
            let start = Instant::now();
            let answers = mutant.predict(&inputs);
            let seconds = start.elapsed().as_secs_f64();
            self.waited += seconds;
            self.model_seconds += seconds;
            self.mutant_queries += inputs.len();
            for ((answer, own), (changed, answered)) in answers.iter().zip(&own).zip(&mut counts) {
                // A mutant without an answer says nothing about the candidate.
                if let (Ok(answer), Some(own)) = (answer, own) {
                    *answered += 1;
                    *changed += usize::from(!answer.prediction.agrees(own));
                }
            }
        }
        let score = |(changed, answered): (usize, usize)| (answered > 0).then(|| changed as f64 / answered as f64);
        Ok(counts.into_iter().map(score).collect())
    }

    /// The embedding of a word in the model, see [`model::Model::word_embedding`].
    pub fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        self.seat.model().word_embedding(word)
    }

    /// The first words of the vocabulary with their embeddings in the model.
    pub fn embedded_vocabulary(&self, most: usize) -> Arc<Embedded> {
        self.material().embedded(self.seat.model(), most)
    }

    /// Queries the original. `false` if there is nothing to attack.
    fn begin(&mut self) -> Result<bool, Stop> {
        let (answers, _) = self.ask(vec![self.original.input()])?;
        let Some(answer) = answers.into_iter().next().flatten() else { return Ok(false) };
        self.before = Some(answer.prediction.clone());
        let Worth { belief, score, is_flip } = self.worth(&answer.prediction);
        self.belief = Some((belief, belief));
        self.score = score.map(|score| (score, score));
        self.is_right = match (self.goal(), score) {
            (Some(goal), Some(score)) => goal.is_possible(score),
            _ => !is_flip,
        };
        Ok(self.is_right || self.surroundings.settings.rewrites_all)
    }

    /// Is the lowest form recorded where there is no success?
    fn is_lowest_wanted(&self) -> bool {
        self.goal().is_some() || self.surroundings.settings.rewrites_all
    }

    /// The lowest form that passes the checks, and the prediction for it.
    fn lowest_valid(&mut self) -> Option<(Candidate, Prediction)> {
        let rejected = self.rejected.len();
        while let Some((_, candidate, prediction)) = self.lows.pop() {
            if let Check::Valid(_) = self.validate(&candidate) {
                self.rejected.truncate(rejected);
                return Some((candidate, prediction));
            }
        }
        self.rejected.truncate(rejected);
        None
    }

    /// What an answer that fits is worth. The first is that about the original.
    fn worth(&self, prediction: &Prediction) -> Worth {
        let truth = &self.target.truth;
        let Some(goal) = self.goal() else {
            return Worth { belief: belief(prediction, truth), score: None, is_flip: !is_right(prediction, truth) };
        };
        let before = self.before.as_ref().unwrap_or(prediction);
        let score = goal.measure.score(truth, before, prediction);
        let guide = goal.measure.guide(truth, before, prediction);
        let original = self.score.map(|(original, _)| original);
        let is_flip = original.zip(score).is_some_and(|(original, score)| goal.is_reached(original, score));
        Worth { belief: guide.unwrap_or(1.0) as f32, score, is_flip }
    }

    /// An answer that says nothing about the truth, that has no score or that contains NaN is a fault.
    fn fit(&self, answer: Answer) -> Result<Answer, Fault> {
        let Some(Goal { measure, .. }) = self.goal() else { return fit(answer, &self.target.truth) };
        let before = self.before.as_ref().unwrap_or(&answer.prediction);
        match (&answer.prediction, measure) {
            (Prediction::Embedding(vector), _) if vector.iter().any(|number| !number.is_finite()) => {
                Err(Fault::NotFinite)
            }
            (Prediction::Names(names), _) if names.iter().any(|(_, certainty)| !certainty.is_finite()) => {
                Err(Fault::NotFinite)
            }
            (Prediction::Embedding(_), Measure::Cosine) | (Prediction::Names(_) | Prediction::Text(_), _)
                if measure.score(&self.target.truth, before, &answer.prediction).is_some() =>
            {
                Ok(answer)
            }
            (prediction, _) => {
                let given = match prediction {
                    Prediction::Classes(_) => "classes",
                    Prediction::Names(_) => "names",
                    Prediction::Text(_) => "a text",
                    Prediction::Embedding(_) => "a vector",
                };
                Err(Fault::WrongShape(format!("{given} without a {measure}, the measure that decides")))
            }
        }
    }

    /// The answers to some inputs, as far as the budget goes, and why there are no more.
    fn ask(&mut self, inputs: Vec<Input>) -> Result<(Vec<Option<Answer>>, Option<Stop>), Stop> {
        self.check_time()?;
        let mut new: Vec<Input> = Vec::new();
        let mut end = None;
        let mut asked = inputs.len();
        for (place, input) in inputs.iter().enumerate() {
            if self.asked.contains_key(input) || new.contains(input) {
                self.cached += usize::from(!self.is_shrinking);
                continue;
            }
            if !self.is_shrinking && new.len() >= self.left() {
                (end, asked) = (Some(Stop::Queries), place);
                break;
            }
            new.push(input.clone());
        }
        match self.is_shrinking {
            true => self.shrink_queries += new.len(),
            false => self.queries += new.len(),
        }
        let start = Instant::now();
        let (answers, model_seconds) = self.seat.ask(new.clone());
        self.waited += start.elapsed().as_secs_f64();
        self.model_seconds += model_seconds;
        let mut problem = None;
        for (input, answer) in new.into_iter().zip(answers) {
            match answer.and_then(|answer| self.fit(answer)) {
                Ok(answer) => {
                    self.asked.insert(input, answer);
                }
                Err(fault) => problem = self.count_fault(fault).err(),
            }
        }
        match problem {
            Some(stop) => Err(stop),
            None => Ok((inputs[..asked].iter().map(|input| self.asked.get(input).cloned()).collect(), end)),
        }
    }

    fn count_fault(&mut self, fault: Fault) -> Result<(), Stop> {
        self.faults += 1;
        // Without an answer about the original there is nothing to go on with.
        if self.faults >= MOST_FAULTS || self.before.is_none() { Err(Stop::Fault(fault)) } else { Ok(()) }
    }

    /// Checks the time limit and interruption; every query does so as well.
    pub fn check_time(&self) -> Result<(), Stop> {
        if self.surroundings.stop.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        match self.surroundings.settings.time {
            Some(time) if self.start.elapsed() > time && !self.is_shrinking => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Checks a flip. One that is not valid is recorded.
    fn validate(&mut self, candidate: &Candidate) -> Check {
        let wanted = match self.checks_lightly {
            true => Wanted { scope: true, compile: false, run: false },
            false => self.surroundings.settings.wanted,
        };
        let mut all = Vec::new();
        let mut doubt = None;
        for part in self.parts.clone() {
            let steps = candidate.steps(part);
            if steps.is_empty() {
                continue;
            }
            let verdicts = self.surroundings.judge.judge(
                &Comparison {
                    language: candidate.program(part).language(),
                    original: self.original.program(part).bytes(),
                    variant: candidate.program(part).bytes(),
                    steps: &steps,
                    cases: &self.target.cases,
                },
                wanted,
            );
            let in_words =
                |(check, verdict): (&str, &Verdict)| format!("{check}: {}", verdict.reason().unwrap_or("fails"));
            if let Some(fault) = verdicts.all().into_iter().find(|(_, verdict)| verdict.is_fault()) {
                let moves = if self.rejected.len() < MOST_REJECTED { candidate.moves().to_vec() } else { Vec::new() };
                self.rejected.push(Rejected { moves, reason: in_words(fault) });
                return Check::Invalid;
            }
            // What was requested and not judged is no success: nobody knows whether both programs are the same.
            let requested = [
                (wanted.scope, ("scope", &verdicts.scope)),
                (wanted.compile, ("compile", &verdicts.compile)),
                (wanted.run, ("run", &verdicts.run)),
            ];
            let unknown = requested.into_iter().find(|(wanted, (_, verdict))| *wanted && **verdict != Verdict::Holds);
            if let Some((_, unknown)) = unknown {
                let is_of_target = unknown.0 == "compile" || wanted.run && self.target.cases.is_empty();
                doubt.get_or_insert((in_words(unknown), is_of_target));
            }
            all.push(verdicts);
        }
        match doubt {
            None => Check::Valid(all),
            Some((reason, is_of_target)) => Check::NotJudged { verdicts: all, reason, is_of_target },
        }
    }

    /// Does the model repeat a flip: is it right about the original and wrong about the variant every time? These queries bypass
    /// all caches and are counted separately.
    fn is_confirmed(&mut self, candidate: &Candidate) -> Result<bool, Stop> {
        for _ in 0..self.surroundings.settings.confirmations {
            self.check_time()?;
            self.confirm_queries += 2;
            let start = Instant::now();
            let answers = self.seat.ask_again(&[self.original.input(), candidate.input()]);
            let seconds = start.elapsed().as_secs_f64();
            self.waited += seconds;
            self.model_seconds += seconds;
            for (answer, is_expected_right) in answers.into_iter().zip([true, false]) {
                match answer.and_then(|answer| self.fit(answer)) {
                    Ok(answer) if self.worth(&answer.prediction).is_flip != is_expected_right => (),
                    Ok(_) => {
                        self.unconfirmed += 1;
                        return Ok(false);
                    }
                    Err(fault) => {
                        self.count_fault(fault)?;
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Is this variant an adversarial example as well? The queries of shrinking are counted separately.
    pub(crate) fn still_flips(&mut self, candidate: &Candidate) -> Result<bool, Stop> {
        // Two rewrites may change less together than one of them alone.
        if !self.allows(candidate) {
            return Ok(false);
        }
        let (answers, _) = self.ask(vec![candidate.input()])?;
        let Some(answer) = answers.into_iter().next().flatten() else { return Ok(false) };
        let worth = self.worth(&answer.prediction);
        if !worth.is_flip {
            return Ok(false);
        }
        let Check::Valid(verdicts) = self.validate(candidate) else { return Ok(false) };
        if !self.is_confirmed(candidate)? {
            return Ok(false);
        }
        self.success = Some(Success { candidate: candidate.clone(), prediction: answer.prediction, worth, verdicts });
        Ok(true)
    }

    /// Shrinks a success. Intermediate variants are only parsed and resolved, because compiling and running each of
    /// dozens of variants takes minutes; the smallest is checked as the success was. If it does not pass, every variant
    /// is checked.
    fn make_small(&mut self, success: Success) -> Result<(), Stop> {
        let original = self.original.clone();
        let wanted = self.surroundings.settings.wanted;
        if wanted.compile || wanted.run {
            self.checks_lightly = true;
            let end = shrink(self, &original, &success.candidate);
            self.checks_lightly = false;
            if end == Err(Stop::Interrupted) {
                return end;
            }
            if let Some(small) = self.success.take()
                && let Check::Valid(verdicts) = self.validate(&small.candidate)
            {
                self.success = Some(Success { verdicts, ..small });
                return end;
            }
            self.success = Some(success.clone());
        }
        shrink(self, &original, &success.candidate)
    }

    fn finish(mut self, end: Result<(), Stop>) -> Option<Finding> {
        if end == Err(Stop::Interrupted) {
            return None;
        }
        let mut reason = match &end {
            Ok(()) | Err(Stop::Found | Stop::Interrupted) => None,
            Err(Stop::Queries) => Some("out of queries".to_owned()),
            Err(Stop::Time) => Some("out of time".to_owned()),
            Err(Stop::Fault(fault)) => Some(fault.to_string()),
            Err(Stop::Missing(what)) => Some(what.clone()),
        };
        if let Some(success) = &self.success {
            self.moves_before_shrinking = success.candidate.moves().len();
            reason = None;
            if self.surroundings.settings.shrinks {
                self.is_shrinking = true;
                let success = success.clone();
                match self.make_small(success) {
                    Ok(()) => (),
                    Err(Stop::Interrupted) => return None,
                    Err(_) => reason = Some("shrinking was not finished".to_owned()),
                }
            }
        }
        let is_right = self.is_right;
        let outcome = match &end {
            _ if self.success.is_some() => Outcome::Success,
            _ if self.not_judged.is_some() => Outcome::NotJudged,
            Err(Stop::Fault(_) | Stop::Missing(_)) => Outcome::Fault,
            _ if self.before.is_none() => Outcome::Fault,
            _ if !is_right => Outcome::Misclassified,
            _ if !self.rejected.is_empty() => Outcome::Invalid,
            // An attack that ran out of queries before it made a candidate has failed: there may be something to change.
            // So has one whose candidates all changed too much, which another attack may do with less.
            _ if !self.has_tried && self.refused == 0 && end.is_ok() => Outcome::NoSite,
            _ => Outcome::Failed,
        };
        if outcome == Outcome::Failed && self.unconfirmed > 0 {
            let flips = if self.unconfirmed == 1 { "flip" } else { "flips" };
            reason = Some(format!("{} {flips} not confirmed when the model was queried again", self.unconfirmed));
        }
        if outcome == Outcome::Failed && !self.has_tried && self.refused > 0 && reason.is_none() {
            reason = Some(format!("all {} candidates changed more than is allowed", self.refused));
        }
        let (form, left) = match &self.success {
            Some(success) => (None, self.is_lowest_wanted().then(|| success.prediction.clone())),
            None => self.lowest_valid().unzip(),
        };
        let form = form.filter(|_| self.surroundings.settings.rewrites_all);
        let seconds = self.start.elapsed().as_secs_f64() - self.waited + self.model_seconds;
        if self.success.is_none()
            && let Some((found, doubt)) = self.not_judged
        {
            reason = Some(doubt);
            self.success = Some(found);
        }
        let of_example = self.success.as_ref().and_then(|success| success.worth.score);
        let score = self.score.map(|(before, lowest)| Scored { before, lowest, after: of_example });
        let (example, after, verdicts) = match self.success {
            Some(success) => (Some(success.candidate), Some(success.prediction), success.verdicts),
            None => (None, None, Vec::new()),
        };
        let quality = example
            .as_ref()
            .map(|example| quality(&self.original, example, &self.surroundings.settings.selections, &self.parts));
        Some(Finding {
            outcome,
            reason,
            before: self.before,
            after,
            belief: self.belief.filter(|_| is_right),
            score,
            left,
            form,
            example,
            verdicts,
            quality,
            rejected: self.rejected,
            refused: self.refused,
            queries: self.queries,
            cached: self.cached,
            mutant_queries: self.mutant_queries,
            shrink_queries: self.shrink_queries,
            moves_before_shrinking: self.moves_before_shrinking,
            confirm_queries: self.confirm_queries,
            unconfirmed: self.unconfirmed,
            faults: self.faults,
            seconds,
        })
    }
}

/// The confidence of a prediction in the truth.
pub fn belief(prediction: &Prediction, truth: &Truth) -> f32 {
    match (prediction, truth) {
        (Prediction::Classes(classes), Truth::Class(class)) => classes.get(*class).copied().unwrap_or(0.0),
        (Prediction::Names(names), Truth::Name(name)) => {
            names.iter().find(|(known, _)| known == name).map_or(0.0, |(_, certainty)| *certainty)
        }
        (Prediction::Text(text), Truth::Name(name)) => f32::from(u8::from(text.trim() == name)),
        _ => 0.0,
    }
}

/// Is a prediction correct?
pub fn is_right(prediction: &Prediction, truth: &Truth) -> bool {
    match (prediction, truth) {
        (Prediction::Classes(_), Truth::Class(class)) => prediction.class() == Some(*class),
        (Prediction::Names(names), Truth::Name(name)) => names.first().is_some_and(|(first, _)| first == name),
        (Prediction::Text(text), Truth::Name(name)) => text.trim() == name,
        _ => false,
    }
}

/// An answer that says nothing about the truth, or contains NaN, is a fault.
fn fit(answer: Answer, truth: &Truth) -> Result<Answer, Fault> {
    match (&answer.prediction, truth) {
        (Prediction::Classes(classes), Truth::Class(class)) => {
            if classes.iter().any(|probability| !probability.is_finite()) {
                return Err(Fault::NotFinite);
            }
            match classes.len() > *class {
                true => Ok(answer),
                false => Err(Fault::WrongShape(format!("{} classes, but the truth is {class}", classes.len()))),
            }
        }
        (Prediction::Names(_) | Prediction::Text(_), Truth::Name(_)) => Ok(answer),
        (_, Truth::Text(_) | Truth::Unknown) => {
            Err(Fault::WrongShape("no answer that is right or wrong without a measure".to_owned()))
        }
        (_, Truth::Class(_)) => Err(Fault::WrongShape("no classes".to_owned())),
        (_, Truth::Name(_)) => Err(Fault::WrongShape("no names".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use model::Code;
    use syntax::Language;

    use super::*;
    use crate::references::Gathering;
    use crate::testing::{Answers, Toy, WEIGHTS, attack_with, caption, material, settings, target, words_of};

    #[test]
    fn a_flip_that_was_to_be_run_and_could_not_be_judged_is_no_success() {
        let settings = AttackSettings { wanted: Wanted::all(), ..settings() };
        // A function that nothing calls cannot be run, with a compiler or without one.
        let mut target = target("int f(int buffer) { return buffer; }", &[("buffer", &["data"])]);
        for cases in [vec![], vec![Case::default()]] {
            target.cases = cases;
            let found = attack_with(&Toy::new(), "alert", &target, &settings, &material());
            assert_eq!(found.outcome, Outcome::NotJudged);
            let reason = found.reason.unwrap();
            assert!(reason.starts_with("run: ") || reason.starts_with("compile: "), "{reason}");
            assert!(found.example.is_some());
            assert!(found.rejected.is_empty());
        }
    }

    #[test]
    fn no_attack_changes_more_than_is_allowed() {
        let text = "int f(int *buffer, int size) { int index = 0; for (int i = 0; i < size; i++) { index += buffer[i]; } \
                    while (index > 3) { index = index - 1; } return index; }";
        let (mut successes, mut refused) = (0, 0);
        for (most_names, most_tokens) in [(Some(0.5), None), (None, Some(0.1)), (Some(0.3), Some(0.2))] {
            for attack in crate::attacks::all() {
                let settings = AttackSettings {
                    most_names,
                    most_tokens,
                    budget: 150,
                    exhausts_budget: true,
                    shrinks: true,
                    ..settings()
                };
                let found = attack_with(&Toy::new(), &attack.name, &target(text, &[]), &settings, &material());
                refused += found.refused;
                let Some(quality) = found.quality else { continue };
                successes += 1;
                let keeps = |share: Option<f64>, changed: usize, all: usize| {
                    share.is_none_or(|share| changed as f64 <= share * all as f64)
                };
                let is_kept = keeps(most_names, quality.renamed, quality.identifiers)
                    && keeps(most_tokens, quality.changed_tokens, quality.tokens);
                assert!(is_kept, "{} {quality:?}", attack.name);
            }
        }
        assert!(successes > 9 && refused > 50, "{successes} {refused}");
    }

    const TEXT: &str = "int f(int size, int total, int index, int buffer) { return size + total + index + buffer; }";

    fn with(goal: Goal) -> AttackSettings {
        AttackSettings { goal: Some(goal), ..settings() }
    }

    fn goal(measure: Measure, below: Option<f64>, fall: Option<f64>) -> Goal {
        Goal { measure, below, fall }
    }

    /// The more suspicious a program is, the surer is the name.
    fn named(text: &str) -> Prediction {
        let known = words_of(text).iter().filter(|word| WEIGHTS.iter().any(|(known, _)| known == *word)).count();
        let sure = known as f32 / 10.0;
        let mut names = vec![("getBuffer".to_owned(), sure), ("run".to_owned(), 0.5), ("getTotal".to_owned(), 0.1)];
        names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        Prediction::Names(names)
    }

    fn name_target() -> Target {
        let lists: &[(&str, &[&str])] = &[("size", &["a"]), ("total", &["b"]), ("index", &["c"]), ("buffer", &["d"])];
        Target { truth: Truth::Name("getBuffer".to_owned()), ..target(TEXT, lists) }
    }

    #[test]
    fn names_fall_along_the_certainties() {
        for measure in [Measure::F1, Measure::Mrr, Measure::EditDistance] {
            let settings = with(goal(measure, None, Some(0.5)));
            let found = attack_with(&Answers::of(named), "alert", &name_target(), &settings, &material());
            assert_eq!(found.outcome, Outcome::Success, "{measure}: {:?}", found.reason);
            // One rename leaves the first name as it was: only the certainties led to the second.
            let score = found.score.unwrap();
            assert_eq!((score.before, score.after), (1.0, Some(score.lowest)), "{measure}");
            assert!(score.lowest <= 0.5 && found.example.unwrap().moves().len() >= 2, "{measure}");
            let (before, lowest) = found.belief.unwrap();
            assert!(lowest < before);
        }
        // Without a measure nothing has changed: the first name decides.
        let found = attack_with(&Answers::of(named), "alert", &name_target(), &settings(), &material());
        assert_eq!((found.outcome, found.score), (Outcome::Success, None));
        assert_eq!(found.belief.unwrap().0, 0.8);
    }

    #[test]
    fn originals_that_are_too_low_are_not_attacked() {
        let caption_target = |truth: &str| Target { truth: Truth::Text(truth.to_owned()), ..target(TEXT, &[]) };
        let whole = "int f int size int total int index int buffer return size";
        let check = |truth: &str, goal: Goal| {
            let found = attack_with(&Answers::of(caption), "beam", &caption_target(truth), &with(goal), &material());
            (found.outcome, found.queries, found.score.unwrap())
        };
        let (outcome, queries, score) = check("something else", goal(Measure::Bleu, Some(0.2), None));
        assert_eq!((outcome, queries), (Outcome::Misclassified, 1));
        assert!(score.before < 0.2 && score.after.is_none());
        let (outcome, queries, _) = check("f of size", goal(Measure::RougeL, None, Some(0.5)));
        assert_eq!((outcome, queries), (Outcome::Misclassified, 1));
        // Both conditions are needed.
        let (outcome, _, score) = check(whole, goal(Measure::RougeL, Some(0.9), Some(0.4)));
        assert_eq!(outcome, Outcome::Success);
        assert!(score.after.unwrap() <= 0.6, "{score:?}");
    }

    #[test]
    fn vectors_are_turned_away_from_that_of_the_original() {
        fn vector(text: &str) -> Prediction {
            let mut counts = vec![0.0; 64];
            words_of(text).iter().for_each(|word| counts[seed_of(&[word.as_bytes()]) as usize % 64] += 1.0);
            Prediction::Embedding(counts)
        }
        let target = Target { truth: Truth::Unknown, ..target(TEXT, &[]) };
        let settings = AttackSettings { shrinks: true, ..with(goal(Measure::Cosine, Some(0.9), None)) };
        let found = attack_with(&Answers::of(vector), "beam", &target, &settings, &material());
        assert_eq!(found.outcome, Outcome::Success, "{:?}", found.reason);
        let score = found.score.unwrap();
        assert!(score.before > 0.999_999 && score.after.unwrap() < 0.9 && score.lowest <= score.after.unwrap());
        let (Some(Prediction::Embedding(before)), Some(Prediction::Embedding(after))) = (found.before, found.after)
        else {
            panic!("both are vectors");
        };
        let cosine = measure::metrics::cosine_similarity(&before, &after);
        assert_eq!(cosine, score.after);
    }

    #[test]
    fn answers_that_the_measure_says_nothing_about_are_faults() {
        let settings = with(goal(Measure::Bleu, Some(0.2), None));
        let texts = Target { truth: Truth::Text("returns".to_owned()), ..target(TEXT, &[]) };
        let found = attack_with(&Toy::new(), "beam", &texts, &settings, &material());
        assert_eq!(found.outcome, Outcome::Fault);
        assert!(found.reason.unwrap().contains("classes without a bleu, the measure that decides"));
        let without = attack_with(&Answers::of(caption), "beam", &texts, &crate::testing::settings(), &material());
        assert_eq!(without.outcome, Outcome::Fault);
        let nan: fn(&str) -> Prediction = |_| Prediction::Embedding(vec![f32::NAN]);
        let settings = with(goal(Measure::Cosine, Some(0.2), None));
        let found = attack_with(&Answers::of(nan), "beam", &texts, &settings, &material());
        assert!(found.reason.unwrap().contains("non-finite"));
    }

    #[test]
    fn the_lowest_form_is_left_where_there_is_no_success() {
        let whole = "int f int size int total int index int buffer return size";
        let target = |truth: &str| Target { truth: Truth::Text(truth.to_owned()), ..target(TEXT, &[]) };
        let left = |name: &str, truth: &str, settings: &AttackSettings| {
            let found = attack_with(&Answers::of(caption), name, &target(truth), settings, &material());
            (found.outcome, found.left.is_some(), found.queries, found.score.unwrap(), found.left)
        };
        let hard = AttackSettings { budget: 40, ..with(goal(Measure::Bleu, Some(1e-9), None)) };
        let (outcome, is_left, _, score, form) = left("beam", whole, &hard);
        assert_eq!((outcome, is_left), (Outcome::Failed, true));
        let score_of = |form: Option<Prediction>| {
            let before = caption(TEXT);
            Measure::Bleu.score(&Truth::Text(whole.to_owned()), &before, &form.unwrap()).unwrap()
        };
        assert!(score.lowest < 1.0 && score_of(form) == score.lowest);
        // What is too low is rewritten only on request, and never a success.
        let all = AttackSettings { rewrites_all: true, ..hard.clone() };
        let low = AttackSettings { goal: Some(goal(Measure::Bleu, Some(0.5), None)), ..all.clone() };
        let (outcome, is_left, queries, ..) = left("random-once", "something else", &low);
        assert_eq!((outcome, is_left, queries), (Outcome::Misclassified, true, 2));
        let (outcome, is_left, queries, ..) =
            left("random-once", "else", &AttackSettings { rewrites_all: false, ..low });
        assert_eq!((outcome, is_left, queries), (Outcome::Misclassified, false, 1));
        // The same for classes, where records without the request are as they were.
        let calm = "int f(int item) { return item; }";
        let classes = |rewrites_all| {
            let settings = AttackSettings { rewrites_all, ..settings() };
            let found =
                attack_with(&Toy::new(), "random-once", &crate::testing::target(calm, &[]), &settings, &material());
            (found.outcome, found.left.is_some(), found.queries)
        };
        assert_eq!(classes(true), (Outcome::Misclassified, true, 2));
        assert_eq!(classes(false), (Outcome::Misclassified, false, 1));
    }

    /// Every attack of the catalogue breaks a model that answers with texts, or says why it cannot.
    #[test]
    fn every_attack_works_with_a_score() {
        let text = "int f(int size, int total, int buffer) {\n    while (size > total) { size = size - buffer; }\n    return size;\n}\n";
        let Prediction::Text(truth) = caption(text) else { panic!("it is a text") };
        let truth = Truth::Text(truth);
        let goal = goal(Measure::Bleu, None, Some(0.01));
        let model = Answers::of(caption);
        let example = |text: &str| Input::Code(Code { language: Language::C, text: text.to_owned() });
        let others = [
            "int g(int cursor, int item) { for (; item;) { item--; } return cursor; }",
            "int h(int node) { int result = node; return result; }",
        ];
        // The last has the truth of the target, and is no reference.
        let training: Vec<(Input, usize)> =
            [others[0], others[1], text].iter().enumerate().map(|(number, text)| (example(text), number)).collect();
        let caption_of = |text: &&str| match caption(text) {
            Prediction::Text(text) => Truth::Text(text),
            _ => Truth::Unknown,
        };
        let truths: Vec<Truth> = [others[0], others[1], text].iter().map(caption_of).collect();
        let how = Gathering { most: 9, seed: 7, batch: 64, goal: Some((goal, &truths)), ..Gathering::default() };
        let (gathered, counts) = Material::gather(&model, &training, &how);
        assert_eq!((gathered.references.len(), counts.wrong, counts.faults), (3, 0, 0));
        let mutant: fn(&str) -> Prediction = |text| Prediction::Text(words_of(text).into_iter().take(4).collect());
        let mutants: Vec<Box<dyn model::Model>> = vec![Box::new(Answers::of(caption)), Box::new(Answers::of(mutant))];
        let material = Material { mutants, ..gathered };
        let lists: &[(&str, &[&str])] = &[("size", &["data"]), ("total", &["sum"])];
        let target = Target { truth, ..target(text, lists) };
        for attack in crate::attacks::all() {
            let mut settings = AttackSettings { shrinks: true, ..with(goal) };
            if attack.name == "random-once" || attack.name == "random-k" {
                settings.selections.retain(|selection| selection.transformation.class == transformation::Class::Naming);
            }
            let found = attack_with(&model, &attack.name, &target, &settings, &material);
            assert_eq!(found.outcome, Outcome::Success, "{}: {:?}", attack.name, found.reason);
            let score = found.score.unwrap();
            assert!(score.before == 1.0 && score.after.unwrap() <= 0.99, "{}: {score:?}", attack.name);
            assert!(matches!(found.after, Some(Prediction::Text(_))), "{}", attack.name);
        }
        let parameters = [("form".to_owned(), "gradient".to_owned())].into();
        let found = attack_with(&model, "carrot-i", &target, &AttackSettings { parameters, ..with(goal) }, &material);
        assert_eq!(found.outcome, Outcome::Fault);
        assert!(found.reason.unwrap().contains("carrot-i has gradients of classes only"));
        let alone = Material { references: Vec::new(), ..material };
        let found = attack_with(&model, "coda", &target, &with(goal), &alone);
        assert!(found.reason.unwrap().contains("no training input with another truth"));
    }
}
