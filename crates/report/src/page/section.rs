//! A section: a heading that can be linked to, and what stands below it.

use askama::Template;

/// A part of a run's page.
pub(super) struct Section {
    /// Unlike that of the run's other sections; letters and hyphens.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// HTML.
    pub body: String,
}

impl Section {
    /// A section whose body is a template.
    pub fn new(id: &'static str, title: &'static str, body: &impl Template) -> Self {
        let body = body.render().expect("templates write into a string, which takes every write");
        Self { id, title, body }
    }
}
