//! Functions that several files of a project share, and that can be renamed in all of them together.
//!
//! A name is offered if all of this holds; in doubt it is left alone.
//!
//! - Every file of the project that has the word is a program that is rewritten and understood. Outside comments, each occurrence is
//!   an identifier that means the function: no string, no directive, no build file and no documentation has the word.
//! - One file defines the function, some file uses it, and every file that uses it says where it has it from: a header that it includes, a
//!   module that it imports, a class of its package.
//! - Nobody outside the project has a reason to know it: no header that is installed declares it, and a package that is published
//!   keeps what it exports.
//! - No file puts the name together from parts, and no file is named after it.
//!
//! Then replacing the word wherever it is an identifier, by one that no file has, gives the same project. [`Outline::of`] says what a
//! single file knows, [`shared_names`] puts the files together.

mod c;
mod files;
mod java;
mod javascript;
mod python;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use syntax::{Edit, Language, Program, Project, Reference};

use crate::parts::function_names::{is_special, words_that_ask};
use crate::recipe::functions;
use files::Files;

/// The transformation that shared names belong to.
pub const TRANSFORMATION: &str = "rename-function";

/// What a file of a project says about the names that it shares with others.
pub struct Outline {
    path: PathBuf,
    language: Language,
    functions: usize,
    is_broken: bool,
    /// The names all of whose occurrences are understood.
    parts: BTreeMap<String, Part>,
    links: Links,
}

/// What a name is in one file.
#[derive(Default)]
struct Part {
    /// Where it stands, in the order of the text.
    places: Vec<Range<usize>>,
    is_defined: bool,
    /// Can other files have it from this one?
    is_offered: bool,
    is_used: bool,
    /// Is the function used as a value, rather than called?
    is_handed_on: bool,
    /// The class that defines it, in Java.
    class: Option<String>,
    /// Where the file has it from.
    sources: Vec<Source>,
}

/// Where a file has a name from.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// One of the files that it includes.
    Included,
    /// A module of Python: how many dots its name begins with, and its parts.
    Module { dots: usize, parts: Vec<String> },
    /// A module of JavaScript, as the file names it.
    Script(String),
    /// A class of the file's own package.
    Class(String),
}

/// How a file is connected with others.
#[derive(Default)]
struct Links {
    /// The files that it always includes.
    included: Vec<String>,
    /// The modules whose names it may reach by text, or hand to somebody who does.
    opened: Vec<Source>,
    /// May it reach the names of any module?
    opens_anything: bool,
    /// May it show how functions are called?
    shows_functions: bool,
    package: String,
    /// The types at its top.
    types: Vec<String>,
}

impl Outline {
    /// Describes the file at `path`, which is its place in the project. The program must be within its surroundings.
    pub fn of(program: &Program, path: &Path, project: &Project) -> Outline {
        let mut outline = Outline {
            path: path.to_owned(),
            language: program.language(),
            functions: 0,
            is_broken: program.is_broken(),
            parts: BTreeMap::new(),
            links: Links::default(),
        };
        if outline.is_broken {
            return outline;
        }
        outline.functions = functions(program).len();
        outline.links = match program.language() {
            Language::C | Language::Cpp => c::links(program),
            Language::Java => java::links(program),
            Language::Python => python::links(program),
            Language::JavaScript => javascript::links(program),
        };
        // A letter that is written as an escape is not seen in the text.
        let has_escapes =
            matches!(program.language(), Language::Java | Language::JavaScript) && program.text().contains("\\u");
        if has_escapes || outline.links.opens_anything {
            return outline;
        }
        let mut references: HashMap<&str, Vec<&Reference>> = HashMap::new();
        for reference in program.scopes().references() {
            references.entry(program.node(reference.node).text()).or_default().push(reference);
        }
        let words = program.words_outside_comments();
        for (name, references) in references {
            let is_accounted_for = words.get(name) == Some(&references.len());
            if project.files_with(name) < 2 || !is_accounted_for || program.is_named_in_directive(name) {
                continue;
            }
            let part = match program.language() {
                Language::C | Language::Cpp => c::part(program, project, &references),
                Language::Java => java::part(program, &references),
                Language::Python => python::part(program, &references),
                Language::JavaScript => javascript::part(program, &references),
            };
            if let Some(part) = part {
                let places = references.iter().map(|reference| program.node(reference.node).range()).collect();
                outline.parts.insert(name.to_owned(), Part { places, ..part });
            }
        }
        outline
    }

