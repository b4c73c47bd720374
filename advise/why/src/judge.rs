//! Judges expressions on the copy: the collation of each operand, and whether the server takes the
//! expression on no rows.

use std::collections::{BTreeSet, HashMap};

use rules::coercibility::{Coercibility, Expression, Operand as Rule, combine_collations};
use server::{Flavour, Version, error_code, is_same_collation};

use crate::Error;
use crate::copy::{Copy, Place, Refusal, Results};
use crate::model::{Side, Site};
use crate::origin::Resolved;
use crate::spot::{Joins, Source, Spot, SpotKind};
use crate::syntax::ExprKind;
use crate::variables::{find_operator_assignments, find_variables};

const AMBIGUOUS_COLUMN: u16 = 1052;

/// Maximum number of blocks around an expression that are asked with it.
const MAX_LEVELS: usize = 8;

/// Maximum number of expressions of a statement about which the server is asked, each with the
/// statement's tables.
pub const MAX_ASKED: usize = 200;

/// Maximum number of a statement's expressions that are judged. Equal ones are asked about once.
const MAX_JUDGED: usize = 400;

/// Judged expressions of a statement.
#[derive(Debug, Default)]
pub struct JudgedSource {
    pub spots: Vec<Judged>,
    /// Number of expressions beyond [`MAX_ASKED`], [`MAX_JUDGED`] or the budget of the caller.
    pub left_out: usize,
}

/// An expression with what the server says about it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub spot: Spot,
    pub site: Site,
    pub refusal: Option<Refusal>,
    /// Origin of each operand.
    pub resolved: Vec<Resolved>,
}

/// True for errors that collations and character sets cause.
pub fn is_conflict(code: u16) -> bool {
    error_code::is_collation_conflict(code)
        || matches!(
            code,
            error_code::UNKNOWN_COLLATION | error_code::UNKNOWN_CHARACTER_SET | error_code::CANNOT_CONVERT_CHARACTER
        )
}

/// True for COLLATE clauses, and for expressions with two operands or more that can be text.
fn can_differ(spot: &Spot) -> bool {
    let is_fixed = |kind: &ExprKind| matches!(kind, ExprKind::Constant);
    spot.kind == SpotKind::Collate
        || spot.operands.iter().filter(|operand| !is_fixed(&operand.expression.kind)).count() > 1
}

