//! Queries with `GROUP BY` and without `ORDER BY`, and those with `GROUP BY a DESC`. MariaDB, and
//! MySQL before 8.0, sort the groups; MySQL 8.0 and later do not (MySQL manual, "Changes in MySQL
//! 8.0", SQL changes).

use std::ops::Range;

use rehearsal::ObjectName;
use server::{Flavour, Server};
use sql::{SqlMode, Token, tokenize};
use why::{Copy, ProgramQuery, program_queries, splice};

use crate::Error;
use crate::material::Given;
use crate::mend::Rewrite;
use crate::model::{Area, Finding, Kind, Mend};
use crate::script::Done;
use crate::side::{Rows, Session, version};

/// Groups of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Groups {
    are_sorted: bool,
}

impl Groups {
    /// Groups of a query on the old server.
    pub fn new(source: &Server, text: &str) -> Self {
        Self { are_sorted: sorts_groups(source) && order_groups(text).is_some() }
    }

    /// True if the old server sorts the query's groups, and the query has no ORDER BY.
    pub fn are_sorted(self) -> bool {
        self.are_sorted
    }

    /// Says why the new server returns other rows or another order. `None` unless only the old
    /// server sorts the groups.
    pub fn reason(self, target: &Server) -> Option<String> {
        (self.are_sorted && !sorts_groups(target)).then(|| REASON.to_owned())
    }
}

const REASON: &str = "The old server sorts by the columns of GROUP BY, the new one does not";

const ORDER_BY: &str = "Add ORDER BY with the columns of GROUP BY";

/// Reports the queries of a stored program whose groups the old server sorts and the new one does
/// not, by the plans of both. `keyword` is `PROCEDURE`, `FUNCTION`, `TRIGGER` or `EVENT`.
pub fn judge_program(
    (source, target): (&Server, &Server),
    keyword: &'static str,
    name: &ObjectName,
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    if !sorts_groups(source) || sorts_groups(target) {
        return Ok(findings);
    }
    let mut copy = Copy::new(target)?;
    for query in program_queries(&copy, keyword, &name.schema, &name.name)? {
        let Some(ordered) = order_groups(&query.text).filter(|_| shows_order(&query.text)) else { continue };
        let is_sorted = |copy: &mut Copy<'_>, query: &ProgramQuery, text: &str| -> Result<Option<bool>, Error> {
            let plan = query.explain(copy, text)?.ok();
            let extras =
                |plan: &why::PlanFigures| plan.tables.iter().map(|table| table.extra.clone()).collect::<String>();
            Ok(plan.filter(|plan| !plan.tables.is_empty()).map(|plan| {
                let extras = extras(&plan);
                !extras.contains("Using temporary") || extras.contains("filesort")
            }))
        };
        if is_sorted(&mut copy, &query, &query.text)? != Some(false) {
            continue;
        }
        let mut old = Copy::new(source)?;
        let known = program_queries(&old, keyword, &name.schema, &name.name)?;
        let Some(same) = known.iter().find(|one| one.text == query.text) else { continue };
        if is_sorted(&mut old, same, &same.text)? != Some(true) {
            continue;
        }
        let is_taken = query.explain(&mut copy, &ordered)?.is_ok();
        let mend = Mend { what: ORDER_BY.into(), sql: vec![ordered], ..Mend::default() };
        findings.push(Finding {
            kind: Kind::Differs,
            area: Area::Program,
            place: name.to_string(),
            what: "has a query whose groups come in another order on the new server".into(),
            statement: query.text.clone(),
            error: None,
            reasons: vec![REASON.into()],
            also: Vec::new(),
            mends: if is_taken { vec![mend] } else { Vec::new() },
        });
    }
    Ok(findings)
}

/// True if the order of a query's rows can be seen: not if they are inserted, or are one row for
/// variables without a LIMIT.
fn shows_order(text: &str) -> bool {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let has = |word: &str| tokens.iter().any(|token| token.is_keyword(word));
    sql::is_query(text, SqlMode::default()) && (!has("into") || has("limit"))
}

fn sorts_groups(server: &Server) -> bool {
    let version = version(server);
    version.flavour == Flavour::MariaDb || version.version < (8, 0, 0)
}

