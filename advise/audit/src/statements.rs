//! Reads statements from SQL scripts and slow query logs.

use std::collections::HashSet;
use std::io::{self, BufRead};

use querylog::{Entry, Event, SlowLog};
use sql::SqlMode;

use crate::input::Statement;

/// Splits a script into statements. `name` is the file's name for [`Statement::place`].
pub fn parse_sql_file(name: &str, text: &str) -> Vec<Statement> {
    querylog::parse_script(text, SqlMode::default())
        .into_iter()
        .filter_map(|entry| entry_statement(name, entry))
        .collect()
}

/// Reads a slow query log of MySQL, MariaDB or Percona Server.
///
/// Of statements of one schema that differ only in literals, comments, white space and letter case,
/// only the first is returned.
pub fn parse_slow_log(name: &str, log: impl BufRead) -> io::Result<Vec<Statement>> {
    let mut seen = HashSet::new();
    let mut statements = Vec::new();
    for entry in SlowLog::new(log) {
        let statement = entry_statement(name, entry?);
        let is_new = |one: &Statement| seen.insert((fingerprint(&one.text), one.schema.clone()));
        statements.extend(statement.filter(is_new));
    }
    Ok(statements)
}

fn entry_statement(name: &str, entry: Entry) -> Option<Statement> {
    match entry.event {
        Event::Statement(text) => {
            let text = String::from_utf8_lossy(&text).into_owned();
            Some(Statement { place: format!("{name}:{}", entry.line), text, schema: entry.schema })
        }
        Event::Truncated | Event::Command(_) => None,
    }
}

/// Returns a statement in lower case without its literals and comments. A truncated statement is
/// returned as it is.
fn fingerprint(text: &str) -> String {
    sql::extract_template(text, SqlMode::default())
        .map_or_else(|| text.to_owned(), |template| template.key.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_script_at_its_delimiters() {
        let text = "SET NAMES utf8;\n\nSELECT 1\n  FROM t;\nDELIMITER //\nCREATE TRIGGER x BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2";
        let statements = parse_sql_file("a.sql", text);
        let places: Vec<_> =
            statements.iter().map(|statement| (statement.place.as_str(), statement.text.lines().count())).collect();
        assert_eq!(places, [("a.sql:1", 1), ("a.sql:3", 2), ("a.sql:6", 1), ("a.sql:8", 1)]);
        assert!(statements[2].text.ends_with("END"));
    }

    #[test]
    fn returns_each_template_of_a_slow_log_once() {
        let log = "/usr/sbin/mysqld, Version: 8.0. started with:\nTcp port: 3306  Unix socket: x\nTime                 Id Command    Argument\n\
            # Time: 2026-11-21T10:00:00\n# User@Host: a[a] @ localhost []\n# Query_time: 1  Lock_time: 0\nuse shop;\nSET timestamp=1;\n\
            SELECT * FROM t WHERE a = 'x' COLLATE utf8_bin;\n# Time: 2026-11-21T10:00:01\nSET timestamp=2;\nselect * from t\nwhere a = 'y' collate utf8_bin;\n";
        let statements = parse_slow_log("slow.log", log.as_bytes()).unwrap();
        assert_eq!(statements.len(), 1);
        assert_eq!(statements[0].place, "slow.log:9");
    }
}
