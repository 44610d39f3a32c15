//! The documentation as a folder of pages: documents, manual pages and help texts, with links between all of them and a search.
//!
//! The pages open from disk and fetch nothing. A link within the site that leads nowhere is an error, so that a site that was written
//! has none.

mod links;
mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use campaign::complete_file;
use serde_json::json;

use crate::markup::{escape, json_in_script};
use links::Links;
pub use markdown::anchor;

const STYLE: &str = include_str!("site/site.css");
const SCRIPT: &str = include_str!("site/site.js");

/// The rules of a report that pages of the site share: colours, and how a page looks in light and dark.
const COLOURS: &str = include_str!("page.css");

/// A page that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it is, from the root of the documents, with `/` between folders. Links between documents are resolved by it.
    pub path: String,
    /// What lists call it. Without one it is the first heading.
    pub title: Option<String>,
    /// Under which heading it is listed. Without one it is only linked.
    pub group: Option<&'static str>,
    pub body: Body,
}

/// What a document holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Markdown(String),
    /// Anything else that is text, such as the help of a command or a source.
    Text(String),
}

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    #[error("failed to read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("failed to write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("{} holds no documents: there is no README.md", .0.display())]
    NoDocuments(PathBuf),
    #[error("{} of the links lead nowhere:\n{}", .0.len(), .0.join("\n"))]
    Broken(Vec<String>),
}

/// A site that is ready to be written.
#[derive(Debug)]
pub struct Site {
    /// The files, by their names.
    files: BTreeMap<String, Vec<u8>>,
    /// How many pages are among them.
    pub pages: usize,
}

/// Folders that hold no documents of the project.
const LEFT_OUT: [&str; 3] = ["target", "node_modules", "fixtures"];

/// The Markdown documents in the folder of a project, those that readers begin with first.
pub fn documents(root: &Path) -> Result<Vec<Document>, SiteError> {
    if !root.join("README.md").is_file() {
        return Err(SiteError::NoDocuments(root.to_owned()));
    }
    let mut found = Vec::new();
    gather(root, "", &mut found)?;
    found.sort_by_key(|document| (!is_first(document), document.path.clone()));
    Ok(found)
}

fn is_first(document: &Document) -> bool {
    document.path == "README.md"
}

fn gather(root: &Path, below: &str, found: &mut Vec<Document>) -> Result<(), SiteError> {
    let folder = root.join(below);
    let unreadable = |source| SiteError::Unreadable { path: folder.clone(), source };
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        let place = root.join(&path);
        let is_hidden = name.starts_with('.') || LEFT_OUT.contains(&name.as_str());
        // A link to a folder could lead around in a circle.
        if place.is_dir() && !is_hidden && !place.is_symlink() {
            gather(root, &path, found)?;
        } else if name.ends_with(".md") && place.is_file() {
            let text = std::fs::read_to_string(&place)
                .map_err(|source| SiteError::Unreadable { path: place.clone(), source })?;
            let group = match name.as_str() {
                "EVIDENCE.md" | "FIDELITY.md" | "MUTATION.md" => "Evidence",
                _ if path == "models/README.md" => "Evidence",
                "DESIGN.md" | "ARCHITECTURE.md" | "CONTRIBUTING.md" => "Design",
                _ => "Guide",
            };
            found.push(Document { path, title: None, group: Some(group), body: Body::Markdown(text) });
        }
    }
    Ok(())
}

