//! Queries servers for the weights of all characters, by level.

use anyhow::{Context, Result, bail, ensure};

use crate::query;
use crate::servers::Source;

/// Weights of one level by code point. Surrogates have none.
pub type Level = Vec<Vec<u16>>;

fn empty_level() -> Level {
    vec![Vec::new(); 0x11_0000]
}

/// Reads big-endian 16-bit weights.
pub fn read_words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks(2).map(|pair| pair.iter().fold(0, |word, &byte| word << 8 | u16::from(byte))).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LevelFormat {
    /// One level.
    Primary,
    /// This number of levels, separated by a zero in WEIGHT_STRING.
    Separated(usize),
    /// This number of levels, with a query for each.
    Each(usize),
}

impl LevelFormat {
    pub fn count(self) -> usize {
        match self {
            LevelFormat::Primary => 1,
            LevelFormat::Separated(count) | LevelFormat::Each(count) => count,
        }
    }

    /// Splits a WEIGHT_STRING into levels.
    pub fn split(self, weights: &[u16]) -> Result<Vec<Vec<u16>>> {
        let mut levels = match self {
            // On the fourth level, a zero is a weight.
            LevelFormat::Separated(4) => weights.splitn(4, |&weight| weight == 0).map(<[u16]>::to_vec).collect(),
            LevelFormat::Separated(_) => weights.split(|&weight| weight == 0).map(<[u16]>::to_vec).collect(),
            LevelFormat::Primary | LevelFormat::Each(_) => vec![weights.to_vec()],
        };
        ensure!(levels.len() <= self.count(), "more than {} levels: {weights:04x?}", self.count());
        levels.resize(self.count(), Vec::new());
        Ok(levels)
    }
}

/// Queries a collation of at most one weight per character; a utf8mb3 collation only in the first
/// plane.
pub fn query_simple(source: &mut Source, collation: &str) -> Result<Level> {
    let planes = if collation.starts_with("utf8mb3") { 1 } else { query::PLANES };
    let mut level = empty_level();
    for plane in 0..planes {
        for (code_point, weights) in query::query_weights(source, collation, None, plane)? {
            level[code_point as usize] = parse_weights(collation, code_point, weights)?;
        }
    }
    ensure!(level.iter().all(|weights| weights.len() <= 1), "{collation} has more than one weight for a character");
    Ok(level)
}

/// Queries a collation whose weights are code points of three bytes.
pub fn query_folding(source: &mut Source, collation: &str) -> Result<Vec<u32>> {
    let mut level: Vec<u32> = (0..0x11_0000).collect();
    for plane in 0..query::PLANES {
        for (code_point, weight) in query::query_weights(source, collation, None, plane)? {
            let Some([first, second, third]) = weight.as_deref() else {
                bail!("{collation} has other than one weight of three bytes for U+{code_point:04X}")
            };
            level[code_point as usize] = u32::from_be_bytes([0, *first, *second, *third]);
        }
    }
    Ok(level)
}

fn parse_weights(collation: &str, code_point: u32, weights: Option<Vec<u8>>) -> Result<Vec<u16>> {
    let weights = weights.with_context(|| format!("{collation} has no weights for U+{code_point:04X}"))?;
    ensure!(weights.len().is_multiple_of(2), "{collation}: odd weights for U+{code_point:04X}");
    Ok(read_words(&weights))
}

pub fn query_levels(source: &mut Source, collation: &str, shape: LevelFormat) -> Result<Vec<Level>> {
    let mut levels = vec![empty_level(); shape.count()];
    for plane in 0..query::PLANES {
        query_plane(source, collation, shape, plane, &mut levels)?;
    }
    Ok(levels)
}

/// Code points to sample in the planes that few tailorings change.
const SAMPLES: [u32; 6] = [0x3_0000, 0x3_1350, 0x4_0000, 0xF_0000, 0x10_0000, 0x10_FFFD];

