//! Functions that files of a project share: they are renamed in all files together, and the project does what it did.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::folder::Folder;
use crate::projects::{output_of, replayed, texts};

/// Renames the functions of the folder `in`, alone and among other rewrites. These and no others are shared, and the outputs do
/// what the input does when `commands` are run, on any number of threads and again by the manifest.
#[track_caller]
fn check(folder: &Folder, shared: &[&str], commands: &[&str]) {
    let run = |place: &str| -> Option<Vec<String>> {
        commands.iter().map(|command| output_of(folder, place, command)).collect()
    };
    // What compilers leave beside the sources has names, too.
    folder.run_well("transform in -o original --transform remove-comment --alone");
    let Some(expected) = run("original") else { return };
    for (seed, names) in [(1, "typed"), (2, "pseudo"), (3, "synonyms")] {
        for (order, is_alone) in [("rename-function --order 20", true), ("naming,structure --order 30", false)] {
            let place = format!("{}{seed}", if is_alone { "alone" } else { "among" });
            let options = format!("--transform {order} --names {names} --seed {seed}");
            folder.run_well(&format!("transform in -o {place} {options}"));
            let found: BTreeSet<String> = renames(folder, &place).into_iter().map(|(name, _)| name).collect();
            let all: BTreeSet<String> = shared.iter().map(|name| (*name).to_owned()).collect();
            assert!(!found.is_empty() && found.is_subset(&all) && (found == all || !is_alone), "{place}: {found:?}");
            folder.run_well(&format!("transform in -o {place}-one {options} --threads 1"));
            assert_eq!(texts(folder, &place), texts(folder, &format!("{place}-one")));
            assert_eq!(replayed(folder, &place), texts(folder, &format!("{place}-one")));
            assert_eq!(run(&place).unwrap(), expected, "{place}");
        }
    }
}

/// The names that were renamed in several files, with these files.
fn renames(folder: &Folder, place: &str) -> Vec<(String, Vec<String>)> {
    let text = folder.read(&format!("{place}.manifest.jsonl"));
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let strings =
        |value: &Value| value.as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect();
    lines.filter_map(|line| Some((line.get("shared")?.as_str().unwrap().to_owned(), strings(&line["files"])))).collect()
}

fn project_of_c(folder: &Folder) {
    folder.write(
        "in/lib/list.h",
        "#ifndef LIST_H\n#define LIST_H\n#define LENGTH(list) list_length(list)\nstruct list { int value; struct list *next; };\n\
         /* list_push puts a value in front. */\nstruct list *list_push(struct list *list, int value);\nint list_sum(const struct list *list);\n\
         int list_length(const struct list *list);\nvoid each(struct list *list, int (*visit)(int));\nint doubled(int value);\n#endif\n",
    );
    folder.write(
        "in/lib/list.c",
        "#include <stdlib.h>\n#include \"list.h\"\nstruct list *list_push(struct list *list, int value) {\n    struct list *made = malloc(sizeof *made);\n\
         \x20   made->value = value;\n    made->next = list;\n    return made;\n}\n\
         int list_sum(const struct list *list) { return list ? list->value + list_sum(list->next) : 0; }\n\
         int list_length(const struct list *list) { return list ? 1 + list_length(list->next) : 0; }\n\
         void each(struct list *list, int (*visit)(int)) { for (; list; list = list->next) { list->value = visit(list->value); } }\n",
    );
    folder.write("in/lib/doubled.c", "#include \"list.h\"\nint doubled(int value) { return value + value; }\n");
    folder.write(
        "in/main.c",
        "#include <stdio.h>\n#include \"lib/list.h\"\nint main(void) {\n    struct list *list = NULL;\n    for (int i = 0; i < 4; i++) { list = list_push(list, i); }\n\
         \x20   each(list, doubled);\n    printf(\"%d of %d\\n\", list_sum(list), LENGTH(list));\n    return 0;\n}\n",
    );
    // The name of a function is also that of a file.
    folder
        .write("in/Makefile", "main: main.c lib/list.c lib/doubled.c\n\tcc -o main main.c lib/list.c lib/doubled.c\n");
}

#[test]
fn functions_of_c() {
    let folder = Folder::new("shared-c");
    project_of_c(&folder);
    check(
        &folder,
        &["each", "list_push", "list_sum"],
        &["gcc -o program main.c lib/list.c lib/doubled.c", "./program"],
    );
    let files = ["in/lib/list.c", "in/lib/list.h", "in/main.c"];
    let found = renames(&folder, "alone1");
    assert!(found.iter().all(|(_, changed)| *changed == files), "{found:?}");
    assert!(folder.read("alone1/lib/list.h").contains("/* list_push puts"), "comments stay");
}

#[test]
fn functions_of_modules_of_python() {
    let folder = Folder::new("shared-python");
    folder.write("in/tools/__init__.py", "from .core import twice\n");
    folder.write(
        "in/tools/core.py",
        "def twice(number):\n    return number + number\n\n\ndef thrice(number):\n    return twice(number) + number\n\n\n\
         def told(number):\n    \"\"\"Use told to tell.\"\"\"\n    return str(number)\n\n\ndef listed(number):\n    return [number]\n",
    );
    folder.write(
        "in/tools/more.py",
        "import tools.core\nfrom . import core\nfrom .core import thrice as three\n\n\ndef both(number):\n    \
         return three(number) + core.thrice(number) + tools.core.twice(number)\n\n\ndef show(value):\n    print(core.told(value), core.listed(value))\n",
    );
    folder.write(
        "in/main.py",
        "import tools\nfrom tools import twice\nfrom tools.more import both, show\n\n\nnames = ['listed']\nprint(twice(2), tools.twice(3), both(4), list(map(twice, [1, 2])))\nshow(5)\n",
    );
    check(&folder, &["both", "show", "thrice", "twice"], &["python3 -B main.py"]);
}

