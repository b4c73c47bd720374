//! Assembly of a template's text, key and parameters.

use std::collections::{HashMap, HashSet};

use super::{Parameter, Template};
use crate::token::{Token, TokenKind};
use crate::value::Value;

/// Builder of a [`Template`], fed with tokens and parameters in order.
#[derive(Default)]
pub(super) struct TemplateWriter<'a> {
    source: &'a str,
    text: String,
    key: String,
    parameters: Vec<Parameter>,
    names: HashSet<String>,
    last_numbers: HashMap<String, usize>,
    placeholders: usize,
    /// Byte offset after the last token that was added, in the statement.
    end: usize,
}

impl<'a> TemplateWriter<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, ..Self::default() }
    }

    pub(super) fn push_token(&mut self, token: &Token<'_>) {
        if token.kind == TokenKind::Parameter && token.text == "?" {
            self.placeholders += 1;
        }
        self.push_space(token.start);
        self.text.push_str(token.text);
        self.key.push_str(token.text);
        self.key.push(' ');
        self.end = token.end();
    }

    /// Writes the white space before a token; one space in place of a comment.
    fn push_space(&mut self, start: usize) {
        match self.source.get(self.end..start) {
            _ if self.end >= start || self.text.is_empty() => {}
            Some(space) if space.trim().is_empty() => self.text.push_str(space),
            _ => self.text.push(' '),
        }
    }

    pub(super) fn push_parameter(&mut self, name: &str, value: Value, replaced: &[Token<'_>]) {
        let (Some(first), Some(last)) = (replaced.first(), replaced.last()) else { return };
        let name = self.unique_name(name);
        self.push_space(first.start);
        self.text.push(':');
        self.text.push_str(&name);
        self.key.push_str(type_marker(&value));
        self.key.push(' ');
        self.parameters.push(Parameter { name, value });
        self.end = last.end();
    }

    /// Returns an unused parameter name of ASCII letters, digits and underscores: `mail`, then
    /// `mail_2`.
    fn unique_name(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_lowercase()) {
            base = "p".to_owned();
        }
        // Numbering continues after the last number of each name: a multi-row INSERT has thousands
        // of each.
        let number = self.last_numbers.entry(base.clone()).or_insert(0);
        loop {
            *number += 1;
            let name = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    pub(super) fn finish(self) -> Template {
        Template {
            text: self.text.trim_end_matches([';', ' ', '\n', '\r', '\t']).to_owned(),
            key: self.key.trim_end_matches([';', ' ']).to_owned(),
            parameters: self.parameters,
            placeholders: self.placeholders,
        }
    }
}

/// Returns the text that represents a value's type in a key. The colon at the end distinguishes it
/// from a parameter of the statement, `:int`.
fn type_marker(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => ":int:",
        Value::Decimal(_) => ":decimal:",
        Value::Float(_) => ":float:",
        Value::Text(_) => ":text:",
        Value::Bytes(_) => ":bytes:",
        Value::List(members) => match members.first() {
            Some(Value::Int(_)) => ":int[]:",
            Some(Value::Text(_)) => ":text[]:",
            Some(Value::Decimal(_)) => ":decimal[]:",
            Some(Value::Float(_)) => ":float[]:",
            _ => ":bytes[]:",
        },
    }
}
