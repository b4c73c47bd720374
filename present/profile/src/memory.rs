//! Memory of a running server, by the addresses of its program file. MariaDB gives some collations
//! their functions only at first use, so the file does not have these.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use crate::script::Mapping;

#[derive(Debug)]
pub(crate) struct ProcessMemory {
    file: File,
    /// Process address less file address, modulo 2⁶⁴.
    bias: u64,
}

impl ProcessMemory {
    /// Opens the memory of the process with this mapping. `address` is the file's address of the
    /// mapping's first byte. `None` without permission, and if the process has no such mapping: its
    /// pid may belong to another process by now.
    pub(crate) fn open(mapping: &Mapping, address: u64) -> Option<Self> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", mapping.pid)).ok()?;
        let mut mappings = maps.lines().filter_map(|line| parse_mapping(mapping.pid, line));
        if !mappings.any(|one| one.start == mapping.start && one.module == mapping.module) {
            return None;
        }
        let file = File::open(format!("/proc/{}/mem", mapping.pid)).ok()?;
        Some(Self { file, bias: mapping.start.wrapping_sub(address) })
    }

    /// Reads 64-bit words at an address of the file. `None` if one is not readable.
    pub(crate) fn words_at_file_address(&self, address: u64, count: usize) -> Option<Vec<u64>> {
        self.words(address.wrapping_add(self.bias), count)
    }

    /// Reads 64-bit words at an address of the process. `None` if one is not readable.
    pub(crate) fn words(&self, at: u64, count: usize) -> Option<Vec<u64>> {
        let mut bytes = vec![0; 8 * count];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(
            bytes
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes")))
                .collect(),
        )
    }

    /// Returns the zero-terminated ASCII text at an address of the process, up to 63 bytes.
    pub(crate) fn text(&self, at: u64) -> Option<String> {
        let mut bytes = [0; 64];
        let read = self.file.read_at(&mut bytes, at).ok()?;
        let end = bytes[..read].iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok().filter(|text| text.is_ascii()).map(str::to_owned)
    }

    /// Converts an address of the process to an address of the file.
    pub(crate) fn file_address(&self, at: u64) -> u64 {
        at.wrapping_sub(self.bias)
    }
}

/// Parses a line of `/proc/PID/maps`. `None` for memory without a file.
pub fn parse_mapping(pid: u32, line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(word)
    };
    // Addresses, permissions, offset, device, inode.
    let [range, _, offset, _, _] = [word()?, word()?, word()?, word()?, word()?];
    let (start, end) = range.split_once('-')?;
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let (start, end, offset) = (hexadecimal(start)?, hexadecimal(end)?, hexadecimal(offset)?);
    let module = rest.trim_start();
    module.starts_with('/').then(|| Mapping { pid, start, length: end - start, offset, module: module.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_mappings_of_files_only() {
        let line = "7f0a1000-7f0a3000 r-xp 00001000 08:01 1234                       /usr/lib/libc.so.6";
        let mapping = parse_mapping(7, line).unwrap();
        assert_eq!((mapping.start, mapping.length, mapping.offset), (0x7f0a_1000, 0x2000, 0x1000));
        assert_eq!(&*mapping.module, "/usr/lib/libc.so.6");
        // A program that is not position-independent: the kernel writes at least eight digits.
        let mapping = parse_mapping(7, "00400000-00c00000 r-xp 00000000 08:01 77 /opt/my sql/mysqld").unwrap();
        assert_eq!((mapping.start, &*mapping.module), (0x40_0000, "/opt/my sql/mysqld"));
        assert!(parse_mapping(7, "7ffd0000-7ffd1000 rw-p 00000000 00:00 0      [stack]").is_none());
        assert!(parse_mapping(7, "7ffd0000-7ffd1000 rw-p 00000000 00:00 0").is_none());
        assert!(parse_mapping(7, "7ffd0000-7ffd1000 rw-p 00000000 00:00 0 ").is_none());
    }
}
