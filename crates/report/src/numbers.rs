//! The numbers of a report, all computed from the records of runs.

use std::collections::{BTreeMap, BTreeSet};

use campaign::compare::{self, Column, Duel, Judged};
use campaign::ranking::{Contestant, Ranking, rankings};
use campaign::run::{InputRow, Record};
use measure::metrics::VALID_RATE;
use measure::statistics::{friedman, nemenyi};
use measure::summary::input_numbers;
use measure::{Bootstrap, Summary};
use model::{Input, Prediction};
use search::Outcome;
use serde::Serialize;
use serde_json::{Value, json};
use syntax::Language;

use crate::run::Run;

/// All numbers of a report.
pub struct Numbers {
    /// The runs, as they were named.
    pub runs: Vec<RunNumbers>,
    /// The attacks of all runs, those of each run together, the strongest first, and those that are not finished last.
    pub attacks: Vec<AttackNumbers>,
    /// Each attack against each other.
    pub duels: Vec<Duel>,
    /// How the attacks rank, where there are several.
    pub ranks: Option<Ranks>,
    /// How the attacks rank over victims and over all their targets, as `compare` has it.
    pub rankings: Vec<Ranking>,
    /// What falls, where a measure decides what a success is.
    pub falling: Option<String>,
    /// How intervals are made.
    pub bootstrap: Bootstrap,
}

/// How attacks rank over the targets that all of them attacked: fewer queries to success rank first, failures share the last rank.
pub struct Ranks {
    /// The places of the attacks.
    pub attacks: Vec<usize>,
    /// Their mean ranks.
    pub mean_ranks: Vec<f64>,
    /// Mean ranks that differ by less do not differ (Nemenyi, at 0.05).
    pub critical_difference: f64,
    /// How likely such ranks are by chance (Friedman).
    pub p: Option<f64>,
    /// How many targets all of them attacked.
    pub blocks: usize,
}

/// What is said about a run as a whole.
pub struct RunNumbers {
    /// What tables call it.
    pub name: String,
    /// The name of the model, for a heading.
    pub model: String,
    /// What the model was asked about, as a sentence.
    pub asked: String,
    /// How many targets it has.
    pub targets: usize,
    /// How many of them any attack was tried on.
    pub attacked: usize,
    /// How many of them any attack has broken.
    pub broken: usize,
    /// What the classes of the model are called, as far as the records tell.
    pub labels: BTreeMap<usize, String>,
    /// The attack that the headline is about.
    pub strongest: Option<Strongest>,
    /// Attacks of the plan without any record.
    pub not_begun: Vec<String>,
}

/// The attack that a headline is about.
pub struct Strongest {
    /// Its place among the attacks of the report.
    pub attack: usize,
    /// Of how many finished attacks it is the strongest.
    pub of: usize,
}

/// What is said about an attack of a run.
pub struct AttackNumbers {
    /// The place of the run.
    pub run: usize,
    /// What tables call it: its name, after that of its run where there are several.
    pub name: String,
    /// Its name.
    pub attack: String,
    /// The number of its colour: an attack has the same one in all runs.
    pub colour: usize,
    /// How many targets the run has.
    pub targets: usize,
    /// How many records there are.
    pub done: usize,
    /// How many targets ended in each way.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// Why targets ended as they did, the most frequent first.
    pub reasons: Vec<Reason>,
    /// Why flips were refused, the most frequent first.
    pub refused: Vec<Reason>,
    /// How many of its examples were judged, and by what.
    pub judged: Judged,
    /// The measures, with intervals.
    pub summary: Summary,
    /// What the recipes of successes are made of, by transformation.
    pub transformations: BTreeMap<String, Use>,
    /// The queries of each success, in order.
    pub queries: Vec<f64>,
    /// The confidence drop of each attacked target, in order.
    pub drops: Vec<f64>,
}

/// A reason, and how often it was given.
#[derive(Serialize)]
pub struct Reason {
    /// How the target ended; absent for a flip that was refused on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The reason.
    pub reason: String,
    /// How often.
    pub n: usize,
}

/// How often a transformation is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Use {
    /// The successes whose recipes have it.
    pub examples: usize,
    /// The rewrites of these recipes that are it.
    pub moves: usize,
}

