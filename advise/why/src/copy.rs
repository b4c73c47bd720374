//! A private copy of schemas, which answers questions and on which remedies are tried.

use std::collections::BTreeMap;

use mysql::prelude::Queryable;
use mysql::{Row, Value};
use server::{Conn, Flavour, Server, Version};
use sql::{SqlMode, keep_local, quote_identifier, quote_string};

use crate::Error;
use crate::spot::{Joins, Source};
use crate::syntax::Program;
use crate::tables::TableName;
use crate::variables::find_assignments;

/// Default schema of a session, and the statements that it runs first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub schema: Option<String>,
    /// `SET NAMES`, `SET @x = …`, `CREATE TEMPORARY TABLE …`, `SELECT … INTO @x`, in order.
    pub prelude: Vec<String>,
}

impl Session {
    /// Quotes a table, with its schema unless it is the session's.
    pub fn quote_table(&self, schema: &str, name: &str) -> String {
        if self.schema.as_deref() == Some(schema) { quote_identifier(name) } else { sql::quote_table(schema, name) }
    }

    /// Selects a schema. Temporary tables stay in the schema in which they were created.
    pub fn select(&mut self, schema: String) {
        let first_word = |statement: &String| {
            sql::tokenize(statement, SqlMode::default())
                .find(sql::Token::is_content)
                .map(|token| token.text.to_lowercase())
        };
        let is_setting = |statement: &String| first_word(statement).is_some_and(|word| word == "set");
        if !self.prelude.iter().all(is_setting) {
            let begins = self.prelude.first().and_then(first_word).is_some_and(|word| word == "use");
            if let Some(old) = self.schema.as_ref().filter(|_| !begins) {
                self.prelude.insert(0, format!("USE {}", quote_identifier(old)));
            }
            self.prelude.push(format!("USE {}", quote_identifier(&schema)));
        }
        self.schema = Some(schema);
    }
}

/// Context in which an expression is evaluated.
#[derive(Clone, Debug)]
pub enum Place {
    Session(Session),
    Program { program: Box<StoredProgram>, call: Call },
    View { name: String, session: Session },
}

/// How a procedure is called: the caller's session and arguments.
#[derive(Clone, Debug, Default)]
pub struct Call {
    pub session: Session,
    /// Arguments as written. Missing ones are NULL.
    pub arguments: Vec<String>,
    /// Statements of the body that create temporary tables, before the expression.
    pub created: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredProgram {
    /// `PROCEDURE`, `FUNCTION`, `TRIGGER` or `EVENT`.
    pub keyword: &'static str,
    pub schema: String,
    pub name: String,
    pub create: String,
    pub sql_mode: String,
    pub client: String,
    pub connection: String,
    pub database: String,
    /// Table of a trigger.
    pub table: Option<String>,
    pub parsed: Program,
}

impl StoredProgram {
    /// `procedure route`.
    pub fn title(&self) -> String {
        format!("{} {}", self.keyword.to_lowercase(), self.name)
    }

    /// Settings of the session that created the program.
    pub fn creation_settings(&self) -> Vec<String> {
        vec![
            format!("SET NAMES {}", self.client),
            format!("SET SESSION collation_connection = {}", self.connection),
            format!("SET SESSION sql_mode = {}", quote_string(&self.sql_mode)),
        ]
    }
}

/// The server's error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: u16,
    pub message: String,
}

