//! Orders of bytes and of multi-byte characters: files of `data/legacy`, as they are.

use super::{ByteOrder, Gb18030};
use crate::charset::Pages;
use crate::descriptor::same;

/// The weights of a multi-byte character set.
///
/// ```text
/// weights of characters of one byte    256 bytes
/// weights of characters of two         pages, where they aren't the characters' own bytes
/// ```
/// `big5_chinese_ci` compares characters of two bytes by their bytes, but answers other weights to `WEIGHT_STRING`: its pages are for that
/// alone.
pub(crate) struct MultiByte {
    singles: &'static [u8; 256],
    doubles: Option<Pages>,
    answered: Option<Pages>,
    /// Whether the second byte of a character compares as a character of one byte does: a small letter as its capital.
    pub(crate) folds_second: bool,
}

impl MultiByte {
    const fn new(file: &'static [u8]) -> Self {
        let Some((singles, rest)) = file.split_first_chunk::<256>() else { panic!("256 weights") };
        if rest.is_empty() {
            return Self { singles, doubles: None, answered: None, folds_second: false };
        }
        let (doubles, rest) = Pages::split(rest);
        assert!(rest.is_empty());
        Self { singles, doubles: Some(doubles), answered: Some(doubles), folds_second: false }
    }

    /// The same, but that characters of two bytes compare by their bytes.
    const fn only_answered(file: &'static [u8]) -> Self {
        Self { doubles: None, ..Self::new(file) }
    }

    /// The same, but that second bytes compare as characters of one byte do.
    const fn folding_second(file: &'static [u8]) -> Self {
        let folding = Self { folds_second: true, ..Self::new(file) };
        let mut byte = 0x80;
        while byte < 256 {
            assert!(folding.singles[byte] == byte as u8, "as `are_bytes` says");
            byte += 1;
        }
        folding
    }

    /// The weight of a character of one byte, or of an ill-formed byte.
    #[inline(always)]
    pub(crate) fn single(&self, byte: u8) -> u8 {
        self.singles[usize::from(byte)]
    }

    /// Whether the weights of characters of two bytes are these bytes, but for letters of ASCII.
    #[inline(always)]
    pub(crate) fn are_bytes(&self) -> bool {
        self.doubles.is_none()
    }

    /// The weight of a character of two bytes.
    #[inline(always)]
    pub(crate) fn double(&self, first: u8, second: u8) -> u16 {
        match &self.doubles {
            Some(pages) => pages.get(first, second),
            None if self.folds_second => u16::from_be_bytes([first, self.single(second)]),
            None => u16::from_be_bytes([first, second]),
        }
    }

    /// What `WEIGHT_STRING` answers for a character of two bytes.
    pub(crate) fn answered(&self, first: u8, second: u8) -> u16 {
        self.answered.map_or_else(|| u16::from_be_bytes([first, second]), |pages| pages.get(first, second))
    }
}

/// `euckr_korean_ci` in MySQL, which takes `b061` for `b041`; in MariaDB these are two characters.
pub(crate) static MYSQL_EUCKR_KOREAN: MultiByte =
    MultiByte::folding_second(include_bytes!("../../data/legacy/euckr_korean_ci.bin"));

/// `gb18030_chinese_ci`.
pub(crate) static GB18030_CHINESE: Gb18030 = Gb18030::new(include_bytes!("../../data/legacy/gb18030_chinese_ci.bin"));

/// Tables of files, found by the names of their collations.
macro_rules! files {
    ($($name:literal)*) => {
        /// The weight of each byte in a collation of an 8-bit character set.
        pub(crate) const fn byte_order(name: &[u8]) -> Option<&'static ByteOrder> {
            $({
                static ORDER: ByteOrder = ByteOrder::of(include_bytes!(concat!("../../data/legacy/", $name, ".bin")));
                if same(name, $name.as_bytes()) {
                    return Some(&ORDER);
                }
            })*
            None
        }
    };
    ($($name:literal => $make:expr;)*) => {
        /// The weights of a collation of a multi-byte character set.
        pub(crate) const fn multi_byte(name: &[u8]) -> Option<&'static MultiByte> {
            $({
                static TABLE: MultiByte = $make(include_bytes!(concat!("../../data/legacy/", $name, ".bin")));
                if same(name, $name.as_bytes()) {
                    return Some(&TABLE);
                }
            })*
            None
        }
    };
}

files! {
    "armscii8_general_ci"
    "ascii_general_ci"
    "cp1250_croatian_ci"
    "cp1250_general_ci"
    "cp1250_polish_ci"
    "cp1251_bulgarian_ci"
    "cp1251_general_ci"
    "cp1251_general_cs"
    "cp1251_ukrainian_ci"
    "cp1256_general_ci"
    "cp1257_general_ci"
    "cp1257_lithuanian_ci"
    "cp850_general_ci"
    "cp852_general_ci"
    "cp866_general_ci"
    "dec8_swedish_ci"
    "geostd8_general_ci"
    "greek_general_ci"
    "hebrew_general_ci"
    "hp8_english_ci"
    "keybcs2_general_ci"
    "koi8r_general_ci"
    "koi8u_general_ci"
    "latin1_danish_ci"
    "latin1_general_ci"
    "latin1_general_cs"
    "latin1_german1_ci"
    "latin1_spanish_ci"
    "latin1_swedish_ci"
    "latin2_croatian_ci"
    "latin2_general_ci"
    "latin2_hungarian_ci"
    "latin5_turkish_ci"
    "latin7_estonian_cs"
    "latin7_general_ci"
    "latin7_general_cs"
    "macce_general_ci"
    "macroman_general_ci"
    "swe7_swedish_ci"
}

files! {
    "big5_chinese_ci" => MultiByte::only_answered;
    "cp932_japanese_ci" => MultiByte::new;
    "eucjpms_japanese_ci" => MultiByte::new;
    "euckr_korean_ci" => MultiByte::new;
    "gb2312_chinese_ci" => MultiByte::new;
    "gbk_chinese_ci" => MultiByte::new;
    "sjis_japanese_ci" => MultiByte::new;
    "ujis_japanese_ci" => MultiByte::new;
}
