//! An image on disk: an OCI layout (image-spec, `image-layout.md`), or what is in an archive of `docker save` or
//! `podman save`, unpacked.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use oci_spec::image::{Descriptor, Digest};
use serde::Deserialize;

use crate::contents::{self, Configuration, Document, Image, Layer, Place};
use crate::inside::inside;
use crate::unpack::{self, Source};
use crate::watch::Watch;
use crate::{Error, digest};

/// The index of an OCI layout.
const INDEX: &str = "index.json";
/// The list of images in an archive of `docker save`. Newer Dockers write it beside an OCI layout.
const SAVED: &str = "manifest.json";
/// The name of an image in an index.
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A folder with an image that is not unpacked.
pub struct Layout {
    folder: PathBuf,
    image: Image,
    digest: String,
}

/// An image that `docker save` has written.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    repo_tags: Option<Vec<String>>,
    layers: Vec<String>,
}

impl Layout {
    /// Whether a folder holds an image that is not unpacked.
    pub fn is_in(folder: &Path) -> bool {
        (folder.join("oci-layout").is_file() && folder.join(INDEX).is_file()) || folder.join(SAVED).is_file()
    }

    /// Reads what image there is for this machine. More than one is an error.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let folder = folder.to_owned();
        let (digest, image) = if folder.join(SAVED).is_file() { saved(&folder)? } else { indexed(&folder)? };
        Ok(Self { folder, image, digest })
    }

    /// The digest of the image's manifest, or of its configuration where `docker save` has left out the manifest.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Bytes of the layers as they are stored, where the layout tells them.
    pub fn bytes(&self) -> u64 {
        self.image.stored_bytes()
    }

    /// Unpacks the image into `root`. `title` is what the watcher is told.
    pub fn unpack(&self, root: &Path, title: &str, watch: &dyn Watch) -> Result<(), Error> {
        unpack::unpack(&self.image, self, root, title, watch)
    }
}

impl Source for Layout {
    fn layer(&self, layer: &Layer, _watch: &dyn Watch) -> Result<File, Error> {
        let what = format!("the layer {}", layer.name());
        match &layer.place {
            Place::File(path) => open(&self.folder, Path::new(path)),
            Place::Blob { digest, .. } => {
                digest::check_algorithm(&what, digest)?;
                let mut file = open(&self.folder, &blob_path(digest))?;
                digest::check_file(&what, digest.as_ref(), &mut file)?;
                Ok(file)
            }
        }
    }
}

/// The image of an OCI layout, with the digest of its manifest.
fn indexed(folder: &Path) -> Result<(String, Image), Error> {
    let mut bytes = read(folder, Path::new(INDEX))?;
    let mut what = format!("{INDEX} of {}", folder.display());
    let mut digest = String::new();
    // An index may hold indexes; three deep is more than any tool writes.
    for _ in 0..3 {
        match Document::parse(&what, &bytes)? {
            Document::Manifest(manifest) => {
                let configuration = blob(folder, manifest.config(), "the configuration")?;
                let configuration: Configuration = contents::parse(&what, "image configuration", &configuration)?;
                return Ok((digest, Image::new(&manifest, configuration, &what)?));
            }
            Document::Index(index) => {
                let descriptor = the_only(contents::for_this_machine(&index)?)?;
                digest = descriptor.digest().to_string();
                what = format!("the manifest {digest}");
                bytes = blob(folder, descriptor, "the manifest")?;
            }
        }
    }
    Err(Error::Malformed { what, expected: "image", reason: "its indexes lead to more indexes".into() })
}

fn the_only(descriptors: Vec<&Descriptor>) -> Result<&Descriptor, Error> {
    let name = |descriptor: &&Descriptor| {
        let annotations = descriptor.annotations().as_ref();
        annotations.and_then(|all| all.get(REF_NAME)).cloned().unwrap_or_else(|| descriptor.digest().to_string())
    };
    match descriptors[..] {
        [] => Err(Error::Several { names: Vec::new() }),
        // One image may have several names.
        [first, ref rest @ ..] if rest.iter().all(|other| other.digest() == first.digest()) => Ok(first),
        _ => Err(Error::Several { names: descriptors.iter().map(name).collect() }),
    }
}

/// The image that `docker save` has written, with the digest of its configuration, which is the image's id.
fn saved(folder: &Path) -> Result<(String, Image), Error> {
    let what = format!("{SAVED} of {}", folder.display());
    let images: Vec<Saved> = contents::parse(&what, "list of images", &read(folder, Path::new(SAVED))?)?;
    let [image] = &images[..] else {
        let name = |image: &Saved| image.repo_tags.as_deref().unwrap_or_default().join(" ");
        return Err(Error::Several { names: images.iter().map(name).collect() });
    };
    let configuration = read(folder, Path::new(&image.config))?;
    let id = digest::of(&configuration);
    // `<id>.json`, in newer archives `blobs/sha256/<id>`.
    let expected = Path::new(&image.config).file_stem().unwrap_or_default().to_string_lossy();
    digest::check("the configuration", &format!("sha256:{expected}"), id.clone())?;
    let configuration: Configuration = contents::parse(&what, "image configuration", &configuration)?;
    let places = image.layers.iter().cloned().map(Place::File).collect();
    Ok((id, Image::of_places(places, configuration.diff_ids(&what)?, &what)?))
}

fn blob_path(digest: &Digest) -> PathBuf {
    Path::new("blobs").join(digest.algorithm().as_ref()).join(digest.digest())
}

/// A manifest or configuration of an OCI layout.
fn blob(folder: &Path, descriptor: &Descriptor, what: &str) -> Result<Vec<u8>, Error> {
    let what = format!("{what} {}", descriptor.digest());
    digest::check_algorithm(&what, descriptor.digest())?;
    let bytes = read(folder, &blob_path(descriptor.digest()))?;
    digest::check(&what, descriptor.digest().as_ref(), digest::of(&bytes))?;
    Ok(bytes)
}

fn read(folder: &Path, path: &Path) -> Result<Vec<u8>, Error> {
    let path = inside(folder, path).map_err(Error::io("find", folder.join(path)))?;
    fs::read(&path).map_err(Error::io("read", &path))
}

/// A file of the layout. A link in it, as old Dockers write them between equal layers, leads nowhere but inside.
fn open(folder: &Path, path: &Path) -> Result<File, Error> {
    let path = inside(folder, path).map_err(Error::io("find", folder.join(path)))?;
    File::open(&path).map_err(Error::io("open", &path))
}
