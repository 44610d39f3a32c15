//! A linear classifier: multinomial logistic regression over the features of programs, as a baseline.
//!
//! Features are weighted by their inverse document frequency, and the vector of an input is normalised. Features that
//! occur in one training program only are left out. The weights are learned example by example with Adagrad and an L2
//! penalty, in an order that is drawn from the seed, on one thread: the same examples and settings give the same bytes.
//! The number of epochs is chosen on held-out examples; then the classifier is trained on all of them for that many
//! epochs.
//!
//! A classifier is one safetensors file: the tensors `features` (hashes), `rarity`, `weights` (one row per feature) and
//! `bias`, and the settings and labels as JSON under the key `allotrope` of the metadata.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use super::features::Features;
use super::features::Sparse;
use crate::{Fault, Input};
use kernels::softmax;

/// How a classifier is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSettings {
    /// Which features are used.
    pub features: Features,
    /// The maximum number of features. The ones in the most training examples are used.
    pub most_features: usize,
    /// The maximum number of epochs.
    pub epochs: usize,
    /// The learning rate.
    pub rate: f32,
    /// The L2 penalty.
    pub penalty: f32,
    /// The fraction of examples that is held out to choose the number of epochs.
    pub kept_back: f64,
    /// Determines the order of the examples, and which of them are held out.
    pub seed: u64,
}

impl Default for TrainingSettings {
    fn default() -> TrainingSettings {
        TrainingSettings {
            features: Features::default(),
            most_features: 100_000,
            epochs: 40,
            rate: 0.5,
            penalty: 1e-4,
            kept_back: 0.1,
            seed: 0,
        }
    }
}

/// A training example.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub input: Input,
    pub class: usize,
    /// What must stay together when examples are held out: its project or problem, or its own name.
    pub group: String,
}

/// Why training is impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// There are no examples.
    #[error("there is nothing to learn from")]
    Nothing,
    /// All examples have the same class.
    #[error("there is nothing to learn: all {count} examples belong to the class `{label}`")]
    OneClass { count: usize, label: String },
    /// A class has no label.
    #[error("an example has the class {class}, but there are only {labels} labels")]
    NoLabel {
        class: usize,
        /// The number of labels.
        labels: usize,
    },
    /// Single programs and pairs are mixed.
    #[error("some examples are pairs of programs, and some are single programs")]
    Mixed,
    /// The classifier has no features for this kind of input.
    #[error("{0}: a linear classifier has no features for texts")]
    Input(#[from] Fault),
    /// The user interrupted it.
    #[error("training was stopped before it finished")]
    Interrupted,
}

/// The result of training.
#[derive(Debug)]
pub struct Trained {
    pub classifier: Linear,
    pub epochs: usize,
    /// How many of the held-out examples were classified correctly, of how many; `None` if none were held out.
    pub kept_back: Option<(usize, usize)>,
}

/// A linear classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    about: About,
    /// The hashes of the features, in ascending order.
    hashes: Vec<u64>,
    rarity: Vec<f32>,
    /// A row for each feature, a column for each class.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// What the metadata of the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    kind: String,
    version: u32,
    features: Features,
    takes_pairs: bool,
    labels: Vec<String>,
}

const VERSION: u32 = 1;
const METADATA: &str = "allotrope";

/// The number of examples that are read and processed in parallel at a time.
const TOGETHER: usize = 512;

/// Training stops after this many epochs without an improvement.
const PATIENCE: usize = 4;

/// The number of epochs if nothing could be held out.
const FEW_EPOCHS: usize = 12;

