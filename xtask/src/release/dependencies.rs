//! Packages that are part of a program, from `cargo metadata`.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Source of every package that is not the project's own.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A package of crates.io in a program.
#[derive(Clone, Debug)]
pub struct Dependency {
    pub name: String,
    pub version: String,
    /// SPDX expression.
    pub licence: String,
    pub repository: String,
    pub folder: PathBuf,
    /// Purls of the packages of crates.io that it depends on.
    pub depends_on: Vec<String>,
}

impl Dependency {
    /// Returns the package URL.
    pub fn purl(&self) -> String {
        purl(&self.name, &self.version)
    }
}

/// Packages of crates.io in a program, by name and version, without those that only run at build
/// time.
pub struct Dependencies(pub BTreeMap<(String, String), Dependency>);

impl Dependencies {
    /// Reads the packages that a package of the workspace of `folder` is built from on a target.
    pub fn read(folder: &Path, package: &str, target: &str) -> Result<Self> {
        let mut command = Command::new(crate::cargo());
        command.args(["metadata", "--format-version=1", "--locked", "--filter-platform", target]);
        let output = command.current_dir(folder).output().context("cannot run cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        Self::parse(&serde_json::from_slice(&output.stdout)?, package)
    }

    fn parse(metadata: &Value, package: &str) -> Result<Self> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let packages: BTreeMap<String, Value> =
            list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
        let nodes: BTreeMap<String, Value> =
            list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
        let linked = |id: &str| {
            let normal = |dep: &Value| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let deps = list(&nodes[id]["deps"]).into_iter().filter(normal).map(|dep| text(&dep["pkg"]));
            deps.filter(|id| !is_macro(&packages[id])).collect::<Vec<_>>()
        };
        let start = packages.iter().find(|(_, one)| one["name"] == package && one["source"].is_null());
        let start = start.with_context(|| format!("no package {package}"))?.0.clone();
        let (mut seen, mut waiting) = (HashSet::from([start.clone()]), vec![start]);
        let mut found = BTreeMap::new();
        while let Some(id) = waiting.pop() {
            let package = &packages[&id];
            let next = linked(&id);
            if !package["source"].is_null() {
                ensure!(package["source"] == CRATES_IO, "{} comes from {}", package["name"], package["source"]);
                let external = |id: &&String| !packages[*id]["source"].is_null();
                let depends_on = next
                    .iter()
                    .filter(external)
                    .map(|id| purl(&text(&packages[id]["name"]), &text(&packages[id]["version"])));
                let dependency = Dependency {
                    name: text(&package["name"]),
                    version: text(&package["version"]),
                    licence: text(&package["license"]),
                    repository: text(&package["repository"]),
                    folder: PathBuf::from(text(&package["manifest_path"]))
                        .parent()
                        .map(PathBuf::from)
                        .unwrap_or_default(),
                    depends_on: depends_on.collect(),
                };
                found.insert((dependency.name.clone(), dependency.version.clone()), dependency);
            }
            waiting.extend(next.into_iter().filter(|id| seen.insert(id.clone())));
        }
        Ok(Self(found))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Dependency> {
        self.0.values()
    }
}

fn is_macro(package: &Value) -> bool {
    let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    targets.iter().any(|target| target["kind"] == serde_json::json!(["proc-macro"]))
}

fn purl(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
