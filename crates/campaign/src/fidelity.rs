//! Does a student still behave like its teacher, beyond accuracy? The relations of MetaCompress, and the robustness gap.
//!
//! Teacher and student are any two models with the same classes: a student and what it was distilled from, a quantised model and
//! the full one, a new one and the old one, a served one and the local one. Their answers lie in a file of the run, and every
//! number here is computed from them.

mod answers;
pub mod groups;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use measure::metrics::{RobustnessGap, VALID_RATE, kl_divergence, robustness_gap};
use measure::statistics::{friedman, mcnemar};
use measure::summary::{self, input_numbers};
use measure::{Bootstrap, Cell, Interval, Spread, Summary, Table, spread};
use model::{Model, Noise};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::attack::{self, Attacked};
use crate::compare::{self, Column, Duel, Judged, duels};
use crate::control::steered;
use crate::evaluate::answers;
use crate::examples::{Examples, Truth};
use crate::plan::{DataPlan, Plan, PlanError, Resolved};
use crate::run::{About, InputRow, RunPlan, Store, StoreError, cluster, inputs};
use crate::trial::noise_of_run;
use crate::work::{Event, Pace, STOPPED, Watcher, WorkError, open_model, read_examples};

pub use answers::AnswerRow;

/// What is compared with what, on which inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FidelityPlan {
    /// The teacher, as KIND:WHERE.
    pub teacher: String,
    pub students: Vec<String>,
    /// The inputs.
    pub data: DataPlan,
    /// The attacks on each of the models; its model is the teacher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<Plan>,
}

impl FidelityPlan {
    /// All models, the teacher first.
    pub fn models(&self) -> Vec<&str> {
        std::iter::once(self.teacher.as_str()).chain(self.students.iter().map(String::as_str)).collect()
    }

    /// The folder with the attacks on one of the models, within that of the run.
    pub fn attack_folder(&self, folder: &Path, model: usize) -> PathBuf {
        folder.join("attacks").join(self.titles()[model].replace(' ', "-"))
    }

    /// The attacks on each of the models, the teacher first, with what they come to.
    fn attacks(&self) -> Result<Vec<(Plan, Resolved)>, PlanError> {
        let on = |model: &str, attack: &Plan| {
            let plan = Plan { model: model.to_owned(), ..attack.clone() };
            plan.resolve().map(|resolved| (plan, resolved))
        };
        let attacks = |attack: &Plan| self.models().into_iter().map(|model| on(model, attack)).collect();
        self.attack.as_ref().map_or(Ok(Vec::new()), attacks)
    }

    /// Refuses a plan that compares nothing.
    fn check(&self) -> Result<(), PlanError> {
        if self.students.is_empty() {
            return Err(PlanError::Unfit("the plan names no student".to_owned()));
        }
        if let Some(same) = self.students.iter().find(|student| **student == self.teacher) {
            return Err(PlanError::Unfit(format!("{same} is the teacher and a student: nothing would be compared")));
        }
        Ok(())
    }
}

/// How far students follow their teacher.
pub struct Fidelity {
    /// The inputs.
    pub examples: Examples,
    /// How often the answers of the teacher and of each student changed when they were queried again.
    pub noise: Vec<Noise>,
    /// Each student beside its teacher.
    pub comparisons: Vec<Comparison>,
    /// The robustness gap of each student, where there were attacks.
    pub gaps: Vec<Gap>,
    /// The file with all answers.
    pub answers: PathBuf,
}

/// Queries teacher and students, attacks them where the plan says so, and compares them. The run in the folder is begun or resumed.
///
/// ```
/// use campaign::fidelity::{self, FidelityPlan};
/// use campaign::plan::DataPlan;
/// use campaign::work::Pace;
///
/// let teacher = "hf:../../fixtures/checkpoints/parity/roberta-two".to_owned();
/// let students = vec![format!("{teacher}?weights=int8")];
/// let path = "../../fixtures/programs/problems".into();
/// let data = DataPlan { path, task: Some(campaign::Task::Unlabelled), limit: Some(4), ..DataPlan::default() };
/// let folder = std::env::temp_dir().join(format!("allotrope-fidelity-{}", std::process::id()));
/// let plan = FidelityPlan { teacher, students, data, attack: None };
/// let found = fidelity::run(&plan, &folder, &Pace::default(), &())?;
/// assert_eq!(found.comparisons[0].n, 4);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(plan: &FidelityPlan, output: &Path, pace: &Pace, watcher: &dyn Watcher) -> Result<Fidelity, WorkError> {
    // What cannot be done to the last of the students is said before the first is queried.
    plan.check()?;
    plan.attacks()?;
    let models = plan.models().into_iter().map(open_model).collect::<Result<Vec<_>, WorkError>>()?;
    run_models(plan, &models.iter().map(Box::as_ref).collect::<Vec<_>>(), output, pace, watcher)
}

