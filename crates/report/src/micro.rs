//! What `weigh micro` measured, for a terminal, a page, a spreadsheet and a program.

mod csv_rows;
mod table;

pub use csv_rows::csv;

use micro::Results;

use crate::content::document;
use crate::head::servers_and_machine;
use crate::text::{Style, paragraph};
use crate::{markdown as md, text as plain};
use table::{legend, sentences, tables};

/// The results for a terminal: servers and machine, a table for each text and server, sentences and notes.
pub fn text(results: &Results, style: Style) -> String {
    let mut out = String::new();
    paragraph("", &servers_and_machine(&results.servers, &results.machine), &mut out);
    plain::titled(&tables(results), style, &mut out);
    paragraph("", &legend(results), &mut out);
    paragraph("", &sentences(results), &mut out);
    paragraph("note: ", &results.notes, &mut out);
    out
}

/// The same in Markdown.
pub fn markdown(results: &Results) -> String {
    let mut out = String::new();
    md::list(&servers_and_machine(&results.servers, &results.machine), &mut out);
    md::titled(&tables(results), &mut out);
    md::list(&legend(results), &mut out);
    md::list(&sentences(results), &mut out);
    md::list(&results.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>(), &mut out);
    md::ended(out)
}

/// The results as JSON (`schemas/micro.schema.json`).
pub fn json(results: &Results) -> String {
    document(results)
}
