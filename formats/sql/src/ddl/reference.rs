//! References of foreign keys to their parents.

use crate::Token;

/// `FOREIGN KEY (columns) REFERENCES table (parent_columns)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub columns: Vec<String>,
    pub schema: Option<String>,
    pub table: String,
    pub parent_columns: Vec<String>,
}

/// Returns the index of the comma or parenthesis before the definition that `tokens` end in: the
/// last one outside of the definition's own parentheses.
fn definition_start(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    let is_start = |token: &Token<'_>| {
        let is_outside = depth == 0;
        if token.is_symbol(')') {
            depth += 1;
        } else if token.is_symbol('(') {
            depth = depth.saturating_sub(1);
        }
        is_outside && (token.is_symbol('(') || token.is_symbol(','))
    };
    tokens.iter().rposition(is_start).unwrap_or(0)
}

/// Maximum number of tokens in a list of columns: 32 names and their commas. A key of the servers
/// has up to 32 columns.
const MAX_LIST_TOKENS: usize = 64;

/// Returns the references of a CREATE TABLE or ALTER TABLE, read from its tokens without comments.
pub fn find_references(tokens: &[Token<'_>]) -> Vec<Reference> {
    let list = |open: usize| -> Vec<String> {
        tokens[open.min(tokens.len())..]
            .iter()
            .skip(1)
            .take(MAX_LIST_TOKENS)
            .take_while(|token| !token.is_symbol(')'))
            .filter_map(Token::name)
            .collect()
    };
    let mut foreign = None;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is_keyword("foreign") {
            foreign = Some(at);
        }
        if !token.is_keyword("references") {
            continue;
        }
        let columns = match foreign.take() {
            Some(key) => {
                let open = tokens[key..at].iter().position(|token| token.is_symbol('('));
                open.map(|open| list(key + open)).unwrap_or_default()
            }
            // `column type REFERENCES table (parent)`, which MariaDB obeys.
            None => tokens[definition_start(&tokens[..at])..at].iter().find_map(Token::name).into_iter().collect(),
        };
        let is_qualified = tokens.get(at + 2).is_some_and(|dot| dot.is_symbol('.'));
        let name = |index: usize| tokens.get(at + index).and_then(Token::name);
        let (schema, table, open) = if is_qualified { (name(1), name(3), at + 4) } else { (None, name(1), at + 2) };
        if let Some(table) = table {
            found.push(Reference { columns, schema, table, parent_columns: list(open) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqlMode, tokenize};

    fn content(text: &str) -> Vec<Token<'_>> {
        tokenize(text, SqlMode::default()).filter(Token::is_content).collect()
    }

    #[test]
    fn reads_references_of_tables_and_columns() {
        let tokens = content(
            "CREATE TABLE c (a CHAR(3) NOT NULL REFERENCES p (x), b CHAR(3), d CHAR(3), FOREIGN KEY (b, d) REFERENCES s.q (y, z))",
        );
        let found: Vec<_> =
            find_references(&tokens).into_iter().map(|one| (one.columns, one.table, one.parent_columns)).collect();
        let names = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found,
            [(names(&["a"]), "p".into(), names(&["x"])), (names(&["b", "d"]), "q".into(), names(&["y", "z"]))]
        );
    }
}
