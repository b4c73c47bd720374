//! Records of one run in memory.

use crate::record::{HEADER_BYTES, Record, header};
use crate::sorter::{Order, Ties};

/// Byte offset of a record in the arena, with the first 8 bytes of its key. These bytes decide most
/// comparisons, without reading the arena.
#[derive(Clone, Copy)]
struct Entry {
    prefix: u64,
    at: usize,
}

/// Records in memory. The arena holds their bytes in the format of a run; the entries hold their
/// order.
#[derive(Default)]
pub(crate) struct Buffer {
    arena: Vec<u8>,
    entries: Vec<Entry>,
}

impl Buffer {
    /// Returns the bytes of the records and entries. Reserved memory that is still unused doesn't
    /// count.
    pub fn used_bytes(&self) -> usize {
        self.arena.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Returns the bytes that a record adds to [`Self::used_bytes`].
    pub fn record_bytes(key: &[u8], value: &[u8]) -> usize {
        HEADER_BYTES + key.len() + value.len() + size_of::<Entry>()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        self.entries.push(Entry { prefix: key_prefix(key), at: self.arena.len() });
        self.arena.extend(header(key, value));
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
    }

    /// Sorts the records. [`Ties::Distinct`] also removes duplicates.
    pub fn sort(&mut self, order: Order) {
        let arena = &self.arena;
        // Comparing offsets last makes the unstable sort, which allocates nothing, stable.
        self.entries.sort_unstable_by(|a, b| {
            let by_record = || order.compare(Record::at(arena, a.at), Record::at(arena, b.at));
            order.directed(a.prefix.cmp(&b.prefix)).then_with(by_record).then(a.at.cmp(&b.at))
        });
        if order.ties == Ties::Distinct {
            self.entries.dedup_by(|next, kept| {
                next.prefix == kept.prefix && Record::at(arena, next.at) == Record::at(arena, kept.at)
            });
        }
    }

    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.entries.iter().map(|entry| Record::at(&self.arena, entry.at))
    }

    /// Returns the record at this index of the sorted order.
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        self.entries.get(index).map(|entry| Record::at(&self.arena, entry.at))
    }

    /// Removes the records and keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.entries.clear();
    }
}

/// Returns the first 8 bytes of a key as a number, padded with zeros. Where two such numbers
/// differ, they order like the keys.
pub(crate) fn key_prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