/// The same, on models that are open already, the teacher first. The plan names each as its identity does.
pub fn run_models(
    plan: &FidelityPlan,
    models: &[&dyn Model],
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Fidelity, WorkError> {
    plan.check()?;
    let attacks = plan.attacks()?;
    let examples = read_examples(&plan.data, watcher)?;
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let mut store = Store::begin(output, &About::new(plan.clone(), models, digest), &rows)?;
    store.keep_truths(&examples)?;
    let work = Comparing { plan, models, attacks, examples, store, output, pace };
    steered(output, FidelityPlan::COMMAND, watcher, |watcher| work.run(watcher))
}

/// A comparison whose store has begun.
struct Comparing<'c> {
    plan: &'c FidelityPlan,
    models: &'c [&'c dyn Model],
    attacks: Vec<(Plan, Resolved)>,
    examples: Examples,
    store: Store<FidelityPlan>,
    output: &'c Path,
    pace: &'c Pace,
}

impl Comparing<'_> {
    fn run(self, watcher: &dyn Watcher) -> Result<Fidelity, WorkError> {
        let Comparing { plan, models, attacks, examples, mut store, output, pace } = self;
        let known = Known::of(&examples);
        watcher.tell(Event::Stage("querying teacher and students", Some(examples.items.len() * models.len())));
        for (place, model) in models.iter().enumerate() {
            ask(&mut store, place, *model, &examples, watcher)?;
        }
        if watcher.should_stop() {
            return Err(WorkError::Interrupted(STOPPED));
        }
        let bootstrap = Bootstrap::default();
        let mut comparisons = Vec::new();
        for student in 1..models.len() {
            check_students(&[store.answers(0)?, store.answers(student)?])?;
            let found = comparison(&store, plan, student, &known, &bootstrap)??;
            store.keep_divergences(student, &found.inputs)?;
            comparisons.push(found);
        }
        let noise = noise_of_run(&mut store, models, &examples, watcher)?;
        let mut all: Vec<Attacked> = Vec::new();
        for (place, (of_model, resolved)) in attacks.into_iter().enumerate() {
            let folder = plan.attack_folder(output, place);
            let model = models[place];
            let attacked = attack::run_on(&of_model, resolved, (1, 1), &folder, model, &examples, pace, watcher)?;
            let is_interrupted = attacked.is_interrupted;
            all.push(attacked);
            if is_interrupted {
                return Err(WorkError::Interrupted(STOPPED));
            }
        }
        let columns = |of: &Attacked| compare::columns(None, of.goal, of.noise, &of.targets, of.records.clone());
        let students = all.iter().zip(plan.titles()).skip(1);
        let gaps: Vec<Gap> =
            students.map(|(own, title)| gap(&title, columns(&all[0]), columns(own), &bootstrap)).collect();
        let summary = json!({
            "comparisons": comparisons.iter().map(Comparison::to_json).collect::<Vec<_>>(),
            "robustness": gaps.iter().map(Gap::to_json).collect::<Vec<_>>(),
        });
        store.write_file("summary.json", &format!("{summary:#}\n"))?;
        Ok(Fidelity { examples, noise, comparisons, gaps, answers: store.file() })
    }
}

