//! What cannot be trained or resumed is told with a reason and a remedy, and nothing is lost.

use std::path::Path;
use std::time::Duration;

use model::Model;
use model::huggingface::roberta::PositionKind;
use model::{Answer, Input, Prediction};
use training::compute::ComputeError;
use training::train::checkpoints::Score;
use training::train::{Base, Corpus, Device, Goal, Length, NewEncoder, News, TrainingError, TrainingPlan};

use crate::folder::{Folder, classes, code, corpus, pairs, plan, run, tiny};

#[track_caller]
fn refused(plan: &TrainingPlan, corpus: &Corpus, validation: Option<&Corpus>, output: &Path, words: &[&str]) {
    let problem = run(plan, corpus, validation, output).0.unwrap_err().to_string();
    for word in words {
        assert!(problem.contains(word), "no {word:?} in {problem}");
    }
}

#[test]
fn what_cannot_be_trained_is_told_before_anything_is_written() {
    let folder = Folder::new("unfit");
    let out = folder.path("out");
    let good = plan(classes(1));
    let of = |base: NewEncoder| TrainingPlan { base: Base::New(base), ..good.clone() };
    let data = corpus(12, 0);
    refused(&of(NewEncoder { heads: 3, ..tiny() }), &data, None, &out, &["16", "divisible by 3"]);
    refused(&of(NewEncoder { vocabulary: 100, ..tiny() }), &data, None, &out, &["at least 261"]);
    refused(&good, &Corpus::default(), None, &out, &["nothing to learn"]);
    refused(&plan(Goal::Masked), &Corpus::default(), None, &out, &["nothing to learn"]);
    let mut without = data.clone();
    without.examples.retain(|(_, class)| *class != 2);
    refused(&good, &without, None, &out, &["größe", "hold out fewer"]);
    refused(&good, &pairs(12, 0), None, &out, &["an example of 2 programs"]);
    let mut odd = data.clone();
    odd.examples[3].1 = 7;
    refused(&good, &data, Some(&odd), &out, &["the class 7"]);
    for change in [
        |plan: &mut TrainingPlan| plan.settings.learning_rate = f32::NAN,
        |plan: &mut TrainingPlan| plan.settings.dropout = 1.0,
        |plan: &mut TrainingPlan| plan.settings.length = Length::Minutes(-1.0),
        |plan: &mut TrainingPlan| plan.settings.accumulate = 0,
        |plan: &mut TrainingPlan| plan.settings.patience = Some(3),
    ] {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(matches!(run(&bad, &data, None, &out).0, Err(TrainingError::Unfit(_))));
    }
    assert!(!out.exists());
    let blank = Corpus { programs: vec![code(" \n".to_owned())], examples: Vec::new() };
    refused(&plan(Goal::Masked), &blank, None, &out, &["nothing to learn"]);
}

#[test]
fn a_folder_is_ours_writable_and_not_in_use() {
    let folder = Folder::new("places");
    let (good, data) = (plan(classes(1)), corpus(12, 0));
    std::fs::create_dir_all(folder.path("full")).unwrap();
    std::fs::write(folder.path("full/notes.txt"), "mine").unwrap();
    refused(&good, &data, None, &folder.path("full"), &["is not empty", "another folder"]);
    refused(&good, &data, None, &folder.path("full/notes.txt"), &["failed to write", "notes.txt"]);
    refused(&good, &data, None, Path::new("/proc/nothing"), &["failed to write /proc/nothing"]);
    let stopped = TrainingPlan { stop_after: Some(Duration::ZERO), ..good.clone() };
    run(&stopped, &data, None, &folder.path("used")).0.unwrap_err();
    let lock = std::fs::File::open(folder.path("used/training/lock")).unwrap();
    lock.lock().unwrap();
    refused(&good, &data, None, &folder.path("used"), &["another process"]);
    lock.unlock().unwrap();
    run(&good, &data, None, &folder.path("used")).0.unwrap();
    let mut gpu = good.clone();
    gpu.device = Device::Cuda;
    // Where there is a GPU it trains there.
    if let Err(problem) = run(&gpu, &data, None, &folder.path("gpu")).0 {
        assert!(matches!(problem, TrainingError::Compute(ComputeError::Missing(_))), "{problem}");
    }
}

