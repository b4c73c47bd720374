//! The user's option file for private instances. Its paths are those of another server, often one
//! in production, whose files a private instance must not touch.

use std::io;
use std::path::{Path, PathBuf};

use super::arguments::option_name;
use crate::attach::{OptionLine, parse_option_line};
use crate::{Error, Options};

/// Maximum size of a user's option file. A larger one is an error.
const MAX_BYTES: u64 = 1 << 20;

/// Groups that servers read; also with a version, as `mysqld-8.0`.
const GROUPS: [&str; 6] = ["mysqld", "server", "mariadb", "mariadbd", "client-server", "galera"];

/// Options that are left out: the instance or the program has its own.
const OWN: [&str; 9] = [
    "datadir",
    "socket",
    "pid_file",
    "log_error",
    "basedir",
    "plugin_dir",
    "lc_messages_dir",
    "character_sets_dir",
    "chroot",
];

/// Options that get the instance's folder for temporary files.
const TEMPORARY_FOLDERS: [&str; 8] = [
    "tmpdir",
    "slave_load_tmpdir",
    "replica_load_tmpdir",
    "innodb_tmpdir",
    "innodb_temp_tablespaces_dir",
    "innodb_directories",
    "secure_file_priv",
    "wsrep_data_home_dir",
];

/// Options that get the instance's data folder.
const DATA_FOLDERS: [&str; 5] = [
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_undo_directory",
    "innodb_doublewrite_dir",
    "aria_log_dir_path",
];

/// Options that keep the last part of the path: servers write such files to the data folder.
const WRITTEN_FILES: [&str; 18] = [
    "innodb_data_file_path",
    "innodb_temp_data_file_path",
    "general_log_file",
    "slow_query_log_file",
    "log_slow_query_file",
    "log_slow_queries",
    "log",
    "log_bin",
    "log_bin_index",
    "log_basename",
    "log_tc",
    "relay_log",
    "relay_log_index",
    "relay_log_info_file",
    "master_info_file",
    "keyring_file_data",
    "audit_log_file",
    "server_audit_file_path",
];

/// Options that name folders which servers only read.
const READ_FOLDERS: [&str; 4] = ["ssl_capath", "ssl_crlpath", "admin_ssl_capath", "admin_ssl_crlpath"];

/// Returns the server's groups of the option file for the instance in `folder`, without
/// [`left_out`](Options::left_out), and with the instance's paths for what a server writes. Empty
/// without an option file.
pub(super) fn read(options: &Options, folder: &Path) -> Result<String, Error> {
    let Some(file) = &options.defaults_file else { return Ok(String::new()) };
    // Copied, not included: the server ignores an included file that its account cannot read.
    let bytes = files::read_small(file, MAX_BYTES).map_err(Error::io("read option file", file))?;
    let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
    let text = text.map_err(Error::io("read option file", file))?;
    let lines = server_lines(&text).into_iter().filter_map(|line| keep_within(line, &options.left_out, folder));
    Ok(lines.flat_map(|line| [line, "\n".into()]).collect())
}

/// Returns the files that the server only reads, by absolute paths in its groups of the option
/// file. Of folders, only those with certificates.
pub(super) fn readable(options: &Options) -> Vec<PathBuf> {
    let bytes = options.defaults_file.as_ref().and_then(|file| files::read_small(file, MAX_BYTES).ok());
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    let named = |line: &str| {
        let (name, path) = absolute_path(line)?;
        let is_written = [&OWN[..], &TEMPORARY_FOLDERS, &DATA_FOLDERS, &WRITTEN_FILES].concat().contains(&&*name);
        let is_read = path.is_file() || READ_FOLDERS.contains(&&*name);
        (is_read && !is_written && path != Path::new("/")).then_some(path)
    };
    server_lines(&text).into_iter().filter_map(named).collect()
}

/// Returns the lines that a server reads: those of its groups, and those before any group.
fn server_lines(text: &str) -> Vec<&str> {
    let mut applies = true;
    let is_read = |line: &&str| {
        if let Ok(OptionLine::Group(name)) = parse_option_line(line) {
            applies = is_server_group(&name);
        }
        applies
    };
    text.lines().filter(is_read).collect()
}

fn is_server_group(name: &str) -> bool {
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    GROUPS.contains(&name)
        || name.rsplit_once('-').is_some_and(|(name, rest)| GROUPS.contains(&name) && is_version(rest))
}

