//! Sorts more lines than fit into memory. Sorted runs of lines go to a temporary file and are
//! merged. The merge computes the sort keys again: they are longer than the lines, and cost less to
//! compute than to write and read.

use std::io::Read;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, anyhow};
use extsort::{Merge, MergeInput, Options, ValueRuns};

use super::ill_formed::IllFormedLines;
use super::limits::SortLimits;
use super::order::Order;
use crate::input;

/// Bytes read at a time.
const READ_SIZE: u64 = 1 << 20;
/// Bytes that a line needs while it is sorted, in addition to its text: its slice, the first
/// weights with an index, the next weights with an index, and unused capacity.
const BYTES_PER_LINE: usize = 96;

pub enum SortedInput<I> {
    /// Text in input order. Each line ends with the line end, also the last one of a file.
    InMemory(Vec<u8>),
    /// Merge of the sorted runs in the temporary file.
    Spilled(Merge<I>),
}

/// Reads all files. Whenever the lines exceed the memory limit, sorts them and writes them as runs.
/// Adds ill-formed lines to `ill_formed`.
pub fn read_lines(
    order: &Order,
    files: &[PathBuf],
    end: u8,
    limits: &SortLimits,
    ill_formed: &mut IllFormedLines,
) -> Result<SortedInput<impl MergeInput<Error = extsort::Error> + use<>>> {
    let mut runs = ValueRuns::new(Options {
        memory: limits.memory,
        folder: limits.folder.clone(),
        ties: order.ties(),
        descending: order.reverse,
    });
    let (mut text, mut count) = (Vec::new(), 0);
    // Last line end in `text`, so that bytes are searched once, however long a line is.
    let mut last_end = None;
    for path in input::paths_or_stdin(files) {
        let mut input = input::open(&path)?;
        // Start of the lines in `text` that are not checked, and the number of the first of them.
        let (mut unchecked, mut number) = (text.len(), 1);
        loop {
            let held = text.len();
            let read = input.by_ref().take(READ_SIZE).read_to_end(&mut text);
            if read.map_err(|error| input::read_error(&path, &error))? == 0 {
                break;
            }
            let ended = memchr::memchr_iter(end, &text[held..]).count();
            count += ended;
            if let Some(at) = memchr::memrchr(end, &text[held..]) {
                last_end = Some(held + at);
                ill_formed.add_lines(&path, number, &text[unchecked..=held + at], end);
                unchecked = held + at + 1;
                number += ended as u64;
            }
            let unended = text.len() - last_end.map_or(0, |at| at + 1);
            if unended > bounded::max_item_bytes() {
                return Err(input::read_error(&path, &bounded::too_long("a line", bounded::max_item_bytes())));
            }
            if text.len() + count * BYTES_PER_LINE > limits.memory
                && let Some(last) = last_end.take()
            {
                spill(&mut runs, order, &text[..=last], end, limits.threads).map_err(explain_error)?;
                text.drain(..=last);
                unchecked = unchecked.saturating_sub(last + 1);
                count = 0;
            }
        }
        if text.last().is_some_and(|&last| last != end) {
            last_end = Some(text.len());
            text.push(end);
            count += 1;
            ill_formed.add_lines(&path, number, &text[unchecked..], end);
        }
    }
    if runs.is_empty() {
        return Ok(SortedInput::InMemory(text));
    }
    spill(&mut runs, order, &text, end, limits.threads).map_err(explain_error)?;
    drop(text);
    let collation = order.collation;
    let merge = runs.merge(move |line: &[u8], key: &mut Vec<u8>| collation.sort_key_into(line, key));
    Ok(SortedInput::Spilled(merge.map_err(explain_error)?))
}

/// Sorts lines, one part per thread, and writes each part as a run.
fn spill(runs: &mut ValueRuns, order: &Order, text: &[u8], end: u8, threads: usize) -> Result<(), extsort::Error> {
    let sort = |part| {
        let mut lines = super::split_lines(part, end);
        order.sort(&mut lines);
        lines
    };
    let parts: Vec<Vec<&[u8]>> = thread::scope(|scope| {
        let workers: Vec<_> = split_parts(text, end, threads).map(|part| scope.spawn(move || sort(part))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    parts.into_iter().try_for_each(|lines| runs.append(lines))
}

/// Splits text at line ends into at most `count` parts of about equal length.
fn split_parts(text: &[u8], end: u8, count: usize) -> impl Iterator<Item = &[u8]> {
    let length = text.len().div_ceil(count.max(1)).max(1);
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = length.min(rest.len()).checked_sub(1)?;
        let after = memchr::memchr(end, &rest[from..]).map_or(rest.len(), |more| from + more + 1);
        let (part, after_part) = rest.split_at(after);
        rest = after_part;
        Some(part)
    })
}

/// Adds advice to an error of a temporary file.
pub fn explain_error(error: extsort::Error) -> anyhow::Error {
    anyhow!("{error}; free some space, or name another folder by -T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_at_line_ends() {
        let text = b"one\ntwo\nthree\n\nfour\n";
        for count in 0..30 {
            let parts: Vec<&[u8]> = split_parts(text, b'\n', count).collect();
            assert_eq!(parts.concat(), text);
            assert!(parts.len() <= count.max(1) && parts.iter().all(|part| part.ends_with(b"\n")), "{parts:?}");
        }
        assert_eq!(split_parts(b"", b'\n', 2).count(), 0);
    }
}
