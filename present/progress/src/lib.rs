//! Progress on standard error: a bar for work of several steps, a spinner for work of unknown
//! length. There is one display at a time.

mod bar;
pub mod display;
mod spinner;

pub use bar::Bar;
pub use display::{Detail, set_detail};
pub use spinner::Spinner;
