//! The general query log of MySQL and MariaDB.
//!
//! ```text
//! 2026-11-22T02:00:00.123456Z<TAB>    8 Connect<TAB>app@localhost on shop using Socket
//! 261122  2:00:00<TAB>     8 Query<TAB>SELECT 1
//! <TAB><TAB>     8 Query<TAB>SELECT 1
//! ```
//!
//! The first form is that of MySQL 5.7 and later. MySQL 5.6 and MariaDB write the second form for
//! the first entry of each second, and the third form for other entries.

use std::collections::HashMap;
use std::io::{self, BufRead};

use crate::entry::{Entry, Event};
use crate::lines::{LineReader, StatementBuffer};

/// Iterator over the entries of a general query log. The log has no durations.
pub struct GeneralLog<R> {
    lines: LineReader<R>,
    /// Default schema of each connection, by connection id.
    schemas: HashMap<u64, String>,
    /// Connection id of the current statement.
    connection: u64,
    text: StatementBuffer,
    /// Entry of a command that follows the entry returned last.
    pending_command: Option<Entry>,
    ended: bool,
}

/// Maximum number of connections whose schema is kept. At this number, all schemas are dropped, to
/// bound memory. Later statements of these connections have no schema until the log names one.
const MAX_CONNECTIONS: usize = 100_000;

/// Names with which the servers log commands. A name precedes its own prefixes: `Connect Out` comes before `Connect`.
const COMMANDS: [&str; 34] = [
    "Binlog Dump GTID",
    "Binlog Dump",
    "Bulk_execute",
    "Change user",
    "Close stmt",
    "Connect Out",
    "Connect",
    "Create DB",
    "Daemon",
    "Debug",
    "Delayed insert",
    "Drop DB",
    "Error",
    "Execute",
    "Fetch",
    "Field List",
    "Init DB",
    "Kill",
    "Long Data",
    "Ping",
    "Prepare",
    "Processlist",
    "Query",
    "Quit",
    "Refresh",
    "Register Replica",
    "Register Slave",
    "Reset Connection",
    "Reset stmt",
    "Set option",
    "Shutdown",
    "Sleep",
    "Statistics",
    "Table Dump",
];

/// The first line of an entry.
struct LogLine<'a> {
    connection: u64,
    command: &'static str,
    argument: &'a [u8],
}

impl<R: BufRead> GeneralLog<R> {
    pub fn new(input: R) -> Self {
        let (lines, text) = (LineReader::new(input), StatementBuffer::default());
        Self { lines, schemas: HashMap::new(), connection: 0, text, pending_command: None, ended: false }
    }

    fn advance(&mut self) -> io::Result<Option<Entry>> {
        loop {
            if let Some(entry) = self.pending_command.take() {
                return Ok(Some(entry));
            }
            if self.ended {
                return Ok(None);
            }
            let number = self.lines.number + 1;
            let Some(line) = self.lines.next()? else {
                self.ended = true;
                return Ok(take_entry(&mut self.text, &mut self.schemas, self.connection));
            };
            let Some(parsed) = parse_line(line) else {
                if !self.text.is_empty() {
                    self.text.push(line);
                }
                continue;
            };
            let finished = take_entry(&mut self.text, &mut self.schemas, self.connection);
            self.connection = parsed.connection;
            let is_statement = matches!(parsed.command, "Query" | "Execute");
            if is_statement {
                self.text.begin(number, strip_statement_id(parsed.argument));
            }
            let schema = track_schema(&mut self.schemas, &parsed);
            let entry = || Entry::new(number, Event::Command(parsed.command.to_owned()), schema);
            self.pending_command = if is_statement { None } else { Some(entry()) };
            if finished.is_some() {
                return Ok(finished);
            }
        }
    }
}

impl<R: BufRead> Iterator for GeneralLog<R> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        self.ended |= next.is_err();
        next.transpose()
    }
}

/// Returns the collected statement with the schema of its connection, which USE selects. `None` if
/// no statement was collected.
fn take_entry(text: &mut StatementBuffer, schemas: &mut HashMap<u64, String>, connection: u64) -> Option<Entry> {
    let (line, event) = text.take()?;
    if let Event::Statement(statement) = &event
        && let Some(schema) = sql::used_schema(statement)
    {
        set_schema(schemas, connection, schema);
    }
    Some(Entry::new(line, event, schemas.get(&connection).cloned()))
}

/// Records the schema that a command selects for its connection. Returns the connection's schema;
/// `None` if it isn't known, and for `Quit`.
fn track_schema(schemas: &mut HashMap<u64, String>, line: &LogLine<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(line.argument);
    let schema = match line.command {
        "Connect" | "Change user" => {
            let rest = text.split_once(" on ").map_or("", |(_, rest)| rest);
            Some(rest.split(" using ").next().unwrap_or_default().trim().to_owned())
        }
        "Init DB" => Some(text.trim().to_owned()),
        "Quit" => {
            schemas.remove(&line.connection);
            return None;
        }
        _ => None,
    };
    if let Some(schema) = schema {
        set_schema(schemas, line.connection, schema);
    }
    schemas.get(&line.connection).cloned()
}

/// Sets the schema of a connection; an empty name means none.
fn set_schema(schemas: &mut HashMap<u64, String>, connection: u64, schema: String) {
    if schemas.len() >= MAX_CONNECTIONS {
        schemas.clear();
    }
    if schema.is_empty() {
        schemas.remove(&connection);
    } else {
        schemas.insert(connection, schema);
    }
}

