//! Which shape should a student have? Searches in the styles of Compressor, AVATAR and MORPH, with their costs recorded.
//!
//! Compressor trains nothing. AVATAR and MORPH learn from shapes that are trained shortly, which they share: those are drawn far from each other,
//! learn from the labels or from a teacher, and are judged on a validation set and on a variant of each of its programs. Beyond the papers, the
//! shape that a style would choose is trained too, and its search is repeated with the new evaluation until the choice is a trained shape, because a choice
//! by the surrogate alone is often wrong. All of it is determined by the seed, but for the latency, which is measured once and read from then on.
//!
//! The folder of a run:
//!
//! - `plan.json`: what was searched. Another plan is refused.
//! - `teacher.jsonl`: the answers of the teacher.
//! - `trained/`: the shape that is trained now, which is removed when it is judged.
//! - `evaluations.jsonl`: a line for each shape that was trained, an [`Evaluation`], written when it is complete. What is there is not done again.
//! - `latencies.jsonl`: a line for each shape with its milliseconds, a [`Latency`].
//! - `STYLE.options`: the options of `train` and `distil` that make the shape which a style chose.
//! - `summary.json`: a [`Summary`], for programs and the report: for each style its front, a list of [`Member`]s. A picture of it has
//!   `cost.bytes`, `cost.flops` or `milliseconds` on one axis and `accuracy` on the other, with what was measured set off from what was guessed.
//!   Of Compressor, which has no front, it is the ten fittest shapes; of a long front some two dozen, in even steps of its sizes.

mod avatar;
mod compressor;
mod evaluation;
mod morph;
mod pareto;
mod space;
mod surrogate;

use std::path::Path;

use measure::{Cell, Table};
use random::{Random, seed_of};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::data::{DataError, write_file};
use crate::plan::PlanError;
use crate::train::encoder::EncoderPlan;
use crate::work::{Event, STOPPED, Watcher, WorkError};
pub use evaluation::{Evaluation, Latency};
use evaluation::{Evaluator, latency};
use space::Space;
pub use space::{Answers, Candidate, Cost, Given};
use surrogate::{Surrogate, boosted, boosted_share, left_out_error, ridge};

/// What is searched.
#[derive(Clone, Debug)]
pub struct ShapesPlan {
    pub styles: Vec<Style>,
    /// The most bytes of a student's weights, and the bits of each weight.
    pub bytes: u64,
    pub bits: usize,
    /// Numbers of the shape that are given.
    pub given: Given,
    pub seed: u64,
    /// How shapes are trained and judged, which all styles but Compressor need.
    pub trial: Option<TrialPlan>,
}

/// How shapes are trained shortly, and judged.
#[derive(Clone, Debug)]
pub struct TrialPlan {
    /// What they are distilled from, as KIND:WHERE; by default they learn from the labels.
    pub teacher: Option<String>,
    /// How they learn. Its validation is what they are judged on, its variants are those that predictions flip on, and its base says how texts are read.
    pub student: EncoderPlan,
    /// How many shapes are trained before a style searches.
    pub shapes: usize,
    /// The most choices of a style that are trained, after each of which it searches again.
    pub finalists: usize,
    /// On how many examples of the validation they are judged.
    pub judged: usize,
}

/// How a shape is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    Compressor,
    Avatar,
    Morph,
}

impl Style {
    /// Every style.
    pub const ALL: [Style; 3] = [Style::Compressor, Style::Avatar, Style::Morph];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Style::Compressor => "compressor",
            Style::Avatar => "avatar",
            Style::Morph => "morph",
        }
    }

    fn needs_trials(self) -> bool {
        match self {
            Style::Compressor => false,
            Style::Avatar | Style::Morph => true,
        }
    }
}

/// What a shape may cost, and how that is counted.
#[derive(Clone, Copy)]
struct Limits {
    bytes: u64,
    bits: usize,
    answers: Answers,
    seed: u64,
}