#[test]
fn static_methods_of_a_package_of_java() {
    let folder = Folder::new("shared-java");
    folder.write(
        "in/Numbers.java",
        "class Numbers {\n    static int twice(int number) { return number + number; }\n    static int twice(String text) { return twice(text.length()); }\n    \
         static int half(int number) { return number / 2; }\n    public static int open(int number) { return half(number) + twice(number); }\n    \
         int own(int number) { return number; }\n}\n",
    );
    folder.write(
        "in/Main.java",
        "public class Main {\n    static String half = \"half\";\n    public static void main(String[] arguments) {\n        \
         System.out.println(Numbers.twice(4) + Numbers.open(6) + Numbers.twice(half) + new Numbers().own(3));\n    }\n}\n",
    );
    check(
        &folder,
        &["twice"],
        &["javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -d . Main.java Numbers.java", "java -cp . Main"],
    );
}

#[test]
fn functions_that_modules_of_javascript_export() {
    let folder = Folder::new("shared-javascript");
    folder.write(
        "in/old.js",
        "function twice(number) { return number + number; }\nfunction seen(number) { return number; }\nfunction late(number) { return -number; }\n\
         module.exports = { twice, seen };\nexports.unused = 1;\nmodule.exports.late = late;\n",
    );
    folder.write(
        "in/main.js",
        "const { twice, seen } = require('./old');\nconst old = require('./old.js');\nconsole.log(twice(2), old.late(3), [seen]);\nconsole.log(seen(1));\n",
    );
    folder.write("in/new.mjs", "export function half(number) { return number / 2; }\nfunction less(number) { return half(number) - 1; }\nexport { less };\n");
    folder.write("in/main.mjs", "import { half } from './new.mjs';\nimport * as numbers from './new.mjs';\nconsole.log(half(8), numbers.less(8));\n");
    check(&folder, &["half", "late", "less", "twice"], &["node main.js", "node main.mjs"]);
}

#[test]
fn variants_have_renames_of_their_own() {
    let folder = Folder::new("shared-variants");
    project_of_c(&folder);
    folder.run_well(
        "transform in -o out --transform rename-function --order 1 --scope global --variants 4 --names typed",
    );
    let found = renames(&folder, "out");
    assert_eq!(found.len(), 4);
    assert!(found.iter().any(|(name, _)| *name != found[0].0), "{found:?}");
    let made = texts(&folder, "out");
    assert_eq!(replayed(&folder, "out"), made);
    for number in 1..=4 {
        let place = format!("out/variant-{number}");
        let Some(_) = output_of(&folder, &place, "gcc -o program main.c lib/list.c lib/doubled.c") else { return };
        assert_eq!(output_of(&folder, &place, "./program").unwrap(), "12 of 4\n");
    }
}

#[test]
fn what_is_not_understood_in_one_file_stays_in_all() {
    let folder = Folder::new("shared-refused");
    project_of_c(&folder);
    let transform = |options: &str| {
        let place = format!("out{}", options.len());
        folder.run_well(&format!("transform in -o {place} --transform rename-function --order 20 {options}"));
        renames(&folder, &place)
    };
    assert_eq!(transform("").len(), 3);
    assert_eq!(transform("--alone").len(), 0);
    assert_eq!(transform("--exclude main.c").len(), 0, "a file that is copied keeps its names");
    folder.write("in/old.a", b"\0\0_list_sum\0");
    assert_eq!(transform("--seed 4").len(), 2, "a library has the name");
    folder.write("in/notes.txt", "each, list_push and list_sum\n");
    assert_eq!(transform("--names typed").len(), 0);
}

#[test]
fn a_manifest_without_one_of_the_files_is_refused() {
    let folder = Folder::new("shared-manifest");
    project_of_c(&folder);
    folder.run_well("transform in -o out --transform rename-function --order 20");
    folder.run_well("verify --manifest out.manifest.jsonl --verdicts scope");
    let text = folder.read("out.manifest.jsonl");
    assert!(text.starts_with("{\"shared\":"), "what several files share comes first, and verdicts keep it: {text}");
    let cut: String =
        text.lines().filter(|line| !line.contains("\"input\":\"in/main.c\"")).map(|line| format!("{line}\n")).collect();
    folder.write("cut.jsonl", cut);
    folder.run_badly("transform --replay cut.jsonl", 3, &["is not complete", "in/main.c is missing"]);
}

/// Files that share a new name are all there or none, whenever the command is asked to stop.
#[test]
fn a_run_that_is_stopped_leaves_no_half() {
    let folder = Folder::new("shared-stopped");
    project_of_c(&folder);
    for number in 0..200 {
        folder.write(
            &format!("in/more/{number}.c"),
            format!(
                "#include \"list.h\"\nint sum_{number}(struct list *list) {{ int sum = list_sum(list); return sum; }}\n"
            ),
        );
    }
    for moment in 0..12 {
        let place = format!("out{moment}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&folder.0).args(["transform", "in", "-o", &place, "--transform", "naming", "--order", "9"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + moment * 60));
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        let written = if folder.path(&place).exists() { texts(&folder, &place).len() } else { 0 };
        assert!(matches!(written, 0 | 204), "{written} files after {moment}");
    }
}
