//! Dynamic loaders in unpacked packages and images.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::FileHeader64;
use object::elf::PT_INTERP;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache};

/// Maximum length of a loader's name: `PATH_MAX`.
const MAX_NAME_BYTES: u64 = 4096;

/// Maximum number of segments of a program. Servers have about 12; `u16::MAX` would mean that the
/// number stands elsewhere, and has 32 bits.
const MAX_SEGMENTS: u16 = 1024;

/// Finds the loader that `program` names, below the root that it was unpacked into. Debian, Red
/// Hat and Alpine name different loaders, and a root may contain several.
pub(super) fn find_named(program: &Path, root: &Path) -> Option<PathBuf> {
    let named = read_interpreter(program)?;
    // An incomplete root may lack the link from /lib64 to /usr/lib64.
    let merged = Path::new("/usr").join(named.strip_prefix("/").ok()?);
    [named, merged].iter().filter_map(|path| image::resolve_in_root(root, path).ok()).find(|path| path.is_file())
}

/// Reads `PT_INTERP` of a 64-bit ELF file, such as `/lib64/ld-linux-x86-64.so.2`. `None` for other
/// files, such as scripts, for a program without a loader, and if the header's sizes are out of
/// bounds: the file may be a stranger's.
fn read_interpreter(program: &Path) -> Option<PathBuf> {
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_phnum(endian) > MAX_SEGMENTS {
        return None;
    }
    let segments = header.program_headers(endian, &data).ok()?;
    let named = segments.iter().find(|segment| segment.p_type(endian) == PT_INTERP)?;
    if named.p_filesz(endian) > MAX_NAME_BYTES {
        return None;
    }
    let path = named.interpreter(endian, &data).ok()??;
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

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    /// Writes a 64-bit program whose first segment is a loader's name of `size` bytes at 4096.
    fn write_program(size: u64, segments: u16) -> tempfile::NamedTempFile {
        let mut elf = vec![0_u8; 64 + 56];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        elf[20] = 1;
        elf[32] = 64;
        elf[52] = 64;
        elf[54] = 56;
        elf[56..58].copy_from_slice(&segments.to_le_bytes());
        elf[64] = 3;
        elf[64 + 8..64 + 16].copy_from_slice(&4096_u64.to_le_bytes());
        elf[64 + 32..64 + 40].copy_from_slice(&size.to_le_bytes());
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&elf).unwrap();
        file.seek(SeekFrom::Start(4096)).unwrap();
        file.write_all(b"/lib/ld.so\0").unwrap();
        // A hole, so that every size lies within the file.
        file.as_file().set_len(4096 + size.max(1 << 20)).unwrap();
        file
    }

    #[test]
    fn names_of_loaders_and_segments_have_a_bound() {
        let read = |size, segments| read_interpreter(write_program(size, segments).path());
        assert_eq!(read(11, 1), Some("/lib/ld.so".into()));
        assert_eq!(read(4096, 9), Some("/lib/ld.so".into()));
        assert_eq!(read(4097, 1), None);
        assert_eq!(read(1 << 32, 1), None);
        assert_eq!(read(11, MAX_SEGMENTS + 1), None);
    }
}
