//! Option files with options that real servers no longer have: each is a finding, and its successor
//! exists on the new server, which starts with it.

use std::fs;
use std::path::Path;

use mysql::prelude::Queryable;
use server::{Error, NoProgress, Options, Setting, Spec, open};
use tempfile::TempDir;
use upgrade::{Area, Finding, open_target, refused_lines};

fn options(file: &Path) -> Options {
    let defaults_file = Some(file.to_owned());
    Options { buffer_pool: Some(64 << 20), threads: 4, defaults_file, ..Options::default() }
}

fn write_file(folder: &TempDir, name: &str, lines: &[&str]) -> std::path::PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, format!("[mysqld]\n{}\n", lines.join("\n"))).unwrap();
    path
}

/// Sentences on what takes the place of an option.
fn said(finding: &Finding) -> String {
    assert_eq!(finding.area, Area::Option);
    finding.mends.iter().flat_map(|mend| &mend.effects).cloned().collect::<Vec<_>>().join(" ")
}

/// Each old line of the option file, and how the sentence on what takes its place begins.
fn test_server(name: &str, expected: &[(&str, &str)]) {
    let spec: Spec = name.parse().unwrap();
    let folder = TempDir::new().unwrap();
    let old: Vec<&str> = expected.iter().map(|(old, _)| *old).collect();
    let path = write_file(&folder, "old.cnf", &old);
    let (server, findings) = open_target(&spec, &options(&path), &NoProgress).unwrap();
    server.stop().unwrap();
    let findings = findings.unwrap();
    let mut wrong = Vec::new();
    for (at, (line, begins)) in expected.iter().enumerate() {
        let place = format!("{}:{}", path.display(), at + 2);
        match findings.iter().find(|finding| finding.place == place) {
            Some(finding) if said(finding).starts_with(begins) && said(finding).is_empty() == begins.is_empty() => {}
            Some(finding) => wrong.push(format!("{line}: {}", said(finding))),
            None => wrong.push(format!("{line}: the server starts with it")),
        }
    }
    assert!(wrong.is_empty() && findings.len() == expected.len(), "{name}: {wrong:#?}");

    // A successor without a value, such as `tls_version;`, is only a name. It is not written to
    // new.cnf.
    let new: Vec<&str> = expected.iter().filter_map(|(_, begins)| begins.strip_prefix(PLACE)).collect();
    let new: Vec<&str> = new.into_iter().filter(|line| line.contains('=')).collect();
    let path = write_file(&folder, "new.cnf", &new);
    let server = open(&spec, &options(&path), &NoProgress).unwrap_or_else(|error| panic!("{name}: {new:?}: {error}"));
    server.stop().unwrap();
}

const PLACE: &str = "In its place: ";

#[test]
fn successors_on_mysql_9() {
    test_server(
        "mysql@sid",
        &[
            ("expire_logs_days = 3", "In its place: binlog_expire_logs_seconds = 259200"),
            ("log_warnings = 2", "In its place: log_error_verbosity = 3"),
            ("skip-host-cache", "In its place: host_cache_size = 0"),
            ("innodb_undo_logs = 64", "In its place: innodb_rollback_segments = 64"),
            ("innodb_stats_sample_pages = 8", "In its place: innodb_stats_transient_sample_pages = 8"),
            ("simplified_binlog_gtid_recovery = 1", "In its place: binlog_gtid_simple_recovery = 1"),
            ("storage_engine = InnoDB", "In its place: default_storage_engine = InnoDB"),
            ("tx_isolation = READ-COMMITTED", "In its place: transaction_isolation = READ-COMMITTED"),
            ("default_authentication_plugin = caching_sha2_password", "In its place: authentication_policy;"),
            ("innodb_log_file_size = 48M", "In its place: innodb_redo_log_capacity;"),
            ("innodb_checksums = 1", "In its place: innodb_checksum_algorithm;"),
            ("innodb_locks_unsafe_for_binlog = 0", "In its place: transaction_isolation;"),
            ("ssl = 1", "In its place: tls_version;"),
            ("query_cache_size = 1M", "Nothing takes its place: MySQL 8.0 and later have no query cache."),
            ("sync_frm = 1", "Nothing takes its place: "),
            ("innodb_large_prefix = 1", "Nothing takes its place: "),
            ("master_info_repository = TABLE", "Nothing takes its place: "),
            ("mysql_native_password = ON", "Nothing takes its place: "),
            ("innodb_undo_tablespaces = 2", "Nothing takes its place: "),
            ("slave_parallel_type = LOGICAL_CLOCK", "Nothing takes its place: "),
            ("sql_mode = NO_AUTO_CREATE_USER,STRICT_TRANS_TABLES", "In its place: sql_mode = STRICT_TRANS_TABLES"),
            ("an_option_of_nobody = 1", ""),
        ],
    );
}

