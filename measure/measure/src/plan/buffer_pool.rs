//! Sizing of requested buffer pools: computes the memory and disk space that they need and checks
//! that both suffice. Each variant has its own instance, so that no variant evicts another's pages.

use mysql_collation::Charset;
use server::{FreeResources, Server};
use workload::{Family, Table, Text};

use super::schemas::{schema_keys, workload_tables};
use super::{BufferPoolError, PlanError};
use crate::model::Variant;
use crate::request::Request;
use crate::request::buffer_pool::{BufferPool, MIB, MIN_BUFFER_POOL};

/// Memory of an instance besides its buffer pool, and disk space besides its tables: redo log,
/// system tables, undo.
const INSTANCE_OVERHEAD: u64 = 512 * MIB;

/// Approximate number of rows sampled to estimate the length of the text.
const SAMPLED_ROWS: u32 = 500;

/// Bytes per row besides its columns: header, column lengths, transaction id, roll pointer (MySQL
/// manual, "InnoDB Row Formats").
const ROW_OVERHEAD: f64 = 26.0;

/// Bytes per index entry besides the indexed column: header and primary key.
const ENTRY_OVERHEAD: f64 = 10.0;

/// Fill factor of pages written in key order: 15/16, less page header and page directory.
const PAGE_FILL: f64 = 0.92;

/// Resources that a run with one buffer pool per variant needs, computed before loading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPoolSizing {
    /// Bytes per buffer pool, in whole MiB.
    pub pool_bytes: u64,
    /// Expected bytes of the baseline's tables, for the text with the largest tables.
    pub baseline_bytes: u64,
    /// Number of instances per server.
    pub instances: Vec<usize>,
    /// Expected bytes of the tables of all variants, for the text with the largest tables.
    pub tables_bytes: u64,
    /// Disk space of all instances, in bytes.
    pub disk_bytes: u64,
    /// Memory of all instances, in bytes.
    pub memory_bytes: u64,
}

/// Computes the sizing of the requested buffer pools. `None` if none was requested. `plans` has the
/// variants of each text, the baseline first.
pub(crate) fn size_buffer_pools(
    request: &Request,
    plans: &[(Text, Vec<Variant>)],
    servers: &[Server],
) -> Result<Option<BufferPoolSizing>, PlanError> {
    let attached = servers.iter().find(|server| !server.is_private()).map(Server::label);
    size_pools_for(request, plans, servers.len(), attached)
}

/// As [`size_buffer_pools`], for servers that need not be running. `attached` is the label of an
/// attached server among them.
pub(crate) fn size_pools_for(
    request: &Request,
    plans: &[(Text, Vec<Variant>)],
    servers: usize,
    attached: Option<&str>,
) -> Result<Option<BufferPoolSizing>, PlanError> {
    let Some(requested) = request.buffer_pool else { return Ok(None) };
    if let Some(server) = attached {
        return Err(BufferPoolError::Attached { server: server.into() }.into());
    }
    let sizing = compute_sizing(request, requested, plans, servers)?;
    check_room(&sizing, &server::FreeResources::read()?)?;
    Ok(Some(sizing))
}

fn compute_sizing(
    request: &Request,
    requested: BufferPool,
    plans: &[(Text, Vec<Variant>)],
    servers: usize,
) -> Result<BufferPoolSizing, BufferPoolError> {
    let mut sizing = BufferPoolSizing {
        pool_bytes: 0,
        baseline_bytes: 0,
        instances: vec![1; servers],
        tables_bytes: 0,
        disk_bytes: 0,
        memory_bytes: 0,
    };
    for (text, variants) in plans {
        let tables = workload_tables(request, *text);
        let size = |charset: &str| tables.iter().map(|table| estimate_table_bytes(table, charset)).sum::<u64>();
        let mut text_bytes = 0;
        for (server, instances) in sizing.instances.iter_mut().enumerate() {
            let keys = schema_keys(variants.iter().filter(|variant| variant.server == server), true);
            *instances = (*instances).max(keys.len());
            let charset = |collation| variants.iter().find(|variant| variant.collation == collation);
            text_bytes +=
                keys.iter().filter_map(|key| charset(key.collation)).map(|own| size(&own.charset)).sum::<u64>();
        }
        sizing.tables_bytes = sizing.tables_bytes.max(text_bytes);
        let baseline = variants.first().map_or(0, |variant| size(&variant.charset));
        sizing.baseline_bytes = sizing.baseline_bytes.max(baseline);
    }
    sizing.pool_bytes = compute_pool_bytes(requested, sizing.baseline_bytes, plans.len(), request.rows.table_size)?;
    let instances = sizing.instances.iter().sum::<usize>() as u64;
    sizing.disk_bytes = sizing.tables_bytes + instances * INSTANCE_OVERHEAD;
    sizing.memory_bytes = instances * (sizing.pool_bytes + INSTANCE_OVERHEAD);
    Ok(sizing)
}