/// Attacks one of the models, the teacher being the first, on one part of the targets. Merged into [`FidelityPlan::attack_folder`], the parts
/// are what [`run`] would have done there.
pub fn attack_part(
    plan: &FidelityPlan,
    place: usize,
    shard: (usize, usize),
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Attacked, WorkError> {
    plan.check()?;
    let attack = plan.attacks()?.into_iter().nth(place);
    let (of_model, resolved) =
        attack.ok_or_else(|| PlanError::Unfit(format!("the plan has no attacks on a model {place}")))?;
    let examples = read_examples(&plan.data, watcher)?;
    let model = open_model(&of_model.model)?;
    attack::run_on(&of_model, resolved, shard, output, model.as_ref(), &examples, pace, watcher)
}

/// What the store of a run says.
pub struct FidelitySummary {
    /// Each student beside its teacher.
    pub comparisons: Vec<Comparison>,
    /// The robustness gap of each student, where there were attacks.
    pub gaps: Vec<Gap>,
    /// The classes of the truths, by the places of inputs.
    pub truths: Vec<Option<usize>>,
}

/// What a run says as far as it has come: the students that were queried, and the gaps of those that were attacked like their teacher.
pub fn summary(store: &Store<FidelityPlan>, bootstrap: &Bootstrap) -> Result<FidelitySummary, WorkError> {
    let plan = store.about()?.plan;
    let truths = store.truths()?;
    let rows = store.inputs()?;
    let class = |row: &InputRow| match truths.truth(row) {
        Truth::Class(class) => Some(class),
        Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
    };
    let known =
        Known { truths: rows.iter().map(class).collect(), clusters: rows.into_iter().map(|row| row.cluster).collect() };
    let mut comparisons = Vec::new();
    for student in 1..=plan.students.len() {
        if !store.done(student)?.is_empty() {
            comparisons.push(comparison(store, &plan, student, &known, bootstrap)??);
        }
    }
    let attacked = |model: usize| -> Result<Option<Vec<Column>>, StoreError> {
        let folder = plan.attack_folder(store.folder(), model);
        if plan.attack.is_none() || !folder.is_dir() {
            return Ok(None);
        }
        let run: Store<Plan> = Store::open(&folder)?;
        let noise = run.noise()?.and_then(|noise| noise.first().copied());
        let goal = run.about()?.plan.goal().ok().flatten();
        Ok(Some(compare::columns(None, goal, noise, &run.inputs()?, run.records()?)))
    };
    let mut gaps = Vec::new();
    for (place, title) in plan.titles().iter().enumerate().skip(1) {
        if let (Some(teacher), Some(student)) = (attacked(0)?, attacked(place)?) {
            gaps.push(gap(title, teacher, student, bootstrap));
        }
    }
    Ok(FidelitySummary { comparisons, gaps, truths: known.truths })
}

/// What is known about the inputs, by their places in the data set.
struct Known {
    /// The classes of the truths.
    truths: Vec<Option<usize>>,
    /// What must stay together when inputs are resampled.
    clusters: Vec<String>,
}

impl Known {
    fn of(examples: &Examples) -> Known {
        Known { truths: truths(examples), clusters: examples.items.iter().map(cluster).collect() }
    }
}

/// Where models do not answer at all, that is what is wrong.
fn check_students(all: &[Vec<AnswerRow>]) -> Result<(), WorkError> {
    for rows in all {
        if let Some(fault) = rows.first().and_then(|row| row.fault.clone())
            && rows.iter().all(|row| row.fault.is_some())
        {
            return Err(WorkError::NoAnswers { count: rows.len(), fault });
        }
    }
    Ok(())
}

/// Why answers cannot be compared.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Incomparable {
    /// A model gives no classes.
    #[error("{0} does not answer with classes, which fidelity compares")]
    NoClasses(String),
    /// The models have different classes.
    #[error(
        "the teacher knows {teacher} classes and {student} knows {classes}: only models with the same labels can be compared"
    )]
    Classes {
        /// The classes of the teacher.
        teacher: usize,
        student: String,
        classes: usize,
    },
    /// Nothing was answered by both.
    #[error("there is no input that the teacher and {0} have both answered")]
    Nothing(String),
}

/// Queries a model on the inputs that it has not answered yet, and keeps every batch before the next. A stop is obeyed between
/// batches.
fn ask(
    store: &mut Store<FidelityPlan>,
    place: usize,
    model: &dyn Model,
    examples: &Examples,
    watcher: &dyn Watcher,
) -> Result<(), StoreError> {
    let done = store.done(place)?;
    let left: Vec<usize> = (0..examples.items.len()).filter(|number| !done.contains(number)).collect();
    watcher.tell(Event::Steps(done.len()));
    for some in left.chunks(model.together().max(1)) {
        let answers = answers(model, examples, some, watcher);
        let rows = some.iter().zip(answers).map(|(number, answer)| AnswerRow::of(place, *number, answer));
        store.add(&rows.collect::<Vec<AnswerRow>>())?;
    }
    Ok(())
}

