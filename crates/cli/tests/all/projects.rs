//! Whole folders as one project: what the files use of each other keeps working, and a manifest gives the same bytes again.

use std::process::{Command, Output};

use testbed::Part;

use crate::folder::Folder;

/// Runs a command of the system in a folder and gives what it prints. Without it the test is skipped.
#[track_caller]
pub fn output_of(folder: &Folder, place: &str, command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap();
    let Output { status, stdout, stderr } =
        match Command::new(program).args(words).current_dir(folder.path(place)).output() {
            Ok(output) => output,
            Err(_) => {
                testbed::skip(&format!("{program} is missing"));
                return None;
            }
        };
    assert!(status.success(), "{command} in {place}\n{}", String::from_utf8_lossy(&stderr));
    Some(String::from_utf8(stdout).unwrap())
}

/// Rewrites the folder `in` as a project and by the manifest, with one of several seeds. Every output must do what the input does when
/// `commands` are run, and something must have changed.
fn check(folder: &Folder, commands: &[&str]) {
    let run = |place: &str| -> Option<Vec<String>> {
        commands.iter().map(|command| output_of(folder, place, command)).collect()
    };
    let Some(expected) = run("in") else { return };
    let order = "--transform naming,structure,dead-code --order 25";
    for (place, (seed, names)) in [(1, "typed"), (2, "typed"), (3, "pseudo"), (4, "pseudo")].into_iter().enumerate() {
        // Every run of the tests takes one of them, and `./test --all` takes all.
        let part = Part::of_this_run();
        if part != Part::All && part.number() % 4 != place {
            continue;
        }
        let said = folder.run_well(&format!("transform in -o out{seed} {order} --names {names} --seed {seed}"));
        assert!(!said.contains("changed      0"), "{said}");
        folder.run_well(&format!(
            "transform in -o renamed{seed} --transform naming --order 40 --names {names} --seed {seed}"
        ));
        for place in [format!("out{seed}"), format!("renamed{seed}")] {
            assert_eq!(run(&place).unwrap(), expected, "{place}");
            let made = texts(folder, &place);
            assert_eq!(replayed(folder, &place), made, "{place}");
        }
        folder.run_well(&format!("transform in -o one{seed} {order} --names {names} --seed {seed} --threads 1"));
        assert_eq!(texts(folder, &format!("one{seed}")), texts(folder, &format!("out{seed}")));
    }
}

