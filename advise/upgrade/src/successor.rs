//! Successors of options that servers no longer have. The sources are the manuals: of MySQL "Server
//! and Status Variables and Options Added, Deprecated, or Removed", of MariaDB the descriptions of
//! the variables.

use std::collections::BTreeMap;

use server::Flavour;

/// Advice on an option that the new server does not have.
struct Removed {
    /// Names with underscores, separated by blanks. A `*` at the end matches any further text.
    names: &'static str,
    place: Place,
    /// Explanation in a sentence without a full stop.
    note: &'static str,
}

enum Place {
    /// Option with this meaning, and how its value is made of the old one.
    Option(&'static str, Value),
    /// Option of the same name but for the beginning: `replica_…`, `slave_…`.
    Prefix(&'static str, &'static str),
    Nothing,
}

enum Value {
    Same,
    Times(u64),
    /// Divided, and rounded up.
    DividedBy(u64),
    /// Added to a whole number, with the least and the largest result.
    Plus(i64, i64, i64),
    Fixed(&'static str),
    /// No rule: the note describes the value.
    Unknown,
}

const fn renamed(names: &'static str, successor: &'static str) -> Removed {
    Removed { names, place: Place::Option(successor, Value::Same), note: "" }
}

const fn replaced(names: &'static str, successor: &'static str, value: Value, note: &'static str) -> Removed {
    Removed { names, place: Place::Option(successor, value), note }
}

const fn dropped(names: &'static str, note: &'static str) -> Removed {
    Removed { names, place: Place::Nothing, note }
}

/// Options that MySQL does not have, or no longer.
const MYSQL: [Removed; 43] = [
    replaced("expire_logs_days", "binlog_expire_logs_seconds", Value::Times(86_400), "it counts seconds"),
    replaced(
        "log_warnings",
        "log_error_verbosity",
        Value::Plus(1, 1, 3),
        "1 logs errors, 2 also warnings, 3 also notes",
    ),
    replaced(
        "default_authentication_plugin",
        "authentication_policy",
        Value::Unknown,
        "it has an element for each factor: *:caching_sha2_password,, makes this plugin the default of the first",
    ),
    replaced(
        "innodb_log_file_size innodb_log_files_in_group",
        "innodb_redo_log_capacity",
        Value::Unknown,
        "it is the size of all log files: innodb_log_file_size times innodb_log_files_in_group, 2 unless set",
    ),
    renamed("innodb_undo_logs", "innodb_rollback_segments"),
    replaced(
        "innodb_checksums",
        "innodb_checksum_algorithm",
        Value::Unknown,
        "crc32 instead of ON, none instead of OFF",
    ),
    renamed("innodb_stats_sample_pages", "innodb_stats_transient_sample_pages"),
    replaced(
        "innodb_locks_unsafe_for_binlog",
        "transaction_isolation",
        Value::Unknown,
        "READ-COMMITTED locks about as few rows",
    ),
    renamed("tx_isolation", "transaction_isolation"),
    renamed("tx_read_only", "transaction_read_only"),
    renamed("storage_engine", "default_storage_engine"),
    renamed("simplified_binlog_gtid_recovery", "binlog_gtid_simple_recovery"),
    renamed("binlogging_impossible_mode", "binlog_error_action"),
    replaced("skip_host_cache", "host_cache_size", Value::Fixed("0"), ""),
    replaced("language", "lc_messages_dir", Value::Unknown, "it is the folder, and lc_messages the language"),
    replaced(
        "ssl",
        "tls_version",
        Value::Unknown,
        "connections are encrypted if the server has a certificate; an empty value turns that off",
    ),
    // Of MariaDB.
    renamed("slave_parallel_threads", "replica_parallel_workers"),
    replaced(
        "max_statement_time",
        "max_execution_time",
        Value::Times(1000),
        "it counts milliseconds, and ends SELECT statements only",
    ),
    renamed("log_slow_query", "slow_query_log"),
    renamed("log_slow_query_time", "long_query_time"),
    renamed("log_slow_query_file", "slow_query_log_file"),
    renamed("log_slow_min_examined_row_limit", "min_examined_row_limit"),
    renamed("max_recursive_iterations", "cte_max_recursion_depth"),
    renamed("tmp_memory_table_size", "tmp_table_size"),
    replaced(
        "gtid_strict_mode gtid_domain_id",
        "gtid_mode",
        Value::Unknown,
        "MySQL has GTIDs of another kind: gtid_mode = ON with enforce_gtid_consistency = ON",
    ),
    dropped(
        "character_set_collations",
        "MySQL sets the default of utf8mb4 only, and not in the option file: SET PERSIST default_collation_for_utf8mb4",
    ),
    dropped("aria_*", "MySQL does not have the engine Aria"),
    dropped("wsrep_*", "MySQL does not have Galera; the options of Group Replication are others"),
    dropped("thread_pool_*", "only MySQL Enterprise has a thread pool"),
    // Of earlier versions.
    dropped("query_cache_*", "MySQL 8.0 and later have no query cache"),
    dropped(
        "innodb_file_format* innodb_large_prefix",
        "every table can have ROW_FORMAT=DYNAMIC, with keys of up to 3,072 bytes",
    ),
    dropped("innodb_support_xa", "it is always on"),
    dropped("sync_frm", "definitions of tables are in the data dictionary, not in .frm files"),
    dropped("secure_auth old_passwords", "the password hashes of MySQL 4.0 are refused everywhere"),
    dropped(
        "master_info_repository relay_log_info_repository master_info_file relay_log_info_file",
        "a replica always keeps its state in tables",
    ),
    dropped("slave_parallel_type replica_parallel_type", "it is always LOGICAL_CLOCK"),
    dropped(
        "binlog_transaction_dependency_tracking transaction_write_set_extraction",
        "dependencies are always found by write sets",
    ),
    dropped(
        "slave_rows_search_algorithms log_bin_use_v1_row_events internal_tmp_disk_storage_engine",
        "the value that was the default in MySQL 8.0 always applies",
    ),
    dropped("innodb_undo_tablespaces", "the server has two, and CREATE UNDO TABLESPACE adds more"),
    dropped("innodb_additional_mem_pool_size innodb_use_sys_malloc", "memory is the operating system's"),
    dropped(
        "mysql_native_password*",
        "the server does not have this plugin: accounts need another first, such as caching_sha2_password",
    ),
    dropped("log_syslog*", "the component component_log_sink_syseventlog writes the error log to syslog"),
    dropped(
        "date_format datetime_format time_format max_tmp_tables multi_range_count metadata_locks_cache_size \
         metadata_locks_hash_instances thread_concurrency timed_mutexes ignore_builtin_innodb",
        "it had no effect before either",
    ),
];

/// Options that MariaDB does not have, or no longer. MariaDB 11.8 starts with most options that
/// were dropped, and warns.
const MARIADB: [Removed; 17] = [
    replaced("binlog_expire_logs_seconds", "expire_logs_days", Value::DividedBy(86_400), "it counts days"),
    replaced("log_error_verbosity", "log_warnings", Value::Plus(-1, 0, 2), "0 logs errors, 1 and more also warnings"),
    replaced("innodb_redo_log_capacity", "innodb_log_file_size", Value::Same, "the redo log is one file"),
    renamed("replica_parallel_workers", "slave_parallel_threads"),
    renamed("log_replica_updates", "log_slave_updates"),
    renamed("skip_replica_start", "skip_slave_start"),
    renamed("source_verify_checksum", "master_verify_checksum"),
    Removed { names: "replica_*", place: Place::Prefix("replica_", "slave_"), note: "" },
    replaced(
        "max_execution_time",
        "max_statement_time",
        Value::DividedBy(1000),
        "it counts seconds, and ends every kind of statement",
    ),
    replaced(
        "super_read_only",
        "read_only",
        Value::Same,
        "accounts with the privilege READ ONLY ADMIN can still write",
    ),
    renamed("cte_max_recursion_depth", "max_recursive_iterations"),
    replaced(
        "innodb_checksums",
        "innodb_checksum_algorithm",
        Value::Unknown,
        "crc32 instead of ON, none instead of OFF",
    ),
    dropped("gtid_mode enforce_gtid_consistency", "MariaDB always writes GTIDs, of another kind"),
    dropped("mysqlx*", "MariaDB does not have the X Protocol"),
    dropped("authentication_policy default_authentication_plugin", "CREATE USER … IDENTIFIED VIA names the plugin"),
    dropped("innodb_support_xa", "it is always on"),
    dropped("old_alter_table", "ALTER TABLE … ALGORITHM=COPY asks for a copy"),
];

fn table(new: Flavour) -> &'static [Removed] {
    match new {
        Flavour::MySql => &MYSQL,
        Flavour::MariaDb => &MARIADB,
    }
}

/// Names the options that may be successors of an option on a new server of this product.
pub fn candidates(new: Flavour, option: &str) -> Vec<String> {
    matching(new, option).filter_map(|removed| successor(removed, option)).collect()
}

/// Names the variable that has the meaning and the values of a removed one.
pub fn new_variable(new: Flavour, variable: &str) -> Option<String> {
    let variable = variable.to_lowercase();
    let is_same = |removed: &&Removed| {
        removed.note.is_empty() && matches!(removed.place, Place::Option(_, Value::Same) | Place::Prefix(..))
    };
    matching(new, &variable).filter(is_same).find_map(|removed| successor(removed, &variable))
}

/// Explains the absence of a variable. `None` if nothing is known.
pub fn explain(new: Flavour, variable: &str) -> Option<&'static str> {
    let variable = variable.to_lowercase();
    matching(new, &variable).map(|removed| removed.note).find(|note| !note.is_empty())
}

