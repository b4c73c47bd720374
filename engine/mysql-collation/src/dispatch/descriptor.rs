//! Descriptors of collations: the source of the weights, and the rules of the server.

use Flavour::{MariaDb, MySql};

use super::names;
use crate::catalogue::{Flavour, Info, Levels, Pad, catalogue, entry_by_id};
use crate::charset::{Charset, Codec, DoubleByteShape, Encoding, MultiByteEncoding, TextEncoding, Utf8};
use crate::simd::ByteTable;
use crate::tables::{ByteExpansions, FoldingTable, Gb18030, LEVELS, MultiByte, SimpleTable};
use crate::weights::{LazySingleWeightTable, TextWeights, UcaTable};

pub(crate) struct Descriptor {
    /// A copy of the catalogue's entry: a reference would link the whole catalogue.
    pub info: Info,
    pub charset: Charset,
    /// The tables of the character set, so that a collation does not link those of all character
    /// sets.
    pub codec: Codec,
    pub encoding: TextEncoding,
    pub kind: Kind,
    pub rules: ServerRules,
}

/// The source of a collation's weights.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Bytes have weights, as in 8-bit character sets, and in `bin` of multi-byte ones.
    Bytes(ByteKind),
    /// Characters of a multi-byte character set have weights of one to four bytes.
    Characters(CharacterKind),
    /// Code points of UTF-8 have weights.
    Utf8(CodePoints<Utf8>),
    /// Code points of another encoding have weights.
    Scalars(CodePoints<MultiByteEncoding>),
}

