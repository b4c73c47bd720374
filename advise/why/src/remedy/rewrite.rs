//! Rewrites of a statement, or of the text of a program or view.

use std::ops::Range;

use server::{collation_charset, current_charset_name, is_same_collation};
use sql::{SqlMode, tokenize};

use super::{Fault, breadth, fold, loss, pattern, splice, with_collation};
use crate::Error;
use crate::copy::{Copy, Place, StoredProgram};
use crate::judge::Judged;
use crate::model::{Kind, Origin, Scope, Side};
use crate::number;
use crate::origin::{ColumnRef, Resolved};
use crate::spot::{Operand, Source, SpotKind};
use crate::syntax::{Expr, ExprKind, TableKind};
use crate::trial::{Act, Change};

pub(crate) type Edits = Vec<(Range<usize>, String)>;

/// Changes of the statement, or of the program's or view's text.
pub fn changes(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let mut found = Vec::new();
    if fault.is_index() {
        // The rewrites that keep the results come first.
        let what = "compare by the column's collation, too: the index finds the rows, and COLLATE decides among them";
        found.extend(change_texts(copy, fault, &|source, judged| compare_twice(source, judged), what)?);
        let what = "convert the value to bytes, not the column: the index finds the rows";
        found.extend(change_texts(copy, fault, &|_, judged| convert_values(judged), what)?);
        let what = "compare by the column's collation, too: the index finds the rows, and the bytes decide among them";
        found.extend(change_texts(copy, fault, &|source, judged| compare_bytes_too(source, judged), what)?);
        found.extend(number::quote(copy, fault)?);
    }
    for collation in fault.collations() {
        for which in 0..2 {
            let edit = |source: &Source, judged: &Judged| collate_operands(source, judged, &collation, which);
            let change = change_texts(copy, fault, &edit, &format!("compare by {collation}"))?;
            if let Some(change) = change {
                let change = Change { collation: Some(collation.clone()), ..change };
                found.extend(loss::judge_loss(copy, fault, change)?);
            }
        }
        let edit = |source: &Source, judged: &Judged| collate_json(source, judged, &collation);
        if let Some(change) =
            change_texts(copy, fault, &edit, &format!("declare the columns of JSON_TABLE COLLATE {collation}"))?
        {
            found.push(change);
        }
    }
    found.extend(loss::widen_columns(copy, fault)?);
    found.extend(pattern::changes(copy, fault)?);
    if fault.is_index() {
        found.extend(fold::leave_out(copy, fault)?);
        let edit = |_: &Source, judged: &Judged| remove_collate(judged);
        found.extend(change_texts(copy, fault, &edit, "leave COLLATE out: the column's collation then decides")?);
        let edit = |source: &Source, judged: &Judged| remove_conversion(source, judged);
        let what = "leave the column's conversion out: its collation then decides";
        found.extend(change_texts(copy, fault, &edit, what)?);
    }
    if matches!(fault.kind, Kind::WrongCollate | Kind::Unknown) {
        found.extend(replace_collate(copy, fault)?);
    }
    Ok(found)
}

