//! Disagreement mining: the inputs on which a student and its teacher differ most, each with the smallest rewrite that separates them.
//!
//! Both models are queried on every input and on some variants of it. Where their classes differ already, nothing is rewritten. Where only a variant
//! separates them, the one on which they are farthest apart is taken, if it is valid, and rewrites are left out of it as long as the classes still
//! differ: in the end, undoing any single rewrite brings them together again. What is kept is checked like every variant.
//!
//! Table `findings`: what was found of an input, a [`Finding`]. `disagreements.jsonl` has those that disagree, the farthest apart first.

use std::collections::BTreeMap;
use std::path::Path;

use equivalence::{Comparison, Judge, Verdict};
use measure::statistics::wilson;
use measure::{Cell, Table};
use model::{Answer, Fault, Input, Model, Prediction};
use random::seed_of;
use rayon::prelude::*;
use rusqlite::params;
use search::{Candidate, Move, smallest};
use serde::{Deserialize, Serialize};
use syntax::Program;
use transformation::{Recipe, Variation};

use crate::attack::judge;
use crate::examples::{Examples, Truth};
use crate::fidelity::Incomparable;
use crate::plan::{DataPlan, PlanError, Validity};
use crate::run::{About, Json, RunPlan, Store, StoreError, inputs};
use crate::train::variants::VariantsPlan;
use crate::work::{Event, STOPPED, Watcher, WorkError, open_model, open_victim, read_examples};

/// Who is compared with whom, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DisagreePlan {
    /// The teacher, as KIND:WHERE.
    pub teacher: String,
    pub student: String,
    pub data: DataPlan,
    /// How variants are made.
    pub variants: VariantsPlan,
    /// How many variants of each input are tried; without any only the inputs themselves are compared.
    pub forms: usize,
    /// What a variant has to pass.
    pub validity: Validity,
    pub seed: u64,
}

const TABLES: &str = "
create table findings (
    number integer primary key references inputs,
    finding text not null
);
";

impl RunPlan for DisagreePlan {
    const COMMAND: &'static str = "disagree";
    const TABLES: &'static [&'static str] = &[TABLES];

    fn titles(&self) -> Vec<String> {
        vec!["teacher".to_owned(), "student".to_owned()]
    }
}

/// What was found of an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// Its place in the data set.
    pub number: usize,
    pub id: String,
    pub truth: Option<usize>,
    pub kind: Kind,
    /// What both say about the original.
    pub original: Option<Said>,
    /// What they say about the smallest variant that separates them, where one does.
    pub variant: Option<Said>,
    /// The rewrites that lead to it, and how many there were before any was left out.
    #[serde(default)]
    pub rewrites: Vec<Move>,
    #[serde(default)]
    pub rewrites_before: usize,
    /// The programs of the input, and those of the variant.
    #[serde(default)]
    pub programs: Vec<String>,
    #[serde(default)]
    pub rewritten: Vec<String>,
    /// How many variants separated them and were not valid.
    #[serde(default)]
    pub invalid: usize,
    /// How many inputs each model was queried on.
    pub queries: usize,
    /// Why there is no answer to the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How an input separates the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// As it is.
    Original,
    /// After a rewrite.
    Variant,
    /// Not at all.
    None,
    /// One of them has no answer.
    Unanswered,
}

/// What both models say about an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Said {
    pub teacher: Vec<f32>,
    pub student: Vec<f32>,
    /// Half of the sum of the differences of their probabilities, from 0 to 1.
    pub distance: f64,
}

impl Said {
    fn of(teacher: Vec<f32>, student: Vec<f32>) -> Said {
        let differences = teacher.iter().zip(&student).map(|(one, other)| f64::from((one - other).abs()));
        let distance = differences.sum::<f64>() / 2.0;
        Said { teacher, student, distance }
    }

    /// The classes that the teacher and the student find most probable.
    pub fn classes(&self) -> (usize, usize) {
        (class_of(&self.teacher), class_of(&self.student))
    }

    fn separates(&self) -> bool {
        let (teacher, student) = self.classes();
        teacher != student
    }
}

fn class_of(shares: &[f32]) -> usize {
    let best = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    shares.iter().position(|share| *share == best).unwrap_or(0)
}

/// What was found of all inputs.
pub struct Disagreements {
    pub examples: Examples,
    /// In the order of the data set.
    pub findings: Vec<Finding>,
}

