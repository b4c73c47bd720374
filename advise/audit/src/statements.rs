//! Reads statements from SQL scripts and slow query logs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, BufRead};

use querylog::{ClientText, Entry, Event, SlowLog, StatementLimit, Unreadable};
use sql::SqlMode;

use crate::input::Statement;

/// Statements of a file.
#[derive(Clone, Debug, Default)]
pub struct FileStatements {
    pub statements: Vec<Statement>,
    /// Statements that [`ClientText`] cannot read.
    pub unreadable: Option<Unreadable>,
}

/// Splits a script into statements. `name` is the file's name for [`Statement::place`]. Fails beyond
/// [`StatementLimit`].
pub fn parse_sql_file(name: &str, bytes: &[u8]) -> io::Result<FileStatements> {
    let mut client = ClientText::default();
    let mut found = FileStatements::default();
    for entry in querylog::parse_script(&sql::read_bytes(bytes), SqlMode::default())? {
        let Event::Statement(text) = entry.event else { continue };
        let place = format!("{name}:{}", entry.line);
        match client.read(&String::from_utf8_lossy(&text)) {
            Ok(text) => found.statements.push(Statement { place, text, schema: entry.schema }),
            Err(reason) => Unreadable::add(&mut found.unreadable, &place, reason),
        }
    }
    Ok(found)
}

/// Reads a slow query log of MySQL, MariaDB or Percona Server.
///
/// Of statements of one schema that differ only in literals, comments, white space and letter case,
/// only the first that can be read is returned. Fails beyond [`StatementLimit`].
pub fn parse_slow_log(name: &str, log: impl BufRead) -> io::Result<FileStatements> {
    let mut seen = HashSet::new();
    let mut unread: BTreeMap<(String, Option<String>), (u64, &'static str)> = BTreeMap::new();
    let (mut found, mut limit) = (FileStatements::default(), StatementLimit::default());
    for entry in SlowLog::new(log) {
        let Entry { event: Event::Statement(text), line, schema, .. } = entry? else { continue };
        let text = sql::read_bytes(&text);
        let key = (fingerprint(&text), schema.clone());
        if seen.contains(&key) {
            continue;
        }
        if !unread.contains_key(&key) {
            // Its key is held, too.
            limit.add(2 * text.len())?;
        }
        match ClientText::default().read(&text) {
            Ok(text) => {
                unread.remove(&key);
                seen.insert(key);
                found.statements.push(Statement { place: format!("{name}:{line}"), text, schema });
            }
            Err(reason) => {
                unread.entry(key).or_insert((line, reason));
            }
        }
    }
    let unread: BTreeSet<(u64, &str)> = unread.into_values().collect();
    for (line, reason) in unread {
        Unreadable::add(&mut found.unreadable, &format!("{name}:{line}"), reason);
    }
    Ok(found)
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
        let statements = parse_sql_file("a.sql", text.as_bytes()).unwrap().statements;
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
        let statements = parse_slow_log("slow.log", log.as_bytes()).unwrap().statements;
        assert_eq!(statements.len(), 1);
        assert_eq!(statements[0].place, "slow.log:9");
    }

    #[test]
    fn statements_with_bytes_of_an_unknown_character_set_are_counted() {
        let found = parse_sql_file("a.sql", b"SELECT '\xE4';\nSET NAMES latin1;\nSELECT '\xE4'").unwrap();
        let texts: Vec<&str> = found.statements.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["SET NAMES latin1", "SELECT _latin1 X'E4'"]);
        let unreadable = found.unreadable.unwrap();
        assert_eq!((unreadable.title("a.sql"), unreadable.first.as_str()), ("1 statement of a.sql".into(), "a.sql:1"));

        let entry =
            |text: &[u8]| [b"# User@Host: a[a] @ h []\n# Query_time: 1\nSET timestamp=1;\n", text, b";\n"].concat();
        let log = [
            entry(b"SELECT 1 FROM t WHERE a = '\xE4'"),
            entry(b"SELECT 1 FROM t WHERE a = 'x'"),
            entry(b"SELECT 1 FROM u WHERE a = '\xE4'"),
        ];
        let found = parse_slow_log("slow.log", log.concat().as_slice()).unwrap();
        assert_eq!(found.statements[0].text, "SELECT 1 FROM t WHERE a = 'x'");
        assert_eq!((found.statements.len(), found.unreadable.unwrap().first), (1, "slow.log:12".to_owned()));
    }
}
