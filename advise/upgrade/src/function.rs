//! Functions that the new server does not have: other names, and what takes their place. The
//! sources are the servers' manuals.

use mysql::prelude::Queryable;
use server::{Conn, error_code};
use sql::{SqlMode, Token, tokenize};
use why::Refusal;

use crate::grammar::stopped_at;
use crate::mend::Rewrite;
use crate::model::Mend;

/// Error for an unknown function in a session without a schema: `No database selected`.
const NO_SCHEMA_IN_USE: u16 = 1046;

/// Error `FUNCTION app.f does not exist. Check the 'Function Name Parsing and Resolution' section
/// …`.
pub const NO_FUNCTION: u16 = 1630;

/// Spatial functions that MySQL 8.0 has with the prefix `ST_` only.
const WITH_ST: &str = "area asbinary astext aswkb aswkt buffer centroid convexhull crosses dimension distance endpoint \
    envelope exteriorring geomcollfromtext geomcollfromwkb geometrycollectionfromtext geometrycollectionfromwkb \
    geometryfromtext geometryfromwkb geometryn geometrytype geomfromtext geomfromwkb interiorringn isclosed isempty \
    issimple linefromtext linefromwkb linestringfromtext linestringfromwkb mlinefromtext mlinefromwkb mpointfromtext \
    mpointfromwkb mpolyfromtext mpolyfromwkb multilinestringfromtext multilinestringfromwkb multipointfromtext \
    multipointfromwkb multipolygonfromtext multipolygonfromwkb numgeometries numinteriorrings numpoints pointfromtext \
    pointfromwkb pointn polyfromtext polyfromwkb polygonfromtext polygonfromwkb srid startpoint touches x y";

/// Spatial functions that MySQL 8.0 has with the prefix `MBR`: they compare bounding rectangles.
const WITH_MBR: &str = "contains disjoint equals intersects overlaps within";

/// Further functions: names that the new server may lack, each with another name.
const RENAMED: [(&str, &str); 9] = [
    ("glength", "ST_Length"),
    ("mbrequal", "MBREquals"),
    ("json_append", "JSON_ARRAY_APPEND"),
    ("json_merge", "JSON_MERGE_PRESERVE"),
    ("master_pos_wait", "SOURCE_POS_WAIT"),
    ("source_pos_wait", "MASTER_POS_WAIT"),
    // Names of MariaDB or MySQL, with those of the other product.
    ("json_detailed", "JSON_PRETTY"),
    ("json_pretty", "JSON_DETAILED"),
    ("nvl", "IFNULL"),
];

/// Substitutes of functions that the new server may lack and that have no other name.
const ADVICE: [(&str, &str); 12] = [
    (
        "encode decode des_encrypt des_decrypt",
        "AES_ENCRYPT() and AES_DECRYPT(), with other results: decrypt what is stored on the old server first",
    ),
    ("encrypt", "a hash that the application computes"),
    (
        "password old_password",
        "ALTER USER … IDENTIFIED BY for accounts, and a hash that the application computes for its own passwords",
    ),
    ("regexp_like", "a REGEXP b"),
    ("uuid_to_bin", "UNHEX(REPLACE(a, '-', ''))"),
    ("bin_to_uuid", "a text that is made of HEX(a)"),
    ("is_uuid", "a REGEXP"),
    ("any_value", "MIN() or MAX()"),
    ("nvl2", "IF(a IS NOT NULL, b, c)"),
    ("json_query json_exists", "JSON_EXTRACT() and JSON_CONTAINS_PATH()"),
    ("nextval lastval setval", "a table with an AUTO_INCREMENT column, as MySQL has no sequences"),
    (
        "column_create column_get column_add column_json column_list column_exists column_delete",
        "JSON functions on a JSON column",
    ),
];

/// Words before the name of an object that a parenthesis can follow: `INSERT INTO area (a, b)`.
const BEFORE_OBJECTS: [&str; 10] =
    ["call", "from", "function", "index", "into", "join", "key", "procedure", "references", "table"];

/// Name of the function that a refusal says is missing, as the statement writes it. `None` if the
/// refusal is about something else.
pub fn find_missing(text: &str, refusal: &Refusal) -> Option<String> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    match refusal.code {
        error_code::SP_DOES_NOT_EXIST | NO_FUNCTION => {
            let rest = refusal.message.strip_prefix("FUNCTION ")?;
            let name = rest.split_once(" does not exist")?.0.rsplit('.').next()?;
            calls(&tokens, name).next().map(|token| token.text.to_owned())
        }
        // The parser stops behind the name of a function that had a grammar of its own.
        error_code::PARSE_ERROR => {
            let at = stopped_at(text, &tokens, &refusal.message)?;
            let name = tokens[at.checked_sub(1)?];
            (tokens[at].is_symbol('(') && advice(name.text).is_some()).then(|| name.text.to_owned())
        }
        _ => None,
    }
}

/// Names of functions that a statement calls and the server does not have, in upper case. Only
/// functions with a new name or advice in this module are looked up; none is called.
pub fn find_all_missing(conn: &mut Conn, text: &str) -> Vec<String> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let mut missing: Vec<String> = Vec::new();
    for at in 1..tokens.len() {
        let word = tokens[at - 1].text;
        let is_object = at > 1 && (tokens[at - 2].is_symbol('.') || tokens[at - 2].is_any_keyword(&BEFORE_OBJECTS));
        if !tokens[at].is_symbol('(') || is_object || new_name(word).is_none() && advice(word).is_none() {
            continue;
        }
        let name = word.to_uppercase();
        if !missing.contains(&name) && lacks(conn, &name) {
            missing.push(name);
        }
    }
    missing
}

