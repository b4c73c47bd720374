//! Keys longer than the engine allows.

use sql::{Token, ddl, quote_identifier};

use super::{Attempt, Cause, Refused, length_token, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::dictionary::{Column, Index, Table};
use crate::model::{Kind, Scope};

/// Bytes of a character of utf8mb4.
const WIDEST: u64 = 4;

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let text = refused.text;
    let engine = refused.table.as_ref().map_or_else(|| engine_of(text), |table| table.engine.clone());
    let is_myisam = engine.eq_ignore_ascii_case("myisam");
    let limit = parse_limit(&refused.refusal.message).unwrap_or(if is_myisam { 1000 } else { 767 });
    let mut details =
        vec![format!("The engine ({}) allows {limit} bytes", if engine.is_empty() { "InnoDB" } else { &engine })];
    let mut attempts = Vec::new();
    if is_myisam {
        attempts.push(engine_attempt(refused));
    } else {
        attempts.extend(dynamic_attempts(copy, refused)?);
    }
    if let Some(table) = &refused.table {
        for index in &table.indexes {
            let Some((sum, longest, room)) = measure(refused, table, index, limit) else { continue };
            details
                .push(format!("{} of {}: {sum} bytes with {WIDEST} bytes for each character", index.name, table.name));
            attempts.extend(shorten_column(copy, refused, table, longest, room)?);
        }
    }
    attempts.extend(shorten_in_text(refused, limit));
    attempts.extend(add_prefixes(refused, limit));
    Ok(Some(Cause { details, attempts, max_remedies: 3, ..Cause::new(Kind::KeyTooLong) }))
}

