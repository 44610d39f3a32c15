//! Tables that every command prints: aligned text, Markdown, CSV and JSON from the same cells.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::printed::visible_in_line;
use crate::statistics::Interval;

/// A cell of a table. What is undefined is absent in every form: a dash for people, nothing or null for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// A name or a sentence.
    Text(String),
    /// How many.
    Count(u64),
    /// A number, or none.
    Number(Option<f64>),
    /// An interval, or none. CSV gets two columns of it.
    Interval(Option<Interval>),
}

/// Rows with named columns. A short row is filled up with nothing, and cells beyond the last column are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new<Name: Into<String>>(columns: impl IntoIterator<Item = Name>) -> Table {
        Table { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Cell::Number(None));
        self.rows.push(cells);
    }

    /// The rows, each with a cell for every column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Columns as wide as their widest cell, numbers flush right.
    pub fn to_text(&self) -> String {
        let rows = self.for_people();
        let widths = self.widths(&rows);
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().enumerate().map(|(column, cell)| self.padded(column, cell, widths[column]));
            text.push_str(cells.collect::<Vec<String>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// A table in Markdown, aligned in its source as well.
    pub fn to_markdown(&self) -> String {
        let mut rows = self.for_people();
        for cell in rows.iter_mut().flatten() {
            *cell = cell.replace('|', "\\|").replace('\n', " ");
        }
        let widths: Vec<usize> = self.widths(&rows).into_iter().map(|width| width.max(3)).collect();
        let mut text = String::new();
        for (number, row) in rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                text.push_str(&format!("| {} ", self.padded(column, cell, widths[column])));
            }
            text.push_str("|\n");
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    match self.is_flush_right(column) {
                        true => text.push_str(&format!("| {}: ", "-".repeat(width - 1))),
                        false => text.push_str(&format!("| {} ", "-".repeat(*width))),
                    }
                }
                text.push_str("|\n");
            }
        }
        text
    }

    /// Comma-separated values with all digits. A column of intervals becomes two, for its ends.
    pub fn to_csv(&self) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let has_interval = |column: usize| self.rows.iter().any(|row| matches!(row[column], Cell::Interval(_)));
        let mut names = Vec::new();
        for (column, name) in self.columns.iter().enumerate() {
            match has_interval(column) {
                true => names.extend([quoted(&format!("{name} low")), quoted(&format!("{name} high"))]),
                false => names.push(quoted(name)),
            }
        }
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            let mut cells = Vec::new();
            for (column, cell) in row.iter().enumerate() {
                cells.push(match cell {
                    Cell::Text(text) => quoted(text),
                    Cell::Count(count) => count.to_string(),
                    Cell::Number(value) => number(*value),
                    Cell::Interval(interval) => number(interval.map(|it| it.low)),
                });
                if has_interval(column) {
                    cells.push(match cell {
                        Cell::Interval(interval) => number(interval.map(|it| it.high)),
                        Cell::Text(_) | Cell::Count(_) | Cell::Number(_) => String::new(),
                    });
                }
            }
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// A `tabular` of LaTeX with the rules of booktabs. It compiles with any engine: characters that pdfLaTeX may lack are named.
    pub fn to_latex(&self) -> String {
        let rows = self.for_people();
        let flush = (0..self.columns.len()).map(|column| if self.is_flush_right(column) { 'r' } else { 'l' });
        let mut text = format!("\\begin{{tabular}}{{{}}}\n\\toprule\n", flush.collect::<String>());
        for (number, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| in_latex(cell)).collect();
            text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
            if number == 0 {
                text.push_str("\\midrule\n");
            }
        }
        text + "\\bottomrule\n\\end{tabular}\n"
    }

    /// A list of objects, one a row, with the names of the columns for keys.
    pub fn to_json(&self) -> Value {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Count(count) => Value::from(*count),
            // Numbers that are none have no form in JSON and become null.
            Cell::Number(number) => Value::from(*number),
            Cell::Interval(interval) => {
                interval.map_or(Value::Null, |it| serde_json::json!({"low": it.low, "high": it.high}))
            }
        };
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row).map(|(name, cell)| (name.clone(), value(cell)));
            Value::Object(Map::from_iter(fields))
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// The header and all cells as people read them.
    fn for_people(&self) -> Vec<Vec<String>> {
        let header = self.columns.clone();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::for_people).collect());
        std::iter::once(header).chain(rows).collect()
    }

    fn widths(&self, rows: &[Vec<String>]) -> Vec<usize> {
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        (0..self.columns.len()).map(width).collect()
    }

    fn padded(&self, column: usize, cell: &str, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
        if self.is_flush_right(column) { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
    }

    fn is_flush_right(&self, column: usize) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| matches!(row[column], Cell::Count(_) | Cell::Number(_)))
    }
}

