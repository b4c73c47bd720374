//! Dynamic loaders in unpacked packages and images.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache};

/// Finds the loader that `program` names, below the root that it was unpacked into. Debian, Red
/// Hat and Alpine name different loaders, and a root may contain several.
pub(super) fn find_named(program: &Path, root: &Path) -> Option<PathBuf> {
    let named = read_interpreter(program)?;
    // An incomplete root may lack the link from /lib64 to /usr/lib64.
    let merged = Path::new("/usr").join(named.strip_prefix("/").ok()?);
    [named, merged].iter().filter_map(|path| image::resolve_in_root(root, path).ok()).find(|path| path.is_file())
}

/// Reads `PT_INTERP` of a 64-bit ELF file, such as `/lib64/ld-linux-x86-64.so.2`. `None` for other
/// files, such as scripts, and for a program without a loader.
fn read_interpreter(program: &Path) -> Option<PathBuf> {
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let path = segments.iter().find_map(|segment| segment.interpreter(endian, &data).ok()?)?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// Finds a loader in library folders. Ignores symbolic links: an absolute link leads to the host's
/// loader.
pub(crate) fn find_in(libraries: &[PathBuf]) -> Option<PathBuf> {
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let has_name = name.starts_with("ld-linux") || (name.starts_with("ld-2.") && name.ends_with(".so"));
        has_name && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    };
    let files = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    libraries.iter().flat_map(files).find(is_loader)
}
