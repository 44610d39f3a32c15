//! A trial of a model on a small sample: do its classes match the data set, and does it repeat its answers?

use measure::statistics::wilson;
use model::{Answer, Fault, Input, Model, Noise, Prediction};

use crate::evaluate::Unmeasurable;
use crate::examples::{Examples, Truth};
use crate::run::{RunPlan, Store};
use crate::work::{Event, Watcher, WorkError};

/// The sample size.
const SAMPLE: usize = 16;

/// How many examples of the sample are repeated for a model that is declared deterministic.
const SAMPLE_OF_STABLE: usize = 4;

/// The sample size after an answer has changed.
const SAMPLE_OF_NOISY: usize = 128;

/// The accepted probability that noise alone makes an attack succeed on a target.
const RISK: f64 = 0.05;

/// The maximum number of confirmations.
const MOST_CONFIRMATIONS: usize = 30;

/// The noise of a run's models: read from the store, or measured and stored.
pub(crate) fn noise_of_run<Plan: RunPlan>(
    store: &mut Store<Plan>,
    models: &[&dyn Model],
    examples: &Examples,
    watcher: &dyn Watcher,
) -> Result<Vec<Noise>, WorkError> {
    if let Some(noise) = store.noise()? {
        return Ok(noise);
    }
    let noise = models
        .iter()
        .map(|model| try_out(*model, examples, None, watcher))
        .collect::<Result<Vec<_>, Unmeasurable>>()?;
    // A trial without answers, or one that was interrupted, is repeated when the run is resumed.
    if !watcher.should_stop() && noise.iter().all(|noise| noise.asked > 0) {
        store.keep_noise(&noise)?;
    }
    Ok(noise)
}

/// Queries a model twice on an evenly spread sample of a data set, and on a larger sample if an answer changed. `known` are
/// existing answers to the examples, which serve as the first round. The watcher is warned if the order of the classes is doubtful.
pub fn try_out(
    model: &dyn Model,
    examples: &Examples,
    known: Option<&[Result<Answer, Fault>]>,
    watcher: &dyn Watcher,
) -> Result<Noise, Unmeasurable> {
    let available = known.map_or(examples.items.len(), <[_]>::len);
    let places = spread(available, SAMPLE);
    let ask = |places: &[usize]| -> Vec<Result<Answer, Fault>> {
        let inputs: Vec<Input> = places.iter().map(|place| examples.input(&examples.items[*place])).collect();
        if inputs.is_empty() { Vec::new() } else { model.predict(&inputs) }
    };
    let first = |places: &[usize]| match known {
        Some(known) => places.iter().map(|place| known[*place].clone()).collect(),
        None => ask(places),
    };
    let answers = first(&places);
    check_classes(model, examples, &answers)?;
    let answered: Vec<(usize, &Answer)> =
        places.iter().zip(&answers).filter_map(|(place, answer)| Some((*place, answer.as_ref().ok()?))).collect();
    if let Some(note) = order_of_classes(model, examples, &answered) {
        watcher.tell(Event::Note(note));
    }
    let varies = model.identity().varies;
    // Inputs without an answer are not repeated: a failing model is slow.
    let again: Vec<usize> = spread(answered.len(), if varies { SAMPLE } else { SAMPLE_OF_STABLE });
    // Cached results would always agree.
    model.forget();
    let repeated = ask(&again.iter().map(|index| answered[*index].0).collect::<Vec<usize>>());
    let before = again.iter().map(|index| Ok(answered[*index].1.clone())).collect();
    let noise = Noise { failed: answers.len() - answered.len(), ..Noise::of(&[before, repeated]) };
    if noise.changed == 0 || watcher.should_stop() {
        return Ok(noise);
    }
    if !varies {
        let Noise { asked, changed, .. } = noise;
        watcher.tell(Event::Note(format!(
            "warning: models of this kind are deterministic, but {changed} of {asked} answers changed when this one was queried again"
        )));
    }
    let more = spread(available, SAMPLE_OF_NOISY);
    Ok(Noise::of(&[first(&more), ask(&more)]))
}

/// How many confirmations a flip needs, so that noise alone makes an attack with this budget succeed on at most one target in
/// twenty: one if no answer changed, none if the model is deterministic.
pub fn confirmations(model: &dyn Model, noise: &Noise, budget: usize) -> usize {
    match wilson(noise.changed, noise.asked, 0.95) {
        Some(interval) if noise.changed > 0 => {
            let needed = (RISK / budget.max(1) as f64).ln() / interval.high.min(0.999).ln();
            (needed.ceil() as usize).clamp(1, MOST_CONFIRMATIONS)
        }
        _ => usize::from(model.identity().varies),
    }
}