/// Trains a classifier. `progress` receives a short description of each step.
pub fn train(
    lessons: &[Lesson],
    labels: &[String],
    settings: &TrainingSettings,
    stop: &AtomicBool,
    progress: &dyn Fn(&str),
) -> Result<Trained, TrainError> {
    check(lessons, labels)?;
    let takes_pairs = matches!(lessons[0].input, Input::Pair(..));
    let about = About {
        kind: "linear".to_owned(),
        version: VERSION,
        features: settings.features.clone(),
        takes_pairs,
        labels: labels.to_vec(),
    };
    let (hashes, rarity) = vocabulary(lessons, settings, stop, progress)?;
    let bare = Linear { about, hashes, rarity, weights: Vec::new(), bias: Vec::new() };
    let mut rows = Vec::with_capacity(lessons.len());
    for some in lessons.chunks(TOGETHER) {
        check_stop(stop)?;
        progress(&format!("reading {} of {} examples again", rows.len(), lessons.len()));
        let read: Result<Vec<Row>, Fault> = some
            .par_iter()
            .map(|lesson| Ok(Row { numbers: bare.numbers(&settings.features.of(&lesson.input)?), class: lesson.class }))
            .collect();
        rows.extend(read?);
    }
    let is_kept_back = kept_back(lessons, settings);
    let part = |wanted: bool| -> Vec<&Row> {
        rows.iter().zip(&is_kept_back).filter(|(_, kept)| **kept == wanted).map(|(row, _)| row).collect()
    };
    let (learned, tried) = (part(false), part(true));
    let (epochs, right) = match tried.is_empty() {
        true => (FEW_EPOCHS.min(settings.epochs), None),
        false => {
            let (epochs, right) = enough_epochs(&bare, &learned, &tried, settings, stop, progress)?;
            (epochs, Some((right, tried.len())))
        }
    };
    let all: Vec<&Row> = rows.iter().collect();
    let mut pupil = Pupil::new(&bare, settings);
    for epoch in 1..=epochs {
        progress(&format!("learning from all examples, epoch {epoch} of {epochs}"));
        pupil.learn(&all, settings, stop)?;
    }
    Ok(Trained { classifier: pupil.classifier, epochs, kept_back: right })
}

fn check(lessons: &[Lesson], labels: &[String]) -> Result<(), TrainError> {
    let first = lessons.first().ok_or(TrainError::Nothing)?;
    if let Some(lesson) = lessons.iter().find(|lesson| lesson.class >= labels.len()) {
        return Err(TrainError::NoLabel { class: lesson.class, labels: labels.len() });
    }
    if lessons.iter().all(|lesson| lesson.class == first.class) {
        return Err(TrainError::OneClass { count: lessons.len(), label: labels[first.class].clone() });
    }
    let shape = first.input.shape();
    match lessons.iter().all(|lesson| lesson.input.shape() == shape) {
        true => Ok(()),
        false => Err(TrainError::Mixed),
    }
}

fn check_stop(stop: &AtomicBool) -> Result<(), TrainError> {
    if stop.load(Ordering::Relaxed) { Err(TrainError::Interrupted) } else { Ok(()) }
}

/// The features that occur in at least two examples, and how rare each is.
fn vocabulary(
    lessons: &[Lesson],
    settings: &TrainingSettings,
    stop: &AtomicBool,
    progress: &dyn Fn(&str),
) -> Result<(Vec<u64>, Vec<f32>), TrainError> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for (place, some) in lessons.chunks(TOGETHER).enumerate() {
        check_stop(stop)?;
        progress(&format!("reading {} of {} examples", place * TOGETHER, lessons.len()));
        let read: Result<Vec<Sparse>, Fault> =
            some.par_iter().map(|lesson| settings.features.of(&lesson.input)).collect();
        for sparse in read? {
            for (hash, _) in sparse.counted.iter().chain(&sparse.plain) {
                *counts.entry(*hash).or_default() += 1;
            }
        }
    }
    let mut kept: Vec<(u64, u32)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    kept.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(*count), *hash));
    kept.truncate(settings.most_features);
    kept.sort_unstable_by_key(|(hash, _)| *hash);
    let rarity = |count: u32| ((1.0 + lessons.len() as f32) / (1.0 + count as f32)).ln() + 1.0;
    Ok(kept.into_iter().map(|(hash, count)| (hash, rarity(count))).unzip())
}