impl Copy<'_> {
    /// Judges the spots of a source. Returns those whose operands have different collations or
    /// none, or wrap a column in COLLATE or CONVERT, in comparisons also in LOWER or UPPER; of
    /// COLLATE clauses, the refused ones. `budget` is the number of expressions that may still be
    /// asked about.
    pub fn judge(&mut self, source: &Source, budget: &mut usize) -> Result<JudgedSource, Error> {
        let mut found: Vec<Judged> = Vec::new();
        let mut left_out = 0;
        let mut answers: HashMap<String, Option<Judged>> = HashMap::new();
        let natural = self.natural_spots(source)?;
        for spot in source.spots().into_iter().chain(natural).filter(can_differ) {
            lifecycle::interrupt::check()?;
            let operands: Vec<(usize, &str)> = spot.operands.iter().map(|one| (one.block, one.text.as_str())).collect();
            let key = format!("{:?}", (spot.block, spot.kind, &spot.operation, &spot.alone, operands));
            let answer = match answers.get(&key) {
                Some(answer) if found.len() < MAX_JUDGED => {
                    answer.clone().map(|judged| Judged { spot: spot.clone(), ..judged })
                }
                None if answers.len() < MAX_ASKED && *budget > 0 => {
                    *budget -= 1;
                    let answer = self.judge_spot(source, &spot)?;
                    answers.insert(key, answer.clone());
                    answer
                }
                _ => {
                    left_out += 1;
                    continue;
                }
            };
            if let Some(judged) = answer {
                // A call around a refused comparison is refused for the same reason, so it is left
                // out.
                let is_inside = |other: &Judged| other.refusal.is_some() && spot.alone.contains(&other.spot.alone);
                if judged.refusal.is_none() || !found.iter().any(is_inside) {
                    found.push(judged);
                }
            }
        }
        Ok(JudgedSource { spots: found, left_out })
    }

    /// Returns the innermost calls of a source that the server takes, and whose result has no
    /// collation, as `CONCAT(a, b)` of two collations.
    pub fn undecided(&mut self, source: &Source) -> Result<Vec<Judged>, Error> {
        let mut found: Vec<Judged> = Vec::new();
        for spot in source.spots().iter().filter(|spot| spot.kind == SpotKind::Call).take(MAX_ASKED) {
            let asked = format!("COERCIBILITY({})", spot.alone);
            let answer = self.ask_on_no_rows(source, spot.block, &[(&asked, "weigh_coercibility")])?;
            let row = answer.ok().and_then(|results| results.into_iter().flatten().next());
            let number = row.and_then(|row| row.get("weigh_coercibility").cloned().flatten()?.parse().ok());
            let is_undecided = number.is_some_and(|number| self.strength(number) == "NONE");
            if is_undecided && !found.iter().any(|other| spot.alone.contains(&other.spot.alone)) {
                found.extend(self.judge_spot(source, spot)?);
            }
        }
        Ok(found)
    }

    fn judge_spot(&mut self, source: &Source, spot: &Spot) -> Result<Option<Judged>, Error> {
        if spot.kind == SpotKind::Collate {
            return self.judge_collate(source, spot);
        }
        if !can_differ(spot) {
            return Ok(None);
        }
        let Some(sides) = self.sides(source, spot)? else { return Ok(None) };
        // MySQL refuses to match bytes with a pattern of text, and the reverse.
        let is_bytes_of_pattern = |side: &Side| spot.is_pattern() && side.strength != "NUMERIC";
        let is_text = |(side, resolved): &&(Side, Resolved)| {
            side.charset != "binary" || resolved.is_wrapped_text_column() || is_bytes_of_pattern(side)
        };
        let texts: Vec<&(Side, Resolved)> = sides.iter().filter(is_text).collect();
        let differs = texts.windows(2).any(|pair| !is_same_collation(&pair[0].0.collation, &pair[1].0.collation));
        let is_unclear = texts.iter().any(|(side, _)| side.strength == "NONE");
        let is_folded = |resolved: &Resolved| spot.kind == SpotKind::Comparison && resolved.folded_column().is_some();
        let is_wrapped = texts.iter().any(|(_, resolved)| resolved.wraps_column() || is_folded(resolved));
        let is_of_bytes = texts.iter().any(|(side, _)| side.charset == "binary");
        // MySQL before 8.0 refuses to compare a date with characters beyond ASCII.
        let is_of_date = texts.len() == 1
            && spot.kind == SpotKind::Comparison
            && !spot.alone.is_ascii()
            && sides.iter().any(|(side, _)| side.strength == "NUMERIC");
        if !is_of_date && (texts.len() < 2 || !(differs || is_unclear || is_wrapped)) {
            return Ok(None);
        }
        let refusal = match spot.kind {
            SpotKind::Order => None,
            SpotKind::Union => self.ask_union(source, spot)?.err(),
            _ => self.ask_spot(source, spot)?.err(),
        };
        let refusal = refusal.filter(|refusal| is_conflict(refusal.code));
        if is_of_date && refusal.is_none() {
            return Ok(None);
        }
        let (sides, resolved): (Vec<Side>, Vec<Resolved>) = sides.into_iter().unzip();
        let winner = match refusal {
            None if is_of_bytes => Some("binary".into()),
            None => winner((self.flavour, self.version), spot.kind, &sides),
            Some(_) => None,
        };
        let site = Site {
            program: program_title(&source.place),
            text: spot.text.clone(),
            operation: spot.operation.clone(),
            sides,
            winner,
            is_refused: refusal.is_some(),
            is_folded: false,
            is_numeric: false,
        };
        let is_folded = is_only_folded(&site, &resolved);
        let site = Site { is_folded, ..site };
        Ok(Some(Judged { spot: spot.clone(), site, refusal, resolved }))
    }

    /// Judges a COLLATE clause. `None` unless the server refuses it because of collations or
    /// character sets.
    fn judge_collate(&mut self, source: &Source, spot: &Spot) -> Result<Option<Judged>, Error> {
        let Err(refusal) = self.ask_on_no_rows(source, spot.block, &[(&spot.alone, "weigh_value")])? else {
            return Ok(None);
        };
        if !is_conflict(refusal.code) {
            return Ok(None);
        }
        let Some(sides) = self.sides(source, spot)? else { return Ok(None) };
        let (sides, resolved): (Vec<Side>, Vec<Resolved>) = sides.into_iter().unzip();
        let site = Site {
            program: program_title(&source.place),
            text: spot.text.clone(),
            operation: spot.operation.clone(),
            sides,
            winner: None,
            is_refused: true,
            is_folded: false,
            is_numeric: false,
        };
        Ok(Some(Judged { spot: spot.clone(), site, refusal: Some(refusal), resolved }))
    }

    /// Reads the collation of each operand. `None` if the server refuses to say.
    pub fn sides(&mut self, source: &Source, spot: &Spot) -> Result<Option<Vec<(Side, Resolved)>>, Error> {
        let mut sides = Vec::new();
        for operand in &spot.operands {
            let asked =
                ["COLLATION", "CHARSET", "COERCIBILITY"].map(|function| format!("{function}({})", operand.text));
            let named: Vec<(&str, &str)> = asked
                .iter()
                .map(String::as_str)
                .zip(["weigh_collation", "weigh_charset", "weigh_coercibility"])
                .collect();
            let Ok(results) = self.ask_on_no_rows(source, operand.block, &named)? else { return Ok(None) };
            let Some(row) = results.into_iter().flatten().next() else { return Ok(None) };
            let value = |name: &str| row.get(name).cloned().flatten().unwrap_or_default();
            let number: i64 = value("weigh_coercibility").parse().unwrap_or(2);
            let resolved = self.resolve(source, operand)?;
            let (collation, charset) = (value("weigh_collation"), value("weigh_charset"));
            let side = Side {
                text: operand.text.clone(),
                source: resolved.describe(&source.place, &collation),
                origin: resolved.origin,
                charset,
                collation,
                coercibility: number,
                strength: self.strength(number).to_owned(),
            };
            sides.push((side, resolved));
        }
        Ok(Some(sides))
    }

    /// Evaluates a spot on no rows. A user variable that the statement sets by `:=` is set before,
    /// to its own value: MariaDB 11.8 converts a variable as a constant otherwise.
    fn ask_spot(&mut self, source: &Source, spot: &Spot) -> Result<Result<Results, Refusal>, Error> {
        let read = find_variables(&spot.alone).read;
        let set = |name: &String| format!("@{0} := @{0}", sql::quote_identifier(name));
        let names: BTreeSet<String> = find_operator_assignments(source).into_iter().map(|one| one.variable).collect();
        let assignments: Vec<String> = names.intersection(&read).map(set).collect();
        let assigned = assignments.iter().map(|text| (text.as_str(), "weigh_assigned"));
        let expressions: Vec<(&str, &str)> = assigned.chain([(spot.alone.as_str(), "weigh_value")]).collect();
        self.ask_on_no_rows(source, spot.block, &expressions)
    }

    /// Runs a union of branches without rows: inside the blocks around it, or a trigger, if it
    /// refers to these.
    fn ask_union(&mut self, source: &Source, spot: &Spot) -> Result<Result<Results, Refusal>, Error> {
        let answer = self.ask(&source.place, std::slice::from_ref(&spot.alone))?;
        match &answer {
            Err(refusal) if refusal.code == error_code::BAD_FIELD_ERROR => {
                let exists = format!("EXISTS ({})", spot.alone);
                self.ask_on_no_rows(source, spot.block, &[(&exists, "weigh_value")])
            }
            _ => Ok(answer),
        }
    }

    /// Evaluates expressions, each with a name, in a query block whose tables return no row. A name
    /// that is no column can be the alias of an item.
    pub fn ask_on_no_rows(
        &mut self,
        source: &Source,
        block: usize,
        expressions: &[(&str, &str)],
    ) -> Result<Result<Results, Refusal>, Error> {
        let answer = self.ask_columns(source, block, expressions)?;
        if !answer.as_ref().is_err_and(|refusal| refusal.code == error_code::BAD_FIELD_ERROR) {
            return Ok(answer);
        }
        let replaced: Vec<Option<String>> =
            expressions.iter().map(|(text, _)| source.replace_aliases(block, text)).collect();
        if replaced.iter().all(Option::is_none) {
            return Ok(answer);
        }
        let pairs = expressions.iter().zip(&replaced);
        let named: Vec<(&str, &str)> =
            pairs.map(|((text, name), replaced)| (replaced.as_deref().unwrap_or(text), *name)).collect();
        self.ask_columns(source, block, &named)
    }

    fn ask_columns(
        &mut self,
        source: &Source,
        block: usize,
        expressions: &[(&str, &str)],
    ) -> Result<Result<Results, Refusal>, Error> {
        let mut answer = Ok(Vec::new());
        let mut joins = Joins::None;
        let mut levels = 0;
        while levels < MAX_LEVELS {
            let query = source.no_rows_query(block, levels, joins, expressions);
            answer = self.ask(&source.place, &[query])?;
            match &answer {
                Err(refusal) if refusal.code == AMBIGUOUS_COLUMN && joins == Joins::None => joins = Joins::Written,
                Err(refusal) if refusal.code == error_code::BAD_FIELD_ERROR && levels < source.depth(block) => {
                    levels += 1
                }
                _ => break,
            }
        }
        Ok(answer)
    }
}

