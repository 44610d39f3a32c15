//! code2vec (Alon et al., POPL 2019): a method as the weighted mean of its path contexts, its name as one of many classes.
//!
//! A context concatenates the embeddings of its first leaf, its path and its second leaf; a fully connected layer with tanh
//! turns it into a vector. Attention, one learned vector, weighs the contexts; their weighted sum is the code vector. Names
//! are scored by the dot product with their own vectors, and their probability is the softmax over all names.
//!
//! `code2vec:DIR` opens a folder in the layout that `path_model.rs` describes, with these tensors, for leaves of `d`, paths
//! of `e` and code vectors of `c` components:
//!
//! | tensor | shape | |
//! |---|---|---|
//! | `tokens` | words x d | of the list `tokens`: names of leaves, `METHOD_NAME` among them |
//! | `paths` | words x e | of the list `paths`: the hash codes of paths, in decimal |
//! | `transform` | (d + e + d) x c | the fully connected layer |
//! | `attention` | c | |
//! | `names` | words x c | of the list `names`: `get|size` for `getSize` |
//!
//! `DIR`, or `DIR/NAME` where there are several, may also be a checkpoint of TensorFlow as the authors released it, with its dictionaries. Its
//! words of paths are those of the published extractor, whose trees differ from ours.
//!
//! A context of which neither leaf nor path is known is left out, unless all are unknown; `<unk>` is never answered.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Deserialize;
use syntax::names::Convention;

use super::Kind;
use super::path_model::{Folder, Matrix, PathModelSettings, UNKNOWN, dot, released, weighted_sum};
use crate::mutation::{Level, Listed, Neurons};
use crate::paths::Method;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction};
use kernels::softmax;

/// What mutation can change.
pub(super) const LEVELS: &[Level] = &[Level::Weight, Level::Neuron];

/// The layers, whose neurons are the components of contexts, the attention, and the names.
const LAYERS: &[Listed] = &[
    Listed { weight: "transform", bias: None, neurons: Neurons::Columns },
    Listed { weight: "attention", bias: None, neurons: Neurons::Rows },
    Listed { weight: "names", bias: None, neurons: Neurons::Rows },
];

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "code2vec",
    place: "DIR[?weights=int8&mutate=OPERATOR]",
    about: "names predicted from path contexts",
    is_outside: false,
    label: super::last_of_path,
    levels: LEVELS,
    open,
};

/// Opens the model in a folder.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    Ok(Box::new(Code2Vec::open(place)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vocabulary {
    tokens: Vec<String>,
    paths: Vec<String>,
    names: Vec<String>,
}

struct Code2Vec {
    identity: Identity,
    settings: PathModelSettings,
    tokens: HashMap<String, usize>,
    paths: HashMap<String, usize>,
    /// The names as they are answered.
    names: Vec<String>,
    token_vectors: Matrix,
    path_vectors: Matrix,
    transform: Matrix,
    attention: Matrix,
    name_vectors: Matrix,
}

impl Code2Vec {
    fn open(place: &str) -> Result<Code2Vec, OpenError> {
        let folder = Folder::open("code2vec", place, &released::CODE2VEC, (LAYERS, LEVELS))?;
        let vocabulary: Vocabulary = folder.vocabulary()?;
        let tokens = folder.words("tokens", &vocabulary.tokens, &[UNKNOWN])?;
        let paths = folder.words("paths", &vocabulary.paths, &[UNKNOWN])?;
        folder.words("names", &vocabulary.names, &[])?;
        let token_vectors = folder.matrix("tokens", Some(tokens.len()), None)?;
        let path_vectors = folder.matrix("paths", Some(paths.len()), None)?;
        let width = 2 * token_vectors.columns + path_vectors.columns;
        let transform = folder.matrix("transform", Some(width), None)?;
        let attention = folder.vector("attention", transform.columns)?;
        let name_vectors = folder.matrix("names", Some(vocabulary.names.len()), Some(transform.columns))?;
        let answered = |name: &String| match name.as_str() {
            UNKNOWN => UNKNOWN.to_owned(),
            name => Convention::Camel.join(&name.split('|').collect::<Vec<_>>()),
        };
        let names = vocabulary.names.iter().map(answered).collect();
        let Folder { identity, settings, .. } = folder;
        Ok(Code2Vec {
            identity,
            settings,
            tokens,
            paths,
            names,
            token_vectors,
            path_vectors,
            transform,
            attention,
            name_vectors,
        })
    }

    /// The code vector of a method.
    fn vector(&self, method: &Method) -> Result<Vec<f32>, Fault> {
        let (_, vectors, weights) = self.weigh(method);
        let vector = weighted_sum(&vectors, &weights);
        if vector.iter().all(|value| value.is_finite()) { Ok(vector) } else { Err(Fault::NotFinite) }
    }

