//! Limits of what a Parquet file may expand to: of a page, checked before the library decodes it,
//! and of all values that are read.
//!
//! The library allocates what a page's header claims. The headers are read here first: they are
//! structs in Thrift's compact protocol, of which only the sizes are needed.

use std::fs::File;
use std::os::unix::fs::FileExt;

use parquet::file::metadata::ParquetMetaData;

/// Bytes of values that any file may have, however small.
const ALWAYS_ALLOWED_BYTES: u64 = 256 << 20;

/// Maximum bytes of values per byte of a larger file. Without a limit, a dictionary and run lengths
/// could make any number of values out of a page of a few bytes.
const MAX_EXPANSION: u64 = 1000;

/// Bytes that are read for a page's header: if the header doesn't end within one length, the next
/// one is tried.
const HEADER_READ_LENGTHS: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];

/// Returns the maximum bytes of values that are read from a file of this size.
pub(crate) fn max_expanded_bytes(file_bytes: u64) -> u64 {
    ALWAYS_ALLOWED_BYTES.max(file_bytes.saturating_mul(MAX_EXPANSION))
}

/// Checks that all columns are within the file, and the size of each of their pages.
pub(crate) fn check_pages(file: &File, metadata: &ParquetMetaData) -> Result<(), String> {
    let file_bytes = file.metadata().map_err(|error| error.to_string())?.len();
    for group in metadata.row_groups() {
        for column in group.columns() {
            let dictionary = column.dictionary_page_offset().filter(|offset| *offset > 0);
            let offset = dictionary.unwrap_or(column.data_page_offset());
            let begin = u64::try_from(offset).map_err(|_| "a column begins before the file")?;
            let length = u64::try_from(column.compressed_size()).map_err(|_| "a column has a negative size")?;
            let end =
                begin.checked_add(length).filter(|end| *end <= file_bytes).ok_or("a column ends behind the file")?;
            check_column(file, begin, end)?;
        }
    }
    Ok(())
}

fn check_column(file: &File, begin: u64, end: u64) -> Result<(), String> {
    let limit = bounded::max_item_bytes() as u64;
    let mut at = begin;
    while at < end {
        let header = read_header(file, at, end).ok_or("a page's header can't be read")?;
        if header.uncompressed > limit {
            return Err(format!(
                "a page of {} bytes is longer than {limit}, the longest that is read; WEIGH_MAX_ITEM sets the limit",
                header.uncompressed
            ));
        }
        at = at
            .checked_add(header.length)
            .and_then(|at| at.checked_add(header.compressed))
            .ok_or("a page is too long")?;
    }
    Ok(())
}

struct PageHeader {
    /// Bytes of the header itself.
    length: u64,
    uncompressed: u64,
    compressed: u64,
}

fn read_header(file: &File, at: u64, end: u64) -> Option<PageHeader> {
    let left = usize::try_from(end - at).ok()?;
    HEADER_READ_LENGTHS.into_iter().find_map(|length| {
        let mut bytes = vec![0; length.min(left)];
        file.read_exact_at(&mut bytes, at).ok()?;
        parse_header(&bytes)
    })
}

/// Field numbers of `PageHeader` in Parquet's `parquet.thrift`.
const UNCOMPRESSED_SIZE_FIELD: i64 = 2;
const COMPRESSED_SIZE_FIELD: i64 = 3;

fn parse_header(bytes: &[u8]) -> Option<PageHeader> {
    let mut reader = CompactReader { bytes, at: 0 };
    let (mut field, mut sizes) = (0, [None, None]);
    loop {
        let (kind, number) = reader.field(field)?;
        field = number;
        match (kind, number) {
            (0, _) => break,
            (INT, UNCOMPRESSED_SIZE_FIELD) => sizes[0] = Some(reader.int()?),
            (INT, COMPRESSED_SIZE_FIELD) => sizes[1] = Some(reader.int()?),
            _ => reader.skip(kind, 0)?,
        }
    }
    let [Some(uncompressed), Some(compressed)] = sizes else { return None };
    let (uncompressed, compressed) = (u64::try_from(uncompressed).ok()?, u64::try_from(compressed).ok()?);
    Some(PageHeader { length: reader.at as u64, uncompressed, compressed })
}

/// The type `i32` of Thrift's compact protocol.
const INT: u8 = 5;

/// Deepest nesting that is read; a page's header has three levels.
const MAX_DEPTH: u32 = 16;

struct CompactReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl CompactReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn int(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads the head of a field: its type, 0 at the end of the struct, and its number. The head
    /// may hold the difference to `before`, the previous field's number.
    fn field(&mut self, before: i64) -> Option<(u8, i64)> {
        let head = self.byte()?;
        let (delta, kind) = (i64::from(head >> 4), head & 15);
        match (kind, delta) {
            (0, _) => Some((0, before)),
            (_, 0) => Some((kind, self.int()?)),
            _ => Some((kind, before.checked_add(delta)?)),
        }
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        self.at = Some(end).filter(|end| *end <= self.bytes.len())?;
        Some(())
    }

    /// Skips a value. Types: 1 and 2 booleans, 3 byte, 4 to 6 integers, 7 double, 8 binary, 9 list,
    /// 10 set, 12 struct.
    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            _ if depth > MAX_DEPTH => None,
            // Booleans are part of the field's head.
            1 | 2 => Some(()),
            3 => self.skip_bytes(1),
            4..=6 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // In a list, a boolean takes a byte.
                let kind = if matches!(head & 15, 1 | 2) { 3 } else { head & 15 };
                (0..count).try_for_each(|_| self.skip(kind, depth + 1))
            }
            12 => {
                let mut number = 0;
                loop {
                    let (kind, next) = self.field(number)?;
                    if kind == 0 {
                        return Some(());
                    }
                    number = next;
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => None,
        }
    }
}
