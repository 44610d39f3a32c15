//! From the output of a graph to the probability of every class.

use std::path::Path;

use super::engine::{Array, Slot};
use super::settings::{Numbers, OnnxSettings};
use crate::adapters::answers::{check_order, finite, ordered, probabilities};
use crate::{Fault, OpenError};

/// Reads one output.
pub struct OutputReader {
    pub name: String,
    numbers: Numbers,
    order: Option<Vec<usize>>,
    /// How many classes there are, where labels or the graph say so.
    classes: Option<usize>,
}

/// How far probabilities may add up to something else than one.
const TOLERANCE: f32 = 1e-3;

impl OutputReader {
    /// Finds the output, and compares what the graph says about it with the settings.
    pub fn open(file: &Path, settings: &OnnxSettings, slots: &[Slot]) -> Result<OutputReader, OpenError> {
        let unusable = |problem: String| OpenError::Unusable { place: file.display().to_string(), problem };
        let slot = match (&settings.output, slots) {
            (Some(name), slots) => slots.iter().find(|slot| slot.name == *name),
            (None, [only]) => Some(only),
            (None, _) => slots.iter().find(|slot| slot.name == "logits"),
        };
        let listed = slots.iter().map(|slot| format!("`{}`", slot.name)).collect::<Vec<_>>().join(", ");
        let slot = slot.ok_or_else(|| match &settings.output {
            Some(name) => unusable(format!("it has no output `{name}`: set `output` to one of {listed}")),
            None => unusable(format!("it has several outputs: set `output` to one of {listed}")),
        })?;
        let stated = match slot.shape.as_deref() {
            None => None,
            Some([length]) | Some([_, length]) => *length,
            Some(shape) => {
                return Err(unusable(format!(
                    "its output `{}` has {} dimensions, and not one row with a number for each class",
                    slot.name,
                    shape.len()
                )));
            }
        };
        // One number stands for two classes.
        let stated = stated.map(|outputs| outputs.max(2));
        let labels = settings.labels.as_ref().map(Vec::len);
        if let (Some(stated), Some(labels)) = (stated, labels)
            && stated != labels
        {
            return Err(unusable(format!(
                "its output `{}` is about {stated} classes, but `labels` names {labels}",
                slot.name
            )));
        }
        let classes = labels.or(stated);
        if let Some(order) = &settings.order {
            check_order(order, classes.ok_or_else(|| unusable("`order` needs `labels` here".to_owned()))?)?;
        }
        Ok(OutputReader { name: slot.name.clone(), numbers: settings.numbers, order: settings.order.clone(), classes })
    }

