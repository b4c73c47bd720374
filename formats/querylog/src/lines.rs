//! Reading of numbered lines in bounded memory.

use std::io::{self, BufRead};

/// Length of the longest statement of a log that is kept, in bytes. MySQL's own limit is
/// `max_allowed_packet`, 64 MiB by default in MySQL 8.0.
pub const MAX_STATEMENT_BYTES: usize = 4 << 20;

/// Bytes that may precede a statement on its line: time, connection and command of a general log.
const MAX_HEAD_BYTES: usize = 1 << 10;

pub(crate) const MAX_LINE_BYTES: usize = MAX_HEAD_BYTES + MAX_STATEMENT_BYTES;

pub(crate) struct LineReader<R> {
    input: R,
    line: Vec<u8>,
    /// Number of the current line, from 1; 0 before the first line.
    pub number: u64,
}

impl<R: BufRead> LineReader<R> {
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// Returns the next line without its line break. A line longer than [`MAX_LINE_BYTES`] is cut
    /// to one byte more than that, so that its statement counts as truncated.
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut ended = false;
        let (mut any, mut cut) = (false, false);
        while !ended {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let newline = memchr::memchr(b'\n', available);
            let length = newline.unwrap_or(available.len());
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&available[..length.min(room)]);
            cut |= length > room;
            ended = newline.is_some();
            self.input.consume(length + usize::from(ended));
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        // A carriage return at the end of a cut line is not part of a line break.
        let without_return = self.line.strip_suffix(b"\r").filter(|_| !cut);
        Ok(Some(without_return.unwrap_or(&self.line)))
    }
}

/// Collects the lines of a statement.
#[derive(Default)]
pub(crate) struct StatementBuffer {
    pub bytes: Vec<u8>,
    /// Number of the first line, from 1; 0 if the buffer is empty.
    pub line: u64,
}

impl StatementBuffer {
    pub fn is_empty(&self) -> bool {
        self.line == 0
    }

    pub fn begin(&mut self, line: u64, text: &[u8]) {
        self.bytes.clear();
        self.line = line;
        self.bytes.extend_from_slice(text);
    }

    pub fn push(&mut self, text: &[u8]) {
        if self.bytes.len() <= MAX_STATEMENT_BYTES {
            self.bytes.push(b'\n');
            self.bytes.extend_from_slice(text);
        }
    }

    /// Returns the first line's number and the statement without its semicolon, or
    /// [`Truncated`](crate::Event::Truncated). `None` if the buffer has no statement.
    pub fn take(&mut self) -> Option<(u64, crate::Event)> {
        let line = std::mem::take(&mut self.line);
        if self.bytes.len() > MAX_STATEMENT_BYTES {
            self.bytes = Vec::new();
            return Some((line, crate::Event::Truncated));
        }
        let text = self.bytes.trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text).trim_ascii_end();
        let taken = (line > 0 && !text.is_empty()).then(|| (line, crate::Event::Statement(text.to_vec())));
        self.bytes.clear();
        taken
    }
}
