//! Paths inside an image, relative to its root.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Maximum number of symbolic links in one resolution, as on Linux (path_resolution(7)).
const MAX_LINKS: u32 = 40;

/// Resolves `path` as after `chroot(root)`: follows all links, absolute ones from `root`, and `..`
/// does not leave `root`. Returns `root` or a path below it, whose last components may not exist.
pub fn resolve_in_root(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut remaining: VecDeque<OsString> = components(path).into();
    let mut resolved = PathBuf::new();
    let mut links = 0;
    while let Some(part) = remaining.pop_front() {
        if part == ".." {
            resolved.pop();
            continue;
        }
        let current = root.join(&resolved).join(&part);
        if !fs::symlink_metadata(&current).is_ok_and(|metadata| metadata.is_symlink()) {
            resolved.push(part);
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many levels of symbolic links"));
        }
        let target = fs::read_link(&current)?;
        if target.is_absolute() {
            resolved = PathBuf::new();
        }
        for part in components(&target).into_iter().rev() {
            remaining.push_front(part);
        }
    }
    Ok(root.join(resolved))
}

fn components(path: &Path) -> Vec<OsString> {
    let part = |component: Component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn follows_links_inside_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("usr/lib64")).unwrap();
        symlink("usr/lib64", root.join("lib64")).unwrap();
        symlink("/lib64", root.join("usr/absolute")).unwrap();
        symlink("../../../../etc", root.join("usr/up")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let resolve =
            |path: &str| resolve_in_root(root, Path::new(path)).unwrap().strip_prefix(root).unwrap().to_owned();
        assert_eq!(resolve("/lib64/ld.so"), Path::new("usr/lib64/ld.so"));
        assert_eq!(resolve("usr/absolute/x"), Path::new("usr/lib64/x"));
        assert_eq!(resolve("usr/up/passwd"), Path::new("etc/passwd"));
        assert_eq!(resolve("/../../etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(resolve("lib64/.."), Path::new("usr"));
        assert!(resolve_in_root(root, Path::new("loop/x")).is_err());
    }
}
