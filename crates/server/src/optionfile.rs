//! Option files as MySQL's and MariaDB's clients read them (MySQL manual, "Using Option Files").

mod parse;

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::endpoint::{Secret, TlsMode};
use crate::login::{ClientOptions, Login};
use parse::{Line, parse_line};

/// The groups that apply to us: what all clients read, and our own.
const GROUPS: [&str; 4] = ["client", "client-server", "client-mariadb", "weigh"];

/// Files that include one another must end somewhere.
const MAX_DEPTH: u32 = 10;

/// What is wrong with an option file.
#[derive(Debug, thiserror::Error)]
pub enum OptionFileError {
    /// It was asked for and cannot be read.
    #[error("cannot read option file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A line means nothing. Its text is not repeated: it may hold a password.
    #[error("option file {}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// What the option files that `login` selects say about reaching a server.
pub(crate) fn client_options(login: &Login) -> Result<ClientOptions, OptionFileError> {
    let mut options = ClientOptions::default();
    for (path, required) in files(login) {
        let mut reader = Reader { group_applies: false, options: &mut options };
        match reader.file(&path, 0) {
            Err(OptionFileError::Read { source, .. }) if !required && is_absent(&source) => {}
            result => result?,
        }
    }
    Ok(options)
}

/// The files to read, later ones beating earlier ones, and whether each must exist.
fn files(login: &Login) -> Vec<(PathBuf, bool)> {
    if login.no_defaults {
        return Vec::new();
    }
    if let Some(file) = &login.defaults_file {
        return vec![(file.clone(), true)];
    }
    let mut files = vec![("/etc/my.cnf".into(), false), ("/etc/mysql/my.cnf".into(), false)];
    files.extend(login.defaults_extra_file.iter().map(|file| (file.clone(), true)));
    files.extend(std::env::home_dir().map(|home| (home.join(".my.cnf"), false)));
    files
}

/// A global file that is not there, or is not for us, is passed over as the clients do.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
}

struct Reader<'a> {
    /// Whether the group that the current line stands in is one of [`GROUPS`].
    group_applies: bool,
    options: &'a mut ClientOptions,
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, depth: u32) -> Result<(), OptionFileError> {
        let read_error = |source| OptionFileError::Read { path: path.to_owned(), source };
        let mode = fs::metadata(path).map_err(read_error)?.permissions().mode();
        if mode & 0o002 != 0 {
            // Anybody could have written it: the servers' own clients pass over such a file too.
            return Ok(());
        }
        let bytes = fs::read(path).map_err(read_error)?;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let at = |reason| OptionFileError::Line { path: path.to_owned(), line: index + 1, reason };
            match parse_line(line).map_err(at)? {
                Line::Nothing => {}
                Line::Group(name) => self.group_applies = GROUPS.contains(&name.as_str()),
                Line::Option { name, value } if self.group_applies => self.set(&name, value).map_err(at)?,
                Line::Option { .. } => {}
                Line::Include(_) | Line::IncludeDir(_) if depth == MAX_DEPTH => {
                    return Err(at("files include one another too deeply".into()));
                }
                Line::Include(file) => self.included(&file, depth)?,
                Line::IncludeDir(dir) => self.included_dir(&dir, depth)?,
            }
        }
        Ok(())
    }

    /// An included file has groups of its own; the including file's group goes on after it.
    fn included(&mut self, path: &Path, depth: u32) -> Result<(), OptionFileError> {
        let mut inner = Reader { group_applies: false, options: self.options };
        match inner.file(path, depth + 1) {
            Err(OptionFileError::Read { source, .. }) if is_absent(&source) => Ok(()),
            result => result,
        }
    }

    /// Every `*.cnf` of a folder, by name.
    fn included_dir(&mut self, dir: &Path, depth: u32) -> Result<(), OptionFileError> {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(source) => return Err(OptionFileError::Read { path: dir.to_owned(), source }),
        };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "cnf"));
        files.sort();
        files.iter().try_for_each(|file| self.included(file, depth))
    }

    /// Takes over what concerns reaching a server; other programs' options pass by.
    fn set(&mut self, name: &str, value: Option<String>) -> Result<(), String> {
        let options = &mut *self.options;
        let text = || value.clone().unwrap_or_default();
        match name {
            "host" => options.host = Some(text()),
            "port" => options.port = Some(text().parse().map_err(|_| "port is no number from 0 to 65535")?),
            "user" => options.user = Some(text()),
            // Without a value it asks for a prompt, which is the command line's business.
            "password" => options.password = value.map(Secret::new).or(options.password.take()),
            "socket" => options.socket = Some(text().into()),
            "ssl-mode" if text().eq_ignore_ascii_case("preferred") => options.ssl_mode = None,
            "ssl-mode" => options.ssl_mode = Some(text().parse()?),
            "ssl-ca" => options.ssl_ca = Some(text().into()),
            "ssl-cert" => options.ssl_cert = Some(text().into()),
            "ssl-key" => options.ssl_key = Some(text().into()),
            "ssl" if is_on(value.as_deref()) => options.ssl_mode = options.ssl_mode.or(Some(TlsMode::Required)),
            "ssl" | "skip-ssl" | "disable-ssl" => options.ssl_mode = Some(TlsMode::Disabled),
            "ssl-verify-server-cert" if is_on(value.as_deref()) => options.ssl_mode = Some(TlsMode::VerifyIdentity),
            _ => {}
        }
        Ok(())
    }
}

