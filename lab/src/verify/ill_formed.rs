//! Ill-formed strings. No server stores such strings, but most servers compare them as parameters
//! or literals.

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation, Element, Flavour};

use super::checks::{Outcome, quote_collation};
use super::session::{Session, TextPair, hex};

/// Compares the order of pairs under UTF-8 collations. Leaves out collations and pairs for which
/// the server's comparison is no order, surrogates in MySQL 5, and servers that replace ill-formed
/// bytes.
pub fn check(session: &mut Session<'_>, collation: Collation, rows: &[TextPair]) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    if !is_followed(collation) || !keeps_ill_formed_bytes(session, collation)? {
        return Ok(outcome);
    }
    let is_5 = is_mysql_5(session);
    for (a, b) in rows.iter().filter(|(a, b)| !is_5 || !has_surrogate(a) && !has_surrogate(b)) {
        let theirs = query_order(session, collation, a, b)?;
        let ours = || collation.compare(a, b) as i32;
        let agrees = session.holds_for_all_instruction_sets(|| theirs == Some(ours()))
            || depends_on_the_rest(session, collation, a, b)?;
        outcome.count(agrees, || format!("x'{}' to x'{}' is {} here, {theirs:?} there", hex(a), hex(b), ours()));
    }
    Ok(outcome)
}

/// Returns `true` for UTF-8 collations in which the library follows the server. In collations with
/// one weight per character, such as `utf8mb4_general_ci`, MySQL compares bytes from the first
/// ill-formed byte on. This isn't transitive, so no sort key has this order.
pub fn is_followed(collation: Collation) -> bool {
    let name = collation.info().name;
    let one_weight = name.contains("_general_")
        || name.contains("_tolower_")
        || name.ends_with("_bin") && name != "utf8mb4_0900_bin";
    let is_utf8 = matches!(collation.charset(), Charset::Utf8mb3 | Charset::Utf8mb4);
    is_utf8 && !(one_weight && collation.info().flavour == Flavour::MySql)
}

/// Returns `true` if the server's result depends on bytes after the deciding difference, so that no
/// order has it. MariaDB mostly orders ill-formed bytes by a rule, but its comparison reads several
/// bytes at a time. The difference is between two ill-formed bytes, or between an ill-formed byte
/// and a character that isn't ignorable; in the second case, the server has to agree with the
/// library on both strings cut after the difference.
pub fn depends_on_the_rest(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<bool> {
    let is_error = |element: &Element| element.code_points.is_empty();
    let mut elements = collation.weights(a).zip(collation.weights(b));
    let differ =
        |(x, y): &(Element, Element)| x.weights != y.weights || is_error(x) && a[x.bytes.clone()] != b[y.bytes.clone()];
    let Some((x, y)) = elements.find(differ).filter(|_| collation.info().flavour == Flavour::MariaDb) else {
        return Ok(false);
    };
    // An ignorable character decides nothing, so what follows it decides even in an order.
    let decides = |element: &Element| !element.weights[0].is_empty();
    if is_error(&x) != is_error(&y) && decides(&x) && decides(&y) {
        let (a, b) = (&a[..x.bytes.end], &b[..y.bytes.end]);
        return Ok(query_order(session, collation, a, b)? == Some(collation.compare(a, b) as i32));
    }
    Ok(is_error(&x) && is_error(&y))
}

/// Returns `true` for a text with a surrogate, which is a character in MySQL 5. The library follows
/// later versions, where surrogates are ill-formed.
fn has_surrogate(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0] == 0xed && pair[1] >= 0xa0)
}

pub fn query_order(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    if is_mysql_5(session) {
        return query_with_literals(session, collation, a, b);
    }
    match query_with_parameters(session, collation, a, b) {
        Err(error) if are_parameters_binary(&error) => query_with_literals(session, collation, a, b),
        order => order,
    }
}

/// True for error 1253, "collation is not valid for character set binary": some servers, such as
/// MySQL 8.0.12 and MariaDB 10.1, give parameters the character set binary.
fn are_parameters_binary(error: &anyhow::Error) -> bool {
    let code = error.downcast_ref::<mysql::Error>();
    matches!(code, Some(mysql::Error::MySqlError(error)) if error.code == 1253)
}

/// False for `utf8mb3` in MariaDB before 10.6: parameters are binary there, and a cast replaces
/// ill-formed bytes by `?`.
fn keeps_ill_formed_bytes(session: &mut Session<'_>, collation: Collation) -> Result<bool> {
    const ILL_FORMED: &[u8] = b"\xEF";
    match query_with_parameters(session, collation, ILL_FORMED, ILL_FORMED) {
        Err(error) if are_parameters_binary(&error) => {
            let charset = session.server().local_name(collation.charset().name());
            let query = format!("SELECT HEX(CAST(x'EF' AS CHAR CHARACTER SET {charset})) = 'EF'");
            Ok(session.server().conn.query_first(query)?.flatten() == Some(1_i32))
        }
        compared => compared.map(|_| true),
    }
}

fn is_mysql_5(session: &mut Session<'_>) -> bool {
    session.server().server.version().starts_with("5.")
}

fn query_with_parameters(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    let name = quote_collation(session, collation);
    let charset = session.server().local_name(collation.charset().name());
    let conn = &mut session.server().conn;
    conn.query_drop(format!("SET NAMES {charset}"))?;
    let row = conn.exec_first(format!("SELECT STRCMP(? COLLATE {name}, ? COLLATE {name})"), (a, b))?;
    Ok(row.flatten())
}

/// Compares casts of binary literals, which keep ill-formed bytes: see [`keeps_ill_formed_bytes`].
fn query_with_literals(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    let name = quote_collation(session, collation);
    let charset = session.server().local_name(collation.charset().name());
    let text = |bytes| format!("CAST(x'{}' AS CHAR CHARACTER SET {charset}) COLLATE {name}", hex(bytes));
    let query = format!("SELECT STRCMP({}, {})", text(a), text(b));
    Ok(session.server().conn.query_first(query)?.flatten())
}
