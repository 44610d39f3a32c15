//! The fraction of the classes of mutant models that a test set kills.
//!
//! kind: mutation
//! better: higher
//! source: DeepMutation (Ma et al. 2018); guided mutation, equation 1
//!
//! An input kills its class in a mutant when the original model predicts it correctly and the mutant does not. The score is
//! the number of classes killed, over all mutants, divided by the number of mutants times the number of classes. For a
//! single input the mutation score is the label change rate; `mean_of_inputs` is the mean of these.
//!
//! The first mutant is killed in class 1, the second in none: its only other answer is for an input that the original gets
//! wrong.
//!
//! ```json
//! {"original": [1, 0, 0], "truth": [1, 0, 1], "mutants": [[0, 0, 0], [1, 0, 1]], "classes": 2}
//! ```
//! ->
//! ```json
//! {"score": 0.25, "mean_of_inputs": 0.33333, "mutants": 2, "classes": 2}
//! ```
//!
//! ```json
//! {"original": [1], "truth": [1], "mutants": [], "classes": 2}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::label_change_rate::label_change_rate;
use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{mean, ratio};

/// How well a test set distinguishes mutants from the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MutationScore {
    /// The fraction of classes that are killed.
    pub score: f64,
    /// The mean of the label change rates of the inputs.
    pub mean_of_inputs: f64,
    pub mutants: usize,
    pub classes: usize,
}

/// How well a test set distinguishes mutants from the model. Undefined without mutants or inputs, and if lengths
/// differ.
pub fn mutation_score(
    original: &[usize],
    truth: &[usize],
    mutants: &[Vec<usize>],
    classes: usize,
) -> Option<MutationScore> {
    let is_fit = |labels: &Vec<usize>| labels.len() == original.len();
    if truth.len() != original.len() || !mutants.iter().all(is_fit) {
        return None;
    }
    let mut killed = 0;
    for mutant in mutants {
        let mut classes: Vec<usize> = (0..original.len())
            .filter(|row| original[*row] == truth[*row] && mutant[*row] != truth[*row])
            .map(|row| truth[row])
            .collect();
        classes.sort_unstable();
        classes.dedup();
        killed += classes.len();
    }
    let rates = (0..original.len()).map(|row| {
        let labels: Vec<usize> = mutants.iter().map(|mutant| mutant[row]).collect();
        label_change_rate(&original[row], &labels)
    });
    let rates: Vec<f64> = rates.collect::<Option<_>>()?;
    Some(MutationScore {
        score: ratio(killed as f64, (mutants.len() * classes) as f64)?,
        mean_of_inputs: mean(rates.iter().copied())?,
        mutants: mutants.len(),
        classes,
    })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let original: Vec<usize> = argument(arguments, "original")?;
    let truth: Vec<usize> = argument(arguments, "truth")?;
    let mutants: Vec<Vec<usize>> = argument(arguments, "mutants")?;
    result(mutation_score(&original, &truth, &mutants, argument(arguments, "classes")?))
}

#[cfg(test)]
mod tests {
    use super::mutation_score;

    #[test]
    fn lists_of_different_lengths_have_no_score() {
        assert_eq!(mutation_score(&[1], &[1, 0], &[vec![1]], 2), None);
        assert_eq!(mutation_score(&[1], &[1], &[vec![1, 0]], 2), None);
        assert_eq!(mutation_score(&[], &[], &[vec![]], 2), None);
        assert_eq!(mutation_score(&[1], &[1], &[vec![0]], 0), None);
    }
}
