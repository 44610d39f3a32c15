//! Models behind a URL that implement the protocol below: `http:URL`.
//!
//! Every request is a POST of JSON with at most `batch` inputs, each of the form
//!
//! ```json
//! {"inputs": [
//!   {"code": "int f(void) { return 1; }", "language": "c"},
//!   {"code1": "a = 1", "code2": "b = 1", "language": "python", "language2": "python"},
//!   {"code": "def f(): pass", "text": "does nothing", "language": "python"}
//! ]}
//! ```
//!
//! and the response has one prediction for each input, in order, each of the form
//!
//! ```json
//! {"predictions": [
//!   {"probabilities": [0.25, 0.75]},
//!   {"names": [["add", 0.5], ["sum", 0.25]]},
//!   {"text": "Adds two numbers."},
//!   {"embedding": [0.5, -1.5]},
//!   {"error": "out of memory"}
//! ]}
//! ```
//!
//! There is one probability for each class, and they add up to 1, up to rounding. A prediction may also report how much of
//! the input the model saw: `"tokens": {"all": 900, "seen": 512}`. An `error` concerns its input only.
//!
//! Settings are parameters of the URL (`http:http://localhost:5000/predict?batch=8&timeout=10`), or are in a TOML file under
//! the same names (`?settings=FILE`). Other parameters are sent to the server.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `batch` | 32 | the maximum number of inputs per request |
//! | `classes` | | the number of classes, which is checked |
//! | `embeds` | false | whether the predictions are embeddings, so that the model can be used as an encoder |
//! | `key_variable` | | the environment variable that holds a key, which is sent as `Authorization: Bearer` |
//! | `timeout` | 60 | seconds for an answer |
//! | `concurrency` | 4 | concurrent requests |
//! | `retries` | 4 | the maximum number of retries |
//! | `wait`, `longest_wait` | 0.5, 30 | seconds before the first retry, doubled each time, and their limit |
//! | `bytes` | 16777216 | the maximum size of an answer in bytes |
//!
//! Broken connections, time-outs and the statuses 408, 429 and 5xx are retried; with 429 and 503 after the seconds that the
//! server requests in `Retry-After`. If a request with several inputs fails because of its contents, or may have, it is
//! repeated in halves, so that one bad input costs the others only time.
//!
//! A complete server, which answers what `--model http:http://127.0.0.1:5000/predict` asks:
//!
//! ```python
//! import json
//! from http.server import BaseHTTPRequestHandler
//! from socketserver import ThreadingTCPServer
//!
//! def predict(query):
//!     p = 0.9 if "strcpy" in query["code"] else 0.2
//!     return {"probabilities": [1 - p, p]}
//!
//! class Handler(BaseHTTPRequestHandler):
//!     def do_POST(self):
//!         request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
//!         answer = json.dumps({"predictions": [predict(query) for query in request["inputs"]]}).encode()
//!         self.send_response(200)
//!         self.send_header("Content-Type", "application/json")
//!         self.send_header("Content-Length", str(len(answer)))
//!         self.end_headers()
//!         self.wfile.write(answer)
//!
//! ThreadingTCPServer(("127.0.0.1", 5000), Handler).serve_forever()
//! ```

use serde::Deserialize;
use serde_json::{Value, json};

use super::Kind;
use crate::endpoint::client::{Client, key_from};
use crate::endpoint::limits::Failure;
use crate::endpoint::parallel::in_parallel;
use crate::endpoint::secrets::public_url;
use crate::endpoint::settings::{split_url, typed, unusable};
use crate::endpoint::{input_as_json, reading};
use crate::identity::Fingerprint;
use crate::{Answer, Fault, Identity, Input, Model, OpenError};

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "http",
    place: "URL",
    about: "a server that speaks JSON",
    is_outside: true,
    label: |place| place,
    levels: &[],
    open,
};

