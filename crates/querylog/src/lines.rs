//! Lines of an input, numbered, with bounded memory.

use std::io::{self, BufRead};

/// Bytes of the longest statement that is kept. MySQL's own limit is `max_allowed_packet`, 64 MiB by default.
pub const LONGEST_STATEMENT: usize = 4 << 20;

/// Reads line after line.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// Number of the line in hand, from 1.
    pub number: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The next line without its end, cut at [`LONGEST_STATEMENT`] and a byte, so that it shows that it is too long.
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut ended = false;
        let mut any = false;
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
            let room = (LONGEST_STATEMENT + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&available[..length.min(room)]);
            ended = newline.is_some();
            self.input.consume(length + usize::from(ended));
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.line.strip_suffix(b"\r").unwrap_or(&self.line)))
    }
}

/// A statement's lines as they come together.
#[derive(Default)]
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    /// Where it begins.
    pub line: u64,
}

impl Text {
    pub fn is_empty(&self) -> bool {
        self.line == 0
    }

    pub fn begin(&mut self, line: u64, text: &[u8]) {
        self.bytes.clear();
        self.line = line;
        self.bytes.extend_from_slice(text);
    }

    pub fn push(&mut self, text: &[u8]) {
        if self.bytes.len() <= LONGEST_STATEMENT {
            self.bytes.push(b'\n');
            self.bytes.extend_from_slice(text);
        }
    }

    /// What came together, without the semicolon, and where it begins; `None` where that is nothing.
    pub fn take(&mut self) -> Option<(u64, crate::Event)> {
        let line = std::mem::take(&mut self.line);
        if self.bytes.len() > LONGEST_STATEMENT {
            self.bytes = Vec::new();
            return Some((line, crate::Event::Cut));
        }
        let text = self.bytes.trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text).trim_ascii_end();
        let taken = (line > 0 && !text.is_empty()).then(|| (line, crate::Event::Statement(text.to_vec())));
        self.bytes.clear();
        taken
    }
}