/// The classes of the truths, by the numbers of the examples; `None` where it is not a class.
pub fn truths(examples: &Examples) -> Vec<Option<usize>> {
    let truth = |truth: &Truth| match truth {
        Truth::Class(class) => Some(*class),
        Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
    };
    examples.items.iter().map(|example| truth(&example.truth)).collect()
}

/// What the answers of a student say about how it follows its teacher.
pub struct Comparison {
    /// The student, by its title.
    pub student: String,
    /// On how many inputs both have answered.
    pub n: usize,
    /// Accuracies, and the violations of the four relations, each with its interval.
    pub summary: Summary,
    /// How likely such a difference of accuracies is by chance (McNemar).
    pub p: Option<f64>,
    /// How KL(teacher || student) and KL(student || teacher) are spread over the inputs, and how many are infinite.
    pub spreads: [(Option<Spread>, usize); 2],
    /// Every input, in the order of the data set.
    pub inputs: Vec<Compared>,
}

/// What teacher and student say about one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its place in the data set.
    pub number: usize,
    /// The probabilities of the teacher.
    pub teacher: Vec<f64>,
    /// The probabilities of the student.
    pub student: Vec<f64>,
    /// KL(teacher || student), which MR2 is about.
    pub from_teacher: f64,
    /// KL(student || teacher).
    pub from_student: f64,
}

impl Compared {
    /// The label of the teacher and that of the student.
    pub fn labels(&self) -> (usize, usize) {
        (class_of(&self.teacher), class_of(&self.student))
    }
}

/// Compares a student with its teacher.
fn comparison(
    store: &Store<FidelityPlan>,
    plan: &FidelityPlan,
    student: usize,
    known: &Known,
    bootstrap: &Bootstrap,
) -> Result<Result<Comparison, Incomparable>, StoreError> {
    let titles = plan.titles();
    let (of_teacher, of_student) = (store.answers(0)?, store.answers(student)?);
    for (title, rows) in [(&titles[0], &of_teacher), (&titles[student], &of_student)] {
        if rows.iter().any(|row| row.fault.is_none() && row.probabilities.is_none()) {
            return Ok(Err(Incomparable::NoClasses(title.clone())));
        }
    }
    let other: BTreeMap<usize, &AnswerRow> = of_student.iter().map(|row| (row.number, row)).collect();
    let mut inputs = Vec::new();
    for row in &of_teacher {
        let known = row.probabilities.as_ref().zip(other.get(&row.number).and_then(|row| row.probabilities.as_ref()));
        let Some((teacher, student_says)) = known else { continue };
        if teacher.len() != student_says.len() {
            let (teacher, classes) = (teacher.len(), student_says.len());
            return Ok(Err(Incomparable::Classes { teacher, student: titles[student].clone(), classes }));
        }
        let pair = kl_divergence(teacher, student_says).zip(kl_divergence(student_says, teacher));
        let Some((from_teacher, from_student)) = pair else { continue };
        inputs.push(Compared {
            number: row.number,
            teacher: teacher.clone(),
            student: student_says.clone(),
            // Probabilities in single precision do not add up to one exactly, which can leave a divergence just below 0.
            from_teacher: from_teacher.max(0.0),
            from_student: from_student.max(0.0),
        });
    }
    if inputs.is_empty() {
        return Ok(Err(Incomparable::Nothing(titles[student].clone())));
    }
    Ok(Ok(compared(&titles[student], inputs, known, bootstrap)))
}

