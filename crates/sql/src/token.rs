//! Tokens of a text of SQL.

use crate::mode::Mode;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword, or a name without quotes.
    Word,
    /// A name in backticks, or in double quotes under `ANSI_QUOTES`.
    Name,
    /// Text in quotes.
    Text,
    /// A number without a sign.
    Number,
    /// `x'41'`, `0x41`, `b'01'`, `0b01`.
    Bits,
    /// `@name`, `@@name`.
    Variable,
    /// `?` or `:name`.
    Parameter,
    /// `/*! … */` and `/*M! … */`: their begin, their end. What is between them are tokens of their own, which the servers execute.
    Conditional,
    /// `/*+ … */`, an optimizer hint.
    Hint,
    /// A comment.
    Comment,
    /// Any other character.
    Symbol,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// As it is written, quotes included.
    pub text: &'a str,
    /// Byte at which it begins.
    pub start: usize,
    /// Whether its closing quote, or the end of a comment, is there.
    pub closed: bool,
}

impl Token<'_> {
    /// Whether it is this keyword, in capitals or not.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is one of these keywords.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether it is this character.
    pub fn is_symbol(&self, symbol: char) -> bool {
        self.kind == Kind::Symbol && self.text.starts_with(symbol)
    }

    /// The byte behind it.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The name that it is, without quotes; `None` for what is no word and no quoted name.
    pub fn name(&self) -> Option<String> {
        match self.kind {
            Kind::Word => Some(self.text.to_owned()),
            Kind::Name => {
                let quote = self.text.chars().next()?;
                let inner = &self.text[1..self.text.len() - usize::from(self.closed)];
                Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))
            }
            _ => None,
        }
    }
}

/// The tokens of a text, comments among them.
pub fn tokens(text: &str, mode: Mode) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text[at..].trim_start();
        let start = text.len() - rest.len();
        let first = rest.chars().next()?;
        let (kind, length, closed) = next(rest, first, mode);
        at = start + length;
        Some(Token { kind, text: &rest[..length], start, closed })
    })
}

/// Kind and length of the first token, and whether it ends as it should.
fn next(rest: &str, first: char, mode: Mode) -> (Kind, usize, bool) {
    let open = |kind, (length, closed)| (kind, length, closed);
    let whole = |kind, length| (kind, length, true);
    let second = rest.as_bytes().get(1).copied();
    match first {
        '\'' => open(Kind::Text, quoted(rest, 0, mode)),
        '"' if mode.ansi_quotes => open(Kind::Name, quoted(rest, 0, mode)),
        '"' => open(Kind::Text, quoted(rest, 0, mode)),
        '`' => open(Kind::Name, quoted(rest, 0, mode)),
        // MySQL prints expressions with a backslash before each quote: `_utf8mb4\'a\'`.
        '\\' if second == Some(b'\'') => match rest[2..].find("\\'") {
            Some(end) => whole(Kind::Text, end + 4),
            None => (Kind::Text, rest.len(), false),
        },
        '#' => whole(Kind::Comment, line(rest)),
        // Two hyphens begin a comment only before a space or a control character, or at the end (MySQL manual, "'--' as the Start of
        // a Comment").
        '-' if second == Some(b'-') && rest.as_bytes().get(2).is_none_or(|byte| *byte <= b' ') => {
            whole(Kind::Comment, line(rest))
        }
        '/' if rest.starts_with("/*!") || rest.starts_with("/*M!") => {
            let word = if rest.starts_with("/*!") { 3 } else { 4 };
            whole(Kind::Conditional, word + digits(&rest[word..]))
        }
        '*' if second == Some(b'/') => whole(Kind::Conditional, 2),
        '/' if second == Some(b'*') => {
            let kind = if rest.starts_with("/*+") { Kind::Hint } else { Kind::Comment };
            match rest[2..].find("*/") {
                Some(end) => whole(kind, end + 4),
                None => (kind, rest.len(), false),
            }
        }
        '@' => variable(rest, mode),
        '?' => whole(Kind::Parameter, 1),
        ':' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            whole(Kind::Parameter, 1 + word(&rest[1..]))
        }
        'x' | 'X' | 'b' | 'B' if second == Some(b'\'') => open(Kind::Bits, quoted(rest, 1, mode)),
        '0'..='9' => number(rest),
        '.' if second.is_some_and(|byte| byte.is_ascii_digit()) => number(rest),
        _ if is_word(first) => whole(Kind::Word, word(rest)),
        _ => whole(Kind::Symbol, first.len_utf8()),
    }
}

/// Characters of names without quotes: ASCII letters, digits, `$`, `_` and all of the BMP beyond ASCII (MySQL manual, "Schema Object
/// Names").
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || (!c.is_ascii() && !c.is_whitespace())
}

