//! Names.
use super::builder::Builder;
pub(super) fn walk(builder: &mut Builder<'_>) {
    let _ = builder;
}
