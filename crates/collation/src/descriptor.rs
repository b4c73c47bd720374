//! The collations that are implemented: which weights each has.

use Flavour::{MariaDb, MySql};

use crate::table::{Expanding, Simple, Uca, data};
use crate::{Charset, Flavour, Info, Pad, catalogue};

/// An implemented collation.
pub(crate) struct Descriptor {
    pub info: &'static Info,
    pub charset: Charset,
    pub kind: Kind,
}

/// Where a collation's weights come from.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The bytes themselves.
    Bytes,
    /// The numbers of the code points, of this many bytes in WEIGHT_STRING.
    CodePoints(usize),
    /// A weight a byte.
    Order(&'static [u8; 256]),
    /// One or two weights a byte.
    Expanding(&'static Expanding),
    /// A weight a code point.
    Simple(&'static Simple),
    /// Weights of the Unicode Collation Algorithm.
    Uca(&'static Uca),
}

impl Descriptor {
    /// Whether strings count as followed by spaces at this level. MariaDB's NO PAD is for the primary level only: at
    /// those beyond, missing weights compare as the space's.
    pub fn pads(&self, level: usize) -> bool {
        let beyond_primary = level > 0 && self.info.flavour == MariaDb && matches!(self.kind, Kind::Uca(_));
        self.info.pad == Pad::PadSpace || beyond_primary
    }

    /// Whether a character matches only itself in `LIKE`, whatever its weights. To the servers, a page of 256 code points
    /// without any weights of its own (ideographs, Hangul, what is unassigned, all beyond U+FFFF in UCA 4) is numbers at that
    /// level, and MariaDB has such pages at the levels beyond the primary, too.
    pub fn is_alone_in_like(&self, character: &[u8]) -> bool {
        let Kind::Uca(table) = self.kind else { return false };
        let Some((code_point, _)) = self.decode(character) else { return false };
        self.info.levels.iter().filter(|&level| level == 0 || self.info.flavour == MariaDb).any(|level| {
            let level = table.levels.get(level).copied().flatten();
            level.is_some_and(|level| level.is_on_plain_page(code_point))
        })
    }

    /// Whether another collation has the same weights, levels and padding, over the same characters.
    pub fn orders_like(&self, other: &Self) -> bool {
        let same_weights = match (self.kind, other.kind) {
            (Kind::Bytes, Kind::Bytes) => true,
            (Kind::CodePoints(_), Kind::CodePoints(_)) => true,
            (Kind::Order(one), Kind::Order(other)) => core::ptr::eq(one, other),
            (Kind::Expanding(one), Kind::Expanding(other)) => core::ptr::eq(one, other),
            (Kind::Simple(one), Kind::Simple(other)) => core::ptr::eq(one, other),
            (Kind::Uca(one), Kind::Uca(other)) => core::ptr::eq(one, other),
            _ => false,
        };
        same_weights
            && self.charset == other.charset
            && self.info.pad == other.info.pad
            && self.info.levels == other.info.levels
    }
}

const fn one(flavour: Flavour, name: &str, charset: Charset, kind: Kind) -> Descriptor {
    Descriptor { info: catalogue::entry(flavour, name), charset, kind }
}

/// All implemented collations.
pub(crate) fn all() -> impl Iterator<Item = &'static Descriptor> {
    MYSQL_ONLY.iter().chain(&MARIADB_ONLY).chain(BOTH.iter().flatten())
}

macro_rules! both {
    ($($name:literal: $charset:ident, $kind:expr;)*) => {
        /// Those that both flavours have, with the same weights.
        static BOTH: [[Descriptor; 2]; [$($name),*].len()] = [$([
            one(MySql, $name, Charset::$charset, $kind),
            one(MariaDb, $name, Charset::$charset, $kind),
        ]),*];
    };
}

macro_rules! only {
    ($table:ident, $flavour:ident, $doc:literal, $($name:literal: $charset:ident, $kind:expr;)*) => {
        #[doc = $doc]
        static $table: [Descriptor; [$($name),*].len()] = [$(one($flavour, $name, Charset::$charset, $kind)),*];
    };
}

both! {
    "binary": Binary, Kind::Bytes;
    "ascii_general_ci": Ascii, Kind::Order(&data::ASCII_GENERAL);
    "ascii_bin": Ascii, Kind::Bytes;
    "latin1_swedish_ci": Latin1, Kind::Order(&data::LATIN1_SWEDISH);
    "latin1_general_ci": Latin1, Kind::Order(&data::LATIN1_GENERAL_CI);
    "latin1_general_cs": Latin1, Kind::Order(&data::LATIN1_GENERAL_CS);
    "latin1_german1_ci": Latin1, Kind::Order(&data::LATIN1_GERMAN1);
    "latin1_german2_ci": Latin1, Kind::Expanding(&data::LATIN1_GERMAN2);
    "latin1_danish_ci": Latin1, Kind::Order(&data::LATIN1_DANISH);
    "latin1_spanish_ci": Latin1, Kind::Order(&data::LATIN1_SPANISH);
    "latin1_bin": Latin1, Kind::Bytes;
    "utf8mb3_general_ci": Utf8mb3, Kind::Simple(&data::GENERAL);
    "utf8mb3_general_mysql500_ci": Utf8mb3, Kind::Simple(&data::GENERAL_MYSQL500);
    "utf8mb3_bin": Utf8mb3, Kind::CodePoints(2);
    "utf8mb3_unicode_ci": Utf8mb3, Kind::Uca(&data::UCA400);
    "utf8mb3_unicode_520_ci": Utf8mb3, Kind::Uca(&data::UCA520);
    "utf8mb4_general_ci": Utf8mb4, Kind::Simple(&data::GENERAL);
    "utf8mb4_bin": Utf8mb4, Kind::CodePoints(3);
    "utf8mb4_unicode_ci": Utf8mb4, Kind::Uca(&data::UCA400);
    "utf8mb4_unicode_520_ci": Utf8mb4, Kind::Uca(&data::UCA520);
}

only! {
    MYSQL_ONLY, MySql, "Those of MySQL, and those whose name means other weights in MariaDB.",
    "utf8mb4_0900_ai_ci": Utf8mb4, Kind::Uca(&data::UCA900);
    "utf8mb4_0900_as_ci": Utf8mb4, Kind::Uca(&data::UCA900);
    "utf8mb4_0900_as_cs": Utf8mb4, Kind::Uca(&data::UCA900);
    "utf8mb4_0900_bin": Utf8mb4, Kind::Bytes;
}

only! {
    MARIADB_ONLY, MariaDb, "Those of MariaDB. Its `0900` collations are other names of `uca1400_nopad`.",
    "ascii_general_nopad_ci": Ascii, Kind::Order(&data::ASCII_GENERAL);
    "ascii_nopad_bin": Ascii, Kind::Bytes;
    "latin1_swedish_nopad_ci": Latin1, Kind::Order(&data::LATIN1_SWEDISH);
    "latin1_nopad_bin": Latin1, Kind::Bytes;
    "utf8mb3_general_nopad_ci": Utf8mb3, Kind::Simple(&data::GENERAL);
    "utf8mb3_nopad_bin": Utf8mb3, Kind::CodePoints(2);
    "utf8mb3_unicode_nopad_ci": Utf8mb3, Kind::Uca(&data::UCA400);
    "utf8mb3_unicode_520_nopad_ci": Utf8mb3, Kind::Uca(&data::UCA520);
    "utf8mb3_uca1400_ai_ci": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_ai_cs": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_as_ci": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_as_cs": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_nopad_ai_ci": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_nopad_ai_cs": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_nopad_as_ci": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb3_uca1400_nopad_as_cs": Utf8mb3, Kind::Uca(&data::UCA1400);
    "utf8mb4_general_nopad_ci": Utf8mb4, Kind::Simple(&data::GENERAL);
    "utf8mb4_nopad_bin": Utf8mb4, Kind::CodePoints(3);
    "utf8mb4_unicode_nopad_ci": Utf8mb4, Kind::Uca(&data::UCA400);
    "utf8mb4_unicode_520_nopad_ci": Utf8mb4, Kind::Uca(&data::UCA520);
    "utf8mb4_uca1400_ai_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_ai_cs": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_as_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_as_cs": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_nopad_ai_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_nopad_ai_cs": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_nopad_as_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_uca1400_nopad_as_cs": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_0900_ai_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_0900_as_ci": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_0900_as_cs": Utf8mb4, Kind::Uca(&data::UCA1400);
    "utf8mb4_0900_bin": Utf8mb4, Kind::CodePoints(3);
}
