//! Conversions of columns in a text, and the text without them.

use sql::Token;

use super::tokens;

/// A conversion of a column: `convert(o.code using utf8mb4)`, `o.code collate utf8mb4_bin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The clause as written.
    pub clause: String,
    /// The whole text with the column alone in place of the clause.
    pub without: String,
}

/// Finds the conversions of columns: `CONVERT(… USING …)` and `COLLATE`.
pub fn find_conversions(text: &str) -> Vec<Conversion> {
    let tokens = tokens(text);
    let conversion = |from: usize, to: usize, column: std::ops::Range<usize>| Conversion {
        clause: text[from..to].to_owned(),
        without: format!("{}{}{}", &text[..from], &text[column], &text[to..]),
    };
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let is = |at: usize, symbol: char| tokens.get(at).is_some_and(|token| token.is_symbol(symbol));
        if tokens[at].is_keyword("convert") && is(at + 1, '(') {
            let end = column_end(&tokens, at + 2);
            let is_using = tokens.get(end).is_some_and(|token| token.is_keyword("using"));
            if end > at + 2 && is_using && is(end + 2, ')') {
                let column = tokens[at + 2].start..tokens[end - 1].end();
                found.push(conversion(tokens[at].start, tokens[end + 2].end(), column));
            }
        } else if let Some(name) = tokens.get(at + 1).filter(|_| tokens[at].is_keyword("collate")) {
            let begin = column_begin(&tokens, at);
            if begin < at {
                let column = tokens[begin].start..tokens[at - 1].end();
                found.push(conversion(column.start, name.end(), column));
            }
        }
    }
    found
}

/// Returns the position after the column that begins at `at`; `at` if no column begins there.
fn column_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut end = at;
    while tokens.get(end).is_some_and(|token| token.name().is_some()) {
        end += 1;
        if !tokens.get(end).is_some_and(|token| token.is_symbol('.')) {
            return end;
        }
        end += 1;
    }
    at
}

/// Returns the position of the column that ends before `end`; `end` if no column ends there.
fn column_begin(tokens: &[Token<'_>], end: usize) -> usize {
    let is_name = |at: usize| tokens[at].name().is_some();
    let Some(mut begin) = end.checked_sub(1).filter(|at| is_name(*at)) else { return end };
    while begin >= 2 && tokens[begin - 1].is_symbol('.') && is_name(begin - 2) {
        begin -= 2;
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_left_without_their_conversion() {
        let found = find_conversions(
            "select 1 from a join b on(convert(`a`.`x` using utf8mb4) = (s.b.y collate utf8mb4_bin)) where convert(f(c) using latin1) = 'z' collate utf8mb4_bin",
        );
        let clauses: Vec<&str> = found.iter().map(|one| one.clause.as_str()).collect();
        assert_eq!(clauses, ["convert(`a`.`x` using utf8mb4)", "s.b.y collate utf8mb4_bin"]);
        assert!(found[0].without.contains("on(`a`.`x` = (s.b.y collate utf8mb4_bin))"), "{found:?}");
        assert!(found[1].without.contains("= (s.b.y)) where"), "{found:?}");
    }
}
