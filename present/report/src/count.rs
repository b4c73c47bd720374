//! Report of `weigh count`: instructions per statement, as text, Markdown, CSV, Parquet and JSON.

pub mod changes;
mod csv_rows;
mod findings;
pub mod history;
mod sentence;
mod site;
mod table;

pub use csv_rows::{csv, parquet};
pub use site::{SitePage, site};

use count::Results;

use crate::format::json::to_json;
use crate::format::text::{Style, push_paragraph};
use crate::format::{markdown as md, text as plain};
use crate::run::head::describe_servers_and_machine;
use sentence::{explain_method, verdicts};
use table::tables;

/// Returns the results for a terminal: a sentence per server and collation, a table per server, and
/// how instructions were counted.
pub fn text(results: &Results, style: Style) -> String {
    let mut out = String::new();
    push_paragraph("", &verdicts(results), &mut out);
    plain::push_tables(&tables(results), style, &mut out);
    push_paragraph("", &explain_method(results), &mut out);
    push_paragraph("", &describe_servers_and_machine(&results.servers, &results.machine), &mut out);
    push_paragraph("note: ", &results.notes, &mut out);
    out
}

/// Returns the results as Markdown.
pub fn markdown(results: &Results) -> String {
    let mut out = String::new();
    md::push_list(&verdicts(results), &mut out);
    md::push_tables(&tables(results), &mut out);
    md::push_list(&explain_method(results), &mut out);
    md::push_list(&describe_servers_and_machine(&results.servers, &results.machine), &mut out);
    md::push_list(&results.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>(), &mut out);
    md::end_with_newline(out)
}

/// Returns the results as JSON (`schemas/count.schema.json`).
pub fn json(results: &Results) -> String {
    to_json(results)
}
