//! Source packages for crates.io: the library, its functions for DataFusion, and the command.
//!
//! The command's inner crates have short names, such as `load`, which others have on crates.io. In
//! the packages they are `weighbridge-load`, and so on; the code still calls them `load`
//! (docs/decisions/031).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::Release;
use super::archive::Tar;
use super::manifest::{copy_sources, read_manifest, remove_tests, table, write_manifest};
use super::payload::compress;
use crate::bindings::{create_empty_folder, root, succeed};

/// The command's crate, and its name on crates.io.
const COMMAND: (&str, &str) = ("weigh", "weighbridge");

/// The library, which has its name on crates.io already.
const LIBRARY: &str = "mysql-collation";

/// Folder of the functions for DataFusion, a workspace of its own.
const DATAFUSION: &str = "engine/bindings/datafusion";

/// Parts of a crate that its package lacks. The library's has its tests.
const NOT_PACKAGED: [&str; 3] = ["tests", "benches", "Cargo.lock"];

/// Writes the packages as an archive.
pub fn write(release: &Release) -> Result<()> {
    let folder = prepare(release)?;
    let mut package = Command::new(crate::cargo());
    package.args(["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--target-dir", "target"]);
    succeed(package.current_dir(&folder))?;
    let packed = folder.join("target/package");
    let mut names: Vec<_> = fs::read_dir(&packed)?.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
    names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "crate"));
    names.sort();
    let name = format!("weighbridge-{}-crates", release.version);
    let mut archive = Tar::new(release.time);
    for file in names {
        archive.add_file(&format!("{name}/{}", file.display()), &fs::read(packed.join(&file))?, 0o644)?;
    }
    release.write(&format!("{name}.tar.gz"), &compress(&archive.finish()?)?)
}

/// Writes the workspace from which `cargo publish --workspace` publishes, and returns its folder.
fn prepare(release: &Release) -> Result<PathBuf> {
    let folder = root().join("target/release-crates");
    create_empty_folder(&folder)?;
    let mut workspace = read_manifest(Path::new("Cargo.toml"))?;
    let inner = inner_crates(&workspace)?;
    for (name, path) in &inner {
        let left_out = if name == LIBRARY { &[][..] } else { &NOT_PACKAGED };
        copy_sources(path, &folder.join(name), left_out)?;
        let mut manifest = read_manifest(&path.join("Cargo.toml"))?;
        if name != LIBRARY {
            rename(&mut manifest, name)?;
        }
        table(&mut manifest, "package")?.remove("publish");
        write_manifest(&manifest, &folder.join(name))?;
    }
    fs::copy(root().join("README.md"), folder.join(COMMAND.0).join("README.md"))?;
    fs::write(folder.join(COMMAND.0).join("commit"), &release.commit)?;
    write_datafusion(release, &folder.join("datafusion"))?;

    let workspace = table(&mut workspace, "workspace")?;
    let members = inner.keys().map(String::as_str).chain(["datafusion"]);
    workspace.insert("members".into(), members.map(Value::from).collect::<Vec<_>>().into());
    workspace.remove("default-members");
    table(workspace, "package")?.remove("publish");
    let dependencies = table(workspace, "dependencies")?;
    dependencies.retain(|name, value| value.get("path").is_none() || inner.contains_key(name));
    for name in inner.keys().filter(|name| *name != COMMAND.0) {
        dependencies.insert(name.clone(), dependency(name, name, release.version));
    }
    let workspace = workspace.clone();
    write_manifest(&Table::from_iter([("workspace".to_owned(), workspace.into())]), &folder)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(folder)
}

/// Returns the crates of the workspace that the command is built from, itself included: folders
/// by name.
fn inner_crates(workspace: &Table) -> Result<BTreeMap<String, PathBuf>> {
    let known = workspace["workspace"]["dependencies"].as_table().context("the workspace has no dependencies")?;
    let mut waiting = vec![(COMMAND.0.to_owned(), PathBuf::from(COMMAND.0))];
    let mut found = BTreeMap::new();
    while let Some((name, path)) = waiting.pop() {
        let manifest = read_manifest(&path.join("Cargo.toml"))?;
        if found.insert(name, path).is_some() {
            continue;
        }
        for name in manifest.get("dependencies").and_then(Value::as_table).into_iter().flat_map(Table::keys) {
            if let Some(path) = known.get(name).and_then(|dependency| dependency.get("path")?.as_str()) {
                waiting.push((name.clone(), path.into()));
            }
        }
    }
    Ok(found)
}

/// Gives a crate its name on crates.io, and removes what its package does not have.
fn rename(manifest: &mut Table, name: &str) -> Result<()> {
    remove_tests(manifest);
    let package = table(manifest, "package")?;
    package.insert("name".into(), published_name(name).into());
    if name == COMMAND.0 {
        return Ok(());
    }
    let description = package["description"].as_str().unwrap_or_default();
    let description = format!("{description}. A part of weighbridge, without a stable interface");
    package.insert("description".into(), description.into());
    let library = manifest.entry("lib").or_insert_with(|| Table::new().into());
    let library = library.as_table_mut().context("[lib] is a table")?;
    library.insert("name".into(), name.replace('-', "_").into());
    Ok(())
}

fn published_name(name: &str) -> String {
    match name {
        LIBRARY => LIBRARY.to_owned(),
        name if name == COMMAND.0 => COMMAND.1.to_owned(),
        name => format!("{}-{name}", COMMAND.1),
    }
}

/// Returns a dependency on a crate of the packages, whose folder is `path`.
fn dependency(name: &str, path: &str, version: &str) -> Value {
    let version = if name == LIBRARY { version.to_owned() } else { format!("={version}") };
    let fields = [("path", path.to_owned()), ("package", published_name(name)), ("version", version)];
    Table::from_iter(fields.map(|(key, value)| (key.to_owned(), value.into()))).into()
}

fn write_datafusion(release: &Release, folder: &Path) -> Result<()> {
    copy_sources(Path::new(DATAFUSION), folder, &NOT_PACKAGED)?;
    let mut manifest = read_manifest(&Path::new(DATAFUSION).join("Cargo.toml"))?;
    remove_tests(&mut manifest);
    for part in ["workspace", "profile"] {
        manifest.remove(part);
    }
    table(&mut manifest, "package")?.remove("publish");
    let library = dependency(LIBRARY, &format!("../{LIBRARY}"), release.version);
    table(&mut manifest, "dependencies")?.insert(LIBRARY.into(), library);
    write_manifest(&manifest, folder)
}
