//! Running a server program for its version.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::time::Duration;

use lifecycle::{Confinement, Reach, find_unreadable};

use super::{Program, explain_unreadable};
use crate::Error;
use crate::command::{self, Limits};

/// A server prints its version in some milliseconds; a busy machine with a cold disk needs longer.
const MAX_TIME: Duration = Duration::from_secs(60);
const MAX_MEMORY_BYTES: u64 = 4 << 30;

/// Returns the output of `--version`. The program runs in a new folder, which is removed. If it has
/// an account of its own, processes that it left behind are ended.
pub(super) fn read_version(program: &Program) -> Result<String, Error> {
    let account = program.reserve_account()?;
    let base = files::temporary_folder().map_err(Error::io("use", env::temp_dir()))?;
    let folder = tempfile::Builder::new()
        .prefix("weigh-version-")
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir_in(&base)
        .map_err(Error::io("create a folder in", &base))?;
    if let Some(account) = &account {
        if let Some(closed) = find_unreadable(&base) {
            return Err(Error::NoServer { path: program.mysqld.clone(), reason: explain_unreadable(&closed) });
        }
        chown(folder.path(), Some(account.id()), Some(account.id()))
            .map_err(Error::io("give to the server", folder.path()))?;
    }
    let mut command = program.command();
    command.args(["--no-defaults", "--version"]).current_dir(folder.path()).env("TMPDIR", folder.path());
    let confinement = Confinement {
        account: account.clone(),
        memory_bytes: Some(MAX_MEMORY_BYTES),
        cpu_seconds: Some(MAX_TIME.as_secs()),
        reach: Some(Reach {
            readable: program.readable_paths(),
            writable: vec![folder.path().to_owned()],
            ports: Vec::new(),
            signals: false,
        }),
    };
    let limits = Limits { confinement, time: MAX_TIME };
    let text = command::run_confined(command, None, &format!("run {}", program.mysqld.display()), &limits);
    if let Some(account) = account {
        account.end_processes();
    }
    // Also if the program nested folders deeper than the removal of temporary folders goes.
    let folder = folder.keep();
    files::remove_tree(&folder).map_err(Error::io("remove", &folder))?;
    text
}
