//! One JSON object a line, as it is or compressed with gzip.
//!
//! A rewritten program is spliced into its line, so that every other byte of the line stays. A line that is not a JSON object, or
//! has no text in the field, is passed through with its problem told.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;
use syntax::file;

use super::{Code, DataError, KEY_FIELDS, LANGUAGE_FIELDS, Raw, Row, choose_columns, create_file};
use crate::complete_file::CompleteFile;

/// Reads the lines of a file.
pub struct Reader {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    wanted: Vec<String>,
    columns: Option<Vec<String>>,
}

/// A line as it was read, its line break included, and the bytes of the values that are programs.
#[derive(Debug)]
pub(super) struct Line {
    bytes: Vec<u8>,
    values: Vec<Range<usize>>,
}

/// Opens a file, compressed or not, to read its lines.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, DataError> {
    let file = File::open(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
    let file = BufReader::new(file);
    Ok(if is_compressed(path) { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) })
}

/// The maximum sizes of a data set that is read at once, and of a line.
const LARGEST_FILE: u64 = 1 << 30;
const LONGEST_LINE: u64 = file::LARGEST_TEXT;

/// Reads a whole file, compressed or not.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable(file::too_large("it", LARGEST_FILE)));
    }
    Ok(bytes)
}

/// The bytes after a byte-order mark, if there is one.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Reads a whole file as a text, without its byte-order mark.
pub(crate) fn read_whole_text(path: &Path) -> Result<String, DataError> {
    match std::str::from_utf8(without_mark(&read_whole(path)?)) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => {
            let source = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
            Err(DataError::Unreadable { path: path.to_owned(), source })
        }
    }
}

/// Reads the next line with its line break; returns 0 at the end.
pub(super) fn read_line(lines: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let read = lines.take(LONGEST_LINE + 1).read_until(b'\n', bytes)?;
    if read as u64 > LONGEST_LINE { Err(file::too_large("a line", LONGEST_LINE)) } else { Ok(read) }
}

impl Reader {
    pub(super) fn open(path: &Path, columns: &[String]) -> Result<Reader, DataError> {
        Ok(Reader { path: path.to_owned(), lines: open(path)?, wanted: columns.to_vec(), columns: None })
    }

    pub(super) fn next_row(&mut self) -> Result<Option<Row>, DataError> {
        let mut bytes = Vec::new();
        let read = read_line(&mut self.lines, &mut bytes);
        let read = read.map_err(|source| DataError::Unreadable { path: self.path.clone(), source })?;
        if read == 0 {
            return Ok(None);
        }
        let mut codes = Vec::new();
        let mut values = Vec::new();
        let (mut language, mut key, mut problem) = (None, None, None);
        match fields(&bytes) {
            Err(error) => problem = Some(error),
            Ok(fields) => {
                if self.columns.is_none() {
                    let known: Vec<String> = fields.keys().cloned().collect();
                    self.columns = Some(choose_columns(&self.path, &known, &self.wanted)?);
                }
                language = LANGUAGE_FIELDS.iter().find_map(|name| text_of(&bytes, fields.get(*name)?)?.parse().ok());
                key = KEY_FIELDS.iter().find_map(|name| {
                    let range = fields.get(*name)?;
                    Some(String::from_utf8_lossy(&bytes[range.clone()]).trim_matches('"').to_owned())
                });
                for column in self.columns.iter().flatten() {
                    match fields.get(column).map(|range| (range, text_of(&bytes, range))) {
                        Some((range, Some(text))) => {
                            codes.push(Code { field: column.clone(), text });
                            values.push(range.clone());
                        }
                        Some((_, None)) => problem = Some(format!("the field `{column}` is not a string")),
                        None => problem = Some(format!("there is no field `{column}`")),
                    }
                }
            }
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            problem = Some("the line is empty".to_owned());
        }
        Ok(Some(Row { codes, language, key, problem, raw: Raw::Jsonl(Line { bytes, values }) }))
    }
}

