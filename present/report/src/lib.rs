//! Renders results as terminal text, Markdown, CSV, JSON and HTML. Performs no I/O.
//!
//! - `run`: the report of a run of `weigh bench`. A [`Report`] holds the run, its analysis, and
//!   both in sentences.
//! - [`page()`]: the HTML page of one or several runs.
//! - `compare`, `profile`, [`audit`], [`preflight`], [`capture`], [`count`], [`explain`],
//!   [`micro`], [`result_diff`], [`upgrade`], [`why`]: reports of the other commands.
//! - `frame`, `findings`: what all pages share, and the findings on them.
//! - `causes`: findings of a check together, for audit and preflight.
//! - `format`: tables, text, Markdown, CSV, JSON and numbers, used by all reports.
//!
//! Each report has one function for each format of its command: `text`, `markdown`, `csv`, `json`,
//! `page`. Each function returns the whole document. The workspace's `schemas/` describe the JSON
//! documents.

pub mod audit;
pub mod capture;
mod causes;
mod compare;
pub mod count;
pub mod explain;
mod findings;
mod format;
mod frame;
pub mod micro;
mod page;
pub mod pipeline;
pub mod preflight;
mod profile;
pub mod result_diff;
mod run;
pub mod upgrade;
pub mod why;

pub use compare::csv_rows::compare_csv;
pub use compare::page::compare_page;
pub use compare::{Comparison, compare_json, compare_markdown, compare_text};
pub use format::csv::set_raw_csv;
pub use format::text::Style;
pub use page::page;
pub use profile::csv_rows::profile_csv;
pub use profile::page::profile_page;
pub use profile::{profile_json, profile_markdown, profile_text, profiles_say_nothing};
pub use run::csv_rows::csv;
pub use run::markdown::markdown;
pub use run::report::{Report, json};
pub use run::self_test::self_test_text;
pub use run::text::{details_text, text};
