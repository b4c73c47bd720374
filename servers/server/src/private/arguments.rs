//! Command line and option file of a private instance.
//!
//! Later settings override earlier ones: weigh's settings for benchmarks, the user's option file,
//! the user's `--set`, and the locations that weigh chooses.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fetch::{Flavour, Program, Version};
use lifecycle::Account;

use super::option_file;
use super::resources::total_memory;
use crate::{Error, Options, Setting};

const MIB: u64 = 1 << 20;

/// Assumed memory of a machine that does not report it.
const DEFAULT_MEMORY: u64 = 2048 * MIB;

/// Socket of the server in an instance's folder. Once the server listens, `weigh` moves it to a
/// folder that the server's account cannot change.
pub(super) const RUNTIME_SOCKET: &str = "run/mysqld.sock";

/// Variables that `--set` may not change: locations, access, and how the server starts.
const RESERVED_SETTINGS: [&str; 12] = [
    "datadir",
    "socket",
    "pid_file",
    "log_error",
    "tmpdir",
    "networking",
    "basedir",
    "user",
    "bootstrap",
    "initialize",
    "initialize_insecure",
    "daemonize",
];

/// Returns the arguments of an instance in `folder`. Writes the option file that the first argument
/// names.
pub(super) fn prepare_arguments(
    program: &Program,
    folder: &Path,
    options: &Options,
    account: Option<&Account>,
) -> Result<Vec<String>, Error> {
    reject_reserved_settings(&options.settings)?;
    let file = folder.join("my.cnf");
    let text = format_option_file(program, folder, options)?;
    let write = |mut created: fs::File| {
        created.write_all(text.as_bytes())?;
        // The folder keeps other users out.
        created.set_permissions(fs::Permissions::from_mode(0o644))
    };
    files::create_new(&file).and_then(write).map_err(Error::io("write", &file))?;

    let mut arguments = vec![format!("--defaults-file={}", file.display())];
    arguments.extend(program.location_options());
    arguments.extend(options.settings.iter().map(|setting| format!("--{setting}")));
    // The last of several equal options applies.
    arguments.extend(location_options(folder, account));
    Ok(arguments)
}

fn location_options(folder: &Path, account: Option<&Account>) -> Vec<String> {
    let path = |option: &str, name: &str| format!("--{option}={}", folder.join(name).display());
    let mut arguments = vec![
        path("datadir", "data"),
        path("tmpdir", "tmp"),
        // Without `log-error`, the server writes its log to stderr.
        path("socket", RUNTIME_SOCKET),
        path("pid-file", "run/mysqld.pid"),
        "--skip-networking".into(),
    ];
    if account.is_none() && rustix::process::geteuid().is_root() {
        // Without this option, the server refuses to run as root.
        arguments.push("--user=root".into());
    }
    arguments
}

fn reject_reserved_settings(settings: &[Setting]) -> Result<(), Error> {
    let reserved = settings.iter().find(|setting| RESERVED_SETTINGS.contains(&setting.name.variable().as_str()));
    reserved.map_or(Ok(()), |setting| Err(Error::OwnedSetting { name: setting.name.to_string() }))
}

fn format_option_file(program: &Program, folder: &Path, options: &Options) -> Result<String, Error> {
    let mut text = String::from("[mysqld]\n");
    for (name, value) in benchmark_settings(program.flavour, program.version, options) {
        text.push_str(&format!("{name}={value}\n"));
    }
    // Files that statements read and write. Debian's default folder does not exist, and the server
    // would not start.
    text.push_str(&format!("secure_file_priv={}\n", folder.join("tmp").display()));
    text.push_str(&option_file::read(options, folder)?);
    Ok(text)
}

/// Returns the option of a line of an option file, as the server's variable is named:
/// `sql_mode` of `loose-sql-mode = ANSI`. `None` for a comment, a group or an empty line.
pub fn option_name(line: &str) -> Option<String> {
    let name = line.split('=').next().unwrap_or_default().trim().trim_start_matches("--");
    if name.is_empty() || name.starts_with(['#', ';', '[', '!']) {
        return None;
    }
    let name = name.replace('-', "_").to_lowercase();
    Some(name.strip_prefix("loose_").unwrap_or(&name).to_owned())
}

/// Returns settings for benchmarks: data in memory, commits that do not wait for the disk, a larger
/// redo log, no binary log, high limits of connections and packets. Most other variables keep the
/// server's defaults.
fn benchmark_settings(flavour: Flavour, version: Version, options: &Options) -> Vec<(&'static str, String)> {
    let buffer_pool = options
        .buffer_pool
        .unwrap_or_else(|| (total_memory().unwrap_or(DEFAULT_MEMORY) / 8).clamp(128 * MIB, 1024 * MIB));
    let mut settings = vec![
        ("innodb_buffer_pool_size", buffer_pool.to_string()),
        ("innodb_flush_log_at_trx_commit", "2".into()),
        ("max_connections", (options.threads + 50).max(151).to_string()),
        ("max_prepared_stmt_count", "1000000".into()),
        ("max_allowed_packet", (64 * MIB).to_string()),
        ("skip_name_resolve", "ON".into()),
    ];
    if options.direct_io {
        // Deprecated in MariaDB 11.0 and later, where O_DIRECT is the default.
        settings.push(("innodb_flush_method", "O_DIRECT".into()));
        // With the default chunk size, a buffer pool is a multiple of 128 MiB. Some versions lack
        // these variables.
        settings.push(("loose_innodb_buffer_pool_chunk_size", MIB.to_string()));
        settings.push(("loose_innodb_buffer_pool_instances", "1".into()));
    }
    let mysql = flavour == Flavour::MySql;
    if mysql && version >= Version::new(8, 0, 30) {
        settings.push(("innodb_redo_log_capacity", (256 * MIB).to_string()));
    } else {
        settings.push(("innodb_log_file_size", (128 * MIB).to_string()));
    }
    if mysql && version >= Version::new(8, 0, 0) {
        settings.push(("disable_log_bin", "ON".into()));
        settings.push(("mysqlx", "OFF".into()));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_owned_settings_in_any_spelling() {
        for name in ["datadir", "pid-file", "Skip-Networking", "loose_datadir"] {
            let error = reject_reserved_settings(&[Setting::known("x", "1"), Setting::known(name, "1")]).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        reject_reserved_settings(&[Setting::known("innodb_buffer_pool_size", "1G")]).unwrap();
    }

    #[test]
    fn settings_depend_on_the_version() {
        let names = |flavour, version| -> Vec<&str> {
            benchmark_settings(flavour, version, &Options::default()).into_iter().map(|(name, _)| name).collect()
        };
        let old = names(Flavour::MySql, Version::new(5, 6, 24));
        assert!(old.contains(&"innodb_log_file_size") && !old.contains(&"mysqlx"));
        let new = names(Flavour::MySql, Version::new(9, 7, 4));
        assert!(new.contains(&"innodb_redo_log_capacity") && new.contains(&"disable_log_bin"));
        let maria = names(Flavour::MariaDb, Version::new(11, 8, 6));
        assert!(!maria.contains(&"mysqlx"));
    }

    #[test]
    fn max_connections_exceeds_threads() {
        let options = Options { threads: 1000, ..Options::default() };
        let settings = benchmark_settings(Flavour::MariaDb, Version::new(10, 11, 0), &options);
        assert!(settings.contains(&("max_connections", "1050".into())));
    }
}
