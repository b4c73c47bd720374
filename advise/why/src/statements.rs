//! Statements from scripts and slow query logs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead};

use querylog::{ClientText, Event, SlowLog, StatementLimit, Unreadable};
use sql::{SqlMode, extract_template};

use crate::Error;
use crate::ddl;
use crate::run::Given;
use crate::syntax::parse_program;

/// Splits a script into statements. `USE` stays a statement. `name` is the file's name. A statement
/// that [`ClientText`] cannot read is an error, and so are more than [`StatementLimit`].
pub fn parse_script(name: &str, bytes: &[u8]) -> Result<Vec<Given>, Error> {
    let text = sql::read_bytes(bytes);
    let (mut line, mut counted) = (1, 0);
    let mut client = ClientText::default();
    let (mut found, mut limit) = (Vec::new(), StatementLimit::default());
    for (start, statement) in sql::split_statements(&text, SqlMode::default()) {
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        counted = start;
        limit.add(statement.len()).map_err(|source| Error::TooMany { name: name.to_owned(), source })?;
        let place = format!("{name}:{line}");
        match client.read(statement) {
            Ok(text) => found.push(Given { place, text, ..Given::default() }),
            Err(reason) => return Err(Error::Script { place, reason }),
        }
    }
    Ok(found)
}

/// Classes of a slow query log.
#[derive(Clone, Debug, Default)]
pub struct SlowClasses {
    pub given: Vec<Given>,
    /// Classes of which no call can be read.
    pub unreadable: Option<Unreadable>,
}

