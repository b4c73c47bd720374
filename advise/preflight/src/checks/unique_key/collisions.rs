//! Rows whose keys differ before the conversion and are equal after it.

use std::collections::BTreeSet;

use facts::Index;
use sha2::{Digest as _, Sha256};

use super::KeyPart;
use crate::checks::TableScan;
use crate::model::{CollisionGroup, Example};
use crate::row::decode_values;

/// Maximum number of rows per group that the finding lists.
pub const MAX_ROWS: usize = 10;

type Digest = [u8; 32];

/// Keys of rows before the conversion.
pub struct OldKeys {
    /// `None` for a column whose collation is unknown: its values are equal if their bytes are.
    parts: Vec<Option<KeyPart>>,
    /// Number of values before those of the index in a record.
    skipped: usize,
}

impl OldKeys {
    pub fn new(scan: &TableScan<'_>, index: &Index) -> Self {
        let part =
            |part: &facts::IndexPart| KeyPart::new(scan, part.column.as_deref().unwrap_or_default(), part.prefix, None);
        Self { parts: index.parts.iter().map(part).collect(), skipped: scan.fields.key.len() }
    }

    /// Returns the digest of a row's key. `values` are those of a record, in which the end of a
    /// row's time follows the columns of the index.
    fn digest(&self, values: &[u8]) -> Digest {
        let (mut hasher, mut key) = (Sha256::new(), Vec::new());
        for (at, value) in decode_values(values).into_iter().skip(self.skipped).enumerate() {
            let value = value.unwrap_or_default();
            key.clear();
            match self.parts.get(at) {
                Some(Some(part)) => part.append_value(&value, &mut key),
                _ => key.extend_from_slice(&value),
            }
            hasher.update((key.len() as u64).to_be_bytes());
            hasher.update(&key);
        }
        hasher.finalize().into()
    }
}

/// First byte of a sorted record: the row as it is stored.
pub const STORED: u8 = 0;
/// First byte of a sorted record: the row after the repair of its double-encoded text.
pub const REPAIRED: u8 = 1;

/// Rows with one key.
#[derive(Default)]
pub struct Members {
    pub stored_count: u64,
    pub repaired_count: u64,
    /// Digests of the stored rows' keys before the conversion. Empty below two rows.
    old_keys: BTreeSet<Digest>,
    /// The first [`MAX_ROWS`] of the stored rows whose keys differ before the conversion.
    pub stored: Vec<Vec<u8>>,
    /// The first [`MAX_ROWS`] of the repaired rows.
    pub repaired: Vec<Vec<u8>>,
}

impl Members {
    pub fn count(&self) -> u64 {
        self.stored_count + self.repaired_count
    }

    /// Returns the number of stored rows whose keys differ before the conversion.
    pub fn distinct(&self) -> u64 {
        if self.stored_count < 2 { self.stored_count } else { self.old_keys.len() as u64 }
    }

    pub fn add(&mut self, record: &[u8], old_keys: &OldKeys) {
        let Some((&kind, values)) = record.split_first() else { return };
        if kind == REPAIRED {
            self.repaired_count += 1;
            if self.repaired.len() < MAX_ROWS {
                self.repaired.push(values.to_vec());
            }
            return;
        }
        self.stored_count += 1;
        // Most rows are alone, and need no key.
        if self.stored_count == 1 {
            self.stored.push(values.to_vec());
            return;
        }
        if let Some(first) = self.stored.first().filter(|_| self.old_keys.is_empty()) {
            self.old_keys.insert(old_keys.digest(first));
        }
        if self.old_keys.insert(old_keys.digest(values)) && self.stored.len() < MAX_ROWS {
            self.stored.push(values.to_vec());
        }
    }
}

/// Rows that a unique key would refuse.
#[derive(Default)]
pub struct Collisions {
    /// Number of groups of stored rows.
    pub groups: u64,
    /// Number of rows in these groups.
    pub rows: u64,
    /// Groups to list.
    pub listed: Vec<CollisionGroup>,
    /// Number of repaired rows that collide with another row.
    pub repairs: u64,
    /// Repaired rows to list, each with the rows that it collides with.
    pub listed_repairs: Vec<Example>,
}
