//! The tables of a retraining: what it cost, and what it brought.

use measure::summary::input_numbers;
use measure::{Bootstrap, Cell, Table};
use search::Outcome;

use super::RetrainedModel;
use super::answers::Answers;
use crate::compare::{columns, with_interval};
use crate::examples::{Examples, Truth};
use crate::run::{Record, cluster, inputs};

/// All tables. The first model is the original one.
pub fn tables(models: &[RetrainedModel], clean: &Examples, targets: &Examples) -> Vec<(&'static str, Table)> {
    let is_named = matches!(models[0].scores.clean, Answers::Names(_));
    let title = |of_classes, of_names| if is_named { of_names } else { of_classes };
    let mut tables = vec![("Clean test set", clean_table(models, clean))];
    if models.iter().any(|model| !model.scores.rewritten.is_empty()) {
        let title = title("Rewritten test sets, accuracy", "Rewritten test sets, F1 of subtokens");
        tables.push((title, rewritten_table(models, clean)));
    }
    let of_adversarial = title(
        "Adversarial examples against the original model, accuracy",
        "Adversarial examples against the original model, F1 of subtokens",
    );
    tables.push((of_adversarial, adversarial_table(models)));
    if models.iter().any(|model| !model.scores.left.is_empty()) {
        let title = title(
            "Targets as the attacks on the original model leave them, accuracy",
            "Targets as the attacks on the original model leave them, F1 of subtokens",
        );
        tables.push((title, left_table(models, targets)));
    }
    tables.push(("Fresh attacks", fresh_table(models, targets)));
    tables
}

fn clean_table(models: &[RetrainedModel], clean: &Examples) -> Table {
    let first = &models[0].scores.clean;
    let p = p_of(first);
    let mut titles = vec!["model", first.measure(), "change", p.as_str()];
    // A model that nearly always gives one of two answers is hard to break, and worth nothing.
    let second = clean.labels.get(1).filter(|_| clean.labels.len() == 2).map(|label| format!("answers {label}"));
    titles.extend(second.as_deref());
    titles.extend(["adversarial examples", "steps"]);
    let mut table = Table::new(titles);
    let clusters = clusters_of(clean);
    for model in models {
        let (own, before) = (&model.scores.clean, &models[0].scores.clean);
        let (change, p) = match &model.scores.learned {
            None => (Cell::Number(None), Cell::Number(None)),
            Some(_) => (with_interval(&own.difference(before, Some(&clusters))), own.chance(before).into()),
        };
        let learned = model.scores.learned.as_ref();
        let (examples, steps) = (learned.map(|it| it.examples), learned.map(|it| it.steps as usize));
        let mut row = vec![model.name.as_str().into(), with_interval(&own.share(Some(&clusters))), change, p];
        if second.is_some() {
            row.push(
                second_class(own, clean).map_or(Cell::Number(None), |says| with_interval(&says.share(Some(&clusters)))),
            );
        }
        row.push(examples.map_or(Cell::Number(None), Cell::from));
        row.push(steps.map_or(Cell::Number(None), Cell::from));
        table.push(row);
    }
    table
}

/// For which inputs the answer is the second of two classes.
fn second_class(answers: &Answers, clean: &Examples) -> Option<Answers> {
    let Answers::Right(right) = answers else { return None };
    let says =
        right.iter().zip(&clean.items).map(|(is_right, example)| *is_right == (example.truth == Truth::Class(1)));
    Some(Answers::Right(says.collect()))
}

fn rewritten_table(models: &[RetrainedModel], clean: &Examples) -> Table {
    let clusters = clusters_of(clean);
    let sets: Vec<&String> = models[0].scores.rewritten.keys().collect();
    let mut table = Table::new(std::iter::once("model").chain(sets.iter().map(|set| set.as_str())));
    for model in models {
        let cells = sets.iter().map(|set| match model.scores.rewritten.get(*set) {
            Some(answers) => with_interval(&answers.share(Some(&clusters))),
            None => Cell::Number(None),
        });
        table.push(std::iter::once(Cell::from(model.name.as_str())).chain(cells));
    }
    table
}

