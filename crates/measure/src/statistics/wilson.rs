//! A confidence interval for a proportion of independent inputs, by Wilson's score.
//!
//! kind: statistics
//! source: Wilson 1927; recommended by Brown, Cai and DasGupta 2001; scipy.stats.binomtest
//!
//! Resampling says nothing about what all inputs agree in, and would call 25 of 25 certain.
//!
//! ```json
//! {"successes": 25, "n": 25}
//! ```
//! ->
//! ```json
//! {"value": 1.0, "n": 25, "low": 0.86681, "high": 1.0}
//! ```
//!
//! ```json
//! {"successes": 7, "n": 10, "level": 0.9}
//! ```
//! ->
//! ```json
//! {"value": 0.7, "n": 10, "low": 0.4417, "high": 0.87312}
//! ```
//!
//! Without an input there is nothing to say:
//!
//! ```json
//! {"successes": 0, "n": 0}
//! ```

use serde_json::{Value, json};

use super::bootstrap::Interval;
use crate::catalogue::{BadInput, argument, optional, result};
use crate::special::normal_quantile;

/// The interval of the proportion of successes. Undefined without inputs, for more successes than inputs and for a level that
/// makes no sense.
pub fn wilson(successes: usize, n: usize, level: f64) -> Option<Interval> {
    if n == 0 || successes > n || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let (share, n_inputs) = (successes as f64 / n as f64, n as f64);
    let z = normal_quantile(0.5 + 0.5 * level);
    let scale = 1.0 + z * z / n_inputs;
    let centre = (share + z * z / (2.0 * n_inputs)) / scale;
    let half = z / scale * (share * (1.0 - share) / n_inputs + z * z / (4.0 * n_inputs * n_inputs)).sqrt();
    // At the ends the formula gives exactly 0 and 1, and its rounding does not.
    let low = if successes == 0 { 0.0 } else { centre - half };
    let high = if successes == n { 1.0 } else { centre + half };
    Some(Interval { low, high })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let (successes, n): (usize, usize) = (argument(arguments, "successes")?, argument(arguments, "n")?);
    let interval = wilson(successes, n, optional(arguments, "level")?.unwrap_or(0.95));
    let share = successes as f64 / n as f64;
    result(interval.map(|Interval { low, high }| json!({"value": share, "n": n, "low": low, "high": high})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_the_proportion_and_stays_within_its_bounds() {
        for n in 1..60 {
            for successes in 0..=n {
                let Interval { low, high } = wilson(successes, n, 0.95).unwrap();
                let share = successes as f64 / n as f64;
                assert!(0.0 <= low && low <= share && share <= high && high <= 1.0, "{successes} of {n}");
                assert!(high - low > 0.0);
            }
        }
        assert_eq!(wilson(2, 1, 0.95), None);
        assert_eq!(wilson(1, 1, 1.0), None);
        assert_eq!(wilson(1, 1, f64::NAN), None);
    }
}
