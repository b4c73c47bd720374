//! Parses the built-in data (`categories.conf`, `slots.conf`): headings in brackets, each followed
//! by lines. Lines that begin with `#` are comments.

/// Error in built-in data.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum ConfError {
    #[error("{0:?} is before the first section")]
    NoSection(String),
    #[error("[{0}] is empty")]
    Empty(String),
    #[error("[{0}] exists twice")]
    Duplicate(String),
    #[error("[{0}] is unknown")]
    UnknownSection(String),
    /// A line is not a regular expression.
    #[error("[{heading}]: {source}")]
    Pattern { heading: String, source: regex::Error },
}

/// A heading and the lines below the heading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section<'t> {
    pub(crate) heading: &'t str,
    pub(crate) lines: Vec<&'t str>,
}

/// Returns the sections in the order of the text.
pub(crate) fn parse_sections(text: &str) -> Result<Vec<Section<'_>>, ConfError> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if sections.iter().any(|section| section.heading == heading) {
                return Err(ConfError::Duplicate(heading.into()));
            }
            sections.push(Section { heading, lines: Vec::new() });
            continue;
        }
        sections.last_mut().ok_or_else(|| ConfError::NoSection(line.into()))?.lines.push(line);
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
    fn keeps_the_order_of_sections_and_lines() {
        let read = parse_sections("# about\n[b]\n x y\n\n[a]\nz # not a comment\n").unwrap();
        let section = |heading, lines| Section { heading, lines };
        assert_eq!(read, [section("b", vec!["x y"]), section("a", vec!["z # not a comment"])]);
    }

    #[test]
    fn rejects_malformed_sections() {
        assert_eq!(parse_sections("x"), Err(ConfError::NoSection("x".into())));
        assert_eq!(parse_sections("[a]\n[b]\nx"), Err(ConfError::Empty("a".into())));
        assert_eq!(parse_sections("[a]\nx\n[b]\ny\n[a]\nz"), Err(ConfError::Duplicate("a".into())));
    }
}
