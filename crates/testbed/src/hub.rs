//! A Hugging Face hub for tests, on this machine: it serves one model, well or badly.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A file of the model.
pub struct Served {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The name of its contents. Of a large file it is their SHA-256.
    pub etag: String,
    pub way: Way,
}

/// How a file is served.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// At once.
    Small,
    /// From another address, where the first answer breaks off in the middle.
    Large,
    /// Ten bytes are missing, whatever the hub has said about it.
    Short,
    /// The list has it, and it is not there.
    Lost,
}

/// A hub that is there until the test ends.
pub struct FakeHub {
    pub url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// The model that the hub has.
struct Shelf {
    repository: String,
    commit: String,
    files: Vec<Served>,
    /// Where large files are: the same server under another name.
    url: String,
}

impl FakeHub {
    /// Starts a hub with one model, whose branch `main` is at this commit.
    pub fn start(repository: &str, commit: &str, files: Vec<Served>) -> FakeHub {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shelf = Shelf {
            repository: repository.to_owned(),
            commit: commit.to_owned(),
            files,
            url: url.replace("127.0.0.1", "localhost"),
        };
        let (shelf, asked) = (Arc::new(shelf), Arc::new(Mutex::new(Vec::new())));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shelf, seen) = (Arc::clone(&shelf), Arc::clone(&seen));
                thread::spawn(move || shelf.serve(stream, &seen));
            }
        });
        FakeHub { url, asked }
    }

    /// What was asked so far: the method, the path, and after them the values of `Range` and `Authorization`, if any.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl Shelf {
    fn serve(&self, mut stream: TcpStream, seen: &Mutex<Vec<String>>) {
        let Some(head) = read_head(&mut stream) else { return };
        let mut lines = head.lines();
        let [method, path, ..] = lines.next().unwrap_or_default().split(' ').collect::<Vec<_>>()[..] else { return };
        let header = |name: &str| {
            let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}: ")))?;
            Some(line[name.len() + 2..].trim().to_owned())
        };
        let (range, key) = (header("range"), header("authorization"));
        let mut said = format!("{method} {path}");
        for value in [&range, &key].into_iter().flatten() {
            said = format!("{said} {value}");
        }
        let is_first = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(said);
            seen.iter().filter(|one| one.starts_with(&format!("GET {path}"))).count() == 1
        };
        let (status, headers, body) = self.answer(method, path, range.as_deref());
        let length = body.len();
        let begins_over = path.starts_with("/cdn/") && is_first && method == "GET";
        let sent = if method == "HEAD" {
            0
        } else if begins_over {
            length / 2
        } else {
            length
        };
        let length =
            if headers.contains("Content-Length") { String::new() } else { format!("Content-Length: {length}\r\n") };
        let answer = format!("HTTP/1.1 {status} Said\r\n{length}Connection: close\r\n{headers}\r\n");
        // A client that has hung up is what some tests are about.
        let _ = stream.write_all(answer.as_bytes()).and_then(|()| stream.write_all(&body[..sent]));
    }

    /// Status, lines of header, and body.
    fn answer(&self, method: &str, path: &str, range: Option<&str>) -> (u16, String, Vec<u8>) {
        let Shelf { repository, commit, files, url } = self;
        let absent =
            || (404, "X-Error-Code: RepoNotFound\r\n".to_owned(), br#"{"error":"Repository not found"}"#.to_vec());
        if let Some(revision) = path.strip_prefix(&format!("/api/models/{repository}/revision/")) {
            if revision != "main" && revision != commit {
                return (404, String::new(), br#"{"error":"Invalid rev id"}"#.to_vec());
            }
            let names: Vec<String> = files.iter().map(|file| format!("{{\"rfilename\":\"{}\"}}", file.name)).collect();
            let list = format!("{{\"sha\":\"{commit}\",\"siblings\":[{}]}}", names.join(","));
            return (200, String::new(), list.into_bytes());
        }
        let name =
            path.strip_prefix(&format!("/{repository}/resolve/{commit}/")).or_else(|| path.strip_prefix("/cdn/"));
        let Some(file) = files.iter().find(|file| Some(file.name.as_str()) == name) else { return absent() };
        let Served { name, bytes, etag, way } = file;
        let size = bytes.len();
        match way {
            Way::Lost => absent(),
            Way::Large if !path.starts_with("/cdn/") => {
                let headers =
                    format!("Location: {url}/cdn/{name}\r\nX-Linked-Etag: \"{etag}\"\r\nX-Linked-Size: {size}\r\n");
                (302, headers, Vec::new())
            }
            Way::Short if method == "HEAD" => {
                (200, format!("ETag: \"{etag}\"\r\nContent-Length: {size}\r\n"), Vec::new())
            }
            Way::Short => (200, format!("ETag: \"{etag}\"\r\n"), bytes[..size - 10].to_vec()),
            Way::Small | Way::Large => {
                let begin =
                    range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
                match begin {
                    Some(begin) if begin < size => {
                        let headers =
                            format!("ETag: \"{etag}\"\r\nContent-Range: bytes {begin}-{}/{size}\r\n", size - 1);
                        (206, headers, bytes[begin..].to_vec())
                    }
                    Some(_) => (416, String::new(), Vec::new()),
                    None => (200, format!("ETag: \"{etag}\"\r\n"), bytes.clone()),
                }
            }
        }
    }
}

fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            read => bytes.extend(&buffer[..read]),
        }
    }
    String::from_utf8(bytes).ok()
}
