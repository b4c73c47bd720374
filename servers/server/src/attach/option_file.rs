//! Option files of MySQL's and MariaDB's clients (MySQL manual, "Using Option Files").

mod line;

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(crate) use self::line::{Line, parse_line};
use super::login::{ClientOptions, Login};
use crate::connect::{Secret, TlsMode};

/// Groups that apply: the groups for all clients of MySQL and MariaDB, and `[weigh]`.
const GROUPS: [&str; 4] = ["client", "client-server", "client-mariadb", "weigh"];

/// Maximum depth of included files, which ends circular inclusion.
const MAX_DEPTH: u32 = 10;

/// Maximum size of all files that are read together, of which each counts at least
/// [`INCLUSION_BYTES`].
const MAX_BYTES: u64 = 1 << 20;

const INCLUSION_BYTES: u64 = 64;

#[derive(Debug, thiserror::Error)]
pub enum OptionFileError {
    /// A file cannot be read. Missing and forbidden files that the user did not name are ignored.
    #[error("cannot read option file {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A line is invalid. The error does not repeat the line, which may contain a password.
    #[error("option file {}, line {line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        reason: String,
    },
}

/// Reads the option files that `login` selects.
pub(super) fn read_client_options(login: &Login) -> Result<ClientOptions, OptionFileError> {
    let (mut options, mut remaining_bytes) = (ClientOptions::default(), MAX_BYTES);
    for OptionFile { path, is_required } in select_files(login) {
        let mut reader = Reader { group_applies: false, options: &mut options, remaining_bytes: &mut remaining_bytes };
        // `<(gpg -d my.cnf.gpg)` is a pipe.
        let open = |path: &Path| if is_required { fs::File::open(path) } else { files::open_regular(path) };
        match reader.read_file(&path, 0, open) {
            Err(OptionFileError::Read { source, .. }) if !is_required && is_ignored(&source) => {}
            result => result?,
        }
    }
    Ok(options)
}

struct OptionFile {
    path: PathBuf,
    /// Whether a missing or unreadable file is an error.
    is_required: bool,
}

/// Returns the files to read. Later files override earlier ones.
fn select_files(login: &Login) -> Vec<OptionFile> {
    let required = |path: &PathBuf| OptionFile { path: path.clone(), is_required: true };
    let optional = |path: PathBuf| OptionFile { path, is_required: false };
    if login.no_defaults {
        return Vec::new();
    }
    if let Some(file) = &login.defaults_file {
        return vec![required(file)];
    }
    let mut files = vec![optional("/etc/my.cnf".into()), optional("/etc/mysql/my.cnf".into())];
    files.extend(login.defaults_extra_file.iter().map(required));
    files.extend(std::env::home_dir().map(|home| optional(home.join(".my.cnf"))));
    files
}

/// Returns the files that `!includedir` reads of a folder: `*.cnf`, by name. Empty for a folder
/// that is missing or not readable.
pub(crate) fn included_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if is_ignored(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cnf"));
    files.sort();
    Ok(files)
}

/// True if an optional file is ignored, as in the servers' clients: it is missing or not readable
/// by this user.
pub(crate) fn is_ignored(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
}

struct Reader<'a> {
    /// Whether the group of the current line is in [`GROUPS`].
    group_applies: bool,
    options: &'a mut ClientOptions,
    remaining_bytes: &'a mut u64,
}

