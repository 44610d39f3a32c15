//! How students follow their teacher: the relations of MetaCompress, reliability, divergences, and the robustness gap.

use campaign::fidelity::{
    Compared, Comparison, Gap, accuracy_table, calibration_table, divergence_table, gap_table, quality_table,
    relation_table,
};
use measure::Cell;

use super::{Material, Section, heading_of, named};
use crate::contents::{FidelityRun, Kind};
use crate::markup::{escape, percent, short};
use crate::parts::{Column, Entry, Part, Picture, Sheet};
use crate::pictures::reliability::{bins, reliability};
use crate::pictures::{Drawing, Rows, Scale, colour, short_names};

/// The smallest divergence that is drawn apart from nothing.
const LEAST: f64 = 1e-6;

pub(super) const SECTION: Section = Section { kind: Some(Kind::Fidelity), id: "fidelity", title: "Students", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let runs = &material.others.fidelities;
    let mut parts = Vec::new();
    for run in runs {
        parts.extend(heading_of(&run.origin.name, runs.len()));
        if run.summary.comparisons.is_empty() {
            parts.push(Part::paragraph("No student has answered yet."));
            continue;
        }
        let name = |name: &str| named(name, &run.origin.name, runs.len());
        parts.push(Part::Pictures(pictures(run, &name)));
        let tables = [
            ("accuracy", "Accuracy", accuracy_table(&run.summary.comparisons)),
            (
                "relations",
                "Violations of MR1 (same label), MR2 (KL(teacher || student) at most 0.5) and MR3 (confidence kept)",
                relation_table(&run.summary.comparisons),
            ),
            (
                "calibration",
                "MR4: mean difference of accuracies over B bins of the teacher's confidence",
                calibration_table(&run.summary.comparisons),
            ),
            ("divergence", "Divergence per input, in nats", divergence_table(&run.summary.comparisons)),
        ];
        for (file, title, table) in tables {
            let sheet = Sheet::of(&name(&format!("fidelity {file}")), title, &table);
            parts.extend([Part::heading(title), Part::Table(sheet)]);
        }
        parts.extend(classes(run).map(|mut sheet| {
            sheet.name = name("fidelity classes");
            Part::Folded("Accuracy on each class".to_owned(), vec![Part::Table(sheet)])
        }));
        if !run.summary.gaps.is_empty() {
            let title = "Robustness gap: success rate of valid adversarial examples (ASR)";
            let gaps = Sheet::of(&name("fidelity gap"), title, &gap_table(&run.summary.gaps));
            parts.extend([Part::heading(title), Part::Table(with_judged(gaps, &run.summary.gaps))]);
            let title = "Quality of the adversarial examples";
            let quality = Sheet::of(&name("fidelity quality"), title, &quality_table(&run.summary.gaps));
            parts.push(Part::Folded(title.to_owned(), vec![Part::Table(quality)]));
        }
    }
    parts
}

/// By what the examples against teacher and student were judged, beside their rates.
fn with_judged(mut sheet: Sheet, gaps: &[Gap]) -> Sheet {
    let attacks = gaps.iter().flat_map(|gap| &gap.attacks);
    let place = 4.min(sheet.columns.len());
    sheet.columns.insert(place, Column::new("judged by").words());
    for (row, attack) in sheet.rows.iter_mut().zip(attacks) {
        let [teacher, student] = attack.judged;
        let lines = [format!("teacher: {teacher}"), format!("student: {student}")];
        row.insert(place, Entry::text(&lines.join("; ")).shown(lines.map(|line| escape(&line)).join("<br>")));
    }
    sheet
}

