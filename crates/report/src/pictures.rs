//! The pictures: drawn here, so that they are the same everywhere and need no script.
//!
//! Each is drawn twice, for wide and narrow windows, because letters must not shrink with the window. Colours are classes of
//! the style sheet, so that they follow light and dark.

use std::fmt::Write;

use measure::Interval;
use measure::metrics::VALID_RATE;
use search::Outcome;

use crate::markup::{escape, percent, short, shortened};
use crate::numbers::AttackNumbers;

/// The widths that a picture is drawn in.
const WIDTHS: [(&str, f64); 2] = [("wide", 560.0), ("narrow", 340.0)];

/// The height of a row of a picture that has a row for each attack.
const ROW: f64 = 28.0;

/// About how wide a letter is.
const LETTER: f64 = 7.2;

/// How many rewrites a picture shows.
const MOST_REWRITES: usize = 9;

/// How many colours there are; further attacks have them again. Their lines are dashed, and so are those of further runs.
pub const COLOURS: usize = 9;

/// The rate of valid successes of each attack with its interval, and all flips where they are more.
pub fn rates(attacks: &[AttackNumbers]) -> String {
    in_both_widths("Attack success rate with intervals", |width| {
        let mut rows = Rows::new(names(attacks, width), width, 66.0);
        rows.axis(&[0.0, 0.25, 0.5, 0.75, 1.0], |share| format!("{:.0} %", share * 100.0));
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
            rows.bar(middle, 14.0, value, &format!("bar c{}{}", attack.colour % COLOURS, pale(attack)));
            if let Some(interval) = line.interval {
                rows.whisker(middle, &interval, 4.0);
            }
            rows.note(place, &percent(value));
        }
        rows.finish()
    })
}

/// How the belief in the truth fell: the middle half and four fifths of attacked targets, the median, and the mean with its interval.
pub fn drops(attacks: &[AttackNumbers], title: &str) -> String {
    in_both_widths(title, |width| {
        let mut rows = Rows::new(names(attacks, width), width, 52.0);
        rows.axis(&[0.0, 0.25, 0.5, 0.75, 1.0], |drop| format!("{drop}"));
        for (place, attack) in attacks.iter().enumerate() {
            let middle = rows.middle(place);
            let line = attack.summary.line("confidence decrement");
            let Some((mean, line)) = line.and_then(|line| Some((line.value?, line))) else {
                rows.note(place, "–");
                continue;
            };
            let at = |share: f64| quantile(&attack.drops, share);
            rows.span(middle, 1.0, at(0.1), at(0.9), "range");
            rows.span(middle, 12.0, at(0.25), at(0.75), &format!("box c{}{}", attack.colour % COLOURS, pale(attack)));
            rows.span(middle, 12.0, at(0.5), at(0.5), "median");
            if let Some(interval) = line.interval {
                rows.whisker(middle, &interval, 0.0);
            }
            let x = rows.x(mean);
            let _ = write!(rows.body, r#"<circle class="mean" cx="{x:.1}" cy="{middle:.1}" r="3.5"/>"#);
            rows.note(place, &short(mean));
        }
        rows.finish()
    })
}

/// Which share of attacked targets each attack has broken with at most so many queries.
pub fn queries(attacks: &[AttackNumbers]) -> String {
    in_both_widths("Targets broken within a number of queries", |width| curve(attacks, width))
}

/// Which rewrites are most often in the recipes of an attack's successes.
pub fn rewrites(attack: &AttackNumbers) -> String {
    let broken = attack.count(Outcome::Success).max(1) as f64;
    let mut used: Vec<(&String, f64)> =
        attack.transformations.iter().map(|(name, of)| (name, of.examples as f64 / broken)).collect();
    used.sort_by(|one, other| other.1.total_cmp(&one.1));
    used.truncate(MOST_REWRITES);
    in_both_widths("Rewrites in the recipes of successes", |width| {
        let names =
            used.iter().map(|(name, _)| (shortened(name, if width < 400.0 { 18 } else { 26 }), (*name).clone()));
        let mut rows = Rows::new(names.collect(), width, 66.0);
        rows.axis(&[0.0, 0.25, 0.5, 0.75, 1.0], |share| format!("{:.0} %", share * 100.0));
        for (place, (_, share)) in used.iter().enumerate() {
            rows.bar(rows.middle(place), 14.0, *share, "bar c8");
            rows.note(place, &percent(*share));
        }
        rows.finish()
    })
}

/// What pictures call attacks, short and full. Those that are not at their end have a dagger.
fn names(attacks: &[AttackNumbers], width: f64) -> Vec<(String, String)> {
    let letters = if width < 400.0 { 14 } else { 24 };
    let name = |attack: &AttackNumbers| {
        let dagger = if attack.is_complete() { "" } else { "†" };
        (format!("{}{dagger}", shortened(&attack.name, letters)), attack.name.clone())
    };
    attacks.iter().map(name).collect()
}

fn pale(attack: &AttackNumbers) -> &'static str {
    if attack.is_complete() { "" } else { " unfinished" }
}

