//! Lengths of keys, rows and columns after a conversion.

use facts::{Column, Facts, Index, IndexPart, RowFormat, Table};
use rules::keys::{self, KeyLimits, TooLong, judge_length};
use rules::pages::{self, CharacterBytes};
use rules::rows;
use server::{Flavour, Version};

use crate::job::{Conversion, TableJob};

/// Returns a line for a table whose engine has unknown limits, if an index has a converted column.
pub fn describe_unknown_limits(facts: &Facts, job: &TableJob<'_>) -> Option<String> {
    let engine = unknown_engine(facts, job.table)?;
    let has_index = job.table.indexes.iter().any(|index| job.converts_part_of(index));
    has_index.then(|| format!("{}: lengths of its keys: the limits of the engine {engine} are unknown", job.name()))
}

/// Returns a line for an InnoDB table whose rows may be too long for their page, and are not
/// measured.
pub fn describe_unknown_row_limit(facts: &Facts, job: &TableJob<'_>) -> Option<String> {
    let is_innodb = job.table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    let what = match job.table.row_format {
        RowFormat::Compressed => "ROW_FORMAT=COMPRESSED, whose limit depends on how far rows compress",
        _ if pages::max_page_row_bytes(&facts.server).is_none() => "pages of this size",
        _ => return None,
    };
    (is_innodb && !job.conversions.is_empty())
        .then(|| format!("{}: bytes of a row in its page (error 1118): not computed for {what}", job.name()))
}

/// Returns the engine of a table if the limits of its indexes are unknown.
fn unknown_engine<'t>(facts: &Facts, table: &'t Table) -> Option<&'t str> {
    table.engine.as_deref().filter(|_| keys::find_limits(&facts.server, table).is_none())
}

/// Returns the limits of a table's indexes. For other engines than InnoDB, MyISAM, Aria and MEMORY,
/// InnoDB's limits.
pub fn key_limits(facts: &Facts, table: &Table) -> KeyLimits {
    keys::find_limits(&facts.server, table).unwrap_or_else(|| keys::innodb_limits(&facts.server, table.row_format))
}

/// True if `ROW_FORMAT=DYNAMIC` would allow longer key parts with the settings of the server.
pub fn dynamic_format_helps(facts: &Facts, table: &Table) -> bool {
    let is_innodb = table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    is_innodb
        && matches!(table.row_format, RowFormat::Compact | RowFormat::Redundant)
        && keys::lacking_settings(&facts.server).is_empty()
}