fn pictures(run: &FidelityRun, name: &dyn Fn(&str) -> String) -> Vec<Picture> {
    let mut pictures = vec![
        Picture {
            name: name("fidelity divergences"),
            title: "KL divergence per input".to_owned(),
            drawing: divergences(&run.summary.comparisons),
            caption: format!("In nats, logarithmic; T is the teacher, S the student. Box: the middle half of inputs, with the median; line: four fifths. Below {LEAST:e} counts as {LEAST:e}."),
        },
        Picture {
            name: name("fidelity violations"),
            title: "Violations of the relations".to_owned(),
            drawing: violations(&run.summary.comparisons),
            caption: "MR1: another label. MR2: a divergence above 0.5. MR3: confidence that the teacher has at tau and the student has not. MR4: difference of accuracies over 10 bins. With intervals.".to_owned(),
        },
    ];
    if run.summary.truths.iter().any(Option::is_some) {
        pictures.push(Picture {
            name: name("fidelity reliability"),
            title: "Reliability".to_owned(),
            drawing: reliability_of(run),
            caption: "Accuracy of the answers within each tenth of confidence; the larger a dot, the more answers. On the diagonal, confidence is as high as it should be.".to_owned(),
        });
    }
    if run.summary.gaps.iter().any(|gap| !gap.attacks.is_empty()) {
        pictures.push(Picture {
            name: name("fidelity robustness"),
            title: "Robustness gap".to_owned(),
            drawing: gap_picture(&run.summary.gaps),
            caption: "Attack success rate against the teacher (grey) and each student, with intervals.".to_owned(),
        });
    }
    pictures
}

