//! The references of CODA: inputs of the training set that the model classifies correctly.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use model::{Code, Fault, Input, Model};
use random::{Random, seed_of};
use rayon::prelude::*;
use syntax::token::TokenKind;
use syntax::{Program, SymbolKind, Target};
use transformation::shapes::{self, Counts};

use crate::cache::Cache;
use crate::candidate::Candidate;
use crate::desk::{Desk, Traffic};
use crate::goal::Goal;
use crate::material::{Material, NameVectors};
use crate::victim::Truth;

/// Replaces every name when programs are compared.
const PLACEHOLDER: &str = "<unk>";

/// The dimension of the built-in encoder.
const DIMENSIONS: usize = 256;

/// The maximum number of vectors per batch.
const MOST_VECTORS: usize = 256;

/// An input of the training set that the model classifies correctly, or answers well enough where a measure decides.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The index in the training set.
    pub place: usize,
    /// The class; where a measure decides, the place of the truth in [`Material::truths`].
    pub class: usize,
    /// The unit vector of the input without names, see [`anonymous`]. A pair has one vector, that of both programs.
    pub vector: Vec<f32>,
    /// The names that its programs declare, in alphabetical order.
    pub names: Vec<String>,
    /// How often each of its programs has the shapes of CODA's rules.
    pub counts: Vec<Counts>,
}

/// Computes vectors of inputs.
#[derive(Clone, Default)]
pub enum Encoder {
    /// Token counts, hashed to 256 numbers. It needs no model.
    #[default]
    BuiltIn,
    /// The attacked model.
    Victim,
    /// Another model.
    Another(Arc<dyn Model>),
}

impl Encoder {
    /// The unit vectors of some inputs. `None` if the model has no encoder.
    pub fn vectors(&self, victim: &dyn Model, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let vectors = match self {
            Encoder::BuiltIn => inputs.iter().map(|input| Ok(token_counts(input))).collect(),
            Encoder::Victim => victim.embed(inputs)?,
            Encoder::Another(model) => model.embed(inputs)?,
        };
        if vectors.len() != inputs.len() {
            let fault = Fault::WrongShape(format!("{} vectors for {} inputs", vectors.len(), inputs.len()));
            return Some(vec![Err(fault); inputs.len()]);
        }
        Some(vectors.into_iter().map(|vector| vector.and_then(of_length_one)).collect())
    }
}

/// The parameters of [`Material::gather`].
#[derive(Clone, Default)]
pub struct Gathering<'g> {
    /// A model without an encoder is replaced with the built-in encoder.
    pub encoder: Encoder,
    /// The maximum number of inputs per class that are submitted to the model, drawn with the seed. Where a measure decides,
    /// it is that of all inputs, since names and texts seldom repeat.
    pub most: usize,
    pub seed: u64,
    /// The batch size.
    pub batch: usize,
    pub cache: Option<&'g Cache>,
    /// The measure that decides, with the truths that the numbers of the training set stand for. Without it they are classes.
    pub goal: Option<(Goal, &'g [Truth])>,
}

/// The cost of gathering. These queries do not belong to any target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    pub traffic: Traffic,
    /// The inputs that the model was wrong about, which are not used as references.
    pub wrong: usize,
    /// The inputs without an answer or a vector, which are not used either.
    pub faults: usize,
    /// Was the built-in encoder used because the model has none, or none that reads programs without names?
    pub fell_back: bool,
}

