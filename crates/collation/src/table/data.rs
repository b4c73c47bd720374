//! The tables themselves: files of `data/`, as they are. data/README.md tells where they come from.

use super::{Expanding, SimpleTable, Table};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../data/", $name, ".bin"))
    };
}

/// `unicode_ci`: UCA 4.0.0, primary weights.
pub(crate) static UCA400: Table = Table::new(None, file!("uca400"));
/// `unicode_520_ci`: UCA 5.2.0, primary weights.
pub(crate) static UCA520: Table = Table::new(None, file!("uca520"));
/// MySQL's `0900`: UCA 9.0.0 without contractions.
pub(crate) static UCA900: Table = Table::new(None, file!("uca900"));
/// MariaDB's `uca1400`: UCA 14.0.0 with the contractions of Unicode's table.
pub(crate) static UCA1400: Table = Table::new(None, file!("uca1400"));

/// Tables of languages: what differs from another table.
macro_rules! tailorings {
    ($($table:ident = $parent:ident, $file:literal;)*) => {
        $(pub(crate) static $table: Table = Table::new(Some(&$parent), file!($file));)*

        /// All tables, with their names.
        #[cfg(test)]
        pub(crate) fn tables() -> impl Iterator<Item = (&'static str, &'static Table)> {
            let roots = [("uca400", &UCA400), ("uca520", &UCA520), ("uca900", &UCA900), ("uca1400", &UCA1400)];
            roots.into_iter().chain([$(($file, &$table)),*])
        }
    };
}

tailorings! {
    UCA1400_CZECH = UCA1400, "uca1400_czech";
    UCA1400_DANISH = UCA1400, "uca1400_danish";
    UCA1400_ICELANDIC = UCA1400, "uca1400_icelandic";
    UCA400_CROATIAN = UCA400, "uca400_croatian";
    UCA400_CROATIAN_MARIADB = UCA400, "uca400_croatian_mariadb";
    UCA400_CZECH = UCA400, "uca400_czech";
    UCA400_DANISH = UCA400, "uca400_danish";
    UCA400_ESPERANTO = UCA400, "uca400_esperanto";
    UCA400_ESTONIAN = UCA400, "uca400_estonian";
    UCA400_GERMAN2 = UCA400, "uca400_german2";
    UCA400_HUNGARIAN = UCA400, "uca400_hungarian";
    UCA400_ICELANDIC = UCA400, "uca400_icelandic";
    UCA400_LATVIAN = UCA400, "uca400_latvian";
    UCA400_LITHUANIAN = UCA400, "uca400_lithuanian";
    UCA400_PERSIAN = UCA400, "uca400_persian";
    UCA400_POLISH = UCA400, "uca400_polish";
    UCA400_ROMAN = UCA400, "uca400_roman";
    UCA400_ROMANIAN = UCA400, "uca400_romanian";
    UCA400_SINHALA = UCA400, "uca400_sinhala";
    UCA400_SLOVAK = UCA400, "uca400_slovak";
    UCA400_SLOVENIAN = UCA400, "uca400_slovenian";
    UCA400_SPANISH = UCA400, "uca400_spanish";
    UCA400_SPANISH2 = UCA400, "uca400_spanish2";
    UCA400_SWEDISH = UCA400, "uca400_swedish";
    UCA400_TURKISH = UCA400, "uca400_turkish";
    UCA400_VIETNAMESE = UCA400, "uca400_vietnamese";
    UCA520_MYANMAR = UCA520, "uca520_myanmar";
    UCA520_THAI = UCA520, "uca520_thai";
    UCA900_DE_PB = UCA900, "uca900_de_pb";
}

/// `general_ci`.
pub(crate) static GENERAL: SimpleTable = SimpleTable::new(file!("general"));
/// `general_mysql500_ci`: as `general_ci` was in MySQL 5.0.
pub(crate) static GENERAL_MYSQL500: SimpleTable = SimpleTable::new(file!("general_mysql500"));

macro_rules! order {
    ($table:ident, $file:literal, $doc:literal) => {
        #[doc = $doc]
        pub(crate) static $table: [u8; 256] = *file!($file);
    };
}

order!(ASCII_GENERAL, "ascii_general_ci", "The weight of each byte in `ascii_general_ci`.");
order!(LATIN1_SWEDISH, "latin1_swedish_ci", "The weight of each byte in `latin1_swedish_ci`.");
order!(LATIN1_GENERAL_CI, "latin1_general_ci", "The weight of each byte in `latin1_general_ci`.");
order!(LATIN1_GENERAL_CS, "latin1_general_cs", "The weight of each byte in `latin1_general_cs`.");
order!(LATIN1_GERMAN1, "latin1_german1_ci", "The weight of each byte in `latin1_german1_ci`.");
order!(LATIN1_DANISH, "latin1_danish_ci", "The weight of each byte in `latin1_danish_ci`.");
order!(LATIN1_SPANISH, "latin1_spanish_ci", "The weight of each byte in `latin1_spanish_ci`.");

/// The weights of each byte in `latin1_german2_ci`, where `ä` is `ae` and `ß` is `ss`.
pub(crate) static LATIN1_GERMAN2: Expanding = {
    let bytes: &[u8; 512] = file!("latin1_german2_ci");
    let mut weights = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        weights[i] = [bytes[2 * i], bytes[2 * i + 1]];
        i += 1;
    }
    weights
};
