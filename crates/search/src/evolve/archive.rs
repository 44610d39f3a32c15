//! The Pareto front of everything that was ever evaluated.

/// Is one at least as good in every objective, and better in one?
///
/// ```
/// use search::evolve::dominates;
///
/// assert!(dominates(&[1.0, 1.0], &[1.0, 2.0]));
/// assert!(!dominates(&[1.0, 1.0], &[1.0, 1.0]) && !dominates(&[1.0, 2.0], &[2.0, 1.0]));
/// ```
pub fn dominates(one: &[f64], other: &[f64]) -> bool {
    let pairs = || one.iter().zip(other);
    pairs().all(|(one, other)| one <= other) && pairs().any(|(one, other)| one < other)
}

/// The Pareto archive. Of several individuals with the same costs the first stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    members: Vec<(usize, Vec<f64>)>,
}

impl Archive {
    /// Adds an individual, unless a member is as good, and removes the members that it dominates. Returns whether it
    /// was added.
    pub fn add(&mut self, place: usize, costs: &[f64]) -> bool {
        if self.members.iter().any(|(_, member)| member == costs || dominates(member, costs)) {
            return false;
        }
        self.members.retain(|(_, member)| !dominates(costs, member));
        self.members.push((place, costs.to_vec()));
        true
    }

    /// The indices of the members, by their costs.
    pub fn places(&self) -> Vec<usize> {
        let mut members: Vec<&(usize, Vec<f64>)> = self.members.iter().collect();
        members.sort_by(|(_, one), (_, other)| {
            let pairs = one.iter().zip(other).map(|(one, other)| one.total_cmp(other));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        members.into_iter().map(|(place, _)| *place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_thesis() {
        let front = |more: [f64; 2]| {
            let mut archive = Archive::default();
            for (place, costs) in [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], more].iter().enumerate() {
                archive.add(place, costs);
            }
            archive.places()
        };
        assert_eq!(front([1.0, 1.0]), [3]);
        assert_eq!(front([5.0, 1.0]), [0, 1, 2]);
        assert_eq!(front([2.0, 2.0]), [0, 1, 2]);
        assert_eq!(front([2.5, 1.5]), [0, 1, 3, 2]);
    }
}
