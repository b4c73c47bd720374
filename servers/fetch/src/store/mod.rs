//! The cache folder on disk: its folders, free space, and records of what is installed.

mod cache;
pub mod disk;
pub(crate) mod records;

pub use cache::Cache;