/// Which examples are held out. Groups are held out as a whole, chosen by the seed and their names alone.
fn kept_back(lessons: &[Lesson], settings: &TrainingSettings) -> Vec<bool> {
    let kept = |lesson: &Lesson| {
        let digest = Sha256::new()
            .chain_update(b"kept back")
            .chain_update(settings.seed.to_le_bytes())
            .chain_update(&lesson.group)
            .finalize();
        let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
        f64::from(number) / f64::from(u32::MAX) < settings.kept_back
    };
    let mut kept: Vec<bool> = lessons.iter().map(kept).collect();
    // Without examples of two classes nothing can be learned from the others.
    let mut classes = lessons.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(lesson, _)| lesson.class);
    let first = classes.next();
    if !classes.any(|class| Some(class) != first) {
        kept.fill(false);
    }
    kept
}

/// The best number of epochs for held-out examples, and how many of these are then classified correctly.
fn enough_epochs(
    bare: &Linear,
    learned: &[&Row],
    tried: &[&Row],
    settings: &TrainingSettings,
    stop: &AtomicBool,
    progress: &dyn Fn(&str),
) -> Result<(usize, usize), TrainError> {
    let mut pupil = Pupil::new(bare, settings);
    let mut best = (f64::INFINITY, 1, 0);
    for epoch in 1..=settings.epochs.max(1) {
        pupil.learn(learned, settings, stop)?;
        let (mut loss, mut right) = (0.0, 0);
        for row in tried {
            let chances = pupil.classifier.chances(&row.numbers);
            loss -= f64::from(chances[row.class].max(1e-12).ln());
            right += usize::from(first_best(&chances) == row.class);
        }
        progress(&format!("trying {epoch} epochs: {right} of {} examples are answered rightly", tried.len()));
        if loss < best.0 {
            best = (loss, epoch, right);
        }
        if epoch >= best.1 + PATIENCE {
            break;
        }
    }
    Ok((best.1, best.2))
}

fn first_best(chances: &[f32]) -> usize {
    let best = chances.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    chances.iter().position(|chance| *chance == best).unwrap_or(0)
}

/// The features of an example that the classifier knows, by their places, and its class.
struct Row {
    numbers: Vec<(u32, f32)>,
    class: usize,
}

/// A classifier that learns.
struct Pupil {
    classifier: Linear,
    /// The sums of the squares of all steps so far, for every weight and bias.
    squares: Vec<f32>,
    bias_squares: Vec<f32>,
    generator: ChaCha8Rng,
}

impl Pupil {
    fn new(bare: &Linear, settings: &TrainingSettings) -> Pupil {
        let classes = bare.about.labels.len();
        let count = bare.hashes.len() * classes;
        let classifier = Linear { weights: vec![0.0; count], bias: vec![0.0; classes], ..bare.clone() };
        let generator = ChaCha8Rng::seed_from_u64(settings.seed);
        Pupil { classifier, squares: vec![0.0; count], bias_squares: vec![0.0; classes], generator }
    }

