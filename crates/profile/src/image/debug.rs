//! Debug files: what a distribution stripped from a program, where it is installed. They are looked for where gdb's manual
//! ("Debugging Information in Separate Files") has them: by build id, and by the name in `.gnu_debuglink`.

use std::fs;
use std::path::{Path, PathBuf};

use object::Object;
use object::read::elf::ElfFile64;

const ROOT: &str = "/usr/lib/debug";

/// The debug files of a program, at most one of each kind.
pub(super) fn files(program: &Path, file: &ElfFile64<'_>) -> Vec<Vec<u8>> {
    let id = file.build_id().ok().flatten();
    let linked = file.gnu_debuglink().ok().flatten();
    let by_link = linked.map(|(name, _)| by_link(program, Path::new(&*String::from_utf8_lossy(name))));
    let candidates = id.and_then(by_id).into_iter().chain(by_link.into_iter().flatten());
    let same_build = |bytes: &Vec<u8>| match (id, ElfFile64::<object::Endianness>::parse(&**bytes)) {
        (Some(id), Ok(debug)) => debug.build_id().ok().flatten() == Some(id),
        _ => false,
    };
    candidates.filter_map(|path| fs::read(path).ok()).filter(same_build).take(1).collect()
}

fn by_id(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Path::new(ROOT).join(format!(".build-id/{first:02x}/{rest}.debug")))
}

fn by_link(program: &Path, name: &Path) -> Vec<PathBuf> {
    let folder = program.parent().unwrap_or(Path::new("/"));
    let below_root = Path::new(ROOT).join(folder.strip_prefix("/").unwrap_or(folder));
    vec![folder.join(name), folder.join(".debug").join(name), below_root.join(name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_gdbs_manual() {
        assert_eq!(by_id(&[0xab, 0xcd, 0x01]), Some(PathBuf::from("/usr/lib/debug/.build-id/ab/cd01.debug")));
        let places = by_link(Path::new("/usr/sbin/mysqld"), Path::new("x.debug"));
        let told: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
        assert_eq!(told, ["/usr/sbin/x.debug", "/usr/sbin/.debug/x.debug", "/usr/lib/debug/usr/sbin/x.debug"]);
    }
}
