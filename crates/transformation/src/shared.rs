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
            Language::C => c::links(program),
            Language::Cpp => Links::default(),
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
                Language::C => c::part(program, &references),
                Language::Cpp => None,
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
        let is_one_language = self.holders.iter().all(|file| self.outlines[*file].language == language);
        if !is_used || !is_one_language || is_special(language, self.name, false) {
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