/// Returns the bytes of each part of an index after the conversion. `target` indexes
/// [`Conversion::targets`](crate::job::Conversion::targets).
pub fn part_bytes(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Vec<u64> {
    keys::part_bytes(job.table, index, |column| max_character_bytes(facts, job, column, Some(target)))
}

/// True if an index is too long after the conversion, and does not become a hash index for it.
pub fn is_too_long(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> bool {
    judge(facts, job, index, target).is_some_and(|outcome| outcome != TooLong::Hash)
}

/// True if the conversion makes a unique index a hash index, because its values are too long.
pub fn becomes_hash(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> bool {
    judge(facts, job, index, target) == Some(TooLong::Hash)
}

fn judge(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Option<TooLong> {
    if unknown_engine(facts, job.table).is_some() {
        return None;
    }
    judge_length(&facts.server, job.table, index, &part_bytes(facts, job, index, target))
}

/// True if the plan sets `ROW_FORMAT=DYNAMIC`: a part of an index exceeds the limit of the table's
/// row format, and DYNAMIC has a higher one.
pub fn needs_dynamic_format(facts: &Facts, job: &TableJob<'_>, target: usize) -> bool {
    let per_part = key_limits(facts, job.table).max_part_bytes;
    let exceeds = |index: &&Index| {
        is_too_long(facts, job, index, target)
            && part_bytes(facts, job, index, target).iter().any(|&bytes| bytes > per_part)
    };
    dynamic_format_helps(facts, job.table)
        && job.table.indexes.iter().filter(|index| job.converts_part_of(index)).any(|index| exceeds(&index))
}

/// Returns prefixes, in characters, with which an index fits after the conversion. A part of `None`
/// has no prefix.
///
/// `None` if the index fits as it is (in `ROW_FORMAT=DYNAMIC`, if that allows longer parts), if it
/// becomes a hash index, or if no prefixes make it fit.
pub fn shortened_prefixes(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Option<Vec<Option<u64>>> {
    if !is_too_long(facts, job, index, target) {
        return None;
    }
    let limits = match dynamic_format_helps(facts, job.table) {
        true => keys::innodb_limits(&facts.server, RowFormat::Dynamic),
        false => key_limits(facts, job.table),
    };
    let mut bytes = part_bytes(facts, job, index, target);
    if bytes.iter().all(|&bytes| bytes <= limits.max_part_bytes) && bytes.iter().sum::<u64>() <= limits.max_key_bytes {
        return None;
    }
    let character_bytes = |part: &IndexPart| {
        let conversion = job.conversion(part.column.as_deref()?)?;
        Some(conversion.targets[target].max_bytes(facts))
    };
    let mut prefixes: Vec<Option<u64>> = index.parts.iter().map(|part| part.prefix).collect();
    for (at, part) in index.parts.iter().enumerate() {
        if let Some(width) = character_bytes(part).filter(|_| bytes[at] > limits.max_part_bytes) {
            prefixes[at] = Some(limits.max_part_bytes / width);
            bytes[at] = limits.max_part_bytes / width * width;
        }
    }
    // The excess over the total limit is taken off the longest converted part.
    while bytes.iter().sum::<u64>() > limits.max_key_bytes {
        let excess = bytes.iter().sum::<u64>() - limits.max_key_bytes;
        let longest =
            (0..bytes.len()).filter(|&at| character_bytes(&index.parts[at]).is_some()).max_by_key(|&at| bytes[at])?;
        let width = character_bytes(&index.parts[longest])?;
        let characters = bytes[longest].saturating_sub(excess) / width;
        if characters == 0 {
            return None;
        }
        prefixes[longest] = Some(characters);
        bytes[longest] = characters * width;
    }
    Some(prefixes)
}

/// Returns the bytes of a row that count towards [`rows::MAX_ROW_BYTES`]. VARCHARs that are too
/// wide for the target count as the MEDIUMTEXT that the plan makes of them.
///
/// `target` is the conversion's target; `None` means before the conversion.
pub fn row_bytes(facts: &Facts, job: &TableJob<'_>, target: Option<usize>) -> u64 {
    let mut planned = job.table.clone();
    for column in &mut planned.columns {
        let conversion = job.conversion(&column.name);
        if target.is_some_and(|target| conversion.is_some_and(|one| is_too_wide(facts, one, target))) {
            column.data_type = "mediumtext".into();
        }
    }
    rows::longest_row_bytes(facts.server.flavour, &planned, |column| max_character_bytes(facts, job, column, target))
}

/// True if a VARCHAR column has more characters than a VARCHAR in the target's character set can
/// have.
pub fn is_too_wide(facts: &Facts, conversion: &Conversion<'_>, target: usize) -> bool {
    let column = conversion.column;
    let max_characters = max_varchar_characters(conversion.targets[target].max_bytes(facts));
    column.data_type == "varchar" && column.characters.unwrap_or(0) > max_characters.min(65_532)
}

/// Returns the bytes that a row needs in its page in a row format. `None` if the rule is not known,
/// such as for engines other than InnoDB, and compressed tables.
pub fn page_row_bytes(facts: &Facts, job: &TableJob<'_>, target: Option<usize>, format: RowFormat) -> Option<u64> {
    let width = |column: &Column| {
        let max = max_character_bytes(facts, job, column, target);
        let converted = target.and_then(|target| Some(job.conversion(&column.name)?.targets[target].charset.as_str()));
        let charset = converted.or(column.charset.as_deref());
        charset.map_or(CharacterBytes::BINARY, |charset| CharacterBytes::new(charset, max))
    };
    let is_hidden = |name: &String| job.table.column(name).is_none();
    let hidden = if job.row_end.as_ref().is_some_and(is_hidden) { pages::hidden_period_bytes(format) } else { 0 };
    Some(pages::page_row_bytes(&facts.server, job.table, format, width)? + hidden)
}

/// True if the server may convert the columns without reading the table's rows: MariaDB from 10.4.3
/// on, from utf8mb3 to utf8mb4 or within one character set. The size of the rows is then not
/// checked either.
pub fn may_be_instant(facts: &Facts, job: &TableJob<'_>, target: usize) -> bool {
    let is_new = facts.server.flavour == Flavour::MariaDb && facts.server.version_number() >= Version::new(10, 4, 3);
    is_new
        && job.conversions.iter().all(|conversion| {
            let (from, to) = (conversion.column.charset.as_deref(), conversion.targets[target].charset.as_str());
            from == Some(to) || matches!((from, to), (Some("utf8" | "utf8mb3"), "utf8mb4"))
        })
}

/// Returns the maximum bytes per character of a column, before the conversion if `target` is
/// `None`.
fn max_character_bytes(facts: &Facts, job: &TableJob<'_>, column: &Column, target: Option<usize>) -> u64 {
    match target.and_then(|target| Some(&job.conversion(&column.name)?.targets[target])) {
        Some(to) => to.max_bytes(facts),
        None => {
            let charset = column.charset.as_deref().and_then(|name| facts.server.charset(name));
            charset.map_or(1, |charset| u64::from(charset.max_bytes))
        }
    }
}

/// Returns the maximum bytes of a TEXT type. `None` for other types.
pub fn max_text_bytes(data_type: &str) -> Option<u64> {
    Some(match data_type {
        "tinytext" => 255,
        "text" => 65_535,
        "mediumtext" => 16_777_215,
        "longtext" => u64::from(u32::MAX),
        _ => return None,
    })
}

/// Returns the maximum length of a VARCHAR with this many bytes per character.
pub fn max_varchar_characters(max_bytes: u64) -> u64 {
    rows::MAX_ROW_BYTES / max_bytes.max(1)
}
