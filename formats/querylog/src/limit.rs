//! Limit of statements that are held in memory together.

use std::io;

/// Maximum number of statements of a script, or of classes of statements of a log.
const MAX_STATEMENTS: usize = 100_000;

/// Statements of a script or log that are held in memory, up to 100,000 and 16 times
/// [`bounded::max_item_bytes`].
#[derive(Debug, Default)]
pub struct StatementLimit {
    count: usize,
    bytes: usize,
}

impl StatementLimit {
    /// Counts a statement of so many bytes. Fails beyond the limit.
    pub fn add(&mut self, bytes: usize) -> io::Result<()> {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let max_bytes = bounded::max_item_bytes().saturating_mul(16);
        if self.count <= MAX_STATEMENTS && self.bytes <= max_bytes {
            return Ok(());
        }
        let max_mebibytes = max_bytes >> 20;
        let problem = format!("it has more than 100,000 statements, or {max_mebibytes} MiB of them: give a part of it");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_limited_in_number_and_bytes() {
        let mut limit = StatementLimit::default();
        assert!((0..MAX_STATEMENTS).all(|_| limit.add(1).is_ok()));
        assert!(limit.add(1).unwrap_err().to_string().contains("more than 100,000 statements"));
        let mut limit = StatementLimit::default();
        assert!(limit.add(16 * bounded::max_item_bytes()).is_ok() && limit.add(1).is_err());
    }
}
