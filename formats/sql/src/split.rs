//! Splitting of statements at their delimiters, in a text and in a stream.

use std::io::{self, BufRead};
use std::ops::Range;

use crate::sql_mode::SqlMode;
use crate::token::{RawToken, Scanner, TokenKind};

/// Length up to which statements and comments are read from a stream, by default: 64 MiB, as
/// `max_allowed_packet` of MySQL 8.0.
pub const MAX_STATEMENT_BYTES: usize = 64 << 20;

/// Returns the statements of a text with their byte offsets, without delimiters. Obeys the command
/// `DELIMITER` of the servers' clients. Comments before a statement are not part of it; a statement
/// of comments only is omitted.
pub fn split_statements(text: &str, mode: SqlMode) -> impl Iterator<Item = (usize, &str)> {
    let mut splitter = Splitter::new(mode);
    std::iter::from_fn(move || splitter.next(text.as_bytes(), true)).map(|range| (range.start, &text[range]))
}

/// Finds the ends of statements in bytes that arrive piece by piece.
struct Splitter {
    scanner: Scanner,
    delimiter: Vec<u8>,
    /// Offset of the current statement's first token.
    first: Option<usize>,
    /// Offset after the last token.
    at: usize,
}

/// Number of bytes that must follow a token in a stream: with further bytes, `1` can become `1e-3`.
const LOOKAHEAD: usize = 16;

impl Splitter {
    fn new(mode: SqlMode) -> Self {
        Self { scanner: Scanner::new(mode), delimiter: b";".to_vec(), first: None, at: 0 }
    }

    /// Returns the next statement. `None` if `bytes` hold no further complete one: then the caller
    /// appends bytes and calls again, unless `is_last`.
    fn next(&mut self, bytes: &[u8], is_last: bool) -> Option<Range<usize>> {
        let lookahead = LOOKAHEAD.max(self.delimiter.len());
        loop {
            let Some(token) = self.scanner.peek(bytes, self.at) else {
                if is_last {
                    self.at = bytes.len();
                    return self.close(bytes, self.at);
                }
                return None;
            };
            if !is_last && token.end + lookahead > bytes.len() {
                return None;
            }
            if self.first.is_none() && is_delimiter_command(&bytes[token.start..token.end]) {
                self.at = self.read_delimiter(bytes, token.end, is_last)?;
            } else if let Some(place) = self.find_delimiter(bytes, &token) {
                if place > token.start {
                    self.first.get_or_insert(token.start);
                }
                self.at = place + self.delimiter.len();
                if let Some(statement) = self.close(bytes, place) {
                    return Some(statement);
                }
            } else {
                self.scanner.accept(&token);
                self.at = token.end;
                if token.kind != TokenKind::Comment {
                    self.first.get_or_insert(token.start);
                }
            }
        }
    }

    /// Ends the statement at an offset. `None` if it has no content.
    fn close(&mut self, bytes: &[u8], end: usize) -> Option<Range<usize>> {
        self.scanner.reset();
        let first = self.first.take()?;
        Some(first..first + bytes[first..end].trim_ascii_end().len())
    }

    /// Reads the rest of the line of the command `DELIMITER`; returns the offset after it.
    fn read_delimiter(&mut self, bytes: &[u8], at: usize, is_last: bool) -> Option<usize> {
        let line = match memchr::memchr(b'\n', &bytes[at..]) {
            Some(length) => &bytes[at..at + length],
            None if is_last => &bytes[at..],
            None => return None,
        };
        if let Some(word) = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()) {
            self.delimiter = word.to_vec();
        }
        Some(at + line.len())
    }

    /// Returns the offset of a delimiter that begins in the token. In `END$$` and `@x$$`, `$$` is
    /// not part of the name. A delimiter within quotes or a comment is text.
    fn find_delimiter(&self, bytes: &[u8], token: &RawToken) -> Option<usize> {
        let is_here = |place: &usize| bytes[*place..].starts_with(&self.delimiter);
        match token.kind {
            TokenKind::Comment | TokenKind::Hint | TokenKind::StringLiteral | TokenKind::QuotedName => None,
            _ => {
                let text = &bytes[token.start..token.end];
                let unquoted = text.iter().position(|byte| matches!(byte, b'\'' | b'"' | b'`')).unwrap_or(text.len());
                (token.start..token.start + unquoted).find(is_here)
            }
        }
    }

    /// Returns the offset of the first byte that is still needed.
    fn needed_from(&self) -> usize {
        self.first.unwrap_or(self.at)
    }

    /// Adjusts the offsets after the first bytes were removed.
    fn shift(&mut self, removed: usize) {
        self.at -= removed;
        self.first = self.first.map(|first| first - removed);
    }
}

