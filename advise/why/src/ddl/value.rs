//! Values that a character set cannot hold: errors 1366 and 1300.

use server::{collation_charset, error_code};
use sql::{Token, ddl, quote_identifier};

use crate::Error;
use crate::copy::{Copy, Refusal, Session, StoredProgram};
use crate::groups;
use crate::model::{Finding, Kind, Scope};
use crate::remedy::{breadth, preflight, recreated, splice};
use crate::syntax::Declaration;
use crate::trial::{Act, Change, Inner, Subject};

/// Judges a statement that the server refuses because a character set lacks a value: that of a
/// column, of a parameter or variable of a program, or of a literal with an introducer. `None` for
/// other refusals, and if none of these is found.
pub fn judge_value(copy: &mut Copy<'_>, subject: &Subject, refusal: &Refusal) -> Result<Option<Vec<Finding>>, Error> {
    let changes = match refusal.code {
        error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD if refusal.message.contains("ncorrect string value") => {
            match column_changes(copy, subject, refusal)? {
                Some(changes) => Some(changes),
                None => variable_changes(copy, subject, refusal)?,
            }
        }
        error_code::INVALID_CHARACTER_STRING => literal_changes(subject, refusal),
        _ => None,
    };
    let Some((detail, changes)) = changes else { return Ok(None) };
    let mut remedies: Vec<crate::model::Remedy> = Vec::new();
    for change in changes {
        let is_mended = copy.evaluate_with(subject, &change)?.is_some_and(|outcome| outcome.refusal.is_none());
        if is_mended && !remedies.iter().any(|remedy| remedy.scope == change.scope) {
            let Change { scope, what, sql, effects, .. } = change;
            remedies.push(crate::model::Remedy { scope, what, sql, plan: None, effects, is_lossy: false });
        }
    }
    Ok(Some(vec![super::finding(Kind::Unrepresentable, refusal, vec![detail], remedies)]))
}

/// A detail of the cause, and what to try.
type Changes = (String, Vec<Change>);

/// Changes of the session, and of the column that a refused `INSERT` or `UPDATE` writes.
fn column_changes(copy: &mut Copy<'_>, subject: &Subject, refusal: &Refusal) -> Result<Option<Changes>, Error> {
    let own = subject.session.schema.clone().unwrap_or_default();
    let quoted: Vec<&str> = refusal.message.split(['\'', '`']).collect();
    let tokens = super::tokens_without_comments(&subject.text);
    let Some(table) = sql::find_tables(&tokens).into_iter().next() else { return Ok(None) };
    let schema = table.schema.clone().unwrap_or(own);
    let Some(found) = copy.table(&schema, &table.name)? else { return Ok(None) };
    let Some(column) =
        found.columns.iter().find(|column| quoted.iter().skip(2).any(|name| name.eq_ignore_ascii_case(&column.name)))
    else {
        return Ok(None);
    };
    let charset = column.charset.clone().unwrap_or_default();
    let title = format!("{}.{}", found.name, column.name);
    let Some(create) = copy.create_table(&schema, &found.name)? else { return Ok(None) };
    let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
    let convert = |collation: &str, what: String, effect: String| {
        let definition = ddl::with_collation(definition, collation_charset(collation), collation, None);
        // Servers before MySQL 9 and MariaDB 11 do not read `COLLATE binary`.
        let definition = definition.replacen(" COLLATE binary", "", 1);
        let name = subject.session.quote_table(&schema, &found.name);
        let statements = vec![format!("ALTER TABLE {name} MODIFY {} {definition}", quote_identifier(&column.name))];
        Change {
            scope: Scope::Column,
            what,
            sql: statements.clone(),
            effects: vec![effect],
            is_lossy: false,
            collation: None,
            act: Act::Tables {
                tables: vec![(schema.clone(), found.name.clone())],
                session: Session { schema: subject.session.schema.clone(), prelude: Vec::new() },
                statements,
                text: None,
            },
        }
    };
    if is_ill_formed(&refusal.message) {
        let detail = format!("{title} holds text in {charset}; the value is no text, its bytes are ill-formed");
        let effect = "Its values are then compared by their bytes.".to_owned();
        return Ok(Some((detail, vec![convert("binary", format!("Make {title} a column of bytes"), effect)])));
    }
    let detail = format!("{title} has character set {charset}, which cannot hold the value");
    let mut changes = vec![set_names_change(subject)];
    if breadth(&charset) < 4 {
        for suffix in [
            column.collation.as_deref().and_then(|own| own.split_once('_')).map_or("bin", |(_, suffix)| suffix),
            "general_ci",
        ] {
            let collation = format!("utf8mb4_{suffix}");
            let effect = format!("Keys grow: {} reads the rows first.", preflight(&collation));
            changes.push(convert(&collation, format!("Convert {title} to {collation}"), effect));
        }
    }
    Ok(Some((detail, changes)))
}

