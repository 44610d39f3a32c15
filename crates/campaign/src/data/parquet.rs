//! Apache Parquet, in builds with the feature `parquet`.
//!
//! The columns are held in memory as they are stored, with their levels, so that nested columns pass through whatever they mean.
//! The schema, the key-value metadata and each column's compression are kept; row groups and pages are cut anew.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, TypePtr};

use serde_json::Value;

use super::records::Fields;
use super::{Code, DataError, KEY_FIELDS, LANGUAGE_FIELDS, Raw, Row, choose_columns, create_file};
use crate::complete_file::CompleteFile;

/// Rows of a group; readers hold one group in memory.
const GROUP: usize = 10_000;

/// Reads the rows of a file.
pub struct Reader {
    table: Arc<Table>,
    columns: Vec<usize>,
    next: usize,
}

/// A whole file.
struct Table {
    schema: TypePtr,
    metadata: Option<Vec<KeyValue>>,
    names: Vec<String>,
    compressions: Vec<(ColumnPath, Compression)>,
    columns: Vec<Column>,
    rows: usize,
}

/// A column of one of the types that Parquet stores.
enum Column {
    Bool(Values<BoolType>),
    Int32(Values<Int32Type>),
    Int64(Values<Int64Type>),
    Int96(Values<Int96Type>),
    Float(Values<FloatType>),
    Double(Values<DoubleType>),
    Bytes(Values<ByteArrayType>),
    FixedBytes(Values<FixedLenByteArrayType>),
}

/// The values of a column and the levels that say which of them are null and which belong to one list.
struct Values<T: DataType> {
    most_definition: i16,
    most_repetition: i16,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    values: Vec<T::T>,
    /// For each row the stretches of its levels and of its values.
    rows: Vec<(Range<usize>, Range<usize>)>,
}

