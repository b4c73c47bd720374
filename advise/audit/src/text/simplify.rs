//! Calls whose result is compared as a name would be: CONVERT, CAST, and functions such as UPPER
//! that pass on the collation of a name.

use sql::Token;
use sql::TokenKind;

/// Maximum number of calls of [`PASSING`] around one that is read.
const MAX_NESTED_CALLS: usize = 50;

/// Functions whose result has the collation of the first argument.
const PASSING: [&str; 13] = [
    "upper",
    "ucase",
    "lower",
    "lcase",
    "trim",
    "ltrim",
    "rtrim",
    "left",
    "right",
    "substring",
    "substr",
    "mid",
    "reverse",
];

/// A CONVERT or CAST to text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedText {
    /// The call as written: `CONVERT(a USING utf8mb4)`.
    pub text: String,
    /// `None` for `CAST(a AS CHAR)`, whose result has the collation of the connection.
    pub charset: Option<String>,
}

/// The tokens of a statement with names in place of calls.
#[derive(Debug)]
pub struct Simplified<'t> {
    pub tokens: Vec<Token<'t>>,
    /// The CONVERT and CAST that each are one name among the tokens.
    pub converted: Vec<ConvertedText>,
    /// Byte offsets of the names that stand in place of a call.
    pub arguments: Vec<usize>,
}

/// Returns the tokens of a text with names in place of calls: the first argument of a function of
/// [`PASSING`], if it is a name, and each CONVERT or CAST to text as one token. `TRIM(a) = CAST(b
/// AS CHAR)` becomes the three tokens `a`, `=` and `CAST(b AS CHAR)`.
///
/// Calls of [`PASSING`] nested deeper than [`MAX_NESTED_CALLS`] stay as they are. CONVERT and CAST
/// stay unless `reads_conversions`.
pub fn simplify_calls<'t>(text: &'t str, tokens: &[Token<'t>], reads_conversions: bool) -> Simplified<'t> {
    let mut reader = Reader { text, reads_conversions, converted: Vec::new(), arguments: Vec::new() };
    let tokens = reader.simplify(tokens, 0);
    Simplified { tokens, converted: reader.converted, arguments: reader.arguments }
}

struct Reader<'t> {
    text: &'t str,
    reads_conversions: bool,
    converted: Vec<ConvertedText>,
    arguments: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn simplify(&mut self, tokens: &[Token<'t>], depth: usize) -> Vec<Token<'t>> {
        let mut simple = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let passes = token.is_any_keyword(&PASSING) && depth < MAX_NESTED_CALLS;
            let converts = token.is_any_keyword(&["convert", "cast"]) && self.reads_conversions;
            let inside = if passes || converts { arguments(tokens, at) } else { None };
            let Some(inside) = inside else {
                simple.push(*token);
                at += 1;
                continue;
            };
            let end = at + inside.len() + 3;
            if passes {
                let inner = self.simplify(inside, depth + 1);
                match first_name(&inner) {
                    Some(name) => {
                        self.arguments.extend(name.first().map(|first| first.start));
                        simple.extend_from_slice(name);
                    }
                    None => {
                        simple.extend_from_slice(&tokens[at..at + 2]);
                        simple.extend(inner);
                        simple.push(tokens[end - 1]);
                    }
                }
                at = end;
            } else if let Some(name) = self.read_conversion(&tokens[at..end], inside) {
                simple.push(name);
                at = end;
            } else {
                simple.push(*token);
                at += 1;
            }
        }
        simple
    }

    /// Reads a CONVERT or CAST to text. Returns the whole call as one name. `None` for other types.
    fn read_conversion(&mut self, call: &[Token<'t>], inside: &[Token<'t>]) -> Option<Token<'t>> {
        let using = inside.iter().rposition(|token| token.is_any_keyword(&["using", "as"]))?;
        let charset = match inside[using].is_keyword("using") {
            true => Some(inside.get(using + 1)?.name()?),
            false if inside.get(using + 1)?.is_keyword("char") => named_charset(&inside[using + 2..]),
            false => return None,
        };
        if charset.as_deref().is_some_and(|charset| charset.eq_ignore_ascii_case("binary")) {
            return None;
        }
        let (start, end) = (call[0].start, call[call.len() - 1].end());
        let text = self.text.get(start..end)?;
        self.converted.push(ConvertedText { text: text.to_owned(), charset });
        Some(Token { kind: TokenKind::Word, text, start, is_closed: true })
    }
}

/// Returns the tokens within the parentheses of a call of the function at `at`. `None` if none
/// follow.
fn arguments<'s, 't>(tokens: &'s [Token<'t>], at: usize) -> Option<&'s [Token<'t>]> {
    let inside = tokens.get(at + 2..).filter(|_| tokens[at + 1].is_symbol('('))?;
    Some(&inside[..sql::closing_parenthesis(inside)?])
}

/// Returns the name after CHARACTER SET or CHARSET.
fn named_charset(tokens: &[Token<'_>]) -> Option<String> {
    let at = tokens.iter().position(|token| token.is_any_keyword(&["set", "charset"]))?;
    tokens.get(at + 1)?.name()
}

/// Returns the first argument of a function if it is one name.
fn first_name<'s, 't>(arguments: &'s [Token<'t>]) -> Option<&'s [Token<'t>]> {
    let end = arguments.iter().position(|token| token.is_symbol(',')).unwrap_or(arguments.len());
    let name = &arguments[..end];
    let is_name = |(at, token): (usize, &Token<'_>)| {
        if at % 2 == 1 { token.is_symbol('.') } else { token.name().is_some() }
    };
    (name.len() % 2 == 1 && name.iter().enumerate().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simplified(text: &str, reads_conversions: bool) -> (String, Vec<ConvertedText>) {
        let simple = simplify_calls(text, &crate::text::tokens(text), reads_conversions);
        let words: Vec<&str> = simple.tokens.iter().map(|token| token.text).collect();
        (words.join(" "), simple.converted)
    }

    #[test]
    fn calls_become_names() {
        let (text, converted) = simplified("UPPER(TRIM(x.a)) = CONVERT(f(b) USING utf8mb4)", true);
        assert_eq!(text, "x . a = CONVERT(f(b) USING utf8mb4)");
        assert_eq!(converted[0].charset.as_deref(), Some("utf8mb4"));
        let (text, converted) = simplified("a IN (LOWER(CAST(b AS CHAR(9)))) OR LEFT(a, 3) = c", true);
        assert_eq!((text.as_str(), converted.len()), ("a IN ( CAST(b AS CHAR(9)) ) OR a = c", 1));
        assert_eq!(converted[0].charset, None);
        for text in ["CAST ( a AS SIGNED )", "CONVERT ( a USING binary )", "UPPER ( a + b )", "a LEFT JOIN b"] {
            assert_eq!(simplified(text, true), (text.to_owned(), Vec::new()));
        }
        assert_eq!(simplified("CONVERT(a USING utf8mb4)", false).1, []);
    }

    #[test]
    fn nested_calls_are_read_to_a_depth() {
        let text = format!("{}a{}", "TRIM(".repeat(1000), ")".repeat(1000));
        assert!(simplified(&text, true).0.starts_with("TRIM ( TRIM"));
    }
}
