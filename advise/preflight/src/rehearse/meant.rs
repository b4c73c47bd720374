//! Changes that the plan means to make.

use check::table_name;
use facts::Index;
use rehearsal::{Change, Kind};

use crate::job::Job;
use crate::limits::becomes_hash;
use crate::model::{Phase, Plan, Step};
use crate::plan::{dependent_columns, without_conversions, without_return_charset};

pub fn is_meant(job: &Job<'_>, plan: &Plan, change: &Change) -> bool {
    let Some(part) = change.part.as_deref() else { return false };
    let steps = || plan.steps.iter().filter(|step| !step.blocked);
    match change.object.kind {
        Kind::Schema => part == "collation" && steps().any(|step| step.object == change.object.schema),
        Kind::Table => is_meant_of_table(job, &steps().collect::<Vec<_>>(), change, part),
        Kind::Sequence => false,
        // A program that is created again gets the session's character set and collations.
        _ => {
            let name = table_name(&change.object.schema, &change.object.name);
            let is_created = steps().any(|step| step.phase == Phase::Programs && step.object == name);
            let is_setting = part.starts_with("collation of its ") || part.starts_with("character set of its ");
            is_created
                && (is_setting
                    || part == "definition" && (changes_return_only(change) || removes_conversions(job, change)))
        }
    }
}

/// True if the definitions of a function differ only in the character set of its result.
fn changes_return_only(change: &Change) -> bool {
    let rest = |create: &Option<String>| without_return_charset(create.as_deref().unwrap_or_default());
    change.object.kind == Kind::Function && rest(&change.before) == rest(&change.after)
}

/// True if the plan creates a view without CONVERT.
fn removes_conversions(job: &Job<'_>, change: &Change) -> bool {
    let object = job.definitions.find(Kind::View, &change.object.schema, &change.object.name);
    let planned = object.and_then(|object| without_conversions(job, object));
    change.object.kind == Kind::View && planned.is_some() && planned == change.after
}

fn is_meant_of_table(job: &Job<'_>, steps: &[&Step], change: &Change, part: &str) -> bool {
    let name = table_name(&change.object.schema, &change.object.name);
    let Some(table) = job.table(&change.object.schema, &change.object.name) else {
        return part == "collation" && steps.iter().any(|step| step.phase == Phase::Defaults && step.object == name);
    };
    let alters: Vec<&str> = steps.iter().filter(|step| step.object == name).map(|step| step.sql.as_str()).collect();
    let after = change.after.as_deref().unwrap_or_default();
    let conversion = |prefix: &str| table.conversion(&unquote(part.strip_prefix(prefix)?)?);
    if part == "collation" {
        return steps.iter().any(|step| step.phase == Phase::Defaults && step.object == name);
    }
    if part.starts_with("column ") || part.starts_with("constraint ") {
        // Servers rewrite the introducers of literals in expressions. MySQL prints _utf8mb3'x' as
        // _utf8mb4'x'. Next to a column that becomes utf8mb4, MariaDB 10.11 and 11.4 print
        // _latin1'x' as 'x'. The values stay.
        let before = change.before.as_deref().unwrap_or_default();
        if without_introducers(before) == without_introducers(after) {
            return true;
        }
    }
    if let Some(column) = part.strip_prefix("values of ").and_then(unquote) {
        // A generated value follows its expression under the new collation. `rehearsal::prove`
        // compares it with a recomputed one.
        if dependent_columns(table).contains(&column.as_str()) {
            return true;
        }
        // A repair makes a new version of a row, with a new time (MariaDB).
        let is_repaired = || {
            let of_table =
                |object: &str| table.conversions.iter().any(|one| table.column_name(&one.column.name) == object);
            steps.iter().any(|step| step.phase == Phase::Repair && of_table(&step.object))
        };
        if is_row_time(table.table, &column) && is_repaired() {
            return true;
        }
    }
    if let Some(conversion) = conversion("collation of ") {
        return after.eq_ignore_ascii_case(&conversion.planned_target().name);
    }
    if let Some(conversion) = conversion("column ") {
        // The plan changes a type only to a TEXT type, which its MODIFY names.
        let new_type = after.split([' ', '(']).next().unwrap_or_default();
        let modify = format!("MODIFY {} {new_type} ", sql::quote_identifier(&conversion.column.name));
        return new_type.ends_with("text")
            && new_type != conversion.column.data_type
            && alters.iter().any(|sql| sql.contains(&modify));
    }
    if let Some(conversion) = conversion("values of ") {
        let column = table.column_name(&conversion.column.name);
        return steps.iter().any(|step| step.phase == Phase::Repair && step.object == column);
    }
    if part == "options" {
        return alters.iter().any(|sql| sql.contains("ROW_FORMAT=DYNAMIC"));
    }
    if let Some(name) = part.strip_prefix("key ").and_then(unquote) {
        // The check `key-length` reports that the index becomes a hash index.
        let is_hash = after.strip_suffix(" USING HASH") == change.before.as_deref();
        let becomes_hash = |index: &Index| index.name == name && becomes_hash(job.facts, table, index, 0);
        if is_hash && table.table.indexes.iter().any(becomes_hash) {
            return true;
        }
    }
    // The ALTER adds the index in this form.
    let added = format!("ADD {}", definition_head(after));
    (part.starts_with("key ") || part == "primary key") && alters.iter().any(|sql| sql.contains(&added))
}

/// True for the columns of a system-versioned table with the times of its rows.
fn is_row_time(table: &facts::Table, column: &str) -> bool {
    let generated = table.column(column).and_then(|column| column.generated.as_ref());
    generated.is_some_and(|one| ["ROW START", "ROW END"].iter().any(|time| one.expression.eq_ignore_ascii_case(time)))
}

/// Returns a quoted name without its backticks. `None` if it is not quoted.
fn unquote(name: &str) -> Option<String> {
    Some(name.strip_prefix('`')?.strip_suffix('`')?.replace("``", "`"))
}

/// Returns a definition in which `_utf8mb3'x'` is `'x'`.
fn without_introducers(definition: &str) -> String {
    let mut text = String::with_capacity(definition.len());
    let mut rest = definition;
    while let Some(at) = rest.find('_') {
        let word = rest[at + 1..].chars().take_while(char::is_ascii_alphanumeric).count();
        text.push_str(&rest[..at]);
        let is_introducer =
            word > 0 && rest[at + 1 + word..].starts_with('\'') && !text.ends_with(char::is_alphanumeric);
        if !is_introducer {
            text.push_str(&rest[at..at + 1 + word]);
        }
        rest = &rest[at + 1 + word..];
    }
    text + rest
}

/// Returns an index's definition up to its parts, as the plan writes it.
fn definition_head(definition: &str) -> &str {
    definition.find(" (").map_or(definition, |at| &definition[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_introducers_only() {
        assert_eq!(without_introducers("(`a_b` = _utf8mb3'x_y')"), "(`a_b` = 'x_y')");
    }
}