impl<T: DataType> Values<T> {
    fn empty(most_definition: i16, most_repetition: i16) -> Values<T> {
        Values {
            most_definition,
            most_repetition,
            definitions: Vec::new(),
            repetitions: Vec::new(),
            values: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Reads all rows of one group.
    fn read(&mut self, mut reader: ColumnReaderImpl<T>, rows: usize) -> Result<(), ParquetError> {
        let (first_level, first_value) = (self.levels(), self.values.len());
        let mut left = rows;
        while left > 0 {
            let definitions = (self.most_definition > 0).then_some(&mut self.definitions);
            let repetitions = (self.most_repetition > 0).then_some(&mut self.repetitions);
            let (read, _, _) = reader.read_records(left, definitions, repetitions, &mut self.values)?;
            if read == 0 {
                return Err(ParquetError::General(format!("a column ends {left} rows too early")));
            }
            left -= read;
        }
        let (mut value, mut start) = (first_value, None);
        let levels = self.levels();
        for level in first_level..levels {
            let is_start = self.most_repetition == 0 || self.repetitions[level] == 0;
            if is_start && let Some((level_start, value_start)) = start.replace((level, value)) {
                self.rows.push((level_start..level, value_start..value));
            }
            let is_value = self.most_definition == 0 || self.definitions[level] == self.most_definition;
            value += usize::from(is_value);
        }
        if let Some((level_start, value_start)) = start {
            self.rows.push((level_start..levels, value_start..value));
        }
        Ok(())
    }

    /// How many levels there are; a column that can neither be null nor repeat has one a value.
    fn levels(&self) -> usize {
        if self.most_definition > 0 { self.definitions.len() } else { self.values.len() }
    }

    /// Writes the rows with these numbers; `other` may put another value in the place of a row's.
    fn write(
        &self,
        writer: &mut SerializedColumnWriter<'_>,
        rows: &[usize],
        other: impl Fn(usize) -> Option<T::T>,
    ) -> Result<(), ParquetError> {
        let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (place, row) in rows.iter().enumerate() {
            let (levels, own) = &self.rows[*row];
            definitions.extend_from_slice(self.definitions.get(levels.clone()).unwrap_or(&[]));
            repetitions.extend_from_slice(self.repetitions.get(levels.clone()).unwrap_or(&[]));
            match other(place) {
                Some(value) => values.push(value),
                None => values.extend_from_slice(&self.values[own.clone()]),
            }
        }
        let definitions = (self.most_definition > 0).then_some(&definitions[..]);
        let repetitions = (self.most_repetition > 0).then_some(&repetitions[..]);
        writer.typed::<T>().write_batch(&values, definitions, repetitions)?;
        Ok(())
    }
}

impl Column {
    fn empty(reader: &ColumnReader, definition: i16, repetition: i16) -> Column {
        match reader {
            ColumnReader::BoolColumnReader(_) => Column::Bool(Values::empty(definition, repetition)),
            ColumnReader::Int32ColumnReader(_) => Column::Int32(Values::empty(definition, repetition)),
            ColumnReader::Int64ColumnReader(_) => Column::Int64(Values::empty(definition, repetition)),
            ColumnReader::Int96ColumnReader(_) => Column::Int96(Values::empty(definition, repetition)),
            ColumnReader::FloatColumnReader(_) => Column::Float(Values::empty(definition, repetition)),
            ColumnReader::DoubleColumnReader(_) => Column::Double(Values::empty(definition, repetition)),
            ColumnReader::ByteArrayColumnReader(_) => Column::Bytes(Values::empty(definition, repetition)),
            ColumnReader::FixedLenByteArrayColumnReader(_) => Column::FixedBytes(Values::empty(definition, repetition)),
        }
    }

    fn read(&mut self, reader: ColumnReader, rows: usize) -> Result<(), ParquetError> {
        match (self, reader) {
            (Column::Bool(values), ColumnReader::BoolColumnReader(reader)) => values.read(reader, rows),
            (Column::Int32(values), ColumnReader::Int32ColumnReader(reader)) => values.read(reader, rows),
            (Column::Int64(values), ColumnReader::Int64ColumnReader(reader)) => values.read(reader, rows),
            (Column::Int96(values), ColumnReader::Int96ColumnReader(reader)) => values.read(reader, rows),
            (Column::Float(values), ColumnReader::FloatColumnReader(reader)) => values.read(reader, rows),
            (Column::Double(values), ColumnReader::DoubleColumnReader(reader)) => values.read(reader, rows),
            (Column::Bytes(values), ColumnReader::ByteArrayColumnReader(reader)) => values.read(reader, rows),
            (Column::FixedBytes(values), ColumnReader::FixedLenByteArrayColumnReader(reader)) => {
                values.read(reader, rows)
            }
            _ => Err(ParquetError::General("a column changes its type between row groups".to_owned())),
        }
    }

    /// The text in a row of a column that is a plain field.
    fn text(&self, row: usize) -> Option<&str> {
        let Column::Bytes(values) = self else { return None };
        let (_, own) = &values.rows[row];
        match &values.values[own.clone()] {
            [value] => std::str::from_utf8(value.data()).ok(),
            _ => None,
        }
    }

    /// What stands in a row: a list where the column repeats, null where there is nothing.
    fn value(&self, row: usize) -> Value {
        fn of<T: DataType>(values: &Values<T>, row: usize, json: impl Fn(&T::T) -> Value) -> Value {
            let (_, own) = &values.rows[row];
            let found: Vec<Value> = values.values[own.clone()].iter().map(json).collect();
            match values.most_repetition {
                0 => found.into_iter().next().unwrap_or(Value::Null),
                _ => Value::Array(found),
            }
        }
        let bytes = |data: &[u8]| std::str::from_utf8(data).map_or(Value::Null, Value::from);
        match self {
            Column::Bool(values) => of(values, row, |value| Value::from(*value)),
            Column::Int32(values) => of(values, row, |value| Value::from(*value)),
            Column::Int64(values) => of(values, row, |value| Value::from(*value)),
            Column::Int96(values) => of(values, row, |_| Value::Null),
            Column::Float(values) => of(values, row, |value| Value::from(*value)),
            Column::Double(values) => of(values, row, |value| Value::from(*value)),
            Column::Bytes(values) => of(values, row, |value| bytes(value.data())),
            Column::FixedBytes(values) => of(values, row, |value| bytes(value.data())),
        }
    }

    fn write(
        &self,
        writer: &mut SerializedColumnWriter<'_>,
        rows: &[usize],
        other: impl Fn(usize) -> Option<ByteArray>,
    ) -> Result<(), ParquetError> {
        match self {
            Column::Bool(values) => values.write(writer, rows, |_| None),
            Column::Int32(values) => values.write(writer, rows, |_| None),
            Column::Int64(values) => values.write(writer, rows, |_| None),
            Column::Int96(values) => values.write(writer, rows, |_| None),
            Column::Float(values) => values.write(writer, rows, |_| None),
            Column::Double(values) => values.write(writer, rows, |_| None),
            Column::Bytes(values) => values.write(writer, rows, other),
            Column::FixedBytes(values) => values.write(writer, rows, |_| None),
        }
    }
}

impl Reader {
    pub(super) fn open(path: &Path, columns: &[String]) -> Result<Reader, DataError> {
        let table = table(path)?;
        let chosen = choose_columns(path, &table.names, columns)?;
        let columns = chosen.iter().filter_map(|column| table.place(column)).collect();
        Ok(Reader { table: Arc::new(table), columns, next: 0 })
    }

    pub(super) fn next_row(&mut self) -> Result<Option<Row>, DataError> {
        let (table, row) = (&self.table, self.next);
        if row == table.rows {
            return Ok(None);
        }
        self.next += 1;
        let named = |names: &[&str]| names.iter().find_map(|name| table.columns[table.place(name)?].text(row));
        let mut problem = None;
        let mut codes = Vec::new();
        for column in &self.columns {
            let field = table.names[*column].clone();
            match table.columns[*column].text(row) {
                Some(text) => codes.push(Code { field, text: text.to_owned() }),
                None => problem = Some(format!("the field `{field}` is not a string")),
            }
        }
        if problem.is_some() {
            codes.clear();
        }
        let language = named(&LANGUAGE_FIELDS).and_then(|name| name.parse().ok());
        let key = named(&KEY_FIELDS).map(str::to_owned);
        Ok(Some(Row { codes, language, key, problem, raw: Raw::Parquet(row) }))
    }
}

impl Table {
    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }
}

fn table(path: &Path) -> Result<Table, DataError> {
    let file = File::open(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
    read(file).map_err(|error| DataError::NotTheFormat {
        path: path.to_owned(),
        format: "Parquet",
        problem: error.to_string(),
    })
}

/// The rows with all their fields. A column inside another, such as the elements of a list, goes by the name of the outer one.
pub(super) fn fields(path: &Path) -> Result<impl Iterator<Item = Fields> + use<>, DataError> {
    let table = table(path)?;
    Ok((0..table.rows).map(move |row| {
        let name = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        table.names.iter().zip(&table.columns).map(|(path, column)| (name(path), column.value(row))).collect()
    }))
}

fn read(file: File) -> Result<Table, ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let metadata = reader.metadata().file_metadata();
    let schema = metadata.schema_descr();
    let names = schema.columns().iter().map(|column| column.path().string()).collect();
    let mut compressions = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut rows = 0;
    for group in 0..reader.num_row_groups() {
        let group_reader = reader.get_row_group(group)?;
        let count = usize::try_from(group_reader.metadata().num_rows())
            .map_err(|_| ParquetError::General("a row group has a negative number of rows".to_owned()))?;
        rows += count;
        for (index, column) in schema.columns().iter().enumerate() {
            let column_reader = group_reader.get_column_reader(index)?;
            if group == 0 {
                columns.push(Column::empty(&column_reader, column.max_def_level(), column.max_rep_level()));
                compressions.push((column.path().clone(), group_reader.metadata().column(index).compression()));
            }
            columns[index].read(column_reader, count)?;
        }
    }
    Ok(Table {
        schema: schema.root_schema_ptr(),
        metadata: metadata.key_value_metadata().cloned(),
        names,
        compressions,
        columns,
        rows,
    })
}

/// Gathers rows; the file is written when it is complete.
pub struct Writer {
    path: PathBuf,
    table: Arc<Table>,
    columns: Vec<usize>,
    rows: Vec<usize>,
    texts: Vec<Vec<String>>,
}

impl Writer {
    pub(super) fn create(path: &Path, reader: &Reader) -> Writer {
        let (table, columns) = (Arc::clone(&reader.table), reader.columns.clone());
        Writer { path: path.to_owned(), table, columns, rows: Vec::new(), texts: Vec::new() }
    }

