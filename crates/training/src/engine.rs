//! What computes an encoder here: our own kernels or a GPU for the states, candle for the gradients.

use std::sync::OnceLock;

use candle_core::Device;
use model::huggingface::checkpoint::{Checkpoint, PlaceOfWork};
use model::huggingface::encoder::{Encoder, Engine, Parts, Slopes};
use model::huggingface::roberta::{Roberta, Sequence, Wanted};
use model::{Fault, Model, OpenError};

use crate::batched::Batched;
use crate::differentiable::{Differentiable, Source};

/// Opens the model that a name of the form `KIND:WHERE` means; RoBERTa checkpoints with gradients, and on a GPU with `device=cuda`.
///
/// ```no_run
/// let model = training::open("hf:students/codebert-clone?device=cuda")?;
/// # Ok::<(), model::OpenError>(())
/// ```
pub fn open(name: &str) -> Result<Box<dyn Model>, OpenError> {
    let Some(place) = name.strip_prefix("hf:") else { return model::open(name) };
    let checkpoint = Checkpoint::find(place)?;
    if checkpoint.config.text_or("model_type", "roberta")? != "roberta" {
        return model::open(name);
    }
    match checkpoint.place_of_work {
        PlaceOfWork::Cpu => Ok(Box::new(Encoder::open(place, checkpoint, on_processor)?)),
        PlaceOfWork::Cuda => {
            let device = gpu()?;
            Ok(Box::new(Encoder::open(place, checkpoint, |parts| on_device(parts, device))?))
        }
    }
}

/// The first GPU of this machine.
fn gpu() -> Result<Device, OpenError> {
    if !cfg!(feature = "cuda") {
        let how = "build with `cargo build --release --features cuda`, or leave out `device=cuda`";
        return Err(OpenError::Missing(format!("this build has no support for NVIDIA GPUs: {how}")));
    }
    Device::new_cuda(0)
        .map_err(|error| OpenError::Missing(format!("no usable NVIDIA GPU: {error}; leave out `device=cuda`")))
}

/// An engine for the states, with gradients by candle.
struct Differentiated<States> {
    states: States,
    gradients: Lazy,
}

/// The encoder through which gradients flow, read when the first gradient is asked for.
struct Lazy {
    source: Option<Source>,
    read: OnceLock<Result<Differentiable, String>>,
}

/// Our own kernels, with gradients.
fn on_processor(parts: &Parts<'_>) -> Result<Differentiated<Roberta>, OpenError> {
    let states = Roberta::new(parts.dimensions, parts.weights, parts.prefix)?;
    Ok(Differentiated { states, gradients: Lazy::new(parts, Device::Cpu) })
}

/// A device, with gradients.
fn on_device(parts: &Parts<'_>, device: Device) -> Result<Differentiated<Batched>, OpenError> {
    let states = Batched::new(parts.dimensions, parts.weights, parts.prefix, &device, parts.longest)?;
    Ok(Differentiated { states, gradients: Lazy::new(parts, device) })
}

impl Lazy {
    fn new(parts: &Parts<'_>, device: Device) -> Lazy {
        let source = parts.head_prefix.map(|head_prefix| Source {
            checkpoint: parts.checkpoint.clone(),
            device,
            dimensions: parts.dimensions,
            prefix: parts.prefix.to_owned(),
            head_prefix: head_prefix.to_owned(),
        });
        Lazy { source, read: OnceLock::new() }
    }

    fn slopes(&self, sequences: &[&Sequence], output: usize) -> Option<Result<Slopes, Fault>> {
        let source = self.source.as_ref()?;
        let read = self.read.get_or_init(|| Differentiable::read(source).map_err(|error| error.to_string()));
        Some(match read {
            Ok(read) => read.slopes(sequences, output).map_err(|error| Fault::Failed(error.to_string())),
            Err(problem) => Err(Fault::Failed(problem.clone())),
        })
    }
}

impl<States: Engine> Engine for Differentiated<States> {
    fn device(&self) -> Option<&'static str> {
        self.states.device()
    }

    fn together(&self) -> usize {
        self.states.together()
    }

    fn askers(&self) -> usize {
        self.states.askers()
    }

    fn word(&self, id: u32) -> &[f32] {
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
        self.gradients.slopes(sequences, output)
    }
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
        let device = |parts: &Parts<'_>| on_device(parts, Device::Cpu);
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
    #[cfg(not(feature = "cuda"))]
    fn a_gpu_is_asked_for_in_vain_in_a_build_without_it() {
        let error = crate::open(&format!("hf:{}?device=cuda", folder("roberta-two").display())).err().unwrap();
        assert!(matches!(error, OpenError::Missing(_)) && error.to_string().contains("--features cuda"), "{error}");
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