/// Names the successor of an option, with its value made of the old one, in a sentence without a
/// full stop. `there` are settings of the new server; a successor that is not among them is not
/// named. `None` if nothing is known.
pub fn describe(new: Flavour, option: &str, value: &str, there: &BTreeMap<String, String>) -> Option<String> {
    matching(new, option).find_map(|removed| {
        let note =
            |before: &str| if removed.note.is_empty() { String::new() } else { format!("{before}{}", removed.note) };
        let Some(name) = successor(removed, option) else {
            return Some(format!("Nothing takes its place{}", note(": ")));
        };
        let own = match &removed.place {
            Place::Option(_, own) => convert(own, value),
            _ => convert(&Value::Same, value),
        };
        let line = own.map_or_else(|| name.clone(), |own| format!("{name} = {own}"));
        there.contains_key(&name).then(|| format!("In its place: {line}{}", note("; ")))
    })
}

fn matching(new: Flavour, option: &str) -> impl Iterator<Item = &'static Removed> {
    table(new).iter().filter(move |removed| {
        removed.names.split(' ').any(|name| match name.strip_suffix('*') {
            Some(start) => option.starts_with(start),
            None => name == option,
        })
    })
}

fn successor(removed: &Removed, option: &str) -> Option<String> {
    match removed.place {
        Place::Option(name, _) => Some(name.to_owned()),
        Place::Prefix(old, new) => Some(format!("{new}{}", option.strip_prefix(old)?)),
        Place::Nothing => None,
    }
}

