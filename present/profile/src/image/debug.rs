//! Finds installed debug files of a stripped program. The places are those of gdb's manual
//! ("Debugging Information in Separate Files"): by build id, and by the name in `.gnu_debuglink`.

use std::path::{Path, PathBuf};

use object::Object;
use object::read::elf::ElfFile64;

const DEBUG_ROOT: &str = "/usr/lib/debug";

/// Returns the content of the program's debug file: empty, or one element. Files with another build
/// id, or without one, are ignored.
pub(super) fn read_files(program: &Path, file: &ElfFile64<'_>) -> Vec<Vec<u8>> {
    let id = file.build_id().ok().flatten();
    let linked = file.gnu_debuglink().ok().flatten();
    let paths_by_debuglink =
        linked.map(|(name, _)| paths_by_debuglink(program, Path::new(&*String::from_utf8_lossy(name))));
    let candidates = id.and_then(path_by_build_id).into_iter().chain(paths_by_debuglink.into_iter().flatten());
    let same_build = |bytes: &Vec<u8>| match (id, ElfFile64::<object::Endianness>::parse(&**bytes)) {
        (Some(id), Ok(debug)) => debug.build_id().ok().flatten() == Some(id),
        _ => false,
    };
    candidates
        .filter_map(|path| files::read_small(&path, super::MAX_FILE_BYTES).ok())
        .filter(same_build)
        .take(1)
        .collect()
}

fn path_by_build_id(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Path::new(DEBUG_ROOT).join(format!(".build-id/{first:02x}/{rest}.debug")))
}

fn paths_by_debuglink(program: &Path, name: &Path) -> Vec<PathBuf> {
    let folder = program.parent().unwrap_or(Path::new("/"));
    let below_root = Path::new(DEBUG_ROOT).join(folder.strip_prefix("/").unwrap_or(folder));
    vec![folder.join(name), folder.join(".debug").join(name), below_root.join(name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_in_the_places_of_gdbs_manual() {
        assert_eq!(
            path_by_build_id(&[0xab, 0xcd, 0x01]),
            Some(PathBuf::from("/usr/lib/debug/.build-id/ab/cd01.debug"))
        );
        let places = paths_by_debuglink(Path::new("/usr/sbin/mysqld"), Path::new("x.debug"));
        let paths: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
        assert_eq!(paths, ["/usr/sbin/x.debug", "/usr/sbin/.debug/x.debug", "/usr/lib/debug/usr/sbin/x.debug"]);
    }
}
