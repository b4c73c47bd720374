//! Links, anchors and paths in Markdown pages lead somewhere.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use super::{find_files, read, root};

/// Top folders of the tree: a code span that begins with one of them and a slash is a path.
const TOP_FOLDERS: [&str; 12] =
    ["engine", "formats", "servers", "measure", "advise", "present", "weigh", "xtask", "lab", "docs", "schemas", ".ci"];

/// Endings of source files: a code span with a slash and such an ending is a path, or the end of
/// one.
const SOURCES: [&str; 5] = [".rs", ".md", ".conf", ".py", ".h"];

/// Lines outside fenced and indented code.
fn text_lines(page: &str) -> Vec<&str> {
    let mut fenced = false;
    page.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence && !line.starts_with("    ")
        })
        .collect()
}

/// `text` without its code spans.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect()
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Targets of `[text](target)` and `![text](target)`.
fn link_targets(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1);
    targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// Anchor that GitHub gives a heading: "Tables larger than memory" becomes
/// `tables-larger-than-memory`.
fn slug(heading: &str) -> String {
    let text: String = match heading.split_once("](") {
        // A heading that is a link: its text.
        Some((text, _)) => text.trim_start_matches('[').to_owned(),
        None => heading.to_owned(),
    };
    let kept = text.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
    kept.flat_map(char::to_lowercase).map(|char| if char == ' ' { '-' } else { char }).collect()
}

/// Anchors of a page: its headings, and `<a id="…">`.
fn anchors(page: &str) -> HashSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = HashSet::new();
    for line in text_lines(page) {
        if let Some(heading) = line.strip_prefix('#') {
            let slug = slug(heading.trim_start_matches('#').trim());
            let repeats = seen.entry(slug.clone()).or_default();
            anchors.insert(if *repeats == 0 { slug } else { format!("{slug}-{repeats}") });
            *repeats += 1;
        }
        anchors.extend(line.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    }
    anchors
}

/// `path` without `.` and `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// All Markdown pages but those of test data.
fn find_markdown() -> Vec<PathBuf> {
    let mut pages = find_files(&["md"]);
    pages.retain(|page| !page.components().any(|part| part.as_os_str() == "fixtures"));
    pages
}

#[test]
fn links_and_anchors_exist() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for page in find_markdown() {
        let text = read(&page);
        for target in text_lines(&text).into_iter().flat_map(|line| {
            let line = without_code(line);
            link_targets(&line).into_iter().map(str::to_owned).collect::<Vec<_>>()
        }) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let linked = if path.is_empty() { page.clone() } else { normalize(&page.parent().unwrap().join(path)) };
            let complaint = if !root().join(&linked).exists() {
                "no such file"
            } else if !anchor.is_empty() && !anchors(&read(&linked)).contains(anchor) {
                "no such heading"
            } else {
                continue;
            };
            broken.push(format!("{}: {target}: {complaint}", page.display()));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(seen > 100, "only {seen} links were found");
}

/// Whether a code span is meant as a path of the tree. Patterns (`*`, `…`) and lists (`{a,b}`) are
/// not.
fn is_path(span: &str) -> bool {
    let characters = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    let Some((first, rest)) = span.split_once('/') else { return false };
    span.chars().all(characters)
        && !first.is_empty()
        && (TOP_FOLDERS.contains(&first) && (rest.is_empty() || root().join(first).is_dir())
            || SOURCES.iter().any(|ending| span.ends_with(ending)))
}

#[test]
fn paths_in_code_spans_exist() {
    let all: Vec<String> =
        find_files(&["rs", "md", "conf", "py", "h"]).iter().map(|path| format!("/{}", path.display())).collect();
    let mut missing = Vec::new();
    let mut seen = 0;
    // A changelog names paths as they were.
    for page in find_markdown().iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        let text = read(page);
        for line in text_lines(&text) {
            for span in code_spans(line).filter(|span| is_path(span)) {
                seen += 1;
                let relative = normalize(&page.parent().unwrap().join(span));
                let exists = root().join(span).exists()
                    || root().join(relative).exists()
                    || all.iter().any(|path| path.ends_with(&format!("/{span}")));
                if !exists {
                    missing.push(format!("{}: {span}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 50, "only {seen} paths were found");
}

/// Comments, messages and help name pages as `docs/…/page.md`.
#[test]
fn pages_that_code_names_exist() {
    let mut missing = Vec::new();
    for file in find_files(&["rs", "py", "toml", "md", "json", "h", "sh"]) {
        // Fixtures may hold any bytes.
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        for rest in text.split("docs/").skip(1) {
            let end = rest.find(|char: char| !(char.is_ascii_alphanumeric() || "/-_.".contains(char)));
            let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
            let outside = text.contains("://") && text.contains(&format!("://docs/{name}"));
            if name.ends_with(".md") && !outside && !root().join("docs").join(name).exists() {
                missing.push(format!("{}: docs/{name}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn slugs_are_those_of_github() {
    assert_eq!(slug("Intervals, the A/A bound, and when it stops"), "intervals-the-aa-bound-and-when-it-stops");
    assert_eq!(slug("`weigh bench --workload DIR`"), "weigh-bench---workload-dir");
    assert_eq!(slug("Norwegian, Bokmål"), "norwegian-bokmål");
}

/// The last column of the glossary names a type of the code.
#[test]
fn glossary_names_types() {
    let code: String = find_files(&["rs"]).iter().map(|path| read(path)).collect();
    let text = read(Path::new("docs/glossary.md"));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |")).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row.rsplit(" | ").next()?.split('`').nth(1)).collect();
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !["struct", "enum", "trait", "type"].iter().any(|kind| is_defined(&code, kind, name)))
        .collect();
    assert!(missing.is_empty(), "no such types: {missing:?}");
    assert!(names.len() > 30 && rows.len() <= 80, "{} types, {} rows", names.len(), rows.len());
}

fn is_defined(code: &str, kind: &str, name: &str) -> bool {
    let definition = format!("{kind} {name}");
    code.match_indices(&definition).any(|(at, _)| {
        let next = code[at + definition.len()..].chars().next();
        next.is_none_or(|char| !char.is_alphanumeric() && char != '_')
    })
}
