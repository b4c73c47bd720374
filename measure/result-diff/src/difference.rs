//! Comparison of two results of one call.

use std::collections::HashMap;

use sql::Token;
use workload_folder::Statement;

use crate::call::{CallResult, Field};
use crate::model::{Difference, Example, ServerMessage};

/// Maximum number of rows of an example per side.
const MAX_SHOWN_ROWS: usize = 5;
/// Maximum number of characters of a field in an example.
const MAX_SHOWN_CHARACTERS: usize = 60;

/// Returns the differences between two results. If the errors differ, nothing else is compared.
pub fn compare_results(
    statement: &Statement,
    sample: usize,
    control: &CallResult,
    treatment: &CallResult,
) -> Vec<Difference> {
    let example = |control: Vec<String>, treatment: Vec<String>| Example {
        statement: statement.with_values(sample),
        control,
        treatment,
        why: Vec::new(),
    };
    let mut found = Vec::new();
    // Only error numbers are compared: message texts name columns and values differently on each
    // side.
    let code = |message: &Option<ServerMessage>| message.as_ref().map(|message| message.code);
    if code(&control.error) != code(&treatment.error) {
        let example = example(format_messages(control.error.iter()), format_messages(treatment.error.iter()));
        return vec![Difference::Error { example, calls: 1 }];
    }
    if control.count != treatment.count || control.content_hash != treatment.content_hash {
        let (one, other) = (rows_only_in(&control.rows, &treatment.rows), rows_only_in(&treatment.rows, &control.rows));
        found.push(Difference::Rows { example: example(format_rows(&one), format_rows(&other)), calls: 1 });
    } else if let Some((one, other)) = first_order_difference(statement, control, treatment) {
        found.push(Difference::Order { example: example(format_rows(&[one]), format_rows(&[other])), calls: 1 });
    }
    if control.affected != treatment.affected && control.columns.is_empty() {
        let number = |answer: &CallResult| vec![answer.affected.to_string()];
        found.push(Difference::Affected { example: example(number(control), number(treatment)), calls: 1 });
    }
    let codes = |answer: &CallResult| answer.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>();
    if codes(control) != codes(treatment) {
        let example = example(format_messages(control.warnings.iter()), format_messages(treatment.warnings.iter()));
        found.push(Difference::Warnings { example, calls: 1 });
    }
    found
}

fn format_messages<'m>(messages: impl Iterator<Item = &'m ServerMessage>) -> Vec<String> {
    messages.take(MAX_SHOWN_ROWS).map(|message| format!("{}: {}", message.code, message.message)).collect()
}

/// Returns the rows that `others` lacks. A row that occurs twice here and once there is returned
/// once.
pub fn rows_only_in<'r>(rows: &'r [Vec<Field>], others: &[Vec<Field>]) -> Vec<&'r [Field]> {
    let mut left: HashMap<&[Field], u64> = HashMap::new();
    for other in others {
        *left.entry(other).or_default() += 1;
    }
    let is_alone = |row: &&Vec<Field>| match left.get_mut(row.as_slice()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    rows.iter().filter(is_alone).map(Vec::as_slice).collect()
}

fn format_rows(rows: &[&[Field]]) -> Vec<String> {
    let field = |field: &Field| match field {
        None => "NULL".to_owned(),
        Some(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let short: String = text.chars().take(MAX_SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
            let more = if text.chars().count() > MAX_SHOWN_CHARACTERS { "…" } else { "" };
            format!("'{short}{more}'")
        }
    };
    rows.iter().take(MAX_SHOWN_ROWS).map(|row| row.iter().map(field).collect::<Vec<_>>().join(", ")).collect()
}

/// Returns the first two rows with the same position in the two results that differ in the columns
/// of `ORDER BY`. Both results must have the same rows. `None` without `ORDER BY`, and if it has an
/// expression or a column that isn't selected. Rows with the same bytes in these columns may come
/// in any order. Texts that differ in bytes, and are equal under a collation, may not.
fn first_order_difference<'a>(
    statement: &Statement,
    control: &'a CallResult,
    treatment: &'a CallResult,
) -> Option<(&'a [Field], &'a [Field])> {
    let positions = order_by_positions(statement, &control.columns)?;
    let differs = |pair: &(&Vec<Field>, &Vec<Field>)| {
        positions.iter().any(|position| pair.0.get(*position) != pair.1.get(*position))
    };
    let (one, other) = control.rows.iter().zip(&treatment.rows).find(differs)?;
    Some((one.as_slice(), other.as_slice()))
}

/// Returns the result positions of the `ORDER BY` columns. `None` without `ORDER BY`, and if a
/// column of it is not selected.
fn order_by_positions(statement: &Statement, columns: &[String]) -> Option<Vec<usize>> {
    if !statement.is_ordered {
        return None;
    }
    let tokens = sql::tokenize_uncommented(&statement.text, statement.mode());
    let begin = tokens.windows(2).rposition(|pair| pair[0].is_keyword("order") && pair[1].is_keyword("by"))?;
    let clause =
        tokens[begin + 2..].iter().take_while(|token| !token.is_any_keyword(&["limit", "for", "into", "lock"]));
    let mut positions = Vec::new();
    let mut item: Vec<&Token<'_>> = Vec::new();
    for token in clause {
        if token.is_symbol(',') {
            positions.push(item_position(&item, columns)?);
            item.clear();
        } else {
            item.push(token);
        }
    }
    positions.push(item_position(&item, columns)?);
    Some(positions)
}

/// Returns the result position of an `ORDER BY` item; `None` for an expression or a column that
/// isn't selected.
fn item_position(item: &[&Token<'_>], columns: &[String]) -> Option<usize> {
    let item = match item {
        [item @ .., last] if last.is_any_keyword(&["asc", "desc"]) => item,
        item => item,
    };
    match item {
        [name] => column_position(name, columns),
        [_, dot, name] if dot.is_symbol('.') => column_position(name, columns),
        _ => None,
    }
}

fn column_position(name: &Token<'_>, columns: &[String]) -> Option<usize> {
    if let Ok(ordinal) = name.text.parse::<usize>() {
        return ordinal.checked_sub(1).filter(|position| *position < columns.len());
    }
    let name = name.name()?;
    columns.iter().position(|column| column.eq_ignore_ascii_case(&name))
}

/// Adds the differences of a call to those of earlier calls. The first example of each kind is
/// kept.
pub fn merge_differences(all: &mut Vec<Difference>, more: Vec<Difference>) {
    for one in more {
        let known = all.iter_mut().find(|known| std::mem::discriminant(*known) == std::mem::discriminant(&one));
        match known {
            Some(
                Difference::Rows { calls, .. }
                | Difference::Order { calls, .. }
                | Difference::Affected { calls, .. }
                | Difference::Warnings { calls, .. }
                | Difference::Error { calls, .. },
            ) => *calls += 1,
            None => all.push(one),
        }
    }
}
