//! The tasks that models of code are measured on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use transformation::Transformation;

/// What a model is asked about an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// Is the program vulnerable?
    Vulnerability,
    /// Do two programs do the same?
    Clone,
    /// Who wrote the program?
    Authorship,
    /// What does the program do, of several things?
    Functionality,
    /// Is the program faulty?
    Defect,
    /// What is the method called?
    MethodName,
    /// What does the program do, in a sentence?
    Captioning,
    /// What would its documentation say?
    Documentation,
    /// Does the program answer the question?
    CodeSearch,
    /// Nothing: programs without truth, on which only a model's own answers can be compared.
    Unlabelled,
}

/// The shape of what a model is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// One program.
    Code,
    /// Two programs.
    Pair,
    /// A program and a text.
    CodeAndText,
}

/// The shape of what is true about an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TruthKind {
    /// One of several classes.
    Class,
    /// A name.
    Name,
    /// A text.
    Text,
    /// Nothing is known.
    Nothing,
}

/// There is no such task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no task `{0}`: use one of {list}", list = Task::ALL.map(Task::name).join(", "))]
pub struct UnknownTask(
    /// The name as it was given.
    pub String,
);

/// The transformations after which another function may be the first of a program.
const NEW_ORDER: [&str; 3] = ["add-unused-function", "delegate-expression", "reorder-members"];

impl Task {
    /// Every task, in the order in which tables show them.
    pub const ALL: [Task; 10] = [
        Task::Vulnerability,
        Task::Clone,
        Task::Authorship,
        Task::Functionality,
        Task::Defect,
        Task::MethodName,
        Task::Captioning,
        Task::Documentation,
        Task::CodeSearch,
        Task::Unlabelled,
    ];

    /// The name in commands, records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Task::Vulnerability => "vulnerability",
            Task::Clone => "clone",
            Task::Authorship => "authorship",
            Task::Functionality => "functionality",
            Task::Defect => "defect",
            Task::MethodName => "method-name",
            Task::Captioning => "captioning",
            Task::Documentation => "documentation",
            Task::CodeSearch => "code-search",
            Task::Unlabelled => "unlabelled",
        }
    }

    /// Is the task about the same function after a transformation? A model that names a method takes the first of a program, so that a function
    /// which is added before it, or changes places with it, would be another question.
    pub fn is_the_same_after(self, transformation: &Transformation) -> bool {
        self != Task::MethodName || !NEW_ORDER.contains(&transformation.name.as_str())
    }

    /// What is asked, for people.
    pub const fn question(self) -> &'static str {
        match self {
            Task::Vulnerability => "is the program vulnerable?",
            Task::Clone => "do the two programs do the same?",
            Task::Authorship => "who wrote the program?",
            Task::Functionality => "which problem does the program solve?",
            Task::Defect => "is the program faulty?",
            Task::MethodName => "what is the method called?",
            Task::Captioning => "what does the program do, in a sentence?",
            Task::Documentation => "what does its documentation say?",
            Task::CodeSearch => "does the program answer the question?",
            Task::Unlabelled => "nothing, since nothing is known to be true",
        }
    }

    /// What a model is given.
    pub const fn input(self) -> InputKind {
        match self {
            Task::Clone => InputKind::Pair,
            Task::CodeSearch => InputKind::CodeAndText,
            Task::Vulnerability
            | Task::Authorship
            | Task::Functionality
            | Task::Defect
            | Task::MethodName
            | Task::Captioning
            | Task::Documentation
            | Task::Unlabelled => InputKind::Code,
        }
    }

    /// What is true about an example.
    pub const fn truth(self) -> TruthKind {
        match self {
            Task::Vulnerability
            | Task::Clone
            | Task::Authorship
            | Task::Functionality
            | Task::Defect
            | Task::CodeSearch => TruthKind::Class,
            Task::MethodName => TruthKind::Name,
            Task::Captioning | Task::Documentation => TruthKind::Text,
            Task::Unlabelled => TruthKind::Nothing,
        }
    }

    /// The classes of a task that is a question of yes and no; the first is no.
    pub const fn two_classes(self) -> Option<[&'static str; 2]> {
        match self {
            Task::Vulnerability => Some(["safe", "vulnerable"]),
            Task::Clone => Some(["different", "clone"]),
            Task::Defect => Some(["correct", "faulty"]),
            Task::CodeSearch => Some(["no-match", "match"]),
            Task::Authorship
            | Task::Functionality
            | Task::MethodName
            | Task::Captioning
            | Task::Documentation
            | Task::Unlabelled => None,
        }
    }

    /// The names of the measures by which models are compared on the task, the usual one first.
    pub const fn measures(self) -> &'static [&'static str] {
        match self {
            Task::Vulnerability | Task::Defect => &["accuracy", "f1", "precision", "recall", "mcc", "auc"],
            Task::Clone => &["f1", "precision", "recall", "accuracy", "mcc", "auc"],
            Task::Authorship | Task::Functionality => &["accuracy", "macro-f1", "macro-precision", "macro-recall"],
            Task::MethodName => &["subtoken-f1", "subtoken-precision", "subtoken-recall", "exact-match"],
            Task::Captioning | Task::Documentation => &["bleu", "rouge-l", "exact-match"],
            Task::CodeSearch => &["accuracy", "f1", "mrr", "recall-at-k"],
            Task::Unlabelled => &[],
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(name: &str) -> Result<Task, UnknownTask> {
        Task::ALL.into_iter().find(|task| task.name() == name).ok_or_else(|| UnknownTask(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use model::paths::functions;
    use syntax::Program;
    use transformation::apply::apply;
    use transformation::recipe::select;
    use transformation::{Names, Sites};

    use super::*;

    #[test]
    fn names_lead_to_tasks() {
        for task in Task::ALL {
            assert_eq!(task.name().parse(), Ok(task));
            assert_eq!(serde_json::to_value(task).unwrap(), task.name());
            assert!(task.two_classes().is_none() || task.truth() == TruthKind::Class);
            assert_eq!(task.measures().is_empty(), task.truth() == TruthKind::Nothing);
        }
        let message = "spelling".parse::<Task>().unwrap_err().to_string();
        assert!(message.contains("spelling") && message.contains("method-name"), "{message}");
    }

    #[test]
    fn the_first_function_of_a_program_stays_the_first() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs/corners");
        let names = Names::typed();
        let mut rewrites = 0;
        for language in ["java", "python", "javascript", "c", "cpp"] {
            for entry in std::fs::read_dir(folder.join(language)).unwrap() {
                let Ok(program) = Program::from_file(&entry.unwrap().path(), None) else { continue };
                let Some((first, _)) = functions(&program).into_iter().next() else { continue };
                let units = select("all,-names", &names).unwrap().into_iter();
                for unit in units.filter(|unit| Task::MethodName.is_the_same_after(unit.transformation)) {
                    for site in Sites::of(unit.transformation, &program).iter().take(3) {
                        let Ok(applied) = apply(&program, unit.transformation, site, 1, &names) else { continue };
                        let now = functions(&applied.program).into_iter().next().map(|(name, _)| name);
                        assert_eq!(now.as_ref(), Some(&first), "{}", unit.transformation.name);
                        rewrites += 1;
                    }
                }
            }
        }
        assert!(rewrites > 1000, "{rewrites}");
    }
}
