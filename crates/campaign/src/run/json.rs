//! Values that are kept as JSON in a column.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, RowIndex, ToSql};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that is kept as JSON.
pub(crate) struct Json<Value>(pub Value);

impl<Value: DeserializeOwned> Json<Value> {
    /// The value of a column that may be null.
    pub fn read(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<Value>> {
        Ok(row.get::<_, Option<Json<Value>>>(column)?.map(|Json(value)| value))
    }
}

impl<Value: Serialize> ToSql for Json<Value> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(text(&self.0).into())
    }
}

impl<Value: DeserializeOwned> FromSql for Json<Value> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json<Value>> {
        serde_json::from_str(value.as_str()?).map(Json).map_err(|error| FromSqlError::Other(error.into()))
    }
}

/// A value as JSON. The types of records have no keys but texts, so all of them have such a form.
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