/// Applies edits to all sources of a fault. `None` if there is nothing to edit.
pub(crate) fn change_texts(
    copy: &mut Copy<'_>,
    fault: &Fault,
    edit: &dyn Fn(&Source, &Judged) -> Edits,
    what: &str,
) -> Result<Option<Change>, Error> {
    let mut edits: Edits = Vec::new();
    let mut first: Option<&Source> = None;
    for (source, spots) in &fault.parts {
        for judged in spots {
            let shifted = edit(source, judged).into_iter();
            edits.extend(shifted.map(|(span, text)| (span.start + source.offset..span.end + source.offset, text)));
        }
        first.get_or_insert(source);
    }
    let (Some(source), false) = (first, edits.is_empty()) else { return Ok(None) };
    Ok(match &source.place {
        Place::Session(session) => {
            let text = splice(&source.text, &edits);
            Some(Change {
                scope: Scope::Statement,
                what: format!("In the statement, {what}"),
                sql: vec![text.clone()],
                effects: Vec::new(),
                is_lossy: false,
                collation: None,
                act: Act::Statement(session.clone(), text),
            })
        }
        Place::Program { program, .. } => {
            let after = StoredProgram { create: splice(&program.create, &edits), ..StoredProgram::clone(program) };
            Some(recreated(
                fault.subject.session.schema.as_deref(),
                program,
                after,
                &format!("In the {}, {what}", program.title()),
            ))
        }
        Place::View { name, session } => {
            let schema = session.schema.clone().unwrap_or_default();
            let Some((create, session)) = copy.view(&schema, name)? else { return Ok(None) };
            let replace = |text: &str| text.replacen("CREATE ", "CREATE OR REPLACE ", 1);
            let statement = replace(&splice(&create, &edits));
            Some(Change {
                scope: Scope::Program,
                what: format!("In the view {name}, {what}"),
                sql: vec![statement.clone()],
                effects: Vec::new(),
                is_lossy: false,
                collation: None,
                act: Act::View { session, statement, before: replace(&create) },
            })
        }
    })
}

/// Change of a program's text, created again under the settings of its creation and in its schema.
/// `schema` is the session's.
pub(crate) fn recreated(schema: Option<&str>, before: &StoredProgram, mut after: StoredProgram, what: &str) -> Change {
    if let Some(parsed) = crate::syntax::parse_program(&after.create) {
        after.parsed = parsed;
    }
    let mut sql: Vec<String> = after.creation_settings();
    // Names without a schema in the program's text are of the program's schema.
    if schema != Some(before.schema.as_str()) {
        sql.insert(0, format!("USE {}", sql::quote_identifier(&before.schema)));
    }
    sql.push(format!("DROP {} {}", before.keyword, sql::quote_identifier(&before.name)));
    sql.push(after.create.clone());
    Change {
        scope: Scope::Program,
        what: what.to_owned(),
        sql,
        effects: lost_grants(before).into_iter().collect(),
        is_lossy: false,
        collation: None,
        act: Act::Programs(vec![(after, before.clone())]),
    }
}

/// Says that DROP takes away the privileges on a routine. `None` for triggers and events, which
/// have none.
fn lost_grants(program: &StoredProgram) -> Option<String> {
    let name = sql::quote_string(&program.name);
    let ask = format!("SELECT * FROM mysql.procs_priv WHERE Routine_name = {name} lists them");
    let is_routine = matches!(program.keyword, "PROCEDURE" | "FUNCTION");
    is_routine.then(|| format!("DROP also takes away the privileges that are granted on it: {ask}; grant them again."))
}

/// Adds COLLATE to operands of other collations. `which` is 0 to leave columns alone where a value
/// takes part, 1 to change columns, too. Only one operand is changed if all have the same character
/// set, except in a UNION.
fn collate_operands(source: &Source, judged: &Judged, collation: &str, which: usize) -> Edits {
    if judged.spot.kind == SpotKind::Collate || judged.spot.kind == SpotKind::Order {
        return Vec::new();
    }
    let sides: Vec<(&Side, &Operand)> = judged.site.sides.iter().zip(&judged.spot.operands).collect();
    let columns: Vec<&str> = sides
        .iter()
        .zip(&judged.resolved)
        .filter_map(|((side, _), resolved)| column_collation(side, resolved))
        .collect();
    let has_column = !columns.is_empty();
    let is_of_column = columns.iter().any(|own| is_same_collation(own, collation));
    // If columns take part, the collation of a value is no target.
    let target = if has_column && !is_of_column { None } else { Some(collation) };
    let text_side = || judged.site.sides.iter().find(|side| side.charset != "binary");
    let own_target = || columns.first().copied().or_else(|| text_side().map(|side| side.collation.as_str()));
    let Some(target) = target.or_else(own_target) else { return Vec::new() };
    let is_one_charset = sides
        .windows(2)
        .all(|pair| current_charset_name(&pair[0].0.charset) == current_charset_name(&pair[1].0.charset));
    let mut edits = Edits::new();
    for ((side, operand), resolved) in sides.iter().zip(&judged.resolved) {
        let is_fixed = side.charset == "binary" || !operand.is_editable;
        let is_same = is_same_collation(&side.collation, target) && !resolved.wraps_column();
        let is_column = resolved.bare_column().is_some() || is_columnar(side.origin);
        if is_fixed || is_same || (which == 0 && is_column && sides.len() > 1 && has_value(judged)) {
            continue;
        }
        edits.extend(collate_operand(source, operand, side, target));
        if is_one_charset && judged.spot.kind != SpotKind::Union {
            break;
        }
    }
    edits
}

