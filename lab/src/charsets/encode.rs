//! Encodes charset tables in the committed formats, which `engine/mysql-collation/src/charset`
//! documents and reads.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};

use super::derive::{Decoding, Encoding};

/// Table from a 16-bit key to a 16-bit value. One is the bytes of a character as a number, the
/// other a code point.
pub type WordTable = BTreeMap<u16, u16>;

pub fn encode_single_byte(decoded: &Decoding, encoded: &Encoding) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    for byte in 0..=255_u8 {
        let code_point = decoded.get(&[byte][..]).copied().unwrap_or_default();
        file.extend(u16::try_from(code_point)?.to_le_bytes());
    }
    for (code_point, bytes) in encoded {
        ensure!(
            decoded.get(bytes) == Some(code_point),
            "U+{code_point:04X} is encoded as {bytes:x?}, which decodes to something else"
        );
        file.extend(bytes);
    }
    Ok(file)
}

/// Encodes the characters of one and two bytes of a charset.
pub fn encode_double_byte(decoded: &Decoding, encoded: &Encoding) -> Result<Vec<u8>> {
    Ok([encode_pages(&code_point_words(decoded, 2)?)?, encode_pages(&byte_words(encoded)?)?].concat())
}

pub fn encode_euc_jp(decoded: &Decoding, encoded: &Encoding) -> Result<Vec<u8>> {
    let third = decoded.iter().filter(|(bytes, _)| bytes.len() == 3);
    let third =
        third.map(|(bytes, &code_point)| Ok((u16::from_be_bytes([bytes[1], bytes[2]]), code_point.try_into()?)));
    Ok([
        encode_pages(&code_point_words(decoded, 2)?)?,
        encode_pages(&third.collect::<Result<WordTable>>()?)?,
        encode_pages(&byte_words(encoded)?)?,
    ]
    .concat())
}

pub fn encode_four_byte_runs(encoded: &Encoding) -> Result<Vec<u8>> {
    const SUPPLEMENTARY: u32 = 189_000;
    let mut numbers = Vec::new();
    for (&code_point, bytes) in encoded {
        let Ok([a, b, c, d]) = <[u8; 4]>::try_from(&bytes[..]) else { continue };
        let digit = |byte: u8| u32::from(byte - 0x30);
        let letter = |byte: u8| u32::from(byte - 0x81);
        let number = ((letter(a) * 10 + digit(b)) * 126 + letter(c)) * 10 + digit(d);
        match code_point.checked_sub(0x1_0000) {
            Some(index) => ensure!(number == SUPPLEMENTARY + index, "U+{code_point:04X} is no part of the last run"),
            None => numbers.push((u16::try_from(number)?, code_point as u16)),
        }
    }
    numbers.sort_unstable();
    let mut runs: Vec<[u16; 3]> = Vec::new();
    for (number, code_point) in numbers {
        match runs.last_mut() {
            Some([first, start, length])
                if number - *first == *length && code_point.wrapping_sub(*start) == *length =>
            {
                *length += 1;
            }
            _ => runs.push([number, code_point, 1]),
        }
    }
    let mut by_code_point = runs.clone();
    by_code_point.sort_unstable_by_key(|run| run[1]);
    Ok(runs.into_iter().chain(by_code_point).flatten().flat_map(u16::to_le_bytes).collect())
}

fn code_point_words(decoded: &Decoding, longest: usize) -> Result<WordTable> {
    let short = decoded.iter().filter(|(bytes, code_point)| bytes.len() <= longest && **code_point != 0);
    short.map(|(bytes, &code_point)| Ok((character_number(bytes)?, code_point.try_into()?))).collect()
}

/// Returns the characters' bytes, as numbers, by code point. U+0000 and characters of four bytes
/// are left out.
fn byte_words(encoded: &Encoding) -> Result<WordTable> {
    let short = encoded.iter().filter(|(code_point, bytes)| bytes.len() < 4 && **code_point != 0);
    short.map(|(&code_point, bytes)| Ok((code_point.try_into()?, character_number(bytes)?))).collect()
}

/// Returns a character's bytes as a number. A three-byte character drops its first byte, 8F, and
/// the high bit of its last byte.
fn character_number(bytes: &[u8]) -> Result<u16> {
    match *bytes {
        [byte] => Ok(byte.into()),
        [first, second] => Ok(u16::from_be_bytes([first, second])),
        [0x8F, second, third] => Ok(u16::from_be_bytes([second, third & 0x7F])),
        _ => Err(anyhow::anyhow!("a character {bytes:x?}")),
    }
}

pub fn encode_pages(words: &WordTable) -> Result<Vec<u8>> {
    let (mut directory, mut pool) = (Vec::new(), Vec::new());
    let mut seen: HashMap<Vec<u16>, u16> = HashMap::new();
    for page in 0..=255_u8 {
        let range = u16::from_be_bytes([page, 0])..=u16::from_be_bytes([page, 255]);
        let indices: Vec<u8> = words.range(range).map(|(&key, _)| key as u8).collect();
        let (Some(&first), Some(&last)) = (indices.first(), indices.last()) else {
            directory.extend([0, 0, 1, 0]);
            continue;
        };
        let entry = |index| words.get(&u16::from_be_bytes([page, index])).copied().unwrap_or_default();
        let entries: Vec<u16> = (first..=last).map(entry).collect();
        let start = match seen.get(&entries) {
            Some(&start) => start,
            None => {
                let start = u16::try_from(pool.len()).context("more than 65,536 words")?;
                pool.extend(&entries);
                seen.insert(entries, start);
                start
            }
        };
        directory.extend(start.to_le_bytes());
        directory.extend([first, last]);
    }
    let length = u32::try_from(pool.len())?.to_le_bytes();
    Ok([&length[..], &directory, &pool.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()].concat())
}
