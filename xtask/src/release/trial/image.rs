//! The container image, unpacked by the project's own code and run as its user.

use anyhow::{Result, ensure};
use image::{Layout, Monitor};

use super::Files;
use super::root::Root;
use crate::bindings::{create_empty_folder, root, succeed};
use crate::release::program::{AMD64, Target};

pub fn try_image(files: &Files) -> Result<()> {
    let unpacked = unpack(files, AMD64)?;
    std::fs::create_dir_all(unpacked.folder.join("proc"))?;
    let version = unpacked.output_as("65532:65532", &["/usr/bin/weigh", "--version"], &[0])?;
    ensure!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    eprintln!("image: {}", version.trim());
    Ok(())
}

/// Unpacks the image of a target.
pub fn unpack(files: &Files, target: Target) -> Result<Root> {
    let folder = root().join("target/release-roots/image").join(target.debian);
    create_empty_folder(&folder)?;
    let layout = folder.join("layout");
    create_empty_folder(&layout)?;
    let archive = files.find("weighbridge-", &format!("-{}.oci.tar", target.architecture()))?;
    succeed(std::process::Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&layout))?;
    let unpacked = Root { suite: "image".into(), folder: folder.join("root") };
    Layout::open(&layout)?.unpack(&unpacked.folder, "the image", &Silent)?;
    Ok(unpacked)
}

struct Silent;

impl Monitor for Silent {
    fn step(&self, _description: &str) {}

    fn fraction(&self, _done: f64) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}
