//! A toy model, and functions that it has an opinion about.

use crate::folder::Folder;

/// A model that weighs words, so that rewrites change its answer easily. What a word weighs is as good as random.
pub const MODEL: &str = "import json, math, re, sys, zlib
for line in sys.stdin:
    question = json.loads(line)
    words = set(re.findall(r'\\w+', question['code']))
    weight = sum(zlib.crc32(word.encode()) % 200 - 100 for word in words) / 80
    p = 1 / (1 + math.exp(-weight))
    print(json.dumps({'id': question['id'], 'probabilities': [1 - p, p]}), flush=True)
";

/// Functions as JSON lines, each with both labels, so that the model is right about one. `more` is added to what each returns.
pub fn data(functions: usize, more: impl Fn(usize) -> String) -> String {
    let mut rows = String::new();
    for number in 0..functions {
        let code = format!(
            "int f{number}(int count{number}, int limit) {{ int sum = {number}; while (count{number} < limit) \
             {{ sum += count{number}; count{number}++; }} if (sum > 3) {{ return sum{}; }} return limit; }}",
            more(number)
        );
        for target in 0..2 {
            rows.push_str(&format!("{{\"func\": \"{code}\", \"target\": {target}}}\n"));
        }
    }
    rows
}

/// A folder with the model and a data set.
pub fn folder(name: &str, data: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("model.py", MODEL);
    folder.write("test.jsonl", data);
    folder
}
