//! Tests of the functions in DataFusion: results of SQL, and thousands of words compared with the
//! library and with a real server.

mod marked;
mod server;
mod sql;
mod words;
