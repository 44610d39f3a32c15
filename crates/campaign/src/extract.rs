//! Methods cut out of programs: the data sets that models of names learn from, divided so that nothing leaks.

mod near;
mod packed;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use model::Code;
use model::paths::{Limits, Style, functions, methods, write_line};
use random::{Random, seed_of};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;
use syntax::Program;

use crate::complete_file::CompleteFile;
use crate::data::DataError;
use crate::examples::Task;
use crate::plan::DataPlan;
use crate::work::{Event, Watcher, WorkError, read_examples};

/// What is cut out, and how it is divided.
#[derive(Clone, Debug)]
pub struct ExtractPlan {
    /// A folder with programs, or a data set.
    pub data: DataPlan,
    pub together: Together,
    /// The shares of the methods for the validation and the test.
    pub validation: f64,
    pub test: f64,
    /// Are programs that are nearly the same as an earlier one kept?
    pub keeps_duplicates: bool,
    /// Are path contexts written beside the methods?
    pub contexts: Option<Style>,
    pub seed: u64,
}

/// Which methods are never divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Those of a file.
    File,
    /// Those of a project, which is the first folder of a path.
    Project,
}

/// What was cut out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extracted {
    pub programs: usize,
    /// Programs left out because another is nearly the same.
    pub duplicates: usize,
    /// Programs that do not parse; the methods that could be read are not taken, either.
    pub broken: usize,
    /// Programs without a method.
    pub empty: usize,
    pub methods: usize,
    /// The files that were written, with their methods and programs.
    pub parts: Vec<Part>,
    pub seconds: f64,
}

/// A file of methods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    pub path: PathBuf,
    pub programs: usize,
    pub methods: usize,
}

/// A program with its methods.
struct Cut {
    key: String,
    code: Code,
    methods: Vec<(String, Range<usize>)>,
    is_broken: bool,
    signature: near::Signature,
}

