//! The program `weigh` of a release, for each target.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader;

use super::{Release, tools};
use crate::bindings::{root, succeed};

/// A target of the release.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub triple: &'static str,
    /// Name in Debian's packages.
    pub debian: &'static str,
}

impl Target {
    /// Returns the architecture's name in triples, RPMs and wheels.
    pub fn architecture(self) -> &'static str {
        self.triple.split('-').next().unwrap_or_default()
    }
}

pub const AMD64: Target = Target { triple: "x86_64-unknown-linux-gnu", debian: "amd64" };
pub const ARM64: Target = Target { triple: "aarch64-unknown-linux-gnu", debian: "arm64" };

pub const TARGETS: [Target; 2] = [AMD64, ARM64];

/// Oldest glibc that the programs run with: of 2012, in RHEL 7.
pub const C_LIBRARY: &str = "2.17";

const MAX_PROGRAM_SIZE: u64 = 30_000_000;

/// Builds the program for a target and returns its path.
pub fn build(release: &Release, target: Target) -> Result<PathBuf> {
    tools::add_standard_library(target.triple)?;
    let mut build = release.tools.command("cargo-zigbuild")?;
    build.args(["zigbuild", "--quiet", "--locked", "--package", "weigh", "--bin", "weigh", "--profile", "dist"]);
    build.arg("--target").arg(format!("{}.{C_LIBRARY}", target.triple));
    build.arg("--target-dir").arg(root().join("target")).env("WEIGH_COMMIT", &release.commit);
    succeed(&mut build)?;
    let program = root().join("target").join(target.triple).join("dist/weigh");
    let size = fs::metadata(&program).with_context(|| format!("cannot read {}", program.display()))?.len();
    ensure!(size <= MAX_PROGRAM_SIZE, "{} has {size} bytes, more than {MAX_PROGRAM_SIZE}", program.display());
    check_versions(&program)?;
    Ok(program)
}

/// Checks that a program needs no function of a C library later than `C_LIBRARY`.
fn check_versions(program: &Path) -> Result<()> {
    let bytes = fs::read(program)?;
    let needed = needed_versions(&bytes).with_context(|| format!("cannot read {}", program.display()))?;
    let parse = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect::<Vec<_>>();
    for name in needed {
        let version = name.strip_prefix("GLIBC_").map(parse);
        ensure!(
            version.is_none_or(|version| version <= parse(C_LIBRARY)),
            "{} needs {name}, later than {C_LIBRARY}",
            program.display()
        );
    }
    Ok(())
}

/// Returns the symbol versions that a program needs, such as `GLIBC_2.14`.
fn needed_versions(bytes: &[u8]) -> Result<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let (mut needed, strings) = sections.gnu_verneed(endian, bytes)?.context("no table of needed versions")?;
    let strings = sections.strings(endian, bytes, strings)?;
    let mut names = Vec::new();
    while let Some((_, mut versions)) = needed.next()? {
        while let Some(version) = versions.next()? {
            names.push(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
        }
    }
    Ok(names)
}
