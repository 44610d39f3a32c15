//! Networks that learn from the answers of a teacher.

use std::sync::Arc;
use std::time::Duration;

use training::train::{
    Corpus, Length, SoftLoss, TaughtSet, TaughtStates, TaughtVariants, Teaching, TrainingError, TrainingPlan, Variants,
    seed_of_variant,
};

use crate::folder::{Folder, classes, code, corpus, pairs, plan, run};

/// A teacher that is quite sure of another class than the label: the next one.
fn contrary(corpus: &Corpus, sure: f32) -> Vec<Vec<f32>> {
    let answer = |(_, class): &(Vec<usize>, usize)| {
        let mut answer = vec![(1.0 - sure) / 2.0; 3];
        answer[(class + 1) % 3] = sure;
        answer
    };
    corpus.examples.iter().map(answer).collect()
}

fn teaching(corpus: &Corpus) -> Teaching {
    Teaching {
        teacher: "one that is wrong".to_owned(),
        temperature: 2.0,
        loss: SoftLoss::Divergence,
        label_weight: 0.0,
        answers: Arc::new(contrary(corpus, 0.9)),
        of_variants: None,
        states: None,
    }
}

/// States that tell the programs apart, five numbers wide.
fn states(corpus: &Corpus) -> TaughtStates {
    let rows = (0..5 * corpus.programs.len()).map(|at| (at as f32 * 0.9).sin()).collect();
    TaughtStates { weight: 0.5, width: 5, rows: Arc::new(rows) }
}

/// Variants that have one more statement, which tells their seed.
fn variants() -> Variants {
    let make = |program: &model::Code, seed: u64| code(format!("int seed{};\n{}", seed % 5, program.text));
    Variants { recipe: "a statement".to_owned(), consistency: 0.0, make: Arc::new(make) }
}

#[test]
fn a_student_learns_what_its_teacher_says_and_not_the_labels() {
    let folder = Folder::new("taught");
    let corpus = corpus(30, 0);
    // The validation has the answers of the teacher as labels.
    let told = |(own, class): &(Vec<usize>, usize)| (own.clone(), (class + 1) % 3);
    let validation = Corpus { examples: corpus.examples.iter().map(told).collect(), ..corpus.clone() };
    let mut plan = plan(classes(1));
    plan.settings.length = Length::Epochs(25);
    plan.settings.learning_rate = 1e-2;
    for loss in [SoftLoss::Divergence, SoftLoss::CrossEntropy] {
        let own = Teaching { loss, ..teaching(&corpus) };
        let plan = TrainingPlan { teaching: Some(own), ..plan.clone() };
        let trained = run(&plan, &corpus, Some(&validation), &folder.path(loss.name())).0.unwrap();
        // One in three is right by chance, and none by the labels.
        assert!(trained.best.unwrap().score.accuracy > 0.7, "{loss:?}: {trained:?}");
    }
    // Labels that count enough win.
    let own = Teaching { label_weight: 0.97, ..teaching(&corpus) };
    let plan = TrainingPlan { teaching: Some(own), ..plan };
    let trained = run(&plan, &corpus, Some(&corpus), &folder.path("labels")).0.unwrap();
    assert!(trained.best.unwrap().score.accuracy > 0.7, "{trained:?}");
}

#[test]
fn a_taught_student_resumes_to_the_same_bits() {
    let folder = Folder::new("taught-resumed");
    for (name, programs, corpus) in [("one", 1, corpus(24, 0)), ("pairs", 2, pairs(24, 0))] {
        let sets = (0..3_u8)
            .map(|set| TaughtSet { seed: set.into(), answers: contrary(&corpus, 0.5 + 0.1 * f32::from(set)) })
            .collect();
        let own = Teaching {
            of_variants: Some(TaughtVariants { weight: 0.7, sets: Arc::new(sets) }),
            label_weight: 0.2,
            states: Some(states(&corpus)),
            ..teaching(&corpus)
        };
        let variants = Variants { consistency: 0.3, ..variants() };
        let plan = TrainingPlan { variants: Some(variants), teaching: Some(own.clone()), ..plan(classes(programs)) };
        let whole = folder.path(&format!("{name}-whole"));
        run(&plan, &corpus, None, &whole).0.unwrap();
        let pieces = folder.path(&format!("{name}-pieces"));
        let in_pieces = TrainingPlan { stop_after: Some(Duration::ZERO), ..plan.clone() };
        let stopped = run(&in_pieces, &corpus, None, &pieces).0;
        assert!(matches!(stopped, Err(TrainingError::Stopped { step: 1, .. })), "{stopped:?}");
        // Other answers of the teacher are other data.
        let other = Teaching { answers: Arc::new(contrary(&corpus, 0.8)), ..own };
        let refused = run(&TrainingPlan { teaching: Some(other), ..plan.clone() }, &corpus, None, &pieces).0;
        assert!(matches!(refused, Err(TrainingError::Differs(_))), "{refused:?}");
        run(&plan, &corpus, None, &pieces).0.unwrap();
        let read = |folder: &std::path::Path| std::fs::read(folder.join("model.safetensors")).unwrap();
        assert!(read(&whole) == read(&pieces), "{name}");
    }
}

#[test]
fn a_set_of_variants_has_one_form_of_every_program() {
    let make = variants().make;
    let program = code("int x;".to_owned());
    assert_eq!(make(&program, seed_of_variant(3, 7)), make(&program, seed_of_variant(3, 7)));
    assert_ne!(seed_of_variant(3, 7), seed_of_variant(3, 8));
    assert_ne!(seed_of_variant(3, 7), seed_of_variant(4, 7));
}

#[test]
fn what_teaches_nothing_is_refused() {
    let folder = Folder::new("taught-mistakes");
    let corpus = corpus(9, 0);
    let good = teaching(&corpus);
    let of_variants = Some(TaughtVariants {
        weight: 1.0,
        sets: Arc::new(vec![TaughtSet { seed: 0, answers: contrary(&corpus, 0.9) }]),
    });
    for (teaching, words) in [
        (Teaching { temperature: 0.0, ..good.clone() }, "temperature"),
        (Teaching { label_weight: 1.5, ..good.clone() }, "labels count"),
        (Teaching { answers: Arc::new(vec![vec![0.5, 0.5]]), ..good.clone() }, "1 answers about 9 examples"),
        (Teaching { answers: Arc::new(vec![vec![0.5, 0.5]; 9]), ..good.clone() }, "2 shares"),
        (
            Teaching { states: Some(TaughtStates { width: 4, ..states(&corpus) }), ..good.clone() },
            "45 numbers of states",
        ),
        (
            Teaching { states: Some(TaughtStates { weight: 0.0, ..states(&corpus) }), ..good.clone() },
            "the states count",
        ),
        (Teaching { of_variants, ..good }, "need variants"),
    ] {
        let plan = TrainingPlan { teaching: Some(teaching), ..plan(classes(1)) };
        let problem = run(&plan, &corpus, None, &folder.path("out")).0.unwrap_err().to_string();
        assert!(problem.contains(words), "{problem}");
        assert!(!folder.path("out").exists());
    }
}
