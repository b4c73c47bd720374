//! Test targets of the workspace, by what they need. A crate names those that need a server, a
//! browser or a download in its manifest:
//!
//! ```toml
//! [package.metadata.tests]
//! need-servers = ["e2e"]
//! ```

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Group of test targets, by what they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// No server, browser or download.
    Offline,
    NeedsServers,
}

/// A `[[test]]` target that `cargo test --workspace` runs.
#[derive(Debug, PartialEq, Eq)]
pub struct Test {
    pub package: String,
    name: String,
    tier: Tier,
}

pub struct Workspace {
    packages: Vec<String>,
    tests: Vec<Test>,
}

impl Workspace {
    /// Reads the output of `cargo metadata`.
    pub fn read() -> Result<Self> {
        let mut command = Command::new(crate::cargo());
        let output = command.args(["metadata", "--no-deps", "--format-version=1", "--locked"]).output()?;
        ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
        Self::parse(&serde_json::from_slice(&output.stdout)?)
    }

    fn parse(metadata: &Value) -> Result<Self> {
        let mut workspace = Self { packages: Vec::new(), tests: Vec::new() };
        for package in metadata["packages"].as_array().context("cargo metadata names no packages")? {
            let name = package["name"].as_str().context("a package without a name")?;
            let served = strings(&package["metadata"]["tests"]["need-servers"]);
            let tests = test_targets(package);
            if let Some(unknown) = served.iter().find(|name| !tests.contains(name)) {
                bail!("the manifest of {name} says that the test {unknown} needs servers, and has no such test");
            }
            let tier = |test: &str| if served.contains(&test) { Tier::NeedsServers } else { Tier::Offline };
            workspace.tests.extend(tests.iter().map(|test| Test {
                package: name.to_owned(),
                name: (*test).to_owned(),
                tier: tier(test),
            }));
            workspace.packages.push(name.to_owned());
        }
        Ok(workspace)
    }

    pub fn packages(&self) -> &[String] {
        &self.packages
    }

    pub fn has_package(&self, name: &str) -> bool {
        self.packages.iter().any(|package| package == name)
    }

    pub fn tests(&self, tier: Tier) -> impl Iterator<Item = &Test> {
        self.tests.iter().filter(move |test| test.tier == tier)
    }

    /// Names for cargo's `--test`, sorted, without duplicates. The option selects a name in every
    /// crate that has it.
    pub fn test_names(&self, tier: Tier) -> Vec<String> {
        let mut names: Vec<String> = self.tests(tier).map(|test| test.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

fn test_targets(package: &Value) -> Vec<&str> {
    let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_test = |target: &&Value| strings(&target["kind"]).contains(&"test") && target["test"] == true;
    targets.iter().filter(is_test).filter_map(|target| target["name"].as_str()).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_belongs_to_both_tiers() {
        let workspace = Workspace::read().unwrap();
        let offline = workspace.test_names(Tier::Offline);
        for name in workspace.test_names(Tier::NeedsServers) {
            assert!(!offline.contains(&name), "--test {name} would select tests of both tiers");
        }
        assert!(offline.len() > 5 && workspace.has_package("weigh"));
    }

    #[test]
    fn rejects_a_manifest_that_names_a_missing_test() {
        let package =
            serde_json::json!({ "name": "a", "metadata": { "tests": { "need-servers": ["gone"] } }, "targets": [] });
        let error = Workspace::parse(&serde_json::json!({ "packages": [package] })).err().unwrap();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