/// Looks for disagreements, or finishes what was begun in the folder.
///
/// ```
/// use campaign::disagree::{DisagreePlan, run};
/// use campaign::plan::{DataPlan, Validity};
///
/// let teacher = "hf:../../fixtures/checkpoints/parity/roberta-two".to_owned();
/// let student = format!("{teacher}?weights=int8");
/// let path = "../../fixtures/programs/problems".into();
/// let data = DataPlan { path, task: Some(campaign::Task::Unlabelled), limit: Some(2), ..DataPlan::default() };
/// let (variants, validity) = (Default::default(), Validity::Scope);
/// let plan = DisagreePlan { teacher, student, data, variants, forms: 1, validity, seed: 0 };
/// let folder = std::env::temp_dir().join(format!("allotrope-disagree-{}", std::process::id()));
/// assert_eq!(run(&plan, &folder, &())?.findings.len(), 2);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(plan: &DisagreePlan, output: &Path, watcher: &dyn Watcher) -> Result<Disagreements, WorkError> {
    if plan.teacher == plan.student {
        let problem = format!("{} is the teacher and the student: nothing would be compared", plan.teacher);
        return Err(PlanError::Unfit(problem).into());
    }
    // What is only known by its answers has none to variants.
    let open = if plan.forms == 0 { open_model } else { open_victim };
    let (teacher, student) = (open(&plan.teacher)?, open(&plan.student)?);
    let examples = read_examples(&plan.data, watcher)?;
    let recipe = plan.variants.recipe(examples.programs.iter().map(|program| &program.code))?;
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let models = [teacher.as_ref(), student.as_ref()];
    let mut store = Store::begin(output, &About::new(plan.clone(), &models, digest), &rows)?;
    store.keep_truths(&examples)?;
    let judge = judge(plan.validity)?;
    let mut known = store.findings()?;
    watcher.tell(Event::Stage("looking for disagreements", Some(examples.items.len())));
    watcher.tell(Event::Steps(known.len()));
    let left: Vec<usize> = (0..examples.items.len()).filter(|number| !known.contains_key(number)).collect();
    let search = Search { plan, recipe, models, examples: &examples, judge: &judge, watcher };
    for some in left.chunks(TOGETHER) {
        let found = search.look_at(some)?;
        store.add(&found)?;
        watcher.tell(Event::Steps(found.len()));
        known.extend(found.into_iter().map(|finding| (finding.number, finding)));
    }
    let findings: Vec<Finding> = known.into_values().collect();
    if let Some(fault) = findings.first().and_then(|finding| finding.fault.clone())
        && findings.iter().all(|finding| finding.fault.is_some())
    {
        return Err(WorkError::NoAnswers { count: findings.len(), fault });
    }
    let found = Disagreements { examples, findings };
    let mut lines = String::new();
    for finding in found.ranked() {
        lines.push_str(&format!("{}\n", crate::run::text(finding)));
    }
    store.write_file("disagreements.jsonl", &lines)?;
    Ok(found)
}

/// How many inputs are looked at together.
const TOGETHER: usize = 16;

/// What a search needs.
struct Search<'s> {
    plan: &'s DisagreePlan,
    recipe: Recipe,
    models: [&'s dyn Model; 2],
    examples: &'s Examples,
    judge: &'s Judge,
    watcher: &'s dyn Watcher,
}

