//! Conditional comments, `/*!50100 … */` and `/*M!100301 … */`, as servers read them.

use crate::sql_mode::SqlMode;
use crate::token::{TokenKind, tokenize};

/// Version of the oldest supported server. Every supported server executes `/*!` comments up to it.
const OLDEST_SERVER: u32 = 50_600;
/// Recent MariaDB doesn't execute `/*!` comments of these versions (MariaDB documentation, "Comment
/// Syntax").
const NOT_ON_MARIADB: std::ops::RangeInclusive<u32> = 50_700..=99_999;
/// Largest number of different versions in a text, that of the oldest server included.
const MAX_VERSIONS: usize = 8;

/// A conditional comment that [`readings`] refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousComment {
    /// Byte offset in the text.
    pub offset: usize,
    pub reason: &'static str,
}

#[derive(Clone, Copy, Debug)]
struct Section {
    start: usize,
    content: usize,
    /// Offset of `*/`.
    close: usize,
    is_mariadb: bool,
    /// 0 without a version.
    version: u32,
}

/// Returns a text as the supported servers read it: one reading per set of comments that a server
/// executes. Their marks and the skipped comments are blank, so that offsets stay. Most texts have
/// one reading.
///
/// # Errors
/// If a conditional comment contains `/*`, isn't closed or has a version that servers may read in
/// different ways; if its end depends on the server; or if there are too many versions.
pub fn readings(text: &str, mode: SqlMode) -> Result<Vec<String>, AmbiguousComment> {
    if !text.contains("/*") {
        return Ok(vec![text.to_owned()]);
    }
    let sections = find_sections(text, mode)?;
    let mut versions: Vec<u32> = sections.iter().map(|section| section.version.max(OLDEST_SERVER)).collect();
    versions.push(OLDEST_SERVER);
    versions.sort_unstable();
    versions.dedup();
    if versions.len() > MAX_VERSIONS {
        return Err(AmbiguousComment {
            offset: sections[0].start,
            reason: "too many versions in conditional comments",
        });
    }
    let mut found: Vec<String> = Vec::new();
    for server in versions {
        let is_reached = |section: &Section| section.version <= server;
        let mysql = |section: &Section| !section.is_mariadb && is_reached(section);
        let old_mariadb = |section: &Section| is_reached(section);
        let mariadb = |section: &Section| {
            is_reached(section) && (section.is_mariadb || !NOT_ON_MARIADB.contains(&section.version))
        };
        let executes: [&dyn Fn(&Section) -> bool; 3] = [&mysql, &old_mariadb, &mariadb];
        for executes in executes {
            let reading = blank_marks(text, &sections, executes);
            if !found.contains(&reading) {
                found.push(reading);
            }
        }
    }
    Ok(found)
}

/// Returns the readings of a `CREATE` statement. If [`readings`] refuses it, returns the text
/// before the first comment, which all servers read alike. A definition goes on after its name, so
/// callers refuse a text that is cut there.
pub fn definition_readings(create: &str, mode: SqlMode) -> Vec<String> {
    readings(create, mode).unwrap_or_else(|_| create.split("/*").take(1).map(str::to_owned).collect())
}

fn find_sections(text: &str, mode: SqlMode) -> Result<Vec<Section>, AmbiguousComment> {
    let mut sections = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for token in tokenize(text, mode) {
        let refused = |reason| Err(AmbiguousComment { offset: token.start, reason });
        match (token.kind, open) {
            (TokenKind::ConditionalComment, None) => open = Some((token.start, token.end())),
            (TokenKind::ConditionalComment, Some((start, content))) if token.text == "*/" => {
                // A server that skips the comment ends it at the first `*/`, even in quotes; one
                // that executes it reads the quotes.
                if text[content..].find("*/") != Some(token.start - content)
                    || text[content..token.start].contains("/*")
                {
                    return refused("a quote or comment in a conditional comment holds /* or */");
                }
                sections.push(read_section(text, start, content, token.start)?);
                open = None;
            }
            (TokenKind::ConditionalComment | TokenKind::Comment | TokenKind::Hint, Some(_))
                if token.text.starts_with("/*") =>
            {
                return refused("a comment in a conditional comment");
            }
            // MySQL ends `/*M!999999 /* */` where MariaDB ends the inner comment.
            (TokenKind::Comment, None) if is_conditional(token.text) && token.text[2..].contains("/*") => {
                return refused("a comment in a conditional comment");
            }
            _ => {}
        }
    }
    match open {
        Some((offset, _)) => Err(AmbiguousComment { offset, reason: "a conditional comment is not closed" }),
        None => Ok(sections),
    }
}