    /// How many functions the program has.
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// Does the program not parse cleanly?
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }
}

/// A name that can be renamed in all files that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedName {
    pub name: String,
    /// The number of the file that defines it.
    pub home: usize,
    /// The numbers of the files that have it, with its places.
    pub files: Vec<(usize, Vec<Range<usize>>)>,
}

/// The names that can be renamed in all files that have them, in alphabetical order. The outlines are those of all programs that
/// are rewritten, and the project has all files.
pub fn shared_names(outlines: &[Outline], project: &Project) -> Vec<SharedName> {
    let files = Files::of(outlines);
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (file, outline) in outlines.iter().enumerate() {
        for name in outline.parts.keys() {
            holders.entry(name).or_default().push(file);
        }
    }
    let words: HashSet<&str> = outlines.iter().flat_map(|outline| words_of_path(&outline.path)).collect();
    holders
        .into_iter()
        .filter(|(name, holders)| holders.len() == project.files_with(name) && !words.contains(name))
        .filter(|(name, _)| !project.may_put_together(name))
        .filter_map(|(name, holders)| Candidate { name, holders, outlines, project, files: &files }.shared())
        .collect()
}

/// The words of a path: a file such as `Box.java` is named after what it has.
fn words_of_path(path: &Path) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    path.iter().filter_map(|part| part.to_str()).flat_map(move |part| part.split(move |letter| !is_part(letter)))
}

/// A name that is understood in every file that has it.
struct Candidate<'c> {
    name: &'c str,
    holders: Vec<usize>,
    outlines: &'c [Outline],
    project: &'c Project,
    files: &'c Files<'c>,
}

impl Candidate<'_> {
    fn part(&self, file: usize) -> &Part {
        &self.outlines[file].parts[self.name]
    }

    fn shared(self) -> Option<SharedName> {
        let mut definitions = self.holders.iter().filter(|file| self.part(**file).is_defined);
        let (Some(&home), None) = (definitions.next(), definitions.next()) else { return None };
        let language = self.outlines[home].language;
        let is_used = self.holders.iter().any(|file| self.part(*file).is_used);
        let is_understood = |file: &usize| {
            let other = self.outlines[*file].language;
            let is_near = other == language || (language, other) == (Language::C, Language::Cpp);
            is_near && !is_special(other, self.name, false)
        };
        if !is_used || !self.holders.iter().all(is_understood) {
            return None;
        }
        let is_found = |file: usize| self.part(file).sources.iter().all(|source| self.is_source(home, file, source));
        if !self.holders.iter().all(|file| is_found(*file)) || self.is_for_users(language) || self.is_reached(language)
        {
            return None;
        }
        let place = |file: &usize| (*file, self.part(*file).places.clone());
        Some(SharedName { name: self.name.to_owned(), home, files: self.holders.iter().map(place).collect() })
    }

    /// Does `file` have the name that is meant where it says it has it from?
    fn is_source(&self, home: usize, file: usize, source: &Source) -> bool {
        let offers = |other: &usize| {
            *other != file && self.outlines[*other].parts.get(self.name).is_some_and(|part| part.is_offered)
        };
        match source {
            Source::Included => self.files.included_by(file).iter().any(offers),
            Source::Module { .. } | Source::Script(_) => {
                self.files.module(file, source).is_some_and(|other| offers(&other))
            }
            Source::Class(class) => {
                let package = &self.outlines[file].links.package;
                let declares = |other: &&Outline| &other.links.package == package && other.links.types.contains(class);
                self.part(home).class.as_ref() == Some(class)
                    && self.outlines[home].links.package == *package
                    && self.outlines.iter().filter(declares).count() == 1
            }
        }
    }

    /// May somebody outside the project know the name?
    fn is_for_users(&self, language: Language) -> bool {
        match language {
            Language::C | Language::Cpp => {
                self.holders.iter().filter(|file| self.part(**file).is_offered).any(|file| {
                    let name = self.outlines[*file].path.file_name().and_then(|name| name.to_str());
                    name.is_none_or(|name| !name.ends_with(".c") && self.project.installs(name))
                })
            }
            // `public` and `protected` are left alone by `java::part`.
            Language::Java => false,
            Language::Python => self.project.is_installed() && !self.name.starts_with('_'),
            Language::JavaScript => self.project.is_published(),
        }
    }

    /// May a program reach the function by its name as a text, or ask it for its name?
    fn is_reached(&self, language: Language) -> bool {
        if matches!(language, Language::C | Language::Cpp) {
            return false;
        }
        let is_home = |file: usize| self.holders.contains(&file);
        let opens = |(file, outline): (usize, &Outline)| {
            let modules = outline.links.opened.iter().filter_map(|source| self.files.module(file, source));
            outline.is_broken
                || outline.links.opens_anything
                || outline.links.shows_functions
                || modules.into_iter().any(is_home)
        };
        let is_handed_on = self.holders.iter().any(|file| self.part(*file).is_handed_on);
        let mut others = self.outlines.iter().enumerate().filter(|(_, outline)| outline.language == language);
        others.any(opens) || is_handed_on && asks_for_names(language, self.project)
    }
}