/// The sources below a folder, in the order of their names.
pub fn texts(folder: &Folder, place: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(folder.path(place)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{place}/{name}");
        if folder.path(&path).is_dir() {
            found.extend(texts(folder, &path).into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else if [".c", ".h", ".java", ".py", ".js", ".mjs"].iter().any(|ending| name.ends_with(ending)) {
            let text = folder.read(&path);
            found.push((name, text));
        }
    }
    found.sort();
    found
}

/// What the manifest of an output leads to, in the place of the output.
pub fn replayed(folder: &Folder, place: &str) -> Vec<(String, String)> {
    std::fs::remove_dir_all(folder.path(place)).unwrap();
    folder.run_well(&format!("transform --replay {place}.manifest.jsonl"));
    texts(folder, place)
}

#[test]
fn sources_and_headers_of_c() {
    let folder = Folder::new("project-c");
    folder.write(
        "in/list.h",
        "#define FAIL(text) fail(text, __FILE__)\n#define EACH(first) for (const item *at = first; at; at = at->next)\n\
         typedef struct item { int value; struct item *next; } item;\nitem *push(item *first, int value);\n\
         int total(const item *first);\nextern int limit;\n",
    );
    folder.write(
        "in/list.c",
        "#include <stdlib.h>\n#include \"list.h\"\nint limit = 100;\nstruct pool { int used; };\nstatic struct pool pool;\n\
         static void fail(const char *text, const char *file) { (void)text; (void)file; exit(3); }\n\
         static int positive(int value) { if (value < 0) { fail(\"negative\", \"list.c\"); } return value; }\n\
         item *push(item *first, int value) {\n    item *made = malloc(sizeof *made);\n    if (made == NULL) { FAIL(\"memory\"); }\n\
         \x20   pool.used++;\n    made->value = positive(value);\n    made->next = first;\n    return made;\n}\n\
         int total(const item *first) {\n    int sum = 0;\n    EACH(first) { if (at->value < limit) { sum += at->value; } }\n    return sum;\n}\n",
    );
    folder.write(
        "in/main.c",
        "#include <stdio.h>\n#include \"list.h\"\nstatic void show(int number) { printf(\"%d\\n\", number); }\n\
         int twice(int number) { return number + number; }\nint main(void) {\n    item *list = NULL;\n    \
         for (int index = 0; index < 4; index++) { list = push(list, index); }\n    show(twice(total(list)));\n    return 0;\n}\n",
    );
    check(&folder, &["gcc -o program list.c main.c", "./program"]);
}

/// Both files get new functions, and the compiler reads them as one: the new names must differ, whichever file comes first.
#[test]
fn sources_of_c_that_include_a_source() {
    let folder = Folder::new("project-included");
    let body = "(int n) { int twice = n + n; if (n > 2) { twice = twice * 3; } return twice * 5 - n; }\n";
    folder.write("in/part.c", format!("static int part{body}"));
    for name in ["a.c", "z.c"] {
        let main = "int main(void) { printf(\"%d\\n\", part(3) + own(4)); return 0; }\n";
        folder.write(
            &format!("in/{name}"),
            format!("#include <stdio.h>\n#include \"part.c\"\nstatic int own{body}{main}"),
        );
    }
    check(&folder, &["gcc -o first a.c", "gcc -o last z.c", "./first", "./last"]);
}

#[test]
fn classes_of_a_package() {
    let folder = Folder::new("project-java");
    folder.write(
        "in/Main.java",
        "public class Main {\n    public static void main(String[] arguments) {\n        Counter counter = new Counter();\n        \
         counter.add(3);\n        counter.add(4);\n        System.out.println(counter.sum() + describe(counter.sum()));\n    }\n    \
         static String describe(int number) { return number > 5 ? \"many\" : \"few\"; }\n}\n",
    );
    folder.write(
        "in/Counter.java",
        "class Counter extends Base {\n    private int total;\n    int steps;\n    void add(int number) { total += number; note(); }\n    \
         int sum() { return total + first(); }\n    void note() { steps++; }\n}\n",
    );
    folder.write(
        "in/Base.java",
        "abstract class Base {\n    int first() { return second() + 1; }\n    int second() { return 2; }\n}\n",
    );
    check(
        &folder,
        &[
            "javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -d . Main.java Counter.java Base.java",
            "java -cp . Main",
        ],
    );
}

#[test]
fn a_script_of_python_that_a_sibling_imports() {
    let folder = Folder::new("project-python");
    folder.write(
        "in/tools.py",
        "import sys\n\n\ndef twice(number):\n    return number + number\n\n\ndef report(value, prefix='= '):\n    \
         print(prefix + str(value))\n\n\ndef do_more(value):\n    return value * 3\n\n\ndef _inner(value):\n    return value - 1\n\n\n\
         def helper(value):\n    return _inner(value) + 1\n\n\nif __name__ == '__main__':\n    report(helper(do_more(twice(len(sys.argv)))))\n",
    );
    folder.write(
        "in/use.py",
        "from tools import twice\nimport tools\n\ntools.report(twice(4), prefix='> ')\ntools.report(getattr(tools, 'do_' + 'more')(5))\n",
    );
    check(&folder, &["python3 -B use.py", "python3 -B tools.py"]);
}

#[test]
fn entry_points_of_a_package_of_python() {
    let folder = Folder::new("project-entry");
    folder.write(
        "in/pyproject.toml",
        "[project]\nname = \"small\"\n\n[project.scripts]\nsmall = \"small.command:start\"\n",
    );
    folder.write(
        "in/small/command.py",
        "import sys\n\n\ndef public(number):\n    return number + 1\n\n\ndef _hidden(number):\n    return number + 2\n\n\n\
         def start():\n    print(public(_hidden(len(sys.argv))))\n\n\nif __name__ == '__main__':\n    start()\n",
    );
    folder.write("in/small/__init__.py", "");
    let imports = "import small.command\nsmall.command.start()\nprint(small.command.public(1))\n";
    folder.write("in/outside.txt", "");
    for seed in 0..5 {
        folder.run_well(&format!("transform in -o out{seed} --transform naming --order 20 --seed {seed}"));
        let text = folder.read(&format!("out{seed}/small/command.py"));
        assert!(text.contains("def start") && text.contains("def public") && !text.contains("_hidden"), "{text}");
        folder.write(&format!("out{seed}/user.py"), imports);
        if let Some(printed) = output_of(&folder, &format!("out{seed}"), "python3 -B user.py") {
            assert_eq!(printed, "4\n2\n");
        }
    }
}

#[test]
fn modules_that_a_manifest_of_javascript_names() {
    let folder = Folder::new("project-package");
    folder.write(
        "in/package.json",
        "{\"name\": \"small\", \"main\": \"index.js\", \"bin\": {\"small\": \"start.js\"}}\n",
    );
    folder.write(
        "in/index.js",
        "function twice(number) { return inner(number) * 2; }\nfunction inner(number) { return number + 1; }\n\
         function later(number) { return number; }\nmodule.exports = { twice };\nexports.later = later;\nregister(inner);\n\
         function register(made) { return made; }\n",
    );
    folder.write(
        "in/start.js",
        "const small = require('./index.js');\nfunction show(number) { console.log(small.twice(number)); }\nshow(2);\nshow(5);\n",
    );
    check(&folder, &["node start.js"]);
}

#[test]
fn scripts_that_share_their_globals() {
    let folder = Folder::new("project-scripts");
    folder.write(
        "in/first.js",
        "var total = 0;\nfunction addTo(number) { total += number; note(number); }\nfunction note(number) { return number; }\naddTo(2);\n",
    );
    folder.write(
        "in/second.js",
        "function extra(number) { return number + 1; }\naddTo(extra(3));\nconsole.log(total);\nclicked();\n",
    );
    folder.write("in/page.html", "<script src=\"first.js\"></script><a onclick=\"clicked()\">go</a>\n");
    folder.write("in/third.js", "function clicked() { console.log('clicked'); }\nif (total > 100) { clicked(); }\n");
    let load = "const fs = require('fs'), vm = require('vm');\nglobalThis.console = console;\n\
                for (const name of ['first.js', 'third.js', 'second.js']) vm.runInThisContext(fs.readFileSync(name, 'utf8'));\n";
    folder.write("load.cjs", load);
    check(&folder, &["node ../load.cjs"]);
}

#[test]
fn files_that_are_read_alone() {
    let folder = Folder::new("project-alone");
    let code = "#include <stdio.h>\nint helper(int n) { return n + 1; }\nint main(void) { printf(\"%d\\n\", helper(2)); return 0; }\n";
    folder.write("in/a.c", code);
    folder.write("in/b.c", code);
    folder.run_well("transform in -o together --transform rename-function");
    assert_eq!(folder.read("together/a.c"), code);
    folder.run_well("transform in -o apart --transform rename-function --alone");
    assert_ne!(folder.read("apart/a.c"), code);
    assert_ne!(folder.read("apart/b.c"), code);
}

#[test]
fn files_that_are_chosen_by_patterns() {
    let folder = Folder::new("project-patterns");
    let code = "def f(n):\n    total = n\n    return total\n";
    for name in ["in/core/a.py", "in/core/deep/b.py", "in/tests/c.py", "in/d_generated.py"] {
        folder.write(name, code);
    }
    let changed = |out: &str| -> Vec<String> {
        texts(&folder, out).into_iter().filter(|(_, text)| text != code).map(|(name, _)| name).collect()
    };
    folder.run_well("transform in -o all --transform rename-local");
    assert_eq!(changed("all").len(), 4);
    folder.run_well("transform in -o some --transform rename-local --exclude tests --exclude *_generated.py");
    assert_eq!(changed("some"), ["core/a.py", "core/deep/b.py"]);
    folder.run_well("transform in -o few --transform rename-local --include core/** --exclude **/deep/*");
    assert_eq!(changed("few"), ["core/a.py"]);
    assert_eq!(texts(&folder, "few").len(), 4, "what is left out is copied");
}

#[test]
fn what_is_left_out_still_uses_names() {
    let folder = Folder::new("project-left-out");
    let code = "int helper(void) { return 1; }\nint main(void) { return helper(); }\n";
    folder.write("in/main.c", code);
    folder.write("in/generated/other.c", "int helper(void);\nint other(void) { return helper(); }\n");
    folder.run_well("transform in -o out --transform rename-function --exclude generated");
    assert_eq!(folder.read("out/main.c"), code);
}

#[test]
fn a_folder_with_something_in_it_is_kept() {
    let folder = Folder::new("project-force");
    folder.write("in/a.py", "def f(n):\n    total = n\n    return total\n");
    folder.write("out/notes.txt", "mine");
    folder.run_badly("transform in -o out --transform rename-local", 2, &["out is not empty", "--force"]);
    assert!(!folder.path("out/a.py").exists() && !folder.path("out.manifest.jsonl").exists());
    folder.run_well("transform in -o out --transform rename-local --force");
    assert!(folder.path("out/a.py").exists());
    assert_eq!(folder.read("out/notes.txt"), "mine");
}

#[test]
fn headers_are_in_the_language_of_the_sources() {
    let folder = Folder::new("project-headers");
    let header = "template <typename T> T twice(T n) { T sum = n + n; return sum; }\n";
    folder.write("in/a.h", header);
    folder.write("in/old.h", "static int f(int n) { int class = n; return class; }\n");
    let said = folder.run_well("transform in -o c --transform rename-local");
    assert!(said.contains("a.h: does not parse as c at line 1, column "), "{said}");
    folder.run_well("transform in -o told --transform rename-local --language cpp");
    assert_ne!(folder.read("told/a.h"), header);
    folder.write("in/b.cpp", "#include \"a.h\"\nint main() { return twice(0); }\n");
    folder.run_well("transform in -o cpp --transform rename-local");
    assert_ne!(folder.read("cpp/a.h"), header);
    assert!(!folder.read("cpp/old.h").contains("class"), "a header that only C can read is read as C");
}

#[test]
fn every_file_that_is_not_read_is_told() {
    let folder = Folder::new("project-unread");
    for number in 0..15 {
        folder.write(&format!("in/{number}.c"), "int a;\nint f( {\n");
    }
    let said = folder.run_well("transform in -o out --transform rename-local");
    assert!(said.contains("passed on: 5 more, see the manifest"), "{said}");
    assert_eq!(said.matches("does not parse as c at line 2, column ").count(), 10);
    let summary: serde_json::Value =
        serde_json::from_str(&folder.run_well("transform in -o json --transform rename-local --json")).unwrap();
    assert_eq!(summary["warnings"].as_array().unwrap().len(), 15);
    assert_eq!(folder.read("json.manifest.jsonl").matches("does not parse as c at line 2, column ").count(), 15);
}

#[cfg(unix)]
#[test]
fn files_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("project-modes");
    let mode = |place: &str| folder.path(place).metadata().unwrap().permissions().mode() & 0o777;
    for (name, text) in [("in/run.sh", "#!/bin/sh\necho run\n"), ("in/tool.py", "#!/usr/bin/env python3\nprint(1)\n")] {
        folder.write(name, text);
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o750)).unwrap();
    }
    folder.run_well("transform in -o out --transform all --order 2");
    assert_eq!((mode("out/run.sh"), mode("out/tool.py")), (0o750, 0o750));
}