fn compared(student: &str, inputs: Vec<Compared>, known: &Known, bootstrap: &Bootstrap) -> Comparison {
    let Known { truths, clusters } = known;
    let numbers = input_numbers(inputs.iter().map(|input| clusters[input.number].as_str()));
    let mut summary = Summary::default();
    let is_right = |input: &Compared, of: fn(&Compared) -> usize| truths[input.number].map(|truth| of(input) == truth);
    let right =
        |of: fn(&Compared) -> usize| -> Vec<Option<bool>> { inputs.iter().map(|input| is_right(input, of)).collect() };
    let (teacher_right, student_right) = (right(|input| input.labels().0), right(|input| input.labels().1));
    let number = |right: &Option<bool>| right.map(|right| f64::from(u8::from(right)));
    for (name, right) in [("accuracy of the teacher", &teacher_right), ("accuracy of the student", &student_right)] {
        let values: Vec<Option<f64>> = right.iter().map(number).collect();
        summary.push_share(name, &values, Some(&numbers), bootstrap);
    }
    let differences: Vec<Option<f64>> = teacher_right
        .iter()
        .zip(&student_right)
        .map(|(teacher, student)| Some(number(student)? - number(teacher)?))
        .collect();
    summary.push_difference("difference of accuracies", &differences, Some(&numbers), bootstrap);
    let (teacher, student_says): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
        inputs.iter().map(|input| (input.teacher.clone(), input.student.clone())).unzip();
    // Calibration is about the truth; where none is known only the other relations are.
    let known: Option<Vec<usize>> = inputs.iter().map(|input| truths[input.number]).collect();
    let stand_in = known.clone().unwrap_or_else(|| vec![0; inputs.len()]);
    if let Some(mut relations) = summary::fidelity(&teacher, &student_says, &stand_in, Some(&numbers), bootstrap) {
        relations.lines.retain(|line| known.is_some() || !line.measure.starts_with("calibration"));
        summary.lines.extend(relations.lines);
    }
    let pairs: Vec<(bool, bool)> =
        teacher_right.iter().zip(&student_right).filter_map(|(one, other)| (*one).zip(*other)).collect();
    let (one, other): (Vec<bool>, Vec<bool>) = pairs.into_iter().unzip();
    let spread_of = |of: fn(&Compared) -> f64| {
        let finite: Vec<f64> = inputs.iter().map(of).filter(|value| value.is_finite()).collect();
        (spread(&finite), inputs.len() - finite.len())
    };
    Comparison {
        student: student.to_owned(),
        n: inputs.len(),
        p: mcnemar(&one, &other).map(|test| test.p),
        summary,
        spreads: [spread_of(|input| input.from_teacher), spread_of(|input| input.from_student)],
        inputs,
    }
}

impl Comparison {
    /// The inputs on which the student is farthest from its teacher: other labels first, then by KL(teacher || student).
    pub fn worst(&self, most: usize) -> Vec<&Compared> {
        let mut worst: Vec<&Compared> = self.inputs.iter().collect();
        let is_other = |input: &Compared| input.labels().0 != input.labels().1;
        worst.sort_by(|one, other| {
            (is_other(other).cmp(&is_other(one))).then(other.from_teacher.total_cmp(&one.from_teacher))
        });
        worst.truncate(most);
        worst
    }

    /// Everything but the list of inputs.
    pub fn to_json(&self) -> Value {
        let spread = |(spread, infinite): &(Option<Spread>, usize)| json!({"spread": spread, "infinite": infinite});
        json!({"student": self.student, "n": self.n, "measures": self.summary, "p of accuracies": self.p,
            "KL(teacher || student)": spread(&self.spreads[0]), "KL(student || teacher)": spread(&self.spreads[1])})
    }
}

/// The accuracies, as in Table 1 of MetaCompress.
pub fn accuracy_table(all: &[Comparison]) -> Table {
    let header = ["student", "inputs", "teacher, %", "student, %", "difference", "p (McNemar)"];
    let mut table = Table::new(header);
    for one in all {
        let percent = |measure: &str| {
            one.summary.value(measure).map_or(Cell::Number(None), |value| Cell::Text(format!("{:.1}", 100.0 * value)))
        };
        table.push([
            one.student.as_str().into(),
            one.n.into(),
            percent("accuracy of the teacher"),
            percent("accuracy of the student"),
            with_interval(&one.summary, "difference of accuracies"),
            one.p.into(),
        ]);
    }
    table
}

/// The violations of MR1, MR2 and MR3, the last as in Table 2 of MetaCompress.
pub fn relation_table(all: &[Comparison]) -> Table {
    let header = ["student", "MR1", "MR2", "MR3, tau = 0.8", "tau = 0.85", "tau = 0.9", "confident inputs"];
    let mut table = Table::new(header);
    for one in all {
        let names = ["0.8", "0.85", "0.9"].map(|tau| format!("confident agreement at {tau}, violation"));
        let confident = names.iter().map(|name| one.summary.line(name).map_or(0, |line| line.n).to_string());
        let confident: Vec<String> = confident.collect();
        table.push([
            one.student.as_str().into(),
            with_interval(&one.summary, "label loyalty, violation"),
            with_interval(&one.summary, "probability loyalty, violation"),
            with_interval(&one.summary, &names[0]),
            with_interval(&one.summary, &names[1]),
            with_interval(&one.summary, &names[2]),
            confident.join(", ").into(),
        ]);
    }
    table
}

