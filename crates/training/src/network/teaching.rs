//! The loss of answers that are pulled to those of a teacher (Hinton et al., 2015).
//!
//! A teacher says how probable every class is. Its answer and that of the network are softened: at the temperature T all logarithms are divided by
//! T, and the shares add up to one again. What the network is told then is how far its softened answer p is from the softened q of the teacher:
//!
//! - as a divergence, T² times the sum of q (ln q - ln p), which Compressor and AVATAR take: the square makes up for slopes that fall with it,
//! - as a cross entropy, the sum of -q ln p, which MORPH takes, without the square.
//!
//! The labels may count beside the teacher, and variants may be pulled to their originals. The states at the first tokens, on which the answers depend, may be
//! pulled to the teacher's as well, through a learned projection where those are of another width (FitNets, Romero et al., 2015).

use super::Batch;
use super::consistency::{self, distances, logarithms};
use crate::compute::{Compute, ComputeError};

/// What a teacher says about the examples of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftLabels {
    /// How probable the teacher finds every class, softened: a row for each example.
    pub shares: Vec<f32>,
    /// How much the teacher's answer about each example counts.
    pub weights: Vec<f32>,
    /// How much the label of an example counts.
    pub label_weight: f32,
    pub temperature: f32,
    pub loss: SoftLoss,
    /// The states that those of the examples are pulled to.
    pub states: Option<SoftStates>,
}

/// The states of a teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftStates {
    /// A row for each program of each example, side by side.
    pub rows: Vec<f32>,
    /// How much the mean squared distance to them counts.
    pub weight: f32,
}

/// How far the answer of a network is from that of its teacher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftLoss {
    /// The divergence of Kullback and Leibler, times the square of the temperature.
    Divergence,
    /// The cross entropy.
    CrossEntropy,
}

impl SoftLoss {
    /// The name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            SoftLoss::Divergence => "kl",
            SoftLoss::CrossEntropy => "cross-entropy",
        }
    }
}

/// Shares of classes at a temperature. A share of zero counts as the smallest number above it.
pub fn softened(shares: &[f32], temperature: f32) -> Vec<f32> {
    let scores: Vec<f32> = shares.iter().map(|share| share.max(f32::MIN_POSITIVE).ln() / temperature).collect();
    logarithms(&scores).into_iter().map(|logarithm| logarithm.exp() as f32).collect()
}

/// What the answers of a batch are pulled to, beside its labels or in their place.
pub(super) struct Pulls {
    consistency: f32,
    /// What a teacher says, and the label of every example.
    soft: Option<(SoftLabels, Vec<u32>)>,
}

impl Pulls {
    /// The answers are pulled to the labels alone.
    pub const NONE: Pulls = Pulls { consistency: 0.0, soft: None };

    /// The states to pull to, and the number of examples.
    pub fn states(&self) -> Option<(&SoftStates, usize)> {
        let (soft, labels) = self.soft.as_ref()?;
        Some((soft.states.as_ref()?, labels.len()))
    }

    /// What a batch asks for. Its labels are those of its question.
    pub fn of(batch: &Batch, classes: &[u32]) -> Pulls {
        Pulls { consistency: batch.consistency, soft: batch.soft.clone().map(|soft| (soft, classes.to_vec())) }
    }
}

/// The loss of every row of scores and the slopes of the scores, both times `share`.
///
/// There are few scores in a batch, so that what is not a label is computed here, whatever the device is.
pub(super) fn losses<C: Compute>(
    compute: &C,
    scores: C::Array,
    classes: &C::Numbers,
    share: f32,
    pulls: &Pulls,
) -> Result<(C::Array, C::Array), ComputeError> {
    let Pulls { consistency, soft: Some((soft, labels)) } = pulls else {
        return consistency::losses(compute, scores, classes, share, pulls.consistency);
    };
    let numbers = compute.read(&scores)?;
    let columns = numbers.len() / labels.len().max(1);
    let (mut losses, mut slopes) = taught(&numbers, labels, soft, share);
    if *consistency > 0.0 {
        let (more, more_slopes) = distances(&numbers, labels.len(), share * consistency);
        losses.iter_mut().zip(more).for_each(|(loss, more)| *loss += more);
        slopes.iter_mut().zip(more_slopes).for_each(|(slope, more)| *slope += more);
    }
    Ok((compute.array(&losses, 1)?, compute.array(&slopes, columns)?))
}

/// How far states are from those of a teacher: for each example the mean squared distance of its states, and the slopes of all of them, both times
/// `share` and the weight.
pub(super) fn state_losses(own: &[f32], teacher: &SoftStates, examples: usize, share: f32) -> (Vec<f32>, Vec<f32>) {
    let per_example = own.len() / examples.max(1);
    let factor = f64::from(share) * f64::from(teacher.weight) / per_example.max(1) as f64;
    let (mut losses, mut slopes) = (Vec::with_capacity(examples), Vec::with_capacity(own.len()));
    for (own, teacher) in own.chunks_exact(per_example.max(1)).zip(teacher.rows.chunks_exact(per_example.max(1))) {
        let differences = own.iter().zip(teacher).map(|(own, teacher)| f64::from(*own) - f64::from(*teacher));
        let differences: Vec<f64> = differences.collect();
        losses.push((factor * differences.iter().map(|own| own * own).sum::<f64>()) as f32);
        slopes.extend(differences.iter().map(|own| (2.0 * factor * own) as f32));
    }
    (losses, slopes)
}

