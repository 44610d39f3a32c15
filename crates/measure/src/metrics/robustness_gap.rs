//! How much easier a student is to attack than its teacher, and whether example quality explains it.
//!
//! kind: fidelity
//! better: lower
//! source: MetaCompress: attack success rates compared by attack, with Wilcoxon over models and Friedman over attacks
//!
//! `teacher` and `student` hold the success rate of each attack. The quality of the adversarial examples (an ICR, an ACS) is
//! a list for each attack, with one number per task or pair of models, in the same order for both. A small
//! `quality_of_models` means that the examples against teacher and student differ in quality, so that the gap may be an
//! artefact; a small `quality_of_attacks` means that the attacks differ.
//!
//! ```json
//! {
//!   "teacher": [0.30, 0.40, 0.20],
//!   "student": [0.50, 0.55, 0.30],
//!   "teacher_quality": [[0.20, 0.22], [0.30, 0.31], [0.10, 0.12]],
//!   "student_quality": [[0.21, 0.20], [0.33, 0.30], [0.14, 0.07]]
//! }
//! ```
//! ->
//! ```json
//! {"gaps": [0.2, 0.15, 0.1], "mean_gap": 0.15, "quality_of_models": 1.0, "quality_of_attacks": 0.01832}
//! ```
//!
//! ```json
//! {"teacher": [0.5], "student": [], "teacher_quality": [], "student_quality": []}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;
use crate::statistics::{Exactness, Zeros, friedman, wilcoxon_signed_rank};

/// How much easier a student is to attack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RobustnessGap {
    /// The success rate against the student minus that against the teacher, for each attack.
    pub gaps: Vec<f64>,
    /// The mean of the gaps.
    pub mean_gap: f64,
    /// The p-value of Wilcoxon's test of the qualities against teacher and student, over all attacks and tasks.
    pub quality_of_models: Option<f64>,
    /// The p-value of Friedman's test of the qualities of the attacks, over teacher and student and all tasks.
    pub quality_of_attacks: Option<f64>,
}

/// How much easier a student is to attack.
pub fn robustness_gap(
    teacher: &[f64],
    student: &[f64],
    teacher_quality: &[Vec<f64>],
    student_quality: &[Vec<f64>],
) -> Option<RobustnessGap> {
    if teacher.len() != student.len() {
        return None;
    }
    let gaps: Vec<f64> = teacher.iter().zip(student).map(|(teacher, student)| student - teacher).collect();
    let mean_gap = mean(gaps.iter().copied())?;
    let have_places = teacher_quality.len() == student_quality.len()
        && teacher_quality.iter().zip(student_quality).all(|(teacher, student)| teacher.len() == student.len());
    let quality_of_models = if have_places {
        wilcoxon_signed_rank(&teacher_quality.concat(), &student_quality.concat(), Zeros::Drop, Exactness::Auto)
    } else {
        None
    };
    let blocks: Vec<Vec<f64>> = [teacher_quality, student_quality].into_iter().flat_map(blocks).collect();
    Some(RobustnessGap {
        gaps,
        mean_gap,
        quality_of_models: quality_of_models.map(|found| found.p),
        quality_of_attacks: friedman(&blocks).map(|found| found.p),
    })
}

/// Turns lists by attack into blocks with a number for each attack. Lists that end early make blocks that no test takes.
fn blocks(by_attack: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let tasks = by_attack.iter().map(Vec::len).max().unwrap_or(0);
    (0..tasks).map(|task| by_attack.iter().filter_map(|attack| attack.get(task).copied()).collect()).collect()
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let teacher: Vec<f64> = argument(arguments, "teacher")?;
    let student: Vec<f64> = argument(arguments, "student")?;
    let teacher_quality: Vec<Vec<f64>> = argument(arguments, "teacher_quality")?;
    let student_quality: Vec<Vec<f64>> = argument(arguments, "student_quality")?;
    result(robustness_gap(&teacher, &student, &teacher_quality, &student_quality))
}

#[cfg(test)]
mod tests {
    use super::robustness_gap;

    #[test]
    fn a_gap_needs_no_quality() {
        let found = robustness_gap(&[0.5], &[0.75], &[], &[]).unwrap();
        assert_eq!((found.mean_gap, found.quality_of_models, found.quality_of_attacks), (0.25, None, None));
        let uneven = robustness_gap(&[0.5], &[0.75], &[vec![1.0]], &[vec![]]).unwrap();
        assert_eq!(uneven.quality_of_models, None);
        assert_eq!(robustness_gap(&[f64::NAN], &[0.5], &[], &[]), None);
    }
}
