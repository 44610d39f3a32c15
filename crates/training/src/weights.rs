//! The parameters of a network from the arrays of a checkpoint.

use model::OpenError;
use model::weights::Weights;

use crate::shape::{Layout, ParameterKind};

/// What the names of a checkpoint begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes<'a> {
    /// Those of the encoder, such as `roberta.`.
    pub encoder: &'a str,
    /// Those of the head for classes, such as `classifier.`.
    pub head: &'a str,
}

/// All parameters in the order of a layout. A bias that the checkpoint does not have is zero.
pub fn read(layout: &Layout, weights: &Weights, prefixes: Prefixes<'_>) -> Result<Vec<f32>, OpenError> {
    let mut all = vec![0.0; layout.count];
    for parameter in &layout.parameters {
        let name = match parameter.name.strip_prefix("roberta.") {
            Some(rest) => format!("{}{rest}", prefixes.encoder),
            None => match parameter.name.strip_prefix("classifier.") {
                Some(rest) => format!("{}{rest}", prefixes.head),
                None => parameter.name.clone(),
            },
        };
        if parameter.kind == ParameterKind::Bias && !weights.has(&name) {
            continue;
        }
        let own = weights.take(&name, &parameter.shape)?;
        all[parameter.start..parameter.start + own.len()].copy_from_slice(&own);
    }
    Ok(all)
}
