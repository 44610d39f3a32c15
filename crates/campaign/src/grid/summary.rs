//! What a grid says, out of its store: what each treatment does, which of them differ, and how they rank.

use std::collections::{BTreeMap, BTreeSet};

use measure::statistics::{
    Exactness, Zeros, cliffs_delta, friedman, holm, mann_whitney, nemenyi, shapiro_wilk, spearman, wilcoxon_signed_rank,
};
use measure::summary::input_numbers;
use measure::{Bootstrap, Cell, Interval, Summary, Table};
use model::Prediction;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::GridPlan;
use crate::examples::Truth;
use crate::run::{Json, Store, StoreError};
use crate::scoring::{Row, distance, is_other, score};

/// What a grid says.
pub struct GridSummary {
    /// The tables with their titles, in the order in which they are shown.
    pub tables: Vec<(&'static str, Table)>,
    /// The p-value of every pair of treatments, by Nemenyi's test.
    pub pairs: Table,
}

/// What a treatment did to an input, where the model answered before and after.
struct Effect {
    number: usize,
    rewrites: usize,
    is_changed: bool,
    is_other: bool,
    distance: Option<f64>,
    /// The score before and after.
    scores: Option<(f64, f64)>,
}

impl Effect {
    fn delta(&self) -> Option<f64> {
        self.scores.map(|(before, after)| after - before)
    }
}

/// A grid as its store tells of it.
struct Grid {
    plan: GridPlan,
    /// The truths of the inputs and what must stay together when they are resampled, by their places in the data set.
    inputs: BTreeMap<usize, (Truth, String)>,
}

/// What the treatments did, and whether they differ. Of a grid that is not finished, the treatments that are done.
pub fn summary(store: &Store<GridPlan>, bootstrap: &Bootstrap) -> Result<GridSummary, StoreError> {
    let mut plan = store.about()?.plan;
    let done: BTreeSet<String> = store.read(|connection| {
        let mut rows = connection.prepare("select distinct treatment from cells")?;
        rows.query_map([], |row| row.get(0))?.collect()
    })?;
    plan.treatments.retain(|treatment| done.contains(treatment));
    let truths = store.truths()?;
    let inputs = store.inputs()?.into_iter().map(|row| (row.number, (truths.truth(&row), row.cluster))).collect();
    let grid = &Grid { plan, inputs };
    let mut cells: BTreeMap<(usize, usize), (Vec<Effect>, usize)> = BTreeMap::new();
    for (place, treatment) in grid.plan.treatments.iter().enumerate() {
        for order in &grid.plan.orders {
            let effects = store.read(|connection| read(connection, grid, treatment, *order))?;
            cells.insert((*order, place), effects);
        }
    }
    let tables = vec![
        ("effects", effects(grid, &cells, bootstrap)),
        ("tests", tests(grid, &cells)),
        ("trend", trend(grid, &cells)),
        ("friedman", global(grid, &cells)),
        ("ranks", ranks(grid, &cells)),
    ];
    Ok(GridSummary { tables, pairs: pairs(grid, &cells) })
}

/// Writes the tables beside the store.
pub(super) fn write_files(store: &Store<GridPlan>, summary: &GridSummary) -> Result<(), StoreError> {
    let all: Value = summary.tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect();
    store.write_file("summary.json", &format!("{all:#}\n"))?;
    store.write_file("nemenyi.csv", &summary.pairs.to_csv())
}

/// The effects of a treatment at an order, and how many inputs got no answer.
fn read(connection: &Connection, grid: &Grid, treatment: &str, order: usize) -> rusqlite::Result<(Vec<Effect>, usize)> {
    let mut rows = connection.prepare(
        "select number, rewrites, is_changed, cells.answer, before.answer from cells join before using (number)
         where treatment = ?1 and rewrites_wanted = ?2 and before.answer is not null order by number",
    )?;
    let mut faults = 0;
    let mut effects = Vec::new();
    let mut rows = rows.query(params![treatment, order])?;
    while let Some(row) = rows.next()? {
        let (number, rewrites, is_changed): (usize, usize, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let Json(before): Json<Prediction> = row.get(4)?;
        let after = if is_changed { Json::read(row, 3)? } else { Some(before.clone()) };
        let Some(after) = after else {
            faults += 1;
            continue;
        };
        let Some((truth, _)) = grid.inputs.get(&number) else { continue };
        let of = |after: &Prediction| score(&Row { truth, before: &before, after });
        effects.push(Effect {
            number,
            rewrites,
            is_changed,
            is_other: is_other(&before, &after),
            distance: distance(&before, &after),
            scores: of(&before).zip(of(&after)),
        });
    }
    Ok((effects, faults))
}

type Cells = BTreeMap<(usize, usize), (Vec<Effect>, usize)>;

/// How a measure is added to a summary.
type Push = fn(&mut Summary, &str, &[Option<f64>], Option<&[usize]>, &Bootstrap);

/// What every treatment did: over all inputs, and over those that it changed.
fn effects(grid: &Grid, cells: &Cells, bootstrap: &Bootstrap) -> Table {
    let mut table = Table::new([
        "order",
        "treatment",
        "inputs",
        "rewrites each",
        "changed, %",
        "other answers, %",
        "of changed, %",
        "interval",
        "distance",
        "score before",
        "score after",
        "delta",
        "interval of delta",
        "delta of changed",
        "no answer",
    ]);
    for ((order, place), (effects, faults)) in cells {
        let groups = effects.iter().filter_map(|effect| grid.inputs.get(&effect.number));
        let inputs = input_numbers(groups.map(|(_, cluster)| cluster.as_str()));
        let mut summary = Summary::default();
        let mut line = |push: Push, value: &dyn Fn(&Effect) -> Option<f64>| {
            push(&mut summary, "", &effects.iter().map(value).collect::<Vec<_>>(), Some(&inputs), bootstrap);
            let line = summary.lines.pop();
            (line.as_ref().and_then(|line| line.value), line.and_then(|line| line.interval))
        };
        let mut percent = |is: &dyn Fn(&Effect) -> Option<bool>| {
            let share = |effect: &Effect| is(effect).map(|is| f64::from(u8::from(is)));
            let (value, interval) = line(Summary::push_share, &share);
            let interval = interval.map(|it| Interval { low: 100.0 * it.low, high: 100.0 * it.high });
            (value.map(|value| 100.0 * value), interval)
        };
        let other = percent(&|effect| Some(effect.is_other));
        let of_changed = percent(&|effect| effect.is_changed.then_some(effect.is_other));
        let changed = percent(&|effect| Some(effect.is_changed));
        let delta = line(Summary::push_difference, &Effect::delta);
        table.push([
            (*order).into(),
            grid.plan.treatments[*place].as_str().into(),
            effects.len().into(),
            line(Summary::push_mean, &|effect| Some(effect.rewrites as f64)).0.into(),
            changed.0.into(),
            other.0.into(),
            of_changed.0.into(),
            of_changed.1.into(),
            line(Summary::push_mean, &|effect| effect.distance).0.into(),
            line(Summary::push_mean, &|effect| effect.scores.map(|(before, _)| before)).0.into(),
            line(Summary::push_mean, &|effect| effect.scores.map(|(_, after)| after)).0.into(),
            delta.0.into(),
            delta.1.into(),
            line(Summary::push_mean, &|effect| effect.delta().filter(|_| effect.is_changed)).0.into(),
            (*faults).into(),
        ]);
    }
    table
}

/// Is a treatment's effect more than chance? Over the inputs that it changed.
fn tests(grid: &Grid, cells: &Cells) -> Table {
    let mut table = Table::new([
        "order",
        "treatment",
        "n",
        "shapiro-wilk w",
        "shapiro-wilk p",
        "rank-sum p",
        "signed-rank p",
        "signed-rank p, holm",
        "cliff's delta",
    ]);
    let paired = |effects: &[Effect]| -> (Vec<f64>, Vec<f64>) {
        effects.iter().filter(|effect| effect.is_changed).filter_map(|effect| effect.scores).unzip()
    };
    let signed: Vec<Option<f64>> = cells
        .values()
        .map(|(effects, _)| {
            let (before, after) = paired(effects);
            wilcoxon_signed_rank(&before, &after, Zeros::Drop, Exactness::Auto).map(|test| test.p)
        })
        .collect();
    let corrected = holm(&signed.iter().flatten().copied().collect::<Vec<f64>>()).unwrap_or_default();
    let mut corrected = corrected.into_iter();
    for (((order, place), (effects, _)), signed) in cells.iter().zip(signed) {
        let (before, after) = paired(effects);
        let deltas: Vec<f64> = before.iter().zip(&after).map(|(before, after)| after - before).collect();
        let normal = shapiro_wilk(&deltas);
        table.push([
            (*order).into(),
            grid.plan.treatments[*place].as_str().into(),
            deltas.len().into(),
            normal.map(|test| test.w).into(),
            normal.map(|test| test.p).into(),
            mann_whitney(&before, &after, Exactness::Auto).map(|test| test.p).into(),
            signed.into(),
            signed.and_then(|_| corrected.next()).into(),
            cliffs_delta(&after, &before).map(|found| found.delta).into(),
        ]);
    }
    table
}

/// Do more rewrites change scores more? The rank correlation of the rewrites of an input with the delta of its score, over all orders.
/// Inputs come once for each order, so the p-value is an indication only.
fn trend(grid: &Grid, cells: &Cells) -> Table {
    let mut table = Table::new(["treatment", "n", "spearman's rho", "p"]);
    for (place, treatment) in grid.plan.treatments.iter().enumerate() {
        let effects =
            grid.plan.orders.iter().filter_map(|order| cells.get(&(*order, place))).flat_map(|(effects, _)| effects);
        let (rewrites, deltas): (Vec<f64>, Vec<f64>) =
            effects.filter_map(|effect| Some((effect.rewrites as f64, effect.delta()?))).unzip();
        let found = spearman(&rewrites, &deltas);
        table.push([
            treatment.as_str().into(),
            deltas.len().into(),
            found.map(|found| found.rho).into(),
            found.and_then(|found| found.p).into(),
        ]);
    }
    table
}

/// The deltas of the inputs that every treatment has one for: a block for each input.
fn blocks(grid: &Grid, cells: &Cells, order: usize) -> Vec<Vec<f64>> {
    let mut by_input: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for place in 0..grid.plan.treatments.len() {
        for effect in cells.get(&(order, place)).map_or(&[][..], |(effects, _)| effects) {
            if let Some(delta) = effect.delta() {
                by_input.entry(effect.number).or_default().push(delta);
            }
        }
    }
    by_input.into_values().filter(|deltas| deltas.len() == grid.plan.treatments.len()).collect()
}

/// Do the treatments of an order differ?
fn global(grid: &Grid, cells: &Cells) -> Table {
    let mut table = Table::new([
        "order",
        "inputs",
        "treatments",
        "chi squared",
        "p",
        "iman-davenport f",
        "f p",
        "critical difference",
    ]);
    for order in &grid.plan.orders {
        let blocks = blocks(grid, cells, *order);
        let found = friedman(&blocks);
        let of = |value: fn(&measure::statistics::Friedman) -> Option<f64>| found.as_ref().and_then(value);
        table.push([
            (*order).into(),
            blocks.len().into(),
            grid.plan.treatments.len().into(),
            of(|it| Some(it.chi_squared)).into(),
            of(|it| Some(it.p)).into(),
            of(|it| it.f).into(),
            of(|it| it.f_p).into(),
            nemenyi(&blocks).map(|found| found.critical_difference).into(),
        ]);
    }
    table
}

/// The mean ranks, from the treatment that lowers scores most. Treatments that share a letter do not differ: their mean ranks are
/// closer than the critical difference. This is a critical-difference diagram, written down.
fn ranks(grid: &Grid, cells: &Cells) -> Table {
    let mut table = Table::new(["order", "place", "treatment", "mean rank", "alike"]);
    for order in &grid.plan.orders {
        let Some(found) = nemenyi(&blocks(grid, cells, *order)) else { continue };
        let mut places: Vec<usize> = (0..grid.plan.treatments.len()).collect();
        places.sort_by(|one, other| found.mean_ranks[*one].total_cmp(&found.mean_ranks[*other]));
        let sorted: Vec<f64> = places.iter().map(|place| found.mean_ranks[*place]).collect();
        let letters = alike(&sorted, found.critical_difference);
        for (rank, place) in places.iter().enumerate() {
            table.push([
                (*order).into(),
                (rank + 1).into(),
                grid.plan.treatments[*place].as_str().into(),
                sorted[rank].into(),
                letters[rank].as_str().into(),
            ]);
        }
    }
    table
}

/// The p-value of every pair of treatments.
fn pairs(grid: &Grid, cells: &Cells) -> Table {
    let mut table = Table::new(["order", "one", "other", "mean rank of one", "mean rank of other", "p"]);
    for order in &grid.plan.orders {
        let Some(found) = nemenyi(&blocks(grid, cells, *order)) else { continue };
        for one in 0..grid.plan.treatments.len() {
            for other in one + 1..grid.plan.treatments.len() {
                table.push([
                    Cell::from(*order),
                    grid.plan.treatments[one].as_str().into(),
                    grid.plan.treatments[other].as_str().into(),
                    found.mean_ranks[one].into(),
                    found.mean_ranks[other].into(),
                    found.p[one][other].into(),
                ]);
            }
        }
    }
    table
}

/// For sorted mean ranks the letters of the longest runs that are no wider than the critical difference.
fn alike(sorted: &[f64], critical: f64) -> Vec<String> {
    let mut letters = vec![String::new(); sorted.len()];
    let (mut runs, mut covered) = (0, 0);
    for start in 0..sorted.len() {
        let end = sorted.iter().rposition(|rank| rank - sorted[start] < critical).unwrap_or(start);
        // A run that ends where another did is a part of it.
        if end + 1 > covered {
            let letter = match runs {
                0..26 => char::from(b'a' + runs as u8).to_string(),
                more => format!("({})", more + 1),
            };
            letters[start..=end].iter_mut().for_each(|letters| letters.push_str(&letter));
            (runs, covered) = (runs + 1, end + 1);
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn letters_join_what_does_not_differ() {
        assert_eq!(alike(&[1.0, 1.5, 2.2, 4.0], 1.0), ["a", "ab", "b", "c"]);
        assert_eq!(alike(&[1.0, 2.0, 3.0], 0.5), ["a", "b", "c"]);
        assert_eq!(alike(&[1.0, 1.1, 1.2], 5.0), ["a", "a", "a"]);
        assert_eq!(alike(&[], 5.0), [""; 0]);
        assert!(alike(&(0..40).map(f64::from).collect::<Vec<_>>(), 0.5)[30].starts_with('('));
    }
}
