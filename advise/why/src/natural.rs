//! Columns that `NATURAL JOIN` compares: the statement doesn't name them.

use crate::Error;
use crate::copy::Copy;
use crate::dictionary::Table;
use crate::origin::schema_of;
use crate::spot::{Source, Spot};
use crate::syntax::{TableKind, TableRef};

impl Copy<'_> {
    /// Comparisons of the table on the right of each `NATURAL JOIN` with the tables before it. The
    /// columns of subqueries are left out.
    pub fn natural_spots(&self, source: &Source) -> Result<Vec<Spot>, Error> {
        let mut spots = Vec::new();
        for (at, block) in source.parsed.blocks.iter().enumerate() {
            for &right in &block.natural {
                let Some(own) = self.named_table(source, &block.tables[right])? else { continue };
                for left in 0..right {
                    let Some(other) = self.named_table(source, &block.tables[left])? else { continue };
                    for column in own.columns.iter().filter(|column| other.column(&column.name).is_some()) {
                        let title = format!("NATURAL JOIN ({})", column.name);
                        spots.push(source.pair_of_tables(at, &column.name, (left, right), &title));
                    }
                }
            }
        }
        Ok(spots)
    }

    /// Table or view of a statement. `None` for subqueries and temporary tables.
    fn named_table(&self, source: &Source, table: &TableRef) -> Result<Option<Table>, Error> {
        let TableKind::Named { schema, name } = &table.kind else { return Ok(None) };
        let own = schema_of(&source.place).unwrap_or_default();
        self.table(schema.as_deref().unwrap_or(&own), name)
    }
}