impl Limits {
    fn cost(&self, candidate: &Candidate) -> Cost {
        candidate.cost(self.answers, self.bits)
    }
}

/// What all styles found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    pub bytes: u64,
    pub bits: usize,
    pub styles: Vec<Found>,
    /// The shapes that were trained.
    pub evaluations: Vec<Evaluation>,
    /// How far the surrogates are off on a shape that was left out, on average: AVATAR's of the accuracy, MORPH's of it and of the share of flips.
    pub errors: Option<[f64; 3]>,
}

/// What a style found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Found {
    pub style: Style,
    /// The shape that it chose.
    pub chosen: Candidate,
    /// In the order of their sizes; of Compressor, in that of their fitness.
    pub front: Vec<Member>,
}

/// A shape of a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Member {
    pub shape: Candidate,
    pub cost: Cost,
    /// What the surrogates guess, or what was measured where the shape was trained; none in Compressor's style.
    pub accuracy: Option<f64>,
    pub flips: Option<f64>,
    pub is_measured: bool,
    /// Of one input at its full length, on this processor.
    pub milliseconds: f64,
}

/// How many shapes of a front are kept, beside the one that was chosen: all are measured.
const SHOWN: usize = 24;

/// How many shapes of Compressor's last population are kept.
const FITTEST: usize = 10;

/// Searches, or finishes what was begun in the folder.
///
/// ```
/// use campaign::shapes::{Given, ShapesPlan, Style, run};
///
/// let given = Given { limit: Some(64), layers: Some(2), ..Given::default() };
/// let plan = ShapesPlan { styles: vec![Style::Compressor], bytes: 300_000, bits: 16, given, seed: 0, trial: None };
/// let folder = std::env::temp_dir().join(format!("allotrope-shapes-{}", std::process::id()));
/// let found = run(&plan, &folder, &())?;
/// assert!(found.styles[0].front[0].cost.bytes <= 300_000);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), campaign::work::WorkError>(())
/// ```
pub fn run(plan: &ShapesPlan, output: &Path, watcher: &dyn Watcher) -> Result<Summary, WorkError> {
    plan.check()?;
    let evaluator = plan.trial.as_ref().map(|trial| Evaluator::open(trial, watcher)).transpose()?;
    let answers = evaluator.as_ref().map_or(Answers { programs: 1, classes: 2 }, Evaluator::answers);
    let limits = Limits { bytes: plan.bytes, bits: plan.bits, answers, seed: plan.seed };
    let (avatar, compressor) = (Space::of_avatar(&plan.given), Space::of_compressor(&plan.given));
    for style in &plan.styles {
        let space = if *style == Style::Compressor { &compressor } else { &avatar };
        let least = space.least(answers, plan.bits).bytes;
        if least > plan.bytes {
            let problem = format!(
                "the smallest shape that {} searches has {least} bytes, more than {}: allow more with --size, or give smaller numbers",
                style.name(),
                plan.bytes
            );
            return Err(PlanError::Unfit(problem).into());
        }
    }
    plan.keep(output)?;
    let is_tried = plan.styles.iter().any(|style| style.needs_trials());
    let mut trials = match evaluator.filter(|_| is_tried) {
        Some(evaluator) => {
            evaluator.prepare(output, watcher)?;
            Some(Trials { done: evaluation::read(output)?, evaluator, limits, output, watcher })
        }
        None => None,
    };
    let mut drawn_ones = Vec::new();
    if let Some(trials) = &mut trials {
        let drawn = drawn(&avatar, &limits, trials.evaluator.shapes());
        for (number, shape) in drawn.iter().enumerate() {
            drawn_ones.push(trials.evaluated(shape, &format!("shape {} of {}", number + 1, drawn.len()))?);
        }
    }
    let errors = Guesses::of(&drawn_ones, &limits).errors;
    let mut styles = Vec::new();
    for style in &plan.styles {
        let space = if *style == Style::Compressor { &compressor } else { &avatar };
        // What another style trains beside the drawn ones is not learned from, so that styles do not depend on each other.
        let mut known = drawn_ones.clone();
        let finalists = plan.trial.as_ref().filter(|_| style.needs_trials()).map_or(0, |trial| trial.finalists);
        let found = loop {
            if watcher.should_stop() {
                return Err(WorkError::Interrupted(STOPPED));
            }
            watcher.tell(Event::Stage("searching shapes", None));
            let front = style.front(space, &known, &limits);
            let Some(chosen) = chosen(*style, &front, plan.bytes) else { break None };
            let trained = known.len() - drawn_ones.len();
            match &mut trials {
                Some(trials) if trained < finalists && known.iter().all(|own| own.shape != chosen) => {
                    let what = format!("finalist {} of at most {finalists} of {}", trained + 1, style.name());
                    known.push(trials.evaluated(&chosen, &what)?);
                }
                _ => break Some((front, chosen)),
            }
        };
        let Some((mut front, mut chosen)) = found else { continue };
        if finalists > 0
            && let Some(best) = best_measured(&known, plan.bytes)
        {
            // What was measured is worth more than a guess.
            chosen = best.shape;
            if !front.iter().any(|own| own.shape == chosen) {
                front.push(Member::measured(best));
                front.sort_by_key(|own| own.cost.bytes);
            }
        }
        let mut front = spread(front, &chosen);
        watcher.tell(Event::Stage("measuring forward passes", Some(front.len())));
        for member in &mut front {
            if watcher.should_stop() {
                return Err(WorkError::Interrupted(STOPPED));
            }
            member.milliseconds = latency(&member.shape, answers, output)?;
            watcher.tell(Event::Steps(1));
        }
        write_file(&output.join(format!("{}.options", style.name())), format!("{}\n", chosen.options()).as_bytes())?;
        styles.push(Found { style: *style, chosen, front });
    }
    let evaluations = trials.map_or(Vec::new(), |trials| trials.done);
    let summary = Summary {
        bytes: plan.bytes,
        bits: plan.bits,
        styles,
        // Of one shape nothing is left to learn from.
        errors: Some(errors).filter(|_| drawn_ones.len() > 1),
        evaluations,
    };
    write_file(&output.join("summary.json"), format!("{:#}\n", json!(summary)).as_bytes())?;
    Ok(summary)
}

