//! Privileges of the account, parsed from `SHOW GRANTS`.

use std::collections::{BTreeMap, BTreeSet};

use mysql::prelude::Queryable;
use server::Conn;
use server::{Flavour, Version, error_code};

/// A privilege for reading facts, whose name depends on flavour and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// Shows the text of views, and allows `EXPLAIN` of statements with views.
    ShowView,
    /// Shows routines of other definers.
    ShowRoutine,
    Trigger,
    Event,
    /// Shows the replication source.
    ReplicationStatus,
    /// Shows registered replicas.
    ReplicationHosts,
}

impl Privilege {
    /// Returns the name in `GRANT` statements.
    pub fn name(self, flavour: Flavour, version: Version) -> &'static str {
        let mysql = flavour == Flavour::MySql;
        match self {
            Privilege::ShowView => "SHOW VIEW",
            Privilege::Trigger => "TRIGGER",
            Privilege::Event => "EVENT",
            Privilege::ShowRoutine if mysql && version >= Version::new(8, 0, 20) => "SHOW_ROUTINE",
            Privilege::ShowRoutine if !mysql && version >= Version::new(11, 3, 1) => "SHOW CREATE ROUTINE",
            // In older versions, `SELECT` on mysql.proc, or on all tables, shows all routines.
            Privilege::ShowRoutine => "SELECT",
            Privilege::ReplicationStatus if !mysql && version >= Version::new(10, 5, 9) => "REPLICA MONITOR",
            Privilege::ReplicationStatus => "REPLICATION CLIENT",
            Privilege::ReplicationHosts if !mysql && version >= Version::new(10, 5, 2) => "REPLICATION MASTER ADMIN",
            Privilege::ReplicationHosts => "REPLICATION SLAVE",
        }
    }

    /// Returns the `GRANT` statement with the narrowest scope that shows the facts of `schema`.
    pub fn grant_statement(self, flavour: Flavour, version: Version, schema: &str, account: &str) -> String {
        let name = self.name(flavour, version);
        let on = match (self, name) {
            // MySQL 8.0.0 to 8.0.19 have neither mysql.proc nor SHOW_ROUTINE.
            (Privilege::ShowRoutine, "SELECT") if flavour == Flavour::MySql && version >= Version::new(8, 0, 0) => {
                "*.*".to_owned()
            }
            (Privilege::ShowRoutine, "SELECT") => "mysql.proc".to_owned(),
            (Privilege::ShowRoutine, "SHOW_ROUTINE") => "*.*".to_owned(),
            (Privilege::ReplicationStatus | Privilege::ReplicationHosts, _) => "*.*".to_owned(),
            _ => format!("{}.*", sql::quote_identifier(schema)),
        };
        format!("GRANT {name} ON {on} TO {account}")
    }
}

/// Privileges of the account and its active roles.
#[derive(Debug, Default)]
pub(super) struct Grants {
    /// `'user'@'host'`.
    pub account: String,
    /// Privileges on `*.*`.
    global: BTreeSet<String>,
    /// Privileges by object pattern, such as `shop\_%.*` or `mysql.proc`.
    schemas: BTreeMap<String, BTreeSet<String>>,
    /// Privileges on `*.*` that do not apply to an object, such as `shop.*` (MySQL's
    /// `partial_revokes`).
    revoked: BTreeMap<String, BTreeSet<String>>,
    /// Granted roles, active or not.
    roles: Vec<String>,
}

/// Privileges to watch a server, which [`rights_beyond`] does not list.
const WATCHING_PRIVILEGES: [&str; 9] = [
    "USAGE",
    "PROCESS",
    "SHOW DATABASES",
    "REPLICATION CLIENT",
    "REPLICATION SLAVE",
    "BINLOG MONITOR",
    "SLAVE MONITOR",
    "REPLICA MONITOR",
    "SHOW_ROUTINE",
];

/// Lists the account's rights on anything but schemas whose names begin with `prefix`, such as
/// `SELECT on shop.*` or `the schema test`. Rights to watch the server don't count, nor do rights
/// on `performance_schema`, and on `test` and `test\_%` unless such a schema exists.
pub fn rights_beyond(conn: &mut Conn, prefix: &str) -> mysql::Result<Vec<String>> {
    let granted = Grants::read(conn)?.beyond(prefix);
    Ok(if granted.is_empty() { reachable_schemas(conn, prefix)? } else { granted })
}