    /// Goes through all examples once.
    fn learn(&mut self, rows: &[&Row], settings: &TrainingSettings, stop: &AtomicBool) -> Result<(), TrainError> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, (self.generator.next_u64() % (place as u64 + 1)) as usize);
        }
        for (count, place) in order.into_iter().enumerate() {
            if count % TOGETHER == 0 {
                check_stop(stop)?;
            }
            self.learn_one(rows[place], settings);
        }
        Ok(())
    }

    fn learn_one(&mut self, row: &Row, settings: &TrainingSettings) {
        let mut slopes = self.classifier.chances(&row.numbers);
        slopes[row.class] -= 1.0;
        let classes = slopes.len();
        let step = |weight: &mut f32, squares: &mut f32, slope: f32| {
            *squares += slope * slope;
            *weight -= settings.rate * slope / (squares.sqrt() + 1e-6);
        };
        for (feature, number) in &row.numbers {
            let from = *feature as usize * classes;
            let weights = &mut self.classifier.weights[from..from + classes];
            let squares = &mut self.squares[from..from + classes];
            for ((weight, squares), slope) in weights.iter_mut().zip(squares).zip(&slopes) {
                let slope = slope * number + settings.penalty * *weight;
                step(weight, squares, slope);
            }
        }
        for ((bias, squares), slope) in self.classifier.bias.iter_mut().zip(&mut self.bias_squares).zip(&slopes) {
            step(bias, squares, *slope);
        }
    }
}

impl Linear {
    /// The names of the classes, by their numbers.
    pub fn labels(&self) -> &[String] {
        &self.about.labels
    }

    /// How many features it knows.
    pub fn features(&self) -> usize {
        self.hashes.len()
    }

    /// The probability of every class.
    pub fn predict(&self, input: &Input) -> Result<Vec<f32>, Fault> {
        let wanted = if self.about.takes_pairs { "a pair of programs" } else { "one program" };
        if wanted != input.shape() {
            return Err(Fault::WrongInput { wanted, given: input.shape() });
        }
        Ok(self.chances(&self.numbers(&self.about.features.of(input)?)))
    }

