//! How a collation sees two strings, character by character, and where they part; and which characters two collations see differently. Pure,
//! no I/O.
//!
//! [`explain()`] gives a [`View`] of two [`Text`]s under one collation; several of them side by side are an [`Explanation`].
//! [`pairs()`] sets the steps of a view's strings beside each other, [`reason()`] says why the verdict is what it is. [`between()`] holds two collations against each other.

mod between;
mod equal;
mod model;
mod pairing;
mod parting;
mod text;
mod view;
mod words;

pub use between::{BETWEEN_FORMAT, Between, Contractions, Counts, Named, Place, ScriptDifference, Seen, Side, between};
pub use equal::differences;
pub use model::{Explanation, FORMAT, Feature, Level, Part, Parting, Step, Verdict, View};
pub use pairing::{Pair, pairs};
pub use text::{NotHeld, Text};
pub use view::explain;
pub use words::{code, reason, visible};
