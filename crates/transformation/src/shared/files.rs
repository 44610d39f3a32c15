//! The files of a project by their places: what an `#include` or an import means.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

use super::{Outline, Source};

/// The files by their places.
pub(super) struct Files<'f> {
    outlines: &'f [Outline],
    by_path: HashMap<&'f Path, usize>,
    by_name: HashMap<&'f str, Vec<usize>>,
}

impl<'f> Files<'f> {
    pub(super) fn of(outlines: &'f [Outline]) -> Files<'f> {
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::<&str, Vec<usize>>::new());
        for (file, outline) in outlines.iter().enumerate() {
            by_path.insert(outline.path.as_path(), file);
            if let Some(name) = outline.path.file_name().and_then(|name| name.to_str()) {
                by_name.entry(name).or_default().push(file);
            }
        }
        Files { outlines, by_path, by_name }
    }

    /// The files that a file includes, and those that they include.
    pub(super) fn included_by(&self, file: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            for path in &self.outlines[file].links.included {
                next.extend(self.included(file, path).into_iter().filter(|other| found.insert(*other)));
            }
        }
        found
    }

    /// The file that an `#include` means: the one beside the including file, or the only one whose path ends like this.
    fn included(&self, file: usize, path: &str) -> Option<usize> {
        let beside = self.beside(file, path);
        if let Some(found) = beside.and_then(|path| self.by_path.get(path.as_path()).copied()) {
            return Some(found);
        }
        let plain: PathBuf = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let files = self.by_name.get(plain.file_name()?.to_str()?)?;
        only(files.iter().copied().filter(|file| self.outlines[*file].path.ends_with(&plain)))
    }

    /// The module that a source of Python or JavaScript means.
    pub(super) fn module(&self, file: usize, source: &Source) -> Option<usize> {
        match source {
            Source::Module { dots: 0, parts } => {
                let module: PathBuf = parts.iter().collect();
                let ends = [module.with_extension("py"), module.join("__init__.py")];
                let files = (0..self.outlines.len()).filter(|file| {
                    let path = &self.outlines[*file].path;
                    ends.iter().any(|end| path.ends_with(end))
                });
                only(files)
            }
            Source::Module { dots, parts } => {
                let folder = self.outlines[file].path.ancestors().nth(*dots)?;
                let module = parts.iter().fold(folder.to_owned(), |path, part| path.join(part));
                let package = self.by_path.get(module.join("__init__.py").as_path());
                let found = package.or_else(|| self.by_path.get(module.with_extension("py").as_path()));
                found.copied()
            }
            Source::Script(path) => {
                let path = self.beside(file, path)?;
                let endings = ["", ".js", ".mjs", ".cjs", ".jsx", "/index.js", "/index.mjs", "/index.cjs"];
                let place = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
                endings.iter().find_map(|ending| self.by_path.get(place(ending).as_path()).copied())
            }
            Source::Included | Source::Class(_) => None,
        }
    }

    /// A path as it is seen from the folder of a file, without dots. `None` outside the project.
    fn beside(&self, file: usize, path: &str) -> Option<PathBuf> {
        let mut found = self.outlines[file].path.parent()?.to_owned();
        for part in Path::new(path).components() {
            match part {
                Component::Normal(part) => found.push(part),
                Component::CurDir => {}
                Component::ParentDir => found.pop().then_some(())?,
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(found)
    }
}

fn only<Item>(mut items: impl Iterator<Item = Item>) -> Option<Item> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
