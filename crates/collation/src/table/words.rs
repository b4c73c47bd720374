//! Reading the committed tables, little-endian 16-bit words, when the library is compiled.

/// The word at `index`.
pub(super) const fn word(bytes: &[u8], index: usize) -> u16 {
    u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]])
}

/// `N` words from `index` on.
pub(super) const fn words<const N: usize>(bytes: &[u8], index: usize) -> [u16; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = word(bytes, index + i);
        i += 1;
    }
    out
}
