//! Comma-separated values (`.csv`) and tab-separated ones (`.tsv`), with a header line.
//!
//! A row in which nothing changes keeps its bytes, its quotes included; a changed row is written anew with the quotes that it
//! needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::{ByteRecord, ReaderBuilder, Terminator, WriterBuilder};

use serde_json::Value;

use super::records::Fields;
use super::{Code, DataError, KEY_FIELDS, LANGUAGE_FIELDS, Raw, Row, choose_columns, jsonl, write_file};

/// Reads the records of a file.
pub struct Reader {
    /// The whole file: records are quoted from it.
    content: Arc<Vec<u8>>,
    header_end: usize,
    names: Vec<String>,
    columns: Vec<usize>,
    delimiter: u8,
    records: std::vec::IntoIter<(ByteRecord, std::ops::Range<usize>)>,
}

/// A record, and its bytes in the file.
#[derive(Debug)]
pub(super) struct Record {
    fields: ByteRecord,
    bytes: Vec<u8>,
    columns: Vec<usize>,
}

impl Reader {
    pub(super) fn open(path: &Path, columns: &[String]) -> Result<Reader, DataError> {
        let Table { content, header_end, names, delimiter, records } = table(path)?;
        let chosen = choose_columns(path, &names, columns)?;
        let place = |column: &String| names.iter().position(|name| name == column).unwrap_or_default();
        let columns = chosen.iter().map(place).collect();
        Ok(Reader { content: Arc::new(content), header_end, names, columns, delimiter, records: records.into_iter() })
    }

    pub(super) fn next_row(&mut self) -> Result<Option<Row>, DataError> {
        let Some((fields, range)) = self.records.next() else { return Ok(None) };
        let text = |column: usize| fields.get(column).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let named = |names: &[&str]| {
            names.iter().find_map(|name| text(self.names.iter().position(|other| other == name)?).map(str::to_owned))
        };
        let mut problem = None;
        let mut codes = Vec::new();
        for column in &self.columns {
            match text(*column) {
                Some(text) => codes.push(Code { field: self.names[*column].clone(), text: text.to_owned() }),
                None => problem = Some(format!("the field `{}` is missing or not UTF-8", self.names[*column])),
            }
        }
        if problem.is_some() {
            codes.clear();
        }
        let language = named(&LANGUAGE_FIELDS).and_then(|name| name.parse().ok());
        let key = named(&KEY_FIELDS);
        let bytes = self.content[range].to_vec();
        let columns = self.columns.clone();
        Ok(Some(Row { codes, language, key, problem, raw: Raw::Csv(Record { fields, bytes, columns }) }))
    }
}

/// A whole file, taken apart.
struct Table {
    content: Vec<u8>,
    header_end: usize,
    names: Vec<String>,
    delimiter: u8,
    records: Vec<(ByteRecord, std::ops::Range<usize>)>,
}

fn table(path: &Path) -> Result<Table, DataError> {
    let content = jsonl::read_whole(path)?;
    let mark = content.len() - jsonl::without_mark(&content).len();
    let no_csv = |problem: String| DataError::NotTheFormat { path: path.to_owned(), format: "CSV", problem };
    let delimiter =
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv")) { b'\t' } else { b',' };
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(&content[mark..]);
    let mut found: Vec<(ByteRecord, usize)> = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|error| no_csv(error.to_string()))?;
        let start = mark + record.position().map_or(0, |position| position.byte() as usize);
        found.push((record, start));
    }
    let ends: Vec<usize> =
        found.iter().skip(1).map(|(_, start)| *start).chain(std::iter::once(content.len())).collect();
    let mut records: Vec<(ByteRecord, std::ops::Range<usize>)> =
        found.into_iter().zip(ends).map(|((record, start), end)| (record, start..end)).collect();
    if records.is_empty() {
        return Err(no_csv("it is empty; the first line must name the fields".to_owned()));
    }
    let (header, header_range) = records.remove(0);
    let names: Vec<String> = header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    Ok(Table { content, header_end: header_range.end, names, delimiter, records })
}

/// The records with all their fields, which are texts.
pub(super) fn fields(path: &Path) -> Result<impl Iterator<Item = Result<Fields, String>> + use<>, DataError> {
    let Table { names, records, .. } = table(path)?;
    Ok(records.into_iter().map(move |(record, _)| {
        let field = |(name, bytes): (&String, &[u8])| match std::str::from_utf8(bytes) {
            Ok(text) => Ok((name.clone(), Value::from(text))),
            Err(_) => Err(format!("the field `{name}` is not UTF-8")),
        };
        names.iter().zip(record.iter()).map(field).collect()
    }))
}

/// Gathers records; the file is written when it is complete.
pub struct Writer {
    path: PathBuf,
    delimiter: u8,
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn create(path: &Path, reader: &Reader) -> Result<Writer, DataError> {
        let bytes = reader.content[..reader.header_end].to_vec();
        Ok(Writer { path: path.to_owned(), delimiter: reader.delimiter, bytes })
    }

    pub(super) fn write(&mut self, record: &Record, codes: &[Code], texts: &[&str]) -> Result<(), DataError> {
        // The record before may have been the last of its file, without a line break.
        if !self.bytes.is_empty() && !self.bytes.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
        if codes.iter().zip(texts).all(|(code, text)| code.text == **text) {
            self.bytes.extend_from_slice(&record.bytes);
            return Ok(());
        }
        let mut fields: Vec<&[u8]> = record.fields.iter().collect();
        for (column, text) in record.columns.iter().zip(texts) {
            fields[*column] = text.as_bytes();
        }
        let is_windows = record.bytes.ends_with(b"\r\n");
        let mut builder = WriterBuilder::new();
        builder.delimiter(self.delimiter).flexible(true).terminator(if is_windows {
            Terminator::CRLF
        } else {
            Terminator::Any(b'\n')
        });
        let mut writer = builder.from_writer(&mut self.bytes);
        let written = writer.write_record(&fields).map_err(std::io::Error::other).and_then(|()| writer.flush());
        written.map_err(|source| DataError::Unwritable { path: self.path.clone(), source })
    }

    pub(super) fn finish(self) -> Result<(), DataError> {
        write_file(&self.path, &self.bytes)
    }
}
