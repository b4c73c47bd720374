//! Views, routines, triggers, events.

use std::collections::BTreeMap;

use server::Error;

use super::cells::Cells;
use super::{Privilege, Reader};
use crate::{Column, Event, Parameter, Program, ProgramCharsets, Routine, Schema, Trigger, View};

impl Reader<'_> {
    pub(super) fn programs(&mut self, schema: &mut Schema) -> Result<(), Error> {
        let name = schema.name.clone();
        schema.views = self.views(&name)?;
        schema.routines = self.routines(&name)?;
        schema.triggers = self.triggers(&name)?;
        schema.events = self.events(&name)?;
        let bodies = schema.views.iter().filter(|view| view.program.body.is_none()).count();
        if bodies > 0 {
            self.needs(Privilege::ShowView, &name, &format!("the text of {bodies} views of {name}"));
        }
        self.needs(Privilege::ShowRoutine, &name, &format!("stored routines of {name}"));
        self.needs(Privilege::Trigger, &name, &format!("triggers of {name}"));
        self.needs(Privilege::Event, &name, &format!("events of {name}"));
        Ok(())
    }

    fn views(&mut self, schema: &str) -> Result<Vec<View>, Error> {
        let query = "SELECT TABLE_NAME, DEFINER, VIEW_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME";
        let rows = self.rows("list its views", query, &[schema])?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut columns: BTreeMap<String, Vec<Column>> = BTreeMap::new();
        for (table, column) in self.columns(schema)? {
            columns.entry(table).or_default().push(column);
        }
        let view = |row: &Cells| View {
            program: Program {
                body: row.opt(2).filter(|body| !body.is_empty()),
                ..program(schema, row, ProgramCharsets { client: row.text(3), connection: row.text(4), database: None })
            },
            security: row.text(5),
            columns: columns.remove(&row.text(0)).unwrap_or_default(),
        };
        Ok(rows.iter().map(view).collect())
    }

    fn routines(&mut self, schema: &str) -> Result<Vec<Routine>, Error> {
        let query = "SELECT ROUTINE_NAME, DEFINER, ROUTINE_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, ROUTINE_TYPE, SPECIFIC_NAME FROM information_schema.ROUTINES \
                     WHERE ROUTINE_SCHEMA = ? ORDER BY ROUTINE_NAME, ROUTINE_TYPE";
        let rows = self.rows("list its routines", query, &[schema])?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let query = "SELECT SPECIFIC_NAME, ROUTINE_TYPE, PARAMETER_NAME, DTD_IDENTIFIER, CHARACTER_SET_NAME, \
                     COLLATION_NAME FROM information_schema.PARAMETERS WHERE SPECIFIC_SCHEMA = ? \
                     ORDER BY SPECIFIC_NAME, ORDINAL_POSITION";
        let mut parameters: BTreeMap<(String, String), Vec<Parameter>> = BTreeMap::new();
        for row in self.rows("list the parameters of its routines", query, &[schema])? {
            parameters.entry((row.text(0), row.text(1))).or_default().push(Parameter {
                name: row.opt(2).filter(|name| !name.is_empty()),
                column_type: row.text(3),
                charset: row.opt(4),
                collation: row.opt(5),
            });
        }
        let routine = |row: &Cells| Routine {
            program: program_of(schema, row),
            kind: row.text(6),
            parameters: parameters.remove(&(row.text(7), row.text(6))).unwrap_or_default(),
        };
        Ok(rows.iter().map(routine).collect())
    }

    fn triggers(&mut self, schema: &str) -> Result<Vec<Trigger>, Error> {
        let query = "SELECT TRIGGER_NAME, DEFINER, ACTION_STATEMENT, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION \
                     FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? ORDER BY TRIGGER_NAME";
        let rows = self.rows("list its triggers", query, &[schema])?;
        let trigger = |row: &Cells| Trigger {
            program: program_of(schema, row),
            table: row.text(6),
            timing: row.text(7),
            event: row.text(8),
        };
        Ok(rows.iter().map(trigger).collect())
    }

    fn events(&mut self, schema: &str) -> Result<Vec<Event>, Error> {
        let query = "SELECT EVENT_NAME, DEFINER, EVENT_DEFINITION, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, \
                     DATABASE_COLLATION, STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ? ORDER BY EVENT_NAME";
        let rows = self.rows("list its events", query, &[schema])?;
        Ok(rows.iter().map(|row| Event { program: program_of(schema, row), status: row.text(6) }).collect())
    }
}

/// A program whose row has name, definer, body and the three character sets in front.
fn program_of(schema: &str, row: &Cells) -> Program {
    let charsets = ProgramCharsets { client: row.text(3), connection: row.text(4), database: row.opt(5) };
    program(schema, row, charsets)
}

fn program(schema: &str, row: &Cells, charsets: ProgramCharsets) -> Program {
    Program { schema: schema.to_owned(), name: row.text(0), definer: row.text(1), body: row.opt(2), charsets }
}
