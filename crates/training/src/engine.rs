//! What computes an encoder here: our own kernels or a GPU for the states, networks with a way back for the gradients.

mod t5;

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use model::huggingface::checkpoint::{Checkpoint, PlaceOfWork};
use model::huggingface::encoder::{Encoder, Engine, Parts, Slopes};
use model::huggingface::roberta::{Dimensions, Roberta, Sequence, Wanted};
use model::huggingface::settings::Head;
use model::weights::Weights;
use model::{Fault, Model, OpenError, TOGETHER};
use rayon::prelude::*;

use crate::compute::{Compute, ComputeError, State};
use crate::cuda::{Cuda, Precision};
use crate::network::{Batch, Network, Question};
use crate::processor::Processor;
use crate::shape::{HeadKind, Shape};
use crate::weights::{self, Prefixes};

/// Opens the model that a name of the form `KIND:WHERE` means; RoBERTa checkpoints with gradients, and on a GPU with `device=cuda`; T5
/// classifiers with gradients.
///
/// ```no_run
/// let model = training::open("hf:students/codebert-clone?device=cuda")?;
/// # Ok::<(), model::OpenError>(())
/// ```
pub fn open(name: &str) -> Result<Box<dyn Model>, OpenError> {
    let Some(place) = name.strip_prefix("hf:") else { return model::open(name) };
    let checkpoint = Checkpoint::find(place)?;
    let writes_texts = checkpoint.settings.head == Some(Head::Generation);
    let kind = checkpoint.config.text_or("model_type", "roberta")?;
    if (kind.as_str(), checkpoint.place_of_work) == ("t5", PlaceOfWork::Cpu) {
        return Ok(Box::new(t5::open(place, checkpoint)?));
    }
    if kind != "roberta" || writes_texts {
        return model::open(name);
    }
    match checkpoint.place_of_work {
        PlaceOfWork::Cpu => Ok(Box::new(Encoder::open(place, checkpoint, on_processor)?)),
        PlaceOfWork::Cuda => Ok(Box::new(Encoder::open(place, checkpoint, |parts| {
            Batched::new(parts, "cuda, fused attention", LARGE_BATCHES, |state| Cuda::open(0, Precision::Full, &state))
        })?)),
    }
}

/// Our own kernels for the states, and a network for the gradients.
struct WithGradients {
    states: Roberta,
    /// Where the weights of the network come from; none without a head for classes.
    source: Option<Source>,
    /// Read when the first gradient is asked for.
    network: OnceLock<Result<Network<Processor>, String>>,
}

/// The weights of an encoder with a head for classes, and what they are called.
struct Source {
    checkpoint: Checkpoint,
    dimensions: Dimensions,
    prefix: String,
    head_prefix: String,
}

fn on_processor(parts: &Parts<'_>) -> Result<WithGradients, OpenError> {
    let states = Roberta::new(parts.dimensions, parts.weights, parts.prefix)?;
    let source = parts.head_prefix.map(|head_prefix| Source {
        checkpoint: parts.checkpoint.clone(),
        dimensions: parts.dimensions,
        prefix: parts.prefix.to_owned(),
        head_prefix: head_prefix.to_owned(),
    });
    Ok(WithGradients { states, source, network: OnceLock::new() })
}

impl Source {
    fn network(&self) -> Result<Network<Processor>, String> {
        let weights = self.checkpoint.weights().map_err(|error| error.to_string())?;
        let (shape, state) = fixed(self.dimensions, &weights, &self.prefix, Some(&self.head_prefix))
            .map_err(|error| error.to_string())?;
        Ok(Network::new(shape, Processor::new(state)))
    }
}

impl Engine for WithGradients {
    fn word(&self, id: u32) -> Cow<'_, [f32]> {
        self.states.word(id)
    }

    fn encode<Made: Send>(
        &self,
        sequences: &[&Sequence],
        wanted: Wanted,
        finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
    ) -> Vec<Result<Made, Fault>> {
        self.states.encode(sequences, wanted, finish)
    }

    fn slopes(&self, sequences: &[&Sequence], output: usize) -> Option<Result<Slopes, Fault>> {
        let source = self.source.as_ref()?;
        Some(match self.network.get_or_init(|| source.network()) {
            Ok(network) => slopes(network, sequences, output),
            Err(problem) => Err(Fault::Failed(problem.clone())),
        })
    }
}

