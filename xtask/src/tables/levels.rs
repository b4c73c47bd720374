//! The weights of all characters, level by level, as a server answers them.

use anyhow::{Context, Result, ensure};

use crate::ask;
use crate::servers::Source;

/// The weights of one level, by code point; none for surrogates, which are no characters.
pub type Level = Vec<Vec<u16>>;

/// A level without weights.
fn empty() -> Level {
    vec![Vec::new(); 0x11_0000]
}

/// 16-bit weights from their bytes.
pub fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks(2).map(|pair| pair.iter().fold(0, |word, &byte| word << 8 | u16::from(byte))).collect()
}

fn weights(source: &mut Source, collation: &str, level: Option<usize>, planes: u32) -> Result<Level> {
    let mut all = empty();
    for plane in 0..planes {
        for (code_point, weights) in ask::weights(source, collation, level, plane)? {
            let weights = weights.with_context(|| format!("{collation} has no weights for U+{code_point:04X}"))?;
            ensure!(weights.len().is_multiple_of(2), "{collation}: odd weights for U+{code_point:04X}");
            all[code_point as usize] = words(&weights);
        }
    }
    Ok(all)
}

/// A collation of one weight a character.
pub fn simple(source: &mut Source, collation: &str) -> Result<Level> {
    let planes = if collation.starts_with("utf8mb3") { 1 } else { ask::PLANES };
    let level = weights(source, collation, None, planes)?;
    ensure!(level.iter().all(|weights| weights.len() <= 1), "{collation} has more than one weight for a character");
    Ok(level)
}

/// A collation of primary weights only.
pub fn primary(source: &mut Source, collation: &str) -> Result<Level> {
    weights(source, collation, None, ask::PLANES)
}

/// The three levels of a collation whose WEIGHT_STRING has a zero between them.
pub fn separated(source: &mut Source, collation: &str) -> Result<[Level; 3]> {
    let mut levels = [empty(), empty(), empty()];
    for (code_point, weights) in weights(source, collation, None, ask::PLANES)?.into_iter().enumerate() {
        let mut parts = weights.split(|&weight| weight == 0);
        for level in &mut levels {
            level[code_point] = parts.next().unwrap_or_default().to_vec();
        }
        ensure!(parts.next().is_none(), "{collation} has a fourth level for U+{code_point:04X}");
    }
    Ok(levels)
}

/// The three levels of a collation, asked for one by one.
pub fn each(source: &mut Source, collation: &str) -> Result<[Level; 3]> {
    let mut level = |level| weights(source, collation, Some(level), ask::PLANES);
    Ok([level(0)?, level(1)?, level(2)?])
}
