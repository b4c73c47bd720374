//! Report of `weigh micro`: costs of comparisons, as text, Markdown, CSV and JSON.

mod csv_rows;
mod table;

pub use csv_rows::csv;

use micro::Results;

use crate::format::json::to_json;
use crate::format::text::{Style, push_paragraph};
use crate::format::{markdown as md, text as plain};
use crate::run::head::describe_servers_and_machine;
use table::{legend, sentences, tables};

/// Returns the results for a terminal: servers and machine, a table per text and server, sentences
/// and notes.
pub fn text(results: &Results, style: Style) -> String {
    let mut out = String::new();
    push_paragraph("", &describe_servers_and_machine(&results.servers, &results.machine), &mut out);
    plain::push_tables(&tables(results), style, &mut out);
    push_paragraph("", &legend(results), &mut out);
    push_paragraph("", &sentences(results), &mut out);
    push_paragraph("note: ", &results.notes, &mut out);
    out
}

/// Returns the results as Markdown.
pub fn markdown(results: &Results) -> String {
    let mut out = String::new();
    md::push_list(&describe_servers_and_machine(&results.servers, &results.machine), &mut out);
    md::push_tables(&tables(results), &mut out);
    md::push_list(&legend(results), &mut out);
    md::push_list(&sentences(results), &mut out);
    md::push_list(&results.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>(), &mut out);
    md::end_with_newline(out)
}

/// Returns the results as JSON (`schemas/micro.schema.json`).
pub fn json(results: &Results) -> String {
    to_json(results)
}