impl Search<'_> {
    fn look_at(&self, some: &[usize]) -> Result<Vec<Finding>, WorkError> {
        let forms: Vec<(Candidate, Vec<Candidate>)> = some.par_iter().map(|number| self.forms(*number)).collect();
        let inputs: Vec<Input> = forms
            .iter()
            .flat_map(|(original, variants)| std::iter::once(original).chain(variants).map(Candidate::input))
            .collect();
        let mut said = self.said(&inputs)?.into_iter();
        let mut findings = Vec::new();
        for (number, (original, variants)) in some.iter().zip(forms) {
            let of_original = said.next();
            let of_variants: Vec<Option<Result<Said, String>>> = variants.iter().map(|_| said.next()).collect();
            if self.watcher.should_stop() {
                return Err(WorkError::Interrupted(STOPPED));
            }
            let answered =
                variants.into_iter().zip(of_variants).filter_map(|(variant, said)| Some((variant, said?.ok()?)));
            findings.push(self.finding(*number, &original, of_original, answered.collect())?);
        }
        Ok(findings)
    }

    /// The input and its variants.
    fn forms(&self, number: usize) -> (Candidate, Vec<Candidate>) {
        let example = &self.examples.items[number];
        let original = Candidate::of(&self.examples.input(example));
        let variant = |form: usize| {
            let mut variant = original.clone();
            for part in 0..original.parts() {
                let seed = seed_of(&[
                    b"disagree",
                    &self.plan.seed.to_le_bytes(),
                    example.id.as_bytes(),
                    &(form as u64).to_le_bytes(),
                    &(part as u64).to_le_bytes(),
                ]);
                let program = original.program(part);
                let mut variation = Variation::of(Program::parse(program.language(), program.text().to_owned()));
                self.recipe.advance(&mut variation, self.plan.variants.rewrites, None, seed);
                for step in &variation.steps {
                    // A rewrite is repeated on the same text, so that it does what it did.
                    if let Ok(next) = variant.again(part, step) {
                        variant = next;
                    }
                }
            }
            variant
        };
        let variants = (0..self.plan.forms).map(variant).filter(|variant| !variant.moves().is_empty()).collect();
        (original, variants)
    }

    /// What both models say about each input, or why one of them says nothing.
    fn said(&self, inputs: &[Input]) -> Result<Vec<Result<Said, String>>, WorkError> {
        let [teacher, student] = self.models.map(|model| {
            let mut answers: Vec<Result<Answer, Fault>> = Vec::new();
            for some in inputs.chunks(model.together().max(1)) {
                if self.watcher.should_stop() {
                    break;
                }
                answers.extend(model.predict(some));
            }
            answers
        });
        if self.watcher.should_stop() {
            return Err(WorkError::Interrupted(STOPPED));
        }
        let mut all = Vec::new();
        for pair in teacher.into_iter().zip(student) {
            all.push(match pair {
                (Err(fault), _) | (_, Err(fault)) => Err(fault.to_string()),
                (Ok(teacher), Ok(student)) => Ok(said(teacher.prediction, student.prediction)?),
            });
        }
        Ok(all)
    }

    fn finding(
        &self,
        number: usize,
        original: &Candidate,
        of_original: Option<Result<Said, String>>,
        variants: Vec<(Candidate, Said)>,
    ) -> Result<Finding, WorkError> {
        let example = &self.examples.items[number];
        let truth = match example.truth {
            Truth::Class(class) => Some(class),
            Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
        };
        let mut finding = Finding {
            number,
            id: example.id.clone(),
            truth,
            kind: Kind::None,
            original: None,
            variant: None,
            rewrites: Vec::new(),
            rewrites_before: 0,
            programs: Vec::new(),
            rewritten: Vec::new(),
            invalid: 0,
            queries: 1 + variants.len(),
            fault: None,
        };
        let texts = |candidate: &Candidate| -> Vec<String> {
            (0..candidate.parts()).map(|part| candidate.program(part).text().to_owned()).collect()
        };
        match of_original {
            Some(Ok(said)) => finding.original = Some(said),
            Some(Err(fault)) => {
                (finding.kind, finding.fault) = (Kind::Unanswered, Some(fault));
                return Ok(finding);
            }
            None => return Ok(finding),
        }
        if finding.original.as_ref().is_some_and(Said::separates) {
            (finding.kind, finding.programs) = (Kind::Original, texts(original));
            return Ok(finding);
        }
        let mut separating: Vec<(Candidate, Said)> =
            variants.into_iter().filter(|(_, said)| said.separates()).collect();
        separating.sort_by(|(_, one), (_, other)| other.distance.total_cmp(&one.distance));
        for (variant, said) in separating {
            if !self.is_valid(number, original, &variant) {
                finding.invalid += 1;
                continue;
            }
            let (mut queries, mut best) = (0, said);
            let mut is_wanted = |smaller: &Candidate| -> Result<bool, WorkError> {
                queries += 1;
                let Some(Ok(said)) = self.said(&[smaller.input()])?.pop() else { return Ok(false) };
                let is_wanted = said.separates() && self.is_valid(number, original, smaller);
                if is_wanted {
                    best = said;
                }
                Ok(is_wanted)
            };
            let smallest = smallest(original, &variant, &mut is_wanted)?;
            finding.kind = Kind::Variant;
            finding.queries += queries;
            finding.rewrites_before = variant.moves().len();
            finding.rewrites = smallest.moves().to_vec();
            (finding.programs, finding.rewritten) = (texts(original), texts(&smallest));
            finding.variant = Some(best);
            break;
        }
        Ok(finding)
    }

    /// Does a variant pass what the plan asks for? What cannot be judged does not.
    fn is_valid(&self, number: usize, original: &Candidate, variant: &Candidate) -> bool {
        let wanted = self.plan.validity.wanted();
        let places = self.examples.items[number].question.programs();
        (0..variant.parts()).all(|part| {
            let steps = variant.steps(part);
            if steps.is_empty() {
                return true;
            }
            let verdicts = self.judge.judge(
                &Comparison {
                    language: variant.program(part).language(),
                    original: original.program(part).bytes(),
                    variant: variant.program(part).bytes(),
                    steps: &steps,
                    cases: &self.examples.programs[places[part]].cases,
                },
                wanted,
            );
            let requested = [
                (true, &verdicts.parse),
                (wanted.scope, &verdicts.scope),
                (wanted.compile, &verdicts.compile),
                (wanted.run, &verdicts.run),
            ];
            requested.into_iter().all(|(wanted, verdict)| !wanted || *verdict == Verdict::Holds)
        })
    }
}

