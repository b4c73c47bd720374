//! The profiles of a run, or of a server under its own load: tables, Markdown, CSV and JSON.

pub(crate) mod csv_rows;
pub(crate) mod table;

use ::profile::Profiles;

use crate::content::document;
use crate::markdown;
use crate::text::{self, Style};
use table::{sentences, tables};

/// The profiles for a terminal.
pub fn profile_text(profiles: &Profiles, style: Style) -> String {
    let mut out = String::new();
    for profile in &profiles.profiles {
        text::titled(&tables(profile), style, &mut out);
        text::paragraph("", &sentences(profile), &mut out);
        text::paragraph("note: ", &profile.notes, &mut out);
    }
    text::paragraph("note: ", &profiles.failures, &mut out);
    out
}

/// The profiles as Markdown.
pub fn profile_markdown(profiles: &Profiles) -> String {
    let mut out = String::new();
    for profile in &profiles.profiles {
        markdown::titled(&tables(profile), &mut out);
        markdown::list(&sentences(profile), &mut out);
        markdown::list(&profile.notes, &mut out);
    }
    markdown::list(&profiles.failures, &mut out);
    out
}

/// The profiles as JSON (`schemas/profile.schema.json`).
pub fn profile_json(profiles: &Profiles) -> String {
    document(profiles)
}
