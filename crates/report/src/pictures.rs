//! The pictures: drawn here, so that they are the same everywhere and need no script.
//!
//! Each is drawn twice, for wide and narrow windows, because letters must not shrink with the window. Colours are classes of
//! the style sheet, so that they follow light and dark.

pub mod attacks;
pub mod front;
pub mod reliability;

use std::fmt::Write;

use measure::Interval;

use crate::markup::{escape, shortened};

/// The widths that a picture is drawn in.
const WIDTHS: [f64; 2] = [560.0, 340.0];

/// The height of a row of a picture that has a row for each thing.
const ROW: f64 = 28.0;

/// About how wide a letter is.
const LETTER: f64 = 7.9;

/// How many colours there are; what is beyond them has them again, dashed.
pub const COLOURS: usize = 9;

/// A picture for wide and for narrow windows.
pub struct Drawing {
    /// What it shows, in markup, for those who cannot see it.
    pub label: String,
    /// For wide windows, and for files.
    pub wide: Svg,
    /// For narrow windows.
    pub narrow: Svg,
}

/// What stands in an SVG element.
pub struct Svg {
    width: f64,
    height: f64,
    /// The markup within the element.
    pub body: String,
}

impl Svg {
    /// The end of the element's opening tag.
    pub fn opening(&self) -> String {
        format!(r#"viewBox="0 0 {:.0} {:.0}">"#, self.width, self.height)
    }
}

impl Drawing {
    /// Draws a picture in both widths.
    pub fn new(label: &str, draw: impl Fn(f64) -> Svg) -> Drawing {
        let [wide, narrow] = WIDTHS.map(draw);
        Drawing { label: escape(label), wide, narrow }
    }

    /// Both forms, of which the style sheet shows one.
    pub fn markup(&self) -> String {
        let one = |class: &str, svg: &Svg| {
            format!(
                r#"<svg class="picture {class}" role="img" aria-label="{}" {}{}</svg>"#,
                self.label,
                svg.opening(),
                svg.body
            )
        };
        one("wide", &self.wide) + "\n" + &one("narrow", &self.narrow)
    }
}

/// Is this the width for narrow windows?
pub fn is_narrow(width: f64) -> bool {
    width < 400.0
}

/// The colour of the thing at a place, and dashes for those beyond the last colour.
pub fn colour(place: usize) -> String {
    let dashed = if place >= COLOURS { " dashed" } else { "" };
    format!("c{}{dashed}", place % COLOURS)
}

/// Names as pictures show them: short and full.
pub fn short_names<'n>(names: impl IntoIterator<Item = &'n str>, width: f64) -> Vec<(String, String)> {
    let letters = if is_narrow(width) { 14 } else { 24 };
    names.into_iter().map(|name| (shortened(name, letters), name.to_owned())).collect()
}

/// Round numbers over a range, at most so many.
pub fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let range = (high - low).abs();
    if range <= 0.0 || !range.is_finite() {
        return vec![low];
    }
    let rough = range / most.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// A tick in words, with the digits that tell it from its neighbours.
pub fn tick_text(ticks: &[f64], tick: f64) -> String {
    let step = match ticks {
        [first, second, ..] => (second - first).abs(),
        _ => tick.abs().max(1.0),
    };
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{tick:.digits$}");
    // A zero that was rounded from below has no sign.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { format!("{:.digits$}", 0.0) } else { text }
}

/// A range of values, and how they lie on a line.
#[derive(Clone, Copy)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
    pub is_logarithmic: bool,
}

impl Scale {
    /// From one value to another.
    pub fn new(low: f64, high: f64) -> Scale {
        Scale { low, high, is_logarithmic: false }
    }

    /// Around some values, with a little room.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Scale {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match low < high {
            true => Scale::new(low - 0.04 * (high - low), high + 0.04 * (high - low)),
            false if low.is_finite() => Scale::new(low - 0.5, low + 0.5),
            false => Scale::new(0.0, 1.0),
        }
    }

    /// Where a value lies, from 0 to 1.
    fn share(self, value: f64) -> f64 {
        let (low, high, value) = match self.is_logarithmic {
            true => (self.low.ln(), self.high.ln(), value.max(self.low).ln()),
            false => (self.low, self.high, value),
        };
        if high <= low {
            return 0.0;
        }
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }
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

