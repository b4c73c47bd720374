//! Literals that become parameters.

use super::context::Context;
use crate::quote::unquote_string;
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind};
use crate::value::Value;

/// Reads the literal, or the list of literals after `IN (`, that a parameter can replace. Returns
/// its value and its number of tokens.
pub(super) fn parse_parameter(
    tokens: &[Token<'_>],
    at: usize,
    context: &Context<'_, '_>,
    mode: SqlMode,
) -> Option<(Value, usize)> {
    if !context.may_be_parameter(at) {
        return None;
    }
    if let Some((members, length)) = parse_list(tokens, at, context, mode) {
        return Some((Value::List(members), length));
    }
    parse_literal(tokens, at, context, mode)
}

/// Reads a list after `IN (` up to its closing parenthesis, if all members are literals of one
/// type.
fn parse_list(
    tokens: &[Token<'_>],
    at: usize,
    context: &Context<'_, '_>,
    mode: SqlMode,
) -> Option<(Vec<Value>, usize)> {
    let opens = at.checked_sub(2).is_some_and(|back| tokens[back].is_keyword("in") && tokens[at - 1].is_symbol('('));
    if !opens {
        return None;
    }
    let (mut members, mut place) = (Vec::new(), at);
    loop {
        let (value, length) = parse_literal(tokens, place, context, mode)?;
        members.push(value);
        place += length;
        let next = tokens.get(place)?;
        if next.is_symbol(')') {
            break;
        }
        if !next.is_symbol(',') {
            return None;
        }
        place += 1;
    }
    let same = members.windows(2).all(|pair| std::mem::discriminant(&pair[0]) == std::mem::discriminant(&pair[1]));
    same.then_some((members, place - at))
}

/// Reads a literal with its sign.
fn parse_literal(tokens: &[Token<'_>], at: usize, context: &Context<'_, '_>, mode: SqlMode) -> Option<(Value, usize)> {
    let token = tokens.get(at)?;
    match token.kind {
        // Adjacent string literals are one string, which stays in the text.
        TokenKind::StringLiteral if tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::StringLiteral) => {
            None
        }
        TokenKind::StringLiteral => Some((Value::Text(unquote_string(token.text, mode)), 1)),
        TokenKind::Number => Some((parse_number(token.text, false), 1)),
        TokenKind::Symbol if token.is_symbol('-') && context.is_sign(at) => {
            let next = tokens.get(at + 1).filter(|next| next.kind == TokenKind::Number)?;
            Some((parse_number(next.text, true), 2))
        }
        TokenKind::HexOrBit => Some((Value::Bytes(parse_hex(token.text)?), 1)),
        _ => None,
    }
}

fn parse_number(text: &str, negative: bool) -> Value {
    let text = if negative { format!("-{text}") } else { text.to_owned() };
    if text.contains(['e', 'E']) {
        return Value::Float(text);
    }
    // Leading zeros are lost: `007` becomes `7`, the same number.
    match text.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => Value::Decimal(text),
    }
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits = match text.as_bytes() {
        [b'0', b'x', digits @ ..] | [b'x' | b'X', b'\'', digits @ .., b'\''] => digits,
        _ => return None,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let even = digits.len().is_multiple_of(2);
    let pairs = even.then(|| digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)))?;
    pairs.collect()
}
