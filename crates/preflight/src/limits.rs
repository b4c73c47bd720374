//! Lengths of keys, rows and columns after a conversion, by the rules of the crate `rules`. Pure.

use facts::{Column, Facts, Index, IndexPart, RowFormat, Table};
use rules::keys::{self, KeyLimits};
use rules::rows;

use crate::job::TableJob;

/// The limits of a table's indexes, InnoDB's where the engine's are not known.
pub fn key_limits(facts: &Facts, table: &Table) -> KeyLimits {
    keys::limits(&facts.server, table).unwrap_or_else(|| keys::innodb(&facts.server, table.row_format))
}

/// Whether `ROW_FORMAT=DYNAMIC` would let longer keys in.
pub fn dynamic_helps(facts: &Facts, table: &Table) -> bool {
    let is_innodb = table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    let part = |format| keys::innodb(&facts.server, format).part;
    is_innodb
        && matches!(table.row_format, RowFormat::Compact | RowFormat::Redundant)
        && part(RowFormat::Dynamic) > part(table.row_format)
}

/// Bytes of each part of an index after the conversion to the target of this number.
pub fn part_bytes(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Vec<u64> {
    keys::part_bytes(job.table, index, |column| width(facts, job, column, Some(target)))
}

/// The prefixes, in characters, with which an index fits after the conversion; `None` where it fits as it is.
pub fn shortened(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Option<Vec<Option<u64>>> {
    let limits = match dynamic_helps(facts, job.table) {
        true => keys::innodb(&facts.server, RowFormat::Dynamic),
        false => key_limits(facts, job.table),
    };
    let mut bytes = part_bytes(facts, job, index, target);
    if bytes.iter().all(|&bytes| bytes <= limits.part) && bytes.iter().sum::<u64>() <= limits.whole {
        return None;
    }
    let most = |part: &IndexPart| {
        let conversion = job.conversion(part.column.as_deref()?)?;
        Some(conversion.to[target].max_bytes(facts))
    };
    let mut prefixes: Vec<Option<u64>> = index.parts.iter().map(|part| part.prefix).collect();
    for (at, part) in index.parts.iter().enumerate() {
        if let Some(most) = most(part).filter(|_| bytes[at] > limits.part) {
            prefixes[at] = Some(limits.part / most);
            bytes[at] = limits.part / most * most;
        }
    }
    // What is still too long in all is taken off the longest part that is converted.
    while bytes.iter().sum::<u64>() > limits.whole {
        let excess = bytes.iter().sum::<u64>() - limits.whole;
        let longest = (0..bytes.len()).filter(|&at| most(&index.parts[at]).is_some()).max_by_key(|&at| bytes[at])?;
        let most = most(&index.parts[longest])?;
        let characters = bytes[longest].saturating_sub(excess) / most;
        if characters == 0 {
            return None;
        }
        prefixes[longest] = Some(characters);
        bytes[longest] = characters * most;
    }
    Some(prefixes)
}

/// Bytes of a row, as the server counts them against [`rows::ROW_LIMIT`], after the conversion where `target` is given.
pub fn row_bytes(facts: &Facts, job: &TableJob<'_>, target: Option<usize>) -> u64 {
    rows::row_bytes(job.table, |column| width(facts, job, column, target))
}

/// The most bytes of a column's characters, after the conversion where `target` is given.
fn width(facts: &Facts, job: &TableJob<'_>, column: &Column, target: Option<usize>) -> u64 {
    match target.and_then(|target| Some(&job.conversion(&column.name)?.to[target])) {
        Some(to) => to.max_bytes(facts),
        None => {
            let charset = column.charset.as_deref().and_then(|name| facts.server.charset(name));
            charset.map_or(1, |charset| u64::from(charset.max_bytes))
        }
    }
}

/// The most bytes that a TEXT type holds.
pub fn text_bytes(data_type: &str) -> Option<u64> {
    Some(match data_type {
        "tinytext" => 255,
        "text" => 65_535,
        "mediumtext" => 16_777_215,
        "longtext" => u64::from(u32::MAX),
        _ => return None,
    })
}

/// The most characters of a VARCHAR of so many bytes a character.
pub fn varchar_characters(max_bytes: u64) -> u64 {
    rows::ROW_LIMIT / max_bytes.max(1)
}
