//! Runs in the browser while they go on: how far they are, what was found so far, and pause and stop.
//!
//! The server is for one person on one machine: it listens on the loopback address, its address holds a random token, requests must
//! name it as their host, and only its own page may send wishes. Everything that the page shows comes as JSON and is put into the page
//! as text; nothing is fetched from elsewhere.

mod live;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use campaign::control::{Wish, WishError, runner, wish};
use measure::Bootstrap;
use serde_json::{Value, json};

use crate::contents::{Contents, Kind};
use crate::numbers::Numbers;
use crate::page::page_of;
use crate::run::ReportError;
use live::Newest;

const PAGE: &str = include_str!("serve.html");
const STYLE: &str = include_str!("serve.css");
const SCRIPT: &str = include_str!("serve.js");

/// What a browser may do with what it gets: run the script of this server, and ask it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The page of a report has a policy of its own.
const POLICY_OF_REPORT: &str = "frame-ancestors 'none'";

/// How long a request may take to come in.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest head of a request, and the longest wish.
const LONGEST_HEAD: u64 = 16_384;
const LONGEST_BODY: usize = 64;

/// How many requests are answered at once.
const MOST_REQUESTS: usize = 32;

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    runs: Vec<(PathBuf, Kind)>,
    state: Mutex<State>,
    requests: AtomicUsize,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error(transparent)]
    Run(#[from] ReportError),
    #[error("failed to listen on {address}: {source}; --port names another port, and 0 takes any that is free")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("there is no source of random numbers on this machine: {0}")]
    Random(std::io::Error),
}

/// What is known of the runs.
#[derive(Default)]
struct State {
    /// What the page is told, and when and how fast it was computed.
    told: Option<(Value, Instant, Duration)>,
    newest: Newest,
}

impl Server {
    /// Listens. The runs must have begun.
    pub fn bind(runs: &[PathBuf], host: IpAddr, port: u16) -> Result<Server, ServeError> {
        let runs = runs
            .iter()
            .map(|run| {
                let kind = live::kind_of(run)?;
                live::of_run(0, run, kind, &mut Newest::default())?;
                Ok((run.clone(), kind))
            })
            .collect::<Result<Vec<(PathBuf, Kind)>, ReportError>>()?;
        let wanted = SocketAddr::new(host, port);
        let unheard = |source| ServeError::Listen { address: wanted, source };
        let listener = TcpListener::bind(wanted).map_err(unheard)?;
        listener.set_nonblocking(true).map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        let token = token().map_err(ServeError::Random)?;
        let (state, requests) = (Mutex::default(), AtomicUsize::new(0));
        Ok(Server { listener, address, token, runs, state, requests })
    }

