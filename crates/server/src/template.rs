//! Initialised data folders of the catalogue's and images' servers, kept for the next start: MySQL takes two to three seconds to make
//! one, a copy takes a tenth of a second. MariaDB makes its own in a quarter of a second, so none is kept.

use std::fs;
use std::io;
use std::path::Path;

use crate::account::Account;
use crate::cache::Cache;
use crate::flavour::Flavour;
use crate::options::Options;
use crate::program::Program;
use crate::{Error, Progress, bootstrap};

/// The server's own identity, which no two instances may share; it makes a new one when there is none.
const IDENTITY: &str = "auto.cnf";

/// What a template takes on disk, redo log included, in MiB.
const MEBIBYTES: u64 = 400;

/// Fills the data folder of the instance in `folder`: from a template where one will do, else by the server itself.
pub(crate) fn fill(
    program: &Program,
    folder: &Path,
    arguments: &[String],
    options: &Options,
    account: Option<Account>,
    progress: &dyn Progress,
) -> Result<(), Error> {
    // A user's setting may matter to how data is initialised, and a user's program may change under its name.
    let plain = options.settings.is_empty() && options.defaults_file.is_none();
    let Some(installed) = program.installed().filter(|_| plain && program.flavour == Flavour::MySql) else {
        return bootstrap::initialise(program, folder, arguments, account);
    };
    let data = folder.join("data");
    let key = format!("templates/{installed}-{}-weigh-{}", program.version, env!("CARGO_PKG_VERSION"));
    let mut fresh = false;
    let made = Cache::of_user()?.folder_or_make(&key, MEBIBYTES, progress, |template| {
        bootstrap::initialise(program, folder, arguments, account)?;
        fresh = true;
        copy(&data, template)
    });
    match made {
        Ok(_) if fresh => Ok(()),
        Ok(template) => copy(&template, &data),
        // A cache that is full or read-only is no reason not to start.
        Err(Error::Io { .. } | Error::NoRoom { .. }) if fresh => Ok(()),
        Err(Error::Io { .. } | Error::NoRoom { .. }) => bootstrap::initialise(program, folder, arguments, account),
        Err(error) => Err(error),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    copy_folder(from, to).map_err(Error::io("copy a data folder to", to))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else if entry.file_name() != IDENTITY {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
