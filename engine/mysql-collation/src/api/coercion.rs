//! The collation of a comparison of two operands, or error 1267, "Illegal mix of collations".
//!
//! The rules are from the MySQL manual, "Collation Coercibility in Expressions". Details are from
//! MySQL 5.6, 5.7, 8.0.12 and 9.7.4 and MariaDB 10.11 and 11.8, which compared all pairs of about
//! forty operands (servers/rules/tests/servers.rs). The servers differ:
//! - Two `COLLATE` clauses with different character sets: an error in MySQL 8.0.31 and later (its
//!   release notes). Other servers convert to the Unicode side.
//! - Two literals with different character sets, neither of them Unicode or `ascii`: an error in
//!   MySQL 9.7.4. Other servers convert a literal that is ASCII only. MySQL 8.0.12 does; versions
//!   between the two were not asked, and are taken to have changed with 8.0.31.
//! - Two Unicode character sets with equal coercibility: MySQL 8 and later convert to `utf8mb4` or
//!   `utf32`. Other servers convert only `utf8mb3` to `utf8mb4`.

use alloc::format;
use alloc::string::ToString;
use core::cmp::Ordering;

use super::LookupError;
use crate::catalogue::{Flavour, Info, ServerVersion};
use crate::dispatch;

/// Coercibility of an operand. The operand with the lower value determines the collation. MySQL's
/// numbers are 0, 2, 3, 4 and 6. Level 1 (7 in MySQL 9) is omitted: only expressions of columns
/// with different collations have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Coercibility {
    /// A `COLLATE` clause.
    Explicit,
    /// A column, a variable or parameter of a routine, a placeholder of a prepared statement.
    Implicit,
    /// `USER()`, `VERSION()` and similar functions.
    SystemConstant,
    /// A literal.
    Coercible,
    /// `NULL`.
    Ignorable,
}

/// An operand of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Operand<'a> {
    /// Name of the collation, in any form that [`Collation::by_name`](crate::Collation::by_name)
    /// takes. `binary` for a binary string.
    pub collation: &'a str,
    /// Coercibility of the value.
    pub coercibility: Coercibility,
    /// Whether the value is known to be ASCII only: an ASCII literal, or character set `ascii`.
    pub is_ascii: bool,
}

impl<'a> Operand<'a> {
    /// Describes a value that may have any characters.
    pub const fn new(collation: &'a str, coercibility: Coercibility) -> Self {
        Self { collation, coercibility, is_ascii: false }
    }

    /// Sets whether the value is known to be ASCII only.
    pub const fn with_ascii(self, is_ascii: bool) -> Self {
        Self { is_ascii, ..self }
    }
}

/// One of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The operand before the operator.
    Left,
    /// The operand after the operator.
    Right,
}

/// Result of [`choose_collation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CollationChoice {
    /// Collation of this side. An operand of another character set is converted.
    Collation(Side),
    /// Collation of this side, if its character set can represent the other side's literal.
    /// Otherwise error 1267, or 3854 in MySQL 8 and later.
    CollationIfRepresentable(Side),
    /// Error 1267, "Illegal mix of collations".
    IllegalMix,
}

/// An operand with the catalogue's entry of its collation.
#[derive(Clone, Copy)]
struct Known {
    info: &'static Info,
    coercibility: Coercibility,
    is_ascii: bool,
}

impl Known {
    fn find(version: ServerVersion, operand: Operand<'_>) -> Result<Self, LookupError> {
        let (flavour, Operand { collation, coercibility, is_ascii }) = (version.flavour, operand);
        let unknown = || LookupError::Unknown { flavour, given: collation.to_string() };
        let info = Info::by_name(flavour, collation).ok_or_else(unknown)?;
        Ok(Self { info: resolve_alias(version, info), coercibility, is_ascii: is_ascii || info.charset == "ascii" })
    }
}

/// Returns the collation that MariaDB means by a name with `0900`; other collations as they are.
/// MariaDB 11.8.9 compares a string of `utf8mb4_cs_0900_as_cs` with one of
/// `utf8mb4_uca1400_czech_nopad_as_cs`. Its `utf8mb4_0900_bin` is `utf8mb4_nopad_bin`; that of
/// 11.4.5 is `utf8mb4_bin`.
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
struct Rules {
    /// `utf8mb4` and `utf32` hold the values of every Unicode character set: MySQL 8.0.
    has_wide_charsets: bool,
    /// Two `COLLATE` clauses or literals with different character sets are an error, even if one
    /// side is Unicode or ASCII: MySQL 8.0.31.
    is_strict: bool,
}

