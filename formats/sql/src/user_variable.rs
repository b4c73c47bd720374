//! Values that a statement gives user variables.

use crate::token::{Token, TokenKind};

/// Returns the user variables that a statement sets. Those of `SET @a = 'x', @b := c` have the
/// tokens of their value. Those of `SELECT a INTO @x` and `SELECT @x := a` have none.
pub fn set_variables<'p, 't>(part: &'p [Token<'t>]) -> Vec<(String, &'p [Token<'t>])> {
    let mut found: Vec<(String, &[Token<'t>])> = Vec::new();
    let mut into = false;
    let set = set_statement(part);
    let mut depth = 0_usize;
    for (at, token) in part.iter().enumerate() {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        if token.is_keyword("into") {
            into = true;
        } else if token.is_any_keyword(&["from", "where", "values", "select"]) {
            into = false;
        }
        if token.kind != TokenKind::Variable {
            continue;
        }
        let sign = part[at + 1..].iter().take_while(|next| next.is_symbol(':') || next.is_symbol('=')).count();
        let begins = set.is_some_and(|set| at == set + 1) || depth == 0 && at > 0 && part[at - 1].is_symbol(',');
        let is_assigned = part.get(at + 1).is_some_and(|next| next.is_symbol(':'));
        if set.is_some_and(|set| set < at) && begins && sign > 0 {
            found.push((token.text.to_owned(), value_at(part, at + 1 + sign)));
        } else if is_assigned || into {
            found.push((token.text.to_owned(), &[]));
        }
    }
    found
}

/// Returns the position of the `SET` of a SET statement. `None` for that of an UPDATE, INSERT,
/// REPLACE or LOAD.
fn set_statement(part: &[Token<'_>]) -> Option<usize> {
    let set = part.iter().position(|token| token.is_keyword("set"))?;
    // Not the function `REPLACE(…)`, `CREATE OR REPLACE`, or a trigger's `BEFORE UPDATE ON`.
    let is_change = |(at, token): (usize, &Token<'_>)| {
        let is_other = part[at + 1].is_symbol('(') || part[at + 1].is_any_keyword(&["on", "or"]);
        let follows_or = at > 0 && part[at - 1].is_keyword("or");
        token.is_any_keyword(&["update", "insert", "replace", "load"]) && !is_other && !follows_or
    };
    (!part[..set].iter().enumerate().any(is_change)).then_some(set)
}

/// Returns the tokens up to the next comma outside of parentheses.
fn value_at<'p, 't>(part: &'p [Token<'t>], begin: usize) -> &'p [Token<'t>] {
    let mut depth = 0_usize;
    let length = part[begin..].iter().take_while(|token| {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        depth > 0 || !token.is_symbol(',')
    });
    &part[begin..begin + length.count()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqlMode, tokenize_uncommented};

    #[test]
    fn finds_values() {
        let found = |text: &str| {
            let tokens = tokenize_uncommented(text, SqlMode::default());
            let show = |(name, value): &(String, &[Token<'_>])| {
                let words: Vec<&str> = value.iter().map(|token| token.text).collect();
                format!("{name}={}", words.join(" "))
            };
            set_variables(&tokens).iter().map(show).collect::<Vec<_>>()
        };
        assert_eq!(found("IF a THEN SET @x = 'a', @y := f(b, 1)"), ["@x='a'", "@y=f ( b , 1 )"]);
        assert_eq!(found("SELECT a, b INTO @x, @y FROM t WHERE a = @z"), ["@x=", "@y="]);
        assert_eq!(found("SELECT @n := @n + 1 FROM t WHERE a = @z"), ["@n="]);
        assert_eq!(found("UPDATE t SET a = @x WHERE b = @y"), [""; 0]);
        assert_eq!(found("UPDATE t SET a = f(b, @x = 'a') ORDER BY b, @y = 'b'"), [""; 0]);
        assert_eq!(
            found("SET @x = f(b, @y = 'a'), @z = REPLACE('a', 'b', 'c')"),
            ["@x=f ( b , @y = 'a' )", "@z=REPLACE ( 'a' , 'b' , 'c' )"]
        );
        assert_eq!(found("IF REPLACE(a, 'b', 'c') = 'd' THEN SET @x = 'e'"), ["@x='e'"]);
    }
}
