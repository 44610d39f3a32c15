//! Programs that can be run, with what they are run on: from folders of programs, and from the rows of data sets.
//!
//! A program in a folder has its cases in a file beside it with the same name and the ending `.json`, or shares those in a
//! `problem.json` one or two folders above: `{"cases": [{"arguments": ["3"], "input": "…"}]}`. The rows of data sets that come
//! with tests are recognised by their fields:
//!
//! - `prompt`, `canonical_solution`, `test` (MBXP): the three are one program, and the first two are rewritten;
//! - `code` with a mark `TOFILL` (GeeksForGeeks functions of TransCoder): a copy of `f_gold` takes the place of the mark, and
//!   is rewritten;
//! - `accepted` and `tests` with `stdin` (Codeflaws), or `code` and `cases`;
//! - `code` and `task` where the file `tests.jsonl.gz` beside the data set has the tests of each task (IntroClass);
//! - `correct` and `lang` (ConDefects), or any field that `allotrope transform` recognises: without cases, to be compiled.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use syntax::{Kind, Language, Program};
use transformation::equivalence::Case;

use crate::data::{DataError, Format, RECOGNISED, jsonl};

/// A program with what it is run on.
#[derive(Clone, Debug)]
pub struct Task {
    /// Where it comes from.
    pub id: String,
    /// The language.
    pub language: Language,
    /// The program.
    pub text: Vec<u8>,
    /// The part that is rewritten; the whole, when there is none.
    pub focus: Option<Range<usize>>,
    /// What it is run on. Without any, it is only compiled.
    pub cases: Vec<Case>,
}

/// The tasks of one folder or file.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    /// The programs.
    pub tasks: Vec<Task>,
    /// Files that programs include: the name and the text.
    pub beside: Vec<(String, String)>,
    /// How many rows or files were left out, by the reason.
    pub left_out: BTreeMap<String, usize>,
}

/// Why tasks could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// A data set cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file with cases is not what it should be.
    #[error("{} holds no cases: {problem}", path.display())]
    NoCases {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the tasks of a program, a folder of programs, or a data set of JSON lines. `language` is that of rows that do not tell.
pub fn read(path: &Path, language: Option<Language>) -> Result<Tasks, TasksError> {
    let mut tasks = Tasks::default();
    if path.is_dir() {
        read_folder(path, path, &mut tasks)?;
    } else if Format::of(path) == Some(Format::Jsonl) {
        read_rows(path, language, &mut tasks)?;
    } else {
        read_program(path, path, language, &mut tasks)?;
    }
    Ok(tasks)
}

fn read_folder(root: &Path, folder: &Path, tasks: &mut Tasks) -> Result<(), TasksError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_folder(root, &path, tasks)?;
        } else if Language::from_path(&path).is_some() {
            read_program(root, &path, None, tasks)?;
        }
    }
    Ok(())
}

fn read_program(root: &Path, path: &Path, language: Option<Language>, tasks: &mut Tasks) -> Result<(), TasksError> {
    let Some(language) = language.or_else(|| Language::from_path(path)) else {
        *tasks.left_out.entry("its ending tells no language".to_owned()).or_default() += 1;
        return Ok(());
    };
    let text = std::fs::read(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
    let id = path.strip_prefix(root).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(path);
    tasks.tasks.push(Task { id: id.display().to_string(), language, text, focus: None, cases: cases_beside(path)? });
    Ok(())
}

/// The cases of a file with a program.
pub fn cases_beside(program: &Path) -> Result<Vec<Case>, TasksError> {
    case_file(program).map_or(Ok(Vec::new()), |path| cases_of(&path))
}

/// The file that has the cases of a program, where there is one.
pub(crate) fn case_file(program: &Path) -> Option<PathBuf> {
    let shared = program.ancestors().skip(1).take(2).map(|folder| folder.join("problem.json"));
    [program.with_extension("json")].into_iter().chain(shared).find(|path| path.is_file())
}

/// The cases of a file: a list of them, or an object with the field `cases`.
pub fn cases_of(path: &Path) -> Result<Vec<Case>, TasksError> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum File {
        List(Vec<Given>),
        Object { cases: Vec<Given> },
    }
    let text =
        std::fs::read_to_string(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
    let no_cases = |error: serde_json::Error| TasksError::NoCases { path: path.to_owned(), problem: error.to_string() };
    let given = match serde_json::from_str(&text).map_err(no_cases)? {
        File::List(cases) | File::Object { cases } => cases,
    };
    Ok(given.into_iter().map(Case::from).collect())
}

/// A case as files have it; what else is said about it, such as the output, is not needed to compare two programs.
#[derive(Deserialize)]
struct Given {
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default, alias = "stdin")]
    input: String,
}

impl From<Given> for Case {
    fn from(given: Given) -> Case {
        Case { arguments: given.arguments, input: given.input }
    }
}

