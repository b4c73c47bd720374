//! Templates of data folders: initialised folders in the cache, which later starts copy.
//!
//! MySQL needs 2 to 3 s to initialise a data folder, a copy needs 0.1 s. MariaDB needs 0.25 s, so
//! it gets no template.

use std::path::Path;

use fetch::{Cache, Flavour, Program, Progress};
use lifecycle::Account;

use super::bootstrap;
use crate::{Error, Options};

/// File with the server's UUID, which must be unique. The server creates a missing file.
const UUID_FILE: &str = "auto.cnf";

/// Disk space of a template with its redo log, in MiB.
const TEMPLATE_MEBIBYTES: u64 = 400;

/// Fills the data folder of the instance in `folder`: from a template if possible, or else by
/// initialisation.
pub(super) fn fill_data_folder(
    program: &Program,
    folder: &Path,
    arguments: &[String],
    options: &Options,
    account: Option<&Account>,
    progress: &dyn Progress,
) -> Result<(), Error> {
    // The user's settings may affect the initialisation. A program outside the cache may change.
    let has_default_settings = options.settings.is_empty() && options.defaults_file.is_none();
    let Some(program_name) =
        program.cache_folder_name().filter(|_| has_default_settings && program.flavour == Flavour::MySql)
    else {
        return bootstrap::initialise(program, folder, arguments, options, account);
    };
    let data = folder.join("data");
    let key = format!("templates/{program_name}-{}-weigh-{}", program.version, env!("CARGO_PKG_VERSION"));
    let mut is_initialised = false;
    let template = Cache::for_user()?.folder_or_create(&key, TEMPLATE_MEBIBYTES, progress, |template| {
        bootstrap::initialise(program, folder, arguments, options, account)?;
        is_initialised = true;
        copy(&data, template, None)
    });
    match template {
        Ok(_) if is_initialised => Ok(()),
        // The account has run no program yet, so nothing in the folder is a link.
        Ok(template) => copy(&template, &data, account),
        // The server can start even if the cache is full or read-only.
        Err(Error::Path(_) | Error::Fetch(fetch::Error::DiskSpace { .. })) if is_initialised => Ok(()),
        Err(Error::Path(_) | Error::Fetch(fetch::Error::DiskSpace { .. })) => {
            bootstrap::initialise(program, folder, arguments, options, account)
        }
        Err(error) => Err(error),
    }
}

fn copy(from: &Path, to: &Path, owner: Option<&Account>) -> Result<(), Error> {
    files::copy_tree(from, to, owner.map(Account::id), &[UUID_FILE]).map_err(Error::io("copy a data folder to", to))
}
