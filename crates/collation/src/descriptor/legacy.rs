//! The collations of 8-bit and multi-byte character sets, but for `latin1` and `ascii`.

use Flavour::{MariaDb, MySql};

use super::{Descriptor, Kind, both, one, only};
use crate::table::legacy;
use crate::{Charset, Flavour};

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static Descriptor> {
    MYSQL_ONLY.iter().chain(&MARIADB_ONLY).chain(BOTH.iter().flatten())
}

both! {
    "armscii8_bin": Armscii8, Kind::Bytes;
    "armscii8_general_ci": Armscii8, Kind::Order(&legacy::ARMSCII8_GENERAL_CI);
    "big5_bin": Big5, Kind::Bytes;
    "big5_chinese_ci": Big5, Kind::MultiByte(&legacy::BIG5_CHINESE_CI);
    "cp1250_bin": Cp1250, Kind::Bytes;
    "cp1250_croatian_ci": Cp1250, Kind::Order(&legacy::CP1250_CROATIAN_CI);
    "cp1250_general_ci": Cp1250, Kind::Order(&legacy::CP1250_GENERAL_CI);
    "cp1250_polish_ci": Cp1250, Kind::Order(&legacy::CP1250_POLISH_CI);
    "cp1251_bin": Cp1251, Kind::Bytes;
    "cp1251_bulgarian_ci": Cp1251, Kind::Order(&legacy::CP1251_BULGARIAN_CI);
    "cp1251_general_ci": Cp1251, Kind::Order(&legacy::CP1251_GENERAL_CI);
    "cp1251_general_cs": Cp1251, Kind::Order(&legacy::CP1251_GENERAL_CS);
    "cp1251_ukrainian_ci": Cp1251, Kind::Order(&legacy::CP1251_UKRAINIAN_CI);
    "cp1256_bin": Cp1256, Kind::Bytes;
    "cp1256_general_ci": Cp1256, Kind::Order(&legacy::CP1256_GENERAL_CI);
    "cp1257_bin": Cp1257, Kind::Bytes;
    "cp1257_general_ci": Cp1257, Kind::Order(&legacy::CP1257_GENERAL_CI);
    "cp1257_lithuanian_ci": Cp1257, Kind::Order(&legacy::CP1257_LITHUANIAN_CI);
    "cp850_bin": Cp850, Kind::Bytes;
    "cp850_general_ci": Cp850, Kind::Order(&legacy::CP850_GENERAL_CI);
    "cp852_bin": Cp852, Kind::Bytes;
    "cp852_general_ci": Cp852, Kind::Order(&legacy::CP852_GENERAL_CI);
    "cp866_bin": Cp866, Kind::Bytes;
    "cp866_general_ci": Cp866, Kind::Order(&legacy::CP866_GENERAL_CI);
    "cp932_bin": Cp932, Kind::Bytes;
    "cp932_japanese_ci": Cp932, Kind::MultiByte(&legacy::CP932_JAPANESE_CI);
    "dec8_bin": Dec8, Kind::Bytes;
    "dec8_swedish_ci": Dec8, Kind::Order(&legacy::DEC8_SWEDISH_CI);
    "eucjpms_bin": Eucjpms, Kind::Bytes;
    "eucjpms_japanese_ci": Eucjpms, Kind::MultiByte(&legacy::EUCJPMS_JAPANESE_CI);
    "euckr_bin": Euckr, Kind::Bytes;
    "euckr_korean_ci": Euckr, Kind::MultiByte(&legacy::EUCKR_KOREAN_CI);
    "gb2312_bin": Gb2312, Kind::Bytes;
    "gb2312_chinese_ci": Gb2312, Kind::MultiByte(&legacy::GB2312_CHINESE_CI);
    "gbk_bin": Gbk, Kind::Bytes;
    "gbk_chinese_ci": Gbk, Kind::MultiByte(&legacy::GBK_CHINESE_CI);
    "geostd8_bin": Geostd8, Kind::Bytes;
    "geostd8_general_ci": Geostd8, Kind::Order(&legacy::GEOSTD8_GENERAL_CI);
    "greek_bin": Greek, Kind::Bytes;
    "greek_general_ci": Greek, Kind::Order(&legacy::GREEK_GENERAL_CI);
    "hebrew_bin": Hebrew, Kind::Bytes;
    "hebrew_general_ci": Hebrew, Kind::Order(&legacy::HEBREW_GENERAL_CI);
    "hp8_bin": Hp8, Kind::Bytes;
    "hp8_english_ci": Hp8, Kind::Order(&legacy::HP8_ENGLISH_CI);
    "keybcs2_bin": Keybcs2, Kind::Bytes;
    "keybcs2_general_ci": Keybcs2, Kind::Order(&legacy::KEYBCS2_GENERAL_CI);
    "koi8r_bin": Koi8r, Kind::Bytes;
    "koi8r_general_ci": Koi8r, Kind::Order(&legacy::KOI8R_GENERAL_CI);
    "koi8u_bin": Koi8u, Kind::Bytes;
    "koi8u_general_ci": Koi8u, Kind::Order(&legacy::KOI8U_GENERAL_CI);
    "latin2_bin": Latin2, Kind::Bytes;
    "latin2_croatian_ci": Latin2, Kind::Order(&legacy::LATIN2_CROATIAN_CI);
    "latin2_general_ci": Latin2, Kind::Order(&legacy::LATIN2_GENERAL_CI);
    "latin2_hungarian_ci": Latin2, Kind::Order(&legacy::LATIN2_HUNGARIAN_CI);
    "latin5_bin": Latin5, Kind::Bytes;
    "latin5_turkish_ci": Latin5, Kind::Order(&legacy::LATIN5_TURKISH_CI);
    "latin7_bin": Latin7, Kind::Bytes;
    "latin7_estonian_cs": Latin7, Kind::Order(&legacy::LATIN7_ESTONIAN_CS);
    "latin7_general_ci": Latin7, Kind::Order(&legacy::LATIN7_GENERAL_CI);
    "latin7_general_cs": Latin7, Kind::Order(&legacy::LATIN7_GENERAL_CS);
    "macce_bin": Macce, Kind::Bytes;
    "macce_general_ci": Macce, Kind::Order(&legacy::MACCE_GENERAL_CI);
    "macroman_bin": Macroman, Kind::Bytes;
    "macroman_general_ci": Macroman, Kind::Order(&legacy::MACROMAN_GENERAL_CI);
    "sjis_bin": Sjis, Kind::Bytes;
    "sjis_japanese_ci": Sjis, Kind::MultiByte(&legacy::SJIS_JAPANESE_CI);
    "swe7_bin": Swe7, Kind::Bytes;
    "swe7_swedish_ci": Swe7, Kind::Order(&legacy::SWE7_SWEDISH_CI);
    "tis620_bin": Tis620, Kind::Bytes;
    "ujis_bin": Ujis, Kind::Bytes;
    "ujis_japanese_ci": Ujis, Kind::MultiByte(&legacy::UJIS_JAPANESE_CI);
}