/// Determines the collation of `left = right` on a server of a version, and whether the comparison
/// is an error there. Another name of a collation is the same collation: `utf8_bin` and
/// `utf8mb3_bin`, MariaDB's `utf8mb4_0900_ai_ci` and `utf8mb4_uca1400_nopad_ai_ci`.
///
/// # Errors
/// [`LookupError::Unknown`] if the flavour has no collation with a given name.
///
/// ```
/// use mysql_collation::{Coercibility, CollationChoice, Flavour, Operand, ServerVersion, Side, choose_collation};
///
/// let column = |collation| Operand::new(collation, Coercibility::Implicit);
/// let version = ServerVersion::new(Flavour::MySql, 8, 0, 34);
/// let latin1_and_utf8 = choose_collation(version, column("latin1_swedish_ci"), column("utf8mb4_bin"))?;
/// assert_eq!(latin1_and_utf8, CollationChoice::Collation(Side::Right));
/// let two_collations = choose_collation(version, column("utf8mb4_general_ci"), column("utf8mb4_0900_ai_ci"))?;
/// assert_eq!(two_collations, CollationChoice::IllegalMix);
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
pub fn choose_collation(
    version: ServerVersion,
    left: Operand<'_>,
    right: Operand<'_>,
) -> Result<CollationChoice, LookupError> {
    let (left, right) = (Known::find(version, left)?, Known::find(version, right)?);
    let since = |numbers| version.flavour == Flavour::MySql && version.is_at_least(numbers);
    let rules = Rules { has_wide_charsets: since([8, 0, 0]), is_strict: since([8, 0, 31]) };
    Ok(choose(rules, left, right))
}

fn choose(rules: Rules, left: Known, right: Known) -> CollationChoice {
    if left.info == right.info {
        return CollationChoice::Collation(Side::Left);
    }
    if left.coercibility == Coercibility::Ignorable || right.coercibility == Coercibility::Ignorable {
        return CollationChoice::Collation(if right.coercibility == Coercibility::Ignorable {
            Side::Left
        } else {
            Side::Right
        });
    }
    if left.info.charset == "binary" || right.info.charset == "binary" {
        return choose_with_binary(left, right);
    }
    if left.info.charset == right.info.charset {
        return choose_in_charset(left, right);
    }
    if rules.is_strict && left.coercibility == Coercibility::Explicit && right.coercibility == Coercibility::Explicit {
        return CollationChoice::IllegalMix;
    }
    choose_between_charsets(rules, left, right)
}

/// With a binary string: the side of lower coercibility, or else the binary string.
fn choose_with_binary(left: Known, right: Known) -> CollationChoice {
    CollationChoice::Collation(match left.coercibility.cmp(&right.coercibility) {
        Ordering::Less => Side::Left,
        Ordering::Greater => Side::Right,
        Ordering::Equal if left.info.charset == "binary" => Side::Left,
        Ordering::Equal => Side::Right,
    })
}

/// Within a character set: the side of lower coercibility, or else the side with a `_bin`
/// collation. Two `COLLATE` clauses are an error, and so are two collations without `_bin`.
fn choose_in_charset(left: Known, right: Known) -> CollationChoice {
    match left.coercibility.cmp(&right.coercibility) {
        Ordering::Less => CollationChoice::Collation(Side::Left),
        Ordering::Greater => CollationChoice::Collation(Side::Right),
        Ordering::Equal if left.coercibility == Coercibility::Explicit => CollationChoice::IllegalMix,
        Ordering::Equal if left.info.name.ends_with("_bin") => CollationChoice::Collation(Side::Left),
        Ordering::Equal if right.info.name.ends_with("_bin") => CollationChoice::Collation(Side::Right),
        Ordering::Equal => CollationChoice::IllegalMix,
    }
}

/// Between character sets: a side that can hold all values of the other. Otherwise the side of
/// lower coercibility, if the other is a literal or a system constant.
fn choose_between_charsets(rules: Rules, left: Known, right: Known) -> CollationChoice {
    let side = |winner: Side| {
        let (target, loser) = if winner == Side::Left { (left, right) } else { (right, left) };
        // A character set without characters beyond U+FFFF cannot represent every literal.
        let lacks_supplementary =
            matches!(target.info.charset, "utf8mb3" | "ucs2") && loser.coercibility > Coercibility::SystemConstant;
        if lacks_supplementary && !loser.is_ascii {
            CollationChoice::CollationIfRepresentable(winner)
        } else {
            CollationChoice::Collation(winner)
        }
    };
    if can_hold_all(rules, left, right) {
        return side(Side::Left);
    }
    if can_hold_all(rules, right, left) {
        return side(Side::Right);
    }
    let (winner, loser) =
        if left.coercibility < right.coercibility { (Side::Left, right) } else { (Side::Right, left) };
    match loser.coercibility {
        _ if left.coercibility == right.coercibility => CollationChoice::IllegalMix,
        // Assumes that names of users and servers are ASCII.
        Coercibility::SystemConstant => CollationChoice::Collation(winner),
        Coercibility::Coercible => CollationChoice::CollationIfRepresentable(winner),
        _ => CollationChoice::IllegalMix,
    }
}

/// Returns `true` if `winner` can hold all values of `loser` by the servers' rules, and the
/// coercibility of `winner` is not higher.
fn can_hold_all(rules: Rules, winner: Known, loser: Known) -> bool {
    let (stronger, equal) = (winner.coercibility < loser.coercibility, winner.coercibility == loser.coercibility);
    let (winner_set, loser_set) = (winner.info.charset, loser.info.charset);
    let unicode = is_unicode(winner_set) && (stronger || equal && !is_unicode(loser_set));
    let wider = (stronger || equal) && is_wider(rules, winner, loser_set);
    // Between two literals, strict servers ignore that a text is ASCII only.
    let counts_as_ascii =
        |operand: Known| if rules.is_strict { operand.info.charset == "ascii" } else { operand.is_ascii };
    let ascii = stronger && loser.is_ascii || equal && counts_as_ascii(loser) && !counts_as_ascii(winner);
    unicode || wider || ascii
}

