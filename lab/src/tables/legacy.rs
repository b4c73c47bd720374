//! Derives the orders of 8-bit and multi-byte charsets, except gb18030: the weights of bytes and of
//! two-byte characters, and those of collations that weigh a text as a whole.

use anyhow::{Context, Result, ensure};

use crate::charsets::{encode, query::query_pair_weights};
use crate::query;
use crate::servers::Source;

/// Collations with one weight per byte.
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

/// Collations of multi-byte charsets. A byte below 0x80 has a weight of one byte, a longer
/// character one of two bytes unless it is its own weight.
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

/// Collations that weigh a text as a whole (`engine/mysql-collation/src/weights/whole_text.rs`).
pub const WHOLE_TEXTS: [&str; 3] = ["cp1250_czech_cs", "latin2_czech_cs", "tis620_thai_ci"];

/// Contractions of Czech.
const SEQUENCES: [&str; 3] = ["CH", "Ch", "ch"];

pub fn derive_file(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    if WHOLE_TEXTS.contains(&collation) {
        return derive_whole_text(source, collation);
    }
    if BYTE_ORDERS.contains(&collation) {
        let weights = query::query_byte_weights(source, collation)?;
        ensure!(weights.iter().all(|weight| weight.len() == 1), "{collation} has several weights a byte");
        return Ok(weights.concat());
    }
    let charset = collation.split('_').next().unwrap_or_default();
    let mut singles = query::query_ascii_weights(source, collation)?;
    // A byte from 0x80 on is its own weight, if it is a character.
    singles.extend(0x80..=0xFF);
    let pairs = query_pair_weights(source, charset, collation)?;
    let mut words = encode::WordTable::new();
    for (pair, weight) in pairs.iter().filter(|(pair, _)| pair[0] >= 0x80) {
        words.insert(u16::from_be_bytes([pair[0], pair[1]]), u16::from_be_bytes(weight[..].try_into()?));
    }
    let are_their_own = words.iter().all(|(pair, weight)| pair == weight);
    Ok(if are_their_own { singles } else { [singles, encode::encode_pages(&words)?].concat() })
}

/// Returns the weights of each byte and contraction by pass. For Thai: the weight of each byte, and
/// its class in `LIKE`.
fn derive_whole_text(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let mut weights = query::query_byte_weights(source, collation)?;
    if collation == "tis620_thai_ci" {
        // MySQL's result ends at a zero byte, which compares as itself.
        weights[0] = vec![0];
        ensure!(weights.iter().all(|weight| weight.len() == 1), "{collation} has several weights a byte");
        return Ok([weights.concat(), query_like_classes(source, collation)?].concat());
    }
    let charset = collation.split('_').next().unwrap_or_default();
    for sequence in SEQUENCES {
        let query = format!("SELECT WEIGHT_STRING(_{charset} '{sequence}' COLLATE {collation})");
        weights.push(query::query_first(source, &query)?.context("no weights")?);
    }
    if collation == "cp1250_czech_cs" {
        ensure!(weights.iter().all(|weight| weight.len() == 2), "{collation} has other than two weights a byte");
        return Ok(weights.concat());
    }
    let mut passes = Vec::new();
    for weight in weights {
        let weight = weight.strip_suffix(&[0]).context("a key without end")?;
        let parts: Vec<&[u8]> = weight.split(|&byte| byte == 1).collect();
        ensure!(parts.len() == 4 && parts.iter().all(|pass| pass.len() <= 1), "{collation}: {weight:02x?}");
        passes.extend(parts.iter().map(|pass| pass.first().copied().unwrap_or_default()));
    }
    Ok(passes)
}

/// Returns, for each byte, the smallest byte that it is `LIKE`.
fn query_like_classes(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let charset = collation.split('_').next().unwrap_or_default();
    (0..=255_u8)
        .map(|byte| {
            let like = |other: u8| {
                let pattern = format!("CONCAT(_{charset} '!', _{charset} 0x{other:02x})");
                format!("_{charset} 0x{byte:02x} LIKE {pattern} COLLATE {collation} ESCAPE '!'")
            };
            let query = format!("SELECT {}", (0..=255).map(like).collect::<Vec<_>>().join(", "));
            let row: mysql::Row = query::query_first(source, &query)?.context("no row")?;
            let smallest = (0..=255_u8).find(|&other| row.get::<bool, _>(usize::from(other)) == Some(true));
            smallest.with_context(|| format!("{collation}: {byte:02x} is not like itself"))
        })
        .collect()
}
