//! Results folders.

use std::path::{Path, PathBuf};

use files::Access;
use measure::{RunFolder, RunFolderError};

/// Creates the folder of a run: `named`, or a new one below `weigh-results`.
pub fn create_folder(named: Option<&Path>, access: Access) -> Result<RunFolder, RunFolderError> {
    if let Some(named) = named {
        return RunFolder::create(named, access);
    }
    let mut folder_names = folder_names();
    loop {
        match RunFolder::create(&folder_names.next().expect("numbers don't end"), access) {
            Err(RunFolderError::AlreadyHasRun(_)) => {}
            created => return created,
        }
    }
}

/// Returns the path for results that aren't a run: `named`, or an unused name below
/// `weigh-results`. Creates nothing.
pub fn choose_path(named: Option<&Path>) -> PathBuf {
    let free = || folder_names().find(|path| !path.exists()).expect("numbers don't end");
    named.map_or_else(free, Path::to_owned)
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
