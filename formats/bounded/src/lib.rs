//! Reading in bounded memory, whatever a file holds.
//!
//! A reader holds at most one item at a time: a statement, a row of CSV, a page of Parquet, or a
//! small file as a whole. An item has about [`max_item_bytes`] at most, 64 MiB by default.
//! [`read_large_file`] and [`read_large_regular_file`] read up to 16 times as much. [`read_up_to`]
//! takes the maximum as an argument.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest item by default: 64 MiB, as `max_allowed_packet` of MySQL 8.0.
pub const DEFAULT_MAX_ITEM_BYTES: usize = 64 << 20;

static MAX_ITEM_BYTES: AtomicUsize = AtomicUsize::new(DEFAULT_MAX_ITEM_BYTES);

/// Returns the limit on the length of an item, in bytes.
pub fn max_item_bytes() -> usize {
    MAX_ITEM_BYTES.load(Ordering::Relaxed)
}

/// Sets [`max_item_bytes`] for the whole process.
pub fn set_max_item_bytes(bytes: usize) {
    MAX_ITEM_BYTES.store(bytes, Ordering::Relaxed);
}

/// Returns the error of an item, such as "a row", that is longer than the limit.
pub fn too_long(item: &str, max_bytes: usize) -> io::Error {
    let problem = format!("{item} is longer than {max_bytes} bytes; WEIGH_MAX_ITEM sets the limit");
    io::Error::new(io::ErrorKind::FileTooLarge, problem)
}

/// Reads a whole file. Fails if it is longer than one item, and for pipes and devices.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(files::open_regular(path)?, max_item_bytes())
}

/// Reads a whole file of many items, such as a log. Fails if it is longer than 16 times the longest
/// item.
pub fn read_large_file(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(File::open(path)?, max_item_bytes().saturating_mul(16))
}

/// As [`read_large_file`]. Fails for pipes and devices.
pub fn read_large_regular_file(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(files::open_regular(path)?, max_item_bytes().saturating_mul(16))
}

/// Reads a text file in UTF-8 as [`read_file`] does.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_file(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a stream to its end. Fails if it has more than `limit` bytes.
pub fn read_up_to(input: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if read > limit { Err(too_long("the file", limit)) } else { Ok(bytes) }
}

/// A stream of items, each of which its consumer holds in memory. Fails once an item is longer than
/// the limit by more than one read: the last read may hold bytes of later items.
pub struct ItemReader<R> {
    inner: R,
    item: &'static str,
    budget: Budget,
}

/// Bytes read since the current item began. Shared with the [`ItemReader`].
#[derive(Clone, Debug, Default)]
pub struct Budget(Arc<AtomicUsize>);

impl Budget {
    /// Begins an item: its bytes are counted from 0.
    pub fn renew(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl<R: Read> ItemReader<R> {
    /// Creates a reader and its budget. `item` is for messages: "a row".
    pub fn new(inner: R, item: &'static str) -> (Self, Budget) {
        let budget = Budget::default();
        (Self { inner, item, budget: budget.clone() }, budget)
    }
}

impl<R: Read> Read for ItemReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let limit = max_item_bytes();
        if self.budget.0.fetch_add(read, Ordering::Relaxed) + read > limit.saturating_add(buffer.len()) {
            return Err(too_long(self.item, limit));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since the limit is global to the process.
    #[test]
    fn long_items_are_refused() {
        set_max_item_bytes(100);
        let (mut reader, budget) = ItemReader::new(io::repeat(b'x'), "a row");
        let mut buffer = [0; 60];
        assert!(reader.read(&mut buffer).is_ok() && reader.read(&mut buffer).is_ok());
        let error = reader.read(&mut buffer).unwrap_err().to_string();
        assert_eq!(error, "a row is longer than 100 bytes; WEIGH_MAX_ITEM sets the limit");
        budget.renew();
        assert!(reader.read(&mut buffer).is_ok());
        assert!(read_up_to(io::repeat(b'x'), 5).is_err());
        assert_eq!(read_up_to(&b"abc"[..], 3).unwrap(), b"abc");
        let place = tempfile::tempdir().unwrap();
        assert!(read_file(place.path()).is_err());
        assert!(read_file(Path::new("/dev/zero")).is_err());
        std::fs::write(place.path().join("a"), "é").unwrap();
        assert_eq!(read_text(&place.path().join("a")).unwrap(), "é");
    }
}
