//! axe-core, rules for the accessibility of pages: for tests only. Its licence is MPL-2.0.

use std::fs;
use std::path::{Path, PathBuf};

use crate::origin::unpack_tar;
use crate::source::apt::Apt;
use crate::source::npm::NpmPackage;
use crate::{Cache, Error, Progress};

const AXE: NpmPackage = NpmPackage {
    name: "axe-core",
    version: "4.14.1",
    sha512: "1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b73\
             4f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5",
    libraries: &[],
};

/// Returns the script of axe-core, installed into the cache first if it is missing.
pub fn find_or_install_axe(progress: &dyn Progress) -> Result<PathBuf, Error> {
    let key = format!("tools/axe-core-{}", AXE.version);
    let folder = Cache::for_user()?.folder_or_create(&key, 10, progress, |folder| install(folder, progress))?;
    Ok(folder.join("axe.min.js"))
}

fn install(folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let work = folder.join("npm");
    fs::create_dir_all(&work).map_err(Error::io("create", &work))?;
    let apt = Apt::for_host(&folder.join("apt"), progress)?;
    let tarball = AXE.download_tarball("axe-core", &work, &apt)?;
    AXE.check_hash(&tarball, "axe-core")?;
    unpack_tar(&tarball, &work, progress)?;
    let script = work.join("package/axe.min.js");
    fs::rename(&script, folder.join("axe.min.js")).map_err(Error::io("find the script in", &tarball))?;
    fs::remove_dir_all(&work).map_err(Error::io("remove", &work))
}