fn is_delimiter_command(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"delimiter")
}

/// Reads the statements of a stream, such as a dump. Each statement is held in memory: mysqldump's
/// `INSERT` statements are about as long as `net_buffer_length` (1 MiB by default).
///
/// Statements end at the same places as in [`split_statements`].
pub struct StatementReader<R> {
    input: R,
    splitter: Splitter,
    bytes: Vec<u8>,
    is_last: bool,
    max_bytes: usize,
    /// Number of the line, from 1, that the byte at `counted` is on.
    line: u64,
    counted: usize,
    /// Number of bytes that were removed from the front of `bytes`.
    removed: u64,
    /// Offset of the last statement in the stream.
    offset: u64,
}

impl<R: BufRead> StatementReader<R> {
    /// Creates a reader with the limit [`MAX_STATEMENT_BYTES`].
    pub fn new(input: R, mode: SqlMode) -> Self {
        Self::with_limit(input, mode, MAX_STATEMENT_BYTES)
    }

    /// Creates a reader of statements of up to `max_bytes`. A longer one may be read, too, if it is
    /// shorter than about twice that; others are refused.
    pub fn with_limit(input: R, mode: SqlMode, max_bytes: usize) -> Self {
        let splitter = Splitter::new(mode);
        let bytes = Vec::new();
        Self { input, splitter, bytes, is_last: false, max_bytes, line: 1, counted: 0, removed: 0, offset: 0 }
    }

    /// Returns the number of the line, from 1, on which the last statement begins.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the offset in the stream, in bytes, at which the last statement begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the delimiter in force after the last statement.
    pub fn delimiter(&self) -> &[u8] {
        &self.splitter.delimiter
    }

