//! A section: a heading with an id, and a body.

use askama::Template;

pub(super) struct Section {
    /// Unique within the run. Consists of letters and hyphens.
    pub id: &'static str,
    pub title: &'static str,
    /// HTML.
    pub body: String,
}

impl Section {
    /// Renders the body from a template.
    pub fn new(id: &'static str, title: &'static str, body: &impl Template) -> Self {
        let body = body.render().expect("templates write into a string, which takes every write");
        Self { id, title, body }
    }
}
