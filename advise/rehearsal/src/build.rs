//! Creates objects on a server.

use std::cell::OnceCell;

use lifecycle::interrupt;
use mysql::prelude::Queryable;
use server::{Conn, error_code};
use sql::{SqlMode, quote_identifier, quote_string};

use crate::definitions::{Definitions, Kind, Object, ObjectName};
use crate::error::{Error, refusal};
use crate::mismatched::{TableKey, foreign_keys, with_partner_collations};

/// An object that could not be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbuilt {
    pub name: ObjectName,
    pub code: u16,
    pub message: String,
}

/// Objects and options that a copy lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyGaps {
    pub unbuilt: Vec<Unbuilt>,
    /// Tables with the options that were left out, because they reach out of the server's folder.
    pub left_out: Vec<(ObjectName, Vec<String>)>,
}

/// Creates schemas, sequences and tables, without foreign key checks and strict mode.
pub fn build_tables(conn: &mut Conn, definitions: &Definitions) -> Result<CopyGaps, Error> {
    relax(conn);
    let is_table = |object: &&Object| !object.name.kind.is_program_or_view();
    let unbuilt = create_all(conn, definitions.objects.iter().filter(is_table).collect())?;
    let _ = conn.query_drop("SET SESSION foreign_key_checks = 1");
    let removed = |table: &Object| (table.name.clone(), sql::keep_local(&table.create, SqlMode::default()).removed);
    let left_out = definitions.of_kind(Kind::Table).map(removed).filter(|(_, removed)| !removed.is_empty()).collect();
    Ok(CopyGaps { unbuilt, left_out })
}

/// Creates programs and views, each under the SQL mode, collations and time zone that it keeps.
/// Grants privileges on routines.
pub fn build_programs(conn: &mut Conn, definitions: &Definitions) -> Result<Vec<Unbuilt>, Error> {
    let is_program = |object: &&Object| object.name.kind.is_program_or_view();
    let unbuilt = create_all(conn, definitions.objects.iter().filter(is_program).collect())?;
    for object in &definitions.objects {
        // MariaDB 10.11 reads PACKAGE in a GRANT under the SQL mode ORACLE only.
        let is_package = matches!(object.name.kind, Kind::Package | Kind::PackageBody);
        let sql_mode = if is_package { "ORACLE" } else { SQL_MODE };
        if !object.grants.is_empty() {
            let _ = conn.query_drop(format!("SET SESSION sql_mode = {}", quote_string(sql_mode)));
        }
        for grant in &object.grants {
            create_account(conn, grant);
            let _ = conn.query_drop(grant);
        }
    }
    restore_schema_defaults(conn, definitions);
    Ok(unbuilt)
}

/// Collects the histograms that the source has.
pub fn build_histograms(conn: &mut Conn, definitions: &Definitions) {
    for table in definitions.of_kind(Kind::Table) {
        let name = sql::quote_table(&table.name.schema, &table.name.name);
        let histograms =
            table.parts.iter().filter_map(|(part, options)| Some((part.strip_prefix("histogram of ")?, options)));
        for (column, options) in histograms {
            for statement in histogram_statements(&name, column, options) {
                let _ = conn.query_drop(statement);
            }
        }
    }
}

/// Returns the statements that collect a histogram with the options of part ``histogram of `a` ``.
/// `table` and `column` are quoted.
pub fn histogram_statements(table: &str, column: &str, options: &str) -> Vec<String> {
    // MariaDB's options are variables.
    if !options.starts_with("histogram_") {
        return vec![format!("ANALYZE TABLE {table} UPDATE HISTOGRAM ON {column} WITH {options}")];
    }
    let settings = options.split(", ").map(|setting| format!("SET SESSION {setting}"));
    let analyze = format!("ANALYZE TABLE {table} PERSISTENT FOR COLUMNS ({column}) INDEXES ()");
    settings.chain([analyze]).collect()
}

/// SQL mode for objects that keep none: tables, sequences and views.
const SQL_MODE: &str = "NO_ENGINE_SUBSTITUTION";

fn relax(conn: &mut Conn) {
    for statement in [
        "SET NAMES utf8mb4",
        "SET SESSION foreign_key_checks = 0",
        "SET SESSION innodb_strict_mode = 0",
        "SET SESSION explicit_defaults_for_timestamp = 1",
    ] {
        // Some servers lack a variable, or don't let a session set it.
        let _ = conn.query_drop(statement);
    }
}

