//! A Rust compiler with the standard library for WebAssembly, for machines whose own lacks it: Debian's, unpacked into the cache.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Apt;
use crate::cache::Cache;
use crate::{Error, Progress, command, loader, program};

/// The suite whose compiler is new enough.
const SUITE: &str = "sid";

/// The standard libraries: WebAssembly's, and this machine's for what runs while compiling. They need the compiler's own library.
const LIBRARIES: [&str; 2] = ["libstd-rust-dev-wasm32", "libstd-rust-dev"];

/// The compiler, whose package needs a C compiler; this machine's will do.
const COMPILER: &str = "rustc";

const KEY: &str = "tools/rustc-wasm32";

/// The compiler `rustc` for the target `wasm32-unknown-unknown`, installed into the cache first if it is not there.
pub fn rustc_for_wasm(progress: &dyn Progress) -> Result<PathBuf, Error> {
    let folder = Cache::of_user()?.folder_or_make(KEY, 1200, progress, |folder| install_into(folder, progress))?;
    Ok(folder.join(COMPILER))
}

fn install_into(folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let (root, state) = (folder.join("root"), folder.join("apt"));
    let apt = Apt::of_suite(&state, SUITE, progress)?;
    apt.download_alone(COMPILER)?;
    apt.unpack(&LIBRARIES, "Rust for WebAssembly", &root)?;
    fs::remove_dir_all(&state).map_err(Error::io("remove", &state))?;
    // Nobody compiles for WASI, whose libraries are half of it.
    for target in ["wasm32-wasip1", "wasm32-wasip2"].map(|target| root.join("usr/lib/rustlib").join(target)) {
        if target.is_dir() {
            fs::remove_dir_all(&target).map_err(Error::io("remove", &target))?;
        }
    }
    let wrapper = folder.join(COMPILER);
    let script = script(&root).ok_or_else(|| Error::Install {
        name: "Rust for WebAssembly".into(),
        reason: "the packages held no dynamic loader".into(),
    })?;
    fs::write(&wrapper, script).map_err(Error::io("write", &wrapper))?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).map_err(Error::io("make executable", &wrapper))?;
    // Whether it runs at all is known now.
    let mut version = Command::new(&wrapper);
    version.args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]);
    command::output(version, "run Debian's rustc").map(drop)
}

/// A script that runs the compiler by the loader that came with it, wherever its folder is moved to. What it starts, such as the
/// linker, runs by the host's.
fn script(root: &Path) -> Option<String> {
    let libraries = program::library_folders(root);
    let below = |path: &Path| Some(format!("$root/{}", path.strip_prefix(root).ok()?.display()));
    let loader = below(&loader::among(&libraries)?)?;
    let libraries: Vec<String> = libraries.iter().filter_map(|folder| below(folder)).collect();
    Some(format!(
        "#!/bin/sh\nroot=$(dirname \"$(readlink -f \"$0\")\")/root\n\
         exec \"{loader}\" --library-path \"{}\" \"$root/usr/bin/{COMPILER}\" \"$@\"\n",
        libraries.join(":")
    ))
}
