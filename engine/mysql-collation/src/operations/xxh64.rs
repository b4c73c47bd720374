//! XXH64, a hash function with a public specification (Yann Collet, `xxhash_spec.md`), over bytes
//! that come in pieces.

use super::feed::Sink;

const PRIMES: [u64; 5] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5];

/// Number of bytes of a stripe.
const STRIPE: usize = 32;

pub(crate) struct Xxh64 {
    seed: u64,
    lanes: [u64; 4],
    stripe: [u8; STRIPE],
    /// Number of bytes so far.
    length: u64,
}

impl Xxh64 {
    pub const fn new(seed: u64) -> Self {
        let [first, second, ..] = PRIMES;
        let lanes =
            [seed.wrapping_add(first).wrapping_add(second), seed.wrapping_add(second), seed, seed.wrapping_sub(first)];
        Self { seed, lanes, stripe: [0; STRIPE], length: 0 }
    }

    pub fn finish(&self) -> u64 {
        let lanes = self.lanes;
        let mut hash = if self.length < STRIPE as u64 {
            self.seed.wrapping_add(PRIMES[4])
        } else {
            let turned = lanes.iter().zip([1, 7, 12, 18]).map(|(lane, bits)| lane.rotate_left(bits));
            let sum = turned.fold(0_u64, u64::wrapping_add);
            lanes
                .iter()
                .fold(sum, |hash, &lane| (hash ^ round(0, lane)).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]))
        };
        hash = hash.wrapping_add(self.length);
        let rest = &self.stripe[..(self.length % STRIPE as u64) as usize];
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            hash = (hash ^ round(0, u64::from_le_bytes(*word)))
                .rotate_left(27)
                .wrapping_mul(PRIMES[0])
                .wrapping_add(PRIMES[3]);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash = (hash ^ u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIMES[0]))
                .rotate_left(23)
                .wrapping_mul(PRIMES[1])
                .wrapping_add(PRIMES[2]);
        }
        for &byte in rest {
            hash = (hash ^ u64::from(byte).wrapping_mul(PRIMES[4])).rotate_left(11).wrapping_mul(PRIMES[0]);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(PRIMES[1]);
        hash = (hash ^ hash >> 29).wrapping_mul(PRIMES[2]);
        hash ^ hash >> 32
    }
}

const fn round(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(PRIMES[1])).rotate_left(31).wrapping_mul(PRIMES[0])
}

impl Sink for Xxh64 {
    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let at = (self.length % STRIPE as u64) as usize;
            self.stripe[at] = byte;
            self.length += 1;
            if at + 1 == STRIPE {
                for (lane, word) in self.lanes.iter_mut().zip(self.stripe.as_chunks::<8>().0) {
                    *lane = round(*lane, u64::from_le_bytes(*word));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes of the reference implementation (xxhsum 0.8).
    #[test]
    fn equals_the_reference_implementation() {
        for (text, seed, expected) in [
            (&b""[..], 0, 0xEF46_DB37_51D8_E999),
            (b"a", 0, 0xD24E_C4F1_A98C_6E5B),
            (b"abc", 0, 0x44BC_2CF5_AD77_0999),
            (b"Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
        ] {
            let mut hash = Xxh64::new(seed);
            hash.put(text);
            assert_eq!(hash.finish(), expected, "{text:?}");
        }
    }
}