    pub(super) fn write(&mut self, row: usize, _: &[Code], texts: &[&str]) {
        self.rows.push(row);
        self.texts.push(texts.iter().map(|text| (*text).to_owned()).collect());
    }

    pub(super) fn finish(self) -> Result<(), DataError> {
        let mut file = create_file(&self.path)?;
        self.write_file(&mut file)
            .map_err(std::io::Error::other)
            .and_then(|()| file.finish())
            .map_err(|source| DataError::Unwritable { path: self.path.clone(), source })
    }

    fn write_file(&self, file: &mut CompleteFile) -> Result<(), ParquetError> {
        let mut properties = WriterProperties::builder().set_key_value_metadata(self.table.metadata.clone());
        for (path, compression) in &self.table.compressions {
            properties = properties.set_column_compression(path.clone(), *compression);
        }
        let mut writer = SerializedFileWriter::new(file, self.table.schema.clone(), Arc::new(properties.build()))?;
        for start in (0..self.rows.len()).step_by(GROUP) {
            let rows = &self.rows[start..self.rows.len().min(start + GROUP)];
            let mut group = writer.next_row_group()?;
            let mut index = 0;
            while let Some(mut column) = group.next_column()? {
                let field = self.columns.iter().position(|chosen| *chosen == index);
                let text = |place: usize| {
                    let text = self.texts[start + place].get(field?)?;
                    Some(ByteArray::from(text.as_bytes().to_vec()))
                };
                self.table.columns[index].write(&mut column, rows, text)?;
                column.close()?;
                index += 1;
            }
            group.close()?;
        }
        writer.close()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use parquet::schema::parser::parse_message_type;

    use super::*;

    const SCHEMA: &str = "message rows {
        required int64 idx;
        optional binary func (UTF8);
        optional group toks (LIST) { repeated group list { optional binary element (UTF8); } }
    }";

