//! Sort keys from weights, a vector at a time: weights of bytes, and what PAD SPACE puts after spaces.
//!
//! A space that something greater follows is mostly a single one between words. In a key it has two more bytes, the mark of such a run
//! ([`crate::runs`]): lanes are spread by a table of the eight that are spaces.
//!
//! # Safety
//! As for [`super::generic`]; there is the room that [`super::Backend`] says.

use core::mem::MaybeUninit;

use super::vector::{Keys, lanes};
use super::{Marked, scalar};

/// The mapped bytes of `text`.
#[inline(always)]
pub(super) unsafe fn map_bytes<V: Keys>(map: &[u8; 256], text: &[u8], out: &mut [MaybeUninit<u8>]) {
    let n = text.len().min(out.len());
    let (from, to) = (text.as_ptr(), out.as_mut_ptr().cast::<u8>());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` in the loop and for the last vector, which overlaps the one before.
    unsafe {
        let map = V::map(map);
        while at + V::BYTES <= n {
            V::load(from.add(at)).mapped(&map).store(to.add(at));
            at += V::BYTES;
        }
        if at == n {
            return;
        }
        if n >= V::BYTES {
            let at = n - V::BYTES;
            V::load(from.add(at)).mapped(&map).store(to.add(at));
            return;
        }
        let mut last = [MaybeUninit::<u8>::uninit(); 32];
        V::load_start(from, n).mapped(&map).store(last.as_mut_ptr().cast());
        out[..n].copy_from_slice(&last[..n]);
    }
}

/// The first index at which mapped bytes differ, or the shorter text's length.
#[inline(always)]
pub(super) unsafe fn mismatch_mapped<V: Keys>(map: &[u8; 256], a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (a.as_ptr(), b.as_ptr());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` for whole vectors, `at + rest == n` for the last one.
    unsafe {
        let map = V::map(map);
        while at < n {
            let rest = n - at;
            let (x, y) = if rest >= V::BYTES {
                (V::load(a.add(at)), V::load(b.add(at)))
            } else {
                (V::load_start(a.add(at), rest), V::load_start(b.add(at), rest))
            };
            let lane = x.mapped(&map).first_mismatch(y.mapped(&map));
            if lane < rest.min(V::BYTES) {
                return at + lane;
            }
            at += V::BYTES;
        }
    }
    n
}

/// Mapped bytes as a key: [`super::Backend::append_marked_bytes`].
#[inline(always)]
pub(super) unsafe fn mark_bytes<V: Keys>(
    map: &[u8; 256],
    mark: [u8; 2],
    text: &[u8],
    out: &mut [MaybeUninit<u8>],
) -> Marked {
    let (mut read, mut written) = (0, 0);
    let to = out.as_mut_ptr().cast::<u8>();
    // SAFETY: the caller keeps this module's contract. Before `read` there are at most three times as many bytes in the key, a vector makes
    // no more than three of its own, and there is room for one more.
    unsafe {
        let space = V::splat(map[usize::from(b' ')]);
        let map_of_lanes = V::map(map);
        let marks = V::splat_pair(u16::from_ne_bytes(mark));
        while read < text.len() {
            let from = text.as_ptr().add(read);
            let rest = text.len() - read;
            let bytes = if rest >= V::BYTES { V::load(from) } else { V::load_start(from, rest) };
            let weights = bytes.mapped(&map_of_lanes);
            let these = weights.equal(space);
            let found = these.mask() & lanes::<V>(rest);
            let count = rest.min(V::BYTES);
            if found == 0 {
                weights.store(to.add(written));
                (read, written) = (read + count, written + count);
                continue;
            }
            let next = if rest > V::BYTES { V::load(from.add(1)).mapped(&map_of_lanes) } else { weights.moved_down() };
            // The last byte's next one is not known, where it is the text's last.
            let known = lanes::<V>(rest - 1);
            let greater = !space.at_least(next).mask() & known;
            if found & !greater != 0 {
                break;
            }
            let mut end = to.add(written);
            for eight in (0..V::BYTES).step_by(8) {
                let spaces = (found >> eight) & 0xFF;
                weights.part(eight).spread(&SPREAD_BYTES[spaces as usize], marks, end);
                end = end.add(8 + 2 * spaces.count_ones() as usize);
            }
            written += count + 2 * found.count_ones() as usize;
            read += count;
        }
    }
    let last = scalar::mark_bytes(map, mark, &text[read..], &mut out[written..]);
    Marked { read: read + last.read, written: written + last.written }
}

/// Weights as a key: [`super::Backend::append_marked`].
#[inline(always)]
pub(super) unsafe fn mark_weights<V: Keys>(
    space: u16,
    mark: [u8; 2],
    weights: &[u16],
    out: &mut [MaybeUninit<u8>],
) -> Marked {
    let (mut read, mut written) = (0, 0);
    let to = out.as_mut_ptr().cast::<u8>();
    // SAFETY: the caller keeps this module's contract. Before `read` there are at most four bytes a weight in the key, a vector makes no more
    // than that of its own, and there is room for one more.
    unsafe {
        let spaces = V::splat_pair(space);
        let marks = V::splat_pair(u16::from_ne_bytes(mark));
        while read < weights.len() {
            let from = weights.as_ptr().add(read).cast::<u8>();
            let rest = 2 * (weights.len() - read);
            let these = if rest >= V::BYTES { V::load(from) } else { V::load_start(from, rest) };
            let found = these.equal_pairs(spaces).pairs_mask() & lanes::<V>(rest / 2);
            let count = rest.min(V::BYTES) / 2;
            let in_order = these.high_first();
            if found == 0 {
                in_order.store(to.add(written));
                (read, written) = (read + count, written + 2 * count);
                continue;
            }
            let next = if rest > V::BYTES { V::load(from.add(2)) } else { these.moved_down().moved_down() };
            let known = lanes::<V>(rest / 2 - 1);
            let greater = !next.at_most_pairs(spaces).pairs_mask() & known;
            if found & !greater != 0 {
                break;
            }
            let mut end = to.add(written);
            for sixteen in (0..V::BYTES).step_by(16) {
                let spaces = (found >> (sixteen / 2)) & 0xFF;
                in_order.part(sixteen).spread(&SPREAD_PAIRS[spaces as usize], marks, end);
                end = end.add(16 + 2 * spaces.count_ones() as usize);
            }
            written += 2 * (count + found.count_ones() as usize);
            read += count;
        }
    }
    let last = scalar::mark_weights(space, mark, &weights[read..], &mut out[written..]);
    Marked { read: read + last.read, written: written + last.written }
}

/// For each mask of eight lanes, of `SIZE` bytes, where each byte comes from when two bytes are put in after those lanes: which are told by
/// 0x80 and 0x81.
const fn spread(size: u8) -> [[u8; 32]; 256] {
    let mut all = [[0x80; 32]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 8 * size {
            all[mask][to] = byte;
            to += 1;
            byte += 1;
            if byte.is_multiple_of(size) && mask >> ((byte - 1) / size) & 1 == 1 {
                all[mask][to] = 0x80;
                all[mask][to + 1] = 0x81;
                to += 2;
            }
        }
        mask += 1;
    }
    all
}

static SPREAD_BYTES: [[u8; 32]; 256] = spread(1);
static SPREAD_PAIRS: [[u8; 32]; 256] = spread(2);
