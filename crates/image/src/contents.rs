//! Manifests and configurations: which layers an image has, and for which machine it is.

use std::env::consts;

use oci_spec::image::{Arch, Descriptor, Digest, ImageIndex, ImageManifest, Os, RootFs};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Error, digest};

/// What of an image is needed to unpack it.
#[derive(Debug)]
pub(crate) struct Image {
    pub layers: Vec<Layer>,
}

/// A layer of an image.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Where its bytes are.
    pub place: Place,
    /// The digest of its archive, decompressed.
    pub diff_id: Digest,
}

/// Where the bytes of a layer are.
#[derive(Debug)]
pub(crate) enum Place {
    /// Under a digest, in a registry or an OCI layout.
    Blob { digest: Digest, size: u64 },
    /// In a file of what `docker save` wrote.
    File(String),
}

impl Layer {
    /// For messages: its digest, or its file where it has none.
    pub fn name(&self) -> String {
        match &self.place {
            Place::Blob { digest, .. } => digest.to_string(),
            Place::File(path) => path.clone(),
        }
    }
}

/// Of a configuration, what matters here. Old images hold much that today's types would refuse.
#[derive(Deserialize)]
pub(crate) struct Configuration {
    architecture: Arch,
    os: Os,
    rootfs: RootFs,
}

impl Configuration {
    /// The digests of the layers' archives, if the image is for this machine.
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
    /// The image of a manifest and its configuration.
    pub fn new(manifest: &ImageManifest, configuration: Configuration, what: &str) -> Result<Self, Error> {
        let diff_ids = configuration.diff_ids(what)?;
        let blob = |layer: &Descriptor| Place::Blob { digest: layer.digest().clone(), size: layer.size() };
        let places = manifest.layers().iter().map(blob).collect();
        Self::of_places(places, diff_ids, what)
    }

    /// The image of as many layers as its configuration names.
    pub fn of_places(places: Vec<Place>, diff_ids: Vec<Digest>, what: &str) -> Result<Self, Error> {
        if places.len() != diff_ids.len() {
            let reason = format!("it has {} layers, and its configuration names {}", places.len(), diff_ids.len());
            return Err(Error::Malformed { what: what.to_owned(), expected: "image", reason });
        }
        let layers = places.into_iter().zip(diff_ids).map(|(place, diff_id)| Layer { place, diff_id });
        Ok(Self { layers: layers.collect() })
    }

    /// Bytes of its layers as they are stored, where they are known.
    pub fn stored_bytes(&self) -> u64 {
        let size = |layer: &Layer| match &layer.place {
            Place::Blob { size, .. } => *size,
            Place::File(_) => 0,
        };
        self.layers.iter().map(size).sum()
    }
}

/// A manifest, or an index of manifests for several machines.
pub(crate) enum Document {
    Manifest(Box<ImageManifest>),
    Index(Box<ImageIndex>),
}

impl Document {
    /// Reads one. What it is, its members tell: media types differ between Docker's and OCI's documents.
    pub fn parse(what: &str, bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            schema_version: Option<u32>,
            manifests: Option<serde::de::IgnoredAny>,
        }
        let members: Members = parse(what, "image manifest", bytes)?;
        if members.schema_version == Some(1) {
            let reason = "its schema is version 1, which registries have given up; push it anew".into();
            return Err(Error::Malformed { what: what.to_owned(), expected: "image manifest", reason });
        }
        if members.manifests.is_some() {
            return parse(what, "image index", bytes).map(Self::Index);
        }
        parse(what, "image manifest", bytes).map(Self::Manifest)
    }
}

/// The entries of an index that are for this machine. Those without a platform may be for any.
pub(crate) fn for_this_machine(index: &ImageIndex) -> Result<Vec<&Descriptor>, Error> {
    let is_ours = |descriptor: &&Descriptor| match descriptor.platform() {
        Some(platform) => *platform.os() == Os::Linux && *platform.architecture() == Arch::default(),
        None => true,
    };
    let ours: Vec<&Descriptor> = index.manifests().iter().filter(is_ours).collect();
    if !ours.is_empty() {
        return Ok(ours);
    }
    let platforms = index.manifests().iter().filter_map(|descriptor| descriptor.platform().as_ref());
    // Attestations are listed as images for "unknown/unknown".
    let mut images: Vec<String> = platforms
        .map(|platform| format!("{}/{}", platform.os(), platform.architecture()))
        .filter(|platform| !platform.starts_with("unknown/"))
        .collect();
    images.dedup();
    Err(Error::Platform { images, host: host() })
}

fn check_platform(os: &Os, architecture: &Arch) -> Result<(), Error> {
    if *os == Os::Linux && *architecture == Arch::default() {
        return Ok(());
    }
    Err(Error::Platform { images: vec![format!("{os}/{architecture}")], host: host() })
}

fn host() -> String {
    format!("{}/{}", consts::OS, Arch::default())
}

pub(crate) fn parse<T: DeserializeOwned>(what: &str, expected: &'static str, bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| malformed(what, expected, &error))
}

fn malformed(what: &str, expected: &'static str, error: &dyn std::error::Error) -> Error {
    Error::Malformed { what: what.to_owned(), expected, reason: error.to_string() }
}
