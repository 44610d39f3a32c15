//! The names of an input that may be changed, and how to change several of them at once.

use std::ops::Range;

use transformation::names::NamesMaterial;
use transformation::{Choice, Class, Names, Selection, Sites, Transformation};

use crate::candidate::Candidate;

/// A name that may be changed: a variable, a parameter, a function. Two variables of the same spelling are two.
#[derive(Clone)]
pub struct Identifier {
    /// The index of its program.
    pub part: usize,
    pub name: String,
    /// The ranges where it is written, in order.
    pub occurrences: Vec<Range<usize>>,
    transformation: &'static Transformation,
    /// Its index among the sites of the transformation, and their number: renames change neither.
    place: usize,
    count: usize,
}

/// The names in some of the programs that the selected transformations may change, in the order of their declarations. Each can be changed
/// whatever was done to the others.
pub fn identifiers(candidate: &Candidate, selections: &[Selection], parts: &[usize]) -> Vec<Identifier> {
    found(candidate, selections, parts, is_rename)
}

/// The same with the functions that can get an alias, whose name can be chosen, too. After an alias they are to be found anew, because its
/// declaration is one more name.
pub fn identifiers_and_aliases(candidate: &Candidate, selections: &[Selection], parts: &[usize]) -> Vec<Identifier> {
    found(candidate, selections, parts, |unit| unit.class == Class::Naming)
}

fn found(
    candidate: &Candidate,
    selections: &[Selection],
    parts: &[usize],
    is_wanted: impl Fn(&Transformation) -> bool,
) -> Vec<Identifier> {
    let mut found = Vec::new();
    for part in parts.iter().copied() {
        let program = candidate.program(part);
        let mut of_part = Vec::new();
        for selection in selections.iter().filter(|selection| is_wanted(selection.transformation)) {
            let sites = Sites::of(selection.transformation, program);
            for (place, site) in sites.iter().enumerate() {
                let name = program.text()[site.range.clone()].to_owned();
                let names = only(&name, "allotrope_probe");
                // A rename changes the name wherever it is written, so its edits say where that is.
                let edits = site.edits(&mut Choice::new(program, &names, 0)).unwrap_or_default();
                let mut occurrences: Vec<Range<usize>> = edits.into_iter().map(|edit| edit.range).collect();
                occurrences.sort_by_key(|range| range.start);
                if occurrences.is_empty() {
                    continue;
                }
                of_part.push(Identifier {
                    part,
                    name,
                    occurrences,
                    transformation: selection.transformation,
                    place,
                    count: sites.len(),
                });
            }
        }
        of_part.sort_by_key(|identifier| identifier.occurrences[0].start);
        found.extend(of_part);
    }
    found
}

/// Does a transformation give what is declared other names? An alias for a function is a new name beside the old one, and moves the sites of
/// the others.
pub fn is_rename(transformation: &Transformation) -> bool {
    transformation.class == Class::Naming && transformation.name != "rename-api-alias"
}

impl Candidate {
    /// Renames some names of this candidate. `None` if one of the new names is not legal or not fresh, or would change
    /// the meaning of the program.
    pub fn renamed<'c>(&self, changes: impl IntoIterator<Item = (&'c Identifier, &'c str)>) -> Option<Candidate> {
        let mut candidate = self.clone();
        for (identifier, name) in changes {
            let program = candidate.program(identifier.part);
            let sites = Sites::of(identifier.transformation, program);
            let site = sites.get(identifier.place).filter(|_| sites.len() == identifier.count)?;
            if program.text()[site.range.clone()] != identifier.name {
                return None;
            }
            let names = only(&identifier.name, name);
            let next = candidate.applied(identifier.part, identifier.transformation, site, 0, &names).ok()?;
            drop(sites);
            candidate = next;
        }
        Some(candidate)
    }
}

/// The input with every occurrence of a name replaced with a word, which need not be a legal name.
pub fn masked(candidate: &Candidate, identifier: &Identifier, word: &str) -> model::Input {
    candidate.input_with(|part| {
        let text = candidate.program(part).text();
        if part != identifier.part {
            return text.to_owned();
        }
        let mut masked = String::with_capacity(text.len());
        let mut done = 0;
        for range in &identifier.occurrences {
            masked.push_str(&text[done..range.start]);
            masked.push_str(word);
            done = range.end;
        }
        masked.push_str(&text[done..]);
        masked
    })
}