#[test]
fn successors_of_mariadb_options_on_mysql_9() {
    test_server(
        "mysql@sid",
        &[
            ("slave_parallel_threads = 4", "In its place: replica_parallel_workers = 4"),
            ("max_statement_time = 5", "In its place: max_execution_time = 5000"),
            ("log_slow_query = ON", "In its place: slow_query_log = ON"),
            ("log_slow_query_time = 2", "In its place: long_query_time = 2"),
            ("max_recursive_iterations = 50", "In its place: cte_max_recursion_depth = 50"),
            ("tmp_memory_table_size = 16M", "In its place: tmp_table_size = 16M"),
            ("gtid_strict_mode = 1", "In its place: gtid_mode;"),
            ("character_set_collations = utf8mb4=utf8mb4_general_ci", "Nothing takes its place: "),
            ("aria_group_commit = none", "Nothing takes its place: "),
            ("thread_pool_size = 4", "Nothing takes its place: "),
        ],
    );
}

/// MySQL 8.0.12 still has the options that 8.2 and later removed, and lacks the successors of some.
#[test]
fn successors_on_mysql_8_0() {
    test_server(
        "mysql@8.0",
        &[
            ("log_warnings = 0", "In its place: log_error_verbosity = 1"),
            ("innodb_undo_logs = 64", "In its place: innodb_rollback_segments = 64"),
            ("query_cache_type = 1", "Nothing takes its place: "),
            ("innodb_file_format = Barracuda", "Nothing takes its place: "),
            ("slave_parallel_threads = 4", ""),
        ],
    );
}

#[test]
fn successors_on_mariadb_11_8() {
    test_server(
        "mariadb@trixie",
        &[
            ("log_error_verbosity = 3", "In its place: log_warnings = 2"),
            ("innodb_redo_log_capacity = 64M", "In its place: innodb_log_file_size = 64M"),
            ("replica_parallel_workers = 2", "In its place: slave_parallel_threads = 2"),
            ("replica_net_timeout = 30", "In its place: slave_net_timeout = 30"),
            ("log_replica_updates = 1", "In its place: log_slave_updates = 1"),
            ("source_verify_checksum = 1", "In its place: master_verify_checksum = 1"),
            ("max_execution_time = 1500", "In its place: max_statement_time = 2"),
            ("super_read_only = OFF", "In its place: read_only = OFF"),
            ("cte_max_recursion_depth = 10", "In its place: max_recursive_iterations = 10"),
            ("innodb_checksums = 1", "In its place: innodb_checksum_algorithm;"),
            ("gtid_mode = ON", "Nothing takes its place: "),
            ("mysqlx = 0", "Nothing takes its place: "),
            ("authentication_policy = *,,", "Nothing takes its place: "),
            ("old_alter_table = 0", "Nothing takes its place: "),
        ],
    );
}

/// MySQL 9 takes `default_collation_for_utf8mb4` by a statement only.
#[test]
fn settings_that_are_no_options_are_made_after_the_start() {
    let spec: Spec = "mysql@sid".parse().unwrap();
    let set = |text: &str| {
        let settings = vec![text.parse::<Setting>().unwrap()];
        let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
        open_target(&spec, &options, &NoProgress)
    };
    let (server, findings) = set("default_collation_for_utf8mb4=utf8mb4_general_ci").unwrap();
    let asked = "SELECT @@GLOBAL.default_collation_for_utf8mb4";
    let collation: Option<String> = server.connect().unwrap().query_first(asked).unwrap();
    server.stop().unwrap();
    assert_eq!((collation.as_deref(), findings.is_none()), (Some("utf8mb4_general_ci"), true));
    for (wrong, says) in [
        ("default_collation_for_utf8mb4=utf8mb4_bin", "it refuses SET GLOBAL default_collation_for_utf8mb4"),
        ("no_such_thing=1", "unknown variable"),
    ] {
        let Err(Error::Start { reason, .. }) = set(wrong) else { panic!("{wrong}") };
        assert!(reason.contains(says), "{reason}");
    }
}

#[test]
fn the_lines_of_all_refused_options_are_named() {
    let folder = TempDir::new().unwrap();
    let lines = ["max_connections = 50", "tx_isolation = READ-COMMITTED", "old_passwords = 0", "skip-host-cache"];
    let path = write_file(&folder, "old.cnf", &lines);
    let (spec, options) = ("mysql@sid".parse().unwrap(), options(&path));
    let Err(error) = open(&spec, &options, &NoProgress) else { panic!() };
    let mut named = refused_lines(&spec, &options, error, &NoProgress);
    named.sort();
    let expected = ["3: tx_isolation = READ-COMMITTED", "4: old_passwords=***", "5: skip-host-cache"];
    assert_eq!(named, expected.map(|line| format!("{}:{line}", path.display())));
}
