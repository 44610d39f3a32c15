//! From labels to the numbers of classes.
//!
//! A class has the number under which a model answers about it. A label that is a whole number is the number of its class, but
//! labels that are all the numbers from 1 are counted from 0. Other labels are sorted. A user whose model has the classes in
//! another order names them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gathered, Item, Loose, Request, Task, Truth};
use crate::data::DataError;

/// Labels above this are sorted like names: they are identifiers, and not numbers of classes.
const MOST_CLASSES: usize = 10_000;

/// Gives every label the number of its class, and returns the names of the classes. Labels that are none are broken rows.
pub(super) fn number(gathered: &mut Gathered, task: Task, request: &Request) -> Result<Vec<String>, DataError> {
    let has_labels = gathered.items.iter().any(|item| matches!(item.truth, Loose::Label(_)));
    if !has_labels {
        if !request.labels.is_empty() {
            return Err(DataError::Unfit {
                place: "--labels".to_owned(),
                problem: format!("the task {task} has no classes here"),
            });
        }
        return Ok(Vec::new());
    }
    let repeated = request.labels.iter().enumerate().find(|(place, label)| request.labels[..*place].contains(label));
    if let Some((_, label)) = repeated {
        return Err(DataError::Unfit { place: "--labels".to_owned(), problem: format!("`{label}` is there twice") });
    }
    let (labels, class_of) = match task.two_classes() {
        Some(two) => yes_and_no(two, &request.labels),
        None => several(gathered, &request.labels),
    };
    let items = std::mem::take(&mut gathered.items);
    for mut item in items {
        if let Loose::Label(label) = &item.truth {
            match class_of(label) {
                Some(class) => item.truth = Loose::Known(Truth::Class(class)),
                None => {
                    let place = format!("{} {}", gathered.unit, item.row);
                    gathered.broken.add(&place, &format!("the label is not one of {}: `{label}`", listed(&labels)));
                    continue;
                }
            }
        }
        gathered.items.push(item);
    }
    Ok(labels)
}

/// Is any label neither a number nor true or false?
pub(super) fn are_names(gathered: &Gathered) -> bool {
    let is_name = |label: &str| {
        label.parse::<f64>().is_err() && !label.eq_ignore_ascii_case("true") && !label.eq_ignore_ascii_case("false")
    };
    gathered.items.iter().filter_map(label_of).any(is_name)
}

fn listed(labels: &[String]) -> String {
    match labels {
        [first, .., last] if labels.len() > 8 => format!("{first} … {last}"),
        _ => labels.join(", "),
    }
}

type ClassOf = Box<dyn Fn(&str) -> Option<usize>>;

/// Two classes: 0 and 1, false and true, or their names.
fn yes_and_no(two: [&'static str; 2], wanted: &[String]) -> (Vec<String>, ClassOf) {
    let labels: Vec<String> = if wanted.is_empty() { two.map(str::to_owned).to_vec() } else { wanted.to_vec() };
    let known = labels.clone();
    let class_of = move |label: &str| {
        let place = |name: &str| known.iter().position(|other| other == name);
        let number = label.parse::<f64>().ok();
        let is_no = number == Some(0.0) || label.eq_ignore_ascii_case("false");
        let is_yes = number == Some(1.0) || label.eq_ignore_ascii_case("true");
        match (is_no, is_yes) {
            (true, _) => place(two[0]).or_else(|| place(label)),
            (_, true) => place(two[1]).or_else(|| place(label)),
            _ => place(label),
        }
    };
    (labels, Box::new(class_of))
}

fn several(gathered: &mut Gathered, wanted: &[String]) -> (Vec<String>, ClassOf) {
    let labels = if wanted.is_empty() {
        let found: BTreeSet<&str> = gathered.items.iter().filter_map(label_of).collect();
        let (labels, note) = in_order(&found);
        gathered.notes.extend(note);
        labels
    } else {
        wanted.to_vec()
    };
    let classes: BTreeMap<String, usize> =
        labels.iter().enumerate().map(|(class, label)| (label.clone(), class)).collect();
    (labels, Box::new(move |label: &str| classes.get(label).copied()))
}

fn label_of(item: &Item) -> Option<&str> {
    match &item.truth {
        Loose::Label(label) => Some(label),
        Loose::Known(_) | Loose::Unknown => None,
    }
}

/// The labels in the order of their classes, and what a user should know about it.
fn in_order(found: &BTreeSet<&str>) -> (Vec<String>, Option<String>) {
    let is_plain = |label: &&str| *label == "0" || !label.starts_with(['0', '+']);
    let numbers: Option<BTreeSet<usize>> =
        found.iter().map(|label| label.parse().ok().filter(|_| is_plain(label))).collect();
    let sorted = || found.iter().map(|label| (*label).to_owned()).collect();
    let Some(numbers) = numbers else { return (sorted(), None) };
    let (Some(least), Some(most)) = (numbers.first().copied(), numbers.last().copied()) else {
        return (sorted(), None);
    };
    if most >= MOST_CLASSES {
        let note = "the labels are large numbers and are sorted; --labels names another order";
        let sorted = numbers.iter().map(usize::to_string).collect();
        return (sorted, Some(note.to_owned()));
    }
    if least == 1 && numbers.len() == most && most > 1 {
        let note = format!("the labels 1 to {most} are the classes 0 to {}; --labels names another order", most - 1);
        return ((1..=most).map(|label| label.to_string()).collect(), Some(note));
    }
    let missing = most + 1 - numbers.len();
    let note = (missing > 0)
        .then(|| format!("{missing} of the classes 0 to {most} have no example; --labels names another order"));
    ((0..=most).map(|label| label.to_string()).collect(), note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: &[&str], labels: &[&str], has_note: bool) {
        let (made, note) = in_order(&found.iter().copied().collect());
        assert_eq!((made.iter().map(String::as_str).collect::<Vec<_>>(), note.is_some()), (labels.to_vec(), has_note));
    }

    #[test]
    fn whole_numbers_are_classes() {
        check(&["0", "2", "1", "10"], &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], true);
        check(&["0", "1"], &["0", "1"], false);
        check(&["1", "2", "3"], &["1", "2", "3"], true);
        check(&["70000", "9"], &["9", "70000"], true);
    }

    #[test]
    fn names_are_sorted() {
        check(&["bob", "anne"], &["anne", "bob"], false);
        check(&["2", "01"], &["01", "2"], false);
        check(&["-1", "1"], &["-1", "1"], false);
    }

    #[test]
    fn yes_has_its_place_in_another_order() {
        let (_, class_of) = yes_and_no(["safe", "vulnerable"], &[]);
        assert_eq!(
            ["0", "1.0", "true", "False", "safe", "2"].map(class_of),
            [0, 1, 1, 0, 0, 9].map(|n| (n < 9).then_some(n))
        );
        let (_, class_of) = yes_and_no(["safe", "vulnerable"], &["vulnerable".to_owned(), "safe".to_owned()]);
        assert_eq!(["0", "1", "safe"].map(class_of), [Some(1), Some(0), Some(1)]);
        let (_, class_of) = yes_and_no(["safe", "vulnerable"], &["good".to_owned(), "bad".to_owned()]);
        assert_eq!(["good", "bad", "1"].map(class_of), [Some(0), Some(1), None]);
    }
}
