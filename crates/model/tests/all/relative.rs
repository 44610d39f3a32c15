//! Relative positions as in transformers: the states of small encoders whose weights come from a formula.
//!
//! `parity/relative.py` makes the same weights by the same formula, and wrote down the states that transformers computes with absolute
//! positions and with both kinds of relative ones, for sequences of several lengths and for one with GraphCodeBERT's graph.

use std::path::Path;

use kernels::Activation;
use model::huggingface::roberta::{Dimensions, Graph, PositionKind, Roberta, Sequence, Wanted};
use model::weights::Weights;
use serde_json::Value;

#[test]
fn states_are_those_of_transformers() {
    let mut compared = 0;
    for answer in expected() {
        let kind = kind(&answer);
        let sequence = sequence(&answer);
        let encoder = Roberta::new(dimensions(kind), &Weights::of(arrays(kind)).unwrap(), "").unwrap();
        let states = encoder.states(&sequence, Wanted::All);
        let expected: Vec<f64> = numbers(&answer["states"]);
        assert_eq!(states.len(), expected.len());
        let distance = |(one, other): (&f32, &f64)| (*one as f64 - other).abs();
        let furthest = states.iter().zip(&expected).map(distance).fold(0.0, f64::max);
        let about = format!("{kind:?}, {} tokens, graph: {}", sequence.ids.len(), sequence.graph.is_some());
        assert!(furthest < 1e-5, "{about}: {furthest}");
        assert_eq!(encoder.states(&sequence, Wanted::First), states[..HIDDEN], "{about}");
        compared += 1;
    }
    assert_eq!(compared, 24);
}

#[test]
fn the_kinds_differ() {
    let all = expected();
    let states = |kind: &str| -> Vec<f64> {
        numbers(&all.iter().find(|answer| answer["kind"] == kind && answer["ids"][16] == 15).unwrap()["states"])
    };
    let kinds = ["absolute", "relative_key", "relative_key_query"].map(states);
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let furthest = kinds[one].iter().zip(&kinds[other]).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(furthest > 0.01, "{one} {other}: {furthest}");
    }
}

#[test]
fn without_embeddings_of_places_all_kinds_are_the_same() {
    let places = ["position_embeddings", "distance_embedding"];
    let encoder = |kind| {
        let mut arrays = arrays(kind);
        for (name, _, numbers) in &mut arrays {
            if places.iter().any(|place| name.contains(place)) {
                numbers.fill(0.0);
            }
        }
        Roberta::new(dimensions(kind), &Weights::of(arrays).unwrap(), "").unwrap()
    };
    let [absolute, key, key_query] =
        [PositionKind::Absolute, PositionKind::RelativeKey, PositionKind::RelativeKeyQuery].map(encoder);
    for answer in expected().iter().filter(|answer| answer["kind"] == "absolute") {
        let sequence = sequence(answer);
        let states = absolute.states(&sequence, Wanted::All);
        assert_eq!(key.states(&sequence, Wanted::All), states);
        assert_eq!(key_query.states(&sequence, Wanted::All), states);
    }
}

#[test]
fn embeddings_of_distances_must_be_there_and_those_of_positions_need_not() {
    for kind in [PositionKind::RelativeKey, PositionKind::RelativeKeyQuery] {
        let without = |part: &str| {
            let arrays = arrays(kind).into_iter().filter(|(name, ..)| !name.contains(part));
            Roberta::new(dimensions(kind), &Weights::of(arrays).unwrap(), "")
        };
        assert!(without("position_embeddings").is_ok());
        let problem = without("layer.1.attention.self.distance_embedding").err().unwrap().to_string();
        assert!(problem.contains("encoder.layer.1.attention.self.distance_embedding.weight"), "{problem}");
    }
}

const HIDDEN: usize = 12;
const HEADS: usize = 3;
const INNER: usize = 10;
const WORDS: usize = 30;
const POSITIONS: usize = 40;

fn dimensions(position_kind: PositionKind) -> Dimensions {
    Dimensions {
        hidden: HIDDEN,
        heads: HEADS,
        inner: INNER,
        layers: 2,
        vocabulary: WORDS,
        positions: POSITIONS,
        position_kind,
        types: 1,
        epsilon: 1e-5,
        activation: Activation::Gelu,
    }
}

/// The weights by the formula of `parity/relative.py`.
fn arrays(kind: PositionKind) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![WORDS, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![1, HIDDEN]),
    ];
    let mut norms = vec!["embeddings".to_owned()];
    for layer in 0..2 {
        let block = format!("encoder.layer.{layer}");
        norms.extend([format!("{block}.attention.output"), format!("{block}.output")]);
        let mut linear = |name: &str, inputs: usize, outputs: usize| {
            shapes.push((format!("{block}.{name}.weight"), vec![outputs, inputs]));
            shapes.push((format!("{block}.{name}.bias"), vec![outputs]));
        };
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            linear(&format!("attention.{part}"), HIDDEN, HIDDEN);
        }
        linear("intermediate.dense", HIDDEN, INNER);
        linear("output.dense", INNER, HIDDEN);
        if kind != PositionKind::Absolute {
            let name = format!("{block}.attention.self.distance_embedding.weight");
            shapes.push((name, vec![2 * POSITIONS - 1, HIDDEN / HEADS]));
        }
    }
    for norm in norms {
        shapes.push((format!("{norm}.LayerNorm.weight"), vec![HIDDEN]));
        shapes.push((format!("{norm}.LayerNorm.bias"), vec![HIDDEN]));
    }
    let with_numbers = |(name, shape): (String, Vec<usize>)| {
        let numbers = formula(&name, shape.iter().product());
        (name, shape, numbers)
    };
    shapes.into_iter().map(with_numbers).collect()
}

fn formula(name: &str, count: usize) -> Vec<f32> {
    let seed = name.bytes().enumerate().map(|(at, byte)| (at + 1) * byte as usize).sum::<usize>() % 1009;
    let is_scale = name.ends_with("LayerNorm.weight");
    let number = |at: usize| {
        let number = ((at * at * at + seed * at + seed * seed) % 2003) as f64 / 2003.0 - 0.5;
        (if is_scale { 1.0 + number / 2.0 } else { number }) as f32
    };
    (0..count).map(number).collect()
}

fn kind(answer: &Value) -> PositionKind {
    match answer["kind"].as_str().unwrap() {
        "absolute" => PositionKind::Absolute,
        "relative_key" => PositionKind::RelativeKey,
        "relative_key_query" => PositionKind::RelativeKeyQuery,
        other => panic!("no kind {other}"),
    }
}

fn sequence(answer: &Value) -> Sequence {
    let ids: Vec<u32> = numbers(&answer["ids"]).into_iter().map(|id| id as u32).collect();
    let length = ids.len();
    if answer["graph"] == false {
        return Sequence { ids, positions: (0..length as u32).map(|at| at + 2).collect(), graph: None };
    }
    let code = length - 3;
    let sees = |at: usize| {
        let (one, other) = (at / length, at % length);
        one == 0 || one == other || (one * 3 + other * 5) % 7 < 4
    };
    let graph = Graph {
        sees: (0..length * length).map(sees).collect(),
        nodes: (code..length).map(|node| (node, vec![node - 17, node - 10])).collect(),
    };
    let positions = (0..length).map(|at| if at < code { at as u32 + 2 } else { 0 }).collect();
    Sequence { ids, positions, graph: Some(graph) }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn expected() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/relative/states.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
