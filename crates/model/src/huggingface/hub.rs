//! Checkpoints of the Hugging Face hub: `owner/name`, or with a branch, a tag or a commit, `owner/name@v1.0`.
//!
//! The cache has the layout of the library `huggingface_hub`, so that each finds what the other has brought. What is in the cache is used
//! without asking the hub, so the first use of a name pins it to a commit, and a run that is resumed has the model it began with. A snapshot
//! counts as complete when it has a configuration, weights and a vocabulary; they come last, so that an interrupted download is not
//! taken for a whole one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::http::{HeaderMap, Response, Uri};

use super::checkpoint::{Checkpoint, SMALL_FILES};
use super::settings::CheckpointSettings;
use super::tokens::Vocabulary;
use crate::OpenError;
use crate::endpoint::client::{connections, message};
use crate::endpoint::secrets::public_url;
use crate::weights::{LARGEST_WEIGHTS, Weights};

/// The public hub, where HF_ENDPOINT names no other.
const ENDPOINT: &str = "https://huggingface.co";

/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a download is taken up again without any progress in between.
const ATTEMPTS: u32 = 3;

/// The longest list of files that is read.
const LARGEST_LIST: u64 = 64 << 20;

/// A model of the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HubName {
    /// Owner and name with a slash between them.
    repository: String,
    revision: String,
}

/// The files of a model at a commit.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub folder: PathBuf,
    pub commit: String,
}

/// A hub with its cache on this machine. It has no `Debug`, because it knows a token.
pub(crate) struct Hub {
    cache: PathBuf,
    endpoint: String,
    is_offline: bool,
    token: Option<String>,
}

/// Why the hub has not given something.
enum Problem {
    /// Nothing was heard from it.
    Unreachable(String),
    /// It has answered with a status that says no.
    Refused {
        status: u16,
        said: String,
    },
    /// What it said is not right.
    Wrong(String),
    Disk {
        path: PathBuf,
        source: io::Error,
    },
}

/// What is known about a file before it is downloaded.
struct About {
    /// The name of its contents: for large files, their SHA-256.
    etag: String,
    size: Option<u64>,
}

impl HubName {
    /// Reads a name, if it can be one.
    pub fn read(text: &str) -> Option<HubName> {
        let (repository, revision) = text.split_once('@').unwrap_or((text, "main"));
        let (owner, name) = repository.split_once('/')?;
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let is_word = |word: &str| !word.is_empty() && word.chars().all(is_letter);
        let is_part = |part: &str| {
            let joined = part.contains("--") || part.contains("..");
            is_word(part) && part.len() <= 96 && !joined && !part.starts_with(['-', '.']) && !part.ends_with(['-', '.'])
        };
        let is_revision = revision.len() <= 200
            && revision.split('/').all(|part| is_word(part) && !part.contains("..") && !part.starts_with(['-', '.']));
        let named = HubName { repository: repository.to_owned(), revision: revision.to_owned() };
        (is_part(owner) && is_part(name) && is_revision).then_some(named)
    }
}

