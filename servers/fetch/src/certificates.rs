//! Certificate authorities that the host trusts.

use std::path::{Path, PathBuf};

/// Files with the certificates of all these authorities: on Debian, Fedora and openSUSE.
pub(crate) const FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"];

/// Finds the first of [`FILES`] that exists. Clients of MySQL and MariaDB do not read it by
/// themselves.
pub fn find_host_certificates() -> Option<PathBuf> {
    FILES.iter().map(Path::new).find(|file| file.is_file()).map(Path::to_owned)
}
