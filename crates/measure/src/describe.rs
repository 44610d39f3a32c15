//! Summary statistics of numbers: what a table says about queries, seconds and distances.

use serde::Serialize;

use crate::numbers::{mean, quantile};

/// Mean, median, quartiles and ends of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub n: usize,
    pub mean: f64,
    pub least: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub most: f64,
}

/// Summarises numbers; undefined for an empty slice and if one is not finite.
pub fn spread(values: &[f64]) -> Option<Spread> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Spread {
        n: sorted.len(),
        // Summed in order of size, so that the order of the input does not count.
        mean: mean(sorted.iter().copied())?,
        least: *sorted.first()?,
        lower_quartile: quantile(&sorted, 0.25)?,
        median: quantile(&sorted, 0.5)?,
        upper_quartile: quantile(&sorted, 0.75)?,
        most: *sorted.last()?,
    })
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn five_numbers_and_a_mean() {
        let found = spread(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((found.n, found.mean, found.least, found.most), (4, 2.5, 1.0, 4.0));
        assert_eq!((found.lower_quartile, found.median, found.upper_quartile), (1.75, 2.5, 3.25));
        assert_eq!((spread(&[]), spread(&[f64::NAN])), (None, None));
    }
}
