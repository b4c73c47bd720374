//! The user's option file for private instances. Paths in the file belong to another server, often
//! one in production, whose files a private instance must not touch.

mod lines;

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fetch::Progress;

pub use self::lines::{ServerLine, read_server_lines};
use super::arguments::option_name;
use crate::attach::{OptionLine, parse_option_line};
use crate::{Error, Options};

/// Options that are left out: the instance or the program has its own.
const OWN: [&str; 10] = [
    "datadir",
    "socket",
    "pid_file",
    "log_error",
    "basedir",
    "plugin_dir",
    "lc_messages_dir",
    "language",
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

/// Data folders of other engines, which `--set` may place.
const ENGINE_FOLDERS: [&str; 5] =
    ["rocksdb_datadir", "rocksdb_wal_dir", "tokudb_data_dir", "tokudb_log_dir", "tokudb_tmp_dir"];

/// Options that keep the last part of the path: servers write such files to the data folder.
const WRITTEN_FILES: [&str; 19] = [
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
    "log_isam",
    "log_tc",
    "relay_log",
    "relay_log_index",
    "relay_log_info_file",
    "master_info_file",
    "keyring_file_data",
    "audit_log_file",
    "server_audit_file_path",
];

/// Options that name files which servers only read, besides those of TLS.
const READ_FILES: [&str; 8] = [
    "init_file",
    "ft_stopword_file",
    "file_key_management_filename",
    "file_key_management_filekey",
    "sha256_password_private_key_path",
    "sha256_password_public_key_path",
    "caching_sha2_password_private_key_path",
    "caching_sha2_password_public_key_path",
];

/// Ends of options that name files or folders of TLS: `ssl_ca`, `admin_ssl_capath`.
const TLS_FILES: [&str; 6] = ["ssl_ca", "ssl_capath", "ssl_cert", "ssl_key", "ssl_crl", "ssl_crlpath"];

/// Options whose values are statements.
const STATEMENTS: [&str; 3] = ["init_connect", "init_slave", "init_replica"];

/// Treatment of a line of the user's option file.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Kept(String),
    /// The option is left out: the instance has its own, or it is one of [`Options::left_out`].
    LeftOut,
    /// The option of this name is left out: its value leads out of the instance's folder.
    Outside(String),
}

/// Returns the server's groups of the option file for the instance in `folder`, without
/// [`left_out`](Options::left_out), and with the instance's paths for what a server writes. Other
/// paths that lead out of the folder are left out, unless servers only read them. Empty without an
/// option file.
pub(super) fn read(options: &Options, folder: &Path) -> Result<String, Error> {
    let kept = fates(options, folder)?.into_iter().filter_map(|fate| match fate {
        Fate::Kept(line) => Some(line + "\n"),
        Fate::LeftOut | Fate::Outside(_) => None,
    });
    Ok(kept.collect())
}

/// Notes once per process which options of the option file are left out because of their paths.
pub(super) fn note_left_out(options: &Options, progress: &dyn Progress) -> Result<(), Error> {
    static NOTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let outside = fates(options, Path::new(""))?.into_iter().filter_map(|fate| match fate {
        Fate::Outside(name) => Some(name),
        Fate::Kept(_) | Fate::LeftOut => None,
    });
    let names: Vec<String> = outside.collect();
    let Some(file) = options.defaults_file.as_ref().filter(|_| !names.is_empty()) else { return Ok(()) };
    let note = format!(
        "{}: left out {}, whose paths lead out of a private server's folder; --set gives a server other paths",
        file.display(),
        names.join(", ")
    );
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !noted.contains(&note) {
        progress.note(&note);
        noted.push(note);
    }
    Ok(())
}

/// Returns the files that the server only reads, by absolute paths in its groups of the option
/// file. Of folders, only those with certificates.
pub(super) fn readable(options: &Options) -> Vec<PathBuf> {
    let named = |line: ServerLine| {
        let (name, value) = option(&line.text)?;
        let path = read_path(&name, &value)?.to_owned();
        let is_folder = name.ends_with("ssl_capath") || name.ends_with("ssl_crlpath");
        (path.is_file() || is_folder && path != Path::new("/")).then_some(path)
    };
    options.defaults_file.iter().flat_map(|file| read_server_lines(file)).flatten().filter_map(named).collect()
}

/// Returns `true` for an option, named as the server's variable, that names files or folders which
/// servers write to.
pub(super) fn is_written(name: &str) -> bool {
    [&TEMPORARY_FOLDERS[..], &DATA_FOLDERS, &WRITTEN_FILES, &ENGINE_FOLDERS].iter().any(|names| names.contains(&name))
        || name.ends_with("_log_file")
}

fn fates(options: &Options, folder: &Path) -> Result<Vec<Fate>, Error> {
    let Some(file) = &options.defaults_file else { return Ok(Vec::new()) };
    // Copied, not included: the server ignores an included file that its account cannot read.
    let lines = read_server_lines(file).map_err(Error::io("read option file", file))?;
    Ok(lines.iter().map(|line| decide(&line.text, &options.left_out, folder)).collect())
}

