//! Models that answer nonsense, hang or crash, and damaged or inconsistent checkpoints.

use super::{Hostile, damaged, fixture};
use crate::folder::Folder;
use crate::toy;

/// What a program does instead of answering, in Python; `q` is the query.
const PROGRAMS: [(&str, &str); 24] = [
    ("nothing", "pass"),
    ("garbage", "print('not json')"),
    ("an empty line", "print()"),
    ("an empty object", "print('{}')"),
    ("another number", "print(json.dumps({'id': 10**18, 'probabilities': [0.5, 0.5]}))"),
    ("a negative number", "print(json.dumps({'id': -1, 'probabilities': [0.5, 0.5]}))"),
    ("NaN", "print('{\"id\": %d, \"probabilities\": [NaN, NaN]}' % q['id'])"),
    ("infinity", "print('{\"id\": %d, \"probabilities\": [1e999, 0]}' % q['id'])"),
    ("negative probabilities", "print(json.dumps({'id': q['id'], 'probabilities': [-1, 2]}))"),
    ("no probabilities", "print(json.dumps({'id': q['id'], 'probabilities': []}))"),
    ("a hundred thousand classes", "print(json.dumps({'id': q['id'], 'probabilities': [0.1] * 100000}))"),
    ("texts for numbers", "print(json.dumps({'id': q['id'], 'probabilities': ['a', 'b']}))"),
    ("a deep answer", "print('[' * 100000)"),
    ("a line of 50 MB", "print('x' * 50_000_000)"),
    ("every answer twice", "[print(json.dumps({'id': q['id'], 'probabilities': [0.5, 0.5]})) for _ in range(2)]"),
    ("bytes that are no text", "sys.stdout.buffer.write(b'\\xff\\xfe\\x00\\n')"),
    ("escapes", "print(json.dumps({'id': q['id'], 'error': '\\x1b[2J\\x9b31m'}))"),
    ("escapes on its errors", "print('\\x1b[2J\\x07', file=sys.stderr); sys.exit(3)"),
    ("a quick death", "sys.exit(1)"),
    ("death by a signal", "os.kill(os.getpid(), 9)"),
    ("closed streams", "os.close(1); time.sleep(100)"),
    ("a long sleep", "time.sleep(1000)"),
    ("a child that stays", "os.system('sleep 1000 &'); sys.exit(0)"),
    ("endless output", "[sys.stdout.write('x' * 1000) for _ in iter(int, 1)]"),
];

/// Wrong values in a configuration.
const LIES: [(&str, &str); 20] = [
    ("hidden_size", "0"),
    ("hidden_size", "1000000000000000000"),
    ("hidden_size", "-3"),
    ("hidden_size", "\"many\""),
    ("num_hidden_layers", "4000000000"),
    ("num_hidden_layers", "0"),
    ("num_attention_heads", "0"),
    ("num_attention_heads", "7"),
    ("intermediate_size", "18446744073709551615"),
    ("vocab_size", "0"),
    ("vocab_size", "1e300"),
    ("max_position_embeddings", "1"),
    ("max_position_embeddings", "9223372036854775807"),
    ("layer_norm_eps", "-1"),
    ("layer_norm_eps", "null"),
    ("hidden_act", "\"\\u001b[2J\""),
    ("model_type", "\"\\u001b[2J\""),
    ("position_embedding_type", "\"relative_key\""),
    ("id2label", "{\"0\": \"\\u001b[2J\", \"1\": 3}"),
    ("pad_token_id", "99999999"),
];

const CHECKPOINT: [&str; 5] = ["config.json", "merges.txt", "pytorch_model.bin", "tokenizer_config.json", "vocab.json"];