/// A device that is given batches of sequences.
struct Batched<C: Compute> {
    network: Network<C>,
    device: &'static str,
    /// The embeddings of words, for the processor.
    words: Vec<f32>,
    /// About the number of tokens of a batch.
    tokens: usize,
    /// The most tokens that a sequence can have.
    longest: usize,
    /// Only one thread computes on a device, so that two do not need twice the memory.
    turn: Mutex<()>,
}

/// A batch's sequences are padded to a multiple of this.
const STEP: usize = 32;

/// The most bytes that the scores of a batch take. Three arrays of this size are alive at once.
const SCORES: usize = 512 << 20;

/// How large batches are.
#[derive(Clone, Copy)]
struct BatchSizes {
    /// About the number of multiplications of a batch, within the limits on its tokens.
    work: usize,
    /// The fewest tokens, unless their scores would take too much memory.
    fewest: usize,
    most: usize,
}

/// Enough to keep a large GPU busy for a millisecond. Every batch is padded to this size, so that a larger one wastes more when a search asks
/// little at a time.
const LARGE_BATCHES: BatchSizes = BatchSizes { work: 1 << 35, fewest: 2 << 10, most: 32 << 10 };

impl<C: Compute> Batched<C> {
    fn new(
        parts: &Parts<'_>,
        device: &'static str,
        sizes: BatchSizes,
        open: impl FnOnce(State) -> Result<C, ComputeError>,
    ) -> Result<Batched<C>, OpenError> {
        let Dimensions { hidden, inner, layers, vocabulary, .. } = parts.dimensions;
        let (shape, state) = fixed(parts.dimensions, parts.weights, parts.prefix, parts.head_prefix)?;
        let words = shape.layout().tables.words;
        let words = state.weights[words..words + vocabulary * hidden].to_vec();
        let compute = open(state).map_err(|error| match error {
            ComputeError::Missing(problem) => OpenError::Missing(format!("{problem}; or leave out `device=cuda`")),
            other => OpenError::Missing(format!("{other}; or leave out `device=cuda`")),
        })?;
        let work_of_token = layers * (4 * hidden * hidden + 2 * hidden * inner);
        let tokens = (sizes.work / work_of_token.max(1)).clamp(sizes.fewest, sizes.most);
        let network = Network::new(shape, compute);
        Ok(Batched { network, device, words, tokens, longest: parts.longest, turn: Mutex::new(()) })
    }

    /// The length that a sequence is padded to, which depends on its own length alone, so that an answer does not depend on the others.
    fn padded(&self, length: usize) -> usize {
        length.next_multiple_of(STEP).min(self.longest).max(length)
    }

    /// How many sequences of a length make a batch.
    fn size(&self, length: usize) -> usize {
        let scores = length * length * self.network.shape.dimensions.heads * size_of::<f32>();
        (self.tokens / length).min(SCORES / scores).max(1)
    }
}

impl<C> Engine for Batched<C>
where
    C: Compute + Send + Sync,
{
    fn device(&self) -> Option<&'static str> {
        Some(self.device)
    }

    fn together(&self) -> usize {
        // Batches of every length are full only when there are many inputs.
        16 * TOGETHER
    }

    fn askers(&self) -> usize {
        // The texts of one batch become tokens while the device has another.
        2
    }

    fn word(&self, id: u32) -> Cow<'_, [f32]> {
        let hidden = self.network.shape.dimensions.hidden;
        Cow::Borrowed(&self.words[id as usize * hidden..][..hidden])
    }

    fn encode<Made: Send>(
        &self,
        sequences: &[&Sequence],
        wanted: Wanted,
        finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
    ) -> Vec<Result<Made, Fault>> {
        // Sequences that are padded to the same length stand together, in their order.
        let kind = |place: &usize| (self.padded(sequences[*place].ids.len()), sequences[*place].graph.is_some());
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(kind);
        let same = order.chunk_by(|one, other| kind(one) == kind(other));
        let batches = same.flat_map(|same| same.chunks(self.size(kind(&same[0]).0)));
        let hidden = self.network.shape.dimensions.hidden;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made: Vec<(usize, Result<Made, Fault>)> = Vec::with_capacity(sequences.len());
        for places in batches {
            let batch: Vec<&Sequence> = places.iter().map(|place| sequences[*place]).collect();
            let length = kind(&places[0]).0;
            // A batch always has the same shape, because products of another shape may be rounded differently.
            match self.network.states(&batch, length, self.size(length), wanted) {
                Ok(states) => {
                    let rows = match wanted {
                        Wanted::First => 1,
                        Wanted::All => length,
                    };
                    let own = states.par_chunks_exact(rows * hidden).zip(&batch).zip(places);
                    made.par_extend(own.map(|((states, sequence), place)| {
                        (*place, Ok(finish(sequence, &states[..rows.min(sequence.ids.len()) * hidden])))
                    }));
                }
                Err(error) => made.extend(places.iter().map(|place| (*place, Err(fault(&error))))),
            }
        }
        made.sort_unstable_by_key(|(place, _)| *place);
        made.into_iter().map(|(_, made)| made).collect()
    }

    fn slopes(&self, sequences: &[&Sequence], output: usize) -> Option<Result<Slopes, Fault>> {
        let HeadKind::Classes { .. } = self.network.shape.head else { return None };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Some(slopes(&self.network, sequences, output))
    }
}

