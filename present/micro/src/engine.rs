//! Timed operations of this process: a comparison by the `mysql_collation` crate, and `memcmp`, the
//! least time in which equal strings can be compared.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use explain::Verdict;
use load::thread_cpu_time;
use mysql_collation::Collation;

use crate::instruction_set::InstructionSet;
use crate::timing::TimedOperation;

/// Two strings to compare under a collation, in this process.
#[derive(Clone, Copy)]
pub struct InProcessComparison<'a> {
    /// Instruction set that is selected for the whole process first. `None`: the current one stays.
    pub instruction_set: Option<InstructionSet>,
    pub collation: Collation,
    /// First string, in the collation's charset.
    pub a: &'a [u8],
    /// Second string, in the collation's charset.
    pub b: &'a [u8],
}

impl InProcessComparison<'_> {
    /// Compares the strings once, with the requested instruction set.
    pub fn verdict(self) -> Verdict {
        self.select_instruction_set();
        self.collation.compare(self.a, self.b).into()
    }

    fn select_instruction_set(self) {
        if let Some(instruction_set) = self.instruction_set {
            instruction_set.select();
        }
    }
}

impl TimedOperation for InProcessComparison<'_> {
    type Error = Infallible;

    fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
        self.select_instruction_set();
        let begin = thread_cpu_time();
        for _ in 0..n {
            let (a, b) = black_box((self.a, self.b));
            black_box(self.collation.compare(a, b));
        }
        Ok(thread_cpu_time() - begin)
    }
}

/// `memcmp` of bytes with a copy of them. Reads both strings once and does nothing else.
pub struct Memcmp {
    bytes: Vec<u8>,
    copy: Vec<u8>,
}

impl Memcmp {
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), copy: bytes.to_vec() }
    }
}

impl TimedOperation for Memcmp {
    type Error = Infallible;

    fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
        let begin = thread_cpu_time();
        for _ in 0..n {
            let (bytes, copy) = black_box((self.bytes.as_slice(), self.copy.as_slice()));
            black_box(bytes.cmp(copy));
        }
        Ok(thread_cpu_time() - begin)
    }
}
