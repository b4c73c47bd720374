//! The weights of one level, by code point.
//!
//! A file is a row of little-endian 16-bit words: the number of distinct pages, the length of the pool, the page of each
//! 256 code points ([`PAGES`] words), the pages' entries, the pool. An entry is
//! - 0: the code point is ignorable, it has no weight;
//! - below [`POOL`]: its one weight;
//! - below [`RULES`]: `POOL` and an offset into the pool, where a length and that many weights stand;
//! - else a rule, one of those below.

/// Pages of 256 code points, up to U+10FFFF.
pub const PAGES: usize = 0x1100;
/// Entries from here on point into the pool.
pub const POOL: u16 = 0xc000;
/// Entries from here on name a rule.
pub const RULES: u16 = 0xfff0;
/// The most weights that a code point or contraction has at one level.
pub const LONGEST: usize = 8;

/// Rule: two weights, a base of 0xFBC0 and bits 15 and up of the code point, then its lower bits: whatever has no
/// weights in Unicode's table.
pub const UNASSIGNED: u16 = RULES;
/// Rule: the same from a base of 0xFB40: unified ideographs of the first block.
pub const HAN: u16 = RULES + 1;
/// Rule: the same from a base of 0xFB80: other unified ideographs.
pub const HAN_EXTENSION: u16 = RULES + 2;
/// Rule: 0xFB00, then the code point less U+17000.
pub const TANGUT: u16 = RULES + 3;
/// Rule: 0xFB01, then the code point less U+1B170.
pub const NUSHU: u16 = RULES + 4;
/// Rule: 0xFB02, then the code point less U+18B00.
pub const KHITAN: u16 = RULES + 5;
/// Rule: a Hangul syllable has the weights of the letters that it is made of.
pub const HANGUL: u16 = RULES + 6;

/// A paged table of one level.
pub(crate) struct Level {
    pub pages: &'static [u16; PAGES],
    pub entries: &'static [u16],
    pub pool: &'static [u16],
    /// For each page, whether all its code points go by a rule, or all have the same entry.
    pub is_plain_page: &'static [bool],
}

/// The weights of a code point at one level, in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence {
    weights: [u16; LONGEST],
    length: u8,
}

impl Sequence {
    pub const EMPTY: Self = Self { weights: [0; LONGEST], length: 0 };

    /// The weights of this slice; those beyond [`LONGEST`] don't occur.
    #[inline]
    pub(crate) fn of(weights: &[u16]) -> Self {
        let mut sequence = Self::EMPTY;
        sequence.extend(weights);
        sequence
    }

    #[inline]
    fn extend(&mut self, weights: &[u16]) {
        for &weight in weights {
            if let Some(slot) = self.weights.get_mut(usize::from(self.length)) {
                *slot = weight;
                self.length += 1;
            }
        }
    }

    /// The weights.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u16] {
        self.weights.get(..usize::from(self.length)).unwrap_or_default()
    }
}

impl Level {
    /// The entry of a code point; beyond U+10FFFF that of U+0000.
    #[inline(always)]
    pub const fn entry(&self, code_point: u32) -> u16 {
        let page = code_point as usize >> 8;
        let page = if page < PAGES { self.pages[page] } else { 0 };
        let index = (page as usize) << 8 | code_point as usize & 0xff;
        if index < self.entries.len() { self.entries[index] } else { 0 }
    }

    /// Whether the page of a code point says nothing of its own: there, `LIKE` compares numbers, not weights.
    pub fn is_on_plain_page(&self, code_point: u32) -> bool {
        let page = self.pages.get(code_point as usize >> 8).copied().unwrap_or_default();
        self.is_plain_page.get(usize::from(page)).copied().unwrap_or_default()
    }

    /// The weights of a code point.
    #[inline]
    pub fn weights(&self, code_point: u32) -> Sequence {
        self.expand(code_point, self.entry(code_point))
    }

    /// The weights that a code point's entry stands for.
    pub fn expand(&self, code_point: u32, entry: u16) -> Sequence {
        match entry {
            0 => Sequence::EMPTY,
            1..POOL => Sequence::of(&[entry]),
            POOL..RULES => Sequence::of(self.pooled(entry - POOL)),
            HANGUL => {
                let mut sequence = Sequence::EMPTY;
                for letter in hangul(code_point).into_iter().flatten() {
                    // A letter is no syllable: this goes one deep.
                    sequence.extend(self.weights(letter).as_slice());
                }
                sequence
            }
            _ => Sequence::of(&implicit(entry, code_point)),
        }
    }

    fn pooled(&self, offset: u16) -> &[u16] {
        pooled(self.pool, offset)
    }
}

/// Which pages of these entries say nothing of their own: all by a rule, or all the same.
pub(super) const fn plain_pages<const N: usize>(entries: &[u16]) -> [bool; N] {
    let mut plain = [false; N];
    let mut page = 0;
    while page < N {
        let (mut all_rules, mut all_same) = (true, true);
        let mut i = page * 256;
        while i < (page + 1) * 256 {
            all_rules &= entries[i] >= RULES;
            all_same &= entries[i] == entries[page * 256];
            i += 1;
        }
        plain[page] = all_rules || all_same;
        page += 1;
    }
    plain
}

/// The weights at an offset of a pool: a length, then that many weights.
pub(super) fn pooled(pool: &[u16], offset: u16) -> &[u16] {
    let at = usize::from(offset);
    let length = usize::from(pool.get(at).copied().unwrap_or_default());
    pool.get(at + 1..at + 1 + length).unwrap_or_default()
}

/// The two weights that a rule gives to a code point (UTS #10, "Implicit Weights").
pub const fn implicit(rule: u16, code_point: u32) -> [u16; 2] {
    let (base, offset) = match rule {
        HAN => (0xfb40 + (code_point >> 15), code_point),
        HAN_EXTENSION => (0xfb80 + (code_point >> 15), code_point),
        TANGUT => (0xfb00, code_point.wrapping_sub(0x1_7000)),
        NUSHU => (0xfb01, code_point.wrapping_sub(0x1_b170)),
        KHITAN => (0xfb02, code_point.wrapping_sub(0x1_8b00)),
        UNASSIGNED => (0xfbc0 + (code_point >> 15), code_point),
        _ => return [0; 2],
    };
    [base as u16, offset as u16 & 0x7fff | 0x8000]
}

/// The letters of a Hangul syllable: leading consonant, vowel, and maybe a trailing consonant (Unicode, "Conjoining Jamo
/// Behavior"). What is no syllable has none.
pub const fn hangul(code_point: u32) -> [Option<u32>; 3] {
    let index = code_point.wrapping_sub(0xac00);
    if index >= 19 * 21 * 28 {
        return [None; 3];
    }
    let trailing = index % 28;
    [
        Some(0x1100 + index / (21 * 28)),
        Some(0x1161 + index / 28 % 21),
        if trailing == 0 { None } else { Some(0x11a7 + trailing) },
    ]
}