impl Site {
    /// Makes the site of documents. Files that they link to are taken from the folder of the project, where there is one.
    pub fn of(documents: Vec<Document>, root: Option<&Path>) -> Result<Site, SiteError> {
        let mut links = Links::new(documents, root);
        // Documents are rendered first, because they say which other files and folders get pages.
        let mut rendered = Vec::new();
        let mut place = 0;
        while place < links.documents.len() {
            let document = links.documents[place].clone();
            rendered.push(markdown::render(&document, &mut links)?);
            place += 1;
        }
        links.check_anchors(&rendered);
        if !links.broken.is_empty() {
            return Err(SiteError::Broken(links.broken));
        }
        let listed: Vec<(&'static str, Vec<usize>)> = groups(&links.documents);
        let mut files: BTreeMap<String, Vec<u8>> = links.assets;
        let mut index = Vec::new();
        for (document, page) in links.documents.iter().zip(&rendered) {
            let name = links::file_of(&document.path);
            let html = page_of(&page.title, document.group, &page.html, &page.headings, &listed);
            files.insert(name.clone(), html.into_bytes());
            let headings: Vec<_> = page.headings.iter().map(|(_, id, text)| json!([text, id])).collect();
            let group = document.group.unwrap_or("File");
            index.push(
                json!({"title": page.title, "group": group, "url": name, "headings": headings, "text": page.text}),
            );
        }
        let pages = rendered.len() + 1;
        files.insert("contents.html".to_owned(), contents(&links.documents, &rendered, &listed).into_bytes());
        if !files.contains_key("index.html") {
            let first = files["contents.html"].clone();
            files.insert("index.html".to_owned(), first);
        }
        let index = format!("const PAGES = {};\n", json_in_script(&serde_json::Value::from(index)));
        files.insert("search.js".to_owned(), index.into_bytes());
        files.insert("site.js".to_owned(), SCRIPT.as_bytes().to_vec());
        let colours = COLOURS.split_once("* { box-sizing").map_or(COLOURS, |(colours, _)| colours);
        files.insert("site.css".to_owned(), format!("{colours}{STYLE}").into_bytes());
        Ok(Site { files, pages })
    }

    /// Writes the files into a folder, which is made where it is missing.
    pub fn write(&self, folder: &Path) -> Result<(), SiteError> {
        let unwritable = |path: &Path, source| SiteError::Unwritable { path: path.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            complete_file::write(&path, bytes).map_err(|source| unwritable(&path, source))?;
        }
        Ok(())
    }
}

/// The headings that documents are listed under, in the order of their first documents, each with the places of its documents.
fn groups(documents: &[Document]) -> Vec<(&'static str, Vec<usize>)> {
    let mut groups: Vec<(&'static str, Vec<usize>)> = Vec::new();
    for (place, group) in documents.iter().enumerate().filter_map(|(place, one)| Some((place, one.group?))) {
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, places)) => places.push(place),
            None => groups.push((group, vec![place])),
        }
    }
    groups
}

