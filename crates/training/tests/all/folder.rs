//! What the tests of this program share: a folder that is removed in the end, tiny encoders, and programs that are easy to tell apart.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use model::Code;
use syntax::Language;
use training::train::{
    Base, Corpus, Device, Goal, Length, NewEncoder, News, Observer, TrainedEncoder, TrainingError, TrainingPlan,
    TrainingSettings, train,
};

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("allotrope-encoders-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn tiny() -> NewEncoder {
    NewEncoder {
        layers: 1,
        hidden: 16,
        heads: 2,
        inner: 24,
        vocabulary: 320,
        limit: 24,
        collapse_whitespace: true,
        ..NewEncoder::default()
    }
}

pub fn settings() -> TrainingSettings {
    TrainingSettings {
        seed: 7,
        length: Length::Epochs(3),
        learning_rate: 3e-3,
        warm_up: 5,
        batch_tokens: 160,
        log_every: 3,
        checkpoint_every: 4,
        ..TrainingSettings::default()
    }
}

pub fn plan(goal: Goal) -> TrainingPlan {
    TrainingPlan {
        goal,
        base: Base::New(tiny()),
        settings: settings(),
        device: Device::Cpu,
        stop_after: None,
        variants: None,
        teaching: None,
    }
}

pub fn classes(programs: usize) -> Goal {
    Goal::Classes { labels: vec!["sum".to_owned(), "product".to_owned(), "größe".to_owned()], programs }
}

pub fn code(text: String) -> Code {
    Code { language: Language::C, text }
}

/// Programs of three classes, some of them longer than the limit.
pub fn corpus(count: usize, from: usize) -> Corpus {
    let program = |number: usize| {
        let more = "x ++ ;\n  ".repeat(number % 5 * 2);
        match number % 3 {
            0 => format!("int sum{number}(int a) {{\n  return a + {number};\n {more} }}"),
            1 => format!("int product(int b) {{ return b * {number}; {more} }}"),
            _ => format!("char *größe = \"{number}\"; {more}"),
        }
    };
    Corpus {
        programs: (from..from + count).map(|number| code(program(number))).collect(),
        examples: (0..count).map(|place| (vec![place], (from + place) % 3)).collect(),
    }
}

/// Pairs of programs, each program in two of them; the class of the first is that of the pair.
pub fn pairs(count: usize, from: usize) -> Corpus {
    let Corpus { programs, examples } = corpus(count, from);
    let examples = examples.into_iter().map(|(own, class)| (vec![own[0], (own[0] + 1) % count], class)).collect();
    Corpus { programs, examples }
}

/// Trains without anybody who looks, and returns what was told.
pub fn run(
    plan: &TrainingPlan,
    corpus: &Corpus,
    validation: Option<&Corpus>,
    output: &std::path::Path,
) -> (Result<TrainedEncoder, TrainingError>, Vec<News>) {
    let (stop, news) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let tell = |one: News| news.lock().unwrap().push(one);
    let trained = train(plan, corpus, validation, output, &Observer { stop: &stop, tell: &tell });
    (trained, news.into_inner().unwrap())
}
