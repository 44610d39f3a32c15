//! How the mutants of a model score, by operator, and which inputs tell them from the model.

use measure::{Cell, Spread, Table, spread};

use super::{Material, Section, heading_of, named};
use crate::contents::{Kind, MutantRow, MutantsRun};
use crate::markup::{percent, short};
use crate::parts::{Part, Picture, Sheet};
use crate::pictures::{Drawing, Rows, colour, quantile, short_names};

/// How many inputs the table of the highest rates has.
const MOST: usize = 20;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Mutants), id: "mutants", title: "Operators", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.mutants;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        if !run.is_complete {
            parts.push(Part::paragraph("It was stopped before all mutants were scored."));
        }
        let operators = operators(run);
        parts.push(Part::Pictures(vec![
            Picture {
                name: name("mutants changes"),
                title: "Labels that mutants change".to_owned(),
                drawing: shares("Share of labels that the mutants of each operator change", &operators, |row| row.changed),
                caption: "Share of inputs with another label than the model's, over the mutants of an operator. Box: the middle half, with the median; line: four fifths; number: the mean.".to_owned(),
            },
            Picture {
                name: name("mutants accuracy"),
                title: "Accuracy of mutants".to_owned(),
                drawing: shares("Accuracy of the mutants of each operator", &operators, |row| row.accuracy),
                caption: run.accuracy.map_or(String::new(), |accuracy| format!("The model's own accuracy is {}.", percent(accuracy))),
            },
        ]));
        let table = Sheet::of(&name("mutants operators"), "Mutants by operator", &table(&operators));
        parts.extend([Part::heading("Mutants by operator"), Part::Table(table)]);
        let mut rates: Vec<&(String, f64)> = run.rates.iter().collect();
        rates.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut highest = Table::new(["input", "label change rate"]);
        for (id, rate) in rates.into_iter().take(MOST) {
            highest.push([id.as_str().into(), (*rate).into()]);
        }
        let title = "Inputs with the highest label change rates";
        let sheet = Sheet::of(&name("mutants inputs"), title, &highest);
        parts.push(Part::Folded(title.to_owned(), vec![Part::Table(sheet)]));
    }
    parts
}

/// The mutants of each operator, in the order in which they were made.
fn operators(run: &MutantsRun) -> Vec<(&str, Vec<&MutantRow>)> {
    let mut operators: Vec<(&str, Vec<&MutantRow>)> = Vec::new();
    for mutant in &run.mutants {
        match operators.iter_mut().find(|(name, _)| *name == mutant.operator) {
            Some((_, own)) => own.push(mutant),
            None => operators.push((&mutant.operator, vec![mutant])),
        }
    }
    operators
}

fn shares(label: &str, operators: &[(&str, Vec<&MutantRow>)], of: fn(&MutantRow) -> Option<f64>) -> Drawing {
    Drawing::new(label, |width| {
        let names = short_names(operators.iter().map(|(name, _)| *name), width);
        let mut rows = Rows::of_shares(&names, width);
        for (place, (_, own)) in operators.iter().enumerate() {
            let mut values: Vec<f64> = own.iter().filter_map(|mutant| of(mutant)).collect();
            values.sort_by(f64::total_cmp);
            match values.is_empty() {
                true => rows.note(place, "–"),
                false => {
                    rows.box_plot(place, &values, &colour(place));
                    rows.dot(rows.middle(place), quantile(&values, 0.5));
                    rows.note(place, &percent(values.iter().sum::<f64>() / values.len() as f64));
                }
            }
        }
        rows.finish()
    })
}

fn table(operators: &[(&str, Vec<&MutantRow>)]) -> Table {
    let header = ["operator", "mutants", "kept", "accuracy, min", "mean", "max", "labels changed, min", "mean", "max"];
    let mut table = Table::new(header);
    for (name, own) in operators {
        let numbers = |of: fn(&MutantRow) -> Option<f64>| -> [Cell; 3] {
            let spread = spread(&own.iter().filter_map(|mutant| of(mutant)).collect::<Vec<f64>>());
            let number = |of: fn(&Spread) -> f64| Cell::Number(spread.as_ref().map(of));
            [number(|spread| spread.least), number(|spread| spread.mean), number(|spread| spread.most)]
        };
        let kept = own.iter().filter(|mutant| mutant.is_kept).count();
        let start = [(*name).into(), own.len().into(), kept.into()];
        let all = start.into_iter().chain(numbers(|mutant| mutant.accuracy)).chain(numbers(|mutant| mutant.changed));
        table.push(all);
    }
    table
}

/// The headline of a run: how far mutants are told from the model.
pub fn headline(run: &MutantsRun) -> Option<String> {
    let mean = spread(&run.rates.iter().map(|(_, rate)| *rate).collect::<Vec<f64>>())?.mean;
    Some(format!("label change rate {}", short(mean)))
}
