//! The table and the rules of a collation, for the data file of the ports to other languages.

use alloc::format;
use alloc::string::String;

use crate::api::Collation;
use crate::charset::{CaseRule, describe_case};
use crate::dispatch::{ByteKind, CharacterKind, CodePointKind, Kind};
use crate::tables::{FoldingTable, LEVELS, MultiByte, SimpleTable};
use crate::weights::{LazySingleWeightTable, TextWeights, UcaTable, files};

/// The source of a collation's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightSource {
    /// The bytes themselves.
    Bytes,
    /// One weight per byte.
    ByteTable,
    /// One or two weights per byte.
    ByteExpansions,
    /// Four passes over the words of a text: `latin2_czech_cs`.
    CzechWords,
    /// Two passes over a text: `cp1250_czech_cs`.
    CzechPasses,
    /// Thai, whose vowels and marks move.
    Thai {
        /// Whether a key ends at the first zero.
        ends_at_zero: bool,
    },
    /// Characters of one to three bytes.
    Characters {
        /// Whether characters of two bytes compare by their bytes, and the table is for
        /// WEIGHT_STRING.
        has_weight_string_pages: bool,
        /// Whether the second byte has the weight of a character of one byte.
        folds_second: bool,
    },
    /// Characters of one, two or four bytes: `gb18030_chinese_ci`.
    Gb18030,
    /// The code points themselves.
    Numbers {
        /// Bytes of a weight in WEIGHT_STRING.
        width: usize,
    },
    /// One weight per code point.
    Simple,
    /// The code point with its case folded.
    Folding {
        /// Bytes of a weight in WEIGHT_STRING.
        width: usize,
    },
    /// Weights of the Unicode Collation Algorithm.
    Uca,
}

/// The table and the rules of a collation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Source of the weights.
    pub source: WeightSource,
    /// File of the weights in `data`, without extension; `None` if rules give the weights.
    pub table: Option<String>,
    /// For each level, whether texts compare as if followed by spaces.
    pub pads: [bool; LEVELS],
    /// Whether a text ends at its first ill-formed byte, in UCA collations.
    pub ends_at_errors: bool,
    /// Whether uniform pages beyond the primary level count in `LIKE`.
    pub like_by_page_beyond_primary: bool,
    /// Whether WEIGHT_STRING separates levels by `0000`.
    pub is_separated: bool,
    /// First level at which WEIGHT_STRING has 0 for a weight of 1.
    pub one_is_zero_from: Option<usize>,
    /// Whether a mark at the start of a text is weighed as after the text's last character.
    pub wraps_first_mark: bool,
    /// Whether `LIKE` compares weights of the root table that a tailoring doesn't overwrite.
    pub like_sees_root: bool,
}

/// Describes a collation.
pub fn describe(collation: Collation) -> Description {
    let descriptor = collation.descriptor();
    let (source, table) = match descriptor.kind {
        Kind::Bytes(kind) => of_bytes(collation, kind),
        Kind::Characters(CharacterKind::Double(table, _) | CharacterKind::EucJp(table)) => {
            of_characters(collation, table)
        }
        Kind::Characters(CharacterKind::Gb18030(_)) => (WeightSource::Gb18030, Some(legacy_file(collation))),
        Kind::Utf8(_) | Kind::Scalars(_) => of_code_points(descriptor.kind.code_points()),
    };
    let rules = &descriptor.rules;
    Description {
        source,
        table,
        pads: core::array::from_fn(|level| descriptor.pads(level)),
        ends_at_errors: rules.ends_at_errors,
        like_by_page_beyond_primary: rules.like_by_page_beyond_primary,
        is_separated: rules.is_separated,
        one_is_zero_from: rules.one_is_zero_from,
        wraps_first_mark: rules.wraps_first_mark,
        like_sees_root: rules.like_sees_root,
    }
}

/// Returns the rule of a collation for `UPPER` and `LOWER`.
pub fn case_rule(collation: Collation) -> CaseRule {
    let info = collation.info();
    describe_case(info.flavour, collation.charset(), info.name)
}

/// Returns the weights of bytes in `LOCATE`; `None` if the collation weighs no texts as a whole.
pub fn locate_weights(collation: Collation) -> Option<[u8; 256]> {
    let Kind::Bytes(ByteKind::Text(weights)) = collation.descriptor().kind else { return None };
    Some(core::array::from_fn(|byte| weights.locate().weight(byte as u8)))
}

/// Returns the file of a collation outside Unicode. NOPAD variants share it.
fn legacy_file(collation: Collation) -> String {
    format!("legacy/{}", collation.name().replace("nopad_", ""))
}

fn of_bytes(collation: Collation, kind: ByteKind) -> (WeightSource, Option<String>) {
    let file = Some(legacy_file(collation));
    match kind {
        ByteKind::Identity => (WeightSource::Bytes, None),
        ByteKind::Table(_) => (WeightSource::ByteTable, file),
        ByteKind::Expansions(_) => (WeightSource::ByteExpansions, Some("latin1_german2_ci".into())),
        ByteKind::Text(TextWeights::Words { .. }) => (WeightSource::CzechWords, file),
        ByteKind::Text(TextWeights::Passes { .. }) => (WeightSource::CzechPasses, file),
        ByteKind::Text(&TextWeights::Thai { ends_at_zero, .. }) => (WeightSource::Thai { ends_at_zero }, file),
    }
}

fn of_characters(collation: Collation, table: &MultiByte) -> (WeightSource, Option<String>) {
    let source = WeightSource::Characters {
        has_weight_string_pages: table.has_weight_string_pages(),
        folds_second: table.folds_second,
    };
    (source, Some(legacy_file(collation)))
}

fn of_code_points(kind: Option<CodePointKind>) -> (WeightSource, Option<String>) {
    match kind {
        Some(CodePointKind::Simple(table)) => (WeightSource::Simple, simple_file(table)),
        Some(CodePointKind::Folding(table, width)) => (WeightSource::Folding { width }, folding_file(table)),
        Some(CodePointKind::Uca(table)) => (WeightSource::Uca, uca_file(table)),
        Some(CodePointKind::Numbers(width)) => (WeightSource::Numbers { width }, None),
        None => (WeightSource::Bytes, None),
    }
}

fn simple_file(table: &LazySingleWeightTable<SimpleTable>) -> Option<String> {
    let all =
        [("general", &files::GENERAL), ("general_mysql500", &files::GENERAL_MYSQL500), ("tolower", &files::TOLOWER)];
    all.into_iter().find(|(_, one)| core::ptr::eq(*one, table)).map(|(name, _)| name.into())
}

fn folding_file(table: &LazySingleWeightTable<FoldingTable>) -> Option<String> {
    core::ptr::eq(&raw const files::GENERAL1400, table).then(|| "general1400".into())
}

fn uca_file(table: &UcaTable) -> Option<String> {
    files::tables().find(|(_, one)| core::ptr::eq(*one, table)).map(|(name, _)| name.into())
}
