//! What a retraining is to do.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use training::train::paths::NewPathModel;
use training::train::sequences::NewSequenceModel;
use training::train::{Base, Device, Length, TrainingSettings};

use crate::plan::{DataPlan, Plan, PlanError, read};
use crate::train::encoder::{EncoderKind, EncoderPlan};
use crate::train::paths::{NamesModel, NamesPlan};
use crate::train::variants::VariantsPlan;

/// A retraining. In a file it is written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct RetrainPlan {
    /// The model that is retrained, the attacks on it and on every retrained model, and the targets, which are of the test set.
    pub attack: Plan,
    /// The training set.
    pub data: DataPlan,
    /// What chooses the weights while a model learns; without it the last ones are kept. Weights that are best on clean programs need not be those
    /// that are hardest to break.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<DataPlan>,
    /// The test set that accuracies are measured on; by default that of the targets, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<DataPlan>,
    /// How many examples of the training set are attacked for examples to learn from.
    pub attacked: usize,
    /// Are those examples taken from one half of the test set instead, and everything measured on the other half?
    pub halves: bool,
    /// How every model is retrained.
    pub training: RetrainSettings,
    /// The retrainings that are compared.
    #[serde(rename = "arm")]
    pub arms: Vec<Arm>,
    /// Rewritten test sets that accuracies are measured on as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<Rewritten>,
}

impl Default for RetrainPlan {
    fn default() -> RetrainPlan {
        RetrainPlan {
            attack: Plan::default(),
            data: DataPlan::default(),
            validation: None,
            test: None,
            attacked: 1000,
            halves: false,
            training: RetrainSettings::default(),
            arms: Vec::new(),
            rewritten: Vec::new(),
        }
    }
}

/// How a model is retrained: the same for every arm, so that only what they learn from differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct RetrainSettings {
    /// The checkpoint that a retraining begins with, as hf:DIR; by default the model that is retrained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub seed: u64,
    /// How long it is, in steps or in epochs. With epochs, a larger training set takes more steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_every: Option<u64>,
    /// Does it learn on a GPU?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cuda: bool,
    /// Are the weights written with 16 bits?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub half: bool,
    /// The sizes of a model of names, which learns from the start: give those of the model that is retrained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_paths: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_names: Option<usize>,
}

/// How an arm learns.
pub(super) enum Training {
    Encoder(EncoderPlan),
    Names(NamesPlan),
}

/// One way to retrain the model. Without examples and variants it is the control: the same training on the training set alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Arm {
    /// What tables and folders call it.
    pub name: String,
    /// Attacks whose successes, with the labels of their originals, are learned from as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Folders of runs of `attack` on other inputs than those of the test set, whose successes are learned from as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<PathBuf>,
    /// How many adversarial examples there are for each original one: they are repeated or left out. By default each is there once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Do adversarial examples take the places of their originals?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
    /// Variants that are learned from beside their originals, drawn anew in each epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<VariantsPlan>,
}

/// A test set whose programs are rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rewritten {
    /// What tables call it.
    pub name: String,
    #[serde(default)]
    pub variants: VariantsPlan,
}

/// What tables and folders call the model before it is retrained.
pub const ORIGINAL: &str = "original";

impl RetrainPlan {
    /// Reads a plan from a file.
    pub fn read(path: &Path) -> Result<RetrainPlan, PlanError> {
        read(path)
    }

