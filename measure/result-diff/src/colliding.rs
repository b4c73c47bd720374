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
                found.insert(row, CollidingRow { table: file.table.clone(), row, first, message });
            }
            Ok(())
        })?;
        left_out.0.entry(definition.name.clone()).or_default().extend(found);
        Ok(left_out.len() > before)
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
