//! Collations of UTF-8, by flavour and id. What is not named is not linked: each is a static of its own.

use super::{Descriptor, Kind, by_id};
use crate::table::data;
use crate::{Charset, Collation, Flavour};

macro_rules! collations {
    ($flavour:ident, $all:ident, $statics:ident, $handles:ident, $server:literal: $($name:ident = $id:literal, $charset:ident, $kind:expr;)*) => {
        mod $statics {
            use super::*;

            $(pub static $name: Descriptor = by_id(Flavour::$flavour, $id, Charset::$charset, $kind);)*
        }

        /// All of them, by id.
        pub(crate) static $all: &[&Descriptor] = &[$(&$statics::$name),*];

        #[doc = concat!("The collations of ", $server, " for UTF-8, by name: a program that takes one from here links its table and no other.")]
        pub mod $handles {
            use super::*;

            $(
                #[doc = concat!("Collation ", $id, " of ", $server, ".")]
                pub const $name: Collation = Collation(&$statics::$name);
            )*
        }
    };
}

collations! {
    MySql, MYSQL, mysql_statics, mysql, "MySQL":
    UTF8MB3_GENERAL_CI = 33, Utf8mb3, Kind::Simple(&data::GENERAL);
    UTF8MB4_GENERAL_CI = 45, Utf8mb4, Kind::Simple(&data::GENERAL);
    UTF8MB4_BIN = 46, Utf8mb4, Kind::CodePoints(3);
    UTF8MB3_BIN = 83, Utf8mb3, Kind::CodePoints(2);
    UTF8MB3_UNICODE_CI = 192, Utf8mb3, Kind::Uca(&data::UCA400);
    UTF8MB3_ICELANDIC_CI = 193, Utf8mb3, Kind::Uca(&data::UCA400_ICELANDIC);
    UTF8MB3_LATVIAN_CI = 194, Utf8mb3, Kind::Uca(&data::UCA400_LATVIAN);
    UTF8MB3_ROMANIAN_CI = 195, Utf8mb3, Kind::Uca(&data::UCA400_ROMANIAN);
    UTF8MB3_SLOVENIAN_CI = 196, Utf8mb3, Kind::Uca(&data::UCA400_SLOVENIAN);
    UTF8MB3_POLISH_CI = 197, Utf8mb3, Kind::Uca(&data::UCA400_POLISH);
    UTF8MB3_ESTONIAN_CI = 198, Utf8mb3, Kind::Uca(&data::UCA400_ESTONIAN);
    UTF8MB3_SPANISH_CI = 199, Utf8mb3, Kind::Uca(&data::UCA400_SPANISH);
    UTF8MB3_SWEDISH_CI = 200, Utf8mb3, Kind::Uca(&data::UCA400_SWEDISH);
    UTF8MB3_TURKISH_CI = 201, Utf8mb3, Kind::Uca(&data::UCA400_TURKISH);
    UTF8MB3_CZECH_CI = 202, Utf8mb3, Kind::Uca(&data::UCA400_CZECH);
    UTF8MB3_DANISH_CI = 203, Utf8mb3, Kind::Uca(&data::UCA400_DANISH);
    UTF8MB3_LITHUANIAN_CI = 204, Utf8mb3, Kind::Uca(&data::UCA400_LITHUANIAN);
    UTF8MB3_SLOVAK_CI = 205, Utf8mb3, Kind::Uca(&data::UCA400_SLOVAK);
    UTF8MB3_SPANISH2_CI = 206, Utf8mb3, Kind::Uca(&data::UCA400_SPANISH2);
    UTF8MB3_ROMAN_CI = 207, Utf8mb3, Kind::Uca(&data::UCA400_ROMAN);
    UTF8MB3_PERSIAN_CI = 208, Utf8mb3, Kind::Uca(&data::UCA400_PERSIAN);
    UTF8MB3_ESPERANTO_CI = 209, Utf8mb3, Kind::Uca(&data::UCA400_ESPERANTO);
    UTF8MB3_HUNGARIAN_CI = 210, Utf8mb3, Kind::Uca(&data::UCA400_HUNGARIAN);
    UTF8MB3_SINHALA_CI = 211, Utf8mb3, Kind::Uca(&data::UCA400_SINHALA);
    UTF8MB3_GERMAN2_CI = 212, Utf8mb3, Kind::Uca(&data::UCA400_GERMAN2);
    UTF8MB3_CROATIAN_CI = 213, Utf8mb3, Kind::Uca(&data::UCA400_CROATIAN);
    UTF8MB3_UNICODE_520_CI = 214, Utf8mb3, Kind::Uca(&data::UCA520);
    UTF8MB3_VIETNAMESE_CI = 215, Utf8mb3, Kind::Uca(&data::UCA400_VIETNAMESE);
    UTF8MB3_GENERAL_MYSQL500_CI = 223, Utf8mb3, Kind::Simple(&data::GENERAL_MYSQL500);
    UTF8MB4_UNICODE_CI = 224, Utf8mb4, Kind::Uca(&data::UCA400);
    UTF8MB4_ICELANDIC_CI = 225, Utf8mb4, Kind::Uca(&data::UCA400_ICELANDIC);
    UTF8MB4_LATVIAN_CI = 226, Utf8mb4, Kind::Uca(&data::UCA400_LATVIAN);
    UTF8MB4_ROMANIAN_CI = 227, Utf8mb4, Kind::Uca(&data::UCA400_ROMANIAN);
    UTF8MB4_SLOVENIAN_CI = 228, Utf8mb4, Kind::Uca(&data::UCA400_SLOVENIAN);
    UTF8MB4_POLISH_CI = 229, Utf8mb4, Kind::Uca(&data::UCA400_POLISH);
    UTF8MB4_ESTONIAN_CI = 230, Utf8mb4, Kind::Uca(&data::UCA400_ESTONIAN);
    UTF8MB4_SPANISH_CI = 231, Utf8mb4, Kind::Uca(&data::UCA400_SPANISH);
    UTF8MB4_SWEDISH_CI = 232, Utf8mb4, Kind::Uca(&data::UCA400_SWEDISH);
    UTF8MB4_TURKISH_CI = 233, Utf8mb4, Kind::Uca(&data::UCA400_TURKISH);
    UTF8MB4_CZECH_CI = 234, Utf8mb4, Kind::Uca(&data::UCA400_CZECH);
    UTF8MB4_DANISH_CI = 235, Utf8mb4, Kind::Uca(&data::UCA400_DANISH);
    UTF8MB4_LITHUANIAN_CI = 236, Utf8mb4, Kind::Uca(&data::UCA400_LITHUANIAN);
    UTF8MB4_SLOVAK_CI = 237, Utf8mb4, Kind::Uca(&data::UCA400_SLOVAK);
    UTF8MB4_SPANISH2_CI = 238, Utf8mb4, Kind::Uca(&data::UCA400_SPANISH2);
    UTF8MB4_ROMAN_CI = 239, Utf8mb4, Kind::Uca(&data::UCA400_ROMAN);
    UTF8MB4_PERSIAN_CI = 240, Utf8mb4, Kind::Uca(&data::UCA400_PERSIAN);
    UTF8MB4_ESPERANTO_CI = 241, Utf8mb4, Kind::Uca(&data::UCA400_ESPERANTO);
    UTF8MB4_HUNGARIAN_CI = 242, Utf8mb4, Kind::Uca(&data::UCA400_HUNGARIAN);
    UTF8MB4_SINHALA_CI = 243, Utf8mb4, Kind::Uca(&data::UCA400_SINHALA);
    UTF8MB4_GERMAN2_CI = 244, Utf8mb4, Kind::Uca(&data::UCA400_GERMAN2);
    UTF8MB4_CROATIAN_CI = 245, Utf8mb4, Kind::Uca(&data::UCA400_CROATIAN);
    UTF8MB4_UNICODE_520_CI = 246, Utf8mb4, Kind::Uca(&data::UCA520);
    UTF8MB4_VIETNAMESE_CI = 247, Utf8mb4, Kind::Uca(&data::UCA400_VIETNAMESE);
    UTF8MB4_0900_AI_CI = 255, Utf8mb4, Kind::Uca(&data::UCA900);
    UTF8MB4_DE_PB_0900_AI_CI = 256, Utf8mb4, Kind::Uca(&data::UCA900_DE_PB);
    UTF8MB4_0900_AS_CS = 278, Utf8mb4, Kind::Uca(&data::UCA900);
    UTF8MB4_DE_PB_0900_AS_CS = 279, Utf8mb4, Kind::Uca(&data::UCA900_DE_PB);
    UTF8MB4_0900_AS_CI = 305, Utf8mb4, Kind::Uca(&data::UCA900);
    UTF8MB4_0900_BIN = 309, Utf8mb4, Kind::Bytes;
}

