//! Derives the order of `gb18030_chinese_ci`: a weight of one, two or four bytes per character.
//! `engine/mysql-collation/src/tables/gb18030.rs` documents the format.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use mysql::prelude::Queryable;

use crate::charsets::{encode, query::query_pair_weights};
use crate::query;
use crate::servers::Source;

pub const NAME: &str = "gb18030_chinese_ci";

/// First bytes of characters of two and four bytes.
const LEADS: std::ops::RangeInclusive<u8> = 0x81..=0xFE;
/// Number of four-byte characters per first byte.
const CHARACTERS_PER_LEAD: u32 = 10 * 126 * 10;
/// First entry that is a weight. Lower entries are numbers of ideographs.
const FIRST_WEIGHT: u16 = 0xA1A1;
/// Entry of a character whose weight is in the list at the end.
const LISTED: u16 = u16::MAX;
const FIRST_IDEOGRAPH_WEIGHT: u32 = 0xFFA0_0000;
const FIRST_FOUR_BYTE_WEIGHT: u32 = 0xFF00_0000;

pub fn derive_file(source: &mut Source) -> Result<Vec<u8>> {
    let mut singles = query::query_ascii_weights(source, NAME)?;
    ensure!(singles.len() == 0x80, "{NAME} has other than one weight for a byte below 80");
    singles.extend(0x80..=0xFF);
    let (mut doubles, mut quadruples) = (encode::WordTable::new(), encode::WordTable::new());
    let mut listed = BTreeMap::new();
    let pairs = query_pair_weights(source, "gb18030", NAME)?;
    for (character, weight) in pairs.iter().filter(|(character, _)| LEADS.contains(&character[0])) {
        let (character, weight) = (to_number(character)?, to_number(weight)?);
        if weight == character {
            continue;
        }
        let entry = match (ideograph_number(weight), u16::try_from(weight)) {
            (Some(ideograph), _) => ideograph,
            (None, Ok(weight)) if (FIRST_WEIGHT..LISTED).contains(&weight) => weight,
            _ => {
                listed.insert(character, weight);
                LISTED
            }
        };
        doubles.insert(u16::try_from(character)?, entry);
    }
    for lead in LEADS {
        let first = u32::from(lead - LEADS.start()) * CHARACTERS_PER_LEAD;
        for (index, character, weight) in query_four_byte_characters(source, lead)? {
            let (character, weight) = (to_number(&character)?, to_number(&weight)?);
            let place = first + index;
            if weight == FIRST_FOUR_BYTE_WEIGHT + place {
                continue;
            }
            let place = u16::try_from(place);
            let entry = match (ideograph_number(weight), place) {
                (Some(ideograph), Ok(_)) => ideograph,
                _ => {
                    listed.insert(character, weight);
                    LISTED
                }
            };
            if let Ok(place) = place {
                quadruples.insert(place, entry);
            }
        }
    }
    let listed = listed.into_iter().flat_map(|(character, weight)| [character, weight]).flat_map(u32::to_be_bytes);
    Ok([singles, encode::encode_pages(&doubles)?, encode::encode_pages(&quadruples)?, listed.collect()].concat())
}

fn to_number(bytes: &[u8]) -> Result<u32> {
    ensure!(matches!(bytes.len(), 1 | 2 | 4), "{NAME}: {bytes:02x?}");
    Ok(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

/// Returns an ideograph's position in pinyin order, from its weight; `None` for other weights.
fn ideograph_number(weight: u32) -> Option<u16> {
    u16::try_from(weight.checked_sub(FIRST_IDEOGRAPH_WEIGHT)?).ok().filter(|&number| number < FIRST_WEIGHT)
}

/// A character's number among the characters with the same first byte, the character, and its
/// weight.
type WeighedCharacter = (u32, Vec<u8>, Vec<u8>);

fn query_four_byte_characters(source: &mut Source, lead: u8) -> Result<Vec<WeighedCharacter>> {
    let digits = |count: u8| {
        (1..count).fold("SELECT 0 d".to_owned(), |digits, digit| format!("{digits} UNION ALL SELECT {digit}"))
    };
    let character = format!("CHAR({lead}, 48 + b.d, 129 + c.d, 48 + d.d)");
    let query = format!(
        "SELECT n, g, WEIGHT_STRING(CONVERT(g USING gb18030) COLLATE {NAME}) \
         FROM (SELECT (b.d * 126 + c.d) * 10 + d.d n, {character} g FROM ({0}) b, ({1}) c, ({0}) d) characters",
        digits(10),
        digits(126)
    );
    source.conn.query(query).with_context(|| format!("asking {} for the weights of {NAME}", source.title()))
}
