//! How the command-line clients `mysql` and `mariadb` read a statement of a script.
//!
//! A client doesn't parse SQL. It looks for the delimiter and for commands of its own, such as
//! `\! COMMAND`, which it runs on the machine where it was started. Quotes and comments end
//! elsewhere for a client than for the server, and clients differ. A statement is
//! safe if no reading shows a command or an early end:
//!
//! | the readings differ in | shown by |
//! | --- | --- |
//! | a backslash in `'…'` and `"…"` escapes, or doesn't | the server's status says so to the client |
//! | `--` begins a comment before white space only, or also before control characters | mariadb 10.11.19 |
//! | `/*!…*/`, `/*M!…*/`, `/*+…*/` are read, or are comments | mariadb 10.11.19; MySQL manual, "Comments" |
//! | comments in these are comments, or text | mariadb 10.11.19 |
//!
//! Marks of comments that overlap or nest, as in `/*/`, `/* /* */` and `/*! x */* 2`, are refused:
//! mariadb 10.11.19 and 11.4 end these comments elsewhere than the servers.
//!
//! A backslash in backticks is a character for all clients. `"…"` is a string for them in any SQL
//! mode.

use crate::SqlMode;
use crate::token::{Token, TokenKind, tokenize};

/// Client commands that begin a line (MySQL manual, "mysql Client Commands"; `\h` of mariadb
/// 10.11.19). `USE` is one, too, and the SQL statement.
const COMMANDS: [&str; 28] = [
    "charset",
    "clear",
    "connect",
    "costs",
    "delimiter",
    "edit",
    "ego",
    "exit",
    "go",
    "help",
    "nopager",
    "notee",
    "nowarning",
    "pager",
    "print",
    "prompt",
    "query_attributes",
    "quit",
    "rehash",
    "resetconnection",
    "sandbox",
    "source",
    "ssl_session_data_print",
    "status",
    "system",
    "tee",
    "warnings",
    "x",
];

/// Commands that start a program, read or write a file, connect elsewhere or change the delimiter.
/// With `--named-commands` they are read at the beginning of any line of a statement.
const ACTING: [&str; 6] = ["connect", "delimiter", "pager", "source", "system", "tee"];

/// Letters of the short forms of commands that act: `\!` system, `\.` source, `\T` tee, `\P` pager,
/// `\e` edit, `\r` connect, `\u` use, `\d` delimiter.
const ACTING_LETTERS: &[u8] = b"!.TPerud";

/// Ends a line that closes what is open under one reading, and is a comment under the others.
const CLOSES: &str = "(closes what a client in another SQL mode has open)";

/// Reason why a client may read a text otherwise than as one statement for the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misreading {
    /// A command of the client: `\!` or `system`.
    Command(String),
    /// The delimiter stands within the statement.
    EndsEarly,
    /// A quote or a comment is still open at the end.
    StaysOpen,
    /// Marks of comments that overlap or nest.
    Comment,
    /// A byte 0, at which clients end the line or the script.
    Nul,
}

impl std::fmt::Display for Misreading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command(command) => write!(f, "the client's command {command}"),
            Self::EndsEarly => f.write_str("the end of the statement within it"),
            Self::StaysOpen => f.write_str("a quote or comment that stays open"),
            Self::Comment => f.write_str("a comment within another, or marks of comments that overlap"),
            Self::Nul => f.write_str("a byte 0"),
        }
    }
}

/// Reads the statements of a script in order. Follows the SQL mode that they set.
#[derive(Clone, Debug, Default)]
pub struct ClientReader {
    mode: SqlMode,
}