pub fn all() -> Vec<Hostile> {
    let mut inputs = Vec::new();
    for (name, body) in PROGRAMS {
        for command in ["evaluate", "attack --attack random-k --budget 4 -o run"] {
            let command = format!(
                "{command} --model cmd:timeout=1&retries=1&wait=0.01&python3&m.py --data in.jsonl --language c"
            );
            inputs.push(Hostile::new(format!("a model that gives {name}: {command}"), &command, move |folder| {
                folder.write("in.jsonl", toy::data(2, |_| String::new()));
                let program = format!("import json, os, sys, time\nfor line in sys.stdin:\n    q = json.loads(line)\n    {body}\n    sys.stdout.flush()\n");
                folder.write("m.py", program);
            }));
        }
    }
    let command = "evaluate --model hf:checkpoint --data in.jsonl --language c";
    for (key, value) in LIES {
        inputs.push(Hostile::new(format!("{key} = {value}"), command, move |folder| {
            checkpoint(folder, &|name, bytes| {
                let mut config: serde_json::Value = match name {
                    "config.json" => serde_json::from_slice(&bytes).unwrap(),
                    _ => return bytes,
                };
                // Numbers that do not fit any type become null.
                config[key] = serde_json::from_str(value).unwrap_or_default();
                config.to_string().into_bytes()
            });
        }));
    }
    for file in CHECKPOINT {
        for seed in 0..8 {
            inputs.push(Hostile::new(format!("{file}, damage {seed}"), command, move |folder| {
                checkpoint(folder, &|name, bytes| if name == file { damaged(&bytes, seed) } else { bytes });
            }));
        }
        inputs.push(Hostile::new(format!("{file} is empty"), command, move |folder| {
            checkpoint(folder, &|name, bytes| if name == file { Vec::new() } else { bytes });
        }));
    }
    for (name, pickle) in pickles() {
        inputs.push(Hostile::new(format!("a pickle with {name}"), command, move |folder| {
            checkpoint(folder, &|name, bytes| if name == "pytorch_model.bin" { archive(&pickle) } else { bytes });
        }));
    }
    for seed in 0..8 {
        let name = format!("model.onnx, damage {seed}");
        let command = "evaluate --model onnx:checkpoint --data in.jsonl --language c";
        inputs.push(Hostile::new(name, command, move |folder| {
            checkpoint(folder, &|_, bytes| bytes);
            folder.write("checkpoint/model.onnx", damaged(&fixture("checkpoints/parity/roberta-two/model.onnx"), seed));
        }));
    }
    for model in [
        "",
        ":",
        "hf:",
        "hf:/dev/zero",
        "builtin:/dev/zero",
        "onnx:/dev/zero",
        "cmd:",
        "cmd:''",
        "cmd:timeout=-1&cat",
        "cmd:nosuchprogram",
        "http://127.0.0.1:1/",
        "http://[",
        "openai:",
        "openai:m@http://127.0.0.1:1/v1?task=clone",
        "code2vec:in.jsonl",
        "hf:.?mutate=x",
        "hf:..?weights=int8",
    ] {
        inputs.push(Hostile::new(
            format!("the model {model:?}"),
            &format!("evaluate --model {model} --data in.jsonl --language c"),
            |folder| {
                folder.write("in.jsonl", toy::data(1, |_| String::new()));
            },
        ));
    }
    inputs
}

/// Writes a checkpoint with modified files.
fn checkpoint(folder: &Folder, change: &dyn Fn(&str, Vec<u8>) -> Vec<u8>) {
    folder.write("in.jsonl", toy::data(2, |_| String::new()));
    for name in CHECKPOINT {
        let bytes = change(name, fixture(&format!("checkpoints/parity/roberta-two/{name}")));
        folder.write(&format!("checkpoint/{name}"), bytes);
    }
}

/// Pickles that a naive reader would blow up on.
fn pickles() -> Vec<(&'static str, Vec<u8>)> {
    let mut shared = b"\x80\x02)q\x00".to_vec();
    shared.extend(b"h\x00h\x00\x86q\x00".repeat(100));
    shared.push(b'.');
    let mut nested = b"\x80\x02)".to_vec();
    nested.extend(vec![0x85; 2_000_000]);
    nested.push(b'.');
    let mut dictionaries = b"\x80\x02".to_vec();
    dictionaries.extend(b"}K\x01".repeat(300_000));
    dictionaries.extend(b"s".repeat(299_999));
    dictionaries.push(b'.');
    let mut texts = b"\x80\x02(X\x00\x00\x10\x00".to_vec();
    texts.extend(vec![b'x'; 1 << 20]);
    texts.extend(b"q\x00");
    texts.extend(b"h\x00".repeat(1_000_000));
    texts.extend(b"t.");
    vec![
        ("shared tuples", shared),
        ("nested tuples", nested),
        ("nested dictionaries", dictionaries),
        ("a text again and again", texts),
        ("a call", b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.".to_vec()),
        ("marks without end", b"(".repeat(1_000_000)),
    ]
}

/// A zip archive with one file, as PyTorch writes it.
fn archive(pickle: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"archive/data.pkl";
    let short = |number: usize| (number as u16).to_le_bytes();
    let long = |number: usize| (number as u32).to_le_bytes();
    let mut bytes = b"PK\x03\x04".to_vec();
    bytes.extend([0; 14]);
    bytes.extend(long(pickle.len()).into_iter().chain(long(pickle.len())));
    bytes.extend(short(NAME.len()).into_iter().chain(short(0)));
    bytes.extend(NAME.iter().chain(pickle));
    let directory = bytes.len();
    bytes.extend(b"PK\x01\x02");
    bytes.extend([0; 16]);
    bytes.extend(long(pickle.len()).into_iter().chain(long(pickle.len())));
    bytes.extend(short(NAME.len()));
    bytes.extend([0; 12]);
    bytes.extend(long(0));
    bytes.extend(NAME);
    let length = bytes.len() - directory;
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00");
    bytes.extend(long(length).into_iter().chain(long(directory)));
    bytes.extend(short(0));
    bytes
}