/// Does a program of the project ask a function that it is handed for its name?
fn asks_for_names(language: Language, project: &Project) -> bool {
    words_that_ask(language).iter().any(|word| project.programs_with(word) > 0)
}

/// The edits that rename the name in one of the files that share it: every identifier that is spelt like it means it.
pub(crate) fn edits(program: &Program, name: &str, new: &str) -> Vec<Edit> {
    let nodes = program.scopes().references().iter().map(|reference| program.node(reference.node));
    nodes.filter(|node| node.text() == name).map(|node| Edit::replace(node, new)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use syntax::Surroundings;

    use super::*;

    /// The names that the files share.
    fn shared(files: &[(&str, &str)]) -> Vec<String> {
        let mut project = Project::default();
        for (path, text) in files {
            project.add(Path::new(path), text.as_bytes().to_vec());
        }
        let project = project.complete();
        let outline = |(path, text): &(&str, &str)| {
            let language = Language::from_path(Path::new(path))?;
            let around = Surroundings::of(&project, Path::new(path), text.as_bytes().to_vec());
            let program = Program::parse(language, *text).within(Some(Arc::new(around)));
            Some(Outline::of(&program, Path::new(path), &project))
        };
        let outlines: Vec<Outline> = files.iter().filter_map(outline).collect();
        shared_names(&outlines, &project).into_iter().map(|shared| shared.name).collect()
    }

    const HEADER: (&str, &str) = ("lib/a.h", "#ifndef A_H\n#define A_H\nint helper(int n); /* helper */\n#endif\n");
    const SOURCE: (&str, &str) = ("lib/a.c", "#include \"a.h\"\nint helper(int n) { return n + n; }\n");
    const USER: (&str, &str) = ("main.c", "#include \"lib/a.h\"\nint main(void) { return helper(2); }\n");

    /// The files of the example in C, with another text for one of them or with another file.
    #[track_caller]
    fn check_c(other: (&str, &str), expected: &[&str]) {
        let files = [HEADER, SOURCE, USER].into_iter().filter(|file| file.0 != other.0);
        assert_eq!(shared(&files.chain([other]).collect::<Vec<_>>()), expected, "{}", other.1);
    }

    #[test]
    fn functions_of_c() {
        check_c(("b.c", "#include \"a.h\"\nint (*table[])(int) = {helper, &helper};\n"), &["helper"]);
        check_c(("b.c", "int helper(int);\nint twice(int n) { return helper(helper(n)); }\n"), &["helper"]);
        check_c(("b.c", "int f(void) { extern int helper(int); return helper(1); }\n"), &["helper"]);
        check_c(("b.c", "#include \"b.h\"\nint f(void) { return helper(1); }\n"), &[]);
        check_c(("main.c", "#include \"b.h\"\nint main(void) { return helper(2); }\n"), &[]);
        let through = ("b.h", "#include \"lib/a.h\"\n");
        let user = ("main.c", "#include \"b.h\"\nint main(void) { return helper(2); }\n");
        assert_eq!(shared(&[HEADER, SOURCE, user, through]), ["helper"]);
        // The header may be one of several.
        let through = ("one/b.h", "#include \"lib/a.h\"\n");
        assert_eq!(shared(&[HEADER, SOURCE, user, through]), ["helper"]);
        assert_eq!(shared(&[HEADER, SOURCE, user, through, ("other/b.h", "int x;\n")]), [""; 0]);
    }

    #[test]
    fn other_meanings_of_the_word_in_c() {
        for text in [
            "static int helper(int n) { return n; }\nint f(void) { return helper(1); }\n",
            "struct s { int helper; };\n",
            "int f(int helper) { return helper; }\n",
            "int f(void) { helper: goto helper; }\n",
            "struct helper { int a; };\n",
            "#define helper other\n",
            "#include \"a.h\"\n#define TWICE(n) helper(helper(n))\n",
            "#ifdef helper\nint a;\n#endif\n",
            "#include \"a.h\"\nconst char *name = \"helper\";\n",
            "#include \"a.h\"\n#define SHOW(f) #f\nconst char *name = SHOW(helper);\n",
            "#include \"a.h\"\n#define CALL(f, n) help ## f(n)\nint f(void) { return CALL(er, 1); }\n",
            "#include \"a.h\"\nint f(void) { return OFFSET(s, helper); }\n",
            "int helper(int n) { return n; }\n",
            "int f(int n) { return helper(n); }\n",
            "int f( { helper(1); }\n",
        ] {
            check_c(("b.c", text), &[]);
        }
    }

    #[test]
    fn functions_of_c_that_the_preprocessor_decides_about() {
        check_c(("lib/a.c", "#include \"a.h\"\n#ifdef OWN\nint helper(int n) { return n; }\n#endif\n"), &[]);
        check_c(("lib/a.h", "#ifndef HAVE_HELPER\nint helper(int n);\n#endif\n"), &[]);
        check_c(("lib/a.h", "#if !defined(A_H)\n#define A_H\nint helper(int n);\n#endif\n"), &["helper"]);
        check_c(("main.c", "#ifdef OWN\n#include \"lib/a.h\"\n#endif\nint main(void) { return helper(2); }\n"), &[]);
        check_c(("lib/a.c", "#include \"a.h\"\n__attribute__((weak)) int helper(int n) { return n; }\n"), &[]);
        check_c(("lib/a.c", "#include \"a.h\"\nint helper(int n) { puts(__func__); return n; }\n"), &[]);
        check_c(("lib/a.c", "#include \"a.h\"\nint helper(int n) { LOG(n); return n; }\n"), &["helper"]);
        let header = format!("{}#define HERE __func__\n#define LOG(n) log(HERE, n)\n", HEADER.1);
        let files = |source| shared(&[("lib/a.h", &header), ("lib/a.c", source), USER]);
        assert_eq!(files("#include \"a.h\"\nint helper(int n) { LOG(n); return n; }\n"), [""; 0]);
        assert_eq!(files("#include \"a.h\"\nint helper(int n) { return n; }\n"), ["helper"]);
    }

    #[test]
    fn files_that_are_not_programs() {
        for (path, text) in [
            ("notes.txt", "call helper() first\n"),
            ("Makefile", "main: main.c\n\tcc -Wl,--wrap=helper main.c\n"),
            ("export.map", "{ global: helper; };\n"),
            ("a.h.in", "int helper(int);\n"),
            ("helper.c", "int a;\n"),
            ("Makefile", "include_HEADERS = lib/a.h\n"),
            ("CMakeLists.txt", "set(PUBLIC lib/a.h)\ninstall(FILES ${PUBLIC} DESTINATION include)\n"),
        ] {
            check_c((path, text), &[]);
        }
        check_c(("Makefile", "noinst_HEADERS = lib/a.h\nbin_PROGRAMS = main\n"), &["helper"]);
    }

    #[test]
    fn uses_in_cpp() {
        check_c(("b.cpp", "extern \"C\" {\n#include \"lib/a.h\"\n}\nint f() { return helper(1); }\n"), &["helper"]);
        for text in [
            "#include \"lib/a.h\"\nusing namespace tools;\nint f() { return helper(1); }\n",
            "#include \"lib/a.h\"\nint Box::f() { return helper(1); }\n",
            "#include \"lib/a.h\"\nint f() { return tools::helper(1); }\n",
            "#include \"lib/a.h\"\nstruct Box : Base { int f() { return helper(1); } };\n",
            "#include \"lib/a.h\"\ntemplate <typename T> int f(T t) { return helper(t); }\n",
            "int helper(double n) { return 1; }\n",
        ] {
            check_c(("b.cpp", text), &[]);
        }
        assert_eq!(
            shared(&[
                ("a.cpp", "int helper(int n) { return n; }\n"),
                ("b.cpp", "int helper(int);\nint x = helper(1);\n")
            ]),
            [""; 0]
        );
    }

    const MODULE: (&str, &str) =
        ("p/a.py", "def helper(n):\n    return n + n\n\n\ndef second(n):\n    return helper(n)\n");

    #[track_caller]
    fn check_python(other: (&str, &str), expected: &[&str]) {
        assert_eq!(shared(&[MODULE, ("p/__init__.py", ""), other]), expected, "{}", other.1);
    }

    #[test]
    fn functions_of_python() {
        for text in [
            "from .a import helper\nprint(helper(1))\n",
            "from .a import helper as h\nprint(h(1))\n",
            "from p.a import helper\nprint(helper(1))\n",
            "from . import a\nprint(a.helper(1))\n",
            "import p.a\nprint(p.a.helper(1))\n",
            "import p.a as m\nprint(m.helper(1))\n",
            "def f():\n    from .a import helper\n    return helper(1)\n",
        ] {
            check_python(("p/b.py", text), &["helper"]);
        }
        let again = ("p/c.py", "from .a import helper\n");
        assert_eq!(shared(&[MODULE, again, ("p/b.py", "from .c import helper\nprint(helper(1))\n")]), ["helper"]);
        for text in [
            "from .other import helper\nprint(helper(1))\n",
            "from .a import other as helper\nprint(helper(1))\n",
            "from .a import *\nprint(helper(1))\n",
            "from .a import helper\nprint(helper(1), thing.helper)\n",
            "from .a import helper\nprint(helper(1), f(helper=1))\n",
            "from .a import helper\nprint(helper(1), 'helper')\n",
            "from .a import helper\n\n\ndef f(n):\n    \"\"\"Calls helper.\"\"\"\n    return helper(n)\n",
            "from . import a\nprint(a.helper(1), getattr(a, name))\n",
            "try:\n    from .a import helper\nexcept ImportError:\n    helper = None\n",
            "from .a import helper\nhelper.__name__\n",
            "from .a import helper\nregister(helper, it.__name__)\n",
            "class A:\n    def helper(self):\n        pass\n",
            "print(helper(1))\n",
        ] {
            check_python(("p/b.py", text), &[]);
        }
    }

    #[test]
    fn functions_of_python_that_somebody_looks_for() {
        let user = ("p/b.py", "from .a import helper\nprint(helper(1))\n");
        let module = |text: &'static str| shared(&[("p/a.py", text), user]);
        assert_eq!(module("def helper(n):\n    return n\n"), ["helper"]);
        assert!(module("@register\ndef helper(n):\n    return n\n").is_empty());
        assert!(module("if fast:\n    def helper(n):\n        return n\n").is_empty());
        assert!(module("def helper(n):\n    return n\n\n\nhelper = wrap(helper)\n").is_empty());
        assert!(module("__all__ = [name]\n\n\ndef helper(n):\n    return n\n").is_empty());
        assert!(shared(&[MODULE, user, ("setup.py", "setup()\n")]).is_empty());
        assert!(shared(&[MODULE, user, ("c.py", "from p import a\nprint(getattr(a, name)(1))\n")]).is_empty());
        assert!(
            shared(&[MODULE, user, ("c.py", "import importlib\ngetattr(importlib.import_module(m), f)()\n")])
                .is_empty()
        );
        assert_eq!(shared(&[MODULE, user, ("c.py", "import other\nprint(getattr(other, name)(1))\n")]), ["helper"]);
        assert!(shared(&[MODULE, user, ("c.py", "def broken(:\n")]).is_empty());
        let hidden =
            [("p/a.py", "def _inner(n):\n    return n\n"), ("p/b.py", "from .a import _inner\nprint(_inner(1))\n")];
        assert_eq!(shared(&[hidden[0], hidden[1], ("setup.py", "setup()\n")]), ["_inner"]);
    }

    #[test]
    fn methods_of_java() {
        let class =
            ("p/A.java", "package p; class A { static int helper(int n) { return n; } int f() { return helper(1); } }");
        let check =
            |other: &str, expected: &[&str]| assert_eq!(shared(&[class, ("p/B.java", other)]), expected, "{other}");
        check("package p; class B { int f() { return A.helper(1); } }", &["helper"]);
        check("package q; class B { int f() { return A.helper(1); } }", &[]);
        check("package p; import q.A; class B { int f() { return A.helper(1); } }", &[]);
        check("package p; class B { int f(A a) { return a.helper(1); } }", &[]);
        check("package p; class B extends A { int f() { return helper(1); } }", &[]);
        check("package p; class B { int helper; int f() { return A.helper(1); } }", &[]);
        check("package p; class B { String f() { A.helper(1); return \"helper\"; } }", &[]);
        let user = ("p/B.java", "package p; class B { int f() { return A.helper(1); } }");
        for method in [
            "public static int helper(int n) { return n; }",
            "int helper(int n) { return n; }",
            "@Test static int helper(int n) { return n; }",
            "static native int helper(int n);",
        ] {
            let class = format!("package p; class A {{ {method} }}");
            assert_eq!(shared(&[("p/A.java", &class), user]), [""; 0], "{method}");
        }
        let reached =
            ("p/C.java", "package p; class C { Object f() throws Exception { return A.class.getDeclaredMethods(); } }");
        assert_eq!(shared(&[class, user, reached]), [""; 0]);
    }

    #[test]
    fn functions_of_javascript() {
        let check = |first: &str, second: &str, expected: &[&str]| {
            assert_eq!(shared(&[("a.js", first), ("b.js", second)]), expected, "{first}{second}");
        };
        let user = "import { helper } from './a.js';\nhelper(1);\n";
        check("export function helper(n) { return n; }\n", user, &["helper"]);
        check("function helper(n) { return n; }\nexport { helper };\n", user, &["helper"]);
        check("export function helper(n) { return n; }\n", "import { helper as h } from './a.js';\nh(1);\n", &[]);
        check(
            "export function helper(n) { return n; }\nhelper(1);\n",
            "import { helper as h } from './a.js';\nh(1);\n",
            &["helper"],
        );
        check("export function helper(n) { return n; }\n", "import * as a from './a.js';\na.helper(1);\n", &["helper"]);
        let module = "function helper(n) { return n; }\nmodule.exports = { helper };\n";
        check(module, "const { helper } = require('./a');\nhelper(1);\n", &["helper"]);
        check(module, "const a = require('./a');\na.helper(1);\n", &["helper"]);
        check(
            "function helper(n) { return n; }\nexports.helper = helper;\n",
            "const a = require('./a');\na.helper(1);\n",
            &["helper"],
        );
        for second in [
            "const a = require('./a');\na.helper(1);\nshow(a);\n",
            "const a = require('./a');\na.helper(1);\nconst b = a[name];\n",
            "let a = require('./a');\na.helper(1);\n",
            "const { helper } = require('./a');\nhelper(1);\nshow(helper);\n",
            "const { helper } = require('./a');\nhelper(1);\nshow({ helper });\n",
            "const { helper } = require('./a');\nhelper(1);\nother.helper();\n",
            "const { helper } = require('./a');\nhelper(1);\nmock('./a');\n",
            "const { helper } = require('./a');\nhelper(1);\nrequire(name);\n",
            "const { helper } = require('other');\nhelper(1);\n",
            "const { helper } = require('./a');\nhelper(1);\nconst name = 'helper';\n",
            "helper(1);\n",
        ] {
            check(module, second, &[]);
        }
        let user = ("b.js", "const { helper } = require('./a');\nhelper(1);\n");
        assert_eq!(shared(&[("a.js", module), user, ("package.json", "{\"name\": \"a\"}")]), [""; 0]);
        assert_eq!(shared(&[("a.js", module), user, ("package.json", "{\"private\": true}")]), ["helper"]);
    }
}
