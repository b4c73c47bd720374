//! The entries of a level, as vectors look them up: bytes of 128 neighbouring code points, which are ASCII or what two neighbouring lead
//! bytes of UTF-8 begin (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1).

use alloc::vec;
use alloc::vec::Vec;

use super::Low;

/// 128 bytes to look up.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Table {
    /// As they are.
    pub(super) bytes: [u8; 128],
    /// Each sixteen less (exclusive or) the sixteen before them: what adds up to the bytes where only sixteen can be looked up at once.
    #[cfg(target_arch = "x86_64")]
    pub(super) steps: [u8; 128],
}

impl Table {
    const fn of(bytes: [u8; 128]) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            steps: steps(&bytes),
            bytes,
        }
    }
}

/// Each sixteen bytes less (exclusive or) the sixteen before them.
#[cfg(target_arch = "x86_64")]
pub(super) const fn steps(bytes: &[u8; 128]) -> [u8; 128] {
    let mut steps = *bytes;
    let mut i = 16;
    while i < 128 {
        steps[i] ^= bytes[i - 16];
        i += 1;
    }
    steps
}

/// The entries of 128 neighbouring code points, high bytes and low bytes each by themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) high: Table,
    pub(super) low: Table,
}

impl Row {
    pub(super) fn all_of(entries: &[u16; 0x800]) -> [Self; 16] {
        core::array::from_fn(|row| {
            let byte = |which: usize| core::array::from_fn(|i| entries[row << 7 | i].to_be_bytes()[which]);
            Self { high: Table::of(byte(0)), low: Table::of(byte(1)) }
        })
    }
}

/// A byte for each character, its class: what two texts share is found by half the lookups that entries take.
///
/// A character of ASCII has itself as its class, in lower case where the level doesn't tell case: no table is needed. A longer one has that
/// of ASCII with the same entry, if there is some; else a number from [`LOCAL`] on, which means something in its own row only, and
/// [`MARKED`] if it is to be looked up elsewhere. Equal classes mean equal entries. Unlike ones don't mean unlike entries: those of other
/// rows may be equal, and those of control characters.
#[derive(Debug)]
pub(super) struct Classes {
    rows: [Table; 16],
}

/// Classes from here on are numbers within a row.
pub(super) const LOCAL: u8 = 0x80;
/// The class of what has to be looked up elsewhere.
pub(super) const MARKED: u8 = 0xFF;

impl Classes {
    pub(super) fn of(entries: &[u16; 0x800], folds: bool) -> Option<Self> {
        let (ascii, longer) = entries.split_at(0x80);
        if ascii[1..].contains(&Low::MARK) {
            return None;
        }
        // By entry.
        let mut of_ascii = vec![None; usize::from(Low::MARK)];
        for (character, &entry) in (0..0x80_u8).zip(ascii).rev() {
            if let Some(class) = of_ascii.get_mut(usize::from(entry)) {
                *class = Some(if folds { character.to_ascii_lowercase() } else { character });
            }
        }
        let mut rows = [Table::of([MARKED; 128]); 16];
        for (row, entries) in rows[1..].iter_mut().zip(longer.chunks_exact(128)) {
            *row = Table::of(classes_of(entries, &mut of_ascii));
        }
        Some(Self { rows })
    }

    /// The classes of the row with this number.
    #[inline(always)]
    pub(super) fn row(&self, number: usize) -> &Table {
        &self.rows[number]
    }
}

/// The classes of a row. `classes` are those of ASCII, by entry, and so they are left.
fn classes_of(entries: &[u16], classes: &mut [Option<u8>]) -> [u8; 128] {
    let mut own = Vec::new();
    let of_row = core::array::from_fn(|i| {
        let Some(class) = classes.get_mut(usize::from(entries[i])) else { return MARKED };
        *class.get_or_insert_with(|| {
            own.push(entries[i]);
            LOCAL.saturating_add(own.len() as u8 - 1)
        })
    });
    for entry in own {
        classes[usize::from(entry)] = None;
    }
    of_row
}
