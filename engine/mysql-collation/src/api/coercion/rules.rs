//! How operands are combined, in the servers' order: the collation from the operands' coercibility,
//! then whether each operand can be converted to its character set.

use alloc::format;
use alloc::string::ToString;
use core::cmp::Ordering;

use super::{Coercibility, Expression, Operand, Side};
use crate::api::LookupError;
use crate::catalogue::{Flavour, Info, ServerVersion};
use crate::charset::Charset;
use crate::dispatch;

/// An operand with the catalogue's entry of its collation.
#[derive(Clone, Copy)]
pub(super) struct ResolvedOperand {
    pub info: &'static Info,
    coercibility: Coercibility,
    is_ascii: bool,
}

impl ResolvedOperand {
    pub fn find(version: ServerVersion, operand: Operand<'_>) -> Result<Self, LookupError> {
        let (flavour, Operand { collation, coercibility, is_ascii }) = (version.flavour, operand);
        let unknown = || LookupError::Unknown { flavour, given: collation.to_string() };
        let info = Info::by_name(flavour, collation).ok_or_else(unknown)?;
        let is_ascii = match coercibility {
            // In MySQL, `NULL` isn't known to be ASCII only.
            Coercibility::Ignorable => flavour == Flavour::MariaDb,
            _ => is_ascii || info.charset == "ascii",
        };
        Ok(Self { info: resolve_alias(version, info), coercibility, is_ascii })
    }

    pub const fn operand(self) -> Operand<'static> {
        Operand { collation: self.info.name, coercibility: self.coercibility, is_ascii: self.is_ascii }
    }

    fn is_binary(self) -> bool {
        self.info.charset == "binary"
    }

    fn is(self, coercibility: Coercibility) -> bool {
        self.coercibility == coercibility
    }
}

/// Returns the collation that MariaDB means by a name with `0900`; other collations as they are.
/// MariaDB 11.8.9 compares strings of `utf8mb4_cs_0900_as_cs` and
/// `utf8mb4_uca1400_czech_nopad_as_cs` without error 1267. By `utf8mb4_0900_bin`, 11.8.9 means
/// `utf8mb4_nopad_bin`, and 11.4.5 means `utf8mb4_bin`.
fn resolve_alias(version: ServerVersion, info: &'static Info) -> &'static Info {
    let parts = info.name.strip_prefix("utf8mb4_").and_then(|rest| rest.split_once("0900_"));
    let (Some((language, levels)), Flavour::MariaDb) = (parts, info.flavour) else { return info };
    let name = match language.strip_suffix('_') {
        None if levels == "bin" && version.is_at_least([11, 8, 0]) => "utf8mb4_nopad_bin".to_string(),
        None if levels == "bin" => "utf8mb4_bin".to_string(),
        None => format!("utf8mb4_uca1400_nopad_{levels}"),
        Some(language) => {
            let own = core::str::from_utf8(dispatch::mariadb_language(language.as_bytes())).unwrap_or(language);
            format!("utf8mb4_uca1400_{own}_nopad_{levels}")
        }
    };
    Info::by_name(Flavour::MariaDb, &name).unwrap_or(info)
}

/// How MySQL's versions differ. All `false` for MariaDB.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// MySQL 8.0 and later: `utf8mb4` and `utf32` hold the values of every Unicode character set.
    has_wide_charsets: bool,
    /// MySQL 8.0.31 and later. Two `COLLATE` clauses with different character sets are an error. Of
    /// two literals, ASCII-only text no longer gives way. Columns win over mixed texts, and are
    /// converted row by row, except in a comparison of two operands.
    since_8_0_31: bool,
}

impl Rules {
    pub fn of(version: ServerVersion) -> Self {
        let since = |numbers| version.flavour == Flavour::MySql && version.is_at_least(numbers);
        Self { has_wide_charsets: since([8, 0, 0]), since_8_0_31: since([8, 0, 31]) }
    }

    /// Returns `true` for a mixed text that any other operand wins over, `NULL` included: an
    /// operand with a mixed collation since MySQL 8.0.31.
    fn is_weak(self, operand: ResolvedOperand) -> bool {
        self.since_8_0_31 && operand.is(Coercibility::Mixed)
    }

