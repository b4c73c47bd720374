//! The contractions of a block of text, which are written in the place of their characters.
//!
//! A block is written as if each character had weights of its own: a contraction's first weights take the places of its characters'
//! first ones, those that are left the places of second ones. So each has as many places as weights, all next to each other, and these
//! are written over.

use super::contractions::ShortContractions;

/// The numbers of a block's contractions, in their order. There is room for those of the widest vector: each has two lanes at least.
pub(super) type Found = [u16; 32];

/// The lanes that the contractions of a block of text take: a byte has a lane.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    /// The first lane of each.
    first: u64,
    /// The lanes of their characters, which have no weights of their own.
    pub(super) lanes: u64,
    /// The lanes in which they take first weights' places, and those in which they take second ones'.
    pub(super) places: [u64; 2],
    /// The lane of one that is left to the full table, after which none was looked for.
    pub(super) left: u64,
    /// The lane of one that reaches over the end of the block.
    pub(super) cut: u64,
}

impl Taken {
    pub(super) const NONE: Self = Self { first: 0, lanes: 0, places: [0; 2], left: 0, cut: 0 };

    /// Looks for contractions in the lanes of characters that may begin one, of a block that begins at `at` and has so many bytes, 64 at most.
    #[inline(always)]
    pub(super) fn of(
        contractions: &ShortContractions,
        mut joined: u64,
        text: &[u8],
        at: usize,
        bytes: u32,
        found: &mut Found,
    ) -> Self {
        let Self { mut first, mut lanes, places: [mut of_first, mut of_second], mut left, mut cut } = Self::NONE;
        let mut count = 0;
        while joined != 0 {
            let lane = joined.trailing_zeros();
            joined &= joined - 1;
            let Some(index) = contractions.find(text, at + lane as usize) else { continue };
            let contraction = &contractions.all[index];
            let length = u32::from(contraction.length);
            if length == 0 {
                left = 1 << lane;
                break;
            }
            if lane + length > bytes {
                cut = 1 << lane;
                break;
            }
            found[count] = index as u16;
            count += 1;
            first |= 1 << lane;
            let own = ((1 << length) - 1) << lane;
            lanes |= own;
            joined &= !own;
            of_first |= u64::from(contraction.places[0]) << lane;
            of_second |= u64::from(contraction.places[1]) << lane;
        }
        Self { first, lanes, places: [of_first, of_second], left, cut }
    }

    /// Writes the weights of those before lane `stop` to their places: `out` has a weight for each lane of `kept`, first ones and
    /// second ones of a lane next to each other.
    ///
    /// # Safety
    /// There is room for as many weights as there are lanes in both of `kept`, which has [`Taken::places`] up to `stop`.
    #[inline(always)]
    pub(super) unsafe fn write<const HIGH_FIRST: bool>(
        &self,
        contractions: &ShortContractions,
        found: &Found,
        kept: [u64; 2],
        stop: usize,
        out: *mut u8,
    ) {
        let mut first = self.first;
        for &index in found {
            let lane = first.trailing_zeros();
            if lane as usize >= stop {
                break;
            }
            first &= first - 1;
            let contraction = &contractions.all[usize::from(index)];
            let before = (1 << lane) - 1;
            let place = ((kept[0] & before).count_ones() + (kept[1] & before).count_ones()) as usize;
            for (index, weight) in contraction.weights().iter().enumerate() {
                let bytes = if HIGH_FIRST { weight.to_be_bytes() } else { weight.to_ne_bytes() };
                // SAFETY: the contraction has a lane in `kept` for each of its weights, and this is where these begin.
                unsafe { out.add(2 * (place + index)).cast::<[u8; 2]>().write(bytes) };
            }
        }
    }
}
