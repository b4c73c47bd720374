//! Tuples of `INSERT` statements.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TupleValue {
    Null,
    /// Contents of a string or of a hexadecimal or bit literal; a number, TRUE or FALSE as written.
    Text(Vec<u8>),
    /// Anything else: `NOW()`, `CONCAT('a', 'b')`, `DEFAULT`, `_latin1'a'`.
    Expression,
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

/// Reads a value up to the comma or parenthesis that follows.
fn parse_value(text: &[u8]) -> Result<(TupleValue, &[u8]), String> {
    let literal = match converted(text) {
        Some(inside) => parse_literal(inside)?.and_then(|(value, rest)| Some((value, end_of_conversion(rest)?))),
        None => parse_literal(text)?,
    };
    match literal {
        Some((value, rest)) if matches!(rest.trim_ascii_start().first(), Some(b',' | b')')) => Ok((value, rest)),
        _ => Ok((TupleValue::Expression, skip_expression(text)?)),
    }
}

/// Returns the text after `CONVERT(`: mydumper writes JSON as `CONVERT("…" USING UTF8MB4)`.
fn converted(text: &[u8]) -> Option<&[u8]> {
    strip_word(text, b"convert")?.strip_prefix(b"(")
}

/// Returns the text after ` USING UTF8MB4)`.
fn end_of_conversion(text: &[u8]) -> Option<&[u8]> {
    let charset = strip_word(text.trim_ascii_start(), b"using")?.trim_ascii_start();
    strip_word(charset, b"utf8mb4")?.trim_ascii_start().strip_prefix(b")")
}

/// Character sets whose introducers leave the bytes of a file as they are.
const INTRODUCERS: [&[u8]; 4] = [b"_binary", b"_utf8mb4", b"_utf8mb3", b"_utf8"];

/// Reads NULL, a string, a number or another literal. `None` for anything else.
fn parse_literal(text: &[u8]) -> Result<Option<(TupleValue, &[u8])>, String> {
    // Recent versions of mysqldump write _binary before binary strings, HeidiSQL before 0x….
    let introduced = INTRODUCERS.iter().find_map(|introducer| strip_word(text, introducer));
    let text = introduced.map_or(text, <[u8]>::trim_ascii_start);
    let digits = |rest: &[u8], is_digit: fn(&u8) -> bool| rest.iter().take_while(|byte| is_digit(byte)).count();
    let (is_hex, rest, is_quoted) = match text {
        [quote @ (b'\'' | b'"'), rest @ ..] | [b'n' | b'N', quote @ b'\'', rest @ ..] => {
            return parse_string(rest, *quote).map(Some);
        }
        // mysqldump --hex-blob.
        [b'0', b'x' | b'X', rest @ ..] => (true, rest, false),
        [b'x' | b'X', b'\'', rest @ ..] => (true, rest, true),
        [b'0', b'b', rest @ ..] => (false, rest, false),
        [b'b' | b'B', b'\'', rest @ ..] => (false, rest, true),
        _ => return Ok(if introduced.is_some() { None } else { parse_word(text) }),
    };
    let length =
        if is_hex { digits(rest, u8::is_ascii_hexdigit) } else { digits(rest, |byte| matches!(byte, b'0' | b'1')) };
    let (digits, rest) = rest.split_at(length);
    let rest = if is_quoted { rest.strip_prefix(b"'") } else { Some(rest) };
    Ok(rest.map(|rest| (TupleValue::Text(bytes_of_digits(digits, if is_hex { 2 } else { 8 })), rest)))
}

/// Returns the bytes of digits, of which the last `per_byte` make the last byte.
fn bytes_of_digits(digits: &[u8], per_byte: usize) -> Vec<u8> {
    let value = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or(0) as u8;
    let byte = |group: &[u8]| group.iter().fold(0, |byte, digit| byte << (8 / per_byte) | value(digit));
    let (first, rest) = digits.split_at(digits.len() % per_byte);
    let first = (!first.is_empty()).then(|| byte(first));
    first.into_iter().chain(rest.chunks_exact(per_byte).map(byte)).collect()
}

/// Reads NULL, TRUE, FALSE or a number.
fn parse_word(text: &[u8]) -> Option<(TupleValue, &[u8])> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
    let (word, rest) = text.split_at(text.iter().take_while(|byte| is_part(byte)).count());
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    let begins_number = matches!(word.first(), Some(b'0'..=b'9' | b'.' | b'+' | b'-'));
    match is("NULL") {
        true => Some((TupleValue::Null, rest)),
        false => (begins_number || is("TRUE") || is("FALSE")).then(|| (TupleValue::Text(word.to_vec()), rest)),
    }
}

/// Returns the text after a word, whose case doesn't count.
fn strip_word<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (ends && head.eq_ignore_ascii_case(word)).then_some(rest)
}

/// Returns the text from the comma or parenthesis on that ends an expression.
fn skip_expression(text: &[u8]) -> Result<&[u8], String> {
    let (mut rest, mut depth) = (text, 0_usize);
    while let Some((byte, after)) = rest.split_first() {
        match byte {
            b',' | b')' if depth == 0 => return Ok(rest),
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\'' | b'"' => {
                (_, rest) = parse_string(after, *byte)?;
                continue;
            }
            _ => {}
        }
        rest = after;
    }
    Err("a tuple is not closed".to_owned())
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

    #[test]
    fn literals_are_read_and_expressions_are_not() {
        let text = |bytes: &[u8]| TupleValue::Text(bytes.to_vec());
        for (written, value) in [
            ("X'4142'", text(b"AB")),
            ("0x4", text(b"\x04")),
            ("_binary 0x4142", text(b"AB")),
            ("_utf8mb4'a,b'", text(b"a,b")),
            ("N'a,b'", text(b"a,b")),
            ("b'101000001'", text(b"\x01\x41")),
            ("0b1", text(b"\x01")),
            ("CONVERT(\"{\\\"a\\\": 1, \\\"b\\\": 2}\" USING UTF8MB4)", text(br#"{"a": 1, "b": 2}"#)),
            ("-1.5e-3", text(b"-1.5e-3")),
            ("true", text(b"true")),
            ("null", TupleValue::Null),
            ("CONCAT('a,)', \"b\", ('c'))", TupleValue::Expression),
            ("'a' COLLATE utf8mb4_bin", TupleValue::Expression),
            ("_latin1'a,b'", TupleValue::Expression),
            ("CONVERT('a' USING latin1)", TupleValue::Expression),
            ("DEFAULT", TupleValue::Expression),
            ("1 + 1", TupleValue::Expression),
            ("X'4", TupleValue::Expression),
        ] {
            let values = format!("(1, {written} ,'z')");
            let mut tuples = InsertTuples::new(values.as_bytes());
            match written {
                "X'4" => assert!(tuples.next().unwrap().is_err(), "{written}"),
                _ => assert_eq!(tuples.next(), Some(Ok(vec![text(b"1"), value, text(b"z")])), "{written}"),
            }
        }
    }
}
