//! Several teachers with their students in one run: the tables and figures of MetaCompress, with the paper's numbers beside ours where the student is
//! the same published one.
//!
//! Each group, a teacher with its students on a data set, is a run of its own in a folder `TASK-MODEL` of the run's, which `report` shows. The tables
//! over all groups are in `tables`, and what the figures show is in `figures`, as CSV: of figure 1 the quality of adversarial examples, of figure 2
//! the attack success rates, of figures 5 and 6 the violations of MR1 and MR2 with their intervals, and of figure 7 the quartiles of both divergences. The
//! paper prints figures 1, 2, 5, 6 and 7 as pictures without numbers, so that only its tables stand beside ours.

use std::path::Path;

use measure::{Cell, Spread, Summary, Table};
use serde::{Deserialize, Serialize};

use super::{Comparison, Fidelity, FidelityPlan, Gap, run as run_one};
use crate::data::write_file;
use crate::plan::{DataPlan, Plan, PlanError};
use crate::work::{Event, Pace, Watcher, WorkError};

/// Several teachers with their students.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GroupsPlan {
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    /// The attacks on each of the models. Its model and data are those of each group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<Plan>,
}

/// A teacher with its students on a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Group {
    /// What tables call the task, such as CD for clone detection or VP for vulnerability prediction.
    pub task: String,
    /// What they call the architecture of the teacher, such as CB for CodeBERT or GCB for GraphCodeBERT.
    pub model: String,
    /// As KIND:WHERE.
    pub teacher: String,
    pub data: DataPlan,
    #[serde(rename = "student")]
    pub students: Vec<GroupStudent>,
}

/// A student of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GroupStudent {
    /// How it was made, such as Compressor, AVATAR or MORPH.
    pub method: String,
    /// As KIND:WHERE.
    pub model: String,
    /// Is it the published student that the paper examined? Then its numbers stand beside ours.
    #[serde(default)]
    pub published: bool,
}

/// What a run over groups came to: for each the group and its fidelity.
pub struct GroupsFound(pub Vec<(Group, Fidelity)>);

