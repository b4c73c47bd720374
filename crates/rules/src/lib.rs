//! The servers' rules that follow from facts, each as a pure function: how many bytes a key and a row take and may take, which of two
//! collations wins, what encodings a text went through, whether it is serialised with byte lengths.
//!
//! Each rule names its source: a page of a manual, or the servers on which it was measured.

pub mod charset;
pub mod coercibility;
pub mod encoding;
pub mod keys;
pub mod rows;
pub mod serialized;
