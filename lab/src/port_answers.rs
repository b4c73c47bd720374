//! `cargo xtask port-answers`: writes what the library returns for random strings under random
//! collations. A port reads the stream, computes the same, and compares.
//!
//! ```text
//! for each collation:
//!     1 byte     1; 0 ends the stream
//!     1 byte     flavour: 0 MySQL, 1 MariaDB
//!     2 bytes    id
//!     4 bytes    number of records
//!     records:
//!         two strings, a text and a pattern
//!         1 byte     order of the two strings: 0 less, 1 equal, 2 greater
//!         1 byte     whether text LIKE pattern ESCAPE '\'
//!         8 bytes    hash of the first string
//!         sort key of the first string, its WEIGHT_STRING
//! ```
//!
//! Numbers are little-endian. A string has its length before it, in four bytes.

use std::io::{BufWriter, Write};

use anyhow::Result;
use mysql_collation::{Collation, Flavour, catalogue};

use crate::verify::{Random, Texts};

#[derive(clap::Args)]
pub struct Arguments {
    /// Random collations of each flavour; 0 for all.
    #[arg(long, default_value_t = 60)]
    collations: usize,
    /// Pairs of strings for each collation.
    #[arg(long, default_value_t = 100_000)]
    pairs: usize,
    /// Seed of the collations and strings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let mut random = Random::new(arguments.seed);
    for flavour in Flavour::ALL {
        for collation in choose(flavour, arguments.collations, &mut random) {
            let seed = random.below(usize::MAX) as u64;
            out.write_all(&[1, flavour as u8])?;
            out.write_all(&collation.id().to_le_bytes())?;
            out.write_all(&(arguments.pairs as u32).to_le_bytes())?;
            write_records(collation, arguments.pairs, seed, &mut out)?;
        }
    }
    out.write_all(&[0])?;
    Ok(out.flush()?)
}

/// Returns distinct collations of a flavour.
fn choose(flavour: Flavour, count: usize, random: &mut Random) -> Vec<Collation> {
    let all = catalogue(flavour).iter().filter_map(|info| Collation::by_id(flavour, info.id).ok());
    let mut all: Vec<Collation> = all.collect();
    if count == 0 {
        return all;
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        chosen.push(all.swap_remove(random.below(all.len())));
    }
    chosen
}

fn write_records(collation: Collation, count: usize, seed: u64, out: &mut impl Write) -> Result<()> {
    let mut texts = Texts::new(seed, collation.charset());
    for number in 0..count {
        let (a, b) = if number % 4 == 3 { texts.ill_formed() } else { texts.pair() };
        let (text, pattern) = if number % 4 == 2 { texts.like() } else { (a.clone(), b.clone()) };
        [&a, &b, &text, &pattern].into_iter().try_for_each(|bytes| write_string(bytes, out))?;
        let is_like = collation.like(&text, &pattern, Some('\\'));
        out.write_all(&[(collation.compare(&a, &b) as i8 + 1) as u8, is_like.into()])?;
        out.write_all(&collation.hash_one(&a).to_le_bytes())?;
        write_string(&collation.sort_key(&a), out)?;
        write_string(&collation.weight_string(&a), out)?;
    }
    Ok(())
}

fn write_string(bytes: &[u8], out: &mut impl Write) -> Result<()> {
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    Ok(out.write_all(bytes)?)
}
