//! The frame of all HTML pages: the template `base.html`, the style, the scripts, and a policy that
//! runs only these scripts.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const STYLE: &str = concat!(
    include_str!("../assets/page.css"),
    include_str!("../assets/findings.css"),
    include_str!("../assets/count.css")
);

const PLAIN: [&str; 1] = [include_str!("../assets/common.js")];

/// Scripts in the order of execution. Plot depends on D3, and `page.js` on both.
const CHARTS: [&str; 4] = [
    include_str!("../assets/d3.min.js"),
    include_str!("../assets/plot.umd.min.js"),
    include_str!("../assets/page.js"),
    PLAIN[0],
];

static PLAIN_POLICY: LazyLock<String> = LazyLock::new(|| policy(&PLAIN));
static CHART_POLICY: LazyLock<String> = LazyLock::new(|| policy(&CHARTS));

/// Elements whose lines are code.
const CODE: [&str; 3] = ["pre", "script", "style"];

/// Renders a page. Line feeds of names and texts are escaped, except in code. Characters that act
/// on a terminal or reorder text become U+FFFD, wherever a name brought them in: also in the data
/// of charts, where no escape fits.
pub(crate) fn render(page: &impl askama::Template) -> String {
    let text = page.render().expect("templates write into a string, which takes every write");
    let text = escape_line_feeds(&text);
    let acts = |character: char| escape::is_control(character) && !matches!(character, '\n' | '\t');
    if text.contains(acts) { text.replace(acts, "\u{FFFD}") } else { text }
}

/// Escapes line feeds outside of code. A line feed after a tag stays: it is the template's.
fn escape_line_feeds(page: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(page.len()), page);
    let next_code = |rest: &str| CODE.iter().filter_map(|name| Some((rest.find(&format!("<{name}"))?, *name))).min();
    while let Some((begin, name)) = next_code(rest) {
        let end = rest[begin..].find(&format!("</{name}>")).map_or(rest.len(), |length| begin + length);
        push_escaped(&rest[..begin], &mut out);
        out.push_str(&rest[begin..end]);
        rest = &rest[end..];
    }
    push_escaped(rest, &mut out);
    out
}

fn push_escaped(html: &str, out: &mut String) {
    for (index, line) in html.split('\n').enumerate() {
        if index > 0 {
            out.push_str(if out.is_empty() || out.ends_with(['>', '\n']) { "\n" } else { "\\n" });
        }
        out.push_str(line);
    }
}

/// Returns a content security policy that loads nothing and runs only these scripts. Images are
/// parts of the page. Charts have style attributes, which hashes cannot allow.
fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = scripts.iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// Fields of `base.html`. Every page's template extends it and has a field `frame`.
pub(crate) struct Frame {
    /// The finding: the page's heading and its title.
    pub title: String,
    /// Style class of the heading: `error`, `warning`, `clean` or none.
    pub level: &'static str,
    pub policy: &'static str,
    pub style: &'static str,
    pub scripts: &'static [&'static str],
    pub weigh: &'static str,
}

impl Frame {
    /// Makes the frame of a page without charts.
    pub fn plain(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            level: "",
            policy: &PLAIN_POLICY,
            style: STYLE,
            scripts: &PLAIN,
            weigh: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Makes the frame of a page with charts and sortable tables.
    pub fn with_charts(title: impl Into<String>) -> Self {
        Self { policy: &CHART_POLICY, scripts: &CHARTS, ..Self::plain(title) }
    }

    /// Marks the heading by the severity of what was found.
    pub fn with_level(self, level: &'static str) -> Self {
        Self { level, ..self }
    }
}

/// A small badge below the heading: how far the finding can be trusted.
pub(crate) struct Badge {
    /// Style class: `good`, `fair` or `poor`.
    pub level: &'static str,
    pub title: String,
    pub reasons: String,
}

impl Badge {
    /// Says whether every finding has a mend, named by `noun`, that was tried.
    pub fn tried(noun: &str, has_all: bool, reasons: String) -> Self {
        let (level, title) = if has_all {
            ("good", format!("Every {noun} was tried"))
        } else {
            ("fair", format!("Some have no {noun}"))
        };
        Self { level, title, reasons }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_make_no_line_of_their_own() {
        let page = "<h1>a\n::error::b</h1>\n<pre>SELECT\n1\n</pre>\n\n<td title=\"c\nd\">x\n\ny</td>\n";
        let expected = "<h1>a\\n::error::b</h1>\n<pre>SELECT\n1\n</pre>\n\n<td title=\"c\\nd\">x\\n\\ny</td>\n";
        assert_eq!(escape_line_feeds(page), expected);
    }
}
