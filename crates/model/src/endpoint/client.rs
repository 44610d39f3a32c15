//! A small client for servers that exchange JSON over HTTP.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::http::{HeaderMap, HeaderValue};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::typestate::AgentScope;

use crate::endpoint::limits::{Failure, Gate, Limits, attempt_often};
use crate::endpoint::secrets::{Secrets, is_secret_name, public_url, split_user};
use crate::endpoint::settings::unusable;
use crate::endpoint::{dates, reading, shortened};
use crate::{Fault, OpenError};

/// Asks one server, within limits. It has no `Debug`, because it knows secrets.
pub(crate) struct Client {
    agent: Agent,
    url: String,
    authorization: Option<HeaderValue>,
    secrets: Secrets,
    pub limits: Limits,
    gate: Gate,
}

/// What a server answered.
pub(crate) struct Reply {
    pub value: Value,
    /// Did it hold a NaN or an infinity? Those are `null` now.
    pub holds_odd_numbers: bool,
}

impl Client {
    /// A client for a URL. The key is the value of a variable, never a part of what the user writes.
    pub fn new(url: &str, key: Option<String>, limits: Limits) -> Result<Client, OpenError> {
        let shown = public_url(url);
        let mut secrets = Secrets::default();
        let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
        for (name, value) in parameters.into_iter().flat_map(|it| it.split('&')).filter_map(|it| it.split_once('=')) {
            if is_secret_name(name) {
                secrets.add(value);
            }
        }
        let (address, user) = split_user(address);
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(unusable(&shown, "is not a URL that begins with http:// or https://"));
        }
        let mut authorization = None;
        if let Some(user) = user {
            let encoded = base64(user.as_bytes());
            secrets.add(user.split_once(':').map_or(user.as_str(), |(_, password)| password));
            secrets.add(&encoded);
            authorization = Some(format!("Basic {encoded}"));
        }
        if let Some(key) = key {
            authorization = Some(format!("Bearer {key}"));
            secrets.add(key);
        }
        let authorization = authorization.map(|value| {
            let illegal = || unusable(&shown, "the key or password contains characters that a header must not contain");
            let mut value = HeaderValue::from_str(&value).map_err(|_| illegal())?;
            value.set_sensitive(true);
            Ok(value)
        });
        let url = parameters.map_or(address.clone(), |parameters| format!("{address}?{parameters}"));
        let is_address =
            url.parse::<ureq::http::Uri>().is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()));
        if !is_address {
            return Err(unusable(&shown, "is not a valid server URL"));
        }
        let config =
            connections(&url).timeout_global(Some(limits.timeout())).max_idle_connections_per_host(limits.concurrency);
        let gate = Gate::new(limits.concurrency);
        Ok(Client {
            agent: config.build().into(),
            url,
            authorization: authorization.transpose()?,
            secrets,
            limits,
            gate,
        })
    }

    /// Sends a query, and again after faults that may pass.
    pub fn post(&self, body: &Value, retries: u32) -> Result<Reply, Failure> {
        let body = body.to_string();
        // A query keeps its place while it waits to be asked again: a server that wants a pause should get one.
        let outcome = self.gate.pass(|| attempt_often(&self.limits, retries, || self.post_once(&body)));
        outcome.map_err(|failure| Failure { fault: self.without_secrets(failure.fault), ..failure })
    }

    fn post_once(&self, body: &str) -> Result<Reply, Failure> {
        let mut request = self.agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let mut response = request.send(body).map_err(|error| self.failure(error))?;
        let status = response.status().as_u16();
        let asked_for = retry_after(response.headers(), SystemTime::now());
        let bytes = response.body_mut().with_config().limit(self.limits.bytes).read_to_vec();
        if !(200..300).contains(&status) {
            // What a server says with its refusal is worth a look, but the refusal stands without it.
            let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            let passes = matches!(status, 408 | 429) || status >= 500;
            let splits = matches!(status, 400 | 408 | 413 | 422) || status >= 500;
            let fault = Fault::Refused { status, message: message(&text) };
            let asked_for = asked_for.filter(|_| matches!(status, 429 | 503));
            return Err(Failure { fault, passes, splits, asked_for });
        }
        let bytes = bytes.map_err(|error| self.failure(error))?;
        let text = self.secrets.hide_in_answer(String::from_utf8_lossy(&bytes).into_owned());
        let (value, holds_odd_numbers) =
            reading::parse(&text).map_err(|fault| Failure { splits: true, ..Failure::lasting(fault) })?;
        Ok(Reply { value, holds_odd_numbers })
    }

    /// What an error of the connection means.
    fn failure(&self, error: ureq::Error) -> Failure {
        let late = || Fault::Late(self.limits.timeout());
        // Where nobody answers at all, a smaller query does not help.
        let (fault, passes, splits) = match &error {
            ureq::Error::Timeout(_) => (late(), true, true),
            ureq::Error::Io(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                (late(), true, true)
            }
            ureq::Error::BodyExceedsLimit(_) => {
                let most = self.limits.bytes;
                (Fault::Garbage(format!("it is longer than {most} bytes (setting `bytes`)")), false, true)
            }
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
                let place = public_url(&self.url);
                (Fault::Disconnected(format!("{place} refuses connections: is the server running?")), true, false)
            }
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => {
                (Fault::Disconnected(format!("{}: {error}", public_url(&self.url))), true, false)
            }
            ureq::Error::Io(_) => (Fault::Disconnected(error.to_string()), true, true),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                (Fault::Garbage(format!("this is not HTTP: {error}")), false, true)
            }
            // Certificates, proxies and the like: nothing that time or another query changes.
            _ => (Fault::Disconnected(format!("{}: {error}", public_url(&self.url))), false, false),
        };
        Failure { fault, passes, splits, asked_for: None }
    }

    fn without_secrets(&self, fault: Fault) -> Fault {
        let hide = |text: String| self.secrets.hide(&text);
        match fault {
            Fault::Disconnected(text) => Fault::Disconnected(hide(text)),
            Fault::Refused { status, message } => Fault::Refused { status, message: hide(message) },
            Fault::Garbage(text) => Fault::Garbage(hide(text)),
            Fault::WrongShape(text) => Fault::WrongShape(hide(text)),
            Fault::Failed(text) => Fault::Failed(hide(text)),
            Fault::WrongInput { .. } | Fault::Unrecorded | Fault::Late(_) | Fault::NotFinite => fault,
        }
    }
}