/// Evenly spread indices.
fn spread(available: usize, wanted: usize) -> Vec<usize> {
    let count = available.min(wanted);
    (0..count).map(|number| number * available / count).collect()
}

/// Refuses a model whose number of classes differs from the number of labels.
fn check_classes(
    model: &dyn Model,
    examples: &Examples,
    answers: &[Result<Answer, Fault>],
) -> Result<(), Unmeasurable> {
    let data = examples.labels.len();
    let counts = answers.iter().flatten().filter_map(|answer| match &answer.prediction {
        Prediction::Classes(classes) => Some(classes.len()),
        Prediction::Names(_) | Prediction::Text(_) | Prediction::Embedding(_) => None,
    });
    match counts.filter(|_| data > 0).find(|count| *count != data) {
        Some(classes) => {
            Err(Unmeasurable::Classes { model: classes, data, names: model.labels().map(<[String]>::to_vec) })
        }
        None => Ok(()),
    }
}

/// A warning if model and data set may number the classes differently.
fn order_of_classes(model: &dyn Model, examples: &Examples, answered: &[(usize, &Answer)]) -> Option<String> {
    let labels = &examples.labels;
    if labels.len() < 2 || examples.labels_are_given {
        return None;
    }
    let mut counts = vec![vec![0; labels.len()]; labels.len()];
    let mut n = 0;
    for (place, answer) in answered {
        if let (Truth::Class(truth), Some(class)) = (&examples.items[*place].truth, answer.prediction.class()) {
            counts[*truth][class] += 1;
            n += 1;
        }
    }
    let right =
        |order: &[usize]| -> usize { order.iter().enumerate().map(|(class, truth)| counts[*truth][class]).sum() };
    let as_read: Vec<usize> = (0..labels.len()).collect();
    let other = best_order(&counts);
    let named = |order: &[usize]| order.iter().map(|label| labels[*label].as_str()).collect::<Vec<_>>().join(",");
    if let Some(own) = model.labels().filter(|own| examples.labels_are_names && own.iter().ne(labels.iter())) {
        let is_same_set = own.len() == labels.len() && own.iter().all(|label| labels.contains(label));
        return is_same_set.then(|| {
            format!(
                "warning: the model orders its classes {}, but the data set is read as {}: use --labels {} for the order of the model",
                own.join(","),
                labels.join(","),
                own.join(",")
            )
        });
    }
    let is_much_better = right(&other) >= right(&as_read) + (n / 4).max(4);
    let is_unknown = examples.labels_are_names && model.labels().is_none();
    if n == 0 || !(is_unknown || is_much_better) {
        return None;
    }
    // The assumed order beside the best other one.
    let reading = if other == as_read { as_read.iter().rev().copied().collect() } else { other };
    Some(format!(
        "warning: the model does not name its classes (in a checkpoint: id2label in config.json), so their order is assumed. Of {n} \
         sampled answers, {} are correct in the order {}, and {} in the order {}. Set the order with --labels, for example --labels {}",
        right(&as_read),
        named(&as_read),
        right(&reading),
        named(&reading),
        named(&reading),
    ))
}

/// The label of each class that makes the most answers correct, found greedily.
fn best_order(counts: &[Vec<usize>]) -> Vec<usize> {
    let classes = counts.len();
    let mut pairs: Vec<(usize, usize)> =
        (0..classes).flat_map(|truth| (0..classes).map(move |class| (truth, class))).collect();
    // Ties keep the assumed order.
    pairs.sort_by_key(|(truth, class)| (std::cmp::Reverse(counts[*truth][*class]), truth != class, *truth, *class));
    let mut order = vec![None; classes];
    let mut is_taken = vec![false; classes];
    for (truth, class) in pairs {
        if order[class].is_none() && !is_taken[truth] {
            order[class] = Some(truth);
            is_taken[truth] = true;
        }
    }
    order.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_evenly_spread() {
        assert_eq!(spread(3, 16), [0, 1, 2]);
        assert_eq!(spread(100, 4), [0, 25, 50, 75]);
        assert!(spread(0, 4).is_empty());
    }

    #[test]
    fn the_order_that_fits_best_is_found() {
        assert_eq!(best_order(&[vec![1, 9], vec![8, 2]]), [1, 0]);
        assert_eq!(best_order(&[vec![9, 1], vec![2, 8]]), [0, 1]);
        assert_eq!(best_order(&[vec![0, 0, 5], vec![5, 0, 0], vec![0, 5, 0]]), [1, 2, 0]);
        assert_eq!(best_order(&[vec![0, 0], vec![0, 0]]), [0, 1]);
    }
}
