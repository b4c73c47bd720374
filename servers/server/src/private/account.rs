//! The user that a private server runs as.
//!
//! A server started by root gets a user id of its own. Of its instance's folder, it can write only
//! to `data`, `tmp` and `run`. In a container without the privileges to do so, the server runs as
//! root.

use std::os::unix::fs::chown;
use std::path::Path;

use fetch::Program;
use lifecycle::{Account, Confinement, find_unreadable};

use super::resources::total_memory;
use crate::{Error, Options};

/// Reserves the account that runs `program` in a folder below `parent`. `None` if the server runs
/// as this process's user. Fails if the account cannot read the server's files.
pub(super) fn reserve(program: &Program, parent: &Path, options: &Options) -> Result<Option<Account>, Error> {
    let account = program.reserve_account()?;
    let mut required = [parent].into_iter().chain(options.defaults_file.as_deref());
    match required.find_map(find_unreadable).filter(|_| account.is_some()) {
        Some(closed) => {
            let reason = fetch::explain_closed(&closed);
            Err(Error::Start { label: program.label.clone(), reason })
        }
        None => Ok(account),
    }
}

/// Gives an empty folder to the account.
pub(super) fn give(folder: &Path, account: &Account) -> Result<(), Error> {
    chown(folder, Some(account.id()), Some(account.id())).map_err(Error::io("give to the server", folder))
}

/// Returns the limits of the server's processes.
pub(super) fn confinement(account: Option<&Account>) -> Confinement {
    Confinement { account: account.cloned(), memory_bytes: total_memory(), cpu_seconds: None }
}
