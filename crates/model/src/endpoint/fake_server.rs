//! A server for tests: it says what a test tells it to, right or wrong.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Code, Input};

/// What the server says.
pub(crate) enum Reply {
    /// Status 200 and an object.
    Json(Value),
    /// A status, lines of header each with its line break, and a body.
    Status(u16, &'static str, String),
    /// These bytes, whatever they are, and the end of the connection.
    Raw(String),
    /// These bytes, and then nothing for a long time.
    Stall(String),
}

/// What the server was asked.
#[derive(Clone)]
pub(crate) struct Request {
    pub path: String,
    /// The lines of the header, in lower case but for their values.
    pub header: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.header.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Seen {
    requests: Vec<Request>,
    at_once: usize,
    most_at_once: usize,
}

/// A server that is there until the test ends.
pub(crate) struct FakeServer {
    pub url: String,
    seen: Arc<Mutex<Seen>>,
}

impl FakeServer {
    /// Starts a server. The script gets the number of the request, from 0, and the request.
    pub fn start(script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (script, shared) = (Arc::new(script), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&shared));
                thread::spawn(move || serve(stream, &seen, &*script));
            }
        });
        FakeServer { url, seen }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.seen.lock().expect("no panic").requests.clone()
    }

    /// The most requests that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.seen.lock().expect("no panic").most_at_once
    }
}

/// An address that refuses connections.
pub(crate) fn closed_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// A program to ask about.
pub(crate) fn program(text: &str) -> Input {
    Input::Code(Code { language: syntax::Language::C, text: text.to_owned() })
}

fn serve(mut stream: TcpStream, seen: &Mutex<Seen>, script: &(dyn Fn(usize, &Request) -> Reply + Send + Sync)) {
    let Some(request) = read_request(&mut stream) else { return };
    let number = {
        let mut seen = seen.lock().expect("no panic");
        seen.requests.push(request.clone());
        seen.at_once += 1;
        seen.most_at_once = seen.most_at_once.max(seen.at_once);
        seen.requests.len() - 1
    };
    let reply = script(number, &request);
    // The count goes down before the answer goes out: the client may ask again as soon as it has the answer.
    seen.lock().expect("no panic").at_once -= 1;
    let bytes = match reply {
        Reply::Json(value) => response(200, "", &value.to_string()),
        Reply::Status(status, header, body) => response(status, header, &body),
        Reply::Raw(text) => text,
        Reply::Stall(text) => {
            let _ = stream.write_all(text.as_bytes());
            thread::sleep(Duration::from_secs(20));
            return;
        }
    };
    // A client that has hung up is what some tests are about.
    let _ = stream.write_all(bytes.as_bytes());
}

fn response(status: u16, header: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\nConnection: close\r\n{header}\r\n{body}")
}

fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            read => bytes.extend(&buffer[..read]),
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let header: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = header.iter().find(|(name, _)| name == "content-length")?.1.parse::<usize>().ok()?;
    while bytes.len() < head_end + 4 + length {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            read => bytes.extend(&buffer[..read]),
        }
    }
    let body = serde_json::from_slice(&bytes[head_end + 4..]).unwrap_or_else(|_| json!("not JSON"));
    Some(Request { path, header, body })
}