    fn count_lines(&mut self, end: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.bytes[self.counted..end]).count() as u64;
        self.counted = end;
    }

    /// Returns the next statement without its delimiter; `None` at the end.
    pub fn read(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(range) = self.splitter.next(&self.bytes, self.is_last) {
                self.count_lines(range.start);
                self.offset = self.removed + range.start as u64;
                return Ok(Some(&self.bytes[range]));
            }
            if self.is_last {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Doubles the bytes in memory, so that a long token is scanned only a few times.
    fn fill(&mut self) -> io::Result<()> {
        let needed_from = self.splitter.needed_from();
        self.count_lines(needed_from);
        self.bytes.drain(..needed_from);
        self.removed += needed_from as u64;
        self.splitter.shift(needed_from);
        self.counted = 0;
        if self.bytes.len() > self.max_bytes {
            return Err(self.too_long());
        }
        let target = self.bytes.len() * 2 + LOOKAHEAD;
        while self.bytes.len() < target {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                self.is_last = true;
                break;
            }
            let length = available.len();
            self.bytes.extend_from_slice(available);
            self.input.consume(length);
        }
        Ok(())
    }

    fn too_long(&self) -> io::Error {
        let problem = format!(
            "the statement on line {} is longer than {} bytes, the longest that is read",
            self.line, self.max_bytes
        );
        io::Error::new(io::ErrorKind::FileTooLarge, problem)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(usize, &str)> {
        split_statements(text, SqlMode::default()).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        found(text).into_iter().map(|(_, statement)| statement).collect()
    }

    /// Reads a text in pieces of a few bytes.
    fn streamed(text: &str, piece: usize) -> Vec<String> {
        let mut reader = StatementReader::new(io::BufReader::with_capacity(piece, text.as_bytes()), SqlMode::default());
        let mut statements = Vec::new();
        while let Some(statement) = reader.read().unwrap() {
            let statement = String::from_utf8(statement.to_vec()).unwrap();
            assert!(text[reader.offset() as usize..].starts_with(&statement));
            statements.push(statement);
        }
        statements
    }

    #[test]
    fn statements_end_at_delimiters_outside_quotes_and_comments() {
        assert_eq!(
            found("-- a; b\nSELECT ';' /* ; */ FROM `;`; # no;\n;\nSELECT 2"),
            [(8, "SELECT ';' /* ; */ FROM `;`"), (45, "SELECT 2")]
        );
        assert_eq!(texts("SELECT 1; SELECT 2;SELECT 3 -- the last"), ["SELECT 1", "SELECT 2", "SELECT 3 -- the last"]);
    }

    #[test]
    fn delimiters_are_obeyed() {
        let text = "DELIMITER //\nCREATE TRIGGER x BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2;";
        assert_eq!(texts(text), ["CREATE TRIGGER x BEGIN SELECT 1; END", "SELECT 2"]);
        assert_eq!(found("delimiter $$\nselect a$$ select b $$\n"), [(13, "select a"), (24, "select b")]);
        assert_eq!(texts("DELIMITER $$\nSELECT @x$$\nSELECT 1$$SELECT :y$$"), ["SELECT @x", "SELECT 1", "SELECT :y"]);
    }

    /// mysqldump writes triggers in this way.
    #[test]
    fn apostrophes_in_comments_of_a_body_open_no_string() {
        let dump = "CREATE TABLE `a` (`id` int);\nDELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ \
                    /*!50003 TRIGGER `x` BEFORE INSERT ON `a` FOR EACH ROW BEGIN\n  -- it's mine; don't\n  # nor's this\n  \
                    /* and ' this; */\n  SET NEW.id = 1;\nEND */;;\nDELIMITER ;\nCREATE TABLE `b` (`id` int);\n";
        for statements in [texts(dump).into_iter().map(str::to_owned).collect(), streamed(dump, 7)] {
            assert_eq!(statements.len(), 3, "{statements:#?}");
            assert!(statements[1].ends_with("END */") && statements[1].contains("SET NEW.id = 1;"));
            assert_eq!(statements[2], "CREATE TABLE `b` (`id` int)");
        }
    }

    #[test]
    fn long_statements_are_refused() {
        let text = format!("SELECT 1;\n SELECT '{}'; SELECT 2", "x".repeat(5000));
        let mut reader =
            StatementReader::with_limit(io::BufReader::with_capacity(64, text.as_bytes()), SqlMode::default(), 1000);
        assert_eq!(reader.read().unwrap(), Some(&b"SELECT 1"[..]));
        assert_eq!(reader.line(), 1);
        let error = reader.read().unwrap_err().to_string();
        assert_eq!(error, "the statement on line 2 is longer than 1000 bytes, the longest that is read");
    }

    proptest! {
        #[test]
        fn any_text_is_split(text in "([;'\"`\\\\/*a é\n-]|DELIMITER |//|/\\*!50001 ){0,30}") {
            for (start, statement) in found(&text) {
                prop_assert!(text[start..].starts_with(statement));
            }
        }

        /// Statements don't depend on the pieces in which the stream arrives.
        #[test]
        fn a_stream_is_split_like_a_text(text in "([;'\"`\\\\/*a é\n#@1e.-]|DELIMITER |//|\\$\\$|/\\*!50001 ){0,40}", piece in 1..20_usize) {
            prop_assert_eq!(streamed(&text, piece), texts(&text));
        }
    }
}
