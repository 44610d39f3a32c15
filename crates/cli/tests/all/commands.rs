//! The commands as a user types them.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;

const JAVA: &str = "class A {\n    int f(int n) {\n        int sum = 0;\n        for (int i = 0; i < n; i++) {\n            sum += i;\n        }\n        if (sum > 3) {\n            return sum;\n        } else {\n            return n;\n        }\n    }\n}\n";
const PYTHON: &str = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    if total > 3:\n        return total\n    else:\n        return n\n";

/// A data set with enough rows for several chunks.
fn rows(count: usize) -> String {
    (0..count)
        .map(|row| {
            let code = serde_json::to_string(&JAVA.replace("sum", &format!("sum{row}"))).unwrap();
            format!("{{\"idx\": {row},  \"func\": {code}, \"target\": 1.0}}\n")
        })
        .collect()
}

#[test]
fn everything_is_listed_and_explained() {
    let folder = Folder::new("list");
    let listed = folder.run_well("list transformations --json");
    let names: Vec<String> = listed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.len() >= 55, "{}", names.len());
    for name in &names {
        let page = folder.run_well(&format!("explain {name}"));
        assert!(page.starts_with(&format!("# {name}\n")) && page.contains("->"), "{page}");
    }
    let table = folder.run_well("list transformations");
    assert!(names.iter().all(|name| table.contains(name.as_str())));
    assert!(folder.run_well("list transformations --group coda").contains("expand-compound"));
    assert!(folder.run_well("list names").contains("synonyms"));
    assert!(folder.run_well("list formats").contains("jsonl"));
    folder.run_badly("explain rename-locale", 2, &["rename-local"]);
    folder.run_badly("list wishes", 2, &["transformations"]);
}

#[test]
fn one_file_becomes_one_file() {
    let folder = Folder::new("file");
    folder.write("A.java", JAVA);
    let said = folder.run_well("transform A.java -o out/B.java --transform rename-local --order 2 --seed 3");
    assert!(said.contains("changed      1"), "{said}");
    let text = folder.read("out/B.java");
    assert!(text != JAVA && text.contains("class A"), "{text}");
    folder.run_well("transform A.java -o again/B.java --transform rename-local --order 2 --seed 3");
    assert_eq!(folder.read("again/B.java"), text);
    folder.run_well("transform A.java -o third/B.java --transform rename-local --order 2 --seed 4");
    assert_ne!(folder.read("third/B.java"), text);
    folder.run_well("transform --replay out/B.java.manifest.jsonl -o replayed.java");
    assert_eq!(folder.read("replayed.java"), text);
}

