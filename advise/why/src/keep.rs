//! Tables of the copy as they were before a change.

use sql::{quote_identifier, quote_table};

use crate::Error;
use crate::copy::{Copy, Session, StoredProgram};

#[derive(Default)]
pub struct Kept {
    tables: Vec<KeptTable>,
}

struct KeptTable {
    schema: String,
    name: String,
    create: String,
    columns: Vec<String>,
    triggers: Vec<StoredProgram>,
    /// Table that holds the rows.
    rows: String,
}

fn list(columns: &[String]) -> String {
    columns.iter().map(|column| quote_identifier(column)).collect::<Vec<_>>().join(", ")
}

/// Settings under which any definition and any row is taken again.
fn relaxed() -> Session {
    let settings = [
        // Other sessions of the copy have a limit. MySQL's applies to queries only.
        "SET SESSION max_statement_time = 0",
        "SET SESSION foreign_key_checks = 0",
        "SET SESSION unique_checks = 0",
        "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
        "SET SESSION innodb_strict_mode = 0",
    ];
    Session { schema: None, prelude: settings.map(str::to_owned).to_vec() }
}

impl Kept {
    /// Copies a table's rows, and remembers its definition and triggers.
    pub fn keep(&mut self, copy: &mut Copy<'_>, schema: &str, name: &str) -> Result<(), Error> {
        let Some(create) = copy.create_table(schema, name)? else { return Ok(()) };
        let columns = copy.base_columns(schema, name)?;
        let rows = format!("weigh_kept_{}", self.tables.len());
        let kept = quote_table(schema, &rows);
        let statements = [
            format!("DROP TABLE IF EXISTS {kept}"),
            format!("CREATE TABLE {kept} AS SELECT {} FROM {}", list(&columns), quote_table(schema, name)),
        ];
        if let Err(refusal) = copy.run(&relaxed(), &statements)? {
            let message = format!("cannot keep the rows of {name} before a change is tried: {refusal}");
            return Err(Error::Statement { place: "private copy".into(), message });
        }
        let mut triggers = Vec::new();
        for trigger in copy.triggers(schema, name)? {
            triggers.extend(copy.program("TRIGGER", schema, &trigger)?);
        }
        self.tables.push(KeptTable {
            schema: schema.to_owned(),
            name: name.to_owned(),
            create,
            columns,
            triggers,
            rows,
        });
        Ok(())
    }

    /// Keeps the tables as they have become.
    pub fn discard(self, copy: &mut Copy<'_>) -> Result<(), Error> {
        for table in self.tables {
            let _ = copy.run(&relaxed(), &[format!("DROP TABLE {}", quote_table(&table.schema, &table.rows))])?;
        }
        Ok(())
    }

    /// Creates the tables again, with their rows and triggers.
    pub fn restore(self, copy: &mut Copy<'_>) -> Result<(), Error> {
        // Foreign keys tie the tables to each other: all go before the first is created.
        let name = |table: &KeptTable| quote_table(&table.schema, &table.name);
        let mut statements: Vec<String> =
            self.tables.iter().map(|table| format!("DROP TABLE IF EXISTS {}", name(table))).collect();
        for table in &self.tables {
            statements.push(format!("USE {}", quote_identifier(&table.schema)));
            statements.push(table.create.clone());
        }
        for table in &self.tables {
            let rows = quote_table(&table.schema, &table.rows);
            let columns = list(&table.columns);
            statements.push(format!("INSERT INTO {} ({columns}) SELECT {columns} FROM {rows}", name(table)));
            statements.push(format!("DROP TABLE {rows}"));
            statements.push(format!("ANALYZE TABLE {}", name(table)));
        }
        if let Err(refusal) = copy.run(&relaxed(), &statements)? {
            let message = format!("cannot restore tables of the private copy: {refusal}");
            return Err(Error::Statement { place: "private copy".into(), message });
        }
        for trigger in self.tables.iter().flat_map(|table| &table.triggers) {
            let _ = copy.recreate(trigger)?;
        }
        Ok(())
    }
}
