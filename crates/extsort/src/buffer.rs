//! The records of one run, in memory.

use crate::run::{HEADER, Record, header};
use crate::sorter::{Order, Ties};

/// Where a record lies in the arena, with the beginning of its key: most comparisons end there, without touching the arena.
#[derive(Clone, Copy)]
struct Entry {
    prefix: u64,
    at: usize,
}

/// Records in one allocation, each as it is written to a run.
#[derive(Default)]
pub(crate) struct Buffer {
    arena: Vec<u8>,
    entries: Vec<Entry>,
}

impl Buffer {
    /// The memory in use, in bytes.
    pub fn size(&self) -> usize {
        self.arena.len() + self.entries.len() * size_of::<Entry>()
    }

    /// What one more record takes, in bytes.
    pub fn cost(key: &[u8], value: &[u8]) -> usize {
        HEADER + key.len() + value.len() + size_of::<Entry>()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        self.entries.push(Entry { prefix: prefix(key), at: self.arena.len() });
        self.arena.extend(header(key, value));
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
    }

    /// Sorts the records.
    pub fn sort(&mut self, order: Order) {
        let arena = &self.arena;
        // Offsets grow with the order of arrival, so that an unstable sort, which needs no memory, is stable here.
        self.entries.sort_unstable_by(|a, b| {
            let by_record = || order.compare(Record::at(arena, a.at), Record::at(arena, b.at));
            order.turned(a.prefix.cmp(&b.prefix)).then_with(by_record).then(a.at.cmp(&b.at))
        });
        if order.ties == Ties::Distinct {
            self.entries.dedup_by(|next, kept| {
                next.prefix == kept.prefix && Record::at(arena, next.at) == Record::at(arena, kept.at)
            });
        }
    }

    /// The records, in the order of the last sort.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.entries.iter().map(|entry| Record::at(&self.arena, entry.at))
    }

    /// The record at this place of the order.
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        self.entries.get(index).map(|entry| Record::at(&self.arena, entry.at))
    }

    /// Drops the records and keeps the memory for the next run.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.entries.clear();
    }
}

/// The first eight bytes as a number, zeros after a shorter key: it orders like the keys wherever it differs.
pub(crate) fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
