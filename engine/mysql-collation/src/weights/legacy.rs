//! Weights of bytes and of multi-byte characters: the files of `data/legacy`, included unchanged.

use crate::const_bytes::equal;
use crate::simd::ByteTable;
use crate::tables::{Gb18030, MultiByte};

/// Table of `euckr_korean_ci` in MySQL, where `x'B061'` = `x'B041'`. MariaDB distinguishes the two.
pub(crate) static MYSQL_EUCKR_KOREAN: MultiByte =
    MultiByte::folding_second(include_bytes!("../../data/legacy/euckr_korean_ci.bin"));

pub(crate) static GB18030_CHINESE: Gb18030 = Gb18030::new(include_bytes!("../../data/legacy/gb18030_chinese_ci.bin"));

/// Includes files and finds tables by the names of their collations.
macro_rules! files {
    ($($name:literal)*) => {
        /// Returns the weights of a collation of an 8-bit character set.
        pub(crate) const fn byte_table(name: &[u8]) -> Option<&'static ByteTable> {
            $({
                static TABLE: ByteTable = ByteTable::new(include_bytes!(concat!("../../data/legacy/", $name, ".bin")));
                if equal(name, $name.as_bytes()) {
                    return Some(&TABLE);
                }
            })*
            None
        }
    };
    ($($name:literal => $make:expr;)*) => {
        /// Returns the weights of a collation of a multi-byte character set.
        pub(crate) const fn multi_byte(name: &[u8]) -> Option<&'static MultiByte> {
            $({
                static TABLE: MultiByte = $make(include_bytes!(concat!("../../data/legacy/", $name, ".bin")));
                if equal(name, $name.as_bytes()) {
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
    "big5_chinese_ci" => MultiByte::with_weight_string_pages;
    "cp932_japanese_ci" => MultiByte::new;
    "eucjpms_japanese_ci" => MultiByte::new;
    "euckr_korean_ci" => MultiByte::new;
    "gb2312_chinese_ci" => MultiByte::new;
    "gbk_chinese_ci" => MultiByte::new;
    "sjis_japanese_ci" => MultiByte::new;
    "ujis_japanese_ci" => MultiByte::new;
}
