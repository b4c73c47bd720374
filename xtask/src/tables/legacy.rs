//! The orders of 8-bit and multi-byte character sets: a weight of one or two bytes a character.

use anyhow::{Context, Result, ensure};

use crate::ask;
use crate::charsets::{ask::weights, encode};
use crate::servers::Source;

/// Orders of bytes.
pub const BYTE_ORDERS: [&str; 39] = [
    "armscii8_general_ci",
    "ascii_general_ci",
    "cp1250_croatian_ci",
    "cp1250_general_ci",
    "cp1250_polish_ci",
    "cp1251_bulgarian_ci",
    "cp1251_general_ci",
    "cp1251_general_cs",
    "cp1251_ukrainian_ci",
    "cp1256_general_ci",
    "cp1257_general_ci",
    "cp1257_lithuanian_ci",
    "cp850_general_ci",
    "cp852_general_ci",
    "cp866_general_ci",
    "dec8_swedish_ci",
    "geostd8_general_ci",
    "greek_general_ci",
    "hebrew_general_ci",
    "hp8_english_ci",
    "keybcs2_general_ci",
    "koi8r_general_ci",
    "koi8u_general_ci",
    "latin1_danish_ci",
    "latin1_general_ci",
    "latin1_general_cs",
    "latin1_german1_ci",
    "latin1_spanish_ci",
    "latin1_swedish_ci",
    "latin2_croatian_ci",
    "latin2_general_ci",
    "latin2_hungarian_ci",
    "latin5_turkish_ci",
    "latin7_estonian_cs",
    "latin7_general_ci",
    "latin7_general_cs",
    "macce_general_ci",
    "macroman_general_ci",
    "swe7_swedish_ci",
];

/// Those of multi-byte character sets: characters of one byte have a weight, longer ones are their own weights, or have one of two
/// bytes.
pub const MULTI_BYTE_ORDERS: [&str; 8] = [
    "big5_chinese_ci",
    "cp932_japanese_ci",
    "eucjpms_japanese_ci",
    "euckr_korean_ci",
    "gb2312_chinese_ci",
    "gbk_chinese_ci",
    "sjis_japanese_ci",
    "ujis_japanese_ci",
];

/// Those whose weights are of a whole text (`crates/collation/src/whole.rs`).
pub const WHOLE_TEXTS: [&str; 3] = ["cp1250_czech_cs", "latin2_czech_cs", "tis620_thai_ci"];

/// The contractions of Czech.
const SEQUENCES: [&str; 3] = ["CH", "Ch", "ch"];

/// The file of a collation.
pub fn file(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    if WHOLE_TEXTS.contains(&collation) {
        return whole_text(source, collation);
    }
    if BYTE_ORDERS.contains(&collation) {
        let weights = ask::byte_weights(source, collation)?;
        ensure!(weights.iter().all(|weight| weight.len() == 1), "{collation} has several weights a byte");
        return Ok(weights.concat());
    }
    let charset = collation.split('_').next().unwrap_or_default();
    let mut singles = ask::ascii_weights(source, collation)?;
    // A byte from 80 on is a character of its own weight, if it is one.
    singles.extend(0x80..=0xFF);
    let pairs = weights(source, charset, collation)?;
    let mut words = encode::Words::new();
    for (pair, weight) in pairs.iter().filter(|(pair, _)| pair[0] >= 0x80) {
        words.insert(u16::from_be_bytes([pair[0], pair[1]]), u16::from_be_bytes(weight[..].try_into()?));
    }
    let are_their_own = words.iter().all(|(pair, weight)| pair == weight);
    Ok(if are_their_own { singles } else { [singles, encode::pages(&words)?].concat() })
}

/// Weights of each byte and sequence, pass by pass; for Thai what each byte is, and what it is in `LIKE`.
fn whole_text(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let mut weights = ask::byte_weights(source, collation)?;
    if collation == "tis620_thai_ci" {
        // MySQL's answer ends at a zero, which compares as itself.
        weights[0] = vec![0];
        ensure!(weights.iter().all(|weight| weight.len() == 1), "{collation} has several weights a byte");
        return Ok([weights.concat(), like_classes(source, collation)?].concat());
    }
    let charset = collation.split('_').next().unwrap_or_default();
    for sequence in SEQUENCES {
        let query = format!("SELECT WEIGHT_STRING(_{charset} '{sequence}' COLLATE {collation})");
        weights.push(ask::first(source, &query)?.context("no weights")?);
    }
    if collation == "cp1250_czech_cs" {
        ensure!(weights.iter().all(|weight| weight.len() == 2), "{collation} has other than two weights a byte");
        return Ok(weights.concat());
    }
    let mut passes = Vec::new();
    for weight in weights {
        let weight = weight.strip_suffix(&[0]).context("a key without end")?;
        let of_each: Vec<&[u8]> = weight.split(|&byte| byte == 1).collect();
        ensure!(of_each.len() == 4 && of_each.iter().all(|pass| pass.len() <= 1), "{collation}: {weight:02x?}");
        passes.extend(of_each.iter().map(|pass| pass.first().copied().unwrap_or_default()));
    }
    Ok(passes)
}

/// For each byte the least one that it is `LIKE`.
fn like_classes(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let charset = collation.split('_').next().unwrap_or_default();
    (0..=255_u8)
        .map(|byte| {
            let like = |other: u8| {
                let pattern = format!("CONCAT(_{charset} '!', _{charset} 0x{other:02x})");
                format!("_{charset} 0x{byte:02x} LIKE {pattern} COLLATE {collation} ESCAPE '!'")
            };
            let query = format!("SELECT {}", (0..=255).map(like).collect::<Vec<_>>().join(", "));
            let row: mysql::Row = ask::first(source, &query)?.context("no row")?;
            let least = (0..=255_u8).find(|&other| row.get::<bool, _>(usize::from(other)) == Some(true));
            least.with_context(|| format!("{collation}: {byte:02x} is not like itself"))
        })
        .collect()
}
