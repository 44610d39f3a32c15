//! The measures, one file each.

use crate::summary::AttackMeasure;

pub use accuracy::accuracy;
pub use attack_success_rate::{SuccessRate, VALID_RATE, attack_success_rate};
pub use average_cosine_similarity::{average_cosine_similarity, cosine_similarity};
pub use average_edit_distance::average_edit_distance;
pub use bleu::{BleuCounts, bleu, bleu_counts, bleu_of_counts};
pub use bleu_of_sentences::{bleu_of_sentences, sentence_bleu};
pub use calibration_agreement::{AGREEMENT_BINS, CalibrationAgreement, calibration_agreement};
pub use calibration_error::{BINS, calibration_error, calibration_error_of_equal_mass};
pub(crate) use calibration_error::{CELLS, bin_of, calibration_error_of_sums};
pub use code_search::{Similarity, mrr_of_ranks, recall_at, search_ranks};
pub use confidence_decrement::{confidence_decrement, confidence_decrement_of};
pub(crate) use confusion_table::MOST_CLASSES;
pub use confusion_table::{Confusion, classes_of, confusion_table};
pub use cost_per_target::{Cost, cost_per_target};
pub use edit_distance_score::{edit_distance, edit_distance_score};
pub use exact_match::{exact_match, is_exact_match};
pub use high_confidence_agreement::{Agreement, TAUS, high_confidence_agreement};
pub use identifier_change_rate::identifier_change_rate;
pub use jaccard_distance::{jaccard_distance, jaccard_distance_of};
pub use label_change_rate::label_change_rate;
pub use label_loyalty::{Loyalty, label_loyalty};
pub use matthews_correlation::matthews_correlation;
pub use mean_reciprocal_rank::{mean_reciprocal_rank, reciprocal_rank};
pub use mutation_score::{MutationScore, mutation_score};
pub use percentage_mrr::{certainty, percentage_mrr};
pub use precision_recall_f1::{Scores, binary_scores, macro_scores, micro_scores, scores};
pub use probability_loyalty::{DELTA, ProbabilityLoyalty, kl_divergence, probability_loyalty};
pub use robust_accuracy::robust_accuracy;
pub use robustness_gap::{RobustnessGap, robustness_gap};
pub use roc_auc::{area_of_sums, places_of, roc_auc};
pub use rouge::{Rouge, rouge, rouge_of};
pub use size_growth::{Growth, Size, size_growth};
pub use subtoken_f1::{SubtokenScores, Words, subtoken_counts, subtoken_f1, subtokens};
pub use token_change_rate::{changed_tokens, token_change_rate};

/// Makes the catalogue, and the list of what tables show of attacks.
macro_rules! measures {
    (of_attacks { $(mod $shown:ident;)* } others { $(mod $other:ident;)* }) => {
        manual::catalogue! {
            "metrics", fn run: crate::MeasureFunction,
            $($shown,)* $($other,)*
        }

        /// What tables show of attacks, by measure.
        pub(crate) static OF_ATTACKS: &[&[AttackMeasure]] = &[$($shown::SHOWN,)*];
    };
}

measures! {
    // In the order in which tables show them. Each says what `compare` and the report show of it.
    of_attacks {
        mod attack_success_rate;
        mod robust_accuracy;
        mod confidence_decrement;
        mod cost_per_target;
        mod identifier_change_rate;
        mod token_change_rate;
        mod average_edit_distance;
        mod average_cosine_similarity;
        mod size_growth;
    }
    // In alphabetical order.
    others {
        mod accuracy;
        mod bleu;
        mod bleu_of_sentences;
        mod calibration_agreement;
        mod calibration_error;
        mod code_search;
        mod confusion_table;
        mod edit_distance_score;
        mod exact_match;
        mod high_confidence_agreement;
        mod jaccard_distance;
        mod label_change_rate;
        mod label_loyalty;
        mod matthews_correlation;
        mod mean_reciprocal_rank;
        mod mutation_score;
        mod percentage_mrr;
        mod precision_recall_f1;
        mod probability_loyalty;
        mod robustness_gap;
        mod roc_auc;
        mod rouge;
        mod subtoken_f1;
    }
}