impl Material {
    /// Gathers what attacks can learn from a training set of inputs with the numbers of their classes or truths. The names are those of the
    /// whole set; references are drawn.
    pub fn gather(model: &dyn Model, training: &[(Input, usize)], how: &Gathering<'_>) -> (Material, Gathered) {
        let codes = different(training.iter().flat_map(|(input, _)| input.programs()));
        let read = read(&codes);
        let sequences: Vec<Vec<String>> = read.iter().map(|read| read.sequence.clone()).collect();
        let mut material = Material {
            vocabulary: vocabulary(&read),
            references: Vec::new(),
            encoder: how.encoder.clone(),
            names: NameVectors::new(sequences, how.seed),
            truths: how.goal.map(|(_, truths)| truths.to_vec()).unwrap_or_default(),
            ..Material::default()
        };
        let mut gathered = Gathered::default();
        let places = drawn(training, how);
        let right = right_ones(model, training, &places, how, &mut gathered);
        let of_code: HashMap<&Code, &Read> = codes.iter().copied().zip(&read).collect();
        for places in right.chunks(MOST_VECTORS) {
            let inputs: Vec<Input> =
                places.par_iter().map(|place| anonymous(&Candidate::of(&training[*place].0))).collect();
            // A model of names that reads syntax, such as code2vec, finds no method in a program without names.
            let is_unread = |vectors: &[Result<Vec<f32>, Fault>]| {
                material.references.is_empty() && vectors.iter().all(|vector| matches!(vector, Err(Fault::Failed(_))))
            };
            let vectors = material.encoder.vectors(model, &inputs).filter(|vectors| !is_unread(vectors));
            let vectors = vectors.unwrap_or_else(|| {
                gathered.fell_back = true;
                material.encoder = Encoder::BuiltIn;
                inputs.iter().map(|input| of_length_one(token_counts(input))).collect()
            });
            for (place, vector) in places.iter().zip(vectors) {
                let Ok(vector) = vector else {
                    gathered.faults += 1;
                    continue;
                };
                let (input, class) = &training[*place];
                let programs: Vec<&Read> = input.programs().into_iter().map(|code| of_code[code]).collect();
                let mut names: Vec<String> = programs.iter().flat_map(|read| read.declared.clone()).collect();
                names.sort_unstable();
                names.dedup();
                let counts = programs.iter().map(|read| read.counts.clone()).collect();
                material.references.push(Reference { place: *place, class: *class, vector, names, counts });
            }
        }
        material.references.sort_by_key(|reference| (reference.class, reference.place));
        (material, gathered)
    }

    /// The names that programs declare, most frequent first, ties in alphabetical order. A program that does not parse
    /// declares none.
    pub fn vocabulary_of<'c>(programs: impl IntoIterator<Item = &'c Code>) -> Vec<String> {
        vocabulary(&read(&different(programs)))
    }
}

/// The input with every name, whatever it refers to, replaced with `<unk>`, so that only its structure is left.
pub fn anonymous(candidate: &Candidate) -> Input {
    candidate.input_with(|part| {
        let program = candidate.program(part);
        let mut text = String::with_capacity(program.text().len());
        let mut done = 0;
        for token in program.tokens().into_iter().filter(|token| token.kind == TokenKind::Identifier) {
            text.push_str(&program.text()[done..token.range.start]);
            text.push_str(PLACEHOLDER);
            done = token.range.end;
        }
        text.push_str(&program.text()[done..]);
        text
    })
}

/// What is kept of a program.
struct Read {
    /// All names in order of occurrence.
    sequence: Vec<String>,
    /// The names that the program declares.
    declared: Vec<String>,
    counts: Counts,
}

fn read(codes: &[&Code]) -> Vec<Read> {
    let read = |code: &&Code| {
        let program = Program::parse(code.language, code.text.clone());
        let names = program.tokens().into_iter().filter(|token| token.kind == TokenKind::Identifier);
        Read {
            sequence: names.map(|token| token.text.to_owned()).collect(),
            declared: declared(&program),
            counts: shapes::count(&program),
        }
    };
    codes.par_iter().map(read).collect()
}

fn declared(program: &Program) -> Vec<String> {
    let scopes = program.scopes();
    let is_name = |target: Target| match target {
        Target::Symbol(symbol) => match scopes.symbol(symbol).kind {
            SymbolKind::Local
            | SymbolKind::Parameter
            | SymbolKind::Field
            | SymbolKind::Function
            | SymbolKind::Global => true,
            SymbolKind::Type | SymbolKind::Namespace | SymbolKind::Label | SymbolKind::Import | SymbolKind::Macro => {
                false
            }
        },
        Target::Outside | Target::Member | Target::Unknown => false,
    };
    let references = scopes.references().iter().filter(|reference| is_name(reference.target));
    references.map(|reference| program.node(reference.node).text().to_owned()).collect()
}

fn vocabulary(read: &[Read]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in read.iter().flat_map(|read| &read.declared) {
        *counts.entry(name).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Pairs repeat the same programs many times.
fn different<'c>(codes: impl IntoIterator<Item = &'c Code>) -> Vec<&'c Code> {
    let mut seen = HashSet::new();
    codes.into_iter().filter(|code| seen.insert(*code)).collect()
}

