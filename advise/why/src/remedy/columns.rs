//! Columns and tables converted to another collation.

use server::{collation_charset, is_same_collation};
use sql::{ddl, quote_identifier};

use super::{Fault, breadth};
use crate::Error;
use crate::copy::{Copy, Session};
use crate::dictionary::{Column, Table};
use crate::model::{Kind, Origin, Scope};
use crate::origin::ColumnRef;
use crate::trial::{Act, Change};

/// Returns conversions of the compared columns to a common collation: the collation of a column, of
/// a COLLATE clause, of a parameter or of a literal. The most frequent collation of the schema is
/// first. Whole tables are converted only to the default of the schema, or to the collation of more
/// than half of its text columns.
pub fn changes(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let columns = columns(fault);
    let mut targets: Vec<String> = Vec::new();
    for column in &columns {
        let own = column.collation().map(str::to_owned);
        targets.extend(own.filter(|own| !targets.iter().any(|known| is_same_collation(known, own))));
    }
    // An index that is lost by a COLLATE clause is used if the column has the collation of the
    // clause.
    let explicit = fault
        .spots()
        .flat_map(|judged| &judged.site.sides)
        .filter(|side| fault.is_index() && side.origin == Origin::Collate);
    let parameters =
        fault.spots().flat_map(|judged| &judged.site.sides).filter(|side| side.origin == Origin::Parameter);
    let broadest = columns
        .iter()
        .filter_map(|column| column.collation())
        .map(|own| breadth(collation_charset(own)))
        .max()
        .unwrap_or(0);
    // A literal is refused if the character sets of the columns lack one of its characters.
    let literals = fault.spots().flat_map(|judged| &judged.site.sides).filter(|side| {
        let is_literal = matches!(side.origin, Origin::Connection | Origin::Introducer);
        fault.kind == Kind::Refused && is_literal && breadth(&side.charset) > broadest
    });
    for side in explicit.chain(parameters).chain(literals) {
        if !targets.iter().any(|known| is_same_collation(known, &side.collation)) {
            targets.push(side.collation.clone());
        }
    }
    let mut standard: Vec<(String, &str)> = Vec::new();
    if let Some(schema) = columns.first().map(|column| column.table.schema.clone()) {
        let used = copy.collations_in_use(&schema)?;
        targets.sort_by_key(|target| used.iter().position(|one| is_same_collation(one, target)).unwrap_or(usize::MAX));
        standard.extend(copy.schema_collation(&schema)?.map(|own| (own, "is the schema's default")));
        standard
            .extend(copy.majority_collation(&schema)?.map(|own| (own, "is that of most text columns of the schema")));
    }
    let mut found = Vec::new();
    for target in targets.iter().filter(|target| breadth(collation_charset(target)) >= broadest) {
        let conversion = Conversion { fault, columns: &columns, target };
        found.extend(conversion.convert_columns(copy)?);
        if let Some((_, reason)) = standard.iter().find(|(own, _)| is_same_collation(own, target)) {
            found.extend(conversion.convert_tables(copy, reason)?);
        }
    }
    Ok(found)
}

/// Returns the conversion of the given columns to a collation. `None` if a definition is not
/// understood.
pub fn convert(
    copy: &mut Copy<'_>,
    fault: &Fault,
    columns: &[ColumnRef],
    target: &str,
) -> Result<Option<Change>, Error> {
    Conversion { fault, columns, target }.convert_columns(copy)
}

/// Returns the compared columns, without duplicates.
fn columns(fault: &Fault) -> Vec<ColumnRef> {
    let resolved = fault.spots().flat_map(|judged| &judged.resolved);
    unique(resolved.flat_map(|resolved| resolved.column.iter().chain(&resolved.inner)))
}

/// Removes duplicates.
pub fn unique<'c>(columns: impl Iterator<Item = &'c ColumnRef>) -> Vec<ColumnRef> {
    let mut found: Vec<ColumnRef> = Vec::new();
    for column in columns {
        let is_known = |known: &ColumnRef| {
            known.table.schema == column.table.schema
                && known.table.name == column.table.name
                && known.column.eq_ignore_ascii_case(&column.column)
        };
        if !found.iter().any(is_known) {
            found.push(column.clone());
        }
    }
    found
}

/// Conversion of compared columns to a collation.
struct Conversion<'c> {
    fault: &'c Fault,
    columns: &'c [ColumnRef],
    target: &'c str,
}