impl Refusal {
    /// Makes the refusal of a statement. The message quotes no part of a statement that may hold
    /// passwords.
    pub fn new(error: &mysql::error::MySqlError, statement: &str) -> Self {
        Self { code: error.code, message: sql::cut_quotation(&error.message, statement) }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// Rows of each result of a statement; NULL is `None`.
pub type Results = Vec<Vec<BTreeMap<String, Option<String>>>>;

/// With this, MariaDB from 10.6.16 on says which index a conversion makes useless.
pub(crate) const UNUSABLE_KEYS: &str = "SET SESSION note_verbosity = 'basic,unusable_keys,explain'";

/// Procedure that evaluates expressions with the variables of a stored program.
const PROBE: &str = "weigh_probe";

pub struct Copy<'s> {
    server: &'s Server,
    pub flavour: Flavour,
    pub version: Version,
    /// Names of the server's coercibilities, by number.
    strengths: BTreeMap<i64, &'static str>,
    /// Connection with the session that it was prepared for.
    open: Option<(String, Conn)>,
    /// True if the definitions are those that an account of a running server may see.
    pub is_of_account: bool,
    /// Number of made-up rows by table.
    pub(crate) made_up: BTreeMap<TableName, u64>,
}

impl<'s> Copy<'s> {
    pub fn new(server: &'s Server) -> Result<Self, Error> {
        let version = server.version();
        let number = version.split_once(':').map_or(version, |(_, number)| number);
        let mut copy = Self {
            server,
            flavour: server.flavour(),
            version: Version::find(number).unwrap_or(Version::new(0, 0, 0)),
            strengths: BTreeMap::new(),
            open: None,
            is_of_account: false,
            made_up: BTreeMap::new(),
        };
        copy.strengths = copy.read_strengths()?;
        Ok(copy)
    }

    pub fn server(&self) -> &'s Server {
        self.server
    }