/// The indices of the inputs that are submitted to the model.
fn drawn(training: &[(Input, usize)], how: &Gathering<'_>) -> Vec<usize> {
    let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, (_, class)) in training.iter().enumerate() {
        classes.entry(if how.goal.is_some() { 0 } else { *class }).or_default().push(place);
    }
    let draw = |(class, mut places): (usize, Vec<usize>)| {
        let seed = seed_of(&[&how.seed.to_le_bytes(), b"references", &(class as u64).to_le_bytes()]);
        Random::new(seed).shuffle(&mut places);
        places.truncate(how.most);
        places
    };
    classes.into_iter().flat_map(draw).collect()
}

/// The indices at which the model is right.
fn right_ones(
    model: &dyn Model,
    training: &[(Input, usize)],
    places: &[usize],
    how: &Gathering<'_>,
    gathered: &mut Gathered,
) -> Vec<usize> {
    let desk = Desk::new(model, how.batch, how.cache);
    let inputs = places.iter().map(|place| training[*place].0.clone()).collect();
    let answers = std::thread::scope(|scope| {
        scope.spawn(|| desk.serve());
        let (answers, _) = desk.sit().ask(inputs);
        desk.close();
        answers
    });
    gathered.traffic = desk.traffic();
    let mut right = Vec::new();
    for (place, answer) in places.iter().zip(answers) {
        let is_right = answer.ok().and_then(|answer| {
            let number = training[*place].1;
            let Some((goal, truths)) = how.goal else { return Some(answer.prediction.class()? == number) };
            let score = goal.measure.score(&truths[number], &answer.prediction, &answer.prediction)?;
            Some(goal.is_possible(score))
        });
        match is_right {
            Some(true) => right.push(*place),
            Some(false) => gathered.wrong += 1,
            None => gathered.faults += 1,
        }
    }
    right
}

