//! The slow query log of MySQL 5.6 to 9, MariaDB and Percona Server.
//!
//! ```text
//! # Time: 2026-11-22T02:00:00.123456Z             MySQL 5.6, MariaDB: 261122  2:00:00 (1)
//! # User@Host: app[app] @ localhost []  Id: 8     begins an entry without Time
//! # Thread_id: 8  Schema: shop  QC_hit: No        MariaDB (2)
//! # Query_time: 0.000123  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1         (3)
//! # explain: 1  SIMPLE  orders  …                 MariaDB, log_slow_verbosity=explain
//! use shop;                                       if the schema differs from the previous entry's
//! SET timestamp=1795399200;
//! SELECT * FROM orders
//! WHERE id = 5;                                   or: # administrator command: Prepare;
//! ```
//!
//! 1. Only in the first entry of each second.
//! 2. Percona Server: `# Schema: shop  Last_errno: 0 …`
//! 3. Begins an entry if the server runs with `--log-short-format`, which omits the lines above.

use std::io::{self, BufRead};

use crate::entry::{Entry, Event};
use crate::lines::{LineReader, StatementBuffer};

/// Iterator over the entries of a slow query log.
pub struct SlowLog<R> {
    lines: LineReader<R>,
    /// Schema of the last `use` that was read.
    used_schema: Option<String>,
    header: Header,
    text: StatementBuffer,
    ready: Option<Entry>,
    ended: bool,
}

/// Fields of the comment lines before a statement.
#[derive(Default)]
struct Header {
    seconds: Option<f64>,
    /// Value of `Schema:`; `Some(None)` if no schema was selected. `None` if the lines have no such
    /// field.
    schema: Option<Option<String>>,
    calls: Option<u64>,
}

impl<R: BufRead> SlowLog<R> {
    pub fn new(input: R) -> Self {
        let (lines, text) = (LineReader::new(input), StatementBuffer::default());
        Self { lines, used_schema: None, header: Header::default(), text, ready: None, ended: false }
    }

    fn advance(&mut self) -> io::Result<Option<Entry>> {
        loop {
            if let Some(entry) = self.ready.take() {
                return Ok(Some(entry));
            }
            if self.ended {
                return Ok(None);
            }
            let number = self.lines.number + 1;
            let Some(line) = self.lines.next()? else {
                self.ended = true;
                return Ok(take_entry(&mut self.text, &mut self.header, self.used_schema.as_ref()));
            };
            if begins_entry(line) || is_banner(line, &self.text) {
                self.ready = take_entry(&mut self.text, &mut self.header, self.used_schema.as_ref());
                self.header = Header::default();
                continue;
            }
            if continues_without_head(line) && self.text.bytes.trim_ascii_end().ends_with(b";") {
                self.ready = take_entry(&mut self.text, &mut self.header, self.used_schema.as_ref());
            }
            if !self.text.is_empty() {
                self.text.push(line);
                continue;
            }
            if let Some(command) = line.strip_prefix(b"# administrator command: ") {
                let command = String::from_utf8_lossy(command).trim_end_matches(';').to_owned();
                self.ready = Some(entry(number, Event::Command(command), &mut self.header, self.used_schema.as_ref()));
            } else if let Some(fields) = line.strip_prefix(b"# ") {
                self.header.read(&String::from_utf8_lossy(fields));
            } else if let Some(schema) = parse_use_line(line) {
                self.used_schema = Some(schema);
            } else if !is_set_timestamp(line) && !line.trim_ascii().is_empty() && line != b"#" {
                self.text.begin(number, line);
            }
        }
    }
}

impl<R: BufRead> Iterator for SlowLog<R> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        self.ended |= next.is_err();
        next.transpose()
    }
}

fn take_entry(text: &mut StatementBuffer, header: &mut Header, used_schema: Option<&String>) -> Option<Entry> {
    let (line, event) = text.take()?;
    Some(entry(line, event, header, used_schema))
}

fn entry(line: u64, event: Event, header: &mut Header, used_schema: Option<&String>) -> Entry {
    let header = std::mem::take(header);
    Entry {
        line,
        event,
        schema: header.schema.unwrap_or_else(|| used_schema.cloned()),
        seconds: header.seconds,
        calls: header.calls.unwrap_or(1),
    }
}

fn begins_entry(line: &[u8]) -> bool {
    line.starts_with(b"# Time: ") || line.starts_with(b"# User@Host: ")
}

/// Returns true for lines that can begin an entry after a finished statement, where the server
/// writes neither `# Time:` nor `# User@Host:` (`--log-short-format`).
fn continues_without_head(line: &[u8]) -> bool {
    let heads: [&[u8]; 4] = [b"# Query_time: ", b"# Thread_id: ", b"# Schema: ", b"# administrator command: "];
    heads.iter().any(|head| line.starts_with(head)) || is_set_timestamp(line) || parse_use_line(line).is_some()
}

