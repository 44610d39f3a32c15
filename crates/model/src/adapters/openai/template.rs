//! How a query is put into words: the templates that come along, and those of users.

use std::path::Path;

use serde::Deserialize;

use crate::endpoint::settings::{read_table, unusable};
use crate::{Code, Fault, Input, OpenError};

/// The templates that come along, by the names of their tasks.
const SHIPPED: [(&str, &str); 9] = [
    ("vulnerability", include_str!("../../prompts/vulnerability.toml")),
    ("clone", include_str!("../../prompts/clone.toml")),
    ("authorship", include_str!("../../prompts/authorship.toml")),
    ("functionality", include_str!("../../prompts/functionality.toml")),
    ("defect", include_str!("../../prompts/defect.toml")),
    ("method-name", include_str!("../../prompts/method-name.toml")),
    ("captioning", include_str!("../../prompts/captioning.toml")),
    ("documentation", include_str!("../../prompts/documentation.toml")),
    ("code-search", include_str!("../../prompts/code-search.toml")),
];

/// A template.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Template {
    /// What is asked about.
    pub input: Shape,
    /// What the answer is.
    pub answer: Form,
    /// The words that are answers, by the number of their class.
    #[serde(default)]
    pub labels: Vec<String>,
    /// How long the answer may become.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: u32,
    /// What the model is told before the query.
    #[serde(default)]
    pub system: String,
    /// The query.
    pub user: String,
}

/// The shapes of inputs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(super) enum Shape {
    #[serde(rename = "code")]
    Code,
    #[serde(rename = "pair")]
    Pair,
    #[serde(rename = "code and text")]
    CodeAndText,
}

/// The forms of answers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    Label,
    Name,
    Text,
}

fn default_max_tokens() -> u32 {
    64
}

impl Template {
    /// The template of a task, or one from a file. Labels that are given replace those of the template.
    pub fn find(
        task: Option<&str>,
        file: Option<&str>,
        labels: Option<Vec<String>>,
        place: &str,
    ) -> Result<Template, OpenError> {
        let (name, table) = match (task, file) {
            (_, Some(file)) => (file, read_table(Path::new(file))?),
            (Some(task), None) => (task, shipped(task, place)?),
            (None, None) => {
                return Err(unusable(place, format!("which task is it? Add `?task=TASK`, one of {}", tasks())));
            }
        };
        let wrong = |error: toml::de::Error| unusable(name, format!("is not a valid template: {}", error.message()));
        let mut template: Template = table.try_into().map_err(wrong)?;
        template.labels = labels.unwrap_or(template.labels);
        template.check(name)?;
        Ok(template)
    }

    fn check(&self, name: &str) -> Result<(), OpenError> {
        let wanted: &[&str] = match self.input {
            Shape::Code => &["{code}"],
            Shape::Pair => &["{code1}", "{code2}"],
            Shape::CodeAndText => &["{code}", "{text}"],
        };
        if let Some(missing) = wanted.iter().find(|place| !self.user.contains(**place)) {
            return Err(unusable(name, format!("`user` must have a place for the input: {missing} is missing")));
        }
        if self.answer != Form::Label {
            return Ok(());
        }
        if self.labels.len() < 2 {
            return Err(unusable(
                name,
                "at least two labels are needed: add `?labels=FIRST,SECOND,…` or `labels` in a file",
            ));
        }
        for (index, label) in self.labels.iter().enumerate() {
            if label.trim().is_empty() || label.trim() != label || self.labels[..index].contains(label) {
                return Err(unusable(
                    name,
                    format!("the label `{label}` is empty, has blanks around it, or is there twice"),
                ));
            }
        }
        Ok(())
    }

    /// The system's and the user's part of the query about an input.
    pub fn fill(&self, input: &Input) -> Result<(String, String), Fault> {
        let wrong = |wanted| Fault::WrongInput { wanted, given: input.shape() };
        let text_of = |code: &Code| code.text.trim_matches('\n').to_owned();
        let mut values = match (self.input, input) {
            (Shape::Code, Input::Code(code)) => vec![("code", text_of(code))],
            (Shape::Pair, Input::Pair(first, second)) => vec![("code1", text_of(first)), ("code2", text_of(second))],
            (Shape::CodeAndText, Input::CodeAndText(code, text)) => {
                vec![("code", text_of(code)), ("text", text.clone())]
            }
            (Shape::Code, _) => return Err(wrong("one program")),
            (Shape::Pair, _) => return Err(wrong("a pair of programs")),
            (Shape::CodeAndText, _) => return Err(wrong("a program and a text")),
        };
        let language = input.programs().first().map_or("", |code| code.language.name());
        values.push(("language", language.to_owned()));
        values.push(("labels", listed(&self.labels)));
        Ok((replaced(&self.system, &values), replaced(self.user.trim_start_matches('\n'), &values)))
    }
}

