//! `allotrope site`: the documentation as a folder of pages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;
use report::site::{Body, Document, Site, SiteError, documents};

use super::explain;
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope site`.
#[derive(clap::Args)]
#[command(after_help = "\
The pages have the manual page of every unit, as explain prints it, and the help of every command. With --documents they also have the
documents of a checkout of this program: README, guide, evidence, design, and the files that these link to. Names of units and commands
link to their pages. index.html opens from disk; the search works without a server, and nothing is fetched.

A link that leads nowhere is an error, and nothing is written then.

Examples:
  allotrope site --documents . -o site
  allotrope site -o manual")]
pub struct Arguments {
    /// Checkout of this program, whose documents get in as well.
    #[arg(long, value_name = "FOLDER")]
    documents: Option<PathBuf>,
    /// Folder to write the pages to.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut all = match &arguments.documents {
        Some(root) => documents(root).map_err(failure)?,
        None => Vec::new(),
    };
    all.extend(commands());
    all.extend(explain::pages().into_iter().map(|page| Document {
        path: format!("{}/{}", page.group.to_lowercase().replace(' ', "-"), page.name),
        title: Some(page.name),
        group: Some(page.group),
        body: Body::Markdown(in_markdown(&page.text)),
    }));
    let site = Site::of(all, arguments.documents.as_deref()).map_err(failure)?;
    site.write(&arguments.output).map_err(failure)?;
    say(&format!("{} pages: open {}\n", site.pages, arguments.output.join("index.html").display()));
    Ok(ExitCode::SUCCESS)
}

/// The help of every command.
fn commands() -> Vec<Document> {
    let mut all = crate::Arguments::command();
    all.build();
    let is_own = |command: &&mut clap::Command| command.get_name() != "help";
    let mut found = Vec::new();
    for command in all.get_subcommands_mut().filter(is_own) {
        let name = command.get_name().to_owned();
        let text = command.render_long_help().to_string();
        found.push(Document {
            path: format!("commands/{name}"),
            title: Some(format!("allotrope {name}")),
            group: Some("Commands"),
            body: Body::Text(text),
        });
    }
    found
}

/// A manual page in Markdown as it is read by others: facts stay on lines of their own, and an arrow between examples is a word.
fn in_markdown(page: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        let key = line.split_once(": ").map_or("", |(key, _)| key);
        let is_fact = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        match line {
            "->" if !is_code => text.push_str("\nbecomes\n"),
            _ if is_fact && !is_code => text.push_str(&format!("{line}  ")),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn failure(error: SiteError) -> Failure {
    Failure::missing(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_pages_keep_their_lines() {
        let page = "Title.\n\nclass: naming\nfrom: a\n\n```c\nx: y\n```\n->\n```c\n->\n```\n";
        assert_eq!(
            in_markdown(page),
            "Title.\n\nclass: naming  \nfrom: a  \n\n```c\nx: y\n```\n\nbecomes\n\n```c\n->\n```\n"
        );
    }
}
