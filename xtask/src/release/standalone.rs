//! Copies of bindings in workspaces that contain all of their crates.
//!
//! Cargo hashes the absolute path of a dependency outside of the workspace into the names of its
//! symbols. Inside, it hashes the path relative to the workspace, so that a build has the same
//! bytes wherever the project lies.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::manifest::{copy_sources, read_manifest, remove_tests, table, write_manifest};
use crate::bindings::{create_empty_folder, root};

/// Crates of the project that bindings depend on, with their folders.
const CRATES: [(&str, &str); 2] = [("mysql-collation", "engine/mysql-collation"), ("explain", "engine/explain")];

/// Copies a binding, such as `engine/bindings/c`, with the project's crates. Returns the folder of
/// the copied binding.
pub fn copy(binding: &Path) -> Result<PathBuf> {
    let name = binding.file_name().context("a binding has a name")?;
    let folder = root().join("target/release-bindings").join(name);
    create_empty_folder(&folder)?;
    copy_sources(binding, &folder.join(binding), &["Cargo.lock"])?;
    let mut manifest = read_manifest(&binding.join("Cargo.toml"))?;
    manifest.remove("workspace");
    let profile = manifest.remove("profile");
    write_manifest(&manifest, &folder.join(binding))?;
    for (_, path) in CRATES {
        copy_crate(Path::new(path), &folder.join(path))?;
    }

    let mut workspace = read_manifest(Path::new("Cargo.toml"))?;
    let keys = table(&mut workspace, "workspace")?;
    keys.insert("members".into(), vec![Value::from(binding.display().to_string())].into());
    keys.remove("default-members");
    let is_copied = |name: &str| CRATES.iter().any(|(copied, _)| *copied == name);
    table(keys, "dependencies")?.retain(|name, value| value.get("path").is_none() || is_copied(name));
    let parts = [("workspace", Some(Value::from(keys.clone()))), ("profile", profile)];
    let parts = parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    write_manifest(&Table::from_iter(parts), &folder)?;
    fs::copy(root().join(binding).join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(folder.join(binding))
}

/// Copies a crate without its tests, whose dependencies the binding's Cargo.lock lacks.
fn copy_crate(path: &Path, folder: &Path) -> Result<()> {
    copy_sources(path, folder, &["tests", "benches", "fuzz"])?;
    let mut manifest = read_manifest(&path.join("Cargo.toml"))?;
    remove_tests(&mut manifest);
    write_manifest(&manifest, folder)
}