    /// The features that are known, by their places, with what they count here.
    fn numbers(&self, sparse: &Sparse) -> Vec<(u32, f32)> {
        let place = |hash: &u64| self.hashes.binary_search(hash).ok();
        let known = |(hash, number): &(u64, f32)| place(hash).map(|place| (place as u32, number * self.rarity[place]));
        let mut numbers: Vec<(u32, f32)> = sparse.counted.iter().filter_map(known).collect();
        let length = numbers.iter().map(|(_, number)| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        numbers.iter_mut().for_each(|(_, number)| *number /= length);
        numbers.extend(sparse.plain.iter().filter_map(|(hash, number)| Some((place(hash)? as u32, *number))));
        numbers
    }

    fn chances(&self, numbers: &[(u32, f32)]) -> Vec<f32> {
        let classes = self.bias.len();
        let mut scores = self.bias.clone();
        for (feature, number) in numbers {
            let from = *feature as usize * classes;
            for (score, weight) in scores.iter_mut().zip(&self.weights[from..from + classes]) {
                *score += number * weight;
            }
        }
        softmax(&scores)
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let classes = self.bias.len();
        let hashes: Vec<u8> = self.hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        let [rarity, weights, bias] = [&self.rarity, &self.weights, &self.bias]
            .map(|numbers| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() });
        let count = self.hashes.len();
        let tensors = [
            ("features", Dtype::U64, vec![count], &hashes),
            ("rarity", Dtype::F32, vec![count], &rarity),
            ("weights", Dtype::F32, vec![count, classes], &weights),
            ("bias", Dtype::F32, vec![classes], &bias),
        ];
        let views: Vec<(&str, TensorView<'_>)> = tensors
            .iter()
            .map(|(name, dtype, shape, bytes)| {
                (*name, TensorView::new(*dtype, shape.clone(), bytes).expect("the shapes are those of the arrays"))
            })
            .collect();
        // One key only, because the order of several would differ from run to run.
        let about = serde_json::to_string(&self.about).expect("there are only texts and numbers in it");
        let metadata = HashMap::from([(METADATA.to_owned(), about)]);
        safetensors::serialize(views, Some(metadata)).expect("the arrays fit into a file")
    }

    /// Reads a file. The error says what is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Linear, String> {
        let no_file = |error| format!("it is not a valid safetensors file: {error}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(no_file)?;
        let about = header.metadata().as_ref().and_then(|metadata| metadata.get(METADATA));
        let about = about.ok_or("its metadata does not say that `allotrope train` has written it")?;
        let about: About =
            serde_json::from_str(about).map_err(|error| format!("its settings cannot be read: {error}"))?;
        if about.kind != "linear" || about.version != VERSION {
            let (kind, version) = (&about.kind, about.version);
            return Err(format!(
                "it is a model `{kind}` of version {version}, this program reads `linear` of version {VERSION}"
            ));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(no_file)?;
        let array = |name: &str, dtype: Dtype, shape: &[Option<usize>]| {
            let tensor = tensors.tensor(name).map_err(|_| format!("it has no array `{name}`"))?;
            let is_fit = tensor.dtype() == dtype
                && tensor.shape().len() == shape.len()
                && tensor.shape().iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|wanted| wanted == *found));
            match is_fit {
                true => Ok(tensor.data().to_vec()),
                false => Err(format!("its array `{name}` has the shape {:?} of {:?}", tensor.shape(), tensor.dtype())),
            }
        };
        let numbers = |bytes: Vec<u8>| -> Result<Vec<f32>, String> {
            let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
            match numbers.iter().all(|number| number.is_finite()) {
                true => Ok(numbers),
                false => Err("it contains a non-finite number".to_owned()),
            }
        };
        let classes = about.labels.len();
        let hashes = array("features", Dtype::U64, &[None])?;
        let hashes: Vec<u64> = hashes.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect();
        if classes == 0 || !hashes.windows(2).all(|two| two[0] < two[1]) {
            return Err("its labels or its features are damaged".to_owned());
        }
        let count = Some(hashes.len());
        let rarity = numbers(array("rarity", Dtype::F32, &[count])?)?;
        let weights = numbers(array("weights", Dtype::F32, &[count, Some(classes)])?)?;
        let bias = numbers(array("bias", Dtype::F32, &[Some(classes)])?)?;
        Ok(Linear { about, hashes, rarity, weights, bias })
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;
    use crate::Code;

    fn code(text: String) -> Code {
        Code { language: Language::Python, text }
    }

    /// Sums and products: the words tell them apart, and the operator does.
    fn lessons(count: usize) -> Vec<Lesson> {
        let lesson = |number: usize| {
            let class = number % 2;
            let text = match class {
                0 => format!(
                    "def total{number}(items):\n    sum = {number}\n    for item in items:\n        sum += item\n    return sum\n"
                ),
                _ => format!(
                    "def fold{number}(values):\n    product = {number}\n    for value in values:\n        product *= value\n    return product\n"
                ),
            };
            Lesson { input: Input::Code(code(text)), class, group: number.to_string() }
        };
        (0..count).map(lesson).collect()
    }

    fn labels() -> Vec<String> {
        vec!["sum".to_owned(), "product".to_owned()]
    }

    fn learn(lessons: &[Lesson], settings: &TrainingSettings) -> Result<Trained, TrainError> {
        train(lessons, &labels(), settings, &AtomicBool::new(false), &|_| ())
    }

    #[test]
    fn it_learns_generalises_and_names_matter() {
        let trained = learn(&lessons(40), &TrainingSettings::default()).unwrap();
        let (right, tried) = trained.kept_back.unwrap();
        assert!(tried > 0 && right == tried, "{right} of {tried}");
        let ask = |text: &str| trained.classifier.predict(&Input::Code(code(text.to_owned()))).unwrap();
        let sum = ask("def add(items):\n    sum = 0\n    for item in items:\n        sum += item\n    return sum\n");
        assert!(sum[0] > 0.8 && (sum[0] + sum[1] - 1.0).abs() < 1e-5, "{sum:?}");
        let renamed = ask(
            "def add(values):\n    product = 0\n    for value in values:\n        product += value\n    return product\n",
        );
        assert!(renamed[0] < sum[0] - 0.2, "{renamed:?}");
        // What has no known feature gets what the classes are worth by themselves.
        assert_eq!(ask("").len(), 2);
    }

    #[test]
    fn the_same_lessons_give_the_same_bytes_and_bytes_are_read_again() {
        let settings = TrainingSettings::default();
        let first = learn(&lessons(30), &settings).unwrap().classifier;
        let bytes = first.to_bytes();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = pool.install(|| learn(&lessons(30), &settings).unwrap().classifier.to_bytes());
        assert_eq!(bytes, alone);
        assert_ne!(
            bytes,
            learn(&lessons(30), &TrainingSettings { seed: 1, ..settings }).unwrap().classifier.to_bytes()
        );
        assert_eq!(Linear::from_bytes(&bytes).unwrap(), first);
    }

    #[test]
    fn damaged_files_are_refused_with_the_reason() {
        let bytes = learn(&lessons(10), &TrainingSettings::default()).unwrap().classifier.to_bytes();
        for end in [0, 7, 8, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(Linear::from_bytes(&bytes[..end]).unwrap_err().contains("not a valid safetensors file"), "{end}");
        }
        let mut broken = bytes.clone();
        let last = broken.len() - 4;
        broken[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(Linear::from_bytes(&broken).is_err());
        let view = [0_u8; 4];
        let foreign = [("bias", TensorView::new(Dtype::F32, vec![1], &view).unwrap())];
        let foreign = safetensors::serialize(foreign, None).unwrap();
        assert!(Linear::from_bytes(&foreign).unwrap_err().contains("allotrope train"));
    }

    #[test]
    fn pairs_are_learned_and_shapes_are_kept_apart() {
        let singles = lessons(24);
        let program = |lesson: &Lesson| lesson.input.programs()[0].clone();
        let mut pairs = Vec::new();
        for one in 0..24 {
            for other in 0..one {
                let (first, second) = (&singles[one], &singles[other]);
                let class = usize::from(first.class == second.class);
                let input = Input::Pair(program(first), program(second));
                pairs.push(Lesson { input, class, group: format!("{one} {other}") });
            }
        }
        let trained = learn(&pairs, &TrainingSettings::default()).unwrap();
        let (right, tried) = trained.kept_back.unwrap();
        assert!(right * 10 > tried * 9, "{right} of {tried}");
        assert!(trained.classifier.predict(&singles[0].input).is_err());
        let mixed: Vec<Lesson> = pairs.into_iter().chain(singles).collect();
        assert_eq!(learn(&mixed, &TrainingSettings::default()).unwrap_err(), TrainError::Mixed);
    }

    #[test]
    fn what_teaches_nothing_is_refused() {
        assert_eq!(learn(&[], &TrainingSettings::default()).unwrap_err(), TrainError::Nothing);
        let same: Vec<Lesson> = lessons(9).into_iter().filter(|lesson| lesson.class == 0).collect();
        assert!(matches!(learn(&same, &TrainingSettings::default()), Err(TrainError::OneClass { count: 5, .. })));
        let mut beyond = lessons(4);
        beyond[3].class = 2;
        assert!(matches!(
            learn(&beyond, &TrainingSettings::default()),
            Err(TrainError::NoLabel { class: 2, labels: 2 })
        ));
        let text = Input::CodeAndText(code("x = 1\n".to_owned()), "what".to_owned());
        let texts: Vec<Lesson> =
            (0..4).map(|class| Lesson { input: text.clone(), class: class % 2, group: class.to_string() }).collect();
        assert!(matches!(learn(&texts, &TrainingSettings::default()), Err(TrainError::Input(_))));
        let stopped = train(&lessons(4), &labels(), &TrainingSettings::default(), &AtomicBool::new(true), &|_| ());
        assert_eq!(stopped.unwrap_err(), TrainError::Interrupted);
        // Two examples leave nothing that could be kept back, and still teach.
        assert_eq!(learn(&lessons(2), &TrainingSettings::default()).unwrap().classifier.labels(), labels());
    }
}
