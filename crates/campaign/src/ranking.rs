//! Attacks on one or several victims, ranked: Friedman's test and Nemenyi's critical difference.
//!
//! What a block is decides what the test says. Over victims, a block is a victim, and its number for an attack is the attack
//! success rate: this is about other victims of the kind, and with few of them hardly any difference is significant. Over
//! targets, a block is a target of a victim, and an attack ranks by its queries to a valid success, after all successes
//! where it has none: this is about other targets of the same victims, whatever their number. A victim is never counted as
//! often as it has targets in a statement about victims.

use std::collections::{BTreeMap, BTreeSet};

use measure::Table;
use measure::statistics::{friedman, nemenyi};
use search::Outcome;
use serde::Serialize;

use crate::compare::Column;
use crate::plan::{Plan, attack_of};
use crate::run::About;

/// The differences of mean ranks that count have this p-value at most, in Nemenyi's test.
pub const LEVEL: f64 = 0.05;

/// What a column of a comparison is about: which attack, and on which victim.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// The model, the data set and what a success is, as a key.
    pub victim: String,
    /// The attack with what is swept.
    pub attack: String,
    /// Its parameters that are not the defaults, and the budget.
    pub parameters: String,
}

impl Contestant {
    /// The contestant that a column of a run is.
    pub fn new(about: &About<Plan>, column: &Column) -> Contestant {
        let models: Vec<&str> = about.models.iter().map(|model| model.digest.as_str()).collect();
        let victim = format!("{} {} {:?}", models.join(" "), about.data, column.goal);
        let own = about.plan.parameters.get(attack_of(&column.attack)).into_iter().flatten();
        let budget = format!("budget={}", about.plan.budget);
        let shares = [("most-names", about.plan.most_names), ("most-tokens", about.plan.most_tokens)];
        let shares = shares.into_iter().filter_map(|(name, share)| Some(format!("{name}={}", share?)));
        let parameters = own.map(|(name, value)| format!("{name}={}", value.to_string().trim_matches('"')));
        let parameters: Vec<String> = parameters.chain([budget]).chain(shares).collect();
        Contestant { victim, attack: column.attack.clone(), parameters: parameters.join(", ") }
    }
}

/// What the blocks of a ranking are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocks {
    /// Each victim is a block: which attack breaks the larger share of its targets?
    Victims,
    /// Each target of each victim is a block: which attack breaks it with fewer queries?
    Targets,
}

/// The mean ranks of attacks, and which of them differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    pub blocks: Blocks,
    /// The number of blocks.
    pub n: usize,
    /// The number of victims.
    pub victims: usize,
    /// The attacks, the best first.
    pub attacks: Vec<String>,
    /// The mean rank of each; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Friedman's p-value, by Iman and Davenport where it is defined.
    pub p: f64,
    /// Mean ranks that are further apart differ at [`LEVEL`].
    pub critical_difference: f64,
    /// Nemenyi's p-value of each pair, in the order of the attacks.
    pub pairs: Vec<Vec<f64>>,
}

/// The rankings of the attacks that all victims have, over victims and over targets. There is none of fewer than three attacks, and none
/// over fewer than two victims.
pub fn rankings(contestants: &[Contestant], columns: &[Column]) -> Vec<Ranking> {
    let mut victims: BTreeMap<&str, BTreeMap<String, &Column>> = BTreeMap::new();
    for ((contestant, title), column) in contestants.iter().zip(titles(contestants)).zip(columns) {
        victims.entry(contestant.victim.as_str()).or_default().insert(title, column);
    }
    let of_victims: Vec<BTreeSet<&String>> = victims.values().map(|attacks| attacks.keys().collect()).collect();
    let Some((first, others)) = of_victims.split_first() else { return Vec::new() };
    let attacks: Vec<&String> =
        first.iter().copied().filter(|attack| others.iter().all(|other| other.contains(attack))).collect();
    let (mut by_rate, mut by_queries) = (Vec::new(), Vec::new());
    for of_victim in victims.values() {
        let columns: Vec<&Column> = attacks.iter().map(|attack| of_victim[*attack]).collect();
        let queries = queries_to_success(&columns);
        if queries.is_empty() {
            continue;
        }
        // A smaller number is a better rank.
        let rate = |attack: usize| queries.iter().filter(|block| block[attack].is_finite()).count() as f64;
        by_rate.push((0..attacks.len()).map(|attack| -rate(attack) / queries.len() as f64).collect());
        by_queries.extend(queries);
    }
    let victims = by_rate.len();
    let over_victims = (victims > 1).then(|| ranking(Blocks::Victims, victims, &attacks, &by_rate)).flatten();
    let over_targets = ranking(Blocks::Targets, victims, &attacks, &by_queries);
    over_victims.into_iter().chain(over_targets).collect()
}