/// Returns a line with a path of the instance in place of its own. `None` for an option that is
/// left out.
fn keep_within(line: &str, left_out: &[String], folder: &Path) -> Option<String> {
    let Some(name) = option_name(line) else { return Some(line.to_owned()) };
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    if left_out.contains(&name) || is_in(&OWN) {
        return None;
    }
    let written = line.split('=').next().unwrap_or_default().trim();
    let with = |value: &Path| Some(format!("{written} = {}", value.display()));
    match absolute_path(line) {
        Some(_) if is_in(&TEMPORARY_FOLDERS) => with(&folder.join("tmp")),
        Some(_) if is_in(&DATA_FOLDERS) => with(&folder.join("data")),
        Some((_, path)) if is_in(&WRITTEN_FILES) => with(Path::new(path.file_name()?)),
        _ => Some(line.to_owned()),
    }
}

/// Returns the option of a line, as [`option_name`] does, and its value, if that is an absolute
/// path.
fn absolute_path(line: &str) -> Option<(String, PathBuf)> {
    let Ok(OptionLine::Option { value: Some(value), .. }) = parse_option_line(line) else { return None };
    Some((option_name(line)?, PathBuf::from(value))).filter(|(_, path)| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Reads `text`, in which `HOME` is a folder with the file `ca.pem`, for an instance in `/i`.
    fn read_text(text: &str, left_out: &[&str]) -> (String, Vec<PathBuf>, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let home = place.path();
        fs::create_dir(home.join("certificates")).unwrap();
        fs::write(home.join("ca.pem"), "").unwrap();
        fs::write(home.join("my.cnf"), text.replace("HOME", home.to_str().unwrap())).unwrap();
        let left_out = left_out.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { defaults_file: Some(home.join("my.cnf")), left_out, ..Options::default() };
        (read(&options, Path::new("/i")).unwrap(), readable(&options), home.to_owned())
    }

    #[test]
    fn leaves_options_out_in_any_spelling() {
        let text =
            "[mysqld]\n# query-cache-size=0\nquery-cache-size=1\nsql_mode = ANSI\nloose_Query_Cache_Size=2\nskip-x";
        assert_eq!(
            read_text(text, &["query_cache_size", "skip_x"]).0,
            "[mysqld]\n# query-cache-size=0\nsql_mode = ANSI\n"
        );
        assert_eq!(read_text(text, &[]).0, format!("{text}\n"));
    }

    #[test]
    fn only_groups_of_servers_are_read() {
        let text = "a=1\n[client]\nb=HOME/ca.pem\n[mysqld-8.0]\nc=1\n[mysqld_safe]\nd=1\n[mysqld-auto]\ne=1\n[mariadb-10.11]\nf=1";
        let (text, readable, _) = read_text(text, &[]);
        assert_eq!(text, "a=1\n[mysqld-8.0]\nc=1\n[mariadb-10.11]\nf=1\n");
        assert!(readable.is_empty(), "{readable:?}");
    }

    #[test]
    fn what_a_server_writes_is_in_the_instances_folder() {
        let text = "[mysqld]\nDatadir = '/var/lib/mysql'\nloose-plugin-dir=/p\ninnodb-log-group-home-dir=\"/x\" # x\n\
                    tmpdir=/t\ngeneral_log_file=/var/log/g.log\nlog-bin = /v/bin\ninnodb_data_file_path=/a/ibdata1:12M:autoextend\nslow_query_log_file=s.log\nlog_bin_index";
        let expected = "[mysqld]\ninnodb-log-group-home-dir = /i/data\ntmpdir = /i/tmp\ngeneral_log_file = g.log\n\
                        log-bin = bin\ninnodb_data_file_path = ibdata1:12M:autoextend\nslow_query_log_file=s.log\nlog_bin_index\n";
        assert_eq!(read_text(text, &[]).0, expected);
    }

    #[test]
    fn named_files_are_readable_as_themselves() {
        let text = "[mysqld]\ndatadir=HOME\nssl_ca=HOME/ca.pem\nssl-capath = HOME/certificates\ninit_file=HOME/missing\n\
                    some_dir=HOME\ngeneral_log_file=HOME/ca.pem\nplugin_dir=HOME\n";
        let (text, readable, home) = read_text(text, &[]);
        assert_eq!(readable, [home.join("ca.pem"), home.join("certificates")]);
        assert!(text.contains("/ca.pem\n") && text.contains("general_log_file = ca.pem\n"), "{text}");
        assert!(!text.contains("datadir") && !text.contains("plugin_dir"), "{text}");
    }
}
