//! Input of a rehearsal: the schema as statements, and the application's statements.

use std::io::BufRead;
use std::sync::Arc;

use facts::{Limits, Scope, Unseen};
use files::OwnFile;
use rehearsal::{CreationSession, Definitions, Kind, Object};
use server::{Progress, Server};
use sql::{SqlMode, StatementReader, quote_identifier, quote_string};

use crate::Error;
use crate::model::{Area, Finding};

/// A dump that can be read several times.
pub struct Dump {
    /// Name for messages.
    pub name: String,
    pub open: Box<dyn Fn() -> std::io::Result<Box<dyn BufRead>>>,
}

/// Schema before the upgrade.
pub enum Schema {
    Dumps(Vec<Dump>),
    /// Definitions as the old server prints them.
    Definitions(Definitions),
}

/// A statement with its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    /// `schema.sql:12`, `table app.orders`.
    pub place: String,
    /// Text as [`sql::read_bytes`] returns it, which keeps bytes that are no UTF-8.
    pub text: String,
    /// Position among the statements of all dumps; 0 for definitions.
    pub number: usize,
}

/// A statement of a script, migration or log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    pub place: String,
    pub text: String,
    /// Default schema; `None`: the one in use, at first that of the request.
    pub schema: Option<String>,
}

impl Given {
    /// Makes a finding about the statement.
    pub(crate) fn finding(&self, kind: crate::model::Kind, what: String) -> Finding {
        Finding {
            kind,
            area: Area::Statement,
            place: self.place.clone(),
            what,
            statement: self.text.clone(),
            error: None,
            reasons: Vec::new(),
            also: Vec::new(),
            mends: Vec::new(),
        }
    }
}

/// Lists the parts of a running server's schemas that its account may not see. Fails if the server
/// lacks one of the schemas.
pub fn read_unseen(server: &Server, schemas: &[String], progress: &dyn Progress) -> Result<Vec<Unseen>, Error> {
    let scope = Scope { schemas: schemas.to_vec(), programs: true, activity: false };
    Ok(facts::read(server, &scope, &Limits::default(), progress)?.unseen)
}

/// Says why a part could not be seen, and which statement makes it visible.
pub(crate) fn describe_unseen(one: &Unseen, server: &str) -> String {
    let remedy = one.remedy.as_ref().map(|remedy| format!(" ({remedy})")).unwrap_or_default();
    format!("{}{server}: {}{remedy}", one.what, one.why)
}

pub struct Request {
    pub schema: Schema,
    /// Parts of a running server's schema that its account may not see.
    pub unseen: Vec<Unseen>,
    /// Schema of the statements, and of a dump that names none. `None`: the schema in use at the
    /// end of the dump.
    pub default_schema: Option<String>,
    /// Scripts and migrations in the order in which they run. The statements of one share a
    /// connection.
    pub scripts: Vec<Vec<Given>>,
    /// Number of scripts, at the beginning, that are migrations.
    pub migrations: usize,
    /// True if the old server's `collation_server` was given, false if it is the one that the
    /// server is compiled with.
    pub has_collation_server: bool,
    /// Statements that the application's connection begins with.
    pub first: Vec<String>,
    /// Findings of the new server's start with the user's option file. `None` without a file.
    pub option_findings: Option<Vec<Finding>>,
    /// File for the rewritten dump.
    pub rewrite: Option<Arc<OwnFile>>,
}

impl Schema {
    /// Calls `each` for every statement. A dump is read statement by statement.
    pub(crate) fn each(&self, each: &mut dyn FnMut(&Statement) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Schema::Definitions(definitions) => statements(definitions).iter().try_for_each(each),
            Schema::Dumps(dumps) => {
                let mut number = 0;
                each_of_dumps(dumps, &mut |dump, line, bytes| {
                    let text = sql::read_bytes(bytes).into_owned();
                    each(&Statement { place: format!("{}:{line}", dump.name), text, number })?;
                    number += 1;
                    Ok(())
                })
            }
        }
    }
}

/// Function that receives a dump, a line and the statement that begins there.
type DumpVisitor<'e> = dyn FnMut(&Dump, u64, &[u8]) -> Result<(), Error> + 'e;

/// Calls `each` for every statement of dumps, in their order.
fn each_of_dumps(dumps: &[Dump], each: &mut DumpVisitor<'_>) -> Result<(), Error> {
    for dump in dumps {
        let fail = |source| Error::Read { name: dump.name.clone(), source };
        let mut reader = StatementReader::new((dump.open)().map_err(fail)?, SqlMode::default());
        loop {
            lifecycle::interrupt::check()?;
            let Some(bytes) = reader.read().map_err(fail)?.map(<[u8]>::to_vec) else { break };
            each(dump, reader.line(), &bytes)?;
        }
    }
    Ok(())
}

/// Writes definitions as the statements of a dump.
pub(crate) fn statements(definitions: &Definitions) -> Vec<Statement> {
    let setup = |text: &str| Statement { place: "dump".into(), text: text.into(), number: 0 };
    let mut all = vec![
        setup("SET NAMES utf8mb4"),
        setup("SET SESSION foreign_key_checks = 0"),
        setup("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"),
    ];
    let mut schema = String::new();
    for object in &definitions.objects {
        let place = object.name.to_string();
        let mut push = |text: String| all.push(Statement { place: place.clone(), text, number: 0 });
        if object.name.kind != Kind::Schema && object.name.schema != schema {
            schema.clone_from(&object.name.schema);
            push(format!("USE {}", quote_identifier(&schema)));
        }
        session_statements(object).into_iter().for_each(&mut push);
        push(object.create.clone());
    }
    // `session_statements` changes schema defaults for programs; this sets them back.
    for object in definitions.of_kind(Kind::Schema) {
        if let Some(collation) = object.parts.get("collation") {
            let text = alter_database(object, collation);
            all.push(Statement { place: object.name.to_string(), text, number: 0 });
        }
    }
    all
}

fn alter_database(object: &Object, collation: &str) -> String {
    let charset = server::collation_charset(collation);
    format!("ALTER DATABASE {} CHARACTER SET {charset} COLLATE {collation}", quote_identifier(&object.name.schema))
}

fn session_statements(object: &Object) -> Vec<String> {
    let CreationSession { sql_mode, collation_connection, schema_collation, time_zone, .. } = &object.session;
    let mut all = Vec::new();
    all.extend(schema_collation.as_ref().map(|collation| alter_database(object, collation)));
    // MySQL 8.0 refuses NO_AUTO_CREATE_USER, which older versions store with most programs. Only
    // GRANT depends on it.
    let without =
        |mode: &String| mode.split(',').filter(|one| *one != "NO_AUTO_CREATE_USER").collect::<Vec<_>>().join(",");
    all.extend(sql_mode.as_ref().map(|mode| format!("SET SESSION sql_mode = {}", quote_string(&without(mode)))));
    all.extend(
        collation_connection.as_ref().map(|collation| format!("SET SESSION collation_connection = {collation}")),
    );
    all.extend(time_zone.as_ref().map(|zone| format!("SET SESSION time_zone = {}", quote_string(zone))));
    all
}
