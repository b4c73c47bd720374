//! The same comparison in our engine, and the least that any comparison of equal strings can cost.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use drive::own_cpu;
use explain::Verdict;
use mysql_collation::Collation;

use crate::instruction_set::InstructionSet;
use crate::timing::Subject;

/// Two strings compared under a collation, in this process.
#[derive(Clone, Copy)]
pub struct Compare<'a> {
    /// Taken first, for the whole process; what is in force stays so where absent.
    pub instruction_set: Option<InstructionSet>,
    /// The collation.
    pub collation: Collation,
    /// A string in the collation's charset.
    pub a: &'a [u8],
    /// Another.
    pub b: &'a [u8],
}

impl Compare<'_> {
    /// How the engine compares the strings.
    pub fn verdict(self) -> Verdict {
        self.choose();
        self.collation.compare(self.a, self.b).into()
    }

    fn choose(self) {
        if let Some(instruction_set) = self.instruction_set {
            instruction_set.choose();
        }
    }
}

impl Subject for Compare<'_> {
    type Error = Infallible;

    fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
        self.choose();
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