/// Creates objects. Retries the refused objects until a pass creates nothing, because views depend
/// on each other.
fn create_all(conn: &mut Conn, mut missing: Vec<&Object>) -> Result<Vec<Unbuilt>, Error> {
    let all = missing.clone();
    let keys = OnceCell::new();
    loop {
        let (mut refused, before) = (Vec::new(), missing.len());
        let mut unbuilt = Vec::new();
        for object in missing {
            interrupt::check()?;
            let keys = || keys.get_or_init(|| foreign_keys(&all)).as_slice();
            let created = create(conn, object).or_else(|refusal| create_mismatched(conn, keys, object, refusal));
            if let Err((code, message)) = created {
                unbuilt.push(Unbuilt { name: object.name.clone(), code, message });
                refused.push(object);
            }
        }
        if refused.is_empty() || refused.len() == before {
            return Ok(unbuilt);
        }
        missing = refused;
    }
}

/// Creates a table that was refused for a foreign key between columns of different collations, as
/// its server got it: by a later ALTER. Returns the refusal if that fails, too.
fn create_mismatched<'k>(
    conn: &mut Conn,
    keys: impl FnOnce() -> &'k [TableKey<'k>],
    object: &Object,
    refusal: (u16, String),
) -> Result<(), (u16, String)> {
    const REFUSED: [u16; 3] =
        [error_code::FK_INCOMPATIBLE_COLUMNS, error_code::CANNOT_ADD_FOREIGN, error_code::CANT_CREATE_TABLE];
    if object.name.kind != Kind::Table || !REFUSED.contains(&refusal.0) {
        return Err(refusal);
    }
    let Some((text, alter)) = with_partner_collations(conn, keys(), object) else { return Err(refusal) };
    let borrowed = Object { create: text, ..object.clone() };
    create(conn, &borrowed).map_err(|_| refusal.clone())?;
    conn.query_drop(alter).map_err(|_| refusal)
}

fn create(conn: &mut Conn, object: &Object) -> Result<(), (u16, String)> {
    let mut run = |statement: &str| conn.query_drop(statement).map_err(|error| refusal(&error));
    let schema = quote_identifier(&object.name.schema);
    if object.name.kind == Kind::Schema {
        run(&format!("DROP DATABASE IF EXISTS {schema}"))?;
        return run(&object.create);
    }
    run(&format!("USE {schema}"))?;
    let session = &object.session;
    if let Some(database) = &session.schema_collation {
        let charset = server::collation_charset(database);
        run(&format!("ALTER DATABASE {schema} CHARACTER SET {charset} COLLATE {database}"))?;
    }
    let sql_mode = session.sql_mode.as_deref().unwrap_or(SQL_MODE);
    run(&format!("SET SESSION sql_mode = {}", quote_string(sql_mode)))?;
    if let Some(connection) = &session.collation_connection {
        run(&format!("SET SESSION collation_connection = {connection}"))?;
    }
    if let Some(time_zone) = &session.time_zone {
        run(&format!("SET SESSION time_zone = {}", quote_string(time_zone)))?;
    }
    run(&sql::keep_local(&object.create, SqlMode::default()).text)
}

/// Sets the defaults of schemas again, which [`create`] changes for programs.
fn restore_schema_defaults(conn: &mut Conn, definitions: &Definitions) {
    for schema in definitions.of_kind(Kind::Schema) {
        if let Some(collation) = schema.parts.get("collation") {
            let _ = conn.query_drop(format!(
                "ALTER DATABASE {} CHARACTER SET {} COLLATE {collation}",
                quote_identifier(&schema.name.schema),
                server::collation_charset(collation)
            ));
        }
    }
}

/// Creates the account that a grant names, if the server doesn't have it.
fn create_account(conn: &mut Conn, grant: &str) {
    let Some((_, account)) = grant.rsplit_once(" TO ") else { return };
    let account = account.trim_end_matches(" WITH GRANT OPTION");
    let kind = if account.contains("'@'") { "USER" } else { "ROLE" };
    let _ = conn.query_drop(format!("CREATE {kind} {account}"));
}
