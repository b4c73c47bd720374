//! The verdict of a run: one table with one unit, what it says in short, and how far to trust it.
//!
//! - `cell` writes one change, such as `+23 % ± 2`, `same ± 1 %` or `?`.
//! - `grid` has a row per compared variant and a column per workload, and numbers its footnotes.
//! - `summary` says the grid in one or two sentences.
//! - `quality` judges the run by its identical copies, starts and intervals.

pub(crate) mod cell;
pub(crate) mod grid;
pub(crate) mod quality;
pub(crate) mod summary;
