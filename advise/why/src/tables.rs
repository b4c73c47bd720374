//! Tables that a statement reads, also through views.

use server::error_code;

use crate::Error;
use crate::copy::{Copy, Place};
use crate::groups::is_own_schema;
use crate::origin::schema_of;
use crate::spot::Source;
use crate::syntax::TableKind;

/// Schema and name.
pub type TableName = (String, String);

impl Copy<'_> {
    /// Base tables that the sources read, without duplicates. The table that an INSERT or REPLACE
    /// writes is left out.
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

    /// Name of a table that a source reads and the copy does not have, such as a temporary table
    /// that another program creates. `None` if the copy has all tables.
    pub fn missing_table(&mut self, source: &Source) -> Result<Option<String>, Error> {
        let own = schema_of(&source.place).unwrap_or_default();
        let common = common_tables(&source.text);
        for table in source.parsed.blocks.iter().flat_map(|block| &block.tables) {
            let TableKind::Named { schema, name } = &table.kind else { continue };
            let named = schema.as_deref().unwrap_or(&own);
            if common.contains(&name.to_lowercase()) || self.table(named, name)?.is_some() {
                continue;
            }
            // The server also has DUAL, generated sequences, and the temporary tables of the
            // program.
            let asked = format!("SELECT 1 FROM {} LIMIT 0", &source.text[table.span.clone()]);
            if self.ask(&source.place, &[asked])?.is_err_and(|refusal| refusal.code == error_code::NO_SUCH_TABLE) {
                return Ok(Some(name.clone()));
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

/// Names of WITH, in lower case: `w AS (`, `w (a, b) AS (`.
fn common_tables(text: &str) -> Vec<String> {
    let tokens: Vec<sql::Token<'_>> = sql::tokenize(text, sql::SqlMode::default()).collect();
    let is_defined = |after: &[sql::Token<'_>]| {
        let columns = after.iter().position(|token| token.is_symbol(')')).filter(|_| after[0].is_symbol('('));
        let rest = &after[columns.map_or(0, |end| end + 1)..];
        matches!(rest, [word, open, ..] if word.is_keyword("as") && open.is_symbol('('))
    };
    let names = tokens
        .iter()
        .enumerate()
        .filter(|(at, _)| tokens.get(at + 1..).is_some_and(|rest| !rest.is_empty() && is_defined(rest)));
    names.filter_map(|(_, token)| token.name()).map(|name| name.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_with_are_read() {
        let text = "WITH RECURSIVE r (n) AS (SELECT 1 UNION SELECT n + 1 FROM r), `W x` AS (SELECT 2) SELECT * FROM r JOIN t AS u";
        assert_eq!(common_tables(text), ["r", "w x"]);
    }
}
