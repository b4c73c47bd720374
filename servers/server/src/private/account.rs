//! The user that a private server runs as.
//!
//! A server started by root gets a user id of its own. Of its instance's folder, it can write only
//! to `data`, `tmp` and `run`. In a container without the privileges to do so, the server runs as
//! root.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown, fchown};
use std::path::{Path, PathBuf};

use fetch::Program;
use lifecycle::{Account, Confinement, Reach, find_unreadable};
use rustix::fs::OFlags;

use super::folder::SERVER_FOLDERS;
use super::option_file;
use super::resources::total_memory;
use crate::{Error, Options, Setting};

/// Reserves the account that runs `program` in a folder below `parent`. `None` if the server runs
/// as this process's user. Fails if the account cannot read the server's files.
pub(super) fn reserve(program: &Program, parent: &Path, options: &Options) -> Result<Option<Account>, Error> {
    let account = program.reserve_account()?;
    let mut required = [parent].into_iter().chain(options.defaults_file.as_deref());
    match required.find_map(find_unreadable).filter(|_| account.is_some()) {
        Some(closed) => {
            let reason = fetch::explain_unreadable(&closed);
            Err(Error::Start { label: program.label.clone(), reason })
        }
        None => Ok(account),
    }
}

/// Returns the user that owns what a server creates.
pub(super) fn owner_id(account: Option<&Account>) -> u32 {
    account.map_or_else(|| rustix::process::geteuid().as_raw(), Account::id)
}

/// Gives an empty folder to the account.
pub(super) fn give(folder: &Path, account: &Account) -> Result<(), Error> {
    chown(folder, Some(account.id()), Some(account.id())).map_err(Error::io("give to the server", folder))
}

/// Creates the log files that `--set` names, if they are missing, and gives those that an earlier
/// server wrote to the account: their folders stay closed to the server.
pub(super) fn prepare_logs(options: &Options, account: Option<&Account>) -> Result<(), Error> {
    let is_log = |name: &str| name.ends_with("_log_file") || name == "log_slow_query_file";
    for setting in options.settings.iter().filter(|setting| is_log(&setting.name.variable())) {
        let path = Path::new(&setting.value);
        if !path.is_absolute() {
            continue;
        }
        let file = match path.symlink_metadata() {
            Ok(_) => earlier_log(path),
            Err(_) => Some(files::create_new(path).map_err(Error::io("create", path))?),
        };
        if let (Some(file), Some(account)) = (file, account) {
            fchown(file, Some(account.id()), Some(account.id())).map_err(Error::io("give to the server", path))?;
        }
    }
    Ok(())
}

/// Opens a log that belongs to the user id of an earlier server. `None` for any other file, whose
/// owner must not change.
fn earlier_log(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().append(true).custom_flags(flags.bits() as i32).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_log = metadata.is_file() && metadata.nlink() == 1 && Account::is_of_servers(metadata.uid());
    is_log.then_some(file)
}

/// Returns the limits of the processes of the server in `folder`, with or without an account of
/// their own. They may write only to the server's folders, and to paths of `--set` that servers
/// write to. They may also read the rest of `folder`, the program's files, other paths of `--set`,
/// files that the option file names, and those of [`Options::run_under`].
pub(super) fn confinement(
    program: &Program,
    account: Option<&Account>,
    folder: &Path,
    options: &Options,
) -> Confinement {
    let own = SERVER_FOLDERS.iter().map(|name| folder.join(name));
    // Paths that the user typed, such as the folder of `secure_file_priv`. Of a file, the folder
    // stays closed.
    let set = |is_written: bool| {
        let is_path = move |setting: &&Setting| {
            let is_outside = Path::new(&setting.value).is_absolute() && setting.value != "/";
            is_outside && option_file::is_written(&setting.name.variable()) == is_written
        };
        options.settings.iter().filter(is_path).map(|setting| PathBuf::from(&setting.value))
    };
    let writable = own.chain(set(true)).collect();
    let mut readable = program.readable_paths();
    readable.extend(set(false));
    readable.push(folder.to_owned());
    readable.extend(option_file::readable(options));
    readable.extend(options.run_under.iter().flat_map(|under| under.readable.iter().cloned()));
    let reach = Some(Reach { readable, writable, ports: options.ports.clone(), signals: options.run_under.is_some() });
    Confinement { account: account.cloned(), memory_bytes: total_memory(), cpu_seconds: None, reach }
}
