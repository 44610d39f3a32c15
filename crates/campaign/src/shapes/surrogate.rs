//! What is learned from a few shapes that were trained, to guess what others would come to: a ridge regression and boosted stumps.

/// Guesses a number from features.
pub trait Surrogate {
    fn guess(&self, features: &[f64]) -> f64;
}

/// A linear function whose weights are small.
struct Ridge {
    means: Vec<f64>,
    scales: Vec<f64>,
    weights: Vec<f64>,
    middle: f64,
}

/// The penalties of weights that are tried.
const PENALTIES: [f64; 7] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// A ridge regression with the penalty that has the least error on rows that were left out, one after the other.
pub fn ridge(rows: &[Vec<f64>], numbers: &[f64]) -> Box<dyn Surrogate> {
    let error =
        |penalty: f64| left_out_error(rows, numbers, &|rows, numbers| Box::new(Ridge::new(rows, numbers, penalty)));
    let best = PENALTIES.into_iter().min_by(|one, other| error(*one).total_cmp(&error(*other)));
    Box::new(Ridge::new(rows, numbers, best.unwrap_or(1.0)))
}

/// Learns what rows come to.
pub type Fit<'a> = &'a dyn Fn(&[Vec<f64>], &[f64]) -> Box<dyn Surrogate>;

/// The mean absolute error about each row of what was learned from the others.
pub fn left_out_error(rows: &[Vec<f64>], numbers: &[f64], fit: Fit<'_>) -> f64 {
    if rows.len() < 2 {
        return f64::INFINITY;
    }
    let errors = (0..rows.len()).map(|left_out| {
        let others = |place: &usize| *place != left_out;
        let own: Vec<Vec<f64>> = (0..rows.len()).filter(others).map(|place| rows[place].clone()).collect();
        let theirs: Vec<f64> = (0..rows.len()).filter(others).map(|place| numbers[place]).collect();
        (fit(&own, &theirs).guess(&rows[left_out]) - numbers[left_out]).abs()
    });
    errors.sum::<f64>() / rows.len() as f64
}

impl Ridge {
    fn new(rows: &[Vec<f64>], numbers: &[f64], penalty: f64) -> Ridge {
        let (count, width) = (rows.len().max(1) as f64, rows.first().map_or(0, Vec::len));
        let mean_of = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / count;
        let means: Vec<f64> = (0..width).map(mean_of).collect();
        let deviation =
            |column: usize| (rows.iter().map(|row| (row[column] - means[column]).powi(2)).sum::<f64>() / count).sqrt();
        // What is the same in all rows says nothing.
        let scale = |column: usize| Some(deviation(column)).filter(|own| *own > 1e-12).map_or(0.0, f64::recip);
        let scales: Vec<f64> = (0..width).map(scale).collect();
        let middle = numbers.iter().sum::<f64>() / count;
        let own = |row: &[f64]| -> Vec<f64> {
            (0..width).map(|column| (row[column] - means[column]) * scales[column]).collect()
        };
        let normed: Vec<Vec<f64>> = rows.iter().map(|row| own(row)).collect();
        let mut matrix = vec![vec![0.0; width + 1]; width];
        for (row, number) in normed.iter().zip(numbers) {
            for one in 0..width {
                for other in 0..width {
                    matrix[one][other] += row[one] * row[other];
                }
                matrix[one][width] += row[one] * (number - middle);
            }
        }
        for (place, row) in matrix.iter_mut().enumerate() {
            row[place] += penalty;
        }
        Ridge { means, scales, weights: solved(matrix), middle }
    }
}

impl Surrogate for Ridge {
    fn guess(&self, features: &[f64]) -> f64 {
        let parts = features.iter().zip(&self.means).zip(&self.scales).zip(&self.weights);
        self.middle + parts.map(|(((own, mean), scale), weight)| (own - mean) * scale * weight).sum::<f64>()
    }
}

/// Solves linear equations, of which each has its right side at its end. The matrix is positive definite, so that no pivot is zero.
fn solved(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let width = matrix.len();
    for pivot in 0..width {
        let own = matrix[pivot].clone();
        for row in matrix.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / own[pivot];
            row.iter_mut().zip(&own).skip(pivot).for_each(|(number, own)| *number -= factor * own);
        }
    }
    let mut found = vec![0.0; width];
    for place in (0..width).rev() {
        let known: f64 = (place + 1..width).map(|other| matrix[place][other] * found[other]).sum();
        found[place] = (matrix[place][width] - known) / matrix[place][place];
    }
    found
}

/// A sum of stumps: each adds one of two numbers, by one feature.
struct Boosted {
    middle: f64,
    stumps: Vec<Stump>,
}

