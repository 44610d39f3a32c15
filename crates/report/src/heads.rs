//! What is read first about a run that is no attack: what it is about, and what came of it.

use crate::contents::{
    EvaluationRun, EvolveRun, FidelityRun, GridRun, MutantsRun, Origin, RetrainingRun, ShapesRun, TrainingRun,
};
use crate::markup::{count, escape, percent, short};
use crate::sections::{mutants_headline, training_best};

/// A head: the kind of run, what it is about, what came of it, and some numbers with notes.
fn head(origin: &Origin, kind: &str, about: &str, headline: &str, tiles: &[(&str, String, String)]) -> String {
    let title = match origin.model() {
        "" => origin.name.as_str(),
        model => model,
    };
    let mut html = format!(
        r#"<header><p class="kind">{kind} · {}</p><h1>{}</h1><p class="asked">{}</p><p class="headline">{headline}</p>"#,
        escape(&origin.name),
        escape(title),
        escape(about)
    );
    if !tiles.is_empty() {
        html.push_str(r#"<dl class="tiles">"#);
        for (name, value, note) in tiles {
            html.push_str(&format!(
                r#"<div><dt>{}</dt><dd>{}</dd><dd class="note">{}</dd></div>"#,
                escape(name),
                escape(value),
                escape(note)
            ));
        }
        html.push_str("</dl>");
    }
    html + "</header>\n"
}

fn inputs(origin: &Origin) -> String {
    match origin.inputs {
        Some(1) => "1 input".to_owned(),
        Some(several) => format!("{} inputs", count(several)),
        None => String::new(),
    }
}

/// What treatment changes scores most.
pub fn grid(run: &GridRun) -> String {
    let orders: Vec<String> = run.plan.orders.iter().map(usize::to_string).collect();
    let about = format!(
        "{}, {} treatments at orders {}",
        inputs(&run.origin),
        count(run.plan.treatments.len()),
        orders.join(", ")
    );
    let strongest =
        crate::sections::strongest_treatment(run).map_or("Nothing is done yet.".to_owned(), |(name, order, delta)| {
            format!("{} at order {order:.0} changes the score by <strong>{delta:+.3}</strong>", escape(&name))
        });
    head(&run.origin, "Grid", &about, &strongest, &[])
}

/// How many searches are complete, and what they found.
pub fn evolution(run: &EvolveRun) -> String {
    let wanted = |names: &[String], verb: &str| {
        if names.is_empty() { String::new() } else { format!("{verb} {}", names.join(", ")) }
    };
    let goals = [wanted(&run.plan.minimise, "minimise"), wanted(&run.plan.maximise, "maximise")];
    let goals: Vec<&str> = goals.iter().map(String::as_str).filter(|goal| !goal.is_empty()).collect();
    let about = format!("{}, {}, {}", inputs(&run.origin), run.plan.algorithm.name(), goals.join(", "));
    let done = format!("<strong>{} of {}</strong> repetitions are complete", run.summary.repeats, run.plan.repeat);
    let on_front = run.summary.candidates.iter().filter(|one| one.is_on_front).count();
    let tiles = [
        ("Lists of rewrites tried", count(run.summary.candidates.len()), "by the guided searches".to_owned()),
        ("Lists on the front", count(on_front), run.summary.axes.join(" against ")),
    ];
    head(&run.origin, "Guided search", &about, &done, &tiles)
}

/// How often the first student says something else than its teacher.
pub fn fidelity(run: &FidelityRun) -> String {
    let names: Vec<String> =
        run.origin.models.iter().map(|(title, model)| format!("{title} {}", model.label())).collect();
    let about = format!("{}: {}", inputs(&run.origin), names.join(", "));
    let Some(first) = run.summary.comparisons.first() else {
        return head(&run.origin, "Fidelity", &about, "Nothing was compared yet.", &[]);
    };
    let other = first.summary.value("label loyalty, violation");
    let headline = match other {
        Some(share) => format!("{} has another label for <strong>{}</strong>", escape(&first.student), percent(share)),
        None => format!("{} was compared", escape(&first.student)),
    };
    let mut tiles = Vec::new();
    for (name, measure) in [
        ("Accuracy of the teacher", "accuracy of the teacher"),
        ("Accuracy of the student", "accuracy of the student"),
        ("MR2 violations", "probability loyalty, violation"),
    ] {
        if let Some((value, line)) = first.summary.line(measure).and_then(|line| Some((line.value?, line))) {
            let ends = line.interval.map(|it| format!("{:.1} – {:.1} %", it.low * 100.0, it.high * 100.0));
            tiles.push((name, percent(value), ends.unwrap_or_else(|| "no interval".to_owned())));
        }
    }
    head(&run.origin, "Fidelity", &about, &headline, &tiles)
}

/// How far mutants are told from the model.
pub fn mutants(run: &MutantsRun) -> String {
    let kept = run.mutants.iter().filter(|mutant| mutant.is_kept).count();
    let about = format!("{}, {} mutants, {} close enough to the model", inputs(&run.origin), run.mutants.len(), kept);
    let headline = mutants_headline(run)
        .map_or("No mutant was scored.".to_owned(), |text| format!("Mean <strong>{text}</strong>"));
    let share = |value: Option<f64>| value.map_or("–".to_owned(), percent);
    let tiles = [
        ("Accuracy of the model", share(run.accuracy), "on the inputs that were scored".to_owned()),
        ("Mutation score", share(run.score), "share of classes that are killed".to_owned()),
    ];
    head(&run.origin, "Mutants", &about, &headline, &tiles)
}

/// The best evaluation.
pub fn training(run: &TrainingRun) -> String {
    learning(run, "Training", "")
}

/// The best evaluation of a student, and what it learned from.
pub fn distillation(run: &TrainingRun) -> String {
    learning(run, "Distillation", &format!("taught by {}, ", crate::sections::teacher_of(run)))
}

/// How well the best of several models does, where there are several.
pub fn evaluations(runs: &[EvaluationRun]) -> String {
    let Some(first) = runs.first() else { return String::new() };
    if runs.len() == 1 {
        let about = format!("{}: {}", inputs(&first.origin), first.task);
        let headline = first.measures.iter().find_map(|line| Some((line, line.value?))).map_or_else(
            || "Nothing was measured.".to_owned(),
            |(line, value)| format!("{} <strong>{}</strong>", escape(&line.measure), short(value)),
        );
        return head(&first.origin, "Evaluation", &about, &headline, &[]);
    }
    let tasks: std::collections::BTreeSet<&str> = runs.iter().map(|run| run.task.as_str()).collect();
    let about = Vec::from_iter(tasks).join(", ");
    let origin = Origin { name: format!("{} models", runs.len()), ..Origin::default() };
    let headline = format!("<strong>{}</strong> models were evaluated", runs.len());
    head(&origin, "Evaluations", &about, &headline, &[])
}

fn learning(run: &TrainingRun, kind: &str, from: &str) -> String {
    let steps =
        run.losses.iter().map(|(step, _)| *step).chain(run.evaluations.iter().map(|one| one.step)).fold(0.0, f64::max);
    let about = format!("{from}{} steps, {} s", count(steps as usize), short(run.seconds.round()));
    let headline = match training_best(run) {
        Some((step, Some(accuracy))) => {
            format!("Best accuracy <strong>{}</strong> at step {step:.0}", percent(accuracy))
        }
        Some((step, None)) => format!("Best at step <strong>{step:.0}</strong>"),
        None => "It was not evaluated.".to_owned(),
    };
    head(&run.origin, kind, &about, &headline, &[])
}

/// How many shapes are on the fronts.
pub fn shapes(run: &ShapesRun) -> String {
    let names: Vec<&str> = run.styles.iter().map(|(name, ..)| name.as_str()).collect();
    let about = format!("in the style of {}", names.join(", "));
    let on_fronts: usize = run.styles.iter().map(|(.., front)| front.len()).sum();
    let headline = format!("<strong>{}</strong> shapes are on the fronts", count(on_fronts));
    head(&run.origin, "Search of shapes", &about, &headline, &[])
}

/// How many models are measured.
pub fn retraining(run: &RetrainingRun) -> String {
    let about =
        format!("retrained in {} ways, attacked by {}", run.plan.arms.len(), run.plan.attack.attacks.join(", "));
    let done = run.models.iter().filter(|model| model.scores.is_some()).count();
    let headline = match run.tables.is_empty() {
        true => format!("Not finished: <strong>{done} of {}</strong> models are measured", run.models.len()),
        false => format!("<strong>{}</strong> models, before and after", run.models.len()),
    };
    head(&run.origin, "Retraining", &about, &headline, &[])
}
