//! The folder of a checkpoint: its configuration combined with its settings.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use syntax::file::{LARGEST_TEXT, read_up_to};

use super::hub::{Hub, HubName};
use super::settings::CheckpointSettings;
use crate::OpenError;
use crate::identity::Fingerprint;
use crate::mutation::{Change, Layout, Level};
use crate::weights::Weights;

/// A folder with a checkpoint.
#[derive(Clone)]
pub struct Checkpoint {
    pub(crate) folder: PathBuf,
    /// What `allotrope.toml` says.
    pub settings: CheckpointSettings,
    /// What `config.json` says.
    pub config: Config,
    /// Where the user wants it computed.
    pub place_of_work: PlaceOfWork,
    /// How the model differs from its files.
    pub(crate) change: Change,
    settings_file: Option<PathBuf>,
    /// The commit that a name of the hub was pinned to.
    commit: Option<String>,
}

/// Where a model is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceOfWork {
    /// On the processor, by our own kernels.
    Cpu,
    /// On the first NVIDIA GPU.
    Cuda,
}

/// What stands after `hf:`, taken apart.
struct Name {
    folder: PathBuf,
    settings: Option<PathBuf>,
    place_of_work: PlaceOfWork,
    change: Change,
}

/// Files beside `config.json` that decide answers where they are there: limits, special tokens, how texts are searched for.
pub(super) const SMALL_FILES: [&str; 4] =
    ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "generation_config.json"];

/// What `config.json` says, with the settings' changes.
#[derive(Clone)]
pub struct Config {
    values: Map<String, Value>,
    place: String,
}

impl Checkpoint {
    /// Reads what stands after `hf:`, a folder or the name of a model of the hub, perhaps with options: `?settings=FILE&device=cuda`, or those
    /// of [`Change`].
    pub fn find(place: &str) -> Result<Checkpoint, OpenError> {
        let Name { mut folder, settings: named, place_of_work, change } = Name::read(place)?;
        let mut commit = None;
        if !folder.is_dir() {
            let Some(name) = folder.to_str().and_then(HubName::read) else {
                return Err(OpenError::Missing(format!(
                    "{} is not a folder, and not OWNER/NAME, a model of the Hugging Face hub",
                    folder.display()
                )));
            };
            let settings = named.as_deref().map(CheckpointSettings::read).transpose()?;
            let found = Hub::from_environment()?.find(&name, settings.as_ref())?;
            (folder, commit) = (found.folder, Some(found.commit));
        }
        let beside = folder.join("allotrope.toml");
        let settings_file = named.or_else(|| beside.exists().then_some(beside));
        let settings = settings_file.as_deref().map(CheckpointSettings::read).transpose()?.unwrap_or_default();
        Ok(Checkpoint { place_of_work, change, commit, ..Checkpoint::of(folder, settings, settings_file)? })
    }

