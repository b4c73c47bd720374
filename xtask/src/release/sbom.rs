//! Software bill of materials, in CycloneDX 1.6 as JSON.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::dependencies::{Dependencies, Dependency};
use super::{Release, notices};

/// Product that a document describes.
pub struct Subject {
    /// Crate that is built.
    pub package: &'static str,
    /// Published name.
    name: &'static str,
    /// CycloneDX type of component.
    kind: &'static str,
}

pub const COMMAND: Subject = Subject { package: "weigh", name: "weighbridge", kind: "application" };
pub const MODULE: Subject = Subject { package: "mysql-collation-python", name: "mysql-collation", kind: "library" };

/// Returns the document: the packages of crates.io in a program or library of the workspace of
/// `folder`, with their licences, digests and dependencies.
pub fn render(
    release: &Release,
    subject: &Subject,
    target: &str,
    folder: &Path,
    dependencies: &Dependencies,
) -> Result<String> {
    let lock = folder.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file());
    let lock = std::fs::read_to_string(lock.context("no Cargo.lock")?).context("cannot read Cargo.lock")?;
    let lock: toml::Table = lock.parse()?;
    let locked = lock.get("package").and_then(|packages| packages.as_array()).context("Cargo.lock has no packages")?;
    let checksum = |dependency: &Dependency| {
        let is = |package: &&toml::Value| {
            package["name"].as_str() == Some(&dependency.name)
                && package["version"].as_str() == Some(&dependency.version)
        };
        locked.iter().find(is).and_then(|package| package.get("checksum")?.as_str())
    };
    let components: Vec<Value> = dependencies.iter().map(|one| component(one, checksum(one))).collect();
    let mut graph: Vec<Value> =
        dependencies.iter().map(|one| json!({ "ref": one.purl(), "dependsOn": one.depends_on })).collect();
    let all: Vec<String> = dependencies.iter().map(Dependency::purl).collect();
    graph.push(json!({ "ref": subject.package, "dependsOn": all }));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial_number(&[subject.package, release.version, target, &release.commit]),
        "version": 1,
        "metadata": {
            "component": {
                "type": subject.kind,
                "bom-ref": subject.package,
                "name": subject.name,
                "version": release.version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                "properties": [
                    { "name": "commit", "value": release.commit },
                    { "name": "target", "value": target },
                ],
            },
        },
        "components": components,
        "dependencies": graph,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn component(dependency: &Dependency, checksum: Option<&str>) -> Value {
    // Old manifests separate licences by a slash.
    let licence = notices::licence(dependency).replace('/', " OR ");
    let mut component = json!({
        "type": "library",
        "bom-ref": dependency.purl(),
        "name": dependency.name,
        "version": dependency.version,
        "purl": dependency.purl(),
        "licenses": [{ "expression": licence }],
    });
    if let Some(checksum) = checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if !dependency.repository.is_empty() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": dependency.repository }]);
    }
    component
}

/// Returns a UUID that depends on the parts alone.
fn serial_number(parts: &[&str]) -> String {
    let digest = format!("{:x}", Sha256::digest(parts.join("\0")));
    let version_and_variant = (&digest[13..16], &digest[17..20]);
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &digest[..8],
        &digest[8..12],
        version_and_variant.0,
        version_and_variant.1,
        &digest[20..32]
    )
}