#[test]
fn other_settings_and_other_data_are_not_resumed() {
    let folder = Folder::new("differs");
    let out = folder.path("out");
    let (good, data) = (plan(classes(1)), corpus(24, 0));
    let stopped = TrainingPlan { stop_after: Some(Duration::ZERO), ..good.clone() };
    run(&stopped, &data, None, &out).0.unwrap_err();
    let mut other = good.clone();
    other.settings.learning_rate = 0.5;
    other.settings.seed = 8;
    refused(
        &other,
        &data,
        None,
        &out,
        &["settings learning-rate was 0.003", "and is 0.5", "settings seed was 7, and is 8"],
    );
    refused(&good, &corpus(24, 1), None, &out, &["examples digest"]);
    refused(&good, &corpus(25, 0), None, &out, &["examples count was 24, and is 25"]);
    refused(&good, &data, Some(&corpus(9, 50)), &out, &["validation was null"]);
    // How often checkpoints are written changes nothing.
    let mut seldom = good.clone();
    seldom.settings.checkpoint_every = 1000;
    run(&seldom, &data, None, &out).0.unwrap();
    refused(&other, &data, None, &out, &["settings seed"]);
    refused(&good, &corpus(24, 1), None, &out, &["examples digest"]);
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_it_goes_on() {
    let folder = Folder::new("damaged");
    let (good, data) = (plan(classes(1)), corpus(24, 0));
    run(&good, &data, None, &folder.path("whole")).0.unwrap();
    let out = folder.path("out");
    let stopped = TrainingPlan { stop_after: Some(Duration::ZERO), ..good.clone() };
    for _ in 0..3 {
        run(&stopped, &data, None, &out).0.unwrap_err();
    }
    let file = out.join("training/checkpoint-0000000003.state");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    refused(&good, &data, None, &out, &["checkpoint-0000000003.state", "damaged", "resumes from step 2"]);
    std::fs::write(&file, &bytes[..middle]).unwrap();
    refused(&good, &data, None, &out, &["checkpoint-0000000003.state", "damaged"]);
    std::fs::remove_file(&file).unwrap();
    run(&good, &data, None, &out).0.unwrap();
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    assert!(weights("whole") == weights("out"));
}

#[test]
fn a_loss_that_is_not_finite_ends_it_with_the_last_good_checkpoint() {
    let folder = Folder::new("infinite");
    let out = folder.path("out");
    let mut plan = plan(classes(1));
    plan.settings.learning_rate = 1e30;
    plan.settings.warm_up = 0;
    refused(
        &plan,
        &corpus(24, 0),
        None,
        &out,
        &["not a finite number at step", "the checkpoint of step", "learning rate"],
    );
    assert!(!out.join("model.safetensors").exists());
    let kept: Vec<_> = std::fs::read_dir(out.join("training"))
        .unwrap()
        .flatten()
        .filter(|one| one.file_name().to_string_lossy().starts_with("checkpoint-"))
        .collect();
    assert!(!kept.is_empty());
}

/// The share of right answers of a model, as it is opened from its folder.
pub fn accuracy(model: &dyn Model, corpus: &Corpus) -> f64 {
    let input = |own: &Vec<usize>| match own[..] {
        [one] => Input::Code(corpus.programs[one].clone()),
        [one, other] => Input::Pair(corpus.programs[one].clone(), corpus.programs[other].clone()),
        _ => panic!("{own:?}"),
    };
    let inputs: Vec<Input> = corpus.examples.iter().map(|(own, _)| input(own)).collect();
    let is_right = |(answer, (_, class)): (Result<Answer, _>, &(Vec<usize>, usize))| match answer.unwrap().prediction {
        Prediction::Classes(shares) => shares.iter().all(|share| *share <= shares[*class]),
        other => panic!("{other:?}"),
    };
    let right = model.predict(&inputs).into_iter().zip(&corpus.examples).map(is_right);
    let right: Vec<bool> = right.collect();
    right.iter().filter(|is_right| **is_right).count() as f64 / right.len() as f64
}

#[test]
fn a_finished_folder_opens_with_the_accuracy_of_its_evaluation() {
    use PositionKind::{Absolute, RelativeKey, RelativeKeyQuery};
    for (name, positions, goal, data, validation) in [
        ("opens-classes", Absolute, classes(1), corpus(90, 0), corpus(21, 100)),
        ("opens-key", RelativeKey, classes(1), corpus(90, 0), corpus(21, 100)),
        ("opens-key-query", RelativeKeyQuery, classes(1), corpus(90, 0), corpus(21, 100)),
        ("opens-pairs", Absolute, classes(2), pairs(60, 0), pairs(21, 100)),
    ] {
        let folder = Folder::new(name);
        let base = Base::New(NewEncoder { positions, ..tiny() });
        let mut plan = TrainingPlan { base, ..plan(goal) };
        plan.settings.length = Length::Epochs(6);
        let trained = run(&plan, &data, Some(&validation), &folder.path("out")).0.unwrap();
        let Score { accuracy: seen, .. } = trained.best.unwrap().score;
        let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
        assert_eq!(model.labels().unwrap(), ["sum", "product", "größe"]);
        assert!((accuracy(&*model, &validation) - seen).abs() < 1e-9, "{seen}");
        assert!(seen > 0.6, "{name}: {seen}");
    }
}

#[test]
fn half_of_the_bits_are_enough_for_the_same_answers() {
    let folder = Folder::new("half");
    let mut plan = plan(classes(1));
    let (data, validation) = (corpus(60, 0), corpus(21, 100));
    run(&plan, &data, Some(&validation), &folder.path("whole")).0.unwrap();
    plan.settings.half = true;
    run(&plan, &data, Some(&validation), &folder.path("half")).0.unwrap();
    let size = |name: &str| folder.path(name).join("model.safetensors").metadata().unwrap().len();
    assert!(size("half") < size("whole") * 6 / 10);
    let answers = |name: &str| {
        let model = training::open(&format!("hf:{}", folder.path(name).display())).unwrap();
        accuracy(&*model, &validation)
    };
    assert!((answers("half") - answers("whole")).abs() < 0.05);
}

#[test]
fn a_training_goes_on_from_a_checkpoint() {
    let folder = Folder::new("from");
    let mut masked = plan(Goal::Masked);
    masked.settings.length = Length::Epochs(2);
    let data = corpus(60, 0);
    run(&masked, &data, None, &folder.path("masked")).0.unwrap();
    let place = format!("hf:{}", folder.path("masked").display());
    let from = |goal: Goal, place: &str, limit: Option<usize>| TrainingPlan {
        base: Base::From { place: place.to_owned(), limit },
        ..plan(goal)
    };
    let notes = |news: Vec<News>| -> String {
        news.into_iter().filter_map(|news| if let News::Note(note) = news { Some(note) } else { None }).collect()
    };
    let (trained, news) = run(&from(classes(1), &place, None), &data, None, &folder.path("classes"));
    trained.unwrap();
    assert!(notes(news).contains("no head for this task"));
    let read = |name: &str, file: &str| std::fs::read(folder.path(name).join(file)).unwrap();
    assert_eq!(read("masked", "tokenizer.json"), read("classes", "tokenizer.json"));
    // The head fits the same labels, and no others.
    let classes_place = folder.path("classes").display().to_string();
    let (trained, news) = run(&from(classes(1), &classes_place, Some(16)), &data, None, &folder.path("more"));
    trained.unwrap();
    assert!(notes(news).contains("the head of"));
    assert!(String::from_utf8(read("more", "allotrope.toml")).unwrap().contains("limit = 16"));
    let others = Goal::Classes { labels: ["a", "b", "c"].map(str::to_owned).to_vec(), programs: 1 };
    let (trained, news) = run(&from(others, &classes_place, None), &data, None, &folder.path("others"));
    trained.unwrap();
    assert!(notes(news).contains("no head for this task"));
    refused(&from(classes(1), &place, Some(400)), &data, None, &folder.path("long"), &["400", "24 positions"]);
    refused(&from(classes(1), "nowhere", None), &data, None, &folder.path("none"), &["nowhere is not a folder"]);
}

#[test]
fn data_flow_is_learned_where_a_checkpoint_has_it() {
    let folder = Folder::new("data-flow");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
    let settings = folder.path("settings.toml");
    std::fs::write(&settings, "[data-flow]\ncode = 30\nnodes = 10\nreserved = 2\n").unwrap();
    let place = format!("{}?settings={}", source.display(), settings.display());
    let goal = Goal::Classes { labels: vec!["no".to_owned(), "yes".to_owned()], programs: 1 };
    let mut plan = TrainingPlan { base: Base::From { place, limit: None }, ..plan(goal) };
    plan.settings.length = Length::Epochs(2);
    let both = |count: usize, from: usize| {
        let mut data = corpus(count, from);
        data.examples.iter_mut().for_each(|(_, class)| *class = usize::from(*class == 1));
        data
    };
    let validation = both(9, 50);
    let trained = run(&plan, &both(18, 0), Some(&validation), &folder.path("out")).0.unwrap();
    let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
    let Score { accuracy: seen, .. } = trained.best.unwrap().score;
    assert!((accuracy(&*model, &validation) - seen).abs() < 1e-9, "{seen}");
    assert!(std::fs::read_to_string(folder.path("out/allotrope.toml")).unwrap().contains("[data-flow]"));
}
