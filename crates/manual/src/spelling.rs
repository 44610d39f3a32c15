//! What somebody may have meant who spelled a name wrongly.

/// Up to three of `known` that are spelled like `name`, nearest first: what somebody may have meant.
pub fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scored: Vec<(usize, &str)> = known
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| {
            *distance <= name.len().max(other.len()) / 3 || (name.len() > 3 && other.contains(name))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, other)| other.to_owned()).collect()
}

/// How many letters have to be added, taken away or changed to make one word of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, letter) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["rename-local", "rename-field", "invert-if"];
        assert_eq!(closest("renam-local", known.into_iter()), ["rename-local"]);
        assert_eq!(closest("rename", known.into_iter()), ["rename-field", "rename-local"]);
        assert_eq!(closest("qqqqqq", known.into_iter()), [""; 0]);
        assert_eq!(closest("", known.into_iter()), [""; 0]);
    }
}
