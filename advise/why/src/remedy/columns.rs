//! Columns and tables converted to another collation.

use server::{collation_charset, is_same_collation};
use sql::{ddl, quote_identifier};

use super::{Fault, breadth};
use crate::Error;
use crate::copy::{Copy, Session};
use crate::model::{Origin, Scope};
use crate::origin::ColumnRef;
use crate::trial::{Act, Change};

/// Conversions of the columns that take part to one collation: that of a column, of a COLLATE
/// clause or of a parameter. The collation that most columns of the schema have is first.
pub fn changes(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let columns = columns(fault);
    let mut targets: Vec<String> = Vec::new();
    for column in &columns {
        let own = column.collation().map(str::to_owned);
        targets.extend(own.filter(|own| !targets.iter().any(|known| is_same_collation(known, own))));
    }
    // If a COLLATE clause loses the index, the column could have that collation.
    let explicit = fault
        .spots()
        .flat_map(|judged| &judged.site.sides)
        .filter(|side| fault.is_index() && side.origin == Origin::Collate);
    let parameters =
        fault.spots().flat_map(|judged| &judged.site.sides).filter(|side| side.origin == Origin::Parameter);
    for side in explicit.chain(parameters) {
        if !targets.iter().any(|known| is_same_collation(known, &side.collation)) {
            targets.push(side.collation.clone());
        }
    }
    if let Some(schema) = columns.first().map(|column| column.table.schema.clone()) {
        let used = copy.collations_in_use(&schema)?;
        targets.sort_by_key(|target| used.iter().position(|one| is_same_collation(one, target)).unwrap_or(usize::MAX));
    }
    let broadest = columns
        .iter()
        .filter_map(|column| column.collation())
        .map(|own| breadth(collation_charset(own)))
        .max()
        .unwrap_or(0);
    let mut found = Vec::new();
    for target in targets.iter().filter(|target| breadth(collation_charset(target)) >= broadest) {
        found.extend(convert(copy, fault, &columns, target)?);
    }
    Ok(found)
}

/// Columns that take part, each once.
fn columns(fault: &Fault) -> Vec<ColumnRef> {
    let mut found: Vec<ColumnRef> = Vec::new();
    for column in fault
        .spots()
        .flat_map(|judged| &judged.resolved)
        .flat_map(|resolved| resolved.column.iter().chain(&resolved.inner))
    {
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

fn convert(copy: &mut Copy<'_>, fault: &Fault, columns: &[ColumnRef], target: &str) -> Result<Option<Change>, Error> {
    let charset = collation_charset(target);
    let (mut statements, mut tables, mut titles, mut scope) = (Vec::new(), Vec::new(), Vec::new(), Scope::Column);
    let differs = |column: &&ColumnRef| column.collation().is_some_and(|own| !is_same_collation(own, target));
    let wrong: Vec<&ColumnRef> = columns.iter().filter(differs).collect();
    for column in &wrong {
        let table = &column.table;
        let place = (table.schema.clone(), table.name.clone());
        if tables.contains(&place) {
            continue;
        }
        let of_table: Vec<&&ColumnRef> =
            wrong.iter().filter(|one| one.table.schema == table.schema && one.table.name == table.name).collect();
        let own = column.collation().unwrap_or_default();
        let texts = || table.columns.iter().filter_map(|one| one.collation.as_deref());
        let is_uniform = texts().all(|other| is_same_collation(other, own))
            && table.collation.as_deref().is_some_and(|default| is_same_collation(default, own));
        let name = fault.subject.session.quote_table(&table.schema, &table.name);
        if is_uniform && texts().count() > 1 {
            statements.push(format!("ALTER TABLE {name} CONVERT TO CHARACTER SET {charset} COLLATE {target}"));
            titles.push(format!("table {}", table.name));
            scope = Scope::Table;
        } else {
            let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
            let mut parts = Vec::new();
            for one in of_table {
                let real = table.column(&one.column).map_or(one.column.as_str(), |found| found.name.as_str());
                let Some(definition) = ddl::find_column(&create, real) else { return Ok(None) };
                let definition = ddl::with_collation(definition, charset, target, None);
                parts.push(format!("MODIFY {} {definition}", quote_identifier(real)));
                titles.push(one.title());
            }
            statements.push(format!("ALTER TABLE {name} {}", parts.join(", ")));
        }
        tables.push(place);
    }
    if statements.is_empty() {
        return Ok(None);
    }
    let session = Session { schema: fault.subject.session.schema.clone(), prelude: Vec::new() };
    Ok(Some(Change {
        scope,
        what: format!("Convert {} to {target}", titles.join(" and ")),
        sql: statements.clone(),
        effects: vec![format!("Rows can collide or lose characters: weigh preflight --to {target} reads them first.")],
        collation: Some(target.to_owned()),
        act: Act::Tables { tables, session, statements },
    }))
}
