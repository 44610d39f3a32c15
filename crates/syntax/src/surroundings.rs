//! The other files of a project, whose words decide which names of a program may change.
//!
//! Only the words of the other files are known, not their meaning: a file may be broken, in another language, or a manifest that
//! names an entry point.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::installed::Installed;
use crate::language::Language;
use crate::names::{each_word, is_word_letter};
use crate::patterns::Patterns;
use crate::program::readable;

/// The words of all files of a project.
#[derive(Debug, Default)]
pub struct Project {
    words: HashMap<String, Count>,
    macros: HashMap<String, Macros>,
    /// Words in the macros of headers and other included files.
    expanded: HashSet<String>,
    /// Members that the same macros name, after a dot or an arrow.
    members: HashSet<String>,
    /// The parts of names that `##` puts together.
    pasted: HashSet<String>,
    /// The macros that see how their arguments are spelt.
    showing: HashSet<String>,
    /// What the macros of headers and other included files stand for.
    texts: HashMap<String, Vec<String>>,
    /// The macros that say in which function they are used.
    telling: HashSet<String>,
    /// The names of the files that others include.
    included: HashSet<String>,
    /// The same parts of names, in whatever file a macro puts them together.
    pasted_anywhere: HashSet<String>,
    /// Does a macro put names together of what it is given?
    pastes_arguments: bool,
    /// The files that users of the project get.
    installed: Installed,
    /// The names that build files mean by patterns.
    patterns: Patterns,
    is_installed: bool,
    is_published: bool,
}

/// How many files have a word.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    files: u32,
    /// Those of them that are programs.
    programs: u32,
}

/// What the directives of one file say.
#[derive(Debug, Default)]
struct Macros {
    expanded: HashSet<String>,
    members: HashSet<String>,
    pasted: HashSet<String>,
    pastes_arguments: bool,
    bodies: Vec<Body>,
}

/// What a macro stands for.
#[derive(Debug)]
struct Body {
    name: String,
    text: String,
    has_parameters: bool,
}

