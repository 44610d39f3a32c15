//! Signals at pseudo-random moments.

use super::{Hostile, Noise};
use crate::toy;

const COMMANDS: [&str; 7] = [
    "attack --model cmd:python3&model.py --data in.jsonl --language c --attack random-k,beam -o run",
    "attack --model cmd:sleep&1000 --data in.jsonl --language c --attack random-k -o run",
    "evaluate --model cmd:sh&hang.sh --data in.jsonl --language c",
    "evolve --model cmd:python3&model.py --data in.jsonl --language c --minimise accuracy -o evolved",
    "transform programs -o out --transform all --order 20",
    "verify --data programs --transform all",
    "train --kind linear --data in.jsonl --language c -o m.safetensors",
];

pub fn all() -> Vec<Hostile> {
    let mut noise = Noise(7);
    let mut inputs = Vec::new();
    for round in 0..6 {
        for command in COMMANDS {
            let mut signals = vec![(20 + noise.below(1_500) as u64, ["-INT", "-TERM"][round % 2])];
            if round % 3 == 2 {
                signals.push((noise.below(300) as u64, "-INT"));
            }
            let mut input = Hostile::new(format!("{signals:?}: {command}"), command, |folder| {
                folder.write("in.jsonl", toy::data(20, |_| String::new()));
                folder.write("model.py", toy::MODEL);
                folder.write("hang.sh", "trap '' INT TERM\nwhile :; do sleep 1; done\n");
                for number in 0..8 {
                    let lines = format!("int f{number}(int a) {{ int b = a; while (b < 9) {{ b++; }} return b; }}\n");
                    folder.write(
                        &format!("programs/p{number}.c"),
                        lines.repeat(40).replace(&format!("f{number}("), &format!("f{number}_(")),
                    );
                }
            });
            input.signals = signals;
            inputs.push(input);
        }
    }
    inputs
}
