//! What the searches of a run found, out of its store: tables, and files beside it.

use std::collections::{BTreeMap, HashMap};

use measure::statistics::{Exactness, Zeros, cliffs_delta, wilcoxon_signed_rank};
use measure::{Cell, Table, spread};
use rusqlite::{OptionalExtension, params};
use search::evolve::Archive;
use serde_json::{Value, json};

use super::{Algorithm, Direction, Evaluation, EvolvePlan, Objective, RANDOM_LENGTHS, known_evaluations};
use crate::run::{Json, Store, StoreError};
use crate::scoring::Metric;

/// What the searches of a run found.
pub struct EvolveSummary {
    /// The tables with their titles, in the order in which they are shown.
    pub tables: Vec<(&'static str, Table)>,
    /// How many repetitions are complete.
    pub repeats: usize,
    /// How every search went, for each objective.
    pub progress: Vec<Progress>,
    /// The measures between which the front lies: the objectives, or a single one and the number of rewrites.
    pub axes: Vec<String>,
    /// Every list of the guided searches between the first two axes.
    pub candidates: Vec<Candidate>,
}

/// A member of a generation, as records have it.
struct Member {
    number: usize,
    generation: usize,
    parents: Vec<usize>,
    genotype: String,
}

/// The members of a search, and the place of the best.
struct Search {
    members: Vec<Member>,
    best: usize,
    ended: String,
    generations: usize,
    evaluations: usize,
}

/// How the best value of a measure went through the generations of a search.
pub struct Progress {
    pub search: String,
    pub repeat: usize,
    /// The measure.
    pub measure: String,
    /// The best value of each generation and of those before it.
    pub best: Vec<f64>,
}

/// A list of rewrites between the axes of the front: its values, and whether none dominates it.
pub struct Candidate {
    pub repeat: usize,
    pub values: [f64; 2],
    pub is_on_front: bool,
}

/// What the searches found. Of a run that is not finished, the searches that are complete.
pub fn summary(store: &Store<EvolvePlan>, objectives: &[Objective]) -> Result<EvolveSummary, StoreError> {
    let found = Findings::read(store, objectives)?;
    let tables = vec![
        ("scores", found.scores()),
        ("searches", found.endings()),
        ("score by number of transformations", found.by_length()),
        ("transformations in the best lists", found.distribution()),
        ("archive", found.archive().0),
    ];
    let repeats = found.repeats(found.plan.algorithm.name()).len();
    let axes: Vec<String> = found.axes().iter().map(|axis| axis.metric.name().to_owned()).collect();
    Ok(EvolveSummary { tables, repeats, progress: found.progress(), axes, candidates: found.candidates() })
}

/// Writes the tables, every individual and the archive beside the store, one JSON object a line.
pub(super) fn write_files(store: &Store<EvolvePlan>, objectives: &[Objective]) -> Result<(), StoreError> {
    let found = Findings::read(store, objectives)?;
    store.write_file("individuals.jsonl", &found.individuals())?;
    store.write_file("archive.jsonl", &found.archive().1)?;
    let tables = summary(store, objectives)?.tables;
    let all: Value = tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect();
    store.write_file("summary.json", &format!("{all:#}\n"))
}

fn read(store: &Store<EvolvePlan>, name: &str, repeat: usize) -> Result<Option<Search>, StoreError> {
    let search = "select best, ended, generations, evaluations from searches where search = ?1 and repeat = ?2";
    let members = "select number, generation, parents, genotype from individuals
        where search = ?1 and repeat = ?2 order by number";
    store.read(|connection| {
        let mut rows = connection.prepare(members)?;
        let members = rows.query_map(params![name, repeat], |row| {
            let Json(parents) = row.get(2)?;
            Ok(Member { number: row.get(0)?, generation: row.get(1)?, parents, genotype: row.get(3)? })
        })?;
        let members = members.collect::<rusqlite::Result<_>>()?;
        let search = connection.query_row(search, params![name, repeat], |row| {
            let (best, ended, generations, evaluations) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Search { members, best, ended, generations, evaluations })
        });
        search.optional()
    })
}

