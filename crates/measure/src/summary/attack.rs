//! What is said about an attack.

use super::{Summary, numbers_of};
use crate::numbers::ratio;
use crate::statistics::{Bootstrap, Sums};

/// What became of one target of an attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttackResult {
    /// The number of the source input that it is from.
    pub input: usize,
    /// Was the answer right before the attack?
    pub was_right: bool,
    /// Was there anything to change? Rates and costs are those of targets that were attacked: right before, and open to change.
    pub was_attacked: bool,
    /// Did the attack find a program with a wrong answer?
    pub flipped: bool,
    /// Was that program judged to be the same as the original?
    pub valid: bool,
    /// By how much the probability of the truth fell at the most, where it is known, see
    /// [`confidence_decrement_of`](crate::metrics::confidence_decrement_of).
    pub decrement: Option<f64>,
    /// How many questions the model was asked.
    pub queries: u64,
    /// How many more were answered from the cache.
    pub cached: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Accuracy before and under attack, success rates, confidence decrement, and what the attack cost.
///
/// Rates and costs are those of attacked targets, which were answered right before and have something to change.
pub fn attack(targets: &[AttackResult], bootstrap: &Bootstrap) -> Summary {
    const CELLS: usize = 14;
    let numbers: Vec<usize> = targets.iter().map(|target| target.input).collect();
    let Some(inputs) = numbers_of(Some(&numbers), targets.len()) else { return Summary::default() };
    let mut sums = Sums::new(inputs.count, CELLS);
    let mut totals = [0usize; 3];
    for target in targets {
        let is = |condition: bool| f64::from(u8::from(condition));
        let attacked = is_attacked(target);
        let won = attacked && target.flipped;
        let decrement = target.decrement.filter(|decrement| attacked && decrement.is_finite());
        let seconds = if target.seconds.is_finite() { target.seconds } else { 0.0 };
        let cells: [f64; CELLS] = [
            1.0,
            is(target.was_right),
            is(target.was_right && !target.flipped),
            is(won),
            is(won && target.valid),
            decrement.unwrap_or(0.0),
            is(decrement.is_some()),
            is(attacked) * target.queries as f64,
            is(won) * target.queries as f64,
            is(attacked) * target.cached as f64,
            is(won) * target.cached as f64,
            is(attacked) * seconds,
            is(won) * seconds,
            is(attacked),
        ];
        for (cell, amount) in cells.into_iter().enumerate().filter(|(_, amount)| *amount != 0.0) {
            sums.add(target.input, cell, amount);
        }
        totals[0] += usize::from(attacked);
        totals[1] += usize::from(won);
        totals[2] += usize::from(decrement.is_some());
    }
    let [attacked, won, with_decrement] = totals;
    let measures = [
        ("accuracy", targets.len()),
        ("robust accuracy", targets.len()),
        ("attack success rate", attacked),
        ("attack success rate, valid", attacked),
        ("confidence decrement", with_decrement),
        ("queries", attacked),
        ("queries of successes", won),
        ("cached queries", attacked),
        ("cached queries of successes", won),
        ("seconds", attacked),
        ("seconds of successes", won),
    ];
    let mut summary = Summary::default();
    summary.push_all(measures, &sums, bootstrap, |cells| {
        let [all, right, robust, won, valid, decrement, with_decrement, costs @ ..] = cells else { return [None; 11] };
        let [queries, queries_won, cached, cached_won, seconds, seconds_won, attacked] = costs else {
            return [None; 11];
        };
        [
            ratio(*right, *all),
            ratio(*robust, *all),
            ratio(*won, *attacked),
            ratio(*valid, *attacked),
            ratio(*decrement, *with_decrement),
            ratio(*queries, *attacked),
            ratio(*queries_won, *won),
            ratio(*cached, *attacked),
            ratio(*cached_won, *won),
            ratio(*seconds, *attacked),
            ratio(*seconds_won, *won),
        ]
    });
    push_median_queries(&mut summary, "median queries", targets, is_attacked, bootstrap);
    let is_won = |target: &AttackResult| is_attacked(target) && target.flipped;
    push_median_queries(&mut summary, "median queries of successes", targets, is_won, bootstrap);
    summary
}

