//! Terminal tables, Markdown, CSV and JSON of a run; reads results, measures nothing.
//!
//! A [`Report`] is a run, what [`measure::analyse`] made of its samples, and both in plain words. [`text()`], [`markdown()`], [`csv()`] and
//! [`json()`] turn it into one string each; none of them does any I/O. The tables of text and Markdown are built once, as plain
//! strings (`table`), and lined up by each renderer in its own way.
//!
//! The documents are described by JSON schemas in the workspace's `schemas/`: `run.json`, a line of `samples.jsonl`, and what
//! [`json()`] gives.

pub mod audit;
pub mod capture;
mod claims;
mod compare;
mod content;
mod csv_rows;
pub mod explain;
mod findings;
mod head;
mod headline;
mod markdown;
pub mod micro;
mod name;
mod number;
mod page;
pub mod parity;
pub mod preflight;
mod profile;
mod published;
mod recording;
mod selftest;
mod sentence;
mod settings;
mod span;
mod sweep;
mod table;
mod text;
mod warning;

pub use compare::csv_rows::compare_csv;
pub use compare::{Comparison, compare_json, compare_markdown, compare_text};
pub use content::{Report, json};
pub use csv_rows::csv;
pub use markdown::markdown;
pub use page::page;
pub use profile::csv_rows::profile_csv;
pub use profile::{profile_json, profile_markdown, profile_text};
pub use selftest::self_test_text;
pub use text::{Style, text};
