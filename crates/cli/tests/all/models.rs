//! The manual pages of models: their complete servers are started and queried as they are printed. And models of the Hugging Face hub.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testbed::hub::{FakeHub, Served, Way};

use crate::folder::Folder;

const DATA: &str = "{\"func\": \"void f(char *a, char *b) { strcpy(a, b); }\", \"target\": 1}\n\
                    {\"func\": \"int g(void) { return 2; }\", \"target\": 0}\n";

/// The program of a manual page.
fn program(folder: &Folder, kind: &str) -> String {
    let page = folder.run_well(&format!("explain {kind}"));
    assert!(page.starts_with(&format!("# {kind}\n")), "{page}");
    let (_, rest) = page.split_once("```python\n").unwrap_or_else(|| panic!("{kind} has no program: {page}"));
    let program = rest.split("```").next().unwrap();
    assert!(program.lines().count() <= 25, "{kind}");
    program.to_owned()
}

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server of a page, on a port that is free.
fn started(folder: &Folder, kind: &str, port_of_page: u16) -> (Running, u16) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let page = program(folder, kind);
    assert!(page.contains(&port_of_page.to_string()));
    // A file `http.py` would stand in the place of the module that the program imports.
    let name = format!("{kind}_server.py");
    folder.write(&name, page.replace(&port_of_page.to_string(), &port.to_string()));
    let mut command = Command::new("python3");
    command.current_dir(&folder.0).arg(name).stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(command.spawn().unwrap());
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "{kind} does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    (running, port)
}

#[track_caller]
fn evaluated(folder: &Folder, model: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args([
        "evaluate",
        "--data",
        "test.jsonl",
        "--language",
        "c",
        "--json",
        "--model",
        model,
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{model}: {}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let value = |name: &str| {
        let all = said["measures"].as_array().unwrap();
        all.iter().find(|measure| measure["measure"] == name).unwrap()["value"].as_f64()
    };
    assert_eq!((value("accuracy"), value("auc")), (Some(1.0), Some(1.0)), "{said}");
}

#[test]
fn the_servers_of_the_manual_pages_work_as_printed() {
    let folder = Folder::new("models");
    folder.write("test.jsonl", DATA);
    folder.write("model.py", program(&folder, "cmd"));
    evaluated(&folder, "cmd:python3 model.py");
    let (_http, port) = started(&folder, "http", 5000);
    evaluated(&folder, &format!("http:http://127.0.0.1:{port}/predict"));
    let (_openai, port) = started(&folder, "openai", 8000);
    evaluated(&folder, &format!("openai:toy@http://127.0.0.1:{port}/v1?task=defect"));
}

#[test]
fn every_kind_of_model_has_a_page() {
    let folder = Folder::new("model-pages");
    let listed = folder.run_well("list models --json");
    for line in listed.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let kind = row["name"].as_str().unwrap().split(':').next().unwrap();
        assert!(folder.run_well(&format!("explain {kind}")).contains(kind), "{kind}");
    }
    folder.run_badly("explain htpp", 2, &["did you mean http", "allotrope list models"]);
}

/// A model of the hub has the name of its commit in what is printed, and is there without the hub afterwards. A folder of that name wins.
#[test]
fn a_model_of_the_hub_is_named_like_any_other() {
    let folder = Folder::new("hub-names");
    folder.write("test.jsonl", DATA);
    let checkpoint = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
    let served = |name: &str| {
        let bytes = fs::read(checkpoint.join(name)).unwrap();
        Served { name: name.to_owned(), etag: format!("{}a", bytes.len()), bytes, way: Way::Small }
    };
    let names = ["config.json", "merges.txt", "pytorch_model.bin", "tokenizer_config.json", "vocab.json"];
    let commit = "89abcdef".repeat(5);
    let hub = FakeHub::start("owner/name", &commit, names.map(served).into_iter().collect());
    let evaluate = |endpoint: &str, home: &str, offline: &str| {
        let arguments = "evaluate --model hf:owner/name --data test.jsonl --language c --json";
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&folder.0).args(arguments.split_whitespace());
        command.env("HF_ENDPOINT", endpoint).env("HF_HOME", folder.path(home)).env("HF_HUB_OFFLINE", offline);
        let output =
            command.env_remove("HF_HUB_CACHE").env_remove("HF_TOKEN").env_remove("HF_TOKEN_PATH").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let place = |told: &str| {
        let told: serde_json::Value = serde_json::from_str(told).unwrap();
        (told["model"]["place"].as_str().unwrap().to_owned(), told["model"]["digest"].as_str().unwrap().to_owned())
    };
    let (status, told, said) = evaluate(&hub.url, "home", "0");
    assert_eq!(status, Some(0), "{said}");
    let (pinned, digest) = place(&told);
    assert_eq!(pinned, format!("owner/name@{commit}"));
    let asked = hub.asked().len();
    let (status, again, said) = evaluate("http://127.0.0.1:1", "home", "1");
    assert_eq!((status, place(&again), hub.asked().len()), (Some(0), (pinned, digest.clone()), asked), "{said}");
    let (status, _, said) = evaluate(&hub.url, "empty", "1");
    assert_eq!(status, Some(3));
    assert!(said.contains("HF_HUB_OFFLINE is set") && said.contains("hf download owner/name"), "{said}");
    for name in names {
        folder.write(&format!("owner/name/{name}"), fs::read(checkpoint.join(name)).unwrap());
    }
    let (status, own, said) = evaluate(&hub.url, "empty", "1");
    assert_eq!((status, place(&own)), (Some(0), ("owner/name".to_owned(), digest)), "{said}");
}
