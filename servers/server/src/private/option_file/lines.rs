//! Lines that a server reads of an option file: those of its groups, and of the files that the file
//! includes (MySQL manual, "Using Option Files").

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use crate::attach::{OptionLine, included_files, is_ignored, parse_option_line};

/// Maximum size of an option file with all files that it includes. Each inclusion counts
/// [`INCLUSION_BYTES`] more than the file's size. Larger ones are an error.
const MAX_BYTES: u64 = 1 << 20;

/// Bytes that an inclusion counts besides the file's own.
const INCLUSION_BYTES: u64 = 64;

/// Maximum length of a group's name; groups with longer names don't apply. The group's line is
/// repeated after an included file, and must not be longer than [`INCLUSION_BYTES`].
const MAX_GROUP_BYTES: usize = 32;

/// Maximum depth of included files, which ends circular inclusion.
const MAX_DEPTH: u32 = 10;

/// Groups that servers read; also with a version, as `mysqld-8.0`.
const GROUPS: [&str; 6] = ["mysqld", "server", "mariadb", "mariadbd", "client-server", "galera"];

/// Line of an option file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLine {
    pub file: Arc<Path>,
    /// Line number in the file, from 1.
    pub number: usize,
    pub text: String,
}

/// Returns the lines that a server reads of an option file: those of its groups, those before any
/// group, and in place of `!include` and `!includedir` those of the included files.
pub fn read_server_lines(file: &Path) -> io::Result<Vec<ServerLine>> {
    let mut reader = Reader { lines: Vec::new(), remaining_bytes: MAX_BYTES };
    reader.read(file, 0)?;
    Ok(reader.lines)
}

struct Reader {
    lines: Vec<ServerLine>,
    remaining_bytes: u64,
}

impl Reader {
    fn read(&mut self, file: &Path, depth: u32) -> io::Result<()> {
        let bytes = files::read_small(file, self.remaining_bytes)?;
        self.remaining_bytes -= bytes.len() as u64;
        let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let file: Arc<Path> = file.into();
        let at = |index: usize, text: &str| ServerLine { file: file.clone(), number: index + 1, text: text.into() };
        let mut applies = depth == 0;
        let mut group = at(0, "[mysqld]");
        for (index, line) in text.lines().enumerate() {
            let line = at(index, line);
            let included = match parse_option_line(&line.text) {
                Ok(OptionLine::Group(name)) => {
                    applies = is_server_group(&name);
                    group = at(index, &format!("[{}]", if applies { &name } else { "" }));
                    None
                }
                Ok(OptionLine::Include(file)) => Some(vec![file]),
                Ok(OptionLine::IncludeDir(folder)) => Some(included_files(&folder)?),
                // An unknown directive.
                Err(_) if line.text.trim_start().starts_with('!') => Some(Vec::new()),
                _ => None,
            };
            let Some(included) = included else {
                self.lines.extend(applies.then_some(line));
                continue;
            };
            let mut has_read = false;
            for file in &included {
                has_read |= self.include(file, depth)?;
            }
            // Groups of an included file end with it.
            self.lines.extend((applies && has_read).then(|| group.clone()));
        }
        Ok(())
    }

    /// Reads an included file, unless it is missing, unreadable or writable by everyone. The
    /// servers ignore such files, too. Returns `true` if it was read.
    fn include(&mut self, file: &Path, depth: u32) -> io::Result<bool> {
        let error = || io::Error::new(io::ErrorKind::FileTooLarge, "it includes too many files");
        self.remaining_bytes = self.remaining_bytes.checked_sub(INCLUSION_BYTES).ok_or_else(error)?;
        let is_open = fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o002 != 0);
        let read = match depth {
            _ if is_open => return Ok(false),
            MAX_DEPTH => Err(io::Error::other("files include one another too deeply")),
            _ => self.read(file, depth + 1),
        };
        match read {
            Err(error) if is_ignored(&error) => Ok(false),
            Err(error) if depth == 0 => Err(io::Error::new(error.kind(), format!("{}: {error}", file.display()))),
            read => read.map(|()| true),
        }
    }
}