/// What attacks are called: by their name alone where no victim has it twice, and else with their parameters.
fn titles(contestants: &[Contestant]) -> Vec<String> {
    let mut titles: Vec<String> = contestants.iter().map(|contestant| contestant.attack.clone()).collect();
    let is_taken_twice = |titles: &[String], place: usize| {
        let victim = &contestants[place].victim;
        let mut others = contestants.iter().zip(titles).enumerate().filter(|(other, _)| *other != place);
        others.any(|(_, (other, title))| other.victim == *victim && *title == titles[place])
    };
    let ambiguous: BTreeSet<String> =
        (0..titles.len()).filter(|place| is_taken_twice(&titles, *place)).map(|place| titles[place].clone()).collect();
    for (title, contestant) in titles.iter_mut().zip(contestants) {
        if ambiguous.contains(title) {
            *title = format!("{title} ({})", contestant.parameters);
        }
    }
    // What is the same in every respect was run twice.
    for place in 0..titles.len() {
        let mut number = 1;
        let title = titles[place].clone();
        while (0..place)
            .any(|other| contestants[other].victim == contestants[place].victim && titles[other] == titles[place])
        {
            number += 1;
            titles[place] = format!("{title}, run {number}");
        }
    }
    titles
}

/// For every target that all attacks attacked, the queries of each to a valid success.
fn queries_to_success(columns: &[&Column]) -> Vec<Vec<f64>> {
    let Some((first, others)) = columns.split_first() else { return Vec::new() };
    let mut blocks = Vec::new();
    for (id, record) in &first.records {
        let records: Option<Vec<_>> = others.iter().map(|column| column.records.get(id)).collect();
        let Some(records) = records else { continue };
        let records: Vec<_> = std::iter::once(record).chain(records).collect();
        if records.iter().all(|record| record.outcome.is_attacked()) {
            let queries = |outcome, queries| if outcome == Outcome::Success { queries as f64 } else { f64::INFINITY };
            blocks.push(records.iter().map(|record| queries(record.outcome, record.queries)).collect());
        }
    }
    blocks
}

fn ranking(blocks: Blocks, victims: usize, attacks: &[&String], numbers: &[Vec<f64>]) -> Option<Ranking> {
    let (test, pairs) = (friedman(numbers)?, nemenyi(numbers)?);
    let mut order: Vec<usize> = (0..attacks.len()).collect();
    order.sort_by(|one, other| pairs.mean_ranks[*one].total_cmp(&pairs.mean_ranks[*other]));
    Some(Ranking {
        blocks,
        n: test.n,
        victims,
        attacks: order.iter().map(|place| attacks[*place].clone()).collect(),
        mean_ranks: order.iter().map(|place| pairs.mean_ranks[*place]).collect(),
        p: test.f_p.unwrap_or(test.p),
        critical_difference: pairs.critical_difference,
        pairs: order.iter().map(|one| order.iter().map(|other| pairs.p[*one][*other]).collect()).collect(),
    })
}

impl Ranking {
    /// The attacks from which the one at a place does not differ, itself left out.
    pub fn equals(&self, place: usize) -> Vec<&str> {
        let rank = self.mean_ranks[place];
        let is_near =
            |other: &usize| *other != place && (self.mean_ranks[*other] - rank).abs() <= self.critical_difference;
        (0..self.attacks.len()).filter(is_near).map(|other| self.attacks[other].as_str()).collect()
    }

    /// What is ranked.
    pub fn title(&self) -> String {
        match self.blocks {
            Blocks::Victims => format!("ranks by success rate, a block for each of {} victims:", self.n),
            Blocks::Targets => {
                let victims =
                    if self.victims == 1 { "one victim".to_owned() } else { format!("{} victims", self.victims) };
                format!("ranks by queries to a success, a block for each of {} targets of {victims}:", self.n)
            }
        }
    }

