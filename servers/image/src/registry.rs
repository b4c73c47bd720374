//! Images in registries (distribution-spec).

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docker_credential::DockerCredential;
use oci_spec::image::{Descriptor, Digest};
use serde::Deserialize;
use ureq::Body;
use ureq::http::Response;

use crate::client::{self, Client, ExpectedFile};
use crate::contents::{self, Configuration, Document, Image, Layer, LayerLocation, MAX_DOCUMENT_BYTES};
use crate::monitor::Monitor;
use crate::unpack::{self, LayerSource};
use crate::{Error, Name, credentials, digest};

/// Maximum number of tags in an error message.
const MAX_NEAREST_TAGS: usize = 5;

/// Media types of Docker's and OCI's manifests and indexes.
const ACCEPT: &str = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, \
                      application/vnd.docker.distribution.manifest.list.v2+json, \
                      application/vnd.docker.distribution.manifest.v2+json";

/// An image for this machine in a registry.
pub struct Remote {
    name: Name,
    registry: Registry,
    digest: String,
    image: Image,
}

impl Remote {
    /// Reads the manifest and configuration of an image from its registry.
    pub fn find(name: &Name) -> Result<Self, Error> {
        let registry = Registry::for_image(name)?;
        let mut version = name.tag_or_digest().to_owned();
        // An index may contain indexes. No known tool nests more than two.
        for _ in 0..3 {
            let (digest, bytes) = registry.read_manifest(&version)?;
            let what = format!("the manifest of {name}");
            match Document::parse(&what, &bytes)? {
                Document::Manifest(manifest) => {
                    let configuration = registry.read_configuration(manifest.config())?;
                    let image = Image::new(&manifest, configuration, &what)?;
                    return Ok(Self { name: name.clone(), registry, digest, image });
                }
                Document::Index(index) => {
                    let suitable = contents::select_for_host(&index)?;
                    version = suitable.first().map(|descriptor| descriptor.digest().to_string()).unwrap_or_default();
                }
            }
        }
        let reason = "its indexes are nested too deeply".into();
        Err(Error::Malformed { what: name.to_string(), expected: "image", reason })
    }

    /// Digest of the manifest for this machine.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Estimates the disk space that the unpacked image takes, in bytes, if a layer takes `ratio`
    /// times its size.
    pub fn unpacked_bytes(&self, ratio: u64) -> u64 {
        self.image.unpacked_bytes(ratio)
    }

    /// Downloads the layers one at a time into temporary files in `work`, and unpacks them into
    /// `root`.
    pub fn unpack(&self, root: &Path, work: &Path, monitor: &dyn Monitor) -> Result<(), Error> {
        let download = Download { remote: self, work, number: Cell::new(0) };
        unpack::unpack(&self.image, &download, root, &self.name.to_string(), monitor)
    }
}

/// Download of an image's layers.
struct Download<'a> {
    remote: &'a Remote,
    work: &'a Path,
    /// Number of the current layer, from 1.
    number: Cell<usize>,
}

impl LayerSource for Download<'_> {
    fn open_layer(&self, layer: &Layer, monitor: &dyn Monitor) -> Result<File, Error> {
        let Remote { name, registry, image, .. } = self.remote;
        self.number.set(self.number.get() + 1);
        monitor.step(&format!("downloading {name}, layer {} of {}", self.number.get(), image.layers.len()));
        let mut file = tempfile::tempfile_in(self.work).map_err(Error::io("create a file in", self.work))?;
        if let LayerLocation::Blob { digest, size } = &layer.location {
            registry.download_blob(digest, *size, &mut file, monitor)?;
        }
        Ok(file)
    }
}

/// Connection to one repository of a registry.
struct Registry {
    client: Client,
    /// Host and port as in the image's name.
    host: String,
    repository: String,
    credential: Option<DockerCredential>,
    /// Value of the `Authorization` header. `None` until the registry requests a login.
    authorization: RefCell<Option<String>>,
}

impl Registry {
    fn for_image(name: &Name) -> Result<Self, Error> {
        let reference = name.reference();
        let host = reference.registry();
        Ok(Self {
            client: Client::new(if host == "docker.io" { "registry-1.docker.io" } else { host }),
            host: host.to_owned(),
            repository: reference.repository().to_owned(),
            credential: credentials::find(reference)?,
            authorization: RefCell::new(None),
        })
    }

