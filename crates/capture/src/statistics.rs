//! Statements that a server remembers: performance_schema's digests and history.

use mysql::prelude::Queryable;
use querylog::{Entry, Event};
use server::Flavour;

use crate::error::Error;
use crate::server_source::ServerSource;

/// Picoseconds of performance_schema's timers in a second.
const PICOSECONDS: f64 = 1e12;
/// Bytes of a statement's text that performance_schema keeps, where the server has no setting for it (MySQL manual,
/// "performance_schema_max_sql_text_length").
const TEXT_BYTES: usize = 1024;

impl ServerSource {
    /// The digests of the schema: a text, how often, how long. MySQL 8 and later keep a statement of each digest with its values; before,
    /// and in MariaDB, there is only the digest, with `?` in their place.
    pub fn digests(&mut self, flavour: Flavour, schema: &str) -> Result<Vec<Entry>, Error> {
        let of = |text: &str| {
            format!(
                "SELECT {text}, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_statements_summary_by_digest \
                 WHERE SCHEMA_NAME = {} AND {text} IS NOT NULL ORDER BY DIGEST",
                sql::string(schema)
            )
        };
        self.needs_performance_schema("--digests")?;
        let has_samples =
            flavour == Flavour::MySql && self.conn.query_drop(of("QUERY_SAMPLE_TEXT") + " LIMIT 1").is_ok();
        let text = if has_samples { "QUERY_SAMPLE_TEXT" } else { "DIGEST_TEXT" };
        let longest = self.longest_text()?;
        let rows: Vec<(Vec<u8>, u64, u64)> = self.query("read the digests of statements", &of(text))?;
        let entry = |(text, count, time): (Vec<u8>, u64, u64)| Entry {
            line: 1,
            event: event(text, longest),
            schema: Some(schema.to_owned()),
            seconds: Some(time as f64 / PICOSECONDS / count.max(1) as f64),
            stands_for: count.max(1),
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    /// The last statements of all sessions, as `events_statements_history_long` has them.
    pub fn history(&mut self) -> Result<Vec<Entry>, Error> {
        self.needs_performance_schema("--history")?;
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
        let longest = self.longest_text()?;
        let statement = "SELECT SQL_TEXT, CURRENT_SCHEMA, TIMER_WAIT FROM performance_schema.events_statements_history_long \
                         WHERE SQL_TEXT IS NOT NULL AND (NESTING_EVENT_TYPE IS NULL OR NESTING_EVENT_TYPE <> 'STATEMENT') ORDER BY TIMER_START, THREAD_ID, EVENT_ID";
        let rows: Vec<(Vec<u8>, Option<String>, Option<u64>)> =
            self.query("read the history of statements", statement)?;
        let entry = |(text, schema, time): (Vec<u8>, Option<String>, Option<u64>)| Entry {
            line: 1,
            event: event(text, longest),
            schema,
            seconds: time.map(|time| time as f64 / PICOSECONDS),
            stands_for: 1,
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    fn needs_performance_schema(&mut self, option: &str) -> Result<(), Error> {
        let on: Vec<(u8,)> = self.query("ask for performance_schema", "SELECT @@performance_schema")?;
        match on.first() {
            Some((1,)) => Ok(()),
            _ => Err(Error::Missing(format!(
                "{option}: performance_schema is off on this server; it is switched on in its option file"
            ))),
        }
    }

    fn longest_text(&mut self) -> Result<usize, Error> {
        let statement = "SHOW GLOBAL VARIABLES LIKE 'performance_schema_max_sql_text_length'";
        let rows: Vec<(String, usize)> = self.query("read how long texts are kept", statement)?;
        Ok(rows.first().map_or(TEXT_BYTES, |(_, length)| *length))
    }
}

/// A text as long as the server keeps them was cut.
fn event(text: Vec<u8>, longest: usize) -> Event {
    if text.len() + 3 >= longest { Event::Cut } else { Event::Statement(text) }
}
