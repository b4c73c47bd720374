//! Pairs of neighbouring bytes that may be within a contraction: the last byte of a character and
//! the first byte of the next.
//!
//! Each byte has a set of classes. A pair may be within a contraction if both bytes share a class.
//! The classes of a byte are those of its low four bits and its high four bits in common, so two
//! lookups in sixteen bytes find the classes of a whole vector. The test has false positives, which
//! cost time only: `ch` and `zh` together mark `sh`, and both cases of ASCII are always marked. It
//! has no false negatives.

use core::ops::Range;

/// How a contraction may differ between two texts without a difference in weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseVariants {
    /// It may not differ.
    None,
    /// All its ASCII letters may be in the other case: `CH` and `ch`, but perhaps not `cH`.
    OtherCase,
}

/// Bytes that occur in the pairs.
///
/// Letters are the bytes `@` to DEL, leads the bytes from C0 on. Both can be looked up by their
/// lowest six bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairBytes {
    /// Each pair is two letters.
    Letters,
    /// Each pair is two letters, or a letter or a byte beyond ASCII before a lead.
    LettersAndLeads,
    /// Any bytes.
    Any,
}

/// Classes of first and second bytes.
#[derive(Debug)]
pub(crate) struct BytePairs {
    pub first: PairClasses,
    pub second: PairClasses,
    #[cfg_attr(not(any(test, target_arch = "x86_64")), expect(dead_code, reason = "only AVX-512 asks for it"))]
    pub kind: PairBytes,
}

/// Classes of all bytes, and of the low and high four bits. Aligned, as vectors load 64 bytes.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct PairClasses {
    of: [u8; 256],
    pub low: [u8; 16],
    pub high: [u8; 16],
}

impl PairClasses {
    #[inline(always)]
    pub const fn get(&self, byte: u8) -> u8 {
        self.of[byte as usize]
    }

    /// Classes of the bytes whose two highest bits are `number`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn quarter(&self, number: usize) -> &[u8; 64] {
        &self.of.as_chunks().0[number]
    }

    /// Union of the classes of these bytes.
    fn of_all(&self, bytes: Range<usize>) -> u8 {
        self.of[bytes].iter().fold(0, |all, classes| all | classes)
    }

    const fn new() -> Self {
        Self { low: [0; 16], high: [0; 16], of: [0; 256] }
    }

    fn add(&mut self, byte: u8, class: u8) {
        for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
            self.low[usize::from(byte & 15)] |= class;
            self.high[usize::from(byte >> 4)] |= class;
        }
    }

    /// One class, for the bytes whose high four bits are in this range.
    const fn of_high(from: usize, to: usize) -> Self {
        let mut all = Self { low: [1; 16], high: [0; 16], of: [0; 256] };
        let mut high = from;
        while high < to {
            all.high[high] = 1;
            let mut low = 0;
            while low < 16 {
                all.of[16 * high + low] = 1;
                low += 1;
            }
            high += 1;
        }
        all
    }

    fn finish(&mut self) {
        for byte in 0..=255_u8 {
            self.of[usize::from(byte)] = self.low[usize::from(byte & 15)] & self.high[usize::from(byte >> 4)];
        }
    }
}

impl BytePairs {
    /// A byte beyond ASCII before a byte from `@` to DEL: the second byte of a character may be a
    /// letter.
    pub const BEFORE_LETTERS: Self =
        Self { first: PairClasses::of_high(8, 16), second: PairClasses::of_high(4, 8), kind: PairBytes::Any };

    /// Classes for these pairs. The first seven different second bytes have a class each.
    pub fn new(pairs: impl Iterator<Item = (u8, u8)>) -> Self {
        let (mut first, mut second) = (PairClasses::new(), PairClasses::new());
        // Class number of each second byte; the eighth and all later ones share one.
        let mut seconds = [0; 256];
        let mut count = 0;
        for (one, other) in pairs {
            let number: &mut u32 = &mut seconds[usize::from(other.to_ascii_lowercase())];
            if *number == 0 {
                count += 1;
                *number = count;
            }
            let class = 1 << (*number - 1).min(7);
            first.add(one, class);
            second.add(other, class);
        }
        first.finish();
        second.finish();
        Self { kind: find_kind(&first, &second), first, second }
    }

    /// Whether a contraction may reach from a character that ends in `one` to a character that
    /// begins with `other`.
    #[inline(always)]
    pub const fn may_contract(&self, one: u8, other: u8) -> bool {
        self.first.get(one) & self.second.get(other) != 0
    }
}

fn find_kind(first: &PairClasses, second: &PairClasses) -> PairBytes {
    let have_pairs = |first: u8, second: u8| first & second != 0;
    let [other_first, letters_first, beyond_first] =
        [0..0x40, 0x40..0x80, 0x80..0x100].map(|bytes| first.of_all(bytes));
    let [letters_second, leads_second] = [0x40..0x80, 0xC0..0x100].map(|bytes| second.of_all(bytes));
    let other_second = second.of_all(0..0x40) | second.of_all(0x80..0xC0);
    if have_pairs(other_first, letters_second | leads_second | other_second)
        || have_pairs(letters_first | beyond_first, other_second)
        || have_pairs(beyond_first, letters_second)
    {
        PairBytes::Any
    } else if have_pairs(letters_first | beyond_first, leads_second) {
        PairBytes::LettersAndLeads
    } else {
        PairBytes::Letters
    }
}