    /// Checks everything that can be checked before anything is read.
    pub fn check(&self) -> Result<(), PlanError> {
        let unfit = |problem: String| Err(PlanError::Unfit(problem));
        if self.attack.repeat > 1 || !self.attack.sweep.is_empty() {
            return unfit(
                "the tables of a retraining have one row for an attack: leave out repeat and sweep, and try seeds and values with `attack`".to_owned(),
            );
        }
        Plan { train: Some(self.references()), ..self.attack.clone() }.resolve()?;
        if self.is_of_names() {
            self.check_names()?;
        } else if !self.attack.model.starts_with("hf:") {
            return unfit(format!(
                "`{}` cannot be retrained: only encoders, hf:DIR, and models of names, code2vec:DIR and code2seq:DIR, can",
                self.attack.model
            ));
        } else if self.attack.measure.is_some() {
            return unfit(
                "encoders are retrained on classes, and a plan with a measure is about something else".to_owned(),
            );
        } else if self.training.has_sizes() {
            return unfit("width, vector and max-… are sizes of models of names: leave them out".to_owned());
        }
        if self.arms.is_empty() {
            return unfit("there is nothing to compare: the plan needs at least one [[arm]]".to_owned());
        }
        let mut names = HashSet::from([ORIGINAL]);
        for arm in &self.arms {
            let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
            if arm.name.is_empty() || arm.name.starts_with('.') || !arm.name.chars().all(is_plain) {
                return unfit(format!("`{}` cannot be the name of an arm: use letters, digits, - and _", arm.name));
            }
            if !names.insert(arm.name.as_str()) {
                return unfit(format!("two models would be called `{}`: give each arm another name", arm.name));
            }
            if let Some(ratio) = arm.ratio.filter(|ratio| !(*ratio > 0.0 && *ratio <= 1000.0)) {
                return unfit(format!("the ratio of `{}` is {ratio}, but must be above 0 and at most 1000", arm.name));
            }
            if arm.examples.is_empty() && arm.runs.is_empty() && (arm.ratio.is_some() || arm.replace) {
                return unfit(format!("`{}` has no examples that could be repeated or take places", arm.name));
            }
            if let Some(variants) = &arm.variants {
                variants.maker([])?;
            }
            for attack in &arm.examples {
                self.attack_alone(attack, &self.attack.model, DataPlan::default()).resolve()?;
            }
        }
        let mut names = HashSet::new();
        for set in &self.rewritten {
            if set.name.is_empty() || !names.insert(&set.name) {
                return unfit(format!("two rewritten test sets are called `{}`", set.name));
            }
            set.variants.maker([])?;
        }
        if self.training.steps.is_some() && self.training.epochs.is_some() {
            return unfit("a training has a number of steps or of epochs: give one of them".to_owned());
        }
        Ok(())
    }

    /// Does the model name methods?
    pub(super) fn is_of_names(&self) -> bool {
        ["code2vec:", "code2seq:"].iter().any(|kind| self.attack.model.starts_with(kind))
    }

    fn check_names(&self) -> Result<(), PlanError> {
        let unfit = |problem: &str| Err(PlanError::Unfit(problem.to_owned()));
        if self.training.from.is_some() {
            return unfit("models of names learn from the start: leave out from");
        }
        if self.arms.iter().any(|arm| arm.variants.is_some()) {
            return unfit(
                "variants are drawn while an encoder learns: models of names learn from the examples of attacks",
            );
        }
        let sequences = self.attack.model.starts_with("code2seq:");
        if sequences && self.training.max_paths.is_some() || !sequences && self.training.max_nodes.is_some() {
            return unfit("code2vec has max-paths, and code2seq max-nodes");
        }
        Ok(())
    }

    /// The test set that accuracies are measured on.
    pub(super) fn test(&self) -> DataPlan {
        let all = DataPlan { sample: None, limit: None, longest: None, ..self.attack.data.clone() };
        self.test.clone().unwrap_or(all)
    }

    /// The training set that attacks learn from.
    fn references(&self) -> DataPlan {
        self.attack.train.clone().unwrap_or_else(|| self.data.clone())
    }

    /// The plan of one attack on one model.
    pub(super) fn attack_alone(&self, attack: &str, model: &str, data: DataPlan) -> Plan {
        let mut parameters = self.attack.parameters.clone();
        parameters.retain(|name, _| name == attack);
        Plan {
            model: model.to_owned(),
            attacks: vec![attack.to_owned()],
            train: Some(self.references()),
            data,
            parameters,
            ..self.attack.clone()
        }
    }

    /// The training of an arm on a training set.
    pub(super) fn training(&self, arm: &Arm, data: DataPlan) -> Training {
        let own = &self.training;
        let device = if own.cuda { Device::Cuda } else { Device::Cpu };
        let validation = self.validation.clone();
        if self.is_of_names() {
            let plan = NamesPlan::new(data, own.names_model(self.attack.model.starts_with("code2seq:")));
            let settings = own.settings(plan.settings);
            return Training::Names(NamesPlan { validation, held_out: 0.0, settings, device, ..plan });
        }
        let place = own.from.clone().unwrap_or_else(|| {
            // Where the model computes is no part of its checkpoint.
            self.attack.model.split('?').next().unwrap_or_default().to_owned()
        });
        let settings = own.settings(TrainingSettings { learning_rate: 1e-4, ..TrainingSettings::default() });
        let base = Base::From { place, limit: None };
        let variants = arm.variants.clone();
        let plan = EncoderPlan::new(EncoderKind::Classes, vec![data], base);
        Training::Encoder(EncoderPlan { validation, held_out: 0.0, settings, device, variants, ..plan })
    }
}