/// The loss of every row, and the slopes of all scores.
fn taught(scores: &[f32], labels: &[u32], soft: &SoftLabels, share: f32) -> (Vec<f32>, Vec<f32>) {
    let columns = scores.len() / labels.len().max(1);
    let temperature = f64::from(soft.temperature);
    let (mut losses, mut slopes) = (Vec::with_capacity(labels.len()), Vec::with_capacity(scores.len()));
    let rows = scores.chunks_exact(columns.max(1)).zip(soft.shares.chunks_exact(columns.max(1)));
    for ((row, teacher), (label, weight)) in rows.zip(labels.iter().zip(&soft.weights)) {
        let (own, hard) = (f64::from(*weight), f64::from(soft.label_weight));
        let plain = logarithms(row);
        let cooled: Vec<f32> = row.iter().map(|score| score / soft.temperature).collect();
        let cooled = logarithms(&cooled);
        let mut entropy = 0.0;
        let mut cross_entropy = 0.0;
        for (q, p) in teacher.iter().map(|share| f64::from(*share)).zip(&cooled) {
            cross_entropy -= q * p;
            entropy -= if q > 0.0 { q * q.ln() } else { 0.0 };
        }
        let (factor, far) = match soft.loss {
            SoftLoss::Divergence => (temperature * temperature, cross_entropy - entropy),
            SoftLoss::CrossEntropy => (1.0, cross_entropy),
        };
        let loss = own * factor * far - hard * plain[*label as usize];
        losses.push((f64::from(share) * loss) as f32);
        for (class, ((p, q), plain)) in cooled.iter().zip(teacher).zip(&plain).enumerate() {
            let is_label = f64::from(u8::from(class == *label as usize));
            let slope = own * factor / temperature * (p.exp() - f64::from(*q)) + hard * (plain.exp() - is_label);
            slopes.push((f64::from(share) * slope) as f32);
        }
    }
    (losses, slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f32; 6] = [0.3, -1.2, 2.0, 0.1, 0.0, 0.4];

    fn labels(loss: SoftLoss, label_weight: f32) -> SoftLabels {
        let shares = [[0.7, 0.2, 0.1], [0.05, 0.15, 0.8]].map(|row| softened(&row, 2.5)).concat();
        SoftLabels { shares, weights: vec![1.0, 0.4], label_weight, temperature: 2.5, loss, states: None }
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        for loss in [SoftLoss::Divergence, SoftLoss::CrossEntropy] {
            let soft = labels(loss, 0.3);
            let sum =
                |scores: &[f32]| taught(scores, &[2, 0], &soft, 0.5).0.iter().map(|own| f64::from(*own)).sum::<f64>();
            let (_, slopes) = taught(&SCORES, &[2, 0], &soft, 0.5);
            for place in 0..SCORES.len() {
                let moved = |by: f32| {
                    let mut scores = SCORES;
                    scores[place] += by;
                    sum(&scores)
                };
                let slope = (moved(0.01) - moved(-0.01)) / 0.02;
                assert!((slope - f64::from(slopes[place])).abs() < 1e-3, "{loss:?} {place}: {slope} {}", slopes[place]);
            }
        }
    }

    #[test]
    fn a_network_that_says_the_same_is_as_far_as_it_can_be_from_a_loss() {
        let soft = labels(SoftLoss::Divergence, 0.0);
        // Scores whose shares at the temperature are those of the teacher.
        let scores: Vec<f32> = soft.shares.iter().map(|share| 2.5 * share.ln()).collect();
        let (losses, slopes) = taught(&scores, &[0, 0], &soft, 1.0);
        assert!(losses.iter().chain(&slopes).all(|number| number.abs() < 1e-5), "{losses:?} {slopes:?}");
        let (entropies, slopes) = taught(&scores, &[0, 0], &labels(SoftLoss::CrossEntropy, 0.0), 1.0);
        assert!(entropies.iter().all(|loss| *loss > 0.1) && slopes.iter().all(|slope| slope.abs() < 1e-5));
    }

    #[test]
    fn shares_are_softened() {
        let even = softened(&[0.9, 0.1], 1.0);
        assert!((even[0] - 0.9).abs() < 1e-6);
        // The root of nine is three.
        let soft = softened(&[0.9, 0.1], 2.0);
        assert!((soft[0] - 0.75).abs() < 1e-6 && (soft.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{soft:?}");
        assert!(softened(&[1.0, 0.0], 10.0).iter().all(|share| share.is_finite() && *share > 0.0));
    }
}
