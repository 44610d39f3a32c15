//! The pictures of attacks.

use measure::metrics::VALID_RATE;
use search::Outcome;

use super::{COLOURS, Drawing, Plot, Rows, Scale, is_narrow, short_names};
use crate::markup::{percent, short, shortened};
use crate::numbers::AttackNumbers;

/// How many rewrites a picture shows.
const MOST_REWRITES: usize = 9;

/// Ticks of a scale of queries.
const QUERIES: [f64; 15] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6];

/// The rate of valid successes of each attack with its interval, and all flips where they are more.
pub fn rates(attacks: &[AttackNumbers]) -> Drawing {
    Drawing::new("Attack success rate with intervals", |width| {
        let mut rows = Rows::of_shares(&names(attacks, width), width);
        for (place, attack) in attacks.iter().enumerate() {
            let middle = rows.middle(place);
            let (Some(line), raw) = (attack.summary.line(VALID_RATE), attack.summary.value("attack success rate"))
            else {
                continue;
            };
            let Some(value) = line.value else {
                rows.note(place, "none attacked");
                continue;
            };
            if let Some(raw) = raw.filter(|raw| *raw > value) {
                rows.bar(middle, 14.0, raw, "raw");
            }
            rows.bar(middle, 14.0, value, &format!("bar {}", class(attack)));
            if let Some(interval) = line.interval {
                rows.whisker(middle, &interval, 4.0);
            }
            rows.note(place, &percent(value));
        }
        rows.finish()
    })
}

/// How the belief in the truth fell: the middle half and four fifths of attacked targets, the median, and the mean with its interval.
pub fn drops(attacks: &[AttackNumbers], title: &str) -> Drawing {
    Drawing::new(title, |width| {
        let mut rows = Rows::new(&names(attacks, width), width, 52.0, Scale::new(0.0, 1.0));
        rows.axis(&[0.0, 0.25, 0.5, 0.75, 1.0], |drop| format!("{drop}"));
        for (place, attack) in attacks.iter().enumerate() {
            let middle = rows.middle(place);
            let line = attack.summary.line("confidence decrement");
            let Some((mean, line)) = line.and_then(|line| Some((line.value?, line))) else {
                rows.note(place, "–");
                continue;
            };
            rows.box_plot(place, &attack.drops, &class(attack));
            if let Some(interval) = line.interval {
                rows.whisker(middle, &interval, 0.0);
            }
            rows.dot(middle, mean);
            rows.note(place, &short(mean));
        }
        rows.finish()
    })
}

/// How many queries the successes of each attack took.
pub fn queries(attacks: &[AttackNumbers]) -> Drawing {
    let most = most_queries(attacks);
    Drawing::new("Queries to success", |width| {
        let scale = Scale { low: 1.0, high: most, is_logarithmic: true };
        let mut rows = Rows::new(&names(attacks, width), width, 60.0, scale);
        rows.axis(&ticks_to(most), |tick| format!("{tick:.0}"));
        for (place, attack) in attacks.iter().enumerate() {
            match attack.queries.is_empty() {
                true => rows.note(place, "–"),
                false => {
                    rows.box_plot(place, &attack.queries, &class(attack));
                    rows.note(place, &short(super::quantile(&attack.queries, 0.5)));
                }
            }
        }
        rows.finish()
    })
}

/// Which share of attacked targets each attack has broken with at most so many queries.
pub fn budgets(attacks: &[AttackNumbers]) -> Drawing {
    let most = most_queries(attacks);
    let shown: Vec<&AttackNumbers> = attacks.iter().filter(|attack| attack.attacked() > 0).collect();
    Drawing::new("Success rate against the budget of queries", |width| {
        let names: Vec<(String, String)> =
            shown.iter().flat_map(|attack| names(std::slice::from_ref(*attack), width)).collect();
        let scale = Scale { low: 1.0, high: most, is_logarithmic: true };
        let mut plot = Plot::new(&names, width, scale, Scale::new(0.0, 1.0));
        let x: Vec<(f64, String)> = ticks_to(most).into_iter().map(|tick| (tick, format!("{tick:.0}"))).collect();
        let y = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{:.0} %", share * 100.0)));
        plot.axes(&x, &y, "queries (logarithmic)");
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for attack in &shown {
            let all = attack.attacked() as f64;
            // Of successes with as many queries only the last is drawn.
            let is_last = |place: &usize| attack.queries.get(place + 1) != Some(&attack.queries[*place]);
            let points: Vec<(f64, f64)> = (0..attack.queries.len())
                .filter(is_last)
                .map(|place| (attack.queries[place], (place + 1) as f64 / all))
                .collect();
            let dashes = if attack.run > 0 || attack.colour >= COLOURS { " dashed" } else { "" };
            let class = format!("c{}{dashes}", attack.colour % COLOURS);
            heights.push(points.last().map_or(0.0, |(_, share)| *share));
            plot.steps(points, &class);
            classes.push(class);
        }
        plot.names(&names, &heights, &classes);
        plot.finish()
    })
}

fn most_queries(attacks: &[AttackNumbers]) -> f64 {
    attacks.iter().filter_map(|attack| attack.queries.last()).copied().fold(10.0, f64::max)
}

fn ticks_to(most: f64) -> Vec<f64> {
    QUERIES.into_iter().filter(|tick| *tick <= most * 1.001).collect()
}

/// Which rewrites are most often in the recipes of an attack's successes.
pub fn rewrites(attack: &AttackNumbers) -> Drawing {
    let broken = attack.count(Outcome::Success).max(1) as f64;
    let mut used: Vec<(&String, f64)> =
        attack.transformations.iter().map(|(name, of)| (name, of.examples as f64 / broken)).collect();
    used.sort_by(|one, other| other.1.total_cmp(&one.1));
    used.truncate(MOST_REWRITES);
    Drawing::new("Rewrites in the recipes of successes", |width| {
        let letters = if is_narrow(width) { 18 } else { 26 };
        let names: Vec<(String, String)> =
            used.iter().map(|(name, _)| (shortened(name, letters), (*name).clone())).collect();
        let mut rows = Rows::of_shares(&names, width);
        for (place, (_, share)) in used.iter().enumerate() {
            rows.bar(rows.middle(place), 14.0, *share, "bar c8");
            rows.note(place, &percent(*share));
        }
        rows.finish()
    })
}

/// What pictures call attacks, short and full. Those that are not at their end have a dagger.
fn names(attacks: &[AttackNumbers], width: f64) -> Vec<(String, String)> {
    let mut names = short_names(attacks.iter().map(|attack| attack.name.as_str()), width);
    for ((name, _), attack) in names.iter_mut().zip(attacks) {
        if !attack.is_complete() {
            name.push('†');
        }
    }
    names
}

fn class(attack: &AttackNumbers) -> String {
    let pale = if attack.is_complete() { "" } else { " unfinished" };
    format!("c{}{pale}", attack.colour % COLOURS)
}
