//! Merging sorted runs: a heap of their next records.

use std::cmp::Ordering;

use crate::Error;
use crate::run::Record;
use crate::sorter::{Order, Ties};
use crate::spill::Reader;

/// Several runs as one. Records of one key come in the order of their runs, so a merge of runs in order of arrival is stable.
pub(crate) struct Merge {
    readers: Vec<Reader>,
    /// Readers that have a record, the least first: a binary heap.
    heap: Vec<usize>,
    order: Order,
    started: bool,
    /// Of distinct records: the last record that was given out.
    last: Option<(Vec<u8>, Vec<u8>)>,
}

impl Merge {
    pub fn new(readers: Vec<Reader>, order: Order) -> Self {
        Self { readers, heap: Vec::new(), order, started: false, last: None }
    }

    /// The next record of all runs.
    pub fn next(&mut self) -> Result<Option<Record<'_>>, Error> {
        loop {
            if self.started {
                self.step()?
            } else {
                self.start()?
            }
            let Some(&least) = self.heap.first() else { return Ok(None) };
            if self.order.ties == Ties::Distinct && self.is_repeated(least) {
                continue;
            }
            return Ok(Some(self.readers[least].record()));
        }
    }

    fn start(&mut self) -> Result<(), Error> {
        self.started = true;
        for (index, reader) in self.readers.iter_mut().enumerate() {
            if reader.advance()? {
                self.heap.push(index);
            }
        }
        (0..self.heap.len() / 2).rev().for_each(|at| self.sift(at));
        Ok(())
    }

    /// Leaves the least record behind.
    fn step(&mut self) -> Result<(), Error> {
        let Some(&least) = self.heap.first() else { return Ok(()) };
        if !self.readers[least].advance()? {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    /// Whether the last record that was given out is the same; remembers this one.
    fn is_repeated(&mut self, least: usize) -> bool {
        let record = self.readers[least].record();
        if self.last.as_ref().is_some_and(|(key, value)| record.key == key && record.value == value) {
            return true;
        }
        let (key, value) = self.last.get_or_insert_default();
        key.clear();
        key.extend_from_slice(record.key);
        value.clear();
        value.extend_from_slice(record.value);
        false
    }

    /// Moves the entry at `at` down to where no child comes before it.
    fn sift(&mut self, mut at: usize) {
        loop {
            let children = 2 * at + 1..(2 * at + 3).min(self.heap.len());
            let Some(child) = children.min_by(|&a, &b| self.compare(a, b)) else { return };
            if self.compare(at, child).is_le() {
                return;
            }
            self.heap.swap(at, child);
            at = child;
        }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (self.heap[a], self.heap[b]);
        let (left, right) = (self.readers[a].record(), self.readers[b].record());
        self.order.compare(left, right).then(a.cmp(&b))
    }
}
