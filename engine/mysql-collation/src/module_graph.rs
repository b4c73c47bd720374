//! Tests that the folders of this crate import each other in one direction only.

extern crate std;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

/// Returns the first segment of each `crate::…` path in a file, without comment lines and unit
/// tests.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut names = BTreeSet::new();
    for line in lines {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let group = rest.strip_prefix('{').map(|rest| rest.split('}').next().unwrap_or_default());
            let parts = group.map_or_else(|| [&rest[..end]].to_vec(), |group| group.split(", ").collect());
            names.extend(parts.iter().filter_map(|part| part.split("::").next()).map(ToString::to_string));
        }
    }
    names
}

/// Adds the imports of all files below `folder`, except tests.
fn read(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            read(&entry, names);
        } else if !entry.ends_with("tests.rs") && !entry.components().any(|part| part.as_os_str() == "tests") {
            names.extend(imports(&fs::read_to_string(&entry).unwrap()));
        }
    }
}

/// Maps each folder of `src` to the folders that it imports.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders
        .iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let mut names = BTreeSet::new();
            read(folder, &mut names);
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
    assert!(graph.is_empty(), "these folders import each other: {graph:?}");
}

#[test]
fn vectors_and_tables_are_independent() {
    let graph = graph();
    assert!(graph["simd"].is_empty(), "simd imports {:?}", graph["simd"]);
    assert!(!graph["tables"].contains("simd"));
}

#[test]
fn reads_imports() {
    let source = format!("use crate::{}a::B, c{};\n// crate::d\n$crate::e::f!();", '{', '}');
    assert_eq!(imports(&source).into_iter().collect::<Vec<_>>(), ["a", "c", "e"]);
}
