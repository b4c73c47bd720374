//! Damage to inputs.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Longest input, in bytes.
const MAX_INPUT: usize = 64 << 10;

/// Pieces that readers treat specially.
const PIECES: [&[u8]; 26] = [
    b"'",
    b"\"",
    b"`",
    b"\\",
    b"/*",
    b"*/",
    b"/*!50100 ",
    b"--\n",
    b"#",
    b";",
    b"DELIMITER $$\n",
    b"$$",
    b"(",
    b")",
    b",",
    b".",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xFF\xFF\xFF\xFF",
    b"\x1B[2J",
    b"FROM other.t",
    b"99999999999999999999",
    b"-1",
    b"1e999",
    b"\xC3",
];

/// Returns a seed with one to eight changes.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut pick = |count: usize| (random.next_u64() % count.max(1) as u64) as usize;
    let mut input = seeds[pick(seeds.len())].clone();
    for _ in 0..=pick(8) {
        let at = pick(input.len() + 1);
        let end = (at + pick(64)).min(input.len());
        match pick(7) {
            0 if at < input.len() => input[at] ^= 1 << pick(8),
            1 if at < input.len() => input[at] = [0, 1, 127, 128, 254, 255][pick(6)],
            2 => drop(input.splice(at..at, PIECES[pick(PIECES.len())].iter().copied())),
            3 => drop(input.drain(at..end)),
            4 => {
                let copy = input[at..end].repeat(1 + pick(40));
                drop(input.splice(at..at, copy));
            }
            5 => {
                let other = &seeds[pick(seeds.len())];
                let begin = pick(other.len() + 1);
                let part = other[begin..(begin + pick(512)).min(other.len())].to_vec();
                drop(input.splice(at..end, part));
            }
            _ => input.truncate(at.max(input.len() / 2)),
        }
    }
    input.truncate(MAX_INPUT);
    input
}
