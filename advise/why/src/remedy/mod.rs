//! Changes that may fix a finding. All are tried; some that work are advised.

mod columns;
mod fold;
mod loss;
mod pattern;
mod program;
mod rewrite;
mod session;

pub(crate) use fold::describe_folds;
pub(crate) use rewrite::{change_texts, recreated};
pub(crate) use session::sets_connection;

use server::{collation_charset, current_charset_name, error_code, is_same_collation};

use crate::Error;
use crate::copy::Copy;
use crate::judge::Judged;
use crate::model::{Kind, PlanFigures, Remedy, Scope};
use crate::plan::{Plan, gained_lookups, is_sorted, reads_less};
use crate::spot::Source;
use crate::trial::{Change, Outcome, Subject};

/// Returns the command that reads the rows before a conversion.
pub(crate) fn preflight(target: &str) -> escape::Command {
    escape::Command::new("weigh preflight").option("to", target)
}

/// Spots of one statement, or of one program, with the same kind of fault.
#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    /// Sources with their spots.
    pub parts: Vec<(Source, Vec<Judged>)>,
    pub subject: Subject,
    pub before: Outcome,
}

impl Fault {
    pub fn spots(&self) -> impl Iterator<Item = &Judged> {
        self.parts.iter().flat_map(|(_, spots)| spots)
    }

    pub fn is_index(&self) -> bool {
        self.kind == Kind::IndexLost
    }

