//! The same statements on two sides that differ in collation: rows, warnings, errors, plans, and why.
//!
//! ```text
//! workload ─▶ schema A, as it is ──────── rebuilt ─▶ every class, every sample ─▶ answers ─┐
//!         └─▶ schema B, the same rows ─ converted ─▶          the same          ─▶ answers ─┴▶ differences ─▶ why
//! ```
//!
//! Both sides are filled in the same way, altered by the same statements and analysed, so that neither layout nor statistics pass for
//! collation. Schemas are weigh's own; statements that change rows are rolled back.

mod answer;
mod convert;
mod difference;
mod error;
mod fill;
mod model;
mod plan;
mod run;
mod side;
mod why;

pub use error::Error;
pub use model::{Called, ClassFinding, Difference, Example, Message, Parity, PlanChange, Side, SideError};
pub use run::{Request, run};
pub use side::{AS_IS, Filled, fill};
