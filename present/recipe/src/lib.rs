//! Recipes: experiments as TOML, and the claims of published studies judged against a run.
//!
//! [`Recipe::find`] reads a recipe from a file, or returns one that is built into `weigh`.
//! [`Recipe::build_request`] makes the request of a run. The run records the recipe's claims.
//! [`judge`] is a pure function of such a run and its analysis. [`ratio_between`] returns the ratio
//! of any two variants. For a pair that was not measured, it combines measured ratios.

mod claim;
mod embedded;
mod error;
mod experiment;
mod file;
mod judge;
mod published;
mod ratio;
mod select;
mod stand_in;

pub use claim::{Claim, ClaimRatio, ClaimVerdict, StandIn};
pub use embedded::source;
pub use error::RecipeError;
pub use experiment::Instance;
pub use file::{Protocol, Recipe, Scale};
pub use judge::judge;
pub use measure::PublishedFigure;
pub use ratio::{Ratio, ratio_between};
