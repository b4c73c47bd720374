//! Which two neighbouring bytes may be within a contraction: the last byte of a character and the first byte of the one
//! after it. Told by classes: a pair may be within one if both bytes have a class in common.
//!
//! A byte's classes are those that both its low and its high four bits have, as two lookups in sixteen bytes tell many
//! bytes' at once ([`crate::arch`]). That is more than was put in, which costs time where it comes up, and no more: `ch`
//! may mark `cx`, and ASCII's upper and lower case are always marked alike.

/// How two texts may differ within a contraction that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variants {
    /// Not at all.
    None,
    /// Its letters of ASCII, all in one case, may all be in the other: `CH` has the weights of `ch`. What `cH` has is not said.
    OtherCase,
}

/// The classes of the bytes that may stand in front, and of those that may come after them.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub first: Classes,
    pub second: Classes,
    /// Whether of the characters of one and two bytes only those of ASCII stand in front, and all between `@` and DEL has the classes of
    /// its other case.
    pub follow_ascii: bool,
}

/// The classes of bytes, by the low and by the high four bits.
#[derive(Debug)]
pub(crate) struct Classes {
    pub low: [u8; 16],
    pub high: [u8; 16],
    of: [u8; 256],
}

impl Classes {
    /// The classes of a byte.
    #[inline(always)]
    pub const fn of(&self, byte: u8) -> u8 {
        self.of[byte as usize]
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
        Self { first: Classes::of_high(8, 16), second: Classes::of_high(4, 8), follow_ascii: false };

    /// Of these pairs of bytes: those whose first byte ends a character of one or two bytes, and those with a longer one.
    pub fn of(short: impl Iterator<Item = (u8, u8)>, long: impl Iterator<Item = (u8, u8)>) -> Self {
        let (mut first, mut second) = (Classes::new(), Classes::new());
        // A class for each byte that comes second; the last ones share one.
        let mut seconds = [0; 256];
        let mut count = 0;
        let mut follow_ascii = true;
        let (short, long) = (short.map(|pair| (pair, true)), long.map(|pair| (pair, false)));
        for ((one, other), is_short) in short.chain(long) {
            let number: &mut u32 = &mut seconds[usize::from(other.to_ascii_lowercase())];
            if *number == 0 {
                count += 1;
                *number = count;
            }
            let class = 1 << (*number - 1).min(7);
            first.add(one, class);
            second.add(other, class);
            follow_ascii &= !is_short || one.is_ascii();
        }
        first.finish();
        second.finish();
        let has_cases = |classes: &Classes| (0x40..0x80).all(|byte| classes.of(byte) == classes.of(byte ^ 0x20));
        follow_ascii &= has_cases(&first) && has_cases(&second);
        Self { first, second, follow_ascii }
    }

    /// Whether a contraction may reach from a character that ends in `one` to the next, which begins with `other`.
    #[inline(always)]
    pub const fn may_join(&self, one: u8, other: u8) -> bool {
        self.first.of(one) & self.second.of(other) != 0
    }
}
