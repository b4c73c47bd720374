//! Comparisons of two names in a statement.

use std::collections::HashSet;

use sql::{Token, TokenKind};

use super::combination::{between_pairs, concatenated_pairs, find_outer, first_item, row_pairs, united_pairs};
use crate::distinct::Distinct;

/// A column, parameter or variable as a statement names it: `a`, `o.a`, `shop.orders.a`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// Schema, if the name has three parts.
    pub schema: Option<String>,
    /// Table or alias.
    pub table: Option<String>,
    pub column: String,
}

/// How a statement combines two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonKind {
    /// `a = b`, `a IN (b)`, `(a, x) = (b, y)`.
    Compared,
    /// Comparison by which no index is looked up: `a <> b`, `a NOT LIKE b`, `FIND_IN_SET(a, b)`.
    Unindexed,
    /// `a = (SELECT b …)`: an index of `a` may be looked up.
    Subquery,
    /// Comparison of or with an aggregate, or with ANY or ALL: `MAX(a) = b`, `a = ANY (SELECT b …)`.
    Value,
    /// Operands of one BETWEEN.
    Between,
    /// Arguments of a CONCAT that is compared with a literal.
    Concatenated,
    /// Columns of two SELECTs of a UNION that have the same position.
    United,
}

/// `left = right`, or another combination of two names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    pub left: Name,
    pub right: Name,
    pub kind: ComparisonKind,
}

/// Functions that compare their first two arguments.
const COMPARING_FUNCTIONS: [&str; 5] = ["find_in_set", "locate", "instr", "strcmp", "nullif"];

/// Aggregates that return one of the values of their column.
const AGGREGATES: [&str; 3] = ["max", "min", "any_value"];

/// Words that name no column, although a name can stand in their place.
const NON_NAME_WORDS: [&str; 9] = ["null", "true", "false", "select", "case", "not", "binary", "all", "any"];