/// Trains shapes, and keeps how each was judged.
struct Trials<'w> {
    done: Vec<Evaluation>,
    evaluator: Evaluator<'w>,
    limits: Limits,
    output: &'w Path,
    watcher: &'w dyn Watcher,
}

impl Trials<'_> {
    /// The evaluation of a shape, which is trained unless an earlier run has done so.
    fn evaluated(&mut self, shape: &Candidate, what: &str) -> Result<Evaluation, WorkError> {
        let known = self.done.iter().find(|own| own.shape == *shape).cloned();
        let evaluation = match known {
            Some(known) => known,
            None => {
                self.watcher.tell(Event::Note(format!("{what}: {}", shape.options())));
                let new = self.evaluator.evaluate(shape, self.limits.cost(shape), self.output, self.watcher)?;
                self.done.push(new.clone());
                evaluation::write(self.output, &self.done)?;
                new
            }
        };
        // A kill may have left its checkpoint after it was recorded.
        evaluation::clear(shape, self.output)?;
        Ok(evaluation)
    }
}

impl Style {
    /// The front that its search finds with surrogates of these evaluations.
    fn front(self, space: &Space, known: &[Evaluation], limits: &Limits) -> Vec<Member> {
        let guesses = Guesses::of(known, limits);
        let shapes = match self {
            Style::Compressor => compressor::search(space, limits).into_iter().take(FITTEST).collect(),
            Style::Avatar => avatar::search(space, limits, &|shape| guesses.linear(shape, limits)),
            Style::Morph => morph::search(space, limits, &|shape| guesses.accuracy(shape, limits), &|shape| {
                guesses.flips(shape, limits)
            }),
        };
        let member = |shape: Candidate| {
            if let Some(own) = known.iter().find(|own| own.shape == shape) {
                return Member::measured(own);
            }
            let (accuracy, flips) = match self {
                Style::Compressor => (None, None),
                Style::Avatar => (Some(guesses.linear(&shape, limits)), None),
                Style::Morph => (Some(guesses.accuracy(&shape, limits)), Some(guesses.flips(&shape, limits))),
            };
            Member { shape, cost: limits.cost(&shape), accuracy, flips, is_measured: false, milliseconds: 0.0 }
        };
        shapes.into_iter().map(member).collect()
    }
}