/// Reads a plan from a TOML file.
pub fn read_plan(path: &Path) -> Result<GroupsPlan, PlanError> {
    let problem = |problem: String| PlanError::NoPlan { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    toml::from_str(&text).map_err(|error| problem(error.to_string()))
}

/// Follows a plan, or finishes what was begun in the folder.
pub fn run(plan: &GroupsPlan, output: &Path, pace: &Pace, watcher: &dyn Watcher) -> Result<GroupsFound, WorkError> {
    plan.check()?;
    let mut found = Vec::new();
    for group in &plan.groups {
        watcher.tell(Event::Note(format!("{}: {} and its students", group.name(), group.teacher)));
        let attack = plan.attack.as_ref();
        let one = FidelityPlan {
            teacher: group.teacher.clone(),
            students: group.students.iter().map(|student| student.model.clone()).collect(),
            data: group.data.clone(),
            attack: attack.map(|attack| Plan {
                model: group.teacher.clone(),
                data: group.data.clone(),
                ..attack.clone()
            }),
        };
        found.push((group.clone(), run_one(&one, &output.join(group.name()), pace, watcher)?));
    }
    let found = GroupsFound(found);
    for (name, _, table) in found.tables() {
        write_file(&output.join("tables").join(format!("{name}.md")), table.to_markdown().as_bytes())?;
        write_file(&output.join("tables").join(format!("{name}.csv")), table.to_csv().as_bytes())?;
    }
    for (name, table) in found.figures() {
        write_file(&output.join("figures").join(format!("{name}.csv")), table.to_csv().as_bytes())?;
    }
    Ok(found)
}

impl GroupsPlan {
    fn check(&self) -> Result<(), PlanError> {
        let unfit = |problem: String| Err(PlanError::Unfit(problem));
        if self.groups.is_empty() {
            return unfit("the plan has no [[group]]".to_owned());
        }
        for (place, group) in self.groups.iter().enumerate() {
            let name = group.name();
            if group.task.is_empty() || group.model.is_empty() || name.contains(['/', '\\']) {
                return unfit(format!(
                    "`{name}`: the task and the model of a group name its folder: give both, without slashes"
                ));
            }
            if self.groups[..place].iter().any(|other| other.name() == name) {
                return unfit(format!("two groups are called {name}"));
            }
            let mut methods: Vec<&str> = group.students.iter().map(|student| student.method.as_str()).collect();
            methods.sort_unstable();
            if let Some(twice) = methods.windows(2).find(|pair| pair[0] == pair[1]) {
                return unfit(format!("{name}: two students are made by {}", twice[0]));
            }
        }
        Ok(())
    }
}

impl Group {
    /// What its folder is called.
    pub fn name(&self) -> String {
        format!("{}-{}", self.task, self.model)
    }

    fn start(&self, figures: &str) -> Vec<Cell> {
        vec![self.task.as_str().into(), self.model.as_str().into(), figures.into()]
    }
}

/// The thresholds of MR3 and the numbers of bins of MR4.
const THRESHOLDS: [&str; 3] = ["0.8", "0.85", "0.9"];
const BINS: [usize; 3] = [10, 15, 20];

/// The numbers of the paper (MetaCompress, arXiv 2511, Tables 1 to 3) about the published students of one method.
struct Printed {
    task: &'static str,
    model: &'static str,
    method: &'static str,
    /// Table 1, in per cent.
    accuracy: f64,
    /// Table 2, at 0.8, 0.85 and 0.9. A dash there: no input has a confident answer of the teacher.
    confident: [Option<f64>; 3],
    /// Table 3, over 10, 15 and 20 bins.
    calibration: [f64; 3],
}

/// The accuracies of the teachers in Table 1, in per cent.
const PRINTED_TEACHERS: [(&str, &str, f64); 4] =
    [("CD", "CB", 96.7), ("CD", "GCB", 96.5), ("VP", "CB", 61.7), ("VP", "GCB", 60.8)];

const fn printed(
    task: &'static str,
    model: &'static str,
    method: &'static str,
    accuracy: f64,
    confident: [Option<f64>; 3],
    calibration: [f64; 3],
) -> Printed {
    Printed { task, model, method, accuracy, confident, calibration }
}

const fn three(one: f64, two: f64, three: f64) -> [Option<f64>; 3] {
    [Some(one), Some(two), Some(three)]
}

const PRINTED: [Printed; 12] = [
    printed("CD", "CB", "Compressor", 95.5, three(0.03, 0.03, 0.03), [0.017, 0.017, 0.017]),
    printed("CD", "CB", "AVATAR", 93.1, three(0.06, 0.05, 0.04), [0.035, 0.035, 0.035]),
    printed("CD", "CB", "MORPH", 95.7, three(0.03, 0.03, 0.03), [0.002, 0.002, 0.002]),
    printed("CD", "GCB", "Compressor", 93.9, three(0.04, 0.04, 0.04), [0.026, 0.026, 0.026]),
    printed("CD", "GCB", "AVATAR", 93.6, three(0.03, 0.03, 0.03), [0.063, 0.063, 0.063]),
    printed("CD", "GCB", "MORPH", 96.3, three(0.03, 0.03, 0.03), [0.003, 0.003, 0.003]),
    printed("VP", "CB", "Compressor", 59.2, [None; 3], [0.136, 0.142, 0.143]),
    printed("VP", "CB", "AVATAR", 60.6, [None; 3], [0.016, 0.016, 0.017]),
    printed("VP", "CB", "MORPH", 59.4, [None; 3], [0.133, 0.138, 0.139]),
    printed("VP", "GCB", "Compressor", 60.3, three(0.44, 0.45, 0.43), [0.092, 0.092, 0.092]),
    printed("VP", "GCB", "AVATAR", 59.3, three(0.6, 0.61, 0.62), [0.112, 0.112, 0.112]),
    printed("VP", "GCB", "MORPH", 59.7, three(0.5, 0.51, 0.49), [0.094, 0.096, 0.098]),
];

/// What the paper prints about a student, where it examined that one.
fn printed_of(group: &Group, student: &GroupStudent) -> Option<&'static Printed> {
    let is_same = |own: &&Printed| (own.task, own.model, own.method) == (&*group.task, &*group.model, &*student.method);
    PRINTED.iter().find(is_same).filter(|_| student.published)
}

/// A teacher's cells in a row of ours, and in one of the paper's.
type OfTeacher<'a> = &'a dyn Fn(&Group, &Comparison) -> [Cell; 2];

