//! Small helpers that many measures need.

/// The mean; undefined for no numbers and if one is not finite.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0usize);
    for value in values {
        sum += value;
        count += 1;
    }
    finite(sum / count as f64)
}

/// A ratio of counts or sums; undefined if the denominator is 0.
pub(crate) fn ratio(above: f64, below: f64) -> Option<f64> {
    if below == 0.0 { None } else { finite(above / below) }
}

/// The number, if it is finite.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The fraction of pairs for which the condition holds; undefined for no pairs and if lengths differ.
pub(crate) fn share<A, B>(ones: &[A], others: &[B], mut holds: impl FnMut(&A, &B) -> bool) -> Option<f64> {
    if ones.len() != others.len() {
        return None;
    }
    let holding = ones.iter().zip(others).filter(|(one, other)| holds(one, other)).count();
    ratio(holding as f64, ones.len() as f64)
}

/// The index of the largest number, the first of equal ones; undefined for no numbers and if one is NaN.
pub(crate) fn argmax(values: &[f64]) -> Option<usize> {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    values.iter().position(|value| *value == best)
}

/// A quantile of sorted numbers, interpolated between two of them if necessary.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    let part = place - below as f64;
    finite(sorted[below] + part * (sorted[above] - sorted[below]))
}

/// Ranks from 1, with mean ranks for ties, and the sizes of the groups of ties.
pub(crate) fn ranks(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut groups = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let is_equal = |place: &usize| values[*place] == values[order[start]];
        // NaN equals nothing, itself included, and still takes a place.
        let size = order[start..].iter().take_while(|place| is_equal(place)).count().max(1);
        for place in &order[start..start + size] {
            ranks[*place] = start as f64 + (size as f64 + 1.0) / 2.0;
        }
        groups.push(size);
        start += size;
    }
    (ranks, groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(mean([]), None);
        assert_eq!(mean([f64::NAN, 1.0]), None);
        assert_eq!(mean([1.0, 2.0]), Some(1.5));
        assert_eq!(ratio(0.0, 0.0), None);
    }

    #[test]
    fn the_first_of_equals_is_the_largest() {
        assert_eq!(argmax(&[]), None);
        assert_eq!(argmax(&[0.5, 0.5]), Some(0));
        assert_eq!(argmax(&[f64::NAN, 0.5]), None);
    }

    #[test]
    fn quantiles_lie_between_numbers() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[3.0], 0.9), Some(3.0));
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
    }

    #[test]
    fn equal_numbers_share_a_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), (vec![3.5, 1.0, 3.5, 2.0], vec![1, 1, 2]));
        assert_eq!(ranks(&[0.0, -0.0]), (vec![1.5, 1.5], vec![2]));
    }
}
