//! Character sets with one byte per character.

/// The table of a single-byte character set.
///
/// ```text
/// 256 × 2 bytes    code points, little-endian; 0 if unassigned, except for byte 0
/// 1 byte each      bytes for encoding, in the order of their code points
/// ```
#[derive(Clone, Copy)]
pub(crate) struct SingleByte {
    code_points: &'static [u8; 512],
    encoded: &'static [u8],
}

impl SingleByte {
    /// Splits a committed table. A truncated file doesn't compile.
    pub(crate) const fn new(file: &'static [u8]) -> Self {
        let Some((code_points, encoded)) = file.split_first_chunk::<512>() else { panic!("256 code points") };
        Self { code_points, encoded }
    }

    pub(crate) fn decode(&self, byte: u8) -> Option<u32> {
        let code_point = self.code_point(byte);
        (code_point != 0 || byte == 0).then_some(code_point.into())
    }

    pub(crate) fn encode(&self, code_point: u32) -> Option<u8> {
        let wanted = u16::try_from(code_point).ok()?;
        let index = self.encoded.binary_search_by_key(&wanted, |&byte| self.code_point(byte)).ok()?;
        self.encoded.get(index).copied()
    }

    fn code_point(&self, byte: u8) -> u16 {
        u16::from_le_bytes(self.code_points.as_chunks::<2>().0[usize::from(byte)])
    }
}
