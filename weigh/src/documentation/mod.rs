//! Tests of the documentation: links, paths, command lines and option tables.

mod commands;
mod links;
mod options;

use std::fs;
use std::path::{Path, PathBuf};

/// Folders without documentation of the project: builds, caches, version control.
const SKIPPED_FOLDERS: [&str; 6] = ["target", ".git", "node_modules", ".venv", "__pycache__", "weigh-results"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Appends the files below `folder`, as paths relative to `root()`, without [`SKIPPED_FOLDERS`].
fn collect_files(folder: &Path, files_below: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let skipped = entry.file_name().to_str().is_none_or(|name| SKIPPED_FOLDERS.contains(&name));
        match entry.file_type().unwrap() {
            kind if kind.is_dir() && !skipped => collect_files(&entry.path(), files_below),
            kind if kind.is_file() => files_below.push(entry.path().strip_prefix(root()).unwrap().to_owned()),
            _ => {}
        }
    }
}

/// All files of the project with one of these endings, relative to `root()` and sorted.
fn find_files(endings: &[&str]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect_files(&root(), &mut paths);
    paths.retain(|path| path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted)));
    paths.sort();
    paths
}

/// Markdown pages of the top folder and of docs/, relative to `root()`.
fn find_pages() -> Vec<PathBuf> {
    let mut pages = find_files(&["md"]);
    pages.retain(|page| page.components().count() == 1 || page.starts_with("docs"));
    pages
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn checks_named_in_conversions_exist() {
    let page = read(Path::new("docs/reference/conversions.md"));
    let checks: Vec<&str> = audit::CHECKS
        .iter()
        .map(|check| check.name)
        .chain(preflight::checks::CHECKS.iter().map(|check| check.name))
        .collect();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).map(|line| line.split(" | ").collect());
    let rows: Vec<Vec<&str>> = rows.filter(|row: &Vec<&str>| row[0].parse::<u32>().is_ok()).collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    for found_by in rows.iter().map(|row| row[3]) {
        for name in found_by.split('`').skip(1).step_by(2).filter(|name| !name.starts_with("--") && !name.contains(' '))
        {
            assert!(checks.contains(&name), "no check is named {name}");
        }
    }
}