/// Returns `true` for Unicode character sets. `gb18030` is not one in the servers' rules.
fn is_unicode(charset: &str) -> bool {
    matches!(charset, "utf8mb3" | "utf8mb4" | "ucs2" | "utf16" | "utf16le" | "utf32")
}

fn is_wider(rules: Rules, winner: Known, than: &str) -> bool {
    match winner.info.charset {
        "utf8mb4" | "utf32" if rules.has_wide_charsets => is_unicode(than),
        "utf8mb4" => than == "utf8mb3",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARIADB: ServerVersion = ServerVersion::new(Flavour::MariaDb, 10, 11, 0);
    const MYSQL: ServerVersion = ServerVersion::new(Flavour::MySql, 8, 0, 12);

    fn column(collation: &str) -> Operand<'_> {
        Operand::new(collation, Coercibility::Implicit)
    }

    #[test]
    fn rejects_columns_with_different_collations_of_a_charset() {
        let choose = |left, right| choose_collation(MARIADB, column(left), column(right)).unwrap();
        assert_eq!(choose("utf8mb4_general_ci", "utf8mb4_unicode_ci"), CollationChoice::IllegalMix);
        assert_eq!(choose("utf8mb4_general_ci", "utf8mb4_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("utf8_general_ci", "utf8mb3_general_ci"), CollationChoice::Collation(Side::Left));
    }

    #[test]
    fn wider_charset_wins() {
        let choose = |left, right| choose_collation(MARIADB, column(left), column(right)).unwrap();
        assert_eq!(choose("latin1_swedish_ci", "utf8mb3_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("utf8mb3_bin", "utf8mb4_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("latin1_swedish_ci", "cp1251_bin"), CollationChoice::IllegalMix);
        assert_eq!(choose("utf16_bin", "utf32_bin"), CollationChoice::IllegalMix);
        let of_mysql = choose_collation(MYSQL, column("utf16_bin"), column("utf32_bin")).unwrap();
        assert_eq!(of_mysql, CollationChoice::Collation(Side::Right));
    }

    #[test]
    fn literal_is_converted_if_representable() {
        let literal = Operand::new("utf8mb4_general_ci", Coercibility::Coercible);
        let choose = |literal| choose_collation(MARIADB, column("latin1_swedish_ci"), literal).unwrap();
        assert_eq!(choose(literal), CollationChoice::CollationIfRepresentable(Side::Left));
        assert_eq!(choose(literal.with_ascii(true)), CollationChoice::Collation(Side::Left));
    }

    #[test]
    fn binary_strings_win_among_equals() {
        let choose = |left, right| choose_collation(MYSQL, column(left), column(right)).unwrap();
        assert_eq!(choose("binary", "utf8mb4_bin"), CollationChoice::Collation(Side::Left));
        assert_eq!(choose("utf8mb4_bin", "binary"), CollationChoice::Collation(Side::Right));
    }

    #[test]
    fn strict_since_8_0_31() {
        let explicit = |collation| Operand::new(collation, Coercibility::Explicit);
        let ascii = |collation| Operand::new(collation, Coercibility::Coercible).with_ascii(true);
        let strict = |patch, left, right| {
            choose_collation(ServerVersion::new(Flavour::MySql, 8, 0, patch), left, right).unwrap()
        };
        let (latin1, utf8mb4) = (explicit("latin1_bin"), explicit("utf8mb4_bin"));
        assert_eq!(strict(30, latin1, utf8mb4), CollationChoice::Collation(Side::Right));
        assert_eq!(strict(31, latin1, utf8mb4), CollationChoice::IllegalMix);
        let (latin1, ascii) = (ascii("latin1_swedish_ci"), ascii("ascii_general_ci"));
        assert_eq!(strict(30, latin1, ascii), CollationChoice::IllegalMix);
        assert_eq!(strict(31, latin1, ascii), CollationChoice::Collation(Side::Left));
    }

    #[test]
    fn names_are_those_of_lookups() {
        let choose = |version, left, right| choose_collation(version, column(left), column(right));
        assert_eq!(choose(MYSQL, "UTF8_BIN", "utf8mb3_bin"), Ok(CollationChoice::Collation(Side::Left)));
        assert_eq!(choose(MYSQL, "UTF8MB4_GENERAL_CI", "utf8mb4_bin"), Ok(CollationChoice::Collation(Side::Right)));
        assert_eq!(choose(MARIADB, "latin1_swedish_ci", "uca1400_ai_ci"), Ok(CollationChoice::Collation(Side::Right)));
        let unknown = choose(MYSQL, "latin1_swedish_ci", "utf8mb4_genral_ci").unwrap_err();
        assert_eq!(unknown.suggestions()[0], "utf8mb4_general_ci");
    }
}
