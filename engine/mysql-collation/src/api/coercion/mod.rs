//! The collation of an expression's operands, or an error such as 1267, "Illegal mix of collations".
//!
//! The rules are from the MySQL manual, "Collation Coercibility in Expressions". Details are from
//! MySQL 5.6, 5.7, 8.0.12 and 9.7.4 and MariaDB 10.11 and 11.8, which compared all pairs of about
//! forty operands, and random lists of up to four (servers/rules/tests). The servers differ:
//! - Two `COLLATE` clauses with different character sets: an error in MySQL 8.0.31 and later (its
//!   release notes). Other servers convert to the Unicode side.
//! - Two literals with different character sets, neither of them Unicode or `ascii`: an error in
//!   MySQL 9.7.4. Other servers convert one that is ASCII only if the other is not. MySQL 8.0.12
//!   does; versions between the two were not asked, and are taken to have changed with 8.0.31.
//! - Two Unicode character sets with equal coercibility: MySQL 8 and later convert to `utf8mb4` or
//!   `utf32`. Other servers convert only `utf8mb3` to `utf8mb4`.
//! - A column, and a `COLLATE` clause of a character set that lacks some of its characters: MySQL
//!   9.7.4 converts each row, with error 3854 for a character that is lacking, except in
//!   comparisons of two operands. Other servers refuse the expression.
//! - `CONCAT` of two columns with different collations of a character set, neither of them `_bin`,
//!   has a mixed collation. It wins over columns, except in MySQL 9.7.4, where columns win.

use alloc::vec::Vec;

use super::LookupError;
use crate::catalogue::ServerVersion;

mod rules;

use rules::{Fit, ResolvedOperand, Rules, combine};

/// Coercibility of an operand. The operand with the lower value determines the collation.
/// `COERCIBILITY()` of MySQL returns 0 to 6 in this order; for a mixed collation, MySQL 9.7 returns
/// 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Coercibility {
    /// A `COLLATE` clause.
    Explicit,
    /// A text made of columns with different collations, as [`combine_collations`] returns it.
    Mixed,
    /// A column, a variable or parameter of a routine, a placeholder of a prepared statement.
    Implicit,
    /// `USER()`, `VERSION()` and similar functions.
    SystemConstant,
    /// A literal.
    Coercible,
    /// A number, date or time, with collation `binary`.
    Numeric,
    /// `NULL`.
    Ignorable,
}

/// An operand of an expression.
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
    /// Collation of this side. An operand of another character set is converted, unless the
    /// collation is `binary`.
    Collation(Side),
    /// Collation of this side, if its character set can represent the other side's literal, or the
    /// other side's binary string is well-formed in it. Otherwise error 1267, or 3854 in MySQL
    /// 9.7.4.
    CollationIfRepresentable(Side),
    /// Error 1267, "Illegal mix of collations".
    IllegalMix,
}

/// Use that an expression makes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expression {
    /// Compares them: `=`, `<`, `IN (…)`, `BETWEEN`.
    Comparison,
    /// Makes a text of them: `CONCAT`, `COALESCE`, `IF`, the results of `CASE`.
    Text,
}