/// Limit in bytes that the server's message states.
fn parse_limit(message: &str) -> Option<u64> {
    let (_, rest) = message
        .split_once("length is ")
        .or_else(|| message.split_once("key length of "))
        .or_else(|| message.split_once("column size is "))?;
    rest.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

fn engine_of(text: &str) -> String {
    let tokens = tokens_without_comments(text);
    let at = tokens.iter().position(|token| token.is_keyword("engine"));
    let name = at.and_then(|at| tokens[at + 1..].iter().find(|token| !token.is_symbol('=')));
    name.and_then(Token::name).unwrap_or_default()
}

fn engine_attempt(refused: &Refused<'_>) -> Attempt {
    if let Some(statements) = alter_first(refused, "ENGINE=InnoDB") {
        return Attempt::new(Scope::Table, "Make the table an InnoDB table before".into(), statements);
    }
    let text = refused.text;
    let tokens = tokens_without_comments(text);
    let sql = match (&refused.table, tokens.iter().position(|token| token.is_keyword("engine"))) {
        (_, Some(at)) => {
            let name = tokens[at + 1..].iter().find(|token| !token.is_symbol('='));
            name.map_or_else(|| text.to_owned(), |name| format!("{}InnoDB{}", &text[..name.start], &text[name.end()..]))
        }
        (Some(_), None) => {
            let place = offset_after_table(&tokens);
            format!("{} ENGINE=InnoDB,{}", &text[..place], &text[place..])
        }
        (None, None) => format!("{text} ENGINE=InnoDB"),
    };
    Attempt::new(Scope::Table, "Make the table an InnoDB table in the same statement".into(), vec![sql])
}

/// Statements that change an option of the table before `CREATE INDEX`, which takes no option.
/// `None` for other statements.
fn alter_first(refused: &Refused<'_>, option: &str) -> Option<Vec<String>> {
    let first = *tokens_without_comments(refused.text).first()?;
    let table = refused.table.as_ref().filter(|_| first.is_keyword("create"))?;
    let name = refused.session.quote_table(&table.schema, &table.name);
    Some(vec![format!("ALTER TABLE {name} {option}"), refused.text.to_owned()])
}

/// Byte offset behind `ALTER TABLE name`.
fn offset_after_table(tokens: &[Token<'_>]) -> usize {
    let at = tokens.iter().position(|token| token.is_keyword("table")).unwrap_or(0) + 1;
    let dotted = tokens.get(at + 1).is_some_and(|dot| dot.is_symbol('.'));
    tokens.get(if dotted { at + 2 } else { at }).map_or(0, Token::end)
}

/// `ROW_FORMAT=DYNAMIC` allows 3072 bytes; old servers need two settings besides.
fn dynamic_attempts(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Vec<Attempt>, Error> {
    let separator = if refused.table.is_some() { ", " } else { " " };
    let (place, statements) = match alter_first(refused, "ROW_FORMAT=DYNAMIC") {
        Some(statements) => ("for the table before", statements),
        None => ("in the same statement", vec![format!("{}{separator}ROW_FORMAT=DYNAMIC", refused.text)]),
    };
    // Servers without these variables always allow 3072 bytes.
    let old = copy
        .names(
            "SELECT CONCAT('SET GLOBAL innodb_file_format = ', @@GLOBAL.innodb_file_format) \
             UNION ALL SELECT CONCAT('SET GLOBAL innodb_large_prefix = ', @@GLOBAL.innodb_large_prefix)",
        )
        .unwrap_or_default();
    let use_dynamic = format!("se ROW_FORMAT=DYNAMIC {place}");
    let mut found = vec![Attempt::new(Scope::Table, format!("U{use_dynamic}"), statements.clone())];
    if !old.is_empty() {
        let what = format!("Set innodb_file_format=Barracuda and innodb_large_prefix=ON, and u{use_dynamic}");
        let mut sql = vec![
            "SET GLOBAL innodb_file_format = Barracuda".to_owned(),
            "SET GLOBAL innodb_large_prefix = ON".to_owned(),
        ];
        sql.extend(statements);
        found.push(Attempt { restore: old, ..Attempt::new(Scope::Server, what, sql) });
    }
    Ok(found)
}

/// Returns the bytes of an index that is too long, its longest text column, and the characters that
/// this column may have.
fn measure<'t>(refused: &Refused<'_>, table: &'t Table, index: &Index, limit: u64) -> Option<(u64, &'t Column, u64)> {
    let column = |part: &(String, Option<u64>)| table.column(&part.0);
    let bytes = |part: &(String, Option<u64>)| match column(part) {
        Some(found) if found.charset.is_some() => {
            WIDEST * part.1.or_else(|| new_length(refused, &found.name)).or(found.characters).unwrap_or(0)
        }
        Some(found) => fixed_bytes(&found.data_type),
        None => 0,
    };
    let sum: u64 = index.parts.iter().map(bytes).sum();
    let texts =
        index.parts.iter().filter(|part| part.1.is_none() && column(part).is_some_and(|found| found.charset.is_some()));
    let longest = texts.max_by_key(|part| bytes(part))?;
    let is_too_long = sum > limit || bytes(longest) > limit;
    let room = limit.saturating_sub(sum - bytes(longest)) / WIDEST;
    is_too_long.then_some((sum, column(longest)?, room))
}

fn fixed_bytes(data_type: &str) -> u64 {
    match data_type {
        "tinyint" | "year" => 1,
        "smallint" => 2,
        "mediumint" | "date" | "time" => 3,
        "int" | "float" | "timestamp" => 4,
        _ => 8,
    }
}

/// Length that the statement gives a column: 250 of `CHANGE a a VARCHAR(250)`.
fn new_length(refused: &Refused<'_>, column: &str) -> Option<u64> {
    let tokens = tokens_without_comments(refused.text);
    let at = length_token(&tokens, column)?;
    tokens[at].text.parse().ok()
}

/// Shortens the column, in the statement itself or before it.
fn shorten_column(
    copy: &Copy<'_>,
    refused: &Refused<'_>,
    table: &Table,
    column: &Column,
    room: u64,
) -> Result<Option<Attempt>, Error> {
    if room == 0 {
        return Ok(None);
    }
    let tokens = tokens_without_comments(refused.text);
    let sql = match length_token(&tokens, &column.name) {
        Some(at) => vec![format!("{}{room}{}", &refused.text[..tokens[at].start], &refused.text[tokens[at].end()..])],
        None => {
            let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
            let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
            let Some(end) = definition.find(')') else { return Ok(None) };
            let name = refused.session.quote_table(&table.schema, &table.name);
            let shorter = format!("{}({room}{}", column.data_type, &definition[end..]);
            vec![
                format!("ALTER TABLE {name} MODIFY {} {shorter}", quote_identifier(&column.name)),
                refused.text.to_owned(),
            ]
        }
    };
    let what = format!("Shorten {}.{} to {room} characters", table.name, column.name);
    let mut attempt = Attempt::new(Scope::Column, what, sql);
    attempt.effects.push(format!(
        "Only if no value is longer: SELECT MAX(CHAR_LENGTH({})) says so.",
        quote_identifier(&column.name)
    ));
    Ok(Some(attempt))
}

/// Gives long text columns a prefix in the indexes that the statement adds, and lowers prefixes
/// that are too long.
fn add_prefixes(refused: &Refused<'_>, limit: u64) -> Option<Attempt> {
    let tokens = tokens_without_comments(refused.text);
    let room = limit / WIDEST;
    let mut edits = Vec::new();
    for open in (0..tokens.len()).filter(|at| tokens[*at].is_symbol('(')) {
        let head = &tokens[open.saturating_sub(10)..open];
        let begins = head.iter().rposition(|token| token.is_symbol(',') || token.is_symbol('(')).map_or(0, |at| at + 1);
        let is_index = head[begins..].iter().any(|token| token.is_any_keyword(&["key", "index", "unique", "primary"]));
        if !is_index || head[begins..].iter().any(|token| token.is_keyword("references")) {
            continue;
        }
        let parts = sql::list_items(&tokens, open);
        let long: Vec<_> = parts.iter().filter_map(|part| limit_prefix(refused, &tokens, *part, room)).collect();
        edits.extend(if long.is_empty() {
            limit_sum(refused, &tokens, &parts, limit).into_iter().collect()
        } else {
            long
        });
    }
    let sql = crate::remedy::splice(refused.text, &edits);
    let first: Vec<&str> = edits.iter().map(|(_, prefix)| prefix.trim_matches(['(', ')'])).collect();
    let what = format!("Index the first {} characters", first.join(" and "));
    let mut attempt = Attempt::new(Scope::Statement, what, vec![sql]);
    attempt.effects.push("A unique index then refuses values that differ only behind them.".into());
    (!edits.is_empty()).then_some(attempt)
}

/// Edit that gives a part of a key a prefix of `room` characters. `None` for a part that fits.
fn limit_prefix(
    refused: &Refused<'_>,
    tokens: &[Token<'_>],
    part: usize,
    room: u64,
) -> Option<(std::ops::Range<usize>, String)> {
    let name = tokens[part].name()?;
    let prefix = tokens.get(part + 1).filter(|next| next.is_symbol('(')).and_then(|_| tokens.get(part + 2));
    match prefix {
        Some(length) => {
            let is_long = length.text.parse::<u64>().is_ok_and(|length| length > room);
            is_long.then(|| (length.start..length.end(), room.to_string()))
        }
        None => {
            let end = tokens[part].end();
            is_long_text(refused, tokens, &name, room).then(|| (end..end, format!("({room})")))
        }
    }
}

/// Edit that gives the longest part of a key a prefix, as the sum of its parts is too long. `None`
/// if the key fits, a part has an expression, or the longest part has a prefix.
fn limit_sum(
    refused: &Refused<'_>,
    tokens: &[Token<'_>],
    parts: &[usize],
    limit: u64,
) -> Option<(std::ops::Range<usize>, String)> {
    let has_prefix = |part: usize| tokens.get(part + 1).is_some_and(|next| next.is_symbol('('));
    let length = |part: &usize| {
        let name = tokens[*part].name()?;
        let column = refused.table.as_ref().and_then(|table| table.column(&name));
        match column {
            _ if has_prefix(*part) => Some(WIDEST * tokens.get(part + 2)?.text.parse::<u64>().ok()?),
            Some(column) if column.charset.is_some() => Some(WIDEST * column.characters?),
            Some(column) => Some(fixed_bytes(&column.data_type)),
            None => match length_token(tokens, &name) {
                Some(at) => Some(WIDEST * tokens[at].text.parse::<u64>().ok()?),
                None => Some(fixed_bytes("")),
            },
        }
    };
    let bytes: Vec<u64> = parts.iter().map(length).collect::<Option<_>>()?;
    let sum: u64 = bytes.iter().sum();
    let (longest, part) = bytes.iter().zip(parts).max_by_key(|(bytes, _)| **bytes)?;
    let room = limit.checked_sub(sum - longest)? / WIDEST;
    if sum <= limit || room == 0 || has_prefix(*part) {
        return None;
    }
    let end = tokens[*part].end();
    Some((end..end, format!("({room})")))
}

/// True for a text column of more than `room` characters, of the table or of the statement.
fn is_long_text(refused: &Refused<'_>, tokens: &[Token<'_>], name: &str, room: u64) -> bool {
    let column = refused.table.as_ref().and_then(|table| table.column(name));
    if let Some(column) = column {
        return column.charset.is_some() && column.characters.is_some_and(|length| length > room);
    }
    length_token(tokens, name).and_then(|at| tokens[at].text.parse::<u64>().ok()).is_some_and(|length| length > room)
}

/// Shortens every VARCHAR and CHAR of a new table that is too long for a key by itself. `None` for
/// an existing table.
fn shorten_in_text(refused: &Refused<'_>, limit: u64) -> Option<Attempt> {
    if refused.table.is_some() {
        return None;
    }
    let tokens = tokens_without_comments(refused.text);
    let room = limit / WIDEST;
    let mut edits = Vec::new();
    for at in 3..tokens.len() {
        let is_length = tokens[at - 1].is_symbol('(') && tokens[at - 2].is_any_keyword(&["varchar", "char"]);
        if is_length && tokens[at].text.parse::<u64>().is_ok_and(|length| length > room) {
            edits.push((tokens[at].start..tokens[at].end(), room.to_string()));
        }
    }
    let sql = crate::remedy::splice(refused.text, &edits);
    (!edits.is_empty())
        .then(|| Attempt::new(Scope::Column, format!("Shorten the key's columns to {room} characters"), vec![sql]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_limits_of_messages() {
        assert_eq!(parse_limit("Specified key was too long; max key length is 767 bytes"), Some(767));
        assert_eq!(parse_limit("… would exceed the max key length of 1000 bytes."), Some(1000));
        assert_eq!(parse_limit("Index column size too large. The maximum column size is 767 bytes."), Some(767));
    }
}
