//! Global variables that were set, also to the value of the compiled-in default.

use std::collections::BTreeMap;

use crate::connect::Conn;
use mysql::prelude::Queryable;

/// Variables that identify an instance or its files, and so differ between instances.
const INSTANCE_NAMES: [&str; 10] = [
    "datadir",
    "basedir",
    "tmpdir",
    "socket",
    "hostname",
    "server_uuid",
    "server_id",
    "log_error",
    "mysqlx_socket",
    "secure_file_priv",
];
/// Suffixes of further such variables.
const INSTANCE_SUFFIXES: [&str; 7] = ["_dir", "_tmpdir", "_file", "_path", "_directory", "_basename", "port"];

/// Variables that hold replication state rather than settings.
const STATE_NAMES: [&str; 7] = [
    "gtid_binlog_pos",
    "gtid_binlog_state",
    "gtid_current_pos",
    "gtid_executed",
    "gtid_owned",
    "gtid_purged",
    "gtid_slave_pos",
];

/// MariaDB's query (MariaDB manual, "Information Schema SYSTEM_VARIABLES Table").
const MARIADB_QUERY: &str = "SELECT LOWER(variable_name), global_value FROM information_schema.system_variables \
                       WHERE global_value IS NOT NULL AND global_value_origin <> 'COMPILE-TIME'";
/// MySQL's query, for 8.0 and later (MySQL manual, "The variables_info Table").
const MYSQL_QUERY: &str = "SELECT LOWER(i.variable_name), g.variable_value FROM performance_schema.variables_info i \
                     JOIN performance_schema.global_variables g ON g.variable_name = i.variable_name \
                     WHERE i.variable_source <> 'COMPILED'";

/// Reads the global variables that were set, by name, without those that identify the instance or
/// hold replication state. `None` if they can't be read, as from MySQL before 8.0, or without the
/// privileges.
pub(crate) fn read_changed_settings(conn: &mut Conn) -> Option<BTreeMap<String, String>> {
    let query = |conn: &mut Conn, sql: &str| conn.query::<(String, Option<String>), _>(sql).ok();
    let all = query(conn, MARIADB_QUERY).or_else(|| query(conn, MYSQL_QUERY))?;
    let settings =
        all.into_iter().filter(|(name, _)| !identifies_instance(name) && !STATE_NAMES.contains(&name.as_str()));
    Some(settings.map(|(name, value)| (name, value.unwrap_or_default())).collect())
}

fn identifies_instance(name: &str) -> bool {
    INSTANCE_NAMES.contains(&name) || INSTANCE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_variables_that_identify_an_instance() {
        for name in ["datadir", "pid_file", "port", "character_sets_dir", "socket", "log_error", "slave_load_tmpdir"] {
            assert!(identifies_instance(name), "{name}");
        }
        for name in ["innodb_buffer_pool_size", "sort_buffer_size", "performance_schema"] {
            assert!(!identifies_instance(name), "{name}");
        }
    }
}
