//! Calls of functions that are compared with literals.

use sql::{Token, TokenKind};

use super::comparison::{continues_expression, operator_length};

/// A call of a function, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub schema: Option<String>,
    pub name: String,
}

/// A call that is compared with a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralComparison<'t> {
    pub call: Call,
    /// The first literal, in its quotes.
    pub literal: &'t str,
    /// Number of operands, the call included: 3 for `f(a) IN ('x', 'y')`.
    pub operands: usize,
}

/// Finds `f(…) = 'x'`, `'x' = s.f(…)`, `f(…) LIKE 'x'` and `f(…) IN ('x', …)`. Takes tokens without
/// comments.
pub fn find_literal_comparisons<'t>(tokens: &[Token<'t>]) -> Vec<LiteralComparison<'t>> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let Some((call, begin, end)) = call_at(tokens, at) else { continue };
        let compared = literal_after(tokens, end).or_else(|| Some((literal_before(tokens, begin)?, 2)));
        let compared = compared.filter(|_| !continues_expression(tokens, end));
        found.extend(compared.map(|(literal, operands)| LiteralComparison { call, literal, operands }));
    }
    found
}

/// Reads the call whose name is at `at`. Returns the position of its first token, and the position
/// after its last token, too.
fn call_at(tokens: &[Token<'_>], at: usize) -> Option<(Call, usize, usize)> {
    let name = tokens[at].name()?;
    let inside = tokens.get(at + 2..).filter(|_| tokens[at + 1].is_symbol('('))?;
    let end = at + 3 + sql::closing_parenthesis(inside)?;
    let is_qualified = at >= 2 && tokens[at - 1].is_symbol('.');
    let schema = if is_qualified { tokens[at - 2].name() } else { None };
    let begin = if is_qualified { at - 2 } else { at };
    Some((Call { schema, name }, begin, end))
}

/// Returns the literal after an operator or `IN (` at `end`, and the number of operands.
fn literal_after<'t>(tokens: &[Token<'t>], end: usize) -> Option<(&'t str, usize)> {
    if let Some(length) = operator_length(tokens, end) {
        return Some((literal_at(tokens, end + length)?, 2));
    }
    let list = end + usize::from(tokens.get(end)?.is_keyword("not"));
    let inside = tokens.get(list + 2..).filter(|_| tokens[list].is_keyword("in") && tokens[list + 1].is_symbol('('))?;
    let inside = &inside[..sql::closing_parenthesis(inside)?];
    let commas = inside.iter().filter(|token| token.is_symbol(',')).count();
    Some((literal_at(inside, 0)?, commas + 2))
}

fn literal_before<'t>(tokens: &[Token<'t>], begin: usize) -> Option<&'t str> {
    let literal =
        (begin.saturating_sub(4)..begin).find(|at| operator_length(tokens, at + 1) == Some(begin - at - 1))?;
    let has_introducer = literal > 0 && tokens[literal - 1].text.starts_with('_');
    literal_at(tokens, literal).filter(|_| !has_introducer)
}

/// Returns the literal at a position. `None` before COLLATE or a calculation, and for the position
/// of an introducer, which is a token of its own.
fn literal_at<'t>(tokens: &[Token<'t>], at: usize) -> Option<&'t str> {
    let literal = tokens.get(at).filter(|token| token.kind == TokenKind::StringLiteral)?;
    (!continues_expression(tokens, at + 1)).then_some(literal.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    #[test]
    fn finds_calls_beside_literals() {
        let found = |text: &str| {
            let tokens = tokens(text);
            let show = |one: LiteralComparison<'_>| format!("{} {} {}", one.call.name, one.literal, one.operands);
            find_literal_comparisons(&tokens).into_iter().map(show).collect::<Vec<_>>()
        };
        for text in ["IF part(a, '|') = '9' THEN", "SELECT '9' <=> shop.part(a)", "WHERE part(f(a)) NOT LIKE '9'"] {
            assert_eq!(found(text), ["part '9' 2"], "{text}");
        }
        assert_eq!(found("WHERE `part`(a) NOT IN ('9', b)"), ["part '9' 3"]);
        for text in
            ["part(a) = b", "part(a) = _latin1'9'", "part(a) COLLATE utf8mb4_bin = '9'", "part(a) = '9' COLLATE x"]
        {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