impl Cell {
    /// The cell as people read it.
    pub fn for_people(&self) -> String {
        const ABSENT: &str = "–";
        match self {
            Cell::Text(text) => visible_in_line(text),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number) => number.map_or(ABSENT.to_owned(), rounded),
            Cell::Interval(interval) => {
                interval.map_or(ABSENT.to_owned(), |it| format!("[{}, {}]", rounded(it.low), rounded(it.high)))
            }
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::Count(count as u64)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        Cell::Number(number.is_finite().then_some(number))
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Cell {
        Cell::Number(number.filter(|number| number.is_finite()))
    }
}

impl From<Option<Interval>> for Cell {
    fn from(interval: Option<Interval>) -> Cell {
        Cell::Interval(interval)
    }
}

/// A text in LaTeX, where nothing of it is a command.
pub fn in_latex(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', character]),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // A bracket at the start of a row would be an argument of the line break before it.
            '[' | ']' => escaped.push_str(&format!("{{{character}}}")),
            '"' => escaped.push_str("\\textquotedbl{}"),
            '\'' => escaped.push_str("\\textquotesingle{}"),
            '–' => escaped.push_str("--"),
            '…' => escaped.push_str("\\ldots{}"),
            '→' => escaped.push_str("$\\rightarrow$"),
            '†' => escaped.push_str("\\textdagger{}"),
            '\u{202f}' => escaped.push_str("\\,"),
            '\n' | '\t' | '\r' => escaped.push(' '),
            ' '..='\x7e' | '\u{c0}'..='\u{ff}' => escaped.push(character),
            other => escaped.push_str(&format!("{{[}}U+{:04X}{{]}}", u32::from(other))),
        }
    }
    escaped
}

/// A number with as many digits as a reader needs: four after the decimal point up to ten, fewer above; powers of ten for the rest.
fn rounded(number: f64) -> String {
    let size = number.abs();
    match size {
        0.0 => "0".to_owned(),
        size if !(0.001..1e9).contains(&size) => format!("{number:.2e}"),
        size if size < 10.0 => format!("{number:.4}"),
        size if size < 1000.0 => format!("{number:.2}"),
        _ => format!("{number:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let mut table = Table::new(["measure", "value", "95 %", "n"]);
        table.push(["accuracy".into(), 0.75.into(), Some(Interval { low: 0.7, high: 0.80625 }).into(), 2700.into()]);
        table.push(["a|b, \"c\"".into(), None::<f64>.into(), None::<Interval>.into(), 0.into()]);
        table
    }

    #[test]
    fn text_is_aligned() {
        let expected = "measure    value  95 %                 n\n\
                        accuracy  0.7500  [0.7000, 0.8063]  2700\n\
                        a|b, \"c\"       –  –                    0\n";
        assert_eq!(example().to_text(), expected);
    }

    #[test]
    fn markdown_is_aligned_and_escaped() {
        let expected = "| measure   |  value | 95 %             |    n |\n\
                        | --------- | -----: | ---------------- | ---: |\n\
                        | accuracy  | 0.7500 | [0.7000, 0.8063] | 2700 |\n\
                        | a\\|b, \"c\" |      – | –                |    0 |\n";
        assert_eq!(example().to_markdown(), expected);
    }

    #[test]
    fn csv_has_all_digits_and_two_columns_for_an_interval() {
        let expected = "measure,value,95 % low,95 % high,n\naccuracy,0.75,0.7,0.80625,2700\n\"a|b, \"\"c\"\"\",,,,0\n";
        assert_eq!(example().to_csv(), expected);
    }

    #[test]
    fn latex_has_rules_and_no_commands_of_the_data() {
        let expected = "\\begin{tabular}{lrlr}\n\\toprule\nmeasure & value & 95 \\% & n \\\\\n\\midrule\n\
                        accuracy & 0.7500 & {[}0.7000, 0.8063{]} & 2700 \\\\\n\
                        a\\textbar{}b, \\textquotedbl{}c\\textquotedbl{} & -- & -- & 0 \\\\\n\\bottomrule\n\\end{tabular}\n";
        assert_eq!(example().to_latex(), expected);
        assert_eq!(in_latex("\\input{x}_é\u{202e}"), "\\textbackslash{}input\\{x\\}\\_é{[}U+202E{]}");
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let text = serde_json::to_string(&example()).unwrap();
        assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), example());
    }

    #[test]
    fn json_has_an_object_a_row() {
        let expected = serde_json::json!([
            {"measure": "accuracy", "value": 0.75, "95 %": {"low": 0.7, "high": 0.80625}, "n": 2700},
            {"measure": "a|b, \"c\"", "value": null, "95 %": null, "n": 0},
        ]);
        assert_eq!(example().to_json(), expected);
    }

    #[test]
    fn odd_rows_are_no_trouble() {
        let mut table = Table::new(["a", "b"]);
        assert_eq!(table.to_text(), "a  b\n");
        table.push(["x".into()]);
        table.push(["x".into(), f64::NAN.into(), "left out".into()]);
        assert_eq!(table.to_text(), "a  b\nx  –\nx  –\n");
        assert_eq!(Table::default().to_text(), "\n");
    }

    #[test]
    fn numbers_are_rounded_for_readers() {
        let cases = [(0.0, "0"), (0.12345, "0.1235"), (48.8923, "48.89"), (12345.67, "12345.7"), (-0.5, "-0.5000")];
        for (number, text) in cases {
            assert_eq!(rounded(number), text);
        }
        assert_eq!(rounded(0.000_012_34), "1.23e-5");
    }
}