only! {
    MYSQL_ONLY, MySql, "Those of MySQL: MariaDB lacks the character set.",
    "gb18030_bin": Gb18030, Kind::Bytes;
}

only! {
    MARIADB_ONLY, MariaDb, "Those of MariaDB: without padding.",
    "armscii8_general_nopad_ci": Armscii8, Kind::Order(&legacy::ARMSCII8_GENERAL_CI);
    "armscii8_nopad_bin": Armscii8, Kind::Bytes;
    "big5_chinese_nopad_ci": Big5, Kind::MultiByte(&legacy::BIG5_CHINESE_CI);
    "big5_nopad_bin": Big5, Kind::Bytes;
    "cp1250_general_nopad_ci": Cp1250, Kind::Order(&legacy::CP1250_GENERAL_CI);
    "cp1250_nopad_bin": Cp1250, Kind::Bytes;
    "cp1251_general_nopad_ci": Cp1251, Kind::Order(&legacy::CP1251_GENERAL_CI);
    "cp1251_nopad_bin": Cp1251, Kind::Bytes;
    "cp1256_general_nopad_ci": Cp1256, Kind::Order(&legacy::CP1256_GENERAL_CI);
    "cp1256_nopad_bin": Cp1256, Kind::Bytes;
    "cp1257_general_nopad_ci": Cp1257, Kind::Order(&legacy::CP1257_GENERAL_CI);
    "cp1257_nopad_bin": Cp1257, Kind::Bytes;
    "cp850_general_nopad_ci": Cp850, Kind::Order(&legacy::CP850_GENERAL_CI);
    "cp850_nopad_bin": Cp850, Kind::Bytes;
    "cp852_general_nopad_ci": Cp852, Kind::Order(&legacy::CP852_GENERAL_CI);
    "cp852_nopad_bin": Cp852, Kind::Bytes;
    "cp866_general_nopad_ci": Cp866, Kind::Order(&legacy::CP866_GENERAL_CI);
    "cp866_nopad_bin": Cp866, Kind::Bytes;
    "cp932_japanese_nopad_ci": Cp932, Kind::MultiByte(&legacy::CP932_JAPANESE_CI);
    "cp932_nopad_bin": Cp932, Kind::Bytes;
    "dec8_nopad_bin": Dec8, Kind::Bytes;
    "dec8_swedish_nopad_ci": Dec8, Kind::Order(&legacy::DEC8_SWEDISH_CI);
    "eucjpms_japanese_nopad_ci": Eucjpms, Kind::MultiByte(&legacy::EUCJPMS_JAPANESE_CI);
    "eucjpms_nopad_bin": Eucjpms, Kind::Bytes;
    "euckr_korean_nopad_ci": Euckr, Kind::MultiByte(&legacy::EUCKR_KOREAN_CI);
    "euckr_nopad_bin": Euckr, Kind::Bytes;
    "gb2312_chinese_nopad_ci": Gb2312, Kind::MultiByte(&legacy::GB2312_CHINESE_CI);
    "gb2312_nopad_bin": Gb2312, Kind::Bytes;
    "gbk_chinese_nopad_ci": Gbk, Kind::MultiByte(&legacy::GBK_CHINESE_CI);
    "gbk_nopad_bin": Gbk, Kind::Bytes;
    "geostd8_general_nopad_ci": Geostd8, Kind::Order(&legacy::GEOSTD8_GENERAL_CI);
    "geostd8_nopad_bin": Geostd8, Kind::Bytes;
    "greek_general_nopad_ci": Greek, Kind::Order(&legacy::GREEK_GENERAL_CI);
    "greek_nopad_bin": Greek, Kind::Bytes;
    "hebrew_general_nopad_ci": Hebrew, Kind::Order(&legacy::HEBREW_GENERAL_CI);
    "hebrew_nopad_bin": Hebrew, Kind::Bytes;
    "hp8_english_nopad_ci": Hp8, Kind::Order(&legacy::HP8_ENGLISH_CI);
    "hp8_nopad_bin": Hp8, Kind::Bytes;
    "keybcs2_general_nopad_ci": Keybcs2, Kind::Order(&legacy::KEYBCS2_GENERAL_CI);
    "keybcs2_nopad_bin": Keybcs2, Kind::Bytes;
    "koi8r_general_nopad_ci": Koi8r, Kind::Order(&legacy::KOI8R_GENERAL_CI);
    "koi8r_nopad_bin": Koi8r, Kind::Bytes;
    "koi8u_general_nopad_ci": Koi8u, Kind::Order(&legacy::KOI8U_GENERAL_CI);
    "koi8u_nopad_bin": Koi8u, Kind::Bytes;
    "latin2_general_nopad_ci": Latin2, Kind::Order(&legacy::LATIN2_GENERAL_CI);
    "latin2_nopad_bin": Latin2, Kind::Bytes;
    "latin5_nopad_bin": Latin5, Kind::Bytes;
    "latin5_turkish_nopad_ci": Latin5, Kind::Order(&legacy::LATIN5_TURKISH_CI);
    "latin7_general_nopad_ci": Latin7, Kind::Order(&legacy::LATIN7_GENERAL_CI);
    "latin7_nopad_bin": Latin7, Kind::Bytes;
    "macce_general_nopad_ci": Macce, Kind::Order(&legacy::MACCE_GENERAL_CI);
    "macce_nopad_bin": Macce, Kind::Bytes;
    "macroman_general_nopad_ci": Macroman, Kind::Order(&legacy::MACROMAN_GENERAL_CI);
    "macroman_nopad_bin": Macroman, Kind::Bytes;
    "sjis_japanese_nopad_ci": Sjis, Kind::MultiByte(&legacy::SJIS_JAPANESE_CI);
    "sjis_nopad_bin": Sjis, Kind::Bytes;
    "swe7_nopad_bin": Swe7, Kind::Bytes;
    "swe7_swedish_nopad_ci": Swe7, Kind::Order(&legacy::SWE7_SWEDISH_CI);
    "tis620_nopad_bin": Tis620, Kind::Bytes;
    "ujis_japanese_nopad_ci": Ujis, Kind::MultiByte(&legacy::UJIS_JAPANESE_CI);
    "ujis_nopad_bin": Ujis, Kind::Bytes;
}
