use crate::charset::Pages;

/// The weights of a collation in a multi-byte character set.
///
/// ```text
/// 256 bytes   weights of characters of one byte
/// pages       weights of characters of two bytes; absent if these are the characters' bytes
/// ```
///
/// `big5_chinese_ci` compares characters of two bytes by their bytes, but `WEIGHT_STRING` returns
/// different weights. The pages of `big5_chinese_ci` hold only the weights of `WEIGHT_STRING`.
pub(crate) struct MultiByte {
    singles: &'static [u8; 256],
    doubles: Option<Pages>,
    weight_string_pages: Option<Pages>,
    /// `true` if the second byte of a character has the weight of a character of one byte. ASCII
    /// letters in second bytes are then equal in both cases.
    pub(crate) folds_second: bool,
}

impl MultiByte {
    pub const fn new(file: &'static [u8]) -> Self {
        let Some((singles, rest)) = file.split_first_chunk::<256>() else { panic!("256 weights") };
        if rest.is_empty() {
            return Self { singles, doubles: None, weight_string_pages: None, folds_second: false };
        }
        let (doubles, rest) = Pages::split(rest);
        assert!(rest.is_empty());
        Self { singles, doubles: Some(doubles), weight_string_pages: Some(doubles), folds_second: false }
    }

    /// Creates a table that compares characters of two bytes by their bytes. The pages are for
    /// `WEIGHT_STRING`.
    pub const fn with_weight_string_pages(file: &'static [u8]) -> Self {
        Self { doubles: None, ..Self::new(file) }
    }

    /// Creates a table that compares second bytes like characters of one byte.
    pub const fn folding_second(file: &'static [u8]) -> Self {
        let folding = Self { folds_second: true, ..Self::new(file) };
        let mut byte = 0x80;
        while byte < 256 {
            assert!(folding.singles[byte] == byte as u8, "bytes beyond ASCII weigh themselves");
            byte += 1;
        }
        folding
    }

    /// Returns the weight of a character of one byte or of an ill-formed byte.
    #[inline(always)]
    pub(crate) fn single_byte_weight(&self, byte: u8) -> u8 {
        self.singles[usize::from(byte)]
    }

    /// Returns `true` if the weight of a character of two bytes is its bytes, except for the case
    /// of ASCII letters.
    #[inline(always)]
    pub(crate) fn doubles_are_bytes(&self) -> bool {
        self.doubles.is_none()
    }

    /// Returns the weight of a character of two bytes.
    #[inline(always)]
    pub(crate) fn double_byte_weight(&self, first: u8, second: u8) -> u16 {
        match &self.doubles {
            Some(pages) => pages.get(first, second),
            None if self.folds_second => u16::from_be_bytes([first, self.single_byte_weight(second)]),
            None => u16::from_be_bytes([first, second]),
        }
    }

    /// Returns `true` if the pages are only for `WEIGHT_STRING`.
    #[cfg(feature = "oracle")]
    pub(crate) fn has_weight_string_pages(&self) -> bool {
        self.doubles.is_none() && self.weight_string_pages.is_some()
    }

    /// Returns the weight that `WEIGHT_STRING` returns for a character of two bytes.
    pub(crate) fn weight_string(&self, first: u8, second: u8) -> u16 {
        self.weight_string_pages.map_or_else(|| u16::from_be_bytes([first, second]), |pages| pages.get(first, second))
    }
}
