//! How the results of a statement differ between the servers, and which results are not compared.

use sql::{SqlMode, tokenize};

use crate::grouped::Groups;
use crate::material::Given;
use crate::script::{Done, is_query};
use crate::side::Rows;

/// Says how the rows of a query differ, or the numbers of rows that another statement changes.
/// `None` if they don't, or if a query's rows may differ from call to call or are about the server.
/// The order counts only with ORDER BY or if [`Groups::are_sorted`]; without it, other rows of a
/// LIMIT don't count.
pub fn describe_difference(given: &Given, before: &Done, one: &Rows, other: &Rows, groups: Groups) -> Option<String> {
    if !is_query(&given.text) {
        return (one.affected != other.affected).then(|| {
            let rows = message::count_noun(one.affected, "row");
            format!("changes {rows} on the old server, and {} on the new one", other.affected)
        });
    }
    if !before.is_repeatable || reads_server(&given.text) {
        return None;
    }
    let tokens: Vec<sql::Token<'_>> = tokenize(&given.text, SqlMode::default()).collect();
    let has = |word: &str| tokens.iter().any(|token| token.is_keyword(word));
    let is_ordered = has("order") || groups.are_sorted();
    if one.count != other.count {
        let rows = message::count_noun(one.count, "row");
        return Some(format!("returns {rows} on the old server, and {} on the new one", other.count));
    }
    if one.content != other.content {
        let is_single = one.count == 1;
        if has("limit") && !is_ordered {
            return None;
        }
        let differing = one.first.iter().zip(&other.first).position(|(one, other)| one != other);
        return Some(match differing.map(|at| (at, &one.first[at], &other.first[at])) {
            Some((at, one, other)) => {
                let row = if is_single { "its row is".to_owned() } else { format!("row {} is", at + 1) };
                format!("returns different rows: {row} ({one}) on the old server, and ({other}) on the new one")
            }
            None => format!("returns different rows, after the first {}", one.first.len()),
        });
    }
    (one.ordered != other.ordered && is_ordered)
        .then(|| "returns its rows in a different order on the new server".to_owned())
}

/// Functions whose results can differ between any two servers.
const SERVER_FUNCTIONS: [&str; 3] = ["version", "connection_id", "sysdate"];

/// Schemas whose contents can differ between any two servers.
const SERVER_SCHEMAS: [&str; 4] = ["information_schema", "performance_schema", "sys", "mysql"];

/// True for statements about the server itself, whose results can differ between any two servers:
/// `SELECT @@sql_mode`, `SELECT VERSION()`. False for `SELECT CHARSET(x), COLLATION(x)`: the
/// results depend on the text `x`.
pub fn reads_server(text: &str) -> bool {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    let is_named = |token: &sql::Token<'_>, names: &[&str]| {
        token.name().is_some_and(|name| names.iter().any(|one| one.eq_ignore_ascii_case(&name)))
    };
    let is_pair = |pair: &[sql::Token<'_>]| {
        pair[1].is_symbol('(') && is_named(&pair[0], &SERVER_FUNCTIONS)
            || pair[1].is_symbol('.') && is_named(&pair[0], &SERVER_SCHEMAS)
    };
    tokens.iter().any(|token| token.text.starts_with("@@")) || tokens.windows(2).any(is_pair)
}

/// Says how many queries are about the server itself, so that their answers are not compared.
/// `None` if no query is.
pub fn describe_about_server(scripts: &[Vec<Given>]) -> Option<String> {
    let is_about = |given: &&Given| is_query(&given.text) && reads_server(&given.text);
    let mut places = scripts.iter().flatten().filter(is_about).map(|given| given.place.as_str());
    let first = places.next()?;
    let statements = message::count_noun(1 + places.count() as u64, "statement");
    Some(format!(
        "answers of {statements} about the server itself, which differ between any two (version(), connection_id(), sysdate(), \
         @@variables, information_schema, performance_schema, sys, mysql), first {first}"
    ))
}

/// Says so if all rows differ only by `utf8` and `utf8mb3`. `None` otherwise, and if not all rows
/// were kept.
pub fn describe_renaming(one: &Rows, other: &Rows) -> Option<String> {
    let is_renamed = |(old, new): (&String, &String)| {
        let plain = |text: &String| text.to_lowercase().replace("utf8mb3", "utf8");
        plain(old) == plain(new)
    };
    let is_all = one.count == other.count
        && one.first.len() as u64 == one.count
        && one.content != other.content
        && one.first.iter().zip(&other.first).all(is_renamed);
    is_all.then(|| "utf8 and utf8mb3 are two names of one character set: only the name differs".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::is_explainable;

    #[test]
    fn only_the_server_itself_is_not_compared() {
        for text in [
            "SELECT VERSION()",
            "select @@sql_mode, a from t",
            "SELECT * FROM information_schema.TABLES",
            "SELECT * FROM `mysql`.user",
        ] {
            assert!(reads_server(text), "{text}");
        }
        for text in [
            "SELECT CHARSET(a), COLLATION(a), COERCIBILITY(a) FROM t",
            "SELECT conversion(a), version FROM tsys.t",
            "SELECT 'version()', `@@x` FROM t -- sys.x",
        ] {
            assert!(!reads_server(text), "{text}");
        }
    }

    #[test]
    fn another_name_of_utf8_is_a_reason() {
        let rows = |text: &str, content| Rows { count: 1, content, first: vec![text.into()], ..Rows::default() };
        assert!(describe_renaming(&rows("utf8_bin", 1), &rows("utf8mb3_bin", 2)).is_some());
        assert_eq!(describe_renaming(&rows("utf8_bin", 1), &rows("utf8mb4_bin", 2)), None);
        assert_eq!(describe_renaming(&rows("utf8_bin", 1), &rows("utf8_bin", 1)), None);
    }

    #[test]
    fn a_deletion_behind_with_is_no_query() {
        let text = "WITH c AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (SELECT a FROM c)";
        let given = Given { place: "p".into(), text: text.into(), schema: None };
        let deleted = |affected| Rows { affected, ..Rows::default() };
        let before = Done { ran: Ok(deleted(1)), ..Done::default() };
        assert_eq!(
            describe_difference(&given, &before, &deleted(1), &deleted(2), Groups::default()).unwrap(),
            "changes 1 row on the old server, and 2 on the new one"
        );
        assert!(!is_query(text) && is_explainable(text));
    }

    #[test]
    fn different_rows_are_reported_behind_equal_ones_too() {
        let given = Given { place: "p".into(), text: "SELECT a FROM t".into(), schema: None };
        let one = Rows { count: 300, content: 1, first: vec!["x".into(); 200], ..Rows::default() };
        let before = Done { ran: Ok(one.clone()), ..Done::default() };
        let describe = |other: &Rows| describe_difference(&given, &before, &one, other, Groups::default());
        let behind = describe(&Rows { content: 2, ..one.clone() }).unwrap();
        assert_eq!(behind, "returns different rows, after the first 200");
        let seen = describe(&Rows { content: 2, first: vec!["y".into(); 200], ..one.clone() }).unwrap();
        assert_eq!(seen, "returns different rows: row 1 is (x) on the old server, and (y) on the new one");
        assert_eq!(describe(&one), None);
    }
}
