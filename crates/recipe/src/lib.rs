//! What a study claimed, held against what a run measured.
//!
//! [`judge`] is a pure function of a run and its results. Ratios that were not measured directly are taken by way of others
//! ([`ratio_between`]), with what their intervals add up to.

mod claim;
mod judge;
mod ratio;
mod select;

pub use claim::{Claim, Finding, Verdict};
pub use judge::judge;
pub use measure::PublishedFigure;
pub use ratio::{Ratio, ratio_between};
