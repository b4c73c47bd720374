//! What the account may see: `SHOW GRANTS`, read.

use std::collections::{BTreeMap, BTreeSet};

use mysql::Conn;
use mysql::prelude::Queryable;
use server::{Flavour, Version};

/// A privilege that a reading needs. Its name differs between flavours and versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// To see text of views, and to explain statements over them.
    ShowView,
    /// To see routines of other definers.
    ShowRoutine,
    /// To see triggers.
    Trigger,
    /// To see events.
    Event,
    /// To see the source.
    ReplicationStatus,
    /// To see registered replicas.
    ReplicationHosts,
}

impl Privilege {
    /// Its name in `GRANT`.
    pub fn name(self, flavour: Flavour, version: Version) -> &'static str {
        let mysql = flavour == Flavour::MySql;
        match self {
            Privilege::ShowView => "SHOW VIEW",
            Privilege::Trigger => "TRIGGER",
            Privilege::Event => "EVENT",
            Privilege::ShowRoutine if mysql && version >= Version::new(8, 0, 20) => "SHOW_ROUTINE",
            Privilege::ShowRoutine if !mysql && version >= Version::new(11, 3, 1) => "SHOW CREATE ROUTINE",
            // Before, who may read the table in which they are kept sees all of them.
            Privilege::ShowRoutine => "SELECT",
            Privilege::ReplicationStatus if !mysql && version >= Version::new(10, 5, 9) => "REPLICA MONITOR",
            Privilege::ReplicationStatus => "REPLICATION CLIENT",
            Privilege::ReplicationHosts if !mysql && version >= Version::new(10, 5, 2) => "REPLICATION MASTER ADMIN",
            Privilege::ReplicationHosts => "REPLICATION SLAVE",
        }
    }

    /// The narrowest `GRANT` that gives it.
    pub fn statement(self, flavour: Flavour, version: Version, schema: &str, account: &str) -> String {
        let name = self.name(flavour, version);
        let on = match (self, name) {
            (Privilege::ShowRoutine, "SELECT") => "mysql.proc".to_owned(),
            (Privilege::ShowRoutine, "SHOW_ROUTINE") => "*.*".to_owned(),
            (Privilege::ReplicationStatus | Privilege::ReplicationHosts, _) => "*.*".to_owned(),
            _ => format!("`{}`.*", schema.replace('`', "``")),
        };
        format!("GRANT {name} ON {on} TO {account}")
    }
}

/// The privileges of the account, its active roles' included.
#[derive(Debug, Default)]
pub(super) struct Grants {
    /// `'user'@'host'`.
    pub account: String,
    everywhere: BTreeSet<String>,
    /// By the pattern of the schemas' names.
    schemas: BTreeMap<String, BTreeSet<String>>,
}

impl Grants {
    pub fn read(conn: &mut Conn) -> mysql::Result<Self> {
        let account: String = conn.query_first("SELECT CURRENT_USER()")?.unwrap_or_default();
        let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
        let mut grants = Self { account: format!("'{user}'@'{host}'"), ..Self::default() };
        // MySQL tells what its roles give only where they are named.
        let roles: Option<Option<String>> = conn.query_first("SELECT CURRENT_ROLE()").ok().flatten();
        let with_roles = roles
            .flatten()
            .filter(|roles| roles.contains('@'))
            .map(|roles| format!("SHOW GRANTS FOR CURRENT_USER() USING {roles}"));
        let lines: Vec<String> = conn.query(with_roles.as_deref().unwrap_or("SHOW GRANTS"))?;
        lines.iter().for_each(|line| grants.add(line));
        Ok(grants)
    }

    /// Takes in a line of `SHOW GRANTS`.
    fn add(&mut self, line: &str) {
        let revoked = line.strip_prefix("REVOKE ");
        let Some(rest) = revoked.or_else(|| line.strip_prefix("GRANT ")) else { return };
        // A role is granted without ON.
        let Some((privileges, rest)) = rest.split_once(" ON ") else { return };
        let word = if revoked.is_some() { " FROM " } else { " TO " };
        let Some((object, _)) = rest.split_once(word) else { return };
        let privileges = privileges.split(", ").map(|name| name.trim().to_uppercase());
        let set = match object {
            "*.*" => &mut self.everywhere,
            _ => self.schemas.entry(unquoted(object)).or_default(),
        };
        match revoked {
            Some(_) => privileges.for_each(|name| {
                set.remove(&name);
            }),
            None => set.extend(privileges),
        }
    }