    /// A row for each attack, the best first.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["attack", "mean rank", "not different from"]);
        for (place, attack) in self.attacks.iter().enumerate() {
            table.push([
                attack.as_str().into(),
                Some(self.mean_ranks[place]).into(),
                self.equals(place).join(", ").into(),
            ]);
        }
        table
    }

    /// The tests in words.
    pub fn in_words(&self) -> String {
        format!(
            "Friedman p {:.2e}; mean ranks differ at {LEVEL} where they are more than {:.3} apart (Nemenyi)",
            self.p, self.critical_difference
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::columns;
    use crate::run::{InputRow, Record};

    /// A column of each attack, with the queries to a success on each target, 0 where there is none.
    fn columns_of(attacks: &[(&str, &[usize])]) -> Vec<Column> {
        let row = |number: usize| InputRow {
            number,
            id: format!("t{number}"),
            cluster: format!("t{number}"),
            truth: None,
            input: model::Input::Code(model::Code { language: syntax::Language::C, text: String::new() }),
        };
        let rows: Vec<InputRow> = (0..attacks[0].1.len()).map(row).collect();
        let record = |attack: &str, (number, queries): (usize, &usize)| Record {
            attack: attack.to_owned(),
            number,
            outcome: if *queries > 0 { Outcome::Success } else { Outcome::Failed },
            queries: *queries,
            ..Record::default()
        };
        let records = attacks
            .iter()
            .flat_map(|(name, list)| list.iter().enumerate().map(|it| record(name, it)).collect::<Vec<_>>());
        columns(None, None, None, &rows, records.collect())
    }

    fn contestants(victim: &str, columns: &[Column]) -> Vec<Contestant> {
        let of = |column: &Column| Contestant {
            victim: victim.to_owned(),
            attack: column.attack.clone(),
            parameters: "budget=9".to_owned(),
        };
        columns.iter().map(of).collect()
    }

    #[test]
    fn fewer_queries_and_more_successes_rank_first() {
        let columns = columns_of(&[("a", &[2, 2, 2, 0]), ("b", &[3, 3, 0, 0]), ("c", &[9, 9, 9, 9])]);
        let found = rankings(&contestants("v", &columns), &columns);
        assert_eq!(found.len(), 1, "one victim is no sample of victims");
        assert_eq!((found[0].blocks, found[0].n), (Blocks::Targets, 4));
        assert_eq!(found[0].attacks, ["a", "c", "b"]);
        assert_eq!(found[0].mean_ranks, [1.375, 2.25, 2.375]);
        let expected =
            nemenyi(&[vec![2.0, 3.0, 9.0], vec![2.0, 3.0, 9.0], vec![2.0, 99.0, 9.0], vec![99.0, 99.0, 9.0]]);
        assert_eq!(found[0].critical_difference, expected.unwrap().critical_difference);
        assert_eq!(found[0].equals(0), ["c", "b"], "four targets are few");
    }

    #[test]
    fn victims_are_blocks_of_their_own() {
        let one = columns_of(&[("a", &[2, 2]), ("b", &[3, 0]), ("c", &[0, 0])]);
        let two = columns_of(&[("a", &[9, 9]), ("b", &[3, 0]), ("c", &[0, 0]), ("d", &[1, 1])]);
        let contestants = [contestants("v", &one), contestants("w", &two)].concat();
        let columns: Vec<Column> = one.into_iter().chain(two).collect();
        let found = rankings(&contestants, &columns);
        assert_eq!((found[0].blocks, found[0].n, found[1].n), (Blocks::Victims, 2, 4));
        // What one victim has alone is left out.
        assert_eq!(
            (found[0].attacks.as_slice(), found[0].mean_ranks.as_slice()),
            (["a", "b", "c"].map(String::from).as_slice(), [1.0, 2.0, 3.0].as_slice())
        );
        assert!(rankings(&contestants[..2], &columns[..2]).is_empty(), "two attacks are a duel");
    }

    #[test]
    fn an_attack_that_a_victim_has_twice_is_told_apart() {
        let contestant = |victim: &str, attack: &str, parameters: &str| Contestant {
            victim: victim.to_owned(),
            attack: attack.to_owned(),
            parameters: parameters.to_owned(),
        };
        let all = [
            contestant("v", "coda", "budget=9"),
            contestant("v", "coda", "rounds=1, budget=9"),
            contestant("v", "mhm", "budget=9"),
            contestant("w", "coda", "budget=9"),
            contestant("w", "coda", "budget=9"),
        ];
        let expected =
            ["coda (budget=9)", "coda (rounds=1, budget=9)", "mhm", "coda (budget=9)", "coda (budget=9), run 2"];
        assert_eq!(titles(&all), expected);
    }
}