impl RetrainSettings {
    fn has_sizes(&self) -> bool {
        [self.width, self.vector, self.max_words, self.max_paths, self.max_nodes, self.max_names]
            .iter()
            .any(Option::is_some)
    }

    /// What the plan says, and for the rest what is usual.
    fn settings(&self, usual: TrainingSettings) -> TrainingSettings {
        let length = self.steps.map(Length::Steps).or(self.epochs.map(Length::Epochs)).unwrap_or(Length::Epochs(3));
        let dropout = |usual| self.dropout.unwrap_or(usual);
        TrainingSettings {
            seed: self.seed,
            length,
            learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
            warm_up: self.warm_up.unwrap_or(usual.warm_up),
            batch_tokens: self.batch_tokens.unwrap_or(usual.batch_tokens),
            dropout: dropout(usual.dropout),
            attention_dropout: dropout(usual.dropout),
            head_dropout: dropout(usual.dropout),
            evaluate_every: self.evaluate_every,
            half: self.half,
            ..usual
        }
    }

    /// A new model of names.
    fn names_model(&self, is_of_sequences: bool) -> NamesModel {
        if is_of_sequences {
            let usual = NewSequenceModel::default();
            return NamesModel::Code2Seq(NewSequenceModel {
                width: self.width.unwrap_or(usual.width),
                vector: self.vector.unwrap_or(usual.vector),
                words: self.max_words.unwrap_or(usual.words),
                nodes: self.max_nodes.unwrap_or(usual.nodes),
                targets: self.max_names.unwrap_or(usual.targets),
                ..usual
            });
        }
        let usual = NewPathModel::default();
        NamesModel::Code2Vec(NewPathModel {
            width: self.width.unwrap_or(usual.width),
            vector: self.vector.unwrap_or(usual.vector),
            words: self.max_words.unwrap_or(usual.words),
            paths: self.max_paths.unwrap_or(usual.paths),
            names: self.max_names.unwrap_or(usual.names),
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "
attacked = 20
[attack]
model = 'hf:victim'
attacks = ['random-k']
parameters.random-k.rewrites = 3
[attack.data]
path = 'test.jsonl'
sample = 5
[data]
path = 'train.jsonl'
[validation]
path = 'valid.jsonl'
";

    fn problem(more: &str) -> Option<String> {
        let plan: RetrainPlan = toml::from_str(&format!("{PLAN}{more}")).unwrap();
        plan.check().err().map(|error| error.to_string())
    }

    #[test]
    fn a_plan_says_what_it_means_or_is_refused() {
        assert_eq!(
            problem("[[arm]]\nname = 'again'\n[[arm]]\nname = 'old'\nexamples = ['random-k', 'random-once']"),
            None
        );
        let wrong = [
            ("", "at least one [[arm]]"),
            ("[[arm]]\nname = 'a'\n[attack.sweep.random-k]\nrewrites = [1, 2]", "repeat and sweep"),
            ("[[arm]]\nname = 'a/b'", "a/b"),
            ("[[arm]]\nname = 'original'", "called `original`"),
            ("[[arm]]\nname = 'a'\nreplace = true", "no examples"),
            ("[[arm]]\nname = 'a'\nexamples = ['random-l']", "did you mean"),
            ("[[arm]]\nname = 'a'\nexamples = ['random-k']\nratio = -1.0", "above 0"),
            ("[[arm]]\nname = 'a'\nvariants.transform = 'renam-local'", "rename-local"),
            ("[[arm]]\nname = 'a'\n[training]\nsteps = 3\nepochs = 3", "give one"),
        ];
        for (more, word) in wrong {
            let problem = problem(more).unwrap();
            assert!(problem.contains(word), "{more}: {problem}");
        }
    }

    #[test]
    fn the_whole_test_set_is_measured() {
        let plan: RetrainPlan = toml::from_str(PLAN).unwrap();
        assert_eq!((plan.test().sample, plan.attack.data.sample), (None, Some(5)));
        let alone = plan.attack_alone("random-once", "hf:other", DataPlan::default());
        assert_eq!((alone.parameters.len(), alone.train.unwrap().path), (0, "train.jsonl".into()));
    }
}
