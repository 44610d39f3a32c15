//! What a gate found as Markdown, for the summary of a job.

use super::{Gate, State};

pub(super) fn markdown(gate: &Gate) -> String {
    let broken = gate.broken().count();
    let runs: Vec<String> = gate.runs.iter().map(|run| plain(&run.display().to_string())).collect();
    let verdict = match broken {
        0 => format!("all {} checks hold", gate.checks.len()),
        _ => format!("{broken} of {} checks are broken", gate.checks.len()),
    };
    let mut text = format!("## Robustness of {}: {verdict}\n\n", runs.join(", "));
    for check in gate.checks.iter().filter(|check| check.state != State::Holds) {
        let what = if check.state == State::Broken { "**Broken:**" } else { "Undefined:" };
        text.push_str(&format!("- {what} {}\n", plain(&check.says)));
    }
    if broken > 0 {
        text.push('\n');
    }
    text.push_str(&escaped(&gate.to_table().to_markdown()));
    for note in &gate.notes {
        text.push_str(&format!("\n> {}\n", plain(note)));
    }
    text
}

/// A text that is one line, and no markup.
fn plain(text: &str) -> String {
    let line = measure::printed::visible_in_line(text);
    let mut plain = String::new();
    for character in line.chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#') {
            plain.push('\\');
        }
        plain.push(character);
    }
    escaped(&plain)
}

/// Tags stay text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::Check;
    use super::*;

    #[test]
    fn what_is_broken_stands_first_and_nothing_is_markup() {
        let check = |state, place: &str, says: &str| Check {
            asked: "success-rate > 0.2".to_owned(),
            place: place.to_owned(),
            value: Some(0.5),
            interval: None,
            n: Some(4),
            state,
            says: says.to_owned(),
            compared: None,
        };
        let checks =
            vec![check(State::Holds, "random-k", "fine"), check(State::Broken, "<b>|x", "<img src=x> *is* 0.5\n# x")];
        let text = markdown(&Gate { runs: vec![PathBuf::from("run_1")], checks, notes: vec!["a `b`".to_owned()] });
        assert!(text.starts_with("## Robustness of run\\_1: 1 of 2 checks are broken\n\n- **Broken:** &lt;img src=x> \\*is\\* 0.5\\\\n\\# x\n\n| check"), "{text}");
        assert!(text.contains("| &lt;b>\\|x ") && text.ends_with("\n> a \\`b\\`\n"), "{text}");
    }
}
