//! Result diff: runs the statements of a workload in several schemas (sides) that differ in
//! collation only. Compares rows and their order, numbers of changed rows, warnings, errors and
//! plans, and explains different rows by collation weights.
//!
//! ```text
//! workload ─┬▶ control:   tables rebuilt ───▶ all classes and samples ─▶ results ─┬▶ differences
//!           └▶ treatment: tables converted ─▶ all classes and samples ─▶ results ─┘
//! ```
//!
//! All sides are filled and analysed by the same statements, and altered by statements that differ
//! only in the collation, so that layout and statistics don't cause differences. The schemas are
//! made by weigh; changes by statements are rolled back in transactional tables.

mod call;
mod colliding;
mod convert;
mod difference;
mod error;
mod explanation;
mod fill;
mod model;
mod plan;
mod run;
mod side;

pub use error::Error;
pub use model::{
    ClassCalls, ClassDifference, CollidingRow, Difference, Example, PlanChange, ResultDiff, ServerMessage, Side,
    SideError,
};
pub use plan::compare_plans;
pub use run::{Request, compare_sides};
pub use side::{AS_IS, FilledSchema, fill};