/// The query with the columns of its GROUP BY in an ORDER BY, if the new server takes it. `old` are
/// the old server's rows.
pub fn mend(target: &Server, given: &Given, after: &Done, old: &Rows) -> Result<Option<Mend>, Error> {
    let Some(text) = order_groups(&given.text) else { return Ok(None) };
    let mut session = Session::open(target, after.setup.schema.as_deref(), &after.setup.prelude)?;
    let Ok(rows) = session.run(&text)? else { return Ok(None) };
    let is_same = rows.ordered == old.ordered;
    let effects = if is_same { Vec::new() } else { vec!["The order or the rows still differ.".to_owned()] };
    Ok(Some(Mend { what: ORDER_BY.into(), sql: vec![text], effects, left: None }))
}

type Edit = (Range<usize>, String);

/// Writes `GROUP BY a DESC` as `GROUP BY a ORDER BY a DESC`, and as `GROUP BY a` in a statement
/// with `UNION` or before an `ORDER BY`.
pub fn order_by_instead(text: &str) -> Option<Rewrite> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    let has_union = tokens.iter().any(|token| token.is_keyword("union"));
    let mut edits: Vec<Edit> = Vec::new();
    for at in 1..tokens.len() {
        if tokens[at - 1].is_keyword("group") && tokens[at].is_keyword("by") {
            edits.extend(group_edits(text, &tokens, at + 1, has_union, false));
        }
    }
    let what = "GROUP BY takes no ASC and DESC: ORDER BY in its place".to_owned();
    (!edits.is_empty()).then(|| Rewrite {
        what,
        text: Some(splice(text, &edits)),
        is_certain: true,
        ..Rewrite::default()
    })
}

/// Writes an `ORDER BY` with the columns of the query's `GROUP BY`. `None` without `GROUP BY`, with
/// an `ORDER BY`, and for a `UNION`, `EXCEPT` or `INTERSECT`.
fn order_groups(text: &str) -> Option<String> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    // Words in parentheses are not found, so a query in parentheses gives `None`.
    let group = find_end(&tokens, 0, &["group", "union", "except", "intersect"]);
    tokens.get(group).filter(|token| token.is_keyword("group"))?;
    tokens.get(group + 1).filter(|token| token.is_keyword("by"))?;
    let edits = group_edits(text, &tokens, group + 2, false, true);
    let set_words = ["union", "except", "intersect"];
    let after = tokens.get(find_end(&tokens, group + 2, &set_words));
    let has_union = after.is_some_and(|token| token.is_any_keyword(&set_words));
    (!edits.is_empty() && !has_union).then(|| splice(text, &edits).trim_end_matches(';').to_owned())
}