fn has_value(judged: &Judged) -> bool {
    judged.site.sides.iter().zip(&judged.resolved).any(|(side, resolved)| column_collation(side, resolved).is_none())
}

/// Collation of the column that a side is or converts; `None` for a value.
fn column_collation<'j>(side: &'j Side, resolved: &'j Resolved) -> Option<&'j str> {
    let own = resolved.column.as_ref().and_then(ColumnRef::collation);
    own.or_else(|| is_columnar(side.origin).then_some(side.collation.as_str()))
}

fn is_columnar(origin: Origin) -> bool {
    matches!(
        origin,
        Origin::Column | Origin::View | Origin::Derived | Origin::InformationSchema | Origin::TemporaryTable
    )
}

fn collate_operand(source: &Source, operand: &Operand, side: &Side, target: &str) -> Option<(Range<usize>, String)> {
    let expression = &operand.expression;
    let (text, charset) = match &expression.kind {
        ExprKind::Collate { inner, .. } => (&source.text[inner.span.clone()], side.charset.as_str()),
        _ => (operand.text.as_str(), side.charset.as_str()),
    };
    let is_simple = matches!(
        expression.kind,
        ExprKind::Name(_)
            | ExprKind::Text { .. }
            | ExprKind::Variable(_)
            | ExprKind::Parameter
            | ExprKind::Call { .. }
            | ExprKind::Collate { .. }
    );
    let mut replaced = with_collation(text, charset, target, is_simple);
    // A select item `a` names its result column `a`. `a COLLATE x` would rename it.
    if let (ExprKind::Name(names), Some(block)) = (&expression.kind, source.parsed.blocks.get(operand.block)) {
        let is_item = block.items.iter().any(|item| item.expression == *expression && item.alias.is_none());
        if let (true, Some(name)) = (is_item, names.last()) {
            replaced += &format!(" AS {}", sql::quote_identifier(name));
        }
    }
    Some((expression.span.clone(), replaced))
}

/// `a = 'x' COLLATE c` becomes `(a = 'x' AND a = 'x' COLLATE c)`, if texts that are equal by `c`
/// are equal by the column's collation, too.
fn compare_twice(source: &Source, judged: &Judged) -> Edits {
    let columns = judged.resolved.iter().filter_map(|one| one.column.as_ref()?.collation());
    let columns: Vec<&str> = columns.collect();
    let is_stricter = |side: &Side| columns.iter().all(|column| is_stricter(&side.collation, column));
    let explicit = judged.site.sides.iter().find(|side| side.origin == Origin::Collate);
    let [left, right] = judged.spot.operands.as_slice() else { return Vec::new() };
    if columns.is_empty()
        || !explicit.is_some_and(is_stricter)
        || judged.spot.operation != "="
        || !left.is_editable
        || !right.is_editable
    {
        return Vec::new();
    }
    let bare = |operand: &Operand| match &operand.expression.kind {
        ExprKind::Collate { inner, .. } => source.text[inner.span.clone()].to_owned(),
        _ => operand.text.clone(),
    };
    let span = left.expression.span.start..right.expression.span.end;
    let replaced = format!("({} = {} AND {})", bare(left), bare(right), &source.text[span.clone()]);
    vec![(span, replaced)]
}

