//! Renames functions that files of a project share in all of them together, before the files get rewrites of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use random::{Random, seed_of};
use rayon::prelude::*;
use syntax::{Edit, Language, Program, Project, Surroundings, SymbolKind, Type};
use transformation::resolution::Shifts;
use transformation::shared::{Outline, SharedName, TRANSFORMATION, shared_names};
use transformation::{Arguments, Choice, Selection, Step, Tally, Wish};

use super::{Item, Job, Work, display, project_with};
use crate::manifest::SharedRename;
use crate::vary::{Beginning, Order, Scope};

/// The renames of all variants, and what the files begin with after them.
#[derive(Default)]
pub(super) struct Shared {
    /// By the paths of the inputs, and by the numbers of the variants.
    pub(super) beginnings: BTreeMap<PathBuf, BTreeMap<usize, Beginning>>,
    pub(super) renames: Vec<SharedRename>,
    pub(super) tally: Tally,
}

impl Shared {
    /// Decides about the names of a project. Nothing is renamed if a file cannot be read: nobody knows what it says.
    pub(super) fn of(job: &Job, items: &[Item], project: &Arc<Project>) -> Shared {
        let mut shared = Shared::default();
        let selected = |selection: &&Selection| selection.transformation.name == TRANSFORMATION;
        let Some(selection) = job.order.recipe.selections.iter().find(selected) else { return shared };
        let Some(members) = members(items, project) else { return shared };
        let outlines: Vec<Outline> =
            members.par_iter().map(|member| Outline::of(&member.program(), &member.item.place, project)).collect();
        let mut names = shared_names(&outlines, project);
        leave_out_words_of_binaries(&mut names, items);
        let count = rewrites(&job.order, &outlines);
        for number in 1..=job.order.variants {
            let mut renaming = Renaming::new(&members, selection, job.order.seed, number);
            renaming.draw(&names, count);
            shared.tally.add(renaming.tally);
            if let Some(texts) = renaming.texts() {
                let project = project_with(items, &texts);
                for (member, (bytes, steps)) in members.iter().zip(renaming.results(&texts)) {
                    let surroundings = Arc::new(Surroundings::of(&project, &member.item.path, bytes.clone()));
                    let beginnings = shared.beginnings.entry(member.item.path.clone()).or_default();
                    beginnings.insert(number, Beginning { bytes, steps, surroundings });
                }
                shared.renames.extend(renaming.renames);
            }
        }
        shared
    }
}

/// A program of the project that is rewritten.
struct Member<'i> {
    item: &'i Item,
    language: Language,
    bytes: Vec<u8>,
    surroundings: Arc<Surroundings>,
}

impl Member<'_> {
    fn program(&self) -> Program {
        Program::from_bytes(self.language, self.bytes.clone()).within(Some(Arc::clone(&self.surroundings)))
    }
}

fn members<'i>(items: &'i [Item], project: &Arc<Project>) -> Option<Vec<Member<'i>>> {
    let mut members = Vec::new();
    for item in items {
        match item.work {
            Work::Program(language) => {
                let bytes = super::read_program(&item.path).ok()?;
                let surroundings = Arc::new(Surroundings::of(project, &item.path, bytes.clone()));
                members.push(Member { item, language, bytes, surroundings });
            }
            Work::Rows(_) | Work::Copy => _ = std::fs::File::open(&item.path).ok()?,
        }
    }
    Some(members)
}

/// A library or an archive in the project may have been made from its functions, or call them.
fn leave_out_words_of_binaries(names: &mut Vec<SharedName>, items: &[Item]) {
    for item in items.iter().filter(|item| matches!(item.work, Work::Copy)) {
        if names.is_empty() {
            return;
        }
        let bytes = std::fs::read(&item.path).unwrap_or_default();
        if !bytes.contains(&0) {
            continue;
        }
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let words: HashSet<&[u8]> = bytes.split(|byte| !is_letter(byte)).collect();
        let has = |name: &str| words.contains(name.as_bytes()) || words.contains(format!("_{name}").as_bytes());
        names.retain(|shared| !has(&shared.name));
    }
}

/// How many of the rewrites are renames of this kind: as many as its share among the transformations, rounded up.
fn rewrites(order: &Order, outlines: &[Outline]) -> usize {
    let places = match order.scope {
        Scope::Global => 1,
        Scope::PerFile | Scope::EachFile => outlines.iter().filter(|outline| !outline.is_broken()).count(),
        Scope::PerFunction | Scope::EachFunction => outlines.iter().map(Outline::functions).sum(),
    };
    (order.count * places).div_ceil(order.recipe.selections.len())
}

