//! Pairs of functions by their numbers, as BigCloneBench has them in CodeXGLUE and with ALERT: a table of functions,
//!
//! ```json
//! {"idx": "13653451", "func": "int f(int n) { return n; }"}
//! ```
//!
//! in `functions.jsonl` or `data.jsonl`, and beside it a file for each split, `test.txt`, with two numbers and a label a line:
//!
//! ```text
//! 13653451 21955002 0
//! 1188160 8831513 1
//! ```
//!
//! A label of -1 says that nothing is known about a pair; a fourth word, as files for distillation have it, is not read.
//!
//! All files may be compressed. A pair one of whose functions is not in the table is a broken row. A function that is in many
//! pairs is held once.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::{Layout, Shape, program};
use crate::data::records::Records;
use crate::data::{DataError, jsonl};
use crate::examples::{Gathered, Item, Loose, LooseCode, Request, Task, key_of, language_of};

pub(super) const LAYOUT: Layout = Layout {
    name: "clone-pairs",
    place: "folder, or .txt .txt.gz in it",
    about: "lines `id1 id2 label` beside functions.jsonl or data.jsonl with `idx` and `func`",
    tasks: &[Task::Clone],
    shape: Shape::Whole(read),
};

/// The names of the table of functions.
const TABLES: [&str; 4] = ["functions.jsonl.gz", "functions.jsonl", "data.jsonl.gz", "data.jsonl"];

/// The table of functions in a folder.
pub(in crate::examples) fn function_table(folder: &Path) -> Option<PathBuf> {
    TABLES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The label of pairs about which nothing is known.
const UNKNOWN: &str = "-1";

/// Is this a file of pairs, by its first line?
pub(in crate::examples) fn is_pair_file(path: &Path) -> Result<bool, DataError> {
    Ok(first_line(path)?.is_some_and(|line| pair(&line).is_ok()))
}

/// The first line of a text file; `None` for other files and for what is not text.
pub(super) fn first_line(path: &Path) -> Result<Option<String>, DataError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    if !path.is_file() || !(name.ends_with(".txt") || name.ends_with(".txt.gz")) {
        return Ok(None);
    }
    let mut line = Vec::new();
    let read = jsonl::open(path)?.take(1 << 20).read_until(b'\n', &mut line);
    read.map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
    Ok(String::from_utf8(line).ok())
}

/// The two functions and the label of a line.
fn pair(line: &str) -> Result<(&str, &str, &str), String> {
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next(), words.nth(1)) {
        (Some(first), Some(second), Some(label @ ("0" | "1" | UNKNOWN)), None) => Ok((first, second, label)),
        (Some(_), Some(_), Some(label), None) => Err(format!("the label is neither 0 nor 1: `{label}`")),
        _ => Err("the line has not two numbers and a label".to_owned()),
    }
}

fn read(path: &Path, _: Task, _: &Request) -> Result<Gathered, DataError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let table = function_table(folder).ok_or_else(|| DataError::Unfit {
        place: path.display().to_string(),
        problem: format!("there is no table of functions beside it: one of {}", TABLES.join(", ")),
    })?;
    let text = jsonl::read_whole_text(path)?;
    let mut gathered = Gathered::new("line");
    let places = functions(&table, &mut gathered)?;
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    for line in text.lines() {
        gathered.rows += 1;
        let (first, second, label) = match pair(line) {
            Ok(pair) => pair,
            Err(problem) => {
                gathered.refuse(&problem);
                continue;
            }
        };
        match [first, second].map(|id| places.get(id).copied().ok_or(id)) {
            [Ok(one), Ok(two)] => gathered.items.push(Item {
                id: format!("{first}-{second}"),
                row: gathered.rows,
                programs: vec![one, two],
                text: None,
                truth: if label == UNKNOWN { Loose::Unknown } else { Loose::Label(label.to_owned()) },
                group: Some(first.to_owned()),
            }),
            [one, two] => {
                let absent = [one.err(), two.err()].into_iter().flatten();
                let problem = absent.clone().collect::<Vec<_>>().join(", ");
                missing.extend(absent);
                gathered.refuse(&format!("a function is not in the table: {problem}"));
            }
        }
    }
    if !missing.is_empty() {
        let few: Vec<&str> = missing.iter().copied().take(5).collect();
        let more = if missing.len() > few.len() { ", …" } else { "" };
        let count = missing.len();
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        gathered.notes.push(format!("{count} functions of pairs are not in {name}: {}{more}", few.join(", ")));
    }
    Ok(gathered)
}

/// Takes in the functions and says where each is.
fn functions(table: &Path, gathered: &mut Gathered) -> Result<HashMap<String, usize>, DataError> {
    let mut places = HashMap::new();
    let (mut broken, mut first) = (0, None);
    for (index, record) in Records::open(table)?.enumerate() {
        let code = record?.and_then(|fields| {
            let key = key_of(&fields).ok_or("there is no field `idx`")?;
            let field = if fields.contains_key("func") { "func" } else { "code" };
            Ok(LooseCode {
                key,
                text: program(&fields, field)?,
                language: language_of(&fields)?,
                substitutes: None,
                cases: Vec::new(),
            })
        });
        match code {
            Ok(code) => {
                places.insert(code.key.clone(), gathered.programs.len());
                gathered.programs.push(code);
            }
            Err(problem) => {
                broken += 1;
                first.get_or_insert(format!("line {}: {problem}", index + 1));
            }
        }
    }
    if let Some(first) = first {
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        gathered.notes.push(format!("{broken} rows of {name} cannot be read; {first}"));
    }
    Ok(places)
}