/// Decides on a line for an instance in `folder`.
fn decide(line: &str, left_out: &[String], folder: &Path) -> Fate {
    let kept = || Fate::Kept(line.to_owned());
    let Some(name) = option_name(line) else { return kept() };
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    if left_out.contains(&name) || is_in(&OWN) {
        return Fate::LeftOut;
    }
    let Some((_, value)) = option(line) else { return kept() };
    if is_in(&STATEMENTS) || !leads_out(&value) || read_path(&name, &value).is_some() {
        return kept();
    }
    let written = line.split('=').next().unwrap_or_default().trim();
    let with = |value: &str| Fate::Kept(format!("{written} = {value}"));
    if is_in(&TEMPORARY_FOLDERS) {
        with(&folder.join("tmp").to_string_lossy())
    } else if is_in(&DATA_FOLDERS) {
        with(&folder.join("data").to_string_lossy())
    } else if is_in(&WRITTEN_FILES) {
        with(&file_names(&value))
    } else {
        Fate::Outside(name)
    }
}

/// Returns the option of a line, as [`option_name`] does, and its value. `None` for an option
/// without a value.
fn option(line: &str) -> Option<(String, String)> {
    let Ok(OptionLine::Option { value: Some(value), .. }) = parse_option_line(line) else { return None };
    Some((option_name(line)?, value))
}

/// Returns the absolute path in the value of an option that names a file or folder which servers
/// only read.
fn read_path<'v>(name: &str, value: &'v str) -> Option<&'v Path> {
    let is_read = READ_FILES.contains(&name) || TLS_FILES.iter().any(|end| name.ends_with(end));
    // MariaDB reads a key from the file of `FILE:/etc/key`.
    let path = Path::new(value.strip_prefix("FILE:").unwrap_or(value));
    (is_read && path.is_absolute()).then_some(path)
}

/// Returns `true` for a value with an absolute path, or with one through `..`. Values can be lists
/// of paths, such as `/a/ibdata1:12M;/b/ibdata2:12M`.
fn leads_out(value: &str) -> bool {
    value
        .split([':', ';', ',', '='])
        .map(|part| Path::new(part.trim()))
        .any(|path| path.is_absolute() || path.components().any(|component| component == Component::ParentDir))
}

/// Returns the last parts of the paths of a list: `ibdata1:12M;ibdata2:12M` of
/// `/a/ibdata1:12M;/b/ibdata2:12M`.
fn file_names(value: &str) -> String {
    let names = value.split(';').filter_map(|path| Path::new(path).file_name());
    names.map(|name| name.to_string_lossy()).collect::<Vec<_>>().join(";")
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
    fn what_a_server_writes_is_in_the_instances_folder() {
        let text = "[mysqld]\nDatadir = '/var/lib/mysql'\nloose-plugin-dir=/p\ninnodb-log-group-home-dir=\"/x\" # x\n\
                    tmpdir=/t:/u\ngeneral_log_file=/var/log/g.log\nlog-bin = ../bin\n\
                    innodb_data_file_path=/a/ibdata1:12M;/b/ibdata2:12M:autoextend\nslow_query_log_file=s.log\nlog_bin_index";
        let expected = "[mysqld]\ninnodb-log-group-home-dir = /i/data\ntmpdir = /i/tmp\ngeneral_log_file = g.log\n\
                        log-bin = bin\ninnodb_data_file_path = ibdata1:12M;ibdata2:12M:autoextend\n\
                        slow_query_log_file=s.log\nlog_bin_index\n";
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
    /// Servers take names that are cut short, too: `innodb-log-group-home-di`.
    #[test]
    fn paths_of_unknown_options_are_left_out() {
        let decided = |line: &str| decide(line, &[], Path::new("/i"));
        for line in [
            "innodb-log-group-home-di=/srv/redo",
            "datadi = '/srv'",
            "maximum-general_log_file=/x",
            "some_dir=../../srv",
            "wsrep_provider_options=\"gcache.dir=/srv; gcache.size=1G\"",
            "init-fil=/x",
            "init_file=../x",
        ] {
            assert_eq!(decided(line), Fate::Outside(option_name(line).unwrap()), "{line}");
        }
        for line in [
            "init_connect='/* a */ SET @a = 1'",
            "performance-schema-instrument='stage/%=ON'",
            "sql_mode=\"A,B\"",
            "default-time-zone=Europe/Berlin",
            "file_key_management_filekey=FILE:/etc/key",
            "loose_admin-ssl-ca=/ca.pem",
            "ft_boolean_syntax='+ -><()~*:\"\"&|'",
            "skip-name-resolve",
        ] {
            assert_eq!(decided(line), Fate::Kept(line.into()), "{line}");
        }
    }
}
