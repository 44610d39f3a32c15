//! The mutants of a model: which there are, how they score, and which are close enough to the model to say something about it.

use manual::closest;
use measure::metrics::{MutationScore, label_change_rate, mutation_score};
use model::mutation::{Mutation, Operator};
use model::{Answer, Fault, Identity, Model};
use search::is_right;
use serde::{Deserialize, Serialize};

use crate::attack::truth_of;
use crate::evaluate::{answers, check_answers};
use crate::examples::Examples;
use crate::plan::{DataPlan, PlanError};
use crate::work::{Event, Watcher, WorkError, open_model, read_examples};

/// The file of a folder with scored mutants.
pub const FILE: &str = "mutants.json";

/// Which mutants of a model are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MutantsPlan {
    /// The operators, by name; when there are none, all that apply to the model.
    pub operators: Vec<String>,
    /// How many mutants each operator makes; the paper has ten.
    pub each: usize,
    /// The share of weights, neurons or components that are changed.
    pub ratio: f64,
    /// The standard deviation of noise.
    pub sigma: f64,
    /// How many decimal digits are kept.
    pub digits: u32,
    /// The seed of the first mutant of each operator; the others have the numbers after it.
    pub seed: u64,
    /// A mutant is left out when its accuracy is below this share of the model's; 0 keeps all.
    pub min_accuracy: f64,
    /// The maximum number of examples that the accuracy is measured on, spread over the data set.
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
            min_accuracy: 0.9,
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
                "the weights of `{kind}` models are not in this process, so it cannot make mutants of them"
            ));
        }
        if model.contains("mutate=") {
            return unfit(format!("{model} is a mutant itself, and a model is mutated once"));
        }
        let mut operators: Vec<&'static Operator> = Vec::new();
        for name in &self.operators {
            let Some(operator) = known.iter().find(|operator| operator.name == *name) else {
                return match model::mutation::find(name) {
                    Some(_) => unfit(format!("{name} is for recurrent models, which {model} is not")),
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
            return unfit(
                "there must be at least one mutant for each operator, and at least one example to score it on"
                    .to_owned(),
            );
        }
        if !(self.ratio > 0.0 && self.ratio <= 1.0) {
            return unfit(format!("the ratio is {}, but must be above 0 and up to 1", self.ratio));
        }
        if !(0.0..=1e3).contains(&self.sigma) || !(1..=9).contains(&self.digits) {
            return unfit("sigma must be from 0 to 1000, and digits from 1 to 9".to_owned());
        }
        if !(0.0..=1.0).contains(&self.min_accuracy) {
            return unfit("the minimum accuracy is a share of the model's, from 0 to 1".to_owned());
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

    /// Is a mutant close enough to the model?
    pub fn is_kept(&self, score: &Score, model: Option<f64>) -> bool {
        match (score.accuracy(), model) {
            // 0.72 is nine tenths of 0.8, whatever the product of the two says.
            (Some(own), Some(model)) => own + 1e-9 >= self.min_accuracy * model,
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
        score.differs.push(both.map(|(model, mutant)| !model.prediction.agrees(&mutant.prediction)));
        // What has no answer is not right.
        if let Some(truth) = truth_of(&examples.items[*place].truth) {
            score.right.1 += 1;
            score.right.0 += usize::from(mutant.as_ref().is_ok_and(|answer| is_right(&answer.prediction, &truth)));
        }
    }
    score
}

/// Opens the mutants of a model that are close enough to it to guide an attack. `None` when it was stopped.
pub(crate) fn open(
    plan: &MutantsPlan,
    mutations: &[Mutation],
    name: &str,
    model: &dyn Model,
    examples: &Examples,
    watcher: &dyn Watcher,
) -> Result<Option<Vec<Box<dyn Model>>>, WorkError> {
    let filters = plan.min_accuracy > 0.0;
    let chosen = if filters { plan.chosen(examples) } else { Vec::new() };
    watcher.tell(Event::Stage("making mutants", Some(chosen.len() * (mutations.len() + 1))));
    let of_model = answers(model, examples, &chosen, watcher);
    let accuracy = score(examples, &chosen, &of_model, &of_model).accuracy();
    let mut kept = Vec::new();
    for mutation in mutations {
        let mutant = open_model(&mutation.name_of(name))?;
        let of_mutant = answers(mutant.as_ref(), examples, &chosen, watcher);
        if watcher.should_stop() {
            return Ok(None);
        }
        if plan.is_kept(&score(examples, &chosen, &of_model, &of_mutant), accuracy) {
            kept.push(mutant);
        }
    }
    Ok(Some(kept))
}

/// A mutant, with its score where it was scored.
pub struct Mutant {
    /// Its name as a model.
    pub name: String,
    /// The operator that makes it.
    pub operator: &'static str,
    /// The seed that it is made with.
    pub seed: u64,
    /// How it does.
    pub score: Option<Score>,
    /// The classes that it answers with.
    pub labels: Vec<Option<usize>>,
    /// Is it close enough to the model?
    pub is_kept: bool,
}

/// The mutants of a model on a data set.
pub struct ScoredMutants {
    pub model: Identity,
    /// The accuracy of the model.
    pub accuracy: Option<f64>,
    /// The mutants. Those after a stop have no score.
    pub mutants: Vec<Mutant>,
    /// For every input that was scored its name, and its label change rate over the mutants that are kept.
    pub rates: Vec<(String, Option<f64>)>,
    /// The mutation score of all inputs together.
    pub score: Option<MutationScore>,
    /// Was it stopped before all were scored?
    pub is_interrupted: bool,
}

impl ScoredMutants {
    /// The mutants that are scored and close enough to the model.
    pub fn kept(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.score.is_some() && mutant.is_kept)
    }
}

/// The mutants of a model, without scores.
pub fn list(plan: &MutantsPlan, model: &str) -> Result<Vec<Mutant>, PlanError> {
    let mutant = |mutation: Mutation| Mutant {
        name: mutation.name_of(model),
        operator: &mutation.operator.name,
        seed: mutation.seed,
        score: None,
        labels: Vec::new(),
        is_kept: true,
    };
    Ok(plan.mutations(model)?.into_iter().map(mutant).collect())
}

/// Scores the mutants of a model on a data set: on all of its examples, or on as many as the plan says.
///
/// ```
/// use campaign::mutants::{self, MutantsPlan};
/// use campaign::plan::DataPlan;
///
/// let plan = MutantsPlan { each: 1, examples: 3, operators: vec!["neuron-switch".to_owned()], ..MutantsPlan::default() };
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), task: Some(campaign::Task::Unlabelled), ..DataPlan::default() };
/// let scored = mutants::run(&plan, "hf:../../fixtures/checkpoints/parity/roberta-two", &data, false, &())?;
/// assert_eq!((scored.mutants.len(), scored.rates.len()), (1, 3));
/// # Ok::<(), campaign::work::WorkError>(())
/// ```
pub fn run(
    plan: &MutantsPlan,
    name: &str,
    data: &DataPlan,
    is_on_all: bool,
    watcher: &dyn Watcher,
) -> Result<ScoredMutants, WorkError> {
    let mut mutants = list(plan, name)?;
    let examples = read_examples(data, watcher)?;
    let chosen = if is_on_all { (0..examples.items.len()).collect() } else { plan.chosen(&examples) };
    let model = open_model(name)?;
    let steps = chosen.len() * (mutants.len() + 1);
    watcher.tell(Event::Stage("querying the model and its mutants", Some(steps)));
    let of_model = answers(model.as_ref(), &examples, &chosen, watcher);
    check_answers(&of_model)?;
    let accuracy = score(&examples, &chosen, &of_model, &of_model).accuracy();
    for mutant in &mut mutants {
        // One mutant is in memory at a time.
        let opened = open_model(&mutant.name)?;
        let of_mutant = answers(opened.as_ref(), &examples, &chosen, watcher);
        if watcher.should_stop() {
            break;
        }
        let found = score(&examples, &chosen, &of_model, &of_mutant);
        mutant.is_kept = plan.is_kept(&found, accuracy);
        mutant.labels = of_mutant.iter().map(class_of).collect();
        mutant.score = Some(found);
    }
    let is_interrupted = watcher.should_stop();
    let model = model.identity().clone();
    let mut scored = ScoredMutants { model, accuracy, mutants, rates: Vec::new(), score: None, is_interrupted };
    let rate = |row: usize| {
        let differs = scored.kept().filter_map(|mutant| mutant.score.as_ref()?.differs[row]);
        label_change_rate(&false, &differs.collect::<Vec<bool>>())
    };
    let id = |place: usize| examples.items[place].id.clone();
    scored.rates = chosen.iter().zip(0..of_model.len()).map(|(place, row)| (id(*place), rate(row))).collect();
    scored.score = (!is_interrupted).then(|| together(&scored, &examples, &chosen, &of_model)).flatten();
    Ok(scored)
}

