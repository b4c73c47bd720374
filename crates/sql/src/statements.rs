//! SQL statements of a dump, one after the other, and the tuples of INSERT.

use std::io::{self, BufRead};

/// Reads statements up to their semicolons, past strings and comments. A statement is held in memory: those of dumps are as long as
/// `net_buffer_length` lets them be.
pub struct Statements<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: BufRead> Statements<R> {
    /// Reads from here.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new() }
    }

    /// The next statement, without its semicolon; `None` at the end.
    ///
    /// # Errors
    /// If the input can't be read.
    pub fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut statement = Vec::new();
        let mut quote: Option<u8> = None;
        loop {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok((!statement.iter().all(u8::is_ascii_whitespace)).then_some(statement));
            }
            if statement.is_empty() && (self.line.starts_with(b"--") || self.line.trim_ascii().is_empty()) {
                continue;
            }
            statement.extend_from_slice(&self.line);
            let mut escaped = false;
            for &byte in &self.line {
                match quote {
                    _ if escaped => escaped = false,
                    Some(b'\'' | b'"') if byte == b'\\' => escaped = true,
                    Some(open) if byte == open => quote = None,
                    Some(_) => {}
                    None if matches!(byte, b'\'' | b'"' | b'`') => quote = Some(byte),
                    None => {}
                }
            }
            // Dumps end statements at the end of a line.
            if quote.is_none() && self.line.trim_ascii_end().ends_with(b";") {
                let end = statement.iter().rposition(|byte| *byte == b';').unwrap_or(statement.len());
                statement.truncate(end);
                return Ok(Some(statement));
            }
        }
    }
}

/// One value of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// NULL.
    Null,
    /// A string, or a number as it is written.
    Text(Vec<u8>),
}

/// The tuples behind VALUES.
pub struct Tuples<'s> {
    rest: &'s [u8],
}

impl<'s> Tuples<'s> {
    /// Of the text that follows VALUES.
    pub fn new(values: &'s [u8]) -> Self {
        Self { rest: values }
    }
}

impl Iterator for Tuples<'_> {
    type Item = Result<Vec<Literal>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let open = self.rest.iter().position(|byte| *byte == b'(')?;
        self.rest = &self.rest[open + 1..];
        let mut tuple = Vec::new();
        loop {
            self.rest = self.rest.trim_ascii_start();
            match literal(self.rest) {
                Ok((value, rest)) => {
                    tuple.push(value);
                    self.rest = rest.trim_ascii_start();
                }
                Err(problem) => {
                    self.rest = &[];
                    return Some(Err(problem));
                }
            }
            match self.rest.split_first() {
                Some((b',', rest)) => self.rest = rest,
                Some((b')', rest)) => {
                    self.rest = rest;
                    return Some(Ok(tuple));
                }
                _ => return Some(Err("a tuple has no end".to_owned())),
            }
        }
    }
}

fn literal(text: &[u8]) -> Result<(Literal, &[u8]), String> {
    // mysqldump --hex-blob writes 0x…, and newer ones _binary before a string.
    let text = text.strip_prefix(b"_binary ").unwrap_or(text);
    match text {
        [quote @ (b'\'' | b'"'), rest @ ..] => string(rest, *quote),
        [b'0', b'x' | b'X', rest @ ..] => {
            let end = rest.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(rest.len());
            let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
            Ok((
                Literal::Text(rest[..end].chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()),
                &rest[end..],
            ))
        }
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b',' | b')')).ok_or("a value has no end")?;
            let word = text[..end].trim_ascii();
            let value = if word.eq_ignore_ascii_case(b"NULL") { Literal::Null } else { Literal::Text(word.to_vec()) };
            Ok((value, &text[end..]))
        }
    }
}

fn string(text: &[u8], quote: u8) -> Result<(Literal, &[u8]), String> {
    let mut value = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b'\\' {
            let escaped = *text.get(at).ok_or("a string has no end")?;
            at += 1;
            value.push(match escaped {
                b'0' => 0,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'Z' => 0x1A,
                other => other,
            });
        } else if byte != quote {
            value.push(byte);
        } else if text.get(at) == Some(&quote) {
            at += 1;
            value.push(quote);
        } else {
            return Ok((Literal::Text(value), &text[at..]));
        }
    }
    Err("a string has no end".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_strings() {
        let dump = "-- a comment;\n\nCREATE TABLE `t` (\n  `a` int\n);\nINSERT INTO `t` VALUES ('a;\n;b');\nSELECT 1";
        let mut statements = Statements::new(dump.as_bytes());
        let mut found = Vec::new();
        while let Some(statement) = statements.read().unwrap() {
            found.push(String::from_utf8(statement).unwrap());
        }
        assert_eq!(found, ["CREATE TABLE `t` (\n  `a` int\n)", "INSERT INTO `t` VALUES ('a;\n;b')", "SELECT 1"]);
    }

    #[test]
    fn tuples_are_read_with_their_escapes() {
        let values = br"(1,'it\'s ''x''',NULL,0x41ff),(-2.5,'a\\b\n',_binary 'z','(,)')";
        let tuples: Vec<Vec<Literal>> = Tuples::new(values).map(Result::unwrap).collect();
        let text = |bytes: &[u8]| Literal::Text(bytes.to_vec());
        assert_eq!(tuples[0], [text(b"1"), text(b"it's 'x'"), Literal::Null, text(b"A\xff")]);
        assert_eq!(tuples[1], [text(b"-2.5"), text(b"a\\b\n"), text(b"z"), text(b"(,)")]);
        assert!(Tuples::new(b"('a").next().unwrap().is_err());
    }
}
