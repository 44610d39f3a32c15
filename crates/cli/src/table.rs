//! Tables for people: columns as wide as their widest cell.

use measure::printed::visible_in_line;

/// Writes rows with aligned columns. Columns whose number is in `right` are flush right.
pub fn table(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = header.len();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible_in_line(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(&rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let blanks = " ".repeat(widths[column] - cell.chars().count());
            match right.contains(&column) {
                true => line.push_str(&format!("{blanks}{cell}")),
                false => line.push_str(&format!("{cell}{blanks}")),
            }
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_aligned() {
        let rows = vec![vec!["ä".to_owned(), "10".to_owned()], vec!["long".to_owned(), "7".to_owned()]];
        assert_eq!(table(&["name", "n"], &rows, &[1]), "name   n\nä     10\nlong   7\n");
    }
}