    /// The numbers of the contexts that count, their vectors, and how much each counts.
    fn weigh(&self, method: &Method) -> (Vec<usize>, Vec<Vec<f32>>, Vec<f32>) {
        let place = |words: &HashMap<String, usize>, word: &str| words.get(word).copied();
        let contexts: Vec<[Option<usize>; 3]> = method
            .contexts
            .iter()
            .map(|context| {
                let path = context.hash().to_string();
                [
                    place(&self.tokens, &context.source.name),
                    place(&self.paths, &path),
                    place(&self.tokens, &context.target.name),
                ]
            })
            .collect();
        let is_known = |context: &[Option<usize>; 3]| context.iter().any(Option::is_some);
        let is_anything_known = contexts.iter().any(is_known);
        let taken: Vec<usize> =
            (0..contexts.len()).filter(|place| !is_anything_known || is_known(&contexts[*place])).collect();
        let (unknown_token, unknown_path) = (self.tokens[UNKNOWN], self.paths[UNKNOWN]);
        let vectors: Vec<Vec<f32>> = taken
            .iter()
            .map(|place| {
                let [source, path, target] = contexts[*place];
                let mut joint = self.token_vectors.row(source.unwrap_or(unknown_token)).to_vec();
                joint.extend_from_slice(self.path_vectors.row(path.unwrap_or(unknown_path)));
                joint.extend_from_slice(self.token_vectors.row(target.unwrap_or(unknown_token)));
                self.transform.apply(&joint).into_iter().map(f32::tanh).collect()
            })
            .collect();
        let weights: Vec<f32> = vectors.iter().map(|vector| dot(vector, self.attention.row(0))).collect();
        (taken, vectors, softmax(&weights))
    }

    fn answer(&self, input: &Input) -> Result<Answer, Fault> {
        let vector = self.vector(&self.settings.method(input)?)?;
        let scores = self.name_vectors.dot_rows(&vector);
        let scores = softmax(&scores);
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(Fault::NotFinite);
        }
        let mut names: Vec<(usize, f32)> = scores.into_iter().enumerate().collect();
        names.retain(|(place, _)| self.names[*place] != UNKNOWN);
        // Of names that are equally certain, the first of the vocabulary comes first.
        names.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        names.truncate(self.settings.names);
        let names = names.into_iter().map(|(place, certainty)| (self.names[place].clone(), certainty)).collect();
        Ok(Answer { prediction: Prediction::Names(names), tokens: None })
    }
}