fn is_attacked(target: &AttackResult) -> bool {
    target.was_right && target.was_attacked
}

fn push_median_queries(
    summary: &mut Summary,
    measure: &str,
    targets: &[AttackResult],
    is_counted: impl Fn(&AttackResult) -> bool,
    bootstrap: &Bootstrap,
) {
    let counted: Vec<&AttackResult> = targets.iter().filter(|target| is_counted(target)).collect();
    let queries: Vec<f64> = counted.iter().map(|target| target.queries as f64).collect();
    let inputs: Vec<usize> = counted.iter().map(|target| target.input).collect();
    summary.push_median(measure, &queries, Some(&inputs), bootstrap);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{attack_success_rate, cost_per_target, robust_accuracy};

    fn targets() -> Vec<AttackResult> {
        let target = |number: usize| AttackResult {
            input: number / 2,
            was_right: !number.is_multiple_of(5),
            was_attacked: true,
            flipped: number % 5 > 2,
            valid: number.is_multiple_of(2),
            decrement: (!number.is_multiple_of(3)).then_some(0.25),
            queries: (number * 37 % 101) as u64,
            cached: 1,
            seconds: 0.5,
        };
        (0..200).map(target).collect()
    }

    #[test]
    fn the_values_are_those_of_the_measures() {
        let targets = targets();
        let summary = attack(&targets, &Bootstrap::default());
        let list = |is: fn(&AttackResult) -> bool| -> Vec<bool> { targets.iter().map(is).collect() };
        let (right, flipped, valid) = (list(|it| it.was_right), list(|it| it.flipped), list(|it| it.valid));
        let rates = attack_success_rate(&right, &flipped, &valid).unwrap();
        assert_eq!(summary.value("attack success rate"), Some(rates.raw));
        assert_eq!(summary.value("attack success rate, valid"), Some(rates.valid));
        assert_eq!(summary.value("robust accuracy"), robust_accuracy(&right, &flipped));
        assert_eq!(summary.value("confidence decrement"), Some(0.25));
        let attacked: Vec<&AttackResult> = targets.iter().filter(|target| target.was_right).collect();
        let queries: Vec<f64> = attacked.iter().map(|target| target.queries as f64).collect();
        let won: Vec<bool> = attacked.iter().map(|target| target.flipped).collect();
        let cost = cost_per_target(&queries, &won).unwrap();
        assert_eq!(summary.value("queries"), Some(cost.all.mean));
        assert_eq!(summary.value("median queries"), Some(cost.all.median));
        assert_eq!(summary.value("median queries of successes"), cost.succeeded.map(|it| it.median));
        for line in &summary.lines {
            let (value, interval) = (line.value.unwrap(), line.interval.unwrap());
            assert!(interval.low <= value && value <= interval.high, "{line:?}");
        }
    }

    #[test]
    fn targets_without_a_site_are_right_and_not_attacked() {
        let mut targets = targets();
        let whole = attack(&targets, &Bootstrap::default());
        let bare = AttackResult { was_attacked: false, was_right: true, flipped: false, ..targets[0] };
        targets.extend([bare; 40]);
        let summary = attack(&targets, &Bootstrap::default());
        for measure in ["attack success rate", "attack success rate, valid", "queries", "median queries"] {
            assert_eq!(summary.value(measure), whole.value(measure), "{measure}");
        }
        assert_eq!(summary.value("accuracy"), Some(200.0 / 240.0));
        assert!(summary.value("robust accuracy") > whole.value("robust accuracy"));
    }

    #[test]
    fn an_attack_on_nothing_says_nothing() {
        let summary = attack(&[], &Bootstrap::default());
        assert!(summary.lines.iter().all(|line| line.value.is_none() && line.n == 0));
    }
}
