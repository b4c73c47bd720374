//! Random samples of rows.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use workload_folder::Cell;

use crate::source::SampleExtent;

pub fn extent(seen: u64, taken: u64) -> SampleExtent {
    let is_complete = seen == taken;
    SampleExtent { is_complete, estimated_rows: (!is_complete).then_some(seen) }
}

/// Sample of rows, of which each has the same chance (reservoir sampling, algorithm R).
pub struct Reservoir {
    max_rows: u64,
    random: Xoshiro256PlusPlus,
    seen: u64,
    /// Rows with their numbers.
    rows: Vec<(u64, Vec<Cell>)>,
}

impl Reservoir {
    pub fn new(max_rows: u64, seed: u64) -> Self {
        Self { max_rows, random: Xoshiro256PlusPlus::seed_from_u64(seed), seen: 0, rows: Vec::new() }
    }

    /// Takes or skips a row. `row` is called only if the row is taken.
    pub fn add(&mut self, row: impl FnOnce() -> Vec<Cell>) {
        self.seen += 1;
        if (self.rows.len() as u64) < self.max_rows {
            self.rows.push((self.seen, row()));
        } else if let Some(place) = self.rows.get_mut((self.random.next_u64() % self.seen) as usize) {
            *place = (self.seen, row());
        }
    }

    /// Returns the rows in the order of the dump, and how much of the table they are.
    pub fn finish(mut self) -> (Vec<Vec<Cell>>, SampleExtent) {
        self.rows.sort_unstable_by_key(|(number, _)| *number);
        let extent = extent(self.seen, self.rows.len() as u64);
        (self.rows.into_iter().map(|(_, row)| row).collect(), extent)
    }
}
