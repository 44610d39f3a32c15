//! A toy model whose answers are known, and the one place where the tests of attacks touch the interface.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use equivalence::sandbox::Sandbox;
use equivalence::{Judge, Options, Wanted};
use manual::Unit;
use model::{Answer, Code, Fault, Identity, Input, Model, Prediction};
use syntax::Language;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Class, Names};

use crate::attacks::{self, AttackFunction};
use crate::desk::Desk;
use crate::finding::{Finding, Outcome};
use crate::material::Material;
use crate::references::{Encoder, Gathering};
use crate::settings::{AttackSettings, Parts};
use crate::victim::{Surroundings, Target, Truth, attack};

/// Believes in class 1 the more, the more suspicious words a program has: the probability is the logistic function of the sum
/// of their weights, less one. A word counts once.
pub struct Toy {
    identity: Identity,
    /// What the sum of weights is lowered by.
    less: f32,
}

/// The words that the toy knows.
pub const WEIGHTS: [(&str, f32); 8] = [
    ("buffer", 2.0),
    ("total", 1.0),
    ("index", 1.0),
    ("while", 1.5),
    ("size", 0.5),
    ("cursor", -1.0),
    ("result", -0.5),
    ("else", 0.25),
];

impl Toy {
    pub fn new() -> Toy {
        let identity = Identity { kind: "toy".into(), place: String::new(), digest: "toy".into(), varies: false };
        Toy { identity, less: 1.0 }
    }

    /// A toy that is suspicious of more or fewer programs, as a mutant would be.
    pub fn mutant(less: f32) -> Toy {
        Toy { less, ..Toy::new() }
    }
}

impl Model for Toy {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        inputs
            .iter()
            .map(|input| Ok(Answer { prediction: Prediction::Classes(probabilities(input, self.less)), tokens: None }))
            .collect()
    }
}

fn probabilities(input: &Input, less: f32) -> Vec<f32> {
    let programs = input.programs();
    let text: Vec<&str> = programs.iter().map(|code| code.text.as_str()).collect();
    let text = text.join(" ");
    let mut words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    words.sort_unstable();
    words.dedup();
    let weight = |word: &&str| WEIGHTS.iter().find(|(known, _)| known == word).map_or(0.0, |(_, weight)| *weight);
    let sum: f32 = words.iter().map(weight).sum::<f32>() - less;
    let suspicious = 1.0 / (1.0 + (-sum).exp());
    vec![1.0 - suspicious, suspicious]
}

/// Believes in class 1 as a rule says about the text of a program.
pub struct Rule {
    identity: Identity,
    belief: fn(&str) -> f32,
}

impl Rule {
    pub(crate) fn of(belief: fn(&str) -> f32) -> Rule {
        Rule { identity: Toy::new().identity, belief }
    }
}

impl Model for Rule {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answer = |input: &Input| {
            let belief = (self.belief)(&input.programs()[0].text);
            Ok(Answer { prediction: Prediction::Classes(vec![1.0 - belief, belief]), tokens: None })
        };
        inputs.iter().map(answer).collect()
    }
}

/// Answers as a rule says about the text of a program.
pub struct Answers {
    identity: Identity,
    answer: fn(&str) -> Prediction,
}

impl Answers {
    pub(crate) fn of(answer: fn(&str) -> Prediction) -> Answers {
        Answers { identity: Toy::new().identity, answer }
    }
}

impl Model for Answers {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answer = |input: &Input| Ok(Answer { prediction: (self.answer)(&input.programs()[0].text), tokens: None });
        inputs.iter().map(answer).collect()
    }
}

/// Describes a program by its first words.
pub(crate) fn caption(text: &str) -> Prediction {
    Prediction::Text(words_of(text).into_iter().take(12).collect::<Vec<_>>().join(" "))
}

/// The words of a program.
pub(crate) fn words_of(text: &str) -> Vec<&str> {
    let is_in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_in_word(letter)).filter(|word| !word.is_empty()).collect()
}

/// A target in C of class 1, with lists of names for its names.
pub fn target(text: &str, lists: &[(&str, &[&str])]) -> Target {
    Target {
        id: "target".to_owned(),
        input: Input::Code(Code { language: Language::C, text: text.to_owned() }),
        truth: Truth::Class(1),
        substitutes: vec![lists.iter().map(|(name, list)| ((*name).to_owned(), words(list))).collect()],
        cases: Vec::new(),
    }
}

/// Settings for tests: names change to the words of a short list.
pub fn settings() -> AttackSettings {
    let reference = words(&["cursor", "result", "item"]);
    let names = Names::new("reference", NamesMaterial { reference, ..NamesMaterial::default() }).unwrap();
    AttackSettings {
        seed: 7,
        budget: 500,
        time: None,
        selections: select("all,-layout", &names).unwrap(),
        parts: Parts::Both,
        max_names: None,
        max_tokens: None,
        most_names: None,
        most_tokens: None,
        goal: None,
        rewrites_all: false,
        exhausts_budget: false,
        shrinks: false,
        wanted: Wanted { scope: true, compile: false, run: false },
        confirmations: 0,
        parameters: BTreeMap::new(),
    }
}

