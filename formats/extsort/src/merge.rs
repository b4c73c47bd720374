//! K-way merge of sorted inputs with a binary heap.

use std::cmp::Ordering;

use crate::buffer::key_prefix;
use crate::input::MergeInput;
use crate::record::Record;
use crate::sorter::{Order, Ties};

/// Merge of sorted inputs. Records that compare as equal come in the order of the inputs, so a
/// merge of runs in order of arrival is stable.
pub struct Merge<I> {
    inputs: Vec<I>,
    /// Binary min-heap of the inputs that have a record.
    heap: Vec<HeapEntry>,
    order: Order,
    started: bool,
    /// Last key and value returned. `None` before the first record. Only used for
    /// [`Ties::Distinct`].
    last: Option<(Vec<u8>, Vec<u8>)>,
}

/// An input that has a record, with the first 8 bytes of the record's key. These bytes decide most
/// comparisons.
#[derive(Clone, Copy)]
struct HeapEntry {
    prefix: u64,
    input: usize,
}

impl<I: MergeInput> Merge<I> {
    /// Creates a merge of inputs that are sorted in this order.
    pub fn new(inputs: Vec<I>, order: Order) -> Self {
        Self { inputs, heap: Vec::new(), order, started: false, last: None }
    }

    /// Returns the next record; `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "a record is borrowed until the next one is asked for")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, I::Error> {
        loop {
            if self.started {
                self.step()?
            } else {
                self.start()?
            }
            let Some(&HeapEntry { input: least, .. }) = self.heap.first() else { return Ok(None) };
            if self.order.ties == Ties::Distinct && !self.remember_if_new(least) {
                continue;
            }
            return Ok(Some(self.inputs[least].record()));
        }
    }

    fn start(&mut self) -> Result<(), I::Error> {
        self.started = true;
        for (index, input) in self.inputs.iter_mut().enumerate() {
            if input.advance()? {
                self.heap.push(HeapEntry { prefix: key_prefix(input.record().key), input: index });
            }
        }
        (0..self.heap.len() / 2).rev().for_each(|at| self.sift_down(at));
        Ok(())
    }

    /// Advances the input of the least record. Removes the input from the heap when the input ends.
    fn step(&mut self) -> Result<(), I::Error> {
        let Some(least) = self.heap.first_mut() else { return Ok(()) };
        let input = &mut self.inputs[least.input];
        if input.advance()? {
            least.prefix = key_prefix(input.record().key);
        } else {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(())
    }

    /// Stores the record as the last one returned. Returns false if it equals the one stored
    /// before.
    fn remember_if_new(&mut self, least: usize) -> bool {
        let record = self.inputs[least].record();
        if self.last.as_ref().is_some_and(|(key, value)| record.key == key && record.value == value) {
            return false;
        }
        let (key, value) = self.last.get_or_insert_default();
        key.clear();
        key.extend_from_slice(record.key);
        value.clear();
        value.extend_from_slice(record.value);
        true
    }

    /// Moves the entry at `at` down the heap until no child precedes it.
    fn sift_down(&mut self, mut at: usize) {
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
        let by_record = || self.order.compare(self.inputs[a.input].record(), self.inputs[b.input].record());
        self.order.directed(a.prefix.cmp(&b.prefix)).then_with(by_record).then(a.input.cmp(&b.input))
    }
}
