//! The report of a run of `weigh bench`, as text, Markdown, CSV and JSON.
//!
//! - `report` has the content of all formats: the run, its analysis, and both in sentences.
//! - `verdict` is what a reader sees first: one table, its summary, and the run's quality.
//! - `warning`, `headline`, `sentence` and `span` write the sentences.
//! - `name` and `head` describe servers, variants, conditions and loads.
//! - `tables`, `sweep`, `statements`, `claims`, `published` and `settings` build the tables.
//! - `text`, `markdown` and `csv_rows` render everything in one format.
//! - `self_test` is the report of `weigh bench --self-test`.

pub(crate) mod claims;
pub(crate) mod csv_rows;
pub(crate) mod head;
pub(crate) mod headline;
pub(crate) mod markdown;
pub(crate) mod name;
pub(crate) mod published;
pub(crate) mod report;
pub(crate) mod self_test;
pub(crate) mod sentence;
pub(crate) mod settings;
pub(crate) mod span;
pub(crate) mod statements;
pub(crate) mod sweep;
pub(crate) mod tables;
pub(crate) mod text;
pub(crate) mod verdict;
pub(crate) mod warning;