impl Hub {
    /// What the environment variables of `huggingface_hub` say.
    pub fn from_environment() -> Result<Hub, OpenError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let homes = [
            ("HF_HOME", ""),
            ("XDG_CACHE_HOME", "huggingface"),
            ("HOME", ".cache/huggingface"),
            ("USERPROFILE", ".cache/huggingface"),
        ];
        let home = homes.iter().find_map(|(name, below)| Some(PathBuf::from(variable(name)?).join(below)));
        let cache = variable("HF_HUB_CACHE").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join("hub")));
        let unknown = || {
            OpenError::Missing("no environment variable says where the Hugging Face cache is: set HF_HOME".to_owned())
        };
        let saved = || {
            let path = variable("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join("token")))?;
            fs::read_to_string(path).ok().map(|token| token.trim().to_owned()).filter(|token| !token.is_empty())
        };
        let is_yes = |value: String| ["1", "ON", "YES", "TRUE"].contains(&value.trim().to_ascii_uppercase().as_str());
        Ok(Hub {
            cache: cache.ok_or_else(unknown)?,
            endpoint: variable("HF_ENDPOINT")
                .map_or_else(|| ENDPOINT.to_owned(), |url| url.trim_end_matches('/').to_owned()),
            is_offline: variable("HF_HUB_OFFLINE").is_some_and(is_yes),
            token: variable("HF_TOKEN").map(|token| token.trim().to_owned()).or_else(saved),
        })
    }

    /// The files of a model, out of the cache or from the hub. The settings are those that the user named, if any.
    pub fn find(&self, name: &HubName, settings: Option<&CheckpointSettings>) -> Result<Snapshot, OpenError> {
        let pinned = self.pinned(name);
        if let Some(commit) = &pinned {
            let folder = self.snapshot(name, commit);
            if is_complete(&folder, settings) {
                return Ok(Snapshot { folder, commit: commit.clone() });
            }
        }
        if self.is_offline {
            return Err(self.absent(name, "HF_HUB_OFFLINE is set: unset it"));
        }
        self.download(name, pinned.as_deref(), settings).map_err(|problem| self.explained(name, problem))
    }

    /// The commit that a name was pinned to.
    fn pinned(&self, name: &HubName) -> Option<String> {
        if is_commit(&name.revision) {
            return Some(name.revision.clone());
        }
        let commit = fs::read_to_string(self.reference(name)).ok()?.trim().to_owned();
        is_commit(&commit).then_some(commit)
    }

    fn folder(&self, name: &HubName) -> PathBuf {
        self.cache.join(format!("models--{}", name.repository.replace('/', "--")))
    }

    fn reference(&self, name: &HubName) -> PathBuf {
        self.folder(name).join("refs").join(&name.revision)
    }

    fn snapshot(&self, name: &HubName, commit: &str) -> PathBuf {
        self.folder(name).join("snapshots").join(commit)
    }

    fn download(
        &self,
        name: &HubName,
        pinned: Option<&str>,
        named: Option<&CheckpointSettings>,
    ) -> Result<Snapshot, Problem> {
        let agent: Agent = connections(&self.endpoint)
            .timeout_connect(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .build()
            .into();
        let (commit, files) = self.list(&agent, name, pinned.unwrap_or(&name.revision))?;
        let folder = self.snapshot(name, &commit);
        let has = |file: &str| files.iter().any(|known| known == file);
        let fetch = |file: &str| self.fetch(&agent, name, &commit, file);
        if named.is_none() && has("allotrope.toml") {
            fetch("allotrope.toml")?;
        }
        let settings = settings_of(&folder, named).map_err(|error| Problem::Wrong(error.to_string()))?;
        for file in SMALL_FILES.into_iter().filter(|file| has(file)) {
            fetch(file)?;
        }
        match settings.tokenizer.as_deref() {
            Some(file) => fetch(file)?,
            None if has("tokenizer.json") => fetch("tokenizer.json")?,
            None => ["vocab.json", "merges.txt"].into_iter().filter(|file| has(file)).try_for_each(fetch)?,
        }
        let weights = settings.weights.as_deref().or_else(|| Weights::FILES.into_iter().find(|file| has(file)));
        if let Some(weights) = weights {
            fetch(weights)?;
            if weights.ends_with(".index.json") {
                let parts =
                    Weights::files(&folder, Some(weights)).map_err(|error| Problem::Wrong(error.to_string()))?;
                for part in parts {
                    let part = part.strip_prefix(&folder).unwrap_or(&part);
                    fetch(&part.to_string_lossy())?;
                }
            }
        }
        if has("config.json") {
            fetch("config.json")?;
        }
        if !is_commit(&name.revision) {
            write(&self.reference(name), commit.as_bytes())?;
        }
        Ok(Snapshot { folder, commit })
    }

    /// The commit of a revision, and the files that it has.
    fn list(&self, agent: &Agent, name: &HubName, revision: &str) -> Result<(String, Vec<String>), Problem> {
        let url = format!("{}/api/models/{}/revision/{}", self.endpoint, name.repository, revision.replace('/', "%2F"));
        let (response, _) = self.ask(agent, &url, false, 0)?;
        let text = text_of(response)?;
        let wrong = || Problem::Wrong(format!("{} does not say which files the model has", public_url(&url)));
        let value: Value = serde_json::from_str(&text).map_err(|_| wrong())?;
        let commit = value["sha"].as_str().filter(|commit| is_commit(commit)).ok_or_else(wrong)?;
        let files = value["siblings"].as_array().ok_or_else(wrong)?;
        let files = files.iter().filter_map(|file| Some(file["rfilename"].as_str()?.to_owned())).collect();
        Ok((commit.to_owned(), files))
    }

    /// Brings a file of a commit into the cache, unless it is there.
    fn fetch(&self, agent: &Agent, name: &HubName, commit: &str, file: &str) -> Result<(), Problem> {
        // The name may come from the hub, and must not lead out of the folder.
        let parts: Vec<Component<'_>> = Path::new(file).components().collect();
        if parts.is_empty()
            || parts.iter().any(|part| !matches!(part, Component::Normal(_)))
            || file.contains(['\\', ':'])
        {
            return Err(Problem::Wrong(format!("`{file}` is not the name of a file of a model")));
        }
        let place = self.snapshot(name, commit).join(file);
        if place.exists() {
            return Ok(());
        }
        let url = format!("{}/{}/resolve/{commit}/{}", self.endpoint, name.repository, escaped(file));
        let (_, about) = self.ask(agent, &url, true, 0)?;
        let about = about.ok_or_else(|| Problem::Wrong(format!("there is no ETag of {}", public_url(&url))))?;
        let blob = self.folder(name).join("blobs").join(&about.etag);
        self.complete(agent, &url, &about, &blob)?;
        link(&blob, &place, parts.len())
    }

    /// Downloads the contents of a file, or the rest of them.
    fn complete(&self, agent: &Agent, url: &str, about: &About, blob: &Path) -> Result<(), Problem> {
        if blob.exists() {
            return Ok(());
        }
        let part = blob.with_added_extension("allotrope-part");
        let failed = |source| Problem::Disk { path: part.clone(), source };
        fs::create_dir_all(blob.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&part).map_err(failed)?;
        // Another process may be about to bring the same: the second one waits, and finds what the first has brought.
        file.lock().map_err(failed)?;
        if blob.exists() {
            return Ok(());
        }
        let mut idle = 0;
        loop {
            let begin = file.metadata().map_err(failed)?.len();
            if begin > 0 && about.size == Some(begin) {
                break;
            }
            let progress =
                self.ask(agent, url, false, begin).and_then(|(response, _)| append(response, begin, &mut file, &part));
            let end = file.metadata().map_err(failed)?.len();
            match progress {
                Ok(()) if about.size.is_none_or(|size| end >= size) => break,
                Err(problem @ (Problem::Wrong(_) | Problem::Disk { .. })) => return Err(problem),
                Err(problem @ Problem::Refused { status, .. }) if status < 500 && status != 429 => {
                    // Beyond the end of what it has: its size is not what it said.
                    match status {
                        416 => break,
                        _ => return Err(problem),
                    }
                }
                _ if end > begin => idle = 0,
                result => {
                    idle += 1;
                    if idle == ATTEMPTS {
                        match result {
                            // It has said that this is all.
                            Ok(()) => break,
                            Err(problem) => return Err(problem),
                        }
                    }
                    std::thread::sleep(Duration::from_millis(200) * idle);
                }
            }
        }
        check(about, url, &part)?;
        file.sync_all().map_err(failed)?;
        fs::rename(&part, blob).map_err(failed)
    }

    /// Sends a request, and follows where it is led. The token is for the hub alone, and not for where it keeps large files.
    fn ask(
        &self,
        agent: &Agent,
        url: &str,
        is_head: bool,
        begin: u64,
    ) -> Result<(Response<ureq::Body>, Option<About>), Problem> {
        let mut url = url.to_owned();
        let mut linked = None;
        for _ in 0..8 {
            let mut request = if is_head { agent.head(&url) } else { agent.get(&url) };
            if let Some(token) = self.token.as_ref().filter(|_| origin(&url) == origin(&self.endpoint)) {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if begin > 0 {
                request = request.header("Range", format!("bytes={begin}-"));
            }
            let response = request.call().map_err(|error| Problem::Unreachable(self.hidden(error.to_string())))?;
            let status = response.status().as_u16();
            let headers = response.headers();
            linked = linked.or_else(|| about(headers, "x-linked-etag", "x-linked-size"));
            match status {
                200..=299 => {
                    let own = linked.or_else(|| about(headers, "etag", "content-length"));
                    return Ok((response, own));
                }
                301 | 302 | 303 | 307 | 308 if is_head && linked.is_some() => return Ok((response, linked)),
                301 | 302 | 303 | 307 | 308 => {
                    let location = headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default();
                    url = led(&url, location).ok_or_else(|| {
                        Problem::Wrong(format!(
                            "{} leads to `{}`, which is not followed",
                            public_url(&url),
                            public_url(location)
                        ))
                    })?;
                }
                _ => {
                    let mut said = format!("{} answers {status}", public_url(&url));
                    // An answer to HEAD has nothing to say.
                    if let Some(reason) = text_of(response).ok().filter(|text| !text.is_empty()) {
                        said += &format!(", {}", self.hidden(message(&reason)));
                    }
                    return Err(Problem::Refused { status, said });
                }
            }
        }
        Err(Problem::Wrong(format!("{} leads in circles", public_url(&url))))
    }

    fn hidden(&self, text: String) -> String {
        self.token.as_ref().map_or(text.clone(), |token| text.replace(token, "***"))
    }

    /// The error for a problem, which says what to do.
    fn explained(&self, name: &HubName, problem: Problem) -> OpenError {
        let HubName { repository, revision } = name;
        let place = format!("hf:{repository}@{revision}");
        let endpoint = public_url(&self.endpoint);
        match problem {
            Problem::Unreachable(why) => {
                self.absent(name, &format!("{endpoint} cannot be reached ({why}): try again, where a network is"))
            }
            Problem::Refused { status: 401 | 403 | 404, said } => OpenError::Missing(format!(
                "{place}: there is no folder of this name, and {said}: correct the name or the revision; for a model that is not public, HF_TOKEN \
                 holds a token"
            )),
            Problem::Refused { said, .. } => OpenError::Missing(format!("{place}: {said}: try again later")),
            Problem::Wrong(problem) => OpenError::Unusable { place, problem },
            Problem::Disk { path, source } => {
                OpenError::Missing(format!("{place}: failed to write {}: {source}", path.display()))
            }
        }
    }

    fn absent(&self, name: &HubName, why: &str) -> OpenError {
        let HubName { repository, revision } = name;
        let own = self.folder(name);
        OpenError::Missing(format!(
            "hf:{repository}@{revision}: there is no folder of this name, it is not complete in the cache of Hugging Face, and {why}; or run \
             `hf download {repository} --revision {revision}` where there is a network, and copy its folder to {}",
            own.display()
        ))
    }
}

/// Does a snapshot have what a checkpoint needs?
fn is_complete(folder: &Path, named: Option<&CheckpointSettings>) -> bool {
    let Ok(settings) = settings_of(folder, named) else { return false };
    let weights = settings.weights.clone();
    let Ok(checkpoint) = Checkpoint::of(folder.to_owned(), settings, None) else { return false };
    let files = [Weights::files(folder, weights.as_deref()), Vocabulary::files(&checkpoint)];
    files.iter().all(|files| files.as_ref().is_ok_and(|files| files.iter().all(|file| file.exists())))
}

fn settings_of(folder: &Path, named: Option<&CheckpointSettings>) -> Result<CheckpointSettings, OpenError> {
    let beside = folder.join("allotrope.toml");
    match named {
        Some(settings) => Ok(settings.clone()),
        None if beside.exists() => CheckpointSettings::read(&beside),
        None => Ok(CheckpointSettings::default()),
    }
}

/// Is it the whole name of a commit?
pub(crate) fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn about(headers: &HeaderMap, etag: &str, size: &str) -> Option<About> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let etag = text(etag)?.trim_start_matches("W/").trim_matches('"').to_owned();
    let is_name =
        !etag.is_empty() && etag.len() <= 128 && etag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| About { etag, size: text(size).and_then(|size| size.parse().ok()) })
}