struct Findings<'f> {
    plan: EvolvePlan,
    objectives: &'f [Objective],
    evaluations: HashMap<String, Evaluation>,
    searches: BTreeMap<(usize, String), Search>,
}

impl<'f> Findings<'f> {
    fn read(store: &Store<EvolvePlan>, objectives: &'f [Objective]) -> Result<Findings<'f>, StoreError> {
        let plan = store.about()?.plan;
        let evaluations = known_evaluations(store)?;
        let mut searches: BTreeMap<(usize, String), Search> = BTreeMap::new();
        let names = std::iter::once(plan.algorithm.name().to_owned())
            .chain(["random".to_owned()])
            .chain(RANDOM_LENGTHS.map(|length| format!("random-{length}")));
        for name in names {
            for repeat in 1..=plan.repeat {
                if let Some(search) = read(store, &name, repeat)? {
                    searches.insert((repeat, name.clone()), search);
                }
            }
        }
        Ok(Findings { plan, objectives, evaluations, searches })
    }

    /// The objectives. A single one is held against the number of rewrites.
    fn axes(&self) -> Vec<Objective> {
        let mut axes: Vec<Objective> = self.objectives.to_vec();
        if axes.len() == 1 {
            let metric = Metric::NumberOfTransformations;
            axes.push(Objective { metric, direction: Direction::Minimise, weight: 1.0 });
        }
        axes
    }

    fn progress(&self) -> Vec<Progress> {
        let mut all = Vec::new();
        for objective in self.objectives {
            for ((repeat, name), search) in self.searches.iter().filter(|(_, search)| search.generations > 0) {
                let generations = search.members.iter().map(|member| member.generation).max().unwrap_or(0);
                let until = |generation: usize| {
                    self.best(search.members.iter().filter(|member| member.generation <= generation), objective)
                };
                let best: Vec<f64> = (0..=generations).filter_map(until).collect();
                let measure = objective.metric.name().to_owned();
                all.push(Progress { search: name.clone(), repeat: *repeat, measure, best });
            }
        }
        all
    }

    fn candidates(&self) -> Vec<Candidate> {
        let axes = self.axes();
        let mut archive = Archive::default();
        let mut candidates = Vec::new();
        for (repeat, search) in self.repeats(self.plan.algorithm.name()) {
            for member in &search.members {
                let values: Option<Vec<f64>> =
                    axes.iter().map(|axis| self.value(&member.genotype, axis.metric)).collect();
                if let Some(values) = values {
                    let costs: Vec<f64> = axes.iter().zip(&values).map(|(axis, value)| axis.cost(*value)).collect();
                    archive.add(candidates.len(), &costs);
                    candidates.push(Candidate { repeat, values: [values[0], values[1]], is_on_front: false });
                }
            }
        }
        for place in archive.places() {
            candidates[place].is_on_front = true;
        }
        candidates
    }

    fn value(&self, genotype: &str, metric: Metric) -> Option<f64> {
        self.evaluations.get(genotype)?.measures.get(&metric).copied()
    }

    fn genes(&self, genotype: &str) -> usize {
        self.value(genotype, Metric::NumberOfTransformations).unwrap_or(0.0) as usize
    }

    /// The repetitions in which a search is complete, with it.
    fn repeats(&self, name: &str) -> Vec<(usize, &Search)> {
        self.searches.iter().filter(|((_, other), _)| other == name).map(|((repeat, _), it)| (*repeat, it)).collect()
    }

    /// What a search has reached in an objective: the measure of its best list, or along a front the best measure of all lists.
    fn reached(&self, search: &Search, objective: &Objective) -> Option<f64> {
        match self.plan.algorithm {
            Algorithm::Genetic => self.value(&search.members.get(search.best)?.genotype, objective.metric),
            Algorithm::Nsga2 => self.best(search.members.iter(), objective),
        }
    }

    fn best<'m>(&self, members: impl Iterator<Item = &'m Member>, objective: &Objective) -> Option<f64> {
        let values = members.filter_map(|member| self.value(&member.genotype, objective.metric));
        values.min_by(|one, other| objective.cost(*one).total_cmp(&objective.cost(*other)))
    }

