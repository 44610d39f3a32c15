//! What sections are made of: markup, tables and pictures. Tables and pictures can be taken away in other forms.

use measure::{Cell, Interval, Line, Table};

use crate::markup::{count, escape, percent, short};
use crate::pictures::Drawing;

/// How many letters a text has at most that stands on one line of a table.
const SHORT: usize = 22;

/// A part of a section.
pub enum Part {
    /// Markup, in which texts are escaped.
    Markup(String),
    /// A table.
    Table(Sheet),
    /// Pictures beside each other.
    Pictures(Vec<Picture>),
    /// Parts that are shown when their summary is opened.
    Folded(String, Vec<Part>),
}

impl Part {
    /// A paragraph of markup.
    pub fn paragraph(markup: impl std::fmt::Display) -> Part {
        Part::Markup(format!("<p>{markup}</p>\n"))
    }

    /// A heading within a section.
    pub fn heading(text: &str) -> Part {
        Part::Markup(format!("<h3>{}</h3>\n", escape(text)))
    }
}

/// A picture with its caption.
pub struct Picture {
    /// What its file is called, without the ending.
    pub name: String,
    /// Its title, a text.
    pub title: String,
    /// What is drawn.
    pub drawing: Drawing,
    /// Markup below it.
    pub caption: String,
}

/// A table of the page.
pub struct Sheet {
    /// What its files are called, without the endings.
    pub name: String,
    /// What it shows, a text.
    pub title: String,
    /// How many columns at its start say what a row is about.
    pub heads: usize,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, with an entry for each column.
    pub rows: Vec<Vec<Entry>>,
    /// A class of the style sheet beside that of all tables.
    pub class: &'static str,
}

/// A column of a table.
pub struct Column {
    title: String,
    meaning: String,
    small: String,
    has_words: bool,
}

impl Column {
    /// A column with a heading.
    pub fn new(title: impl Into<String>) -> Column {
        Column { title: title.into(), meaning: String::new(), small: String::new(), has_words: false }
    }

    /// What the heading means, shown where somebody points at it.
    pub fn meaning(self, meaning: impl Into<String>) -> Column {
        Column { meaning: meaning.into(), ..self }
    }

    /// A second line of the heading.
    pub fn small(self, small: impl Into<String>) -> Column {
        Column { small: small.into(), ..self }
    }

    /// A column of words, which may be long.
    pub fn words(self) -> Column {
        Column { has_words: true, ..self }
    }
}

/// What stands in a row of a table.
pub struct Entry {
    cell: Cell,
    interval: Option<Interval>,
    /// Markup of the value.
    shown: String,
    /// Markup of what stands below it.
    below: String,
    class: String,
    title: String,
}

impl Entry {
    fn new(cell: Cell, shown: String) -> Entry {
        Entry { cell, interval: None, shown, below: String::new(), class: String::new(), title: String::new() }
    }

    /// A text.
    pub fn text(text: &str) -> Entry {
        Entry::new(text.into(), escape(text))
    }

    /// How many.
    pub fn count(number: usize) -> Entry {
        Entry::new(number.into(), count(number))
    }

    /// A share in percent, above its interval.
    pub fn share(value: Option<f64>, interval: Option<Interval>) -> Entry {
        let ends = |it: Interval| format!("{:.1} – {:.1}", it.low * 100.0, it.high * 100.0);
        Entry::new(value.into(), value.map_or("–".to_owned(), percent)).with(value, interval, ends)
    }

    /// A number above its interval.
    pub fn number(value: Option<f64>, interval: Option<Interval>) -> Entry {
        let ends = |it: Interval| format!("{} – {}", short(it.low), short(it.high));
        Entry::new(value.into(), value.map_or("–".to_owned(), short)).with(value, interval, ends)
    }

    /// A measure above its interval.
    pub fn line(line: Option<&Line>, is_share: bool) -> Entry {
        let (value, interval) = line.map_or((None, None), |line| (line.value, line.interval));
        if is_share { Entry::share(value, interval) } else { Entry::number(value, interval) }
    }

