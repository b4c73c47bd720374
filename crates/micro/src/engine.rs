//! The same comparison in our engine, and the least that any comparison of equal strings can cost.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use drive::own_cpu;
use mysql_collation::Collation;

use crate::timing::Subject;

/// Two strings compared under a collation, in this process.
#[derive(Clone, Copy)]
pub struct Compare<'a> {
    /// The collation.
    pub collation: Collation,
    /// A string in the collation's charset.
    pub a: &'a [u8],
    /// Another.
    pub b: &'a [u8],
}

impl Subject for Compare<'_> {
    type Error = Infallible;

    fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
        let begin = own_cpu();
        for _ in 0..n {
            let (a, b) = black_box((self.a, self.b));
            black_box(self.collation.compare(a, b));
        }
        Ok(own_cpu() - begin)
    }
}

/// `memcmp` of bytes with a copy of them: both strings read once and nothing else done.
pub struct Memcmp {
    bytes: Vec<u8>,
    copy: Vec<u8>,
}

impl Memcmp {
    /// Of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), copy: bytes.to_vec() }
    }
}

impl Subject for Memcmp {
    type Error = Infallible;

    fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
        let begin = own_cpu();
        for _ in 0..n {
            let (bytes, copy) = black_box((self.bytes.as_slice(), self.copy.as_slice()));
            black_box(bytes.cmp(copy));
        }
        Ok(own_cpu() - begin)
    }
}
