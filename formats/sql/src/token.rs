//! Tokenizer for SQL.

use crate::sql_mode::SqlMode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword or an unquoted name.
    Word,
    /// A name in backticks, or in double quotes under `ANSI_QUOTES`.
    QuotedName,
    /// A string in single quotes, or in double quotes without `ANSI_QUOTES`.
    StringLiteral,
    /// A number without sign.
    Number,
    /// `x'41'`, `0x41`, `b'01'`, `0b01`.
    HexOrBit,
    /// `@name`, `@@name`.
    Variable,
    /// `?` or `:name`.
    Parameter,
    /// The opening or closing mark of a conditional comment, `/*!50100` or `/*M!` and `*/`. The
    /// text between is tokens of its own, as the servers execute it.
    ConditionalComment,
    /// `/*+ … */`, an optimizer hint.
    Hint,
    Comment,
    /// Any other character.
    Symbol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    /// Source text, quotes included.
    pub text: &'a str,
    /// Byte offset in the text.
    pub start: usize,
    /// False if the text ends before the closing quote or the end of a comment.
    pub is_closed: bool,
}

impl Token<'_> {
    /// Returns true if the token is this keyword, in any letter case.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns true for what servers execute: false for comments, hints and the marks of
    /// conditional comments.
    pub fn is_content(&self) -> bool {
        !matches!(self.kind, TokenKind::Comment | TokenKind::Hint | TokenKind::ConditionalComment)
    }

    /// Returns true if the token is any of these keywords.
    pub fn is_any_keyword(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_keyword(word))
    }

    pub fn is_symbol(&self, symbol: char) -> bool {
        self.kind == TokenKind::Symbol && self.text.starts_with(symbol)
    }

    /// Returns the byte offset after the token.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns the name without quotes; `None` unless the token is a word or a quoted name.
    pub fn name(&self) -> Option<String> {
        match self.kind {
            TokenKind::Word => Some(self.text.to_owned()),
            TokenKind::QuotedName => {
                let quote = self.text.chars().next()?;
                let inner = &self.text[1..self.text.len() - usize::from(self.is_closed)];
                Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))
            }
            _ => None,
        }
    }
}

/// Returns the first number that servers read in different ways, among tokens without comments.
///
/// - Servers skip a number with an exponent but without its digits: MySQL 5.6 to 9.7 and MariaDB
///   10.2 read `sleep 1.e(1)`, `sleep .1e+(1)` as `sleep(1)`, and `victim 1.e.f()` as `victim.f()`.
/// - After a name, a number with a point is a name: `victim.1()` calls the function `1` of the
///   schema `victim`.
///
/// Such a number directly follows a name, or is directly followed by one. No usual statement has
/// one, so a reader that allows statements refuses it.
pub fn find_odd_number<'t, 's>(tokens: &'t [Token<'s>]) -> Option<&'t Token<'s>> {
    let is_name = |token: &Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::QuotedName);
    (0..tokens.len()).find_map(|at| {
        let token = tokens.get(at).filter(|token| token.kind == TokenKind::Number)?;
        let follows = at.checked_sub(1).is_some_and(|before| {
            let before = &tokens[before];
            is_name(before) && before.end() == token.start && token.text.starts_with('.')
        });
        let is_followed = tokens.get(at + 1).is_some_and(|next| is_name(next) && next.start == token.end());
        (follows || is_followed).then_some(token)
    })
}

/// Returns the tokens of a text, comments included. White space is not a token.
pub fn tokenize(text: &str, mode: SqlMode) -> impl Iterator<Item = Token<'_>> {
    let mut scanner = Scanner::new(mode);
    let mut at = 0;
    std::iter::from_fn(move || {
        let raw = scanner.peek(text.as_bytes(), at)?;
        scanner.accept(&raw);
        at = raw.end;
        Some(Token { kind: raw.kind, text: &text[raw.start..raw.end], start: raw.start, is_closed: raw.is_closed })
    })
}

/// Returns the tokens of a text without comments. Hints and the marks of conditional comments are
/// included.
pub fn tokenize_uncommented(text: &str, mode: SqlMode) -> Vec<Token<'_>> {
    tokenize(text, mode).filter(|token| token.kind != TokenKind::Comment).collect()
}

/// A token as a range of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawToken {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
    pub is_closed: bool,
    opens_comment: bool,
}

/// Reads tokens of bytes in UTF-8 or a single-byte superset of ASCII. Bytes from 0x80 occur only
/// within names, quotes and comments, so a token of a `str` is a `str`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner {
    mode: SqlMode,
    /// True between the marks of a conditional comment. Elsewhere, `*/` is two symbols.
    in_conditional: bool,
}

