//! Images in folders: an OCI layout (image-spec, `image-layout.md`), or an unpacked archive of
//! `docker save` or `podman save`.

use std::fs::File;
use std::path::{Path, PathBuf};

use oci_spec::image::{Descriptor, Digest};
use serde::Deserialize;

use crate::contents::{self, Configuration, Document, Image, Layer, LayerLocation, MAX_DOCUMENT_BYTES};
use crate::monitor::Monitor;
use crate::root_path::resolve_in_root;
use crate::unpack::{self, LayerSource};
use crate::{Error, digest};

/// Index of an OCI layout.
const INDEX: &str = "index.json";
/// List of images in an archive of `docker save`. Newer versions of Docker also write an OCI
/// layout.
const DOCKER_MANIFEST: &str = "manifest.json";
/// Annotation with the name of an image in an index.
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A folder with a packed image.
pub struct Layout {
    folder: PathBuf,
    image: Image,
    digest: String,
}

/// An entry of [`DOCKER_MANIFEST`].
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DockerImage {
    config: String,
    repo_tags: Option<Vec<String>>,
    layers: Vec<String>,
}

impl DockerImage {
    /// Returns the tags, or the file of the configuration of an image without tags.
    fn name(&self) -> String {
        let tags = self.repo_tags.as_deref().unwrap_or_default();
        if tags.is_empty() { self.config.clone() } else { tags.join(" ") }
    }
}

impl Layout {
    /// True if `folder` contains a packed image.
    pub fn exists_in(folder: &Path) -> bool {
        (folder.join("oci-layout").is_file() && folder.join(INDEX).is_file()) || folder.join(DOCKER_MANIFEST).is_file()
    }

    /// Reads the image for this machine. Fails if there is none, or if there are several.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let folder = folder.to_owned();
        let (digest, image) =
            if folder.join(DOCKER_MANIFEST).is_file() { read_docker_image(&folder)? } else { read_oci_image(&folder)? };
        Ok(Self { folder, image, digest })
    }

    /// Digest of the manifest, or for an archive of `docker save` of the configuration.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Estimates the disk space that the unpacked image takes, in bytes, if a compressed layer
    /// takes `ratio` times its size.
    pub fn unpacked_bytes(&self, ratio: u64) -> u64 {
        self.image.unpacked_bytes(ratio)
    }

    /// Unpacks the image into `root`. `title` names the image for `monitor`.
    pub fn unpack(&self, root: &Path, title: &str, monitor: &dyn Monitor) -> Result<(), Error> {
        unpack::unpack(&self.image, self, root, title, monitor)
    }
}

impl LayerSource for Layout {
    fn open_layer(&self, layer: &Layer, _monitor: &dyn Monitor) -> Result<File, Error> {
        let what = format!("the layer {}", layer.name());
        match &layer.location {
            LayerLocation::File { path, .. } => open_file(&self.folder, Path::new(path)),
            LayerLocation::Blob { digest, .. } => {
                digest::check_algorithm(&what, digest)?;
                let mut file = open_file(&self.folder, &blob_path(digest))?;
                digest::check_file(&what, digest.as_ref(), &mut file)?;
                Ok(file)
            }
        }
    }
}

/// Reads the image of an OCI layout. Returns the digest of its manifest and the image.
fn read_oci_image(folder: &Path) -> Result<(String, Image), Error> {
    let mut bytes = read_file(folder, Path::new(INDEX))?;
    let mut what = format!("{INDEX} of {}", folder.display());
    // The digest of the index itself, should it be a manifest.
    let mut digest = digest::sha256(&bytes);
    // An index may contain indexes. No known tool nests more than two.
    for _ in 0..3 {
        match Document::parse(&what, &bytes)? {
            Document::Manifest(manifest) => {
                let configuration = read_blob(folder, manifest.config(), "the configuration")?;
                let configuration: Configuration = contents::parse(&what, "image configuration", &configuration)?;
                return Ok((digest, Image::new(&manifest, configuration, &what)?));
            }
            Document::Index(index) => {
                let descriptor = require_single(contents::select_for_host(&index)?)?;
                digest = descriptor.digest().to_string();
                what = format!("the manifest {digest}");
                bytes = read_blob(folder, descriptor, "the manifest")?;
            }
        }
    }
    Err(Error::Malformed { what, expected: "image", reason: "its indexes are nested too deeply".into() })
}

