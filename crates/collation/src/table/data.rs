//! The tables themselves, read from `data/` when the library is compiled. data/README.md tells where they come from.
#![allow(long_running_const_eval, reason = "a quarter of a million words are read here")]

use super::contractions::{Filter, RECORD};
use super::level::{PAGES, plain_pages};
use super::low::LowOf;
use super::words::{word, words};
use super::{Contractions, Expanding, Level, Simple, Uca};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../data/", $name, ".bin"))
    };
}

macro_rules! level {
    ($table:ident, $file:literal) => {
        static $table: Level = {
            const BYTES: &[u8] = file!($file);
            const COUNT: usize = word(BYTES, 0) as usize;
            const ENTRIES: usize = COUNT * 256;
            const POOL: usize = word(BYTES, 1) as usize;
            static PAGE_OF: [u16; PAGES] = words(BYTES, 2);
            static ENTRY_OF: [u16; ENTRIES] = words(BYTES, 2 + PAGES);
            static POOLED: [u16; POOL] = words(BYTES, 2 + PAGES + ENTRIES);
            static PLAIN: [bool; COUNT] = plain_pages(&ENTRY_OF);
            Level { pages: &PAGE_OF, entries: &ENTRY_OF, pool: &POOLED, is_plain_page: &PLAIN }
        };
    };
}

level!(UCA400_PRIMARY, "uca400_primary");
level!(UCA520_PRIMARY, "uca520_primary");
level!(UCA900_PRIMARY, "uca900_primary");
level!(UCA900_SECONDARY, "uca900_secondary");
level!(UCA900_TERTIARY, "uca900_tertiary");
level!(UCA1400_PRIMARY, "uca1400_primary");
level!(UCA1400_SECONDARY, "uca1400_secondary");
level!(UCA1400_TERTIARY, "uca1400_tertiary");

static UCA1400_CONTRACTIONS: Contractions = {
    const BYTES: &[u8] = file!("uca1400_contractions");
    const COUNT: usize = word(BYTES, 0) as usize;
    const POOL: usize = word(BYTES, 1) as usize;
    static RECORDS: [[u16; RECORD]; COUNT] = {
        let mut records = [[0; RECORD]; COUNT];
        let mut i = 0;
        while i < COUNT {
            records[i] = words(BYTES, 2 + i * RECORD);
            i += 1;
        }
        records
    };
    static POOLED: [u16; POOL] = words(BYTES, 2 + COUNT * RECORD);
    Contractions {
        records: &RECORDS,
        pool: &POOLED,
        first: Filter::of(&RECORDS, 0, 1),
        later: Filter::of(&RECORDS, 1, 3),
    }
};

static UCA400_LOW: [LowOf; 1] = [LowOf::level(&UCA400_PRIMARY, None)];
static UCA520_LOW: [LowOf; 1] = [LowOf::level(&UCA520_PRIMARY, None)];
static UCA900_LOW: [LowOf; 3] =
    [LowOf::level(&UCA900_PRIMARY, None), LowOf::level(&UCA900_SECONDARY, None), LowOf::level(&UCA900_TERTIARY, None)];
static UCA1400_LOW: [LowOf; 3] = [
    LowOf::level(&UCA1400_PRIMARY, Some(&UCA1400_CONTRACTIONS)),
    LowOf::level(&UCA1400_SECONDARY, Some(&UCA1400_CONTRACTIONS)),
    LowOf::level(&UCA1400_TERTIARY, Some(&UCA1400_CONTRACTIONS)),
];

/// `unicode_ci`: UCA 4.0.0, primary weights.
pub(crate) static UCA400: Uca = Uca {
    levels: [Some(&UCA400_PRIMARY), None, None],
    lows: [Some(&UCA400_LOW[0]), None, None],
    contractions: None,
    separated: false,
};
/// `unicode_520_ci`: UCA 5.2.0, primary weights.
pub(crate) static UCA520: Uca = Uca {
    levels: [Some(&UCA520_PRIMARY), None, None],
    lows: [Some(&UCA520_LOW[0]), None, None],
    contractions: None,
    separated: false,
};
/// MySQL's `0900`: UCA 9.0.0 without contractions.
pub(crate) static UCA900: Uca = Uca {
    levels: [Some(&UCA900_PRIMARY), Some(&UCA900_SECONDARY), Some(&UCA900_TERTIARY)],
    lows: [Some(&UCA900_LOW[0]), Some(&UCA900_LOW[1]), Some(&UCA900_LOW[2])],
    contractions: None,
    separated: true,
};
/// MariaDB's `uca1400`: UCA 14.0.0 with the contractions of Unicode's table.
pub(crate) static UCA1400: Uca = Uca {
    levels: [Some(&UCA1400_PRIMARY), Some(&UCA1400_SECONDARY), Some(&UCA1400_TERTIARY)],
    lows: [Some(&UCA1400_LOW[0]), Some(&UCA1400_LOW[1]), Some(&UCA1400_LOW[2])],
    contractions: Some(&UCA1400_CONTRACTIONS),
    separated: false,
};

/// A simple table from its file: the weight of all beyond U+FFFF, then each code point whose weight is not its own
/// number, with that weight.
const fn simple(bytes: &[u8]) -> Simple {
    let mut bmp = [0; 0x1_0000];
    let mut i = 0;
    while i < bmp.len() {
        bmp[i] = i as u16;
        i += 1;
    }
    let mut at = 1;
    while 2 * at < bytes.len() {
        bmp[word(bytes, at) as usize] = word(bytes, at + 1);
        at += 2;
    }
    Simple { low: LowOf::simple(&bmp), bmp, beyond: word(bytes, 0) }
}

/// `general_ci`.
pub(crate) static GENERAL: Simple = simple(file!("general"));
/// `general_mysql500_ci`: as `general_ci` was in MySQL 5.0.
pub(crate) static GENERAL_MYSQL500: Simple = simple(file!("general_mysql500"));

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
