//! Keeps the promises of the headers.

use manual::Unit;

pub(crate) fn check_header(unit: &Unit<crate::units::Rewrite>) {
    let examples = unit.examples();
    assert!(examples.iter().any(|example| example.after.is_some()), "{} shows no before and after", unit.name());
    for example in examples {
        let after = (unit.run)(example.before.trim_end());
        assert_eq!(after, example.after.map(|after| after.trim_end().to_owned()), "{}", example.before);
    }
}