    /// Collations of the sides, those of columns first.
    pub fn collations(&self) -> Vec<String> {
        let (mut columns, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for judged in self.spots() {
            for (side, resolved) in judged.site.sides.iter().zip(&judged.resolved) {
                if let Some(own) = resolved.column.as_ref().and_then(|column| column.collation()) {
                    push_new(&mut columns, own);
                }
                resolved
                    .inner
                    .iter()
                    .filter_map(|column| column.collation())
                    .for_each(|own| push_new(&mut columns, own));
                if side.charset != "binary" && side.strength != "NONE" {
                    push_new(&mut others, &side.collation);
                }
            }
        }
        others.iter().for_each(|other| push_new(&mut columns, other));
        if let (true, Some(refusal)) = (columns.is_empty(), &self.before.refusal) {
            // The message lists `(collation,COERCIBILITY)`.
            let named = refusal.message.split('(').skip(1).filter_map(|part| part.split_once(','));
            named.for_each(|(collation, _)| push_new(&mut columns, collation));
        }
        columns
    }
}

fn push_new(all: &mut Vec<String>, collation: &str) {
    if !all.iter().any(|known| is_same_collation(known, collation)) {
        all.push(collation.to_owned());
    }
}

/// Maximum numbers of remedies that are advised, by scope.
fn quota(scope: Scope) -> usize {
    match scope {
        Scope::Session | Scope::Server => 1,
        _ => 2,
    }
}

/// Tries the changes for a fault. Returns those after which the fault is gone, up to a quota for
/// each scope, the smallest first, those that lose characters last.
pub fn find(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Remedy>, Error> {
    find_by(copy, fault, &is_mended)
}

/// As [`find`], for changes after which the server no longer warns of a conversion, though they
/// read no fewer of the copy's rows.
pub fn find_silencing(copy: &mut Copy<'_>, fault: &Fault) -> Result<Vec<Remedy>, Error> {
    let mut remedies = find_by(copy, fault, &is_silent)?;
    // A statement that converts the column itself is silent, too, and no better.
    remedies.retain(|remedy| remedy.scope >= Scope::Column);
    for remedy in &mut remedies {
        remedy.plan = None;
        remedy.effects.push("On the copy it reads no fewer rows; the server warns no more.".into());
    }
    Ok(remedies)
}

fn find_by(
    copy: &mut Copy<'_>,
    fault: &Fault,
    is_mended: &dyn Fn(&Fault, &Outcome) -> bool,
) -> Result<Vec<Remedy>, Error> {
    // Declarations of a program are better than COLLATE in its body, so they come first.
    let mut changes = program::changes(fault);
    changes.extend(rewrite::changes(copy, fault)?);
    changes.extend(session::changes(fault));
    changes.extend(fold::changes(copy, fault)?);
    changes.extend(columns::changes(copy, fault)?);
    let mut working: Vec<(Change, Outcome)> = Vec::new();
    for change in changes {
        if working.iter().any(|(other, _)| other.sql == change.sql) {
            continue;
        }
        if let Some(outcome) = copy.evaluate_with(&fault.subject, &change)?
            && is_mended(fault, &outcome)
        {
            working.push((change, outcome));
        }
    }
    // Of remedies of one scope, the one with the better plan is first.
    working.sort_by_key(|(change, outcome)| {
        (change.is_lossy, change.scope, figures(&outcome.plans).map_or(0, |plan| plan.rows))
    });
    let mut remedies: Vec<Remedy> = Vec::new();
    for (change, outcome) in working {
        let is_known = remedies.iter().any(|remedy| remedy.what == change.what);
        if !is_known && remedies.iter().filter(|remedy| remedy.scope == change.scope).count() < quota(change.scope) {
            remedies.push(advise(fault, change, &outcome));
        }
    }
    Ok(remedies)
}

fn advise(fault: &Fault, mut change: Change, outcome: &Outcome) -> Remedy {
    let winners: Vec<&String> = fault.spots().filter_map(|judged| judged.site.winner.as_ref()).collect();
    if let Some(collation) = &change.collation
        && fault.is_index()
        && !winners.is_empty()
        && !winners.iter().any(|winner| is_same_collation(winner, collation))
    {
        change.effects.insert(0, format!("Texts are then compared by {collation}, not by {} as now.", winners[0]));
    }
    Remedy {
        scope: change.scope,
        what: change.what,
        sql: change.sql,
        plan: figures(&outcome.plans),
        effects: change.effects,
        is_lossy: change.is_lossy,
    }
}

/// Plan of a statement, or the plans of a program's pieces together.
pub fn figures(plans: &[Plan]) -> Option<PlanFigures> {
    let mut all = PlanFigures::default();
    for plan in plans {
        all.rows = all.rows.saturating_add(plan.figures.rows);
        all.tables.extend(plan.figures.tables.iter().cloned());
    }
    (!all.tables.is_empty()).then_some(all)
}

/// True for errors of the rows that a statement writes, which made-up rows can cause.
pub(crate) fn is_row_error(code: u16) -> bool {
    const NULL_NOT_ALLOWED: u16 = 1048;
    const PARENT_ROW_IN_USE: u16 = 1451;
    matches!(
        code,
        error_code::DUP_ENTRY
            | error_code::NO_REFERENCED_ROW_2
            | error_code::DATA_TOO_LONG
            | NULL_NOT_ALLOWED
            | PARENT_ROW_IN_USE
    )
}

fn is_refused(outcome: &Outcome) -> bool {
    outcome.refusal.as_ref().is_some_and(|refusal| !is_row_error(refusal.code))
}

fn is_silent(_: &Fault, outcome: &Outcome) -> bool {
    !is_refused(outcome) && outcome.plans.iter().all(|plan| plan.warnings.is_empty())
}

fn is_mended(fault: &Fault, outcome: &Outcome) -> bool {
    if is_refused(outcome) {
        return false;
    }
    if !fault.is_index() {
        return true;
    }
    let pairs = fault.before.plans.iter().zip(&outcome.plans);
    let mut is_better = false;
    for (before, after) in pairs {
        let is_sorted = |plan: &Plan| plan.figures.tables.iter().any(is_sorted);
        let gains =
            !gained_lookups(&before.figures, &after.figures).is_empty() && reads_less(&before.figures, &after.figures);
        let has_no_tables = |plan: &Plan| plan.is_empty_lookup || plan.is_optimized_away;
        let finds_none = has_no_tables(after) && !has_no_tables(before) && before.figures.rows > 1;
        let has_order = fault.spots().any(|judged| judged.spot.kind == crate::spot::SpotKind::Order);
        let unsorts = has_order && is_sorted(before) && !is_sorted(after) && after.figures.rows <= before.figures.rows;
        is_better |= gains || finds_none || unsorts;
    }
    is_better
}

/// Returns a text with a collation: `x COLLATE c`, or `CONVERT(x USING s) COLLATE c`.
pub(crate) fn with_collation(text: &str, charset: &str, collation: &str, is_simple: bool) -> String {
    let target = collation_charset(collation);
    if current_charset_name(charset) == current_charset_name(target) {
        return if is_simple { format!("{text} COLLATE {collation}") } else { format!("({text}) COLLATE {collation}") };
    }
    format!("CONVERT({text} USING {target}) COLLATE {collation}")
}

/// Rank of a character set by what it can hold: text of one mostly fits into those of higher rank.
pub(crate) fn breadth(charset: &str) -> u8 {
    match current_charset_name(charset) {
        "utf8mb4" | "utf32" | "utf16" | "utf16le" | "gb18030" => 4,
        "utf8mb3" | "ucs2" => 3,
        "ascii" => 1,
        _ => 2,
    }
}

/// Returns a text with parts replaced. Of edits that overlap, the first one is made.
pub fn splice(text: &str, edits: &[(std::ops::Range<usize>, String)]) -> String {
    let mut edits: Vec<&(std::ops::Range<usize>, String)> = edits.iter().collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits.dedup();
    let (mut out, mut at) = (String::new(), 0);
    for (span, replacement) in edits {
        if span.start < at {
            continue;
        }
        out += &text[at..span.start];
        out += replacement;
        at = span.end;
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splices_edits_in_order() {
        assert_eq!(splice("a = b", &[(4..5, "c".into()), (0..1, "x".into())]), "x = c");
        assert_eq!(splice("ab", &[(0..2, "x".into()), (1..2, "y".into())]), "x");
    }

    #[test]
    fn converts_only_between_character_sets() {
        assert_eq!(with_collation("a", "utf8", "utf8mb3_bin", true), "a COLLATE utf8mb3_bin");
        assert_eq!(with_collation("a + b", "utf8mb4", "utf8mb4_bin", false), "(a + b) COLLATE utf8mb4_bin");
        assert_eq!(with_collation("a", "utf8mb4", "latin1_bin", true), "CONVERT(a USING latin1) COLLATE latin1_bin");
    }
}