impl Numbers {
    /// Computes everything.
    pub fn of(runs: &[Run], bootstrap: Bootstrap) -> Numbers {
        let mut columns: Vec<(Column, AttackNumbers)> = Vec::new();
        let goals: Vec<_> = runs.iter().map(Run::goal).collect();
        for (place, run) in runs.iter().enumerate() {
            let name = (runs.len() > 1).then_some(run.name.as_str());
            let of_run = compare::columns(name, run.goal(), run.noise, &run.targets, run.records.clone());
            let mut of_run: Vec<(Column, AttackNumbers)> = of_run
                .into_iter()
                .map(|column| {
                    let numbers = AttackNumbers::of(place, run, &column, &bootstrap);
                    (column, numbers)
                })
                .collect();
            // Those that are not finished come last; the order of equals is that of their names.
            of_run.sort_by(|(_, one), (_, other)| {
                other.is_complete().cmp(&one.is_complete()).then(other.rate().total_cmp(&one.rate()))
            });
            columns.extend(of_run);
        }
        let (columns, mut attacks): (Vec<Column>, Vec<AttackNumbers>) = columns.into_iter().unzip();
        let colours = input_numbers(attacks.iter().map(|attack| attack.attack.as_str()));
        for (attack, colour) in attacks.iter_mut().zip(colours) {
            attack.colour = colour;
        }
        let duels = compare::duels(&columns, &bootstrap);
        let contestant = |(column, attack): (&Column, &AttackNumbers)| Contestant::new(&runs[attack.run].about, column);
        let contestants: Vec<Contestant> = columns.iter().zip(&attacks).map(contestant).collect();
        let rankings = rankings(&contestants, &columns);
        let runs = runs.iter().enumerate().map(|(place, run)| RunNumbers::of(place, run, &attacks)).collect();
        let falling = compare::falling(&goals);
        let ranks = ranks(&columns, &attacks);
        Numbers { runs, attacks, duels, ranks, rankings, falling, bootstrap }
    }

    /// The numbers for programs.
    pub fn to_json(&self) -> Value {
        let attack = |attack: &AttackNumbers| {
            json!({
                "run": self.runs[attack.run].name,
                "attack": attack.attack,
                "targets": attack.targets,
                "records": attack.done,
                "attacked": attack.attacked(),
                "outcomes": attack.outcomes,
                "reasons": attack.reasons,
                "refused": attack.refused,
                "judged": attack.judged,
                "measures": attack.summary.lines,
                "transformations": attack.transformations,
            })
        };
        let run = |run: &RunNumbers| {
            let strongest = run.strongest.as_ref().map(|strongest| self.attacks[strongest.attack].attack.as_str());
            let (attacked, broken) = (run.attacked, run.broken);
            json!({"run": run.name, "model": run.model, "asked": run.asked, "targets": run.targets, "attacked": attacked,
                "broken": broken, "strongest": strongest, "not-begun": run.not_begun})
        };
        let names: Vec<&str> = self.attacks.iter().map(|attack| attack.name.as_str()).collect();
        let ranks = self.ranks.as_ref().map(|ranks| {
            let attacks: Vec<&str> = ranks.attacks.iter().map(|place| names[*place]).collect();
            json!({"attacks": attacks, "mean ranks": ranks.mean_ranks, "critical difference": ranks.critical_difference,
                "p": ranks.p, "targets": ranks.blocks})
        });
        json!({
            "ranks": ranks,
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
            "attacks": self.attacks.iter().map(attack).collect::<Vec<_>>(),
            "duels": (!self.duels.is_empty()).then(|| compare::duel_table(&names, &self.duels).to_json()),
            "interval": {"level": self.bootstrap.level, "resamples": self.bootstrap.resamples, "seed": self.bootstrap.seed},
        })
    }
}

