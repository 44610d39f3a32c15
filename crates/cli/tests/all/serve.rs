//! `allotrope serve`: a run is followed, paused and stopped from a page, and by nobody else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use campaign::plan::Plan;
use campaign::run::Store;
use serde_json::Value;

use crate::browser;
use crate::folder::Folder;
use crate::toy;

/// What must never be read as markup.
const HOSTILE: &str = "</td><img src=x onerror=globalThis.hacked=1>";

/// A campaign on a model that takes its time, so that there is something to pause.
fn campaign(name: &str, functions: usize) -> Folder {
    let folder = Folder::new(name);
    let slow =
        toy::MODEL.replace("    words", "    time.sleep(0.01)\n    words").replace("import json", "import time, json");
    folder.write("model.py", slow);
    let mut rows = String::new();
    for (number, row) in toy::data(functions, |_| String::new()).lines().enumerate() {
        let mut row: Value = serde_json::from_str(row).unwrap();
        row["id"] = format!("{HOSTILE} {number}").into();
        rows.push_str(&format!("{row}\n"));
    }
    folder.write("test.jsonl", rows);
    folder
}

fn attack(folder: &Folder) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    let rest = "attack --data test.jsonl --language c --attack random-k,random-once --set random-k.rewrites=8 \
                --set random-k.asks-each=yes --jobs 1 -o run --model";
    let command = command.current_dir(&folder.0).args(rest.split_whitespace()).arg("cmd:python3 model.py");
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server, with its port and token.
struct Served {
    process: Running,
    port: u16,
    token: String,
}

impl Served {
    fn start(folder: &Folder) -> Served {
        Served::on(folder, "run")
    }

    fn on(folder: &Folder, run: &str) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        let mut process = command.current_dir(&folder.0).args(["serve", run]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
        let mut parts = place.split('/');
        let (port, token) = (parts.next().unwrap().parse().unwrap(), parts.next().unwrap().to_owned());
        assert_eq!(token.len(), 32);
        Served { process: Running(process), port, token }
    }

    /// The status and the body of an answer.
    fn ask(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        assert!(
            status == 0 || head.contains("X-Content-Type-Options: nosniff") && head.contains("no-referrer"),
            "{head}"
        );
        (status, body.to_owned())
    }

