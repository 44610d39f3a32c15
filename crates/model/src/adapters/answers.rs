//! What several kinds of models share: from an input to its texts, and from scores to probabilities.

use crate::huggingface::settings::Shape;
use crate::{Fault, Input, OpenError};
use kernels::softmax;

/// The texts of an input, in the order in which a sequence holds them.
pub(crate) fn texts(shape: Shape, input: &Input) -> Result<Vec<&str>, Fault> {
    match (shape, input) {
        (Shape::Code, Input::Code(code)) => Ok(vec![&code.text]),
        (Shape::Pair, Input::Pair(one, other)) => Ok(vec![&one.text, &other.text]),
        // The query comes first, as in CodeXGLUE.
        (Shape::CodeAndText, Input::CodeAndText(code, text)) => Ok(vec![text, &code.text]),
        (shape, input) => Err(Fault::WrongInput { wanted: shape.words(), given: input.shape() }),
    }
}

/// The probability of every class. `order` says which class each score is for.
pub(crate) fn probabilities(scores: &[f32], order: Option<&[usize]>) -> Vec<f32> {
    // A head with one output says how probable the second of two classes is.
    let probabilities = match scores {
        [score] => softmax(&[0.0, *score]),
        scores => softmax(scores),
    };
    ordered(probabilities, order)
}

/// Probabilities by the number of their class. `order` says which class each of them is for.
pub(crate) fn ordered(probabilities: Vec<f32>, order: Option<&[usize]>) -> Vec<f32> {
    let Some(order) = order else { return probabilities };
    let mut ordered = vec![0.0; probabilities.len()];
    for (class, probability) in order.iter().zip(&probabilities) {
        ordered[*class] = *probability;
    }
    ordered
}

/// Numbers of an answer, which must be finite: weights that are can still overflow on the way.
pub(crate) fn finite(numbers: Vec<f32>) -> Result<Vec<f32>, Fault> {
    if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err(Fault::NotFinite) }
}

/// Does an order name each class once? A head with one output has two classes.
pub(crate) fn check_order(order: &[usize], outputs: usize) -> Result<(), OpenError> {
    let classes = outputs.max(2);
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    match sorted.into_iter().eq(0..classes) {
        true => Ok(()),
        false => {
            let problem = format!("`order` must name each of the {classes} classes once");
            Err(OpenError::Unusable { place: "allotrope.toml".to_owned(), problem })
        }
    }
}

/// The mean of some rows.
pub(crate) fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        mean.iter_mut().zip(row).for_each(|(mean, number)| *mean += number);
    }
    let count = (rows.len() / width) as f32;
    mean.iter_mut().for_each(|number| *number /= count);
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_are_no_answer() {
        assert_eq!(finite(probabilities(&[f32::NAN, 1.0], None)), Err(Fault::NotFinite));
        assert_eq!(finite(vec![0.5]), Ok(vec![0.5]));
    }

    #[test]
    fn one_output_stands_for_two_classes() {
        assert_eq!(probabilities(&[0.0], None), [0.5, 0.5]);
        assert!(probabilities(&[9.0], None)[1] > 0.99);
        assert!(probabilities(&[9.0], Some(&[1, 0]))[0] > 0.99);
        assert!(check_order(&[1, 0], 1).is_ok() && check_order(&[0], 1).is_err() && check_order(&[2, 0, 1], 3).is_ok());
    }
}
