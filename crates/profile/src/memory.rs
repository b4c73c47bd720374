//! What a running server has in memory where its program file says that it is: some collations get their functions only when they
//! are first used.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use crate::script::Mapping;

/// A process's memory by the addresses of its program file.
#[derive(Debug)]
pub(crate) struct Memory {
    file: File,
    /// What to add to an address of the file.
    bias: u64,
}

impl Memory {
    /// The memory of the process that has this mapping, whose first byte the file gives this address. `None` where it may not be
    /// read, and where the process has no such mapping: its number may have passed on to another since.
    pub(crate) fn of(mapping: &Mapping, address: u64) -> Option<Self> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", mapping.pid)).ok()?;
        let same = |line: &str| line.starts_with(&format!("{:x}-", mapping.start)) && line.ends_with(&*mapping.module);
        if !maps.lines().any(same) {
            return None;
        }
        let file = File::open(format!("/proc/{}/mem", mapping.pid)).ok()?;
        Some(Self { file, bias: mapping.start.wrapping_sub(address) })
    }

    /// The words at an address of the file.
    pub(crate) fn words_of_file(&self, address: u64, count: usize) -> Option<Vec<u64>> {
        self.words(address.wrapping_add(self.bias), count)
    }

    /// The words at an address of the process.
    pub(crate) fn words(&self, at: u64, count: usize) -> Option<Vec<u64>> {
        let mut bytes = vec![0; 8 * count];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect())
    }

    /// The text at an address of the process, up to 64 bytes of ASCII that end in a zero.
    pub(crate) fn text(&self, at: u64) -> Option<String> {
        let mut bytes = [0; 64];
        let read = self.file.read_at(&mut bytes, at).ok()?;
        let end = bytes[..read].iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok().filter(|text| text.is_ascii()).map(str::to_owned)
    }

    /// The address of the file for one of the process.
    pub(crate) fn in_file(&self, at: u64) -> u64 {
        at.wrapping_sub(self.bias)
    }
}