impl Project {
    /// Adds a file. Binary files are ignored.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) {
        let name = file_name(path);
        self.is_installed |= matches!(name.as_str(), "pyproject.toml" | "setup.py" | "setup.cfg");
        let Some(text) = text_of(bytes) else { return };
        let is_program = Language::from_path(path).is_some();
        self.is_published |= name == "package.json" && !is_private_package(&text);
        if !is_program {
            self.installed.add(&text);
            self.patterns.add(&text);
        }
        for word in words_of(&text) {
            let count = match self.words.get_mut(word.as_ref()) {
                Some(count) => count,
                None => self.words.entry(word.into_owned()).or_default(),
            };
            count.files += 1;
            count.programs += u32::from(is_program);
        }
        let mut macros = Macros::default();
        for line in directives(&text) {
            match line.strip_prefix("include").map(str::trim_start) {
                Some(place) => _ = included_file(place).map(|file| self.included.insert(file)),
                None => macros.add(&line),
            }
        }
        // What a compiler is told to define holds for every file.
        self.expanded.extend(defined_by_options(&text).map(str::to_owned));
        self.pasted_anywhere.extend(macros.pasted.iter().cloned());
        self.pastes_arguments |= macros.pastes_arguments;
        if !macros.expanded.is_empty() {
            let known = self.macros.entry(name).or_default();
            known.expanded.extend(macros.expanded);
            known.members.extend(macros.members);
            known.pasted.extend(macros.pasted);
            known.bodies.extend(macros.bodies);
        }
    }

    /// The project, when all of its files have been added.
    pub fn complete(mut self) -> Arc<Project> {
        self.installed.complete();
        let mut bodies = Vec::new();
        for (name, macros) in std::mem::take(&mut self.macros) {
            if is_header(&name) || self.included.contains(&name) {
                self.expanded.extend(macros.expanded);
                self.members.extend(macros.members);
                self.pasted.extend(macros.pasted);
                bodies.extend(macros.bodies);
            }
        }
        let with_parameters = || bodies.iter().filter(|body| body.has_parameters);
        self.showing = spread(with_parameters, |text| text.contains('#'));
        self.telling = spread(|| bodies.iter(), |text| FUNCTION_NAMES.iter().any(|name| text.contains(name)));
        for body in bodies {
            self.texts.entry(body.name).or_default().push(body.text);
        }
        Arc::new(self)
    }

    /// How many files have this word.
    pub fn files_with(&self, word: &str) -> usize {
        self.words.get(word).map_or(0, |count| count.files as usize)
    }

    /// How many programs have this word.
    pub fn programs_with(&self, word: &str) -> usize {
        self.words.get(word).map_or(0, |count| count.programs as usize)
    }

    /// May a file mean this name without having it: by a beginning that ends in an underscore, by a pattern, or by a macro that puts it
    /// together?
    pub fn may_put_together(&self, name: &str) -> bool {
        let has = |word: &str| self.words.contains_key(word);
        let is_begun = |(at, _): (usize, &str)| at + 1 < name.len() && at > 0 && has(&name[..=at]);
        let borders = || (1..name.len()).filter(|at| name.is_char_boundary(*at));
        let is_pasted = |first: usize| {
            let middle = |last: &usize| *last == first || self.pasted_anywhere.contains(&name[first..*last]);
            has(&name[..first])
                && borders().filter(|last| *last >= first).any(|last| middle(&last) && has(&name[last..]))
        };
        name.match_indices('_').any(is_begun)
            || self.pasted_anywhere.iter().any(|part| name.starts_with(part.as_str()) || name.ends_with(part.as_str()))
            || self.pastes_arguments && borders().any(is_pasted)
            || self.patterns.may_mean(name)
    }

    /// Is this a macro that says in which function it is used?
    pub fn tells_function(&self, word: &str) -> bool {
        self.telling.contains(word)
    }

    /// May users of the project get the file with this name, by what the build files say?
    pub fn installs(&self, file: &str) -> bool {
        self.installed.has(file)
    }

    /// Is the project a package of Python that is made to be installed?
    pub fn is_installed(&self) -> bool {
        self.is_installed
    }

    /// Is there a package of JavaScript that is not marked as private?
    pub fn is_published(&self) -> bool {
        self.is_published
    }
}

/// What stands for the name of a function within it.
pub const FUNCTION_NAMES: [&str; 3] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"];

