//! The dynamic loader that came with a program.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache};

/// The loader that a program names, in the root that it was unpacked into: Debian's, Red Hat's and Alpine's differ, and
/// a root may hold one for other programs beside it.
pub(crate) fn of(program: &Path, root: &Path) -> Option<PathBuf> {
    let named = interpreter(program)?;
    // Of a root that is not whole, the link from /lib64 to /usr/lib64 may be missing.
    let merged = Path::new("/usr").join(named.strip_prefix("/").ok()?);
    [named, merged].iter().filter_map(|path| image::inside(root, path).ok()).find(|path| path.is_file())
}

/// What the program's `PT_INTERP` says, such as `/lib64/ld-linux-x86-64.so.2`.
fn interpreter(program: &Path) -> Option<PathBuf> {
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let path = segments.iter().find_map(|segment| segment.interpreter(endian, &data).ok()?)?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// The loader among the libraries, for a program that is a script. A link will not do: an absolute one leads to the
/// host's loader.
pub(crate) fn among(libraries: &[PathBuf]) -> Option<PathBuf> {
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let named = name.starts_with("ld-linux") || (name.starts_with("ld-2.") && name.ends_with(".so"));
        named && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    };
    let files = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    libraries.iter().flat_map(files).find(is_loader)
}