/// `BINARY column = 'x'` becomes `column = CAST('x' AS BINARY)`, which also compares bytes.
fn convert_values(judged: &Judged) -> Edits {
    let operands = || judged.spot.operands.iter().zip(judged.site.sides.iter().zip(&judged.resolved));
    let is_bytes = |side: &Side, one: &Resolved| side.charset == "binary" && one.is_wrapped_text_column();
    let wrapped = operands().filter(|(_, (side, one))| is_bytes(side, one)).count();
    if wrapped != 1 || operands().any(|(operand, _)| !operand.is_editable) {
        return Edits::new();
    }
    let edit = |(operand, (side, one)): (&Operand, (&Side, &Resolved))| {
        let replaced = match &operand.expression.kind {
            ExprKind::Convert(inner) if is_bytes(side, one) => operand_text(operand, inner),
            _ => format!("CAST({} AS BINARY)", operand.text),
        };
        (operand.expression.span.clone(), replaced)
    };
    operands().map(edit).collect()
}

/// `BINARY column = 'x'` becomes `(column = 'x' AND BINARY column = 'x')`, if the value has the
/// same bytes in the column's character set: then equal bytes are equal by any collation.
fn compare_bytes_too(source: &Source, judged: &Judged) -> Edits {
    let [left, right] = judged.spot.operands.as_slice() else { return Edits::new() };
    let is_bytes =
        |at: usize| judged.site.sides[at].charset == "binary" && judged.resolved[at].is_wrapped_text_column();
    let is_apt = judged.spot.operation == "=" && is_bytes(0) != is_bytes(1);
    if !is_apt || !left.is_editable || !right.is_editable {
        return Edits::new();
    }
    let (column, value) = if is_bytes(0) { (0, 1) } else { (1, 0) };
    let charset = |at: usize| {
        let column = judged.resolved[at].column.as_ref()?;
        column.table.column(&column.column)?.charset.as_deref().map(current_charset_name)
    };
    let value_side = &judged.site.sides[value];
    let is_wide = |charset: &str| matches!(charset, "ucs2" | "utf16" | "utf16le" | "utf32");
    let is_ascii = value_side.text.starts_with(['\'', '"']) && value_side.text.is_ascii();
    let has_same_bytes = charset(column).is_some_and(|own| {
        own == current_charset_name(&value_side.charset) || is_ascii && !is_wide(own) && !is_wide(&value_side.charset)
    });
    if !has_same_bytes {
        return Edits::new();
    }
    let bare = |at: usize, operand: &Operand| match &operand.expression.kind {
        ExprKind::Convert(inner) if at == column => operand_text(operand, inner),
        _ => operand.text.clone(),
    };
    let span = left.expression.span.start..right.expression.span.end;
    let replaced = format!("({} = {} AND {})", bare(0, left), bare(1, right), &source.text[span.clone()]);
    vec![(span, replaced)]
}

/// `CONVERT(column USING utf8mb4) COLLATE utf8mb4_bin = 'x'` becomes `column = 'x'`.
fn remove_conversion(source: &Source, judged: &Judged) -> Edits {
    let operands = judged.spot.operands.iter().zip(&judged.resolved).filter(|(one, _)| one.is_editable);
    let edit = |(operand, resolved): (&Operand, &Resolved)| {
        let inner = converted(&operand.expression).filter(|_| resolved.wraps_column())?;
        Some((operand.expression.span.clone(), source.text[inner.span.clone()].to_owned()))
    };
    operands.filter_map(edit).collect()
}

/// Expression inside conversions and COLLATE clauses. `None` if nothing is converted.
fn converted(expression: &Expr) -> Option<&Expr> {
    let (mut inner, mut is_converted) = (expression, false);
    loop {
        inner = match &inner.kind {
            ExprKind::Convert(next) => {
                is_converted = true;
                next
            }
            ExprKind::Collate { inner: next, .. } => next,
            _ => return Some(inner).filter(|_| is_converted),
        };
    }
}