#[test]
fn a_folder_is_mirrored() {
    let folder = Folder::new("folder");
    folder.write("in/a/A.java", JAVA);
    folder.write("in/b.py", PYTHON);
    folder.write("in/a/notes.txt", "sum\n");
    folder.write("in/broken.c", "int f( {\n");
    folder.write("in/latin.c", b"int f(void) { int sum = 1; return sum; /* gr\xfc\xdfe */ }\n");
    let said = folder.run_well("transform in -o out --transform rename-local");
    assert!(said.contains("copied       1") && said.contains("broken.c"), "{said}");
    assert_eq!(folder.read("out/a/notes.txt"), "sum\n");
    assert_eq!(folder.read("out/broken.c"), "int f( {\n");
    assert_ne!(folder.read("out/a/A.java"), JAVA);
    assert_ne!(folder.read("out/b.py"), PYTHON);
    let latin = fs::read(folder.path("out/latin.c")).unwrap();
    assert!(latin.windows(5).any(|bytes| bytes == b"gr\xfc\xdfe") && !latin.windows(3).any(|bytes| bytes == b"sum"));
    let entries: Vec<serde_json::Value> =
        folder.read("out.manifest.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 5);
    assert!(entries.iter().any(|entry| entry["status"] == "broken-input"));
    let before = folder.read("out/a/A.java");
    fs::remove_dir_all(folder.path("out")).unwrap();
    folder.run_well("transform --replay out.manifest.jsonl");
    assert_eq!(folder.read("out/a/A.java"), before);
    assert_eq!(fs::read(folder.path("out/latin.c")).unwrap(), latin);
    assert_eq!(folder.read("out/a/notes.txt"), "sum\n");
}

#[test]
fn a_data_set_keeps_what_is_not_rewritten() {
    let folder = Folder::new("jsonl");
    folder.write("in.jsonl", rows(1300) + "no json\n{\"idx\": 5, \"other\": 1}\n{\"func\": \"int f( {\"}");
    folder.run_well("transform in.jsonl -o one.jsonl --language java --transform all --order 3 --threads 1 --seed 9");
    folder.run_well("transform in.jsonl -o two.jsonl --language java --transform all --order 3 --threads 4 --seed 9");
    let text = folder.read("one.jsonl");
    assert!(text == folder.read("two.jsonl"), "the bytes depend on the number of threads");
    assert_eq!(text.lines().count(), 1303);
    assert!(text.lines().take(1300).all(|line| line.starts_with("{\"idx\": ") && line.ends_with(", \"target\": 1.0}")));
    assert!(text.ends_with("no json\n{\"idx\": 5, \"other\": 1}\n{\"func\": \"int f( {\"}"));
    folder.run_well("transform --replay one.jsonl.manifest.jsonl -o three.jsonl");
    assert!(text == folder.read("three.jsonl"), "the replayed bytes differ");
}

#[test]
fn compressed_data_sets_variants_and_only_changed() {
    let folder = Folder::new("gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all((rows(3) + "{\"func\": \"class A { }\"}\n").as_bytes()).unwrap();
    folder.write("java.jsonl.gz", encoder.finish().unwrap());
    folder.run_well("transform java.jsonl.gz -o out.jsonl.gz --variants 2 --only-changed --transform rename-local");
    let read = |name: &str| {
        let mut text = String::new();
        flate2::read::GzDecoder::new(fs::File::open(folder.path(name)).unwrap()).read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!(read("out.jsonl.gz").lines().count(), 6);
    folder.run_well("transform --replay out.jsonl.gz.manifest.jsonl -o again.jsonl.gz");
    assert_eq!(read("again.jsonl.gz"), read("out.jsonl.gz"));
    folder.write("A.java", JAVA);
    folder.run_well("transform A.java -o many --variants 3 --transform rename-local");
    for variant in 1..=3 {
        assert_ne!(folder.read(&format!("many/variant-{variant}/A.java")), JAVA);
    }
}

#[test]
fn tables_of_values() {
    let folder = Folder::new("csv");
    let quoted = JAVA.replace('"', "\"\"");
    folder.write("in.csv", format!("id,code,label\n1,\"{quoted}\",\"yes\"\n2,nonsense (,no\n"));
    folder.run_well("transform in.csv -o out.csv --language java --transform rename-local");
    let text = folder.read("out.csv");
    assert!(text.starts_with("id,code,label\n1,\"class A") && text.ends_with("2,nonsense (,no\n"), "{text}");
    assert!(!text.contains("int sum"), "{text}");
    folder.run_well("transform --replay out.csv.manifest.jsonl -o again.csv");
    assert_eq!(folder.read("again.csv"), text);
    folder.run_badly("transform in.csv -o x.csv --language java --column cod", 2, &["`cod`", "id, code, label"]);
}

#[test]
fn scopes_spread_the_rewrites() {
    let folder = Folder::new("scopes");
    for name in ["A", "B", "C", "D"] {
        folder.write(&format!("in/{name}.java"), JAVA);
    }
    folder.write("in/empty.java", "class E { }\n");
    let steps = |scope: &str| {
        folder.run_well(&format!("transform in -o {scope} --scope {scope} --order 2 --transform rename-local --json"));
        let manifest = folder.read(&format!("{scope}.manifest.jsonl"));
        let entries: Vec<serde_json::Value> =
            manifest.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        entries.iter().map(|entry| entry["steps"].as_array().unwrap().len()).collect::<Vec<usize>>()
    };
    assert_eq!(steps("each-file"), [2, 2, 2, 2, 0]);
    assert_eq!(steps("each-function"), [2, 2, 2, 2, 0]);
    assert_eq!(steps("global").iter().sum::<usize>(), 2);
    assert_eq!(steps("per-file").iter().sum::<usize>(), 10);
    assert_eq!(steps("per-function").iter().sum::<usize>(), 8);
}

#[test]
fn a_configuration_of_lampions_is_accepted() {
    let folder = Folder::new("lampion");
    folder.write("in/A.java", JAVA.replace("int sum", "// the sum\n        int sum"));
    folder.write(
        "lampion.properties",
        "version=1.3\ninputDirectory=in\noutputDirectory=out\ntransformations=3\ntransformationscope=perClassEach\nseed=11\n\
         RenameVariableTransformer=true\nRenameVariableStringRandomness=full\nIfTrueTransformer=true\n\
         compilingTransformers=false\nremoveAllComments=true\n",
    );
    let output = folder.run("transform --lampion lampion.properties --json");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("compilingTransformers"));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["changed"], 1);
    assert!(!folder.read("out/A.java").contains("the sum"));
    let names: Vec<&String> = summary["transformations"].as_object().unwrap().keys().collect();
    assert!(
        names.iter().all(|name| ["rename-local", "if-true", "remove-comment"].contains(&name.as_str())),
        "{names:?}"
    );
}

