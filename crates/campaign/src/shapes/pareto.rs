//! Which of several shapes no other beats in everything.

/// Is the first at least as good in everything, and better in something? Less is better.
pub fn dominates(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other) && one.iter().zip(other).any(|(one, other)| one < other)
}

/// The places of those that nothing dominates, in their order. Of several that are the same in everything the first is kept.
pub fn front(all: &[Vec<f64>]) -> Vec<usize> {
    let is_beaten = |place: &usize| {
        let own = &all[*place];
        all.iter()
            .enumerate()
            .any(|(other, objectives)| dominates(objectives, own) || (other < *place && objectives == own))
    };
    (0..all.len()).filter(|place| !is_beaten(place)).collect()
}

/// The fronts one after the other: the second is that of what the first leaves, and so on.
pub fn fronts(all: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..all.len()).collect();
    let mut fronts = Vec::new();
    while !left.is_empty() {
        let objectives: Vec<Vec<f64>> = left.iter().map(|place| all[*place].clone()).collect();
        let own: Vec<usize> = front(&objectives).into_iter().map(|place| left[place]).collect();
        left.retain(|place| !own.contains(place));
        fronts.push(own);
    }
    fronts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_are_found() {
        let all = [[1.0, 5.0], [2.0, 2.0], [5.0, 1.0], [3.0, 3.0], [2.0, 2.0], [6.0, 6.0]].map(|own| own.to_vec());
        assert_eq!(fronts(&all), [vec![0, 1, 2], vec![4], vec![3], vec![5]]);
        assert!(!dominates(&all[1], &all[4]) && dominates(&all[1], &all[3]));
        assert!(front(&[]).is_empty());
    }
}