    /// Initial, random and best, with the tests over the repetitions.
    fn scores(&self) -> Table {
        let mut header = vec!["measure".to_owned(), "wanted".to_owned(), "initial".to_owned()];
        header.extend(RANDOM_LENGTHS.map(|length| format!("{length} random")));
        header.extend(["random", "best", "change, %", "p to initial", "delta to initial"].map(str::to_owned));
        header.extend(["p to random", "delta to random", "repeats"].map(str::to_owned));
        let mut table = Table::new(header);
        for objective in self.objectives {
            let of = |name: &str| -> Vec<f64> {
                self.repeats(name).iter().filter_map(|(_, search)| self.reached(search, objective)).collect()
            };
            let best = of(self.plan.algorithm.name());
            let initial = self.value("[]", objective.metric);
            let before = vec![initial.unwrap_or(f64::NAN); best.len()];
            let random = of("random");
            let change = initial.zip(mean(&best)).map(|(initial, best)| 100.0 * (best - initial) / initial.abs());
            let mut row: Vec<Cell> = vec![objective.metric.name().into(), wanted(objective).into(), initial.into()];
            row.extend(RANDOM_LENGTHS.map(|length| Cell::from(mean(&of(&format!("random-{length}"))))));
            row.extend([mean(&random).into(), mean(&best).into(), change.filter(|it| it.is_finite()).into()]);
            for other in [&before, &random] {
                let test = wilcoxon_signed_rank(&best, other, Zeros::Drop, Exactness::Auto);
                row.push(test.map(|test| test.p).into());
                row.push(cliffs_delta(&best, other).map(|found| found.delta).into());
            }
            row.push(best.len().into());
            table.push(row);
        }
        table
    }

    fn endings(&self) -> Table {
        let mut table = Table::new(["repeat", "search", "evaluations", "generations", "ended", "best genes", "best"]);
        for ((repeat, name), search) in &self.searches {
            let genotype = &search.members[search.best.min(search.members.len() - 1)].genotype;
            table.push([
                (*repeat).into(),
                name.as_str().into(),
                search.evaluations.into(),
                search.generations.into(),
                search.ended.as_str().into(),
                self.genes(genotype).into(),
                self.value(genotype, self.objectives[0].metric).into(),
            ]);
        }
        table
    }

    /// The first measure that is about answers, for the tables that hold it against the number of rewrites.
    fn main(&self) -> &Objective {
        let is_main = |objective: &&Objective| objective.metric != Metric::NumberOfTransformations;
        self.objectives.iter().find(is_main).unwrap_or(&self.objectives[0])
    }

    /// For every number of rewrites the best score of the lists with no more of them: the median over the repetitions.
    fn by_length(&self) -> Table {
        let main = self.main();
        let name = main.metric.name();
        let mut table = Table::new([
            "transformations at most".to_owned(),
            format!("{name}, {}", self.plan.algorithm.name()),
            format!("{name}, random"),
        ]);
        let median_at = |search: &str, most: usize| -> Option<f64> {
            let best = |(_, found): &(usize, &Search)| {
                self.best(found.members.iter().filter(|member| self.genes(&member.genotype) <= most), main)
            };
            spread(&self.repeats(search).iter().filter_map(best).collect::<Vec<f64>>()).map(|spread| spread.median)
        };
        for most in 1..=self.plan.max_genes {
            let guided = median_at(self.plan.algorithm.name(), most);
            table.push([most.into(), guided.into(), median_at("random", most).into()]);
        }
        table
    }

