//! `weigh version`: version, commit, target, instruction set and versions of the data.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use mysql_collation::{DATA_VERSIONS, UNICODE_VERSIONS, instruction_set};

use crate::output;

/// Print the version; --verbose: also that of the collations' data
#[derive(Clone, Debug, Args)]
pub struct VersionArgs;

pub fn run() -> Result<ExitCode> {
    output::print(&if output::is_verbose() { verbose() } else { short() })?;
    Ok(ExitCode::SUCCESS)
}

fn short() -> String {
    format!("weigh {} ({}, {}, {})\n", env!("CARGO_PKG_VERSION"), commit(), env!("WEIGH_TARGET"), instruction_set())
}

fn verbose() -> String {
    let commit = commit();
    let servers = DATA_VERSIONS.map(|version| version.to_string()).join(", ");
    let (version, target) = (env!("CARGO_PKG_VERSION"), env!("WEIGH_TARGET"));
    let lines = [
        format!("weigh {version}"),
        format!("commit:   {commit}"),
        format!("target:   {target}"),
        format!("CPU:      {} instructions in use", instruction_set()),
        format!("servers:  collations of {servers}"),
        format!("Unicode:  UCA {}", UNICODE_VERSIONS.join(", ")),
    ];
    lines.map(|line| line + "\n").concat()
}

/// Returns the commit, or the reason why there is none.
fn commit() -> &'static str {
    match env!("WEIGH_COMMIT") {
        "" if cfg!(debug_assertions) => "development build",
        "" => "built without git",
        commit => commit,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn data_versions_are_the_newest_verified() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/2026-11-verification.md");
        let results = fs::read_to_string(results).unwrap();
        for version in DATA_VERSIONS {
            assert!(results.contains(&format!("| {version} ")), "{version}");
        }
    }
}
