//! An image in a registry (distribution-spec): its manifest, its configuration and its layers, each verified.

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

use crate::client::{self, Client, Wanted};
use crate::contents::{self, Configuration, Document, Image, Layer, Place};
use crate::unpack::{self, Source};
use crate::watch::Watch;
use crate::{Error, Name, credentials, digest};

/// The largest manifest or configuration that is read; registries take no more (distribution-spec, "Pushing Manifests").
const MAX_DOCUMENT: u64 = 4 << 20;

/// Docker's and OCI's manifests and indexes.
const ACCEPT: &str = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, \
                      application/vnd.docker.distribution.manifest.list.v2+json, \
                      application/vnd.docker.distribution.manifest.v2+json";

/// An image that a registry has for this machine.
pub struct Remote {
    name: Name,
    registry: Registry,
    digest: String,
    image: Image,
}

impl Remote {
    /// Asks the registry for an image: reads its manifest and configuration.
    pub fn find(name: &Name) -> Result<Self, Error> {
        let registry = Registry::of(name)?;
        let mut version = name.version().to_owned();
        // An index may hold indexes; three deep is more than any tool writes.
        for _ in 0..3 {
            let (digest, bytes) = registry.manifest(&version)?;
            let what = format!("the manifest of {name}");
            match Document::parse(&what, &bytes)? {
                Document::Manifest(manifest) => {
                    let configuration = registry.configuration(manifest.config())?;
                    let image = Image::new(&manifest, configuration, &what)?;
                    return Ok(Self { name: name.clone(), registry, digest, image });
                }
                Document::Index(index) => {
                    let ours = contents::for_this_machine(&index)?;
                    version = ours.first().map(|descriptor| descriptor.digest().to_string()).unwrap_or_default();
                }
            }
        }
        let reason = "its indexes lead to more indexes".into();
        Err(Error::Malformed { what: name.to_string(), expected: "image", reason })
    }

    /// The digest of the image's manifest for this machine.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How much is to be downloaded, in bytes.
    pub fn bytes(&self) -> u64 {
        self.image.stored_bytes()
    }

    /// Downloads the layers, one at a time, into `work`, and unpacks them into `root`.
    pub fn unpack(&self, root: &Path, work: &Path, watch: &dyn Watch) -> Result<(), Error> {
        let download = Download { remote: self, work, number: Cell::new(0) };
        unpack::unpack(&self.image, &download, root, &self.name.to_string(), watch)
    }
}

/// The layers of an image on their way.
struct Download<'a> {
    remote: &'a Remote,
    work: &'a Path,
    /// Of the layer that was asked for last, from 1.
    number: Cell<usize>,
}

impl Source for Download<'_> {
    fn layer(&self, layer: &Layer, watch: &dyn Watch) -> Result<File, Error> {
        let Remote { name, registry, image, .. } = self.remote;
        self.number.set(self.number.get() + 1);
        watch.step(&format!("downloading {name}, layer {} of {}", self.number.get(), image.layers.len()));
        let mut file = tempfile::tempfile_in(self.work).map_err(Error::io("create a file in", self.work))?;
        if let Place::Blob { digest, size } = &layer.place {
            registry.blob(digest, *size, &mut file, watch)?;
        }
        Ok(file)
    }
}

/// The registry of one repository.
struct Registry {
    client: Client,
    /// Host and port, as in names of images.
    host: String,
    repository: String,
    credential: Option<DockerCredential>,
    /// The header that lets us in, once the registry has asked for one.
    authorization: RefCell<Option<String>>,
}

impl Registry {
    fn of(name: &Name) -> Result<Self, Error> {
        let reference = name.reference();
        let host = reference.registry();
        Ok(Self {
            client: Client::new(if host == "docker.io" { "registry-1.docker.io" } else { host }),
            host: host.to_owned(),
            repository: reference.repository().to_owned(),
            credential: credentials::of(reference)?,
            authorization: RefCell::new(None),
        })
    }

