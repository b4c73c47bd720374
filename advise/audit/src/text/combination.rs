//! Names that a statement combines without a comparison operator between them: `a BETWEEN b AND c`,
//! `(a, b) = (c, d)`, `CONCAT(a, b) = …`, `SELECT a … UNION SELECT b`.

use std::collections::HashSet;

use sql::{Token, TokenKind};

use super::comparison::{Comparison, ComparisonKind, Name, aggregate_at, name_at, operator_length};

/// Maximum number of tokens of a list or an operand that is read. Longer ones are left out, since
/// each opening parenthesis begins one.
const MAX_TOKENS: usize = 1000;

/// Pairs the operands of a BETWEEN that are names. The BETWEEN or its NOT is at `after`; `value` is
/// the operand before it. Empty if one of the others has a COLLATE.
pub(super) fn between_pairs(tokens: &[Token<'_>], value: Option<&Name>, after: usize) -> Vec<Comparison> {
    let at = if tokens.get(after).is_some_and(|token| token.is_keyword("not")) { after + 1 } else { after };
    if !tokens.get(at).is_some_and(|token| token.is_keyword("between")) {
        return Vec::new();
    }
    let low = at + 1;
    let is_and = |token: &Token<'_>| token.is_keyword("and");
    let Some(and) = find_outer(tokens, low, is_and).filter(|at| tokens.get(*at).is_some_and(is_and)) else {
        return Vec::new();
    };
    let high = and + 1;
    let Some(end) = find_outer(tokens, high, ends_operand) else { return Vec::new() };
    if tokens[low..end].iter().any(|token| token.is_any_keyword(&["collate", "binary"])) {
        return Vec::new();
    }
    let bound = |at: usize, end: usize| name_at(tokens, at).filter(|(_, length)| at + length == end).map(|one| one.0);
    let all: Vec<Name> = [value.cloned(), bound(low, and), bound(high, end)].into_iter().flatten().collect();
    all_pairs(&all, ComparisonKind::Between)
}

/// Returns the pairs of the rows that an opening parenthesis at `at` begins: `(a, b) = (c, d)`,
/// `(a, b) IN ((c, d))`, `(a, b) IN (SELECT c, d …)`. The first element must be a name.
pub(super) fn row_pairs(tokens: &[Token<'_>], at: usize, assignments: &HashSet<usize>) -> Vec<Comparison> {
    let begins_row =
        is(tokens, at, '(') && name_at(tokens, at + 1).is_some_and(|(_, length)| is(tokens, at + 1 + length, ','));
    let Some((left, close)) = begins_row.then(|| list(tokens, at)).flatten() else { return Vec::new() };
    let after = close + 1;
    let right = match operator_length(tokens, after).filter(|_| !assignments.contains(&after)) {
        Some(length) => row(tokens, after + length).map(|(row, _)| row),
        None => listed_row(tokens, after),
    };
    let right = right.filter(|right| right.len() == left.len());
    right.map(|right| pair_up(&left, &right, ComparisonKind::Compared)).unwrap_or_default()
}

/// Reads the row of `IN ((c, d))` or `IN (SELECT c, d …)`, whose IN or NOT is at `at`. `None` for
/// several rows: servers take any collations there (MySQL 5.6, 9.7, MariaDB 10.11).
fn listed_row(tokens: &[Token<'_>], at: usize) -> Option<Vec<Option<Name>>> {
    let at = at + usize::from(tokens.get(at)?.is_keyword("not"));
    if !tokens.get(at)?.is_keyword("in") || !is(tokens, at + 1, '(') {
        return None;
    }
    if is_select(tokens, at + 2) {
        return Some(select_items(tokens, at + 2));
    }
    let (row, close) = row(tokens, at + 2)?;
    is(tokens, close + 1, ')').then_some(row)
}

/// Reads `(c, d)` or `(SELECT c, d …)`. Returns the position of the closing parenthesis, too.
fn row(tokens: &[Token<'_>], open: usize) -> Option<(Vec<Option<Name>>, usize)> {
    let (elements, close) = is(tokens, open, '(').then(|| list(tokens, open)).flatten()?;
    let elements = if is_select(tokens, open + 1) { select_items(tokens, open + 1) } else { elements };
    Some((elements, close))
}

/// Returns the pairs of the arguments of `CONCAT(a, b)`, if the result is compared with a string
/// without COLLATE.
pub(super) fn concatenated_pairs(tokens: &[Token<'_>], at: usize, assignments: &HashSet<usize>) -> Vec<Comparison> {
    let is_call = tokens[at].is_keyword("concat") && is(tokens, at + 1, '(');
    let Some((arguments, close)) = is_call.then(|| list(tokens, at + 1)).flatten() else { return Vec::new() };
    let after = close + 1;
    let is_collate = |at: usize| tokens.get(at).is_some_and(|token| token.is_keyword("collate"));
    let is_string = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::StringLiteral);
    let operator = |at: usize| operator_length(tokens, at).filter(|_| !assignments.contains(&at));
    let precedes = operator(after).is_some_and(|length| is_string(after + length) && !is_collate(after + length + 1));
    let follows = (1..=3).any(|length| {
        at > length && operator(at - length) == Some(length) && is_string(at - length - 1) && !is_collate(after)
    });
    if !precedes && !follows || (at..close).any(is_collate) {
        return Vec::new();
    }
    let names: Vec<Name> = arguments.into_iter().flatten().collect();
    all_pairs(&names, ComparisonKind::Concatenated)
}

/// Returns the pairs of columns that `SELECT … UNION SELECT …` puts into one column. Empty for a
/// recursive query, whose first SELECT decides.
pub(super) fn united_pairs(tokens: &[Token<'_>]) -> Vec<Comparison> {
    let is_union = tokens.iter().any(|token| token.is_keyword("union"));
    if !is_union || tokens.iter().any(|token| token.is_keyword("recursive")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Items of the last SELECT of each depth of parentheses.
    let mut last: Vec<Option<Vec<Option<Name>>>> = vec![None];
    let mut union: Option<Vec<Option<Name>>> = None;
    for (at, token) in tokens.iter().enumerate() {
        if token.is_symbol('(') {
            last.push(None);
        } else if token.is_symbol(')') {
            // A query in parentheses counts as the SELECT inside them: `(SELECT a) UNION …`.
            let inner = last.pop().flatten();
            match last.last_mut() {
                Some(outer) => *outer = outer.take().or(inner),
                None => last.push(inner),
            }
        } else if token.is_keyword("union") {
            union = last.last_mut().and_then(Option::take);
        } else if token.is_keyword("select") {
            let mut items = select_items(tokens, at);
            if let Some(left) = union.take().filter(|left| left.len() == items.len()) {
                found.extend(pair_up(&left, &items, ComparisonKind::United));
                items = items.into_iter().zip(left).map(|(own, left)| own.or(left)).collect();
            }
            if let Some(own) = last.last_mut() {
                *own = Some(items);
            }
        }
    }
    found
}

/// Reads the items of a SELECT: columns, and MIN and MAX of them, with or without an alias. `None`
/// for others. Empty if there are more than [`MAX_TOKENS`].
fn select_items(tokens: &[Token<'_>], select: usize) -> Vec<Option<Name>> {
    let is_mark = |at: usize| tokens.get(at).is_some_and(|token| token.is_any_keyword(&["distinct", "all"]));
    let begin = (select + 1..).find(|at| !is_mark(*at)).unwrap_or(tokens.len());
    let Some(end) = find_outer(tokens, begin, ends_items) else { return Vec::new() };
    split(tokens, begin, end).map(|(from, to)| item(tokens, from, to)).collect()
}

fn item(tokens: &[Token<'_>], from: usize, to: usize) -> Option<Name> {
    let (name, length) = aggregate_at(tokens, from).or_else(|| name_at(tokens, from))?;
    let alias = tokens.get(from + length..to)?;
    let is_alias = match alias {
        [] => true,
        [alias] => alias.name().is_some(),
        [word, alias] => word.is_keyword("as") && alias.name().is_some(),
        _ => false,
    };
    is_alias.then_some(name)
}

/// Reads the elements in the parentheses that open at `open`: the names, and `None` for others.
/// Returns the position of the closing parenthesis, too. `None` if it is too far away.
fn list(tokens: &[Token<'_>], open: usize) -> Option<(Vec<Option<Name>>, usize)> {
    let close = find_outer(tokens, open + 1, |_| false).filter(|at| *at < tokens.len())?;
    let element = |(from, to)| name_at(tokens, from).filter(|(_, length)| from + length == to).map(|(name, _)| name);
    Some((split(tokens, open + 1, close).map(element).collect(), close))
}

/// Splits a range at its commas outside of parentheses.
fn split(tokens: &[Token<'_>], from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let begin = next?;
        let comma = find_outer(&tokens[..to], begin, |token| token.is_symbol(',')).filter(|at| *at < to);
        next = comma.map(|comma| comma + 1);
        Some((begin, comma.unwrap_or(to)))
    })
}

/// Returns the position of the first token outside of parentheses for which `is_end` holds, or of
/// the parenthesis that closes the range, or the number of tokens. `None` if it is not among the
/// next [`MAX_TOKENS`].
pub(super) fn find_outer(tokens: &[Token<'_>], from: usize, is_end: impl Fn(&Token<'_>) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from).take(MAX_TOKENS) {
        if depth == 0 && (is_end(token) || token.is_symbol(')')) {
            return Some(at);
        }
        depth = if token.is_symbol('(') { depth + 1 } else { depth - usize::from(token.is_symbol(')')) };
    }
    (tokens.len() <= from + MAX_TOKENS).then_some(tokens.len())
}

fn is(tokens: &[Token<'_>], at: usize, symbol: char) -> bool {
    tokens.get(at).is_some_and(|token| token.is_symbol(symbol))
}

fn is_select(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is_keyword("select"))
}

/// True for what stands behind the last operand of a condition or a value.
fn ends_operand(token: &Token<'_>) -> bool {
    const WORDS: [&str; 16] = [
        "and", "or", "xor", "then", "else", "when", "end", "from", "group", "order", "having", "limit", "do", "union",
        "as", "where",
    ];
    token.is_any_keyword(&WORDS) || [',', ';'].iter().any(|symbol| token.is_symbol(*symbol))
}

fn ends_items(token: &Token<'_>) -> bool {
    token.is_any_keyword(&["from", "union", "into", "where", "order", "limit", "group", "having"])
        || token.is_symbol(';')
}

fn all_pairs(names: &[Name], kind: ComparisonKind) -> Vec<Comparison> {
    let pairs = names.iter().enumerate().flat_map(|(at, left)| names[at + 1..].iter().map(move |right| (left, right)));
    pairs.take(MAX_TOKENS).map(|(left, right)| Comparison { left: left.clone(), right: right.clone(), kind }).collect()
}

fn pair_up(left: &[Option<Name>], right: &[Option<Name>], kind: ComparisonKind) -> Vec<Comparison> {
    let pairs = left.iter().zip(right).filter_map(|(left, right)| Some((left.clone()?, right.clone()?)));
    pairs.map(|(left, right)| Comparison { left, right, kind }).collect()
}
