//! Counts lines that are ill-formed in the collation's character set.

use std::path::{Path, PathBuf};

use message::count_noun;
use mysql_collation::Charset;

/// Ill-formed lines of an input.
#[derive(Debug)]
pub struct IllFormedLines {
    charset: Charset,
    count: u64,
    /// File and number of the first one, counted from 1.
    first: Option<(PathBuf, u64)>,
}

impl IllFormedLines {
    pub fn new(charset: Charset) -> Self {
        Self { charset, count: 0, first: None }
    }

    /// Checks a line without its line end.
    pub fn add_line(&mut self, path: &Path, number: u64, line: &[u8]) {
        if self.charset.well_formed_prefix(line) < line.len() {
            self.count += 1;
            self.first.get_or_insert_with(|| (path.to_owned(), number));
        }
    }

    /// Checks lines, each with its end. `number` is that of the first.
    pub fn add_lines(&mut self, path: &Path, number: u64, lines: &[u8], end: u8) {
        // A line end is never part of a character in UTF-8 and ASCII: all lines are checked at
        // once.
        let is_ascii_based = matches!(self.charset, Charset::Ascii | Charset::Utf8mb3 | Charset::Utf8mb4);
        let is_8_bit = self.charset.max_bytes() == 1 && self.charset != Charset::Ascii;
        if is_8_bit || is_ascii_based && self.charset.well_formed_prefix(lines) == lines.len() {
            return;
        }
        let mut begin = 0;
        for (at, number) in memchr::memchr_iter(end, lines).zip(number..) {
            self.add_line(path, number, &lines[begin..at]);
            begin = at + 1;
        }
    }

    /// Returns one sentence. `None` if all lines are well-formed.
    pub fn describe(&self) -> Option<String> {
        let (path, number) = self.first.as_ref()?;
        let (is, first) = if self.count == 1 { ("is", "") } else { ("are", "the first ") };
        Some(format!(
            "weigh: {} {is} ill-formed in {}, {first}at {}:{number}; a column would refuse such text (docs/reference/sort.md)",
            count_noun(self.count, "line"),
            self.charset.name(),
            path.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(charset: Charset, lines: &[u8]) -> Option<String> {
        let mut found = IllFormedLines::new(charset);
        found.add_lines(Path::new("a"), 1, lines, b'\n');
        found.describe()
    }

    #[test]
    fn counts_ill_formed_lines_and_names_the_first() {
        assert_eq!(described(Charset::Utf8mb4, "a\nß\n".as_bytes()), None);
        assert_eq!(described(Charset::Latin1, b"a\n\xdf\n"), None);
        let some = described(Charset::Utf8mb4, b"a\n\xdf\n\xc3\xa9\n\xff\n").unwrap();
        assert!(some.starts_with("weigh: 2 lines are ill-formed in utf8mb4, the first at a:2; "), "{some}");
        let one = described(Charset::Ascii, b"a\n\xdf\n").unwrap();
        assert!(one.starts_with("weigh: 1 line is ill-formed in ascii, at a:2; "), "{one}");
        // A lead byte without its trail byte.
        let gbk = described(Charset::Gbk, b"\xb0\xa1\n\xb0\n").unwrap();
        assert!(gbk.contains("in gbk, at a:2"), "{gbk}");
    }
}
