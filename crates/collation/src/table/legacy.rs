//! Orders of bytes and of multi-byte characters: files of `data/legacy`, as they are.

use crate::charset::Pages;

/// The weights of a multi-byte character set.
///
/// ```text
/// weights of characters of one byte    256 bytes
/// weights of characters of two         pages, where they aren't the characters' own bytes
/// ```
/// `big5_chinese_ci` compares characters of two bytes by these, but answers other weights to `WEIGHT_STRING`: its pages are for that
/// alone.
pub(crate) struct MultiByte {
    singles: &'static [u8; 256],
    doubles: Option<Pages>,
    answered: Option<Pages>,
}

impl MultiByte {
    const fn new(file: &'static [u8]) -> Self {
        let Some((singles, rest)) = file.split_first_chunk::<256>() else { panic!("256 weights") };
        if rest.is_empty() {
            return Self { singles, doubles: None, answered: None };
        }
        let (doubles, rest) = Pages::split(rest);
        assert!(rest.is_empty());
        Self { singles, doubles: Some(doubles), answered: Some(doubles) }
    }

    /// The same, but that characters of two bytes compare by these.
    const fn only_answered(self) -> Self {
        Self { doubles: None, ..self }
    }

    /// The weight of a character of one byte, or of an ill-formed byte.
    #[inline(always)]
    pub(crate) fn single(&self, byte: u8) -> u8 {
        self.singles[usize::from(byte)]
    }

    /// The weight of a character of two bytes.
    #[inline(always)]
    pub(crate) fn double(&self, first: u8, second: u8) -> u16 {
        match &self.doubles {
            Some(pages) => pages.get(first, second),
            None => u16::from_be_bytes([first, second]),
        }
    }

    /// What `WEIGHT_STRING` answers for a character of two bytes.
    pub(crate) fn answered(&self, first: u8, second: u8) -> u16 {
        self.answered.map_or_else(|| u16::from_be_bytes([first, second]), |pages| pages.get(first, second))
    }
}

macro_rules! legacy {
    ($($table:ident $name:literal)*; $($multi:ident $file:literal)*) => {
        $(
            #[doc = concat!("The weight of each byte in `", $name, "`.")]
            pub(crate) static $table: [u8; 256] = *include_bytes!(concat!("../../data/legacy/", $name, ".bin"));
        )*
        $(
            #[doc = concat!("The weights of `", $file, "`.")]
            pub(crate) static $multi: MultiByte =
                MultiByte::new(include_bytes!(concat!("../../data/legacy/", $file, ".bin")));
        )*
    };
}

legacy! {
    ARMSCII8_GENERAL_CI "armscii8_general_ci"
    CP1250_CROATIAN_CI "cp1250_croatian_ci"
    CP1250_GENERAL_CI "cp1250_general_ci"
    CP1250_POLISH_CI "cp1250_polish_ci"
    CP1251_BULGARIAN_CI "cp1251_bulgarian_ci"
    CP1251_GENERAL_CI "cp1251_general_ci"
    CP1251_GENERAL_CS "cp1251_general_cs"
    CP1251_UKRAINIAN_CI "cp1251_ukrainian_ci"
    CP1256_GENERAL_CI "cp1256_general_ci"
    CP1257_GENERAL_CI "cp1257_general_ci"
    CP1257_LITHUANIAN_CI "cp1257_lithuanian_ci"
    CP850_GENERAL_CI "cp850_general_ci"
    CP852_GENERAL_CI "cp852_general_ci"
    CP866_GENERAL_CI "cp866_general_ci"
    DEC8_SWEDISH_CI "dec8_swedish_ci"
    GEOSTD8_GENERAL_CI "geostd8_general_ci"
    GREEK_GENERAL_CI "greek_general_ci"
    HEBREW_GENERAL_CI "hebrew_general_ci"
    HP8_ENGLISH_CI "hp8_english_ci"
    KEYBCS2_GENERAL_CI "keybcs2_general_ci"
    KOI8R_GENERAL_CI "koi8r_general_ci"
    KOI8U_GENERAL_CI "koi8u_general_ci"
    LATIN2_CROATIAN_CI "latin2_croatian_ci"
    LATIN2_GENERAL_CI "latin2_general_ci"
    LATIN2_HUNGARIAN_CI "latin2_hungarian_ci"
    LATIN5_TURKISH_CI "latin5_turkish_ci"
    LATIN7_ESTONIAN_CS "latin7_estonian_cs"
    LATIN7_GENERAL_CI "latin7_general_ci"
    LATIN7_GENERAL_CS "latin7_general_cs"
    MACCE_GENERAL_CI "macce_general_ci"
    MACROMAN_GENERAL_CI "macroman_general_ci"
    SWE7_SWEDISH_CI "swe7_swedish_ci"
;
    CP932_JAPANESE_CI "cp932_japanese_ci"
    EUCJPMS_JAPANESE_CI "eucjpms_japanese_ci"
    EUCKR_KOREAN_CI "euckr_korean_ci"
    GB2312_CHINESE_CI "gb2312_chinese_ci"
    GBK_CHINESE_CI "gbk_chinese_ci"
    SJIS_JAPANESE_CI "sjis_japanese_ci"
    UJIS_JAPANESE_CI "ujis_japanese_ci"
}

/// The weights of `big5_chinese_ci`.
pub(crate) static BIG5_CHINESE_CI: MultiByte =
    MultiByte::new(include_bytes!("../../data/legacy/big5_chinese_ci.bin")).only_answered();
