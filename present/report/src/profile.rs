//! Report of CPU profiles, as text, Markdown, CSV, JSON and an HTML page.

pub(crate) mod csv_rows;
pub(crate) mod page;
pub(crate) mod table;
pub(crate) mod text;

use ::profile::{Profile, Profiles};

use crate::format::json::to_json;
use crate::format::markdown;
use crate::format::text::{Style, push_paragraph, push_tables};
use table::{sentences, tables};

/// Returns the profiles for a terminal: a verdict of each, with `all` the tables of categories and
/// functions, too.
pub fn profile_text(profiles: &Profiles, all: bool, style: Style) -> String {
    let mut out = String::new();
    let push_all = |profile: &Profile, out: &mut String| {
        if all {
            push_tables(&tables(profile), style, out);
        }
    };
    text::push_verdicts(&profiles.profiles, push_all, style, &mut out);
    push_paragraph("note: ", &profiles.failures, &mut out);
    out
}

/// Returns `true` if no profile has enough samples for a verdict.
pub fn profiles_say_nothing(profiles: &Profiles) -> bool {
    profiles.profiles.iter().all(|profile| text::too_few_samples(profile).is_some())
}

/// Returns the profiles as Markdown.
pub fn profile_markdown(profiles: &Profiles) -> String {
    let mut out = String::new();
    for profile in &profiles.profiles {
        markdown::push_tables(&tables(profile), &mut out);
        markdown::push_list(&sentences(profile), &mut out);
        markdown::push_list(&profile.notes, &mut out);
    }
    markdown::push_list(&profiles.failures, &mut out);
    out
}

/// Returns the profiles as JSON (`schemas/profile.schema.json`).
pub fn profile_json(profiles: &Profiles) -> String {
    to_json(profiles)
}
