//! Merging sorted runs: a heap of their next records.

use std::cmp::Ordering;

use crate::buffer::prefix;
use crate::input::Input;
use crate::run::Record;
use crate::sorter::{Order, Ties};

/// Several runs as one. Records of one key come in the order of their runs, so a merge of runs in order of arrival is stable.
pub struct Merge<I> {
    inputs: Vec<I>,
    /// Inputs that have a record, the least first: a binary heap.
    heap: Vec<Head>,
    order: Order,
    started: bool,
    /// Of distinct records: the last record that was given out.
    last: Option<(Vec<u8>, Vec<u8>)>,
}

/// The next record of an input, with the beginning of its key: most comparisons end there.
#[derive(Clone, Copy)]
struct Head {
    prefix: u64,
    input: usize,
}

impl<I: Input> Merge<I> {
    /// A merge of these, each of which is in this order.
    pub fn new(inputs: Vec<I>, order: Order) -> Self {
        Self { inputs, heap: Vec::new(), order, started: false, last: None }
    }

    /// The next record of all; `None` at the end.
    ///
    /// # Errors
    /// If an input can't be read.
    #[expect(clippy::should_implement_trait, reason = "a record is borrowed until the next one is asked for")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, I::Error> {
        loop {
            if self.started {
                self.step()?
            } else {
                self.start()?
            }
            let Some(&Head { input: least, .. }) = self.heap.first() else { return Ok(None) };
            if self.order.ties == Ties::Distinct && self.is_repeated(least) {
                continue;
            }
            return Ok(Some(self.inputs[least].record()));
        }
    }

    fn start(&mut self) -> Result<(), I::Error> {
        self.started = true;
        for (index, input) in self.inputs.iter_mut().enumerate() {
            if input.advance()? {
                self.heap.push(Head { prefix: prefix(input.record().key), input: index });
            }
        }
        (0..self.heap.len() / 2).rev().for_each(|at| self.sift(at));
        Ok(())
    }

    /// Leaves the least record behind.
    fn step(&mut self) -> Result<(), I::Error> {
        let Some(least) = self.heap.first_mut() else { return Ok(()) };
        let input = &mut self.inputs[least.input];
        if input.advance()? {
            least.prefix = prefix(input.record().key);
        } else {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    /// Whether the last record that was given out is the same; remembers this one.
    fn is_repeated(&mut self, least: usize) -> bool {
        let record = self.inputs[least].record();
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
        let by_record = || self.order.compare(self.inputs[a.input].record(), self.inputs[b.input].record());
        self.order.turned(a.prefix.cmp(&b.prefix)).then_with(by_record).then(a.input.cmp(&b.input))
    }
}
