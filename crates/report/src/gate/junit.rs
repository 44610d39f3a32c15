//! What a gate found as JUnit XML: a test for every check.

use super::{Check, Gate, State};
use crate::markup::escape;

pub(super) fn junit(gate: &Gate) -> String {
    let count = |state: State| gate.checks.iter().filter(|check| check.state == state).count();
    let (tests, failures, skipped) = (gate.checks.len(), count(State::Broken), count(State::Undefined));
    let runs: Vec<String> = gate.runs.iter().map(|run| run.display().to_string()).collect();
    let name = text(&format!("allotrope gate {}", runs.join(" ")));
    let cases: String = gate.checks.iter().map(case).collect();
    let notes: String = gate.notes.iter().map(|note| format!("{}\n", text(note))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"0\">\n\
         <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\">\n\
         {cases}<system-out>{notes}</system-out>\n</testsuite>\n</testsuites>\n"
    )
}

fn case(check: &Check) -> String {
    let place = if check.place.is_empty() { "allotrope".to_owned() } else { text(&check.place) };
    let name = match check.compared {
        Some(_) => text(&check.asked),
        None => format!("not {}", text(&check.asked)),
    };
    let says = text(&check.says);
    let body = match check.state {
        State::Holds => format!("<system-out>{says}</system-out>"),
        State::Broken => format!("<failure type=\"broken\" message=\"{says}\">{says}</failure>"),
        State::Undefined => format!("<skipped message=\"{says}\"/>"),
    };
    format!("<testcase classname=\"{place}\" name=\"{name}\" time=\"0\">{body}</testcase>\n")
}

/// A text in XML, which has no form at all for some characters.
fn text(text: &str) -> String {
    escape(&text.replace(['\u{fffe}', '\u{ffff}', '\n', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn every_check_is_a_test() {
        let check = |state, says: &str| Check {
            asked: "success-rate > 0.2".to_owned(),
            place: "<beam>".to_owned(),
            value: Some(0.5),
            interval: None,
            n: None,
            state,
            says: says.to_owned(),
            compared: None,
        };
        let checks = vec![
            check(State::Broken, "a\u{0}\u{ffff}\"b\""),
            check(State::Undefined, "none"),
            check(State::Holds, "fine"),
        ];
        let gate = Gate { runs: vec![PathBuf::from("r&n")], checks, notes: vec!["]]> x".to_owned()] };
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"allotrope gate r&amp;n\" tests=\"3\" failures=\"1\" errors=\"0\" time=\"0\">
<testsuite name=\"allotrope gate r&amp;n\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0\">
<testcase classname=\"&lt;beam&gt;\" name=\"not success-rate &gt; 0.2\" time=\"0\"><failure type=\"broken\" message=\"a[U+0000] &quot;b&quot;\">a[U+0000] &quot;b&quot;</failure></testcase>
<testcase classname=\"&lt;beam&gt;\" name=\"not success-rate &gt; 0.2\" time=\"0\"><skipped message=\"none\"/></testcase>
<testcase classname=\"&lt;beam&gt;\" name=\"not success-rate &gt; 0.2\" time=\"0\"><system-out>fine</system-out></testcase>
<system-out>]]&gt; x
</system-out>
</testsuite>
</testsuites>
";
        assert_eq!(junit(&gate), expected);
    }
}
