//! Language models behind an OpenAI-compatible endpoint: `openai:NAME@URL`.
//!
//! NAME is what the server calls the model, URL its base, such as `http://localhost:8000/v1`. The prompt is the template of
//! a task, and the answer must be what the template asks for: a label, a name or a text, alone or as `{"answer": …}`.
//! Everything else is a fault.
//!
//! Settings are parameters of the URL (`openai:llama@http://localhost:8000/v1?task=clone&repeats=5`), or are in a TOML file
//! under the same names (`?settings=FILE`). Other parameters are sent to the server.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `task` | | vulnerability, defect, clone, authorship, functionality, method-name, captioning, documentation or code-search |
//! | `template` | | a file with your own template, see below |
//! | `labels` | the template's | the word for each class, in order; `?labels=no,yes`, or a list in a file |
//! | `mode` | `chat` | `chat` for `/chat/completions`, `completions` for `/completions` |
//! | `temperature` | 0 | the sampling temperature |
//! | `repeats` | 1 | how often each query is repeated; the answer is the mean of the probabilities, or the most frequent text |
//! | `seed` | | the seed that is sent to the server, incremented for each repeat |
//! | `max_tokens` | the template's | the maximum length of an answer; 0 leaves it to the server |
//! | `top_logprobs` | 20; 5 for completions | how many alternatives to each token are requested; some servers require 0 |
//! | `key_variable` | `OPENAI_API_KEY` | the environment variable that holds the key |
//! | `body` | | only in a file: a table of further fields for every request |
//! | `timeout`, `concurrency`, `retries`, `wait`, `longest_wait`, `bytes` | 60, 4, 4, 0.5, 30, 16777216 | as for `http:` |
//!
//! The key in `OPENAI_API_KEY` is sent to servers over TLS and on this machine only; to send a key elsewhere, name its
//! variable.
//!
//! If the server returns the probabilities of tokens, those of the labels are computed from them and normalised. If it does
//! not, or the answer is an object, the label of the answer has probability 1, or its frequency over the repeats. An answer
//! is a fault if half of its repeats or more cannot be read.
//!
//! A template is a TOML file:
//!
//! ```toml
//! input = "code"           # or "pair", or "code and text"
//! answer = "label"         # or "name", or "text"
//! labels = ["no", "yes"]   # only for "label"
//! max_tokens = 16
//! system = "You answer with one word: {labels}."
//! user = "Is this {language} code safe?\n\n{code}"
//! ```
//!
//! The placeholders are `{code}`, or `{code1}` and `{code2}` of a pair, `{text}`, `{language}` and `{labels}`.
//!
//! A request of `chat` is `{"model": NAME, "messages": [{"role": "system", "content": …}, {"role": "user", "content": …}], "max_tokens": 16, …}`
//! to `/chat/completions`, and of the answer `choices[0].message.content` and `choices[0].logprobs` are read. A complete server, for
//! `--model 'openai:toy@http://127.0.0.1:8000/v1?task=defect'`:
//!
//! ```python
//! import json
//! from http.server import BaseHTTPRequestHandler
//! from socketserver import ThreadingTCPServer
//!
//! def answer(messages):
//!     return "yes" if "strcpy" in messages[-1]["content"] else "no"
//!
//! class Handler(BaseHTTPRequestHandler):
//!     def do_POST(self):
//!         request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
//!         message = {"role": "assistant", "content": answer(request["messages"])}
//!         choice = {"index": 0, "message": message, "finish_reason": "stop"}
//!         body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
//!         self.send_response(200)
//!         self.send_header("Content-Type", "application/json")
//!         self.send_header("Content-Length", str(len(body)))
//!         self.end_headers()
//!         self.wfile.write(body)
//!
//! ThreadingTCPServer(("127.0.0.1", 8000), Handler).serve_forever()
//! ```

mod answer;
mod template;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Kind;
use crate::endpoint::client::{Client, is_loopback, key_from};
use crate::endpoint::limits::Failure;
use crate::endpoint::parallel::in_parallel;
use crate::endpoint::secrets::public_url;
use crate::endpoint::settings::{split_url, typed, unusable};
use crate::identity::Fingerprint;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction};
use answer::Said;
use template::{Form, Template};

