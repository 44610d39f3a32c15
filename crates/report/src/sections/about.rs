//! How the report was made.

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::count;
use crate::parts::Part;

pub(super) const SECTION: Section = Section { kind: None, id: "about", title: "About this report", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let numbers = material.numbers;
    let others: usize = Kind::ALL.into_iter().map(|kind| material.others.origins_of(kind).len()).sum();
    let runs = match material.runs.len() + others {
        1 => "one run".to_owned(),
        several => format!("{several} runs"),
    };
    vec![Part::paragraph(format!(
        "Made by allotrope {} from the records of {runs}. Intervals: {:.0} %. Shares of independent inputs have Wilson's; others come from whole source inputs drawn again {} times (percentile bootstrap, seed {}).",
        env!("CARGO_PKG_VERSION"),
        numbers.bootstrap.level * 100.0,
        count(numbers.bootstrap.resamples),
        numbers.bootstrap.seed
    ))]
}
