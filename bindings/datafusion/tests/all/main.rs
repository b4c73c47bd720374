//! The functions in DataFusion: what they answer, and a few thousand words beside the library's own columns and a real server.

mod server;
mod sql;
mod words;