/// Both divergences of each student as box plots.
fn divergences(all: &[Comparison]) -> Drawing {
    let sorted = |one: &Comparison, of: fn(&Compared) -> f64| {
        let mut values: Vec<f64> =
            one.inputs.iter().map(of).filter(|value| value.is_finite()).map(|value| value.max(LEAST)).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let rows: Vec<(String, Vec<f64>, usize)> = all
        .iter()
        .enumerate()
        .flat_map(|(place, one)| {
            let student = if all.len() > 1 { format!("S{}", place + 1) } else { "S".to_owned() };
            [
                (format!("KL(T || {student})"), sorted(one, |input| input.from_teacher), place),
                (format!("KL({student} || T)"), sorted(one, |input| input.from_student), place),
            ]
        })
        .collect();
    let most = rows.iter().filter_map(|(_, values, _)| values.last()).copied().fold(1.0, f64::max);
    Drawing::new("KL divergence of teacher and students, both ways", |width| {
        let names: Vec<(String, String)> = rows.iter().map(|(name, ..)| (name.clone(), name.clone())).collect();
        let mut picture = Rows::new(&names, width, 60.0, Scale { low: LEAST, high: most, is_logarithmic: true });
        picture.axis(
            &[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0]
                .into_iter()
                .filter(|tick| *tick <= most)
                .collect::<Vec<f64>>(),
            |tick| {
                if tick < 0.01 { format!("{tick:e}") } else { format!("{tick}") }
            },
        );
        for (row, (_, values, student)) in rows.iter().enumerate() {
            match values.is_empty() {
                true => picture.note(row, "–"),
                false => {
                    picture.box_plot(row, values, &colour(*student));
                    let median = crate::pictures::quantile(values, 0.5);
                    picture.note(row, &if median < 0.001 { format!("{median:.0e}") } else { short(median) });
                }
            }
        }
        picture.finish()
    })
}

fn violations(all: &[Comparison]) -> Drawing {
    let relations = [
        ("MR1", "label loyalty, violation"),
        ("MR2", "probability loyalty, violation"),
        ("MR3 at 0.8", "confident agreement at 0.8, violation"),
        ("MR3 at 0.85", "confident agreement at 0.85, violation"),
        ("MR3 at 0.9", "confident agreement at 0.9, violation"),
        ("MR4", "calibration agreement, 10 bins"),
    ];
    let rows: Vec<(String, usize, &str)> = relations
        .iter()
        .flat_map(|(name, measure)| {
            all.iter().enumerate().map(move |(place, _)| {
                let student = if all.len() > 1 { format!(", S{}", place + 1) } else { String::new() };
                (format!("{name}{student}"), place, *measure)
            })
        })
        .collect();
    Drawing::new("Violations of the relations with intervals", |width| {
        let names: Vec<(String, String)> = rows.iter().map(|(name, ..)| (name.clone(), name.clone())).collect();
        let mut picture = Rows::of_shares(&names, width);
        for (row, (_, student, measure)) in rows.iter().enumerate() {
            let middle = picture.middle(row);
            let line = all[*student].summary.line(measure);
            let Some((value, line)) = line.and_then(|line| Some((line.value?, line))) else {
                picture.note(row, "–");
                continue;
            };
            picture.bar(middle, 14.0, value, &format!("bar {}", colour(*student)));
            if let Some(interval) = line.interval {
                picture.whisker(middle, &interval, 4.0);
            }
            picture.note(row, &percent(value));
        }
        picture.finish()
    })
}

/// How often teacher and students are right with some confidence.
fn reliability_of(run: &FidelityRun) -> Drawing {
    let of = |inputs: &[Compared], of_teacher: bool| {
        bins(inputs.iter().filter_map(|input| {
            let truth = (*run.summary.truths.get(input.number)?)?;
            let shares = if of_teacher { &input.teacher } else { &input.student };
            let confidence = shares.iter().copied().fold(0.0, f64::max);
            Some((confidence, shares.iter().position(|share| *share == confidence) == Some(truth)))
        }))
    };
    // The teacher is grey in all pictures, and a student has its colour.
    let mut models = vec![("teacher".to_owned(), "c8".to_owned(), of(&run.summary.comparisons[0].inputs, true))];
    let students = run.summary.comparisons.iter().enumerate();
    models.extend(students.map(|(place, one)| (one.student.clone(), colour(place), of(&one.inputs, false))));
    reliability(&models)
}

fn gap_picture(gaps: &[Gap]) -> Drawing {
    let mut rows = Vec::new();
    for (student, gap) in gaps.iter().enumerate() {
        for attack in &gap.attacks {
            let name =
                if gaps.len() > 1 { format!("{}, S{}", attack.attack, student + 1) } else { attack.attack.clone() };
            rows.push((name, student, attack));
        }
    }
    Drawing::new("Attack success rates against teacher and students", |width| {
        let names = short_names(rows.iter().map(|(name, ..)| name.as_str()), width);
        let mut picture = Rows::of_shares(&names, width);
        for (row, (_, student, attack)) in rows.iter().enumerate() {
            for (of, aside, class) in [(0, -6.0, "bar c8".to_owned()), (1, 6.0, format!("bar {}", colour(*student)))] {
                let middle = picture.middle(row) + aside;
                if let Some(rate) = attack.rates[of] {
                    picture.bar(middle, 9.0, rate, &class);
                }
                if let Some(interval) = attack.intervals[of] {
                    picture.whisker(middle, &interval, 3.0);
                }
            }
            let gap = attack.rates[1].zip(attack.rates[0]).map(|(student, teacher)| 100.0 * (student - teacher));
            picture.note(row, &gap.map_or("–".to_owned(), |gap| format!("{gap:+.1}")));
        }
        picture.finish()
    })
}

/// The accuracies of teacher and students on each class.
fn classes(run: &FidelityRun) -> Option<Sheet> {
    let last = run.summary.truths.iter().flatten().max()?;
    if *last > 24 {
        return None;
    }
    let heads = ["student", "class", "inputs", "accuracy of the teacher", "accuracy of the student"];
    let mut table = measure::Table::new(heads);
    for one in &run.summary.comparisons {
        for class in 0..=*last {
            let own =
                || one.inputs.iter().filter(move |input| run.summary.truths.get(input.number) == Some(&Some(class)));
            let count = own().count();
            if count == 0 {
                continue;
            }
            let share = |is: fn((usize, usize)) -> usize| -> Cell {
                (own().filter(|input| is(input.labels()) == class).count() as f64 / count as f64).into()
            };
            let label = run.labels.get(class).cloned().unwrap_or_else(|| class.to_string());
            let start = [one.student.as_str().into(), label.into(), count.into()];
            table.push(start.into_iter().chain([share(|labels| labels.0), share(|labels| labels.1)]));
        }
    }
    let mut sheet = Sheet::of("fidelity classes", "Accuracy on each class", &table);
    sheet.heads = 2;
    Some(sheet)
}
