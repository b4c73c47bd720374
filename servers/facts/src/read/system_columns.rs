//! Reading the collations of columns of the server's own schemas.

use server::{Error, Flavour, Version};

use super::Reader;
use crate::{Program, Schema, SystemColumn};

/// The server's own schemas that programs often query.
const NAMED_SCHEMAS: [&str; 2] = ["information_schema", "performance_schema"];

impl Reader<'_> {
    /// Reads the text columns of the server's schemas that routines, triggers and events name.
    ///
    /// MySQL from 8.0 on has views in `information_schema`, whose columns adapt to what they are
    /// compared with, or name their collation: 8.0.12 and 9.7 refuse no comparison of them.
    pub(super) fn read_system_columns(&mut self, schemas: &[Schema]) -> Result<Vec<SystemColumn>, Error> {
        let mut found = Vec::new();
        for name in NAMED_SCHEMAS {
            let has_views =
                self.dictionary.flavour == Flavour::MySql && self.dictionary.version >= Version::new(8, 0, 0);
            if name == "information_schema" && has_views
                || !schemas.iter().flat_map(programs).any(|program| names_schema(program, name))
            {
                continue;
            }
            let query = "SELECT TABLE_NAME, COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
                         WHERE TABLE_SCHEMA = ? AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION";
            let rows = self.query("list the columns of its own schemas", query, &[name])?;
            found.extend(rows.iter().map(|row| SystemColumn {
                schema: name.to_owned(),
                table: row.text(0),
                column: row.text(1),
                collation: row.text(2),
            }));
        }
        Ok(found)
    }
}

fn programs(schema: &Schema) -> impl Iterator<Item = &Program> {
    let routines = schema.routines.iter().map(|routine| &routine.program);
    let triggers = schema.triggers.iter().map(|trigger| &trigger.program);
    routines.chain(triggers).chain(schema.events.iter().map(|event| &event.program))
}

/// True if the name stands anywhere in the text, also in a string. The name is in lower case.
fn names_schema(program: &Program, name: &str) -> bool {
    program.body.as_deref().is_some_and(|body| body.to_ascii_lowercase().contains(name))
}
