//! The copy's schemas: from a dump, or from a running server.

use std::borrow::Cow;
use std::io::BufRead;

use mysql::prelude::Queryable;
use server::{Conn, LoadLimits, Server};
use sql::{SqlMode, StatementReader, Token, TokenKind, keep_local, quote_identifier, quote_string, tokenize};

use crate::Error;
use crate::copy::Refusal;

/// Outcome of loading a dump.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Schema in use at the end of the dump.
    pub schema: String,
    /// Schema that was made for tables for which the dump names none. It has the server's defaults.
    pub made_schema: Option<String>,
    /// Number of statements.
    pub statements: u64,
    /// Statements that the server refuses.
    pub refused: Vec<RefusedStatement>,
    /// Options of tables, and statements, that were left out of the copy.
    pub left_out: Vec<String>,
}

/// A statement of a dump that the server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedStatement {
    /// File and line.
    pub place: String,
    pub refusal: Refusal,
    /// True for statements on settings, accounts and the server's own schemas.
    pub is_setup: bool,
}

impl std::fmt::Display for RefusedStatement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: the server refuses it: {}", self.place, self.refusal)
    }
}

/// Schema for the tables of a dump that names none.
pub const DEFAULT_SCHEMA: &str = "app";

/// Runs a dump on a private server, within limits of the server's time and disk.
pub fn load_dump(
    server: &Server,
    name: &str,
    dump: impl BufRead,
    limits: LoadLimits,
    loaded: &mut Loaded,
) -> Result<(), Error> {
    let mut conn = server.connect_patiently()?;
    server.limit_load(&conn, limits);
    let fail = |source| Error::Driver { what: "load the dump", server: server.label().to_owned(), source };
    if loaded.schema.is_empty() {
        loaded.schema = DEFAULT_SCHEMA.to_owned();
    }
    let _ = conn.query_drop("SET GLOBAL log_bin_trust_function_creators = 1");
    let _ = conn.query_drop("SET GLOBAL event_scheduler = OFF");
    conn.query_drop("SET NAMES utf8mb4").map_err(fail)?;
    make_schema(&mut conn, loaded).map_err(fail)?;
    conn.query_drop(format!("USE {}", quote_identifier(&loaded.schema))).map_err(fail)?;
    let mut statements = StatementReader::new(dump, SqlMode::default());
    let (mut has_rows, mut is_in_own_schema) = (false, false);
    let mut encoding = Encoding::default();
    loop {
        lifecycle::interrupt::check()?;
        let read =
            statements.read().map_err(|error| Error::Dump { place: name.to_owned(), message: error.to_string() })?;
        let Some(statement) = read else { break };
        let text = sql::read_bytes(statement).into_owned();
        let line = statements.line();
        loaded.statements += 1;
        create_definers(&mut conn, &text);
        has_rows |= adds_rows(&text);
        if let Some(schema) = sql::used_schema(text.as_bytes()) {
            is_in_own_schema = is_own_schema(&schema);
        }
        if created_schema(&text).is_some_and(|name| loaded.made_schema == Some(name)) {
            drop_made_schema(&mut conn, loaded).map_err(fail)?;
        }
        let local = keep_local(&text, SqlMode::default());
        loaded.left_out.extend(describe_left_out(&format!("{name}:{line}"), &local.removed));
        conn.add_load(text.len());
        let sent = encoding.hex(&mut conn, &local.text).map_err(fail)?;
        match conn.for_each_row(sent, drop) {
            Ok(_) => {}
            Err(mysql::Error::MySqlError(error)) => {
                let (place, refusal) = (format!("{name}:{line}"), Refusal::new(&error, &text));
                loaded.refused.push(RefusedStatement { place, refusal, is_setup: is_in_own_schema || is_setup(&text) });
            }
            Err(source) => return Err(fail(source)),
        }
    }
    if has_rows {
        analyze_tables(&mut conn).map_err(fail)?;
    }
    let schema: Option<Option<String>> = conn.query_first("SELECT DATABASE()").map_err(fail)?;
    loaded.schema = schema.flatten().unwrap_or_else(|| loaded.schema.clone());
    Ok(())
}

/// Character set and SQL mode in which a session reads literals, as they were last asked for.
#[derive(Debug, Default)]
pub struct Encoding {
    known: Option<(SqlMode, String)>,
}

impl Encoding {
    /// Returns a statement of [`sql::read_bytes`] as [`sql::hex_bytes`] does. Asks the session for
    /// its settings if a statement since may have changed them.
    pub fn hex<'t>(&mut self, conn: &mut Conn, text: &'t str) -> mysql::Result<Cow<'t, str>> {
        if !sql::has_bytes(text) {
            if sets_session(text) {
                self.known = None;
            }
            return Ok(Cow::Borrowed(text));
        }
        let (mode, charset) = match self.known.take() {
            Some(known) => known,
            None => {
                let session: Option<(String, String)> =
                    conn.query_first("SELECT @@character_set_client, @@sql_mode")?;
                let (charset, mode) = session.unwrap_or_default();
                (SqlMode::parse(&mode), charset)
            }
        };
        let sent = sql::hex_bytes(text, mode, &charset);
        self.known = (!sets_session(text)).then_some((mode, charset));
        Ok(sent)
    }
}