#[test]
fn substitutes_and_references_give_names() {
    let folder = Folder::new("substitutes");
    folder.write("in.jsonl", rows(2));
    folder.write("subs.jsonl", "{\"idx\": 1, \"substitutes\": {\"sum1\": [\"class\", \"n\", \" weight\"]}}\n");
    folder.run_well(
        "transform in.jsonl -o out.jsonl --language java --transform rename-local --substitutes subs.jsonl --order 9",
    );
    let text = folder.read("out.jsonl");
    assert!(text.lines().nth(1).unwrap().contains("int weight"), "{text}");
    folder.write("words.txt", "velvet quartz");
    folder.write("A.java", JAVA);
    folder.run_well("transform A.java -o B.java --transform rename-local --reference words.txt --seed 2");
    let text = folder.read("B.java");
    assert!(text.contains("velvet") || text.contains("quartz"), "{text}");
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new("mistakes");
    folder.write("in/A.java", JAVA);
    folder.write("a.jsonl", "{\"text\": \"x\"}\n");
    folder.write("b.jsonl", rows(1));
    folder.run_badly("transform in -o out --transform rename-locals", 2, &["did you mean `rename-local`"]);
    folder.run_badly("transform in -o out --transform expand-compound:plus", 2, &["no rule `plus`", "add"]);
    folder.run_badly("transform in -o out --names nothing", 2, &["nothing", "pseudo"]);
    folder.run_badly("transform in -o in/out", 2, &["must not lie within"]);
    folder.run_badly("transform in -o in", 2, &["must not lie within"]);
    folder.run_badly("transform in/A.java -o in/A.java", 2, &["must not lie within"]);
    folder.run_badly("transform nowhere -o out", 3, &["no file or folder nowhere"]);
    folder.run_badly("transform in", 2, &["-o"]);
    folder.run_badly("transform a.jsonl -o out.jsonl --language java", 2, &["--column", "text"]);
    folder.run_badly("transform b.jsonl -o out.jsonl", 2, &["--language"]);
    folder.run_badly("transform b.jsonl -o out.jsonl --language cobol", 2, &["cobol"]);
    folder.run_badly("transform in -o out --scope everywhere", 2, &["per-function"]);
    folder.run_badly("transform --replay none.jsonl", 3, &["none.jsonl"]);
    folder.run_badly("transform in -o out --lampion none.properties", 3, &["none.properties"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_manifest_that_does_not_fit_is_refused() {
    let folder = Folder::new("misfit");
    folder.write("A.java", JAVA);
    folder.run_well("transform A.java -o B.java --transform rename-local");
    folder.write("A.java", "class A { }\n");
    folder.run_badly("transform --replay B.java.manifest.jsonl -o C.java", 3, &["A.java", "rename-local"]);
    assert!(!folder.path("C.java").exists());
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_a_manifest_of_whole_lines() {
    let folder = Folder::new("transform-full");
    let row = "{\"func\": \"int f(int a, int b) { while (a < b) { a += b; } return a; }\"}\n";
    folder.write("data.jsonl", row.repeat(40));
    // A limit on the size of files, here of 20 KiB, fails as a full disk does, once the signal is ignored.
    let script =
        "trap '' XFSZ; ulimit -f 20; exec \"$0\" transform data.jsonl -o out.jsonl --language c --order 5 --variants 3";
    let program = env!("CARGO_BIN_EXE_allotrope");
    let output = Command::new("bash").current_dir(&folder.0).args(["-c", script, program]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && told.contains("failed to write out.jsonl"), "{told}");
    assert!(!folder.path("out.jsonl").exists());
    let manifest = folder.read("out.jsonl.manifest.jsonl");
    assert!(manifest.len() > 5000 && manifest.ends_with('\n'), "{} bytes", manifest.len());
    for line in manifest.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn an_interrupted_run_leaves_complete_files() {
    let folder = Folder::new("interrupt");
    folder.write("in.jsonl", rows(30_000));
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args("transform in.jsonl -o out.jsonl --language java --order 5 --quiet".split(' '));
    let mut child = command.spawn().unwrap();
    // A busy machine may need long for the first rows.
    let written = || fs::metadata(folder.path("out.jsonl.manifest.jsonl")).is_ok_and(|data| data.len() > 0);
    let begin = std::time::Instant::now();
    while !written() {
        assert!(begin.elapsed().as_secs() < 60 && child.try_wait().unwrap().is_none(), "nothing was written");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "the run was over before it could be interrupted");
    let (text, manifest) = (folder.read("out.jsonl"), folder.read("out.jsonl.manifest.jsonl"));
    assert_eq!(text.lines().count(), manifest.lines().count());
    assert!(text.lines().chain(manifest.lines()).all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert!(!Path::new(&folder.path("out.jsonl.partial")).exists());
    folder.run_well("transform --replay out.jsonl.manifest.jsonl -o again.jsonl");
    assert!(folder.read("again.jsonl") == text);
}

#[test]
fn a_reader_that_has_seen_enough_ends_a_list_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_allotrope"))
        .args(["list", "transformations", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn verify_judges_a_pair() {
    let folder = Folder::new("verify-pair");
    folder.write("a.py", "def f(n):\n    return n + n\n\nprint(f(int(input())))\n");
    folder.write("b.py", "def f(count):\n    return count + count\n\nprint(f(int(input())))\n");
    folder.write("c.py", "def f(n):\n    return n * n\n\nprint(f(int(input())))\n");
    folder.write("cases.json", r#"[{"input": "2"}, {"input": "3"}]"#);
    let said = folder.run_well("verify a.py b.py --cases cases.json");
    assert_eq!(said.matches("holds").count(), 4, "{said}");
    let output = folder.run("verify a.py c.py --cases cases.json --json");
    assert_eq!(output.status.code(), Some(1));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["run"]["why"], r#"case 2: the output differs in line 1: "6", then "9""#);
    assert_eq!(said["compile"]["answer"], "holds");
    folder.write("a.js", "function f(n) { return n + n; }\n");
    folder.write("b.js", "function f(n) { return n * n; }\n");
    folder.run_well("verify a.js b.js --call f(2)");
    assert_eq!(folder.run("verify a.js b.js --call f(2) --call f(3)").status.code(), Some(1));
    // What was to be judged and cannot be on this machine is not well.
    folder.write("a.c", "int main(void) { return 0; }\n");
    folder.run_badly("verify a.c a.c --c-compiler no-such-compiler", 3, &["no-such-compiler", "--verdicts"]);
    folder.run_well("verify a.c a.c --c-compiler no-such-compiler --verdicts parse,scope");
    folder.run_badly("verify a.py", 2, &["name an original and a variant"]);
    folder.run_badly("verify a.py missing.py", 3, &["missing.py"]);
    folder.run_badly("verify a.py b.py --verdicts taste", 2, &["there is no verdict `taste`", "compile"]);
    folder.run_badly("verify a.py b.py --cases a.py", 3, &["a.py holds no cases"]);
}

#[test]
fn verify_judges_a_manifest_and_writes_the_verdicts() {
    let folder = Folder::new("verify-manifest");
    folder.write("in/a.py", "def f(n):\n    k = n + n\n    return k\n\nprint(f(int(input())))\n");
    folder.write("in/a.json", r#"{"cases": [{"input": "2"}]}"#);
    folder.run_well("transform in -o out --transform rename-local,if-true --order 2 --manifest m.jsonl");
    let said = folder.run_well("verify --manifest m.jsonl");
    assert!(said.contains("run      "), "{said}");
    let manifest = folder.read("m.jsonl");
    let entry: serde_json::Value =
        serde_json::from_str(manifest.lines().find(|line| line.contains("a.py")).unwrap()).unwrap();
    assert_eq!(entry["verdicts"], serde_json::json!({ "parse": true, "compile": true, "run": "same" }), "{manifest}");
    // The manifest can still be done again.
    folder.run_well("transform --replay m.jsonl");
}

#[test]
fn verify_hunts_in_a_folder_and_in_a_data_set() {
    let folder = Folder::new("verify-data");
    folder.write("programs/a.py", "for i in range(int(input())):\n    print(i)\n");
    folder.write("programs/a.json", r#"[{"input": "2"}]"#);
    let row = serde_json::json!({
        "language": "python", "prompt": "def f(n):\n", "canonical_solution": "    return n + 1\n",
        "test": "\ndef check(g):\n    assert g(1) == 2\n", "entry_point": "f",
    });
    folder.write("set.jsonl", format!("{row}\n{{\"language\": \"cobol\", \"code\": \"x\"}}\n"));
    let said = folder.run_well("verify --data programs --data set.jsonl --transform all --sites 1 --chains 1 --json");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["programs"], 2);
    assert!(said["all"]["same"].as_u64().unwrap() > 20, "{said}");
    assert_eq!(said["all"]["same"], said["all"]["variants"], "{said}");
    assert_eq!(said["left-out"]["its language is not supported"], 1);
    folder.run_badly("verify --data nowhere", 3, &["nowhere"]);
    folder.run_badly("verify --data programs --transform rename-lokal", 2, &["rename-local"]);
}

#[test]
fn a_hunt_goes_on_where_it_was_stopped() {
    let folder = Folder::new("verify-journal");
    for number in 0..4 {
        folder.write(
            &format!("programs/{number}.py"),
            format!("for i in range(int(input())):\n    print(i + {number})\n"),
        );
        folder.write(&format!("programs/{number}.json"), r#"[{"input": "2"}]"#);
    }
    let command =
        "verify --data programs --transform if-true,expand-increment,rename-local --sites 2 --chains 2 --json";
    let whole = folder.run_well(command);
    assert_eq!(folder.run_well(&format!("{command} --journal done.jsonl")), whole);
    let journal = folder.read("done.jsonl");
    assert_eq!(journal.lines().count(), 5, "{journal}");
    // Two programs are done, and the line of the third was being written.
    let cut = journal.match_indices('\n').nth(2).unwrap().0 + 20;
    folder.write("done.jsonl", &journal[..cut]);
    let output = folder.run(&format!("{command} --journal done.jsonl --threads 1"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), whole);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "2 of 4 programs were done before\n");
    let mut lines: Vec<String> = folder.read("done.jsonl").lines().map(str::to_owned).collect();
    let mut before: Vec<String> = journal.lines().map(str::to_owned).collect();
    lines.sort();
    before.sort();
    assert_eq!(lines, before);
    folder.run_badly(&format!("{command} --journal done.jsonl --seed 2"), 3, &["another hunt", "seed: 1, now 2"]);
    folder.write("programs/3.py", "print(input())\n");
    folder.run_badly(&format!("{command} --journal done.jsonl"), 3, &["another hunt", "programs: 4 with digest"]);
    folder.write("notes.txt", "what I have to do");
    folder.run_badly(&format!("{command} --journal notes.txt"), 3, &["notes.txt is not the journal"]);
    assert_eq!(folder.read("notes.txt"), "what I have to do");
    folder.run_badly("verify a.py b.py --journal done.jsonl", 2, &["--data"]);
    let other = std::fs::File::open(folder.path("done.jsonl")).unwrap();
    other.lock().unwrap();
    folder.run_badly(
        &format!("{command} --journal done.jsonl"),
        3,
        &["another program is writing the journal done.jsonl"],
    );
}

#[test]
fn data_shows_what_a_data_set_holds() {
    let folder = Folder::new("data");
    let code = serde_json::to_string("int f(void) {\n\treturn 0;\n}\n").unwrap();
    let row =
        |idx: usize, code: &str, target: usize| format!("{{\"idx\": {idx}, \"func\": {code}, \"target\": {target}}}\n");
    let rows = row(1, &code, 0) + &row(2, &code, 1) + &row(3, "\"int g( {\"", 1) + "no json\n";
    folder.write("set/test.jsonl", &rows);
    folder.write("set/alert_substitutes_test.jsonl", "{\"idx\": 1, \"substitutes\": {\"f\": [\"zero\"]}}\n");
    let said = folder.run_well("data set --show 1 --seed 2");
    for words in [
        "layout       devign",
        "task         vulnerability: is the program vulnerable?",
        "rows         4, 1 broken",
        "  line 4: the line is not a JSON object",
        "    1  vulnerable         2  66.7 %",
        "programs that do not parse         1 (33.3 %): 3",
        "… with contradicting labels        2 examples in 1 group",
        "programs with substitutes          1 (33.3 %)",
        "── example ",
    ] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    let json = |arguments: &str| serde_json::from_str::<serde_json::Value>(&folder.run_well(arguments)).unwrap();
    let found = json("data set/test.jsonl --json --show 2 --labels vulnerable,safe --language c");
    assert_eq!(
        (&found["examples"], &found["broken_rows"]["count"], &found["unparsed_programs"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(found["labels"][0], serde_json::json!({ "class": 0, "label": "vulnerable", "examples": 2 }));
    assert_eq!(found["contradicting"]["groups"], 1);
    assert_eq!(found["shown"].as_array().unwrap().len(), 2);
    assert_eq!(found["language_known"]["by"], "option");
    let one = folder.run_well("data set --threads 1 --json --show 3");
    assert_eq!(one, folder.run_well("data set --threads 4 --json --show 3"));
    assert_eq!(json("data set --sample 1 --json")["examples"], 1);
    assert_eq!(json("data set --limit 2 --json --label idx --task authorship")["labels"].as_array().unwrap().len(), 3);
    let listed = folder.run_well("list formats --json");
    assert!(listed.lines().any(|line| line.contains("\"layout\":\"clone-pairs\"")), "{listed}");
    assert!(folder.run_well("list formats").contains("method-names"));
}

#[test]
fn data_explains_mistakes() {
    let folder = Folder::new("data-mistakes");
    folder.write("a.jsonl", "{\"func\": \"int f;\", \"target\": 1}\n");
    folder.write("b.jsonl", "{\"x\": 1}\n");
    folder.write("empty.jsonl", "");
    folder.write("a.zip", "PK");
    folder.write("set/java.csv", "code,label\nint f;,1\n");
    folder.write("set/c.csv", "code,label\nint f;,1\n");
    folder.run_badly("data nowhere", 3, &["nowhere"]);
    folder.run_badly("data empty.jsonl", 3, &["it is empty"]);
    folder.run_badly("data a.zip", 3, &["a.zip", ".jsonl"]);
    folder.run_badly("data b.jsonl", 2, &["its fields are x", "--code"]);
    folder.run_badly("data a.jsonl --code fun", 2, &["`fun`", "func, target"]);
    folder.run_badly("data a.jsonl --label target", 2, &["--task"]);
    folder.run_badly("data a.jsonl --task clone", 2, &["no truth for the task clone"]);
    folder.run_badly("data a.jsonl --task spelling", 2, &["spelling", "method-name"]);
    folder.run_badly("data a.jsonl --layout nothing", 2, &["nothing", "devign"]);
    folder.run_badly("data a.jsonl --layout owasp", 3, &["none of its 1 rows"]);
    folder.run_badly("data a.jsonl --labels a,,b", 2, &["a label is empty"]);
    folder.run_badly("data a.jsonl --labels 5..2", 2, &["not a range"]);
    folder.run_badly("data a.jsonl --limit 0", 2, &["--limit"]);
    folder.run_badly("data a.jsonl --split test", 2, &["it is a file"]);
    folder.run_badly("data set", 2, &["--split", "c, java"]);
    assert!(folder.run_well("data set --split c --labels 1..3").contains("poj"));
}

/// A model that takes `strcpy` for a vulnerability.
const MODEL: &str = "import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if 'broken' in question['code']:
        print(json.dumps({'id': question['id'], 'error': 'too hard'}), flush=True)
        continue
    p = 0.75 if 'strcpy' in question['code'] else 0.25
    print(json.dumps({'id': question['id'], 'probabilities': [1 - p, p]}), flush=True)
";

#[test]
fn evaluate_measures_a_model() {
    let folder = Folder::new("evaluate");
    folder.write("model.py", MODEL);
    let row = |code: &str, target: u8| format!("{{\"func\": \"{code}\", \"target\": {target}}}\n");
    let rows = [
        row("void f(char *a) { strcpy(a, g()); }", 1),
        row("void f(char *a) { gets(a); }", 1),
        row("int f(void) { return 1; }", 0),
        row("int f(void) { return 2; }", 0),
        row("int broken(void) { return 3; }", 0),
    ];
    folder.write("test.jsonl", rows.concat());
    let evaluate = |rest: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&folder.0).args(["evaluate", "--model", "cmd:python3 model.py", "--data", "test.jsonl"]);
        command.args(rest.split_whitespace()).output().unwrap()
    };
    let output = evaluate("--json --predictions answers.jsonl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["asked"], &report["measured"]), (&serde_json::json!(5), &serde_json::json!(4)));
    assert_eq!(report["confusion"], serde_json::json!([[2.0, 0.0], [1.0, 1.0]]));
    assert_eq!(report["no answer"][0]["times"], 1);
    let measures = report["measures"].as_array().unwrap();
    let value = |name: &str| &measures.iter().find(|line| line["measure"] == name).unwrap()["value"];
    assert_eq!((value("accuracy"), value("recall")), (&serde_json::json!(0.75), &serde_json::json!(0.5)));
    let answers = folder.read("answers.jsonl");
    assert_eq!(answers.lines().count(), 5);
    assert!(answers.lines().next_back().unwrap().contains("too hard"), "{answers}");

    let said = String::from_utf8(evaluate("--show 2").stdout).unwrap();
    for words in ["accuracy", "taken for", "gets(a)", "4 measured, 5 queried", "1 times"] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    folder.run_badly("evaluate --model nothing:x --data test.jsonl", 2, &["nothing:x", "hf", "openai"]);
    folder.run_badly("evaluate --model hf:nowhere --data test.jsonl", 3, &["nowhere is not a folder"]);
    folder.run_badly("evaluate --model cmd:false --data test.jsonl --limit 1", 4, &["answered none of 1"]);
}
