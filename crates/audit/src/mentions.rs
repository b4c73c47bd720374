//! What a statement says of character sets and collations.

use sql::{Kind, Mode, Token, tokens};

/// Something in a statement that names a character set or a collation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mention {
    /// `COLLATE name`.
    Collate(String),
    /// `_charset'…'`.
    Introducer(String),
    /// `CONVERT(… USING charset)`.
    Using(String),
    /// `CHARACTER SET charset`, `CHARSET charset`, in a definition or a `CAST`.
    Charset(String),
    /// `SET NAMES charset`.
    SetNames(String),
}

impl std::fmt::Display for Mention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mention::Collate(name) => write!(f, "COLLATE {name}"),
            Mention::Introducer(name) => write!(f, "_{name}'…'"),
            Mention::Using(name) => write!(f, "CONVERT(… USING {name})"),
            Mention::Charset(name) => write!(f, "CHARACTER SET {name}"),
            Mention::SetNames(name) => write!(f, "SET NAMES {name}"),
        }
    }
}

impl Mention {
    /// The name of the collation, where it is one.
    pub fn collation(&self) -> Option<&str> {
        match self {
            Mention::Collate(name) => Some(name),
            _ => None,
        }
    }
}

/// The tokens of a text without comments; the content of `/*! … */`, which the servers execute, is among them.
fn read(text: &str) -> Vec<Token<'_>> {
    tokens(text, Mode::default()).filter(|token| !matches!(token.kind, Kind::Comment | Kind::Conditional)).collect()
}

/// What a statement or an expression says of character sets and collations, each once, in the order of the text.
pub fn mentions(text: &str) -> Vec<Mention> {
    let tokens = read(text);
    let mut found: Vec<Mention> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
        let next = tokens.get(at + 1);
        let mention = match token.text.to_ascii_lowercase().as_str() {
            "collate" => name_after(&tokens, at).map(Mention::Collate),
            "using" if is_convert(&tokens, at) => name_after(&tokens, at).map(Mention::Using),
            "charset" => name_after(&tokens, at).map(Mention::Charset),
            "set" if word_at(&tokens, at.wrapping_sub(1), &["character", "char"]) => {
                name_after(&tokens, at).map(Mention::Charset)
            }
            "names" if word_at(&tokens, at.wrapping_sub(1), &["set"]) => name_after(&tokens, at).map(Mention::SetNames),
            lower if lower.starts_with('_') && is_introducer(lower, next) => {
                Some(Mention::Introducer(lower[1..].to_owned()))
            }
            _ => None,
        };
        if let Some(mention) = mention.filter(|mention| !found.contains(mention)) {
            found.push(mention);
        }
    }
    found
}

fn word_at(tokens: &[Token<'_>], at: usize, words: &[&str]) -> bool {
    tokens.get(at).is_some_and(|token| token.is_any(words))
}

/// The name behind a keyword, an equals sign between them left out.
fn name_after(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let mut after = tokens[at + 1..].iter().skip_while(|token| token.is_symbol('='));
    let token = after.next()?;
    match token.kind {
        Kind::Text => Some(token.text.trim_matches(['\'', '"']).to_lowercase()),
        _ => token.name().map(|name| name.to_lowercase()),
    }
}

/// Whether `USING` stands in a `CONVERT(…)`, not in a join or a window. A character set is known by its name.
fn is_convert(tokens: &[Token<'_>], at: usize) -> bool {
    name_after(tokens, at).is_some_and(|name| rules::charset::max_bytes(&name).is_some())
}

/// `_utf8mb4'…'`, `_binary X'…'`; a name that begins with an underscore is none.
fn is_introducer(word: &str, next: Option<&Token<'_>>) -> bool {
    let is_literal = next.is_some_and(|token| matches!(token.kind, Kind::Text | Kind::Bits));
    is_literal && rules::charset::max_bytes(&word[1..]).is_some()
}

/// Names of schemas that are written in front of a dot: `log.entries`.
pub fn schemas_named(text: &str) -> Vec<String> {
    let tokens = read(text);
    let mut names = Vec::new();
    for pair in tokens.windows(3) {
        if pair[1].is_symbol('.') {
            let Some(name) = pair[0].name() else { continue };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        mentions(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_written_is_found() {
        assert_eq!(
            found("SELECT a FROM t ORDER BY a COLLATE utf8_bin, `b` collate 'latin1_bin'"),
            ["COLLATE utf8_bin", "COLLATE latin1_bin"]
        );
        assert_eq!(
            found("select _utf8mb4'x', _latin1 x'E4', _binary 0xE4"),
            ["_utf8mb4'…'", "_latin1'…'", "_binary'…'"]
        );
        assert_eq!(found("select convert(a using latin1) from t join u using (id)"), ["CONVERT(… USING latin1)"]);
        assert_eq!(
            found("SET NAMES utf8; cast(a as char character set utf8)"),
            ["SET NAMES utf8", "CHARACTER SET utf8"]
        );
        assert_eq!(
            found("create table t (a text) default charset=latin1 collate = latin1_bin"),
            ["CHARACTER SET latin1", "COLLATE latin1_bin"]
        );
    }

    #[test]
    fn expressions_are_read_as_mysql_prints_them() {
        let printed = r"(concat(`a`,_latin1\'x collate y\') collate utf8mb4_bin)";
        assert_eq!(found(printed), ["_latin1'…'", "COLLATE utf8mb4_bin"]);
    }

    #[test]
    fn text_comments_and_names_are_no_mentions() {
        for text in [
            "select 'COLLATE utf8_bin', \"it''s collate x\"",
            "-- collate utf8_bin\nselect 1 # collate x",
            "select /* collate utf8_bin */ `collate x` from _utf8",
            "select 'a\\' collate utf8_bin'",
            "select _private, _utf8 from t using (latin2x)",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
        assert_eq!(found("/*!50100 collate utf8_bin */"), ["COLLATE utf8_bin"]);
    }

    #[test]
    fn schemas_stand_before_dots() {
        assert_eq!(
            schemas_named("insert into `log`.entries select new.id, other . x from 'a.b'"),
            ["log", "new", "other"]
        );
    }
}
