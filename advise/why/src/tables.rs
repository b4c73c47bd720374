//! Tables that a statement reads, also through views.

use crate::Error;
use crate::copy::{Copy, Place};
use crate::groups::is_own_schema;
use crate::origin::schema_of;
use crate::spot::Source;
use crate::syntax::TableKind;

/// Schema and name.
pub type TableName = (String, String);

impl Copy<'_> {
    /// Base tables that the sources read, each once. The table that an INSERT writes is left out.
    pub fn read_tables<'a>(&self, sources: impl Iterator<Item = &'a Source>) -> Result<Vec<TableName>, Error> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for source in sources {
            self.add_tables(source, &mut seen, &mut found)?;
        }
        Ok(found)
    }

    fn add_tables(&self, source: &Source, seen: &mut Vec<TableName>, found: &mut Vec<TableName>) -> Result<(), Error> {
        let own = schema_of(&source.place).unwrap_or_default();
        let written = usize::from(source.begins_with(&["insert", "replace"]));
        for table in source.parsed.blocks.iter().skip(written).flat_map(|block| &block.tables) {
            let TableKind::Named { schema, name } = &table.kind else { continue };
            let named = (schema.clone().unwrap_or_else(|| own.clone()), name.clone());
            if is_own_schema(&named.0) || seen.contains(&named) {
                continue;
            }
            seen.push(named.clone());
            match self.table(&named.0, &named.1)? {
                Some(table) if table.is_view => self.add_tables_of_view(&named, seen, found)?,
                Some(table) => found.push((table.schema, table.name)),
                // A temporary table, or a name of WITH.
                None => {}
            }
        }
        Ok(())
    }

    /// Name of a table that a source reads and the copy does not have: a temporary table that
    /// another program creates. `None` if it has all.
    pub fn missing_table(&self, source: &Source) -> Result<Option<String>, Error> {
        let own = schema_of(&source.place).unwrap_or_default();
        let is_created = |name: &str| match &source.place {
            Place::Program { call, .. } => call.created.iter().any(|create| creates(create, name)),
            Place::Session(_) | Place::View { .. } => true,
        };
        for block in &source.parsed.blocks {
            let with = block.with.clone().map_or(String::new(), |with| source.text[with].to_lowercase());
            for table in &block.tables {
                let TableKind::Named { schema, name } = &table.kind else { continue };
                let schema = schema.as_deref().unwrap_or(&own);
                let is_found = is_own_schema(schema) || with.contains(&name.to_lowercase()) || is_created(name);
                if !is_found && self.table(schema, name)?.is_none() {
                    return Ok(Some(name.clone()));
                }
            }
        }
        Ok(None)
    }

    fn add_tables_of_view(
        &self,
        (schema, name): &TableName,
        seen: &mut Vec<TableName>,
        found: &mut Vec<TableName>,
    ) -> Result<(), Error> {
        let Some((create, session)) = self.view(schema, name)? else { return Ok(()) };
        let view = Source::statement(Place::View { name: name.clone(), session }, &create, 0);
        self.add_tables(&view, seen, found)
    }
}

/// True if a statement creates a table of this name.
fn creates(create: &str, name: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> = sql::tokenize(create, sql::SqlMode::default()).collect();
    sql::find_tables(&tokens).first().is_some_and(|table| table.name.eq_ignore_ascii_case(name))
}