    fn get(&self, place: &str) -> (u16, String) {
        self.ask(&format!("GET /{}/{place} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.token, self.port))
    }

    fn state(&self) -> Value {
        let (status, body) = self.get("state");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Asks for something as the page does, with other headers.
    fn wish(&self, wish: &str, headers: &str) -> u16 {
        let (token, port) = (&self.token, self.port);
        let length = wish.len();
        self.ask(&format!(
            "POST /{token}/wish/0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n{headers}\r\n{wish}"
        ))
        .0
    }

    fn wish_well(&self, wish: &str) {
        let headers = format!("X-Allotrope-Token: {}\r\nOrigin: http://127.0.0.1:{}\r\n", self.token, self.port);
        assert_eq!(self.wish(wish, &headers), 200, "{wish}");
    }

    fn wait_for(&self, what: &str, is_there: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let state = self.state();
            if is_there(&state["runs"][0]) {
                return state;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "no {what}: {state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ctrl-C.
    fn end(mut self) -> ExitStatus {
        Command::new("kill").args(["-INT", &self.process.0.id().to_string()]).status().unwrap();
        self.process.0.wait().unwrap()
    }
}

fn records(folder: &Folder) -> usize {
    Store::<Plan>::open(&folder.path("run")).unwrap().records().unwrap().len()
}

fn wait_for_run(folder: &Folder) {
    let start = Instant::now();
    while !Store::<Plan>::open(&folder.path("run"))
        .is_ok_and(|store| store.records().is_ok_and(|records| !records.is_empty()))
    {
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_is_followed_paused_and_stopped() {
    let folder = campaign("serve", 40);
    let mut run = Running(attack(&folder));
    wait_for_run(&folder);
    let served = Served::start(&folder);
    let state = served.wait_for("progress", |run| run["attacks"][0]["done"].as_u64() > Some(2));
    let run_of = &state["runs"][0];
    assert_eq!((&run_of["runner"]["state"], &run_of["targets"]), (&"work".into(), &80.into()), "{state}");
    served.wish_well("pause");
    served.wait_for("pause", |run| run["runner"]["state"] == "pause");
    // The target that was begun is finished, and no other is begun.
    std::thread::sleep(Duration::from_secs(2));
    let done = records(&folder);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(records(&folder), done);
    assert!(run.0.try_wait().unwrap().is_none());
    served.wish_well("work");
    served.wait_for("work", |run| run["attacks"][0]["done"].as_u64() > Some(done as u64 + 1));
    served.wish_well("stop");
    assert_eq!(run.0.wait().unwrap().code(), Some(130));
    let left = records(&folder);
    assert!(left < 160, "{left}");
    // Nobody works now, which is no harm to whoever does next.
    assert_eq!(served.wish("stop", &format!("X-Allotrope-Token: {}\r\n", served.token)), 409);
    assert!(served.state()["runs"][0]["runner"].is_null());
    for name in ["wish", "runner.json"] {
        assert!(!folder.path(&format!("run/{name}")).exists(), "{name}");
    }
    let mut again = Running(attack(&folder));
    assert!(again.0.wait().unwrap().success());
    assert_eq!(records(&folder), 160);
    let state = served.state();
    assert_eq!(state["newest"].as_array().unwrap().len(), 20);
    let compared: Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    let line = &compared["columns"][0]["measures"]["lines"][0];
    let told = served.wait_for("the end", |run| run["attacks"][0]["done"] == 80);
    assert_eq!(told["runs"][0]["attacks"][0]["interval"], line["interval"]);
    assert!(served.get("report").1.contains("<!doctype html>"));
    assert_eq!(served.end().code(), Some(0));
}

#[test]
fn nobody_else_is_answered() {
    let folder = campaign("serve-others", 2);
    assert!(attack(&folder).wait().unwrap().success());
    let served = Served::start(&folder);
    let (token, port) = (&served.token, served.port);
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let status = |request: &str| served.ask(request).0;
    assert_eq!(status(&format!("GET /{token}/ HTTP/1.1\r\n{own}\r\n")), 200);
    assert_eq!(status(&format!("GET /{token}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")), 200);
    // Another name that leads to this machine, as in an attack by DNS rebinding, or none.
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1"] {
        assert_eq!(status(&format!("GET /{token}/state HTTP/1.1\r\nHost: {host}\r\n\r\n")), 403, "{host}");
    }
    assert_eq!(status(&format!("GET /{token}/state HTTP/1.1\r\n\r\n")), 403);
    assert_eq!(status(&format!("GET /{token}/state HTTP/1.1\r\n{own}{own}\r\n")), 403);
    for place in ["", "state", "0123456789abcdef0123456789abcdef/state", &token[1..], token] {
        assert_eq!(status(&format!("GET /{place} HTTP/1.1\r\n{own}\r\n")), 404, "{place}");
    }
    assert_eq!(status(&format!("GET /{token}/../../etc/passwd HTTP/1.1\r\n{own}\r\n")), 404);
    assert_eq!(status(&format!("OPTIONS /{token}/wish/0 HTTP/1.1\r\n{own}\r\n")), 405);
    assert_eq!(status("nonsense\r\n\r\n"), 400);
    // Wishes need the token in a header, which no other page can send, and no other origin.
    let with_token = format!("X-Allotrope-Token: {token}\r\n");
    assert_eq!(served.wish("stop", ""), 403);
    assert_eq!(served.wish("stop", "X-Allotrope-Token: 0\r\n"), 403);
    assert_eq!(served.wish("stop", &format!("{with_token}Origin: http://evil.example\r\n")), 403);
    assert_eq!(served.wish("stop", &format!("{with_token}Origin: null\r\n")), 403);
    assert_eq!(served.wish("stop", &format!("{with_token}Sec-Fetch-Site: cross-site\r\n")), 403);
    assert_eq!(served.wish("dance", &with_token), 404);
    assert_eq!(served.wish(&"stop".repeat(100), &with_token), 400);
    assert_eq!(served.wish("stop", &with_token), 409);
    // Only this machine is listened to.
    folder.run_badly("serve nowhere", 3, &["nowhere holds no run"]);
    folder.run_badly(&format!("serve run --port {port}"), 3, &["failed to listen on 127.0.0.1"]);
    assert_eq!(served.end().code(), Some(0));
}

#[test]
fn a_browser_shows_a_run_that_goes_on() {
    let Some(mut command) = browser::script("live.mjs") else { return };
    // So many that it goes on for as long as the browser looks, on a busy machine as well.
    let folder = campaign("serve-browser", 1000);
    let mut run = Running(attack(&folder));
    wait_for_run(&folder);
    let served = Served::start(&folder);
    served.wait_for("successes", |run| run["attacks"][0]["outcomes"]["success"].as_u64() > Some(2));
    command.arg(format!("http://127.0.0.1:{}/{}/", served.port, served.token));
    browser::run(command);
    // The browser has stopped the run.
    assert_eq!(run.0.wait().unwrap().code(), Some(130));
    assert_eq!(served.end().code(), Some(0));
}

/// Runs of the other kinds on a model that takes its time, each with its folder.
const OTHERS: [(&str, &str); 6] = [
    (
        "grid",
        "grid --model MODEL --data test.jsonl --language c --transform names,dead-code,layout --order 1,2 --batch 1 -o grid",
    ),
    (
        "evolved",
        "evolve --model MODEL --data test.jsonl --language c --minimise f1 --generations 9 --repeat 9 --batch 1 -o evolved",
    ),
    ("fidelity", "fidelity --teacher MODEL --student OTHER --data test.jsonl --language c -o fidelity"),
    (
        "mutants",
        "mutants --model CHECKPOINT --data test.jsonl --language c --mutants 200 --mutant-examples 8 -o mutants",
    ),
    (
        "trained",
        "train --kind encoder --data test.jsonl --language c --layers 1 --hidden 16 --heads 2 --vocabulary 300 --max-tokens 64 --steps 100000 \
                 --evaluate-every 20 --log-every 5 -o trained",
    ),
    (
        "student",
        "distil --teacher CHECKPOINT --data test.jsonl --language c --layers 1 --hidden 16 --heads 2 --vocabulary 300 --max-tokens 64 \
                 --steps 100000 --evaluate-every 20 --log-every 5 -o student",
    ),
];

#[test]
fn other_kinds_of_runs_are_followed_and_stopped() {
    let folder = campaign("serve-kinds", 16);
    let slow = folder.read("model.py").replace("0.01", "0.05");
    folder.write("model.py", slow.clone());
    folder.write("other.py", slow);
    let checkpoint = concat!("hf:", env!("CARGO_MANIFEST_DIR"), "/../../fixtures/checkpoints/parity/roberta-two");
    for (number, (run, line)) in OTHERS.iter().enumerate() {
        let words = line.split_whitespace().map(|word| match word {
            "MODEL" => "cmd:python3 model.py",
            "OTHER" => "cmd:python3 other.py",
            "CHECKPOINT" => checkpoint,
            word => word,
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        let command = command.current_dir(&folder.0).args(words).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = Running(command.spawn().unwrap());
        let start = Instant::now();
        while campaign::control::runner(&folder.path(run))
            .and_then(|runner| runner.work)
            .is_none_or(|work| work.stage.is_empty())
        {
            assert!(process.0.try_wait().unwrap().is_none(), "{run} ended: {}", {
                let mut said = String::new();
                process.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                said
            });
            assert!(start.elapsed() < Duration::from_secs(120), "nobody says how far {run} is");
            std::thread::sleep(Duration::from_millis(20));
        }
        let served = Served::on(&folder, run);
        let state = served.wait_for("progress", |run| {
            let work = &run["runner"]["work"];
            work["done"].as_u64() > Some(0) || work["status"].as_str().is_some_and(|status| !status.is_empty())
        });
        let told = &state["runs"][0];
        assert_eq!((&told["can-pause"], &told["runner"]["state"]), (&false.into(), &"work".into()), "{state}");
        let headers = format!("X-Allotrope-Token: {}\r\n", served.token);
        assert_eq!(served.wish("pause", &headers), 409, "{run}");
        match (number, browser::script("live.mjs")) {
            // One of them is looked at in a browser, which stops it.
            (4, Some(mut command)) => {
                command.arg("--other").arg(format!("http://127.0.0.1:{}/{}/", served.port, served.token));
                browser::run(command);
            }
            _ => served.wish_well("stop"),
        }
        assert_eq!(process.0.wait().unwrap().code(), Some(130), "{run}");
        served.wait_for("the end", |run| run["runner"].is_null());
        assert!(!folder.path(&format!("{run}/runner.json")).exists(), "{run}");
        assert_eq!(served.end().code(), Some(0));
    }
}
