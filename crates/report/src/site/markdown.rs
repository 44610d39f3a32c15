//! Markdown as markup of the site. Raw markup of a document is text; comments are left out.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::links::Links;
use super::{Body, Document, SiteError};
use crate::markup::escape;

/// A document as markup, with what lists and the search need.
pub struct Page {
    pub title: String,
    pub html: String,
    /// The levels, anchors and texts of its headings.
    pub headings: Vec<(u8, String, String)>,
    /// Its first paragraph, where it is short.
    pub first: Option<String>,
    /// All of its words.
    pub text: String,
}

/// The longest first paragraph that a list shows.
const LONGEST_FIRST: usize = 160;

/// The anchor of a heading, made as GitHub makes it, so that links work in both places.
pub fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
    kept.flat_map(char::to_lowercase).map(|character| if character == ' ' { '-' } else { character }).collect()
}

/// The markup of a document.
pub fn render(document: &Document, links: &mut Links<'_>) -> Result<Page, SiteError> {
    match &document.body {
        Body::Markdown(text) => Ok(Writer::new(document, links).write(text)),
        Body::Text(text) => {
            let title = document.title.clone().unwrap_or_else(|| document.path.clone());
            let html =
                format!("<h1>{}</h1>\n<pre class=\"source\" tabindex=\"0\">{}</pre>\n", escape(&title), escape(text));
            let first = text.lines().next().filter(|line| line.len() <= LONGEST_FIRST).map(str::to_owned);
            // Sources are found by their names.
            let text = if document.group.is_some() { text.clone() } else { String::new() };
            Ok(Page { title, html, headings: Vec::new(), first: first.filter(|_| document.group.is_some()), text })
        }
    }
}

/// Markup that is being written.
struct Writer<'d, 'l, 'r> {
    document: &'d Document,
    links: &'l mut Links<'r>,
    html: String,
    /// The words, for the search.
    text: String,
    headings: Vec<(u8, String, String)>,
    first: Option<String>,
    /// Where the markup and the words of the heading or paragraph begin that is being written.
    begin: (usize, usize),
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// Within a link there is no other.
    link_depth: usize,
    /// The tags that end the links that are being written.
    ends: Vec<&'static str>,
}