fn compute_pool_bytes(requested: BufferPool, baseline: u64, texts: usize, rows: u32) -> Result<u64, BufferPoolError> {
    let share = match requested {
        BufferPool::Bytes(bytes) => return Ok(bytes.next_multiple_of(MIB)),
        BufferPool::Share(_) if texts > 1 => {
            return Err(BufferPoolError::SeveralTexts { requested: requested.to_string() });
        }
        BufferPool::Share(share) => share,
    };
    let exact = baseline as f64 * share;
    if exact < MIN_BUFFER_POOL as f64 {
        let factor = MIN_BUFFER_POOL as f64 / exact.max(1.0);
        return Err(BufferPoolError::TooSmall {
            requested: requested.to_string(),
            tables: format_mebibytes(baseline),
            pool: format_mebibytes(exact as u64),
            // Rounded up to a multiple of 10,000, with 5 % in reserve.
            rows: ((f64::from(rows) * factor * 1.05 / 1e4).ceil() * 1e4) as u64,
        });
    }
    Ok((exact as u64).next_multiple_of(MIB))
}

fn check_room(sizing: &BufferPoolSizing, room: &FreeResources) -> Result<(), BufferPoolError> {
    let instances = sizing.instances.iter().sum();
    let folder = || room.folder.display().to_string();
    if room.in_memory {
        return Err(BufferPoolError::InMemory { folder: folder() });
    }
    if sizing.disk_bytes > room.disk_bytes {
        return Err(BufferPoolError::NoDisk {
            instances,
            tables: format_mebibytes(sizing.tables_bytes),
            needed: format_mebibytes(sizing.disk_bytes),
            folder: folder(),
            free: format_mebibytes(room.disk_bytes),
        });
    }
    if sizing.memory_bytes > room.memory_bytes {
        return Err(BufferPoolError::NoMemory {
            instances,
            pool: format_mebibytes(sizing.pool_bytes),
            needed: format_mebibytes(sizing.memory_bytes),
            free: format_mebibytes(room.memory_bytes),
        });
    }
    Ok(())
}

fn format_mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / MIB as f64)
}

/// Estimates the bytes of a table in a charset, including its index.
fn estimate_table_bytes(table: &Table, charset: &str) -> u64 {
    let charset = Charset::by_name(charset).unwrap_or(Charset::Utf8mb4);
    let step = (table.rows / SAMPLED_ROWS).max(1);
    let (mut sampled, mut row_bytes, mut entry_bytes) = (0.0, 0.0, 0.0);
    let mut row = String::new();
    for id in (1..=table.rows).step_by(step as usize) {
        row.clear();
        table.insert_row(id, &mut row);
        let texts: Vec<f64> =
            row.split('\'').skip(1).step_by(2).map(|text| count_encoded_bytes(charset, text)).collect();
        let numbers = table.columns().iter().filter(|column| !column.is_text).count() as f64 * 4.0;
        row_bytes += ROW_OVERHEAD + numbers + texts.iter().sum::<f64>();
        entry_bytes += ENTRY_OVERHEAD
            + match table.family {
                Family::Sbtest => 4.0,
                Family::Words => texts.first().copied().unwrap_or_default(),
            };
        sampled += 1.0;
    }
    (f64::from(table.rows) * (row_bytes + entry_bytes) / f64::max(sampled, 1.0) / PAGE_FILL) as u64
}

/// Returns the bytes of a text in a charset. A character that the charset lacks counts as one byte.
fn count_encoded_bytes(charset: Charset, text: &str) -> f64 {
    let mut buffer = [0; 8];
    text.chars().map(|character| charset.encode(character, &mut buffer).unwrap_or(1)).sum::<usize>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_buffer_pool_has_a_minimum() {
        let quarter = BufferPool::Share(0.25);
        assert_eq!(compute_pool_bytes(quarter, 100 * MIB, 1, 1), Ok(25 * MIB));
        assert_eq!(compute_pool_bytes(quarter, 100 * MIB + 4, 1, 1), Ok(26 * MIB));
        assert!(matches!(compute_pool_bytes(quarter, 100 * MIB, 2, 1), Err(BufferPoolError::SeveralTexts { .. })));
        let small = compute_pool_bytes(quarter, 16 * MIB, 1, 100_000).unwrap_err();
        assert!(small.to_string().ends_with("raise --table-size to 210000"), "{small}");
        assert_eq!(compute_pool_bytes(BufferPool::Bytes(9 * MIB - 1), 0, 3, 1), Ok(9 * MIB));
    }

    #[test]
    fn rejects_too_large_pools_with_figures() {
        let sizing = BufferPoolSizing {
            pool_bytes: 100 * MIB,
            baseline_bytes: 400 * MIB,
            instances: vec![3, 2],
            tables_bytes: 2000 * MIB,
            disk_bytes: 4560 * MIB,
            memory_bytes: 3060 * MIB,
        };
        let room =
            FreeResources { folder: "/t".into(), disk_bytes: 4560 * MIB, in_memory: false, memory_bytes: 3060 * MIB };
        assert_eq!(check_room(&sizing, &room), Ok(()));
        let refusal = |room| check_room(&sizing, &room).unwrap_err().to_string();
        let disk = refusal(FreeResources { disk_bytes: 4559 * MIB, ..room.clone() });
        assert!(disk.starts_with("5 instances with tables of 2000.0 MiB take 4560.0 MiB of the disk of /t"), "{disk}");
        let memory = refusal(FreeResources { memory_bytes: 3059 * MIB, ..room.clone() });
        assert!(memory.contains("5 instances with a buffer pool of 100.0 MiB each take 3060.0 MiB"), "{memory}");
        assert!(refusal(FreeResources { in_memory: true, ..room }).starts_with("/t is in memory"));
    }
}
