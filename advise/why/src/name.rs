//! Messages for statements that the copy refuses. For an unknown name, the message suggests the
//! most similar one that exists.

use message::suggest_name;
use server::error_code;

use crate::Error;
use crate::copy::{Copy, Refusal, Session};
use crate::spot::Source;
use crate::syntax::TableKind;

/// Beginning of the message about a table that does not exist.
pub const NO_TABLE: &str = "no table ";

/// Returns the reason why the server refuses a statement, as one sentence.
pub fn refusal_message(copy: &mut Copy<'_>, session: &Session, text: &str, refusal: &Refusal) -> Result<String, Error> {
    let schema = session.schema.clone().unwrap_or_default();
    let quoted = refusal.message.split('\'').nth(1).unwrap_or_default();
    let last = quoted.rsplit('.').next().unwrap_or_default();
    Ok(match refusal.code {
        error_code::NO_SUCH_TABLE => {
            let given_schema = quoted.rsplit_once('.').map_or(schema.as_str(), |(schema, _)| schema).to_owned();
            let names = copy.table_names(&given_schema)?;
            let privilege_hint = if copy.is_of_account { ", or the account may not see it" } else { "" };
            let similar = suggest_name(last, names.iter().map(String::as_str));
            format!("{NO_TABLE}{last} in schema {given_schema}{privilege_hint}{similar}")
        }
        error_code::BAD_FIELD_ERROR => {
            let names = column_names(copy, session, text)?;
            format!(
                "no column {quoted} in the tables of the statement{}",
                suggest_name(last, names.iter().map(String::as_str))
            )
        }
        error_code::SP_DOES_NOT_EXIST => {
            // `FUNCTION shop.f does not exist`
            let called = refusal.message.split_whitespace().nth(1).unwrap_or_default();
            let (schema, name) = called.rsplit_once('.').unwrap_or((&schema, called));
            let names = copy.routine_names(schema)?;
            format!("no routine {name} in schema {schema}{}", suggest_name(name, names.iter().map(String::as_str)))
        }
        error_code::PARSE_ERROR => {
            let near = refusal.message.split_once(" near ").map_or(String::new(), |(_, near)| format!(" near {near}"));
            format!("{} does not understand the statement{near}", copy.server().label())
        }
        error_code::NO_DB_ERROR if schema.is_empty() => "no schema is selected; name it by --schema".to_owned(),
        error_code::NO_DB_ERROR => {
            format!(
                "no schema {schema}; if the dump has no USE or CREATE DATABASE, load its tables into {schema} by --schema {schema}"
            )
        }
        error_code::BAD_DB_ERROR => {
            let names = copy.names("SHOW DATABASES")?;
            format!("no schema {last}{}", suggest_name(last, names.iter().map(String::as_str)))
        }
        code if may_be_of_text(code) => format!("{} refuses the statement: {refusal}", copy.server().label()),
        _ => format!("{} refuses the statement, and not because of collations: {refusal}", copy.server().label()),
    })
}

/// True for errors of values, lengths and keys, whose cause can be a character set or a collation.
fn may_be_of_text(code: u16) -> bool {
    use error_code::*;
    const INVALID_DEFAULT: u16 = 1067;
    const TOO_BIG_FIELD_LENGTH: u16 = 1074;
    const FK_COLUMN_CANNOT_CHANGE: std::ops::RangeInclusive<u16> = 1832..=1833;
    const MULTIPLE_DEF_CONST_IN_LIST: u16 = 1495;
    let is_other = matches!(code, INVALID_DEFAULT | TOO_BIG_FIELD_LENGTH | MULTIPLE_DEF_CONST_IN_LIST);
    is_other
        || FK_COLUMN_CANNOT_CHANGE.contains(&code)
        || is_collation_conflict(code)
        || matches!(
            code,
            CANT_CREATE_TABLE
                | DUP_ENTRY
                | TOO_LONG_KEY
                | TOO_BIG_ROWSIZE
                | CANNOT_ADD_FOREIGN
                | BAD_FT_COLUMN
                | DUPLICATED_VALUE_IN_TYPE
                | INVALID_CHARACTER_STRING
                | TRUNCATED_WRONG_VALUE_FOR_FIELD
                | DATA_TOO_LONG
                | INDEX_COLUMN_TOO_LONG
                | CANNOT_CONVERT_CHARACTER
                | FK_INCOMPATIBLE_COLUMNS
        )
}

fn column_names(copy: &Copy<'_>, session: &Session, text: &str) -> Result<Vec<String>, Error> {
    let source = Source::statement(crate::copy::Place::Session(session.clone()), text, 0);
    let mut names = Vec::new();
    for table in source.parsed.blocks.iter().flat_map(|block| &block.tables) {
        if let TableKind::Named { schema, name } = &table.kind
            && let Some(schema) = schema.clone().or_else(|| session.schema.clone())
            && let Some(found) = copy.table(&schema, name)?
        {
            names.extend(found.columns.into_iter().map(|column| column.name));
        }
    }
    Ok(names)
}
