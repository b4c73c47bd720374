//! Compares single results of operations with a server's.

use std::collections::HashSet;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::{Charset, Collation, Content, Direction, Flavour, RowKey, ServerVersion};

use super::rows::Rows;
use crate::verify::{Outcome, Session, hex, quote_collation};

/// Compares with the server's `STRCMP` under collations whose `=` the library says is that of
/// bytes, with or without trailing spaces, and of these also the `<` that it says is that of bytes.
pub fn compare_bytewise(
    session: &mut Session<'_>,
    collation: Collation,
    _: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let trims = collation.equality_is_bytewise_without_trailing_spaces();
    if !collation.equality_is_bytewise() && !trims {
        return Ok(outcome);
    }
    let expression = format!("STRCMP(a, b COLLATE {})", quote_collation(session, collation));
    let answers: Vec<i32> = session.query(&expression, "pairs", rows.pairs.len())?;
    for ((a, b), theirs) in rows.pairs.iter().zip(answers) {
        let same = if trims { trim(collation.charset(), a) == trim(collation.charset(), b) } else { a == b };
        let agrees = same == (theirs == 0) && (!collation.order_is_bytewise() || a.cmp(b) as i32 == theirs);
        outcome.count(agrees, || format!("x'{}' to x'{}' is {theirs} there", hex(a), hex(b)));
    }
    Ok(outcome)
}

fn trim(charset: Charset, mut text: &[u8]) -> &[u8] {
    let mut space = [0; 4];
    let length = charset.encode(' ', &mut space).unwrap_or_default();
    while let Some(rest) = text.strip_suffix(&space[..length]).filter(|_| length > 0) {
        text = rest;
    }
    text
}

/// Compares `LOCATE`.
pub fn compare_locate(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let expression = format!("LOCATE(b, a COLLATE {})", quote_collation(session, collation));
    let answers: Vec<usize> = session.query(&expression, "needles", rows.needles.len())?;
    let by_weights = version >= ServerVersion::new(Flavour::MySql, 9, 0, 0) && version.flavour == Flavour::MySql;
    for ((text, needle), theirs) in rows.needles.iter().zip(answers) {
        let found = if by_weights { collation.find(text, needle) } else { collation.find_equal_length(text, needle) };
        let ours = found.map_or(0, |at| collation.charset().char_len(&text[..at]) + 1);
        outcome.count(ours == theirs, || {
            format!("LOCATE(x'{}', x'{}') is {ours} here, {theirs} there", hex(needle), hex(text))
        });
    }
    Ok(outcome)
}

/// Compares `REPLACE`.
pub fn compare_replace(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    // MySQL up to 5.7 replaces as MariaDB does, which has no gb18030, so gb18030 is left out there.
    let is_old = version.flavour == Flavour::MySql && version.major < 8;
    let flavour = if is_old { Flavour::MariaDb } else { version.flavour };
    let Ok(of_version) = Collation::by_name(flavour, collation.name()) else { return Ok(outcome) };
    let expression = format!("HEX(REPLACE(a COLLATE {}, b, ''))", quote_collation(session, collation));
    let answers: Vec<String> = session.query(&expression, "needles", rows.needles.len())?;
    for ((text, needle), theirs) in rows.needles.iter().zip(answers) {
        let ours = of_version.replace(text, needle, b"");
        outcome.count(hex(&ours).eq_ignore_ascii_case(&theirs), || {
            format!("REPLACE(x'{}', x'{}', '') is {} here, {theirs} there", hex(text), hex(needle), hex(&ours))
        });
    }
    Ok(outcome)
}

type ChangeCase = fn(&Collation, &[u8]) -> Vec<u8>;

/// Compares `UPPER` and `LOWER`.
pub fn compare_case(session: &mut Session<'_>, collation: Collation, _: ServerVersion, rows: &Rows) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let functions: [(&str, ChangeCase); 2] = [("UPPER", Collation::to_upper), ("LOWER", Collation::to_lower)];
    for (name, function) in functions {
        let expression = format!("HEX({name}(a COLLATE {}))", quote_collation(session, collation));
        let answers: Vec<String> = session.query(&expression, "pairs", rows.pairs.len())?;
        for ((text, _), theirs) in rows.pairs.iter().zip(answers) {
            let ours = function(&collation, text);
            let agrees = hex(&ours).eq_ignore_ascii_case(&theirs) || becomes_another(collation, text);
            outcome.count(agrees, || format!("{name}(x'{}') is {} here, {theirs} there", hex(text), hex(&ours)));
        }
    }
    Ok(outcome)
}

/// Returns `true` if MySQL takes a character above U+FFFF as the one with the same low 16 bits in
/// `UPPER` and `LOWER`.
fn becomes_another(collation: Collation, text: &[u8]) -> bool {
    collation.name() == "gb18030_unicode_520_ci"
        && collation
            .charset()
            .characters(Flavour::MySql, text)
            .any(|character| matches!(character.content, Content::CodePoint(0x1_0000..)))
}

/// Lengths of the type in `WEIGHT_STRING(… AS CHAR(n))`.
const LENGTHS: [usize; 2] = [3, 12];

