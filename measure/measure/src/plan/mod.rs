//! From a request and the servers' collations to variants, pairs and schemas. Creates nothing on a
//! server.

pub(crate) mod buffer_pool;
mod chosen;
mod error;
mod names;
mod pairs;
pub(crate) mod preview;
pub(crate) mod schemas;
mod variants;

pub use buffer_pool::BufferPoolSizing;
pub use chosen::choose_collations;
pub use error::{BufferPoolError, PlanError};
pub use names::{NO_CLIENT_CHARSET, ServerCollations, suggest_names};
pub use pairs::form_pairs;
pub(crate) use pairs::form_pairs_of_source;
pub use preview::{Preview, preview, preview_collations, read_server_collations};
