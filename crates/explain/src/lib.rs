//! How a collation sees two strings, character by character, and where they part; and which characters two collations see differently. Pure,
//! no I/O.
//!
//! [`explain()`] gives a [`View`] of two [`Text`]s under one collation; several of them side by side are an [`Explanation`].
//! [`between()`] holds two collations against each other.

mod between;
mod equal;
mod model;
mod parting;
mod text;
mod view;

pub use between::{BETWEEN_FORMAT, Between, Contractions, Counts, Named, Place, ScriptDifference, Seen, Side, between};
pub use equal::differences;
pub use model::{Explanation, FORMAT, Feature, Level, Part, Parting, Step, Verdict, View};
pub use text::{NotHeld, Text};
pub use view::explain;