impl Reader<'_> {
    fn read_file(
        &mut self,
        path: &Path,
        depth: u32,
        open: impl Fn(&Path) -> io::Result<fs::File>,
    ) -> Result<(), OptionFileError> {
        let read_error = |source| OptionFileError::Read { path: path.to_owned(), source };
        let mode = fs::metadata(path).map_err(read_error)?.permissions().mode();
        if mode & 0o002 != 0 {
            // Writable by everyone. The servers' clients ignore such files, too.
            return Ok(());
        }
        let bytes = open(path).and_then(|file| self.read_bytes(file)).map_err(read_error)?;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let line_error = |reason| OptionFileError::Line { path: path.to_owned(), line: index + 1, reason };
            match parse_line(line).map_err(line_error)? {
                Line::Empty => {}
                Line::Group(name) => self.group_applies = GROUPS.contains(&name.as_str()),
                Line::Option { name, value } if self.group_applies => self.set(&name, value).map_err(line_error)?,
                Line::Option { .. } => {}
                Line::Include(_) | Line::IncludeDir(_) if depth == MAX_DEPTH => {
                    return Err(line_error("files include one another too deeply".into()));
                }
                Line::Include(file) => self.include(&file, depth)?,
                Line::IncludeDir(dir) => self.include_folder(&dir, depth)?,
            }
        }
        Ok(())
    }

    /// Reads a file, up to what remains of [`MAX_BYTES`].
    fn read_bytes(&mut self, file: fs::File) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.take(*self.remaining_bytes + 1).read_to_end(&mut bytes)?;
        let counted = INCLUSION_BYTES.max(bytes.len() as u64);
        let error = || io::Error::new(io::ErrorKind::FileTooLarge, "option files have more than 1 MiB together");
        *self.remaining_bytes = self.remaining_bytes.checked_sub(counted).ok_or_else(error)?;
        Ok(bytes)
    }

    /// Reads an included file. Groups in it do not affect the including file.
    fn include(&mut self, path: &Path, depth: u32) -> Result<(), OptionFileError> {
        let mut inner = Reader { group_applies: false, options: self.options, remaining_bytes: self.remaining_bytes };
        match inner.read_file(path, depth + 1, files::open_regular) {
            Err(OptionFileError::Read { source, .. }) if is_ignored(&source) => Ok(()),
            result => result,
        }
    }

    /// Reads the `*.cnf` files of a folder, by name.
    fn include_folder(&mut self, dir: &Path, depth: u32) -> Result<(), OptionFileError> {
        let files = included_files(dir).map_err(|source| OptionFileError::Read { path: dir.to_owned(), source })?;
        files.iter().try_for_each(|file| self.include(file, depth))
    }

    /// Sets an option. Ignores options that do not concern the connection.
    fn set(&mut self, name: &str, value: Option<String>) -> Result<(), String> {
        let options = &mut *self.options;
        let text = || value.clone().unwrap_or_default();
        match name {
            "host" => options.host = Some(text()),
            "port" => options.port = Some(text().parse().map_err(|_| "port is not a number from 0 to 65535")?),
            "user" => options.user = Some(text()),
            // Without a value, MySQL's clients prompt for a password. weigh prompts for the command
            // line only.
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

/// Parses a boolean option. An option without a value is on.
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
        read_client_options(&login)
    }

    #[test]
    fn reads_client_groups_in_order() {
        let text =
            "user=nobody\n[weigh]\nuser=a\n[mysqld]\nuser=mysql\nport=1\n[client]\nuser=b\nport=3307\n[mysql]\nport=2";
        let options = read(&[("my.cnf", text)]).unwrap();
        assert_eq!((options.user.as_deref(), options.port), (Some("b"), Some(3307)));
    }

    #[test]
    fn include_does_not_change_the_group() {
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
    fn rejects_circular_includes() {
        assert!(read(&[("my.cnf", "!include DIR/my.cnf\n")]).unwrap_err().to_string().contains("deeply"));
    }

    #[test]
    fn included_files_have_limits() {
        let chain: Vec<(String, String)> = (0..9)
            .map(|number| (format!("{number}.cnf"), format!("!include DIR/{}.cnf\n", number + 1).repeat(50)))
            .chain([("9.cnf".into(), "[client]\nuser=x\n".into())])
            .collect();
        let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let error = read(&chain).unwrap_err().to_string();
        assert!(error.contains("more than 1 MiB together"), "{error}");
    }

    #[test]
    fn pipes_are_read_only_if_they_are_typed() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("p.cnf");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        let main = folder.path().join("my.cnf");
        fs::write(&main, format!("[client]\nuser=x\n!include {}\n", pipe.display())).unwrap();
        let included = Login { defaults_file: Some(main), ..Login::default() };
        let error = read_client_options(&included).unwrap_err().to_string();
        assert!(error.contains("p.cnf"), "{error}");
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, "[client]\nuser=y\n").unwrap()
        });
        let typed = Login { defaults_file: Some(pipe), ..Login::default() };
        assert_eq!(read_client_options(&typed).unwrap().user.as_deref(), Some("y"));
        writer.join().unwrap();
    }

    #[test]
    fn ignores_world_writable_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.cnf");
        fs::write(&path, "[client]\nuser=x\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let login = Login { defaults_file: Some(path), ..Login::default() };
        assert_eq!(read_client_options(&login).unwrap(), ClientOptions::default());
    }

    #[test]
    fn errors_name_file_and_line_without_password() {
        let error = read(&[("my.cnf", "[client]\npassword=hunter2\nport=hunter2\n")]).unwrap_err().to_string();
        assert!(error.contains("my.cnf, line 3: port") && !error.contains("hunter2"), "{error}");
        let login = Login { defaults_file: Some("/no/such.cnf".into()), ..Login::default() };
        assert!(read_client_options(&login).unwrap_err().to_string().contains("/no/such.cnf"));
    }

    #[test]
    fn parses_tls_options_of_both_products() {
        let mode = |text: &str| read(&[("my.cnf", &format!("[client]\n{text}\n"))]).unwrap().ssl_mode;
        assert_eq!(mode("ssl-mode=verify_ca"), Some(TlsMode::VerifyCa));
        assert_eq!(mode("ssl-mode=PREFERRED"), None);
        assert_eq!(mode("ssl"), Some(TlsMode::Required));
        assert_eq!(mode("ssl=0"), Some(TlsMode::Disabled));
        assert_eq!(mode("skip-ssl"), Some(TlsMode::Disabled));
        assert_eq!(mode("ssl\nssl-verify-server-cert"), Some(TlsMode::VerifyIdentity));
    }
}