/// True for `/*!999999 … */` and `/*M!999999 … */`, which the tokenizer reads as comments.
fn is_conditional(comment: &str) -> bool {
    comment.starts_with("/*!") || comment.starts_with("/*M!")
}

fn read_section(text: &str, start: usize, content: usize, close: usize) -> Result<Section, AmbiguousComment> {
    let mark = &text[start..content];
    let is_mariadb = mark.starts_with("/*M");
    let digits = mark.trim_start_matches(['/', '*', 'M', '!']);
    // MySQL before 8.0 reads five digits, later servers five or six. MySQL ignores /*M!.
    let is_clear = match digits.len() {
        0 | 5 => true,
        6 => is_mariadb,
        _ => false,
    };
    let is_followed_by_space = text[content..].starts_with(|c: char| c.is_ascii_whitespace()) || digits.is_empty();
    if !is_clear || !is_followed_by_space {
        let reason =
            "the version of a conditional comment needs five digits (or six after /*M!) and a space after them";
        return Err(AmbiguousComment { offset: start, reason });
    }
    Ok(Section { start, content, close, is_mariadb, version: digits.parse().unwrap_or(0) })
}

fn blank_marks(text: &str, sections: &[Section], executes: &dyn Fn(&Section) -> bool) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for section in sections {
        let ranges = match executes(section) {
            true => [section.start..section.content, section.close..section.close + 2],
            false => [section.start..section.close, section.close..section.close + 2],
        };
        for range in ranges {
            bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    // Sections begin and end at ASCII characters.
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        readings(text, SqlMode::default()).unwrap().into_iter().map(words).collect()
    }

    #[test]
    fn comments_are_read_as_by_each_server() {
        assert_eq!(read("SELECT 1 /* x */"), ["SELECT 1 /* x */"]);
        assert_eq!(read("SELECT /*!40001 SQL_NO_CACHE */ 1 /*! + 2 */"), ["SELECT SQL_NO_CACHE 1 + 2"]);
        assert_eq!(read("a /*!80023 INVISIBLE */"), ["a", "a INVISIBLE"]);
        assert_eq!(read("a /*M!100301 COMPRESSED */"), ["a", "a COMPRESSED"]);
        assert_eq!(read("a /*!999999 b */ /*!50100 c */"), ["a /*!999999 b */ c"]);
    }

    #[test]
    fn comments_that_servers_may_end_differently_are_refused() {
        for text in [
            "/*!50100 'a */ b' */",
            "/*!50100 a /* b */ c */",
            "/*!50100 a -- */\n b */",
            "/*!50100 a /*!50200 b */ c */",
            "/*!501 a */",
            "/*!501000 a */",
            "/*!50100a */",
            "/*!50100 a",
            "/*!999999 /* */ ' */",
            "/*M!999999 /* */ ' */",
            "/*!999999 /*/ */ */",
        ] {
            assert!(readings(text, SqlMode::default()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn readings_keep_offsets(text in "([a '\"`*/é\n-]|/\\*!50100 |/\\*M!100301 |\\*/){0,20}") {
            for reading in readings(&text, SqlMode::default()).unwrap_or_default() {
                prop_assert_eq!(reading.len(), text.len());
            }
        }
    }
}
