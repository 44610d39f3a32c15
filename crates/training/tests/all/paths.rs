//! code2vec that is trained: it learns names, is stopped and resumed, is opened again, and refused with a reason.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::paths::{Limits, methods};
use model::{Code, Input, Prediction};
use syntax::{Language, Program};
use training::train::methods::{MethodCorpus, MethodPlan};
use training::train::paths::{NewPathModel, PathCorpus, train_paths};
use training::train::{Device, Length, News, Observer, TrainedEncoder, TrainingError, TrainingSettings};

use crate::folder::Folder;

/// Methods of four names, which the words in them tell.
fn texts(count: usize, from: usize) -> Vec<(String, String)> {
    let text = |number: usize| match number % 4 {
        0 => ("getSize", format!("int getSize(int a{number}) {{ return this.size + a{number}; }}")),
        1 => ("isEmpty", format!("boolean isEmpty(int b{number}) {{ return b{number} == 0; }}")),
        2 => ("run", format!("void run(Task t{number}) {{ t{number}.start(); }}")),
        _ => ("addAll", format!("void addAll(List c{number}) {{ for (Object o : c{number}) {{ add(o); }} }}")),
    };
    (from..from + count).map(text).map(|(name, text)| (name.to_owned(), text)).collect()
}

fn corpus(texts: &[(String, String)]) -> PathCorpus {
    let mut corpus = PathCorpus::default();
    for (_, text) in texts {
        corpus.append(PathCorpus::of(&methods(&Program::parse(Language::Java, text.as_str()), &Limits::default())));
    }
    corpus
}

fn plan() -> MethodPlan<NewPathModel> {
    MethodPlan {
        model: NewPathModel { width: 8, vector: 12, words: 60, paths: 100, ..NewPathModel::default() },
        settings: TrainingSettings {
            length: Length::Epochs(12),
            learning_rate: 3e-2,
            warm_up: 2,
            batch_tokens: 200,
            log_every: 5,
            checkpoint_every: 3,
            ..TrainingSettings::default()
        },
        device: Device::Cpu,
        stop_after: None,
    }
}

fn run(
    plan: &MethodPlan<NewPathModel>,
    corpus: &PathCorpus,
    validation: Option<&PathCorpus>,
    output: &Path,
) -> Result<TrainedEncoder, TrainingError> {
    let (stop, news) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let tell = |one: News| news.lock().unwrap().push(one);
    train_paths(plan, corpus, validation, output, &Observer { stop: &stop, tell: &tell })
}

#[test]
fn names_are_learned_and_the_folder_answers_as_the_evaluation_said() {
    let folder = Folder::new("code2vec-learned");
    let held = texts(40, 1000);
    for half in [false, true] {
        let output = folder.path(if half { "half" } else { "full" });
        let mut plan = plan();
        plan.settings.half = half;
        let trained = run(&plan, &corpus(&texts(80, 0)), Some(&corpus(&held)), &output).unwrap();
        let best = trained.best.unwrap();
        assert!(best.score.accuracy > 0.9, "{best:?}");
        let model = model::open(&format!("code2vec:{}", output.display())).unwrap();
        let input = |text: &String| Input::Code(Code { language: Language::Java, text: text.clone() });
        let inputs: Vec<Input> = held.iter().map(|(_, text)| input(text)).collect();
        let answers = model.predict(&inputs);
        let is_right = |((name, _), answer): &(&(String, String), Result<model::Answer, model::Fault>)| {
            let Prediction::Names(names) = &answer.as_ref().unwrap().prediction else { panic!("no names") };
            names[0].0 == *name
        };
        let right = held.iter().zip(answers).filter(is_right).count();
        assert_eq!(right as f64 / held.len() as f64, best.score.accuracy);
    }
}

#[test]
fn a_stop_after_every_step_changes_nothing() {
    let folder = Folder::new("code2vec-resumed");
    let (own, held) = (corpus(&texts(80, 0)), corpus(&texts(20, 1000)));
    let (whole, pieces) = (folder.path("whole"), folder.path("pieces"));
    let mut plan = plan();
    plan.settings.length = Length::Epochs(2);
    let trained = run(&plan, &own, Some(&held), &whole).unwrap();
    let in_pieces = MethodPlan { stop_after: Some(Duration::ZERO), ..plan.clone() };
    let mut stops = 0;
    let resumed = loop {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + stops % 3).build().unwrap();
        match pool.install(|| run(&in_pieces, &own, Some(&held), &pieces)) {
            Ok(trained) => break trained,
            Err(TrainingError::Stopped { step, .. }) => {
                stops += 1;
                assert_eq!(step, stops as u64);
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(stops > 6, "{stops}");
    assert_eq!((resumed.steps, resumed.best), (trained.steps, trained.best));
    for file in ["model.safetensors", "vocabulary.json", "config.json"] {
        assert!(
            std::fs::read(whole.join(file)).unwrap() == std::fs::read(pieces.join(file)).unwrap(),
            "{file} differs"
        );
    }
}

#[test]
fn what_cannot_be_trained_is_told() {
    let folder = Folder::new("code2vec-refused");
    let refused = |plan: &MethodPlan<NewPathModel>, corpus: &PathCorpus, word: &str| {
        let problem = run(plan, corpus, None, &folder.path("out")).unwrap_err().to_string();
        assert!(problem.contains(word), "{problem}");
    };
    let own = corpus(&texts(8, 0));
    refused(&plan(), &PathCorpus::default(), "nothing to learn");
    refused(&MethodPlan { model: NewPathModel { width: 0, ..plan().model }, ..plan() }, &own, "at least 1");
    let settings = TrainingSettings { dropout: 1.5, ..plan().settings };
    refused(&MethodPlan { settings, ..plan() }, &own, "dropout");
    assert!(!folder.path("out").exists());
    run(&plan(), &own, None, &folder.path("out")).unwrap();
    let other = MethodPlan { model: NewPathModel { width: 9, ..plan().model }, ..plan() };
    refused(&other, &own, "width was 8, and is 9");
    refused(&plan(), &corpus(&texts(9, 0)), "digest");
}