    /// Name of a coercibility. The numbers depend on the server's version.
    pub fn strength(&self, number: i64) -> &'static str {
        self.strengths.get(&number).copied().unwrap_or("COERCIBLE")
    }

    fn read_strengths(&self) -> Result<BTreeMap<i64, &'static str>, Error> {
        let mut conn = self.server.connect()?;
        let query = "SELECT COERCIBILITY(NULL), COERCIBILITY(1), COERCIBILITY('a'), COERCIBILITY(USER())";
        let row: Option<(i64, i64, i64, i64)> =
            conn.query_first(query).map_err(|source| self.failed("ask for coercibilities", source))?;
        let (ignorable, numeric, coercible, constant) = row.unwrap_or((6, 5, 4, 3));
        let variables =
            "SET @a = _utf8mb4 'a' COLLATE utf8mb4_unicode_ci, @b = _utf8mb4 'b' COLLATE utf8mb4_general_ci";
        let asked = conn.query_drop(variables).and_then(|()| conn.query_first("SELECT COERCIBILITY(CONCAT(@a, @b))"));
        let none = asked.ok().flatten().unwrap_or(1);
        Ok(BTreeMap::from([
            (0, "EXPLICIT"),
            (none, "NONE"),
            (2, "IMPLICIT"),
            (ignorable, "IGNORABLE"),
            (numeric, "NUMERIC"),
            (constant, "SYSCONST"),
            (coercible, "COERCIBLE"),
        ]))
    }

    pub fn failed(&self, what: &'static str, source: mysql::Error) -> Error {
        Error::Driver { what, server: self.server.label().to_owned(), source }
    }

    /// Opens a new connection and prepares a session. Statements of the prelude that the server
    /// refuses are left out.
    pub fn connect(&self, session: &Session) -> Result<Conn, Error> {
        let mut conn = self.server.connect_patiently()?;
        self.prepare(&mut conn, session)?;
        Ok(conn)
    }

    fn prepare(&self, conn: &mut Conn, session: &Session) -> Result<(), Error> {
        let mut first = vec!["SET NAMES utf8mb4".to_owned()];
        if self.flavour == Flavour::MariaDb {
            first.push(UNUSABLE_KEYS.into());
            first.push("SET SESSION max_statement_time = 2".into());
            // Made-up rows may violate checks, also in statements that rebuild a table.
            first.push("SET SESSION check_constraint_checks = 0".into());
        } else {
            first.push("SET SESSION max_execution_time = 2000".into());
        }
        first.extend(session.schema.iter().map(|schema| format!("USE {}", quote_identifier(schema))));
        for statement in first.iter().chain(&session.prelude) {
            if sql::is_query(statement, SqlMode::default()) {
                self.set_samples(conn, session, statement)?;
                continue;
            }
            match conn.query_drop(keep_local(statement, SqlMode::default()).text.as_ref()) {
                Ok(()) | Err(mysql::Error::MySqlError(_)) => {}
                Err(source) => return Err(self.failed("set up a session", source)),
            }
        }
        Ok(())
    }

    /// Gives the variables that a query sets made-up values, with the collations of its
    /// expressions. The copy has no rows, or others, so that the query itself may set none.
    fn set_samples(&self, conn: &mut Conn, session: &Session, query: &str) -> Result<(), Error> {
        let source = Source::statement(Place::Session(session.clone()), query, 0);
        for assigned in find_assignments(&source) {
            let text = &query[assigned.span.clone()];
            let asked = ["COLLATION", "COERCIBILITY"].map(|function| format!("{function}({text})"));
            let named = [(asked[0].as_str(), "weigh_collation"), (asked[1].as_str(), "weigh_coercibility")];
            let question = source.no_rows_query(assigned.block_index, 0, Joins::Written, &named);
            let set = match conn.query_first::<(Option<String>, i64), _>(question) {
                Ok(Some((Some(collation), _))) if collation != "binary" => {
                    let charset = server::collation_charset(&collation);
                    format!("CONVERT({} USING {charset}) COLLATE {collation}", quote_string(SAMPLE))
                }
                Ok(Some((_, number))) if self.strength(number) == "NUMERIC" => SAMPLE_NUMBER.to_owned(),
                Ok(_) | Err(mysql::Error::MySqlError(_)) => continue,
                Err(source) => return Err(self.failed("set up a session", source)),
            };
            let statement = format!("SET @{} = {set}", quote_identifier(&assigned.variable));
            match conn.query_drop(statement) {
                Ok(()) | Err(mysql::Error::MySqlError(_)) => {}
                Err(source) => return Err(self.failed("set up a session", source)),
            }
        }
        Ok(())
    }

    /// Runs statements up to the first that is refused. Their results are dropped.
    pub fn run(&mut self, session: &Session, statements: &[String]) -> Result<Result<(), Refusal>, Error> {
        self.open = None;
        let mut conn = self.connect(session)?;
        for statement in statements {
            if let Err(refusal) = self.results(&mut conn, statement)? {
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(()))
    }

    /// Runs a statement in a transaction that is rolled back. A definition stays, as it commits by
    /// itself.
    pub fn try_statement(&mut self, session: &Session, statement: &str) -> Result<Result<(), Refusal>, Error> {
        self.open = None;
        let mut conn = self.connect(session)?;
        let _ = conn.query_drop("START TRANSACTION");
        let result = self.results(&mut conn, statement)?.map(drop);
        let _ = conn.query_drop("ROLLBACK");
        Ok(result)
    }

    /// Runs a statement and returns every result.
    pub fn results(&self, conn: &mut Conn, statement: &str) -> Result<Result<Results, Refusal>, Error> {
        lifecycle::interrupt::check()?;
        match read_results(conn, &keep_local(statement, SqlMode::default()).text) {
            Ok(results) => Ok(Ok(results)),
            Err(mysql::Error::MySqlError(error)) => Ok(Err(Refusal::new(&error, statement))),
            Err(source) => Err(self.failed("run a statement", source)),
        }
    }

    /// Runs statements in a place, one after the other, and returns all results.
    pub fn ask(&mut self, place: &Place, statements: &[String]) -> Result<Result<Results, Refusal>, Error> {
        match place {
            Place::Session(session) | Place::View { session, .. } => self.ask_session(session, statements),
            Place::Program { program, call } => self.ask_program(program, call, statements),
        }
    }

    fn ask_session(&mut self, session: &Session, statements: &[String]) -> Result<Result<Results, Refusal>, Error> {
        let key = format!("{session:?}");
        if self.open.as_ref().is_none_or(|(open, _)| *open != key) {
            self.open = Some((key, self.connect(session)?));
        }
        let Some((key, mut conn)) = self.open.take() else { return Ok(Ok(Vec::new())) };
        let mut all = Vec::new();
        for statement in statements {
            match self.results(&mut conn, statement)? {
                Ok(results) => all.extend(results),
                Err(refusal) => {
                    self.open = Some((key, conn));
                    return Ok(Err(refusal));
                }
            }
        }
        self.open = Some((key, conn));
        Ok(Ok(all))
    }

    /// Creates a procedure with the parameters and variables of a program, in the session of its
    /// creation, and calls it.
    fn ask_program(
        &mut self,
        program: &StoredProgram,
        call: &Call,
        statements: &[String],
    ) -> Result<Result<Results, Refusal>, Error> {
        let source = &program.create;
        let parsed = &program.parsed;
        let mut body = String::new();
        for declare in &parsed.declares {
            body += &format!("{};\n", &source[declare.clone()]);
        }
        for declared in parsed.parameters.iter().chain(&parsed.variables) {
            let name = quote_identifier(&declared.name);
            if let Some(value) = sample_value(&source[declared.type_span.clone()]) {
                body += &format!("IF {name} IS NULL THEN SET {name} = {value}; END IF;\n");
            }
        }
        let tables: Vec<String> = call.created.iter().filter_map(|create| created_table(create)).collect();
        let drop_tables: String =
            tables.iter().map(|table| format!("DROP TEMPORARY TABLE IF EXISTS {table};\n")).collect();
        body += &drop_tables;
        for statement in call.created.iter().chain(statements) {
            body += &format!("{statement};\n");
        }
        let parameters: Vec<String> = parsed
            .parameters
            .iter()
            .map(|one| format!("{} {}", quote_identifier(&one.name), &source[one.type_span.start..one.attributes.end]))
            .collect();
        let create = format!("CREATE PROCEDURE {PROBE}({})\nBEGIN\n{body}END", parameters.join(", "));
        let created = self.create_program(program, &[format!("DROP PROCEDURE IF EXISTS {PROBE}"), create])?;
        if let Err(refusal) = created {
            return Ok(Err(refusal));
        }
        let mut conn = self.connect(&Session { schema: Some(program.schema.clone()), ..call.session.clone() })?;
        let given = |index: usize| call.arguments.get(index).map_or("NULL", String::as_str).to_owned();
        let arguments: Vec<String> = (0..parsed.parameters.len()).map(given).collect();
        let results = self.results(&mut conn, &format!("CALL {PROBE}({})", arguments.join(", ")))?;
        let _ = conn.query_drop(format!("DROP PROCEDURE IF EXISTS {PROBE}"));
        Ok(results)
    }

    /// Runs statements in the session of a program's creation: literals and types without a
    /// collation are then as they were.
    pub fn create_program(
        &mut self,
        program: &StoredProgram,
        statements: &[String],
    ) -> Result<Result<(), Refusal>, Error> {
        let default = self.schema_default(&program.schema)?;
        let alter = |collation: &str| {
            let charset = server::collation_charset(collation);
            format!("ALTER DATABASE {} CHARACTER SET {charset} COLLATE {collation}", quote_identifier(&program.schema))
        };
        let mut session = Session { schema: Some(program.schema.clone()), prelude: program.creation_settings() };
        let differs = default.as_deref().is_some_and(|default| default != program.database);
        if differs {
            session.prelude.insert(0, alter(&program.database));
        }
        let created = self.run(&session, statements)?;
        if let Some(default) = default.filter(|_| differs) {
            let _ = self.run(&Session::default(), &[alter(&default)])?;
        }
        Ok(created)
    }

    fn schema_default(&mut self, schema: &str) -> Result<Option<String>, Error> {
        let mut conn = self.server.connect()?;
        let query = format!(
            "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}",
            quote_string(schema)
        );
        conn.query_first(query).map_err(|source| self.failed("read a schema's collation", source))
    }
}

