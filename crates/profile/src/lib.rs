//! Where a server's CPU goes.

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
mod own;
pub mod perf;
pub mod resolve;
pub mod script;
mod session;
mod slots;
pub mod summary;

pub use category::Category;
pub use error::Error;
pub use image::{Function, Image, Naming};
pub use model::{
    CategoryDifference, CategoryShare, Coverage, Difference, FORMAT, FunctionDifference, FunctionShare, Profile,
    Profiles, SamplingInfo, Share, SideProfile,
};
pub use session::{Plan, Profiler, attach, import};