/// A picture with a row for each thing and one scale for all.
pub struct Rows {
    width: f64,
    left: f64,
    right: f64,
    height: f64,
    scale: Scale,
    body: String,
}

impl Rows {
    /// Rows with names, each with its full form, and so much room for a note at their ends.
    pub fn new(names: &[(String, String)], width: f64, note: f64, scale: Scale) -> Rows {
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
        Rows { width, left, right: width - note, height, scale, body }
    }

    /// Rows of shares in percent.
    pub fn of_shares(names: &[(String, String)], width: f64) -> Rows {
        let mut rows = Rows::new(names, width, 66.0, Scale::new(0.0, 1.0));
        rows.axis(&[0.0, 0.25, 0.5, 0.75, 1.0], |share| format!("{:.0} %", share * 100.0));
        rows
    }

    /// The height of the middle of a row.
    pub fn middle(&self, place: usize) -> f64 {
        6.0 + ROW * (place as f64 + 0.5)
    }

    /// Where a value lies.
    pub fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.scale.share(value)
    }

    /// Lines at some values, with texts where they have room.
    pub fn axis(&mut self, ticks: &[f64], text: impl Fn(f64) -> String) {
        let mut end = f64::NEG_INFINITY;
        for tick in ticks {
            let (x, height) = (self.x(*tick), self.height);
            let _ = write!(self.body, r#"<path class="grid" d="M{x:.1} 4V{height:.1}"/>"#);
            let text = text(*tick);
            let half = text.chars().count() as f64 * 3.4 + 4.0;
            if x - half > end {
                end = x + half;
                let y = height + 16.0;
                let _ = write!(
                    self.body,
                    r#"<text class="tick" x="{x:.1}" y="{y:.1}" text-anchor="middle">{}</text>"#,
                    escape(&text)
                );
            }
        }
    }

    /// A bar from nothing, or from the end of the scale that is nearest to it.
    pub fn bar(&mut self, middle: f64, thickness: f64, value: f64, class: &str) {
        let (from, to) = (self.x(0.0), self.x(value));
        let (x, width) = (from.min(to), (from - to).abs());
        let y = middle - thickness / 2.0;
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{thickness}" rx="2"/>"#
        );
    }

    /// A rectangle between two values.
    pub fn span(&mut self, middle: f64, thickness: f64, from: f64, to: f64, class: &str) {
        let (x, width) = (self.x(from), (self.x(to) - self.x(from)).max(1.5));
        let y = middle - thickness / 2.0;
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{thickness}"/>"#
        );
    }

    /// An interval.
    pub fn whisker(&mut self, middle: f64, interval: &Interval, cap: f64) {
        let (low, high) = (self.x(interval.low), self.x(interval.high));
        let caps = if cap > 0.0 {
            format!("M{low:.1} {:.1}v{}M{high:.1} {:.1}v{}", middle - cap, 2.0 * cap, middle - cap, 2.0 * cap)
        } else {
            String::new()
        };
        let _ = write!(self.body, r#"<path class="whisker" d="M{low:.1} {middle:.1}H{high:.1}{caps}"/>"#);
    }

    /// A box plot of numbers in order: the middle half with the median, and four fifths.
    pub fn box_plot(&mut self, place: usize, sorted: &[f64], class: &str) {
        let (middle, at) = (self.middle(place), |share: f64| quantile(sorted, share));
        self.span(middle, 1.0, at(0.1), at(0.9), "range");
        self.span(middle, 12.0, at(0.25), at(0.75), &format!("box {class}"));
        self.span(middle, 12.0, at(0.5), at(0.5), "median");
    }

    /// A dot.
    pub fn dot(&mut self, middle: f64, value: f64) {
        let x = self.x(value);
        let _ = write!(self.body, r#"<circle class="mean" cx="{x:.1}" cy="{middle:.1}" r="3.5"/>"#);
    }

    /// A text at the end of a row.
    pub fn note(&mut self, place: usize, text: &str) {
        let y = self.middle(place) + 4.0;
        let _ = write!(
            self.body,
            r#"<text class="value" x="{:.1}" y="{y:.1}" text-anchor="end">{}</text>"#,
            self.width - 2.0,
            escape(text)
        );
    }

    /// The picture that was drawn.
    pub fn finish(self) -> Svg {
        Svg { width: self.width, height: self.height + 24.0, body: self.body }
    }
}

/// A picture with two scales, for curves and dots.
pub struct Plot {
    width: f64,
    left: f64,
    end: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
    body: String,
}

impl Plot {
    /// A plot with names at its right side.
    pub fn new(names: &[(String, String)], width: f64, x: Scale, y: Scale) -> Plot {
        let longest = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
        let right = if names.is_empty() { 14.0 } else { longest * LETTER + 18.0 };
        let (left, top) = (48.0, 12.0);
        let bottom = top + (names.len() as f64 * 16.0).max(220.0);
        Plot { width, left, end: width - right, top, bottom, x, y, body: String::new() }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (self.end - self.left) * self.x.share(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.share(value)
    }

    /// Lines and texts at values of both scales, and what the lower one is about.
    pub fn axes(&mut self, x: &[(f64, String)], y: &[(f64, String)], title: &str) {
        for (value, text) in y {
            let (height, left, end) = (self.y(*value), self.left, self.end);
            let _ = write!(self.body, r#"<path class="grid" d="M{left:.1} {height:.1}H{end:.1}"/>"#);
            let (x, y) = (left - 6.0, height + 4.0);
            let _ = write!(
                self.body,
                r#"<text class="tick" x="{x:.1}" y="{y:.1}" text-anchor="end">{}</text>"#,
                escape(text)
            );
        }
        let mut last = f64::NEG_INFINITY;
        for (value, text) in x {
            let (place, bottom) = (self.x(*value), self.bottom);
            let half = text.chars().count() as f64 * 3.4 + 5.0;
            if place - half < last {
                continue;
            }
            last = place + half;
            let _ = write!(self.body, r#"<path class="grid" d="M{place:.1} {bottom:.1}v4"/>"#);
            let y = bottom + 18.0;
            let _ = write!(
                self.body,
                r#"<text class="tick" x="{place:.1}" y="{y:.1}" text-anchor="middle">{}</text>"#,
                escape(text)
            );
        }
        let (x, y) = ((self.left + self.end) / 2.0, self.bottom + 36.0);
        let _ = write!(
            self.body,
            r#"<text class="tick" x="{x:.1}" y="{y:.1}" text-anchor="middle">{}</text>"#,
            escape(title)
        );
    }

    /// Round numbers on both scales.
    pub fn plain_axes(&mut self, title: &str) {
        self.axes_with(title, |_| true);
    }

    /// The same, where the lower scale counts things, between which there is nothing.
    pub fn counting_axes(&mut self, title: &str) {
        self.axes_with(title, |tick| tick.fract() == 0.0);
    }

    fn axes_with(&mut self, title: &str, is_shown: fn(f64) -> bool) {
        let all = |scale: Scale, most: usize, is_shown: fn(f64) -> bool| -> Vec<(f64, String)> {
            let found: Vec<f64> =
                ticks(scale.low, scale.high, most).into_iter().filter(|tick| is_shown(*tick)).collect();
            found.iter().map(|tick| (*tick, tick_text(&found, *tick))).collect()
        };
        let (x, y) = (all(self.x, if is_narrow(self.width) { 5 } else { 8 }, is_shown), all(self.y, 5, |_| true));
        self.axes(&x, &y, title);
    }

    /// A line from point to point.
    pub fn line(&mut self, points: &[(f64, f64)], class: &str) {
        let mut path = String::new();
        for (place, (x, y)) in points.iter().enumerate() {
            let letter = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(*x), self.y(*y));
        }
        let _ = write!(self.body, r#"<path class="curve {class}" d="{path}"/>"#);
    }

    /// Steps from point to point, from the lower left corner to the right end.
    pub fn steps(&mut self, points: impl IntoIterator<Item = (f64, f64)>, class: &str) {
        let mut path = format!("M{:.1} {:.1}", self.left, self.bottom);
        for (x, y) in points {
            let _ = write!(path, "H{:.1}V{:.1}", self.x(x), self.y(y));
        }
        let _ = write!(path, "H{:.1}", self.end);
        let _ = write!(self.body, r#"<path class="curve {class}" d="{path}"/>"#);
    }

    /// A dot, with words for those who point at it.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, words: &str) {
        let (x, y) = (self.x(x), self.y(y));
        let words = if words.is_empty() { String::new() } else { format!("<title>{}</title>", escape(words)) };
        let _ = write!(
            self.body,
            r#"<circle class="dot {class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}">{words}</circle>"#
        );
    }

    /// An interval of the upright scale.
    pub fn whisker(&mut self, x: f64, interval: &Interval, class: &str) {
        let (x, low, high) = (self.x(x), self.y(interval.low), self.y(interval.high));
        let _ = write!(self.body, r#"<path class="curve thin {class}" d="M{x:.1} {low:.1}V{high:.1}"/>"#);
    }

    /// The names, beside the heights of what they name.
    pub fn names(&mut self, names: &[(String, String)], heights: &[f64], classes: &[String]) {
        let labels = heights.iter().enumerate().map(|(place, height)| (self.y(*height), place)).collect();
        for (height, place) in spread(labels, self.top, self.bottom) {
            let (name, full) = (escape(&names[place].0), escape(&names[place].1));
            let (x, y, class) = (self.end + 14.0, height + 4.0, &classes[place]);
            let _ = write!(self.body, r#"<path class="key {class}" d="M{:.1} {height:.1}h7"/>"#, self.end + 4.0);
            let _ =
                write!(self.body, r#"<text class="label" x="{x:.1}" y="{y:.1}">{name}<title>{full}</title></text>"#);
        }
    }

    /// The picture that was drawn.
    pub fn finish(self) -> Svg {
        Svg { width: self.width, height: self.bottom + 44.0, body: self.body }
    }
}

/// A table of shares as a picture: the darker, the larger.
pub fn heat_map(label: &str, rows: &[String], columns: &[String], cells: &[Vec<Option<f64>>]) -> Drawing {
    const HEIGHT: f64 = 30.0;
    Drawing::new(label, |width| {
        let names = short_names(rows.iter().map(String::as_str), width);
        let longest = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
        let left = longest * LETTER + 12.0;
        let cell = ((width - left) / columns.len().max(1) as f64).min(120.0);
        let letters = ((cell - 6.0) / LETTER).max(2.0) as usize;
        let mut body = String::new();
        for (place, column) in columns.iter().enumerate() {
            let (x, name, full) = (left + cell * (place as f64 + 0.5), shortened(column, letters), escape(column));
            let _ = write!(
                body,
                r#"<text class="tick" x="{x:.1}" y="14" text-anchor="middle">{}<title>{full}</title></text>"#,
                escape(&name)
            );
        }
        for (row, (name, full)) in names.iter().enumerate() {
            let top = 24.0 + HEIGHT * row as f64;
            let _ = write!(
                body,
                r#"<text class="label" x="{:.1}" y="{:.1}" text-anchor="end">{}<title>{}</title></text>"#,
                left - 10.0,
                top + HEIGHT / 2.0 + 4.0,
                escape(name),
                escape(full)
            );
            for (column, value) in cells[row].iter().enumerate() {
                let x = left + cell * column as f64;
                let (heat, text) = match value {
                    // So pale that the number in it can be read in light and dark.
                    Some(value) => (0.04 + 0.46 * value.clamp(0.0, 1.0), format!("{:.0}", value * 100.0)),
                    None => (0.0, "–".to_owned()),
                };
                let _ = write!(
                    body,
                    r#"<rect class="cell" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="3" fill-opacity="{heat:.2}"><title>{}, {}</title></rect><text class="label" x="{:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#,
                    x + 1.5,
                    top + 1.5,
                    cell - 3.0,
                    HEIGHT - 3.0,
                    escape(full),
                    escape(&columns[column]),
                    x + cell / 2.0,
                    top + HEIGHT / 2.0 + 4.0,
                );
            }
        }
        Svg { width, height: 26.0 + HEIGHT * rows.len() as f64, body }
    })
}

/// A critical-difference diagram: mean ranks on a line, the best at the left; a bar joins those that do not differ.
pub fn critical_difference(label: &str, ranks: &[(String, f64)], difference: f64) -> Drawing {
    let mut sorted: Vec<(&str, f64)> = ranks.iter().map(|(name, rank)| (name.as_str(), *rank)).collect();
    sorted.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(other.0)));
    // The longest groups that are no wider than the difference. A group that ends where another did is a part of it.
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for start in 0..sorted.len() {
        let end = sorted.iter().rposition(|(_, rank)| rank - sorted[start].1 < difference).unwrap_or(start);
        if end > start && groups.last().is_none_or(|(_, last)| end > *last) {
            groups.push((start, end));
        }
    }
    Drawing::new(label, |width| {
        let names = short_names(sorted.iter().map(|(name, _)| *name), width);
        let half = sorted.len().div_ceil(2);
        let widest = |some: &[(String, String)]| {
            some.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64 * LETTER + 14.0
        };
        let (left, right) = (widest(&names[..half]), width - widest(&names[half..]));
        let last = sorted.len().max(2) as f64;
        let x = |rank: f64| left + (right - left) * (rank - 1.0) / (last - 1.0);
        let axis = 58.0;
        let mut body = String::new();
        // The difference itself, above the line of ranks.
        let end = x(1.0 + difference.min(last - 1.0));
        let _ = write!(
            body,
            r#"<path class="whisker" d="M{left:.1} 24H{end:.1}M{left:.1} 20v8M{end:.1} 20v8"/><text class="tick" x="{left:.1}" y="12">critical difference {difference:.2}</text>"#
        );
        let _ = write!(body, r#"<path class="whisker" d="M{left:.1} {axis}H{right:.1}"/>"#);
        for tick in
            ticks(1.0, last, if is_narrow(width) { 5 } else { 9 }).into_iter().filter(|tick| tick.fract() == 0.0)
        {
            let _ = write!(
                body,
                r#"<path class="whisker" d="M{0:.1} {axis}v-5"/><text class="tick" x="{0:.1}" y="{1:.1}" text-anchor="middle">{tick:.0}</text>"#,
                x(tick),
                axis - 9.0
            );
        }
        for (place, (start, end)) in groups.iter().enumerate() {
            let y = axis + 8.0 + 7.0 * place as f64;
            let _ = write!(
                body,
                r#"<path class="group" d="M{:.1} {y:.1}H{:.1}"/>"#,
                x(sorted[*start].1) - 3.0,
                x(sorted[*end].1) + 3.0
            );
        }
        let first = axis + 18.0 + 7.0 * groups.len() as f64;
        for (place, (_, rank)) in sorted.iter().enumerate() {
            let is_left = place < half;
            let row = if is_left { place } else { sorted.len() - 1 - place };
            let y = first + 20.0 * row as f64;
            let (edge, text, anchor) = match is_left {
                true => (left - 2.0, left - 8.0, "end"),
                false => (right + 2.0, right + 8.0, "start"),
            };
            let (name, full) = (escape(&names[place].0), escape(&names[place].1));
            let _ = write!(
                body,
                r#"<path class="lead" d="M{:.1} {axis}V{y:.1}H{edge:.1}"/><text class="label" x="{text:.1}" y="{:.1}" text-anchor="{anchor}">{name}<title>{full}, mean rank {rank:.2}</title></text>"#,
                x(*rank),
                y + 4.0
            );
        }
        Svg { width, height: first + 20.0 * half as f64, body }
    })
}

/// A quantile of numbers in order, between its neighbours.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
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
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(-3.2, 7.1, 5), [0.0, 5.0]);
        assert_eq!((ticks(2.0, 2.0, 5), ticks(0.0, f64::INFINITY, 5)), (vec![2.0], vec![0.0]));
        let shown: Vec<String> = [-0.1, -1e-17, 0.05].iter().map(|tick| tick_text(&[0.0, 0.05], *tick)).collect();
        assert_eq!(shown, ["-0.10", "0.00", "0.05"]);
    }

    #[test]
    fn a_diagram_of_ranks_joins_what_does_not_differ() {
        let ranks: Vec<(String, f64)> =
            [("c", 3.9), ("<a>", 1.0), ("b", 1.5)].map(|(name, rank)| (name.to_owned(), rank)).into();
        let svg = critical_difference("ranks", &ranks, 1.0).wide.body;
        assert_eq!(svg.matches("class=\"group\"").count(), 1);
        assert!(svg.contains("&lt;a&gt;, mean rank 1.00"), "{svg}");
        assert_eq!(critical_difference("ranks", &ranks, 0.1).wide.body.matches("class=\"group\"").count(), 0);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!([quantile(&[], 0.5), quantile(&[3.0], 0.9), quantile(&[1.0, 2.0, 4.0], 0.75)], [0.0, 3.0, 3.0]);
    }
}
