//! Tables of the Unicode Collation Algorithm, read at first use, with their weights below U+0800 in
//! the layout of SIMD lookups.

use super::Lazy;
use crate::simd::{BytePairs, CaseVariants, ShortContractions, ShortWeights};
use crate::tables::{Contractions, LEVELS, Level, POOL, RULES, TableFile, is_short};

/// A table of the Unicode Collation Algorithm: up to 16 weights per code point and level.
pub(crate) struct UcaTable {
    /// Tailored table; `None` for a root such as UCA 9.0.0.
    parent: Option<&'static UcaTable>,
    file: TableFile,
    levels: [Lazy<Option<UcaLevel>>; LEVELS],
    contractions: Lazy<Option<UcaContractions>>,
}

/// A level, and its weights below U+0800 in the layout of SIMD lookups.
pub(crate) struct UcaLevel {
    pub level: Level,
    pub short: ShortWeights,
    pub contractions: Option<&'static UcaContractions>,
    /// Index of this level, 0 for the primary.
    pub index: usize,
}

pub(crate) struct UcaContractions {
    pub all: Contractions,
    /// Pairs of UTF-8 bytes that may be adjacent at a character boundary in a contraction.
    pub pairs: BytePairs,
}

impl UcaTable {
    pub const fn new(parent: Option<&'static UcaTable>, file: &'static [u8]) -> Self {
        Self { parent, file: TableFile(file), levels: [const { Lazy::new() }; LEVELS], contractions: Lazy::new() }
    }

    /// Returns `true` if the table tailors another table, as the table of a language does.
    pub const fn is_tailoring(&self) -> bool {
        self.parent.is_some()
    }

    /// Returns a level, 0 for the primary; `None` if the table lacks the level.
    #[inline(always)]
    pub fn level(&'static self, index: usize) -> Option<&'static UcaLevel> {
        self.levels.get(index)?.get(|| self.read_level(index)).as_ref()
    }

    /// Returns the contractions; `None` if the table has none.
    #[inline(always)]
    pub fn contractions(&'static self) -> Option<&'static UcaContractions> {
        self.contractions.get(|| self.read_contractions()).as_ref()
    }

    #[cold]
    fn read_level(&'static self, index: usize) -> Option<UcaLevel> {
        let parent = self.parent.and_then(|parent| parent.level(index));
        let level = self.file.read_level(parent.map(|parent| &parent.level), index)?;
        let contractions = self.contractions();
        let short = short_weights(&level, contractions, index);
        Some(UcaLevel { level, short, contractions, index })
    }

    #[cold]
    fn read_contractions(&'static self) -> Option<UcaContractions> {
        let parent = self.parent.and_then(Self::contractions);
        let all = self.file.read_contractions(parent.map(|parent| &parent.all))?;
        let pairs = byte_pairs(&all);
        Some(UcaContractions { all, pairs })
    }
}

/// Creates the lookup of weights below U+0800 for a level.
fn short_weights(level: &Level, contractions: Option<&'static UcaContractions>, index: usize) -> ShortWeights {
    const { assert!(POOL == ShortWeights::MULTIPLE) }
    let all = contractions.map(|contractions| &contractions.all);
    // An entry that refers to a sequence of weights is kept: equal entries mean equal weights.
    // Rules are deferred to the full table, and so are characters that continue a contraction, if
    // vectors find contractions by these characters alone.
    let is_marked = |code_point| all.is_some_and(|all| all.needs_no_pair_search() && all.can_continue(code_point));
    let entry = |code_point| match level.entry(code_point as u32) {
        RULES.. => ShortWeights::DEFER,
        _ if is_marked(code_point) => ShortWeights::DEFER,
        entry => entry,
    };
    let short_contractions =
        contractions.filter(|contractions| !contractions.all.needs_no_pair_search()).map(|contractions| {
            let weights = |entry| level.entry_weights(entry);
            let each = contractions.all.all().iter().map(|one| (one.code_points(), weights(one.entry(index))));
            ShortContractions::new(&contractions.pairs, each)
        });
    let variants =
        if all.is_some_and(|all| all.ignores_case(index)) { CaseVariants::OtherCase } else { CaseVariants::None };
    ShortWeights::new(core::array::from_fn(entry), |entry| level.entry_weights(entry), short_contractions, variants)
}

/// Collects pairs of the last byte of a code point and the first byte of the next code point in
/// contractions.
fn byte_pairs(contractions: &Contractions) -> BytePairs {
    let neighbours = contractions.all().iter().flat_map(|record| record.code_points().windows(2));
    let bytes = |pair: &[u32]| (last_byte(pair[0]), first_byte(pair[1]));
    // Pairs after characters below U+0800 come first: the first seven second bytes get classes
    // of their own, and all later ones share a class.
    let short = neighbours.clone().filter(|pair| is_short(pair[0])).map(bytes);
    BytePairs::new(short.chain(neighbours.filter(|pair| !is_short(pair[0])).map(bytes)))
}

/// Returns the first byte of a code point in UTF-8.
const fn first_byte(code_point: u32) -> u8 {
    (match code_point {
        0..0x80 => code_point,
        0x80..0x800 => 0xC0 | code_point >> 6,
        0x800..0x1_0000 => 0xE0 | code_point >> 12,
        _ => 0xF0 | code_point >> 18 & 7,
    }) as u8
}

/// Returns the last byte of a code point in UTF-8.
const fn last_byte(code_point: u32) -> u8 {
    (if code_point < 0x80 { code_point } else { 0x80 | code_point & 0x3F }) as u8
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;
    use crate::tables::Contraction;

    #[test]
    fn files_are_complete() {
        for (name, table) in files::tables() {
            let parents = core::array::from_fn(|index| Some(&table.parent?.level(index)?.level));
            let contractions = table.parent.and_then(UcaTable::contractions).map(|parent| &parent.all);
            table.file.assert_complete(name, parents, contractions);
        }
    }

    #[test]
    fn finds_contractions_by_their_code_points_alone() {
        for (name, table) in files::tables() {
            let Some(UcaContractions { all: contractions, .. }) = table.contractions() else { continue };
            for record in contractions.all() {
                let [one, other, rest @ ..] = record.code_points() else { panic!("one code point in {name}") };
                let found = contractions.longest(*one, *other, rest.iter().copied());
                assert_eq!(found.map(Contraction::code_points), Some(record.code_points()), "{name}");
                for pair in [[*one, *other], [*other, *one], [*one, *one], [*one, *other + 1], [*one + 1, *other]] {
                    let is_one = contractions.all().binary_search_by(|record| record.code_points().cmp(&pair)).is_ok();
                    let found = contractions.longest(pair[0], pair[1], core::iter::empty());
                    assert_eq!(found.is_some(), is_one, "{pair:X?} in {name}");
                }
            }
        }
    }
}
