//! Are numbers drawn from a normal distribution? The Shapiro-Wilk test, for 3 to 5000 numbers.
//!
//! kind: statistics
//! source: Shapiro and Wilk 1965; Royston 1995, algorithm AS R94; scipy.stats.shapiro
//!
//! ```json
//! {"values": [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]}
//! ```
//! ->
//! ```json
//! {"w": 0.78881, "p": 0.00670, "n": 11}
//! ```
//!
//! The weights need quantiles of the normal distribution. Here they are exact to the last digits, in scipy to about nine
//! digits, so that W may differ in the ninth.
//!
//! For equal numbers the test is undefined.
//!
//! ```json
//! {"values": [1, 1, 1, 1]}
//! ```

use std::f64::consts::PI;

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::finite;
use crate::special::{normal_above, normal_quantile};

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShapiroWilk {
    /// The fit of the ordered numbers to a normal distribution, at most 1.
    pub w: f64,
    /// The probability of a worse fit if the distribution is normal.
    pub p: f64,
    pub n: usize,
}

/// Tests whether numbers are drawn from a normal distribution.
pub fn shapiro_wilk(values: &[f64]) -> Option<ShapiroWilk> {
    let n = values.len();
    if !(3..=5000).contains(&n) || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let range = finite(sorted[n - 1] - sorted[0]).filter(|range| *range > 1e-19)?;
    let weights = weights(n);
    let centre = sorted[n / 2];
    let scaled: Vec<f64> = sorted.iter().map(|value| (value - centre) / range).collect();
    let mean = scaled.iter().sum::<f64>() / n as f64;
    let spread: f64 = scaled.iter().map(|value| (value - mean).powi(2)).sum();
    let weight: f64 = weights.iter().map(|weight| weight * weight).sum();
    let together: f64 = scaled.iter().zip(&weights).map(|(value, weight)| (value - mean) * weight).sum();
    // 1 - W, as a product that keeps its digits when W is close to 1.
    let root = (weight * spread).sqrt();
    let lack = (root - together) * (root + together) / (weight * spread);
    let p = match n {
        3 if 1.0 - lack < 0.75 => return Some(ShapiroWilk { w: 0.75, p: 0.0, n }),
        3 => 1.0 - 6.0 / PI * (1.0 - lack).sqrt().min(1.0).acos(),
        _ => p_of(lack, n as f64),
    };
    Some(ShapiroWilk { w: finite(1.0 - lack)?, p: finite(p)?, n })
}

/// Royston's polynomials, the constant first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// How much each number in order counts.
fn weights(n: usize) -> Vec<f64> {
    let half = n / 2;
    let mut upper: Vec<f64> = if n == 3 {
        vec![0.5f64.sqrt()]
    } else {
        let quantile = |place: usize| -normal_quantile((place as f64 + 0.625) / (n as f64 + 0.25));
        let quantiles: Vec<f64> = (0..half).map(quantile).collect();
        let square = 2.0 * quantiles.iter().map(|quantile| quantile * quantile).sum::<f64>();
        let x = 1.0 / (n as f64).sqrt();
        let first = quantiles[0] / square.sqrt()
            + polynomial(&[0.0, 0.221_157, -0.147_981, -2.071_19, 4.434_685, -2.706_056], x);
        let second = quantiles[1] / square.sqrt()
            + polynomial(&[0.0, 0.042_981, -0.293_762, -1.752_461, 5.682_633, -3.582_633], x);
        let given = if n > 5 { vec![first, second] } else { vec![first] };
        // The outermost one or two follow Royston; the others are in proportion, so that all squares add up to one.
        let left = square - 2.0 * quantiles[..given.len()].iter().map(|quantile| quantile * quantile).sum::<f64>();
        let room = 1.0 - 2.0 * given.iter().map(|weight| weight * weight).sum::<f64>();
        let factor = (left / room).sqrt();
        let others = quantiles[given.len()..].iter().map(|quantile| quantile / factor);
        given.iter().copied().chain(others).collect()
    };
    let mut weights: Vec<f64> = upper.iter().map(|weight| -weight).collect();
    if n % 2 == 1 {
        weights.push(0.0);
    }
    upper.reverse();
    weights.extend(upper);
    weights
}

/// The p-value: a function of 1 - W is close to normal.
fn p_of(lack: f64, n: f64) -> f64 {
    let y = lack.ln();
    if n <= 11.0 {
        let bound = polynomial(&[-2.273, 0.459], n);
        if y >= bound {
            return 1e-19;
        }
        let mean = polynomial(&[0.544, -0.399_78, 0.025_054, -0.000_671_4], n);
        let deviation = polynomial(&[1.382_2, -0.778_57, 0.062_767, -0.002_032_2], n).exp();
        return normal_above((-(bound - y).ln() - mean) / deviation);
    }
    let x = n.ln();
    let mean = polynomial(&[-1.586_1, -0.310_82, -0.083_751, 0.003_891_5], x);
    let deviation = polynomial(&[-0.480_3, -0.082_676, 0.003_030_2], x).exp();
    normal_above((y - mean) / deviation)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    result(shapiro_wilk(&argument::<Vec<f64>>(arguments, "values")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_inputs_have_no_result() {
        assert_eq!((shapiro_wilk(&[]), shapiro_wilk(&[1.0, 2.0])), (None, None));
        assert_eq!(shapiro_wilk(&[1.0, f64::NAN, 2.0]), None);
        assert_eq!(shapiro_wilk(&[1.0, f64::INFINITY, 2.0]), None);
        assert_eq!(shapiro_wilk(&[-f64::MAX, 0.0, f64::MAX]), None);
        assert!(shapiro_wilk(&[1.0, 2.0, 3.0]).unwrap().p > 0.99);
    }
}