impl<'d, 'l, 'r> Writer<'d, 'l, 'r> {
    fn new(document: &'d Document, links: &'l mut Links<'r>) -> Writer<'d, 'l, 'r> {
        Writer {
            document,
            links,
            html: String::new(),
            text: String::new(),
            headings: Vec::new(),
            first: None,
            begin: (0, 0),
            alignments: Vec::new(),
            column: 0,
            is_head: false,
            link_depth: 0,
            ends: Vec::new(),
        }
    }

    fn write(mut self, markdown: &str) -> Page {
        for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            self.event(event);
        }
        let heading = self.headings.first().map(|(.., text)| text.clone());
        let title = self.document.title.clone().or(heading).unwrap_or_else(|| self.document.path.clone());
        let has_heading = self.headings.iter().any(|(level, ..)| *level == 1);
        if !has_heading {
            self.html.insert_str(0, &format!("<h1>{}</h1>\n", escape(&title)));
        }
        Page { title, html: self.html, headings: self.headings, first: self.first, text: self.text }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words(&text),
            Event::Code(code) => {
                let unit = if self.link_depth == 0 { self.links.unit(&code).map(str::to_owned) } else { None };
                let shown = format!("<code>{}</code>", escape(&code));
                match unit {
                    Some(url) => self.html.push_str(&format!("<a class=\"unit\" href=\"{url}\">{shown}</a>")),
                    None => self.html.push_str(&shown),
                }
                self.text.push_str(&code);
            }
            // A comment says something to those who change the document.
            Event::Html(text) | Event::InlineHtml(text) if text.trim_start().starts_with("<!--") => (),
            Event::Html(text) | Event::InlineHtml(text) => self.words(&text),
            Event::SoftBreak => self.words("\n"),
            Event::HardBreak => {
                self.html.push_str("<br>\n");
                self.text.push(' ');
            }
            Event::Rule => self.html.push_str("<hr>\n"),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.words(&text),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => (),
        }
    }

    fn words(&mut self, text: &str) {
        self.html.push_str(&escape(text));
        self.text.push_str(text);
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.begin = match tag {
            Tag::Heading { .. } | Tag::Paragraph => (self.html.len(), self.text.len()),
            _ => self.begin,
        };
        match tag {
            Tag::Paragraph => self.html.push_str("<p>"),
            Tag::Heading { .. } | Tag::HtmlBlock => (),
            Tag::BlockQuote(_) => self.html.push_str("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.split(' ').next().unwrap_or("").to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.html.push_str(&format!("<pre tabindex=\"0\" data-language=\"{}\"><code>", escape(&language)));
            }
            Tag::List(None) => self.html.push_str("<ul>\n"),
            Tag::List(Some(first)) => self.html.push_str(&format!("<ol start=\"{first}\">\n")),
            Tag::Item => self.html.push_str("<li>"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.html
                    .push_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n");
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.html.push_str("<tr>");
            }
            Tag::TableCell => {
                let is_number = self.alignments.get(self.column) == Some(&Alignment::Right);
                let class = if is_number { " class=\"number\"" } else { "" };
                let cell = if self.is_head { format!("<th scope=\"col\"{class}>") } else { format!("<td{class}>") };
                self.html.push_str(&cell);
                self.column += 1;
            }
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            Tag::Link { dest_url, .. } => {
                self.link_depth += 1;
                match self.links.resolve(&self.document.path, &dest_url) {
                    Some(url) => {
                        self.html.push_str(&format!("<a href=\"{}\">", escape(&url)));
                        self.ends.push("</a>");
                    }
                    None => self.ends.push(""),
                }
            }
            Tag::Image { dest_url, .. } => {
                if let Some(name) = self.links.image(&self.document.path, &dest_url) {
                    self.html.push_str(&format!("<img src=\"{}\" alt=\"", escape(&name)));
                    self.ends.push("\">");
                } else {
                    self.ends.push("");
                }
            }
            _ => (),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.html.push_str("</p>\n");
                let paragraph = self.text[self.begin.1..].trim().replace('\n', " ");
                if self.first.is_none() && !paragraph.is_empty() && paragraph.len() <= LONGEST_FIRST {
                    self.first = Some(paragraph);
                } else if self.first.is_none() {
                    self.first = Some(String::new());
                }
                self.text.push('\n');
            }
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::BlockQuote(_) => self.html.push_str("</blockquote>\n"),
            TagEnd::CodeBlock => {
                self.html.push_str("</code></pre>\n");
                self.text.push('\n');
            }
            TagEnd::List(is_ordered) => self.html.push_str(if is_ordered { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Item => {
                self.html.push_str("</li>\n");
                self.text.push('\n');
            }
            TagEnd::Table => self.html.push_str("</tbody></table></div>\n"),
            TagEnd::TableHead => {
                self.is_head = false;
                self.html.push_str("</tr></thead><tbody>\n");
            }
            TagEnd::TableRow => {
                self.html.push_str("</tr>\n");
                self.text.push('\n');
            }
            TagEnd::TableCell => {
                self.html.push_str(if self.is_head { "</th>" } else { "</td>" });
                self.text.push(' ');
            }
            TagEnd::Emphasis => self.html.push_str("</em>"),
            TagEnd::Strong => self.html.push_str("</strong>"),
            TagEnd::Strikethrough => self.html.push_str("</del>"),
            TagEnd::Link => {
                self.link_depth -= 1;
                self.html.push_str(self.ends.pop().unwrap_or(""));
            }
            TagEnd::Image => self.html.push_str(self.ends.pop().unwrap_or("")),
            _ => (),
        }
    }

    /// Puts tags around a heading, whose anchor is made of its words.
    fn heading(&mut self, level: HeadingLevel) {
        let words = self.text[self.begin.1..].trim().to_owned();
        let plain = anchor(&words);
        let is_taken = |id: &String| self.headings.iter().any(|(_, taken, _)| taken == id);
        let numbered = (1..).map(|number| format!("{plain}-{number}"));
        let id = std::iter::once(plain.clone()).chain(numbered).find(|id| !is_taken(id)).unwrap_or_default();
        let level = level as u8;
        self.html.insert_str(self.begin.0, &format!("<h{level} id=\"{}\">", escape(&id)));
        self.html.push_str(&format!("</h{level}>\n"));
        self.text.push('\n');
        self.headings.push((level, id, words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let made = ["Check that two programs are equivalent", "`a_b` — c, D!", "Ä 2"].map(anchor);
        assert_eq!(made, ["check-that-two-programs-are-equivalent", "a_b--c-d", "ä-2"]);
    }

    #[test]
    fn tables_lists_and_code_are_written() {
        let text = "# T\n\nShort.\n\n| a | b |\n|---|---:|\n| `x` | 1 |\n\n1. one\n2. two\n   - inner\n\n```sh\na <b>\n```\n\n## T\n";
        let document =
            Document { path: "a.md".to_owned(), title: None, group: None, body: Body::Markdown(text.to_owned()) };
        let mut links = Links::new(vec![document.clone()], None);
        let page = render(&document, &mut links).unwrap();
        for part in [
            "<th scope=\"col\">a</th><th scope=\"col\" class=\"number\">b</th></tr></thead>",
            "<td><code>x</code></td><td class=\"number\">1</td>",
            "<ol start=\"1\">\n<li>one</li>\n<li>two<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>",
            "<pre tabindex=\"0\" data-language=\"sh\"><code>a &lt;b&gt;\n</code></pre>",
            "<h2 id=\"t-1\">T</h2>",
        ] {
            assert!(page.html.contains(part), "no {part} in {}", page.html);
        }
        assert_eq!((page.title.as_str(), page.first.as_deref()), ("T", Some("Short.")));
    }
}