/// The macros whose text is such, and those that use them.
fn spread<'b, Bodies: Iterator<Item = &'b Body>>(
    bodies: impl Fn() -> Bodies,
    is_such: impl Fn(&str) -> bool,
) -> HashSet<String> {
    let mut found: HashSet<String> = HashSet::new();
    loop {
        let known = found.len();
        for body in bodies() {
            let uses_one = || words_of(&body.text).iter().any(|word| found.contains(&**word));
            if !found.contains(&body.name) && (is_such(&body.text) || uses_one()) {
                found.insert(body.name.clone());
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

/// Does a `package.json` say that the package is never published?
fn is_private_package(text: &str) -> bool {
    let dense: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    dense.contains("\"private\":true")
}

/// The other files of a project, as one of its programs sees them.
#[derive(Clone, Debug)]
pub struct Surroundings {
    project: Arc<Project>,
    own: Arc<HashSet<String>>,
    is_included: bool,
    reserved: Option<Arc<HashSet<String>>>,
}

impl Surroundings {
    /// The surroundings of a file that has been added to the project.
    ///
    /// ```
    /// use std::path::Path;
    /// use syntax::{Project, Surroundings};
    ///
    /// let mut project = Project::default();
    /// project.add(Path::new("a.py"), b"def run(): return local\n".to_vec());
    /// project.add(Path::new("setup.cfg"), b"start = a:run\n".to_vec());
    /// let around = Surroundings::of(&project.complete(), Path::new("a.py"), b"def run(): return local\n".to_vec());
    /// assert!(around.spells("run"));
    /// assert!(!around.spells("local"));
    /// ```
    pub fn of(project: &Arc<Project>, path: &Path, bytes: Vec<u8>) -> Surroundings {
        let text = text_of(bytes).unwrap_or_default();
        let own = words_of(&text).into_iter().map(Cow::into_owned).collect();
        let name = file_name(path);
        let is_included = is_header(&name) || project.included.contains(&name);
        Surroundings { project: Arc::clone(project), own: Arc::new(own), is_included, reserved: None }
    }

    /// Surroundings that refuse nothing, for replaying rewrites that were allowed before.
    pub fn forgotten() -> Surroundings {
        Surroundings { project: Arc::default(), own: Arc::default(), is_included: false, reserved: None }
    }

    /// The same, where new names of every kind must be unknown to the other files, and none of these.
    pub fn with_reserved(&self, names: Arc<HashSet<String>>) -> Surroundings {
        Surroundings { reserved: Some(names), ..self.clone() }
    }

    /// May another file mean this name: does it have the word, or a part that the name may be put together from?
    pub fn spells(&self, name: &str) -> bool {
        let is_begun = |(at, _): (usize, &str)| at + 1 < name.len() && at > 0 && self.has_word(&name[..=at]);
        self.has_word(name) || name.match_indices('_').any(is_begun) || self.is_pasted(name)
    }

    /// Does another file have this word?
    pub fn has_word(&self, word: &str) -> bool {
        let files = self.project.words.get(word).map_or(0, |count| count.files);
        files > u32::from(self.own.contains(word))
    }

    /// Does another program have this word?
    pub fn has_word_in_program(&self, word: &str) -> bool {
        let programs = self.project.words.get(word).map_or(0, |count| count.programs);
        programs > u32::from(self.own.contains(word))
    }

    /// May a macro from elsewhere that a program of C or C++ uses mean this name?
    pub fn is_expanded(&self, name: &str) -> bool {
        self.project.expanded.contains(name) || self.is_pasted(name)
    }

    /// May a macro from elsewhere that a program of C or C++ uses mean a member with this name?
    pub fn is_expanded_member(&self, name: &str) -> bool {
        self.project.members.contains(name) || self.is_expanded(name)
    }

    fn is_pasted(&self, name: &str) -> bool {
        self.project.pasted.iter().any(|part| name.starts_with(part.as_str()) || name.ends_with(part.as_str()))
    }

    /// May this be a macro from elsewhere that sees how its arguments are spelt?
    pub fn shows_arguments(&self, name: &str) -> bool {
        self.project.showing.contains(name)
    }

    /// What a macro from elsewhere stands for, if there is one of this name: a text for each of its definitions.
    pub fn texts_of_macro(&self, name: &str) -> impl Iterator<Item = &str> {
        self.project.texts.get(name).into_iter().flatten().map(String::as_str)
    }

    /// Is the program a header, or does another file include it?
    pub fn is_included(&self) -> bool {
        self.is_included
    }

    /// Is the project a package of Python that is made to be installed?
    pub fn is_installed(&self) -> bool {
        self.project.is_installed
    }

    /// The names that nothing new may have; `None` as long as local names are free.
    pub fn reserved(&self) -> Option<&HashSet<String>> {
        self.reserved.as_deref()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_header(name: &str) -> bool {
    let name = name.strip_suffix(".in").unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "h" | "hpp" | "hh" | "hxx" | "h++" | "H" | "ipp" | "inc" | "inl" | "def" | "tcc" | "tpp")
}

/// Decodes a file as text; `None` for a binary file. UTF-16, which Windows tools write, is recognised by its byte order mark.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => Some(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Some(wide(rest, u16::from_be_bytes)),
        _ if bytes[..bytes.len().min(8192)].contains(&0) => None,
        _ => Some(readable(bytes).0),
    }
}

/// The different words of a text. In JavaScript and Java a letter can be written as an escape.
fn words_of(text: &str) -> HashSet<Cow<'_, str>> {
    let mut words = HashSet::new();
    each_word(text, |range| _ = words.insert(Cow::Borrowed(&text[range])));
    if text.contains("\\u") {
        let plain = without_escapes(text);
        each_word(&plain, |range| _ = words.insert(Cow::Owned(plain[range].to_owned())));
    }
    words
}

/// The text with `\u0041` and `\u{41}` written as letters.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u") {
        plain.push_str(before);
        let digits = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}'),
            None => after.split_at_checked(4),
        };
        let letter =
            digits.and_then(|(digits, rest)| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest)));
        match letter {
            Some((letter, after)) => {
                plain.push(letter);
                rest = after;
            }
            None => {
                plain.push_str("\\u");
                rest = after;
            }
        }
    }
    plain + rest
}

