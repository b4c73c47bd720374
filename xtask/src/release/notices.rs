//! Licences of the packages in a program, in one file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use spdx::{Expression, LicenseReq, ParseMode};

use super::dependencies::{Dependencies, Dependency};

/// Licences that a program may contain, the first preferred.
const ACCEPTED: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "BSL-1.0",
    "Unicode-3.0",
    "CDLA-Permissive-2.0",
    "CC0-1.0",
];

/// Packages with another licence, which their own files permit to be part of the program.
const EXCEPTIONS: [(&str, &str); 1] = [("inferno", "CDDL-1.0")];

/// Packages that name a file instead of a licence, and the licence in it.
const NAMED_BY_FILE: [(&str, &str); 1] = [("webpki", "ISC")];

const HEAD: &str = "weigh contains the packages below, unchanged, and Rust's standard library (MIT OR Apache-2.0).
The package inferno (flame graphs) is licensed under the CDDL 1.0. Its source is published under its name and
version on crates.io, and at the address below.
";

/// Returns the SPDX expression of a package's licence; empty if it names no licence.
pub fn licence(dependency: &Dependency) -> &str {
    let by_file = NAMED_BY_FILE.iter().find(|(name, _)| *name == dependency.name);
    by_file.filter(|_| dependency.licence.is_empty()).map_or(&dependency.licence, |(_, licence)| licence)
}

/// Returns the licences that apply, of the accepted ones.
pub fn choose(dependency: &Dependency) -> Result<Vec<String>> {
    let Dependency { name, version, .. } = dependency;
    let licence = licence(dependency);
    ensure!(!licence.is_empty(), "{name} {version} names no licence");
    let expression = Expression::parse_mode(licence, ParseMode::LAX)
        .with_context(|| format!("the licence of {name} {version}: {licence}"))?;
    let accepted = |requirement: &LicenseReq| {
        let wanted = requirement.license.to_string();
        ACCEPTED.contains(&wanted.as_str()) || EXCEPTIONS.contains(&(name, &wanted))
    };
    match expression.minimized_requirements(
        ACCEPTED.iter().filter_map(|name| spdx::Licensee::parse(name).ok()).collect::<Vec<_>>().iter(),
    ) {
        Ok(requirements) => Ok(requirements.iter().map(|requirement| requirement.license.to_string()).collect()),
        Err(_) if expression.evaluate(accepted) => Ok(vec![licence.to_owned()]),
        Err(_) => bail!("{name} {version} is licensed under {licence}, which is not accepted"),
    }
}

/// Returns the text of the file: a list of packages, then each licence text with its packages.
pub fn render(dependencies: &Dependencies) -> Result<String> {
    let mut notices = format!("{HEAD}\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for dependency in dependencies.iter() {
        let label = format!("{} {}", dependency.name, dependency.version);
        let chosen = choose(dependency)?;
        writeln!(notices, "{label}: {} ({})", licence(dependency), dependency.repository)?;
        let mut found = read_licence_files(dependency)?;
        if found.is_empty() {
            found = chosen.iter().filter_map(|name| Some(spdx::license_id(name)?.text().to_owned())).collect();
        }
        ensure!(!found.is_empty(), "no licence text of {label} was found");
        for text in found {
            texts.entry(text).or_default().push(label.clone());
        }
    }
    for (text, packages) in texts {
        write!(notices, "\n{}\n{}\n\n{}\n", "-".repeat(80), packages.join(", "), text.trim_end())?;
    }
    Ok(notices)
}

/// Reads the licences and notices in a package's folder.
fn read_licence_files(dependency: &Dependency) -> Result<Vec<String>> {
    let mut paths: Vec<_> = fs::read_dir(&dependency.folder)
        .with_context(|| format!("cannot read {}", dependency.folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            path.is_file()
                && ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
                    .iter()
                    .any(|start| name.starts_with(start))
        })
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n"));
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_in_the_program_has_an_accepted_licence() {
        let dependencies = Dependencies::read(&crate::bindings::root(), "weigh", "x86_64-unknown-linux-gnu").unwrap();
        let refused: Vec<String> =
            dependencies.iter().filter_map(|one| choose(one).err()).map(|error| error.to_string()).collect();
        assert!(refused.is_empty(), "{}", refused.join("\n"));
        for (name, _) in EXCEPTIONS {
            assert!(dependencies.iter().any(|one| one.name == name), "{name} is no longer a dependency");
        }
        assert!(dependencies.iter().count() > 100);
    }

    #[test]
    fn refuses_a_licence_that_is_not_accepted() {
        let mut dependency = Dependencies::read(&crate::bindings::root(), "weigh", "x86_64-unknown-linux-gnu")
            .unwrap()
            .0
            .pop_first()
            .unwrap()
            .1;
        let mut chosen = |licence: &str| {
            dependency.licence = licence.into();
            choose(&dependency).map_err(|error| error.to_string())
        };
        assert_eq!(chosen("MIT/Apache-2.0").unwrap(), ["MIT"]);
        assert_eq!(chosen("GPL-3.0-only OR ISC").unwrap(), ["ISC"]);
        assert_eq!(chosen("(MIT OR Apache-2.0) AND Unicode-3.0").unwrap().len(), 2);
        assert!(chosen("GPL-3.0-only").unwrap_err().contains("GPL-3.0-only, which is not accepted"));
        assert!(chosen("CDDL-1.0").is_err(), "another package's exception");
    }
}
