//! Functions for the project's tasks, tests and benchmarks. Not part of the library's interface.

#[cfg(feature = "oracle")]
mod contractions;
#[cfg(feature = "oracle")]
mod description;
mod naive;

pub use naive::{compare, like, sort_key, space};

#[cfg(feature = "oracle")]
pub use crate::charset::{CaseRule, CaseRun, case_runs};
#[cfg(feature = "oracle")]
pub use crate::simd::{available as instruction_sets, choose as use_instruction_set};
#[cfg(feature = "oracle")]
pub use contractions::{Contracted, known_contractions};
#[cfg(feature = "oracle")]
pub use description::{Description, WeightSource, case_rule, describe, locate_weights};

#[cfg(feature = "oracle")]
pub mod format {
    //! The format of the committed tables.
    pub use crate::tables::format::*;
}