impl ClientReader {
    /// Checks a statement that the delimiter follows: on its last line, or on a line of its own
    /// (`own_line`).
    ///
    /// Returns the lines to write behind a checked statement: comments that close what it leaves
    /// open for a client that reads backslashes in the other way than the SQL mode says.
    pub fn read(&mut self, statement: &str, delimiter: &str, own_line: bool) -> Result<String, Misreading> {
        if statement.contains('\0') {
            return Err(Misreading::Nul);
        }
        check_first_word(statement)?;
        let text = statement.as_bytes();
        let (mut closing, mut refusal) = (String::new(), None);
        for reading in readings(text, !self.mode.no_backslash_escapes) {
            let mut line =
                Line { reading, text, delimiter: delimiter.as_bytes(), at: 0, state: State::Text, live: false };
            match (line.read(), line.open_mark(own_line)) {
                (Err(misreading @ (Misreading::Command(_) | Misreading::Comment)), _) => return Err(misreading),
                (Err(early), _) if reading.is_expected => refusal = Some(early),
                (Ok(()), Some(_)) if reading.is_expected => drop(refusal.get_or_insert(Misreading::StaysOpen)),
                (_, Some(mark)) if !closing.contains(mark) => closing.push_str(&format!("-- {mark} {CLOSES}\n")),
                _ => {}
            }
        }
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        if let Some(mode) = set_mode(statement, SqlMode::default()) {
            self.mode = mode;
        }
        Ok(closing)
    }
}

/// Refuses a statement that begins with a client command, and one with `USE`, which clients run
/// themselves, on several lines.
fn check_first_word(statement: &str) -> Result<(), Misreading> {
    let word: String = statement.trim_start().chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_').collect();
    let is_command = COMMANDS.iter().any(|command| word.eq_ignore_ascii_case(command));
    if word.is_empty() || is_command || (word.eq_ignore_ascii_case("use") && statement.trim().contains('\n')) {
        let shown = if word.is_empty() { statement.trim_start().chars().take(1).collect() } else { word };
        return Err(Misreading::Command(shown));
    }
    Ok(())
}

/// Returns the SQL mode that a statement `SET SESSION sql_mode = '…'` sets. `None` for another
/// statement. `mode` is the one in which the statement is read.
pub fn set_mode(statement: &str, mode: SqlMode) -> Option<SqlMode> {
    let is_content = |token: &Token<'_>| token.kind != TokenKind::Comment;
    let tokens: Vec<_> = tokenize(statement, mode).filter(is_content).take(5).collect();
    let [set, session, name, equals, value] = tokens.as_slice() else { return None };
    let sets = set.is_keyword("set") && session.is_keyword("session") && name.is_keyword("sql_mode");
    let is_mode = sets && equals.is_symbol('=') && value.kind == TokenKind::StringLiteral;
    is_mode.then(|| SqlMode::parse(value.text.trim_matches(['\'', '"'])))
}

/// One way in which a client may read a statement.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// True if backslashes escape as the SQL mode says.
    is_expected: bool,
    escapes: bool,
    /// `--` begins a comment before any control character, not only before white space.
    wide_dashes: bool,
    /// `/*!…*/` is read.
    version: bool,
    /// `/*M!…*/` is read.
    mariadb: bool,
    /// `/*+…*/` is read.
    hint: bool,
    /// Comments within these are comments.
    nests: bool,
}

/// Returns the readings that differ for a text.
fn readings(text: &[u8], escapes: bool) -> Vec<Reading> {
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    let both = |differs: bool| if differs { &[true, false][..] } else { &[true][..] };
    let (version, mariadb, hint) = (has(b"/*!"), has(b"/*M!"), has(b"/*+"));
    let is_control = |byte: u8| is_control(byte) && !is_space(byte);
    let wide = memchr::memmem::find_iter(text, b"--").any(|at| text.get(at + 2).is_some_and(|byte| is_control(*byte)));
    let mut all = Vec::new();
    for &is_expected in both(text.contains(&b'\\')) {
        for &wide_dashes in both(wide) {
            for &version in both(version) {
                for &mariadb in both(mariadb) {
                    for &hint in both(hint) {
                        for &nests in both(version || mariadb || hint) {
                            let escapes = escapes == is_expected;
                            all.push(Reading { is_expected, escapes, wide_dashes, version, mariadb, hint, nests });
                        }
                    }
                }
            }
        }
    }
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// In quotes.
    Quote(u8),
    /// In a comment that `*/` ends.
    Comment,
    /// In a comment that the end of the line ends.
    LineComment,
}

/// A statement under one reading.
struct Line<'t> {
    reading: Reading,
    text: &'t [u8],
    delimiter: &'t [u8],
    at: usize,
    state: State,
    /// In a comment that is read.
    live: bool,
}

