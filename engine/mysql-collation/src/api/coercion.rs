//! The collation of a comparison of two operands, or error 1267, "Illegal mix of collations".
//!
//! The rules are from the MySQL manual, "Collation Coercibility in Expressions". Details are from
//! MySQL 5.6 and 9.7 and MariaDB 10.11 and 11.8, which compared all pairs of about forty operands
//! (servers/rules/tests/servers.rs). The servers differ:
//! - Two `COLLATE` clauses with different character sets: an error in MySQL 8 and later. Other
//!   servers convert to the Unicode side.
//! - Two literals with different character sets, neither of them Unicode or `ascii`: an error in
//!   MySQL 8 and later. Other servers convert a literal that is ASCII only.
//! - Two Unicode character sets with equal coercibility: MySQL 8 and later convert to `utf8mb4` or
//!   `utf32`. Other servers convert only `utf8mb3` to `utf8mb4`.

use alloc::borrow::Cow;
use alloc::string::String;
use core::cmp::Ordering;

use crate::catalogue::{Flavour, ServerVersion};

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
    /// Name of the collation: of this library or a server's. `binary` for a binary string.
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

/// Determines the collation of `left = right` on a server of a version, and whether the comparison
/// is an error there.
///
/// ```
/// use mysql_collation::{Coercibility, CollationChoice, Flavour, Operand, ServerVersion, Side, choose_collation};
///
/// let column = |collation| Operand::new(collation, Coercibility::Implicit);
/// let version = ServerVersion::new(Flavour::MySql, 8, 0, 34);
/// let latin1_and_utf8 = choose_collation(version, column("latin1_swedish_ci"), column("utf8mb4_bin"));
/// assert_eq!(latin1_and_utf8, CollationChoice::Collation(Side::Right));
/// let two_collations = choose_collation(version, column("utf8mb4_general_ci"), column("utf8mb4_0900_ai_ci"));
/// assert_eq!(two_collations, CollationChoice::IllegalMix);
/// ```
pub fn choose_collation(version: ServerVersion, left: Operand<'_>, right: Operand<'_>) -> CollationChoice {
    let (left_name, right_name) = (current_name(left.collation), current_name(right.collation));
    if left_name == right_name {
        return CollationChoice::Collation(Side::Left);
    }
    if left.coercibility == Coercibility::Ignorable || right.coercibility == Coercibility::Ignorable {
        return CollationChoice::Collation(if right.coercibility == Coercibility::Ignorable {
            Side::Left
        } else {
            Side::Right
        });
    }
    let (left_set, right_set) = (charset_of(&left_name), charset_of(&right_name));
    if left_set == "binary" || right_set == "binary" {
        return choose_with_binary(left, right, left_set == "binary");
    }
    if left_set == right_set {
        return choose_in_charset(left, right, &left_name, &right_name);
    }
    let is_strict = version.flavour == Flavour::MySql && version.major >= 8;
    if is_strict && left.coercibility == Coercibility::Explicit && right.coercibility == Coercibility::Explicit {
        return CollationChoice::IllegalMix;
    }
    choose_between_charsets(is_strict, left, right, left_set, right_set)
}

/// Returns the name that newer servers use: `utf8_bin` → `utf8mb3_bin`.
fn current_name(collation: &str) -> Cow<'_, str> {
    match collation.strip_prefix("utf8_") {
        Some(rest) => {
            let mut name = String::from("utf8mb3_");
            name.push_str(rest);
            Cow::Owned(name)
        }
        None => Cow::Borrowed(collation),
    }
}

fn charset_of(collation: &str) -> &str {
    collation.split_once('_').map_or(collation, |(charset, _)| charset)
}

/// With a binary string: the side of lower coercibility, or else the binary string.
fn choose_with_binary(left: Operand<'_>, right: Operand<'_>, left_is_binary: bool) -> CollationChoice {
    CollationChoice::Collation(match left.coercibility.cmp(&right.coercibility) {
        Ordering::Less => Side::Left,
        Ordering::Greater => Side::Right,
        Ordering::Equal if left_is_binary => Side::Left,
        Ordering::Equal => Side::Right,
    })
}

/// Within a character set: the side of lower coercibility, or else the side with a `_bin`
/// collation. Two `COLLATE` clauses are an error, and so are two collations without `_bin`.
fn choose_in_charset(left: Operand<'_>, right: Operand<'_>, left_name: &str, right_name: &str) -> CollationChoice {
    match left.coercibility.cmp(&right.coercibility) {
        Ordering::Less => CollationChoice::Collation(Side::Left),
        Ordering::Greater => CollationChoice::Collation(Side::Right),
        Ordering::Equal if left.coercibility == Coercibility::Explicit => CollationChoice::IllegalMix,
        Ordering::Equal if left_name.ends_with("_bin") => CollationChoice::Collation(Side::Left),
        Ordering::Equal if right_name.ends_with("_bin") => CollationChoice::Collation(Side::Right),
        Ordering::Equal => CollationChoice::IllegalMix,
    }
}

