//! Records, in memory and in a run. Layout: length of the key and length of the value (4 bytes
//! each, little endian), key, value.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Sort key, compared bytewise.
    pub key: &'a [u8],
    pub value: &'a [u8],
}

pub(crate) const HEADER_BYTES: usize = 8;

/// Returns a record's header. The caller has rejected keys and values of 4 GiB or more.
pub(crate) fn header(key: &[u8], value: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&(key.len() as u32).to_le_bytes());
    header[4..].copy_from_slice(&(value.len() as u32).to_le_bytes());
    header
}

/// Returns the lengths of key and value.
pub(crate) fn lengths(header: [u8; HEADER_BYTES]) -> (usize, usize) {
    let [a, b, c, d, e, f, g, h] = header;
    (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]) as usize)
}

impl<'a> Record<'a> {
    /// Returns the record at a byte offset.
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&bytes[at..at + HEADER_BYTES]);
        let (key, value) = lengths(header);
        let (key, rest) = bytes[at + HEADER_BYTES..].split_at(key);
        Self { key, value: &rest[..value] }
    }
}