impl AttackNumbers {
    fn of(place: usize, run: &Run, column: &Column, bootstrap: &Bootstrap) -> AttackNumbers {
        let records: Vec<&Record> = column.records.values().collect();
        let (mut reasons, mut refused) = (BTreeMap::new(), BTreeMap::new());
        let mut transformations: BTreeMap<String, Use> = BTreeMap::new();
        let (mut queries, mut drops) = (Vec::new(), Vec::new());
        for record in &records {
            let outcome = record.outcome;
            if let Some(reason) = &record.reason {
                *reasons.entry((Some(outcome), reason.clone())).or_insert(0) += 1;
            }
            for rejected in &record.rejected {
                *refused.entry((None, rejected.reason.clone())).or_insert(0) += 1;
            }
            if outcome == Outcome::Success {
                queries.push(record.queries as f64);
                let names = transformations_of(record);
                for name in names.iter().collect::<BTreeSet<_>>() {
                    transformations.entry((*name).to_owned()).or_default().examples += 1;
                }
                for name in names {
                    transformations.entry(name.to_owned()).or_default().moves += 1;
                }
            }
            if outcome.is_attacked() {
                drops.extend(record.drop());
            }
        }
        queries.sort_by(f64::total_cmp);
        drops.sort_by(f64::total_cmp);
        let sorted = |counts: BTreeMap<(Option<Outcome>, String), usize>| {
            let reason = |((outcome, reason), n)| Reason { outcome, reason, n };
            let mut reasons: Vec<Reason> = counts.into_iter().map(reason).collect();
            reasons.sort_by_key(|reason| std::cmp::Reverse(reason.n));
            reasons
        };
        AttackNumbers {
            run: place,
            name: column.name.clone(),
            attack: records.first().map(|record| record.attack.clone()).unwrap_or_default(),
            colour: 0,
            targets: run.targets.len(),
            done: records.len(),
            outcomes: column.outcomes(),
            reasons: sorted(reasons),
            refused: sorted(refused),
            judged: Judged::of(column.records.values()),
            summary: column.summary(bootstrap),
            transformations,
            queries,
            drops,
        }
    }

    /// How many targets ended in one way.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes[&outcome]
    }

    /// How many targets were attacked: answered right before, with something to change.
    pub fn attacked(&self) -> usize {
        Outcome::ALL.into_iter().filter(|outcome| outcome.is_attacked()).map(|outcome| self.count(outcome)).sum()
    }

    /// Is the attack finished?
    pub fn is_complete(&self) -> bool {
        self.done >= self.targets
    }

    /// The rate of valid successes; less than any where nothing was attacked.
    fn rate(&self) -> f64 {
        self.summary.value(VALID_RATE).unwrap_or(-1.0)
    }
}

impl RunNumbers {
    fn of(place: usize, run: &Run, attacks: &[AttackNumbers]) -> RunNumbers {
        let targets_with = |is: fn(Outcome) -> bool| {
            let records = run.records.iter().filter(|record| is(record.outcome));
            records.map(|record| record.number).collect::<BTreeSet<usize>>().len()
        };
        let own = || attacks.iter().enumerate().filter(|(_, attack)| attack.run == place);
        let complete = own().filter(|(_, attack)| attack.is_complete()).count();
        // What was broken first is the easiest, so an attack that is not finished says too much about itself.
        let strongest = own()
            .filter(|(_, attack)| attack.is_complete() || complete == 0)
            .filter(|(_, attack)| attack.attacked() > 0)
            .max_by(|(_, one), (_, other)| {
                let queries = |attack: &AttackNumbers| attack.summary.value("queries").unwrap_or(f64::INFINITY);
                one.rate().total_cmp(&other.rate()).then(queries(other).total_cmp(&queries(one)))
            })
            .map(|(attack, _)| Strongest { attack, of: complete });
        let has_none = |attack: &String| !own().any(|(_, other)| other.attack == *attack);
        RunNumbers {
            name: run.name.clone(),
            model: run.about.models.first().map(|model| model.label().to_owned()).unwrap_or_default(),
            asked: asked(run),
            targets: run.targets.len(),
            attacked: targets_with(Outcome::is_attacked),
            broken: targets_with(|outcome| outcome == Outcome::Success),
            labels: labels(run),
            strongest,
            not_begun: run.about.plan.titles_of_attacks().into_iter().filter(has_none).collect(),
        }
    }
}

