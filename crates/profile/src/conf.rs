//! The form of the data that is built in (`categories.conf`, `slots.conf`): headings in brackets, lines below them, comments after `#`.

/// Why such data can't be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum ConfError {
    /// No heading stands above.
    #[error("{0:?} stands before the first section")]
    Homeless(String),
    /// No line stands below.
    #[error("[{0}] is empty")]
    Empty(String),
    /// The heading again.
    #[error("[{0}] stands twice")]
    Twice(String),
    /// The heading of nothing.
    #[error("[{0}] is not known")]
    Unknown(String),
    /// No regular expression.
    #[error("[{heading}]: {source}")]
    Pattern {
        /// The section.
        heading: String,
        /// Why.
        source: regex::Error,
    },
}

/// A heading and the lines below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section<'t> {
    pub(crate) heading: &'t str,
    pub(crate) lines: Vec<&'t str>,
}

/// The sections in their order.
pub(crate) fn sections(text: &str) -> Result<Vec<Section<'_>>, ConfError> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if sections.iter().any(|section| section.heading == heading) {
                return Err(ConfError::Twice(heading.into()));
            }
            sections.push(Section { heading, lines: Vec::new() });
            continue;
        }
        sections.last_mut().ok_or_else(|| ConfError::Homeless(line.into()))?.lines.push(line);
    }
    match sections.iter().find(|section| section.lines.is_empty()) {
        Some(empty) => Err(ConfError::Empty(empty.heading.into())),
        None => Ok(sections),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_their_order_and_lines() {
        let read = sections("# about\n[b]\n x y\n\n[a]\nz # not a comment\n").unwrap();
        let section = |heading, lines| Section { heading, lines };
        assert_eq!(read, [section("b", vec!["x y"]), section("a", vec!["z # not a comment"])]);
    }

    #[test]
    fn what_is_no_section_is_refused() {
        assert_eq!(sections("x"), Err(ConfError::Homeless("x".into())));
        assert_eq!(sections("[a]\n[b]\nx"), Err(ConfError::Empty("a".into())));
        assert_eq!(sections("[a]\nx\n[b]\ny\n[a]\nz"), Err(ConfError::Twice("a".into())));
    }
}
