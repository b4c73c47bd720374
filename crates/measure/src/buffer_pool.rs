//! A buffer pool smaller than the tables: what was asked for, what it takes, and whether there is room for it. Each variant then has an
//! instance of its own, so that none evicts another's pages.

use std::fmt;
use std::str::FromStr;

use mysql_collation::Charset;
use server::{Room, Server};
use workload::{Family, Table, Text};

use crate::model::Variant;
use crate::preview::{self, schema_keys};
use crate::request::Request;

const MIB: u64 = 1 << 20;

/// The least that every server starts with: MySQL says 5 MiB, MariaDB a little more.
const LEAST: u64 = 8 * MIB;

/// What a server takes beside its buffer pool, in memory, and beside the tables, on disk: redo log, system tables and undo.
const BESIDE: u64 = 512 * MIB;

/// Rows whose text is looked at to tell how long it is.
const SAMPLED_ROWS: u32 = 500;

/// Bytes of a row beside its columns: header, lengths, transaction's id and roll pointer (MySQL manual, "InnoDB Row Formats").
const ROW_BYTES: f64 = 26.0;

/// Bytes of an index's entry beside the indexed column: header, and the primary key.
const ENTRY_BYTES: f64 = 10.0;

/// How full InnoDB fills a page in the order of its key: fifteen sixteenths, less the page's own header and directory.
const FILLED: f64 = 0.92;

/// How large the buffer pool of each variant's instance is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BufferPool {
    /// As a share of the baseline's tables.
    Share(f64),
    /// In bytes.
    Bytes(u64),
}

impl FromStr for BufferPool {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "give a percentage of the baseline's tables, such as 25%, or a size such as 512M or 2G";
        if let Some(number) = text.strip_suffix('%') {
            return match number.trim().parse::<f64>() {
                Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(Self::Share(percent / 100.0)),
                _ => Err(FORM),
            };
        }
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "" => 1,
            "K" | "k" => 1 << 10,
            "M" | "m" => MIB,
            "G" | "g" => 1 << 30,
            _ => return Err(FORM),
        };
        let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or(FORM)?;
        if bytes < LEAST { Err("servers start with a buffer pool of 8M or more") } else { Ok(Self::Bytes(bytes)) }
    }
}

/// As it is typed.
impl fmt::Display for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{}%", (share * 1e6).round() / 1e4),
            Self::Bytes(bytes) if bytes % MIB == 0 => write!(f, "{}M", bytes / MIB),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

/// What a run with such buffer pools takes, computed before anything is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// Bytes of each buffer pool, whole MiB.
    pub pool_bytes: u64,
    /// What the baseline's tables will take.
    pub baseline_bytes: u64,
    /// Instances of each server.
    pub instances: Vec<usize>,
    /// What all tables will take.
    pub tables_bytes: u64,
    /// What all instances take of the disk.
    pub disk_bytes: u64,
    /// What they take of memory.
    pub memory_bytes: u64,
}

/// Why there can be no such buffer pools.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferPoolError {
    /// A server was not started for this run.
    #[error(
        "--buffer-pool is for servers that weigh starts for itself, an instance for each variant; {server} runs already"
    )]
    Attached {
        /// Which.
        server: String,
    },
    /// Tables of several texts differ in size.
    #[error(
        "--buffer-pool {asked} is of tables with one --text, as those of several differ in size: name one, or give a size such as 512M"
    )]
    SeveralTexts {
        /// What was asked.
        asked: String,
    },
    /// No server would start with it.
    #[error(
        "{asked} of the baseline's tables ({tables}) is {pool}, and servers start with 8.0 MiB or more: raise --table-size to {rows}"
    )]
    TooSmall {
        /// What was asked.
        asked: String,
        /// What the tables take.
        tables: String,
        /// What it comes to.
        pool: String,
        /// Rows a table that would do.
        rows: u64,
    },
    /// What would be read from disk would come from memory.
    #[error("{folder} is in memory, so nothing there is read from a disk: set TMPDIR to a folder on one")]
    InMemory {
        /// The folder of private instances.
        folder: String,
    },
    /// The disk is too small.
    #[error(
        "{instances} instances with tables of {tables} take {needed} of the disk of {folder}, which has {free} free: take fewer rows or \
         collations, or set TMPDIR to a folder on another disk"
    )]
    NoDisk {
        /// How many there would be.
        instances: usize,
        /// What all tables take.
        tables: String,
        /// What is needed.
        needed: String,
        /// The folder of private instances.
        folder: String,
        /// What is free.
        free: String,
    },
    /// Memory is too small.
    #[error(
        "{instances} instances with a buffer pool of {pool} each take {needed} of memory, and {free} is free: take a smaller buffer pool or \
         fewer collations"
    )]
    NoMemory {
        /// How many there would be.
        instances: usize,
        /// The size of each buffer pool.
        pool: String,
        /// What is needed.
        needed: String,
        /// What is free.
        free: String,
    },
}

