//! Parentheses and dots among tokens without comments.

use crate::token::Token;

/// Returns true for a word before or after a dot: a keyword there is a name.
pub fn is_beside_dot(tokens: &[Token<'_>], at: usize) -> bool {
    let is_dot = |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.is_symbol('.'));
    is_dot(at.checked_sub(1)) || is_dot(Some(at + 1))
}

/// Returns the index of the `)` that closes the parenthesis in which the tokens begin: 4 for
/// `a(b) ) c`.
pub fn closing_parenthesis(inside: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    inside.iter().position(|token| {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            if depth == 0 {
                return true;
            }
            depth -= 1;
        }
        false
    })
}

/// Returns the indexes of the tokens that begin an item of a list whose parenthesis is at `open`: 1
/// and 6 for ``(`a`(10), `b` DESC)``.
pub fn list_items(tokens: &[Token<'_>], open: usize) -> Vec<usize> {
    let (mut items, mut depth) = (Vec::new(), 0_usize);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if depth == 1 && (tokens[at - 1].is_symbol(',') || at == open + 1) {
            items.push(at);
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth -= 1;
        }
        if depth == 0 {
            break;
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql_mode::SqlMode;
    use crate::token::tokenize;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        tokenize(text, SqlMode::default()).collect()
    }

    #[test]
    fn parentheses_close_and_lists_have_items() {
        assert_eq!(closing_parenthesis(&tokens("a(b) ) c")), Some(4));
        assert_eq!(closing_parenthesis(&tokens("a(b)")), None);
        assert_eq!(list_items(&tokens("(`a`(10), `b` DESC)"), 0), [1, 6]);
        assert_eq!(list_items(&tokens("a b"), 2), []);
    }

    #[test]
    fn words_beside_a_dot() {
        let tokens = tokens("select.a from b.where");
        let beside = |at| is_beside_dot(&tokens, at);
        assert!(beside(0) && beside(2) && !beside(3) && beside(4) && beside(6));
    }
}