/// The mutation score, where every truth and every answer is a class.
fn together(
    scored: &ScoredMutants,
    examples: &Examples,
    chosen: &[usize],
    of_model: &[Result<Answer, Fault>],
) -> Option<MutationScore> {
    let truths = crate::fidelity::truths(examples);
    let original: Option<Vec<usize>> = of_model.iter().map(class_of).collect();
    let truth: Option<Vec<usize>> = chosen.iter().map(|place| truths[*place]).collect();
    let mutants: Option<Vec<Vec<usize>>> =
        scored.kept().map(|mutant| mutant.labels.iter().copied().collect()).collect();
    mutation_score(&original?, &truth?, &mutants?, examples.labels.len())
}

fn class_of(answer: &Result<Answer, Fault>) -> Option<usize> {
    answer.as_ref().ok()?.prediction.class()
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
        assert!(problem(MutantsPlan::default(), "cmd:a").contains("cannot make mutants"));
        assert!(problem(MutantsPlan::default(), "hf:a?mutate=neuron-switch").contains("mutant itself"));
        assert!(problem(MutantsPlan::default(), "nothing").contains("is not a model name"));
        assert!(problem(MutantsPlan { ratio: f64::NAN, ..MutantsPlan::default() }, "hf:a").contains("ratio"));
        assert!(problem(MutantsPlan { each: 0, ..MutantsPlan::default() }, "hf:a").contains("at least one"));
        assert!(problem(MutantsPlan { digits: 0, ..MutantsPlan::default() }, "hf:a").contains("digits"));
        let min_accuracy = 2.0;
        assert!(problem(MutantsPlan { min_accuracy, ..MutantsPlan::default() }, "hf:a").contains("minimum accuracy"));
    }

    #[test]
    fn mutants_that_are_too_far_away_are_left_out() {
        let plan = MutantsPlan::default();
        let score = |right: usize| Score { right: (right, 100), differs: Vec::new() };
        assert!(plan.is_kept(&score(72), Some(0.8)) && !plan.is_kept(&score(71), Some(0.8)));
        assert!(plan.is_kept(&Score::default(), Some(0.8)));
        let all = MutantsPlan { min_accuracy: 0.0, ..plan };
        assert!(all.is_kept(&score(0), Some(0.8)));
        let differs = vec![Some(true), None, Some(false), Some(false)];
        assert_eq!(Score { right: (0, 0), differs }.changed(), Some(1.0 / 3.0));
    }
}
