//! Paths as the files of an image mean them: its folder is `/`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// As many links may follow one another as on Linux (`path_resolution(7)`).
const MAX_LINKS: u32 = 40;

/// Where `path` leads if `root` were `/`: every link is followed, absolute ones from `root`, and `..` stops there, as
/// after a `chroot`. The result is below `root`, or `root` itself; its last parts may not exist.
pub fn inside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut todo: VecDeque<OsString> = parts(path).into();
    let mut done = PathBuf::new();
    let mut links = 0;
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            done.pop();
            continue;
        }
        let here = root.join(&done).join(&part);
        if !fs::symlink_metadata(&here).is_ok_and(|metadata| metadata.is_symlink()) {
            done.push(part);
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links lead to one another"));
        }
        let target = fs::read_link(&here)?;
        if target.is_absolute() {
            done = PathBuf::new();
        }
        for part in parts(&target).into_iter().rev() {
            todo.push_front(part);
        }
    }
    Ok(root.join(done))
}

fn parts(path: &Path) -> Vec<OsString> {
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
    fn links_are_followed_and_never_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("usr/lib64")).unwrap();
        symlink("usr/lib64", root.join("lib64")).unwrap();
        symlink("/lib64", root.join("usr/absolute")).unwrap();
        symlink("../../../../etc", root.join("usr/up")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let at = |path: &str| inside(root, Path::new(path)).unwrap().strip_prefix(root).unwrap().to_owned();
        assert_eq!(at("/lib64/ld.so"), Path::new("usr/lib64/ld.so"));
        assert_eq!(at("usr/absolute/x"), Path::new("usr/lib64/x"));
        assert_eq!(at("usr/up/passwd"), Path::new("etc/passwd"));
        assert_eq!(at("/../../etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(at("lib64/.."), Path::new("usr"));
        assert!(inside(root, Path::new("loop/x")).is_err());
    }
}