    /// Reads the manifest of a tag or digest. Returns its digest and content.
    fn read_manifest(&self, version: &str) -> Result<(String, Vec<u8>), Error> {
        let what = format!("the manifest {version}");
        let response = self.get(&format!("manifests/{version}"), &[("accept", ACCEPT)])?;
        if response.status() == 404 {
            return Err(self.missing_tag_error(version));
        }
        let header = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok());
        // For a tag, only the registry's header has a digest. Without a SHA-256 there, the manifest
        // is not verified.
        let expected =
            if version.starts_with("sha256:") { Some(version.to_owned()) } else { header.map(str::to_owned) };
        let bytes = self.read(response, &what)?;
        let actual = digest::sha256(&bytes);
        match expected {
            Some(expected) if expected.starts_with("sha256:") => digest::check(&what, &expected, actual.clone())?,
            _ => {}
        }
        Ok((actual, bytes))
    }

    fn read_configuration(&self, descriptor: &Descriptor) -> Result<Configuration, Error> {
        let digest = descriptor.digest().to_string();
        let what = format!("the configuration {digest}");
        digest::check_algorithm(&what, descriptor.digest())?;
        let response = self.get(&format!("blobs/{digest}"), &[])?;
        let bytes = self.read(response, &what)?;
        digest::check(&what, &digest, digest::sha256(&bytes))?;
        contents::parse(&what, "image configuration", &bytes)
    }

    /// Downloads a layer and verifies its digest.
    fn download_blob(&self, digest: &Digest, size: u64, file: &mut File, monitor: &dyn Monitor) -> Result<(), Error> {
        let what = format!("the layer {digest}");
        digest::check_algorithm(&what, digest)?;
        // More than the size: a longer layer should fail by its digest.
        let max_bytes = size.saturating_add(1 << 16);
        let expected = ExpectedFile { what: &what, digest: digest.as_ref(), size: Some(size), max_bytes };
        let path = format!("blobs/{digest}");
        client::download_verified(&self.client, &expected, file, monitor, |offset| match offset {
            0 => self.get(&path, &[]),
            _ => self.get(&path, &[("range", &format!("bytes={offset}-"))]),
        })
    }

    /// Sends a GET request for a path in the repository. Logs in if the registry requests it.
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let response = self.get_once(path, headers)?;
        if response.status() != 401 {
            return self.check_access(response);
        }
        let challenge = response.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
        let authorization = self.authorize(challenge.unwrap_or_default())?;
        *self.authorization.borrow_mut() = Some(authorization);
        self.check_access(self.get_once(path, headers)?)
    }

    fn get_once(&self, path: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let url = self.client.url(&format!("/v2/{}/{path}", self.repository));
        let authorization = self.authorization.borrow().clone();
        let mut headers = headers.to_vec();
        headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
        self.client.get(&url, &headers)
    }

    fn check_access(&self, response: Response<Body>) -> Result<Response<Body>, Error> {
        match response.status().as_u16() {
            401 | 403 => Err(self.denied_error()),
            429 => Err(Error::RateLimited { registry: self.host.clone() }),
            _ => Ok(response),
        }
    }

    /// Answers a challenge (RFC 7235; distribution-spec, "Token Authentication"). Returns the value
    /// of the `Authorization` header.
    fn authorize(&self, challenge: &str) -> Result<String, Error> {
        let (scheme, parameters) = challenge.split_once(' ').unwrap_or((challenge, ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return match &self.credential {
                Some(DockerCredential::UsernamePassword(user, password)) => Ok(basic_authorization(user, password)),
                _ => Err(self.denied_error()),
            };
        }
        let realm = challenge_parameter(parameters, "realm").filter(|_| scheme.eq_ignore_ascii_case("bearer"));
        let realm = realm.ok_or_else(|| self.denied_error())?;
        let token = self.request_token(realm, challenge_parameter(parameters, "service").unwrap_or_default())?;
        Ok(format!("Bearer {token}"))
    }

    fn request_token(&self, realm: &str, service: &str) -> Result<String, Error> {
        // The request contains the credentials, so it uses HTTPS, except on loopback.
        let client = Client::new(client::url_host(realm));
        let scope = format!("repository:{}:pull", self.repository);
        let query = format!(
            "{realm}{}service={}&scope={}",
            if realm.contains('?') { '&' } else { '?' },
            encode_query(service),
            encode_query(&scope)
        );
        let response = match &self.credential {
            Some(DockerCredential::IdentityToken(token)) => {
                let form = [("grant_type", "refresh_token"), ("refresh_token", token), ("service", service)];
                client.post(realm, &[&form[..], &[("scope", &scope), ("client_id", "weighbridge")]].concat())?
            }
            Some(DockerCredential::UsernamePassword(user, password)) => {
                client.get(&query, &[("authorization", &basic_authorization(user, password))])?
            }
            None => client.get(&query, &[])?,
        };
        match response.status().as_u16() {
            200 => {}
            400..=403 => return Err(self.denied_error()),
            429 => return Err(Error::RateLimited { registry: self.host.clone() }),
            _ => return Err(client.status_error(&response, "a token")),
        }
        #[derive(Deserialize)]
        struct Token {
            token: Option<String>,
            access_token: Option<String>,
        }
        let what = format!("the token of {}", client::url_host(realm));
        let token: Token = contents::parse(&what, "token", &client.read(response, &what, MAX_DOCUMENT_BYTES)?)?;
        token.token.or(token.access_token).ok_or_else(|| self.denied_error())
    }

    fn read(&self, response: Response<Body>, what: &str) -> Result<Vec<u8>, Error> {
        if !response.status().is_success() {
            return Err(self.client.status_error(&response, what));
        }
        self.client.read(response, what, MAX_DOCUMENT_BYTES)
    }

    fn denied_error(&self) -> Error {
        let (registry, repository) = (self.host.clone(), self.repository.clone());
        Error::Denied { registry, repository, anonymous: self.credential.is_none() }
    }

    fn missing_tag_error(&self, version: &str) -> Error {
        let (registry, repository) = (self.host.clone(), self.repository.clone());
        Error::NoTag { registry, repository, tag: version.to_owned(), nearest: self.nearest_tags(version) }
    }

    /// Lists up to five tags, nearest first. Empty if the registry does not list its tags.
    fn nearest_tags(&self, requested: &str) -> Vec<String> {
        #[derive(Deserialize)]
        struct Tags {
            tags: Option<Vec<String>>,
        }
        let bytes = self.get("tags/list", &[]).and_then(|response| self.read(response, "tags"));
        let tags = bytes.ok().and_then(|bytes| serde_json::from_slice::<Tags>(&bytes).ok()?.tags);
        let tags = tags.unwrap_or_default();
        let nearest = message::sort_by_similarity(requested, tags.iter().map(String::as_str));
        nearest.into_iter().take(MAX_NEAREST_TAGS).map(str::to_owned).collect()
    }
}

fn basic_authorization(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Finds a parameter of a challenge, such as
/// `realm="https://auth.docker.io/token",service="registry.docker.io"`.
fn challenge_parameter<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = parameters;
    while let Some((key, value)) = rest.split_once('=') {
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => value.split_once(',').unwrap_or((value, "")),
        };
        if key.trim_matches([' ', ',']).eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
    None
}

fn encode_query(text: &str) -> String {
    let is_unreserved = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/".contains(byte);
    text.bytes()
        .map(|byte| if is_unreserved(&byte) { char::from(byte).into() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_challenges() {
        let hub = r#"realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a:pull,push""#;
        assert_eq!(challenge_parameter(hub, "realm"), Some("https://auth.docker.io/token"));
        assert_eq!(challenge_parameter(hub, "service"), Some("registry.docker.io"));
        assert_eq!(challenge_parameter(hub, "scope"), Some("repository:a:pull,push"));
        assert_eq!(challenge_parameter("realm=x, Service=y", "service"), Some("y"));
        assert_eq!(challenge_parameter("realm=\"never ends", "realm"), None);
        assert_eq!(encode_query("Harbor & co."), "Harbor%20%26%20co.");
    }
}
