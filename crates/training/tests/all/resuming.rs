//! A training that is stopped, however often, comes to the same as one that is not.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use training::train::{Corpus, Goal, Length, News, Observer, TrainingError, TrainingPlan, TrainingSettings, train};

use crate::folder::{Folder, classes, corpus, pairs, plan, run, settings};

/// The lines of the metrics without times.
fn metrics(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        assert!(fields.remove("seconds").is_some_and(|seconds| seconds.as_f64().unwrap() >= 0.0));
        fields.remove("tokens-per-second");
        line
    };
    text.lines().map(line).collect()
}

/// Trains in one piece, and in pieces of one step each, and compares everything but times.
pub fn check(name: &str, plan: &TrainingPlan, corpus: &Corpus, validation: Option<&Corpus>) -> Vec<Value> {
    let folder = Folder::new(name);
    let (whole, pieces) = (folder.path("whole"), folder.path("pieces"));
    let trained = run(plan, corpus, validation, &whole).0.unwrap();
    let in_pieces = TrainingPlan { stop_after: Some(Duration::ZERO), ..plan.clone() };
    let mut stops = 0;
    let resumed = loop {
        // Pieces of other numbers of threads are the same, too.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + stops % 3).build().unwrap();
        match pool.install(|| run(&in_pieces, corpus, validation, &pieces).0) {
            Ok(trained) => break trained,
            Err(TrainingError::Stopped { step, .. }) => {
                stops += 1;
                assert_eq!(step, stops as u64);
                assert!(!pieces.join("model.safetensors").exists());
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(stops > 6, "{stops}");
    let without_time = |mut trained: training::train::TrainedEncoder| {
        trained.seconds = 0.0;
        trained
    };
    assert_eq!(without_time(resumed), without_time(trained.clone()));
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).unwrap();
    for file in ["model.safetensors", "config.json", "allotrope.toml"] {
        assert!(read(&whole, file) == read(&pieces, file), "{file} differs");
    }
    // A vocabulary is one file or two.
    for file in ["tokenizer.json", "vocab.json", "merges.txt"] {
        let [one, other] = [&whole, &pieces].map(|folder| std::fs::read(folder.join(file)).ok());
        assert!(one == other, "{file} differs");
    }
    assert_eq!(metrics(&whole), metrics(&pieces));
    // Checkpoints are gone, and the same again is done at once.
    let left: Vec<_> =
        std::fs::read_dir(whole.join("training")).unwrap().flatten().map(|one| one.file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
    let (again, news) = run(plan, corpus, validation, &whole);
    assert_eq!(again.unwrap(), trained);
    assert!(news.iter().any(|news| matches!(news, News::Note(note) if note.contains("trained already"))));
    metrics(&whole)
}

#[test]
fn classes_are_learned_and_a_stop_after_every_step_changes_nothing() {
    let mut plan = plan(classes(1));
    plan.settings = TrainingSettings { accumulate: 2, learning_rate: 1e-2, length: Length::Epochs(7), ..settings() };
    let lines = check("stopped-classes", &plan, &corpus(60, 0), Some(&corpus(21, 100)));
    let evaluations: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "evaluation").collect();
    assert_eq!(evaluations.len(), 7);
    let losses: Vec<f64> =
        lines.iter().filter(|line| line["kind"] == "steps").map(|line| line["loss"].as_f64().unwrap()).collect();
    assert!(*losses.last().unwrap() < 0.9 * losses[0], "{losses:?}");
    assert_eq!(lines[0]["step"], 3);
    assert!(lines[0]["learning-rate"].as_f64().unwrap() > 0.0 && lines[0]["epoch"].as_f64().unwrap() < 1.0);
}

#[test]
fn pairs_and_masked_words_are_resumed_as_well() {
    let mut pairs_plan = plan(classes(2));
    pairs_plan.settings.length = Length::Steps(9);
    pairs_plan.settings.evaluate_every = Some(4);
    let lines = check("stopped-pairs", &pairs_plan, &pairs(30, 0), Some(&pairs(9, 50)));
    let steps: Vec<u64> =
        lines.iter().filter(|line| line["kind"] == "evaluation").map(|line| line["step"].as_u64().unwrap()).collect();
    // The last step is evaluated whenever it is.
    assert_eq!(steps, [4, 8, 9]);
    let mut masked = plan(Goal::Masked);
    masked.settings.length = Length::Epochs(2);
    check("stopped-masked", &masked, &corpus(60, 0), None);
}

#[test]
fn patience_ends_a_training_and_the_best_weights_are_kept() {
    let mut plan = plan(classes(1));
    // A rate that ruins what was learned.
    plan.settings = TrainingSettings {
        learning_rate: 0.3,
        evaluate_every: Some(2),
        patience: Some(2),
        length: Length::Steps(60),
        ..settings()
    };
    let validation = corpus(12, 200);
    let lines = check("stopped-patience", &plan, &corpus(60, 0), Some(&validation));
    let evaluations: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "evaluation").collect();
    assert!(evaluations.len() < 30, "{evaluations:?}");
    let flags: Vec<bool> = evaluations.iter().map(|line| line["is-best"].as_bool().unwrap()).collect();
    assert!(flags.ends_with(&[true, false, false]), "{flags:?}");
}

#[test]
fn a_user_who_stops_it_during_an_evaluation_loses_nothing() {
    let folder = Folder::new("stopped-evaluation");
    let (plan, corpus, validation) = (plan(classes(1)), corpus(60, 0), corpus(21, 100));
    let whole = run(&plan, &corpus, Some(&validation), &folder.path("whole")).0.unwrap();
    let (stop, stopped) = (AtomicBool::new(false), Mutex::new(0));
    let tell = |news: News| {
        if matches!(news, News::Evaluating { .. }) && *stopped.lock().unwrap() < 2 {
            *stopped.lock().unwrap() += 1;
            stop.store(true, Ordering::Relaxed);
        }
    };
    let trained = loop {
        match train(&plan, &corpus, Some(&validation), &folder.path("pieces"), &Observer { stop: &stop, tell: &tell }) {
            Ok(trained) => break trained,
            Err(TrainingError::Stopped { .. }) => stop.store(false, Ordering::Relaxed),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!((*stopped.lock().unwrap(), trained.best), (2, whole.best));
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    assert!(weights("whole") == weights("pieces"));
}

#[test]
fn minutes_of_work_are_counted_over_pieces() {
    let folder = Folder::new("minutes");
    let mut plan = plan(Goal::Masked);
    plan.settings.length = Length::Minutes(0.02);
    plan.stop_after = Some(Duration::from_millis(500));
    let corpus = corpus(60, 0);
    let stopped = run(&plan, &corpus, None, &folder.path("out")).0.unwrap_err();
    assert!(matches!(stopped, TrainingError::Stopped { .. }), "{stopped}");
    assert!(stopped.to_string().contains("the same command resumes it"), "{stopped}");
    plan.stop_after = None;
    let trained = run(&plan, &corpus, None, &folder.path("out")).0.unwrap();
    assert!((1.2..4.0).contains(&trained.seconds), "{}", trained.seconds);
}