/// Attacks the toy with a program that it takes for suspicious.
pub fn attack_toy(
    name: &str,
    language: Language,
    text: &str,
    settings: &AttackSettings,
    material: &Material,
) -> Finding {
    let code = Code { language, text: text.to_owned() };
    let input = Input::Code(code);
    let class = usize::from(probabilities(&input, 1.0)[1] > 0.5);
    let substitutes = [("buffer".to_owned(), words(&["data", "cursor"])), ("total".to_owned(), words(&["sum"]))];
    let target = Target {
        id: "toy".to_owned(),
        input,
        truth: Truth::Class(class),
        substitutes: vec![substitutes.into()],
        cases: Vec::new(),
    };
    attack_with(&Toy::new(), name, &target, settings, material)
}

/// Attacks a model.
pub fn attack_with(
    model: &dyn Model,
    name: &str,
    target: &Target,
    settings: &AttackSettings,
    material: &Material,
) -> Finding {
    let unit = attacks::find(name).unwrap_or_else(|| panic!("there is no attack {name}"));
    let judge = Judge::new(Sandbox::none(), Options::default());
    let stop = AtomicBool::new(false);
    let desk = Desk::new(model, 64, None);
    std::thread::scope(|scope| {
        scope.spawn(|| desk.serve());
        let finding = attack(unit, target, &desk, Surroundings { settings, material, judge: &judge, stop: &stop });
        desk.close();
        finding.expect("nobody stops it")
    })
}

/// What the attacks of the tests know.
pub fn material() -> Material {
    let calm = [
        "int f(int cursor) { return cursor; }",
        "int f(int buffered, int item) { return buffered + item; }",
        "int f(int totals, int item) { for (; item;) { item--; } return totals; }",
    ];
    let suspicious = ["int f(int buffer) { return buffer; }", "int f(int total, int index) { return total + index; }"];
    let example = |text: &str, class| (Input::Code(Code { language: Language::C, text: text.to_owned() }), class);
    let calm = calm.iter().map(|text| example(text, 0));
    let training: Vec<(Input, usize)> = calm.chain(suspicious.iter().map(|text| example(text, 1))).collect();
    let how = Gathering { encoder: Encoder::Victim, most: 100, seed: 7, batch: 64, cache: None, goal: None };
    let (gathered, _) = Material::gather(&Toy::new(), &training, &how);
    let mutants = [0.2, 0.7, 1.3, 1.8, 2.4].map(|less| Box::new(Toy::mutant(less)) as Box<dyn Model>);
    let vocabulary = words(&["cursor", "result", "item", "buffer", "node"]);
    Material { vocabulary, mutants: mutants.into(), ..gathered }
}

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Keeps the promises of a header: the attack finds exactly this, or nothing.
#[track_caller]
pub(crate) fn check_header(unit: &Unit<AttackFunction>) {
    let name = unit.name();
    let sees = unit.fact("sees").unwrap_or_else(|| panic!("{name}: write `sees: …` into the header"));
    assert!(["label", "probabilities", "gradients"].contains(&sees), "{name}: unknown sees {sees}");
    assert!(unit.fact("paper").is_some(), "{name}: write `paper: …` into the header");
    for (key, _) in unit.facts() {
        assert!(["sees", "queries", "paper", "parameters", "needs"].contains(&key), "{name}: unknown fact {key}");
    }
    let examples = unit.examples();
    assert!(examples.iter().any(|example| example.after.is_some()), "{name} shows no before and after");
    assert!(examples.iter().any(|example| example.after.is_none()), "{name} never says what it leaves alone");
    for example in examples {
        let language: Language = example.tag.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        // Renames alone make headers that people can follow.
        let mut settings = settings();
        let is_needed = |class: Class| class == Class::Naming || name.starts_with("carrot-s");
        settings.selections.retain(|selection| is_needed(selection.transformation.class));
        let finding = attack_toy(&name, language, &example.before, &settings, &material());
        let found = finding.example.map(|example| example.program(0).text().to_owned());
        assert_eq!(found.as_deref(), example.after.as_deref(), "{name}: {:?} {:?}", finding.outcome, finding.reason);
        assert_eq!(found.is_some(), finding.outcome == Outcome::Success);
        let most = crate::attacks::find(&name).and_then(|attack| attack.most_queries).unwrap_or(settings.budget);
        assert!(finding.queries <= most, "{name} needs {} queries, and promises {most}", finding.queries);
    }
}