/// What the buffer pools asked for take, or why they can't be had; `None` where none were asked for. The variants of a text stand with it,
/// the baseline first.
pub(crate) fn sizing(
    request: &Request,
    plans: &[(Text, Vec<Variant>)],
    servers: &[Server],
) -> Result<Option<Sizing>, crate::Error> {
    let Some(asked) = request.buffer_pool else { return Ok(None) };
    if let Some(server) = servers.iter().find(|server| !server.is_private()) {
        return Err(BufferPoolError::Attached { server: server.label().into() }.into());
    }
    let sizing = compute(request, asked, plans, servers.len())?;
    check(&sizing, &server::room()?)?;
    Ok(Some(sizing))
}

fn compute(
    request: &Request,
    asked: BufferPool,
    plans: &[(Text, Vec<Variant>)],
    servers: usize,
) -> Result<Sizing, BufferPoolError> {
    let mut sizing = Sizing {
        pool_bytes: 0,
        baseline_bytes: 0,
        instances: vec![1; servers],
        tables_bytes: 0,
        disk_bytes: 0,
        memory_bytes: 0,
    };
    for (text, variants) in plans {
        let tables = preview::tables(request, *text);
        let size = |charset: &str| tables.iter().map(|table| table_bytes(table, charset)).sum::<u64>();
        let mut of_text = 0;
        for (server, instances) in sizing.instances.iter_mut().enumerate() {
            let keys = schema_keys(variants.iter().filter(|variant| variant.server == server), true);
            *instances = (*instances).max(keys.len());
            let charset = |collation| variants.iter().find(|variant| variant.collation == collation);
            of_text += keys.iter().filter_map(|key| charset(key.collation)).map(|own| size(&own.charset)).sum::<u64>();
        }
        sizing.tables_bytes = sizing.tables_bytes.max(of_text);
        let baseline = variants.first().map_or(0, |variant| size(&variant.charset));
        sizing.baseline_bytes = sizing.baseline_bytes.max(baseline);
    }
    sizing.pool_bytes = pool_bytes(asked, sizing.baseline_bytes, plans.len(), request.rows.table_size)?;
    let instances = sizing.instances.iter().sum::<usize>() as u64;
    sizing.disk_bytes = sizing.tables_bytes + instances * BESIDE;
    sizing.memory_bytes = instances * (sizing.pool_bytes + BESIDE);
    Ok(sizing)
}

fn pool_bytes(asked: BufferPool, baseline: u64, texts: usize, rows: u32) -> Result<u64, BufferPoolError> {
    let share = match asked {
        BufferPool::Bytes(bytes) => return Ok(bytes.next_multiple_of(MIB)),
        BufferPool::Share(_) if texts > 1 => return Err(BufferPoolError::SeveralTexts { asked: asked.to_string() }),
        BufferPool::Share(share) => share,
    };
    let exact = baseline as f64 * share;
    if exact < LEAST as f64 {
        let factor = LEAST as f64 / exact.max(1.0);
        return Err(BufferPoolError::TooSmall {
            asked: asked.to_string(),
            tables: mebibytes(baseline),
            pool: mebibytes(exact as u64),
            // Two digits are enough, and a little more than just enough.
            rows: ((f64::from(rows) * factor * 1.05 / 1e4).ceil() * 1e4) as u64,
        });
    }
    Ok((exact as u64).next_multiple_of(MIB))
}

fn check(sizing: &Sizing, room: &Room) -> Result<(), BufferPoolError> {
    let instances = sizing.instances.iter().sum();
    let folder = || room.folder.display().to_string();
    if room.in_memory {
        return Err(BufferPoolError::InMemory { folder: folder() });
    }
    if sizing.disk_bytes > room.disk_bytes {
        return Err(BufferPoolError::NoDisk {
            instances,
            tables: mebibytes(sizing.tables_bytes),
            needed: mebibytes(sizing.disk_bytes),
            folder: folder(),
            free: mebibytes(room.disk_bytes),
        });
    }
    if sizing.memory_bytes > room.memory_bytes {
        return Err(BufferPoolError::NoMemory {
            instances,
            pool: mebibytes(sizing.pool_bytes),
            needed: mebibytes(sizing.memory_bytes),
            free: mebibytes(room.memory_bytes),
        });
    }
    Ok(())
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / MIB as f64)
}