/// How finished attacks rank on the targets that all of them attacked.
fn ranks(columns: &[Column], attacks: &[AttackNumbers]) -> Option<Ranks> {
    /// More queries than any success takes: failures share the last rank.
    const FAILED: f64 = 1e18;
    let places: Vec<usize> =
        (0..attacks.len()).filter(|place| attacks[*place].is_complete() && attacks[*place].attacked() > 0).collect();
    let first = columns.get(*places.first()?)?;
    let block = |id: &String| -> Option<Vec<f64>> {
        let cost = |place: &usize| {
            let record = columns[*place].records.get(id).filter(|record| record.outcome.is_attacked())?;
            Some(if record.outcome == Outcome::Success { record.queries as f64 } else { FAILED })
        };
        places.iter().map(cost).collect()
    };
    let blocks: Vec<Vec<f64>> = first.records.keys().filter_map(block).collect();
    if places.len() < 2 || blocks.len() < 2 {
        return None;
    }
    let found = nemenyi(&blocks)?;
    let (mean_ranks, critical_difference) = (found.mean_ranks, found.critical_difference);
    let p = friedman(&blocks).map(|test| test.p).filter(|p| p.is_finite());
    Some(Ranks { attacks: places, mean_ranks, critical_difference, p, blocks: blocks.len() })
}

/// The transformations of a recipe, one for each rewrite.
pub fn transformations_of(record: &Record) -> Vec<&str> {
    record.moves.iter().map(|made| made.step.transformation.as_str()).collect()
}

/// What the model was asked, as a sentence.
fn asked(run: &Run) -> String {
    let count = run.targets.len();
    let is_pair = run.targets.iter().any(|target| matches!(target.input, Input::Pair(..)));
    let has_text = run.targets.iter().any(|target| matches!(target.input, Input::CodeAndText(..)));
    let codes = run.targets.iter().flat_map(|target| target.input.programs());
    let languages: BTreeSet<&str> = codes.map(|code| language_name(code.language)).collect();
    let languages: Vec<&str> = languages.into_iter().collect();
    let languages = if languages.is_empty() { String::new() } else { format!("{} ", languages.join(", ")) };
    let things = match (is_pair, count) {
        (true, 1) => format!("1 pair of {languages}programs"),
        (true, _) => format!("{count} pairs of {languages}programs"),
        (false, 1) => format!("1 {languages}program"),
        (false, _) => format!("{count} {languages}programs"),
    };
    let text = if has_text { " with a text" } else { "" };
    let truths: BTreeSet<&str> = run.targets.iter().map(InputRow::truth).collect();
    let names = run
        .records
        .iter()
        .filter_map(|record| record.before.as_ref())
        .any(|before| !matches!(before, Prediction::Classes(_)));
    let question = match (names, truths.len()) {
        (true, _) => "what is it called?".to_owned(),
        (false, 0) => "no truth is known".to_owned(),
        (false, 1..=6) => format!("{}?", truths.into_iter().collect::<Vec<_>>().join(" or ")),
        (false, many) => format!("which of {many} labels?"),
    };
    format!("{things}{text}: {question}")
}

/// What people call a language.
pub fn language_name(language: Language) -> &'static str {
    match language {
        Language::Java => "Java",
        Language::C => "C",
        Language::Cpp => "C++",
        Language::Python => "Python",
        Language::JavaScript => "JavaScript",
    }
}

/// What the classes of the model are called. Where the plan does not say, the targets do that the model was right about: the class
/// that it believed in is that of the truth.
fn labels(run: &Run) -> BTreeMap<usize, String> {
    let planned = &run.about.plan.data.labels;
    if !planned.is_empty() {
        return planned.iter().cloned().enumerate().collect();
    }
    let truths: BTreeMap<usize, &InputRow> = run.targets.iter().map(|target| (target.number, target)).collect();
    let mut labels = BTreeMap::new();
    for record in run.records.iter().filter(|record| record.outcome.is_attacked()) {
        let class = record.before.as_ref().and_then(Prediction::class);
        if let (Some(class), Some(target)) = (class, truths.get(&record.number)) {
            labels.entry(class).or_insert_with(|| target.truth().to_owned());
        }
    }
    labels
}
