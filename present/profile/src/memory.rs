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
        let is_mapping =
            |line: &str| line.starts_with(&format!("{:x}-", mapping.start)) && line.ends_with(&*mapping.module);
        if !maps.lines().any(is_mapping) {
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
        Some(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect())
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