    /// Whether the account has a privilege on all of a schema.
    pub fn has(&self, privilege: &str, schema: &str) -> bool {
        let gives = |set: &BTreeSet<String>| {
            set.contains(privilege) || set.contains("ALL PRIVILEGES") || set.contains("ALL")
                // MariaDB prints the older names of some.
                || privilege == "REPLICA MONITOR" && set.contains("SLAVE MONITOR")
        };
        // Reading the table that keeps routines, or all tables, shows them all.
        let proc =
            || self.schemas.get("mysql.proc").is_some_and(gives) || self.schemas.get("mysql.*").is_some_and(gives);
        gives(&self.everywhere)
            || (privilege == "SELECT" && proc())
            || (privilege == "SHOW_ROUTINE" && self.everywhere.contains("SELECT"))
            || (privilege != "SELECT"
                && self.schemas.iter().any(|(pattern, set)| gives(set) && matches(pattern, schema)))
    }
}

/// `` `shop`.* `` as `shop.*`.
fn unquoted(object: &str) -> String {
    object.replace('`', "")
}

/// Whether `shop\_1.*`, in which `_` and `%` are wildcards, covers all of a schema.
fn matches(pattern: &str, schema: &str) -> bool {
    pattern.strip_suffix(".*").is_some_and(|pattern| like(pattern.as_bytes(), schema.as_bytes()))
}

fn like(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], _) => text.is_empty(),
        ([b'%', rest @ ..], _) => (0..=text.len()).any(|from| like(rest, &text[from..])),
        ([b'\\', escaped, rest @ ..], [first, text @ ..]) => escaped.eq_ignore_ascii_case(first) && like(rest, text),
        ([b'_', rest @ ..], [_, text @ ..]) => like(rest, text),
        ([one, rest @ ..], [first, text @ ..]) => one.eq_ignore_ascii_case(first) && like(rest, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(lines: &[&str]) -> Grants {
        let mut grants = Grants::default();
        lines.iter().for_each(|line| grants.add(line));
        grants
    }

    #[test]
    fn privileges_are_found_where_they_were_granted() {
        let some = grants(&[
            "GRANT USAGE ON *.* TO `me`@`%` IDENTIFIED BY PASSWORD '*0'",
            "GRANT SELECT, SHOW VIEW, TRIGGER ON `shop\\_%`.* TO `me`@`%`",
            "GRANT SELECT ON `mysql`.`proc` TO `me`@`%`",
            "GRANT `reader`@`%` TO `me`@`%`",
        ]);
        assert!(some.has("TRIGGER", "shop_1") && some.has("SHOW VIEW", "shop_"));
        assert!(!some.has("TRIGGER", "shopx1") && !some.has("EVENT", "shop_1"));
        assert!(some.has("SELECT", "anything"), "routines are in mysql.proc");
    }

    #[test]
    fn all_privileges_are_all_but_what_is_revoked() {
        let all = grants(&["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"]);
        assert!(all.has("EVENT", "x") && all.has("SHOW_ROUTINE", ""));
        let select = grants(&["GRANT SELECT, EVENT ON *.* TO `me`@`%`", "REVOKE EVENT ON *.* FROM `me`@`%`"]);
        assert!(select.has("SHOW_ROUTINE", "x") && !select.has("EVENT", "x"));
    }

    #[test]
    fn the_statement_is_the_narrowest() {
        let new = Version::new(9, 7, 0);
        assert_eq!(
            Privilege::Trigger.statement(Flavour::MySql, new, "a`b", "'me'@'%'"),
            "GRANT TRIGGER ON `a``b`.* TO 'me'@'%'"
        );
        let routine = |flavour, version| Privilege::ShowRoutine.statement(flavour, version, "s", "me");
        assert_eq!(routine(Flavour::MySql, new), "GRANT SHOW_ROUTINE ON *.* TO me");
        assert_eq!(routine(Flavour::MySql, Version::new(5, 6, 24)), "GRANT SELECT ON mysql.proc TO me");
        assert_eq!(routine(Flavour::MariaDb, Version::new(11, 8, 2)), "GRANT SHOW CREATE ROUTINE ON `s`.* TO me");
    }
}
