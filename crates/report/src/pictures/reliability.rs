//! Reliability diagrams: how often answers are right that a model is confident about to some degree.

use super::{Drawing, Plot, Scale, short_names};

/// The bins of a diagram.
const BINS: usize = 10;

/// A bin: the mean confidence of its answers, the share of them that is right, and how many there are.
pub type Bin = (f64, f64, usize);

/// The answers of a model, each with its confidence and whether it is right, in bins of equal width. Empty ones are left out.
pub fn bins(answers: impl IntoIterator<Item = (f64, bool)>) -> Vec<Bin> {
    let mut bins = [(0.0, 0.0, 0_usize); BINS];
    for (confidence, is_right) in answers {
        let bin = &mut bins[((confidence * BINS as f64).ceil() as usize).clamp(1, BINS) - 1];
        bin.0 += confidence;
        bin.1 += f64::from(u8::from(is_right));
        bin.2 += 1;
    }
    let filled = bins.into_iter().filter(|(.., n)| *n > 0);
    filled.map(|(confidence, right, n)| (confidence / n as f64, right / n as f64, n)).collect()
}

/// The diagram of some models, each with its name and the class of its colour.
pub fn reliability(models: &[(String, String, Vec<Bin>)]) -> Drawing {
    Drawing::new("Accuracy against confidence", |width| {
        let names = short_names(models.iter().map(|(name, ..)| name.as_str()), width);
        let mut plot = Plot::new(&names, width, Scale::new(0.0, 1.0), Scale::new(0.0, 1.0));
        plot.plain_axes("confidence");
        plot.line(&[(0.0, 0.0), (1.0, 1.0)], "guide");
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for (name, class, bins) in models {
            let points: Vec<(f64, f64)> = bins.iter().map(|(confidence, right, _)| (*confidence, *right)).collect();
            plot.line(&points, class);
            let all: usize = bins.iter().map(|(.., n)| n).sum();
            for (confidence, right, n) in bins {
                let radius = 2.5 + 5.0 * (*n as f64 / all.max(1) as f64).sqrt();
                let words = format!("{name}: {n} answers, confidence {confidence:.2}, accuracy {right:.2}");
                plot.dot((*confidence, *right), radius, class, &words);
            }
            heights.push(points.last().map_or(0.0, |(_, right)| *right));
            classes.push(class.clone());
        }
        plot.names(&names, &heights, &classes);
        plot.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_has_its_upper_border() {
        let found = bins([(0.8, true), (0.75, false), (0.81, true), (0.0, false), (1.0, true)]);
        assert_eq!(found, [(0.0, 0.0, 1), (0.775, 0.5, 2), (0.81, 1.0, 1), (1.0, 1.0, 1)]);
        assert!(bins([]).is_empty());
    }
}