/// Value for a parameter or variable that has none: NULL would make a plan empty. `None` for types
/// that stay NULL.
fn sample_value(declared_type: &str) -> Option<String> {
    let lower = declared_type.to_lowercase();
    let word = lower.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default();
    let length = lower.split(['(', ')']).nth(1).and_then(|length| length.trim().parse::<usize>().ok());
    match word {
        "char" | "character" => Some(quote_string(&SAMPLE[..length.unwrap_or(1).min(SAMPLE.len())])),
        "varchar" => Some(quote_string(&SAMPLE[..length.unwrap_or(0).min(SAMPLE.len())])),
        "tinytext" | "text" | "mediumtext" | "longtext" => Some(quote_string(SAMPLE)),
        "tinyint" => Some("5".into()),
        "smallint" | "mediumint" | "int" | "integer" | "bigint" => Some(SAMPLE_NUMBER.into()),
        _ => None,
    }
}

/// A text that [`Copy::fill`] writes into made-up rows, so that a lookup finds a row.
const SAMPLE: &str = "w0000500";

/// As [`SAMPLE`], for a number.
const SAMPLE_NUMBER: &str = "500";

fn read_results(conn: &mut Conn, statement: &str) -> mysql::Result<Results> {
    let mut result = conn.query_iter(statement)?;
    let mut all = Vec::new();
    while let Some(set) = result.iter() {
        let rows: mysql::Result<Vec<Row>> = set.collect();
        all.push(rows?.iter().map(named_values).collect());
    }
    Ok(all)
}