/// Edits of a `GROUP BY` whose first item is at `begin`. They remove the directions of its items,
/// and add an `ORDER BY` with the items if the query has none and not `has_union`. If no item has a
/// direction, only `is_sorted` adds it. With `is_sorted`, a query that has an order has no edits.
fn group_edits(text: &str, tokens: &[Token<'_>], begin: usize, has_union: bool, is_sorted: bool) -> Vec<Edit> {
    const AFTER_ITEMS: [&str; 13] =
        ["with", "having", "order", "limit", "procedure", "into", "for", "lock", "window", "union", "on", "then", "do"];
    const AFTER_GROUPS: [&str; 10] =
        ["order", "limit", "procedure", "into", "for", "lock", "union", "on", "then", "do"];
    let end = find_end(tokens, begin, &AFTER_ITEMS);
    let items = &tokens[begin..end];
    let mut depth = 0_i32;
    let mut edits: Vec<Edit> = Vec::new();
    for (at, token) in items.iter().enumerate() {
        depth += i32::from(token.is_symbol('(')) - i32::from(token.is_symbol(')'));
        if depth == 0 && at > 0 && token.is_any_keyword(&["asc", "desc"]) {
            edits.push((items[at - 1].end()..token.end(), String::new()));
        }
    }
    let stop = find_end(tokens, end, &AFTER_GROUPS);
    let has_order = tokens.get(stop).is_some_and(|token| token.is_keyword("order"));
    if is_sorted && has_order {
        return Vec::new();
    }
    let needs_order = (is_sorted || !edits.is_empty()) && !has_order && !has_union;
    if let (Some(first), Some(last), true) = (items.first(), items.last(), needs_order) {
        let place = tokens[stop - 1].end();
        let order = format!(" ORDER BY {}", &text[first.start..last.end()]);
        // The last direction ends where the order begins.
        match edits.last_mut().filter(|(span, _)| span.end == place) {
            Some((_, by)) => *by = order,
            None => edits.push((place..place, order)),
        }
    }
    edits
}

/// Index of the first of `words`, of a semicolon or of a parenthesis that closes, at the depth of
/// `begin`.
fn find_end(tokens: &[Token<'_>], begin: usize, words: &[&str]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(begin) {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        } else if depth == 0 && (token.is_symbol(';') || token.is_any_keyword(words)) {
            return at;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(rewrite: Option<Rewrite>) -> String {
        rewrite.and_then(|one| one.text).unwrap_or_default()
    }

    #[test]
    fn groups_are_sorted_by_order_by() {
        for (old, new) in [
            ("SELECT a FROM t GROUP BY a DESC", "SELECT a FROM t GROUP BY a ORDER BY a DESC"),
            (
                "SELECT a, f(b) FROM t GROUP BY a ASC, f(b) HAVING a > 1 LIMIT 3",
                "SELECT a, f(b) FROM t GROUP BY a, f(b) HAVING a > 1 ORDER BY a ASC, f(b) LIMIT 3",
            ),
            ("SELECT a FROM t GROUP BY a DESC ORDER BY b", "SELECT a FROM t GROUP BY a ORDER BY b"),
            ("SELECT a FROM t GROUP BY a DESC WITH ROLLUP", "SELECT a FROM t GROUP BY a WITH ROLLUP ORDER BY a DESC"),
            (
                "SELECT * FROM (SELECT a FROM t GROUP BY a DESC) x",
                "SELECT * FROM (SELECT a FROM t GROUP BY a ORDER BY a DESC) x",
            ),
            ("SELECT a FROM t GROUP BY a DESC UNION SELECT 1", "SELECT a FROM t GROUP BY a UNION SELECT 1"),
            (
                "SELECT a FROM t GROUP BY a DESC HAVING COUNT(*) > (SELECT MAX(n) FROM u GROUP BY n DESC)",
                "SELECT a FROM t GROUP BY a HAVING COUNT(*) > (SELECT MAX(n) FROM u GROUP BY n ORDER BY n DESC) ORDER BY a DESC",
            ),
            ("BEGIN SELECT a FROM t GROUP BY a DESC; END", "BEGIN SELECT a FROM t GROUP BY a ORDER BY a DESC; END"),
        ] {
            assert_eq!(text_of(order_by_instead(old)), new);
        }
        assert!(order_by_instead("SELECT a FROM t GROUP BY a ORDER BY a DESC").is_none());
    }

    #[test]
    fn groups_without_an_order_get_one() {
        for (old, new) in [
            ("SELECT a FROM t GROUP BY a", Some("SELECT a FROM t GROUP BY a ORDER BY a")),
            ("SELECT a FROM t GROUP BY a, 2 LIMIT 3", Some("SELECT a FROM t GROUP BY a, 2 ORDER BY a, 2 LIMIT 3")),
            (
                "SELECT a FROM (SELECT a FROM t ORDER BY a) x GROUP BY a DESC;",
                Some("SELECT a FROM (SELECT a FROM t ORDER BY a) x GROUP BY a ORDER BY a DESC"),
            ),
            ("SELECT a FROM t GROUP BY a ORDER BY NULL", None),
            ("SELECT a FROM t GROUP BY a DESC ORDER BY b", None),
            ("SELECT a FROM (SELECT a FROM t GROUP BY a) x", None),
            ("SELECT a FROM t GROUP BY a UNION SELECT 1", None),
        ] {
            assert_eq!(order_groups(old).as_deref(), new, "{old}");
        }
    }

    #[test]
    fn rows_for_variables_have_no_order() {
        for (text, is_shown) in [
            ("SELECT a FROM t GROUP BY a", true),
            ("SELECT a INTO v FROM t GROUP BY a", false),
            ("SELECT a INTO v FROM t GROUP BY a LIMIT 1", true),
            ("INSERT INTO u SELECT a FROM t GROUP BY a", false),
        ] {
            assert_eq!(shows_order(text), is_shown, "{text}");
        }
    }
}