fn adversarial_table(models: &[RetrainedModel]) -> Table {
    let attacks: Vec<&String> = models[0].scores.adversarial.keys().collect();
    let mut table = Table::new(std::iter::once("model").chain(attacks.iter().map(|attack| attack.as_str())));
    for model in models {
        let cells = attacks.iter().map(|attack| match model.scores.adversarial.get(*attack) {
            Some(answers) => with_interval(&answers.share(None)),
            None => Cell::Number(None),
        });
        table.push(std::iter::once(Cell::from(model.name.as_str())).chain(cells));
    }
    table
}

/// How good the answers are to what the attacks leave of all targets, beside that of the original model.
fn left_table(models: &[RetrainedModel], targets: &Examples) -> Table {
    let clusters = clusters_of(targets);
    let attacks: Vec<&String> = models[0].scores.left.keys().collect();
    let p = p_of(&models[0].scores.clean);
    let columns = attacks.iter().flat_map(|attack| [(*attack).clone(), format!("{attack}, {p}")]);
    let mut table = Table::new(std::iter::once("model".to_owned()).chain(columns));
    for model in models {
        let cells = attacks.iter().flat_map(|attack| {
            let (own, before) = (model.scores.left.get(*attack), models[0].scores.left.get(*attack));
            let own_share = own.map_or(Cell::Number(None), |own| with_interval(&own.share(Some(&clusters))));
            let p = match (&model.scores.learned, own, before) {
                (Some(_), Some(own), Some(before)) => own.chance(before).into(),
                _ => Cell::Number(None),
            };
            [own_share, p]
        });
        table.push(std::iter::once(Cell::from(model.name.as_str())).chain(cells));
    }
    table
}

/// What each attack does to each model. Targets that a model gets wrong need no attack, so that the robust accuracy counts both: the share of all
/// targets that are answered correctly whatever the attack does.
fn fresh_table(models: &[RetrainedModel], targets: &Examples) -> Table {
    let mut table = Table::new([
        "model",
        "attack",
        "success rate",
        "queries",
        "median queries of successes",
        "robust accuracy",
        "p of robust accuracy (McNemar)",
    ]);
    let bootstrap = Bootstrap::default();
    let clusters = clusters_of(targets);
    let (rows, _) = inputs(targets, 0..targets.items.len());
    for model in models {
        for (attack, records) in &model.attacks {
            let column = columns(None, None, None, &rows, records.clone());
            let summary = column.first().map(|column| column.summary(&bootstrap)).unwrap_or_default();
            let cell = |measure: &str| summary.line(measure).map_or(Cell::Number(None), with_interval);
            let robust = robust(records, targets.items.len());
            let before = models[0].attacks.get(attack).map(|records| self::robust(records, targets.items.len()));
            let p = match (&model.scores.learned, before) {
                (Some(_), Some(before)) => robust.chance(&before).into(),
                _ => Cell::Number(None),
            };
            table.push([
                model.name.as_str().into(),
                attack.as_str().into(),
                cell("attack success rate, valid"),
                cell("queries"),
                cell("median queries of successes"),
                with_interval(&robust.share(Some(&clusters))),
                p,
            ]);
        }
    }
    table
}

/// Which targets are answered correctly, whatever the attack does.
fn robust(records: &[Record], targets: usize) -> Answers {
    let mut robust = vec![false; targets];
    for record in records {
        let is_right = matches!(record.outcome, Outcome::Failed | Outcome::NoSite);
        if let Some(place) = robust.get_mut(record.number) {
            *place = is_right;
        }
    }
    Answers::Right(robust)
}

fn clusters_of(examples: &Examples) -> Vec<usize> {
    let names: Vec<String> = examples.items.iter().map(cluster).collect();
    input_numbers(names.iter().map(String::as_str))
}

/// What the column of the test is called that tells two models apart.
fn p_of(answers: &Answers) -> String {
    format!("p ({})", answers.test())
}