/// The violations of MR4, as in Table 3 of MetaCompress, and the mean over bins that hold an input beside it.
pub fn calibration_table(all: &[Comparison]) -> Table {
    let header = ["student", "B = 10", "B = 15", "B = 20", "filled of 10", "filled of 15", "filled of 20"];
    let mut table = Table::new(header);
    for one in all {
        let over = |bins: usize| with_interval(&one.summary, &format!("calibration agreement, {bins} bins"));
        let filled =
            |bins: usize| with_interval(&one.summary, &format!("calibration agreement, filled of {bins} bins"));
        table.push([one.student.as_str().into(), over(10), over(15), over(20), filled(10), filled(15), filled(20)]);
    }
    table
}

/// How both divergences are spread over the inputs: what a box plot shows.
pub fn divergence_table(all: &[Comparison]) -> Table {
    let header =
        ["student", "divergence", "least", "lower quartile", "median", "upper quartile", "most", "mean", "infinite"];
    let mut table = Table::new(header);
    for one in all {
        for (name, (spread, infinite)) in ["KL(teacher || student)", "KL(student || teacher)"].iter().zip(&one.spreads)
        {
            let number = |of: fn(&Spread) -> f64| Cell::Number(spread.as_ref().map(of));
            table.push([
                one.student.as_str().into(),
                (*name).into(),
                number(|spread| spread.least),
                number(|spread| spread.lower_quartile),
                number(|spread| spread.median),
                number(|spread| spread.upper_quartile),
                number(|spread| spread.most),
                number(|spread| spread.mean),
                (*infinite).into(),
            ]);
        }
    }
    table
}

fn with_interval(summary: &Summary, measure: &str) -> Cell {
    summary.line(measure).map_or(Cell::Number(None), compare::with_interval)
}

/// The measures of the quality of examples, in the order of the paper: ICR, TCR, AED, ACS.
const QUALITIES: [&str; 4] =
    ["identifier change rate", "token change rate", "edit distance of a name", "cosine similarity"];

/// How much easier a student is to attack than its teacher.
pub struct Gap {
    /// The student, by its title.
    pub student: String,
    /// For each attack what is known about it.
    pub attacks: Vec<GapOfAttack>,
    /// The gaps, and the tests that the paper makes of the quality of examples.
    pub gap: Option<RobustnessGap>,
    /// Friedman's p of the quality of the attacks' examples, for the teacher and for the student alone, as the paper has it.
    pub quality_of_attacks: [Option<f64>; 2],
}

impl Gap {
    /// Everything, for programs.
    pub fn to_json(&self) -> Value {
        let attack = |attack: &GapOfAttack| {
            json!({"attack": attack.attack, "success rates": attack.rates, "attacked": attack.attacked,
                "quality": attack.quality, "both attacked": attack.duel.as_ref().map(|duel| duel.n),
                "p": attack.duel.as_ref().and_then(|duel| duel.p)})
        };
        json!({"student": self.student, "attacks": self.attacks.iter().map(attack).collect::<Vec<_>>(),
            "gap": self.gap, "quality of attacks": self.quality_of_attacks})
    }
}

/// How an attack does against teacher and student.
pub struct GapOfAttack {
    pub attack: String,
    /// The rate of valid successes against each, over what was attacked.
    pub rates: [Option<f64>; 2],
    /// The intervals of these rates.
    pub intervals: [Option<Interval>; 2],
    /// How many of the examples were judged, and by what.
    pub judged: [Judged; 2],
    /// How many targets were attacked.
    pub attacked: [usize; 2],
    /// ICR, TCR, AED and ACS of the examples against each.
    pub quality: [[Option<f64>; 4]; 2],
    /// Both on the targets that both models had right; the first is the student.
    pub duel: Option<Duel>,
}

