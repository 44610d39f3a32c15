//! The mutants of a model: which there are, how they score, and which are near enough to the model to say something about it.

use std::sync::atomic::{AtomicBool, Ordering};

use manual::closest;
use model::mutation::{Mutation, Operator};
use model::{Answer, Fault, Input, Model, OpenError};
use search::{has_same_label, is_right};
use serde::{Deserialize, Serialize};

use crate::attack::truth_of;
use crate::examples::Examples;
use crate::plan::PlanError;

/// Which mutants of a model are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MutantsPlan {
    /// The operators, by name; all that the model can be changed with when there are none.
    pub operators: Vec<String>,
    /// How many mutants an operator makes; the paper has ten.
    pub each: usize,
    /// The share of weights, neurons or components that is changed.
    pub ratio: f64,
    /// The standard deviation of noise.
    pub sigma: f64,
    /// How many decimal digits are kept.
    pub digits: u32,
    /// The seed of the first mutant of each operator; the others have the numbers behind it.
    pub seed: u64,
    /// A mutant is left out when its accuracy is below this part of the model's; 0 leaves none out.
    pub least_accuracy: f64,
    /// On how many examples the accuracy is found, at the most: they are spread over the data set.
    pub examples: usize,
}

impl Default for MutantsPlan {
    fn default() -> MutantsPlan {
        MutantsPlan {
            operators: Vec::new(),
            each: 10,
            // With one in a hundred the mutants of the published students hardly ever disagree with them.
            ratio: 0.1,
            sigma: 0.5,
            digits: 1,
            seed: 0,
            least_accuracy: 0.9,
            examples: 200,
        }
    }
}

impl MutantsPlan {
    /// The mutants of a model, operator by operator.
    pub fn mutations(&self, model: &str) -> Result<Vec<Mutation>, PlanError> {
        let unfit = |message: String| Err(PlanError::Unfit(message));
        let known = model::adapters::operators_for(model).map_err(|error| PlanError::Unfit(error.to_string()))?;
        if known.is_empty() {
            let kind = model.split(':').next().unwrap_or_default();
            return unfit(format!(
                "the weights of `{kind}` models are not held by this program, so there are no mutants of them"
            ));
        }
        if model.contains("mutate=") {
            return unfit(format!("{model} is a mutant itself, and a model is mutated once"));
        }
        let mut operators: Vec<&'static Operator> = Vec::new();
        for name in &self.operators {
            let Some(operator) = known.iter().find(|operator| operator.name == *name) else {
                return match model::mutation::find(name) {
                    Some(_) => unfit(format!("{name} is for recurrent models, and {model} is none")),
                    None => {
                        let near = closest(name, known.iter().map(|operator| operator.name.as_str()));
                        let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
                        unfit(format!("there is no operator `{name}`{hint}; `allotrope list operators` shows all"))
                    }
                };
            };
            operators.push(operator);
        }
        if operators.is_empty() {
            operators = known;
        }
        if self.each == 0 || self.examples == 0 {
            return unfit("there is at least one mutant for each operator, and one example to score it on".to_owned());
        }
        if !(self.ratio > 0.0 && self.ratio <= 1.0) {
            return unfit(format!("the ratio is {}, but must be above 0 and up to 1", self.ratio));
        }
        if !(0.0..=1e3).contains(&self.sigma) || !(1..=9).contains(&self.digits) {
            return unfit("sigma is from 0 to 1000, and digits from 1 to 9".to_owned());
        }
        if !(0.0..=1.0).contains(&self.least_accuracy) {
            return unfit("the least accuracy is a part of the model's, from 0 to 1".to_owned());
        }
        let mutation = |operator, number| Mutation {
            ratio: self.ratio,
            sigma: self.sigma,
            digits: self.digits,
            seed: self.seed + number,
            ..Mutation::of(operator)
        };
        let each = self.each as u64;
        Ok(operators.into_iter().flat_map(|operator| (0..each).map(move |number| mutation(operator, number))).collect())
    }

    /// The places of the examples on which accuracies are found.
    pub fn chosen(&self, examples: &Examples) -> Vec<usize> {
        let all = examples.items.len();
        let count = self.examples.min(all);
        (0..count).map(|number| number * all / count.max(1)).collect()
    }

    /// Is a mutant near enough to the model?
    pub fn is_kept(&self, score: &Score, model: Option<f64>) -> bool {
        match (score.accuracy(), model) {
            // 0.72 is nine tenths of 0.8, whatever the product of the two says.
            (Some(own), Some(model)) => own + 1e-9 >= self.least_accuracy * model,
            _ => true,
        }
    }
}

/// How a model, or a mutant of it, does on some examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// How many of the examples whose truth is known it answers rightly, and how many there are.
    pub right: (usize, usize),
    /// For every example whether its label differs from the model's, where both have answered.
    pub differs: Vec<Option<bool>>,
}

impl Score {
    /// The share of right answers.
    pub fn accuracy(&self) -> Option<f64> {
        let (right, known) = self.right;
        (known > 0).then(|| right as f64 / known as f64)
    }

    /// The share of examples with another label.
    pub fn changed(&self) -> Option<f64> {
        let known: Vec<bool> = self.differs.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().filter(|differs| **differs).count() as f64 / known.len() as f64)
    }
}

