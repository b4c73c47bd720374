//! Reads sequences and tables.

use std::collections::BTreeMap;

use sql::{quote_identifier, quote_string};

use super::Reader;
use crate::create_table::table_parts;
use crate::definitions::{Kind, Object};
use crate::error::Error;

impl Reader<'_> {
    pub(super) fn read_tables(&mut self, schema: &str) -> Result<(), Error> {
        let query = format!(
            "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COLLATION FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = {} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'SEQUENCE') ORDER BY 1",
            quote_string(schema)
        );
        let tables: Vec<(String, String, Option<String>)> = self.query("list the tables", &query)?;
        let mut collations = self.read_column_collations(schema, &tables)?;
        let mut statistics = self.read_column_statistics(schema)?;
        for (name, table_type, collation) in tables {
            lifecycle::interrupt::check()?;
            let kind = if table_type == "SEQUENCE" { Kind::Sequence } else { Kind::Table };
            let columns = ["Create Table", "Create Sequence"];
            let Some((_, create)) = self.show_create(kind, schema, &name, &columns)? else { continue };
            let mut object = Object::new(kind, schema, &name, create);
            if kind == Kind::Table {
                object.parts = table_parts(&object.create);
                object.parts.extend(collation.map(|collation| ("collation".to_owned(), collation)));
                object.parts.extend(collations.remove(&name).unwrap_or_default());
                object.parts.extend(statistics.remove(&name).unwrap_or_default());
            } else {
                object.parts.insert("definition".into(), object.create.clone());
            }
            self.found.objects.push(object);
        }
        Ok(())
    }

    /// Returns column collations by table, as parts named ``collation of `a` ``. Reads them table
    /// by table if the schema has a view that must not be opened.
    fn read_column_collations(
        &mut self,
        schema: &str,
        tables: &[(String, String, Option<String>)],
    ) -> Result<BTreeMap<String, BTreeMap<String, String>>, Error> {
        let query = format!(
            "SELECT TABLE_NAME, COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND COLLATION_NAME IS NOT NULL",
            quote_string(schema)
        );
        let queries = if self.unopened_views.closes_any(schema) {
            tables.iter().map(|(name, ..)| format!("{query} AND TABLE_NAME = {}", quote_string(name))).collect()
        } else {
            vec![query]
        };
        let mut rows: Vec<(String, String, String)> = Vec::new();
        for query in queries {
            rows.extend(self.query("list the columns", &query)?);
        }
        let mut by_table: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (table, column, collation) in rows {
            let part = format!("collation of {}", quote_identifier(&column));
            by_table.entry(table).or_default().insert(part, collation);
        }
        Ok(by_table)
    }

    /// Returns histograms by table, as parts named ``histogram of `a` ``: MySQL 8's histograms with
    /// their options, `10 BUCKETS AUTO UPDATE` (MySQL 8.4 and later), and MariaDB's
    /// engine-independent statistics with the variables that make such a histogram,
    /// `histogram_type = 'JSON_HB', histogram_size = 100`.
    fn read_column_statistics(&mut self, schema: &str) -> Result<BTreeMap<String, BTreeMap<String, String>>, Error> {
        let schema = quote_string(schema);
        let mysql = format!(
            "SELECT TABLE_NAME, COLUMN_NAME, CONCAT(JSON_UNQUOTE(JSON_EXTRACT(HISTOGRAM, '$.\"number-of-buckets-specified\"')), ' BUCKETS', \
             IF(JSON_EXTRACT(HISTOGRAM, '$.\"auto-update\"') = TRUE, ' AUTO UPDATE', '')) \
             FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = {schema}"
        );
        let mariadb = format!(
            "SELECT table_name, column_name, CONCAT_WS(', ', CONCAT('histogram_type = ''', hist_type, ''''), \
             CONCAT('histogram_size = ', COALESCE(hist_size, 0))) FROM mysql.column_stats WHERE db_name = {schema}"
        );
        let query = if self.flavour == server::Flavour::MySql { mysql } else { mariadb };
        let rows: Vec<(String, String, String)> = self.query_optional(&query)?;
        let mut by_table: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (table, column, options) in rows {
            let part = format!("histogram of {}", quote_identifier(&column));
            by_table.entry(table).or_default().insert(part, options);
        }
        Ok(by_table)
    }
}