fn is_server_group(name: &str) -> bool {
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    if name.len() > MAX_GROUP_BYTES {
        return false;
    }
    GROUPS.contains(&name)
        || name.rsplit_once('-').is_some_and(|(name, rest)| GROUPS.contains(&name) && is_version(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the files to a folder, whose path replaces `HOME` in their texts. Returns the lines
    /// that a server reads of the first one.
    fn read(texts: &[(&str, &str)]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        for (name, text) in texts {
            fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
            fs::write(home.join(name), text.replace("HOME", home.to_str().unwrap())).unwrap();
            let mode = if name.contains("open") { 0o666 } else { 0o644 };
            fs::set_permissions(home.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let lines = read_server_lines(&home.join(texts[0].0)).map_err(|error| error.to_string())?;
        Ok(lines.iter().map(|line| format!("{}\n", line.text)).collect())
    }

    #[test]
    fn only_groups_of_servers_are_read() {
        let text =
            "a=1\n[client]\nb=/ca.pem\n[mysqld-8.0]\nc=1\n[mysqld_safe]\nd=1\n[mysqld-auto]\ne=1\n[mariadb-10.11]\nf=1";
        assert_eq!(read(&[("my.cnf", text)]).unwrap(), "a=1\n[mysqld-8.0]\nc=1\n[mariadb-10.11]\nf=1\n");
    }

    #[test]
    fn included_files_are_read_in_their_place() {
        let files = [
            (
                "my.cnf",
                "!includedir HOME/conf.d\n[server]\na=1\n!include HOME/absent\n!include HOME/one\n!import x\nb=1",
            ),
            ("one", "x=no group\n[client]\nx=1\n[mariadb]\nc=1\n[mysql]\nx=1\n"),
            ("conf.d/b.cnf", "[mysqld]\nd=1\n"),
            ("conf.d/a.cnf", "[mysqld]\ne=1\n"),
            ("conf.d/c.txt", "[mysqld]\nx=1\n"),
            ("conf.d/open.cnf", "[mysqld]\nx=1\n"),
        ];
        let expected = "[mysqld]\ne=1\n[mysqld]\nd=1\n[mysqld]\n[server]\na=1\n[mariadb]\nc=1\n[server]\nb=1\n";
        assert_eq!(read(&files).unwrap(), expected);
    }

    #[test]
    fn included_files_have_limits() {
        let error = read(&[("my.cnf", "!include HOME/my.cnf\n")]).unwrap_err();
        assert!(error.contains("my.cnf") && error.contains("too deeply"), "{error}");
        let wide = "!include HOME/my.cnf\n".repeat(5_000);
        let error = read(&[("my.cnf", &wide)]).unwrap_err();
        assert!(error.contains("bytes") || error.contains("too deeply"), "{error}");
    }

    #[test]
    fn inclusions_repeat_only_short_lines() {
        let longest = |text: &str| {
            let lines = read(&[("my.cnf", text), ("empty", "")]).unwrap_or_else(|error| format!("error: {error}"));
            assert!(lines.len() < 3 << 20, "{} bytes", lines.len());
            lines
        };
        let group = format!("[mysqld-8{}]\n", "a".repeat(500_000));
        for (file, count) in [("absent", 10_000), ("empty", 10_000), ("empty", 20_000)] {
            longest(&(group.clone() + &format!("!include HOME/{file}\n").repeat(count)));
            longest(&(format!("[mysqld]{}\n", " ".repeat(400_000)) + &format!("!include HOME/{file}\n").repeat(count)));
        }
        assert_eq!(longest("[mysqld-8.0]\n!include HOME/empty\na=1"), "[mysqld-8.0]\n[mysqld-8.0]\na=1\n");
        let error = longest(&"!include HOME/absent\n".repeat(20_000));
        assert!(error.contains("too many files"), "{error:.200}");
    }
}
