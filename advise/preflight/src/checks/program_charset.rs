//! The old character set that stays in programs which name a converted column: in what they
//! declare, and in columns that a trigger writes to. Findings of the check `program-mix`.

use audit::{Declaration, created_table, declared_parameters, declared_variables};
use check::Severity;
use facts::{Column, Table};
use rehearsal::{Kind, Object as Program};
use server::{collation_charset, current_charset_name};
use sql::Token;

use super::program_mix::program_finding;
use crate::finding::Finding;
use crate::job::{Conversion, Job};

/// Returns a finding if the program names a column that gets more characters, and keeps the old
/// character set elsewhere. `tables` are the tables that the program names.
pub(super) fn check(job: &Job<'_>, program: &Program, tokens: &[Token<'_>], tables: &[&Table]) -> Option<Finding> {
    let is_named =
        |name: &str| tokens.iter().any(|token| token.name().is_some_and(|own| own.eq_ignore_ascii_case(name)));
    let converted = tables.iter().filter_map(|table| job.table(&table.schema, &table.name));
    let mut widened = converted.flat_map(|table| {
        let widened = table.conversions.iter().filter(|one| gets_characters(one) && is_named(&one.column.name));
        widened.map(move |conversion| (table, conversion))
    });
    let (table, conversion, kept) = widened.find_map(|(table, conversion)| {
        let old = current_charset_name(conversion.source_charset_name());
        let is_own = program.table.as_deref() == Some(&table.table.name) && program.name.schema == table.table.schema;
        let written = || if is_own { find_written(job, table.table, tokens, tables, old) } else { None };
        Some((table, conversion, find_declared(program, tokens, old).or_else(written)?))
    })?;
    let old = current_charset_name(conversion.source_charset_name());
    let mut finding = program_finding(job, program, Severity::Warning);
    finding.what = format!(
        "{} keeps {old}, and {}, which the program names, becomes {}",
        kept.label,
        table.column_name(&conversion.column.name),
        conversion.planned_target().name
    );
    finding.why =
        format!("characters that {old} lacks stop it after the plan (error 1366), or become ? outside of strict mode");
    finding.action = kept.action;
    Some(finding)
}

/// Text that keeps its character set.
struct Kept {
    /// `the parameter n`, `v1log.audit.who`.
    label: String,
    action: String,
}

/// True if the plan gives a column a character set with more characters.
fn gets_characters(conversion: &Conversion<'_>) -> bool {
    let extent = |charset: &str| match current_charset_name(charset) {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" => 2,
        "utf8mb3" | "ucs2" => 1,
        _ => 0,
    };
    extent(&conversion.planned_target().charset) > extent(conversion.source_charset_name())
}

/// Finds a parameter, a variable or a column of a temporary table that is declared in the character
/// set.
fn find_declared(program: &Program, tokens: &[Token<'_>], charset: &str) -> Option<Kept> {
    let is_of = |declared: &Declaration, default: Option<&str>| {
        let of_collation = declared.collation.as_deref().map(collation_charset);
        let own = declared.charset.as_deref().or(of_collation).or(default);
        own.is_some_and(|own| current_charset_name(own) == charset)
    };
    let kept = |label: String| Kept { action: format!("declare {label} in the new character set"), label };
    let has_parameters = matches!(program.name.kind, Kind::Function | Kind::Procedure);
    let open = tokens.iter().position(|token| token.is_symbol('(')).filter(|_| has_parameters);
    let (parameters, close) = open.map_or((Vec::new(), 0), |open| declared_parameters(tokens, open));
    if let Some(parameter) = parameters.iter().find(|parameter| is_of(parameter, None)) {
        return Some(kept(format!("the parameter {}", parameter.name)));
    }
    tokens.get(close..)?.split(|token| token.is_symbol(';')).find_map(|part| {
        if let Some(variable) = declared_variables(part).iter().find(|variable| is_of(variable, None)) {
            return Some(kept(format!("the variable {}", variable.name)));
        }
        let table = created_table(part)?;
        let default = table.charset.as_deref().or(table.collation.as_deref().map(collation_charset));
        let column = table.columns.iter().find(|column| is_of(column, default))?;
        Some(kept(format!("the column {}.{}", table.name, column.name)))
    })
}

/// Finds a column of the character set that is not converted, in another table that the program
/// writes to.
fn find_written(job: &Job<'_>, own: &Table, tokens: &[Token<'_>], tables: &[&Table], charset: &str) -> Option<Kept> {
    let is_named =
        |name: &str| tokens.iter().any(|token| token.name().is_some_and(|own| own.eq_ignore_ascii_case(name)));
    tables.iter().filter(|table| !std::ptr::eq(**table, own)).find_map(|table| {
        let lists_columns = find_write(tokens, &table.name)?;
        let stays = |column: &&Column| {
            let is_of = column.charset.as_deref().is_some_and(|own| current_charset_name(own) == charset);
            is_of
                && !job.converts(&table.schema, &table.name, &column.name)
                && (!lists_columns || is_named(&column.name))
        };
        let column = table.columns.iter().find(stays)?;
        let label = check::column_name(&table.schema, &table.name, &column.name);
        Some(Kept { action: format!("convert {label} in the same run"), label })
    })
}

/// Finds the INSERT, REPLACE or UPDATE of a table. Returns whether it names columns. `None` without
/// one.
fn find_write(tokens: &[Token<'_>], table: &str) -> Option<bool> {
    const WRITES: [&str; 4] = ["into", "insert", "replace", "update"];
    tokens.iter().enumerate().find_map(|(at, token)| {
        let is_table = token.name().is_some_and(|name| name == table);
        let is_qualified = at >= 2 && tokens[at - 1].is_symbol('.');
        let before = at.checked_sub(if is_qualified { 3 } else { 1 })?;
        let verb = tokens[before].is_any_keyword(&["ignore", "delayed", "low_priority"]).then(|| before.checked_sub(1));
        let verb = &tokens[verb.unwrap_or(Some(before))?];
        let names_columns = verb.is_keyword("update")
            || tokens.get(at + 1).is_some_and(|next| next.is_symbol('(') || next.is_keyword("set"));
        (is_table && verb.is_any_keyword(&WRITES)).then_some(names_columns)
    })
}

#[cfg(test)]
mod tests {
    use sql::{SqlMode, tokenize};

    use super::*;

    #[test]
    fn finds_writes() {
        let write = |text: &str| find_write(&tokenize(text, SqlMode::default()).collect::<Vec<_>>(), "lg");
        assert_eq!(write("BEGIN INSERT IGNORE INTO `far`.lg (who) VALUES (NEW.a); END"), Some(true));
        assert_eq!(write("INSERT INTO lg VALUES (1, NEW.a)"), Some(false));
        assert_eq!(write("UPDATE lg SET who = NEW.a"), Some(true));
        assert_eq!(write("SELECT who FROM lg"), None);
    }
}
