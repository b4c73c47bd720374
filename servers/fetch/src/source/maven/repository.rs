//! The Maven repository of this machine: `$MAVEN_REPOSITORY`, a mirror in Maven's settings, or
//! Maven Central.

use std::env;
use std::fs;
use std::path::PathBuf;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::install_error;
use crate::Error;

const CENTRAL_URL: &str = "https://repo1.maven.org/maven2";
/// Id of Maven Central in Maven's settings.
const CENTRAL_ID: &str = "central";

const URL_VARIABLE: &str = "MAVEN_REPOSITORY";

#[derive(Debug, PartialEq)]
pub(super) struct Repository {
    /// URL without a slash at the end.
    pub url: String,
    /// Source of the URL, for messages: a file or an environment variable.
    named_by: Option<String>,
}

impl Repository {
    /// Finds the repository. `name` is the download, for the error message.
    pub fn find(name: &str) -> Result<Self, Error> {
        let named =
            env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty()).map(|url| (url, format!("${URL_VARIABLE}")));
        let repository = match named.or_else(read_settings) {
            Some((url, named_by)) => Self { url: url.trim_end_matches('/').to_owned(), named_by: Some(named_by) },
            None => Self { url: CENTRAL_URL.to_owned(), named_by: None },
        };
        let authority = repository.url.split('/').nth(2).unwrap_or_default();
        if authority.contains('@') {
            let place = repository.named_by.as_deref().unwrap_or_default();
            let reason = format!(
                "the URL of the Maven repository in {place} contains a login, which would be printed in messages; \
                 set {URL_VARIABLE} to a URL without one"
            );
            return Err(Error::Install { name: name.to_owned(), reason });
        }
        Ok(repository)
    }

    /// Converts an error of a download from this repository, and adds advice.
    pub fn explain(&self, name: &str, error: image::Error) -> Error {
        let named_by = self.named_by.as_ref().map(|place| format!(" (named by {place})")).unwrap_or_default();
        let advice = match &error {
            image::Error::Status { status: 401 | 403 | 407, .. } => "requires a login, which weigh does not send",
            image::Error::Status { status: 404 | 410, .. } => "does not have the file",
            image::Error::Status { .. } => "did not send the file",
            image::Error::Digest { .. } => "has another file than weigh's catalogue, and nothing of it was run",
            _ => return install_error(name, error),
        };
        let reason = format!(
            "{error}.\nThe Maven repository {}{named_by} {advice}. Set {URL_VARIABLE} to another repository, or give \
             --server a basedir, a tarball or an image.",
            self.url
        );
        Error::Install { name: name.to_owned(), reason }
    }
}

/// Returns the URL of the first mirror of Maven Central, and the file that names it. The user's
/// file has precedence over the installation's, as in Maven.
fn read_settings() -> Option<(String, String)> {
    let user = env::home_dir().map(|home| home.join(".m2/settings.xml"));
    let installations = ["MAVEN_HOME", "M2_HOME"].map(|name| env::var_os(name).map(PathBuf::from));
    let installations = installations.into_iter().flatten().chain([PathBuf::from("/usr/share/maven")]);
    let mut files = user.into_iter().chain(installations.map(|folder| folder.join("conf/settings.xml")));
    files.find_map(|file| Some((find_mirror(&fs::read_to_string(&file).ok()?)?, file.display().to_string())))
}

/// Finds the first mirror of Maven Central in a settings file: `<mirror>` with `<mirrorOf>` and
/// `<url>`. `None` if there is no such mirror, or the file is malformed before it.
fn find_mirror(settings: &str) -> Option<String> {
    let mut reader = Reader::from_str(settings);
    let mut path: Vec<Vec<u8>> = Vec::new();
    let (mut url, mut mirror_of) = (String::new(), String::new());
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                path.push(element.local_name().as_ref().to_vec());
                if is_at(&path, &["settings", "mirrors", "mirror"]) {
                    (url, mirror_of) = (String::new(), String::new());
                }
            }
            Event::Text(text) if is_at(&path, &["settings", "mirrors", "mirror", "url"]) => {
                url.push_str(&text.decode().ok()?);
            }
            Event::Text(text) if is_at(&path, &["settings", "mirrors", "mirror", "mirrorOf"]) => {
                mirror_of.push_str(&text.decode().ok()?);
            }
            Event::End(_) => {
                if is_at(&path, &["settings", "mirrors", "mirror"]) && includes_central(&mirror_of) {
                    return Some(url.trim().to_owned());
                }
                path.pop();
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn is_at(path: &[Vec<u8>], names: &[&str]) -> bool {
    path.iter().map(Vec::as_slice).eq(names.iter().map(|name| name.as_bytes()))
}

/// True if `<mirrorOf>` includes Maven Central: `*`, `external:*`, `central`, in a list without
/// `!central` (Maven's guide to mirror settings).
fn includes_central(mirror_of: &str) -> bool {
    let ids: Vec<&str> = mirror_of.split(',').map(str::trim).collect();
    let excluded = ids.iter().any(|id| id.strip_prefix('!') == Some(CENTRAL_ID));
    !excluded && ids.iter().any(|id| ["*", "external:*", CENTRAL_ID].contains(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mirrors: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<settings xmlns=\"http://maven.apache.org/SETTINGS/1.2.0\">\n\
             <!-- <mirrors><mirror><mirrorOf>*</mirrorOf><url>https://comment.example</url></mirror></mirrors> -->\n\
             <servers><server><id>a</id><password>x</password></server></servers>\n<mirrors>{mirrors}</mirrors></settings>"
        )
    }

    #[test]
    fn finds_the_first_mirror_of_central() {
        let mirror = |of: &str, host: &str| {
            format!("<mirror>\n<id>m</id>\n<url>https://{host}/maven/ </url>\n<mirrorOf>{of}</mirrorOf>\n</mirror>")
        };
        for (mirrors, host) in [
            (mirror("*", "a"), Some("a")),
            (mirror("other", "a") + &mirror("central", "b"), Some("b")),
            (mirror("*,!central", "a") + &mirror(" other , central ", "b"), Some("b")),
            (mirror("external:*,!x", "a"), Some("a")),
            (mirror("!x", "a"), None),
            (String::new(), None),
        ] {
            let expected = host.map(|host| format!("https://{host}/maven/"));
            assert_eq!(find_mirror(&settings(&mirrors)), expected, "{mirrors}");
        }
        for malformed in ["", "<settings><mirrors><mirror>", "<settings></mirrors>"] {
            assert_eq!(find_mirror(malformed), None, "{malformed}");
        }
    }
}
