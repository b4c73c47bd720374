//! Sorting more lines than memory holds: sorted runs of lines go to a temporary file, and are merged by keys that are made again. Keys are longer
//! than the lines they are of, and take less time to make than to write and to read.

use std::io::Read;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, anyhow};
use extsort::{Input, Merge, Options, Runs};

use super::order::Order;
use super::room::Room;
use crate::offline;

/// How much is read at a time, in bytes.
const BLOCK: u64 = 1 << 20;
/// What a line takes beside its bytes while lines are sorted: where it lies, the first of its weights with a number, and
/// the next ones with its place, and what allocations leave unused.
const LINE: usize = 96;

/// All lines of the input.
pub enum Gathered<I> {
    /// As they came, each with an end.
    Held(Vec<u8>),
    /// In order.
    Spilled(Merge<I>),
}

/// Reads all files to their end. What memory doesn't hold is sorted and spilled, as much as it holds at a time.
pub fn gather(
    order: &Order,
    files: &[PathBuf],
    end: u8,
    room: &Room,
) -> Result<Gathered<impl Input<Error = extsort::Error> + use<>>> {
    let mut runs = Runs::new(Options {
        memory: room.memory,
        folder: room.folder.clone(),
        ties: order.ties(),
        descending: order.reverse,
    });
    let (mut text, mut count) = (Vec::new(), 0);
    for path in offline::inputs(files) {
        let mut input = offline::open(&path)?;
        loop {
            let held = text.len();
            let read = input.by_ref().take(BLOCK).read_to_end(&mut text);
            if read.map_err(|error| offline::unreadable(&path, &error))? == 0 {
                break;
            }
            count += memchr::memchr_iter(end, &text[held..]).count();
            if text.len() + count * LINE > room.memory
                && let Some(last) = memchr::memrchr(end, &text)
            {
                spill(&mut runs, order, &text[..=last], end, room.threads).map_err(explained)?;
                text.drain(..=last);
                count = 0;
            }
        }
        if text.last().is_some_and(|&last| last != end) {
            text.push(end);
            count += 1;
        }
    }
    if runs.is_empty() {
        return Ok(Gathered::Held(text));
    }
    spill(&mut runs, order, &text, end, room.threads).map_err(explained)?;
    drop(text);
    let collation = order.collation;
    let merge = runs.merge(move |line: &[u8], key: &mut Vec<u8>| collation.sort_key_into(line, key));
    Ok(Gathered::Spilled(merge.map_err(explained)?))
}

/// Sorts lines, a part a thread, and spills each part as a run.
fn spill(runs: &mut Runs, order: &Order, text: &[u8], end: u8, threads: usize) -> Result<(), extsort::Error> {
    let sorted = |part| {
        let mut lines = super::lines(part, end);
        order.arrange(&mut lines);
        lines
    };
    let parts: Vec<Vec<&[u8]>> = thread::scope(|scope| {
        let workers: Vec<_> = parts(text, end, threads).map(|part| scope.spawn(move || sorted(part))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    parts.into_iter().try_for_each(|lines| runs.append(lines))
}

/// A text in so many parts of about the same length, or fewer, which end where lines do.
fn parts(text: &[u8], end: u8, count: usize) -> impl Iterator<Item = &[u8]> {
    let length = text.len().div_ceil(count.max(1)).max(1);
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = length.min(rest.len()).checked_sub(1)?;
        let after = memchr::memchr(end, &rest[from..]).map_or(rest.len(), |more| from + more + 1);
        let (part, behind) = rest.split_at(after);
        rest = behind;
        Some(part)
    })
}

/// What can be done about a temporary file.
pub fn explained(error: extsort::Error) -> anyhow::Error {
    anyhow!("{error}; free some space, or name another folder by -T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_lines_do() {
        let text = b"one\ntwo\nthree\n\nfour\n";
        for count in 0..30 {
            let parts: Vec<&[u8]> = parts(text, b'\n', count).collect();
            assert_eq!(parts.concat(), text);
            assert!(parts.len() <= count.max(1) && parts.iter().all(|part| part.ends_with(b"\n")), "{parts:?}");
        }
        assert_eq!(parts(b"", b'\n', 2).count(), 0);
    }
}
