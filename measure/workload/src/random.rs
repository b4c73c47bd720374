//! Random numbers: reproducible streams, and sysbench's `--rand-type`.

use std::fmt;
use std::str::FromStr;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::lookup::{UnknownName, find_by_name};

/// Purpose of a stream of random numbers. Streams of different purposes are independent for every
/// seed.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Parameters of the calls of one connection.
    Thread,
    /// A row of an `sbtest` table.
    SbtestRow,
    /// Start of a name, which ten rows share.
    NamePrefix,
    /// Rest of a name.
    NameSuffix,
    /// Choice of a row's friend.
    Friend,
    /// Choice of a row's team.
    Membership,
    /// Name of a team.
    Team,
    /// Text that belongs to no table.
    Sample,
}

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Creates the stream of a purpose. `major` and `minor` distinguish streams of one purpose, for
    /// example by table and row.
    pub fn new(seed: u64, purpose: Purpose, major: u64, minor: u64) -> Self {
        let key = [purpose as u64, major, minor].into_iter().fold(seed, |key, part| mix(key ^ part));
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// Draws a number from 0 to `bound` - 1; 0 if `bound` is 0. Uses a multiplication instead of a
    /// division. The bias of `bound` / 2⁶⁴ is negligible.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws a number from 0 (inclusive) to 1 (exclusive).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The finaliser of SplitMix64: a changed bit of the input changes half of the output's bits on
/// average.
fn mix(key: u64) -> u64 {
    let key = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}

/// Distribution of ids, sysbench's `--rand-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// sysbench's default: three of four draws hit a small band of hot rows, the others are
    /// bell-shaped over all rows.
    #[default]
    Special,
    /// All ids are equally likely.
    Uniform,
}

impl Distribution {
    pub const ALL: [Distribution; 2] = [Distribution::Special, Distribution::Uniform];

    pub fn name(self) -> &'static str {
        match self {
            Distribution::Special => "special",
            Distribution::Uniform => "uniform",
        }
    }

    /// Draws an id from 1 to `size`; 1 if `size` is 0.
    pub(crate) fn id(self, random: &mut Random, size: u32) -> u32 {
        let size = size.max(1);
        let index = match self {
            Distribution::Uniform => random.below(u64::from(size)) as u32,
            Distribution::Special => (draw_special(random) * f64::from(size)) as u32,
        };
        1 + index.min(size - 1)
    }
}

/// Percentage of hot draws (`--rand-spec-res`).
const SPECIAL_SHARE: u64 = 75;
/// Hot band as a fraction of the table. `--rand-spec-pct=1` documents 1 % of the ids. The ids that
/// sysbench 1.0.20 sends show a narrower band: 0.75 %, from 0.25 % below the middle to 0.5 % above.
const SPECIAL_BAND: (f64, f64) = (0.4975, 0.505);
/// Number of uniform numbers averaged for other draws (`--rand-spec-iter`).
const SPECIAL_ITERATIONS: usize = 12;

/// Draws a position from 0 (inclusive) to 1 (exclusive) by [`Distribution::Special`].
fn draw_special(random: &mut Random) -> f64 {
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
        find_by_name("distribution", given, Self::ALL, Self::name)
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
    fn special_distribution_matches_sysbench() {
        // 100,000 point selects of sysbench 1.0.20 over 100,000 rows: 76 % of ids are within 49,750
        // … 50,501. Other ids have a standard deviation of 0.086 table sizes around the middle, and
        // are within 21,468 … 84,386.
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
    fn uniform_draws_are_even() {
        let ids = draws(Distribution::Uniform, 1000);
        for tenth in 0..10 {
            let count = ids.iter().filter(|id| (**id - 1) / 100 == tenth).count();
            assert!((9_500..10_500).contains(&count), "tenth {tenth}: {count}");
        }
    }

    #[test]
    fn ids_stay_within_the_table() {
        for distribution in Distribution::ALL {
            for size in [0, 1, 2, 3, 10, u32::MAX] {
                assert!(draws(distribution, size).iter().all(|id| (1..=size.max(1)).contains(id)));
            }
        }
    }

    #[test]
    fn streams_of_different_purposes_differ() {
        let mut row = Random::new(1, Purpose::SbtestRow, 1, 2);
        let mut suffix = Random::new(1, Purpose::NameSuffix, 1, 2);
        let mut swapped = Random::new(1, Purpose::SbtestRow, 2, 1);
        let first = row.below(u64::MAX);
        assert_ne!(first, suffix.below(u64::MAX));
        assert_ne!(first, swapped.below(u64::MAX));
    }
}
