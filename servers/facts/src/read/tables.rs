//! Reading tables, columns, check constraints and partitions.

use std::collections::BTreeMap;

use server::Error;

use super::Reader;
use super::dictionary_row::DictionaryRow;
use crate::{CheckConstraint, Column, Generated, Partition, Partitioning, RowFormat, Table};

/// Columns of views, by name of the view. Views that must not be opened have none.
pub(super) type ViewColumns = BTreeMap<String, Vec<Column>>;

impl Reader<'_> {
    /// Reads the base tables of a schema with columns, indexes, constraints and partitions. Returns
    /// the columns of views, too.
    pub(super) fn read_tables(&mut self, schema: &str) -> Result<(Vec<Table>, ViewColumns), Error> {
        let select = "SELECT TABLE_NAME, ENGINE, ROW_FORMAT, TABLE_COLLATION, TABLE_ROWS, DATA_LENGTH, INDEX_LENGTH, \
                      CREATE_OPTIONS, TABLE_COMMENT FROM information_schema.TABLES";
        let rest = "AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME";
        let mut tables: BTreeMap<String, Table> = BTreeMap::new();
        for row in self.query_schema("list its tables", select, rest, schema)? {
            if row.optional_text(1).is_none() {
                let why = format!("the server cannot open it: {}", row.text(8));
                self.add_unseen(format!("table {schema}.{}", row.text(0)), why, None);
            }
            tables.insert(row.text(0), parse_table(schema, &row));
        }
        let mut view_columns = ViewColumns::new();
        for (name, column) in self.read_columns(schema)? {
            match tables.get_mut(&name) {
                Some(table) => table.columns.push(column),
                None => view_columns.entry(name).or_default().push(column),
            }
        }
        self.read_indexes(schema, &mut tables)?;
        self.read_foreign_keys(schema, &mut tables)?;
        self.read_checks(schema, &mut tables)?;
        self.read_partitions(schema, &mut tables)?;
        Ok((tables.into_values().collect(), view_columns))
    }

    /// Reads the columns of tables and of views that may be opened, sorted by table and position.
    /// Returns table names and columns.
    fn read_columns(&mut self, schema: &str) -> Result<Vec<(String, Column)>, Error> {
        let columns = [
            "TABLE_NAME",
            "COLUMN_NAME",
            "ORDINAL_POSITION",
            "DATA_TYPE",
            "COLUMN_TYPE",
            "CHARACTER_SET_NAME",
            "COLLATION_NAME",
            "CHARACTER_MAXIMUM_LENGTH",
            "CHARACTER_OCTET_LENGTH",
            "NUMERIC_PRECISION",
            "NUMERIC_SCALE",
            "DATETIME_PRECISION",
            "IS_NULLABLE",
            "COLUMN_DEFAULT",
            "EXTRA",
            "COLUMN_COMMENT",
            "GENERATION_EXPRESSION",
        ];
        let select = self.dictionary.select("COLUMNS", &columns);
        let rows = self.query_schema("list its columns", &select, "ORDER BY TABLE_NAME, ORDINAL_POSITION", schema)?;
        Ok(rows.iter().map(|row| (row.text(0), parse_column(row))).collect())
    }

    fn read_checks(&mut self, schema: &str, tables: &mut BTreeMap<String, Table>) -> Result<(), Error> {
        if !self.dictionary.has("CHECK_CONSTRAINTS", "CHECK_CLAUSE") {
            return Ok(());
        }
        let query = if self.dictionary.has("CHECK_CONSTRAINTS", "TABLE_NAME") {
            "SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS \
             WHERE CONSTRAINT_SCHEMA = ? ORDER BY 1, 2"
        } else {
            "SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS c \
             JOIN information_schema.TABLE_CONSTRAINTS t ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA \
             AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME WHERE c.CONSTRAINT_SCHEMA = ? AND t.CONSTRAINT_TYPE = 'CHECK' \
             ORDER BY 1, 2"
        };
        for row in self.query("list its check constraints", query, &[schema])? {
            if let Some(table) = tables.get_mut(&row.text(0)) {
                table.checks.push(CheckConstraint { name: row.text(1), expression: row.text(2) });
            }
        }
        Ok(())
    }

    fn read_partitions(&mut self, schema: &str, tables: &mut BTreeMap<String, Table>) -> Result<(), Error> {
        let query = "SELECT TABLE_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, SUBPARTITION_METHOD, \
                     SUBPARTITION_EXPRESSION, PARTITION_NAME, SUBPARTITION_NAME, PARTITION_DESCRIPTION, TABLE_ROWS \
                     FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = ? AND PARTITION_NAME IS NOT NULL \
                     ORDER BY TABLE_NAME, PARTITION_ORDINAL_POSITION, SUBPARTITION_ORDINAL_POSITION";
        for row in self.query("list its partitions", query, &[schema])? {
            let Some(table) = tables.get_mut(&row.text(0)) else { continue };
            let partitioning = table.partitioning.get_or_insert_with(|| Partitioning {
                method: row.text(1),
                expression: row.optional_text(2),
                sub_method: row.optional_text(3),
                sub_expression: row.optional_text(4),
                partitions: Vec::new(),
            });
            partitioning.partitions.push(Partition {
                name: row.text(5),
                sub_name: row.optional_text(6),
                description: row.optional_text(7),
                rows: row.number(8),
            });
        }
        Ok(())
    }
}

fn parse_table(schema: &str, row: &DictionaryRow) -> Table {
    Table {
        schema: schema.to_owned(),
        name: row.text(0),
        engine: row.optional_text(1),
        row_format: row_format(&row.text(2)),
        collation: row.optional_text(3),
        rows: row.number(4),
        data_bytes: row.number(5),
        index_bytes: row.number(6),
        create_options: row.text(7),
        comment: row.text(8),
        ..Table::default()
    }
}

fn row_format(name: &str) -> RowFormat {
    match name.to_uppercase().as_str() {
        "DYNAMIC" => RowFormat::Dynamic,
        "COMPACT" => RowFormat::Compact,
        "REDUNDANT" => RowFormat::Redundant,
        "COMPRESSED" => RowFormat::Compressed,
        _ => RowFormat::Other,
    }
}

fn parse_column(row: &DictionaryRow) -> Column {
    let extra = row.text(14);
    let stored = ["STORED", "PERSISTENT"].iter().any(|word| extra.to_uppercase().contains(word));
    // For columns that are not generated, the expression is empty in MySQL and NULL in MariaDB.
    let expression = row.optional_text(16).filter(|expression| !expression.is_empty());
    Column {
        name: row.text(1),
        position: row.number(2).unwrap_or(0) as u32,
        data_type: row.text(3).to_lowercase(),
        column_type: row.text(4),
        charset: row.optional_text(5),
        collation: row.optional_text(6),
        characters: row.number(7),
        bytes: row.number(8),
        precision: row.number(9).or(row.number(11)),
        scale: row.number(10),
        nullable: row.is_yes(12),
        default: row.optional_text(13),
        generated: expression.map(|expression| Generated { expression, stored }),
        extra,
        comment: row.text(15),
    }
}