/// The built-in encoder.
fn token_counts(input: &Input) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let mut count = |token: &str| counts[seed_of(&[token.as_bytes()]) as usize % DIMENSIONS] += 1.0;
    for code in input.programs() {
        let is_in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut rest = code.text.as_str();
        while let Some(first) = rest.chars().next() {
            let end = match is_in_word(first) {
                true => rest.find(|letter| !is_in_word(letter)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            if !first.is_whitespace() {
                count(&rest[..end]);
            }
            rest = &rest[end..];
        }
    }
    counts
}

/// A zero vector cannot be compared. That of an empty program stays as it is: it is similar to no other.
fn of_length_one(mut vector: Vec<f32>) -> Result<Vec<f32>, Fault> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() {
        return Err(Fault::NotFinite);
    }
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use model::{Answer, Identity};
    use syntax::Language;
    use transformation::shapes::Shape;

    use super::*;
    use crate::testing::{Toy, words};

    fn code(text: &str) -> Code {
        Code { language: Language::C, text: text.to_owned() }
    }

    fn training() -> Vec<(Input, usize)> {
        let calm = "int f(int cursor) { for (;;) { cursor++; } return cursor; }";
        let suspicious = "int g(int *buffer) { while (buffer[0]) { buffer++; } return 0; }";
        vec![
            (Input::Code(code(calm)), 0),
            (Input::Code(code(suspicious)), 1),
            (Input::Code(code("int h(int buffer) { return buffer; }")), 0),
            (Input::Code(code("int f(int item) { return item; }")), 0),
        ]
    }

    fn how() -> Gathering<'static> {
        Gathering { encoder: Encoder::Victim, most: 100, seed: 1, batch: 8, cache: None, goal: None }
    }

    #[test]
    fn references_are_what_the_model_is_right_about() {
        let (material, gathered) = Material::gather(&Toy::new(), &training(), &how());
        let places: Vec<(usize, usize)> =
            material.references.iter().map(|reference| (reference.class, reference.place)).collect();
        assert_eq!(places, [(0, 0), (0, 3), (1, 1)]);
        let first = &material.references[0];
        assert_eq!(first.names, words(&["cursor", "f"]));
        assert_eq!((first.counts.len(), first.counts[0].of(Shape::ForLoop)), (1, 1));
        assert_eq!((gathered.wrong, gathered.faults, gathered.traffic.asked), (1, 0, 4));
        assert!(gathered.fell_back, "the toy has no encoder");
        assert!(matches!(material.encoder, Encoder::BuiltIn));
        assert!(material.references.iter().all(|reference| reference.vector.len() == 256));
        assert!(material.names.get().similarity("cursor", "cursor") > 0.99);
    }

    #[test]
    fn no_more_are_asked_about_than_may_be() {
        let (material, gathered) = Material::gather(&Toy::new(), &training(), &Gathering { most: 1, ..how() });
        assert_eq!(gathered.traffic.asked, 2);
        assert!(material.references.len() <= 2);
        // The names are those of all programs.
        assert!(material.vocabulary.contains(&"item".to_owned()));
    }

    #[test]
    fn a_pair_has_the_names_and_shapes_of_both() {
        let (one, two) =
            (code("int f(int cursor) { return cursor; }"), code("int g(int item) { while (item) item--; }"));
        let pair = Input::Pair(one, two);
        let class = usize::from(
            Toy::new().predict(std::slice::from_ref(&pair))[0].as_ref().unwrap().prediction.class() == Some(1),
        );
        let (material, _) = Material::gather(&Toy::new(), &[(pair, class)], &how());
        let reference = &material.references[0];
        assert_eq!(reference.names, words(&["cursor", "f", "g", "item"]));
        let loops: Vec<usize> = reference.counts.iter().map(|counts| counts.of(Shape::WhileLoop)).collect();
        assert_eq!(loops, [0, 1]);
    }

    #[test]
    fn names_are_counted_where_they_are_declared() {
        let programs = [
            code("int f(int n) { int total = n + n; printf(\"%d\", total); return n; }"),
            code("int g(int k) { return k; }"),
            code("int g(int k) { return k; }"),
            code("int broken(int n { return n; }"),
        ];
        assert_eq!(Material::vocabulary_of(&programs), words(&["n", "k", "total", "f", "g"]));
    }

    #[test]
    fn names_are_hidden_wherever_they_are_written() {
        let candidate = Candidate::of(&Input::Code(code("int f(struct s *p) { /* p */ return p->x + \"p\"[0]; }")));
        let Input::Code(hidden) = anonymous(&candidate) else { panic!("it is one program") };
        assert_eq!(hidden.text, "int <unk>(struct <unk> *<unk>) { /* p */ return <unk>-><unk> + \"p\"[0]; }");
    }

    #[test]
    fn the_built_in_encoder_sees_structure() {
        let vector = |text: &str| {
            let input = anonymous(&Candidate::of(&Input::Code(code(text))));
            Encoder::BuiltIn.vectors(&Toy::new(), &[input]).unwrap().remove(0).unwrap()
        };
        let cosine = |one: &[f32], other: &[f32]| -> f32 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
        let first = vector("int f(int n) { while (n) { n--; } return n; }");
        assert_eq!(first, vector("int other(int m) { while (m) { m--; } return m; }"));
        let near = vector("int f(int n) { while (n > 1) { n--; } return n; }");
        let far = vector("char *s(void) { return \"a, b, c, d\"; }");
        assert!(cosine(&first, &near) > cosine(&first, &far));
        assert!((cosine(&first, &first) - 1.0).abs() < 1e-5);
        assert!(vector("").iter().all(|number| *number == 0.0));
    }

    /// Has an encoder with these vectors.
    struct Encoding(Toy, fn(&Input) -> Result<Vec<f32>, Fault>);

    impl Model for Encoding {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            self.0.predict(inputs)
        }

        fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
            Some(inputs.iter().map(self.1).collect())
        }
    }

    /// Short programs have no valid vector.
    fn shaky() -> Encoding {
        Encoding(Toy::new(), |input| match input.programs()[0].text.len() {
            length if length < 40 => Ok(vec![f32::NAN]),
            length => Ok(vec![length as f32, 1.0]),
        })
    }

    #[test]
    fn an_encoder_that_reads_nothing_is_replaced() {
        let unreadable = Encoding(Toy::new(), |_| Err(Fault::Failed("there is no method".to_owned())));
        let (material, gathered) = Material::gather(&unreadable, &training(), &how());
        assert!(gathered.fell_back && matches!(material.encoder, Encoder::BuiltIn));
        assert_eq!((gathered.faults, material.references.len()), (0, 3));
    }

    #[test]
    fn what_has_no_vector_is_no_reference() {
        let (material, gathered) = Material::gather(&shaky(), &training(), &how());
        assert!(!gathered.fell_back);
        assert_eq!((gathered.faults, material.references.len()), (1, 2));
    }
}
