//! Regular expressions with bytes on one side and text on the other: error 3995 of MySQL 8.0.22 and
//! later.

use server::{collation_charset, error_code};

use super::Fault;
use super::rewrite::{Edits, change_texts};
use crate::Error;
use crate::copy::Copy;
use crate::judge::Judged;
use crate::model::Side;
use crate::spot::{Operand, Source};
use crate::trial::Change;

/// Rewrites that match bytes with bytes, or text with text.
pub fn changes(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let mut found = Vec::new();
    let edit = |_: &Source, judged: &Judged| if is_refused(judged) { to_bytes(judged) } else { Edits::new() };
    let effect = "Bytes are matched: case counts, and `.` is one byte.";
    found.extend(note(change_texts(copy, fault, &edit, "match bytes with a pattern of bytes")?, effect));
    let edit = |_: &Source, judged: &Judged| if is_refused(judged) { to_text(judged) } else { Edits::new() };
    let effect = "The text's collation then decides whether case counts. Bytes that are no text do not match.";
    found.extend(note(change_texts(copy, fault, &edit, "match text with a pattern of text")?, effect));
    Ok(found)
}

fn note(change: Option<Change>, effect: &str) -> Option<Change> {
    change.map(|change| Change { effects: vec![effect.to_owned()], ..change })
}

fn is_refused(judged: &Judged) -> bool {
    judged.refusal.as_ref().is_some_and(|refusal| refusal.code == error_code::CHARACTER_SET_MISMATCH)
}

/// `a REGEXP 'x'` becomes `a REGEXP CAST('x' AS BINARY)` for a column of bytes.
fn to_bytes(judged: &Judged) -> Edits {
    edit_sides(judged, &|side, operand| (side.charset != "binary").then(|| format!("CAST({} AS BINARY)", operand.text)))
}

/// `a REGEXP 'x'` becomes `CONVERT(a USING utf8mb4) COLLATE … REGEXP 'x'` for a column of bytes.
fn to_text(judged: &Judged) -> Edits {
    let Some(text) = judged.site.sides.iter().find(|side| side.charset != "binary") else { return Edits::new() };
    let (charset, collation) = (collation_charset(&text.collation), &text.collation);
    edit_sides(judged, &|side, operand| {
        let is_bytes = side.charset == "binary" && side.strength != "NUMERIC";
        is_bytes.then(|| format!("CONVERT({} USING {charset}) COLLATE {collation}", operand.text))
    })
}

fn edit_sides(judged: &Judged, edit: &dyn Fn(&Side, &Operand) -> Option<String>) -> Edits {
    let sides = judged.site.sides.iter().zip(&judged.spot.operands).filter(|(_, operand)| operand.is_editable);
    sides.filter_map(|(side, operand)| Some((operand.expression.span.clone(), edit(side, operand)?))).collect()
}