    /// How often each transformation is in the best lists of the repetitions.
    fn distribution(&self) -> Table {
        let count = |search: &str| -> BTreeMap<String, u64> {
            let mut counts = BTreeMap::new();
            for (_, found) in self.repeats(search) {
                let genotype = found.members.get(found.best).map_or("[]", |member| &member.genotype);
                let genes: Vec<(String, u64)> = serde_json::from_str(genotype).unwrap_or_default();
                genes.into_iter().for_each(|(name, _)| *counts.entry(name).or_default() += 1);
            }
            counts
        };
        let (guided, random) = (count(self.plan.algorithm.name()), count("random"));
        let all: u64 = guided.values().sum();
        let mut order: Vec<(&String, u64)> = guided.iter().map(|(name, count)| (name, *count)).collect();
        order.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), (*name).clone()));
        let mut table = Table::new(["transformation", "in the best lists", "share, %", "in the best random lists"]);
        for (name, count) in order {
            let share = 100.0 * count as f64 / all as f64;
            let by_chance = random.get(name).copied().unwrap_or(0);
            table.push([name.as_str().into(), Cell::Count(count), Some(share).into(), Cell::Count(by_chance)]);
        }
        table
    }

    /// What no list of any repetition dominates. A single objective is held against the number of rewrites.
    fn archive(&self) -> (Table, String) {
        let axes = self.axes();
        let mut archive = Archive::default();
        let members: Vec<(usize, &Member)> = self
            .repeats(self.plan.algorithm.name())
            .iter()
            .flat_map(|(repeat, search)| search.members.iter().map(|member| (*repeat, member)))
            .collect();
        for (place, (_, member)) in members.iter().enumerate() {
            let cost = |axis: &Objective| Some(axis.cost(self.value(&member.genotype, axis.metric)?));
            // A list for which a measure is undefined is on no front.
            if let Some(costs) = axes.iter().map(cost).collect::<Option<Vec<f64>>>() {
                archive.add(place, &costs);
            }
        }
        let mut header: Vec<String> = axes.iter().map(|axis| axis.metric.name().to_owned()).collect();
        header.extend(["repeat", "individual", "rewrites"].map(str::to_owned));
        let mut table = Table::new(header);
        let mut lines = String::new();
        for place in archive.places() {
            let (repeat, member) = members[place];
            let genes: Vec<(String, u64)> = serde_json::from_str(&member.genotype).unwrap_or_default();
            let rewrites: Vec<&str> = genes.iter().map(|(name, _)| name.as_str()).collect();
            let mut row: Vec<Cell> = axes.iter().map(|axis| self.value(&member.genotype, axis.metric).into()).collect();
            row.extend([repeat.into(), member.number.into(), rewrites.join(" ").as_str().into()]);
            table.push(row);
            lines.push_str(&format!("{}\n", self.line(self.plan.algorithm.name(), repeat, member)));
        }
        (table, lines)
    }

    fn line(&self, search: &str, repeat: usize, member: &Member) -> Value {
        let evaluation = self.evaluations.get(&member.genotype);
        let measures = evaluation.map(|evaluation| {
            let measures = evaluation.measures.iter();
            measures.map(|(metric, value)| (metric.name().to_owned(), json!(value))).collect::<Value>()
        });
        let gene = |(name, seed): (String, u64)| json!({"transformation": name, "seed": seed});
        let genes: Vec<(String, u64)> = serde_json::from_str(&member.genotype).unwrap_or_default();
        json!({
            "search": search,
            "repeat": repeat,
            "number": member.number,
            "generation": member.generation,
            "parents": member.parents,
            "genotype": genes.into_iter().map(gene).collect::<Value>(),
            "measures": measures,
            "changed": evaluation.map(|evaluation| evaluation.changed),
            "faults": evaluation.map(|evaluation| evaluation.faults),
        })
    }

    fn individuals(&self) -> String {
        let mut lines = String::new();
        for ((repeat, name), search) in &self.searches {
            for member in &search.members {
                lines.push_str(&format!("{}\n", self.line(name, *repeat, member)));
            }
        }
        lines
    }
}

fn wanted(objective: &Objective) -> &'static str {
    match objective.direction {
        Direction::Minimise => "less",
        Direction::Maximise => "more",
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    spread(values).map(|spread| spread.mean)
}
