//! Data sets of every layout: tiny ones written here, and the real ones where they are at hand.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use campaign::data::DataError;
use campaign::examples::survey::survey;
use campaign::examples::{Columns, LanguageSource, Question, Request};
use campaign::{Examples, Task, Truth};
use model::Input;
use syntax::Language;

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("allotrope-examples-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn write_compressed(&self, name: &str, content: &str) -> PathBuf {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content.as_bytes()).unwrap();
        self.write(name, encoder.finish().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn at(path: impl Into<PathBuf>) -> Request {
    Request { path: path.into(), ..Request::default() }
}

#[track_caller]
fn read(request: Request) -> Examples {
    Examples::read(&request).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(request: Request, words: &[&str]) -> DataError {
    let error = Examples::read(&request).map(|_| ()).expect_err("it was read");
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    error
}

#[track_caller]
fn check(examples: &Examples, layout: &str, task: Task, ids: &[&str], truths: &[Truth]) {
    assert_eq!((examples.layout.name, examples.task), (layout, task));
    assert_eq!(examples.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ids);
    assert_eq!(examples.items.iter().map(|item| item.truth.clone()).collect::<Vec<_>>(), truths);
}

fn classes(numbers: &[usize]) -> Vec<Truth> {
    numbers.iter().map(|class| Truth::Class(*class)).collect()
}

#[test]
fn devign_with_broken_rows_and_substitutes() {
    let folder = Folder::new("devign");
    let rows = "{\"idx\": 3, \"target\": 0, \"func\": \"int f(void) { return 0; }\", \"commit_id\": \"ab\"}\n\
                no json\n\
                \n\
                {\"idx\": 4, \"target\": 1.0, \"func\": \"int g(char *p) { return *p; }\"}\n\
                {\"idx\": 5, \"target\": \"maybe\", \"func\": \"int h;\"}\n\
                {\"idx\": 6, \"target\": 1}\n\
                {\"idx\": 7, \"target\": 1, \"func\": 7}\n\
                {\"idx\": 8, \"target\": [1], \"func\": \"int h;\"}\n";
    folder.write_compressed("test.jsonl.gz", rows);
    folder.write("alert_substitutes_test.jsonl", "{\"idx\": 4, \"substitutes\": {\"p\": [\"pointer\", \"q\"]}}\n");
    let examples = read(at(&folder.0));
    check(&examples, "devign", Task::Vulnerability, &["3", "4"], &classes(&[0, 1]));
    assert_eq!(examples.labels, ["safe", "vulnerable"]);
    assert_eq!(examples.items[0].group.as_deref(), Some("ab"));
    assert_eq!((examples.rows, examples.broken.rows), (8, 6));
    assert_eq!(examples.broken.first.len(), 5);
    assert!(examples.broken.first[0].starts_with("line 2: the line is not a JSON object: "), "{:?}", examples.broken);
    assert_eq!(examples.broken.reasons["the label is not one of safe, vulnerable"], 1);
    assert_eq!(examples.broken.reasons["there is no field `func`"], 1);
    assert!(matches!(examples.language, LanguageSource::Recognised(_)));
    assert_eq!(examples.substitutes(&examples.items[0]), None);
    assert_eq!(examples.substitutes(&examples.items[1]).unwrap()["p"], ["pointer", "q"]);
    let Input::Code(code) = examples.input(&examples.items[1]) else { panic!("it is one program") };
    assert_eq!((code.language, code.text.as_str()), (Language::C, "int g(char *p) { return *p; }"));
    let swapped = read(Request { labels: vec!["vulnerable".to_owned(), "safe".to_owned()], ..at(&folder.0) });
    check(&swapped, "devign", Task::Vulnerability, &["3", "4"], &classes(&[1, 0]));
    folder.write("else.jsonl", "{\"idx\": 77, \"substitutes\": {}}\n");
    let elsewhere = Some(folder.0.join("else.jsonl"));
    let path = folder.0.join("test.jsonl.gz");
    refused(Request { substitutes: elsewhere, ..at(path) }, &["not one of its substitutes", "idx"]);
}

#[test]
fn clone_pairs_join_a_table() {
    let folder = Folder::new("pairs");
    folder.write_compressed(
        "functions.jsonl.gz",
        "{\"idx\": \"10\", \"func\": \"int f(int n) { return this.n; }\"}\n{\"idx\": 11, \"func\": \"boolean g() { return true; }\"}\nx\n",
    );
    folder.write("test.txt", "10\t11\t0\n11 10 1\n10\t99\t1\n10 11\n10 11 2\n10 10 1\n");
    folder.write_compressed("train.txt.gz", "11\t11\t1\n");
    folder.write("SOURCE.txt", "About this data set.\n");
    let examples = read(at(&folder.0));
    check(&examples, "clone-pairs", Task::Clone, &["10-11", "11-10", "10-10"], &classes(&[0, 1, 1]));
    assert_eq!(examples.programs.len(), 2, "a function is held once");
    assert_eq!((examples.rows, examples.broken.rows), (6, 3));
    assert_eq!(examples.broken.reasons["a function is not in the table"], 1);
    assert!(
        examples.notes.iter().any(|note| note.contains("1 functions") && note.contains("99")),
        "{:?}",
        examples.notes
    );
    assert!(examples.notes.iter().any(|note| note.contains("line 3")), "{:?}", examples.notes);
    assert_eq!(examples.items[1].question, Question::Pair(1, 0));
    let found = survey(&examples, &|| ());
    assert_eq!((found.shared.unwrap().programs, found.shared.unwrap().most, found.same_twice), (2, 3, 1));
    let train = read(Request { split: Some("train".to_owned()), ..at(&folder.0) });
    assert_eq!((train.items.len(), train.programs.len()), (1, 1));
    assert_eq!(read(at(folder.0.join("train.txt.gz"))).items.len(), 1);
    refused(Request { split: Some("dev".to_owned()), ..at(&folder.0) }, &["no split `dev`", "test, train"]);
    fs::remove_file(folder.0.join("functions.jsonl.gz")).unwrap();
    refused(at(folder.0.join("test.txt")), &["no table of functions", "functions.jsonl"]);
}

#[test]
fn texts_names_and_questions() {
    let folder = Folder::new("texts");
    let path = folder.write(
        "a.jsonl",
        "{\"repo\": \"a/b\", \"func_name\": \"C.f\", \"code\": \"def f(n):\\n    return n\", \"code_tokens\": [\"def\"], \"docstring\": \"x\", \"docstring_tokens\": [\"Does\", \"f\", \".\"], \"language\": \"python\"}\n\
         {\"code_tokens\": [\"def\", \"f\", \"(\", \")\", \":\", \"pass\"], \"docstring\": \"Does g.\", \"language\": \"python\"}\n\
         {\"code\": \"x\", \"docstring\": \"Does go.\", \"language\": \"go\"}\n",
    );
    let text = |text: &str| Truth::Text(text.to_owned());
    let examples = read(at(&path));
    check(&examples, "code-to-text", Task::Captioning, &["0", "1"], &[text("Does f ."), text("Does g.")]);
    assert_eq!(examples.programs[1].code.text, "def f ( ) : pass");
    assert_eq!(examples.broken.first, ["line 3: its language is not supported: `go`"]);
    let named = read(Request { task: Some(Task::MethodName), ..at(&path) });
    check(&named, "code-to-text", Task::MethodName, &["0"], &[Truth::Name("f".to_owned())]);
    refused(Request { task: Some(Task::Clone), ..at(&path) }, &["no truth for the task clone", "captioning"]);

    let path = folder.write("b.jsonl", "{\"name\": \"size\", \"doc\": \"The size.\", \"code\": \"int size() { return this.n; }\", \"path\": \"A.java\"}\n");
    check(&read(at(&path)), "method-names", Task::MethodName, &["0"], &[Truth::Name("size".to_owned())]);
    let search = read(Request { task: Some(Task::CodeSearch), ..at(&path) });
    check(&search, "method-names", Task::CodeSearch, &["0"], &classes(&[1]));

    let rows = "[{\"idx\": \"q-0\", \"doc\": \"how to f\", \"code\": \"def f(): pass\", \"docstring_tokens\": \"f\", \"label\": 0},\n {\"idx\": \"q-1\", \"doc\": \"how to g\", \"code\": \"def g(): pass\", \"label\": 1}, 7]";
    let examples = read(at(folder.write("cosqa-dev.json", rows)));
    check(&examples, "code-search", Task::CodeSearch, &["q-0", "q-1"], &classes(&[0, 1]));
    assert_eq!(examples.broken.rows, 1);
    assert!(matches!(examples.input(&examples.items[0]), Input::CodeAndText(_, text) if text == "how to f"));
}

#[test]
fn defects_and_vulnerabilities() {
    let folder = Folder::new("defects");
    let path = folder.write("a.jsonl", "{\"id\": \"1-A\", \"problem\": \"A\", \"buggy\": \"int main() { return 1; }\", \"accepted\": \"int main() { return 0; }\", \"tests\": []}\n{\"id\": \"2\", \"buggy\": \"int x;\"}\n");
    let examples = read(at(&path));
    check(&examples, "defect-pairs", Task::Defect, &["1-A#buggy", "1-A#accepted"], &classes(&[1, 0]));
    assert_eq!((examples.items[1].group.as_deref(), examples.broken.rows), (Some("A"), 1));

    let path = folder.write("b.jsonl", "{\"lang\": \"py\", \"task\": \"t\", \"faulty\": \"x = 1\", \"correct\": \"x = 2\"}\n{\"lang\": \"java\", \"task\": \"t\", \"faulty\": \"class A { }\", \"correct\": \"class B { }\"}\n");
    let examples = read(at(&path));
    check(
        &examples,
        "defect-pairs",
        Task::Defect,
        &["0#faulty", "0#correct", "1#faulty", "1#correct"],
        &classes(&[1, 0, 1, 0]),
    );
    assert_eq!(examples.language, LanguageSource::Told);
    assert_eq!(examples.languages().into_iter().collect::<Vec<_>>(), [(Language::Java, 2), (Language::Python, 2)]);

    let code = "#ifndef OMITBAD\\nvoid bad() { }\\n#endif\\n#ifndef OMITGOOD\\nvoid good() { }\\n#endif\\n";
    let path = folder.write("c.jsonl", format!("{{\"cwe\": 121, \"category\": \"c\", \"file\": \"a.c\", \"code\": \"{code}\"}}\n{{\"cwe\": 1, \"file\": \"b.c\", \"code\": \"int x;\"}}\n"));
    let examples = read(at(&path));
    check(&examples, "juliet", Task::Vulnerability, &["0#bad", "0#good"], &classes(&[1, 0]));
    assert_eq!(examples.programs[0].code.text, "void bad() { }\n");
    assert_eq!(examples.programs[1].code.text, "void good() { }\n");
    assert_eq!(examples.broken.rows, 1);

    let path = folder.write("d.jsonl", "{\"name\": \"T1\", \"category\": \"sqli\", \"vulnerable\": true, \"cwe\": 89, \"code\": \"class T1 { }\"}\n{\"name\": \"T2\", \"vulnerable\": false, \"code\": \"class T2 { }\"}\n");
    check(&read(at(&path)), "owasp", Task::Vulnerability, &["0", "1"], &classes(&[1, 0]));

    let path = folder.write("e.jsonl", "{\"task\": \"sum\", \"student\": \"s\", \"fail\": [\"b/1\"], \"code\": \"int main() { return 1; }\"}\n{\"task\": \"max\", \"student\": \"s\", \"fail\": [], \"code\": \"int main() { return 0; }\"}\n");
    check(&read(at(&path)), "introclass", Task::Defect, &["0", "1"], &classes(&[1, 0]));
    let examples = read(Request { task: Some(Task::Functionality), ..at(&path) });
    check(&examples, "introclass", Task::Functionality, &["0", "1"], &classes(&[1, 0]));
    assert_eq!(examples.labels, ["max", "sum"]);
}

#[test]
fn classes_of_problems_and_authors() {
    let folder = Folder::new("classes");
    let path = folder.write("a.jsonl", "{\"label\": \"2\", \"index\": \"0\", \"code\": \"int main() { cout << 1; }\"}\n{\"label\": 1, \"index\": \"0\", \"code\": \"int main() { cin >> n; }\"}\n");
    let examples = read(at(&path));
    check(&examples, "poj", Task::Functionality, &["0", "0~2"], &classes(&[1, 0]));
    assert_eq!(examples.labels, ["1", "2"]);
    assert_eq!(examples.programs[0].code.language, Language::Cpp);
    let chosen = read(Request { labels: vec!["2".to_owned()], ..at(&path) });
    check(&chosen, "poj", Task::Functionality, &["0"], &classes(&[0]));
    assert_eq!(chosen.broken.first, ["line 2: the label is not one of 2: `1`"]);

    let path = folder.write("b.jsonl", "{\"author\": \"bob\", \"problem\": \"p\", \"code\": \"print(1)\"}\n{\"author\": \"anne\", \"problem\": \"p\", \"code\": \"print(2)\"}\n");
    check(&read(at(&path)), "authorship", Task::Authorship, &["0", "1"], &classes(&[1, 0]));

    let lines = "def f(n):\\n      print \"%d\\n\" % n\\n  f(1)\\n <CODESPLIT> 1\nx = 1 <CODESPLIT> 0\nno mark\n <CODESPLIT> 3\n";
    let path = folder.write("gcj/valid.txt", lines);
    folder.write("gcj/valid_subs.jsonl", "{\"code\": \"\", \"substitutes\": {\"n\": [\"k\"]}}\n");
    let examples = read(Request { substitutes: Some(folder.0.join("gcj/valid_subs.jsonl")), ..at(&path) });
    check(&examples, "codesplit", Task::Authorship, &["0", "1"], &classes(&[1, 0]));
    assert_eq!(examples.programs[0].code.text, "def f(n):\n    print \"%d\\n\" % n\nf(1)\n");
    assert_eq!(examples.broken.rows, 2);
    assert!(examples.substitutes(&examples.items[0]).unwrap().contains_key("n"));

    let path = folder.write("c.csv", "id,code1,code2,label\n7,int f;,int g;,0\n8,int f;,,1\n");
    let examples = read(Request { language: Some(Language::C), ..at(&path) });
    check(&examples, "pair-rows", Task::Clone, &["7"], &classes(&[0]));
    assert_eq!(examples.broken.first, ["row 2: the field `code2` is empty"]);
}

#[test]
fn programs_without_labels() {
    let folder = Folder::new("bare");
    let path = folder.write("java.jsonl", "{\"name\": \"ADD\", \"code\": \"class ADD { //TOFILL\\n}\"}\n");
    let examples = read(at(&path));
    check(&examples, "geeks", Task::Unlabelled, &["0"], &[Truth::Unknown]);
    assert_eq!(examples.language, LanguageSource::FileName);
    let path = folder.write("b.jsonl", "{\"file\": \"a/b.py\", \"code\": \"x = 1\"}\n");
    check(&read(at(&path)), "files", Task::Unlabelled, &["0"], &[Truth::Unknown]);
    let path = folder.write("c.jsonl", "{\"task_id\": \"T/1\", \"prompt\": \"def f():\\n\", \"canonical_solution\": \"    pass\\n\", \"description\": \"Write f.\", \"language\": \"python\"}\n");
    check(&read(at(&path)), "mbxp", Task::Unlabelled, &["0"], &[Truth::Unknown]);
    let caption = read(Request { task: Some(Task::Captioning), ..at(&path) });
    check(&caption, "mbxp", Task::Captioning, &["0"], &[Truth::Text("Write f.".to_owned())]);
    folder.write("plain/a.py", "x = 1\n");
    check(&read(at(folder.0.join("plain"))), "folder", Task::Unlabelled, &["a.py"], &[Truth::Unknown]);
}

#[test]
fn folders_are_labels() {
    let folder = Folder::new("folder");
    folder.write("ProgramData/1/0.txt", "int main() { return 0; }");
    folder.write("ProgramData/2/0.txt", b"int main() { /* gr\xfc\xdfe */ return 0; }");
    folder.write("ProgramData/2/1.txt", " ");
    let examples = read(at(folder.0.join("ProgramData")));
    check(&examples, "folder", Task::Functionality, &["1/0.txt", "2/0.txt"], &classes(&[0, 1]));
    assert!(examples.programs[1].code.text.contains("grüße"));
    assert_eq!(examples.broken.first, ["2/1.txt: it is empty"]);
    for (name, split) in [("anne/old/a.py", "test"), ("bob/b.py", "test"), ("bob/c.py", "train")] {
        folder.write(&format!("authors/{split}/{name}"), "x = 1\n");
    }
    folder.write("authors/test/notes.txt", "none\n");
    let request = || Request { task: Some(Task::Authorship), ..at(folder.0.join("authors")) };
    let examples = read(request());
    check(&examples, "folder", Task::Authorship, &["anne/old/a.py", "bob/b.py"], &classes(&[0, 1]));
    assert_eq!(examples.labels, ["anne", "bob"]);
    assert_eq!(read(Request { split: Some("train".to_owned()), ..request() }).items.len(), 1);
    folder.write("empty/notes.md", "none\n");
    refused(at(folder.0.join("empty")), &["no programs and no tables"]);
}

#[test]
fn fields_are_named() {
    let folder = Folder::new("columns");
    let path = folder
        .write("a.csv", "source,answer,about\n\"int f(void) { return 0; }\",bad,the zero\nint g;,good,a global\n");
    let columns = |code: &str, code2: Option<&str>, label: Option<&str>, text: Option<&str>| Columns {
        code: Some(code.to_owned()),
        code2: code2.map(str::to_owned),
        label: label.map(str::to_owned),
        text: text.map(str::to_owned),
    };
    let labelled = Request {
        columns: columns("source", None, Some("answer"), None),
        task: Some(Task::Vulnerability),
        labels: vec!["good".to_owned(), "bad".to_owned()],
        ..at(&path)
    };
    check(&read(labelled.clone()), "columns", Task::Vulnerability, &["0", "1"], &classes(&[1, 0]));
    refused(Request { task: None, ..labelled.clone() }, &["--label", "--task"]);
    refused(
        Request { labels: Vec::new(), ..labelled.clone() },
        &["none of its 2 rows", "the label is not one of safe, vulnerable: `bad`"],
    );
    refused(Request { task: Some(Task::Clone), ..labelled.clone() }, &["--code2", "clone"]);
    let wrong = refused(
        Request { columns: columns("sauce", None, Some("answer"), None), ..labelled.clone() },
        &["`sauce`", "about, answer, source"],
    );
    assert!(matches!(wrong, DataError::NoField { .. }));
    let captions = read(Request { columns: columns("source", None, None, Some("about")), ..at(&path) });
    check(
        &captions,
        "columns",
        Task::Captioning,
        &["0", "1"],
        &[Truth::Text("the zero".to_owned()), Truth::Text("a global".to_owned())],
    );
    let pairs = read(Request {
        columns: columns("source", Some("source"), Some("answer"), None),
        labels: vec!["good".to_owned(), "bad".to_owned()],
        ..at(&path)
    });
    assert_eq!((pairs.task, pairs.items.len()), (Task::Clone, 2));
    refused(at(&path), &["the layout of", "about, answer, source", "--code"]);
}

#[test]
fn what_is_no_data_set_is_told() {
    let folder = Folder::new("bad");
    refused(at(folder.0.join("nowhere.jsonl")), &["failed to read", "nowhere.jsonl"]);
    refused(at(folder.write("empty.jsonl", "")), &["it is empty"]);
    refused(at(folder.write("empty.csv", "")), &["it is empty"]);
    refused(at(folder.write("empty.txt", "")), &["does not have the extension of a data set"]);
    refused(at(folder.write("a.zip", "PK")), &["does not have the extension of a data set", ".jsonl"]);
    refused(at(folder.write("noise.jsonl", [0xff, 0xfe, b'\n', 0x00])), &["not one row can be read", "not UTF-8"]);
    refused(at(folder.write("a.jsonl.gz", "not compressed")), &["failed to read", "a.jsonl.gz"]);
    refused(at(folder.write("a.json", "[1, 2")), &["is not a JSON file"]);
    refused(at(folder.write("list.json", "[1, 2]")), &["it is not a JSON object"]);
    let path = folder.write("ok.jsonl", "{\"func\": \"§§§ ((\", \"target\": 1}\n");
    refused(at(&path), &["the language of", "--language"]);
    refused(Request { layout: Some("nonsense".to_owned()), ..at(&path) }, &["no layout `nonsense`", "devign"]);
    refused(Request { layout: Some("owasp".to_owned()), ..at(&path) }, &["none of its 1 rows could be read as owasp"]);
    refused(Request { split: Some("test".to_owned()), ..at(&path) }, &["it is a file"]);
    if cfg!(not(feature = "parquet")) {
        refused(at(folder.write("a.parquet", "PAR1")), &["--features parquet"]);
    }
}

#[test]
fn samples_are_drawn_by_the_seed() {
    let folder = Folder::new("sample");
    let rows: String =
        (0..200).map(|row| format!("{{\"label\": {}, \"id\": {row}, \"code\": \"x = {row}\"}}\n", row % 5)).collect();
    let path = folder.write("a.jsonl", rows);
    let ids = |request: Request| read(request).items.into_iter().map(|item| item.id).collect::<Vec<_>>();
    let sample = |seed| Request { sample: Some(20), seed, ..at(&path) };
    let drawn = ids(sample(1));
    assert_eq!((drawn.len(), &drawn), (20, &ids(sample(1))));
    assert_ne!(drawn, ids(sample(2)));
    assert!(drawn.iter().map(|id| id.parse::<usize>().unwrap()).is_sorted(), "the order is that of the file");
    assert_eq!(ids(Request { limit: Some(3), ..at(&path) }), ["0", "1", "2"]);
    assert!(ids(Request { limit: Some(30), ..sample(1) }).iter().all(|id| id.parse::<usize>().unwrap() < 30));
    assert_eq!(ids(Request { sample: Some(999), ..at(&path) }).len(), 200);
    let few = read(Request { limit: Some(2), ..at(&path) });
    assert_eq!(
        (few.labels.len(), few.programs.len()),
        (5, 2),
        "labels are those of all rows, programs those of the chosen"
    );
}

#[test]
fn duplicates_and_contradictions_are_found() {
    let folder = Folder::new("duplicates");
    let row = |target: usize, func: &str| format!("{{\"func\": \"{func}\", \"target\": {target}}}\n");
    let rows = [
        row(0, "int f(void) { return 0; }"),
        row(0, "int f(void) { return 0; }"),
        row(1, "int f(void) { /* zero */ return 0;  }"),
        row(1, "int g;"),
        row(1, "int f( {"),
    ];
    let examples = read(at(folder.write("a.jsonl", rows.concat())));
    let found = survey(&examples, &|| ());
    assert_eq!((found.exact.groups, found.exact.members), (1, 2));
    assert_eq!((found.alike.groups, found.alike.members, found.alike.largest), (1, 3, 3));
    assert_eq!((found.contradicting.groups, found.contradicting.members), (1, 3));
    assert_eq!((found.broken, found.first_broken), (1, vec![4]));
    assert_eq!((found.tokens.least, found.lines.most), (3, 1));
}

#[test]
fn real_data_sets_have_their_rows_and_labels() {
    use Task::*;
    let Some(folder) = testbed::data() else { return };
    // Place, split, task, rows, examples, classes that have examples, examples of the last class.
    type Expected<'e> = (&'e str, Option<&'e str>, Option<Task>, usize, usize, usize, usize);
    let expected: [Expected; 25] = [
        ("devign", None, Some(Vulnerability), 2_732, 2_732, 2, 1_255),
        ("bigclonebench", Some("train"), Some(Clone), 90_082, 90_082, 2, 45_047),
        ("bigclonebench", Some("valid"), Some(Clone), 4_000, 4_000, 2, 2_000),
        ("bigclonebench", Some("test"), Some(Clone), 4_000, 4_000, 2, 2_000),
        ("poj104", None, Some(Functionality), 51_999, 51_999, 104, 500),
        ("c-programs", None, Some(Functionality), 1_510, 1_510, 16, 100),
        ("c-programs", Some("train"), Some(Clone), 240_160, 240_160, 2, 120_035),
        ("c-programs", Some("valid"), Some(Clone), 30_020, 30_020, 2, 14_949),
        ("c-programs", Some("test"), Some(Clone), 60_040, 60_040, 2, 30_065),
        ("gcj-python-authorship", Some("train"), None, 528, 528, 66, 8),
        ("gcj-python-authorship", Some("valid"), None, 132, 132, 66, 2),
        ("gcj2017-cpp", None, None, 1_632, 1_632, 204, 8),
        ("gcj2017-cpp", None, Some(Functionality), 1_632, 1_632, 8, 204),
        ("jdk17-methods", Some("train"), Some(MethodName), 12_000, 12_000, 0, 0),
        ("jdk17-methods", Some("valid"), Some(Captioning), 2_000, 2_000, 0, 0),
        ("jdk17-methods", Some("test"), Some(Documentation), 2_000, 2_000, 0, 0),
        ("cosqa-dev", None, Some(CodeSearch), 604, 604, 2, 313),
        ("juliet-c", None, Some(Vulnerability), 2_368, 4_736, 2, 2_368),
        ("owasp-benchmark", None, Some(Vulnerability), 2_740, 2_740, 2, 1_415),
        ("condefects", None, Some(Defect), 4_759, 9_518, 2, 4_759),
        ("codeflaws", None, Some(Defect), 4_047, 8_094, 2, 4_047),
        ("introclass", None, Some(Defect), 1_143, 1_143, 2, 998),
        ("mbxp", Some("java"), None, 874, 874, 0, 0),
        ("gfg-transcoder", Some("python"), None, 659, 659, 0, 0),
        ("the-algorithms", Some("javascript"), None, 418, 418, 0, 0),
    ];
    for (name, split, task, rows, count, classes, last) in expected {
        let request = Request { task, split: split.map(str::to_owned), ..at(folder.join(name)) };
        let examples = Examples::read(&request).unwrap_or_else(|error| panic!("{name}: {error}"));
        let counts = examples.label_counts();
        let found = (
            examples.rows,
            examples.items.len(),
            counts.iter().filter(|count| **count > 0).count(),
            counts.last().copied().unwrap_or(0),
        );
        assert_eq!(found, (rows, count, classes, last), "{name} {split:?} {:?}", examples.task);
        assert_eq!(examples.broken.rows, 0, "{name}: {:?}", examples.broken);
        assert!(task.is_none_or(|task| task == examples.task));
        let shape = examples.input(&examples.items[0]).shape();
        assert_eq!(shape == "a pair of programs", examples.task == Clone);
    }
}
