//! The forms that lists of rewrites give to the programs of a data set.
//!
//! A child of the search shares the beginning of its list with a parent, so the program after every gene is kept for a while: only
//! what stands after the shared beginning is rewritten. What a gene does to a program depends on the gene and on the text of the
//! original program, never on other inputs, other genes of the list, or on what is kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use model::{Code, Input};
use random::{Random, seed_of};
use rayon::prelude::*;
use search::Parts;
use search::evolve::Genotype;
use syntax::Program;
use transformation::Selection;
use transformation::apply::apply;

use crate::examples::{Example, Examples, Question};

/// The total bytes of programs that are kept between generations. Their trees and tables take many times as much.
const MOST_KEPT: usize = 16 << 20;

/// The programs of a data set, with what lists of rewrites have made of them.
pub struct Forms<'f> {
    examples: &'f Examples,
    selections: &'f [Selection],
    parts: Parts,
    sources: Vec<Source>,
    generation: usize,
}

/// A program of the data set.
struct Source {
    original: Arc<Program>,
    /// What tells it from programs with another text.
    digest: u64,
    /// Is it a part of an input that may be changed?
    may_change: bool,
    /// What lists have made of it, with the generation that needed it last, and its bytes.
    kept: HashMap<Genotype, Kept>,
}

struct Kept {
    program: Arc<Program>,
    generation: usize,
    bytes: usize,
}

/// A data set under a list of rewrites.
pub struct Form {
    /// For every program of the data set what the list has made of it.
    programs: Vec<Arc<Program>>,
}

impl<'f> Forms<'f> {
    /// Reads the programs of a data set. Genes name transformations by their places in `selections`.
    pub fn new(examples: &'f Examples, selections: &'f [Selection], parts: Parts) -> Forms<'f> {
        let mut changing = HashSet::new();
        for example in &examples.items {
            let programs = example.question.programs();
            changing.extend(parts.of(programs.len()).into_iter().map(|part| programs[part]));
        }
        let source = |(place, source): (usize, &crate::examples::Source)| {
            let Code { language, text } = &source.code;
            Source {
                original: Arc::new(Program::parse(*language, text.clone())),
                digest: seed_of(&[language.name().as_bytes(), text.as_bytes()]),
                may_change: changing.contains(&place),
                kept: HashMap::new(),
            }
        };
        let sources = examples.programs.par_iter().enumerate().map(source).collect();
        Forms { examples, selections, parts, sources, generation: 0 }
    }

    /// The data set under every list, on all cores.
    pub fn of(&mut self, genotypes: &[Genotype]) -> Vec<Form> {
        self.generation += 1;
        let (generation, selections) = (self.generation, self.selections);
        let all = |source: &mut Source| -> Vec<Arc<Program>> {
            genotypes.iter().map(|genotype| source.under(genotype, selections, generation)).collect()
        };
        let mut by_source: Vec<_> = self.sources.par_iter_mut().map(all).collect::<Vec<_>>();
        self.forget();
        let mut forms: Vec<Form> = genotypes.iter().map(|_| Form { programs: Vec::new() }).collect();
        for programs in &mut by_source {
            forms.iter_mut().zip(programs.drain(..)).for_each(|(form, program)| form.programs.push(program));
        }
        forms
    }

    /// What a model is asked about an example, and whether it differs from the original.
    pub fn input(&self, form: &Form, example: &Example) -> (Input, bool) {
        let programs = example.question.programs();
        let changing = self.parts.of(programs.len());
        let mut is_changed = false;
        let mut code = |part: usize| {
            let place = programs[part];
            let original = &self.examples.programs[place].code;
            let text = match changing.contains(&part) {
                true => form.programs[place].text(),
                false => &original.text,
            };
            is_changed |= *text != original.text;
            Code { language: original.language, text: text.to_owned() }
        };
        let input = match &example.question {
            Question::Code(_) => Input::Code(code(0)),
            Question::Pair(..) => Input::Pair(code(0), code(1)),
            Question::CodeAndText(_, text) => Input::CodeAndText(code(0), text.clone()),
        };
        (input, is_changed)
    }

    /// Forgets what the last generation did not need, when there is too much; and everything, when that is still too much.
    fn forget(&mut self) {
        let bytes = |sources: &[Source]| -> usize {
            sources.iter().flat_map(|source| source.kept.values()).map(|kept| kept.bytes).sum()
        };
        for oldest in [self.generation, usize::MAX] {
            if bytes(&self.sources) <= MOST_KEPT {
                break;
            }
            self.sources.iter_mut().for_each(|source| source.kept.retain(|_, kept| kept.generation >= oldest));
        }
    }
}