    /// A p-value, or an effect that may be small.
    pub fn small_number(value: Option<f64>) -> Entry {
        let shown = match value {
            None => "–".to_owned(),
            Some(value) if value.abs() < 0.001 && value != 0.0 => format!("{value:.1e}"),
            Some(value) => format!("{value:.3}"),
        };
        Entry::new(value.into(), shown)
    }

    /// A cell of a table that commands print. A text such as `0.708 [0.508, 0.851]` is a value with its interval.
    pub fn cell(cell: &Cell) -> Entry {
        match cell {
            Cell::Text(text) => match value_with_interval(text) {
                Some((value, interval)) => Entry::number(Some(value), Some(interval)),
                None => Entry::text(text),
            },
            Cell::Count(number) => Entry::count(usize::try_from(*number).unwrap_or(usize::MAX)),
            other => Entry::new(other.clone(), escape(&other.for_people())),
        }
    }

    fn with(mut self, value: Option<f64>, interval: Option<Interval>, ends: impl Fn(Interval) -> String) -> Entry {
        self.interval = interval.filter(|_| value.is_some());
        self.below = self.interval.map(|it| format!("<small>{}</small>", ends(it))).unwrap_or_default();
        self
    }

    /// The same in a class of the style sheet.
    pub fn class(mut self, class: impl Into<String>) -> Entry {
        self.class = class.into();
        self
    }

    /// The same with words for those who point at it.
    pub fn title(mut self, title: impl Into<String>) -> Entry {
        self.title = title.into();
        self
    }

    /// The same with markup below it.
    pub fn below(mut self, markup: impl Into<String>) -> Entry {
        self.below = markup.into();
        self
    }

    /// The same, shown as other markup.
    pub fn shown(mut self, markup: impl Into<String>) -> Entry {
        self.shown = markup.into();
        self
    }
}

/// The number and the ends of `0.708 [0.508, 0.851]`.
fn value_with_interval(text: &str) -> Option<(f64, Interval)> {
    let (value, rest) = text.split_once(" [")?;
    let (low, high) = rest.strip_suffix(']')?.split_once(", ")?;
    Some((value.parse().ok()?, Interval { low: low.parse().ok()?, high: high.parse().ok()? }))
}

impl Sheet {
    /// A table without rows.
    pub fn new(name: &str, title: &str, columns: Vec<Column>) -> Sheet {
        let (name, title) = (name.to_owned(), title.to_owned());
        Sheet { name, title, heads: 1, columns, rows: Vec::new(), class: "" }
    }

    /// A table that a command prints. A column of intervals stands below the column before it.
    pub fn of(name: &str, title: &str, table: &Table) -> Sheet {
        let is_interval = |column: &usize| {
            *column > 0
                && table.rows().iter().any(|row| matches!(row[*column], Cell::Interval(_)))
                && table.rows().iter().all(|row| matches!(row[*column], Cell::Interval(_)))
        };
        let kept: Vec<usize> = (0..table.columns().len()).filter(|column| !is_interval(column)).collect();
        // A number with something beside it, such as `0.5 (16)`, is still a number.
        let is_number = |text: &str| {
            let is_first = |character: char| character.is_ascii_digit() || "+-–".contains(character);
            text.is_empty() || text.starts_with(is_first)
        };
        let has_words = |column: usize| {
            let is_word = |row: &&Vec<Cell>| matches!(&row[column], Cell::Text(text) if !is_number(text));
            table.rows().iter().all(|row| matches!(row[column], Cell::Text(_)))
                && table.rows().iter().any(|row| is_word(&row))
        };
        let column = |column: &usize| {
            let made = Column::new(table.columns()[*column].clone());
            if has_words(*column) && !table.rows().is_empty() { made.words() } else { made }
        };
        let mut sheet = Sheet::new(name, title, kept.iter().map(column).collect());
        for row in table.rows() {
            let entry = |column: &usize| {
                let entry = Entry::cell(&row[*column]);
                match (row.get(column + 1), &row[*column]) {
                    (Some(Cell::Interval(interval)), Cell::Number(value)) => {
                        let ends = |it: Interval| escape(&Cell::Interval(Some(it)).for_people());
                        entry.with(*value, *interval, ends)
                    }
                    _ => entry,
                }
            };
            sheet.rows.push(kept.iter().map(entry).collect());
        }
        sheet
    }

