//! Reading views, routines, triggers and events.

use std::collections::BTreeMap;

use server::{Error, error_code};

use super::dictionary_row::DictionaryRow;
use super::tables::ViewColumns;
use super::{Privilege, Reader};
use crate::{Event, Parameter, Program, ProgramCharsets, Routine, Schema, Trigger, View};

impl Reader<'_> {
    pub(super) fn read_programs(&mut self, schema: &mut Schema, view_columns: ViewColumns) -> Result<(), Error> {
        let name = schema.name.clone();
        schema.views = self.read_views(&name, view_columns)?;
        schema.routines = self.read_routines(&name)?;
        schema.triggers = self.read_triggers(&name)?;
        schema.events = self.read_events(&name)?;
        let hidden = schema.views.iter().filter(|view| view.program.body.is_none()).count();
        if hidden > 0 {
            let what = format!("the text of {} of {name}", message::count_noun(hidden, "view"));
            self.check_privilege(Privilege::ShowView, &name, &what);
        }
        self.check_privilege(Privilege::ShowRoutine, &name, &format!("stored routines of {name}"));
        self.check_privilege(Privilege::Trigger, &name, &format!("triggers of {name}"));
        self.check_privilege(Privilege::Event, &name, &format!("events of {name}"));
        Ok(())
    }

    fn read_views(&mut self, schema: &str, mut columns: ViewColumns) -> Result<Vec<View>, Error> {
        let query = "SELECT TABLE_NAME, DEFINER, VIEW_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME";
        let rows = self.query("list its views", query, &[schema])?;
        let is_closed = |name: &String| self.unopened_views.refuse_to_open(schema, name).is_some();
        let closed: Vec<String> = rows.iter().map(|row| row.text(0)).filter(is_closed).collect();
        if !closed.is_empty() {
            let names: Vec<String> = closed.iter().map(|name| format!("{schema}.{name}")).collect();
            let why = "they name functions of other accounts, functions of the server that act, or views that do, which \
                       MariaDB could run in this account's session; the definer of the functions may open them";
            self.add_unseen(format!("columns of views: {}", names.join(", ")), why, None);
        }
        let view = |row: &DictionaryRow| View {
            program: Program {
                body: row.optional_text(2).filter(|body| !body.is_empty()),
                ..program(schema, row, ProgramCharsets { client: row.text(3), connection: row.text(4), database: None })
            },
            security: row.text(5),
            columns: columns.remove(&row.text(0)).unwrap_or_default(),
        };
        Ok(rows.iter().map(view).collect())
    }

    fn read_routines(&mut self, schema: &str) -> Result<Vec<Routine>, Error> {
        let query = "SELECT ROUTINE_NAME, DEFINER, ROUTINE_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, SQL_MODE, ROUTINE_TYPE, SPECIFIC_NAME FROM information_schema.ROUTINES \
                     WHERE ROUTINE_SCHEMA = ? ORDER BY ROUTINE_NAME, ROUTINE_TYPE";
        let rows = self.query("list its routines", query, &[schema])?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let query = "SELECT SPECIFIC_NAME, ROUTINE_TYPE, PARAMETER_NAME, DTD_IDENTIFIER, CHARACTER_SET_NAME, \
                     COLLATION_NAME FROM information_schema.PARAMETERS WHERE SPECIFIC_SCHEMA = ? \
                     ORDER BY SPECIFIC_NAME, ORDINAL_POSITION";
        let mut parameters: BTreeMap<(String, String), Vec<Parameter>> = BTreeMap::new();
        for row in self.read_parameters(schema, query)? {
            parameters.entry((row.text(0), row.text(1))).or_default().push(Parameter {
                name: row.optional_text(2).filter(|name| !name.is_empty()),
                column_type: row.text(3),
                charset: row.optional_text(4),
                collation: row.optional_text(5),
            });
        }
        let routine = |row: &DictionaryRow| Routine {
            program: program_from_row(schema, row),
            kind: row.text(7),
            parameters: parameters.remove(&(row.text(8), row.text(7))).unwrap_or_default(),
        };
        Ok(rows.iter().map(routine).collect())
    }

    /// Runs the query of the parameters. MySQL 5.7 parses the routines for it, and fails with a
    /// syntax error if one was written in swe7, in which the bytes of quotes are other characters.
    /// Then there is an [`Unseen`](crate::Unseen) entry, and no parameter.
    fn read_parameters(&mut self, schema: &str, query: &str) -> Result<Vec<DictionaryRow>, Error> {
        match self.try_query(query, &[schema]) {
            Err(mysql::Error::MySqlError(error)) if error.code == error_code::PARSE_ERROR => {
                let what = format!("parameters of routines: schema {schema}");
                self.add_unseen(
                    what,
                    format!("the server can't list them: error {}: {}", error.code, error.message),
                    None,
                );
                Ok(Vec::new())
            }
            rows => rows.map_err(|source| Error::Statement {
                label: self.label.clone(),
                what: "list the parameters of its routines",
                source,
            }),
        }
    }

    fn read_triggers(&mut self, schema: &str) -> Result<Vec<Trigger>, Error> {
        let query = "SELECT TRIGGER_NAME, DEFINER, ACTION_STATEMENT, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, SQL_MODE, EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION \
                     FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? ORDER BY TRIGGER_NAME";
        let rows = self.query("list its triggers", query, &[schema])?;
        let trigger = |row: &DictionaryRow| Trigger {
            program: program_from_row(schema, row),
            table: row.text(7),
            timing: row.text(8),
            event: row.text(9),
        };
        Ok(rows.iter().map(trigger).collect())
    }

    fn read_events(&mut self, schema: &str) -> Result<Vec<Event>, Error> {
        let query = "SELECT EVENT_NAME, DEFINER, EVENT_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, SQL_MODE, STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ? ORDER BY EVENT_NAME";
        let rows = self.query("list its events", query, &[schema])?;
        Ok(rows.iter().map(|row| Event { program: program_from_row(schema, row), status: row.text(7) }).collect())
    }
}

/// Converts a row that begins with name, definer, body, client charset, connection collation,
/// schema collation and SQL mode.
fn program_from_row(schema: &str, row: &DictionaryRow) -> Program {
    let charsets = ProgramCharsets { client: row.text(3), connection: row.text(4), database: row.optional_text(5) };
    Program { sql_mode: row.optional_text(6), ..program(schema, row, charsets) }
}

fn program(schema: &str, row: &DictionaryRow, charsets: ProgramCharsets) -> Program {
    Program {
        schema: schema.to_owned(),
        name: row.text(0),
        definer: row.text(1),
        body: row.optional_text(2),
        charsets,
        sql_mode: None,
    }
}
