//! Private servers that are filled from dumps.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use report::pipeline::DumpLines;
use server::{LoadLimits, Options, Progress, Server};
use why::Loaded;

use crate::input;
use crate::options::connect::ConnectArgs;

/// Bytes. The copy holds definitions and some thousand rows.
pub const BUFFER_POOL_BYTES: u64 = 128 << 20;

/// Starts a private server and loads dumps into it, one after the other. `schema` is the schema of
/// tables for which the dumps name none.
pub fn open_filled(
    connect: &ConnectArgs,
    dumps: &[PathBuf],
    schema: &str,
    progress: &dyn Progress,
) -> Result<(Server, Loaded)> {
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
    for (path, dump) in opened {
        why::load_dump(&server, &path.display().to_string(), dump, LoadLimits::default(), &mut loaded)?;
    }
    Ok((server, loaded))
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
