//! Sources and manifests of crates, copied and changed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::tools;
use crate::bindings::root;

/// Copies the files of a crate that git knows, and the licences.
pub fn copy_sources(path: &Path, folder: &Path, left_out: &[&str]) -> Result<()> {
    let files = tools::git(&["ls-files", "--", &path.display().to_string()])?;
    for file in files.lines() {
        let relative = Path::new(file).strip_prefix(path)?;
        if left_out.iter().any(|name| relative.starts_with(name)) {
            continue;
        }
        let to = folder.join(relative);
        fs::create_dir_all(to.parent().context("a file has a folder")?)?;
        fs::copy(root().join(file), &to).with_context(|| format!("cannot copy {file}"))?;
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(name), folder.join(name))?;
    }
    Ok(())
}

pub fn read_manifest(path: &Path) -> Result<Table> {
    let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("cannot read {}", path.display()))
}

/// Removes the parts that need tests, benchmarks and examples, which copies lack.
pub fn remove_tests(manifest: &mut Table) {
    for part in ["dev-dependencies", "bench", "test", "example"] {
        manifest.remove(part);
    }
}

pub fn write_manifest(manifest: &Table, folder: &Path) -> Result<()> {
    let path = folder.join("Cargo.toml");
    fs::write(&path, manifest.to_string()).with_context(|| format!("cannot write {}", path.display()))
}

pub fn table<'t>(parent: &'t mut Table, name: &str) -> Result<&'t mut Table> {
    parent.get_mut(name).and_then(Value::as_table_mut).with_context(|| format!("a manifest has no table {name}"))
}