fn word(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// `1`, `1.5`, `.5`, `1e-3`, `0x41`; or a name that begins with a digit.
fn number(rest: &str) -> (Kind, usize, bool) {
    let bytes = rest.as_bytes();
    let whole = digits(rest);
    if whole == 1 && bytes[0] == b'0' && matches!(bytes.get(1), Some(b'x' | b'b')) {
        let length = word(rest);
        let is_digit =
            |byte: &u8| if bytes[1] == b'x' { byte.is_ascii_hexdigit() } else { matches!(byte, b'0' | b'1') };
        if length > 2 && bytes[2..length].iter().all(is_digit) {
            return (Kind::Bits, length, true);
        }
    }
    let mut length = whole;
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(&rest[length + 1 + sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    match rest[length..].chars().next() {
        // `1st` is a name.
        Some(next) if is_word(next) && whole == length => (Kind::Word, word(rest), true),
        _ => (Kind::Number, length, true),
    }
}

fn variable(rest: &str, mode: Mode) -> (Kind, usize, bool) {
    let at = if rest.starts_with("@@") { 2 } else { 1 };
    if rest[at..].starts_with(['`', '\'', '"']) {
        let (length, closed) = quoted(rest, at, mode);
        return (Kind::Variable, length, closed);
    }
    let end = rest[at..].find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len() - at);
    (if end == 0 && at == 1 { Kind::Symbol } else { Kind::Variable }, at + end, true)
}

/// The length up to the end of the quoted piece that begins at a byte, and whether it ends. Doubled quotes and, but for names,
/// backslashes keep the next character inside.
fn quoted(text: &str, at: usize, mode: Mode) -> (usize, bool) {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let escapes = quote != b'`' && !mode.no_backslash_escapes;
    let mut place = at + 1;
    while let Some(&byte) = bytes.get(place) {
        place += 1;
        if byte == b'\\' && escapes {
            // A character of several bytes has none below 0x80 behind its first, so skipping one byte is enough.
            place += 1;
        } else if byte == quote {
            if bytes.get(place) != Some(&quote) {
                return (place, true);
            }
            place += 1;
        }
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(Kind, &str)> {
        tokens(text, Mode::default()).map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn every_kind_is_told_from_the_others() {
        use Kind::*;
        assert_eq!(
            found("SELECT `a``b`, 'it''s \\' x', \"y\" FROM t1 WHERE a>=-1.5e-3 AND b=.5 AND 1st=0x4F OR x'41'"),
            [
                (Word, "SELECT"),
                (Name, "`a``b`"),
                (Symbol, ","),
                (Text, "'it''s \\' x'"),
                (Symbol, ","),
                (Text, "\"y\""),
                (Word, "FROM"),
                (Word, "t1"),
                (Word, "WHERE"),
                (Word, "a"),
                (Symbol, ">"),
                (Symbol, "="),
                (Symbol, "-"),
                (Number, "1.5e-3"),
                (Word, "AND"),
                (Word, "b"),
                (Symbol, "="),
                (Number, ".5"),
                (Word, "AND"),
                (Word, "1st"),
                (Symbol, "="),
                (Bits, "0x4F"),
                (Word, "OR"),
                (Bits, "x'41'"),
            ]
        );
        assert_eq!(
            found("a /* no */ /*!50100 b */ /*+ MAX(1) */ -- c\n-1 @v := @@global.x ? :mail # d"),
            [
                (Word, "a"),
                (Comment, "/* no */"),
                (Conditional, "/*!50100"),
                (Word, "b"),
                (Conditional, "*/"),
                (Hint, "/*+ MAX(1) */"),
                (Comment, "-- c\n"),
                (Symbol, "-"),
                (Number, "1"),
                (Variable, "@v"),
                (Symbol, ":"),
                (Symbol, "="),
                (Variable, "@@global.x"),
                (Parameter, "?"),
                (Parameter, ":mail"),
                (Comment, "# d"),
            ]
        );
    }

    #[test]
    fn sql_mode_decides_what_quotes_and_backslashes_mean() {
        let ansi = Mode { ansi_quotes: true, no_backslash_escapes: true };
        let kinds: Vec<_> = tokens(r#"'a\' "b""c""#, ansi).map(|token| (token.kind, token.name())).collect();
        assert_eq!(kinds, [(Kind::Text, None), (Kind::Name, Some("b\"c".to_owned()))]);
    }

    #[test]
    fn what_is_cut_off_says_so() {
        for text in ["'a", "`a", "/* a", "x'4", "@'a", "'a\\"] {
            let last = tokens(text, Mode::default()).last().unwrap();
            assert!(!last.closed && last.end() == text.len(), "{text}: {last:?}");
        }
        assert_eq!(tokens("`ab", Mode::default()).next().unwrap().name().unwrap(), "ab");
    }

    proptest! {
        /// Whatever the text, tokens follow each other, and only white space is between them.
        #[test]
        fn tokens_cover_any_text(text in "[a1 '\"`\\\\/*!+@:?.x#\\-\né,()\u{3000}]{0,60}", ansi_quotes: bool, no_backslash_escapes: bool) {
            let mut at = 0;
            for token in tokens(&text, Mode { ansi_quotes, no_backslash_escapes }) {
                prop_assert!(token.start >= at && !token.text.is_empty());
                prop_assert!(text[at..token.start].trim().is_empty());
                let _ = token.name();
                at = token.end();
            }
            prop_assert!(text[at..].trim().is_empty());
        }
    }
}
