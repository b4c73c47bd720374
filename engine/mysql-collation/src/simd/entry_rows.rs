//! Entries of a level in rows of 128 code points: ASCII, or the characters of two neighbouring lead
//! bytes of UTF-8 (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1).

use alloc::vec;
use alloc::vec::Vec;

use super::ShortWeights;

/// 128 bytes to look up.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Table {
    pub(super) bytes: [u8; 128],
    /// Each sixteen bytes XORed with the sixteen before them. AVX2 looks up sixteen at a time and
    /// XORs the results.
    #[cfg(target_arch = "x86_64")]
    pub(super) steps: [u8; 128],
}

impl Table {
    const fn new(bytes: [u8; 128]) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            steps: steps(&bytes),
            bytes,
        }
    }
}

/// XORs each sixteen bytes with the sixteen before them.
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

/// Entries of 128 neighbouring code points: high bytes and low bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) high: Table,
    pub(super) low: Table,
}

impl Row {
    pub(super) fn all_of(entries: &[u16; 0x800]) -> [Self; 16] {
        core::array::from_fn(|row| {
            let byte = |which: usize| core::array::from_fn(|i| entries[row << 7 | i].to_be_bytes()[which]);
            Self { high: Table::new(byte(0)), low: Table::new(byte(1)) }
        })
    }
}

/// Class of each character, in one byte. Equal classes mean equal entries, so comparing classes
/// takes half the lookups.
///
/// The class of an ASCII character is the character, in lower case if the level ignores case: no
/// table is needed. A longer character with the entry of an ASCII character has the class of that
/// character. Other characters have numbers from [`LOCAL`] on, valid within their row, or
/// [`MARKED`]. Different classes may have equal entries: those of characters of different rows,
/// and those of ASCII characters.
#[derive(Debug)]
pub(super) struct EntryClasses {
    rows: [Table; 16],
}

/// Classes from here on are valid within one row.
pub(super) const LOCAL: u8 = 0x80;
/// Class of a character with the entry [`ShortWeights::DEFER`].
pub(super) const MARKED: u8 = 0xFF;

impl EntryClasses {
    pub(super) fn new(entries: &[u16; 0x800], folds: bool) -> Option<Self> {
        let (ascii, longer) = entries.split_at(0x80);
        if ascii[1..].contains(&ShortWeights::DEFER) {
            return None;
        }
        // Class of an ASCII character by its entry.
        let mut of_ascii = vec![None; usize::from(ShortWeights::DEFER)];
        for (character, &entry) in (0..0x80_u8).zip(ascii).rev() {
            if let Some(class) = of_ascii.get_mut(usize::from(entry)) {
                *class = Some(if folds { character.to_ascii_lowercase() } else { character });
            }
        }
        let mut rows = [Table::new([MARKED; 128]); 16];
        for (row, entries) in rows[1..].iter_mut().zip(longer.chunks_exact(128)) {
            *row = Table::new(classes_of(entries, &mut of_ascii));
        }
        Some(Self { rows })
    }

    #[inline(always)]
    pub(super) fn row(&self, number: usize) -> &Table {
        &self.rows[number]
    }
}

/// Classes of a row. `classes` holds the classes of ASCII by entry, on return too.
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