fn curve(attacks: &[AttackNumbers], width: f64) -> String {
    let shown: Vec<(usize, &AttackNumbers)> =
        attacks.iter().enumerate().filter(|(_, attack)| attack.attacked() > 0).collect();
    let most = shown.iter().filter_map(|(_, attack)| attack.queries.last()).copied().fold(10.0, f64::max);
    let names = names(attacks, width);
    let longest = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
    let (left, right, top) = (44.0, longest * LETTER + 18.0, 12.0);
    let bottom = top + (shown.len() as f64 * 16.0).max(220.0);
    let end = width - right;
    let x = |queries: f64| left + (end - left) * queries.max(1.0).ln() / most.ln();
    let y = |share: f64| bottom - (bottom - top) * share;
    let mut body = String::new();
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let height = y(share);
        let _ = write!(body, r#"<path class="grid" d="M{left:.1} {height:.1}H{end:.1}"/>"#);
        let _ = write!(
            body,
            r#"<text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{:.0} %</text>"#,
            left - 6.0,
            height + 4.0,
            share * 100.0
        );
    }
    let mut last = f64::NEG_INFINITY;
    for tick in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] {
        let place = x(tick);
        if tick > most * 1.001 || place - last < 38.0 {
            continue;
        }
        last = place;
        let _ = write!(body, r#"<path class="grid" d="M{place:.1} {bottom:.1}v4"/>"#);
        let _ = write!(
            body,
            r#"<text class="tick" x="{place:.1}" y="{:.1}" text-anchor="middle">{tick:.0}</text>"#,
            bottom + 18.0
        );
    }
    let _ = write!(
        body,
        r#"<text class="tick" x="{:.1}" y="{:.1}" text-anchor="middle">queries (logarithmic)</text>"#,
        (left + end) / 2.0,
        bottom + 36.0
    );
    let mut labels = Vec::new();
    for (place, attack) in &shown {
        let all = attack.attacked() as f64;
        let mut path = format!("M{left:.1} {bottom:.1}");
        let mut share = 0.0;
        for (broken, queries) in attack.queries.iter().enumerate() {
            // Of successes with as many queries only the last is drawn.
            if attack.queries.get(broken + 1) == Some(queries) {
                continue;
            }
            share = (broken + 1) as f64 / all;
            let _ = write!(path, "H{:.1}V{:.1}", x(*queries), y(share));
        }
        let _ = write!(path, "H{end:.1}");
        let dashes = if attack.run > 0 || attack.colour >= COLOURS { " dashed" } else { "" };
        let _ = write!(body, r#"<path class="curve c{}{dashes}" d="{path}"/>"#, attack.colour % COLOURS);
        labels.push((y(share), *place));
    }
    for (height, place) in spread(labels, top, bottom) {
        let (name, full) = (escape(&names[place].0), escape(&names[place].1));
        let (x, y) = (end + 14.0, height + 4.0);
        let colour = attacks[place].colour % COLOURS;
        let _ = write!(body, r#"<path class="key c{colour}" d="M{:.1} {height:.1}h7"/>"#, end + 4.0);
        let _ = write!(body, r#"<text class="label" x="{x:.1}" y="{y:.1}">{name}<title>{full}</title></text>"#);
    }
    svg(width, bottom + 44.0, &body)
}

/// Moves labels apart so that none covers another, as near to their heights as their order allows.
fn spread(mut labels: Vec<(f64, usize)>, top: f64, bottom: f64) -> Vec<(f64, usize)> {
    const APART: f64 = 15.0;
    labels.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut least = top;
    for (height, _) in &mut labels {
        *height = height.max(least);
        least = *height + APART;
    }
    let mut most = bottom;
    for (height, _) in labels.iter_mut().rev() {
        *height = height.min(most);
        most = *height - APART;
    }
    labels
}

/// A picture with a row for each attack and a scale from nothing to one.
struct Rows {
    width: f64,
    left: f64,
    right: f64,
    height: f64,
    body: String,
}

impl Rows {
    /// Rows with names, each with its full form, and so much room for a note at their ends.
    fn new(names: Vec<(String, String)>, width: f64, note: f64) -> Rows {
        let longest = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
        let left = longest * LETTER + 12.0;
        let height = 6.0 + ROW * names.len() as f64;
        let mut body = String::new();
        for (place, (name, full)) in names.iter().enumerate() {
            let (x, y) = (left - 10.0, 6.0 + ROW * (place as f64 + 0.5) + 4.0);
            let (name, full) = (escape(name), escape(full));
            let _ = write!(
                body,
                r#"<text class="label" x="{x:.1}" y="{y:.1}" text-anchor="end">{name}<title>{full}</title></text>"#
            );
        }
        Rows { width, left, right: width - note, height, body }
    }

    fn middle(&self, place: usize) -> f64 {
        6.0 + ROW * (place as f64 + 0.5)
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * value.clamp(0.0, 1.0)
    }

    fn axis(&mut self, ticks: &[f64], text: impl Fn(f64) -> String) {
        for (place, tick) in ticks.iter().enumerate() {
            let (x, height) = (self.x(*tick), self.height);
            let _ = write!(self.body, r#"<path class="grid" d="M{x:.1} 4V{height:.1}"/>"#);
            // In a narrow window only every second number has room.
            if self.right - self.left > 220.0 || place.is_multiple_of(2) {
                let _ = write!(
                    self.body,
                    r#"<text class="tick" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                    height + 16.0,
                    text(*tick)
                );
            }
        }
    }

    fn bar(&mut self, middle: f64, thickness: f64, value: f64, class: &str) {
        let (x, width) = (self.left, self.x(value) - self.left);
        let y = middle - thickness / 2.0;
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{thickness}" rx="2"/>"#
        );
    }

    fn span(&mut self, middle: f64, thickness: f64, from: f64, to: f64, class: &str) {
        let (x, width) = (self.x(from), (self.x(to) - self.x(from)).max(1.5));
        let y = middle - thickness / 2.0;
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{thickness}"/>"#
        );
    }

    fn whisker(&mut self, middle: f64, interval: &Interval, cap: f64) {
        let (low, high) = (self.x(interval.low), self.x(interval.high));
        let caps = if cap > 0.0 {
            format!("M{low:.1} {:.1}v{}M{high:.1} {:.1}v{}", middle - cap, 2.0 * cap, middle - cap, 2.0 * cap)
        } else {
            String::new()
        };
        let _ = write!(self.body, r#"<path class="whisker" d="M{low:.1} {middle:.1}H{high:.1}{caps}"/>"#);
    }

    fn note(&mut self, place: usize, text: &str) {
        let y = self.middle(place) + 4.0;
        let _ = write!(
            self.body,
            r#"<text class="value" x="{:.1}" y="{y:.1}" text-anchor="end">{}</text>"#,
            self.width - 2.0,
            escape(text)
        );
    }

    fn finish(self) -> String {
        svg(self.width, self.height + 24.0, &self.body)
    }
}

fn svg(width: f64, height: f64, body: &str) -> String {
    format!(r#"viewBox="0 0 {width:.0} {height:.0}">{body}</svg>"#)
}

fn in_both_widths(title: &str, draw: impl Fn(f64) -> String) -> String {
    let one = |(class, width): (&str, f64)| {
        format!(r#"<svg class="picture {class}" role="img" aria-label="{}" {}"#, escape(title), draw(width))
    };
    WIDTHS.map(one).join("\n")
}

/// A quantile of numbers in order, between its neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart() {
        let heights = |labels: &[f64]| -> Vec<f64> {
            let labels = labels.iter().copied().zip(0..).collect();
            spread(labels, 0.0, 100.0).into_iter().map(|(height, _)| height).collect()
        };
        assert_eq!(heights(&[10.0, 50.0]), [10.0, 50.0]);
        assert_eq!(heights(&[10.0, 12.0, 11.0]), [10.0, 25.0, 40.0]);
        assert_eq!(heights(&[99.0, 100.0, 100.0]), [70.0, 85.0, 100.0]);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!([quantile(&[], 0.5), quantile(&[3.0], 0.9), quantile(&[1.0, 2.0, 4.0], 0.75)], [0.0, 3.0, 3.0]);
    }
}