/// The variable that holds the key, unless another is named.
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The names of the settings.
const NAMES: [&str; 11] = [
    "task",
    "template",
    "labels",
    "mode",
    "temperature",
    "repeats",
    "seed",
    "max_tokens",
    "top_logprobs",
    "key_variable",
    "body",
];

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "openai",
    place: "NAME@URL",
    about: "a language model behind an OpenAI-compatible endpoint",
    is_outside: true,
    label: |place| place.split('@').next().unwrap_or(place),
    levels: &[],
    open,
};

/// Opens the model of a name behind a URL.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    // A name may hold an @ of its own, but no URL.
    let border = place.find("@http://").or_else(|| place.find("@https://")).filter(|border| *border > 0);
    let Some(border) = border else {
        return Err(unusable(
            &public_url(place),
            "write openai:NAME@URL, such as openai:llama@http://localhost:8000/v1",
        ));
    };
    let (name, url) = (&place[..border], &place[border + 1..]);
    let shown = format!("{name}@{}", public_url(url));
    let (url, table) = split_url(url, &NAMES, &shown)?;
    let (settings, limits): (OpenaiSettings, _) = typed(table, &shown)?;
    if !(0.0..=100.0).contains(&settings.temperature) {
        return Err(unusable(&shown, "`temperature` must be a number from 0 to 100"));
    }
    if !(1..=10_000).contains(&settings.repeats) {
        return Err(unusable(&shown, "`repeats` must be a number from 1 to 10000"));
    }
    let template =
        Template::find(settings.task.as_deref(), settings.template.as_deref(), settings.labels.clone(), &shown)?;
    let url = with_endpoint(&url, settings.mode);
    let key = match settings.key_variable.as_deref() {
        None if url.starts_with("https://") || is_loopback(&url) => key_from(Some(KEY_VARIABLE)).unwrap_or(None),
        named => key_from(named)?,
    };
    let common = common_body(name, &settings, &template);
    let mut fingerprint = Fingerprint::default();
    fingerprint.add("url", public_url(&url));
    fingerprint.add("template", format!("{template:?}"));
    fingerprint.add("body", Value::Object(common.clone()).to_string());
    fingerprint.add("repeats", settings.repeats.to_string());
    fingerprint.add("seed", format!("{:?}", settings.seed));
    let identity = Identity { kind: "openai".to_owned(), place: shown, digest: fingerprint.finish(), varies: true };
    let client = Client::new(&url, key, limits)?;
    Ok(Box::new(OpenAi { identity, client, template, settings, common }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OpenaiSettings {
    task: Option<String>,
    template: Option<String>,
    labels: Option<Vec<String>>,
    mode: Mode,
    temperature: f64,
    repeats: usize,
    seed: Option<i64>,
    max_tokens: Option<u32>,
    top_logprobs: Option<u32>,
    key_variable: Option<String>,
    body: toml::Table,
}

impl Default for OpenaiSettings {
    fn default() -> OpenaiSettings {
        OpenaiSettings {
            task: None,
            template: None,
            labels: None,
            mode: Mode::Chat,
            temperature: 0.0,
            repeats: 1,
            seed: None,
            max_tokens: None,
            top_logprobs: None,
            key_variable: None,
            body: toml::Table::new(),
        }
    }
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Chat,
    Completions,
}

struct OpenAi {
    identity: Identity,
    client: Client,
    template: Template,
    settings: OpenaiSettings,
    /// What every request holds.
    common: Map<String, Value>,
}

impl Model for OpenAi {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn labels(&self) -> Option<&[String]> {
        Some(&self.template.labels).filter(|labels| !labels.is_empty()).map(Vec::as_slice)
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let repeats = self.settings.repeats;
        let questions: Vec<(&Input, usize)> =
            inputs.iter().flat_map(|input| (0..repeats).map(move |repeat| (input, repeat))).collect();
        let opinions =
            in_parallel(&questions, self.client.limits.concurrency, |(input, repeat)| self.ask(input, *repeat));
        let prediction = |opinions: &[Result<Opinion, Fault>]| combined(opinions, &self.template.labels);
        opinions.chunks(repeats).map(|some| Ok(Answer { prediction: prediction(some)?, tokens: None })).collect()
    }
}

/// What one answer of the model means.
#[derive(Clone)]
enum Opinion {
    Classes(Vec<f64>),
    Name(String, f64),
    Text(String),
}

impl OpenAi {
    /// Asks one query once.
    fn ask(&self, input: &Input, repeat: usize) -> Result<Opinion, Fault> {
        let (system, user) = self.template.fill(input)?;
        let mut body = self.common.clone();
        match self.settings.mode {
            Mode::Chat => {
                let message = |role: &str, content: String| json!({ "role": role, "content": content });
                let system = (!system.is_empty()).then(|| message("system", system));
                let messages: Vec<Value> = system.into_iter().chain([message("user", user)]).collect();
                body.insert("messages".to_owned(), json!(messages));
            }
            Mode::Completions => {
                body.insert("prompt".to_owned(), json!(format!("{system}\n\n{user}\n\nAnswer:").trim_start()));
            }
        }
        if let Some(seed) = self.settings.seed {
            let own = i64::try_from(repeat).unwrap_or(i64::MAX);
            body.insert("seed".to_owned(), json!(seed.wrapping_add(own)));
        }
        let limits = &self.client.limits;
        let reply = self.client.post(&Value::Object(body), limits.retries).map_err(|Failure { fault, .. }| fault)?;
        if reply.holds_odd_numbers {
            return Err(Fault::NotFinite);
        }
        self.opinion(&answer::said(&reply.value)?)
    }

    fn opinion(&self, said: &Said) -> Result<Opinion, Fault> {
        match self.template.answer {
            Form::Text => answer::text(&said.text).map(Opinion::Text),
            Form::Name => {
                let name = answer::name(&said.text)?;
                let certainty = answer::name_probability(&said.tokens, &name).unwrap_or(1.0);
                Ok(Opinion::Name(name, certainty))
            }
            Form::Label => {
                let labels = &self.template.labels;
                let class = answer::label(&said.text, labels)?;
                let only = || (0..labels.len()).map(|other| if other == class { 1.0 } else { 0.0 }).collect();
                Ok(Opinion::Classes(answer::label_probabilities(&said.tokens, labels).unwrap_or_else(only)))
            }
        }
    }
}

/// What the answers to the same query say together.
fn combined(opinions: &[Result<Opinion, Fault>], labels: &[String]) -> Result<Prediction, Fault> {
    let readable: Vec<&Opinion> = opinions.iter().flatten().collect();
    if let Some(Err(fault)) = opinions.iter().find(|opinion| opinion.is_err())
        && readable.len() * 2 <= opinions.len()
    {
        return Err(fault.clone());
    }
    let share = 1.0 / readable.len() as f64;
    let mut classes = vec![0.0; labels.len()];
    // Names or texts, each with its certainty, in the order in which they came first.
    let mut words: Vec<(String, f64)> = Vec::new();
    for opinion in &readable {
        let (word, certainty) = match opinion {
            Opinion::Classes(probabilities) => {
                classes.iter_mut().zip(probabilities).for_each(|(sum, one)| *sum += one * share);
                continue;
            }
            Opinion::Name(word, certainty) => (word, *certainty),
            Opinion::Text(word) => (word, 1.0),
        };
        match words.iter_mut().find(|(known, _)| known == word) {
            Some((_, sum)) => *sum += certainty * share,
            None => words.push((word.clone(), certainty * share)),
        }
    }
    // The order is stable, so that the first of several equal ones stays the first.
    words.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(match readable.first() {
        Some(Opinion::Text(_)) => Prediction::Text(words.swap_remove(0).0),
        Some(Opinion::Name(..)) => {
            Prediction::Names(words.into_iter().map(|(name, certainty)| (name, certainty as f32)).collect())
        }
        _ => Prediction::Classes(classes.into_iter().map(|probability| probability as f32).collect()),
    })
}

/// The base of the server with the endpoint of the mode, before the parameters.
fn with_endpoint(url: &str, mode: Mode) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
    let endpoint = match mode {
        Mode::Chat => "/chat/completions",
        Mode::Completions => "/completions",
    };
    let address = address.trim_end_matches('/');
    let address = if address.ends_with(endpoint) { address.to_owned() } else { format!("{address}{endpoint}") };
    parameters.map_or(address.clone(), |parameters| format!("{address}?{parameters}"))
}

/// What every request to the model holds.
fn common_body(name: &str, settings: &OpenaiSettings, template: &Template) -> Map<String, Value> {
    let mut body = Map::new();
    let mut add = |name: &str, value: Value| body.insert(name.to_owned(), value);
    add("model", json!(name));
    add("temperature", json!(settings.temperature));
    add("stream", json!(false));
    let max_tokens = settings.max_tokens.unwrap_or(template.max_tokens);
    if max_tokens > 0 {
        add("max_tokens", json!(max_tokens));
    }
    // OpenAI's own server gives no more than these.
    let most = if settings.mode == Mode::Chat { 20 } else { 5 };
    let top = settings.top_logprobs.unwrap_or(if template.answer == Form::Text { 0 } else { most });
    if top > 0 {
        match settings.mode {
            Mode::Chat => {
                add("logprobs", json!(true));
                add("top_logprobs", json!(top));
            }
            Mode::Completions => {
                add("logprobs", json!(top));
            }
        }
    }
    for (name, value) in &settings.body {
        // Every value of TOML is one of JSON; a date is the object that serde makes of it.
        add(name, serde_json::to_value(value).unwrap_or(Value::Null));
    }
    body
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::endpoint::fake_server::{FakeServer, Reply, Request, closed_url, program};
    use crate::{Code, Noise, open};

    const QUICK: &str = "timeout=0.4&wait=0.01&retries=2&longest_wait=0.3";

    fn model_at(server: &FakeServer, parameters: &str) -> Box<dyn Model> {
        open(&format!("openai:tiny@{}/v1?{QUICK}&{parameters}", server.url)).expect("a model")
    }

    fn chat(text: &str) -> Reply {
        Reply::Json(json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": text } }] }))
    }

    /// What a model makes of an answer, and the requests that it took.
    fn ask(
        parameters: &str,
        script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
    ) -> (Result<Prediction, Fault>, Vec<Request>) {
        let server = FakeServer::start(script);
        let answer = model_at(&server, parameters).predict(&[program("int x;")]).remove(0);
        (answer.map(|answer| answer.prediction), server.requests())
    }

    #[test]
    fn a_chat_is_asked_as_the_servers_expect() {
        let (answer, requests) = ask("task=vulnerability&seed=7", |_, _| chat("Yes."));
        assert_eq!(answer, Ok(Prediction::Classes(vec![0.0, 1.0])));
        let Request { path, body, .. } = &requests[0];
        assert_eq!(path, "/v1/chat/completions");
        assert_eq!(body["model"], "tiny");
        assert_eq!(body["messages"][0]["role"], "system");
        assert!(body["messages"][1]["content"].as_str().expect("text").contains("```c\nint x;\n```"));
        assert_eq!(body["temperature"], 0.0);
        assert_eq!((&body["logprobs"], &body["top_logprobs"]), (&json!(true), &json!(20)));
        assert_eq!((&body["max_tokens"], &body["seed"], &body["stream"]), (&json!(16), &json!(7), &json!(false)));
    }

    #[test]
    fn a_completion_is_asked_as_the_servers_expect() {
        let completion = |_: usize, _: &Request| Reply::Json(json!({ "choices": [{ "text": " no\n" }] }));
        let (answer, requests) = ask("task=defect&mode=completions&temperature=0.5&api-version=2", completion);
        assert_eq!(answer, Ok(Prediction::Classes(vec![1.0, 0.0])));
        let Request { path, body, .. } = &requests[0];
        assert_eq!(path, "/v1/completions?api-version=2");
        let prompt = body["prompt"].as_str().expect("text");
        assert!(prompt.starts_with("You review") && prompt.ends_with("\n\nAnswer:"), "{prompt}");
        assert_eq!((&body["logprobs"], &body["temperature"], body.get("seed")), (&json!(5), &json!(0.5), None));
    }

    #[test]
    fn log_probabilities_become_those_of_the_labels() {
        let chat = json!({ "choices": [{ "message": { "content": "yes" }, "logprobs": { "content": [
            // Like llama.cpp: more alternatives than asked for, and more entries than tokens.
            { "token": "yes", "logprob": 0.75f64.ln(), "top_logprobs": [
                { "token": "yes", "logprob": 0.75f64.ln() },
                { "token": "no", "logprob": 0.15f64.ln() },
                { "token": "maybe", "logprob": 0.1f64.ln() }
            ] },
            { "token": "", "logprob": 0.0, "top_logprobs": [] },
            { "token": "no", "logprob": 0.0, "top_logprobs": [] }
        ] } }] });
        let legacy = json!({ "choices": [{ "text": "yes", "logprobs": {
            "tokens": ["yes"], "token_logprobs": [0.75f64.ln()], "top_logprobs": [{ "no": 0.15f64.ln() }]
        } }] });
        for (mode, reply) in [("chat", chat), ("completions", legacy)] {
            let (answer, _) = ask(&format!("task=defect&mode={mode}"), move |_, _| Reply::Json(reply.clone()));
            let Ok(Prediction::Classes(found)) = answer else { panic!("{answer:?}") };
            assert!((found[0] - 0.15 / 0.9).abs() < 1e-6 && (found[1] - 0.75 / 0.9).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn every_form_of_answer_is_read() {
        let (answer, _) = ask("task=method-name", |_, _| chat("`getName`"));
        assert_eq!(answer, Ok(Prediction::Names(vec![("getName".to_owned(), 1.0)])));
        let (answer, requests) = ask("task=captioning", |_, _| chat(" Adds two numbers. "));
        assert_eq!(answer, Ok(Prediction::Text("Adds two numbers.".to_owned())));
        assert_eq!(requests[0].body.get("logprobs"), None);
        let (answer, _) = ask("task=authorship&labels=ada,grace", |_, _| chat("{\"answer\": \"Grace\"}"));
        assert_eq!(answer, Ok(Prediction::Classes(vec![0.0, 1.0])));
        let (answer, requests) = ask("task=clone", |_, _| chat("yes"));
        assert_eq!(answer, Err(Fault::WrongInput { wanted: "a pair of programs", given: "one program" }));
        assert!(requests.is_empty());
    }

    #[test]
    fn pairs_and_texts_are_asked_about() {
        let server = FakeServer::start(|_, _| chat("yes"));
        let code = |text: &str| Code { language: syntax::Language::Java, text: text.to_owned() };
        let pair = Input::Pair(code("a();"), code("b();"));
        assert!(model_at(&server, "task=clone").predict(&[pair])[0].is_ok());
        let query = Input::CodeAndText(code("c();"), "how to c".to_owned());
        assert!(model_at(&server, "task=code-search").predict(&[query])[0].is_ok());
        let asked: Vec<String> =
            server.requests().iter().map(|request| request.body["messages"][1].to_string()).collect();
        assert!(asked[0].contains("a();") && asked[0].contains("b();"), "{asked:?}");
        assert!(asked[1].contains("c();") && asked[1].contains("how to c"), "{asked:?}");
    }

    #[test]
    fn repeats_give_frequencies() {
        let words = ["yes", "no", "yes", "yes", "rubbish"];
        let (answer, requests) =
            ask("task=defect&repeats=5&concurrency=1&seed=3", move |number, _| chat(words[number]));
        assert_eq!(answer, Ok(Prediction::Classes(vec![0.25, 0.75])));
        let seeds: Vec<i64> = requests.iter().filter_map(|request| request.body["seed"].as_i64()).collect();
        assert_eq!(seeds, [3, 4, 5, 6, 7]);
        let (answer, _) = ask("task=defect&repeats=2&concurrency=1", move |number, _| chat(words[number + 3]));
        assert!(matches!(answer, Err(Fault::WrongShape(_))), "{answer:?}");
        let names = ["b", "a", "a", "c"];
        let (answer, _) = ask("task=method-name&repeats=4&concurrency=1", move |number, _| chat(names[number]));
        let found = [("a", 0.5), ("b", 0.25), ("c", 0.25)].map(|(name, certainty)| (name.to_owned(), certainty));
        assert_eq!(answer, Ok(Prediction::Names(found.to_vec())));
        let (answer, _) = ask("task=captioning&repeats=3&concurrency=1", move |number, _| chat(names[number]));
        assert_eq!(answer, Ok(Prediction::Text("a".to_owned())));
    }

    #[test]
    fn the_baseline_counts_inputs_whose_answer_changes() {
        let server = FakeServer::start(|number, request| {
            let question = request.body["messages"][1]["content"].as_str().unwrap_or_default().to_owned();
            match question {
                _ if question.contains("moody") => chat(if number < 4 { "yes" } else { "no" }),
                _ if question.contains("broken") => chat("rubbish"),
                _ => chat("yes"),
            }
        });
        let model = model_at(&server, "task=defect&concurrency=2");
        let noise = Noise::measure(&*model, &["steady", "moody", "broken", "calm"].map(program), 2);
        assert_eq!(noise, Noise { asked: 3, changed: 1, failed: 1 });
        assert_eq!(server.requests().len(), 8);
    }

    #[test]
    fn faults_have_their_outcomes() {
        let late = ask("task=defect&retries=1", |_, _| Reply::Stall(String::new()));
        assert_eq!((late.0, late.1.len()), (Err(Fault::Late(Duration::from_millis(400))), 2));
        for text in ["", "<html>bad gateway</html>", "{\"choices\":[{\"mess"] {
            let (answer, requests) = ask("task=defect", move |_, _| Reply::Status(200, "", text.to_owned()));
            assert!(matches!(answer, Err(Fault::Garbage(_))), "{answer:?}");
            assert_eq!(requests.len(), 1);
        }
        for body in [
            json!({}),
            json!({ "choices": [] }),
            json!({ "choices": [{ "message": {} }] }),
            json!({ "choices": [{ "text": "maybe" }] }),
        ] {
            let (answer, requests) = ask("task=defect", move |_, _| Reply::Json(body.clone()));
            assert!(matches!(answer, Err(Fault::WrongShape(_))), "{answer:?}");
            assert_eq!(requests.len(), 1);
        }
        let odd = "{\"choices\":[{\"text\":\"yes\",\"logprobs\":{\"content\":[{\"token\":\"yes\",\"logprob\":NaN}]}}]}";
        assert_eq!(ask("task=defect", move |_, _| Reply::Status(200, "", odd.to_owned())).0, Err(Fault::NotFinite));
        let zero = odd.replace("NaN", "-Infinity");
        let (answer, _) = ask("task=defect", move |_, _| Reply::Status(200, "", zero.clone()));
        assert_eq!(answer, Ok(Prediction::Classes(vec![0.0, 1.0])));
        let (answer, requests) =
            ask("task=defect", |_, _| Reply::Raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_owned()));
        assert!(matches!(answer, Err(Fault::Disconnected(_))), "{answer:?}");
        assert_eq!(requests.len(), 3);
        let overloaded = r#"{"error":{"message":"slow down"}}"#;
        let (answer, requests) = ask("task=defect", move |number, _| match number {
            0 => Reply::Status(429, "Retry-After: 0\r\n", overloaded.to_owned()),
            1 => Reply::Status(500, "", String::new()),
            _ => chat("no"),
        });
        assert_eq!((answer, requests.len()), (Ok(Prediction::Classes(vec![1.0, 0.0])), 3));
        let (answer, requests) = ask("task=defect&bytes=500", |_, _| chat(&"x".repeat(10_000)));
        assert!(matches!(answer, Err(Fault::Garbage(_))), "{answer:?}");
        assert_eq!(requests.len(), 1);
        let model = open(&format!("openai:tiny@{}/v1?task=defect&retries=0", closed_url())).expect("a model");
        assert!(matches!(model.predict(&[program("a")])[0], Err(Fault::Disconnected(_))));
    }

    #[test]
    fn one_failing_input_leaves_the_others() {
        let server = FakeServer::start(|_, request| {
            let is_odd = request.body.to_string().contains("odd");
            if is_odd { Reply::Status(400, "", "context too long".to_owned()) } else { chat("no") }
        });
        let answers = model_at(&server, "task=defect").predict(&["a", "odd", "b"].map(program));
        assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(server.requests().len(), 3);
    }

    #[test]
    fn the_key_reaches_the_server_and_nothing_else() {
        // Tests cannot set variables safely, so one that cargo sets serves as the key.
        let key = env!("CARGO_MANIFEST_DIR");
        let server = FakeServer::start(|number, request| {
            let heard = request.header("authorization").unwrap_or("nothing").to_owned();
            if number == 0 { Reply::Status(401, "", format!("wrong key: {heard}")) } else { chat(&heard) }
        });
        let host = server.url.strip_prefix("http://").expect("a URL");
        let name = format!(
            "openai:tiny@http://me:geheim@{host}/v1?task=captioning&key_variable=CARGO_MANIFEST_DIR&token=verborgen"
        );
        let model = open(&name).expect("a model");
        let answers = [model.predict(&[program("a")]), model.predict(&[program("a")])].concat();
        assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
        assert_eq!(server.requests()[0].path, "/v1/chat/completions?token=verborgen");
        let refused = answers[0].as_ref().expect_err("refused");
        assert_eq!(refused.to_string(), "the server answered with status 401: wrong key: Bearer ***");
        assert_eq!(
            model.identity().place,
            format!("tiny@http://{host}/v1?task=captioning&key_variable=CARGO_MANIFEST_DIR&token=***")
        );
        let shown = format!("{answers:?} {:?}", model.identity());
        for secret in [key, "geheim", "verborgen"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn settings_decide_the_identity() {
        let digest = |parameters: &str| {
            let model = open(&format!("openai:tiny@http://localhost/v1?task=defect&{parameters}")).expect("a model");
            assert!(model.identity().varies);
            model.identity().digest.clone()
        };
        let plain = digest("");
        assert_eq!(plain, digest("timeout=5&retries=1"));
        for other in ["temperature=1", "repeats=2", "labels=a,b", "mode=completions", "max_tokens=5", "seed=1"] {
            assert_ne!(plain, digest(other), "{other}");
        }
    }

    #[test]
    fn a_file_may_add_to_the_body() {
        let path = std::env::temp_dir().join(format!("allotrope-openai-{}.toml", std::process::id()));
        std::fs::write(
            &path,
            "task = \"defect\"\n[body]\nmin_p = 0.5\nchat_template_kwargs = { enable_thinking = false }\n",
        )
        .expect("written");
        let (answer, requests) = ask(&format!("settings={}", path.display()), |_, _| chat("no"));
        std::fs::remove_file(&path).expect("removed");
        assert!(answer.is_ok());
        assert_eq!(requests[0].body["min_p"], 0.5);
        assert_eq!(requests[0].body["chat_template_kwargs"], json!({ "enable_thinking": false }));
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        for (place, words) in [
            ("gpt", "write openai:NAME@URL"),
            ("@http://localhost/v1", "write openai:NAME@URL"),
            ("gpt@http://me:geheim@host/v1", "Add `?task=TASK`"),
            ("gpt@http://host/v1?task=clone&temperature=-1", "`temperature` must be a number"),
            ("gpt@http://host/v1?task=clone&repeats=0", "`repeats` must be a number"),
            ("gpt@http://host/v1?task=clone&mode=talk", "talk"),
            ("gpt@http://host/v1?task=clone&key_variable=ALLOTROPE_NO_SUCH_VARIABLE", "is not set"),
            ("gpt@http://host/v1?tasks=clone", "did you mean `task`?"),
        ] {
            let error = open(&format!("openai:{place}")).err().expect("an error").to_string();
            assert!(error.contains(words), "{error}");
            assert!(!error.contains("geheim"), "{error}");
        }
    }

    #[test]
    fn addresses_are_completed() {
        for (url, full) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/?a=b", "http://h/v1/chat/completions?a=b"),
            ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ] {
            assert_eq!(with_endpoint(url, Mode::Chat), full);
        }
        assert_eq!(with_endpoint("http://h/v1", Mode::Completions), "http://h/v1/completions");
    }
}