impl Line<'_> {
    /// Reads to the end of the statement. Reports a delimiter within it only then, a command at
    /// once.
    fn read(&mut self) -> Result<(), Misreading> {
        let mut ends_early = false;
        // White space or nothing since the beginning of the line, or of a statement.
        let (mut begins_line, mut begins_statement) = (true, true);
        while let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let first = rest[0];
            if self.state != State::Text {
                self.at += self.skip(rest)?;
            } else if is_word(first) {
                let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
                self.check_word(&rest[..length], &rest[length..], begins_line, begins_statement)?;
                ends_early |= memchr::memmem::find(&rest[..length], self.delimiter).is_some();
                self.at += length;
            } else {
                ends_early |= rest.starts_with(self.delimiter);
                self.at += self.text_step(rest)?;
            }
            begins_line = first == b'\n' || (begins_line && is_space(first));
            begins_statement = first == b';' || (begins_statement && is_space(first));
        }
        if ends_early { Err(Misreading::EndsEarly) } else { Ok(()) }
    }

    /// Returns the length of what `rest` begins with: a backslash with a character, a quote, the
    /// mark of a comment, or another character.
    fn text_step(&mut self, rest: &[u8]) -> Result<usize, Misreading> {
        let line_comments = !self.live || self.reading.nests;
        match *rest {
            [b'\\', letter, ..] => {
                // `\N` is NULL.
                if letter != b'N' && (self.reading.is_expected || ACTING_LETTERS.contains(&letter)) {
                    return Err(Misreading::Command(format!("\\{}", char::from(letter).escape_default())));
                }
                return Ok(2);
            }
            [b'\\'] => return Err(Misreading::Command("\\".to_owned())),
            [quote @ (b'\'' | b'"' | b'`'), ..] => self.state = State::Quote(quote),
            [b'#', ..] if line_comments => self.state = State::LineComment,
            [b'-', b'-', ..] if line_comments && self.is_after_dashes(rest.get(2)) => {
                self.state = State::LineComment;
                return Ok(2);
            }
            [b'/', b'*', ..] => return self.open_comment(rest),
            [b'*', b'/', b'*', ..] if self.live => return Err(Misreading::Comment),
            [b'*', b'/', ..] if self.live => {
                self.live = false;
                return Ok(2);
            }
            _ => {}
        }
        Ok(1)
    }

    fn is_after_dashes(&self, next: Option<&u8>) -> bool {
        next.is_none_or(|byte| is_space(*byte) || (self.reading.wide_dashes && is_control(*byte)))
    }

    fn open_comment(&mut self, rest: &[u8]) -> Result<usize, Misreading> {
        let (length, is_read) = match rest {
            [_, _, b'!', ..] => (3, self.reading.version),
            [_, _, b'M', b'!', ..] => (4, self.reading.mariadb),
            [_, _, b'+', ..] => (3, self.reading.hint),
            _ => (2, false),
        };
        if self.live || rest.get(length) == Some(&b'/') {
            return Err(Misreading::Comment);
        }
        match is_read {
            true => self.live = true,
            false => self.state = State::Comment,
        }
        Ok(length)
    }

    /// Returns the length of the next part of a quoted text or a comment. At the closing mark, the
    /// state becomes that of plain text.
    fn skip(&mut self, rest: &[u8]) -> Result<usize, Misreading> {
        match (self.state, rest) {
            (State::Quote(b'\'' | b'"'), [b'\\', _, ..]) if self.reading.escapes => return Ok(2),
            (State::Quote(quote), [first, ..]) if *first == quote => self.state = State::Text,
            (State::Comment, [b'/', b'*', ..] | [b'*', b'/', b'*', ..]) => return Err(Misreading::Comment),
            (State::Comment, [b'*', b'/', ..]) => {
                self.state = State::Text;
                return Ok(2);
            }
            (State::LineComment, [b'\n', ..]) => self.state = State::Text,
            _ => {}
        }
        Ok(1)
    }

    fn check_word(
        &self,
        word: &[u8],
        after: &[u8],
        begins_line: bool,
        begins_statement: bool,
    ) -> Result<(), Misreading> {
        let is_any = |words: &[&str]| words.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()));
        let has_blank = after.first().is_none_or(|byte| is_space(*byte));
        let argument = after.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
        // Columns are often named `source`: it reads a file if a path follows.
        let is_source = word.eq_ignore_ascii_case(b"source");
        let acts =
            has_blank && !argument.is_empty() && (!is_source || argument.contains(&b'/') || argument.contains(&b'.'));
        let is_command = (begins_statement && self.at > 0 && has_blank && is_any(&ACTING))
            || (begins_line && is_any(&ACTING) && acts);
        if is_command { Err(Misreading::Command(String::from_utf8_lossy(word).into_owned())) } else { Ok(()) }
    }

    /// Returns what closes the state at the end. `None` if nothing is open.
    fn open_mark(&self, own_line: bool) -> Option<&'static str> {
        match self.state {
            State::Quote(b'\'') => Some("'"),
            State::Quote(b'"') => Some("\""),
            State::Quote(_) => Some("`"),
            State::Comment => Some("*/"),
            State::LineComment => (!own_line).then_some(""),
            State::Text => self.live.then_some("*/"),
        }
    }
}

