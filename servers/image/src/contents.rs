//! Manifests and configurations: the layers and the platform of an image.

use std::env::consts;

use oci_spec::image::{Arch, Descriptor, Digest, ImageIndex, ImageManifest, Os, RootFs};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Error, digest};

/// Maximum size of an image's layers as stored, together.
const MAX_STORED_BYTES: u64 = 32 << 30;

/// Maximum size of a manifest, configuration, token or list of tags in bytes. Registries have this
/// limit for manifests (distribution-spec, "Pushing Manifests").
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 4 << 20;

/// Layers of an image, the lowest first.
#[derive(Debug)]
pub(crate) struct Image {
    pub layers: Vec<Layer>,
}

#[derive(Debug)]
pub(crate) struct Layer {
    pub location: LayerLocation,
    /// Digest of the decompressed archive.
    pub diff_id: Digest,
}

/// Location of a layer in its storage.
#[derive(Debug)]
pub(crate) enum LayerLocation {
    /// A blob in a registry or an OCI layout. `size` is in bytes.
    Blob { digest: Digest, size: u64 },
    /// A file in an archive of `docker save`. `size` is in bytes.
    File { path: String, size: u64, is_compressed: bool },
}

impl Layer {
    /// Name for messages: the digest, or the file if there is no digest.
    pub fn name(&self) -> String {
        match &self.location {
            LayerLocation::Blob { digest, .. } => digest.to_string(),
            LayerLocation::File { path, .. } => path.clone(),
        }
    }
}

/// Used members of an image's configuration. `oci_spec`'s type rejects other members of old images.
#[derive(Deserialize)]
pub(crate) struct Configuration {
    architecture: Arch,
    os: Os,
    rootfs: RootFs,
}

impl Configuration {
    /// Returns the digests of the decompressed layers. Fails if the image is for another platform.
    pub fn diff_ids(self, what: &str) -> Result<Vec<Digest>, Error> {
        check_platform(&self.os, &self.architecture)?;
        let parse = |text: &String| {
            let digest = Digest::try_from(text.as_str());
            let digest = digest.map_err(|error| malformed(what, "image's configuration", &error))?;
            digest::check_algorithm(what, &digest)?;
            Ok(digest)
        };
        self.rootfs.diff_ids().iter().map(parse).collect()
    }
}

impl Image {
    /// Builds an image from a manifest and its configuration.
    pub fn new(manifest: &ImageManifest, configuration: Configuration, what: &str) -> Result<Self, Error> {
        let diff_ids = configuration.diff_ids(what)?;
        let blob = |layer: &Descriptor| LayerLocation::Blob { digest: layer.digest().clone(), size: layer.size() };
        let locations = manifest.layers().iter().map(blob).collect();
        Self::from_locations(locations, diff_ids, what)
    }

    /// Builds an image from its layers. Fails if the configuration has another number of layers.
    pub fn from_locations(locations: Vec<LayerLocation>, diff_ids: Vec<Digest>, what: &str) -> Result<Self, Error> {
        if locations.len() != diff_ids.len() {
            let reason = format!("it has {} layers, and its configuration names {}", locations.len(), diff_ids.len());
            return Err(Error::Malformed { what: what.to_owned(), expected: "image", reason });
        }
        let layers = locations.into_iter().zip(diff_ids).map(|(location, diff_id)| Layer { location, diff_id });
        let image = Self { layers: layers.collect() };
        let stored = |layer: &Layer| match &layer.location {
            LayerLocation::File { size, .. } | LayerLocation::Blob { size, .. } => *size,
        };
        let bytes = image.layers.iter().map(stored).fold(0, u64::saturating_add);
        if bytes > MAX_STORED_BYTES {
            let reason = format!("its layers have {bytes} bytes, more than {} GiB", MAX_STORED_BYTES >> 30);
            return Err(Error::Malformed { what: what.to_owned(), expected: "image", reason });
        }
        Ok(image)
    }

    /// Estimates the disk space that the image takes, in bytes. A compressed layer takes `ratio`
    /// times its size, another one its size and a quarter. Layers of a registry or an OCI layout
    /// count as compressed.
    pub fn unpacked_bytes(&self, ratio: u64) -> u64 {
        let size = |layer: &Layer| match &layer.location {
            LayerLocation::File { size, is_compressed: false, .. } => size.saturating_add(size / 4),
            LayerLocation::File { size, .. } | LayerLocation::Blob { size, .. } => size.saturating_mul(ratio),
        };
        self.layers.iter().map(size).fold(0, u64::saturating_add)
    }
}

/// A manifest, or an index of manifests for several platforms.
pub(crate) enum Document {
    Manifest(Box<ImageManifest>),
    Index(Box<ImageIndex>),
}

impl Document {
    /// Parses a document. An index is recognised by its member `manifests`: media types differ
    /// between Docker and OCI.
    pub fn parse(what: &str, bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            schema_version: Option<u32>,
            manifests: Option<serde::de::IgnoredAny>,
        }
        let members: Members = parse(what, "image manifest", bytes)?;
        if members.schema_version == Some(1) {
            let reason = "its schema version is 1, which registries no longer support; push the image again".into();
            return Err(Error::Malformed { what: what.to_owned(), expected: "image manifest", reason });
        }
        if members.manifests.is_some() {
            return parse(what, "image index", bytes).map(Self::Index);
        }
        parse(what, "image manifest", bytes).map(Self::Manifest)
    }
}

/// Selects the entries of an index for this machine's platform, and those without a platform.
pub(crate) fn select_for_host(index: &ImageIndex) -> Result<Vec<&Descriptor>, Error> {
    let is_suitable = |descriptor: &&Descriptor| match descriptor.platform() {
        Some(platform) => *platform.os() == Os::Linux && *platform.architecture() == Arch::default(),
        None => true,
    };
    let suitable: Vec<&Descriptor> = index.manifests().iter().filter(is_suitable).collect();
    if !suitable.is_empty() {
        return Ok(suitable);
    }
    let platforms = index.manifests().iter().filter_map(|descriptor| descriptor.platform().as_ref());
    // Attestations have the platform "unknown/unknown".
    let mut images: Vec<String> = platforms
        .map(|platform| format!("{}/{}", platform.os(), platform.architecture()))
        .filter(|platform| !platform.starts_with("unknown/"))
        .collect();
    images.dedup();
    if images.is_empty() {
        return Err(Error::NoImage);
    }
    Err(Error::Platform { images, host: host_platform() })
}

fn check_platform(os: &Os, architecture: &Arch) -> Result<(), Error> {
    if *os == Os::Linux && *architecture == Arch::default() {
        return Ok(());
    }
    Err(Error::Platform { images: vec![format!("{os}/{architecture}")], host: host_platform() })
}

fn host_platform() -> String {
    format!("{}/{}", consts::OS, Arch::default())
}

pub(crate) fn parse<T: DeserializeOwned>(what: &str, expected: &'static str, bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| malformed(what, expected, &error))
}

fn malformed(what: &str, expected: &'static str, error: &dyn std::error::Error) -> Error {
    Error::Malformed { what: what.to_owned(), expected, reason: error.to_string() }
}
