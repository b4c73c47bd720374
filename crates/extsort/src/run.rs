//! A record, in memory and in a file: two lengths of four bytes, the key, the value.

/// A key and what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// What is sorted by, bytewise.
    pub key: &'a [u8],
    /// Anything.
    pub value: &'a [u8],
}

/// The bytes in front of a record's key.
pub(crate) const HEADER: usize = 8;

/// The lengths of a record. A key or value beyond 4 GiB is refused before.
pub(crate) fn header(key: &[u8], value: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&(key.len() as u32).to_le_bytes());
    header[4..].copy_from_slice(&(value.len() as u32).to_le_bytes());
    header
}

/// The lengths of key and value that a header holds.
pub(crate) fn lengths(header: [u8; HEADER]) -> (usize, usize) {
    let [a, b, c, d, e, f, g, h] = header;
    (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]) as usize)
}

impl<'a> Record<'a> {
    /// The record that begins at `at`.
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        let mut header = [0; HEADER];
        header.copy_from_slice(&bytes[at..at + HEADER]);
        let (key, value) = lengths(header);
        let (key, rest) = bytes[at + HEADER..].split_at(key);
        Self { key, value: &rest[..value] }
    }
}
