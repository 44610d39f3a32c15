//! The statistical tests, one file each, in alphabetical order.

pub use bootstrap::{Bootstrap, Interval, Method, Sums};
pub use cliffs_delta::{CliffsDelta, EffectSize, cliffs_delta};
pub use friedman::{Friedman, friedman};
pub use holm::holm;
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use mcnemar::{McNemar, mcnemar, mcnemar_one_sided};
pub use nemenyi::{Nemenyi, nemenyi};
pub use shapiro_wilk::{ShapiroWilk, shapiro_wilk};
pub use spearman::{Spearman, spearman};
pub use wilcoxon_signed_rank::{Exactness, SignedRank, Zeros, wilcoxon_signed_rank};
pub use wilson::wilson;

manual::catalogue! {
    "statistics", fn run: crate::MeasureFunction,
    bootstrap,
    cliffs_delta,
    friedman,
    holm,
    mann_whitney,
    mcnemar,
    nemenyi,
    shapiro_wilk,
    spearman,
    wilcoxon_signed_rank,
    wilson,
}
