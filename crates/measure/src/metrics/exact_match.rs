//! The fraction of predicted texts that equal the true one, ignoring leading and trailing whitespace.
//!
//! kind: task
//! better: higher
//! source: CodeXGLUE, code generation and repair, which strip each line and compare
//!
//! ```json
//! {"predicted": ["return a;\n", "return b;"], "truth": ["return a;", "return  b;"]}
//! ```
//! ->
//! ```json
//! 0.5
//! ```
//!
//! ```json
//! {"predicted": ["a"], "truth": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::share;

/// The fraction of predicted texts that equal the true one.
pub fn exact_match<One: AsRef<str>, Other: AsRef<str>>(predicted: &[One], truth: &[Other]) -> Option<f64> {
    share(predicted, truth, |predicted, truth| is_exact_match(predicted.as_ref(), truth.as_ref()))
}

/// Are two texts equal, ignoring leading and trailing whitespace?
pub fn is_exact_match(predicted: &str, truth: &str) -> bool {
    predicted.trim() == truth.trim()
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    result(exact_match(&predicted, &argument::<Vec<String>>(arguments, "truth")?))
}
