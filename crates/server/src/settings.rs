//! The settings of a private instance: ours for benchmarks, then the user's, then what must hold.

use std::fs;
use std::path::Path;

use crate::Error;
use crate::account::Account;
use crate::flavour::{Flavour, Version};
use crate::options::Options;
use crate::program::Program;

const MIB: u64 = 1 << 20;

/// What decides where an instance lives and who reaches it; asking for another value is an error, not ignored.
const OWNED: [&str; 12] = [
    "datadir",
    "socket",
    "pid-file",
    "log-error",
    "tmpdir",
    "skip-networking",
    "basedir",
    "user",
    "bootstrap",
    "initialize",
    "initialize-insecure",
    "daemonize",
];

/// The command line of an instance in `folder`, without the program. Writes the option file that it begins with.
pub(crate) fn arguments(
    program: &Program,
    folder: &Path,
    options: &Options,
    account: Option<Account>,
) -> Result<Vec<String>, Error> {
    refuse_owned(&options.settings)?;
    let file = folder.join("my.cnf");
    let text = option_file(program, options)?;
    fs::write(&file, text).map_err(Error::io("write", &file))?;

    let mut arguments = vec![format!("--defaults-file={}", file.display())];
    arguments.extend(program.own_files());
    arguments.extend(options.settings.iter().map(|(name, value)| format!("--{name}={value}")));
    // The command line beats files, and its end beats its beginning.
    arguments.extend(must_hold(folder, account));
    Ok(arguments)
}

fn must_hold(folder: &Path, account: Option<Account>) -> Vec<String> {
    let path = |option: &str, name: &str| format!("--{option}={}", folder.join(name).display());
    let mut arguments = vec![
        path("datadir", "data"),
        path("tmpdir", "tmp"),
        path("socket", "mysqld.sock"),
        path("pid-file", "mysqld.pid"),
        path("log-error", "error.log"),
        "--skip-networking".into(),
    ];
    if account.is_none() && rustix::process::geteuid().is_root() {
        // As root the server refuses to run unless told that this is meant.
        arguments.push("--user=root".into());
    }
    arguments
}

fn refuse_owned(settings: &[(String, String)]) -> Result<(), Error> {
    let owned = settings.iter().find(|(name, _)| OWNED.contains(&name.replace('_', "-").to_lowercase().as_str()));
    owned.map_or(Ok(()), |(name, _)| Err(Error::OwnedSetting { name: name.clone() }))
}

fn option_file(program: &Program, options: &Options) -> Result<String, Error> {
    let mut text = String::from("[mysqld]\n");
    for (name, value) in benchmark_settings(program.flavour, program.version, options) {
        text.push_str(&format!("{name}={value}\n"));
    }
    if let Some(file) = &options.defaults_file {
        // The server passes over an included file that it cannot read; the user must learn of that.
        fs::File::open(file).map_err(Error::io("read option file", file))?;
        let file = std::path::absolute(file).map_err(Error::io("find", file))?;
        text.push_str(&format!("!include {}\n", file.display()));
    }
    Ok(text)
}

/// What a benchmark wants and defaults do not give: data in memory, commits that do not wait for the disk, no binary
/// log, room for every connection and packet. All else, the performance schema too, stays as the server ships it.
fn benchmark_settings(flavour: Flavour, version: Version, options: &Options) -> Vec<(&'static str, String)> {
    let buffer_pool = options.buffer_pool.unwrap_or_else(|| (memory() / 8).clamp(128 * MIB, 1024 * MIB));
    let mut settings = vec![
        ("innodb_buffer_pool_size", buffer_pool.to_string()),
        ("innodb_flush_log_at_trx_commit", "2".into()),
        ("max_connections", (options.threads + 50).max(151).to_string()),
        ("max_prepared_stmt_count", "1000000".into()),
        ("max_allowed_packet", (64 * MIB).to_string()),
        ("skip_name_resolve", "ON".into()),
    ];
    if options.direct_io {
        // MariaDB since 11.0 has other names for it, and it is the default there.
        settings.push(("innodb_flush_method", "O_DIRECT".into()));
        // By the default chunk a buffer pool has a multiple of 128 MiB. Not every version has these two.
        settings.push(("loose_innodb_buffer_pool_chunk_size", MIB.to_string()));
        settings.push(("loose_innodb_buffer_pool_instances", "1".into()));
    }
    let mysql = flavour == Flavour::MySql;
    if mysql && version >= Version::new(8, 0, 30) {
        settings.push(("innodb_redo_log_capacity", (256 * MIB).to_string()));
    } else {
        settings.push(("innodb_log_file_size", (128 * MIB).to_string()));
    }
    if mysql {
        // The folder that Debian compiles in is not there, and the server would not start without it.
        settings.push(("secure_file_priv", String::new()));
    }
    if mysql && version >= Version::new(8, 0, 0) {
        settings.push(("disable_log_bin", "ON".into()));
        settings.push(("mysqlx", "OFF".into()));
    }
    settings
}

/// Memory of this machine, or what the control group grants of it.
fn memory() -> u64 {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    let total = total.and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok()).map_or(2048 * MIB, |kib| kib << 10);
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    limit.map_or(total, |limit: u64| limit.min(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_are_ours_are_refused_in_any_spelling() {
        for name in ["datadir", "pid_file", "Skip-Networking"] {
            let error = refuse_owned(&[("x".into(), "1".into()), (name.into(), "1".into())]).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        refuse_owned(&[("innodb_buffer_pool_size".into(), "1G".into())]).unwrap();
    }

    #[test]
    fn settings_fit_the_version() {
        let names = |flavour, version| -> Vec<&str> {
            benchmark_settings(flavour, version, &Options::default()).into_iter().map(|(name, _)| name).collect()
        };
        let old = names(Flavour::MySql, Version::new(5, 6, 24));
        assert!(old.contains(&"innodb_log_file_size") && !old.contains(&"mysqlx"));
        let new = names(Flavour::MySql, Version::new(9, 7, 4));
        assert!(new.contains(&"innodb_redo_log_capacity") && new.contains(&"disable_log_bin"));
        let maria = names(Flavour::MariaDb, Version::new(11, 8, 6));
        assert!(!maria.contains(&"secure_file_priv") && !maria.contains(&"mysqlx"));
    }

    #[test]
    fn there_is_room_for_every_thread() {
        let options = Options { threads: 1000, ..Options::default() };
        let settings = benchmark_settings(Flavour::MariaDb, Version::new(10, 11, 0), &options);
        assert!(settings.contains(&("max_connections", "1050".into())));
    }
}
