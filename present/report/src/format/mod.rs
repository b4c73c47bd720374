//! Building blocks of all reports: tables, text, Markdown, CSV, JSON and numbers.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod number;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod wrapped;