impl Member {
    fn measured(own: &Evaluation) -> Member {
        Member {
            shape: own.shape,
            cost: own.cost,
            accuracy: Some(own.accuracy),
            flips: Some(own.flips),
            is_measured: true,
            milliseconds: 0.0,
        }
    }
}

/// Of a front that is longer than a table should be, the shape that was chosen and others in even steps.
fn spread(front: Vec<Member>, chosen: &Candidate) -> Vec<Member> {
    let count = front.len();
    let is_kept = |place: usize| count <= SHOWN || (place * SHOWN) / count != ((place + 1) * SHOWN) / count;
    let kept = front.into_iter().enumerate().filter(|(place, own)| is_kept(*place) || own.shape == *chosen);
    kept.map(|(_, own)| own).collect()
}

/// The best guess of the accuracy among the shapes that fill nine tenths of the size, or what is nearest to it.
fn chosen(style: Style, front: &[Member], bytes: u64) -> Option<Candidate> {
    let first = front.first()?;
    if style == Style::Compressor {
        return Some(first.shape);
    }
    let large = front.iter().filter(|own| fills(&own.cost, bytes));
    let accuracy = |own: &&Member| own.accuracy.unwrap_or(f64::NEG_INFINITY);
    let best = large.max_by(|one, other| accuracy(one).total_cmp(&accuracy(other)));
    best.or_else(|| front.iter().max_by_key(|own| own.cost.bytes)).map(|own| own.shape)
}

/// Of the shapes that were trained and fill nine tenths of the size, the one that did best.
fn best_measured(known: &[Evaluation], bytes: u64) -> Option<&Evaluation> {
    let large = known.iter().filter(|own| fills(&own.cost, bytes));
    large.max_by(|one, other| one.accuracy.total_cmp(&other.accuracy))
}

fn fills(cost: &Cost, bytes: u64) -> bool {
    10 * cost.bytes >= 9 * bytes
}

/// How often a shape is drawn at most, for each that is wanted.
const DRAWS: usize = 2_000;

/// From how many shapes the one is taken that is farthest from those before.
const FAR: usize = 10;

/// Shapes that fill at least half of the size, far from each other.
fn drawn(space: &Space, limits: &Limits, count: usize) -> Vec<Candidate> {
    let mut random = Random::new(seed_of(&[b"shapes", &limits.seed.to_le_bytes()]));
    let fits = |shape: &Candidate| {
        let bytes = limits.cost(shape).bytes;
        bytes <= limits.bytes && 2 * bytes >= limits.bytes
    };
    let mut found: Vec<Candidate> = Vec::new();
    for _ in 0..count {
        let mut near: Vec<Candidate> = Vec::new();
        for _ in 0..DRAWS {
            let shape = space.candidate(&space.draw(&mut random));
            if near.len() < FAR && fits(&shape) && !found.contains(&shape) && !near.contains(&shape) {
                near.push(shape);
            }
        }
        let features = |shape: &Candidate| shape.features(&limits.cost(shape));
        let distance = |shape: &Candidate| {
            let own = features(shape);
            let apart = |other: &Candidate| -> f64 {
                own.iter().zip(features(other)).map(|(one, other)| (one - other).powi(2)).sum()
            };
            found.iter().map(apart).fold(f64::INFINITY, f64::min)
        };
        let farthest = near.into_iter().max_by(|one, other| distance(one).total_cmp(&distance(other)));
        found.extend(farthest);
    }
    if found.is_empty() {
        // Nothing that is drawn fills half of the size: the smallest is there to learn from.
        found.push(space.candidate(&[0; space::GENES]));
    }
    found
}

