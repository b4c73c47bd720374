//! Statements as UTF-8. Of a text with other bytes, a server is told the character set.

use sql::{SqlMode, Token, TokenKind, hex_bytes, tokenize};

/// Reader of the statements of a session, which follows its `SET NAMES`.
#[derive(Clone, Debug, Default)]
pub struct ClientText {
    /// Character set of the last `SET NAMES`, in lower case. Empty before the first.
    charset: String,
}

impl ClientText {
    /// Returns a statement of [`sql::read_bytes`] in UTF-8. A literal with other bytes is written in
    /// hexadecimal, with its introducer or the session's character set. Fails without either, and if
    /// other parts than literals and comments have such bytes.
    pub fn read(&mut self, statement: &str) -> Result<String, &'static str> {
        if !sql::has_bytes(statement) {
            self.charset = client_charset(statement).unwrap_or(std::mem::take(&mut self.charset));
        } else if let Some(reason) = unreadable(statement, &self.charset) {
            return Err(reason);
        }
        Ok(hex_bytes(statement, SqlMode::default(), &self.charset).into_owned())
    }
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
                "a text has bytes that are no UTF-8, and neither SET NAMES nor an introducer names a character set that has them",
            );
        }
        previous = Some(token);
    }
    None
}

/// Statements of a file that [`ClientText`] cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub count: u64,
    /// Place of the first.
    pub first: String,
    /// Reason of the first.
    pub reason: &'static str,
}

impl Unreadable {
    /// Counts a further statement.
    pub fn add(all: &mut Option<Self>, place: &str, reason: &'static str) {
        all.get_or_insert_with(|| Self { count: 0, first: place.to_owned(), reason }).count += 1;
    }

    /// Returns `2 statements of slow.log`.
    pub fn title(&self, file: &str) -> String {
        format!("{} of {file}", message::count_noun(self.count, "statement"))
    }

    /// Returns the reason, and the place of the first.
    pub fn explanation(&self) -> String {
        format!("{} (first {})", self.reason, self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_the_character_set_of_the_session() {
        let mut client = ClientText::default();
        let mut read = |bytes: &[u8]| client.read(&sql::read_bytes(bytes));
        assert_eq!(read(b"SELECT _latin1 '\xE4' -- \xE4").unwrap(), "SELECT _latin1 X'E4' -- \u{FFFD}");
        assert!(read(b"SELECT '\xE4'").unwrap_err().starts_with("a text"));
        assert_eq!(read(b"SET NAMES latin1").unwrap(), "SET NAMES latin1");
        assert_eq!(read(b"SELECT '\xE4'").unwrap(), "SELECT _latin1 X'E4'");
        assert!(read(b"SELECT `\xE4` FROM t").unwrap_err().starts_with("a name"));
        assert_eq!(read(b"SET CHARACTER SET 'GBK'").unwrap(), "SET CHARACTER SET 'GBK'");
        assert!(read(b"SELECT '\xE4'").unwrap_err().starts_with("a text"));
    }
}