/// The answers to some examples. There are fewer when it was stopped, which is obeyed between batches.
pub fn answers(
    model: &dyn Model,
    examples: &Examples,
    chosen: &[usize],
    progress: &dyn Fn(usize),
    stop: &AtomicBool,
) -> Vec<Result<Answer, Fault>> {
    let mut answers = Vec::with_capacity(chosen.len());
    for some in chosen.chunks(model.together().max(1)) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let inputs: Vec<Input> = some.iter().map(|place| examples.input(&examples.items[*place])).collect();
        answers.extend(model.predict(&inputs));
        progress(some.len());
    }
    answers
}

/// Scores the answers of a mutant against those of the model; those of the model against themselves give its own accuracy.
pub fn score(
    examples: &Examples,
    chosen: &[usize],
    model: &[Result<Answer, Fault>],
    mutant: &[Result<Answer, Fault>],
) -> Score {
    let mut score = Score::default();
    for ((place, model), mutant) in chosen.iter().zip(model).zip(mutant) {
        let both = model.as_ref().ok().zip(mutant.as_ref().ok());
        score.differs.push(both.map(|(model, mutant)| !has_same_label(&model.prediction, &mutant.prediction)));
        // What has no answer is not right.
        if let Some(truth) = truth_of(&examples.items[*place].truth) {
            score.right.1 += 1;
            score.right.0 += usize::from(mutant.as_ref().is_ok_and(|answer| is_right(&answer.prediction, &truth)));
        }
    }
    score
}

/// The mutants that guide an attack.
pub struct Opened {
    /// Those that are near enough to the model.
    pub kept: Vec<Box<dyn Model>>,
    /// How many were left out.
    pub left_out: usize,
}

/// Opens the mutants of a model, and leaves those out that are too far from it. `None` when it was stopped.
pub fn open(
    plan: &MutantsPlan,
    mutations: &[Mutation],
    name: &str,
    model: &dyn Model,
    examples: &Examples,
    progress: &dyn Fn(usize),
    stop: &AtomicBool,
) -> Result<Option<Opened>, OpenError> {
    let chosen = plan.chosen(examples);
    let filters = plan.least_accuracy > 0.0;
    let of_model = if filters { answers(model, examples, &chosen, &|_| (), stop) } else { Vec::new() };
    let accuracy = score(examples, &chosen, &of_model, &of_model).accuracy();
    let mut opened = Opened { kept: Vec::new(), left_out: 0 };
    for mutation in mutations {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mutant = training::open(&mutation.name_of(name))?;
        let is_kept = !filters || {
            let of_mutant = answers(mutant.as_ref(), examples, &chosen, &|_| (), stop);
            plan.is_kept(&score(examples, &chosen, &of_model, &of_mutant), accuracy)
        };
        match is_kept {
            true => opened.kept.push(mutant),
            false => opened.left_out += 1,
        }
        progress(1);
    }
    Ok((!stop.load(Ordering::Relaxed)).then_some(opened))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_its_mutants() {
        let plan = MutantsPlan { each: 2, seed: 5, ..MutantsPlan::default() };
        let names = |plan: &MutantsPlan, model: &str| -> Vec<String> {
            plan.mutations(model).unwrap().iter().map(|mutation| mutation.name_of(model)).collect()
        };
        let all = names(&plan, "hf:a");
        assert_eq!(all.len(), 12);
        assert_eq!(all[1], "hf:a?mutate=weight-gaussian-fuzz&ratio=0.1&sigma=0.5&mutant-seed=6");
        // A recurrent model has states and gates.
        assert_eq!(names(&plan, "code2seq:a").len(), 26);
        let problem = |plan: MutantsPlan, model: &str| plan.mutations(model).err().unwrap().to_string();
        let named = |name: &str| MutantsPlan { operators: vec![name.to_owned()], ..MutantsPlan::default() };
        assert!(problem(named("neuron-swich"), "hf:a").contains("did you mean `neuron-switch`"));
        assert!(problem(named("state-clear"), "hf:a").contains("recurrent"));
        assert!(problem(MutantsPlan::default(), "cmd:a").contains("not held"));
        assert!(problem(MutantsPlan::default(), "hf:a?mutate=neuron-switch").contains("mutant itself"));
        assert!(problem(MutantsPlan::default(), "nothing").contains("is not a model name"));
        assert!(problem(MutantsPlan { ratio: f64::NAN, ..MutantsPlan::default() }, "hf:a").contains("ratio"));
        assert!(problem(MutantsPlan { each: 0, ..MutantsPlan::default() }, "hf:a").contains("at least one"));
        assert!(problem(MutantsPlan { digits: 0, ..MutantsPlan::default() }, "hf:a").contains("digits"));
        let least_accuracy = 2.0;
        assert!(problem(MutantsPlan { least_accuracy, ..MutantsPlan::default() }, "hf:a").contains("least accuracy"));
    }

    #[test]
    fn mutants_that_are_too_far_away_are_left_out() {
        let plan = MutantsPlan::default();
        let score = |right: usize| Score { right: (right, 100), differs: Vec::new() };
        assert!(plan.is_kept(&score(72), Some(0.8)) && !plan.is_kept(&score(71), Some(0.8)));
        assert!(plan.is_kept(&Score::default(), Some(0.8)));
        let all = MutantsPlan { least_accuracy: 0.0, ..plan };
        assert!(all.is_kept(&score(0), Some(0.8)));
        let differs = vec![Some(true), None, Some(false), Some(false)];
        assert_eq!(Score { right: (0, 0), differs }.changed(), Some(1.0 / 3.0));
    }
}
