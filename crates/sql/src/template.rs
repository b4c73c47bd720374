//! What calls of one statement have in common: its text with a named parameter for each literal that can be one.
//!
//! Two calls have the same template where they differ in nothing but values of the same types (`code = 5` and `code = '5'` are two
//! statements: the server compares them in two ways), comments, white space and the lengths of lists behind `IN`. A literal that no
//! parameter may stand for stays in the text: an ordinal behind `ORDER BY`, the length of a type, a JSON path behind `->`, text with an
//! introducer, an alias.

use std::collections::{HashMap, HashSet};

use crate::literal::unquoted;
use crate::mode::Mode;
use crate::token::{Kind, Token, tokens};

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// An exact number beyond that, as it is written.
    Decimal(String),
    /// An approximate number (`1e3`), as it is written.
    Float(String),
    /// Text.
    Text(String),
    /// Bytes: `X'41'`, `0x41`.
    Bytes(Vec<u8>),
    /// The members of a list behind `IN`, all of one type.
    List(Vec<Value>),
}

/// A literal that a parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name, after the column that the literal is compared with or assigned to; without the colon.
    pub name: String,
    /// The literal's value.
    pub value: Value,
}

/// A statement taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The statement with `:name` for each parameter, without comments.
    pub text: String,
    /// The same for all calls of one statement.
    pub key: String,
    /// Names and values in the order of the text.
    pub parameters: Vec<Parameter>,
    /// `?` in the statement: values that are not known.
    pub unknown: usize,
}

/// Takes a statement apart; `None` where it ends within a literal, a name or a comment.
pub fn template(text: &str, mode: Mode) -> Option<Template> {
    let all: Vec<Token<'_>> = tokens(text, mode).collect();
    if all.iter().any(|token| !token.closed) {
        return None;
    }
    let mut writer = Writer { source: text, ..Writer::default() };
    let tokens: Vec<Token<'_>> = all.into_iter().filter(|token| token.kind != Kind::Comment).collect();
    let mut context = Context::new(&tokens);
    let mut at = 0;
    while at < tokens.len() {
        context.enter(at);
        let length = match literals(&tokens, at, &context, mode) {
            Some((value, length)) => {
                writer.parameter(&context.name_of(at), value, &tokens[at..at + length]);
                length
            }
            None => {
                writer.token(&tokens[at]);
                1
            }
        };
        at += length;
    }
    Some(writer.finish())
}

