//! Section with the command that repeats the run.

use askama::Template;

use super::section::Section;
use crate::run::report::Report;

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
