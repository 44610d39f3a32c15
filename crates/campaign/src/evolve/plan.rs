//! What a guided search is to do.

use std::str::FromStr;

use search::Parts;
use search::evolve::{Breeding, EvolutionSettings};
use serde::{Deserialize, Serialize};
use syntax::Language;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Names, Selection};

use crate::examples::Examples;
use crate::plan::{DataPlan, PlanError};
use crate::scoring::Metric;

/// A guided search. In a file it is written in TOML. The defaults of the numbers are those of Marang's thesis, table 5.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EvolvePlan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The measures that are to become small, each with its weight behind `=` when it is not 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimise: Vec<String>,
    /// The measures that are to become large.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maximise: Vec<String>,
    /// The algorithm.
    #[serde(default)]
    pub algorithm: Algorithm,
    /// What every draw comes from.
    #[serde(default)]
    pub seed: u64,
    /// How many searches, each from a seed of its own.
    #[serde(default = "one")]
    pub repeat: usize,
    /// The transformations that genes are drawn from.
    #[serde(default = "all")]
    pub transform: String,
    /// Where new names come from.
    #[serde(default = "pseudo")]
    pub names: String,
    /// Which programs of a pair are changed: first, second or both.
    #[serde(default = "both")]
    pub parts: String,
    /// How many individuals a generation has.
    #[serde(default = "ten")]
    pub population: usize,
    /// How likely a child keeps a gene of its own parent.
    #[serde(default = "most")]
    pub crossover: f64,
    /// How likely a child is changed.
    #[serde(default = "some")]
    pub mutation: f64,
    /// How many individuals are drawn to find a parent.
    #[serde(default = "four")]
    pub tournament: usize,
    /// How likely a child that is changed grows.
    #[serde(default = "most")]
    pub increase: f64,
    /// How long a list may grow.
    #[serde(default = "twenty")]
    pub most_genes: usize,
    /// After so many generations without an improvement the search ends.
    #[serde(default = "thirty_five")]
    pub steady: usize,
    /// The search ends after so many generations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<usize>,
    /// The search ends after so many minutes.
    #[serde(default = "eight_hours")]
    pub minutes: f64,
    /// Are random searches made beside it?
    #[serde(default = "yes")]
    pub baseline: bool,
    /// The test set.
    pub data: DataPlan,
}

fn one() -> usize {
    1
}

fn ten() -> usize {
    10
}

fn most() -> f64 {
    0.7
}

fn some() -> f64 {
    0.4
}

fn four() -> usize {
    4
}

fn twenty() -> usize {
    20
}

fn thirty_five() -> usize {
    35
}

fn eight_hours() -> f64 {
    480.0
}

fn yes() -> bool {
    true
}

fn all() -> String {
    "all".to_owned()
}

fn pseudo() -> String {
    "pseudo".to_owned()
}

fn both() -> String {
    "both".to_owned()
}

/// How lists are bred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// The thesis's genetic algorithm, over a weighted sum.
    #[default]
    Genetic,
    /// NSGA-II, along the Pareto front.
    Nsga2,
}

impl Algorithm {
    /// The name in commands and records.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Genetic => "genetic",
            Algorithm::Nsga2 => "nsga2",
        }
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(name: &str) -> Result<Algorithm, String> {
        let known = [Algorithm::Genetic, Algorithm::Nsga2].into_iter().find(|algorithm| algorithm.name() == name);
        known.ok_or_else(|| format!("`{name}` is none of genetic, nsga2"))
    }
}

/// Which way a measure is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Down.
    Minimise,
    /// Up.
    Maximise,
}

/// A measure that a search is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The measure.
    pub metric: Metric,
    /// Which way it is to go.
    pub direction: Direction,
    /// What it counts in a weighted sum.
    pub weight: f64,
}

impl Objective {
    /// The value as a cost, of which less is better.
    pub fn cost(&self, value: f64) -> f64 {
        match self.direction {
            Direction::Minimise => value,
            Direction::Maximise => -value,
        }
    }
}

impl EvolvePlan {
    /// Checks the numbers, and gives the objectives.
    pub fn objectives(&self) -> Result<Vec<Objective>, PlanError> {
        let unfit = |message: String| Err(PlanError::Unfit(message));
        let mut objectives: Vec<Objective> = Vec::new();
        let named = |names: &[String], direction| -> Result<Vec<Objective>, PlanError> {
            let read = |text: &String| objective(text, direction).map_err(PlanError::Unfit);
            names.iter().map(read).collect()
        };
        for objective in
            named(&self.minimise, Direction::Minimise)?.into_iter().chain(named(&self.maximise, Direction::Maximise)?)
        {
            if objectives.iter().any(|other| other.metric == objective.metric) {
                return unfit(format!("{} is named twice", objective.metric.name()));
            }
            objectives.push(objective);
        }
        if objectives.is_empty() {
            return unfit(
                "nothing is to become small or large: name a measure with --minimise or --maximise".to_owned(),
            );
        }
        if self.algorithm == Algorithm::Nsga2 && objectives.len() < 2 {
            return unfit("nsga2 looks for a front of two measures or more: name another, or use genetic".to_owned());
        }
        if self.algorithm == Algorithm::Nsga2 && objectives.iter().any(|objective| objective.weight != 1.0) {
            return unfit(
                "nsga2 looks for a front and weighs nothing: leave the weights out, or use genetic".to_owned(),
            );
        }
        for (name, rate) in [("crossover", self.crossover), ("mutation", self.mutation), ("increase", self.increase)] {
            if !(0.0..=1.0).contains(&rate) {
                return unfit(format!("{name} is a probability, and {rate} is none"));
            }
        }
        let counts = [
            ("population", self.population),
            ("tournament", self.tournament),
            ("most-genes", self.most_genes),
            ("steady", self.steady),
            ("repeat", self.repeat),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return unfit(format!("{name} is 1 at least"));
        }
        if !(self.minutes > 0.0 && self.minutes.is_finite()) {
            return unfit(format!("{} minutes are no time", self.minutes));
        }
        Ok(objectives)
    }

