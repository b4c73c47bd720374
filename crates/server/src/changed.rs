//! The global variables that are not at the value that the server was compiled with.

use std::collections::BTreeMap;

use mysql::Conn;
use mysql::prelude::Queryable;

/// Names that differ from instance to instance and have no bearing on speed: where things lie and what the instance is called.
const OF_THE_INSTANCE: [&str; 9] =
    ["datadir", "basedir", "tmpdir", "socket", "hostname", "server_uuid", "server_id", "log_error", "mysqlx_socket"];
const ENDINGS: [&str; 7] = ["_dir", "_tmpdir", "_file", "_path", "_directory", "_basename", "port"];

/// What a server writes down of its transactions (`gtid_executed`, `gtid_binlog_pos`, …) is not a setting, but is listed with them.
const STATES: [&str; 7] = [
    "gtid_binlog_pos",
    "gtid_binlog_state",
    "gtid_current_pos",
    "gtid_executed",
    "gtid_owned",
    "gtid_purged",
    "gtid_slave_pos",
];

/// MariaDB tells where a value comes from in `information_schema` (manual, "Information Schema SYSTEM_VARIABLES Table").
const MARIADB: &str = "SELECT LOWER(variable_name), global_value FROM information_schema.system_variables \
                       WHERE global_value IS NOT NULL AND global_value_origin <> 'COMPILE-TIME'";
/// MySQL does in `performance_schema`, since 8.0 (manual, "The variables_info Table").
const MYSQL: &str = "SELECT LOWER(i.variable_name), g.variable_value FROM performance_schema.variables_info i \
                     JOIN performance_schema.global_variables g ON g.variable_name = i.variable_name \
                     WHERE i.variable_source <> 'COMPILED'";

/// Reads them, where the server tells them and the account may ask; MySQL before 8.0 doesn't.
pub(crate) fn read(conn: &mut Conn) -> Option<BTreeMap<String, String>> {
    let ask = |conn: &mut Conn, sql: &str| conn.query::<(String, Option<String>), _>(sql).ok();
    let all = ask(conn, MARIADB).or_else(|| ask(conn, MYSQL))?;
    let told = all.into_iter().filter(|(name, _)| !is_of_the_instance(name) && !STATES.contains(&name.as_str()));
    Some(told.map(|(name, value)| (name, value.unwrap_or_default())).collect())
}

fn is_of_the_instance(name: &str) -> bool {
    OF_THE_INSTANCE.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_instances_apart_is_left_out() {
        for name in ["datadir", "pid_file", "port", "character_sets_dir", "socket", "log_error", "slave_load_tmpdir"] {
            assert!(is_of_the_instance(name), "{name}");
        }
        for name in ["innodb_buffer_pool_size", "sort_buffer_size", "performance_schema"] {
            assert!(!is_of_the_instance(name), "{name}");
        }
    }
}