fn said(teacher: Prediction, student: Prediction) -> Result<Said, Incomparable> {
    match (teacher, student) {
        (Prediction::Classes(teacher), Prediction::Classes(student)) if teacher.len() == student.len() => {
            Ok(Said::of(teacher, student))
        }
        (Prediction::Classes(teacher), Prediction::Classes(student)) => {
            let (teacher, classes) = (teacher.len(), student.len());
            Err(Incomparable::Classes { teacher, student: "the student".to_owned(), classes })
        }
        (Prediction::Classes(_), _) => Err(Incomparable::NoClasses("the student".to_owned())),
        _ => Err(Incomparable::NoClasses("the teacher".to_owned())),
    }
}

impl Store<DisagreePlan> {
    /// What was found so far, by the numbers of the inputs. What had no answer is looked at again.
    pub fn findings(&self) -> Result<BTreeMap<usize, Finding>, StoreError> {
        let all: Vec<Finding> = self.read(|connection| {
            let mut rows = connection.prepare("select finding from findings order by number")?;
            rows.query_map([], |row| row.get(0).map(|Json(finding)| finding))?.collect()
        })?;
        let answered = all.into_iter().filter(|finding: &Finding| finding.fault.is_none());
        Ok(answered.map(|finding| (finding.number, finding)).collect())
    }

    fn add(&mut self, findings: &[Finding]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached("insert or replace into findings values (?1, ?2)")?;
            for finding in findings {
                insert.execute(params![finding.number, Json(finding)])?;
            }
            Ok(())
        })
    }
}

impl Finding {
    /// What both say where they disagree.
    pub fn said(&self) -> Option<&Said> {
        match self.kind {
            Kind::Original => self.original.as_ref(),
            Kind::Variant => self.variant.as_ref(),
            Kind::None | Kind::Unanswered => None,
        }
    }
}

impl Disagreements {
    /// The inputs that separate the models, the farthest apart first.
    pub fn ranked(&self) -> Vec<&Finding> {
        let mut ranked: Vec<&Finding> = self.findings.iter().filter(|finding| finding.said().is_some()).collect();
        let distance = |finding: &Finding| finding.said().map_or(0.0, |said| said.distance);
        ranked.sort_by(|one, other| distance(other).total_cmp(&distance(one)).then(one.number.cmp(&other.number)));
        ranked
    }

    /// How many inputs separate the models as they are, and how many of the others do after a rewrite, with their shares.
    pub fn counts(&self) -> Table {
        let count = |kind: Kind| self.findings.iter().filter(|finding| finding.kind == kind).count();
        let [original, variant, none] = [Kind::Original, Kind::Variant, Kind::None].map(count);
        let mut table = Table::new(["inputs", "count", "of", "share", "95 % interval"]);
        for (name, count, all) in [
            ("separate teacher and student as they are", original, original + variant + none),
            ("agree, and are separated by a rewrite", variant, variant + none),
        ] {
            let share = (all > 0).then(|| count as f64 / all as f64);
            table.push([name.into(), count.into(), all.into(), share.into(), Cell::Interval(wilson(count, all, 0.95))]);
        }
        table
    }

    /// The farthest apart: a row each.
    pub fn table(&self, most: usize) -> Table {
        let header = ["", "input", "truth", "teacher", "student", "distance", "smallest rewrite", "rewrites before"];
        let mut table = Table::new(header);
        let label = |class: usize| self.examples.labels.get(class).cloned().unwrap_or_else(|| class.to_string());
        for (place, finding) in self.ranked().into_iter().take(most).enumerate() {
            let Some(said) = finding.said() else { continue };
            let (teacher, student) = said.classes();
            let names: Vec<&str> = finding.rewrites.iter().map(|own| own.step.transformation.as_str()).collect();
            let rewrite = if names.is_empty() { "none is needed".to_owned() } else { names.join(", ") };
            table.push([
                (place + 1).into(),
                finding.id.as_str().into(),
                finding.truth.map_or("–".to_owned(), label).into(),
                format!("{} ({:.3})", label(teacher), said.teacher[teacher]).into(),
                format!("{} ({:.3})", label(student), said.student[student]).into(),
                said.distance.into(),
                rewrite.into(),
                finding.rewrites_before.into(),
            ]);
        }
        table
    }
}
