//! Asks real OpenAI-compatible servers, made by others, and checks what comes back.
//!
//! The servers are transformers' own (`transformers serve`, which gives no log probabilities) and llama.cpp's (which gives
//! more of them than asked for), with a model that `crates/model/endpoints/real_server/serve.py` makes in some seconds.
//! They need a Python with some packages:
//!
//! ```text
//! python3 -m venv FOLDER/venv
//! FOLDER/venv/bin/pip install -r crates/model/endpoints/real_server/requirements.txt
//! cargo run -p allotrope-model --example real_server -- FOLDER/venv/bin/python FOLDER/model [transformers | llama.cpp]
//! ```
//!
//! Every line says what was asked and what came back; the first that is wrong ends the program with status 1.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use model::{Code, Fault, Input, Model, Noise, Prediction, open};
use syntax::Language;

/// How long a server may take until it listens, the making of the model included.
const PATIENCE: Duration = Duration::from_secs(400);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (python, folder, servers) = match &arguments[..] {
        [python, folder] => (python, folder, vec!["transformers", "llama.cpp"]),
        [python, folder, server] => (python, folder, vec![server.as_str()]),
        _ => {
            eprintln!("usage: real_server PYTHON FOLDER [transformers | llama.cpp]");
            return ExitCode::from(2);
        }
    };
    for server in servers {
        println!("== {server}");
        if let Err(problem) = check(server, python, folder) {
            println!("WRONG: {problem}");
            return ExitCode::from(1);
        }
    }
    println!("everything as it should be");
    ExitCode::SUCCESS
}

/// Starts a server and asks it.
fn check(server: &str, python: &str, folder: &str) -> Result<(), String> {
    let running = Server::start(server, python, folder)?;
    let base = format!("http://127.0.0.1:{}/v1", running.port);
    let name = Path::new(folder).canonicalize().map_err(|error| error.to_string())?;
    let at = |parameters: &str| {
        let parameters = format!("timeout=120&retries=8&wait=1&{parameters}");
        open(&format!("openai:{}@{base}?{parameters}", name.display())).map_err(|error| error.to_string())
    };
    let gives_logprobs = server == "llama.cpp";

    for mode in ["chat", "completions"] {
        let model = at(&format!("task=vulnerability&mode={mode}"))?;
        let classes = classes_of(&*model)?;
        println!("{mode}: the probabilities of no and yes are {classes:?}");
        let sum: f32 = classes.iter().sum();
        if (sum - 1.0).abs() > 1e-5 {
            return Err(format!("they add up to {sum}"));
        }
        let is_sure = classes.iter().all(|probability| *probability == 0.0 || *probability == 1.0);
        if is_sure == gives_logprobs {
            return Err(format!("the server gives log probabilities: {gives_logprobs}"));
        }
        if classes[1] <= classes[0] {
            return Err("the model has learned to say yes more often".to_owned());
        }
        let noise = Noise::measure(&*model, &inputs(), 3);
        println!("{mode}: asked 3 times at temperature 0: {noise:?}");
        if (noise.asked, noise.changed) != (inputs().len(), 0) {
            return Err("the answers change".to_owned());
        }
    }

    let text = at("task=captioning")?.predict(&inputs()[..1]).remove(0);
    println!("a text: {text:?}");
    if !matches!(text.map(|answer| answer.prediction), Ok(Prediction::Text(_))) {
        return Err("a text was asked for".to_owned());
    }

    let model = at("task=vulnerability&temperature=1&top_logprobs=0&repeats=20&seed=1")?;
    let frequencies = classes_of(&*model)?;
    println!("asked 20 times at temperature 1, the frequencies of no and yes are {frequencies:?}");
    if frequencies.contains(&0.0) {
        return Err("both answers were due, as each has a probability near a half".to_owned());
    }
    let model = at("task=vulnerability&temperature=1&top_logprobs=0")?;
    println!("asked 3 times at temperature 1: {:?}", Noise::measure(&*model, &inputs(), 3));

    let url = format!("openai:tiny@{base}/nowhere?task=vulnerability");
    let fault = open(&url).map_err(|error| error.to_string())?.predict(&inputs()[..1]).remove(0);
    println!("an endpoint that is not there: {fault:?}");
    if !matches!(fault, Err(Fault::Refused { status: 404, .. })) {
        return Err("status 404 was due".to_owned());
    }
    Ok(())
}

fn classes_of(model: &dyn Model) -> Result<Vec<f32>, String> {
    match model.predict(&inputs()[..1]).remove(0) {
        Ok(answer) => match answer.prediction {
            Prediction::Classes(classes) => Ok(classes),
            other => Err(format!("{other:?} is no classes")),
        },
        Err(fault) => Err(fault.to_string()),
    }
}

fn inputs() -> Vec<Input> {
    let texts = [
        "void copy(char *to, const char *from) { strcpy(to, from); }",
        "int add(int a, int b) { return a + b; }",
        "int first(int *list) { return list[0]; }",
        "char *twice(char *text) { free(text); free(text); return text; }",
    ];
    texts.map(|text| Input::Code(Code { language: Language::C, text: text.to_owned() })).to_vec()
}

/// A server that ends with this value.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(kind: &str, python: &str, folder: &str) -> Result<Server, String> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/endpoints/real_server/serve.py");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| format!("there is no free port: {error}"))?.port();
        let child = Command::new(python).args([script, kind, folder, &port.to_string()]).spawn();
        let child = child.map_err(|error| format!("failed to start {python}: {error}"))?;
        let mut server = Server { child, port };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("the server has ended, {status}: are the packages of requirements.txt installed?"));
            }
            if Instant::now() > deadline {
                return Err(format!("the server does not listen after {PATIENCE:?}"));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has ended by itself is no problem here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
