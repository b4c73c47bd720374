//! The collations that are implemented: which weights each has.

use Flavour::{MariaDb, MySql};

use crate::encoding::Form;
use crate::table::{Expanding, MultiByte, SimpleTable, Table, data};
use crate::{Charset, Flavour, Info, Pad, catalogue};

mod legacy;

/// An implemented collation.
pub(crate) struct Descriptor {
    pub info: &'static Info,
    pub charset: Charset,
    /// How its texts are encoded.
    pub form: Form,
    pub kind: Kind,
    pub traits: Traits,
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
    /// A weight of one or two bytes a character.
    MultiByte(&'static MultiByte),
    /// A weight a code point.
    Simple(&'static SimpleTable),
    /// Weights of the Unicode Collation Algorithm.
    Uca(&'static Table),
}

/// In what collations of the Unicode Collation Algorithm differ beside their weights: by server, not by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Whether a text ends at its first ill-formed byte; else such a byte has the greatest weight.
    pub ends_at_errors: bool,
    /// Whether missing weights compare as the space's beyond the primary level, whatever the padding.
    pub pads_beyond_primary: bool,
    /// Whether pages without weights of their own count in `LIKE` beyond the primary level, too.
    pub like_by_page_beyond_primary: bool,
    /// Whether WEIGHT_STRING puts a zero between the levels.
    pub is_separated: bool,
}

impl Traits {
    const fn of(flavour: Flavour) -> Self {
        let is_mariadb = matches!(flavour, MariaDb);
        Self {
            ends_at_errors: !is_mariadb,
            pads_beyond_primary: is_mariadb,
            like_by_page_beyond_primary: is_mariadb,
            is_separated: !is_mariadb,
        }
    }
}

impl Descriptor {
    /// Whether strings count as followed by spaces at this level.
    pub fn pads(&self, level: usize) -> bool {
        self.info.pad == Pad::PadSpace || level > 0 && self.traits.pads_beyond_primary
    }

    /// Whether a character matches only itself in `LIKE`, whatever its weights. To the servers, a page of 256 code points
    /// without any weights of its own (ideographs, Hangul, what is unassigned, all beyond U+FFFF in UCA 4) is numbers at that
    /// level.
    pub fn is_alone_in_like(&self, character: &[u8]) -> bool {
        let Kind::Uca(table) = self.kind else { return false };
        let Some((code_point, _)) = self.decode(character) else { return false };
        let levels = self.info.levels.iter().filter(|&level| level == 0 || self.traits.like_by_page_beyond_primary);
        levels.filter_map(|level| table.level(level)).any(|level| level.is_on_plain_page(code_point))
    }

    /// Whether another collation has the same weights, levels and padding, over the same characters.
    pub fn orders_valid_text_like(&self, other: &Self) -> bool {
        let same_weights = match (self.kind, other.kind) {
            (Kind::Bytes, Kind::Bytes) | (Kind::CodePoints(_), Kind::CodePoints(_)) => true,
            (Kind::Order(one), Kind::Order(other)) => core::ptr::eq(one, other),
            (Kind::Expanding(one), Kind::Expanding(other)) => core::ptr::eq(one, other),
            (Kind::MultiByte(one), Kind::MultiByte(other)) => core::ptr::eq(one, other),
            (Kind::Simple(one), Kind::Simple(other)) => core::ptr::eq(one, other),
            (Kind::Uca(one), Kind::Uca(other)) => core::ptr::eq(one, other),
            (
                Kind::Bytes
                | Kind::CodePoints(_)
                | Kind::Order(_)
                | Kind::Expanding(_)
                | Kind::MultiByte(_)
                | Kind::Simple(_)
                | Kind::Uca(_),
                _,
            ) => false,
        };
        same_weights
            && self.charset == other.charset
            && self.info.levels == other.info.levels
            && self.info.levels.iter().all(|level| self.pads(level) == other.pads(level))
    }

    /// Whether another collation treats ill-formed bytes alike.
    pub fn reads_like(&self, other: &Self) -> bool {
        let by_table = matches!(self.kind, Kind::Uca(_));
        matches!(self.kind, Kind::Bytes)
            || self.form == other.form && (!by_table || self.traits.ends_at_errors == other.traits.ends_at_errors)
    }
}

const fn one(flavour: Flavour, name: &str, charset: Charset, kind: Kind) -> Descriptor {
    Descriptor {
        info: catalogue::entry(flavour, name),
        charset,
        form: Form::of(flavour, charset),
        kind,
        traits: Traits::of(flavour),
    }
}

/// All implemented collations.
pub(crate) fn all() -> impl Iterator<Item = &'static Descriptor> {
    MYSQL_ONLY.iter().chain(&MARIADB_ONLY).chain(BOTH.iter().flatten()).chain(legacy::all())
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

use {both, only};

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
