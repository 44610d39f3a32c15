//! The mean number of lines and tokens that adversarial examples add to their originals.
//!
//! kind: quality
//! better: lower
//! source: ours: structural attacks grow programs, which studies of renaming need not count
//!
//! ```json
//! {"before": [{"lines": 10, "tokens": 80}, {"lines": 5, "tokens": 40}],
//!  "after": [{"lines": 13, "tokens": 92}, {"lines": 4, "tokens": 41}]}
//! ```
//! ->
//! ```json
//! {"lines": 1.0, "tokens": 6.5, "token_share": 0.10833}
//! ```
//!
//! `token_share` is the number of added tokens per original token, over all examples.
//!
//! ```json
//! {"before": [], "after": []}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{mean, ratio};
use crate::summary::{AttackMeasure, Place};

/// The size of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Size {
    /// Its lines.
    pub lines: usize,
    /// Its tokens.
    pub tokens: usize,
}

/// How much programs grew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// The mean number of lines that were added; negative where lines were lost.
    pub lines: f64,
    /// The mean number of tokens that were added.
    pub tokens: f64,
    /// The tokens that were added by those that were there.
    pub token_share: Option<f64>,
}

/// How much programs grew.
pub fn size_growth(before: &[Size], after: &[Size]) -> Option<Growth> {
    if before.len() != after.len() {
        return None;
    }
    let added = |size: fn(&Size) -> usize| -> Vec<f64> {
        before.iter().zip(after).map(|(before, after)| size(after) as f64 - size(before) as f64).collect()
    };
    let tokens = added(|size| size.tokens);
    Some(Growth {
        lines: mean(added(|size| size.lines))?,
        tokens: mean(tokens.iter().copied())?,
        token_share: ratio(tokens.iter().sum(), before.iter().map(|size| size.tokens as f64).sum()),
    })
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[
    AttackMeasure::ratio("added lines", |it| {
        let found = it.of_valid()?;
        Some([found.lines_after as f64 - found.lines as f64, 1.0])
    })
    .shown(Place::Quality, "Lines added", "Mean number of lines that an example is longer than its original."),
    AttackMeasure::ratio("added tokens", |it| {
        let found = it.of_valid()?;
        Some([found.tokens_after as f64 - found.tokens as f64, 1.0])
    })
    .shown(Place::Quality, "Tokens added", "Mean number of tokens that an example is longer than its original."),
];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let before: Vec<Size> = argument(arguments, "before")?;
    result(size_growth(&before, &argument::<Vec<Size>>(arguments, "after")?))
}
