//! Applies the ALTER TABLE and CREATE INDEX statements of a dump to its CREATE TABLE statements.

use sql::{TokenKind, ddl};

use super::column::{content_tokens, has_words, outer_tokens};
use super::key::Key;

/// Returns a CREATE TABLE with its indexes and constraints as `SHOW CREATE TABLE` prints them, those
/// within columns included. A text without a list of columns is returned unchanged.
pub fn normalize(create: &str) -> String {
    let columns = column_names(create);
    let canonical = |definition: &&str| match Key::parse(definition) {
        // The parentheses could end outside of a conditional comment that begins the definition.
        Some(key) if !definition.starts_with("/*") => (key.canonical(&columns), Vec::new()),
        _ => split_keys(definition),
    };
    with_definitions(create, |definitions| {
        let (mut all, keys): (Vec<String>, Vec<Vec<String>>) = definitions.iter().map(canonical).unzip();
        all.extend(keys.into_iter().flatten());
        all
    })
}

/// Splits a column's definition from the keys in it: `` `a` int UNIQUE`` is `` `a` int `` and
/// ``UNIQUE KEY `a` (`a`)``. A column of a primary key is NOT NULL. With REFERENCES, which servers
/// read differently, the definition is returned unchanged.
fn split_keys(definition: &str) -> (String, Vec<String>) {
    let unchanged = || (definition.to_owned(), Vec::new());
    let Some(name) = column_name(definition) else { return unchanged() };
    let outer = outer_tokens(&content_tokens(definition));
    if outer.iter().any(|token| token.is_keyword("REFERENCES")) {
        return unchanged();
    }
    let name = sql::quote_identifier(&name);
    let (mut column, mut copied, mut keys) = (String::new(), 0, Vec::new());
    for (at, token) in outer.iter().enumerate().filter(|(_, token)| token.is_any_keyword(&["UNIQUE", "PRIMARY", "KEY"]))
    {
        if token.start < copied {
            continue;
        }
        let is_unique = token.is_keyword("UNIQUE");
        let key = outer.get(at + 1).filter(|next| next.is_keyword("KEY") && !token.is_keyword("KEY"));
        column += &definition[copied..token.start];
        copied = key.unwrap_or(token).end();
        if is_unique {
            keys.push(format!("UNIQUE KEY {name} ({name})"));
        } else {
            keys.push(format!("PRIMARY KEY ({name})"));
            column += if has_words(&outer, &["NOT", "NULL"]) { "" } else { "NOT NULL" };
        }
    }
    (column + &definition[copied..], keys)
}

/// Adds an index or a constraint to a CREATE TABLE.
pub fn add_key(create: &str, key: &Key<'_>) -> String {
    let added = key.canonical(&column_names(create));
    with_definitions(create, |definitions| definitions.iter().copied().map(str::to_owned).chain([added]).collect())
}

/// Returns the CREATE TABLE after one change of an ALTER TABLE, such as ``ADD KEY `a` (`a`)``.
/// `None` if the change was not understood.
pub fn apply_change(create: &str, change: &str) -> Option<String> {
    let tokens = content_tokens(change);
    let [first, rest @ ..] = tokens.as_slice() else { return None };
    if first.is_keyword("ADD") {
        Key::parse(&change[first.end()..]).map(|key| add_key(create, &key))
    } else if first.is_keyword("MODIFY") {
        let name = rest.iter().find(|token| !token.is_any_keyword(&["COLUMN", "IF", "EXISTS"]))?;
        replace_column(create, &name.name()?, change[name.end()..].trim())
    } else {
        is_setting(change).then(|| create.to_owned())
    }
}

/// True for changes that have nothing to do with columns and keys, such as DISABLE KEYS.
pub fn is_setting(change: &str) -> bool {
    match content_tokens(change).as_slice() {
        [word, keys] if keys.is_keyword("KEYS") => word.is_any_keyword(&["ENABLE", "DISABLE"]),
        [option, ..] => option.is_any_keyword(&["AUTO_INCREMENT", "COMMENT", "ALGORITHM", "LOCK"]),
        [] => false,
    }
}

/// `None` if the table has no such column, or if the column moves.
fn replace_column(create: &str, name: &str, new: &str) -> Option<String> {
    let moves = outer_tokens(&content_tokens(new)).iter().any(|token| token.is_any_keyword(&["FIRST", "AFTER"]));
    let known = column_names(create).into_iter().find(|known| known.eq_ignore_ascii_case(name)).filter(|_| !moves)?;
    let replaced = |definition: &str| match column_name(definition) {
        Some(own) if own == known => format!("{} {new}", sql::quote_identifier(&known)),
        _ => definition.to_owned(),
    };
    let all = |definitions: &[&str]| definitions.iter().map(|definition| replaced(definition)).collect();
    Some(normalize(&with_definitions(create, all)))
}

