//! Models between what they cost and how well they do.

use measure::Interval;

use super::{Drawing, Plot, Scale, colour, is_narrow, short_names, tick_text, ticks};

/// How a number of an axis is written.
pub type InWords = fn(f64) -> String;

/// A model of the picture.
pub struct Dot {
    pub name: String,
    /// What it costs: less is better.
    pub cost: f64,
    /// How well it does: more is better.
    pub score: f64,
    pub interval: Option<Interval>,
    /// Was the score guessed, and not measured? Such a model has a small dot.
    pub is_guess: bool,
}

/// Which models no other beats: none is as cheap and better, or as good and cheaper.
pub fn undominated(dots: &[Dot]) -> Vec<bool> {
    let beats = |one: &Dot, other: &Dot| {
        one.cost <= other.cost && one.score >= other.score && (one.cost < other.cost || one.score > other.score)
    };
    dots.iter().map(|dot| !dots.iter().any(|other| beats(other, dot))).collect()
}

/// The models with their scores in percent against their costs, on a logarithmic scale where they are far apart. The line joins those that no
/// other beats.
pub fn front(label: &str, cost: &str, in_words: impl Fn(f64) -> String, dots: &[Dot]) -> Drawing {
    let series: Vec<(&str, &[Dot])> = dots.iter().map(|dot| (dot.name.as_str(), std::slice::from_ref(dot))).collect();
    draw(label, cost, in_words, &series, &[(best_of(dots), "guide".to_owned())])
}

/// Several sets of models, each with a name, a colour and a front of its own.
pub fn fronts(label: &str, cost: &str, in_words: impl Fn(f64) -> String, sets: &[(String, Vec<Dot>)]) -> Drawing {
    let series: Vec<(&str, &[Dot])> = sets.iter().map(|(name, dots)| (name.as_str(), dots.as_slice())).collect();
    let lines: Vec<(Points, String)> =
        sets.iter().enumerate().map(|(place, (_, dots))| (best_of(dots), colour(place))).collect();
    draw(label, cost, in_words, &series, &lines)
}

type Points = Vec<(f64, f64)>;

/// Where the models lie that no other beats, the cheapest first.
fn best_of(dots: &[Dot]) -> Points {
    let best = dots.iter().zip(undominated(dots)).filter(|(_, is_best)| *is_best);
    let mut points: Points = best.map(|(dot, _)| (dot.cost, dot.score)).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

fn draw(
    label: &str,
    cost: &str,
    in_words: impl Fn(f64) -> String,
    series: &[(&str, &[Dot])],
    lines: &[(Points, String)],
) -> Drawing {
    let all = || series.iter().flat_map(|(_, dots)| dots.iter());
    let (low, high) = all().fold((f64::INFINITY, 0.0_f64), |(low, high), dot| (low.min(dot.cost), high.max(dot.cost)));
    let is_logarithmic = low > 0.0 && high / low > 4.0;
    let x = match is_logarithmic {
        true => Scale { low: low / 1.2, high: high * 1.2, is_logarithmic },
        false => Scale::around(all().map(|dot| dot.cost)),
    };
    let ends = all().flat_map(|dot| dot.interval.map(|it| [it.low, it.high]).into_iter().flatten());
    let y = Scale::around(ends.chain(all().map(|dot| dot.score)));
    Drawing::new(label, |width| {
        let names = short_names(series.iter().map(|(name, _)| *name), width);
        let mut plot = Plot::new(&names, width, x, y);
        let found = match is_logarithmic {
            true => powers(x.low, x.high),
            false => ticks(x.low.max(0.0), x.high, if is_narrow(width) { 3 } else { 5 }),
        };
        let below: Vec<(f64, String)> = found.iter().map(|tick| (*tick, in_words(*tick))).collect();
        let found: Vec<f64> = ticks(y.low * 100.0, y.high * 100.0, 5);
        let beside: Vec<(f64, String)> =
            found.iter().map(|tick| (tick / 100.0, format!("{} %", tick_text(&found, *tick)))).collect();
        plot.axes(&below, &beside, cost);
        lines.iter().for_each(|(points, class)| plot.line(points, class));
        let (mut heights, mut classes) = (Vec::new(), Vec::new());
        for (place, (_, dots)) in series.iter().enumerate() {
            let class = colour(place);
            for dot in *dots {
                if let Some(interval) = &dot.interval {
                    plot.whisker(dot.cost, interval, &class);
                }
                let guess = if dot.is_guess { ", a guess" } else { "" };
                let words = format!("{}: {:.2} %, {}{guess}", dot.name, 100.0 * dot.score, in_words(dot.cost));
                plot.dot((dot.cost, dot.score), if dot.is_guess { 2.5 } else { 5.0 }, &class, &words);
            }
            heights.push(dots.last().map_or(0.0, |dot| dot.score));
            classes.push(class);
        }
        plot.names(&names, &heights, &classes);
        plot.finish()
    })
}

/// One, two and five times the powers of ten within a range.
fn powers(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_has_what_no_other_beats() {
        let dots: Vec<Dot> = [(1.0, 0.5), (2.0, 0.9), (2.0, 0.8), (3.0, 0.9), (4.0, 0.95), (4.0, 0.95)]
            .map(|(cost, score)| Dot { name: "<b>".to_owned(), cost, score, interval: None, is_guess: false })
            .into();
        // Equal models do not beat each other.
        assert_eq!(undominated(&dots), [true, true, false, false, true, true]);
        let drawn = front("front", "size", |cost| format!("{cost} MB"), &dots).markup();
        assert!(
            drawn.contains("&lt;b&gt;: 95.00 %, 4 MB") && !drawn.contains("<b>") && !drawn.contains("NaN"),
            "{drawn}"
        );
        // A single model, and one that costs nothing, have a picture as well.
        for dots in [&dots[..1], &[Dot { name: String::new(), cost: 0.0, score: 0.0, interval: None, is_guess: true }]]
        {
            let drawn = front("front", "size", |cost| format!("{cost}"), dots).markup();
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
        assert_eq!(powers(0.9, 30.0), [1.0, 2.0, 5.0, 10.0, 20.0]);
    }
}