/// The preprocessor's directives in a text, without their mark, each with its further lines.
fn directives(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let (line, continues) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match (goes_on, found.last_mut(), line.trim_start().strip_prefix('#')) {
            (true, Some(last), _) => last.push_str(line),
            (false, _, Some(directive)) => found.push(directive.trim_start().to_owned()),
            _ => continue,
        }
        goes_on = continues;
    }
    found
}

/// The name of the file that an `#include` is followed by.
fn included_file(place: &str) -> Option<String> {
    let path = place.strip_prefix(['"', '<'])?.split(['"', '>']).next()?;
    Some(path.rsplit(['/', '\\']).next()?.to_owned())
}

/// The macros that options such as `-DLEVEL=2` define.
fn defined_by_options(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("-D").filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let end = rest.find(|letter| !is_word_letter(letter)).unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    })
}

impl Macros {
    /// Adds what a directive says: the name of a macro, and the words of its body that are not parameters. What follows a
    /// dot or an arrow is a member, never a name of its own.
    fn add(&mut self, directive: &str) {
        let (parameters, body) = match directive.strip_prefix("define").map(str::trim_start) {
            None => (Vec::new(), directive),
            Some(definition) => {
                let end = definition.find(|letter| !is_word_letter(letter)).unwrap_or(definition.len());
                let (name, rest) = definition.split_at(end);
                self.expanded.insert(name.to_owned());
                let function = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
                let (parameters, body) = function.unwrap_or(("", rest));
                let has_parameters = function.is_some();
                self.bodies.push(Body { name: name.to_owned(), text: body.to_owned(), has_parameters });
                (parameters.split(',').map(str::trim).collect(), body)
            }
        };
        each_word(body, |range| {
            let word = &body[range.clone()];
            let (before, after) = (body[..range.start].trim_end(), body[range.end..].trim_start());
            let is_pasted = before.ends_with("##") || after.starts_with("##");
            if parameters.contains(&word) {
                self.pastes_arguments |= is_pasted;
                return;
            }
            if is_pasted {
                self.pasted.insert(word.to_owned());
            }
            let is_member = before.ends_with('.') || before.ends_with("->");
            let words = if is_member { &mut self.members } else { &mut self.expanded };
            words.insert(word.to_owned());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(path: &str, files: &[(&str, &str)]) -> Surroundings {
        let mut project = Project::default();
        for (path, text) in files {
            project.add(Path::new(path), text.as_bytes().to_vec());
        }
        let own = files.iter().find(|(other, _)| *other == path).unwrap().1;
        Surroundings::of(&project.complete(), Path::new(path), own.as_bytes().to_vec())
    }

    #[test]
    fn only_words_of_other_files_count() {
        let files = [("a.js", "start(inner)"), ("b.js", "st\\u0061rt()"), ("c.html", "<a onclick=\"$go()\">")];
        let around = around("a.js", &files);
        assert!(around.spells("start") && around.spells("go") && around.spells("$go"));
        assert!(!around.spells("inner"));
        assert!(around.has_word_in_program("start") && !around.has_word_in_program("go"));
    }

    #[test]
    fn a_name_may_be_put_together() {
        let files = [("a.py", "def do_run(): pass"), ("b.py", "getattr(a, 'do_' + word)")];
        assert!(around("a.py", &files).spells("do_run"));
        let files =
            [("a.c", "int do_run(void);"), ("b.h", "#define RUN(x) call(do_ ## x)\n#define MORE(x) x ## run\n")];
        assert!(around("a.c", &files).is_expanded("do_walk"));
        assert!(around("a.c", &files).is_expanded("overrun"));
        assert!(!around("a.c", &files).is_expanded("walk"));
    }

    #[test]
    fn macros_of_headers_mean_names_of_the_file_that_uses_them() {
        let header = "#define MAX(a, b) \\\n    ((a) > (b) ? (a) : limit(p->next))\n#include \"deep/part.c\"\n";
        let files = [("a.c", ""), ("b.h", header), ("part.c", "#define N n\n"), ("other.c", "#define K k\n")];
        let around_a = around("a.c", &files);
        for word in ["MAX", "limit", "N", "n"] {
            assert!(around_a.is_expanded(word), "{word}");
        }
        for word in ["a", "b", "next", "k", "define"] {
            assert!(!around_a.is_expanded(word), "{word}");
        }
        assert!(around_a.is_expanded_member("next") && !around_a.is_expanded_member("k"));
        assert!(around("part.c", &files).is_included() && around("b.h", &files).is_included());
        assert!(!around_a.is_included());
        let header = "#define SHOW(x) puts(#x)\n#define CHECK(x) SHOW(x)\n#define PLAIN(x) (x)\n";
        let files = [("a.c", ""), ("b.h", header)];
        let around_a = around("a.c", &files);
        assert!(around_a.shows_arguments("SHOW") && around_a.shows_arguments("CHECK"));
        assert!(!around_a.shows_arguments("PLAIN"));
        let files = [("a.c", ""), ("Makefile", "CFLAGS += -DLEVEL=2 -O2\n")];
        assert!(around("a.c", &files).is_expanded("LEVEL"));
    }

    #[test]
    fn bytes_that_are_not_text_say_nothing() {
        let mut project = Project::default();
        project.add(Path::new("a.o"), b"start\0stop".to_vec());
        project.add(Path::new("b.txt"), b"\xff\xfew\0i\0d\0e\0".to_vec());
        project.add(Path::new("c.txt"), b"gr\xfcn blue".to_vec());
        let around = Surroundings::of(&project.complete(), Path::new("d.c"), Vec::new());
        assert!(!around.spells("start"));
        assert!(around.spells("wide") && around.spells("blue"));
    }

    #[test]
    fn names_that_somebody_may_put_together() {
        let project = |text: &str| {
            let mut project = Project::default();
            project.add(Path::new("a.c"), text.as_bytes().to_vec());
            project.complete()
        };
        assert!(project("char *begin = \"do_\";").may_put_together("do_run"));
        assert!(project("#define RUN(x) do_ ## x\n").may_put_together("do_run"));
        assert!(project("#define JOIN(a, b) a ## b\nint JOIN(over, run);\n").may_put_together("overrun"));
        assert!(project("#define JOIN(a, b) a ## _ ## b\nint JOIN(do, run);\n").may_put_together("do_run"));
        assert!(!project("#define BOTH(a, b) a, b\nint BOTH(over, run);\n").may_put_together("overrun"));
    }

    #[test]
    fn packages_of_javascript_are_published_unless_they_are_private() {
        let is_published = |text: &str| {
            let mut project = Project::default();
            project.add(Path::new("package.json"), text.as_bytes().to_vec());
            project.complete().is_published()
        };
        assert!(is_published("{\"name\": \"a\"}"));
        assert!(!is_published("{\"name\": \"a\", \"private\" : true}"));
    }
}