    /// The probability of every class.
    pub fn read(&self, array: Array) -> Result<Vec<f32>, Fault> {
        let name = &self.name;
        let is_row = matches!(array.shape[..], [length] | [1, length] if length == array.numbers.len() && length > 0);
        if !is_row {
            return Err(Fault::WrongShape(format!(
                "the output `{name}` has the shape {:?}, and is not one row with a number for each class",
                array.shape
            )));
        }
        let outputs = array.numbers.len();
        if let Some(classes) = self.classes.filter(|classes| outputs.max(2) != *classes) {
            return Err(Fault::WrongShape(format!(
                "the output `{name}` has {outputs} numbers, but there are {classes} classes"
            )));
        }
        let numbers = finite(array.numbers)?;
        match self.numbers {
            Numbers::Logits => finite(probabilities(&numbers, self.order.as_deref())),
            Numbers::Probabilities => {
                let numbers = match numbers[..] {
                    [one] => vec![1.0 - one, one],
                    _ => numbers,
                };
                let sum: f32 = numbers.iter().sum();
                let outside = numbers.iter().find(|number| !(-TOLERANCE..=1.0 + TOLERANCE).contains(*number));
                match outside {
                    Some(number) => Err(Fault::WrongShape(format!(
                        "the output `{name}` contains {number}, which is not a probability: is it \"logits\", not \"probabilities\"?"
                    ))),
                    None if (sum - 1.0).abs() > TOLERANCE => Err(Fault::WrongShape(format!(
                        "the probabilities of the output `{name}` add up to {sum}, not to 1"
                    ))),
                    None => Ok(ordered(numbers, self.order.as_deref())),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(name: &str, shape: &[Option<usize>]) -> Slot {
        Slot { name: name.to_owned(), shape: Some(shape.to_vec()) }
    }

    fn open(settings: &str, slots: &[Slot]) -> Result<OutputReader, String> {
        let settings = toml::from_str(settings).unwrap();
        OutputReader::open(Path::new("x.onnx"), &settings, slots).map_err(|error| error.to_string())
    }

    fn check_refused(settings: &str, slots: &[Slot], words: &str) {
        let error = open(settings, slots).err().expect(words);
        assert!(error.starts_with("x.onnx: ") || error.starts_with("allotrope.toml: "), "{error}");
        assert!(error.contains(words), "{error}");
    }

    fn row(numbers: &[f32]) -> Array {
        Array { shape: vec![1, numbers.len()], numbers: numbers.to_vec() }
    }

    #[test]
    fn an_output_must_fit_the_settings() {
        let three = slot("scores", &[None, Some(3)]);
        assert_eq!(open("", std::slice::from_ref(&three)).unwrap().name, "scores");
        let several = [three.clone(), slot("logits", &[None, None])];
        assert_eq!(open("", &several).unwrap().name, "logits");
        assert_eq!(open("output = \"scores\"", &several).unwrap().name, "scores");
        check_refused("", &[three.clone(), three.clone()], "set `output` to one of `scores`");
        check_refused("output = \"socres\"", &several, "no output `socres`: set `output` to one of `scores`, `logits`");
        check_refused("", &[], "several outputs");
        check_refused("labels = [\"a\", \"b\"]", std::slice::from_ref(&three), "3 classes, but `labels` names 2");
        check_refused("order = [1, 0]", std::slice::from_ref(&three), "each of the 3 classes");
        check_refused("order = [1, 0]", &[slot("a", &[None, None])], "needs `labels`");
        check_refused("", &[slot("a", &[None, None, Some(284)])], "3 dimensions");
        assert!(open("order = [1, 0]", &[slot("a", &[Some(1)])]).is_ok());
    }

    #[test]
    fn numbers_become_probabilities() {
        let any = [Slot { name: "a".to_owned(), shape: None }];
        let logits = open("", &any).unwrap();
        assert_eq!(logits.read(row(&[0.0])).unwrap(), [0.5, 0.5]);
        assert_eq!(logits.read(row(&[1.0, 1.0, 1.0, 1.0])).unwrap(), [0.25; 4]);
        let given = open("numbers = \"probabilities\"\nlabels = [\"x\", \"y\"]\norder = [1, 0]", &any).unwrap();
        assert_eq!(given.read(row(&[0.25, 0.75])).unwrap(), [0.75, 0.25]);
        assert_eq!(given.read(row(&[0.25])).unwrap(), [0.25, 0.75]);
    }

    #[test]
    fn what_is_no_answer_is_a_fault() {
        let any = [Slot { name: "a".to_owned(), shape: None }];
        let logits = open("labels = [\"x\", \"y\"]", &any).unwrap();
        assert_eq!(logits.read(row(&[f32::NAN, 1.0])), Err(Fault::NotFinite));
        assert_eq!(logits.read(row(&[f32::INFINITY, 1.0])), Err(Fault::NotFinite));
        let given = open("numbers = \"probabilities\"\nlabels = [\"x\", \"y\"]", &any).unwrap();
        let two_rows = Array { shape: vec![2, 1], numbers: vec![0.5, 0.5] };
        for (reader, array, words) in [
            (&logits, two_rows, "[2, 1]"),
            (&logits, row(&[]), "[1, 0]"),
            (&logits, row(&[1.0, 2.0, 3.0]), "3 numbers, but there are 2 classes"),
            (&given, row(&[1.5, -0.5]), "contains 1.5"),
            (&given, row(&[0.5, 0.4]), "add up to 0.9"),
        ] {
            let fault = reader.read(array).unwrap_err();
            assert!(matches!(&fault, Fault::WrongShape(text) if text.contains(words)), "{fault}");
        }
    }
}