    /// Compares the coercibility of two operands: the lesser determines the collation.
    fn compare(self, left: CombinedSoFar, right: ResolvedOperand) -> Ordering {
        let of_right = if self.is_weak(right) { (Coercibility::Ignorable, 1) } else { (right.coercibility, 0) };
        let of_left = match left.known.coercibility {
            // Columns win over the mix of columns before them.
            Coercibility::Mixed if self.since_8_0_31 && left.is_mixed_here => (Coercibility::Implicit, 1),
            Coercibility::Mixed if self.since_8_0_31 => (Coercibility::Ignorable, 1),
            coercibility => (coercibility, 0),
        };
        of_left.cmp(&of_right)
    }
}

/// Result of combining the first operands, before the next one is added.
#[derive(Clone, Copy)]
struct CombinedSoFar {
    known: ResolvedOperand,
    /// Two of these operands made the collation a mixed one.
    is_mixed_here: bool,
}

/// Whether an operand can be converted to the character set of the result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Always,
    IfRepresentable,
    Never,
}

/// Returns collation and coercibility of the result, and whether the operands can be converted to
/// it. `None` for an illegal mix, for an operand that never fits, and without operands.
pub(super) fn combine(
    rules: Rules,
    expression: Expression,
    operands: &[ResolvedOperand],
) -> Option<(ResolvedOperand, Fit)> {
    let (&first, others) = operands.split_first()?;
    let (mut result, mut is_illegal) = (CombinedSoFar { known: first, is_mixed_here: false }, false);
    for &operand in others {
        // After an illegal mix, only a `COLLATE` clause decides.
        if is_illegal && !operand.is(Coercibility::Explicit) {
            continue;
        }
        match combine_two(rules, expression, result, operand) {
            Some(combined) => (result, is_illegal) = (combined, false),
            None if result.known.is(Coercibility::Explicit) && operand.is(Coercibility::Explicit) => return None,
            None => is_illegal = true,
        }
    }
    let is_comparison = expression == Expression::Comparison;
    let is_mixed = result.known.is(Coercibility::Mixed) && (result.is_mixed_here || !rules.since_8_0_31);
    if is_illegal || is_comparison && is_mixed {
        return None;
    }
    let is_pair = is_comparison && operands.len() <= 2;
    if is_pair && others.iter().any(|other| rules.is_weak(first) && other.info == first.info) {
        return None;
    }
    let converts_rows = rules.since_8_0_31 && !is_pair;
    let fit = operands.iter().map(|&operand| fit(rules, result.known, operand, converts_rows)).max()?;
    (fit != Fit::Never).then_some((result.known, fit))
}

/// Returns collation and coercibility of two operands, or `None` if neither determines them.
fn combine_two(
    rules: Rules,
    expression: Expression,
    left: CombinedSoFar,
    right: ResolvedOperand,
) -> Option<CombinedSoFar> {
    let order = rules.compare(left, right);
    let CombinedSoFar { known, is_mixed_here } = left;
    let of_left =
        CombinedSoFar { known: ResolvedOperand { is_ascii: known.is_ascii && right.is_ascii, ..known }, is_mixed_here };
    let of_right = CombinedSoFar { known: right, is_mixed_here: false };
    let stronger = if order.is_le() { of_left } else { of_right };
    if known.info == right.info {
        let stays_mixed = is_mixed_here && !right.is(Coercibility::Explicit);
        return Some(if stays_mixed { of_left } else { stronger });
    }
    if known.is(Coercibility::Ignorable) || right.is(Coercibility::Ignorable) || known.is_binary() && order.is_eq() {
        return Some(stronger);
    }
    if known.is_binary() || right.is_binary() {
        // Among equals, the binary string.
        return Some(if order.is_eq() { of_right } else { stronger });
    }
    if known.info.charset == right.info.charset {
        let equals = || combine_equals(expression, of_left, of_right);
        return if order.is_eq() { equals() } else { Some(stronger) };
    }
    combine_charsets(rules, left, right).map(|side| if side == Side::Left { of_left } else { of_right })
}

/// Combines two collations of a character set with equal coercibility: `_bin` wins; else a text
/// gets `_bin` as a mixed collation. `None` for two `COLLATE` clauses, and for a comparison without
/// `_bin`.
fn combine_equals(expression: Expression, left: CombinedSoFar, right: CombinedSoFar) -> Option<CombinedSoFar> {
    if left.known.is(Coercibility::Explicit) {
        return None;
    }
    if let Some(bin) = [left, right].into_iter().find(|operand| operand.known.info.name.ends_with("_bin")) {
        return Some(bin);
    }
    let info = Info::by_name(left.known.info.flavour, &format!("{}_bin", left.known.info.charset))?;
    let known = ResolvedOperand { info, coercibility: Coercibility::Mixed, ..left.known };
    (expression == Expression::Text).then_some(CombinedSoFar { known, is_mixed_here: true })
}