impl Source {
    /// What a list makes of the program.
    fn under(&mut self, genotype: &Genotype, selections: &[Selection], generation: usize) -> Arc<Program> {
        let mut program = Arc::clone(&self.original);
        if !self.may_change || program.is_broken() {
            return program;
        }
        // The longest beginning that is known.
        let known = (1..=genotype.len()).rev().find(|length| self.kept.contains_key(&genotype[..*length]));
        for length in 1..=genotype.len() {
            let prefix = &genotype[..length];
            if let Some(kept) = self.kept.get_mut(prefix) {
                kept.generation = generation;
                program = Arc::clone(&kept.program);
                continue;
            }
            // What stood before a known beginning was forgotten, and is not needed.
            if known.is_some_and(|known| length < known) {
                continue;
            }
            let gene = &prefix[length - 1];
            let seed = seed_of(&[&gene.seed.to_le_bytes(), &self.digest.to_le_bytes()]);
            let rewritten = selections.get(gene.transformation).and_then(|it| rewritten(&program, it, seed));
            let bytes = rewritten.as_ref().map_or(0, |rewritten| rewritten.text().len());
            program = rewritten.map_or(program, Arc::new);
            self.kept.insert(prefix.to_vec(), Kept { program: Arc::clone(&program), generation, bytes });
        }
        program
    }
}

/// One rewrite at a site that is drawn; sites that refuse are drawn no second time.
fn rewritten(program: &Program, selection: &Selection, seed: u64) -> Option<Program> {
    let mut random = Random::new(seed);
    let mut sites = selection.sites(program, None);
    while !sites.is_empty() {
        let site = sites.swap_remove(random.below(sites.len()));
        let site_seed = random.below(1 << 53) as u64;
        if let Ok(applied) = apply(program, selection.transformation, &site, site_seed, &selection.names) {
            return Some(applied.program);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use search::evolve::Gene;
    use transformation::Names;
    use transformation::recipe::select;

    use super::*;
    use crate::examples::Request;

    #[test]
    fn what_is_kept_changes_nothing_and_other_inputs_do_not_matter() {
        let folder = std::env::temp_dir().join(format!("allotrope-forms-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut rows = String::new();
        for number in 0..6 {
            let code = format!(
                "int f{number}(int n) {{ int sum = {number}; while (n > 0) {{ sum += n; n--; }} return sum; }}"
            );
            rows.push_str(&format!("{{\"func\": \"{code}\", \"target\": {}}}\n", number % 2));
        }
        rows.push_str("{\"func\": \"int broken( {{{\", \"target\": 1}\n");
        let path = folder.join("test.jsonl");
        std::fs::write(&path, rows).unwrap();
        let request =
            |limit| Request { path: path.clone(), language: Some(syntax::Language::C), limit, ..Request::default() };
        let examples = Examples::read(&request(None)).unwrap();
        let few = Examples::read(&request(Some(2))).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let selections = select("all", &Names::new("pseudo", Default::default()).unwrap()).unwrap();
        let texts = |forms: &Forms<'_>, form: &Form, examples: &Examples| -> Vec<String> {
            examples.items.iter().map(|example| forms.input(form, example).0.programs()[0].text.clone()).collect()
        };
        let mut random = Random::new(1);
        let mut gene = || Gene { transformation: random.below(selections.len()), seed: random.below(1 << 53) as u64 };
        let mut lists: Vec<Genotype> = (0..8).map(|length| (0..length).map(|_| gene()).collect()).collect();
        for parent in 0..8 {
            let mut child = lists[parent].clone();
            child.push(gene());
            lists.push(child);
        }
        let mut warm = Forms::new(&examples, &selections, Parts::Both);
        let mut changed = 0;
        for list in &lists {
            let form = warm.of(std::slice::from_ref(list)).remove(0);
            let mut cold = Forms::new(&examples, &selections, Parts::Both);
            let fresh = cold.of(std::slice::from_ref(list)).remove(0);
            let found = texts(&warm, &form, &examples);
            assert_eq!(found, texts(&cold, &fresh, &examples));
            let mut alone = Forms::new(&few, &selections, Parts::Both);
            let fresh = alone.of(std::slice::from_ref(list)).remove(0);
            assert_eq!(found[..2], texts(&alone, &fresh, &few));
            let of = |example: &Example| warm.input(&form, example).1;
            changed += examples.items.iter().filter(|example| of(example)).count();
            assert!(!of(&examples.items[6]), "a broken program gets no edits");
        }
        assert!(changed > 40, "{changed}");
        // All at once, and after everything was forgotten.
        let forms = warm.of(&lists);
        let before: Vec<_> = forms.iter().map(|form| texts(&warm, form, &examples)).collect();
        warm.sources.iter_mut().for_each(|source| source.kept.retain(|list, _| list.len() % 3 == 2));
        let forms = warm.of(&lists);
        assert!(forms.iter().map(|form| texts(&warm, form, &examples)).eq(before));
    }
}