/// Opens the model behind a URL.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    // The kind is already `http`, so that `http://host` is a natural way to write `http:http://host`.
    let place = if place.starts_with("//") { format!("http:{place}") } else { place.to_owned() };
    let shown = public_url(&place);
    let (url, table) = split_url(&place, &["batch", "classes", "embeds", "key_variable"], &shown)?;
    let (settings, limits): (HttpSettings, _) = typed(table, &shown)?;
    if settings.batch == 0 {
        return Err(unusable(&shown, "`batch` must be at least 1"));
    }
    let mut fingerprint = Fingerprint::default();
    fingerprint.add("url", public_url(&url));
    let identity = Identity { kind: "http".to_owned(), place: shown, digest: fingerprint.finish(), varies: true };
    let client = Client::new(&url, key_from(settings.key_variable.as_deref())?, limits)?;
    Ok(Box::new(Http { identity, client, settings }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HttpSettings {
    batch: usize,
    classes: Option<usize>,
    embeds: bool,
    key_variable: Option<String>,
}

impl Default for HttpSettings {
    fn default() -> HttpSettings {
        HttpSettings { batch: 32, classes: None, embeds: false, key_variable: None }
    }
}

struct Http {
    identity: Identity,
    client: Client,
    settings: HttpSettings,
}

impl Model for Http {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let batches: Vec<&[Input]> = inputs.chunks(self.settings.batch).collect();
        let ask = |batch: &&[Input]| self.ask(batch, self.client.limits.retries);
        in_parallel(&batches, self.client.limits.concurrency, ask).into_iter().flatten().collect()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        self.settings.embeds.then(|| reading::embeddings(self.predict(inputs)))
    }
}

impl Http {
    /// Asks about a batch, and about its halves where the whole is at fault. The halves are not retried: the whole was.
    fn ask(&self, inputs: &[Input], retries: u32) -> Vec<Result<Answer, Fault>> {
        let failure = match self.ask_once(inputs, retries) {
            Ok(answers) => return answers,
            Err(failure) => failure,
        };
        if inputs.len() > 1 && failure.splits {
            let (first, second) = inputs.split_at(inputs.len() / 2);
            let mut answers = self.ask(first, 0);
            answers.extend(self.ask(second, 0));
            return answers;
        }
        vec![Err(failure.fault); inputs.len()]
    }

    fn ask_once(&self, inputs: &[Input], retries: u32) -> Result<Vec<Result<Answer, Fault>>, Failure> {
        let body = json!({ "inputs": inputs.iter().map(input_as_json).collect::<Vec<_>>() });
        let reply = self.client.post(&body, retries)?;
        let wrong = |problem: String| Failure { splits: true, ..Failure::lasting(Fault::WrongShape(problem)) };
        let predictions = reply.value.get("predictions").and_then(Value::as_array).ok_or_else(|| {
            wrong(format!("`predictions` is missing in {}", reading::quoted(&reply.value.to_string())))
        })?;
        if predictions.len() != inputs.len() {
            return Err(wrong(format!("{} predictions for {} inputs", predictions.len(), inputs.len())));
        }
        Ok(predictions.iter().map(|prediction| reading::answer(prediction, self.settings.classes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::endpoint::fake_server::{FakeServer, Reply, Request, closed_url, program};
    use crate::{Code, Prediction, open};

    const QUICK: &str = "timeout=0.4&wait=0.01&retries=2&longest_wait=0.3";

    fn model_at(server: &FakeServer, parameters: &str) -> Box<dyn Model> {
        open(&format!("http:{}/predict?{QUICK}&{parameters}", server.url)).expect("a model")
    }

    fn codes(request: &Request) -> Vec<String> {
        let inputs = request.body["inputs"].as_array().expect("inputs");
        inputs.iter().map(|input| input["code"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// One class for each input: that of the number it consists of.
    fn obedient(request: &Request) -> Reply {
        let predictions: Vec<Value> = codes(request)
            .iter()
            .map(|code| match code.as_str() {
                "0" => json!({ "probabilities": [1.0, 0.0] }),
                _ => json!({ "probabilities": [0.25, 0.75] }),
            })
            .collect();
        Reply::Json(json!({ "predictions": predictions }))
    }

    /// The fault about a single input, and the number of requests that it took.
    fn fault_of(script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> (Fault, usize) {
        let server = FakeServer::start(script);
        let mut answers = model_at(&server, "classes=2").predict(&[program("0")]);
        let fault = answers.remove(0).expect_err("a fault");
        (fault, server.requests().len())
    }

    fn classes(answer: &Result<Answer, Fault>) -> Option<usize> {
        answer.as_ref().ok()?.prediction.class()
    }

    #[test]
    fn batches_are_limited_and_answers_in_order() {
        let server = FakeServer::start(|_, request| obedient(request));
        let inputs: Vec<Input> = (0..7).map(|number| program(&(number % 2).to_string())).collect();
        let answers = model_at(&server, "batch=2&concurrency=3").predict(&inputs);
        let found: Vec<Option<usize>> = answers.iter().map(classes).collect();
        assert_eq!(found, [Some(0), Some(1), Some(0), Some(1), Some(0), Some(1), Some(0)]);
        let mut sizes: Vec<usize> = server.requests().iter().map(|request| codes(request).len()).collect();
        sizes.sort();
        assert_eq!(sizes, [1, 2, 2, 2]);
        assert!(model_at(&server, "").predict(&[]).is_empty());
    }

    #[test]
    fn every_shape_of_input_is_sent_and_every_prediction_read() {
        let server = FakeServer::start(|_, _| {
            Reply::Json(json!({ "predictions": [
                { "probabilities": [0.5, 0.5] }, { "names": [["x", 0.5]] }, { "text": "t" }, { "embedding": [1] },
                { "error": "no" }
            ] }))
        });
        let code = |text: &str| Code { language: syntax::Language::Java, text: text.to_owned() };
        let inputs = [
            Input::Code(code("a")),
            Input::Pair(code("b"), code("c")),
            Input::CodeAndText(code("d"), "e".to_owned()),
            program("f"),
            program("g"),
        ];
        let answers = model_at(&server, "").predict(&inputs);
        let read: Vec<_> = answers.into_iter().map(|answer| answer.map(|answer| answer.prediction)).collect();
        assert_eq!(
            read,
            [
                Ok(Prediction::Classes(vec![0.5, 0.5])),
                Ok(Prediction::Names(vec![("x".into(), 0.5)])),
                Ok(Prediction::Text("t".into())),
                Ok(Prediction::Embedding(vec![1.0])),
                Err(Fault::Failed("no".into())),
            ]
        );
        let sent = &server.requests()[0];
        assert_eq!(sent.path, "/predict");
        assert_eq!(
            sent.body["inputs"],
            json!([
                { "code": "a", "language": "java" },
                { "code1": "b", "code2": "c", "language": "java", "language2": "java" },
                { "code": "d", "text": "e", "language": "java" },
                { "code": "f", "language": "c" },
                { "code": "g", "language": "c" },
            ])
        );
    }

    #[test]
    fn an_encoder_says_so() {
        let server = FakeServer::start(|_, _| Reply::Json(json!({ "predictions": [{ "embedding": [0.5, 2] }] })));
        assert_eq!(model_at(&server, "embeds=true").embed(&[program("0")]), Some(vec![Ok(vec![0.5, 2.0])]));
        assert_eq!(model_at(&server, "").embed(&[program("0")]), None);
        let server = FakeServer::start(|_, request| obedient(request));
        let vectors = model_at(&server, "embeds=true").embed(&[program("0")]).expect("an encoder");
        assert!(matches!(&vectors[..], [Err(Fault::WrongShape(_))]), "{vectors:?}");
    }

    #[test]
    fn a_late_server_is_retried_and_given_up() {
        let started = Instant::now();
        let (fault, requests) = fault_of(|_, _| Reply::Stall(String::new()));
        assert_eq!((fault, requests), (Fault::Late(Duration::from_millis(400)), 3));
        assert!(started.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn an_answer_that_stops_in_the_middle_is_late() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"predictions\":";
        let server = FakeServer::start(move |_, _| Reply::Stall(head.to_owned()));
        let model = open(&format!("http:{}?timeout=0.2&retries=0", server.url)).expect("a model");
        assert_eq!(model.predict(&[program("0")]), [Err(Fault::Late(Duration::from_millis(200)))]);
    }

    #[test]
    fn garbage_is_not_retried() {
        for text in ["hello", "{\"predictions\":[{\"probab", "<html><h1>It works!</h1></html>", ""] {
            let (fault, requests) = fault_of(move |_, _| Reply::Status(200, "", text.to_owned()));
            assert!(matches!(fault, Fault::Garbage(_)), "{text}: {fault:?}");
            assert_eq!(requests, 1, "{text}");
        }
        let (fault, requests) = fault_of(|_, _| Reply::Raw("SSH-2.0-OpenSSH\r\n\r\n".to_owned()));
        assert!(matches!(&fault, Fault::Garbage(text) if text.contains("not HTTP")), "{fault:?}");
        assert_eq!(requests, 1);
    }

    #[test]
    fn the_wrong_shape_is_not_retried() {
        for (body, words) in [
            (json!({ "predictions": [] }), "0 predictions for 1 inputs"),
            (json!({ "predictions": [{}, {}] }), "2 predictions for 1 inputs"),
            (json!({ "outputs": [] }), "`predictions` is missing"),
            (json!({ "predictions": [{ "label": 1 }] }), "one of `probabilities`"),
            (json!({ "predictions": [{ "probabilities": [0.2, 0.3, 0.5] }] }), "there are 2 classes"),
            (json!({ "predictions": [{ "probabilities": [0.9, 0.3] }] }), "add up to"),
            (json!({ "predictions": [{ "probabilities": [-0.1, 1.1] }] }), "not a probability"),
        ] {
            let (fault, requests) = fault_of(move |_, _| Reply::Json(body.clone()));
            assert!(matches!(&fault, Fault::WrongShape(text) if text.contains(words)), "{words}: {fault:?}");
            assert_eq!(requests, 1);
        }
    }

    #[test]
    fn numbers_that_are_none_fault_their_input_only() {
        let text =
            "{\"predictions\":[{\"probabilities\":[NaN,1]},{\"probabilities\":[0.5,0.5]},{\"embedding\":[Infinity]}]}";
        let server = FakeServer::start(move |_, _| Reply::Status(200, "", text.to_owned()));
        let answers = model_at(&server, "").predict(&[program("0"), program("1"), program("2")]);
        assert_eq!(answers[0], Err(Fault::NotFinite));
        assert!(answers[1].is_ok());
        assert_eq!(answers[2], Err(Fault::NotFinite));
    }

    #[test]
    fn a_connection_that_breaks_is_retried() {
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"predictions\":[{\"prob";
        for broken in [cut, "HTTP/1.1 200 OK\r\nContent-Le", ""] {
            let (fault, requests) = fault_of(move |_, _| Reply::Raw(broken.to_owned()));
            assert!(matches!(fault, Fault::Disconnected(_)), "{broken:?}: {fault:?}");
            assert_eq!(requests, 3, "{broken:?}");
            let server = FakeServer::start(
                move |number, request| {
                    if number == 0 { Reply::Raw(broken.to_owned()) } else { obedient(request) }
                },
            );
            assert_eq!(classes(&model_at(&server, "").predict(&[program("1")])[0]), Some(1));
        }
    }

    #[test]
    fn nobody_there_is_said_and_not_split() {
        let url = closed_url();
        let model = open(&format!("http:{url}?wait=0.01&retries=1")).expect("a model");
        let answers = model.predict(&[program("0"), program("1")]);
        let words = format!("the connection broke: {url} refuses connections: is the server running?");
        assert!(
            answers.iter().all(|answer| answer.as_ref().is_err_and(|fault| fault.to_string() == words)),
            "{answers:?}"
        );
    }

    #[test]
    fn a_server_that_does_not_speak_tls_is_no_panic() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 100]);
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        let model = open(&format!("http:https://{address}?timeout=5&retries=0")).expect("a model");
        let answers = model.predict(&[program("0")]);
        assert!(matches!(&answers[..], [Err(Fault::Disconnected(_))]), "{answers:?}");
    }

    #[test]
    fn statuses_that_may_pass_are_retried_and_others_not() {
        for (status, attempts) in [
            (400, 1),
            (401, 1),
            (403, 1),
            (404, 1),
            (422, 1),
            (301, 1),
            (408, 3),
            (429, 3),
            (500, 3),
            (502, 3),
            (503, 3),
        ] {
            let (fault, requests) = fault_of(move |_, _| Reply::Status(status, "", "{\"detail\":\"no\"}".to_owned()));
            assert_eq!(fault, Fault::Refused { status, message: "no".to_owned() });
            assert_eq!(requests, attempts, "{status}");
        }
        for status in [408, 429, 500, 503] {
            let server = FakeServer::start(move |number, request| {
                if number == 0 { Reply::Status(status, "", String::new()) } else { obedient(request) }
            });
            assert_eq!(classes(&model_at(&server, "").predict(&[program("0")])[0]), Some(0), "{status}");
        }
    }

    #[test]
    fn retry_after_is_honoured_up_to_the_longest_wait() {
        let time = |header: &'static str, longest: &str| {
            let server = FakeServer::start(move |number, request| {
                if number == 0 { Reply::Status(429, header, String::new()) } else { obedient(request) }
            });
            let started = Instant::now();
            let model = open(&format!("http:{}?wait=0.01&longest_wait={longest}", server.url)).expect("a model");
            assert!(model.predict(&[program("0")])[0].is_ok());
            started.elapsed()
        };
        assert!(time("Retry-After: 1\r\n", "30") >= Duration::from_secs(1));
        let capped = time("Retry-After: 3600\r\n", "0.2");
        assert!((Duration::from_millis(200)..Duration::from_secs(10)).contains(&capped), "{capped:?}");
        assert!(time("", "30") < Duration::from_millis(900));
        let until = "Date: Fri, 31 Dec 2100 23:59:58 GMT\r\nRetry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n";
        assert!(time(until, "30") >= Duration::from_secs(1));
        let capped = time("Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n", "0.2");
        assert!((Duration::from_millis(200)..Duration::from_secs(10)).contains(&capped), "{capped:?}");
        assert!(time("Retry-After: soon\r\n", "30") < Duration::from_millis(900));
    }

    #[test]
    fn very_long_answers_are_cut_off() {
        let server = FakeServer::start(|_, _| Reply::Status(200, "", " ".repeat(100_000)));
        let answers = model_at(&server, "bytes=1000").predict(&[program("0")]);
        assert!(
            matches!(&answers[0], Err(Fault::Garbage(text)) if text.contains("longer than 1000 bytes")),
            "{answers:?}"
        );
        assert_eq!(server.requests().len(), 1);
    }

    #[test]
    fn one_bad_input_costs_the_others_nothing() {
        for status in [400, 413, 500] {
            let server = FakeServer::start(move |_, request| {
                let is_bad = codes(request).contains(&"bad".to_owned());
                if is_bad { Reply::Status(status, "", "too odd".to_owned()) } else { obedient(request) }
            });
            let inputs = ["0", "1", "bad", "1", "0"].map(program);
            let answers = model_at(&server, "retries=0").predict(&inputs);
            let found: Vec<Option<usize>> = answers.iter().map(classes).collect();
            assert_eq!(found, [Some(0), Some(1), None, Some(1), Some(0)]);
            assert_eq!(answers[2], Err(Fault::Refused { status, message: "too odd".to_owned() }));
        }
    }

    #[test]
    fn no_more_requests_than_allowed_are_under_way() {
        let server = FakeServer::start(|_, request| {
            std::thread::sleep(Duration::from_millis(30));
            obedient(request)
        });
        let model = model_at(&server, "batch=1&concurrency=2");
        let inputs: Vec<Input> = (0..6).map(|number| program(&number.to_string())).collect();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert!(model.predict(&inputs).iter().all(Result::is_ok)));
            }
        });
        assert_eq!(server.most_at_once(), 2);
        assert_eq!(server.requests().len(), 18);
    }

    #[test]
    fn secrets_reach_the_server_and_nothing_else() {
        let echo = |_: usize, request: &Request| {
            let heard = format!("{} {}", request.path, request.header("authorization").unwrap_or("nothing"));
            Reply::Status(401, "", heard)
        };
        let server = FakeServer::start(echo);
        let host = server.url.strip_prefix("http://").expect("a URL");
        let model = open(&format!("http:http://me:geheim123@{host}/p?key=verborgen&batch=2")).expect("a model");
        let answer = model.predict(&[program("0")]).remove(0);
        let request = &server.requests()[0];
        assert_eq!(request.path, "/p?key=verborgen");
        assert_eq!(request.header("authorization"), Some("Basic bWU6Z2VoZWltMTIz"));
        let identity = model.identity();
        assert_eq!(identity.place, format!("http://{host}/p?key=***&batch=2"));
        assert!(identity.varies);
        let shown = format!("{answer:?} {} {identity:?}", answer.as_ref().expect_err("refused"));
        for secret in ["geheim123", "verborgen", "bWU6Z2VoZWltMTIz"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        for (name, words) in [
            ("http:host/predict", "is not a URL that begins with http:// or https://"),
            ("http:http://me:geheim@host/?batch=0", "http://host/?batch=0: `batch` must be at least 1"),
            ("http:http://host/?batchs=2", "did you mean `batch`?"),
            ("http:http://host/?key_variable=ALLOTROPE_NO_SUCH_VARIABLE", "`ALLOTROPE_NO_SUCH_VARIABLE`"),
            ("htp:http://me:geheim@host/", "KIND:WHERE"),
        ] {
            let error = open(name).err().expect("an error").to_string();
            assert!(error.contains(words), "{error}");
            assert!(!error.contains("geheim"), "{error}");
        }
        assert!(open("http://localhost:1/predict").is_ok());
    }
}