/// Cuts the methods out of programs and writes them to train, valid and test files in a folder.
///
/// ```
/// use campaign::extract::{ExtractPlan, Together, extract};
/// use campaign::plan::DataPlan;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), ..DataPlan::default() };
/// let folder = std::env::temp_dir().join(format!("allotrope-extract-{}", std::process::id()));
/// let plan = ExtractPlan { test: 0.2, ..ExtractPlan::new(data) };
/// let extracted = extract(&plan, &folder, &())?;
/// assert!(extracted.methods > 100 && folder.join("test.jsonl.gz").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extract(plan: &ExtractPlan, output: &Path, watcher: &dyn Watcher) -> Result<Extracted, WorkError> {
    let began = Instant::now();
    let mut cuts = cut(&plan.data, watcher)?;
    if watcher.should_stop() {
        return Err(WorkError::Interrupted("stopped; nothing was written"));
    }
    let programs = cuts.len();
    let broken = cuts.iter().filter(|cut| cut.is_broken).count();
    let empty = cuts.iter().filter(|cut| !cut.is_broken && cut.methods.is_empty()).count();
    cuts.retain(|cut| !cut.methods.is_empty() && !cut.is_broken);
    let mut duplicates = 0;
    if !plan.keeps_duplicates {
        let signatures: Vec<&near::Signature> = cuts.iter().map(|cut| &cut.signature).collect();
        let is_first = near::firsts(&signatures);
        duplicates = is_first.iter().filter(|is_first| !**is_first).count();
        let mut firsts = is_first.into_iter();
        cuts.retain(|_| firsts.next().unwrap_or(true));
    }
    let parts = divide(plan, &cuts);
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |source| DataError::Unwritable { path, source }
    };
    std::fs::create_dir_all(output).map_err(unwritable(output))?;
    let (mut written, mut count) = (Vec::new(), 0);
    for (name, part) in ["train", "valid", "test"].into_iter().zip(&parts) {
        let own: usize = part.iter().map(|cut| cut.methods.len()).sum();
        if own == 0 {
            continue;
        }
        count += own;
        watcher.tell(Event::Stage("writing methods", None));
        let path = output.join(format!("{name}.jsonl.gz"));
        write_rows(&path, part).map_err(unwritable(&path))?;
        written.push(Part { path, programs: part.len(), methods: own });
        if let Some(style) = plan.contexts {
            let ending = match style {
                Style::Code2Vec => "c2v",
                Style::Code2Seq => "c2s",
            };
            let path = output.join(format!("{name}.{ending}"));
            write_contexts(&path, part, style).map_err(unwritable(&path))?;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(Extracted { programs, duplicates, broken, empty, methods: count, parts: written, seconds })
}

impl ExtractPlan {
    /// A plan with defaults for everything else.
    pub fn new(data: DataPlan) -> ExtractPlan {
        ExtractPlan {
            data,
            together: Together::File,
            validation: 0.05,
            test: 0.1,
            keeps_duplicates: false,
            contexts: None,
            seed: 0,
        }
    }
}

fn cut(data: &DataPlan, watcher: &dyn Watcher) -> Result<Vec<Cut>, WorkError> {
    // Folders in a folder of sources are no labels here.
    let task = data.task.or(data.path.is_dir().then_some(Task::Unlabelled));
    let examples = match read_examples(&DataPlan { task, ..data.clone() }, watcher) {
        // A folder may also hold a data set.
        Err(WorkError::Data(DataError::Unfit { .. })) if data.task.is_none() => read_examples(data, watcher)?,
        examples => examples?,
    };
    watcher.tell(Event::Stage("reading methods", Some(examples.programs.len())));
    let mut groups: HashMap<usize, &str> = HashMap::new();
    for example in &examples.items {
        for program in example.question.programs() {
            groups.extend(example.group.as_deref().map(|group| (program, group)));
        }
    }
    let is_table = examples.layout.name == "method-names";
    let cut = |(place, source): (usize, &crate::examples::Source)| {
        if watcher.should_stop() {
            return None;
        }
        let program = Program::parse(source.code.language, source.code.text.as_str());
        watcher.tell(Event::Steps(1));
        // The methods of a file stand in rows of their own, which are divided with it.
        let key = match groups.get(&place) {
            Some(group) if is_table => (*group).to_owned(),
            _ => source.key.clone(),
        };
        Some(Cut {
            key,
            methods: functions(&program),
            is_broken: program.is_broken(),
            signature: near::Signature::of(&program),
            code: source.code.clone(),
        })
    };
    Ok(examples.programs.par_iter().enumerate().filter_map(cut).collect())
}

/// The programs of train, valid and test.
fn divide<'c>(plan: &ExtractPlan, cuts: &'c [Cut]) -> [Vec<&'c Cut>; 3] {
    let group = |cut: &'c Cut| match plan.together {
        Together::File => cut.key.as_str(),
        Together::Project => cut.key.split('/').next().unwrap_or_default(),
    };
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for cut in cuts {
        *groups.entry(group(cut)).or_default() += cut.methods.len();
    }
    let all: usize = groups.values().sum();
    let mut order: Vec<(&str, usize)> = groups.into_iter().collect();
    Random::new(seed_of(&[b"extract", &plan.seed.to_le_bytes()])).shuffle(&mut order);
    let [valid, test] = [plan.validation, plan.test].map(|share| (share * all as f64).round() as usize);
    let (mut place_of, mut taken) = (HashMap::new(), [0; 3]);
    for (group, count) in order {
        let place = if taken[2] < test {
            2
        } else if taken[1] < valid {
            1
        } else {
            0
        };
        taken[place] += count;
        place_of.insert(group, place);
    }
    let mut parts: [Vec<&Cut>; 3] = Default::default();
    for cut in cuts {
        parts[place_of[group(cut)]].push(cut);
    }
    parts
}

