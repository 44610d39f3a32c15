//! Adversarial examples of attacks that were run before.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use model::Input;

use super::left_by;
use super::sets::Adversarial;
use crate::examples::{Examples, Truth};
use crate::plan::{Plan, PlanError, with_data_folder};
use crate::run::{InputRow, Store};
use crate::work::{Event, Watcher, WorkError};

/// What the runs of all arms made of their inputs, with what is true of these.
///
/// What is in the test set is left out, because what is measured there must not have been learned from.
pub fn examples_of_runs<'p>(
    runs: impl Iterator<Item = &'p PathBuf>,
    data: &Examples,
    tested: &[&Examples],
    watcher: &dyn Watcher,
) -> Result<BTreeMap<PathBuf, Vec<Adversarial>>, WorkError> {
    let tested: HashSet<Vec<&str>> = tested
        .iter()
        .flat_map(|examples| examples.items.iter().map(move |example| (examples, example.question.programs())))
        .map(|(examples, programs)| {
            sorted(programs.into_iter().map(|place| examples.programs[place].code.text.as_str()).collect())
        })
        .collect();
    let places: BTreeMap<&str, usize> =
        data.items.iter().enumerate().map(|(place, example)| (example.id.as_str(), place)).collect();
    let mut all = BTreeMap::new();
    for run in runs {
        if all.contains_key(run) {
            continue;
        }
        let folder = match run.to_str() {
            Some(text) => PathBuf::from(with_data_folder(text)?),
            None => run.clone(),
        };
        let store = Store::<Plan>::open(&folder)?;
        let inputs = store.inputs()?;
        let all_inputs = inputs.len();
        let rows: BTreeMap<usize, InputRow> = (inputs.into_iter())
            .filter(|row| !tested.contains(&texts(&row.input)))
            .map(|row| (row.number, row))
            .collect();
        let left_out = all_inputs - rows.len();
        if rows.is_empty() {
            return Err(unfit(&folder, "has no input that is not in the test set: use a run on the training set"));
        }
        if left_out > 0 {
            let note =
                format!("{left_out} of {all_inputs} inputs of {} are in the test set and left out", folder.display());
            watcher.tell(Event::Note(note));
        }
        let mut found = Vec::new();
        for record in store.records()? {
            let Some(row) = rows.get(&record.number) else { continue };
            let Some(input) = left_by(&record) else { continue };
            let truth = truth_of(row, data).ok_or_else(|| {
                let label = row.truth();
                unfit(&folder, &format!("has the label `{label}`, which the training set does not have"))
            })?;
            let original = places.get(row.id.as_str()).copied();
            let original = original.filter(|place| data.input(&data.items[*place]) == row.input);
            found.push(Adversarial { id: format!("{} {}", row.id, record.attack), original, input, truth });
        }
        all.insert(run.clone(), found);
    }
    Ok(all)
}

fn texts(input: &Input) -> Vec<&str> {
    sorted(input.programs().into_iter().map(|program| program.text.as_str()).collect())
}

/// A pair is the same question the other way round.
fn sorted(mut texts: Vec<&str>) -> Vec<&str> {
    texts.sort_unstable();
    texts
}

/// What is true of an input of a run, as the training set says it.
fn truth_of(row: &InputRow, data: &Examples) -> Option<Truth> {
    let text = row.truth.as_ref()?;
    if data.labels.is_empty() {
        return Some(Truth::Name(text.clone()));
    }
    data.labels.iter().position(|label| label == text).map(Truth::Class)
}

fn unfit(folder: &Path, problem: &str) -> WorkError {
    PlanError::Unfit(format!("the run {} {problem}", folder.display())).into()
}
