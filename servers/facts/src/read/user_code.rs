//! Reading the names of functions and views of all schemas.

use mysql::prelude::Queryable;
use server::Conn;

use crate::{UserCode, ViewText};

/// True for functions and views of the schema `sys` as servers install it. The accounts are
/// compared byte by byte: in SQL, `Mysql.SYS@localhost` would equal `mysql.sys@localhost`.
pub(super) fn is_installed(schema: &str, definer: &str) -> bool {
    schema == "sys" && ["mysql.sys@localhost", "mariadb.sys@localhost"].contains(&definer)
}

/// Functions that act even in a read-only transaction, and that `EXPLAIN` or the opening of a view
/// runs if their arguments are constants: MariaDB 10.11 sets a sequence, MySQL 9.7 adds a source of
/// replication. `GET_LOCK(LOAD_FILE('x'))` tells every account what is in a file that only the
/// reader may read. From the manuals' lists of functions.
pub(super) const CHANGING: [&str; 38] = [
    "get_lock",
    "load_file",
    "release_all_locks",
    "release_lock",
    "setval",
    "asynchronous_connection_failover_add_managed",
    "asynchronous_connection_failover_add_source",
    "asynchronous_connection_failover_delete_managed",
    "asynchronous_connection_failover_delete_source",
    "asynchronous_connection_failover_reset",
    "audit_log_encryption_password_set",
    "audit_log_filter_flush",
    "audit_log_filter_remove_filter",
    "audit_log_filter_remove_user",
    "audit_log_filter_set_filter",
    "audit_log_filter_set_user",
    "audit_log_rotate",
    "flush_rewrite_rules",
    "group_replication_disable_member_action",
    "group_replication_enable_member_action",
    "group_replication_reset_member_actions",
    "group_replication_set_as_primary",
    "group_replication_set_communication_protocol",
    "group_replication_set_write_concurrency",
    "group_replication_switch_to_multi_primary_mode",
    "group_replication_switch_to_single_primary_mode",
    "innodb_redo_log_archive_flush",
    "innodb_redo_log_archive_start",
    "innodb_redo_log_archive_stop",
    "innodb_redo_log_sharp_checkpoint",
    "innodb_set_open_files_limit",
    "keyring_key_generate",
    "keyring_key_remove",
    "keyring_key_store",
    "load_rewrite_rules",
    "service_get_write_locks",
    "set_firewall_group_mode",
    "set_firewall_mode",
];

/// Loadable functions that only read.
const READING: &str = "('mysql_query_attribute_string', 'normalize_statement')";

/// Reads the functions that the account sees, and the views. Leaves out those of the schema `sys`
/// as servers install it.
///
/// An account doesn't see functions that it may not execute.
pub fn read_user_code(conn: &mut Conn) -> mysql::Result<UserCode> {
    let stored = "SELECT ROUTINE_NAME, ROUTINE_SCHEMA, DEFINER FROM information_schema.ROUTINES \
                  WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let mut stored: Vec<(String, String, String)> = conn.query(stored)?;
    stored.retain(|(_, schema, definer)| !is_installed(schema, definer));
    let mut functions: Vec<String> = stored.into_iter().map(|(name, ..)| name).collect();
    match conn.query::<String, _>("SELECT name FROM mysql.func") {
        Ok(loadable) => functions.extend(loadable),
        // Accounts without rights on `mysql` can't list them.
        Err(mysql::Error::MySqlError(_)) => {}
        Err(error) => return Err(error),
    }
    let mut changing: Vec<String> = CHANGING.map(str::to_owned).into();
    // Functions of plugins and components, which `mysql.func` lacks.
    let registered =
        format!("SELECT UDF_NAME FROM performance_schema.user_defined_functions WHERE UDF_NAME NOT IN {READING}");
    match conn.query::<String, _>(registered) {
        Ok(registered) => changing.extend(registered),
        // Before MySQL 8.0, in MariaDB, and for accounts without rights on `performance_schema`.
        Err(mysql::Error::MySqlError(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(UserCode { functions, changing, views: read_views(conn)? })
}

/// Reads the stored functions that run with the rights of this account, and all views. Leaves out
/// functions with `SQL SECURITY DEFINER` of another definer. Opens no view.
pub fn read_code_with_own_rights(conn: &mut Conn) -> mysql::Result<UserCode> {
    let query = "SELECT ROUTINE_NAME, SECURITY_TYPE, DEFINER, CURRENT_USER() FROM information_schema.ROUTINES \
                 WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let mut functions: Vec<(String, String, String, String)> = conn.query(query)?;
    functions.retain(|(_, security, definer, account)| security != "DEFINER" || definer == account);
    let functions = functions.into_iter().map(|(name, ..)| name).collect();
    Ok(UserCode { functions, changing: Vec::new(), views: read_views(conn)? })
}

/// Reads the texts of all views, except those of the schema `sys` as servers install it. Opens no
/// view.
pub(super) fn read_views(conn: &mut Conn) -> mysql::Result<Vec<ViewText>> {
    let query = "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION, DEFINER FROM information_schema.VIEWS";
    let mut views: Vec<(String, String, Option<String>, String)> = conn.query(query)?;
    views.retain(|(schema, .., definer)| !is_installed(schema, definer));
    let view = |(schema, name, text, _): (String, String, Option<String>, String)| ViewText {
        schema,
        name,
        text: text.filter(|text| !text.is_empty()),
    };
    Ok(views.into_iter().map(view).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_of_servers_own_installed_code() {
        assert!(is_installed("sys", "mysql.sys@localhost") && is_installed("sys", "mariadb.sys@localhost"));
        for (schema, definer) in [("sys", "Mysql.SYS@localhost"), ("evil", "mysql.sys@localhost"), ("SYS", "root@%")] {
            assert!(!is_installed(schema, definer), "{schema} {definer}");
        }
    }
}