/// Text of an expression inside an operand.
fn operand_text(operand: &Operand, inner: &Expr) -> String {
    let begin = operand.expression.span.start;
    operand.text[inner.span.start - begin..inner.span.end - begin].to_owned()
}

/// True if texts that are equal by `exact` are known to be equal by `other`. Under a `_bin`
/// collation with PAD SPACE 'a' equals 'a ', which a collation with NO PAD tells apart. Texts that
/// are equal by a `_cs` collation are known to be equal only by collations of its own family.
fn is_stricter(exact: &str, other: &str) -> bool {
    let is_no_pad = |name: &str| name.contains("_nopad_") || name.contains("_0900_") || name == "binary";
    if exact.ends_with("_bin") {
        return is_no_pad(exact) || !is_no_pad(other);
    }
    let (Some((own, levels)), Some((others, needed))) = (split_strength(exact), split_strength(other)) else {
        return false;
    };
    let [_, has_case, _] = levels;
    has_case && own == others && levels.iter().zip(needed).all(|(has, needs)| *has || !needs)
}

/// Ends of collation names, and whether they distinguish accents, case and kana.
const STRENGTHS: [(&str, [bool; 3]); 7] = [
    ("_as_cs_ks", [true, true, true]),
    ("_as_cs", [true, true, false]),
    ("_as_ci", [true, false, false]),
    ("_ai_cs", [false, true, false]),
    ("_ai_ci", [false, false, false]),
    ("_cs", [false, true, false]),
    ("_ci", [false, false, false]),
];

/// Splits a name into its family and what it distinguishes: `latin1_general`, case. utf8mb3 and
/// utf8mb4 are left out of the family, as `utf8mb3_uca1400` and `utf8mb4_uca1400` have the same
/// weights.
fn split_strength(name: &str) -> Option<(&str, [bool; 3])> {
    let (family, levels) =
        STRENGTHS.iter().find_map(|(strength, levels)| Some((name.strip_suffix(strength)?, *levels)))?;
    let rest = family.split_once('_').filter(|(charset, _)| charset.starts_with("utf8"));
    Some((rest.map_or(family, |(_, rest)| rest), levels))
}

/// `column COLLATE x = …` becomes `column = …`.
fn remove_collate(judged: &Judged) -> Edits {
    let mut edits = Edits::new();
    for operand in &judged.spot.operands {
        if let ExprKind::Collate { inner, .. } = &operand.expression.kind {
            edits.push((inner.span.end..operand.expression.span.end, String::new()));
        }
    }
    edits
}

/// Declares the columns of JSON_TABLE that take part with a collation.
fn collate_json(source: &Source, judged: &Judged, collation: &str) -> Edits {
    let mut edits = Edits::new();
    for (operand, side) in judged.spot.operands.iter().zip(&judged.site.sides) {
        let ExprKind::Name(names) = &operand.expression.kind else { continue };
        if side.origin != Origin::JsonTable || is_same_collation(&side.collation, collation) {
            continue;
        }
        let (Some(column), Some(block)) = (names.last(), source.parsed.blocks.get(operand.block)) else { continue };
        for table in block.tables.iter().filter(|table| table.kind == TableKind::JsonTable) {
            let tokens: Vec<sql::Token<'_>> = tokenize(&source.text[table.span.clone()], SqlMode::default()).collect();
            let Some(at) =
                tokens.iter().position(|token| token.name().is_some_and(|name| name.eq_ignore_ascii_case(column)))
            else {
                continue;
            };
            let Some(path) = tokens[at..]
                .iter()
                .position(|token| token.is_any_keyword(&["path", "character", "charset", "collate"]))
            else {
                continue;
            };
            let end = table.span.start + tokens[at + path - 1].end();
            edits.push((end..end, format!(" CHARACTER SET {} COLLATE {collation}", collation_charset(collation))));
        }
    }
    edits
}