fn require_single(descriptors: Vec<&Descriptor>) -> Result<&Descriptor, Error> {
    let name = |descriptor: &&Descriptor| {
        let annotations = descriptor.annotations().as_ref();
        annotations.and_then(|all| all.get(REF_NAME)).cloned().unwrap_or_else(|| descriptor.digest().to_string())
    };
    match descriptors[..] {
        [] => Err(Error::NoImage),
        // One image may have several names.
        [first, ref rest @ ..] if rest.iter().all(|other| other.digest() == first.digest()) => Ok(first),
        _ => Err(Error::MultipleImages { names: descriptors.iter().map(name).collect() }),
    }
}

/// Reads the image of `docker save`. Returns the digest of its configuration, which is the image's
/// id, and the image.
fn read_docker_image(folder: &Path) -> Result<(String, Image), Error> {
    let what = format!("{DOCKER_MANIFEST} of {}", folder.display());
    let images: Vec<DockerImage> =
        contents::parse(&what, "list of images", &read_file(folder, Path::new(DOCKER_MANIFEST))?)?;
    let image = match &images[..] {
        [] => return Err(Error::NoImage),
        [image] => image,
        _ => return Err(Error::MultipleImages { names: images.iter().map(DockerImage::name).collect() }),
    };
    let configuration = read_file(folder, Path::new(&image.config))?;
    let id = digest::sha256(&configuration);
    // The file is `<id>.json`, or `blobs/sha256/<id>` in newer archives.
    let expected = Path::new(&image.config).file_stem().unwrap_or_default().to_string_lossy();
    digest::check("the configuration", &format!("sha256:{expected}"), id.clone())?;
    let configuration: Configuration = contents::parse(&what, "image configuration", &configuration)?;
    let locations = image.layers.iter().map(|path| locate_file(folder, path)).collect::<Result<_, _>>()?;
    Ok((id, Image::from_locations(locations, configuration.diff_ids(&what)?, &what)?))
}

