//! A text of several statements, taken apart at its delimiters.

use crate::mode::Mode;
use crate::token::{Kind, Token, tokens};

/// The statements of a text, each with the byte at which it begins, without its delimiter. `DELIMITER` is obeyed, as in the servers' own
/// clients. Comments belong to the statement behind them; what is nothing but comments is left out.
pub fn split(text: &str, mode: Mode) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut delimiter = ";".to_owned();
    let (mut begin, mut content) = (0, None);
    let mut skip_to = 0;
    let mut close = |begin: usize, end: usize, content: &mut Option<usize>| {
        if let Some(first) = content.take() {
            let start = begin.max(first);
            found.push((start, text[start..end].trim_end()));
        }
    };
    for token in tokens(text, mode) {
        if token.start < skip_to {
            continue;
        }
        if content.is_none() && token.is("delimiter") {
            let line = text[token.end()..].lines().next().unwrap_or_default();
            if let Some(word) = line.split_whitespace().next() {
                delimiter = word.to_owned();
            }
            skip_to = token.end() + line.len();
            begin = skip_to;
        } else if let Some(place) = place_of(&delimiter, &token, text) {
            if place > token.start {
                content.get_or_insert(token.start);
            }
            close(begin, place, &mut content);
            skip_to = place + delimiter.len();
            begin = skip_to;
        } else if token.kind != Kind::Comment {
            content.get_or_insert(token.start);
        }
    }
    close(begin, text.len(), &mut content);
    found
}

/// Where the delimiter stands that is this token, or that it ends with: in `END$$` the dollars are part of the word.
fn place_of(delimiter: &str, token: &Token<'_>, text: &str) -> Option<usize> {
    match token.kind {
        Kind::Symbol => text[token.start..].starts_with(delimiter).then_some(token.start),
        Kind::Word => token.text.find(delimiter).map(|place| token.start + place),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(usize, &str)> {
        split(text, Mode::default())
    }

    #[test]
    fn statements_end_at_delimiters_outside_quotes_and_comments() {
        assert_eq!(
            found("-- a; b\nSELECT ';' /* ; */ FROM `;`; # no;\n;\nSELECT 2"),
            [(8, "SELECT ';' /* ; */ FROM `;`"), (45, "SELECT 2")]
        );
    }

    #[test]
    fn delimiters_are_obeyed() {
        let text = "DELIMITER //\nCREATE TRIGGER x BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2;";
        let texts: Vec<_> = found(text).into_iter().map(|(_, statement)| statement).collect();
        assert_eq!(texts, ["CREATE TRIGGER x BEGIN SELECT 1; END", "SELECT 2"]);
        assert_eq!(found("delimiter $$\nselect a$$ select b $$\n"), [(13, "select a"), (24, "select b")]);
    }

    proptest! {
        #[test]
        fn any_text_is_split(text in "([;'\"`\\\\/*a é\n-]|DELIMITER |//){0,30}") {
            for (start, statement) in found(&text) {
                prop_assert!(text[start..].starts_with(statement));
            }
        }
    }
}
