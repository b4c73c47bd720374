//! A private server with a copy of the schemas.

use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use server::Conn;
use server::Server;

use crate::build::{self, CopyGaps};
use crate::compare::{Change, compare};
use crate::definitions::{Definitions, Object, ObjectName};
use crate::error::{Error, refusal};
use crate::prove::{Fault, prove};
use crate::read::{Values, read};

/// Result of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done {
        took: Duration,
    },
    Refused {
        /// Error number; 0 for an error of the driver, such as a lost connection.
        code: u16,
        message: String,
    },
}

/// A private server on which statements are rehearsed.
pub struct Rehearsal<'s> {
    server: &'s Server,
    conn: Conn,
    before: Definitions,
}

impl<'s> Rehearsal<'s> {
    /// Creates the objects on a private server and fills the tables by `fill`. Schemas of the same
    /// names are dropped first. Programs are created after `fill`. Returns what the copy lacks.
    pub fn build<E: From<Error>>(
        server: &'s Server,
        definitions: &Definitions,
        fill: &mut dyn FnMut(&mut Conn) -> Result<(), E>,
    ) -> Result<(Self, CopyGaps), E> {
        let mut conn = server.connect_patiently().map_err(Error::from)?;
        // Events would run meanwhile, and a binary log would make the server refuse functions
        // without DETERMINISTIC or the like (error 1418).
        for setting in ["event_scheduler = OFF", "log_bin_trust_function_creators = 1"] {
            let _ = conn.query_drop(format!("SET GLOBAL {setting}"));
        }
        let mut built = build::build_tables(&mut conn, definitions)?;
        fill(&mut conn)?;
        build::build_histograms(&mut conn, definitions);
        built.unbuilt.extend(build::build_programs(&mut conn, definitions)?);
        // A new session has none of the settings of building.
        let conn = server.connect_patiently().map_err(Error::from)?;
        Ok((Self { server, conn, before: Definitions::default() }, built))
    }

    /// Reads the state before the statements. `tables` are the tables whose rows are compared.
    pub fn begin(&mut self, schemas: &[String], tables: &[(String, String)]) -> Result<(), Error> {
        self.before = self.read(schemas, tables)?;
        Ok(())
    }

    /// Returns the objects that the state before the statements lacks. An event may be dropped as
    /// soon as it is created.
    pub fn missing<'d>(&'d self, wanted: &'d Definitions) -> impl Iterator<Item = &'d Object> {
        let has = |name: &ObjectName| {
            self.before
                .objects
                .iter()
                .map(|object| &object.name)
                .chain(self.before.unread.iter().map(|one| &one.name))
                .any(|own| own == name)
        };
        wanted.objects.iter().filter(move |object| !has(&object.name))
    }

    fn read(&self, schemas: &[String], tables: &[(String, String)]) -> Result<Definitions, Error> {
        let mut conn = self.server.connect_patiently()?;
        read(self.server, &mut conn, schemas, Values::Checksums(tables))
    }

    /// Runs a statement in the session of the rehearsal.
    pub fn apply(&mut self, statement: &str) -> Result<Outcome, Error> {
        lifecycle::interrupt::check()?;
        let begin = Instant::now();
        Ok(match self.conn.query_drop(sql::keep_local(statement, sql::SqlMode::default()).text.as_ref()) {
            Ok(()) => Outcome::Done { took: begin.elapsed() },
            Err(error) => {
                let (code, message) = refusal(&error);
                Outcome::Refused { code, message }
            }
        })
    }

    /// Reads everything back. Returns the present state and what differs from the state before.
    pub fn changes(
        &self,
        schemas: &[String],
        tables: &[(String, String)],
    ) -> Result<(Definitions, Vec<Change>), Error> {
        let after = self.read(schemas, tables)?;
        let changes = compare(&self.before, &after);
        Ok((after, changes))
    }

    /// Checks that tables are sound. `after` is the present state.
    pub fn prove(&self, after: &Definitions, tables: &[(String, String)]) -> Result<Vec<Fault>, Error> {
        prove(&mut self.server.connect_patiently()?, after, tables)
    }
}
