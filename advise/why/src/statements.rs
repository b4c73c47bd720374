//! Statements from scripts and slow query logs.

use std::collections::HashMap;
use std::io::{self, BufRead};

use querylog::{Event, SlowLog};
use sql::{SqlMode, extract_template};

use crate::ddl;
use crate::run::Given;
use crate::syntax::parse_program;

/// Splits a script into statements. `USE` stays a statement. `name` is the file's name.
pub fn parse_script(name: &str, text: &str) -> Vec<Given> {
    let (mut line, mut counted) = (1, 0);
    let mut found = Vec::new();
    for (start, statement) in sql::split_statements(text, SqlMode::default()) {
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        counted = start;
        found.push(Given { place: format!("{name}:{line}"), text: statement.to_owned(), ..Given::default() });
    }
    found
}

/// Reads the classes of a slow query log that took most time, at most `worst`. Statements of one
/// schema that differ only in literals, comments and letter case are one class, represented by its
/// slowest call. Definitions, such as CREATE TABLE, are left out.
pub fn read_slow_log(name: &str, log: impl BufRead, worst: usize) -> io::Result<Vec<Given>> {
    struct Class {
        given: Given,
        slowest: f64,
    }
    let mut classes: HashMap<(String, Option<String>), Class> = HashMap::new();
    for entry in SlowLog::new(log) {
        let entry = entry?;
        let Event::Statement(text) = entry.event else { continue };
        let text = String::from_utf8_lossy(&text).into_owned();
        if ddl::is_definition(&text) || parse_program(&text).is_some() {
            continue;
        }
        let key = extract_template(&text, SqlMode::default())
            .map_or_else(|| text.clone(), |template| template.key.to_lowercase());
        let (each, calls) = (entry.seconds.unwrap_or(0.0), entry.calls);
        let new = || Class { given: Given::default(), slowest: -1.0 };
        let class = classes.entry((key, entry.schema.clone())).or_insert_with(new);
        let seconds = class.given.seconds.unwrap_or(0.0) + each * calls as f64;
        let calls = class.given.calls.unwrap_or(0) + calls;
        if each > class.slowest {
            class.slowest = each;
            class.given.place = format!("{name}:{}", entry.line);
            class.given.text = text;
            class.given.schema = entry.schema;
        }
        class.given.seconds = Some(seconds);
        class.given.calls = Some(calls);
    }
    let mut all: Vec<Given> = classes.into_values().map(|class| class.given).collect();
    all.sort_by(|one, other| {
        other.seconds.unwrap_or(0.0).total_cmp(&one.seconds.unwrap_or(0.0)).then(one.place.cmp(&other.place))
    });
    all.truncate(worst);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_keep_lines() {
        let found = parse_script("a.sql", "SET NAMES utf8;\n\nSELECT 1;\n-- x\nSELECT 2");
        let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
        assert_eq!(places, ["a.sql:1", "a.sql:3", "a.sql:5"]);
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
        let found = read_slow_log("slow.log", log.as_bytes(), 1).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text.as_str(), found[0].calls), ("select 1 from t where a = 'y'", Some(2)));
        assert_eq!((found[0].seconds, found[0].schema.as_deref()), (Some(8.0), Some("shop")));
    }
}
