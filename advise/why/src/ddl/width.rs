//! Columns and rows that are longer than the server allows, as their character set counts with the
//! most bytes that a character can take.

use server::collation_charset;
use sql::{Token, ddl, quote_identifier};

use super::{Attempt, Cause, Refused, length_token, target_collation, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};
use crate::remedy::{breadth, splice};

/// Largest VARCHAR of the server in bytes, and longest row without TEXT and BLOB.
const MAX_BYTES: u64 = 65_535;

/// Maximum number of columns that are made TEXT.
const MAX_TEXTS: usize = 4;

/// A VARCHAR or CHAR.
struct Wide {
    name: String,
    characters: u64,
    is_indexed: bool,
    /// True if the statement defines it.
    is_in_text: bool,
}

/// Explains error 1074. `None` if the character set takes one byte for each character.
pub fn explain_column(copy: &Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let message = &refused.refusal.message;
    let name = message.split('\'').nth(1).unwrap_or_default();
    let Some(most) = message.split_once("max = ").and_then(|(_, rest)| parse_number(rest)) else { return Ok(None) };
    let width = MAX_BYTES.checked_div(most).unwrap_or(1);
    if width < 2 {
        return Ok(None);
    }
    let details = vec![format!(
        "The character set of {name} takes up to {width} bytes for each character, so that a VARCHAR has at most {most}"
    )];
    let columns = wide_columns(refused);
    let mut attempts = Vec::new();
    if let Some(wide) = columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)) {
        attempts.extend(make_texts(copy, refused, &[wide])?);
    }
    let tokens = tokens_without_comments(refused.text);
    if let Some(at) = length_token(&tokens, name) {
        let sql = splice(refused.text, &[(tokens[at].start..tokens[at].end(), most.to_string())]);
        let mut attempt = Attempt::new(Scope::Column, format!("Shorten {name} to {most} characters"), vec![sql]);
        attempt.effects.push("Only if no value is longer.".into());
        attempts.push(attempt);
    }
    Ok(Some(Cause { details, attempts, max_remedies: 2, ..Cause::new(Kind::TooWide) }))
}

/// Explains error 1118. `None` if another limit than [`MAX_BYTES`] is exceeded, or the row would be
/// too long with one byte for each character, too.
pub fn explain_row(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let mut columns = wide_columns(refused);
    let characters: u64 = columns.iter().map(|column| column.characters).sum();
    let is_of_row = refused.refusal.message.contains(&MAX_BYTES.to_string());
    if !is_of_row || characters >= MAX_BYTES {
        return Ok(None);
    }
    let collation = target_collation(copy, refused)?;
    let own = refused.table.as_ref().and_then(|table| table.collation.clone());
    let charset = collation.or(own).map(|collation| collation_charset(&collation).to_owned());
    let width = match charset.as_deref().map(breadth) {
        Some(4) => format!("up to 4 bytes for each of their {characters} characters"),
        Some(3) => format!("up to 3 bytes for each of their {characters} characters"),
        _ => format!("the most bytes that a character can take, for each of their {characters} characters"),
    };
    let details =
        vec![format!("Of a row's {MAX_BYTES} bytes, CHAR and VARCHAR columns take {width}; TEXT takes a few bytes")];
    columns.sort_by_key(|column| std::cmp::Reverse(column.characters));
    let free: Vec<&Wide> = columns.iter().filter(|column| !column.is_indexed).collect();
    let mut attempts = Vec::new();
    for count in 1..=free.len().min(MAX_TEXTS) {
        attempts.extend(make_texts(copy, refused, &free[..count])?);
    }
    Ok(Some(Cause { details, attempts, max_remedies: 1, needs_remedy: true, ..Cause::new(Kind::TooWide) }))
}

fn parse_number(text: &str) -> Option<u64> {
    text.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// Columns of the table and of the statement.
fn wide_columns(refused: &Refused<'_>) -> Vec<Wide> {
    let tokens = tokens_without_comments(refused.text);
    let in_text = |at: usize| {
        let name = tokens[at].name()?;
        let length = length_token(&tokens, &name).filter(|length| *length == at + 3)?;
        let characters = tokens[length].text.parse().ok()?;
        // A key names its columns once more.
        let is_named = |token: &&Token<'_>| token.name().is_some_and(|own| own.eq_ignore_ascii_case(&name));
        let is_indexed = tokens.iter().filter(is_named).count() > 1;
        Some(Wide { name, characters, is_indexed, is_in_text: true })
    };
    let mut columns: Vec<Wide> = (0..tokens.len()).filter_map(in_text).collect();
    for column in refused.table.iter().flat_map(|table| &table.columns) {
        let is_wide = matches!(column.data_type.as_str(), "varchar" | "char") && column.charset.is_some();
        let is_known = columns.iter().any(|known| known.name.eq_ignore_ascii_case(&column.name));
        if is_wide && !is_known {
            let is_indexed = refused.table.as_ref().is_some_and(|table| table.is_indexed(&column.name));
            let (name, characters) = (column.name.clone(), column.characters.unwrap_or_default());
            columns.push(Wide { name, characters, is_indexed, is_in_text: false });
        }
    }
    columns
}

/// Makes columns TEXT or MEDIUMTEXT, in the statement or before it.
fn make_texts(copy: &Copy<'_>, refused: &Refused<'_>, columns: &[&Wide]) -> Result<Option<Attempt>, Error> {
    let tokens = tokens_without_comments(refused.text);
    let (mut edits, mut modifies, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let new = if column.characters * 4 > MAX_BYTES { "MEDIUMTEXT" } else { "TEXT" };
        names.push(format!("{} {new}", column.name));
        if column.is_in_text {
            let Some(at) = length_token(&tokens, &column.name) else { return Ok(None) };
            let Some(close) = tokens.get(at + 1).map(Token::end) else { return Ok(None) };
            edits.push((tokens[at - 2].start..close, new.to_owned()));
            continue;
        }
        let Some(table) = &refused.table else { return Ok(None) };
        let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
        let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
        let Some(end) = definition.find(')') else { return Ok(None) };
        modifies.push(format!("MODIFY {} {new}{}", quote_identifier(&column.name), &definition[end + 1..]));
    }
    let mut sql = vec![splice(refused.text, &edits)];
    if let (Some(table), false) = (&refused.table, modifies.is_empty()) {
        let name = refused.session.quote_table(&table.schema, &table.name);
        sql.insert(0, format!("ALTER TABLE {name} {}", modifies.join(", ")));
    }
    Ok(Some(Attempt::new(Scope::Column, format!("Make {}", names.join(" and ")), sql)))
}
