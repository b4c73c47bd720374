//! Private servers that are filled from dumps.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use report::pipeline::DumpLines;
use server::error_code::{PARSE_ERROR, UNKNOWN_CHARACTER_SET, UNKNOWN_COLLATION};
use server::{Flavour, LoadLimits, Options, Progress, Server, Version};
use why::Loaded;

use crate::commands::preflight::find_nearest;
use crate::input;
use crate::options::connect::ConnectArgs;

/// Buffer pool of the private server, in bytes. The server holds definitions and some thousand
/// rows.
pub const BUFFER_POOL_BYTES: u64 = 128 << 20;

/// A private server that is filled from dumps.
pub struct Filled {
    pub server: Server,
    pub loaded: Loaded,
    /// Names of the files.
    names: String,
    /// Flavour and version of the server that wrote a dump, by its header.
    written_by: Option<(Flavour, Version)>,
}

impl Filled {
    /// Says why a table is missing, if it is because a dump is empty or its statements are refused.
    pub fn explain_missing_table(&self) -> Option<String> {
        if self.loaded.statements == 0 {
            return Some(format!("{} is empty: no statement is in it", self.names));
        }
        let refused = self.loaded.refused.iter().find(|refused| !refused.is_setup)?;
        Some(format!("{refused}{}", self.advise_server(refused.refusal.code)))
    }

    /// Names a server of the flavour and version that wrote a dump, if this server is of another
    /// flavour or older. If the dump says no version, names the option after an error that other
    /// versions may not have. Otherwise empty.
    fn advise_server(&self, code: u16) -> String {
        let server = (self.server.flavour(), Version::find(self.server.version()));
        match self.written_by {
            Some((flavour, version)) if server.0 != flavour || server.1.is_none_or(|own| own < version) => {
                let title = if flavour == Flavour::MySql { "MySQL" } else { "MariaDB" };
                let spec = find_nearest(flavour, version).ok().flatten();
                let spec = spec.map_or_else(|| title.to_lowercase(), |spec| spec.to_string());
                format!("; the dump is of {title} {version}: --server {spec}")
            }
            None if matches!(code, UNKNOWN_COLLATION | UNKNOWN_CHARACTER_SET | PARSE_ERROR) => {
                "; --server names another version or flavour".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// Reads the server of a dump's header: `-- Server version 8.0.36`.
fn read_header(head: &str) -> Option<(Flavour, Version)> {
    let version = head.lines().take(MAX_HEADER_LINES).find_map(|line| line.strip_prefix("-- Server version"))?;
    let flavour = if version.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql };
    Some((flavour, Version::find(version)?))
}

const MAX_HEADER_LINES: usize = 20;

/// Starts a private server and loads dumps into it, one after the other. `schema` is the schema of
/// tables for which the dumps name none.
pub fn open_filled(connect: &ConnectArgs, dumps: &[PathBuf], schema: &str, progress: &dyn Progress) -> Result<Filled> {
    let targets = connect.resolve(1)?;
    let [spec] = targets.specs.as_slice() else { bail!("--dump is loaded into one server; name one by --server") };
    if spec.is_running() {
        bail!(
            "--dump takes a server that weigh starts, such as --server mysql@8.0; leave --dump out to ask a running one"
        );
    }
    // Reads files before starting, so that an unreadable file is reported at once.
    let opened = dumps.iter().map(|path| Ok((path, open_packed(path)?))).collect::<Result<Vec<_>>>()?;
    let options = Options { buffer_pool: Some(BUFFER_POOL_BYTES), ..targets.options };
    let server = server::open(spec, &options, progress)?;
    let mut loaded = Loaded { schema: schema.to_owned(), ..Loaded::default() };
    progress.step("loading the dump");
    let mut written_by = None;
    for (path, mut dump) in opened {
        let head = dump.fill_buf().map_err(|error| input::read_error(path, &error))?;
        written_by = written_by.or_else(|| read_header(&String::from_utf8_lossy(head)));
        why::load_dump(&server, &path.display().to_string(), dump, LoadLimits::default(), &mut loaded)?;
    }
    let names = dumps.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    Ok(Filled { server, loaded, names, written_by })
}

/// Opens a file, unpacked if its name ends in `.gz`.
pub fn open_packed(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = input::open(path)?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, files::unpack(path, file))))
}

/// Reads on which lines dumps define their objects. Each file comes with the schema of its objects
/// before the first `USE`.
pub fn read_lines<'a>(files: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<DumpLines> {
    let mut lines = DumpLines::default();
    for (path, schema) in files {
        lines
            .read(&path.display().to_string(), schema, open_packed(path)?, bounded::max_item_bytes())
            .map_err(|error| input::read_error(path, &error))?;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_flavour_and_version() {
        let mysql = "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n-- Server version\t8.0.36\n";
        assert_eq!(read_header(mysql), Some((Flavour::MySql, Version::new(8, 0, 36))));
        let mariadb = "/*M!999999\\- enable the sandbox mode */ \n-- Server version\t10.11.6-MariaDB-0+deb12u1\n";
        assert_eq!(read_header(mariadb), Some((Flavour::MariaDb, Version::new(10, 11, 6))));
        assert_eq!(read_header("CREATE TABLE t (a INT);"), None);
    }
}