/// Returns collations that may replace one that does not fit, the nearest first.
fn substitutes(collation: &str, charset: &str) -> Vec<String> {
    let suffix = collation.split_once('_').map_or("bin", |(_, suffix)| suffix);
    let nearest: &[&str] = match suffix {
        "bin" | "0900_bin" => &["bin"],
        _ if suffix.ends_with("as_cs") || suffix.ends_with("_cs") => &["uca1400_as_cs", "0900_as_cs", "bin"],
        _ if suffix.ends_with("as_ci") => {
            &["uca1400_as_ci", "0900_as_ci", "unicode_520_ci", "unicode_ci", "general_ci"]
        }
        _ => &["uca1400_ai_ci", "0900_ai_ci", "unicode_520_ci", "unicode_ci", "general_ci"],
    };
    std::iter::once(suffix).chain(nearest.iter().copied()).map(|suffix| format!("{charset}_{suffix}")).collect()
}

/// Replaces the collation of a COLLATE clause, or converts the text before it.
fn replace_collate(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Change>, Error> {
    let mut found = Vec::new();
    let convert = |source: &Source, judged: &Judged| {
        let (Some(side), Some(collation)) = (judged.site.sides.first(), collation_of(source, judged)) else {
            return Vec::new();
        };
        let target = collation_charset(&collation);
        if breadth(target) <= breadth(&side.charset) {
            return Vec::new();
        }
        let span = judged.spot.operands[0].expression.span.clone();
        vec![(span.clone(), format!("CONVERT({} USING {target})", &source.text[span]))]
    };
    found.extend(change_texts(copy, fault, &convert, "convert the text to the collation's character set")?);
    for nearness in 0..6 {
        let replace = |source: &Source, judged: &Judged| {
            let (Some(side), Some(collation)) = (judged.site.sides.first(), collation_of(source, judged)) else {
                return Vec::new();
            };
            let charset = if side.charset == "binary" { collation_charset(&collation) } else { &side.charset };
            let Some(substitute) = substitutes(&collation, charset).get(nearness).cloned() else { return Vec::new() };
            judged.spot.collation.clone().map(|span| vec![(span, substitute)]).unwrap_or_default()
        };
        found.extend(change_texts(copy, fault, &replace, "name a collation of the text's character set")?);
    }
    Ok(found)
}

fn collation_of(source: &Source, judged: &Judged) -> Option<String> {
    let span = judged.spot.collation.clone()?;
    Some(source.text[span].trim_matches(['\'', '"', '`']).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stricter_collations_are_compared_twice() {
        for (exact, other) in [
            ("utf8mb4_bin", "utf8mb4_general_ci"),
            ("utf8mb4_0900_bin", "utf8mb4_0900_ai_ci"),
            ("utf8mb4_0900_as_cs", "utf8mb4_0900_ai_ci"),
            ("latin1_general_cs", "latin1_general_ci"),
            ("utf8mb4_cs_0900_as_cs", "utf8mb4_cs_0900_ai_ci"),
            ("utf8mb4_ja_0900_as_cs_ks", "utf8mb4_ja_0900_as_cs"),
            ("utf8mb3_uca1400_ai_cs", "utf8mb4_uca1400_ai_ci"),
        ] {
            assert!(is_stricter(exact, other), "{exact} {other}");
        }
        for (exact, other) in [
            ("utf8mb4_bin", "utf8mb4_0900_ai_ci"),
            ("utf8mb4_0900_as_cs", "utf8mb4_general_ci"),
            ("utf8mb4_general_ci", "utf8mb4_general_ci"),
            ("latin1_general_cs", "latin1_swedish_ci"),
            ("utf8mb4_cs_0900_ai_ci", "utf8mb4_cs_0900_as_cs"),
            ("utf8mb4_ja_0900_as_cs", "utf8mb4_ja_0900_as_cs_ks"),
            ("utf8mb4_uca1400_ai_cs", "utf8mb4_uca1400_as_ci"),
        ] {
            assert!(!is_stricter(exact, other), "{exact} {other}");
        }
    }
}