    /// The checkpoint in a folder, with settings that were read already, on the processor.
    pub fn of(
        folder: PathBuf,
        settings: CheckpointSettings,
        settings_file: Option<PathBuf>,
    ) -> Result<Checkpoint, OpenError> {
        let file = folder.join("config.json");
        let mut values = match (file.exists(), settings.config.is_empty()) {
            (true, _) => read_object(&file)?,
            (false, false) => Map::new(),
            (false, true) => {
                return Err(OpenError::Missing(format!(
                    "{} has no config.json; its settings may stand under [config] in allotrope.toml",
                    folder.display()
                )));
            }
        };
        values.extend(settings.config.clone());
        let config = Config { values, place: file.display().to_string() };
        let (place_of_work, change) = (PlaceOfWork::Cpu, Change::default());
        Ok(Checkpoint { folder, settings, config, place_of_work, change, settings_file, commit: None })
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What stands after `hf:`, with the commit that a name of the hub was pinned to.
    pub(crate) fn pinned(&self, place: &str) -> String {
        let Some(commit) = &self.commit else { return place.to_owned() };
        let (name, options) = place.find('?').map_or((place, ""), |at| place.split_at(at));
        let repository = name.split('@').next().unwrap_or(name);
        format!("{repository}@{commit}{options}")
    }

    /// The weights, changed where the name of the model says so.
    pub fn weights(&self) -> Result<Weights, OpenError> {
        let files = Weights::files(&self.folder, self.settings.weights.as_deref())?;
        Weights::read(&files, Layout::Transformers, &self.change)
    }

    /// What stands before the names of the encoder's arrays.
    pub fn encoder_prefix(&self, weights: &Weights) -> Result<String, OpenError> {
        if let Some(prefix) = &self.settings.prefix {
            return Ok(prefix.clone());
        }
        let problem = || weights.unusable("there are no word embeddings: is it another kind of model?".to_owned());
        weights.prefix_of("embeddings.word_embeddings.weight").ok_or_else(problem)
    }

    /// A digest of everything that decides the model's answers. `device` names what computes them, where it is not our own kernels.
    pub(crate) fn digest(&self, tokenizer_files: &[PathBuf], device: Option<&str>) -> Result<String, OpenError> {
        let weights = Weights::files(&self.folder, self.settings.weights.as_deref())?;
        let mut fingerprint = Fingerprint::default();
        if let Some(device) = device {
            fingerprint.add("device", device);
        }
        if !self.change.is_none() {
            fingerprint.add("change", self.change.words());
        }
        self.add_to(&mut fingerprint)?;
        for file in weights.iter().chain(tokenizer_files) {
            fingerprint.add_file(file)?;
        }
        Ok(fingerprint.finish())
    }

    /// Takes in what decides answers besides weights and vocabulary.
    pub(crate) fn add_to(&self, fingerprint: &mut Fingerprint) -> Result<(), OpenError> {
        for name in self.config.values.keys() {
            fingerprint.add(name, self.config.values[name].to_string());
        }
        if let Some(file) = &self.settings_file {
            fingerprint.add_file(file)?;
        }
        for file in SMALL_FILES.map(|name| self.folder.join(name)).iter().filter(|file| file.exists()) {
            fingerprint.add_file(file)?;
        }
        Ok(())
    }
}

impl Name {
    fn read(place: &str) -> Result<Name, OpenError> {
        let (folder, options) = place.split_once('?').unwrap_or((place, ""));
        let (place_of_work, change) = (PlaceOfWork::Cpu, Change::default());
        let mut name = Name { folder: PathBuf::from(folder), settings: None, place_of_work, change };
        let mut changes = Vec::new();
        let unusable = |problem: String| OpenError::Unusable { place: format!("hf:{place}"), problem };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("settings", file)) => name.settings = Some(PathBuf::from(file)),
                Some(("device", "cpu")) => name.place_of_work = PlaceOfWork::Cpu,
                Some(("device", "cuda")) => name.place_of_work = PlaceOfWork::Cuda,
                Some((key, value)) if Change::OPTIONS.contains(&key) => changes.push((key, value)),
                _ => {
                    return Err(unusable(format!(
                        "unknown option `{option}`: use settings=FILE, device=cpu, device=cuda, weights=f16, weights=int8, or \
                         mutate=OPERATOR with ratio, sigma, digits and mutant-seed"
                    )));
                }
            }
        }
        name.change = Change::read(&changes).map_err(unusable)?;
        name.change.check_levels(&[Level::Weight, Level::Neuron]).map_err(unusable)?;
        Ok(name)
    }
}

impl Config {
    /// A whole number that must be there.
    pub fn number(&self, key: &str) -> Result<usize, OpenError> {
        let value = self.values.get(key).ok_or_else(|| self.unusable(format!("there is no `{key}`")))?;
        value.as_u64().map(|number| number as usize).ok_or_else(|| self.wrong(key, "a whole number"))
    }

    /// A whole number.
    pub fn number_or(&self, key: &str, otherwise: usize) -> Result<usize, OpenError> {
        match self.get(key) {
            Some(_) => self.number(key),
            None => Ok(otherwise),
        }
    }

    /// A number.
    pub fn fraction_or(&self, key: &str, otherwise: f32) -> Result<f32, OpenError> {
        match self.get(key) {
            Some(value) => value.as_f64().map(|number| number as f32).ok_or_else(|| self.wrong(key, "a number")),
            None => Ok(otherwise),
        }
    }