    /// Three rows: a program with two tokens, a null with an empty list, a program with a null instead of a list.
    fn example(path: &Path) {
        let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[7, 8, 9], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let codes = [bytes("int a;"), bytes("int b;")];
        column.typed::<ByteArrayType>().write_batch(&codes, Some(&[1, 0, 1]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let tokens = [bytes("int"), bytes("a")];
        column.typed::<ByteArrayType>().write_batch(&tokens, Some(&[3, 3, 1, 0]), Some(&[0, 1, 0, 0])).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn only_the_programs_change() {
        let folder = std::env::temp_dir().join(format!("allotrope-parquet-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
        example(&input);
        let mut reader = Reader::open(&input, &[]).unwrap();
        let mut writer = Writer::create(&output, &reader);
        let mut problems = 0;
        while let Some(row) = reader.next_row().unwrap() {
            problems += usize::from(row.problem.is_some());
            let Raw::Parquet(index) = row.raw else { unreachable!() };
            let texts: Vec<String> = row.codes.iter().map(|code| code.text.replace("int", "long")).collect();
            // Every row is written twice, as for two variants.
            for _ in 0..2 {
                writer.write(index, &row.codes, &texts.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
        assert_eq!(problems, 1, "the null is no program");
        writer.finish().unwrap();
        let table = read(File::open(&output).unwrap()).unwrap();
        assert_eq!(table.rows, 6);
        let code = |row| table.columns[1].text(row);
        assert_eq!([code(0), code(1), code(2), code(4)], [Some("long a;"), Some("long a;"), None, Some("long b;")]);
        let Column::Int64(numbers) = &table.columns[0] else { panic!("the numbers are gone") };
        assert_eq!(numbers.values, [7, 7, 8, 8, 9, 9]);
        let Column::Bytes(tokens) = &table.columns[2] else { panic!("the lists are gone") };
        assert_eq!(tokens.values.len(), 4);
        assert_eq!(tokens.definitions, [3, 3, 3, 3, 1, 1, 0, 0]);
        assert_eq!(tokens.repetitions, [0, 1, 0, 1, 0, 0, 0, 0]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn rows_have_all_their_fields() {
        let path = std::env::temp_dir().join(format!("allotrope-fields-{}.parquet", std::process::id()));
        example(&path);
        let rows: Vec<Value> = fields(&path).unwrap().map(Value::Object).collect();
        assert_eq!(
            rows,
            [
                serde_json::json!({"idx": 7, "func": "int a;", "toks": ["int", "a"]}),
                serde_json::json!({"idx": 8, "func": null, "toks": []}),
                serde_json::json!({"idx": 9, "func": "int b;", "toks": []}),
            ]
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_no_parquet_file_is_told() {
        let path = std::env::temp_dir().join(format!("allotrope-no-{}.parquet", std::process::id()));
        std::fs::write(&path, "nonsense").unwrap();
        let message = Reader::open(&path, &[]).err().unwrap().to_string();
        assert!(message.contains("is not a Parquet file"), "{message}");
        std::fs::remove_file(&path).unwrap();
    }
}