/// The network of a checkpoint, which does not learn. A head with one output becomes one with two, the first of which is always zero.
fn fixed(
    dimensions: Dimensions,
    arrays: &Weights,
    prefix: &str,
    head_prefix: Option<&str>,
) -> Result<(Shape, State), OpenError> {
    let hidden = dimensions.hidden;
    let shape_of = |layer: &str| head_prefix.and_then(|head| arrays.shape(&format!("{head}{layer}.weight")));
    let head = match (shape_of("dense"), shape_of("out_proj")) {
        (Some([_, inputs]), Some([outputs, _])) => HeadKind::Classes { vectors: inputs / hidden, classes: *outputs },
        _ => HeadKind::None,
    };
    let shape = Shape { dimensions, head, taught: None };
    let prefixes = Prefixes { encoder: prefix, head: head_prefix.unwrap_or_default() };
    let weights = weights::read(&shape.layout(), arrays, prefixes)?;
    let HeadKind::Classes { vectors, classes: 1 } = head else {
        return Ok((shape, State { weights, ..State::default() }));
    };
    let two = Shape { head: HeadKind::Classes { vectors, classes: 2 }, ..shape };
    let mut both = vec![0.0; two.layout().count];
    for (from, to) in shape.layout().parameters.iter().zip(two.layout().parameters) {
        let count = from.count();
        let gap = if from.shape == to.shape { 0 } else { count };
        both[to.start + gap..][..count].copy_from_slice(&weights[from.start..][..count]);
    }
    Ok((two, State { weights: both, ..State::default() }))
}

/// The gradients of the cross entropy of one class, for the sequences of one input.
fn slopes<C: Compute>(network: &Network<C>, sequences: &[&Sequence], output: usize) -> Result<Slopes, Fault> {
    let question = Question::Classes { sequences: (0..sequences.len()).collect(), classes: vec![output as u32] };
    let batch = Batch::new(sequences.iter().map(|sequence| (*sequence).clone()).collect(), question);
    let (losses, words) = network.word_slopes(&batch).map_err(|error| fault(&error))?;
    let hidden = network.shape.dimensions.hidden;
    let length = words.len() / hidden / sequences.len().max(1);
    let rows = sequences
        .iter()
        .zip(words.chunks_exact(length * hidden))
        .map(|(sequence, words)| words.chunks_exact(hidden).take(sequence.ids.len()).map(<[f32]>::to_vec).collect());
    Ok(Slopes { loss: losses.iter().sum(), gradients: rows.collect() })
}