/// The renames of one variant.
struct Renaming<'r> {
    members: &'r [Member<'r>],
    selection: &'r Selection,
    number: usize,
    random: Random,
    /// The programs that define what is renamed, which the new names are chosen for.
    homes: HashMap<usize, Program>,
    given: HashSet<String>,
    /// By the numbers of the files.
    edits: BTreeMap<usize, Vec<Edit>>,
    steps: BTreeMap<usize, Vec<Step>>,
    renames: Vec<SharedRename>,
    tally: Tally,
}

impl<'r> Renaming<'r> {
    fn new(members: &'r [Member<'r>], selection: &'r Selection, seed: u64, number: usize) -> Renaming<'r> {
        let seed = seed_of(&[&seed.to_le_bytes(), b"shared", &(number as u64).to_le_bytes()]);
        Renaming {
            members,
            selection,
            number,
            random: Random::new(seed),
            homes: HashMap::new(),
            given: HashSet::new(),
            edits: BTreeMap::new(),
            steps: BTreeMap::new(),
            renames: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Renames up to `count` of the names.
    fn draw(&mut self, names: &[SharedName], count: usize) {
        let mut left: Vec<&SharedName> = names.iter().collect();
        self.tally.sites += left.len();
        while !left.is_empty() && self.renames.len() < count {
            let shared = left.swap_remove(self.random.below(left.len()));
            let seed = self.random.below(1 << 53) as u64;
            match self.new_name(shared, seed) {
                Some(new) => self.rename(shared, new, seed),
                None => self.tally.refused += 1,
            }
        }
    }

    /// A name that no file of the project has.
    fn new_name(&mut self, shared: &SharedName, seed: u64) -> Option<String> {
        let members = self.members;
        let home = self.homes.entry(shared.home).or_insert_with(|| members[shared.home].program());
        let wish = Wish { hint: &shared.name, is_rename: true, kind: SymbolKind::Function, value_type: Type::Unknown };
        Choice::new(home, &self.selection.names, seed).without(&self.given).name(&wish)
    }

    fn rename(&mut self, shared: &SharedName, new: String, seed: u64) {
        for (file, places) in &shared.files {
            let edits = self.edits.entry(*file).or_default();
            let site = Shifts::of(edits).moved(&places[0]).expect("every identifier has one name");
            let arguments = Arguments { names: vec![new.clone()], ..Arguments::default() };
            let transformation = TRANSFORMATION.to_owned();
            let step = Step { transformation, site, seed, arguments, is_beside: false, is_shared: true };
            self.steps.entry(*file).or_default().push(step);
            edits.extend(places.iter().map(|range| Edit { range: range.clone(), text: new.clone() }));
        }
        self.renames.push(SharedRename {
            shared: shared.name.clone(),
            name: new.clone(),
            transformation: TRANSFORMATION.to_owned(),
            variant: self.number,
            files: shared.files.iter().map(|(file, _)| display(&self.members[*file].item.path)).collect(),
        });
        self.tally.applied += 1;
        self.given.insert(new);
    }

    /// The new texts of the files that change, by their paths. `None` if nothing changes, or if one of the files would not parse
    /// cleanly: either all of them change, or none.
    fn texts(&self) -> Option<BTreeMap<PathBuf, Vec<u8>>> {
        let text = |(file, edits): (&usize, &Vec<Edit>)| {
            let member = &self.members[*file];
            let rewritten = member.program().edited(edits).ok().filter(|rewritten| !rewritten.is_broken())?;
            Some((member.item.path.clone(), rewritten.bytes().to_vec()))
        };
        self.edits.iter().map(text).collect::<Option<BTreeMap<_, _>>>().filter(|texts| !texts.is_empty())
    }

    /// The text of each file, and the steps that lead to it.
    fn results<'t>(&'t self, texts: &'t BTreeMap<PathBuf, Vec<u8>>) -> impl Iterator<Item = (Vec<u8>, Vec<Step>)> + 't {
        self.members.iter().enumerate().map(|(file, member)| {
            let bytes = texts.get(&member.item.path).unwrap_or(&member.bytes).clone();
            (bytes, self.steps.get(&file).cloned().unwrap_or_default())
        })
    }
}
