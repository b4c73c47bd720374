//! Reading indexes and foreign keys.

use std::collections::{BTreeMap, BTreeSet};

use server::Error;
use sql::ddl;

use super::Reader;
use crate::{ForeignKey, Index, IndexKind, IndexPart, Table};

impl Reader<'_> {
    pub(super) fn read_indexes(&mut self, schema: &str, tables: &mut BTreeMap<String, Table>) -> Result<(), Error> {
        let columns = [
            "TABLE_NAME",
            "INDEX_NAME",
            "NON_UNIQUE",
            "INDEX_TYPE",
            "COLUMN_NAME",
            "SUB_PART",
            "EXPRESSION",
            "COLLATION",
            // MySQL 8.0.
            "IS_VISIBLE",
            // MariaDB 10.6.
            "IGNORED",
        ];
        let query = self.dictionary.select("STATISTICS", &columns)
            + " WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX";
        for row in self.query("list its indexes", &query, &[schema])? {
            let Some(table) = tables.get_mut(&row.text(0)) else { continue };
            let name = row.text(1);
            if table.indexes.last().is_none_or(|index| index.name != name) {
                let (unique, kind) = (row.number(2) == Some(0), index_kind(&row.text(3)));
                let invisible = row.text(8).eq_ignore_ascii_case("no") || row.is_yes(9);
                table.indexes.push(Index { name, unique, kind, invisible, parts: Vec::new() });
            }
            let part = IndexPart {
                column: row.optional_text(4),
                prefix: row.number(5),
                expression: row.optional_text(6),
                descending: row.text(7) == "D",
            };
            if let Some(index) = table.indexes.last_mut() {
                index.parts.push(part);
            }
        }
        Ok(())
    }

    pub(super) fn read_foreign_keys(
        &mut self,
        schema: &str,
        tables: &mut BTreeMap<String, Table>,
    ) -> Result<(), Error> {
        let rules = "SELECT TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE \
                     FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ?";
        let rules = self.query("list its foreign keys", rules, &[schema])?;
        let rules: BTreeMap<_, _> =
            rules.iter().map(|row| ((row.text(0), row.text(1)), (row.text(2), row.text(3)))).collect();
        let query = "SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, \
                     REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ? \
                     AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION";
        let mut hidden = BTreeSet::new();
        for row in self.query("list the columns of its foreign keys", query, &[schema])? {
            let Some(table) = tables.get_mut(&row.text(0)) else { continue };
            let name = row.text(1);
            if table.foreign_keys.last().is_none_or(|key| key.name != name) {
                let rule = rules.get(&(row.text(0), name.clone())).cloned();
                if rule.is_none() {
                    hidden.insert(row.text(0));
                }
                let (on_update, on_delete) = rule.unwrap_or_default();
                table.foreign_keys.push(ForeignKey {
                    name,
                    schema: schema.to_owned(),
                    table: row.text(0),
                    parent_schema: row.text(3),
                    parent_table: row.text(4),
                    on_update,
                    on_delete,
                    ..ForeignKey::default()
                });
            }
            if let Some(key) = table.foreign_keys.last_mut() {
                key.columns.push(row.text(2));
                key.parent_columns.push(row.text(5));
            }
        }
        for table in tables.values_mut().filter(|table| hidden.contains(&table.name)) {
            self.read_hidden_actions(table);
        }
        Ok(())
    }

    /// Reads ON UPDATE and ON DELETE of a table's foreign keys from its definition. Of a table that
    /// the account may only read, MariaDB leaves them out of `information_schema`.
    fn read_hidden_actions(&mut self, table: &mut Table) {
        let what = format!("ON UPDATE and ON DELETE of the foreign keys of {}.{}", table.schema, table.name);
        let query = format!("SHOW CREATE TABLE {}", sql::quote_table(&table.schema, &table.name));
        let create = match self.try_query(&query, &[]) {
            Ok(rows) => rows.first().map(|row| row.text(1)).unwrap_or_default(),
            Err(error) => return self.add_unseen(what, error.to_string(), None),
        };
        for (name, definition) in ddl::find_foreign_keys(&create) {
            for key in table.foreign_keys.iter_mut().filter(|key| sql::quote_identifier(&key.name) == name) {
                key.on_update = ddl::referential_action(definition, "UPDATE").to_owned();
                key.on_delete = ddl::referential_action(definition, "DELETE").to_owned();
            }
        }
    }
}

fn index_kind(name: &str) -> IndexKind {
    match name.to_uppercase().as_str() {
        "BTREE" => IndexKind::Btree,
        "HASH" => IndexKind::Hash,
        "FULLTEXT" => IndexKind::Fulltext,
        "SPATIAL" | "RTREE" => IndexKind::Spatial,
        _ => IndexKind::Other,
    }
}
