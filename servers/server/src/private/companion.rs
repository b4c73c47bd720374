//! Tools that control a private server from outside, such as vgdb.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use lifecycle::{Account, Confinement, spawn_confined};

use super::account::owner_id;
use crate::Error;

/// Name of the subfolder of an instance's folder for the names that [`Companion::take`] gives.
const FOLDER: &str = "control";

/// Rights and place of a tool that controls a private server. The tool runs as the server's
/// account. Landlock does not restrict it: the kernel would then keep it from tracing the server.
#[derive(Clone, Debug)]
pub struct Companion {
    account: Option<Account>,
    temporary_folder: PathBuf,
    folder: PathBuf,
}

impl Companion {
    /// Creates the folder [`FOLDER`] in `instance`, the instance's folder, unless it exists.
    pub(super) fn new(account: Option<Account>, instance: &Path) -> Result<Self, Error> {
        let folder = instance.join(FOLDER);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                created.map_err(Error::io("create", &folder))?;
                // vgdb lists the folder.
                if let Some(account) = &account {
                    let opened = chown(&folder, None, Some(account.id()))
                        .and_then(|()| fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)));
                    opened.map_err(Error::io("open to the server", &folder))?;
                }
            }
        }
        Ok(Self { account, temporary_folder: instance.join("tmp"), folder })
    }

    /// Folder in which [`take`](Self::take) gives files a second name. The server can neither
    /// create nor replace files there.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Folder for the server's temporary files.
    pub fn temporary_folder(&self) -> &Path {
        &self.temporary_folder
    }

    /// Gives a pipe or file that the server created in its temporary folder a second name in
    /// [`folder`](Self::folder), which the server cannot exchange for a link to another file while
    /// the tool opens it. Fails for a link, and for a file that is not the server's.
    pub fn take(&self, name: &str) -> Result<(), Error> {
        let (from, to) = (self.temporary_folder.join(name), self.folder.join(name));
        // Gives a link itself a second name, not the file that the link names.
        fs::hard_link(&from, &to).map_err(Error::io("find", &from))?;
        let metadata = fs::symlink_metadata(&to).map_err(Error::io("look at", &to))?;
        let is_own = metadata.uid() == owner_id(self.account.as_ref());
        if is_own && (metadata.file_type().is_fifo() || metadata.is_file()) {
            return Ok(());
        }
        fs::remove_file(&to).map_err(Error::io("remove", &to))?;
        let foreign = io::Error::new(io::ErrorKind::InvalidData, "it is not a pipe or file of the server");
        Err(Error::io("use", &from)(foreign))
    }

    /// Starts the tool, which ends with this process.
    pub fn spawn(&self, command: Command) -> io::Result<Child> {
        let confinement = Confinement { account: self.account.clone(), ..Confinement::default() };
        spawn_confined(command, &confinement)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Stdio;

    use rustix::fs::{CWD, FileType, RenameFlags, mknodat, renameat_with};

    use super::*;

    fn companion(folder: &Path) -> Companion {
        fs::create_dir(folder.join("tmp")).unwrap();
        Companion::new(Account::reserve().unwrap(), folder).unwrap()
    }

    /// Creates a pipe of the server.
    fn make_pipe(companion: &Companion, name: &str) -> PathBuf {
        let path = companion.temporary_folder().join(name);
        mknodat(CWD, &path, FileType::Fifo, 0o600.into(), 0).unwrap();
        let id = companion.account.as_ref().map(Account::id);
        chown(&path, id, id).unwrap();
        path
    }

    #[test]
    fn the_server_cannot_exchange_a_pipe_that_is_taken() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        let companion = companion(folder.path());
        let pipe = make_pipe(&companion, "pipe");
        companion.take("pipe").unwrap();
        let link = companion.temporary_folder().join("link");
        symlink(elsewhere.path(), &link).unwrap();
        renameat_with(CWD, &link, CWD, &pipe, RenameFlags::EXCHANGE).unwrap();
        assert!(fs::symlink_metadata(companion.folder().join("pipe")).unwrap().file_type().is_fifo());
        // Exchanged before it is taken.
        companion.take("link").unwrap();
        let error = {
            symlink(elsewhere.path(), companion.temporary_folder().join("second")).unwrap();
            companion.take("second").unwrap_err().to_string()
        };
        assert!(error.contains("not a pipe or file of the server"), "{error}");
        assert!(fs::symlink_metadata(companion.folder().join("second")).is_err());
        if companion.account.is_some() {
            // A file of root, who is not the server.
            fs::write(companion.temporary_folder().join("foreign"), "").unwrap();
            assert!(companion.take("foreign").unwrap_err().to_string().contains("not a pipe"));
        }
    }

    #[test]
    fn the_tool_runs_as_the_servers_account() {
        let folder = tempfile::tempdir().unwrap();
        let companion = companion(folder.path());
        // The owner of what lies in the folder does not matter.
        let mut command = Command::new("id");
        command.arg("-u").stdout(Stdio::piped());
        let output = companion.spawn(command).unwrap().wait_with_output().unwrap().stdout;
        let own = rustix::process::geteuid().as_raw();
        let expected = companion.account.as_ref().map_or(own, Account::id);
        assert_eq!(String::from_utf8(output).unwrap().trim(), expected.to_string());
    }
}