fn read_rows(path: &Path, language: Option<Language>, tasks: &mut Tasks) -> Result<(), TasksError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let tests = tests_beside(path)?;
    let support = folder.join("support.jsonl.gz");
    if support.is_file() {
        for row in rows(&support)? {
            tasks.beside.extend(text_of(&row, "file").zip(text_of(&row, "code")));
        }
    }
    // The name of the file tells the language where rows do not: `java.jsonl.gz`.
    let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let language = language.or_else(|| stem.and_then(|stem| stem.parse().ok()));
    for (index, row) in rows(path)?.into_iter().enumerate() {
        let id = format!("{}:{}", path.display(), index + 1);
        match task_of(&row, id, language, &tests) {
            Ok(task) => tasks.tasks.push(task),
            Err(reason) => *tasks.left_out.entry(reason.to_owned()).or_default() += 1,
        }
    }
    Ok(())
}

fn rows(path: &Path) -> Result<Vec<Value>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
    let mut text = String::new();
    jsonl::open(path)?.read_to_string(&mut text).map_err(unreadable)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| DataError::NotTheFormat {
                path: path.to_owned(),
                format: "JSON lines",
                problem: format!("line {}: {error}", index + 1),
            })
        })
        .collect()
}

/// The tests of each task, in a file beside a data set.
pub(crate) fn tests_beside(path: &Path) -> Result<HashMap<String, Vec<Case>>, DataError> {
    let mut tests: HashMap<String, Vec<Case>> = HashMap::new();
    let file = path.with_file_name("tests.jsonl.gz");
    if file.is_file() {
        for row in rows(&file)? {
            if let (Some(task), Some(input)) = (text_of(&row, "task"), text_of(&row, "stdin")) {
                tests.entry(task).or_default().push(Case { arguments: Vec::new(), input });
            }
        }
    }
    Ok(tests)
}

/// What the program of a row is run on: its own cases, and those of its task.
pub(crate) fn cases_of_row(row: &Map<String, Value>, tests: &HashMap<String, Vec<Case>>) -> Vec<Case> {
    let cases = row.get("tests").or_else(|| row.get("cases"));
    let cases: Vec<Given> = cases.and_then(|cases| Vec::deserialize(cases).ok()).unwrap_or_default();
    let shared = row.get("task").and_then(Value::as_str).and_then(|task| tests.get(task));
    cases.into_iter().map(Case::from).chain(shared.into_iter().flatten().cloned()).collect()
}

fn text_of(row: &Value, field: &str) -> Option<String> {
    row.get(field)?.as_str().map(str::to_owned)
}

fn task_of(
    row: &Value,
    id: String,
    language: Option<Language>,
    tests: &HashMap<String, Vec<Case>>,
) -> Result<Task, &'static str> {
    let named = text_of(row, "language").or_else(|| text_of(row, "lang"));
    let language = match named {
        Some(name) => name.parse().map_err(|_| "its language is none of ours")?,
        None => language.unwrap_or(Language::C),
    };
    let task = |text: String, focus, cases| Task { id, language, text: text.into_bytes(), focus, cases };
    let field = |name| text_of(row, name);
    if let (Some(prompt), Some(solution), Some(test)) = (field("prompt"), field("canonical_solution"), field("test")) {
        let entry_point = field("entry_point").unwrap_or_default();
        let program = [prompt, solution].concat();
        let focus = Some(0..program.len());
        return Ok(task(with_test(language, &program, &test, &entry_point), focus, vec![Case::default()]));
    }
    if let Some(code) = field("code").filter(|code| code.contains("TOFILL")) {
        let (text, focus) = filled(language, &code).ok_or("its function was not found")?;
        return Ok(task(text, Some(focus), vec![Case::default()]));
    }
    let cases = row.as_object().map(|row| cases_of_row(row, tests)).unwrap_or_default();
    let recognised = ["accepted", "correct"].into_iter().chain(RECOGNISED.into_iter().map(|fields| fields[0]));
    let text = recognised.into_iter().find_map(field).ok_or("it has no program")?;
    Ok(task(text, None, cases))
}

/// A program with the test that comes with it.
fn with_test(language: Language, program: &str, test: &str, entry_point: &str) -> String {
    match language {
        Language::Python => format!("{program}{test}\ncheck({entry_point})\n"),
        // The only thing that the tests want of the library is a comparison, which node has, too.
        Language::JavaScript => {
            let test = test.replace("require(\"lodash\")", "{ isEqual: require(\"util\").isDeepStrictEqual }");
            format!("{program}{test}")
        }
        _ => format!("{program}{test}"),
    }
}

/// Puts a copy of the function `f_gold`, called `f_filled`, at the mark, and says where it is.
fn filled(language: Language, code: &str) -> Option<(String, Range<usize>)> {
    let program = Program::parse(language, code);
    let name = program.nodes().find(|node| node.kind() == Kind::Identifier && node.text() == "f_gold")?;
    let function = name.ancestors().find(|node| syntax::flow::is_function(node.kind()))?;
    let copy = function.text().replace("f_gold", "f_filled");
    let mark = if language == Language::Python { "#TOFILL" } else { "//TOFILL" };
    let at = code.find(mark)?;
    // A package that is not part of Java any more, and that nothing uses.
    let [before, after] =
        [&code[..at], &code[at + mark.len()..]].map(|part| part.replace("import javafx.util.Pair;", ""));
    let focus = before.len()..before.len() + copy.len();
    Some(([before, copy, after].concat(), focus))
}
