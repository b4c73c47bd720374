//! The container image, unpacked by the project's own code and run as its user.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use image::{Layout, Monitor};
use serde_json::Value;

use super::Files;
use super::root::Root;
use crate::bindings::{create_empty_folder, root, succeed};
use crate::release::program::{AMD64, Target};

pub fn try_image(files: &Files) -> Result<()> {
    let unpacked = unpack(files, AMD64)?;
    fs::create_dir_all(unpacked.folder.join("proc"))?;
    let version = unpacked.output_as("65532:65532", &["/usr/bin/weigh", "--version"], &[0])?;
    ensure!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    eprintln!("image: {}", version.trim());
    Ok(())
}

/// Unpacks the image for this machine, as `weigh` unpacks a server's image.
fn unpack(files: &Files, target: Target) -> Result<Root> {
    let layout = unpack_layout(files, target)?;
    let unpacked = Root { suite: "image".into(), folder: layout.with_file_name("root") };
    Layout::open(&layout)?.unpack(&unpacked.folder, "the image", &Silent)?;
    Ok(unpacked)
}

/// Unpacks the layers of an image for another architecture, and returns their folder. `Layout`
/// refuses such an image.
pub fn unpack_layers(files: &Files, target: Target) -> Result<PathBuf> {
    let layout = unpack_layout(files, target)?;
    let folder = layout.with_file_name("root");
    let blob = |descriptor: &Value| {
        let digest = descriptor["digest"].as_str().context("a digest")?;
        Ok::<_, anyhow::Error>(layout.join("blobs").join(digest.replace(':', "/")))
    };
    let read = |path: &Path| Ok::<Value, anyhow::Error>(serde_json::from_slice(&fs::read(path)?)?);
    let manifest = read(&blob(&read(&layout.join("index.json"))?["manifests"][0])?)?;
    for layer in manifest["layers"].as_array().context("the image's layers")? {
        image::unpack_archive(File::open(blob(layer)?)?, "a layer", &folder, &Silent)?;
    }
    Ok(folder)
}

/// Unpacks the archive of a target's image, and returns the folder of the layout.
fn unpack_layout(files: &Files, target: Target) -> Result<PathBuf> {
    let folder = root().join("target/release-roots/image").join(target.debian);
    create_empty_folder(&folder)?;
    let layout = folder.join("layout");
    create_empty_folder(&layout)?;
    let archive = files.find("weighbridge-", &format!("-{}.oci.tar", target.architecture()))?;
    succeed(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&layout))?;
    Ok(layout)
}

struct Silent;

impl Monitor for Silent {
    fn step(&self, _description: &str) {}

    fn fraction(&self, _done: f64) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}