impl Scanner {
    pub fn new(mode: SqlMode) -> Self {
        Self { mode, in_conditional: false }
    }

    /// Returns the first token at or after a byte offset. `None` if only white space follows.
    pub fn peek(&self, bytes: &[u8], at: usize) -> Option<RawToken> {
        let rest = bytes.get(at..)?;
        let start = at + rest.iter().position(|byte| !is_space(*byte))?;
        let rest = &bytes[start..];
        let (kind, length, is_closed) = next(rest, *self);
        let opens_comment = kind == TokenKind::ConditionalComment && rest[0] == b'/';
        Some(RawToken { kind, start, end: start + length, is_closed, opens_comment })
    }

    /// Records whether a token of [`Scanner::peek`] opens or closes a conditional comment.
    pub fn accept(&mut self, token: &RawToken) {
        if token.kind == TokenKind::ConditionalComment {
            self.in_conditional = token.opens_comment;
        }
    }

    /// Closes a conditional comment that is still open, at the end of a statement.
    pub fn reset(&mut self) {
        self.in_conditional = false;
    }
}

/// Returns true for the servers' white space. Other white space of Unicode is part of a name.
fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

/// Returns the kind and the length in bytes of the token that `rest` begins with, and whether it is
/// closed.
fn next(rest: &[u8], scanner: Scanner) -> (TokenKind, usize, bool) {
    let mode = scanner.mode;
    let open = |kind, (length, closed)| (kind, length, closed);
    let whole = |kind, length| (kind, length, true);
    let second = rest.get(1).copied();
    match rest[0] {
        b'\'' => open(TokenKind::StringLiteral, quoted(rest, 0, !mode.no_backslash_escapes)),
        // A backslash in a name is a character of the name.
        b'"' if mode.ansi_quotes => open(TokenKind::QuotedName, quoted(rest, 0, false)),
        b'"' => open(TokenKind::StringLiteral, quoted(rest, 0, !mode.no_backslash_escapes)),
        b'`' => open(TokenKind::QuotedName, quoted(rest, 0, false)),
        // MySQL prints expressions with a backslash before each quote: `_utf8mb4\'a\'`.
        b'\\' if second == Some(b'\'') => match find(&rest[2..], b"\\'") {
            Some(end) => whole(TokenKind::StringLiteral, end + 4),
            None => (TokenKind::StringLiteral, rest.len(), false),
        },
        b'#' => whole(TokenKind::Comment, line_length(rest)),
        // Two hyphens begin a comment only before a space or a control character, or at the end
        // (MySQL manual, "'--' as the Start of a Comment"). 0x7F is one (MySQL 5.6 to 9.7, MariaDB
        // 10.1 to 11.8).
        b'-' if second == Some(b'-') && rest.get(2).is_none_or(|byte| *byte == b' ' || byte.is_ascii_control()) => {
            whole(TokenKind::Comment, line_length(rest))
        }
        b'/' if second == Some(b'*') => comment(rest),
        b'*' if second == Some(b'/') && scanner.in_conditional => whole(TokenKind::ConditionalComment, 2),
        b'@' => variable(rest, mode),
        b'?' => whole(TokenKind::Parameter, 1),
        b':' if second.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') => {
            whole(TokenKind::Parameter, 1 + word_length(&rest[1..]))
        }
        b'x' | b'X' | b'b' | b'B' if second == Some(b'\'') => {
            open(TokenKind::HexOrBit, quoted(rest, 1, !mode.no_backslash_escapes))
        }
        b'0'..=b'9' => number(rest),
        b'.' if second.is_some_and(|byte| byte.is_ascii_digit()) => number(rest),
        first if is_word(first) => whole(TokenKind::Word, word_length(rest)),
        _ => whole(TokenKind::Symbol, 1),
    }
}

/// Reads a comment, or the opening mark of a conditional one. No server executes comments for
/// version 99.99.99: MariaDB's dumps begin with `/*M!999999\- enable the sandbox mode */`.
fn comment(rest: &[u8]) -> (TokenKind, usize, bool) {
    let mark = match rest {
        [_, _, b'!', ..] => Some(3),
        [_, _, b'M', b'!', ..] => Some(4),
        _ => None,
    };
    if let Some(mark) = mark {
        let version = digit_count(&rest[mark..]);
        if &rest[mark..mark + version] != b"999999" {
            return (TokenKind::ConditionalComment, mark + version, true);
        }
        let (length, is_closed) = skipped_comment(rest, mark + version);
        return (TokenKind::Comment, length, is_closed);
    }
    let kind = if rest.get(2) == Some(&b'+') { TokenKind::Hint } else { TokenKind::Comment };
    match find(&rest[2..], b"*/") {
        Some(end) => (kind, end + 4, true),
        None => (kind, rest.len(), false),
    }
}