struct Stump {
    column: usize,
    threshold: f64,
    /// What is added below the threshold, and from it on.
    sides: [f64; 2],
}

/// How many stumps there are, and how much of what each finds is taken.
const STUMPS: usize = 100;
const RATE: f64 = 0.1;

/// Gradient boosting of squared errors with stumps.
pub fn boosted(rows: &[Vec<f64>], numbers: &[f64]) -> Box<dyn Surrogate> {
    let middle = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    let mut left: Vec<f64> = numbers.iter().map(|number| number - middle).collect();
    let mut stumps = Vec::new();
    for _ in 0..STUMPS {
        let Some(stump) = best_stump(rows, &left) else { break };
        left.iter_mut().zip(rows).for_each(|(left, row)| *left -= stump.guess(row));
        stumps.push(stump);
    }
    Box::new(Boosted { middle, stumps })
}

/// A share of which another surrogate guesses the logit.
struct OfLogit(Box<dyn Surrogate>);

/// Gradient boosting of the logits of shares, as MORPH guesses accuracies.
pub fn boosted_share(rows: &[Vec<f64>], shares: &[f64]) -> Box<dyn Surrogate> {
    let logit = |share: &f64| {
        // That of 0 or 1, of a few examples, would be infinite.
        let share = share.clamp(0.001, 0.999);
        (share / (1.0 - share)).ln()
    };
    Box::new(OfLogit(boosted(rows, &shares.iter().map(logit).collect::<Vec<f64>>())))
}

impl Surrogate for OfLogit {
    fn guess(&self, features: &[f64]) -> f64 {
        1.0 / (1.0 + (-self.0.guess(features)).exp())
    }
}

/// The stump that leaves the smallest squares.
fn best_stump(rows: &[Vec<f64>], left: &[f64]) -> Option<Stump> {
    let mut best: Option<(f64, Stump)> = None;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let mut values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for pair in values.windows(2) {
            let threshold = (pair[0] + pair[1]) / 2.0;
            let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
            for (row, left) in rows.iter().zip(left) {
                let side = usize::from(row[column] >= threshold);
                sums[side] += left;
                counts[side] += 1.0;
            }
            // What the squares become smaller by.
            let gain = sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
            if best.as_ref().is_none_or(|(most, _)| gain > *most + 1e-12) {
                let sides = [0, 1].map(|side| RATE * sums[side] / counts[side]);
                best = Some((gain, Stump { column, threshold, sides }));
            }
        }
    }
    best.filter(|(gain, _)| *gain > 1e-15).map(|(_, stump)| stump)
}

impl Surrogate for Stump {
    fn guess(&self, features: &[f64]) -> f64 {
        self.sides[usize::from(features[self.column] >= self.threshold)]
    }
}

impl Surrogate for Boosted {
    fn guess(&self, features: &[f64]) -> f64 {
        self.middle + self.stumps.iter().map(|stump| stump.guess(features)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(count: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let rows: Vec<Vec<f64>> = (0..count).map(|place| vec![place as f64, ((place * 7) % 5) as f64, 3.0]).collect();
        let numbers = rows.iter().map(|row| 2.0 * row[0] - row[1] + 4.0).collect();
        (rows, numbers)
    }

    #[test]
    fn a_plane_is_found() {
        let (rows, numbers) = plane(30);
        let found = ridge(&rows, &numbers);
        assert!((found.guess(&[10.5, 2.0, 3.0]) - 23.0).abs() < 0.1);
        assert!(left_out_error(&rows, &numbers, &ridge) < 0.1);
        // Of one row nothing is known but its number.
        assert_eq!(ridge(&rows[..1], &numbers[..1]).guess(&[9.0, 9.0, 9.0]), numbers[0]);
    }

    #[test]
    fn steps_are_found_by_stumps() {
        let rows: Vec<Vec<f64>> = (0..20).map(|place| vec![f64::from(place % 3), f64::from(place)]).collect();
        let numbers: Vec<f64> = rows.iter().map(|row| if row[1] < 8.0 { 1.0 } else { 5.0 }).collect();
        let found = boosted(&rows, &numbers);
        assert!((found.guess(&[0.0, 2.0]) - 1.0).abs() < 0.01 && (found.guess(&[0.0, 15.0]) - 5.0).abs() < 0.01);
        let shares: Vec<f64> = numbers.iter().map(|number| number / 10.0).collect();
        assert!((boosted_share(&rows, &shares).guess(&[0.0, 15.0]) - 0.5).abs() < 0.01);
        assert_eq!(boosted(&rows[..1], &numbers[..1]).guess(&rows[4]), numbers[0]);
        assert!(left_out_error(&rows[..1], &numbers[..1], &boosted).is_infinite());
    }
}
