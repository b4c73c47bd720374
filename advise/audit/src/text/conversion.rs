//! Conversions of columns in a text, and the text without them.

use std::ops::Range;

use sql::Token;

use super::tokens;

/// Place of a conversion of a column in a text: `convert(o.code using utf8mb4)`, `o.code collate
/// utf8mb4_bin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    clause: Range<usize>,
    column: Range<usize>,
}

impl Conversion {
    /// Returns the clause as written.
    pub fn clause<'t>(&self, text: &'t str) -> &'t str {
        &text[self.clause.clone()]
    }

    /// Returns the whole text with the column alone in place of the clause.
    pub fn remove_from(&self, text: &str) -> String {
        let Range { start, end } = self.clause;
        [&text[..start], &text[self.column.clone()], &text[end..]].concat()
    }
}

/// Finds the conversions of columns: `CONVERT(… USING …)` and `COLLATE`.
pub fn find_conversions(text: &str) -> Vec<Conversion> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let is = |at: usize, symbol: char| tokens.get(at).is_some_and(|token| token.is_symbol(symbol));
        if tokens[at].is_keyword("convert") && is(at + 1, '(') {
            let end = column_end(&tokens, at + 2);
            let is_using = tokens.get(end).is_some_and(|token| token.is_keyword("using"));
            if end > at + 2 && is_using && is(end + 2, ')') {
                let column = tokens[at + 2].start..tokens[end - 1].end();
                found.push(Conversion { clause: tokens[at].start..tokens[end + 2].end(), column });
            }
        } else if let Some(name) = tokens.get(at + 1).filter(|_| tokens[at].is_keyword("collate")) {
            let begin = column_begin(&tokens, at);
            if begin < at {
                let column = tokens[begin].start..tokens[at - 1].end();
                found.push(Conversion { clause: column.start..name.end(), column });
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
        let text = "select 1 from a join b on(convert(`a`.`x` using utf8mb4) = (s.b.y collate utf8mb4_bin)) \
                    where convert(f(c) using latin1) = 'z' collate utf8mb4_bin";
        let found = find_conversions(text);
        let clauses: Vec<&str> = found.iter().map(|one| one.clause(text)).collect();
        assert_eq!(clauses, ["convert(`a`.`x` using utf8mb4)", "s.b.y collate utf8mb4_bin"]);
        let without: Vec<String> = found.iter().map(|one| one.remove_from(text)).collect();
        assert!(without[0].contains("on(`a`.`x` = (s.b.y collate utf8mb4_bin))"), "{without:?}");
        assert!(without[1].contains("= (s.b.y)) where"), "{without:?}");
    }
}
