//! Characters that a smaller character set lacks.

use server::collation_charset;

use super::rewrite::{Edits, change_texts};
use super::{Fault, breadth, with_collation};
use crate::Error;
use crate::copy::Copy;
use crate::judge::Judged;
use crate::model::Kind;
use crate::spot::{Operand, Source, SpotKind};
use crate::syntax::ExprKind;
use crate::trial::Change;

/// Judges the conversions of a change to smaller character sets. `None` if a literal loses
/// characters: rows with question marks would be found instead of its own. For other operands, of
/// which the characters are not known, the change says so.
pub fn judge_loss(copy: &mut Copy<'_>, fault: &Fault, mut change: Change) -> Result<Option<Change>, Error> {
    let collations = fault.collations();
    let is_target = |charset: &&str| {
        breadth(charset) < 4 && change.sql.iter().any(|sql| sql.contains(&format!("USING {charset})")))
    };
    let Some(charset) = collations.iter().map(|one| collation_charset(one)).find(is_target) else {
        return Ok(Some(change));
    };
    let (mut has_literal, mut has_other) = (false, false);
    for (source, operand) in operands(fault) {
        let text = bare_text(source, operand);
        let conversion = format!("CONVERT({text} USING {charset})");
        if !change.sql.iter().any(|sql| sql.contains(&conversion)) {
            continue;
        }
        match copy.keeps_characters(source, operand, charset)? {
            Some(false) => return Ok(None),
            Some(true) => has_literal = true,
            None => has_other = true,
        }
    }
    if has_other || !has_literal {
        change.effects.push(format!(
            "Characters that {charset} lacks become question marks: they find rows that have question marks."
        ));
        change.is_lossy = true;
    }
    Ok(Some(change))
}

/// Converts columns to the character set of a literal that they cannot hold, and dates to text:
/// `CONVERT(a USING utf8mb4) COLLATE utf8mb4_general_ci = 'Łukasz' OR CAST(day AS CHAR) = 'Łukasz'`.
pub fn widen_columns(copy: &mut Copy<'_>, fault: &Fault) -> Result<Option<Change>, Error> {
    if fault.kind != Kind::Refused {
        return Ok(None);
    }
    let mut lacking: Vec<&str> = Vec::new();
    for (source, spots) in &fault.parts {
        for judged in spots.iter().filter(|judged| judged.spot.kind == SpotKind::Comparison) {
            if copy.lacks_characters(source, judged)? {
                lacking.push(&judged.site.text);
            }
        }
    }
    let edit = |_: &Source, judged: &Judged| match lacking.contains(&judged.site.text.as_str()) {
        true => widen(judged),
        false => cast_date(judged),
    };
    let what = match lacking.as_slice() {
        [] => "cast the column to CHAR: the literal has characters that no date has",
        _ => "convert the column to the character set of the literal, which has characters that the column lacks",
    };
    let change = change_texts(copy, fault, &edit, what)?;
    let effect = "An index of the column is not used.";
    Ok(change.map(|change| Change { effects: vec![effect.to_owned()], ..change }))
}

fn widen(judged: &Judged) -> Edits {
    let Some(literal) = broadest_literal(judged) else { return Edits::new() };
    let literal = &judged.site.sides[literal];
    let edit = |at: usize| {
        let (side, operand) = (&judged.site.sides[at], &judged.spot.operands[at]);
        let text = with_collation(&operand.text, &side.charset, &literal.collation, true);
        operand.is_editable.then(|| (operand.expression.span.clone(), text))
    };
    narrow_columns(judged, breadth(&literal.charset)).into_iter().filter_map(edit).collect()
}

/// `day LIKE 'ş%'` becomes `CAST(day AS CHAR) LIKE 'ş%'`.
fn cast_date(judged: &Judged) -> Edits {
    let edit = |at: usize| {
        let operand = &judged.spot.operands[at];
        let is_number = judged.site.sides[at].strength == "NUMERIC" && operand.is_editable;
        is_number.then(|| (operand.expression.span.clone(), format!("CAST({} AS CHAR)", operand.text)))
    };
    let has_literal = broadest_literal(judged).is_some_and(|at| !judged.spot.operands[at].text.is_ascii());
    if has_literal { (0..judged.site.sides.len()).filter_map(edit).collect() } else { Edits::new() }
}

/// Index of the literal whose character set has the most characters.
fn broadest_literal(judged: &Judged) -> Option<usize> {
    let is_literal = |at: &usize| matches!(judged.spot.operands[*at].expression.kind, ExprKind::Text { .. });
    let literals = (0..judged.spot.operands.len()).filter(is_literal);
    literals.max_by_key(|at| breadth(&judged.site.sides[*at].charset))
}

/// Indexes of the columns whose character set has fewer characters.
fn narrow_columns(judged: &Judged, least: u8) -> Vec<usize> {
    let is_narrow =
        |at: &usize| judged.resolved[*at].bare_column().is_some() && breadth(&judged.site.sides[*at].charset) < least;
    (0..judged.resolved.len()).filter(is_narrow).collect()
}

fn operands(fault: &Fault) -> impl Iterator<Item = (&Source, &Operand)> {
    fault.parts.iter().flat_map(|(source, spots)| {
        spots.iter().flat_map(move |judged| judged.spot.operands.iter().map(move |operand| (source, operand)))
    })
}

/// Text of an operand without its COLLATE clause.
fn bare_text<'t>(source: &'t Source, operand: &'t Operand) -> &'t str {
    match &operand.expression.kind {
        ExprKind::Collate { inner, .. } => &source.text[inner.span.clone()],
        _ => &operand.text,
    }
}

impl Copy<'_> {
    /// True if a column's character set lacks a character of a literal that it is compared with.
    fn lacks_characters(&mut self, source: &Source, judged: &Judged) -> Result<bool, Error> {
        let Some(literal) = broadest_literal(judged) else { return Ok(false) };
        let least = breadth(&judged.site.sides[literal].charset);
        for at in narrow_columns(judged, least) {
            let charset = &judged.site.sides[at].charset;
            for operand in &judged.spot.operands {
                if self.keeps_characters(source, operand, charset)? == Some(false) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// True if a character set has all characters of a literal. `None` for other operands.
    fn keeps_characters(&mut self, source: &Source, operand: &Operand, charset: &str) -> Result<Option<bool>, Error> {
        let kind = match &operand.expression.kind {
            ExprKind::Collate { inner, .. } => &inner.kind,
            kind => kind,
        };
        if !matches!(kind, ExprKind::Text { .. }) {
            return Ok(None);
        }
        let text = bare_text(source, operand);
        let bytes = |text: &str| format!("CAST(CONVERT({text} USING utf8mb4) AS BINARY)");
        let (before, after) = (bytes(text), bytes(&format!("CONVERT({text} USING {charset})")));
        let asked = format!("SELECT {before} = {after} AS weigh_same");
        let row = self.ask(&source.place, &[asked])?.ok().and_then(|results| results.into_iter().flatten().next());
        Ok(row.and_then(|row| row.get("weigh_same").cloned().flatten()).map(|same| same == "1"))
    }
}