/// Makes the successor's value. `None` if no rule is known, or the old value is empty or not the
/// number that the rule needs.
fn convert(value: &Value, old: &str) -> Option<String> {
    let number = || old.parse::<u64>().ok();
    match value {
        Value::Same => (!old.is_empty()).then(|| old.to_owned()),
        Value::Times(by) => Some(number()?.checked_mul(*by)?.to_string()),
        Value::DividedBy(by) => Some(number()?.div_ceil(*by).to_string()),
        Value::Plus(by, least, most) => {
            Some(old.parse::<i64>().ok()?.saturating_add(*by).clamp(*least, *most).to_string())
        }
        Value::Fixed(new) => Some((*new).to_owned()),
        Value::Unknown => None,
    }
}

/// Modes of `sql_mode` that MySQL 8.0.11 removed.
const REMOVED_MODES: [&str; 11] = [
    "NO_AUTO_CREATE_USER",
    "DB2",
    "MAXDB",
    "MSSQL",
    "MYSQL323",
    "MYSQL40",
    "ORACLE",
    "POSTGRESQL",
    "NO_FIELD_OPTIONS",
    "NO_KEY_OPTIONS",
    "NO_TABLE_OPTIONS",
];

/// Says which modes of a refused `sql_mode` can stay. `None` if MySQL removed none of the modes.
pub fn describe_modes(value: &str) -> Option<String> {
    let is_removed = |mode: &&str| REMOVED_MODES.iter().any(|one| one.eq_ignore_ascii_case(mode));
    let modes: Vec<&str> = value.split(',').map(str::trim).filter(|mode| !mode.is_empty()).collect();
    let removed: Vec<&str> = modes.iter().copied().filter(is_removed).collect();
    let kept: Vec<&str> = modes.iter().copied().filter(|mode| !is_removed(mode)).collect();
    (!removed.is_empty())
        .then(|| format!("In its place: sql_mode = {}; MySQL 8.0 has no {}", kept.join(","), removed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_have_converted_values() {
        let there: BTreeMap<String, String> = [
            "binlog_expire_logs_seconds",
            "log_error_verbosity",
            "host_cache_size",
            "slave_net_timeout",
            "max_statement_time",
        ]
        .map(|name| (name.to_owned(), String::new()))
        .into();
        for (new, option, value, said) in [
            (Flavour::MySql, "expire_logs_days", "3", "binlog_expire_logs_seconds = 259200; it counts seconds"),
            (Flavour::MySql, "log_warnings", "9", "log_error_verbosity = 3; "),
            (Flavour::MySql, "skip_host_cache", "", "host_cache_size = 0"),
            (Flavour::MariaDb, "replica_net_timeout", "60", "slave_net_timeout = 60"),
            (Flavour::MariaDb, "max_execution_time", "1500", "max_statement_time = 2; "),
        ] {
            let found = describe(new, option, value, &there).unwrap();
            assert!(found.starts_with(&format!("In its place: {said}")), "{option}: {found}");
        }
        let cache = describe(Flavour::MySql, "query_cache_size", "1M", &there).unwrap();
        assert!(cache.starts_with("Nothing takes its place: "), "{cache}");
        // The new server must have the successor.
        assert_eq!(describe(Flavour::MySql, "innodb_log_file_size", "1G", &there), None);
        assert_eq!(describe(Flavour::MySql, "max_connections", "1", &there), None);
    }

    #[test]
    fn modes_that_exist_stay() {
        let said = describe_modes("NO_AUTO_CREATE_USER, STRICT_TRANS_TABLES").unwrap();
        assert_eq!(said, "In its place: sql_mode = STRICT_TRANS_TABLES; MySQL 8.0 has no NO_AUTO_CREATE_USER");
        assert_eq!(describe_modes("ANSI,WRONG"), None);
    }
}
