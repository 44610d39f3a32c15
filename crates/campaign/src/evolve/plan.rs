//! What a guided search is to do.

use std::str::FromStr;

use measure::printed::thousands;
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
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EvolvePlan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The measures to minimise, each with its weight after `=` when it is not 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub minimise: Vec<String>,
    /// The measures to maximise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maximise: Vec<String>,
    pub algorithm: Algorithm,
    /// The seed of all randomness.
    pub seed: u64,
    /// How many searches, each with its own seed.
    pub repeat: usize,
    /// The transformations that genes are drawn from.
    pub transform: String,
    /// Where new names come from.
    pub names: String,
    /// Which programs of a pair are changed: first, second or both.
    pub parts: String,
    /// How many individuals a generation has.
    pub population: usize,
    /// The probability that a child keeps a gene of its first parent.
    pub crossover: f64,
    /// The probability that a child is mutated.
    pub mutation: f64,
    /// How many individuals are drawn to find a parent.
    pub tournament: usize,
    /// The probability that a child that is mutated grows.
    pub increase: f64,
    /// The maximum number of genes in a list.
    pub max_genes: usize,
    /// The search ends after this many generations without an improvement.
    pub patience: usize,
    /// The maximum number of generations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generations: Option<usize>,
    /// The maximum number of minutes.
    pub minutes: f64,
    /// Are random searches run for comparison?
    pub baseline: bool,
    /// The test set.
    pub data: DataPlan,
}

impl Default for EvolvePlan {
    fn default() -> EvolvePlan {
        EvolvePlan {
            model: String::new(),
            minimise: Vec::new(),
            maximise: Vec::new(),
            algorithm: Algorithm::default(),
            seed: 0,
            repeat: 1,
            transform: "all".to_owned(),
            names: "pseudo".to_owned(),
            parts: "both".to_owned(),
            population: 10,
            crossover: 0.7,
            mutation: 0.4,
            tournament: 4,
            increase: 0.7,
            max_genes: 20,
            patience: 35,
            generations: None,
            minutes: 480.0,
            baseline: true,
            data: DataPlan::default(),
        }
    }
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

impl std::fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(name: &str) -> Result<Algorithm, String> {
        let known = [Algorithm::Genetic, Algorithm::Nsga2].into_iter().find(|algorithm| algorithm.name() == name);
        known.ok_or_else(|| format!("`{name}` is not one of genetic, nsga2"))
    }
}

/// Which way a measure is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Minimise,
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

/// The maximum of every count in a plan.
const MOST: usize = 1_000_000;

impl EvolvePlan {
    /// The objectives, when all values are valid.
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
            return unfit("there is no objective: name a measure with --minimise or --maximise".to_owned());
        }
        if self.algorithm == Algorithm::Nsga2 && objectives.len() < 2 {
            return unfit("nsga2 needs at least two measures: name another, or use genetic".to_owned());
        }
        if self.algorithm == Algorithm::Nsga2 && objectives.iter().any(|objective| objective.weight != 1.0) {
            return unfit("nsga2 takes no weights: leave them out, or use genetic".to_owned());
        }
        for (name, rate) in [("crossover", self.crossover), ("mutation", self.mutation), ("increase", self.increase)] {
            if !(0.0..=1.0).contains(&rate) {
                return unfit(format!("{name} is {rate}, but a probability is from 0 to 1"));
            }
        }
        let counts = [
            ("population", self.population),
            ("tournament", self.tournament),
            ("max-genes", self.max_genes),
            ("patience", self.patience),
            ("repeat", self.repeat),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| !(1..=MOST).contains(count)) {
            return unfit(format!("{name} must be at least 1 and at most {}", thousands(MOST)));
        }
        if !(self.minutes > 0.0 && self.minutes.is_finite()) {
            return unfit(format!("minutes is {}, but must be above 0", self.minutes));
        }
        self.parts.parse::<Parts>().map_err(PlanError::Unfit)?;
        Ok(objectives)
    }

    pub(super) fn parts(&self) -> Parts {
        self.parts.parse().unwrap_or(Parts::Both)
    }

    pub(super) fn settings(&self, seed: u64, transformations: usize, objectives: &[Objective]) -> EvolutionSettings {
        EvolutionSettings {
            seed,
            population: self.population,
            tournament: self.tournament,
            steady: self.patience,
            generations: self.generations,
            weights: objectives.iter().map(|objective| objective.weight).collect(),
            breeding: Breeding {
                transformations,
                most_genes: self.max_genes,
                crossover: self.crossover,
                mutation: self.mutation,
                increase: self.increase,
            },
        }
    }
}

/// The transformations of a list that know a language of a data set and keep its task, with their source of names.
pub fn selections(list: &str, names: &str, examples: &Examples) -> Result<Vec<Selection>, PlanError> {
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
    selections.retain(|selection| {
        let transformation = selection.transformation;
        languages.iter().any(|it| transformation.languages.contains(it))
            && examples.task.is_the_same_after(transformation)
    });
    if selections.is_empty() {
        let languages: Vec<&str> = languages.iter().map(|language| language.name()).collect();
        let (languages, task) = (languages.join(", "), examples.task);
        let problem = format!("no transformation of `{list}` is for {languages} and for the task {task}");
        return Err(PlanError::Unfit(problem));
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
        assert_eq!((thesis.tournament, thesis.population, thesis.patience, thesis.max_genes), (4, 10, 35, 20));
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
        refused("minimise = ['f1']\nalgorithm = 'nsga2'", "at least two measures");
        refused("minimise = ['f1=2', 'mrr']\nalgorithm = 'nsga2'", "takes no weights");
        let unfit = EvolvePlan { mutation: 1.5, ..plan("minimise = ['f1']") };
        assert!(unfit.objectives().unwrap_err().to_string().contains("probability"));
        for population in [0, usize::MAX] {
            let unfit = EvolvePlan { population, ..plan("minimise = ['f1']") };
            assert!(unfit.objectives().unwrap_err().to_string().contains("population"));
        }
    }
}
