//! Numbers that are compared with text. The servers compare both as numbers, so that no index of the
//! column serves.

use std::collections::HashMap;

use sql::quote_string;

use crate::Error;
use crate::copy::Copy;
use crate::judge::{Judged, MAX_ASKED, program_title};
use crate::model::{Side, Site};
use crate::origin::Resolved;
use crate::remedy::{Fault, change_texts};
use crate::spot::{Operand, Source, Spot, SpotKind};
use crate::syntax::ExprKind;
use crate::trial::Change;

/// Returns the column and the first number of `column = 1` and `column IN (1, 'a')`. `None` for
/// other expressions, and unless all numbers are whole.
fn column_and_number(spot: &Spot) -> Option<(&Operand, &Operand)> {
    if spot.kind != SpotKind::Comparison || !["=", "<=>", "IN"].contains(&spot.operation.as_str()) {
        return None;
    }
    let is_column = |one: &&Operand| matches!(one.expression.kind, ExprKind::Name(_));
    let (columns, values): (Vec<&Operand>, Vec<&Operand>) = spot.operands.iter().partition(is_column);
    let is_value = |one: &&Operand| is_number(one) || matches!(one.expression.kind, ExprKind::Text { .. });
    match columns.as_slice() {
        [column] if values.iter().all(is_value) => Some((*column, values.into_iter().find(|one| is_number(one))?)),
        _ => None,
    }
}

/// True for a number without sign, point and leading zero: its text has the same characters.
fn is_number(operand: &Operand) -> bool {
    let text = operand.text.as_str();
    let is_plain = text == "0" || !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    operand.expression.kind == ExprKind::Constant && !text.is_empty() && is_plain
}

/// True for an indexed column of text. A number is the position of an ENUM's member.
fn is_indexed_text(resolved: &Resolved) -> bool {
    resolved.bare_column().is_some_and(|column| {
        let own = column.table.column(&column.column);
        let is_text = |kind: &str| !["enum", "set"].iter().any(|other| kind.eq_ignore_ascii_case(other));
        column.collation().is_some()
            && column.table.is_indexed(&column.column)
            && own.is_some_and(|own| is_text(&own.data_type))
    })
}

impl Copy<'_> {
    /// Judges the comparisons of indexed columns of text with numbers.
    pub fn judge_numbers(&mut self, source: &Source) -> Result<Vec<Judged>, Error> {
        let mut indexed: HashMap<(usize, String), bool> = HashMap::new();
        let mut found = Vec::new();
        for spot in source.spots() {
            let Some((column, number)) = column_and_number(&spot).filter(|_| found.len() < MAX_ASKED) else { continue };
            let key = (column.block, column.text.clone());
            let is_indexed = match indexed.get(&key) {
                Some(known) => *known,
                None => is_indexed_text(&self.resolve(source, column)?),
            };
            indexed.insert(key, is_indexed);
            let pair = Spot { operands: vec![column.clone(), number.clone()], ..spot.clone() };
            let Some(sides) = is_indexed.then(|| self.sides(source, &pair)).transpose()?.flatten() else { continue };
            let (mut sides, resolved): (Vec<Side>, Vec<Resolved>) = sides.into_iter().unzip();
            sides[1].source = "number".into();
            let site = Site {
                program: program_title(&source.place),
                text: spot.text.clone(),
                operation: spot.operation.clone(),
                sides,
                winner: None,
                is_refused: false,
                is_folded: false,
                is_numeric: true,
            };
            found.push(Judged { spot, site, refusal: None, resolved });
        }
        Ok(found)
    }
}

/// Quotes the numbers that are compared with text.
pub fn quote(copy: &mut Copy<'_>, fault: &Fault) -> Result<Option<Change>, Error> {
    let Some((_, number)) = numeric(fault).find_map(|judged| column_and_number(&judged.spot)) else { return Ok(None) };
    let edit = |_: &Source, judged: &Judged| {
        let numbers = judged.spot.operands.iter().filter(|one| judged.site.is_numeric && is_number(one));
        numbers.map(|one| (one.expression.span.clone(), quote_string(&one.text))).collect()
    };
    let effects = vec![describe_quoting(&number.text)];
    let change = change_texts(copy, fault, &edit, "quote the number: the index then finds its text")?;
    Ok(change.map(|change| Change { effects, ..change }))
}

fn numeric(fault: &Fault) -> impl Iterator<Item = &Judged> {
    fault.spots().filter(|judged| judged.site.is_numeric)
}

/// Says which rows are no longer found once a number is quoted.
fn describe_quoting(number: &str) -> String {
    let also = match number {
        "0" => "'0.0', ' 0' and 'x'".to_owned(),
        _ => format!("'{number}.0', ' {number}' and '{number}x'"),
    };
    format!("As a number, {number} also equals texts such as {also}; these are no longer found.")
}

/// Names the columns whose texts are compared as numbers.
pub fn describe_numbers(fault: &Fault) -> Vec<String> {
    let mut found = Vec::new();
    for judged in numeric(fault) {
        let column = judged.resolved.iter().find_map(Resolved::bare_column);
        let Some((column, (_, number))) = column.zip(column_and_number(&judged.spot)) else { continue };
        let text = format!(
            "{} is a number, so the texts of {} are compared as numbers, for which its index does not serve",
            number.text,
            column.title()
        );
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}
