//! How long keys, rows and columns may be. Pure. From the manuals ("InnoDB Limits", "Limits on Table Column Count and Row Size") and from what
//! servers answered.

use facts::{Column, Facts, Index, IndexPart, RowFormat, Table, TextType};
use server::{Flavour, Version};

use crate::job::{Conversion, TableJob};

/// The most bytes of a row, BLOBs and TEXTs left out.
pub const ROW: u64 = 65_535;

/// The most bytes of one part of an index, and of all parts together.
pub fn key_limits(facts: &Facts, table: &Table, row_format: RowFormat) -> (u64, u64) {
    match table.engine.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("myisam") => (1000, 1000),
        Some("aria") => (2000, 2000),
        _ => (if has_large_prefix(facts, row_format) { 3072 } else { 767 }, 3072),
    }
}

/// Whether parts of up to 3072 bytes are taken: by the row format and, on old servers, by a setting.
fn has_large_prefix(facts: &Facts, row_format: RowFormat) -> bool {
    let large_format = matches!(row_format, RowFormat::Dynamic | RowFormat::Compressed);
    let version = facts.server.number();
    let needs_setting = match facts.server.flavour {
        Flavour::MySql => version < Version::new(5, 7, 7),
        Flavour::MariaDb => version < Version::new(10, 2, 2),
    };
    large_format && (!needs_setting || facts.server.is_on("innodb_large_prefix"))
}

/// Whether `ROW_FORMAT=DYNAMIC` would let longer keys in.
pub fn dynamic_helps(facts: &Facts, table: &Table) -> bool {
    let is_innodb = table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    is_innodb
        && matches!(table.row_format, RowFormat::Compact | RowFormat::Redundant)
        && has_large_prefix(facts, RowFormat::Dynamic)
}

/// Bytes of each part of an index after the conversion to the target of this number.
pub fn part_bytes(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Vec<u64> {
    index.parts.iter().map(|part| bytes_of(facts, job, part, target)).collect()
}

fn bytes_of(facts: &Facts, job: &TableJob<'_>, part: &IndexPart, target: usize) -> u64 {
    let Some(column) = part.column.as_deref().and_then(|name| job.table.column(name)) else { return 0 };
    match (column.text_type(), column.charset.as_deref()) {
        (Some(TextType::Enum | TextType::Set), _) => fixed_bytes(column),
        (Some(_), Some(charset)) => {
            let characters = part.prefix.or(column.characters).unwrap_or(0);
            let most = match job.conversion(&column.name) {
                Some(conversion) => conversion.to[target].max_bytes(facts),
                None => facts.server.charset(charset).map_or(4, |charset| u64::from(charset.max_bytes)),
            };
            characters * most
        }
        _ => part.prefix.unwrap_or_else(|| fixed_bytes(column)),
    }
}

/// The prefixes, in characters, with which an index fits after the conversion; `None` where it fits as it is.
pub fn shortened(facts: &Facts, job: &TableJob<'_>, index: &Index, target: usize) -> Option<Vec<Option<u64>>> {
    let row_format = if dynamic_helps(facts, job.table) { RowFormat::Dynamic } else { job.table.row_format };
    let (per_part, in_all) = key_limits(facts, job.table, row_format);
    let mut bytes = part_bytes(facts, job, index, target);
    if bytes.iter().all(|&bytes| bytes <= per_part) && bytes.iter().sum::<u64>() <= in_all {
        return None;
    }
    let most = |part: &IndexPart| {
        let conversion = job.conversion(part.column.as_deref()?)?;
        Some(conversion.to[target].max_bytes(facts))
    };
    let mut prefixes: Vec<Option<u64>> = index.parts.iter().map(|part| part.prefix).collect();
    for (at, part) in index.parts.iter().enumerate() {
        if let Some(most) = most(part).filter(|_| bytes[at] > per_part) {
            prefixes[at] = Some(per_part / most);
            bytes[at] = per_part / most * most;
        }
    }
    // What is still too long in all is taken off the longest part that is converted.
    while bytes.iter().sum::<u64>() > in_all {
        let excess = bytes.iter().sum::<u64>() - in_all;
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

/// Bytes of a row, as the server counts them against [`ROW`], after the conversion where `target` is given.
pub fn row_bytes(facts: &Facts, job: &TableJob<'_>, target: Option<usize>) -> u64 {
    let columns = &job.table.columns;
    let nullable = columns.iter().filter(|column| column.nullable).count() as u64;
    let of = |column: &Column| {
        column_bytes(facts, column, target.and_then(|target| Some((job.conversion(&column.name)?, target))))
    };
    columns
        .iter()
        .filter(|column| column.generated.as_ref().is_none_or(|generated| generated.stored))
        .map(of)
        .sum::<u64>()
        + nullable.div_ceil(8)
}

fn column_bytes(facts: &Facts, column: &Column, conversion: Option<(&Conversion<'_>, usize)>) -> u64 {
    let most = match conversion {
        Some((conversion, target)) => conversion.to[target].max_bytes(facts),
        None => column
            .charset
            .as_deref()
            .and_then(|name| facts.server.charset(name))
            .map_or(1, |charset| u64::from(charset.max_bytes)),
    };
    let bytes = column.characters.unwrap_or(0) * most;
    match column.data_type.as_str() {
        "varchar" => bytes + if bytes > 255 { 2 } else { 1 },
        "char" => bytes,
        _ => fixed_bytes(column),
    }
}

/// Bytes of what has no character set, or is stored as a number or elsewhere.
fn fixed_bytes(column: &Column) -> u64 {
    let fraction = column.scale.unwrap_or(0).div_ceil(2);
    match column.data_type.as_str() {
        "tinyint" | "year" => 1,
        "smallint" => 2,
        "mediumint" | "date" => 3,
        "int" | "float" => 4,
        "bigint" | "double" => 8,
        "decimal" => column.precision.unwrap_or(10).div_ceil(9) * 4 + 4,
        "time" => 3 + fraction,
        "timestamp" => 4 + fraction,
        "datetime" => 5 + fraction,
        "binary" => column.bytes.unwrap_or(0),
        "varbinary" => column.bytes.unwrap_or(0) + if column.bytes.unwrap_or(0) > 255 { 2 } else { 1 },
        "enum" => 2,
        "set" => 8,
        "tinytext" | "tinyblob" => 9,
        "text" | "blob" => 10,
        "mediumtext" | "mediumblob" => 11,
        "longtext" | "longblob" | "json" => 12,
        "bit" => 8,
        "uuid" | "inet6" => 16,
        _ => column.bytes.unwrap_or(8),
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
    ROW / max_bytes.max(1)
}