/// Compares `WEIGHT_STRING(… AS CHAR(n))`. Leaves out `binary`, MySQL up to 5.7, which pads
/// otherwise, and MariaDB from 11 on in collations with several levels, which it cuts short.
pub fn compare_padded_weights(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let is_followed = match version.flavour {
        Flavour::MySql => version.major >= 8,
        _ => version.major < 11 || collation.info().levels.iter().count() == 1,
    };
    if !is_followed || collation.charset() == Charset::Binary {
        return Ok(outcome);
    }
    for length in LENGTHS {
        let name = quote_collation(session, collation);
        let expression = format!("HEX(WEIGHT_STRING(a COLLATE {name} AS CHAR({length})))");
        let answers: Vec<Option<String>> = session.query(&expression, "pairs", rows.pairs.len())?;
        for ((text, _), theirs) in rows.pairs.iter().zip(answers) {
            let (ours, theirs) = (hex(&collation.weight_string_as_char(text, length)), theirs.unwrap_or_default());
            outcome.count(ours.eq_ignore_ascii_case(&theirs), || {
                format!("x'{}' AS CHAR({length}) weighs {ours} here, {theirs} there", hex(text))
            });
        }
    }
    Ok(outcome)
}

/// Compares the number of groups of a temporary table. Leaves out `latin2_czech_cs`, which groups
/// otherwise.
pub fn compare_groups(
    session: &mut Session<'_>,
    collation: Collation,
    version: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    if collation.name() == "latin2_czech_cs" {
        return Ok(Outcome::default());
    }
    let name = quote_collation(session, collation);
    let texts = "SELECT a x FROM pairs UNION ALL SELECT b FROM pairs";
    let query = format!("SELECT COUNT(*) FROM (SELECT DISTINCT x COLLATE {name} FROM ({texts}) texts) groups_");
    let theirs: Option<usize> = session.server().conn.query_first(query).context("counting groups")?;
    let all = || rows.pairs.iter().flat_map(|(a, b)| [a, b]);
    let (_, count) = collation.column_group_by(all().map(|text| Some(&text[..])));
    let by_equality: HashSet<Vec<u8>> = all().map(|text| collation.sort_key(text)).collect();
    // MySQL 8.0.12 makes two groups of the empty string and the strings that equal it.
    let of_empty = collation.group_key(b"");
    let is_split = (version.flavour, version.major) == (Flavour::MySql, 8)
        && all().any(|text| text.is_empty())
        && all().any(|text| !text.is_empty() && collation.group_key(text) == of_empty);
    let ours = count + usize::from(is_split);
    let mut outcome = Outcome::default();
    // MySQL 5 compares strings whose hashes share a bucket by `=`, so that the number of rows
    // counts.
    let is_old = version.flavour == Flavour::MySql && version.major < 8;
    let agrees =
        theirs == Some(ours) || is_old && theirs.is_some_and(|theirs| (by_equality.len()..=ours).contains(&theirs));
    outcome.count(agrees, || format!("{ours} groups here, {theirs:?} there, {} by equality", by_equality.len()));
    Ok(outcome)
}

/// Characters of the prefix index.
const PREFIX: usize = 3;

/// Compares the rows that a unique key of a prefix accepts.
pub fn compare_prefix_index(
    session: &mut Session<'_>,
    collation: Collation,
    _: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let name = quote_collation(session, collation);
    let charset = session.server().local_name(collation.charset().name());
    let kind = match collation.charset() {
        Charset::Binary => "VARBINARY(255)".to_owned(),
        _ => format!("VARCHAR(255) CHARACTER SET {charset} COLLATE {name}"),
    };
    let conn = &mut session.server().conn;
    conn.query_drop("DROP TABLE IF EXISTS prefix_index")?;
    conn.query_drop(format!(
        "CREATE TABLE prefix_index (id INT PRIMARY KEY, v {kind} NOT NULL, UNIQUE KEY (v({PREFIX})))"
    ))?;
    conn.query_drop("INSERT IGNORE INTO prefix_index SELECT id, a FROM pairs ORDER BY id")?;
    let theirs: HashSet<usize> = conn
        .query_iter("SELECT id FROM prefix_index FORCE INDEX (PRIMARY)")?
        .map(|row| row.map(mysql::from_row))
        .collect::<mysql::Result<_>>()?;
    let mut seen = HashSet::new();
    let mut outcome = Outcome::default();
    for (id, (text, _)) in rows.pairs.iter().enumerate() {
        let is_new = seen.insert(collation.prefix_index_key(text, PREFIX));
        outcome.count(is_new == theirs.contains(&id), || format!("x'{}' is new here: {is_new}", hex(text)));
    }
    Ok(outcome)
}

/// Compares the order of rows of a prefix and a descending number. Asks for `STRCMP` of the
/// prefixes: `ORDER BY` of MySQL 5 and of some NO PAD collations of MariaDB departs from `<`.
pub fn compare_row_keys(
    session: &mut Session<'_>,
    collation: Collation,
    _: ServerVersion,
    rows: &Rows,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = quote_collation(session, collation);
    let expression = format!("STRCMP(LEFT(a, {PREFIX}), LEFT(b, {PREFIX}) COLLATE {name})");
    let answers: Vec<i32> = session.query(&expression, "pairs", rows.pairs.len())?;
    for (id, ((a, b), theirs)) in rows.pairs.iter().zip(answers).enumerate() {
        let numbers = [id % 3, id % 2];
        let [ours, other] = [(a, numbers[0]), (b, numbers[1])].map(|(text, number)| {
            let mut key = RowKey::new();
            key.push_prefix(collation, Some(text), PREFIX, Direction::Ascending);
            key.push_bytes(Some(&number.to_be_bytes()), Direction::Descending);
            key
        });
        let expected = theirs.cmp(&0).then(numbers[1].cmp(&numbers[0]));
        outcome.count(ours.cmp(&other) == expected, || {
            format!("prefixes of x'{}' and x'{}' are in order {theirs} there", hex(a), hex(b))
        });
    }
    Ok(outcome)
}
