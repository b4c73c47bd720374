//! Certificate authorities that the host trusts.

use std::path::{Path, PathBuf};

/// Files that hold all of them: on Debian, Fedora and openSUSE. A host has one at most.
pub(crate) const FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"];

/// Finds the host's file, which clients of MySQL and MariaDB do not read by themselves.
pub fn find_host_certificates() -> Option<PathBuf> {
    FILES.iter().map(Path::new).find(|file| file.is_file()).map(Path::to_owned)
}
