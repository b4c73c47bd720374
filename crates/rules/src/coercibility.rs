//! Which of two collations a comparison goes by, and when there is none (error 1267, "Illegal mix of collations").
//!
//! The rule is the MySQL manual's, "Collation Coercibility in Expressions", made exact by what MySQL 5.6 and 9.7, MariaDB 10.11 and 11.8 answer to
//! comparisons of every two of some forty operands (tests/coercibility.rs). Where the flavours differ:
//! - Two collations by `COLLATE`, of different character sets: MySQL 8 and later refuse them, others convert to the Unicode side.
//! - Two literals of different character sets: MySQL 8 and later refuse them even where one is ASCII only.
//! - Different Unicode character sets at the same level: MySQL 8 and later convert to `utf8mb4` or `utf32`; others only `utf8mb3` to `utf8mb4`.

use server::{Flavour, Version};

use crate::charset::{is_unicode, modern, modern_collation, of_collation};

/// How strongly an operand holds on to its collation; the lower wins. MySQL's numbers are 0, 2, 3, 4 and 6.
///
/// What an expression of columns of different collations has (1; 7 in MySQL 9) is left out: no column and no literal has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coercibility {
    /// `COLLATE` was written.
    Explicit,
    /// A column, a routine's variable or parameter, a placeholder of a prepared statement.
    Implicit,
    /// `USER()`, `VERSION()` and the like.
    SystemConstant,
    /// A literal.
    Coercible,
    /// `NULL`.
    Ignorable,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// Its collation; `binary` for a binary string.
    pub collation: &'a str,
    /// How strongly it holds on to it.
    pub coercibility: Coercibility,
    /// Whether it is known to hold ASCII only: a literal's text does, or the character set is `ascii`.
    pub is_ascii: bool,
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first operand.
    Left,
    /// The second operand.
    Right,
}

/// What a comparison goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The collation of this side; the other is converted where its character set differs.
    Of(Side),
    /// The collation of this side, if the other's literal can be written in its character set; else error 1267 (3854 in MySQL 8 and later).
    IfRepresentable(Side),
    /// Error 1267.
    Illegal,
}

/// What `left = right` goes by.
pub fn compare(flavour: Flavour, version: Version, left: Operand<'_>, right: Operand<'_>) -> Outcome {
    let (left_name, right_name) = (modern_collation(left.collation), modern_collation(right.collation));
    if left_name == right_name {
        return Outcome::Of(Side::Left);
    }
    if left.coercibility == Coercibility::Ignorable || right.coercibility == Coercibility::Ignorable {
        return Outcome::Of(if right.coercibility == Coercibility::Ignorable { Side::Left } else { Side::Right });
    }
    let (left_set, right_set) = (of_collation(&left_name), of_collation(&right_name));
    if left_set == "binary" || right_set == "binary" {
        return with_binary(left, right, left_set == "binary");
    }
    if left_set == right_set {
        return same_charset(left, right, &left_name, &right_name);
    }
    let strict = flavour == Flavour::MySql && version >= Version::new(8, 0, 0);
    if strict && left.coercibility == Coercibility::Explicit && right.coercibility == Coercibility::Explicit {
        return Outcome::Illegal;
    }
    different_charsets(strict, left, right, left_set, right_set)
}

/// The stronger side wins; between equals, bytes do.
fn with_binary(left: Operand<'_>, right: Operand<'_>, left_is_binary: bool) -> Outcome {
    Outcome::Of(match left.coercibility.cmp(&right.coercibility) {
        std::cmp::Ordering::Less => Side::Left,
        std::cmp::Ordering::Greater => Side::Right,
        std::cmp::Ordering::Equal if left_is_binary => Side::Left,
        std::cmp::Ordering::Equal => Side::Right,
    })
}

/// The stronger side wins; between equals, a `_bin` collation does, unless both were written by `COLLATE`.
fn same_charset(left: Operand<'_>, right: Operand<'_>, left_name: &str, right_name: &str) -> Outcome {
    match left.coercibility.cmp(&right.coercibility) {
        std::cmp::Ordering::Less => Outcome::Of(Side::Left),
        std::cmp::Ordering::Greater => Outcome::Of(Side::Right),
        std::cmp::Ordering::Equal if left.coercibility == Coercibility::Explicit => Outcome::Illegal,
        std::cmp::Ordering::Equal if left_name.ends_with("_bin") => Outcome::Of(Side::Left),
        std::cmp::Ordering::Equal if right_name.ends_with("_bin") => Outcome::Of(Side::Right),
        std::cmp::Ordering::Equal => Outcome::Illegal,
    }
}

