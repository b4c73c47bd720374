//! The apt sources of this machine, in both formats of sources.list(5), and the Debian mirror among
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, command};

/// One entry of the apt sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AptSource {
    pub uris: Vec<String>,
    pub suites: Vec<String>,
    pub components: Vec<String>,
    /// The fields in [`KEPT_OPTIONS`], in deb822 format: `signed-by: /usr/share/keyrings/x.gpg`. A
    /// value may have several lines.
    pub options: Vec<String>,
}

/// Options that apply to other suites of the same mirror, too: the signing key and the maximum age.
/// `trusted`, `allow-insecure` and `allow-weak` are excluded: they accept bad signatures, which the
/// host decides for its own suites only.
const KEPT_OPTIONS: [&str; 3] = ["signed-by", "check-valid-until", "valid-until-max"];

pub(super) fn read_host_sources() -> Result<Vec<AptSource>, Error> {
    let mut command = Command::new("apt-config");
    command.args(["shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"]);
    let text = command::output(command, "find apt's sources")?;
    let value =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default();
    let path = |name| PathBuf::from(value(name).trim_matches('\''));
    let mut paths = vec![path("LIST")];
    paths.extend(fs::read_dir(path("PARTS")).into_iter().flatten().flatten().map(|entry| entry.path()));
    paths.sort();
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let parse = |path: &PathBuf| match path.extension().and_then(|extension| extension.to_str()) {
        Some("list") => parse_list(&read(path)),
        Some("sources") => parse_deb822(&read(path)),
        _ => Vec::new(),
    };
    Ok(paths.iter().flat_map(parse).collect())
}

/// Parses the one-line format: `deb [signed-by=/x.gpg] https://mirror.example.org/debian bookworm
/// main`.
fn parse_list(text: &str) -> Vec<AptSource> {
    text.lines().filter_map(parse_list_line).collect()
}

fn parse_list_line(line: &str) -> Option<AptSource> {
    let line = line.split('#').next()?.trim();
    let mut rest = line.strip_prefix("deb")?.strip_prefix([' ', '\t'])?.trim_start();
    let mut options = Vec::new();
    if let Some(bracketed) = rest.strip_prefix('[') {
        let (bracketed, after) = bracketed.split_once(']')?;
        let given = bracketed.split_whitespace().filter_map(|option| option.split_once('='));
        options.extend(given.filter(|(name, _)| is_kept(name)).map(|(name, value)| format!("{name}: {value}")));
        rest = after;
    }
    let mut words = rest.split_whitespace().map(str::to_owned);
    Some(AptSource { uris: vec![words.next()?], suites: vec![words.next()?], components: words.collect(), options })
}

/// Parses the deb822 format: stanzas of `Field: value`, with continuation lines.
fn parse_deb822(text: &str) -> Vec<AptSource> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    lines.split(|line| line.trim().is_empty()).filter_map(parse_stanza).collect()
}

fn parse_stanza(lines: &[&str]) -> Option<AptSource> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in lines {
        if line.starts_with([' ', '\t']) {
            let (_, value) = fields.last_mut()?;
            value.push('\n');
            value.push_str(line);
        } else {
            let (name, value) = line.split_once(':')?;
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let words = |wanted: &str| -> Vec<String> {
        let values = fields.iter().filter(|(name, _)| name == wanted).flat_map(|(_, value)| value.split_whitespace());
        values.map(str::to_owned).collect()
    };
    let disabled = words("enabled").iter().any(|word| ["no", "false", "0", "off"].contains(&word.as_str()));
    if disabled || !words("types").iter().any(|word| word == "deb") {
        return None;
    }
    let options = fields.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| format!("{name}: {value}"));
    Some(AptSource {
        uris: words("uris"),
        suites: words("suites"),
        components: words("components"),
        options: options.collect(),
    })
}

fn is_kept(name: &str) -> bool {
    KEPT_OPTIONS.contains(&name.to_ascii_lowercase().as_str())
}

/// The distribution according to `/etc/os-release`.
#[derive(Debug, Default)]
pub(super) struct Release {
    /// `ID`, such as `debian`.
    pub id: String,
    /// `VERSION_CODENAME`, such as `bookworm`.
    pub codename: String,
}

impl Release {
    pub fn read_host() -> Self {
        Self::parse(&fs::read_to_string("/etc/os-release").unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default().trim_matches('"').to_owned()
        };
        Self { id: field("ID"), codename: field("VERSION_CODENAME") }
    }
}

