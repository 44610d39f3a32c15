//! Devices, links, folders and missing paths as outputs, and absurd numbers as options.

use std::os::unix::fs::symlink;

use super::Hostile;
use crate::folder::Folder;
use crate::toy;

/// Commands that write something to OUT.
const COMMANDS: [&str; 5] = [
    "transform in.c -o OUT",
    "transform in.jsonl --language c --column func -o OUT",
    "train --kind linear --data in.jsonl --language c -o OUT",
    "evaluate --model builtin:problems --data problems.jsonl --predictions OUT",
    "attack --model cmd:cat --data in.jsonl --language c --attack random-k -o OUT",
];

/// The outputs.
const PLACES: [&str; 14] = [
    "/dev/null",
    "/dev/full",
    "/dev/stdout",
    "link-to-null",
    "link-to-file",
    "dangling",
    "link-to-itself",
    "folder",
    "in.c",
    "in.c/below",
    "missing/folder/out",
    "/proc/nothing/out",
    "fifo",
    "",
];

/// Absurd numbers.
const NUMBERS: [&str; 6] = ["-1", "0", "18446744073709551615", "99999999999999999999999", "NaN", "1e9"];

pub fn all() -> Vec<Hostile> {
    let mut inputs = Vec::new();
    for command in COMMANDS {
        for place in PLACES {
            let command = command.replace("OUT", place);
            let mut input = Hostile::new(format!("{command:?}"), &command, prepare);
            // Opening a pipe without a reader blocks, but signals must still work.
            if place == "fifo" {
                input.signals = vec![(3_000, "-INT"), (1_500, "-INT")];
            }
            input.is_stream = place == "/dev/stdout";
            inputs.push(input);
        }
    }
    for option in [
        "transform in.c -o out.c --order",
        "transform in.c -o out.c --variants",
        "transform in.c -o out.c --seed",
        "transform in.c -o out.c --threads",
        "data in.jsonl --language c --limit",
        "data in.jsonl --language c --sample",
        "data in.jsonl --language c --longest",
        "data in.jsonl --language c --show",
        "attack --model cmd:cat --data in.jsonl --language c --attack beam -o run --dry-run --budget",
        "attack --model cmd:cat --data in.jsonl --language c --attack beam -o run --dry-run --jobs",
        "attack --model cmd:cat --data in.jsonl --language c --attack beam -o run --dry-run --seconds",
        "attack --model cmd:cat --data in.jsonl --language c --attack beam -o run --dry-run --max-names",
        "grid --model cmd:cat --data in.jsonl --language c -o grid --dry-run --order",
        "evolve --model cmd:cat --data in.jsonl --language c -o evolve --dry-run --minimise accuracy --population",
    ] {
        for number in NUMBERS {
            // So many variants would really be written.
            if option.ends_with("--variants") && number.len() > 3 && number != "NaN" {
                continue;
            }
            let command = format!("{option} {number}");
            inputs.push(Hostile::new(command.clone(), &command, prepare));
        }
    }
    for command in [
        "",
        "attack",
        "transform",
        "transform nothing -o out",
        "verify in.c",
        "compare .",
        "report . -o page.html",
        "merge . -o merged",
        "run in.c -o run",
        "explain nothing",
        "list nothing",
        "man nothing",
        "completions nothing",
        "transform --replay in.c",
        "transform --replay in.jsonl",
        "verify --manifest in.c",
        "verify in.c in.jsonl",
        "quickstart -o in.c",
    ] {
        inputs.push(Hostile::new(format!("the command {command:?}"), command, prepare));
    }
    inputs
}

fn prepare(folder: &Folder) {
    folder.write("in.c", "int f(int a) { return a + 1; }\n");
    folder.write("in.jsonl", toy::data(2, |_| String::new()));
    folder.write("problems.jsonl", "{\"code\": \"int f() { return 1; }\", \"language\": \"c\"}\n");
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (target, link) in [
        ("/dev/null", "link-to-null"),
        ("target", "link-to-file"),
        ("nowhere/at/all", "dangling"),
        ("link-to-itself", "link-to-itself"),
    ] {
        symlink(target, folder.path(link)).unwrap();
    }
    folder.write("target", "before");
    std::process::Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap();
}