/// Removes the id of a prepared statement before the text: `[5] SELECT 1`. MySQL 5.6 and 9.7 and
/// MariaDB 11.8 write none; older servers can.
fn strip_statement_id(argument: &[u8]) -> &[u8] {
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match argument.strip_prefix(b"[") {
        Some(rest) if digits(rest) > 0 => rest[digits(rest)..].strip_prefix(b"] ").unwrap_or(argument),
        _ => argument,
    }
}

fn parse_line(line: &[u8]) -> Option<LogLine<'_>> {
    let tab = memchr::memchr(b'\t', line)?;
    let (time, rest) = (&line[..tab], &line[tab + 1..]);
    if !time.is_empty() && !is_time(time) {
        return None;
    }
    let rest = rest.strip_prefix(b"\t").unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let connection = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let rest = rest[digits..].strip_prefix(b" ")?;
    let command = COMMANDS.iter().find(|name| rest.starts_with(name.as_bytes()))?;
    let rest = &rest[command.len()..];
    let argument = if rest.trim_ascii().is_empty() { rest } else { rest.strip_prefix(b"\t")? };
    Some(LogLine { connection, command, argument })
}

/// Returns true for texts that look like `261122  2:00:00` or `2026-11-22T02:00:00.123456Z`: 13 to
/// 35 digits and separators. With `log_timestamps=SYSTEM`, an offset replaces the `Z`.
fn is_time(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b" :.-+TZ".contains(byte);
    (13..=35).contains(&text.len()) && text[0].is_ascii_digit() && text.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(log: &str) -> Vec<String> {
        let shown = |entry: Entry| {
            let schema = entry.schema.unwrap_or_default();
            match entry.event {
                Event::Statement(text) => format!("{} {schema}: {}", entry.line, String::from_utf8_lossy(&text)),
                Event::Command(command) => format!("{} {schema} <{command}>", entry.line),
                Event::Truncated => "too long".to_owned(),
            }
        };
        GeneralLog::new(log.as_bytes()).map(|entry| shown(entry.unwrap())).collect()
    }

    #[test]
    fn reads_all_forms_of_lines_and_tracks_schemas() {
        let log = "/usr/sbin/mysqld, Version: 5.6.24. started with:\nTcp port: 0  Unix socket: x\nTime                 Id Command    Argument\n\
            261122  2:00:00\t    1 Connect\tapp@localhost on shop\n\t\t    1 Query\tSELECT 1\nFROM t\n\t\t    2 Connect\tapp@localhost on \n\
            261122  2:00:01\t    2 Query\tuse log\n\t\t    2 Query\tSELECT 2\n\t\t    1 Execute\t[3] SELECT 3\n\t\t    1 Quit\t\n\
            2026-11-22T02:00:00.123456Z\t    8 Connect\tapp@localhost on shop using Socket\n2026-11-22T02:00:00.123456+01:00\t    8 Init DB\tother\n\
            2026-11-22T02:00:00.123456Z\t    8 Query\tSELECT 4\n";
        assert_eq!(
            read(log),
            [
                "4 shop <Connect>",
                "5 shop: SELECT 1\nFROM t",
                "7  <Connect>",
                "8 log: use log",
                "9 log: SELECT 2",
                "10 shop: SELECT 3",
                "11  <Quit>",
                "12 shop <Connect>",
                "13 other <Init DB>",
                "14 other: SELECT 4",
            ]
        );
    }

    #[test]
    fn a_use_of_several_lines_selects_its_schema() {
        let log = "\t\t    1 Query\tUSE\n shop\n\t\t    2 Query\tSELECT 2\n\t\t    1 Query\tSELECT 1\n\
            \t\t    1 Query\t/* x */ USE log\n\t\t    1 Execute\tuse `shop`\n\t\t    1 Quit\t\n";
        let expected = [
            "1 shop: USE\n shop",
            "3 : SELECT 2",
            "4 shop: SELECT 1",
            "5 log: /* x */ USE log",
            "6 shop: use `shop`",
            "7  <Quit>",
        ];
        assert_eq!(read(log), expected);
    }

    #[test]
    fn too_long_statements_are_truncated() {
        let start = "x".repeat(crate::MAX_STATEMENT_BYTES);
        let log = format!("\t\t    1 Query\tSELECT '{start}'\n\t\t    2 Query\tSELECT 2\n");
        assert_eq!(read(&log), ["too long", "2 : SELECT 2"]);
    }

    proptest! {
        #[test]
        fn a_mangled_log_does_not_panic(lines in prop::collection::vec(prop_oneof![
            Just("261122  2:00:00\t    1 Connect\ta@h on s"), Just("\t\t    1 Query\tSELECT 1"), Just("\t\t    1 Query"), Just("\t\t    1 "), Just("\t"),
            Just("\t\t99999999999999999999999 Query\tx"), Just("\t\t1 Execute\t["), Just("\t\t1 Execute\t[1"), Just("\t\t1 Query\tUSE "), Just("x")
        ], 0..20), cut in 0..600usize, noise: Vec<u8>) {
            let mut log = lines.join("\n").into_bytes();
            log.truncate(cut);
            log.extend(noise);
            for entry in GeneralLog::new(log.as_slice()) {
                prop_assert!(entry.is_ok_and(|entry| entry.line > 0));
            }
        }
    }
}