    /// The transformations that genes are drawn from: those of the list that know a language of the data set.
    pub fn selections(&self, examples: &Examples) -> Result<Vec<Selection>, PlanError> {
        selections(&self.transform, &self.names, examples)
    }

    /// Which programs of a pair are changed.
    pub fn checked_parts(&self) -> Result<Parts, PlanError> {
        self.parts.parse().map_err(PlanError::Unfit)
    }

    pub(super) fn parts(&self) -> Parts {
        self.checked_parts().unwrap_or(Parts::Both)
    }

    pub(super) fn settings(&self, seed: u64, transformations: usize, objectives: &[Objective]) -> EvolutionSettings {
        EvolutionSettings {
            seed,
            population: self.population,
            tournament: self.tournament,
            steady: self.steady,
            generations: self.generations,
            weights: objectives.iter().map(|objective| objective.weight).collect(),
            breeding: Breeding {
                transformations,
                most_genes: self.most_genes,
                crossover: self.crossover,
                mutation: self.mutation,
                increase: self.increase,
            },
        }
    }
}

/// The transformations of a list that know a language of a data set, with their source of names.
pub(crate) fn selections(list: &str, names: &str, examples: &Examples) -> Result<Vec<Selection>, PlanError> {
    let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
    if names == "substitutes" {
        let message =
            "a list of rewrites is for all inputs, but substitutes are for one: choose another source of names";
        return Err(PlanError::Unfit(message.to_owned()));
    }
    let vocabulary = || search::Material::vocabulary_of(examples.programs.iter().map(|program| &program.code));
    let reference = if names == "reference" { vocabulary() } else { Vec::new() };
    let names =
        Names::new(names, NamesMaterial { reference, ..NamesMaterial::default() }).map_err(|error| unfit(&error))?;
    let languages: Vec<Language> = examples.languages().into_keys().collect();
    let mut selections = select(list, &names).map_err(|error| unfit(&error))?;
    selections.retain(|selection| languages.iter().any(|it| selection.transformation.languages.contains(it)));
    if selections.is_empty() {
        let languages: Vec<&str> = languages.iter().map(|language| language.name()).collect();
        return Err(PlanError::Unfit(format!("no transformation of `{list}` is for {}", languages.join(", "))));
    }
    Ok(selections)
}

/// Reads `f1` or `f1=0.5`.
fn objective(text: &str, direction: Direction) -> Result<Objective, String> {
    let (name, weight) = match text.split_once('=') {
        None => (text, Some(1.0)),
        Some((name, weight)) => {
            (name, weight.trim().parse().ok().filter(|weight: &f64| *weight > 0.0 && weight.is_finite()))
        }
    };
    let weight = weight.ok_or_else(|| format!("`{text}`: a weight is a number above 0, such as f1=0.5"))?;
    Ok(Objective { metric: name.trim().parse()?, direction, weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str) -> EvolvePlan {
        toml::from_str(&format!("model = 'hf:x'\n{more}\n[data]\npath = 'test.jsonl'\n")).unwrap()
    }

    #[test]
    fn objectives_are_read_or_refused() {
        let thesis = plan("");
        let rates = (thesis.crossover, thesis.mutation, thesis.increase, thesis.minutes);
        assert_eq!(rates, (0.7, 0.4, 0.7, 480.0));
        assert_eq!((thesis.tournament, thesis.population, thesis.steady, thesis.most_genes), (4, 10, 35, 20));
        let both = plan("minimise = ['f1=0.5', 'mrr']\nmaximise = ['number-of-transformations']");
        let found: Vec<_> = both.objectives().unwrap().iter().map(|it| (it.metric, it.weight, it.cost(3.0))).collect();
        assert_eq!(
            found,
            [(Metric::F1, 0.5, 3.0), (Metric::Mrr, 1.0, 3.0), (Metric::NumberOfTransformations, 1.0, -3.0)]
        );
        let refused = |more: &str, words: &str| {
            let said = plan(more).objectives().unwrap_err().to_string();
            assert!(said.contains(words), "{more}: {said}");
        };
        refused("", "--minimise");
        refused("minimise = ['acuracy']", "did you mean `accuracy`");
        refused("minimise = ['f1=heavy']", "above 0");
        refused("minimise = ['f1=-1']", "above 0");
        refused("minimise = ['f1']\nmaximise = ['f1']", "named twice");
        refused("minimise = ['f1']\nalgorithm = 'nsga2'", "two measures");
        refused("minimise = ['f1=2', 'mrr']\nalgorithm = 'nsga2'", "weighs nothing");
        let unfit = EvolvePlan { mutation: 1.5, ..plan("minimise = ['f1']") };
        assert!(unfit.objectives().unwrap_err().to_string().contains("probability"));
        let unfit = EvolvePlan { population: 0, ..plan("minimise = ['f1']") };
        assert!(unfit.objectives().unwrap_err().to_string().contains("population"));
    }
}
