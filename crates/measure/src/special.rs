//! The distributions that p-values come from, each to at least twelve digits.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// The fraction of a normal distribution below `z`.
pub(crate) fn normal_below(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// The fraction of a normal distribution above `z`.
pub(crate) fn normal_above(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// The height of the normal distribution at `z`.
fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The number below which a share of a normal distribution lies; infinite for 0 and 1.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    if share.is_nan() || !(0.0..=1.0).contains(&share) {
        return f64::NAN;
    }
    if share == 0.0 || share == 1.0 {
        return if share == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if share > 0.5 {
        return -normal_quantile(1.0 - share);
    }
    // The tail behaves like exp(-z²/2), which is a start that Halley's method mends in a few steps.
    let mut z = if share > 0.02 { (share - 0.5) * (2.0 * PI).sqrt() } else { -(-2.0 * share.ln()).sqrt() };
    for _ in 0..60 {
        let off = (normal_below(z) - share) / normal_density(z);
        let step = off / (1.0 + 0.5 * z * off);
        z -= step.clamp(-1.0, 1.0);
        if step.abs() <= 1e-15 * z.abs().max(1e-300) {
            break;
        }
    }
    z
}

/// One minus the error function.
pub(crate) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 2.0 {
        // All terms of this series are positive, so that nothing cancels out.
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= 2.0 * x * x / (2 * n + 1) as f64;
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        return 1.0 - 2.0 / PI.sqrt() * (-x * x).exp() * sum;
    }
    if x > 27.3 {
        return 0.0;
    }
    // The continued fraction 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))), from its end, which is the nearer the larger x is.
    let mut fraction = x;
    for n in (1..=20 + (400.0 / (x * x)) as usize).rev() {
        fraction = x + 0.5 * n as f64 / fraction;
    }
    (-x * x).exp() / PI.sqrt() / fraction
}

/// The fraction of a chi-squared distribution above `x`.
pub(crate) fn chi_squared_above(x: f64, degrees: usize) -> f64 {
    if degrees == 0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    // Whole degrees of freedom have closed forms: a sum that starts at exp(-x/2), or at the two tails of the normal distribution.
    let half = 0.5 * x;
    let (mut sum, mut logarithm, mut step) = match degrees % 2 {
        0 => ((-half).exp(), -half, 1.0),
        _ => (erfc(half.sqrt()), -half - 0.5 * (PI * half).ln(), 0.5),
    };
    for _ in 0..(degrees - 1) / 2 {
        logarithm += half.ln() - f64::ln(step);
        sum += logarithm.exp();
        step += 1.0;
    }
    sum.min(1.0)
}

/// The logarithm of the gamma function of a positive number.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    if x < 12.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    // Stirling's series, whose terms are Bernoulli numbers.
    let square = 1.0 / (x * x);
    let series = 1.0 / 12.0
        - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square * (1.0 / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series / x
}

/// The fraction of a beta distribution below `x`: the regularised incomplete beta function.
pub(crate) fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x.is_nan() || a.is_nan() || b.is_nan() || a <= 0.0 || b <= 0.0 {
        return f64::NAN;
    }
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // The continued fraction converges fast only below the mean; above it the other tail is taken.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(1.0 - x, b, a);
    }
    let logarithm = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    const TINY: f64 = 1e-300;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..100_000 {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (logarithm.exp() * fraction / a).clamp(0.0, 1.0)
}

/// The fraction of Student's distribution that is farther from 0 than `t`, on both sides.
pub(crate) fn student_beyond(t: f64, degrees: f64) -> f64 {
    beta_below(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
}

/// The fraction of an F distribution above `x`.
pub(crate) fn f_above(x: f64, above: f64, below: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { beta_below(below / (below + above * x), 0.5 * below, 0.5 * above) }
}

/// The fraction of binomial draws with even chances that are at most `hits`.
pub(crate) fn even_binomial_below(hits: usize, draws: usize) -> f64 {
    if hits >= draws { 1.0 } else { beta_below(0.5, (draws - hits) as f64, hits as f64 + 1.0) }
}

/// The fraction of the studentised range of `groups` normal numbers above `q`, with infinite degrees of freedom.
pub(crate) fn studentised_range_above(q: f64, groups: usize) -> f64 {
    if groups < 2 || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        return 1.0;
    }
    // All others lie within q below the largest. The integrand is analytic and dies out at both ends, for which the plain sum
    // over a grid converges faster than any power of its step.
    const STEP: f64 = 1.0 / 16.0;
    const ENDS: f64 = 9.0;
    let others = (groups - 1) as f64;
    let steps = (2.0 * ENDS / STEP) as usize;
    let at = |step: usize| {
        let z = step as f64 * STEP - ENDS;
        normal_density(z) * (normal_below(z) - normal_below(z - q)).powf(others)
    };
    let below = groups as f64 * STEP * (0..=steps).map(at).sum::<f64>();
    (1.0 - below).clamp(0.0, 1.0)
}

/// Where the tails of the normal distribution on both sides begin that hold a share of it.
pub(crate) fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / SQRT_2).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} is not {expected}");
    }

    #[test]
    fn published_values() {
        close(erfc(0.5), 0.479_500_122_186_953_5);
        close(erfc(1.999_999), 0.004_677_755_648_073_952);
        close(erfc(2.0), 0.004_677_734_981_047_266);
        close(erfc(5.0), 1.537_459_794_428_034_8e-12);
        close(normal_quantile(0.975), 1.959_963_984_540_054);
        close(normal_quantile(1e-20), -9.262_340_089_798_409);
        close(chi_squared_above(3.841_458_820_694_124, 1), 0.05);
        close(chi_squared_above(18.307_038_053_275_146, 10), 0.05);
        close(ln_gamma(0.5), PI.sqrt().ln());
        close(student_beyond(2.228_138_851_986_274, 10.0), 0.05);
        close(even_binomial_below(2, 10), 56.0 / 1024.0);
    }

    #[test]
    fn the_ends_are_not_numbers_or_certain() {
        assert_eq!((normal_quantile(0.0), normal_quantile(0.5)), (f64::NEG_INFINITY, 0.0));
        assert!(normal_quantile(1.1).is_nan() && erfc(f64::NAN).is_nan() && beta_below(0.5, 0.0, 1.0).is_nan());
        assert_eq!((erfc(f64::INFINITY), erfc(f64::NEG_INFINITY)), (0.0, 2.0));
        assert_eq!((beta_below(0.0, 1.0, 1.0), beta_below(1.0, 1.0, 1.0)), (0.0, 1.0));
        assert_eq!((even_binomial_below(0, 0), studentised_range_above(0.0, 3)), (1.0, 1.0));
    }
}
