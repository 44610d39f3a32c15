//! What must never be written anywhere: keys, and passwords in URLs.

use std::fmt;

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// The secrets of an endpoint. Nothing of this type can be shown.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

impl Secrets {
    /// Takes in something that must not be written.
    pub fn add(&mut self, secret: impl Into<String>) {
        let secret = secret.into();
        if !secret.is_empty() && !self.0.contains(&secret) {
            self.0.push(secret);
            // A secret that holds another is replaced first, or else a part of it would stay.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// A message without the secrets, which servers like to quote.
    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN))
    }

    /// An answer without the secrets. Secrets of a few letters are left, because an answer may hold them by chance.
    pub fn hide_in_answer(&self, text: String) -> String {
        let long = self.0.iter().filter(|secret| secret.len() >= 8);
        long.fold(text, |text, secret| if text.contains(secret) { text.replace(secret, HIDDEN) } else { text })
    }
}

/// Is a parameter or an option of this name likely to hold a secret?
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let words =
        ["key", "apikey", "token", "secret", "password", "passwd", "pwd", "auth", "authorization", "sig", "signature"];
    // The name of a variable that holds a key is no secret, nor is a number of tokens.
    parts.iter().any(|part| words.contains(part)) && !parts.contains(&"variable")
}

/// A URL without user, password and the values of parameters that look like secrets.
pub(crate) fn public_url(url: &str) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
    let mut shown = without_user(address);
    if let Some(parameters) = parameters {
        let parameters = parameters.split('&').map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if is_secret_name(name) => format!("{name}={HIDDEN}"),
            _ => parameter.to_owned(),
        });
        shown = format!("{shown}?{}", parameters.collect::<Vec<_>>().join("&"));
    }
    shown
}

/// The words of a command without what looks like a secret: the value of an option with such a name, and passwords in URLs.
pub(crate) fn public_words(words: &[String]) -> Vec<String> {
    let mut is_value = false;
    let public = words.iter().map(|word| {
        if std::mem::take(&mut is_value) && !word.starts_with('-') {
            return HIDDEN.to_owned();
        }
        if word.contains("://") {
            return public_url(word);
        }
        match word.split_once('=') {
            Some((name, _)) if is_secret_name(name) => format!("{name}={HIDDEN}"),
            _ => {
                is_value = word.starts_with('-') && is_secret_name(word);
                word.clone()
            }
        }
    });
    public.collect()
}

/// Takes user and password out of a URL.
pub(crate) fn split_user(address: &str) -> (String, Option<String>) {
    // A password is one even where the scheme was forgotten.
    let start = address.find("://").map_or(0, |scheme| scheme + "://".len());
    let (scheme, rest) = address.split_at(start);
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rsplit_once('@') {
        Some((user, host)) => (format!("{scheme}{host}{}", &rest[host_end..]), Some(user.to_owned())),
        None => (address.to_owned(), None),
    }
}

fn without_user(address: &str) -> String {
    split_user(address).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lose_what_is_secret_and_keep_the_rest() {
        for (url, shown) in [
            ("http://localhost:8000/v1", "http://localhost:8000/v1"),
            ("https://me:geheim@host/v1", "https://host/v1"),
            ("https://me:ge@heim@host", "https://host"),
            ("me:geheim@host/a", "host/a"),
            ("https://host/v1@2", "https://host/v1@2"),
            ("https://host/a?key=geheim&task=clone", "https://host/a?key=***&task=clone"),
            ("https://host/a?api_key=geheim&API-Token=geheim", "https://host/a?api_key=***&API-Token=***"),
            ("https://host/a?sig=geheim&max_tokens=5", "https://host/a?sig=***&max_tokens=5"),
            ("https://host/a?key_variable=MY_KEY", "https://host/a?key_variable=MY_KEY"),
        ] {
            assert_eq!(public_url(url), shown);
        }
    }

    #[test]
    fn words_lose_what_is_secret_and_keep_the_rest() {
        let check = |words: &[&str], shown: &[&str]| {
            assert_eq!(public_words(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()), shown);
        };
        check(&["python3", "a.py", "--api-key", "geheim", "-v"], &["python3", "a.py", "--api-key", "***", "-v"]);
        check(&["a", "--token=geheim", "key=geheim"], &["a", "--token=***", "key=***"]);
        check(&["a", "--key", "--verbose"], &["a", "--key", "--verbose"]);
        check(&["a", "--url", "http://me:geheim@host/"], &["a", "--url", "http://host/"]);
        check(&["a", "--max-tokens", "5"], &["a", "--max-tokens", "5"]);
    }

    #[test]
    fn messages_lose_every_secret() {
        let mut secrets = Secrets::default();
        secrets.add("");
        secrets.add("abc");
        secrets.add("abcdefgh");
        assert_eq!(secrets.hide("key abcdefgh, password abc"), "key ***, password ***");
        assert_eq!(secrets.hide_in_answer("abcdefgh abc".to_owned()), "*** abc");
        assert_eq!(format!("{secrets:?}"), "***");
    }
}
