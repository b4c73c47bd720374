//! Profiles of a server's CPU: samples by perf, attributed to functions and to categories such as
//! "collation compare".

mod activity;
mod category;
mod conf;
mod error;
pub mod flame;
mod handlers;
mod image;
mod memory;
mod model;
mod names;
pub mod output;

pub mod perf;
pub mod resolve;
pub mod script;
mod session;
mod slots;
pub mod summary;

pub use category::{Category, name_category};
pub use error::Error;
pub use image::{Function, Image, Naming};
pub use memory::parse_mapping;
pub use model::{
    CategoryDifference, CategoryShare, Coverage, Difference, FORMAT, FunctionDifference, FunctionShare, Profile,
    Profiles, SamplingInfo, Share, SideProfile,
};
pub use names::{describe_function, shorten as shorten_symbol};
pub use script::Mapping;
pub use session::{Plan, Profiler, attach, import};