/// Returns the length of a conditional comment that servers skip, and whether it is closed. `at` is
/// the offset after its mark. `/*` within it begins a comment with an end of its own, in which a
/// further `/*` has no meaning (MySQL 5.6 to 9.7, MariaDB 10.1 to 11.8).
fn skipped_comment(rest: &[u8], mut at: usize) -> (usize, bool) {
    while let Some(end) = find(&rest[at..], b"*/") {
        // In `/*/`, the asterisk belongs to the beginning.
        let Some(inner) = find(&rest[at..=at + end], b"/*") else {
            return (at + end + 2, true);
        };
        at += inner + 2;
        match find(&rest[at..], b"*/") {
            Some(end) => at += end + 2,
            None => break,
        }
    }
    (rest.len(), false)
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

/// Returns true for bytes of unquoted names: ASCII letters, digits, `$`, `_` and non-ASCII
/// characters (MySQL manual, "Schema Object Names").
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len())
}

fn digit_count(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn line_length(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1)
}

/// Reads `1`, `1.5`, `.5`, `1e-3` or `0x41`, or a name that begins with a digit.
fn number(bytes: &[u8]) -> (TokenKind, usize, bool) {
    let whole = digit_count(bytes);
    if whole == 1 && bytes[0] == b'0' && matches!(bytes.get(1), Some(b'x' | b'b')) {
        let length = word_length(bytes);
        let is_digit =
            |byte: &u8| if bytes[1] == b'x' { byte.is_ascii_hexdigit() } else { matches!(byte, b'0' | b'1') };
        if length > 2 && bytes[2..length].iter().all(is_digit) {
            return (TokenKind::HexOrBit, length, true);
        }
    }
    let mut length = whole;
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digit_count(&bytes[length + 1..]);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, digit_count);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    match bytes.get(length) {
        // `1st` is a name.
        Some(next) if is_word(*next) && whole == length => (TokenKind::Word, word_length(bytes), true),
        _ => (TokenKind::Number, length, true),
    }
}

fn variable(bytes: &[u8], mode: SqlMode) -> (TokenKind, usize, bool) {
    let at = if bytes.get(1) == Some(&b'@') { 2 } else { 1 };
    if let Some(quote @ (b'`' | b'\'' | b'"')) = bytes.get(at) {
        // A backslash escapes in a string, not in a name: one in backticks, or under ANSI_QUOTES in
        // `"…"` (MariaDB 11.8, MySQL 9.7).
        let is_name = *quote == b'`' || *quote == b'"' && mode.ansi_quotes;
        let (length, closed) = quoted(bytes, at, !is_name && !mode.no_backslash_escapes);
        return (TokenKind::Variable, length, closed);
    }
    let name = bytes[at..].iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    (if name == 0 && at == 1 { TokenKind::Symbol } else { TokenKind::Variable }, at + name, true)
}