/// How this program connects to a server: with the certificates of the system, and without a proxy to its own machine.
pub(crate) fn connections(url: &str) -> ConfigBuilder<AgentScope> {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        // A request that is sent elsewhere may lose its body or its key on the way: the user should name the right place.
        .max_redirects(0)
        .user_agent(concat!("allotrope/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) { config.proxy(None) } else { config }
}

/// The key in a variable that the user named; nothing, where no variable is named.
pub(crate) fn key_from(variable: Option<&str>) -> Result<Option<String>, OpenError> {
    let Some(variable) = variable else { return Ok(None) };
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(key.trim().to_owned())),
        _ => Err(OpenError::Missing(format!(
            "the environment variable `{variable}`, which should hold the key, is not set"
        ))),
    }
}

/// Is the server on this machine?
pub(crate) fn is_loopback(url: &str) -> bool {
    let uri = url.parse::<ureq::http::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// What a server says with a refusal: the message inside the usual kinds of objects, or the text.
pub(crate) fn message(text: &str) -> String {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let places = ["/error/message", "/message", "/detail", "/error"];
    let inner =
        value.and_then(|value| Some(places.iter().find_map(|place| value.pointer(place)?.as_str())?.to_owned()));
    let said = shortened(inner.as_deref().unwrap_or(text));
    if said.is_empty() { "it said nothing more".to_owned() } else { said }
}

/// How long the server wants to be left alone: seconds, or a date. A date is compared with the server's own clock where it tells
/// the time, because clocks differ. One that has passed says nothing, and the doubling pauses serve.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let asked_for = text("retry-after")?;
    let seconds = match asked_for.parse::<f64>() {
        Ok(seconds) => seconds,
        Err(_) => {
            let until = dates::seconds(asked_for)? as f64;
            let here = || now.duration_since(UNIX_EPOCH).map(|since| since.as_secs_f64()).ok();
            let passed = until - text("date").and_then(dates::seconds).map(|date| date as f64).or_else(here)?;
            Some(passed).filter(|seconds| *seconds > 0.0)?
        }
    };
    // Nobody waits for a week and more, whatever a server asks for.
    seconds.is_finite().then_some(seconds.min(1e6)).filter(|seconds| *seconds >= 0.0).map(Duration::from_secs_f64)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place > group.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_its_padding() {
        // The vectors of RFC 4648, section 10.
        for (plain, encoded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn messages_are_found_in_the_usual_places() {
        assert_eq!(message(r#"{"error":{"message":"no such model"}}"#), "no such model");
        assert_eq!(message(r#"{"error":"no such model"}"#), "no such model");
        assert_eq!(message(r#"{"detail":"no such model"}"#), "no such model");
        assert_eq!(message("<html>\n502"), "<html> 502");
        assert_eq!(message(""), "it said nothing more");
    }

    #[test]
    fn a_pause_is_a_number_of_seconds_or_ends_at_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let asked_for = |retry_after: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", HeaderValue::from_str(retry_after).expect("a header"));
            if let Some(date) = date {
                headers.insert("date", HeaderValue::from_str(date).expect("a header"));
            }
            super::retry_after(&headers, now).map(|pause| pause.as_secs_f64())
        };
        assert_eq!(asked_for(" 2.5 ", None), Some(2.5));
        assert_eq!(asked_for("Sun, 06 Nov 1994 08:49:40 GMT", None), Some(3.0));
        assert_eq!(asked_for("Sun, 06 Nov 1994 08:49:37 GMT", None), None);
        assert_eq!(asked_for("Sun, 06 Nov 1994 08:49:36 GMT", None), None);
        // The server's clock is an hour ahead of ours.
        assert_eq!(asked_for("Sun, 06 Nov 1994 09:50:00 GMT", Some("Sun, 06 Nov 1994 09:49:37 GMT")), Some(23.0));
        assert_eq!(asked_for("Sun, 06 Nov 1994 08:49:40 GMT", Some("now")), Some(3.0));
        assert_eq!(asked_for("Fri, 31 Dec 2100 23:59:59 GMT", None), Some(1e6));
        for nonsense in ["", "soon", "-1", "NaN", "inf", "Sun, 06 Nov 1994"] {
            assert_eq!(asked_for(nonsense, None), None, "{nonsense}");
        }
        assert_eq!(super::retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1", "http://[::1]:8000/"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["http://localhost.example.org", "https://10.0.0.1/", "nonsense"] {
            assert!(!is_loopback(url), "{url}");
        }
    }

    #[test]
    fn what_is_no_url_is_refused_without_its_secrets() {
        for url in ["ftp://me:geheim@host/", "http://", "http://me:geheim@", "me:geheim@host"] {
            let error = Client::new(url, None, Limits::default()).err().expect("refused").to_string();
            assert!(error.contains("is not a ") && error.contains("URL"), "{error}");
            assert!(!error.contains("geheim"), "{error}");
        }
        let error = Client::new("http://host", Some("ge\nheim".into()), Limits::default()).err().expect("refused");
        assert!(!error.to_string().contains("heim"), "{error}");
    }
}