collations! {
    MariaDb, MARIADB, mariadb_statics, mariadb, "MariaDB":
    UTF8MB3_GENERAL_CI = 33, Utf8mb3, Kind::Simple(&data::GENERAL);
    UTF8MB4_GENERAL_CI = 45, Utf8mb4, Kind::Simple(&data::GENERAL);
    UTF8MB4_BIN = 46, Utf8mb4, Kind::CodePoints(3);
    UTF8MB3_BIN = 83, Utf8mb3, Kind::CodePoints(2);
    UTF8MB3_UNICODE_CI = 192, Utf8mb3, Kind::Uca(&data::UCA400);
    UTF8MB3_ICELANDIC_CI = 193, Utf8mb3, Kind::Uca(&data::UCA400_ICELANDIC);
    UTF8MB3_LATVIAN_CI = 194, Utf8mb3, Kind::Uca(&data::UCA400_LATVIAN);
    UTF8MB3_ROMANIAN_CI = 195, Utf8mb3, Kind::Uca(&data::UCA400_ROMANIAN);
    UTF8MB3_SLOVENIAN_CI = 196, Utf8mb3, Kind::Uca(&data::UCA400_SLOVENIAN);
    UTF8MB3_POLISH_CI = 197, Utf8mb3, Kind::Uca(&data::UCA400_POLISH);
    UTF8MB3_ESTONIAN_CI = 198, Utf8mb3, Kind::Uca(&data::UCA400_ESTONIAN);
    UTF8MB3_SPANISH_CI = 199, Utf8mb3, Kind::Uca(&data::UCA400_SPANISH);
    UTF8MB3_SWEDISH_CI = 200, Utf8mb3, Kind::Uca(&data::UCA400_SWEDISH);
    UTF8MB3_TURKISH_CI = 201, Utf8mb3, Kind::Uca(&data::UCA400_TURKISH);
    UTF8MB3_CZECH_CI = 202, Utf8mb3, Kind::Uca(&data::UCA400_CZECH);
    UTF8MB3_DANISH_CI = 203, Utf8mb3, Kind::Uca(&data::UCA400_DANISH);
    UTF8MB3_LITHUANIAN_CI = 204, Utf8mb3, Kind::Uca(&data::UCA400_LITHUANIAN);
    UTF8MB3_SLOVAK_CI = 205, Utf8mb3, Kind::Uca(&data::UCA400_SLOVAK);
    UTF8MB3_SPANISH2_CI = 206, Utf8mb3, Kind::Uca(&data::UCA400_SPANISH2);
    UTF8MB3_ROMAN_CI = 207, Utf8mb3, Kind::Uca(&data::UCA400_ROMAN);
    UTF8MB3_PERSIAN_CI = 208, Utf8mb3, Kind::Uca(&data::UCA400_PERSIAN);
    UTF8MB3_ESPERANTO_CI = 209, Utf8mb3, Kind::Uca(&data::UCA400_ESPERANTO);
    UTF8MB3_HUNGARIAN_CI = 210, Utf8mb3, Kind::Uca(&data::UCA400_HUNGARIAN);
    UTF8MB3_SINHALA_CI = 211, Utf8mb3, Kind::Uca(&data::UCA400_SINHALA);
    UTF8MB3_GERMAN2_CI = 212, Utf8mb3, Kind::Uca(&data::UCA400_GERMAN2);
    UTF8MB3_CROATIAN_MYSQL561_CI = 213, Utf8mb3, Kind::Uca(&data::UCA400_CROATIAN);
    UTF8MB3_UNICODE_520_CI = 214, Utf8mb3, Kind::Uca(&data::UCA520);
    UTF8MB3_VIETNAMESE_CI = 215, Utf8mb3, Kind::Uca(&data::UCA400_VIETNAMESE);
    UTF8MB3_GENERAL_MYSQL500_CI = 223, Utf8mb3, Kind::Simple(&data::GENERAL_MYSQL500);
    UTF8MB4_UNICODE_CI = 224, Utf8mb4, Kind::Uca(&data::UCA400);
    UTF8MB4_ICELANDIC_CI = 225, Utf8mb4, Kind::Uca(&data::UCA400_ICELANDIC);
    UTF8MB4_LATVIAN_CI = 226, Utf8mb4, Kind::Uca(&data::UCA400_LATVIAN);
    UTF8MB4_ROMANIAN_CI = 227, Utf8mb4, Kind::Uca(&data::UCA400_ROMANIAN);
    UTF8MB4_SLOVENIAN_CI = 228, Utf8mb4, Kind::Uca(&data::UCA400_SLOVENIAN);
    UTF8MB4_POLISH_CI = 229, Utf8mb4, Kind::Uca(&data::UCA400_POLISH);
    UTF8MB4_ESTONIAN_CI = 230, Utf8mb4, Kind::Uca(&data::UCA400_ESTONIAN);
    UTF8MB4_SPANISH_CI = 231, Utf8mb4, Kind::Uca(&data::UCA400_SPANISH);
    UTF8MB4_SWEDISH_CI = 232, Utf8mb4, Kind::Uca(&data::UCA400_SWEDISH);
    UTF8MB4_TURKISH_CI = 233, Utf8mb4, Kind::Uca(&data::UCA400_TURKISH);
    UTF8MB4_CZECH_CI = 234, Utf8mb4, Kind::Uca(&data::UCA400_CZECH);
    UTF8MB4_DANISH_CI = 235, Utf8mb4, Kind::Uca(&data::UCA400_DANISH);
    UTF8MB4_LITHUANIAN_CI = 236, Utf8mb4, Kind::Uca(&data::UCA400_LITHUANIAN);
    UTF8MB4_SLOVAK_CI = 237, Utf8mb4, Kind::Uca(&data::UCA400_SLOVAK);
    UTF8MB4_SPANISH2_CI = 238, Utf8mb4, Kind::Uca(&data::UCA400_SPANISH2);
    UTF8MB4_ROMAN_CI = 239, Utf8mb4, Kind::Uca(&data::UCA400_ROMAN);
    UTF8MB4_PERSIAN_CI = 240, Utf8mb4, Kind::Uca(&data::UCA400_PERSIAN);
    UTF8MB4_ESPERANTO_CI = 241, Utf8mb4, Kind::Uca(&data::UCA400_ESPERANTO);
    UTF8MB4_HUNGARIAN_CI = 242, Utf8mb4, Kind::Uca(&data::UCA400_HUNGARIAN);
    UTF8MB4_SINHALA_CI = 243, Utf8mb4, Kind::Uca(&data::UCA400_SINHALA);
    UTF8MB4_GERMAN2_CI = 244, Utf8mb4, Kind::Uca(&data::UCA400_GERMAN2);
    UTF8MB4_CROATIAN_MYSQL561_CI = 245, Utf8mb4, Kind::Uca(&data::UCA400_CROATIAN);
    UTF8MB4_UNICODE_520_CI = 246, Utf8mb4, Kind::Uca(&data::UCA520);
    UTF8MB4_VIETNAMESE_CI = 247, Utf8mb4, Kind::Uca(&data::UCA400_VIETNAMESE);
    UTF8MB4_0900_AI_CI = 255, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_IS_0900_AI_CI = 257, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_CS_0900_AI_CI = 266, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_DA_0900_AI_CI = 267, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_0900_AS_CS = 278, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_IS_0900_AS_CS = 280, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_CS_0900_AS_CS = 289, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_DA_0900_AS_CS = 290, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_0900_AS_CI = 305, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_0900_BIN = 309, Utf8mb4, Kind::CodePoints(3);
    UTF8MB3_CROATIAN_CI = 576, Utf8mb3, Kind::Uca(&data::UCA400_CROATIAN_MARIADB);
    UTF8MB3_MYANMAR_CI = 577, Utf8mb3, Kind::Uca(&data::UCA520_MYANMAR);
    UTF8MB3_THAI_520_W2 = 578, Utf8mb3, Kind::Uca(&data::UCA520_THAI);
    UTF8MB4_CROATIAN_CI = 608, Utf8mb4, Kind::Uca(&data::UCA400_CROATIAN_MARIADB);
    UTF8MB4_MYANMAR_CI = 609, Utf8mb4, Kind::Uca(&data::UCA520_MYANMAR);
    UTF8MB4_THAI_520_W2 = 610, Utf8mb4, Kind::Uca(&data::UCA520_THAI);
    UTF8MB3_GENERAL_NOPAD_CI = 1057, Utf8mb3, Kind::Simple(&data::GENERAL);
    UTF8MB4_GENERAL_NOPAD_CI = 1069, Utf8mb4, Kind::Simple(&data::GENERAL);
    UTF8MB4_NOPAD_BIN = 1070, Utf8mb4, Kind::CodePoints(3);
    UTF8MB3_NOPAD_BIN = 1107, Utf8mb3, Kind::CodePoints(2);
    UTF8MB3_UNICODE_NOPAD_CI = 1216, Utf8mb3, Kind::Uca(&data::UCA400);
    UTF8MB3_UNICODE_520_NOPAD_CI = 1238, Utf8mb3, Kind::Uca(&data::UCA520);
    UTF8MB4_UNICODE_NOPAD_CI = 1248, Utf8mb4, Kind::Uca(&data::UCA400);
    UTF8MB4_UNICODE_520_NOPAD_CI = 1270, Utf8mb4, Kind::Uca(&data::UCA520);
    UTF8MB3_UCA1400_AI_CI = 2048, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_AI_CS = 2049, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_AS_CI = 2050, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_AS_CS = 2051, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_NOPAD_AI_CI = 2052, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_NOPAD_AI_CS = 2053, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_NOPAD_AS_CI = 2054, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_NOPAD_AS_CS = 2055, Utf8mb3, Kind::Uca(&data::UCA1400);
    UTF8MB3_UCA1400_ICELANDIC_AI_CI = 2056, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_AI_CS = 2057, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_AS_CI = 2058, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_AS_CS = 2059, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_NOPAD_AI_CI = 2060, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_NOPAD_AI_CS = 2061, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_NOPAD_AS_CI = 2062, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_ICELANDIC_NOPAD_AS_CS = 2063, Utf8mb3, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB3_UCA1400_CZECH_AI_CI = 2128, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_AI_CS = 2129, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_AS_CI = 2130, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_AS_CS = 2131, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_NOPAD_AI_CI = 2132, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_NOPAD_AI_CS = 2133, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_NOPAD_AS_CI = 2134, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_CZECH_NOPAD_AS_CS = 2135, Utf8mb3, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB3_UCA1400_DANISH_AI_CI = 2136, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_AI_CS = 2137, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_AS_CI = 2138, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_AS_CS = 2139, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_NOPAD_AI_CI = 2140, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_NOPAD_AI_CS = 2141, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_NOPAD_AS_CI = 2142, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB3_UCA1400_DANISH_NOPAD_AS_CS = 2143, Utf8mb3, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_AI_CI = 2304, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_AI_CS = 2305, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_AS_CI = 2306, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_AS_CS = 2307, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_NOPAD_AI_CI = 2308, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_NOPAD_AI_CS = 2309, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_NOPAD_AS_CI = 2310, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_NOPAD_AS_CS = 2311, Utf8mb4, Kind::Uca(&data::UCA1400);
    UTF8MB4_UCA1400_ICELANDIC_AI_CI = 2312, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_AI_CS = 2313, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_AS_CI = 2314, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_AS_CS = 2315, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_NOPAD_AI_CI = 2316, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_NOPAD_AI_CS = 2317, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_NOPAD_AS_CI = 2318, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_ICELANDIC_NOPAD_AS_CS = 2319, Utf8mb4, Kind::Uca(&data::UCA1400_ICELANDIC);
    UTF8MB4_UCA1400_CZECH_AI_CI = 2384, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_AI_CS = 2385, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_AS_CI = 2386, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_AS_CS = 2387, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_NOPAD_AI_CI = 2388, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_NOPAD_AI_CS = 2389, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_NOPAD_AS_CI = 2390, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_CZECH_NOPAD_AS_CS = 2391, Utf8mb4, Kind::Uca(&data::UCA1400_CZECH);
    UTF8MB4_UCA1400_DANISH_AI_CI = 2392, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_AI_CS = 2393, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_AS_CI = 2394, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_AS_CS = 2395, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_NOPAD_AI_CI = 2396, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_NOPAD_AI_CS = 2397, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_NOPAD_AS_CI = 2398, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
    UTF8MB4_UCA1400_DANISH_NOPAD_AS_CS = 2399, Utf8mb4, Kind::Uca(&data::UCA1400_DANISH);
}
