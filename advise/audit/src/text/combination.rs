//! Names that a statement combines without an operator directly between them: `a BETWEEN b AND c`,
//! `(a, b) = (c, d)`, `CONCAT(a, b) = …`, `SELECT a … UNION SELECT b`.

use std::collections::HashSet;

use sql::{SELECT_MODIFIERS, Token, TokenKind, is_beside_dot};

use super::comparison::{Comparison, ComparisonKind, Name, aggregate_at, name_at, operator_length};

/// Maximum number of tokens of a list or an operand. Longer ones are left out: each opening
/// parenthesis begins a list, so reading all of them to their ends would take quadratic time.
const MAX_TOKENS: usize = 1000;

/// Maximum number of pairs of one expression, and of the columns of a UNION.
const MAX_PAIRS: usize = 1000;

/// Operators between SELECTs that put their columns into one.
const SET_OPERATORS: [&str; 3] = ["union", "except", "intersect"];

/// Pairs the operands of a BETWEEN that are names. The BETWEEN or its NOT is at `after`; `value` is
/// the operand before it. Empty if a bound has COLLATE or BINARY, or no BETWEEN is there.
pub(super) fn between_pairs(tokens: &[Token<'_>], value: Option<&Name>, after: usize) -> Vec<Comparison> {
    let at = if tokens.get(after).is_some_and(|token| token.is_keyword("not")) { after + 1 } else { after };
    if !tokens.get(at).is_some_and(|token| token.is_keyword("between")) {
        return Vec::new();
    }
    let low = at + 1;
    let is_and = |at: usize| tokens.get(at).is_some_and(|token| token.is_keyword("and"));
    let Some(and) = find_outer(tokens, low, is_and).filter(|at| is_and(*at)) else { return Vec::new() };
    let high = and + 1;
    // The first word of the bound may be a column `end`.
    let Some(end) = find_outer(tokens, high, |at| at > high && ends_operand(tokens, at)) else { return Vec::new() };
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
    let begins_row = is_symbol_at(tokens, at, '(')
        && name_at(tokens, at + 1).is_some_and(|(_, length)| is_symbol_at(tokens, at + 1 + length, ','));
    let Some((left, close)) = begins_row.then(|| parenthesized_names(tokens, at)).flatten() else { return Vec::new() };
    let after = close + 1;
    let right = match operator_length(tokens, after).filter(|_| !assignments.contains(&after)) {
        Some(length) => row(tokens, after + length).map(|(row, _)| row),
        None => row_after_in(tokens, after),
    };
    let right = right.filter(|right| right.len() == left.len());
    right.map(|right| pair_up(&left, &right, ComparisonKind::Compared)).unwrap_or_default()
}

/// Reads the row of `IN ((c, d))` or `IN (SELECT c, d …)`, whose IN or NOT is at `at`. `None` for
/// several rows: servers take any collations there (MySQL 5.6, 9.7, MariaDB 10.11).
fn row_after_in(tokens: &[Token<'_>], at: usize) -> Option<Vec<Option<Name>>> {
    let at = at + usize::from(tokens.get(at)?.is_keyword("not"));
    if !tokens.get(at)?.is_keyword("in") || !is_symbol_at(tokens, at + 1, '(') {
        return None;
    }
    if is_select(tokens, at + 2) {
        return Some(select_items(tokens, at + 2));
    }
    let (row, close) = row(tokens, at + 2)?;
    is_symbol_at(tokens, close + 1, ')').then_some(row)
}

/// Reads `(c, d)` or `(SELECT c, d …)`. Returns the position of the closing parenthesis, too.
fn row(tokens: &[Token<'_>], open: usize) -> Option<(Vec<Option<Name>>, usize)> {
    let (elements, close) = is_symbol_at(tokens, open, '(').then(|| parenthesized_names(tokens, open)).flatten()?;
    let elements = if is_select(tokens, open + 1) { select_items(tokens, open + 1) } else { elements };
    Some((elements, close))
}

/// Returns the pairs of names among the arguments of `CONCAT(a, b)`, if the call is compared with a
/// string literal, and neither the literal nor an argument has a COLLATE.
pub(super) fn concatenated_pairs(tokens: &[Token<'_>], at: usize, assignments: &HashSet<usize>) -> Vec<Comparison> {
    let is_call = tokens[at].is_keyword("concat") && is_symbol_at(tokens, at + 1, '(');
    let Some((arguments, close)) = is_call.then(|| parenthesized_names(tokens, at + 1)).flatten() else {
        return Vec::new();
    };
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

/// Columns of a SELECT, or of several that a UNION connects: the names in each position.
type Columns = Vec<Vec<Name>>;

/// Pairs each column of `SELECT … UNION SELECT …` with those before it in the same position. Empty
/// for a statement with the word RECURSIVE: the first SELECT of a recursive query decides the
/// collation.
pub(super) fn united_pairs(tokens: &[Token<'_>]) -> Vec<Comparison> {
    let is_union = tokens.iter().any(|token| token.is_any_keyword(&SET_OPERATORS));
    if !is_union || tokens.iter().any(|token| token.is_keyword("recursive")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Columns of the last SELECT of each depth of parentheses, and of those united with it.
    let mut last: Vec<Option<Columns>> = vec![None];
    let mut union: Option<Columns> = None;
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
        } else if token.is_any_keyword(&SET_OPERATORS) {
            union = last.last_mut().and_then(Option::take);
        } else if token.is_keyword("select") {
            let mut columns: Columns =
                select_items(tokens, at).into_iter().map(|item| item.into_iter().collect()).collect();
            if let Some(left) = union.take().filter(|left| left.len() == columns.len()) {
                columns = unite(left, columns, &mut found);
            }
            if let Some(own) = last.last_mut() {
                *own = Some(columns);
            }
        }
    }
    found
}

/// Adds the columns of a SELECT to those before its UNION. Adds their pairs to `found`, up to
/// [`MAX_PAIRS`].
fn unite(mut left: Columns, right: Columns, found: &mut Vec<Comparison>) -> Columns {
    for (left, right) in left.iter_mut().zip(right) {
        for name in right {
            if found.len() >= MAX_PAIRS {
                continue;
            }
            let pair =
                |left: &Name| Comparison { left: left.clone(), right: name.clone(), kind: ComparisonKind::United };
            found.extend(left.iter().map(pair));
            if !left.contains(&name) {
                left.push(name);
            }
        }
    }
    left
}

/// Returns the position of the first item of a SELECT, behind `DISTINCT` and similar words.
pub(super) fn first_item(tokens: &[Token<'_>], select: usize) -> usize {
    let is_modifier = |token: &&Token<'_>| token.is_any_keyword(&SELECT_MODIFIERS) || token.is_keyword("straight_join");
    select + 1 + tokens.iter().skip(select + 1).take_while(is_modifier).count()
}

/// Reads the items of a SELECT: columns, and MIN, MAX or ANY_VALUE of them, with or without an
/// alias. `None` for others. Empty if they take more than [`MAX_TOKENS`] tokens.
fn select_items(tokens: &[Token<'_>], select: usize) -> Vec<Option<Name>> {
    let begin = first_item(tokens, select);
    let ends = |at: usize| tokens.get(at).is_some_and(ends_items);
    let Some(end) = find_outer(tokens, begin, ends) else { return Vec::new() };
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
/// Returns the position of the closing parenthesis, too. `None` if it is missing, or more than
/// [`MAX_TOKENS`] away.
fn parenthesized_names(tokens: &[Token<'_>], open: usize) -> Option<(Vec<Option<Name>>, usize)> {
    let close = find_outer(tokens, open + 1, |_| false).filter(|at| *at < tokens.len())?;
    let element = |(from, to)| name_at(tokens, from).filter(|(_, length)| from + length == to).map(|(name, _)| name);
    Some((split(tokens, open + 1, close).map(element).collect(), close))
}

/// Splits a range at its commas outside of parentheses.
fn split(tokens: &[Token<'_>], from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let begin = next?;
        let comma = find_outer(&tokens[..to], begin, |at| is_symbol_at(tokens, at, ',')).filter(|at| *at < to);
        next = comma.map(|comma| comma + 1);
        Some((begin, comma.unwrap_or(to)))
    })
}

/// Returns the position of the first token outside of parentheses and of `CASE … END` at which
/// `is_end` holds, or of the parenthesis that closes the range, or the number of tokens. `None` if
/// it is not among the next [`MAX_TOKENS`].
pub(super) fn find_outer(tokens: &[Token<'_>], from: usize, is_end: impl Fn(usize) -> bool) -> Option<usize> {
    // True for each open `CASE`, false for each open parenthesis.
    let mut open: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(from).take(MAX_TOKENS) {
        if open.is_empty() && (is_end(at) || token.is_symbol(')')) {
            return Some(at);
        }
        if token.is_symbol('(') {
            open.push(false);
        } else if token.is_symbol(')') {
            while open.pop() == Some(true) {}
        } else if token.is_keyword("case") && !is_beside_dot(tokens, at) {
            open.push(true);
        } else if token.is_keyword("end") && open.last() == Some(&true) && !is_beside_dot(tokens, at) {
            open.pop();
        }
    }
    (tokens.len() <= from + MAX_TOKENS).then_some(tokens.len())
}

fn is_symbol_at(tokens: &[Token<'_>], at: usize, symbol: char) -> bool {
    tokens.get(at).is_some_and(|token| token.is_symbol(symbol))
}

fn is_select(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is_keyword("select"))
}

/// True for a word or symbol that ends the last operand of a BETWEEN.
fn ends_operand(tokens: &[Token<'_>], at: usize) -> bool {
    const WORDS: &str = "and or xor then else when end is as asc desc from where group having window order limit \
        offset fetch into for lock procedure returning union except intersect join left right inner cross natural \
        straight_join on using do with";
    let is_twice = |symbol: char| is_symbol_at(tokens, at, symbol) && is_symbol_at(tokens, at + 1, symbol);
    let Some(token) = tokens.get(at) else { return true };
    let is_word = WORDS.split_whitespace().any(|word| token.is_keyword(word)) && !is_beside_dot(tokens, at);
    // `a BETWEEN b AND c = 1` compares the result of BETWEEN.
    is_word
        || [',', ';'].iter().any(|symbol| token.is_symbol(*symbol))
        || is_twice('&')
        || is_twice('|')
        || operator_length(tokens, at).is_some() && !token.is_any_keyword(&["like", "regexp", "rlike", "not"])
}

fn ends_items(token: &Token<'_>) -> bool {
    token.is_any_keyword(&["from", "into", "where", "order", "limit", "group", "having"])
        || token.is_any_keyword(&SET_OPERATORS)
        || token.is_symbol(';')
}

fn all_pairs(names: &[Name], kind: ComparisonKind) -> Vec<Comparison> {
    let pairs = names.iter().enumerate().flat_map(|(at, left)| names[at + 1..].iter().map(move |right| (left, right)));
    pairs.take(MAX_PAIRS).map(|(left, right)| Comparison { left: left.clone(), right: right.clone(), kind }).collect()
}

fn pair_up(left: &[Option<Name>], right: &[Option<Name>], kind: ComparisonKind) -> Vec<Comparison> {
    let pairs = left.iter().zip(right).filter_map(|(left, right)| Some((left.clone()?, right.clone()?)));
    pairs.map(|(left, right)| Comparison { left, right, kind }).collect()
}
