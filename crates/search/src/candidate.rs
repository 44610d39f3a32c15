//! A variant of an input: its programs, and the rewrites that led to them.

use std::sync::Arc;

use model::{Code, Input};
use serde::{Deserialize, Serialize};
use syntax::Program;
use transformation::apply::{Step, again, apply};
use transformation::{Applied, Names, Refusal, Site, Transformation, catalogue};

use crate::identifiers::is_rename;

/// A variant of an input. Copies are cheap.
#[derive(Clone)]
pub struct Candidate {
    programs: Vec<Arc<Program>>,
    /// The text beside the program, if the input has one.
    text: Option<Arc<str>>,
    moves: Vec<Move>,
}

/// A rewrite of one of the programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The index of the program: 0, or 1 for the second of a pair.
    pub part: usize,
    #[serde(flatten)]
    pub step: Step,
    /// The name that a rename changed. Records omit it: it follows from the step and the program before.
    #[serde(skip)]
    pub old_name: Option<String>,
}

impl Candidate {
    /// The unchanged input.
    pub fn of(input: &Input) -> Candidate {
        let text = match input {
            Input::CodeAndText(_, text) => Some(Arc::from(text.as_str())),
            Input::Code(_) | Input::Pair(..) => None,
        };
        let read = |code: &Code| Arc::new(Program::parse(code.language, code.text.clone()));
        Candidate { programs: input.programs().into_iter().map(read).collect(), text, moves: Vec::new() }
    }

    /// The variant as an input for a model.
    pub fn input(&self) -> Input {
        self.input_with(|part| self.programs[part].text().to_owned())
    }

    /// The input for a model if the programs had these texts, which need not be valid.
    pub fn input_with(&self, text_of: impl Fn(usize) -> String) -> Input {
        let code = |part: usize| Code { language: self.programs[part].language(), text: text_of(part) };
        match (&self.text, self.programs.len()) {
            (Some(text), _) => Input::CodeAndText(code(0), text.to_string()),
            (None, 2) => Input::Pair(code(0), code(1)),
            (None, _) => Input::Code(code(0)),
        }
    }

    /// One of the programs.
    pub fn program(&self, part: usize) -> &Program {
        &self.programs[part]
    }

    /// The number of programs.
    pub fn parts(&self) -> usize {
        self.programs.len()
    }

    /// The rewrites that led here, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The rewrites of one program that led here, in order.
    pub fn steps(&self, part: usize) -> Vec<Step> {
        self.moves.iter().filter(|made| made.part == part).map(|made| made.step.clone()).collect()
    }

    /// Rewrites one of the programs at one of its sites.
    pub fn applied(
        &self,
        part: usize,
        transformation: &Transformation,
        site: &Site<'_>,
        seed: u64,
        names: &Names,
    ) -> Result<Candidate, Refusal> {
        Ok(self.with(part, apply(&self.programs[part], transformation, site, seed, names)?))
    }

    /// Repeats a recorded rewrite.
    pub fn again(&self, part: usize, step: &Step) -> Result<Candidate, Refusal> {
        Ok(self.with(part, again(&self.programs[part], step)?))
    }

    /// The candidate after a rewrite of one of the programs.
    pub(crate) fn with(&self, part: usize, applied: Applied) -> Candidate {
        let is_rename = catalogue::find(&applied.step.transformation).is_some_and(is_rename);
        let old_name = is_rename.then(|| self.programs[part].text()[applied.step.site.clone()].to_owned());
        let mut next = self.clone();
        next.programs[part] = Arc::new(applied.program);
        next.moves.push(Move { part, step: applied.step, old_name });
        next
    }
}

/// Candidates are equal if their texts are, whatever led to them.
impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        let texts = |candidate: &Candidate| -> Vec<String> {
            candidate.programs.iter().map(|program| program.text().to_owned()).collect()
        };
        self.text == other.text && texts(self) == texts(other)
    }
}
