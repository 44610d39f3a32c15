//! The programs of the real data sets that examples, benchmarks and long tests read; see [`testbed::data`] for their folder.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use syntax::Language;

/// Programs of one language in one data set.
pub struct DataSet {
    pub name: &'static str,
    pub language: Language,
    files: &'static [&'static str],
    /// Each group of fields, put together, is one program.
    programs: &'static [&'static [&'static str]],
    /// Only rows that have this value in this field.
    only: Option<(&'static str, &'static str)>,
}

const fn set(
    name: &'static str,
    language: Language,
    files: &'static [&'static str],
    programs: &'static [&'static [&'static str]],
) -> DataSet {
    DataSet { name, language, files, programs, only: None }
}

/// Every data set with programs in one of the five languages.
pub const DATA_SETS: &[DataSet] = &[
    set("bigclonebench", Language::Java, &["functions"], &[&["func"]]),
    set("jdk17-methods", Language::Java, &["train", "valid", "test"], &[&["code"]]),
    set("the-algorithms", Language::Java, &["java"], &[&["code"]]),
    set("mbxp", Language::Java, &["java"], &[&["prompt", "canonical_solution", "test"]]),
    set("gfg-transcoder", Language::Java, &["java"], &[&["code"]]),
    set("owasp-benchmark", Language::Java, &["testcases"], &[&["code"]]),
    DataSet {
        only: Some(("lang", "java")),
        ..set("condefects", Language::Java, &["pairs"], &[&["faulty"], &["correct"]])
    },
    set("devign", Language::C, &["test"], &[&["func"]]),
    set("c-programs", Language::C, &["data"], &[&["code"]]),
    set("codeflaws", Language::C, &["versions"], &[&["buggy"], &["accepted"]]),
    set("introclass", Language::C, &["programs", "reference"], &[&["code"]]),
    set("juliet-c", Language::C, &["testcases", "support"], &[&["code"]]),
    set("the-algorithms", Language::C, &["c"], &[&["code"]]),
    set("poj104", Language::Cpp, &["programs"], &[&["code"]]),
    set("gcj2017-cpp", Language::Cpp, &["programs"], &[&["code"]]),
    set("mbxp", Language::Cpp, &["cpp"], &[&["prompt", "canonical_solution", "test"]]),
    set("gfg-transcoder", Language::Cpp, &["cpp"], &[&["code"]]),
    set("gcj-python-authorship", Language::Python, &["train", "valid"], &[&["code"]]),
    set("cosqa-dev", Language::Python, &["pairs"], &[&["code"]]),
    set("the-algorithms", Language::Python, &["python"], &[&["code"]]),
    set("mbxp", Language::Python, &["python"], &[&["prompt", "canonical_solution", "test"]]),
    set("gfg-transcoder", Language::Python, &["python"], &[&["code"]]),
    DataSet {
        only: Some(("lang", "py")),
        ..set("condefects", Language::Python, &["pairs"], &[&["faulty"], &["correct"]])
    },
    set("the-algorithms", Language::JavaScript, &["javascript"], &[&["code"]]),
    set("mbxp", Language::JavaScript, &["js"], &[&["prompt", "canonical_solution", "test"]]),
];

impl DataSet {
    /// Every program with its place: its file, the number of its row, and which it is when a row has several.
    pub fn programs(&self, folder: &Path) -> Result<Vec<(String, String)>, String> {
        let mut programs = Vec::new();
        for file in self.files {
            let path = folder.join(self.name).join(format!("{file}.jsonl.gz"));
            let problem = |what: String| format!("failed to read {}: {what}", path.display());
            let reader = File::open(&path).map_err(|error| problem(error.to_string()))?;
            for (row, line) in BufReader::new(GzDecoder::new(reader)).lines().enumerate() {
                let line = line.map_err(|error| problem(error.to_string()))?;
                let object: serde_json::Value =
                    serde_json::from_str(&line).map_err(|error| problem(error.to_string()))?;
                if self.only.is_some_and(|(field, value)| object[field] != value) {
                    continue;
                }
                for (index, fields) in self.programs.iter().enumerate() {
                    let text: String = fields.iter().filter_map(|field| object[*field].as_str()).collect();
                    let which = if index == 0 { String::new() } else { format!("#{}", index + 1) };
                    programs.push((format!("{}/{file}:{}{which}", self.name, row + 1), text));
                }
            }
        }
        Ok(programs)
    }
}
