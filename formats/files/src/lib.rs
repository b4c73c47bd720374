//! Files in folders that others may have prepared: opened, replaced, copied and removed without
//! following a link at the last part of the path. Exceptions are [`open_regular`] and
//! [`read_small`], [`read_small_below`] within a folder, and [`write_named`] for a link of this
//! user or root. [`check_private`], [`check_sticky`] and [`check_entry`] refuse what others can
//! change.

mod copy;
mod held;
mod own;
mod own_file;
mod pack;
mod remove;
mod replace;
mod shared;

pub use copy::copy_tree;
pub use held::HeldFolder;
pub use own::{create_new, open_existing, open_regular, read_small, read_small_below, read_small_unlinked};
pub use own_file::{OwnFile, open_or_create};
pub use pack::unpack;
pub use remove::{remove_content, remove_tree};
pub use replace::{Access, replace, write_named};
pub use shared::{check_entry, check_private, check_sticky, temporary_folder};