/// Finds the mirror from which this machine gets Debian itself. Returns its URI and the options in
/// [`KEPT_OPTIONS`]. `None` if no URI looks like Debian's own archive.
pub(super) fn find_debian_mirror(sources: &[AptSource], host: &Release) -> Option<(String, Vec<String>)> {
    let suites = [host.codename.as_str(), "stable", "oldstable", "testing", "unstable", "sid"];
    let candidates = sources.iter().filter(|source| {
        source.suites.iter().any(|suite| suites.contains(&suite.as_str()))
            && source.components.iter().any(|component| component == "main")
    });
    let addresses = candidates.flat_map(|source| source.uris.iter().map(move |uri| (source, uri)));
    let addresses = addresses.filter(|(_, uri)| !uri.contains("security") && !uri.starts_with("cdrom:"));
    let mut scored: Vec<_> = addresses.map(|(source, uri)| (score(sources, source, uri, host), source, uri)).collect();
    scored.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
    let (score, source, uri) = scored.first()?;
    (*score > 0).then(|| (uri.to_string(), source.options.clone()))
}

/// Scores how much a URI looks like Debian's own archive, from 0 to 3. Third parties also name
/// suites after Debian's releases, and derived distributions keep Debian's layout.
fn score(sources: &[AptSource], source: &AptSource, uri: &str, host: &Release) -> u32 {
    let says_debian = uri.trim_end_matches('/').ends_with("/debian")
        || source.options.iter().any(|field| field.contains("debian-archive"));
    let updates = format!("{}-updates", host.codename);
    let serves_updates =
        |other: &AptSource| other.uris.iter().any(|other| other == uri) && other.suites.contains(&updates);
    let has_updates = host.id == "debian" && sources.iter().any(serves_updates);
    u32::from(says_debian) + u32::from(has_updates) * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEB822: &str = "\
Types: deb deb-src
# a comment
URIs: http://mirror.example.org/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example.org/debian-security
Suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb
Enabled: no
URIs: http://old.example.org/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://source.example.org/debian
Suites: bookworm
Components: main
";

    const LIST: &str = "\
# deb http://off.example.org/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] https://packages.example.com/debian/12/prod bookworm main # a vendor
deb [trusted=yes allow-insecure=yes check-valid-until=no] http://mirror.example.org/debian/ bookworm main non-free-firmware
deb-src http://mirror.example.org/debian/ bookworm main
deb\thttp://mirror.example.org/debian/ bookworm-updates main
deb http://security.example.org/debian-security bookworm-security main
deb https://apt.example.net/pub bookworm-net main
";

    fn debian() -> Release {
        Release::parse("PRETTY_NAME=\"Debian\"\nID=debian\nVERSION_CODENAME=bookworm\n")
    }

    fn mirror(sources: &[AptSource]) -> Option<String> {
        find_debian_mirror(sources, &debian()).map(|(uri, _)| uri)
    }

    #[test]
    fn parses_enabled_stanzas_with_continuation_lines() {
        let sources = parse_deb822(DEB822);
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0].suites, ["bookworm", "bookworm-updates"]);
        assert_eq!(sources[0].options, ["signed-by: /usr/share/keyrings/debian-archive-keyring.gpg"]);
        assert_eq!(sources[1].options, ["signed-by: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc"]);
    }

    #[test]
    fn parses_lines_with_options() {
        let sources = parse_list(LIST);
        assert_eq!(sources.len(), 5);
        assert_eq!(sources[0].options, ["signed-by: /k.gpg"]);
        assert_eq!(
            sources[1].options,
            ["check-valid-until: no"],
            "`trusted` and `allow-insecure` do not apply to other suites"
        );
        assert_eq!(sources[1].components, ["main", "non-free-firmware"]);
        assert_eq!(sources[2].suites, ["bookworm-updates"]);
    }

    #[test]
    fn finds_debian_mirror_among_vendors_and_security_hosts() {
        assert_eq!(mirror(&parse_deb822(DEB822)).as_deref(), Some("http://mirror.example.org/debian"));
        assert_eq!(mirror(&parse_list(LIST)).as_deref(), Some("http://mirror.example.org/debian/"));
        let vendors = "deb https://apt.example.com/docker bookworm stable\ndeb https://x.example.com/deb stable main\n";
        assert_eq!(mirror(&parse_list(vendors)), None);
        let stable = "deb http://mirror.example.org/debian stable main\n";
        assert_eq!(mirror(&parse_list(stable)).as_deref(), Some("http://mirror.example.org/debian"));
        let ubuntu = "deb http://mirror.example.org/ubuntu noble main\ndeb http://mirror.example.org/ubuntu noble-updates main\n";
        let noble = Release { id: "ubuntu".into(), codename: "noble".into() };
        assert_eq!(find_debian_mirror(&parse_list(ubuntu), &noble), None);
    }
}
