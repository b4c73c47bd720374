//! Results folders.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use files::{Access, HeldFolder};
use measure::{RunFolder, RunFolderError};

/// Creates the folder of a run: `named`, or a new one below `weigh-results`.
pub fn create_folder(named: Option<&Path>, access: Access) -> Result<RunFolder, RunFolderError> {
    if let Some(named) = named {
        return RunFolder::create(named, access);
    }
    let mut folder_names = folder_names();
    loop {
        match RunFolder::create(&folder_names.next().expect("the iterator of names is endless"), access) {
            Err(RunFolderError::AlreadyHasRun(_)) => {}
            created => return created,
        }
    }
}

/// Creates the folder for results that aren't a run: `named`, or a new one below `weigh-results`.
/// It is removed on drop if it is new and empty.
pub fn open_folder(named: Option<&Path>, access: Access) -> Result<HeldFolder, RunFolderError> {
    let free = || folder_names().find(|path| !path.exists()).expect("the iterator of names is endless");
    let path = named.map_or_else(free, Path::to_owned);
    HeldFolder::create(&path, access).map_err(|source| RunFolderError::Create { path, source })
}

/// Writes or replaces a file in a folder of results. Returns its path.
pub fn write(folder: &HeldFolder, name: &str, content: impl AsRef<[u8]>, access: Access) -> Result<PathBuf> {
    let path = folder.path().join(name);
    folder
        .replace(name, access, |file| file.write_all(content.as_ref()))
        .map_err(|error: io::Error| anyhow!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Yields folder names by the current time, with a number from the second one on:
/// `2026-11-21T05-10-00Z`, `2026-11-21T05-10-00Z-2`.
fn folder_names() -> impl Iterator<Item = PathBuf> {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    (1u64..).map(move |number| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        Path::new("weigh-results").join(format!("{now}{suffix}"))
    })
}
