//! `LOWER(column)` and `UPPER(column)`, which no index of the column serves.

use server::{Flavour, Version, collation_charset, current_charset_name, is_same_collation};
use sql::quote_identifier;

use super::rewrite::{Edits, change_texts};
use super::{Fault, columns, splice};
use crate::Error;
use crate::copy::{Copy, Place, Session};
use crate::judge::Judged;
use crate::model::Scope;
use crate::origin::ColumnRef;
use crate::spot::{Operand, Source};
use crate::syntax::{ExprKind, folded_column};
use crate::trial::{Act, Change};

/// Leaves LOWER and UPPER of columns out where the comparison ignores case.
pub fn leave_out(copy: &mut Copy<'_>, fault: &Fault) -> Result<Option<Change>, Error> {
    let is_apt = |judged: &Judged| judged.site.winner.as_deref().is_some_and(ignores_case);
    let edit = |source: &Source, judged: &Judged| if is_apt(judged) { unfold(source, judged) } else { Edits::new() };
    let winner = fault.spots().filter(|judged| is_apt(judged)).find_map(|judged| judged.site.winner.clone());
    let Some(winner) = winner else { return Ok(None) };
    let what = format!("leave LOWER and UPPER of the column out: {winner} compares without regard to case");
    change_texts(copy, fault, &edit, &what)
}

/// Changes of tables for comparisons that regard case: an index of the expression, or a collation
/// that ignores case.
pub fn changes(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let is_main = fault.parts.iter().all(|(source, _)| matches!(source.place, Place::Session(_)));
    let regards_case = |judged: &&Judged| judged.site.winner.as_deref().is_some_and(|winner| !ignores_case(winner));
    if !fault.is_index() || !is_main {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for judged in fault.spots().filter(regards_case) {
        for (operand, resolved) in judged.spot.operands.iter().zip(&judged.resolved) {
            if let Some(column) = resolved.folded_column() {
                found.extend(index_expression(copy, fault, operand, column)?);
            }
        }
    }
    found.extend(ignore_case(copy, fault)?);
    Ok(found)
}

/// Names the calls of LOWER and UPPER that hide a column from its index.
pub fn describe_folds(fault: &Fault) -> Vec<String> {
    let mut found = Vec::new();
    for judged in fault.spots() {
        for (side, resolved) in judged.site.sides.iter().zip(&judged.resolved) {
            let Some(column) = resolved.folded_column() else { continue };
            let text =
                format!("{} is a function of {}, which no index of the column serves", side.text, column.title());
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

fn ignores_case(collation: &str) -> bool {
    collation.ends_with("_ci")
}

/// `LOWER(a)` becomes `a`.
fn unfold(source: &Source, judged: &Judged) -> Edits {
    let edit = |operand: &Operand| {
        let column = folded_column(&operand.expression).filter(|_| operand.is_editable)?;
        Some((operand.expression.span.clone(), source.text[column.span.clone()].to_owned()))
    };
    judged.spot.operands.iter().filter_map(edit).collect()
}

/// Adds an index of the expression. Before MySQL 8.0.13, and in MariaDB, it is one of a generated
/// column, which MySQL from 5.7 and MariaDB from 11.8 use for the expression.
fn index_expression(
    copy: &Copy<'_>,
    fault: &Fault,
    operand: &Operand,
    column: &ColumnRef,
) -> Result<Option<Change>, Error> {
    let Some(own) = column.table.column(&column.column) else { return Ok(None) };
    let ExprKind::Call { name: function, .. } = &operand.expression.kind else { return Ok(None) };
    let function = function.to_uppercase();
    let expression = format!("{function}({})", quote_identifier(&own.name));
    let (schema, table) = (column.table.schema.clone(), column.table.name.clone());
    let title = column.title();
    let (addition, what, effects) = if copy.flavour == Flavour::MySql && copy.version >= Version::new(8, 0, 13) {
        let what = format!("Add an index of {function}({title})");
        (format!("ADD INDEX (({expression}))"), what, Vec::new())
    } else {
        let name = quote_identifier(&format!("{}_{}", own.name, function.to_lowercase()));
        let (Some(characters), Some(collation)) = (own.characters, own.collation.as_deref()) else { return Ok(None) };
        let kind = format!("VARCHAR({characters}) CHARACTER SET {} COLLATE {collation}", collation_charset(collation));
        let effect = format!("INSERT INTO {table} VALUES (…) without a list of columns then fails.");
        let what = format!("Add a generated column of {function}({title}), and an index of it");
        (format!("ADD COLUMN {name} {kind} AS ({expression}) VIRTUAL, ADD INDEX ({name})"), what, vec![effect])
    };
    let statement = format!("ALTER TABLE {} {addition}", fault.subject.session.quote_table(&schema, &table));
    Ok(Some(Change {
        scope: Scope::Column,
        what,
        sql: vec![statement.clone()],
        effects,
        is_lossy: false,
        collation: None,
        act: Act::Tables {
            tables: vec![(schema, table)],
            session: Session { schema: fault.subject.session.schema.clone(), prelude: Vec::new() },
            statements: vec![statement],
            text: None,
        },
    }))
}

/// Converts the columns to a collation that ignores case, and leaves LOWER and UPPER out.
fn ignore_case(copy: &mut Copy<'_>, fault: &Fault) -> Result<Option<Change>, Error> {
    let folded = fault.spots().flat_map(|judged| &judged.resolved).filter_map(|one| one.folded_column());
    let folded = columns::unique(folded.filter(|column| column.collation().is_some_and(|own| !ignores_case(own))));
    let Some(first) = folded.first() else { return Ok(None) };
    let Some(target) = collation_without_case(copy, first)? else { return Ok(None) };
    let edits = |(source, spots): &(Source, Vec<Judged>)| -> Edits {
        spots.iter().flat_map(|judged| unfold(source, judged)).collect()
    };
    let edits: Edits = fault.parts.iter().flat_map(edits).collect();
    let text = splice(&fault.subject.text, &edits);
    let Some(mut change) = columns::convert(copy, fault, &folded, &target)? else { return Ok(None) };
    if edits.is_empty() {
        return Ok(None);
    }
    if let Act::Tables { text: rewritten, .. } = &mut change.act {
        *rewritten = Some(text.clone());
    }
    change.what += ", and leave LOWER and UPPER out of the statement";
    change.sql.push(text);
    Ok(Some(change))
}

/// Collation of a column's character set that ignores case: the most frequent in the schema, else
/// the character set's default. `None` if neither ignores case.
fn collation_without_case(copy: &Copy<'_>, column: &ColumnRef) -> Result<Option<String>, Error> {
    let Some(own) = column.collation() else { return Ok(None) };
    let charset = current_charset_name(collation_charset(own));
    let is_apt = |name: &String| {
        ignores_case(name) && current_charset_name(collation_charset(name)) == charset && !is_same_collation(name, own)
    };
    let default = copy.names(&format!(
        "SELECT DEFAULT_COLLATE_NAME FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME = {}",
        sql::quote_string(collation_charset(own))
    ))?;
    let used = copy.collations_in_use(&column.table.schema)?;
    Ok(used.into_iter().chain(default).find(is_apt))
}
