//! Two answers to one call, held against each other. Pure.

use std::collections::HashMap;

use replay::Statement;
use sql::{Kind, Mode, Token};

use crate::answer::{Answer, Field};
use crate::model::{Difference, Example, Message};

/// Rows of an example that are shown of each side.
const SHOWN: usize = 5;
/// Characters of a field that are shown.
const LONGEST: usize = 60;

/// What differs between two answers; nothing where they say the same.
pub fn differences(statement: &Statement, sample: usize, control: &Answer, treatment: &Answer) -> Vec<Difference> {
    let example = |control: Vec<String>, treatment: Vec<String>| Example {
        statement: statement.with_values(sample),
        control,
        treatment,
        why: Vec::new(),
    };
    let mut found = Vec::new();
    // Messages name columns and values in each server's own words; the number is what programs go by.
    let code = |message: &Option<Message>| message.as_ref().map(|message| message.code);
    if code(&control.error) != code(&treatment.error) {
        let example = example(messages(control.error.iter()), messages(treatment.error.iter()));
        return vec![Difference::Error { example, calls: 1 }];
    }
    if control.count != treatment.count || control.content != treatment.content {
        let (one, other) = (only(&control.rows, &treatment.rows), only(&treatment.rows, &control.rows));
        found.push(Difference::Rows { example: example(shown(&one), shown(&other)), calls: 1 });
    } else if let Some((one, other)) = other_order(statement, control, treatment) {
        found.push(Difference::Order { example: example(shown(&[one]), shown(&[other])), calls: 1 });
    }
    if control.affected != treatment.affected && control.columns.is_empty() {
        let number = |answer: &Answer| vec![answer.affected.to_string()];
        found.push(Difference::Affected { example: example(number(control), number(treatment)), calls: 1 });
    }
    let codes = |answer: &Answer| answer.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>();
    if codes(control) != codes(treatment) {
        let example = example(messages(control.warnings.iter()), messages(treatment.warnings.iter()));
        found.push(Difference::Warnings { example, calls: 1 });
    }
    found
}

fn messages<'m>(messages: impl Iterator<Item = &'m Message>) -> Vec<String> {
    messages.take(SHOWN).map(|message| format!("{}: {}", message.code, message.message)).collect()
}

/// Rows that the other side lacks, as a multiset.
pub fn only<'r>(rows: &'r [Vec<Field>], others: &[Vec<Field>]) -> Vec<&'r [Field]> {
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

fn shown(rows: &[&[Field]]) -> Vec<String> {
    let field = |field: &Field| match field {
        None => "NULL".to_owned(),
        Some(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
            let more = if text.chars().count() > LONGEST { "…" } else { "" };
            format!("'{short}{more}'")
        }
    };
    rows.iter().take(SHOWN).map(|row| row.iter().map(field).collect::<Vec<_>>().join(", ")).collect()
}

/// The first place at which the columns of `ORDER BY` differ between the same rows in two orders. Rows that are equal in these columns may
/// come in any order, and columns that aren't selected can't be held against each other.
fn other_order<'a>(
    statement: &Statement,
    control: &'a Answer,
    treatment: &'a Answer,
) -> Option<(&'a [Field], &'a [Field])> {
    let places = order_columns(statement, &control.columns)?;
    let differs =
        |pair: &(&Vec<Field>, &Vec<Field>)| places.iter().any(|place| pair.0.get(*place) != pair.1.get(*place));
    let (one, other) = control.rows.iter().zip(&treatment.rows).find(differs)?;
    Some((one.as_slice(), other.as_slice()))
}

/// The places of the columns that a statement orders by, where all are selected.
fn order_columns(statement: &Statement, columns: &[String]) -> Option<Vec<usize>> {
    if !statement.is_ordered {
        return None;
    }
    let tokens: Vec<Token<'_>> =
        sql::tokens(&statement.text, Mode::default()).filter(|token| token.kind != Kind::Comment).collect();
    let begin = tokens.windows(2).rposition(|pair| pair[0].is("order") && pair[1].is("by"))?;
    let clause = tokens[begin + 2..].iter().take_while(|token| !token.is_any(&["limit", "for", "into", "lock"]));
    let mut places = Vec::new();
    let mut item: Vec<&Token<'_>> = Vec::new();
    for token in clause {
        if token.is_symbol(',') {
            places.push(place_of(&item, columns)?);
            item.clear();
        } else {
            item.push(token);
        }
    }
    places.push(place_of(&item, columns)?);
    Some(places)
}

/// The place of the column that an item of `ORDER BY` names; `None` for an expression.
fn place_of(item: &[&Token<'_>], columns: &[String]) -> Option<usize> {
    let item = match item {
        [item @ .., last] if last.is_any(&["asc", "desc"]) => item,
        item => item,
    };
    match item {
        [name] => position(name, columns),
        [_, dot, name] if dot.is_symbol('.') => position(name, columns),
        _ => None,
    }
}

fn position(name: &Token<'_>, columns: &[String]) -> Option<usize> {
    if let Ok(ordinal) = name.text.parse::<usize>() {
        return ordinal.checked_sub(1).filter(|place| *place < columns.len());
    }
    let name = name.name()?;
    columns.iter().position(|column| column.eq_ignore_ascii_case(&name))
}

/// Counts a call's differences to those of earlier calls; the first example of each kind stays.
pub fn add(all: &mut Vec<Difference>, more: Vec<Difference>) {
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