/// Reads the classes of a slow query log that took most time, at most `worst`. Statements of one
/// schema that differ only in literals, comments and letter case are one class, represented by its
/// slowest call that [`ClientText`] can read. Definitions, such as CREATE TABLE, are left out. Fails
/// beyond [`StatementLimit`].
pub fn read_slow_log(name: &str, log: impl BufRead, worst: usize) -> io::Result<SlowClasses> {
    struct Class {
        given: Given,
        /// Seconds of the call that represents the class. `Err` with the line and the reason of the
        /// first call if none can be read.
        slowest: Result<f64, (u64, &'static str)>,
    }
    let mut classes: HashMap<(String, Option<String>), Class> = HashMap::new();
    let mut limit = StatementLimit::default();
    for entry in SlowLog::new(log) {
        let entry = entry?;
        let Event::Statement(text) = entry.event else { continue };
        let text = sql::read_bytes(&text);
        if ddl::is_definition(&text) || parse_program(&text).is_some() {
            continue;
        }
        let key = extract_template(&text, SqlMode::default())
            .map_or_else(|| text.clone().into_owned(), |template| template.key.to_lowercase());
        let (each, calls) = (entry.seconds.unwrap_or(0.0), entry.calls);
        let class = match classes.entry((key, entry.schema.clone())) {
            Entry::Occupied(class) => class.into_mut(),
            Entry::Vacant(class) => {
                // Its key is held, too.
                limit.add(2 * text.len())?;
                class.insert(Class { given: Given::default(), slowest: Err((entry.line, "")) })
            }
        };
        let seconds = class.given.seconds.unwrap_or(0.0) + each * calls as f64;
        let calls = class.given.calls.unwrap_or(0) + calls;
        if !class.slowest.is_ok_and(|slowest| each <= slowest) {
            match ClientText::default().read(&text) {
                Ok(text) => {
                    class.slowest = Ok(each);
                    class.given.place = format!("{name}:{}", entry.line);
                    class.given.text = text;
                    class.given.schema = entry.schema;
                }
                Err(reason) => class.slowest = class.slowest.map_err(|(line, _)| (line, reason)),
            }
        }
        class.given.seconds = Some(seconds);
        class.given.calls = Some(calls);
    }
    let (mut all, mut unread) = (Vec::new(), Vec::new());
    for Class { given, slowest } in classes.into_values() {
        match slowest {
            Ok(_) => all.push(given),
            Err(first) => unread.push(first),
        }
    }
    unread.sort_unstable();
    let mut unreadable = None;
    for (line, reason) in unread {
        Unreadable::add(&mut unreadable, &format!("{name}:{line}"), reason);
    }
    all.sort_by(|one, other| {
        other.seconds.unwrap_or(0.0).total_cmp(&one.seconds.unwrap_or(0.0)).then(one.place.cmp(&other.place))
    });
    all.truncate(worst);
    Ok(SlowClasses { given: all, unreadable })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_keep_lines() {
        let found = parse_script("a.sql", b"SET NAMES utf8;\n\nSELECT 1;\n-- x\nSELECT 2").unwrap();
        let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
        assert_eq!(places, ["a.sql:1", "a.sql:3", "a.sql:5"]);
    }

    #[test]
    fn scripts_and_logs_of_too_many_statements_are_refused() {
        let refused = parse_script("a.sql", "x;".repeat(100_001).as_bytes()).unwrap_err().to_string();
        assert!(refused.starts_with("cannot read a.sql: it has more than 100,000 statements"), "{refused}");
        let entry = |number: u32| format!("# Query_time: 1 Lock_time: 0\nSELECT 1 FROM t{number};\n");
        let log: String = (0..=100_000).map(entry).collect();
        let refused = read_slow_log("slow.log", log.as_bytes(), 20).err().unwrap().to_string();
        assert!(refused.contains("more than 100,000 statements"), "{refused}");
    }

    #[test]
    fn bytes_of_scripts_are_read_in_their_character_set() {
        let texts = |bytes: &[u8]| -> Result<Vec<String>, String> {
            let found = parse_script("a.sql", bytes).map_err(|error| error.to_string())?;
            Ok(found.into_iter().map(|one| one.text).collect())
        };
        let latin1 = texts(b"SET NAMES latin1;\nSELECT '\xE4' -- \xE4\n;").unwrap();
        assert!(latin1[1].starts_with("SELECT _latin1 X'E4'"), "{latin1:?}");
        assert_eq!(texts(b"INSERT INTO t VALUES (_binary '\xFF')").unwrap(), ["INSERT INTO t VALUES (_binary X'FF')"]);
        for (script, reason) in [
            (&b"SELECT 1;\nSELECT '\xE4'"[..], "a.sql:2: a text has bytes that are no UTF-8"),
            (b"SET NAMES utf8mb4;\nSELECT '\xE4'", "a.sql:2: a text"),
            (b"SET NAMES gbk;\nSELECT '\xE4\xFF'", "a.sql:2: a text"),
            (b"SET NAMES latin1;\nSELECT `\xE4` FROM t", "a.sql:2: a name has bytes"),
        ] {
            let error = texts(script).unwrap_err();
            assert!(error.contains(reason) && error.contains("iconv"), "{error}");
        }
    }

    #[test]
    fn classes_of_a_slow_log_are_sorted_by_time() {
        let entry = |seconds: &str, text: &str| {
            format!(
                "# Time: 2026-11-21T10:00:00\n# User@Host: a[a] @ localhost []\n# Query_time: {seconds}  Lock_time: 0\nuse shop;\nSET timestamp=1;\n{text};\n"
            )
        };
        let log = entry("1", "SELECT 1 FROM t WHERE a = 'x'")
            + &entry("5", "SELECT 2 FROM u")
            + &entry("7", "select 1 from t where a = 'y'");
        let found = read_slow_log("slow.log", log.as_bytes(), 1).unwrap().given;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text.as_str(), found[0].calls), ("select 1 from t where a = 'y'", Some(2)));
        assert_eq!((found[0].seconds, found[0].schema.as_deref()), (Some(8.0), Some("shop")));
    }

    #[test]
    fn a_class_is_represented_by_a_call_that_can_be_read() {
        let entry = |seconds: &str, text: &[u8]| {
            [format!("# User@Host: a[a] @ h []\n# Query_time: {seconds}\nSET timestamp=1;\n").as_bytes(), text, b";\n"]
                .concat()
        };
        let log = [
            entry("1", b"SELECT 1 FROM t WHERE a = 'x'"),
            entry("9", b"SELECT 1 FROM t WHERE a = '\xE4'"),
            entry("2", b"SELECT 1 FROM u WHERE a = _latin1 '\xE4'"),
            entry("3", b"SELECT 1 FROM v WHERE a = '\xE4'"),
        ]
        .concat();
        let SlowClasses { given, unreadable } = read_slow_log("slow.log", log.as_slice(), 9).unwrap();
        let texts: Vec<(&str, Option<f64>)> = given.iter().map(|one| (one.text.as_str(), one.seconds)).collect();
        let read =
            [("SELECT 1 FROM t WHERE a = 'x'", Some(10.0)), ("SELECT 1 FROM u WHERE a = _latin1 X'E4'", Some(2.0))];
        assert_eq!(texts, read);
        let unreadable = unreadable.unwrap();
        assert_eq!((unreadable.count, unreadable.first.as_str()), (1, "slow.log:16"));
    }
}
