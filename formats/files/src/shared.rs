//! Folders in which only this user and root can create or replace files.

use std::env;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Name of the attribute of folders whose access list has more entries than owner, group and
/// others.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// User id that the kernel reports for owners outside of a user namespace.
const OVERFLOW_ID: u32 = 65_534;

/// Returns the folder for temporary files, `TMPDIR` or `/tmp`, without links in its path. Fails if
/// another user could replace what this user creates in it: if the folder or one of its parents
/// belongs to another user, or others may write to it and it has no sticky bit.
pub fn temporary_folder() -> io::Result<PathBuf> {
    check_sticky(&env::temp_dir())
        .map_err(|error| io::Error::new(error.kind(), format!("{error}; name a folder of your own by TMPDIR")))
}

/// Returns the path of a folder without links in it. Fails if another user could replace what this
/// user creates in the folder. Others may write to the folder if it has the sticky bit.
pub fn check_sticky(folder: &Path) -> io::Result<PathBuf> {
    check(folder, true)
}

/// Returns the path of a folder without links in it; the folder need not exist. Fails if another
/// user could put files into the folder, or replace the folder.
pub fn check_private(folder: &Path) -> io::Result<PathBuf> {
    check(folder, false)
}

/// Fails if a file or folder belongs to another user except root, or if others may write to it. A
/// link is not followed. With `is_reachable` false, a folder above keeps others out, and the write
/// bits are not looked at. `what` is the subject of the message: "it".
pub fn check_entry(path: &Path, what: &str, is_reachable: bool) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    let others = || if is_reachable { writers_fault(path, what, &metadata, false) } else { None };
    owner_fault(what, &metadata).or_else(others).map_or(Ok(()), |fault| Err(refuse(fault)))
}

/// `may_be_sticky`: others may write to the folder itself if it has the sticky bit.
fn check(path: &Path, may_be_sticky: bool) -> io::Result<PathBuf> {
    let (existing, missing) = resolve(path)?;
    for folder in existing.ancestors() {
        let is_itself = folder == existing && missing.as_os_str().is_empty();
        // A sticky parent is safe: what lies in it, the next folder, has an owner who is checked.
        let name = if is_itself { "it".into() } else { folder.display().to_string() };
        let metadata = fs::metadata(folder)?;
        let writers = || writers_fault(folder, &name, &metadata, may_be_sticky || !is_itself);
        if let Some(fault) = owner_fault(&name, &metadata).or_else(writers) {
            return Err(refuse(fault));
        }
    }
    Ok(existing.join(missing))
}

