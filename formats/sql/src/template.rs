//! Templates: a statement's text with a named parameter in place of each literal that can be one.
//!
//! Calls have the same key ([`Template::key`]) if they differ only in
//!
//! - values of the same types. `code = 5` and `code = '5'` are two templates: the server compares
//!   them in two ways.
//! - ordinary comments and white space.
//! - the lengths of lists in `IN (…)` whose members are literals of one type.
//!
//! Literals that no parameter may replace stay in the text: ordinals in `ORDER BY 2`, lengths of
//! types in `CAST` and `CONVERT`, JSON paths after `->`, strings with an introducer, aliases.

mod context;
mod literals;
mod writer;

use context::Context;
use literals::parse_parameter;
use writer::TemplateWriter;

use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};
use crate::value::Value;

/// A literal that a parameter replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name without the colon: the column that the literal is compared with, assigned to or
    /// inserted into, the function whose first argument it is, `limit`, `offset`, or `p`. A
    /// repeated name gets a number: `mail_2`.
    pub name: String,
    pub value: Value,
}

/// A statement's text with its literals replaced by parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The statement without ordinary comments and without a final semicolon, `:name` for each
    /// parameter.
    pub text: String,
    /// Tokens of the statement with the type of each parameter. Calls of one template have the same
    /// key.
    pub key: String,
    /// Parameters in the order of the text.
    pub parameters: Vec<Parameter>,
    /// Number of `?` in the statement. Their values are unknown.
    pub placeholders: usize,
}

/// Returns a statement's template; `None` if the text ends within a literal, a quoted name or a
/// comment.
pub fn extract_template(text: &str, mode: SqlMode) -> Option<Template> {
    let all: Vec<Token<'_>> = tokenize(text, mode).collect();
    if all.iter().any(|token| !token.is_closed) {
        return None;
    }
    let mut writer = TemplateWriter::new(text);
    let tokens: Vec<Token<'_>> = all.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let mut context = Context::new(&tokens);
    let mut at = 0;
    while at < tokens.len() {
        context.enter(at);
        let length = match parse_parameter(&tokens, at, &context, mode) {
            Some((value, length)) => {
                writer.push_parameter(&context.parameter_name(at), value, &tokens[at..at + length]);
                length
            }
            None => {
                writer.push_token(&tokens[at]);
                1
            }
        };
        at += length;
    }
    Some(writer.finish())
}

#[cfg(test)]
mod tests;
