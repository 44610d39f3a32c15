//! Data sets: files with rows, some fields of which are programs. One file a format.
//!
//! What is not rewritten is written as it was read, to the byte. The programs are found in the fields that the caller names,
//! or in the first of [`RECOGNISED`] that the first row has.

pub mod csv;
pub mod jsonl;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod records;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use syntax::Language;

use crate::complete_file::CompleteFile;

/// The fields that hold programs in the data sets that people use, tried in this order.
pub const RECOGNISED: [&[&str]; 5] = [&["func"], &["code"], &["code1", "code2"], &["original_string"], &["prompt"]];

/// The fields that say in which language the programs of a row are written.
pub(crate) const LANGUAGE_FIELDS: [&str; 2] = ["language", "lang"];

/// The fields that identify a row in the files that accompany a data set.
pub(crate) const KEY_FIELDS: [&str; 3] = ["idx", "id", "index"];

/// The formats, for lists: the name, the endings and a word about them.
pub const FORMATS: [(&str, &str, &str); 3] = [
    ("jsonl", ".jsonl .jsonl.gz .ndjson .ndjson.gz", "one JSON object a line"),
    ("csv", ".csv .tsv", "comma- or tab-separated values with a header line"),
    ("parquet", ".parquet", "Apache Parquet; only in builds with the feature `parquet`"),
];

/// A format of data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line, compressed or not.
    Jsonl,
    /// Comma- or tab-separated values with a header line.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The format of a file by its extension; `None` for a file that is not a data set.
    pub fn of(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let bare = name.strip_suffix(".gz").unwrap_or(&name);
        if bare.ends_with(".jsonl") || bare.ends_with(".ndjson") {
            Some(Format::Jsonl)
        } else if name.ends_with(".csv") || name.ends_with(".tsv") {
            Some(Format::Csv)
        } else if name.ends_with(".parquet") {
            Some(Format::Parquet)
        } else {
            None
        }
    }
}

/// Why a data set could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read.
    #[error("failed to read {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("failed to write {}: {source}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what its ending says.
    #[error("{} is not a {format} file: {problem}", .path.display())]
    NotTheFormat {
        /// The file.
        path: PathBuf,
        /// The format that its ending promises.
        format: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// There is no such field.
    #[error("{} has no field `{field}`; it has: {}", .path.display(), .known.join(", "))]
    NoField {
        /// The file.
        path: PathBuf,
        /// The field that was asked for.
        field: String,
        /// The fields that there are.
        known: Vec<String>,
    },
    /// None of the fields is known to hold programs.
    #[error(
        "{} has no field that is known to hold programs; name one with --column; it has: {}",
        .path.display(),
        .known.join(", ")
    )]
    NoCode {
        /// The file.
        path: PathBuf,
        /// The fields that there are.
        known: Vec<String>,
    },
    /// The extension of the file is not that of a data set.
    #[error("{} does not have the extension of a data set; known are .jsonl, .json, .csv, .tsv, .parquet and .txt (see `allotrope list formats`)", .0.display())]
    NoDataSet(PathBuf),
    /// The fields, or the files, are those of no layout.
    #[error(
        "the layout of {} is not known: {found}; name the fields with --code, --code2, --label and --text, or a layout with --layout \
         (see `allotrope list formats`)",
        .path.display()
    )]
    NoLayout {
        /// The file or folder.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// What was asked for does not go together, or there is no such thing.
    #[error("{place}: {problem}")]
    Unfit {
        /// The file, the folder or the option.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// Not one row could be used.
    #[error("{}: none of its {rows} rows could be read as {layout}; the first: {first}", .path.display())]
    NoRows {
        /// The file.
        path: PathBuf,
        /// How many rows there are.
        rows: usize,
        /// The layout that was expected.
        layout: &'static str,
        /// What is wrong with the first.
        first: String,
    },
    /// Nothing says what language the programs are in.
    #[error("the language of {} is not known: {problem}; name it with --language (java, c, cpp, python, javascript)", .path.display())]
    NoLanguage {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        problem: String,
    },
    /// This build does not read the format.
    #[error(
        "{} is a Parquet file, which this build does not read: build with `cargo build --release --features parquet`",
        .0.display()
    )]
    NoParquet(PathBuf),
}

/// A row of a data set.
#[derive(Debug)]
pub struct Row {
    /// The programs, in the order of the fields. Empty when the row has none, see `problem`.
    pub codes: Vec<Code>,
    /// The language, when the row names it.
    pub language: Option<Language>,
    /// What identifies the row in files that accompany the data set.
    pub key: Option<String>,
    /// Why the row holds no programs.
    pub problem: Option<String>,
    raw: Raw,
}

