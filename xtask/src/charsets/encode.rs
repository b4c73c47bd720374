//! The committed formats; `crates/collation/src/charset` documents and reads them.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};

use super::derive::{Decoded, Encoded};

/// Entries of a table from two bytes, as a number, to a word.
pub type Words = BTreeMap<u16, u16>;

/// A character set of one byte a character.
pub fn single(decoded: &Decoded, encoded: &Encoded) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    for byte in 0..=255_u8 {
        let code_point = decoded.get(&[byte][..]).copied().unwrap_or_default();
        file.extend(u16::try_from(code_point)?.to_le_bytes());
    }
    for (code_point, bytes) in encoded {
        ensure!(
            decoded.get(bytes) == Some(code_point),
            "U+{code_point:04X} is encoded as {bytes:x?}, which is another one"
        );
        file.extend(bytes);
    }
    Ok(file)
}

/// A character set of one or two bytes a character.
pub fn double(decoded: &Decoded, encoded: &Encoded) -> Result<Vec<u8>> {
    Ok([pages(&codes(decoded, 2)?)?, pages(&words(encoded)?)?].concat())
}

/// EUC for Japanese.
pub fn euc_jp(decoded: &Decoded, encoded: &Encoded) -> Result<Vec<u8>> {
    let third = decoded.iter().filter(|(bytes, _)| bytes.len() == 3);
    let third =
        third.map(|(bytes, &code_point)| Ok((u16::from_be_bytes([bytes[1], bytes[2]]), code_point.try_into()?)));
    Ok([pages(&codes(decoded, 2)?)?, pages(&third.collect::<Result<Words>>()?)?, pages(&words(encoded)?)?].concat())
}

/// The runs of GB 18030's characters of four bytes.
pub fn four_bytes(encoded: &Encoded) -> Result<Vec<u8>> {
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

/// The code points of characters of at most so many bytes.
fn codes(decoded: &Decoded, longest: usize) -> Result<Words> {
    let short = decoded.iter().filter(|(bytes, code_point)| bytes.len() <= longest && **code_point != 0);
    short.map(|(bytes, &code_point)| Ok((code(bytes)?, code_point.try_into()?))).collect()
}

/// The bytes of code points, but for those of four bytes.
fn words(encoded: &Encoded) -> Result<Words> {
    let short = encoded.iter().filter(|(code_point, bytes)| bytes.len() < 4 && **code_point != 0);
    short.map(|(&code_point, bytes)| Ok((code_point.try_into()?, code(bytes)?))).collect()
}

/// The bytes of a character as a number. Of three, the first is 8F, and the last has its high bit cleared.
fn code(bytes: &[u8]) -> Result<u16> {
    match *bytes {
        [byte] => Ok(byte.into()),
        [first, second] => Ok(u16::from_be_bytes([first, second])),
        [0x8F, second, third] => Ok(u16::from_be_bytes([second, third & 0x7F])),
        _ => Err(anyhow::anyhow!("a character {bytes:x?}")),
    }
}

/// A table, in pages.
pub fn pages(words: &Words) -> Result<Vec<u8>> {
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
