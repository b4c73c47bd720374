//! The collations that are implemented: which weights each has.

pub(crate) mod unicode;

use Flavour::{MariaDb, MySql};

use crate::encoding::Form;
use crate::table::{Expanding, MultiByte, SimpleTable, Table, data};
use crate::{Charset, Flavour, Info, Pad, catalogue};

mod legacy;

/// An implemented collation.
pub(crate) struct Descriptor {
    /// By value, so that a collation does not link the catalogue.
    pub info: Info,
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
    of(catalogue::entry(flavour, name), charset, kind)
}

const fn by_id(flavour: Flavour, id: u16, charset: Charset, kind: Kind) -> Descriptor {
    of(catalogue::entry_by_id(flavour, id), charset, kind)
}

const fn of(info: &Info, charset: Charset, kind: Kind) -> Descriptor {
    let flavour = info.flavour;
    Descriptor { info: *info, charset, form: Form::of(flavour, charset), kind, traits: Traits::of(flavour) }
}

/// The implemented collation of this id.
pub(crate) fn find(flavour: Flavour, id: u16) -> Option<&'static Descriptor> {
    let unicode = match flavour {
        MySql => unicode::MYSQL,
        MariaDb => unicode::MARIADB,
    };
    match unicode.binary_search_by_key(&id, |one| one.info.id) {
        Ok(index) => unicode.get(index).copied(),
        Err(_) => all().find(|one| one.info.flavour == flavour && one.info.id == id),
    }
}

/// All implemented collations.
fn all() -> impl Iterator<Item = &'static Descriptor> {
    let unicode = unicode::MYSQL.iter().chain(unicode::MARIADB).copied();
    unicode.chain(&MARIADB_ONLY).chain(BOTH.iter().flatten()).chain(legacy::all())
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
}

only! {
    MARIADB_ONLY, MariaDb, "Those of MariaDB alone.",
    "ascii_general_nopad_ci": Ascii, Kind::Order(&data::ASCII_GENERAL);
    "ascii_nopad_bin": Ascii, Kind::Bytes;
    "latin1_swedish_nopad_ci": Latin1, Kind::Order(&data::LATIN1_SWEDISH);
    "latin1_nopad_bin": Latin1, Kind::Bytes;
}