impl Model for Code2Vec {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        inputs.par_iter().map(|input| self.answer(input)).collect()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        Some(inputs.par_iter().map(|input| self.vector(&self.settings.method(input)?)).collect())
    }

    fn attention(&self, input: &Input) -> Option<Result<Vec<(String, f32)>, Fault>> {
        let parts = |method: Method| {
            let (taken, _, weights) = self.weigh(&method);
            let text = |place: &usize| {
                let context = &method.contexts[*place];
                format!("{} {} {}", context.source.name, context.spelled(), context.target.name)
            };
            let mut parts: Vec<(String, f32)> = taken.iter().map(text).zip(weights).collect();
            parts.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            parts
        };
        Some(self.settings.method(input).map(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::path_model::testing::{Scratch, assert_near, java, names};
    use super::*;
    use crate::paths::java_hash;
    use crate::{Code, open};
    use syntax::Language;

    /// Its contexts are int, METHOD_NAME and METHOD_NAME, g; int and g lie too far apart.
    const METHOD: &str = "int f() { return g; }";
    const SHORT: &str = "(integral_type0)^(method_declaration)_(identifier1)";
    const LONG: &str = "(identifier1)^(method_declaration)_(block)_(return_statement)_(identifier0)";

    /// Leaves, ways and code vectors of one component. A context becomes tanh(source + way + target).
    fn scratch(name: &str, ways: [f32; 2], config: &str) -> Scratch {
        let vocabulary = serde_json::json!({
            "tokens": [UNKNOWN, "int", "METHOD_NAME", "g"],
            "paths": [UNKNOWN, java_hash(SHORT).to_string(), java_hash(LONG).to_string()],
            "names": [UNKNOWN, "run", "get|size"],
        });
        let ways = [0.0, ways[0], ways[1]];
        let tensors: [(&str, &[usize], &[f32]); 5] = [
            ("tokens", &[4, 1], &[0.0, 1.0, 0.0, 2.0]),
            ("paths", &[3, 1], &ways),
            ("transform", &[3, 1], &[1.0, 1.0, 1.0]),
            ("attention", &[1], &[1.0]),
            ("names", &[3, 1], &[0.0, 1.0, 2.0]),
        ];
        Scratch::new(name, &tensors, &vocabulary.to_string(), config)
    }

    fn embedding(model: &dyn Model, text: &str) -> f32 {
        model.embed(&[java(text)]).unwrap()[0].clone().unwrap()[0]
    }

    #[test]
    fn a_method_is_named() {
        // With ways of 0 and -1 both contexts are tanh(1) = 0.761594, so that the code vector is that, too. The names score 0, 0.761594
        // and 1.523188, whose exponentials are 1, 2.141688 and 4.586829 with the sum 7.728517.
        let scratch = scratch("code2vec-named", [0.0, -1.0], "{}");
        let model = open(&format!("code2vec:{}", scratch.place())).unwrap();
        assert_near(embedding(&*model, METHOD), 0.761_594);
        let found = names(&*model, METHOD);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("getSize", "run"));
        assert_near(found[0].1, 0.593_494);
        assert_near(found[1].1, 0.277_115);
        assert_eq!(model.identity().kind, "code2vec");
        assert!(!model.identity().varies);
    }

    #[test]
    fn attention_weighs_contexts() {
        // Ways of 0 and -3 make the contexts tanh(1) and tanh(-1); their exponentials are 2.141688 and 0.466922, the weights 0.821007
        // and 0.178993. The code vector is 0.761594 * (0.821007 - 0.178993).
        let scratch = scratch("code2vec-weighs", [0.0, -3.0], r#"{"names": 1}"#);
        let model = open(&format!("code2vec:{}", scratch.place())).unwrap();
        assert_near(embedding(&*model, METHOD), 0.488_955);
        assert_eq!(names(&*model, METHOD).len(), 1);
        let attention = model.attention(&java(METHOD)).unwrap().unwrap();
        assert_eq!(attention[0].0, format!("int {SHORT} METHOD_NAME"));
        assert_near(attention[0].1, 0.821_007);
        assert_near(attention[1].1, 0.178_993);
    }

    #[test]
    fn unknown_words_and_batches() {
        let scratch = scratch("code2vec-unknown", [0.0, -1.0], "{}");
        let model = open(&format!("code2vec:{}", scratch.place())).unwrap();
        // The leaf h is unknown, and its embedding is 0: the contexts are tanh(1) and tanh(-1).
        assert_near(embedding(&*model, "int f() { return h; }"), 0.488_955);
        let texts = [METHOD, "int f() { return h; }", "class A { }", METHOD];
        let inputs: Vec<Input> = texts.iter().map(|text| java(text)).collect();
        let together = model.predict(&inputs);
        for (input, answer) in inputs.iter().zip(&together) {
            assert_eq!(model.predict(std::slice::from_ref(input))[0], *answer);
        }
        assert_eq!(together[0], together[3]);
        assert!(matches!(&together[2], Err(Fault::Failed(problem)) if problem.contains("no method")));
        // A name alone has no pair.
        assert!(model.predict(&[java("void f() { }")])[0].is_ok());
        let code = Code { language: Language::Java, text: METHOD.to_owned() };
        let pair = Input::Pair(code.clone(), code);
        assert!(matches!(model.predict(&[pair])[0], Err(Fault::WrongInput { .. })));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let message = |name: &str, spoil: &dyn Fn(&Scratch)| {
            let scratch = scratch(name, [0.0, 0.0], "{}");
            spoil(&scratch);
            Code2Vec::open(scratch.place()).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let write = |scratch: &Scratch, file: &str, text: &str| std::fs::write(scratch.file(file), text).unwrap();
        for file in ["model.safetensors", "vocabulary.json"] {
            let missing = message("code2vec-missing", &|scratch| std::fs::remove_file(scratch.file(file)).unwrap());
            assert!(missing.contains(file) && missing.starts_with("failed to read"), "{missing}");
        }
        let spoiled = message("code2vec-spoiled", &|scratch| write(scratch, "model.safetensors", "no"));
        assert!(spoiled.contains("is not a valid safetensors file"), "{spoiled}");
        let lacking = message("code2vec-lacking", &|scratch| {
            write(scratch, "vocabulary.json", r#"{"tokens": ["a"], "paths": ["<unk>"], "names": []}"#);
        });
        assert!(lacking.contains("`tokens`") && lacking.contains("`<unk>`"), "{lacking}");
        let key = message("code2vec-key", &|scratch| write(scratch, "vocabulary.json", r#"{"tokens": []}"#));
        assert!(key.contains("missing field `paths`"), "{key}");
        let shape = message("code2vec-shape", &|scratch| {
            write(scratch, "vocabulary.json", r#"{"tokens": ["<unk>"], "paths": ["<unk>"], "names": []}"#);
        });
        assert!(shape.contains("the tensor `tokens` is 4 x 1, but must be 1 x any"), "{shape}");
        let tensor = message("code2vec-tensor", &|scratch| {
            let other = Scratch::new("code2vec-other", &[("tokens", &[4, 1], &[0.0; 4])], "", "");
            std::fs::copy(other.file("model.safetensors"), scratch.file("model.safetensors")).unwrap();
        });
        assert!(tensor.contains("lacks the tensor `paths`; it has tokens"), "{tensor}");
        let setting = message("code2vec-setting", &|scratch| write(scratch, "config.json", r#"{"context": 3}"#));
        assert!(setting.contains("unknown field `context`"), "{setting}");
        let zero = message("code2vec-zero", &|scratch| write(scratch, "config.json", r#"{"contexts": 0}"#));
        assert!(zero.contains("`contexts` is 0"), "{zero}");
    }
}