/// Returns true for the lines that a server writes when it opens the file: version, port, column
/// headings.
fn is_banner(line: &[u8], text: &StatementBuffer) -> bool {
    // Within a statement, only the first banner line is recognised, and only after a semicolon.
    let is_first = line.ends_with(b"started with:") && memchr::memmem::find(line, b", Version: ").is_some();
    if !text.is_empty() {
        return is_first && text.bytes.trim_ascii_end().ends_with(b";");
    }
    is_first
        || line.starts_with(b"Tcp port: ")
        || line.starts_with(b"TCP Port: ")
        || line.starts_with(b"Time  ")
        || line.starts_with(b"Time\t")
}

/// Returns the schema of `use shop;`, with or without backticks.
fn parse_use_line(line: &[u8]) -> Option<String> {
    let name = line.strip_prefix(b"use ")?.trim_ascii().strip_suffix(b";")?;
    let name = String::from_utf8_lossy(name);
    let inner = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
    Some(inner.map_or_else(|| name.clone().into_owned(), |name| name.replace("``", "`")))
}

/// Returns true for `SET timestamp=…;`, also with `last_insert_id` and `insert_id`. The server
/// writes one before each statement.
fn is_set_timestamp(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"SET ") else { return false };
    let names: [&[u8]; 3] = [b"timestamp=", b"last_insert_id=", b"insert_id="];
    names.iter().any(|name| rest.starts_with(name)) && memchr::memmem::find(rest, b"timestamp=").is_some()
}

