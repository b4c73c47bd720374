//! Random numbers: reproducible streams, and sysbench's `--rand-type`.

use std::fmt;
use std::str::FromStr;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::name::{self, UnknownName};

/// What a stream of random numbers is for: streams of unlike purpose never coincide, whatever the seed.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// The parameters that one thread draws.
    Thread,
    /// A row of an `sbtest` table.
    SbtestRow,
    /// The start of a name, which ten rows share.
    NamePrefix,
    /// The rest of a name.
    NameSuffix,
    /// Which row is a row's friend.
    Friend,
    /// Which team a row is in.
    Membership,
    /// A team's name.
    Team,
    /// Text that stands alone.
    Sample,
}

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream for a purpose within a seed; `major` and `minor` say which one of its kind (table and row, say).
    pub fn new(seed: u64, purpose: Purpose, major: u64, minor: u64) -> Self {
        let key = [purpose as u64, major, minor].into_iter().fold(seed, |key, part| mix(key ^ part));
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// A number from 0 to `bound` - 1 (0 where `bound` is 0), by a multiplication instead of a division; its bias, `bound` / 2⁶⁴, is
    /// beyond notice.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The finaliser of SplitMix64: one flipped bit of input flips half of the output's.
fn mix(key: u64) -> u64 {
    let key = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}

/// How ids are drawn, sysbench's `--rand-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Three draws of four hit a small band of hot rows, the rest is bell-shaped over all: sysbench's default.
    #[default]
    Special,
    /// Every id is as likely as any other.
    Uniform,
}

impl Distribution {
    /// All of them.
    pub const ALL: [Distribution; 2] = [Distribution::Special, Distribution::Uniform];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Distribution::Special => "special",
            Distribution::Uniform => "uniform",
        }
    }

    /// An id from 1 to `size`.
    pub(crate) fn id(self, random: &mut Random, size: u32) -> u32 {
        let size = size.max(1);
        let index = match self {
            Distribution::Uniform => random.below(u64::from(size)) as u32,
            Distribution::Special => (special(random) * f64::from(size)) as u32,
        };
        1 + index.min(size - 1)
    }
}

/// How many of a hundred draws are hot (`--rand-spec-res`).
const SPECIAL_SHARE: u64 = 75;
/// Where the hot band lies. `--rand-spec-pct=1` promises 1 % of the ids; the ids that sysbench 1.0.20 sends show this narrower band:
/// three quarters of 1 %, from a quarter of a percent below the middle to half a percent above.
const SPECIAL_BAND: (f64, f64) = (0.4975, 0.505);
/// How many uniform numbers are averaged for the other draws (`--rand-spec-iter`).
const SPECIAL_ITERATIONS: usize = 12;

/// A position from 0 up to but not including 1 under [`Distribution::Special`].
fn special(random: &mut Random) -> f64 {
    if random.below(100) < SPECIAL_SHARE {
        let (low, high) = SPECIAL_BAND;
        low + (high - low) * random.unit()
    } else {
        (0..SPECIAL_ITERATIONS).map(|_| random.unit()).sum::<f64>() / SPECIAL_ITERATIONS as f64
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Distribution {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        name::find("distribution", given, Self::ALL, Self::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(distribution: Distribution, size: u32) -> Vec<u32> {
        let mut random = Random::new(7, Purpose::Thread, 0, 0);
        (0..100_000).map(|_| distribution.id(&mut random, size)).collect()
    }

    #[test]
    fn special_draws_hit_the_band_that_sysbench_hits() {
        // 100,000 point selects of sysbench 1.0.20 over 100,000 rows: 76 % of ids within 49,750 … 50,501, the rest with a standard
        // deviation of 0.086 table sizes around the middle, none outside 21,468 … 84,386.
        let ids = draws(Distribution::Special, 100_000);
        let hot = ids.iter().filter(|id| (49_750..=50_501).contains(*id)).count() as f64 / ids.len() as f64;
        assert!((0.75..0.77).contains(&hot), "{hot}");
        let rest: Vec<f64> =
            ids.iter().filter(|id| !(49_400..=50_600).contains(*id)).map(|id| f64::from(*id)).collect();
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let deviation = (rest.iter().map(|id| (id - mean).powi(2)).sum::<f64>() / rest.len() as f64).sqrt();
        assert!((49_500.0..50_500.0).contains(&mean), "{mean}");
        assert!((8_300.0..8_900.0).contains(&deviation), "{deviation}");
    }

    #[test]
    fn uniform_draws_reach_every_tenth_alike() {
        let ids = draws(Distribution::Uniform, 1000);
        for tenth in 0..10 {
            let count = ids.iter().filter(|id| (**id - 1) / 100 == tenth).count();
            assert!((9_500..10_500).contains(&count), "tenth {tenth}: {count}");
        }
    }

    #[test]
    fn every_id_lies_within_the_table_however_small() {
        for distribution in Distribution::ALL {
            for size in [0, 1, 2, 3, 10, u32::MAX] {
                assert!(draws(distribution, size).iter().all(|id| (1..=size.max(1)).contains(id)));
            }
        }
    }

    #[test]
    fn streams_of_unlike_purpose_differ() {
        let mut row = Random::new(1, Purpose::SbtestRow, 1, 2);
        let mut suffix = Random::new(1, Purpose::NameSuffix, 1, 2);
        let mut swapped = Random::new(1, Purpose::SbtestRow, 2, 1);
        let first = row.below(u64::MAX);
        assert_ne!(first, suffix.below(u64::MAX));
        assert_ne!(first, swapped.below(u64::MAX));
    }
}