/// Lists the schemas that the account may use, except those with the prefix, `information_schema`
/// and `performance_schema`. `SHOW GRANTS` leaves out the rights of `''@'%'`, which every account
/// has: after `mysql_install_db` of MySQL 5.6 and MariaDB 10.1, on `test` and `test\_%`.
fn reachable_schemas(conn: &mut Conn, prefix: &str) -> mysql::Result<Vec<String>> {
    let schemas: Vec<String> = conn.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")?;
    let is_own = |name: &str| {
        let own = ["information_schema", "performance_schema"];
        name.starts_with(prefix) || own.iter().any(|schema| name.eq_ignore_ascii_case(schema))
    };
    let mut reachable = Vec::new();
    for name in schemas.iter().filter(|name| !is_own(name)) {
        // With SHOW DATABASES, an account also sees schemas that it may not use.
        match conn.query_drop(format!("USE {}", sql::quote_identifier(name))) {
            Ok(()) => reachable.push(format!("the schema {name}")),
            Err(mysql::Error::MySqlError(error))
                if matches!(error.code, error_code::DBACCESS_DENIED_ERROR | error_code::BAD_DB_ERROR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(reachable)
}

/// Returns the schemas on which the account lacks the privilege, and on each of whose tables, too.
/// Empty if the account has roles: a role may have the privilege.
pub fn schemas_without(conn: &mut Conn, privilege: &str, schemas: &[String]) -> mysql::Result<Vec<String>> {
    let grants = Grants::read(conn)?;
    let lacks = |schema: &&String| grants.roles.is_empty() && !grants.has_on_part(privilege, schema);
    Ok(schemas.iter().filter(lacks).cloned().collect())
}

impl Grants {
    pub fn read(conn: &mut Conn) -> mysql::Result<Self> {
        let account: String = conn.query_first("SELECT CURRENT_USER()")?.unwrap_or_default();
        let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
        let mut grants = Self { account: format!("'{user}'@'{host}'"), ..Self::default() };
        // MySQL shows the privileges of roles only with USING.
        let roles: Option<Option<String>> = conn.query_first("SELECT CURRENT_ROLE()").ok().flatten();
        let with_roles = roles
            .flatten()
            .filter(|roles| roles.contains('@'))
            .map(|roles| format!("SHOW GRANTS FOR CURRENT_USER() USING {roles}"));
        let lines: Vec<String> = match conn.query(with_roles.as_deref().unwrap_or("SHOW GRANTS")) {
            // The server runs with `--skip-grant-tables`: every account has all privileges.
            Err(mysql::Error::MySqlError(error)) if error.code == error_code::OPTION_PREVENTS_STATEMENT => {
                vec!["GRANT ALL PRIVILEGES ON *.* TO me".to_owned()]
            }
            lines => lines?,
        };
        lines.iter().for_each(|line| grants.add_line(line));
        Ok(grants)
    }

    /// Applies the privileges of a line of `SHOW GRANTS`.
    fn add_line(&mut self, line: &str) {
        let revocation = line.strip_prefix("REVOKE ");
        let Some(rest) = revocation.or_else(|| line.strip_prefix("GRANT ")) else { return };
        // `GRANT role TO account` has no ON.
        let Some((privileges, rest)) = rest.split_once(" ON ") else {
            self.roles.extend(rest.split_once(" TO ").map(|(role, _)| role.to_owned()));
            return;
        };
        let word = if revocation.is_some() { " FROM " } else { " TO " };
        let Some((object, _)) = rest.split_once(word) else { return };
        // MySQL writes its dynamic privileges without blanks: `ROLE_ADMIN,SHOW_ROUTINE`.
        let privileges: Vec<String> = split_privileges(privileges).map(|name| name.trim().to_uppercase()).collect();
        match (revocation, object) {
            (None, "*.*") => self.global.extend(privileges),
            (None, _) => self.schemas.entry(strip_quotes(object)).or_default().extend(privileges),
            (Some(_), "*.*") => self.global.retain(|name| !privileges.contains(name)),
            (Some(_), _) => self.revoked.entry(strip_quotes(object)).or_default().extend(privileges),
        }
    }

    /// See [`rights_beyond`].
    fn beyond(&self, prefix: &str) -> Vec<String> {
        let listed = |names: &BTreeSet<String>, object: &str| {
            let counted: Vec<&str> =
                names.iter().map(String::as_str).filter(|name| !WATCHING_PRIVILEGES.contains(name)).collect();
            let more = if counted.len() > 3 { ", …" } else { "" };
            let shown = counted.iter().take(3).copied().collect::<Vec<_>>().join(", ");
            (!counted.is_empty()).then(|| format!("{shown}{more} on {object}"))
        };
        let is_within = |object: &str| {
            let schema = strip_kind(object).split('.').next().unwrap_or_default().replace('\\', "");
            schema.starts_with(prefix) || matches!(schema.as_str(), "test" | "test_%" | "performance_schema")
        };
        let on_schemas = self.schemas.iter().filter(|(object, _)| !is_within(object));
        listed(&self.global, "*.*")
            .into_iter()
            .chain(on_schemas.filter_map(|(object, names)| listed(names, object)))
            .chain(self.roles.iter().map(|role| format!("the role {role}")))
            .collect()
    }

    /// True if the account has a privilege on all objects of a schema. `SELECT` means the right to
    /// see routines: on `mysql.proc`, or on `*.*`. `SELECT` on `*.*` counts as `SHOW_ROUTINE`, too.
    pub fn has(&self, privilege: &str, schema: &str) -> bool {
        let grants = |set: &BTreeSet<String>| {
            set.contains(privilege) || set.contains("ALL PRIVILEGES") || set.contains("ALL")
                // MariaDB prints `REPLICA MONITOR` as `SLAVE MONITOR`.
                || privilege == "REPLICA MONITOR" && set.contains("SLAVE MONITOR")
        };
        let can_read_proc =
            || self.schemas.get("mysql.proc").is_some_and(grants) || self.schemas.get("mysql.*").is_some_and(grants);
        let is_revoked =
            || self.revoked.iter().any(|(object, set)| set.contains(privilege) && covers_schema(object, schema));
        (grants(&self.global) && !is_revoked())
            || (privilege == "SELECT" && can_read_proc())
            || (privilege == "SHOW_ROUTINE" && self.global.contains("SELECT"))
            || (privilege != "SELECT"
                && self.schemas.iter().any(|(pattern, set)| grants(set) && covers_schema(pattern, schema)))
    }
}

impl Grants {
    /// True if the account has a privilege on a schema, or on one of its tables.
    fn has_on_part(&self, privilege: &str, schema: &str) -> bool {
        let is_part = |object: &str| object.rsplit_once('.').is_some_and(|(own, _)| own.eq_ignore_ascii_case(schema));
        let grants = |set: &BTreeSet<String>| set.contains(privilege) || set.contains("ALL PRIVILEGES");
        self.has(privilege, schema) || self.schemas.iter().any(|(object, set)| is_part(object) && grants(set))
    }
}

/// Splits at the commas outside of lists of columns: ``SELECT (`a`, `b,(`), INSERT`` has two parts.
fn split_privileges(list: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_column_list) = (false, false);
    list.split(move |c: char| {
        is_quoted ^= c == '`';
        match c {
            '(' | ')' if !is_quoted => is_column_list = c == '(',
            _ => {}
        }
        c == ',' && !is_column_list
    })
}

/// Removes the kind before a routine's name: `PROCEDURE shop.p` → `shop.p`.
fn strip_kind(object: &str) -> &str {
    ["PROCEDURE ", "FUNCTION ", "PACKAGE BODY ", "PACKAGE "]
        .iter()
        .find_map(|kind| object.strip_prefix(kind))
        .unwrap_or(object)
}

/// Removes all backticks: `` `shop`.* `` → `shop.*`.
fn strip_quotes(object: &str) -> String {
    object.replace('`', "")
}

/// True if an object pattern covers a schema. `shop\_%.*` covers `shop_1`: unless escaped,
/// `_` and `%` are wildcards.
fn covers_schema(pattern: &str, schema: &str) -> bool {
    pattern.strip_suffix(".*").is_some_and(|pattern| matches_like(pattern.as_bytes(), schema.as_bytes()))
}

fn matches_like(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], _) => text.is_empty(),
        ([b'%', rest @ ..], _) => (0..=text.len()).any(|from| matches_like(rest, &text[from..])),
        ([b'\\', escaped, rest @ ..], [first, text @ ..]) => {
            escaped.eq_ignore_ascii_case(first) && matches_like(rest, text)
        }
        ([b'_', rest @ ..], [_, text @ ..]) => matches_like(rest, text),
        ([one, rest @ ..], [first, text @ ..]) => one.eq_ignore_ascii_case(first) && matches_like(rest, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(lines: &[&str]) -> Grants {
        let mut grants = Grants::default();
        lines.iter().for_each(|line| grants.add_line(line));
        grants
    }

    #[test]
    fn finds_privileges_by_scope() {
        let limited = grants(&[
            "GRANT USAGE ON *.* TO `me`@`%` IDENTIFIED BY PASSWORD '*0'",
            "GRANT SELECT, SHOW VIEW, TRIGGER ON `shop\\_%`.* TO `me`@`%`",
            "GRANT SELECT ON `mysql`.`proc` TO `me`@`%`",
            "GRANT `reader`@`%` TO `me`@`%`",
        ]);
        assert!(limited.has("TRIGGER", "shop_1") && limited.has("SHOW VIEW", "shop_"));
        assert!(!limited.has("TRIGGER", "shopx1") && !limited.has("EVENT", "shop_1"));
        assert!(limited.has("SELECT", "anything"), "routines are in mysql.proc");
    }

    #[test]
    fn a_privilege_on_a_table_counts_for_its_schema() {
        let limited = grants(&["GRANT SELECT ON *.* TO `me`@`%`", "GRANT SELECT, ALTER ON `shop`.`t` TO `me`@`%`"]);
        assert!(limited.has_on_part("ALTER", "shop") && !limited.has_on_part("ALTER", "crm"));
        assert!(grants(&["GRANT ALL PRIVILEGES ON *.* TO `me`@`%`"]).has_on_part("ALTER", "crm"));
    }

    #[test]
    fn lists_rights_beyond_own_schemas() {
        let own = grants(&[
            "GRANT PROCESS ON *.* TO `me`@`%`",
            "GRANT ALL PRIVILEGES ON `weigh\\_%`.* TO `me`@`%` WITH GRANT OPTION",
            "GRANT SELECT, UPDATE ON `performance_schema`.* TO `me`@`%`",
            "GRANT ALL PRIVILEGES ON `test\\_%`.* TO PUBLIC",
            "GRANT EXECUTE ON PROCEDURE `weigh_1`.`p` TO `me`@`%`",
            "GRANT EXECUTE ON PACKAGE BODY `weigh_1`.`p` TO `me`@`%`",
        ]);
        assert_eq!(own.beyond("weigh_"), [""; 0]);
        for (line, beyond) in [
            ("GRANT ALL PRIVILEGES ON *.* TO `me`@`%`", "ALL PRIVILEGES on *.*"),
            ("GRANT SELECT ON `weigh`.* TO `me`@`%`", "SELECT on weigh.*"),
            ("GRANT SELECT ON `%`.* TO `me`@`%`", "SELECT on %.*"),
            ("GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `me`@`%`", "EXECUTE on PROCEDURE shop.p"),
            ("GRANT SELECT (`a`, `b,)`), INSERT ON `shop`.`t` TO `me`@`%`", "INSERT, SELECT (`A`, `B,)`) on shop.t"),
            ("GRANT `reader`@`%` TO `me`@`%`", "the role `reader`@`%`"),
            ("GRANT SYSTEM_USER ON *.* TO `me`@`%`", "SYSTEM_USER on *.*"),
        ] {
            assert_eq!(grants(&[line]).beyond("weigh_"), [beyond]);
        }
    }

    #[test]
    fn all_privileges_except_revoked_ones() {
        let all = grants(&["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"]);
        assert!(all.has("EVENT", "x") && all.has("SHOW_ROUTINE", ""));
        let select = grants(&["GRANT SELECT, EVENT ON *.* TO `me`@`%`", "REVOKE EVENT ON *.* FROM `me`@`%`"]);
        assert!(select.has("SHOW_ROUTINE", "x") && !select.has("EVENT", "x"));
        assert!(grants(&["GRANT ROLE_ADMIN,SHOW_ROUTINE ON *.* TO `me`@`%`"]).has("SHOW_ROUTINE", "x"));
    }

    #[test]
    fn partial_revokes_take_a_privilege_on_one_schema() {
        let partial = grants(&["GRANT SELECT, EVENT ON *.* TO `me`@`%`", "REVOKE EVENT ON `shop`.* FROM `me`@`%`"]);
        assert!(!partial.has("EVENT", "shop") && partial.has("EVENT", "other"));
    }

    #[test]
    fn grant_statement_has_the_narrowest_scope() {
        let new = Version::new(9, 7, 0);
        assert_eq!(
            Privilege::Trigger.grant_statement(Flavour::MySql, new, "a`b", "'me'@'%'"),
            "GRANT TRIGGER ON `a``b`.* TO 'me'@'%'"
        );
        let routine = |flavour, version| Privilege::ShowRoutine.grant_statement(flavour, version, "s", "me");
        assert_eq!(routine(Flavour::MySql, new), "GRANT SHOW_ROUTINE ON *.* TO me");
        assert_eq!(routine(Flavour::MySql, Version::new(5, 6, 24)), "GRANT SELECT ON mysql.proc TO me");
        assert_eq!(routine(Flavour::MySql, Version::new(8, 0, 12)), "GRANT SELECT ON *.* TO me");
        assert_eq!(routine(Flavour::MariaDb, Version::new(11, 8, 2)), "GRANT SHOW CREATE ROUTINE ON `s`.* TO me");
    }
}
