//! CHECK constraints. MySQL before 8.0.16 and MariaDB before 10.2.1 read and ignore them. Their names
//! are unique in a schema of MySQL, and in a table of MariaDB.

use sql::{SqlMode, Token, tokenize};
use why::{Refusal, splice};

use crate::mend::Rewrite;

pub const DUPLICATE_CHECK: u16 = 3822;
const CHECK_VIOLATED: u16 = 3819;
const CHECK_USES_COLUMN: u16 = 3959;
/// MariaDB: ``CONSTRAINT `c` failed for `app`.`t` ``.
const CONSTRAINT_FAILED: u16 = 4025;

/// Longest name of a constraint, in characters.
const MAX_NAME: usize = 64;

/// Returns what to try instead of a statement that a CHECK constraint stops.
pub fn propose(text: &str, refusal: &Refusal) -> Vec<Rewrite> {
    let quoted = |mark: char| refusal.message.split(mark).nth(1).unwrap_or_default();
    match refusal.code {
        DUPLICATE_CHECK => rename(text, quoted('\'')).into_iter().collect(),
        CHECK_VIOLATED => {
            let what = "Write rows that the constraint takes, or switch off the constraint";
            without_rule(text, what, quoted('\''), "ALTER CHECK", " NOT ENFORCED").into_iter().collect()
        }
        CHECK_USES_COLUMN => {
            without_rule(text, "Drop the constraint", quoted('\''), "DROP CHECK", "").into_iter().collect()
        }
        CONSTRAINT_FAILED => {
            let what = "Write rows that the constraint takes, or drop the constraint";
            without_rule(text, what, quoted('`'), "DROP CONSTRAINT", "").into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Gives a constraint the name of its table before its own.
fn rename(text: &str, name: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let table = changed_table(&tokens)?;
    let new: String = format!("{table}_{name}").chars().take(MAX_NAME).collect();
    let is_named = |three: &&[Token<'_>]| {
        three[0].is_keyword("constraint")
            && three[2].is_keyword("check")
            && three[1].name().is_some_and(|own| own.eq_ignore_ascii_case(name))
    };
    let edit = |three: &[Token<'_>]| (three[1].start..three[1].end(), sql::quote_identifier(&new));
    let edits: Vec<_> = tokens.windows(3).filter(is_named).map(edit).collect();
    (!edits.is_empty()).then(|| Rewrite {
        what: format!(
            "CONSTRAINT {name} → {new}: another table has a CHECK of this name, and MySQL takes one in a schema"
        ),
        text: Some(splice(text, &edits)),
        is_certain: true,
        effects: vec![format!("Migrations that name the constraint {name} of {table} need the new name.")],
        ..Rewrite::default()
    })
}

/// Runs the statement after a constraint has ceased to apply.
fn without_rule(text: &str, what: &str, name: &str, verb: &str, rest: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let table = sql::quote_identifier(&changed_table(&tokens)?);
    let before = format!("ALTER TABLE {table} {verb} {}{rest}", sql::quote_identifier(name));
    Some(Rewrite {
        what: format!("{what} {name} first"),
        before: vec![before],
        text: Some(text.to_owned()),
        effects: vec![
            "The new server enforces CHECK. MySQL before 8.0.16 and MariaDB before 10.2.1 read it and ignore it."
                .into(),
        ],
        ..Rewrite::default()
    })
}

/// Name of the table that a statement creates, alters or writes to, without its schema.
fn changed_table(tokens: &[Token<'_>]) -> Option<String> {
    const BEFORE: [&str; 12] = [
        "create",
        "or",
        "replace",
        "temporary",
        "alter",
        "online",
        "ignore",
        "insert",
        "update",
        "into",
        "table",
        "low_priority",
    ];
    const EXISTENCE: [&str; 3] = ["if", "not", "exists"];
    let at = tokens.iter().position(|token| !token.is_any_keyword(&BEFORE) && !token.is_any_keyword(&EXISTENCE))?;
    let is_qualified = tokens.get(at + 1).is_some_and(|token| token.is_symbol('.'));
    tokens.get(if is_qualified { at + 2 } else { at })?.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str, code: u16, message: &str) -> Rewrite {
        propose(text, &Refusal { code, message: message.into() }).remove(0)
    }

    #[test]
    fn names_begin_with_the_table() {
        let text = "CREATE TABLE IF NOT EXISTS app.b (x INT, CONSTRAINT `c1` CHECK (x > 0), KEY c1 (x))";
        let one = first(text, DUPLICATE_CHECK, "Duplicate check constraint name 'c1'.");
        let new = "CREATE TABLE IF NOT EXISTS app.b (x INT, CONSTRAINT `b_c1` CHECK (x > 0), KEY c1 (x))";
        assert_eq!(one.text.as_deref(), Some(new));
    }

    #[test]
    fn constraints_cease_before_the_statement() {
        let one = first("INSERT INTO t VALUES (1)", CHECK_VIOLATED, "Check constraint 'c' is violated.");
        assert_eq!(one.before, ["ALTER TABLE `t` ALTER CHECK `c` NOT ENFORCED"]);
        let one = first("UPDATE t SET a = 1", CONSTRAINT_FAILED, "CONSTRAINT `c` failed for `app`.`t`");
        assert_eq!(one.before, ["ALTER TABLE `t` DROP CONSTRAINT `c`"]);
        let message = "Check constraint 'c' uses column 'x', hence column cannot be dropped or renamed.";
        let one = first("ALTER TABLE t DROP x", CHECK_USES_COLUMN, message);
        assert_eq!(one.before, ["ALTER TABLE `t` DROP CHECK `c`"]);
    }
}