/// The surrogates.
struct Guesses {
    linear: Box<dyn Surrogate>,
    boosted: Box<dyn Surrogate>,
    boosted_flips: Box<dyn Surrogate>,
    /// How far each is off on a shape that was left out.
    errors: [f64; 3],
}

impl Guesses {
    fn of(evaluations: &[Evaluation], limits: &Limits) -> Guesses {
        let of = |number: fn(&Evaluation) -> f64| -> Vec<f64> { evaluations.iter().map(number).collect() };
        let rows: Vec<Vec<f64>> = evaluations.iter().map(|own| own.shape.features(&limits.cost(&own.shape))).collect();
        let (accuracies, flips) = (of(|own| own.accuracy), of(|own| own.flips));
        Guesses {
            linear: ridge(&rows, &accuracies),
            boosted: boosted_share(&rows, &accuracies),
            boosted_flips: boosted(&rows, &flips),
            errors: [
                left_out_error(&rows, &accuracies, &ridge),
                left_out_error(&rows, &accuracies, &boosted_share),
                left_out_error(&rows, &flips, &boosted),
            ],
        }
    }

    /// AVATAR's guess of the accuracy.
    fn linear(&self, shape: &Candidate, limits: &Limits) -> f64 {
        self.linear.guess(&shape.features(&limits.cost(shape))).clamp(0.0, 1.0)
    }

    /// MORPH's.
    fn accuracy(&self, shape: &Candidate, limits: &Limits) -> f64 {
        self.boosted.guess(&shape.features(&limits.cost(shape)))
    }

    /// MORPH's guess of the share of predictions that flip.
    fn flips(&self, shape: &Candidate, limits: &Limits) -> f64 {
        self.boosted_flips.guess(&shape.features(&limits.cost(shape))).clamp(0.0, 1.0)
    }
}

impl ShapesPlan {
    fn check(&self) -> Result<(), PlanError> {
        let unfit = |problem: &str| Err(PlanError::Unfit(problem.to_owned()));
        if self.styles.is_empty() {
            return unfit("the plan names no style");
        }
        if self.trial.is_none() && self.styles.iter().any(|style| style.needs_trials()) {
            return unfit("avatar and morph learn from shapes that are trained: name a data set with --data");
        }
        let Given { layers, hidden, heads, inner, vocabulary, limit, positions: _ } = self.given;
        if [layers, hidden, heads, inner, vocabulary, limit].contains(&Some(0)) {
            return unfit("the numbers of a shape are at least 1");
        }
        if let (Some(hidden), Some(heads)) = (hidden, heads)
            && !hidden.is_multiple_of(heads)
        {
            return Err(PlanError::Unfit(format!("{hidden} numbers a state are not divisible by {heads} heads")));
        }
        Ok(())
    }

    /// Everything that decides what is recorded. Styles may be added later.
    fn described(&self) -> serde_json::Value {
        let trial = self.trial.as_ref().map(|trial| {
            let student = EncoderPlan { stop_after: None, ..trial.student.clone() };
            json!({"teacher": trial.teacher, "student": format!("{student:?}"), "shapes": trial.shapes, "finalists": trial.finalists, "judged": trial.judged})
        });
        json!({"command": "shapes", "bytes": self.bytes, "bits": self.bits, "given": self.given, "seed": self.seed, "trial": trial})
    }