/// Compares what attacks did to a student and to its teacher. The columns are those of the two runs.
fn gap(student: &str, of_teacher: Vec<Column>, of_student: Vec<Column>, bootstrap: &Bootstrap) -> Gap {
    let mut others: BTreeMap<String, Column> =
        of_teacher.into_iter().map(|column| (column.name.clone(), column)).collect();
    let mut attacks = Vec::new();
    for column in of_student {
        let Some(teacher) = others.remove(&column.name) else { continue };
        let attack = column.name.clone();
        let pair = [teacher, column];
        let summaries = [pair[0].summary(bootstrap), pair[1].summary(bootstrap)];
        let rate = |summary: &Summary| summary.value(VALID_RATE);
        let interval = |summary: &Summary| summary.line(VALID_RATE).and_then(|line| line.interval);
        let judged = [&pair[0], &pair[1]].map(|column| Judged::of(column.records.values()));
        let attacked = |summary: &Summary| summary.line(VALID_RATE).map_or(0, |line| line.n);
        let quality = |summary: &Summary| QUALITIES.map(|measure| summary.value(measure));
        let [teacher, student] = pair;
        attacks.push(GapOfAttack {
            attack,
            rates: [rate(&summaries[0]), rate(&summaries[1])],
            intervals: [interval(&summaries[0]), interval(&summaries[1])],
            judged,
            attacked: [attacked(&summaries[0]), attacked(&summaries[1])],
            quality: [quality(&summaries[0]), quality(&summaries[1])],
            duel: duels(&[student, teacher], bootstrap).pop(),
        });
    }
    let rates = |of: usize| -> Option<Vec<f64>> { attacks.iter().map(|attack| attack.rates[of]).collect() };
    // A measure that any attack lacks, because it renames nothing or because a model embeds nothing, is not tested.
    let is_known =
        |measure: &usize| attacks.iter().all(|attack| attack.quality.iter().all(|of| of[*measure].is_some()));
    let known: Vec<usize> = (0..QUALITIES.len()).filter(is_known).collect();
    let quality = |of: usize| -> Vec<Vec<f64>> {
        attacks.iter().map(|attack| known.iter().filter_map(|measure| attack.quality[of][*measure]).collect()).collect()
    };
    let blocks = |of: usize| -> Vec<Vec<f64>> {
        known.iter().map(|measure| attacks.iter().filter_map(|attack| attack.quality[of][*measure]).collect()).collect()
    };
    let gap = rates(0).zip(rates(1)).and_then(|(one, other)| robustness_gap(&one, &other, &quality(0), &quality(1)));
    let quality_of_attacks = [friedman(&blocks(0)).map(|test| test.p), friedman(&blocks(1)).map(|test| test.p)];
    Gap { student: student.to_owned(), gap, quality_of_attacks, attacks }
}

/// The robustness gaps: a row for each attack on each student.
pub fn gap_table(all: &[Gap]) -> Table {
    let header = [
        "student",
        "attack",
        "ASR of teacher (attacked)",
        "ASR of student (attacked)",
        "gap",
        "both attacked",
        "gap on these",
        "p (McNemar)",
    ];
    let mut table = Table::new(header);
    for gap in all {
        for attack in &gap.attacks {
            let rate = |of: usize| match attack.rates[of] {
                Some(rate) => Cell::Text(format!("{rate:.3} ({})", attack.attacked[of])),
                None => Cell::Number(None),
            };
            let difference = attack.rates[1].zip(attack.rates[0]).map(|(student, teacher)| student - teacher);
            let duel = attack.duel.as_ref();
            table.push([
                gap.student.as_str().into(),
                attack.attack.as_str().into(),
                rate(0),
                rate(1),
                difference.into(),
                duel.map_or(0, |duel| duel.n).into(),
                duel.and_then(|duel| duel.difference.value).into(),
                duel.and_then(|duel| duel.p).into(),
            ]);
        }
    }
    table
}

/// The quality of the examples: a row for each attack on each model.
pub fn quality_table(all: &[Gap]) -> Table {
    let mut table = Table::new(["student", "attack", "against", "ICR", "TCR", "AED", "ACS"]);
    for gap in all {
        for attack in &gap.attacks {
            for (title, quality) in ["teacher", "student"].into_iter().zip(&attack.quality) {
                let start = [gap.student.as_str().into(), attack.attack.as_str().into(), title.into()];
                table.push(start.into_iter().chain(quality.iter().map(|value| Cell::from(*value))));
            }
        }
    }
    table
}

fn class_of(probabilities: &[f64]) -> usize {
    let best = probabilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    probabilities.iter().position(|probability| *probability == best).unwrap_or(0)
}