/// Finds the comparisons and other combinations of two names: `a = b`, `a LIKE b`, `a IN (b, c)`,
/// `a IN (SELECT b …)`, `FIND_IN_SET(a, b)`, and those of each [`ComparisonKind`].
///
/// Assignments (`SET a = b`) and comparisons with literals and expressions are left out. Takes
/// tokens without comments.
pub fn find_comparisons(tokens: &[Token<'_>]) -> Vec<Comparison> {
    let assignments = find_assignments(tokens);
    let mut found = Distinct::default();
    for (at, name, after) in names_in(tokens) {
        let (begin, end, own_kind) = match enclosing_aggregate(tokens, at, after) {
            true => (at - 2, after + 1, ComparisonKind::Value),
            false => (at, after, ComparisonKind::Compared),
        };
        if is_expression_part(tokens, begin, end) {
            continue;
        }
        let mut add = |right: Name, kind: ComparisonKind| {
            let kind = match own_kind {
                ComparisonKind::Value => own_kind,
                _ if excludes(tokens, end) => ComparisonKind::Unindexed,
                _ => kind,
            };
            found.add(Comparison { left: name.clone(), right, kind });
        };
        match operator_length(tokens, end) {
            Some(operator) if !assignments.contains(&end) => {
                if let Some((right, kind)) = compared_operand(tokens, end + operator) {
                    add(right, kind);
                }
            }
            _ => in_list_names(tokens, end).into_iter().for_each(|right| add(right, ComparisonKind::Compared)),
        }
        if is_first_compared_argument(tokens, at)
            && tokens.get(after).is_some_and(|token| token.is_symbol(','))
            && let Some(right) = operand_at(tokens, after + 1)
        {
            add(right, ComparisonKind::Unindexed);
        }
        between_pairs(tokens, Some(&name), end).into_iter().for_each(|pair| found.add(pair));
    }
    for at in 0..tokens.len() {
        if tokens[at].kind == TokenKind::StringLiteral {
            between_pairs(tokens, None, at + 1).into_iter().for_each(|pair| found.add(pair));
        }
        row_pairs(tokens, at, &assignments).into_iter().for_each(|pair| found.add(pair));
        concatenated_pairs(tokens, at, &assignments).into_iter().for_each(|pair| found.add(pair));
    }
    united_pairs(tokens).into_iter().for_each(|pair| found.add(pair));
    found.list
}

/// True if a column is compared with a value, or stands before IN or BETWEEN with any operands:
/// `a = 5`, `'x' < a`, `a IN (b)`, `a BETWEEN b AND c`. Only the last part of a name is compared
/// with `column`.
pub fn is_compared_with_values(tokens: &[Token<'_>], column: &str) -> bool {
    let comparisons = find_comparisons(tokens);
    let is_compared = |kind| matches!(kind, ComparisonKind::Compared | ComparisonKind::Unindexed);
    let compared = comparisons.iter().filter(|comparison| is_compared(comparison.kind));
    let right_names: HashSet<&Name> = compared.map(|comparison| &comparison.right).collect();
    let assignments = find_assignments(tokens);
    let is_operator = |token: &Token<'_>| {
        ['=', '<', '>'].iter().any(|symbol| token.is_symbol(*symbol))
            || token.is_any_keyword(&["like", "regexp", "rlike", "between"])
    };
    for (at, name, after) in names_in(tokens) {
        if name.column.eq_ignore_ascii_case(column) {
            let begins_list = tokens.get(after).is_some_and(|token| token.is_any_keyword(&["in", "between", "not"]));
            let is_left = match operator_length(tokens, after) {
                Some(operator) => !assignments.contains(&after) && operand_at(tokens, after + operator).is_none(),
                None => begins_list,
            };
            let is_right =
                at.checked_sub(1).is_some_and(|before| is_operator(&tokens[before])) && !right_names.contains(&name);
            if is_left || is_right {
                return true;
            }
        }
    }
    false
}

/// Finds the words of a statement that can be names, without duplicates. Includes keywords, which
/// no scope resolves.
pub fn find_names(tokens: &[Token<'_>]) -> Vec<Name> {
    names_in(tokens).map(|(_, name, _)| name).collect::<Distinct<Name>>().list
}

/// Returns the names whose first token begins at one of these byte offsets.
pub fn find_names_at(tokens: &[Token<'_>], offsets: &[usize]) -> HashSet<Name> {
    let offsets: HashSet<usize> = offsets.iter().copied().collect();
    names_in(tokens).filter(|(at, ..)| offsets.contains(&tokens[*at].start)).map(|(_, name, _)| name).collect()
}

/// Iterates over the words of a statement that can be names, keywords included. Each has the index
/// of its first token, and that of the token after it.
fn names_in(tokens: &[Token<'_>]) -> impl Iterator<Item = (usize, Name, usize)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let (at, (name, length)) = (next..tokens.len()).find_map(|at| Some((at, name_at(tokens, at)?)))?;
        next = at + length;
        Some((at, name, next))
    })
}

/// Reads `a`, `b.a` or `c.b.a`. Returns its number of tokens, too. `None` for an unquoted name
/// before a parenthesis: a function, or the table of an INSERT.
pub(super) fn name_at(tokens: &[Token<'_>], at: usize) -> Option<(Name, usize)> {
    let first = tokens.get(at)?;
    if first.is_any_keyword(&NON_NAME_WORDS) {
        return None;
    }
    let mut parts = vec![first.name()?];
    let mut end = at + 1;
    while parts.len() < 3
        && tokens.get(end).is_some_and(|token| token.is_symbol('.'))
        && let Some(part) = tokens.get(end + 1).and_then(Token::name)
    {
        parts.push(part);
        end += 2;
    }
    if tokens.get(end).is_some_and(|token| token.is_symbol('(')) && first.kind == TokenKind::Word {
        return None;
    }
    let column = parts.pop()?;
    let table = parts.pop();
    Some((Name { schema: parts.pop(), table, column }, end - at))
}

/// Reads the name at `at`. `None` if it begins an expression, such as `b + 1`.
fn operand_at(tokens: &[Token<'_>], at: usize) -> Option<Name> {
    let (name, length) = name_at(tokens, at)?;
    let after = at + length;
    (!continues_expression(tokens, after)).then_some(name)
}

/// Reads `MAX(a)`, `MIN(DISTINCT a)`. Returns its number of tokens, too.
pub(super) fn aggregate_at(tokens: &[Token<'_>], at: usize) -> Option<(Name, usize)> {
    let is = |at: usize, symbol: char| tokens.get(at).is_some_and(|token| token.is_symbol(symbol));
    let is_aggregate = tokens.get(at)?.is_any_keyword(&AGGREGATES) && is(at + 1, '(');
    let distinct = usize::from(tokens.get(at + 2)?.is_keyword("distinct"));
    let (name, length) = is_aggregate.then(|| name_at(tokens, at + 2 + distinct)).flatten()?;
    let close = at + 2 + distinct + length;
    is(close, ')').then_some((name, close + 1 - at))
}

/// True for the name in `MAX(a)`.
fn enclosing_aggregate(tokens: &[Token<'_>], at: usize, after: usize) -> bool {
    at >= 2
        && tokens[at - 1].is_symbol('(')
        && tokens[at - 2].is_any_keyword(&AGGREGATES)
        && tokens.get(after).is_some_and(|token| token.is_symbol(')'))
}

/// Reads what a name is compared with: another name, an aggregate of one, or a subquery that
/// returns either.
fn compared_operand(tokens: &[Token<'_>], at: usize) -> Option<(Name, ComparisonKind)> {
    if let Some(name) = operand_at(tokens, at) {
        return Some((name, ComparisonKind::Compared));
    }
    if let Some((name, length)) = aggregate_at(tokens, at) {
        return (!continues_expression(tokens, at + length)).then_some((name, ComparisonKind::Value));
    }
    let open = at + usize::from(tokens.get(at)?.is_any_keyword(&["any", "all", "some"]));
    if !tokens.get(open)?.is_symbol('(') || !tokens.get(open + 1)?.is_keyword("select") {
        return None;
    }
    let item = first_item(tokens, open + 1);
    let (name, length) = aggregate_at(tokens, item).or_else(|| name_at(tokens, item))?;
    let ends = tokens.get(item + length).is_some_and(|token| token.is_keyword("from") || token.is_symbol(')'));
    let close = find_outer(tokens, open + 1, |_| false)?;
    let kind = if open == at { ComparisonKind::Subquery } else { ComparisonKind::Value };
    (ends && !continues_expression(tokens, close + 1)).then_some((name, kind))
}

/// True for an operator that most rows can satisfy, or whose pattern no index can look up: `<>`,
/// `!=`, `NOT LIKE`, `NOT IN`, `REGEXP`.
fn excludes(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(first) = tokens.get(at) else { return false };
    let is_unequal = first.is_symbol('<') && tokens.get(at + 1).is_some_and(|next| next.is_symbol('>'));
    is_unequal || first.is_symbol('!') || first.is_any_keyword(&["not", "regexp", "rlike"])
}

/// True if the name is part of a calculation, or has its own COLLATE or BINARY: `a + b`, `-a`,
/// `a DIV b`, `a << 1`, `a COLLATE c`, `BINARY a`.
fn is_expression_part(tokens: &[Token<'_>], at: usize, after: usize) -> bool {
    let is_continued = at.checked_sub(1).is_some_and(|before| {
        let is_prefix = tokens[before].is_keyword("binary") || tokens[before].is_symbol('~');
        is_prefix || is_calculation(&tokens[before]) || before > 0 && is_shift(tokens, before - 1)
    });
    is_continued || continues_expression(tokens, after)
}

pub(super) fn continues_expression(tokens: &[Token<'_>], at: usize) -> bool {
    let is_continued = |token: &Token<'_>| token.is_keyword("collate") || is_calculation(token);
    tokens.get(at).is_some_and(is_continued) || is_shift(tokens, at)
}

/// True for an operator of one token that calculates: `+`, `DIV`.
fn is_calculation(token: &Token<'_>) -> bool {
    token.is_any_keyword(&["div", "mod"])
        || ['+', '-', '*', '/', '%', '|', '&', '^'].iter().any(|sign| token.is_symbol(*sign))
}

/// True for `<<` and `>>`.
fn is_shift(tokens: &[Token<'_>], at: usize) -> bool {
    let [Some(first), Some(second)] = [at, at + 1].map(|at| tokens.get(at)) else { return false };
    ['<', '>'].iter().any(|sign| first.is_symbol(*sign) && second.is_symbol(*sign))
}

/// Returns the number of tokens of a comparison operator: `=`, `<=>`, `!=`, `LIKE`, `NOT LIKE`.
pub(super) fn operator_length(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let token = tokens.get(at).filter(|_| !is_shift(tokens, at))?;
    if token.is_any_keyword(&["like", "regexp", "rlike"]) {
        return Some(1);
    }
    if token.is_keyword("not") {
        return tokens.get(at + 1)?.is_any_keyword(&["like", "regexp", "rlike"]).then_some(2);
    }
    if !['=', '<', '>', '!'].iter().any(|symbol| token.is_symbol(*symbol)) {
        return None;
    }
    let rest = tokens[at..].iter().take(3);
    let length = rest.take_while(|token| ['=', '<', '>', '!'].iter().any(|symbol| token.is_symbol(*symbol))).count();
    let is_negation_only = token.is_symbol('!') && length == 1;
    (!is_negation_only).then_some(length)
}

/// Returns the names in `IN (b, c)` and the first column of `IN (SELECT b …)`.
fn in_list_names(tokens: &[Token<'_>], at: usize) -> Vec<Name> {
    let at = if tokens.get(at).is_some_and(|token| token.is_keyword("not")) { at + 1 } else { at };
    let is_list = tokens.get(at).is_some_and(|token| token.is_keyword("in"))
        && tokens.get(at + 1).is_some_and(|token| token.is_symbol('('));
    if !is_list {
        return Vec::new();
    }
    let mut place = at + 2;
    if tokens.get(place).is_some_and(|token| token.is_keyword("select")) {
        return operand_at(tokens, first_item(tokens, place)).into_iter().collect();
    }
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    let is_end = |at: usize| tokens.get(at).is_some_and(|token| token.is_symbol(',') || token.is_symbol(')'));
    while let Some(token) = tokens.get(place) {
        let begins = depth == 0 && (place == at + 2 || tokens[place - 1].is_symbol(','));
        if begins && let Some((name, length)) = name_at(tokens, place).filter(|(_, length)| is_end(place + length)) {
            found.push(name);
            place += length;
            continue;
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            let Some(outer) = depth.checked_sub(1) else { break };
            depth = outer;
        }
        place += 1;
    }
    found
}

fn is_first_compared_argument(tokens: &[Token<'_>], at: usize) -> bool {
    at >= 2 && tokens[at - 1].is_symbol('(') && tokens[at - 2].is_any_keyword(&COMPARING_FUNCTIONS)
}

/// Returns the positions of the `=` that assign: in `UPDATE … SET a = b, c = d`, `SET v = w` and
/// `ON DUPLICATE KEY UPDATE a = b`.
fn find_assignments(tokens: &[Token<'_>]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut list: Option<usize> = None;
    let mut expects_name = false;
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let is_charset = before.is_some_and(|token| token.is_any_keyword(&["character", "char"]));
        let begins = token.is_keyword("set") && !is_charset
            || token.is_keyword("update") && before.is_some_and(|token| token.is_keyword("key"));
        if begins {
            (list, expects_name) = (Some(depth), true);
        } else if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        let is_in_list = list.is_some_and(|level| level == depth);
        if token.is_any_keyword(&["where", "select", "order", "limit"]) || token.is_symbol(';') {
            list = list.filter(|level| depth > *level);
        } else if is_in_list && token.is_symbol(',') {
            expects_name = true;
        } else if is_in_list && expects_name && token.is_symbol('=') {
            found.insert(at);
            expects_name = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(name: &Name) -> String {
        let parts = [name.schema.as_deref(), name.table.as_deref(), Some(name.column.as_str())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(".")
    }

    fn found(text: &str) -> Vec<String> {
        let tokens = crate::text::tokens(text);
        let all = find_comparisons(&tokens);
        all.iter().map(|one| format!("{}={}", show(&one.left), show(&one.right))).collect()
    }

    #[test]
    fn finds_comparisons_of_names() {
        assert_eq!(found("SELECT 1 FROM t JOIN u ON t.a = `u`.b WHERE c <=> s.v.d"), ["t.a=u.b", "c=s.v.d"]);
        assert_eq!(found("select a from t where a not like m and b in (x, 'y', z)"), ["a=m", "b=x", "b=z"]);
        assert_eq!(
            found("select 1 where a in (b.c, s.t.d, e + f, g(h, i), j) and k = l"),
            ["a=b.c", "a=s.t.d", "a=j", "k=l"]
        );
        assert_eq!(found("select 1 where a in (select distinct q.b from q)"), ["a=q.b"]);
        assert_eq!(found("select find_in_set(a, @b), instr(a, b)"), ["a=b"]);
    }

    #[test]
    fn tells_comparisons_that_look_up_an_index() {
        use ComparisonKind::{Compared, Subquery, Unindexed, Value};
        for (text, kind) in [
            ("a = b", Compared),
            ("a <=> b", Compared),
            ("a LIKE b", Compared),
            ("a <> b", Unindexed),
            ("a != b", Unindexed),
            ("a NOT LIKE b", Unindexed),
            ("a NOT IN (b)", Unindexed),
            ("a REGEXP b", Unindexed),
            ("LOCATE(a, b)", Unindexed),
            ("a = (SELECT MAX(b))", Subquery),
            ("a <> (SELECT b FROM u)", Unindexed),
            ("a >= ALL (SELECT b FROM u)", Value),
            ("a = MAX(b)", Value),
            ("MAX(a) <> b", Value),
        ] {
            let found = find_comparisons(&crate::text::tokens(&format!("SELECT 1 FROM t WHERE {text}")));
            assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [kind], "{text}");
        }
    }

    #[test]
    fn finds_other_combinations() {
        assert_eq!(found("SELECT 1 FROM o WHERE u BETWEEN p AND 'z' AND v = w"), ["u=p", "v=w"]);
        assert_eq!(
            found("SELECT 1 FROM o WHERE 'a' NOT BETWEEN p AND q OR u NOT BETWEEN o.p AND q"),
            ["u=o.p", "u=q", "o.p=q", "p=q"]
        );
        assert_eq!(found("SELECT 1 FROM o WHERE u BETWEEN p AND 'z' COLLATE x"), [""; 0]);
        for end in ["JOIN t ON 1", "&& 1", "|| x COLLATE y", "IS NULL", "= 1", "DESC", "FETCH FIRST 1 ROWS ONLY"] {
            assert_eq!(found(&format!("SELECT 1 FROM o WHERE u BETWEEN 'a' AND q {end}")), ["u=q"], "{end}");
        }
        for end in ["<< 1", "LIKE 'x'", "NOT IN (1)", "COLLATE x", "+ 1"] {
            assert_eq!(found(&format!("SELECT 1 FROM o WHERE u BETWEEN 'a' AND q {end}")), [""; 0], "{end}");
        }
        assert_eq!(found("SELECT 1 WHERE u BETWEEN start AND end AND 1"), ["u=start", "u=end", "start=end"]);
        assert_eq!(
            found("SELECT 1 WHERE a BETWEEN CASE WHEN x AND y THEN b ELSE c END AND d"),
            ["a=d"],
            "the AND of a CASE is none of BETWEEN"
        );
        assert_eq!(
            found("SELECT 1 FROM o WHERE (c, d) = (p, q) AND (e, f) IN (('x', g)) AND (e, f) IN ((g, 1), (h, 2))"),
            ["c=p", "d=q", "f=g"]
        );
        assert_eq!(found("SELECT 1 WHERE (c, d) NOT IN (SELECT p, MAX(q) FROM o)"), ["c=p", "d=q"]);
        assert_eq!(found("INSERT INTO t (a, b) VALUES (c, d)"), [""; 0]);
        assert_eq!(found("SELECT CONCAT(u, '-', p) = 'x', 'x' <> concat(v, w) FROM o"), ["u=p", "v=w"]);
        assert_eq!(found("SELECT CONCAT(u, p) = 5, CONCAT(u, p), CONCAT(u, p) = 'x' COLLATE y FROM o"), [""; 0]);
        assert_eq!(found("SET v = CONCAT(u, p)"), [""; 0]);
        assert_eq!(
            found("SELECT u, 1 FROM o UNION ALL SELECT p, q UNION (SELECT MIN(r) AS r, s FROM o)"),
            ["u=p", "u=r", "p=r", "q=s"]
        );
        assert_eq!(found("SELECT u FROM o UNION SELECT 1 INTERSECT SELECT p EXCEPT SELECT u"), ["u=p", "u=u", "p=u"]);
        assert_eq!(found("SELECT SQL_NO_CACHE u FROM o UNION SELECT STRAIGHT_JOIN DISTINCT p"), ["u=p"]);
        assert_eq!(found("SELECT 1 WHERE a IN (SELECT HIGH_PRIORITY b FROM t)"), ["a=b"]);
        assert_eq!(found("(SELECT u FROM (SELECT x) AS y) UNION (SELECT p)"), ["u=p"]);
        assert_eq!(found("SELECT u FROM o UNION SELECT p, q"), [""; 0]);
        assert_eq!(found("WITH RECURSIVE c AS (SELECT u FROM o UNION SELECT p FROM c) SELECT * FROM c"), [""; 0]);
        assert_eq!(found("IF NEW.u = (SELECT MAX(x) FROM lg WHERE n = 1) THEN"), ["NEW.u=x"]);
        assert_eq!(found("SELECT 1 WHERE u = (SELECT x FROM lg) COLLATE y OR u = (SELECT x + 1 FROM lg)"), [""; 0]);
        assert_eq!(found("SELECT 1 FROM t HAVING MAX(t.u) = p AND q > MIN(v)"), ["t.u=p", "q=v"]);
    }

    #[test]
    fn reads_long_statements_once() {
        let pairs: Vec<String> = (0..30_000).map(|at| format!("a{at}=b{at}")).collect();
        assert_eq!(found(&format!("SELECT {} FROM t", pairs.join(","))).len(), 30_000);
        assert_eq!(found(&format!("SELECT {}a = b", "(".repeat(30_000))), ["a=b"]);
    }

    #[test]
    fn finds_comparisons_with_values() {
        let is_compared = |text: &str| is_compared_with_values(&crate::text::tokens(text), "a");
        for text in ["t.a = 5", "'x' = t.a", "a IN ('x')", "t.A LIKE 'x%'", "a BETWEEN b AND c", "a = ?", "a = f(b)"] {
            assert!(is_compared(&format!("SELECT a FROM t WHERE {text}")), "{text}");
        }
        assert!(!is_compared("UPDATE t SET a = 5"));
        assert!(!is_compared("SELECT t.a, 5 FROM t JOIN u ON t.a = u.a WHERE u.a = t.a AND b = 5 ORDER BY a"));
    }

    #[test]
    fn leaves_out_assignments_literals_and_expressions() {
        assert_eq!(found("UPDATE t SET a = b, c = UPPER(d) WHERE e = f"), ["e=f"]);
        assert_eq!(found("SET v = w"), [""; 0]);
        assert_eq!(found("INSERT INTO t (a) SELECT b FROM u WHERE b = c ON DUPLICATE KEY UPDATE a = b"), ["b=c"]);
        assert_eq!(found("SELECT 1 FROM t WHERE a = 'x' AND b = 1 AND c = f(d) AND e = g COLLATE h"), [""; 0]);
        assert_eq!(found("SELECT 1 WHERE a + b = c AND BINARY d = e AND f = g || h"), [""; 0]);
        assert_eq!(found("SELECT b << c, d >> e FROM t WHERE a = b DIV 2 AND a = b MOD 2 AND a = b << 2"), [""; 0]);
        assert_eq!(found("SELECT 1 FROM t WHERE a DIV b = c AND ~d = e AND 1 << f = g AND h <=> i"), ["h=i"]);
    }
}