/// A source that maps one name to one name.
fn only(old: &str, new: &str) -> Names {
    let substitutes = [(old.to_owned(), vec![new.to_owned()])].into();
    Names::new("substitutes", NamesMaterial { substitutes, ..NamesMaterial::default() })
        .expect("the source is in the catalogue")
}

/// Can the identifier be renamed to this name at all?
pub fn is_possible(candidate: &Candidate, identifier: &Identifier, name: &str) -> bool {
    let program = candidate.program(identifier.part);
    syntax::names::is_legal(program.language(), name) && program.is_fresh(name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use model::{Code, Input};
    use syntax::Language;
    use transformation::recipe::select;

    use super::*;

    fn candidate(text: &str) -> Candidate {
        Candidate::of(&Input::Code(Code { language: Language::C, text: text.to_owned() }))
    }

    fn found(candidate: &Candidate) -> Vec<Identifier> {
        identifiers(candidate, &select("names", &Names::typed()).unwrap(), &[0])
    }

    #[test]
    fn names_of_the_same_spelling_are_told_apart() {
        let original = candidate("int f(int n) { int x = n; { int x = 2; n += x; } return x + n; }");
        let names = found(&original);
        let spelled: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
        assert_eq!(spelled, ["n", "x", "x"]);
        assert_eq!(names[0].occurrences.len(), 4);
        let changed = original.renamed([(&names[2], "inner"), (&names[0], "k")]).unwrap();
        assert_eq!(
            changed.program(0).text(),
            "int f(int k) { int x = k; { int inner = 2; k += inner; } return x + k; }"
        );
        assert_eq!(changed.moves().len(), 2);
    }

    #[test]
    fn an_alias_is_no_rename_of_a_name() {
        let text = "import math\ndef f(x):\n    y = math.sqrt(x)\n    z = abs(y)\n    return z\n";
        let original = Candidate::of(&Input::Code(Code { language: Language::Python, text: text.to_owned() }));
        let all = identifiers(&original, &select("all", &Names::typed()).unwrap(), &[0]);
        let names: Vec<&str> = all.iter().map(|name| name.name.as_str()).collect();
        assert_eq!(names, ["y", "z"]);
        assert!(original.renamed([(&all[0], "root"), (&all[1], "size")]).is_some());
    }

    #[test]
    fn every_rename_begins_at_a_declaration() {
        let units = select("names", &Names::typed()).unwrap();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs/corners");
        let languages = ["c", "cpp", "java", "javascript", "python"];
        let mut sites = 0;
        for entry in languages.iter().flat_map(|language| std::fs::read_dir(folder.join(language)).unwrap()) {
            let path = entry.unwrap().path();
            let Ok(program) = syntax::Program::from_file(&path, None) else { continue };
            let scopes = program.scopes();
            let declarations = scopes.symbols().flat_map(|(symbol, _)| scopes.declarations_of(symbol));
            let declared: HashSet<Range<usize>> = declarations.map(|node| program.node(node).range()).collect();
            for unit in units.iter().filter(|unit| is_rename(unit.transformation)) {
                for site in Sites::of(unit.transformation, &program).iter() {
                    let name = &program.text()[site.range.clone()];
                    assert!(declared.contains(&site.range), "{}: {name}", path.display());
                    sites += 1;
                }
            }
        }
        assert!(sites > 1000, "{sites}");
    }

    #[test]
    fn names_never_merge() {
        let original = candidate("int f(int n) { int x = n; return x; }");
        let names = found(&original);
        assert!(original.renamed([(&names[0], "x")]).is_none());
        assert!(original.renamed([(&names[0], "same"), (&names[1], "same")]).is_none());
        assert!(original.renamed([(&names[0], "while")]).is_none());
        assert!(!is_possible(&original, &names[0], "x"));
        assert!(is_possible(&original, &names[0], "vacant"));
    }

    #[test]
    fn a_mask_stands_wherever_the_name_is_written() {
        let original = candidate("int f(int n) { int x = n; return x + n; }");
        let names = found(&original);
        let Input::Code(code) = masked(&original, &names[0], "<unk>") else { panic!("it is one program") };
        assert_eq!(code.text, "int f(int <unk>) { int x = <unk>; return x + <unk>; }");
    }
}
