//! Which two neighbouring bytes may be within a contraction: the last byte of a character and the first byte of the one
//! after it. Told by classes: a pair may be within one if both bytes have a class in common.
//!
//! A byte's classes are those that both its low and its high four bits have, as two lookups in sixteen bytes tell many
//! bytes' at once ([`crate::arch`]). That is more than was put in, which costs time where it comes up, and no more: `ch`
//! may mark `cx`, and ASCII's upper and lower case are always marked both.

use core::ops::Range;

/// How two texts may differ within a contraction that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variants {
    /// Not at all.
    None,
    /// Its letters of ASCII, all in one case, may all be in the other: `CH` has the weights of `ch`. What `cH` has is not said.
    OtherCase,
}

/// Which bytes pairs are of, so that vectors can look a byte's classes up by its lowest six bits, in the table of letters or that of lead
/// bytes. A letter is a byte from `@` to DEL here, a lead byte is one from C0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All are of two letters.
    Letters,
    /// Some are of a lead byte behind a letter or a byte beyond ASCII; all others are of two letters.
    LettersAndLeads,
    /// Some are none of these.
    Any,
}

/// The classes of the bytes that may stand in front, and of those that may come after them.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub first: Classes,
    pub second: Classes,
    #[cfg_attr(not(any(test, target_arch = "x86_64")), expect(dead_code, reason = "only AVX-512 asks for it"))]
    pub kind: Kind,
}

/// The classes of bytes, each by itself, and by the low and by the high four bits. Aligned, as vectors load a quarter at once.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Classes {
    of: [u8; 256],
    pub low: [u8; 16],
    pub high: [u8; 16],
}

impl Classes {
    /// The classes of a byte.
    #[inline(always)]
    pub const fn of(&self, byte: u8) -> u8 {
        self.of[byte as usize]
    }

    /// The classes of the bytes whose two highest bits are this number.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn quarter(&self, number: usize) -> &[u8; 64] {
        &self.of.as_chunks().0[number]
    }

    /// All classes of these bytes.
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

    /// One class for the bytes whose high four bits are in this range.
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

impl Pairs {
    /// A byte beyond ASCII, and one from `@` to DEL: where second bytes of characters may be letters.
    pub const BEFORE_LETTERS: Self =
        Self { first: Classes::of_high(8, 16), second: Classes::of_high(4, 8), kind: Kind::Any };

    /// Of these pairs of bytes.
    pub fn of(pairs: impl Iterator<Item = (u8, u8)>) -> Self {
        let (mut first, mut second) = (Classes::new(), Classes::new());
        // A class for each byte that comes second; the last ones share one.
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
        Self { kind: kind(&first, &second), first, second }
    }

    /// Whether a contraction may reach from a character that ends in `one` to the next, which begins with `other`.
    #[inline(always)]
    pub const fn may_join(&self, one: u8, other: u8) -> bool {
        self.first.of(one) & self.second.of(other) != 0
    }
}

fn kind(first: &Classes, second: &Classes) -> Kind {
    let have_pairs = |first: u8, second: u8| first & second != 0;
    let [other_first, letters_first, beyond_first] =
        [0..0x40, 0x40..0x80, 0x80..0x100].map(|bytes| first.of_all(bytes));
    let [letters_second, leads_second] = [0x40..0x80, 0xC0..0x100].map(|bytes| second.of_all(bytes));
    let other_second = second.of_all(0..0x40) | second.of_all(0x80..0xC0);
    if have_pairs(other_first, letters_second | leads_second | other_second)
        || have_pairs(letters_first | beyond_first, other_second)
        || have_pairs(beyond_first, letters_second)
    {
        Kind::Any
    } else if have_pairs(letters_first | beyond_first, leads_second) {
        Kind::LettersAndLeads
    } else {
        Kind::Letters
    }
}