/// The literal, or the list of literals behind `IN (`, that begins here, where a parameter may stand for it; and its tokens.
fn literals(tokens: &[Token<'_>], at: usize, context: &Context<'_, '_>, mode: Mode) -> Option<(Value, usize)> {
    if !context.may_be_parameter(at) {
        return None;
    }
    if let Some((members, length)) = list(tokens, at, context, mode) {
        return Some((Value::List(members), length));
    }
    literal(tokens, at, context, mode)
}

/// The members of a list behind `IN (`, up to its parenthesis, where all are literals of one type.
fn list(tokens: &[Token<'_>], at: usize, context: &Context<'_, '_>, mode: Mode) -> Option<(Vec<Value>, usize)> {
    let opens = at.checked_sub(2).is_some_and(|back| tokens[back].is("in") && tokens[at - 1].is_symbol('('));
    if !opens {
        return None;
    }
    let (mut members, mut place) = (Vec::new(), at);
    loop {
        let (value, length) = literal(tokens, place, context, mode)?;
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

/// A literal with its sign.
fn literal(tokens: &[Token<'_>], at: usize, context: &Context<'_, '_>, mode: Mode) -> Option<(Value, usize)> {
    let token = tokens.get(at)?;
    match token.kind {
        // Two literals side by side are one text.
        Kind::Text if tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Text) => None,
        Kind::Text => Some((Value::Text(unquoted(token.text, mode)), 1)),
        Kind::Number => Some((number(token.text, false), 1)),
        Kind::Symbol if token.is_symbol('-') && context.is_sign(at) => {
            let next = tokens.get(at + 1).filter(|next| next.kind == Kind::Number)?;
            Some((number(next.text, true), 2))
        }
        Kind::Bits => Some((Value::Bytes(hexadecimal(token.text)?), 1)),
        _ => None,
    }
}

fn number(text: &str, negative: bool) -> Value {
    let text = if negative { format!("-{text}") } else { text.to_owned() };
    if text.contains(['e', 'E']) {
        return Value::Float(text);
    }
    // `007` would come back as `7`, which is the same number.
    match text.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => Value::Decimal(text),
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = match text.as_bytes() {
        [b'0', b'x', digits @ ..] | [b'x' | b'X', b'\'', digits @ .., b'\''] => digits,
        _ => return None,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let even = digits.len().is_multiple_of(2);
    let pairs = even.then(|| digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)))?;
    pairs.collect()
}

/// Words behind which an expression begins, so that a literal there is a value and no alias, type or path.
const BEFORE_VALUES: [&str; 35] = [
    "select", "distinct", "all", "where", "having", "on", "and", "or", "xor", "not", "like", "rlike", "regexp",
    "between", "in", "div", "mod", "case", "when", "then", "else", "limit", "offset", "interval", "binary", "both",
    "leading", "trailing", "from", "values", "value", "set", "return", "call", "union",
];

/// Types whose parentheses hold lengths.
const TYPES: [&str; 14] = [
    "char",
    "nchar",
    "varchar",
    "binary",
    "varbinary",
    "decimal",
    "dec",
    "numeric",
    "datetime",
    "time",
    "timestamp",
    "float",
    "double",
    "character",
];

/// What surrounds a token.
struct Context<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// The open parentheses around the token in hand.
    open: Vec<Parenthesis>,
    /// What is outside all parentheses.
    outside: Parenthesis,
    /// The columns of an `INSERT`.
    columns: Vec<String>,
    /// Whether VALUES has come.
    in_values: bool,
}

/// What is known of an open parenthesis, or of what is outside all.
#[derive(Clone, Copy, Default)]
struct Parenthesis {
    /// What is in it are no values: lengths of a type, paths of `JSON_TABLE`.
    is_fixed: bool,
    /// Within `ORDER BY` or `GROUP BY`.
    in_by: bool,
    /// Commas so far.
    commas: usize,
}

impl<'t, 'a> Context<'t, 'a> {
    fn new(tokens: &'t [Token<'a>]) -> Self {
        let columns = insert_columns(tokens);
        Self { tokens, open: Vec::new(), outside: Parenthesis::default(), columns, in_values: false }
    }

    fn before(&self, at: usize, back: usize) -> Option<&'t Token<'a>> {
        at.checked_sub(back).map(|place| &self.tokens[place])
    }

    fn inner(&mut self) -> &mut Parenthesis {
        self.open.last_mut().unwrap_or(&mut self.outside)
    }

    fn here(&self) -> Parenthesis {
        self.open.last().copied().unwrap_or(self.outside)
    }

    /// Takes note of a token before it is judged.
    fn enter(&mut self, at: usize) {
        let token = &self.tokens[at];
        if token.is_symbol('(') {
            let is_type = self.before(at, 1).is_some_and(|token| token.is_any(&TYPES))
                && self.before(at, 2).is_some_and(|token| token.is("as") || token.is_symbol(','));
            let is_json = self.before(at, 1).is_some_and(|token| token.is("json_table"));
            let is_fixed = is_type || is_json || self.here().is_fixed;
            self.open.push(Parenthesis { is_fixed, ..Parenthesis::default() });
        } else if token.is_symbol(')') {
            self.open.pop();
        } else if token.is_symbol(',') {
            self.inner().commas += 1;
        } else if token.is("by") {
            self.inner().in_by = true;
        } else if token.is_any(&["limit", "having", "window", "for", "union", "select", "separator", "rows", "range"]) {
            self.inner().in_by = false;
        } else if token.is_any(&["values", "value"]) && self.open.is_empty() {
            self.in_values = true;
        }
    }

    /// Whether a value may stand here: not where the grammar or the meaning wants a literal.
    fn may_be_parameter(&self, at: usize) -> bool {
        let here = self.here();
        let Some(before) = self.before(at, 1) else { return false };
        if here.is_fixed {
            return false;
        }
        match before.kind {
            Kind::Word => before.is_any(&BEFORE_VALUES),
            Kind::Symbol if before.is_symbol(')') => false,
            // An ordinal.
            Kind::Symbol if here.in_by && before.is_symbol(',') => false,
            // `a->'$.x'`, `a->>'$.x'`
            Kind::Symbol if before.is_symbol('>') => {
                let mut back = 2;
                while self.before(at, back).is_some_and(|token| token.is_symbol('>')) {
                    back += 1;
                }
                !self.before(at, back).is_some_and(|token| token.is_symbol('-'))
            }
            // `.5` of `a.5` can't be; a dot leads to a name.
            Kind::Symbol => !before.is_symbol('.'),
            Kind::Hint | Kind::Conditional => true,
            _ => false,
        }
    }

    /// Whether a minus is a sign: an expression can begin here. What stands before it has been judged already.
    fn is_sign(&self, at: usize) -> bool {
        self.before(at, 1).is_some_and(|before| before.kind == Kind::Symbol || before.kind == Kind::Word)
    }

    /// Behind `BETWEEN 1 AND`: how many tokens the literal in front of the `AND` has.
    fn low_end(&self, at: usize) -> Option<usize> {
        if !self.before(at, 1).is_some_and(|token| token.is("and")) {
            return None;
        }
        let signed = self.before(at, 3).is_some_and(|token| token.is_symbol('-'));
        let literal = 1 + usize::from(signed);
        self.before(at, 2 + literal).is_some_and(|token| token.is("between")).then_some(literal)
    }

    /// The name for a parameter: the column that it is compared with, assigned to or inserted into, or the clause.
    fn name_of(&self, at: usize) -> String {
        if self.in_values
            && self.open.len() == 1
            && let Some(column) = self.columns.get(self.here().commas)
        {
            return column.clone();
        }
        let mut place = at;
        while let Some(before) = place.checked_sub(1).map(|place| self.tokens[place]) {
            let is_operator = before.kind == Kind::Symbol && "=<>!(".contains(before.text);
            if before.is_any(&["limit", "offset"]) {
                return before.text.to_lowercase();
            }
            let is_word = before.is_any(&["like", "in", "between", "not", "binary", "regexp", "rlike"]);
            // `BETWEEN 1 AND`
            if let Some(literal) = self.low_end(place) {
                place -= 1 + literal;
            } else if is_operator || is_word {
                place -= 1;
            } else {
                let has_operator = place < at;
                let is_name = !before.is_any(&BEFORE_VALUES) && !before.is_any(&["by", "as", "interval", "against"]);
                return before.name().filter(|_| has_operator && is_name).unwrap_or_default();
            }
        }
        String::new()
    }
}

/// The columns that an `INSERT` or a `REPLACE` lists in front of its values.
fn insert_columns(tokens: &[Token<'_>]) -> Vec<String> {
    if !tokens.first().is_some_and(|token| token.is_any(&["insert", "replace"])) {
        return Vec::new();
    }
    let Some(open) = tokens.iter().position(|token| token.is_symbol('(')) else { return Vec::new() };
    let inside = tokens[open + 1..].iter().take_while(|token| !token.is_symbol(')'));
    let close = open + 1 + inside.clone().count();
    if !tokens.get(close + 1).is_some_and(|token| token.is_any(&["values", "value"])) {
        return Vec::new();
    }
    inside.filter_map(Token::name).collect()
}

/// Puts a template together.
#[derive(Default)]
struct Writer<'a> {
    source: &'a str,
    text: String,
    key: String,
    parameters: Vec<Parameter>,
    names: HashSet<String>,
    numbers: HashMap<String, usize>,
    unknown: usize,
    /// The end of the token before, in the statement.
    end: usize,
}

impl Writer<'_> {
    fn token(&mut self, token: &Token<'_>) {
        if token.kind == Kind::Parameter && token.text == "?" {
            self.unknown += 1;
        }
        self.gap(token.start);
        self.text.push_str(token.text);
        self.key.push_str(token.text);
        self.key.push(' ');
        self.end = token.end();
    }

    /// The white space before a token, or one space for a comment.
    fn gap(&mut self, start: usize) {
        match self.source.get(self.end..start) {
            _ if self.end >= start || self.text.is_empty() => {}
            Some(space) if space.trim().is_empty() => self.text.push_str(space),
            _ => self.text.push(' '),
        }
    }

    fn parameter(&mut self, name: &str, value: Value, of: &[Token<'_>]) {
        let (Some(first), Some(last)) = (of.first(), of.last()) else { return };
        let name = self.unused(name);
        self.gap(first.start);
        self.text.push(':');
        self.text.push_str(&name);
        self.key.push_str(kind_of(&value));
        self.key.push(' ');
        self.parameters.push(Parameter { name, value });
        self.end = last.end();
    }

    /// A name of ASCII letters, digits and underscores that no parameter has yet.
    fn unused(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_lowercase()) {
            base = "p".to_owned();
        }
        // Where the last number of each name ended: a multi-row INSERT has thousands of each.
        let number = self.numbers.entry(base.clone()).or_insert(0);
        loop {
            *number += 1;
            let name = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    fn finish(self) -> Template {
        Template {
            text: self.text.trim_end_matches([';', ' ', '\n', '\r', '\t']).to_owned(),
            key: self.key.trim_end_matches([';', ' ']).to_owned(),
            parameters: self.parameters,
            unknown: self.unknown,
        }
    }
}

/// How a key writes a value: no statement has these words.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => ":int",
        Value::Decimal(_) => ":decimal",
        Value::Float(_) => ":float",
        Value::Text(_) => ":text",
        Value::Bytes(_) => ":bytes",
        Value::List(members) => match members.first() {
            Some(Value::Int(_)) => ":int[]",
            Some(Value::Text(_)) => ":text[]",
            Some(Value::Decimal(_)) => ":decimal[]",
            Some(Value::Float(_)) => ":float[]",
            _ => ":bytes[]",
        },
    }
}

#[cfg(test)]
#[path = "template/tests.rs"]
mod tests;
