//! Another session: `SET NAMES`, or a user variable with a collation.

use server::collation_charset;
use sql::{SqlMode, tokenize};

use super::Fault;
use crate::copy::{Place, Session};
use crate::model::{Origin, Scope};
use crate::trial::{Act, Change};

pub fn changes(fault: &Fault) -> Vec<Change> {
    let depends = fault.parts.is_empty()
        || fault.spots().any(|judged| {
            judged.site.sides.iter().any(|side| {
                !matches!(side.origin, Origin::Column | Origin::Parameter | Origin::Introducer)
                    && side.charset != "binary"
            })
        });
    let is_main = fault.parts.iter().all(|(source, _)| matches!(source.place, Place::Session(_)));
    if !depends || !is_main {
        return Vec::new();
    }
    let mut found = Vec::new();
    let variables: Vec<String> = fault
        .spots()
        .flat_map(|judged| &judged.resolved)
        .filter(|resolved| resolved.origin == Origin::UserVariable)
        .filter_map(|resolved| resolved.name.clone())
        .collect();
    for collation in fault.collations() {
        found.extend(set_variable(fault, &variables, &collation));
        // A client that sends UTF-8 may not declare another encoding, so only these character sets
        // are tried.
        let charset = collation_charset(&collation);
        if matches!(charset, "utf8" | "utf8mb3" | "utf8mb4") {
            found.push(set_names(fault, &format!("SET NAMES {charset} COLLATE {collation}")));
        }
    }
    // `SET NAMES utf8mb4` chooses the default collation of utf8mb4.
    let plain = set_names(fault, "SET NAMES utf8mb4");
    let is_narrow = found.iter().all(|change| change.scope != Scope::Session || !change.sql[0].contains("utf8mb4"));
    found.insert(if is_narrow { 0 } else { found.len() }, plain);
    found
}

fn set_names(fault: &Fault, names: &str) -> Change {
    let session = &fault.subject.session;
    let kept = session.prelude.iter().filter(|statement| !sets_connection(statement)).cloned();
    let prelude: Vec<String> = std::iter::once(names.to_owned()).chain(kept).collect();
    let mut sql = prelude.clone();
    sql.push(fault.subject.text.clone());
    Change {
        scope: Scope::Session,
        what: format!("In the session, {names}"),
        sql,
        effects: Vec::new(),
        is_lossy: false,
        collation: None,
        act: Act::Statement(Session { prelude, ..session.clone() }, fault.subject.text.clone()),
    }
}

/// `SET @x = 'a'` becomes `SET @x = 'a' COLLATE …`.
fn set_variable(fault: &Fault, variables: &[String], collation: &str) -> Option<Change> {
    let session = &fault.subject.session;
    let mut changed = Vec::new();
    let edit = |statement: &String| {
        let is_set = variables.iter().any(|name| assigns(statement, name));
        if !is_set || statement.to_lowercase().contains(" collate ") {
            return statement.clone();
        }
        format!("{} COLLATE {collation}", statement.trim_end())
    };
    let prelude: Vec<String> = session.prelude.iter().map(edit).collect();
    for (before, after) in session.prelude.iter().zip(&prelude) {
        if before != after {
            changed.push(after.clone());
        }
    }
    if changed.is_empty() {
        return None;
    }
    let mut sql = prelude.clone();
    sql.push(fault.subject.text.clone());
    Some(Change {
        scope: Scope::Statement,
        what: format!("Set the user variable with its collation: {}", changed.join("; ")),
        sql,
        effects: Vec::new(),
        is_lossy: false,
        collation: None,
        act: Act::Statement(Session { prelude, ..session.clone() }, fault.subject.text.clone()),
    })
}

fn assigns(statement: &str, variable: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> = tokenize(statement, SqlMode::default()).collect();
    matches!(tokens.as_slice(), [set, name, ..] if set.is_keyword("set") && name.text.trim_start_matches('@').eq_ignore_ascii_case(variable))
        && !tokens.iter().any(|token| token.is_symbol(','))
}

/// True for statements that set the connection's collation: `SET NAMES`, `SET CHARACTER SET`, `SET
/// collation_connection`.
pub(crate) fn sets_connection(statement: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> = tokenize(statement, SqlMode::default()).collect();
    let is_set = tokens.first().is_some_and(|token| token.is_keyword("set"));
    let names = ["names", "character", "charset", "collation_connection", "character_set_connection"];
    is_set
        && tokens
            .iter()
            .skip(1)
            .take(3)
            .any(|token| token.is_any_keyword(&names) || token.text.to_lowercase().ends_with("collation_connection"))
}