/// Returns the names of the columns that are written in backticks.
fn column_names(create: &str) -> Vec<String> {
    ddl::split_definitions(create).into_iter().filter_map(column_name).collect()
}

fn column_name(definition: &str) -> Option<String> {
    content_tokens(definition).first().filter(|token| token.kind == TokenKind::QuotedName)?.name()
}

/// Returns a CREATE TABLE with other definitions.
fn with_definitions(create: &str, change: impl FnOnce(&[&str]) -> Vec<String>) -> String {
    let definitions = ddl::split_definitions(create);
    let Some(first) = definitions.first() else { return create.to_owned() };
    let begin = first.as_ptr() as usize - create.as_ptr() as usize;
    // A definition may end with a comment, which ends with its line.
    format!("{}\n  {}\n){}", create[..begin].trim_end(), change(&definitions).join("\n  ,"), ddl::table_options(create))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `Name` varchar(9) DEFAULT 'a,b',\n  UNIQUE `x` (name)\n) ENGINE=InnoDB";

    #[test]
    fn definitions_are_normalized() {
        let normalized = normalize(CREATE);
        assert_eq!(ddl::find_index(&normalized, "x"), Some(("UNIQUE KEY `x`", "`Name`", "")));
        assert_eq!(ddl::find_column(&normalized, "Name"), Some("varchar(9) DEFAULT 'a,b'"));
        assert_eq!((ddl::table_options(&normalized), normalize(&normalized)), (" ENGINE=InnoDB", normalized.clone()));
        assert_eq!(normalize("CREATE TABLE `t` LIKE `u`"), "CREATE TABLE `t` LIKE `u`");
    }

    #[test]
    fn keys_leave_their_columns() {
        let create = "CREATE TABLE `t` (\n  `id` int PRIMARY KEY COMMENT 'KEY',\n  `a` varchar(9) UNIQUE DEFAULT 'UNIQUE',\n  \
                      `b` varchar(9) AS (`a`) STORED UNIQUE KEY,\n  `key` varchar(9) REFERENCES `p` (`a`)\n) ENGINE=InnoDB";
        let normalized = normalize(create);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let column = |name: &str| ddl::find_column(&normalized, name).map(words);
        assert_eq!(column("id").as_deref(), Some("int NOT NULL COMMENT 'KEY'"));
        assert_eq!(column("a").as_deref(), Some("varchar(9) DEFAULT 'UNIQUE'"));
        assert_eq!(column("b").as_deref(), Some("varchar(9) AS (`a`) STORED"));
        assert_eq!(column("key").as_deref(), Some("varchar(9) REFERENCES `p` (`a`)"));
        assert_eq!(ddl::find_index(&normalized, "PRIMARY"), Some(("PRIMARY KEY", "`id`", "")));
        assert_eq!(ddl::find_index(&normalized, "a"), Some(("UNIQUE KEY `a`", "`a`", "")));
        assert_eq!(ddl::find_index(&normalized, "b"), Some(("UNIQUE KEY `b`", "`b`", "")));
        assert_eq!(split_keys("`a` int NOT NULL KEY").0, "`a` int NOT NULL ");
    }

    #[test]
    fn changes_of_exports_are_applied() {
        let apply = |change: &str| apply_change(CREATE, change);
        let added = apply("ADD UNIQUE KEY `user_login_key` (`Name`)").unwrap();
        assert_eq!(ddl::find_index(&added, "user_login_key"), Some(("UNIQUE KEY `user_login_key`", "`Name`", "")));
        let modified = apply("MODIFY name varchar(20) CHARACTER SET latin1 NOT NULL").unwrap();
        assert_eq!(ddl::find_column(&modified, "Name"), Some("varchar(20) CHARACTER SET latin1 NOT NULL"));
        for harmless in ["DISABLE KEYS", "AUTO_INCREMENT=5"] {
            assert_eq!(apply(harmless).as_deref(), Some(CREATE));
        }
        for other in
            ["ADD `x` int", "DROP KEY `x`", "MODIFY `id` int FIRST", "MODIFY `none` int", "CONVERT TO CHARSET utf8"]
        {
            assert_eq!(apply(other), None, "{other}");
        }
    }
}
