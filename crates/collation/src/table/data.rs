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

/// All tables, with their names.
#[cfg(test)]
pub(crate) fn tables() -> impl Iterator<Item = (&'static str, &'static Table)> {
    [("uca400", &UCA400), ("uca520", &UCA520), ("uca900", &UCA900), ("uca1400", &UCA1400)].into_iter()
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
