//! Models that are built into the binary, or trained with it: `builtin:problems`, `builtin:FILE`.
//!
//! `builtin:problems` classifies the programs that ship in the binary; it is trained when it is opened, which takes a second
//! or two. `builtin:FILE` is a classifier that `allotrope train` wrote. A file that is called `problems` is opened as
//! `./problems`.

use std::path::Path;

use rayon::prelude::*;
use syntax::file::read_up_to;

use super::Kind;
use crate::builtin::linear::Linear;
use crate::builtin::problems;
use crate::identity::Fingerprint;
use crate::weights::LARGEST_WEIGHTS;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction};

/// The name of the classifier of the programs in the binary.
const PROBLEMS: &str = "problems";

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "builtin",
    place: "FILE|problems",
    about: "a classifier from `allotrope train`, or the built-in one",
    is_outside: false,
    label: |place| place,
    levels: &[],
    open,
};

fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let path = Path::new(place);
    let (classifier, bytes) = match place {
        PROBLEMS => {
            let classifier = problems::classifier();
            let bytes = classifier.to_bytes();
            (classifier, bytes)
        }
        _ => {
            let bytes = read_up_to(path, LARGEST_WEIGHTS)
                .map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
            let unusable = |problem| OpenError::Unusable { place: place.to_owned(), problem };
            (Linear::from_bytes(&bytes).map_err(unusable)?, bytes)
        }
    };
    let mut fingerprint = Fingerprint::default();
    fingerprint.add("linear", bytes);
    let identity =
        Identity { kind: "builtin".to_owned(), place: place.to_owned(), digest: fingerprint.finish(), varies: false };
    Ok(Box::new(BuiltIn { identity, classifier }))
}

struct BuiltIn {
    identity: Identity,
    classifier: Linear,
}

impl Model for BuiltIn {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn labels(&self) -> Option<&[String]> {
        Some(self.classifier.labels())
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answer = |input: &Input| {
            let classes = self.classifier.predict(input)?;
            Ok(Answer { prediction: Prediction::Classes(classes), tokens: None })
        };
        inputs.par_iter().map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_are_opened_and_what_is_neither_is_refused() {
        let named = crate::open("builtin:problems").unwrap();
        let path = std::env::temp_dir().join(format!("allotrope-builtin-{}.safetensors", std::process::id()));
        std::fs::write(&path, problems::classifier().to_bytes()).unwrap();
        let filed = crate::open(&format!("builtin:{}", path.display())).unwrap();
        // The same weights are the same model, wherever they come from.
        assert_eq!(named.identity().digest, filed.identity().digest);
        let solution = problems::solutions()[0];
        let input = Input::Code(crate::Code { language: solution.language, text: solution.text.to_owned() });
        assert_eq!(named.predict(std::slice::from_ref(&input)), filed.predict(&[input]));
        std::fs::write(&path, b"nothing").unwrap();
        let refused = crate::open(&format!("builtin:{}", path.display())).map(drop).unwrap_err().to_string();
        assert!(refused.contains("not a valid safetensors file"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        assert!(crate::open(&format!("builtin:{}", path.display())).is_err());
    }
}
