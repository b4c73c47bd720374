//! Java and Maven, as Debian's packages have them: their settings are in `/etc`, and scripts of the
//! packages, which are not run, write the certificates that Java trusts.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::entries;
use crate::{Error, certificates, command};

/// Java program that writes the host's certificates into a file for Java.
const TRUST_HOST: &str = include_str!("TrustHost.java");

/// Makes Maven and the JDK below `root` independent of `/etc`, and lets them trust the certificates
/// of the host.
pub fn prepare_maven(root: &Path) -> Result<(), Error> {
    relink_settings(root, "usr/lib/jvm")?;
    relink_settings(root, "usr/share/maven")?;
    let source = root.join("TrustHost.java");
    fs::write(&source, TRUST_HOST).map_err(Error::io("write", &source))?;
    let mut java = Command::new(root.join("usr/lib/jvm/default-java/bin/java"));
    java.arg(source).arg(root.join("truststore")).args(certificates::FILES);
    command::output(java, "make the host's certificates readable for Java").map(drop)
}

/// Redirects links below a folder of `root`: a link to `/etc/x` then leads to `etc/x` below `root`.
pub fn relink_settings(root: &Path, folder: &str) -> Result<(), Error> {
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_symlink() {
                let target = fs::read_link(&path).map_err(Error::io("read", &path))?;
                let Ok(below) = target.strip_prefix("/etc") else { continue };
                // Relative, because the folder is renamed after the installation.
                let up: PathBuf = folder.strip_prefix(root).unwrap_or(&folder).components().map(|_| "..").collect();
                fs::remove_file(&path).map_err(Error::io("remove", &path))?;
                symlink(up.join("etc").join(below), &path).map_err(Error::io("link", &path))?;
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    Ok(())
}
