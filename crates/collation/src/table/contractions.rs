//! Sequences of code points that have weights of their own.
//!
//! A file is a row of little-endian 16-bit words: the number of records, the length of the pool, the records in
//! ascending order, the pool. A record ([`RECORD`] words) is three code points, high word first, U+FFFFFFFF for none, and
//! for each level an offset into the pool, where a length and that many weights stand.

use super::level::{PAGES, Sequence, pooled};

/// Words of a record.
pub(crate) const RECORD: usize = 9;
/// The most code points of a contraction.
pub(crate) const CODE_POINTS: usize = 3;

/// All contractions of a table.
pub(crate) struct Contractions {
    pub records: &'static [[u16; RECORD]],
    pub pool: &'static [u16],
    /// The code points that may begin one.
    pub first: Filter,
    /// The code points that may continue one.
    pub later: Filter,
}

/// A set of code points that may tell of one that it lacks that it is in, never the other way round: by its page of 256, and by its
/// lowest twelve bits. Ideographs, of which there are more than lowest bits, are told by their pages.
pub(crate) struct Filter {
    pages: [u64; PAGES / 64],
    lowest: [u64; 64],
    /// The lead bytes of the UTF-8 of those beyond ASCII, from C0 on.
    leads: u64,
}

impl Filter {
    /// Whether a code point may be in the set.
    #[inline(always)]
    pub const fn may_have(&self, code_point: u32) -> bool {
        let page = code_point as usize >> 8;
        page < PAGES
            && self.pages[page >> 6] >> (page & 63) & 1 == 1
            && self.lowest[(code_point >> 6 & 63) as usize] >> (code_point & 63) & 1 == 1
    }

    /// Whether UTF-8 that begins with this byte may be a code point of the set beyond ASCII.
    #[inline(always)]
    pub fn may_have_lead(&self, byte: u8) -> bool {
        byte >= 0xC0 && self.leads >> (byte - 0xC0) & 1 == 1
    }

    /// The code points of these records, in the places from `from` up to `to`.
    pub(super) const fn of(records: &[[u16; RECORD]], from: usize, to: usize) -> Self {
        let mut filter = Self { pages: [0; PAGES / 64], lowest: [0; 64], leads: 0 };
        let mut i = 0;
        while i < records.len() {
            let mut place = from;
            while place < to {
                let code_point = code_point(&records[i], place);
                if code_point != u32::MAX {
                    // What looks for contractions passes over ASCII, and takes those of short and of long characters apart.
                    assert!(
                        place == 0
                            || code_point >= 0x80 && is_short(code_point) == is_short(self::code_point(&records[i], 0))
                    );
                    filter.pages[code_point as usize >> 14] |= 1_u64 << (code_point >> 8 & 63);
                    if code_point >= 0x80 {
                        filter.leads |= 1_u64 << (lead(code_point) & 63);
                    }
                    filter.lowest[(code_point >> 6 & 63) as usize] |= 1_u64 << (code_point & 63);
                }
                place += 1;
            }
            i += 1;
        }
        filter
    }
}

const fn code_point(record: &[u16; RECORD], place: usize) -> u32 {
    (record[2 * place] as u32) << 16 | record[2 * place + 1] as u32
}

/// Whether a code point has one or two bytes of UTF-8.
const fn is_short(code_point: u32) -> bool {
    code_point < 0x800
}

/// The first byte of a code point's UTF-8, for one beyond ASCII.
const fn lead(code_point: u32) -> u32 {
    match code_point {
        0..0x800 => 0xC0 | code_point >> 6,
        0x800..0x1_0000 => 0xE0 | code_point >> 12,
        _ => 0xF0 | code_point >> 18,
    }
}

/// One contraction.
pub(crate) struct Contraction<'t> {
    record: &'t [u16; RECORD],
    pool: &'t [u16],
}

impl Contraction<'_> {
    /// Its weights at a level.
    pub fn weights(&self, level: usize) -> Sequence {
        let offset = self.record.get(2 * CODE_POINTS + level).copied().unwrap_or_default();
        Sequence::of(pooled(self.pool, offset))
    }
}

impl Contractions {
    /// The longest contraction that these code points begin with, and how many of them it takes.
    pub fn longest(&'static self, code_points: &[u32]) -> Option<(usize, Contraction<'static>)> {
        let [first, second, ..] = code_points else { return None };
        if !self.first.may_have(*first) || !self.later.may_have(*second) {
            return None;
        }
        (2..=code_points.len().min(CODE_POINTS)).rev().find_map(|length| {
            let key = core::array::from_fn(|i| if i < length { code_points[i] } else { u32::MAX });
            Some((length, self.find(key)?))
        })
    }

    fn find(&'static self, key: [u32; CODE_POINTS]) -> Option<Contraction<'static>> {
        let key_of = |record: &[u16; RECORD]| core::array::from_fn::<_, CODE_POINTS, _>(|i| code_point(record, i));
        let index = self.records.binary_search_by(|record| key_of(record).cmp(&key)).ok()?;
        Some(Contraction { record: &self.records[index], pool: self.pool })
    }
}
