//! Tuples of `INSERT` statements.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TupleValue {
    Null,
    /// Contents of a string or of `0x…`; anything else, such as a number, as written.
    Text(Vec<u8>),
}

/// Iterator over the tuples after `VALUES`: `(1,'a'),(2,NULL)`.
pub struct InsertTuples<'s> {
    rest: &'s [u8],
}

impl<'s> InsertTuples<'s> {
    /// Reads the text that follows `VALUES`.
    pub fn new(values: &'s [u8]) -> Self {
        Self { rest: values }
    }
}

impl Iterator for InsertTuples<'_> {
    type Item = Result<Vec<TupleValue>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let open = self.rest.iter().position(|byte| *byte == b'(')?;
        self.rest = &self.rest[open + 1..];
        let mut tuple = Vec::new();
        loop {
            self.rest = self.rest.trim_ascii_start();
            match parse_value(self.rest) {
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
                _ => return Some(Err("a tuple is not closed".to_owned())),
            }
        }
    }
}

fn parse_value(text: &[u8]) -> Result<(TupleValue, &[u8]), String> {
    // mysqldump --hex-blob writes 0x…. Recent versions write _binary before binary strings.
    let text = text.strip_prefix(b"_binary ").unwrap_or(text);
    match text {
        [quote @ (b'\'' | b'"'), rest @ ..] => parse_string(rest, *quote),
        [b'0', b'x' | b'X', rest @ ..] => {
            let end = rest.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(rest.len());
            let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
            Ok((
                TupleValue::Text(
                    rest[..end].chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect(),
                ),
                &rest[end..],
            ))
        }
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b',' | b')')).ok_or("a tuple is not closed")?;
            let word = text[..end].trim_ascii();
            let value =
                if word.eq_ignore_ascii_case(b"NULL") { TupleValue::Null } else { TupleValue::Text(word.to_vec()) };
            Ok((value, &text[end..]))
        }
    }
}

fn parse_string(text: &[u8], quote: u8) -> Result<(TupleValue, &[u8]), String> {
    let mut value = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b'\\' {
            let escaped = *text.get(at).ok_or("a string is not closed")?;
            at += 1;
            // Servers keep the backslash of a wildcard.
            if matches!(escaped, b'%' | b'_') {
                value.push(b'\\');
            }
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
            return Ok((TupleValue::Text(value), &text[at..]));
        }
    }
    Err("a string is not closed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_read_with_their_escapes() {
        let values = br"(1,'it\'s ''x''',NULL,0x41ff),(-2.5,'a\\b\n',_binary 'z','(,)'),('\%\_\a')";
        let tuples: Vec<Vec<TupleValue>> = InsertTuples::new(values).map(Result::unwrap).collect();
        let text = |bytes: &[u8]| TupleValue::Text(bytes.to_vec());
        assert_eq!(tuples[0], [text(b"1"), text(b"it's 'x'"), TupleValue::Null, text(b"A\xff")]);
        assert_eq!(tuples[1], [text(b"-2.5"), text(b"a\\b\n"), text(b"z"), text(b"(,)")]);
        assert_eq!(tuples[2], [text(b"\\%\\_a")]);
        assert!(InsertTuples::new(b"('a").next().unwrap().is_err());
    }
}
