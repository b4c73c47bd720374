//! The collations: which weights each has.

use Flavour::{MariaDb, MySql};

use crate::catalogue::catalogue;
use crate::encoding::Form;
use crate::table::{ByteOrder, Expanding, FoldingTable, Gb18030, MultiByte, SimpleTable, Table};
use crate::whole::Whole;
use crate::{Charset, Flavour, Info, Pad, charset};

mod handle;
mod names;

pub(crate) use handle::Handle;
pub(crate) use names::same;

/// A collation.
pub(crate) struct Descriptor {
    /// By value, so that a collation does not link the catalogue.
    pub info: Info,
    pub charset: Charset,
    /// What its character set is made of: its own tables, so that a collation doesn't link those of all.
    pub characters: charset::Form,
    /// How its texts are encoded.
    pub form: Form,
    pub kind: Kind,
    pub traits: Traits,
    /// Whether it is not compared as most are: by [`compare::apart`](crate::compare::apart).
    pub compares_apart: bool,
}

/// Where a collation's weights come from.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The bytes themselves.
    Bytes,
    /// The numbers of the code points, of this many bytes in WEIGHT_STRING.
    CodePoints(usize),
    /// A weight a byte.
    Order(&'static ByteOrder),
    /// One or two weights a byte.
    Expanding(&'static Expanding),
    /// A weight of one or two bytes a character.
    MultiByte(&'static MultiByte),
    /// The same of one, two or four bytes.
    Gb18030(&'static Gb18030),
    /// A weight of 16 bits a code point.
    Simple(&'static SimpleTable),
    /// A code point a code point, of this many bytes in WEIGHT_STRING.
    Folding(&'static FoldingTable, usize),
    /// Weights of the Unicode Collation Algorithm.
    Uca(&'static Table),
    /// Weights of a whole text.
    Whole(&'static Whole),
}

/// The index of the fourth level.
pub(crate) const QUATERNARY: usize = 3;

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
    /// The first level at which a weight of 1 stands for zero ([`ZERO`](crate::table::ZERO)), if there is one; in `persian_ci`, and at the
    /// tertiary level of Japanese, it is one.
    pub one_is_zero_from: Option<usize>,
    /// Whether a level begins in the context in which the one before ended: [`Carried`](crate::carried::Carried).
    pub carries_context: bool,
    /// Whether `LIKE` sees what the root has behind weights that a tailoring made fewer.
    pub like_sees_root: bool,
}

impl Traits {
    const fn of(info: &Info) -> Self {
        let is_mariadb = matches!(info.flavour, MariaDb);
        Self {
            ends_at_errors: !is_mariadb,
            pads_beyond_primary: is_mariadb,
            like_by_page_beyond_primary: is_mariadb,
            is_separated: !is_mariadb,
            one_is_zero_from: match (is_mariadb, info.pad) {
                (false, Pad::NoPad) if names::is_japanese(info) => Some(QUATERNARY),
                // MySQL's UCA 9.0.
                (false, Pad::NoPad) => Some(0),
                (true, _) | (false, Pad::PadSpace) => None,
            },
            carries_context: !is_mariadb && names::is_japanese(info),
            like_sees_root: is_mariadb || matches!(info.pad, Pad::PadSpace),
        }
    }
}

impl Descriptor {
    /// Whether strings count as followed by spaces at this level.
    pub fn pads(&self, level: usize) -> bool {
        if let Kind::Whole(whole) = self.kind
            && !whole.pads()
        {
            return false;
        }
        self.info.pad == Pad::PadSpace || level > 0 && self.traits.pads_beyond_primary
    }

    /// Whether weights are of code points, not of bytes.
    pub const fn weighs_code_points(&self) -> bool {
        match self.kind {
            Kind::CodePoints(_) | Kind::Simple(_) | Kind::Folding(..) | Kind::Uca(_) => true,
            Kind::Bytes
            | Kind::Order(_)
            | Kind::Expanding(_)
            | Kind::MultiByte(_)
            | Kind::Gb18030(_)
            | Kind::Whole(_) => false,
        }
    }

    /// Whether characters match in `LIKE` that are not equal: in `gb18030_chinese_ci`, `ı` weighs what `I` does, but of a character of several bytes that
    /// number is compared as if it had several.
    pub fn are_one_in_like(&self, one: &[u8], other: &[u8]) -> bool {
        let Kind::Gb18030(table) = self.kind else { return false };
        table.answered(one).eq(table.answered(other))
    }

    /// Whether a character matches only itself in `LIKE`, whatever its weights. To the servers, a page of 256 code points
    /// without any weights of its own (ideographs, Hangul, what is unassigned, all beyond U+FFFF in UCA 4) is numbers at that
    /// level. So does a character of two bytes where second bytes are compared as letters.
    pub fn is_alone_in_like(&self, character: &[u8]) -> bool {
        let table = match self.kind {
            Kind::MultiByte(table) => return table.folds_second && character.len() > 1,
            Kind::Uca(table) => table,
            _ => return false,
        };
        let Some((code_point, _)) = self.decode(character) else { return false };
        let levels = self.info.levels.iter().filter(|&level| level == 0 || self.traits.like_by_page_beyond_primary);
        levels.filter_map(|level| table.level(level)).any(|level| level.is_on_plain_page(code_point))
    }

    /// Whether two characters of the same weights differ in `LIKE` by what their root has behind them. A tailoring that gives a character fewer weights
    /// than its root writes them, and an end, over the root's: `LIKE` goes on behind the end. So `﷼`, which has four weights in the root, doesn't match `ز`
    /// in Persian, though both have the same one there. Told from answers of MariaDB 11.8 and 10.11, MySQL 9.7 and 5.6.
    pub fn differ_behind_in_like(&self, a: &[u8], b: &[u8]) -> bool {
        let Kind::Uca(table) = self.kind else { return false };
        if !self.traits.like_sees_root || !table.is_tailoring() {
            return false;
        }
        let (Some((a, _)), Some((b, _))) = (self.decode(a), self.decode(b)) else { return false };
        self.info.levels.iter().filter_map(|level| table.level(level)).any(|level| level.behind(a) != level.behind(b))
    }

    /// Whether another collation has the same weights for the same code points or bytes.
    pub fn has_same_weights(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (Kind::Bytes, Kind::Bytes) | (Kind::CodePoints(_), Kind::CodePoints(_)) => true,
            (Kind::Order(one), Kind::Order(other)) => core::ptr::eq(one, other),
            (Kind::Expanding(one), Kind::Expanding(other)) => core::ptr::eq(one, other),
            (Kind::MultiByte(one), Kind::MultiByte(other)) => core::ptr::eq(one, other),
            (Kind::Gb18030(one), Kind::Gb18030(other)) => core::ptr::eq(one, other),
            (Kind::Folding(one, _), Kind::Folding(other, _)) => core::ptr::eq(one, other),
            (Kind::Simple(one), Kind::Simple(other)) => core::ptr::eq(one, other),
            (Kind::Uca(one), Kind::Uca(other)) => core::ptr::eq(one, other),
            (Kind::Whole(one), Kind::Whole(other)) => core::ptr::eq(one, other),
            (
                Kind::Bytes
                | Kind::CodePoints(_)
                | Kind::Order(_)
                | Kind::Expanding(_)
                | Kind::MultiByte(_)
                | Kind::Gb18030(_)
                | Kind::Simple(_)
                | Kind::Folding(..)
                | Kind::Uca(_)
                | Kind::Whole(_),
                _,
            ) => false,
        }
    }

    /// Whether another collation has the same weights, levels and padding, over the same characters.
    pub fn orders_valid_text_like(&self, other: &Self) -> bool {
        self.has_same_weights(other)
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

/// A collation of the catalogue, when the library is compiled.
const fn describe(info: &Info) -> Option<Descriptor> {
    let Some(charset) = Charset::named(info.charset) else { return None };
    let Some(kind) = names::kind(info, charset) else { return None };
    let flavour = info.flavour;
    let (form, traits) = (Form::of(flavour, charset), Traits::of(info));
    let by_tables = matches!(kind, Kind::Order(_) | Kind::MultiByte(_) | Kind::Gb18030(_));
    let compares_apart = by_tables || traits.carries_context;
    let characters = charset::Form::of(charset);
    Some(Descriptor { info: *info, charset, characters, form, kind, traits, compares_apart })
}

/// The collation of this id, if its feature is on.
pub(crate) fn find(flavour: Flavour, id: u16) -> Option<&'static Descriptor> {
    let all: &[Option<Descriptor>] = match flavour {
        MySql => &MYSQL,
        MariaDb => &MARIADB,
    };
    let index = catalogue(flavour).binary_search_by_key(&id, |info| info.id).ok()?;
    all.get(index)?.as_ref()
}

/// The collations of a catalogue whose features are on.
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

/// The collation of an id, when the library is compiled.
pub(crate) const fn by_id(flavour: Flavour, id: u16) -> Descriptor {
    match describe(crate::catalogue::entry_by_id(flavour, id)) {
        Some(descriptor) => descriptor,
        None => panic!("a collation without weights"),
    }
}

/// Constants for collations. Each has a static of its own, so that a program which takes one links its table and no other.
macro_rules! handles {
    ($flavour:ident, $server:literal; $($name:ident = $id:literal;)*) => {
        use crate::descriptor::{Descriptor, by_id};
        use crate::{Collation, Flavour};

        mod statics {
            use super::*;

            $(pub static $name: Descriptor = by_id(Flavour::$flavour, $id);)*
        }

        $(
            #[doc = concat!("Collation ", $id, " of ", $server, ".")]
            pub const $name: Collation = Collation::new(&statics::$name);
        )*

        #[cfg(test)]
        #[test]
        fn constants_are_called_what_they_are() {
            for (name, collation) in [$((stringify!($name), $name)),*] {
                assert!(name.eq_ignore_ascii_case(collation.name()), "{name}");
                assert_eq!(Collation::by_id(Flavour::$flavour, collation.id()), Ok(collation));
            }
        }
    };
}

pub(crate) use handles;