impl GroupsFound {
    /// The methods, in the order in which the plan names them.
    fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for student in self.0.iter().flat_map(|(group, _)| &group.students) {
            if !methods.contains(&student.method.as_str()) {
                methods.push(&student.method);
            }
        }
        methods
    }

    /// The tables: the name of the file, the title and the table of each.
    pub fn tables(&self) -> Vec<(&'static str, &'static str, Table)> {
        vec![
            ("table-1", "Table 1: accuracy, %", self.accuracies()),
            ("table-2", "Table 2: violations of MR3 at the confidence tau", self.confidences()),
            ("table-3", "Table 3: violations of MR4 over B bins", self.calibrations()),
        ]
    }

    /// What the figures show: the name of the file and the table of each. Those of attacks are there where there were attacks.
    pub fn figures(&self) -> Vec<(&'static str, Table)> {
        let mut figures = vec![
            ("figure-5", self.violations("label loyalty, violation")),
            ("figure-6", self.violations("probability loyalty, violation")),
            ("figure-7", self.divergences()),
        ];
        if self.0.iter().any(|(_, found)| !found.gaps.is_empty()) {
            figures.insert(0, ("figure-1", self.qualities()));
            figures.insert(1, ("figure-2", self.success_rates()));
        }
        figures
    }

    /// A table with a row of our numbers for each group, and one of the paper's where it has any. `own` and `theirs` make the cells of a student.
    fn beside(
        &self,
        columns: &[String],
        own: &dyn Fn(&Summary) -> Vec<Cell>,
        theirs: &dyn Fn(&Printed) -> Vec<Cell>,
        teacher: Option<OfTeacher<'_>>,
    ) -> Table {
        let methods = self.methods();
        let mut header = vec!["task".to_owned(), "model".to_owned(), "numbers".to_owned()];
        header.extend(teacher.map(|_| "teacher".to_owned()));
        for method in &methods {
            header.extend(columns.iter().map(|column| format!("{method} {column}").trim().to_owned()));
        }
        let mut table = Table::new(header);
        for (group, found) in &self.0 {
            let (mut ours, mut papers) = (group.start("ours"), group.start("paper"));
            if let (Some(teacher), Some(first)) = (teacher, found.comparisons.first()) {
                let [own, printed] = teacher(group, first);
                ours.push(own);
                papers.push(printed);
            }
            let mut is_printed = false;
            for method in &methods {
                let place = group.students.iter().position(|student| student.method == *method);
                let comparison = place.and_then(|place| found.comparisons.get(place));
                let nothing = || vec![Cell::Number(None); columns.len()];
                ours.extend(comparison.map_or_else(nothing, |comparison| own(&comparison.summary)));
                let printed = place.and_then(|place| printed_of(group, &group.students[place]));
                is_printed |= printed.is_some();
                papers.extend(printed.map_or_else(nothing, theirs));
            }
            table.push(ours);
            if is_printed {
                table.push(papers);
            }
        }
        table
    }

    fn accuracies(&self) -> Table {
        let percent =
            |value: Option<f64>| value.map_or(Cell::Number(None), |value| format!("{:.1}", 100.0 * value).into());
        let teacher = |group: &Group, comparison: &Comparison| {
            let printed = PRINTED_TEACHERS.iter().find(|own| (own.0, own.1) == (&*group.task, &*group.model));
            let printed = printed.map_or(Cell::Number(None), |own| format!("{:.1}", own.2).into());
            [percent(comparison.summary.value("accuracy of the teacher")), printed]
        };
        let own = |summary: &Summary| vec![percent(summary.value("accuracy of the student"))];
        self.beside(&[String::new()], &own, &|own| vec![format!("{:.1}", own.accuracy).into()], Some(&teacher))
    }

    fn confidences(&self) -> Table {
        let columns = THRESHOLDS.map(|tau| format!("tau = {tau}"));
        let own = |summary: &Summary| {
            let measure = |tau: &str| format!("confident agreement at {tau}, violation");
            THRESHOLDS.iter().map(|tau| super::with_interval(summary, &measure(tau))).collect()
        };
        let theirs = |own: &Printed| own.confident.iter().map(|value| Cell::Number(*value)).collect();
        self.beside(&columns, &own, &theirs, None)
    }

    fn calibrations(&self) -> Table {
        let columns = BINS.map(|bins| format!("B = {bins}"));
        let own = |summary: &Summary| {
            let measure = |bins: &usize| format!("calibration agreement, {bins} bins");
            BINS.iter().map(|bins| super::with_interval(summary, &measure(bins))).collect()
        };
        let theirs = |own: &Printed| own.calibration.iter().map(|value| Cell::Number(Some(*value))).collect();
        self.beside(&columns, &own, &theirs, None)
    }

    /// What a figure of bars shows: a row for each student.
    fn violations(&self, measure: &str) -> Table {
        let mut table = Table::new(["task", "model", "method", "inputs", "violation", "interval"]);
        for (group, student, comparison) in self.pairs() {
            let line = comparison.summary.line(measure);
            table.push([
                group.task.as_str().into(),
                group.model.as_str().into(),
                student.method.as_str().into(),
                comparison.n.into(),
                line.and_then(|line| line.value).into(),
                line.and_then(|line| line.interval).into(),
            ]);
        }
        table
    }

    fn divergences(&self) -> Table {
        let header =
            ["pair", "divergence", "least", "lower quartile", "median", "upper quartile", "most", "mean", "infinite"];
        let mut table = Table::new(header);
        for (group, student, comparison) in self.pairs() {
            // As the paper names them: CB-CD-AV.
            let pair = format!("{}-{}-{}", group.model, group.task, student.method);
            for (name, (spread, infinite)) in ["P || Q", "Q || P"].iter().zip(&comparison.spreads) {
                let number = |of: fn(&Spread) -> f64| Cell::Number(spread.as_ref().map(of));
                table.push([
                    pair.as_str().into(),
                    (*name).into(),
                    number(|own| own.least),
                    number(|own| own.lower_quartile),
                    number(|own| own.median),
                    number(|own| own.upper_quartile),
                    number(|own| own.most),
                    number(|own| own.mean),
                    (*infinite).into(),
                ]);
            }
        }
        table
    }

    /// Every student with its group and how it compares.
    fn pairs(&self) -> impl Iterator<Item = (&Group, &GroupStudent, &Comparison)> {
        self.0.iter().flat_map(|(group, found)| {
            group.students.iter().zip(&found.comparisons).map(move |(student, comparison)| (group, student, comparison))
        })
    }

    /// The models that were attacked: the teacher of each group, and its students; what was found of a student also says what was found of its teacher.
    fn attacked(&self) -> Vec<(&Group, String, &Gap, usize)> {
        let mut all = Vec::new();
        for (group, found) in &self.0 {
            all.extend(found.gaps.first().map(|gap| (group, "teacher".to_owned(), gap, 0)));
            all.extend(
                group.students.iter().zip(&found.gaps).map(|(student, gap)| (group, student.method.clone(), gap, 1)),
            );
        }
        all
    }

    fn qualities(&self) -> Table {
        let mut table = Table::new(["task", "model", "method", "attack", "ICR", "TCR", "AED", "ACS"]);
        for (group, method, gap, of) in self.attacked() {
            for attack in &gap.attacks {
                let start: [Cell; 4] = [
                    group.task.as_str().into(),
                    group.model.as_str().into(),
                    method.as_str().into(),
                    attack.attack.as_str().into(),
                ];
                table.push(start.into_iter().chain(attack.quality[of].iter().map(|value| Cell::from(*value))));
            }
        }
        table
    }

    fn success_rates(&self) -> Table {
        let mut table = Table::new(["task", "model", "method", "attack", "attacked", "success rate", "interval"]);
        for (group, method, gap, of) in self.attacked() {
            for attack in &gap.attacks {
                table.push([
                    group.task.as_str().into(),
                    group.model.as_str().into(),
                    method.as_str().into(),
                    attack.attack.as_str().into(),
                    attack.attacked[of].into(),
                    attack.rates[of].into(),
                    attack.intervals[of].into(),
                ]);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_has_a_number_for_every_pair() {
        for (task, model, _) in PRINTED_TEACHERS {
            let own: Vec<&str> =
                PRINTED.iter().filter(|own| (own.task, own.model) == (task, model)).map(|own| own.method).collect();
            assert_eq!(own, ["Compressor", "AVATAR", "MORPH"]);
        }
        // Of the CodeBERT teacher of vulnerabilities no answer is confident; the largest violation is the 62 % of the abstract.
        let confident = PRINTED.iter().flat_map(|own| own.confident).flatten();
        assert_eq!(confident.fold(0.0, f64::max), 0.62);
    }

    #[test]
    fn plans_that_name_things_twice_are_refused() {
        let text = |second: &str| {
            format!(
                "[[group]]\ntask = \"CD\"\nmodel = \"CB\"\nteacher = \"builtin:problems\"\ndata = {{ path = \"d\" }}\n\
                 [[group.student]]\nmethod = \"Compressor\"\nmodel = \"builtin:a\"\npublished = true\n{second}"
            )
        };
        let plan: GroupsPlan = toml::from_str(&text("")).unwrap();
        assert!(plan.check().is_ok());
        assert_eq!(printed_of(&plan.groups[0], &plan.groups[0].students[0]).map(|own| own.accuracy), Some(95.5));
        let twice = text("[[group.student]]\nmethod = \"Compressor\"\nmodel = \"builtin:b\"\n");
        let problem = toml::from_str::<GroupsPlan>(&twice).unwrap().check().unwrap_err().to_string();
        assert!(problem.contains("two students are made by Compressor"), "{problem}");
        let own = GroupsPlan { groups: vec![plan.groups[0].clone(); 2], ..plan.clone() };
        assert!(own.check().unwrap_err().to_string().contains("two groups are called CD-CB"));
        assert!(GroupsPlan { groups: Vec::new(), ..plan }.check().is_err());
    }
}
