//! Experiments as TOML, and what a study claimed held against what a run measured.
//!
//! A [`Recipe`] is read from a file, or is one that comes with `weigh` ([`Recipe::find`]), and becomes what is asked of a run
//! ([`Recipe::request`]), which records the recipe's claims. [`judge`] is a pure function of such a run and its results. Ratios that
//! were not measured directly are taken by way of others ([`ratio_between`]), with what their intervals add up to.

mod claim;
mod embedded;
mod error;
mod experiment;
mod file;
mod judge;
mod published;
mod ratio;
mod select;

pub use claim::{Claim, ClaimVerdict, Finding};
pub use embedded::source;
pub use error::RecipeError;
pub use experiment::Instance;
pub use file::{Protocol, Recipe, Scale};
pub use judge::judge;
pub use measure::PublishedFigure;
pub use ratio::{Ratio, ratio_between};