/// Collation of a side by which all are compared, by the servers' rules. `None` if they refuse the
/// comparison, or no side has a collation that counts.
fn winner((flavour, version): (Flavour, Version), kind: SpotKind, sides: &[Side]) -> Option<String> {
    let counts = |side: &&Side| side.charset != "binary" && side.strength != "IGNORABLE";
    let texts = || sides.iter().filter(counts);
    texts().next()?;
    let expression = if kind == SpotKind::Comparison { Expression::Comparison } else { Expression::Text };
    let collation = combine_collations(flavour, version, expression, texts().map(rule_operand))?;
    texts().find(|side| is_same_collation(&side.collation, collation)).map(|side| side.collation.clone())
}

fn rule_operand(side: &Side) -> Rule<'_> {
    let coercibility = match side.strength.as_str() {
        "EXPLICIT" => Coercibility::Explicit,
        "NONE" => Coercibility::Mixed,
        "IMPLICIT" => Coercibility::Implicit,
        "SYSCONST" => Coercibility::SystemConstant,
        "IGNORABLE" => Coercibility::Ignorable,
        _ => Coercibility::Coercible,
    };
    Rule::new(&side.collation, coercibility).with_ascii(side.text.is_ascii() && side.text.starts_with(['\'', '"']))
}

/// True if LOWER or UPPER hides a column from its index, and the server converts no column.
fn is_only_folded(site: &Site, resolved: &[Resolved]) -> bool {
    let is_kept = |one: &Resolved| {
        let own = one.column.as_ref().and_then(|column| column.collation());
        !one.wraps_column()
            && own.is_none_or(|own| site.winner.as_ref().is_some_and(|winner| is_same_collation(winner, own)))
    };
    resolved.iter().any(|one| one.folded_column().is_some()) && resolved.iter().all(is_kept)
}

pub fn program_title(place: &Place) -> Option<String> {
    match place {
        Place::Session(_) => None,
        Place::Program { program, .. } => Some(program.title()),
        Place::View { name, .. } => Some(format!("view {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;

    #[test]
    fn an_explicit_collation_wins_over_columns_that_do_not_fit() {
        let side = |collation: &str, strength: &str| Side {
            text: "a".into(),
            charset: server::collation_charset(collation).to_owned(),
            collation: collation.to_owned(),
            coercibility: 2,
            strength: strength.to_owned(),
            origin: Origin::Column,
            source: String::new(),
        };
        let columns = [side("latin1_swedish_ci", "IMPLICIT"), side("latin1_german1_ci", "IMPLICIT")];
        let explicit = [&columns[..], &[side("utf8mb4_bin", "EXPLICIT")]].concat();
        for server in [(Flavour::MySql, Version::new(8, 0, 40)), (Flavour::MariaDb, Version::new(10, 11, 6))] {
            let winner = |sides: &[Side]| winner(server, SpotKind::Comparison, sides);
            assert_eq!(winner(&explicit).as_deref(), Some("utf8mb4_bin"));
            assert_eq!(winner(&columns), None);
        }
    }
}
