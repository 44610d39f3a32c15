//! How surprised a language model is by a text, as the number of tokens it hesitates between.
//!
//! kind: quality
//! better: lower
//! source: Jelinek et al. 1977: the exponential of the mean negative log-probability (natural logarithm) of the tokens
//!
//! ```json
//! {"log_probabilities": [-0.69314718056, -1.38629436112]}
//! ```
//! ->
//! ```json
//! 2.82843
//! ```
//!
//! A logarithm above 0 is that of no probability.
//!
//! ```json
//! {"log_probabilities": [0.5]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{finite, mean};

/// The perplexity of a text, out of the log-probability of each token.
pub fn perplexity(log_probabilities: &[f64]) -> Option<f64> {
    if log_probabilities.iter().any(|logarithm| *logarithm > 0.0) {
        return None;
    }
    finite((-mean(log_probabilities.iter().copied())?).exp())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    result(perplexity(&argument::<Vec<f64>>(arguments, "log_probabilities")?))
}

#[cfg(test)]
mod tests {
    use super::perplexity;

    #[test]
    fn odd_logarithms_have_none() {
        assert_eq!((perplexity(&[]), perplexity(&[f64::NAN]), perplexity(&[f64::NEG_INFINITY])), (None, None, None));
        assert_eq!(perplexity(&[-1e6]), None);
        assert_eq!(perplexity(&[0.0]), Some(1.0));
    }
}