/// Between character sets: a side that can hold all values of the other. Otherwise the side of
/// lower coercibility, if the other is a literal or a system constant.
fn choose_between_charsets(
    is_strict: bool,
    left: Operand<'_>,
    right: Operand<'_>,
    left_set: &str,
    right_set: &str,
) -> CollationChoice {
    let side = |winner: Side| {
        let (target, loser) = if winner == Side::Left { (left_set, right) } else { (right_set, left) };
        // A character set without characters beyond U+FFFF cannot represent every literal.
        let lacks_supplementary =
            matches!(target, "utf8mb3" | "ucs2") && loser.coercibility > Coercibility::SystemConstant;
        if lacks_supplementary && !loser.is_ascii {
            CollationChoice::CollationIfRepresentable(winner)
        } else {
            CollationChoice::Collation(winner)
        }
    };
    if can_hold_all(is_strict, left, right, left_set, right_set) {
        return side(Side::Left);
    }
    if can_hold_all(is_strict, right, left, right_set, left_set) {
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
fn can_hold_all(is_strict: bool, winner: Operand<'_>, loser: Operand<'_>, winner_set: &str, loser_set: &str) -> bool {
    let (stronger, equal) = (winner.coercibility < loser.coercibility, winner.coercibility == loser.coercibility);
    let unicode = is_unicode(winner_set) && (stronger || equal && !is_unicode(loser_set));
    let wider = (stronger || equal) && is_wider(is_strict, winner_set, loser_set);
    // Between two literals, MySQL 8 and later ignore that a text is ASCII only.
    let loser_is_convertible = if is_strict { loser_set == "ascii" } else { is_ascii(loser, loser_set) };
    let ascii =
        stronger && is_ascii(loser, loser_set) || equal && loser_is_convertible && !is_ascii(winner, winner_set);
    unicode || wider || ascii
}

/// Returns `true` for Unicode character sets. `gb18030` is not one in the servers' rules.
fn is_unicode(charset: &str) -> bool {
    matches!(charset, "utf8mb3" | "utf8mb4" | "ucs2" | "utf16" | "utf16le" | "utf32")
}

fn is_ascii(operand: Operand<'_>, charset: &str) -> bool {
    operand.is_ascii || charset == "ascii"
}

fn is_wider(is_strict: bool, charset: &str, than: &str) -> bool {
    if is_strict {
        matches!(charset, "utf8mb4" | "utf32") && is_unicode(than)
    } else {
        charset == "utf8mb4" && than == "utf8mb3"
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
        let choose = |left, right| choose_collation(MARIADB, column(left), column(right));
        assert_eq!(choose("utf8mb4_general_ci", "utf8mb4_unicode_ci"), CollationChoice::IllegalMix);
        assert_eq!(choose("utf8mb4_general_ci", "utf8mb4_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("utf8_general_ci", "utf8mb3_general_ci"), CollationChoice::Collation(Side::Left));
    }

    #[test]
    fn wider_charset_wins() {
        let choose = |left, right| choose_collation(MARIADB, column(left), column(right));
        assert_eq!(choose("latin1_swedish_ci", "utf8mb3_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("utf8mb3_bin", "utf8mb4_bin"), CollationChoice::Collation(Side::Right));
        assert_eq!(choose("latin1_swedish_ci", "cp1251_bin"), CollationChoice::IllegalMix);
        assert_eq!(choose("utf16_bin", "utf32_bin"), CollationChoice::IllegalMix);
        let of_mysql = choose_collation(MYSQL, column("utf16_bin"), column("utf32_bin"));
        assert_eq!(of_mysql, CollationChoice::Collation(Side::Right));
    }

    #[test]
    fn literal_is_converted_if_representable() {
        let literal = Operand::new("utf8mb4_general_ci", Coercibility::Coercible);
        let choose = |literal| choose_collation(MARIADB, column("latin1_swedish_ci"), literal);
        assert_eq!(choose(literal), CollationChoice::CollationIfRepresentable(Side::Left));
        assert_eq!(choose(literal.with_ascii(true)), CollationChoice::Collation(Side::Left));
    }

    #[test]
    fn binary_strings_win_among_equals() {
        let choose = |left, right| choose_collation(MYSQL, column(left), column(right));
        assert_eq!(choose("binary", "utf8mb4_bin"), CollationChoice::Collation(Side::Left));
        assert_eq!(choose("utf8mb4_bin", "binary"), CollationChoice::Collation(Side::Right));
    }
}
