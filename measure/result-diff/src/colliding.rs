//! Rows that become equal to others under a side's collation, and are left out on all sides.

use std::collections::BTreeMap;

use workload_folder::{Cell, RowsFile};

use crate::convert::{ConversionTarget, TableDefinition};
use crate::error::Error;
use crate::fill::{SchemaFiller, cell_literal, insert_builder};
use crate::model::CollidingRow;

/// Rows that are left out, by table and number in the file of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<String, BTreeMap<u64, CollidingRow>>);

impl LeftOut {
    pub fn has(&self, table: &str, row: u64) -> bool {
        self.0.get(table).is_some_and(|rows| rows.contains_key(&row))
    }

    pub fn from_rows(rows: &[CollidingRow]) -> Self {
        let mut left_out = Self::default();
        for row in rows {
            left_out.0.entry(row.table.clone()).or_default().insert(row.row, row.clone());
        }
        left_out
    }

    pub fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    pub fn into_rows(self) -> Vec<CollidingRow> {
        self.0.into_values().flat_map(BTreeMap::into_values).collect()
    }
}

impl SchemaFiller<'_> {
    /// Empties a table, converts it and inserts its rows one by one. Rows that collide with earlier
    /// ones are added to `left_out`. Returns `false` without collisions.
    pub fn leave_out_colliding_rows(
        &mut self,
        definition: &TableDefinition,
        target: &ConversionTarget,
        left_out: &mut LeftOut,
    ) -> Result<bool, Error> {
        let table = sql::quote_identifier(&definition.name);
        self.run("empty a table", &format!("DELETE FROM {table}"))?;
        self.run(&format!("convert {}", definition.name), &definition.alter_statement(target, false))?;
        let workload = self.workload;
        let Some(file) = workload.rows.iter().find(|file| file.table == definition.name) else { return Ok(false) };
        let before = left_out.len();
        let mut found = BTreeMap::new();
        self.for_each_row(file, left_out, |filler, row, cells| {
            if let Some(message) = filler.insert_row(file, cells)? {
                let first = cells.first().map(cell_literal).unwrap_or_default();
                let equals = filler.find_equal_row(file, cells, &message)?;
                found.insert(row, CollidingRow { table: file.table.clone(), row, first, message, equals });
            }
            Ok(())
        })?;
        left_out.0.entry(definition.name.clone()).or_default().extend(found);
        Ok(left_out.len() > before)
    }

    /// Describes the row of the table that has the unique key of a refused row: `1 ('Straße')`.
    /// `None` if the key has an expression, or `message` names no key.
    fn find_equal_row(&mut self, file: &RowsFile, row: &[Cell], message: &str) -> Result<Option<String>, Error> {
        let Some(key) = refused_key(message, &file.table) else { return Ok(None) };
        let parts: Vec<(Option<String>, Option<u64>)> = self.query(
            "read a unique key",
            &format!(
                "SELECT COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() \
                 AND TABLE_NAME = {} AND INDEX_NAME = {} ORDER BY SEQ_IN_INDEX",
                sql::quote_string(&file.table),
                sql::quote_string(key)
            ),
        )?;
        let condition = |(column, prefix): &(Option<String>, Option<u64>)| {
            let name = column.as_deref()?;
            let at = file.columns.iter().position(|own| own.name.eq_ignore_ascii_case(name))?;
            let (name, value) = (sql::quote_identifier(name), cell_literal(row.get(at)?));
            Some(match prefix {
                Some(length) => format!("LEFT({name}, {length}) = LEFT({value}, {length})"),
                None => format!("{name} = {value}"),
            })
        };
        let conditions: Option<Vec<String>> = parts.iter().map(condition).collect();
        let (Some(conditions), Some(first)) = (conditions.filter(|all| !all.is_empty()), file.columns.first()) else {
            return Ok(None);
        };
        let columns = parts.iter().filter_map(|(column, _)| column.as_deref()).filter(|name| *name != first.name);
        let columns: Vec<String> =
            std::iter::once(first.name.as_str()).chain(columns).map(sql::quote_identifier).collect();
        let query = format!(
            "SELECT {} FROM {} WHERE {} LIMIT 1",
            columns.join(", "),
            sql::quote_identifier(&file.table),
            conditions.join(" AND ")
        );
        let rows: Vec<mysql::Row> = self.query("read a row with the same key", &query)?;
        Ok(rows.into_iter().next().map(|row| describe_row(row.unwrap())))
    }

    /// Inserts a row. Returns the server's message if the row collides with another.
    fn insert_row(&mut self, file: &RowsFile, row: &[Cell]) -> Result<Option<String>, Error> {
        let mut inserts = insert_builder(file);
        let literals: Vec<String> = row.iter().map(cell_literal).collect();
        let statement = inserts.push(&literals).or_else(|| inserts.finish()).unwrap_or_default();
        match self.run(&format!("write a row of {}", file.table), &statement) {
            Err(Error::Statement { source: mysql::Error::MySqlError(refusal), .. })
                if refusal.code == server::error_code::DUP_ENTRY =>
            {
                Ok(Some(refusal.message))
            }
            done => done.map(|()| None),
        }
    }
}

/// Returns the key of error 1062: `name` for `Duplicate entry 'x' for key 'streets.name'`. MySQL
/// before 8.0.19 and MariaDB leave the table out.
fn refused_key<'m>(message: &'m str, table: &str) -> Option<&'m str> {
    let (_, key) = message.rsplit_once(" for key '")?;
    let key = key.strip_suffix('\'')?;
    Some(key.strip_prefix(table).and_then(|rest| rest.strip_prefix('.')).unwrap_or(key))
}

/// Writes the first value of a row, and the others in parentheses.
fn describe_row(values: Vec<mysql::Value>) -> String {
    let text = |value: &mysql::Value| match value {
        mysql::Value::Bytes(bytes) => sql::quote_string(&String::from_utf8_lossy(bytes)),
        other => other.as_sql(false),
    };
    let texts: Vec<String> = values.iter().map(text).collect();
    match texts.split_first() {
        Some((first, rest)) if !rest.is_empty() => format!("{first} ({})", rest.join(", ")),
        _ => texts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_key() {
        for message in ["Duplicate entry 'a for key 'x' for key 'name'", "Duplicate entry 'a' for key 'streets.name'"] {
            assert_eq!(refused_key(message, "streets"), Some("name"), "{message}");
        }
        assert_eq!(refused_key("Something else", "streets"), None);
    }
}