/// A page with what all pages have.
fn page_of(
    title: &str,
    group: Option<&str>,
    body: &str,
    headings: &[(u8, String, String)],
    groups: &[(&'static str, Vec<usize>)],
) -> String {
    let links: String = groups
        .iter()
        .map(|(name, _)| {
            let current = if group == Some(*name) { r#" aria-current="true""# } else { "" };
            format!(r#"<a href="contents.html#{}"{current}>{}</a>"#, anchor(name), escape(name))
        })
        .collect();
    let of_page: Vec<&(u8, String, String)> = headings.iter().filter(|(level, ..)| *level == 2).collect();
    let aside = match of_page.len() {
        0 | 1 => String::new(),
        _ => {
            let items: String = of_page
                .iter()
                .map(|(_, id, text)| format!("<li><a href=\"#{id}\">{}</a></li>", escape(text)))
                .collect();
            format!("<aside><details open><summary>On this page</summary><ul>{items}</ul></details></aside>\n")
        }
    };
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="allotrope {version}">
<title>{title} – allotrope</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="site.css">
</head>
<body>
<a class="skip" href="#main">To the text</a>
<nav aria-label="Site"><a class="home" href="index.html">allotrope</a>{links}<span class="tools"><input type="search" id="search" aria-label="Search all pages" placeholder="Search" autocomplete="off" hidden><button type="button" id="theme" hidden>Dark</button></span></nav>
<section id="found" aria-label="Found pages" hidden></section>
<div class="columns">
{aside}<main id="main">
{body}</main>
</div>
<script src="search.js"></script>
<script src="site.js"></script>
</body>
</html>
"##,
        title = escape(title),
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// The page that lists all others.
fn contents(documents: &[Document], pages: &[markdown::Page], groups: &[(&'static str, Vec<usize>)]) -> String {
    let mut body = String::from("<h1>Contents</h1>\n");
    let mut headings = Vec::new();
    for (group, places) in groups {
        let id = anchor(group);
        body.push_str(&format!("<h2 id=\"{id}\">{}</h2>\n<ul class=\"pages\">", escape(group)));
        for place in places {
            let (url, page) = (links::file_of(&documents[*place].path), &pages[*place]);
            let about =
                page.first.as_deref().map(|first| format!("<br><small>{}</small>", escape(first))).unwrap_or_default();
            body.push_str(&format!("<li><a href=\"{url}\">{}</a>{about}</li>\n", escape(&page.title)));
        }
        body.push_str("</ul>\n");
        headings.push((2, id, (*group).to_owned()));
    }
    page_of("Contents", None, &body, &headings, groups)
}

/// The names of the anchors of a page.
fn anchors(page: &markdown::Page) -> BTreeSet<&str> {
    page.headings.iter().map(|(_, id, _)| id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(path: &str, text: &str) -> Document {
        Document { path: path.to_owned(), title: None, group: Some("Guide"), body: Body::Markdown(text.to_owned()) }
    }

    fn site(documents: Vec<Document>) -> Result<Site, SiteError> {
        Site::of(documents, None)
    }

    fn text(site: &Site, name: &str) -> String {
        String::from_utf8(site.files[name].clone()).unwrap()
    }

    #[test]
    fn links_lead_to_pages_and_anchors() {
        let readme = "# Start\n\n[guide](docs/guide.md#two-words), `beam`, `allotrope attack --model x`\n\n## A `b`, c!\n\n[here](#a-b-c)\n";
        let unit = |path: &str, title: &str| Document {
            title: Some(title.to_owned()),
            group: Some("Attacks"),
            ..document(path, "x\n")
        };
        let documents = vec![
            document("README.md", readme),
            document(
                "docs/guide.md",
                "# Guide\n\n[back](../README.md) and [there](https://example.org)\n\n## Two words\n",
            ),
            unit("attacks/beam", "beam"),
            unit("commands/attack", "allotrope attack"),
        ];
        let made = site(documents).unwrap();
        let index = text(&made, "index.html");
        for link in [
            "href=\"docs-guide.html#two-words\"",
            "<a class=\"unit\" href=\"attacks-beam.html\"><code>beam</code></a>",
            "<a class=\"unit\" href=\"commands-attack.html\"><code>allotrope attack --model x</code></a>",
            "<h2 id=\"a-b-c\">",
            "href=\"#a-b-c\"",
        ] {
            assert!(index.contains(link), "no {link} in {index}");
        }
        assert!(text(&made, "docs-guide.html").contains("href=\"index.html\">back"));
        assert!(text(&made, "contents.html").contains("href=\"attacks-beam.html\">beam</a>"));
        assert!(text(&made, "search.js").starts_with("const PAGES = [{"));
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let readme = "# A\n\n[one](docs/none.md), [two](#none), [three](docs/b.md#none), [four](../outside.md), ![five](none.png)\n";
        let Err(SiteError::Broken(found)) = site(vec![document("README.md", readme), document("docs/b.md", "# B\n")])
        else {
            panic!("links that lead nowhere are not found")
        };
        assert_eq!(found.len(), 5, "{found:?}");
        for target in ["docs/none.md", "#none", "docs/b.md#none", "../outside.md", "none.png"] {
            assert!(
                found.iter().any(|broken| broken == &format!("README.md: {target}")),
                "{target} is not in {found:?}"
            );
        }
    }

    #[test]
    fn texts_are_text_and_scripts_do_not_run() {
        let hostile = "# A <b>\n\n<script>alert(1)</script>\n\n<!-- note -->\n\n[x](javascript:alert(1))\n\n```c\n</script><b>\n```\n\na <i>b</i>\n";
        let Err(SiteError::Broken(found)) = site(vec![document("README.md", hostile)]) else {
            panic!("an address of a script is accepted")
        };
        assert_eq!(found, ["README.md: javascript:alert(1)"]);
        let made = site(vec![document("README.md", &hostile.replace("javascript:alert(1)", "#a-b"))]).unwrap();
        let index = text(&made, "index.html");
        assert!(!index.contains("<script>") && !index.contains("<i>") && !index.contains("note"), "{index}");
        assert!(index.contains("&lt;/script&gt;&lt;b&gt;") && index.contains("&lt;i&gt;b&lt;/i&gt;"));
        assert!(!text(&made, "search.js").contains('<'));
    }
}