/// True for statements after which literals may be read in another way.
fn sets_session(text: &str) -> bool {
    words(text)
        .next()
        .is_some_and(|word| !word.is_any_keyword(&["insert", "replace", "create", "drop", "lock", "unlock"]))
}

/// True for `INSERT` and the like.
fn adds_rows(text: &str) -> bool {
    words(text).next().is_some_and(|word| word.is_any_keyword(&["insert", "replace", "load"]))
}

/// True for statements on settings, locks, replication and accounts.
fn is_setup(text: &str) -> bool {
    let mut words = words(text);
    let Some(first) = words.next() else { return true };
    first.is_any_keyword(&["set", "grant", "revoke", "lock", "unlock", "flush", "change", "reset", "purge"])
        || first.is_any_keyword(&["create", "alter", "drop"])
            && words.next().is_some_and(|word| word.is_any_keyword(&["user", "role"]))
}

/// Tokens of a statement without comments and the marks of conditional ones.
fn words(text: &str) -> impl Iterator<Item = Token<'_>> {
    let is_comment = |token: &Token<'_>| matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    tokenize(text, SqlMode::default()).filter(move |token| !is_comment(token))
}

/// Number of tables of one `ANALYZE TABLE`.
const ANALYZED_AT_ONCE: usize = 100;

/// Updates the statistics of all tables. After `ALTER TABLE … ENABLE KEYS` of a dump, MySQL 9.7
/// takes a table of 20,000 rows for an empty one.
fn analyze_tables(conn: &mut Conn) -> mysql::Result<()> {
    let tables: Vec<(String, String)> = conn.query(format!(
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' \
         AND TABLE_SCHEMA NOT IN ({})",
        facts::SYSTEM_SCHEMAS.map(quote_string).join(", ")
    ))?;
    let names: Vec<String> = tables.iter().map(|(schema, name)| sql::quote_table(schema, name)).collect();
    for some in names.chunks(ANALYZED_AT_ONCE) {
        conn.query_drop(format!("ANALYZE TABLE {}", some.join(", ")))?;
    }
    Ok(())
}

/// Describes what [`keep_local`] removed. `None` if nothing was removed.
pub fn describe_left_out(place: &str, removed: &[String]) -> Option<String> {
    let options = removed.join(", ");
    let ends_server = removed.iter().any(|one| sql::ENDS_SERVER.contains(&one.as_str()));
    let reason = if ends_server { "ends the server" } else { "reaches outside" };
    (!removed.is_empty()).then(|| format!("{place}: left out of the private copy, as it {reason}: {options}"))
}

/// Makes the schema for tables for which the dump names none.
fn make_schema(conn: &mut Conn, loaded: &mut Loaded) -> mysql::Result<()> {
    let name = quote_string(&loaded.schema);
    let query = format!("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {name}");
    if conn.query_first::<String, _>(query)?.is_none() {
        conn.query_drop(format!("CREATE DATABASE {}", quote_identifier(&loaded.schema)))?;
        loaded.made_schema = Some(loaded.schema.clone());
    }
    Ok(())
}

/// Drops the empty schema that [`make_schema`] made: the dump makes it itself, with its own
/// defaults.
fn drop_made_schema(conn: &mut Conn, loaded: &mut Loaded) -> mysql::Result<()> {
    let Some(name) = loaded.made_schema.clone() else { return Ok(()) };
    let tables: Vec<String> = conn.query(format!("SHOW TABLES FROM {}", quote_identifier(&name)))?;
    if tables.is_empty() {
        conn.query_drop(format!("DROP DATABASE {}", quote_identifier(&name)))?;
        loaded.made_schema = None;
    }
    Ok(())
}

/// Returns the schema that a statement creates.
fn created_schema(text: &str) -> Option<String> {
    let text = sql::readings(text, SqlMode::default()).ok()?.into_iter().next()?;
    let mut tokens = tokenize(&text, SqlMode::default());
    tokens.next().filter(|word| word.is_keyword("create"))?;
    tokens.next().filter(|word| word.is_any_keyword(&["database", "schema"]))?;
    tokens.find(|token| !token.is_any_keyword(&["if", "not", "exists"]))?.name()
}

/// Creates the accounts that a statement names as definers, with every privilege: without them, the
/// server refuses to read a view or to run a program.
pub fn create_definers(conn: &mut Conn, text: &str) {
    for (user, host) in definers(text) {
        let account = format!("{}@{}", quote_string(&user), quote_string(&host));
        // An account that exists is no error here, and MySQL 5.6 creates it by the grant.
        let _ = conn.query_drop(format!("CREATE USER {account}"));
        let _ = conn.query_drop(format!("GRANT ALL PRIVILEGES ON *.* TO {account}"));
    }
}

