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

use equivalence::Case;
use serde::Deserialize;
use serde_json::{Map, Value};
use syntax::{Kind, Language, Program, file};

use crate::data::{DataError, Format, LANGUAGE_FIELDS, RECOGNISED, jsonl};
use crate::examples::language::language_of;

/// A program with what it is run on.
#[derive(Clone, Debug)]
pub struct Task {
    /// Where it comes from.
    pub id: String,
    pub language: Language,
    /// The program.
    pub text: Vec<u8>,
    /// The part that is rewritten; by default the whole.
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
#[non_exhaustive]
pub enum TasksError {
    /// A data set cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file with cases is not what it should be.
    #[error("{} holds no cases: {problem}", path.display())]
    NoCases { path: PathBuf, problem: String },
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
        } else if Language::from_path(&path).is_some() && path.is_file() {
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
    let text = file::read_up_to(path, file::LARGEST_TEXT)
        .map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
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
    let text = file::read_text(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
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
    let rows = rows(path)?;
    let untold: Vec<String> = rows.iter().filter(|row| named_language(row).is_none()).filter_map(program_of).collect();
    let texts: Vec<&str> = untold.iter().map(String::as_str).collect();
    let language = if texts.is_empty() { None } else { Some(language_of(path, language, &texts)?.0) };
    for (index, row) in rows.iter().enumerate() {
        let id = format!("{}:{}", path.display(), index + 1);
        match task_of(row, id, language, &tests) {
            Ok(task) => tasks.tasks.push(task),
            Err(reason) => *tasks.left_out.entry(reason.to_owned()).or_default() += 1,
        }
    }
    Ok(())
}

fn rows(path: &Path) -> Result<Vec<Value>, DataError> {
    let text = jsonl::read_whole_text(path)?;
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
    let program = program_of(row).ok_or("it has no program")?;
    let language = match named_language(row) {
        Some(name) => name.parse().map_err(|_| "its language is not supported")?,
        None => language.ok_or("its language is not known")?,
    };
    let task = |text: String, focus, cases| Task { id, language, text: text.into_bytes(), focus, cases };
    if let Some(test) = text_of(row, "test").filter(|_| solution_of(row).is_some()) {
        let entry_point = text_of(row, "entry_point").unwrap_or_default();
        let focus = Some(0..program.len());
        return Ok(task(with_test(language, &program, &test, &entry_point), focus, vec![Case::default()]));
    }
    if program.contains("TOFILL") {
        let (text, focus) = filled(language, &program).ok_or("its function was not found")?;
        return Ok(task(text, Some(focus), vec![Case::default()]));
    }
    let cases = row.as_object().map(|row| cases_of_row(row, tests)).unwrap_or_default();
    Ok(task(program, None, cases))
}

fn named_language(row: &Value) -> Option<String> {
    LANGUAGE_FIELDS.iter().find_map(|field| text_of(row, field))
}

/// The program of a row, without what it is tested with.
fn program_of(row: &Value) -> Option<String> {
    let recognised = ["accepted", "correct"].into_iter().chain(RECOGNISED.into_iter().map(|fields| fields[0]));
    solution_of(row).or_else(|| recognised.into_iter().find_map(|field| text_of(row, field)))
}

/// A task that is put and what solves it.
fn solution_of(row: &Value) -> Option<String> {
    Some([text_of(row, "prompt")?, text_of(row, "canonical_solution")?].concat())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `test` is the name of the test, and `name` that of the data set.
    fn read_lines(test: &str, name: &str, lines: &str, language: Option<Language>) -> Result<Tasks, TasksError> {
        let folder = std::env::temp_dir().join(format!("allotrope-tasks-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), lines).expect("a data set");
        let tasks = read(&folder.join(name), language);
        let _ = std::fs::remove_dir_all(folder);
        tasks
    }

    #[track_caller]
    fn check_languages(name: &str, lines: &str, given: Option<Language>, expected: &[Language]) {
        let tasks = read_lines("languages", name, lines, given).expect("tasks").tasks;
        assert_eq!(tasks.iter().map(|task| task.language).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_that_name_no_language_have_that_of_the_programs() {
        let java = r#"{"func": "public int f(int n) { return this.n + n; }"}"#;
        check_languages("functions.jsonl", java, None, &[Language::Java]);
        check_languages("functions.jsonl", java, Some(Language::Cpp), &[Language::Cpp]);
        check_languages("cpp.jsonl", java, None, &[Language::Cpp]);
        let mixed = "{\"code\": \"def f():\\n    pass\\n\"}\n{\"code\": \"int f();\", \"lang\": \"c\"}\n";
        check_languages("functions.jsonl", mixed, None, &[Language::Python, Language::C]);
    }

    #[test]
    fn programs_in_no_language_of_ours_are_an_error() {
        let problem = read_lines("lisp", "functions.jsonl", r#"{"code": "(defun f (x) x)"}"#, None).expect_err("Lisp");
        assert!(problem.to_string().contains("--language"), "{problem}");
    }

    #[test]
    fn rows_without_a_program_or_in_another_language_are_left_out() {
        let lines = "{\"code\": \"int f();\", \"lang\": \"go\"}\n{\"lang\": \"c\"}\n{\"code\": \"int f();\", \"lang\": \"c\"}\n";
        let tasks = read_lines("left-out", "functions.jsonl", lines, None).expect("tasks");
        assert_eq!(tasks.tasks.len(), 1);
        let left_out: Vec<(&str, usize)> = tasks.left_out.iter().map(|(why, count)| (why.as_str(), *count)).collect();
        assert_eq!(left_out, [("it has no program", 1), ("its language is not supported", 1)]);
    }

    #[test]
    fn a_solution_comes_with_its_test_and_only_the_solution_is_rewritten() {
        let row = r#"{"prompt": "def f():\n", "canonical_solution": "    return 1\n", "test": "def check(f):\n    assert f() == 1\n", "entry_point": "f"}"#;
        let task = read_lines("solution", "rows.jsonl", row, None).expect("tasks").tasks.remove(0);
        assert_eq!(&task.text[task.focus.expect("a part")], b"def f():\n    return 1\n");
        assert!(task.text.ends_with(b"check(f)\n"));
        assert_eq!(task.cases.len(), 1);
    }

    #[test]
    fn a_copy_of_the_function_takes_the_place_of_the_mark() {
        let row = r##"{"code": "def f_gold ( n ) :\n    return n\n\n#TOFILL\n\nprint ( f_filled ( 1 ) )\n"}"##;
        let task = read_lines("mark", "rows.jsonl", row, None).expect("tasks").tasks.remove(0);
        assert_eq!(&task.text[task.focus.expect("a part")], b"def f_filled ( n ) :\n    return n");
    }
}
