//! Strings that are ill-formed. No server stores them, but all take them from a client, as parameters or literals, and
//! compare them.

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation, Element, Flavour};

use super::checks::{Outcome, quoted};
use super::session::{Row, Session, hex};

/// The order of pairs, where the server's is an order that the library follows.
pub fn check(session: &mut Session<'_>, collation: Collation, rows: &[Row]) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    if !is_followed(collation) {
        return Ok(outcome);
    }
    let is_5 = is_5(session);
    for (a, b) in rows.iter().filter(|(a, b)| !is_5 || !has_surrogate(a) && !has_surrogate(b)) {
        let theirs = order(session, collation, a, b)?;
        let ours = || collation.compare(a, b) as i32;
        let agrees = session.agrees(|| theirs == Some(ours())) || depends_on_the_rest(session, collation, a, b)?;
        outcome.note(agrees, || format!("x'{}' to x'{}' is {} here, {theirs:?} there", hex(a), hex(b), ours()));
    }
    Ok(outcome)
}

/// MySQL compares bytes from the first ill-formed one on where a character has one weight. This is not transitive, so
/// there is no key for it, and the library doesn't follow.
fn is_followed(collation: Collation) -> bool {
    let name = collation.info().name;
    let one_weight = name.contains("_general_")
        || name.contains("_tolower_")
        || name.ends_with("_bin") && name != "utf8mb4_0900_bin";
    let is_utf8 = matches!(collation.charset(), Charset::Utf8mb3 | Charset::Utf8mb4);
    is_utf8 && !(one_weight && collation.info().flavour == Flavour::MySql)
}

/// Whether the server's answer is none that an order could give. MariaDB mostly orders ill-formed bytes by a rule, but its comparison
/// takes several bytes at a time, and then its answer depends on what is behind the first difference: where two such bytes differ, or
/// where one differs from a character, which is not ignorable, and the server agrees with the library once both strings end there.
fn depends_on_the_rest(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<bool> {
    let is_error = |element: &Element| element.code_points.is_empty();
    let mut elements = collation.weights(a).zip(collation.weights(b));
    let differ =
        |(x, y): &(Element, Element)| x.weights != y.weights || is_error(x) && a[x.bytes.clone()] != b[y.bytes.clone()];
    let Some((x, y)) = elements.find(differ).filter(|_| collation.info().flavour == Flavour::MariaDb) else {
        return Ok(false);
    };
    // Behind an ignorable character the rest decides in an order, too.
    let decides = |element: &Element| !element.weights[0].is_empty();
    if is_error(&x) != is_error(&y) && decides(&x) && decides(&y) {
        let (a, b) = (&a[..x.bytes.end], &b[..y.bytes.end]);
        return Ok(order(session, collation, a, b)? == Some(collation.compare(a, b) as i32));
    }
    Ok(is_error(&x) && is_error(&y))
}

/// MySQL 5.6 takes surrogates for characters; the library follows later versions, to which they are ill-formed.
fn has_surrogate(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0] == 0xed && pair[1] >= 0xa0)
}

fn order(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    if is_5(session) { by_literals(session, collation, a, b) } else { by_parameters(session, collation, a, b) }
}

fn is_5(session: &mut Session<'_>) -> bool {
    session.source().server.version().starts_with("5.")
}

fn by_parameters(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    let name = quoted(session, collation);
    let charset = session.source().name_of(collation.charset().name());
    let conn = &mut session.source().conn;
    conn.query_drop(format!("SET NAMES {charset}"))?;
    let row = conn.exec_first(format!("SELECT STRCMP(? COLLATE {name}, ? COLLATE {name})"), (a, b))?;
    Ok(row.flatten())
}

/// MySQL 5.6 takes parameters for binary, but a cast leaves the bytes as they are.
fn by_literals(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<Option<i32>> {
    let name = quoted(session, collation);
    let charset = session.source().name_of(collation.charset().name());
    let text = |bytes| format!("CAST(x'{}' AS CHAR CHARACTER SET {charset}) COLLATE {name}", hex(bytes));
    let query = format!("SELECT STRCMP({}, {})", text(a), text(b));
    Ok(session.source().conn.query_first(query)?.flatten())
}
