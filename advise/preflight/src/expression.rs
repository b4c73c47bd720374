//! Names in expressions.

/// True if an expression names a column, with or without backticks. A string or function of that
/// name counts, too: the plan then copies a table or builds an index again without need.
pub fn mentions_column(expression: &str, column: &str) -> bool {
    mentions_name(&expression.to_lowercase(), &column.to_lowercase())
}

/// True if a text contains a name as a whole word of letters, digits, `_` and `$`. Case-sensitive.
pub fn mentions_name(text: &str, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let ends_word = |character: Option<char>| !character.is_some_and(is_word);
    text.match_indices(name)
        .any(|(at, _)| ends_word(text[..at].chars().next_back()) && ends_word(text[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_whole_names() {
        assert!(mentions_column("concat(`A`,'-',b)", "a") && mentions_column("UPPER(b)", "B"));
        assert!(!mentions_column("concat(`ab`, a1, _a)", "a"));
    }
}
