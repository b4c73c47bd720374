//! The slow query log, as MySQL 5.6 to 9, MariaDB and Percona Server write it.
//!
//! ```text
//! # Time: 2026-11-22T02:00:00.123456Z             (5.6, MariaDB: 261122  2:00:00, and only where the second is another)
//! # User@Host: app[app] @ localhost []  Id: 8     begins an entry where there is no Time
//! # Thread_id: 8  Schema: shop  QC_hit: No        (MariaDB; Percona: # Schema: shop  Last_errno: 0 …)
//! # Query_time: 0.000123  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1
//! # explain: 1  SIMPLE  orders  …                 (MariaDB, log_slow_verbosity=explain)
//! use shop;                                       where it is another schema than in the entry before, in this file
//! SET timestamp=1795399200;
//! SELECT * FROM orders
//! WHERE id = 5;                                   or: # administrator command: Prepare;
//! ```

use std::io::{self, BufRead};

use crate::entry::{Entry, Event};
use crate::lines::{Lines, Text};

/// The entries of a slow query log, as they come.
pub struct SlowLog<R> {
    lines: Lines<R>,
    /// The schema that the last `use` of this file named.
    used: Option<String>,
    head: Head,
    text: Text,
    ready: Option<Entry>,
    ended: bool,
}

/// What the lines in front of a statement say.
#[derive(Default)]
struct Head {
    seconds: Option<f64>,
    /// `Schema:`; the inner one is `None` where none was in use.
    schema: Option<Option<String>>,
    stands_for: Option<u64>,
}

impl<R: BufRead> SlowLog<R> {
    /// Reads from here.
    pub fn new(input: R) -> Self {
        let (lines, text) = (Lines::new(input), Text::default());
        Self { lines, used: None, head: Head::default(), text, ready: None, ended: false }
    }

    /// Reads on until an entry is complete.
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
                return Ok(finish(&mut self.text, &mut self.head, self.used.as_ref()));
            };
            if begins_entry(line) || is_banner(line, &self.text) {
                self.ready = finish(&mut self.text, &mut self.head, self.used.as_ref());
                self.head = Head::default();
                continue;
            }
            if !self.text.is_empty() {
                self.text.push(line);
                continue;
            }
            if let Some(command) = line.strip_prefix(b"# administrator command: ") {
                let command = String::from_utf8_lossy(command).trim_end_matches(';').to_owned();
                self.ready = Some(entry(number, Event::Command(command), &mut self.head, self.used.as_ref()));
            } else if let Some(fields) = line.strip_prefix(b"# ") {
                self.head.read(&String::from_utf8_lossy(fields));
            } else if let Some(schema) = used(line) {
                self.used = Some(schema);
            } else if !is_timestamp(line) && !line.trim_ascii().is_empty() && line != b"#" {
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

fn finish(text: &mut Text, head: &mut Head, used: Option<&String>) -> Option<Entry> {
    let (line, event) = text.take()?;
    Some(entry(line, event, head, used))
}

fn entry(line: u64, event: Event, head: &mut Head, used: Option<&String>) -> Entry {
    let head = std::mem::take(head);
    Entry {
        line,
        event,
        schema: head.schema.unwrap_or_else(|| used.cloned()),
        seconds: head.seconds,
        stands_for: head.stands_for.unwrap_or(1),
    }
}

fn begins_entry(line: &[u8]) -> bool {
    line.starts_with(b"# Time: ") || line.starts_with(b"# User@Host: ")
}

/// What a server writes when it opens the file: version, port, heads of columns.
fn is_banner(line: &[u8], text: &Text) -> bool {
    // Within a statement only the first of these lines is told from its text, and only where the statement is complete.
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

/// `use shop;`, with or without backticks.
fn used(line: &[u8]) -> Option<String> {
    let name = line.strip_prefix(b"use ")?.trim_ascii().strip_suffix(b";")?;
    let name = String::from_utf8_lossy(name);
    let inner = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
    Some(inner.map_or_else(|| name.clone().into_owned(), |name| name.replace("``", "`")))
}

/// `SET timestamp=…;`, alone or behind `last_insert_id` and `insert_id`, which the server writes in front of each statement.
fn is_timestamp(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"SET ") else { return false };
    let names: [&[u8]; 3] = [b"timestamp=", b"last_insert_id=", b"insert_id="];
    names.iter().any(|name| rest.starts_with(name)) && memchr::memmem::find(rest, b"timestamp=").is_some()
}

impl Head {
    /// `Name: value  Name: value …`
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
            // Nothing between two names: no schema was in use.
            let name = rest.split("  ").next().unwrap_or_default().trim();
            self.schema = Some((!name.is_empty() && !name.ends_with(':')).then(|| name.to_owned()));
        }
        if let Some(rest) = after("Log_slow_rate_limit: ") {
            self.stands_for =
                rest.split_whitespace().next().and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
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
            Event::Cut => "<too long>".to_owned(),
        };
        let entries = SlowLog::new(log.as_bytes()).map(Result::unwrap);
        entries.map(|entry| (entry.line, text(entry.event), entry.schema, entry.seconds)).collect()
    }

    #[test]
    fn percona_says_schema_and_rate() {
        let log = "# Time: 2026-11-22T02:00:00.123456Z\n# User@Host: root[root] @ localhost []  Id:     8\n# Schema: shop  Last_errno: 0  Killed: 0\n\
                   # Query_time: 0.000200  Lock_time: 0.000001  Rows_sent: 1  Rows_examined: 1  Rows_affected: 0  Bytes_sent: 56\n\
                   # Log_slow_rate_type: query  Log_slow_rate_limit: 10\nSET timestamp=1795399200;\nSELECT 1;\n";
        let entries: Vec<Entry> = SlowLog::new(log.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (entries[0].schema.as_deref(), entries[0].stands_for, entries[0].seconds),
            (Some("shop"), 10, Some(0.0002))
        );
    }

    #[test]
    fn the_schema_is_the_last_that_was_used_in_this_file() {
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
    fn a_restart_in_the_middle_is_passed_over() {
        let log = "# User@Host: a[a] @ h []\nSELECT 1;\n/usr/sbin/mysqld, Version: 8.0.40 (Debian). started with:\nTcp port: 3306  Unix socket: /x\n\
                   Time                 Id Command    Argument\n# User@Host: a[a] @ h []\n# administrator command: Quit;\n";
        let texts: Vec<_> = read(log).into_iter().map(|(_, text, ..)| text).collect();
        assert_eq!(texts, ["SELECT 1", "<Quit>"]);
    }

    #[test]
    fn what_is_too_long_is_told_and_not_kept() {
        let log = format!(
            "# User@Host: a[a] @ h []\nSELECT '{}';\n# User@Host: a[a] @ h []\nSELECT 2;\n",
            "x".repeat(crate::LONGEST_STATEMENT)
        );
        let texts: Vec<_> = read(&log).into_iter().map(|(_, text, ..)| text).collect();
        assert_eq!(texts, ["<too long>", "SELECT 2"]);
    }

    proptest! {
        /// A log that was cut, mixed up and garbled is read to its end.
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
                prop_assert!(entry.is_ok_and(|entry| entry.line > 0 && entry.stands_for > 0));
            }
        }
    }
}
