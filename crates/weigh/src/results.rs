//! Where results go.

use std::path::{Path, PathBuf};

use measure::{Folder, FolderError};

/// The folder of a run: the one that was named, or a new one below `weigh-results`.
pub fn folder(named: Option<&Path>) -> Result<Folder, FolderError> {
    if let Some(named) = named {
        return Folder::create(named);
    }
    let mut names = names();
    loop {
        match Folder::create(&names.next().expect("numbers don't end")) {
            Err(FolderError::Taken(_)) => {}
            created => return created,
        }
    }
}

/// The same of what is no run: nothing is created yet.
pub fn path(named: Option<&Path>) -> PathBuf {
    let free = || names().find(|path| !path.exists()).expect("numbers don't end");
    named.map_or_else(free, Path::to_owned)
}

/// Folders named by the time, and by a number where several begin in the same second.
fn names() -> impl Iterator<Item = PathBuf> {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    (1u64..).map(move |number| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        Path::new("weigh-results").join(format!("{now}{suffix}"))
    })
}
