//! Statements of replication that MySQL 8.4 removed: SHOW MASTER STATUS, START SLAVE. The source is
//! the manual, What Is New in MySQL 8.4.

use sql::{SqlMode, Token, tokenize};
use why::splice;

use crate::mend::Rewrite;

/// First words of a statement, and those of MySQL 8.4.
const STATEMENTS: [(&str, &str); 11] = [
    ("show master status", "SHOW BINARY LOG STATUS"),
    ("show master logs", "SHOW BINARY LOGS"),
    ("purge master logs", "PURGE BINARY LOGS"),
    ("reset master", "RESET BINARY LOGS AND GTIDS"),
    ("show slave status", "SHOW REPLICA STATUS"),
    ("show slave hosts", "SHOW REPLICAS"),
    ("start slave", "START REPLICA"),
    ("stop slave", "STOP REPLICA"),
    ("reset slave", "RESET REPLICA"),
    ("reset slave all", "RESET REPLICA ALL"),
    ("change master to", "CHANGE REPLICATION SOURCE TO"),
];

/// Writes a removed statement in its present words. `None` if it is none.
pub fn rewrite(text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let is_begun = |words: &str| {
        let mut at = 0;
        words.split(' ').all(|word| {
            at += 1;
            tokens.get(at - 1).is_some_and(|token| token.is_keyword(word))
        })
    };
    let (old, new) = STATEMENTS.iter().rfind(|(old, _)| is_begun(old))?;
    let count = old.split(' ').count();
    let mut edits = vec![(tokens[0].start..tokens[count - 1].end(), (*new).to_owned())];
    // MASTER_HOST = … of CHANGE MASTER TO.
    for token in tokens[count..].iter().filter(|token| token.text.to_lowercase().starts_with("master_")) {
        edits.push((token.start..token.start + "master".len(), "SOURCE".to_owned()));
    }
    Some(Rewrite {
        what: format!("{} → {new}: MySQL 8.4 removed the old words", old.to_uppercase()),
        text: Some(splice(text, &edits)),
        is_certain: true,
        effects: (*old == "show slave status")
            .then(|| "Columns of its result have other names, such as Seconds_Behind_Source.".to_owned())
            .into_iter()
            .collect(),
        ..Rewrite::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_words_have_present_ones() {
        for (old, new) in [
            ("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS"),
            ("show slave status", "SHOW REPLICA STATUS"),
            ("RESET SLAVE ALL", "RESET REPLICA ALL"),
            (
                "CHANGE MASTER TO MASTER_HOST='h', MASTER_PORT=1",
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PORT=1",
            ),
        ] {
            assert_eq!(rewrite(old).and_then(|one| one.text).as_deref(), Some(new));
        }
        assert_eq!(rewrite("SHOW TABLES"), None);
    }
}