fn shipped(task: &str, place: &str) -> Result<toml::Table, OpenError> {
    let found = SHIPPED.iter().find(|(name, _)| *name == task);
    let (_, text) = found.ok_or_else(|| unusable(place, format!("unknown task `{task}`: use one of {}", tasks())))?;
    text.parse().map_err(|error: toml::de::Error| unusable(task, error.message()))
}

fn tasks() -> String {
    SHIPPED.map(|(name, _)| name).join(", ")
}

/// `no or yes`; `a, b or c`.
fn listed(labels: &[String]) -> String {
    match labels {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => labels.concat(),
    }
}

/// Puts values in their places, in one go: a value that looks like a place stays as it is, as does everything else in braces.
fn replaced(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, place) = rest.split_at(start);
        text.push_str(before);
        let value =
            values.iter().find(|(name, _)| place[1..].strip_prefix(name).is_some_and(|behind| behind.starts_with('}')));
        match value {
            Some((name, value)) => {
                text.push_str(value);
                rest = &place[name.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &place[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    fn code(text: &str) -> Code {
        Code { language: Language::Python, text: text.to_owned() }
    }

    #[test]
    fn every_task_has_a_template_that_holds_its_input() {
        let labels = |task: &str| {
            let needs = matches!(task, "authorship" | "functionality");
            needs.then(|| vec!["ada".to_owned(), "grace".to_owned(), "edsger".to_owned()])
        };
        for (task, _) in SHIPPED {
            let template = Template::find(Some(task), None, labels(task), "here").expect(task);
            let input = match template.input {
                Shape::Code => Input::Code(code("the_code")),
                Shape::Pair => Input::Pair(code("the_code"), code("the_second")),
                Shape::CodeAndText => Input::CodeAndText(code("the_code"), "find_this".to_owned()),
            };
            let (system, user) = template.fill(&input).expect(task);
            assert!(!system.is_empty() && !system.contains('{') && !user.contains('{'), "{task}: {system} {user}");
            assert!(user.contains("the_code") && user.contains("```python\n"), "{task}: {user}");
            assert_eq!(user.contains("the_second"), template.input == Shape::Pair);
            assert_eq!(user.contains("find_this"), template.input == Shape::CodeAndText);
            assert!(template.answer != Form::Label || user.contains(&listed(&template.labels)), "{task}: {user}");
        }
        assert_eq!(listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b or c");
    }

    #[test]
    fn code_that_looks_like_a_place_stays_as_it_is() {
        let template = Template {
            user: "{\"answer\": …} {code} {text} {x}".to_owned(),
            ..Template::find(Some("code-search"), None, None, "here").expect("a template")
        };
        let input = Input::CodeAndText(code("{text} {code} {"), "{code}}".to_owned());
        let (_, user) = template.fill(&input).expect("it fits");
        assert_eq!(user, "{\"answer\": …} {text} {code} { {code}} {x}");
    }

    #[test]
    fn other_shapes_of_input_are_refused() {
        let template = Template::find(Some("clone"), None, None, "here").expect("a template");
        let fault = template.fill(&Input::Code(code("a"))).expect_err("refused");
        assert_eq!(fault, Fault::WrongInput { wanted: "a pair of programs", given: "one program" });
    }

    #[test]
    fn templates_that_cannot_work_are_refused() {
        let refused = |task: Option<&str>, file: Option<&str>, labels: Option<Vec<String>>, words: &str| {
            let error = Template::find(task, file, labels, "here").expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
        refused(None, None, None, "Add `?task=TASK`, one of vulnerability, clone");
        refused(Some("clones"), None, None, "unknown task `clones`");
        refused(Some("authorship"), None, None, "at least two labels");
        refused(Some("clone"), None, Some(vec!["a".into(), "a".into()]), "is there twice");
        refused(Some("clone"), None, Some(vec!["a".into(), "".into()]), "is empty");
        refused(None, Some("no-such-file.toml"), None, "no-such-file.toml");
        let path = std::env::temp_dir().join(format!("allotrope-template-{}.toml", std::process::id()));
        let file = path.to_str().expect("a plain path");
        for (text, words) in [
            ("input = \"code\"\nanswer = \"text\"\nuser = \"hello\"\n", "{code} is missing"),
            ("input = \"code\"\nanswer = \"song\"\nuser = \"{code}\"\n", "song"),
            ("input = \"code\"\nanswer = \"text\"\nuser = \"{code}\"\nuse = 1\n", "unknown field `use`"),
            ("input = \"code\"\nanswer = \"text\"\n", "missing field `user`"),
        ] {
            std::fs::write(&path, text).expect("written");
            refused(None, Some(file), None, words);
        }
        std::fs::write(&path, "input = \"code\"\nanswer = \"text\"\nuser = \"Say {code}\"\n").expect("written");
        let template = Template::find(Some("clone"), Some(file), None, "here").expect("a template");
        assert_eq!(template.fill(&Input::Code(code("a\n"))).expect("it fits").1, "Say a");
        std::fs::remove_file(&path).expect("removed");
    }
}