/// True if the server has no function of this name. Servers resolve names when a statement is
/// prepared.
fn lacks(conn: &mut Conn, name: &str) -> bool {
    match conn.query_drop(format!("PREPARE weigh_function FROM 'SELECT {name}(1)'")) {
        Err(mysql::Error::MySqlError(error)) => {
            // PASSWORD is a keyword on servers that have no such function any more.
            matches!(error.code, error_code::SP_DOES_NOT_EXIST | NO_FUNCTION | NO_SCHEMA_IN_USE)
                || error.code == error_code::PARSE_ERROR && name == "PASSWORD"
        }
        _ => false,
    }
}

fn calls<'t>(tokens: &'t [Token<'t>], name: &'t str) -> impl Iterator<Item = Token<'t>> {
    let is_call = move |pair: &&[Token<'_>]| pair[0].is_keyword(name) && pair[1].is_symbol('(');
    tokens.windows(2).filter(is_call).map(|pair| pair[0])
}

/// Returns the statement with another name of the missing function. `None` if none is known.
pub fn rename(text: &str, refusal: &Refusal) -> Option<Rewrite> {
    let old = find_missing(text, refusal)?;
    let new = new_name(&old)?;
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let edits: Vec<_> = calls(&tokens, &old).map(|token| (token.start..token.end(), new.clone())).collect();
    let what = format!("{old}() → {new}(): the new server does not have the old name");
    Some(Rewrite { what, text: Some(why::splice(text, &edits)), is_certain: true, ..Rewrite::default() })
}

/// Another name of a function.
fn new_name(old: &str) -> Option<String> {
    let lower = old.to_lowercase();
    let is_listed = |list: &str| list.split(' ').any(|name| name == lower);
    if is_listed(WITH_ST) {
        Some(format!("ST_{old}"))
    } else if is_listed(WITH_MBR) {
        Some(format!("MBR{old}"))
    } else {
        RENAMED.iter().find(|(name, _)| *name == lower).map(|(_, new)| (*new).to_owned())
    }
}

fn advice(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    ADVICE.iter().find(|(names, _)| names.split(' ').any(|one| one == lower)).map(|(_, advice)| *advice)
}

/// Says what takes the place of the missing function, and of the other functions that are missing.
/// `None` if the refusal is about something else.
pub fn advise(text: &str, refusal: &Refusal, missing: &[String]) -> Option<Mend> {
    let first = find_missing(text, refusal)?.to_uppercase();
    let names: Vec<&String> = std::iter::once(&first).chain(missing.iter().filter(|name| **name != first)).collect();
    let substitute = |name: &str| match (new_name(name), advice(name)) {
        (Some(new), _) => Some(format!("{new}()")),
        (None, advice) => advice.map(str::to_owned),
    };
    let what = if names.len() == 1 {
        let place = substitute(&first).map_or_else(
            || "write the statement without it, or create a function of this name".to_owned(),
            |place| format!("in its place: {place}"),
        );
        format!("The new server has no function {first}(); {place}")
    } else {
        let listed: Vec<String> = names.iter().map(|name| format!("{name}()")).collect();
        let places = names.iter().filter_map(|name| Some(format!("in place of {name}(): {}", substitute(name)?)));
        let places: Vec<String> = places.collect();
        format!("The new server has none of the functions {}; {}", listed.join(", "), places.join("; "))
    };
    Some(Mend { what, ..Mend::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: u16, message: &str) -> Refusal {
        Refusal { code, message: message.into() }
    }

    #[test]
    fn missing_functions_have_other_names_or_advice() {
        let text = "SELECT AsText(a), astext(b), astext FROM t";
        let missing = refusal(1305, "FUNCTION app.AsText does not exist");
        let new = rename(text, &missing).unwrap();
        assert_eq!(new.text.unwrap(), "SELECT ST_AsText(a), ST_AsText(b), astext FROM t");
        let missing = refusal(1305, "FUNCTION app.des_encrypt does not exist");
        let advised = advise("SELECT DES_ENCRYPT('x')", &missing, &[]).unwrap();
        assert!(advised.what.starts_with("The new server has no function DES_ENCRYPT(); in its place: AES_ENCRYPT()"));
        let others = ["DES_ENCRYPT".to_owned(), "ASTEXT".to_owned()];
        let advised = advise("SELECT DES_ENCRYPT('x'), AsText(a)", &missing, &others).unwrap();
        assert!(
            advised.what.starts_with("The new server has none of the functions DES_ENCRYPT(), ASTEXT(); in place of")
        );
        assert!(advised.what.ends_with("; in place of ASTEXT(): ST_ASTEXT()"), "{}", advised.what);
        assert!(advise("CALL p()", &refusal(1305, "PROCEDURE app.p does not exist"), &[]).is_none());
    }

    #[test]
    fn a_parenthesis_that_the_parser_stops_at_can_be_a_call() {
        let text = "CREATE PROCEDURE p() BEGIN SELECT PASSWORD('x'); END";
        let stopped = refusal(1064, "You have an error … near '('x'); END' at line 1");
        assert_eq!(find_missing(text, &stopped).as_deref(), Some("PASSWORD"));
        let text = "SELECT SUM(a) OVER (ORDER BY b) FROM t";
        assert!(find_missing(text, &refusal(1064, "… near '(ORDER BY b) FROM t' at line 1")).is_none());
    }
}
