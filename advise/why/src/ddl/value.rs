//! Values that the column's character set cannot hold: error 1366.

use server::{collation_charset, error_code};
use sql::{ddl, quote_identifier};

use crate::Error;
use crate::copy::{Copy, Refusal, Session};
use crate::model::{Finding, Kind, Scope};
use crate::remedy::{breadth, preflight};
use crate::trial::{Act, Change, Subject};

/// Judges an `INSERT` or `UPDATE` that the server refuses because a column's character set lacks
/// the value. `None` for other refusals, and if the column is unknown.
pub fn judge_value(copy: &mut Copy<'_>, subject: &Subject, refusal: &Refusal) -> Result<Option<Vec<Finding>>, Error> {
    if refusal.code != error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD || !refusal.message.contains("ncorrect string value")
    {
        return Ok(None);
    }
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
    let details =
        vec![format!("{}.{} has character set {charset}, which cannot hold the value", found.name, column.name)];
    let mut changes = vec![set_names_change(subject)];
    if breadth(&charset) < 4
        && let Some(create) = copy.create_table(&schema, &found.name)?
        && let Some(definition) = ddl::find_column(&create, &column.name)
    {
        for suffix in [
            column.collation.as_deref().and_then(|own| own.split_once('_')).map_or("bin", |(_, suffix)| suffix),
            "general_ci",
        ] {
            let collation = format!("utf8mb4_{suffix}");
            let definition = ddl::with_collation(definition, collation_charset(&collation), &collation, None);
            let name = subject.session.quote_table(&schema, &found.name);
            let statements = vec![format!("ALTER TABLE {name} MODIFY {} {definition}", quote_identifier(&column.name))];
            changes.push(Change {
                scope: Scope::Column,
                what: format!("Convert {}.{} to {collation}", found.name, column.name),
                sql: statements.clone(),
                effects: vec![format!("Keys grow: {} reads the rows first.", preflight(&collation))],
                is_lossy: false,
                collation: None,
                act: Act::Tables {
                    tables: vec![(schema.clone(), found.name.clone())],
                    session: Session { schema: subject.session.schema.clone(), prelude: Vec::new() },
                    statements,
                    text: None,
                },
            });
        }
    }
    let mut remedies: Vec<crate::model::Remedy> = Vec::new();
    for change in changes {
        let is_mended = copy.evaluate_with(subject, &change)?.is_some_and(|outcome| outcome.refusal.is_none());
        if is_mended && !remedies.iter().any(|remedy| remedy.scope == change.scope) {
            let Change { scope, what, sql, effects, .. } = change;
            remedies.push(crate::model::Remedy { scope, what, sql, plan: None, effects, is_lossy: false });
        }
    }
    let finding = Finding {
        kind: Kind::Unrepresentable,
        error: Some(refusal.to_string()),
        sites: Vec::new(),
        details,
        plan: None,
        server_plan: None,
        depends_on_rows: false,
        remedies,
    };
    Ok(Some(vec![finding]))
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