/// A boolean option is on when it stands alone.
fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|value| ["1", "on", "true", "yes"].contains(&value.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Result<ClientOptions, OptionFileError> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text.replace("DIR", folder.path().to_str().unwrap())).unwrap();
        }
        let login = Login { defaults_file: Some(folder.path().join(files[0].0)), ..Login::default() };
        client_options(&login)
    }

    #[test]
    fn our_groups_apply_in_order_of_appearance_and_no_others() {
        let text =
            "user=nobody\n[weigh]\nuser=a\n[mysqld]\nuser=mysql\nport=1\n[client]\nuser=b\nport=3307\n[mysql]\nport=2";
        let options = read(&[("my.cnf", text)]).unwrap();
        assert_eq!((options.user.as_deref(), options.port), (Some("b"), Some(3307)));
    }

    #[test]
    fn includes_are_followed_and_the_group_goes_on_after_them() {
        let main = "[client]\n!include DIR/one\n!includedir DIR/more\n!include DIR/absent\nhost=db.example\n";
        let options = read(&[
            ("my.cnf", main),
            ("one", "user=outside any group\n[client]\nuser=one\n"),
            ("more/b.cnf", "[client]\nport=2\n"),
            ("more/a.cnf", "[client]\nport=1\nuser=a\n"),
            ("more/c.txt", "[client]\nport=3\n"),
        ])
        .unwrap();
        assert_eq!((options.host.as_deref(), options.user.as_deref()), (Some("db.example"), Some("a")));
        assert_eq!(options.port, Some(2));
    }

    #[test]
    fn files_that_include_themselves_end_in_an_error() {
        assert!(read(&[("my.cnf", "!include DIR/my.cnf\n")]).unwrap_err().to_string().contains("deeply"));
    }

    #[test]
    fn a_file_that_anybody_can_write_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.cnf");
        fs::write(&path, "[client]\nuser=x\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let login = Login { defaults_file: Some(path), ..Login::default() };
        assert_eq!(client_options(&login).unwrap(), ClientOptions::default());
    }

    #[test]
    fn errors_name_file_and_line_and_no_password() {
        let error = read(&[("my.cnf", "[client]\npassword=hunter2\nport=hunter2\n")]).unwrap_err().to_string();
        assert!(error.contains("my.cnf, line 3: port") && !error.contains("hunter2"), "{error}");
        let login = Login { defaults_file: Some("/no/such.cnf".into()), ..Login::default() };
        assert!(client_options(&login).unwrap_err().to_string().contains("/no/such.cnf"));
    }

    #[test]
    fn tls_words_of_both_vendors_are_understood() {
        let mode = |text: &str| read(&[("my.cnf", &format!("[client]\n{text}\n"))]).unwrap().ssl_mode;
        assert_eq!(mode("ssl-mode=verify_ca"), Some(TlsMode::VerifyCa));
        assert_eq!(mode("ssl-mode=PREFERRED"), None);
        assert_eq!(mode("ssl"), Some(TlsMode::Required));
        assert_eq!(mode("ssl=0"), Some(TlsMode::Disabled));
        assert_eq!(mode("skip-ssl"), Some(TlsMode::Disabled));
        assert_eq!(mode("ssl\nssl-verify-server-cert"), Some(TlsMode::VerifyIdentity));
    }
}