/// Result of [`combine_collations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CombinedCollation {
    /// Collation and coercibility of the comparison or of the text, which can be an operand of
    /// another expression. Operands of other character sets are converted.
    Collation(Operand<'static>),
    /// Collation and coercibility, if the character set can represent the values of operands that
    /// are converted. Otherwise one of the errors of `IllegalMix`, or 3854 in MySQL 9.7.4.
    CollationIfRepresentable(Operand<'static>),
    /// "Illegal mix of collations".
    IllegalMix {
        /// Number of the error: 1267 for two operands, 1270 for three, 1271 for more.
        error: u16,
    },
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
    let operands = [ResolvedOperand::find(version, left)?, ResolvedOperand::find(version, right)?];
    let Some((winner, fit)) = combine(Rules::of(version), Expression::Comparison, &operands) else {
        return Ok(CollationChoice::IllegalMix);
    };
    let side = if winner.info == operands[0].info { Side::Left } else { Side::Right };
    Ok(match fit {
        Fit::IfRepresentable => CollationChoice::CollationIfRepresentable(side),
        _ => CollationChoice::Collation(side),
    })
}

/// Determines the collation of an expression with one or more operands on a server of a version,
/// and the coercibility of its result. The order of the operands counts.
///
/// A text of numbers alone has the collation of the connection; here it is `binary`. `LOCATE`,
/// `FIELD` and `REPLACE` follow the rules of a comparison, but in MySQL 9.7.4 those of a text.
/// `LIKE` of two operands follows those of a comparison, but MySQL 9.7.4 converts rows as in a
/// text. Not followed: three and more operands of which two have different `COLLATE` clauses; some
/// servers accept them if a third clause wins.
///
/// # Errors
/// [`LookupError::Unknown`] if the flavour has no collation with a given name.
///
/// ```
/// use mysql_collation::{
///     Coercibility, CombinedCollation, Expression, Flavour, Operand, ServerVersion, combine_collations,
/// };
///
/// let version = ServerVersion::new(Flavour::MySql, 8, 0, 12);
/// let column = |collation| Operand::new(collation, Coercibility::Implicit);
/// let [swedish, german] = ["latin1_swedish_ci", "latin1_german1_ci"].map(column);
///
/// // CONCAT(swedish, german)
/// let text = combine_collations(version, Expression::Text, [swedish, german])?;
/// let CombinedCollation::Collation(text) = text else { panic!("{text:?}") };
/// assert_eq!((text.collation, text.coercibility), ("latin1_bin", Coercibility::Mixed));
///
/// // CONCAT(swedish, german) IN (swedish, german)
/// let comparison = combine_collations(version, Expression::Comparison, [text, swedish, german])?;
/// assert_eq!(comparison, CombinedCollation::IllegalMix { error: 1270 });
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
pub fn combine_collations<'a>(
    version: ServerVersion,
    expression: Expression,
    operands: impl IntoIterator<Item = Operand<'a>>,
) -> Result<CombinedCollation, LookupError> {
    let operands: Result<Vec<ResolvedOperand>, LookupError> =
        operands.into_iter().map(|operand| ResolvedOperand::find(version, operand)).collect();
    let operands = operands?;
    let error = match operands.len() {
        0..=2 => 1267,
        3 => 1270,
        _ => 1271,
    };
    Ok(match combine(Rules::of(version), expression, &operands) {
        None => CombinedCollation::IllegalMix { error },
        Some((result, Fit::IfRepresentable)) => CombinedCollation::CollationIfRepresentable(result.operand()),
        Some((result, _)) => CombinedCollation::Collation(result.operand()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Flavour;

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

    fn text_of(version: ServerVersion, operands: &[Operand<'_>]) -> CombinedCollation {
        combine_collations(version, Expression::Text, operands.iter().copied()).unwrap()
    }

    fn collation_of(version: ServerVersion, operands: &[Operand<'_>]) -> Option<(&'static str, Coercibility)> {
        match text_of(version, operands) {
            CombinedCollation::Collation(operand) => Some((operand.collation, operand.coercibility)),
            _ => None,
        }
    }

    #[test]
    fn columns_win_over_mixed_texts_in_mysql_9() {
        let mysql_9 = ServerVersion::new(Flavour::MySql, 9, 7, 4);
        let all = ["utf8mb3_general_ci", "utf8mb3_unicode_ci", "utf8mb4_general_ci"].map(column);
        assert_eq!(collation_of(MYSQL, &all), Some(("utf8mb3_bin", Coercibility::Mixed)));
        assert_eq!(collation_of(mysql_9, &all), Some(("utf8mb4_general_ci", Coercibility::Implicit)));
    }

    #[test]
    fn a_clause_decides_between_charsets() {
        let clause = Operand::new("utf32_general_ci", Coercibility::Explicit);
        let [one, other] = ["latin1_swedish_ci", "cp1251_general_ci"].map(column);
        assert_eq!(text_of(MYSQL, &[one, other, one]), CombinedCollation::IllegalMix { error: 1270 });
        assert_eq!(collation_of(MYSQL, &[one, other, clause]), Some(("utf32_general_ci", Coercibility::Explicit)));
        let clause = Operand::new("latin1_bin", Coercibility::Explicit);
        assert_eq!(text_of(MARIADB, &[one, other, clause, one]), CombinedCollation::IllegalMix { error: 1271 });
        let mysql_9 = ServerVersion::new(Flavour::MySql, 9, 7, 4);
        let converted = CombinedCollation::CollationIfRepresentable(clause);
        assert_eq!(text_of(mysql_9, &[one, other, clause]), converted);
        assert_eq!(choose_collation(mysql_9, other, clause), Ok(CollationChoice::IllegalMix));
    }

    #[test]
    fn numbers_and_null_give_way() {
        let number = Operand::new("binary", Coercibility::Numeric).with_ascii(true);
        let null = Operand::new("binary", Coercibility::Ignorable).with_ascii(true);
        let all = [null, number, column("latin1_bin")];
        assert_eq!(collation_of(MARIADB, &all), Some(("latin1_bin", Coercibility::Implicit)));
        assert_eq!(collation_of(MARIADB, &[]), None);
    }
}
