//! The folder of a trained model, as transformers and `hf:` read it: written before the training but for the weights, so that programs are
//! turned into tokens by the reader of the finished folder itself.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use half::f16;
use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::settings::{CheckpointSettings, DataFlow, Text};
use model::huggingface::tokens::Vocabulary;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, Value, json};

use super::durable::write;
use super::start::open_source;
use super::tokenizer::train_tokenizer;
use super::{Base, Corpus, Goal, NewEncoder, News, Observer, TrainingError, TrainingPlan, t5};
use crate::shape::{Layout, PROJECTION, Parameter};

/// The files of a vocabulary, by their names in the folder.
type Files = BTreeMap<&'static str, Vec<u8>>;

/// Writes everything but the weights.
pub fn write_skeleton(
    plan: &TrainingPlan,
    corpus: &Corpus,
    output: &Path,
    observer: &Observer<'_>,
) -> Result<(), TrainingError> {
    let (mut config, text, data_flow, mut files) = match &plan.base {
        Base::New(encoder) => new(encoder, corpus, observer)?,
        Base::From { place, limit } => copied(place, *limit)?,
    };
    let is_t5 = config.get("model_type").is_some_and(|kind| kind == "t5");
    describe(plan, is_t5, &mut config);
    files.insert("config.json", format!("{:#}\n", Value::Object(config)).into_bytes());
    files.insert("allotrope.toml", settings(&plan.goal, is_t5, &text, data_flow).into_bytes());
    for (name, bytes) in files {
        let path = output.join(name);
        write(&path, |file| file.write_all(&bytes)).map_err(|source| TrainingError::Unwritable { path, source })?;
    }
    Ok(())
}

/// Opens what [`write_skeleton`] wrote.
pub fn open_skeleton(output: &Path) -> Result<Checkpoint, TrainingError> {
    let file = output.join("allotrope.toml");
    let settings = CheckpointSettings::read(&file)?;
    Ok(Checkpoint::of(output.to_owned(), settings, Some(file))?)
}

/// The parameters under the names that they have in a file.
pub fn as_written(goal: &Goal, layout: &Layout) -> Vec<Parameter> {
    let mut parameters = layout.parameters.clone();
    parameters.retain(|parameter| !parameter.name.starts_with(PROJECTION));
    if let Goal::Captions { .. } = goal {
        // As CodeXGLUE's program writes its model: the encoder by that name, and the output layer once more, though it is the embeddings.
        let words = parameters.iter().find(|parameter| parameter.start == layout.tables.words).cloned();
        parameters.extend(words.map(|words| Parameter { name: "lm_head.weight".to_owned(), ..words }));
        for parameter in &mut parameters {
            if let Some(end) = parameter.name.strip_prefix("roberta.") {
                parameter.name = format!("encoder.{end}");
            }
        }
    }
    parameters
}

/// Writes the weights, which make the folder complete.
pub fn write_weights(
    output: &Path,
    parameters: &[Parameter],
    weights: &[f32],
    is_half: bool,
) -> Result<(), TrainingError> {
    let path = output.join("model.safetensors");
    let bytes_of = |numbers: &[f32]| -> Vec<u8> {
        match is_half {
            true => numbers.iter().flat_map(|number| f16::from_f32(*number).to_le_bytes()).collect(),
            false => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        }
    };
    let mut arrays = Vec::new();
    for parameter in parameters {
        let count = parameter.count();
        arrays.push((parameter, bytes_of(&weights[parameter.start..][..count])));
    }
    let kind = if is_half { Dtype::F16 } else { Dtype::F32 };
    let written = || -> std::io::Result<()> {
        let mut views = Vec::new();
        for (parameter, bytes) in &arrays {
            let view = TensorView::new(kind, parameter.shape.clone(), bytes).map_err(std::io::Error::other)?;
            views.push((parameter.name.as_str(), view));
        }
        // Transformers refuses weights that do not say which framework wrote them.
        let format = [("format".to_owned(), "pt".to_owned())].into_iter().collect();
        let bytes = safetensors::serialize(views, Some(format)).map_err(std::io::Error::other)?;
        write(&path, |file| file.write_all(&bytes))
    };
    written().map_err(|source| TrainingError::Unwritable { path: path.clone(), source })
}

/// The number of texts that a model follows at once which writes them, until its settings say otherwise.
const BEAMS: usize = 5;

type Parts = (Map<String, Value>, Text, Option<DataFlow>, Files);

