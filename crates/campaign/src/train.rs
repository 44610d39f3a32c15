//! What a data set teaches: its examples as lessons, and a part that is held out to see what was learned.

use std::collections::HashSet;

use model::Input;
use model::training::linear::Lesson;
use random::{Random, seed_of};

use crate::examples::{Example, Examples, Truth};

/// Why a data set teaches a classifier nothing.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum NoLessons {
    /// The truth is no class.
    #[error("the task {0} has no classes, so there is nothing to classify")]
    NoClasses(&'static str),
    /// The inputs have texts beside programs.
    #[error("the task {0} is about a program and a text: a linear classifier has no features for texts")]
    Texts(&'static str),
}

/// The lessons of a data set, with the places of their examples.
pub fn lessons(examples: &Examples) -> Result<Vec<(usize, Lesson)>, NoLessons> {
    let mut lessons = Vec::new();
    for (place, example) in examples.items.iter().enumerate() {
        let Truth::Class(class) = example.truth else { continue };
        let input = examples.input(example);
        if matches!(input, Input::CodeAndText(..)) {
            return Err(NoLessons::Texts(examples.task.name()));
        }
        lessons.push((place, Lesson { input, class, group: group(example).to_owned() }));
    }
    if lessons.is_empty() { Err(NoLessons::NoClasses(examples.task.name())) } else { Ok(lessons) }
}

/// What must stay together: a project or problem, or the example alone.
fn group(example: &Example) -> &str {
    example.group.as_deref().unwrap_or(&example.id)
}

/// The places of the examples that are held out: whole groups, drawn with the seed, until the part is as large as it should be. Where
/// there is one group only, its examples are drawn one by one.
pub fn held_out(examples: &Examples, part: f64, seed: u64) -> Vec<bool> {
    let has_groups = examples.items.iter().map(group).collect::<HashSet<&str>>().len() > 1;
    let name = |example: &Example| match has_groups {
        true => group(example).to_owned(),
        false => example.id.clone(),
    };
    let mut names: Vec<String> = examples.items.iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    Random::new(seed_of(&[b"held out", &seed.to_le_bytes()])).shuffle(&mut names);
    let wanted = (examples.items.len() as f64 * part).round() as usize;
    let mut sizes = std::collections::HashMap::new();
    for example in &examples.items {
        *sizes.entry(name(example)).or_insert(0_usize) += 1;
    }
    let (mut chosen, mut count) = (HashSet::new(), 0);
    for name in names {
        if count >= wanted {
            break;
        }
        count += sizes.get(&name).copied().unwrap_or_default();
        chosen.insert(name);
    }
    examples.items.iter().map(|example| chosen.contains(&name(example))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Request;

    /// Rows of the layout for defects, two examples a row, in three problems.
    fn examples(name: &str) -> Examples {
        let path = std::env::temp_dir().join(format!("allotrope-train-{name}-{}.jsonl", std::process::id()));
        let row = |number: usize| {
            let problem = number % 3;
            format!(
                "{{\"id\": \"{number}\", \"problem\": \"p{problem}\", \"buggy\": \"int f() {{ return {number}; }}\", \
                 \"accepted\": \"int g() {{ return {number}; }}\", \"tests\": [{{\"stdin\": \"{number}\"}}]}}\n"
            )
        };
        std::fs::write(&path, (0..30).map(row).collect::<String>()).unwrap();
        let request = Request { path: path.clone(), language: Some(syntax::Language::C), ..Request::default() };
        let examples = Examples::read(&request).unwrap();
        std::fs::remove_file(path).unwrap();
        examples
    }

    #[test]
    fn groups_are_held_out_whole_and_by_the_seed() {
        let examples = examples("groups");
        let chosen = held_out(&examples, 0.3, 1);
        assert_eq!(chosen, held_out(&examples, 0.3, 1));
        assert_eq!(chosen.iter().filter(|is_held_out| **is_held_out).count(), 20);
        let of = |is_held_out: bool| -> HashSet<&str> {
            let places = chosen.iter().zip(&examples.items).filter(|(chosen, _)| **chosen == is_held_out);
            places.map(|(_, example)| group(example)).collect()
        };
        assert!(of(true).is_disjoint(&of(false)));
        assert!((0..20).any(|seed| held_out(&examples, 0.3, seed) != chosen));
        assert!(held_out(&examples, 0.0, 1).iter().all(|is_held_out| !is_held_out));
    }

    #[test]
    fn one_group_is_divided() {
        let mut examples = examples("one");
        examples.items.iter_mut().for_each(|example| example.group = Some("all".to_owned()));
        assert_eq!(held_out(&examples, 0.3, 1).iter().filter(|is_held_out| **is_held_out).count(), 18);
    }

    #[test]
    fn classes_are_lessons_and_cases_come_along() {
        let examples = examples("lessons");
        let lessons = lessons(&examples).unwrap();
        assert_eq!((lessons.len(), lessons[59].0), (60, 59));
        assert!(lessons.iter().all(|(_, lesson)| lesson.group.starts_with('p')));
        assert_eq!(examples.programs[4].cases[0].input, "2");
        let target = &crate::attack::targets(&examples)[4].1;
        assert_eq!(target.cases, examples.programs[4].cases);
    }
}