/// Returns the longest part of the path that exists, without links, and the rest.
fn resolve(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let path = std::path::absolute(path)?;
    for ancestor in path.ancestors() {
        match fs::canonicalize(ancestor) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(existing) => {
                let missing = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return Ok((existing, missing.to_owned()));
            }
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Says who else owns a file or folder. `None` for a trusted owner. `what` is the sentence's
/// subject.
fn owner_fault(what: &str, metadata: &Metadata) -> Option<String> {
    let owner = metadata.uid();
    (!is_trusted_owner(owner)).then(|| format!("{what} belongs to another user (id {owner})"))
}

/// Returns `true` for this user and root, also if root is not mapped into this user namespace.
pub(crate) fn is_trusted_owner(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw() || is_unmapped(owner)
}

/// Says who may write to a file or folder besides its owner.
fn writers_fault(path: &Path, what: &str, metadata: &Metadata, may_be_sticky: bool) -> Option<String> {
    let mode = metadata.mode();
    if metadata.is_symlink() || may_be_sticky && mode & 0o1000 != 0 {
        return None;
    }
    if mode & 0o002 != 0 {
        return Some(format!("anyone may write to {what} (chmod o-w)"));
    }
    let (owner, group) = (metadata.uid(), metadata.gid());
    if mode & 0o020 != 0 && (has_access_list(path) || !is_private_group(owner, group)) {
        return Some(format!("a group of users (id {group}) may write to {what} (chmod g-w)"));
    }
    None
}

fn has_access_list(path: &Path) -> bool {
    let mut empty: [u8; 0] = [];
    rustix::fs::getxattr(path, ACCESS_LIST, &mut empty[..]).is_ok()
}

fn is_private_group(owner: u32, group: u32) -> bool {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    is_private_group_in(&read("/etc/passwd"), &read("/etc/group"), owner, group)
}

/// True if `group` is the primary group of the user `owner` and has no other member. Debian, Ubuntu
/// and Red Hat give each user such a group. `users` and `groups` are the texts of `/etc/passwd` and
/// `/etc/group`.
fn is_private_group_in(users: &str, groups: &str, owner: u32, group: u32) -> bool {
    let (owner, group) = (owner.to_string(), group.to_string());
    let fields = |line: &'_ str| -> Vec<String> { line.split(':').map(str::to_owned).collect() };
    let members: Vec<_> = users.lines().map(fields).filter(|user| user.get(3) == Some(&group)).collect();
    let [user] = &members[..] else { return false };
    let mut named = groups.lines().map(fields).filter(|line| line.get(2) == Some(&group));
    let has_others = |line: &Vec<String>| {
        let names = line.get(3).map(String::as_str).unwrap_or_default().split(',');
        names.map(str::trim).any(|name| !name.is_empty() && name != user[0])
    };
    user[2] == owner && named.next().is_some_and(|line| !has_others(&line)) && !named.any(|line| has_others(&line))
}

/// True for the overflow id. The kernel shows it for owners that this user namespace does not map,
/// such as the host's root in a rootless container.
fn is_unmapped(owner: u32) -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    owner == OVERFLOW_ID
        && !map.lines().any(|line| {
            let fields: Vec<u64> = line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
            matches!(fields[..], [first, _, count] if (first..first + count).contains(&u64::from(owner)))
        })
}

fn refuse(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/home/ann:\nbob:x:1001:1001::/home/bob:\n\
                         eve:x:1002:100::/home/eve:\nfay:x:1003:100::/home/fay:\n";
    const GROUPS: &str = "root:x:0:\nann:x:1000:\nbob:x:1001:bob,eve\nusers:x:100:\nstaff:x:50:\n";

    #[test]
    fn a_private_group_has_one_member() {
        for (owner, group, expected) in [
            (0, 0, true),
            (1000, 1000, true),
            (1001, 1001, false),
            (1002, 100, false),
            (1000, 50, false),
            (0, 1000, false),
        ] {
            assert_eq!(is_private_group_in(USERS, GROUPS, owner, group), expected, "{owner} {group}");
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_that_others_can_change_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let place = fs::canonicalize(place.path()).unwrap();
        let (parent, folder) = (place.join("parent"), place.join("parent/folder"));
        fs::create_dir_all(&folder).unwrap();
        set_mode(&parent, 0o755);
        set_mode(&folder, 0o755);
        let refused = |sticky| check(&folder, sticky).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!((refused(false), refused(true)), (String::new(), String::new()));
        set_mode(&folder, 0o1777);
        assert_eq!(refused(true), "");
        assert!(refused(false).contains("anyone may write to it"), "{}", refused(false));
        set_mode(&folder, 0o777);
        assert!(refused(true).contains("anyone may write to it"));
        set_mode(&folder, 0o755);
        set_mode(&parent, 0o777);
        assert!(refused(true).contains(&format!("anyone may write to {}", parent.display())), "{}", refused(true));
        set_mode(&parent, 0o1777);
        assert_eq!(refused(false), "");
        assert_eq!(check_private(&folder.join("a/b")).unwrap(), folder.join("a/b"));
        symlink(&folder, place.join("link")).unwrap();
        assert_eq!(check_private(&place.join("link/a")).unwrap(), folder.join("a"));
        if rustix::process::geteuid().is_root() {
            set_mode(&folder, 0o775);
            assert_eq!(refused(false), "");
            chown(&folder, None, Some(61_000)).unwrap();
            assert!(refused(false).contains("group of users (id 61000) may write to it"), "{}", refused(false));
            set_mode(&folder, 0o755);
            chown(&parent, Some(61_000), None).unwrap();
            assert!(refused(true).contains("belongs to another user (id 61000)"), "{}", refused(true));
            chown(&folder, Some(61_000), None).unwrap();
            assert!(refused(true).starts_with("it belongs to another user"), "{}", refused(true));
            let refused = |is_reachable| check_entry(&folder, "servers", is_reachable).unwrap_err().to_string();
            assert!(refused(true).starts_with("servers belongs") && refused(false).starts_with("servers belongs"));
            chown(&folder, Some(0), Some(61_000)).unwrap();
            set_mode(&folder, 0o775);
            assert!(refused(true).contains("may write to servers") && check_entry(&folder, "x", false).is_ok());
        }
    }
}