/// A new encoder with a vocabulary that is learned from the programs.
fn new(encoder: &NewEncoder, corpus: &Corpus, observer: &Observer<'_>) -> Result<Parts, TrainingError> {
    let text = Text {
        collapse_whitespace: encoder.collapse_whitespace,
        lower_case: encoder.lower_case,
        limit: Some(encoder.limit),
        ..Text::default()
    };
    let prepared: Vec<String> = corpus.programs.iter().map(|code| text.prepared(&code.text).text).collect();
    let unlearned = |error: tokenizers::Error| TrainingError::Vocabulary(error.to_string());
    let tokenizer = train_tokenizer(prepared.iter().map(String::as_str), encoder.vocabulary).map_err(unlearned)?;
    let size = tokenizer.get_vocab_size(true);
    if size < encoder.vocabulary {
        let note = format!("the programs have words for a vocabulary of {size} tokens, not {}", encoder.vocabulary);
        (observer.tell)(News::Note(note));
    }
    let config = json!({
        "model_type": "roberta",
        "vocab_size": size,
        "hidden_size": encoder.hidden,
        "num_hidden_layers": encoder.layers,
        "num_attention_heads": encoder.heads,
        "intermediate_size": encoder.inner,
        "hidden_act": "gelu",
        // Two positions stand before the first token, as in RoBERTa.
        "max_position_embeddings": encoder.limit + 2,
        "type_vocab_size": 1,
        "initializer_range": 0.02,
        "layer_norm_eps": 1e-5,
        "position_embedding_type": encoder.positions,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "tie_word_embeddings": true,
    });
    let written = tokenizer.to_string(true).map_err(unlearned)?;
    let files = Files::from([
        ("tokenizer.json", written.into_bytes()),
        ("tokenizer_config.json", tokenizer_config(encoder.limit)),
        ("special_tokens_map.json", format!("{:#}\n", Value::Object(special_tokens())).into_bytes()),
    ]);
    let Value::Object(config) = config else { unreachable!("it is written as an object above") };
    Ok((config, text, None, files))
}

/// What another checkpoint has.
fn copied(place: &str, limit: Option<usize>) -> Result<Parts, TrainingError> {
    let source = open_source(place)?;
    let read =
        |path: &Path| std::fs::read(path).map_err(|source| TrainingError::Unreadable { path: path.to_owned(), source });
    let paths = Vocabulary::files(&source)?;
    let names: &[&str] = if paths.len() == 1 { &["tokenizer.json"] } else { &["vocab.json", "merges.txt"] };
    let mut files = Files::new();
    for (name, path) in names.iter().zip(&paths) {
        files.insert(name, read(path)?);
    }
    for name in ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"] {
        let path = source.folder().join(name);
        if path.exists() {
            files.insert(name, read(&path)?);
        }
    }
    let mut config = source.config.values().clone();
    let is_t5 = t5::is_t5(&source.config)?;
    let pad = source.config.number_or("pad_token_id", usize::from(!is_t5))?;
    let most = match is_t5 {
        true => None,
        false => Some(source.config.number("max_position_embeddings")?.saturating_sub(pad + 1)),
    };
    let vocabulary = Vocabulary::read(&source, most)?;
    let limit = limit.unwrap_or(vocabulary.limit());
    if let Some(most) = most.filter(|most| limit > *most) {
        return Err(TrainingError::TooLong { tokens: limit, positions: most });
    }
    files.entry("tokenizer_config.json").or_insert_with(|| tokenizer_config(limit));
    let (first, last) = vocabulary.ends();
    let special: &[(&str, usize)] = match is_t5 {
        true => &[("pad_token_id", pad), ("eos_token_id", t5::END), ("decoder_start_token_id", pad)],
        false => &[("bos_token_id", first as usize), ("pad_token_id", pad), ("eos_token_id", last as usize)],
    };
    for (key, value) in special {
        config.entry(*key).or_insert(json!(value));
    }
    config.entry("model_type").or_insert(json!("roberta"));
    // A limit that is written elsewhere would contradict the settings.
    config.remove("block_size");
    let text = Text { limit: Some(limit), ..source.settings.text.clone() };
    Ok((config, text, source.settings.data_flow, files))
}