/// Rows of the layout `method-names`.
fn write_rows(path: &Path, part: &[&Cut]) -> std::io::Result<()> {
    let pieces: Vec<&[&Cut]> = part.chunks(32).collect();
    let rows = |piece: &&[&Cut]| {
        let mut rows = String::new();
        for cut in *piece {
            for (name, range) in &cut.methods {
                let code = &cut.code.text[range.clone()];
                let row = json!({"path": cut.key, "name": name, "code": code, "language": cut.code.language.name()});
                rows.push_str(&row.to_string());
                rows.push('\n');
            }
        }
        rows.into_bytes()
    };
    packed::write_packed(path, &pieces, rows)
}

/// The text files of the published extractors, a line for each method.
fn write_contexts(path: &Path, part: &[&Cut], style: Style) -> std::io::Result<()> {
    let mut file = BufWriter::new(CompleteFile::create(path)?);
    let limits = Limits::default();
    // The contexts of all programs would not fit in memory, so they are written after every 1,024 programs.
    for some in part.chunks(256) {
        let lines = |cut: &&Cut| -> Vec<String> {
            let own = cut.methods.iter().flat_map(|(_, range)| {
                methods(&Program::parse(cut.code.language, &cut.code.text[range.clone()]), &limits).into_iter().take(1)
            });
            own.map(|method| write_line(&method, style, limits.contexts)).collect()
        };
        let lines: Vec<Vec<String>> = some.par_iter().map(lines).collect();
        for line in lines.iter().flatten() {
            writeln!(file, "{line}")?;
        }
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{Examples, Request};

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("allotrope-extract-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn class(name: &str, number: usize) -> String {
        let fields: String = (0..12).map(|place| format!("int {name}Field{place} = 1{number}{place}; ")).collect();
        format!(
            "class {name} {{ {fields} {name}() {{ }} int get{name}() {{ return {name}Field1; }} void run() {{ }} }}"
        )
    }

    #[test]
    fn methods_are_cut_out_and_divided_by_file() {
        let names = ["Apple", "Berry", "Cherry", "Date", "Elder", "Fig", "Grape", "Hazel", "Iris", "Juniper"];
        let mut files: Vec<(String, String)> =
            names.iter().enumerate().map(|(number, name)| (format!("p/{name}.java"), class(name, number))).collect();
        files.push(("p/CopyOfFig.java".to_owned(), class("Fig", 5).replace("run", "go")));
        files.push(("p/Broken.java".to_owned(), "class X { int f( { }".to_owned()));
        files.push(("p/Empty.java".to_owned(), "interface E { int f(); }".to_owned()));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let source = folder("divided", &files);
        let output = source.join("out");
        let data = DataPlan { path: source.join("p"), ..DataPlan::default() };
        let plan =
            ExtractPlan { validation: 0.1, test: 0.2, contexts: Some(Style::Code2Vec), ..ExtractPlan::new(data) };
        let extracted = extract(&plan, &output, &()).unwrap();
        let Extracted { programs, duplicates, broken, empty, methods, .. } = extracted;
        // Constructors are no methods, and the copy is left out.
        assert_eq!((programs, duplicates, broken, empty, methods), (13, 1, 1, 1, 20));
        let counts: Vec<(usize, usize)> = extracted.parts.iter().map(|part| (part.programs, part.methods)).collect();
        assert_eq!(counts, [(7, 14), (1, 2), (2, 4)]);
        let read = |name: &str| {
            let path = output.join(format!("{name}.jsonl.gz"));
            Examples::read(&Request { path, task: Some(Task::MethodName), ..Request::default() }).unwrap()
        };
        assert_eq!(read("train").items.len(), 14);
        assert_eq!(read("test").programs[1].code.text, "void run() { }");
        let lines = std::fs::read_to_string(output.join("test.c2v")).unwrap();
        assert!(lines.lines().count() == 4 && lines.lines().all(|line| line.split(',').count() % 2 == 1), "{lines}");
        std::fs::remove_dir_all(source).unwrap();
    }
}