    /// What to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers until it is told to stop.
    pub fn serve(&self, should_stop: &(dyn Fn() -> bool + Sync)) {
        std::thread::scope(|scope| {
            while !should_stop() {
                match self.listener.accept() {
                    Ok((stream, _)) if self.requests.load(Ordering::Relaxed) < MOST_REQUESTS => {
                        self.requests.fetch_add(1, Ordering::Relaxed);
                        scope.spawn(|| {
                            self.answer(stream);
                            self.requests.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                    // A request too many is closed, and one that went away is nothing to answer.
                    Ok(_) => (),
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        });
    }

    fn answer(&self, stream: TcpStream) {
        let is_set = stream.set_nonblocking(false).is_ok()
            && stream.set_read_timeout(Some(PATIENCE)).is_ok()
            && stream.set_write_timeout(Some(PATIENCE)).is_ok();
        if !is_set {
            return;
        }
        let answer = match Request::read(&stream) {
            Some(request) => self.answer_to(&request),
            None => Answer::problem(400, "the request cannot be read"),
        };
        // Whoever went away does not hear the answer.
        let _ = answer.write(&stream);
    }

    fn answer_to(&self, request: &Request) -> Answer {
        if !self.is_own_host(request.header("host")) {
            return Answer::problem(403, "the request is for another host");
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, place) = path.split_once('/').unwrap_or((path, ""));
        if !is_same(token, &self.token) {
            return Answer::problem(
                404,
                "there is nothing here; the whole address stands where `allotrope serve` was started",
            );
        }
        if !path.contains('/') {
            return Answer::problem(404, "the address ends in a slash");
        }
        match (request.method.as_str(), place) {
            ("GET", "") => Answer::new(200, "text/html; charset=utf-8", PAGE),
            ("GET", "serve.css") => Answer::new(200, "text/css; charset=utf-8", STYLE),
            ("GET", "serve.js") => Answer::new(200, "text/javascript; charset=utf-8", SCRIPT),
            ("GET", "state") => self.told(),
            ("GET", "report") => self.report(),
            ("POST", place) if place.starts_with("wish/") => self.wish(request, &place["wish/".len()..]),
            ("GET" | "POST", _) => Answer::problem(404, "there is nothing here"),
            _ => Answer::problem(405, "use GET or POST"),
        }
    }

    /// Is this how the browser of the person who started the server names it? A page of somebody else whose name leads here does not.
    fn is_own_host(&self, host: Option<&str>) -> bool {
        let port = self.address.port();
        let names = [
            self.address.to_string(),
            format!("localhost:{port}"),
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
        ];
        match host {
            // On an address for others, they may have any name for this machine; only the token counts then.
            Some(host) if !self.address.ip().is_loopback() => host.ends_with(&format!(":{port}")),
            Some(host) => names.iter().any(|name| name.eq_ignore_ascii_case(host)),
            None => false,
        }
    }

    /// Passes a wish on to who works on a run.
    fn wish(&self, request: &Request, run: &str) -> Answer {
        let host = request.header("host").unwrap_or_default();
        let is_own = request.header("origin").is_none_or(|origin| origin == format!("http://{host}"));
        let is_same_site = request.header("sec-fetch-site").is_none_or(|site| site == "same-origin");
        let has_token = request.header("x-allotrope-token").is_some_and(|token| is_same(token, &self.token));
        if !is_own || !is_same_site || !has_token {
            return Answer::problem(403, "only the page of this server may do that");
        }
        let run = run.parse().ok().and_then(|place: usize| self.runs.get(place));
        let (Some((run, kind)), Some(wanted)) = (run, Wish::named(request.body.trim())) else {
            return Answer::problem(404, "there is no such run or wish");
        };
        if wanted == Wish::Pause && !live::can_pause(*kind) {
            return Answer::problem(409, "only attacks can be paused; stop it, and the same command resumes it");
        }
        match wish(run, wanted) {
            Ok(()) => Answer::json(200, &json!({"wish": wanted})),
            Err(error @ WishError::Nobody(_)) => Answer::problem(409, &error.to_string()),
            Err(error) => Answer::problem(500, &error.to_string()),
        }
    }

    /// What the page shows. It is computed anew when the last time is longer ago than ten times what it took.
    fn told(&self) -> Answer {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |(_, when, took): &(Value, Instant, Duration)| {
            when.elapsed() < (*took * 10).max(Duration::from_millis(500))
        };
        if !state.told.as_ref().is_some_and(is_fresh) {
            let start = Instant::now();
            let of_run = |(place, (run, kind)): (usize, &(PathBuf, Kind))| {
                let problem =
                    |error: ReportError| json!({"name": run.display().to_string(), "problem": error.to_string()});
                live::of_run(place, run, *kind, &mut state.newest).unwrap_or_else(problem)
            };
            let runs: Vec<Value> = self.runs.iter().enumerate().map(of_run).collect();
            let told = json!({"runs": runs, "newest": state.newest.told()});
            state.told = Some((told, Instant::now(), start.elapsed()));
        }
        // Who works on the runs is always asked anew, so that buttons answer at once.
        let mut told = state.told.as_ref().map(|(told, ..)| told.clone()).unwrap_or_default();
        for (place, (run, _)) in self.runs.iter().enumerate() {
            told["runs"][place]["runner"] = runner(run).map_or(
                Value::Null,
                |runner| json!({"state": runner.state, "left": runner.left, "seconds": runner.seconds, "work": runner.work}),
            );
        }
        Answer::json(200, &told)
    }

    fn report(&self) -> Answer {
        let folders: Vec<PathBuf> = self.runs.iter().map(|(run, _)| run.clone()).collect();
        match Contents::read(&folders, &Bootstrap::default()) {
            Ok(Contents { runs, others }) => {
                let numbers = Numbers::of(&runs, Bootstrap::default());
                let page = page_of(&runs, &others, &numbers, Some(200));
                Answer { policy: POLICY_OF_REPORT, ..Answer::new(200, "text/html; charset=utf-8", &page.html) }
            }
            Err(error) => Answer::problem(503, &error.to_string()),
        }
    }
}

/// What somebody asks for.
struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Request> {
        let mut head = BufReader::new(stream.take(LONGEST_HEAD));
        let mut line = String::new();
        head.read_line(&mut line).ok()?;
        let mut words = line.split_ascii_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        if !words.next()?.starts_with("HTTP/1.") {
            return None;
        }
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            head.read_line(&mut line).ok()?;
            let line = line.strip_suffix('\n')?.trim_end_matches('\r');
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Request { method, path, headers, body: String::new() };
        let length = request.header("content-length").map_or(Some(0), |length| length.parse::<usize>().ok())?;
        if length > LONGEST_BODY {
            return None;
        }
        let mut body = vec![0; length];
        head.read_exact(&mut body).ok()?;
        request.body = String::from_utf8(body).ok()?;
        Some(request)
    }

    /// A header, when it is there once: two of a name leave it to the reader which of them counts.
    fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let (_, value) = found.next()?;
        if found.next().is_some() { Some("") } else { Some(value) }
    }
}

struct Answer {
    status: u16,
    kind: &'static str,
    policy: &'static str,
    body: String,
}

impl Answer {
    fn new(status: u16, kind: &'static str, body: &str) -> Answer {
        Answer { status, kind, policy: POLICY, body: body.to_owned() }
    }

    fn json(status: u16, value: &Value) -> Answer {
        Answer::new(status, "application/json; charset=utf-8", &value.to_string())
    }

    fn problem(status: u16, problem: &str) -> Answer {
        Answer::json(status, &json!({"problem": problem}))
    }

    fn write(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {}\r\n\
             Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
            self.policy
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(self.body.as_bytes())?;
        stream.flush()
    }
}

/// Are two texts the same? It takes as long whatever they have in common.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |found, (one, other)| found | (one ^ other)) == 0
}

/// A token that nobody guesses.
fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_compared_whole() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_eq!(one.len(), 32);
        assert!(
            is_same(&one, &one.clone()) && !is_same(&one, &other) && !is_same(&one, &one[1..]) && !is_same("", &one)
        );
    }
}
