//! Functions and views that run code of a server's users.
//!
//! A server can run a function in order to optimise a statement, even for `EXPLAIN`. A function
//! with `SQL SECURITY INVOKER` then has the rights of the account that explains, and can change the
//! session: `SELECT * FROM view` of a stranger's view is enough.

use std::collections::HashSet;
use std::sync::LazyLock;

use mysql_collation::{Collation, Flavour};

use crate::{UserCode, ViewText};

/// Names in a statement that may run code of the server's users.
#[derive(Clone, Debug, Default)]
pub struct RunnableNames {
    names: Vec<Name>,
}

#[derive(Clone, Debug)]
struct Name {
    name: String,
    /// Sort keys of the name's words.
    words: HashSet<Vec<u8>>,
}

impl RunnableNames {
    /// Collects the functions, the views that use them, the views that use these, and the views
    /// whose text is not known.
    pub fn new(code: &UserCode) -> Self {
        let name = |name: &str| Name { name: name.to_owned(), words: split(name).map(key).collect() };
        let mut found = Self { names: code.functions.iter().map(|function| name(function)).collect() };
        let with_words = |view| (view, text_words(view));
        let mut views: Vec<(&ViewText, Option<HashSet<Vec<u8>>>)> = code.views.iter().map(with_words).collect();
        loop {
            let is_runnable = |words: &Option<HashSet<Vec<u8>>>| {
                !found.names.is_empty() && words.as_ref().is_none_or(|words| found.find_in_words(words).is_some())
            };
            let (runnable, rest): (Vec<_>, Vec<_>) = views.into_iter().partition(|(_, words)| is_runnable(words));
            if runnable.is_empty() {
                return found;
            }
            found.names.extend(runnable.iter().map(|(view, _)| name(&view.name)));
            views = rest;
        }
    }

    /// Returns a name that stands anywhere in the statement, in any schema, also in a string or
    /// comment: servers differ in where these end.
    pub fn find_in(&self, statement: &str) -> Option<&str> {
        if self.names.is_empty() { None } else { self.find_in_words(&words(statement)) }
    }

    fn find_in_words(&self, words: &HashSet<Vec<u8>>) -> Option<&str> {
        self.names.iter().find(|name| name.words.is_subset(words)).map(|name| name.name.as_str())
    }
}

fn text_words(view: &ViewText) -> Option<HashSet<Vec<u8>>> {
    view.text.as_deref().map(words)
}

/// Returns the sort keys of the words of a statement, and of what old servers read in their place:
/// `1.ef` is a number and `f`.
fn words(statement: &str) -> HashSet<Vec<u8>> {
    let mut keys = HashSet::new();
    for word in split(statement) {
        let after_number = word.trim_start_matches(|c: char| c.is_ascii_digit());
        for word in [word, after_number, after_number.strip_prefix(['e', 'E']).unwrap_or(after_number)] {
            keys.insert(key(word));
        }
    }
    keys
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_' && c != '$';
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Returns the sort key of a word. Names of functions are equal as under `utf8mb4_general_ci`:
/// `É` = `e`.
fn key(word: &str) -> Vec<u8> {
    static COLLATION: LazyLock<Collation> =
        LazyLock::new(|| Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").expect("a collation of the library"));
    COLLATION.sort_key(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(functions: &[&str], views: &[(&str, Option<&str>)]) -> RunnableNames {
        let view = |(name, text): &(&str, Option<&str>)| ViewText {
            schema: "s".into(),
            name: (*name).into(),
            text: text.map(str::to_owned),
        };
        RunnableNames::new(&UserCode {
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
            views: views.iter().map(view).collect(),
        })
    }

    #[test]
    fn functions_are_found_however_they_are_written() {
        let names = names(&["total", "get-rate", "é", "export", "2a"], &[]);
        for statement in [
            "SELECT total(1)",
            "SELECT shop.TOTAL (1)",
            "SELECT `shop`.`total`/* */(1)",
            "SELECT /*!50100 total(1) */",
            "SELECT shop 1.e.total 1.e()",
            "SELECT shop 1.etotal()",
            "SELECT shop 1.eexport()",
            "SELECT shop 1.e2a()",
            "SELECT `get-rate`(1)",
            "SELECT E()",
        ] {
            assert!(names.find_in(statement).is_some(), "{statement}");
        }
        for statement in ["SELECT totals FROM t", "SELECT COUNT(*) FROM t", "SELECT rate FROM t", "SELECT get FROM t"] {
            assert_eq!(names.find_in(statement), None, "{statement}");
        }
    }

    #[test]
    fn views_are_found_through_other_views() {
        let text = Some("select `b`.`x` from `b`");
        let views = [("a", text), ("b", Some("select `s`.`f`(1)")), ("c", Some("select 1")), ("hidden", None)];
        let found = names(&["f"], &views);
        for view in ["a", "b", "hidden"] {
            assert_eq!(found.find_in(&format!("SELECT * FROM `s`.`{view}`")), Some(view), "{view}");
        }
        assert_eq!(found.find_in("SELECT * FROM c"), None);
        assert_eq!(names(&[], &views).find_in("SELECT * FROM b, hidden"), None);
    }
}