fn text_of(response: Response<ureq::Body>) -> Result<String, Problem> {
    let bytes = response.into_body().into_with_config().limit(LARGEST_LIST).read_to_vec();
    let bytes = bytes.map_err(|error| Problem::Unreachable(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes what comes after the bytes that are there; all of it anew, if the server does not do parts.
fn append(response: Response<ureq::Body>, begin: u64, file: &mut File, path: &Path) -> Result<(), Problem> {
    let failed = |source| Problem::Disk { path: path.to_owned(), source };
    if begin > 0 {
        let range = response.headers().get("content-range").and_then(|range| range.to_str().ok()).unwrap_or_default();
        let continues = response.status() == 206 && range.starts_with(&format!("bytes {begin}-"));
        if !continues {
            file.set_len(0).map_err(failed)?;
        }
    }
    let mut reader = response.into_body().into_with_config().limit(LARGEST_WEIGHTS).reader();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => file.write_all(&buffer[..read]).map_err(failed)?,
            Err(error) => return Err(Problem::Unreachable(error.to_string())),
        }
    }
}

/// Is it all of the file, and the right one? What is not is removed, so that the next try begins anew.
fn check(about: &About, url: &str, part: &Path) -> Result<(), Problem> {
    let failed = |source| Problem::Disk { path: part.to_owned(), source };
    let refuse = |problem: String| {
        fs::remove_file(part).map_err(failed)?;
        Err(Problem::Wrong(format!("{} {problem}: it was removed, try again", public_url(url))))
    };
    let size = fs::metadata(part).map_err(failed)?.len();
    if let Some(promised) = about.size.filter(|promised| *promised != size) {
        return refuse(format!("has {size} bytes, and not {promised} as the hub says"));
    }
    if about.etag.len() == 64 {
        let mut digest = Sha256::new();
        io::copy(&mut File::open(part).map_err(failed)?, &mut digest).map_err(failed)?;
        let found: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if found != about.etag {
            return refuse(format!("has the SHA-256 {found}, and not {} as the hub says", about.etag));
        }
    }
    Ok(())
}

/// Gives contents their name in a snapshot.
fn link(blob: &Path, place: &Path, depth: usize) -> Result<(), Problem> {
    let failed = |source| Problem::Disk { path: place.to_owned(), source };
    fs::create_dir_all(place.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    #[cfg(unix)]
    {
        let etag = blob.file_name().unwrap_or_default();
        let target = PathBuf::from("../".repeat(depth + 1)).join("blobs").join(etag);
        // A link that leads nowhere is of a cache that somebody has cleaned.
        let _ = fs::remove_file(place);
        match std::os::unix::fs::symlink(target, place) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
            _ => Ok(()),
        }
    }
    // Links need rights that users of Windows do not have, so that the library does without them there, too.
    #[cfg(not(unix))]
    {
        let _ = depth;
        fs::rename(blob, place).map_err(failed)
    }
}

/// Writes a file, which is complete or absent.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed = |source| Problem::Disk { path: path.to_owned(), source };
    let part = path.with_added_extension(format!("{}.part", std::process::id()));
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    fs::write(&part, bytes).map_err(failed)?;
    fs::rename(&part, path).map_err(failed)
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<(String, String)> {
    let uri: Uri = url.parse().ok()?;
    Some((
        uri.scheme_str()?.to_owned(),
        uri.authority()?.host().to_owned() + ":" + &uri.port_u16().unwrap_or_default().to_string(),
    ))
}

/// The address that a redirection means; none that is less safe.
fn led(url: &str, location: &str) -> Option<String> {
    if location.starts_with('/') && !location.starts_with("//") {
        let uri: Uri = url.parse().ok()?;
        return Some(format!("{}://{}{location}", uri.scheme_str()?, uri.authority()?));
    }
    let is_safe = location.starts_with("https://") || (location.starts_with("http://") && url.starts_with("http://"));
    is_safe.then(|| location.to_owned())
}

fn escaped(file: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    file.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use testbed::hub::{FakeHub, Served, Way};

    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("allotrope-hub-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Scratch(path)
        }

        fn hub(&self, endpoint: &str) -> Hub {
            let token = Some("hf_geheim".to_owned());
            Hub { cache: self.0.clone(), endpoint: endpoint.to_owned(), is_offline: false, token }
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn checkpoint() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two")
    }

    fn sha256(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The files of a small checkpoint, and two that no adapter wants.
    fn files(way_of_weights: Way) -> Vec<Served> {
        let names = [
            "README.md",
            "config.json",
            "merges.txt",
            "pytorch_model.bin",
            "tf_model.h5",
            "tokenizer_config.json",
            "vocab.json",
        ];
        let served = |name: &str| {
            let bytes = fs::read(checkpoint().join(name)).unwrap_or_default();
            let etag = if name == "pytorch_model.bin" { sha256(&bytes) } else { format!("{}a", bytes.len()) };
            let way = if name == "pytorch_model.bin" { way_of_weights } else { Way::Small };
            Served { name: name.to_owned(), bytes, etag, way }
        };
        names.map(served).into_iter().collect()
    }

    fn name(text: &str) -> HubName {
        HubName::read(text).unwrap()
    }

    #[track_caller]
    fn check_refused(hub: &Hub, name_of_model: &str, words: &[&str]) {
        let error = hub.find(&name(name_of_model), None).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "no {word:?} in {error}");
        }
        assert!(!error.contains("geheim"), "{error}");
        let refs = hub.folder(&name(name_of_model)).join("refs/main");
        assert!(!refs.exists(), "{name_of_model} counts as complete");
    }

    #[test]
    fn names_of_the_hub_are_not_paths() {
        let named = |text: &str| HubName::read(text).map(|name| (name.repository, name.revision));
        let some = |repository: &str, revision: &str| Some((repository.to_owned(), revision.to_owned()));
        assert_eq!(named("microsoft/codebert-base"), some("microsoft/codebert-base", "main"));
        assert_eq!(named("a/b.c_d@v1.0"), some("a/b.c_d", "v1.0"));
        assert_eq!(named("a/b@refs/pr/1"), some("a/b", "refs/pr/1"));
        for text in [
            "", "a", "a/", "/a", "a/b/c", "../a", "a/..", "./a", "~/a", "a/b--c", "a/-b", "a/b@", "a/b@../c",
            "a/b@c//d", "a/b@/c", "a/b@-c", "a b/c", "a/b?c", "a\\b/c", "C:/a", "ä/b", "a/b@c@d",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    #[test]
    fn a_model_is_downloaded_once_and_stays_what_it_was() {
        let scratch = Scratch::new("once");
        let server = FakeHub::start("owner/name", COMMIT, files(Way::Large));
        let hub = scratch.hub(&server.url);
        let found = hub.find(&name("owner/name"), None).unwrap();
        assert_eq!(found.commit, COMMIT);
        let mut names: Vec<String> = fs::read_dir(&found.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["config.json", "merges.txt", "pytorch_model.bin", "tokenizer_config.json", "vocab.json"]);
        for name in &names {
            assert_eq!(
                fs::read(found.folder.join(name)).unwrap(),
                fs::read(checkpoint().join(name)).unwrap(),
                "{name}"
            );
        }
        let own = scratch.0.join("models--owner--name");
        assert_eq!(fs::read_to_string(own.join("refs/main")).unwrap(), COMMIT);
        assert!(fs::read_dir(own.join("blobs")).unwrap().all(|blob| blob.unwrap().path().extension().is_none()));
        // The weights broke off in the middle, and the rest was asked for; the other server was not given the token.
        let asked = server.asked();
        let half = fs::metadata(checkpoint().join("pytorch_model.bin")).unwrap().len() / 2;
        assert!(asked.contains(&"GET /cdn/pytorch_model.bin".to_owned()), "{asked:?}");
        assert!(asked.contains(&format!("GET /cdn/pytorch_model.bin bytes={half}-")), "{asked:?}");
        assert!(asked.contains(&"GET /api/models/owner/name/revision/main Bearer hf_geheim".to_owned()), "{asked:?}");
        assert!(!asked.iter().any(|one| one.contains("tf_model") || one.contains("README")));
        // From now on nothing is asked, by whatever name.
        for text in ["owner/name", &format!("owner/name@{COMMIT}")] {
            assert_eq!(hub.find(&name(text), None).unwrap().folder, found.folder);
        }
        let offline = Hub { is_offline: true, ..scratch.hub("http://127.0.0.1:1") };
        let again = offline.find(&name("owner/name"), None).unwrap();
        assert_eq!((server.asked().len(), again.folder), (asked.len(), found.folder.clone()));
        // The model is the one of the folder, with the same digest.
        let opened = |folder: &Path| Checkpoint::of(folder.to_owned(), CheckpointSettings::default(), None).unwrap();
        let digest =
            |checkpoint: Checkpoint| checkpoint.digest(&Vocabulary::files(&checkpoint).unwrap(), None).unwrap();
        assert_eq!(digest(opened(&found.folder)), digest(opened(&checkpoint())));
    }

    #[test]
    fn what_another_program_left_undone_is_completed() {
        let scratch = Scratch::new("undone");
        let server = FakeHub::start("owner/name", COMMIT, files(Way::Small));
        let hub = scratch.hub(&server.url);
        let snapshot = hub.snapshot(&name("owner/name"), COMMIT);
        fs::create_dir_all(&snapshot).unwrap();
        fs::copy(checkpoint().join("config.json"), snapshot.join("config.json")).unwrap();
        write(&hub.reference(&name("owner/name")), COMMIT.as_bytes()).ok().unwrap();
        // A link whose contents are gone.
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../blobs/gone", snapshot.join("vocab.json")).unwrap();
        let found = hub.find(&name("owner/name"), None).unwrap();
        assert!(is_complete(&found.folder, None));
        assert!(server.asked()[0].starts_with(&format!("GET /api/models/owner/name/revision/{COMMIT}")));
        assert!(!server.asked().iter().any(|one| one.contains("/config.json")));
    }

    #[test]
    fn damage_is_noticed_and_says_what_to_do() {
        let scratch = Scratch::new("damage");
        let with = |way: Way, etag: Option<String>| {
            let mut files = files(way);
            if let Some(etag) = etag {
                files.iter_mut().find(|file| file.name == "pytorch_model.bin").unwrap().etag = etag;
            }
            FakeHub::start("owner/name", COMMIT, files)
        };
        let short = with(Way::Short, None);
        check_refused(
            &scratch.hub(&short.url),
            "owner/name",
            &["pytorch_model.bin has 55288 bytes, and not 55298", "try again"],
        );
        let changed = with(Way::Large, Some("0".repeat(64)));
        check_refused(&scratch.hub(&changed.url), "owner/name", &["has the SHA-256", "and not 0000", "it was removed"]);
        let lost = with(Way::Lost, None);
        check_refused(&scratch.hub(&lost.url), "owner/name", &["pytorch_model.bin answers 404: correct the name"]);
        check_refused(
            &scratch.hub(&lost.url),
            "owner/other",
            &["hf:owner/other@main", "answers 404, Repository not found: correct the name", "HF_TOKEN"],
        );
        check_refused(&scratch.hub(&lost.url), "owner/name@v9", &["Invalid rev id", "the revision"]);
        // The tries left nothing that a good hub would not put right.
        let good = with(Way::Large, None);
        assert!(scratch.hub(&good.url).find(&name("owner/name"), None).is_ok());
    }

    #[test]
    fn without_a_network_the_error_says_what_to_do() {
        let scratch = Scratch::new("offline");
        let closed = crate::endpoint::fake_server::closed_url();
        let folder = scratch.0.join("models--owner--name").display().to_string();
        let remedy = "`hf download owner/name --revision main`";
        check_refused(&scratch.hub(&closed), "owner/name", &["cannot be reached", remedy, &folder]);
        let offline = Hub { is_offline: true, ..scratch.hub(&closed) };
        check_refused(&offline, "owner/name", &["HF_HUB_OFFLINE is set", remedy, &folder]);
        assert!(!scratch.0.join("models--owner--name/blobs").exists());
    }

    #[test]
    fn a_hub_cannot_name_files_outside_of_its_folder() {
        for part in ["../../../../stolen.safetensors", "/stolen.safetensors", "..\\stolen"] {
            let scratch = Scratch::new("hostile");
            let index = serde_json::json!({"weight_map": {"a": part}}).to_string();
            let mut files = files(Way::Small);
            files.retain(|file| file.name != "pytorch_model.bin");
            let name_of_index = "model.safetensors.index.json".to_owned();
            files.push(Served {
                name: name_of_index,
                bytes: index.into_bytes(),
                etag: "index".to_owned(),
                way: Way::Small,
            });
            let server = FakeHub::start("owner/name", COMMIT, files);
            check_refused(&scratch.hub(&server.url), "owner/name", &["is not the name of a file of a model"]);
            assert!(!server.asked().iter().any(|one| one.contains("stolen")));
        }
    }

    #[test]
    fn a_token_stays_with_its_hub_and_addresses_do_not_become_less_safe() {
        assert_eq!(led("https://hub/a/b", "/c?d").as_deref(), Some("https://hub/c?d"));
        assert_eq!(led("https://hub/a", "https://cdn/b").as_deref(), Some("https://cdn/b"));
        for location in ["http://cdn/b", "ftp://cdn/b", "//cdn/b", "b", ""] {
            assert_eq!(led("https://hub/a", location), None, "{location}");
        }
        assert_eq!(origin("https://hub:8/a"), origin("https://hub:8/b?c"));
        for other in ["https://hub/a", "http://hub:8/a", "https://hub.example:8/a", "https://hub:8@other/a"] {
            assert_ne!(origin("https://hub:8/a"), origin(other), "{other}");
        }
    }
}
