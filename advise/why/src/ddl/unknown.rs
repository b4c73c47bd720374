//! Collations and character sets that the server does not have, or that do not belong together.

use sql::TokenKind;

use super::{Attempt, Cause, Refused, tokens_without_comments};
use crate::model::{Kind, Scope};

/// Ends of collation names that may replace an unknown collation, the nearest first.
const NEAREST: [&str; 6] = ["uca1400_ai_ci", "0900_ai_ci", "unicode_520_ci", "unicode_ci", "general_ci", "bin"];

pub fn explain(refused: &Refused<'_>) -> Option<Cause> {
    let named = refused.refusal.message.split('\'').nth(1)?.to_lowercase();
    let tokens = tokens_without_comments(refused.text);
    let charset = named.split('_').next().unwrap_or("utf8mb4").to_owned();
    let mut attempts = Vec::new();
    let replaced = |name: &str| {
        let edits: Vec<_> = tokens
            .iter()
            .filter(|token| {
                matches!(token.kind, TokenKind::Word | TokenKind::QuotedName | TokenKind::StringLiteral)
                    && token.text.trim_matches(['\'', '`', '"']).eq_ignore_ascii_case(&named)
            })
            .map(|token| (token.start..token.end(), name.to_owned()))
            .collect();
        crate::remedy::splice(refused.text, &edits)
    };
    // `utf8` is the old name of utf8mb3, and the nearest to utf8mb4 that servers before 5.5.3 have.
    for other in if named == "utf8mb3" || named == "utf8mb4" { &["utf8"][..] } else { &[] } {
        let what = format!("Name {other} instead of {named}");
        attempts.push(Attempt::new(Scope::Statement, what, vec![replaced(other)]));
    }
    if let Some(rest) = named.strip_prefix("utf8mb3_") {
        let what = format!("Name utf8_{rest} instead of {named}");
        attempts.push(Attempt::new(Scope::Statement, what, vec![replaced(&format!("utf8_{rest}"))]));
    }
    for suffix in if named.ends_with("_bin") { &NEAREST[5..] } else { &NEAREST[..] } {
        let name = format!("{charset}_{suffix}");
        let sql = replaced(&name);
        if name != named && sql != refused.text {
            attempts.push(Attempt::new(Scope::Statement, format!("Name {name} instead of {named}"), vec![sql]));
        }
    }
    (!attempts.is_empty()).then(|| Cause { kind: Kind::Unknown, details: Vec::new(), attempts, max_remedies: 2 })
}
