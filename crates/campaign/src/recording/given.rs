//! Answers that a file has: an array of NumPy, a row for each row of a data set, or JSON lines with the ids of its examples.

use std::collections::HashMap;
use std::path::Path;

use model::adapters::recorded::Line;
use serde_json::Value;

use crate::data::DataError;
use crate::data::jsonl::read_whole;
use crate::examples::Examples;

/// Answers, not yet joined with what they are about.
#[derive(Debug)]
pub enum Given {
    /// The scores of every row of a data set.
    Rows { place: String, rows: Vec<Vec<f32>> },
    /// Answers by the ids of examples.
    ById { place: String, answers: HashMap<String, Line> },
}

impl Given {
    /// Reads a `.npy` file with scores of classes, or JSON lines with `id` and `logits` or `probabilities`, as `evaluate --predictions` writes them.
    pub fn read(path: &Path) -> Result<Given, DataError> {
        let bytes = read_whole(path)?;
        let place = path.display().to_string();
        let unfit = |problem: String| DataError::Unfit { place: place.clone(), problem };
        if bytes.starts_with(MAGIC) {
            let rows = array(&bytes).map_err(unfit)?;
            return Ok(Given::Rows { place, rows });
        }
        let mut answers = HashMap::new();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let problem = |problem: String| unfit(format!("line {}: {problem}", number + 1));
            let line: Line = serde_json::from_slice(line).map_err(|error| problem(error.to_string()))?;
            let id = match &line.id {
                Some(Value::String(id)) => id.clone(),
                Some(id @ Value::Number(_)) => id.to_string(),
                _ => return Err(problem("it has no `id`, which is the name or number of an example".to_owned())),
            };
            let line = Line { probabilities: line.probabilities, logits: line.logits, ..Line::default() };
            if line.probabilities.is_some() || line.logits.is_some() {
                answers.insert(id, line);
            }
        }
        match answers.is_empty() {
            true => Err(unfit("no line has `logits` or `probabilities`".to_owned())),
            false => Ok(Given::ById { place, answers }),
        }
    }

    /// What is said about every example, in order.
    pub fn answers(&self, examples: &Examples) -> Result<Vec<Option<Line>>, DataError> {
        match self {
            Given::ById { place, answers } => {
                let said: Vec<Option<Line>> =
                    examples.items.iter().map(|example| answers.get(&example.id).cloned()).collect();
                match said.iter().any(Option::is_some) {
                    true => Ok(said),
                    false => {
                        let problem = "none of its ids is that of an example of the data set".to_owned();
                        Err(DataError::Unfit { place: place.clone(), problem })
                    }
                }
            }
            // A row that could not be used has its answer, too, so that rows are counted as the file of the data set has them.
            Given::Rows { place, rows } if rows.len() == examples.rows => {
                let line = |row: usize| Line { logits: rows.get(row - 1).cloned(), ..Line::default() };
                let mut rows: Vec<usize> = examples.items.iter().map(|example| example.row).collect();
                let said = rows.iter().map(|row| Some(line(*row))).collect();
                rows.dedup();
                match rows.len() == examples.items.len() {
                    true => Ok(said),
                    false => {
                        let problem =
                            "a row of the data set is several examples, so that rows do not tell what is about which"
                                .to_owned();
                        Err(DataError::Unfit { place: place.clone(), problem })
                    }
                }
            }
            Given::Rows { place, rows } => {
                let problem =
                    format!("it has {} rows, and {} has {}", rows.len(), examples.path.display(), examples.rows);
                Err(DataError::Unfit { place: place.clone(), problem })
            }
        }
    }
}

/// What every array of NumPy begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The rows of an array of two dimensions, with numbers of 32 or 64 bits in row order.
fn array(bytes: &[u8]) -> Result<Vec<Vec<f32>>, String> {
    let cut = || "it is cut off".to_owned();
    let version = *bytes.get(MAGIC.len()).ok_or_else(cut)?;
    let at = MAGIC.len() + 2;
    let size = |width: usize| -> Option<usize> {
        let bytes = bytes.get(at..at + width)?;
        Some(bytes.iter().rev().fold(0, |size, byte| size * 256 + usize::from(*byte)))
    };
    let width = if version == 1 { 2 } else { 4 };
    let start = at + width;
    let end = start.checked_add(size(width).ok_or_else(cut)?).filter(|end| *end <= bytes.len()).ok_or_else(cut)?;
    let header = String::from_utf8_lossy(&bytes[start..end]);
    let after = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let kind = after("descr").and_then(|rest| rest.split('\'').nth(1)).unwrap_or_default().to_owned();
    if after("fortran_order").is_none_or(|rest| !rest.starts_with("False")) {
        return Err("its numbers are in the order of columns: save it with numpy.ascontiguousarray".to_owned());
    }
    let shape = after("shape").and_then(|rest| rest.trim_start_matches('(').split(')').next()).unwrap_or_default();
    let shape: Option<Vec<usize>> =
        shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(|size| size.parse().ok()).collect();
    let Some([rows, columns @ 1..=usize::MAX]) = shape.as_deref() else {
        return Err("it is not an array of two dimensions, a row of scores for each example".to_owned());
    };
    let numbers: Vec<f32> = match kind.as_str() {
        "<f4" => bytes[end..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        "<f8" => bytes[end..].as_chunks::<8>().0.iter().map(|eight| f64::from_le_bytes(*eight) as f32).collect(),
        other => return Err(format!("its numbers are of the kind `{other}`, and only <f4 and <f8 are read")),
    };
    match rows.checked_mul(*columns) == Some(numbers.len()) {
        true => Ok(numbers.chunks_exact(*columns).map(<[f32]>::to_vec).collect()),
        false => Err(cut()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, numbers: &[f32]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    #[test]
    fn arrays_of_numpy_are_read() {
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
        let numbers = [1.0, 2.0, 3.0, -4.0, 5.5, 0.0];
        assert_eq!(array(&file(good, &numbers)).unwrap(), [[1.0, 2.0, 3.0], [-4.0, 5.5, 0.0]]);
        for (bytes, words) in [
            (file(good, &numbers[..5]), "cut off"),
            (file(good, &numbers)[..9].to_vec(), "cut off"),
            (file(&good.replace("False", "True"), &numbers), "order of columns"),
            (file(&good.replace("<f4", "<i8"), &numbers), "`<i8`"),
            (file(&good.replace("(2, 3)", "(6,)"), &numbers), "two dimensions"),
            (file(&good.replace("(2, 3)", "(99999999999, 99999999999)"), &numbers), "cut off"),
            (file("{}", &[]), "order of columns"),
        ] {
            let problem = array(&bytes).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }
}
