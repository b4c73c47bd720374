//! Credentials for registries, from the files of container tools (containers-auth.json(5), `docker
//! login`).

use std::env;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};
use oci_spec::distribution::Reference;

use crate::Error;

/// Key of Docker Hub in the files of `docker login` and in credential helpers.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// Finds the credentials for an image, in the first file that has any.
pub(crate) fn find(reference: &Reference) -> Result<Option<DockerCredential>, Error> {
    find_in_files(&list_files(|name| env::var_os(name).map(PathBuf::from)), reference)
}

/// Lists the files with credentials, in the order of Podman and Skopeo.
fn list_files(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let home = variable("HOME");
    let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let config = variable("XDG_CONFIG_HOME").or_else(|| below_home(".config"));
    let docker = variable("DOCKER_CONFIG").or_else(|| below_home(".docker"));
    let files = [
        variable("REGISTRY_AUTH_FILE"),
        variable("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        config.map(|folder| folder.join("containers/auth.json")),
        docker.map(|folder| folder.join("config.json")),
    ];
    files.into_iter().flatten().collect()
}

fn find_in_files(files: &[PathBuf], reference: &Reference) -> Result<Option<DockerCredential>, Error> {
    for path in files {
        for key in list_keys(reference) {
            let Ok(file) = File::open(path) else { continue };
            match get_credential_from_reader(BufReader::new(file), &key) {
                Ok(credential) => return Ok(Some(credential)),
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(credentials_error(path, &error)),
            }
        }
    }
    Ok(None)
}

/// Lists the keys of an image's credentials: the repository, its parents, then the registry.
fn list_keys(reference: &Reference) -> Vec<String> {
    let registry = reference.registry();
    let mut path = format!("{registry}/{}", reference.repository());
    let mut keys = Vec::new();
    while path.len() > registry.len() {
        keys.push(path.clone());
        path.truncate(path.rfind('/').unwrap_or(0));
    }
    if registry == "docker.io" {
        keys.push(DOCKER_HUB.to_owned());
    }
    keys.push(registry.to_owned());
    keys
}

fn is_absent(error: &CredentialRetrievalError) -> bool {
    match error {
        CredentialRetrievalError::NoCredentialConfigured => true,
        // The message of Docker's helpers for an unknown registry.
        CredentialRetrievalError::HelperFailure { stdout, stderr, .. } => {
            [stdout, stderr].iter().any(|text| text.contains("credentials not found"))
        }
        _ => false,
    }
}

/// Converts an error. Does not repeat the output of a helper, which may contain a secret.
fn credentials_error(path: &Path, error: &CredentialRetrievalError) -> Error {
    let reason = match error {
        CredentialRetrievalError::HelperFailure { helper, .. } => format!("docker-credential-{helper} failed"),
        error => error.to_string(),
    };
    Error::Credentials { path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn find_in_text(text: &str, reference: &str) -> Option<DockerCredential> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        fs::write(&file, text).unwrap();
        find_in_files(&[folder.path().join("absent.json"), file], &reference.parse().unwrap()).unwrap()
    }

    fn user(name: &str, password: &str) -> Option<DockerCredential> {
        Some(DockerCredential::UsernamePassword(name.into(), password.into()))
    }

    #[test]
    fn finds_credentials_of_registry_and_repository() {
        // "anna:one", "bert:two", "carl:three" in base64.
        let text = r#"{"auths": {
            "https://index.docker.io/v1/": {"auth": "YW5uYTpvbmU="},
            "registry.example:5000": {"auth": "YmVydDp0d28="},
            "registry.example:5000/team/db": {"auth": "Y2FybDp0aHJlZQ=="}}}"#;
        assert_eq!(find_in_text(text, "mysql:8.0"), user("anna", "one"));
        assert_eq!(find_in_text(text, "registry.example:5000/mysql:8.0"), user("bert", "two"));
        assert_eq!(find_in_text(text, "registry.example:5000/team/db/mysql:8.0"), user("carl", "three"));
        assert_eq!(find_in_text(text, "other.example/mysql:8.0"), None);
        assert_eq!(find_in_text("{}", "mysql:8.0"), None);
    }

    #[test]
    fn lists_files_in_the_order_of_podman() {
        let variable = |name: &str| match name {
            "HOME" => Some(PathBuf::from("/home/anna")),
            "REGISTRY_AUTH_FILE" => Some(PathBuf::from("/etc/auth.json")),
            "XDG_RUNTIME_DIR" => Some(PathBuf::from("/run/user/7")),
            _ => None,
        };
        let expected = [
            "/etc/auth.json",
            "/run/user/7/containers/auth.json",
            "/home/anna/.config/containers/auth.json",
            "/home/anna/.docker/config.json",
        ];
        assert_eq!(list_files(variable), expected.map(PathBuf::from));
    }

    #[test]
    fn error_names_file_without_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        fs::write(&file, r#"{"auths": {"docker.io": {"auth": "hunter2"}}}"#).unwrap();
        let message = find_in_files(std::slice::from_ref(&file), &"mysql:8".parse().unwrap()).unwrap_err().to_string();
        assert!(message.contains(file.to_str().unwrap()) && !message.contains("hunter2"), "{message}");
    }
}
