//! `allotrope extract`, `allotrope train --kind code2vec` and `--kind code2seq` as a user types them: from a folder of programs to names, and with mistakes.

use serde_json::Value;

use crate::folder::Folder;

/// A class with methods that words tell apart.
fn class(number: usize) -> String {
    let fields: String = (0..9).map(|place| format!("  int field{number}x{place} = 1{number}{place};\n")).collect();
    format!(
        "class C{number} {{\n{fields}  int getSize(int a{number}) {{ return this.size + a{number}; }}\n  boolean isEmpty() {{ return \
         field{number}x1 == 0; }}\n  void addAll(List all{number}) {{ for (Object one : all{number}) {{ add(one); }} }}\n}}\n"
    )
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn programs(folder: &Folder) {
    for number in 0..40 {
        folder.write(&format!("src/p{}/C{number}.java", number % 4), class(number));
    }
    folder.write("src/p0/Broken.java", "class X { int f( { }");
}

#[test]
fn from_a_folder_of_programs_to_names() {
    let folder = Folder::new("names");
    programs(&folder);
    let told = folder.run_well("extract src -o methods --contexts code2vec");
    for words in ["120 methods of 41 programs", "left out: 1 programs, not understood", "methods/test.jsonl.gz"] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    let again = json(&folder.run_well("extract src -o by-project --by project --validation 0.25 --test 0.25 --json"));
    let counts: Vec<u64> = (0..3).map(|part| again["parts"][part]["methods"].as_u64().unwrap()).collect();
    assert_eq!(counts, [60, 30, 30]);

    let command = "train --kind code2vec --data methods/train.jsonl.gz --validation methods/valid.jsonl.gz --epochs 8 --width 8 \
                   --vector 12 --learning-rate 0.03 --warm-up 2 --batch-tokens 300 --checkpoint-every 3 --seed 4";
    let told = folder.run_well(&format!("{command} -o whole"));
    for words in ["code2vec:whole", "8 epochs", "subtoken f1"] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    let tested = "evaluate --model code2vec:whole --data methods/test.jsonl.gz --task method-name";
    let measures = json(&folder.run_well(&format!("{tested} --json")))["measures"].clone();
    let f1 = measures.as_array().unwrap().iter().find(|measure| measure["measure"] == "subtoken f1").unwrap();
    assert!(f1["value"].as_f64().unwrap() > 0.9, "{measures}");
    assert!(folder.run_well("list models").contains("code2vec"));

    // The text file of the extractor teaches the same: it has the same methods in the same order.
    folder.run_well(&format!("{} -o from-text", command.replace(".jsonl.gz", ".c2v")));
    let read = |name: &str, file: &str| std::fs::read(folder.path(name).join(file)).unwrap();
    assert_eq!(read("whole", "model.safetensors"), read("from-text", "model.safetensors"));

    // A model that is wrong shows what it looked at.
    folder.run_well("train --kind code2vec --data methods/train.jsonl.gz --epochs 1 --held-out 0 -o poor");
    let shown =
        folder.run_well("evaluate --model code2vec:poor --data methods/test.jsonl.gz --task method-name --show 1");
    assert!(
        shown.contains("answer  ") && shown.contains("attention") && shown.contains("method_declaration"),
        "{shown}"
    );

    // Killed at any moment, it comes to the same.
    folder.kill_until_done(10, command, |killed| {
        assert!(read(killed, "model.safetensors") == read("whole", "model.safetensors"), "{killed}");
    });
}

#[test]
fn from_a_folder_of_programs_to_names_word_by_word() {
    let folder = Folder::new("names-by-words");
    programs(&folder);
    folder.run_well("extract src -o methods --contexts code2seq");
    // Methods have up to 28 contexts, so that each epoch sees other ones.
    let command = "train --kind code2seq --data methods/train.jsonl.gz --validation methods/valid.jsonl.gz --epochs 6 --width 8 \
                   --vector 12 --learning-rate 0.02 --warm-up 2 --batch-tokens 200 --sampled-contexts 15 --checkpoint-every 3 --seed 4";
    let told = folder.run_well(&format!("{command} -o whole"));
    for words in ["code2seq:whole", "6 epochs", "words right", "subtoken f1"] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    let tested = "evaluate --model code2seq:whole --data methods/test.jsonl.gz --task method-name";
    let measures = json(&folder.run_well(&format!("{tested} --json")))["measures"].clone();
    let f1 = measures.as_array().unwrap().iter().find(|measure| measure["measure"] == "subtoken f1").unwrap();
    assert!(f1["value"].as_f64().unwrap() > 0.9, "{measures}");
    let models = folder.run_well("list models");
    assert!(models.lines().any(|line| line.matches("code2seq").count() >= 2), "{models}");

    // Its states and gates are mutated, and the mutants are seen to differ.
    let mutants = "mutants --model code2seq:whole --data methods/test.jsonl.gz --task method-name --mutants 1 --min-accuracy 0 --ratio 0.5";
    let scored = json(&folder.run_well(&format!("{mutants} --json")));
    let scored = scored["mutants"].as_array().unwrap();
    let changed = |operator: &str| {
        let own = scored
            .iter()
            .find(|own| own["operator"] == operator)
            .unwrap_or_else(|| panic!("no {operator}: {scored:?}"));
        own["labels changed"].as_f64().unwrap_or_else(|| panic!("{own}"))
    };
    for operator in ["state-clear", "state-reset", "gate-clear", "state-gaussian-fuzz", "gate-gaussian-fuzz"] {
        assert!((0.0..=1.0).contains(&changed(operator)), "{operator}");
    }
    assert!(changed("state-clear") > 0.0 && changed("gate-clear") > 0.0, "{scored:?}");

    // The text file of the extractor teaches the same.
    folder.run_well(&format!("{} -o from-text", command.replace(".jsonl.gz", ".c2s")));
    let read = |name: &str, file: &str| std::fs::read(folder.path(name).join(file)).unwrap();
    for file in ["model.safetensors", "vocabulary.json"] {
        assert!(read("whole", file) == read("from-text", file), "{file}");
    }

    // Killed at any moment, it comes to the same.
    folder.kill_until_done(6, command, |killed| {
        assert!(read(killed, "model.safetensors") == read("whole", "model.safetensors"), "{killed}");
    });
}

/// Rows and programs that nothing can be learned from are counted, each with its reason.
#[test]
fn what_cannot_be_used_is_counted_with_its_reason() {
    let folder = Folder::new("names-unusable");
    let row = |name: &str, doc: &str, code: &str| {
        serde_json::json!({"path": "A.java", "name": name, "doc": doc, "code": code, "language": "java"}).to_string()
            + "\n"
    };
    let code = "int f(int a) { return size + a; }";
    let rows = [
        row("getSize", "Returns the size.", code),
        row("get size", "Returns it.", code),
        row("3x", " ", code),
        row("", "", code),
        row("run", "Runs.", "class A { }"),
        row("stop", "Stops.", ""),
    ];
    folder.write("rows.jsonl", rows.concat());
    let told = |command: &str| {
        let told = folder.run(command);
        assert!(told.status.success(), "{told:?}");
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    let names = told("train --kind code2vec --data rows.jsonl --held-out 0 --epochs 1 -o namer");
    for words in [
        "4 of 6 rows cannot be used",
        "the field `name` is not an identifier (2)",
        "the field `name` is empty (1)",
        "the field `code` is empty (1)",
        "nothing is learned from 1 of 2 programs: they have no method",
    ] {
        assert!(names.contains(words), "no {words:?} in\n{names}");
    }
    for task in ["captioning", "documentation", "code-search"] {
        let kind = if task == "code-search" { "search" } else { "captions --max-target-tokens 10" };
        let size = "--layers 1 --hidden 16 --heads 2 --vocabulary 300 --max-tokens 20 --steps 1 --held-out 0";
        let texts = told(&format!("train --kind {kind} --task {task} --data rows.jsonl {size} -o {task}"));
        assert!(texts.contains("the field `doc` is empty (2)"), "{texts}");
    }
    // Files without a method, and without anything.
    folder.write("src/A.java", "interface A { int f(); }");
    folder.write("src/B.java", "class B { int g(int a) { return a + size; } }");
    folder.write("src/C.java", "");
    let files = told("train --kind code2seq --data src --held-out 0 --epochs 1 -o writer");
    assert!(
        files.contains("C.java: it is empty") && files.contains("nothing is learned from 1 of 2 programs"),
        "{files}"
    );
    let extracted = json(&folder.run_well("extract src -o methods --json"));
    assert_eq!((&extracted["empty"], &extracted["methods"]), (&1.into(), &1.into()));
    // Lines of path contexts that are none name themselves.
    folder.write("bad.c2v", "getSize a,1,b\n a,1,b\n");
    folder.run_badly(
        "train --kind code2vec --data bad.c2v -o out",
        2,
        &["line 2", "write the name of the method first"],
    );
}

/// What a training will take is told, and nothing is written.
#[test]
fn a_dry_run_says_what_a_training_takes() {
    let folder = Folder::new("names-dry");
    programs(&folder);
    for kind in ["code2vec", "code2seq"] {
        let command = format!(
            "train --kind {kind} --data src --held-out 0 --epochs 3 --width 8 --vector 12 --batch-tokens 300 -o made"
        );
        let told = folder.run_well(&format!("{command} --dry-run"));
        for words in ["parameters", "120 examples", "contexts", "gradients", "time"] {
            assert!(told.contains(words), "no {words:?} in\n{told}");
        }
        let estimate = json(&folder.run_well(&format!("{command} --dry-run --json")));
        assert!(!folder.path("made").exists());
        let trained = json(&folder.run_well(&format!("{command} --json")));
        assert_eq!(estimate["parameters"], trained["training"]["parameters"], "{kind}");
        assert_eq!(estimate["examples"], 120);
        let steps = trained["training"]["steps"].as_u64().unwrap();
        assert!(steps.abs_diff(3 * estimate["steps per epoch"].as_u64().unwrap()) <= 3, "{steps} {estimate}");
        if kind == "code2vec" {
            assert_eq!(
                3 * estimate["contexts per epoch"].as_u64().unwrap(),
                trained["training"]["tokens"].as_u64().unwrap()
            );
        }
        assert!(estimate["seconds"].as_f64().unwrap() > 0.0);
        assert!(estimate["bytes"]["activations"].as_u64().unwrap() > 0);
        std::fs::remove_dir_all(folder.path("made")).unwrap();
    }
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("names-mistakes");
    programs(&folder);
    folder.write("empty/A.java", "interface A { int f(); }");
    folder.write("bad.c2v", "get|size a,3,b\nrun a,x,b\n");
    folder.run_well("extract src -o methods");
    folder.run_badly("extract nowhere -o out", 3, &["nowhere"]);
    folder.run_badly("extract src -o out --test 0.9", 2, &["0 to 0.45"]);
    folder.run_badly("train --kind code2vec --data empty -o out", 2, &["nothing to learn"]);
    folder.run_badly("train --kind code2vec --data bad.c2v -o out", 2, &["`x` is no hash code"]);
    folder.run_badly("train --kind code2seq --data empty -o out", 2, &["nothing to learn"]);
    folder.run_badly("train --kind code2seq --data bad.c2v -o out", 2, &["`3` is a hash code", ".c2s"]);
    folder.run_badly("train --kind code2seq --data methods/train.jsonl.gz --max-paths 3 -o out", 2, &["--max-nodes"]);
    folder.run_badly("train --kind code2vec --data methods/train.jsonl.gz --max-nodes 3 -o out", 2, &["code2seq"]);
    folder.run_badly(
        "train --kind code2vec --data methods/train.jsonl.gz --layers 3 -o out",
        2,
        &["options of encoders"],
    );
    folder.run_badly(
        "train --kind linear --data methods/train.jsonl.gz --max-paths 3 -o out",
        2,
        &["use --kind code2vec"],
    );
    folder.run_badly(
        "train --kind code2vec --data methods/train.jsonl.gz --max-features 3 -o out",
        2,
        &["use --kind linear"],
    );
}
