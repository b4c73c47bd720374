//! A Rust compiler with the standard library for WebAssembly: Debian's, for machines whose own
//! compiler lacks it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{library_folders, loader};
use crate::source::apt::Apt;
use crate::{Cache, Error, Progress, command};

/// Debian suite with a compiler that is new enough for this project.
const SUITE: &str = "sid";

/// Standard libraries: for WebAssembly, and for this machine, whose build scripts and macros run
/// during compilation. Both depend on the compiler's own library, which apt therefore downloads,
/// too.
const LIBRARIES: [&str; 2] = ["libstd-rust-dev-wasm32", "libstd-rust-dev"];

/// Package of the compiler, downloaded without its dependency on a C compiler.
const COMPILER: &str = "rustc";

const CACHE_KEY: &str = "tools/rustc-wasm32";

/// Returns a `rustc` for the target `wasm32-unknown-unknown`, installed first if it is missing.
pub fn find_or_install_wasm_rustc(progress: &dyn Progress) -> Result<PathBuf, Error> {
    let folder = Cache::for_user()?.folder_or_create(CACHE_KEY, 1200, progress, |folder| install(folder, progress))?;
    Ok(folder.join(COMPILER))
}

fn install(folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let root = folder.join("root");
    let apt = Apt::for_suite(&folder.join("apt"), SUITE, progress)?;
    apt.download_without_dependencies(COMPILER)?;
    apt.download(&LIBRARIES, "Rust for WebAssembly", progress)?.unpack(&root, progress)?;
    // The libraries for WASI are unused, and half of the size.
    for target in ["wasm32-wasip1", "wasm32-wasip2"].map(|target| root.join("usr/lib/rustlib").join(target)) {
        if target.is_dir() {
            fs::remove_dir_all(&target).map_err(Error::io("remove", &target))?;
        }
    }
    let wrapper = folder.join(COMPILER);
    let script = wrapper_script(&root).ok_or_else(|| Error::Install {
        name: "Rust for WebAssembly".into(),
        reason: "the packages contain no dynamic loader".into(),
    })?;
    fs::write(&wrapper, script).map_err(Error::io("write", &wrapper))?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).map_err(Error::io("make executable", &wrapper))?;
    // Fails now if the compiler does not run on this machine.
    let mut version = Command::new(&wrapper);
    version.args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]);
    command::output(version, "run Debian's rustc").map(drop)
}

/// Returns a script that runs the compiler with the loader in `root`. The script finds both
/// relative to its own path. Programs that the compiler starts, such as the linker, run with the
/// host's loader.
fn wrapper_script(root: &Path) -> Option<String> {
    let libraries = library_folders(root);
    let below_root = |path: &Path| Some(format!("$root/{}", path.strip_prefix(root).ok()?.display()));
    let loader = below_root(&loader::find_in(&libraries)?)?;
    let libraries: Vec<String> = libraries.iter().filter_map(|folder| below_root(folder)).collect();
    Some(format!(
        "#!/bin/sh\nroot=$(dirname \"$(readlink -f \"$0\")\")/root\n\
         exec \"{loader}\" --library-path \"{}\" \"$root/usr/bin/{COMPILER}\" \"$@\"\n",
        libraries.join(":")
    ))
}
