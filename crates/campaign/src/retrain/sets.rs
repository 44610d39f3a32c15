//! Training sets with adversarial examples in them, as files that `allotrope train` reads.

use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use model::Input;
use random::{Random, seed_of};
use serde_json::json;

use super::plan::Arm;
use crate::complete_file::CompleteFile;
use crate::data::DataError;
use crate::examples::{Examples, Question, Truth};
use crate::plan::DataPlan;

/// An adversarial example: what it is called, the place of its original where that is in the training set, the programs and the truth.
pub struct Adversarial {
    pub id: String,
    pub original: Option<usize>,
    pub input: Input,
    pub truth: Truth,
}

/// Writes the training set of an arm, and says how many adversarial examples it has.
pub fn write_set(
    path: &Path,
    data: &Examples,
    adversarial: &[&Adversarial],
    arm: &Arm,
    seed: u64,
) -> Result<usize, DataError> {
    let chosen = chosen(adversarial, arm, data.items.len(), seed);
    let mut is_replaced = vec![false; data.items.len()];
    if arm.replace {
        chosen.iter().filter_map(|example| example.original).for_each(|place| is_replaced[place] = true);
    }
    let write = || -> std::io::Result<()> {
        let mut file = GzEncoder::new(BufWriter::new(CompleteFile::create(path)?), Compression::fast());
        let originals = data.items.iter().zip(&is_replaced).filter(|(_, is_replaced)| !**is_replaced);
        for (example, _) in originals {
            writeln!(file, "{}", row(&example.id, &data.input(example), word(&example.truth, data)))?;
        }
        for (number, example) in chosen.iter().enumerate() {
            // An example that is repeated has a name of its own each time.
            let id = format!("{} {number}", example.id);
            writeln!(file, "{}", row(&id, &example.input, word(&example.truth, data)))?;
        }
        file.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()
    };
    write().map_err(|source| DataError::Unwritable { path: path.to_owned(), source })?;
    Ok(chosen.len())
}

/// How the file is read.
pub fn plan_of_set(path: &Path, data: &Examples) -> DataPlan {
    let is_pair = data.items.iter().any(|example| matches!(example.question, Question::Pair(..)));
    DataPlan {
        path: path.to_owned(),
        task: Some(data.task),
        code: Some("code".to_owned()),
        code2: is_pair.then(|| "code2".to_owned()),
        label: Some("label".to_owned()),
        labels: data.labels.clone(),
        ..DataPlan::default()
    }
}

/// The name of a class, or the name that is true.
fn word<'d>(truth: &'d Truth, data: &'d Examples) -> &'d str {
    match truth {
        Truth::Class(class) => &data.labels[*class],
        Truth::Name(text) | Truth::Text(text) => text,
        Truth::Unknown => "",
    }
}

fn row(id: &str, input: &Input, label: &str) -> serde_json::Value {
    let programs = input.programs();
    let mut row = json!({"id": id, "label": label, "language": programs[0].language.name(), "code": programs[0].text});
    if let Some(second) = programs.get(1) {
        row["code2"] = json!(second.text);
    }
    row
}

/// The adversarial examples that an arm learns from, repeated or drawn until there are as many as its ratio says.
fn chosen<'e>(adversarial: &[&'e Adversarial], arm: &Arm, originals: usize, seed: u64) -> Vec<&'e Adversarial> {
    let wanted = arm.ratio.map_or(adversarial.len(), |ratio| (ratio * originals as f64).round() as usize);
    let mut order = adversarial.to_vec();
    Random::new(seed_of(&[b"adversarial", &seed.to_le_bytes()])).shuffle(&mut order);
    order.into_iter().cycle().take(if adversarial.is_empty() { 0 } else { wanted }).collect()
}