/// Returns the length in bytes up to the end of the quoted part that begins at byte `at`, and
/// whether it is closed. A doubled quote doesn't end the part. Neither does a quote after a
/// backslash if there are escapes.
fn quoted(bytes: &[u8], at: usize, escapes: bool) -> (usize, bool) {
    let quote = bytes[at];
    // Without escapes, the quote is searched for twice, which changes nothing.
    let special = if escapes { b'\\' } else { quote };
    let mut place = at + 1;
    while let Some(found) = bytes.get(place..).and_then(|rest| memchr::memchr2(quote, special, rest)) {
        place += found + 1;
        if bytes[place - 1] != quote {
            // Continuation bytes of UTF-8 are never a quote or a backslash, so skipping one byte
            // suffices.
            place += 1;
        } else if bytes.get(place) == Some(&quote) {
            place += 1;
        } else {
            return (place, true);
        }
    }
    (bytes.len(), false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(TokenKind, &str)> {
        tokenize(text, SqlMode::default()).map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn distinguishes_kinds_of_tokens() {
        use TokenKind::*;
        assert_eq!(
            found("SELECT `a``b`, 'it''s \\' x', \"y\" FROM t1 WHERE a>=-1.5e-3 AND b=.5 AND 1st=0x4F OR x'41'"),
            [
                (Word, "SELECT"),
                (QuotedName, "`a``b`"),
                (Symbol, ","),
                (StringLiteral, "'it''s \\' x'"),
                (Symbol, ","),
                (StringLiteral, "\"y\""),
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
                (HexOrBit, "0x4F"),
                (Word, "OR"),
                (HexOrBit, "x'41'"),
            ]
        );
        assert_eq!(
            found("a /* no */ /*!50100 b */ /*+ MAX(1) */ -- c\n-1 @v := @@global.x ? :mail # d"),
            [
                (Word, "a"),
                (Comment, "/* no */"),
                (ConditionalComment, "/*!50100"),
                (Word, "b"),
                (ConditionalComment, "*/"),
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
    fn control_characters_after_hyphens_begin_a_comment() {
        for byte in (0..=b' ').chain([0x7F]) {
            let text = format!("--{}x", char::from(byte));
            assert_eq!(found(&text)[0].0, TokenKind::Comment, "{text:?}");
        }
        for text in ["--x", "--'x'", "--\u{a0}"] {
            assert_eq!(found(text)[0].0, TokenKind::Symbol, "{text:?}");
        }
    }

    #[test]
    fn comments_in_skipped_comments_have_an_end_of_their_own() {
        for text in [
            "/*!999999 ' */",
            "/*M!999999\\- enable the sandbox mode */",
            "/*!999999 /* */ ' */",
            "/*M!999999 /* */ ' */",
            "/*!999999 /* /* */ */",
            "/*!999999 /* a */ /* b */ ' */",
            "/*!999999 /*/ ' */ */",
            "/* /* */",
            "/*/ ' */",
        ] {
            assert_eq!(found(&format!("{text} x")), [(TokenKind::Comment, text), (TokenKind::Word, "x")]);
        }
        for text in ["/*!999999 /* */", "/*!999999 /*/ */", "/*!999999 /*"] {
            assert!(!tokenize(text, SqlMode::default()).last().unwrap().is_closed, "{text}");
        }
    }

    #[test]
    fn quotes_and_backslashes_follow_the_sql_mode() {
        let ansi = SqlMode { ansi_quotes: true, no_backslash_escapes: true };
        let kinds: Vec<_> = tokenize(r#"'a\' "b""c""#, ansi).map(|token| (token.kind, token.name())).collect();
        assert_eq!(kinds, [(TokenKind::StringLiteral, None), (TokenKind::QuotedName, Some("b\"c".to_owned()))]);
        let modes = [SqlMode { ansi_quotes: true, ..SqlMode::default() }, SqlMode::default()];
        for (mode, variable) in modes.into_iter().zip([r#"@"\""#, r#"@"\" = SLEEP(9), @""#]) {
            let first = tokenize(r#"@"\" = SLEEP(9), @" = 2"#, mode).next().unwrap();
            assert_eq!((first.kind, first.text), (TokenKind::Variable, variable));
        }
    }

    #[test]
    fn finds_numbers_that_servers_skip_or_read_as_names() {
        let find = |text: &str| {
            let tokens: Vec<_> = tokenize(text, SqlMode::default()).collect();
            find_odd_number(&tokens).map(|token| token.text.to_owned())
        };
        for sign in ["", "+", "-"] {
            for number in ["1.", "11.", ".1", "1.1"] {
                for letter in ["e", "E"] {
                    let text = format!("SELECT sleep {number}{letter}{sign}(1)");
                    assert_eq!(find(&text).as_deref(), Some(number), "{text}");
                }
            }
        }
        for text in ["SELECT victim.1()", "SELECT `victim`.1e()", "SELECT k FROM a.1b", "SELECT 1.5x", "SELECT 1.`x`"] {
            assert!(find(text).is_some(), "{text}");
        }
        for text in [
            "SELECT 1., .5, -1.5e-3, 1.e5 x FROM t1 WHERE a>.5 AND b IN (.1,1.)",
            "FOR i IN 1..10 DO",
            "SELECT 1st FROM 2nd LIMIT 1,2",
            "SELECT a .5",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn marks_truncated_tokens() {
        for text in ["'a", "`a", "/* a", "x'4", "@'a", "'a\\"] {
            let last = tokenize(text, SqlMode::default()).last().unwrap();
            assert!(!last.is_closed && last.end() == text.len(), "{text}: {last:?}");
        }
        assert_eq!(tokenize("`ab", SqlMode::default()).next().unwrap().name().unwrap(), "ab");
    }

    proptest! {
        /// Tokens cover a text in order, with only white space between them.
        #[test]
        fn tokens_cover_any_text(text in "[a1 '\"`\\\\/*!+@:?.x#\\-\n\u{7f}é,()\u{3000}]{0,60}", ansi_quotes: bool, no_backslash_escapes: bool) {
            let mut at = 0;
            for token in tokenize(&text, SqlMode { ansi_quotes, no_backslash_escapes }) {
                prop_assert!(token.start >= at && !token.text.is_empty());
                prop_assert!(text[at..token.start].bytes().all(is_space));
                let _ = token.name();
                at = token.end();
            }
            prop_assert!(text[at..].bytes().all(is_space));
        }
    }
}