fn fault(error: &ComputeError) -> Fault {
    Fault::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use model::{Answer, Code, Filled, Input, Prediction};
    use syntax::Language;

    use super::*;

    const PROGRAM: &str =
        "int f(int a, int b) {\n  int c = a + b;\n  while (c > a) { c = c - b; a = c * 2; }\n  return c;\n}";

    fn folder(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity").join(name)
    }

    /// A checkpoint of the fixtures, computed by our own kernels, and by a device that is the processor.
    fn both(name: &str, settings: Option<PathBuf>) -> [Box<dyn Model>; 2] {
        let settings = settings.map(|file| format!("?settings={}", file.display())).unwrap_or_default();
        let place = format!("{}{settings}", folder(name).display());
        let checkpoint = || Checkpoint::find(&place).unwrap();
        let sizes = BatchSizes { work: 1, fewest: 100, most: 100 };
        let device = |parts: &Parts<'_>| Batched::new(parts, "a test", sizes, |state| Ok(Processor::new(state)));
        [
            Box::new(Encoder::open(&place, checkpoint(), on_processor).unwrap()),
            Box::new(Encoder::open(&place, checkpoint(), device).unwrap()),
        ]
    }

    fn programs() -> Vec<Code> {
        let code = |text: String| Code { language: Language::Java, text };
        let long = (0..60).map(|number| format!("int a{number} = {number};")).collect::<Vec<_>>().join("\n");
        let lengths = (1..PROGRAM.len()).step_by(9).map(|end| code(PROGRAM[..end].to_owned()));
        lengths.chain([code(long), code(String::new())]).collect()
    }

    fn compare(one: &dyn Model, other: &dyn Model, inputs: &[Input]) {
        let numbers = |model: &dyn Model| -> Vec<Vec<f32>> {
            let numbers = |answer: Result<Answer, Fault>| match answer.unwrap().prediction {
                Prediction::Classes(numbers) | Prediction::Embedding(numbers) => numbers,
                Prediction::Names(names) => names.into_iter().map(|(_, probability)| probability).collect(),
                Prediction::Text(text) => panic!("a text: {text}"),
            };
            model.predict(inputs).into_iter().map(numbers).collect()
        };
        for ((one, other), input) in numbers(one).iter().zip(&numbers(other)).zip(inputs) {
            assert_eq!(one.len(), other.len());
            let is_near = one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-4);
            assert!(is_near, "{one:?}, {other:?} for {input:?}");
        }
    }

    #[test]
    fn a_device_answers_as_the_kernels_do() {
        let programs = programs();
        let codes: Vec<Input> = programs.iter().cloned().map(Input::Code).collect();
        let pairs: Vec<Input> = programs
            .iter()
            .zip(programs.iter().rev())
            .map(|(one, other)| Input::Pair(one.clone(), other.clone()))
            .collect();
        for (name, settings, inputs) in [
            ("roberta-one", None, &codes),
            ("roberta-five", None, &codes),
            ("roberta-pair", None, &pairs),
            ("roberta-pair-parts", None, &pairs),
            ("../relative", None, &codes),
            ("roberta-embedding", Some("first.toml"), &codes),
            ("roberta-embedding", Some("mean.toml"), &codes),
            ("roberta-embedding", Some("pooler.toml"), &codes),
        ] {
            let [kernels, device] = both(name, settings.map(|file: &str| folder(name).join(file)));
            compare(&*kernels, &*device, inputs);
        }
    }

    #[test]
    fn a_device_answers_about_data_flow_as_the_kernels_do() {
        let settings = std::env::temp_dir().join(format!("allotrope-data-flow-{}.toml", std::process::id()));
        std::fs::write(&settings, "[data-flow]\ncode = 40\nnodes = 12\nreserved = 2\nescaped-line-ends = false\n")
            .unwrap();
        let [kernels, device] = both("roberta-two", Some(settings.clone()));
        let [plain, _] = both("roberta-two", None);
        std::fs::remove_file(&settings).unwrap();
        let inputs: Vec<Input> = programs().into_iter().map(Input::Code).collect();
        let program = Input::Code(Code { language: Language::Java, text: PROGRAM.to_owned() });
        let tokens =
            |model: &dyn Model| model.predict(std::slice::from_ref(&program)).remove(0).unwrap().tokens.unwrap();
        assert_ne!(tokens(&*kernels).all, tokens(&*plain).all, "the nodes of the data flow are tokens, too");
        compare(&*kernels, &*device, &inputs);
    }

    #[test]
    fn a_device_fills_masks_as_the_kernels_do() {
        let texts = ["int <mask> = 1;", "return <mask> + <mask>;", "no mask", ""];
        let filled = |model: &dyn Model| -> Vec<Filled> {
            model.fill_masks(&texts, 3).unwrap().into_iter().map(|filled| filled.unwrap()).collect()
        };
        let models = both("roberta-masked", None);
        let [kernels, device] = [filled(&*models[0]), filled(&*models[1])];
        assert_eq!(kernels.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 0, 0]);
        for (one, other) in kernels.iter().flatten().flatten().zip(device.iter().flatten().flatten()) {
            assert!((one.1 - other.1).abs() < 1e-4, "{one:?}, {other:?}");
        }
        let inputs = [Input::Code(Code { language: Language::C, text: texts[1].to_owned() })];
        compare(&*models[0], &*models[1], &inputs);
    }

    #[test]
    fn gradients_flow_through_relative_positions() {
        let input = Input::Code(Code { language: Language::Java, text: PROGRAM.to_owned() });
        for model in both("../relative", None) {
            let Prediction::Classes(shares) = model.predict(std::slice::from_ref(&input)).remove(0).unwrap().prediction
            else {
                panic!("no classes")
            };
            for (class, share) in shares.iter().enumerate() {
                let loss = model.gradients(&input, class).unwrap().unwrap().loss;
                assert!((loss + share.ln()).abs() < 1e-4, "{loss} {shares:?}");
            }
        }
    }

    #[test]
    fn gradients_of_a_t5_are_those_of_its_answers() {
        let model = crate::open(&format!("hf:{}", folder("t5-classes").display())).unwrap();
        let weights = Checkpoint::find(&folder("t5-classes").display().to_string()).unwrap().weights().unwrap();
        let words = weights.take("transformer.shared.weight", &[284, 16]).unwrap();
        for program in programs() {
            let input = Input::Code(program);
            let Prediction::Classes(shares) = model.predict(std::slice::from_ref(&input)).remove(0).unwrap().prediction
            else {
                panic!("no classes")
            };
            for (class, share) in shares.iter().enumerate() {
                let own = model.gradients(&input, class).unwrap().unwrap();
                assert!((own.loss + share.ln()).abs() < 1e-4, "{} {shares:?}", own.loss);
                assert!(own.tokens.iter().all(|token| token.gradient.iter().any(|slope| *slope != 0.0)));
            }
        }
        let input = Input::Code(programs().remove(0));
        assert!(matches!(model.gradients(&input, 3), Some(Err(Fault::Failed(problem))) if problem.contains("class 3")));
        let token = &model.gradients(&input, 0).unwrap().unwrap().tokens[0];
        let word = model.word_embedding("i").unwrap();
        assert_eq!((word.len(), &words[token.token as usize * 16..][..16]), (16, &word[..]));
        // What writes texts has no classes to tell gradients of.
        let model = crate::open(&format!("hf:{}", folder("t5-relu-tied").display())).unwrap();
        assert!(model.gradients(&input, 0).is_none() && model.word_embedding("i").is_none());
    }

    #[test]
    fn a_device_is_a_part_of_the_identity() {
        let [kernels, device] = both("roberta-two", None);
        assert_ne!(kernels.identity().digest, device.identity().digest);
    }

    #[test]
    fn mutants_and_rounded_copies_are_other_models() {
        let open = |options: &str| crate::open(&format!("hf:{}?{options}", folder("roberta-two").display())).unwrap();
        let text = "int f(int n) { return n + 1; }".to_owned();
        let input = Input::Code(Code { language: Language::C, text });
        let shares = |model: &dyn Model| match model.predict(std::slice::from_ref(&input)).remove(0).unwrap().prediction
        {
            Prediction::Classes(shares) => shares,
            other => panic!("{other:?}"),
        };
        let original = open("");
        let mut seen = vec![(original.identity().digest.clone(), shares(&*original))];
        for options in [
            "weights=f16",
            "weights=int8",
            "mutate=weight-gaussian-fuzz&ratio=0.2",
            "mutate=weight-gaussian-fuzz&ratio=0.2&mutant-seed=1",
            "mutate=weight-precision-reduction&ratio=1",
            "mutate=weight-shuffle&ratio=0.5",
            "mutate=neuron-effect-block&ratio=0.5",
            "mutate=neuron-activation-inverse&ratio=0.5",
            "mutate=neuron-switch&ratio=0.5",
            "weights=int8&mutate=neuron-switch&ratio=0.5",
        ] {
            let model = open(options);
            let own = (model.identity().digest.clone(), shares(&*model));
            assert!(!seen.iter().any(|(digest, shares)| *digest == own.0 || *shares == own.1), "{options}");
            assert_eq!(shares(&*open(options)), own.1, "{options}");
            // Gradients flow through the same weights as the answer.
            let loss = model.gradients(&input, 1).unwrap().unwrap().loss;
            assert!((loss + own.1[1].ln()).abs() < 1e-4, "{options}: {loss} {:?}", own.1);
            seen.push(own);
        }
        // Rounding changes little.
        assert!((seen[1].1[0] - seen[0].1[0]).abs() < 2e-3, "{seen:?}");
        assert!((seen[2].1[0] - seen[0].1[0]).abs() < 5e-2, "{seen:?}");
    }

    #[test]
    fn the_shape_of_a_batch_depends_on_the_length_alone() {
        let place = folder("roberta-two").display().to_string();
        let opened = |tokens: usize| {
            let mut found = None;
            let result = Encoder::open(&place, Checkpoint::find(&place).unwrap(), |parts| {
                let sizes = BatchSizes { work: 1, fewest: tokens, most: tokens };
                let batched = Batched::new(parts, "a test", sizes, |state| Ok(Processor::new(state)))?;
                let longest = batched.longest;
                found = Some((
                    [1, 32, 33].map(|length| batched.padded(length)),
                    batched.padded(longest),
                    longest,
                    [32, 64, 100_000].map(|length| batched.size(length)),
                ));
                Ok(batched)
            });
            assert!(result.is_ok());
            found.unwrap()
        };
        let (padded, last, longest, sizes) = opened(32 << 10);
        assert_eq!((padded, last), ([32, 32, 64], longest));
        // The scores of very long sequences take all the memory that there is for them.
        assert_eq!(sizes, [1024, 512, 1]);
    }

    #[test]
    fn an_answer_does_not_depend_on_the_batch() {
        let [_, device] = both("roberta-two", None);
        let inputs: Vec<Input> = programs().into_iter().map(Input::Code).collect();
        let together = device.predict(&inputs);
        for (input, together) in inputs.iter().zip(together) {
            let alone = device.predict(std::slice::from_ref(input)).remove(0).unwrap();
            assert_eq!(alone.prediction, together.unwrap().prediction);
        }
    }

    #[test]
    fn gradients_on_a_device_are_those_of_the_processor() {
        for name in ["roberta-one", "roberta-five"] {
            let [kernels, device] = both(name, None);
            let input = Input::Code(Code { language: Language::C, text: PROGRAM.to_owned() });
            let [one, other] = [kernels, device].map(|model| model.gradients(&input, 1).unwrap().unwrap());
            let Prediction::Classes(shares) = both(name, None)[0].predict(&[input]).remove(0).unwrap().prediction
            else {
                panic!("the model has no classes")
            };
            assert!((one.loss + shares[1].ln()).abs() < 1e-4, "{name}: {} {shares:?}", one.loss);
            assert!((one.loss - other.loss).abs() < 1e-5 && one.tokens.len() == other.tokens.len(), "{name}");
        }
    }

    #[test]
    fn a_gpu_that_is_missing_is_an_error_that_says_what_to_do() {
        let name = format!("hf:{}?device=cuda", folder("roberta-two").display());
        match crate::open(&name) {
            // A machine with a GPU answers.
            Ok(model) => assert_eq!(model.identity().kind, "hf"),
            Err(error) => {
                assert!(matches!(error, OpenError::Missing(_)) && error.to_string().contains("device=cuda"), "{error}");
            }
        }
    }

    #[test]
    fn the_embedding_of_a_word_is_the_mean_of_its_tokens() {
        let [model, _] = both("roberta-one", None);
        let weights = Checkpoint::find(&folder("roberta-one").display().to_string()).unwrap().weights().unwrap();
        let name = weights.names().into_iter().find(|name| name.ends_with("word_embeddings.weight")).unwrap();
        let shape = weights.shape(name).unwrap();
        let (width, numbers) = (shape[1], weights.take(name, shape).unwrap());
        let mut longest = 0;
        for word in ["i", "count", "bufferLength", "x_1"] {
            let input = Input::Code(Code { language: Language::C, text: word.to_owned() });
            let tokens = model.gradients(&input, 0).unwrap().unwrap().tokens;
            longest = longest.max(tokens.len());
            let embedding = model.word_embedding(word).unwrap();
            for (at, number) in embedding.iter().enumerate() {
                let sum: f32 = tokens.iter().map(|token| numbers[token.token as usize * width + at]).sum();
                assert!((number - sum / tokens.len() as f32).abs() < 1e-6, "{word}");
            }
        }
        assert!(longest > 1, "none of the words has several tokens");
        assert_eq!(model.word_embedding(""), None);
    }
}