/// A program in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The name of the field.
    pub field: String,
    /// The program.
    pub text: String,
}

/// The row as it was read.
#[derive(Debug)]
enum Raw {
    Jsonl(jsonl::Line),
    Csv(csv::Record),
    #[cfg(feature = "parquet")]
    Parquet(usize),
}

/// Reads a data set row by row.
pub enum Reader {
    /// One JSON object a line.
    Jsonl(jsonl::Reader),
    /// Comma- or tab-separated values.
    Csv(csv::Reader),
    /// Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet(parquet::Reader),
}

impl Reader {
    /// Opens a data set. `columns` are the fields with programs; when it is empty they are recognised by their names.
    pub fn open(path: &Path, format: Format, columns: &[String]) -> Result<Reader, DataError> {
        match format {
            Format::Jsonl => Ok(Reader::Jsonl(jsonl::Reader::open(path, columns)?)),
            Format::Csv => Ok(Reader::Csv(csv::Reader::open(path, columns)?)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Reader::Parquet(parquet::Reader::open(path, columns)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(DataError::NoParquet(path.to_owned())),
        }
    }

    /// The next row; `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<Row>, DataError> {
        match self {
            Reader::Jsonl(reader) => reader.next_row(),
            Reader::Csv(reader) => reader.next_row(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.next_row(),
        }
    }
}

/// Writes a data set row by row. The file has its name only when it is complete.
pub enum Writer {
    /// One JSON object a line.
    Jsonl(jsonl::Writer),
    /// Comma- or tab-separated values.
    Csv(csv::Writer),
    /// Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet(parquet::Writer),
}

impl Writer {
    /// Starts a data set like the one that `reader` reads.
    pub fn create(path: &Path, reader: &Reader) -> Result<Writer, DataError> {
        match reader {
            Reader::Jsonl(_) => Ok(Writer::Jsonl(jsonl::Writer::create(path)?)),
            Reader::Csv(reader) => Ok(Writer::Csv(csv::Writer::create(path, reader)?)),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => Ok(Writer::Parquet(parquet::Writer::create(path, reader))),
        }
    }

    /// Writes a row with these programs in the place of its own.
    pub fn write(&mut self, row: &Row, texts: &[&str]) -> Result<(), DataError> {
        match (self, &row.raw) {
            (Writer::Jsonl(writer), Raw::Jsonl(line)) => writer.write(line, &row.codes, texts),
            (Writer::Csv(writer), Raw::Csv(record)) => writer.write(record, &row.codes, texts),
            #[cfg(feature = "parquet")]
            (Writer::Parquet(writer), Raw::Parquet(index)) => {
                writer.write(*index, &row.codes, texts);
                Ok(())
            }
            _ => unreachable!("a writer is made for the reader of its rows"),
        }
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), DataError> {
        match self {
            Writer::Jsonl(writer) => writer.finish(),
            Writer::Csv(writer) => writer.finish(),
            #[cfg(feature = "parquet")]
            Writer::Parquet(writer) => writer.finish(),
        }
    }
}

/// Chooses the fields with programs among the fields of the first row.
fn choose_columns(path: &Path, known: &[String], wanted: &[String]) -> Result<Vec<String>, DataError> {
    if let Some(missing) = wanted.iter().find(|column| !known.contains(column)) {
        return Err(DataError::NoField { path: path.to_owned(), field: missing.clone(), known: known.to_vec() });
    }
    if !wanted.is_empty() {
        return Ok(wanted.to_vec());
    }
    let recognised = RECOGNISED.iter().find(|fields| fields.iter().all(|field| known.iter().any(|name| name == field)));
    match recognised {
        Some(fields) => Ok(fields.iter().map(|field| (*field).to_owned()).collect()),
        None => Err(DataError::NoCode { path: path.to_owned(), known: known.to_vec() }),
    }
}

/// How many bytes of a file of lines are whole lines. What stands after the last line break was cut off by a sudden end.
pub(crate) fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1)
}

/// Writes a whole file, which is complete or absent, and the folder that it is in.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    let mut file = create_file(path)?;
    file.write_all(bytes)
        .and_then(|()| file.finish())
        .map_err(|source| DataError::Unwritable { path: path.to_owned(), source })
}

/// Begins a file, and makes the folder that it is in.
pub(crate) fn create_file(path: &Path) -> Result<CompleteFile, DataError> {
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| CompleteFile::create(path))
        .map_err(|source| DataError::Unwritable { path: path.to_owned(), source })
}