/// Returns user and host of each ``DEFINER=`user`@`host` ``.
fn definers(text: &str) -> Vec<(String, String)> {
    // Longer statements are rows of a dump, which name no definer.
    if text.len() > MAX_DEFINITION_BYTES {
        return Vec::new();
    }
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let quotes = ['`', '\'', '"'];
    let account = |at: usize| {
        let (user, host) = (tokens.get(at + 2)?, tokens.get(at + 3)?);
        let host = host.text.strip_prefix('@')?.trim_matches(quotes);
        tokens[at + 1].is_symbol('=').then(|| (user.text.trim_matches(quotes).to_owned(), host.to_owned()))
    };
    (0..tokens.len().saturating_sub(3)).filter(|at| tokens[*at].is_keyword("definer")).filter_map(account).collect()
}

/// Longest statement that is searched for definers.
const MAX_DEFINITION_BYTES: usize = 1 << 20;

/// True for the schemas that a server makes itself.
fn is_own_schema(schema: &str) -> bool {
    crate::groups::is_own_schema(schema) || schema.eq_ignore_ascii_case("sys")
}

/// Lists the schemas of a running server that its account sees, without the server's own.
pub fn list_schemas(source: &Server) -> Result<Vec<String>, Error> {
    let fail = |error| Error::Driver { what: "list the schemas", server: source.label().to_owned(), source: error };
    let mut schemas: Vec<String> = source.connect_patiently()?.query("SHOW DATABASES").map_err(fail)?;
    schemas.retain(|schema| !is_own_schema(schema));
    Ok(schemas)
}

/// Fails if a running server does not show one of the schemas to its account.
pub fn refuse_missing_schemas(source: &Server, schemas: &[String]) -> Result<(), Error> {
    let visible = list_schemas(source)?;
    let is_visible = |schema: &String| visible.iter().any(|seen| seen.eq_ignore_ascii_case(schema));
    let Some(missing) = schemas.iter().find(|schema| !is_visible(schema)) else { return Ok(()) };
    let fail = |error| Error::Driver { what: "ask for the account", server: source.label().to_owned(), source: error };
    let account: Option<String> = source.connect_patiently()?.query_first("SELECT CURRENT_USER()").map_err(fail)?;
    let account = account.unwrap_or_default();
    let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
    Err(server::Error::MissingSchema {
        label: source.label().to_owned(),
        schema: missing.clone(),
        account: format!("'{user}'@'{host}'"),
        visible,
    }
    .into())
}

/// Builds the schemas of a running server on a private one. Rows are not read. Returns the objects
/// and options that the private server lacks.
pub fn copy_schemas(source: &Server, private: &Server, schemas: &[String]) -> Result<Vec<String>, Error> {
    let mut conn = source.connect_patiently()?;
    let definitions = rehearsal::read(source, &mut conn, schemas, rehearsal::Values::Skip)?;
    let mut own = private.connect()?;
    definitions.objects.iter().for_each(|object| create_definers(&mut own, &object.create));
    let (_, built) = rehearsal::Rehearsal::build::<Error>(private, &definitions, &mut |_| Ok(()))?;
    let unbuilt = built
        .unbuilt
        .iter()
        .map(|one| format!("{} is not on the private copy: {}: {}", one.name, one.code, one.message));
    let unread =
        definitions.unread.iter().map(|one| format!("{} is not on the private copy: {}", one.name, one.message));
    let left_out = built.left_out.iter().filter_map(|(name, removed)| describe_left_out(&name.to_string(), removed));
    Ok(unread.chain(unbuilt).chain(left_out).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_schema_that_a_dump_creates() {
        let text = "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET latin1 */";
        assert_eq!(created_schema(text).as_deref(), Some("shop"));
        assert_eq!(created_schema("CREATE TABLE `shop` (a INT)"), None);
    }

    #[test]
    fn finds_statements_after_which_literals_are_read_anew() {
        for text in ["/*!40101 SET NAMES latin1 */", "set sql_mode = ''", "CALL p()", "EXECUTE s"] {
            assert!(sets_session(text), "{text}");
        }
        assert!(
            !sets_session("INSERT INTO t VALUES ('set')") && !sets_session("-- SET NAMES x\nCREATE TABLE t (a INT)")
        );
    }

    #[test]
    fn finds_statements_that_add_rows() {
        assert!(adds_rows("-- Dumping data\nINSERT INTO t VALUES (1)") && adds_rows("/* x */ replace t VALUES (1)"));
        assert!(!adds_rows("CREATE TABLE t (a INT)") && !adds_rows(""));
    }

    #[test]
    fn finds_statements_that_define_nothing() {
        assert!(is_setup("/*!40101 SET NAMES utf8 */") && is_setup("CREATE USER 'a'@'%'") && is_setup("-- end"));
        assert!(!is_setup("/*!50001 CREATE VIEW v AS SELECT 1 */") && !is_setup("USE shop"));
    }

    #[test]
    fn finds_definers_in_comments_of_dumps() {
        let text = "/*!50013 DEFINER=`app`@`%` SQL SECURITY DEFINER */ VIEW v AS SELECT 1";
        assert_eq!(definers(text), [("app".to_owned(), "%".to_owned())]);
        assert!(definers("CREATE DEFINER = CURRENT_USER PROCEDURE p() SELECT 1").is_empty());
    }
}