    /// The manifest of a tag or a digest, and its digest.
    fn manifest(&self, version: &str) -> Result<(String, Vec<u8>), Error> {
        let what = format!("the manifest {version}");
        let response = self.get(&format!("manifests/{version}"), &[("accept", ACCEPT)])?;
        if response.status() == 404 {
            return Err(self.no_tag(version));
        }
        let told = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok());
        // What the user named beats what the registry says; a tag has only the registry's word.
        let expected = if version.starts_with("sha256:") { Some(version.to_owned()) } else { told.map(str::to_owned) };
        let bytes = self.read(response, &what)?;
        let actual = digest::of(&bytes);
        match expected {
            Some(expected) if expected.starts_with("sha256:") => digest::check(&what, &expected, actual.clone())?,
            _ => {}
        }
        Ok((actual, bytes))
    }

    fn configuration(&self, descriptor: &Descriptor) -> Result<Configuration, Error> {
        let digest = descriptor.digest().to_string();
        let what = format!("the configuration {digest}");
        digest::check_algorithm(&what, descriptor.digest())?;
        let response = self.get(&format!("blobs/{digest}"), &[])?;
        let bytes = self.read(response, &what)?;
        digest::check(&what, &digest, digest::of(&bytes))?;
        contents::parse(&what, "image configuration", &bytes)
    }

    /// Downloads a layer.
    fn blob(&self, digest: &Digest, size: u64, file: &mut File, watch: &dyn Watch) -> Result<(), Error> {
        let what = format!("the layer {digest}");
        digest::check_algorithm(&what, digest)?;
        let wanted = Wanted { what: &what, digest: digest.as_ref(), size: Some(size) };
        let path = format!("blobs/{digest}");
        client::fetch(&self.client, &wanted, file, watch, |offset| match offset {
            0 => self.get(&path, &[]),
            _ => self.get(&path, &[("range", &format!("bytes={offset}-"))]),
        })
    }

    /// Asks for something of the repository; logs in first where the registry wants that.
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let response = self.get_once(path, headers)?;
        if response.status() != 401 {
            return self.let_in(response);
        }
        let challenge = response.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
        let authorization = self.log_in(challenge.unwrap_or_default())?;
        *self.authorization.borrow_mut() = Some(authorization);
        self.let_in(self.get_once(path, headers)?)
    }

    fn get_once(&self, path: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Error> {
        let url = self.client.url(&format!("/v2/{}/{path}", self.repository));
        let authorization = self.authorization.borrow().clone();
        let mut headers = headers.to_vec();
        headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
        self.client.get(&url, &headers)
    }

    fn let_in(&self, response: Response<Body>) -> Result<Response<Body>, Error> {
        match response.status().as_u16() {
            401 | 403 => Err(self.denied()),
            429 => Err(Error::RateLimited { registry: self.host.clone() }),
            _ => Ok(response),
        }
    }

    /// The header that a challenge asks for (RFC 7235; distribution-spec, "Token Authentication").
    fn log_in(&self, challenge: &str) -> Result<String, Error> {
        let (scheme, parameters) = challenge.split_once(' ').unwrap_or((challenge, ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return match &self.credential {
                Some(DockerCredential::UsernamePassword(user, password)) => Ok(basic(user, password)),
                _ => Err(self.denied()),
            };
        }
        let realm = parameter(parameters, "realm").filter(|_| scheme.eq_ignore_ascii_case("bearer"));
        let realm = realm.ok_or_else(|| self.denied())?;
        let token = self.token(realm, parameter(parameters, "service").unwrap_or_default())?;
        Ok(format!("Bearer {token}"))
    }

    fn token(&self, realm: &str, service: &str) -> Result<String, Error> {
        // It gets the credentials, so it is asked as the registry is: in plain text only on this machine.
        let client = Client::new(client::host_of(realm));
        let scope = format!("repository:{}:pull", self.repository);
        let query = format!(
            "{realm}{}service={}&scope={}",
            if realm.contains('?') { '&' } else { '?' },
            query_encoded(service),
            query_encoded(&scope)
        );
        let response = match &self.credential {
            Some(DockerCredential::IdentityToken(token)) => {
                let form = [("grant_type", "refresh_token"), ("refresh_token", token), ("service", service)];
                client.post(realm, &[&form[..], &[("scope", &scope), ("client_id", "weighbridge")]].concat())?
            }
            Some(DockerCredential::UsernamePassword(user, password)) => {
                client.get(&query, &[("authorization", &basic(user, password))])?
            }
            None => client.get(&query, &[])?,
        };
        match response.status().as_u16() {
            200 => {}
            400..=403 => return Err(self.denied()),
            429 => return Err(Error::RateLimited { registry: self.host.clone() }),
            _ => return Err(client.unexpected(&response, "a token")),
        }
        #[derive(Deserialize)]
        struct Token {
            token: Option<String>,
            access_token: Option<String>,
        }
        let what = format!("the token of {}", client::host_of(realm));
        let token: Token = contents::parse(&what, "token", &client.read(response, MAX_DOCUMENT)?)?;
        token.token.or(token.access_token).ok_or_else(|| self.denied())
    }

    fn read(&self, response: Response<Body>, what: &str) -> Result<Vec<u8>, Error> {
        if !response.status().is_success() {
            return Err(self.client.unexpected(&response, what));
        }
        self.client.read(response, MAX_DOCUMENT)
    }

    fn denied(&self) -> Error {
        let (registry, repository) = (self.host.clone(), self.repository.clone());
        Error::Denied { registry, repository, anonymous: self.credential.is_none() }
    }

    fn no_tag(&self, version: &str) -> Error {
        let (registry, repository) = (self.host.clone(), self.repository.clone());
        Error::NoTag { registry, repository, tag: version.to_owned(), nearest: self.nearest_tags(version) }
    }

    /// The tags that are most like one that is not there. A registry need not tell them.
    fn nearest_tags(&self, wanted: &str) -> Vec<String> {
        #[derive(Deserialize)]
        struct Tags {
            tags: Option<Vec<String>>,
        }
        let bytes = self.get("tags/list", &[]).and_then(|response| self.read(response, "tags"));
        let tags = bytes.ok().and_then(|bytes| serde_json::from_slice::<Tags>(&bytes).ok()?.tags);
        let mut tags = tags.unwrap_or_default();
        tags.sort_by_key(|tag| strsim::damerau_levenshtein(wanted, tag));
        tags.truncate(5);
        tags
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// A parameter of a challenge, such as `realm="https://auth.docker.io/token",service="registry.docker.io"`.
fn parameter<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
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

fn query_encoded(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/".contains(byte);
    text.bytes().map(|byte| if is_plain(&byte) { char::from(byte).into() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let hub = r#"realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a:pull,push""#;
        assert_eq!(parameter(hub, "realm"), Some("https://auth.docker.io/token"));
        assert_eq!(parameter(hub, "service"), Some("registry.docker.io"));
        assert_eq!(parameter(hub, "scope"), Some("repository:a:pull,push"));
        assert_eq!(parameter("realm=x, Service=y", "service"), Some("y"));
        assert_eq!(parameter("realm=\"never ends", "realm"), None);
        assert_eq!(query_encoded("Harbor & co."), "Harbor%20%26%20co.");
    }
}