/// True if the bytes that an error quotes, `'\xAC\xED\x00\x05sr...'`, are no UTF-8.
fn is_ill_formed(message: &str) -> bool {
    let quoted = message.split('\'').nth(1).unwrap_or_default().trim_end_matches("...");
    let mut bytes = Vec::new();
    let mut rest = quoted;
    while let Some(first) = rest.chars().next() {
        let code = rest.strip_prefix("\\x").and_then(|code| u8::from_str_radix(code.get(..2)?, 16).ok());
        let length = if code.is_some() { 4 } else { first.len_utf8() };
        match code {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(&rest.as_bytes()[..length]),
        }
        rest = &rest[length..];
    }
    std::str::from_utf8(&bytes).is_err_and(|error| error.error_len().is_some())
}

/// Declarations of the program's parameter or variable that the error names, in utf8mb4.
fn variable_changes(copy: &mut Copy<'_>, subject: &Subject, refusal: &Refusal) -> Result<Option<Changes>, Error> {
    let quoted: Vec<&str> = refusal.message.split(['\'', '`']).collect();
    for group in groups::group_statement(copy, subject)? {
        let Some(Inner { keyword, schema, name, .. }) = group.subject.inner else { continue };
        let Some(program) = copy.program(keyword, &schema, &name)? else { continue };
        let mut declared = program.parsed.parameters.iter().chain(&program.parsed.variables);
        let is_named =
            |one: &&Declaration| one.is_text && quoted.iter().skip(2).any(|name| name.eq_ignore_ascii_case(&one.name));
        let Some(one) = declared.find(is_named) else { continue };
        let clause = |collation: &str| format!(" CHARACTER SET utf8mb4{collation}");
        let collations = copy.collations_in_use(&schema)?;
        let own = collations.iter().filter(|collation| collation.starts_with("utf8mb4_"));
        let clauses = std::iter::once(clause("")).chain(own.map(|own| clause(&format!(" COLLATE {own}"))));
        let changes = clauses.map(|clause| {
            let create = splice(&program.create, &[(one.attributes.clone(), clause.clone())]);
            let declaration = format!("{} {}{clause}", one.name, &program.create[one.type_span.clone()]);
            let what = format!("Declare in the {}: {declaration}", program.title());
            let own = subject.session.schema.as_deref();
            recreated(own, &program, StoredProgram { create, ..program.clone() }, &what)
        });
        let detail = format!(
            "{} of the {} has the character set of its declaration, or of the schema when it was created; it cannot hold \
             the value",
            one.name,
            program.title()
        );
        return Ok(Some((detail, changes.collect())));
    }
    Ok(None)
}

/// The statement with bytes in place of the literal that is ill-formed in its character set.
fn literal_changes(subject: &Subject, refusal: &Refusal) -> Option<Changes> {
    let message = &refusal.message;
    let charset = message.split_once("nvalid ")?.1.split(' ').next()?;
    let bytes = message.split('\'').nth(1)?.trim_end_matches('.').to_lowercase();
    let tokens = super::tokens_without_comments(&subject.text);
    let is_meant = |pair: &&[Token<'_>]| {
        pair[0].text.starts_with('_') && pair[1].text.to_lowercase().replace(['\'', ' '], "").contains(&bytes)
    };
    let pair = tokens.windows(2).find(is_meant)?;
    let literal = &subject.text[pair[0].start..pair[1].end()];
    let change = |edit: (std::ops::Range<usize>, String), what: &str| {
        let text = splice(&subject.text, &[edit]);
        Change {
            scope: Scope::Statement,
            what: format!("In the statement, {what}: the literal is no text"),
            sql: vec![text.clone()],
            effects: vec!["It is then compared by its bytes.".into()],
            is_lossy: false,
            collation: None,
            act: Act::Statement(subject.session.clone(), text),
        }
    };
    let changes = vec![
        change((pair[0].start..pair[0].end(), "_binary".to_owned()), "name _binary"),
        change((pair[0].start..pair[1].start, String::new()), "leave the introducer out"),
        change((pair[0].start..pair[1].end(), format!("CAST({} AS BINARY)", pair[1].text)), "cast it to BINARY"),
    ];
    Some((format!("{literal} is no text of {charset}: its bytes are ill-formed"), changes))
}

fn set_names_change(subject: &Subject) -> Change {
    let kept = subject.session.prelude.iter().filter(|statement| !crate::remedy::sets_connection(statement)).cloned();
    let prelude: Vec<String> = std::iter::once("SET NAMES utf8mb4".to_owned()).chain(kept).collect();
    let mut sql = prelude.clone();
    sql.push(subject.text.clone());
    Change {
        scope: Scope::Session,
        what: "In the session, SET NAMES utf8mb4".into(),
        sql,
        effects: Vec::new(),
        is_lossy: false,
        collation: None,
        act: Act::Statement(Session { prelude, ..subject.session.clone() }, subject.text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_ill_formed;

    #[test]
    fn bytes_of_errors_are_text_or_not() {
        assert!(is_ill_formed(r"Incorrect string value: '\xAC\xED\x00\x05sr...' for column 'a' at row 1"));
        assert!(!is_ill_formed(r"Incorrect string value: '\xF0\x9F\x98\x85' for column 'a' at row 1"));
        // Cut within a character.
        assert!(!is_ill_formed(r"Incorrect string value: 'abcd\xF0\x9F...' for column 'a' at row 1"));
    }
}
