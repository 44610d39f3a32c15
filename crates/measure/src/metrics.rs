//! The measures, one file each, in alphabetical order.

pub use accuracy::accuracy;
pub use bleu::{BleuCounts, bleu, bleu_counts, bleu_of_counts};
pub use bleu_of_sentences::{bleu_of_sentences, sentence_bleu};
pub use calibration_error::{BINS, calibration_error, calibration_error_of_equal_mass};
pub(crate) use calibration_error::{CELLS, bin_of, calibration_error_of_sums};
pub use code_search::{Similarity, mrr_of_ranks, recall_at, search_ranks};
pub use confusion_table::{Confusion, classes_of, confusion_table};
pub use exact_match::{exact_match, is_exact_match};
pub use matthews_correlation::matthews_correlation;
pub use mean_reciprocal_rank::{mean_reciprocal_rank, reciprocal_rank};
pub use percentage_mrr::{certainty, percentage_mrr};
pub use precision_recall_f1::{Scores, binary_scores, macro_scores, micro_scores, scores};
pub use rouge::{Rouge, rouge, rouge_of};
pub use subtoken_f1::{SubtokenScores, Words, subtoken_counts, subtoken_f1, subtokens};

manual::catalogue! {
    "metrics", fn run: crate::Run,
    accuracy,
    bleu,
    bleu_of_sentences,
    calibration_error,
    code_search,
    confusion_table,
    exact_match,
    matthews_correlation,
    mean_reciprocal_rank,
    percentage_mrr,
    precision_recall_f1,
    rouge,
    subtoken_f1,
}
