//! The container image: an OCI layout in a tar archive, which `podman load` and `skopeo` read.
//!
//! Its first layer has the C library and the certificates of Debian, its second the program.

use std::fs;

use std::path::Path;

use anyhow::{Context, Result};

use oci_spec::image::{
    ConfigBuilder, Descriptor, DescriptorBuilder, Digest, ImageConfigurationBuilder, ImageIndexBuilder,
    ImageManifestBuilder, MediaType, OciLayoutBuilder, RootFsBuilder,
};
use progress::Bar;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Release;
use super::archive::Tar;
use super::payload::{File, Payload, compress};
use super::program::Target;

/// Suite of Debian that the base comes from, and its packages.
const SUITE: &str = "trixie";
const PACKAGES: [&str; 2] = ["libc6", "ca-certificates"];

/// User of the program in the container: the number that other images without a shell use.
const USER: &str = "65532:65532";

const PASSWD: &str = "root:x:0:0::/root:/sbin/nologin\nweigh:x:65532:65532::/home/weigh:/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nweigh:x:65532:\n";

/// Writes the image.
pub fn write(release: &Release, target: Target, payload: &Payload) -> Result<()> {
    let mut layout = Layout { time: release.time, blobs: Vec::new() };
    let layers = [base_layer(target, release.time)?, program_layer(payload, release.time)?];
    let diff_ids: Vec<String> = layers.iter().map(|layer| digest(layer)).collect();
    let layers = layers.iter().map(|layer| layout.add(&compress(layer)?, MediaType::ImageLayerGzip));
    let layers = layers.collect::<Result<Vec<Descriptor>>>()?;

    let config = ConfigBuilder::default()
        .user(USER)
        .entrypoint(vec!["/usr/bin/weigh".to_owned()])
        .working_dir("/home/weigh")
        .env(vec!["PATH=/usr/bin".to_owned(), "HOME=/home/weigh".to_owned()])
        .labels([
            ("org.opencontainers.image.version".to_owned(), release.version.to_owned()),
            ("org.opencontainers.image.revision".to_owned(), release.commit.clone()),
            ("org.opencontainers.image.licenses".to_owned(), "MIT OR Apache-2.0".to_owned()),
        ])
        .build()?;
    let configuration = ImageConfigurationBuilder::default()
        .architecture(target.debian)
        .os("linux")
        .config(config)
        .rootfs(RootFsBuilder::default().typ("layers").diff_ids(diff_ids).build()?)
        .build()?;
    let configuration = layout.add_json(&configuration, MediaType::ImageConfig)?;
    let manifest = ImageManifestBuilder::default()
        .schema_version(2_u32)
        .media_type(MediaType::ImageManifest)
        .config(configuration)
        .layers(layers)
        .build()?;
    let mut manifest = layout.add_json(&manifest, MediaType::ImageManifest)?;
    let name = format!("weighbridge:{}", release.version);
    manifest.set_annotations(Some([("org.opencontainers.image.ref.name".to_owned(), name)].into()));
    let index = ImageIndexBuilder::default()
        .schema_version(2_u32)
        .media_type(MediaType::ImageIndex)
        .manifests(vec![manifest])
        .build()?;
    let name = format!("weighbridge-{}-{}.oci.tar", release.version, target.architecture());
    release.write(&name, &layout.pack(&serde_json::to_vec(&index)?)?)
}

/// Blobs of the image.
struct Layout {
    time: u64,
    blobs: Vec<(String, Vec<u8>)>,
}

impl Layout {
    fn add(&mut self, bytes: &[u8], media_type: MediaType) -> Result<Descriptor> {
        let digest = digest(bytes);
        let descriptor = DescriptorBuilder::default()
            .media_type(media_type)
            .digest(digest.parse::<Digest>()?)
            .size(bytes.len() as u64)
            .build()?;
        self.blobs.push((digest.replace("sha256:", "blobs/sha256/"), bytes.to_vec()));
        Ok(descriptor)
    }

    /// Adds a value with its maps sorted by key: those of `oci_spec` have another order in each
    /// run.
    fn add_json(&mut self, value: &impl Serialize, media_type: MediaType) -> Result<Descriptor> {
        let mut value = serde_json::to_value(value)?;
        value.sort_all_objects();
        self.add(&serde_json::to_vec(&value)?, media_type)
    }

    fn pack(self, index: &[u8]) -> Result<Vec<u8>> {
        let version = OciLayoutBuilder::default().image_layout_version("1.0.0").build()?;
        let mut layer = Tar::new(self.time);
        layer.add_file("oci-layout", &serde_json::to_vec(&version)?, 0o644)?;
        layer.add_file("index.json", index, 0o644)?;
        for (path, bytes) in &self.blobs {
            layer.add_file(path, bytes, 0o644)?;
        }
        layer.finish()
    }
}

fn base_layer(target: Target, time: u64) -> Result<Vec<u8>> {
    let root = tempfile::tempdir().context("cannot create a temporary folder")?;
    fetch::unpack_debian(SUITE, target.debian, &PACKAGES, root.path(), &Bar::with_steps_printed())?;
    // Installation scripts write these files in a running Debian.
    write_certificates(root.path())?;
    fs::write(root.path().join("etc/passwd"), PASSWD)?;
    fs::write(root.path().join("etc/group"), GROUP)?;
    fs::remove_dir_all(root.path().join("usr/share/doc")).ok();
    let mut layer = Tar::new(time);
    for (name, target) in [("bin", "usr/bin"), ("lib", "usr/lib"), ("lib64", "usr/lib64"), ("sbin", "usr/sbin")] {
        layer.add_link(name, Path::new(target))?;
    }
    layer.add_folder("tmp", 0o1777, 0)?;
    layer.add_folder("home/weigh", 0o755, 65532)?;
    layer.add_tree(root.path(), root.path())?;
    layer.finish()
}

/// Joins the certificates that the package has, as `update-ca-certificates` does.
fn write_certificates(root: &Path) -> Result<()> {
    let mut paths: Vec<_> = fs::read_dir(root.join("usr/share/ca-certificates/mozilla"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    let all = paths.iter().map(fs::read).collect::<std::io::Result<Vec<_>>>()?.concat();
    fs::create_dir_all(root.join("etc/ssl/certs"))?;
    Ok(fs::write(root.join("etc/ssl/certs/ca-certificates.crt"), all)?)
}

fn program_layer(payload: &Payload, time: u64) -> Result<Vec<u8>> {
    let mut layer = Tar::new(time);
    layer.add_file("usr/bin/weigh", &payload.program, 0o755)?;
    for File { path, bytes, mode } in payload.licence_files()? {
        layer.add_file(&format!("usr/share/doc/weighbridge/{path}"), &bytes, mode)?;
    }
    layer.finish()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(bytes))
}
