//! Damaged data sets, files that are not data sets, and control characters in every field.

use std::io::Write;

use super::{Hostile, damaged};
use crate::toy;

pub fn all() -> Vec<Hostile> {
    let whole = toy::data(6, |_| String::new()).into_bytes();
    let csv = b"func,target\n\"int f(int a) { return a; }\",0\n\"int g(int b) { return b; }\",1\n".to_vec();
    let list = format!("[{}]", String::from_utf8_lossy(&whole).trim().replace('\n', ",")).into_bytes();
    let mut inputs = Vec::new();
    for seed in 0..12 {
        for (file, content) in
            [("in.jsonl", &whole), ("in.csv", &csv), ("in.json", &list), ("in.jsonl.gz", &packed(&whole))]
        {
            let command = match seed % 3 {
                0 => format!("data {file} --language c --show 2"),
                1 if file != "in.json" => format!("transform {file} --column func --language c -o out-{file}"),
                _ => format!("evaluate --model builtin:problems --data {file} --language c"),
            };
            inputs.push(Hostile::file(format!("{command}, damage {seed}"), &command, file, damaged(content, seed)));
        }
    }
    let row = |code: &str| format!("{{\"func\": {code}, \"target\": 1}}\n");
    for (name, text) in [
        ("empty", String::new()),
        ("a mark alone", "\u{feff}".to_owned()),
        ("blank lines", "\n\n \n\t\n".to_owned()),
        ("arrays 100,000 deep", "[".repeat(100_000)),
        ("objects 100,000 deep", "{\"a\":".repeat(100_000)),
        ("a deep value", row(&format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)))),
        ("a number without end", row(&"9".repeat(100_000))),
        ("an exponent", "{\"func\": \"int f() { return 1; }\", \"target\": 1e999999}\n".to_owned()),
        (
            "a label of a megabyte",
            format!("{{\"func\": \"int f() {{ return 1; }}\", \"target\": \"{}\"}}\n", "l".repeat(1 << 20)),
        ),
        ("half a surrogate", row("\"\\ud800\"")),
        ("a null", row("null")),
        ("a null character", row("\"int f() { return 0; } \\u0000\"")),
        ("keys twice", "{\"func\": \"int f() { return 1; }\", \"func\": 3, \"target\": 0}\n".to_owned()),
        ("no object", "3\n\"a\"\nnull\ntrue\n".to_owned()),
        ("CRLF", toy::data(2, |_| String::new()).replace('\n', "\r\n")),
        ("carriage returns alone", toy::data(2, |_| String::new()).replace('\n', "\r")),
        ("a row that explodes", row(&format!("\"int f(){{{}\"", "x=>".repeat(8_000)))),
        (
            "ten thousand labels",
            (0..10_000)
                .map(|number| format!("{{\"func\": \"int f() {{ return 1; }}\", \"target\": \"l{number}\"}}\n"))
                .collect(),
        ),
        (
            "a label that is a large number",
            "{\"func\": \"int f() { return 1; }\", \"target\": 18446744073709551615}\n".repeat(2),
        ),
    ] {
        for command in [
            "data in.jsonl --language c",
            "transform in.jsonl --column func --language c -o out.jsonl",
            "evaluate --model builtin:problems --data in.jsonl --language c",
            "train --kind linear --data in.jsonl --language c -o m.safetensors",
        ] {
            inputs.push(Hostile::file(format!("{name}: {command}"), command, "in.jsonl", text.as_bytes()));
        }
    }
    inputs.push(Hostile::file(
        "a bomb",
        "data in.jsonl.gz --language c",
        "in.jsonl.gz",
        packed(&vec![b' '; 400 << 20]),
    ));
    inputs.push(Hostile::file(
        "a bomb, read whole",
        "data in.json.gz --language c",
        "in.json.gz",
        packed(&vec![b' '; 400 << 20]),
    ));
    inputs.extend(escapes());
    inputs
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Control characters in every field.
fn escapes() -> Vec<Hostile> {
    let mut inputs = Vec::new();
    for (number, evil) in
        ["\\u001b[2J", "\\u009b31m", "\\u0007\\b\\b\\b", "\\r\\u001b]0;title\\u0007"].into_iter().enumerate()
    {
        for field in ["id", "target", "func", "project", "evil"] {
            let row = |place: usize| {
                let own = |name: &str, text: &str| {
                    format!(
                        "\"{}\": \"{text}{}\"",
                        if field == "evil" { evil } else { name },
                        if field == name { evil } else { "" }
                    )
                };
                format!(
                    "{{{}, {}, {}, \"idx\": {place}, \"func\": \"int f(int a) {{ return a + {place}; }} /* {} */\"}}\n",
                    own("id", &place.to_string()),
                    own("target", &(place % 2).to_string()),
                    own("project", "p"),
                    if field == "func" { evil } else { "" }
                )
            };
            let text: String = (0..6).map(row).collect();
            let command = match number {
                0 => "data in.jsonl --language c --show 3",
                1 => "evaluate --model builtin:problems --data in.jsonl --language c --show 3",
                2 => "transform in.jsonl --language c --column func -o out.jsonl",
                _ => "attack --model builtin:problems --data in.jsonl --language c --attack random-k --budget 5 -o run",
            };
            inputs.push(Hostile::file(format!("{evil} in {field}: {command}"), command, "in.jsonl", text));
        }
    }
    for name in ["\u{1b}[2J.c", "a\u{7}\u{8}.c", "a\u{9b}31m.c", "line\nbreak.c", "tab\t.c"] {
        for command in ["transform IN -o out.c", "verify IN IN", "transform IN -o IN/out.c"] {
            let command = command.replace("IN", &name.replace(' ', "&"));
            inputs.push(Hostile::file(format!("{command:?}"), &command, name, "int f(int a) { return a +; }"));
        }
    }
    inputs
}