    /// A text.
    pub fn text_or(&self, key: &str, otherwise: &str) -> Result<String, OpenError> {
        match self.get(key) {
            Some(value) => value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, "a text")),
            None => Ok(otherwise.to_owned()),
        }
    }

    /// What stands under a key, unless it is null.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }

    /// Yes or no.
    pub fn flag_or(&self, key: &str, otherwise: bool) -> Result<bool, OpenError> {
        match self.get(key) {
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(key, "true or false")),
            None => Ok(otherwise),
        }
    }

    /// The names of the classes in `id2label`, unless they are the defaults of the transformers library.
    pub fn labels(&self) -> Option<Vec<String>> {
        let names = self.get("id2label")?.as_object()?;
        let name = |class: usize| Some(names.get(&class.to_string())?.as_str()?.to_owned());
        let labels: Vec<String> = (0..names.len()).map(name).collect::<Option<_>>()?;
        let is_made_up = |(class, label): (usize, &String)| *label == format!("LABEL_{class}");
        (!labels.iter().enumerate().all(is_made_up)).then_some(labels)
    }

    /// All keys with their values.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// The file that it comes from.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The class of the transformers library that the checkpoint was saved from.
    pub fn architecture(&self) -> &str {
        self.get("architectures").and_then(|list| list.get(0)?.as_str()).unwrap_or_default()
    }

    /// What is said when something is wrong with the configuration.
    pub fn unusable(&self, problem: String) -> OpenError {
        OpenError::Unusable { place: self.place.clone(), problem }
    }

    fn wrong(&self, key: &str, wanted: &str) -> OpenError {
        self.unusable(format!("`{key}` is {}, not {wanted}", self.values[key]))
    }
}

/// Reads a file with one JSON object.
pub fn read_object(path: &Path) -> Result<Map<String, Value>, OpenError> {
    let bytes =
        read_up_to(path, LARGEST_TEXT).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes)
        .map_err(|error| OpenError::Unusable { place: path.display().to_string(), problem: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_the_names_that_somebody_gave_them() {
        let labels = |names: serde_json::Value| {
            let values = Map::from_iter([("id2label".to_owned(), names)]);
            Config { values, place: String::new() }.labels()
        };
        let named = labels(serde_json::json!({"1": "vulnerable", "0": "safe"}));
        assert_eq!(named, Some(vec!["safe".to_owned(), "vulnerable".to_owned()]));
        assert_eq!(labels(serde_json::json!({"0": "LABEL_0", "1": "LABEL_1"})), None);
        assert_eq!(labels(serde_json::json!({"0": "safe", "2": "odd"})), None);
        assert_eq!(labels(serde_json::json!(["safe"])), None);
    }

    #[test]
    fn a_name_has_options() {
        let name = |settings: Option<&str>, place_of_work| (settings.map(PathBuf::from), place_of_work);
        for (text, expected) in [
            ("a/b", name(None, PlaceOfWork::Cpu)),
            ("a/b?", name(None, PlaceOfWork::Cpu)),
            ("a/b?settings=c.toml", name(Some("c.toml"), PlaceOfWork::Cpu)),
            ("a/b?device=cpu", name(None, PlaceOfWork::Cpu)),
            ("a/b?device=cuda", name(None, PlaceOfWork::Cuda)),
            ("a/b?settings=c=d.toml&device=cuda", name(Some("c=d.toml"), PlaceOfWork::Cuda)),
            ("a/b?device=cuda&settings=c.toml", name(Some("c.toml"), PlaceOfWork::Cuda)),
        ] {
            let found = Name::read(text).unwrap();
            assert_eq!(found.folder, PathBuf::from("a/b"), "{text}");
            assert!(found.change.is_none(), "{text}");
            assert_eq!((found.settings, found.place_of_work), expected, "{text}");
        }
    }

    #[test]
    fn a_name_says_how_the_model_differs_from_its_files() {
        let name = Name::read("a?weights=int8&mutate=neuron-switch&settings=b&mutant-seed=4").unwrap();
        let mutation = name.change.mutation.unwrap();
        assert_eq!((mutation.operator.name.as_str(), mutation.seed), ("neuron-switch", 4));
        for (text, words) in [("a?mutate=state-clear", "recurrent"), ("a?weights=f8", "f16 or int8")] {
            let problem = Name::read(text).err().unwrap().to_string();
            assert!(problem.starts_with(&format!("hf:{text}: ")) && problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn an_unknown_option_is_an_error_that_names_it() {
        for (text, option) in
            [("a?setings=b", "setings=b"), ("a?device=tpu", "device=tpu"), ("a?device=cuda&fast", "fast")]
        {
            let problem = Name::read(text).err().unwrap().to_string();
            assert!(problem.contains(&format!("`{option}`")) && problem.contains("device=cuda"), "{problem}");
        }
    }
}