    /// Writes the plan where none is, and refuses another where one is.
    fn keep(&self, output: &Path) -> Result<(), WorkError> {
        let path = output.join("plan.json");
        let text = format!("{:#}\n", self.described());
        match std::fs::read_to_string(&path) {
            Ok(before) if before == text => Ok(()),
            Ok(before) => {
                let place = output.display();
                let parsed: Option<serde_json::Value> = serde_json::from_str(&before).ok();
                let differing: Vec<String> = match (parsed, self.described()) {
                    (Some(serde_json::Value::Object(before)), serde_json::Value::Object(now)) => now
                        .iter()
                        .filter(|(key, value)| before.get(*key) != Some(*value))
                        .map(|(key, _)| key.clone())
                        .collect(),
                    _ => vec!["plan.json cannot be read".to_owned()],
                };
                Err(PlanError::Unfit(format!(
                    "what was begun in {place} has another plan: {}; name another folder, or say the same",
                    differing.join(", ")
                ))
                .into())
            }
            Err(_) => {
                let is_empty = std::fs::read_dir(output).map_or(true, |mut entries| entries.next().is_none());
                if !is_empty {
                    let place = output.display();
                    let problem = format!(
                        "{place} is not empty, and what is there is not a search for shapes: name another folder"
                    );
                    return Err(PlanError::Unfit(problem).into());
                }
                let unwritable = |source| DataError::Unwritable { path: output.to_owned(), source };
                std::fs::create_dir_all(output).map_err(unwritable)?;
                Ok(write_file(&path, text.as_bytes())?)
            }
        }
    }
}

/// What every style chose: a row each.
pub fn chosen_table(summary: &Summary) -> Table {
    shape_table(
        "style",
        summary.styles.iter().filter_map(|found| {
            let own = found.front.iter().find(|own| own.shape == found.chosen)?;
            Some((found.style.name().to_owned(), own.clone()))
        }),
    )
}

/// The front of a style: a row for each shape.
pub fn front_table(found: &Found) -> Table {
    shape_table(
        "chosen",
        found.front.iter().map(|own| {
            let mark = if own.shape == found.chosen { "yes" } else { "" };
            (mark.to_owned(), own.clone())
        }),
    )
}

/// The shapes that were trained: a row each.
pub fn evaluation_table(summary: &Summary, latencies: &[Latency]) -> Table {
    shape_table(
        "trained",
        summary.evaluations.iter().enumerate().map(|(number, own)| {
            let milliseconds =
                latencies.iter().find(|other| other.shape == own.shape).map_or(f64::NAN, |own| own.milliseconds);
            let member = Member { milliseconds, ..Member::measured(own) };
            ((number + 1).to_string(), member)
        }),
    )
}

fn shape_table(first: &str, rows: impl Iterator<Item = (String, Member)>) -> Table {
    let header = [
        first,
        "layers",
        "width",
        "heads",
        "inner",
        "vocabulary",
        "tokens",
        "positions",
        "MB",
        "GFLOPs",
        "mJ",
        "ms",
        "accuracy",
        "flips",
        "measured",
    ];
    let mut table = Table::new(header);
    for (first, Member { shape, cost, accuracy, flips, is_measured, milliseconds }) in rows {
        let positions = format!("{:?}", shape.positions);
        table.push([
            first.into(),
            shape.layers.into(),
            shape.hidden.into(),
            shape.heads.into(),
            shape.inner.into(),
            shape.vocabulary.into(),
            shape.limit.into(),
            positions.into(),
            Cell::Number(Some(cost.bytes as f64 / 1e6)),
            Cell::Number(Some(cost.flops / 1e9)),
            Cell::Number(Some(1e3 * cost.joules)),
            Cell::Number(Some(milliseconds).filter(|own| own.is_finite())),
            accuracy.into(),
            flips.into(),
            if is_measured { "yes" } else { "" }.into(),
        ]);
    }
    table
}

/// The latencies of a run.
pub fn latencies(folder: &Path) -> Result<Vec<Latency>, WorkError> {
    evaluation::lines(&folder.join(evaluation::LATENCIES))
}