/// Says in a configuration what the model is trained for.
fn describe(plan: &TrainingPlan, is_t5: bool, config: &mut Map<String, Value>) {
    let settings = &plan.settings;
    for key in ["id2label", "label2id", "num_labels", "_num_labels", "problem_type", "torch_dtype", "dtype"] {
        config.remove(key);
    }
    // The shortest text that is the same number: 0.1, and not what is nearest to it among larger ones.
    let short = |rate: f32| rate.to_string().parse::<f64>().unwrap_or(f64::from(rate));
    let architecture = match &plan.goal {
        goal if is_t5 => t5::architecture(goal),
        Goal::Masked => "RobertaForMaskedLM",
        Goal::Classes { programs: 1, .. } => "RobertaForSequenceClassification",
        // Transformers has no head for two encodings, but opens the encoder.
        Goal::Classes { .. } | Goal::Search => "RobertaModel",
        // The name of the class in CodeXGLUE's program.
        Goal::Captions { .. } => "Seq2Seq",
    };
    let mut set = |key: &str, value: Value| config.insert(key.to_owned(), value);
    set("architectures", json!([architecture]));
    match is_t5 {
        true => {
            set("dropout_rate", json!(short(settings.dropout)));
        }
        false => {
            set("hidden_dropout_prob", json!(short(settings.dropout)));
            set("attention_probs_dropout_prob", json!(short(settings.attention_dropout)));
        }
    }
    set("torch_dtype", json!(if settings.half { "float16" } else { "float32" }));
    if let Goal::Classes { labels, .. } = &plan.goal {
        let names: Map<String, Value> =
            labels.iter().enumerate().map(|(class, label)| (class.to_string(), json!(label))).collect();
        let numbers: Map<String, Value> =
            labels.iter().enumerate().map(|(class, label)| (label.clone(), json!(class))).collect();
        set("classifier_dropout", json!(short(settings.head_dropout)));
        set("problem_type", json!("single_label_classification"));
        set("id2label", Value::Object(names));
        set("label2id", Value::Object(numbers));
    }
}

/// What our own reader needs to know beside the configuration.
fn settings(goal: &Goal, is_t5: bool, text: &Text, data_flow: Option<DataFlow>) -> String {
    let mut table = toml::Table::new();
    let (input, head) = match goal {
        Goal::Masked => ("code", "masked"),
        Goal::Classes { programs: 1, .. } => ("code", "classes"),
        Goal::Classes { .. } => ("pair", "two-encodings"),
        Goal::Search => ("code", "embedding"),
        Goal::Captions { .. } => ("code", "generation"),
    };
    let number = |number: usize| toml::Value::Integer(number as i64);
    table.insert("input".to_owned(), input.into());
    table.insert("head".to_owned(), head.into());
    if *goal == Goal::Search {
        table.insert("pooling".to_owned(), "mean".into());
    }
    if let Goal::Captions { tokens, .. } = goal {
        let mut own = toml::Table::new();
        // T5 begins with a token that is no part of the text.
        own.insert("max-length".to_owned(), number(*tokens + usize::from(is_t5)));
        own.insert("beams".to_owned(), number(BEAMS));
        table.insert("generation".to_owned(), own.into());
    }
    let mut own = toml::Table::new();
    own.insert("collapse-whitespace".to_owned(), text.collapse_whitespace.into());
    own.insert("lower-case".to_owned(), text.lower_case.into());
    if !text.before.is_empty() {
        own.insert("before".to_owned(), text.before.clone().into());
    }
    own.extend(text.special_tokens.map(|are_there| ("special-tokens".to_owned(), are_there.into())));
    own.extend(text.limit.map(|limit| ("limit".to_owned(), number(limit))));
    table.insert("text".to_owned(), own.into());
    if let Some(DataFlow { code, nodes, reserved, escaped_line_ends }) = data_flow {
        let mut own = toml::Table::new();
        own.insert("code".to_owned(), number(code));
        own.insert("nodes".to_owned(), number(nodes));
        own.insert("reserved".to_owned(), number(reserved));
        own.insert("escaped-line-ends".to_owned(), escaped_line_ends.into());
        table.insert("data-flow".to_owned(), own.into());
    }
    table.to_string()
}

/// What transformers asks of a tokenizer beside its file.
fn tokenizer_config(limit: usize) -> Vec<u8> {
    let mut config = special_tokens();
    config.insert("tokenizer_class".to_owned(), json!("PreTrainedTokenizerFast"));
    config.insert("model_max_length".to_owned(), json!(limit));
    config.insert("clean_up_tokenization_spaces".to_owned(), json!(false));
    config.insert("model_input_names".to_owned(), json!(["input_ids", "attention_mask"]));
    format!("{:#}\n", Value::Object(config)).into_bytes()
}

fn special_tokens() -> Map<String, Value> {
    let names = ["bos_token", "cls_token", "eos_token", "sep_token", "pad_token", "unk_token", "mask_token"];
    let tokens = ["<s>", "<s>", "</s>", "</s>", "<pad>", "<unk>", "<mask>"];
    names.into_iter().zip(tokens).map(|(name, token)| (name.to_owned(), json!(token))).collect()
}
