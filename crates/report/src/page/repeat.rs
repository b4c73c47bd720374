//! How to run it again.

use askama::Template;

use super::section::Section;
use crate::content::Report;

#[derive(Template)]
#[template(path = "repeat.html")]
struct Body<'a> {
    command: &'a str,
    weigh: &'a str,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let command = report.run.command.as_deref()?;
    Some(Section::new("repeat", "Run it again", &Body { command, weigh: &report.run.weigh }))
}
