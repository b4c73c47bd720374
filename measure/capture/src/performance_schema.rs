//! Statements from performance_schema: digests and history.

use mysql::prelude::Queryable;
use querylog::{Entry, Event};
use server::Flavour;

use crate::error::Error;
use crate::server_source::ServerSource;

/// performance_schema's timers count picoseconds.
const PICOSECONDS_PER_SECOND: f64 = 1e12;
/// Default length of statement texts, in bytes, for servers without the variable (MySQL manual,
/// "performance_schema_max_sql_text_length").
const DEFAULT_TEXT_BYTES: usize = 1024;

impl ServerSource {
    /// Reads the digests of the schema with their number of calls and durations. MySQL 8.0 and
    /// later keep one statement of each digest with its values. Earlier versions and MariaDB have
    /// only the digest text, with `?` in place of values.
    pub fn read_digests(&mut self, flavour: Flavour, schema: &str) -> Result<Vec<Entry>, Error> {
        let select = |text: &str| {
            format!(
                "SELECT {text}, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_statements_summary_by_digest \
                 WHERE SCHEMA_NAME = {} AND {text} IS NOT NULL ORDER BY DIGEST",
                sql::quote_string(schema)
            )
        };
        self.check_performance_schema("--digests")?;
        let has_samples =
            flavour == Flavour::MySql && self.conn.query_drop(select("QUERY_SAMPLE_TEXT") + " LIMIT 1").is_ok();
        let text = if has_samples { "QUERY_SAMPLE_TEXT" } else { "DIGEST_TEXT" };
        let max_bytes = self.read_max_text_bytes()?;
        let rows: Vec<(Vec<u8>, u64, u64)> = self.query("read the digests of statements", &select(text))?;
        let entry = |(text, count, time): (Vec<u8>, u64, u64)| Entry {
            line: 1,
            event: if !has_samples && is_cut_digest(&text) {
                Event::Truncated
            } else {
                statement_event(text, max_bytes)
            },
            schema: Some(schema.to_owned()),
            seconds: Some(time as f64 / PICOSECONDS_PER_SECOND / count.max(1) as f64),
            calls: count.max(1),
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    /// Reads the last statements of all sessions from `events_statements_history_long`.
    pub fn read_history(&mut self) -> Result<Vec<Entry>, Error> {
        self.check_performance_schema("--history")?;
        let consumer =
            "SELECT ENABLED FROM performance_schema.setup_consumers WHERE NAME = 'events_statements_history_long'";
        let enabled: Vec<(String,)> = self.query("read which consumers are on", consumer)?;
        if enabled.first().is_none_or(|(enabled,)| enabled != "YES") {
            return Err(Error::Missing(
                "--history: the server keeps no history; switch it on with UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' \
                 WHERE NAME = 'events_statements_history_long', wait while the application works, and capture then"
                    .to_owned(),
            ));
        }
        let max_bytes = self.read_max_text_bytes()?;
        let statement = "SELECT SQL_TEXT, CURRENT_SCHEMA, TIMER_WAIT FROM performance_schema.events_statements_history_long \
                         WHERE SQL_TEXT IS NOT NULL AND (NESTING_EVENT_TYPE IS NULL OR NESTING_EVENT_TYPE <> 'STATEMENT') ORDER BY TIMER_START, THREAD_ID, EVENT_ID";
        let rows: Vec<(Vec<u8>, Option<String>, Option<u64>)> =
            self.query("read the history of statements", statement)?;
        let entry = |(text, schema, time): (Vec<u8>, Option<String>, Option<u64>)| Entry {
            line: 1,
            event: statement_event(text, max_bytes),
            schema,
            seconds: time.map(|time| time as f64 / PICOSECONDS_PER_SECOND),
            calls: 1,
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    fn check_performance_schema(&mut self, option: &str) -> Result<(), Error> {
        let on: Vec<(u8,)> = self.query("check whether performance_schema is on", "SELECT @@performance_schema")?;
        match on.first() {
            Some((1,)) => Ok(()),
            _ => Err(Error::Missing(format!(
                "{option}: performance_schema is off on this server; switch it on in the option file"
            ))),
        }
    }

    fn read_max_text_bytes(&mut self) -> Result<usize, Error> {
        let statement = "SHOW GLOBAL VARIABLES LIKE 'performance_schema_max_sql_text_length'";
        let rows: Vec<(String, usize)> = self.query("read performance_schema_max_sql_text_length", statement)?;
        Ok(rows.first().map_or(DEFAULT_TEXT_BYTES, |(_, length)| *length))
    }
}

/// True if the server kept only the first tokens of a statement (`max_digest_length`): it ends such
/// a digest text with `...`.
fn is_cut_digest(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(b"...")
}

/// Creates an event. A text within three bytes of the server's limit counts as truncated: the
/// server ends truncated texts with `...`.
fn statement_event(text: Vec<u8>, max_bytes: usize) -> Event {
    if text.len() + 3 >= max_bytes { Event::Truncated } else { Event::Statement(text) }
}
