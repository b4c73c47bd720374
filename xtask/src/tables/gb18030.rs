//! The order of `gb18030_chinese_ci`: a weight of one, two or four bytes a character. The format is documented where it is read, in
//! `crates/collation/src/table/gb18030.rs`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use mysql::prelude::Queryable;

use crate::ask;
use crate::charsets::{ask::weights, encode};
use crate::servers::Source;

/// The collation.
pub const NAME: &str = "gb18030_chinese_ci";

/// First bytes of characters of several.
const LEADS: std::ops::RangeInclusive<u8> = 0x81..=0xFE;
/// How many characters of four bytes begin with the same one.
const OF_LEAD: u32 = 10 * 126 * 10;
/// From here on an entry is a weight.
const WEIGHTS: u16 = 0xA1A1;
/// The entry of a character whose weight is listed.
const AMONG_OTHERS: u16 = u16::MAX;
const IDEOGRAPHS: u32 = 0xFFA0_0000;
const FOUR_BYTES: u32 = 0xFF00_0000;

/// Its file.
pub fn file(source: &mut Source) -> Result<Vec<u8>> {
    let mut singles = ask::ascii_weights(source, NAME)?;
    ensure!(singles.len() == 0x80, "{NAME} has other than one weight for a byte below 80");
    singles.extend(0x80..=0xFF);
    let (mut doubles, mut quadruples) = (encode::Words::new(), encode::Words::new());
    let mut others = BTreeMap::new();
    let pairs = weights(source, "gb18030", NAME)?;
    for (character, weight) in pairs.iter().filter(|(character, _)| LEADS.contains(&character[0])) {
        let (character, weight) = (number(character)?, number(weight)?);
        if weight == character {
            continue;
        }
        let entry = match (ideograph(weight), u16::try_from(weight)) {
            (Some(ideograph), _) => ideograph,
            (None, Ok(weight)) if (WEIGHTS..AMONG_OTHERS).contains(&weight) => weight,
            _ => {
                others.insert(character, weight);
                AMONG_OTHERS
            }
        };
        doubles.insert(u16::try_from(character)?, entry);
    }
    for lead in LEADS {
        let first = u32::from(lead - LEADS.start()) * OF_LEAD;
        for (index, character, weight) in four_bytes(source, lead)? {
            let (character, weight) = (number(&character)?, number(&weight)?);
            let place = first + index;
            if weight == FOUR_BYTES + place {
                continue;
            }
            let place = u16::try_from(place);
            let entry = match (ideograph(weight), place) {
                (Some(ideograph), Ok(_)) => ideograph,
                _ => {
                    others.insert(character, weight);
                    AMONG_OTHERS
                }
            };
            if let Ok(place) = place {
                quadruples.insert(place, entry);
            }
        }
    }
    let others = others.into_iter().flat_map(|(character, weight)| [character, weight]).flat_map(u32::to_be_bytes);
    Ok([singles, encode::pages(&doubles)?, encode::pages(&quadruples)?, others.collect()].concat())
}

fn number(bytes: &[u8]) -> Result<u32> {
    ensure!(matches!(bytes.len(), 1 | 2 | 4), "{NAME}: {bytes:02x?}");
    Ok(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

/// The number of an ideograph in the order of pinyin.
fn ideograph(weight: u32) -> Option<u16> {
    u16::try_from(weight.checked_sub(IDEOGRAPHS)?).ok().filter(|&number| number < WEIGHTS)
}

/// A character of four bytes: its number among those of its first byte, it, and its weight.
type Weighed = (u32, Vec<u8>, Vec<u8>);

/// All characters of four bytes after `lead`.
fn four_bytes(source: &mut Source, lead: u8) -> Result<Vec<Weighed>> {
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