/// About what a table will take in a charset, its index included.
fn table_bytes(table: &Table, charset: &str) -> u64 {
    let charset = Charset::by_name(charset).unwrap_or(Charset::Utf8mb4);
    let step = (table.rows / SAMPLED_ROWS).max(1);
    let (mut sampled, mut row_bytes, mut entry_bytes) = (0.0, 0.0, 0.0);
    let mut row = String::new();
    for id in (1..=table.rows).step_by(step as usize) {
        row.clear();
        table.insert_row(id, &mut row);
        let texts: Vec<f64> = row.split('\'').skip(1).step_by(2).map(|text| encoded_bytes(charset, text)).collect();
        let numbers = table.columns().iter().filter(|column| !column.is_text).count() as f64 * 4.0;
        row_bytes += ROW_BYTES + numbers + texts.iter().sum::<f64>();
        entry_bytes += ENTRY_BYTES
            + match table.family {
                Family::Sbtest => 4.0,
                Family::Words => texts.first().copied().unwrap_or_default(),
            };
        sampled += 1.0;
    }
    (f64::from(table.rows) * (row_bytes + entry_bytes) / f64::max(sampled, 1.0) / FILLED) as u64
}

/// The bytes of a text in a charset; a character that it lacks counts one.
fn encoded_bytes(charset: Charset, text: &str) -> f64 {
    let mut buffer = [0; 8];
    text.chars().map(|character| charset.encode(character, &mut buffer).unwrap_or(1)).sum::<usize>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> &'static str {
        text.parse::<BufferPool>().unwrap_err()
    }

    #[test]
    fn sizes_are_shares_or_bytes() {
        assert_eq!("25%".parse(), Ok(BufferPool::Share(0.25)));
        assert_eq!("2G".parse(), Ok(BufferPool::Bytes(2 << 30)));
        assert_eq!("8388608".parse(), Ok(BufferPool::Bytes(8 << 20)));
        for wrong in ["", "x", "0%", "-1%", "2T", "1001%", "99999999999G", "%", "NaN%"] {
            assert!(refusal(wrong).contains("such as 25%"), "{wrong}");
        }
        assert!(refusal("1M").contains("8M or more"));
        for text in ["25%", "12.5%", "512M", "8388609"] {
            assert_eq!(text.parse::<BufferPool>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_share_is_of_one_text_and_not_less_than_servers_take() {
        let quarter = BufferPool::Share(0.25);
        assert_eq!(pool_bytes(quarter, 100 * MIB, 1, 1), Ok(25 * MIB));
        assert_eq!(pool_bytes(quarter, 100 * MIB + 4, 1, 1), Ok(26 * MIB));
        assert!(matches!(pool_bytes(quarter, 100 * MIB, 2, 1), Err(BufferPoolError::SeveralTexts { .. })));
        let small = pool_bytes(quarter, 16 * MIB, 1, 100_000).unwrap_err();
        assert!(small.to_string().ends_with("raise --table-size to 210000"), "{small}");
        assert_eq!(pool_bytes(BufferPool::Bytes(9 * MIB - 1), 0, 3, 1), Ok(9 * MIB));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_figures() {
        let sizing = Sizing {
            pool_bytes: 100 * MIB,
            baseline_bytes: 400 * MIB,
            instances: vec![3, 2],
            tables_bytes: 2000 * MIB,
            disk_bytes: 4560 * MIB,
            memory_bytes: 3060 * MIB,
        };
        let room = Room { folder: "/t".into(), disk_bytes: 4560 * MIB, in_memory: false, memory_bytes: 3060 * MIB };
        assert_eq!(check(&sizing, &room), Ok(()));
        let refusal = |room| check(&sizing, &room).unwrap_err().to_string();
        let disk = refusal(Room { disk_bytes: 4559 * MIB, ..room.clone() });
        assert!(disk.starts_with("5 instances with tables of 2000.0 MiB take 4560.0 MiB of the disk of /t"), "{disk}");
        let memory = refusal(Room { memory_bytes: 3059 * MIB, ..room.clone() });
        assert!(memory.contains("5 instances with a buffer pool of 100.0 MiB each take 3060.0 MiB"), "{memory}");
        assert!(refusal(Room { in_memory: true, ..room }).starts_with("/t is in memory"));
    }
}