    /// The markup of the table, in a box of its own that scrolls.
    pub fn markup(&self) -> String {
        let mut html = format!(
            r#"<div class="scroll" tabindex="0" role="region" aria-label="{}"><table class="numbers {}"><thead><tr>"#,
            escape(&self.title),
            self.class
        );
        for (place, column) in self.columns.iter().enumerate() {
            let words = if column.has_words || place < self.heads { r#" class="words""# } else { "" };
            let title = match column.meaning.is_empty() {
                true => String::new(),
                false => format!(r#" title="{}""#, escape(&column.meaning)),
            };
            let small = match column.small.is_empty() {
                true => String::new(),
                false => format!("<small>{}</small>", escape(&column.small)),
            };
            html.push_str(&format!(r#"<th scope="col"{words}{title}>{}{small}</th>"#, escape(&column.title)));
        }
        html.push_str("</tr></thead><tbody>");
        // Long texts are broken into lines of some width; short ones need none.
        let is_short = |entry: &Entry| matches!(&entry.cell, Cell::Text(text) if text.chars().count() <= SHORT);
        let is_brief: Vec<bool> =
            (0..self.columns.len()).map(|place| self.rows.iter().all(|row| is_short(&row[place]))).collect();
        for row in &self.rows {
            html.push_str("<tr>");
            for (place, (entry, column)) in row.iter().zip(&self.columns).enumerate() {
                let (tag, scope) = if place < self.heads { ("th", r#" scope="row""#) } else { ("td", "") };
                let words = match column.has_words && place >= self.heads {
                    true if is_brief[place] => "words brief",
                    true => "words",
                    false => "",
                };
                let class = format!("{words} {}", entry.class);
                let class = match class.trim() {
                    "" => String::new(),
                    class => format!(r#" class="{class}""#),
                };
                let title = match entry.title.is_empty() {
                    true => String::new(),
                    false => format!(r#" title="{}""#, escape(&entry.title)),
                };
                html.push_str(&format!("<{tag}{scope}{class}{title}>{}{}</{tag}>", entry.shown, entry.below));
            }
            html.push_str("</tr>\n");
        }
        html + "</tbody></table></div>\n"
    }

    /// The table with all digits, and a column for each kind of intervals.
    pub fn to_table(&self) -> Table {
        let has_interval = |column: usize| self.rows.iter().any(|row| row[column].interval.is_some());
        let mut names: Vec<String> = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            names.push(column.title.clone());
            if has_interval(place) {
                names.push(format!("{}, interval", column.title));
            }
        }
        let mut table = Table::new(names);
        for row in &self.rows {
            let mut cells = Vec::new();
            for (place, entry) in row.iter().enumerate() {
                cells.push(entry.cell.clone());
                if has_interval(place) {
                    cells.push(Cell::Interval(entry.interval));
                }
            }
            table.push(cells);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_keeps_its_intervals_in_every_form() {
        let mut table = Table::new(["model", "delta", "interval of delta", "rate", "n"]);
        let interval = Interval { low: -0.5, high: 0.25 };
        table.push(["<a>".into(), 0.125.into(), Some(interval).into(), "0.5 [0.25, 0.75]".into(), 3.into()]);
        let sheet = Sheet::of("effects", "What \"treatments\" do", &table);
        assert_eq!(
            sheet.to_table().to_csv(),
            "model,delta,\"delta, interval low\",\"delta, interval high\",rate,\"rate, interval low\",\"rate, interval high\",n\n\
             <a>,0.125,-0.5,0.25,0.5,0.25,0.75,3\n"
        );
        let html = sheet.markup();
        assert!(
            html.contains("<th scope=\"row\">&lt;a&gt;</th>")
                && html.contains("<td>0.500<small>0.250 – 0.750</small></td>"),
            "{html}"
        );
        assert!(html.contains("aria-label=\"What &quot;treatments&quot; do\""));
        assert!(Sheet::of("none", "", &Table::new(["a"])).markup().contains("<tbody></tbody>"));
    }
}
