//! Where links lead: to other documents, to files of the project, which get pages of their own, or nowhere.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::markdown::Page;
use super::{Body, Document, anchors};

/// A text beyond this is no page that anybody reads.
const LONGEST: u64 = 400_000;

/// The documents, with what links need to know about them.
pub struct Links<'r> {
    /// Those that were given, and after them those that were found by links.
    pub documents: Vec<Document>,
    root: Option<&'r Path>,
    /// The places of documents, by their paths.
    places: HashMap<String, usize>,
    /// The pages that a name alone means, such as that of a transformation.
    units: HashMap<String, String>,
    /// Files that are copied as they are, by the names that they get.
    pub assets: BTreeMap<String, Vec<u8>>,
    /// Links to anchors: the document that has it, how it is written, the place of the other document, and the anchor.
    anchored: Vec<(String, String, usize, String)>,
    /// The links that lead nowhere, each after its document.
    pub broken: Vec<String>,
}

/// The name of the page of a document.
pub fn file_of(path: &str) -> String {
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "._".contains(character) { character } else { '-' };
    let name: String = path.chars().map(plain).collect();
    match name.as_str() {
        "README.md" => "index.html".to_owned(),
        name => format!("{}.html", name.strip_suffix(".md").unwrap_or(name)),
    }
}

impl<'r> Links<'r> {
    pub fn new(documents: Vec<Document>, root: Option<&'r Path>) -> Links<'r> {
        let places = documents.iter().enumerate().map(|(place, one)| (one.path.clone(), place)).collect();
        let titled = |one: &Document| Some((one.title.clone()?, file_of(&one.path)));
        let mut units: HashMap<String, String> = HashMap::new();
        // Of two units with one name the first has it.
        for (title, file) in documents.iter().filter_map(titled) {
            units.entry(title).or_insert(file);
        }
        let (assets, anchored, broken) = (BTreeMap::new(), Vec::new(), Vec::new());
        Links { documents, root, places, units, assets, anchored, broken }
    }

    /// The page of what a piece of code names: a unit, or a command with its options.
    pub fn unit(&self, code: &str) -> Option<&str> {
        let command: Vec<&str> = code.split(' ').take(2).collect();
        let is_command = command.first() == Some(&"allotrope");
        let found = self.units.get(code).or_else(|| is_command.then(|| self.units.get(&command.join(" "))).flatten());
        found.map(String::as_str)
    }

    /// Where a link of a document leads, as the page has it. One that leads nowhere is noted.
    pub fn resolve(&mut self, from: &str, target: &str) -> Option<String> {
        if ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
            return Some(target.to_owned());
        }
        let (path, fragment) = target.split_once('#').map_or((target, None), |(path, rest)| (path, Some(rest)));
        let Some(place) = self.place_of(from, path) else {
            return match self.asset(from, path).filter(|_| fragment.is_none()) {
                Some(name) => Some(name),
                None => self.note(from, target),
            };
        };
        let file = if path.is_empty() { String::new() } else { file_of(&self.documents[place].path) };
        match fragment {
            None => Some(file),
            Some(fragment) => {
                self.anchored.push((from.to_owned(), target.to_owned(), place, fragment.to_owned()));
                Some(format!("{file}#{fragment}"))
            }
        }
    }

    /// The name of an image of a document, which is copied.
    pub fn image(&mut self, from: &str, target: &str) -> Option<String> {
        self.asset(from, target).or_else(|| self.note(from, target))
    }

    fn note(&mut self, from: &str, target: &str) -> Option<String> {
        self.broken.push(format!("{from}: {target}"));
        None
    }

    /// The document at a path of the project. A file or folder that is not a document yet is added as one.
    fn place_of(&mut self, from: &str, path: &str) -> Option<usize> {
        if path.is_empty() {
            return self.places.get(from).copied();
        }
        let path = joined(from, path)?;
        for known in [path.clone(), format!("{path}/README.md")] {
            if let Some(place) = self.places.get(&known) {
                return Some(*place);
            }
        }
        let file = self.root?.join(&path);
        let body = if file.is_dir() {
            Body::Markdown(listing(&file, &path))
        } else {
            let is_short = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
            Body::Text(std::fs::read_to_string(&file).ok().filter(|_| is_short)?)
        };
        self.places.insert(path.clone(), self.documents.len());
        // What is listed in a folder is linked from the folder's own place.
        self.documents.push(Document { title: Some(path.clone()), path, group: None, body });
        Some(self.documents.len() - 1)
    }

    fn asset(&mut self, from: &str, path: &str) -> Option<String> {
        let path = joined(from, path)?;
        let bytes = std::fs::read(self.root?.join(&path)).ok()?;
        let name = path.replace('/', "-");
        self.assets.insert(name.clone(), bytes);
        Some(name)
    }

    /// Notes links to anchors that no page has, once all pages are there.
    pub fn check_anchors(&mut self, pages: &[Page]) {
        for (from, target, place, fragment) in std::mem::take(&mut self.anchored) {
            if !anchors(&pages[place]).contains(fragment.as_str()) {
                self.note(&from, &target);
            }
        }
    }
}

/// A path that is written in a document, from the root. None leads out of it.
fn joined(from: &str, path: &str) -> Option<String> {
    // The path of a folder's page is the folder, and its links are written from the root.
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "" | "." => (),
            ".." => drop(parts.pop()?),
            part if part.contains(':') => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// What is in a folder of the project, as a document.
fn listing(folder: &Path, path: &str) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    let last = path.rsplit('/').next().unwrap_or(path);
    let mut text = format!("# {path}\n\n");
    for file in files {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_page = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LONGEST)
            && std::fs::read_to_string(&file).is_ok();
        match is_page && !name.starts_with('.') {
            true => text.push_str(&format!("- [{name}](<{last}/{name}>)\n")),
            false if !name.starts_with('.') => text.push_str(&format!("- {name}\n")),
            false => (),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_from_the_document_that_has_them() {
        assert_eq!(joined("docs/guide.md", "../models/README.md").as_deref(), Some("models/README.md"));
        assert_eq!(joined("README.md", "docs/ci/").as_deref(), Some("docs/ci"));
        assert_eq!(joined("README.md", "./a").as_deref(), Some("a"));
        for path in ["..", "../a", "javascript:x", "."] {
            assert_eq!(joined("README.md", path), None, "{path}");
        }
        assert_eq!(file_of("crates/search/EVIDENCE.md"), "crates-search-EVIDENCE.html");
        assert_eq!(file_of("docs/<ci>"), "docs--ci-.html");
    }
}
