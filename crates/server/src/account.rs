//! Whose rights a private server runs with. A server that root starts would run as root; instead it gets an id of its own, that
//! no account has, so that it reaches nothing but its folder, and no other process of that id reaches it.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::Error;
use crate::options::Options;
use crate::program::Program;

/// In the range that systemd gives to services without an account (`DynamicUser=`), which distributions leave free.
const ID: u32 = 61_876;

/// What the group may do in a private instance's folder: the server makes its socket and its log there.
const OF_GROUP: u32 = 0o770;

/// The id of a user and a group, another one than root's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account(u32);

impl Account {
    /// The account that `program` may run as in `folder`. None where we are not root, or where the account could not reach what
    /// the server must read.
    pub fn for_server(program: &Program, folder: &Path, options: &Options) -> Result<Option<Self>, Error> {
        let account = Self(ID);
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let read = program.files().chain(folder.parent()).chain(options.defaults_file.as_deref());
        let reaches = read.into_iter().all(is_open_to_others);
        // In a user namespace with few ids there is no such id to give anything to.
        if !reaches || chown(folder, None, Some(account.0)).is_err() {
            return Ok(None);
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(OF_GROUP))
            .map_err(Error::io("open to the server", folder))?;
        Ok(Some(account))
    }

    /// Gives it all that a private instance's folder holds; the folder itself stays ours.
    pub fn take_over(self, folder: &Path) -> Result<(), Error> {
        give(folder, self.0).map_err(Error::io("give to the server", folder))
    }

    /// Makes a command run with its rights.
    pub fn run(self, command: &mut Command) {
        command.uid(self.0).gid(self.0);
    }
}

fn give(folder: &Path, id: u32) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            give(&entry.path(), id)?;
        }
        std::os::unix::fs::lchown(entry.path(), Some(id), Some(id))?;
    }
    Ok(())
}

/// Whether everybody may enter all folders that lead to a file or folder, and read it.
fn is_open_to_others(path: &Path) -> bool {
    let Ok(path) = fs::canonicalize(path) else { return false };
    path.ancestors().all(|path| {
        let wanted = if path.is_dir() { 0o001 } else { 0o004 };
        fs::metadata(path).is_ok_and(|metadata| metadata.mode() & wanted == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_folder_on_the_way_closes_all_below_it() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a/b");
        fs::create_dir(place.path().join("a")).unwrap();
        fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        set(&file, 0o644);
        set(place.path(), 0o755);
        assert!(is_open_to_others(&file));
        set(place.path(), 0o750);
        assert!(!is_open_to_others(&file));
        set(place.path(), 0o755);
        set(&file, 0o600);
        assert!(!is_open_to_others(&file));
    }
}