impl Header {
    /// Reads a line of fields: `Name: value  Name: value`.
    fn read(&mut self, fields: &str) {
        let after = |name: &str| fields.split_once(name).map(|(_, rest)| rest);
        if let Some(rest) = after("Query_time: ") {
            self.seconds = rest
                .split_whitespace()
                .next()
                .and_then(|seconds| seconds.parse().ok())
                .filter(|seconds: &f64| seconds.is_finite());
        }
        if let Some(rest) = after("Schema: ") {
            // An empty value, as in `Schema:   QC_hit: No`, means that no schema was selected.
            let name = rest.split("  ").next().unwrap_or_default().trim();
            self.schema = Some((!name.is_empty() && !name.ends_with(':')).then(|| name.to_owned()));
        }
        if let Some(rest) = after("Log_slow_rate_limit: ") {
            self.calls = rest.split_whitespace().next().and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(log: &str) -> Vec<(u64, String, Option<String>, Option<f64>)> {
        let text = |event| match event {
            Event::Statement(text) => String::from_utf8_lossy(&text).into_owned(),
            Event::Command(command) => format!("<{command}>"),
            Event::Truncated => "<too long>".to_owned(),
        };
        let entries = SlowLog::new(log.as_bytes()).map(Result::unwrap);
        entries.map(|entry| (entry.line, text(entry.event), entry.schema, entry.seconds)).collect()
    }

    #[test]
    fn reads_schema_and_rate_of_percona_server() {
        let log = "# Time: 2026-11-22T02:00:00.123456Z\n# User@Host: root[root] @ localhost []  Id:     8\n# Schema: shop  Last_errno: 0  Killed: 0\n\
                   # Query_time: 0.000200  Lock_time: 0.000001  Rows_sent: 1  Rows_examined: 1  Rows_affected: 0  Bytes_sent: 56\n\
                   # Log_slow_rate_type: query  Log_slow_rate_limit: 10\nSET timestamp=1795399200;\nSELECT 1;\n";
        let entries: Vec<Entry> = SlowLog::new(log.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (entries[0].schema.as_deref(), entries[0].calls, entries[0].seconds),
            (Some("shop"), 10, Some(0.0002))
        );
    }

    #[test]
    fn entries_without_time_and_user_are_separate() {
        let log = "# Time: 2026-11-22T02:00:00.123456Z\n# User@Host: a[a] @ localhost []\n# Query_time: 1.0  Lock_time: 0\nuse shop;\nSET timestamp=1;\n\
                   SELECT 'a;\nb';\n# Query_time: 2.0  Lock_time: 0\nSET timestamp=2;\nSELECT 2;\nSET timestamp=3;\nSELECT 3;\nuse log;\nSET timestamp=4;\n\
                   SELECT 4\n# Query_time: no\n;\n# Query_time: 5.0  Lock_time: 0\n# administrator command: Quit;\n";
        let shop = Some("shop".to_owned());
        assert_eq!(
            read(log),
            [
                (6, "SELECT 'a;\nb'".to_owned(), shop.clone(), Some(1.0)),
                (10, "SELECT 2".into(), shop.clone(), Some(2.0)),
                (12, "SELECT 3".into(), shop, None),
                (15, "SELECT 4\n# Query_time: no".into(), Some("log".into()), None),
                (19, "<Quit>".into(), Some("log".into()), Some(5.0)),
            ]
        );
    }

    #[test]
    fn schema_is_that_of_the_last_use() {
        let entry = |schema: &str, text: &str| {
            format!("# User@Host: a[a] @ h []\n# Query_time: 1\n{schema}SET timestamp=1;\n{text};\n")
        };
        let log = entry("", "SELECT 0")
            + &entry("use shop;\n", "SELECT 1")
            + &entry("", "SELECT 2")
            + &entry("use `a``b`;\n", "SELECT 3");
        let schemas: Vec<_> = read(&log).into_iter().map(|(_, _, schema, _)| schema.unwrap_or_default()).collect();
        assert_eq!(schemas, ["", "shop", "shop", "a`b"], "before the first `use` nobody knows");
        let own = "# User@Host: a[a] @ h []\n# Thread_id: 5  Schema:   QC_hit: No\n# Query_time: 1\nSELECT 1;\n";
        assert_eq!(read(own)[0].2, None);
    }

    #[test]
    fn statements_of_several_lines_stay_whole() {
        let log = "# User@Host: a[a] @ h []\n# Query_time: 1\nSELECT 'a;\n# b\nuse c;\n\n' FROM t # x\nWHERE 1;\n# User@Host: a[a] @ h []\nSELECT 2";
        let texts: Vec<_> = read(log).into_iter().map(|(line, text, ..)| (line, text)).collect();
        assert_eq!(
            texts,
            [(3, "SELECT 'a;\n# b\nuse c;\n\n' FROM t # x\nWHERE 1".to_owned()), (10, "SELECT 2".to_owned())]
        );
    }

    #[test]
    fn skips_header_of_a_restart() {
        let log = "# User@Host: a[a] @ h []\nSELECT 1;\n/usr/sbin/mysqld, Version: 8.0.40 (Debian). started with:\nTcp port: 3306  Unix socket: /x\n\
                   Time                 Id Command    Argument\n# User@Host: a[a] @ h []\n# administrator command: Quit;\n";
        let texts: Vec<_> = read(log).into_iter().map(|(_, text, ..)| text).collect();
        assert_eq!(texts, ["SELECT 1", "<Quit>"]);
    }

    #[test]
    fn too_long_statements_are_reported_as_truncated() {
        let log = format!(
            "# User@Host: a[a] @ h []\nSELECT '{}';\n# User@Host: a[a] @ h []\nSELECT 2;\n",
            "x".repeat(crate::MAX_STATEMENT_BYTES)
        );
        let texts: Vec<_> = read(&log).into_iter().map(|(_, text, ..)| text).collect();
        assert_eq!(texts, ["<too long>", "SELECT 2"]);
    }

    #[test]
    fn carriage_return_at_the_limit_does_not_hide_truncation() {
        // Byte number `MAX_LINE_BYTES` + 1 of the line is the carriage return.
        let start = "x".repeat(crate::lines::MAX_LINE_BYTES);
        let log = format!("# User@Host: a[a] @ h []\n{start}\ry;\n# User@Host: a[a] @ h []\nSELECT 2;\n");
        let texts: Vec<_> = read(&log).into_iter().map(|(_, text, ..)| text).collect();
        assert_eq!(texts, ["<too long>", "SELECT 2"]);
    }

    proptest! {
        /// Truncated and garbled logs are read to their end.
        #[test]
        fn a_mangled_log_does_not_panic(lines in prop::collection::vec(prop_oneof![
            Just("# Time: 261122  2:00:00"), Just("# Time: "), Just("# User@Host: a[a] @ h []"), Just("# Thread_id: 1  Schema: s  QC_hit: No"),
            Just("# Schema: "), Just("# Query_time: x"), Just("# Query_time: 1e999"), Just("use ;"), Just("use `;"), Just("SET timestamp=1;"), Just("SELECT 'a"),
            Just("# administrator command: "), Just("x, Version: 1 started with:"), Just(";"), Just("#"), Just(""), Just("Log_slow_rate_limit: -1")
        ], 0..30), cut in 0..2000usize, noise: Vec<u8>) {
            let mut log = lines.join("\n").into_bytes();
            log.truncate(cut);
            log.extend(noise);
            for entry in SlowLog::new(log.as_slice()) {
                prop_assert!(entry.is_ok_and(|entry| entry.line > 0 && entry.calls > 0));
            }
        }
    }
}
