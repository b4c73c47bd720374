//! `cargo xtask port-answers`: writes what the library returns for random strings under random
//! collations. A port reads the stream, computes the same, and compares.
//!
//! ```text
//! 4 bytes        number of combinations of collations, as below
//! for each collation:
//!     1 byte     1; 0 ends the stream
//!     1 byte     flavour: 0 MySQL, 1 MariaDB
//!     2 bytes    id
//!     4 bytes    number of records
//!     records:
//!         four strings: first, second, a text, a pattern
//!         1 byte     order of the two strings: 0 less, 1 equal, 2 greater
//!         1 byte     whether text LIKE pattern ESCAPE '\'
//!         8 bytes    hash of the first string
//!         a string   sort key of the first string
//!         a string   WEIGHT_STRING of the first string
//!         a string to search for
//!         1 byte     whether the first string begins with it
//!         4 + 4      its place in the first string by `find` and `find_equal_length`; or FFFFFFFF
//!         the first string with it replaced by the second
//!         two ranges of keys: of the searched string as prefix, and of the pattern
//!         the first string in upper and in lower case
//!         8 bytes    stable hash of the first string, with its length as seed
//!         the first string in UTF-8, with U+FFFD for what is no character
//!         that text encoded in the collation's character set, with ? for what it lacks
//!         the group key of the first string
//!         the key of its first characters in a prefix index: (length of the string mod 5) of them
//!     for every 16th record also:
//!         4 bytes    n, n strings that divide the range from the lesser to the greater string
//!         an optional string: an upper bound of strings that begin with the string to search for
//! ```
//!
//! ```text
//! combination:
//!     7 bytes    version: flavour, three numbers of two bytes
//!     1 byte     expression: 0 a comparison, 1 a text
//!     1 byte     number of operands; each:
//!         4 bytes    id, coercibility from 0 explicit to 6 ignorable, whether ASCII
//!     1 byte     0 illegal mix, and two bytes with the error's number; 1 a collation, 2 one if it
//!                represents the values, and an operand with the collation and coercibility
//! ```
//!
//! Numbers are little-endian. A string has its length before it, in four bytes. A range is its
//! start, a string, and its end, an optional string: one byte, 1 if a string follows. Dividing
//! strings and bounds are of the alphabet [`ALPHABET`]. The range is divided into at most 2 +
//! (length of the first string mod 7) parts.

use std::io::{BufWriter, Write};

use anyhow::Result;
use mysql_collation::{Alphabet, Charset, Collation, Content, Flavour, KeyRange, catalogue};

use crate::verify::{Random, Texts};

mod combinations;

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

/// Characters of the dividing strings and upper bounds.
const ALPHABET: &str = "!-09azAZbcdhlsxyéßñőŁΩЖяあ漢한";

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let mut random = Random::new(arguments.seed);
    combinations::write(arguments.pairs, &mut random, &mut out)?;
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
    let alphabet = Alphabet::from_chars(collation, ALPHABET.chars());
    for number in 0..count {
        let (a, b) = if number % 4 == 3 { texts.ill_formed() } else { texts.pair() };
        let (text, pattern) = if number % 4 == 2 { texts.like() } else { (a.clone(), b.clone()) };
        [&a, &b, &text, &pattern].into_iter().try_for_each(|bytes| write_string(bytes, out))?;
        let is_like = collation.like(&text, &pattern, Some('\\'));
        out.write_all(&[(collation.compare(&a, &b) as i8 + 1) as u8, is_like.into()])?;
        out.write_all(&collation.hash_one(&a).to_le_bytes())?;
        write_string(&collation.sort_key(&a), out)?;
        write_string(&collation.weight_string(&a), out)?;
        let needle = choose_needle(collation, &b, number);
        write_search(collation, &a, &b, needle, out)?;
        write_range(&collation.prefix_range(needle), out)?;
        write_range(&collation.like_range(&pattern, Some('\\')), out)?;
        write_string(&collation.to_upper(&a), out)?;
        write_string(&collation.to_lower(&a), out)?;
        out.write_all(&collation.stable_hash(&a, a.len() as u64).to_le_bytes())?;
        let decoded = decode(collation, &a);
        write_string(decoded.as_bytes(), out)?;
        write_string(&encode(collation, &decoded), out)?;
        write_string(&collation.group_key(&a), out)?;
        write_string(&collation.prefix_index_key(&a, a.len() % 5), out)?;
        if number % 16 == 0 {
            let (low, high) = if collation.compare(&a, &b).is_gt() { (&b, &a) } else { (&a, &b) };
            let parts = alphabet.split(low, high, 2 + a.len() % 7);
            out.write_all(&(parts.len() as u32).to_le_bytes())?;
            parts.iter().try_for_each(|text| write_string(text, out))?;
            write_optional(alphabet.prefix_upper_bound(needle).as_deref(), out)?;
        }
    }
    Ok(())
}

/// Returns up to four characters of a text.
fn choose_needle(collation: Collation, text: &[u8], number: usize) -> &[u8] {
    let characters: Vec<_> = collation.charset().characters(collation.info().flavour, text).collect();
    if characters.is_empty() {
        return text;
    }
    let first = number % 5 * characters.len() / 8;
    let last = (first + number % 4).min(characters.len() - 1);
    &text[characters[first].bytes.start..characters[last].bytes.end]
}

fn write_search(collation: Collation, a: &[u8], b: &[u8], needle: &[u8], out: &mut impl Write) -> Result<()> {
    write_string(needle, out)?;
    out.write_all(&[collation.starts_with(a, needle).into()])?;
    for found in [collation.find(a, needle), collation.find_equal_length(a, needle)] {
        out.write_all(&found.map_or(u32::MAX, |at| at as u32).to_le_bytes())?;
    }
    write_string(&collation.replace(a, needle, b), out)
}

fn decode(collation: Collation, text: &[u8]) -> String {
    let characters = collation.charset().characters(collation.info().flavour, text);
    let character = |content| match content {
        Content::CodePoint(code_point) => char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::REPLACEMENT_CHARACTER,
    };
    characters.map(|found| character(found.content)).collect()
}

/// Encodes characters; `?` for those that the character set lacks.
fn encode(collation: Collation, text: &str) -> Vec<u8> {
    let mut buffer = [0; 4];
    let charset: Charset = collation.charset();
    let mut bytes = Vec::new();
    for character in text.chars() {
        let length = charset.encode(character, &mut buffer).or_else(|| charset.encode('?', &mut buffer));
        bytes.extend_from_slice(&buffer[..length.unwrap_or_default()]);
    }
    bytes
}

fn write_range(range: &KeyRange, out: &mut impl Write) -> Result<()> {
    write_string(&range.start, out)?;
    write_optional(range.end.as_deref(), out)
}

fn write_optional(bytes: Option<&[u8]>, out: &mut impl Write) -> Result<()> {
    out.write_all(&[bytes.is_some().into()])?;
    bytes.map_or(Ok(()), |bytes| write_string(bytes, out))
}

fn write_string(bytes: &[u8], out: &mut impl Write) -> Result<()> {
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    Ok(out.write_all(bytes)?)
}
