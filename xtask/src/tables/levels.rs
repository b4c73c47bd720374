//! The weights of all characters, level by level, as a server answers them.

use anyhow::{Context, Result, bail, ensure};

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

/// How a server tells the levels of a collation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// There is one.
    Primary,
    /// WEIGHT_STRING has a zero between them; so many levels.
    Separated(usize),
    /// They are asked for one by one; so many.
    Each(usize),
}

impl Shape {
    /// How many levels there are.
    pub fn count(self) -> usize {
        match self {
            Shape::Primary => 1,
            Shape::Separated(count) | Shape::Each(count) => count,
        }
    }

    /// The levels of WEIGHT_STRING's answer, where there is one answer for all.
    pub fn split(self, weights: &[u16]) -> Result<Vec<Vec<u16>>> {
        let mut levels = match self {
            // A zero on the fourth level is a weight.
            Shape::Separated(4) => weights.splitn(4, |&weight| weight == 0).map(<[u16]>::to_vec).collect(),
            Shape::Separated(_) => weights.split(|&weight| weight == 0).map(<[u16]>::to_vec).collect(),
            Shape::Primary | Shape::Each(_) => vec![weights.to_vec()],
        };
        ensure!(levels.len() <= self.count(), "a level more: {weights:04x?}");
        levels.resize(self.count(), Vec::new());
        Ok(levels)
    }
}

/// A collation of one weight a character.
pub fn simple(source: &mut Source, collation: &str) -> Result<Level> {
    let planes = if collation.starts_with("utf8mb3") { 1 } else { ask::PLANES };
    let mut level = empty();
    for plane in 0..planes {
        for (code_point, weights) in ask::weights(source, collation, None, plane)? {
            level[code_point as usize] = whole(collation, code_point, weights)?;
        }
    }
    ensure!(level.iter().all(|weights| weights.len() <= 1), "{collation} has more than one weight for a character");
    Ok(level)
}

/// A collation whose weights are code points of three bytes: what each character weighs.
pub fn folding(source: &mut Source, collation: &str) -> Result<Vec<u32>> {
    let mut level: Vec<u32> = (0..0x11_0000).collect();
    for plane in 0..ask::PLANES {
        for (code_point, weight) in ask::weights(source, collation, None, plane)? {
            let Some([first, second, third]) = weight.as_deref() else {
                bail!("{collation} has other than one weight of three bytes for U+{code_point:04X}")
            };
            level[code_point as usize] = u32::from_be_bytes([0, *first, *second, *third]);
        }
    }
    Ok(level)
}

fn whole(collation: &str, code_point: u32, weights: Option<Vec<u8>>) -> Result<Vec<u16>> {
    let weights = weights.with_context(|| format!("{collation} has no weights for U+{code_point:04X}"))?;
    ensure!(weights.len().is_multiple_of(2), "{collation}: odd weights for U+{code_point:04X}");
    Ok(words(&weights))
}

/// The levels of a collation.
pub fn all(source: &mut Source, collation: &str, shape: Shape) -> Result<Vec<Level>> {
    let mut levels = vec![empty(); shape.count()];
    for plane in 0..ask::PLANES {
        ask_plane(source, collation, shape, plane, &mut levels)?;
    }
    Ok(levels)
}

/// Code points of the planes that few tailorings say anything about.
const SAMPLES: [u32; 6] = [0x3_0000, 0x3_1350, 0x4_0000, 0xF_0000, 0x10_0000, 0x10_FFFD];

/// The levels of a tailoring: the server is asked for what it weighs otherwise than the parent. Planes 3 to 13, 15 and 16 are asked for
/// only if some of their code points have not the parent's weights.
pub fn tailored(source: &mut Source, collation: &str, shape: Shape, parent: &Parent<'_>) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = parent.levels.iter().take(shape.count()).cloned().collect();
    if matches!(shape, Shape::Each(_)) != matches!(parent.shape, Shape::Each(_)) {
        return all(source, collation, shape);
    }
    // What weighs the same in both has no weights at a level that the parent lacks.
    levels.resize(shape.count(), empty());
    for plane in [0, 1, 2, 14] {
        ask_changes(source, collation, shape, parent, plane, &mut levels)?;
    }
    let mut others = false;
    for code_point in SAMPLES {
        let text = char::from_u32(code_point).context("no character")?.to_string();
        let own = weigh(source, collation, shape, &text)?;
        others |= own.iter().zip(&levels).any(|(own, level)| own != &level[code_point as usize]);
    }
    if others {
        for plane in (3..14).chain([15, 16]) {
            ask_changes(source, collation, shape, parent, plane, &mut levels)?;
        }
    }
    Ok(levels)
}

