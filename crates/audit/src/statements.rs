//! Statements of files: SQL scripts and slow query logs.

use crate::evidence::Statement;

/// The statements of a script, each with its line. `DELIMITER` is obeyed, as in the servers' own clients.
pub fn sql_file(name: &str, text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut delimiter = ";".to_owned();
    let (mut current, mut start) = (String::new(), 1);
    for (index, line) in text.lines().enumerate() {
        let word = line.trim_start();
        if word.len() > 10 && word[..10].eq_ignore_ascii_case("delimiter ") && current.trim().is_empty() {
            delimiter = word[10..].trim().to_owned();
            continue;
        }
        if current.trim().is_empty() {
            (current, start) = (String::new(), index + 1);
        }
        current.push_str(line);
        current.push('\n');
        let ended = line.trim_end();
        if !delimiter.is_empty() && ended.ends_with(delimiter.as_str()) {
            push(&mut statements, name, start, current.trim().trim_end_matches(delimiter.as_str()));
            current.clear();
        }
    }
    push(&mut statements, name, start, &current);
    statements
}

fn push(statements: &mut Vec<Statement>, name: &str, line: usize, text: &str) {
    if !text.trim().is_empty() {
        statements.push(Statement { place: format!("{name}:{line}"), text: text.trim().to_owned() });
    }
}

/// The statements of a slow query log of MySQL, MariaDB or Percona Server; of those that differ only in literals and comments, the first.
pub fn slow_log(name: &str, text: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let (mut current, mut start) = (String::new(), 1);
    let mut end = |current: &mut String, start: usize, statements: &mut Vec<Statement>| {
        let text = current.trim().trim_end_matches(';').trim().to_owned();
        current.clear();
        if !text.is_empty() && seen.insert(fingerprint(&text)) {
            statements.push(Statement { place: format!("{name}:{start}"), text });
        }
    };
    for (index, line) in text.lines().enumerate() {
        let lower = line.to_ascii_lowercase();
        let is_header = line.starts_with("# ")
            || line.starts_with("Tcp port:")
            || line.starts_with("Time  ")
            || line.contains("started with:");
        let is_frame = lower.starts_with("set timestamp=") || lower.starts_with("use ");
        if is_header || is_frame {
            end(&mut current, start, &mut statements);
            continue;
        }
        if current.is_empty() {
            start = index + 1;
        }
        current.push_str(line);
        current.push('\n');
    }
    end(&mut current, start, &mut statements);
    statements
}

/// A statement without what differs from run to run.
fn fingerprint(text: &str) -> String {
    use crate::sql::Token;
    let tokens = crate::sql::tokens(text);
    let word = |token: &Token<'_>| match token {
        Token::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()) => "?".to_owned(),
        Token::Word(word) => word.to_lowercase(),
        Token::Name(name) => name.to_lowercase(),
        Token::Literal(_) => "?".to_owned(),
        Token::Symbol(symbol) => symbol.to_string(),
    };
    tokens.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_split_at_its_delimiters() {
        let text = "SET NAMES utf8;\n\nSELECT 1\n  FROM t;\nDELIMITER //\nCREATE TRIGGER x BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2";
        let statements = sql_file("a.sql", text);
        let places: Vec<_> = statements.iter().map(|one| (one.place.as_str(), one.text.lines().count())).collect();
        assert_eq!(places, [("a.sql:1", 1), ("a.sql:3", 2), ("a.sql:6", 1), ("a.sql:8", 1)]);
        assert!(statements[2].text.ends_with("END"));
    }

    #[test]
    fn a_slow_log_gives_each_kind_of_statement_once() {
        let log = "/usr/sbin/mysqld, Version: 8.0. started with:\nTcp port: 3306  Unix socket: x\nTime                 Id Command    Argument\n\
            # Time: 2026-11-21T10:00:00\n# User@Host: a[a] @ localhost []\n# Query_time: 1  Lock_time: 0\nuse shop;\nSET timestamp=1;\n\
            SELECT * FROM t WHERE a = 'x' COLLATE utf8_bin;\n# Time: 2026-11-21T10:00:01\nSET timestamp=2;\nselect * from t\nwhere a = 'y' collate utf8_bin;\n";
        let statements = slow_log("slow.log", log);
        assert_eq!(statements.len(), 1);
        assert_eq!(statements[0].place, "slow.log:9");
    }
}