/// One side must be able to hold all that the other can, or be stronger than a literal.
fn different_charsets(strict: bool, left: Operand<'_>, right: Operand<'_>, left_set: &str, right_set: &str) -> Outcome {
    let side = |winner: Side| {
        let (target, loser) = if winner == Side::Left { (left_set, right) } else { (right_set, left) };
        // A Unicode character set that ends at U+FFFF takes a literal only if it doesn't go beyond.
        let narrow = matches!(target, "utf8mb3" | "ucs2") && loser.coercibility > Coercibility::SystemConstant;
        if narrow && !loser.is_ascii { Outcome::IfRepresentable(winner) } else { Outcome::Of(winner) }
    };
    if takes_all(strict, left, right, left_set, right_set) {
        return side(Side::Left);
    }
    if takes_all(strict, right, left, right_set, left_set) {
        return side(Side::Right);
    }
    let (winner, loser) =
        if left.coercibility < right.coercibility { (Side::Left, right) } else { (Side::Right, left) };
    match loser.coercibility {
        _ if left.coercibility == right.coercibility => Outcome::Illegal,
        // Names of users and servers are ASCII, as far as anybody can tell beforehand.
        Coercibility::SystemConstant => Outcome::Of(winner),
        Coercibility::Coercible => Outcome::IfRepresentable(winner),
        _ => Outcome::Illegal,
    }
}

/// Whether `winner`, which is at least as strong, can hold whatever `loser` does.
fn takes_all(strict: bool, winner: Operand<'_>, loser: Operand<'_>, winner_set: &str, loser_set: &str) -> bool {
    let (stronger, equal) = (winner.coercibility < loser.coercibility, winner.coercibility == loser.coercibility);
    let unicode = is_unicode(winner_set) && (stronger || equal && !is_unicode(loser_set));
    let wider = (stronger || equal) && is_wider(strict, winner_set, loser_set);
    // Between two literals MySQL 8 and later goes by the character set, not by the text.
    let gives_way = if strict { loser_set == "ascii" } else { is_ascii(loser, loser_set) };
    let ascii = stronger && is_ascii(loser, loser_set) || equal && gives_way && !is_ascii(winner, winner_set);
    unicode || wider || ascii
}

fn is_ascii(operand: Operand<'_>, charset: &str) -> bool {
    operand.is_ascii || charset == "ascii"
}

fn is_wider(strict: bool, one: &str, than: &str) -> bool {
    let (one, than) = (modern(one), modern(than));
    if strict { matches!(one, "utf8mb4" | "utf32") && is_unicode(than) } else { one == "utf8mb4" && than == "utf8mb3" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(collation: &str) -> Operand<'_> {
        Operand { collation, coercibility: Coercibility::Implicit, is_ascii: false }
    }

    fn outcome(left: Operand<'_>, right: Operand<'_>) -> Outcome {
        compare(Flavour::MariaDb, Version::new(10, 11, 0), left, right)
    }

    #[test]
    fn columns_of_one_charset_and_different_collations_do_not_mix() {
        assert_eq!(outcome(column("utf8mb4_general_ci"), column("utf8mb4_unicode_ci")), Outcome::Illegal);
        assert_eq!(outcome(column("utf8mb4_general_ci"), column("utf8mb4_bin")), Outcome::Of(Side::Right));
        assert_eq!(outcome(column("utf8_general_ci"), column("utf8mb3_general_ci")), Outcome::Of(Side::Left));
    }

    #[test]
    fn the_wider_charset_wins() {
        assert_eq!(outcome(column("latin1_swedish_ci"), column("utf8mb3_bin")), Outcome::Of(Side::Right));
        assert_eq!(outcome(column("utf8mb3_bin"), column("utf8mb4_bin")), Outcome::Of(Side::Right));
        assert_eq!(outcome(column("latin1_swedish_ci"), column("cp1251_bin")), Outcome::Illegal);
    }

    #[test]
    fn a_literal_gives_way_if_it_can() {
        let literal =
            Operand { collation: "utf8mb4_general_ci", coercibility: Coercibility::Coercible, is_ascii: false };
        assert_eq!(outcome(column("latin1_swedish_ci"), literal), Outcome::IfRepresentable(Side::Left));
        assert_eq!(
            outcome(column("latin1_swedish_ci"), Operand { is_ascii: true, ..literal }),
            Outcome::Of(Side::Left)
        );
    }
}