fn locate_file(folder: &Path, path: &str) -> Result<LayerLocation, Error> {
    let file = open_file(folder, Path::new(path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    let is_compressed = unpack::is_compressed(file).map_err(Error::io("read", path))?;
    Ok(LayerLocation::File { path: path.to_owned(), size, is_compressed })
}

fn blob_path(digest: &Digest) -> PathBuf {
    Path::new("blobs").join(digest.algorithm().as_ref()).join(digest.digest())
}

/// Reads a manifest or configuration of an OCI layout.
fn read_blob(folder: &Path, descriptor: &Descriptor, what: &str) -> Result<Vec<u8>, Error> {
    let what = format!("{what} {}", descriptor.digest());
    digest::check_algorithm(&what, descriptor.digest())?;
    let bytes = read_file(folder, &blob_path(descriptor.digest()))?;
    digest::check(&what, descriptor.digest().as_ref(), digest::sha256(&bytes))?;
    Ok(bytes)
}

/// Reads a document of the layout.
fn read_file(folder: &Path, path: &Path) -> Result<Vec<u8>, Error> {
    let path = resolve_in_root(folder, path).map_err(Error::io("find", folder.join(path)))?;
    files::read_small(&path, MAX_DOCUMENT_BYTES).map_err(Error::io("read", &path))
}

/// Opens a file of the layout. Old versions of Docker link equal layers. Links are resolved within
/// the folder.
fn open_file(folder: &Path, path: &Path) -> Result<File, Error> {
    let path = resolve_in_root(folder, path).map_err(Error::io("find", folder.join(path)))?;
    files::open_regular(&path).map_err(Error::io("open", &path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// Opens a folder with one file, and returns the error.
    fn refusal(file: &str, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), text).unwrap();
        Layout::open(folder.path()).err().unwrap().to_string()
    }

    /// The digest is the image's key in the cache.
    #[test]
    fn an_index_that_is_a_manifest_has_a_digest() {
        let folder = tempfile::tempdir().unwrap();
        let architecture = oci_spec::image::Arch::default();
        let configuration = format!(
            r#"{{"architecture": "{architecture}", "os": "linux", "rootfs": {{"type": "layers", "diff_ids": []}}}}"#
        );
        let id = digest::sha256(configuration.as_bytes());
        let blobs = folder.path().join("blobs/sha256");
        fs::create_dir_all(&blobs).unwrap();
        fs::write(blobs.join(id.trim_start_matches("sha256:")), &configuration).unwrap();
        let manifest = format!(
            r#"{{"schemaVersion": 2, "layers": [], "config": {{"digest": "{id}", "size": {},
                "mediaType": "application/vnd.oci.image.config.v1+json"}}}}"#,
            configuration.len()
        );
        fs::write(folder.path().join(INDEX), &manifest).unwrap();
        assert_eq!(Layout::open(folder.path()).unwrap().digest(), digest::sha256(manifest.as_bytes()));
    }

    #[test]
    fn layers_of_docker_save_have_a_size() {
        let folder = tempfile::tempdir().unwrap();
        let architecture = oci_spec::image::Arch::default();
        let zeros = "0".repeat(64);
        let configuration = format!(
            r#"{{"architecture": "{architecture}", "os": "linux", "rootfs":
                {{"type": "layers", "diff_ids": ["sha256:{zeros}", "sha256:{zeros}"]}}}}"#
        );
        let id = digest::sha256(configuration.as_bytes()).trim_start_matches("sha256:").to_owned();
        fs::write(folder.path().join(format!("{id}.json")), &configuration).unwrap();
        File::create(folder.path().join("plain.tar")).unwrap().set_len(1 << 30).unwrap();
        fs::write(folder.path().join("packed.tar.gz"), [&[0x1f, 0x8b][..], &[0; 998]].concat()).unwrap();
        let text = format!(r#"[{{"Config": "{id}.json", "Layers": ["plain.tar", "packed.tar.gz"]}}]"#);
        fs::write(folder.path().join(DOCKER_MANIFEST), text).unwrap();
        let layout = Layout::open(folder.path()).unwrap();
        assert_eq!(layout.unpacked_bytes(5), (1 << 30) + (1 << 28) + 5 * 1000);
    }

    #[test]
    fn says_how_many_images_there_are() {
        assert_eq!(refusal(DOCKER_MANIFEST, "[]"), "it contains no image");
        assert_eq!(refusal(INDEX, r#"{"schemaVersion": 2, "manifests": []}"#), "it contains no image");
        let two = r#"[{"Config": "a.json", "RepoTags": ["mysql:9", "mysql:latest"], "Layers": []},
                      {"Config": "b.json", "RepoTags": null, "Layers": []}]"#;
        assert_eq!(
            refusal(DOCKER_MANIFEST, two),
            "it contains 2 images (mysql:9 mysql:latest, b.json); save only one of them"
        );
    }

    #[test]
    fn documents_are_small_and_no_file_is_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = fs::File::create(folder.path().join(DOCKER_MANIFEST)).unwrap();
        manifest.set_len(3 << 30).unwrap();
        let error = Layout::open(folder.path()).err().unwrap().to_string();
        assert!(error.contains("more than 4194304 bytes"), "{error}");
        let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
        assert!(made.success());
        let text = r#"[{"Config": "pipe", "RepoTags": ["a:b"], "Layers": ["pipe"]}]"#;
        fs::write(folder.path().join(DOCKER_MANIFEST), text).unwrap();
        let document = Layout::open(folder.path()).err().unwrap();
        let layer = open_file(folder.path(), Path::new("pipe")).unwrap_err();
        for error in [document, layer] {
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
    }
}
