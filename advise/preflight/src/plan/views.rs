//! CONVERT that servers write into views.

use server::current_charset_name;
use sql::{SqlMode, Token, TokenKind};

use crate::job::{Conversion, Job, TableJob};
use rehearsal::{Kind, Object};

/// Character sets to which servers convert on their own.
const UNICODE: [&str; 6] = ["utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"];

/// Returns the definition of a view without each `convert(… using charset)` that the server wrote
/// around columns to which the plan gives `charset`, or a character set that it also gives to
/// columns of `charset`. `None` for a view without such a CONVERT, and for other objects.
///
/// MySQL up to 8.0 and MariaDB 10.1 store `l.code = u.code` of a latin1 and a utf8mb4 column as
/// ``convert(`l`.`code` using utf8mb4) = `u`.`code` ``. After the plan, the converted value has the
/// default collation of utf8mb4: error 1267, unless that is the target. As long as the columns
/// differ, the server writes it into each new definition, so that the view can only be changed
/// after them. MySQL 9.7 and MariaDB from 10.5 on don't write it.
///
/// `convert(… using utf8)` between latin1 and utf8mb3 goes, too, if the plan makes both utf8mb4:
/// MySQL 8.0 gives its result the default collation of utf8mb4 then (error 1267).
pub fn without_conversions(job: &Job<'_>, object: &Object) -> Option<String> {
    if object.name.kind != Kind::View {
        return None;
    }
    let create = &object.create;
    let is_word = |token: &Token<'_>| token.kind != TokenKind::Comment;
    let tokens: Vec<Token<'_>> = sql::tokenize(create, SqlMode::default()).filter(is_word).collect();
    let tables = find_aliases(job, object, &tokens);
    let (mut text, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(token) = tokens.get(at) {
        let value = token.is_keyword("convert").then(|| converted_value(&tables, &tokens, at)).flatten();
        match value {
            Some(value) => {
                text += &create[copied..token.start];
                text += &create[tokens[value.start].start..tokens[value.end - 1].end()];
                // `USING`, the character set and the parenthesis follow.
                at = value.end + 3;
                copied = tokens[at - 1].end();
            }
            None => at += 1,
        }
    }
    (copied > 0).then(|| text + &create[copied..])
}

/// Returns the converted tables that a view names, each by its alias, or by its name without one.
fn find_aliases<'j>(job: &'j Job<'_>, object: &Object, tokens: &[Token<'_>]) -> Vec<(String, &'j TableJob<'j>)> {
    let name = |at: usize| tokens.get(at).filter(|token| token.kind == TokenKind::QuotedName).and_then(Token::name);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_qualified = tokens.get(at + 1).is_some_and(|token| token.is_symbol('.'));
        let (schema, table, end) = match (name(at), name(at + 2)) {
            (Some(schema), Some(table)) if is_qualified => (schema, table, at + 3),
            (Some(table), _) => (object.name.schema.clone(), table, at + 1),
            (None, _) => (String::new(), String::new(), at + 1),
        };
        if let Some(job) = job.table(&schema, &table).filter(|job| !job.conversions.is_empty()) {
            found.push((name(end).unwrap_or(table), job));
        }
        at = end;
    }
    found
}

/// Returns the tokens of the value in the CONVERT at `at`, if all that it has are columns that the
/// plan gives the character set after USING, and functions of them.
fn converted_value(
    tables: &[(String, &TableJob<'_>)],
    tokens: &[Token<'_>],
    at: usize,
) -> Option<std::ops::Range<usize>> {
    let inside = tokens.get(at + 2..).filter(|_| tokens[at + 1].is_symbol('('))?;
    let inside = &inside[..sql::closing_parenthesis(inside)?];
    let [value @ .., using, charset] = inside else { return None };
    let charset = charset.name().filter(|_| using.is_keyword("using"))?.to_lowercase();
    let charset = current_charset_name(&charset);
    let becomes = |target: &str| {
        let conversions = || tables.iter().flat_map(|(_, table)| &table.conversions);
        let is_replaced = |one: &Conversion<'_>| {
            current_charset_name(one.source_charset_name()) == charset && one.planned_target().charset == target
        };
        current_charset_name(target) == charset || UNICODE.contains(&charset) && conversions().any(is_replaced)
    };
    let gets_charset = |name: &[String]| {
        let [.., table, column] = name else { return false };
        let mut conversions =
            tables.iter().filter(|(alias, _)| alias == table).map(|(_, table)| table.conversion(column)).peekable();
        conversions.peek().is_some()
            && conversions.all(|conversion| {
                conversion.is_some_and(|one| {
                    becomes(&one.planned_target().charset) && current_charset_name(one.source_charset_name()) != charset
                })
            })
    };
    let mut names: Vec<Vec<String>> = Vec::new();
    for (place, token) in value.iter().enumerate() {
        match token.kind {
            TokenKind::QuotedName if place > 0 && value[place - 1].is_symbol('.') => {
                names.last_mut()?.push(token.name()?);
            }
            TokenKind::QuotedName => names.push(vec![token.name()?]),
            TokenKind::StringLiteral => return None,
            _ => {}
        }
    }
    (!names.is_empty() && names.iter().all(|name| gets_charset(name))).then(|| at + 2..at + 2 + value.len())
}
