//! Comparisons of two names in a statement.

use sql::{Token, TokenKind};

/// A column, parameter or variable as a statement names it: `a`, `o.a`, `shop.orders.a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Schema, if the name has three parts.
    pub schema: Option<String>,
    /// Table or alias.
    pub table: Option<String>,
    pub column: String,
}

/// `left = right`, or another comparison of two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub left: Name,
    pub right: Name,
}

/// Functions that compare their first two arguments.
const COMPARING_FUNCTIONS: [&str; 5] = ["find_in_set", "locate", "instr", "strcmp", "nullif"];

/// Words that name no column, although a name can stand in their place.
const NON_NAME_WORDS: [&str; 9] = ["null", "true", "false", "select", "case", "not", "binary", "all", "any"];

/// Finds the comparisons of two names: `a = b`, `a LIKE b`, `a IN (b, c)`, `a IN (SELECT b …)`,
/// `FIND_IN_SET(a, b)`.
///
/// Assignments (`SET a = b`) and comparisons with literals and expressions are left out. Takes
/// tokens without comments.
pub fn find_comparisons(tokens: &[Token<'_>]) -> Vec<Comparison> {
    let assignments = find_assignments(tokens);
    let mut found: Vec<Comparison> = Vec::new();
    let mut add = |left: &Name, right: Name| {
        let comparison = Comparison { left: left.clone(), right };
        if !found.contains(&comparison) {
            found.push(comparison);
        }
    };
    for (at, name, after) in names_in(tokens) {
        if is_expression_part(tokens, at, after) {
            continue;
        }
        match operator_length(tokens, after) {
            Some(operator) if !assignments.contains(&after) => {
                if let Some(right) = operand_at(tokens, after + operator) {
                    add(&name, right);
                }
            }
            _ => in_list_names(tokens, after).into_iter().for_each(|right| add(&name, right)),
        }
        if is_first_compared_argument(tokens, at)
            && tokens.get(after).is_some_and(|token| token.is_symbol(','))
            && let Some(right) = operand_at(tokens, after + 1)
        {
            add(&name, right);
        }
    }
    found
}

/// True if a column is compared with a value, or stands before IN or BETWEEN with any operands:
/// `a = 5`, `'x' < a`, `a IN (b)`, `a BETWEEN b AND c`. Only the last part of a name is compared
/// with `column`.
pub fn is_compared_with_values(tokens: &[Token<'_>], column: &str) -> bool {
    let comparisons = find_comparisons(tokens);
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
            let is_right = at.checked_sub(1).is_some_and(|before| is_operator(&tokens[before]))
                && !comparisons.iter().any(|comparison| comparison.right == name);
            if is_left || is_right {
                return true;
            }
        }
    }
    false
}

/// Finds what can be a name in a statement, each once: also keywords, which no scope resolves.
pub fn find_names(tokens: &[Token<'_>]) -> Vec<Name> {
    let mut found = Vec::new();
    for (_, name, _) in names_in(tokens) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
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

/// Reads `a`, `b.a` or `c.b.a`. Returns its number of tokens, too. `None` for an unquoted name before
/// a parenthesis: a function, or the table of an INSERT.
fn name_at(tokens: &[Token<'_>], at: usize) -> Option<(Name, usize)> {
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

/// True if the name is part of a calculation, or has its own COLLATE or BINARY: `a + b`, `-a`,
/// `a DIV b`, `a << 1`, `a COLLATE c`, `BINARY a`.
fn is_expression_part(tokens: &[Token<'_>], at: usize, after: usize) -> bool {
    let is_continued = at.checked_sub(1).is_some_and(|before| {
        let is_prefix = tokens[before].is_keyword("binary") || tokens[before].is_symbol('~');
        is_prefix || is_calculation(&tokens[before]) || before > 0 && is_shift(tokens, before - 1)
    });
    is_continued || continues_expression(tokens, after)
}

fn continues_expression(tokens: &[Token<'_>], at: usize) -> bool {
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
fn operator_length(tokens: &[Token<'_>], at: usize) -> Option<usize> {
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
        place += 1;
        while tokens.get(place).is_some_and(|token| token.is_any_keyword(&["distinct", "all"])) {
            place += 1;
        }
        return operand_at(tokens, place).into_iter().collect();
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
fn find_assignments(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut found = Vec::new();
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
            found.push(at);
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
