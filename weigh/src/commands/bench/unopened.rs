//! Servers as they are known without starting them: for `--dry-run`, and to refuse at once what
//! can't be measured in the time given.

use anyhow::Result;
use audit::Target;
use fetch::{CatalogueName, Listing, Origin};
use measure::ServerCollations;
use mysql_collation::catalogue;
use server::{CollationInfo, Flavour, Spec, Version};

/// A private server that is not started.
pub struct Unopened {
    pub collations: ServerCollations,
    /// Product or program, with `installed`, `on the PATH` or `would be downloaded`.
    pub state: String,
}

/// Returns what is known of a private server. `None` for a running server, a folder, and a name
/// that says no product. If no version is known, the collations are all of the product's.
pub fn look_up(spec: &Spec) -> Result<Option<Unopened>> {
    let Spec::Private(origin) = spec else { return Ok(None) };
    let listed = fetch::list_servers()?;
    let (name, label) = match origin {
        Origin::Host => ("mariadb".to_owned(), "mariadb".to_owned()),
        Origin::Catalogue(name) => (name.as_str().to_owned(), name.to_string()),
        // Folders have any name: /home/mysql.
        Origin::Basedir(_) => return Ok(None),
        other => (file_name(&other.to_string()).to_owned(), other.to_string()),
    };
    let listing = listed.into_iter().find(|listing| listing.name == name);
    let Some((flavour, target)) = find_version(&name, listing.as_ref()) else { return Ok(None) };
    let state = match &listing {
        Some(Listing { on_path: Some(program), .. }) => format!("{program}, on the PATH"),
        Some(Listing { installed: Some(manifest), .. }) => {
            format!("{flavour} {}, installed", without_epoch(&manifest.version))
        }
        _ => format!("{}, would be downloaded", describe(origin, flavour)),
    };
    let has = |info: &&'static mysql_collation::Info| {
        info.is_enabled() && target.is_none_or(|target| target.collation(info.name).is_some())
    };
    let own = catalogue(library_flavour(flavour)).iter().filter(has);
    let collations = own
        .map(|info| CollationInfo {
            name: info.name.to_owned(),
            charset: info.charset.to_owned(),
            id: 0,
            is_default: false,
        })
        .collect();
    Ok(Some(Unopened { collations: ServerCollations { label, flavour, collations }, state }))
}

/// Returns the last part of a path, a URL or an image's name, without a digest:
/// `mysql-8.0.36.tar.xz` of `https://mysql.example/mysql-8.0.36.tar.xz#sha256=…`.
fn file_name(origin: &str) -> &str {
    let path = origin.split_once('#').map_or(origin, |(path, _)| path);
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns a version of Debian without its epoch: `10.11.19-0+deb12u1` of `1:10.11.19-0+deb12u1`.
fn without_epoch(version: &str) -> &str {
    version.split_once(':').map_or(version, |(_, version)| version)
}

fn describe(origin: &Origin, flavour: Flavour) -> String {
    match origin {
        Origin::Catalogue(name) => name.title().to_owned(),
        Origin::Host => CatalogueName::find("mariadb").map_or(flavour.to_string(), |name| name.title().to_owned()),
        other => format!("{flavour}, {other}"),
    }
}

fn library_flavour(flavour: Flavour) -> mysql_collation::Flavour {
    match flavour {
        Flavour::MySql => mysql_collation::Flavour::MySql,
        Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    }
}

/// Returns the flavour that a name says. The version is that of the program on the PATH or of the
/// installed package, else the one in the name or its aliases, if any.
fn find_version(name: &str, listing: Option<&Listing>) -> Option<(Flavour, Option<Target>)> {
    let flavour = if name.contains("mariadb") {
        Flavour::MariaDb
    } else if name.contains("mysql") || name.contains("percona") {
        Flavour::MySql
    } else {
        return None;
    };
    let product = if flavour == Flavour::MariaDb { "mariadb" } else { "mysql" };
    let installed = listing.and_then(|listing| {
        let text = listing.on_path.clone().or_else(|| Some(listing.installed.as_ref()?.version.clone()))?;
        Version::find(without_epoch(&text)).map(|version| format!("{product}-{version}"))
    });
    let numbers = |text: &String| -> Option<String> {
        let (_, version) = text.rsplit_once(['@', ':'])?;
        let version: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        (!version.is_empty()).then(|| format!("{product}-{}", version.trim_end_matches('.')))
    };
    let names =
        std::iter::once(name.to_owned()).chain(listing.map(|listing| listing.aliases.clone()).unwrap_or_default());
    let named: Vec<String> = names.collect();
    let text = installed.or_else(|| named.iter().find_map(numbers));
    Some((flavour, text.and_then(|text| text.parse().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(spec: &str, collation: &str) -> bool {
        let unopened = look_up(&spec.parse().unwrap()).unwrap().unwrap_or_else(|| panic!("{spec}"));
        unopened.collations.find(collation).is_some()
    }

    #[test]
    fn names_say_the_collations() {
        assert!(has("mysql@sid", "utf8mb4_0900_ai_ci") && !has("mysql@5.6", "utf8mb4_0900_ai_ci"));
        assert!(has("mariadb@trixie", "utf8mb4_uca1400_ai_ci") && !has("mariadb@bullseye", "utf8mb4_uca1400_ai_ci"));
        assert!(!has("mysql:5.7.25", "utf8mb4_0900_ai_ci") && has("mysql:5.7.25", "utf8mb4_unicode_520_ci"));
        let is_known = |spec: &str| look_up(&spec.parse().unwrap()).unwrap().is_some();
        assert!(!is_known("./some-folder"));
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("mysql@5.7");
        std::fs::create_dir(&place).unwrap();
        assert!(!is_known(place.to_str().unwrap()));
        assert_eq!(file_name("https://mysql.example/a-1.tar.xz#sha256=00"), "a-1.tar.xz");
        assert!(look_up(&"mysql://root@db.example".parse().unwrap()).unwrap().is_none());
    }
}