impl Conversion<'_> {
    /// Columns with another collation, by table.
    fn wrong(&self) -> Vec<Vec<&ColumnRef>> {
        let mut tables: Vec<Vec<&ColumnRef>> = Vec::new();
        for column in self.columns {
            if column.collation().is_none_or(|own| is_same_collation(own, self.target)) {
                continue;
            }
            let is_of = |known: &&mut Vec<&ColumnRef>| {
                known[0].table.schema == column.table.schema && known[0].table.name == column.table.name
            };
            match tables.iter_mut().find(is_of) {
                Some(known) => known.push(column),
                None => tables.push(vec![column]),
            }
        }
        tables
    }

    /// Converts the columns alone. `None` without such columns, or if a definition is not
    /// understood.
    fn convert_columns(&self, copy: &mut Copy<'_>) -> Result<Option<Change>, Error> {
        let (mut statements, mut titles, mut effects) = (Vec::new(), Vec::new(), Vec::new());
        let wrong = self.wrong();
        for columns in &wrong {
            let Some(statement) = self.modify(copy, columns)? else { return Ok(None) };
            statements.push(statement);
            titles.extend(columns.iter().map(|column| column.title()));
            effects.extend(describe_rest(columns));
        }
        Ok(self.change(Scope::Column, &titles, &wrong, statements, effects))
    }

    fn modify(&self, copy: &mut Copy<'_>, columns: &[&ColumnRef]) -> Result<Option<String>, Error> {
        let table = &columns[0].table;
        let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
        let mut parts = Vec::new();
        for one in columns {
            let name = table.column(&one.column).map_or(one.column.as_str(), |found| found.name.as_str());
            let Some(definition) = ddl::find_column(&create, name) else { return Ok(None) };
            let definition = ddl::with_collation(definition, collation_charset(self.target), self.target, None);
            parts.push(format!("MODIFY {} {definition}", quote_identifier(name)));
        }
        let name = self.fault.subject.session.quote_table(&table.schema, &table.name);
        Ok(Some(format!("ALTER TABLE {name} {}", parts.join(", "))))
    }

    /// Converts whole tables if all text columns have the default collation of their table, else
    /// the columns alone. `None` unless a whole table with further text columns is converted.
    fn convert_tables(&self, copy: &mut Copy<'_>, reason: &str) -> Result<Option<Change>, Error> {
        let (mut statements, mut titles, mut is_any) = (Vec::new(), Vec::new(), false);
        let wrong = self.wrong();
        for columns in &wrong {
            let table = &columns[0].table;
            if text_columns(table).count() > 1 && is_uniform(table) {
                is_any = true;
                let name = self.fault.subject.session.quote_table(&table.schema, &table.name);
                let charset = collation_charset(self.target);
                statements
                    .push(format!("ALTER TABLE {name} CONVERT TO CHARACTER SET {charset} COLLATE {}", self.target));
                titles.push(format!("the whole table {}", table.name));
            } else {
                let Some(statement) = self.modify(copy, columns)? else { return Ok(None) };
                statements.push(statement);
                titles.extend(columns.iter().map(|column| column.title()));
            }
        }
        let effects = vec![format!("{} {reason}.", self.target)];
        let change = self.change(Scope::Table, &titles, &wrong, statements, effects);
        Ok(change.filter(|_| is_any))
    }

    fn change(
        &self,
        scope: Scope,
        titles: &[String],
        wrong: &[Vec<&ColumnRef>],
        statements: Vec<String>,
        mut effects: Vec<String>,
    ) -> Option<Change> {
        if statements.is_empty() {
            return None;
        }
        let target = self.target;
        let command = super::preflight(target);
        effects.push(format!("Rows can collide or lose characters: {command} reads them first."));
        let session = Session { schema: self.fault.subject.session.schema.clone(), prelude: Vec::new() };
        let tables = wrong.iter().map(|columns| &columns[0].table);
        let tables = tables.map(|table| (table.schema.clone(), table.name.clone())).collect();
        Some(Change {
            scope,
            what: format!("Convert {} to {target}", titles.join(" and ")),
            sql: statements.clone(),
            effects,
            is_lossy: false,
            collation: Some(target.to_owned()),
            act: Act::Tables { tables, session, statements, text: None },
        })
    }
}

fn text_columns(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| column.collation.is_some())
}

/// True if all text columns have the collation of the table's default.
fn is_uniform(table: &Table) -> bool {
    let Some(default) = table.collation.as_deref() else { return false };
    text_columns(table).filter_map(|column| column.collation.as_deref()).all(|own| is_same_collation(own, default))
}

/// Names the collations that the other text columns of a table keep. `None` without such columns.
fn describe_rest(converted: &[&ColumnRef]) -> Option<String> {
    let table = &converted[0].table;
    let is_rest = |column: &&Column| !converted.iter().any(|one| one.column.eq_ignore_ascii_case(&column.name));
    let mut kept: Vec<&str> = text_columns(table).filter(is_rest).filter_map(|one| one.collation.as_deref()).collect();
    kept.sort_unstable();
    kept.dedup();
    (!kept.is_empty()).then(|| format!("Other text columns of {} keep {}.", table.name, kept.join(", ")))
}