/// White space, before which all clients take `--` for a comment.
fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

fn is_control(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{quote_identifier, quote_string, split_statements};

    fn read(statement: &str) -> Result<String, Misreading> {
        ClientReader::default().read(statement, ";", false)
    }

    fn read_body(body: &str) -> Result<String, Misreading> {
        ClientReader::default().read(&format!("CREATE PROCEDURE p() BEGIN {body} END"), "$$", true)
    }

    fn closing() -> String {
        format!("-- ' {CLOSES}\n")
    }

    #[test]
    fn ordinary_statements_are_read_as_they_are() {
        for statement in [
            "SET NAMES utf8mb4",
            "USE `a;b`",
            "ALTER TABLE `a\\`.`t`\n  MODIFY `x'` varchar(9) DEFAULT '\\\\' COMMENT 'it''s \\! ; system'",
            "CREATE VIEW v AS select '\\! touch' AS `\\! touch`",
            "CREATE DEFINER=`a`@`%` TRIGGER t BEFORE INSERT ON t FOR EACH ROW SET NEW.x = 1--1",
        ] {
            assert_eq!(read(statement), Ok(String::new()), "{statement}");
        }
        for body in [
            "SELECT source,\n source AS b,\n status,\n x FROM t; -- it's done\n",
            "SET @a = 'a;b'; # a \"b\n SET @b = \"it's\"; /* don't ; */ SELECT /*! STRAIGHT_JOIN */ \\N;",
            "DECLARE delimiter CHAR(1); /*!50003 SET @a = 'x' */;",
        ] {
            assert_eq!(read_body(body), Ok(String::new()), "{body}");
        }
    }

    #[test]
    fn commands_are_seen_in_every_reading() {
        let command = |name: &str| Err(Misreading::Command(name.to_owned()));
        for body in [
            "SET @a = 1; --\u{1f}' \n SET @c = '\\! touch x\n';",
            "SET @a = 1; --\u{7f}' \n SET @c = '\\! touch x\n';",
            "SET @a = 1; /*M!999999 \\! touch x\n */",
            "SET @a = 1; /*!99999 \\! touch x\n */",
            "SET @a = 1; /*+ \\! touch x\n */",
            "SET @a = 1; /*M!999999 ' */ SET @b = ' \n\\! touch x\n';",
            "/*! -- */ SET @a = ' \n */ \\! touch x\n';",
            "DECLARE \"a\\\" int; SET @b = '\" \\! touch x\n\"';",
            "SET @a = 'a\\'\n\\! touch x\n';",
        ] {
            assert_eq!(read_body(body), command("\\!"), "{body}");
        }
        assert_eq!(read_body("SELECT 1; \\. /tmp/x\n"), command("\\."));
        assert_eq!(read_body("SELECT 1;\nsystem touch x\n"), command("system"));
        assert_eq!(read_body("SELECT 1\n  system touch x\n"), command("system"));
        assert_eq!(read_body("SELECT 1;\nsource /tmp/x\n"), command("source"));
        for (statement, name) in [("system touch x", "system"), ("\\! touch x", "\\"), ("USE `a\nb`", "USE"), ("", "")]
        {
            assert_eq!(read(statement), command(name), "{statement}");
        }
    }

    #[test]
    fn comments_end_where_the_server_ends_them() {
        for body in [
            "SELECT 1 /* /*/;",
            "SELECT 1 /*/ x */;",
            "SELECT 1 /* /* */;",
            "SELECT 1 /* /*! x */;",
            "SELECT 1 /* */* 3;",
            "/*! /* */ SET @a = 1; */",
            "SELECT 2 /*!50000 +1 */* 3;",
            "SELECT /*! 1 /*+ x */ */;",
        ] {
            assert_eq!(read_body(body), Err(Misreading::Comment), "{body}");
        }
        for body in ["SELECT 1 /**/;", "/******/ SELECT 1 /***/ + /* **/ 2;", "SELECT '/* /*/', `/*` -- /*\n;"] {
            assert!(read_body(body).is_ok(), "{body}");
        }
    }

    #[test]
    fn statements_end_where_the_client_ends_them() {
        for statement in ["ALTER TABLE t ADD x int; DROP TABLE y", "ALTER TABLE t COMMENT '' --\u{1} ;\n COMMENT ''"] {
            assert_eq!(read(statement), Err(Misreading::EndsEarly), "{statement}");
        }
        for statement in ["ALTER TABLE t COMMENT 'a", "ALTER TABLE t /*", "ALTER TABLE t /*! x", "SELECT 1 -- x"] {
            assert_eq!(read(statement), Err(Misreading::StaysOpen), "{statement}");
        }
        assert_eq!(read("SELECT 'a\0'"), Err(Misreading::Nul));
        assert!(read_body("SELECT '$$', `$$`; -- $$\n").is_ok());
        for body in ["SELECT $$;", "SELECT a$$;", "SELECT ($$);"] {
            assert_eq!(read_body(body), Err(Misreading::EndsEarly), "{body}");
        }
    }

    #[test]
    fn quotes_that_depend_on_the_mode_are_closed() {
        assert_eq!(read_body("SELECT 'can\\'t';"), Ok(closing()));
        assert_eq!(read_body("SELECT 'C:\\';"), Err(Misreading::StaysOpen));
        let mut reader = ClientReader::default();
        reader.read("SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'", ";", false).unwrap();
        assert_eq!(reader.read("SELECT 'C:\\'", ";", false), Ok(closing()));
        assert_eq!(reader.read("SELECT 'a\\'\n\\! touch x\n", ";", false), Err(Misreading::Command("\\!".to_owned())));
    }

    #[test]
    fn statements_set_the_mode() {
        let set = |statement| set_mode(statement, SqlMode::default());
        let ansi = SqlMode { ansi_quotes: true, ..SqlMode::default() };
        let plain = SqlMode { no_backslash_escapes: true, ..SqlMode::default() };
        assert_eq!(set("SET SESSION sql_mode = 'ANSI_QUOTES'"), Some(ansi));
        assert_eq!(set("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'"), Some(plain));
        assert_eq!(set("SET SESSION time_zone = 'ANSI_QUOTES'"), None);
    }

    proptest! {
        /// The client reads a name or string that this crate quotes as a single token.
        #[test]
        fn quoted_texts_are_safe(text in "[a '\"`\\\\!./*+#;\\n\u{1}\u{1f}M-]{0,30}|[^\0]{0,20}") {
            prop_assert_eq!(read(&format!("SET @a = {}", quote_string(&text))), Ok(String::new()));
            prop_assert_eq!(read(&format!("SELECT {} ", quote_identifier(&text))), Ok(String::new()));
        }

        /// A checked statement is one for the tokenizer, and leaves nothing open for the next.
        #[test]
        fn checked_statements_are_one(text in "[a '\"`\\\\!./*+#;\\n\u{1}\u{1f}M-]{0,40}") {
            let statement = format!("SELECT {text}");
            if let Ok(closing) = read(&statement) {
                let script = format!("{statement};\n{closing}SELECT 'next';\n");
                let statements: Vec<_> = split_statements(&script, SqlMode::default()).collect();
                prop_assert_eq!(statements.len(), 2, "{:?}", script);
            }
        }
    }
}