/// Where the values of an object's fields are in its line.
fn fields(line: &[u8]) -> Result<BTreeMap<String, Range<usize>>, String> {
    let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("the line is not a JSON object: {error}"))?;
    let place = |value: &RawValue| {
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        start..start + value.get().len()
    };
    Ok(fields.into_iter().map(|(name, value)| (name, place(value))).collect())
}

/// The text that a value is; `None` when it is something else.
fn text_of(line: &[u8], range: &Range<usize>) -> Option<String> {
    serde_json::from_slice(&line[range.clone()]).ok()
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Writes lines to a file that gets its name when it is complete.
pub struct Writer {
    path: PathBuf,
    out: Out,
    /// Was the line before the last of its file, without a line break?
    needs_break: bool,
}

enum Out {
    Plain(BufWriter<CompleteFile>),
    Compressed(Box<GzEncoder<BufWriter<CompleteFile>>>),
}

impl Writer {
    pub(super) fn create(path: &Path) -> Result<Writer, DataError> {
        let file = BufWriter::new(create_file(path)?);
        let out = match is_compressed(path) {
            true => Out::Compressed(Box::new(GzEncoder::new(file, Compression::default()))),
            false => Out::Plain(file),
        };
        Ok(Writer { path: path.to_owned(), out, needs_break: false })
    }

    pub(super) fn write(&mut self, line: &Line, codes: &[Code], texts: &[&str]) -> Result<(), DataError> {
        let mut bytes = spliced(line, codes, texts);
        if self.needs_break {
            bytes.insert(0, b'\n');
        }
        self.needs_break = !bytes.ends_with(b"\n");
        let written = match &mut self.out {
            Out::Plain(out) => out.write_all(&bytes),
            Out::Compressed(out) => out.write_all(&bytes),
        };
        written.map_err(|source| DataError::Unwritable { path: self.path.clone(), source })
    }

    pub(super) fn finish(self) -> Result<(), DataError> {
        let complete = || -> io::Result<()> {
            let file = match self.out {
                Out::Plain(out) => out,
                Out::Compressed(out) => out.finish()?,
            };
            file.into_inner()?.finish()
        };
        complete().map_err(|source| DataError::Unwritable { path: self.path, source })
    }
}

/// The line with other programs.
fn spliced(line: &Line, codes: &[Code], texts: &[&str]) -> Vec<u8> {
    let mut replaced: Vec<(&Range<usize>, &str)> = line
        .values
        .iter()
        .zip(codes)
        .zip(texts)
        .filter(|((_, code), text)| code.text != **text)
        .map(|((range, _), text)| (range, *text))
        .collect();
    replaced.sort_by_key(|(range, _)| range.start);
    let mut bytes = Vec::with_capacity(line.bytes.len() + 256);
    let mut done = 0;
    for (range, text) in replaced {
        bytes.extend_from_slice(&line.bytes[done..range.start]);
        bytes.extend_from_slice(serde_json::to_string(text).expect("a text is JSON").as_bytes());
        done = range.end;
    }
    bytes.extend_from_slice(&line.bytes[done..]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, column: &str) -> (Line, Vec<Code>) {
        let bytes = text.as_bytes().to_vec();
        let range = fields(&bytes).unwrap()[column].clone();
        let code = Code { field: column.to_owned(), text: text_of(&bytes, &range).unwrap() };
        (Line { bytes, values: vec![range] }, vec![code])
    }

    #[test]
    fn only_the_program_changes_in_a_line() {
        let (line, codes) = line("{\"idx\":  7.0, \"func\" : \"a\\n\\u00e9\" ,\"x\":[1, 2]}\r\n", "func");
        assert_eq!(codes[0].text, "a\né");
        let bytes = spliced(&line, &codes, &["b\"\t"]);
        assert_eq!(String::from_utf8(bytes).unwrap(), "{\"idx\":  7.0, \"func\" : \"b\\\"\\t\" ,\"x\":[1, 2]}\r\n");
        assert_eq!(spliced(&line, &codes, &["a\né"]), line.bytes);
    }

    #[test]
    fn what_is_no_object_is_told() {
        assert!(fields(b"[1]\n").unwrap_err().contains("not a JSON object"));
        assert!(fields(b"\xff\n").unwrap_err().contains("UTF-8"));
    }
}