pub(crate) fn named_values(row: &Row) -> BTreeMap<String, Option<String>> {
    let value = |at: usize| match row.as_ref(at) {
        Some(Value::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Some(Value::Int(number)) => Some(number.to_string()),
        Some(Value::UInt(number)) => Some(number.to_string()),
        Some(Value::Float(number)) => Some(number.to_string()),
        Some(Value::Double(number)) => Some(number.to_string()),
        _ => None,
    };
    row.columns_ref().iter().enumerate().map(|(at, column)| (column.name_str().into_owned(), value(at))).collect()
}

/// Returns the quoted name of the temporary table that a statement creates.
fn created_table(create: &str) -> Option<String> {
    let tokens: Vec<sql::Token<'_>> = sql::tokenize(create, sql::SqlMode::default()).collect();
    sql::find_tables(&tokens).first().map(|table| match &table.schema {
        Some(schema) => sql::quote_table(schema, &table.name),
        None => quote_identifier(&table.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_tables_stay_in_their_schema() {
        let mut session = Session { schema: Some("a".into()), prelude: vec!["SET NAMES utf8mb4".into()] };
        session.select("b".into());
        assert_eq!((session.schema.as_deref(), session.prelude.len()), (Some("b"), 1));
        session.prelude.push("CREATE TEMPORARY TABLE t (a INT)".into());
        session.select("c".into());
        let temporary = "CREATE TEMPORARY TABLE t (a INT)";
        assert_eq!(session.prelude, ["USE `b`", "SET NAMES utf8mb4", temporary, "USE `c`"]);
        assert_eq!(session.schema.as_deref(), Some("c"));
    }

    #[test]
    fn samples_fit_their_types() {
        assert_eq!(sample_value("CHAR(1)").unwrap(), "'w'");
        assert_eq!(sample_value("varchar(200)").unwrap(), "'w0000500'");
        assert_eq!(sample_value("INT UNSIGNED").unwrap(), "500");
        assert_eq!(sample_value("ENUM('a','b')"), None);
    }
}