/// Returns the side whose character set the other is converted to.
fn combine_charsets(rules: Rules, left: CombinedSoFar, right: ResolvedOperand) -> Option<Side> {
    let order = rules.compare(left, right);
    let left = left.known;
    if rules.since_8_0_31 && left.is(Coercibility::Explicit) && right.is(Coercibility::Explicit) {
        return None;
    }
    if can_hold_all(rules, left, right, order) {
        return Some(Side::Left);
    }
    if can_hold_all(rules, right, left, order.reverse()) {
        return Some(Side::Right);
    }
    let (stronger, weaker) = if order.is_lt() { (Side::Left, right) } else { (Side::Right, left) };
    // Before MySQL 8.0.31, only constants are converted.
    let is_converted = rules.since_8_0_31 || weaker.coercibility > Coercibility::Implicit;
    (order.is_ne() && is_converted).then_some(stronger)
}

/// Returns whether an operand can be converted to the result's character set: always if it is
/// ASCII, or to Unicode (a literal to `utf8mb3` or `ucs2` if representable). To other character
/// sets, literals and mixed texts if representable, and columns so if `converts_rows`. MySQL 9.7.4
/// refuses bytes of binary strings that are ill-formed there.
fn fit(rules: Rules, result: ResolvedOperand, operand: ResolvedOperand, converts_rows: bool) -> Fit {
    let is_value = operand.coercibility < Coercibility::Numeric;
    if !is_value || operand.info.charset == result.info.charset || result.is_binary() {
        return Fit::Always;
    }
    if operand.is_binary() {
        let is_8_bit = Charset::by_name(result.info.charset).is_some_and(|charset| charset.max_bytes() == 1);
        return if rules.since_8_0_31 && !is_8_bit { Fit::IfRepresentable } else { Fit::Always };
    }
    if operand.is_ascii {
        return Fit::Always;
    }
    let is_literal = operand.coercibility == Coercibility::Coercible;
    if is_unicode(result.info.charset) {
        // A character set without characters beyond U+FFFF cannot represent every literal.
        let lacks_supplementary = matches!(result.info.charset, "utf8mb3" | "ucs2");
        return if is_literal && lacks_supplementary { Fit::IfRepresentable } else { Fit::Always };
    }
    let is_constant = is_literal || rules.is_weak(operand);
    match operand.coercibility {
        // Assumes that names of users and servers are ASCII.
        Coercibility::SystemConstant => Fit::Always,
        _ if is_constant || converts_rows => Fit::IfRepresentable,
        _ => Fit::Never,
    }
}

/// Returns `true` if `winner` can hold all values of `loser` by the servers' rules, and the
/// coercibility of `winner` is not higher. `order` is that of their coercibility.
fn can_hold_all(rules: Rules, winner: ResolvedOperand, loser: ResolvedOperand, order: Ordering) -> bool {
    let (winner_set, loser_set) = (winner.info.charset, loser.info.charset);
    let unicode = is_unicode(winner_set) && (order.is_lt() || order.is_eq() && !is_unicode(loser_set));
    let wider = order.is_le() && is_wider(rules, winner, loser_set);
    // Among operands of equal coercibility, MySQL since 8.0.31 ignores that a text is ASCII only.
    let counts_as_ascii =
        |operand: ResolvedOperand| if rules.since_8_0_31 { operand.info.charset == "ascii" } else { operand.is_ascii };
    let ascii = order.is_lt() && loser.is_ascii || order.is_eq() && counts_as_ascii(loser) && !counts_as_ascii(winner);
    unicode || wider || ascii
}

/// Returns `true` for Unicode character sets. `gb18030` is not one in the servers' rules.
fn is_unicode(charset: &str) -> bool {
    matches!(charset, "utf8mb3" | "utf8mb4" | "ucs2" | "utf16" | "utf16le" | "utf32")
}

fn is_wider(rules: Rules, winner: ResolvedOperand, than: &str) -> bool {
    match winner.info.charset {
        "utf8mb4" | "utf32" if rules.has_wide_charsets => is_unicode(than),
        "utf8mb4" => than == "utf8mb3",
        _ => false,
    }
}
