//! Applies the ALTER TABLE and CREATE INDEX statements of a dump to its CREATE TABLE statements.

use sql::{TokenKind, ddl};

use super::column::{content_tokens, outer_tokens};
use super::key::Key;

/// Returns a CREATE TABLE with its indexes and constraints as `SHOW CREATE TABLE` prints them. A
/// text without a list of columns is returned unchanged.
pub fn normalize(create: &str) -> String {
    let columns = column_names(create);
    let canonical = |definition: &str| match Key::parse(definition) {
        // The parentheses could end outside of a conditional comment that begins the definition.
        Some(key) if !definition.starts_with("/*") => key.canonical(&columns),
        _ => definition.to_owned(),
    };
    with_definitions(create, |definitions| definitions.iter().map(|definition| canonical(definition)).collect())
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
    Some(with_definitions(create, |definitions| definitions.iter().map(|definition| replaced(definition)).collect()))
}

/// Returns the names of the columns in backticks.
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
