//! Files in folders that others may have prepared: opened, replaced and copied without following
//! links. Only [`read_small`] follows them.

mod copy;
mod own;
mod replace;

pub use copy::copy_tree;
pub use own::{create_new, open_existing, read_small};
pub use replace::{Access, replace};