/// Returns the levels of a tailoring. Queries only the characters that it weighs differently from
/// the parent, in planes 3 to 13, 15 and 16 only if one of [`SAMPLES`] differs. If just one of
/// tailoring and parent is queried level by level, queries all characters.
pub fn query_tailoring(
    source: &mut Source,
    collation: &str,
    shape: LevelFormat,
    parent: &Parent<'_>,
) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = parent.levels.iter().take(shape.count()).cloned().collect();
    if matches!(shape, LevelFormat::Each(_)) != matches!(parent.shape, LevelFormat::Each(_)) {
        return query_levels(source, collation, shape);
    }
    // At a level that only the tailoring has, characters that don't differ have no weights.
    levels.resize(shape.count(), empty_level());
    for plane in [0, 1, 2, 14] {
        query_changes(source, collation, shape, parent, plane, &mut levels)?;
    }
    let mut has_changes = false;
    for code_point in SAMPLES {
        let text = char::from_u32(code_point).context("no character")?.to_string();
        let own = query_text_weights(source, collation, shape, &text)?;
        has_changes |= own.iter().zip(&levels).any(|(own, level)| own != &level[code_point as usize]);
    }
    if has_changes {
        for plane in (3..14).chain([15, 16]) {
            query_changes(source, collation, shape, parent, plane, &mut levels)?;
        }
    }
    Ok(levels)
}

pub struct Parent<'a> {
    /// Collation of the same server that has the parent's weights.
    pub collation: &'a str,
    pub shape: LevelFormat,
    pub levels: &'a [Level],
}

fn query_changes(
    source: &mut Source,
    collation: &str,
    shape: LevelFormat,
    parent: &Parent<'_>,
    plane: u32,
    levels: &mut [Level],
) -> Result<()> {
    if let LevelFormat::Each(count) = shape {
        for (index, level) in levels.iter_mut().enumerate().take(count) {
            for (code_point, weights) in
                query::query_differing_weights(source, collation, parent.collation, Some(index), plane)?
            {
                level[code_point as usize] = parse_weights(collation, code_point, weights)?;
            }
        }
        return Ok(());
    }
    for (code_point, weights) in query::query_differing_weights(source, collation, parent.collation, None, plane)? {
        let weights = parse_weights(collation, code_point, weights)?;
        let parts = shape.split(&weights).with_context(|| format!("{collation}, U+{code_point:04X}"))?;
        for (level, part) in levels.iter_mut().zip(parts) {
            level[code_point as usize] = part;
        }
    }
    Ok(())
}

fn query_plane(
    source: &mut Source,
    collation: &str,
    shape: LevelFormat,
    plane: u32,
    levels: &mut [Level],
) -> Result<()> {
    if let LevelFormat::Each(count) = shape {
        for (index, level) in levels.iter_mut().enumerate().take(count) {
            for (code_point, weights) in query::query_weights(source, collation, Some(index), plane)? {
                level[code_point as usize] = parse_weights(collation, code_point, weights)?;
            }
        }
        return Ok(());
    }
    for (code_point, weights) in query::query_weights(source, collation, None, plane)? {
        let weights = parse_weights(collation, code_point, weights)?;
        let parts = shape.split(&weights).with_context(|| format!("{collation}, U+{code_point:04X}"))?;
        for (level, part) in levels.iter_mut().zip(parts) {
            level[code_point as usize] = part;
        }
    }
    Ok(())
}

pub fn query_text_weights(
    source: &mut Source,
    collation: &str,
    shape: LevelFormat,
    text: &str,
) -> Result<Vec<Vec<u16>>> {
    let mut ask = |level: &str| -> Result<Vec<u16>> {
        let query = format!("SELECT WEIGHT_STRING({} COLLATE {collation}{level})", query::format_literal(text));
        let weights: Vec<u8> = query::query_first(source, &query)?.flatten().context("no weights")?;
        Ok(read_words(&weights))
    };
    match shape {
        LevelFormat::Primary => shape.split(&ask("")?),
        LevelFormat::Separated(_) => {
            let weights = ask("")?;
            shape.split(&weights).or_else(|error| {
                // A contraction of Lithuanian has a zero among its primary weights. The
                // accent-insensitive collation returns the primary weights alone.
                let query = format!(
                    "SELECT WEIGHT_STRING({} COLLATE {})",
                    query::format_literal(text),
                    collation.replace("as_cs", "ai_ci")
                );
                let primary: Vec<u8> = query::query_first(source, &query)?.flatten().context("no weights")?;
                let primary = read_words(&primary);
                let rest = weights.strip_prefix(&primary[..]).and_then(|rest| rest.strip_prefix(&[0][..]));
                let rest = rest.with_context(|| error.to_string())?;
                let levels =
                    std::iter::once(primary.clone()).chain(rest.split(|&weight| weight == 0).map(<[u16]>::to_vec));
                let levels: Vec<_> = levels.collect();
                ensure!(levels.len() == shape.count(), "{} levels: {weights:04x?}", levels.len());
                Ok(levels)
            })
        }
        LevelFormat::Each(count) => (1..=count).map(|level| ask(&format!(" LEVEL {level}"))).collect(),
    }
}
