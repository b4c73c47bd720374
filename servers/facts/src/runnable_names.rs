//! Functions and views that run code of a server's users, or change the server.
//!
//! A server can run a function in order to optimise a statement, even for `EXPLAIN`. A function
//! with `SQL SECURITY INVOKER` then has the rights of the account that explains, and can change the
//! session: `SELECT * FROM view` of a stranger's view is enough.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use mysql_collation::{Collation, Flavour};

use crate::UserCode;

/// Sort keys of words.
type Words = HashSet<Vec<u8>>;

/// Names in a statement that may run code of the server's users, or change the server.
#[derive(Clone, Debug, Default)]
pub struct RunnableNames {
    names: Vec<Name>,
    /// Places in `names`, by the longest word of the name.
    by_word: HashMap<Vec<u8>, Vec<usize>>,
    /// Place of the first name without a word, such as `-`. Each statement counts as naming it.
    wordless: Option<usize>,
}

#[derive(Clone, Debug)]
struct Name {
    name: String,
    words: Words,
}

impl RunnableNames {
    /// Collects the functions, the views that use them, the views that call a function that may do
    /// more than compute, the views that use these, and if users have functions, the views whose
    /// text is not known. Takes time in proportion to the texts: each name is looked for once.
    pub fn new(code: &UserCode) -> Self {
        let mut found = Self::default();
        for function in &code.functions {
            found.add(function);
        }
        let mut views = Views::new(code);
        for (at, view) in code.views.iter().enumerate() {
            let is_hidden = view.text.is_none() && !code.functions.is_empty();
            if is_hidden || view.unknown_function(&code.harmless).is_some() {
                views.words[at] = None;
                found.add(&view.name);
            }
        }
        let mut at = 0;
        while let Some(name) = found.names.get(at) {
            for view in views.take_users(&name.words) {
                found.add(&code.views[view].name);
            }
            at += 1;
        }
        found
    }

    fn add(&mut self, name: &str) {
        let words: Words = split(name).map(key).collect();
        let at = self.names.len();
        match words.iter().max_by_key(|word| (word.len(), *word)) {
            Some(longest) => self.by_word.entry(longest.clone()).or_default().push(at),
            None => self.wordless = self.wordless.or(Some(at)),
        }
        self.names.push(Name { name: name.to_owned(), words });
    }

    /// Returns the first name whose words all stand in the statement, anywhere, in any order and
    /// schema, also in a string or comment: servers differ in where these end.
    pub fn find_in(&self, statement: &str) -> Option<&str> {
        if self.names.is_empty() {
            return None;
        }
        let words = words(statement);
        let candidates = words.iter().filter_map(|word| self.by_word.get(word)).flatten().copied();
        let found = candidates.filter(|at| self.names[*at].words.is_subset(&words)).chain(self.wordless).min();
        found.map(|at| self.names[at].name.as_str())
    }
}

/// Views that are not known to be runnable.
struct Views {
    /// Words of the view's text. `None` without a text, and for a view that was taken.
    words: Vec<Option<Words>>,
    /// Places of the views whose text has the word.
    by_word: HashMap<Vec<u8>, Vec<usize>>,
}

impl Views {
    fn new(code: &UserCode) -> Self {
        let words: Vec<Option<Words>> = code.views.iter().map(|view| view.text.as_deref().map(words)).collect();
        let mut by_word: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (at, words) in words.iter().enumerate() {
            for word in words.iter().flatten() {
                by_word.entry(word.clone()).or_default().push(at);
            }
        }
        Self { words, by_word }
    }

    /// Removes and returns the views whose texts have all words of the name.
    fn take_users(&mut self, name: &Words) -> Vec<usize> {
        let with_word = name.iter().map(|word| self.by_word.get(word).map_or(&[][..], Vec::as_slice));
        let candidates: Vec<usize> = match with_word.min_by_key(|views| views.len()) {
            Some(rarest) => rarest.to_vec(),
            None => (0..self.words.len()).collect(),
        };
        let mut taken = candidates;
        taken.retain(|view| self.words[*view].as_ref().is_some_and(|words| name.is_subset(words)));
        for view in &taken {
            self.words[*view] = None;
        }
        taken
    }
}

/// Returns the sort keys of a statement's words, also without digits and an `e` at their beginning:
/// old servers read `1.ef` as a number and `f`.
fn words(statement: &str) -> Words {
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
    static COLLATION: LazyLock<Collation> = LazyLock::new(|| {
        Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").expect("the library has the collation")
    });
    COLLATION.sort_key(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewText;

    fn names(functions: &[&str], views: &[(&str, Option<&str>)]) -> RunnableNames {
        let view = |(name, text): &(&str, Option<&str>)| ViewText {
            schema: "s".into(),
            name: (*name).into(),
            text: text.map(str::to_owned),
            client: "utf8mb4".into(),
        };
        RunnableNames::new(&UserCode {
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
            harmless: Vec::new(),
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
        let acts = [("x", Some("select setval(`s`.`q`,1)")), ("y", Some("select 1 from `s`.`x`")), ("hidden", None)];
        let found = names(&[], &acts);
        assert_eq!(found.find_in("SELECT * FROM x, hidden"), Some("x"));
        assert_eq!(found.find_in("SELECT * FROM y"), Some("y"));
        assert_eq!(found.find_in("SELECT * FROM hidden"), None);
    }

    /// Takes hours if each name is looked for in all texts.
    #[test]
    fn chains_of_views_take_linear_time() {
        const COUNT: usize = 20_000;
        let texts: Vec<(String, String)> = (0..COUNT)
            .map(|at| (format!("v{at}"), format!("select `a` from `v{}`", at + 1)))
            .chain([(format!("v{COUNT}"), "select `s`.`f`(1)".to_owned())])
            .collect();
        let views: Vec<(&str, Option<&str>)> =
            texts.iter().map(|(name, text)| (name.as_str(), Some(text.as_str()))).collect();
        let names = names(&["f"], &views);
        assert_eq!(names.names.len(), COUNT + 2);
        for view in ["v0", "v9999"] {
            assert_eq!(names.find_in(&format!("SELECT * FROM {view}")), Some(view));
        }
        assert_eq!(names.find_in("SELECT * FROM v20001"), None);
    }

    #[test]
    fn names_of_several_words_or_none() {
        let names =
            names(&["get-rate", "-"], &[("of-rates", Some("select `s`.`get-rate`(1)")), ("v", Some("select rate"))]);
        assert_eq!(names.names.len(), 4, "a name without a word is in every text");
        assert_eq!(names.find_in("SELECT `get-rate`(1)"), Some("get-rate"));
        assert_eq!(names.find_in("SELECT 1"), Some("-"));
    }
}