/// The table that another one is a tailoring of.
pub struct Parent<'a> {
    /// The collation whose weights it has on the server that is asked.
    pub collation: &'a str,
    pub shape: Shape,
    pub levels: &'a [Level],
}

fn ask_changes(
    source: &mut Source,
    collation: &str,
    shape: Shape,
    parent: &Parent<'_>,
    plane: u32,
    levels: &mut [Level],
) -> Result<()> {
    if let Shape::Each(count) = shape {
        for (index, level) in levels.iter_mut().enumerate().take(count) {
            for (code_point, weights) in ask::changed_weights(source, collation, parent.collation, Some(index), plane)?
            {
                level[code_point as usize] = whole(collation, code_point, weights)?;
            }
        }
        return Ok(());
    }
    for (code_point, weights) in ask::changed_weights(source, collation, parent.collation, None, plane)? {
        let weights = whole(collation, code_point, weights)?;
        let parts = shape.split(&weights).with_context(|| format!("{collation}, U+{code_point:04X}"))?;
        for (level, part) in levels.iter_mut().zip(parts) {
            level[code_point as usize] = part;
        }
    }
    Ok(())
}

fn ask_plane(source: &mut Source, collation: &str, shape: Shape, plane: u32, levels: &mut [Level]) -> Result<()> {
    if let Shape::Each(count) = shape {
        for (index, level) in levels.iter_mut().enumerate().take(count) {
            for (code_point, weights) in ask::weights(source, collation, Some(index), plane)? {
                level[code_point as usize] = whole(collation, code_point, weights)?;
            }
        }
        return Ok(());
    }
    for (code_point, weights) in ask::weights(source, collation, None, plane)? {
        let weights = whole(collation, code_point, weights)?;
        let parts = shape.split(&weights).with_context(|| format!("{collation}, U+{code_point:04X}"))?;
        for (level, part) in levels.iter_mut().zip(parts) {
            level[code_point as usize] = part;
        }
    }
    Ok(())
}

/// The weights of a text at each level.
pub fn weigh(source: &mut Source, collation: &str, shape: Shape, text: &str) -> Result<Vec<Vec<u16>>> {
    let mut ask = |level: &str| -> Result<Vec<u16>> {
        let query = format!("SELECT WEIGHT_STRING({} COLLATE {collation}{level})", ask::literal(text));
        let weights: Vec<u8> = ask::first(source, &query)?.flatten().context("no weights")?;
        Ok(words(&weights))
    };
    match shape {
        Shape::Primary => shape.split(&ask("")?),
        Shape::Separated(_) => {
            let weights = ask("")?;
            shape.split(&weights).or_else(|error| {
                // A contraction of Lithuanian has a zero among its primary weights; the collation without accents has nothing else.
                let query = format!(
                    "SELECT WEIGHT_STRING({} COLLATE {})",
                    ask::literal(text),
                    collation.replace("as_cs", "ai_ci")
                );
                let primary: Vec<u8> = ask::first(source, &query)?.flatten().context("no weights")?;
                let primary = words(&primary);
                let rest = weights.strip_prefix(&primary[..]).and_then(|rest| rest.strip_prefix(&[0][..]));
                let rest = rest.with_context(|| error.to_string())?;
                let levels =
                    std::iter::once(primary.clone()).chain(rest.split(|&weight| weight == 0).map(<[u16]>::to_vec));
                let levels: Vec<_> = levels.collect();
                ensure!(levels.len() == shape.count(), "{} levels: {weights:04x?}", levels.len());
                Ok(levels)
            })
        }
        Shape::Each(count) => (1..=count).map(|level| ask(&format!(" LEVEL {level}"))).collect(),
    }
}
