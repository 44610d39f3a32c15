//! What can be taken away: every table and picture of a page, in forms that other programs read.

use std::path::Path;

use campaign::complete_file;
use measure::in_latex;
use serde_json::{Map, Value, json};

use crate::parts::{Part, Picture, Sheet};
use crate::pictures::Drawing;
use crate::run::ReportError;

/// The files of a table or picture: the ending and the text of each.
pub struct Export {
    /// What the files are called, without the ending.
    pub name: String,
    /// The endings, and what is in the files.
    pub files: Vec<(&'static str, String)>,
}

/// The files of everything in some parts. Names that occur before get a number, here and in the parts.
pub fn exports(parts: &mut [Part], all: &mut Vec<Export>) {
    for part in parts {
        match part {
            Part::Markup(_) => (),
            Part::Table(sheet) => {
                sheet.name = free_name(&sheet.name, all);
                all.push(Export { name: sheet.name.clone(), files: of_table(sheet) });
            }
            Part::Pictures(pictures) => {
                for picture in pictures {
                    picture.name = free_name(&picture.name, all);
                    all.push(of_picture(picture));
                }
            }
            Part::Folded(_, inner) => exports(inner, all),
        }
    }
}

/// A name without anything that a file system or a shell minds, which no other export has.
fn free_name(name: &str, all: &[Export]) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { ' ' };
    let name: String = name.chars().map(plain).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join("-");
    let is_free = |name: &String| all.iter().all(|other| other.name != *name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

fn of_table(sheet: &Sheet) -> Vec<(&'static str, String)> {
    let table = sheet.to_table();
    // Captions stand above tables, and the table is as wide as it has to be: authors choose what to leave out.
    let latex = format!(
        "% needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}}}\n{}\\end{{table}}\n",
        in_latex(&sheet.title),
        sheet.name,
        table.to_latex()
    );
    vec![("csv", table.to_csv()), ("tex", latex), ("md", table.to_markdown())]
}

fn of_picture(picture: &Picture) -> Export {
    Export { name: picture.name.clone(), files: vec![("svg", standalone(&picture.drawing))] }
}

/// A picture as a file of its own, in light colours.
fn standalone(Drawing { label, wide, .. }: &Drawing) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" aria-label=\"{label}\" {}\n<style>{}</style>\n{}</svg>\n",
        wide.opening(),
        style(),
        wide.body
    )
}

/// The rules for pictures, without variables, which programs that draw SVG seldom know.
fn style() -> String {
    const STYLE: &str = include_str!("page.css");
    let between = |from: &str, to: &str| {
        let rest = STYLE.split_once(from).map_or("", |(_, rest)| rest);
        rest.split_once(to).map_or("", |(found, _)| found)
    };
    let root = between(":root {", "}");
    let variables: Vec<(&str, &str)> =
        root.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(": ")).collect();
    let valued = |text: &str| {
        variables.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("var(--{name})"), value))
    };
    let mut style = String::new();
    for rule in between("/* Pictures. */", "/* The end of pictures. */").split('}') {
        let Some((selectors, declarations)) = rule.split_once('{') else { continue };
        let (selectors, declarations) = (selectors.trim(), declarations.trim());
        if !declarations.contains("var(--series)") {
            style.push_str(&format!("{selectors} {{ {} }}\n", valued(declarations)));
            continue;
        }
        for (name, value) in variables.iter().filter(|(name, _)| name.starts_with('c') && name.len() == 2) {
            let selectors: Vec<String> = selectors.split(',').map(|one| format!("{}.{name}", one.trim())).collect();
            let declarations = valued(&declarations.replace("var(--series)", value));
            style.push_str(&format!("{} {{ {declarations} }}\n", selectors.join(", ")));
        }
    }
    style
}

/// What the buttons of a page give away: for each name the files by their endings.
pub fn to_json(all: &[Export]) -> Value {
    let files = |export: &Export| -> Map<String, Value> {
        export.files.iter().map(|(ending, text)| ((*ending).to_owned(), json!(text))).collect()
    };
    all.iter().map(|export| (export.name.clone(), Value::Object(files(export)))).collect()
}

/// Writes all files into a folder, which is made where it is missing. Gives their number.
pub fn write(all: &[Export], folder: &Path) -> Result<usize, ReportError> {
    let unwritable = |path: &Path, source| ReportError::Unwritable { path: path.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
    let mut count = 0;
    for Export { name, files } in all {
        for (ending, text) in files {
            let path = folder.join(format!("{name}.{ending}"));
            complete_file::write(&path, text.as_bytes()).map_err(|source| unwritable(&path, source))?;
            count += 1;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_none_is_there_twice() {
        let taken = |name: &str| Export { name: name.to_owned(), files: Vec::new() };
        let all = [taken("attacks"), taken("attacks-2"), taken("kl-teacher-student")];
        assert_eq!(free_name("Attacks", &all), "attacks-3");
        assert_eq!(free_name("KL(teacher || ../student)", &[]), "kl-teacher-student");
    }

    #[test]
    fn pictures_need_no_variables() {
        let style = style();
        assert!(!style.contains("var(") && style.contains(".bar.c0, .box.c0 { fill: #2456c9; }"), "{style}");
        assert!(style.contains(".grid { stroke: #e2e5ea; fill: none; }"), "{style}");
    }
}
