//! Program texts: endlessly repeated tokens, deep nesting, damaged files.

use super::{Hostile, damaged, fixture};

const LANGUAGES: [(&str, &str, &str); 5] = [
    ("c", "int f(int a) { ", " return a; }\n"),
    ("cpp", "int f(int a) { ", " return a; }\n"),
    ("java", "class A { int f(int a) { ", " return a; } }\n"),
    ("py", "def f(a):\n    ", "\n    return a\n"),
    ("js", "function f(a) { ", " return a; }\n"),
];

/// Tokens that are repeated thousands of times.
const TOKENS: [&str; 28] = [
    "{(",
    "x=>",
    "A<B<",
    "->",
    "case 1:",
    "[[",
    "((a",
    "/*",
    "\"",
    "'",
    "`${",
    "\\\n",
    "#if 1\n",
    "else if(a)",
    "lambda a:",
    "not ",
    "!",
    "-",
    "*",
    "a&&",
    "a.b.",
    "\t",
    "\u{feff}",
    "\0",
    "\r",
    "é",
    "a?b:",
    "template<class T>",
];

/// Nested constructs: opening, innermost and closing text.
const NESTED: [(&str, &str, &str); 8] = [
    ("(", "a", ")"),
    ("{", ";", "}"),
    ("[", "a", "]"),
    ("if (a) {", ";", "}"),
    ("f(", "a", ")"),
    ("a ? (", "a", ") : a"),
    ("-(", "a", ")"),
    ("for (;;) {", ";", "}"),
];

pub fn all() -> Vec<Hostile> {
    let mut inputs = Vec::new();
    for (ending, before, after) in LANGUAGES {
        let command = format!("transform in.{ending} -o out.{ending} --transform all --order 2");
        let mut add = |name: String, text: Vec<u8>| {
            inputs.push(Hostile::file(format!("{ending}: {name}"), &command, &format!("in.{ending}"), text));
        };
        for (number, token) in TOKENS.iter().enumerate() {
            let count = [3_000, 30_000, 100_000][number % 3];
            add(format!("{token:?} x {count}"), format!("{before}{}", token.repeat(count)).into_bytes());
        }
        for (number, (open, middle, close)) in NESTED.iter().enumerate() {
            let depth = [300, 5_000, 60_000][number % 3];
            let text = format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth));
            add(format!("{open:?} {depth} deep"), text.into_bytes());
        }
        for text in ["", "\0", "\u{feff}", "\r\r\r", "\\", "#", "\u{202e}", "int"] {
            add(format!("{text:?} alone"), text.as_bytes().to_vec());
        }
        add("no UTF-8".to_owned(), b"\xff\xfe\x00i\x00n\xc3(".repeat(500));
        add(
            "one line of a megabyte".to_owned(),
            format!("{before}{}{after}", "a = a + 1; ".repeat(90_000)).into_bytes(),
        );
        add("a name of a megabyte".to_owned(), format!("{before}int {} = 1;{after}", "n".repeat(1 << 20)).into_bytes());
    }
    let programs = [
        ("c/greedy-table.c", "c"),
        ("cpp/two-maps.cpp", "cpp"),
        ("java/SymbolTable.java", "java"),
        ("python/product-table.py", "py"),
        ("javascript/cursor-parser.js", "js"),
    ];
    for (path, ending) in programs {
        let whole = fixture(&format!("programs/problems/roman/{path}"));
        for seed in 0..12 {
            let command =
                format!("transform in.{ending} -o out.{ending} --transform all --order 6 --scope each-function");
            let name = format!("{path}, damage {seed}");
            inputs.push(Hostile::file(name, &command, &format!("in.{ending}"), damaged(&whole, seed)));
        }
    }
    inputs
}