/// The weights of bytes.
#[derive(Clone, Copy)]
pub(crate) enum ByteKind {
    /// The bytes themselves.
    Identity,
    /// One weight for each byte.
    Table(&'static ByteTable),
    /// One or two weights for each byte: `latin1_german2_ci`, where `ß` = `ss`.
    Expansions(&'static ByteExpansions),
    /// Weights that depend on the whole text. `latin2_czech_cs` compares in four passes: letters,
    /// accents, case, other characters. In `tis620_thai_ci`, a vowel changes places with its
    /// consonant.
    Text(&'static TextWeights),
}

/// The weights of the characters of a multi-byte character set.
#[derive(Clone, Copy)]
pub(crate) enum CharacterKind {
    /// Characters of one or two bytes.
    Double(&'static MultiByte, &'static DoubleByteShape),
    /// Characters of one, two or three bytes: `ujis` and `eucjpms`.
    EucJp(&'static MultiByte),
    /// Characters of one, two or four bytes.
    Gb18030(&'static Gb18030),
}

/// The weights of code points.
#[derive(Clone, Copy)]
pub(crate) enum CodePointKind {
    /// The code points themselves, as in `utf8mb4_bin`. The field is the number of bytes of a
    /// weight in WEIGHT_STRING.
    Numbers(usize),
    /// One weight of 16 bits for each code point.
    Simple(&'static LazySingleWeightTable<SimpleTable>),
    /// The code points with their case folded, as in `general1400_as_ci`. The second field is the
    /// number of bytes of a weight in WEIGHT_STRING.
    Folding(&'static LazySingleWeightTable<FoldingTable>, usize),
    /// Weights of the Unicode Collation Algorithm.
    Uca(&'static UcaTable),
}

/// Code points, their weights and the levels at which these are compared.
#[derive(Clone, Copy)]
pub(crate) struct CodePoints<E> {
    pub encoding: E,
    pub kind: CodePointKind,
    pub levels: Levels,
    /// For each level, whether a text compares as if followed by spaces.
    pub pads: [bool; LEVELS],
    /// Copy of [`ServerRules::ends_at_errors`].
    pub ends_at_errors: bool,
    /// Copy of [`ServerRules::wraps_first_mark`].
    pub wraps_first_mark: bool,
}

impl<E: Copy> CodePoints<E> {
    pub const fn new(info: &Info, encoding: E, kind: CodePointKind) -> Self {
        let rules = ServerRules::new(info);
        let pads = [rules.pads(info, 0), rules.pads(info, 1), rules.pads(info, 2), rules.pads(info, 3)];
        let ServerRules { ends_at_errors, wraps_first_mark, .. } = rules;
        Self { encoding, kind, levels: info.levels, pads, ends_at_errors, wraps_first_mark }
    }
}

impl Kind {
    /// The weights of code points; `None` if bytes or characters have weights.
    pub const fn code_points(self) -> Option<CodePointKind> {
        match self {
            Self::Utf8(CodePoints { kind, .. }) | Self::Scalars(CodePoints { kind, .. }) => Some(kind),
            Self::Bytes(_) | Self::Characters(_) => None,
        }
    }

    /// The table of the Unicode Collation Algorithm, if the collation has one.
    pub const fn uca(self) -> Option<&'static UcaTable> {
        match self.code_points() {
            Some(CodePointKind::Uca(table)) => Some(table),
            _ => None,
        }
    }
}

/// Index of the fourth level, which distinguishes hiragana from katakana in Japanese.
pub(crate) const QUATERNARY: usize = 3;

/// Rules by which a server uses a collation's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerRules {
    /// Whether a text ends at its first ill-formed byte (MySQL). Otherwise each ill-formed byte
    /// weighs more than all characters (MariaDB). Applies to UCA collations only.
    pub ends_at_errors: bool,
    /// Whether texts are padded with spaces beyond the primary level even under NO PAD, as in
    /// MariaDB's `utf8mb4_uca1400_nopad_as_cs`.
    pub pads_beyond_primary: bool,
    /// Whether a code point matches only itself in `LIKE` if it is on a uniform page of any level.
    /// Otherwise only the primary level counts. A page is 256 code points, such as U+4E00 to
    /// U+4EFF. A page is uniform if a rule computes the weights of all its code points
    /// (ideographs), or if all have equal weights.
    pub like_by_page_beyond_primary: bool,
    /// Whether WEIGHT_STRING of a UCA collation separates levels by `0000`.
    pub is_separated: bool,
    /// First level at which the tables hold 1 for a weight that the server reports as 0. A zero
    /// in a table would end the level in a sort key ([`ZERO`](crate::tables::ZERO)). `None` if the
    /// server reports 1 as 1 at every level, as in `persian_ci`.
    pub one_is_zero_from: Option<usize>,
    /// Whether a prolonged sound mark (`ー`) or iteration mark (`ゝ`, `ヾ`) at the start of a text
    /// has, beyond the primary level, the weights that it has after the text's last character. In
    /// `ーカ`, MySQL's Japanese collations weigh `ー` as in `カー` (operations/wrapped_mark.rs).
    pub wraps_first_mark: bool,
    /// Whether `LIKE` also compares weights of the root table that a tailoring doesn't overwrite
    /// ([`Descriptor::differ_by_root_in_like`]).
    pub like_sees_root: bool,
}

impl ServerRules {
    const fn new(info: &Info) -> Self {
        let is_mariadb = matches!(info.flavour, MariaDb);
        Self {
            ends_at_errors: !is_mariadb,
            pads_beyond_primary: is_mariadb,
            like_by_page_beyond_primary: is_mariadb,
            is_separated: !is_mariadb,
            one_is_zero_from: match (is_mariadb, info.pad) {
                (false, Pad::NoPad) if names::is_japanese_0900(info) => Some(QUATERNARY),
                // UCA 9.0 of MySQL.
                (false, Pad::NoPad) => Some(0),
                (true, _) | (false, Pad::PadSpace) => None,
            },
            wraps_first_mark: !is_mariadb && names::is_japanese_0900(info),
            like_sees_root: is_mariadb || matches!(info.pad, Pad::PadSpace),
        }
    }
}

impl ServerRules {
    /// Whether a collation pads texts with spaces at a level, counted from 0.
    const fn pads(&self, info: &Info, level: usize) -> bool {
        matches!(info.pad, Pad::PadSpace) || level > 0 && self.pads_beyond_primary
    }
}

impl Descriptor {
    /// Whether texts are padded with spaces at a level, counted from 0. Not so in
    /// `latin2_czech_cs` and `cp1250_czech_cs`, whose keys omit trailing spaces.
    pub fn pads(&self, level: usize) -> bool {
        if let Kind::Bytes(ByteKind::Text(weights)) = self.kind
            && !weights.pads()
        {
            return false;
        }
        self.rules.pads(&self.info, level)
    }

    /// Whether WEIGHT_STRING is equal for two characters of `gb18030_chinese_ci`. They then match
    /// in `LIKE`, even if they compare as different: `ı` has the WEIGHT_STRING of `I`, but as a
    /// character of several bytes it compares greater. `false` in other collations.
    pub fn match_in_like(&self, one: &[u8], other: &[u8]) -> bool {
        let Kind::Characters(CharacterKind::Gb18030(table)) = self.kind else { return false };
        table.weight_string(one).eq(table.weight_string(other))
    }

    /// Whether a character matches only itself in `LIKE`, even if other characters have the same
    /// weights.
    ///
    /// - A code point on a uniform page ([`ServerRules::like_by_page_beyond_primary`]): ideographs,
    ///   Hangul, unassigned code points, and all code points above U+FFFF in UCA 4.0.
    /// - A character of two bytes in MySQL's `euckr_korean_ci`: `x'B061'` = `x'B041'`, but the two
    ///   do not match.
    pub fn matches_only_itself_in_like(&self, character: &[u8]) -> bool {
        if let Kind::Characters(CharacterKind::Double(table, _) | CharacterKind::EucJp(table)) = self.kind {
            return table.folds_second && character.len() > 1;
        }
        let Some(table) = self.kind.uca() else { return false };
        let Some((code_point, _)) = self.decode(character) else { return false };
        let levels = self.info.levels.iter().filter(|&level| level == 0 || self.rules.like_by_page_beyond_primary);
        levels.filter_map(|level| table.level(level)).any(|level| level.level.is_on_uniform_page(code_point))
    }

    /// Whether two characters of equal weights differ in `LIKE` by further weights of the root
    /// table.
    ///
    /// A tailoring overwrites the root's weights of a character with its own weights and an end
    /// mark. If the root has more weights, the rest remains after the end mark, and `LIKE` compares
    /// the rest, too. In Persian, `﷼` and `ز` have the same single weight. They do not match,
    /// because the root has four weights for `﷼`. Observed on MariaDB 11.8 and 10.11, MySQL 9.7
    /// and 5.6.
    pub fn differ_by_root_in_like(&self, a: &[u8], b: &[u8]) -> bool {
        let Some(table) = self.kind.uca() else { return false };
        if !self.rules.like_sees_root || !table.is_tailoring() {
            return false;
        }
        let (Some((a, _)), Some((b, _))) = (self.decode(a), self.decode(b)) else { return false };
        self.info
            .levels
            .iter()
            .filter_map(|level| table.level(level))
            .any(|level| level.level.root_remainder(a) != level.level.root_remainder(b))
    }

    /// The first code point and its length in bytes; `None` at the end, for ill-formed bytes and
    /// for unassigned characters. If code points of an encoding other than UTF-8 have weights, an
    /// unassigned character is U+FFFD.
    pub fn decode(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        match self.encoding {
            TextEncoding::MultiByte(encoding) if self.kind.code_points().is_some() => encoding.decode(bytes),
            TextEncoding::Bytes | TextEncoding::MultiByte(_) => {
                // Only UTF-8 and UTF-32 depend on the flavour. UTF-8 is decoded below, UTF-32
                // above.
                let length = self.codec.length(MySql, bytes)?;
                Some((self.codec.code_point(bytes.get(..length)?)?, length))
            }
            TextEncoding::Utf8(encoding) => encoding.decode(bytes, 0),
        }
    }

    /// Whether another collation takes the weights of code points or bytes from the same table.
    /// `false` does not prove a difference.
    pub fn has_same_weights(&self, other: &Self) -> bool {
        use core::ptr::eq;
        match (self.kind, other.kind) {
            (Kind::Bytes(a), Kind::Bytes(b)) => match (a, b) {
                (ByteKind::Identity, ByteKind::Identity) => true,
                (ByteKind::Table(a), ByteKind::Table(b)) => eq(a, b),
                (ByteKind::Expansions(a), ByteKind::Expansions(b)) => eq(a, b),
                (ByteKind::Text(a), ByteKind::Text(b)) => eq(a, b),
                _ => false,
            },
            (Kind::Characters(a), Kind::Characters(b)) => match (a, b) {
                (
                    CharacterKind::Double(a, _) | CharacterKind::EucJp(a),
                    CharacterKind::Double(b, _) | CharacterKind::EucJp(b),
                ) => eq(a, b),
                (CharacterKind::Gb18030(a), CharacterKind::Gb18030(b)) => eq(a, b),
                _ => false,
            },
            _ => match (self.kind.code_points(), other.kind.code_points()) {
                (Some(CodePointKind::Numbers(_)), Some(CodePointKind::Numbers(_))) => true,
                (Some(CodePointKind::Simple(a)), Some(CodePointKind::Simple(b))) => eq(a, b),
                (Some(CodePointKind::Folding(a, _)), Some(CodePointKind::Folding(b, _))) => eq(a, b),
                (Some(CodePointKind::Uca(a)), Some(CodePointKind::Uca(b))) => eq(a, b),
                _ => false,
            },
        }
    }

    /// Whether another collation has the same weights ([`Self::has_same_weights`]) or also orders by
    /// code points, with the same levels and padding, in the same character set.
    pub fn orders_valid_text_like(&self, other: &Self) -> bool {
        (self.has_same_weights(other) || self.orders_by_code_point() && other.orders_by_code_point())
            && self.charset == other.charset
            && self.info.levels == other.info.levels
            && self.info.levels.iter().all(|level| self.pads(level) == other.pads(level))
    }

    /// Whether well-formed text is ordered by its code points. Bytes of UTF-8 are in this order, too:
    /// `utf8mb4_0900_bin` of MySQL compares bytes, of MariaDB code points.
    fn orders_by_code_point(&self) -> bool {
        match self.kind {
            Kind::Bytes(ByteKind::Identity) => matches!(self.encoding, TextEncoding::Utf8(_)),
            kind => matches!(kind.code_points(), Some(CodePointKind::Numbers(_))),
        }
    }

    /// Whether a collation with the same weights treats ill-formed bytes the same way. Multi-byte
    /// encodings of different flavours count as different unless bytes are their own weights.
    pub fn reads_like(&self, other: &Self) -> bool {
        let is_uca = self.kind.uca().is_some();
        let compares_bytes = |one: &Self| matches!(one.kind, Kind::Bytes(ByteKind::Identity));
        match (compares_bytes(self), compares_bytes(other)) {
            (false, false) => {
                self.encoding == other.encoding && (!is_uca || self.rules.ends_at_errors == other.rules.ends_at_errors)
            }
            (one, other) => one && other,
        }
    }
}

/// Describes a collation of the catalogue at compile time; `None` if the library lacks its weights.
const fn describe(info: &Info) -> Option<Descriptor> {
    let Some(charset) = Charset::named(info.charset) else { return None };
    let Some(kind) = names::kind_by_name(info, charset) else { return None };
    let flavour = info.flavour;
    let encoding = TextEncoding::new(flavour, charset);
    Some(Descriptor { info: *info, charset, codec: Codec::new(charset), encoding, kind, rules: ServerRules::new(info) })
}

/// The collation with this id; `None` if the flavour has no such id, the library lacks its weights
/// or its feature is disabled.
pub(crate) fn find(flavour: Flavour, id: u16) -> Option<&'static Descriptor> {
    let all: &[Option<Descriptor>] = match flavour {
        MySql => &MYSQL,
        MariaDb => &MARIADB,
    };
    let index = catalogue(flavour).binary_search_by_key(&id, |info| info.id).ok()?;
    all.get(index)?.as_ref()
}

/// The collations of a catalogue; `None` for a collation without weights in the library, or whose
/// feature is disabled.
const fn all<const N: usize>(catalogue: &[Info]) -> [Option<Descriptor>; N] {
    let mut all = [const { None }; N];
    let mut i = 0;
    while i < N {
        all[i] = match describe(&catalogue[i]) {
            Some(descriptor) if names::is_enabled(&descriptor) => Some(descriptor),
            _ => None,
        };
        i += 1;
    }
    all
}

static MYSQL: [Option<Descriptor>; catalogue(MySql).len()] = all(catalogue(MySql));
static MARIADB: [Option<Descriptor>; catalogue(MariaDb).len()] = all(catalogue(MariaDb));

/// The collation with this id at compile time, even if its feature is disabled.
pub(crate) const fn constant_by_id(flavour: Flavour, id: u16) -> Descriptor {
    match describe(entry_by_id(flavour, id)) {
        Some(descriptor) => descriptor,
        None => panic!("a collation without weights"),
    }
}
