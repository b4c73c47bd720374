//! Tests that the folders of this crate import each other in one direction only.

extern crate std;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

/// Returns the first segment of each `crate::…` path in a file, without comment lines and unit
/// tests.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let paths = code.match_indices("crate::").map(|(at, path)| &code[at + path.len()..]);
    paths.flat_map(first_segments).collect()
}

/// Returns the first segments of a path, or of each path in braces: `{a::{B, C}, d}` has `a` and
/// `d`.
fn first_segments(path: &str) -> Vec<String> {
    let segment = |path: &str| {
        let path = path.trim_start();
        let end = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(path.len());
        path[..end].to_string()
    };
    let Some(group) = path.strip_prefix('{') else { return [segment(path)].to_vec() };
    let mut segments = [segment(group)].to_vec();
    let mut depth = 0;
    for (at, symbol) in group.char_indices() {
        match symbol {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => segments.push(segment(&group[at + 1..])),
            _ => {}
        }
    }
    segments.retain(|segment| !segment.is_empty());
    segments
}

/// Adds the imports of all files below `folder`, except tests.
fn add_imports(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.ends_with("tests") || entry.ends_with("tests.rs") {
            continue;
        }
        if entry.is_dir() {
            add_imports(&entry, names);
        } else {
            names.extend(imports(&fs::read_to_string(&entry).unwrap()));
        }
    }
}

/// Maps each folder of `src` to the first segments of its imports, other than its own name.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders
        .iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let mut names = BTreeSet::new();
            add_imports(folder, &mut names);
            names.remove(&name);
            (name, names)
        })
        .collect()
}

#[test]
fn folders_import_each_other_in_one_direction() {
    let mut graph = graph();
    assert!(graph.len() > 5, "{graph:?}");
    let known: BTreeSet<String> = graph.keys().cloned().chain(["const_bytes".into()]).collect();
    for (name, imports) in &graph {
        let unknown: Vec<_> = imports.difference(&known).collect();
        assert!(unknown.is_empty(), "{name} imports {unknown:?}: name the folder instead of a re-export");
    }
    while let Some(leaf) = graph.iter().find(|(_, names)| names.iter().all(|name| !graph.contains_key(name))) {
        let leaf = leaf.0.clone();
        graph.remove(&leaf);
    }
    assert!(graph.is_empty(), "these folders import each other in a cycle, or import a folder of the cycle: {graph:?}");
}

#[test]
fn simd_imports_no_folder_and_tables_not_simd() {
    let graph = graph();
    assert!(graph["simd"].is_empty(), "simd imports {:?}", graph["simd"]);
    assert!(!graph["tables"].contains("simd"));
}

#[test]
fn reads_imports() {
    let source = "use crate::{\n    a::{B, C},\n    c,\n};\n// crate::d\n$crate::e::f!();\nuse crate::{g::H, i};";
    assert_eq!(imports(source).into_iter().collect::<Vec<_>>(), ["a", "c", "e", "g", "i"]);
}
