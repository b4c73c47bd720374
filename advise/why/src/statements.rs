//! Statements from scripts and slow query logs.

use std::collections::HashMap;
use std::io::{self, BufRead};

use querylog::{Event, SlowLog};
use sql::{SqlMode, Token, TokenKind, extract_template, tokenize};

use crate::Error;
use crate::ddl;
use crate::run::Given;
use crate::syntax::parse_program;

/// Splits a script into statements. `USE` stays a statement. `name` is the file's name.
///
/// A literal with bytes that are no UTF-8 is written in hexadecimal, with its introducer or the
/// character set of the last `SET NAMES`. Such bytes are an error in a name. In a literal without
/// introducer they are, too, if no `SET NAMES` comes before it, or one of UTF-8 or of a character
/// set in `WITH_BACKSLASH`.
pub fn parse_script(name: &str, bytes: &[u8]) -> Result<Vec<Given>, Error> {
    let text = sql::read_bytes(bytes);
    let (mut line, mut counted) = (1, 0);
    let mut charset = String::new();
    let mut found = Vec::new();
    for (start, statement) in sql::split_statements(&text, SqlMode::default()) {
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        counted = start;
        let place = format!("{name}:{line}");
        if !sql::has_bytes(statement) {
            charset = client_charset(statement).unwrap_or(charset);
        } else if let Some(reason) = unreadable(statement, &charset) {
            return Err(Error::Script { place, reason });
        }
        let text = sql::hex_bytes(statement, SqlMode::default(), &charset).into_owned();
        found.push(Given { place, text, ..Given::default() });
    }
    Ok(found)
}

/// Character set of `SET NAMES x` and `SET CHARACTER SET x`, in lower case.
fn client_charset(statement: &str) -> Option<String> {
    let mut tokens = tokenize(statement, SqlMode::default()).filter(Token::is_content);
    tokens.next().filter(|word| word.is_keyword("set"))?;
    let is_setting = match tokens.next()? {
        word if word.is_any_keyword(&["names", "charset"]) => true,
        word => word.is_keyword("character") && tokens.next().is_some_and(|word| word.is_keyword("set")),
    };
    let name = tokens.next().filter(|_| is_setting)?;
    Some(name.text.trim_matches(['\'', '"', '`']).to_lowercase())
}

/// Character sets in which a byte of a character can be a backslash.
const WITH_BACKSLASH: [&str; 5] = ["big5", "cp932", "gbk", "gb18030", "sjis"];

/// Says why bytes of a statement that are no UTF-8 cannot be read. `None` if all can.
fn unreadable(statement: &str, charset: &str) -> Option<&'static str> {
    let is_named = !charset.is_empty() && !charset.starts_with("utf8") && !WITH_BACKSLASH.contains(&charset);
    let mut previous: Option<Token<'_>> = None;
    for token in tokenize(statement, SqlMode::default()) {
        let has_bytes = sql::has_bytes(token.text) && token.kind != TokenKind::Comment;
        let has_introducer =
            previous.is_some_and(|before| before.kind == TokenKind::Word && before.text.starts_with('_'));
        if has_bytes && token.kind != TokenKind::StringLiteral {
            return Some("a name has bytes that are no UTF-8");
        }
        if has_bytes && !is_named && !has_introducer {
            return Some(
                "a text has bytes that are no UTF-8, and no SET NAMES before it names a character set that has them",
            );
        }
        previous = Some(token);
    }
    None
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
        let found = parse_script("a.sql", b"SET NAMES utf8;\n\nSELECT 1;\n-- x\nSELECT 2").unwrap();
        let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
        assert_eq!(places, ["a.sql:1", "a.sql:3", "a.sql:5"]);
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
        let found = read_slow_log("slow.log", log.as_bytes(), 1).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text.as_str(), found[0].calls), ("select 1 from t where a = 'y'", Some(2)));
        assert_eq!((found[0].seconds, found[0].schema.as_deref()), (Some(8.0), Some("shop")));
    }
}
